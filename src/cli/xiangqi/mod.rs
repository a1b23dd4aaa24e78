//! How positions of xiangqi are drawn.

mod diagram;
pub mod strokes;
mod svg;
mod text_board;

pub use diagram::{Diagram, Pieces};
pub use svg::svg;
pub use text_board::draw;

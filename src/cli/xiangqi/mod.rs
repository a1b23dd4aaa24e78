//! How positions of xiangqi are drawn.

mod diagram;
mod page;
mod strokes;
mod svg;
mod text_board;

pub use diagram::{Diagram, Pieces};
pub use page::viewer;
pub use svg::svg;
pub use text_board::{board, draw};

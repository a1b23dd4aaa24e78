//! The words of the games: points, moves, sides, rules, symmetries, and how points are written; boards and what wins.
//!
//! Nothing here reads files or prints.

pub mod gomoku;
mod moves;
mod notation;
mod point;
mod position;
mod rule;
mod side;
mod size;
mod step;
mod symmetry;
pub mod xiangqi;

pub use moves::Move;
pub use notation::{Coords, NotationError, parse_moves};
pub use point::Point;
pub use position::Position;
pub use rule::{Game, Rule, Rules};
pub use side::Side;
pub use size::Size;
pub use step::Step;
pub use symmetry::Symmetry;

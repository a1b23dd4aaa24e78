//! Xiangqi, Chinese chess: the board, legal moves, check and mate; FEN; histories and what repetition decides; and how
//! moves are written.
//!
//! Red is [`Side::First`](crate::Side) and stands below. Points are columns from the left and rows from the top, as
//! in [`Step`](crate::Step): ICCS `h2e2` is `(7, 7)` to `(4, 7)`.

mod board;
mod chase;
mod fault;
mod fen;
#[cfg(test)]
mod fen_tests;
mod history;
mod key;
mod moves;
pub mod notation;
#[cfg(test)]
mod notation_tests;
mod piece;
mod reach;
mod square;
#[cfg(test)]
mod tests;
mod verdict;
#[cfg(test)]
mod verdict_tests;

pub use board::{Board, PlayError, Undo};
pub use fault::{Fault, Level};
pub use fen::{Fen, FenOptions, Remark, What};
pub use history::{History, HistoryError};
pub use moves::Moves;
pub use piece::{Kind, Piece, side_name};
pub use square::{HEIGHT, WIDTH};
pub use verdict::{Checks, Draw, Judgement, Judging, Loss, Verdict};

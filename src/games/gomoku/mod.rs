//! Five in a row: boards, what wins, Black's forbidden points, openings, symmetry and hashing.
//!
//! Everything is judged for a side and a [`Rule`](crate::Rule) that the caller names; a [`Board`] knows only its
//! stones.

mod board;
mod canonical;
mod direction;
mod five;
pub mod forbidden;
pub mod forbidden_slow;
mod hash;
mod kinds;
mod opening;
mod opening_rule;
#[cfg(test)]
pub(crate) mod samples;
mod shape;
#[cfg(test)]
mod tests;
mod three;

pub use board::{Board, PlayError};
pub use canonical::{canonical, own_symmetries, symmetries};
pub use direction::Direction;
pub use five::{Made, Wins, made};
pub(crate) use hash::number;
pub use hash::{Keys, stone_number, turn_number};
pub use kinds::{Kind, Kinds};
pub use opening::{OPENINGS, Opening};
pub use opening_rule::{Finding, OpeningRule, Stated};
pub use three::Three;

//! Gomoku and renju: openings and how they are agreed.

mod opening;
mod opening_rule;

pub use opening::{OPENINGS, Opening};
pub use opening_rule::{Finding, OpeningRule, Stated};

//! Search over games of five in a row: a [`Board`] that knows what a stone would make anywhere, a solver of
//! victories by continuous fours ([`Vcf`]) and one of victories by threats ([`Vct`]), and [`verify()`], which checks a proof in the words of the rules.
//!
//! A solver's answer is an [`Answer`]: proven with a tree, disproven within a scope, or aborted at a budget. Nothing
//! is to be called a win before it is verified. The same question gets the same answer after the same number of nodes
//! on every machine.

mod answer;
mod board;
mod branches;
mod claim;
mod dead_ends;
mod defences;
mod engine;
mod evaluator;
mod kind;
mod patterns;
mod points;
mod proof;
mod proof_numbers;
mod report;
mod request;
pub mod rival;
#[cfg(test)]
mod samples;
mod search;
#[cfg(test)]
mod tests;
mod threat;
mod value;
mod vcf;
mod vct;
#[cfg(test)]
mod vct_tests;
mod verify;
mod weights;

pub use answer::{Answer, Budget, Scope};
pub use board::{Board, Unfit};
pub use claim::Claims;
pub use defences::{Defence, Stand, defences};
pub use engine::Engine;
pub use evaluator::Evaluator;
pub use kind::Kind;
pub use patterns::Line;
pub use points::Points;
pub use proof::{Proof, Step, StepId};
pub use report::{Report, Variation};
pub use request::{Goal, Limits, Moves, Request, Time};
pub use value::Value;
pub use vcf::{Vcf, VcfOptions};
pub use vct::{Vct, VctOptions};
pub use verify::{Flaw, verify};
pub use weights::{SideWeights, THREATS, Weights};

//! Engines of others: programs that speak the protocol of Gomocup (Piskvork) or the Amoyman Gobang Interface, games
//! between two of them, and what they think of positions; and programs that play xiangqi and speak UCI or UCCI.
//!
//! Such a program may hang, crash, flood or play what is not allowed. All of that is a [`Failure`], never a panic, and
//! nothing here waits without an end.

mod agi;
mod agi_evaluator;
mod command_line;
mod detail;
mod duel;
mod evaluator;
mod failure;
mod gomocup;
mod insist;
mod pairs;
mod process;
mod remark;
mod sprt;
mod talk;
mod uci;
mod uci_evaluator;

pub use agi::Agi;
pub use agi_evaluator::AgiEvaluator;
pub use command_line::CommandLine;
pub use duel::{Clock, Duel, Ending, Game, Ply};
pub use evaluator::{Evaluator, Manner};
pub use failure::{Failure, Misplay, Wanted};
pub use gomocup::{Gomocup, Reply, Settings};
pub use pairs::{Pairs, elo, score};
pub use remark::{Eval, Remark};
pub use sprt::{Sprt, Verdict};
pub use uci::{Course, Dialect, Opinion, Task, Uci};
pub use uci_evaluator::UciEvaluator;

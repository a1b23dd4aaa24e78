//! The two hubs as plain data: a [`Record`] is what a file of games or variations says, as a tree of moves with what
//! is written beside them; an [`Entry`] is what a book knows of a position.
//!
//! Codecs in the crate `formats` read files into a [`Record`] and write it out again; the passes here
//! ([`turn`], [`prune`], [`occupied`]) need nothing but the record.

pub mod annotate;
mod bind;
mod crew;
mod date;
mod decide;
mod entry;
mod evaluate;
mod filter;
mod head;
mod judge;
mod judge_pieces;
#[cfg(test)]
mod judge_slow;
mod key;
mod labels;
mod merge;
mod note;
mod occupied;
mod pieces;
mod prune;
mod renju_opening;
mod same;
mod sketch;
mod sought;
mod split;
mod statistics;
mod stone_key;
mod text;
mod tree;
mod turn;
mod walkover;
mod win_rate;

pub use bind::{Played, Unbound, Unplayable, WRITTEN, bind, spell};
pub use crew::evaluate_all;
pub use date::Date;
pub use decide::{board_result, mate_result};
pub use entry::{Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Label, Ratings, Rest, Tally};
pub use evaluate::{Abilities, Effort, Evaluate, Failure, Finding, Grounds, Line, Question};
pub use filter::{Ending, Filter, Lack, plies, ratings};
pub use head::{FEN, Head, Newline, Opening, Outcome, Record};
pub use judge::{Flaw, judge};
pub use judge_pieces::{PieceFlaw, judge_pieces};
pub use key::Key;
pub use labels::{LabelKind, Labels, Spelled, Verdict};
pub use merge::{Dispute, Merger, Misfit, clash};
pub use note::{Note, Once, Part, Score, Shape, Value};
pub use occupied::{Stones, occupied};
pub use pieces::Pieces;
pub use prune::{Prune, prune};
pub use renju_opening::renju_opening;
pub use same::{beginnings, same_game, same_moves};
pub use sketch::Sketch;
pub use sought::{Seeker, Sought};
pub use split::split;
pub use statistics::{Facts, Results, Statistics};
pub use stone_key::StoneKey;
pub use text::{is_plain, plain};
pub use tree::{Full, NodeId, Notes, Play, Tree, TreeBuilder, Walk};
pub use turn::turn;
pub use walkover::is_walkover;
pub use win_rate::win_rate;

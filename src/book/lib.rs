//! The position book (`.agb`): what is known of each position, canonical under the symmetries of the board, in
//! compressed and checked blocks.
//!
//! `SPEC.md` beside this file says what the bytes mean. A [`Writer`] takes positions in the order of their keys, a
//! [`Book`] finds them again; a [`Builder`] makes them of records in bounded memory, [`merge`] puts books together,
//! [`diff`] compares them, and [`prune`], [`extract`], [`delete`] and [`replace`] make others of them.

mod answer;
mod assessment;
mod back_up;
mod bits;
mod block;
mod branch;
mod builder;
mod bytes;
mod combine;
mod conflict;
mod diff;
mod edit;
mod error;
mod evaluator;
mod expansion;
mod frame;
mod frames;
mod graph;
mod hint;
mod images;
mod joined;
mod known;
mod lanes;
mod layout;
mod levels;
mod links;
mod logistic;
mod merge;
mod part;
mod played;
mod prune;
mod reader;
mod row;
mod rows;
mod runs;
mod source;
mod spanning;
mod stance;
mod stones;
mod study;
mod sum;
mod telling;
mod tree;
mod verdicts;
mod writer;
mod xiangqi_tree;

#[cfg(test)]
mod forger;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod study_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod xiangqi_tests;

pub use answer::{Answer, Candidate};
pub use assessment::{assess, assessed, unassessed};
pub use back_up::Choices;
pub use bits::Bits;
pub use branch::{below, delete, delete_below, extract};
pub use builder::{BuildOptions, Builder, Counts};
#[cfg(test)]
pub(crate) use combine::combine;
pub use combine::in_order;
pub use conflict::Conflict;
pub use diff::{Change, Changes, Kind, diff};
pub use edit::{replace, rewrite};
pub use error::Error;
pub use evaluator::Evaluator;
pub use expansion::{Costs, Leaf};
pub use frame::{Canonical, Frame, board};
pub use frames::Frames;
pub use graph::{Graph, NodeId, Scale, Worth};
pub use layout::Holds;
pub use levels::Work;
pub use links::after;
pub use merge::{Conflicts, merge, merge_by};
pub use part::Part;
pub use played::{Games, Played};
pub use prune::{Filter, prune};
pub use reader::{Book, Entries};
pub use study::{Absorbed, Found, Study, Wanted};
pub use tree::{Grown, Orient, TreeCounts, TreeOptions, Trees, Unsaid};
pub use writer::{Writer, Written};

/// Whether bytes begin as a book does.
pub fn is_book(bytes: &[u8]) -> bool {
    bytes.starts_with(layout::MAGIC)
}

/// The XXH3 of some bytes: by it a book tells what it was made of.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

//! The position book (`.agb`): what is known of each position, canonical under the symmetries of the board, in
//! compressed and checked blocks.
//!
//! `SPEC.md` beside this file says what the bytes mean. A [`Writer`] takes positions in the order of their keys, a
//! [`Book`] finds them again; a [`Builder`] makes them of records in bounded memory, and [`merge`] puts books together.

mod answer;
mod block;
mod builder;
mod bytes;
mod combine;
mod error;
mod frame;
mod frames;
mod images;
mod joined;
mod known;
mod lanes;
mod layout;
mod links;
mod merge;
mod played;
mod reader;
mod row;
mod rows;
mod runs;
mod source;
mod stance;
mod stones;
mod sum;
mod thin;
mod tree;
mod writer;

#[cfg(test)]
mod forger;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Candidate};
pub use builder::{BuildOptions, Builder, Counts};
pub use combine::{combine, in_order};
pub use error::Error;
pub use frame::{Canonical, Frame, board};
pub use frames::Frames;
pub use layout::Holds;
pub use merge::merge;
pub use played::{Games, Played};
pub use reader::{Book, Entries};
pub use thin::{Thinned, thin};
pub use tree::{Grown, Orient, TreeCounts, TreeOptions, Trees, Unsaid};
pub use writer::{Writer, Written};

/// The XXH3 of some bytes: by it a book tells what it was made of.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

//! Readers and writers of record formats: one folder a format, and the registry of them all.
//!
//! A reader takes the bytes of a file and hands out its records one by one; a writer takes records and
//! writes bytes. What a reader had to forgive is a [`Fault`], what a writer could not say is a [`Loss`]:
//! nothing is dropped silently.

mod branches;
mod comment;
mod decimal;
mod encoding;
mod error;
mod fault;
mod hex;
mod label;
mod loss;
mod out;
mod position;
mod reading;
mod registry;
mod start;
mod steps;
mod writing;

#[path = "agi-game/mod.rs"]
pub mod agi_game;
#[path = "agi-record/mod.rs"]
pub mod agi_record;
#[path = "book-csv/mod.rs"]
pub mod book_csv;
#[path = "book-jsonl/mod.rs"]
pub mod book_jsonl;
pub mod cbf;
pub mod cbl;
pub mod cbr;
pub mod fen;
pub mod json;
pub mod moves;
pub mod renlib;
pub mod sgf;
pub mod ubb;
pub mod xqf;
#[path = "yixin-db/mod.rs"]
pub mod yixin_db;

#[cfg(test)]
mod roundtrips;
#[cfg(test)]
mod samples;

pub use encoding::{Guess, Sure, encoding_of, guess, label_to_encoding};
pub use error::{Blame, Error, Place};
pub use fault::{Fault, Faults, Severity};
pub use loss::{Loss, Losses};
pub use out::Out;
pub use position::{position_key, position_text};
pub use reading::{EntryReading, Progress, ReadOptions, Reading, Strictness};
pub use registry::{
    ENTRY_FORMATS, EntryFormat, FORMATS, Format, HEAD, Likeness, by_extension, by_name, detect, detect_entries,
};
pub use writing::{EntryWriter, WriteOptions, Writer};

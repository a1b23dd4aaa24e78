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
mod frame;
mod hex;
mod label;
mod line;
mod lines;
mod loss;
mod out;
mod page;
mod pgn;
mod played;
mod position;
mod reading;
mod registry;
mod source;
mod start;
mod steps;
mod stream;
mod writing;
mod xml;

#[path = "agi-game/mod.rs"]
pub mod agi_game;
#[path = "agi-record/mod.rs"]
pub mod agi_record;
pub mod bdt;
pub mod bin;
pub mod binpack;
pub mod blip;
#[path = "book-csv/mod.rs"]
pub mod book_csv;
#[path = "book-jsonl/mod.rs"]
pub mod book_jsonl;
pub mod buf;
pub mod cbf;
pub mod cbl;
pub mod cbr;
#[path = "cgomoku-csv/mod.rs"]
pub mod cgomoku_csv;
#[path = "cgomoku-pgn/mod.rs"]
pub mod cgomoku_pgn;
pub mod chessdb;
#[path = "eleeye-book/mod.rs"]
pub mod eleeye_book;
pub mod fen;
#[path = "gomocup-openings/mod.rs"]
pub mod gomocup_openings;
pub mod json;
#[path = "kurnik-pgn/mod.rs"]
pub mod kurnik_pgn;
pub mod moves;
pub mod pbem;
pub mod pdb;
pub mod pfc;
pub mod playsite;
pub mod pos;
pub mod psq;
#[path = "rapfi-txt/mod.rs"]
pub mod rapfi_txt;
pub mod rdf;
pub mod rec;
pub mod rena;
pub mod renjs;
pub mod renjuoffline;
pub mod renlib;
#[path = "renlib-text/mod.rs"]
pub mod renlib_text;
pub mod rif;
pub mod sgf;
#[path = "sqlite-book/mod.rs"]
pub mod sqlite_book;
pub mod ubb;
pub mod wxf;
pub mod wzq;
#[path = "xiangqi-pgn/mod.rs"]
pub mod xiangqi_pgn;
pub mod xqf;
#[path = "yixin-db/mod.rs"]
pub mod yixin_db;
#[path = "yixin-sav/mod.rs"]
pub mod yixin_sav;

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

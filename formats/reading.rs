use crate::{Blame, Error, Faults, Guess, Place, Severity};
use encoding_rs::Encoding;
use games::{Coords, Rule, Size};
use record::{Entry, Key, Record};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How much a reader forgives.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// Refuse what is not to the letter.
    Strict,
    /// Recover where nothing is lost by it or the file is cut, and say so.
    #[default]
    Normal,
    /// Keep what stands before a fault that would end the reading, too.
    Lenient,
}

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// How much to forgive.
    pub strictness: Strictness,
    /// The encoding of texts in formats that fix none; guessed where it is `None`.
    pub encoding: Option<&'static Encoding>,
    /// How points are written, in formats that leave it open.
    pub coords: Coords,
    /// The board, in formats that do not say it.
    pub size: Option<Size>,
    /// The rule, in formats of positions that need not say it.
    pub rule: Option<Rule>,
    /// How many faults of each kind to keep whole.
    pub keep_faults: u64,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            strictness: Strictness::Normal,
            encoding: None,
            coords: Coords::A1,
            size: None,
            rule: None,
            keep_faults: 20,
        }
    }
}

/// What other threads see of long work, and how they stop it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes of input done.
    pub done: AtomicU64,
    /// Set to stop.
    pub stop: AtomicBool,
}

impl Progress {
    /// Nothing done.
    pub const fn new() -> Progress {
        Progress { done: AtomicU64::new(0), stop: AtomicBool::new(false) }
    }
}

/// The reading of one file: options in, records, faults and facts out.
///
/// What is read is a [`Record`] unless something else is named: see [`EntryReading`].
pub struct Reading<'a, T = Record> {
    /// How to read.
    pub options: &'a ReadOptions,
    /// What was forgiven.
    pub faults: Faults,
    /// The encoding of the texts and how sure it is, where the format does not fix it.
    pub encoding: Option<Guess>,
    /// The version the file states, as text.
    pub version: Option<String>,
    format: &'static str,
    progress: &'a Progress,
    counted: u64,
    records: u64,
    left_out: u64,
    /// Why the first of them was left out.
    first_bad: Option<Error>,
    each: &'a mut dyn FnMut(T) -> Result<(), Error>,
}

/// The reading of a file of positions.
pub type EntryReading<'a> = Reading<'a, (Key, Entry)>;

impl<'a, T> Reading<'a, T> {
    /// A reading of the format of this name that hands each record to `each`.
    pub fn new(
        format: &'static str,
        options: &'a ReadOptions,
        progress: &'a Progress,
        each: &'a mut dyn FnMut(T) -> Result<(), Error>,
    ) -> Reading<'a, T> {
        Reading {
            options,
            faults: Faults::new(options.keep_faults),
            encoding: None,
            version: None,
            format,
            progress,
            counted: 0,
            records: 0,
            left_out: 0,
            first_bad: None,
            each,
        }
    }

    /// Whether to refuse what is not to the letter.
    pub fn strict(&self) -> bool {
        self.options.strictness == Strictness::Strict
    }

    /// Whether to keep what stands before a fault that would end the reading.
    pub fn lenient(&self) -> bool {
        self.options.strictness == Strictness::Lenient
    }

    /// How many records were handed out.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many records were left out because they cannot be read.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Leaves out a record that cannot be read, as a fault of this kind, so that the reader can go on with the next one.
    /// Gives the error back when reading strictly, or if it is not the file's.
    pub fn leave_out(&mut self, kind: &'static str, error: Error) -> Result<(), Error> {
        if self.strict() || error.blame != Blame::File {
            return Err(error);
        }
        self.left_out += 1;
        self.faults.push(kind, Severity::Damage, || {
            (*error.place.clone(), format!("{}; the game was left out", error.message))
        });
        self.first_bad.get_or_insert(error);
        Ok(())
    }

    /// Ends the reading of a file of many records: an error if all of them were left out.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.first_bad.take() {
            Some(error) if self.records == 0 => Err(error),
            _ => Ok(()),
        }
    }

    /// Hands out a record.
    pub fn emit(&mut self, record: T) -> Result<(), Error> {
        self.records += 1;
        (self.each)(record)
    }

    /// Forgives a fault and counts it, or refuses it when reading strictly and it is more than a remark.
    pub fn fault(
        &mut self,
        kind: &'static str,
        severity: Severity,
        fault: impl FnOnce() -> (Place, String),
    ) -> Result<(), Error> {
        if self.strict() && severity > Severity::Remark {
            let (place, message) = fault();
            return Err(Error { blame: Blame::Policy, format: self.format, message, place: Box::new(place) });
        }
        self.faults.push(kind, severity, fault);
        Ok(())
    }

    /// An error that ends the reading.
    pub fn error(&self, place: Place, message: impl Into<String>) -> Error {
        Error::file(self.format, place, message)
    }

    /// Says how many bytes of the input are done; an error if the user wants to stop. Call it every few thousand nodes.
    pub fn progress(&mut self, bytes: usize) -> Result<(), Error> {
        let bytes = bytes as u64;
        self.progress.done.fetch_add(bytes.saturating_sub(self.counted), Ordering::Relaxed);
        self.counted = self.counted.max(bytes);
        if self.progress.stop.load(Ordering::Relaxed) {
            return Err(Error::new(Blame::Stopped, "", "stopped"));
        }
        Ok(())
    }
}

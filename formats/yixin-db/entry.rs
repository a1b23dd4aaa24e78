//! What an entry's bytes mean, and what is unusual about them: for databases and for their CSV.

use super::LONGEST_TEXT;
use super::key::{self, Canonical};
use super::raw::{FIELDS, Fields};
use super::text::{Parts, decode};
use crate::{EntryReading, Error, Guess, Place, Severity, Sure, guess};
use encoding_rs::{Encoding, UTF_8};
use games::Symmetry;
use record::{BoardText, Bound, Comment, Entry, Judgement, Label, StoneKey};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// What places are counted in.
#[derive(Copy, Clone)]
pub(super) enum Unit {
    /// Bytes of the file.
    Byte,
    /// Bytes of what the LZ4 frame holds.
    Unpacked,
    /// Lines.
    Line,
}

/// Visits the texts of the whole file.
type Visit<'a> = &'a dyn Fn(&mut dyn FnMut(&[u8]) -> ControlFlow<()>);

/// Turns bytes into positions and what is known of them.
pub(super) struct Meaning<'a> {
    /// The file says that its texts are UTF-8.
    pub declared: bool,
    /// Where the entry at hand begins.
    pub start: u64,
    unit: Unit,
    visit: Visit<'a>,
    /// The encoding of the texts that are not UTF-8.
    found: Option<Guess>,
    canonical: Canonical,
    /// The key of the entry before.
    before: Vec<u8>,
}

impl<'a> Meaning<'a> {
    pub fn new(unit: Unit, visit: Visit<'a>) -> Meaning<'a> {
        Meaning {
            declared: false,
            start: 0,
            unit,
            visit,
            found: None,
            canonical: Canonical::default(),
            before: Vec::new(),
        }
    }

    /// The encoding of the texts, when all are read.
    pub fn guess(&self) -> Guess {
        let sure = if self.declared { Sure::Declared } else { Sure::Certain };
        self.found.unwrap_or(Guess { encoding: UTF_8, sure })
    }

    /// Hands out an entry.
    pub fn entry(&mut self, key: &[u8], record: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let (position, passes) = match key::parse(key) {
            Ok(parsed) => parsed,
            Err(message) if reading.lenient() => {
                let message = || format!("this is no key: {message}; the entry is passed over");
                return self.fault(reading, "bad-key", Severity::Damage, message);
            }
            Err(message) => {
                let message = format!(
                    "this is no key: {message}; --lenient passes over it (Rapfi leaves such bytes behind a text of \
                     more than {LONGEST_TEXT})"
                );
                let (place, message) = self.told(self.start, message);
                return Err(reading.error(place, message));
            }
        };
        if passes > 0 {
            self.fault(reading, "pass", Severity::Quirk, || {
                format!("{passes} pairs FF FF: read as passes, where Rapfi reads stones on a point of their own")
            })?;
        }
        self.order(key, &position, reading)?;
        let entry = self.knowledge(record, &position, reading)?;
        reading.emit((position.into(), entry))
    }

    /// Says what is unusual about the key and its place.
    fn order(&mut self, key: &[u8], position: &StoneKey, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        if !self.canonical.is_key(key, position) {
            self.fault(reading, "not-canonical", Severity::Quirk, || {
                "the key is not the smallest of its images: Rapfi does not find this position".into()
            })?;
        }
        match key::rank(&self.before).cmp(&key::rank(key)) {
            Ordering::Less => {}
            Ordering::Equal => self.fault(reading, "duplicate-position", Severity::Quirk, || {
                "the position of the entry before again: both are kept".into()
            })?,
            Ordering::Greater => {
                self.fault(reading, "unsorted", Severity::Remark, || "an entry out of Rapfi's order".into())?;
            }
        }
        self.before.clear();
        self.before.extend(key);
        Ok(())
    }

    /// What a record says.
    fn knowledge(&mut self, record: &[u8], key: &StoneKey, reading: &mut EntryReading<'_>) -> Result<Entry, Error> {
        let fields = Fields::parse(record);
        if (1..FIELDS).contains(&record.len()) {
            self.fault(reading, "short-record", Severity::Quirk, || {
                format!("a record of {} bytes: what is missing is taken as 0", record.len())
            })?;
        } else if !record.is_empty() && fields.is_null() {
            self.fault(reading, "null-record", Severity::Remark, || {
                "a record of nothing but zeros: the same as one without bytes".into()
            })?;
        }
        if fields.label.is_ascii_uppercase() && label(fields.label) != Label::User(fields.label) {
            self.fault(reading, "upper-case-label", Severity::Remark, || {
                format!("the label {}: the same as its small letter", char::from(fields.label))
            })?;
        }
        let mut entry = Entry { label: label(fields.label), judgement: judgement(&fields), ..Entry::default() };
        if !fields.text.is_empty() {
            self.texts(fields.text, key, &mut entry, reading)?;
        }
        Ok(entry)
    }

    fn texts(
        &mut self,
        text: &[u8],
        key: &StoneKey,
        entry: &mut Entry,
        reading: &mut EntryReading<'_>,
    ) -> Result<(), Error> {
        let parts = Parts::parse(text, key.size);
        if parts.odd_lines > 0 {
            self.fault(reading, "bad-board-text", Severity::Damage, || {
                format!("{} board texts name no point of the board: put before the comment", parts.odd_lines)
            })?;
        } else {
            let mut again = Vec::with_capacity(text.len());
            parts.push(&mut again);
            if again != text {
                self.fault(reading, "odd-board-texts", Severity::Remark, || {
                    "board texts that do not end as Rapfi ends them: it is not kept how they do".into()
                })?;
            }
        }
        let encoding = self.encoding(text, reading);
        // What is not declared is written as UTF-8, and what is declared may be something else.
        let declared = if self.declared { UTF_8 } else { encoding };
        let mut malformed = encoding != declared;
        let mut decoded = |bytes: &[u8]| {
            let decoded = decode(bytes, encoding, declared);
            malformed |= decoded.malformed;
            (decoded.text, decoded.bytes)
        };
        for (point, bytes) in &parts.texts {
            let (text, bytes) = decoded(bytes);
            entry.texts.push(BoardText { point: *point, text, bytes, written: Symmetry::Identity });
        }
        if !parts.comment.is_empty() {
            let (text, bytes) = decoded(&parts.comment);
            entry.comments.push(Comment { text, bytes, written: Symmetry::Identity });
        }
        if malformed {
            self.fault(reading, "not-utf-8", Severity::Quirk, || {
                format!("a text is not in the encoding of its file: read as {}, its bytes kept", encoding.name())
            })?;
        }
        Ok(())
    }

    fn encoding(&mut self, text: &[u8], reading: &EntryReading<'_>) -> &'static Encoding {
        if text.is_ascii() {
            return UTF_8;
        }
        if let (None, Some(encoding)) = (self.found, reading.options.encoding) {
            self.found = Some(Guess { encoding, sure: Sure::Given });
        }
        match self.found {
            Some(Guess { encoding, sure: Sure::Given }) => encoding,
            _ if self.declared && std::str::from_utf8(text).is_ok() => UTF_8,
            Some(found) => found.encoding,
            None => self.find_encoding(),
        }
    }

    /// The encoding of all texts of the file, or of those that are not UTF-8 where it says that they are.
    #[cold]
    fn find_encoding(&mut self) -> &'static Encoding {
        /// Enough to tell an encoding; the guess looks at no more.
        const ENOUGH: usize = 1 << 20;
        let declared = self.declared;
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut size, mut utf8) = (0, true);
        (self.visit)(&mut |text| {
            let valid = std::str::from_utf8(text).is_ok();
            let wanted = !valid || (!declared && !text.is_ascii());
            if wanted && (size < ENOUGH || !valid) {
                utf8 &= valid;
                size += text.len();
                // A backspace between two texts is in no letter's encoding.
                seen.extend(text.split(|byte| *byte == 0x08).map(<[u8]>::to_vec));
            }
            if !utf8 && size >= ENOUGH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let found = guess(seen.iter().map(Vec::as_slice));
        self.found = Some(found);
        found.encoding
    }

    /// Forgives a fault of the entry at hand.
    pub fn fault(
        &self,
        reading: &mut EntryReading<'_>,
        kind: &'static str,
        severity: Severity,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        reading.fault(kind, severity, || self.told(self.start, message()))
    }

    /// A place in the content and what is there.
    pub fn told(&self, at: u64, message: String) -> (Place, String) {
        match self.unit {
            Unit::Byte => (Place { byte: Some(at), ..Place::default() }, message),
            Unit::Unpacked => (
                Place { byte: Some(at), ..Place::default() },
                message + " (bytes are counted in what the LZ4 frame holds)",
            ),
            Unit::Line => (Place { line: Some(at), ..Place::default() }, message),
        }
    }
}

/// The label that a byte stands for.
pub(super) fn label(byte: u8) -> Label {
    match byte.to_ascii_lowercase() {
        0xFF => Label::None,
        0 => Label::Null,
        b'w' => Label::Win,
        b'l' => Label::Loss,
        b'd' => Label::Draw,
        b'!' => Label::Forced,
        b'x' => Label::Blocked,
        _ => Label::User(byte),
    }
}

fn judgement(fields: &Fields<'_>) -> Option<Judgement> {
    let said = fields.value != 0 || fields.depth != 0 || fields.bound != Bound::None;
    said.then(|| Judgement {
        value: fields.value.into(),
        bound: fields.bound,
        depth: fields.depth,
        nodes: None,
        scale: Judgement::SCALE,
        source: String::new(),
    })
}

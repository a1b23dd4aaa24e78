use super::entry::{Meaning, Unit};
use super::raw::{Fields, Payload};
use super::{CHARSET, METADATA, key};
use crate::frame::{self, Source, Stop};
use crate::{EntryReading, Error, Place, Severity};
use std::ops::ControlFlow;

/// How many entries are read between two looks at the progress.
const STRIDE: u64 = 1 << 14;

pub fn read(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(reading.error(Place::default(), "the file is empty"));
    }
    let bytes = frame::content(bytes, reading)?;
    let unit = if bytes.starts_with(&frame::MAGIC) { Unit::Unpacked } else { Unit::Byte };
    let visit = |each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>| texts(bytes, each);
    let mut database = Database { bytes, meaning: Meaning::new(unit, &visit) };
    database.read(reading)?;
    reading.encoding = Some(database.meaning.guess());
    reading.progress(bytes.len())
}

/// Visits the texts of a database.
fn texts(bytes: &[u8], each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) {
    let mut payload = Payload::new(Source::new(bytes));
    let (mut key, mut record) = (Vec::new(), Vec::new());
    let _ = payload.count();
    while let Ok(true) = payload.next(&mut key, &mut record) {
        if each(Fields::parse(&record).text).is_break() {
            return;
        }
    }
}

/// A database while it is read.
struct Database<'a> {
    bytes: &'a [u8],
    meaning: Meaning<'a>,
}

impl Database<'_> {
    fn read(&mut self, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let mut payload = Payload::new(Source::new(self.bytes));
        let count = match payload.count() {
            Ok(Some(count)) => u64::from(count),
            Ok(None) => {
                let message = "the file ends inside the number of its entries".into();
                return self.ended("cut-file", payload.at, message, reading);
            }
            Err(stop) => return self.stopped(stop, payload.at, reading),
        };
        let (mut key, mut record) = (Vec::new(), Vec::new());
        let mut number = 0;
        loop {
            self.meaning.start = payload.at;
            match payload.next(&mut key, &mut record) {
                Ok(true) => {}
                Ok(false) if number >= count => break,
                Ok(false) => {
                    let message = format!("the file ends after {number} of the {count} entries that it says it has");
                    return self.ended("cut-file", payload.at, message, reading);
                }
                Err(stop) if number < count => return self.stopped(stop, payload.at, reading),
                Err(Stop::Frame(error)) => return self.stopped(Stop::Frame(error), payload.at, reading),
                Err(Stop::Cut) => return self.trailing(&mut payload, count, reading),
            }
            if number >= count {
                if key::parse(&key).is_err() {
                    return self.trailing(&mut payload, count, reading);
                }
                self.meaning.fault(reading, "wrong-count", Severity::Damage, || {
                    format!("an entry behind the {count} that the file says it has: read all the same")
                })?;
            }
            self.entry(number, &key, &record, reading)?;
            number += 1;
            if number % STRIDE == 0 {
                reading.progress(self.bytes.len() - payload.source.left())?;
            }
        }
        if !self.meaning.declared {
            reading.fault("no-metadata", Severity::Remark, || {
                (Place::byte(0), "no entry says that texts are UTF-8: Yixin writes none".into())
            })?;
        }
        Ok(())
    }

    fn entry(&mut self, number: u64, key: &[u8], record: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
        if key.is_empty() {
            let message = || "an entry without a key: passed over".into();
            return self.meaning.fault(reading, "empty-key", Severity::Quirk, message);
        }
        if key == METADATA {
            return self.metadata(number, record, reading);
        }
        self.meaning.entry(key, record, reading)
    }

    fn metadata(&mut self, number: u64, record: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
        if Fields::parse(record).text != CHARSET {
            return self.meaning.fault(reading, "unknown-metadata", Severity::Damage, || {
                "a metadata entry that does not say charset=\"UTF-8\": passed over".into()
            });
        }
        if number > 0 {
            self.meaning.fault(reading, "late-metadata", Severity::Quirk, || {
                "the metadata entry is not the first: what stands before it is read as without it".into()
            })?;
        }
        self.meaning.declared = true;
        Ok(())
    }

    /// What stands behind the last entry and is none.
    fn trailing(
        &self,
        payload: &mut Payload<Source<'_>>,
        count: u64,
        reading: &mut EntryReading<'_>,
    ) -> Result<(), Error> {
        if let Err(stop @ Stop::Frame(_)) = payload.rest() {
            return self.stopped(stop, payload.at, reading);
        }
        let more = payload.at - self.meaning.start;
        self.meaning.fault(reading, "trailing-bytes", Severity::Damage, || {
            format!("{more} bytes stand behind the {count} entries and are none: passed over")
        })
    }

    fn stopped(&self, stop: Stop, at: u64, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        match stop {
            Stop::Cut => self.ended("cut-file", at, "the file ends inside an entry".into(), reading),
            Stop::Frame(error) => {
                let message = format!("the LZ4 frame is damaged{}", frame::reason(&error));
                self.ended("bad-frame", at, message, reading)
            }
        }
    }

    /// Ends the reading before the file does: an error, unless it is lenient and something was kept.
    fn ended(&self, kind: &'static str, at: u64, message: String, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let rest = match (reading.records(), reading.lenient()) {
            (0, _) => ", and no position stands before it",
            (_, false) => ": --lenient keeps what stands before it",
            _ => ": reading ended there",
        };
        let (place, message) = self.meaning.told(at, message + rest);
        if reading.records() == 0 || !reading.lenient() {
            return Err(reading.error(place, message));
        }
        reading.fault(kind, Severity::Damage, || (place, message))
    }
}

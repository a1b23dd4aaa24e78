//! The bytes of a database, before anybody asks what they mean.

use crate::frame::{self, Stop};
use record::Bound;
use std::io::Read;

/// Label, value, depth and bound: what stands before the text of a record.
pub(super) const FIELDS: usize = 5;

/// A stream of entries and how far it is.
pub(super) struct Payload<R> {
    pub source: R,
    /// Bytes taken so far.
    pub at: u64,
}

impl<R: Read> Payload<R> {
    pub fn new(source: R) -> Payload<R> {
        Payload { source, at: 0 }
    }

    /// The number at the start; `None` if there are not even its four bytes.
    pub fn count(&mut self) -> Result<Option<u32>, Stop> {
        let mut count = [0; 4];
        Ok((self.take(&mut count)? == count.len()).then(|| u32::from_le_bytes(count)))
    }

    /// Takes an entry; false if the bytes end before it. An entry without a key leaves both empty.
    pub fn next(&mut self, key: &mut Vec<u8>, record: &mut Vec<u8>) -> Result<bool, Stop> {
        key.clear();
        record.clear();
        let Some(length) = self.length()? else { return Ok(false) };
        if length == 0 {
            return Ok(true);
        }
        self.fill(key, length)?;
        let length = self.length()?.ok_or(Stop::Cut)?;
        self.fill(record, length)?;
        Ok(true)
    }

    /// Bytes that are left, all of them taken.
    pub fn rest(&mut self) -> Result<u64, Stop> {
        let mut buffer = [0; 4096];
        let start = self.at;
        while self.take(&mut buffer)? > 0 {}
        Ok(self.at - start)
    }

    fn length(&mut self) -> Result<Option<usize>, Stop> {
        let mut length = [0; 2];
        match self.take(&mut length)? {
            0 => Ok(None),
            2 => Ok(Some(usize::from(u16::from_le_bytes(length)))),
            _ => Err(Stop::Cut),
        }
    }

    fn fill(&mut self, out: &mut Vec<u8>, length: usize) -> Result<(), Stop> {
        out.resize(length, 0);
        if self.take(out)? == length { Ok(()) } else { Err(Stop::Cut) }
    }

    /// Fills `out` as far as there are bytes.
    fn take(&mut self, out: &mut [u8]) -> Result<usize, Stop> {
        frame::take(&mut self.source, &mut self.at, out)
    }
}

/// The record of an entry.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Fields<'a> {
    pub label: u8,
    pub value: i16,
    pub depth: i16,
    pub bound: Bound,
    pub text: &'a [u8],
}

impl<'a> Fields<'a> {
    /// What a record of any length says; what it is too short for is 0.
    pub fn parse(record: &'a [u8]) -> Fields<'a> {
        let number = |at: usize| {
            let bytes = record.get(at..at + 2).unwrap_or(&[0, 0]);
            i16::from_le_bytes(bytes.try_into().expect("two bytes were taken"))
        };
        let searched = number(3);
        Fields {
            label: record.first().copied().unwrap_or(0),
            value: number(1),
            depth: searched >> 2,
            bound: Bound::ALL[usize::from(searched as u16 & 3)],
            text: record.get(FIELDS..).unwrap_or(&[]),
        }
    }

    /// Whether the record says nothing at all, and has no bytes then.
    pub fn is_null(&self) -> bool {
        *self == Fields { label: 0, value: 0, depth: 0, bound: Bound::None, text: &[] }
    }

    /// Appends the record with its length. Its text fits, and its depth has fourteen bits.
    pub fn push(&self, out: &mut Vec<u8>) {
        if self.is_null() {
            return out.extend([0, 0]);
        }
        let length = u16::try_from(FIELDS + self.text.len()).expect("the length of a text is checked before");
        let bound = Bound::ALL.iter().position(|bound| *bound == self.bound).expect("all bounds are listed");
        out.extend(length.to_le_bytes());
        out.push(self.label);
        out.extend(self.value.to_le_bytes());
        out.extend((self.depth << 2 | bound as i16).to_le_bytes());
        out.extend(self.text);
    }
}

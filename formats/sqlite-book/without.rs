//! What stands for the readers and writers in a program that is built without them.

use super::Variant;
use crate::{Blame, EntryReading, EntryWriter, Error, Losses, WriteOptions};
use record::{Entry, Key};
use std::io::Write;

fn lacking(variant: Variant) -> Error {
    let message = "this program was built without SQLite books: build it with the feature sqlite-books";
    Error::new(Blame::Us, variant.name(), message)
}

pub(super) fn read(_: &[u8], variant: Variant, _: &mut EntryReading<'_>) -> Result<(), Error> {
    Err(lacking(variant))
}

pub(super) fn writer<'a>(_: &'a mut dyn Write, _: &WriteOptions, variant: Variant) -> Box<dyn EntryWriter + 'a> {
    Box::new(Lacking(variant))
}

struct Lacking(Variant);

impl EntryWriter for Lacking {
    fn entry(&mut self, _: &Key, _: &Entry, _: &mut Losses) -> Result<(), Error> {
        Err(lacking(self.0))
    }

    fn finish(&mut self, _: &mut Losses) -> Result<(), Error> {
        Err(lacking(self.0))
    }
}

//! renlib

use crate::{Error, Format, Likeness, Losses, Reading, WriteOptions, Writer};
use record::Record;
use std::io::Write;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "renlib",
    title: "renlib",
    extensions: &["renlib"],
    many: true,
    rule: None,
    likeness: |_| Likeness::No,
    read,
    writer,
};

fn read(_bytes: &[u8], _reading: &mut Reading<'_>) -> Result<(), Error> {
    unreachable!()
}

struct W;

impl Writer for W {
    fn record(&mut self, _: &Record, _: &mut Losses) -> Result<(), Error> {
        unreachable!()
    }
    fn finish(&mut self) -> Result<(), Error> {
        unreachable!()
    }
}

fn writer<'a>(_out: &'a mut dyn Write, _options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(W)
}

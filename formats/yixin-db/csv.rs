//! rapfi-csv (`.csv`): the table that Rapfi makes of a database, and the way back that it lacks.

use super::entry::{Meaning, Unit};
use super::key;
use super::raw::Fields;
use super::write::{Records, stones};
use crate::{EntryFormat, EntryReading, EntryWriter, Error, Likeness, Losses, Out, Place, Severity, WriteOptions};
use games::Game;
use record::{Bound, Entry, Key};
use std::io::Write;
use std::ops::ControlFlow;

/// The row of the registry.
pub const CSV: EntryFormat = EntryFormat {
    name: "rapfi-csv",
    title: "Rapfi's table of a database",
    extensions: &["csv"],
    games: &[Game::Gomoku],
    likeness,
    read,
    writer,
};

const ENOUGH_MEMORY: &str = "writing into memory does not fail";
const HEADER: &[u8] = b"index,key,label,value,depth,bound,text";
const ESCAPES: [(u8, u8); 7] =
    [(0x08, b'b'), (b'\n', b'n'), (b'"', b'"'), (b'\\', b'\\'), (b'\r', b'r'), (b'\t', b't'), (0, b'0')];
/// How many rows are read between two looks at the progress.
const STRIDE: usize = 1 << 14;

fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    if head.starts_with(HEADER) { Likeness::Magic } else { Likeness::No }
}

fn read(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let visit = |each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>| texts(bytes, each);
    let mut meaning = Meaning::new(Unit::Line, &visit);
    meaning.declared = true;
    if likeness(bytes) == Likeness::No {
        return Err(reading.error(Place::line(1), "this is no table of a database: it begins with index,key,label,…"));
    }
    let (mut key, mut record) = (Vec::new(), Vec::new());
    let mut done = 0;
    for (number, line) in lines(bytes).enumerate() {
        done += line.len() + 1;
        if number == 0 || line.is_empty() {
            continue;
        }
        meaning.start = number as u64 + 1;
        match Row::parse(line).and_then(|row| row.bytes(&mut key, &mut record)) {
            Ok(()) => meaning.entry(&key, &record, reading)?,
            Err(message) if reading.lenient() => {
                let message = || format!("{message}: the row is passed over");
                meaning.fault(reading, "bad-row", Severity::Damage, message)?;
            }
            Err(message) => {
                return Err(
                    reading.error(Place::line(number + 1), format!("{message}: --lenient passes over such rows"))
                );
            }
        }
        if number % STRIDE == 0 {
            reading.progress(done)?;
        }
    }
    reading.encoding = Some(meaning.guess());
    reading.progress(bytes.len())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Visits the texts of a table.
fn texts(bytes: &[u8], each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) {
    for row in lines(bytes).skip(1).filter_map(|line| Row::parse(line).ok()) {
        if each(&unescape(row.text)).is_break() {
            return;
        }
    }
}

/// The columns of a row behind its number.
struct Row<'a> {
    key: &'a [u8],
    label: &'a [u8],
    value: &'a [u8],
    depth: &'a [u8],
    bound: &'a [u8],
    /// Escaped, without its quotes.
    text: &'a [u8],
}

impl<'a> Row<'a> {
    fn parse(line: &'a [u8]) -> Result<Row<'a>, String> {
        let mut columns = line.splitn(7, |byte| *byte == b',').skip(1);
        let mut column = || columns.next().ok_or_else(|| "a row of fewer than seven columns".to_string());
        let (key, label, value, depth, bound, text) =
            (column()?, column()?, column()?, column()?, column()?, column()?);
        let inner = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
        Ok(Row { key, label, value, depth, bound, text: inner.unwrap_or(text) })
    }

    /// The key and the record that a database has for the row.
    fn bytes(&self, key: &mut Vec<u8>, record: &mut Vec<u8>) -> Result<(), String> {
        let shown = |column: &[u8]| String::from_utf8_lossy(column).into_owned();
        let number = |column: &[u8]| std::str::from_utf8(column).ok()?.trim().parse::<i16>().ok();
        key.clear();
        record.clear();
        key::parse_text(self.key, key).ok_or_else(|| format!("`{}` is no key", shown(self.key)))?;
        let text = unescape(self.text);
        let fields = Fields {
            label: label(self.label).ok_or_else(|| format!("`{}` is no label", shown(self.label)))?,
            value: number(self.value).ok_or_else(|| format!("`{}` is no value", shown(self.value)))?,
            depth: number(self.depth)
                .filter(|depth| super::write::DEPTHS.contains(depth))
                .ok_or_else(|| format!("`{}` is no depth", shown(self.depth)))?,
            bound: Bound::ALL
                .into_iter()
                .find(|bound| bound.name().as_bytes() == self.bound)
                .ok_or_else(|| format!("`{}` is no bound", shown(self.bound)))?,
            text: &text,
        };
        if text.len() > super::LONGEST_TEXT {
            return Err(format!("a text of {} bytes: a database holds {}", text.len(), super::LONGEST_TEXT));
        }
        fields.push(record);
        // The length stands before it.
        record.drain(..2);
        Ok(())
    }
}

fn label(column: &[u8]) -> Option<u8> {
    match column {
        b"(none)" => Some(0xFF),
        b"(null)" => Some(0),
        [byte] => Some(*byte),
        [b'0', b'x', digits @ ..] => u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok(),
        _ => None,
    }
}

fn push_label(byte: u8, out: &mut Vec<u8>) {
    match byte {
        0xFF => out.extend(b"(none)"),
        0 => out.extend(b"(null)"),
        byte if byte.is_ascii_graphic() && !matches!(byte, b',' | b'"') => out.push(byte),
        byte => out.extend(format!("0x{byte:02x}").bytes()),
    }
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escape = |letter: &u8| ESCAPES.iter().find(|(_, escape)| escape == letter).map(|(byte, _)| *byte);
        match (byte, bytes.peek()) {
            (b'\\', Some(letter)) if escape(letter).is_some() => {
                out.extend(escape(letter));
                bytes.next();
            }
            // As other programs double it.
            (b'"', Some(b'"')) => {
                out.push(b'"');
                bytes.next();
            }
            _ => out.push(byte),
        }
    }
    out
}

fn push_escaped(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match ESCAPES.iter().find(|(escaped, _)| *escaped == byte) {
            Some((_, letter)) => out.extend([b'\\', *letter]),
            None => out.push(byte),
        }
    }
}

fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
    Box::new(TableWriter { out: Out::new(out), records: Records::new(options) })
}

struct TableWriter<'a> {
    out: Out<'a>,
    records: Records,
}

impl EntryWriter for TableWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        self.records.add(stones(key)?, entry, losses)
    }

    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error> {
        self.out.push(HEADER);
        self.out.push(b"\n");
        let mut index = 0_u64;
        self.records.sorted(losses)?.each(&mut |key, record| {
            let fields = Fields::parse(record);
            let out = self.out.buffer();
            write!(out, "{index},").expect(ENOUGH_MEMORY);
            index += 1;
            key::push_text(key, out);
            out.push(b',');
            push_label(fields.label, out);
            write!(out, ",{},{},{},\"", fields.value, fields.depth, fields.bound.name()).expect(ENOUGH_MEMORY);
            push_escaped(fields.text, out);
            out.extend(b"\"\n");
            Ok(self.out.spill()?)
        })?;
        Ok(self.out.flush()?)
    }
}

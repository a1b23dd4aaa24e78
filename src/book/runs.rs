use crate::bytes::{Bytes, put, put_bytes};
use crate::combine::{add, in_order, listed};
use crate::frame::board;
use crate::{Error, Frames, row};
use record::Entry;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Runs that are merged at once: each is an open file with a buffer.
const RUNS: usize = 64;
const BUFFER: usize = 1 << 16;
/// So much in the lists of an entry waits to be put in order.
const FEW: usize = 1000;

/// Sorts what comes in any order within bounded memory: what fills it is sorted and set aside in a file.
pub(crate) struct Sorter {
    symmetric: bool,
    frames: Frames,
    memory: usize,
    folder: PathBuf,
    /// Keys and rows, each after its length.
    bytes: Vec<u8>,
    starts: Vec<Start>,
    runs: Vec<File>,
    refs: usize,
}

/// The first bytes of a key, by which most of them are told apart, and where it stands.
type Start = (u128, usize);

/// A key and what is known of it, or why it cannot be read.
type Position = Result<(Vec<u8>, Entry), Error>;

impl Sorter {
    /// Holds about so many bytes; the runs are files without a name in the folder.
    pub fn new(symmetric: bool, memory: usize, folder: &Path) -> Sorter {
        let frames = Frames::new(symmetric);
        let (bytes, starts, runs) = (Vec::new(), Vec::new(), Vec::new());
        Sorter { symmetric, frames, memory, folder: folder.into(), bytes, starts, runs, refs: 0 }
    }

    /// Keeps so many references to games at each position, those of the least numbers.
    pub fn keep_games(&mut self, refs: usize) {
        self.refs = refs;
    }

    pub fn frames(&mut self) -> &mut Frames {
        &mut self.frames
    }

    /// Adds an entry, which is in order.
    pub fn push(&mut self, key: &[u8], entry: &Entry) -> Result<(), Error> {
        let (_, size) = board(key).ok_or(Error::Order)?;
        let mut first = [0; size_of::<u128>()];
        let length = key.len().min(first.len());
        first[..length].copy_from_slice(&key[..length]);
        self.starts.push((u128::from_be_bytes(first), self.bytes.len()));
        put_bytes(&mut self.bytes, key);
        let mut row = Vec::new();
        row::put_row(&mut row, entry, self.frames.of(size));
        put_bytes(&mut self.bytes, &row);
        // A vector that grows is there twice for a while.
        if 2 * self.bytes.len() + 2 * size_of::<Start>() * self.starts.len() > self.memory {
            self.spill()?;
        }
        Ok(())
    }

    /// All positions in the order of their keys, each once.
    pub fn finish(mut self) -> Result<Box<dyn Iterator<Item = Position>>, Error> {
        if self.runs.is_empty() {
            let sorted = self.sorted();
            let bytes = std::mem::take(&mut self.bytes);
            let mut sorted = sorted.into_iter();
            let each = std::iter::from_fn(move || {
                let mut rest = Bytes(&bytes[sorted.next()?.1..]);
                Some((key_of(&mut rest), key_of(&mut rest)))
            });
            return Ok(Box::new(Joined::new(each.map(Ok), self.symmetric, self.refs)));
        }
        self.spill()?;
        let runs = std::mem::take(&mut self.runs);
        Ok(Box::new(merge_runs(runs, self.symmetric, self.refs)?))
    }

    fn sorted(&mut self) -> Vec<Start> {
        let mut starts = std::mem::take(&mut self.starts);
        let key = |start: usize| Bytes(&self.bytes[start..]).bytes().expect("keys are written whole");
        starts.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| key(a.1).cmp(key(b.1))));
        starts
    }

    fn spill(&mut self) -> Result<(), Error> {
        if self.starts.is_empty() {
            return Ok(());
        }
        let sorted = self.sorted();
        let bytes = std::mem::take(&mut self.bytes);
        let each = sorted.into_iter().map(|(_, start)| {
            let mut rest = Bytes(&bytes[start..]);
            Ok((key_of(&mut rest), key_of(&mut rest)))
        });
        let run = self.write_run(Joined::new(each, self.symmetric, self.refs))?;
        self.bytes = bytes;
        self.bytes.clear();
        self.runs.push(run);
        if self.runs.len() == RUNS {
            let merged = merge_runs(std::mem::take(&mut self.runs), self.symmetric, self.refs)?;
            let run = self.write_run(merged)?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn write_run(&mut self, positions: impl Iterator<Item = Position>) -> Result<File, Error> {
        let mut out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(&self.folder)?);
        let (mut bytes, mut row) = (Vec::new(), Vec::new());
        for position in positions {
            let (key, entry) = position?;
            let (_, size) = board(&key).ok_or(Error::Order)?;
            bytes.clear();
            row.clear();
            put_bytes(&mut bytes, &key);
            row::put_row(&mut row, &entry, self.frames.of(size));
            put(&mut bytes, row.len() as u64);
            out.write_all(&bytes)?;
            out.write_all(&row)?;
        }
        let mut file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

fn key_of(bytes: &mut Bytes<'_>) -> Vec<u8> {
    bytes.bytes().expect("keys and rows are written whole").to_vec()
}

/// A key and its row.
type Row = (Vec<u8>, Vec<u8>);

fn merge_runs(runs: Vec<File>, symmetric: bool, refs: usize) -> Result<impl Iterator<Item = Position> + use<>, Error> {
    let runs = runs.into_iter().map(|file| Run(BufReader::with_capacity(BUFFER, file)));
    Ok(Joined::new(Merged::new(runs.collect())?, symmetric, refs))
}

/// The rows of a sorted run.
struct Run(BufReader<File>);

impl Run {
    fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        let (mut length, mut shift) = (0, 0);
        loop {
            let mut byte = [0];
            self.0.read_exact(&mut byte)?;
            length |= u64::from(byte[0] & 0x7F) << shift;
            shift += 7;
            if byte[0] < 0x80 {
                break;
            }
        }
        let mut bytes = vec![0; length as usize];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Iterator for Run {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.fill_buf() {
            Ok([]) => None,
            Ok(_) => Some(self.bytes().and_then(|key| Ok((key, self.bytes()?)))),
            Err(error) => Some(Err(error.into())),
        }
    }
}

/// Sorted sources as one: a heap of what each would give next.
pub(crate) struct Merged<S, V> {
    sources: Vec<S>,
    next: BinaryHeap<Reverse<Head<V>>>,
}

/// What a source gives next; ordered by key, then source.
struct Head<V> {
    key: Vec<u8>,
    source: usize,
    value: V,
}

impl<V> PartialEq for Head<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<V> Eq for Head<V> {}

impl<V> PartialOrd for Head<V> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<V> Ord for Head<V> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (&self.key, self.source).cmp(&(&other.key, other.source))
    }
}

impl<V, S: Iterator<Item = Result<(Vec<u8>, V), Error>>> Merged<S, V> {
    pub fn new(sources: Vec<S>) -> Result<Merged<S, V>, Error> {
        let mut merged = Merged { next: BinaryHeap::with_capacity(sources.len()), sources };
        for source in 0..merged.sources.len() {
            merged.pull(source)?;
        }
        Ok(merged)
    }

    fn pull(&mut self, source: usize) -> Result<(), Error> {
        if let Some(next) = self.sources[source].next() {
            let (key, value) = next?;
            self.next.push(Reverse(Head { key, source, value }));
        }
        Ok(())
    }
}

impl<V, S: Iterator<Item = Result<(Vec<u8>, V), Error>>> Iterator for Merged<S, V> {
    type Item = Result<(Vec<u8>, V), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse(Head { key, source, value }) = self.next.pop()?;
        Some(self.pull(source).map(|()| (key, value)))
    }
}

/// What can become an entry.
pub(crate) trait Known {
    fn entry(self, frame: &crate::Frame) -> Entry;
}

impl Known for Entry {
    fn entry(self, _: &crate::Frame) -> Entry {
        self
    }
}

impl Known for Vec<u8> {
    fn entry(self, frame: &crate::Frame) -> Entry {
        row::row(Bytes(&self), frame).expect("rows are read as they were written")
    }
}

/// Sorted positions with those of the same key combined.
pub(crate) struct Joined<S, V> {
    source: S,
    frames: Frames,
    ahead: Option<(Vec<u8>, V)>,
    refs: usize,
}

impl<V: Known, S: Iterator<Item = Result<(Vec<u8>, V), Error>>> Joined<S, V> {
    /// At each position so many references to games are kept, those of the least numbers; all if it is 0.
    pub fn new(source: S, symmetric: bool, refs: usize) -> Joined<S, V> {
        let refs = if refs == 0 { usize::MAX } else { refs };
        Joined { source, frames: Frames::new(symmetric), ahead: None, refs }
    }

    fn pull(&mut self) -> Option<Result<(Vec<u8>, V), Error>> {
        self.ahead.take().map(Ok).or_else(|| self.source.next())
    }
}

impl<V: Known, S: Iterator<Item = Result<(Vec<u8>, V), Error>>> Iterator for Joined<S, V> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let (key, value) = match self.pull()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error)),
        };
        let Some((_, size)) = board(&key) else { return Some(Err(Error::Order)) };
        let frame = self.frames.of(size);
        let mut entry = value.entry(frame);
        let mut in_order_up_to = FEW;
        loop {
            match self.source.next() {
                None => break,
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok((other, value))) if other == key => add(&mut entry, value.entry(frame)),
                Some(Ok(other)) => {
                    self.ahead = Some(other);
                    break;
                }
            }
            if listed(&entry) > in_order_up_to {
                in_order(&mut entry, frame);
                entry.games.truncate(self.refs);
                in_order_up_to = FEW + 2 * listed(&entry);
            }
        }
        in_order(&mut entry, frame);
        entry.games.truncate(self.refs);
        Some(Ok((key, entry)))
    }
}

use crate::Error;
use crate::bytes::{put, put_bytes};
use crate::hint::prefetch;
use crate::joined::Joined;
use crate::layout::LARGEST;
use crate::rows::{KeyAndRow, split};
use crate::source::{Merged, Source, prefix};
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// Runs that are merged at once: each may be an open file with a buffer.
const RUNS: usize = 128;
const BUFFER: usize = 1 << 16;
/// Rows that are asked for before they are needed.
const AHEAD: usize = 16;
/// Bytes that are sorted at a time: what lies in a processor's cache is sorted fastest.
const CHUNK: usize = 24 << 20;

/// Sorts what comes in any order within bounded memory: what fills a part of it is sorted and set aside, in memory
/// while there is room, then in files.
///
/// While one part is sorted in the background another one fills.
pub(crate) struct Sorter {
    symmetric: bool,
    memory: usize,
    folder: Arc<Path>,
    filling: Chunk,
    sorting: Option<Receiver<SortedRun>>,
    runs: Vec<Run>,
    /// Bytes of the runs in memory.
    held: usize,
    refs: usize,
}

/// A chunk to be filled again, and the run that was made of what was in it.
type SortedRun = Result<(Chunk, Run), Error>;

/// Positions in the order in which they came.
#[derive(Default)]
pub(crate) struct Chunk {
    /// Keys and rows, each after its length.
    bytes: Vec<u8>,
    starts: Vec<Start>,
}

/// The first bytes of a key, by which most of them are told apart, and where it stands.
#[derive(Copy, Clone)]
struct Start {
    high: u64,
    low: u64,
    at: u32,
}

impl Chunk {
    fn push(&mut self, key: &[u8], row: &[u8]) {
        let prefix = prefix(key);
        let at = u32::try_from(self.bytes.len()).expect("a chunk stays below 4 GiB");
        self.starts.push(Start { high: (prefix >> 64) as u64, low: prefix as u64, at });
        put_bytes(&mut self.bytes, key);
        put_bytes(&mut self.bytes, row);
    }

    fn size(&self) -> usize {
        self.bytes.len() + size_of::<Start>() * self.starts.len()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |start: &Start| split(&bytes[start.at as usize..]).0;
        // The places come last, so that what is equal stays in the order in which it came.
        self.starts.par_sort_unstable_by(|a, b| {
            (a.high, a.low).cmp(&(b.high, b.low)).then_with(|| key(a).cmp(key(b))).then(a.at.cmp(&b.at))
        });
    }
}

/// A chunk that is sorted.
pub(crate) struct Sorted<C> {
    chunk: C,
    at: usize,
}

impl<C: std::borrow::Borrow<Chunk>> Source for Sorted<C> {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        let chunk = self.chunk.borrow();
        Some(split(&chunk.bytes[chunk.starts.get(self.at)?.at as usize..]))
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.at += 1;
        // Rows lie about in the order in which they came: asking early is cheaper than waiting for each.
        let chunk = self.chunk.borrow();
        if let Some(start) = chunk.starts.get(self.at + AHEAD) {
            let at = start.at as usize;
            prefetch(&chunk.bytes, at);
            // Most rows cross into the next line of the cache.
            prefetch(&chunk.bytes, at + 48);
        }
        Ok(())
    }
}

/// All positions in the order of their keys.
pub(crate) enum Positions {
    One(Joined<Sorted<Chunk>>),
    Many(Joined<Merged<Run>>),
}

impl Positions {
    /// The key and the row of the next position.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<KeyAndRow<'_>>, Error> {
        match self {
            Positions::One(joined) => joined.next(),
            Positions::Many(joined) => joined.next(),
        }
    }
}

impl Sorter {
    /// Holds about so many bytes; the runs in files have no name in the folder where the system allows that.
    pub fn new(symmetric: bool, memory: usize, folder: &Path) -> Sorter {
        let (filling, runs) = (Chunk::default(), Vec::new());
        Sorter { symmetric, memory, folder: folder.into(), filling, sorting: None, runs, held: 0, refs: 0 }
    }

    /// Keeps so many references to games at each position, those of the least numbers.
    pub fn keep_games(&mut self, refs: usize) {
        self.refs = refs;
    }

    /// Adds a row.
    pub fn push(&mut self, key: &[u8], row: &[u8]) -> Result<(), Error> {
        let more = key.len() + row.len();
        if more > LARGEST {
            return Err(Error::Large);
        }
        // One chunk fills, one is sorted, and what is sorted is copied.
        if self.filling.size() + more > CHUNK.min(self.memory / 5) && !self.filling.starts.is_empty() {
            self.sort()?;
        }
        self.filling.push(key, row);
        Ok(())
    }

    /// All positions in the order of their keys, each once.
    pub fn finish(mut self) -> Result<Positions, Error> {
        if self.runs.is_empty() && self.sorting.is_none() {
            self.filling.sort();
            let chunk = std::mem::take(&mut self.filling);
            return Ok(Positions::One(Joined::new(Sorted { chunk, at: 0 }, self.symmetric, self.refs)));
        }
        if !self.filling.starts.is_empty() {
            self.sort()?;
        }
        self.end_sort()?;
        self.filling = Chunk::default();
        Ok(Positions::Many(Joined::new(Merged::new(std::mem::take(&mut self.runs)), self.symmetric, self.refs)))
    }

    /// Sorts what was filled, in the background.
    fn sort(&mut self) -> Result<(), Error> {
        let empty = self.end_sort()?;
        let mut chunk = std::mem::replace(&mut self.filling, empty);
        let (done, sorting) = sync_channel(1);
        let (symmetric, refs, folder) = (self.symmetric, self.refs, self.folder.clone());
        let has_room = self.held + chunk.bytes.len() <= self.memory / 2;
        rayon::spawn(move || {
            chunk.sort();
            let joined = Joined::new(Sorted { chunk: &chunk, at: 0 }, symmetric, refs);
            let run = rows_of(joined, chunk.bytes.len())
                .and_then(|rows| if has_room { Run::in_memory(rows) } else { Run::in_file(&rows, &folder) });
            chunk.clear();
            // Nobody waits for it where the work has failed.
            let _ = done.send(run.map(|run| (chunk, run)));
        });
        self.sorting = Some(sorting);
        if self.runs.len() >= RUNS {
            let runs = Merged::new(std::mem::take(&mut self.runs));
            let run = write_run(Joined::new(runs, self.symmetric, self.refs), &self.folder)?;
            self.held = 0;
            self.runs.push(Run::new(run)?);
        }
        Ok(())
    }

    /// Waits for what is sorted, sets it aside, and gives its chunk back.
    fn end_sort(&mut self) -> Result<Chunk, Error> {
        let Some(sorting) = self.sorting.take() else { return Ok(Chunk::default()) };
        let (chunk, run) = sorting.recv().expect("the background sends before it ends")?;
        if run.file.is_none() {
            self.held += run.buffer.len();
        }
        self.runs.push(run);
        Ok(chunk)
    }
}

/// The positions as runs have them.
fn rows_of<S: Source>(mut positions: Joined<S>, room: usize) -> Result<Vec<u8>, Error> {
    let mut rows = Vec::with_capacity(room);
    while let Some((key, row)) = positions.next()? {
        put_row(&mut rows, key, row);
    }
    rows.shrink_to_fit();
    Ok(rows)
}

fn put_row(rows: &mut Vec<u8>, key: &[u8], row: &[u8]) {
    put(rows, (key.len() + row.len()) as u64);
    put(rows, key.len() as u64);
    rows.extend(key);
    rows.extend(row);
}

fn write_run<S: Source>(mut positions: Joined<S>, folder: &Path) -> Result<File, Error> {
    let mut run = RunWriter::new(folder)?;
    while let Some((key, row)) = positions.next()? {
        run.push(key, row)?;
    }
    run.finish()
}

/// Writes a sorted run into a file without a name, where the system allows that.
pub(crate) struct RunWriter {
    out: BufWriter<File>,
    bytes: Vec<u8>,
}

impl RunWriter {
    pub fn new(folder: &Path) -> Result<RunWriter, Error> {
        let out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?);
        Ok(RunWriter { out, bytes: Vec::new() })
    }

    pub fn push(&mut self, key: &[u8], row: &[u8]) -> Result<(), Error> {
        self.bytes.clear();
        put_row(&mut self.bytes, key, row);
        Ok(self.out.write_all(&self.bytes)?)
    }

    /// The file, to be read from its beginning.
    pub fn finish(self) -> Result<File, Error> {
        let mut file = self.out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

/// The rows of a sorted run.
pub(crate) struct Run {
    /// Where the rest is; `None` if all of it is in the buffer.
    file: Option<File>,
    buffer: Vec<u8>,
    /// What of the buffer is still to be read.
    left: Range<usize>,
    /// Where the key and the row at hand are in the buffer; empty at the end.
    key: Range<usize>,
    row: Range<usize>,
}

impl Run {
    pub fn new(file: File) -> Result<Run, Error> {
        let mut run = Run { file: Some(file), buffer: vec![0; BUFFER], left: 0..0, key: 0..0, row: 0..0 };
        run.advance()?;
        Ok(run)
    }

    fn in_file(rows: &[u8], folder: &Path) -> Result<Run, Error> {
        let mut file = tempfile::tempfile_in(folder)?;
        file.write_all(rows)?;
        file.rewind()?;
        Run::new(file)
    }

    fn in_memory(rows: Vec<u8>) -> Result<Run, Error> {
        let left = 0..rows.len();
        let mut run = Run { file: None, buffer: rows, left, key: 0..0, row: 0..0 };
        run.advance()?;
        Ok(run)
    }

    /// Brings so many bytes into the buffer, or as many as there are.
    fn fill(&mut self, wanted: usize) -> Result<(), Error> {
        let Some(file) = self.file.as_mut().filter(|_| self.left.len() < wanted) else { return Ok(()) };
        self.buffer.copy_within(self.left.clone(), 0);
        self.left = 0..self.left.len();
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.left.end < wanted {
            match file.read(&mut self.buffer[self.left.end..]) {
                Ok(0) => break,
                Ok(read) => self.left.end += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn number(&mut self) -> usize {
        let mut bytes = crate::bytes::Bytes(&self.buffer[self.left.clone()]);
        let number = bytes.number().expect("runs are read as they were written");
        self.left.start = self.left.end - bytes.0.len();
        number as usize
    }
}

impl Source for Run {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        (!self.key.is_empty()).then(|| (&self.buffer[self.key.clone()], &self.buffer[self.row.clone()]))
    }

    fn advance(&mut self) -> Result<(), Error> {
        /// Two numbers at their longest.
        const NUMBERS: usize = 20;
        self.key = 0..0;
        self.fill(NUMBERS)?;
        if self.left.is_empty() {
            return Ok(());
        }
        let both = self.number();
        // The length of the key is not counted in what both take.
        self.fill(both + NUMBERS)?;
        let key = self.number();
        if self.left.len() < both {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        let start = self.left.start;
        self.key = start..start + key;
        self.row = start + key..start + both;
        self.left.start += both;
        Ok(())
    }
}

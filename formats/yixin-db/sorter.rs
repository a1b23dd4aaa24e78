//! Entries in Rapfi's order, within bounded memory: what fills it is sorted and set aside in a file.

use super::key;
use crate::{Error, Losses, WriteOptions};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

/// Files that are merged at once.
const RUNS: usize = 64;
const BUFFER: usize = 1 << 16;
/// Bytes to hold where the options do not say.
const MEMORY: usize = 1 << 30;

/// Takes entries in any order; of those on one position the first stays.
pub(super) struct Sorter {
    memory: usize,
    folder: PathBuf,
    held: Held,
    runs: Vec<File>,
}

/// Entries in memory.
#[derive(Default)]
pub(super) struct Held {
    /// Keys and records, each behind its length.
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where an entry stands.
struct Place {
    /// Rule, size, number of pairs and the first pairs: these tell most keys apart.
    rank: [u8; 16],
    at: u64,
}

impl Held {
    fn push(&mut self, key: &[u8], record: impl FnOnce(&mut Vec<u8>)) {
        let mut rank = [0; 16];
        let pairs = ((key.len() - key::HEAD) / 2) as u16;
        rank[..key::HEAD].copy_from_slice(&key[..key::HEAD]);
        rank[key::HEAD..5].copy_from_slice(&pairs.to_be_bytes());
        let first = &key[key::HEAD..];
        let first = &first[..first.len().min(rank.len() - 5)];
        rank[5..5 + first.len()].copy_from_slice(first);
        self.places.push(Place { rank, at: self.bytes.len() as u64 });
        self.bytes.extend((key.len() as u16).to_le_bytes());
        self.bytes.extend(key);
        record(&mut self.bytes);
    }

    fn sort(&mut self, losses: &mut Losses) {
        let bytes = &self.bytes;
        let key = |place: &Place| prefixed(bytes, place.at as usize).0;
        self.places.sort_unstable_by(|one, other| {
            let by_bytes = || key::rank(key(one)).cmp(&key::rank(key(other)));
            one.rank.cmp(&other.rank).then_with(by_bytes).then(one.at.cmp(&other.at))
        });
        self.places.dedup_by(|later, first| {
            let again = later.rank == first.rank && key(later) == key(first);
            if again {
                lose(key(later), losses);
            }
            again
        });
    }

    fn each(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.places.iter().try_for_each(|place| {
            let (key, end) = prefixed(&self.bytes, place.at as usize);
            visit(key, prefixed(&self.bytes, end).0)
        })
    }
}

/// Looks at a key and its record.
pub(super) type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> Result<(), Error> + 'a;

fn lose(key: &[u8], losses: &mut Losses) {
    if let Ok((position, _)) = key::parse(key) {
        losses.stones("second entries of a position (left out)", &position);
    }
}

/// The bytes behind their length at `at`, and where they end.
fn prefixed(bytes: &[u8], at: usize) -> (&[u8], usize) {
    let length = u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes were taken"));
    let end = at + 2 + usize::from(length);
    (&bytes[at + 2..end], end)
}

impl Sorter {
    pub fn new(options: &WriteOptions) -> Sorter {
        let folder = options.folder.clone().unwrap_or_else(std::env::temp_dir);
        let memory = options.memory.unwrap_or(MEMORY);
        Sorter { memory, folder, held: Held::default(), runs: Vec::new() }
    }

    /// Adds an entry; `record` appends its record behind its length.
    pub fn push(&mut self, key: &[u8], record: impl FnOnce(&mut Vec<u8>), losses: &mut Losses) -> Result<(), Error> {
        self.held.push(key, record);
        // A vector that grows is there twice for a while.
        if 2 * (self.held.bytes.len() + size_of::<Place>() * self.held.places.len()) > self.memory {
            self.spill(losses)?;
        }
        Ok(())
    }

    /// All entries, sorted.
    pub fn finish(mut self, losses: &mut Losses) -> Result<Sorted, Error> {
        if self.runs.is_empty() {
            self.held.sort(losses);
            return Ok(Sorted::Held(self.held));
        }
        self.spill(losses)?;
        self.held = Held::default();
        // How many there are is known when they are merged, and stands before them.
        let (file, count) = self.merge(losses)?;
        Ok(Sorted::File(file, count))
    }

    fn spill(&mut self, losses: &mut Losses) -> Result<(), Error> {
        if self.held.places.is_empty() {
            return Ok(());
        }
        self.held.sort(losses);
        let mut run = Run::create(&self.folder)?;
        self.held.each(&mut |key, record| run.push(key, record))?;
        self.runs.push(run.finish()?.0);
        self.held.bytes.clear();
        self.held.places.clear();
        if self.runs.len() == RUNS {
            let (file, _) = self.merge(losses)?;
            self.runs.push(file);
        }
        Ok(())
    }

    /// Makes one run of all, and says how long it is.
    fn merge(&mut self, losses: &mut Losses) -> Result<(File, u64), Error> {
        let mut sources: Vec<_> = self.runs.drain(..).map(|file| BufReader::with_capacity(BUFFER, file)).collect();
        let mut heads = BinaryHeap::with_capacity(sources.len());
        for (source, reader) in sources.iter_mut().enumerate() {
            let mut head = Head { key: Vec::new(), record: Vec::new(), source };
            if head.read(reader)? {
                heads.push(head);
            }
        }
        let mut run = Run::create(&self.folder)?;
        let mut before = Vec::new();
        while let Some(mut head) = heads.pop() {
            if head.key == before {
                lose(&head.key, losses);
            } else {
                run.push(&head.key, &head.record)?;
                before.clone_from(&head.key);
            }
            if head.read(&mut sources[head.source])? {
                heads.push(head);
            }
        }
        run.finish()
    }
}

/// What a run gives next; of those in a heap the first in Rapfi's order, and of equals that of the first run, is the
/// greatest.
struct Head {
    key: Vec<u8>,
    record: Vec<u8>,
    source: usize,
}

impl Head {
    /// Reads the next entry; false at the end.
    fn read(&mut self, reader: &mut BufReader<File>) -> Result<bool, Error> {
        if reader.fill_buf()?.is_empty() {
            return Ok(false);
        }
        read_prefixed(reader, &mut self.key)?;
        read_prefixed(reader, &mut self.record)?;
        Ok(true)
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Head) -> Ordering {
        key::rank(&other.key).cmp(&key::rank(&self.key)).then(other.source.cmp(&self.source))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Head) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

fn read_prefixed(reader: &mut impl Read, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut length = [0; 2];
    reader.read_exact(&mut length)?;
    out.resize(usize::from(u16::from_le_bytes(length)), 0);
    Ok(reader.read_exact(out)?)
}

/// A sorted file without a name, while it is written.
struct Run {
    out: BufWriter<File>,
    count: u64,
}

impl Run {
    fn create(folder: &std::path::Path) -> Result<Run, Error> {
        Ok(Run { out: BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?), count: 0 })
    }

    fn push(&mut self, key: &[u8], record: &[u8]) -> Result<(), Error> {
        self.count += 1;
        for bytes in [key, record] {
            self.out.write_all(&(bytes.len() as u16).to_le_bytes())?;
            self.out.write_all(bytes)?;
        }
        Ok(())
    }

    /// The file from its start, and how many entries it has.
    fn finish(self) -> Result<(File, u64), Error> {
        let mut file = self.out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok((file, self.count))
    }
}

/// Entries in Rapfi's order.
pub(super) enum Sorted {
    Held(Held),
    File(File, u64),
}

impl Sorted {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Sorted::Held(held) => held.places.len() as u64,
            Sorted::File(_, count) => *count,
        }
    }

    /// Looks at each.
    pub fn each(self, visit: &mut Visit<'_>) -> Result<(), Error> {
        match self {
            Sorted::Held(held) => held.each(visit),
            Sorted::File(file, _) => {
                let mut reader = BufReader::with_capacity(BUFFER, file);
                let mut head = Head { key: Vec::new(), record: Vec::new(), source: 0 };
                while head.read(&mut reader)? {
                    visit(&head.key, &head.record)?;
                }
                Ok(())
            }
        }
    }
}

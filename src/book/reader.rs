use crate::block::{Block, Found};
use crate::bytes::Broken;
use crate::frame::board;
use crate::layout::{BLOCK_HEAD, Footer, HEADER, INDEX_ROW, LARGEST, number, read_header};
use crate::writer::Content;
use crate::{Error, Frame, Frames, Games};
use games::{Rule, Size};
use record::Entry;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::str;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Decompressor;

/// A book in memory or in a mapped file.
///
/// Opening it looks at its header and footer only; a look-up reads one block and believes nothing before that
/// block's checksum.
#[derive(Clone, Debug)]
pub struct Book<D> {
    data: D,
    symmetric: bool,
    footer: Footer,
}

impl<D: AsRef<[u8]>> Book<D> {
    /// Opens a book.
    pub fn open(data: D) -> Result<Book<D>, Error> {
        let symmetric = read_header(data.as_ref())?;
        let footer = Footer::read(data.as_ref())?;
        Ok(Book { data, symmetric, footer })
    }

    /// Whether mirrored and turned positions are one.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.footer.positions
    }

    /// The hash over everything but where the book comes from: equal books have the same.
    pub fn content_hash(&self) -> u128 {
        self.footer.content
    }

    /// Where the book comes from: lines of name, tab, value.
    pub fn provenance(&self) -> Result<&str, Error> {
        let section = &self.footer.provenance;
        let damaged = Error::Damaged { part: "provenance", byte: section.offset };
        let bytes = section.slice(self.data.as_ref()).filter(|bytes| xxh3_64(bytes) == section.hash);
        bytes.and_then(|bytes| str::from_utf8(bytes).ok()).ok_or(damaged)
    }

    /// The games that positions refer to; `None` if this book has no such references.
    pub fn games(&self) -> Result<Option<Games<'_>>, Error> {
        let section = &self.footer.games;
        if section.length == 0 {
            return Ok(None);
        }
        let damaged = Error::Damaged { part: "list of games", byte: section.offset };
        let bytes = section.slice(self.data.as_ref()).ok_or(damaged)?;
        Games::open(bytes, section.offset).map(Some)
    }

    /// The rules and boards of the positions, in the order of their keys.
    pub fn boards(&self) -> Result<Vec<(Rule, Size)>, Error> {
        let mut boards = Vec::new();
        let mut at = 0;
        while at < self.footer.blocks {
            let key = self.first_key(at)?;
            let head = key.get(..3).ok_or_else(|| self.bad_index())?;
            boards.push(board(head).ok_or_else(|| self.bad_index())?);
            // No rule or width is 255.
            let same = |block: u64| Ok(self.first_key(block)?.get(..3) <= Some(head));
            at = self.partition(at + 1, same)?;
        }
        Ok(boards)
    }

    /// What the book knows of the position of this key, which is of the frame's board.
    pub fn get(&self, key: &[u8], frame: &Frame) -> Result<Option<Entry>, Error> {
        if self.footer.blocks == 0 {
            return Ok(None);
        }
        let at = self.partition(0, |block| Ok(self.first_key(block)? <= key))?.saturating_sub(1);
        let offset = self.index_number(at, 0)?;
        let content = self.content(offset)?;
        let broken = |_: Broken| damaged(offset);
        let block = Block::read(&content).map_err(broken)?;
        let below_next = block.place.next.is_none_or(|next| key < next);
        if !below_next {
            return Err(self.bad_index());
        }
        let is_first = block.place.first;
        match block.compare_board(key) {
            Ordering::Equal => {}
            Ordering::Greater if !is_first => return Err(self.bad_index()),
            _ => return Ok(None),
        }
        match block.find(key, frame).map_err(broken)? {
            Found::Here(entry) => Ok(Some(*entry)),
            // The index led to a block too far.
            Found::Before if !is_first => Err(self.bad_index()),
            Found::Before | Found::Nowhere => Ok(None),
        }
    }

    /// All positions in the order of their keys; after an error there is none.
    pub fn entries(&self) -> Entries<'_> {
        Entries {
            file: self.data.as_ref(),
            frames: Frames::new(self.symmetric),
            end: self.footer.index.offset,
            offset: HEADER as u64,
            ready: Vec::new().into_iter(),
            expected: Some(Vec::new()),
            starts: None,
        }
    }

    /// Reads everything and holds it against all checksums: an error where a single bit is not as it was written.
    pub fn verify(&self) -> Result<(), Error> {
        let mut content = Content::new(self.symmetric);
        let mut frames = Frames::new(self.symmetric);
        let mut entries = self.entries();
        entries.starts = Some(Starts::default());
        let mut positions = 0;
        for each in entries.by_ref() {
            let (key, entry) = each?;
            let (_, size) = board(&key).ok_or(Error::Order)?;
            content.add(&key, &entry, frames.of(size));
            positions += 1;
        }
        let starts = entries.starts.expect("it was asked for");
        let index = self.footer.index.slice(self.data.as_ref()).unwrap_or_default();
        if index != starts.index(self.footer.index.offset) || xxh3_64(index) != self.footer.index.hash {
            return Err(self.bad_index());
        }
        let Footer { provenance, length, games, .. } = self.footer;
        if let Some(list) = self.games()? {
            list.verify(&mut content)?;
            if games.slice(self.data.as_ref()).is_none_or(|bytes| xxh3_64(bytes) != games.hash) {
                return Err(Error::Damaged { part: "list of games", byte: games.offset });
            }
        }
        let ends_well = provenance.offset == games.offset + games.length
            && (games.length > 0 || games.hash == 0)
            && length == provenance.offset + provenance.length + crate::layout::FOOTER as u64;
        self.provenance()?;
        let counted = (positions, starts.offsets.len() as u64) == (self.footer.positions, self.footer.blocks);
        if !ends_well || !counted || content.hash() != self.footer.content || self.data.as_ref()[12..16] != [0; 4] {
            return Err(Error::Damaged { part: "footer", byte: length - crate::layout::FOOTER as u64 });
        }
        Ok(())
    }

    fn bad_index(&self) -> Error {
        Error::Damaged { part: "index", byte: self.footer.index.offset }
    }

    /// The first block from `from` on that does not hold.
    fn partition(&self, from: u64, holds: impl Fn(u64) -> Result<bool, Error>) -> Result<u64, Error> {
        let (mut low, mut high) = (from, self.footer.blocks);
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle)? { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// One of the two numbers in a row of the index.
    fn index_number(&self, row: u64, which: u64) -> Result<u64, Error> {
        let index = self.footer.index.slice(self.data.as_ref()).ok_or_else(|| self.bad_index())?;
        let at = row.checked_mul(INDEX_ROW as u64).and_then(|at| usize::try_from(at + 8 * which).ok());
        let bytes = at.and_then(|at| index.get(at..)?.first_chunk::<8>());
        bytes.map(|bytes| number(bytes)).ok_or_else(|| self.bad_index())
    }

    fn first_key(&self, block: u64) -> Result<&[u8], Error> {
        let index = self.footer.index.slice(self.data.as_ref()).ok_or_else(|| self.bad_index())?;
        let keys = (self.footer.blocks + 1).checked_mul(INDEX_ROW as u64).and_then(|at| usize::try_from(at).ok());
        let keys = keys.and_then(|at| index.get(at..)).ok_or_else(|| self.bad_index())?;
        let (start, end) = (self.index_number(block, 1)?, self.index_number(block + 1, 1)?);
        keys.get(start as usize..end as usize).ok_or_else(|| self.bad_index())
    }

    fn content(&self, offset: u64) -> Result<Vec<u8>, Error> {
        content(self.data.as_ref(), offset, self.footer.index.offset).map(|(content, _)| content)
    }
}

fn damaged(byte: u64) -> Error {
    Error::Damaged { part: "block", byte }
}

/// The content of the block at an offset, and the offset after it.
pub(crate) fn content(file: &[u8], offset: u64, end: u64) -> Result<(Vec<u8>, u64), Error> {
    let broken = || damaged(offset);
    let bytes = file.get(offset as usize..end as usize).ok_or_else(broken)?;
    let head = bytes.first_chunk::<BLOCK_HEAD>().ok_or_else(broken)?;
    let lengths = number(&head[8..]);
    let (packed, raw) = (lengths as u32 as usize, (lengths >> 32) as usize);
    let block = bytes.get(..BLOCK_HEAD + packed).ok_or_else(broken)?;
    if number(&head[..8]) != xxh3_64(&block[8..]) || raw > LARGEST {
        return Err(broken());
    }
    let content = unpack(&block[BLOCK_HEAD..], raw).map_err(|_| broken())?;
    if content.len() != raw {
        return Err(broken());
    }
    Ok((content, offset + block.len() as u64))
}

/// Unpacks a frame; each thread keeps the tables that zstd works with.
fn unpack(frame: &[u8], length: usize) -> std::io::Result<Vec<u8>> {
    thread_local! {
        static ZSTD: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    ZSTD.with_borrow_mut(|zstd| match zstd {
        Some(zstd) => zstd.decompress(frame, length),
        None => zstd.insert(Decompressor::new()?).decompress(frame, length),
    })
}

/// Where blocks were found, and their first keys: what the index must say.
#[derive(Default)]
struct Starts {
    offsets: Vec<u64>,
    key_ends: Vec<u64>,
    keys: Vec<u8>,
}

impl Starts {
    fn index(&self, end: u64) -> Vec<u8> {
        let mut index = Vec::with_capacity((self.offsets.len() + 1) * INDEX_ROW + self.keys.len());
        let offsets = self.offsets.iter().copied().chain([end]);
        for (offset, key) in offsets.zip([0].into_iter().chain(self.key_ends.iter().copied())) {
            index.extend(offset.to_le_bytes());
            index.extend(key.to_le_bytes());
        }
        index.extend(&self.keys);
        index
    }
}

/// The positions of a book with their keys.
pub struct Entries<'a> {
    file: &'a [u8],
    frames: Frames,
    end: u64,
    offset: u64,
    ready: std::vec::IntoIter<(Vec<u8>, Entry)>,
    /// The first key of the next block; empty before the first, `None` after the last.
    expected: Option<Vec<u8>>,
    starts: Option<Starts>,
}

impl Entries<'_> {
    fn read_block(&mut self) -> Result<(), Error> {
        let offset = self.offset;
        let (content, after) = content(self.file, offset, self.end)?;
        let expected = self.expected.take().unwrap_or_default();
        let (positions, next) = self.positions(&content, &expected).map_err(|_: Broken| damaged(offset))?;
        if let Some(starts) = &mut self.starts {
            starts.offsets.push(offset);
            starts.keys.extend(&positions[0].0);
            starts.key_ends.push(starts.keys.len() as u64);
        }
        self.offset = after;
        self.expected = next;
        self.ready = positions.into_iter();
        Ok(())
    }

    #[allow(clippy::type_complexity)]
    fn positions(
        &mut self,
        content: &[u8],
        expected: &[u8],
    ) -> Result<(Vec<(Vec<u8>, Entry)>, Option<Vec<u8>>), Broken> {
        let mut block = Block::read(content)?;
        let (_, size) = block.board().ok_or(Broken)?;
        let frame = self.frames.of(size);
        let mut positions: Vec<(Vec<u8>, Entry)> = Vec::with_capacity(block.count);
        for _ in 0..block.count {
            positions.push(block.next(frame)?);
        }
        let next = block.place.next.map(<[u8]>::to_vec);
        let first = block.place.first;
        block.end()?;
        let begins =
            positions.first().is_some_and(|(key, _)| first && expected.is_empty() || !first && key == expected);
        let ascends = positions.is_sorted_by(|a, b| a.0 < b.0);
        let ends = next.as_ref().is_none_or(|next| positions.last().is_some_and(|last| last.0 < *next));
        if begins && ascends && ends { Ok((positions, next)) } else { Err(Broken) }
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<(Vec<u8>, Entry), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(position) = self.ready.next() {
                return Some(Ok(position));
            }
            let more = self.offset < self.end;
            // A book without positions has no block; any other says which one is the last.
            let wants = self.expected.as_ref().is_some_and(|key| !key.is_empty());
            if !more && !wants {
                return None;
            }
            let read = if more && self.expected.is_some() { self.read_block() } else { Err(damaged(self.offset)) };
            if let Err(error) = read {
                self.offset = self.end;
                self.expected = None;
                return Some(Err(error));
            }
        }
    }
}

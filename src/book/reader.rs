use crate::block::{Block, Found};
use crate::bytes::Broken;
use crate::frame::{Canonical, board};
use crate::layout::{BLOCK_HEAD, DICTIONARY, Footer, HEADER, Holds, INDEX_ROW, LARGEST, number, read_header};
use crate::links::images_of;
use crate::row::Row;
use crate::rows::{KeyAndRow, Rows};
use crate::source::Source;
use crate::stones::Stone;
use crate::writer::Content;
use crate::{Error, Frame, Frames, Games, row};
use games::{Rules, Size};
use record::Entry;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::io;
use std::str;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
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
    watch: Option<Watch>,
}

/// Who watches a reading from end to end: the bytes read so far, and whether it is to stop.
type Watch = (&'static AtomicU64, &'static AtomicBool);

impl<D: AsRef<[u8]>> Book<D> {
    /// Opens a book.
    pub fn open(data: D) -> Result<Book<D>, Error> {
        let symmetric = read_header(data.as_ref())?;
        let footer = Footer::read(data.as_ref())?;
        Ok(Book { data, symmetric, footer, watch: None })
    }

    /// The book whose reading from end to end adds its bytes to `read`, and fails once `stop` is set.
    pub fn watched(self, read: &'static AtomicU64, stop: &'static AtomicBool) -> Book<D> {
        Book { watch: Some((read, stop)), ..self }
    }

    /// Whether mirrored and turned positions are one.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.footer.positions
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.footer.length
    }

    /// The hash over everything but where the book comes from: equal books have the same.
    pub fn content_hash(&self) -> u128 {
        self.footer.content
    }

    /// What kinds of things the book knows.
    pub fn holds(&self) -> Holds {
        self.footer.holds
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
    pub fn boards(&self) -> Result<Vec<(Rules, Size)>, Error> {
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
        Entries { blocks: self.blocks(), at: 0 }
    }

    fn blocks(&self) -> Blocks<'_> {
        Blocks {
            file: self.data.as_ref(),
            frames: Frames::new(self.symmetric),
            end: self.footer.index.offset,
            offset: HEADER as u64,
            rows: Rows::default(),
            row: Vec::new(),
            expected: Some(Vec::new()),
            watch: self.watch,
        }
    }

    /// All positions as rows.
    pub(crate) fn positions_in_order(&self) -> Result<InOrder<'_>, Error> {
        let mut blocks = self.blocks();
        blocks.next()?;
        Ok(InOrder { blocks, at: 0 })
    }

    /// Reads everything and holds it against all checksums: an error where a single bit is not as it was written, and
    /// where a position or a move is not the image of it that would be found.
    pub fn verify(&self) -> Result<(), Error> {
        let mut content = Content::new(self.symmetric);
        let mut blocks = self.blocks();
        let mut starts = Starts::default();
        let mut positions = 0;
        let mut judged = false;
        let mut least = Least::new(self.symmetric);
        loop {
            let offset = blocks.offset;
            if !blocks.next()? {
                break;
            }
            let rows = &blocks.rows;
            starts.add(offset, rows);
            if rows.iter().any(|(key, row)| !least.is_all(key, row)) {
                return Err(damaged(offset));
            }
            content.add(rows);
            judged |= rows.iter().any(|(_, row)| row::is_judged(row::rest_of(row)));
            positions += rows.len() as u64;
        }
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
        // The index was found where the footer says, so its end is in the file.
        let ends_well = blocks.offset == self.footer.index.offset
            && games.offset == self.footer.index.offset + self.footer.index.length
            && (games.length > 0 || games.hash == 0)
            && games.offset.checked_add(games.length) == Some(provenance.offset)
            && length.checked_sub(crate::layout::FOOTER as u64) == provenance.offset.checked_add(provenance.length);
        self.provenance()?;
        let counted = (positions, starts.offsets.len() as u64) == (self.footer.positions, self.footer.blocks)
            && judged == self.footer.holds.judged;
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
        let rows = self.footer.blocks.checked_add(1).and_then(|rows| rows.checked_mul(INDEX_ROW as u64));
        let keys = rows.and_then(|at| usize::try_from(at).ok());
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
    let block = bytes.get(..BLOCK_HEAD.saturating_add(packed)).ok_or_else(broken)?;
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
        None => zstd.insert(Decompressor::with_dictionary(DICTIONARY)?).decompress(frame, length),
    })
}

/// Whether positions and moves are the least of their images, as look-ups take them to be.
struct Least {
    frames: Frames,
    stones: Vec<Stone>,
    form: Canonical,
}

impl Least {
    fn new(symmetric: bool) -> Least {
        Least { frames: Frames::new(symmetric), stones: Vec::new(), form: Canonical::EMPTY }
    }

    fn is_all(&mut self, key: &[u8], row: &[u8]) -> bool {
        let Some(ground) = board(key) else { return false };
        let frame = self.frames.of_board(ground);
        let Ok(to_move) = frame.unpack_into(key, &mut self.stones) else { return false };
        images_of(frame, &self.stones).least(to_move, ground.0, frame, &mut self.form);
        if self.form.key != key {
            return false;
        }
        let Ok(mut row) = Row::read(row) else { return false };
        self.form.symmetries.len() == 1
            || std::iter::from_fn(|| row.next_move().transpose()).all(|each| {
                let play = each.and_then(|(place, _)| frame.play(place));
                play.is_ok_and(|play| frame.stored(&self.form, play) == play)
            })
    }
}

/// Where blocks were found, and their first keys: what the index must say.
#[derive(Default)]
struct Starts {
    offsets: Vec<u64>,
    key_ends: Vec<u64>,
    keys: Vec<u8>,
}

impl Starts {
    fn add(&mut self, offset: u64, rows: &Rows) {
        self.offsets.push(offset);
        self.keys.extend(rows.get(0).map_or(&[][..], |(key, _)| key));
        self.key_ends.push(self.keys.len() as u64);
    }

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

/// The blocks of a book, one after the other, as rows.
struct Blocks<'a> {
    file: &'a [u8],
    frames: Frames,
    end: u64,
    offset: u64,
    /// The positions of the block read last; none at the end.
    rows: Rows,
    row: Vec<u8>,
    /// The first key of the next block; empty before the first, `None` after the last.
    expected: Option<Vec<u8>>,
    watch: Option<Watch>,
}

impl Blocks<'_> {
    /// Reads the next block, if there is one; after an error there is none.
    fn next(&mut self) -> Result<bool, Error> {
        self.rows.clear();
        let more = self.offset < self.end;
        // A book without positions has no block; any other says which one is the last.
        let wants = self.expected.as_ref().is_some_and(|key| !key.is_empty());
        if !more && !wants {
            return Ok(false);
        }
        let read = if more && self.expected.is_some() { self.read() } else { Err(damaged(self.offset)) };
        if read.is_err() {
            self.rows.clear();
            self.offset = self.end;
            self.expected = None;
        }
        read.map(|()| true)
    }

    fn read(&mut self) -> Result<(), Error> {
        let offset = self.offset;
        let (content, after) = content(self.file, offset, self.end)?;
        if let Some((read, stop)) = self.watch {
            if stop.load(Relaxed) {
                return Err(io::Error::other("stopped").into());
            }
            read.fetch_add(after - offset, Relaxed);
        }
        let expected = self.expected.take().unwrap_or_default();
        self.expected = self.positions(&content, &expected).map_err(|_: Broken| damaged(offset))?;
        self.offset = after;
        Ok(())
    }

    /// Reads the positions of a block and answers with the first key of the next one.
    fn positions(&mut self, content: &[u8], expected: &[u8]) -> Result<Option<Vec<u8>>, Broken> {
        let mut block = Block::read(content)?;
        let ground = block.board().ok_or(Broken)?;
        let frame = self.frames.of_board(ground);
        for _ in 0..block.count {
            block.next(frame, &mut self.rows, &mut self.row)?;
        }
        let next = block.place.next;
        let first = block.place.first;
        block.end()?;
        let rows = &self.rows;
        let begins = rows.get(0).is_some_and(|(key, _)| first && expected.is_empty() || !first && key == expected);
        let ascends = rows.iter().is_sorted_by(|a, b| a.0 < b.0);
        let ends = next.is_none_or(|next| rows.last_key().is_some_and(|last| *last < *next));
        if begins && ascends && ends { Ok(next.map(<[u8]>::to_vec)) } else { Err(Broken) }
    }
}

/// The positions of a book with their keys.
pub struct Entries<'a> {
    blocks: Blocks<'a>,
    /// How many of the block at hand were given.
    at: usize,
}

impl Iterator for Entries<'_> {
    type Item = Result<(Vec<u8>, Entry), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, row)) = self.blocks.rows.get(self.at) {
                self.at += 1;
                let ground = board(key).expect("a block that is read names its board");
                let entry =
                    row::entry(row, self.blocks.frames.of_board(ground)).expect("a block that is read has whole rows");
                return Some(Ok((key.to_vec(), entry)));
            }
            self.at = 0;
            match self.blocks.next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// The positions of a book as rows.
pub(crate) struct InOrder<'a> {
    blocks: Blocks<'a>,
    at: usize,
}

impl Source for InOrder<'_> {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        self.blocks.rows.get(self.at)
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.at += 1;
        if self.at >= self.blocks.rows.len() {
            self.at = 0;
            self.blocks.next()?;
        }
        Ok(())
    }
}

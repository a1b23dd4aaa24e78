use crate::block::{Place, put_block};
use crate::bytes::{put, put_bytes};
use crate::frame::board;
use crate::layout::{BLOCK_HEAD, FOOTER, FULL, Footer, HEADER, LARGEST, POSITIONS, Section, header};
use crate::played::{Row, write_games};
use crate::{Error, Frames, row};
use record::Entry;
use std::io::Write;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Of zstd: more than 3 gains some hundredths and costs several times as much.
const LEVEL: i32 = 3;

/// Writes a book from first byte to last; the positions come in the order of their keys.
pub struct Writer<W> {
    out: W,
    symmetric: bool,
    frames: Frames,
    compressor: zstd::bulk::Compressor<'static>,
    /// The positions of the block that is being filled, and the bytes of their rows.
    filling: Vec<(Vec<u8>, Entry)>,
    filled: usize,
    /// The block before it, which waits for the first key after it.
    waiting: Vec<(Vec<u8>, Entry)>,
    offset: u64,
    rows: Vec<u8>,
    keys: Vec<u8>,
    footer: Footer,
    content: Content,
}

/// What a book came to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// How many positions there are.
    pub positions: u64,
    /// The content hash.
    pub content: u128,
    /// Bytes of the file.
    pub length: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a book whose keys are turned into their least image if `symmetric`.
    pub fn new(mut out: W, symmetric: bool) -> Result<Writer<W>, Error> {
        out.write_all(&header(symmetric))?;
        Ok(Writer {
            out,
            symmetric,
            frames: Frames::new(symmetric),
            compressor: zstd::bulk::Compressor::new(LEVEL)?,
            filling: Vec::with_capacity(POSITIONS),
            filled: 0,
            waiting: Vec::new(),
            offset: HEADER as u64,
            rows: Vec::new(),
            keys: Vec::new(),
            footer: Footer::default(),
            content: Content::new(symmetric),
        })
    }

    /// Adds a position; its entry is [in order](crate::in_order).
    pub fn push(&mut self, key: Vec<u8>, entry: Entry) -> Result<(), Error> {
        let before = self.filling.last().or(self.waiting.last());
        if before.is_some_and(|(before, _)| *before >= key) {
            return Err(Error::Order);
        }
        let other_board = self.filling.last().is_some_and(|(before, _)| before[..3] != key[..3]);
        if other_board || self.filling.len() == POSITIONS || self.filled >= FULL {
            self.end_block(&key)?;
        }
        let (_, size) = board(&key).ok_or(Error::Order)?;
        self.filled += self.content.add(&key, &entry, self.frames.of(size));
        self.filling.push((key, entry));
        Ok(())
    }

    /// The block that is filled waits, and the one that waited is written.
    fn end_block(&mut self, next: &[u8]) -> Result<(), Error> {
        let first = self.filling[0].0.clone();
        self.write_waiting(Some(&first))?;
        debug_assert!(*first < *next);
        self.waiting = std::mem::replace(&mut self.filling, Vec::with_capacity(POSITIONS));
        self.filled = 0;
        Ok(())
    }

    fn write_waiting(&mut self, next: Option<&[u8]>) -> Result<(), Error> {
        let positions = std::mem::take(&mut self.waiting);
        let Some((first, _)) = positions.first() else { return Ok(()) };
        let (_, size) = board(first).ok_or(Error::Order)?;
        let place = Place { first: self.footer.blocks == 0, next };
        let content = put_block(&positions, &place, self.frames.of(size));
        if content.len() > LARGEST {
            return Err(Error::Large);
        }
        let block = pack(&mut self.compressor, &content)?;
        self.out.write_all(&block)?;
        self.index_row();
        self.keys.extend(first);
        self.footer.blocks += 1;
        self.footer.positions += positions.len() as u64;
        self.offset += block.len() as u64;
        Ok(())
    }

    fn index_row(&mut self) {
        self.rows.extend(self.offset.to_le_bytes());
        self.rows.extend((self.keys.len() as u64).to_le_bytes());
    }

    /// Writes what is left, the index, where the book comes from (lines of name, tab, value), and the footer.
    pub fn finish(self, provenance: &str) -> Result<Written, Error> {
        self.finish_with(None::<(u64, std::iter::Empty<Row>)>, provenance)
    }

    /// As [`Writer::finish`], with the games that positions refer to: how many each of them may name, and all games in
    /// the order of their numbers.
    pub(crate) fn finish_with(
        mut self,
        games: Option<(u64, impl Iterator<Item = Row>)>,
        provenance: &str,
    ) -> Result<Written, Error> {
        if !self.filling.is_empty() {
            let first = self.filling[0].0.clone();
            self.write_waiting(Some(&first))?;
            self.waiting = std::mem::take(&mut self.filling);
        }
        self.write_waiting(None)?;
        self.index_row();
        let mut index = self.rows;
        index.extend(self.keys);
        self.footer.index = Section::of(self.offset, &index);
        self.out.write_all(&index)?;
        let after = self.offset + index.len() as u64;
        self.footer.games = Section { offset: after, ..Section::default() };
        if let Some((refs, games)) = games {
            self.footer.games =
                write_games(&mut self.out, &mut self.compressor, after, refs, games, &mut self.content)?;
        }
        self.footer.provenance = Section::of(after + self.footer.games.length, provenance.as_bytes());
        self.footer.content = self.content.hash();
        self.footer.length = self.footer.provenance.offset + provenance.len() as u64 + FOOTER as u64;
        self.out.write_all(provenance.as_bytes())?;
        self.out.write_all(&self.footer.write(&header(self.symmetric)))?;
        self.out.flush()?;
        let Footer { positions, content, length, .. } = self.footer;
        Ok(Written { positions, content, length })
    }
}

/// Bytes as a checksum, two lengths and a frame.
pub(crate) fn pack(compressor: &mut zstd::bulk::Compressor<'static>, content: &[u8]) -> Result<Vec<u8>, Error> {
    let frame = compressor.compress(content)?;
    let mut block = vec![0; 8];
    block.extend((frame.len() as u32).to_le_bytes());
    block.extend((content.len() as u32).to_le_bytes());
    debug_assert_eq!(block.len(), BLOCK_HEAD);
    block.extend(frame);
    let hash = xxh3_64(&block[8..]);
    block[..8].copy_from_slice(&hash.to_le_bytes());
    Ok(block)
}

/// The hash of the content, position by position.
pub(crate) struct Content {
    hash: Xxh3,
    bytes: Vec<u8>,
    row: Vec<u8>,
}

impl Content {
    pub fn new(symmetric: bool) -> Content {
        let mut hash = Xxh3::new();
        hash.update(&crate::layout::flags(symmetric));
        Content { hash, bytes: Vec::new(), row: Vec::new() }
    }

    /// Adds a position and says how many bytes it took.
    pub fn add(&mut self, key: &[u8], entry: &Entry, frame: &crate::Frame) -> usize {
        self.row.clear();
        row::put_row(&mut self.row, entry, frame);
        self.bytes.clear();
        put_bytes(&mut self.bytes, key);
        put_bytes(&mut self.bytes, &self.row);
        self.hash.update(&self.bytes);
        self.bytes.len()
    }

    /// All positions were added, and games follow: a position may refer to so many.
    pub fn begin_games(&mut self, refs: u64) {
        self.bytes.clear();
        // No key is of length 0.
        self.bytes.push(0);
        put(&mut self.bytes, refs);
        self.hash.update(&self.bytes);
    }

    pub fn add_game(&mut self, id: u64, row: &[u8]) {
        self.bytes.clear();
        self.bytes.extend(id.to_le_bytes());
        put_bytes(&mut self.bytes, row);
        self.hash.update(&self.bytes);
    }

    pub fn hash(&self) -> u128 {
        self.hash.digest128()
    }
}

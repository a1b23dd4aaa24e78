use crate::block::{Place, put_block};
use crate::bytes::{put, put_bytes};
use crate::combine::{TEXTS, cut_texts};
use crate::frame::{Frame, board};
use crate::layout::{BLOCK_HEAD, DICTIONARY, FOOTER, FULL, Footer, HEADER, Holds, LARGEST, POSITIONS, Section, header};
use crate::played::{Row, write_games};
use crate::rows::Rows;
use crate::{Error, Frames, row};
use rayon::prelude::*;
use record::Entry;
use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use zstd::bulk::Compressor;

/// Of zstd: more than 3 gains some hundredths and costs several times as much.
const LEVEL: i32 = 3;
/// Bytes of rows that are compressed at a time, in the background.
const BATCH: usize = 1 << 18;

/// Writes a book from first byte to last; the positions come in the order of their keys.
pub struct Writer<W> {
    out: W,
    symmetric: bool,
    frames: Frames,
    filling: Rows,
    /// The block before the one that is filled, which waits for the first key after it.
    waiting: Option<Rows>,
    /// Blocks that are ready to be compressed, and the bytes of their rows.
    ready: Vec<Raw>,
    size: usize,
    compressing: Option<Receiver<Result<Vec<Packed>, Error>>>,
    is_first: bool,
    offset: u64,
    rows: Vec<u8>,
    keys: Vec<u8>,
    footer: Footer,
    content: Content,
    row: Vec<u8>,
    texts_left_out: u64,
}

/// A block and where it stands.
struct Raw {
    rows: Rows,
    place: Place<Vec<u8>>,
    frame: Arc<Frame>,
}

/// A block as it is written, and what the index and the footer say of it.
struct Packed {
    bytes: Vec<u8>,
    holds: Holds,
    first_key: Vec<u8>,
    positions: u64,
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
    /// Comments and texts on points left out: of one position they are more than half of what a block can hold.
    pub texts_left_out: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a book whose keys are turned into their least image if `symmetric`.
    pub fn new(mut out: W, symmetric: bool) -> Result<Writer<W>, Error> {
        out.write_all(&header(symmetric))?;
        Ok(Writer {
            out,
            symmetric,
            frames: Frames::new(symmetric),
            filling: Rows::default(),
            waiting: None,
            ready: Vec::new(),
            size: 0,
            compressing: None,
            is_first: true,
            offset: HEADER as u64,
            rows: Vec::new(),
            keys: Vec::new(),
            footer: Footer::default(),
            content: Content::new(symmetric),
            row: Vec::new(),
            texts_left_out: 0,
        })
    }

    /// Notes that positions come as other books hold them: with the moves that lead from one to another, or without.
    pub fn hold(&mut self, holds: Holds) {
        self.footer.holds.unlisted |= holds.unlisted;
    }

    /// Adds a position; its entry is [in order](crate::in_order).
    pub fn push(&mut self, key: Vec<u8>, entry: Entry) -> Result<(), Error> {
        let ground = board(&key).ok_or(Error::Order)?;
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row::put_row(&mut row, &entry, self.frames.of_board(ground));
        let pushed = self.push_row(&key, &row);
        self.row = row;
        pushed
    }

    /// Adds a position by its row.
    pub(crate) fn push_row(&mut self, key: &[u8], row: &[u8]) -> Result<(), Error> {
        let before = self.filling.last_key().or(self.waiting.as_ref().and_then(Rows::last_key));
        if before.is_some_and(|before| *before >= *key) {
            return Err(Error::Order);
        }
        let cut = if row.len() > TEXTS { self.cut(key, row)? } else { None };
        let row = cut.as_deref().unwrap_or(row);
        let other_board = self.filling.last_key().is_some_and(|before| before[..3] != key[..3]);
        if other_board || self.filling.len() == POSITIONS || self.filling.bytes().len() >= FULL {
            self.end_block()?;
        }
        self.filling.push(key, row);
        Ok(())
    }

    /// A long row with fewer texts, if it has too many.
    fn cut(&mut self, key: &[u8], row: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let ground = board(key).ok_or(Error::Order)?;
        let frame = self.frames.of_board(ground);
        let mut entry = row::entry(row, frame).expect("a writer is given rows of its own");
        let left_out = cut_texts(&mut entry);
        self.texts_left_out += left_out;
        let mut row = Vec::new();
        if left_out > 0 {
            row::put_row(&mut row, &entry, frame);
        }
        Ok((left_out > 0).then_some(row))
    }

    /// The block that is filled waits, and the one that waited is ready.
    fn end_block(&mut self) -> Result<(), Error> {
        let empty = Rows::like(&self.filling);
        let filled = std::mem::replace(&mut self.filling, empty);
        self.content.add(&filled);
        let next = filled.get(0).map(|(key, _)| key.to_vec());
        if let Some(rows) = self.waiting.replace(filled) {
            self.ready(rows, next)?;
        }
        Ok(())
    }

    fn ready(&mut self, rows: Rows, next: Option<Vec<u8>>) -> Result<(), Error> {
        let Some((first, _)) = rows.get(0) else { return Ok(()) };
        let ground = board(first).ok_or(Error::Order)?;
        let frame = self.frames.shared(ground.0.game(), ground.1).clone();
        let place = Place { first: std::mem::take(&mut self.is_first), next };
        self.size += rows.bytes().len();
        self.ready.push(Raw { rows, place, frame });
        if self.size >= BATCH { self.compress() } else { Ok(()) }
    }

    /// Has what is ready compressed while other positions come; what was being compressed is written.
    fn compress(&mut self) -> Result<(), Error> {
        self.write_compressed()?;
        let raw = std::mem::take(&mut self.ready);
        self.size = 0;
        let (done, compressing) = sync_channel(1);
        rayon::spawn(move || {
            // Nobody waits for it where the work has failed.
            let _ = done.send(raw.par_iter().map(pack).collect());
        });
        self.compressing = Some(compressing);
        Ok(())
    }

    fn write_compressed(&mut self) -> Result<(), Error> {
        let Some(compressing) = self.compressing.take() else { return Ok(()) };
        for block in compressing.recv().expect("the background sends before it ends")? {
            self.out.write_all(&block.bytes)?;
            self.index_row();
            self.keys.extend(block.first_key);
            self.footer.blocks += 1;
            self.footer.positions += block.positions;
            self.footer.holds = self.footer.holds.and(block.holds);
            self.offset += block.bytes.len() as u64;
        }
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
        self.end_block()?;
        if let Some(rows) = self.waiting.take() {
            // An end without positions follows the last block, and so no key.
            self.ready(rows, None)?;
        }
        self.compress()?;
        self.write_compressed()?;
        self.index_row();
        let mut index = self.rows;
        index.extend(self.keys);
        self.footer.index = Section::of(self.offset, &index);
        self.out.write_all(&index)?;
        let after = self.offset + index.len() as u64;
        self.footer.games = Section { offset: after, ..Section::default() };
        if let Some((refs, games)) = games {
            self.footer.games = write_games(&mut self.out, after, refs, games, &mut self.content)?;
        }
        self.footer.provenance = Section::of(after + self.footer.games.length, provenance.as_bytes());
        self.footer.content = self.content.hash();
        self.footer.length = self.footer.provenance.offset + provenance.len() as u64 + FOOTER as u64;
        self.out.write_all(provenance.as_bytes())?;
        self.out.write_all(&self.footer.write(&header(self.symmetric)))?;
        self.out.flush()?;
        let Footer { positions, content, length, .. } = self.footer;
        Ok(Written { positions, content, length, texts_left_out: self.texts_left_out })
    }
}

/// The hash of the content.
pub(crate) struct Content {
    hash: Xxh3,
    bytes: Vec<u8>,
}

impl Content {
    pub fn new(symmetric: bool) -> Content {
        let mut hash = Xxh3::new();
        hash.update(&crate::layout::flags(symmetric));
        Content { hash, bytes: Vec::new() }
    }

    /// Adds positions.
    pub fn add(&mut self, rows: &Rows) {
        self.hash.update(rows.bytes());
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

fn pack(Raw { rows, place, frame }: &Raw) -> Result<Packed, Error> {
    let first_key = rows.get(0).map(|(key, _)| key.to_vec()).unwrap_or_default();
    let (content, holds) = put_block(rows, place, frame);
    let bytes = pack_content(&content)?;
    Ok(Packed { bytes, holds, first_key, positions: rows.len() as u64 })
}

/// Content as it stands in the file: packed, behind its checksum and its lengths.
pub(crate) fn pack_content(content: &[u8]) -> Result<Vec<u8>, Error> {
    thread_local! {
        static ZSTD: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    if content.len() > LARGEST {
        return Err(Error::Large);
    }
    let packed = ZSTD.with_borrow_mut(|zstd| match zstd {
        Some(zstd) => zstd.compress(content),
        None => zstd.insert(Compressor::with_dictionary(LEVEL, DICTIONARY)?).compress(content),
    })?;
    let mut bytes = Vec::with_capacity(BLOCK_HEAD + packed.len());
    bytes.extend([0; 8]);
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend((content.len() as u32).to_le_bytes());
    debug_assert_eq!(bytes.len(), BLOCK_HEAD);
    bytes.extend(packed);
    let hash = xxh3_64(&bytes[8..]);
    bytes[..8].copy_from_slice(&hash.to_le_bytes());
    Ok(bytes)
}

//! The positions of a book by their number of stones, each with what its moves lead to.

use crate::bytes::{Bytes, put, put_bytes};
use crate::frame::board;
use crate::links::{after, led_to, print};
use crate::{Book, Error, Frames};
use games::{Game, Move};
use record::Entry;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a level that are written at once.
const CHUNK: usize = 1 << 15;

const FLAGGED: u8 = 1;
const PASSES: u8 = 2;

/// Positions in a file, level by level; a level holds those of so many stones of gomoku, or of so many pieces of xiangqi,
/// in the order of their keys.
///
/// In memory is a chunk of each level and where the others are: some megabytes whatever the book. The file takes
/// about 30 bytes a position and 16 a move, and has no name.
pub(crate) struct Levels<'w> {
    file: File,
    end: u64,
    levels: Vec<Level>,
    /// Those of xiangqi.
    pieces: Vec<Level>,
    stop: &'w AtomicBool,
}

/// Where a pass over a whole book puts what waits, and what ends it early.
#[derive(Copy, Clone, Debug)]
pub struct Work<'w> {
    /// The folder of a file without a name.
    pub folder: &'w Path,
    /// Set when the work is to end with an error.
    pub stop: &'w AtomicBool,
}

#[derive(Default)]
struct Level {
    /// Offsets and lengths in the file.
    chunks: Vec<(u64, usize)>,
    last: Vec<u8>,
    passes: bool,
}

/// A position of a level.
pub(crate) struct Row<'a> {
    /// Its number in the book.
    pub number: u64,
    /// What was said of it when the levels were made.
    pub is_flagged: bool,
    pub key: &'a [u8],
    /// The number of its first move among all moves of the book.
    pub first_move: u64,
    passes: bool,
    /// The [`print`]s of what its moves lead to, 0 where that is no position.
    moves: &'a [u8],
}

impl Row<'_> {
    /// What its moves lead to, each with the number of the move.
    pub fn moves(&self) -> impl Iterator<Item = (u64, u128)> {
        (self.first_move..).zip(prints(self.moves)).skip(usize::from(self.passes))
    }

    /// What its moves and a pass lead to, likewise.
    pub fn all_moves(&self) -> impl Iterator<Item = (u64, u128)> {
        (self.first_move..).zip(prints(self.moves))
    }

    /// What a pass leads to, likewise.
    pub fn pass(&self) -> Option<(u64, u128)> {
        self.passes.then(|| (self.first_move, prints(self.moves).next().expect("a pass is a move")))
    }
}

fn prints(bytes: &[u8]) -> impl Iterator<Item = u128> {
    bytes.as_chunks().0.iter().map(|bytes| u128::from_le_bytes(*bytes))
}

impl<'w> Levels<'w> {
    /// Reads a book; `flag` says of each position whether it is flagged, or `None` to leave it out.
    pub fn read<D: AsRef<[u8]>>(
        book: &Book<D>,
        work: Work<'w>,
        mut flag: impl FnMut(&[u8], usize, &Entry) -> Option<bool>,
    ) -> Result<Levels<'w>, Error> {
        let file = tempfile::tempfile_in(work.folder)?;
        let mut levels = Levels { file, end: 0, levels: Vec::new(), pieces: Vec::new(), stop: work.stop };
        let mut frames = Frames::new(book.is_symmetric());
        let (mut moves, mut stones) = (0, Vec::new());
        for (number, position) in (0..).zip(book.entries()) {
            let (key, entry) = position?;
            let first_move = moves;
            moves += entry.moves.len() as u64;
            let ground = board(&key).ok_or(Error::Order)?;
            let frame = frames.of_board(ground);
            let to_move = frame.unpack_into(&key, &mut stones).map_err(|_| Error::Order)?;
            let Some(is_flagged) = flag(&key, stones.len(), &entry) else { continue };
            let end = levels.end;
            let level = levels.level(ground.0.game(), stones.len());
            // A pass stands before all others.
            let passes = entry.moves.first().is_some_and(|each| each.play == Move::Pass);
            level.passes |= passes;
            let out = &mut level.last;
            put(out, number);
            out.push(if is_flagged { FLAGGED } else { 0 } | if passes { PASSES } else { 0 });
            put_bytes(out, &key);
            put(out, first_move);
            put(out, 16 * entry.moves.len() as u64);
            let each = |print: u128| out.extend(print.to_le_bytes());
            match ground.0.game() {
                Game::Gomoku => led_to(frame, &stones, to_move, ground.0, &entry.moves, each),
                Game::Xiangqi => {
                    let position = frame.key(&key).ok_or(Error::Order)?;
                    let led_to = |play| after(frame, &position, play).map_or(0, |key| print(&key));
                    entry.moves.iter().map(|continuation| led_to(continuation.play)).for_each(each);
                }
            }
            if out.len() >= CHUNK {
                go_on(work.stop)?;
                let chunk = std::mem::take(out);
                level.chunks.push((end, chunk.len()));
                levels.file.write_all(&chunk)?;
                levels.end = end + chunk.len() as u64;
            }
        }
        Ok(levels)
    }

    fn level(&mut self, game: Game, stones: usize) -> &mut Level {
        let levels = if game == Game::Gomoku { &mut self.levels } else { &mut self.pieces };
        if stones >= levels.len() {
            levels.resize_with(stones + 1, Level::default);
        }
        &mut levels[stones]
    }

    /// How many levels of gomoku there are: one more than the most stones.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether a position of the level has a pass among its moves.
    pub fn has_passes(&self, stones: usize) -> bool {
        self.levels.get(stones).is_some_and(|level| level.passes)
    }

    /// Shows the positions of a level in the order of their keys; a level above the last has none.
    pub fn each(&mut self, stones: usize, each: impl FnMut(&Row<'_>)) -> Result<(), Error> {
        self.each_of(Game::Gomoku, stones, each)
    }

    /// The numbers of pieces of the levels of xiangqi, the least first: a move leads to as many or to fewer.
    pub fn pieces(&self) -> std::ops::Range<usize> {
        0..self.pieces.len()
    }

    /// As [`Levels::each`], of xiangqi.
    pub fn each_pieces(&mut self, pieces: usize, each: impl FnMut(&Row<'_>)) -> Result<(), Error> {
        self.each_of(Game::Xiangqi, pieces, each)
    }

    /// Shows all positions.
    pub fn all(&mut self, mut each: impl FnMut(&Row<'_>)) -> Result<(), Error> {
        for stones in 0..self.len() {
            self.each(stones, &mut each)?;
        }
        for pieces in self.pieces() {
            self.each_pieces(pieces, &mut each)?;
        }
        Ok(())
    }

    fn each_of(&mut self, game: Game, stones: usize, mut each: impl FnMut(&Row<'_>)) -> Result<(), Error> {
        let levels = if game == Game::Gomoku { &self.levels } else { &self.pieces };
        let Some(level) = levels.get(stones) else { return Ok(()) };
        let mut chunk = Vec::new();
        for (offset, length) in &level.chunks {
            go_on(self.stop)?;
            chunk.resize(*length, 0);
            self.file.seek(SeekFrom::Start(*offset))?;
            self.file.read_exact(&mut chunk)?;
            rows(&chunk, &mut each);
        }
        rows(&level.last, &mut each);
        Ok(())
    }
}

fn go_on(stop: &AtomicBool) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) { Err(std::io::Error::other("stopped").into()) } else { Ok(()) }
}

fn rows(bytes: &[u8], each: &mut impl FnMut(&Row<'_>)) {
    let mut bytes = Bytes(bytes);
    while !bytes.0.is_empty() {
        each(&row(&mut bytes).expect("rows are read as they were written"));
    }
}

fn row<'a>(bytes: &mut Bytes<'a>) -> Result<Row<'a>, crate::bytes::Broken> {
    let (number, flags) = (bytes.number()?, bytes.byte()?);
    let (key, first_move, moves) = (bytes.bytes()?, bytes.number()?, bytes.bytes()?);
    Ok(Row { number, is_flagged: flags & FLAGGED != 0, key, first_move, passes: flags & PASSES != 0, moves })
}

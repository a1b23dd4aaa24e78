//! Books that somebody forged: their checksums hold, what they say does not.

use crate::block::Block;
use crate::bytes::{put, put_bytes};
use crate::layout::{BLOCK_HEAD, DICTIONARY, FOOTER, Footer, HEADER, LARGEST, Section, header, number};
use crate::rows::Rows;
use crate::samples::Random;
use crate::tests::{Positions, random_positions, write};
use crate::writer::Content;
use crate::{Book, Error, Frames, Holds, board, row};
use xxhash_rust::xxh3::xxh3_64;

/// The parts of a book, to change and to put together again.
#[derive(Clone)]
struct Forger {
    symmetric: bool,
    /// The contents of the blocks, unpacked.
    blocks: Vec<Vec<u8>>,
    /// Their lengths, where they are to be lies.
    said: Vec<Option<u32>>,
    /// `None` makes the index that the blocks want.
    index: Option<Vec<u8>>,
    provenance: Vec<u8>,
    /// Changes the footer before its checksum is made.
    footer: fn(&mut Footer),
}

impl Forger {
    fn take_apart(bytes: &[u8], symmetric: bool) -> Forger {
        let footer = Footer::read(bytes).unwrap();
        let mut blocks = Vec::new();
        let mut at = HEADER;
        while at < footer.index.offset as usize {
            let lengths = number(&bytes[at + 8..at + 16]);
            let (packed, raw) = (lengths as u32 as usize, (lengths >> 32) as usize);
            at += BLOCK_HEAD;
            blocks.push(
                zstd::bulk::Decompressor::with_dictionary(DICTIONARY)
                    .unwrap()
                    .decompress(&bytes[at..at + packed], raw)
                    .unwrap(),
            );
            at += packed;
        }
        let provenance = footer.provenance.slice(bytes).unwrap().to_vec();
        let said = vec![None; blocks.len()];
        Forger { symmetric, blocks, said, index: None, provenance, footer: |_| {} }
    }

    /// The bytes of the book; all checksums hold, and where the blocks can be read the counts and the content hash do.
    fn put_together(&self) -> Vec<u8> {
        let mut bytes = header(self.symmetric).to_vec();
        let (mut rows, mut keys) = (Vec::new(), Vec::new());
        let mut frames = Frames::new(self.symmetric);
        let mut content = Content::new(self.symmetric);
        let mut positions = 0;
        let mut holds = Holds::default();
        let mut row = |offset: usize, key: usize| {
            rows.extend((offset as u64).to_le_bytes());
            rows.extend((key as u64).to_le_bytes());
        };
        for (block, said) in self.blocks.iter().zip(&self.said) {
            row(bytes.len(), keys.len());
            if let Ok(mut block) = Block::read(block)
                && let Some((_, size)) = block.board()
            {
                let frame = frames.of(games::Game::Gomoku, size);
                let (mut rows, mut bytes) = (Rows::default(), Vec::new());
                while rows.len() < block.count && block.next(frame, &mut rows, &mut bytes).is_ok() {}
                content.add(&rows);
                holds.judged |= rows.iter().any(|(_, row)| row::is_judged(row::rest_of(row)));
                positions += rows.len() as u64;
                keys.extend(rows.get(0).map_or(&[][..], |(key, _)| key));
            }
            let frame = zstd::bulk::compress(block, 1).unwrap();
            let start = bytes.len();
            bytes.extend([0; 8]);
            bytes.extend((frame.len() as u32).to_le_bytes());
            bytes.extend(said.unwrap_or(block.len() as u32).to_le_bytes());
            bytes.extend(frame);
            let hash = xxh3_64(&bytes[start + 8..]);
            bytes[start..start + 8].copy_from_slice(&hash.to_le_bytes());
        }
        row(bytes.len(), keys.len());
        let index = self.index.clone().unwrap_or_else(|| [rows, keys].concat());
        let mut footer = Footer {
            positions,
            blocks: self.blocks.len() as u64,
            index: Section::of(bytes.len() as u64, &index),
            provenance: Section::of((bytes.len() + index.len()) as u64, &self.provenance),
            content: content.hash(),
            length: (bytes.len() + index.len() + self.provenance.len() + FOOTER) as u64,
            games: Section { offset: (bytes.len() + index.len()) as u64, ..Section::default() },
            holds,
        };
        (self.footer)(&mut footer);
        bytes.extend(index);
        bytes.extend(&self.provenance);
        bytes.extend(footer.write(&header(self.symmetric)));
        bytes
    }

    /// The index that the blocks want.
    fn true_index(&self) -> Vec<u8> {
        let bytes = Forger { index: None, footer: |_| {}, ..self.clone() }.put_together();
        Footer::read(&bytes).unwrap().index.slice(&bytes).unwrap().to_vec()
    }

    /// Changes something.
    fn spoil(&mut self, random: &mut Random) {
        let at = random.below(self.blocks.len().max(1) as u64) as usize;
        match random.below(16) {
            0 => self.blocks.swap(at, 0),
            1 => {
                self.blocks.remove(at);
                self.said.remove(at);
            }
            2 => {
                self.blocks.insert(0, self.blocks[at].clone());
                self.said.push(None);
            }
            3 => self.said[at] = Some(NUMBERS[random.below(7) as usize] as u32),
            4..6 => {
                let mut index = self.true_index();
                spoil(&mut index, random);
                self.index = Some(index);
            }
            6 => {
                let mut index = self.true_index();
                let at = 8 * random.below(index.len() as u64 / 8) as usize;
                index[at..at + 8].copy_from_slice(&NUMBERS[random.below(7) as usize].to_le_bytes());
                self.index = Some(index);
            }
            7 => spoil(&mut self.provenance, random),
            _ => spoil(&mut self.blocks[at], random),
        }
    }
}

/// Numbers that break what does not expect them.
const NUMBERS: [u64; 7] = [0, 1, 127, u32::MAX as u64, 1 << 60, u64::MAX - 1, u64::MAX];

/// Changes, removes or adds a few bytes.
fn spoil(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    match random.below(6) {
        0 => {
            let mut number = Vec::new();
            put(&mut number, NUMBERS[random.below(7) as usize]);
            bytes.splice(at..(at + 1).min(bytes.len()), number);
        }
        1 => bytes.insert(at, random.below(256) as u8),
        2 => bytes.truncate(at),
        _ if at == bytes.len() => bytes.push(random.below(4) as u8),
        3 => {
            bytes.remove(at);
        }
        4 => bytes[at] ^= 1 << random.below(8),
        _ => bytes[at] = random.below(256) as u8,
    }
}

/// Reads a forged book in all ways: each ends, and where `verify` finds nothing wrong all ways agree.
fn read_all(bytes: &[u8], keys: &Positions, random: &mut Random) -> bool {
    let Ok(book) = Book::open(bytes) else { return false };
    let mut frames = Frames::new(book.is_symmetric());
    let (boards, origin) = (book.boards(), book.provenance().is_ok());
    for (key, _) in keys.iter().skip(random.below(5) as usize).step_by(5) {
        let ground = board(key).unwrap();
        let _ = book.get(key, frames.of_board(ground));
    }
    let whole = book.verify();
    let mut found = Vec::new();
    for each in book.entries() {
        match each {
            Ok((key, entry)) => found.push((key, entry)),
            Err(_) => {
                assert!(whole.is_err());
                return false;
            }
        }
    }
    if whole.is_err() {
        return false;
    }
    assert!(origin);
    assert_eq!(book.positions(), found.len() as u64);
    assert!(boards.unwrap().iter().eq(&{
        let mut boards: Vec<_> = found.iter().map(|(key, _)| board(key).unwrap()).collect();
        boards.dedup();
        boards
    }));
    for (key, entry) in found {
        let ground = board(&key).unwrap();
        assert_eq!(book.get(&key, frames.of_board(ground)).unwrap(), Some(entry));
    }
    true
}

/// Forges so many books; at most two changes each.
fn forge(rounds: usize, seed: u64) {
    let mut random = Random(seed);
    let books: Vec<(Positions, Forger)> = [(11, 200, true), (12, 30, false), (13, 3, true)]
        .map(|(seed, number, symmetric)| {
            let mut positions = random_positions(seed, number, symmetric);
            // Frames of many boards take their time.
            let sizes: Vec<_> = positions.keys().map(|key| board(key).unwrap().1).take(1).collect();
            positions.retain(|key, _| sizes.contains(&board(key).unwrap().1));
            let forger = Forger::take_apart(&write(&positions, symmetric), symmetric);
            assert!(read_all(&forger.put_together(), &positions, &mut random));
            (positions, forger)
        })
        .into();
    let mut passed = 0;
    for round in 0..rounds {
        let (positions, forger) = &books[round % books.len()];
        let mut forger = forger.clone();
        for _ in 0..1 + random.below(2) {
            forger.spoil(&mut random);
            if forger.blocks.is_empty() {
                break;
            }
        }
        passed += usize::from(read_all(&forger.put_together(), positions, &mut random));
    }
    // Most changes are seen although no checksum tells of them; a few make another book.
    assert!(passed > rounds / 1000 && passed < rounds / 2, "{passed} of {rounds} are books");
}

#[test]
fn forged_books_are_read_without_harm() {
    forge(12_000, 14);
}

#[test]
#[ignore = "takes minutes"]
fn millions_of_forged_books_are_read_without_harm() {
    (0..30).for_each(|seed| forge(100_000, 100 + seed));
}

fn sample() -> (Positions, Forger) {
    let positions = random_positions(15, 600, true);
    let forger = Forger::take_apart(&write(&positions, true), true);
    assert!(forger.blocks.len() > 3);
    (positions, forger)
}

/// That `verify` and every look-up meet the forged book without harm, and that `verify` refuses it.
fn refuse(forger: &Forger) {
    let (positions, mut random) = (random_positions(15, 600, true), Random(1));
    assert!(!read_all(&forger.put_together(), &positions, &mut random));
}

#[test]
fn numbers_of_the_footer_that_lie_are_found() {
    let (_, forger) = sample();
    let lies: [fn(&mut Footer, u64); 12] = [
        |footer, number| footer.positions = number,
        |footer, number| footer.blocks = number,
        |footer, number| footer.index.offset = number,
        |footer, number| footer.index.length = number,
        |footer, number| footer.index.hash = number,
        |footer, number| footer.provenance.offset = number,
        |footer, number| footer.provenance.length = number,
        |footer, number| footer.provenance.hash = number,
        |footer, number| footer.content = number.into(),
        |footer, number| footer.length = number,
        |footer, number| footer.games.length = number,
        |footer, number| footer.games.hash = number,
    ];
    let bytes = forger.put_together();
    let truth = Footer::read(&bytes).unwrap();
    let (positions, mut random) = (random_positions(15, 600, true), Random(1));
    for lie in lies {
        for number in NUMBERS.into_iter().chain([16, truth.index.offset + 1, bytes.len() as u64]) {
            let mut footer = truth;
            lie(&mut footer, number);
            if footer != truth {
                let mut bytes = bytes.clone();
                let end = bytes.len() - FOOTER;
                bytes[end..].copy_from_slice(&footer.write(&header(true)));
                assert!(!read_all(&bytes, &positions, &mut random), "{footer:?}");
            }
        }
    }
}

#[test]
fn a_length_that_lies_and_a_frame_that_unpacks_to_much_are_found() {
    let (_, forger) = sample();
    for said in [0, 1, LARGEST as u32, LARGEST as u32 + 1, u32::MAX] {
        let mut forger = forger.clone();
        forger.said[1] = Some(said);
        refuse(&forger);
    }
    // A frame of some kilobytes, and what it unpacks to; twice as much as a block may have.
    for length in [LARGEST, LARGEST + 1, 2 * LARGEST] {
        let mut forger = forger.clone();
        forger.blocks[1] = vec![0; length];
        refuse(&forger);
    }
}

/// The content of a block of one position that is first and last, with these columns.
fn block(columns: &[(usize, &[u8])]) -> Vec<u8> {
    let mut out = vec![3];
    put_bytes(&mut out, b"");
    out.extend([2, 15, 15]);
    put(&mut out, 1);
    for column in 0..15 {
        let bytes = columns.iter().find(|(number, _)| *number == column).map(|(_, bytes)| *bytes);
        let needed: &[u8] = if column == 9 || column == 2 || (10..14).contains(&column) { b"" } else { b"\0" };
        put_bytes(&mut out, bytes.unwrap_or(needed));
    }
    out
}

fn book_of(block: Vec<u8>) -> Vec<u8> {
    Forger {
        symmetric: true,
        blocks: vec![block],
        said: vec![None],
        index: None,
        provenance: Vec::new(),
        footer: |_| {},
    }
    .put_together()
}

#[test]
fn lists_that_repeat_themselves_are_refused_before_they_grow() {
    assert!(Book::open(book_of(block(&[]))).unwrap().verify().is_ok());
    let many = |count: u64, each: &[u8]| {
        let mut out = Vec::new();
        put(&mut out, count);
        (0..count.min(20_000_000)).for_each(|_| out.extend(each));
        out
    };
    let rest = |flag: u8, list: Vec<u8>| {
        let mut out = Vec::new();
        put_bytes(&mut out, &[vec![flag], list].concat());
        out
    };
    let zeros = vec![0; 10_000_000];
    let count = |count: u64| many(count, b"");
    let huge = count(1 << 60);
    for (what, columns) in [
        ("the same move again and again", vec![(8, count(10_000_000)), (9, zeros.clone())]),
        ("more moves than there can be", vec![(8, huge.clone()), (9, vec![1; 1000])]),
        ("more stones than there can be", vec![(1, huge.clone()), (2, zeros.clone())]),
        ("the same game again and again", vec![(14, rest(16, many(10_000_000, b"\0")))]),
        ("more games than there can be", vec![(14, rest(16, huge.clone()))]),
        ("the same comment again and again", vec![(14, rest(32, many(10_000_000, b"\0\0")))]),
        ("more comments than there can be", vec![(14, rest(32, huge.clone()))]),
        ("the same text again and again", vec![(14, rest(64, many(10_000_000, b"\0\0\0")))]),
        ("a text longer than all", vec![(14, rest(32, [vec![1, 0], huge.clone()].concat()))]),
        ("a flag that means nothing", vec![(14, rest(128, vec![]))]),
        ("a rest of nothing", vec![(14, rest(0, vec![]))]),
        ("a point off the board", vec![(8, vec![1]), (9, vec![226, 1]), (10, vec![0]), (11, vec![0])]),
        ("a stone off the board", vec![(1, vec![1]), (2, vec![194, 3])]),
        ("two stones on a point", vec![(1, vec![2]), (2, vec![0, 0])]),
    ] {
        let columns: Vec<_> = columns.iter().map(|(number, bytes)| (*number, &bytes[..])).collect();
        let zero: Vec<(usize, &[u8])> = (10..14).map(|column| (column, &zeros[..])).collect();
        let all = if columns.iter().any(|(number, _)| *number == 8) { [columns, zero].concat() } else { columns };
        let bytes = book_of(block(&all));
        let book = Book::open(&bytes).unwrap();
        assert!(matches!(book.verify(), Err(Error::Damaged { part: "block", byte: 16 })), "{what}");
        let mut frames = Frames::new(true);
        let frame = frames.of(games::Game::Gomoku, games::Size::default());
        // The empty board, black to move; found where the fault is in another column than the stones.
        let _ = book.get(&[2, 15, 15, 0], frame);
        let _ = book.get(&[2, 15, 15, 2, 1], frame);
    }
}

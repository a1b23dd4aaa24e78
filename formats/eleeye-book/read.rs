use super::zobrist::{Images, step};
use super::{Item, RECORD};
use crate::position::board_text;
use crate::{EntryReading, Error, Place, Severity};
use games::xiangqi::Board;
use games::{Move, Size, Step, Symmetry};
use record::{Continuation, Entry, Tally};
use std::collections::{HashSet, VecDeque};
use std::ops::Range;

/// How many positions are looked at between two looks at the progress.
const STRIDE: usize = 1 << 10;

pub(super) fn read(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let (records, rest) = bytes.as_chunks::<RECORD>();
    if !rest.is_empty() || records.is_empty() {
        let message = format!("the file ends after {} bytes of a record of {RECORD}", rest.len());
        let place = Place::byte(bytes.len() - rest.len());
        if records.is_empty() {
            return Err(reading.error(place, message));
        }
        if !reading.lenient() {
            return Err(reading.error(place, message + ": --lenient keeps what stands before it"));
        }
        reading.fault("cut-file", Severity::Damage, || (place, message + ": left out"))?;
    }
    let mut walk = Walk::new(Book::new(records, reading)?);
    walk.run(reading)?;
    walk.book.tell_unread(reading)?;
    if reading.records() == 0 {
        return Err(reading.error(Place::default(), "none of its positions comes from the start of a game"));
    }
    reading.progress(bytes.len())
}

/// What became of a record.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Fate {
    /// No position that was reached has its key.
    Unreached,
    /// Its key was met, its move was not legal there.
    Illegal,
    /// It was read.
    Read,
}

/// The records of a file in the order of their keys, and where they stand.
struct Book {
    items: Vec<(Item, usize)>,
    fates: Vec<Fate>,
    unread: usize,
}

impl Book {
    fn new(records: &[[u8; RECORD]], reading: &mut EntryReading<'_>) -> Result<Book, Error> {
        let mut items: Vec<_> = records.iter().map(Item::read).zip((0..).step_by(RECORD)).collect();
        if let Some(at) = items.windows(2).position(|pair| pair[0].0.key > pair[1].0.key) {
            let place = Place::byte(items[at + 1].1);
            let message = "a key is less than the one before: ElephantEye may not find it";
            reading.fault("unsorted", Severity::Quirk, || (place, message.into()))?;
            items.sort_by_key(|(item, _)| item.key);
        }
        Ok(Book { fates: vec![Fate::Unreached; items.len()], unread: items.len(), items })
    }

    fn of(&self, key: u32) -> Range<usize> {
        let start = self.items.partition_point(|(item, _)| item.key < key);
        let length = self.items[start..].iter().take_while(|(item, _)| item.key == key).count();
        start..start + length
    }

    /// The records of the position and those of its mirror image, where no other position has them.
    fn unread(&self, images: Images) -> impl Iterator<Item = (Symmetry, Range<usize>)> {
        let both = [(Symmetry::Identity, images.own), (Symmetry::Mirror, images.mirror)];
        let both = both.into_iter().take(if images.own == images.mirror { 1 } else { 2 });
        let ranges = both.map(|(symmetry, locks)| (symmetry, self.of(locks.key())));
        ranges.filter(|(_, range)| !range.is_empty() && !self.fates[range.clone()].contains(&Fate::Read))
    }

    /// The move of a record, turned.
    fn step(&self, at: usize, symmetry: Symmetry) -> Option<Step> {
        match symmetry.apply_to_move(Move::Step(step(self.items[at].0.word)?), Size::XIANGQI) {
            Move::Step(step) => Some(step),
            _ => None,
        }
    }

    /// The byte of the first record of the position, where a maker of books puts it and all its moves are legal.
    fn fits(&self, board: &Board, images: Images) -> Option<usize> {
        let legal = |at, symmetry| self.step(at, symmetry).is_some_and(|step| board.is_legal(step));
        let put = if images.own <= images.mirror { Symmetry::Identity } else { Symmetry::Mirror };
        let mut found = self.unread(images).filter(|(symmetry, _)| *symmetry == put);
        let (symmetry, range) = found.next()?;
        let byte = self.items[range.start].1;
        range.into_iter().all(|at| legal(at, symmetry)).then_some(byte)
    }

    /// Takes the moves of a position out of the records.
    fn take(&mut self, board: &Board, reading: &mut EntryReading<'_>) -> Result<Vec<Continuation>, Error> {
        let mut moves: Vec<Continuation> = Vec::new();
        let ranges: Vec<_> = self.unread(Images::of(board)).collect();
        for (symmetry, at) in ranges.into_iter().flat_map(|(symmetry, range)| range.map(move |at| (symmetry, at))) {
            let Some(step) = self.step(at, symmetry).filter(|step| board.is_legal(*step)) else {
                self.fates[at] = Fate::Illegal;
                continue;
            };
            self.fates[at] = Fate::Read;
            self.unread -= 1;
            let (item, byte) = self.items[at];
            if item.weight == 0 {
                let message = || (Place::byte(byte), format!("the move {step} has no weight: it is never played"));
                reading.fault("no-weight", Severity::Quirk, message)?;
            }
            let play = Move::Step(step);
            let tally = Tally { games: item.weight.into(), ..Tally::default() };
            match moves.iter_mut().find(|known| known.play == play) {
                None => moves.push(Continuation { play, tally }),
                Some(known) => {
                    known.tally.add(tally);
                    let message =
                        || (Place::byte(byte), format!("the move {step} stands there twice: weights added up"));
                    reading.fault("move-twice", Severity::Quirk, message)?;
                }
            }
        }
        Ok(moves)
    }

    /// Tells what was not read.
    fn tell_unread(&self, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let mut unread: Vec<_> = self.items.iter().zip(&self.fates).filter(|(_, fate)| **fate != Fate::Read).collect();
        unread.sort_unstable_by_key(|((_, byte), _)| *byte);
        for ((Item { key, word, .. }, byte), fate) in unread {
            let place = || Place::byte(*byte);
            match (fate, step(*word)) {
                (_, None) => reading.fault("bad-move", Severity::Damage, || {
                    (place(), format!("the move {word:04x} is not on the board: left out"))
                })?,
                (Fate::Illegal, Some(step)) => reading.fault("illegal-move", Severity::Damage, || {
                    (place(), format!("the move {step} is not legal in the position of its key: left out"))
                })?,
                (_, Some(_)) => reading.fault("unreached", Severity::Damage, || {
                    (place(), format!("the key {key:08x} is of no position that was reached from the start: left out"))
                })?,
            }
        }
        Ok(())
    }
}

/// The walk from the start of a game to the positions of a book.
struct Walk {
    book: Book,
    /// Positions that were met, each as the less of its keys and that of its mirror image.
    met: HashSet<u128>,
    /// Where listed moves lead.
    listed: VecDeque<Board>,
    /// Positions with records, whose other moves are still to be tried.
    tried: VecDeque<Board>,
    /// Those that are to be tried by two moves.
    further: VecDeque<Board>,
}

impl Walk {
    fn new(book: Book) -> Walk {
        let start = Board::start();
        let met = HashSet::from([pair(&start)]);
        Walk { book, met, listed: [start].into(), tried: VecDeque::new(), further: VecDeque::new() }
    }

    /// Hands out the positions that are reached: listed moves go before others, and one other move before two.
    fn run(&mut self, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        for done in 1.. {
            if let Some(board) = self.listed.pop_front() {
                self.read(board, reading)?;
            } else if self.book.unread == 0 {
                break;
            } else if let Some(board) = self.tried.pop_front() {
                self.aside(&board, 1, reading)?;
                self.further.push_back(board);
            } else if let Some(board) = self.further.pop_front() {
                self.aside(&board, 2, reading)?;
            } else {
                break;
            }
            if done % STRIDE == 0 {
                reading.progress((self.book.items.len() - self.book.unread) * RECORD)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, board: Board, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let moves = self.book.take(&board, reading)?;
        for continuation in &moves {
            if let Move::Step(step) = continuation.play {
                let mut next = board.clone();
                next.play_unchecked(step);
                self.meet(next);
            }
        }
        if !moves.is_empty() {
            self.tried.push_back(board.clone());
            reading.emit((board.into(), Entry { moves, ..Entry::default() }))?;
        }
        Ok(())
    }

    fn meet(&mut self, board: Board) -> bool {
        let is_new = self.met.insert(pair(&board));
        if is_new {
            self.listed.push_back(board);
        }
        is_new
    }

    /// Looks for positions of the book behind moves that it does not list.
    fn aside(&mut self, board: &Board, plies: u32, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let images = Images::of(board);
        for step in board.moves() {
            let images = images.after(board, step);
            let mut next = board.clone();
            next.play_unchecked(step);
            if plies > 1 {
                for step in next.moves() {
                    let images = images.after(&next, step);
                    if self.book.unread(images).next().is_some() {
                        let mut last = next.clone();
                        last.play_unchecked(step);
                        self.find(last, images, reading)?;
                    }
                }
            } else if self.book.unread(images).next().is_some() {
                self.find(next, images, reading)?;
            }
        }
        Ok(())
    }

    fn find(&mut self, board: Board, images: Images, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        if let Some(byte) = self.book.fits(&board, images) {
            let text = board_text(&board);
            if self.meet(board) {
                reading.fault("aside", Severity::Remark, || {
                    let message =
                        format!("the position `{text}` stands behind moves that the book does not list: read");
                    (Place::byte(byte), message)
                })?;
            }
        }
        Ok(())
    }
}

/// The same number for a position and its mirror image.
fn pair(board: &Board) -> u128 {
    board.key().min(board.mirror().key())
}

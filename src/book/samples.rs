//! What the tests share: random boards and entries.

use crate::{Frame, in_order};
use games::gomoku::Board;
use games::{Game, Move, Point, Side, Size, Step, Symmetry, xiangqi};
use record::{Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Label, Ratings, Rest, Tally};

/// A small generator of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn size(&mut self, largest: u64) -> Size {
        let side = 5 + self.below(largest - 4) as u8;
        let other = if self.once_in(3) { 5 + self.below(largest - 4) as u8 } else { side };
        Size::new(side, other).unwrap()
    }

    pub fn point(&mut self, size: Size) -> Point {
        Point::new(self.below(size.width().into()) as u8, self.below(size.height().into()) as u8).unwrap()
    }

    /// A board with a few stones or with many.
    pub fn board(&mut self, largest: u64) -> Board {
        let size = self.size(largest);
        let mut board = Board::new(size);
        for _ in 0..self.below(60) {
            let side = if self.once_in(2) { Side::First } else { Side::Second };
            let _ = board.play(self.point(size), side);
        }
        board
    }

    /// A position that a game of xiangqi of some random moves comes to.
    pub fn pieces(&mut self) -> xiangqi::Board {
        let mut board = xiangqi::Board::start();
        for _ in 0..self.below(80) {
            let moves: Vec<Step> = board.moves().collect();
            if moves.is_empty() {
                break;
            }
            board.play(moves[self.below(moves.len() as u64) as usize]).unwrap();
        }
        board
    }

    fn play(&mut self, frame: &Frame) -> Move {
        let size = frame.size();
        match frame.game() {
            Game::Gomoku => Move::Place(self.point(size)),
            Game::Xiangqi => Move::Step(Step { from: self.point(size), to: self.point(size) }),
        }
    }

    fn tally(&mut self) -> Tally {
        let scale = 1 << self.below(40);
        Tally { games: self.below(scale), first: self.below(scale), draws: self.below(scale), second: self.below(3) }
    }

    /// An entry of a position, as a book holds it.
    pub fn entry_of(&mut self, key: &[u8], frame: &Frame) -> Entry {
        let mut entry = self.entry(frame);
        let form = frame.canonical(&frame.key(key).unwrap());
        let rest = entry.rest.iter_mut().filter_map(|rest| rest.play.as_mut());
        for play in entry.moves.iter_mut().map(|each| &mut each.play).chain(rest) {
            *play = frame.stored(&form, *play);
        }
        in_order(&mut entry, frame);
        entry
    }

    fn judgement(&mut self) -> Judgement {
        Judgement {
            value: self.below(60_001) as i32 - 30_000,
            bound: Bound::ALL[self.below(4) as usize],
            depth: self.below(300) as i16 - 100,
            nodes: self.once_in(2).then(|| self.below(1 << 50)),
            scale: self.below(1000) as u16,
            source: ["", "Rapfi"][self.below(2) as usize].into(),
        }
    }

    /// An entry that has anything an entry can have.
    pub fn entry(&mut self, frame: &Frame) -> Entry {
        let size = frame.size();
        let mut entry = Entry { tally: self.tally(), ..Entry::default() };
        for _ in 0..self.below(5) {
            let play = if self.once_in(9) { Move::Pass } else { self.play(frame) };
            entry.moves.push(Continuation { play, tally: self.tally() });
        }
        if self.once_in(4) {
            entry.judgement = Some(self.judgement());
        }
        if self.once_in(4) {
            let play = self.once_in(2).then(|| self.play(frame));
            let judgement = self.once_in(2).then(|| self.judgement());
            let proven = judgement.is_some() && self.once_in(2);
            entry.rest = Some(Rest { play, judgement, proven });
        }
        if self.once_in(4) {
            let Judgement { value, scale, .. } = self.judgement();
            entry.backed = Some(Backed { value, scale, proven: self.once_in(2) });
        }
        if self.once_in(4) {
            let byte = self.below(256) as u8;
            entry.label =
                [Label::Null, Label::Win, Label::Loss, Label::Draw, Label::Forced, Label::Blocked, Label::User(byte)]
                    [self.below(7) as usize];
        }
        if self.once_in(4) {
            entry.ratings = Ratings { sum: self.below(1 << 40), count: 1 + self.below(1 << 30) };
            entry.last_year = Some(1900 + self.below(200) as u16);
            entry.games = (0..self.below(4)).map(|_| self.0).collect();
        }
        for _ in 0..self.below(3).saturating_sub(1) {
            let mut written = Symmetry::ALL[self.below(8) as usize];
            if !frame.allows(written) {
                written = if frame.game() == Game::Gomoku { Symmetry::Flip } else { Symmetry::Mirror };
            }
            let bytes = if self.once_in(3) { vec![0xB3, self.below(256) as u8] } else { Vec::new() };
            let text = format!("comment {}\n棋", self.below(9));
            entry.comments.push(Comment { text, bytes: bytes.clone(), written });
            entry.texts.push(BoardText {
                point: self.point(size),
                text: format!("W{}", self.below(99)),
                bytes,
                written,
            });
        }
        entry
    }
}

//! Keys of positions: the exclusive or of a number for each piece, and of one more if Red is to move.

use games::xiangqi::{Board, Piece};
use games::{Point, Side, Step};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const SQUARES: usize = 90;
const PIECES: usize = 14;

/// The numbers of the pieces on the 90 points, and Red's: facts of the format, as `SPEC.md` says.
static NUMBERS: [u64; PIECES * SQUARES + 1] = numbers(include_bytes!("numbers.bin"));

const fn numbers(bytes: &[u8; (PIECES * SQUARES + 1) * 8]) -> [u64; PIECES * SQUARES + 1] {
    let mut numbers = [0; PIECES * SQUARES + 1];
    let mut at = 0;
    while at < numbers.len() {
        let (chunks, _) = bytes.as_chunks();
        numbers[at] = u64::from_le_bytes(chunks[at]);
        at += 1;
    }
    numbers
}

/// The number that is there while Red is to move.
const RED: usize = PIECES * SQUARES;

fn number(piece: Piece, point: Point) -> u64 {
    let kind = piece.kind as usize + 7 * piece.side as usize;
    NUMBERS[kind * SQUARES + usize::from(point.y()) * 9 + usize::from(point.x())]
}

/// The point on the other side of the middle file.
fn opposite(point: Point) -> Point {
    Point::new(8 - point.x(), point.y()).expect("a point of the board has an image")
}

/// The step in a mirror.
pub(super) fn mirrored(step: Step) -> Step {
    Step { from: opposite(step.from), to: opposite(step.to) }
}

/// The key of a position and that of its image in a mirror.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Keys {
    pub own: u64,
    pub mirror: u64,
}

impl Keys {
    pub fn of(board: &Board) -> Keys {
        let red = if board.to_move() == Side::First { NUMBERS[RED] } else { 0 };
        let mut keys = Keys { own: red, mirror: red };
        board.pieces().for_each(|(point, piece)| keys.turn(piece, point));
        keys
    }

    /// The keys after a step of a piece of the board.
    pub fn after(mut self, board: &Board, step: Step) -> Keys {
        if let Some(piece) = board.piece(step.from) {
            self.turn(piece, step.from);
            self.turn(piece, step.to);
        }
        if let Some(taken) = board.piece(step.to) {
            self.turn(taken, step.to);
        }
        self.own ^= NUMBERS[RED];
        self.mirror ^= NUMBERS[RED];
        self
    }

    /// Takes a piece away or puts it there.
    fn turn(&mut self, piece: Piece, point: Point) {
        self.own ^= number(piece, point);
        self.mirror ^= number(piece, opposite(point));
    }

    /// The one that stands for both: the smaller, without sign.
    pub fn least(self) -> u64 {
        self.own.min(self.mirror)
    }
}

/// By the key that stands for a position and its mirror image.
pub(super) type Places = HashMap<u64, u32, BuildHasherDefault<Spread>>;

/// Keys are random as they are.
#[derive(Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A board in 45 bytes: a piece every four bits, from the top left.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Packed {
    pub cells: [u8; 45],
    pub to_move: Side,
}

impl Packed {
    pub fn of(board: &Board) -> Packed {
        let mut cells = [0; 45];
        for (point, piece) in board.pieces() {
            let square = usize::from(point.y()) * 9 + usize::from(point.x());
            let code = 1 + piece.kind as u8 + 7 * piece.side as u8;
            cells[square / 2] |= code << (square % 2 * 4);
        }
        Packed { cells, to_move: board.to_move() }
    }

    pub fn board(&self) -> Board {
        let mut board = Board::empty();
        board.set_to_move(self.to_move);
        for square in 0..SQUARES {
            let code = self.cells[square / 2] >> (square % 2 * 4) & 15;
            let Some(kind) = code.checked_sub(1).filter(|code| usize::from(*code) < PIECES) else { continue };
            let side = if kind < 7 { Side::First } else { Side::Second };
            let piece = Piece { side, kind: games::xiangqi::Kind::ALL[usize::from(kind % 7)] };
            let point = Point::new(square as u8 % 9, square as u8 / 9).expect("a square is a point");
            board.put(point, Some(piece));
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::xiangqi::Fen;

    #[test]
    fn the_start_position_has_the_key_that_programs_give_it() {
        let keys = Keys::of(&Board::start());
        assert_eq!(keys, Keys { own: 7_101_337_512_282_506_414, mirror: 7_101_337_512_282_506_414 });
    }

    #[test]
    fn keys_follow_the_moves_and_boards_survive_packing() {
        let mut board = Board::start();
        let mut keys = Keys::of(&board);
        for number in 0..400_usize {
            let moves: Vec<Step> = board.moves().collect();
            let Some(step) = moves.get(number * 7919 % moves.len().max(1)).copied() else { break };
            keys = keys.after(&board, step);
            board.play(step).unwrap();
            assert_eq!(keys, Keys::of(&board), "{}", Fen::from(board.clone()));
            assert_eq!(keys.mirror, Keys::of(&board.mirror()).own);
            assert_eq!(Packed::of(&board).board(), board);
        }
    }

    #[test]
    fn no_number_stands_twice() {
        let mut numbers = NUMBERS.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 14 * 90 + 1);
    }
}

//! The numbers that ElephantEye knows positions by.

use games::xiangqi::{Board, Kind, Piece};
use games::{Point, Side, Step};

/// Points of the board.
const POINTS: usize = Step::POINTS as usize;
/// Squares of ElephantEye's board, of which ours are in the middle.
const SQUARES: usize = 256;

/// Both locks of a position as one number: the second, which is the key of the file, above the first.
///
/// Numbers compare as ElephantEye compares a position with its mirror image.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Locks(u64);

impl Locks {
    /// The key of the records of the position.
    pub const fn key(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Locks with the same key that are of another position.
    #[cfg(test)]
    pub const fn twin(self) -> Locks {
        Locks(self.0 ^ 1)
    }
}

/// The locks of a position and of its mirror image.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Images {
    pub own: Locks,
    pub mirror: Locks,
}

impl Images {
    pub fn of(board: &Board) -> Images {
        let turn = if board.to_move() == Side::Second { NUMBERS.turn } else { 0 };
        let pieces = board.pieces().map(|(point, piece)| numbers_of(piece, point));
        let [own, mirror] = pieces.fold([turn; 2], |sum, numbers| [sum[0] ^ numbers[0], sum[1] ^ numbers[1]]);
        Images { own: Locks(own), mirror: Locks(mirror) }
    }

    /// Those after a step of the position.
    pub fn after(self, board: &Board, step: Step) -> Images {
        let mut sums = [self.own.0 ^ NUMBERS.turn, self.mirror.0 ^ NUMBERS.turn];
        let mut change = |piece, point| {
            let [own, mirror] = numbers_of(piece, point);
            sums = [sums[0] ^ own, sums[1] ^ mirror];
        };
        if let Some(taken) = board.piece(step.to) {
            change(taken, step.to);
        }
        if let Some(piece) = board.piece(step.from) {
            change(piece, step.from);
            change(piece, step.to);
        }
        Images { own: Locks(sums[0]), mirror: Locks(sums[1]) }
    }
}

/// The number of a piece on a point, and on the point's mirror image.
fn numbers_of(piece: Piece, point: Point) -> [u64; 2] {
    let numbers = &NUMBERS.pieces[piece.kind as usize + Kind::ALL.len() * piece.side as usize];
    let (x, row) = (usize::from(point.x()), usize::from(point.y()) * 9);
    [numbers[row + x], numbers[row + 8 - x]]
}

/// The numbers of all pieces on all points, and of Black's turn.
struct Numbers {
    turn: u64,
    /// By kind and side, then by row and column.
    pieces: [[u64; POINTS]; 14],
}

static NUMBERS: Numbers = numbers();

/// The stream of RC4 whose key is four zero bytes.
struct Stream {
    state: [u8; 256],
    i: u8,
    j: u8,
}

impl Stream {
    const fn new() -> Stream {
        let mut state = [0; 256];
        let mut i = 0;
        while i < 256 {
            state[i] = i as u8;
            i += 1;
        }
        let (mut i, mut j) = (0, 0_u8);
        while i < 256 {
            j = j.wrapping_add(state[i]);
            state.swap(i, j as usize);
            i += 1;
        }
        Stream { state, i: 0, j: 0 }
    }

    const fn byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        self.j = self.j.wrapping_add(self.state[self.i as usize]);
        self.state.swap(self.i as usize, self.j as usize);
        let sum = self.state[self.i as usize].wrapping_add(self.state[self.j as usize]);
        self.state[sum as usize]
    }

    const fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// The next three words: ElephantEye's table goes by the first, and the locks are the others.
    const fn locks(&mut self) -> u64 {
        self.word();
        let first = self.word();
        (self.word() as u64) << 32 | first as u64
    }
}

const fn numbers() -> Numbers {
    let mut stream = Stream::new();
    let mut numbers = Numbers { turn: stream.locks(), pieces: [[0; POINTS]; 14] };
    let mut piece = 0;
    while piece < 14 {
        let mut square = 0;
        while square < SQUARES {
            let number = stream.locks();
            if let Some(point) = point(square as u8) {
                numbers.pieces[piece][point] = number;
            }
            square += 1;
        }
        piece += 1;
    }
    numbers
}

/// Rows and columns around the board.
const MARGIN: u8 = 3;

/// The index of a square's point, row by row from the top left; `None` off the board.
const fn point(square: u8) -> Option<usize> {
    let (Some(row), Some(column)) = ((square >> 4).checked_sub(MARGIN), (square & 15).checked_sub(MARGIN)) else {
        return None;
    };
    if row < 10 && column < 9 { Some(row as usize * 9 + column as usize) } else { None }
}

/// The word of a step: where it goes in the high byte, where it comes from in the low one.
pub fn word(step: Step) -> u16 {
    let square = |point: Point| ((MARGIN + point.y()) << 4 | (MARGIN + point.x())) as u16;
    square(step.to) << 8 | square(step.from)
}

/// The step of a word; `None` if it leaves the board.
pub fn step(word: u16) -> Option<Step> {
    let place = |square: u8| {
        let at = point(square)?;
        Point::new((at % 9) as u8, (at / 9) as u8)
    };
    Step::new(place(word as u8)?, place((word >> 8) as u8)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_words_and_no_others() {
        let steps: Vec<Step> = (0..=u16::MAX).filter_map(step).collect();
        assert_eq!(steps.len(), POINTS * POINTS);
        assert!(steps.iter().all(|each| step(word(*each)) == Some(*each)));
        // From the file of the author: the cannon goes from square 0xaa to 0xa7.
        assert_eq!(step(0xA7AA), Step::from_text("h2e2"));
    }

    #[test]
    fn the_stream_is_that_of_rc4() {
        // The known answer for a key of eight zero bytes, which comes to the same as one of four.
        let mut stream = Stream::new();
        let first: [u8; 8] = std::array::from_fn(|_| stream.byte());
        assert_eq!(first, [0xDE, 0x18, 0x89, 0x41, 0xA3, 0x37, 0x5D, 0x3A]);
    }

    #[test]
    fn locks_after_a_step_are_those_of_the_board() {
        let mut board = Board::start();
        let mut images = Images::of(&board);
        assert_eq!(images.own, images.mirror);
        for text in ["h2e2", "b9c7", "e2e6", "i9i8", "h0g2"] {
            let step = Step::from_text(text).unwrap();
            images = images.after(&board, step);
            board.play(step).unwrap();
            let turned = Images::of(&board.mirror());
            assert_eq!((images, images.own), (Images::of(&board), turned.mirror));
            assert_ne!(images.own, images.mirror);
        }
    }
}

use super::Direction;
use crate::{Coords, Move, Point, Position, Side, Size};
use std::fmt;
use std::str::FromStr;

/// The stones on a board of any [`Size`], without an order and without a side to move.
///
/// A plain value of about 2 KB that owns no memory. Each stone is kept four times, in its row, its column and its
/// two diagonals, so that the surroundings of a point in any direction are two shifts away.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    size: Size,
    counts: [u16; 2],
    stones: [Lines; 2],
    empty: Lines,
}

const SIDE: usize = Size::LARGEST as usize;
const DIAGONALS: usize = 2 * SIDE - 1;
const LINES: usize = 2 * SIDE + 2 * DIAGONALS;

/// A set of points as a word for each line: rows, columns, falling and rising diagonals.
///
/// A point's bit is its row in a column and its column in every other line.
type Lines = [u32; LINES];

const fn line(direction: Direction, point: Point) -> usize {
    let (x, y) = (point.x() as usize, point.y() as usize);
    match direction {
        Direction::Row => y,
        Direction::Column => SIDE + x,
        Direction::Falling => 2 * SIDE + (SIDE - 1 + x - y),
        Direction::Rising => 2 * SIDE + DIAGONALS + x + y,
    }
}

const fn bit(direction: Direction, point: Point) -> u8 {
    match direction {
        Direction::Column => point.y(),
        _ => point.x(),
    }
}

/// The eleven cells of a line around a point, which is the middle one, bit 5.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    /// Cells with a stone of the side that is asked about.
    pub own: u32,
    /// Cells with a stone of the other side, or off the board.
    pub shut: u32,
}

impl Window {
    pub const CELLS: u32 = 11;
    pub const MIDDLE: u32 = 5;
    pub const ALL: u32 = (1 << Self::CELLS) - 1;

    fn cut(line: u32, bit: u8) -> u32 {
        (u64::from(line) << Self::MIDDLE >> bit) as u32 & Self::ALL
    }
}

impl Board {
    /// A board without stones.
    pub fn new(size: Size) -> Board {
        let mut board = Board { size, counts: [0; 2], stones: [[0; LINES]; 2], empty: [0; LINES] };
        for point in size.points() {
            flip(&mut board.empty, point);
        }
        board
    }

    /// A board with these stones.
    pub fn with_stones(size: Size, stones: impl IntoIterator<Item = (Point, Side)>) -> Result<Board, PlayError> {
        let mut board = Board::new(size);
        for (point, side) in stones {
            board.play(point, side)?;
        }
        Ok(board)
    }

    /// The board after the set-up and all moves of a position, and who moves next.
    pub fn after(position: &Position) -> Result<(Board, Side), PlayError> {
        let mut board = Board::with_stones(position.size, position.setup.iter().copied())?;
        let mut side = position.to_move;
        for each in &position.moves {
            if let Move::Place(point) = *each {
                board.play(point, side)?;
            }
            side = side.other();
        }
        Ok((board, side))
    }

    /// The size.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// How many stones a side has.
    pub const fn count(&self, side: Side) -> usize {
        self.counts[side as usize] as usize
    }

    /// Whose stone stands on the point, if any does.
    pub fn stone(&self, point: Point) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|side| has(&self.stones[*side as usize], point))
    }

    /// Whether a stone can be played on the point: it lies on the board and has no stone.
    pub fn is_empty(&self, point: Point) -> bool {
        has(&self.empty, point)
    }

    /// The points without a stone, row by row from the top left.
    pub fn empty_points(&self) -> impl Iterator<Item = Point> {
        (0..self.size.height()).flat_map(|y| {
            let mut row = self.empty[usize::from(y)];
            std::iter::from_fn(move || {
                let x = row.trailing_zeros() as u8;
                row &= row.wrapping_sub(1);
                Point::new(x, y)
            })
        })
    }

    /// The stones, row by row from the top left.
    pub fn stones(&self) -> impl Iterator<Item = (Point, Side)> {
        self.size.points().filter_map(|point| self.stone(point).map(|side| (point, side)))
    }

    /// Puts a stone on an empty point.
    pub fn play(&mut self, point: Point, side: Side) -> Result<(), PlayError> {
        if !self.size.contains(point) {
            return Err(PlayError::OffBoard { point, size: self.size });
        }
        if !self.is_empty(point) {
            return Err(PlayError::Occupied { point, size: self.size });
        }
        self.play_unchecked(point, side);
        Ok(())
    }

    /// Puts a stone on a point that is known to be empty; on any other the board is wrong from then on.
    pub fn play_unchecked(&mut self, point: Point, side: Side) {
        debug_assert!(self.is_empty(point));
        self.counts[side as usize] += 1;
        flip(&mut self.stones[side as usize], point);
        flip(&mut self.empty, point);
    }

    /// Takes the stone from a point and says whose it was; `None` if there was none.
    pub fn undo(&mut self, point: Point) -> Option<Side> {
        let side = self.stone(point)?;
        self.undo_unchecked(point, side);
        Some(side)
    }

    /// Takes a stone that is known to stand there; the twin of [`Board::play_unchecked`].
    pub fn undo_unchecked(&mut self, point: Point, side: Side) {
        debug_assert_eq!(self.stone(point), Some(side));
        self.counts[side as usize] -= 1;
        flip(&mut self.stones[side as usize], point);
        flip(&mut self.empty, point);
    }

    /// A side's stones in row `y`: bit `x` is column `x`.
    pub(super) fn row(&self, side: Side, y: u8) -> u32 {
        self.stones[side as usize][usize::from(y)]
    }

    /// A side's stones in column `x`: bit `y` is row `y`.
    pub(super) fn column(&self, side: Side, x: u8) -> u32 {
        self.stones[side as usize][SIDE + usize::from(x)]
    }

    /// The line through a point of the board, with no stone added.
    pub(super) fn window(&self, side: Side, direction: Direction, point: Point) -> Window {
        let (line, bit) = (line(direction, point), bit(direction, point));
        let own = Window::cut(self.stones[side as usize][line], bit);
        let empty = Window::cut(self.empty[line], bit);
        Window { own, shut: Window::ALL & !(own | empty) }
    }
}

fn flip(lines: &mut Lines, point: Point) {
    for direction in Direction::ALL {
        lines[line(direction, point)] ^= 1 << bit(direction, point);
    }
}

fn has(lines: &Lines, point: Point) -> bool {
    point.y() < Size::LARGEST && lines[usize::from(point.y())] >> point.x() & 1 == 1
}

/// A drawing: a row of `.`, `x` (first player) and `o` for each row from the top, with blanks between.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in 0..self.size.height() {
            for x in 0..self.size.width() {
                let stone = Point::new(x, y).and_then(|point| self.stone(point));
                let gap = if x == 0 { "" } else { " " };
                let cell = match stone {
                    None => '.',
                    Some(Side::First) => 'x',
                    Some(Side::Second) => 'o',
                };
                write!(f, "{gap}{cell}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board {}\n{self}", self.size)
    }
}

impl FromStr for Board {
    type Err = String;

    /// Reads a drawing, with or without blanks, in either case; empty lines are passed over.
    fn from_str(text: &str) -> Result<Board, String> {
        let rows: Vec<String> = text.lines().map(|row| row.split_whitespace().collect()).collect();
        let rows: Vec<String> = rows.into_iter().filter(|row: &String| !row.is_empty()).collect();
        Position::parse(&format!("board:{}", rows.join("/")), Coords::A1, Size::default())
            .and_then(|position| Board::after(&position).map_err(|error| error.to_string()))
            .map(|(board, _)| board)
    }
}

/// A stone that cannot be played.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PlayError {
    /// The point is not one of the board's.
    OffBoard {
        /// The point.
        point: Point,
        /// The board's size.
        size: Size,
    },
    /// A stone stands on the point.
    Occupied {
        /// The point.
        point: Point,
        /// The board's size.
        size: Size,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PlayError::OffBoard { point, size } => {
                write!(f, "column {}, row {} from the top is off the {size} board", point.x() + 1, point.y() + 1)
            }
            PlayError::Occupied { point, size } => {
                write!(f, "a stone stands on {} already", Coords::A1.text(point, size))
            }
        }
    }
}

impl std::error::Error for PlayError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_come_and_go_on_every_board() {
        for size in [Size::square(5).unwrap(), Size::new(22, 7).unwrap(), Size::default(), Size::square(26).unwrap()] {
            let bare = Board::new(size);
            let mut board = bare;
            for point in size.points() {
                board.play(point, Side::Second).unwrap();
                assert_eq!(board.stone(point), Some(Side::Second));
                assert_eq!(board.play(point, Side::First), Err(PlayError::Occupied { point, size }));
            }
            assert_eq!(board.empty_points().count(), 0);
            assert_eq!(board.stones().count(), board.count(Side::Second));
            for point in size.points() {
                assert_eq!(board.undo(point), Some(Side::Second));
                assert_eq!(board.undo(point), None);
            }
            assert_eq!(board, bare);
            assert!(board.empty_points().eq(size.points()));
        }
    }

    #[test]
    fn points_off_the_board_are_refused() {
        let size = Size::square(9).unwrap();
        let mut board = Board::new(size);
        for code in 0..1024 {
            let point = Point::from_code(code);
            assert_eq!(board.is_empty(point), size.contains(point));
            assert_eq!(board.play(point, Side::First).is_ok(), size.contains(point));
        }
        let error = board.play(Point::new(9, 2).unwrap(), Side::First).unwrap_err();
        assert_eq!(error.to_string(), "column 10, row 3 from the top is off the 9x9 board");
    }

    #[test]
    fn a_drawing_reads_back() {
        let drawing = ". . x\no . .\n";
        let board: Board = drawing.parse().unwrap();
        assert_eq!(board.size(), Size::new(3, 2).unwrap());
        assert_eq!(board.to_string(), drawing);
        assert_eq!("..X\n\n  o..".parse(), Ok(board));
        assert!(". x ?".parse::<Board>().unwrap_err().contains('?'));
    }

    #[test]
    fn windows_see_stones_and_edges() {
        let board: Board = "
            x . . . . .
            . x . . . .
            . . . o . .
            . . . . . .
            . x . . x .
            . . . . . x"
            .parse()
            .unwrap();
        let cells = |cells: &[i32]| cells.iter().map(|cell| 1 << (cell + 5)).sum::<u32>();
        let at = |direction| {
            let window = board.window(Side::First, direction, Point::new(3, 3).unwrap());
            (window.own, window.shut)
        };
        assert_eq!(at(Direction::Row), (0, cells(&[-5, -4, 3, 4, 5])));
        assert_eq!(at(Direction::Column), (0, cells(&[-5, -4, -1, 3, 4, 5])));
        assert_eq!(at(Direction::Falling), (cells(&[-3, -2, 1, 2]), cells(&[-5, -4, 3, 4, 5])));
        assert_eq!(at(Direction::Rising), (0, cells(&[-5, -4, -3, 3, 4, 5])));
    }
}

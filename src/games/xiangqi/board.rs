use super::square::{HEIGHT, SQUARES, Set, WIDTH, bit, each, point, square};
use super::{Kind, Piece};
use crate::{Point, Side, Step};
use std::fmt;
use std::hash::{Hash, Hasher};

/// Pieces on the 90 points, and whose turn it is.
///
/// Any pieces may stand anywhere: [`Board::faults`] tells what cannot be. Legal moves are told for every board; of two
/// kings of a side only the first from the top left is guarded.
#[derive(Clone)]
pub struct Board {
    pub(super) cells: [u8; SQUARES],
    pub(super) kinds: [Set; 7],
    pub(super) sides: [Set; 2],
    /// The occupied rows of each file.
    pub(super) files: [u16; 9],
    pub(super) to_move: Side,
}

/// What [`Board::play_unchecked`] needs to be taken back.
#[derive(Copy, Clone, Debug)]
pub struct Undo {
    from: u8,
    to: u8,
    captured: u8,
}

/// Why a step cannot be played.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PlayError {
    /// A point is not on the board of 9 by 10.
    OffBoard,
    /// Nothing stands where the step begins.
    NoPiece,
    /// What stands there is of the side that is not to move.
    OtherSide(Piece),
    /// The piece does not go there.
    NotThere(Piece),
    /// The side's own king could be taken after it, or faces the other king.
    KingLeft(Piece),
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::OffBoard => f.write_str("it leaves the board"),
            PlayError::NoPiece => f.write_str("nothing stands there"),
            PlayError::OtherSide(piece) => write!(f, "the {} is not on move", piece.name()),
            PlayError::NotThere(piece) => write!(f, "the {} does not go there", piece.name()),
            PlayError::KingLeft(piece) => write!(f, "the {} leaves its king to be taken", piece.name()),
        }
    }
}

impl std::error::Error for PlayError {}

impl Board {
    /// A board without pieces, Red to move.
    pub const fn empty() -> Board {
        Board { cells: [0; SQUARES], kinds: [0; 7], sides: [0; 2], files: [0; 9], to_move: Side::First }
    }

    /// The board at the start of a game.
    pub fn start() -> Board {
        const BACK: [Kind; 9] = [
            Kind::Rook,
            Kind::Horse,
            Kind::Elephant,
            Kind::Advisor,
            Kind::King,
            Kind::Advisor,
            Kind::Elephant,
            Kind::Horse,
            Kind::Rook,
        ];
        let mut board = Board::empty();
        for side in [Side::First, Side::Second] {
            let mut put = |kind, x: usize, from_back: u8| {
                let y = if side == Side::First { HEIGHT - 1 - from_back } else { from_back };
                board.set(y * WIDTH + x as u8, Some(Piece { side, kind }));
            };
            BACK.into_iter().enumerate().for_each(|(x, kind)| put(kind, x, 0));
            [1, 7].into_iter().for_each(|x| put(Kind::Cannon, x, 2));
            [0, 2, 4, 6, 8].into_iter().for_each(|x| put(Kind::Pawn, x, 3));
        }
        board
    }

    /// The piece on a point; `None` also off the board.
    pub fn piece(&self, point: Point) -> Option<Piece> {
        square(point).and_then(|square| Piece::from_code(self.cells[usize::from(square)]))
    }

    /// Puts a piece on a point or takes away what stands there; says whether the point is on the board.
    pub fn put(&mut self, point: Point, piece: Option<Piece>) -> bool {
        let Some(square) = square(point) else { return false };
        self.set(square, piece);
        true
    }

    /// The pieces, from the top left.
    pub fn pieces(&self) -> impl Iterator<Item = (Point, Piece)> + '_ {
        each(self.occupied())
            .filter_map(|square| Some((point(square), Piece::from_code(self.cells[usize::from(square)])?)))
    }

    /// The side to move.
    pub const fn to_move(&self) -> Side {
        self.to_move
    }

    /// Makes it the turn of a side.
    pub fn set_to_move(&mut self, side: Side) {
        self.to_move = side;
    }

    /// Where the king of a side stands.
    pub fn king(&self, side: Side) -> Option<Point> {
        self.king_square(side).map(point)
    }

    /// Plays a legal step, and gives what it captured.
    ///
    /// # Errors
    /// The step is not legal: the board stays as it was.
    pub fn play(&mut self, step: Step) -> Result<Option<Piece>, PlayError> {
        self.judge(step)?;
        let undo = self.play_unchecked(step);
        Ok(Piece::from_code(undo.captured))
    }

    /// Moves what stands at `from`, legal or not, and passes the turn.
    ///
    /// # Panics
    /// A point is off the board.
    pub fn play_unchecked(&mut self, step: Step) -> Undo {
        let [from, to] = [step.from, step.to].map(|point| square(point).expect("a point of the board"));
        self.shift(from, to)
    }

    /// Takes back the step played last.
    pub fn undo(&mut self, undo: Undo) {
        self.unshift(undo);
    }

    /// Why a step is not legal.
    ///
    /// # Errors
    /// What is against it.
    pub fn judge(&self, step: Step) -> Result<(), PlayError> {
        let (Some(from), Some(to)) = (square(step.from), square(step.to)) else { return Err(PlayError::OffBoard) };
        let piece = Piece::from_code(self.cells[usize::from(from)]).ok_or(PlayError::NoPiece)?;
        if piece.side != self.to_move {
            return Err(PlayError::OtherSide(piece));
        }
        if self.reach(from, piece.kind) & !self.sides[piece.side as usize] & bit(to) == 0 {
            return Err(PlayError::NotThere(piece));
        }
        if self.targets(from, &self.safety()) & bit(to) == 0 {
            return Err(PlayError::KingLeft(piece));
        }
        Ok(())
    }

    /// The image in a mirror: file `a` becomes file `i`.
    #[must_use]
    pub fn mirror(&self) -> Board {
        self.image(|square| square / WIDTH * WIDTH + (WIDTH - 1 - square % WIDTH), |piece| piece)
    }

    /// The board turned by half a turn: the top left point becomes the bottom right one, and pieces keep their sides.
    #[must_use]
    pub fn rotate(&self) -> Board {
        self.image(|square| SQUARES as u8 - 1 - square, |piece| piece)
    }

    /// The same with the colours exchanged: pieces stay where they are, and the other side is to move.
    #[must_use]
    pub fn swap_colours(&self) -> Board {
        let mut board = self.image(|square| square, |piece| Piece { side: piece.side.other(), ..piece });
        board.to_move = self.to_move.other();
        board
    }

    fn image(&self, place: impl Fn(u8) -> u8, piece: impl Fn(Piece) -> Piece) -> Board {
        let mut board = Board::empty();
        board.to_move = self.to_move;
        for square in each(self.occupied()) {
            board.set(place(square), Piece::from_code(self.cells[usize::from(square)]).map(&piece));
        }
        board
    }

    pub(super) fn set(&mut self, square: u8, piece: Option<Piece>) {
        let (set, row) = (bit(square), 1 << (square / WIDTH));
        if let Some(old) = Piece::from_code(self.cells[usize::from(square)]) {
            self.kinds[old.kind as usize] &= !set;
            self.sides[old.side as usize] &= !set;
        }
        let file = &mut self.files[usize::from(square % WIDTH)];
        *file &= !row;
        self.cells[usize::from(square)] = 0;
        if let Some(piece) = piece {
            *file |= row;
            self.kinds[piece.kind as usize] |= set;
            self.sides[piece.side as usize] |= set;
            self.cells[usize::from(square)] = piece.code();
        }
    }

    /// All pieces.
    #[inline]
    pub(super) const fn occupied(&self) -> Set {
        self.sides[0] | self.sides[1]
    }

    /// The pieces of a kind of a side.
    #[inline]
    pub(super) const fn those(&self, side: Side, kind: Kind) -> Set {
        self.sides[side as usize] & self.kinds[kind as usize]
    }

    pub(super) fn king_square(&self, side: Side) -> Option<u8> {
        each(self.those(side, Kind::King)).next()
    }

    #[inline]
    pub(super) fn shift(&mut self, from: u8, to: u8) -> Undo {
        let (piece, captured) = (self.cells[usize::from(from)], self.cells[usize::from(to)]);
        let both = bit(from) ^ bit(to);
        if let Some(taken) = Piece::from_code(captured) {
            self.kinds[taken.kind as usize] ^= bit(to);
            self.sides[taken.side as usize] ^= bit(to);
        } else {
            self.files[usize::from(to % WIDTH)] ^= 1 << (to / WIDTH);
        }
        if let Some(mover) = Piece::from_code(piece) {
            self.kinds[mover.kind as usize] ^= both;
            self.sides[mover.side as usize] ^= both;
            self.files[usize::from(from % WIDTH)] ^= 1 << (from / WIDTH);
        }
        self.cells[usize::from(to)] = piece;
        self.cells[usize::from(from)] = 0;
        self.to_move = self.to_move.other();
        Undo { from, to, captured }
    }

    #[inline]
    pub(super) fn unshift(&mut self, undo: Undo) {
        let Undo { from, to, captured } = undo;
        let piece = self.cells[usize::from(to)];
        let both = bit(from) ^ bit(to);
        if let Some(mover) = Piece::from_code(piece) {
            self.kinds[mover.kind as usize] ^= both;
            self.sides[mover.side as usize] ^= both;
            self.files[usize::from(from % WIDTH)] ^= 1 << (from / WIDTH);
        }
        if let Some(taken) = Piece::from_code(captured) {
            self.kinds[taken.kind as usize] ^= bit(to);
            self.sides[taken.side as usize] ^= bit(to);
        } else {
            self.files[usize::from(to % WIDTH)] ^= 1 << (to / WIDTH);
        }
        self.cells[usize::from(from)] = piece;
        self.cells[usize::from(to)] = captured;
        self.to_move = self.to_move.other();
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.cells == other.cells && self.to_move == other.to_move
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cells.hash(state);
        self.to_move.hash(state);
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (square, code) in self.cells.into_iter().enumerate() {
            let sign = Piece::from_code(code).map_or('.', Piece::letter);
            write!(f, "{sign}{}", if square % 9 == 8 { "\n" } else { " " })?;
        }
        write!(f, "{} to move", super::side_name(self.to_move))
    }
}

//! The position that a xiangqi game begins with, between the pieces of a file and the tag `FEN`.

use games::xiangqi::{Board, Fen, Kind, Piece};
use games::{Point, Side};
use record::Head;

/// Gives a record the position it begins with: a tag, unless it is the usual one.
pub(crate) fn set(head: &mut Head, board: &Board) {
    if *board != Board::start() {
        head.tags.push(("FEN".into(), Fen::from(board.clone()).to_string()));
    }
}

/// The pieces of a full set in the order in which many files say where each stands: Red's from file to file, the
/// cannons, the pawns; then Black's.
pub(crate) fn in_slot(slot: usize) -> Piece {
    use Kind::{Advisor, Cannon, Elephant, Horse, King, Pawn, Rook};
    const KINDS: [Kind; 16] = [
        Rook, Horse, Elephant, Advisor, King, Advisor, Elephant, Horse, Rook, Cannon, Cannon, Pawn, Pawn, Pawn, Pawn,
        Pawn,
    ];
    Piece { side: if slot < 16 { Side::First } else { Side::Second }, kind: KINDS[slot % 16] }
}

/// Where the piece of each slot stands.
///
/// # Errors
/// A piece for which there is no slot.
pub(crate) fn slots(board: &Board) -> Result<[Option<Point>; 32], Piece> {
    let mut slots = [None; 32];
    let mut pieces: Vec<_> = board.pieces().collect();
    // By files, as programs have them at the start.
    pieces.sort_by_key(|(point, _)| (point.x(), point.y()));
    for (point, piece) in pieces {
        let free = (0..32).find(|slot| in_slot(*slot) == piece && slots[*slot].is_none());
        slots[free.ok_or(piece)?] = Some(point);
    }
    Ok(slots)
}

/// The board of files that say what stands where, before it is known who moves.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The pieces; the side to move is what the file says.
    pub board: Board,
    is_told: bool,
}

impl Setup {
    /// Of these pieces.
    pub fn new(board: Board) -> Setup {
        Setup { board, is_told: false }
    }

    /// Takes a move of the root: the first one that finds a piece says by it who is to move.
    pub fn first_move(&mut self, from: Point) {
        if let Some(piece) = self.board.piece(from).filter(|_| !self.is_told) {
            self.is_told = true;
            self.board.set_to_move(piece.side);
        }
    }

    /// The side that makes the move of a ply, from 1.
    pub fn side_of_ply(&self, ply: usize) -> Side {
        Side::of_ply(ply + usize::from(self.board.to_move() == Side::Second))
    }
}

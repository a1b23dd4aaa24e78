//! The position that a xiangqi game begins with, between the pieces of a file and the tag `FEN`.

use games::Side;
use games::xiangqi::{Board, Fen};
use record::Head;

/// Gives a record the position it begins with: a tag, unless it is the usual one.
pub(crate) fn set(head: &mut Head, board: &Board) {
    if *board != Board::start() {
        head.tags.push(("FEN".into(), Fen::from(board.clone()).to_string()));
    }
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
    pub fn first_move(&mut self, from: games::Point) {
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

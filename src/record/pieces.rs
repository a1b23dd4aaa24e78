use crate::{Head, Play};
use games::xiangqi::{Board, Fen, FenOptions, Remark, Undo};
use games::{Move, Side};

/// The pieces on a xiangqi board while a tree is walked in pre-order.
#[derive(Clone, Debug)]
pub struct Pieces {
    board: Board,
    /// What each node on the way from the root did, a node a depth from 1.
    done: Vec<Done>,
}

#[derive(Copy, Clone, Debug)]
enum Done {
    Nothing,
    Turn(Side),
    Step(Undo),
}

impl Pieces {
    /// The position that a record begins with.
    ///
    /// # Errors
    /// What cannot be read in the tag `FEN`.
    pub fn new(head: &Head) -> Result<Pieces, Remark> {
        let fen = match head.fen() {
            None => Fen::start(),
            Some(text) => Fen::read(text, FenOptions { strict: false, other_letters: true })?.0,
        };
        Ok(Pieces { board: fen.board, done: Vec::new() })
    }

    /// The position.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Goes back to the position before a node of this depth, whose node above was entered; the root has depth 0.
    pub fn back_to(&mut self, depth: usize) {
        while self.done.len() >= depth.max(1)
            && let Some(done) = self.done.pop()
        {
            match done {
                Done::Nothing => {}
                Done::Turn(side) => self.board.set_to_move(side),
                Done::Step(undo) => self.board.undo(undo),
            }
        }
    }

    /// Plays what a node adds, legal or not, after [`Pieces::back_to`] its depth.
    pub fn enter(&mut self, play: Play) {
        let to_move = self.board.to_move();
        self.done.push(match play {
            Play::Move(Move::Step(step)) => Done::Step(self.board.play_unchecked(step)),
            Play::Move(Move::Pass) => {
                self.board.set_to_move(to_move.other());
                Done::Turn(to_move)
            }
            Play::Move(Move::Place(_)) | Play::Label(_) | Play::Nothing => Done::Nothing,
        });
    }
}

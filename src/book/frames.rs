use crate::Frame;
use games::{Game, Rules, Size};
use record::{Key, StoneKey};
use std::sync::Arc;

/// The frames of the boards that were asked for.
#[derive(Clone, Debug)]
pub struct Frames {
    symmetric: bool,
    known: Vec<Arc<Frame>>,
}

impl Frames {
    /// No frame yet; keys are turned into their least image if `symmetric`.
    pub fn new(symmetric: bool) -> Frames {
        Frames { symmetric, known: Vec::new() }
    }

    /// The frame of a board of a game.
    pub fn of(&mut self, game: Game, size: Size) -> &Frame {
        self.shared(game, size)
    }

    /// The frame of a position.
    pub fn of_key(&mut self, key: &Key) -> &Frame {
        self.of(key.rules().game(), key.size())
    }

    /// The frame of a position of gomoku.
    pub fn of_stones(&mut self, key: &StoneKey) -> &Frame {
        self.of(Game::Gomoku, key.size)
    }

    /// The frame of a board as [`board`](crate::board) tells it of a key.
    pub fn of_board(&mut self, (rules, size): (Rules, Size)) -> &Frame {
        self.of(rules.game(), size)
    }

    /// The frame of a board, to be held by several.
    pub(crate) fn shared(&mut self, game: Game, size: Size) -> &Arc<Frame> {
        let is_it = |frame: &Arc<Frame>| frame.game() == game && frame.size() == size;
        let at = self.known.iter().position(is_it).unwrap_or_else(|| {
            self.known.push(Arc::new(Frame::new(game, size, self.symmetric)));
            self.known.len() - 1
        });
        &self.known[at]
    }
}

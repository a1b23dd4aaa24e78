use crate::StoneKey;
use games::xiangqi::Board;
use games::{Move, Rules, Side, Size, Symmetry};

/// A position as a book tells it from others: what stands where, whose turn it is, the rules and the board.
///
/// Passes, the order of moves and counters leave no trace but the side to move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// StoneKey of five in a row.
    Gomoku(StoneKey),
    /// Pieces of xiangqi.
    Xiangqi(Box<Board>),
}

impl Key {
    /// The game and its rule.
    pub fn rules(&self) -> Rules {
        match self {
            Key::Gomoku(stones) => Rules::Gomoku(stones.rule),
            Key::Xiangqi(_) => Rules::Xiangqi,
        }
    }

    /// The board.
    pub fn size(&self) -> Size {
        match self {
            Key::Gomoku(stones) => stones.size,
            Key::Xiangqi(_) => Size::XIANGQI,
        }
    }

    /// Who moves next.
    pub fn to_move(&self) -> Side {
        match self {
            Key::Gomoku(stones) => stones.to_move,
            Key::Xiangqi(board) => board.to_move(),
        }
    }

    /// The stones, if it is a position of gomoku.
    pub fn stones(&self) -> Option<&StoneKey> {
        match self {
            Key::Gomoku(stones) => Some(stones),
            Key::Xiangqi(_) => None,
        }
    }

    /// The pieces, if it is a position of xiangqi.
    pub fn pieces(&self) -> Option<&Board> {
        match self {
            Key::Gomoku(_) => None,
            Key::Xiangqi(board) => Some(board),
        }
    }

    /// The position after a symmetry: one of the board in gomoku, the identity or the reflection that exchanges left
    /// and right in xiangqi, where others leave the position as it is.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> Key {
        match self {
            Key::Gomoku(stones) => Key::Gomoku(stones.turned(symmetry)),
            Key::Xiangqi(board) if symmetry == Symmetry::Mirror => Key::Xiangqi(Box::new(board.mirror())),
            Key::Xiangqi(_) => self.clone(),
        }
    }

    /// The position after a move; `None` where it cannot be played: a stone on a stone, or a step that is not legal.
    pub fn after(&self, play: Move) -> Option<Key> {
        match self {
            Key::Gomoku(stones) => stones.after(play).map(Key::Gomoku),
            Key::Xiangqi(board) => {
                let mut next = board.clone();
                match play {
                    Move::Step(step) => drop(next.play(step).ok()?),
                    Move::Pass => next.set_to_move(board.to_move().other()),
                    Move::Place(_) => return None,
                }
                Some(Key::Xiangqi(next))
            }
        }
    }
}

impl From<StoneKey> for Key {
    fn from(stones: StoneKey) -> Key {
        Key::Gomoku(stones)
    }
}

impl From<Board> for Key {
    fn from(board: Board) -> Key {
        Key::Xiangqi(Box::new(board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Rule, Step};

    #[test]
    fn a_move_of_either_game_leads_on_and_turns_with_the_position() {
        let size = Size::default();
        let stones = StoneKey { rule: Rule::Renju, size, to_move: Side::First, stones: Vec::new() };
        let point = size.points().nth(3).unwrap();
        let step = Step::from_text("b0c2").unwrap();
        for (key, play) in [(Key::from(stones), Move::Place(point)), (Key::from(Board::start()), Move::Step(step))] {
            let mirrored = match play {
                Move::Step(_) => Move::Step(Step::from_text("h0g2").unwrap()),
                _ => Move::Place(Symmetry::Mirror.apply(point, size)),
            };
            let next = key.after(play).unwrap();
            assert_eq!(next.to_move(), Side::Second);
            assert_eq!(next.turned(Symmetry::Mirror), key.turned(Symmetry::Mirror).after(mirrored).unwrap());
            assert_eq!(next.after(play), None);
        }
    }
}

use games::gomoku::Board;
use games::{Move, Point, Rule, Side, Size, Symmetry};

/// A position of gomoku: the stones, whose turn it is, the rule and the board.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StoneKey {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// Who moves next.
    pub to_move: Side,
    /// The stones, in the order of [`Point`]: row by row from the top left.
    pub stones: Vec<(Point, Side)>,
}

impl StoneKey {
    /// The stones on a board.
    pub fn new(board: &Board, to_move: Side, rule: Rule) -> StoneKey {
        StoneKey { rule, size: board.size(), to_move, stones: board.stones().collect() }
    }

    /// The position after a symmetry.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> StoneKey {
        let turn = |(point, side): &(Point, Side)| (symmetry.apply(*point, self.size), *side);
        let mut stones: Vec<_> = self.stones.iter().map(turn).collect();
        stones.sort_unstable_by_key(|(point, _)| *point);
        StoneKey { size: symmetry.turn_size(self.size), stones, ..*self }
    }

    /// The position after a move; `None` where the point is taken or off the board.
    pub fn after(&self, play: Move) -> Option<StoneKey> {
        let mut stones = self.stones.clone();
        match play {
            Move::Pass => {}
            Move::Place(point) if self.size.contains(point) => {
                let at = stones.binary_search_by_key(&point, |(point, _)| *point).err()?;
                stones.insert(at, (point, self.to_move));
            }
            Move::Place(_) | Move::Step(_) => return None,
        }
        Some(StoneKey { stones, to_move: self.to_move.other(), ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_turn_with_their_board() {
        let board: Board = "x . .\n. o .\n. . .".parse().unwrap();
        let stones = StoneKey::new(&board, Side::First, Rule::Renju);
        for symmetry in Symmetry::ALL {
            assert_eq!(stones.turned(symmetry), StoneKey::new(&board.turned(symmetry), Side::First, Rule::Renju));
        }
    }
}

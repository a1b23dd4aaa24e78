use crate::{Coords, Game, Point, Size, Step};

/// What a side does on its turn.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// The side gives up its turn.
    Pass,
    /// A stone on a point.
    Place(Point),
    /// A piece from a point to another (xiangqi).
    Step(Step),
}

impl Move {
    /// The point of a stone; `None` for a pass and for a step.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Place(point) => Some(point),
            Move::Pass | Move::Step(_) => None,
        }
    }

    /// The step of a piece; `None` for a pass and for a stone.
    pub const fn step(self) -> Option<Step> {
        match self {
            Move::Step(step) => Some(step),
            Move::Pass | Move::Place(_) => None,
        }
    }

    /// The move in ASCII: `h8` on a board of this size, `h2e2` in xiangqi, `--` for a pass.
    pub fn text(self, size: Size) -> String {
        match self {
            Move::Pass => "--".into(),
            Move::Place(point) => Coords::A1.text(point, size),
            Move::Step(step) => step.to_string(),
        }
    }

    /// The move that [`Move::text`] writes so; `None` of a text that is no move of the game.
    pub fn from_text(text: &str, game: Game, size: Size) -> Option<Move> {
        match (text, game) {
            ("--", _) => Some(Move::Pass),
            (_, Game::Gomoku) => Coords::A1.parse(text, size).map(Move::Place),
            (_, Game::Xiangqi) => Step::from_text(text).map(Move::Step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_written_as_it_is_read() {
        let size = Size::default();
        for (text, game) in [("h8", Game::Gomoku), ("o15", Game::Gomoku), ("h2e2", Game::Xiangqi)] {
            assert_eq!(Move::from_text(text, game, size).unwrap().text(size), text);
        }
        for game in [Game::Gomoku, Game::Xiangqi] {
            assert_eq!(Move::from_text("--", game, size), Some(Move::Pass));
            assert_eq!(Move::from_text("x", game, size), None);
        }
        assert_eq!(Move::from_text("h2e2", Game::Gomoku, size), None);
        assert_eq!(Move::from_text("h8", Game::Xiangqi, size), None);
    }
}

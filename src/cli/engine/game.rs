use engine::Unfit;
use games::gomoku::{Board, Three, forbidden};
use games::{Point, Rule, Side, Size};

/// The stones, whose turn it is, and the rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The stones.
    pub stones: Board,
    /// Who moves next.
    pub to_move: Side,
    /// What wins.
    pub rule: Rule,
}

impl Game {
    /// A game that has not begun.
    pub fn new(size: Size, rule: Rule) -> Game {
        Game { stones: Board::new(size), to_move: Side::First, rule }
    }

    /// The board.
    pub const fn size(&self) -> Size {
        self.stones.size()
    }

    /// How many stones there are.
    pub const fn count(&self) -> usize {
        self.stones.count(Side::First) + self.stones.count(Side::Second)
    }

    /// The position for a search.
    pub fn board(&self) -> Result<engine::Board, Unfit> {
        engine::Board::new(&self.stones, self.rule, Three::default())
    }

    /// Plays a point that [is empty](Board::is_empty).
    pub fn play(&mut self, point: Point) {
        self.stones.play_unchecked(point, self.to_move);
        self.to_move = self.to_move.other();
    }

    /// Whether the side to move may play on the point.
    pub fn is_legal(&self, point: Point) -> bool {
        let is_black = self.rule == Rule::Renju && self.to_move == Side::First;
        self.stones.is_empty(point) && !(is_black && forbidden::is_forbidden(&self.stones, point, Three::default()))
    }

    /// The legal point that is nearest to the middle; `None` if there is none.
    pub fn any_point(&self) -> Option<Point> {
        let (width, height) = (self.size().width(), self.size().height());
        // Twice the way, so that boards with an even side have a middle.
        let far = |point: &Point| (2 * point.x() + 1).abs_diff(width).max((2 * point.y() + 1).abs_diff(height));
        self.stones.empty_points().filter(|point| self.is_legal(*point)).min_by_key(far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_point_is_the_middle_first_and_never_forbidden() {
        let mut game = Game::new(Size::default(), Rule::Renju);
        assert_eq!(game.any_point(), Point::new(7, 7));
        // Two threes meet in the middle.
        let black = [(8, 7), (9, 7), (7, 8), (7, 9)];
        for (x, y) in black {
            game.stones.play_unchecked(Point::new(x, y).unwrap(), Side::First);
        }
        let point = game.any_point().unwrap();
        assert_ne!(point, Point::new(7, 7).unwrap());
        assert!(game.is_legal(point));
        game.to_move = Side::Second;
        assert_eq!(game.any_point(), Point::new(7, 7));
    }

    #[test]
    fn a_full_board_has_no_point() {
        let mut game = Game::new(Size::square(5).unwrap(), Rule::Freestyle);
        for count in 0..25 {
            assert_eq!(game.count(), count);
            let point = game.any_point().unwrap();
            game.play(point);
        }
        assert_eq!(game.any_point(), None);
    }
}

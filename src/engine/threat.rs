use crate::{Board, Kind, Line, Points, Step};
use games::gomoku::Direction;
use games::{Point, Rule, Side};

/// A victory by fours that the attacker would have if the defender passed.
pub(crate) struct Threat<'a> {
    pub attacker: Side,
    /// Its steps, the first move the last of them.
    pub steps: &'a [Step],
}

impl Threat<'_> {
    /// Points that hold all replies which stop the threat, those aside that make a four at once.
    ///
    /// Of the points that it holds some stop nothing. The board is the one with the defender to move.
    pub fn stops(&self, board: &mut Board) -> Points {
        let mut points = Points::EMPTY;
        if board.rule() == Rule::Caro {
            self.around(board, &mut points);
        } else {
            self.along(board, self.steps.len() - 1, &mut points);
        }
        points
    }

    /// In caro a stone at the end of a five may stop it, and a row may be enclosed: every point that has a line in
    /// common with one of the threat may matter.
    fn around(&self, board: &Board, points: &mut Points) {
        let mut star = |point: Point| {
            points.insert(point);
            for direction in Direction::ALL {
                near(board, point, direction, 6, points);
            }
        };
        for step in self.steps {
            star(step.attack);
            step.replies.iter().for_each(|(reply, _)| star(*reply));
        }
    }

    /// Follows the line of the threat; each four of it has one answer.
    ///
    /// The depth is bounded by the empty points: each level puts two stones on the board.
    fn along(&self, board: &mut Board, at: usize, points: &mut Points) {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        let step = &self.steps[at];
        points.insert(step.attack);
        // Another stone may make a second three real, which makes the attack forbidden.
        if board.kind(step.attack, attacker).has(Kind::PERHAPS) {
            self.probe(board, points, |board| board.is_forbidden(step.attack, attacker));
        }
        board.put(step.attack, attacker);
        let fives = *board.fives(attacker);
        fives.iter().for_each(|five| points.insert(five));
        match step.replies.first() {
            Some(&(reply, next)) => {
                // A reply that makes a four together with the stone that is asked about.
                for direction in Direction::ALL {
                    if board.line(reply, direction, defender) >= Line::Three {
                        near(board, reply, direction, 4, points);
                    }
                }
                board.put(reply, defender);
                self.along(board, next.0 as usize, points);
                board.take(reply, defender);
            }
            None => {
                // The last four has two answers, or one that is forbidden and may become legal.
                if let Some(reply) = fives.only() {
                    self.probe(board, points, |board| !board.is_forbidden(reply, defender));
                }
            }
        }
        board.take(step.attack, attacker);
    }

    /// Adds the points on which a stone of the defender makes it so.
    fn probe(&self, board: &mut Board, points: &mut Points, is_so: impl Fn(&Board) -> bool) {
        let defender = self.attacker.other();
        for point in board.stones().empty_points().collect::<Vec<_>>() {
            if !points.contains(point) {
                board.put(point, defender);
                if is_so(board) {
                    points.insert(point);
                }
                board.take(point, defender);
            }
        }
    }

    /// Whether the line of the threat wins although the defender has played a reply; not to be asked in caro.
    pub fn holds(&self, board: &mut Board) -> bool {
        self.holds_from(board, self.steps.len() - 1)
    }

    fn holds_from(&self, board: &mut Board, at: usize) -> bool {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        let step = &self.steps[at];
        if !board.stones().is_empty(step.attack) || board.is_forbidden(step.attack, attacker) {
            return false;
        }
        board.put(step.attack, attacker);
        let fives = *board.fives(attacker);
        let holds = !fives.is_empty()
            && board.fives(defender).is_empty()
            && match (fives.only(), step.replies.first()) {
                (None, _) => true,
                (Some(five), _) if board.is_forbidden(five, defender) => true,
                (Some(five), Some(&(reply, next))) if five == reply => {
                    board.put(reply, defender);
                    let holds = self.holds_from(board, next.0 as usize);
                    board.take(reply, defender);
                    holds
                }
                _ => false,
            };
        board.take(step.attack, attacker);
        holds
    }
}

/// Adds the empty points at most so many steps away.
fn near(board: &Board, point: Point, direction: Direction, steps: i8, points: &mut Points) {
    let along = (-steps..=steps).filter_map(|steps| direction.step(point, steps));
    along.filter(|near| board.stones().is_empty(*near)).for_each(|near| points.insert(near));
}

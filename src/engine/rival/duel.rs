use super::failure::{Failure, Misplay};
use super::{Eval, Gomocup, Remark};
use games::gomoku::{Board, Kinds, Made, Three, forbidden, made};
use games::{Point, Rule, Side, Size};
use record::{Score, Value};
use std::time::Duration;

/// The terms of a game between two engines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duel {
    /// What wins.
    pub rule: Rule,
    /// How threes are read where they may be forbidden.
    pub three: Three,
    /// The board.
    pub size: Size,
    /// The moves that the engines do not choose, the first player's first.
    pub opening: Vec<Point>,
    /// A game of so many plies, the opening's included, is drawn.
    pub draw_after: Option<usize>,
}

/// The time of an engine.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// For a move.
    pub turn: Duration,
    /// For all moves of a game.
    pub total: Option<Duration>,
    /// How much more it may take before the game is lost.
    pub patience: Duration,
}

/// A move of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// Who.
    pub side: Side,
    /// Where.
    pub point: Point,
    /// What it took.
    pub time: Duration,
    /// How much more that is than there was.
    pub over: Duration,
    /// What the engine said of it.
    pub remark: Remark,
}

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The moves after the opening.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub ending: Ending,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// This side made five.
    Five(Side),
    /// The board is full.
    Full,
    /// It has as many plies as a game may have.
    Long,
    /// This side's engine failed, and the side has lost.
    Failed(Side, Failure),
}

impl Ending {
    /// Who won; `None` for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Ending::Five(side) => Some(*side),
            Ending::Failed(side, _) => Some(side.other()),
            Ending::Full | Ending::Long => None,
        }
    }
}

impl Ply {
    /// What the engine thought of the position after its move, from the first player's view.
    pub fn value(&self) -> Option<Value> {
        // The engine counts from before the move.
        let after = |plies: u16| plies.saturating_sub(1);
        let score = match (self.remark.eval?, self.side) {
            (Eval::Points(points), Side::First) => Score::Points(points),
            (Eval::Points(points), Side::Second) => Score::Points(points.saturating_neg()),
            (Eval::Wins(plies), Side::First) | (Eval::Loses(plies), Side::Second) => Score::FirstWins(after(plies)),
            (Eval::Wins(plies), Side::Second) | (Eval::Loses(plies), Side::First) => Score::SecondWins(after(plies)),
        };
        Some(Value { score, depth: self.remark.depth })
    }
}

impl Duel {
    /// Why the opening cannot be played: a stone off the board or on another, a row that wins, a forbidden point.
    pub fn flaw(&self) -> Option<String> {
        let mut board = Board::new(self.size);
        for (at, point) in self.opening.iter().enumerate() {
            match self.put(&mut board, *point, Side::of_ply(at + 1)) {
                Ok(None) => {}
                Ok(Some(_)) => return Some("the game is over with it".into()),
                Err(misplay) => return Some(misplay.to_string()),
            }
        }
        None
    }

    /// Plays a move and says whether it ends the game.
    fn put(&self, board: &mut Board, point: Point, side: Side) -> Result<Option<Ending>, Misplay> {
        if !self.size.contains(point) {
            return Err(Misplay::OffBoard(format!("{},{}", point.x(), point.y())));
        }
        let is_blacks = self.rule == Rule::Renju && side == Side::First;
        let kinds = if is_blacks { forbidden::kinds(board, point, self.three) } else { Kinds::NONE };
        if !kinds.is_empty() {
            return Err(Misplay::Forbidden(point, self.size, kinds));
        }
        board.play(point, side).map_err(|_| Misplay::Occupied(point, self.size))?;
        if made(board, point, side, self.rule) == Made::Five {
            return Ok(Some(Ending::Five(side)));
        }
        Ok(board.empty_points().next().is_none().then_some(Ending::Full))
    }

    /// Plays a game between engines that have begun one; `Err` if it was stopped.
    pub fn play(&self, engines: [&mut Gomocup<'_>; 2], clocks: [Clock; 2]) -> Result<Game, Failure> {
        let mut board = Board::new(self.size);
        let mut moves = self.opening.clone();
        for (at, point) in moves.iter().enumerate() {
            // An opening with a flaw is the caller's to refuse.
            let _ = board.play(*point, Side::of_ply(at + 1));
        }
        let mut plies = Vec::new();
        let mut left = clocks.map(|clock| clock.total.map(|total| total.as_millis() as i64));
        loop {
            let end = |plies, ending| Ok(Game { plies, ending });
            if self.draw_after.is_some_and(|most| moves.len() >= most) {
                return end(plies, Ending::Long);
            }
            let side = Side::of_ply(moves.len() + 1);
            let (clock, left) = (&clocks[side as usize], &mut left[side as usize]);
            let limit = left.map_or(clock.turn, |left| clock.turn.min(Duration::from_millis(left.max(0) as u64)));
            let used_up = left.map_or(Duration::ZERO, |left| Duration::from_millis(left.min(0).unsigned_abs()));
            let patience = (limit + clock.patience).saturating_sub(used_up);
            let reply = match engines[side as usize].think(&moves, *left, patience) {
                Ok(reply) => reply,
                Err(Failure::Stopped) => return Err(Failure::Stopped),
                Err(failure) => return end(plies, Ending::Failed(side, failure)),
            };
            if let Some(left) = left {
                *left -= reply.time.as_millis() as i64;
            }
            let over = reply.time.saturating_sub(limit);
            moves.push(reply.point);
            plies.push(Ply { side, point: reply.point, time: reply.time, over, remark: reply.remark });
            match self.put(&mut board, reply.point, side) {
                Ok(None) => {}
                Ok(Some(ending)) => return end(plies, ending),
                Err(misplay) => return end(plies, Ending::Failed(side, Failure::Misplay(misplay))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Coords, Move, parse_moves};

    fn duel(rule: Rule, moves: &str) -> Duel {
        let size = Size::default();
        let moves = parse_moves(moves, Coords::A1, size).unwrap();
        let opening = moves.into_iter().filter_map(Move::point).collect();
        Duel { rule, three: Three::Rif, size, opening, draw_after: None }
    }

    #[test]
    fn openings_that_cannot_be_played_are_told() {
        assert_eq!(duel(Rule::Renju, "h8i9j10").flaw(), None);
        assert_eq!(duel(Rule::Renju, "h8i9h8").flaw(), Some("a stone stands on h8 already".into()));
        let forbidden = "f8a1g8o1h6a15h7o15h8";
        assert_eq!(duel(Rule::Renju, forbidden).flaw(), Some("h8 is forbidden to Black (double-three)".into()));
        assert_eq!(duel(Rule::Freestyle, forbidden).flaw(), None);
        assert_eq!(duel(Rule::Caro, "h8a1i8a2j8a3k8a4l8").flaw(), Some("the game is over with it".into()));
        let small = Duel { size: Size::square(7).unwrap(), ..duel(Rule::Caro, "h8") };
        assert_eq!(small.flaw(), Some("the move `7,7` is off the board".into()));
    }

    #[test]
    fn values_are_the_first_players_after_the_move() {
        let value = |side, eval| {
            let remark = Remark { eval: Some(eval), depth: Some(9), nodes: None };
            let point = Point::new(7, 7).unwrap();
            let (time, over) = (Duration::ZERO, Duration::ZERO);
            Ply { side, point, time, over, remark }.value().unwrap().text()
        };
        assert_eq!(value(Side::First, Eval::Points(12)), "12,9");
        assert_eq!(value(Side::Second, Eval::Points(12)), "-12,9");
        assert_eq!(value(Side::Second, Eval::Points(i32::MIN)), "2147483647,9");
        // The winner's last stone is the ply that a win in one counts.
        assert_eq!(value(Side::First, Eval::Wins(1)), "#+0,9");
        assert_eq!(value(Side::Second, Eval::Wins(5)), "#-4,9");
        assert_eq!(value(Side::First, Eval::Loses(4)), "#-3,9");
        assert_eq!(value(Side::Second, Eval::Loses(4)), "#+3,9");
    }
}

use super::{Failure as Fault, Misplay};
use crate::evaluator::board;
use games::gomoku::{Board, Kinds, Three, forbidden};
use games::{Point, Rule, Side};
use record::{Failure, Finding, Judgement, Question, StoneKey};
use std::sync::atomic::{AtomicBool, Ordering};

/// What came instead of a finding.
pub(super) enum Trouble {
    Stopped,
    Unfit(String),
    /// It is to be asked again.
    Wrong(String),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        match fault {
            Fault::Stopped => Trouble::Stopped,
            Fault::Refused(_) | Fault::Unoffered(_) => Trouble::Unfit(fault.to_string()),
            fault => Trouble::Wrong(fault.to_string()),
        }
    }
}

/// A question, and the position as engines are told it.
pub(super) struct Asked<'q> {
    pub question: &'q Question,
    /// Its position.
    pub position: &'q StoneKey,
    /// The points that are not to be considered.
    pub except: Vec<Point>,
    /// The stones as moves of both sides in turn.
    pub moves: Vec<Point>,
    stones: Board,
}

impl Asked<'_> {
    /// Whether the side to move may play there; else a sentence.
    pub fn may(&self, point: Point) -> Result<(), String> {
        let StoneKey { rule, size, to_move, .. } = *self.position;
        let is_blacks = rule == Rule::Renju && to_move == Side::First;
        if !self.stones.is_empty(point) {
            return Err(Misplay::Occupied(point, size).to_string());
        }
        let kinds = if is_blacks { forbidden::kinds(&self.stones, point, Three::Rif) } else { Kinds::NONE };
        if kinds.is_empty() { Ok(()) } else { Err(Misplay::Forbidden(point, size, kinds).to_string()) }
    }

    /// The points that may be considered.
    pub fn free(&self) -> impl Iterator<Item = Point> {
        let is_left_out = |point: &Point| self.except.contains(point);
        self.stones.empty_points().filter(move |point| !is_left_out(point) && self.may(*point).is_ok())
    }
}

/// Asks an engine of gomoku until it answers sensibly, so often; each failure before is a remark of the finding.
pub(super) fn insist(
    question: &Question,
    tries: u32,
    stop: &AtomicBool,
    mut ask: impl FnMut(&Asked<'_>) -> Result<Finding, Trouble>,
) -> Result<Finding, Failure> {
    let position = question.stones()?;
    board(position)?;
    let stones = Board::with_stones(position.size, position.stones.iter().copied());
    let stones = stones.map_err(|error| Failure::Unfit(error.to_string()))?;
    let moves = in_turn(position);
    let except = question.points_left_out();
    let asked = Asked { question, position, except, moves: moves.clone().unwrap_or_default(), stones };
    if asked.free().next().is_none() {
        return Ok(Finding { scale: Judgement::SCALE, ..Finding::default() });
    }
    if moves.is_none() {
        return Err(Failure::Unfit("a side has passed, which this protocol has no word for".into()));
    }
    persist(tries, stop, || ask(&asked))
}

/// Asks until there is a sensible answer, so often; each failure before is a remark of the finding.
pub(super) fn persist(
    tries: u32,
    stop: &AtomicBool,
    mut ask: impl FnMut() -> Result<Finding, Trouble>,
) -> Result<Finding, Failure> {
    let mut remarks: Vec<String> = Vec::new();
    for _ in 0..tries.max(1) {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        match ask() {
            Ok(mut found) => {
                found.remarks = [remarks, found.remarks].concat();
                return Ok(found);
            }
            Err(Trouble::Stopped) => return Err(Failure::Stopped),
            Err(Trouble::Unfit(why)) => return Err(Failure::Unfit(told(&remarks, &why))),
            Err(Trouble::Wrong(why)) => remarks.push(why),
        }
    }
    let last = remarks.pop().unwrap_or_default();
    Err(Failure::Broken(told(&remarks, &last)))
}

/// Examines an engine until that ends, so often.
pub(super) fn examine_again(tries: u32, mut examine: impl FnMut() -> Result<(), Trouble>) -> Result<(), Failure> {
    let mut tried = 0;
    loop {
        tried += 1;
        match examine() {
            Ok(()) => return Ok(()),
            Err(Trouble::Stopped) => return Err(Failure::Stopped),
            Err(Trouble::Unfit(why)) => return Err(Failure::Unfit(why)),
            Err(Trouble::Wrong(why)) if tried >= tries.max(1) => return Err(Failure::Broken(why)),
            Err(Trouble::Wrong(_)) => {}
        }
    }
}

/// The name of an engine as a source: none has that of our own evaluator, whose values are others.
pub(super) fn source(name: &str) -> String {
    let own = crate::evaluator::source();
    if name == own { own.replacen("kifu", "kifu engine", 1) } else { name.into() }
}

/// What went wrong, each thing once, the last last.
fn told(remarks: &[String], last: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in remarks.iter().map(String::as_str).chain([last]) {
        if parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    let tries = if remarks.is_empty() { String::new() } else { format!("asked {} times: ", remarks.len() + 1) };
    tries + &parts.join("; then ")
}

/// The stones as moves of both sides in turn, in the order of the board; `None` where their numbers do not fit who is
/// to move.
fn in_turn(position: &StoneKey) -> Option<Vec<Point>> {
    let of = |side| position.stones.iter().filter(move |(_, whose)| *whose == side).map(|(point, _)| *point);
    let (first, second): (Vec<Point>, Vec<Point>) = (of(Side::First).collect(), of(Side::Second).collect());
    let ahead = usize::from(position.to_move == Side::Second);
    if first.len() != second.len() + ahead {
        return None;
    }
    let mut seconds = second.into_iter();
    Some(first.into_iter().flat_map(|point| [Some(point), seconds.next()]).flatten().collect())
}

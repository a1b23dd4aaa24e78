use crate::{Proof, StepId};
use games::gomoku::{Board, Made, Three, forbidden_slow, made};
use games::{Coords, Point, Rule, Side, Size};
use std::fmt;

/// Why a proof proves nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// Somebody has won before it begins, with a row through this stone.
    Over(Point, Size),
    /// A move cannot be played: the point has a stone or lies off the board.
    Unplayable(Point, Size),
    /// The rules forbid the attacker's move.
    Forbidden(Point, Size),
    /// The attacker's move leaves the other side a five on this point.
    Lost(Point, Size),
    /// This reply is not answered, and no five is left after it.
    Unanswered(Point, Size),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (point, size, what) = match *self {
            Flaw::Over(point, size) => (point, size, "stands in a row that wins already"),
            Flaw::Unplayable(point, size) => (point, size, "cannot be played"),
            Flaw::Forbidden(point, size) => (point, size, "is forbidden"),
            Flaw::Lost(point, size) => (point, size, "makes a five for the defender"),
            Flaw::Unanswered(point, size) => (point, size, "is not answered"),
        };
        let name = if size.contains(point) { Coords::A1.text(point, size) } else { "a point off the board".into() };
        write!(f, "{name} {what}")
    }
}

impl std::error::Error for Flaw {}

/// What is next on the way through a proof.
enum Task {
    /// The attacker plays a step.
    Attack(StepId),
    /// The defender plays this reply.
    Reply(Point),
    /// A stone is taken.
    Take(Point),
}

/// Replays a proof against every reply, by the slow rules and with nothing of the solver's.
///
/// Of the replies that are not in the proof each must be forbidden, or leave the attacker a five.
pub fn verify(stones: &Board, rule: Rule, three: Three, proof: &Proof) -> Result<(), Flaw> {
    let size = stones.size();
    let mut board = *stones;
    let (attacker, defender) = (proof.attacker(), proof.attacker().other());
    if let Some((point, _)) = board.stones().find(|&(point, side)| made(&board, point, side, rule) == Made::Five) {
        return Err(Flaw::Over(point, size));
    }
    let wins = |board: &Board, point, side| board.is_empty(point) && made(board, point, side, rule) == Made::Five;
    let is_forbidden = |board: &Board, point, side| {
        rule == Rule::Renju && side == Side::First && !forbidden_slow::kinds(board, point, three).is_empty()
    };
    let mut tasks = vec![Task::Attack(proof.first())];
    while let Some(task) = tasks.pop() {
        let id = match task {
            Task::Take(point) => {
                board.undo(point);
                continue;
            }
            Task::Reply(point) => {
                board.play(point, defender).map_err(|_| Flaw::Unplayable(point, size))?;
                continue;
            }
            Task::Attack(id) => id,
        };
        let step = proof.step(id);
        if wins(&board, step.attack, attacker) {
            continue;
        }
        if is_forbidden(&board, step.attack, attacker) {
            return Err(Flaw::Forbidden(step.attack, size));
        }
        board.play(step.attack, attacker).map_err(|_| Flaw::Unplayable(step.attack, size))?;
        tasks.push(Task::Take(step.attack));
        if let Some(five) = board.empty_points().find(|point| wins(&board, *point, defender)) {
            return Err(Flaw::Lost(five, size));
        }
        // A stone of the defender makes no new five for the attacker, so that these are all there can be.
        let fives: Vec<Point> = board.empty_points().filter(|point| wins(&board, *point, attacker)).collect();
        for reply in board.empty_points().collect::<Vec<_>>() {
            if step.replies.iter().any(|(answered, _)| *answered == reply) {
                continue;
            }
            board.play(reply, defender).map_err(|_| Flaw::Unplayable(reply, size))?;
            let is_won = fives.iter().any(|five| wins(&board, *five, attacker));
            board.undo(reply);
            if !is_won && !is_forbidden(&board, reply, defender) {
                return Err(Flaw::Unanswered(reply, size));
            }
        }
        for &(reply, next) in &step.replies {
            tasks.extend([Task::Take(reply), Task::Attack(next), Task::Reply(reply)]);
        }
    }
    Ok(())
}

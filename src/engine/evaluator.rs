use crate::{Board, Claims, Engine, Limits, Moves, Report, Request, Time, Variation};
use games::gomoku::{self, Made, Three, made};
use record::{Abilities, Effort, Evaluate, Failure, Finding, Judgement, Line, Question, StoneKey};
use std::sync::atomic::{AtomicBool, Ordering};

/// Limits of nodes for the proofs of one question.
const FOURS: u64 = 1 << 18;
const THREATS: u64 = 1 << 15;

/// Bytes of the table for each node of the limit: it is to be cleared before each question.
const BYTES_A_NODE: u64 = 64;

/// The engine of this crate as one that evaluates positions: one thread, and nothing remembered from one question to
/// the next.
pub struct Evaluator {
    engine: Engine,
    /// Of the table, and at most.
    memory: usize,
    most: usize,
    source: String,
    /// Made when the first win or loss is claimed, and kept: its tables are large.
    claims: Option<Claims>,
}

impl Evaluator {
    /// An evaluator with a table of at most so many bytes.
    pub fn new(most: usize) -> Evaluator {
        let memory = most.min(1 << 20);
        Evaluator { engine: Engine::new(memory, 1), memory, most, source: source(), claims: None }
    }

    /// A table that holds what a search of so many nodes finds, cleared.
    fn clear(&mut self, effort: Effort) {
        let wanted = effort.nodes.unwrap_or(u64::MAX).saturating_mul(BYTES_A_NODE);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX).clamp(1 << 18, self.most.max(1 << 18));
        if wanted == self.memory {
            self.engine.forget();
        } else {
            self.engine.set_memory(wanted);
            self.memory = wanted;
        }
    }
}

/// Who says what it finds.
pub(crate) fn source() -> String {
    format!("kifu {}", env!("CARGO_PKG_VERSION"))
}

impl Evaluate for Evaluator {
    fn source(&self) -> &str {
        &self.source
    }

    fn abilities(&self) -> Abilities {
        Abilities::ALL
    }

    /// A win or a loss has grounds only where it is proven by fours or threats; the proofs take some nodes more than
    /// the limit. A first line that loses has them only if every other move that may be considered loses so, too.
    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        let position = question.stones()?;
        let board = board(position)?;
        self.clear(question.effort);
        let Effort { nodes, depth, time } = question.effort;
        let except = question.points_left_out();
        let limits = Limits { nodes, depth, time: time.map(Time::whole) };
        let request = Request {
            limits,
            lines: question.lines.max(1),
            moves: Moves::Except(except.clone()),
            ..Request::default()
        };
        let side = position.to_move;
        let report = self.engine.search(&board, side, &request, stop, &mut |_| {});
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let Report { depth, lines, nodes, .. } = report;
        if let Some(claims) = &mut self.claims {
            claims.renew(FOURS, THREATS);
        }
        let mut found = Vec::with_capacity(lines.len());
        for (rank, line) in lines.into_iter().enumerate() {
            let grounds = if line.value.is_decided() {
                let claims = self.claims.get_or_insert_with(|| Claims::new(FOURS, THREATS));
                let Variation { moves, value, .. } = &line;
                if rank == 0 && value.loses_in().is_some() {
                    claims.prove_loss(&board, side, moves.first().copied(), &except, stop)
                } else {
                    claims.prove(&board, side, &line, stop)
                }
            } else {
                None
            };
            found.push(Line::of_points(line.moves, Some(line.value.get()), grounds));
        }
        // A proof that was cut short is none, and the next run is to find it.
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        Ok(Finding {
            lines: found,
            depth: i16::try_from(depth).unwrap_or(i16::MAX),
            nodes: Some(nodes),
            scale: Judgement::SCALE,
            remarks: Vec::new(),
        })
    }
}

/// The board of a position in which nobody has won.
pub(crate) fn board(position: &StoneKey) -> Result<Board, Failure> {
    let StoneKey { rule, size, stones, .. } = position;
    let unfit = |why: String| Failure::Unfit(why);
    let stones = gomoku::Board::with_stones(*size, stones.iter().copied()).map_err(|error| unfit(error.to_string()))?;
    if stones.stones().any(|(point, side)| made(&stones, point, side, *rule) == Made::Five) {
        return Err(unfit("somebody has won here already".into()));
    }
    Board::new(&stones, *rule, Three::Rif).map_err(|error| unfit(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    use games::{Coords, Move, Point, Rule, Side, Size};
    use record::{Grounds, evaluate_all};

    fn question(rule: Rule, moves: &str, except: &str, nodes: u64) -> Question {
        let point = |name: &str| Coords::A1.parse(name, Size::default()).unwrap();
        let mut stones: Vec<(Point, Side)> =
            moves.split_whitespace().zip(1..).map(|(name, ply)| (point(name), Side::of_ply(ply))).collect();
        let to_move = Side::of_ply(stones.len() + 1);
        stones.sort_by_key(|(point, _)| *point);
        let position = StoneKey { rule, size: Size::default(), to_move, stones }.into();
        let except = except.split_whitespace().map(|name| Move::Place(point(name))).collect();
        let effort = Effort { nodes: Some(nodes), ..Effort::default() };
        Question { position, history: Vec::new(), except, lines: 2, effort }
    }

    fn evaluate(question: &Question) -> Finding {
        Evaluator::new(1 << 24).evaluate(question, &AtomicBool::new(false)).unwrap()
    }

    const POSITIONS: [&str; 6] = [
        "h8 h9 j10",
        "h8 i9 i7 g9 h9",
        "h8 a1 i8 a3 j8 a5",
        "h8 a1 i8 a3 j8",
        "h8 h7 f8 g7 h9 i7 j7 g8 g10 i8",
        "h8 i9 j10 k11",
    ];

    #[test]
    fn a_finding_depends_on_the_question_alone() {
        let questions: Vec<Question> = POSITIONS
            .iter()
            .flat_map(|moves| [(moves, 500), (moves, 5000)])
            .map(|(moves, nodes)| question(Rule::Renju, moves, "", nodes))
            .collect();
        let alone: Vec<Finding> = questions.iter().map(evaluate).collect();
        for workers in [1, 2, 4] {
            let mut crew: Vec<Evaluator> = (0..workers).map(|_| Evaluator::new(1 << 24)).collect();
            let backwards: Vec<Question> = questions.iter().rev().cloned().collect();
            for list in [&questions, &backwards] {
                evaluate_all(&mut crew, list, &AtomicBool::new(false), |at, found| {
                    let place = questions.iter().position(|question| *question == list[at]).unwrap();
                    assert_eq!(found.unwrap(), alone[place]);
                });
            }
        }
    }

    #[test]
    fn moves_that_are_left_out_are_not_found() {
        let best = evaluate(&question(Rule::Freestyle, "h8 a1 i8 a3 j8 a5", "", 2000)).lines[0].moves[0];
        let name = best.text(Size::default());
        let other = evaluate(&question(Rule::Freestyle, "h8 a1 i8 a3 j8 a5", &name, 2000));
        assert!(other.lines.iter().all(|line| line.moves[0] != best));
        assert_eq!(other.lines.len(), 2);
    }

    #[test]
    fn wins_and_losses_have_grounds_where_they_are_proven() {
        let won = evaluate(&question(Rule::Freestyle, "h8 a1 i8 a3 j8 a5", "", 5000));
        assert_eq!((won.lines[0].grounds, won.lines[0].value > Some(29_500)), (Some(Grounds::Fours), true));
        let five = evaluate(&question(Rule::Renju, "h8 a1 i8 a3 j8 a5 k8 a7", "", 5000));
        assert_eq!((five.lines[0].value, five.lines[0].grounds), (Some(29_999), Some(Grounds::Fours)));
        // A straight four cannot be stopped, wherever White plays.
        let lost = evaluate(&question(Rule::Freestyle, "h8 a1 i8 a3 j8 a5 k8", "", 5000));
        assert_eq!((lost.lines[0].value < Some(-29_500), lost.lines[0].grounds), (true, Some(Grounds::Fours)));
        let open = evaluate(&question(Rule::Freestyle, "h8 a1 i8", "", 500));
        assert!(open.lines.iter().all(|line| line.grounds.is_none()));
    }

    #[test]
    fn a_loss_has_no_grounds_while_one_move_holds() {
        // Of all moves but those at the ends of the three, each loses.
        let held = question(Rule::Standard, "h8 a1 i8 a3 j8", "", 5000);
        let position = board(held.stones().unwrap()).unwrap();
        let stop = AtomicBool::new(false);
        let mut claims = Claims::new(FOURS, THREATS);
        assert_eq!(claims.prove_loss(&position, Side::Second, None, &[], &stop), None);
        let ends: Vec<Point> =
            ["f8", "g8", "k8", "l8"].map(|name| Coords::A1.parse(name, Size::default()).unwrap()).into();
        assert_eq!(claims.prove_loss(&position, Side::Second, None, &ends, &stop), Some(Grounds::Fours));
    }

    #[test]
    fn a_position_that_is_won_is_none_to_evaluate() {
        let over = question(Rule::Freestyle, "h8 a1 i8 a3 j8 a5 k8 a7 l8", "", 100);
        let failure = Evaluator::new(1 << 20).evaluate(&over, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(failure, Failure::Unfit(_)));
    }
}

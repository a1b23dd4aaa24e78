use super::evaluator::{Manner, TRIAL, value};
use super::insist::{Trouble, examine_again, persist, source};
use super::{Course, Dialect, Failure as Fault, Opinion, Task, Uci};
use games::xiangqi::{Board, Fen};
use games::{Move, Step};
use record::{Abilities, Evaluate, Failure, Finding, Judgement, Line, Question};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// An engine of xiangqi that speaks UCI or UCCI as one that evaluates positions.
///
/// Values are those that it says in `score`, in hundredths of a pawn where it follows its protocol, and K is
/// [`Judgement::SCALE`]; a mate in n moves is a win in 2n - 1 plies. Several moves (`MultiPV`) and leaving out moves
/// (`searchmoves` in UCI, `banmoves` in UCCI) come from those that did it when they were tried at the start, and so it
/// is seen whether an engine counts ranks from 0 or from 1. Nothing that an engine says is believed before it is seen to
/// be a move, and none of its mates is proven. No engine is told a position that is none: some end at one.
///
/// An engine that fails is started anew and asked again, and each failure is a remark of the finding.
pub struct UciEvaluator {
    manner: Manner,
    dialect: Dialect,
    source: String,
    abilities: Abilities,
    /// Where it is another than the engine's options let suppose.
    first_rank: Option<u8>,
    running: Option<Uci<'static>>,
}

/// A question, and the position as engines are told it.
struct Asked<'q> {
    question: &'q Question,
    board: &'q Board,
    /// The position before the history.
    start: String,
    legal: Vec<Step>,
    except: Vec<Step>,
}

/// Nobody sets it: an engine that waits is stopped by nothing.
static NEVER: AtomicBool = AtomicBool::new(false);

impl UciEvaluator {
    /// Starts a program, and sees by some small questions what it can do. [`Manner::more`] are options of the engine.
    pub fn start(manner: Manner, dialect: Dialect, stop: &AtomicBool) -> Result<UciEvaluator, Failure> {
        let tries = manner.tries;
        let source = manner.line.name().to_owned();
        let abilities = Abilities { values: false, lines: false, except: false };
        let mut evaluator = UciEvaluator { manner, dialect, source, abilities, first_rank: None, running: None };
        examine_again(tries, || {
            let examined = evaluator.examine(stop);
            evaluator.running = evaluator.running.take().filter(|_| examined.is_ok());
            examined
        })?;
        Ok(evaluator)
    }

    /// Another process of the same engine, which is started when it is asked for the first time.
    #[must_use]
    pub fn twin(&self) -> UciEvaluator {
        let UciEvaluator { manner, dialect, source, abilities, first_rank, running: _ } = self;
        UciEvaluator {
            manner: manner.clone(),
            dialect: *dialect,
            source: source.clone(),
            abilities: *abilities,
            first_rank: *first_rank,
            running: None,
        }
    }

    /// Finds out who it is, how it counts ranks and what it can do.
    fn examine(&mut self, stop: &AtomicBool) -> Result<(), Trouble> {
        let board = Board::start();
        let legal: Vec<Step> = board.moves().collect();
        let start = Fen::start().to_string();
        let patience = self.manner.patience;
        let mut first = self.think(&trial(&start, &legal, &[], patience), stop);
        if let (Err(Fault::Misplay(_)), None) = (&first, self.first_rank) {
            // At the start no move in one count of ranks is one in the other.
            let mut engine = self.engine(stop)?;
            let rank = 1 - engine.first_rank();
            engine.count_ranks_from(rank);
            self.running = Some(engine.heeding(&NEVER));
            match self.think(&trial(&start, &legal, &[], patience), stop) {
                Ok(opinion) => (first, self.first_rank) = (Ok(opinion), Some(rank)),
                Err(Fault::Stopped) => return Err(Trouble::Stopped),
                Err(_) => {}
            }
        }
        let Opinion { best, lines, .. } = first?;
        let Some(best) = best else { return Err(Trouble::Wrong(no_move(legal.len()))) };
        self.source = source(self.running.as_ref().map_or(self.manner.line.name(), Uci::name));
        self.abilities.values = lines.first().is_some_and(|line| line.eval.is_some());
        self.abilities.except = true;
        let mut except = Vec::new();
        let mut played = best;
        for _ in 0..2 {
            except.push(played);
            match self.think(&trial(&start, &legal, &except, patience), stop) {
                Ok(Opinion { best: Some(best), .. }) if !except.contains(&best) => played = best,
                Err(Fault::Stopped) => return Err(Trouble::Stopped),
                _ => {
                    self.abilities.except = false;
                    break;
                }
            }
        }
        self.abilities.lines = match self.think(&Task { lines: 2, ..trial(&start, &legal, &[], patience) }, stop) {
            Ok(Opinion { lines, .. }) => lines.len() >= 2,
            Err(Fault::Stopped) => return Err(Trouble::Stopped),
            Err(_) => false,
        };
        Ok(())
    }

    fn engine<'s>(&mut self, stop: &'s AtomicBool) -> Result<Uci<'s>, Fault> {
        if let Some(running) = self.running.take() {
            return Ok(running.heeding(stop));
        }
        let mut engine = Uci::start(&self.manner.line, self.dialect, self.manner.memory, stop)?;
        for (name, value) in &self.manner.more {
            engine.set(name, value)?;
        }
        if let Some(rank) = self.first_rank {
            engine.count_ranks_from(rank);
        }
        Ok(engine)
    }

    fn think(&mut self, task: &Task<'_>, stop: &AtomicBool) -> Result<Opinion, Fault> {
        let mut engine = self.engine(stop)?;
        let opinion = engine.think(task)?;
        self.running = Some(engine.heeding(&NEVER));
        Ok(opinion)
    }

    /// Asks once.
    fn ask(&mut self, asked: &Asked<'_>, stop: &AtomicBool) -> Result<Finding, Trouble> {
        let Asked { question, board, start, legal, except } = asked;
        let wanted = question.lines.max(1);
        let lines = match self.abilities {
            Abilities { lines: false, .. } => 1,
            Abilities { except: false, .. } => wanted.saturating_add(except.len()),
            _ => wanted,
        };
        let task = Task {
            fen: start,
            moves: &question.history,
            legal,
            except: if self.abilities.except { except } else { &[] },
            lines: lines.min(legal.len()),
            effort: question.effort,
            patience: self.manner.patience,
        };
        let Opinion { best, lines, nodes } = self.think(&task, stop)?;
        let Some(best) = best else { return Err(Trouble::Wrong(no_move(legal.len()))) };
        let is_left_out = |step: &Step| except.contains(step);
        if self.abilities.except && is_left_out(&best) {
            return Err(Trouble::Wrong(format!("it played {best}, which it was told to leave out")));
        }
        let may = |line: &Course| legal.contains(&line.moves[0]) && !is_left_out(&line.moves[0]);
        let mut said: Vec<Course> = lines.into_iter().filter(may).collect();
        said.truncate(wanted);
        let Some(first) = said.first() else {
            return Err(Trouble::Unfit(format!("it prefers {best}, and cannot leave out the moves that are known")));
        };
        let (best, depth) = (first.moves[0], first.depth.unwrap_or(0));
        let mut remarks = Vec::new();
        let lines: Vec<Line> = said.into_iter().map(|course| line(course, board, &mut remarks)).collect();
        if self.abilities.values && lines[0].value.is_none() {
            remarks.push(format!("it said no value of {best}"));
        }
        Ok(Finding { lines, depth: i16::try_from(depth).unwrap_or(i16::MAX), nodes, scale: Judgement::SCALE, remarks })
    }
}

impl Evaluate for UciEvaluator {
    fn source(&self) -> &str {
        &self.source
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// An engine that cannot leave out moves is asked all the same: what it finds counts unless it is one of those.
    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        let other = || Failure::Unfit(format!("it plays xiangqi, and this is {}", question.position.rules()));
        let board = question.position.pieces().ok_or_else(other)?;
        if let Some(fault) = board.faults().first() {
            return Err(Failure::Unfit(fault.to_string()));
        }
        let legal: Vec<Step> = board.moves().collect();
        if legal.is_empty() {
            return Err(Failure::Unfit("the side to move has no move, and has lost".into()));
        }
        let except: Vec<Step> = question.except.iter().filter_map(|play| play.step()).collect();
        if legal.iter().all(|step| except.contains(step)) {
            return Ok(Finding { scale: Judgement::SCALE, ..Finding::default() });
        }
        let before = before(board, &question.history);
        let board_before =
            before.ok_or_else(|| Failure::Unfit("the moves of its history do not lead to the position".into()))?;
        let start = Fen { board: board_before, halfmove: 0, fullmove: 1 }.to_string();
        let asked = Asked { question, board, start, legal, except };
        let tries = self.manner.tries;
        persist(tries, stop, || {
            let found = self.ask(&asked, stop);
            if matches!(found, Err(Trouble::Wrong(_))) {
                self.running = None;
            }
            found
        })
    }
}

/// A small question.
fn trial<'t>(fen: &'t str, legal: &'t [Step], except: &'t [Step], patience: Duration) -> Task<'t> {
    Task { fen, moves: &[], legal, except, lines: 1, effort: TRIAL, patience }
}

fn no_move(legal: usize) -> String {
    format!("it says that there is no move, and there are {legal}")
}

/// The board before some moves none of which took a piece; `None` where they do not lead to it.
fn before(board: &Board, history: &[Step]) -> Option<Board> {
    let mut before = board.clone();
    for step in history.iter().rev() {
        let side = before.to_move().other();
        let piece = before.piece(step.to).filter(|piece| piece.side == side)?;
        if before.piece(step.from).is_some() {
            return None;
        }
        before.put(step.to, None);
        before.put(step.from, Some(piece));
        before.set_to_move(side);
        before.judge(*step).ok()?;
    }
    Some(before)
}

/// A line in our words: its moves as far as they can be played, and its value on our scale.
fn line(course: Course, board: &Board, remarks: &mut Vec<String>) -> Line {
    let mut board = board.clone();
    let playable = course.moves.iter().map_while(|step| board.play(*step).ok().map(|_| Move::Step(*step)));
    let moves = playable.collect();
    let value = course.eval.map(|eval| value(eval, || course.moves[0].to_string(), remarks));
    Line { moves, value, grounds: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_before_a_history_is_found_by_taking_it_back() {
        let steps = ["h2e2", "h9g7", "h0g2", "i9h9"].map(|text| Step::from_text(text).unwrap());
        let mut board = Board::start();
        steps.iter().for_each(|step| assert_eq!(board.play(*step), Ok(None)));
        for at in 0..=steps.len() {
            let mut wanted = Board::start();
            steps[..at].iter().for_each(|step| assert_eq!(wanted.play(*step), Ok(None)));
            assert_eq!(before(&board, &steps[at..]), Some(wanted));
        }
        // Another order, another side, a point without a piece, and a move that is none.
        for wrong in ["i9h9 h0g2", "h0g2", "a0a1", "h5h9"] {
            let wrong: Vec<Step> = wrong.split(' ').map(|text| Step::from_text(text).unwrap()).collect();
            assert_eq!(before(&board, &wrong), None, "{wrong:?}");
        }
    }
}

use super::{CommandLine, Eval, Failure as Fault, Gomocup, Misplay, Reply, Settings};
use crate::evaluator::board;
use games::gomoku::{Board, Three, forbidden};
use games::{Point, Rule, Side, Size};
use record::{Abilities, Effort, Evaluate, Failure, Finding, Judgement, Key, Line, Question};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a question is asked before it is given up.
const TRIES: usize = 3;

/// For a search by nodes or depth where the engine knows such limits, and where it does not.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_secs(1);

/// What an engine may be late.
const GRACE: Duration = Duration::from_secs(5);

/// For each search of the questions that find out what the engine can do.
const PROBE: Effort = Effort { nodes: Some(1000), depth: None, time: Some(Duration::from_millis(100)) };

/// An engine of the user's that speaks the protocol of Gomocup, as one that evaluates positions.
///
/// It is started again after a crash, and ended when it hangs; a move that is none is told and not believed. Its values
/// are its own: nothing that it says is proven.
pub struct Rival {
    line: CommandLine,
    memory: u64,
    stop: &'static AtomicBool,
    engine: Option<Gomocup<'static>>,
    source: String,
    abilities: Abilities,
}

impl Rival {
    /// Starts the program with so many bytes for its table, and finds out what it can do; `stop` ends all waiting.
    pub fn start(line: &CommandLine, memory: u64, stop: &'static AtomicBool) -> Result<Rival, Failure> {
        let none = Abilities { values: false, lines: false, except: false };
        let mut rival =
            Rival { line: line.clone(), memory, stop, engine: None, source: line.name().into(), abilities: none };
        let broken = |fault: Fault| match fault {
            Fault::Stopped => Failure::Stopped,
            fault => Failure::Broken(fault.to_string()),
        };
        let engine = Gomocup::start(line, stop).map_err(broken)?;
        rival.source = engine.name().to_owned();
        rival.engine = Some(engine);
        rival.find_abilities();
        Ok(rival)
    }

    /// Whether it tells values, and whether it leaves out a move that it would have played.
    fn find_abilities(&mut self) {
        let size = Size::default();
        let point = |x, y| Point::new(x, y).expect("it is on the board");
        let stones = vec![(point(8, 6), Side::Second), (point(7, 7), Side::First)];
        let position = Key { rule: Rule::Freestyle, size, to_move: Side::First, stones };
        let mut question = Question { position, except: Vec::new(), lines: 1, effort: PROBE };
        // Who fails here fails again when it is asked in earnest, and that is told.
        let Ok(reply) = self.ask(&question) else { return };
        self.abilities.values = reply.remark.eval.is_some();
        question.except = vec![reply.point];
        self.abilities.except = self.ask(&question).is_ok_and(|other| other.point != reply.point)
            && self.engine.as_ref().is_some_and(Gomocup::knows_all);
    }

    /// Asks once.
    fn ask(&mut self, question: &Question) -> Result<Reply, Fault> {
        let Question { position, except, effort, .. } = question;
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => Gomocup::start(&self.line, self.stop)?,
        };
        let usual = if self.abilities.values { LONG } else { SHORT };
        let mut settings = Settings::new(position.rule);
        settings.turn = effort.time.unwrap_or(usual);
        settings.nodes = effort.nodes;
        settings.memory = self.memory;
        settings.threads = Some(1);
        // What it finds is to come from its search.
        settings.more = vec![("usedatabase".into(), "0".into())];
        settings.more.extend(effort.depth.map(|depth| ("max_depth".into(), depth.to_string())));
        engine.new_position(position.size, &settings)?;
        let reply = engine.judge(&position.stones, position.to_move, except, settings.turn + GRACE)?;
        let stones =
            Board::with_stones(position.size, position.stones.iter().copied()).expect("a key has each stone once");
        if position.rule == Rule::Renju && position.to_move == Side::First {
            let kinds = forbidden::kinds(&stones, reply.point, Three::Rif);
            if !kinds.is_empty() {
                // It is as it was, and may know better with another position.
                self.engine = Some(engine);
                return Err(Fault::Misplay(Misplay::Forbidden(reply.point, position.size, kinds)));
            }
        }
        self.engine = Some(engine);
        Ok(reply)
    }
}

impl Evaluate for Rival {
    fn source(&self) -> &str {
        &self.source
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        board(&question.position)?;
        let mut remarks = Vec::new();
        for _ in 0..TRIES {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            match self.ask(question) {
                Ok(reply) if question.except.contains(&reply.point) => {
                    let why = "it does not leave out the moves of the book, and plays one of them";
                    return Err(Failure::Unfit(format!("{}: {why}", self.source)));
                }
                Ok(reply) => return Ok(finding(&reply, remarks)),
                Err(Fault::Stopped) => return Err(Failure::Stopped),
                Err(fault) => remarks.push(format!("{}: {fault}", self.source)),
            }
        }
        Err(Failure::Broken(remarks.join("; ")))
    }
}

fn finding(reply: &Reply, remarks: Vec<String>) -> Finding {
    let value = reply.remark.eval.map(|eval| match eval {
        Eval::Points(points) => points.clamp(-20_000, 20_000),
        Eval::Wins(plies) => 30_000 - i32::from(plies.min(400)),
        Eval::Loses(plies) => i32::from(plies.min(400)) - 30_000,
    });
    Finding {
        lines: vec![Line { moves: vec![reply.point], value, grounds: None }],
        depth: reply.remark.depth.map_or(0, |depth| i16::try_from(depth).unwrap_or(i16::MAX)),
        nodes: reply.remark.nodes,
        scale: Judgement::SCALE,
        remarks,
    }
}

use super::detail::{Detail, Said};
use super::gomocup::stones;
use super::insist::{Asked, Trouble, examine_again, insist, source};
use super::{CommandLine, Eval, Gomocup, Reply, Settings};
use crate::Value;
use games::{Coords, Point, Rule, Size};
use record::{Abilities, Effort, Evaluate, Failure, Finding, Judgement, Line, Question, StoneKey};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// For a move, where nothing says how long and the engine does not seem to know limits of nodes or depth.
pub(super) const TURN: Duration = Duration::from_secs(1);

/// What each search of the first questions, by which is seen what an engine can do, may take.
pub(super) const TRIAL: Effort = Effort { nodes: Some(2000), depth: Some(6), time: Some(Duration::from_millis(300)) };

/// How long an engine that does not know how to tell several moves may be silent, the first time.
const TRIAL_PATIENCE: Duration = Duration::from_secs(10);

/// More moves than these no engine is asked for.
const MOST_LINES: usize = 400;

/// How an engine of others is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manner {
    /// The program.
    pub line: CommandLine,
    /// What it is told that it may take, in bytes.
    pub memory: u64,
    /// How long it may be silent beyond the time it has; where only nodes or a depth are said, at all.
    pub patience: Duration,
    /// How often it is asked, at least once.
    pub tries: u32,
    /// More keys and values of INFO.
    pub more: Vec<(String, String)>,
}

impl Manner {
    /// How long an engine may think where only nodes or a depth are said: it has a part of the patience for its answer.
    pub(super) fn thinking(&self) -> Duration {
        self.patience - self.patience / 4
    }
}

/// An engine that speaks the protocol of Gomocup as one that evaluates positions.
///
/// Any such engine names moves. Values come from those that say `INFO PV` blocks or `Eval` as Rapfi and Yixin do;
/// several moves (`YXNBEST`) and leaving out moves (`YXBLOCK`) from those that did it when they were tried at the start.
/// Nothing that an engine says is believed before it is seen to be a move, and none of its wins is proven.
///
/// An engine that fails is started anew and asked again, and each failure is a remark of the finding.
pub struct Evaluator {
    manner: Manner,
    source: String,
    abilities: Abilities,
    /// It says blocks, and so knows the limits of Yixin.
    is_detailed: bool,
    /// It can forget what it knows.
    forgets: bool,
    running: Option<Running>,
}

/// A process, and what it was told that it does not forget.
struct Running {
    engine: Gomocup<'static>,
    size: Size,
    effort: Effort,
}

/// Nobody sets it: an engine that waits is stopped by nothing.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Evaluator {
    /// Starts a program, and sees by some small questions what it can do.
    pub fn start(manner: Manner, stop: &AtomicBool) -> Result<Evaluator, Failure> {
        let tries = manner.tries;
        let abilities = Abilities { values: false, lines: false, except: false };
        let source = manner.line.name().to_owned();
        let mut evaluator = Evaluator { manner, source, abilities, is_detailed: false, forgets: false, running: None };
        examine_again(tries, || {
            let examined = evaluator.examine(stop);
            evaluator.running = evaluator.running.take().filter(|_| examined.is_ok());
            examined
        })?;
        Ok(evaluator)
    }

    /// Another process of the same engine, which is started when it is asked for the first time.
    #[must_use]
    pub fn twin(&self) -> Evaluator {
        let Evaluator { manner, source, abilities, is_detailed, forgets, running: _ } = self;
        Evaluator {
            manner: manner.clone(),
            source: source.clone(),
            abilities: *abilities,
            is_detailed: *is_detailed,
            forgets: *forgets,
            running: None,
        }
    }

    /// Whether the engine seems to know limits of nodes and depth; else it is given a second where no time is said.
    pub const fn is_detailed(&self) -> bool {
        self.is_detailed
    }

    /// Finds out who it is and what it can do.
    fn examine(&mut self, stop: &AtomicBool) -> Result<(), Trouble> {
        // Some know only the board of tournaments.
        let (size, begun) = match self.examine_on(Size::default(), stop) {
            Err(Trouble::Unfit(_)) => {
                self.running = None;
                let large = Size::square(20).expect("20 is a size");
                (large, self.examine_on(large, stop)?)
            }
            begun => (Size::default(), begun?),
        };
        let (reply, detail, moves) = begun;
        let lines = detail.lines(reply.point, size);
        self.is_detailed = !lines.is_empty();
        self.abilities.values = reply.remark.eval.is_some() || lines.iter().any(|said| said.eval.is_some());
        if !self.is_detailed {
            return Ok(());
        }
        self.forgets = true;
        match self.search(size, Rule::Freestyle, &moves, (1, &[], TRIAL), stop) {
            Ok((_, detail)) => self.forgets = !detail.refused,
            Err(Trouble::Stopped) => return Err(Trouble::Stopped),
            Err(_) => (self.forgets, self.running) = (false, None),
        }
        let mut except = Vec::new();
        let mut played = reply.point;
        self.abilities.except = true;
        for _ in 0..2 {
            except.push(played);
            match self.search(size, Rule::Freestyle, &moves, (1, &except, TRIAL), stop) {
                Ok((reply, detail)) if !detail.refused && !except.contains(&reply.point) => played = reply.point,
                Err(Trouble::Stopped) => return Err(Trouble::Stopped),
                found => {
                    self.abilities.except = false;
                    if found.is_err() {
                        self.running = None;
                    }
                    break;
                }
            }
        }
        let patience = std::mem::replace(&mut self.manner.patience, TRIAL_PATIENCE);
        self.manner.patience = patience.min(TRIAL_PATIENCE);
        let several = self.search(size, Rule::Freestyle, &moves, (2, &[], TRIAL), stop);
        self.manner.patience = patience;
        self.abilities.lines = match several {
            Ok((reply, detail)) => detail.lines(reply.point, size).len() >= 2,
            Err(Trouble::Stopped) => return Err(Trouble::Stopped),
            Err(_) => {
                self.running = None;
                false
            }
        };
        Ok(())
    }

    /// What it says of a board with two stones.
    fn examine_on(&mut self, size: Size, stop: &AtomicBool) -> Result<(Reply, Detail, Vec<Point>), Trouble> {
        let (x, y) = (size.width() / 2, size.height() / 2);
        let moves: Vec<Point> = [(x, y), (x, y - 1)].into_iter().filter_map(|(x, y)| Point::new(x, y)).collect();
        let (reply, detail) = self.search(size, Rule::Freestyle, &moves, (1, &[], TRIAL), stop)?;
        self.source = source(self.running.as_ref().map_or(self.manner.line.name(), |running| running.engine.name()));
        Ok((reply, detail, moves))
    }

    /// Asks for so many lines without some moves, and hears what it says.
    fn search(
        &mut self,
        size: Size,
        rule: Rule,
        moves: &[Point],
        (lines, except, effort): (usize, &[Point], Effort),
        stop: &AtomicBool,
    ) -> Result<(Reply, Detail), Trouble> {
        let running = self.running.take().filter(|running| running.size == size && running.effort == effort);
        let settings = self.settings(rule, effort);
        let mut engine = match running {
            Some(running) => {
                let mut engine = running.engine.heeding(stop);
                engine.restart(&settings)?;
                engine
            }
            None => {
                let mut engine = Gomocup::start(&self.manner.line, stop)?;
                engine.new_game(size, &settings)?;
                engine
            }
        };
        if self.forgets {
            // What it remembers would make its answers depend on what it was asked before.
            engine.send("YXHASHCLEAR");
        }
        if self.abilities.except {
            engine.send("YXBLOCKRESET");
        }
        if self.abilities.except && !except.is_empty() {
            let points: String = except.iter().map(|point| format!("{},{}\r\n", point.x(), point.y())).collect();
            engine.send(&format!("YXBLOCK\r\n{points}DONE"));
        }
        let mut detail = Detail::default();
        let command = match moves {
            _ if lines > 1 => {
                engine.send(&format!("YXBOARD\r\n{}DONE", stones(moves)));
                format!("YXNBEST {lines}")
            }
            [] => "BEGIN".into(),
            moves => format!("BOARD\r\n{}DONE", stones(moves)),
        };
        let patience = match (effort.time, self.is_detailed) {
            (Some(time), _) => time + self.manner.patience,
            (None, true) => self.manner.patience,
            (None, false) => TURN + self.manner.patience,
        };
        let mut hear = |line: &str| {
            detail.read(line);
            lines == 1 || !detail.refused
        };
        let reply = engine.ask(&command, moves, None, patience, &mut hear)?;
        self.running = Some(Running { engine: engine.heeding(&NEVER), size, effort });
        Ok((reply, detail))
    }

    fn settings(&self, rule: Rule, effort: Effort) -> Settings {
        let usual = if self.is_detailed { self.manner.thinking() } else { TURN };
        let mut more: Vec<(String, String)> = Vec::new();
        let mut say = |key: &str, value: String| more.push((key.into(), value));
        if let Some(depth) = effort.depth {
            say("max_depth", depth.to_string());
        }
        say("show_detail", "2".into());
        say("usedatabase", "0".into());
        Settings {
            turn: effort.time.unwrap_or(usual),
            memory: self.manner.memory,
            nodes: effort.nodes,
            threads: Some(1),
            more: [&more, &self.manner.more[..]].concat(),
            whole_board: true,
            ..Settings::new(rule)
        }
    }

    /// Asks once.
    fn ask(&mut self, asked: &Asked<'_>, stop: &AtomicBool) -> Result<Finding, Trouble> {
        let Asked { question, position, except, moves, .. } = asked;
        let may = |point| asked.may(point);
        let Question { effort, .. } = question;
        let StoneKey { rule, size, .. } = position;
        let wanted = question.lines.max(1);
        let several = match self.abilities {
            Abilities { lines: false, .. } => 1,
            Abilities { except: false, .. } => wanted.saturating_add(except.len()),
            _ => wanted,
        };
        let free = usize::from(size.width()) * usize::from(size.height()) - moves.len();
        let several = several.min(free).min(MOST_LINES);
        let (reply, detail) = self.search(*size, *rule, moves, (several, except, *effort), stop)?;
        may(reply.point).map_err(Trouble::Wrong)?;
        let name = |point: Point| Coords::A1.text(point, *size);
        let is_left_out = |point: Point| except.contains(&point);
        if self.abilities.except && is_left_out(reply.point) {
            return Err(Trouble::Wrong(format!("it played {}, which it was told to leave out", name(reply.point))));
        }
        let mut remarks = Vec::new();
        let mut said = detail.lines(reply.point, *size);
        if !said.iter().any(|line| line.moves[0] == reply.point) {
            // What it says of other moves is not about this one.
            let eval = if detail.is_empty() { reply.remark.eval } else { None };
            said.insert(0, Said { moves: vec![reply.point], eval, depth: reply.remark.depth });
        }
        said.retain(|line| line.moves[0] == reply.point || may(line.moves[0]).is_ok());
        // The move that it played is its best one.
        said.sort_by_key(|line| line.moves[0] != reply.point);
        if said.iter().all(|line| is_left_out(line.moves[0])) {
            let best = name(reply.point);
            return Err(Trouble::Unfit(format!("it prefers {best}, and cannot leave out the moves that are known")));
        }
        said.retain(|line| !is_left_out(line.moves[0]));
        said.truncate(wanted);
        let depth = said[0].depth.unwrap_or(0);
        let best = said[0].moves[0];
        let lines: Vec<Line> = said.into_iter().map(|said| line(said, position, &mut remarks)).collect();
        if self.abilities.values && lines[0].value.is_none() {
            remarks.push(format!("it said no value of {}", name(best)));
        }
        Ok(Finding {
            lines,
            depth: i16::try_from(depth).unwrap_or(i16::MAX),
            nodes: detail.nodes().or(reply.remark.nodes),
            scale: Judgement::SCALE,
            remarks,
        })
    }
}

impl Evaluate for Evaluator {
    fn source(&self) -> &str {
        &self.source
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// An engine that cannot leave out moves is asked all the same: what it finds counts unless it is one of those.
    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        let tries = self.manner.tries;
        insist(question, tries, stop, |asked| {
            let found = self.ask(asked, stop);
            if matches!(found, Err(Trouble::Wrong(_))) {
                self.running = None;
            }
            found
        })
    }
}

/// A line in our words: its moves as far as they can be played, and its value on our scale.
pub(super) fn line(said: Said, position: &StoneKey, remarks: &mut Vec<String>) -> Line {
    let StoneKey { size, stones, .. } = position;
    let mut moves: Vec<Point> = Vec::with_capacity(said.moves.len());
    for point in said.moves {
        let is_taken = moves.contains(&point) || stones.iter().any(|(stone, _)| *stone == point);
        if is_taken {
            break;
        }
        moves.push(point);
    }
    let value = said.eval.map(|eval| value(eval, || Coords::A1.text(moves[0], *size), remarks));
    Line::of_points(moves, value, None)
}

/// A judgement of a move on our scale.
pub(super) fn value(eval: Eval, name: impl FnOnce() -> String, remarks: &mut Vec<String>) -> i32 {
    let plies = |plies: u16| u32::from(plies).clamp(1, 499);
    let value = match eval {
        Eval::Wins(number) => Value::win_in(plies(number)),
        Eval::Loses(number) => Value::loss_in(plies(number)),
        Eval::Points(points) => {
            let value = Value::points(points);
            if value.get() != points {
                let (name, value) = (name(), value.get());
                remarks.push(format!("its value {points} of {name} is none, and {value} is taken for it"));
            }
            value
        }
    };
    value.get()
}

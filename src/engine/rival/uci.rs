use super::failure::{Failure, Misplay, Wanted};
use super::process::Missing;
use super::talk::{Talk, cut};
use super::{CommandLine, Eval};
use games::{Point, Step};
use record::Effort;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long an engine may take to greet, and to say that it is ready.
const READY: Duration = Duration::from_secs(10);

/// When it is asked again whether it is ready.
const AGAIN: Duration = Duration::from_secs(1);

/// For a move, where nothing says when to end.
const TURN: Duration = Duration::from_secs(1);

/// More lines than these no engine is asked for, and more options of one are passed over.
const MOST: usize = 400;

/// The words of an engine of xiangqi.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// The Universal Chess Interface, as Pikafish and Fairy-Stockfish speak it.
    Uci,
    /// The Universal Chinese Chess Interface 3.0 of xqbase.com.
    Ucci,
}

/// An engine of xiangqi that speaks UCI or UCCI.
///
/// | we say in UCI | in UCCI | it answers |
/// | --- | --- | --- |
/// | `uci` | `ucci` | `id name …`, `option …`, and at last `uciok` or `ucciok` |
/// | `setoption name Hash value 16` | `setoption hashsize 16` | nothing |
/// | `ucinewgame` | `setoption newgame` | nothing |
/// | `isready` | the same | `readyok` |
/// | `position fen … moves h2e2 …` | the same | nothing |
/// | | `banmoves h2e2 …` | nothing |
/// | `go depth 9 nodes 1000 movetime 500 searchmoves …` | `go nodes 1000`, `go depth 9` or `go infinite` | `info …`, then `bestmove h2e2 …`, `bestmove (none)` or `nobestmove` |
/// | `stop`, `quit` | the same | |
///
/// Only options that it offers are set: no book of its own, no thinking in the other side's time, one thread. Moves are
/// two points, a file a to i and a rank from Red 0 to 9, or 1 to 10 of an engine with the option `UCI_Variant`. Scores are
/// the mover's, in UCI `score cp 31` or `score mate 3`, a mate in moves, in UCCI also `score 31`.
pub struct Uci<'s> {
    talk: Talk<'s>,
    dialect: Dialect,
    name: String,
    /// In small letters.
    options: Vec<String>,
    /// The rank that is Red's first.
    first_rank: u8,
    lines: usize,
}

/// What an engine is asked about.
#[derive(Copy, Clone, Debug)]
pub struct Task<'t> {
    /// The position before [`Task::moves`], as FEN. Some engines end at one that is wrong.
    pub fen: &'t str,
    /// The moves since; in UCCI none of them takes a piece.
    pub moves: &'t [Step],
    /// All moves of the position that is asked about; an answer is one of these.
    pub legal: &'t [Step],
    /// Those that are not to be considered.
    pub except: &'t [Step],
    /// How many moves are wanted with their lines, at least 1.
    pub lines: usize,
    /// When to end; after a second where nothing is said.
    pub effort: Effort,
    /// How long it may be silent beyond its time; where only nodes or a depth are said, at all.
    pub patience: Duration,
}

/// What an engine found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opinion {
    /// Its move; `None` where it says that there is none.
    pub best: Option<Step>,
    /// Its lines, that of its move first if it told one.
    pub lines: Vec<Course>,
    /// The nodes of the search, where it told them.
    pub nodes: Option<u64>,
}

/// A line of an engine, from the view of the side that plays its first move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Course {
    /// The moves, at least one.
    pub moves: Vec<Step>,
    /// What they are worth; a win or a loss is counted in plies.
    pub eval: Option<Eval>,
    /// The depth of the search.
    pub depth: Option<u16>,
}

impl<'s> Uci<'s> {
    /// Starts a program, greets it and sets its options; `memory` is what it may take, in bytes.
    pub fn start(line: &CommandLine, dialect: Dialect, memory: u64, stop: &'s AtomicBool) -> Result<Uci<'s>, Failure> {
        let talk = Talk::start(line, stop)?;
        let mut engine = Uci { talk, dialect, name: line.name().into(), options: Vec::new(), first_rank: 0, lines: 1 };
        let (greeting, last) = match dialect {
            Dialect::Uci => ("uci", "uciok"),
            Dialect::Ucci => ("ucci", "ucciok"),
        };
        engine.send(greeting);
        let deadline = Instant::now() + READY;
        loop {
            let line = engine.talk.line(deadline);
            let line = line.map_err(|missing| engine.talk.failure(missing, Wanted::Word(last), READY))?;
            let text = line.text.trim();
            if text == last {
                break;
            }
            if let Some(name) = text.strip_prefix("id name ").map(cut).filter(|name| !name.is_empty()) {
                engine.name = name;
            }
            if let Some(option) = text.strip_prefix("option ").filter(|_| engine.options.len() < MOST) {
                engine.options.push(option_name(option));
            }
        }
        engine.set_up(memory);
        Ok(engine)
    }

    fn set_up(&mut self, memory: u64) {
        let megabytes = (memory >> 20).max(1).to_string();
        if self.offers("uci_variant") {
            self.first_rank = 1;
        }
        let values: [(&str, &str); 9] = [
            ("UCI_Variant", "xiangqi"),
            ("Threads", "1"),
            ("Hash", &megabytes),
            ("hashsize", &megabytes),
            ("Ponder", "false"),
            ("OwnBook", "false"),
            ("usebook", "false"),
            ("usemillisec", "true"),
            ("MultiPV", "1"),
        ];
        for (name, value) in values {
            self.set_offered(name, value);
        }
    }

    /// Sets an option.
    ///
    /// # Errors
    /// It offers none of this name: [`Failure::Unoffered`].
    pub fn set(&self, name: &str, value: &str) -> Result<(), Failure> {
        if !self.offers(name) {
            return Err(Failure::Unoffered(cut(name)));
        }
        // A line end would be a command of its own.
        self.set_offered(name, &value.replace(char::is_control, " "));
        Ok(())
    }

    fn set_offered(&self, name: &str, value: &str) {
        if !self.offers(name) {
            return;
        }
        match self.dialect {
            Dialect::Uci => self.send(&format!("setoption name {name} value {value}")),
            Dialect::Ucci => self.send(&format!("setoption {} {value}", name.to_ascii_lowercase())),
        }
    }

    fn offers(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.eq_ignore_ascii_case(name))
    }

    /// The name that it gave itself, else the name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rank that is Red's first.
    pub const fn first_rank(&self) -> u8 {
        self.first_rank
    }

    /// Counts ranks from 0 or from 1, whatever its options let suppose.
    pub fn count_ranks_from(&mut self, first_rank: u8) {
        self.first_rank = first_rank;
    }

    /// Whether it can tell several moves.
    pub fn tells_lines(&self) -> bool {
        self.offers("multipv")
    }

    /// The same engine with another flag that stops who waits for it.
    #[must_use]
    pub fn heeding<'t>(self, stop: &'t AtomicBool) -> Uci<'t> {
        let Uci { talk, dialect, name, options, first_rank, lines } = self;
        Uci { talk: talk.heeding(stop), dialect, name, options, first_rank, lines }
    }

    /// Asks for the best moves of a position. After a failure the engine is of no more use.
    pub fn think(&mut self, task: &Task<'_>) -> Result<Opinion, Failure> {
        match self.dialect {
            Dialect::Uci => self.send("ucinewgame"),
            Dialect::Ucci if self.offers("newgame") => self.send("setoption newgame"),
            Dialect::Ucci => {}
        }
        let lines = task.lines.clamp(1, MOST);
        if lines != self.lines {
            self.set_offered("MultiPV", &lines.to_string());
            self.lines = lines;
        }
        self.awake()?;
        self.send(&self.position(task));
        if self.dialect == Dialect::Ucci && !task.except.is_empty() {
            self.send(&format!("banmoves{}", self.listed(task.except)));
        }
        let limit = task.effort.time.or((task.effort == Effort::default()).then_some(TURN));
        let asked = Instant::now();
        self.send(&self.go(task));
        // In UCI it knows its time and ends by itself.
        let grace = if self.dialect == Dialect::Uci { task.patience / 4 } else { Duration::ZERO };
        let mut until = asked + limit.map_or(task.patience - task.patience / 4, |time| time + grace);
        let mut is_stopped = false;
        let mut told = Told::default();
        loop {
            match self.talk.line(until) {
                Ok(line) => {
                    let mut words = line.text.split_whitespace();
                    match words.next() {
                        Some("info") => told.read(words, self.first_rank),
                        Some("nobestmove") => return Ok(Opinion::default()),
                        Some("bestmove") => {
                            let word = words.next().unwrap_or_default();
                            if word == "(none)" || word == "none" {
                                return Ok(Opinion::default());
                            }
                            let best = step(word, self.first_rank).filter(|best| task.legal.contains(best));
                            let best = best.ok_or_else(|| Failure::Misplay(Misplay::Nonsense(cut(&line.text))))?;
                            return Ok(told.opinion(best));
                        }
                        _ => {}
                    }
                }
                Err(Missing::Late) if !is_stopped => {
                    self.send("stop");
                    is_stopped = true;
                    until = Instant::now() + if limit.is_some() { task.patience - grace } else { task.patience / 4 };
                }
                Err(missing) => return Err(self.talk.failure(missing, Wanted::Move, asked.elapsed())),
            }
        }
    }

    fn position(&self, task: &Task<'_>) -> String {
        let moves = if task.moves.is_empty() { String::new() } else { format!(" moves{}", self.listed(task.moves)) };
        // A line end would be a command of its own.
        let fen: Vec<&str> = task.fen.split_whitespace().collect();
        format!("position fen {}{moves}", fen.join(" "))
    }

    fn go(&self, task: &Task<'_>) -> String {
        let Effort { nodes, depth, time } = task.effort;
        let mut go = String::from("go");
        let mut say = |word: &str, number: u64| {
            let _ = write!(go, " {word} {number}");
        };
        match self.dialect {
            // It takes one limit, and knows none of time for a move.
            Dialect::Ucci => match (nodes, depth) {
                (Some(nodes), _) => say("nodes", nodes),
                (None, Some(depth)) => say("depth", depth.into()),
                (None, None) => go += " infinite",
            },
            Dialect::Uci => {
                depth.into_iter().for_each(|depth| say("depth", depth.into()));
                nodes.into_iter().for_each(|nodes| say("nodes", nodes));
                let usual = (task.effort == Effort::default()).then_some(TURN);
                time.or(usual).into_iter().for_each(|time| {
                    say("movetime", u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1));
                });
                // These have to be the last words for some.
                if !task.except.is_empty() {
                    let left = task.legal.iter().filter(|step| !task.except.contains(step)).copied();
                    go += &format!(" searchmoves{}", self.listed(&left.collect::<Vec<_>>()));
                }
            }
        }
        go
    }

    fn listed(&self, steps: &[Step]) -> String {
        steps.iter().map(|step| format!(" {}", text(*step, self.first_rank))).collect()
    }

    /// Waits until it heeds what it is told, and passes over what it said before.
    fn awake(&mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + READY;
        let mut again = Instant::now() + AGAIN;
        self.send("isready");
        loop {
            match self.talk.line(again.min(deadline)) {
                Ok(line) if line.text.trim() == "readyok" => return Ok(()),
                Ok(_) => {}
                Err(Missing::Late) if again < deadline => {
                    self.send("isready");
                    again += AGAIN;
                }
                Err(missing) => return Err(self.talk.failure(missing, Wanted::Word("readyok"), READY)),
            }
        }
    }

    /// Tells it to end, gives it a second to do so, and ends it.
    pub fn quit(mut self) {
        self.send("quit");
        self.talk.leave();
    }

    fn send(&self, command: &str) {
        self.talk.send(format!("{command}\n"));
    }
}

/// What the lines of info of a search have said.
#[derive(Default)]
struct Told {
    /// The latest of each line with an exact score, by its number, and its number among all that were said.
    lines: BTreeMap<usize, (usize, Course)>,
    said: usize,
    nodes: Option<u64>,
}

impl Told {
    /// Takes in what follows `info`.
    fn read<'l>(&mut self, words: impl Iterator<Item = &'l str>, first_rank: u8) {
        let mut words = words.peekable();
        let (mut number, mut is_bound) = (1, false);
        let mut line = Course::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => line.depth = words.next().and_then(|word| word.parse().ok()),
                "multipv" => number = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
                "nodes" => self.nodes = words.next().and_then(|word| word.parse().ok()).or(self.nodes),
                "score" => {
                    line.eval = match words.next() {
                        Some("cp") => words.next().and_then(points),
                        Some("mate") => words.next().and_then(mate),
                        Some(word) => points(word),
                        None => None,
                    };
                }
                "lowerbound" | "upperbound" => is_bound = true,
                "pv" => {
                    while let Some(step) = words.peek().and_then(|word| step(word, first_rank)) {
                        line.moves.push(step);
                        words.next();
                    }
                }
                // The rest is text.
                "string" | "message" => break,
                _ => {}
            }
        }
        if !line.moves.is_empty() && !is_bound && (1..=MOST).contains(&number) {
            self.said += 1;
            self.lines.insert(number, (self.said, line));
        }
    }

    /// The lines with the one of its move first; of those with one first move the one that was said last.
    fn opinion(self, best: Step) -> Opinion {
        let all: Vec<&(usize, Course)> = self.lines.values().collect();
        let is_last =
            |(at, line): &(usize, Course)| all.iter().all(|(other, one)| one.moves[0] != line.moves[0] || other <= at);
        let mut lines: Vec<Course> = all.iter().filter(|line| is_last(line)).map(|(_, line)| line.clone()).collect();
        lines.sort_by_key(|line| line.moves[0] != best);
        // What it says of other moves is not about this one.
        if lines.first().is_none_or(|line| line.moves[0] != best) {
            lines.insert(0, Course { moves: vec![best], ..Course::default() });
        }
        Opinion { best: Some(best), lines, nodes: self.nodes }
    }
}

fn points(word: &str) -> Option<Eval> {
    word.parse().ok().map(Eval::Points)
}

/// A mate in so many moves, of which the last is the winner's, as plies.
fn mate(word: &str) -> Option<Eval> {
    let moves: i32 = word.parse().ok()?;
    let plies = |moves: u32| u16::try_from(moves.saturating_mul(2)).ok();
    match moves {
        1.. => plies(moves.unsigned_abs()).map(|plies| Eval::Wins(plies - 1)),
        _ => plies(moves.unsigned_abs()).map(Eval::Loses),
    }
}

/// The name of an option: in UCI `name Skill Level type …`, in UCCI `usebook type …`.
fn option_name(text: &str) -> String {
    let text = text.strip_prefix("name ").unwrap_or(text);
    cut(text.split(" type ").next().unwrap_or(text))
}

/// `h2e2`, or `h3e3` where Red's first rank is 1.
fn text(step: Step, first_rank: u8) -> String {
    let point = |point: Point| format!("{}{}", char::from(b'a' + point.x()), 9 + first_rank - point.y().min(9));
    point(step.from) + &point(step.to)
}

/// The move of a word; `None` of what is none on a board of 9 files and 10 ranks.
fn step(word: &str, first_rank: u8) -> Option<Step> {
    let at = word.bytes().skip(1).position(|byte| byte.is_ascii_lowercase())? + 1;
    let point = |text: &str| {
        let x = text.bytes().next()?.checked_sub(b'a').filter(|x| *x < 9)?;
        let digits = text.get(1..).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        let rank = digits.parse::<u8>().ok()?.checked_sub(first_rank).filter(|rank| *rank < 10)?;
        Point::new(x, 9 - rank)
    };
    let (from, to) = (point(word.get(..at)?)?, point(word.get(at..)?)?);
    (from != to).then_some(Step { from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Told {
        let mut told = Told::default();
        lines.iter().for_each(|line| told.read(line.split_whitespace(), 0));
        told
    }

    fn found(lines: &[&str], best: &str) -> Vec<(String, Option<Eval>, Option<u16>)> {
        let opinion = told(lines).opinion(step(best, 0).unwrap());
        let moves = |line: &Course| line.moves.iter().map(|step| text(*step, 0)).collect::<Vec<_>>().join(" ");
        opinion.lines.iter().map(|line| (moves(line), line.eval, line.depth)).collect()
    }

    #[test]
    fn moves_are_read_and_written_in_both_counts_of_ranks() {
        let cannon = Step { from: Point::new(7, 7).unwrap(), to: Point::new(4, 7).unwrap() };
        assert_eq!((text(cannon, 0), text(cannon, 1)), ("h2e2".into(), "h3e3".into()));
        for first_rank in [0, 1] {
            for (from, to) in [((0, 0), (0, 1)), ((8, 9), (0, 9)), ((4, 0), (4, 9))] {
                let point = |(x, y)| Point::new(x, y).unwrap();
                let each = Step { from: point(from), to: point(to) };
                assert_eq!(step(&text(each, first_rank), first_rank), Some(each));
            }
        }
        assert_eq!(text(Step { from: Point::new(1, 0).unwrap(), to: Point::new(2, 2).unwrap() }, 1), "b10c8");
        for none in
            ["", "h2", "h2e", "2e2", "h2e2e2", "j2e2", "h10e2", "h2h2", "H2E2", "h-1e2", "éa1b2", "(none)", "h2e2q"]
        {
            assert_eq!(step(none, 0), None, "{none}");
        }
        assert!(step("h0e0", 1).is_none() && step("h10e10", 1).is_some() && step("h11e1", 1).is_none());
    }

    #[test]
    fn scores_are_read_in_all_three_forms() {
        let eval = |score: &str| found(&[&format!("depth 3 score {score} pv h2e2")], "h2e2")[0].1;
        assert_eq!(eval("cp 31"), Some(Eval::Points(31)));
        assert_eq!(eval("-31"), Some(Eval::Points(-31)));
        assert_eq!((eval("mate 1"), eval("mate 3")), (Some(Eval::Wins(1)), Some(Eval::Wins(5))));
        assert_eq!((eval("mate -2"), eval("mate 0")), (Some(Eval::Loses(4)), Some(Eval::Loses(0))));
        for none in ["x", "cp", "mate", "mate x", "mate 99999999", "cp 99999999999", "mate -2147483648"] {
            assert_eq!(eval(none), None, "{none}");
        }
    }

    #[test]
    fn the_line_of_the_move_comes_first_and_a_bound_is_no_score() {
        let lines = [
            "depth 1 multipv 1 score cp 10 nodes 20 pv h2e2 h9g7",
            "depth 1 multipv 2 score cp 5 pv b2e2",
            "depth 2 multipv 1 score cp 90 lowerbound pv h2e2",
            "depth 2 multipv 1 score cp 12 nodes 50 pv b2e2 b9c7",
            "string pv c3c4",
            "currmove c3c4",
        ];
        // The second line has become the first, and the search ended before there was another second one.
        assert_eq!(found(&lines, "b2e2"), [("b2e2 b9c7".into(), Some(Eval::Points(12)), Some(2))]);
        assert_eq!(found(&lines[..2], "b2e2")[0].0, "b2e2");
        assert_eq!(found(&lines[..2], "b2e2").len(), 2);
        assert_eq!(found(&lines, "c3c4")[0], ("c3c4".into(), None, None));
        assert_eq!(told(&lines).nodes, Some(50));
        assert!(told(&["multipv 0 score cp 1 pv h2e2", "multipv 99999 pv h2e2", "pv", "pv x", ""]).lines.is_empty());
    }

    #[test]
    fn options_are_named_in_both_dialects() {
        assert_eq!(option_name("name Skill Level type spin default 20 min 0 max 20"), "Skill Level");
        assert_eq!(option_name("usemillisec type check default false"), "usemillisec");
        assert_eq!(option_name("newgame type button"), "newgame");
    }
}

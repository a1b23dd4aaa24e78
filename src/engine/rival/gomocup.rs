use super::failure::{Failure, Misplay, Wanted};
use super::process::{Line, Missing};
use super::talk::{Talk, cut};
use super::{CommandLine, Remark};
use games::{Point, Rule, Side, Size};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

/// How long an engine may take to say who it is, and to be ready for a game.
const ABOUT: Duration = Duration::from_secs(3);
const READY: Duration = Duration::from_secs(10);

/// When START is sent again to an engine that has played: Rapfi ignores what comes while it still tidies up.
const AGAIN: Duration = Duration::from_secs(1);

/// Between an engine's move and what it is sent next, for the same reason.
const SETTLE: Duration = Duration::from_millis(10);

/// An engine that speaks the protocol of Gomocup, which Piskvork made.
///
/// Texts, one command a line; points are `x,y`, zero-based from the top left, as a [`Point`] is.
///
/// | we say | it answers |
/// | --- | --- |
/// | `ABOUT` | a line `name="…", version="…"`, or anything |
/// | `START 15`, `RECTSTART 15,12`, `RESTART` | `OK`, or `ERROR …` |
/// | `INFO key value` | nothing |
/// | `BEGIN` (empty board), `TURN x,y`, `BOARD`, `x,y,who` (1: its own), …, `DONE` | `x,y` |
/// | `END` | nothing, and ends |
///
/// Between these it may say `MESSAGE …`, `DEBUG …`, `ERROR …`, `UNKNOWN …`, and many say anything at all: what is no
/// answer is passed over. `SUGGEST x,y` is answered with `PLAY x,y`.
pub struct Gomocup<'s> {
    talk: Talk<'s>,
    name: String,
    settings: Settings,
    size: Size,
    /// The moves that it knows of.
    known: Vec<Point>,
    has_played: bool,
}

/// What an engine is told before a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The rule: `INFO rule` 0, 1, 4, or 9 for caro.
    pub rule: Rule,
    /// `timeout_turn`: time for a move.
    pub turn: Duration,
    /// `timeout_match`: time for all moves of a game; none is 0.
    pub total: Option<Duration>,
    /// `max_memory`, in bytes.
    pub memory: u64,
    /// `max_node`, which engines of the Yixin family know.
    pub nodes: Option<u64>,
    /// `thread_num`, which they know, too.
    pub threads: Option<u32>,
    /// More keys and values.
    pub more: Vec<(String, String)>,
    /// Send the whole board for each move, instead of the other side's move.
    pub whole_board: bool,
}

impl Settings {
    /// A second a move and 350 MB, as the judges of tournaments do it.
    pub fn new(rule: Rule) -> Settings {
        Settings {
            rule,
            turn: Duration::from_secs(1),
            total: None,
            memory: 350 << 20,
            nodes: None,
            threads: None,
            more: Vec::new(),
            whole_board: false,
        }
    }
}

/// A move, what it took, and what was said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// An empty point of the board.
    pub point: Point,
    /// From the command to the move.
    pub time: Duration,
    /// What the engine said of its search.
    pub remark: Remark,
}

/// What a line means to who waits for an answer.
enum Said {
    Ready,
    Move(i64, i64),
    Suggestion(i64, i64),
    /// Numbers that are no point.
    Nonsense,
    Error(String),
    Unknown,
    Other,
}

impl<'s> Gomocup<'s> {
    /// Starts a program and asks who it is. Nothing here waits longer than half a tenth of a second after `stop` is set.
    pub fn start(line: &CommandLine, stop: &'s AtomicBool) -> Result<Gomocup<'s>, Failure> {
        let mut engine = Gomocup {
            talk: Talk::start(line, stop)?,
            name: line.name().into(),
            settings: Settings::new(Rule::Freestyle),
            size: Size::default(),
            known: Vec::new(),
            has_played: false,
        };
        engine.send("ABOUT");
        let deadline = Instant::now() + ABOUT;
        loop {
            match engine.line(deadline) {
                Ok(line) if is_chatter(&line.text) || line.text.trim().is_empty() => {}
                Ok(line) => {
                    if let Some(name) = about(&line.text) {
                        engine.name = name;
                    }
                    return Ok(engine);
                }
                // Some do not know the command.
                Err(Missing::Late) => return Ok(engine),
                Err(missing) => return Err(engine.talk.failure(missing, Wanted::Ready, ABOUT)),
            }
        }
    }

    /// The name and version that it gave itself, else the name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same engine with another flag that stops who waits for it.
    pub(super) fn heeding<'t>(self, stop: &'t AtomicBool) -> Gomocup<'t> {
        let Gomocup { talk, name, settings, size, known, has_played } = self;
        Gomocup { talk: talk.heeding(stop), name, settings, size, known, has_played }
    }

    /// Begins a game on an empty board.
    pub fn new_game(&mut self, size: Size, settings: &Settings) -> Result<(), Failure> {
        self.begin(size, settings, false)
    }

    /// Begins another game of the same size with `RESTART`, or with `START` where the engine knows no `RESTART`.
    pub fn restart(&mut self, settings: &Settings) -> Result<(), Failure> {
        self.begin(self.size, settings, self.has_played)
    }

    fn begin(&mut self, size: Size, settings: &Settings, again: bool) -> Result<(), Failure> {
        let start = match (size.width(), size.height()) {
            (width, height) if width == height => format!("START {width}"),
            (width, height) => format!("RECTSTART {width},{height}"),
        };
        let mut command = if again { "RESTART" } else { &start };
        self.size = size;
        self.settings = settings.clone();
        self.known.clear();
        self.talk.drain();
        self.send(command);
        let begun = Instant::now();
        let deadline = begun + READY;
        let mut repeat = begun + AGAIN;
        loop {
            let until = if self.has_played { deadline.min(repeat) } else { deadline };
            match self.line(until) {
                Ok(line) => match said(&line.text) {
                    Said::Ready => break,
                    Said::Error(_) | Said::Unknown if command == "RESTART" => {
                        command = &start;
                        self.send(command);
                    }
                    Said::Error(text) => return Err(Failure::Refused(text)),
                    // All know START, so that this is about something else.
                    Said::Unknown if command == start && start.starts_with("RECT") => {
                        return Err(Failure::Refused(cut(&line.text)));
                    }
                    _ => {}
                },
                Err(Missing::Late) if until < deadline => {
                    command = &start;
                    self.send(command);
                    repeat += AGAIN;
                }
                Err(missing) => return Err(self.talk.failure(missing, Wanted::Ready, READY)),
            }
        }
        self.inform_all();
        Ok(())
    }

    fn inform_all(&self) {
        let Settings { rule, turn, total, memory, nodes, threads, more, .. } = &self.settings;
        let rule = match rule {
            Rule::Freestyle => 0,
            Rule::Standard => 1,
            Rule::Renju => 4,
            Rule::Caro => 9,
        };
        self.inform("rule", rule);
        self.inform("timeout_turn", turn.as_millis());
        self.inform("timeout_match", total.map_or(0, |total| total.as_millis()));
        if let Some(nodes) = nodes {
            self.inform("max_node", nodes);
        }
        self.inform("max_memory", memory);
        if let Some(threads) = threads {
            self.inform("thread_num", threads);
        }
        for (key, value) in more {
            self.inform(key, value);
        }
    }

    /// Tells it something, which it does not answer.
    pub fn inform(&self, key: &str, value: impl std::fmt::Display) {
        self.send(&format!("INFO {key} {value}"));
    }

    /// Asks for a move after these, the first player's first, and waits for it `patience` at most.
    ///
    /// `left` is what is left of the time for the game, in milliseconds, below 0 if it is used up. After a failure the
    /// engine is of no more use.
    pub fn think(&mut self, moves: &[Point], left: Option<i64>, patience: Duration) -> Result<Reply, Failure> {
        let command = self.question(moves);
        self.ask(&command, moves, left, patience, &mut |_| true)
    }

    /// The same by another command, which is about the position after these moves. `hear` is told each line that is no
    /// answer, and says whether one is still to be waited for.
    pub(super) fn ask(
        &mut self,
        command: &str,
        moves: &[Point],
        left: Option<i64>,
        patience: Duration,
        hear: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Reply, Failure> {
        let rest = SETTLE.saturating_sub(self.talk.heard().elapsed());
        if self.has_played && !rest.is_zero() {
            thread::sleep(rest);
        }
        self.talk.drain();
        self.inform("time_left", left.unwrap_or(i64::from(i32::MAX)));
        let asked = Instant::now();
        self.send(command);
        self.known = moves.to_vec();
        let mut remark = Remark::default();
        loop {
            let line =
                self.line(asked + patience).map_err(|missing| self.talk.failure(missing, Wanted::Move, patience))?;
            let said = said(&line.text);
            if !matches!(said, Said::Move(..) | Said::Suggestion(..)) && !hear(&line.text) {
                return Err(Failure::Refused(cut(&line.text)));
            }
            match said {
                Said::Move(x, y) => {
                    let point = self.place(x, y, &line.text)?;
                    self.known.push(point);
                    self.has_played = true;
                    return Ok(Reply { point, time: line.at.saturating_duration_since(asked), remark });
                }
                Said::Suggestion(x, y) => self.send(&format!("PLAY {x},{y}")),
                Said::Nonsense => return Err(Failure::Misplay(Misplay::Nonsense(cut(&line.text)))),
                Said::Other => remark.read(&line.text),
                // OK to a START that was sent twice; an error that may still be followed by a move.
                Said::Ready | Said::Error(_) | Said::Unknown => {}
            }
        }
    }

    /// The command that asks for the move after these.
    fn question(&self, moves: &[Point]) -> String {
        let is_next = moves.len() == self.known.len() + 1 && moves.starts_with(&self.known);
        match moves.last() {
            None => "BEGIN".into(),
            Some(last) if is_next && !self.settings.whole_board => format!("TURN {},{}", last.x(), last.y()),
            _ => format!("BOARD\r\n{}DONE", stones(moves)),
        }
    }

    fn place(&self, x: i64, y: i64, text: &str) -> Result<Point, Failure> {
        let point = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| Point::new(x, y));
        match point.filter(|point| self.size.contains(*point)) {
            None => Err(Failure::Misplay(Misplay::OffBoard(cut(text)))),
            Some(point) if self.known.contains(&point) => Err(Failure::Misplay(Misplay::Occupied(point, self.size))),
            Some(point) => Ok(point),
        }
    }

    /// Tells it to end, gives it a second to do so, and ends it.
    pub fn quit(mut self) {
        self.send("END");
        self.talk.leave();
    }

    /// Sends a command with the line end of Windows, which every manager sends and every engine knows.
    pub(super) fn send(&self, command: &str) {
        self.talk.send(format!("{command}\r\n"));
    }

    fn line(&mut self, deadline: Instant) -> Result<Line, Missing> {
        self.talk.line(deadline)
    }
}

/// The lines of a board after these moves, whose next one is the engine's.
pub(super) fn stones(moves: &[Point]) -> String {
    let to_move = Side::of_ply(moves.len() + 1);
    let who = |at: usize| if Side::of_ply(at + 1) == to_move { 1 } else { 2 };
    moves.iter().enumerate().map(|(at, point)| format!("{},{},{}\r\n", point.x(), point.y(), who(at))).collect()
}

/// What the line means.
fn said(line: &str) -> Said {
    let line = line.trim();
    let (word, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
    let is = |known: &str| word.eq_ignore_ascii_case(known);
    if is("ok") {
        return Said::Ready;
    }
    if is("suggest") {
        return pair(rest).map_or(Said::Other, |(x, y)| Said::Suggestion(x, y));
    }
    if is("error") {
        return Said::Error(cut(line));
    }
    if is("unknown") {
        return Said::Unknown;
    }
    match pair(line) {
        Some((x, y)) => Said::Move(x, y),
        None if line.contains(|c: char| c.is_ascii_digit())
            && line.chars().all(|c| c.is_ascii_digit() || "+-., ".contains(c)) =>
        {
            Said::Nonsense
        }
        None => Said::Other,
    }
}

/// `x,y`.
pub(super) fn pair(text: &str) -> Option<(i64, i64)> {
    let (x, y) = text.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

fn is_chatter(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    ["message", "debug", "error", "info"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The name, and the version after it, in an answer to `ABOUT`.
fn about(line: &str) -> Option<String> {
    let value = |key: &str| {
        let at = line.to_ascii_lowercase().find(&format!("{key}=\""))? + key.len() + 2;
        let (value, _) = line.get(at..)?.split_once('"')?;
        let value = cut(value.trim());
        (!value.is_empty()).then_some(value)
    };
    let name = value("name")?;
    // The version of some is in their name.
    match value("version") {
        Some(version) if !name.contains(&version) => Some(format!("{name} {version}")),
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_chatter() {
        let is_move = |line: &str| matches!(said(line), Said::Move(7, 12));
        assert!(is_move("7,12") && is_move(" 7 , 12 \r") && is_move("+7,12\t"));
        for line in ["7", "7,", "7,7,1", "1.5,3", "99999999999999999999,0", "7 12"] {
            assert!(matches!(said(line), Said::Nonsense), "{line}");
        }
        for line in ["MESSAGE 7,7", "DEBUG 1", "", "hello", "SUGGEST", "SUGGEST x,y", "OKAY", "-", "bestmove 7,7"] {
            assert!(matches!(said(line), Said::Other), "{line}");
        }
        assert!(matches!(said("-1,-1"), Said::Move(-1, -1)));
        assert!(matches!(said("suggest 3,4"), Said::Suggestion(3, 4)));
        assert!(matches!(said("OK - everything is good"), Said::Ready) && matches!(said("ok"), Said::Ready));
        assert!(matches!(said("ERROR size"), Said::Error(text) if text == "ERROR size"));
        assert!(matches!(said("UNKNOWN command"), Said::Unknown));
    }

    #[test]
    fn names_come_with_versions() {
        let line = r#"name="figrid", version="1.2.0", author="somebody", country="KR""#;
        assert_eq!(about(line), Some("figrid 1.2.0".into()));
        assert_eq!(about(r#"NAME="Pela 8", Version="8""#), Some("Pela 8".into()));
        assert_eq!(about(r#"name="", version="1""#), None);
        assert_eq!(about("Hello"), None);
        assert_eq!(about("name=\"a\u{1b}[31mb\""), Some("a\u{FFFD}[31mb".into()));
        assert_eq!(about(r#"é name="x"#), None);
        assert_eq!(about(&format!("name=\"{}\"", "x".repeat(5000))).map(|name| name.len()), Some(203));
    }
}

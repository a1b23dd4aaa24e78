use super::failure::{Failure, Misplay, Wanted};
use super::process::Missing;
use super::talk::{Talk, cut};
use super::{CommandLine, Eval};
use games::{Coords, Point, Rule, Size};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long an engine may take to greet, and to say that it is ready.
const READY: Duration = Duration::from_secs(10);

/// When it is asked again whether it is ready: some ignore what comes while they still tidy up.
const AGAIN: Duration = Duration::from_secs(1);

/// The board of this protocol.
pub(super) const SIZE: u8 = 15;

/// An engine that speaks the Amoyman Gobang Interface, on a board of 15x15.
///
/// Texts, one command a line, keywords in any case; points are two hexadecimal digits, the row from the top 0..E and the
/// column from the left 1..F ([`Coords::Agi`]).
///
/// | we say | it answers |
/// | --- | --- |
/// | `AGI` | `ID NAME name [AUTHOR …]`, `OPTION …`, and at last `AGIOK` |
/// | `SETOPTION OWNBOOK OFF`, `SETOPTION PONDER OFF`, `SETRULE FORBIDDEN` (renju) or `UNFORBIDDEN` | nothing |
/// | `ISREADY` | `READYOK` |
/// | `POSITION STATU 78695A` (stones of both sides in turn) | nothing |
/// | `GO [SEARCH 67596A] INFINITE` | `INFO …`, and after `STOP`, or before, `BESTMOVE 67 [PONDER 89]` |
/// | `QUIT` | `BYE` |
///
/// What is no answer is passed over.
pub struct Agi<'s> {
    talk: Talk<'s>,
    name: String,
}

/// A move, and what the engine said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Thought {
    /// An empty point of the board.
    pub point: Point,
    /// The moves that it expects, this one first.
    pub moves: Vec<Point>,
    /// What they are worth to the side that moves, where it said so.
    pub eval: Option<Eval>,
    /// The depth that it finished.
    pub depth: Option<u16>,
}

/// When to stop an engine that thinks without a limit.
#[derive(Copy, Clone, Debug)]
pub(super) struct Until {
    /// After so much time.
    pub time: Duration,
    /// After it has told the result of this depth.
    pub depth: Option<u32>,
    /// How long it may take to answer then.
    pub patience: Duration,
}

impl<'s> Agi<'s> {
    /// Starts a program and greets it.
    pub fn start(line: &CommandLine, stop: &'s AtomicBool) -> Result<Agi<'s>, Failure> {
        let mut engine = Agi { talk: Talk::start(line, stop)?, name: line.name().into() };
        engine.send("AGI");
        let deadline = Instant::now() + READY;
        loop {
            let line = engine.talk.line(deadline);
            let line = line.map_err(|missing| engine.talk.failure(missing, Wanted::Word("AGIOK"), READY))?;
            let mut words = line.text.split_whitespace();
            let first = words.next().unwrap_or_default();
            if is(first, "AGIOK") {
                break;
            } else if is(first, "ID") {
                if let Some(name) = named(&line.text) {
                    engine.name = name;
                }
            } else if is(first, "UNKNOWN") || is(first, "ERROR") {
                // It speaks another protocol.
                return Err(Failure::Refused(cut(&line.text)));
            }
        }
        engine.send("SETOPTION OWNBOOK OFF");
        engine.send("SETOPTION PONDER OFF");
        Ok(engine)
    }

    /// The name and version that it gave itself, else the name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same engine with another flag that stops who waits for it.
    pub(super) fn heeding<'t>(self, stop: &'t AtomicBool) -> Agi<'t> {
        let Agi { talk, name } = self;
        Agi { talk: talk.heeding(stop), name }
    }

    /// Asks for a move after these, the first player's first, if need be for one of `only`.
    ///
    /// After a failure the engine is of no more use.
    pub(super) fn think(
        &mut self,
        rule: Rule,
        moves: &[Point],
        only: Option<&[Point]>,
        until: Until,
    ) -> Result<Thought, Failure> {
        self.awake()?;
        self.send(if rule == Rule::Renju { "SETRULE FORBIDDEN" } else { "SETRULE UNFORBIDDEN" });
        self.send(&if moves.is_empty() { "POSITION".into() } else { format!("POSITION STATU {}", hex(moves)) });
        self.talk.drain();
        let asked = Instant::now();
        self.send(&only.map_or("GO INFINITE".into(), |only| format!("GO SEARCH {} INFINITE", hex(only))));
        let mut stopped: Option<Instant> = None;
        let mut told = Told::default();
        loop {
            let deadline = stopped.map_or(asked + until.time, |at| at + until.patience);
            match self.talk.line(deadline) {
                Ok(line) => {
                    let mut words = line.text.split_whitespace();
                    let first = words.next().unwrap_or_default();
                    if is(first, "BESTMOVE") {
                        let point = best(words.next().unwrap_or_default(), moves, &line.text)?;
                        return Ok(told.thought(point));
                    } else if is(first, "INFO") {
                        told.read(words);
                        let is_deep = until.depth.is_some_and(|depth| told.finished >= depth);
                        if is_deep && stopped.is_none() {
                            stopped = Some(self.halt());
                        }
                    }
                }
                Err(Missing::Late) if stopped.is_none() => stopped = Some(self.halt()),
                Err(missing) => {
                    return Err(self.talk.failure(missing, Wanted::Move, asked.elapsed()));
                }
            }
        }
    }

    fn halt(&self) -> Instant {
        self.send("STOP");
        Instant::now()
    }

    /// Waits until it heeds what it is told, and passes over what it said before.
    fn awake(&mut self) -> Result<(), Failure> {
        let begun = Instant::now();
        let deadline = begun + READY;
        let mut again = begun + AGAIN;
        self.send("ISREADY");
        loop {
            match self.talk.line(again.min(deadline)) {
                Ok(line) if is(line.text.trim(), "READYOK") => return Ok(()),
                Ok(_) => {}
                Err(Missing::Late) if again < deadline => {
                    self.send("ISREADY");
                    again += AGAIN;
                }
                Err(missing) => return Err(self.talk.failure(missing, Wanted::Word("READYOK"), READY)),
            }
        }
    }

    fn send(&self, command: &str) {
        self.talk.send(format!("{command}\n"));
    }
}

/// What the lines of INFO of a search have said.
#[derive(Default)]
struct Told {
    /// The last score with its moves, and its depth.
    score: Option<i32>,
    moves: Vec<Point>,
    depth: Option<u16>,
    /// The greatest depth that has a result.
    finished: u32,
    wins: Vec<Point>,
    loses: Vec<Point>,
}

/// The keys of INFO.
const KEYS: [&str; 7] = ["DEPTH", "PV", "SCORE", "NPS", "SEARCH", "WIN", "LOSE"];

impl Told {
    /// Takes in what follows INFO.
    fn read<'l>(&mut self, words: impl Iterator<Item = &'l str>) {
        let mut words = words.peekable();
        let (mut depth, mut score, mut moves) = (None, None, None);
        while let Some(key) = words.next() {
            let known = KEYS.iter().position(|known| is(key, known));
            let mut said = String::new();
            while let Some(word) = words.next_if(|word| !KEYS.iter().any(|known| is(word, known))) {
                said += word;
            }
            match known.map(|at| KEYS[at]) {
                Some("DEPTH") => depth = said.parse::<u16>().ok(),
                Some("SCORE") => score = said.parse::<i32>().ok(),
                Some("PV") => moves = Some(points(&said)),
                Some("WIN") => self.wins.extend(points(&said)),
                Some("LOSE") => self.loses.extend(points(&said)),
                _ => {}
            }
        }
        if score.is_some() || moves.is_some() {
            self.depth = depth.or(self.depth);
            self.score = score.or(self.score);
            self.moves = moves.unwrap_or_default();
            self.finished = self.finished.max(self.depth.unwrap_or(0).into());
        } else if let Some(depth) = depth {
            // It begins with this one.
            self.finished = self.finished.max(u32::from(depth).saturating_sub(1));
        }
    }

    /// What is known of the move that it played; what it said of another one is not about this.
    fn thought(self, point: Point) -> Thought {
        let is_about = self.moves.first().is_none_or(|first| *first == point);
        let plies = |far: i32| u16::try_from(30_000 - far).ok().filter(|plies| *plies < 500).unwrap_or(499);
        let score = self.score.filter(|_| is_about);
        let eval = if self.wins.contains(&point) {
            Some(Eval::Wins(score.map_or(499, plies)))
        } else {
            score.map(|score| match score {
                // A number alone is no claim that the game is lost.
                score if self.loses.contains(&point) => Eval::Loses(plies(score.saturating_neg())),
                score => Eval::Points(score),
            })
        };
        let moves = if is_about && !self.moves.is_empty() { self.moves } else { vec![point] };
        Thought { point, moves, eval, depth: self.depth.filter(|_| is_about) }
    }
}

/// The point of BESTMOVE.
fn best(word: &str, moves: &[Point], text: &str) -> Result<Point, Failure> {
    let size = Size::square(SIZE).expect("15 is a size");
    let misplay = |misplay| Err(Failure::Misplay(misplay));
    match Coords::Agi.parse(word, size) {
        Some(point) if moves.contains(&point) => misplay(Misplay::Occupied(point, size)),
        Some(point) => Ok(point),
        None if word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) && word != "00" => {
            misplay(Misplay::OffBoard(cut(text)))
        }
        None => misplay(Misplay::Nonsense(cut(text))),
    }
}

/// The name in a line of ID.
fn named(line: &str) -> Option<String> {
    let (id, rest) = line.trim_start().split_once(char::is_whitespace)?;
    let (name, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let upper = rest.to_ascii_uppercase();
    let end = upper.find(" AUTHOR ").unwrap_or(rest.len());
    let name = (is(id, "ID") && is(name, "NAME")).then(|| cut(&rest[..end]))?;
    (!name.is_empty()).then_some(name)
}

fn is(word: &str, known: &str) -> bool {
    word.eq_ignore_ascii_case(known)
}

fn hex(points: &[Point]) -> String {
    let size = Size::square(SIZE).expect("15 is a size");
    points.iter().map(|point| Coords::Agi.text(*point, size)).collect()
}

/// The points of a text of pairs of digits, as far as they are points.
fn points(text: &str) -> Vec<Point> {
    let size = Size::square(SIZE).expect("15 is a size");
    text.as_bytes()
        .chunks(2)
        .map_while(|pair| std::str::from_utf8(pair).ok().and_then(|pair| Coords::Agi.parse(pair, size)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str) -> Point {
        Coords::Agi.parse(name, Size::default()).unwrap()
    }

    fn thought(lines: &[&str], best: &str) -> (String, Option<Eval>, Option<u16>) {
        let mut told = Told::default();
        lines.iter().for_each(|line| told.read(line.split_whitespace()));
        let Thought { point: played, moves, eval, depth } = told.thought(point(best));
        assert_eq!(played, point(best));
        (hex(&moves), eval, depth)
    }

    #[test]
    fn what_is_said_of_the_move_counts_and_the_last_of_it() {
        let lines = ["SEARCH 67596A6B", "DEPTH 1", "DEPTH 1 SCORE 3 PV 6789", "DEPTH 2", "NPS 786000"];
        assert_eq!(thought(&lines, "67"), ("6789".into(), Some(Eval::Points(3)), Some(1)));
        assert_eq!(thought(&lines, "59"), ("59".into(), None, None));
        assert_eq!(
            thought(&["score -40 depth 7 pv 67 89 6a"], "67"),
            ("67896A".into(), Some(Eval::Points(-40)), Some(7))
        );
        // Without moves it is about the position.
        assert_eq!(thought(&["SCORE 12"], "67"), ("67".into(), Some(Eval::Points(12)), None));
        assert_eq!(thought(&[], "67"), ("67".into(), None, None));
        assert_eq!(thought(&["DEPTH x SCORE", "PV zz67", "SCORE 99999999999"], "67"), ("67".into(), None, None));
    }

    #[test]
    fn wins_and_losses_are_those_that_are_called_so() {
        let eval = |lines: &[&str]| thought(lines, "67").1;
        assert_eq!(eval(&["SCORE 29995 PV 6789", "WIN 67"]), Some(Eval::Wins(5)));
        assert_eq!(eval(&["WIN 6A 67", "SCORE 900"]), Some(Eval::Wins(499)));
        assert_eq!(eval(&["WIN 67"]), Some(Eval::Wins(499)));
        assert_eq!(eval(&["SCORE -29996", "LOSE 59 67"]), Some(Eval::Loses(4)));
        assert_eq!(eval(&["SCORE 29995"]), Some(Eval::Points(29_995)));
        assert_eq!(eval(&["SCORE -29995", "LOSE 59"]), Some(Eval::Points(-29_995)));
        assert_eq!(eval(&["SCORE -2147483648", "LOSE 67"]), Some(Eval::Loses(499)));
    }

    #[test]
    fn a_depth_is_finished_when_it_has_a_result_or_the_next_one_begins() {
        let finished = |lines: &[&str]| {
            let mut told = Told::default();
            lines.iter().for_each(|line| told.read(line.split_whitespace()));
            told.finished
        };
        assert_eq!(finished(&["DEPTH 4"]), 3);
        assert_eq!(finished(&["DEPTH 4", "DEPTH 4 SCORE 1 PV 67"]), 4);
        assert_eq!(finished(&["DEPTH 4 SCORE 1", "DEPTH 6"]), 5);
        assert_eq!(finished(&["DEPTH 0", "NPS 4"]), 0);
    }

    #[test]
    fn moves_that_are_none_are_told() {
        let best = |word: &str| best(word, &[point("78")], word);
        assert_eq!(best("67"), Ok(point("67")));
        assert_eq!(best("6a"), Ok(point("6A")));
        assert_eq!(best("78"), Err(Failure::Misplay(Misplay::Occupied(point("78"), Size::default()))));
        for off in ["F1", "10", "E0", "FF"] {
            assert_eq!(best(off), Err(Failure::Misplay(Misplay::OffBoard(off.into()))));
        }
        for none in ["", "00", "7", "CHANGE", "678", "é7", "xy"] {
            assert_eq!(best(none), Err(Failure::Misplay(Misplay::Nonsense(none.into()))), "{none}");
        }
    }

    #[test]
    fn names_are_read_from_one_line_or_from_two() {
        assert_eq!(named("ID NAME Amoyman 1.0"), Some("Amoyman 1.0".into()));
        assert_eq!(named("id name Amoyman 1.0 author Amoyman KUA"), Some("Amoyman 1.0".into()));
        for line in ["ID AUTHOR Amoyman KUA", "ID NAME", "ID", "", "ID NAME \t"] {
            assert_eq!(named(line), None, "{line}");
        }
    }
}

//! An engine of xiangqi that speaks UCI and UCCI, and misbehaves as it is told: what drives engines is tested with it.
//!
//! It plays the first of the moves that it knows, without those that it is told to leave out; or, with `--plays`, the
//! one after which the pieces are worth most whatever the other side answers.
//!
//! | switch | what it does |
//! | --- | --- |
//! | `--knows h2e2,h2d2,…` | its moves, best first; the values are 30, 20, 10, … |
//! | `--plays` | knows the rules |
//! | `--from-1` | counts ranks from 1, and does not say so |
//! | `--mate N` | says that the first mates in N moves |
//! | `--bare` | says `score 30` instead of `score cp 30` |
//! | `--waits` | answers when it is told to stop |
//! | `--variant` | has the option UCI_Variant, as Fairy-Stockfish |
//! | `--none`, `--illegal` | says that there is no move; plays `a0a0` |
//! | `--hang`, `--crash`, `--flood`, `--late MS` | says nothing any more; ends with code 3; prints without an end; waits |
//! | `--deaf N` | passes over the first N lines after its greeting |
//! | `--log FILE` | writes what it is told into the file |

use games::Step;
use games::xiangqi::notation::{Style, write};
use games::xiangqi::{Board, FenOptions, History, Kind};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write, stdin, stdout};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

struct Engine {
    options: Vec<String>,
    is_ucci: bool,
    lines: usize,
    banned: Vec<String>,
    position: String,
    log: Option<File>,
}

fn main() {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let mut engine =
        Engine { options, is_ucci: false, lines: 1, banned: Vec::new(), position: String::new(), log: None };
    engine.log = engine
        .text("--log")
        .map(|file| OpenOptions::new().create(true).append(true).open(file).expect("the file can be written"));
    let mut deaf: u64 = engine.number("--deaf").unwrap_or(0);
    let mut has_greeted = false;
    let mut lines = stdin().lock().lines();
    while let Some(Ok(line)) = lines.next() {
        if has_greeted && deaf > 0 {
            deaf -= 1;
            continue;
        }
        has_greeted = true;
        engine.obey(line.trim_end(), &mut || lines.next().and_then(Result::ok));
    }
}

impl Engine {
    fn text(&self, name: &str) -> Option<&str> {
        let at = self.options.iter().position(|word| word == name)?;
        self.options.get(at + 1).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|word| word == name)
    }

    fn say(&self, text: &str) {
        let mut out = stdout().lock();
        // Who no longer listens is about to end this.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    fn obey(&mut self, line: &str, next: &mut dyn FnMut() -> Option<String>) {
        if let Some(log) = &mut self.log {
            writeln!(log, "{line}").expect("the file can be written");
        }
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["uci"] => {
                self.say("id name fake 1.0\nid author kifu\noption name Threads type spin default 4 min 1 max 8");
                self.say(
                    "option name Hash type spin default 64 min 1 max 1024\noption name Ponder type check default true",
                );
                self.say("option name MultiPV type spin default 1 min 1 max 500");
                if self.has("--variant") {
                    self.say("option name UCI_Variant type combo default chess var chess var xiangqi");
                }
                self.say("uciok");
            }
            ["ucci"] => {
                self.is_ucci = true;
                self.say("id name fake 1.0\nid version 3\noption usemillisec type check default false");
                self.say("option usebook type check default true\noption hashsize type spin min 0 max 1024 default 0");
                self.say("option newgame type button\nucciok");
            }
            ["isready"] => self.say("readyok"),
            ["setoption", "name", "MultiPV", "value", number] => self.lines = number.parse().unwrap_or(1),
            ["position", ..] => {
                self.banned.clear();
                line.clone_into(&mut self.position);
            }
            ["banmoves", ref moves @ ..] => self.banned = moves.iter().map(|word| (*word).to_owned()).collect(),
            ["go", ..] => self.go(line, next),
            ["quit"] => exit(0),
            _ => {}
        }
    }

    fn go(&self, line: &str, next: &mut dyn FnMut() -> Option<String>) {
        if self.has("--crash") {
            eprintln!("the board is on fire");
            exit(3);
        }
        while self.has("--hang") {
            sleep(Duration::from_secs(1));
        }
        while self.has("--flood") {
            if stdout().lock().write_all(b"info depth 1 score cp 1\n").is_err() {
                exit(1);
            }
        }
        while self.has("--waits") && next().is_some_and(|line| line.trim() != "stop") {}
        if let Some(ms) = self.number("--late") {
            sleep(Duration::from_millis(ms));
        }
        if self.has("--none") {
            return self.say(if self.is_ucci { "nobestmove" } else { "bestmove (none)" });
        }
        if self.has("--illegal") {
            return self.say("bestmove a0a0");
        }
        let among: Option<Vec<&str>> = line.split_once(" searchmoves ").map(|(_, moves)| moves.split(' ').collect());
        let may = |word: &&str| {
            !self.banned.iter().any(|banned| banned == word) && among.as_ref().is_none_or(|among| among.contains(word))
        };
        let said: Vec<(String, i32, String)> = match self.has("--plays") {
            true => self.found(),
            false => {
                let known = self.text("--knows").unwrap_or("h2e2").split(',');
                known.zip(0..).map(|(word, at)| (word.to_owned(), 30 - 10 * at, "a9a8".to_owned())).collect()
            }
        };
        let said: Vec<_> = said.into_iter().filter(|(word, ..)| may(&word.as_str())).collect();
        for (at, (word, value, reply)) in said.iter().take(self.lines).enumerate() {
            let score = match (self.text("--mate"), *value) {
                (Some(moves), _) if at == 0 => format!("mate {moves}"),
                (_, MATE) => "mate 1".into(),
                (_, LOST) => "mate -1".into(),
                _ if self.has("--bare") => format!("{value}"),
                _ => format!("cp {value}"),
            };
            let number = if self.is_ucci { String::new() } else { format!(" multipv {}", at + 1) };
            self.say(&format!("info depth 6{number} score {score} nodes 1234 pv {word} {reply}"));
        }
        self.say(&said.first().map_or("nobestmove".into(), |(best, ..)| format!("bestmove {best} ponder a9a8")));
    }

    /// All moves of the position, the best first, each with its value and the best answer.
    fn found(&self) -> Vec<(String, i32, String)> {
        let style = if self.has("--variant") || self.has("--from-1") { Style::Uci10 } else { Style::Iccs };
        let history = History::read(&self.position, FenOptions::default(), Some(style)).expect("a position").0;
        let board = &history.end().board;
        let mut found: Vec<(Step, i32, String)> = Vec::new();
        for step in board.moves() {
            let mut next = board.clone();
            next.play_unchecked(step);
            let after = |reply: Step| {
                let mut last = next.clone();
                last.play_unchecked(reply);
                let value = if last.has_moves() { worth(&last) } else { LOST };
                (value, reply)
            };
            let answer = next.moves().map(after).min();
            let value = answer.map_or(MATE, |(value, _)| value);
            found.push((step, value, answer.map_or(String::new(), |(_, reply)| write(&next, reply, style))));
        }
        found.sort_by_key(|(step, value, _)| (-value, *step));
        found.into_iter().map(|(step, value, reply)| (write(board, step, style), value, reply)).collect()
    }
}

/// What stands for a mate by the move, and for one by its answer.
const MATE: i32 = 30_000;
const LOST: i32 = -30_000;

/// The pieces of the side to move, less those of the other, in hundredths of a pawn.
fn worth(board: &Board) -> i32 {
    let each = |kind| match kind {
        Kind::King => 0,
        Kind::Advisor | Kind::Elephant => 200,
        Kind::Horse => 400,
        Kind::Rook => 900,
        Kind::Cannon => 450,
        Kind::Pawn => 100,
    };
    let sign = |side| if side == board.to_move() { 1 } else { -1 };
    board.pieces().map(|(_, piece)| sign(piece.side) * each(piece.kind)).sum()
}

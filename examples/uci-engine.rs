//! An engine of xiangqi that speaks UCI and UCCI, knows no rules, and misbehaves as it is told: what drives engines is
//! tested with it.
//!
//! It plays the first of the moves that it knows, without those that it is told to leave out.
//!
//! | switch | what it does |
//! | --- | --- |
//! | `--knows h2e2,h2d2,…` | its moves, best first; the values are 30, 20, 10, … |
//! | `--mate N` | says that the first mates in N moves |
//! | `--bare` | says `score 30` instead of `score cp 30` |
//! | `--waits` | answers when it is told to stop |
//! | `--variant` | has the option UCI_Variant, as Fairy-Stockfish |
//! | `--none`, `--illegal` | says that there is no move; plays `a0a0` |
//! | `--hang`, `--crash`, `--flood`, `--late MS` | says nothing any more; ends with code 3; prints without an end; waits |
//! | `--deaf N` | passes over the first N lines after its greeting |
//! | `--log FILE` | writes what it is told into the file |

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
    log: Option<File>,
}

fn main() {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let mut engine = Engine { options, is_ucci: false, lines: 1, banned: Vec::new(), log: None };
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
            ["position", ..] => self.banned.clear(),
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
        let known: Vec<&str> = self.text("--knows").unwrap_or("h2e2").split(',').filter(may).collect();
        for (at, word) in known.iter().take(self.lines).enumerate() {
            let score = match self.text("--mate") {
                Some(moves) if at == 0 => format!("mate {moves}"),
                _ if self.has("--bare") => format!("{}", 30 - 10 * at as i64),
                _ => format!("cp {}", 30 - 10 * at as i64),
            };
            let number = if self.is_ucci { String::new() } else { format!(" multipv {}", at + 1) };
            self.say(&format!("info depth 6{number} score {score} nodes 1234 pv {word} a9a8"));
        }
        self.say(&known.first().map_or("nobestmove".into(), |best| format!("bestmove {best} ponder a9a8")));
    }
}

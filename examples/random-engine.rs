//! An engine that speaks the protocol of Gomocup, or AGI where it is greeted so, plays at random, and misbehaves as it is
//! told: what drives engines is tested with it.
//!
//! `kifu match --rule freestyle "target/debug/examples/random-engine" "target/debug/examples/random-engine --greedy"`
//!
//! The same position gets the same move: chance is seeded with `--seed N` and the stones.
//!
//! | switch | what it does |
//! | --- | --- |
//! | `--name NAME`, `--seed N` | says so in ABOUT; other moves |
//! | `--greedy` | makes five where it can, and stops four |
//! | `--moves 7,7;8,8` | its first moves, whatever stands there |
//! | `--hang N`, `--crash N`, `--flood N` | for move N: says nothing any more; ends with code 3; prints without an end |
//! | `--occupied N`, `--off-board N`, `--nonsense N` | for move N: a point with a stone; one off the board; `7,` |
//! | `--late MS`, `--slow-start MS`, `--slow-about MS` | waits before each move, before OK, before its name |
//! | `--when N` | does these for each board of N stones instead, whatever number they name |
//! | `--once FILE` | does them only in the process that finds no such file, and makes it |
//! | `--untidy MS` | passes over what it is told so soon after a move, as Rapfi does |
//! | `--crlf`, `--chatter`, `--suggest`, `--eval` | ends lines with blanks and CR; talks a lot; suggests moves; tells evaluations |
//! | `--detail EVAL` | tells evaluations as Yixin does, and knows none of its commands |
//! | `--block` | with `--detail`, leaves out the moves of YXBLOCK, and knows YXBLOCKRESET, but no YXHASHCLEAR |
//! | `--search`, `--win`, `--at-once` | over AGI, heeds GO SEARCH; calls its move a win; does not wait for STOP |
//! | `--refuse`, `--no-restart`, `--no-about`, `--stay` | answers START and AGI with ERROR, RESTART and ABOUT with UNKNOWN (over AGI it has no name); does not end |
//! | `--no-rectangles` | answers RECTSTART with UNKNOWN |
//! | `--child FILE` | starts a process that lives on, and writes its number into the file |
//! | `--log FILE` | writes what it is told into the file |

use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write, stdin, stdout};
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What it does wrong for one move.
const MISDEEDS: [&str; 6] = ["--hang", "--crash", "--flood", "--occupied", "--off-board", "--nonsense"];

/// The points of a text of AGI on a board of 15x15: row by row from the top.
fn points(text: &str) -> Vec<usize> {
    let code = |pair: &[u8]| usize::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let place = |code: usize| (!code.is_multiple_of(16) && code / 16 < 15).then(|| code / 16 * 15 + code % 16 - 1);
    text.as_bytes().chunks(2).filter_map(|pair| code(pair).and_then(place)).collect()
}

struct Options(Vec<String>);

impl Options {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word == name)
    }

    fn text(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|word| word == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    fn pause(&self, name: &str) {
        if let Some(ms) = self.number(name) {
            sleep(Duration::from_millis(ms));
        }
    }
}

struct Engine {
    options: Options,
    width: usize,
    height: usize,
    /// 1 for a stone of its own, 2 for one of the other side.
    cells: Vec<u8>,
    /// Its moves of this game.
    made: u64,
    moved: Option<Instant>,
    is_agi: bool,
    /// What it may not play, and, where there is any, what it may.
    except: Vec<usize>,
    only: Vec<usize>,
    /// It is the process that misbehaves once.
    is_unleashed: bool,
    log: Option<File>,
}

// The child is to outlive it.
#[allow(clippy::zombie_processes)]
fn main() {
    let options = Options(std::env::args().skip(1).collect());
    if options.has("--sleep") {
        sleep(Duration::from_secs(600));
    }
    if let Some(file) = options.text("--child") {
        let program = std::env::current_exe().expect("it runs");
        // It keeps the output open, as programs do that are started by scripts.
        let child = Command::new(program).arg("--sleep").stdin(Stdio::null()).spawn().expect("it can be started");
        std::fs::write(file, child.id().to_string()).expect("the file can be written");
    }
    let log = options.text("--log").map(|file| OpenOptions::new().create(true).append(true).open(file));
    let log = log.map(|file| file.expect("the file can be written"));
    let mut engine = Engine {
        options,
        width: 15,
        height: 15,
        cells: Vec::new(),
        made: 0,
        moved: None,
        is_agi: false,
        except: Vec::new(),
        only: Vec::new(),
        is_unleashed: false,
        log,
    };
    let mut lines = stdin().lock().lines();
    let mut next = || lines.next().and_then(Result::ok);
    while let Some(line) = next() {
        engine.obey(line.trim(), &mut next);
    }
    engine.stay();
}

impl Engine {
    fn obey(&mut self, line: &str, next: &mut dyn FnMut() -> Option<String>) {
        if let Some(log) = &mut self.log {
            writeln!(log, "{line}").expect("the file can be written");
        }
        let untidy = self.options.number("--untidy").map(Duration::from_millis);
        if untidy.is_some_and(|untidy| self.moved.is_some_and(|moved| moved.elapsed() < untidy)) {
            return;
        }
        let upper = line.to_ascii_uppercase();
        let (word, rest) = upper.split_once(' ').unwrap_or((&upper, ""));
        match word {
            "AGI" | "START" if self.options.has("--refuse") => self.say("ERROR no such board"),
            "AGI" => {
                self.is_agi = true;
                self.cells = vec![0; self.width * self.height];
                self.options.pause("--slow-start");
                if !self.options.has("--no-about") {
                    let name = self.options.text("--name").unwrap_or("random");
                    self.say(&format!("ID NAME {name} 1\nID AUTHOR kifu\nOPTION OWNBOOK FALSE PONDER FALSE"));
                }
                self.say("AGIOK");
            }
            "ISREADY" if self.is_agi => self.say("READYOK"),
            "POSITION" if self.is_agi => {
                self.cells.fill(0);
                let stones: Vec<usize> = rest.split(' ').flat_map(points).collect();
                for (at, point) in stones.iter().enumerate() {
                    self.cells[*point] = if (stones.len() - at).is_multiple_of(2) { 1 } else { 2 };
                }
            }
            "GO" if self.is_agi => {
                self.only.clear();
                if let Some((_, named)) = rest.split_once("SEARCH ").filter(|_| self.options.has("--search")) {
                    self.only = points(named.split(' ').next().unwrap_or_default());
                }
                self.play(next);
            }
            "QUIT" if self.is_agi => {
                self.say("BYE");
                self.stay();
                exit(0);
            }
            _ if self.is_agi => {}
            "YXBLOCK" if self.options.has("--block") => {
                while let Some(line) = next().filter(|line| !line.trim().eq_ignore_ascii_case("done")) {
                    self.except.extend(self.place(line.trim()));
                }
            }
            "YXBLOCKRESET" if self.options.has("--block") => self.except.clear(),
            "RECTSTART" if self.options.has("--no-rectangles") => self.say("UNKNOWN command"),
            "ABOUT" if self.options.has("--no-about") => self.say("UNKNOWN"),
            "ABOUT" => {
                self.options.pause("--slow-about");
                let name = self.options.text("--name").unwrap_or("random");
                self.say(&format!("name=\"{name}\", version=\"1\", author=\"kifu\", country=\"\""));
            }
            "START" | "RECTSTART" => {
                self.options.pause("--slow-start");
                let sizes: Vec<usize> = rest.split(',').filter_map(|size| size.trim().parse().ok()).collect();
                let (Some(width), Some(height)) = (sizes.first(), sizes.last()) else { return self.say("ERROR") };
                (self.width, self.height) = (*width, *height);
                self.begin();
            }
            "RESTART" if self.options.has("--no-restart") => self.say("UNKNOWN command"),
            "RESTART" => self.begin(),
            "BEGIN" => self.play(next),
            "TURN" => {
                self.put(rest, 2);
                self.play(next);
            }
            "BOARD" => {
                self.cells.fill(0);
                while let Some(line) = next() {
                    if line.trim().eq_ignore_ascii_case("done") {
                        break;
                    }
                    if let Some(log) = &mut self.log {
                        writeln!(log, "{}", line.trim()).expect("the file can be written");
                    }
                    let line = line.trim().to_owned();
                    if let Some((point, who)) = line.rsplit_once(',') {
                        self.put(point, who.trim().parse().unwrap_or(2));
                    }
                }
                self.play(next);
            }
            "INFO" => {}
            "END" => {
                self.stay();
                exit(0);
            }
            _ => self.say("UNKNOWN command"),
        }
    }

    /// Where it does not want to end.
    fn stay(&self) {
        while self.options.has("--stay") {
            sleep(Duration::from_secs(1));
        }
    }

    fn begin(&mut self) {
        self.cells = vec![0; self.width * self.height];
        self.made = 0;
        self.say("OK");
    }

    fn say(&self, text: &str) {
        let end = if self.options.has("--crlf") { "  \r\n" } else { "\n" };
        let mut out = stdout().lock();
        // Who no longer listens is about to end this.
        let _ = out.write_all(format!("{text}{end}").as_bytes()).and_then(|()| out.flush());
    }

    fn put(&mut self, point: &str, who: u8) {
        if let Some(at) = self.place(point) {
            self.cells[at] = who;
        }
    }

    /// The place of `x,y`.
    fn place(&self, point: &str) -> Option<usize> {
        let (x, y) = point.split_once(',')?;
        let (x, y): (usize, usize) = (x.trim().parse().ok()?, y.trim().parse().ok()?);
        (x < self.width && y < self.height).then_some(y * self.width + x)
    }

    /// Over AGI, waits until it is told to stop.
    fn wait(&self, next: &mut dyn FnMut() -> Option<String>) {
        while self.is_agi && !self.options.has("--at-once") {
            match next().map(|line| line.trim().to_ascii_uppercase()).as_deref() {
                Some("ISREADY") => self.say("READYOK"),
                Some("STOP") | None => return,
                Some(_) => {}
            }
        }
    }

    fn play(&mut self, next: &mut dyn FnMut() -> Option<String>) {
        self.made += 1;
        let stones = self.cells.iter().filter(|cell| **cell != 0).count() as u64;
        let is_time = |name| match self.options.number("--when") {
            Some(wanted) => self.options.has(name) && stones == wanted,
            None => self.options.number(name) == Some(self.made),
        };
        if let Some(file) = self.options.text("--once")
            && !self.is_unleashed
            && MISDEEDS.into_iter().any(is_time)
        {
            self.is_unleashed = File::create_new(file).is_ok();
        }
        let is_free = self.is_unleashed || !self.options.has("--once");
        let now = |name| is_free && is_time(name);
        if !is_time("--hang") && !is_time("--crash") && !is_time("--flood") {
            self.wait(next);
        }
        self.options.pause("--late");
        if self.options.has("--chatter") {
            for number in 0..500 {
                self.say(&format!("MESSAGE thinking {number}"));
                self.say("what was it");
            }
            self.say("DEBUG 1,1");
            self.say("");
        }
        if now("--crash") {
            eprintln!("the board is on fire");
            exit(3);
        }
        while now("--hang") {
            sleep(Duration::from_secs(1));
        }
        while now("--flood") {
            if stdout().lock().write_all(&[b'7'; 1 << 16]).is_err() {
                exit(1);
            }
        }
        if now("--nonsense") {
            return self.say(if self.is_agi { "BESTMOVE 7" } else { "7," });
        }
        if now("--off-board") {
            return self.say(&if self.is_agi { "BESTMOVE F1".into() } else { format!("{},0", self.width) });
        }
        let at = match self.cells.iter().position(|cell| *cell != 0) {
            Some(at) if now("--occupied") => at,
            _ => self.choice(),
        };
        let scripted = self.options.text("--moves").and_then(|moves| moves.split(';').nth(self.made as usize - 1));
        let point = match scripted {
            Some(point) => point.to_owned(),
            None => format!("{},{}", at % self.width, at / self.width),
        };
        self.put(&point, 1);
        if self.is_agi {
            return self.answer(&point);
        }
        if self.options.has("--eval") {
            self.say("MESSAGE Depth 3-5 | Eval 12 | Time 0ms");
        }
        if let Some(eval) = self.options.text("--detail") {
            self.say(&format!("INFO PV 0\nINFO DEPTH 7\nINFO NODES 99\nINFO EVAL {eval}"));
            self.say(&format!("INFO BESTLINE {point} {point} 0,0\nINFO PV DONE"));
        }
        if self.options.has("--suggest") {
            self.say(&format!("SUGGEST {point}"));
            let answer = next().unwrap_or_default();
            let Some(played) = answer.trim().strip_prefix("PLAY ") else { return self.say("ERROR what?") };
            self.say(played);
        } else {
            self.say(&point);
        }
        self.moved = Some(Instant::now());
    }

    /// Says a move over AGI.
    fn answer(&mut self, point: &str) {
        let place = self.place(point);
        let named = place.map_or("00".into(), |at| format!("{:02X}", at / self.width * 16 + at % self.width + 1));
        if self.options.has("--eval") {
            self.say(&format!("INFO DEPTH 3 SCORE 12 PV {named}"));
        }
        if let Some(eval) = self.options.text("--detail") {
            self.say(&format!("INFO DEPTH 7 SCORE {eval} PV {named}{named}01\nINFO NPS 99"));
        }
        if self.options.has("--win") {
            self.say(&format!("INFO WIN 01{named}"));
        }
        self.say(&format!("BESTMOVE {named} PONDER 01"));
        self.moved = Some(Instant::now());
    }

    /// A free point near the stones, by chance, or where `--greedy` sees a five.
    fn choice(&self) -> usize {
        let may = |at: &usize| !self.except.contains(at) && (self.only.is_empty() || self.only.contains(at));
        let free = |at: &usize| self.cells[*at] == 0 && may(at);
        if self.options.has("--greedy") {
            let fives = |who| (0..self.cells.len()).filter(free).find(move |at| self.makes_five(*at, who));
            if let Some(at) = fives(1).or_else(|| fives(2)) {
                return at;
            }
        }
        let is_near = |at: &usize| {
            let (x, y) = ((at % self.width) as isize, (at / self.width) as isize);
            (-1..=1).any(|dx| (-1..=1).any(|dy| self.cell(x + dx, y + dy).is_some_and(|cell| cell != 0)))
        };
        let near: Vec<usize> = (0..self.cells.len()).filter(free).filter(is_near).collect();
        let seed = self.options.number("--seed").unwrap_or(1);
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for cell in &self.cells {
            random = (random ^ u64::from(*cell)).wrapping_mul(0x0000_0100_0000_01B3);
            random ^= random >> 29;
        }
        match near.len() {
            0 => (0..self.cells.len()).find(free).unwrap_or(self.cells.len() / 2),
            number => near[(random % number as u64) as usize],
        }
    }

    fn cell(&self, x: isize, y: isize) -> Option<u8> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width && y < self.height).then(|| self.cells[y * self.width + x])
    }

    fn makes_five(&self, at: usize, who: u8) -> bool {
        let (x, y) = ((at % self.width) as isize, (at / self.width) as isize);
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
            let reach = |sign: isize| {
                (1..5).take_while(|n| self.cell(x + sign * n * dx, y + sign * n * dy) == Some(who)).count()
            };
            1 + reach(1) + reach(-1) == 5
        })
    }
}

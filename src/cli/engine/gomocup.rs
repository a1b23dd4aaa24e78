use super::super::afford::afford;
use super::clock::Clock;
use super::game::Game;
use super::mind::{Mind, Task};
use super::own_book::OwnBook;
use super::voice::Voice;
use super::{Flow, Hearing, Speaker};
use engine::{Goal, Limits, Moves, Points, Report, Request, Value, Variation};
use games::gomoku::{Three, forbidden};
use games::{Point, Rule, Side, Size};
use std::io;
use std::num::NonZeroUsize;
use std::time::Instant;

/// The protocol of Piskvork and Gomocup, and what Yixin added.
pub struct Gomocup {
    books: Vec<OwnBook>,
    /// None before START.
    game: Option<Game>,
    settings: Settings,
    /// The lines of a board or a list of points, until DONE.
    reading: Option<Reading>,
    /// What the search that is under way is for.
    wanted: Option<Wanted>,
    /// It ends only if it is told to.
    is_endless: bool,
    since: Instant,
    /// Points that are not to be played on, by YXBLOCK.
    blocked: Vec<Point>,
    /// Points that a board said to be neither stones of ours nor of theirs.
    shut: Vec<Point>,
    /// The best move that was told last.
    best: Option<Point>,
}

/// What INFO says.
struct Settings {
    /// As Piskvork numbers rules: 1 exactly five, 2 the game goes on, 4 renju, 8 caro, added up; or as Yixin does.
    rule: u32,
    /// YXSHOWINFO was heard: a program of Yixin's kind asks.
    is_yixin: bool,
    /// Milliseconds a move; `None` without a limit.
    turn: Option<i64>,
    /// Milliseconds a game; `None` without a limit.
    whole: Option<i64>,
    /// Of these what is left.
    left: Option<i64>,
    nodes: Option<u64>,
    depth: Option<u32>,
    /// 0 lines of text, 1 and 3 the moves under search, 2 and 3 blocks for programs.
    detail: u32,
    ponders: bool,
    uses_books: bool,
    memory: usize,
    threads: usize,
}

enum Reading {
    Board {
        stones: Vec<(Point, u8)>,
        is_to_think: bool,
        is_bad: bool,
    },
    Swap {
        points: Vec<Point>,
        is_bad: bool,
    },
    Block {
        is_to_block: bool,
    },
    /// The lines of a command that is unknown.
    Nothing,
}

/// What a search is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Wanted {
    /// Nothing but to be ready for a game.
    Ready,
    Move,
    /// Two moves, of both sides.
    Pair,
    /// The three stones of an opening, of which one stands already.
    Opening,
    /// A move, or to swap if that is better.
    MoveOrSwap,
}

/// Time for a move where nobody says any.
const TURN: i64 = 5000;
/// What interfaces say for no limit.
const UNLIMITED: i64 = i32::MAX as i64;
/// The binary logarithm of the largest table in KiB.
const MOST_HASH: u32 = 22;
/// What the program needs beside its table.
const PROGRAM: usize = 32 << 20;

impl Gomocup {
    /// A player with these books, a table of at most so many bytes, and so many threads.
    pub fn new(books: Vec<OwnBook>, memory: usize, threads: usize) -> Gomocup {
        let settings = Settings {
            rule: 0,
            is_yixin: false,
            turn: Some(TURN),
            whole: None,
            left: None,
            nodes: None,
            depth: None,
            detail: 0,
            ponders: false,
            uses_books: true,
            memory,
            threads,
        };
        Gomocup {
            books,
            game: None,
            settings,
            reading: None,
            wanted: None,
            is_endless: false,
            since: Instant::now(),
            blocked: Vec::new(),
            shut: Vec::new(),
            best: None,
        }
    }

    /// Starts a game on an empty board.
    fn start(&mut self, size: Option<Size>, mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        let fits = |size: &Size| size.width() >= 5 && size.height() >= 5 && Points::fit(*size);
        let Some(size) = size.filter(fits) else {
            return voice.say("ERROR the size of the board must be from 5 to 22");
        };
        self.game = Some(Game::new(size, self.settings.rule()));
        self.settings.left = self.settings.whole;
        self.blocked.clear();
        self.shut.clear();
        mind.forget();
        // With OK the clock may run.
        self.wanted = Some(Wanted::Ready);
        self.is_endless = false;
        mind.ready();
        Ok(())
    }

    /// Thinks about the game's position; without a game that is an error.
    fn think(
        &mut self,
        wanted: Wanted,
        goal: Goal,
        lines: usize,
        mind: &mut Mind,
        voice: &mut Voice,
    ) -> io::Result<()> {
        let since = Instant::now();
        let Some(game) = &self.game else { return voice.say(NO_GAME) };
        if game.stones.empty_points().next().is_none() {
            return voice.say("ERROR the board is full");
        }
        self.since = since;
        let except: Vec<Point> = self.blocked.iter().chain(&self.shut).copied().collect();
        if wanted == Wanted::Move && goal == Goal::Best && lines == 1 && self.settings.uses_books {
            let known = self.books.iter_mut().find_map(|book| book.choose(game));
            if let Some(point) = known.filter(|point| !except.contains(point)) {
                voice.say("MESSAGE the move is from the book")?;
                return self.play(&[point], mind, voice);
            }
        }
        let Ok(board) = game.board() else {
            // Somebody has won, and the game goes on.
            let point = self.any_point();
            return self.play(point.as_slice(), mind, voice);
        };
        let clock = Clock { turn: self.settings.turn, left: self.settings.left };
        let limits = Limits {
            nodes: self.settings.nodes,
            depth: self.settings.depth,
            time: clock.time(game.stones.count(game.to_move)),
        };
        let moves = if except.is_empty() { Moves::All } else { Moves::Except(except) };
        let request = Request { limits, lines, moves, goal, distinct: false };
        self.wanted = Some(wanted);
        self.is_endless = limits == Limits::default();
        self.best = None;
        if self.settings.tells_moves() {
            voice.say("MESSAGE REALTIME REFRESH")?;
        }
        mind.search(Task { board, to_move: game.to_move, request, since }, true);
        Ok(())
    }

    /// Thinks about the answer to the move that was played.
    fn ponder(&self, mind: &mut Mind) {
        let Some(game) = self.game.as_ref().filter(|_| self.settings.ponders) else { return };
        if game.any_point().is_some()
            && let Ok(board) = game.board()
        {
            let task = Task { board, to_move: game.to_move, request: Request::default(), since: Instant::now() };
            mind.search(task, false);
        }
    }

    /// Plays points on the board, says them on one line, and thinks on if that is wanted.
    fn play(&mut self, points: &[Point], mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        let Some(game) = &mut self.game else { return voice.say(NO_GAME) };
        let mut said = Vec::new();
        for point in points {
            if game.stones.is_empty(*point) {
                game.play(*point);
            }
            said.push(text(*point));
        }
        self.spend();
        if said.is_empty() {
            return voice.say("ERROR there is no move");
        }
        voice.say(said.join(" "))?;
        self.ponder(mind);
        Ok(())
    }

    /// Takes the time since the move was asked for from what is left.
    fn spend(&mut self) {
        if let Some(left) = &mut self.settings.left {
            *left = left.saturating_sub(self.since.elapsed().as_millis() as i64);
        }
    }

    /// A point to play where no search has found one: a legal one, else one that is only free.
    fn any_point(&self) -> Option<Point> {
        let game = self.game.as_ref()?;
        let free = || game.stones.empty_points();
        let allowed = |point: &Point| !self.shut.contains(point);
        let legal = || free().filter(allowed).find(|point| game.is_legal(*point));
        game.any_point().filter(allowed).or_else(legal).or_else(|| free().find(allowed)).or_else(|| free().next())
    }

    /// Whether the engine may play there.
    fn may_play(&self, point: Point) -> bool {
        let game = self.game.as_ref().expect("a search is of a game");
        game.is_legal(point) && !self.blocked.contains(&point) && !self.shut.contains(&point)
    }

    /// A stone of the side to move.
    fn turn(&mut self, rest: &str, mind: &mut Mind, voice: &mut Voice) -> io::Result<bool> {
        mind.relax();
        let Some(game) = &mut self.game else { return voice.say(NO_GAME).map(|()| false) };
        match point(rest) {
            Some(point) if game.stones.is_empty(point) => {
                game.play(point);
                Ok(true)
            }
            Some(point) if game.size().contains(point) => {
                voice.say(format!("ERROR a stone stands on {} already", text(point))).map(|()| false)
            }
            Some(point) => voice.say(format!("ERROR {} is off the board", text(point))).map(|()| false),
            None => voice.say("ERROR a point is written as x,y").map(|()| false),
        }
    }

    fn take_back(&mut self, rest: &str, mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        mind.relax();
        let Some(game) = &mut self.game else { return voice.say(NO_GAME) };
        let taken = point(rest).filter(|point| game.size().contains(*point)).and_then(|point| game.stones.undo(point));
        match taken {
            Some(side) => {
                game.to_move = side;
                voice.say("OK")
            }
            None => voice.say("ERROR there is no such stone"),
        }
    }

    /// A line of a block; `None` if it is none, and the block is over.
    fn read(&mut self, line: &str, voice: &mut Voice) -> Option<io::Result<()>> {
        let reading = self.reading.as_mut()?;
        if !line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | ',')) {
            return None;
        }
        let Some(size) = self.game.as_ref().map(Game::size) else { return Some(Ok(())) };
        let mut complain = |is_bad: &mut bool, what: &str| {
            // One fault of a board is told.
            if std::mem::replace(is_bad, true) { Ok(()) } else { voice.say(format!("ERROR {what}")) }
        };
        Some(match reading {
            Reading::Board { stones, is_bad, .. } => match stone(line) {
                Some((point, _)) if !size.contains(point) => complain(is_bad, "a stone is off the board"),
                Some((point, _)) if stones.iter().any(|(other, _)| *other == point) => {
                    complain(is_bad, "two stones are on one point")
                }
                Some(stone) => {
                    stones.push(stone);
                    Ok(())
                }
                None => complain(is_bad, "a stone is written as x,y,who, where who is 1 to 3"),
            },
            Reading::Swap { points, is_bad } => match point(line) {
                Some(point) if size.contains(point) && !points.contains(&point) => {
                    points.push(point);
                    Ok(())
                }
                _ => complain(is_bad, "a stone is written as x,y, and stands on a point of its own"),
            },
            Reading::Block { is_to_block } => {
                match point(line).filter(|point| size.contains(*point)) {
                    Some(point) if *is_to_block => self.blocked.push(point),
                    Some(point) => self.blocked.retain(|other| *other != point),
                    None => return Some(voice.say("ERROR a point is written as x,y")),
                }
                Ok(())
            }
            Reading::Nothing => Ok(()),
        })
    }

    /// The end of a block.
    fn done(&mut self, reading: Reading, mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        let Some(game) = &mut self.game else { return Ok(()) };
        match reading {
            Reading::Board { is_bad: true, .. } | Reading::Swap { is_bad: true, .. } => Ok(()),
            Reading::Board { stones, is_to_think, .. } => {
                let ours = us(&stones, game.rule);
                let is_stone = |(_, who): &&(Point, u8)| *who != 3;
                let side = |who| if who == 1 { ours } else { ours.other() };
                *game = Game::new(game.size(), game.rule);
                for (point, who) in stones.iter().filter(is_stone) {
                    game.stones.play_unchecked(*point, side(*who));
                }
                game.to_move = ours;
                self.shut = stones.iter().filter(|stone| !is_stone(stone)).map(|(point, _)| *point).collect();
                if is_to_think { self.think(Wanted::Move, Goal::Best, 1, mind, voice) } else { Ok(()) }
            }
            Reading::Swap { points, .. } => {
                let size = game.size();
                *game = Game::new(size, game.rule);
                points.iter().for_each(|point| game.play(*point));
                self.shut.clear();
                match points.len() {
                    0 => {
                        // Far from the middle one stone is worth little, so that two more can make up for it.
                        let first = Point::new(size.width() / 4, size.height() / 5).expect("it is on the board");
                        game.play(first);
                        self.think(Wanted::Opening, Goal::BalanceTwo(Value::DRAW), 1, mind, voice)
                    }
                    3 | 5 => self.think(Wanted::MoveOrSwap, Goal::Best, 1, mind, voice),
                    _ => voice.say("ERROR after so many stones nothing is chosen: send none, three or five"),
                }
            }
            Reading::Block { .. } | Reading::Nothing => Ok(()),
        }
    }

    fn info(&mut self, rest: &str, mind: &mut Mind) {
        let (key, value) = split(rest);
        let number = value.parse::<i64>().ok();
        let limit = |number: i64| (number < UNLIMITED).then_some(number);
        let settings = &mut self.settings;
        match (key.to_ascii_lowercase().as_str(), number) {
            ("timeout_turn", Some(number)) => settings.turn = limit(number),
            ("timeout_match", Some(number)) => {
                settings.whole = limit(number).filter(|number| *number > 0);
                settings.left = settings.whole;
            }
            ("time_left", Some(number)) => settings.left = limit(number),
            ("max_node", Some(number)) => settings.nodes = u64::try_from(number).ok().filter(|number| *number > 0),
            ("max_depth", Some(number)) => settings.depth = u32::try_from(number).ok().filter(|number| *number > 0),
            ("show_detail", Some(number)) => settings.detail = u32::try_from(number).unwrap_or(0),
            ("usedatabase", Some(number)) => settings.uses_books = number != 0,
            ("pondering", Some(number)) => {
                settings.ponders = number != 0;
                if !settings.ponders {
                    mind.relax();
                }
            }
            ("thread_num", Some(number)) => {
                let threads = usize::try_from(number).ok().filter(|number| *number > 0).unwrap_or(settings.threads);
                mind.set_threads(threads.min(most_threads()));
            }
            ("max_memory", Some(number)) => {
                let most = usize::try_from(number).ok().filter(|number| *number > 0);
                let table = most.map_or(usize::MAX, |most| (most.saturating_sub(PROGRAM) / 4 * 3).max(most / 8));
                mind.set_memory(settings.memory.min(table).max(1 << 16));
            }
            ("hash_size", Some(number)) => {
                let table = usize::try_from(number).ok().filter(|number| *number > 0);
                let table = table.map(|table| table.min(1 << MOST_HASH).saturating_mul(1 << 10));
                let table = table.unwrap_or(settings.memory);
                // A table for which there is no memory would end the program.
                if afford(table, 1).is_ok() {
                    mind.set_memory(table);
                }
            }
            ("rule", Some(number)) => {
                settings.rule = u32::try_from(number).unwrap_or(0);
                let rule = settings.rule();
                if let Some(game) = self.game.as_mut().filter(|game| game.rule != rule) {
                    game.rule = rule;
                    mind.forget();
                }
            }
            ("book", _) if !value.is_empty() => match OwnBook::open(value.as_ref()) {
                Ok(book) => self.books = vec![book],
                Err(error) => super::complain(&format!("{error:#}")),
            },
            _ => {}
        }
    }

    /// Says which points are forbidden to Black, two digits a coordinate.
    fn show_forbidden(&self, voice: &mut Voice) -> io::Result<()> {
        let Some(game) = &self.game else { return voice.say(NO_GAME) };
        let mut points = String::new();
        if game.rule == Rule::Renju {
            for (point, _) in forbidden::all(&game.stones, Three::default()) {
                points += &format!("{:02}{:02}", point.x(), point.y());
            }
        }
        voice.say(format!("FORBID {points}."))
    }
}

impl Settings {
    fn rule(&self) -> Rule {
        match self.rule {
            2 | 4 if self.is_yixin => Rule::Renju,
            5 | 6 if self.is_yixin => Rule::Freestyle,
            rule if rule & 4 != 0 => Rule::Renju,
            rule if rule & 8 != 0 => Rule::Caro,
            rule if rule & 1 != 0 => Rule::Standard,
            _ => Rule::Freestyle,
        }
    }

    /// Whether programs want to be told the moves under search.
    const fn tells_moves(&self) -> bool {
        self.detail & 1 != 0
    }
}

const NO_GAME: &str = "ERROR there is no board: send START first";

impl Speaker for Gomocup {
    fn hear(&self, line: &str) -> Hearing {
        match split(line).0.to_ascii_uppercase().as_str() {
            "END" => Hearing::Leave,
            "STOP" | "YXSTOP" => Hearing::AtOnce,
            "INFO" | "ABOUT" | "YXSHOWINFO" => Hearing::Now,
            // What waits for a search without an end would wait for ever.
            _ if self.is_endless => Hearing::Stop,
            _ => Hearing::Wait,
        }
    }

    fn obey(&mut self, line: &str, mind: &mut Mind, voice: &mut Voice) -> io::Result<Flow> {
        if let Some(read) = self.read(line, voice) {
            return read.map(|()| Flow::GoOn);
        }
        let (command, rest) = split(line);
        let command = command.to_ascii_uppercase();
        if !matches!(command.as_str(), "INFO" | "STOP" | "YXSTOP" | "ABOUT" | "YXSHOWINFO")
            && let Some(reading) = self.reading.take()
            && command == "DONE"
        {
            return self.done(reading, mind, voice).map(|()| Flow::GoOn);
        }
        match command.as_str() {
            "START" => {
                mind.relax();
                self.start(rest.parse().ok().and_then(Size::square), mind, voice)?;
            }
            "RECTSTART" => {
                mind.relax();
                self.start(point_like(rest).and_then(|(width, height)| Size::new(width, height)), mind, voice)?;
            }
            "RESTART" => {
                mind.relax();
                match &self.game {
                    Some(game) => self.start(Some(game.size()), mind, voice)?,
                    None => voice.say(NO_GAME)?,
                }
            }
            "BEGIN" => self.think(Wanted::Move, Goal::Best, 1, mind, voice)?,
            "TURN" => {
                if self.turn(rest, mind, voice)? {
                    self.think(Wanted::Move, Goal::Best, 1, mind, voice)?;
                }
            }
            "PLAY" => {
                if self.turn(rest, mind, voice)? {
                    voice.say(rest)?;
                    self.ponder(mind);
                }
            }
            "TAKEBACK" => self.take_back(rest, mind, voice)?,
            "BOARD" | "YXBOARD" | "SWAP2BOARD" | "YXBLOCK" | "YXBLOCKUNDO" if self.game.is_none() => {
                voice.say(NO_GAME)?;
                self.reading = Some(Reading::Nothing);
            }
            "BOARD" | "YXBOARD" => {
                mind.relax();
                let is_to_think = command == "BOARD";
                self.reading = Some(Reading::Board { stones: Vec::new(), is_to_think, is_bad: false });
            }
            "SWAP2BOARD" => {
                mind.relax();
                self.reading = Some(Reading::Swap { points: Vec::new(), is_bad: false });
            }
            "YXBLOCK" => self.reading = Some(Reading::Block { is_to_block: true }),
            "YXBLOCKUNDO" => self.reading = Some(Reading::Block { is_to_block: false }),
            "YXBLOCKRESET" => self.blocked.clear(),
            "YXNBEST" => {
                let lines = rest.parse().unwrap_or(1_usize).clamp(1, 22 * 22);
                self.think(Wanted::Move, Goal::Best, lines, mind, voice)?;
            }
            "YXBALANCEONE" => {
                let goal = Goal::Balance(Value::points(rest.parse().unwrap_or(0)));
                self.think(Wanted::Move, goal, 1, mind, voice)?;
            }
            "YXBALANCETWO" => {
                let goal = Goal::BalanceTwo(Value::points(rest.parse().unwrap_or(0)));
                self.think(Wanted::Pair, goal, 1, mind, voice)?;
            }
            "YXSHOWFORBID" => self.show_forbidden(voice)?,
            "YXHASHCLEAR" => mind.forget(),
            "YXSHOWINFO" => {
                self.settings.is_yixin = true;
                voice.say(format!("MESSAGE INFO MAX_THREAD_NUM {}", most_threads()))?;
                voice.say(format!("MESSAGE INFO MAX_HASH_SIZE {MOST_HASH}"))?;
            }
            "STOP" | "YXSTOP" => mind.stop(),
            "INFO" => self.info(rest, mind),
            "ABOUT" => voice.say(format!(
                "name=\"kifu\", version=\"{}\", author=\"the authors of kifu\", country=\"International\"",
                env!("CARGO_PKG_VERSION")
            ))?,
            "END" => return Ok(Flow::Leave),
            _ => {
                let word: String = command.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
                voice.say(format!("UNKNOWN command {word}").trim_end())?;
                self.reading = Some(Reading::Nothing);
            }
        }
        Ok(Flow::GoOn)
    }

    fn refuse_long(&mut self, voice: &mut Voice) -> io::Result<()> {
        voice.say("ERROR the line is too long")
    }

    fn found(&mut self, report: &Report, is_owed: bool, voice: &mut Voice) -> io::Result<()> {
        let Some(best) = report.lines.first().filter(|_| is_owed) else { return Ok(()) };
        if self.settings.tells_moves() {
            let point = best.moves.first().copied();
            if std::mem::replace(&mut self.best, point) != point
                && let Some(point) = point
            {
                voice.say(format!("MESSAGE REALTIME BEST {}", text(point)))?;
            }
        }
        if self.settings.detail >= 2 {
            return report.lines.iter().enumerate().try_for_each(|(at, line)| block(at, line, report, voice));
        }
        for (at, line) in report.lines.iter().enumerate() {
            let number = if report.lines.len() > 1 { format!("({}) ", at + 1) } else { String::new() };
            voice.say(format!(
                "MESSAGE {number}Depth {}-{} | Eval {} | Time {} | {}",
                line.depth,
                report.selective_depth,
                line.value,
                report.time.as_millis(),
                pv(line)
            ))?;
        }
        Ok(())
    }

    fn answer(&mut self, report: Option<&Report>, mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        let Some(wanted) = self.wanted.take() else { return Ok(()) };
        if wanted == Wanted::Ready {
            return voice.say("OK");
        }
        let best = report.and_then(|report| report.lines.first());
        if let (Some(report), Some(best)) = (report, best) {
            voice.say(format!(
                "MESSAGE Speed {} | Depth {}-{} | Eval {} | Node {} | Time {}",
                report.speed().unwrap_or(0),
                report.depth,
                report.selective_depth,
                best.value,
                report.nodes,
                report.time.as_millis()
            ))?;
        }
        let found = best.and_then(|best| best.moves.first().copied()).filter(|point| self.may_play(*point));
        let Some(first) = found.or_else(|| self.any_point()) else {
            return voice.say("ERROR there is no move");
        };
        match wanted {
            Wanted::Move | Wanted::Ready => self.play(&[first], mind, voice),
            Wanted::MoveOrSwap => {
                if best.is_some_and(|best| best.value < Value::DRAW) {
                    self.spend();
                    return voice.say("SWAP");
                }
                self.play(&[first], mind, voice)
            }
            Wanted::Pair | Wanted::Opening => {
                let game = self.game.as_ref().expect("a search is of a game");
                let mut after = game.clone();
                after.play(first);
                let second = best.filter(|_| found.is_some()).and_then(|best| best.moves.get(1).copied());
                let second = second.filter(|point| after.is_legal(*point)).or_else(|| after.any_point());
                let stands = game.stones.stones().map(|(point, _)| point).filter(|_| wanted == Wanted::Opening);
                let points: Vec<Point> = stands.chain([first]).chain(second).collect();
                self.play(&points, mind, voice)
            }
        }
    }
}

/// More threads than processors would only stand in each other's way.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// What is told to programs of a line.
fn block(at: usize, line: &Variation, report: &Report, voice: &mut Voice) -> io::Result<()> {
    voice.say(format!("INFO PV {at}"))?;
    voice.say(format!("INFO NUMPV {}", report.lines.len()))?;
    voice.say(format!("INFO DEPTH {}", line.depth))?;
    voice.say(format!("INFO SELDEPTH {}", report.selective_depth))?;
    voice.say(format!("INFO NODES {}", report.nodes))?;
    voice.say(format!("INFO TOTALNODES {}", report.nodes))?;
    voice.say(format!("INFO TOTALTIME {}", report.time.as_millis()))?;
    voice.say(format!("INFO SPEED {}", report.speed().unwrap_or(0)))?;
    voice.say(format!("INFO EVAL {}", line.value))?;
    voice.say(format!("INFO WINRATE {:.4}", line.value.win_rate()))?;
    voice.say(format!("INFO BESTLINE {}", pv(line)))?;
    voice.say("INFO PV DONE")
}

/// Who we are on a board that tells whose each stone is, 1 ours and 2 theirs, with us to move.
fn us(stones: &[(Point, u8)], rule: Rule) -> Side {
    let count = |of| stones.iter().filter(|(_, who)| *who == of).count();
    match (count(1), count(2)) {
        (ours, theirs) if ours == theirs => Side::First,
        (ours, theirs) if ours + 1 == theirs => Side::Second,
        // Somebody has passed: in renju the stones come in the order in which they were played.
        _ if rule == Rule::Renju && stones.first().is_some_and(|(_, who)| *who == 1) => Side::First,
        _ if rule == Rule::Renju => Side::Second,
        (ours, theirs) if ours > theirs => Side::First,
        _ => Side::Second,
    }
}

fn pv(line: &Variation) -> String {
    line.moves.iter().map(|point| text(*point)).collect::<Vec<_>>().join(" ")
}

fn text(point: Point) -> String {
    format!("{},{}", point.x(), point.y())
}

fn split(line: &str) -> (&str, &str) {
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (first, rest.trim())
}

/// Two numbers with a comma between them.
fn point_like(text: &str) -> Option<(u8, u8)> {
    let (x, y) = text.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

fn point(text: &str) -> Option<Point> {
    let (x, y) = point_like(text)?;
    Point::new(x, y)
}

/// A point and whose stone stands on it.
fn stone(text: &str) -> Option<(Point, u8)> {
    let (at, who) = text.rsplit_once(',')?;
    let who = who.trim().parse().ok().filter(|who| (1..=3).contains(who))?;
    Some((point(at)?, who))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_to_move_is_ours_whoever_began() {
        let stones = |whose: &[u8]| -> Vec<(Point, u8)> {
            whose.iter().enumerate().map(|(at, who)| (Point::new(at as u8, 0).unwrap(), *who)).collect()
        };
        for (whose, rule, side) in [
            (&[][..], Rule::Freestyle, Side::First),
            (&[2], Rule::Freestyle, Side::Second),
            (&[2, 2, 1, 1], Rule::Freestyle, Side::First),
            (&[1, 2, 2], Rule::Renju, Side::Second),
            (&[1, 2], Rule::Renju, Side::First),
            (&[1, 3], Rule::Freestyle, Side::First),
            (&[1, 2, 1, 1], Rule::Renju, Side::First),
            (&[2, 1, 1, 1], Rule::Renju, Side::Second),
        ] {
            assert_eq!(us(&stones(whose), rule), side, "{whose:?} {rule}");
        }
    }

    #[test]
    fn rules_are_numbered_in_two_ways() {
        let mut settings = Gomocup::new(Vec::new(), 0, 1).settings;
        let mut rule = |number, is_yixin| {
            settings.rule = number;
            settings.is_yixin = is_yixin;
            settings.rule()
        };
        assert_eq!([0, 1, 2, 3, 4].map(|number| rule(number, false)), {
            use Rule::{Freestyle, Renju, Standard};
            [Freestyle, Standard, Freestyle, Standard, Renju]
        });
        assert_eq!([8, 9].map(|number| rule(number, false)), [Rule::Caro; 2]);
        assert_eq!([2, 4].map(|number| rule(number, true)), [Rule::Renju; 2]);
        assert_eq!([0, 5, 6].map(|number| rule(number, true)), [Rule::Freestyle; 3]);
        assert_eq!(rule(1, true), Rule::Standard);
    }

    #[test]
    fn points_are_read_with_and_without_blanks() {
        assert_eq!(point("10, 3"), Point::new(10, 3));
        assert_eq!(stone("10,3 , 2"), Point::new(10, 3).map(|point| (point, 2)));
        for bad in ["", "10", "a,b", "10,3,4", "-1,3,1", "300,1,1", "1,2,3,1"] {
            assert_eq!(stone(bad), None, "{bad}");
        }
    }
}

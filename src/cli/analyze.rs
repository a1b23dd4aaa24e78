use super::Exit;
use super::afford::afford;
use super::book::memory;
use super::diagram::{Diagram, Numbers};
use super::duration::{duration, spoken};
use super::kind::Kind;
use super::lines::{self, processors};
use super::output::refuse_existing;
use super::place::{Asked, Place};
use super::progress::{Live, PROGRESS};
use super::question::{Question, of_text};
use super::record_output::{record_format, write_record};
use super::terminal::{JSON, count, harmless, thousands};
use super::text_board;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use engine::{Board, Claims, Engine, Goal, Limits, Moves, Report, Request, Time, Variation};
use games::gomoku::Three;
use games::{Coords, Move, Point, Rule, Side, parse_moves};
use record::{Bound, Grounds, NodeId, Note, Play, Record, Score, TreeBuilder};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Find the best moves of a position, with their values and lines
#[derive(Args)]
#[command(after_help = "A position is a move string in any notation (--coords), agi:78685A69, agi:STATU 7869 MOVES 68,
board: and its rows of . X O joined by /, or opening:D4. X is the first player, Black.

The rule is the one the file says, else --rule, else the format's; agi: and opening: are renju.

A value is for the side to move: 0 is even, 200 a chance of 73 % to win, +M5 a win with the fifth ply from here, -M4 a
loss with the fourth. A win or a loss is the word of the search; where fours prove it, that is said.

The search takes 5 seconds unless --time, --nodes or --depth is given. With --nodes or --depth, and one thread, the
answer is the same every time and on every machine. Ctrl-C ends a search and prints what it has found.

Examples:
  kifu analyze --rule renju h8i9j10
  kifu analyze --rule freestyle -n 5 --time 30s games.sgf --game 3 --ply 20
  kifu analyze --rule renju openings.lib --path h8,i9 --moves j10,j9 -o lines.lib
  kifu analyze --rule standard --balance one -n 10 h8i9
  kifu analyze --rule standard --json --nodes 100000 - < positions.txt")]
pub struct Analyze {
    #[command(flatten)]
    place: Place,
    /// Rule where nothing says it: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// What a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, default_value = "rif", value_name = "READING")]
    three: Three,
    /// Tell so many moves with their lines, the best first
    #[arg(short = 'n', long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..), value_name = "N")]
    lines: u16,
    /// End after so much time, such as 5s, 500ms or 2m
    #[arg(long, value_parser = duration, value_name = "TIME")]
    time: Option<Duration>,
    /// End after so many nodes, which are stones put on the board
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    nodes: Option<u64>,
    /// End after this depth, in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    depth: Option<u32>,
    /// Choose from these moves only, such as h8,i9
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Choose from all moves but these
    #[arg(long, conflicts_with = "moves", value_name = "MOVES")]
    except: Option<String>,
    /// Find the moves (one), or the pairs of moves of both sides (two), after which the game is most even
    #[arg(long, value_name = "ONE|TWO")]
    balance: Option<Balance>,
    /// The value to come nearest to with --balance, for the side to move, instead of 0
    #[arg(long, requires = "balance", default_value_t = 0, allow_negative_numbers = true, value_name = "VALUE")]
    bias: i32,
    /// Of moves that are equal up to a symmetry of the position tell one only
    #[arg(long)]
    distinct: bool,
    /// Threads of the search, or positions of stdin at a time [default: one a processor; one for a search with --nodes
    /// or --depth]
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    threads: Option<u16>,
    /// Memory of each search for what it has found, such as 256M
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "64M")]
    memory: usize,
    /// Print JSON objects: one a depth, and a last one
    #[arg(long)]
    json: bool,
    /// File to write the lines to, as variations of a record
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of that file [default: told by the extension of -o]
    #[arg(short, long, value_parser = Kind::parse, value_name = "FORMAT", requires = "output")]
    to: Option<Kind>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// What is to be even.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Balance {
    /// After a move.
    One,
    /// After a move of each side.
    Two,
}

/// How long a search takes that has no limit.
const TIME: Duration = Duration::from_secs(5);

/// The nodes to prove by fours, and by threats, what a search claims: a part of a second.
const PROOF_NODES: [u64; 2] = [500_000, 200_000];

/// The moves of a line that fit on a terminal while it changes.
const LIVE_MOVES: usize = 9;

/// What a search said in the end.
struct Found {
    report: Report,
    /// For each line, what the win or loss that it claims rests on.
    grounds: Vec<Option<Grounds>>,
    is_stopped: bool,
}

impl Analyze {
    /// Analyzes.
    pub fn run(self) -> Result<Exit> {
        let format = self.output.as_deref().map(|path| record_format(path, self.to)).transpose()?;
        if let Some(path) = self.file() {
            refuse_existing(path, self.force)?;
        }
        let (record, of_format) = match self.place.asked()? {
            Asked::Lines if self.output.is_some() => bail!("-o takes one position, not those on stdin"),
            Asked::Lines => return self.lines(),
            Asked::File => self.place.record()?,
            Asked::Position(record) => (record, of_text(&self.place.text())),
        };
        let input = self.place.text();
        let question = Question::new(&record, self.place.node(&record)?, self.rule.or(of_format))?;
        let threads = self.threads.map_or_else(|| if self.is_fixed() { 1 } else { processors() }, usize::from);
        let is_silent = self.output.as_deref().is_some_and(|path| path.as_os_str() == "-");
        afford(self.memory, 1)?;
        let live = Live::new(!self.json);
        let mut engine = Engine::new(self.memory, threads);
        let mut failed = None;
        let mut depth = 0;
        let found = self.search(&question, &mut engine, &mut |report| {
            if !self.json {
                live.show(self.live(&question, report));
            } else if report.depth > depth && !is_silent {
                depth = report.depth;
                let line = self.object(&input, &question, report, None);
                if let Err(error) = print(&line) {
                    failed = Some(error);
                    PROGRESS.stop.store(true, Ordering::Relaxed);
                }
            }
        });
        drop(live);
        if let Some(error) = failed {
            // It was the reader who has gone, not the user who wants no more.
            PROGRESS.stop.store(false, Ordering::Relaxed);
            return Err(error);
        }
        let found = found?;
        if let Some(format) = format {
            let record = self.record(&question, &found.report, true)?;
            write_record(&record, format, self.file(), self.force, &input)?;
        }
        if !is_silent {
            print(&self.tell(&input, &question, &found)?)?;
        }
        Ok(if found.is_stopped { Exit::Stopped } else { Exit::Done })
    }

    /// Whether the search ends at a place and not at a time.
    fn is_fixed(&self) -> bool {
        self.time.is_none() && (self.nodes.is_some() || self.depth.is_some())
    }

    /// The file to write, if one is named.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// The positions on stdin, each with a search of one thread that has seen no other.
    fn lines(&self) -> Result<Exit> {
        afford(self.memory, self.threads.map_or_else(processors, usize::from))?;
        let engine = || Engine::new(self.memory, 1);
        lines::each(self.threads.map(usize::from), !self.json, engine, |engine, line| {
            let record = self.place.position(line).map_err(anyhow::Error::msg)?;
            let question = Question::new(&record, self.place.node(&record)?, self.rule.or(of_text(line)))?;
            engine.forget();
            let mut text = String::new();
            let mut depth = 0;
            let found = self.search(&question, engine, &mut |report| {
                if self.json && report.depth > depth {
                    depth = report.depth;
                    text += &self.object(line, &question, report, None);
                }
            })?;
            text += &self.tell(line, &question, &found)?;
            Ok((text, Exit::Done))
        })
    }

    fn search(&self, question: &Question, engine: &mut Engine, tell: &mut dyn FnMut(&Report)) -> Result<Found> {
        let board = Board::new(&question.stones, question.rule, self.three)?;
        let request = self.request(question, &board)?;
        let report = engine.search(&board, question.to_move, &request, &PROGRESS.stop, tell);
        if report.lines.is_empty() {
            bail!("{}", no_move(&board, question.to_move));
        }
        let [fours, threats] = PROOF_NODES;
        let mut claims = Claims::new(fours, threats);
        let grounds =
            report.lines.iter().map(|line| claims.prove(&board, question.to_move, line, &PROGRESS.stop)).collect();
        Ok(Found { report, grounds, is_stopped: PROGRESS.stop.load(Ordering::Relaxed) })
    }

    fn request(&self, question: &Question, board: &Board) -> Result<Request> {
        let time = self.time.or((!self.is_fixed()).then_some(TIME)).map(Time::whole);
        let points = |text: &str, option: &'static str| -> Result<Vec<Point>> {
            let moves = parse_moves(text, self.place.coords, question.size()).context(option)?;
            let points =
                moves.into_iter().map(|played| played.point().with_context(|| format!("{option}: a pass is no point")));
            points.collect()
        };
        let moves = match (&self.moves, &self.except) {
            (Some(text), _) => {
                let points = points(text, "--moves")?;
                for point in &points {
                    let name = Coords::A1.text(*point, question.size());
                    if !question.stones.is_empty(*point) {
                        bail!("--moves: there is a stone on {name}");
                    }
                    if board.is_forbidden(*point, question.to_move) {
                        bail!("--moves: {name} is forbidden to Black");
                    }
                }
                Moves::Only(points)
            }
            (None, Some(text)) => Moves::Except(points(text, "--except")?),
            (None, None) => Moves::All,
        };
        let bias = engine::Value::points(self.bias);
        let goal = match self.balance {
            None => Goal::Best,
            Some(Balance::One) => Goal::Balance(bias),
            Some(Balance::Two) => Goal::BalanceTwo(bias),
        };
        let limits = Limits { nodes: self.nodes, depth: self.depth, time };
        Ok(Request { limits, lines: self.lines.into(), moves, goal, distinct: self.distinct })
    }

    /// What is printed in the end.
    fn tell(&self, input: &str, question: &Question, found: &Found) -> Result<String> {
        if self.json {
            return Ok(self.object(input, question, &found.report, Some(found)));
        }
        let record = self.record(question, &found.report, false)?;
        let place = record.tree.nodes().nth(question.played.len()).unwrap_or(NodeId::ROOT);
        let mut text = text_board::board(&Diagram::new(&record, place), Numbers::Off);
        let side = if question.to_move == Side::First { "X (Black)" } else { "O (White)" };
        // What is the same every time is said the same every time.
        let pace = if self.is_fixed() { String::new() } else { pace(&found.report) };
        let stopped = if found.is_stopped { ", stopped" } else { "" };
        let _ = writeln!(text, "{side} to move, {}, {}{pace}{stopped}\n", question.rule, effort(&found.report));
        text += &table(question, &found.report, usize::MAX);
        for (rank, (line, grounds)) in found.report.lines.iter().zip(&found.grounds).enumerate() {
            let (what, plies) = match (line.value.wins_in(), line.value.loses_in()) {
                _ if !is_known(line) => continue,
                (Some(plies), _) => ("wins", plies),
                (_, Some(plies)) => ("loses", plies),
                _ => continue,
            };
            let sure = match grounds {
                Some(Grounds::Fours) => "proven by fours that were replayed against every reply",
                Some(Grounds::Threats) => "proven by threats that were replayed against every reply",
                None => "found by the search, not proven",
            };
            let unit = if plies == 1 { "ply" } else { "plies" };
            let _ = writeln!(text, "{}: {what} in {plies} {unit}: {sure}", letter(rank));
        }
        Ok(harmless(&text).into_owned())
    }

    /// What is drawn while the search goes on.
    fn live(&self, question: &Question, report: &Report) -> String {
        format!("{}{}\n{}", effort(report), pace(report), table(question, report, LIVE_MOVES).trim_end())
    }

    /// A report as scripts read it; `found` is there in the end.
    fn object(&self, input: &str, question: &Question, report: &Report, found: Option<&Found>) -> String {
        let size = question.size();
        let name = |point: &Point| Coords::A1.text(*point, size);
        let line = |(rank, line): (usize, &Variation)| {
            let mate = line.value.wins_in().map(i64::from).or(line.value.loses_in().map(|plies| -i64::from(plies)));
            let rate = (line.value.win_rate() * 1e4).round() / 1e4;
            let first = line.moves[0];
            let mut object = json!({
                "move": name(&first), "x": first.x(), "y": first.y(), "value": null, "mate": null, "win_rate": null,
                "bound": line.bound.name(), "depth": line.depth, "nodes": report.nodes,
                "pv": line.moves.iter().map(name).collect::<Vec<_>>(),
                "verified": found.filter(|_| is_known(line) && line.value.is_decided()).map(|found| found.grounds[rank].is_some()),
            });
            if is_known(line) {
                (object["value"], object["win_rate"]) = (line.value.get().into(), rate.into());
                object["mate"] = mate.into();
            }
            object
        };
        let names = |points: &[Point]| points.iter().map(name).collect::<Vec<_>>();
        let object = json!({
            "kifu": JSON, "input": input, "rule": question.rule.name(), "size": [size.width(), size.height()],
            "side": if question.to_move == Side::First { "black" } else { "white" },
            "final": found.is_some(), "stopped": found.is_some_and(|found| found.is_stopped),
            "depth": report.depth, "selective_depth": report.selective_depth, "nodes": report.nodes,
            "time_ms": report.time.as_millis() as u64, "nps": report.speed(),
            "lines": report.lines.iter().enumerate().map(line).collect::<Vec<_>>(),
            "wins": names(&report.wins), "losses": names(&report.losses),
        });
        format!("{object}\n")
    }

    /// The position with the lines as variations, each with its letter; with values and comments where they are wanted.
    fn record(&self, question: &Question, report: &Report, with_values: bool) -> Result<Record> {
        let mut order: Vec<usize> = (0..report.lines.len()).collect();
        // Pairs that begin with the same move stand together.
        let first = |rank: &usize| report.lines.iter().position(|line| line.moves[0] == report.lines[*rank].moves[0]);
        order.sort_by_key(first);
        let judged = if self.balance == Some(Balance::Two) { 1 } else { 0 };
        question.record(|builder, depth| {
            if with_values {
                let nodes = count(report.nodes, "node");
                builder.note(Note::Line(&format!("analyzed: {}, depth {}, {nodes}", question.rule, report.depth)))?;
            }
            let mut before: &[Point] = &[];
            for rank in order {
                let line = &report.lines[rank];
                let shared = line.moves.iter().zip(before).take_while(|(one, other)| one == other).count();
                let sides = [question.to_move, question.to_move.other()];
                for (at, point) in line.moves.iter().enumerate().skip(shared) {
                    builder.append(depth + 1 + at, sides[at % 2], Play::Move(Move::Place(*point)))?;
                    if at == judged && with_values && is_known(line) {
                        self.judge(builder, question.to_move, line, at)?;
                    }
                    if at == 0 {
                        builder.note(Note::Text(&letter(rank)))?;
                    }
                }
                before = &line.moves;
            }
            Ok(())
        })
    }

    /// Writes a line's value at the node of its move `at`.
    fn judge(&self, builder: &mut TreeBuilder, side: Side, line: &Variation, at: usize) -> Result<(), record::Full> {
        // The plies from the node on: the moves that lead to it are played.
        let plies = |plies: u32| plies.saturating_sub(at as u32 + 1).min(u16::MAX.into()) as u16;
        let black = if side == Side::First { line.value } else { -line.value };
        let score = match (black.wins_in(), black.loses_in()) {
            (Some(win), _) => Score::FirstWins(plies(win)),
            (_, Some(loss)) => Score::SecondWins(plies(loss)),
            _ => Score::Points(black.get()),
        };
        builder.note(Note::Value(record::Value {
            score,
            depth: u16::try_from(line.depth).ok().filter(|depth| *depth < u16::MAX),
        }))?;
        let player = if side == Side::First { "Black" } else { "White" };
        builder.note(Note::Line(&format!("{} for {player}, {}, depth {}", said(line), percent(line), line.depth)))
    }
}

/// Why there is no move.
fn no_move(board: &Board, side: Side) -> &'static str {
    let stones = board.stones();
    if stones.empty_points().next().is_none() {
        "the board is full"
    } else if stones.empty_points().all(|point| board.is_forbidden(point, side)) {
        "every point that is left is forbidden to Black"
    } else {
        "there is no move to choose from"
    }
}

/// `depth 14-21, 1,234,567 nodes`.
fn effort(report: &Report) -> String {
    format!("depth {}-{}, {}", report.depth, report.selective_depth, count(report.nodes, "node"))
}

/// ` in 5.0 s, 246,913 a second`.
fn pace(report: &Report) -> String {
    let speed = report.speed().map(|speed| format!(", {} a second", thousands(speed)));
    format!(" in {}{}", spoken(report.time), speed.unwrap_or_default())
}

/// A row for each line, with at most so many of its moves.
fn table(question: &Question, report: &Report, moves: usize) -> String {
    let size = question.size();
    let name = |point: &Point| Coords::A1.text(*point, size);
    let mut rows = vec![["", "move", "value", "win", "depth", "line"].map(String::from)];
    for (rank, line) in report.lines.iter().enumerate() {
        let mut names = line.moves.iter().take(moves).map(name).collect::<Vec<_>>().join(" ");
        if line.moves.len() > moves {
            names += " …";
        }
        rows.push([letter(rank), name(&line.moves[0]), said(line), percent(line), line.depth.to_string(), names]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for [letter, first, value, rate, depth, line] in rows {
        let [a, b, c, d, e] = widths;
        let _ = writeln!(text, "{letter:<a$}  {first:<b$}  {value:>c$}  {rate:>d$}  {depth:>e$}  {line}");
    }
    text
}

/// Whether the line has a value; one that the search had no time for has none.
fn is_known(line: &Variation) -> bool {
    line.bound != Bound::None
}

/// The value, with what is known of it: `12`, `>12`, `+M5`, `?`.
fn said(line: &Variation) -> String {
    let bound = match line.bound {
        Bound::Lower => ">",
        Bound::Upper => "<",
        Bound::Exact => "",
        Bound::None => return "?".into(),
    };
    format!("{bound}{}", line.value)
}

fn percent(line: &Variation) -> String {
    if !is_known(line) {
        return "?".into();
    }
    format!("{:.1}%", line.value.win_rate() * 100.0)
}

/// The sign of a line on the board, A for the best; letters that stand for stones are left out, and after the last one
/// there are numbers.
fn letter(rank: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNPQRSTUVWYZabcdefghijklmnpqrstuvwyz";
    LETTERS.get(rank).map_or_else(|| (rank + 1).to_string(), |letter| char::from(*letter).to_string())
}

fn print(text: &str) -> Result<()> {
    let mut out: io::StdoutLock<'_> = stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

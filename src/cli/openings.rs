use super::Exit;
use super::afford::afford;
use super::book::memory;
use super::lines::processors;
use super::output::{Output, failed, refuse_existing};
use super::progress::{Bar, PROGRESS};
use super::terminal::{JSON, complain, count, thousands};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use engine::{Answer, Board, Engine, Goal, Limits, Moves, Request, Value, Vcf, VcfOptions};
use games::gomoku::{self, Keys, Three};
use games::{Coords, Point, Rule, Side, Size};
use rayon::prelude::*;
use record::Bound;
use serde_json::json;
use std::collections::HashSet;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Make balanced openings for matches between engines
#[derive(Args)]
#[command(
    after_help = "Each opening is a handful of stones near each other, in the middle of the board. A search gives neither
side more than --max-value, where 200 is a chance of 73 % to win; neither side wins by continuous fours, and in renju no
move of Black is forbidden and the first three are an opening. Where random stones are not even the last of them is
chosen to make them so. No two openings are equal up to a turn or a reflection of the board.

The same options and seed give the same openings, with any number of threads, on every machine.

Examples:
  kifu openings --rule freestyle --size 20 -n 200 -o openings.txt
  kifu openings --rule renju --plies 5 --form pos
  kifu openings --rule standard --max-value 20 --nodes 200000 --json"
)]
pub struct Openings {
    /// Rule: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Rule,
    /// What a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, default_value = "rif", value_name = "READING")]
    three: Three,
    /// Board, such as 15 or 15x12
    #[arg(long, default_value = "15")]
    size: Size,
    /// How many openings
    #[arg(short = 'n', long, default_value_t = 100, value_name = "N")]
    number: usize,
    /// How many moves an opening has, such as 5 or 3..8
    #[arg(long, default_value = "3..8", value_parser = plies, value_name = "N|A..B")]
    plies: (usize, usize),
    /// The value for either side that is still even
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i32).range(0..=20_000), value_name = "VALUE")]
    max_value: i32,
    /// Judge each with a search of so many nodes
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    nodes: u64,
    /// Memory of each search for what it has found, such as 16M
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "4M")]
    memory: usize,
    /// A number that tells which openings are made
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: one a processor]
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N")]
    threads: Option<u16>,
    /// How an opening is written, each on a line
    #[arg(long, default_value = "gomocup", value_enum)]
    form: Form,
    /// Print a JSON object an opening
    #[arg(long, conflicts_with = "form")]
    json: bool,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// How openings are written.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Form {
    /// 0,0, 1,0, 1,3: columns and rows from the centre, rightwards and downwards, as Piskvork, Gomocup and c-gomoku-cli
    /// (type offset) read them
    #[value(alias = "offset")]
    Gomocup,
    /// h8i9j10: letters and numbers from the top left, as c-gomoku-cli (type pos) reads them
    #[value(alias = "c-gomoku-cli")]
    Pos,
    /// h8 i9 j10: moves in the notation of this program
    Moves,
}

/// The nodes to look for a victory by fours; what takes more is no opening.
const FOURS: u64 = 20_000;

/// So many vain tries after an opening, and there are no more.
const PATIENCE: u64 = 3000;

/// The most moves that can be asked for.
const LONGEST: usize = 40;

fn plies(text: &str) -> Result<(usize, usize), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().ok().filter(|number| (1..=LONGEST).contains(number));
    let range = number(least).zip(number(most.trim_start_matches('=')));
    range.filter(|(least, most)| least <= most).ok_or_else(|| format!("`{text}` is not 5 or 3..8, at most {LONGEST}"))
}

/// A generator of numbers, SplitMix64, which is here so that a seed means the same for good.
struct Random(u64);

impl Random {
    /// The numbers of one try under a seed.
    fn new(seed: u64, attempt: u64) -> Random {
        let mut random = Random(seed);
        Random(random.next().wrapping_add(attempt.wrapping_mul(0xD1B5_4A32_D192_ED03)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }
}

/// What a thread works with.
struct Tools {
    engine: Engine,
    solver: Vcf,
}

/// Moves and what they are worth to the side that is to move after them.
struct Opening {
    moves: Vec<Point>,
    value: Value,
    key: u128,
}

impl Openings {
    /// Makes openings.
    pub fn run(self) -> Result<Exit> {
        let file = self.output.as_deref().filter(|path| path.as_os_str() != "-");
        if let Some(path) = file {
            refuse_existing(path, self.force)?;
        }
        // A board that the engine does not know is told before the file is begun.
        Board::new(&gomoku::Board::new(self.size), self.rule, self.three)?;
        match file {
            None => self.make(&mut |line| {
                let mut out = stdout().lock();
                out.write_all(line.as_bytes())?;
                Ok(out.flush()?)
            }),
            Some(path) => self.write(path),
        }
    }

    fn write(&self, path: &Path) -> Result<Exit> {
        let mut output = Output::create(path, self.force)?;
        let exit = self.make(&mut |line| output.write_all(line.as_bytes()).map_err(|error| failed(path, &error)))?;
        if exit != Exit::Stopped {
            output.commit()?;
        }
        Ok(exit)
    }

    /// Makes openings try by try, in the order of the tries whatever thread makes them.
    fn make(&self, write: &mut dyn FnMut(&str) -> Result<()>) -> Result<Exit> {
        let threads = self.threads.map_or_else(processors, usize::from);
        afford(self.memory, threads)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        let tools = || Tools { engine: Engine::new(self.memory, 1), solver: Vcf::new(1 << 20) };
        let bar = Bar::openings(self.number as u64);
        let mut seen = HashSet::new();
        let (mut tried, mut last) = (0, 0);
        while seen.len() < self.number {
            let batch = tried..tried + 8 * threads as u64;
            let found: Vec<Option<Opening>> = pool.install(|| {
                let each = batch.clone().into_par_iter();
                each.map_init(tools, |tools, attempt| self.attempt(attempt, &seen, tools)).collect()
            });
            if PROGRESS.stop.load(Ordering::Relaxed) {
                return Ok(Exit::Stopped);
            }
            for (attempt, opening) in batch.clone().zip(found) {
                if seen.len() == self.number || attempt - last >= PATIENCE {
                    break;
                }
                if let Some(opening) = opening
                    && seen.insert(opening.key)
                {
                    last = attempt;
                    PROGRESS.done.store(seen.len() as u64, Ordering::Relaxed);
                    write(&self.text(&opening))?;
                }
            }
            tried = batch.end;
            if tried - last >= PATIENCE && seen.len() < self.number {
                drop(bar);
                let (found, wanted) = (count(seen.len() as u64, "opening"), thousands(self.number as u64));
                complain(&format!(
                    "{found} of {wanted} found, and no more in {} tries: allow more with --max-value or --plies",
                    thousands(PATIENCE)
                ));
                return Ok(Exit::No);
            }
        }
        Ok(Exit::Done)
    }

    /// The opening that a try makes, if it makes one that is not among the seen.
    fn attempt(&self, attempt: u64, seen: &HashSet<u128>, tools: &mut Tools) -> Option<Opening> {
        if PROGRESS.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut random = Random::new(self.seed, attempt);
        let (least, most) = self.plies;
        let plies = least + random.below(most - least + 1);
        let empty = gomoku::Board::new(self.size);
        let mut board = Board::new(&empty, self.rule, self.three).expect("the board was tried before");
        let mut moves = Vec::with_capacity(plies);
        while moves.len() < plies {
            let points = self.points(&board, moves.len());
            let point = *points.get(random.below(points.len().max(1)))?;
            board.put(point, Side::of_ply(moves.len() + 1));
            moves.push(point);
        }
        // What was seen is even: it would be judged in vain.
        let key = |board: &Board| Some(Keys::of(board.stones()).canonical()).filter(|key| !seen.contains(key));
        let first = key(&board)?;
        if let Some(value) = self.judge(&mut board, moves.len(), tools) {
            return Some(Opening { moves, value, key: first });
        }
        // Perhaps another last stone makes it even.
        let last = moves.pop()?;
        let side = Side::of_ply(plies);
        board.take(last, side);
        let points = self.points(&board, moves.len());
        let request = Request { goal: Goal::Balance(Value::DRAW), moves: Moves::Only(points), ..self.request() };
        tools.engine.forget();
        let report = tools.engine.search(&board, side, &request, &PROGRESS.stop, &mut |_| ());
        let point = *report.lines.first()?.moves.first()?;
        board.put(point, side);
        moves.push(point);
        let key = key(&board)?;
        let value = self.judge(&mut board, moves.len(), tools)?;
        Some(Opening { moves, value, key })
    }

    /// Where the next stone may stand: near those that are there, in the middle if there are none.
    fn points(&self, board: &Board, plies: usize) -> Vec<Point> {
        let (width, height) = (self.size.width(), self.size.height());
        let from_centre = |point: Point| point.x().abs_diff(width / 2).max(point.y().abs_diff(height / 2));
        let spread = width.min(height) / 4;
        let stones: Vec<Point> = board.stones().stones().map(|(point, _)| point).collect();
        // What stands at the edge of a board that has a middle matters little.
        let margin = if width.min(height) < 11 { 0 } else { 2 };
        let is_inside = |point: Point| {
            (margin..width - margin).contains(&point.x()) && (margin..height - margin).contains(&point.y())
        };
        let is_near = |point: Point| match plies {
            // The openings of renju: the centre, then a square of 3, then one of 5.
            0..3 if self.rule == Rule::Renju => usize::from(from_centre(point)) <= plies,
            0 => from_centre(point) <= spread,
            _ => stones.iter().any(|stone| stone.x().abs_diff(point.x()).max(stone.y().abs_diff(point.y())) <= 2),
        };
        let side = Side::of_ply(plies + 1);
        let fits = |point: &Point| {
            is_inside(*point)
                && is_near(*point)
                && !board.fives(side).contains(*point)
                && !board.is_forbidden(*point, side)
        };
        board.stones().empty_points().filter(fits).collect()
    }

    fn request(&self) -> Request {
        Request { limits: Limits { nodes: Some(self.nodes), ..Limits::default() }, ..Request::default() }
    }

    /// The value for the side to move, if the position is an even one.
    fn judge(&self, board: &mut Board, plies: usize, tools: &mut Tools) -> Option<Value> {
        let side = Side::of_ply(plies + 1);
        let options = VcfOptions { max_nodes: FOURS, ..VcfOptions::default() };
        let mut is_quiet = |side| matches!(tools.solver.solve(board, side, &options), Answer::Disproven(_));
        if !is_quiet(side) || !is_quiet(side.other()) {
            return None;
        }
        tools.engine.forget();
        let report = tools.engine.search(board, side, &self.request(), &PROGRESS.stop, &mut |_| ());
        // What a search that was cut short knows only a bound of may be anything.
        let value = report.lines.first().filter(|line| line.bound == Bound::Exact)?.value;
        (value.get().abs() <= self.max_value).then_some(value)
    }

    /// An opening as a line.
    fn text(&self, opening: &Opening) -> String {
        let names = |coords: Coords| opening.moves.iter().map(move |point| coords.text(*point, self.size));
        if self.json {
            let side = if Side::of_ply(opening.moves.len() + 1) == Side::First { "black" } else { "white" };
            let object = json!({
                "kifu": JSON, "rule": self.rule.name(), "size": [self.size.width(), self.size.height()], "side": side,
                "moves": names(Coords::A1).collect::<Vec<_>>(), "value": opening.value.get(),
            });
            return format!("{object}\n");
        }
        let line = match self.form {
            Form::Gomocup => {
                let from = |at: u8, side: u8| i16::from(at) - i16::from(side / 2);
                let offset = |point: &Point| {
                    format!("{},{}", from(point.x(), self.size.width()), from(point.y(), self.size.height()))
                };
                opening.moves.iter().map(offset).collect::<Vec<_>>().join(", ")
            }
            Form::Pos => names(Coords::Rapfi).collect(),
            Form::Moves => names(Coords::A1).collect::<Vec<_>>().join(" "),
        };
        line + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_one_number_or_a_range() {
        assert_eq!(plies("5"), Ok((5, 5)));
        assert_eq!(plies("3..8"), Ok((3, 8)));
        assert_eq!(plies("3..=8"), Ok((3, 8)));
        for wrong in ["", "0", "8..3", "3..", "..8", "41", "-1", "a"] {
            assert!(plies(wrong).is_err(), "{wrong}");
        }
    }

    /// A seed means the same for good: these are the first outputs of SplitMix64 from 0.
    #[test]
    fn the_numbers_are_those_that_were_published() {
        let mut random = Random(0);
        assert_eq!([random.next(), random.next()], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
        let mut random = Random::new(1, 2);
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}

use super::super::Exit;
use super::super::afford::afford;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::lines::processors;
use super::super::output::refuse_existing;
use super::super::progress::PROGRESS;
use super::super::reading::{ReadArgs, Told};
use super::super::record_output::{record_format, write_record};
use super::super::terminal::{JSON, count, harmless};
use super::coverage::Coverage;
use super::place::{gomoku, spelled_stones};
use super::truth::{Asked, Prover};
use super::{memory, open};
use ::book::{Book, Candidate, Frames};
use anyhow::{Context, Result, bail};
use clap::Args;
use engine::{Board, Engine, Limits, Moves, Request};
use games::gomoku::Three;
use games::{Coords, Game, Point, Rule};
use rayon::prelude::*;
use record::StoneKey;
use serde_json::json;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Measure a book: what its choices lose, and how much of games it knows
#[derive(Args)]
#[command(
    after_help = "The choice of a book is its move of the greatest value, of equal ones that of most games. A search of ten
times the nodes that its value took (--nodes where that is not known) finds the best move, another the
value of the choice: their difference is the regret. The solvers tell where a choice loses or misses a win.

With --games the main lines of games are looked up: how many of their positions and moves the book
knows, and of its moves which are good, as good as the best but for --threshold, and which are bad.
Missing are moves that lead from a position of the book to none; --missing writes them as a tree.

With one number of nodes the answer is the same on every machine, with any number of threads.

Examples:
  kifu book audit games.agb --positions 200 --nodes 100000
  kifu book audit games.agb --positions 0 --games new.sgf --missing missing.lib"
)]
pub struct Audit {
    /// The book
    book: PathBuf,
    /// Measure the choices at so many positions, evenly taken from the book
    #[arg(long, value_name = "N", default_value_t = 100)]
    positions: u64,
    /// Search with so many nodes [default: ten times those of the book's value, or 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// The loss of value from which on a move is bad
    #[arg(long, value_name = "V", default_value_t = 100, value_parser = clap::value_parser!(i32).range(0..=60_000))]
    threshold: i32,
    /// Give up a search for fours or threats after so many nodes
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    solver_nodes: u64,
    /// Games to look up; may be given several times
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Rule of games that do not say it
    #[arg(long)]
    rule: Option<Rule>,
    #[command(flatten)]
    read: ReadArgs,
    /// Tree to write of the moves of the games that the book misses
    #[arg(long, value_name = "OUT", requires = "games")]
    missing: Option<PathBuf>,
    /// Format of that tree [default: told by its extension]
    #[arg(short, long, value_parser = Kind::parse, value_name = "FORMAT", requires = "missing")]
    to: Option<Kind>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// What a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, default_value = "rif", value_name = "READING")]
    three: Three,
    /// Memory of each search for what it has found, such as 64M
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "16M")]
    memory: usize,
    /// Threads [default: one a processor]
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N")]
    threads: Option<u16>,
    /// Print JSON objects: one a choice, and a last one
    #[arg(long)]
    json: bool,
}

/// The nodes of a search where the book does not say how many its value took.
const NODES: u64 = 1_000_000;

/// The stack of a thread: searches go deep.
const STACK: usize = 16 << 20;

/// A choice of the book that is to be measured.
struct Choice {
    key: StoneKey,
    play: Point,
    /// The book's value of the choice, for the side that chooses.
    value: i32,
    nodes: u64,
}

/// What a choice turned out to be.
struct Measured {
    best: Point,
    best_value: i32,
    value: i32,
    /// The solvers win against it.
    loses: bool,
    /// The solvers win where it does not.
    misses: bool,
}

impl Measured {
    fn regret(&self) -> i32 {
        self.best_value.saturating_sub(self.value).max(0)
    }
}

impl Audit {
    /// Measures, and prints what was found.
    pub fn run(self) -> Result<Exit> {
        let format = self.missing.as_deref().map(|path| record_format(path, self.to)).transpose()?;
        if let Some(path) = &self.missing {
            refuse_existing(path, self.force)?;
        }
        let threads = self.threads.map_or_else(processors, usize::from);
        afford(self.memory, threads)?;
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let mut out = stdout().lock();
        let choices = self.choices(&book)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?;
        let tool = || (Engine::new(self.memory, 1), Prover::new(self.solver_nodes, self.three, &PROGRESS.stop));
        let measured: Vec<Option<Measured>> = pool.install(|| {
            choices.par_iter().map_init(tool, |(engine, prover), choice| self.measure(choice, engine, prover)).collect()
        });
        if PROGRESS.stop.load(Ordering::Relaxed) {
            return Ok(Exit::Stopped);
        }
        let mut exit = Exit::Done;
        let mut coverage = Coverage::new(&book, self.threshold);
        if !self.games.is_empty() {
            exit = self.look_up(&mut coverage)?;
        }
        let text = self.tell(book.positions(), &choices, &measured, &coverage);
        out.write_all(text.as_bytes())?;
        out.flush()?;
        drop(out);
        if let (Some(path), Some(format)) = (&self.missing, format) {
            let mut trees = coverage.into_missing().into_iter();
            match (trees.next(), trees.next()) {
                (Some(_), Some(_)) => bail!("the games are of several rules or boards: --missing takes those of one"),
                (None, _) => bail!("{}: no move is missing, and it is not written", path.display()),
                (Some(record), None) => {
                    let file = Some(path.as_path()).filter(|path| path.as_os_str() != "-");
                    write_record(&record, format, file, self.force, &self.book.to_string_lossy())?;
                }
            }
        }
        Ok(exit)
    }

    /// The choices of the book at positions that are evenly taken.
    fn choices(&self, book: &Book<&[u8]>) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        if self.positions == 0 {
            return Ok(choices);
        }
        let mut frames = Frames::new(book.is_symmetric());
        let step = book.positions().div_ceil(self.positions).max(1);
        let mut next = 0;
        for (at, position) in (0..).zip(book.entries()) {
            let (key, _) = position.with_context(|| name(&self.book))?;
            // Where a position has no choice the next one that has stands for it.
            if at < next {
                continue;
            }
            let ground = ::book::board(&key).expect("a block that is read names its board");
            let frame = frames.of_board(ground);
            let key = frame.key(&key).expect("a key that is read names a position");
            let answer = book.ask(&key, frame).with_context(|| name(&self.book))?;
            let key = gomoku(key).with_context(|| name(&self.book))?;
            let Some(answer) = answer else { continue };
            let best = best(&answer.moves);
            let Some((play, value)) = best.and_then(|best| Some((best.play.point()?, best.value()?))) else { continue };
            let known = best.and_then(|best| best.judgement.as_ref()).and_then(|judgement| judgement.nodes);
            let nodes = self.nodes.unwrap_or(known.map_or(NODES, |nodes| nodes.saturating_mul(10).max(1)));
            choices.push(Choice { key, play, value, nodes });
            next += step;
        }
        Ok(choices)
    }

    /// Searches for the best move and for the value of the choice; `None` where there is nothing to search.
    fn measure(&self, choice: &Choice, engine: &mut Engine, prover: &mut Prover<'_>) -> Option<Measured> {
        let Asked::Open(mut board) = prover.board(&choice.key) else { return None };
        let side = choice.key.to_move;
        engine.forget();
        let mut search = |board: &Board, moves: Moves| {
            let limits = Limits { nodes: Some(choice.nodes), ..Limits::default() };
            let request = Request { limits, moves, ..Request::default() };
            engine.search(board, side, &request, &PROGRESS.stop, &mut |_| ())
        };
        let best = search(&board, Moves::All).lines.into_iter().next()?;
        let point = *best.moves.first()?;
        let value = if point == choice.play {
            best.value.get()
        } else {
            search(&board, Moves::Only(vec![choice.play])).lines.first()?.value.get()
        };
        let wins = prover.wins(&mut board, side);
        let loses = self.loses(choice, &board, prover);
        let misses = wins && (loses || value < FAR);
        // Where everything loses no choice is to blame.
        let loses = loses && best.value.get() > -FAR;
        Some(Measured { best: point, best_value: best.value.get(), value, loses, misses })
    }

    /// Whether the solvers win after the choice.
    fn loses(&self, choice: &Choice, board: &Board, prover: &mut Prover<'_>) -> bool {
        let side = choice.key.to_move;
        if !super::truth::is_allowed(board, side, choice.play) {
            return true;
        }
        let Some(after) = choice.key.after(games::Move::Place(choice.play)) else { return false };
        match prover.board(&after) {
            Asked::Open(mut board) => prover.wins(&mut board, side.other()),
            Asked::Won(winner) => winner != side,
            Asked::Unfit => false,
        }
    }

    fn look_up(&self, coverage: &mut Coverage<'_>) -> Result<Exit> {
        Files::list(&self.games, false, Wanted::Anything, None)?.each(|path| {
            let input = Input::open(path)?;
            let of_format = self.read.format(&input).with_context(|| name(path))?.rule;
            let mut failed = None;
            let mut without_rule = 0_u64;
            let options = self.read.options(Coords::A1, 1);
            let told = self.read.watch(&input, &options, &mut |record| {
                match record.head.rule.or(self.rule).or(of_format) {
                    Some(rule) if failed.is_none() => failed = coverage.add(&record, rule).err(),
                    Some(_) => {}
                    None => without_rule += 1,
                }
                Ok(())
            });
            told.and_then(Told::whole).with_context(|| name(path))?;
            if let Some(error) = failed {
                return Err(error.context(name(&self.book)));
            }
            if without_rule > 0 {
                bail!("{}: nothing says the rule of {}: use --rule", name(path), count(without_rule, "record"));
            }
            Ok(Exit::Done)
        })
    }

    fn tell(
        &self,
        positions: u64,
        choices: &[Choice],
        measured: &[Option<Measured>],
        coverage: &Coverage<'_>,
    ) -> String {
        let pairs = || choices.iter().zip(measured).filter_map(|(choice, found)| Some((choice, found.as_ref()?)));
        let mut regrets: Vec<i32> = pairs().map(|(_, found)| found.regret()).collect();
        regrets.sort_unstable();
        let number = regrets.len();
        let mean = regrets.iter().map(|regret| f64::from(*regret)).sum::<f64>() / number.max(1) as f64;
        let at_95 = regrets.get((number * 95).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0);
        let most = regrets.last().copied().unwrap_or(0);
        let bad = regrets.iter().filter(|regret| **regret > self.threshold).count();
        let loses = pairs().filter(|(_, found)| found.loses).count();
        let misses = pairs().filter(|(_, found)| found.misses).count();
        let mut text = String::new();
        let is_told = |found: &Measured| found.regret() > self.threshold || found.loses || found.misses;
        if self.json {
            for (choice, found) in pairs() {
                let size = choice.key.size;
                let row = json!({
                    "kifu": JSON, "position": spelled_stones(&choice.key), "rule": choice.key.rule.name(),
                    "size": [size.width(), size.height()], "side": choice.key.to_move.name(Game::Gomoku),
                    "ply": choice.key.stones.len(), "move": Coords::A1.text(choice.play, size),
                    "value": choice.value, "searched": found.value, "best": Coords::A1.text(found.best, size),
                    "best_value": found.best_value, "regret": found.regret(), "nodes": choice.nodes,
                    "loses": found.loses, "misses_win": found.misses,
                });
                text += &format!("{row}\n");
            }
            let row = json!({
                "kifu": JSON, "final": true, "book": self.book.display().to_string(), "positions": positions,
                "choices": number, "mean": mean, "at_95": at_95, "most": most, "bad": bad, "loses": loses,
                "misses_wins": misses, "threshold": self.threshold, "coverage": coverage.object(),
            });
            return text + &format!("{row}\n");
        }
        let choices = count(number as u64, "choice");
        text += &format!("{}: {}, {choices} measured\n", name(&self.book), count(positions, "position"));
        if number > 0 {
            text += &format!("  regret     mean {mean:.1}, 95 % at most {at_95}, the greatest {most}\n");
            text += &format!("  bad        {bad} of more than {}\n", self.threshold);
            text += &format!("  solvers    {loses} lose, {misses} miss a win\n");
        }
        for (choice, found) in pairs().filter(|(_, found)| is_told(found)) {
            let size = choice.key.size;
            let [play, best] = [choice.play, found.best].map(|point| Coords::A1.text(point, size));
            let more = [(found.loses, ", and loses"), (found.misses, ", and misses a win")];
            let more: String = more.into_iter().filter(|(is_so, _)| *is_so).map(|(_, words)| words).collect();
            text += &format!(
                "  {}: {play} is worth {} and not {}, {best} {}{more}\n",
                spelled_stones(&choice.key),
                found.value,
                choice.value,
                found.best_value
            );
        }
        text += &coverage.block();
        harmless(&text).into_owned()
    }
}

/// Values from here on are wins.
const FAR: i32 = 29_500;

/// The choice of the book: the move of the greatest value, of equal ones that of most games.
pub fn best(moves: &[Candidate]) -> Option<&Candidate> {
    let valued = moves.iter().filter(|each| each.value().is_some() && each.play.point().is_some());
    valued.reduce(|best, each| {
        let worth = |each: &Candidate| (each.value(), each.tally.games);
        if worth(each) > worth(best) { each } else { best }
    })
}

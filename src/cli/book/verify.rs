use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::progress::PROGRESS;
use super::super::terminal::JSON;
use super::super::terminal::{count, harmless};
use super::labels::{self, Proving};
use super::{hash, verify};
use anyhow::Result;
use clap::Args;
use games::gomoku::Three;
use serde_json::json;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Read whole books, and find what is damaged or in no place where it would be looked up
#[derive(Args)]
#[command(
    after_help = "With --labels the wins and losses that a book claims are proven again by the solvers: labels, which speak
of the move that led to the position, and values that the book holds for proven. A proof is fours, or
threats, which are replayed by the rules alone; a position is lost if they follow every move. What is not
proven is listed, and need not be wrong; refuted is what the other side wins.

Exit codes: 0 all are whole (and proven), 1 one is not, 2 a file cannot be opened.

Examples:
  kifu book verify games.agb
  kifu book verify --labels --nodes 1000000 rapfi.agb"
)]
pub struct Verify {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// Prove labels of wins and losses, and proven values, again
    #[arg(long)]
    labels: bool,
    /// With --labels, give up a search for fours or threats after so many nodes
    #[arg(long, requires = "labels", value_name = "N", default_value_t = 200_000)]
    nodes: u64,
    /// With --labels, what a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, requires = "labels", value_name = "READING", default_value = "rif")]
    three: Three,
    /// With --labels, threads [default: one a processor]
    #[arg(short = 'j', long, requires = "labels", value_name = "N")]
    threads: Option<usize>,
    /// With --labels, print a JSON object a claim that fails, and one a book
    #[arg(long, requires = "labels")]
    json: bool,
}

/// The stack of a thread: solvers go deep.
const STACK: usize = 16 << 20;

impl Verify {
    /// Prints a line a book.
    pub fn run(self) -> Result<Exit> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0)).stack_size(STACK).build()?;
        Files::list(&self.books, false, Wanted::Anything, None)?.each(|path| {
            let input = Input::open(path)?;
            let (text, exit) = match verify(&input) {
                Ok(book) if self.labels => {
                    let proving = Proving { nodes: self.nodes, three: self.three, json: self.json };
                    let mut out = stdout().lock();
                    if !self.json {
                        let positions = count(book.positions(), "position");
                        writeln!(out, "{}", harmless(&format!("{}: {positions}, all as written", name(path))))?;
                    }
                    let mut told = Vec::new();
                    let all = pool.install(|| labels::prove(&book, path, &proving, &mut told));
                    out.write_all(&told)?;
                    return Ok(if all? { Exit::Done } else { Exit::No });
                }
                Ok(book) => {
                    let positions = count(book.positions(), "position");
                    (format!("{positions}, content {}, all as written", hash(book.content_hash())), Exit::Done)
                }
                Err(error) if PROGRESS.stop.load(Ordering::Relaxed) => return Err(error.into()),
                Err(error) => (error.to_string(), Exit::No),
            };
            if self.json {
                let row = json!({"kifu": JSON, "file": path.display().to_string(), "error": text});
                writeln!(stdout().lock(), "{row}")?;
                return Ok(exit);
            }
            writeln!(anstream::stdout().lock(), "{}", harmless(&format!("{}: {text}", name(path))))?;
            Ok(exit)
        })
    }
}

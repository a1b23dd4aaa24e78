use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::progress::PROGRESS;
use super::super::terminal::{count, harmless};
use super::{hash, verify};
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Read whole books, and find what is damaged or in no place where it would be looked up
#[derive(Args)]
#[command(after_help = "Exit codes: 0 all are whole, 1 one is damaged, 2 a file cannot be opened.

Example:
  kifu book verify games.agb")]
pub struct Verify {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
}

impl Verify {
    /// Prints a line a book.
    pub fn run(self) -> Result<Exit> {
        Files::list(&self.books, false, Wanted::Anything, None)?.each(|path| {
            let input = Input::open(path)?;
            let (text, exit) = match verify(&input) {
                Ok(book) => {
                    let positions = count(book.positions(), "position");
                    (format!("{positions}, content {}, all as written", hash(book.content_hash())), Exit::Done)
                }
                Err(error) if PROGRESS.stop.load(Ordering::Relaxed) => return Err(error.into()),
                Err(error) => (error.to_string(), Exit::No),
            };
            writeln!(anstream::stdout().lock(), "{}", harmless(&format!("{}: {text}", name(path))))?;
            Ok(exit)
        })
    }
}

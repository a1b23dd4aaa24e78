use super::super::Exit;
use super::super::input::{Input, name};
use super::super::output::refuse_existing;
use super::change::rewrite;
use super::place::{Which, spelled};
use super::{open, origins, say};
use ::book::extract;
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;

/// Take a branch out of a book: a position, all below it, and all that lead to it
#[derive(Args)]
#[command(after_help = "The position need not be in the book, but something below it must.

Example:
  kifu book extract games.agb 'h8 h9 j8' -o branch.agb")]
pub struct Extract {
    /// The book
    book: PathBuf,
    /// The position, as for query
    position: String,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    which: Which,
}

impl Extract {
    /// Reads the book and writes the branch.
    pub fn run(self) -> Result<Exit> {
        refuse_existing(&self.output, self.force)?;
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let boards = book.boards().with_context(|| name(&self.book))?;
        let key = self.which.key(&self.book, &boards, &self.position)?;
        let provenance = origins::after_command(&book, &self.book, &format!("extract {}", spelled(&key)))?;
        let written = rewrite(&self.book, input, &self.output, self.force, 2, |book, work, out| {
            extract(book, &key, work, out, &provenance)
        })?;
        say(&self.output, &written)?;
        Ok(Exit::Done)
    }
}

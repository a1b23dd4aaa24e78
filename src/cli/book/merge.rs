use super::super::Exit;
use super::super::input::{Input, name};
use super::super::progress::Bar;
use super::{draft, open, origin, parse_origin, program, say};
use ::book::Error;
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;

/// Put books together: games add up, the deeper judgement stays
#[derive(Args)]
#[command(after_help = "The content is the same in whatever order the books are named.

Example:
  kifu book merge 2023.agb 2024.agb -o all.agb")]
pub struct Merge {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

impl Merge {
    /// Reads the books side by side and writes theirs.
    pub fn run(self) -> Result<Exit> {
        let inputs = self.books.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>>>()?;
        let mut provenance = program();
        let mut books = Vec::with_capacity(inputs.len());
        for (input, path) in inputs.iter().zip(&self.books) {
            let book = open(input, path)?;
            provenance += &origin(path, input);
            // By these lines `build --add` knows what is counted.
            let made_of = book.provenance().with_context(|| name(path))?;
            for line in made_of.lines().filter(|line| parse_origin(line).is_some()) {
                provenance += &format!("{line}\n");
            }
            books.push(book);
        }
        let bar = Bar::watch(inputs.iter().map(|input| input.len() as u64).sum());
        let drafted = draft(&self.output, self.force, |out| ::book::merge(&books, out, &provenance));
        drop(bar);
        let (output, written) = drafted.map_err(|error| match error.downcast_ref() {
            Some(Error::Input(at, _)) => {
                let book = name(&self.books[*at]);
                error.context(book)
            }
            _ => error,
        })?;
        // The place may be that of one of the books, and Windows replaces no file that is mapped.
        drop(books);
        drop(inputs);
        output.commit()?;
        say(&self.output, &written)?;
        Ok(Exit::Done)
    }
}

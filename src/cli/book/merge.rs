use super::super::Exit;
use super::super::input::{Input, name};
use super::super::output::refuse_existing;
use super::super::progress::Bar;
use super::super::terminal::thousands;
use super::{draft, open, origins, say};
use ::book::{Conflict, Conflicts, Error, merge_by};
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Put books together: games add up, texts are united, the better values and labels stay
#[derive(Args)]
#[command(after_help = "Rules of --conflict, for a position of which books have different values or labels:
  better-value-depth-bound  the value that proves a win or a loss, else the deeper one; the label
                            that says more
  better-depth-bound        the deeper value, then the better bound; the label that says more
  better-value              the value farther from zero; the label that says more
  better-label              the label that says more, with the value that stands beside it
  newer                     those of the book named last (Rapfi: always)
  first                     those of the book named first (Rapfi: disabled)
By the first four the content is the same in whatever order the books are named.

Example:
  kifu book merge 2023.agb 2024.agb -o all.agb")]
pub struct Merge {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Which value and label of a position stay
    #[arg(long, value_name = "RULE", default_value = Conflict::default().name())]
    conflict: Conflict,
    /// Add up games even if several books count the same file
    #[arg(long)]
    twice: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

impl Merge {
    /// Reads the books side by side and writes theirs.
    pub fn run(self) -> Result<Exit> {
        refuse_existing(&self.output, self.force)?;
        let inputs = self.books.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>>>()?;
        let books = inputs.iter().zip(&self.books).map(|(input, path)| open(input, path));
        let books = books.collect::<Result<Vec<_>>>()?;
        let bytes: Vec<&[u8]> = inputs.iter().map(|input| &input[..]).collect();
        let provenance = origins::of_several(&books, &bytes, &self.books, self.twice)?;
        let bar = Bar::watch(inputs.iter().map(|input| input.len() as u64).sum());
        let mut conflicts = Conflicts::default();
        let drafted = draft(&self.output, self.force, |out| {
            let (written, found) = merge_by(&books, self.conflict, out, &provenance)?;
            conflicts = found;
            Ok(written)
        });
        drop(bar);
        let (output, written) = drafted.map_err(|error| match error.downcast_ref() {
            Some(Error::Input(at, _)) => {
                let book = name(&self.books[*at]);
                error.context(book)
            }
            _ => error,
        })?;
        // The place may be that of one of the books, and Windows replaces no file that is mapped.
        drop(bytes);
        drop(books);
        drop(inputs);
        output.commit()?;
        say(&self.output, &written)?;
        let mut out = anstream::stdout().lock();
        for (what, number) in [("values", conflicts.values), ("labels", conflicts.labels)] {
            if number > 0 {
                writeln!(out, "  positions of different {what}, where one stayed: {}", thousands(number))?;
            }
        }
        Ok(Exit::Done)
    }
}

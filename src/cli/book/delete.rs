use super::super::Exit;
use super::super::input::{Input, name};
use super::super::terminal::{count, harmless};
use super::change::Target;
use super::place::Which;
use super::set::label;
use super::{open, origins};
use ::book::{Frames, delete, delete_below};
use anyhow::{Context, Result};
use clap::Args;
use record::{Entry, Label};
use std::io::Write;
use std::path::PathBuf;

/// Take a position out of a book, or all below it
#[derive(Args)]
#[command(after_help = "The book is changed in its place unless -o names another. What Yixin calls w, l, wl and wld is
--labels win,loss,draw or some of them, nonwl is --except win,loss, wlnostep is --labels win,loss
--no-distance, and wlinstep 20 is --labels win,loss --within 20.

Examples:
  kifu book delete games.agb 'h8 h9 j8'
  kifu book delete games.agb h8 --below --except win,loss -o solved.agb
Exit codes: 0 something was deleted, 1 nothing of it is in the book.")]
pub struct Delete {
    /// The book
    book: PathBuf,
    /// The position, as for query
    position: String,
    /// Delete all below the position, too
    #[arg(long)]
    below: bool,
    /// Delete only what has one of these labels; none is a label here
    #[arg(long, value_name = "LABEL", value_delimiter = ',', value_parser = label, requires = "below")]
    labels: Vec<Label>,
    /// Delete only what has none of these labels
    #[arg(long, value_name = "LABEL", value_delimiter = ',', value_parser = label, requires = "below")]
    except: Vec<Label>,
    /// Delete only what is a win or a loss in so many plies or fewer by its value
    #[arg(long, value_name = "N", requires = "below", conflicts_with = "no_distance")]
    within: Option<u32>,
    /// Delete only what is no win or loss in so many plies by its value
    #[arg(long, requires = "below")]
    no_distance: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    which: Which,
}

impl Delete {
    /// Writes the book without the positions.
    pub fn run(self) -> Result<Exit> {
        let target = self.target.path(&self.book)?;
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let boards = book.boards().with_context(|| name(&self.book))?;
        let key = self.which.key(&self.book, &boards, &self.position)?;
        let before = book.positions();
        let mut frames = Frames::new(book.is_symmetric());
        let frame = frames.of_key(&key);
        let known = book.get(&frame.canonical(&key).key, frame).with_context(|| name(&self.book))?;
        if known.is_none() && !self.below {
            writeln!(anstream::stdout().lock(), "{}: not in the book", harmless(&self.position))?;
            return Ok(Exit::No);
        }
        let provenance = origins::after_changes(&book, &self.book, 1)?;
        let written = self.target.write(&self.book, input, &target, 1 + u64::from(self.below), |book, work, out| {
            if self.below {
                delete_below(book, &key, |entry| self.means(entry), work, out, &provenance)
            } else {
                delete(book, &key, out, &provenance)
            }
        })?;
        let gone = before - written.positions;
        writeln!(anstream::stdout().lock(), "  deleted: {}", count(gone, "position"))?;
        Ok(if gone > 0 { Exit::Done } else { Exit::No })
    }

    /// Whether the options mean what is known of a position.
    fn means(&self, entry: &Entry) -> bool {
        let plies = entry.value().and_then(|judgement| judgement.plies_to_end());
        (self.labels.is_empty() || self.labels.contains(&entry.label))
            && !self.except.contains(&entry.label)
            && self.within.is_none_or(|most| plies.is_some_and(|plies| plies <= most))
            && !(self.no_distance && plies.is_some())
    }
}

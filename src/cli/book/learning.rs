//! What evaluating and expanding a book share: how values are backed up, and how the book is written.

use super::super::input::{Input, name};
use super::super::journal::{Journal, beside};
use super::super::progress::{Bar, PROGRESS};
use super::super::terminal::count;
use super::change::Target;
use super::{draft, hash, open, refuse_changed, say};
use ::book::{Absorbed, Book, Choices, Error, Graph, Scale, Study, Written};
use anyhow::{Context, Result, bail};
use clap::Args;
use games::Rules;
use games::gomoku::OpeningRule;
use record::Judgement;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How values of positions come to those of others.
#[derive(Args)]
pub struct ChoiceArgs {
    /// How the players choose while the opening lasts: rif, yamaguchi, soosorv, taraguchi, swap, swap2 and others
    #[arg(long, value_name = "RULE")]
    opening_rule: Option<OpeningRule>,
    /// Fifth moves that Black offers, where the rule leaves the number to the players
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    fifths: Option<u8>,
    /// Turn values of another scale than 200 into it, by their win rates
    #[arg(long)]
    convert_scales: bool,
}

impl ChoiceArgs {
    /// The choices of the players.
    pub fn choices(&self) -> Choices {
        self.opening_rule.as_ref().map_or_else(Choices::default, |rule| Choices::new(rule, self.fifths))
    }

    /// A book in memory, with the values of all positions.
    pub fn study(&self, input: &Input, path: &Path) -> Result<Study> {
        let _bar = Bar::watch(input.len() as u64);
        let scale = Scale { k: Judgement::SCALE, converts: self.convert_scales };
        let graph = Graph::read(&open(input, path)?, scale, &PROGRESS.stop).map_err(|error| match error {
            ::book::Error::Scale { found, wanted } => anyhow::anyhow!(
                "there are values of scale {found} beside those of {wanted}: use --convert-scales to turn them by their \
                 win rates"
            ),
            error => error.into(),
        });
        Ok(Study::new(graph.with_context(|| name(path))?, self.choices()))
    }

    /// An error where something is said that books of xiangqi have no use for.
    pub fn refuse(&self) -> Result<()> {
        if self.opening_rule.is_some() || self.fifths.is_some() || self.convert_scales {
            bail!(
                "this is a book of xiangqi, where no value follows from others: leave out --opening-rule, --fifths and --convert-scales"
            );
        }
        Ok(())
    }

    /// What a command line that repeats these options says.
    pub fn said(&self) -> String {
        let rule = self.opening_rule.as_ref().map(|rule| format!(" --opening-rule {}", rule.name));
        let fifths = self.fifths.map(|fifths| format!(" --fifths {fifths}"));
        rule.into_iter().chain(fifths).collect()
    }
}

/// The journal beside a book that is to be written; `None` if the book, of this content hash, has all that it holds,
/// because a run ended just when it was done.
pub fn journal(target: &Path, content: &str) -> Result<Option<Journal>> {
    let journal = Journal::open(&beside(target))?;
    if journal.is_done(content) {
        journal.remove()?;
        return Ok(None);
    }
    Ok(Some(journal))
}

/// Where a book that learns is read and written.
pub struct Place<'a> {
    pub book: &'a Path,
    pub input: Input,
    pub target: &'a Target,
    pub path: PathBuf,
}

/// Writes the book with what it has learned in its place, and removes the journal.
pub fn save(
    place: Place<'_>,
    mut journal: Journal,
    write: impl FnOnce(&Book<&[u8]>, &mut dyn Write) -> Result<Written, Error>,
) -> Result<()> {
    let Place { book, input, target, path } = place;
    let opened = open(&input, book)?;
    let (output, written) = {
        let _bar = Bar::watch(input.len() as u64);
        draft(&path, target.replaces(), |out| write(&opened, out))?
    };
    if target.is_in_place() {
        refuse_changed(book, &input)?;
    }
    // Windows replaces no file that is mapped.
    drop(input);
    journal.finish(&hash(written.content))?;
    output.commit()?;
    journal.remove()?;
    // As the user named it, not where a link leads.
    say(if target.is_in_place() { book } else { &path }, &written)
}

/// Whether all positions of a book are of xiangqi, which are valued by themselves.
pub fn is_of_xiangqi(book: &Book<&[u8]>) -> Result<bool> {
    let boards = book.boards()?;
    Ok(!boards.is_empty() && boards.iter().all(|(rules, _)| *rules == Rules::Xiangqi))
}

/// What became of answers, in lines.
pub fn tell(absorbed: Absorbed) -> String {
    let Absorbed { added, learned, known, strange, loose, wrong } = absorbed;
    let mut text = format!("  new: {}\n  learned of: {}", count(added, "position"), count(learned, "position"));
    for (number, what) in [
        (known, "nothing new in"),
        (strange, "of positions that the book does not lead to"),
        (loose, "left out, as other answers are missing"),
        (wrong, "left out, as they cannot be right"),
    ] {
        if number > 0 {
            text += &format!("\n  {what}: {}", count(number, "answer"));
        }
    }
    text
}

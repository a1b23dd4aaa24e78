use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::progress::Bar;
use super::super::terminal::{JSON, count, harmless, thousands};
use super::{each_position, hash, open};
use ::book::{Book, Games};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Say what books hold and where they come from
#[derive(Args)]
#[command(after_help = "Example:
  kifu book info games.agb")]
pub struct Info {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// Count the values, too, which reads the books from end to end
    #[arg(long)]
    values: bool,
    /// Print a JSON object a book
    #[arg(long)]
    json: bool,
}

impl Info {
    /// Prints a block or a line a book.
    pub fn run(self) -> Result<Exit> {
        Files::list(&self.books, false, Wanted::Anything, None)?.each(|path| self.book(path))
    }

    fn book(&self, path: &Path) -> Result<Exit> {
        let input = Input::open(path)?;
        let book = open(&input, path)?;
        let boards = book.boards().with_context(|| name(path))?;
        let provenance = book.provenance().with_context(|| name(path))?;
        let origin: Vec<(&str, &str)> = provenance.lines().filter_map(|line| line.split_once('\t')).collect();
        let games = book.games().with_context(|| name(path))?;
        let values = if self.values { Some(Values::of(&book, path, &input)?) } else { None };
        let mut out = anstream::stdout().lock();
        if self.json {
            let rules: Vec<_> = boards
                .iter()
                .map(|(rule, size)| json!({"rule": rule.name(), "size": [size.width(), size.height()]}))
                .collect();
            let mut row = json!({
                "kifu": JSON, "file": path.display().to_string(), "format": "agi-book", "version": 1,
                "positions": book.positions(), "rules": rules, "symmetric": book.is_symmetric(), "bytes": input.len(),
                "content_hash": hash(book.content_hash()), "provenance": origin,
                "referred_games": games.as_ref().map_or(0, Games::count), "game_refs": games.as_ref().map_or(0, Games::refs),
            });
            for (what, number) in values.iter().flat_map(Values::named) {
                row[what] = number.into();
            }
            writeln!(out, "{row}")?;
            return Ok(Exit::Done);
        }
        let boards: Vec<String> = boards.iter().map(|(rule, size)| format!("{rule} {size}")).collect();
        let each = input.len() as f64 / book.positions().max(1) as f64;
        let mut text = format!("{}: book of positions, version 1\n", name(path));
        text += &format!("  positions  {}, {each:.1} bytes each\n", thousands(book.positions()));
        text += &format!("  boards     {}\n", boards.join(", "));
        text += &format!("  mirrored   {}\n", if book.is_symmetric() { "one position" } else { "apart" });
        if let Some(games) = games {
            let (count, refs) = (count(games.count(), "game"), games.refs());
            text += &format!("  references {count}, at most {refs} a position\n");
        }
        for (what, number) in values.iter().flat_map(Values::named) {
            text += &format!("  {what:<10} at {}\n", thousands(number));
        }
        text += &format!("  content    {}\n", hash(book.content_hash()));
        for (what, told) in origin {
            text += &format!("  from       {what}: {told}\n");
        }
        write!(out, "{}", harmless(&text))?;
        Ok(Exit::Done)
    }
}

/// How many positions have a value, by where it is from.
#[derive(Default)]
struct Values {
    /// Of their own, as others said it.
    values: u64,
    /// Of the best move that the book does not follow, or that move alone.
    rests: u64,
    backed: u64,
    /// Of those of the best moves and those backed up.
    proven: u64,
}

impl Values {
    fn of(book: &Book<&[u8]>, path: &Path, input: &Input) -> Result<Values> {
        let _bar = Bar::watch(input.len() as u64);
        let mut values = Values::default();
        each_position(book, path, |_, entry| {
            values.values += u64::from(entry.judgement.is_some());
            values.rests += u64::from(entry.rest.is_some());
            values.backed += u64::from(entry.backed.is_some());
            let is_proven = entry.rest.is_some_and(|rest| rest.proven);
            values.proven += u64::from(is_proven || entry.backed.is_some_and(|backed| backed.proven));
            Ok(())
        })?;
        Ok(values)
    }

    fn named(&self) -> [(&'static str, u64); 4] {
        [("values", self.values), ("rests", self.rests), ("backed", self.backed), ("proven", self.proven)]
    }
}

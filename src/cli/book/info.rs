use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::terminal::{JSON, count, harmless, thousands};
use super::{hash, open};
use ::book::Games;
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
        let mut out = anstream::stdout().lock();
        if self.json {
            let rules: Vec<_> = boards
                .iter()
                .map(|(rule, size)| json!({"rule": rule.name(), "size": [size.width(), size.height()]}))
                .collect();
            let row = json!({
                "kifu": JSON, "file": path.display().to_string(), "format": "agi-book", "version": 1,
                "positions": book.positions(), "rules": rules, "symmetric": book.is_symmetric(), "bytes": input.len(),
                "content_hash": hash(book.content_hash()), "provenance": origin,
                "referred_games": games.as_ref().map_or(0, Games::count), "game_refs": games.as_ref().map_or(0, Games::refs),
            });
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
        text += &format!("  content    {}\n", hash(book.content_hash()));
        for (what, told) in origin {
            text += &format!("  from       {what}: {told}\n");
        }
        write!(out, "{}", harmless(&text))?;
        Ok(Exit::Done)
    }
}

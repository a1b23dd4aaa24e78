use super::super::Exit;
use super::super::input::Input;
use super::super::output::refuse_existing;
use super::super::terminal::count;
use super::change::rewrite;
use super::{open, origins, say};
use ::book::{Filter, Part, prune};
use anyhow::{Result, bail};
use clap::Args;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Make a book smaller: keep the positions that fit, and all that lead to them
#[derive(Args)]
#[command(
    after_help = "A position stays if all of --min-games, --min-depth and --value hold for it, or if one that stays
can be reached from it; so no position loses the moves that lead to it. Parts are value, label,
games, moves, comments and texts.

Examples:
  kifu book prune games.agb --min-games 3 -o often.agb
  kifu book prune rapfi.agb --value -100..100 --min-depth 12 -o even.agb
  kifu book prune games.agb --max-ply 12 --drop comments,texts -o opening.agb"
)]
pub struct Prune {
    /// The book
    book: PathBuf,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// Leave out positions of more stones
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_ply: usize,
    /// Keep positions of at least so many games
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_games: u64,
    /// Keep positions with a value of at least this depth
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_depth: Option<i16>,
    /// Keep positions with a value in this window, for the side to move; either end may be missing
    #[arg(long, value_name = "A..B", value_parser = window, allow_hyphen_values = true)]
    value: Option<RangeInclusive<i32>>,
    /// Keep positions that have one of these, whatever their games and values
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    keep: Vec<Part>,
    /// Leave these out of all positions
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    drop: Vec<Part>,
    /// Leave out moves that lead to no position of the new book even where games played them
    #[arg(long)]
    drop_loose_moves: bool,
}

/// Two values with `..` between them, or one of them.
fn window(text: &str) -> Result<RangeInclusive<i32>, String> {
    let number = |text: &str, open| if text.is_empty() { Ok(open) } else { text.trim().parse() };
    let ends = text.split_once("..").and_then(|(low, high)| {
        let high = high.strip_prefix('=').unwrap_or(high);
        Some((number(low, i32::MIN).ok()?, number(high, i32::MAX).ok()?))
    });
    let ends = ends.filter(|(low, high)| low <= high);
    ends.map(|(low, high)| low..=high).ok_or_else(|| format!("`{text}` is no window of values: write -100..100"))
}

impl Prune {
    /// Reads the book and writes what is left of it.
    pub fn run(self) -> Result<Exit> {
        let filter = Filter {
            max_stones: self.max_ply,
            min_games: self.min_games,
            min_depth: self.min_depth,
            value: self.value.clone(),
            keep: self.keep.clone(),
        };
        let narrows = Filter { keep: Vec::new(), ..filter.clone() } != Filter::default();
        if !narrows && self.drop.is_empty() && !self.drop_loose_moves {
            bail!("nothing says what goes: use --min-games, --max-ply, --value, --min-depth or --drop");
        }
        refuse_existing(&self.output, self.force)?;
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let before = book.positions();
        let provenance = origins::after_command(&book, &self.book, &self.said())?;
        let written = rewrite(&self.book, input, &self.output, self.force, 2, |book, work, out| {
            prune(book, &filter, &self.drop, self.drop_loose_moves, work, out, &provenance)
        })?;
        say(&self.output, &written)?;
        writeln!(anstream::stdout().lock(), "  left out: {}", count(before - written.positions, "position"))?;
        Ok(Exit::Done)
    }

    /// The command with its options, to tell where the book comes from.
    fn said(&self) -> String {
        let mut said = "prune".to_owned();
        let mut option = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                said += &format!(" --{name} {value}");
            }
        };
        let parts = |parts: &[Part]| {
            let names: Vec<&str> = parts.iter().map(|part| part.name()).collect();
            (!names.is_empty()).then(|| names.join(","))
        };
        option("max-ply", (self.max_ply < usize::MAX).then(|| self.max_ply.to_string()));
        option("min-games", (self.min_games > 0).then(|| self.min_games.to_string()));
        option("min-depth", self.min_depth.map(|depth| depth.to_string()));
        option("value", self.value.as_ref().map(|values| format!("{}..{}", values.start(), values.end())));
        option("keep", parts(&self.keep));
        option("drop", parts(&self.drop));
        if self.drop_loose_moves {
            said += " --drop-loose-moves";
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_values_may_be_open() {
        assert_eq!(window("-100..100"), Ok(-100..=100));
        assert_eq!(window("..0"), Ok(i32::MIN..=0));
        assert_eq!(window("29500.."), Ok(29500..=i32::MAX));
        for text in ["", "5", "9..1", "a..b"] {
            assert!(window(text).is_err(), "{text}");
        }
    }
}

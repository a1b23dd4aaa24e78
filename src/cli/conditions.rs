use anyhow::{Result, anyhow};
use clap::Args;
use games::gomoku::{Board, Opening};
use games::{Coords, Position, Rule, Size};
use record::{Date, Ending, Filter, Lack, Sought};
use std::ops::RangeInclusive;

/// Which records are wanted; the same for all commands that choose among them.
#[derive(Args)]
pub struct FilterArgs {
    /// Only games whose players are both known to be rated so high
    #[arg(long, value_name = "N")]
    min_rating: Option<u16>,
    /// Only games of this day or later, such as 2003, 2003-05 or 2003-05-01
    #[arg(long, value_name = "DATE")]
    since: Option<Date>,
    /// Only games of this day or earlier, or of this year or month
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
    /// Only games of a player whose name has this in it; several may be named
    #[arg(long = "player", value_parser = name, value_name = "NAME")]
    players: Vec<String>,
    /// Only games in which that player is black, or white; red or black in xiangqi
    #[arg(long, requires = "players", value_parser = side, value_name = "SIDE")]
    side: Option<&'static str>,
    /// Only games that ended so: 1-0 (the first player won), 0-1, draw, void or unknown; several may be named
    #[arg(long = "result", value_parser = ending, value_name = "RESULT")]
    results: Vec<Ending>,
    /// Only games under this rule; several may be named
    #[arg(long = "only-rule", value_name = "RULE")]
    rules: Vec<Rule>,
    /// Only games of so many plies, such as 30, 20..60, 100.. or ..9
    #[arg(long, value_parser = length, value_name = "N|A..B")]
    length: Option<RangeInclusive<usize>>,
    /// Only games that begin with this renju opening, such as D4, Kagetsu or 花月; several may be named
    #[arg(long = "opening", value_parser = opening, value_name = "OPENING")]
    openings: Vec<&'static Opening>,
    /// Only games with this position, in any order of moves, turned and mirrored too: h8i9j10, agi:..., board:...
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
    /// The position neither turned nor mirrored
    #[arg(long, requires = "position")]
    exact: bool,
}

pub fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("a name is empty".into()) } else { Ok(text.trim().into()) }
}

fn side(text: &str) -> Result<&'static str, String> {
    let known = ["black", "white", "red"].into_iter().find(|known| text.eq_ignore_ascii_case(known));
    known.ok_or_else(|| format!("`{text}` is not a side: write black, white, or red in xiangqi"))
}

fn ending(text: &str) -> Result<Ending, String> {
    Ending::from_text(text).ok_or_else(|| format!("`{text}` is not a result: write 1-0, 0-1, draw, void or unknown"))
}

fn length(text: &str) -> Result<RangeInclusive<usize>, String> {
    let wrong = || format!("`{text}` is not a length: write 30, 20..60, 100.. or ..9");
    let number = |text: &str, default| match text.trim() {
        "" => Ok(default),
        text => text.parse().map_err(|_| wrong()),
    };
    let range = match text.split_once("..") {
        Some((least, most)) => number(least, 0)?..=number(most.trim_start_matches('='), usize::MAX)?,
        None => text.trim().parse().map(|only| only..=only).map_err(|_| wrong())?,
    };
    if range.is_empty() || range == (0..=usize::MAX) { Err(wrong()) } else { Ok(range) }
}

fn opening(name: &str) -> Result<&'static Opening, String> {
    let found = Opening::find(name.trim());
    found.ok_or_else(|| format!("`{name}` is not a renju opening: write D1 to D13, I1 to I13, or its name"))
}

impl FilterArgs {
    /// What is asked for; points are in `coords`, on a board of this size where the position does not draw it.
    pub fn filter(&self, coords: Coords, size: Option<Size>) -> Result<Filter> {
        Ok(Filter {
            min_rating: self.min_rating,
            since: self.since,
            until: self.until,
            players: self.players.clone(),
            side: self.side,
            results: self.results.clone(),
            rules: self.rules.clone(),
            plies: self.length.clone(),
            openings: self.openings.clone(),
            position: self.position(coords, size)?,
        })
    }

    /// The position that is asked for.
    pub fn position(&self, coords: Coords, size: Option<Size>) -> Result<Option<Sought>> {
        let Some(text) = &self.position else { return Ok(None) };
        let wrong = |error: String| anyhow!("--position: {error}");
        let position = Position::parse(text, coords, size.unwrap_or_default()).map_err(wrong)?;
        let (board, to_move) = Board::after(&position).map_err(|error| wrong(error.to_string()))?;
        Ok(Some(Sought::new(&board, to_move, self.exact)))
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.options().is_empty()
    }

    /// The options that ask for what is asked, in the order of the help.
    pub fn options(&self) -> Vec<String> {
        let FilterArgs { players, side, results, rules, length, openings, position, .. } = self;
        let mut options = Vec::new();
        let mut add = |option: &str, value: String| options.push(format!("--{option} {value}"));
        self.min_rating.into_iter().for_each(|rating| add("min-rating", rating.to_string()));
        self.since.into_iter().for_each(|date| add("since", date.to_string()));
        self.until.into_iter().for_each(|date| add("until", date.to_string()));
        players.iter().for_each(|player| add("player", format!("{player:?}")));
        side.iter().for_each(|side| add("side", (*side).into()));
        for ending in results {
            let text = match ending {
                Ending::With(outcome) => outcome.text(),
                Ending::Unsaid => "unknown",
            };
            add("result", text.into());
        }
        rules.iter().for_each(|rule| add("only-rule", rule.name().into()));
        if let Some(length) = length {
            let most = if *length.end() == usize::MAX { String::new() } else { length.end().to_string() };
            add("length", format!("{}..{most}", length.start()));
        }
        openings.iter().for_each(|opening| add("opening", opening.code.into()));
        position.iter().for_each(|position| add("position", format!("{position:?}")));
        if self.exact {
            options.push("--exact".into());
        }
        options
    }
}

/// What a record lacks, in words that a number can follow.
pub const fn lacking(lack: Lack) -> &'static str {
    match lack {
        Lack::Rule => "left out, of another rule",
        Lack::Result => "left out, of another result",
        Lack::Date => "left out, of another date or none",
        Lack::Rating => "left out, a rating too low or not known",
        Lack::Player => "left out, of other players",
        Lack::Length => "left out, of another length",
        Lack::Opening => "left out, of another opening",
        Lack::Position => "left out, without the position",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_a_number_or_a_range_open_at_one_end() {
        assert_eq!(length("30"), Ok(30..=30));
        assert_eq!(length("20..60"), Ok(20..=60));
        assert_eq!(length("20..=60"), Ok(20..=60));
        assert_eq!(length("100.."), Ok(100..=usize::MAX));
        assert_eq!(length("..9"), Ok(0..=9));
        for wrong in ["", "..", "a", "9..3", "-1", "1...3"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }
}

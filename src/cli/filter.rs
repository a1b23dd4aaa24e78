use clap::Args;
use games::{Rule, Side};
use record::{Date, Ending, Filter, Lack};

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
    /// Only games in which that player is black, or white
    #[arg(long, requires = "players", value_parser = side, value_name = "SIDE")]
    side: Option<Side>,
    /// Only games that ended so: 1-0 (the first player won), 0-1, draw, void or * (not said); several may be named
    #[arg(long = "result", value_parser = ending, value_name = "RESULT")]
    results: Vec<Ending>,
    /// Only games under this rule; several may be named
    #[arg(long = "only-rule", value_name = "RULE")]
    rules: Vec<Rule>,
}

fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("a name is empty".into()) } else { Ok(text.trim().into()) }
}

fn side(text: &str) -> Result<Side, String> {
    match text {
        "black" => Ok(Side::First),
        "white" => Ok(Side::Second),
        _ => Err(format!("`{text}` is not a side: write black or white")),
    }
}

fn ending(text: &str) -> Result<Ending, String> {
    Ending::from_text(text).ok_or_else(|| format!("`{text}` is not a result: write 1-0, 0-1, draw, void or *"))
}

impl FilterArgs {
    /// What is asked for.
    pub fn filter(&self) -> Filter {
        Filter {
            min_rating: self.min_rating,
            since: self.since,
            until: self.until,
            players: self.players.clone(),
            side: self.side,
            results: self.results.clone(),
            rules: self.rules.clone(),
        }
    }
}

/// The options that ask for what is asked, in the order of the help.
pub fn options(filter: &Filter) -> Vec<String> {
    let mut options = Vec::new();
    let mut add = |option: &str, value: String| options.push(format!("--{option} {value}"));
    filter.min_rating.into_iter().for_each(|rating| add("min-rating", rating.to_string()));
    filter.since.into_iter().for_each(|date| add("since", date.to_string()));
    filter.until.into_iter().for_each(|date| add("until", date.to_string()));
    filter.players.iter().for_each(|player| add("player", format!("{player:?}")));
    filter.side.into_iter().for_each(|side| add("side", if side == Side::First { "black" } else { "white" }.into()));
    for ending in &filter.results {
        let text = match ending {
            Ending::With(outcome) => outcome.text(),
            Ending::Unsaid => "*",
        };
        add("result", text.into());
    }
    filter.rules.iter().for_each(|rule| add("only-rule", rule.name().into()));
    options
}

/// What a record lacks, in words that a number can follow.
pub const fn lacking(lack: Lack) -> &'static str {
    match lack {
        Lack::Rule => "left out, of another rule",
        Lack::Result => "left out, of another result",
        Lack::Date => "left out, of another date or none",
        Lack::Rating => "left out, a rating too low or not known",
        Lack::Player => "left out, of other players",
    }
}

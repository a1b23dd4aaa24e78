//! RIF (`.rif`), the XML database of RenjuNet; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::{Format, Likeness, xml};
use games::{Game, Rule};

const NAME: &str = "rif";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "RenjuNet database (RIF, XML)",
    extensions: &["rif"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// Whether the root is `database` and a table or a game follows.
fn likeness(head: &[u8]) -> Likeness {
    let holds = |tag: &[u8]| head.windows(tag.len()).any(|window| window == tag);
    let tables = [&b"<countries"[..], b"<rules", b"<players", b"<tournaments", b"<game "];
    if xml::first_tag(head) == Some(b"database") && tables.into_iter().any(holds) {
        return Likeness::Magic;
    }
    Likeness::No
}

/// The tags a game has, in their order, and the part of a RIF file they stand in.
mod tag {
    pub const EVENT: &str = "Event";
    pub const SITE: &str = "Site";
    pub const DATE: &str = "Date";
    pub const END_DATE: &str = "EndDate";
    pub const ROUND: &str = "Round";
    pub const BLACK: Player =
        Player { name: "Black", native: "BlackNative", country: "BlackCountry", time: "BlackTime" };
    pub const WHITE: Player =
        Player { name: "White", native: "WhiteNative", country: "WhiteCountry", time: "WhiteTime" };
    pub const RULE_NAME: &str = "RuleName";
    pub const OPENING: &str = "Opening";
    pub const ALT: &str = "Alt";
    pub const SWAP: &str = "Swap";
    pub const PUBLISHER: &str = "Publisher";
    pub const GAME_ID: &str = "GameId";

    /// The tags of one side.
    pub struct Player {
        pub name: &'static str,
        pub native: &'static str,
        pub country: &'static str,
        pub time: &'static str,
    }
}

/// The rule of an element `rule`: category 1 is renju, 2 is gomoku; where there is none, the name may say it.
///
/// Gomoku is played at tournaments with exactly five, unless the name says otherwise.
fn rule_of(category: &str, name: &str) -> Option<Rule> {
    let name = name.to_lowercase();
    let gomoku = || {
        let said = [("freestyle", Rule::Freestyle), ("caro", Rule::Caro)];
        said.iter().find(|(word, _)| name.contains(word)).map_or(Rule::Standard, |(_, rule)| *rule)
    };
    match category {
        "1" => Some(Rule::Renju),
        "2" => Some(gomoku()),
        _ if name.contains("gomoku") => Some(gomoku()),
        _ if name.contains("renju") => Some(Rule::Renju),
        _ => None,
    }
}

/// The name of a rule where nothing gives it another.
fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Renju => "Renju",
        Rule::Standard => "Gomoku",
        Rule::Freestyle => "Gomoku, freestyle",
        Rule::Caro => "Gomoku, caro",
    }
}

/// Whether the text is what `swap` holds: a letter for each decision.
fn is_swaps(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'R' | b'-'))
}

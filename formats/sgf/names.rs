//! The names of properties, as both the reader and the writer know them.

use games::{Rule, Side};
use record::Shape;

/// Names longer than this are no names: a record keeps the name with each of its values.
pub(super) const LONGEST: usize = 32;

/// Properties of the root and the tags they are.
pub(super) const TAGS: [(&str, &str); 19] = [
    ("PB", "Black"),
    ("PW", "White"),
    ("BR", "BlackRank"),
    ("WR", "WhiteRank"),
    ("BT", "BlackTeam"),
    ("WT", "WhiteTeam"),
    ("EV", "Event"),
    ("RO", "Round"),
    ("DT", "Date"),
    ("PC", "Site"),
    ("GN", "Title"),
    ("US", "User"),
    ("SO", "Source"),
    ("AN", "Annotator"),
    ("CP", "Copyright"),
    ("GC", GAME_COMMENT),
    ("TM", "TimeLimit"),
    ("OT", "Overtime"),
    ("ON", "Opening"),
];

/// The one tag of [`TAGS`] that may have many lines.
pub(super) const GAME_COMMENT: &str = "GameComment";

/// The application in AP that is not worth a tag: ours.
pub(super) const OURS: &str = "kifu:";

/// How rules are written by c-gomoku-cli, after the numbers of Gomocup.
pub(super) const RULE_NUMBERS: [(&str, Rule); 4] =
    [("0", Rule::Freestyle), ("1", Rule::Standard), ("4", Rule::Renju), ("8", Rule::Caro)];

/// The rule a value of RU names.
pub(super) fn rule(text: &str) -> Option<Rule> {
    let number = || RULE_NUMBERS.iter().find(|(number, _)| *number == text).map(|(_, rule)| *rule);
    text.parse().ok().or_else(number)
}

/// The sign a property draws.
pub(super) fn shape(name: &str) -> Option<Shape> {
    SHAPES.iter().find(|(known, _)| *known == name).map(|(_, shape)| *shape)
}

pub(super) const SHAPES: [(&str, Shape); 5] = [
    ("TR", Shape::Triangle),
    ("CR", Shape::Circle),
    ("SQ", Shape::Square),
    ("MA", Shape::Cross),
    ("SL", Shape::Selected),
];

/// What a set-up property puts on its points.
pub(super) const SETUP: [(&str, Option<Side>); 3] =
    [("AB", Some(Side::First)), ("AW", Some(Side::Second)), ("AE", None)];

/// The side that makes a move property's move.
pub(super) fn side(name: &str) -> Option<Side> {
    match name {
        "B" => Some(Side::First),
        "W" => Some(Side::Second),
        _ => None,
    }
}

/// Whether the property speaks of the game, when it stands in the root.
pub(super) fn is_head(name: &str) -> bool {
    matches!(name, "FF" | "GM" | "CA" | "AP" | "SZ" | "RU" | "RE" | "KX" | "XO" | "XD" | "XR" | "TE")
        || TAGS.iter().any(|(known, _)| *known == name)
}

/// Whether the property is read as something else than a property, in any node.
pub(super) fn is_read(name: &str) -> bool {
    matches!(name, "B" | "W" | "AB" | "AW" | "AE" | "PL" | "C" | "LB")
        || matches!(name, "KV" | "KT" | "KP" | "XF" | "XS" | "XE" | "FF" | "GM")
        || shape(name).is_some()
}

/// What the numbers in GM mean.
pub(super) fn game(number: &str) -> Option<&'static str> {
    const GAMES: [&str; 18] = [
        "Go",
        "Othello",
        "chess",
        "gomoku",
        "Nine Men's Morris",
        "backgammon",
        "xiangqi (Chinese chess)",
        "shogi",
        "Lines of Action",
        "Ataxx",
        "Hex",
        "Jungle",
        "Neutron",
        "Philosopher's Football",
        "Quadrature",
        "Trax",
        "Tantrix",
        "Amazons",
    ];
    let number: usize = number.parse().ok()?;
    GAMES.get(number.checked_sub(1)?).copied()
}

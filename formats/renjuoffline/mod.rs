//! Games of Renju Offline, a server on which games are played by letter, in XML; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::{Format, Likeness, xml};
use games::{Game, Rule};

const NAME: &str = "renjuoffline";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "Renju Offline games (XML)",
    extensions: &["xml"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// Whether the first element that holds another holds a `game`, in which `moves`, `board` or `id` is an element.
fn likeness(head: &[u8]) -> Likeness {
    let holds = |tag: &[u8]| head.windows(tag.len()).any(|window| window == tag);
    let is_ours = xml::first_tag(head).is_some_and(|root| !matches!(root, b"database" | b"agx"));
    if is_ours && holds(b"<game>") && [&b"<id>"[..], b"<moves>", b"<board>"].iter().any(|tag| holds(tag)) {
        return Likeness::Magic;
    }
    Likeness::No
}

/// The elements of a game that are tags, in the order of the file.
const TAGS: [(&str, &str); 12] = [
    ("id", "GameId"),
    ("black", "Black"),
    ("white", "White"),
    ("proposition", "Proposition"),
    ("proposer", "Proposer"),
    ("rule", RULE_NAME),
    ("time", "Time"),
    ("tpm", "TimePerMove"),
    ("winby", TERMINATION),
    ("time_left_black", "BlackTimeLeft"),
    ("time_left_white", "WhiteTimeLeft"),
    ("tid", "TournamentId"),
];

/// How the game ended.
const TERMINATION: &str = "Termination";

/// A termination that is no win.
const DRAW: &str = "draw";

/// What the server calls the procedure of the opening: `classic` and others.
const RULE_NAME: &str = "RuleName";

/// The tags of the moments, which the file has in seconds since 1970.
const MOMENTS: [(&str, &str); 3] = [("creation_time", "Created"), ("start_time", "Date"), ("end_time", "EndDate")];

/// What a game says of itself when it is over.
const FINISHED: &str = "finished";

/// The tag of a state that is none of [`FINISHED`].
const STATUS: &str = "Status";

/// Days from 1 March of the year 0 to 1970.
const EPOCH: i64 = 719_468;

/// Seconds since 1970 as `2017-03-01 12:30:05`, in Greenwich; `None` outside of the years 1 to 9999.
fn moment_text(seconds: i64) -> Option<String> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years are counted from March, so that the leap day is the last one.
    let days = days.checked_add(EPOCH)?;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = year + era * 400 + i64::from(month >= 10);
    let month = if month < 10 { month + 3 } else { month - 9 };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    (1..=9999).contains(&year).then_some(text)
}

/// The seconds of which this is the [`moment_text`].
fn moment(text: &str) -> Option<i64> {
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let year = year - i64::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + year * 365 + year / 4 - year / 100 + day - EPOCH;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    (moment_text(seconds)? == text).then_some(seconds)
}

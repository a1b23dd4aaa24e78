//! The result of a game as RE spells it.

use record::Outcome;

/// What a value of RE says.
pub(super) struct Spelling<'a> {
    pub outcome: Option<Outcome>,
    /// How the game ended, where it is said.
    pub termination: Option<&'a str>,
    /// Whether FF[4] spells it so.
    pub standard: bool,
}

/// Reads a value of RE.
pub(super) fn parse(text: &str) -> Spelling<'_> {
    let text = text.trim();
    let of = |outcome, standard| Spelling { outcome: Some(outcome), termination: None, standard };
    let winner = match text.as_bytes() {
        [b'B' | b'b', b'+', ..] => Some(Outcome::First),
        [b'W' | b'w', b'+', ..] => Some(Outcome::Second),
        _ => None,
    };
    if let Some(winner) = winner {
        return match &text[2..] {
            "" => of(winner, true),
            how if how.eq_ignore_ascii_case("draw") => of(Outcome::Draw, false),
            how => Spelling { termination: Some(how), ..of(winner, true) },
        };
    }
    match text.to_ascii_lowercase().as_str() {
        "0" | "draw" => of(Outcome::Draw, true),
        "void" => of(Outcome::Void, true),
        "?" | "" => of(Outcome::Unknown, true),
        "jigo" => of(Outcome::Draw, false),
        lower => match Outcome::from_text(lower) {
            Some(outcome) => of(outcome, false),
            None => Spelling { outcome: None, termination: Some(text), standard: false },
        },
    }
}

/// The value of RE without the termination.
pub(super) fn text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::First => "B+",
        Outcome::Second => "W+",
        Outcome::Draw => "0",
        Outcome::Void => "Void",
        Outcome::Unknown => "?",
    }
}

/// Whether the termination can follow the outcome in RE and is read back as it is.
pub(super) fn can_follow(termination: &str, outcome: Option<Outcome>) -> bool {
    matches!(outcome, Some(Outcome::First | Outcome::Second))
        && !termination.is_empty()
        && !termination.eq_ignore_ascii_case("draw")
        && termination.trim() == termination
        && !termination.contains(['\n', '\t'])
}

use crate::{Outcome, Play, Record};

/// How formats say that a game was not played to its end because one side did not come or gave it up beforehand.
const WORDS: [&str; 14] = [
    "f",
    "forfeit",
    "forfeited",
    "walkover",
    "walk-over",
    "walk over",
    "w.o.",
    "w/o",
    "wo",
    "no show",
    "no-show",
    "弃权",
    "棄権",
    "不戦勝",
];

/// Whether a record says that its game was won without being played: it has a winner and no move, or its tag
/// `Termination` says forfeit or walk-over. In a game of some length the latter may be the loss by a forfeit in it.
pub fn is_walkover(record: &Record) -> bool {
    let said = |text: &str| WORDS.iter().any(|word| text.trim().to_lowercase() == *word);
    let won = matches!(record.head.result, Some(Outcome::First | Outcome::Second));
    let is_played = || record.tree.main_line().any(|node| matches!(record.tree.play(node), Play::Move(_)));
    record.head.tag("Termination").is_some_and(said) || won && !is_played()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_without_a_move_or_by_forfeit_is_a_walkover() {
        let mut record = Record::default();
        assert!(!is_walkover(&record));
        record.head.result = Some(Outcome::First);
        assert!(is_walkover(&record));
        record.head.result = Some(Outcome::Draw);
        assert!(!is_walkover(&record));
        for (word, is_one) in [("F", true), (" Walkover", true), ("不戦勝", true), ("resignation", false), ("T", false)]
        {
            record.head.tags = vec![("Termination".into(), word.into())];
            assert_eq!(is_walkover(&record), is_one, "{word}");
        }
    }
}

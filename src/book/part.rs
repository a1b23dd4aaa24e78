use record::{Entry, Label, Ratings, Tally};
use std::str::FromStr;

/// A part of what a book knows of a position.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The value with its depth, bound and source.
    Value,
    /// The label.
    Label,
    /// The games: counts, ratings, years and references, those of moves, too. The moves stay.
    Games,
    /// The moves.
    Moves,
    /// The comments.
    Comments,
    /// The texts on points.
    Texts,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 6] = [Part::Value, Part::Label, Part::Games, Part::Moves, Part::Comments, Part::Texts];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Value => "value",
            Part::Label => "label",
            Part::Games => "games",
            Part::Moves => "moves",
            Part::Comments => "comments",
            Part::Texts => "texts",
        }
    }

    /// Whether an entry has it.
    pub fn is_in(self, entry: &Entry) -> bool {
        match self {
            Part::Value => entry.judgement.is_some() || entry.rest.is_some() || entry.backed.is_some(),
            Part::Label => entry.label != Label::None,
            Part::Games => {
                let played = entry.moves.iter().any(|each| each.tally != Tally::default());
                let Entry { tally, ratings, last_year, games, .. } = entry;
                let no_games = *tally == Tally::default() && *ratings == Ratings::default();
                played || !no_games || last_year.is_some() || !games.is_empty()
            }
            Part::Moves => !entry.moves.is_empty(),
            Part::Comments => !entry.comments.is_empty(),
            Part::Texts => !entry.texts.is_empty(),
        }
    }

    /// Takes it out of an entry.
    pub fn clear(self, entry: &mut Entry) {
        match self {
            Part::Value => {
                entry.judgement = None;
                entry.rest = None;
                entry.backed = None;
            }
            Part::Label => entry.label = Label::None,
            Part::Games => {
                entry.tally = Tally::default();
                entry.ratings = Ratings::default();
                entry.last_year = None;
                entry.games.clear();
                entry.moves.iter_mut().for_each(|each| each.tally = Tally::default());
            }
            Part::Moves => entry.moves.clear(),
            Part::Comments => entry.comments.clear(),
            Part::Texts => entry.texts.clear(),
        }
    }
}

impl FromStr for Part {
    type Err = String;

    /// Reads a name, in the singular or the plural.
    fn from_str(text: &str) -> Result<Part, String> {
        let singular = |name: &str| name.trim_end_matches('s').to_owned();
        Part::ALL.into_iter().find(|part| singular(part.name()) == singular(&text.to_ascii_lowercase())).ok_or_else(
            || format!("`{text}` is no part of an entry: write one of {}", Part::ALL.map(Part::name).join(", ")),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;

    #[test]
    fn a_part_that_is_cleared_is_gone_and_the_others_stay() {
        let mut random = Random(5);
        for _ in 0..500 {
            let size = random.size(15);
            let entry = random.entry(&crate::Frame::new(games::Game::Gomoku, size, true));
            for part in Part::ALL {
                let mut rest = entry.clone();
                part.clear(&mut rest);
                assert!(!part.is_in(&rest));
                assert_eq!(rest == entry, !part.is_in(&entry), "{part:?}");
                for other in Part::ALL.into_iter().filter(|other| *other != part) {
                    // The counts of a move go with it.
                    let shared = (part, other) == (Part::Moves, Part::Games);
                    assert!(shared || other.is_in(&rest) == other.is_in(&entry), "{part:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn parts_are_read_by_their_names() {
        for part in Part::ALL {
            assert_eq!(part.name().parse(), Ok(part));
        }
        assert_eq!("comment".parse(), Ok(Part::Comments));
        assert!("all".parse::<Part>().is_err());
    }
}

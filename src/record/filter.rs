use crate::{Date, Head, Outcome, Play, Record, Sought, Tree, renju_opening};
use games::gomoku::Opening;
use games::{Game, Rule, Side};
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Which records are wanted; what is empty or `None` asks for nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Both players are known to be rated so high at least.
    pub min_rating: Option<u16>,
    /// Played on this day or later, or in this year or month.
    pub since: Option<Date>,
    /// Played on this day or earlier, or in this year or month.
    pub until: Option<Date>,
    /// One of these stands in the name of a player, in capitals or not.
    pub players: Vec<String>,
    /// It is in the name of the player of the side that is [called](Side::name) so in the game.
    pub side: Option<&'static str>,
    /// The game ended in one of these ways.
    pub results: Vec<Ending>,
    /// It was played under one of these rules.
    pub rules: Vec<Rule>,
    /// Its main line has so many plies.
    pub plies: Option<RangeInclusive<usize>>,
    /// Its main line begins with one of these.
    pub openings: Vec<&'static Opening>,
    /// The position is in it, in the main line or in a variation.
    pub position: Option<Sought>,
}

/// How a record says that its game ended, as it is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With this outcome.
    With(Outcome),
    /// The file does not say, or says that it does not know.
    Unsaid,
}

/// What a record lacks of what is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Lack {
    /// A player whose rating is too low or not known.
    Rating,
    /// A date within what was asked for; it may have none.
    Date,
    /// A player of that name.
    Player,
    /// The result.
    Result,
    /// The rule.
    Rule,
    /// The length.
    Length,
    /// The opening.
    Opening,
    /// The position.
    Position,
}

impl Lack {
    /// All of them, in the order in which a record is asked for them.
    pub const ALL: [Lack; 8] =
        [Lack::Rule, Lack::Result, Lack::Date, Lack::Rating, Lack::Player, Lack::Length, Lack::Opening, Lack::Position];
}

impl Filter {
    /// The first thing that a record lacks; `None` if it is wanted. The rule and the result are those that count,
    /// whoever says them.
    ///
    /// What a record does not say it does not have. A date of which a part is not known is within what it may be
    /// within: `1999` is not before `1999-06`.
    pub fn lacks(&self, record: &Record, rule: Option<Rule>, result: Option<Outcome>) -> Option<Lack> {
        let head = &record.head;
        let lacks = |lack| match lack {
            Lack::Rule => !self.rules.is_empty() && !rule.is_some_and(|rule| self.rules.contains(&rule)),
            Lack::Result => !self.results.is_empty() && !self.results.contains(&Ending::of(result)),
            Lack::Date => self.lacks_date(head),
            Lack::Rating => self
                .min_rating
                .is_some_and(|least| ratings(head).iter().any(|rating| rating.is_none_or(|rating| rating < least))),
            Lack::Player => !self.players.is_empty() && !self.has_player(head),
            Lack::Length => {
                self.plies.as_ref().is_some_and(|plies_wanted| !plies_wanted.contains(&plies(&record.tree)))
            }
            Lack::Opening => {
                !self.openings.is_empty() && !renju_opening(record).is_some_and(|is| self.openings.contains(&is))
            }
            Lack::Position => self.position.as_ref().is_some_and(|position| !position.is_in(record)),
        };
        Lack::ALL.into_iter().find(|lack| lacks(*lack))
    }

    fn lacks_date(&self, head: &Head) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return false;
        }
        let Some(date) = head.tag("Date").and_then(Date::find) else { return true };
        self.since.is_some_and(|since| date.compare(since) == Ordering::Less)
            || self.until.is_some_and(|until| date.compare(until) == Ordering::Greater)
    }

    fn has_player(&self, head: &Head) -> bool {
        let named = |side: &Side| {
            let name = head.player(*side).unwrap_or_default().to_lowercase();
            self.players.iter().any(|player| name.contains(&player.to_lowercase()))
        };
        let is_asked = |side: &Side| self.side.is_none_or(|asked| asked == side.name(head.game));
        [Side::First, Side::Second].iter().filter(|side| is_asked(side)).any(named)
    }
}

impl Ending {
    /// The ending of a record with this result.
    pub fn of(result: Option<Outcome>) -> Ending {
        match result {
            None | Some(Outcome::Unknown) => Ending::Unsaid,
            Some(outcome) => Ending::With(outcome),
        }
    }

    /// The ending of a word: `1-0`, `0-1`, `draw` (or `1/2-1/2`), `void`, `unknown` (or `*`).
    pub fn from_text(text: &str) -> Option<Ending> {
        let outcome = match text {
            "draw" => Some(Outcome::Draw),
            "unknown" => Some(Outcome::Unknown),
            _ => Outcome::from_text(text),
        };
        outcome.map(|outcome| Ending::of(Some(outcome)))
    }
}

/// How many moves the main line has, passes among them.
pub fn plies(tree: &Tree) -> usize {
    tree.main_line().filter(|node| matches!(tree.play(*node), Play::Move(_))).count()
}

/// The ratings of the first and the second player, where they are known.
pub fn ratings(head: &Head) -> [Option<u16>; 2] {
    // SGF has a rank, which may be a number.
    let number = |names: [&str; 2]| names.iter().find_map(|name| head.tag(name)?.trim().parse().ok());
    let black = ["BlackElo", "BlackRank"];
    match head.game {
        Game::Gomoku => [number(black), number(["WhiteElo", "WhiteRank"])],
        Game::Xiangqi => [number(["RedElo", "RedRank"]), number(black)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;
    use games::gomoku::Board;
    use games::{Coords, Size, parse_moves};

    fn game(tags: &[(&str, &str)]) -> Record {
        let tags = tags.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Record { head: Head { tags, ..Head::default() }, ..Record::default() }
    }

    fn played(moves: &str) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, played) in parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(played)).unwrap();
        }
        Record { tree: builder.build(), ..Record::default() }
    }

    fn lacks(filter: &Filter, tags: &[(&str, &str)]) -> Option<Lack> {
        filter.lacks(&game(tags), None, None)
    }

    #[test]
    fn a_filter_that_asks_for_nothing_wants_everything() {
        assert_eq!(lacks(&Filter::default(), &[]), None);
    }

    #[test]
    fn both_players_are_rated_high_enough() {
        let filter = Filter { min_rating: Some(2000), ..Filter::default() };
        assert_eq!(lacks(&filter, &[("BlackElo", "2000"), ("WhiteRank", " 2100 ")]), None);
        assert_eq!(lacks(&filter, &[("BlackElo", "2000"), ("WhiteElo", "1999")]), Some(Lack::Rating));
        assert_eq!(lacks(&filter, &[("BlackElo", "2000")]), Some(Lack::Rating));
        assert_eq!(lacks(&filter, &[("BlackElo", "2000"), ("WhiteRank", "9 dan")]), Some(Lack::Rating));
    }

    #[test]
    fn dates_that_may_be_within_are() {
        let filter = Filter { since: "1999-06".parse().ok(), until: "2001".parse().ok(), ..Filter::default() };
        for (date, wanted) in
            [("1999.??.??", true), ("1999-05-31", false), ("2001-12-31", true), ("2002", false), ("?", false)]
        {
            assert_eq!(lacks(&filter, &[("Date", date)]).is_none(), wanted, "{date}");
        }
        assert_eq!(lacks(&filter, &[]), Some(Lack::Date));
    }

    #[test]
    fn players_are_found_by_a_part_of_their_names_in_any_script() {
        let of = |players: &[&str], side| {
            let players = players.iter().map(|name| (*name).into()).collect();
            let filter = Filter { players, side, ..Filter::default() };
            lacks(&filter, &[("Black", "NAKAMURA Shigeru"), ("White", "中村茂 МЕЙДЗИН")]).is_none()
        };
        assert!(of(&["nakamura"], None) && of(&["中村"], None) && of(&["мейдзин"], None));
        assert!(of(&["nobody", "中村"], None) && !of(&["nobody"], None));
        assert!(of(&["nakamura"], Some("black")) && !of(&["nakamura"], Some("white")));
        assert!(of(&["中村"], Some("white")) && !of(&["中村"], Some("black")));
    }

    #[test]
    fn results_and_rules_are_those_that_count() {
        let draw = Filter { results: vec![Ending::from_text("draw").unwrap()], ..Filter::default() };
        assert_eq!(draw.lacks(&game(&[]), None, Some(Outcome::Draw)), None);
        assert_eq!(draw.lacks(&game(&[]), None, Some(Outcome::First)), Some(Lack::Result));
        assert_eq!(draw.lacks(&game(&[]), None, None), Some(Lack::Result));
        let unsaid = Filter { results: vec![Ending::from_text("unknown").unwrap()], ..Filter::default() };
        assert_eq!(unsaid.lacks(&game(&[]), None, None), None);
        assert_eq!(unsaid.lacks(&game(&[]), None, Some(Outcome::Unknown)), None);
        let renju = Filter { rules: vec![Rule::Renju], ..Filter::default() };
        assert_eq!(renju.lacks(&game(&[]), Some(Rule::Renju), None), None);
        assert_eq!(renju.lacks(&game(&[]), Some(Rule::Caro), None), Some(Lack::Rule));
        assert_eq!(renju.lacks(&game(&[]), None, None), Some(Lack::Rule));
    }

    #[test]
    fn lengths_openings_and_positions_are_those_of_the_moves() {
        let lacks = |filter: &Filter, moves: &str| filter.lacks(&played(moves), None, None);
        let short = Filter { plies: Some(2..=4), ..Filter::default() };
        for (moves, wanted) in [("h8", false), ("h8 --", true), ("h8 i9 j10 a1", true), ("h8 i9 j10 a1 a2", false)] {
            assert_eq!(lacks(&short, moves), (!wanted).then_some(Lack::Length), "{moves}");
        }
        let openings = vec![Opening::find("D4").unwrap(), Opening::find("I1").unwrap()];
        let filter = Filter { openings, ..Filter::default() };
        for (moves, wanted) in [
            ("h8 h9 i9 a1", true),
            ("h8 g8 g7", true),
            ("h8 i9 j10", true),
            ("h8 h9", false),
            ("h8 h9 a1 i9", false),
            ("h9 h8 i9", false),
        ] {
            assert_eq!(lacks(&filter, moves), (!wanted).then_some(Lack::Opening), "{moves}");
        }
        let board = Board::with_stones(Size::default(), [(games::Point::new(0, 0).unwrap(), Side::First)]).unwrap();
        let filter = Filter { position: Some(Sought::new(&board, Side::Second, false)), ..Filter::default() };
        assert_eq!(lacks(&filter, "o1 h8"), None);
        assert_eq!(lacks(&filter, "h8 o1"), Some(Lack::Position));
    }
}

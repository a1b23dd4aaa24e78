use crate::{Head, Outcome, Play, Record, plies, renju_opening};
use games::gomoku::Opening;
use games::{Game, Rule, Side, Size};
use std::collections::BTreeMap;

/// What a collection of games amounts to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Games: records that say a result, or have no branches.
    pub games: u64,
    /// Other records: trees.
    pub trees: u64,
    /// How many of both are of xiangqi.
    pub xiangqi: u64,
    /// Moves of the main lines of games, and of all of trees.
    pub moves: u64,
    /// How the games ended.
    pub results: Results,
    /// By rule; `None` where nothing says it.
    pub rules: Vec<(Option<Rule>, Results)>,
    /// By board.
    pub sizes: Vec<(Size, Results)>,
    /// By renju opening; `None` where the game has none of them.
    pub openings: Vec<(Option<&'static Opening>, Results)>,
    /// By the year of the date; `None` where it is not known.
    pub years: BTreeMap<Option<u16>, Results>,
    /// How many games have so many plies.
    pub lengths: BTreeMap<usize, u64>,
    /// By name, as it is written: the games with black, and those with white.
    pub players: BTreeMap<String, [Results; 2]>,
}

/// How games ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// Won by the first player.
    pub black: u64,
    /// Without a winner.
    pub draws: u64,
    /// Won by the second player.
    pub white: u64,
    /// Void, or nothing says how.
    pub unknown: u64,
}

/// What a game adds to [`Statistics`]: little, so that it can be counted elsewhere than where the record is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    is_game: bool,
    moves: u64,
    plies: usize,
    result: Option<Outcome>,
    rule: Option<Rule>,
    size: Size,
    opening: Option<&'static Opening>,
    year: Option<u16>,
    players: [Option<String>; 2],
    is_xiangqi: bool,
}

impl Facts {
    /// Those of a record that was played under this rule, whoever says it.
    pub fn of(record: &Record, rule: Option<Rule>) -> Facts {
        let Record { head, tree } = record;
        let has_branches = || tree.nodes().any(|node| tree.next_sibling(node).is_some());
        let is_game = head.result.is_some() || !has_branches();
        let plies = plies(tree);
        let all = || tree.nodes().filter(|node| matches!(tree.play(*node), Play::Move(_))).count();
        Facts {
            is_game,
            moves: if is_game { plies } else { all() } as u64,
            plies,
            result: head.result,
            rule,
            size: head.size,
            opening: renju_opening(record),
            year: head.tag("Date").and_then(crate::Date::find).map(crate::Date::year),
            players: [Side::First, Side::Second].map(|side| player(head, side)),
            is_xiangqi: head.game == Game::Xiangqi,
        }
    }
}

fn player(head: &Head, side: Side) -> Option<String> {
    head.player(side).map(str::trim).filter(|name| !name.is_empty() && *name != "?").map(Into::into)
}

impl Results {
    fn add(&mut self, result: Option<Outcome>) {
        *match result {
            Some(Outcome::First) => &mut self.black,
            Some(Outcome::Draw) => &mut self.draws,
            Some(Outcome::Second) => &mut self.white,
            Some(Outcome::Void | Outcome::Unknown) | None => &mut self.unknown,
        } += 1;
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.black + self.draws + self.white + self.unknown
    }

    /// Wins and half of the draws of a side among the games whose end is known; `None` if there are none.
    pub fn score(&self, side: Side) -> Option<f64> {
        let known = self.black + self.draws + self.white;
        let wins = if side == Side::First { self.black } else { self.white };
        (known > 0).then(|| (wins as f64 + self.draws as f64 / 2.0) / known as f64)
    }
}

impl Statistics {
    /// Adds a record.
    pub fn add(&mut self, facts: Facts) {
        let Facts { is_game, moves, plies, result, rule, size, opening, year, players, is_xiangqi } = facts;
        self.xiangqi += u64::from(is_xiangqi);
        self.moves += moves;
        if !is_game {
            self.trees += 1;
            return;
        }
        self.games += 1;
        self.results.add(result);
        of(&mut self.rules, rule).add(result);
        of(&mut self.sizes, size).add(result);
        of(&mut self.openings, opening).add(result);
        self.years.entry(year).or_default().add(result);
        *self.lengths.entry(plies).or_default() += 1;
        for (at, name) in players.into_iter().enumerate() {
            if let Some(name) = name {
                self.players.entry(name).or_default()[at].add(result);
            }
        }
    }

    /// The number of plies that half of the games have at most; `None` without games.
    pub fn median(&self) -> Option<usize> {
        let mut before = 0;
        let half = self.games.div_ceil(2);
        self.lengths
            .iter()
            .find(|(_, games)| {
                before += **games;
                before >= half && half > 0
            })
            .map(|(plies, _)| *plies)
    }

    /// How many plies a game has on average; `None` without games.
    pub fn mean(&self) -> Option<f64> {
        let all: f64 = self.lengths.iter().map(|(plies, games)| *plies as f64 * *games as f64).sum();
        (self.games > 0).then(|| all / self.games as f64)
    }
}

fn of<K: PartialEq>(rows: &mut Vec<(K, Results)>, key: K) -> &mut Results {
    let at = rows.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        rows.push((key, Results::default()));
        rows.len() - 1
    });
    &mut rows[at].1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;
    use games::{Coords, parse_moves};

    fn game(moves: &str, result: Option<Outcome>, tags: &[(&str, &str)]) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, played) in parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(played)).unwrap();
        }
        let mut record = Record { tree: builder.build(), ..Record::default() };
        record.head.result = result;
        record.head.tags = tags.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        record
    }

    #[test]
    fn games_are_counted_by_opening_length_player_and_year() {
        let mut all = Statistics::default();
        for record in [
            game("h8 h9 i9 a1", Some(Outcome::First), &[("Black", "Ann"), ("White", "Bob"), ("Date", "1999-05-01")]),
            game("h8 g8 g7", Some(Outcome::Draw), &[("Black", "Bob"), ("White", "Ann")]),
            game("h8 i9 j10 a1 --", Some(Outcome::Second), &[("Black", " "), ("White", "?")]),
            game("h8", None, &[]),
        ] {
            all.add(Facts::of(&record, Some(Rule::Renju)));
        }
        assert_eq!((all.games, all.trees, all.moves), (4, 0, 13));
        assert_eq!(all.results, Results { black: 1, draws: 1, white: 1, unknown: 1 });
        let by: Vec<_> = all.openings.iter().map(|(is, results)| (is.map(|is| is.code), results.games())).collect();
        assert_eq!(by, [(Some("D4"), 2), (Some("I1"), 1), (None, 1)]);
        assert_eq!(all.openings[0].1.score(Side::First), Some(0.75));
        assert_eq!((all.median(), all.mean()), (Some(3), Some(3.25)));
        assert_eq!(all.players.keys().collect::<Vec<_>>(), ["Ann", "Bob"]);
        assert_eq!(
            all.players["Ann"].map(|results| (results.black, results.draws, results.white)),
            [(1, 0, 0), (0, 1, 0)]
        );
        assert_eq!(all.years.keys().copied().collect::<Vec<_>>(), [None, Some(1999)]);
    }

    #[test]
    fn a_tree_without_a_result_is_no_game() {
        let mut builder = TreeBuilder::new();
        for depth in [1, 2, 2] {
            builder.append(depth, Side::of_ply(depth), Play::Move(games::Move::Pass)).unwrap();
        }
        let mut record = Record { tree: builder.build(), ..Record::default() };
        let mut all = Statistics::default();
        all.add(Facts::of(&record, None));
        assert_eq!((all.games, all.trees, all.moves, all.median(), all.mean()), (0, 1, 3, None, None));
        record.head.result = Some(Outcome::Unknown);
        all.add(Facts::of(&record, None));
        assert_eq!((all.games, all.trees, all.moves, all.median()), (1, 1, 5, Some(2)));
    }
}

use crate::{Head, NodeId, Note, Play, Record, Tree};
use games::gomoku::symmetries;
use games::{Game, Move, Rule, Side, Symmetry};
use xxhash_rust::xxh3::xxh3_128;

/// A number that two records share when their main lines are the same game: the same set-up and moves on the same
/// board under the same rule, whatever else they say. If `symmetric`, also when one is the other turned or mirrored.
///
/// A rule that nothing says is one of its own. Other games share the number by a chance of 1 in 2¹²⁸.
pub fn same_game(record: &Record, rule: impl Into<Option<Rule>>, symmetric: bool) -> u128 {
    least_image(record, rule.into(), symmetric, put_line)
}

/// As [`same_game`], but of a record with branches all of them count; of one without it is the same number.
pub fn same_moves(record: &Record, rule: impl Into<Option<Rule>>, symmetric: bool) -> u128 {
    least_image(record, rule.into(), symmetric, put_tree)
}

/// The numbers of all beginnings of a game, by its main line, from the set-up or the first move on; the last is the whole.
///
/// Two beginnings share a number when they are the same, as games do that share a [`same_game`]; it is not the same
/// number as that.
pub fn beginnings(record: &Record, rule: impl Into<Option<Rule>>, symmetric: bool) -> Vec<u128> {
    let tree = &record.tree;
    let all = images(record, symmetric);
    let mut step = Vec::new();
    put_head(&mut step, record, rule.into());
    let start = xxh3_128(&step);
    let mut states = [start; 8];
    let mut numbers = Vec::new();
    for node in std::iter::once(NodeId::ROOT).chain(tree.main_line()) {
        for (state, symmetry) in states.iter_mut().zip(all) {
            step.clear();
            step.extend(state.to_le_bytes());
            put_step(&mut step, record, node, *symmetry);
            if step.len() > size_of::<u128>() {
                *state = xxh3_128(&step);
            }
        }
        // A node that only says something has added nothing.
        if step.len() > size_of::<u128>() {
            numbers.extend(states[..all.len()].iter().min());
        }
    }
    numbers
}

/// What is one game of five in a row may be two of xiangqi, whose sides have homes.
fn images(record: &Record, symmetric: bool) -> &'static [Symmetry] {
    if symmetric && record.head.game == Game::Gomoku { symmetries(record.head.size) } else { &[Symmetry::Identity] }
}

/// The board and the rule; in xiangqi also the position that the game begins with.
fn put_head(out: &mut Vec<u8>, record: &Record, rule: Option<Rule>) {
    let Head { game, size, .. } = record.head;
    out.extend([rule.map_or(u8::MAX, |rule| rule as u8), size.width(), size.height()]);
    if game == Game::Xiangqi {
        out.extend(game.name().bytes().chain(record.head.fen().unwrap_or_default().bytes()));
    }
}

/// The number of the smallest image that `put` makes.
fn least_image(record: &Record, rule: Option<Rule>, symmetric: bool, put: fn(&mut Vec<u8>, &Record, Symmetry)) -> u128 {
    let mut least: Vec<u8> = Vec::new();
    let mut image = Vec::new();
    for symmetry in images(record, symmetric) {
        image.clear();
        put_head(&mut image, record, rule);
        put(&mut image, record, *symmetry);
        if least.is_empty() || image < least {
            std::mem::swap(&mut least, &mut image);
        }
    }
    xxh3_128(&least)
}

fn put_line(out: &mut Vec<u8>, record: &Record, symmetry: Symmetry) {
    for node in std::iter::once(NodeId::ROOT).chain(record.tree.main_line()) {
        put_step(out, record, node, symmetry);
    }
}

/// Where a node does not follow the one before it, its depth comes first.
fn put_tree(out: &mut Vec<u8>, record: &Record, symmetry: Symmetry) {
    let tree = &record.tree;
    for (depth, node) in tree.walk() {
        if is_branch(tree, node) {
            out.push(32);
            out.extend((depth as u64).to_le_bytes());
        }
        put_step(out, record, node, symmetry);
    }
}

fn is_branch(tree: &Tree, node: NodeId) -> bool {
    tree.parent(node).is_some_and(|parent| parent.index() + 1 != node.index())
}

/// Three bytes for each move, stone of a set-up, and side to move that is set.
fn put_step(out: &mut Vec<u8>, record: &Record, node: NodeId, symmetry: Symmetry) {
    let (tree, size) = (&record.tree, record.head.size);
    let mut stones = Vec::new();
    let mut to_move = None;
    for note in tree.notes(node) {
        match note {
            Note::Stone(point, side) => {
                let side = side.map_or(2, |side| side as u8);
                stones.push((symmetry.apply(point, size).code(), side));
            }
            Note::ToMove(side) => to_move = Some(side),
            // Set-up and the side to move come first in the order of notes.
            _ => break,
        }
    }
    // A point that is set twice is what it was set to last.
    stones.sort_by_key(|(code, _)| *code);
    for (code, side) in &stones {
        put(out, 8 + side, *code);
    }
    if let Some(side) = to_move {
        put(out, 16 + side as u8, 0);
    }
    if let Play::Move(play) = tree.play(node) {
        let side = (tree.side(node) != Side::First) as u8;
        match play {
            Move::Place(point) => put(out, side, symmetry.apply(point, size).code()),
            Move::Pass => put(out, 4 + side, 0),
            Move::Step(step) => put(out, 6 + side, step.pack()),
        }
    }
}

fn put(out: &mut Vec<u8>, kind: u8, code: u16) {
    let [low, high] = code.to_le_bytes();
    out.extend([kind, low, high]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, TreeBuilder, turn};
    use games::{Coords, Point, Size, parse_moves};
    use std::collections::HashSet;

    fn game(moves: &str) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, played) in parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(played)).unwrap();
        }
        Record { tree: builder.build(), ..Record::default() }
    }

    #[test]
    fn a_game_is_the_same_however_it_is_turned_and_whoever_played_it() {
        let here = game("h8 i9 -- j10 k4");
        for symmetry in Symmetry::ALL {
            let mut turned = turn(&here, symmetry).unwrap();
            turned.head.result = Some(Outcome::Draw);
            turned.head.tags.push(("Black".into(), "Ann".into()));
            assert_eq!(same_game(&turned, Rule::Renju, true), same_game(&here, Rule::Renju, true));
            let apart = same_game(&turned, Rule::Renju, false) != same_game(&here, Rule::Renju, false);
            assert_eq!(apart, symmetry != Symmetry::Identity);
        }
    }

    #[test]
    fn another_order_rule_board_or_set_up_is_another_game() {
        let mut all = HashSet::new();
        let games = ["", "--", "h8", "a1", "h8 i9", "h8 i9 j8", "j8 i9 h8", "h8 h9 j8", "h8 i9 --"];
        for moves in games {
            for rule in Rule::ALL {
                assert!(all.insert(same_game(&game(moves), rule, true)), "{moves} {rule}");
            }
        }
        let mut wide = game("h8");
        wide.head.size = Size::square(19).unwrap();
        assert!(all.insert(same_game(&wide, Rule::Renju, true)));
        let point = |x| Point::new(x, 7).unwrap();
        let set_up = |stones: &[(Point, Side)], to_move: Option<Side>| {
            let mut builder = TreeBuilder::new();
            for (point, side) in stones {
                builder.note(Note::Stone(*point, Some(*side))).unwrap();
            }
            to_move.map_or(Ok(()), |side| builder.note(Note::ToMove(side))).unwrap();
            let record = Record { tree: builder.build(), ..Record::default() };
            same_game(&record, Rule::Renju, true)
        };
        let (black, white) = ((point(7), Side::First), (point(8), Side::Second));
        assert!(all.insert(set_up(&[black], None)));
        assert!(all.insert(set_up(&[black], Some(Side::First))));
        assert!(all.insert(set_up(&[black, white], None)));
        assert!(!all.insert(set_up(&[white, black], None)));
    }

    /// Games on a board of three by three, in which many are alike; some with branches.
    fn random(count: u64) -> Vec<Record> {
        let mut state = 7_u64;
        let mut below = |limit: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % limit
        };
        let mut game = || {
            let mut builder = TreeBuilder::new();
            for ply in 1..=below(5) as usize {
                let depth = if below(6) == 0 { 1 } else { ply.min(builder.depth() + 1) };
                let point = Point::new(below(3) as u8, below(3) as u8).unwrap();
                builder.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point))).unwrap();
            }
            let mut record = Record { tree: builder.build(), ..Record::default() };
            record.head.size = Size::square(3).unwrap();
            record
        };
        (0..count).map(|_| game()).collect()
    }

    fn moves(record: &Record, symmetry: Symmetry) -> Vec<Play> {
        let turned = turn(record, symmetry).unwrap();
        turned.tree.main_line().map(|node| turned.tree.play(node)).collect()
    }

    #[test]
    fn beginnings_are_those_that_comparing_moves_finds() {
        let games = random(120);
        for symmetric in [true, false] {
            let all = if symmetric { &Symmetry::ALL[..] } else { &Symmetry::ALL[..1] };
            let mut found = 0;
            for (one, other) in games.iter().flat_map(|one| games.iter().map(move |other| (one, other))) {
                let (short, long) = (moves(one, Symmetry::Identity), beginnings(other, None, symmetric));
                let number = beginnings(one, None, symmetric).last().copied();
                assert_eq!(number.is_some(), !short.is_empty());
                let begins = all.iter().any(|symmetry| moves(other, *symmetry).starts_with(&short));
                if let Some(number) = number {
                    assert_eq!(long.contains(&number), begins);
                    found += u32::from(begins);
                }
            }
            assert!(found > 500);
        }
    }

    #[test]
    fn the_same_moves_are_those_of_all_branches() {
        let mut games = random(160);
        let turned: Vec<Record> = games[..40].iter().map(|game| turn(game, Symmetry::R90).unwrap()).collect();
        games.extend(turned);
        let has_branches = |record: &Record| record.tree.nodes().any(|node| is_branch(&record.tree, node));
        for symmetric in [true, false] {
            let all = if symmetric { &Symmetry::ALL[..] } else { &Symmetry::ALL[..1] };
            let (mut trees, mut lines) = (0, 0);
            for (one, other) in games.iter().flat_map(|one| games.iter().map(move |other| (one, other))) {
                let same = same_moves(one, Rule::Renju, symmetric) == same_moves(other, Rule::Renju, symmetric);
                let equal = all.iter().any(|symmetry| turn(one, *symmetry).unwrap().tree == other.tree);
                assert_eq!(same, equal);
                if !has_branches(one) {
                    assert_eq!(same_moves(one, None, symmetric), same_game(one, None, symmetric));
                    lines += u32::from(same);
                } else {
                    trees += u32::from(same && !std::ptr::eq(one, other));
                }
            }
            assert!(lines > 300 && (trees > 0 || !symmetric), "{trees} {lines}");
        }
    }
}

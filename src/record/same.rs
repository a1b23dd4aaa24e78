use crate::{NodeId, Note, Play, Record};
use games::gomoku::symmetries;
use games::{Move, Rule, Side, Symmetry};
use xxhash_rust::xxh3::xxh3_128;

/// A number that two records share when their main lines are the same game: the same set-up and moves on the same
/// board under the same rule, whatever else they say. If `symmetric`, also when one is the other turned or mirrored.
///
/// Other games share it by a chance of 1 in 2¹²⁸.
pub fn same_game(record: &Record, rule: Rule, symmetric: bool) -> u128 {
    let size = record.head.size;
    let all = if symmetric { symmetries(size) } else { &[Symmetry::Identity] };
    let mut least: Vec<u8> = Vec::new();
    let mut image = Vec::new();
    for symmetry in all {
        image.clear();
        image.extend([rule as u8, size.width(), size.height()]);
        put_line(&mut image, record, *symmetry);
        if least.is_empty() || image < least {
            std::mem::swap(&mut least, &mut image);
        }
    }
    xxh3_128(&least)
}

/// Three bytes for each move, stone of a set-up, and side to move that is set.
fn put_line(out: &mut Vec<u8>, record: &Record, symmetry: Symmetry) {
    let (tree, size) = (&record.tree, record.head.size);
    let mut stones = Vec::new();
    for node in std::iter::once(NodeId::ROOT).chain(tree.main_line()) {
        stones.clear();
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
}

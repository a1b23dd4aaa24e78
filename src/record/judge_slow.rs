//! The play of a record judged in the slowest way: each node by playing out its path from the root.
//!
//! It shares nothing with [`judge`] but the board that tells forbidden points, in its slow form, and exists to check it.

use crate::{Flaw, NodeId, Note, Outcome, Play, Record, TreeBuilder, judge};
use games::gomoku::{Board, Kinds, Three, forbidden_slow};
use games::{Move, Point, Rule, Side, Size};
use std::collections::HashMap;

type Stones = HashMap<(i8, i8), Side>;

fn key(point: Point) -> (i8, i8) {
    (point.x() as i8, point.y() as i8)
}

fn is_five(stones: &Stones, (x, y): (i8, i8), side: Side, rule: Rule) -> bool {
    [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
        let at = |steps: i8| stones.get(&(x + steps * dx, y + steps * dy)).copied();
        let end = |sign: i8| (1..).map(|steps| sign * steps).find(|steps| at(*steps) != Some(side)).unwrap();
        let (before, after) = (end(-1), end(1));
        let row = after - before - 1;
        match rule {
            Rule::Freestyle => row >= 5,
            Rule::Standard => row == 5,
            Rule::Renju => row == 5 || row > 5 && side == Side::Second,
            Rule::Caro => row == 5 && (at(before).is_none() || at(after).is_none()),
        }
    })
}

/// The path to a node, played out.
#[derive(Default)]
struct Played {
    stones: Stones,
    turn: Option<Side>,
    five: Option<Side>,
    moves_after_five: usize,
    /// The node of the last move, and why it is forbidden.
    forbidden: Option<(NodeId, Kinds)>,
    is_broken: bool,
    flaws: Vec<Flaw>,
}

fn play_out(record: &Record, path: &[NodeId], rule: Option<Rule>, three: Three) -> Played {
    let tree = &record.tree;
    let mut played = Played { turn: Some(Side::First), ..Played::default() };
    for node in path {
        played.flaws.clear();
        for note in tree.notes(*node) {
            if let Note::Stone(point, side) = note {
                played.stones.remove(&key(point));
                side.map(|side| played.stones.insert(key(point), side));
                (played.turn, played.five, played.moves_after_five, played.forbidden) = (None, None, 0, None);
            }
        }
        if let Play::Move(m) = tree.play(*node)
            && !played.is_broken
        {
            let side = tree.side(*node);
            if played.turn.is_some_and(|turn| turn != side) {
                played.flaws.push(Flaw::OutOfTurn);
            }
            if played.five.is_some() {
                played.moves_after_five += 1;
                if played.moves_after_five == 1 {
                    played.flaws.push(Flaw::AfterFive);
                }
            }
            played.turn = Some(side.other());
            played.forbidden = None;
            if let Move::Place(point) = m {
                if played.stones.contains_key(&key(point)) {
                    played.flaws.push(Flaw::Occupied);
                    played.is_broken = true;
                } else {
                    let stones =
                        played.stones.iter().map(|((x, y), side)| (Point::new(*x as u8, *y as u8).unwrap(), *side));
                    let board = Board::with_stones(record.head.size, stones).unwrap();
                    played.stones.insert(key(point), side);
                    match rule {
                        Some(rule) if is_five(&played.stones, key(point), side, rule) => {
                            played.five = played.five.or(Some(side));
                        }
                        Some(Rule::Renju) if side == Side::First && played.five.is_none() => {
                            played.forbidden = Some((*node, forbidden_slow::kinds(&board, point, three)));
                        }
                        _ => {}
                    }
                }
            }
        }
        for note in tree.notes(*node) {
            if let Note::ToMove(side) = note {
                played.turn = Some(side);
            }
        }
    }
    played
}

fn judge_slowly(record: &Record, rule: Option<Rule>, three: Three) -> Vec<(NodeId, Flaw)> {
    let tree = &record.tree;
    let path = |node| [&[NodeId::ROOT][..], &tree.path(node)].concat();
    let main: Vec<NodeId> = std::iter::once(NodeId::ROOT).chain(tree.main_line()).collect();
    let mut found = Vec::new();
    for node in tree.nodes() {
        let played = play_out(record, &path(node), rule, three);
        found.extend(played.flaws.iter().map(|flaw| (node, *flaw)));
        let kinds = match played.forbidden {
            Some((_, kinds)) if !kinds.is_empty() && !played.is_broken => kinds,
            _ => Kinds::NONE,
        };
        if let Some((at, _)) = played.forbidden
            && at == node
            && !kinds.is_empty()
        {
            // A move below it whose path from it has neither moves nor set-up.
            let sets_up = |node| tree.notes(node).any(|note| matches!(note, Note::Stone(..)));
            let follows = tree.nodes().filter(|below| matches!(tree.play(*below), Play::Move(_))).any(|below| {
                let path = path(below);
                let from = path.iter().position(|step| *step == node);
                from.is_some_and(|from| {
                    let between = &path[from + 1..];
                    !between.is_empty()
                        && between.iter().all(|step| !sets_up(*step))
                        && between[..between.len() - 1].iter().all(|step| !matches!(tree.play(*step), Play::Move(_)))
                })
            });
            if follows {
                found.push((node, Flaw::Unclaimed(kinds)));
            }
        }
        if main.last() == Some(&node) && !played.is_broken && rule.is_some() {
            use Outcome::*;
            let flaw = match (played.five, record.head.result) {
                (Some(Side::First), Some(Second)) => Some(Flaw::Contradicted(First)),
                (Some(Side::Second), Some(First)) => Some(Flaw::Contradicted(Second)),
                (Some(_), Some(Draw | Void | Unknown)) => Some(Flaw::Unnoticed),
                (None, Some(First | Draw)) if !kinds.is_empty() => Some(Flaw::Unclaimed(kinds)),
                (None, Some(First | Second)) if kinds.is_empty() => Some(Flaw::Undecided),
                _ => None,
            };
            found.extend(flaw.map(|flaw| (node, flaw)));
        }
    }
    found
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A tree on a crowded board: passes, labels, set-up and sides out of turn anywhere, stones on stones.
    fn record(&mut self) -> Record {
        let size = Size::new(6 + self.below(3) as u8, 6 + self.below(3) as u8).unwrap();
        let side = |odd| if odd { Side::First } else { Side::Second };
        let mut builder = TreeBuilder::new();
        let mut free: Vec<Point> = size.points().collect();
        let crowd = self.below(3) * 15;
        free.retain(|point| {
            let stone = match self.below(100) {
                n if n < crowd => Side::First,
                n if n < crowd + 5 => Side::Second,
                _ => return true,
            };
            builder.note(Note::Stone(*point, Some(stone))).unwrap();
            false
        });
        let idle = [0, 0, 10, 40][self.below(4) as usize];
        for _ in 0..self.below(40) {
            let depth = match self.below(5) {
                0 => 1 + self.below(builder.depth() as u64 + 1) as usize,
                _ => builder.depth() + 1,
            };
            // Points near the front of what is left, which seldom come twice.
            let at = depth % 7 * free.len() / 7 + depth / 7;
            let odd = if self.below(30) == 0 { self.below(free.len() as u64) as usize } else { at % free.len() };
            let point = free[odd];
            let play = match self.below(120) {
                n if n < idle => Play::Nothing,
                n if n < idle + 2 => Play::Label(point),
                n if n < idle + 5 => Play::Move(Move::Pass),
                _ => Play::Move(Move::Place(point)),
            };
            builder.append(depth, side((depth % 2 == 1) != (self.below(40) == 0)), play).unwrap();
            if self.below(50) == 0 {
                let stone = [Some(Side::First), Some(Side::Second), None][self.below(3) as usize];
                builder.note(Note::Stone(free[self.below(free.len() as u64) as usize], stone)).unwrap();
            }
            if self.below(50) == 0 {
                builder.note(Note::ToMove(side(self.below(2) == 0))).unwrap();
            }
        }
        let mut record = Record { tree: builder.build(), ..Record::default() };
        record.head.size = size;
        let results = [None, Some(Outcome::First), Some(Outcome::Second), Some(Outcome::Draw), Some(Outcome::Unknown)];
        record.head.result = results[self.below(5) as usize];
        record
    }
}

#[test]
fn both_judges_agree_on_random_trees() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for number in 0..4000 {
        let record = random.record();
        let rules = [
            Some(Rule::Renju),
            Some(Rule::Freestyle),
            Some(Rule::Renju),
            Some(Rule::Standard),
            Some(Rule::Renju),
            Some(Rule::Caro),
            None,
        ];
        let (rule, three) = (rules[number % 7], Three::ALL[number % 2]);
        let mut fast = Vec::new();
        judge(&record, rule, three, &mut |node, flaw| fast.push((node, flaw)));
        assert_eq!(fast, judge_slowly(&record, rule, three), "tree {number}");
        fast.iter().for_each(|(_, flaw)| *counts.entry(flaw.name()).or_default() += 1);
    }
    assert!(counts.len() == 7 && counts.values().all(|count| *count > 20), "the trees are too plain: {counts:?}");
}

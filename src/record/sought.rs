use crate::{NodeId, Note, Play, Record};
use games::gomoku::{Board, Keys, stone_number, symmetries};
use games::{Game, Move, Point, Side, Size, Symmetry};

/// A position that is looked for in records, in whatever order its moves come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sought {
    size: Size,
    stones: usize,
    to_move: Side,
    /// The keys of its images, each once, with the first symmetry that makes it.
    images: Vec<(u128, Symmetry)>,
}

impl Sought {
    /// The stones with this side to move; also turned and mirrored, unless it is to be found exactly as it stands.
    pub fn new(board: &Board, to_move: Side, exact: bool) -> Sought {
        let size = board.size();
        let keys = Keys::of(board);
        let all = if exact { &[Symmetry::Identity] } else { symmetries(size) };
        let mut images: Vec<(u128, Symmetry)> = Vec::with_capacity(all.len());
        for symmetry in all {
            let key = keys.image(*symmetry);
            if images.iter().all(|(known, _)| *known != key) {
                images.push((key, *symmetry));
            }
        }
        Sought { size, stones: board.count(Side::First) + board.count(Side::Second), to_move, images }
    }

    /// Whether a record has the position, in its main line or in a variation.
    pub fn is_in(&self, record: &Record) -> bool {
        let mut is_there = false;
        Seeker::new().seek(self, record, &mut |_, _| is_there = true);
        is_there
    }
}

/// Looks through records for a position; one for many records, so that none of them costs memory.
#[derive(Debug)]
pub struct Seeker {
    /// What stands on each point, by its code.
    cells: Vec<Option<Side>>,
    /// What each change covered, with the depth it was made at.
    covered: Vec<(usize, Point, Option<Side>)>,
    levels: Vec<Level>,
}

/// The position after a node of the path.
#[derive(Copy, Clone, Debug)]
struct Level {
    key: u128,
    stones: usize,
    /// `None` where nothing says it.
    to_move: Option<Side>,
    /// A stone was put on a stone.
    is_broken: bool,
}

impl Seeker {
    /// One that has looked at nothing.
    pub fn new() -> Seeker {
        let points = usize::from(Point::LIMIT) * usize::from(Point::LIMIT);
        Seeker { cells: vec![None; points], covered: Vec::new(), levels: Vec::new() }
    }

    /// Hands each node that makes the position to `found`, in pre-order, with the symmetry that turns the position as
    /// it was asked for into what stands there.
    ///
    /// The side to move counts, where the record tells it. What follows a stone on a stone is not looked at.
    pub fn seek(&mut self, sought: &Sought, record: &Record, found: &mut dyn FnMut(NodeId, Symmetry)) {
        if record.head.size != sought.size || record.head.game != Game::Gomoku {
            return;
        }
        self.cells.fill(None);
        self.covered.clear();
        self.levels.clear();
        let tree = &record.tree;
        let empty = Level {
            key: Keys::new(sought.size).image(Symmetry::Identity),
            stones: 0,
            to_move: Some(Side::First),
            is_broken: false,
        };
        for (depth, node) in tree.walk() {
            while let Some(&(made_at, point, before)) = self.covered.last()
                && made_at >= depth
            {
                self.cells[usize::from(point.code())] = before;
                self.covered.pop();
            }
            self.levels.truncate(depth);
            let mut level = self.levels.last().copied().unwrap_or(empty);
            let mut is_new = depth == 0;
            if !level.is_broken {
                let mut said = None;
                for note in tree.notes(node) {
                    match note {
                        Note::Stone(point, side) => {
                            self.put(depth, point, side, &mut level);
                            level.to_move = None;
                        }
                        Note::ToMove(side) => said = Some(side),
                        // Set-up and the side to move come first in the order of notes.
                        _ => break,
                    }
                    is_new = true;
                }
                if let Play::Move(played) = tree.play(node) {
                    is_new = true;
                    level.to_move = Some(tree.side(node).other());
                    if let Move::Place(point) = played {
                        level.is_broken = self.cells[usize::from(point.code())].is_some();
                        self.put(depth, point, Some(tree.side(node)), &mut level);
                    }
                }
                level.to_move = said.or(level.to_move);
                if is_new
                    && level.stones == sought.stones
                    && !level.is_broken
                    && level.to_move.is_none_or(|side| side == sought.to_move)
                    && let Some((_, symmetry)) = sought.images.iter().find(|(key, _)| *key == level.key)
                {
                    found(node, *symmetry);
                }
            }
            self.levels.push(level);
        }
    }

    fn put(&mut self, depth: usize, point: Point, side: Option<Side>, level: &mut Level) {
        let cell = &mut self.cells[usize::from(point.code())];
        self.covered.push((depth, point, *cell));
        if let Some(before) = *cell {
            level.key ^= stone_number(point, before);
            level.stones -= 1;
        }
        if let Some(side) = side {
            level.key ^= stone_number(point, side);
            level.stones += 1;
        }
        *cell = side;
    }
}

impl Default for Seeker {
    fn default() -> Seeker {
        Seeker::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tree, TreeBuilder, turn};
    use games::{Coords, Position};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The stones and the side to move at a node, by its path alone.
    fn slow_position(tree: &Tree, node: NodeId) -> Option<(BTreeMap<Point, Side>, Option<Side>)> {
        let mut stones = BTreeMap::new();
        let mut to_move = Some(Side::First);
        for step in std::iter::once(NodeId::ROOT).chain(tree.path(node)) {
            let notes: Vec<Note> = tree.notes(step).collect();
            for note in &notes {
                if let Note::Stone(point, side) = note {
                    match side {
                        Some(side) => stones.insert(*point, *side),
                        None => stones.remove(point),
                    };
                    to_move = None;
                }
            }
            if let Play::Move(played) = tree.play(step) {
                to_move = Some(tree.side(step).other());
                if let Move::Place(point) = played
                    && stones.insert(point, tree.side(step)).is_some()
                {
                    return None;
                }
            }
            if let Some(Note::ToMove(side)) = notes.iter().find(|note| matches!(note, Note::ToMove(_))) {
                to_move = Some(*side);
            }
        }
        Some((stones, to_move))
    }

    /// The nodes that make the position, by comparing drawn boards.
    fn slow(board: &Board, to_move: Side, exact: bool, record: &Record) -> Vec<(usize, Symmetry)> {
        let tree = &record.tree;
        let all = if exact { &[Symmetry::Identity] } else { symmetries(board.size()) };
        let changes = |node| {
            let set_up = |note| matches!(note, Note::Stone(..) | Note::ToMove(_));
            node == NodeId::ROOT || matches!(tree.play(node), Play::Move(_)) || tree.notes(node).any(set_up)
        };
        let hit = |node| {
            let (stones, turn) = slow_position(tree, node).filter(|_| changes(node))?;
            let there = Board::with_stones(record.head.size, stones).unwrap();
            let is_turn = turn.is_none_or(|side| side == to_move);
            let symmetry = all.iter().find(|symmetry| is_turn && board.turned(**symmetry) == there)?;
            Some((node.index(), *symmetry))
        };
        tree.nodes().filter_map(hit).collect()
    }

    fn fast(sought: &Sought, record: &Record, seeker: &mut Seeker) -> Vec<(usize, Symmetry)> {
        let mut found = Vec::new();
        seeker.seek(sought, record, &mut |node, symmetry| found.push((node.index(), symmetry)));
        found
    }

    /// Trees on a board of four by four, so small that positions come again: for each node its depth, and what it is.
    fn trees() -> impl Strategy<Value = Record> {
        prop::collection::vec((1..7_usize, 0..4_u8, 0..4_u8, 0..24_u8), 0..60).prop_map(|nodes| {
            let mut builder = TreeBuilder::new();
            for (depth, x, y, kind) in nodes {
                let depth = depth.min(builder.depth() + 1);
                let point = Point::new(x, y).unwrap();
                let play = match kind {
                    0 => Play::Move(Move::Pass),
                    1 => Play::Nothing,
                    2 => Play::Label(point),
                    _ => Play::Move(Move::Place(point)),
                };
                let side = if kind == 3 { Side::of_ply(depth + 1) } else { Side::of_ply(depth) };
                builder.append(depth, side, play).unwrap();
                match kind {
                    1 | 4 => builder.note(Note::Stone(point, Some(Side::of_ply(usize::from(x))))).unwrap(),
                    5 => builder.note(Note::Stone(point, None)).unwrap(),
                    6 => builder.note(Note::ToMove(Side::of_ply(usize::from(y)))).unwrap(),
                    _ => builder.note(Note::Line("text")).unwrap(),
                }
            }
            let mut record = Record { tree: builder.build(), ..Record::default() };
            record.head.size = Size::square(4).unwrap();
            record
        })
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_comparing_boards_finds(
            records in prop::collection::vec(trees(), 1..4), pick in any::<prop::sample::Index>(), exact: bool
        ) {
            let mut seeker = Seeker::new();
            let asked = &records[0].tree;
            let node = NodeId(pick.index(asked.len()) as u32);
            let Some((stones, to_move)) = slow_position(asked, node) else { return Ok(()) };
            let board = Board::with_stones(records[0].head.size, stones).unwrap();
            let to_move = to_move.unwrap_or(Side::First);
            let sought = Sought::new(&board, to_move, exact);
            let mut hits = 0;
            for record in &records {
                let found = fast(&sought, record, &mut seeker);
                prop_assert_eq!(&found, &slow(&board, to_move, exact, record));
                prop_assert_eq!(sought.is_in(record), !found.is_empty());
                hits += found.len();
            }
            prop_assert!(hits > 0);
        }
    }

    fn sought(text: &str, exact: bool) -> Sought {
        let position = Position::parse(text, Coords::A1, Size::default()).unwrap();
        let (board, to_move) = Board::after(&position).unwrap();
        Sought::new(&board, to_move, exact)
    }

    fn game(moves: &str) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, played) in games::parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(played)).unwrap();
        }
        Record { tree: builder.build(), ..Record::default() }
    }

    #[test]
    fn the_orientation_turns_what_was_asked_for_into_what_stands_there() {
        let asked = game("h8 h9 j10 k3 c4");
        let sought = sought("j10 h9 h8 k3 c4", false);
        for symmetry in Symmetry::ALL {
            let turned = turn(&asked, symmetry).unwrap();
            assert_eq!(fast(&sought, &turned, &mut Seeker::new()), [(5, symmetry)]);
        }
    }

    #[test]
    fn another_order_is_found_and_another_side_to_move_or_board_is_not() {
        assert!(sought("h8 i9 j10", false).is_in(&game("j10 i9 h8 a1")));
        assert!(!sought("h8 i9 j10", true).is_in(&game("h8 g9 f10")));
        assert!(!sought("h8 i9 j10", false).is_in(&game("h8 i9")));
        assert!(sought("h8", false).is_in(&game("h8 --")) && sought("h8 --", false).is_in(&game("h8 --")));
        assert!(!sought("h8 --", false).is_in(&game("h8 i9")));
        let mut wide = game("h8");
        wide.head.size = Size::square(16).unwrap();
        assert!(!sought("h8", false).is_in(&wide));
    }
}

use crate::{NodeId, Note, Outcome, Play, Record, Tree};
use games::gomoku::{Board, Kinds, Made, Three, forbidden, made};
use games::{Move, Point, Rule, Side};

/// What is wrong with the play of a record, or worth a note.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A stone on a stone. What follows it is not judged.
    Occupied,
    /// A side moves that is not the one whose turn it is.
    OutOfTurn,
    /// The game goes on after a five; told of the first move after it.
    AfterFive,
    /// The game goes on after a move forbidden to Black, or is not lost by it.
    Unclaimed(Kinds),
    /// The line ends with a five, and the result says that nobody won.
    Unnoticed,
    /// The winner on the board and the winner of the result are not the same.
    Contradicted(Outcome),
    /// Not a fault: somebody won, and there is neither a five nor a forbidden move.
    Undecided,
}

impl Flaw {
    /// A short name in words joined by hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Flaw::Occupied => "occupied-point",
            Flaw::OutOfTurn => "out-of-turn",
            Flaw::AfterFive => "after-five",
            Flaw::Unclaimed(_) => "forbidden-unclaimed",
            Flaw::Unnoticed => "five-unnoticed",
            Flaw::Contradicted(_) => "result-contradicted",
            Flaw::Undecided => "decided-off-the-board",
        }
    }

    /// Whether something is wrong; else it is only worth a note.
    pub const fn is_fault(self) -> bool {
        !matches!(self, Flaw::Undecided)
    }
}

/// What is known of the path to a node.
#[derive(Copy, Clone)]
struct Level {
    /// The side that is to move after the node; `None` where nothing says.
    to_move: Option<Side>,
    /// The side that made five on the path.
    five: Option<Side>,
    /// The game went on after it, which is told once.
    is_told: bool,
    /// Why the last move on the path is forbidden to Black.
    forbidden: Kinds,
    /// The path has a stone on a stone.
    is_broken: bool,
    /// The path is the main line.
    is_main: bool,
}

/// Walks a tree and hands each flaw of the play to `found`, with the node it is about, in pre-order.
///
/// Without a rule neither fives nor forbidden moves are judged. In a variation that ends with a forbidden move
/// nothing is missing: it shows that the move is forbidden. The result is held against the end of the main line.
/// Stones that are set up make a new position, in which nobody has won yet.
pub fn judge(record: &Record, rule: Option<Rule>, three: Three, found: &mut dyn FnMut(NodeId, Flaw)) {
    let tree = &record.tree;
    let mut stones = Covering { board: Board::new(record.head.size), covered: Vec::new() };
    let mut levels: Vec<Level> = Vec::new();
    let root = Level {
        to_move: Some(Side::First),
        five: None,
        is_told: false,
        forbidden: Kinds::NONE,
        is_broken: false,
        is_main: true,
    };
    for (depth, node) in tree.walk() {
        stones.uncover(depth);
        levels.truncate(depth);
        let above = levels.last().copied().unwrap_or(root);
        let is_main = above.is_main && tree.parent(node).is_none_or(|parent| tree.first_child(parent) == Some(node));
        let mut level = Level { is_main, ..above };
        let mut said = None;
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, side) => {
                    stones.set(depth, point, side);
                    level = Level { to_move: None, five: None, is_told: false, forbidden: Kinds::NONE, ..level };
                }
                Note::ToMove(side) => said = Some(side),
                // Set-up and the side to move come first in the order of notes.
                _ => break,
            }
        }
        if let Play::Move(played) = tree.play(node)
            && !above.is_broken
        {
            let side = tree.side(node);
            if level.to_move.is_some_and(|turn| turn != side) {
                found(node, Flaw::OutOfTurn);
            }
            if level.five.is_some() && !level.is_told {
                found(node, Flaw::AfterFive);
                level.is_told = true;
            }
            level.to_move = Some(side.other());
            level.forbidden = Kinds::NONE;
            if let Move::Place(point) = played {
                if stones.board.stone(point).is_some() {
                    found(node, Flaw::Occupied);
                    level.is_broken = true;
                } else {
                    stones.judge(point, side, rule, three, &mut level);
                    stones.set(depth, point, Some(side));
                }
            }
            if !level.forbidden.is_empty() && goes_on(tree, node) {
                found(node, Flaw::Unclaimed(level.forbidden));
            }
        }
        level.to_move = said.or(level.to_move);
        if is_main && tree.is_leaf(node) && !level.is_broken && rule.is_some() {
            judge_result(record, node, &level, found);
        }
        levels.push(level);
    }
}

/// Whether a move follows the node, in the same position: nodes without one may stand between.
fn goes_on(tree: &Tree, node: NodeId) -> bool {
    let sets_up = |node| matches!(tree.notes(node).next(), Some(Note::Stone(..)));
    let mut open: Vec<NodeId> = tree.children(node).collect();
    while let Some(next) = open.pop() {
        match tree.play(next) {
            _ if sets_up(next) => {}
            Play::Move(_) => return true,
            _ => open.extend(tree.children(next)),
        }
    }
    false
}

/// Holds the result against the last node of the main line.
fn judge_result(record: &Record, end: NodeId, level: &Level, found: &mut dyn FnMut(NodeId, Flaw)) {
    let Some(result) = record.head.result else { return };
    let won = |side| if side == Side::First { Outcome::First } else { Outcome::Second };
    let decided = matches!(result, Outcome::First | Outcome::Second);
    match level.five.map(won) {
        Some(winner) if decided && winner != result => found(end, Flaw::Contradicted(winner)),
        Some(_) if !decided => found(end, Flaw::Unnoticed),
        Some(_) => {}
        None if !level.forbidden.is_empty() && matches!(result, Outcome::First | Outcome::Draw) => {
            found(end, Flaw::Unclaimed(level.forbidden));
        }
        None if level.forbidden.is_empty() && decided => found(end, Flaw::Undecided),
        None => {}
    }
}

/// A board that remembers what each depth of a walk has changed.
struct Covering {
    board: Board,
    covered: Vec<(usize, Point, Option<Side>)>,
}

impl Covering {
    fn set(&mut self, depth: usize, point: Point, side: Option<Side>) {
        let before = self.board.undo(point);
        self.covered.push((depth, point, before));
        if let Some(side) = side {
            self.board.play_unchecked(point, side);
        }
    }

    /// Takes back the changes of this depth and deeper.
    fn uncover(&mut self, depth: usize) {
        while let Some(&(made_at, point, before)) = self.covered.last()
            && made_at >= depth
        {
            self.board.undo(point);
            if let Some(side) = before {
                self.board.play_unchecked(point, side);
            }
            self.covered.pop();
        }
    }

    fn judge(&self, point: Point, side: Side, rule: Option<Rule>, three: Three, level: &mut Level) {
        let Some(rule) = rule else { return };
        if made(&self.board, point, side, rule) == Made::Five {
            level.five = level.five.or(Some(side));
        } else if rule == Rule::Renju && side == Side::First && level.five.is_none() {
            level.forbidden = forbidden::kinds(&self.board, point, three);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;
    use games::{Coords, Size, parse_moves};

    fn game(moves: &str, result: Option<Outcome>) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, played) in parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(played)).unwrap();
        }
        let mut record = Record { tree: builder.build(), ..Record::default() };
        record.head.result = result;
        record
    }

    fn flaws(record: &Record, rule: Option<Rule>) -> Vec<(usize, &'static str)> {
        let mut flaws = Vec::new();
        judge(record, rule, Three::Rif, &mut |node, flaw| flaws.push((node.index(), flaw.name())));
        flaws
    }

    const FIVE: &str = "h8 a1 h9 a2 h10 a3 h11 a4 h12";
    /// h8 is Black's third stone of two open threes.
    const DOUBLE_THREE: &str = "h9 a1 h10 a15 i8 o1 j8 o15 h8";

    #[test]
    fn each_flaw_is_found_where_it_is() {
        let renju = Some(Rule::Renju);
        for (moves, result, expected) in [
            (FIVE, None, vec![]),
            (FIVE, Some(Outcome::First), vec![]),
            (FIVE, Some(Outcome::Second), vec![(9, "result-contradicted")]),
            (FIVE, Some(Outcome::Draw), vec![(9, "five-unnoticed")]),
            (&format!("{FIVE} b1"), None, vec![(10, "after-five")]),
            (&format!("{FIVE} b1"), Some(Outcome::Unknown), vec![(10, "after-five"), (10, "five-unnoticed")]),
            ("h8 i9 h8 j10", None, vec![(3, "occupied-point")]),
            (DOUBLE_THREE, None, vec![]),
            (DOUBLE_THREE, Some(Outcome::Second), vec![]),
            (DOUBLE_THREE, Some(Outcome::First), vec![(9, "forbidden-unclaimed")]),
            (&format!("{DOUBLE_THREE} b1"), None, vec![(9, "forbidden-unclaimed")]),
            ("h8 i9", Some(Outcome::First), vec![(2, "decided-off-the-board")]),
            ("", Some(Outcome::Draw), vec![]),
        ] {
            assert_eq!(flaws(&game(moves, result), renju), expected, "{moves}");
        }
        assert_eq!(flaws(&game(&format!("{DOUBLE_THREE} b1"), None), Some(Rule::Freestyle)), []);
        assert_eq!(flaws(&game(&format!("{FIVE} b1"), None), None), []);
    }

    #[test]
    fn sides_take_turns_unless_the_set_up_leaves_it_open() {
        let point = |x| Point::new(x, 0).unwrap();
        let place = |x| Play::Move(Move::Place(point(x)));
        let build = |set_up: bool, turn: Option<Side>| {
            let mut builder = TreeBuilder::new();
            if set_up {
                builder.note(Note::Stone(point(9), Some(Side::First))).unwrap();
            }
            if let Some(side) = turn {
                builder.note(Note::ToMove(side)).unwrap();
            }
            builder.append(1, Side::Second, place(0)).unwrap();
            builder.append(2, Side::First, Play::Move(Move::Pass)).unwrap();
            builder.append(3, Side::First, place(1)).unwrap();
            Record { tree: builder.build(), ..Record::default() }
        };
        assert_eq!(flaws(&build(false, None), None), [(1, "out-of-turn"), (3, "out-of-turn")]);
        assert_eq!(flaws(&build(true, None), None), [(3, "out-of-turn")]);
        assert_eq!(flaws(&build(true, Some(Side::First)), None), [(1, "out-of-turn"), (3, "out-of-turn")]);
        assert_eq!(flaws(&build(false, Some(Side::Second)), None), [(3, "out-of-turn")]);
    }

    #[test]
    fn variations_are_judged_apart_from_each_other() {
        let size = Size::default();
        let mut builder = TreeBuilder::new();
        let moves = parse_moves(FIVE, Coords::A1, size).unwrap();
        for (at, played) in moves.iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(*played)).unwrap();
        }
        // Another ninth move makes no five, and the game goes on.
        let other = |name: &str| Play::Move(Move::Place(Coords::A1.parse(name, size).unwrap()));
        builder.append(9, Side::First, other("c3")).unwrap();
        builder.append(10, Side::Second, other("h12")).unwrap();
        builder.append(11, Side::First, other("h7")).unwrap();
        builder.append(12, Side::Second, other("o9")).unwrap();
        let record = Record { tree: builder.build(), ..Record::default() };
        assert_eq!(flaws(&record, Some(Rule::Renju)), [(13, "after-five")]);
    }
}

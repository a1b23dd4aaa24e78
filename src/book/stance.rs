use games::{Move, Point, Side, Size};
use record::{NodeId, Note, Play, Tree};

/// The stones, the side to move and whether all is well, while a tree is walked in pre-order.
pub(crate) struct Stance {
    cells: Vec<Option<Side>>,
    /// In no order.
    stones: Vec<(Point, Side)>,
    undo: Vec<(usize, Point, Option<Side>)>,
    levels: Vec<Level>,
}

#[derive(Copy, Clone)]
struct Level {
    to_move: Side,
    is_broken: bool,
}

/// What a node made of the position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entered {
    /// A position.
    Position,
    /// None: the stone stands on a stone.
    OnStone,
    /// None: a node above puts a stone on a stone.
    Below,
}

impl Stance {
    pub fn new() -> Stance {
        let cells = vec![None; usize::from(Point::LIMIT) * usize::from(Point::LIMIT)];
        Stance { cells, stones: Vec::new(), undo: Vec::new(), levels: Vec::new() }
    }

    /// Takes back what was done at `depth` and deeper, then does what the node says.
    pub fn enter(&mut self, tree: &Tree, depth: usize, node: NodeId, size: Size) -> Entered {
        while let Some(&(made, point, before)) = self.undo.last()
            && made >= depth
        {
            self.put(point, before);
            self.undo.pop();
        }
        self.levels.truncate(depth);
        let above = self.levels.last().copied().unwrap_or(Level { to_move: Side::First, is_broken: false });
        let mut level = above;
        let mut said = None;
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, side) if size.contains(point) => self.set(depth, point, side),
                Note::ToMove(side) => said = Some(side),
                Note::Stone(..) => {}
                // Set-up and the side to move come first in the order of notes.
                _ => break,
            }
        }
        if let Play::Move(played) = tree.play(node) {
            let side = tree.side(node);
            level.to_move = side.other();
            if let Move::Place(point) = played {
                level.is_broken |= !self.is_free(point, size);
                if !level.is_broken {
                    self.set(depth, point, Some(side));
                }
            }
        }
        level.to_move = said.unwrap_or(level.to_move);
        self.levels.push(level);
        match (above.is_broken, level.is_broken) {
            (true, _) => Entered::Below,
            (false, true) => Entered::OnStone,
            (false, false) => Entered::Position,
        }
    }

    pub fn is_free(&self, point: Point, size: Size) -> bool {
        size.contains(point) && self.cells[usize::from(point.code())].is_none()
    }

    pub fn stones(&self) -> &[(Point, Side)] {
        &self.stones
    }

    /// Who moves at the node entered last.
    pub fn to_move(&self) -> Side {
        self.levels.last().map_or(Side::First, |level| level.to_move)
    }

    fn set(&mut self, depth: usize, point: Point, side: Option<Side>) {
        self.undo.push((depth, point, self.cells[usize::from(point.code())]));
        self.put(point, side);
    }

    fn put(&mut self, point: Point, side: Option<Side>) {
        let cell = &mut self.cells[usize::from(point.code())];
        if cell.is_some() {
            // Stones are mostly taken back in the order in which they came.
            let at = self.stones.iter().rposition(|(other, _)| *other == point);
            self.stones.swap_remove(at.expect("a stone of a cell is listed"));
        }
        *cell = side;
        self.stones.extend(side.map(|side| (point, side)));
    }
}

use crate::{NodeId, Note, Play, Record, Tree};
use games::{Point, Side, Size};

/// The stones on the board while a tree is walked in pre-order.
#[derive(Clone, Debug)]
pub struct Stones {
    size: Size,
    cells: Vec<Option<Side>>,
    /// What each change covered, with the depth it was made at.
    undo: Vec<(usize, Point, Option<Side>)>,
}

impl Stones {
    /// An empty board.
    pub fn new(size: Size) -> Stones {
        Stones { size, cells: vec![None; usize::from(Point::LIMIT) * usize::from(Point::LIMIT)], undo: Vec::new() }
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What stands on the point.
    pub fn get(&self, point: Point) -> Option<Side> {
        self.cells[usize::from(point.code())]
    }

    /// Takes back all changes made at `depth` or deeper, then makes the node's: its set-up and its move.
    ///
    /// A stone on a stone replaces it; the answer is whether that happened.
    pub fn enter(&mut self, tree: &Tree, depth: usize, node: NodeId) -> bool {
        while let Some(&(made, point, before)) = self.undo.last()
            && made >= depth
        {
            self.cells[usize::from(point.code())] = before;
            self.undo.pop();
        }
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, side) => self.set(depth, point, side),
                // Set-up comes first in the order of notes.
                _ => break,
            }
        }
        let Play::Move(games::Move::Place(point)) = tree.play(node) else { return false };
        let occupied = self.get(point).is_some();
        self.set(depth, point, Some(tree.side(node)));
        occupied
    }

    fn set(&mut self, depth: usize, point: Point, side: Option<Side>) {
        let cell = &mut self.cells[usize::from(point.code())];
        self.undo.push((depth, point, *cell));
        *cell = side;
    }
}

/// The nodes whose stone is put on a stone, in pre-order.
///
/// A record keeps such branches as the file has them; whatever plays moves leaves them out.
pub fn occupied(record: &Record) -> impl Iterator<Item = NodeId> + '_ {
    let mut stones = Stones::new(record.head.size);
    record.tree.walk().filter(move |(depth, node)| stones.enter(&record.tree, *depth, *node)).map(|(_, node)| node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;
    use games::{Coords, Move};

    #[test]
    fn a_stone_on_a_stone_is_found_and_its_siblings_are_not() {
        let size = Size::default();
        let mut builder = TreeBuilder::new();
        for (depth, point) in [(1, "h8"), (2, "h9"), (3, "h8"), (3, "j9"), (2, "i9"), (3, "h9"), (4, "i9")] {
            let point = Coords::A1.parse(point, size).unwrap();
            builder.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point))).unwrap();
        }
        let record = Record { tree: builder.build(), ..Record::default() };
        let found: Vec<usize> = occupied(&record).map(NodeId::index).collect();
        assert_eq!(found, [3, 7]);
    }
}

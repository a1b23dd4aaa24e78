use crate::{NodeId, Note, Play, Record};
use games::gomoku::Opening;
use games::{Move, Point, Side};

/// The renju opening that the main line begins with: its first three stones, set up or played. `None` if there are
/// fewer, or they are none of the 26.
pub fn renju_opening(record: &Record) -> Option<&'static Opening> {
    let tree = &record.tree;
    let mut stones: Vec<(Point, Side)> = Vec::with_capacity(3);
    for node in std::iter::once(NodeId::ROOT).chain(tree.main_line()) {
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, Some(side)) => stones.push((point, side)),
                Note::Stone(_, None) => return None,
                // Set-up comes first in the order of notes.
                _ => break,
            }
            if stones.len() > 3 {
                return None;
            }
        }
        if let Play::Move(Move::Place(point)) = tree.play(node)
            && stones.len() < 3
        {
            stones.push((point, tree.side(node)));
        }
        if stones.len() == 3 {
            break;
        }
    }
    Opening::of(&stones, record.head.size).map(|(opening, _)| opening)
}

//! Version 1: points in half bytes, of which nothing tells where they are counted from.

use games::{Move, Point, Size, Step};
use record::{Full, Head, NodeId, Play, Record, Tree, TreeBuilder, Unbound, bind};

/// The point of a byte: the file from the left in the high half, the rank from Red's side in the low one.
pub(super) fn point(byte: u8) -> Option<Point> {
    let rows = Size::XIANGQI.height();
    Point::new(byte >> 4, rows.checked_sub(1 + (byte & 15))?).filter(|point| point.x() < Size::XIANGQI.width())
}

/// How points are counted: files from the right, ranks from Black's side.
type Turn = (bool, bool);

/// The ways, as the only description has it first.
const TURNS: [Turn; 4] = [(false, false), (false, true), (true, false), (true, true)];

/// What the moves say of how points are counted.
pub(super) enum Settled {
    /// One way makes the most moves legal.
    Sure(Tree),
    /// Several do: as the description has it, or the first of them.
    Unsure(Tree),
    /// None makes any of them legal.
    Never,
}

/// Turns the moves so that most of them can be played from the position of the head.
pub(super) fn settle(head: &Head, tree: &Tree) -> Result<Settled, Full> {
    if tree.is_leaf(NodeId::ROOT) {
        return Ok(Settled::Sure(tree.clone()));
    }
    let mut best: Option<(usize, Tree)> = None;
    let mut is_sure = true;
    for turn in TURNS {
        let record = Record { head: head.clone(), tree: turned(tree, turn)? };
        let legal = match bind(&record, None) {
            Ok(played) => played.tree.len() - 1,
            Err(Unbound::Full(full)) => return Err(full),
            Err(Unbound::Fen(_)) => 0,
        };
        let most = best.as_ref().map_or(0, |(most, _)| *most);
        if legal > most {
            (best, is_sure) = (Some((legal, record.tree)), true);
        } else if legal == most {
            is_sure = false;
        }
    }
    Ok(match best {
        None => Settled::Never,
        Some((_, tree)) if is_sure => Settled::Sure(tree),
        Some((_, tree)) => Settled::Unsure(tree),
    })
}

fn turned(tree: &Tree, (is_right, is_black): Turn) -> Result<Tree, Full> {
    let size = Size::XIANGQI;
    let point = |point: Point| {
        let x = if is_right { size.width() - 1 - point.x() } else { point.x() };
        let y = if is_black { size.height() - 1 - point.y() } else { point.y() };
        Point::new(x, y).expect("the board is turned to itself")
    };
    let mut builder = TreeBuilder::new();
    for (depth, node) in tree.walk() {
        if depth > 0 {
            let play = match tree.play(node) {
                Play::Move(Move::Step(step)) => {
                    Play::Move(Move::Step(Step { from: point(step.from), to: point(step.to) }))
                }
                play => play,
            };
            builder.append(depth, tree.side(node), play)?;
        }
        builder.copy_flags(tree, node);
        builder.copy_notes(tree, node)?;
    }
    Ok(builder.build())
}

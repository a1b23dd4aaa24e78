use crate::{Full, Note, Part, Play, Record, TreeBuilder};
use games::{Move, Symmetry};

/// The record as it looks after the symmetry: moves, labels, marks, set-up and offered fifth moves.
///
/// Points named in comments stay as they were written.
pub fn turn(record: &Record, symmetry: Symmetry) -> Result<Record, Full> {
    let size = record.head.size;
    let apply = |point| symmetry.apply(point, size);
    let mut head = record.head.clone();
    head.size = symmetry.turn_size(size);
    head.opening.offered.iter_mut().for_each(|point| *point = apply(*point));
    let tree = &record.tree;
    let mut builder = TreeBuilder::new();
    for (depth, node) in tree.walk() {
        let play = match tree.play(node) {
            Play::Move(Move::Place(point)) => Play::Move(Move::Place(apply(point))),
            Play::Label(point) => Play::Label(apply(point)),
            other => other,
        };
        if depth > 0 {
            builder.append(depth, tree.side(node), play)?;
        }
        builder.copy_flags(tree, node);
        for note in tree.notes(node) {
            builder.note(match note {
                Note::Stone(point, side) => Note::Stone(apply(point), side),
                Note::Label(point, text) => Note::Label(apply(point), text),
                Note::Mark(point, shape) => Note::Mark(apply(point), shape),
                Note::Bytes(Part::Label(point), bytes) => Note::Bytes(Part::Label(apply(point)), bytes),
                other => other,
            })?;
        }
    }
    Ok(Record { head, tree: builder.build() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Coords, Side, Size};

    #[test]
    fn all_points_turn_and_turn_back() {
        let size = Size::new(15, 12).unwrap();
        let point = |text: &str| Coords::A1.parse(text, size).unwrap();
        let mut builder = TreeBuilder::new();
        builder.note(Note::Stone(point("c11"), Some(Side::Second))).unwrap();
        builder.append(1, Side::First, Play::Move(Move::Place(point("d2")))).unwrap();
        builder.note(Note::Label(point("a1"), "x")).unwrap();
        builder.set_found();
        builder.append(2, Side::Second, Play::Label(point("o12"))).unwrap();
        let mut record = Record { tree: builder.build(), ..Record::default() };
        record.head.size = size;
        for symmetry in Symmetry::ALL {
            let turned = turn(&record, symmetry).unwrap();
            assert_eq!(turn(&turned, symmetry.inverse()).unwrap(), record);
            assert_eq!(turned == record, symmetry == Symmetry::Identity);
        }
    }
}

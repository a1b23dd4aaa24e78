use crate::{Full, NodeId, Record, TreeBuilder};

/// The lines of a tree, each from the root to a leaf and with all that is written along it, in their order.
///
/// The result of the record is that of its main line, the first; the others have none. [Merged](crate::Merger) again
/// they give the tree, unless siblings of the same move are in it.
pub fn split(record: &Record) -> impl Iterator<Item = Result<Record, Full>> + '_ {
    let leaves = record.tree.nodes().filter(|node| record.tree.is_leaf(*node));
    leaves.enumerate().map(move |(at, leaf)| {
        let mut line = line_to(record, leaf)?;
        if at > 0 {
            line.head.result = None;
        }
        Ok(line)
    })
}

/// The nodes from the root to this one as a record.
fn line_to(record: &Record, end: NodeId) -> Result<Record, Full> {
    let tree = &record.tree;
    let mut builder = TreeBuilder::new();
    builder.copy_notes(tree, NodeId::ROOT)?;
    for (at, node) in tree.path(end).into_iter().enumerate() {
        builder.append(at + 1, tree.side(node), tree.play(node))?;
        builder.copy_notes(tree, node)?;
    }
    Ok(Record { head: record.head.clone(), tree: builder.build() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Note, Outcome, Play};
    use games::{Move, Side};

    #[test]
    fn each_line_has_what_is_written_along_it_and_the_first_the_result() {
        let mut builder = TreeBuilder::new();
        builder.note(Note::Line("root")).unwrap();
        for (depth, text) in [(1, "a"), (2, "b"), (2, "c"), (3, "d"), (1, "e")] {
            builder.append(depth, Side::of_ply(depth), Play::Move(Move::Pass)).unwrap();
            builder.note(Note::Line(text)).unwrap();
        }
        let mut record = Record { tree: builder.build(), ..Record::default() };
        record.head.result = Some(Outcome::First);
        let lines: Vec<Record> = split(&record).collect::<Result<_, _>>().unwrap();
        let texts = |line: &Record| line.tree.nodes().filter_map(|node| line.tree.line(node)).collect::<String>();
        assert_eq!(lines.iter().map(texts).collect::<Vec<_>>(), ["rootab", "rootacd", "roote"]);
        assert_eq!(lines.iter().map(|line| line.head.result).collect::<Vec<_>>(), [Some(Outcome::First), None, None]);
        let empty: Vec<Record> = split(&Record::default()).collect::<Result<_, _>>().unwrap();
        assert_eq!(empty, [Record::default()]);
    }
}

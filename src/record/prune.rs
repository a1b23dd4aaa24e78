use crate::{Full, NodeId, Record, TreeBuilder};

/// Which part of a tree to keep.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Prune {
    /// Keep only the first child of each node.
    pub main_line: bool,
    /// Keep no node deeper than this.
    pub max_ply: Option<usize>,
}

/// The record without what `prune` leaves out, and how many nodes that is.
pub fn prune(record: &Record, prune: Prune) -> Result<(Record, usize), Full> {
    let tree = &record.tree;
    let mut builder = TreeBuilder::new();
    let mut last_kept = NodeId::ROOT;
    for (depth, node) in tree.walk() {
        let off_line = prune.main_line && depth > 0 && tree.first_child(last_kept) != Some(node);
        if off_line || prune.max_ply.is_some_and(|most| depth > most) {
            continue;
        }
        if depth > 0 {
            builder.append(depth, tree.side(node), tree.play(node))?;
        }
        last_kept = node;
        builder.copy_notes(tree, node)?;
    }
    let kept = builder.tree().len();
    Ok((Record { head: record.head.clone(), tree: builder.build() }, tree.len() - kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Play;
    use games::{Move, Side};

    fn record(depths: &[usize]) -> Record {
        let mut builder = TreeBuilder::new();
        for depth in depths {
            builder.append(*depth, Side::of_ply(*depth), Play::Move(Move::Pass)).unwrap();
        }
        Record { tree: builder.build(), ..Record::default() }
    }

    #[test]
    fn the_main_line_is_every_first_child() {
        let tree = record(&[1, 2, 3, 2, 3, 4, 1, 2]);
        let (line, left) = prune(&tree, Prune { main_line: true, max_ply: None }).unwrap();
        assert_eq!(line, record(&[1, 2, 3]));
        assert_eq!(left, 5);
    }

    #[test]
    fn no_node_is_deeper_than_asked() {
        let (short, left) =
            prune(&record(&[1, 2, 3, 2, 3, 4, 1, 2]), Prune { main_line: false, max_ply: Some(2) }).unwrap();
        assert_eq!(short, record(&[1, 2, 2, 1, 2]));
        assert_eq!(left, 3);
    }
}

use crate::tree::NONE;
use crate::{Full, NodeId, Note, Play, Tree, TreeBuilder};
use games::Side;

/// Builds a tree whose nodes come in any order, each after its parent; siblings keep the order they came in.
///
/// For formats such as PGN, which put the variations of a move before its continuation.
#[derive(Clone, Debug)]
pub struct Sketch {
    builder: TreeBuilder,
    /// By node, the first and the last child so far.
    children: Vec<(u32, u32)>,
}

impl Default for Sketch {
    fn default() -> Self {
        Self::new()
    }
}

impl Sketch {
    /// A tree with a root.
    pub fn new() -> Sketch {
        Sketch { builder: TreeBuilder::new(), children: vec![(NONE, NONE)] }
    }

    /// Adds a node below `parent`, behind its other children. Notes go to the node added last.
    pub fn append(&mut self, parent: NodeId, side: Side, play: Play) -> Result<NodeId, Full> {
        let node = self.builder.push(parent, side, play)?;
        let (first, last) = &mut self.children[parent.index()];
        if *first == NONE {
            *first = node.0;
        } else {
            self.builder.tree.nodes[*last as usize].next = node.0;
        }
        *last = node.0;
        self.children.push((NONE, NONE));
        Ok(node)
    }

    /// The builder of the node added last, for notes and flags.
    pub fn last(&mut self) -> &mut TreeBuilder {
        &mut self.builder
    }

    /// Writes something at the node added last.
    pub fn note(&mut self, note: Note<'_>) -> Result<(), Full> {
        self.builder.note(note)
    }

    /// The node above.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.builder.tree.parent(node)
    }

    /// The nodes so far; of the family only parents are right.
    pub fn tree(&self) -> &Tree {
        &self.builder.tree
    }

    /// The finished tree, in pre-order.
    pub fn build(self) -> Tree {
        let children = self.children;
        let mut tree = self.builder.build();
        let mut nodes = Vec::with_capacity(tree.nodes.len());
        let mut place = vec![0; tree.nodes.len()];
        let mut waiting = vec![0];
        while let Some(old) = waiting.pop() {
            place[old as usize] = nodes.len() as u32;
            let node = tree.nodes[old as usize].clone();
            // The continuation of the parent waits below the subtree of this node.
            if node.next != NONE {
                waiting.push(node.next);
            }
            if children[old as usize].0 != NONE {
                waiting.push(children[old as usize].0);
            }
            nodes.push(node);
        }
        for node in &mut nodes {
            for link in [&mut node.parent, &mut node.next] {
                if *link != NONE {
                    *link = place[*link as usize];
                }
            }
        }
        tree.nodes = nodes;
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Move;

    #[test]
    fn variations_told_before_the_continuation_come_after_it() {
        let play = Play::Move(Move::Pass);
        let mut sketch = Sketch::new();
        let a = sketch.append(NodeId::ROOT, Side::First, play).unwrap();
        sketch.note(Note::Line("a")).unwrap();
        let b = sketch.append(a, Side::Second, play).unwrap();
        let c = sketch.append(a, Side::Second, play).unwrap();
        sketch.note(Note::Line("c")).unwrap();
        sketch.append(b, Side::First, play).unwrap();
        sketch.append(c, Side::First, play).unwrap();
        sketch.append(b, Side::First, play).unwrap();
        let mut straight = TreeBuilder::new();
        for (depth, text) in [(1, "a"), (2, ""), (3, ""), (3, ""), (2, "c"), (3, "")] {
            straight.append(depth, Side::of_ply(depth), play).unwrap();
            if !text.is_empty() {
                straight.note(Note::Line(text)).unwrap();
            }
        }
        assert_eq!(sketch.build(), straight.build());
    }
}

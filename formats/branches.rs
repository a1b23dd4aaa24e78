/// Where the nodes of a tree stand in a file that writes it in pre-order and says of each node whether it has a child
/// and whether a sibling follows it.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    depth: usize,
    /// The depths of the nodes whose siblings are still to come.
    open: Vec<usize>,
    closed: bool,
}

impl Branches {
    /// The depth of the next node; the first one is the root and has depth 0. `None` behind the last one.
    pub fn depth(&self) -> Option<usize> {
        (!self.closed).then_some(self.depth)
    }

    /// How many siblings were announced and have not come.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Goes on from the node at [`Branches::depth`]. The root has no siblings.
    pub fn advance(&mut self, has_child: bool, has_sibling: bool) {
        if has_sibling && self.depth > 0 {
            self.open.push(self.depth);
        }
        if has_child {
            self.depth += 1;
            return;
        }
        match self.open.pop() {
            Some(depth) => self.depth = depth,
            None => self.closed = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sibling_comes_behind_all_below_the_node_before_it() {
        let mut branches = Branches::default();
        let mut depths = Vec::new();
        // The root, a node with a sibling and two children, the last of them alone, and the sibling.
        for (child, sibling) in [(true, false), (true, true), (false, true), (false, false), (false, false)] {
            depths.push(branches.depth().unwrap());
            branches.advance(child, sibling);
        }
        assert_eq!((depths, branches.depth()), (vec![0, 1, 2, 2, 1], None));
    }
}

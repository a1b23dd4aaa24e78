use crate::frame::{Canonical, Frame};
use crate::stones::{compare, toggle};
use games::{Point, Rules, Side};
use std::cmp::Ordering;

/// A position under each symmetry of its board, as sets of stones: each stone is put or taken in all of them, so that
/// a walk along a line pays for the stones that change and not for those that are there.
#[derive(Clone, Debug)]
pub(crate) struct Images {
    words: usize,
    sets: Vec<u64>,
}

impl Images {
    /// The empty board.
    pub fn new(frame: &Frame) -> Images {
        let words = frame.words();
        Images { words, sets: vec![0; words * frame.symmetries.len()] }
    }

    /// Puts a stone of a kind, or takes it if it is there; in gomoku the kind is the number of its side.
    pub fn toggle(&mut self, point: Point, kind: u16, frame: &Frame) {
        for (ranks, set) in frame.ranks.iter().zip(self.sets.chunks_exact_mut(self.words)) {
            toggle(set, frame.stone(ranks[usize::from(point.code())], kind));
        }
    }

    /// The least of the images as a key, and the symmetries that lead to it.
    pub fn least(&self, to_move: Side, rules: Rules, frame: &Frame, form: &mut Canonical) {
        let mut best = &self.sets[..self.words];
        form.symmetries.clear();
        for (symmetry, set) in frame.symmetries.iter().zip(self.sets.chunks_exact(self.words)) {
            match compare(set, best) {
                Ordering::Greater => continue,
                Ordering::Equal => {}
                Ordering::Less => {
                    best = set;
                    form.symmetries.clear();
                }
            }
            form.symmetries.push(*symmetry);
        }
        frame.pack_into(&mut form.key, best, to_move, rules);
    }
}

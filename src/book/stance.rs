use crate::Frame;
use crate::frame::Canonical;
use crate::images::Images;
use games::{Move, Point, Rule, Side};
use record::{NodeId, Note, Play, Tree};
use std::sync::Arc;

/// The stones, the side to move and whether all is well, while a tree is walked in pre-order.
pub(crate) struct Stance {
    frame: Arc<Frame>,
    cells: Vec<Option<Side>>,
    /// How many stones there are.
    stones: usize,
    images: Images,
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
    /// The empty board.
    pub fn new(frame: Arc<Frame>) -> Stance {
        let cells = vec![None; usize::from(Point::LIMIT) * usize::from(Point::LIMIT)];
        let images = Images::new(&frame);
        Stance { frame, cells, stones: 0, images, undo: Vec::new(), levels: Vec::new() }
    }

    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Takes back what was done at `depth` and deeper, then does what the node says.
    pub fn enter(&mut self, tree: &Tree, depth: usize, node: NodeId) -> Entered {
        let size = self.frame.size();
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
                level.is_broken |= !self.is_free(point);
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

    pub fn is_free(&self, point: Point) -> bool {
        self.frame.size().contains(point) && self.cells[usize::from(point.code())].is_none()
    }

    /// How many stones there are.
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// The key of the position and the symmetries that lead to it.
    pub fn form(&self, rule: Rule, form: &mut Canonical) {
        self.images.least(self.to_move(), rule, &self.frame, form);
    }

    /// The key of the position after a stone on a free point.
    pub fn key_after(&mut self, point: Point, mover: Side, rule: Rule) -> Vec<u8> {
        let mut form = Canonical::EMPTY;
        self.images.toggle(point, mover, &self.frame);
        self.images.least(mover.other(), rule, &self.frame, &mut form);
        self.images.toggle(point, mover, &self.frame);
        form.key
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
        if let Some(side) = std::mem::replace(cell, side) {
            self.images.toggle(point, side, &self.frame);
            self.stones -= 1;
        }
        if let Some(side) = side {
            self.images.toggle(point, side, &self.frame);
            self.stones += 1;
        }
    }
}

use crate::Frame;
use crate::frame::Canonical;
use crate::frame::number_of;
use crate::images::Images;
use games::xiangqi::{Board, Remark};
use games::{Game, Move, Point, Rules, Side};
use record::{Head, NodeId, Note, Pieces, Play, Tree};
use std::sync::Arc;

/// The stones or pieces, the side to move and whether all is well, while a tree is walked in pre-order.
pub(crate) struct Stance {
    frame: Arc<Frame>,
    /// The kinds that stand on the points, by [`Point::code`].
    cells: Vec<Option<u16>>,
    /// Who moves where nothing has been entered.
    first: Side,
    /// How many stones there are.
    stones: usize,
    images: Images,
    undo: Vec<(usize, Point, Option<u16>)>,
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
    /// None: the stone stands on a stone, or no piece of the side stands where the step begins.
    OnStone,
    /// None: a node above puts a stone on a stone.
    Below,
}

impl Stance {
    /// The empty board.
    pub fn new(frame: Arc<Frame>) -> Stance {
        let cells = vec![None; usize::from(Point::LIMIT) * usize::from(Point::LIMIT)];
        let images = Images::new(&frame);
        Stance { frame, cells, first: Side::First, stones: 0, images, undo: Vec::new(), levels: Vec::new() }
    }

    /// Goes to where a record begins: the empty board, or the position of its tag FEN in xiangqi.
    ///
    /// # Errors
    /// What cannot be read in that tag.
    pub fn begin(&mut self, head: &Head) -> Result<(), Remark> {
        self.levels.clear();
        match self.frame.game() {
            Game::Gomoku => {
                while let Some((_, point, before)) = self.undo.pop() {
                    self.put(point, before);
                }
            }
            Game::Xiangqi => {
                self.undo.clear();
                let pieces = Pieces::new(head)?;
                let start: &Board = pieces.board();
                self.first = start.to_move();
                for point in self.frame.size().points() {
                    self.put(point, start.piece(point).map(number_of));
                }
            }
        }
        Ok(())
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
        let above = self.levels.last().copied().unwrap_or(Level { to_move: self.first, is_broken: false });
        let mut level = above;
        let mut said = None;
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, side) if size.contains(point) => {
                    self.set(depth, point, side.map(|side| side as u16));
                }
                Note::ToMove(side) => said = Some(side),
                Note::Stone(..) => {}
                // Set-up and the side to move come first in the order of notes.
                _ => break,
            }
        }
        if let Play::Move(played) = tree.play(node) {
            let side = tree.side(node);
            level.to_move = side.other();
            match played {
                Move::Pass => {}
                Move::Place(point) => {
                    level.is_broken |= !self.is_free(point);
                    if !level.is_broken {
                        self.set(depth, point, Some(side as u16));
                    }
                }
                Move::Step(step) => {
                    let moved = self.cells[usize::from(step.from.code())];
                    level.is_broken |= moved.is_none_or(|kind| kind / 7 != side as u16);
                    if !level.is_broken {
                        self.set(depth, step.from, None);
                        self.set(depth, step.to, moved);
                    }
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
    pub fn form(&self, rules: Rules, form: &mut Canonical) {
        self.images.least(self.to_move(), rules, &self.frame, form);
    }

    /// The key of the position after a stone on a free point.
    pub fn key_after(&mut self, point: Point, mover: Side, rules: Rules) -> Vec<u8> {
        let mut form = Canonical::EMPTY;
        self.images.toggle(point, mover as u16, &self.frame);
        self.images.least(mover.other(), rules, &self.frame, &mut form);
        self.images.toggle(point, mover as u16, &self.frame);
        form.key
    }

    /// Who moves at the node entered last.
    pub fn to_move(&self) -> Side {
        self.levels.last().map_or(self.first, |level| level.to_move)
    }

    fn set(&mut self, depth: usize, point: Point, kind: Option<u16>) {
        self.undo.push((depth, point, self.cells[usize::from(point.code())]));
        self.put(point, kind);
    }

    fn put(&mut self, point: Point, kind: Option<u16>) {
        let cell = &mut self.cells[usize::from(point.code())];
        if let Some(kind) = std::mem::replace(cell, kind) {
            self.images.toggle(point, kind, &self.frame);
            self.stones -= 1;
        }
        if let Some(kind) = kind {
            self.images.toggle(point, kind, &self.frame);
            self.stones += 1;
        }
    }
}

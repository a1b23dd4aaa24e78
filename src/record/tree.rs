use crate::note::{Note, Part, Score, Shape, Value};
use crate::text::plain;
use games::{Move, Point, Side, Step};
use std::fmt;

/// A node of a tree. Nodes are numbered in pre-order: a parent before its children, siblings in order.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The position before the first move.
    pub const ROOT: NodeId = NodeId(0);

    /// The place in pre-order; the root is 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node adds to the position of its parent.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Play {
    /// No stone: the root, or a node that holds only notes.
    Nothing,
    /// A stone, a pass, or a step of a piece.
    Move(Move),
    /// No stone, only a board text on this point (RenLib's "no move").
    Label(Point),
}

impl Play {
    /// The point of a stone or a label.
    pub const fn point(self) -> Option<Point> {
        match self {
            Play::Move(Move::Place(point)) | Play::Label(point) => Some(point),
            _ => None,
        }
    }

    /// The point of a stone.
    pub const fn stone(self) -> Option<Point> {
        match self {
            Play::Move(Move::Place(point)) => Some(point),
            _ => None,
        }
    }

    const fn pack(self) -> u16 {
        match self {
            Play::Nothing => 0,
            Play::Move(Move::Pass) => 1,
            Play::Label(point) => 0x4000 | point.code(),
            Play::Move(Move::Place(point)) => 0x8000 | point.code(),
            Play::Move(Move::Step(step)) => STEP | step.pack(),
        }
    }

    const fn unpack(packed: u16) -> Play {
        match packed >> 14 {
            0 if packed == 0 => Play::Nothing,
            0 => Play::Move(Move::Pass),
            1 => Play::Label(Point::from_code(packed)),
            2 => Play::Move(Move::Place(Point::from_code(packed))),
            _ => Play::Move(Move::Step(Step::unpack(packed & !STEP).expect("a step was packed"))),
        }
    }
}

/// The two high bits of a step; its points take the other fourteen.
const STEP: u16 = 0xC000;

/// The tree would outgrow its 32-bit numbers: 4,294,967,294 nodes, or as many bytes of text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record holds at most 4,294,967,294 nodes and as many bytes of text: split the file")
    }
}

impl std::error::Error for Full {}

pub(crate) const NONE: u32 = u32::MAX;
const SECOND: u16 = 1;
const FIND: u16 = 2;
const START: u16 = 4;

/// 16 bytes a node: libraries of ten million nodes are common.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    play: u16,
    flags: u16,
    pub(crate) parent: u32,
    pub(crate) next: u32,
    notes: u32,
}

/// Moves and notes in an arena; built by [`TreeBuilder`], in pre-order, never by recursion.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    notes: Vec<Stored>,
    text: String,
    bytes: Vec<u8>,
}

impl Tree {
    /// How many nodes there are, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing below the root and nothing written at it.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1 && self.notes.is_empty()
    }

    /// All nodes in pre-order, the root first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// What the node adds to its parent's position.
    pub fn play(&self, node: NodeId) -> Play {
        Play::unpack(self.nodes[node.index()].play)
    }

    /// The side that makes the move of this node.
    pub fn side(&self, node: NodeId) -> Side {
        if self.nodes[node.index()].flags & SECOND == 0 { Side::First } else { Side::Second }
    }

    /// Whether the user marked the node in order to find it again (RenLib's mark).
    pub fn is_found(&self, node: NodeId) -> bool {
        self.nodes[node.index()].flags & FIND != 0
    }

    /// Whether the library opens at this node (RenLib's start).
    pub fn is_start(&self, node: NodeId) -> bool {
        self.nodes[node.index()].flags & START != 0
    }

    /// The node above; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes[node.index()].parent;
        (parent != NONE).then_some(NodeId(parent))
    }

    /// The next node with the same parent.
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        let next = self.nodes[node.index()].next;
        (next != NONE).then_some(NodeId(next))
    }

    /// The first node below.
    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        let child = self.nodes.get(node.index() + 1)?;
        (child.parent == node.0).then_some(NodeId(node.0 + 1))
    }

    /// Whether nothing is below.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.first_child(node).is_none()
    }

    /// The nodes directly below, in order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(node), |child| self.next_sibling(*child))
    }

    /// The nodes from the first below the root to this one.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> =
            std::iter::successors(Some(node), |node| self.parent(*node)).take_while(|n| *n != NodeId::ROOT).collect();
        path.reverse();
        path
    }

    /// The first child of the root, its first child, and so on.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(NodeId::ROOT), |node| self.first_child(*node))
    }

    /// All nodes in pre-order with their depth; the root has depth 0.
    pub fn walk(&self) -> Walk<'_> {
        Walk { tree: self, next: 0, depth: 0 }
    }

    /// What is written at the node.
    pub fn notes(&self, node: NodeId) -> Notes<'_> {
        let at = self.nodes[node.index()].notes;
        Notes { tree: self, at: (at != NONE).then_some(at as usize) }
    }

    /// The one-line part of the comment.
    pub fn line(&self, node: NodeId) -> Option<&str> {
        self.notes(node).find_map(|note| if let Note::Line(text) = note { Some(text) } else { None })
    }

    /// The part of the comment that has many lines.
    pub fn body(&self, node: NodeId) -> Option<&str> {
        self.notes(node).find_map(|note| if let Note::Body(text) = note { Some(text) } else { None })
    }

    /// The board text.
    pub fn text(&self, node: NodeId) -> Option<&str> {
        self.notes(node).find_map(|note| if let Note::Text(text) = note { Some(text) } else { None })
    }

    /// The bytes of a text that does not encode back to them.
    pub fn bytes(&self, node: NodeId, part: Part) -> Option<&[u8]> {
        self.notes(node).find_map(|note| match note {
            Note::Bytes(of, bytes) if of == part => Some(bytes),
            _ => None,
        })
    }

    fn load(&self, stored: &Stored) -> Note<'_> {
        let range = stored.start as usize..stored.start as usize + stored.length as usize;
        let text = || &self.text[range.clone()];
        let point = Point::from_code(stored.small);
        match stored.kind {
            Kind::Stone => Note::Stone(
                point,
                match stored.start {
                    0 => None,
                    1 => Some(Side::First),
                    _ => Some(Side::Second),
                },
            ),
            Kind::ToMove => Note::ToMove(if stored.start == 1 { Side::First } else { Side::Second }),
            Kind::Value => Note::Value(Value {
                score: match stored.length {
                    0 => Score::Points(stored.start as i32),
                    1 => Score::FirstWins(stored.start as u16),
                    _ => Score::SecondWins(stored.start as u16),
                },
                depth: (stored.small != u16::MAX).then_some(stored.small),
            }),
            Kind::Time => Note::Time(stored.start),
            Kind::Line => Note::Line(text()),
            Kind::Body => Note::Body(text()),
            Kind::Text => Note::Text(text()),
            Kind::Label => Note::Label(point, text()),
            Kind::Mark => Note::Mark(point, Shape::ALL[stored.start as usize]),
            Kind::Property => {
                let (name, value) = text().split_at(usize::from(stored.small));
                Note::Property(name, value)
            }
            Kind::LineBytes => Note::Bytes(Part::Line, &self.bytes[range]),
            Kind::BodyBytes => Note::Bytes(Part::Body, &self.bytes[range]),
            Kind::TextBytes => Note::Bytes(Part::Text, &self.bytes[range]),
            Kind::LabelBytes => Note::Bytes(Part::Label(point), &self.bytes[range]),
        }
    }
}

impl Default for Tree {
    /// A root and nothing else.
    fn default() -> Tree {
        TreeBuilder::new().build()
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes().all(|node| {
                let (a, b) = (&self.nodes[node.index()], &other.nodes[node.index()]);
                (a.play, a.flags, a.parent, a.next) == (b.play, b.flags, b.parent, b.next)
                    && self.notes(node).eq(other.notes(node))
            })
    }
}

/// The nodes of a tree in pre-order with their depth.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    tree: &'a Tree,
    next: u32,
    depth: usize,
}

impl Iterator for Walk<'_> {
    type Item = (usize, NodeId);

    fn next(&mut self) -> Option<(usize, NodeId)> {
        let node = self.tree.nodes.get(self.next as usize)?;
        if self.next > 0 {
            // Climb from the node before to the parent of this one: one step for each level left for good.
            let mut above = self.next - 1;
            while above != node.parent {
                above = self.tree.nodes[above as usize].parent;
                self.depth -= 1;
            }
            self.depth += 1;
        }
        self.next += 1;
        Some((self.depth, NodeId(self.next - 1)))
    }
}

/// The notes of a node.
#[derive(Clone, Debug)]
pub struct Notes<'a> {
    tree: &'a Tree,
    at: Option<usize>,
}

impl<'a> Iterator for Notes<'a> {
    type Item = Note<'a>;

    fn next(&mut self) -> Option<Note<'a>> {
        let at = self.at?;
        let stored = &self.tree.notes[at];
        self.at = (!stored.last).then_some(at + 1);
        Some(self.tree.load(stored))
    }
}

/// The order of the variants is the order of [`Note`]'s.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
enum Kind {
    Stone,
    ToMove,
    Value,
    Time,
    Line,
    Body,
    Text,
    Label,
    Mark,
    Property,
    LineBytes,
    BodyBytes,
    TextBytes,
    LabelBytes,
}

/// A note in 12 bytes; what the fields mean is [`Tree::load`]'s and [`TreeBuilder::note`]'s.
#[derive(Copy, Clone, Debug)]
struct Stored {
    kind: Kind,
    last: bool,
    small: u16,
    start: u32,
    length: u32,
}

/// Builds a tree node by node in pre-order; notes go to the node added last.
#[derive(Clone, Debug)]
pub struct TreeBuilder {
    pub(crate) tree: Tree,
    /// The nodes from the root to the one added last.
    path: Vec<u32>,
    pending: Vec<Stored>,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TreeBuilder {
    /// A tree with a root.
    pub fn new() -> TreeBuilder {
        let root = Node { play: 0, flags: 0, parent: NONE, next: NONE, notes: NONE };
        let tree = Tree { nodes: vec![root], notes: Vec::new(), text: String::new(), bytes: Vec::new() };
        TreeBuilder { tree, path: vec![0], pending: Vec::new() }
    }

    /// Makes room for so many nodes at once.
    pub fn reserve(&mut self, nodes: usize) {
        self.tree.nodes.reserve_exact(nodes);
    }

    /// The depth of the node added last; the root has depth 0.
    pub fn depth(&self) -> usize {
        self.path.len() - 1
    }

    /// The node added last.
    pub fn last(&self) -> NodeId {
        NodeId((self.tree.nodes.len() - 1) as u32)
    }

    /// The nodes from the root to the one added last.
    pub fn path(&self) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        self.path.iter().map(|node| NodeId(*node))
    }

    /// The tree as far as it is built; the notes of the last node are not in it yet.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Adds a node at `depth`: 1 under the root, at most one more than [`TreeBuilder::depth`].
    ///
    /// # Panics
    /// If the depth is 0 or skips a level.
    pub fn append(&mut self, depth: usize, side: Side, play: Play) -> Result<NodeId, Full> {
        assert!(depth >= 1 && depth <= self.path.len(), "a node hangs below the path of the node before it");
        let parent = self.path[depth - 1];
        let node = self.push(NodeId(parent), side, play)?;
        if let Some(&sibling) = self.path.get(depth) {
            self.tree.nodes[sibling as usize].next = node.0;
            self.path.truncate(depth);
        }
        self.path.push(node.0);
        Ok(node)
    }

    /// Adds a node without a link from its siblings; it is not on the path.
    #[inline]
    pub(crate) fn push(&mut self, parent: NodeId, side: Side, play: Play) -> Result<NodeId, Full> {
        if !self.pending.is_empty() {
            self.flush();
        }
        let id = self.tree.nodes.len();
        if id >= NONE as usize {
            return Err(Full);
        }
        let flags = if side == Side::Second { SECOND } else { 0 };
        self.tree.nodes.push(Node { play: play.pack(), flags, parent: parent.0, next: NONE, notes: NONE });
        Ok(NodeId(id as u32))
    }

    /// Marks the last node to be found again (RenLib's mark).
    pub fn set_found(&mut self) {
        self.set_flag(FIND);
    }

    /// Makes the last node the one the library opens at (RenLib's start).
    pub fn set_start(&mut self) {
        self.set_flag(START);
    }

    fn set_flag(&mut self, flag: u16) {
        let last = self.last();
        self.tree.nodes[last.index()].flags |= flag;
    }

    /// Gives the last node the mark and the start of a node of another tree.
    pub fn copy_flags(&mut self, tree: &Tree, node: NodeId) {
        self.set_flag(tree.nodes[node.index()].flags & (FIND | START));
    }

    /// Writes at the last node what is written at a node of another tree, flags included.
    pub fn copy_notes(&mut self, tree: &Tree, node: NodeId) -> Result<(), Full> {
        self.copy_flags(tree, node);
        tree.notes(node).try_for_each(|note| self.note(note))
    }

    /// Writes something at the last node.
    ///
    /// A text that is not [plain](crate::is_plain) is stored with U+FFFD in place of what is not, and its
    /// UTF-8 beside it; where other bytes are right, clean the text first and add them as a note.
    pub fn note(&mut self, note: Note<'_>) -> Result<(), Full> {
        let store = |kind, small, start, length| Stored { kind, last: false, small, start, length };
        let stored = match note {
            Note::Stone(point, side) => {
                let side = side.map_or(0, |side| if side == Side::First { 1 } else { 2 });
                store(Kind::Stone, point.code(), side, 0)
            }
            Note::ToMove(side) => store(Kind::ToMove, 0, if side == Side::First { 1 } else { 2 }, 0),
            Note::Value(value) => {
                let (start, kind) = match value.score {
                    Score::Points(points) => (points as u32, 0),
                    Score::FirstWins(plies) => (plies.into(), 1),
                    Score::SecondWins(plies) => (plies.into(), 2),
                };
                store(Kind::Value, value.depth.unwrap_or(u16::MAX), start, kind)
            }
            Note::Time(ms) => store(Kind::Time, 0, ms, 0),
            Note::Line(text) => return self.text(Kind::Line, Part::Line, 0, text),
            Note::Body(text) => return self.text(Kind::Body, Part::Body, 0, text),
            Note::Text(text) => return self.text(Kind::Text, Part::Text, 0, text),
            Note::Label(point, text) => return self.text(Kind::Label, Part::Label(point), point.code(), text),
            Note::Mark(point, shape) => {
                let at = Shape::ALL.iter().position(|other| *other == shape).expect("all shapes are listed");
                store(Kind::Mark, point.code(), at as u32, 0)
            }
            Note::Property(name, value) => {
                let (name, value) = (plain(name), plain(value));
                let length = u16::try_from(name.len()).map_err(|_| Full)?;
                let (start, _) = self.push_text(&name)?;
                let (_, value) = self.push_text(&value)?;
                store(Kind::Property, length, start, u32::from(length).checked_add(value).ok_or(Full)?)
            }
            Note::Bytes(part, bytes) => {
                let (kind, small) = match part {
                    Part::Line => (Kind::LineBytes, 0),
                    Part::Body => (Kind::BodyBytes, 0),
                    Part::Text => (Kind::TextBytes, 0),
                    Part::Label(point) => (Kind::LabelBytes, point.code()),
                };
                let start = u32::try_from(self.tree.bytes.len()).map_err(|_| Full)?;
                let length = u32::try_from(bytes.len()).map_err(|_| Full)?;
                start.checked_add(length).ok_or(Full)?;
                self.tree.bytes.extend_from_slice(bytes);
                store(kind, small, start, length)
            }
        };
        self.pending.push(stored);
        Ok(())
    }

    fn text(&mut self, kind: Kind, part: Part, small: u16, text: &str) -> Result<(), Full> {
        let clean = plain(text);
        let (start, length) = self.push_text(&clean)?;
        self.pending.push(Stored { kind, last: false, small, start, length });
        if clean == text { Ok(()) } else { self.note(Note::Bytes(part, text.as_bytes())) }
    }

    fn push_text(&mut self, text: &str) -> Result<(u32, u32), Full> {
        let start = u32::try_from(self.tree.text.len()).map_err(|_| Full)?;
        let length = u32::try_from(text.len()).map_err(|_| Full)?;
        start.checked_add(length).ok_or(Full)?;
        self.tree.text.push_str(text);
        Ok((start, length))
    }

    /// Moves the pending notes to the last node, in their order.
    fn flush(&mut self) {
        if !self.pending.is_sorted_by_key(|stored| stored.kind) {
            self.pending.sort_by_key(|stored| stored.kind);
        }
        if let Some(end) = self.pending.last_mut() {
            end.last = true;
            let last = self.last();
            // A node has at most as many notes as there are bytes of text and of file: the index fits.
            self.tree.nodes[last.index()].notes = self.tree.notes.len() as u32;
            self.tree.notes.append(&mut self.pending);
        }
    }

    /// The finished tree.
    pub fn build(mut self) -> Tree {
        self.flush();
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: u8, y: u8) -> Play {
        Play::Move(Move::Place(Point::new(x, y).unwrap()))
    }

    #[test]
    fn nodes_and_plays_take_the_bytes_the_design_allows() {
        assert_eq!(size_of::<Node>(), 16);
        assert_eq!(size_of::<Stored>(), 12);
        let point = Point::new(31, 31).unwrap();
        let steps = ["a0a1", "i9a0", "a9i0"].map(|text| Play::Move(Move::Step(Step::from_text(text).unwrap())));
        for play in
            [Play::Nothing, Play::Move(Move::Pass), Play::Label(point), at(0, 0), at(25, 25)].into_iter().chain(steps)
        {
            assert_eq!(Play::unpack(play.pack()), play);
        }
    }

    #[test]
    fn a_tree_knows_its_family() {
        let mut builder = TreeBuilder::new();
        let a = builder.append(1, Side::First, at(7, 7)).unwrap();
        let b = builder.append(2, Side::Second, at(7, 6)).unwrap();
        let c = builder.append(3, Side::First, at(6, 6)).unwrap();
        let d = builder.append(2, Side::Second, at(8, 6)).unwrap();
        let e = builder.append(1, Side::First, at(0, 0)).unwrap();
        let tree = builder.build();
        assert_eq!(tree.children(NodeId::ROOT).collect::<Vec<_>>(), [a, e]);
        assert_eq!(tree.children(a).collect::<Vec<_>>(), [b, d]);
        assert_eq!(tree.path(c), [a, b, c]);
        assert_eq!(tree.main_line().collect::<Vec<_>>(), [a, b, c]);
        assert!(tree.is_leaf(d) && tree.is_leaf(e) && !tree.is_leaf(b));
        let depths: Vec<usize> = tree.walk().map(|(depth, _)| depth).collect();
        assert_eq!(depths, [0, 1, 2, 3, 2, 1]);
    }

    #[test]
    fn notes_come_out_in_one_order_however_they_went_in() {
        let point = Point::new(3, 4).unwrap();
        let value = Value { score: Score::Points(-7), depth: Some(12) };
        let notes = [
            Note::Stone(point, Some(Side::Second)),
            Note::ToMove(Side::Second),
            Note::Value(value),
            Note::Time(405),
            Note::Line("one"),
            Note::Body("two\nthree"),
            Note::Text(""),
            Note::Label(point, "A"),
            Note::Mark(point, Shape::Cross),
            Note::Property("KM", "6.5"),
            Note::Bytes(Part::Text, &[0xD0]),
        ];
        let mut forward = TreeBuilder::new();
        notes.iter().for_each(|note| forward.note(*note).unwrap());
        let mut backward = TreeBuilder::new();
        notes.iter().rev().for_each(|note| backward.note(*note).unwrap());
        let (forward, backward) = (forward.build(), backward.build());
        assert_eq!(forward, backward);
        assert_eq!(forward.notes(NodeId::ROOT).collect::<Vec<_>>(), notes);
    }

    #[test]
    fn control_characters_are_kept_as_bytes_beside_the_text() {
        let mut builder = TreeBuilder::new();
        builder.note(Note::Line("a\u{1}b")).unwrap();
        let tree = builder.build();
        assert_eq!(tree.line(NodeId::ROOT), Some("a\u{FFFD}b"));
        assert_eq!(tree.bytes(NodeId::ROOT, Part::Line), Some(&b"a\x01b"[..]));
    }
}

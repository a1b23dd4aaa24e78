//! A record in the shape of a library: 15x15, one stone or pass or label a node, sides in turn.

use crate::loss::AGAIN;
use crate::{Blame, Error, Losses};
use games::{Move, Point, Side, Size};
use record::{NodeId, Note, Once, Part, Play, Record, Tree, TreeBuilder};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The record itself if it has the shape, else one made to fit; each step of that is a loss.
pub fn fit<'r>(record: &'r Record, losses: &mut Losses) -> Result<Cow<'r, Record>, Error> {
    let size = record.head.size;
    if size.width() > 15 || size.height() > 15 {
        let message = format!("a .lib holds boards up to 15x15, and this one is {size}: convert to another format");
        return Err(Error::new(Blame::Target, super::NAME, message));
    }
    if size == Size::default() && has_shape(&record.tree) {
        return Ok(Cow::Borrowed(record));
    }
    if size != Size::default() {
        losses.named("board sizes (a smaller board is put in the corner of a1)", &size.to_string());
    }
    let mut fitting = Fitting {
        record,
        losses,
        builder: TreeBuilder::new(),
        shift: 15 - size.height(),
        depths: vec![0],
        adopted: HashMap::new(),
        labels: Vec::new(),
    };
    fitting.run()?;
    let tree = fitting.builder.build();
    let mut head = record.head.clone();
    head.size = Size::default();
    Ok(Cow::Owned(Record { head, tree }))
}

fn has_shape(tree: &Tree) -> bool {
    tree.walk().all(|(depth, node)| {
        let in_turn = match tree.play(node) {
            Play::Nothing => depth == 0,
            Play::Move(_) => tree.side(node) == Side::of_ply(depth),
            Play::Label(_) => true,
        };
        in_turn && !tree.notes(node).any(|note| matches!(note, Note::Stone(..) | Note::Label(..)))
    })
}

/// Labels and joined comments become texts that these are not the bytes of.
const BYTES: &str = "bytes of labels and of joined comments (the decoded text is written)";

struct Fitting<'r, 'l> {
    record: &'r Record,
    losses: &'l mut Losses,
    builder: TreeBuilder,
    /// Rows to move the board down by, so that a1 stays a1.
    shift: u8,
    /// By depth in the record, the depth in the library of the path to the node at hand.
    depths: Vec<usize>,
    /// Labels that become the board text of a move.
    adopted: HashMap<NodeId, &'r str>,
    /// Labels that become nodes behind the children of the node they are on.
    labels: Vec<Label<'r>>,
}

struct Label<'r> {
    /// Depth in the record of the node the label is on.
    on: usize,
    /// Depth in the library of the node to come.
    depth: usize,
    point: Point,
    text: &'r str,
}

impl<'r> Fitting<'r, '_> {
    fn run(&mut self) -> Result<(), Error> {
        let tree = &self.record.tree;
        for (depth, node) in tree.walk() {
            self.append_labels(depth)?;
            self.depths.truncate(depth);
            let above = self.depths.last().copied().unwrap_or(0);
            let play = tree.play(node);
            if depth == 0 {
                self.notes(node, 0)?;
                let stones = self.set_up()?;
                // The root's labels stand where its children do: behind the set-up.
                self.labels.iter_mut().for_each(|label| label.depth = stones + 1);
                self.depths.push(stones);
                continue;
            }
            if play == Play::Nothing {
                self.losses.node("nodes without a move (joined to their parents)", self.record, node);
                self.depths.push(above);
                continue;
            }
            let mut at = above + 1;
            if matches!(play, Play::Move(_)) && tree.side(node) != Side::of_ply(at) {
                self.losses.node("moves out of turn (a pass is put before each)", self.record, node);
                self.builder.append(at, Side::of_ply(at), Play::Move(Move::Pass))?;
                at += 1;
            }
            let play = match play {
                Play::Move(Move::Place(point)) => Play::Move(Move::Place(self.moved(point))),
                Play::Label(point) => Play::Label(self.moved(point)),
                other => other,
            };
            self.builder.append(at, Side::of_ply(at), play)?;
            self.depths.push(at);
            self.notes(node, depth)?;
        }
        self.append_labels(0)
    }

    fn moved(&self, point: Point) -> Point {
        Point::new(point.x(), point.y() + self.shift).expect("a board of at most 15x15 fits")
    }

    /// The stones of the root, Black's and White's in turn; answers how many nodes that made.
    fn set_up(&mut self) -> Result<usize, Error> {
        let mut stones: Vec<(Point, Side)> = Vec::new();
        let mut seen = HashSet::new();
        for note in self.record.tree.notes(NodeId::ROOT) {
            let Note::Stone(point, side) = note else { continue };
            if side.is_none() || !seen.insert(point) {
                let what = "set-up of points that is replaced or makes them empty (left out)";
                self.losses.node(what, self.record, NodeId::ROOT);
            }
            stones.retain(|(other, _)| *other != point);
            stones.extend(side.map(|side| (point, side)));
        }
        let of = |side: Side| stones.iter().filter(move |stone| stone.1 == side).map(|stone| stone.0);
        let (firsts, seconds) = (of(Side::First).count(), of(Side::Second).count());
        let plies = if firsts > seconds { 2 * firsts - 1 } else { 2 * seconds };
        let (mut first, mut second) = (of(Side::First), of(Side::Second));
        for ply in 1..=plies {
            let side = Side::of_ply(ply);
            let stone = if side == Side::First { first.next() } else { second.next() };
            let play = stone.map_or(Move::Pass, |point| Move::Place(self.moved(point)));
            self.builder.append(ply, side, Play::Move(play))?;
            self.losses.node("set-up stones (written as moves at the start)", self.record, NodeId::ROOT);
        }
        Ok(plies)
    }

    /// The notes of a node and of the nodes without a move that are joined to it.
    fn notes(&mut self, node: NodeId, depth: usize) -> Result<(), Error> {
        let tree = &self.record.tree;
        let joined = self.joined(node);
        self.builder.copy_flags(tree, node);
        let mut text = self.adopted.remove(&node);
        let (mut line, mut body, mut labels) = (None, Vec::new(), Vec::new());
        let mut once = Once::default();
        for note in tree.notes(node) {
            match note {
                note if once.is_again(&note) => self.losses.node(AGAIN, self.record, node),
                Note::Line(own) => line = Some(own),
                Note::Body(own) => body.push(own),
                Note::Text(own) => text = Some(own),
                Note::Label(point, label) => labels.push((point, label)),
                Note::Bytes(Part::Label(_), _) => self.losses.node(BYTES, self.record, node),
                // A joined comment is not the one these are the bytes of.
                Note::Bytes(Part::Line | Part::Body, _) if !joined.is_empty() => {
                    self.losses.node(BYTES, self.record, node);
                }
                Note::Stone(..) if node == NodeId::ROOT => {}
                Note::Stone(..) => self.lost_stone(node),
                other => self.builder.note(other)?,
            }
        }
        for other in &joined {
            self.join(*other, &mut body, &mut labels);
        }
        if line.is_none() && tree.body(node).is_none() && !body.is_empty() {
            line = Some(body.remove(0));
        }
        if let Some(line) = line {
            self.builder.note(Note::Line(line))?;
        }
        if !body.is_empty() {
            self.builder.note(Note::Body(&body.join("\n")))?;
        }
        if let Some(text) = text {
            self.builder.note(Note::Text(text))?;
        }
        self.place_labels(node, depth, &joined, labels);
        Ok(())
    }

    fn lost_stone(&mut self, node: NodeId) {
        self.losses.node("set-up stones in the middle of a tree (left out)", self.record, node);
    }

    /// The nodes without a move that hang on this one, directly or through each other.
    fn joined(&self, node: NodeId) -> Vec<NodeId> {
        let tree = &self.record.tree;
        let is_joined = |child: &NodeId| tree.play(*child) == Play::Nothing;
        let mut found: Vec<NodeId> = tree.children(node).filter(is_joined).collect();
        let mut at = 0;
        while at < found.len() {
            found.extend(tree.children(found[at]).filter(is_joined));
            at += 1;
        }
        found
    }

    /// Adds what is written at a joined node to the comment and the labels of the node it is joined to.
    fn join(&mut self, other: NodeId, body: &mut Vec<&'r str>, labels: &mut Vec<(Point, &'r str)>) {
        self.builder.copy_flags(&self.record.tree, other);
        for note in self.record.tree.notes(other) {
            match note {
                Note::Line(text) | Note::Body(text) => body.push(text),
                Note::Label(point, label) => labels.push((point, label)),
                Note::Stone(..) => self.lost_stone(other),
                Note::Bytes(..) => self.losses.node(BYTES, self.record, other),
                _ => self.losses.node("notes of nodes without a move (left out)", self.record, other),
            }
        }
    }

    /// A label on a child's move becomes its board text, another one a label-only node.
    fn place_labels(&mut self, node: NodeId, depth: usize, joined: &[NodeId], labels: Vec<(Point, &'r str)>) {
        if labels.is_empty() {
            return;
        }
        let tree = &self.record.tree;
        let mut moves: HashMap<Point, NodeId> = HashMap::new();
        for child in std::iter::once(node).chain(joined.iter().copied()).flat_map(|above| tree.children(above)) {
            if let Some(point) = tree.play(child).point() {
                moves.entry(point).or_insert(child);
            }
        }
        let library_depth = self.builder.depth() + 1;
        for (point, text) in labels {
            match moves.get(&point) {
                Some(child) if tree.text(*child).is_none() && !self.adopted.contains_key(child) => {
                    self.adopted.insert(*child, text);
                }
                Some(child) if tree.text(*child) == Some(text) => {}
                Some(child) => self.losses.node("labels on a move that has another (left out)", self.record, *child),
                None => self.labels.push(Label { on: depth, depth: library_depth, point: self.moved(point), text }),
            }
        }
    }

    /// Adds the label-only nodes of all nodes that are left when the walk comes to `depth`.
    fn append_labels(&mut self, depth: usize) -> Result<(), Error> {
        while let Some(last) = self.labels.last()
            && last.on >= depth
        {
            let on = last.on;
            let from = self.labels.iter().rposition(|label| label.on != on).map_or(0, |before| before + 1);
            for label in self.labels.split_off(from) {
                self.builder.append(label.depth, Side::of_ply(label.depth), Play::Label(label.point))?;
                self.builder.note(Note::Text(label.text))?;
            }
        }
        Ok(())
    }
}

use crate::{Full, Head, NodeId, Note, Part, Play, Record, Shape, TreeBuilder, Value};
use games::gomoku::symmetries;
use games::{Game, Move, Point, Side, Size, Symmetry};
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Joins trees into one: nodes of the same moves become one, and what is written at them stands side by side.
///
/// Of one record alone nothing is joined, so that a record merged with itself stays as it is. If mirrored lines are to
/// be joined they are, within a record too; what is written on points turns with them.
pub struct Merger {
    symmetric: bool,
    head: Option<Head>,
    /// In the order in which they came; 0 is the root.
    joints: Vec<Joint>,
    /// What is written at those that have something.
    writings: Vec<Vec<Writing>>,
    /// Numbers of the lines of all comments and of their nodes.
    lines: HashSet<u128>,
    disputes: Vec<Dispute>,
    /// Tags that speak of one game, on which records disagree.
    dropped: HashSet<String>,
    drops_result: bool,
}

/// Why a record cannot be joined.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// Another game.
    Game(Game),
    /// Another board.
    Size(Size),
    /// Other stones stand there before the first move, or another side begins.
    SetUp,
    /// The tree would be too large.
    Full,
}

impl From<Full> for Misfit {
    fn from(_: Full) -> Misfit {
        Misfit::Full
    }
}

/// Something that heads of records disagree on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// The name of a tag, or `result`, `rule`, `opening procedure`, `encoding`.
    pub name: String,
    /// What is kept; `None` if nothing is.
    pub kept: Option<String>,
    /// What the first record that disagrees says.
    pub other: String,
    /// How many records disagree with what came first.
    pub records: u64,
}

/// What cannot stand side by side at a node, in the plural and with what becomes of it.
pub mod clash {
    /// Values of two sources.
    pub const VALUES: &str = "values that differ (the first is kept)";
    /// Times of two games.
    pub const TIMES: &str = "times that differ (the first is kept)";
    /// Texts on one move.
    pub const BOARD_TEXTS: &str = "board texts that differ (the first is kept, the other is put into the comment)";
    /// Bytes that a joined text has no place for.
    pub const BYTES: &str = "raw bytes of texts that were joined (left out)";
}

/// Tags that speak of one game; where records disagree on them none is true of the whole.
const OF_A_GAME: [&str; 16] = [
    "Black",
    "White",
    "BlackElo",
    "WhiteElo",
    "BlackRank",
    "WhiteRank",
    "BlackTeam",
    "WhiteTeam",
    "Date",
    "Round",
    "Time",
    "TimeControl",
    "Termination",
    "PlyCount",
    "Opening",
    "GameName",
];

const NONE: u32 = u32::MAX;

/// A node of the tree that grows.
#[derive(Clone)]
struct Joint {
    play: Play,
    side: Side,
    is_found: bool,
    is_start: bool,
    first: u32,
    last: u32,
    next: u32,
    /// Where in `writings`.
    written: u32,
}

/// A [`Note`] of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Writing {
    Stone(Point, Option<Side>),
    ToMove(Side),
    Value(Value),
    Time(u32),
    Line(String),
    Body(String),
    Text(String),
    Label(Point, String),
    Mark(Point, Shape),
    Property(String, String),
    Bytes(Part, Vec<u8>),
}

impl Writing {
    fn of(note: Note<'_>) -> Writing {
        match note {
            Note::Stone(point, side) => Writing::Stone(point, side),
            Note::ToMove(side) => Writing::ToMove(side),
            Note::Value(value) => Writing::Value(value),
            Note::Time(ms) => Writing::Time(ms),
            Note::Line(text) => Writing::Line(text.into()),
            Note::Body(text) => Writing::Body(text.into()),
            Note::Text(text) => Writing::Text(text.into()),
            Note::Label(point, text) => Writing::Label(point, text.into()),
            Note::Mark(point, shape) => Writing::Mark(point, shape),
            Note::Property(name, value) => Writing::Property(name.into(), value.into()),
            Note::Bytes(part, bytes) => Writing::Bytes(part, bytes.into()),
        }
    }

    fn note(&self) -> Note<'_> {
        match self {
            Writing::Stone(point, side) => Note::Stone(*point, *side),
            Writing::ToMove(side) => Note::ToMove(*side),
            Writing::Value(value) => Note::Value(*value),
            Writing::Time(ms) => Note::Time(*ms),
            Writing::Line(text) => Note::Line(text),
            Writing::Body(text) => Note::Body(text),
            Writing::Text(text) => Note::Text(text),
            Writing::Label(point, text) => Note::Label(*point, text),
            Writing::Mark(point, shape) => Note::Mark(*point, *shape),
            Writing::Property(name, value) => Note::Property(name, value),
            Writing::Bytes(part, bytes) => Note::Bytes(*part, bytes),
        }
    }
}

/// The symmetries that turn the path in a record into the path in the tree, a bit for each in the order of
/// [`Symmetry::ALL`].
#[derive(Copy, Clone, PartialEq, Eq)]
struct Group(u8);

impl Group {
    fn of(symmetries: impl IntoIterator<Item = Symmetry>) -> Group {
        Group(symmetries.into_iter().fold(0, |bits, symmetry| bits | 1 << symmetry as u8))
    }

    fn iter(self) -> impl Iterator<Item = Symmetry> {
        Symmetry::ALL.into_iter().filter(move |symmetry| self.0 & 1 << *symmetry as u8 != 0)
    }

    fn first(self) -> Symmetry {
        self.iter().next().expect("a path has one image at least")
    }
}

/// A node of a record that is being added, and the node of the tree that it is joined to.
#[derive(Copy, Clone)]
struct Pair {
    joint: u32,
    group: Group,
    is_new: bool,
}

/// The children of a node of the tree, by what they play.
struct Kids {
    all: HashMap<u64, Vec<u32>>,
}

impl Merger {
    /// A tree without a node.
    pub fn new(symmetric: bool) -> Merger {
        Merger {
            symmetric,
            head: None,
            joints: Vec::new(),
            writings: Vec::new(),
            lines: HashSet::new(),
            disputes: Vec::new(),
            dropped: HashSet::new(),
            drops_result: false,
        }
    }

    /// How many nodes there are, without the root.
    pub fn nodes(&self) -> usize {
        self.joints.len().saturating_sub(1)
    }

    /// Joins a record. `clash` is told what cannot stand side by side, one of [`clash`], and at which of its nodes.
    ///
    /// A record that does not fit changes nothing.
    pub fn add(&mut self, record: &Record, clash: &mut dyn FnMut(&'static str, NodeId)) -> Result<(), Misfit> {
        let (tree, size) = (&record.tree, record.head.size);
        let root = self.root(record)?;
        if self.joints.len() + tree.len() >= NONE as usize {
            return Err(Misfit::Full);
        }
        self.join_heads(&record.head);
        if root.is_new {
            self.joints.push(Joint::new(Play::Nothing, Side::First));
        }
        // For each depth the children of the node there, and what they are joined to.
        let mut open: Vec<std::vec::IntoIter<Pair>> = Vec::new();
        for (depth, node) in tree.walk() {
            open.truncate(depth);
            let pair = match open.last_mut() {
                None => root,
                Some(pairs) => pairs.next().expect("each child has its pair"),
            };
            let pairs = self.pair_children(record, node, pair);
            let turned = |point: Point| {
                let child = tree.children(node).zip(&pairs).find(|(child, _)| tree.play(*child).point() == Some(point));
                child.map_or(pair.group, |(_, pair)| pair.group).first().apply(point, size)
            };
            self.write(record, node, pair, &turned, clash);
            open.push(pairs.into_iter());
        }
        Ok(())
    }

    /// The tree, if a record was joined, and what the heads disagree on.
    pub fn finish(self) -> Result<Option<(Record, Vec<Dispute>)>, Full> {
        let Some(mut head) = self.head else { return Ok(None) };
        head.tags.retain(|(name, _)| !self.dropped.contains(name));
        if self.drops_result {
            head.result = None;
        }
        let mut builder = TreeBuilder::new();
        builder.reserve(self.joints.len());
        // The nodes that are still to come, the next one last, with their depths.
        let mut open = vec![(0_u32, 0_usize)];
        while let Some((at, depth)) = open.pop() {
            let joint = &self.joints[at as usize];
            if depth > 0 {
                builder.append(depth, joint.side, joint.play)?;
            }
            if joint.is_found {
                builder.set_found();
            }
            if joint.is_start {
                builder.set_start();
            }
            if joint.written != NONE {
                self.writings[joint.written as usize].iter().try_for_each(|writing| builder.note(writing.note()))?;
            }
            if joint.next != NONE {
                open.push((joint.next, depth));
            }
            if joint.first != NONE {
                open.push((joint.first, depth + 1));
            }
        }
        Ok(Some((Record { head, tree: builder.build() }, self.disputes)))
    }

    /// Where the root of a record goes.
    fn root(&self, record: &Record) -> Result<Pair, Misfit> {
        // The sides of xiangqi have homes: its boards are not turned.
        let turns = self.symmetric && record.head.game == Game::Gomoku;
        let all = if turns { symmetries(record.head.size) } else { &[Symmetry::Identity] };
        let set_up = |symmetry| set_up(record, NodeId::ROOT, symmetry);
        let Some(head) = &self.head else {
            let group = Group::of(all.iter().copied().filter(|symmetry| set_up(*symmetry) == set_up(all[0])));
            return Ok(Pair { joint: 0, group, is_new: true });
        };
        if record.head.game != head.game {
            return Err(Misfit::Game(record.head.game));
        }
        if record.head.size != head.size {
            return Err(Misfit::Size(record.head.size));
        }
        if record.head.fen() != head.fen() {
            return Err(Misfit::SetUp);
        }
        let there = self.set_up(0);
        let group = Group::of(all.iter().copied().filter(|symmetry| set_up(*symmetry) == there));
        if group.0 == 0 { Err(Misfit::SetUp) } else { Ok(Pair { joint: 0, group, is_new: false }) }
    }

    /// The nodes of the tree that the children of a node are joined to, in their order; new ones where there are none.
    fn pair_children(&mut self, record: &Record, node: NodeId, pair: Pair) -> Vec<Pair> {
        let (tree, size) = (&record.tree, record.head.size);
        let mut pairs = Vec::new();
        if tree.is_leaf(node) {
            return pairs;
        }
        let mut kids = self.kids(pair.joint);
        for child in tree.children(node) {
            let (play, side) = (tree.play(child), tree.side(child));
            let image = |symmetry: Symmetry| match play {
                Play::Move(Move::Place(point)) => Play::Move(Move::Place(symmetry.apply(point, size))),
                Play::Label(point) => Play::Label(symmetry.apply(point, size)),
                other => other,
            };
            let has_set_up = sets_up(record, child);
            let key = |symmetry| {
                let stones = if has_set_up { set_up(record, child, symmetry) } else { Vec::new() };
                key(image(symmetry), side, &stones)
            };
            let known = pair.group.iter().find_map(|symmetry| {
                // Of one record alone nothing is joined: each node is met once, unless mirrored ones are one.
                let joint = kids.take(key(symmetry), self.symmetric)?;
                Some((joint, symmetry))
            });
            let (joint, symmetry) = known.unwrap_or_else(|| {
                let symmetry = pair.group.first();
                let joint = self.grow(pair.joint, image(symmetry), side);
                if self.symmetric {
                    kids.put(key(symmetry), joint);
                }
                (joint, symmetry)
            });
            let chosen = key(symmetry);
            let group = Group::of(pair.group.iter().filter(|other| key(*other) == chosen));
            pairs.push(Pair { joint, group, is_new: known.is_none() });
        }
        pairs
    }

    fn kids(&self, parent: u32) -> Kids {
        let mut kids = Kids { all: HashMap::new() };
        let mut next = self.joints[parent as usize].first;
        while next != NONE {
            let joint = &self.joints[next as usize];
            kids.put(key(joint.play, joint.side, &self.set_up(next)), next);
            next = joint.next;
        }
        kids.all.values_mut().for_each(|same| same.reverse());
        kids
    }

    fn grow(&mut self, parent: u32, play: Play, side: Side) -> u32 {
        let new = self.joints.len() as u32;
        self.joints.push(Joint::new(play, side));
        let last = std::mem::replace(&mut self.joints[parent as usize].last, new);
        match last {
            NONE => self.joints[parent as usize].first = new,
            last => self.joints[last as usize].next = new,
        }
        new
    }

    /// The set-up at a node of the tree, as [`set_up`] gives it.
    fn set_up(&self, joint: u32) -> Vec<u16> {
        let written = self.joints[joint as usize].written;
        if written == NONE {
            return Vec::new();
        }
        let notes = self.writings[written as usize].iter().map(Writing::note);
        sorted_set_up(notes, |point| point)
    }

    /// Writes what stands at a node of a record at the node of the tree.
    fn write(
        &mut self,
        record: &Record,
        node: NodeId,
        pair: Pair,
        turned: &dyn Fn(Point) -> Point,
        clash: &mut dyn FnMut(&'static str, NodeId),
    ) {
        let tree = &record.tree;
        let joint = &mut self.joints[pair.joint as usize];
        joint.is_found |= tree.is_found(node);
        joint.is_start |= tree.is_start(node);
        let mut notes = tree.notes(node).peekable();
        if notes.peek().is_none() {
            return;
        }
        if joint.written == NONE {
            joint.written = self.writings.len() as u32;
            self.writings.push(Vec::new());
        }
        let mut page = std::mem::take(&mut self.writings[joint.written as usize]);
        let mut writer = Page { lines: &mut self.lines, node: pair.joint, page: &mut page, taken: Vec::new() };
        let set_up = pair.group.first();
        for note in notes {
            let note = match note {
                // What a key is made of turns as the key does.
                Note::Stone(point, side) => Note::Stone(set_up.apply(point, record.head.size), side),
                Note::Label(point, text) => Note::Label(turned(point), text),
                Note::Mark(point, shape) => Note::Mark(turned(point), shape),
                Note::Bytes(Part::Label(point), bytes) => Note::Bytes(Part::Label(turned(point)), bytes),
                other => other,
            };
            if pair.is_new {
                writer.put(note);
            } else if let Some(what) = writer.join(note) {
                clash(what, node);
            }
        }
        let written = self.joints[pair.joint as usize].written;
        self.writings[written as usize] = page;
    }

    fn join_heads(&mut self, other: &Head) {
        let Some(head) = &mut self.head else {
            self.head = Some(other.clone());
            return;
        };
        let mut disputes = Disputes(&mut self.disputes);
        for (name, value) in &other.tags {
            match head.tag(name) {
                None => head.tags.push((name.clone(), value.clone())),
                Some(kept) if kept == value || other.tag(name) != Some(value) => {}
                Some(kept) => {
                    let is_dropped = OF_A_GAME.contains(&name.as_str());
                    disputes.add(name, (!is_dropped).then_some(kept), value);
                    if is_dropped {
                        self.dropped.insert(name.clone());
                    }
                }
            }
        }
        match (head.result, other.result) {
            (Some(first), Some(second)) if first != second => {
                disputes.add("result", None, second.text());
                self.drops_result = true;
            }
            (None, result) => head.result = result,
            _ => {}
        }
        match (head.rule, other.rule) {
            (Some(first), Some(second)) if first != second => {
                disputes.add("rule", Some(first.name()), second.name());
            }
            (None, rule) => head.rule = rule,
            _ => {}
        }
        let unsaid = crate::Opening::default();
        if head.opening == unsaid {
            head.opening.clone_from(&other.opening);
        } else if other.opening != unsaid && head.opening != other.opening {
            disputes.add("opening procedure", Some("the first"), "another");
        }
        if head.encoding != other.encoding {
            let label = |encoding: Option<&'static str>| encoding.unwrap_or("UTF-8");
            disputes.add("encoding", Some(label(head.encoding)), label(other.encoding));
        }
        head.newline = head.newline.or(other.newline);
    }
}

impl Joint {
    const fn new(play: Play, side: Side) -> Joint {
        Joint { play, side, is_found: false, is_start: false, first: NONE, last: NONE, next: NONE, written: NONE }
    }
}

impl Kids {
    fn put(&mut self, key: u64, joint: u32) {
        self.all.entry(key).or_default().push(joint);
    }

    /// The next node of this key, which is not met again unless it is to stay.
    fn take(&mut self, key: u64, stays: bool) -> Option<u32> {
        let same = self.all.get_mut(&key)?;
        if stays { same.last().copied() } else { same.pop() }
    }
}

/// What is written at a node, while more is written there.
struct Page<'a> {
    lines: &'a mut HashSet<u128>,
    node: u32,
    page: &'a mut Vec<Writing>,
    /// The parts whose text was new, so that their bytes are too.
    taken: Vec<Part>,
}

impl Page<'_> {
    /// Writes as it is.
    fn put(&mut self, note: Note<'_>) {
        if let Note::Line(text) | Note::Body(text) = note {
            self.remember(text);
        }
        self.page.push(Writing::of(note));
    }

    /// Writes what is not there; what cannot be written is named.
    fn join(&mut self, note: Note<'_>) -> Option<&'static str> {
        let is_there = |page: &[Writing], wanted: fn(&Writing) -> bool| page.iter().any(wanted);
        if self.page.iter().any(|writing| writing.note() == note) {
            return None;
        }
        match note {
            // These tell nodes apart: they are equal.
            Note::Stone(..) | Note::ToMove(_) => {}
            Note::Value(_) if is_there(self.page, |writing| matches!(writing, Writing::Value(_))) => {
                return Some(clash::VALUES);
            }
            Note::Time(_) if is_there(self.page, |writing| matches!(writing, Writing::Time(_))) => {
                return Some(clash::TIMES);
            }
            Note::Line(text) => {
                let has_line = is_there(self.page, |writing| matches!(writing, Writing::Line(_)));
                return self.comment(text, Part::Line, !has_line, note);
            }
            Note::Body(text) => {
                let has_body = is_there(self.page, |writing| matches!(writing, Writing::Body(_)));
                return self.comment(text, Part::Body, !has_body, note);
            }
            Note::Text(text) => {
                if is_there(self.page, |writing| matches!(writing, Writing::Text(_))) {
                    let lost = self.comment(text, Part::Text, false, note);
                    return lost.or(Some(clash::BOARD_TEXTS));
                }
                self.taken.push(Part::Text);
                self.put(note);
            }
            Note::Label(point, _) => {
                self.taken.push(Part::Label(point));
                self.put(note);
            }
            Note::Bytes(part, _) => {
                if !self.taken.contains(&part) {
                    return Some(clash::BYTES);
                }
                self.put(note);
            }
            Note::Value(_) | Note::Time(_) | Note::Mark(..) | Note::Property(..) => self.put(note),
        }
        None
    }

    /// Adds a text to the comment unless it is in it: in its place if that is free, else at the end.
    fn comment(&mut self, text: &str, part: Part, is_free: bool, note: Note<'_>) -> Option<&'static str> {
        if self.is_in(text) {
            return None;
        }
        self.remember(text);
        if is_free {
            self.taken.push(part);
            self.page.push(Writing::of(note));
            return None;
        }
        let body = self.page.iter_mut().find_map(|writing| match writing {
            Writing::Body(body) => Some(body),
            _ => None,
        });
        match body {
            Some(body) => {
                body.push('\n');
                body.push_str(text);
            }
            None => self.page.push(Writing::Body(text.into())),
        }
        let before = self.page.len();
        self.page.retain(|writing| !matches!(writing, Writing::Bytes(Part::Body, _)));
        (self.page.len() < before).then_some(clash::BYTES)
    }

    /// Whether a comment has these lines, one after another.
    fn is_in(&self, text: &str) -> bool {
        if !text.split('\n').all(|line| self.lines.contains(&self.number(line))) {
            return false;
        }
        let has = |comment: &str| {
            comment.match_indices(text).any(|(at, _)| {
                let (before, after) = (&comment[..at], &comment[at + text.len()..]);
                (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
            })
        };
        // One line whose number is known is there: only of several the order is to be seen.
        !text.contains('\n')
            || self.page.iter().any(|writing| match writing {
                Writing::Line(comment) | Writing::Body(comment) => has(comment),
                _ => false,
            })
    }

    fn remember(&mut self, text: &str) {
        for line in text.split('\n') {
            let number = self.number(line);
            self.lines.insert(number);
        }
    }

    fn number(&self, line: &str) -> u128 {
        // The number of a node spreads over all bits.
        xxh3_128(line.as_bytes()) ^ u128::from(self.node + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
    }
}

struct Disputes<'a>(&'a mut Vec<Dispute>);

impl Disputes<'_> {
    fn add(&mut self, name: &str, kept: Option<&str>, other: &str) {
        match self.0.iter_mut().find(|dispute| dispute.name == name) {
            Some(dispute) => dispute.records += 1,
            None => {
                self.0.push(Dispute { name: name.into(), kept: kept.map(Into::into), other: other.into(), records: 1 })
            }
        }
    }
}

/// What tells a child of a node from the others.
fn key(play: Play, side: Side, set_up: &[u16]) -> u64 {
    let kind = match play {
        Play::Nothing => 0,
        Play::Move(Move::Pass) => 1,
        Play::Label(point) => 0x4000 | u64::from(point.code()),
        Play::Move(Move::Place(point)) => 0x8000 | u64::from(point.code()),
        Play::Move(Move::Step(step)) => 0xC000 | u64::from(step.pack()),
    };
    let plain = kind << 1 | side as u64;
    if set_up.is_empty() {
        return plain;
    }
    let bytes: Vec<u8> = set_up.iter().flat_map(|code| code.to_le_bytes()).collect();
    xxh3_64(&bytes) << 17 | plain
}

fn sets_up(record: &Record, node: NodeId) -> bool {
    matches!(record.tree.notes(node).next(), Some(Note::Stone(..) | Note::ToMove(_)))
}

/// The set-up at a node of a record, turned: a number for each stone and for the side to move, in one order.
fn set_up(record: &Record, node: NodeId, symmetry: Symmetry) -> Vec<u16> {
    sorted_set_up(record.tree.notes(node), |point| symmetry.apply(point, record.head.size))
}

fn sorted_set_up<'n>(notes: impl Iterator<Item = Note<'n>>, turn: impl Fn(Point) -> Point) -> Vec<u16> {
    let mut codes = Vec::new();
    for note in notes {
        match note {
            Note::Stone(point, side) => {
                let side = side.map_or(2, |side| side as u16);
                let code = turn(point).code();
                // A point that is set twice is what it was set to last.
                codes.retain(|known: &u16| *known & 0x3FF != code || *known & 0x8000 != 0);
                codes.push(side << 10 | code);
            }
            Note::ToMove(side) => codes.push(0x8000 | side as u16),
            // Set-up and the side to move come first in the order of notes.
            _ => break,
        }
    }
    codes.sort_unstable();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Score, Tree, split, turn};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// A tree on a board of five by five: for each node its depth, its point, and what is written there. Siblings of
    /// the same move are left out unless `doubles`.
    fn trees(doubles: bool) -> impl Strategy<Value = Record> {
        let nodes = prop::collection::vec((1..6_usize, 0..5_u8, 0..5_u8, 0..12_u8), 0..40);
        nodes.prop_map(move |nodes| {
            let mut builder = TreeBuilder::new();
            builder.note(Note::Line("a tree")).unwrap();
            let mut children: HashMap<(NodeId, Play), NodeId> = HashMap::new();
            for (depth, x, y, kind) in nodes {
                let depth = depth.min(builder.depth() + 1);
                let point = Point::new(x, y).unwrap();
                let play = match kind {
                    0 => Play::Move(Move::Pass),
                    1 => Play::Label(point),
                    _ => Play::Move(Move::Place(point)),
                };
                let parent = builder.path().nth(depth - 1).unwrap();
                if !doubles && children.contains_key(&(parent, play)) {
                    continue;
                }
                let node = builder.append(depth, Side::of_ply(depth), play).unwrap();
                children.insert((parent, play), node);
                match kind {
                    2 => builder.note(Note::Line(["one", "two", "three"][usize::from(x) % 3])).unwrap(),
                    3 => builder.note(Note::Body(["one\ntwo", "two", "two\nthree"][usize::from(y) % 3])).unwrap(),
                    4 => builder.note(Note::Text(["A", "B"][usize::from(x) % 2])).unwrap(),
                    5 => builder.note(Note::Label(Point::new(y, x).unwrap(), "L")).unwrap(),
                    6 => builder.note(Note::Mark(Point::new(y, x).unwrap(), Shape::Circle)).unwrap(),
                    7 => {
                        let score = Score::Points(i32::from(x) % 2);
                        builder.note(Note::Value(Value { score, depth: None })).unwrap();
                    }
                    8 => builder.set_found(),
                    9 => builder.note(Note::Stone(Point::new(4 - x, y).unwrap(), Some(Side::First))).unwrap(),
                    _ => {}
                }
            }
            let mut record = Record { tree: builder.build(), ..Record::default() };
            record.head.size = Size::square(5).unwrap();
            record.head.result = Some(Outcome::Draw);
            record.head.tags = vec![("Event".into(), "A".into())];
            record
        })
    }

    fn merge_counting(records: &[Record], symmetric: bool) -> (Record, usize) {
        let mut merger = Merger::new(symmetric);
        let mut clashes = 0;
        for record in records {
            merger.add(record, &mut |_, _| clashes += 1).unwrap();
        }
        (merger.finish().unwrap().unwrap().0, clashes)
    }

    fn merge(records: &[Record], symmetric: bool) -> Record {
        merge_counting(records, symmetric).0
    }

    /// What a path plays, and the set-up along it, as one symmetry sees it.
    fn path(record: &Record, node: NodeId, symmetry: Symmetry) -> Vec<(u64, Vec<u16>)> {
        let tree = &record.tree;
        let size = record.head.size;
        let step = |node| {
            let play = match tree.play(node) {
                Play::Move(Move::Place(point)) => Play::Move(Move::Place(symmetry.apply(point, size))),
                Play::Label(point) => Play::Label(symmetry.apply(point, size)),
                other => other,
            };
            (key(play, tree.side(node), &[]), set_up(record, node, symmetry))
        };
        tree.path(node).into_iter().map(step).collect()
    }

    /// The lines of a node's comment, its other texts, and its signs, without an order.
    fn written(tree: &Tree, node: NodeId) -> BTreeSet<String> {
        let notes = tree.notes(node).flat_map(|note| match note {
            Note::Line(text) | Note::Body(text) | Note::Text(text) => text.split('\n').map(Into::into).collect(),
            Note::Label(point, _) | Note::Mark(point, _) => vec![format!("{note:?} {point:?}")],
            _ => Vec::new(),
        });
        notes.collect()
    }

    /// All paths and what is written at their ends; those that are equal are one.
    fn by_path(records: &[Record]) -> BTreeMap<Vec<(u64, Vec<u16>)>, BTreeSet<String>> {
        let mut all: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for record in records {
            for node in record.tree.nodes() {
                all.entry(path(record, node, Symmetry::Identity)).or_default().extend(written(&record.tree, node));
            }
        }
        all
    }

    /// The paths up to symmetry.
    fn classes(records: &[Record]) -> BTreeSet<Vec<(u64, Vec<u16>)>> {
        let least =
            |record: &Record, node| Symmetry::ALL.map(|symmetry| path(record, node, symmetry)).into_iter().min();
        records.iter().flat_map(|record| record.tree.nodes().filter_map(move |node| least(record, node))).collect()
    }

    proptest! {
        #[test]
        fn a_record_merged_with_itself_stays_as_it_is(record in trees(true), times in 1..4_usize) {
            let (merged, clashes) = merge_counting(&vec![record.clone(); times], false);
            prop_assert_eq!(merged, record);
            prop_assert_eq!(clashes, 0);
        }

        #[test]
        fn what_is_merged_has_every_path_once_and_all_that_is_written(
            records in prop::collection::vec(trees(false), 1..4)
        ) {
            let merged = merge(&records, false);
            let expected = by_path(&records);
            prop_assert_eq!(merged.tree.len(), expected.len());
            prop_assert_eq!(by_path(std::slice::from_ref(&merged)), expected);
            // What is in it already adds nothing.
            let mut again = vec![merged.clone()];
            again.extend(records);
            prop_assert_eq!(merge(&again, false), merged);
        }

        #[test]
        fn lines_merged_again_are_the_tree(record in trees(false)) {
            let lines: Vec<Record> = split(&record).collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(lines.len(), record.tree.nodes().filter(|node| record.tree.is_leaf(*node)).count());
            let (merged, clashes) = merge_counting(&lines, false);
            prop_assert_eq!(merged, record);
            prop_assert_eq!(clashes, 0);
        }

        #[test]
        fn mirrored_lines_are_one_and_no_others(records in prop::collection::vec(trees(true), 1..4), by in 0..8_usize) {
            let mut records = records;
            records[0] = turn(&records[0], Symmetry::ALL[by]).unwrap();
            let merged = merge(&records, true);
            let expected = classes(&records);
            prop_assert_eq!(merged.tree.len(), expected.len());
            prop_assert_eq!(classes(std::slice::from_ref(&merged)), expected);
            // Turned copies add nothing but what is written elsewhere on a board that is its own image.
            let turned = turn(&merged, Symmetry::ALL[by]).unwrap();
            prop_assert_eq!(merge(&[merged.clone(), turned], true).tree.len(), merged.tree.len());
            prop_assert_eq!(merge(&[merged.clone(), merged.clone()], true), merged);
        }
    }

    /// Moves and comments: `h8(text) i9`, points of a board of 15 in its usual notation.
    fn line(text: &str) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, word) in text.split(' ').enumerate() {
            let (name, rest) = word.split_once('(').unwrap_or((word, ""));
            let point = games::Coords::A1.parse(name, Size::default()).unwrap();
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(point))).unwrap();
            if let Some(label) = rest.strip_prefix('@') {
                let point = games::Coords::A1.parse(label.trim_end_matches(')'), Size::default()).unwrap();
                builder.note(Note::Label(point, "A")).unwrap();
            } else if !rest.is_empty() {
                builder.note(Note::Line(rest.trim_end_matches(')'))).unwrap();
            }
        }
        Record { tree: builder.build(), ..Record::default() }
    }

    #[test]
    fn comments_stand_one_under_the_other_and_none_twice() {
        let merged = merge(&["h8(x)", "h8(y)", "h8(x)", "h8(y)", "h8(z)"].map(line), false);
        let node = merged.tree.main_line().next().unwrap();
        assert_eq!((merged.tree.line(node), merged.tree.body(node)), (Some("x"), Some("y\nz")));
    }

    #[test]
    fn a_label_turns_with_the_move_on_its_point() {
        // Both sides of h8 are alike, and i8 is joined to the g8 that is there: the label on i8 is one on g8.
        let merged = merge(&[line("h8 h9 g8"), line("h8(@i8) h9(@i8) i8")], true);
        let nodes: Vec<NodeId> = merged.tree.main_line().collect();
        assert_eq!(merged.tree.len(), 4);
        let label = merged.tree.notes(nodes[1]).next();
        assert_eq!(label, Some(Note::Label(Point::new(6, 7).unwrap(), "A")));
    }

    #[test]
    fn heads_that_disagree_are_told_and_claim_nothing() {
        let mut games = ["h8 i9", "h8 i9 j10", "h8 h9"].map(line);
        for (game, (black, event)) in games.iter_mut().zip([("Ann", "Cup"), ("Bob", "Cup"), ("Ann", "Open")]) {
            game.head.tags = vec![("Black".into(), black.into()), ("Event".into(), event.into())];
            game.head.result = Some(if black == "Ann" { Outcome::First } else { Outcome::Draw });
        }
        let mut merger = Merger::new(false);
        games.iter().for_each(|game| merger.add(game, &mut |_, _| ()).unwrap());
        let (merged, disputes) = merger.finish().unwrap().unwrap();
        assert_eq!(merged.head.tags, [("Event".to_owned(), "Cup".to_owned())]);
        assert_eq!(merged.head.result, None);
        let told: Vec<_> = disputes.iter().map(|one| (one.name.as_str(), one.kept.as_deref(), one.records)).collect();
        assert_eq!(told, [("Black", None, 1), ("result", None, 1), ("Event", Some("Cup"), 1)]);
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let mut wide = line("h8");
        wide.head.size = Size::square(19).unwrap();
        let mut builder = TreeBuilder::new();
        builder.note(Note::Stone(Point::new(3, 3).unwrap(), Some(Side::First))).unwrap();
        let set_up = Record { tree: builder.build(), ..Record::default() };
        let mut merger = Merger::new(true);
        merger.add(&line("h8 i9"), &mut |_, _| ()).unwrap();
        assert_eq!(merger.add(&wide, &mut |_, _| ()), Err(Misfit::Size(wide.head.size)));
        assert_eq!(merger.add(&set_up, &mut |_, _| ()), Err(Misfit::SetUp));
        assert_eq!(merger.finish().unwrap().unwrap().0, line("h8 i9"));
        assert!(Merger::new(false).finish().unwrap().is_none());
    }

    #[test]
    fn what_has_one_place_is_kept_once_and_told() {
        let with = |note: Note, more: Option<Note>| {
            let mut builder = TreeBuilder::new();
            builder.note(note).unwrap();
            more.map_or(Ok(()), |more| builder.note(more)).unwrap();
            Record { tree: builder.build(), ..Record::default() }
        };
        let mut told = Vec::new();
        let mut merger = Merger::new(false);
        for record in [
            with(Note::Text("A"), Some(Note::Bytes(Part::Text, b"\xFF"))),
            with(Note::Text("B"), Some(Note::Time(5))),
            with(Note::Text("B"), Some(Note::Time(6))),
            with(Note::Text("A"), Some(Note::Bytes(Part::Text, b"\xFE"))),
        ] {
            merger.add(&record, &mut |what, _| told.push(what)).unwrap();
        }
        let tree = merger.finish().unwrap().unwrap().0.tree;
        assert_eq!((tree.text(NodeId::ROOT), tree.body(NodeId::ROOT)), (Some("A"), Some("B")));
        assert_eq!(tree.bytes(NodeId::ROOT, Part::Text), Some(&b"\xFF"[..]));
        assert_eq!(told, [clash::BOARD_TEXTS, clash::TIMES, clash::BOARD_TEXTS, clash::BYTES]);
    }
}

//! The positions of a book in memory, with what leads to what.
//!
//! A position leads to another one wherever a single stone does, whether or not that move is stored: so transpositions
//! meet, and books without moves are joined. A move that the rule forbids leads nowhere, nor does any move from a
//! position in which somebody has won; passes are left out, for nobody has to fear one.

use crate::back_up::{FAR, is_decided};
use crate::expansion::NEVER;
use crate::frame::{Canonical, board, side};
use crate::links::{Mixed, images_of, print};
use crate::stones::Stone;
use crate::{Book, Error, Frame, Frames};
use games::gomoku::{Board, Made, Three, forbidden, made};
use games::{Move, Point, Rule, Rules, Side};
use record::{Backed, Entry, Judgement, Label, Rest, StoneKey};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of a position in a [`Graph`].
pub type NodeId = u32;

const NONE: u32 = u32::MAX;

/// What a position comes to, from the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Worth {
    /// A win in n plies is 30000 - n; any other value is on the scale of the graph.
    pub value: i32,
    /// Whether it is a win or a loss that is proven.
    pub proven: bool,
}

/// The positions of a book, and what leads to what.
pub struct Graph {
    symmetric: bool,
    frames: Frames,
    keys: Vec<u8>,
    ends: Vec<u64>,
    index: HashMap<u128, NodeId, BuildHasherDefault<Mixed>>,
    pub(crate) nodes: Vec<Node>,
    links: Vec<Link>,
    /// Who found the rests.
    sources: Vec<String>,
    scale: Scale,
}

/// The K of all values of a graph: win rate = 1 / (1 + exp(-value / K)).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Scale {
    /// K.
    pub k: u16,
    /// Values of other scales are turned into this one, so that their win rates stay; else they are an error.
    pub converts: bool,
}

/// What a graph holds of a position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub stones: u16,
    /// Where lists of links begin.
    children: u32,
    parents: u32,
    pub games: u32,
    /// The game has ended here: a loss for the side to move, or a draw on a full board.
    pub ended: Option<Worth>,
    /// No move of the rules leads here.
    pub is_stray: bool,
    /// A line that the user gave leads here.
    pub is_covered: bool,
    /// It could not be evaluated.
    pub is_barred: bool,
    /// It is not in the book that was read.
    pub is_new: bool,
    /// What others say.
    pub judged: Option<i32>,
    pub judged_depth: i16,
    pub label: Label,
    pub rest: Rests,
    pub rest_nodes: Option<u64>,
    /// Whose the rest is, by its place among the sources.
    rest_source: u16,
    /// How many moves its search left out.
    pub rest_except: u16,
    pub backed: Option<Worth>,
    /// The cost to the nearest move that is to be followed, [`NEVER`](crate::expansion::NEVER) if there is none.
    pub ahead: u32,
}

/// The rest of a position, without what is only stored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rests {
    /// Nobody has looked.
    Unknown,
    /// This move, by its place, and its value.
    Move { place: u16, worth: Option<Worth>, depth: i16 },
    /// There is no other move than those that lead to positions with a value.
    Nothing,
}

/// A move from one position to another.
struct Link {
    from: NodeId,
    to: NodeId,
    place: u16,
    next_child: u32,
    next_parent: u32,
}

impl Graph {
    /// A graph without positions; mirrored ones are one if `symmetric`.
    pub fn new(symmetric: bool, scale: Scale) -> Graph {
        Graph {
            symmetric,
            frames: Frames::new(symmetric),
            keys: Vec::new(),
            ends: Vec::new(),
            index: HashMap::default(),
            nodes: Vec::new(),
            links: Vec::new(),
            sources: Vec::new(),
            scale,
        }
    }

    /// The positions of a book; they take some 230 bytes each. Values of another scale than the graph's are an error
    /// that names them, unless they are turned into it; `stop` ends the reading with an error.
    pub fn read<D: AsRef<[u8]>>(book: &Book<D>, scale: Scale, stop: &AtomicBool) -> Result<Graph, Error> {
        let mut graph = Graph::new(book.is_symmetric(), scale);
        for (number, position) in book.entries().enumerate() {
            if number % 4096 == 0 && stop.load(Ordering::Relaxed) {
                return Err(Error::Io(std::io::Error::other("stopped")));
            }
            let (key, entry) = position?;
            let node = graph.insert(&key)?;
            graph.learn(node, &entry)?;
            graph.nodes[node as usize].is_new = false;
        }
        for node in 0..graph.len() as NodeId {
            graph.link_to_parents(node);
        }
        Ok(graph)
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The memory that its tables take, in bytes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        // Of the index seven slots of eight are used, and each has a byte beside it.
        self.keys.capacity()
            + self.ends.capacity() * 8
            + self.index.capacity() * (size_of::<(u128, NodeId)>() + 1) * 8 / 7
            + self.nodes.capacity() * size_of::<Node>()
            + self.links.capacity() * size_of::<Link>()
    }

    /// Whether mirrored positions are one.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The scale of its values.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The key of a position.
    pub fn key(&self, node: NodeId) -> &[u8] {
        let end = |node: NodeId| self.ends[node as usize] as usize;
        &self.keys[node.checked_sub(1).map_or(0, end)..end(node)]
    }

    /// The position of a key.
    pub fn find(&self, key: &[u8]) -> Option<NodeId> {
        self.index.get(&print(key)).copied()
    }

    /// The stones of a position, as its key has them.
    pub fn position(&mut self, node: NodeId) -> StoneKey {
        let key = self.key(node).to_vec();
        self.frame_of(&key).stone_key(&key).expect("keys are checked as they come in")
    }

    /// The frame of the board of a key of this graph.
    pub(crate) fn frame_of(&mut self, key: &[u8]) -> &Frame {
        let ground = board(key).expect("keys are checked as they come in");
        self.frames.of_board(ground)
    }

    /// The key of a position, and the symmetries that lead to it.
    pub fn canonical(&mut self, position: &StoneKey) -> Canonical {
        self.frames.of_stones(position).canonical_stones(position)
    }

    /// The position and where its value is to be found, made if it is not there; without links.
    fn insert(&mut self, key: &[u8]) -> Result<NodeId, Error> {
        if let Some(node) = self.find(key) {
            return Ok(node);
        }
        let ground = board(key).ok_or(Error::Order)?;
        let position = self.frames.of_board(ground).stone_key(key).ok_or(Error::Gomoku)?;
        let node = NodeId::try_from(self.len()).ok().filter(|node| *node < NONE);
        let node = node.ok_or(Error::Full(record::Full))?;
        self.keys.extend(key);
        self.ends.push(self.keys.len() as u64);
        self.index.insert(print(key), node);
        self.nodes.push(Node {
            stones: position.stones.len() as u16,
            children: NONE,
            parents: NONE,
            games: 0,
            ended: ended(&position),
            is_stray: false,
            is_covered: false,
            is_barred: false,
            is_new: true,
            judged: None,
            judged_depth: 0,
            label: Label::None,
            rest_nodes: None,
            rest_source: 0,
            rest_except: 0,
            rest: Rests::Unknown,
            backed: None,
            ahead: NEVER,
        });
        Ok(node)
    }

    /// Takes a position in and links it with all that are there.
    pub(crate) fn add(&mut self, key: &[u8]) -> Result<NodeId, Error> {
        if let Some(node) = self.find(key) {
            return Ok(node);
        }
        let node = self.insert(key)?;
        self.link_to_parents(node);
        for (place, child) in self.children_in_graph(key) {
            if self.nodes[node as usize].ended.is_none() && self.is_allowed(node, place) {
                self.link(node, child, place);
                self.nodes[child as usize].is_stray = false;
            } else if self.nodes[child as usize].parents == NONE {
                self.nodes[child as usize].is_stray = true;
            }
        }
        Ok(node)
    }

    /// What one more stone leads to and is there, whether or not the rule allows it, by the places of the moves.
    pub(crate) fn children_in_graph(&mut self, key: &[u8]) -> Vec<(u16, NodeId)> {
        let (rules, size) = board(key).expect("keys are checked as they come in");
        let frame = self.frames.shared(rules.game(), size).clone();
        let (stones, to_move) = frame.unpack(key).expect("keys are checked as they come in");
        let mut images = images_of(&frame, &stones);
        let (mut own, mut form) = (Canonical::EMPTY, Canonical::EMPTY);
        images.least(to_move, rules, &frame, &mut own);
        let mut found = Vec::new();
        for rank in 0..frame.places() {
            let point = frame.point(rank).expect("it is below the number of points");
            let is_taken = stones.iter().any(|stone| u64::from(stone >> 1) == rank);
            if is_taken || frame.stored_point(&own, point) != point {
                continue;
            }
            images.toggle(point, to_move as u16, &frame);
            images.least(to_move.other(), rules, &frame, &mut form);
            images.toggle(point, to_move as u16, &frame);
            if let Some(child) = self.find(&form.key) {
                found.push((frame.place(Move::Place(point)) as u16, child));
            }
        }
        found
    }

    /// Links a position with all that lead to it.
    fn link_to_parents(&mut self, node: NodeId) {
        let key = self.key(node).to_vec();
        for (parent, place) in self.leading_to(&key) {
            if self.nodes[parent as usize].ended.is_none() && self.is_allowed(parent, place) {
                self.link(parent, node, place);
            } else {
                self.nodes[node as usize].is_stray = true;
            }
        }
        if self.nodes[node as usize].parents != NONE {
            self.nodes[node as usize].is_stray = false;
        }
    }

    fn link(&mut self, from: NodeId, to: NodeId, place: u16) {
        // Two stones of a symmetric position may come from the same move.
        if self.children(from).any(|(held, child)| held == place && child == to) {
            return;
        }
        let link = self.links.len() as u32;
        let next_child = std::mem::replace(&mut self.nodes[from as usize].children, link);
        let next_parent = std::mem::replace(&mut self.nodes[to as usize].parents, link);
        self.links.push(Link { from, to, place, next_child, next_parent });
    }

    /// Whether the rule allows a move, by its place.
    pub(crate) fn is_allowed(&mut self, node: NodeId, place: u16) -> bool {
        let key = self.key(node).to_vec();
        if board(&key).is_none_or(|(rules, _)| rules != Rules::Gomoku(Rule::Renju)) || key.last() != Some(&0) {
            return true;
        }
        let position = self.position(node);
        let point = self.frame_of(&key).point(u64::from(place) - 1).expect("places of links are points");
        let stones = Board::with_stones(position.size, position.stones).expect("a key has each stone once");
        !forbidden::is_forbidden(&stones, point, Three::Rif)
    }

    /// Whether there is room for a stone, and the rule allows it.
    pub(crate) fn can_play(&mut self, node: NodeId, place: u16) -> bool {
        let key = self.key(node).to_vec();
        let (stones, _) = self.frame_of(&key).unpack(&key).expect("keys are checked as they come in");
        stones.iter().all(|stone| (stone >> 1) + 1 != place) && self.is_allowed(node, place)
    }

    /// What the moves of a position lead to, by their places.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = (u16, NodeId)> + '_ {
        let mut at = self.nodes[node as usize].children;
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.next_child;
            Some((link.place, link.to))
        })
    }

    /// What leads to a position.
    pub(crate) fn parents(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.moves_to(node).map(|(parent, _)| parent)
    }

    /// What leads to a position, with the places of the moves.
    pub(crate) fn moves_to(&self, node: NodeId) -> impl Iterator<Item = (NodeId, u16)> + '_ {
        let mut at = self.nodes[node as usize].parents;
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.next_parent;
            Some((link.from, link.place))
        })
    }

    /// Whether a position of the graph leads to one that is not in it, by a move that the rule allows.
    pub(crate) fn is_led_to(&mut self, key: &[u8]) -> bool {
        self.leading_to(key)
            .into_iter()
            .any(|(parent, place)| self.nodes[parent as usize].ended.is_none() && self.is_allowed(parent, place))
    }

    /// The positions that lack one stone of the side that has just moved, with the place of the move, whatever the
    /// rule says of it.
    pub(crate) fn leading_to(&mut self, key: &[u8]) -> Vec<(NodeId, u16)> {
        let (rules, size) = board(key).expect("keys are checked as they come in");
        let frame = self.frames.shared(rules.game(), size).clone();
        let (stones, to_move) = frame.unpack(key).expect("keys are checked as they come in");
        let moved = to_move.other();
        let (mut images, mut form) = (images_of(&frame, &stones), Canonical::EMPTY);
        let mut found = Vec::new();
        for stone in stones.iter().copied().filter(|stone: &Stone| side(*stone) == moved) {
            let point = frame.point(u64::from(stone >> 1)).expect("a key has points of its board");
            images.toggle(point, moved as u16, &frame);
            images.least(moved, rules, &frame, &mut form);
            images.toggle(point, moved as u16, &frame);
            if let Some(parent) = self.find(&form.key) {
                found.push((parent, frame.place(Move::Place(frame.stored_point(&form, point))) as u16));
            }
        }
        found
    }

    /// The positions to which nothing leads, but those that are reached only against the rules.
    pub(crate) fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        let is_root = |(_, node): &(NodeId, &Node)| node.parents == NONE && !node.is_stray;
        (0..).zip(&self.nodes).filter(is_root).map(|(id, _)| id)
    }

    /// Takes over what a book knows of a position.
    pub(crate) fn learn(&mut self, node: NodeId, entry: &Entry) -> Result<(), Error> {
        let judged = entry.judgement.as_ref().map(|judgement| self.on_scale(judgement)).transpose()?;
        self.learn_rest(node, entry.rest.as_ref())?;
        let node = &mut self.nodes[node as usize];
        node.judged = judged;
        node.judged_depth = entry.judgement.as_ref().map_or(0, |judgement| judgement.depth);
        node.label = entry.label;
        node.games = u32::try_from(entry.tally.games).unwrap_or(u32::MAX);
        Ok(())
    }

    /// Takes over the rest of a position.
    pub(crate) fn learn_rest(&mut self, node: NodeId, rest: Option<&Rest>) -> Result<(), Error> {
        let rests = match rest {
            None => Rests::Unknown,
            Some(Rest { play: None, .. }) => Rests::Nothing,
            // Who passes has said nothing of the other moves.
            Some(Rest { play: Some(Move::Pass | Move::Step(_)), .. }) => Rests::Unknown,
            Some(Rest { play: Some(Move::Place(point)), judgement, proven }) => {
                let value = judgement.as_ref().map(|judgement| self.on_scale(judgement)).transpose()?;
                let worth = value.map(|value| Worth { value, proven: *proven && is_decided(value) });
                let depth = judgement.as_ref().map_or(0, |judgement| judgement.depth);
                Rests::Move { place: self.place_of(node, *point), worth, depth }
            }
        };
        let nodes = rest.and_then(|rest| rest.judgement.as_ref()).and_then(|judgement| judgement.nodes);
        let source = rest.and_then(|rest| rest.judgement.as_ref()).map_or("", |judgement| judgement.source.as_str());
        let source = self.number_of(source);
        let node = &mut self.nodes[node as usize];
        node.rest = rests;
        node.rest_nodes = nodes;
        node.rest_source = source;
        Ok(())
    }

    /// The place of a move, whichever of its images under the symmetries of the position it is.
    fn place_of(&mut self, node: NodeId, point: Point) -> u16 {
        let key = self.key(node).to_vec();
        let frame = self.frame_of(&key);
        let form = frame.canonical(&frame.key(&key).expect("keys are checked as they come in"));
        frame.place(Move::Place(frame.stored_point(&form, point))) as u16
    }

    fn number_of(&mut self, source: &str) -> u16 {
        let held = self.sources.iter().position(|held| held == source);
        let number = held.unwrap_or_else(|| {
            // Sources tell apart what is equal else: that the last of very many are taken for one harms nobody.
            if self.sources.len() < usize::from(u16::MAX) {
                self.sources.push(source.to_owned());
            }
            self.sources.len() - 1
        });
        number as u16
    }

    /// Who found the rest of a position.
    pub(crate) fn rest_source(&self, node: NodeId) -> &str {
        self.sources.get(usize::from(self.nodes[node as usize].rest_source)).map_or("", String::as_str)
    }

    /// A value on the scale of the graph.
    pub(crate) fn on_scale(&self, judgement: &Judgement) -> Result<i32, Error> {
        let Judgement { value, scale, .. } = *judgement;
        let Scale { k, converts } = self.scale;
        if scale == k || judgement.plies_to_end().is_some() {
            return Ok(value.clamp(-30_000, 30_000));
        }
        if !converts || scale == 0 {
            return Err(Error::Scale { found: scale, wanted: k });
        }
        // However sure of it, nobody has said that somebody wins.
        Ok((f64::from(value) * f64::from(k) / f64::from(scale)).round().clamp(-f64::from(FAR), f64::from(FAR)) as i32)
    }

    /// What a position comes to, as an entry has it.
    pub(crate) fn backed(&self, node: NodeId) -> Option<Backed> {
        let Worth { value, proven } = self.nodes[node as usize].backed?;
        Some(Backed { value, scale: self.scale.k, proven })
    }

    /// What a position comes to; `None` where nothing is known.
    pub fn worth(&self, node: NodeId) -> Option<Worth> {
        self.nodes[node as usize].backed
    }
}

/// How a game that has come to this position has ended, if it has.
pub(crate) fn ended(position: &StoneKey) -> Option<Worth> {
    let StoneKey { rule, size, to_move, stones } = position;
    let board = Board::with_stones(*size, stones.iter().copied()).expect("a key has each stone once");
    let has_five = |of: Side| {
        let is_five = |(point, side): &(Point, Side)| *side == of && made(&board, *point, of, *rule) == Made::Five;
        stones.iter().any(is_five)
    };
    if has_five(to_move.other()) {
        return Some(Worth { value: -30_000, proven: true });
    }
    // No game goes on like that, but a book may have it.
    if has_five(*to_move) {
        return Some(Worth { value: 30_000, proven: true });
    }
    let is_full = stones.len() == usize::from(size.width()) * usize::from(size.height());
    is_full.then_some(Worth { value: 0, proven: false })
}

//! Positions of xiangqi as a tree of moves in which each stands once.
//!
//! The tree grows from the start of a game by the move of most games that leads to a position which is not in it: so a
//! position stands on the line that was played most. Lines that go in circles end where they come back.

use crate::frame::{Canonical, board};
use crate::links::print;
use crate::reader::InOrder;
use crate::source::Source;
use crate::telling::{needs_bytes, note_entry};
use crate::tree::{Grown, TreeCounts, TreeOptions, Unsaid, go_on};
use crate::{Error, Frame, row};
use games::xiangqi::Board;
use games::{Game, Move, Rules, Side, Size, Step, Symmetry};
use record::{Entry, Head, Key, Note, Part, Play, Record, Tally, TreeBuilder};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::atomic::AtomicBool;

/// The positions of the book, one behind the other.
#[derive(Default)]
struct Known {
    bytes: Vec<u8>,
    /// Where the key and the row of each end.
    ends: Vec<(usize, usize)>,
    numbers: HashMap<u128, u32>,
}

impl Known {
    fn add(&mut self, key: &[u8], row: &[u8]) -> Result<(), Error> {
        let number = u32::try_from(self.ends.len()).map_err(|_| Error::Full(record::Full))?;
        self.bytes.extend(key);
        let end = self.bytes.len();
        self.bytes.extend(row);
        self.ends.push((end, self.bytes.len()));
        self.numbers.insert(print(key), number);
        Ok(())
    }

    fn start(&self, number: u32) -> usize {
        number.checked_sub(1).map_or(0, |before| self.ends[before as usize].1)
    }

    fn key(&self, number: u32) -> &[u8] {
        &self.bytes[self.start(number)..self.ends[number as usize].0]
    }

    fn entry(&self, number: u32, frame: &Frame) -> Entry {
        let (end, row_end) = self.ends[number as usize];
        row::entry(&self.bytes[end..row_end], frame).expect("a block that is read has whole rows")
    }
}

/// A position of the tree.
struct Node {
    /// Of the book, if it is there.
    number: Option<u32>,
    /// The board is the mirror image of the key's.
    is_mirrored: bool,
    parent: u32,
    step: Option<Step>,
    depth: usize,
    /// Nodes, or for moves that lead elsewhere what they lead to, in the order of the tree.
    children: Vec<Child>,
}

#[derive(Copy, Clone)]
struct Child {
    games: u64,
    /// For who moves.
    value: Option<i32>,
    step: Step,
    to: Leads,
}

#[derive(Copy, Clone)]
enum Leads {
    Node(u32),
    /// To a position that stands elsewhere.
    Elsewhere(u32),
}

/// A move that waits to be looked at: the one of most games first, and of these the one that was found first.
type Waiting = (u64, Reverse<u64>, u32, Step, u32, bool);

/// A tree of the positions of xiangqi that are at hand, and goes to those after them.
pub(crate) fn grow(
    positions: &mut InOrder<'_>,
    frame: &Frame,
    tries_all: bool,
    options: &TreeOptions,
    stop: &AtomicBool,
) -> Result<Grown, Error> {
    let mut known = Known::default();
    while let Some((key, row)) = positions.head()
        && board(key) == Some((Rules::Xiangqi, Size::XIANGQI))
    {
        known.add(key, row)?;
        if known.ends.len().is_multiple_of(1024) {
            go_on(stop)?;
        }
        positions.advance()?;
    }
    let mut growing =
        Growing { known, frame, tries_all, options, nodes: Vec::new(), placed: Vec::new(), unsaid: Vec::new() };
    growing.grow(stop)?;
    growing.finish(stop)
}

struct Growing<'g> {
    known: Known,
    frame: &'g Frame,
    tries_all: bool,
    options: &'g TreeOptions,
    nodes: Vec<Node>,
    /// The node of each position of the book, where it has one.
    placed: Vec<Option<u32>>,
    unsaid: Vec<(&'static str, u64, Key)>,
}

const ABSENT: &str = "moves to positions that are not in the book (left out)";
const UNPLAYABLE: &str = "moves that cannot be played (left out)";
const UNREACHED: &str = "positions that no line from the start of a game leads to (left out)";

impl Growing<'_> {
    fn lose(&mut self, what: &'static str, count: u64, first: impl FnOnce() -> Key) {
        match self.unsaid.iter_mut().find(|(other, ..)| *other == what) {
            Some((_, all, _)) => *all += count,
            None => self.unsaid.push((what, count, first())),
        }
    }

    fn grow(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        self.placed = vec![None; self.known.ends.len()];
        let start = Key::from(Board::start());
        let number = self.known.numbers.get(&print(&self.frame.canonical(&start).key)).copied();
        let root = Node { number, is_mirrored: false, parent: 0, step: None, depth: 0, children: Vec::new() };
        self.nodes.push(root);
        if let Some(number) = number {
            self.placed[number as usize] = Some(0);
        }
        let mut waiting: BinaryHeap<Waiting> = BinaryHeap::new();
        let mut found = 0;
        self.look(0, &mut waiting, &mut found);
        while let Some((games, _, parent, step, number, is_mirrored)) = waiting.pop() {
            let depth = self.nodes[parent as usize].depth + 1;
            let to = match self.placed[number as usize] {
                Some(_) => Leads::Elsewhere(number),
                None => {
                    let node = u32::try_from(self.nodes.len()).map_err(|_| Error::Full(record::Full))?;
                    self.placed[number as usize] = Some(node);
                    let number = Some(number);
                    self.nodes.push(Node {
                        number,
                        is_mirrored,
                        parent,
                        step: Some(step),
                        depth,
                        children: Vec::new(),
                    });
                    Leads::Node(node)
                }
            };
            let value = self.known.entry(number, self.frame).value().map(|held| held.value.saturating_neg());
            self.nodes[parent as usize].children.push(Child { games, value, step, to });
            if let Leads::Node(node) = to {
                if node.is_multiple_of(1024) {
                    go_on(stop)?;
                }
                self.look(node, &mut waiting, &mut found);
            }
        }
        Ok(())
    }

    /// The board of a node.
    fn board(&self, node: u32) -> Board {
        let Node { number, is_mirrored, .. } = self.nodes[node as usize];
        let Some(number) = number else { return Board::start() };
        let key = self.position(number);
        let board = key.pieces().expect("a key of xiangqi");
        if is_mirrored { board.mirror() } else { board.clone() }
    }

    /// Lets the moves of a node wait.
    fn look(&mut self, node: u32, waiting: &mut BinaryHeap<Waiting>, found: &mut u64) {
        let Node { number, is_mirrored, depth, .. } = self.nodes[node as usize];
        if depth >= self.options.max_ply {
            return;
        }
        let board = self.board(node);
        let mut form = Canonical::EMPTY;
        let position = Key::from(board.clone());
        self.frame.images(&position).least(board.to_move(), Rules::Xiangqi, self.frame, &mut form);
        let mut moves: Vec<(Step, Tally)> = Vec::new();
        if let Some(number) = number {
            for each in self.known.entry(number, self.frame).moves {
                let Move::Step(step) = each.play else { continue };
                let step = if is_mirrored { mirrored(step) } else { step };
                // Of two moves that are images the one further to the right, as answers have it.
                let step = if form.symmetries.len() > 1 { rightmost(step) } else { step };
                moves.push((step, each.tally));
            }
        }
        let listed = moves.len();
        if self.tries_all || number.is_none() {
            let is_new = |step: &Step| {
                let is_it = |(other, _): &(Step, Tally)| {
                    other == step || form.symmetries.len() > 1 && *other == rightmost(*step)
                };
                !moves.iter().any(is_it)
            };
            let more: Vec<Step> = board.moves().filter(is_new).collect();
            moves.extend(more.into_iter().map(|step| (step, Tally::default())));
        }
        for (at, (step, tally)) in moves.into_iter().enumerate() {
            let Some(next) = position.after(Move::Step(step)) else {
                self.lose(UNPLAYABLE, 1, || position.clone());
                continue;
            };
            let form = self.frame.canonical(&next);
            let Some(number) = self.known.numbers.get(&print(&form.key)).copied() else {
                if at < listed {
                    self.lose(ABSENT, 1, || position.clone());
                }
                continue;
            };
            *found += 1;
            let is_mirrored = form.symmetry() == Symmetry::Mirror;
            waiting.push((tally.games, Reverse(*found), node, step, number, is_mirrored));
        }
    }

    /// Writes the tree, move by move.
    fn finish(mut self, stop: &AtomicBool) -> Result<Grown, Error> {
        let positions = self.placed.iter().flatten().count() as u64;
        let mut counts = TreeCounts { positions, ..TreeCounts::default() };
        // Below a ply that is left out nothing is missed.
        let missed = self.placed.iter().position(Option::is_none).filter(|_| self.options.max_ply == usize::MAX);
        if let Some(number) = missed {
            let key = self.position(number as u32);
            self.lose(UNREACHED, self.placed.len() as u64 - positions, || key);
        }
        for node in &mut self.nodes {
            node.children.sort_by_key(|child| (Reverse(child.games), Reverse(child.value), child.step));
        }
        let mut builder = TreeBuilder::new();
        let mut waiting = vec![(0_usize, Child { games: 0, value: None, step: NOWHERE, to: Leads::Node(0) })];
        let mut written = 0_u64;
        while let Some((depth, child)) = waiting.pop() {
            written += 1;
            if written.is_multiple_of(1024) {
                go_on(stop)?;
            }
            let side = Side::of_ply(depth.max(1));
            match child.to {
                Leads::Node(node) => {
                    if depth > 0 {
                        builder.append(depth, side, Play::Move(Move::Step(child.step)))?;
                    }
                    self.note(&mut builder, node)?;
                    let below = self.nodes[node as usize].children.iter().rev();
                    waiting.extend(below.map(|child| (depth + 1, *child)));
                }
                Leads::Elsewhere(number) => {
                    counts.transposed += 1;
                    if self.options.links {
                        builder.append(depth, side, Play::Move(Move::Step(child.step)))?;
                        builder.note(Note::Line(&self.line(number)))?;
                        counts.repeated += 1;
                    }
                }
            }
        }
        let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
        let unsaid = self.unsaid.into_iter().map(|(what, count, first)| Unsaid { what, count, first }).collect();
        Ok(Grown { record: Record { head, tree: builder.build() }, counts, unsaid })
    }

    /// Writes what is known of a position.
    fn note(&mut self, builder: &mut TreeBuilder, node: u32) -> Result<(), Error> {
        let Node { number: Some(number), is_mirrored, depth, .. } = self.nodes[node as usize] else { return Ok(()) };
        let entry = self.known.entry(number, self.frame);
        for text in &entry.texts {
            let point = if is_mirrored { Symmetry::Mirror.apply(text.point, Size::XIANGQI) } else { text.point };
            builder.note(Note::Label(point, &text.text))?;
            if needs_bytes(&text.text, &text.bytes) {
                builder.note(Note::Bytes(Part::Label(point), &text.bytes))?;
            }
        }
        let has_games = entry.tally != Tally::default();
        let Tally { games, first, draws, second } = entry.tally;
        let stats = (self.options.stats && has_games)
            .then(|| format!("games {games}: red {first}, drawn {draws}, black {second}"));
        let mut lost = Vec::new();
        let mut lose = |what, is: bool| lost.extend(is.then_some(what));
        note_entry(builder, &entry, Side::of_ply(depth + 1), (has_games, stats), &mut lose)?;
        for what in lost {
            let key = self.position(number);
            self.lose(what, 1, || key);
        }
        Ok(())
    }

    /// A position of the book, as its key has it.
    fn position(&self, number: u32) -> Key {
        self.frame.key(self.known.key(number)).expect("a key that is read names a position")
    }

    /// The line that leads to a position of the tree, as a comment names it.
    fn line(&self, number: u32) -> String {
        let mut steps = Vec::new();
        let mut at = self.placed[number as usize].expect("it stands elsewhere");
        while let Node { step: Some(step), parent, .. } = self.nodes[at as usize] {
            steps.push(step.to_string());
            at = parent;
        }
        steps.reverse();
        format!("= {}", steps.join(" ")).trim_end().into()
    }
}

/// The step of the root, which is not played.
const NOWHERE: Step = match Step::unpack(0) {
    Some(step) => step,
    None => unreachable!(),
};

fn mirrored(step: Step) -> Step {
    let point = |point| Symmetry::Mirror.apply(point, Size::XIANGQI);
    Step { from: point(step.from), to: point(step.to) }
}

/// Of a step and its image the one that begins, or else ends, further to the right.
fn rightmost(step: Step) -> Step {
    let image = mirrored(step);
    let place = |step: Step| (step.from.x(), step.to.x());
    if place(image) > place(step) { image } else { step }
}

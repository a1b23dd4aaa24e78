//! A book as trees of moves in which each position stands once.

use crate::bytes::Broken;
use crate::frame::board;
use crate::known::{Known, NONE, flag};
use crate::lanes::{Lane, Lanes, lanes};
use crate::reader::InOrder;
use crate::source::Source;
use crate::spanning::{Edge, Laid, Spanning};
use crate::telling::{needs_bytes, note_entry};
use crate::xiangqi_tree;
use crate::{Book, Error, Frames};
use games::{Coords, Game, Move, Point, Position, Rule, Rules, Side, Size, Symmetry};
use record::{Entry, Head, Key, Note, Part, Play, Record, StoneKey, Tally, TreeBuilder};
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which way round the board is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Orient {
    /// As most comments and texts on points were written; as [`Orient::Standard`] where they do not agree.
    #[default]
    Written,
    /// Among equal moves the topmost, then rightmost; across the rising diagonal the lower right one.
    ///
    /// So RenLib stands the openings of renju: White on h9 or i9, Black to the right of that.
    Standard,
    /// As [`Orient::Standard`], then turned.
    Turned(Symmetry),
}

/// How a book is made a tree.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// The rule and the board to take; all where there is none.
    pub only: Option<(Rules, Size)>,
    /// The position of gomoku to begin at, and the moves that lead to it; where there is none, the empty board. Trees
    /// of xiangqi begin at the start of a game.
    pub position: Option<Position>,
    /// Leave out what is deeper, counted from the empty board.
    pub max_ply: usize,
    /// Which way round the board of gomoku is; a `position` is not turned, but for [`Orient::Turned`].
    pub orient: Orient,
    /// A move to a position that stands elsewhere gets a leaf whose comment names the line there: `= h8 i9 j10`.
    pub links: bool,
    /// Repeat positions of gomoku below each move that leads to them, up to so many nodes.
    pub expand: Option<usize>,
    /// Write the games that reached a position into its comment.
    pub stats: bool,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions {
            only: None,
            position: None,
            max_ply: usize::MAX,
            orient: Orient::default(),
            links: false,
            expand: None,
            stats: false,
        }
    }
}

/// What became of the positions and moves of a board.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TreeCounts {
    /// Positions of the book in the tree.
    pub positions: u64,
    /// Moves to positions that stand elsewhere in the tree: left out, named or repeated.
    pub transposed: u64,
    /// Positions that no line of the book leads to.
    pub orphans: u64,
    /// Positions that are not the book's, on the lines that lead to those.
    pub own: u64,
    /// Nodes without a move that hold a text on a point.
    pub labels: u64,
    /// Nodes that repeat a position.
    pub repeated: u64,
    /// Not all was repeated: there would have been too many nodes.
    pub stopped: bool,
}

/// Something that a tree does not say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsaid {
    /// What, in the plural and with what became of it.
    pub what: &'static str,
    /// How many.
    pub count: u64,
    /// The position of the first.
    pub first: Key,
}

/// A board of a book as a tree.
#[derive(Clone, Debug)]
pub struct Grown {
    /// The tree and its rule.
    pub record: Record,
    /// What became of positions and moves.
    pub counts: TreeCounts,
    /// What is known of positions and has no place in a record.
    pub unsaid: Vec<Unsaid>,
}

impl<D: AsRef<[u8]>> Book<D> {
    /// The positions as trees of moves, one for each rule and board.
    ///
    /// The time that takes grows with the book alone, but for [`TreeOptions::expand`]; about 60 bytes a position are
    /// held, one for each stone of it, and the texts. Set `stop` to end it with an error.
    pub fn trees<'a>(&'a self, options: &'a TreeOptions, stop: &'a AtomicBool) -> Result<Trees<'a>, Error> {
        let frames = Frames::new(self.is_symmetric());
        let unlisted = self.holds().unlisted;
        Ok(Trees { positions: self.positions_in_order()?, frames, unlisted, options, stop, failed: false })
    }
}

/// The trees of a book, in the order of their rules and boards.
pub struct Trees<'a> {
    positions: InOrder<'a>,
    frames: Frames,
    /// Positions came without the moves between them.
    unlisted: bool,
    options: &'a TreeOptions,
    stop: &'a AtomicBool,
    failed: bool,
}

impl Iterator for Trees<'_> {
    type Item = Result<Grown, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_tree().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}

impl Trees<'_> {
    fn next_tree(&mut self) -> Result<Option<Grown>, Error> {
        while let Some((key, _)) = self.positions.head() {
            let (rules, size) = board(key).ok_or(Error::Order)?;
            if self.options.only.is_none_or(|only| only == (rules, size)) {
                return match rules {
                    Rules::Gomoku(rule) => self.grow(rule, size).map(Some),
                    Rules::Xiangqi => {
                        let frame = self.frames.of(Game::Xiangqi, size).clone();
                        let tries_all = self.unlisted;
                        xiangqi_tree::grow(&mut self.positions, &frame, tries_all, self.options, self.stop).map(Some)
                    }
                };
            }
            self.positions.advance()?;
        }
        Ok(None)
    }

    fn grow(&mut self, rule: Rule, size: Size) -> Result<Grown, Error> {
        let frame = self.frames.of(Game::Gomoku, size).clone();
        let lanes = Lanes::new(&frame);
        let mut known = Known::new(self.options.stats);
        while let Some((key, row)) = self.positions.head()
            && board(key) == Some((rule.into(), size))
        {
            // The turn is a byte of the key, and a stone one or three.
            if key.len() <= self.options.max_ply.saturating_add(4) || stones(key) <= self.options.max_ply {
                known.add(key, row, &lanes).map_err(|_: Broken| Error::Order)?;
            }
            if known.len() >= NONE - 1 {
                return Err(record::Full.into());
            }
            if known.len().is_multiple_of(1024) {
                go_on(self.stop)?;
            }
            self.positions.advance()?;
        }
        known.index(&lanes);
        let mut links = Spanning::new(known, lanes, &frame, rule);
        links.max_ply = self.options.max_ply;
        let start = Start::new(self.options, rule, size, &mut links)?;
        if self.options.position.is_some() {
            links.link_branch()
        } else {
            links.link_all()
        }
        go_on(self.stop)?;
        links.tries_all = self.options.links || self.options.expand.is_some();
        if !links.tries_all {
            links.known.forget();
        }
        let mut growing = Growing::new(&links, self.options, &start);
        growing.grow(self.stop)?;
        Ok(growing.finish())
    }
}

pub(crate) fn go_on(stop: &AtomicBool) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) { Err(io::Error::other("stopped").into()) } else { Ok(()) }
}

/// How many stones a key has.
fn stones(key: &[u8]) -> usize {
    let mut stones = 0;
    let mut bytes = key[3..key.len() - 1].iter();
    while let Some(byte) = bytes.next() {
        stones += 1;
        if *byte == 255 {
            bytes.nth(1);
        }
    }
    stones
}

/// Where the tree begins.
struct Start {
    setup: Vec<(Point, Side)>,
    /// Who moves first, where it is not the first player.
    said: Option<Side>,
    first: Side,
    moves: Vec<Move>,
    /// The symmetry that turns the root's key into the board as it is shown.
    turned: Lane,
}

impl Start {
    fn new(options: &TreeOptions, rule: Rule, size: Size, links: &mut Spanning<'_>) -> Result<Start, Error> {
        let empty = Position { size, setup: Vec::new(), to_move: Side::First, moves: Vec::new() };
        let position = options.position.as_ref().unwrap_or(&empty);
        let mut stones = position.setup.clone();
        let mut to_move = position.to_move;
        for play in &position.moves {
            stones.extend(play.point().map(|point| (point, to_move)));
            to_move = to_move.other();
        }
        stones.sort_unstable_by_key(|(point, _)| *point);
        let overlap = stones.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if overlap || position.size != size || stones.iter().any(|(point, _)| !size.contains(*point)) {
            return Err(Error::Position);
        }
        let form = links.set_root(&StoneKey { rule, size, to_move, stones });
        Ok(Start {
            setup: position.setup.clone(),
            said: Some(position.to_move).filter(|side| *side == Side::Second),
            first: position.to_move,
            moves: position.moves.clone(),
            turned: links.lanes.inverse(form),
        })
    }

    fn plies(&self) -> usize {
        self.moves.len()
    }
}

/// For each of the ways round that a board can be, how many texts at and below it are then as they were written.
type Votes = [u32; 8];

/// A tree while it grows.
struct Growing<'g> {
    links: &'g Spanning<'g>,
    options: &'g TreeOptions,
    start: &'g Start,
    builder: TreeBuilder,
    /// Where the children of each position begin in `children`.
    starts: Vec<u32>,
    children: Vec<u32>,
    /// Of the positions after symmetric ones, where there are texts.
    votes: HashMap<u32, Votes>,
    /// How all is turned in the end.
    turn: Symmetry,
    /// The way round that each position is, where links have to know it.
    ways: Vec<Lane>,
    counts: TreeCounts,
    unsaid: Vec<(&'static str, u64, u32)>,
    laid: Laid,
    edges: Vec<Edge>,
}

/// A position on the path to the one at hand.
struct Open {
    at: u32,
    /// The symmetry that turns its key into the board as it is shown.
    way: Lane,
    to_move: Side,
    /// Its children in the tree that are still to come.
    next: u32,
    /// Where its moves are repeated: all of them, the last first.
    steps: Option<Vec<Step>>,
    texts: Vec<Placed>,
    /// Everything above it is in the tree for the first time.
    first: bool,
}

/// A move to a position.
#[derive(Copy, Clone)]
struct Step {
    child: u32,
    turned: Lane,
    /// As [`crate::known::Spot::last`].
    last: u16,
    games: u32,
}

/// A text on a point of the board as it is shown.
struct Placed {
    point: Point,
    text: String,
    bytes: Vec<u8>,
    is_written: bool,
}

impl<'g> Growing<'g> {
    fn new(links: &'g Spanning<'g>, options: &'g TreeOptions, start: &'g Start) -> Growing<'g> {
        let turn = if let Orient::Turned(symmetry) = options.orient { symmetry } else { Symmetry::Identity };
        let mut growing = Growing {
            links,
            options,
            start,
            builder: TreeBuilder::new(),
            starts: Vec::new(),
            children: Vec::new(),
            votes: HashMap::new(),
            turn,
            ways: Vec::new(),
            counts: TreeCounts { orphans: links.found.orphans, ..TreeCounts::default() },
            unsaid: Vec::new(),
            laid: Laid::default(),
            edges: Vec::new(),
        };
        growing.list_children();
        if options.orient == Orient::Written {
            growing.vote();
        }
        if options.links {
            growing.find_ways();
        }
        growing
    }

    /// Lists the children of each position in the order in which people want to see them.
    fn list_children(&mut self) {
        let spots = &self.links.known.spots;
        self.starts = vec![0; spots.len() + 1];
        for spot in spots.iter().filter(|spot| spot.parent != NONE) {
            self.starts[spot.parent as usize + 1] += 1;
        }
        for at in 0..spots.len() {
            self.starts[at + 1] += self.starts[at];
        }
        self.children = vec![0; self.starts[spots.len()] as usize];
        // Each start moves to its end, which is where the next one begins.
        for (at, spot) in spots.iter().enumerate().filter(|(_, spot)| spot.parent != NONE) {
            let place = &mut self.starts[spot.parent as usize];
            self.children[*place as usize] = at as u32;
            *place += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
        for at in 0..spots.len() {
            let (from, to) = (self.starts[at] as usize, self.starts[at + 1] as usize);
            if to - from > 1 {
                let links = self.links;
                self.children[from..to].sort_unstable_by_key(|child| order(links, &step(links, *child)));
            }
        }
    }

    /// Counts for each way round how many texts are then as they were written; if most cannot be, nothing counts.
    fn vote(&mut self) {
        let Spanning { known, lanes: group, root, .. } = self.links;
        if known.spots.iter().all(|spot| spot.flags & flag::TEXTS == 0) {
            return;
        }
        let mut all = 0_u64;
        let mut open = |at: u32| {
            let spot = known.spots[at as usize];
            let mut votes = Votes::default();
            if spot.flags & flag::TEXTS != 0 {
                let entry = self.links.rest(at);
                let comments = entry.comments.iter().map(|comment| comment.written);
                for written in comments.chain(entry.texts.iter().map(|text| text.written)) {
                    all += 1;
                    for way in group.lane(written).into_iter().flat_map(|w| lanes(spot.own).map(move |o| (o, w))) {
                        votes[usize::from(group.then(way.0, way.1))] += 1;
                    }
                }
            }
            (at, self.starts[at as usize], votes)
        };
        let mut path = vec![open(*root)];
        let mut kept = HashMap::new();
        let most = loop {
            let (at, next, votes) = path.last_mut().expect("the root is left last");
            if *next < self.starts[*at as usize + 1] {
                let child = self.children[*next as usize];
                *next += 1;
                path.push(open(child));
                continue;
            }
            let (at, votes) = (*at, *votes);
            path.pop();
            let Some((parent, _, above)) = path.last_mut() else {
                break votes[usize::from(self.start.turned)];
            };
            if votes == Votes::default() {
                continue;
            }
            let own = known.spots[*parent as usize].own;
            let back = group.inverse(known.spots[at as usize].turned);
            for way in group.all() {
                let best = lanes(own).map(|own| votes[usize::from(group.then(group.then(back, own), way))]).max();
                above[usize::from(way)] += best.unwrap_or(0);
            }
            if own != 1 {
                kept.insert(at, votes);
            }
        };
        // The positions of a database are each turned on its own: their texts do not tell how a tree was.
        if u64::from(most) * 4 >= all * 3 {
            self.votes = kept;
        }
    }

    /// Finds out which way round each position is.
    fn find_ways(&mut self) {
        self.ways = vec![0; self.links.known.spots.len()];
        let root = self.links.root;
        self.ways[root as usize] = self.start.turned;
        let mut waiting = vec![root];
        while let Some(at) = waiting.pop() {
            let way = self.ways[at as usize];
            let texts = if self.links.spot(at).own == 1 { Vec::new() } else { self.placed(at, way, None) };
            for index in self.starts[at as usize]..self.starts[at as usize + 1] {
                let child = self.children[index as usize];
                self.ways[child as usize] = self.way(at, way, &step(self.links, child), &texts);
                waiting.push(child);
            }
        }
    }

    /// Which way round a position is after a move: there is a choice where the one before is symmetric.
    fn way(&self, parent: u32, way: Lane, step: &Step, texts: &[Placed]) -> Lane {
        let group = &self.links.lanes;
        let own = self.links.spot(parent).own;
        let back = group.inverse(step.turned);
        if own == 1 {
            return group.then(back, way);
        }
        let votes = self.votes.get(&step.child).copied().unwrap_or_default();
        let rising = self.is_rising(own, way);
        let ways = lanes(own).map(|own| group.then(group.then(back, own), way));
        let best = ways.max_by_key(|way| {
            let point = step.last.checked_sub(1).map(|rank| self.links.point(group.image(rank, *way)));
            let is_named = texts.iter().any(|text| Some(text.point) == point && !text.is_written);
            (votes[usize::from(*way)], is_named, point.map(|point| standing(point, rising)))
        });
        best.expect("a position is its own image")
    }

    /// Whether the board as it is shown has but one symmetry, the reflection in the diagonal that rises to the right.
    fn is_rising(&self, own: u8, way: Lane) -> bool {
        let group = &self.links.lanes;
        let shown = |own| group.symmetries[usize::from(group.then(group.then(group.inverse(way), own), way))];
        own.count_ones() == 2 && lanes(own).any(|own| shown(own) == Symmetry::Antidiagonal)
    }

    /// The texts on points of a position, where they are as it is shown.
    fn placed(&self, at: u32, way: Lane, entry: Option<&Entry>) -> Vec<Placed> {
        let spot = self.links.spot(at);
        if spot.flags & flag::TEXTS == 0 {
            return Vec::new();
        }
        let (group, size) = (&self.links.lanes, self.links.frame.size());
        let read;
        let entry = match entry {
            Some(entry) => entry,
            None => {
                read = self.links.rest(at);
                &read
            }
        };
        let mut placed: Vec<Placed> = Vec::with_capacity(entry.texts.len());
        let mut seen = HashSet::new();
        for text in &entry.texts {
            // Where it was written on this very board it stands where it stood, whichever image the key has it at.
            let written = group.lane(text.written);
            let is_same = written.is_some_and(|w| lanes(spot.own).any(|own| group.then(own, w) == way));
            let symmetry = if is_same { text.written } else { group.symmetries[usize::from(way)] };
            let point = symmetry.apply(text.point, size);
            if seen.insert((point, text.text.as_str())) {
                let (text, bytes) = (text.text.clone(), text.bytes.clone());
                placed.push(Placed { point, text, bytes, is_written: false });
            }
        }
        placed
    }

    fn grow(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        let reached = self.children.len() + self.start.plies() + 1;
        self.builder.reserve(reached);
        for (point, side) in &self.start.setup {
            self.builder.note(Note::Stone(self.turn.apply(*point, self.links.frame.size()), Some(*side)))?;
        }
        if let Some(side) = self.start.said {
            self.builder.note(Note::ToMove(side))?;
        }
        let mut to_move = self.start.first;
        for (ply, play) in self.start.moves.iter().enumerate() {
            self.builder.append(ply + 1, to_move, self.play(play.point()))?;
            to_move = to_move.other();
        }
        if self.options.position.is_some() {
            self.builder.set_start();
        }
        let mut path = vec![self.open(self.links.root, self.start.turned, true)?];
        let plies = self.start.plies();
        let mut until = 4096;
        while let Some(open) = path.last_mut() {
            let Some((step, first)) = self.next(open) else {
                let depth = plies + path.len();
                self.close(path.pop().expect("it was just looked at"), depth)?;
                continue;
            };
            let depth = plies + path.len();
            if depth > self.options.max_ply {
                continue;
            }
            until -= 1;
            if until == 0 {
                until = 4096;
                go_on(stop)?;
            }
            let open = path.last_mut().expect("it was just looked at");
            let way = self.way(open.at, open.way, &step, &open.texts);
            let point = step.last.checked_sub(1).map(|rank| self.links.point(self.links.lanes.image(rank, way)));
            self.builder.append(depth, open.to_move, self.play(point))?;
            self.text_of_move(&mut open.texts, point)?;
            self.counts.repeated += u64::from(!first);
            let child = self.open(step.child, way, first)?;
            path.push(child);
        }
        Ok(())
    }

    fn play(&self, point: Option<Point>) -> Play {
        let turned = |point| Move::Place(self.turn.apply(point, self.links.frame.size()));
        Play::Move(point.map_or(Move::Pass, turned))
    }

    /// The next move from a position, and whether it comes to its position for the first time.
    fn next(&mut self, open: &mut Open) -> Option<(Step, bool)> {
        let Some(steps) = &mut open.steps else {
            let end = self.starts[open.at as usize + 1];
            let child = (open.next < end).then(|| self.children[open.next as usize])?;
            open.next += 1;
            return Some((step(self.links, child), true));
        };
        loop {
            let step = steps.pop()?;
            let first = open.first && is_in_tree(self.links, open.at, &step);
            if first || self.builder.tree().len() < self.options.expand.unwrap_or(0) {
                return Some((step, first));
            }
            self.counts.stopped = true;
        }
    }

    /// Writes what is known of the position of the node added last, and prepares its moves.
    fn open(&mut self, at: u32, way: Lane, first: bool) -> Result<Open, Error> {
        let spot = *self.links.spot(at);
        if first {
            match at < self.links.own_from {
                true => self.counts.positions += 1,
                false => self.counts.own += u64::from(at != self.links.root),
            }
        }
        let mut open = Open {
            at,
            way,
            to_move: spot.to_move(),
            next: self.starts[at as usize],
            steps: None,
            texts: Vec::new(),
            first,
        };
        if spot.flags & (flag::REST | flag::GAMES) != 0 {
            let entry = self.links.rest(at);
            open.texts = self.placed(at, way, Some(&entry));
            let stats = (self.options.stats && spot.flags & flag::GAMES != 0).then(|| {
                let Tally { games, first, draws, second } = entry.tally;
                format!("games {games}: black {first}, drawn {draws}, white {second}")
            });
            self.notes(at, &entry, stats, first)?;
        }
        if self.options.expand.is_some() {
            let mut edges = std::mem::take(&mut self.edges);
            self.links.lay(at, &mut self.laid);
            self.links.edges(at, &mut self.laid, &mut edges);
            let of_edge = |edge: &Edge| Step {
                child: edge.child,
                turned: edge.turned,
                last: self.links.lanes.image(edge.rank, edge.turned) + 1,
                games: edge.games,
            };
            let others = edges
                .iter()
                .map(of_edge)
                .filter(|step| self.links.is_reached(step.child) && !is_in_tree(self.links, at, step));
            let mut steps: Vec<Step> = others.collect();
            let children = self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize;
            steps.extend(self.children[children].iter().map(|child| step(self.links, *child)));
            steps.sort_by_key(|step| std::cmp::Reverse(order(self.links, step)));
            self.edges = edges;
            open.steps = Some(steps);
        }
        Ok(open)
    }

    /// Writes the first text that stands on the point of the move added last.
    fn text_of_move(&mut self, texts: &mut [Placed], point: Option<Point>) -> Result<(), Error> {
        let mut on_point = texts.iter_mut().filter(|text| Some(text.point) == point && !text.is_written);
        if let Some(text) = on_point.next() {
            text.is_written = true;
            self.text(text)?;
        }
        Ok(())
    }

    fn text(&mut self, text: &Placed) -> Result<(), Error> {
        self.builder.note(Note::Text(&text.text))?;
        if needs_bytes(&text.text, &text.bytes) {
            self.builder.note(Note::Bytes(Part::Text, &text.bytes))?;
        }
        Ok(())
    }

    /// Adds what follows the children of a position: links to others, and texts on points without a move.
    fn close(&mut self, mut open: Open, depth: usize) -> Result<(), Error> {
        if self.options.links && depth <= self.options.max_ply {
            let mut edges = std::mem::take(&mut self.edges);
            self.links.lay(open.at, &mut self.laid);
            self.links.edges(open.at, &mut self.laid, &mut edges);
            for edge in &edges {
                let last = self.links.lanes.image(edge.rank, edge.turned) + 1;
                let step = Step { child: edge.child, turned: edge.turned, last, games: edge.games };
                if self.links.is_reached(step.child) && !is_in_tree(self.links, open.at, &step) {
                    let way = self.way(open.at, open.way, &step, &open.texts);
                    let point = Some(self.links.point(self.links.lanes.image(last - 1, way)));
                    self.builder.append(depth, open.to_move, self.play(point))?;
                    self.text_of_move(&mut open.texts, point)?;
                    let line = self.line(step.child);
                    self.builder.note(Note::Line(&line))?;
                    self.counts.repeated += 1;
                }
            }
            self.edges = edges;
        }
        for text in open.texts.iter().filter(|text| !text.is_written) {
            let point = self.turn.apply(text.point, self.links.frame.size());
            self.builder.append(depth, open.to_move, Play::Label(point))?;
            self.text(text)?;
            self.counts.labels += 1;
        }
        Ok(())
    }

    /// The line that leads to a position, as a comment names it.
    fn line(&self, to: u32) -> String {
        let size = self.links.frame.size();
        let mut line = Vec::new();
        let mut at = to;
        while at != self.links.root {
            let last = self.links.spot(at).last;
            let way = self.ways[at as usize];
            line.push(last.checked_sub(1).map(|rank| self.links.point(self.links.lanes.image(rank, way))));
            at = self.links.spot(at).parent;
        }
        line.extend(self.start.moves.iter().rev().map(|play| play.point()));
        let name = |point: &Option<Point>| {
            let turned = point.map(|point| self.turn.apply(point, size));
            let size = self.turn.turn_size(size);
            turned.map_or("--".into(), |point| Coords::A1.text(point, size).to_string())
        };
        let names: Vec<String> = line.iter().rev().map(name).collect();
        format!("= {}", names.join(" ")).trim_end().into()
    }

    /// Writes value and comment of the node added last, and counts what has no place.
    fn notes(&mut self, at: u32, entry: &Entry, stats: Option<String>, first: bool) -> Result<(), Error> {
        let spot = *self.links.spot(at);
        let mut lose = |what, is: bool| {
            if is && first {
                match self.unsaid.iter_mut().find(|(other, ..)| *other == what) {
                    Some((_, count, _)) => *count += 1,
                    None => self.unsaid.push((what, 1, at)),
                }
            }
        };
        let has_games = spot.flags & flag::GAMES != 0;
        note_entry(&mut self.builder, entry, spot.to_move(), (has_games, stats), &mut lose)
    }

    fn finish(mut self) -> Grown {
        let Spanning { frame, rule, found, .. } = *self.links;
        let spots = &self.links.known.spots;
        let played = spots.iter().filter(|spot| spot.parent != NONE && spot.flags & flag::PLAYED != 0).count() as u64;
        self.counts.transposed = found.moves - played;
        if let Some(first) = found.first_absent {
            self.unsaid.push(("moves to positions that are not in the book (left out)", found.absent, first));
        }
        let key =
            |(what, count, at): (&'static str, u64, u32)| Unsaid { what, count, first: self.links.key(at).into() };
        let unsaid = self.unsaid.iter().copied().map(key).collect();
        let head = Head { size: self.turn.turn_size(frame.size()), rule: Some(rule), ..Head::default() };
        Grown { record: Record { head, tree: self.builder.build() }, counts: self.counts, unsaid }
    }
}

/// The move of the tree that leads to a position.
fn step(links: &Spanning<'_>, child: u32) -> Step {
    let spot = links.spot(child);
    Step { child, turned: spot.turned, last: spot.last, games: spot.games }
}

/// What moves are sorted by: most games first, then the best value for the side that moves, then from the centre.
fn order(links: &Spanning<'_>, step: &Step) -> impl Ord + use<> {
    let rank = step.last.checked_sub(1).map(|rank| links.lanes.image(rank, links.lanes.inverse(step.turned)));
    (std::cmp::Reverse(step.games), links.spot(step.child).value, rank)
}

/// Whether it is the move by which its position stands in the tree.
fn is_in_tree(links: &Spanning<'_>, from: u32, step: &Step) -> bool {
    let spot = links.spot(step.child);
    // One that no move of the book leads to may have been found in another way round.
    let is_same = spot.flags & flag::PLAYED == 0 || (spot.last == step.last && spot.turned == step.turned);
    spot.parent == from && is_same
}

/// How far up and to the right a point is: the greatest is the one to choose.
fn standing(point: Point, rising: bool) -> (i16, i16) {
    let (up, right) = (-i16::from(point.y()), i16::from(point.x()));
    if rising { (right, up) } else { (up, right) }
}

//! Which position stands before which in the tree: each has one before it.

use crate::bytes::Bytes;
use crate::frame::Canonical;
use crate::known::{Known, NONE, Spot, flag};
use crate::lanes::{Hashes, Lane, Lanes, least};
use crate::links::images_of;
use crate::stones::{Stone, toggle};
use crate::{Frame, row};
use games::{Point, Rule, Side};
use record::{Entry, StoneKey};

/// So many positions are linked together.
const TOGETHER: u32 = 64;

/// The positions of a board and the moves between them.
pub(crate) struct Spanning<'f> {
    pub known: Known,
    pub lanes: Lanes,
    pub frame: &'f Frame,
    pub rule: Rule,
    pub root: u32,
    root_stones: Vec<Stone>,
    /// The tree begins at a position that was asked for, and only what comes after that is in it.
    pub is_branch: bool,
    /// Positions of more stones are not here.
    pub max_ply: usize,
    /// Try all points as moves where the book says no moves at all, as one of a database does.
    pub tries_all: bool,
    pub found: Found,
    /// The positions from here on are not the book's.
    pub own_from: u32,
}

/// What was met while positions were linked.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Found {
    /// Moves of the book that lead to a position of it.
    pub moves: u64,
    /// Moves that lead to none.
    pub absent: u64,
    /// The position before the first of them.
    pub first_absent: Option<u32>,
    /// Positions that no line leads to.
    pub orphans: u64,
}

/// A move and where it leads.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Edge {
    pub child: u32,
    /// The symmetry that turns the board after the move into the child's.
    pub turned: Lane,
    /// The rank of the stone before that.
    pub rank: u16,
    pub games: u32,
}

/// A position as it is worked with.
#[derive(Default)]
pub(crate) struct Laid {
    pub stones: Vec<Stone>,
    set: Vec<u64>,
    hashes: Hashes,
}

impl<'f> Spanning<'f> {
    pub fn new(known: Known, lanes: Lanes, frame: &'f Frame, rule: Rule) -> Spanning<'f> {
        let own_from = known.len();
        let (is_branch, max_ply, tries_all, found) = (false, usize::MAX, false, Found::default());
        let (root, root_stones) = (NONE, Vec::new());
        Spanning { known, lanes, frame, rule, root, root_stones, is_branch, max_ply, tries_all, found, own_from }
    }

    pub fn spot(&self, at: u32) -> &Spot {
        &self.known.spots[at as usize]
    }

    /// Whether the position is in the tree.
    pub fn is_reached(&self, at: u32) -> bool {
        at == self.root || self.spot(at).parent != NONE
    }

    /// What an entry has beside its moves.
    pub fn rest(&self, at: u32) -> Entry {
        let (tally, rest) = self.known.rest(at);
        let mut entry = Entry { tally, ..Entry::default() };
        row::rest(Bytes(rest), &mut entry, self.frame).expect("it was written here");
        entry
    }

    /// The position, by the line that leads to it.
    pub fn key(&self, of: u32) -> StoneKey {
        let (mut at, mut turned) = (of, 0);
        let mut stones = Vec::new();
        while at != self.root && self.spot(at).parent != NONE {
            let spot = self.spot(at);
            if let Some(rank) = spot.last.checked_sub(1) {
                stones.push((self.point(self.lanes.image(rank, turned)), spot.to_move().other()));
            }
            turned = self.lanes.then(spot.turned, turned);
            at = spot.parent;
        }
        let image = |stone: &Stone| (self.point(self.lanes.image(stone >> 1, turned)), crate::frame::side(*stone));
        stones.extend(self.root_stones.iter().map(image));
        stones.sort_unstable_by_key(|(point, _)| *point);
        StoneKey { rule: self.rule, size: self.frame.size(), to_move: self.spot(of).to_move(), stones }
    }

    pub fn point(&self, rank: u16) -> Point {
        self.frame.point(rank.into()).expect("a rank of the board")
    }

    /// Makes a position the root, the book's or, where it has none, one of our own.
    pub fn set_root(&mut self, key: &StoneKey) -> Lane {
        let form = self.frame.canonical_stones(key);
        let mut laid = Laid::default();
        let (stones, _) = self.frame.unpack(&form.key).expect("a key made just now");
        self.lay_stones(stones, key.to_move, &mut laid);
        self.root = match self.find(&laid, key.to_move) {
            Some((at, _)) => at,
            None => self.add(&form.key),
        };
        self.root_stones = laid.stones;
        self.lanes.lane(form.symmetry()).expect("a key is turned by a symmetry of its board")
    }

    /// Adds a position that is not in the book.
    fn add(&mut self, key: &[u8]) -> u32 {
        let mut row = Vec::new();
        row::put_row(&mut row, &Entry::default(), self.frame);
        let at = self.known.add(key, &row, &self.lanes).expect("a row made just now");
        self.known.index(&self.lanes);
        at
    }

    /// Spanning all positions to the empty board.
    pub fn link_all(&mut self) {
        let (mut edges, mut hashes, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut many: [Laid; TOGETHER as usize] = std::array::from_fn(|_| Laid::default());
        for from in (0..self.own_from).step_by(TOGETHER as usize) {
            let positions = || from..self.own_from.min(from.saturating_add(TOGETHER));
            hashes.clear();
            for (at, laid) in positions().zip(&mut many) {
                if self.known.kept(at).has_moves() {
                    self.lay(at, laid);
                    self.hashes_after(at, laid, &mut hashes);
                }
            }
            self.known.fetch(&hashes, &mut found);
            for (at, laid) in positions().zip(&mut many) {
                self.follow(at, laid, &mut edges);
            }
        }
        let mut laid = Laid::default();
        for at in 0..self.own_from {
            if !self.is_reached(at) {
                self.link_back(at, &mut laid);
            }
        }
        for at in 0..self.own_from {
            if !self.is_reached(at) {
                self.link_pass(at, &mut laid);
            }
        }
        let mut orphans: Vec<_> = (0..self.own_from).filter(|at| !self.is_reached(*at)).collect();
        self.found.orphans = orphans.len() as u64;
        // Those with fewer stones first, and those to which a pass leads after those without.
        orphans.sort_by_cached_key(|at| {
            let counts = Counts::of(self.known.kept(*at).stones);
            (counts.firsts + counts.seconds, counts.before(self.spot(*at).to_move()).is_none(), *at)
        });
        for at in orphans {
            self.place(at, &mut laid);
        }
    }

    /// Spanning what can be reached from the root.
    pub fn link_branch(&mut self) {
        self.is_branch = true;
        let count = |links: &Spanning, at: u32| links.known.kept(at).stones.count();
        let from = count(self, self.root);
        let mut levels: Vec<Vec<u32>> = Vec::new();
        for at in 0..self.own_from {
            if let Some(level) = count(self, at).checked_sub(from) {
                levels.resize_with(levels.len().max(level + 1), Vec::new);
                levels[level].push(at);
            }
        }
        if self.root >= self.own_from && !levels.is_empty() {
            levels[0].push(self.root);
        }
        let (mut laid, mut edges) = (Laid::default(), Vec::new());
        for (level, positions) in levels.iter().enumerate() {
            for at in positions {
                if !self.is_reached(*at) && level > 0 {
                    self.link_back(*at, &mut laid);
                }
            }
            for at in positions {
                if !self.is_reached(*at) {
                    self.link_pass(*at, &mut laid);
                }
            }
            for at in positions {
                if self.is_reached(*at) {
                    self.lay(*at, &mut laid);
                    self.follow(*at, &mut laid, &mut edges);
                }
            }
        }
    }

    pub fn lay(&self, at: u32, laid: &mut Laid) {
        let mut stones = std::mem::take(&mut laid.stones);
        stones.clear();
        stones.extend(self.known.kept(at).stones);
        self.lay_stones(stones, self.spot(at).to_move(), laid);
    }

    fn lay_stones(&self, stones: Vec<Stone>, to_move: Side, laid: &mut Laid) {
        laid.set.clear();
        laid.set.resize(self.frame.words(), 0);
        laid.hashes = self.lanes.empty(to_move);
        for stone in &stones {
            toggle(&mut laid.set, *stone);
            self.lanes.toggle(&mut laid.hashes, *stone);
        }
        laid.stones = stones;
    }

    /// The least hashes of the positions after the moves from one that is laid.
    fn hashes_after(&self, at: u32, laid: &Laid, hashes: &mut Vec<u64>) {
        let side = self.spot(at).to_move() as Stone;
        self.known.kept(at).moves(|place, _| {
            if let Some(rank) = place.checked_sub(1) {
                let mut after = laid.hashes;
                self.lanes.toggle(&mut after, 2 * rank as Stone + side);
                self.lanes.pass(&mut after);
                hashes.push(least(&after).0);
            }
        });
    }

    fn find(&self, laid: &Laid, to_move: Side) -> Option<(u32, Lane)> {
        self.known.find(&laid.hashes, &laid.set, laid.stones.len(), to_move, &self.lanes)
    }

    /// The position after a stone more or a stone less, and the symmetry that turns the board into it.
    fn find_with(&self, laid: &mut Laid, stone: Stone, to_move: Side) -> Option<(u32, Lane)> {
        let (word, bit) = (usize::from(stone >> 6), 1 << (stone & 63));
        let is_more = laid.set[word] & bit == 0;
        let number = if is_more { laid.stones.len() + 1 } else { laid.stones.len() - 1 };
        let mut hashes = laid.hashes;
        self.lanes.toggle(&mut hashes, stone);
        self.lanes.pass(&mut hashes);
        laid.set[word] ^= bit;
        let found = self.known.find(&hashes, &laid.set, number, to_move, &self.lanes);
        laid.set[word] ^= bit;
        found
    }

    /// The moves of the book from a position, which is laid, that lead to another one of it; passes are none of them.
    ///
    /// Answers how many passes lead to one, and how many moves to none.
    pub fn edges(&self, at: u32, laid: &mut Laid, edges: &mut Vec<Edge>) -> (u64, u64) {
        edges.clear();
        let kept = self.known.kept(at);
        let probe = self.tries_all && !self.known.has_moves;
        if !kept.has_moves() && !probe {
            return (0, 0);
        }
        let spot = self.spot(at);
        let (mut passes, mut absent) = (0, 0);
        let mut try_move = |place: u64, games: u64| {
            let Some(rank) = place.checked_sub(1) else {
                let mut hashes = laid.hashes;
                self.lanes.pass(&mut hashes);
                let after = spot.to_move().other();
                let found = self.known.find(&hashes, &laid.set, laid.stones.len(), after, &self.lanes);
                if found.is_some() {
                    passes += 1
                } else {
                    absent += 1
                }
                return;
            };
            let rank = rank as u16;
            let stone = 2 * rank + spot.to_move() as Stone;
            // A damaged book may say a move to a point that is taken.
            let is_free = laid.set[usize::from(stone >> 6)] >> (stone & 62) & 3 == 0;
            match is_free.then(|| self.find_with(laid, stone, spot.to_move().other())).flatten() {
                Some((child, turned)) => {
                    let games = u32::try_from(games).unwrap_or(u32::MAX);
                    edges.push(Edge { child, turned, rank, games });
                }
                None => absent += 1,
            }
        };
        if probe {
            let ranks = 0..(self.frame.stones() / 2) as u16;
            let firsts = ranks.filter(|rank| self.lanes.least_image(*rank, spot.own) == *rank);
            firsts.for_each(|rank| try_move(u64::from(rank) + 1, 0));
            return (0, 0);
        }
        kept.moves(try_move);
        (passes, absent)
    }

    /// Offers a position as the one before those that its moves lead to.
    fn follow(&mut self, at: u32, laid: &mut Laid, edges: &mut Vec<Edge>) {
        let (passes, absent) = self.edges(at, laid, edges);
        // What is deeper was left out on purpose.
        let absent = if laid.stones.len() < self.max_ply { absent } else { 0 };
        if absent > 0 {
            self.found.first_absent.get_or_insert(at);
        }
        self.found.absent += absent;
        self.found.moves += passes + edges.len() as u64;
        let own = self.spot(at).own;
        let texts = if edges.is_empty() { Vec::new() } else { self.texts(at) };
        for edge in edges {
            let is_named = texts.contains(&self.lanes.least_image(edge.rank, own));
            let spot = &mut self.known.spots[edge.child as usize];
            let named = if is_named { flag::NAMED } else { 0 };
            let is_better = spot.parent == NONE || (edge.games, named) > (spot.games, spot.flags & flag::NAMED);
            if edge.child != self.root && is_better {
                spot.parent = at;
                spot.games = edge.games;
                spot.turned = edge.turned;
                spot.last = self.lanes.image(edge.rank, edge.turned) + 1;
                spot.flags = spot.flags & !flag::NAMED | named | flag::PLAYED;
            }
        }
    }

    /// The points that have texts, each as the least of those that are alike.
    fn texts(&self, at: u32) -> Vec<u16> {
        if self.spot(at).flags & flag::TEXTS == 0 {
            return Vec::new();
        }
        let least = |point| self.lanes.least_image(self.frame.rank(point), self.spot(at).own);
        self.rest(at).texts.iter().map(|text| least(text.point)).collect()
    }

    /// Finds a position from which a stone of the side that has just moved leads here.
    fn link_back(&mut self, at: u32, laid: &mut Laid) {
        self.lay(at, laid);
        let mover = self.spot(at).to_move().other();
        let mut best: Option<((bool, u32), Lane, Stone)> = None;
        for index in 0..laid.stones.len() {
            let stone = laid.stones[index];
            if crate::frame::side(stone) != mover {
                continue;
            }
            let Some((parent, turned)) = self.find_with(laid, stone, mover) else { continue };
            if self.is_branch && !self.is_reached(parent) {
                continue;
            }
            let point = self.lanes.least_image(self.lanes.image(stone >> 1, turned), self.spot(parent).own);
            let is_named = self.texts(parent).contains(&point);
            let rank = (!is_named, parent);
            if best.is_none_or(|(least, ..)| rank < least) {
                best = Some((rank, turned, stone));
            }
        }
        if let Some(((_, parent), turned, stone)) = best {
            let turned = self.lanes.inverse(turned);
            let spot = &mut self.known.spots[at as usize];
            (spot.parent, spot.turned, spot.last) = (parent, turned, (stone >> 1) + 1);
        }
    }

    /// Finds the position from which a pass leads here, if it stands in the tree by a stone.
    ///
    /// In a branch the book has to say the pass, if it says moves.
    fn link_pass(&mut self, at: u32, laid: &mut Laid) {
        self.lay(at, laid);
        self.lanes.pass(&mut laid.hashes);
        let Some((parent, turned)) = self.find(laid, self.spot(at).to_move().other()) else { return };
        let mut is_said = false;
        self.known.kept(parent).moves(|place, _| is_said |= place == 0);
        let is_open = is_said || !self.is_branch || !self.known.has_moves;
        if is_open && (parent == self.root || (self.is_reached(parent) && self.spot(parent).last != 0)) {
            let turned = self.lanes.inverse(turned);
            let spot = &mut self.known.spots[at as usize];
            (spot.parent, spot.turned, spot.last) = (parent, turned, 0);
            if is_said {
                spot.flags |= flag::PLAYED;
            }
        }
    }

    /// Leads to a position that nothing leads to: stones are taken away until a position is there that is known.
    fn place(&mut self, orphan: u32, laid: &mut Laid) {
        let mut at = orphan;
        while !self.is_reached(at) {
            self.lay(at, laid);
            let to_move = self.spot(at).to_move();
            let counts = Counts::of(laid.stones.iter().copied());
            let Some(mover) = counts.before(to_move) else {
                // The side that has just moved has not put its stone: a pass.
                self.lanes.pass(&mut laid.hashes);
                let (parent, turned) = match self.find(laid, to_move.other()) {
                    Some(found) => found,
                    None => self.add_before(laid.stones.clone(), to_move.other()),
                };
                self.lead(at, parent, turned, None);
                at = parent;
                continue;
            };
            let of_mover = |stone: &Stone| crate::frame::side(*stone) == mover;
            let stones: Vec<Stone> = laid.stones.iter().copied().filter(of_mover).collect();
            let mut known = None;
            for stone in stones.iter().rev() {
                if let Some((parent, turned)) = self.find_with(laid, *stone, mover)
                    && (parent < self.own_from || self.is_reached(parent))
                {
                    known = Some((*stone, (parent, turned)));
                    break;
                }
            }
            let (stone, (parent, turned)) = known.unwrap_or_else(|| {
                let last = *stones.last().expect("the side that has moved has a stone");
                let before = laid.stones.iter().copied().filter(|stone| *stone != last).collect();
                (last, self.add_before(before, mover))
            });
            self.lead(at, parent, turned, Some(stone));
            at = parent;
        }
    }

    /// Adds the position of these stones, and says how they are turned into it.
    fn add_before(&mut self, stones: Vec<Stone>, to_move: Side) -> (u32, Lane) {
        let mut form = Canonical::EMPTY;
        images_of(self.frame, &stones).least(to_move, self.rule.into(), self.frame, &mut form);
        let turned = self.lanes.lane(form.symmetry()).expect("a key is turned by a symmetry of its board");
        (self.add(&form.key), turned)
    }

    fn lead(&mut self, at: u32, parent: u32, turned: Lane, stone: Option<Stone>) {
        let turned = self.lanes.inverse(turned);
        let spot = &mut self.known.spots[at as usize];
        (spot.parent, spot.turned, spot.last) = (parent, turned, stone.map_or(0, |stone| (stone >> 1) + 1));
    }
}

/// How many stones the sides have.
struct Counts {
    firsts: usize,
    seconds: usize,
}

impl Counts {
    fn of(stones: impl Iterator<Item = Stone>) -> Counts {
        let mut counts = [0; 2];
        stones.for_each(|stone| counts[usize::from(stone & 1)] += 1);
        Counts { firsts: counts[0], seconds: counts[1] }
    }

    /// The side whose stone was put last where sides take turns as far as their numbers let them; `None`: a pass.
    fn before(&self, to_move: Side) -> Option<Side> {
        match to_move {
            Side::First if self.firsts <= self.seconds => Some(Side::Second),
            Side::Second if self.firsts > self.seconds => Some(Side::First),
            _ => None,
        }
    }
}

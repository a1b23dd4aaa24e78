//! The search of a tree: principal variation search with a shared table, and victories by fours at its leaves.

pub(crate) mod root;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use self::table::{Known, Table};
use crate::{Board, Kind, Points, Value};
use games::{Point, Rule, Side};
use record::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A ply, in the units of depths.
pub(crate) const PLY: i32 = 8;
/// The longest line that is looked at.
pub(crate) const MOST_PLIES: usize = 128;

const WON: i32 = 30_000;
/// What is larger is a win.
pub(crate) const DECIDED: i32 = WON - 500;
pub(crate) const INFINITE: i32 = 31_000;

/// When all threads of a search are to end.
pub(crate) struct Ends<'a> {
    pub stop: &'a AtomicBool,
    /// Set by the thread that is done first.
    pub is_over: AtomicBool,
    /// Nodes of all threads, some behind.
    pub nodes: AtomicU64,
    pub max_nodes: u64,
    pub deadline: Option<Instant>,
}

/// How often the clock is looked at and nodes are told, in nodes.
const PULSE: u64 = 512;

/// One thread of a search, with what it has learned of moves.
pub(crate) struct Worker<'a> {
    pub board: Board,
    table: &'a Table,
    ends: &'a Ends<'a>,
    /// Stones put on the board by this thread.
    pub nodes: u64,
    told: u64,
    next_pulse: u64,
    pub selective_depth: usize,
    /// The search is to end, and what it returns is worth nothing.
    pub is_ended: bool,
    /// How well moves did that threaten nothing, by side and point.
    history: Box<[[i16; 1024]; 2]>,
    /// The move that refuted the last one, by side and point.
    counters: Box<[[Option<Point>; 1024]; 2]>,
    frames: Box<[Frame; MOST_PLIES + 4]>,
    /// The moves of all positions from the root on.
    moves: Vec<Ranked>,
    /// The best line from each ply on.
    lines: Vec<Vec<Point>>,
}

#[derive(Copy, Clone, Default)]
struct Frame {
    estimate: i32,
    killers: [Option<Point>; 2],
    played: Option<Point>,
    /// This move is not searched here.
    excluded: Option<Point>,
}

/// A move with its rank: the higher comes first, of equal ones the first by row and column.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked(i32);

impl Ranked {
    fn new(point: Point, rank: i32) -> Ranked {
        Ranked(rank << 10 | i32::from(1023 - point.code()))
    }

    fn point(self) -> Point {
        Point::from_code(1023 - (self.0 & 1023) as u16)
    }

    fn rank(self) -> i32 {
        self.0 >> 10
    }
}

/// What the moves of a position are.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Situation {
    /// A five of the other side is to be stopped.
    Five,
    /// A fork of the other side is to be stopped.
    Fork,
    Free,
}

/// Fours near the last one are looked at: so many columns and rows away.
const NEAR: u8 = 4;
/// The fours of a victory at a leaf.
const LEAF_FOURS: u32 = 16;
/// The nodes of one where the search ends, of one on the way, and of one on the line between the bounds of the root.
const LEAF_NODES: u64 = 8;
const INNER_NODES: u64 = 16;
const PRINCIPAL_NODES: u64 = 48;

impl<'a> Worker<'a> {
    pub fn new(board: Board, table: &'a Table, ends: &'a Ends<'a>) -> Worker<'a> {
        Worker {
            board,
            table,
            ends,
            nodes: 0,
            told: 0,
            next_pulse: PULSE.min(ends.max_nodes),
            selective_depth: 0,
            is_ended: false,
            history: Box::new([[0; 1024]; 2]),
            counters: Box::new([[None; 1024]; 2]),
            frames: Box::new([Frame::default(); MOST_PLIES + 4]),
            moves: Vec::new(),
            lines: (0..MOST_PLIES + 2).map(|_| Vec::with_capacity(MOST_PLIES)).collect(),
        }
    }

    /// The best line from the ply on.
    pub fn line(&self, ply: usize) -> &[Point] {
        &self.lines[ply]
    }

    /// Forgets the line of a ply.
    pub fn clear_line(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Puts a stone, as a node of the search.
    pub fn put(&mut self, point: Point, side: Side) {
        self.nodes += 1;
        if self.nodes >= self.next_pulse {
            self.pulse();
        }
        self.board.put(point, side);
    }

    /// Puts a stone of the root.
    pub fn put_at_root(&mut self, point: Point, side: Side) {
        self.frames[0].played = Some(point);
        self.put(point, side);
    }

    /// Tells the nodes, and looks whether the search is to end.
    pub fn pulse(&mut self) {
        let nodes = self.ends.nodes.fetch_add(self.nodes - self.told, Relaxed) + self.nodes - self.told;
        self.told = self.nodes;
        self.next_pulse = self.nodes + PULSE.min(self.ends.max_nodes.saturating_sub(nodes));
        self.is_ended |= nodes >= self.ends.max_nodes
            || self.ends.is_over.load(Relaxed)
            || self.ends.stop.load(Relaxed)
            || self.ends.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    }

    fn key(&self, side: Side) -> u64 {
        self.board.key() ^ if side == Side::First { 0 } else { 0x5851_F42D_4C95_7F2D }
    }

    /// The value of a position for the side to move, `depth` deep, between two bounds.
    pub fn search(&mut self, side: Side, mut alpha: i32, mut beta: i32, depth: i32, ply: usize, is_cut: bool) -> i32 {
        let is_principal = beta - alpha > 1;
        self.lines[ply].clear();
        if self.is_ended {
            return 0;
        }
        self.selective_depth = self.selective_depth.max(ply);
        if let Some(five) = self.board.fives(side).first() {
            self.lines[ply].push(five);
            return WON - (ply as i32 + 1);
        }
        if self.board.empty().is_empty() {
            return 0;
        }
        if ply >= MOST_PLIES {
            return self.board.value(side).clamp(-Value::MOST.get(), Value::MOST.get());
        }
        alpha = alpha.max(-WON + ply as i32);
        beta = beta.min(WON - (ply as i32 + 3));
        if alpha >= beta {
            return alpha;
        }
        let other = side.other();
        let is_caro = self.board.rule() == Rule::Caro;
        let has_to_stop = self.board.fives(other).first();
        if let Some(block) = has_to_stop
            && !is_caro
            && (self.board.fives(other).only().is_none() || self.board.is_forbidden(block, side))
        {
            return -WON + (ply as i32 + 2);
        }
        if has_to_stop.is_none()
            && !is_caro
            && let Some(fork) = self.fork(side)
        {
            self.lines[ply].push(fork);
            return WON - (ply as i32 + 3);
        }
        if depth <= 0 && has_to_stop.is_none() {
            return self.leaf(side, alpha, beta, ply);
        }

        let key = self.key(side);
        let excluded = self.frames[ply].excluded;
        let known = if excluded.is_none() { self.table.get(key) } else { None };
        let best_known = known.and_then(|known| known.best).filter(|best| self.board.empty().contains(*best));
        if let Some(known) = known
            && !is_principal
            && i32::from(known.depth) >= depth
            && let Some(value) = decides(known, alpha, beta, ply)
        {
            if let Some(best) = best_known
                && value >= beta
            {
                self.praise(side, best, depth, ply);
            }
            return value;
        }

        // A five of the other side leaves one move (in caro a few): there is nothing to judge.
        let situation;
        let estimate;
        if has_to_stop.is_some() {
            situation = Situation::Five;
            estimate = if ply >= 2 { self.frames[ply - 2].estimate } else { 0 };
        } else {
            situation = if !is_caro && self.fork(other).is_some() { Situation::Fork } else { Situation::Free };
            estimate = known.map_or_else(|| self.estimate(side), |known| i32::from(known.estimate));
        }
        self.frames[ply].estimate = estimate;
        let is_improving = ply >= 2 && estimate > self.frames[ply - 2].estimate;

        if situation != Situation::Five && excluded.is_none() {
            if !is_principal && situation == Situation::Free {
                // So bad that only a victory by fours can help.
                if depth < 3 * PLY && estimate + 120 + 25 * depth < alpha {
                    let value = self.leaf(side, alpha, beta, ply);
                    if value <= alpha || depth <= PLY {
                        return value;
                    }
                }
                // So good that a move more will not spoil it.
                let margin = (10 - 4 * i32::from(is_improving)) * depth.max(PLY);
                if depth < 7 * PLY && estimate - margin >= beta && beta.abs() < DECIDED {
                    return estimate;
                }
            }
            // A win by fours that the moves below would take long to find.
            if estimate < beta && depth >= 2 * PLY && known.is_none_or(|known| i32::from(known.depth) < 2 * PLY) {
                let nodes = if is_principal { PRINCIPAL_NODES } else { INNER_NODES };
                if let Some(plies) = self.fours(side, nodes, ply) {
                    let value = WON - (ply + plies) as i32;
                    self.keep(key, value, estimate, self.lines[ply].first().copied(), Bound::Lower, depth, ply);
                    return value;
                }
            }
        }
        let mut depth = depth;
        if situation != Situation::Five && best_known.is_none() && depth >= 4 * PLY && excluded.is_none() {
            depth -= PLY;
        }

        let first = self.moves.len();
        self.generate(side, situation, best_known, ply);
        let count = self.moves.len() - first;
        if count == 0 {
            return match situation {
                Situation::Fork => -WON + (ply as i32 + 4),
                Situation::Five => -WON + (ply as i32 + 2),
                Situation::Free => 0,
            };
        }
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut tried = 0;
        let start_alpha = alpha;
        let top =
            self.moves[first..].iter().map(|ranked| ranked.rank()).filter(|rank| *rank < FIRST).max().unwrap_or(0);
        for at in 0..count {
            let ranked = self.pick(first + at, first + count);
            let (point, rank) = (ranked.point(), ranked.rank());
            if Some(point) == excluded || self.board.is_forbidden(point, side) {
                continue;
            }
            let (own, others) = (self.board.kind(point, side), self.board.kind(point, other));
            let is_four = own.has(Kind::FOUR);
            let is_quiet = !own.has(Kind::FOUR.or(Kind::THREE)) && !others.has(Kind::FOUR.or(Kind::FIVE));
            tried += 1;

            if best > -DECIDED && situation == Situation::Free && !is_principal && !is_four {
                let limit = (4 * PLY + depth * depth / (PLY * 4)) / (if is_improving { PLY } else { 2 * PLY }) + 3;
                if depth < 8 * PLY && tried > limit && !own.has(Kind::THREE) {
                    continue;
                }
                if depth < 6 * PLY && is_quiet && estimate + 100 + 12 * depth <= alpha && tried > 2 {
                    continue;
                }
            }

            let mut extension = 0;
            if situation == Situation::Five {
                extension = PLY + PLY / 4;
            } else if Some(point) == best_known
                && depth >= 6 * PLY
                && let Some(known) = known
                && matches!(known.bound, Bound::Lower | Bound::Exact)
                && i32::from(known.depth) >= depth - 3 * PLY
                && i32::from(known.value).abs() < DECIDED
                && ply > 0
            {
                // A move that is much better than all others is looked at more closely.
                let bound = i32::from(known.value) - depth * 2;
                self.frames[ply].excluded = Some(point);
                let value = self.search(side, bound - 1, bound, depth / 2, ply, is_cut);
                self.frames[ply].excluded = None;
                self.lines[ply].clear();
                if self.is_ended {
                    self.moves.truncate(first);
                    return 0;
                }
                if value < bound {
                    extension = if !is_principal && value < bound - 60 { 2 * PLY - PLY / 2 } else { PLY };
                } else if bound >= beta {
                    self.moves.truncate(first);
                    return bound;
                }
            }

            self.frames[ply].played = Some(point);
            self.put(point, side);
            let next = depth - PLY + extension;
            let mut value = -INFINITE;
            let mut is_full = true;
            if tried > 1 && depth >= 2 * PLY && situation != Situation::Five && !is_four {
                let mut reduction = reduction(depth, tried);
                reduction += (top - rank).clamp(0, 96) / 8;
                reduction -= i32::from(is_principal) * PLY;
                reduction += i32::from(is_cut) * PLY;
                reduction -= i32::from(own.has(Kind::THREE)) * PLY;
                reduction -= i32::from(!is_improving) - PLY / 4;
                if situation == Situation::Fork {
                    reduction /= 2;
                }
                let reduced = (next - reduction.max(0)).clamp(PLY.min(next), next);
                if reduced < next {
                    value = -self.search(other, -(alpha + 1), -alpha, reduced, ply + 1, true);
                    is_full = value > alpha;
                }
            }
            if is_full && (tried > 1 || !is_principal) {
                value = -self.search(other, -(alpha + 1), -alpha, next, ply + 1, !is_cut);
            }
            if is_principal && (tried == 1 || value > alpha && value < beta) {
                value = -self.search(other, -beta, -alpha, next, ply + 1, false);
            }
            self.board.take(point, side);
            if self.is_ended {
                self.moves.truncate(first);
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(point);
                    self.extend(point, ply);
                    if value >= beta {
                        if is_quiet {
                            for earlier in first..first + at {
                                let earlier = self.moves[earlier].point();
                                self.remember(side, earlier, -(depth.min(12 * PLY)));
                            }
                        }
                        self.praise(side, point, depth, ply);
                        break;
                    }
                    alpha = value;
                }
            }
        }
        self.moves.truncate(first);
        if tried == 0 {
            return if excluded.is_some() {
                alpha
            } else if situation == Situation::Free {
                0
            } else {
                -WON + (ply as i32 + 4)
            };
        }
        if excluded.is_none() {
            let bound = if best >= beta {
                Bound::Lower
            } else if best > start_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.keep(key, best, estimate, best_move, bound, depth, ply);
        }
        best
    }

    /// A legal fork of a side, which has no five.
    fn fork(&self, side: Side) -> Option<Point> {
        if !self.board.has_forks(side) {
            return None;
        }
        let fours = self.board.fours(side);
        fours.iter().find(|four| self.board.kind(*four, side).has(Kind::FORK) && !self.board.is_forbidden(*four, side))
    }

    fn estimate(&mut self, side: Side) -> i32 {
        self.board.value(side).clamp(-Value::MOST.get(), Value::MOST.get())
    }

    /// The value of a position where the search ends: of a victory by fours, or what the weights say.
    fn leaf(&mut self, side: Side, alpha: i32, beta: i32, ply: usize) -> i32 {
        let key = self.key(side);
        let known = self.table.get(key);
        if let Some(value) = known.and_then(|known| decides(known, alpha, beta, ply)) {
            return value;
        }
        let estimate = known.map_or_else(|| self.estimate(side), |known| i32::from(known.estimate));
        let is_new = known.is_none_or(|known| known.depth == 0);
        // Who stands well enough need not win by fours.
        if estimate >= beta {
            if is_new {
                self.keep(key, estimate, estimate, None, Bound::Lower, 0, ply);
            }
            return estimate;
        }
        if let Some(plies) = self.fours(side, LEAF_NODES, ply) {
            let value = WON - (ply + plies) as i32;
            self.keep(key, value, estimate, self.lines[ply].first().copied(), Bound::Lower, 0, ply);
            return value;
        }
        if self.is_ended {
            return 0;
        }
        if is_new {
            self.keep(key, estimate, estimate, None, Bound::Exact, 0, ply);
        }
        estimate
    }

    /// The plies of a victory by fours of the side to move, within so many nodes; the line is kept.
    fn fours(&mut self, side: Side, nodes: u64, ply: usize) -> Option<usize> {
        if self.board.fours(side).is_empty() || self.board.rule() == Rule::Caro {
            return None;
        }
        let mut line = std::mem::take(&mut self.lines[ply]);
        line.clear();
        let limit = self.nodes + nodes;
        let plies = self.four(side, None, LEAF_FOURS, limit, &mut line);
        line.reverse();
        self.lines[ply] = line;
        plies
    }

    fn four(&mut self, side: Side, last: Option<Point>, left: u32, limit: u64, line: &mut Vec<Point>) -> Option<usize> {
        let other = side.other();
        if let Some(five) = self.board.fives(side).first() {
            line.push(five);
            return Some(1);
        }
        let fours = *self.board.fours(side);
        let block = self.board.fives(other).first();
        if let Some(block) = block {
            if !fours.contains(block) || self.board.fives(other).only().is_none() {
                return None;
            }
        } else if let Some(fork) = self.fork(side) {
            line.push(fork);
            return Some(3);
        }
        if left == 0 {
            return None;
        }
        let first = self.moves.len();
        match block {
            Some(block) => self.moves.push(Ranked::new(block, 0)),
            None => {
                for point in fours.iter() {
                    if last.is_some_and(|last| point.x().abs_diff(last.x()).max(point.y().abs_diff(last.y())) > NEAR) {
                        continue;
                    }
                    let kind = self.board.kind(point, side);
                    let rank = self.board.rank(point, side) + 100 * i32::from(kind.has(Kind::THREE));
                    self.moves.push(Ranked::new(point, rank));
                }
            }
        }
        let count = self.moves.len() - first;
        let mut found = None;
        for at in 0..count {
            if self.nodes >= limit || self.is_ended {
                break;
            }
            let point = self.pick(first + at, first + count).point();
            if self.board.is_forbidden(point, side) {
                continue;
            }
            self.put(point, side);
            let plies = self.after_four(side, point, left, limit, line);
            self.board.take(point, side);
            if plies.is_some() {
                line.push(point);
                found = plies;
                break;
            }
        }
        self.moves.truncate(first);
        found
    }

    /// The plies of a victory by fours that begins with a four which is on the board.
    fn after_four(&mut self, side: Side, four: Point, left: u32, limit: u64, line: &mut Vec<Point>) -> Option<usize> {
        let other = side.other();
        if !self.board.fives(other).is_empty() {
            return None;
        }
        let Some(reply) = self.board.fives(side).only().filter(|reply| !self.board.is_forbidden(*reply, other)) else {
            // Two fives, or one that may not be stopped.
            return Some(3);
        };
        if let Some(fork) = self.fork_after(side, reply) {
            line.extend([fork, reply]);
            return Some(5);
        }
        let may_be_freed = self.board.rule() == Rule::Renju && side == Side::First;
        if self.board.fours(side).is_empty() && !may_be_freed {
            return None;
        }
        self.put(reply, other);
        let plies = self.four(side, Some(four), left - 1, limit, line);
        self.board.take(reply, other);
        plies.map(|plies| {
            line.push(reply);
            plies + 2
        })
    }

    /// A fork that a side has after a reply of the other, if the reply makes no four; seen before it is played.
    fn fork_after(&self, side: Side, reply: Point) -> Option<Point> {
        if self.board.kind(reply, side.other()).has(Kind::FOUR) || !self.board.has_forks(side) {
            return None;
        }
        let is_fork = |four: &Point| {
            let kind = self.board.kind_after(*four, side, reply);
            kind.has(Kind::FORK) && !kind.has(Kind::PERHAPS)
        };
        self.board.fours(side).iter().find(is_fork)
    }

    /// The moves of a position with their ranks; some may be forbidden.
    fn generate(&mut self, side: Side, situation: Situation, best: Option<Point>, ply: usize) {
        let other = side.other();
        let points = match situation {
            Situation::Five if self.board.rule() == Rule::Caro => self.stops_of_fives(side),
            Situation::Five => *self.board.fives(other),
            Situation::Fork => self.stops_of_forks(side),
            Situation::Free => {
                let near = self.board.near();
                if near.is_empty() { *self.board.empty() } else { near }
            }
        };
        let Frame { killers, .. } = self.frames[ply];
        let counter = ply.checked_sub(1).and_then(|ply| self.frames[ply].played);
        let counter = counter.and_then(|played| self.counters[side as usize][usize::from(played.code())]);
        for point in points.iter() {
            let rank = if Some(point) == best {
                FIRST
            } else {
                let mut rank = self.board.rank(point, side);
                rank += i32::from(self.history[side as usize][usize::from(point.code())]) / 256;
                if Some(point) == counter {
                    rank += 12;
                }
                if killers.contains(&Some(point)) {
                    rank += 12;
                }
                rank
            };
            self.moves.push(Ranked::new(point, rank));
        }
    }

    /// The points that stop all forks of the other side, and the own fours.
    fn stops_of_forks(&self, side: Side) -> Points {
        let other = side.other();
        let fours = self.board.fours(other);
        let is_real =
            |four: &Point| self.board.kind(*four, other).has(Kind::FORK) && !self.board.is_forbidden(*four, other);
        let forks: Vec<Point> = fours.iter().filter(is_real).collect();
        let mut points = *self.board.fours(side);
        let stops = |point: Point| forks.iter().all(|fork| !self.board.kind_after(*fork, other, point).has(Kind::FORK));
        if let Some(fork) = forks.first() {
            for point in self.board.reached(*fork).chain([*fork]) {
                if !points.contains(point) && stops(point) {
                    points.toggle(point);
                }
            }
        }
        points
    }

    /// In caro the points after which the other side has no five.
    fn stops_of_fives(&mut self, side: Side) -> Points {
        let other = side.other();
        let mut points = Points::EMPTY;
        let fives = *self.board.fives(other);
        let Some(five) = fives.first() else { return points };
        let near: Vec<Point> = self.board.reached(five).chain([five]).collect();
        for point in near {
            if fives.iter().all(|five| !self.board.kind_after(five, other, point).has(Kind::FIVE)) {
                points.toggle(point);
            }
        }
        points
    }

    /// Brings the move of the highest rank to the front; there is one.
    fn pick(&mut self, first: usize, end: usize) -> Ranked {
        let moves = &mut self.moves[first..end];
        let mut best = 0;
        for (at, ranked) in moves.iter().enumerate() {
            if *ranked > moves[best] {
                best = at;
            }
        }
        moves.swap(0, best);
        moves[0]
    }

    /// The line of a ply: this move, and the line of the next.
    pub fn extend(&mut self, point: Point, ply: usize) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(point);
        before[ply].extend_from_slice(&after[0]);
    }

    /// Remembers that a move was good.
    fn praise(&mut self, side: Side, point: Point, depth: i32, ply: usize) {
        if let Some(played) = ply.checked_sub(1).and_then(|ply| self.frames[ply].played) {
            self.counters[side as usize][usize::from(played.code())] = Some(point);
        }
        let killers = &mut self.frames[ply].killers;
        if killers[0] != Some(point) {
            *killers = [Some(point), killers[0]];
        }
        self.remember(side, point, depth.min(12 * PLY));
    }

    fn remember(&mut self, side: Side, point: Point, bonus: i32) {
        let bonus = bonus * 16;
        let history = &mut self.history[side as usize][usize::from(point.code())];
        // It nears a bound, so that what is new counts.
        let value = i32::from(*history);
        *history = (value + bonus - value * bonus.abs() / 8192).clamp(-8192, 8192) as i16;
    }

    #[expect(clippy::too_many_arguments, reason = "they are the columns of the table")]
    fn keep(&self, key: u64, value: i32, estimate: i32, best: Option<Point>, bound: Bound, depth: i32, ply: usize) {
        if self.is_ended {
            return;
        }
        let value = to_table(value, ply);
        let depth = depth.clamp(0, 1023) as u16;
        self.table.put(key, Known { value, estimate: estimate as i16, best, bound, depth });
    }
}

/// The rank of the move that the table knows.
const FIRST: i32 = 1 << 18;

/// How much less deep the `tried`th move of a position is searched.
pub(crate) fn reduction(depth: i32, tried: i32) -> i32 {
    // By logarithms to the base 2, in eighths, without floating numbers: they are the same on every machine.
    let log = |number: i32| {
        let whole = number.ilog2() as i32;
        8 * whole + ((number << 3) >> whole) - 8
    };
    let plies = log((depth / (PLY / 4)).max(1)) - 16;
    (plies.max(0) * log(tried) / 8) * 3 / 8 + PLY / 4
}

/// The value that is known, if it settles a search between two bounds.
fn decides(known: Known, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
    let value = from_table(known.value, ply);
    let holds = match known.bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value <= alpha,
        Bound::None => false,
    };
    holds.then_some(value)
}

/// Wins and losses count from the position, not from the root.
fn to_table(value: i32, ply: usize) -> i16 {
    let ply = ply as i32;
    (if value > DECIDED {
        value + ply
    } else if value < -DECIDED {
        value - ply
    } else {
        value
    }) as i16
}

fn from_table(value: i16, ply: usize) -> i32 {
    let (value, ply) = (i32::from(value), ply as i32);
    if value > DECIDED {
        value - ply
    } else if value < -DECIDED {
        value + ply
    } else {
        value
    }
}

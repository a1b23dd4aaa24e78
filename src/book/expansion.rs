//! Which moves a book is to follow next.
//!
//! A move costs one, more where it loses against the best and where others stand before it, and less where it leads
//! to what games or the user's lines reached; a line costs as much as its moves. The next move to follow is the rest
//! of a position, or a move to a position without a value, at the end of the cheapest line. Every position knows the
//! cost to the nearest of those ahead of it, so that a change of its value is a matter of what leads to it, and a
//! choice goes straight down; nothing looks at the whole book.
//!
//! The cost of a line is that of Lincke's drop-out expansion, and the rest is Buro's; the field's readings of both
//! are in the manual.

use crate::back_up::Choices;
use crate::graph::{Graph, NodeId, Rests};
use crate::logistic::{ln, win_rate};
use games::Side;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// What moves cost, and which are not to be followed.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Costs {
    /// For a loss of all win rate against the best move.
    pub loss: f32,
    /// For the logarithm of the rank among the moves of a position, the best is the first.
    pub rank: f32,
    /// Games divide the cost of a move to what they reached by 1 + this times the logarithm of their number and one.
    pub games: f32,
    /// A move that loses more win rate than this is not followed.
    pub max_loss: f32,
    /// Positions of so many stones are not left.
    pub max_stones: u16,
    /// The side whose best moves alone are followed.
    pub repertoire: Option<Side>,
}

impl Costs {
    /// Bad moves cost much: few lines, far ahead.
    pub const DEEP: Costs = Costs { loss: 60.0, rank: 1.5, ..Costs::BALANCED };
    /// Between the others.
    pub const BALANCED: Costs =
        Costs { loss: 25.0, rank: 0.7, games: 0.25, max_loss: 1.0, max_stones: u16::MAX, repertoire: None };
    /// Bad moves cost little: all that an opponent might play.
    pub const WIDE: Costs = Costs { loss: 8.0, rank: 0.25, ..Costs::BALANCED };

    /// The cost of a move that loses so much win rate and has this rank, which counts from 1, to a position of so many
    /// games, in parts of [`ONE`].
    fn of(&self, loss: f64, rank: u32, is_lost: bool, games: u32, is_covered: bool) -> u32 {
        // Where all seems lost, what other moves come to is to be seen before it is believed.
        let rank = if is_lost { 0.0 } else { f64::from(self.rank) * ln(rank) };
        let cost = 1.0 + f64::from(self.loss) * loss + rank;
        let cost = cost / (1.0 + f64::from(self.games) * ln(games.saturating_add(1)));
        let cost = if is_covered { cost * COVERED } else { cost };
        // Whole numbers: the sum of a line is the same from whichever end it is taken.
        (cost * f64::from(ONE)).round().clamp(1.0, f64::from(DEAREST)) as u32
    }
}

/// What a cost of one is counted as.
const ONE: u32 = 1 << 12;

/// No move costs more.
const DEAREST: u32 = 1 << 23;

/// The cost to a leaf where there is none.
pub(crate) const NEVER: u32 = u32::MAX;

/// By so much a line that the user gave makes a move cheaper.
const COVERED: f64 = 0.1;

/// A position whose win rate is below this seems lost.
const LOST: f64 = 0.05;

/// A move to be followed, or a position to be looked at.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Leaf {
    /// The position has no value, or no rest.
    Position(NodeId),
    /// The rest of the position, by the place of its move, is to become a position of the book.
    Rest(NodeId, u16),
}

/// A way on from a position.
struct Way {
    to: To,
    cost: u32,
}

/// Where a way leads; of equal moves the book's come before the rest, and those nearer to the centre first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum To {
    Child { place: u16, child: NodeId },
    Rest { place: u16 },
}

/// A position on the way to leaves, or one of them.
///
/// The numbers of positions depend on the order in which they came in, so they decide nothing.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    /// By the nearest leaf.
    total: u32,
    so_far: u32,
    /// A hash of the key.
    tie: u64,
    /// The place of the move if it is a rest that is to be followed.
    rest: Option<u16>,
    node: NodeId,
}

impl Graph {
    fn is_closed(&self, node: NodeId, costs: &Costs, choices: Choices) -> bool {
        let held = &self.nodes[node as usize];
        held.ended.is_some() || held.is_stray || held.backed.is_some_and(|worth| worth.proven) || {
            // What it comes to is still asked for where nobody has looked.
            held.stones >= costs.max_stones && (held.backed.is_some() || choices.are_ahead(held.stones))
        }
    }

    /// The ways on from a position, with their costs. Where it has no value, no move is known to lose.
    fn ways(&self, node: NodeId, costs: &Costs, choices: Choices) -> Vec<Way> {
        let held = &self.nodes[node as usize];
        let k = self.scale().k;
        let is_ahead = choices.are_ahead(held.stones);
        let mut moves: Vec<(To, Option<i32>, u32)> = self
            .children(node)
            .map(|(place, child)| {
                let worth = self.worth_of_move(child, choices).map(|worth| worth.value);
                (To::Child { place, child }, worth, self.nodes[child as usize].games)
            })
            .collect();
        if moves.len() > 1 {
            // Moves that lead to the same position are one.
            let which = |to: &To| if let To::Child { place, child } = *to { (child, place) } else { (NodeId::MAX, 0) };
            moves.sort_unstable_by_key(|(to, ..)| which(to));
            moves.dedup_by_key(|(to, ..)| which(to).0);
        }
        if let Rests::Move { place, worth, .. } = held.rest
            && self.has_rest(node, choices)
            && held.stones < costs.max_stones
            && !held.is_barred
            // Where all that is left is lost for certain, nothing is to be found.
            && (is_ahead || !worth.is_some_and(|worth| worth.proven))
        {
            let value = worth.filter(|_| !is_ahead).map(|worth| worth.value);
            moves.push((To::Rest { place }, value, 0));
        }
        // Of moves of equal value the one that more games played comes first.
        moves.sort_unstable_by_key(|(to, value, games)| (Reverse(*value), Reverse(*games), *to));
        let best = held.backed.map(|worth| win_rate(worth.value, k));
        let is_lost = best.is_some_and(|best| best < LOST);
        let is_own = costs.repertoire.is_some_and(|side| side == self.to_move(node));
        let wanted = choices.offered(held.stones) as u32;
        let mut ways = Vec::with_capacity(moves.len());
        for (rank, (to, value, games)) in (1..).zip(moves) {
            let loss = best.zip(value).map_or(0.0, |(best, value)| (best - win_rate(value, k)).max(0.0));
            if loss > f64::from(costs.max_loss) || is_own && value.is_some() && rank > wanted {
                continue;
            }
            let is_covered = matches!(to, To::Child { child, .. } if self.nodes[child as usize].is_covered);
            ways.push(Way { to, cost: costs.of(loss, rank, is_lost, games, is_covered) });
        }
        ways
    }

    fn to_move(&self, node: NodeId) -> Side {
        if self.key(node).last() == Some(&0) { Side::First } else { Side::Second }
    }

    /// Whether a position is to be looked at itself.
    fn is_wanting(&self, node: NodeId, costs: &Costs, choices: Choices) -> bool {
        let held = &self.nodes[node as usize];
        let lacks_value = held.backed.is_none() && !choices.are_ahead(held.stones);
        !held.is_barred && (lacks_value || !self.has_rest(node, choices) && held.stones < costs.max_stones)
    }

    /// Computes the cost to the nearest leaf from the costs of what the position leads to; whether it has changed.
    pub(crate) fn look_ahead(&mut self, node: NodeId, costs: &Costs, choices: Choices) -> bool {
        let ahead = if self.is_closed(node, costs, choices) {
            NEVER
        } else if self.is_wanting(node, costs, choices) {
            0
        } else {
            let cost = |way: &Way| match way.to {
                To::Child { child, .. } => sum(way.cost, self.nodes[child as usize].ahead),
                To::Rest { .. } => way.cost,
            };
            self.ways(node, costs, choices).iter().map(cost).min().unwrap_or(NEVER)
        };
        std::mem::replace(&mut self.nodes[node as usize].ahead, ahead) != ahead
    }

    /// Computes the costs to the nearest leaves of all positions.
    pub(crate) fn look_ahead_everywhere(&mut self, costs: &Costs, choices: Choices) {
        let mut order: Vec<NodeId> = (0..self.len() as NodeId).collect();
        order.sort_unstable_by_key(|node| Reverse(self.nodes[*node as usize].stones));
        for node in order {
            self.look_ahead(node, costs, choices);
        }
    }

    /// The cheapest leaves that the positions of `from` lead to, at most so many, the cheapest first.
    pub(crate) fn cheapest(&self, from: &[NodeId], count: usize, costs: &Costs, choices: Choices) -> Vec<Leaf> {
        let open = |node: NodeId, so_far: u32, rest: Option<u16>| {
            let ahead = if rest.is_some() { 0 } else { self.nodes[node as usize].ahead };
            let total = sum(so_far, ahead);
            (total < NEVER).then(|| Reverse(Open { total, so_far, tie: xxh3_64(self.key(node)), rest, node }))
        };
        let mut waiting: BinaryHeap<_> = from.iter().filter_map(|root| open(*root, 0, None)).collect();
        let (mut seen, mut leaves) = (HashSet::new(), Vec::new());
        while leaves.len() < count
            && let Some(Reverse(Open { so_far, rest, node, .. })) = waiting.pop()
        {
            if let Some(place) = rest {
                leaves.push(Leaf::Rest(node, place));
                continue;
            }
            if !seen.insert(node) {
                continue;
            }
            if self.is_wanting(node, costs, choices) {
                // What it leads to may be looked at in the same round.
                leaves.push(Leaf::Position(node));
            }
            waiting.extend(self.ways(node, costs, choices).into_iter().filter_map(|Way { to, cost }| match to {
                To::Child { child, .. } => open(child, sum(so_far, cost), None),
                To::Rest { place } => open(node, sum(so_far, cost), Some(place)),
            }));
        }
        leaves
    }
}

/// The cost of two parts of a line.
fn sum(one: u32, other: u32) -> u32 {
    if one == NEVER || other == NEVER { NEVER } else { one.saturating_add(other).min(NEVER - 1) }
}

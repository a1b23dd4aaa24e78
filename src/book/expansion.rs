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
use crate::graph::{Graph, NodeId, Rests, Worth};
use games::Side;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

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

    /// The cost of a move that loses so much win rate and has this rank, which counts from 1.
    fn of(&self, loss: f32, rank: usize, is_lost: bool) -> f32 {
        // Where all seems lost, what other moves come to is to be seen before it is believed.
        let rank = if is_lost { 0.0 } else { self.rank * (rank as f32).ln() };
        1.0 + self.loss * loss + rank
    }
}

/// By so much a line that the user gave makes a move cheaper.
const COVERED: f32 = 0.1;

/// A position whose win rate is below this seems lost.
const LOST: f32 = 0.05;

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
    cost: f32,
}

enum To {
    Child(NodeId),
    Rest(u16),
}

/// A position on the way to leaves, or one of them.
struct Open {
    /// By the nearest leaf.
    total: f32,
    so_far: f32,
    to: Target,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Node(NodeId),
    Leaf(Leaf),
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        self.total.total_cmp(&other.total).then(self.so_far.total_cmp(&other.so_far)).then(self.to.cmp(&other.to))
    }
}

impl Graph {
    fn win_rate(&self, worth: Worth) -> f32 {
        match worth.value {
            value if value > 29_500 => 1.0,
            value if value < -29_500 => 0.0,
            value => (1.0 / (1.0 + (-f64::from(value) / f64::from(self.scale().k)).exp())) as f32,
        }
    }

    fn is_closed(&self, node: NodeId, costs: &Costs) -> bool {
        let held = &self.nodes[node as usize];
        held.ended.is_some() || held.is_stray || held.backed.is_some_and(|worth| worth.proven) || {
            // What it comes to is still asked for where nobody has looked.
            held.stones >= costs.max_stones && held.backed.is_some()
        }
    }

    /// The ways on from a position, with their costs. Where it has no value, no move is known to lose.
    fn ways(&self, node: NodeId, costs: &Costs, choices: Choices) -> Vec<Way> {
        let held = &self.nodes[node as usize];
        let best = held.backed.map(|best| self.win_rate(best));
        // Of moves of equal value the one that more games played comes first, then the rest.
        let mut moves: Vec<(To, Option<f32>, u32)> = self
            .children(node)
            .map(|(_, child)| {
                let worth = self.worth_of_move(child, choices).map(|worth| self.win_rate(worth));
                (To::Child(child), worth, self.nodes[child as usize].games)
            })
            .collect();
        if let Rests::Move { place, worth, .. } = held.rest
            && self.has_rest(node)
            && held.stones < costs.max_stones
            && !held.is_barred
        {
            moves.push((To::Rest(place), worth.map(|worth| self.win_rate(worth)), 0));
        }
        let order = |to: &To| match to {
            To::Child(child) => u64::from(*child),
            To::Rest(_) => u64::MAX,
        };
        moves.sort_by(|(one, value, games), (other, other_value, other_games)| {
            let by_value = other_value.unwrap_or(-1.0).total_cmp(&value.unwrap_or(-1.0));
            by_value.then(other_games.cmp(games)).then_with(|| order(one).cmp(&order(other)))
        });
        let is_own = costs.repertoire.is_some_and(|side| side == self.to_move(node));
        let mut ways = Vec::with_capacity(moves.len());
        for (rank, (to, value, games)) in (1..).zip(moves) {
            let loss = best.zip(value).map_or(0.0, |(best, value)| (best - value).max(0.0));
            if loss > costs.max_loss || is_own && value.is_some() && rank > 1 {
                continue;
            }
            let mut cost = costs.of(loss, rank, best.is_some_and(|best| best < LOST));
            if let To::Child(child) = to {
                cost /= 1.0 + costs.games * (f64::from(games) + 1.0).ln() as f32;
                if self.nodes[child as usize].is_covered {
                    cost *= COVERED;
                }
            }
            ways.push(Way { to, cost });
        }
        ways
    }

    fn to_move(&self, node: NodeId) -> Side {
        if self.key(node).last() == Some(&0) { Side::First } else { Side::Second }
    }

    /// Whether a position is to be looked at itself.
    fn is_wanting(&self, node: NodeId, costs: &Costs) -> bool {
        let held = &self.nodes[node as usize];
        !held.is_barred && (held.backed.is_none() || !self.has_rest(node) && held.stones < costs.max_stones)
    }

    /// Computes the cost to the nearest leaf from the costs of what the position leads to; whether it has changed.
    pub(crate) fn look_ahead(&mut self, node: NodeId, costs: &Costs, choices: Choices) -> bool {
        let ahead = if self.is_closed(node, costs) {
            f32::INFINITY
        } else if self.is_wanting(node, costs) {
            0.0
        } else {
            let cost = |way: &Way| match way.to {
                To::Child(child) => way.cost + self.nodes[child as usize].ahead,
                To::Rest(_) => way.cost,
            };
            self.ways(node, costs, choices).iter().map(cost).fold(f32::INFINITY, f32::min)
        };
        std::mem::replace(&mut self.nodes[node as usize].ahead, ahead).to_bits() != ahead.to_bits()
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
        let mut open = BinaryHeap::new();
        let node = |node: NodeId, so_far: f32| {
            let total = so_far + self.nodes[node as usize].ahead;
            (total < f32::INFINITY).then_some(Reverse(Open { total, so_far, to: Target::Node(node) }))
        };
        open.extend(from.iter().filter_map(|root| node(*root, 0.0)));
        let (mut seen, mut leaves) = (HashSet::new(), Vec::new());
        while leaves.len() < count
            && let Some(Reverse(Open { so_far, to, .. })) = open.pop()
        {
            let at = match to {
                Target::Leaf(leaf) => {
                    leaves.push(leaf);
                    continue;
                }
                Target::Node(at) => at,
            };
            if !seen.insert(at) {
                continue;
            }
            if self.is_wanting(at, costs) {
                // What it leads to may be looked at in the same round.
                leaves.push(Leaf::Position(at));
            }
            for Way { to, cost } in self.ways(at, costs, choices) {
                let so_far = so_far + cost;
                match to {
                    To::Child(child) => open.extend(node(child, so_far)),
                    To::Rest(place) => {
                        open.push(Reverse(Open { total: so_far, so_far, to: Target::Leaf(Leaf::Rest(at, place)) }));
                    }
                }
            }
        }
        leaves
    }
}

//! What a position comes to by what it leads to: minimax over the whole graph.

use crate::graph::{Graph, NodeId, Rests, Worth};
use games::gomoku::OpeningRule;
use std::collections::BTreeMap;

/// Values beyond this tell in how many plies somebody wins.
const FAR: i32 = 29_500;

/// How the players choose while the opening lasts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// The number of stones after which the other player may take either side, one bit each from bit 0 on.
    swaps: u64,
    /// So many stones are put by one player.
    alone: u16,
    /// How many fifth moves Black offers, of which White takes one.
    fifths: usize,
}

impl Choices {
    /// Those of an opening rule. While one player puts all stones, values are that player's; `fifths` is the number of fifth moves where the rule leaves it to the players.
    pub fn new(rule: &OpeningRule, fifths: Option<u8>) -> Choices {
        let swaps = rule.swaps().iter().fold(0, |swaps, ply| swaps | 1 << ply);
        let fifths = rule.offers().or(fifths).unwrap_or(1);
        Choices { swaps, alone: rule.plies_alone().into(), fifths: fifths.into() }
    }

    /// Whether what a search finds after so many stones is not what the players choose by.
    const fn are_ahead(self, stones: u16) -> bool {
        stones < self.alone || self.may_swap(stones + 1)
    }

    const fn may_swap(self, stones: u16) -> bool {
        stones < 64 && self.swaps >> stones & 1 == 1
    }
}

impl Worth {
    const fn decided(self) -> bool {
        self.value.abs() > FAR
    }

    /// What a position is worth to the side that moves to it.
    fn before(self) -> Worth {
        let later = match self.value {
            value if value > FAR => value - 1,
            value if value < -FAR => value + 1,
            value => value,
        };
        Worth { value: -later, proven: self.proven }
    }
}

impl Graph {
    /// Whether the rest of a position is known, and still the best of the moves that lead to no position with a value.
    pub(crate) fn has_rest(&self, node: NodeId) -> bool {
        match self.nodes[node as usize].rest {
            Rests::Unknown => false,
            Rests::Nothing => true,
            Rests::Move { place: held, .. } => {
                !self.children(node).any(|(place, child)| place == held && self.worth(child).is_some())
            }
        }
    }

    /// What a child is worth to the side that moves from its parent.
    pub(crate) fn worth_of_move(&self, child: NodeId, choices: Choices) -> Option<Worth> {
        let worth = self.worth(child)?;
        let stones = self.nodes[child as usize].stones;
        if choices.may_swap(stones) {
            // Who may choose takes the better side.
            return Some(Worth { value: worth.value.abs(), ..worth }.before());
        }
        if stones < choices.alone {
            // The same player goes on.
            return Some(Worth { value: -worth.before().value, ..worth });
        }
        Some(worth.before())
    }

    /// The value of a position by those that it leads to, its rest and what others say.
    fn value_of(&self, node: NodeId, choices: Choices) -> Option<Worth> {
        let held = &self.nodes[node as usize];
        if let Some(ended) = held.ended {
            return Some(ended);
        }
        let children = self.children(node).filter_map(|(_, child)| self.worth_of_move(child, choices));
        let mut all: Vec<Worth> = children.collect();
        let has_rest = self.has_rest(node) && !choices.are_ahead(held.stones);
        match held.rest {
            _ if choices.are_ahead(held.stones) => {}
            Rests::Move { worth: Some(worth), .. } if has_rest => all.push(worth),
            Rests::Unknown => all.extend(held.judged.map(|value| Worth { value, proven: false })),
            Rests::Move { .. } | Rests::Nothing => {}
        }
        if choices.fifths > 1 && held.stones == 4 {
            all.sort_by_key(|worth| std::cmp::Reverse(worth.value));
            // Fewer than are to be offered: the others are no better than the worst that is known.
            return all.get(choices.fifths - 1).or(all.last()).copied();
        }
        let by_proof = all.iter().filter(|worth| worth.proven && worth.value > FAR);
        if let Some(won) = by_proof.copied().max_by_key(|worth| worth.value) {
            return Some(won);
        }
        let best = all.iter().map(|worth| worth.value).max()?;
        let knows_all = has_rest && all.iter().all(|worth| worth.proven);
        let worth = Worth { value: best, proven: knows_all };
        Some(Worth { proven: knows_all && worth.decided() && best < 0, ..worth })
    }

    /// Computes the values of all positions.
    pub fn back_up(&mut self, choices: Choices) {
        let mut order: Vec<NodeId> = (0..self.len() as NodeId).collect();
        order.sort_unstable_by_key(|node| std::cmp::Reverse(self.nodes[*node as usize].stones));
        for node in order {
            self.nodes[node as usize].backed = self.value_of(node, choices);
        }
    }

    /// Computes the values of some positions and of all that depend on them; `each` sees every position that was
    /// looked at, children before parents, and says whether it has changed in another way.
    pub(crate) fn back_up_from(
        &mut self,
        changed: impl IntoIterator<Item = NodeId>,
        choices: Choices,
        mut each: impl FnMut(&mut Graph, NodeId) -> bool,
    ) {
        let mut waiting: BTreeMap<u16, Vec<NodeId>> = BTreeMap::new();
        for node in changed {
            waiting.entry(self.nodes[node as usize].stones).or_default().push(node);
        }
        while let Some((_, mut nodes)) = waiting.pop_last() {
            nodes.sort_unstable();
            nodes.dedup();
            for node in nodes {
                let worth = self.value_of(node, choices);
                let before = std::mem::replace(&mut self.nodes[node as usize].backed, worth);
                let is_other = each(self, node);
                if worth != before || is_other {
                    for parent in self.parents(node) {
                        waiting.entry(self.nodes[parent as usize].stones).or_default().push(parent);
                    }
                }
            }
        }
    }
}

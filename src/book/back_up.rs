//! What a position comes to by what it leads to: minimax over the whole graph.

use crate::graph::{Graph, NodeId, Rests, Worth};
use games::gomoku::OpeningRule;
use std::collections::BTreeMap;

/// Values beyond this tell in how many plies somebody wins.
pub(crate) const FAR: i32 = 29_500;

/// Whether a value says that somebody wins.
pub(crate) const fn is_decided(value: i32) -> bool {
    value > FAR || value < -FAR
}

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
    /// Those of an opening rule. While one player puts all stones, values are that player's; `fifths` is the number of
    /// fifth moves where the rule leaves it to the players.
    ///
    /// Where stones may go is not looked at. What Swap2 offers beside a choice of sides, to put two stones more and
    /// leave the choice to the other, is never better than to choose, and is left out.
    pub fn new(rule: &OpeningRule, fifths: Option<u8>) -> Choices {
        let alone = rule.plies_alone();
        let swaps = rule.swaps().iter().filter(|ply| alone == 0 || **ply <= alone + 1);
        let fifths = rule.offers().or(fifths).unwrap_or(1);
        Choices { swaps: swaps.fold(0, |swaps, ply| swaps | 1 << ply), alone: alone.into(), fifths: fifths.into() }
    }

    /// Whether what a search finds after so many stones is not what the players choose by.
    pub(crate) const fn are_ahead(self, stones: u16) -> bool {
        stones < 63 && self.swaps >> (stones + 1) != 0 || self.fifths > 1 && stones < 4
    }

    const fn may_swap(self, stones: u16) -> bool {
        stones < 64 && self.swaps >> stones & 1 == 1
    }

    /// How many moves are offered after so many stones, of which the other player takes one.
    pub(crate) fn offered(self, stones: u16) -> usize {
        if stones == 4 { self.fifths.max(1) } else { 1 }
    }

    /// Whether the player whose turn it is after so many stones offers fifth moves, or plays one after which sides
    /// may be swapped: Taraguchi.
    const fn offer_or_play(self, stones: u16) -> bool {
        stones == 4 && self.fifths > 1 && self.may_swap(5)
    }
}

impl Worth {
    /// What a position is worth to the side that moves to it.
    const fn before(self) -> Worth {
        let later = match self.value {
            value if value > FAR => value - 1,
            value if value < -FAR => value + 1,
            value => value,
        };
        Worth { value: -later, proven: self.proven }
    }

    const fn is_won(self) -> bool {
        self.proven && self.value > FAR
    }

    const fn is_lost(self) -> bool {
        self.proven && self.value < -FAR
    }
}

/// What is known of the moves that lead to no position with a value.
#[derive(Copy, Clone)]
enum Others {
    /// There are none.
    Nothing,
    /// The best of them.
    Best(Worth),
    Unknown,
}

/// What a choice of moves comes to if the `offered`th best of them is taken, which the others are at best.
fn choice(moves: &mut [Worth], others: Others, offered: usize) -> Option<Worth> {
    moves.sort_unstable_by_key(|worth| (std::cmp::Reverse(worth.value), !worth.proven));
    // The best of the others is one move: for more than one of them nothing is proven.
    let mut won: Vec<Worth> = moves.iter().copied().filter(|worth| worth.is_won()).collect();
    if let Others::Best(best) = others
        && best.is_won()
    {
        won.push(best);
        won.sort_unstable_by_key(|worth| std::cmp::Reverse(worth.value));
    }
    if let Some(won) = won.get(offered - 1) {
        return Some(*won);
    }
    let known = moves.get(offered - 1);
    let best = match others {
        Others::Best(best) => Some(known.map_or(best.value, |known| best.value.max(known.value))),
        // Where fewer are known than are to be offered, the others are taken to be no better than the worst of them.
        Others::Nothing | Others::Unknown => known.or(moves.last()).map(|worth| worth.value),
    };
    let others_are_lost = match others {
        Others::Nothing => true,
        Others::Best(best) => best.is_lost(),
        Others::Unknown => false,
    };
    let is_lost = others_are_lost && moves.iter().skip(offered - 1).all(|worth| worth.is_lost());
    best.map(|value| Worth { value, proven: is_lost && value < -FAR })
}

impl Graph {
    /// Whether a position is one that the book follows: it has a value, or what it comes to is a matter of the
    /// opening and somebody has looked at its moves.
    pub(crate) fn is_followed(&self, node: NodeId, choices: Choices) -> bool {
        let held = &self.nodes[node as usize];
        held.backed.is_some() || choices.are_ahead(held.stones) && held.rest != Rests::Unknown
    }

    /// Whether the rest of a position is known, and still the best of the moves that the book does not follow.
    pub(crate) fn has_rest(&self, node: NodeId, choices: Choices) -> bool {
        match self.nodes[node as usize].rest {
            Rests::Unknown => false,
            Rests::Nothing => true,
            Rests::Move { place: held, .. } => {
                !self.children(node).any(|(place, child)| place == held && self.is_followed(child, choices))
            }
        }
    }

    /// How many of the moves of a position that has a rest lead to what the book follows, but for the rest's own.
    pub(crate) fn followed_beside_rest(&self, node: NodeId, choices: Choices) -> u16 {
        let Rests::Move { place: held, .. } = self.nodes[node as usize].rest else { return 0 };
        let is_beside = |(place, child): &(u16, NodeId)| *place != held && self.is_followed(*child, choices);
        self.children(node).filter(is_beside).count() as u16
    }

    /// What a child is worth to the side that moves from its parent.
    pub(crate) fn worth_of_move(&self, child: NodeId, choices: Choices) -> Option<Worth> {
        let worth = self.worth(child)?;
        let stones = self.nodes[child as usize].stones;
        if choices.may_swap(stones) && !choices.offer_or_play(stones) {
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
        let children = || self.children(node).filter_map(|(_, child)| self.worth_of_move(child, choices));
        if choices.offer_or_play(held.stones) {
            return self.value_of_fifths(node, children().collect(), choices);
        }
        let judged = held.judged.map_or(Others::Unknown, |value| Others::Best(Worth { value, proven: false }));
        let others = match held.rest {
            _ if choices.are_ahead(held.stones) => Others::Unknown,
            Rests::Nothing => Others::Nothing,
            Rests::Move { worth, .. } if self.has_rest(node, choices) => worth.map_or(judged, Others::Best),
            Rests::Move { .. } => Others::Unknown,
            Rests::Unknown => judged,
        };
        let offered = choices.offered(held.stones);
        if offered > 1 {
            return choice(&mut children().collect::<Vec<_>>(), others, offered).or_else(|| passed(others));
        }
        let all = || children().chain(if let Others::Best(best) = others { Some(best) } else { None });
        if let Some(won) = all().filter(|worth| worth.is_won()).max_by_key(|worth| worth.value) {
            return Some(won);
        }
        let Some(value) = all().map(|worth| worth.value).max() else { return passed(others) };
        let is_lost = !matches!(others, Others::Unknown) && all().all(Worth::is_lost);
        Some(Worth { value, proven: is_lost })
    }

    /// As it is worth to whoever decides after the fourth stone, who may also swap: then the other plays a fifth, after
    /// which the first may swap again.
    fn value_of_fifths(&self, node: NodeId, mut swapped: Vec<Worth>, choices: Choices) -> Option<Worth> {
        swapped.sort_unstable_by_key(|worth| std::cmp::Reverse(worth.value));
        let played = swapped.first().map(|worth| Worth { value: worth.value.abs(), proven: false });
        let mut plain: Vec<Worth> =
            self.children(node).filter_map(|(_, child)| Some(self.worth(child)?.before())).collect();
        // Nobody offers moves that nobody knows.
        let offered = choices.offered(4);
        let offered = if plain.len() < offered { None } else { choice(&mut plain, Others::Unknown, offered) };
        played.into_iter().chain(offered).max_by_key(|worth| (worth.value, worth.proven))
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
            // Whether the rest of a parent still holds may depend on what is known of the position beside its value.
            for node in self.parents(node).chain([node]) {
                waiting.entry(self.nodes[node as usize].stones).or_default().push(node);
            }
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

/// Who has no move but forbidden ones neither wins nor loses by that.
fn passed(others: Others) -> Option<Worth> {
    matches!(others, Others::Nothing).then_some(Worth { value: 0, proven: false })
}

//! Back-up, the choice of leaves and what answers do, held against plain maps and plain recursion; and an evaluator
//! that knows no game but always answers the same.

use crate::graph::{Graph, NodeId};
use crate::samples::Random;
use crate::slow::{Positions, after, read, write};
use crate::{Absorbed, Book, Choices, Costs, Found, Frames, Leaf, Scale, Study, Worth, fingerprint};
use games::gomoku::{Board, OpeningRule, Three, forbidden, symmetries};
use games::{Game, Move, Point, Rule, Side, Size};
use record::{Bound, Effort, Entry, Finding, Grounds, Judgement, Line, Question, Rest, StoneKey, Tally};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;

const SCALE: Scale = Scale { k: Judgement::SCALE, converts: false };
static GO_ON: AtomicBool = AtomicBool::new(false);

/// Positions of lines that share a few points of a small board, so that they meet in many ways: some with fours on the
/// board, so that there are fives, some without all of their stones, most with what somebody has said of them.
fn random_positions(random: &mut Random, symmetric: bool) -> Positions {
    let mut frames = Frames::new(symmetric);
    let mut positions = Positions::new();
    for _ in 0..3 {
        let sizes =
            [Size::square(3), Size::square(4), Size::new(4, 3), Size::square(5), Size::square(6), Size::new(6, 5)];
        let size = sizes[random.below(6) as usize].unwrap();
        let rule = [Rule::Renju, Rule::Freestyle][random.below(2) as usize];
        let mut base = StoneKey { rule, size, to_move: Side::First, stones: Vec::new() };
        if size.width() >= 5 {
            for x in 0..4 {
                if random.below(3) > 0 {
                    base.stones.push((Point::new(x, 1).unwrap(), Side::First));
                    base.stones.push((Point::new(x + size.width() - 4, 3).unwrap(), Side::Second));
                }
            }
        }
        let pool: Vec<Point> = (0..6).map(|_| random.point(size)).collect();
        for _ in 0..14 {
            let mut here = base.clone();
            for _ in 0..random.below(7) {
                let point = if random.below(4) == 0 { random.point(size) } else { pool[random.below(6) as usize] };
                if here.stones.iter().all(|(taken, _)| *taken != point) {
                    here.stones.push((point, here.to_move));
                    here.to_move = here.to_move.other();
                }
                here.stones.sort_unstable_by_key(|(point, _)| *point);
                let frame = frames.of(Game::Gomoku, size);
                let key = frame.canonical_stones(&here).key;
                let held = positions.entry(key.clone()).or_default();
                if *held == Entry::default() {
                    *held = random_entry(random, &frame.stone_key(&key).unwrap());
                }
            }
        }
    }
    positions.retain(|_, _| random.below(8) > 0);
    positions
}

fn random_value(random: &mut Random) -> i32 {
    [random.below(400) as i32 - 200, 29_990 + random.below(9) as i32, -29_990 - random.below(9) as i32]
        [random.below(3) as usize]
}

fn random_judgement(random: &mut Random) -> Judgement {
    Judgement {
        value: random_value(random),
        bound: Bound::Exact,
        depth: random.below(5) as i16,
        nodes: Some(random.below(1000)),
        scale: Judgement::SCALE,
        source: ["", "one", "other"][random.below(3) as usize].into(),
    }
}

fn random_entry(random: &mut Random, position: &StoneKey) -> Entry {
    let mut entry =
        Entry { tally: Tally { games: random.below(3) * random.below(40), ..Tally::default() }, ..Entry::default() };
    if random.below(3) == 0 {
        entry.judgement = Some(random_judgement(random));
    }
    let free: Vec<Point> = free_points(position);
    if random.below(2) == 0 && !free.is_empty() {
        let judgement = (random.below(5) > 0).then(|| random_judgement(random));
        let proven = random.below(2) == 0 && judgement.as_ref().is_some_and(|held| held.plies_to_end().is_some());
        let play = match random.below(6) {
            0 => None,
            // Any image of it.
            _ => Some(Move::Place(free[random.below(free.len() as u64) as usize])),
        };
        let judgement = judgement.filter(|_| play.is_some());
        entry.rest = Some(Rest { play, proven: proven && judgement.is_some(), judgement });
    }
    entry
}

fn free_points(position: &StoneKey) -> Vec<Point> {
    position.size.points().filter(|point| position.stones.iter().all(|(taken, _)| taken != point)).collect()
}

fn is_forbidden(position: &StoneKey, point: Point) -> bool {
    let board = Board::with_stones(position.size, position.stones.iter().copied()).unwrap();
    position.rule == Rule::Renju
        && position.to_move == Side::First
        && forbidden::is_forbidden(&board, point, Three::Rif)
}

/// Whether a side has five in a row, by walking along every row.
fn has_five(position: &StoneKey, side: Side) -> bool {
    let at = |x: i32, y: i32| {
        let point = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| Point::new(x, y));
        point.is_some_and(|point| position.size.contains(point) && position.stones.contains(&(point, side)))
    };
    position.size.points().any(|point| {
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
            let (x, y) = (i32::from(point.x()), i32::from(point.y()));
            let length = (0..).take_while(|n| at(x + n * dx, y + n * dy)).count();
            let is_start = !at(x - dx, y - dy);
            is_start && (length == 5 || length > 5 && !(position.rule == Rule::Renju && side == Side::First))
        })
    })
}

fn slow_ended(position: &StoneKey) -> Option<Worth> {
    if has_five(position, position.to_move.other()) {
        return Some(Worth { value: -30_000, proven: true });
    }
    if has_five(position, position.to_move) {
        return Some(Worth { value: 30_000, proven: true });
    }
    free_points(position).is_empty().then_some(Worth { value: 0, proven: false })
}

/// A book by a plain map.
struct Slow {
    symmetric: bool,
    entries: Positions,
    keys: BTreeMap<Vec<u8>, StoneKey>,
    /// By place.
    links: BTreeMap<Vec<u8>, BTreeSet<(u16, Vec<u8>)>>,
    stray: BTreeSet<Vec<u8>>,
    choices: Choices,
    rule: Option<OpeningRule>,
    fifths: usize,
    worths: HashMap<Vec<u8>, Option<Worth>>,
}

impl Slow {
    fn new(entries: Positions, symmetric: bool, rule: Option<OpeningRule>) -> Slow {
        let mut frames = Frames::new(symmetric);
        let keys = crate::slow::keys(&entries, symmetric);
        let mut links: BTreeMap<Vec<u8>, BTreeSet<(u16, Vec<u8>)>> = BTreeMap::new();
        let (mut against, mut led_to) = (BTreeSet::new(), BTreeSet::new());
        for (key, position) in &keys {
            let frame = frames.of_stones(position);
            let form = frame.canonical_stones(position);
            for point in free_points(position) {
                let child = after(frame, position, Move::Place(point)).unwrap();
                if !keys.contains_key(&child) {
                    continue;
                }
                if is_forbidden(position, point) || slow_ended(position).is_some() {
                    against.insert(child);
                    continue;
                }
                let place = frame.place(Move::Place(frame.stored_point(&form, point))) as u16;
                led_to.insert(child.clone());
                links.entry(key.clone()).or_default().insert((place, child));
            }
        }
        let stray = against.difference(&led_to).cloned().collect();
        let choices = rule.as_ref().map_or(Choices::default(), |rule| Choices::new(rule, Some(3)));
        let fifths = rule.as_ref().map_or(1, |rule| rule.offers().unwrap_or(3)).into();
        Slow { symmetric, entries, keys, links, stray, choices, rule, fifths, worths: HashMap::new() }
    }

    fn children(&self, key: &[u8]) -> Vec<(u16, Vec<u8>)> {
        self.links.get(key).into_iter().flatten().cloned().collect()
    }

    fn rest(&self, key: &[u8]) -> Option<(Option<u16>, Option<Worth>)> {
        let rest = self.entries[key].rest.as_ref()?;
        let mut frames = Frames::new(self.symmetric);
        let position = &self.keys[key];
        let frame = frames.of_stones(position);
        let form = frame.canonical_stones(position);
        let place =
            rest.play.map(|play| frame.place(Move::Place(frame.stored_point(&form, play.point().unwrap()))) as u16);
        let worth = rest.judgement.as_ref().map(|held| Worth { value: held.value, proven: rest.proven });
        Some((place, worth))
    }

    fn stones(&self, key: &[u8]) -> usize {
        self.keys[key].stones.len()
    }

    /// Whether sides are chosen, or fifths are offered, after more stones than these.
    fn is_ahead(&self, stones: usize) -> bool {
        let Some(rule) = &self.rule else { return false };
        let last = if rule.name == "swap2" { 3 } else { rule.swaps().last().copied().unwrap_or(0).into() };
        stones < last || self.fifths > 1 && stones < 4
    }

    fn is_followed(&mut self, key: &[u8]) -> bool {
        self.worth(key).is_some() || self.is_ahead(self.stones(key)) && self.rest(key).is_some()
    }

    fn has_rest(&mut self, key: &[u8]) -> bool {
        let Some((place, _)) = self.rest(key) else { return false };
        let Some(place) = place else { return true };
        self.children(key).into_iter().all(|(other, child)| other != place || !self.is_followed(&child))
    }

    fn one_ply(worth: Worth) -> Worth {
        let value = if worth.value > 29_500 {
            worth.value - 1
        } else if worth.value < -29_500 {
            worth.value + 1
        } else {
            worth.value
        };
        Worth { value, ..worth }
    }

    fn negated(worth: Worth) -> Worth {
        Worth { value: -worth.value, ..worth }
    }

    /// A move that leads to a position, for whoever makes it.
    fn of_move(&mut self, child: &[u8]) -> Option<Worth> {
        let stones = self.stones(child);
        let worth = Self::one_ply(self.worth(child)?);
        let Some(rule) = self.rule else { return Some(Self::negated(worth)) };
        let may_swap = match (rule.name, stones) {
            ("swap2", 5) | ("taraguchi", 4) => false,
            _ => rule.swaps().iter().any(|ply| usize::from(*ply) == stones),
        };
        Some(match () {
            () if may_swap => Worth { value: -worth.value.abs(), ..worth },
            () if stones < usize::from(rule.plies_alone()) => worth,
            () => Self::negated(worth),
        })
    }

    fn worth(&mut self, key: &[u8]) -> Option<Worth> {
        if let Some(known) = self.worths.get(key) {
            return *known;
        }
        let worth = self.find_worth(key);
        self.worths.insert(key.to_vec(), worth);
        worth
    }

    fn find_worth(&mut self, key: &[u8]) -> Option<Worth> {
        let (position, entry) = (self.keys[key].clone(), self.entries[key].clone());
        if let Some(ended) = slow_ended(&position) {
            return Some(ended);
        }
        let stones = position.stones.len();
        let children: Vec<Vec<u8>> = self.children(key).into_iter().map(|(_, child)| child).collect();
        let moves: Vec<Worth> = children.iter().filter_map(|child| self.of_move(child)).collect();
        if stones == 4 && self.rule.is_some_and(|rule| rule.name == "taraguchi") {
            let mut plain: Vec<i32> =
                children.iter().filter_map(|child| Some(-Self::one_ply(self.worth(child)?).value)).collect();
            plain.sort_unstable();
            let offered = plain.iter().rev().nth(self.fifths - 1).copied();
            let played = moves.iter().map(|worth| worth.value).max().map(i32::abs);
            let value = offered.into_iter().chain(played).max()?;
            let won = children.iter().filter(|child| {
                let worth = self.worths.get(*child).copied().flatten();
                worth.is_some_and(|worth| worth.proven && worth.value < -29_500)
            });
            let proven = won.count() >= self.fifths && offered == Some(value);
            return Some(Worth { value, proven });
        }
        let judged = entry.judgement.as_ref().map(|held| Worth { value: held.value, proven: false });
        let (mut has_others, mut best_of_others) = (true, None);
        match self.rest(key) {
            _ if self.is_ahead(stones) => {}
            None => best_of_others = judged,
            Some((None, _)) => has_others = false,
            Some((Some(_), worth)) if self.has_rest(key) => best_of_others = worth.or(judged),
            Some(_) => {}
        }
        let offered = if stones == 4 { self.fifths } else { 1 };
        let is_won = |worth: &&Worth| worth.proven && worth.value > 29_500;
        let is_lost = |worth: &Worth| worth.proven && worth.value < -29_500;
        let mut won: Vec<i32> = moves.iter().chain(&best_of_others).filter(is_won).map(|worth| worth.value).collect();
        won.sort_unstable();
        if won.len() >= offered {
            return Some(Worth { value: won[won.len() - offered], proven: true });
        }
        // As many of the others as there might be.
        let mut all = moves;
        all.sort_unstable_by_key(|worth| (-worth.value, !worth.proven));
        let unoffered = all.len().min(offered - 1);
        let proven =
            (!has_others || best_of_others.as_ref().is_some_and(is_lost)) && all[unoffered..].iter().all(is_lost);
        let mut values: Vec<i32> = all.iter().map(|worth| worth.value).collect();
        values.extend(best_of_others.iter().flat_map(|worth| vec![worth.value; offered]));
        values.sort_unstable();
        if values.is_empty() {
            return (!has_others).then_some(Worth { value: 0, proven: false });
        }
        let value = values[values.len().saturating_sub(offered)];
        Some(Worth { value, proven: proven && value < -29_500 })
    }

    fn is_closed(&mut self, key: &[u8], costs: &Costs) -> bool {
        let worth = self.worth(key);
        let stones = self.stones(key);
        slow_ended(&self.keys[key]).is_some()
            || self.stray.contains(key)
            || worth.is_some_and(|worth| worth.proven)
            || stones >= usize::from(costs.max_stones) && (worth.is_some() || self.is_ahead(stones))
    }

    fn is_wanting(&mut self, key: &[u8], costs: &Costs) -> bool {
        let stones = self.stones(key);
        self.worth(key).is_none() && !self.is_ahead(stones)
            || !self.has_rest(key) && stones < usize::from(costs.max_stones)
    }

    /// What leads on: the position or the place of the rest, and the cost by the library's logarithms.
    fn ways(&mut self, key: &[u8], costs: &Costs, covered: &BTreeSet<Vec<u8>>) -> Vec<(Result<Vec<u8>, u16>, u32)> {
        let stones = self.stones(key);
        let mut moves: BTreeMap<Vec<u8>, (Option<i32>, u64, u16)> = BTreeMap::new();
        for (place, child) in self.children(key) {
            let value = self.of_move(&child).map(|worth| worth.value);
            let games = self.entries[&child].tally.games;
            moves.entry(child).or_insert((value, games, place));
        }
        let mut moves: Vec<_> =
            moves.into_iter().map(|(child, (value, games, place))| (value, games, place, Ok(child))).collect();
        if let Some((Some(place), worth)) = self.rest(key)
            && self.has_rest(key)
            && stones < usize::from(costs.max_stones)
        {
            let is_ahead = self.is_ahead(stones);
            if is_ahead || worth.is_none_or(|worth| !worth.proven) {
                moves.push((worth.filter(|_| !is_ahead).map(|worth| worth.value), 0, u16::MAX, Err(place)));
            }
        }
        moves.sort_by_key(|(value, games, place, _)| {
            (value.is_none(), value.map(|value| -value), u64::MAX - games, *place)
        });
        let rate = |value: i32| 1.0 / (1.0 + (-f64::from(value) / 200.0).exp());
        let best = self.worth(key).map(|worth| rate(worth.value));
        let side = self.keys[key].to_move;
        let kept = if stones == 4 { self.fifths } else { 1 };
        let mut ways = Vec::new();
        for (at, (value, games, _, to)) in moves.into_iter().enumerate() {
            let loss = match (best, value) {
                (Some(best), Some(value)) => (best - rate(value)).max(0.0),
                _ => 0.0,
            };
            if loss > f64::from(costs.max_loss) || costs.repertoire == Some(side) && value.is_some() && at >= kept {
                continue;
            }
            let mut cost = 1.0 + f64::from(costs.loss) * loss;
            if best.is_none_or(|best| best >= 0.05) {
                cost += f64::from(costs.rank) * (at as f64 + 1.0).ln();
            }
            if let Ok(child) = &to {
                cost /= 1.0 + f64::from(costs.games) * (games as f64 + 1.0).ln();
                if covered.contains(child) {
                    cost *= 0.1;
                }
            }
            ways.push((to, ((cost * 4096.0).round() as u32).max(1)));
        }
        ways
    }

    /// The cost of each leaf, along the cheapest of all lines from the roots.
    fn leaves(
        &mut self,
        costs: &Costs,
        from: &[Vec<u8>],
        covered: &BTreeSet<Vec<u8>>,
    ) -> BTreeMap<(Vec<u8>, Option<u16>), u32> {
        let mut distance: BTreeMap<Vec<u8>, u32> = from.iter().map(|key| (key.clone(), 0)).collect();
        let mut order: Vec<Vec<u8>> = self.keys.keys().cloned().collect();
        order.sort_by_key(|key| self.stones(key));
        let mut leaves: BTreeMap<(Vec<u8>, Option<u16>), u32> = BTreeMap::new();
        for key in order {
            let Some(&so_far) = distance.get(&key) else { continue };
            if self.is_closed(&key, costs) {
                continue;
            }
            if self.is_wanting(&key, costs) {
                leaves.insert((key.clone(), None), so_far);
            }
            for (to, cost) in self.ways(&key, costs, covered) {
                match to {
                    Ok(child) => {
                        let held = distance.entry(child).or_insert(u32::MAX);
                        *held = (*held).min(so_far + cost);
                    }
                    Err(place) => {
                        leaves.insert((key.clone(), Some(place)), so_far + cost);
                    }
                }
            }
        }
        leaves
    }

    fn roots(&self) -> Vec<Vec<u8>> {
        let led_to: BTreeSet<&Vec<u8>> = self.links.values().flatten().map(|(_, child)| child).collect();
        self.keys.keys().filter(|key| !led_to.contains(key) && !self.stray.contains(*key)).cloned().collect()
    }
}

fn opening_rules() -> Vec<Option<OpeningRule>> {
    [None].into_iter().chain(OpeningRule::ALL.map(Some)).collect()
}

fn graph_of(book: &Book<Vec<u8>>) -> Graph {
    Graph::read(book, SCALE, &GO_ON).unwrap()
}

/// All that a graph says of a position, without the numbers that it gives.
fn told(graph: &Graph) -> BTreeMap<Vec<u8>, String> {
    let of = |node: NodeId| {
        let held = &graph.nodes[node as usize];
        let mut links: Vec<(u16, &[u8])> =
            graph.children(node).map(|(place, child)| (place, graph.key(child))).collect();
        links.sort_unstable();
        let mut parents: Vec<&[u8]> = graph.parents(node).map(|parent| graph.key(parent)).collect();
        parents.sort_unstable();
        let source = graph.rest_source(node);
        format!(
            "{:?} {:?} {:?} {source} ahead {} stray {} games {} {links:?} {parents:?}",
            held.backed, held.rest, held.rest_nodes, held.ahead, held.is_stray, held.games
        )
    };
    (0..graph.len() as NodeId).map(|node| (graph.key(node).to_vec(), of(node))).collect()
}

#[test]
fn values_and_links_are_those_of_plain_recursion() {
    let mut random = Random(21);
    let (mut won, mut lost, mut stale, mut strays, mut images) = (0, 0, 0, 0, 0);
    for round in 0..600 {
        let symmetric = round % 3 > 0;
        let rule = opening_rules()[if round % 2 == 0 { 0 } else { random.below(12) as usize }];
        let positions = random_positions(&mut random, symmetric);
        let mut slow = Slow::new(positions.clone(), symmetric, rule);
        let mut graph = graph_of(&write(&positions, symmetric));
        graph.back_up(slow.choices);
        assert_eq!(graph.len(), positions.len());
        for key in positions.keys() {
            let node = graph.find(key).unwrap();
            let worth = slow.worth(key);
            let name = rule.map(|rule| rule.name);
            assert_eq!(graph.worth(node), worth, "round {round}, {name:?}, {:?}", slow.keys[key]);
            assert_eq!(graph.has_rest(node, slow.choices), slow.has_rest(key), "round {round}");
            let links: BTreeSet<(u16, Vec<u8>)> =
                graph.children(node).map(|(place, child)| (place, graph.key(child).to_vec())).collect();
            assert_eq!(links, slow.children(key).into_iter().collect(), "round {round}");
            assert_eq!(graph.nodes[node as usize].is_stray, slow.stray.contains(key), "round {round}");
            let is_inner = slow_ended(&slow.keys[key]).is_none();
            won += usize::from(is_inner && worth.is_some_and(|worth| worth.proven && worth.value > 0));
            lost += usize::from(is_inner && worth.is_some_and(|worth| worth.proven && worth.value < 0));
            stale += usize::from(slow.rest(key).is_some() && !slow.has_rest(key));
            strays += usize::from(slow.stray.contains(key));
            let play = positions[key].rest.as_ref().and_then(|rest| rest.play?.point());
            let named = slow.rest(key).and_then(|(place, _)| place);
            let frame = Frames::new(symmetric).of_stones(&slow.keys[key]).clone();
            images += usize::from(play.is_some_and(|point| named != Some(frame.rank(point) + 1)));
        }
        let roots: BTreeSet<Vec<u8>> = graph.roots().map(|node| graph.key(node).to_vec()).collect();
        assert_eq!(roots, slow.roots().into_iter().collect());
    }
    println!("{won} won, {lost} lost, {stale} stale rests, {strays} strays, {images} images");
    assert!(won > 500 && lost > 100 && stale > 500 && strays > 100 && images > 100);
}

fn random_costs(random: &mut Random) -> Costs {
    Costs {
        loss: [0.0, 8.0, 25.0, 60.0][random.below(4) as usize],
        rank: [0.0, 0.7, 1.5][random.below(3) as usize],
        games: [0.0, 0.25][random.below(2) as usize],
        max_loss: [1.0, 0.3][random.below(2) as usize],
        max_stones: [u16::MAX, 3, 6][random.below(3) as usize],
        repertoire: [None, None, Some(Side::First), Some(Side::Second)][random.below(4) as usize],
    }
}

fn key_of(leaf: &Leaf, graph: &Graph) -> (Vec<u8>, Option<u16>) {
    match *leaf {
        Leaf::Position(node) => (graph.key(node).to_vec(), None),
        Leaf::Rest(node, place) => (graph.key(node).to_vec(), Some(place)),
    }
}

/// The leaves of a study are the cheapest of all, in order.
fn check_leaves(study: &Study, slow: &mut Slow, costs: &Costs, from: &[Vec<u8>], covered: &BTreeSet<Vec<u8>>) -> usize {
    let wanted = slow.leaves(costs, from, covered);
    let mut sorted: Vec<u32> = wanted.values().copied().collect();
    sorted.sort_unstable();
    let all = study.leaves(usize::MAX);
    let found: Vec<u32> = all.iter().map(|leaf| wanted[&key_of(leaf, study.graph())]).collect();
    assert_eq!(found, sorted);
    assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
    for count in [1, 2, 5] {
        assert_eq!(study.leaves(count), all[..count.min(all.len())]);
    }
    all.len()
}

#[test]
fn leaves_are_the_ends_of_the_cheapest_of_all_lines() {
    let mut random = Random(22);
    let mut count = 0;
    for round in 0..600 {
        let symmetric = round % 3 > 0;
        let rule = opening_rules()[if round % 2 == 0 { 0 } else { random.below(12) as usize }];
        let mut positions = random_positions(&mut random, symmetric);
        let costs = random_costs(&mut random);
        let book = write(&positions, symmetric);
        let choices = Slow::new(Positions::new(), symmetric, rule).choices;
        let mut study = Study::new(graph_of(&book), choices);
        let mut covered = BTreeSet::new();
        let any = |random: &mut Random, positions: &Positions| {
            let keys = crate::slow::keys(positions, symmetric);
            let key = keys.values().nth(random.below(keys.len() as u64) as usize).unwrap();
            let turns: Vec<_> = if symmetric { symmetries(key.size).to_vec() } else { Vec::new() };
            turns.get(random.below(8) as usize).map_or(key.clone(), |turn| key.turned(*turn))
        };
        if random.below(2) == 0 {
            let mut line = vec![any(&mut random, &positions)];
            let mut next = line[0].clone();
            if let Some(point) = free_points(&next).first() {
                next.stones.push((*point, next.to_move));
                next.stones.sort_unstable_by_key(|(point, _)| *point);
                next.to_move = next.to_move.other();
                line.push(next);
            }
            study.cover(&line).unwrap();
            for position in &line {
                let key = Frames::new(symmetric).of_stones(position).canonical_stones(position).key;
                positions.entry(key.clone()).or_default();
                covered.insert(key);
            }
        }
        let from: Vec<StoneKey> = (0..random.below(3)).map(|_| any(&mut random, &positions)).collect();
        study.grow(costs, &from).unwrap();
        let mut slow = Slow::new(positions, symmetric, rule);
        let from = match from[..] {
            [] => slow.roots(),
            _ => from.iter().map(|each| Frames::new(symmetric).of_stones(each).canonical_stones(each).key).collect(),
        };
        count += check_leaves(&study, &mut slow, &costs, &from, &covered);
    }
    println!("{count} leaves");
    assert!(count > 3_000);
}

/// Who knows no game, but values each position by a hash of it.
#[derive(Copy, Clone)]
struct Fake {
    symmetric: bool,
    /// One in so many positions is won or lost; 0 none.
    mates: u64,
}

impl Fake {
    /// The finding, for the side to move.
    fn answer(self, question: &Question) -> Found {
        let mut frames = Frames::new(self.symmetric);
        let Question { position, except, .. } = question.clone();
        let position = position.stones().unwrap().clone();
        let frame = frames.of_stones(&position);
        let mut best: Option<(i32, Vec<u8>, Point, Option<Grounds>)> = None;
        for point in free_points(&position) {
            if except.contains(&Move::Place(point)) || is_forbidden(&position, point) {
                continue;
            }
            let child = after(frame, &position, Move::Place(point)).unwrap();
            let hash = fingerprint(&child);
            let value = match hash % 1_000 {
                _ if slow_ended(&frame.stone_key(&child).unwrap()).is_some_and(|worth| worth.proven) => 29_999,
                _ if self.mates > 0 && (hash / 1_000).is_multiple_of(self.mates) => 29_990 - (hash % 7) as i32,
                _ if self.mates > 0 && hash / 1_000 % self.mates == 1 => -29_990 + (hash % 7) as i32,
                part => part as i32 - 500,
            };
            let grounds =
                (value.abs() > 29_500 && (hash.is_multiple_of(2) || value == 29_999)).then_some(Grounds::Fours);
            let found = (value, child, point, grounds);
            if best.as_ref().is_none_or(|best| (found.0, &found.1) > (best.0, &best.1)) {
                best = Some(found);
            }
        }
        let lines =
            best.map(|(value, _, point, grounds)| Line::of_points([point], Some(value), grounds)).into_iter().collect();
        let finding = Finding { lines, depth: 1, nodes: Some(7), scale: Judgement::SCALE, remarks: Vec::new() };
        Found { position: position.into(), except, finding, source: "fake".into() }
    }
}

fn turned(found: &Found, random: &mut Random) -> Found {
    let size = found.position.size();
    let turns = symmetries(size);
    let turn = turns[random.below(turns.len() as u64) as usize];
    let mut turned = found.clone();
    turned.position = found.position.turned(turn);
    turned.except.iter_mut().for_each(|play| *play = turn.apply_to_move(*play, size));
    let lines = turned.finding.lines.iter_mut().flat_map(|line| &mut line.moves);
    lines.for_each(|play| *play = turn.apply_to_move(*play, size));
    turned
}

fn shuffle<T>(random: &mut Random, list: &mut [T]) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at as u64 + 1) as usize);
    }
}

/// How the answers of a round come in.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Coming {
    AtOnce,
    OneByOne,
    /// Turned, several times, in any order and any number of calls.
    AnyHow,
}

/// A book of an empty small board, and of one on which fives are near.
fn seeds(symmetric: bool, rule: Rule, sides: &[u8]) -> Positions {
    let mut frames = Frames::new(symmetric);
    let mut positions = Positions::new();
    for side in sides {
        let size = Size::square(*side).unwrap();
        let mut stones = Vec::new();
        if *side >= 5 {
            let row = |y: u8, side: Side| (0..3).map(move |x| (Point::new(x, y).unwrap(), side));
            stones.extend(row(0, Side::First).chain(row(3, Side::Second)));
        }
        let position = StoneKey { rule, size, to_move: Side::First, stones };
        positions.insert(frames.of(Game::Gomoku, size).canonical_stones(&position).key, Entry::default());
    }
    positions
}

fn written(study: &mut Study, book: &Book<Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    study.write(book, &mut bytes, "").unwrap();
    bytes
}

#[derive(Copy, Clone)]
struct Run<'a> {
    seeds: &'a Positions,
    fake: Fake,
    rule: Option<OpeningRule>,
    costs: Costs,
    /// Positions, and leaves of a round.
    until: usize,
    round: usize,
    /// One answer in so many is lost.
    lost: u64,
}

impl Run<'_> {
    /// Lets a book grow, and holds all that the study says against what it says when it computes everything again.
    fn grow(&self, random: &mut Random, coming: Coming) -> (Vec<u8>, Absorbed) {
        let symmetric = self.fake.symmetric;
        let book = write(self.seeds, symmetric);
        let choices = self.rule.as_ref().map_or(Choices::default(), |rule| Choices::new(rule, Some(2)));
        let mut study = Study::new(graph_of(&book), choices);
        study.grow(self.costs, &[]).unwrap();
        let mut sum = Absorbed::default();
        let mut rounds = 0;
        while study.graph().len() < self.until {
            let leaves = study.leaves(self.round);
            if leaves.is_empty() {
                break;
            }
            rounds += 1;
            assert!(rounds < 20 * self.until, "it does not come on");
            let questions = study.questions(&leaves, Effort::default());
            let asked: BTreeSet<_> = questions.iter().map(|question| format!("{:?}", question.position)).collect();
            assert_eq!(asked.len(), questions.len());
            let mut answers: Vec<Found> = questions.iter().map(|question| self.fake.answer(question)).collect();
            if self.lost > 0 {
                answers.retain(|_| random.below(self.lost) > 0);
            }
            let calls: Vec<Vec<Found>> = match coming {
                Coming::AtOnce => vec![answers],
                Coming::OneByOne => answers.into_iter().map(|answer| vec![answer]).collect(),
                Coming::AnyHow => {
                    let more: Vec<Found> = answers.iter().filter(|_| random.below(3) == 0).cloned().collect();
                    answers.extend(more);
                    shuffle(random, &mut answers);
                    if symmetric {
                        answers = answers.iter().map(|answer| turned(answer, random)).collect();
                    }
                    let size = 1 + random.below(answers.len() as u64 + 1) as usize;
                    answers.chunks(size).map(<[Found]>::to_vec).collect()
                }
            };
            for call in &calls {
                let absorbed = study.absorb(call).unwrap();
                assert_eq!((absorbed.strange, absorbed.wrong), (0, 0));
                sum.add(absorbed);
            }
            if rounds % 7 == 0 {
                let before = told(study.graph());
                study.grow(self.costs, &[]).unwrap();
                assert_eq!(told(study.graph()), before, "round {rounds}");
                // The same again changes nothing.
                for call in &calls {
                    let again = study.absorb(call).unwrap();
                    assert_eq!((again.added, again.learned), (0, 0));
                }
                assert_eq!(told(study.graph()), before);
            }
            if rounds % 29 == 0 {
                let bytes = written(&mut study, &book);
                let before = told(study.graph());
                let again = Book::open(bytes.clone()).unwrap();
                again.verify().unwrap();
                let mut again = Study::new(graph_of(&again), choices);
                again.grow(self.costs, &[]).unwrap();
                assert_eq!(told(again.graph()), before, "round {rounds}");
                let names = |study: &Study| -> Vec<_> {
                    study.leaves(50).iter().map(|leaf| key_of(leaf, study.graph())).collect()
                };
                assert_eq!(names(&again), names(&study));
                let entries = read(bytes);
                let mut slow = Slow::new(entries, symmetric, self.rule);
                slow.choices = choices;
                if let Some(rule) = self.rule {
                    slow.fifths = rule.offers().unwrap_or(2).into();
                }
                let roots = slow.roots();
                check_leaves(&again, &mut slow, &self.costs, &roots, &BTreeSet::new());
                for (key, entry) in &slow.entries {
                    let node = again.graph().find(key).unwrap();
                    let backed = entry.backed.map(|backed| Worth { value: backed.value, proven: backed.proven });
                    assert_eq!(backed, again.graph().worth(node));
                    // Whatever leads to a position of the book is one of the moves of the other.
                    let listed: Vec<u16> = (entry.moves.iter())
                        .map(|each| Frames::new(symmetric).of_stones(&slow.keys[key]).place(each.play) as u16)
                        .collect();
                    for (place, _) in slow.children(key) {
                        assert!(listed.contains(&place));
                    }
                }
            }
        }
        (written(&mut study, &book), sum)
    }
}

#[test]
fn a_book_grows_to_the_same_bytes_however_the_answers_of_a_round_come_in() {
    let mut random = Random(23);
    let rules = opening_rules();
    for round in 0..16 {
        let symmetric = round % 4 > 0;
        let rule = [Rule::Renju, Rule::Freestyle][round / 2 % 2];
        let costs = [Costs::DEEP, Costs::BALANCED, Costs::WIDE][round % 3];
        let opening = if round % 2 == 0 { None } else { rules[random.below(12) as usize] };
        let sides = if opening.is_some() { &[4, 5][..] } else { &[3, 5, 6] };
        let seeds = seeds(symmetric, rule, sides);
        let run = Run {
            seeds: &seeds,
            fake: Fake { symmetric, mates: [0, 9, 30][round % 3] },
            rule: opening,
            costs,
            until: 300,
            round: [1, 4, 20][round / 3 % 3],
            lost: 0,
        };
        let name = opening.map(|rule| rule.name);
        let (bytes, once) = run.grow(&mut random, Coming::AtOnce);
        assert_eq!(once.loose, 0);
        assert!(read(bytes.clone()).len() >= 100, "round {round}, {name:?}: {}", read(bytes).len());
        for coming in [Coming::OneByOne, Coming::AnyHow, Coming::AnyHow] {
            let (other, sum) = run.grow(&mut random, coming);
            assert!(other == bytes, "round {round}, {name:?}, {coming:?}");
            assert_eq!((sum.added, sum.learned), (once.added, once.learned), "round {round}, {name:?}, {coming:?}");
        }
    }
}

#[test]
fn lost_answers_are_asked_for_again_until_nothing_is_left() {
    let mut random = Random(24);
    for symmetric in [true, false] {
        let seeds = seeds(symmetric, Rule::Freestyle, &[3]);
        let costs = Costs { max_stones: if symmetric { u16::MAX } else { 4 }, ..Costs::WIDE };
        let fake = Fake { symmetric, mates: 0 };
        let run = Run { seeds: &seeds, fake, rule: None, costs, until: usize::MAX >> 8, round: 20, lost: 0 };
        let (whole, _) = run.grow(&mut random, Coming::AtOnce);
        let whole = read(whole);
        println!("{} positions", whole.len());
        assert!(whole.len() > 800);
        for lost in [2, 5] {
            let (bytes, sum) = Run { lost, ..run }.grow(&mut random, Coming::AnyHow);
            assert!(sum.loose > 10);
            assert!(read(bytes) == whole);
        }
    }
}

/// A graph of the positions of lines of moves, each with the rest that its last position has.
struct Drawn {
    study: Study,
    size: Size,
}

impl Drawn {
    /// Lines of the points of a board of side 9, and what a search finds in their last positions beside what is there.
    fn new(rule: &str, fifths: Option<u8>, lines: &[(&str, i32)]) -> Drawn {
        let size = Size::square(9).unwrap();
        let mut frames = Frames::new(true);
        let mut positions = Positions::new();
        for (line, value) in lines {
            let position = Drawn::position(size, line);
            let frame = frames.of(Game::Gomoku, size);
            let form = frame.canonical_stones(&position);
            let far = free_points(&position).into_iter().next_back().unwrap();
            let play = Some(Move::Place(frame.stored_point(&form, far)));
            let judgement = Some(Judgement { value: *value, ..random_judgement(&mut Random(1)) });
            let entry = Entry { rest: Some(Rest { play, judgement, proven: false }), ..Entry::default() };
            positions.insert(form.key, entry);
        }
        let choices = Choices::new(&rule.parse().unwrap(), fifths);
        Drawn { study: Study::new(graph_of(&write(&positions, true)), choices), size }
    }

    fn position(size: Size, line: &str) -> StoneKey {
        let moves = games::parse_moves(line, games::Coords::A1, size).unwrap();
        let stones = moves.iter().enumerate().map(|(at, played)| (played.point().unwrap(), Side::of_ply(at + 1)));
        let mut stones: Vec<(Point, Side)> = stones.collect();
        stones.sort_unstable_by_key(|(point, _)| *point);
        StoneKey { rule: Rule::Renju, size, to_move: Side::of_ply(stones.len() + 1), stones }
    }

    fn value(&mut self, line: &str) -> Option<i32> {
        let position = Drawn::position(self.size, line);
        let key = Frames::new(true).of_stones(&position).canonical_stones(&position).key;
        let node = self.study.graph().find(&key).unwrap();
        self.study.graph().worth(node).map(|worth| worth.value)
    }
}

#[test]
fn in_rif_the_second_player_takes_the_better_side_and_the_worse_of_two_fifths() {
    let fourths = [("", 900), ("e5", 900), ("e5 e6", 900), ("e5 e6 f6", 900), ("e5 e6 f6 d4", -500)];
    // For White, who moves after them: 80 is 80 less for Black.
    let fifths = [("e5 e6 f6 d4 g5", 80), ("e5 e6 f6 d4 g6", -30), ("e5 e6 f6 d4 g7", -120)];
    let all: Vec<_> = fourths.into_iter().chain(fifths).collect();
    let mut drawn = Drawn::new("rif", None, &all);
    // Black offers the fifths of 120 and of 30, and gets that of 30: 30 in all for Black, who is to move.
    assert_eq!(drawn.value("e5 e6 f6 d4"), Some(30));
    assert_eq!(drawn.value("e5 e6 f6"), Some(-30));
    // Whoever puts the first three stones loses 30 by it, whichever side the other takes.
    for line in ["e5 e6", "e5", ""] {
        assert_eq!(drawn.value(line), Some(-30), "{line}");
    }
    // With one fifth known, the others are as good as the best that a search finds beside it.
    let mut drawn = Drawn::new("rif", None, &[("e5 e6 f6 d4", 70), ("e5 e6 f6 d4 g7", -120)]);
    assert_eq!(drawn.value("e5 e6 f6 d4"), Some(70));
    let mut drawn = Drawn::new("rif", None, &[("e5 e6 f6 d4", 170), ("e5 e6 f6 d4 g7", -120)]);
    assert_eq!(drawn.value("e5 e6 f6 d4"), Some(170));
}

#[test]
fn fifths_that_are_images_of_each_other_are_one() {
    // e5 e6 e4 e7 is its own mirror image: d6 and f6 are one move, d3 another.
    let all = [("e5 e6 e4 e7", -500), ("e5 e6 e4 e7 d6", -120), ("e5 e6 e4 e7 f6", -120), ("e5 e6 e4 e7 d3", -10)];
    let mut drawn = Drawn::new("rif", None, &all);
    assert_eq!(drawn.value("e5 e6 e4 e7"), Some(10));
}

#[test]
fn a_declared_number_of_fifths_is_offered() {
    let fourths = [("e5 e6 f6", 900), ("e5 e6 f6 d4", -500)];
    let fifths = ["g3", "g4", "g5", "g6"].map(|point| format!("e5 e6 f6 d4 {point}"));
    let fifths = fifths.iter().zip([-200, -100, -50, 40]).map(|(line, value)| (line.as_str(), value));
    let all: Vec<_> = fourths.into_iter().chain(fifths).collect();
    for (number, value) in [(1, 200), (2, 100), (3, 50), (4, -40), (5, -500)] {
        let mut drawn = Drawn::new("yamaguchi", Some(number), &all);
        assert_eq!(drawn.value("e5 e6 f6 d4"), Some(value), "{number}");
        // In Yamaguchi White has chosen the sides before the fourth move.
        assert_eq!(drawn.value("e5 e6 f6"), if number > 1 { Some(-value) } else { Some(900) }, "{number}");
        // In Soosorv the sides are chosen once more after it: White loses what is not even.
        let mut drawn = Drawn::new("soosorv", Some(number), &all);
        assert_eq!(drawn.value("e5 e6 f6 d4"), Some(value), "{number}");
        assert_eq!(drawn.value("e5 e6 f6"), Some(-value.abs()), "{number}");
    }
}

#[test]
fn in_swap2_nobody_gains_by_two_stones_more() {
    let all =
        [("e5", 900), ("e5 a1", 900), ("e5 a1 i9", -60), ("e5 a1 a9", 20), ("e5 a1 i9 b2", 0), ("e5 a1 i9 b2 c3", 900)];
    let mut drawn = Drawn::new("swap2", None, &all);
    // The fifth stone is one of White's opponent, who has no choice any more.
    assert_eq!(drawn.value("e5 a1 i9 b2 c3"), Some(900));
    assert_eq!(drawn.value("e5 a1 i9 b2"), Some(0));
    assert_eq!(drawn.value("e5 a1 i9"), Some(0));
    assert_eq!(drawn.value("e5 a1 a9"), Some(20));
    assert_eq!(drawn.value("e5 a1"), Some(0));
    assert_eq!(drawn.value("e5"), Some(0));
}

#[test]
fn in_taraguchi_each_move_is_made_by_who_wants_neither_side_better() {
    let mut all = vec![("", 900), ("e5", 900), ("e5 e6", 900), ("e5 e6 f6", 900), ("e5 e6 f6 d4", 900)];
    let fifths: Vec<String> = ["g2", "g3", "g4", "g5"].iter().map(|point| format!("e5 e6 f6 d4 {point}")).collect();
    all.extend(fifths.iter().zip([-70, 30, -90, 250]).map(|(line, value)| (line.as_str(), value)));
    let mut drawn = Drawn::new("taraguchi-3", None, &all);
    // Black who offers three gets -30; who swaps lets the other play g3, and takes the better side of 30.
    assert_eq!(drawn.value("e5 e6 f6 d4"), Some(30));
    assert_eq!(drawn.value("e5 e6 f6"), Some(-30));
    // Then whoever has to decide takes the side that gains 30 by it.
    assert_eq!(drawn.value("e5 e6"), Some(-30));
    assert_eq!(drawn.value("e5"), Some(-30));
    // Two are offered: Black gets 70 of 90 and 70.
    let mut drawn = Drawn::new("taraguchi-2", None, &all);
    assert_eq!(drawn.value("e5 e6 f6 d4"), Some(70));
}

fn finding(point: Option<Point>, value: i32, scale: u16) -> Finding {
    let line = |point| Line::of_points([point], Some(value), None);
    Finding { lines: point.map(line).into_iter().collect(), depth: 9, nodes: None, scale, remarks: Vec::new() }
}

#[test]
fn answers_that_cannot_be_right_are_refused_and_counted() {
    // Black's double three at e5 is forbidden.
    let board: Board =
        ". . . . . . . . .\n. . . . . . . . .\n. . . . x . . . .\n. . . . x . . . .\n. . x x . . . . .\n\
                        . . . . . . . . .\n. . . . . . . . .\n. . . . . . . . .\no o . o . o . . ."
            .parse()
            .unwrap();
    let position = StoneKey::new(&board, Side::First, Rule::Renju);
    let at = |x, y| Point::new(x, y).unwrap();
    let mut positions = Positions::new();
    positions.insert(Frames::new(true).of_stones(&position).canonical_stones(&position).key, Entry::default());
    let mut study = Study::new(graph_of(&write(&positions, true)), Choices::default());
    study.grow(Costs::BALANCED, &[]).unwrap();
    let answer = |finding: Finding| Found {
        position: position.clone().into(),
        except: Vec::new(),
        finding,
        source: "it".into(),
    };
    let off = at(20, 3);
    let mut won = position.clone();
    won.stones.retain(|(_, side)| *side == Side::First);
    won.stones.extend((0..5).map(|x| (at(x, 8), Side::Second)));
    let mut twice = position.clone();
    twice.stones.push(twice.stones[0]);
    let other = StoneKey { rule: Rule::Freestyle, ..position.clone() };
    let wrong = [
        answer(finding(Some(at(4, 4)), 10, 200)),
        answer(finding(Some(at(4, 2)), 10, 200)),
        answer(finding(Some(off), 10, 200)),
        answer(finding(None, 10, 200)),
        Found { except: vec![Move::Place(at(0, 0))], ..answer(finding(Some(at(0, 0)), 10, 200)) },
        Found { except: vec![Move::Place(off)], ..answer(finding(Some(at(0, 0)), 10, 200)) },
        Found { position: won.into(), ..answer(finding(Some(at(0, 0)), 10, 200)) },
        Found { position: twice.into(), ..answer(finding(Some(at(0, 0)), 10, 200)) },
    ];
    let before = told(study.graph());
    for each in &wrong {
        assert_eq!(study.absorb(std::slice::from_ref(each)).unwrap(), Absorbed { wrong: 1, ..Absorbed::default() });
    }
    let strange = Found { position: other.into(), ..answer(finding(Some(at(0, 0)), 10, 200)) };
    assert_eq!(study.absorb(&[strange]).unwrap(), Absorbed { strange: 1, ..Absorbed::default() });
    assert_eq!(told(study.graph()), before);
    // One of another scale is refused before anything is learned.
    let mixed = [answer(finding(Some(at(0, 0)), 10, 200)), answer(finding(Some(at(0, 0)), 10, 100))];
    assert!(matches!(study.absorb(&mixed), Err(crate::Error::Scale { found: 100, wanted: 200 })));
    assert_eq!(told(study.graph()), before);
    // What is forbidden may be left out, and needs no value.
    let right = Found { except: vec![Move::Place(at(4, 4))], ..answer(finding(Some(at(0, 0)), i32::MIN, 200)) };
    assert_eq!(study.absorb(&[right]).unwrap(), Absorbed { learned: 1, ..Absorbed::default() });
}

#[test]
fn a_forbidden_rest_of_another_book_gives_way() {
    let board: Board =
        ". . . . . . . . .\n. . . . . . . . .\n. . . . x . . . .\n. . . . x . . . .\n. . x x . . . . .\n\
                        . . . . . . . . .\n. . . . . . . . .\n. . . . . . . . .\no o . o . o . . ."
            .parse()
            .unwrap();
    let position = StoneKey::new(&board, Side::First, Rule::Renju);
    let mut frames = Frames::new(true);
    let frame = frames.of_stones(&position);
    let form = frame.canonical_stones(&position);
    let play = Some(Move::Place(frame.stored_point(&form, Point::new(4, 4).unwrap())));
    let judgement = Judgement { depth: 99, ..random_judgement(&mut Random(1)) };
    let rest = Some(Rest { play, judgement: Some(judgement), proven: false });
    let positions: Positions = [(form.key.clone(), Entry { rest, ..Entry::default() })].into();
    let mut study = Study::new(graph_of(&write(&positions, true)), Choices::default());
    study.grow(Costs::BALANCED, &[]).unwrap();
    let leaves = study.leaves(9);
    assert_eq!(leaves.len(), 1);
    let questions = study.questions(&leaves, Effort::default());
    assert_eq!(questions.len(), 1);
    let answers: Vec<Found> = questions.iter().map(|each| Fake { symmetric: true, mates: 0 }.answer(each)).collect();
    assert_eq!(study.absorb(&answers).unwrap(), Absorbed { learned: 1, ..Absorbed::default() });
}

#[test]
fn values_of_another_scale_keep_their_win_rates_and_wins_their_distance() {
    let size = Size::square(9).unwrap();
    let position = StoneKey { rule: Rule::Freestyle, size, to_move: Side::First, stones: Vec::new() };
    let mut frames = Frames::new(true);
    let key = frames.of(Game::Gomoku, size).canonical_stones(&position).key;
    let worth = |value: i32, scale: u16, converts: bool| {
        let judgement = Judgement { value, scale, ..random_judgement(&mut Random(1)) };
        let entry = Entry { judgement: Some(judgement), ..Entry::default() };
        let positions: Positions = [(key.clone(), entry)].into();
        let graph = Graph::read(&write(&positions, true), Scale { k: 200, converts }, &GO_ON)?;
        let study = Study::new(graph, Choices::default());
        Ok::<_, crate::Error>(study.graph().worth(0).unwrap().value)
    };
    assert_eq!(worth(50, 100, true).unwrap(), 100);
    assert_eq!(worth(-301, 400, true).unwrap(), -151);
    assert_eq!(worth(29_990, 400, true).unwrap(), 29_990);
    assert_eq!(worth(29_990, 400, false).unwrap(), 29_990);
    // However large, it is no win.
    assert_eq!(worth(-29_400, 10, true).unwrap(), -29_500);
    assert_eq!(worth(i32::MIN, 10, true).unwrap(), -30_000);
    assert_eq!(worth(i32::MAX, 200, true).unwrap(), 30_000);
    assert!(matches!(worth(50, 100, false), Err(crate::Error::Scale { found: 100, wanted: 200 })));
    assert!(matches!(worth(50, 0, true), Err(crate::Error::Scale { found: 0, wanted: 200 })));
}

/// A million positions, each with a rest: seconds of reading, backing up, and choosing a thousand leaves.
#[test]
#[ignore = "some seconds: cargo test --release -p kifu-book -- --ignored --nocapture a_million"]
fn a_million_positions_are_chosen_from_in_a_tenth_of_a_second() {
    use std::time::Instant;
    let mut random = Random(25);
    let size = Size::default();
    let mut frames = Frames::new(true);
    let frame = frames.of(Game::Gomoku, size);
    let mut positions = Positions::new();
    let mut line: Vec<Point> = Vec::new();
    while positions.len() < 1_000_000 {
        // Lines part from the one before them anywhere.
        line.truncate(random.below(line.len() as u64 + 1) as usize);
        while line.len() < 30 {
            let point = Point::new(3 + random.below(9) as u8, 3 + random.below(9) as u8).unwrap();
            if line.contains(&point) {
                continue;
            }
            line.push(point);
            let mut stones: Vec<_> = (1..).map(Side::of_ply).zip(&line).map(|(side, point)| (*point, side)).collect();
            stones.sort_unstable_by_key(|(point, _)| *point);
            let position = StoneKey { rule: Rule::Renju, size, to_move: Side::of_ply(line.len() + 1), stones };
            let key = frame.canonical_stones(&position).key;
            if slow_ended(&position).is_some() {
                line.pop();
                break;
            }
            let judgement = Judgement { value: random.below(400) as i32 - 200, ..random_judgement(&mut random) };
            let play = Some(Move::Place(Point::new(0, 0).unwrap()));
            let rest = Some(Rest { play, judgement: Some(judgement), proven: false });
            positions.insert(key, Entry { rest, ..Entry::default() });
        }
    }
    let book = write(&positions, true);
    let mut at = Instant::now();
    let mut lap = |what: &str| {
        let took = at.elapsed();
        println!("{what}: {took:.2?}");
        at = Instant::now();
        took
    };
    lap("begun");
    let graph = graph_of(&book);
    lap("read");
    println!("{:.0} bytes a position", graph.bytes() as f64 / graph.len() as f64);
    let mut study = Study::new(graph, Choices::default());
    lap("back-up");
    study.grow(Costs::BALANCED, &[]).unwrap();
    lap("back-up and costs");
    assert_eq!(study.leaves(1_000).len(), 1_000);
    let took = lap("a thousand leaves");
    assert!(took.as_millis() < 100);
    for count in [100, 1_000] {
        let leaves = study.leaves(count);
        let questions = study.questions(&leaves, Effort::default());
        let answers: Vec<Found> =
            questions.iter().map(|question| Fake { symmetric: true, mates: 0 }.answer(question)).collect();
        lap("asked");
        study.absorb(&answers).unwrap();
        lap("absorbed");
    }
    written(&mut study, &book);
    lap("written");
}

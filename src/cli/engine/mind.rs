use super::Event;
use engine::{Board, Engine, Report, Request, Time};
use games::Side;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The thread that searches, as the one that talks sees it.
///
/// Orders are carried out one after the other. What a search finds comes as [`Event`]s.
pub struct Mind {
    orders: Sender<Order>,
    /// Ends the search that was ordered last.
    stop: Arc<AtomicBool>,
    last: u64,
    /// Somebody waits for the answer of the last search.
    is_owed: bool,
    /// Every search ends at once.
    is_hurried: bool,
    /// There is nothing to forget.
    is_new: bool,
    memory: usize,
    threads: usize,
}

/// A search goes down more than a hundred plies.
const STACK: usize = 16 << 20;

/// A position and what is to be found in it.
#[derive(Clone, Debug)]
pub struct Task {
    pub board: Board,
    pub to_move: Side,
    /// The time of its limits is counted from `since`.
    pub request: Request,
    pub since: Instant,
}

enum Order {
    Search { task: Box<Task>, number: u64, stop: Arc<AtomicBool> },
    Memory(usize),
    Threads(usize),
    Forget,
}

impl Mind {
    /// A thread with a table of so many bytes, which tells what it finds to `events`.
    pub fn new(memory: usize, threads: usize, events: SyncSender<Event>) -> Mind {
        let (orders, todo) = channel();
        let thread = thread::Builder::new().stack_size(STACK);
        thread.spawn(move || work(memory, threads, &todo, &events)).expect("the system has room for a thread");
        let stop = Arc::new(AtomicBool::new(true));
        Mind { orders, stop, last: 0, is_owed: false, is_hurried: false, is_new: true, memory, threads }
    }

    /// Searches for an answer that somebody waits for, if `is_owed`, or in the background; what was searched before ends.
    pub fn search(&mut self, task: Task, is_owed: bool) {
        self.stop();
        self.stop = Arc::new(AtomicBool::new(self.is_hurried));
        self.last += 1;
        self.is_owed = is_owed;
        self.is_new = false;
        self.order(Order::Search { task: Box::new(task), number: self.last, stop: self.stop.clone() });
    }

    /// Ends the search, whose answer still comes.
    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Ends a search that nobody waits for.
    pub fn relax(&mut self) {
        if !self.is_owed {
            self.stop();
        }
    }

    /// Ends this search and all later ones at once.
    pub fn hurry(&mut self) {
        self.is_hurried = true;
        self.stop();
    }

    /// Whether the last search is to end, or has ended.
    pub fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether an answer is waited for.
    pub const fn owes(&self) -> bool {
        self.is_owed
    }

    /// Whether the event is of the search that was ordered last.
    pub const fn is_last(&self, number: u64) -> bool {
        number == self.last
    }

    /// The answer has come.
    pub fn answered(&mut self) {
        self.is_owed = false;
    }

    /// Changes the bytes of the table.
    pub fn set_memory(&mut self, memory: usize) {
        if std::mem::replace(&mut self.memory, memory) != memory {
            self.relax();
            self.is_new = true;
            self.order(Order::Memory(memory));
        }
    }

    /// Changes the number of threads that search.
    pub fn set_threads(&mut self, threads: usize) {
        if std::mem::replace(&mut self.threads, threads) != threads {
            self.relax();
            self.order(Order::Threads(threads));
        }
    }

    /// Forgets what was found.
    pub fn forget(&mut self) {
        self.relax();
        // To clear a table that nobody wrote to would take its memory from the system.
        if !std::mem::replace(&mut self.is_new, true) {
            self.order(Order::Forget);
        }
    }

    fn order(&self, order: Order) {
        // The thread ends only after this.
        let _ = self.orders.send(order);
    }
}

fn work(mut memory: usize, mut threads: usize, todo: &Receiver<Order>, events: &SyncSender<Event>) {
    let mut engine = Engine::new(memory, threads);
    for order in todo {
        match order {
            Order::Memory(bytes) => {
                memory = bytes;
                engine.set_memory(bytes);
            }
            Order::Threads(number) => {
                threads = number;
                engine.set_threads(number);
            }
            Order::Forget => engine.forget(),
            Order::Search { task, number, stop } => {
                let Task { board, to_move, mut request, since } = *task;
                request.limits.time = request.limits.time.map(|time| remaining(time, since.elapsed()));
                let mut tell = |report: &Report| {
                    let _ = events.send(Event::Found { number, report: Box::new(report.clone()) });
                };
                // A game goes on with some move even if the search is at fault.
                let found =
                    catch_unwind(AssertUnwindSafe(|| engine.search(&board, to_move, &request, &stop, &mut tell)));
                let report = found.map(Box::new).inspect_err(|_| engine = Engine::new(memory, threads)).ok();
                if events.send(Event::Ended { number, report }).is_err() {
                    return;
                }
            }
        }
    }
}

/// What is left of the time after some of it has passed.
fn remaining(time: Time, passed: Duration) -> Time {
    Time { optimum: time.optimum.saturating_sub(passed), maximum: time.maximum.saturating_sub(passed) }
}

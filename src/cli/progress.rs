use super::output::abandon;
use ::formats::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What all readings of this run have done, and whether they are to stop.
pub static PROGRESS: Progress = Progress::new();

/// Set while nothing is done but to wait for stdin.
static IDLE: AtomicBool = AtomicBool::new(false);

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);
const BEAT: Duration = Duration::from_millis(100);

/// How long work that is to stop may take to do so.
const GRACE: Duration = Duration::from_millis(400);

/// Ctrl-C ends the work at the next node or so, and temporary files are removed; at once where the program only waits,
/// and soon where it does what looks at no flag, such as to sort.
pub fn stop_on_ctrl_c() {
    let handler = || {
        PROGRESS.stop.store(true, Ordering::Relaxed);
        if !IDLE.load(Ordering::Relaxed) {
            thread::sleep(GRACE);
        }
        abandon();
        process::exit(130);
    };
    // Without a handler the system ends the program, which leaves no half of a file either.
    let _ = ctrlc::set_handler(handler);
}

/// Waits for stdin, which no flag can interrupt.
pub fn idle<T>(wait: impl FnOnce() -> T) -> T {
    IDLE.store(true, Ordering::Relaxed);
    let result = wait();
    IDLE.store(false, Ordering::Relaxed);
    result
}

/// A target that refuses bytes once the user wants to stop: writers of large trees look at nothing else.
pub struct Stoppable<'a>(pub &'a mut dyn Write);

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if PROGRESS.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A target that counts what it is given for a [`Bar`].
pub struct Counted<'a>(pub &'a mut dyn Write);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        PROGRESS.done.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A bar on stderr while bytes are read; only on a terminal, and only when it takes long.
pub struct Bar {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Watches the readings of so many bytes in all, from none on.
    pub fn watch(total: u64) -> Bar {
        Bar::show(ProgressBar::new(total), "{bar:40} {bytes} of {total_bytes} read, {eta} left")
    }

    /// Watches what is written, nobody knows how far.
    pub fn writing() -> Bar {
        Bar::show(ProgressBar::no_length(), "{spinner} sorted and written: {bytes}")
    }

    /// Watches how many openings of so many are found.
    pub fn openings(total: u64) -> Bar {
        Bar::show(ProgressBar::new(total), "{bar:40} {pos} of {len} openings found, {eta} left")
    }

    /// Watches evaluations of so many positions.
    pub fn evaluations(total: u64) -> Bar {
        Bar::show(ProgressBar::new(total), "{bar:40} {pos} of {len} positions, {per_sec}, {eta} left")
    }

    /// Watches evaluations, nobody knows of how many.
    pub fn evaluations_without_end() -> Bar {
        Bar::show(ProgressBar::no_length(), "{spinner} {pos} positions evaluated, {per_sec}")
    }

    fn show(bar: ProgressBar, template: &'static str) -> Bar {
        PROGRESS.done.store(0, Ordering::Relaxed);
        if !std::io::stderr().is_terminal() {
            return Bar { done: None, thread: None };
        }
        let (done, ended) = channel::<()>();
        let thread = thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            bar.set_style(ProgressStyle::with_template(template).expect("the template is fixed"));
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(PROGRESS.done.load(Ordering::Relaxed));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Bar { done: Some(done), thread: Some(thread) }
    }
}

/// Lines on stderr that are drawn anew while a search goes on; only on a terminal.
pub struct Live(Option<ProgressBar>);

impl Live {
    /// Draws nothing yet, and nothing at all unless it is wanted.
    pub fn new(is_wanted: bool) -> Live {
        let bar = (is_wanted && io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{msg}").expect("the template is fixed");
            ProgressBar::new_spinner().with_style(style)
        });
        Live(bar)
    }

    /// Draws these lines in the place of those before.
    pub fn show(&self, lines: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(lines);
            bar.tick();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // A bar that failed is no reason to fail.
            let _ = thread.join();
        }
    }
}

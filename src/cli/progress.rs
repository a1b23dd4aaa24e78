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

/// Ctrl-C ends the work at the next node or so, and temporary files are removed; a second one ends it at once,
/// and so does the first where the program only waits.
pub fn stop_on_ctrl_c() {
    let handler = || {
        if PROGRESS.stop.swap(true, Ordering::Relaxed) || IDLE.load(Ordering::Relaxed) {
            process::exit(130);
        }
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

/// A bar on stderr while bytes are read; only on a terminal, and only when it takes long.
pub struct Bar {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Watches the readings of so many bytes in all.
    pub fn watch(total: u64) -> Bar {
        if !std::io::stderr().is_terminal() {
            return Bar { done: None, thread: None };
        }
        let (done, ended) = channel::<()>();
        let thread = thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new(total);
            let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes} read, {eta} left");
            bar.set_style(style.expect("the template is fixed"));
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(PROGRESS.done.load(Ordering::Relaxed));
            }
            bar.finish_and_clear();
        });
        Bar { done: Some(done), thread: Some(thread) }
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

use super::Exit;
use super::progress::PROGRESS;
use super::terminal::complain;
use anyhow::{Result, anyhow};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How many lines may be read before the answer of the first of them is printed.
const MOST: usize = 256;

/// How often who waits for lines looks whether the user wants to stop.
const BEAT: Duration = Duration::from_millis(20);

/// Answers each line of stdin with a text, several at a time, in their order; goes on after a line that has no answer.
///
/// A line is answered as soon as it and all before it can be, so that a program that waits for an answer gets it.
/// Texts are divided by blank lines where they are `apart`. Each thread has a tool of its own. After Ctrl-C nothing
/// more is begun, and what was begun is printed.
pub fn each<T>(
    threads: Option<usize>,
    apart: bool,
    tool: impl Fn() -> T + Sync,
    answer: impl Fn(&mut T, &str) -> Result<(String, Exit)> + Sync,
) -> Result<Exit> {
    let threads = threads.filter(|threads| *threads > 0).unwrap_or_else(processors);
    let (room, printed) = sync_channel(MOST);
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut at = 0;
        for (number, line) in stdin().lock().split(b'\n').enumerate() {
            if line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
                continue;
            }
            let is_bad = line.is_err();
            if room.send(()).is_err() || sender.send((at, number + 1, line)).is_err() || is_bad {
                return;
            }
            at += 1;
        }
    });
    let lines = Mutex::new(lines);
    let is_over = AtomicBool::new(false);
    let is_stopped = || PROGRESS.stop.load(Ordering::Relaxed);
    thread::scope(|scope| {
        let (teller, told) = channel();
        for _ in 0..threads {
            let teller = teller.clone();
            scope.spawn(|| {
                let teller = teller;
                let mut tool = tool();
                while let Some((at, number, line)) = next(&lines, || is_stopped() || is_over.load(Ordering::Relaxed)) {
                    let text = line.map(|line| match String::from_utf8(line) {
                        Ok(line) => {
                            // Pipes of PowerShell begin with a mark.
                            let line = if at == 0 { line.trim_start_matches('\u{FEFF}') } else { &line };
                            answer(&mut tool, line.trim_end_matches('\r'))
                        }
                        Err(_) => Err(anyhow!("this is no UTF-8")),
                    });
                    if teller.send((at, number, text)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(teller);
        let result = print(told, printed, apart);
        is_over.store(true, Ordering::Relaxed);
        result
    })
    .map(|exit| if is_stopped() { Exit::Stopped } else { exit })
}

/// How many threads the machine runs at a time.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The next line; `None` at the end, or once nobody wants more.
fn next<T>(lines: &Mutex<Receiver<T>>, is_over: impl Fn() -> bool) -> Option<T> {
    while !is_over() {
        match lines.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(BEAT) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}

/// Its place among the lines, the number of its line, and what is to be said.
type Told = (usize, usize, io::Result<Result<(String, Exit)>>);

/// Prints the answers in the order of the lines, and for each makes room for one line more.
fn print(told: Receiver<Told>, printed: Receiver<()>, apart: bool) -> Result<Exit> {
    let mut exit_code = Exit::Done;
    let mut waiting = BTreeMap::new();
    let (mut at, mut is_first) = (0, true);
    let mut out = stdout().lock();
    for (place, number, text) in told {
        waiting.insert(place, (number, text));
        while let Some((number, text)) = waiting.remove(&at) {
            at += 1;
            // The line was let in before it was answered.
            let _ = printed.recv();
            match text.map_err(|error| anyhow!("stdin cannot be read: {error}"))? {
                Ok((text, code)) => {
                    if !is_first && apart {
                        writeln!(out)?;
                    }
                    is_first = false;
                    out.write_all(text.as_bytes())?;
                    exit_code = exit_code.max(code);
                }
                Err(error) => {
                    complain(&format!("stdin: line {number}: {error:#}"));
                    exit_code = Exit::Failed;
                }
            }
        }
        out.flush()?;
    }
    Ok(exit_code)
}

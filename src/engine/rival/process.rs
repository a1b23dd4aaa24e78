use super::CommandLine;
use super::failure::Failure;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What is kept of a line; the rest is read and dropped.
const LONGEST: usize = 4096;

/// Lines that wait to be looked at; a program that says more has to wait.
const WAITING: usize = 256;

/// How soon a stop flag is seen.
const BEAT: Duration = Duration::from_millis(50);

/// How long a program that closed its output, was told to end, or was ended may take to be gone.
const LEAVE: Duration = Duration::from_secs(1);

/// A program that runs, with a thread for each of its pipes, so that nobody waits for one that it does not serve.
///
/// It is ended with all that it started when this is dropped (on Windows it alone).
pub(super) struct Process {
    child: Child,
    input: Option<Sender<String>>,
    lines: Receiver<Line>,
    /// The last line of its error output.
    complaint: Arc<Mutex<String>>,
    /// Hangs up when the error output has ended.
    complains: Receiver<()>,
}

/// A line of output without its end, and when it came.
pub(super) struct Line {
    pub text: String,
    pub at: Instant,
}

/// What came instead of a line.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// Nothing, until the deadline.
    Late,
    /// The end of its output.
    Ended,
    /// The stop flag.
    Stopped,
}

impl Process {
    pub fn start(line: &CommandLine) -> Result<Process, Failure> {
        let mut command = line.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| {
            Failure::Unstarted(match error.kind() {
                io::ErrorKind::NotFound => format!("there is no program {}", line.program()),
                io::ErrorKind::PermissionDenied => format!("{} may not be run", line.program()),
                _ => error.to_string(),
            })
        })?;
        let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, to_write) = channel::<String>();
        thread::spawn(move || write(stdin.as_mut().expect("it is piped"), &to_write));
        let (sender, lines) = sync_channel(WAITING);
        thread::spawn(move || {
            each_line(stdout.expect("it is piped"), |text| sender.send(Line { text, at: Instant::now() }).is_ok());
        });
        let complaint = Arc::new(Mutex::new(String::new()));
        let kept = complaint.clone();
        let (complaining, complains) = channel();
        thread::spawn(move || {
            let _complaining: Sender<()> = complaining;
            each_line(stderr.expect("it is piped"), |text| {
                if !text.trim().is_empty() {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = text;
                }
                true
            });
        });
        Ok(Process { child, input: Some(input), lines, complaint, complains })
    }

    /// Sends a text that ends with a line end; never waits.
    pub fn send(&self, text: String) {
        if let Some(input) = &self.input {
            // A program that is gone is noticed when its answer is missing.
            let _ = input.send(text);
        }
    }

    /// The next line.
    pub fn line(&self, deadline: Instant, stop: &AtomicBool) -> Result<Line, Missing> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Missing::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(BEAT)) {
                // One that talks without end is late, too.
                Ok(line) if line.at > deadline => return Err(Missing::Late),
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Missing::Ended),
                Err(RecvTimeoutError::Timeout) if left <= BEAT => return Err(Missing::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A line that is there already.
    pub fn waiting(&self) -> Option<Line> {
        self.lines.try_recv().ok()
    }

    /// How a program whose output has ended has ended itself; `None` if it runs on.
    pub fn status(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + LEAVE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }

    /// The last line of the error output of a program that has ended.
    pub fn complaint(&self) -> Option<String> {
        // What it wrote last may not be read yet; a child of its may hold the pipe.
        let _ = self.complains.recv_timeout(LEAVE);
        let text = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        (!text.is_empty()).then(|| text.trim().to_owned())
    }

    /// Closes the input and lets the program end by itself for a while.
    pub fn leave(&mut self) {
        self.input = None;
        self.status();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            // What has ended already needs no signal. The number is not anybody else's: the leader is waited for
            // below only, or was a moment ago.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        self.status();
    }
}

fn write(input: &mut ChildStdin, texts: &Receiver<String>) {
    for text in texts {
        if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Hands out each line until there is no more or nobody wants one.
fn each_line(pipe: impl Read, mut each: impl FnMut(String) -> bool) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        let (used, is_whole) = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
            Ok([]) => {
                if !line.is_empty() {
                    each(String::from_utf8_lossy(&line).into_owned());
                }
                return;
            }
            Ok(bytes) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                line.extend_from_slice(&part[..part.len().min(LONGEST - line.len())]);
                (end.map_or(bytes.len(), |end| end + 1), end.is_some())
            }
        };
        reader.consume(used);
        if is_whole {
            let text = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
            line.clear();
            if !each(text) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        each_line(bytes, |line| {
            lines.push(line);
            true
        });
        lines
    }

    #[test]
    fn lines_end_in_any_way_and_long_ones_are_cut() {
        assert_eq!(lines(b"a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(lines(b"\xff\n"), ["\u{FFFD}"]);
        let long = [vec![b'x'; 100_000], b"\n7,7\n".to_vec()].concat();
        assert_eq!(lines(&long), ["x".repeat(LONGEST), "7,7".into()]);
        assert_eq!(lines(&vec![b'y'; 9000]), ["y".repeat(LONGEST)]);
    }
}

use crate::support;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// An interface that talks with `kifu engine`.
pub struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    stderr: Option<JoinHandle<String>>,
}

/// Longer than any answer takes, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(30);

impl Talk {
    /// Starts the engine with these arguments after `engine`.
    pub fn new(arguments: &[&str]) -> Talk {
        let mut command = support::command();
        command.arg("engine").args(arguments);
        Talk::start(command)
    }

    /// Starts a program without arguments.
    pub fn program(path: &Path) -> Talk {
        Talk::start(Command::new(path))
    }

    fn start(mut command: Command) -> Talk {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut said = Vec::new();
            let _ = stderr.read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        });
        let stdin = child.stdin.take();
        Talk { child, stdin, lines, stderr: Some(stderr) }
    }

    /// A game on a board of this side, with few nodes for a move.
    pub fn gomocup(rule: u32, side: u8) -> Talk {
        let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
        talk.say("INFO max_node 200");
        talk.say(&format!("INFO rule {rule}"));
        assert_eq!(talk.ask(&format!("START {side}")), "OK");
        talk
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Writes bytes; an engine that has left does not hear them.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes);
        }
    }

    /// The next line, which has to come.
    pub fn next(&mut self) -> String {
        self.next_at().1
    }

    fn next_at(&mut self) -> (Instant, String) {
        self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// The next line, if one comes in this time.
    pub fn next_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok((_, line)) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The next line that is no MESSAGE and no INFO.
    pub fn reply(&mut self) -> String {
        self.reply_at().1
    }

    fn reply_at(&mut self) -> (Instant, String) {
        loop {
            let (at, line) = self.next_at();
            if !line.starts_with("MESSAGE ") && !line.starts_with("INFO ") {
                return (at, line);
            }
        }
    }

    /// Says a line and gives the reply.
    pub fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.reply()
    }

    /// Says a line and gives the reply and the time it took.
    pub fn timed(&mut self, line: &str) -> (String, Duration) {
        let since = Instant::now();
        self.say(line);
        let (at, reply) = self.reply_at();
        (reply, at - since)
    }

    /// Sees that nothing more is said than this reply to a question of another kind.
    pub fn is_silent_until(&mut self, question: &str, reply: &str) {
        self.say(question);
        assert_eq!(self.next(), reply);
    }

    /// Closes the engine's input.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the engine to leave: its exit code, what is left of its lines, and what it said on stderr.
    pub fn end(mut self) -> (i32, Vec<String>, String) {
        let code = self.child.wait().unwrap().code().expect("nobody kills it");
        let left = self.lines.iter().map(|(_, line)| line).collect();
        let stderr = self.stderr.take().unwrap().join().unwrap();
        (code, left, stderr)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

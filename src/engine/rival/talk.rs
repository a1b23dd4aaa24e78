use super::CommandLine;
use super::failure::{Failure, Wanted};
use super::process::{Line, Missing, Process};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is kept of a text to be told.
const TOLD: usize = 200;

/// A program that is talked with line by line, and who may not wait for it any longer.
pub(super) struct Talk<'s> {
    process: Process,
    stop: &'s AtomicBool,
    heard: Instant,
    last: Option<String>,
}

impl<'s> Talk<'s> {
    /// Starts a program. Nothing here waits longer than half a tenth of a second after `stop` is set.
    pub fn start(line: &CommandLine, stop: &'s AtomicBool) -> Result<Talk<'s>, Failure> {
        Ok(Talk { process: Process::start(line)?, stop, heard: Instant::now(), last: None })
    }

    /// The same with another flag that stops who waits for it.
    pub fn heeding<'t>(self, stop: &'t AtomicBool) -> Talk<'t> {
        let Talk { process, stop: _, heard, last } = self;
        Talk { process, stop, heard, last }
    }

    /// Sends a text that ends with a line end; never waits.
    pub fn send(&self, text: String) {
        self.process.send(text);
    }

    /// The next line.
    pub fn line(&mut self, deadline: Instant) -> Result<Line, Missing> {
        let line = self.process.line(deadline, self.stop)?;
        self.note(&line);
        Ok(line)
    }

    /// Passes over what was said since the last answer.
    pub fn drain(&mut self) {
        let now = Instant::now();
        while let Some(line) = self.process.waiting() {
            self.note(&line);
            // What comes meanwhile is read by who waits for an answer.
            if line.at > now {
                return;
            }
        }
    }

    fn note(&mut self, line: &Line) {
        self.heard = line.at;
        if !line.text.trim().is_empty() {
            self.last = Some(cut(&line.text));
        }
    }

    /// When it said something last.
    pub const fn heard(&self) -> Instant {
        self.heard
    }

    /// What it means that a line did not come.
    pub fn failure(&mut self, missing: Missing, wanted: Wanted, waited: Duration) -> Failure {
        match missing {
            Missing::Stopped => Failure::Stopped,
            Missing::Late => Failure::Silent { wanted, waited, last: self.last.clone() },
            Missing::Ended => {
                let status = self.process.status().map(|status| status.to_string());
                let last = self.process.complaint().map(|text| cut(&text)).or(self.last.clone());
                Failure::Gone { status, last }
            }
        }
    }

    /// Closes its input and lets it end by itself for a while.
    pub fn leave(&mut self) {
        self.process.leave();
    }
}

/// The text, or its beginning if it is long, with U+FFFD for control characters, which neither names nor records have.
pub(super) fn cut(text: &str) -> String {
    let text = text.trim();
    let mut told: String = text.chars().take(TOLD).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if text.chars().nth(TOLD).is_some() {
        told.push('…');
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_harmless() {
        assert_eq!(cut("  a\u{1b}[2Jb\t"), "a\u{FFFD}[2Jb");
        assert_eq!(cut(&"é".repeat(5000)).chars().count(), TOLD + 1);
    }
}

use std::fmt::Display;
use std::io::{self, Write, stdout};

/// What is said on stdout, each line at once.
pub struct Voice;

impl Voice {
    /// Says a line.
    pub fn say(&mut self, line: impl Display) -> io::Result<()> {
        let mut out = stdout().lock();
        // One piece: a line that is written in parts is read in parts.
        out.write_all(format!("{line}\n").as_bytes())?;
        out.flush()
    }
}

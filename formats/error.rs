use games::{Coords, Move, Size};
use record::{NodeId, Play, Tree};
use std::fmt;

/// Whose fault an error is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The file is damaged, or is not what its name says.
    File,
    /// The target format cannot hold what was asked of it.
    Target,
    /// The caller's options contradict each other or the file.
    Caller,
    /// The file is to be refused under the strictness asked for.
    Policy,
    /// A limit of this program.
    Us,
    /// The disk, the pipe, the system.
    World,
    /// The user stopped the work.
    Stopped,
    /// Nobody: whoever read the output has gone, as in `kifu … | head`.
    Gone,
}

/// Where in a file and in its tree something is; unknown parts are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The record within the file, from 1; only for files that hold many.
    pub record: Option<u64>,
    /// Offset from the start of the file.
    pub byte: Option<u64>,
    /// Line of the file, from 1.
    pub line: Option<u64>,
    /// The moves that lead there, as `h8 h9 j10`, shortened at the front.
    pub path: Option<String>,
    /// How many moves lead there; nodes without one do not count.
    pub ply: Option<usize>,
}

impl Place {
    /// A byte offset.
    pub fn byte(byte: usize) -> Place {
        Place { byte: Some(byte as u64), ..Place::default() }
    }

    /// A line, from 1.
    pub fn line(line: usize) -> Place {
        Place { line: Some(line as u64), ..Place::default() }
    }

    /// The same place with the moves from the root to `node`.
    #[must_use]
    pub fn after(mut self, tree: &Tree, node: NodeId, size: Size) -> Place {
        let nodes = tree.path(node);
        self.ply = Some(nodes.iter().filter(|node| matches!(tree.play(**node), Play::Move(_))).count());
        self.path = Some(path_text(tree, &nodes, size));
        self
    }
}

/// At most this many moves of a path are shown: enough to find the place, short enough for a line.
const SHOWN: usize = 10;

/// The moves of a path as `h8 h9 j10`, shortened at the front.
pub(crate) fn path_text(tree: &Tree, nodes: &[NodeId], size: Size) -> String {
    let mut text = String::from(if nodes.len() > SHOWN { "… " } else { "" });
    for (at, node) in nodes.iter().skip(nodes.len().saturating_sub(SHOWN)).enumerate() {
        if at > 0 {
            text.push(' ');
        }
        match tree.play(*node) {
            Play::Nothing => text.push('·'),
            Play::Move(Move::Step(step)) => text.push_str(&step.to_string()),
            play => text.push_str(&play.point().map_or("--".into(), |point| Coords::A1.text(point, size))),
        }
    }
    text
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.record.map(|record| format!("game {record}")),
            self.line.map(|line| format!("line {line}")),
            self.byte.map(|byte| format!("byte {byte:#x}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let path = match (&self.path, self.ply) {
            (Some(path), Some(ply)) if !path.is_empty() => format!("after {path}, ply {ply}"),
            (Some(_), _) => "at the root".into(),
            _ => String::new(),
        };
        match (parts.is_empty(), path.is_empty()) {
            (true, _) => f.write_str(&path),
            (false, true) => write!(f, "at {}", parts.join(", ")),
            (false, false) => write!(f, "at {} ({path})", parts.join(", ")),
        }
    }
}

/// Why a file was not read or written.
#[derive(Debug)]
pub struct Error {
    /// Whose fault it is.
    pub blame: Blame,
    /// The [`crate::Format::name`], or empty before a format is known.
    pub format: &'static str,
    /// What was found and, behind a colon, what to do about it; no place.
    pub message: String,
    /// Where.
    pub place: Box<Place>,
}

impl Error {
    /// An error in a file.
    pub fn file(format: &'static str, place: Place, message: impl Into<String>) -> Error {
        Error { blame: Blame::File, format, message: message.into(), place: Box::new(place) }
    }

    /// An error without a place.
    pub fn new(blame: Blame, format: &'static str, message: impl Into<String>) -> Error {
        Error { blame, format, message: message.into(), place: Box::default() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.format.is_empty() {
            write!(f, "{}: ", self.format)?;
        }
        write_placed(f, &self.message, &self.place)
    }
}

/// Writes a message with its place behind what was found: `bits 0002 at byte 0x16: kept`.
pub(crate) fn write_placed(f: &mut fmt::Formatter<'_>, message: &str, place: &Place) -> fmt::Result {
    if *place == Place::default() {
        return f.write_str(message);
    }
    // What a file says stands between backticks, and its colons are its own.
    let quoted = |at: usize| message[..at].matches('`').count() % 2 == 1;
    let stop = message.match_indices(": ").chain(message.match_indices("; ")).map(|(at, _)| at);
    let (found, rest) = message.split_at(stop.filter(|at| !quoted(*at)).min().unwrap_or(message.len()));
    write!(f, "{found} {place}{rest}")
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        let gone = error.kind() == std::io::ErrorKind::BrokenPipe;
        Error::new(if gone { Blame::Gone } else { Blame::World }, "", error.to_string())
    }
}

impl From<record::Full> for Error {
    fn from(full: record::Full) -> Error {
        Error::new(Blame::Us, "", full.to_string())
    }
}

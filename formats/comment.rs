//! Comments in formats that write them in one piece: their first line is the one-line part, the rest is the body.

use record::{Full, Note, TreeBuilder};

/// The two parts of a comment whose lines end with `\n`; no one-line part where the first line is empty.
pub(crate) fn split(text: &str) -> (Option<&str>, Option<&str>) {
    match text.split_once('\n') {
        None => (Some(text), None),
        Some((line, body)) => ((!line.is_empty()).then_some(line), Some(body)),
    }
}

/// The text of a file with `\n` at the ends of its lines.
pub(crate) fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Writes a comment at the last node, in two parts if it has many lines.
pub(crate) fn push(builder: &mut TreeBuilder, text: &str) -> Result<(), Full> {
    let (line, body) = split(text);
    line.map_or(Ok(()), |line| builder.note(Note::Line(line)))?;
    body.map_or(Ok(()), |body| builder.note(Note::Body(body)))
}

//! Comments in formats that write them in one piece: their first line is the one-line part, the rest is the body.

/// The two parts of a comment whose lines end with `\n`; no one-line part where the first line is empty.
pub(crate) fn split(text: &str) -> (Option<&str>, Option<&str>) {
    match text.split_once('\n') {
        None => (Some(text), None),
        Some((line, body)) => ((!line.is_empty()).then_some(line), Some(body)),
    }
}

//! The text between the brackets: escapes, line breaks, pairs and points.

use games::{Point, Size};
use std::borrow::Cow;

/// Whether SGF takes the byte for a blank.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// What a line break in a value means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Lines {
    /// A line break.
    Kept,
    /// A blank.
    Joined,
}

/// The text a value stands for.
pub(super) fn unescape(raw: &str, lines: Lines) -> Cow<'_, str> {
    let special = |byte: u8| match byte {
        b'\\' | b'\t' | b'\r' | 0x0B | 0x0C => true,
        b'\n' => lines == Lines::Joined,
        _ => false,
    };
    let Some(first) = raw.bytes().position(special) else { return Cow::Borrowed(raw) };
    let bytes = raw.as_bytes();
    let mut text = String::with_capacity(raw.len());
    let (mut copied, mut at) = (0, first);
    while at < bytes.len() {
        let escaped = bytes[at] == b'\\';
        if !escaped && !matches!(bytes[at], b'\t'..=b'\r') {
            at += 1;
            continue;
        }
        text.push_str(&raw[copied..at]);
        at += usize::from(escaped);
        copied = at;
        match bytes.get(at) {
            Some(b'\n' | b'\r') => {
                at += line_break(&bytes[at..]);
                copied = at;
                match lines {
                    _ if escaped => {}
                    Lines::Kept => text.push('\n'),
                    Lines::Joined => text.push(' '),
                }
            }
            Some(b'\t' | 0x0B | 0x0C) => {
                at += 1;
                copied = at;
                text.push(' ');
            }
            // The escaped character is plain: it is copied with what follows.
            Some(_) => at += 1,
            None => {}
        }
    }
    text.push_str(&raw[copied..]);
    Cow::Owned(text)
}

/// The length of the line break at the start.
fn line_break(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] | [b'\n', b'\r', ..] => 2,
        _ => 1,
    }
}

/// Divides a pair at its first colon without a backslash.
pub(super) fn pair(raw: &str) -> Option<(&str, &str)> {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b':' => return Some((&raw[..at], &raw[at + 1..])),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// Where two letters point.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    On(Point),
    /// Letters of a point that the board does not have.
    Off,
    /// No two letters.
    Not,
}

/// Reads the two letters of a point, blanks around them allowed.
pub(super) fn spot(raw: &str, size: Size) -> Spot {
    let &[column, row] = raw.trim_ascii().as_bytes() else { return Spot::Not };
    let number = |letter: u8| match letter {
        b'a'..=b'z' => Some(letter - b'a'),
        b'A'..=b'Z' => Some(letter - b'A' + 26),
        _ => None,
    };
    let (Some(x), Some(y)) = (number(column), number(row)) else { return Spot::Not };
    match Point::new(x, y) {
        Some(point) if size.contains(point) => Spot::On(point),
        _ => Spot::Off,
    }
}

/// Reads `aa`, or `aa:cc` as the corners of a rectangle: the top left and the bottom right.
pub(super) fn rectangle(raw: &str, size: Size) -> Option<(Point, Point)> {
    let (from, to) = raw.split_once(':').unwrap_or((raw, raw));
    let (Spot::On(from), Spot::On(to)) = (spot(from, size), spot(to, size)) else { return None };
    let corner = |x, y| Point::new(x, y).expect("both coordinates are those of points");
    Some((corner(from.x().min(to.x()), from.y().min(to.y())), corner(from.x().max(to.x()), from.y().max(to.y()))))
}

/// How a text is written between brackets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Escape {
    /// Alone.
    Text,
    /// As a part of a pair.
    Paired,
    /// As the second part of a pair that holds no line breaks: they become blanks.
    Label,
}

/// Appends the text with its escapes.
pub(super) fn escape(text: &str, how: Escape, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let instead = match byte {
            b']' => b"\\]",
            b'\\' => b"\\\\",
            b':' if how != Escape::Text => b"\\:",
            b'\n' if how == Escape::Label => &b" "[..],
            _ => continue,
        };
        out.extend_from_slice(&bytes[copied..at]);
        out.extend_from_slice(instead);
        copied = at + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
}

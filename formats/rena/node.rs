//! Digits to bytes, bytes to nodes.

use super::flag;
use games::Point;
use std::ops::Range;

/// The bytes that the digits of a file stand for.
pub(super) struct Digits<'f> {
    file: &'f [u8],
    pub bytes: Vec<u8>,
    /// The first thing that is neither a digit nor white space: where, and what.
    pub stranger: Option<(usize, u8)>,
}

impl Digits<'_> {
    /// Reads up to the first thing that is no digit; a last digit without another is left.
    pub fn of(file: &[u8]) -> Digits<'_> {
        let mut digits = Digits { file, bytes: Vec::with_capacity(file.len() / 2), stranger: None };
        let mut half = None;
        for (at, &byte) in file.iter().enumerate() {
            match ((byte as char).to_digit(16), half.take()) {
                (Some(low), Some(high)) => digits.bytes.push((high << 4 | low) as u8),
                (Some(high), None) => half = Some(high),
                (None, before) if byte.is_ascii_whitespace() => half = before,
                (None, _) => {
                    digits.stranger = Some((at, byte));
                    break;
                }
            }
        }
        digits
    }

    /// Where in the file a byte begins; it goes through the file, so ask only for what is told.
    pub fn place(&self, at: usize) -> usize {
        let mut digits = self.file.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace());
        digits.nth(2 * at).map_or(self.file.len(), |(place, _)| place)
    }
}

/// Why a node does not read.
#[derive(Debug, PartialEq)]
pub(super) enum Stop {
    /// The bytes end inside it.
    Cut,
    /// The point is off the board.
    OffBoard,
}

/// A node as its bytes say it.
#[derive(Debug)]
pub(super) struct Node {
    pub pos: u8,
    pub flags: u8,
    /// Where its text stands.
    pub comment: Option<Range<usize>>,
    /// Points and where their texts stand.
    pub labels: Vec<(u8, Range<usize>)>,
    /// Something else than `00` stands behind the last label.
    pub open_labels: bool,
}

impl Node {
    pub fn take(bytes: &[u8], at: &mut usize) -> Result<Node, Stop> {
        let [pos, flags] = bytes.get(*at..*at + 2).ok_or(Stop::Cut)? else { return Err(Stop::Cut) };
        if *pos != 0 && Point::from_agi(*pos).is_none() {
            return Err(Stop::OffBoard);
        }
        let mut node = Node { pos: *pos, flags: *flags, comment: None, labels: Vec::new(), open_labels: false };
        let mut end = *at + 2;
        if flags & flag::COMMENT != 0 {
            let length = bytes[end..].iter().position(|byte| *byte == 0).ok_or(Stop::Cut)?;
            node.comment = Some(end..end + length);
            end += (length + 1).next_multiple_of(2);
        }
        let mut more = flags & flag::LABELS != 0;
        while more {
            let [pos, first, second, next] = bytes.get(end..end + 4).ok_or(Stop::Cut)? else { return Err(Stop::Cut) };
            let length = [first, second].iter().take_while(|byte| ***byte != 0).count();
            node.labels.push((*pos, end + 1..end + 1 + length));
            node.open_labels = !matches!(*next, 0 | flag::LABELS);
            more = *next == flag::LABELS;
            end += 4;
        }
        if end > bytes.len() {
            return Err(Stop::Cut);
        }
        *at = end;
        Ok(node)
    }
}

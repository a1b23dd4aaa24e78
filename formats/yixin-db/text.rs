//! The text of a record: board texts and a comment.

use encoding_rs::{Encoding, UTF_8};
use games::{Point, Size};
use record::plain;
use std::borrow::Cow;

const BOARD: &[u8] = b"@BTXT@";
/// What stands between board texts and the comment, and for line ends in a comment.
const BACKSPACE: u8 = 0x08;
const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A text taken apart.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Parts<'a> {
    /// In the order of the file.
    pub texts: Vec<(Point, Cow<'a, [u8]>)>,
    pub comment: Cow<'a, [u8]>,
    /// Lines among the board texts that name no point: they stand at the start of the comment.
    pub odd_lines: usize,
}

impl<'a> Parts<'a> {
    /// Takes a text apart; points are on a board of this size.
    pub fn parse(bytes: &'a [u8], size: Size) -> Parts<'a> {
        let Some(body) = bytes.strip_prefix(BOARD) else {
            return Parts { comment: bytes.into(), ..Parts::default() };
        };
        let split = body.iter().position(|byte| *byte == BACKSPACE);
        let (pairs, comment) = body.split_at(split.unwrap_or(body.len()));
        let mut parts = Parts { comment: comment.get(1..).unwrap_or(&[]).into(), ..Parts::default() };
        let mut odd = Vec::new();
        for line in pairs.split(|byte| matches!(byte, b'\n' | 0)).filter(|line| !line.is_empty()) {
            match pair(line, size) {
                Some((point, text)) => parts.texts.push((point, text.into())),
                None => odd.push(line),
            }
        }
        if !odd.is_empty() {
            parts.odd_lines = odd.len();
            odd.extend(Some(&*parts.comment).filter(|comment| !comment.is_empty()));
            parts.comment = odd.join(&b'\n').into();
        }
        parts
    }

    /// Appends the text that is these parts; its board texts have neither line ends nor backspaces.
    pub fn push(&self, out: &mut Vec<u8>) {
        if !self.texts.is_empty() || self.comment.starts_with(BOARD) {
            out.extend(BOARD);
            for (at, (point, text)) in self.texts.iter().enumerate() {
                if at > 0 {
                    out.push(b'\n');
                }
                out.extend([DIGITS[usize::from(point.x())], DIGITS[usize::from(point.y())]]);
                out.extend(&**text);
            }
            if !self.comment.is_empty() {
                out.push(BACKSPACE);
            }
        }
        out.extend(&*self.comment);
    }
}

fn pair(line: &[u8], size: Size) -> Option<(Point, &[u8])> {
    let number = |at: usize| {
        let digit = DIGITS.iter().position(|digit| Some(digit) == line.get(at))?;
        u8::try_from(digit).ok()
    };
    let point = Point::new(number(0)?, number(1)?).filter(|point| size.contains(*point))?;
    Some((point, &line[2..]))
}

/// A text as a book holds it.
pub(crate) struct Decoded {
    pub text: String,
    /// What a file in UTF-8 holds for it, if that is something else; else empty.
    pub bytes: Vec<u8>,
    /// Some bytes are in no letter of the encoding.
    pub malformed: bool,
}

/// Decodes a text of a file whose texts are said to be in `declared`, or should be.
pub(crate) fn decode(bytes: &[u8], encoding: &'static Encoding, declared: &'static Encoding) -> Decoded {
    let encoding = if bytes.is_ascii() { declared } else { encoding };
    let (raw, malformed) = encoding.decode_without_bom_handling(bytes);
    let text = read_lines(&raw);
    let bytes = match () {
        () if malformed || encoding != declared => bytes.to_vec(),
        () if *text == *raw => Vec::new(),
        () => raw.as_bytes().to_vec(),
    };
    Decoded { text: text.into_owned(), bytes, malformed }
}

/// The text with `\n` where lines end, in a book's characters.
fn read_lines(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\r', '\u{8}']) {
        return plain(raw);
    }
    let lines = raw.replace("\r\n", "\n").replace(['\r', '\u{8}'], "\n");
    Cow::Owned(plain(&lines).into_owned())
}

/// The bytes of a text in a file of this encoding, and whether all characters could be said; others are `?`.
pub(crate) fn encode<'a>(text: &'a str, bytes: &'a [u8], encoding: &'static Encoding) -> (Cow<'a, [u8]>, bool) {
    // Somebody may have changed the text and not the bytes; those that are not UTF-8 cannot be compared.
    let own = |raw: &str| read_lines(raw) == text;
    let text = match std::str::from_utf8(bytes) {
        Err(_) => return (bytes.into(), true),
        Ok(raw) if !raw.is_empty() && own(raw) => raw,
        Ok(_) => text,
    };
    if encoding == UTF_8 || text.is_ascii() {
        return (text.as_bytes().into(), true);
    }
    let mut all = true;
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        let mut utf8 = [0; 4];
        let (bytes, _, unmappable) = encoding.encode(c.encode_utf8(&mut utf8));
        all &= !unmappable;
        out.extend(if unmappable { &b"?"[..] } else { &bytes });
    }
    (out.into(), all)
}

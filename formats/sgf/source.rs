//! The file as text: its charset, and where in the file a place of the text is.

use super::value::is_blank;
use crate::{Error, Guess, Place, Reading, Severity, Sure, guess, label_to_encoding};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use std::cell::Cell;

/// The decoded file.
pub(super) struct Source<'a> {
    pub text: Cow<'a, str>,
    pub encoding: &'static Encoding,
    /// Bytes of the file before the text, where the text is the bytes themselves.
    exact: Option<usize>,
    /// How long the file is.
    length: usize,
    /// An offset in the text and its line: places are asked for in order, so lines are counted on from here.
    counted: Cell<(usize, usize)>,
}

impl<'a> Source<'a> {
    /// Finds the charset and decodes the file.
    pub fn decode(bytes: &'a [u8], reading: &mut Reading<'_>) -> Result<Source<'a>, Error> {
        let (guess, mark) = charset(bytes, reading)?;
        reading.encoding = Some(guess);
        let encoding = guess.encoding;
        let source = |text, exact| Source { text, encoding, exact, length: bytes.len(), counted: Cell::new((0, 1)) };
        let body = &bytes[mark..];
        let utf8 =
            (encoding == UTF_8 || body.is_ascii() && encoding.is_ascii_compatible()).then(|| std::str::from_utf8(body));
        if let Some(Ok(text)) = utf8 {
            return Ok(source(Cow::Borrowed(text), Some(mark)));
        }
        let (text, malformed) = encoding.decode_without_bom_handling(body);
        let source = source(text, None);
        if malformed {
            reading.fault("malformed-bytes", Severity::Damage, || {
                let place = match utf8 {
                    Some(Err(error)) => Place::byte(mark + error.valid_up_to()),
                    _ => source.place(source.text.find('\u{FFFD}').unwrap_or(0)),
                };
                let name = encoding.name();
                let message =
                    format!("bytes that are no {name} were read as U+FFFD: if texts are garbled, name the encoding");
                (place, message)
            })?;
        }
        Ok(source)
    }

    /// The place in the file of an offset in the text: the byte where both are the same, else the line.
    pub fn place(&self, at: usize) -> Place {
        if let Some(before) = self.exact {
            return Place::byte(before + at);
        }
        let (mut from, mut line) = self.counted.get();
        if at < from {
            (from, line) = (0, 1);
        }
        line += count_lines(self.text.as_bytes(), from, at);
        self.counted.set((at, line));
        Place::line(line)
    }

    /// About how many bytes of the file an offset in the text is.
    pub fn done(&self, at: usize) -> usize {
        match self.exact {
            Some(before) => before + at,
            None => (at as u128 * self.length as u128 / self.text.len().max(1) as u128) as usize,
        }
    }
}

/// The line breaks that begin in a part of the text.
fn count_lines(text: &[u8], from: usize, to: usize) -> usize {
    let breaks = |at: &usize| match text[*at] {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    (from..to.min(text.len())).filter(breaks).count()
}

/// The charset of the file, and the length of its byte order mark.
fn charset(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(Guess, usize), Error> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return Ok((Guess { encoding, sure: Sure::Certain }, length));
    }
    if let Some(encoding) = reading.options.encoding {
        return Ok((Guess { encoding, sure: Sure::Given }, 0));
    }
    if let Some((at, label)) = declared(bytes) {
        if let Some(encoding) = label_to_encoding(label) {
            return Ok((Guess { encoding, sure: Sure::Declared }, 0));
        }
        reading.fault("unknown-charset", Severity::Quirk, || {
            (Place::byte(at), format!("CA[{label}] is no charset I know: it is guessed from the texts"))
        })?;
    }
    // Neither a blank nor a parenthesis is the second byte of a letter in any of the charsets.
    Ok((guess(bytes.split(|byte| *byte < b'0')), 0))
}

/// The value of the first CA and where it is.
///
/// The bytes are not yet text, so this looks for what can only be a CA: the name after the end of a value, a
/// semicolon or a blank, and a value of a few letters, digits and signs. In a text the bracket would be escaped.
fn declared(bytes: &[u8]) -> Option<(usize, &str)> {
    let mut at = 0;
    while let Some(found) = bytes.get(at..)?.iter().position(|byte| *byte == b'C') {
        at += found + 1;
        let before = at.checked_sub(2).map_or(b';', |before| bytes[before]);
        if bytes.get(at) != Some(&b'A') || !(matches!(before, b']' | b';' | b'(') || is_blank(before)) {
            continue;
        }
        let rest = bytes[at + 1..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b"[") else { continue };
        let value = &value[..value.len().min(40)];
        let Some(end) = value.iter().position(|byte| *byte == b']') else { continue };
        let label = value[..end].trim_ascii();
        let usual = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:+ ".contains(byte);
        if !label.is_empty() && label.iter().all(usual) {
            return Some((at - 1, std::str::from_utf8(label).expect("letters, digits and signs are ASCII")));
        }
    }
    None
}

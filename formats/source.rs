//! A file as text: decoded, and where in the file a place of the text is.

use crate::{Error, Guess, Place, Reading, Severity, Sure};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use std::cell::Cell;

/// The decoded file.
pub(crate) struct Source<'a> {
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
    /// Decodes a file. Its encoding is that of its byte order mark, else what the user named, else what `charset`
    /// finds in it.
    ///
    /// # Errors
    /// Bytes that are not of the encoding, when reading strictly, and what `charset` says.
    pub fn decode(
        bytes: &'a [u8],
        reading: &mut Reading<'_>,
        charset: impl FnOnce(&[u8], &mut Reading<'_>) -> Result<Guess, Error>,
    ) -> Result<Source<'a>, Error> {
        let (guess, mark) = match (Encoding::for_bom(bytes), reading.options.encoding) {
            (Some((encoding, length)), _) => (Guess { encoding, sure: Sure::Certain }, length),
            (None, Some(encoding)) => (Guess { encoding, sure: Sure::Given }, 0),
            (None, None) => (charset(bytes, reading)?, 0),
        };
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

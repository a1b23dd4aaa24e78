//! Files of lines, and texts in them.

use crate::encoding::decode;
use crate::{Error, Guess, Place, Reading, Severity, Sure, guess};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Tells of a byte order mark at the start, and how many bytes to pass over.
pub(crate) fn pass_mark(bytes: &[u8], reading: &mut Reading<'_>) -> Result<usize, Error> {
    let skipped = bytes.len() - without_bom(bytes).len();
    if skipped > 0 {
        reading.fault("byte-order-mark", Severity::Quirk, || {
            (Place::byte(0), "the file begins with a byte order mark, which was passed over".into())
        })?;
    }
    Ok(skipped)
}

/// The text without a byte order mark at its start.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM).unwrap_or(bytes)
}

/// The lines that are not blank: number from 1, byte offset, bytes without the line end.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, usize, &[u8])> {
    let mut start = 0;
    let mut number = 0;
    std::iter::from_fn(move || {
        while start < bytes.len() {
            let rest = &bytes[start..];
            let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
            let end = if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
            let line = (number + 1, start, &rest[..length]);
            number += 1;
            start += length + end;
            if !line.2.trim_ascii().is_empty() {
                return Some(line);
            }
        }
        None
    })
}

/// Finds the encoding of the texts of a file: the one asked for, else UTF-8 if they are, else a guess.
pub(crate) fn find_encoding(bytes: &[u8], reading: &mut Reading<'_>) {
    reading.encoding = Some(match reading.options.encoding {
        Some(encoding) => Guess { encoding, sure: Sure::Given },
        None => guess(lines(bytes).map(|(.., line)| line)),
    });
}

/// A text of the file in the encoding that [`find_encoding`] found.
pub(crate) fn text(bytes: &[u8], place: Place, reading: &mut Reading<'_>) -> Result<String, Error> {
    let encoding = reading.encoding.map_or(encoding_rs::UTF_8, |guess| guess.encoding);
    let decoded = decode(bytes, encoding, &mut None);
    if !decoded.exact {
        reading.fault("bad-text", Severity::Damage, || {
            (place, format!("the text is not in {}: what is not became U+FFFD", encoding.name()))
        })?;
    }
    Ok(decoded.text.into_owned())
}

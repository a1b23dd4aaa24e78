//! A file of text in whatever encoding.

use crate::lines::{find_encoding, pass_mark};
use crate::{Error, Place, Reading, Severity};
use encoding_rs::UTF_8;
use std::borrow::Cow;

/// The text of a file, in the encoding asked for, else as UTF-8 if it is, else as guessed.
pub(crate) fn page<'a>(bytes: &'a [u8], reading: &mut Reading<'_>) -> Result<Cow<'a, str>, Error> {
    let body = &bytes[pass_mark(bytes, reading)?..];
    find_encoding(body, reading);
    let encoding = reading.encoding.map_or(UTF_8, |guess| guess.encoding);
    let (text, malformed) = encoding.decode_without_bom_handling(body);
    if malformed {
        reading.fault("malformed-bytes", Severity::Damage, || {
            let before = &text[..text.find('\u{FFFD}').unwrap_or(0)];
            let line = rows(before).count().max(1);
            let name = encoding.name();
            let message =
                format!("bytes that are no {name} were read as U+FFFD: if texts are garbled, name the encoding");
            (Place::line(line), message)
        })?;
    }
    Ok(text)
}

/// All lines with their numbers from 1; LF, CR LF and CR end one.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = Some(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        let text = rest.filter(|text| !text.is_empty())?;
        number += 1;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some((number, text));
        };
        let after = &text[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some((number, &text[..end]))
    })
}

/// The first bytes of a file as text, as far as they are ASCII or UTF-8; what is not is replaced.
pub(crate) fn head_text(head: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(crate::lines::without_bom(head))
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_end_in_three_ways() {
        let rows: Vec<_> = super::rows("a\r\n\rb\n\nc").collect();
        assert_eq!(rows, [(1, "a"), (2, ""), (3, "b"), (4, ""), (5, "c")]);
        assert_eq!(super::rows("").count(), 0);
    }
}

//! The charset of a file.

use super::value::is_blank;
use crate::{Error, Guess, Place, Reading, Severity, Sure, guess, label_to_encoding};

/// What the file says, else what its texts are like.
pub(super) fn charset(bytes: &[u8], reading: &mut Reading<'_>) -> Result<Guess, Error> {
    if let Some((at, label)) = declared(bytes) {
        if let Some(encoding) = label_to_encoding(label) {
            return Ok(Guess { encoding, sure: Sure::Declared });
        }
        reading.fault("unknown-charset", Severity::Quirk, || {
            (Place::byte(at), format!("CA[{label}] is no charset I know: it is guessed from the texts"))
        })?;
    }
    // Neither a blank nor a parenthesis is the second byte of a letter in any of the charsets.
    Ok(guess(bytes.split(|byte| *byte < b'0')))
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

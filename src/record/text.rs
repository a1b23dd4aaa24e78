use std::borrow::Cow;

/// Whether a text of a record may hold the character: what XML 1.0 can hold, but for the carriage return.
///
/// Texts with other characters keep their bytes beside the text ([`crate::Part`]), so that every format
/// can write the text and those that can hold bytes write these.
pub const fn is_plain(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='\u{FFFD}' | '\u{10000}'..)
}

/// The text with every character that [`is_plain`] refuses replaced by U+FFFD.
pub fn plain(text: &str) -> Cow<'_, str> {
    // ASCII without controls is the common case and needs no decoding of characters.
    if text.bytes().all(|byte| matches!(byte, b' '..=0x7F | b'\t' | b'\n')) || text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_plain(c) { c } else { '\u{FFFD}' }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_xml_can_hold_is_plain() {
        assert_eq!(plain("a\tb\n黑棋"), "a\tb\n黑棋");
        assert_eq!(plain("a\rb\u{8}c\u{FFFF}d\u{0}"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}");
    }
}

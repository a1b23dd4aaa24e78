//! Labels as words, in the text forms of books.

use record::Label;

const NAMED: [(&str, Label); 6] = [
    ("null", Label::Null),
    ("win", Label::Win),
    ("loss", Label::Loss),
    ("draw", Label::Draw),
    ("forced", Label::Forced),
    ("blocked", Label::Blocked),
];
/// What the user's bytes may not look like: the letters of a database.
const LETTERS: [(u8, Label); 5] =
    [(b'w', Label::Win), (b'l', Label::Loss), (b'd', Label::Draw), (b'!', Label::Forced), (b'x', Label::Blocked)];

/// Appends a label, nothing for [`Label::None`]: its name, or a user's byte as its letter or as `0x` and two digits.
pub(crate) fn push(label: Label, out: &mut Vec<u8>) {
    match label {
        Label::None => {}
        Label::User(byte) => {
            let letter = byte.to_ascii_lowercase();
            // What a spreadsheet could take for a formula is no letter, and neither is punctuation.
            if (byte.is_ascii_alphanumeric() || byte == b'?') && LETTERS.iter().all(|(other, _)| *other != letter) {
                out.push(byte);
            } else {
                out.extend(format!("0x{byte:02x}").bytes());
            }
        }
        label => {
            let named = NAMED.iter().find(|(_, named)| *named == label);
            out.extend(named.expect("all others have a name").0.bytes());
        }
    }
}

/// The label of a word: what [`push`] writes, and the letters of a database (`w`, `l`, `d`, `!`, `x`).
pub(crate) fn parse(text: &str) -> Option<Label> {
    if text.is_empty() {
        return Some(Label::None);
    }
    if let Some((_, label)) = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*label);
    }
    match text.as_bytes() {
        [byte] if byte.is_ascii_graphic() => {
            let letter = byte.to_ascii_lowercase();
            let known = LETTERS.iter().find(|(other, _)| *other == letter);
            Some(known.map_or(Label::User(*byte), |(_, label)| *label))
        }
        [b'0', b'x' | b'X', digits @ ..] if digits.len() == 2 => {
            let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            Some(Label::User(byte))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_reads_back() {
        let users = (0..=255).map(Label::User);
        for label in NAMED.iter().map(|(_, label)| *label).chain([Label::None]).chain(users) {
            let mut out = Vec::new();
            push(label, &mut out);
            let text = String::from_utf8(out).unwrap();
            assert_eq!(parse(&text), Some(label), "{text}");
            assert!(!text.starts_with(['=', '+', '-', '@', '\'', '"', ',', ';']), "{text}");
        }
        assert_eq!(parse("W"), Some(Label::Win));
        assert_eq!(parse("!"), Some(Label::Forced));
        assert_eq!(parse("0x1"), None);
        assert_eq!(parse("winning"), None);
    }
}

//! What is said to people: complaints on stderr, numbers, and texts of files made harmless.

use std::borrow::Cow;
use std::io::Write;

/// The version of our JSON lines, which each names as `kifu`; members are only ever added to it.
pub const JSON: u32 = 1;

/// Says a sentence on stderr, after the name of the program.
pub fn complain(sentence: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(anstream::stderr().lock(), "kifu: {}", harmless(&sentence.replace('\n', " ")));
}

/// A text of a file without what a terminal would obey: control characters and marks that turn the direction.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if text.contains(obeyed) { Cow::Owned(text.replace(obeyed, "\u{FFFD}")) } else { Cow::Borrowed(text) }
}

/// A number with its thousands apart: `39,884`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 node`, `39,884 nodes`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_nouns_agree() {
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "node"), "0 nodes");
        assert_eq!(count(39_884, "node"), "39,884 nodes");
        assert_eq!(thousands(11_041_344), "11,041,344");
        assert_eq!(thousands(100), "100");
    }

    #[test]
    fn escape_sequences_of_files_do_not_reach_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31mb\u{9b}c\nd"), "a\u{FFFD}[31mb\u{FFFD}c\nd");
        assert_eq!(harmless("abc\u{202E}def"), "abc\u{FFFD}def");
        assert_eq!(harmless("黑棋"), "黑棋");
    }
}

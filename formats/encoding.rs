//! The code pages of texts: which one a file is in, and text to bytes and back without loss.

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};
use record::{Newline, NodeId, Note, Part, Record, is_plain, plain};
use std::borrow::Cow;

/// An encoding and how it was found.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Guess {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// How sure it is.
    pub sure: Sure,
}

/// How sure an encoding is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sure {
    /// The user named it.
    Given,
    /// The file names it.
    Declared,
    /// All texts are ASCII, or valid UTF-8 beyond ASCII.
    Certain,
    /// The letters are common ones of its language, and there are enough of them.
    Likely,
    /// A guess: look at the texts, and name the encoding if they are garbled.
    Unsure,
}

impl Sure {
    /// The word shown to users.
    pub const fn name(self) -> &'static str {
        match self {
            Sure::Given => "given",
            Sure::Declared => "declared",
            Sure::Certain => "certain",
            Sure::Likely => "likely",
            Sure::Unsure => "unsure",
        }
    }
}

/// The encoding of a label: the WHATWG labels, and Windows code pages as `cp936`.
///
/// UTF-16 and the stateful encodings cannot stand between NUL bytes and brackets and are refused.
pub fn label_to_encoding(label: &str) -> Option<&'static Encoding> {
    let label = label.trim().to_ascii_lowercase().replace('_', "-");
    let label = match label.as_str() {
        "cp932" | "shift-jis" | "sjis" => "shift_jis",
        "cp936" => "gbk",
        "cp949" => "euc-kr",
        "cp950" => "big5",
        "gb2312" => "gb18030",
        other => other,
    };
    Encoding::for_label(label.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

/// The first of Windows' code pages that holds all texts; `None` if none does.
///
/// Chinese code pages hold kana and Cyrillic too, so the narrower ones are tried first.
pub(crate) fn code_page<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'static Encoding> {
    page_of(texts.map(|text| (text, None)))
}

/// The encoding of a record's bytes where nothing says it: the first code page that reads each text from the bytes
/// beside it and holds all other texts. `None` if there are no bytes or no such page.
pub fn encoding_of(record: &Record) -> Option<&'static Encoding> {
    let tree = &record.tree;
    let parts = |node: NodeId| {
        tree.notes(node).filter_map(move |note| {
            let (part, text) = match note {
                Note::Line(text) => (Part::Line, text),
                Note::Body(text) => (Part::Body, text),
                Note::Text(text) => (Part::Text, text),
                Note::Label(point, text) => (Part::Label(point), text),
                _ => return None,
            };
            Some((text, tree.bytes(node, part)))
        })
    };
    let texts = || tree.nodes().flat_map(parts);
    texts().any(|(_, bytes)| bytes.is_some()).then(|| page_of(texts())).flatten()
}

/// The code page of texts, some of them with their bytes.
fn page_of<'a>(texts: impl Iterator<Item = (&'a str, Option<&'a [u8]>)>) -> Option<&'static Encoding> {
    let mut pages = vec![WINDOWS_1252, WINDOWS_1250, WINDOWS_1251, SHIFT_JIS, GBK, BIG5, EUC_KR];
    let mut kana = false;
    for (text, bytes) in texts.filter(|(text, bytes)| bytes.is_some() || !text.is_ascii()) {
        kana |= text.chars().any(|c| matches!(c, '\u{3041}'..='\u{30FE}'));
        pages.retain(|page| match bytes {
            Some(bytes) => decode(bytes, page, &mut None).text == text,
            None => encode(text, page, Newline::Lf).is_some(),
        });
    }
    // Without kana, Japanese and Chinese look alike, and most libraries are Chinese.
    let wanted = |page: &&&Encoding| kana || **page != SHIFT_JIS;
    pages.iter().find(wanted).or(pages.first()).copied()
}

/// More text than this tells no more about the encoding.
const ENOUGH: usize = 1 << 20;

/// Guesses the one encoding of all texts of a file.
///
/// Text that is valid UTF-8 is UTF-8. Otherwise each multi-byte code page and windows-1251 is scored by how
/// common the letters are that it makes of the bytes; where none convinces, chardetng chooses among the rest.
pub fn guess<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Guess {
    let mut high = Vec::new();
    let mut utf8 = true;
    for text in texts.filter(|text| !text.is_ascii()) {
        utf8 = utf8 && std::str::from_utf8(text).is_ok();
        if high.len() + text.len() <= ENOUGH || high.is_empty() {
            high.extend_from_slice(&text[..text.len().min(ENOUGH)]);
            high.push(b'\n');
        }
    }
    if utf8 {
        return Guess { encoding: UTF_8, sure: Sure::Certain };
    }
    let mut scores = SCORERS.map(|(encoding, scorer)| (scorer(&high), encoding));
    // The sort is stable: where Hangul and Chinese fit alike, the narrower Hangul stands first.
    scores.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (best, encoding) = scores[0];
    if best >= 0.5 {
        let clear = best - scores[1].0 >= 0.25 && high.iter().filter(|byte| **byte >= 0x80).count() >= 12;
        return Guess { encoding, sure: if clear { Sure::Likely } else { Sure::Unsure } };
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&high, true);
    Guess { encoding: detector.guess(None, chardetng::Utf8Detection::Allow), sure: Sure::Unsure }
}

/// From 1, all letters are common ones, down to below 0.
type Scorer = fn(&[u8]) -> f64;

const SCORERS: [(&Encoding, Scorer); 5] = [
    (EUC_KR, |bytes| {
        score_pairs(bytes, |lead, trail| match (lead, trail) {
            (0xB0..=0xC8, 0xA1..) => 1.0,
            (0xA1..=0xA3, 0xA1..) => 0.5,
            _ => -1.0,
        })
    }),
    (GBK, |bytes| {
        score_pairs(bytes, |lead, trail| match (lead, trail) {
            (0xB0..=0xD7, 0xA1..) => 1.0,
            (0xA1..=0xA3, 0xA1..) => 0.5,
            (0xD8..=0xF7, 0xA1..) => 0.0,
            _ => -1.0,
        })
    }),
    (BIG5, |bytes| {
        score_pairs(bytes, |lead, trail| match (lead, trail) {
            (0xA4..=0xC6, 0x40..=0x7E | 0xA1..) => 1.0,
            (0xA1..=0xA3, 0x40..=0x7E | 0xA1..) => 0.5,
            (0xC9..=0xF9, 0x40..=0x7E | 0xA1..) => -0.5,
            _ => -1.0,
        })
    }),
    (SHIFT_JIS, score_shift_jis),
    (WINDOWS_1251, score_cyrillic),
];

/// The mean of `score` over the letters beyond ASCII: lead and trail byte; no trail byte is 0.
fn score_letters(bytes: &[u8], is_single: fn(u8) -> bool, score: fn(u8, u8) -> f64) -> f64 {
    let (mut total, mut count, mut at) = (0.0, 0, 0);
    while at < bytes.len() {
        let lead = bytes[at];
        at += 1;
        if lead < 0x80 {
            continue;
        }
        let trail = bytes.get(at).copied().filter(|trail| *trail >= 0x40 && !is_single(lead));
        at += usize::from(trail.is_some());
        count += 1;
        total += score(lead, trail.unwrap_or(0));
    }
    total / f64::from(count.max(1))
}

/// As [`score_letters`] where every letter has two bytes.
fn score_pairs(bytes: &[u8], score: fn(u8, u8) -> f64) -> f64 {
    score_letters(bytes, |_| false, score)
}

fn score_shift_jis(bytes: &[u8]) -> f64 {
    let is_single = |lead| (0xA0..=0xDF).contains(&lead);
    score_letters(bytes, is_single, |lead, trail| match (lead, trail) {
        // Half-width katakana: one byte, and rare in prose.
        (0xA0..=0xDF, _) => -0.5,
        (0x82, 0x9F..=0xF1) | (0x83, 0x40..=0x96) => 1.0,
        (0x88..=0x97, 0x40..=0xFC) => 1.0,
        (0x81..=0x82, 0x40..=0xFC) => 0.5,
        (0x98..=0x9F | 0xE0..=0xEA, 0x40..=0xFC) => -0.25,
        _ => -1.0,
    })
}

/// Russian is small letters in runs; a capital after a small letter speaks against it.
fn score_cyrillic(bytes: &[u8]) -> f64 {
    let small = |byte: u8| matches!(byte, 0xE0..=0xFF | 0xB8);
    let capital = |byte: u8| matches!(byte, 0xC0..=0xDF | 0xA8);
    let (mut total, mut count) = (0.0, 0);
    let mut before = b' ';
    for &byte in bytes {
        if byte >= 0x80 {
            count += 1;
            total += match (small(before), small(byte), capital(byte)) {
                // A single high letter among Latin ones is another code page's.
                _ if before.is_ascii_alphabetic() => -1.0,
                (_, true, _) => 1.0,
                (true, _, true) => -1.0,
                (false, _, true) => 0.5,
                _ => -0.5,
            };
        }
        before = byte;
    }
    total / f64::from(count.max(1))
}

/// A text as a record holds it.
pub(crate) struct Decoded<'a> {
    /// Plain, with `\n` at line ends.
    pub text: Cow<'a, str>,
    /// Whether [`encode`] gives the bytes back.
    pub exact: bool,
}

/// Decodes a text. The first text with line ends sets the file's style in `newline`.
pub(crate) fn decode<'a>(bytes: &'a [u8], encoding: &'static Encoding, newline: &mut Option<Newline>) -> Decoded<'a> {
    if bytes.iter().all(|byte| matches!(byte, b' '..=0x7E | b'\t')) && encoding.is_ascii_compatible() {
        let text = std::str::from_utf8(bytes).expect("ASCII is UTF-8");
        return Decoded { text: Cow::Borrowed(text), exact: true };
    }
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    let mut exact = !malformed && encode(&text, encoding, Newline::Lf).is_some_and(|again| *again == *bytes);
    let (lines, style) = unify_newlines(text);
    match (style, *newline) {
        (Style::None, _) => {}
        (Style::Mixed, _) => exact = false,
        (Style::Of(style), None) => *newline = Some(style),
        (Style::Of(style), Some(file)) => exact &= style == file,
    }
    if lines.chars().all(is_plain) {
        return Decoded { text: lines, exact };
    }
    Decoded { text: Cow::Owned(plain(&lines).into_owned()), exact: false }
}

enum Style {
    None,
    Of(Newline),
    Mixed,
}

/// The text with `\n` at line ends, and how its lines ended.
fn unify_newlines(text: Cow<'_, str>) -> (Cow<'_, str>, Style) {
    if !text.contains('\r') {
        let style = if text.contains('\n') { Style::Of(Newline::Lf) } else { Style::None };
        return (text, style);
    }
    let pairs = text.matches("\r\n").count();
    let (returns, feeds) = (text.matches('\r').count(), text.matches('\n').count());
    let style = if pairs == returns && pairs == feeds { Style::Of(Newline::CrLf) } else { Style::Mixed };
    (Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")), style)
}

/// The encoding of the record's source if it holds all texts, else UTF-8.
pub(crate) fn charset(record: &Record) -> &'static Encoding {
    let source = record.head.encoding.and_then(label_to_encoding).filter(|encoding| *encoding != UTF_8);
    let Some(encoding) = source else { return UTF_8 };
    let holds = |text: &str| text.is_ascii() || encode_exactly(text, encoding).is_some();
    let head = &record.head;
    let fits = head.tags.iter().all(|(name, value)| holds(name) && holds(value))
        && head.opening.swaps.as_deref().is_none_or(holds)
        && record.tree.nodes().all(|node| {
            record.tree.notes(node).all(|note| match note {
                Note::Line(text) | Note::Body(text) | Note::Text(text) | Note::Label(_, text) => holds(text),
                Note::Property(name, value) => holds(name) && holds(value),
                _ => true,
            })
        });
    if fits { encoding } else { UTF_8 }
}

/// The bytes of the text; `None` if the encoding lacks a letter or gives another back.
pub(crate) fn encode_exactly<'a>(text: &'a str, encoding: &'static Encoding) -> Option<Cow<'a, [u8]>> {
    let (bytes, _, lacking) = encoding.encode(text);
    let same = || text.is_ascii() || encoding.decode_without_bom_handling(&bytes).0 == text;
    (!lacking && same()).then_some(bytes)
}

/// Appends a text with `?` for each character that the encoding lacks, and counts these.
pub(crate) fn encode_marked(text: &str, encoding: &'static Encoding, out: &mut Vec<u8>) -> u64 {
    if let Some(bytes) = encode_exactly(text, encoding) {
        out.extend_from_slice(&bytes);
        return 0;
    }
    let mut lacking = 0;
    for sign in text.chars() {
        let mut utf8 = [0; 4];
        let bytes = encode_exactly(sign.encode_utf8(&mut utf8), encoding);
        lacking += u64::from(bytes.is_none());
        out.extend_from_slice(bytes.as_deref().unwrap_or(b"?"));
    }
    lacking
}

/// Encodes a text with the line ends asked for; `None` if the encoding lacks a character.
pub(crate) fn encode<'a>(text: &'a str, encoding: &'static Encoding, newline: Newline) -> Option<Cow<'a, [u8]>> {
    let text = match newline {
        Newline::CrLf if text.contains('\n') => Cow::Owned(text.replace('\n', "\r\n")),
        _ => Cow::Borrowed(text),
    };
    if encoding == UTF_8 || text.is_ascii() {
        return Some(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    let (bytes, _, unmappable) = encoding.encode(&text);
    (!unmappable).then(|| Cow::Owned(bytes.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_windows_and_of_the_web_are_known() {
        for (label, name) in [
            ("cp936", "GBK"),
            ("GB2312", "gb18030"),
            ("gb18030", "gb18030"),
            ("cp932", "Shift_JIS"),
            ("Shift_JIS", "Shift_JIS"),
            ("euc_kr", "EUC-KR"),
            ("cp1250", "windows-1250"),
            ("utf-8", "UTF-8"),
        ] {
            assert_eq!(label_to_encoding(label).map(|e| e.name()), Some(name), "{label}");
        }
        assert_eq!(label_to_encoding("utf-16"), None);
        assert_eq!(label_to_encoding("nonsense"), None);
    }

    #[test]
    fn common_text_of_each_code_page_is_recognised() {
        for (label, text) in [
            ("gbk", "黑棋必胜，白５禁手"),
            ("shift_jis", "表示：十段戦、能力"),
            ("big5", "黑方勝，許功蓋"),
            ("euc-kr", "흑이 이긴다"),
            ("windows-1251", "Чёрные выигрывают"),
            ("windows-1250", "Černý vyhrává"),
            ("utf-8", "黑胜 — ход 9"),
        ] {
            let encoding = label_to_encoding(label).unwrap();
            let bytes = encode(text, encoding, Newline::Lf).unwrap();
            let guess = guess([b"ascii".as_slice(), &bytes].into_iter());
            assert_eq!(guess.encoding.name(), encoding.name(), "{text}");
            assert_eq!(decode(&bytes, encoding, &mut None).text, text);
        }
    }

    #[test]
    fn what_does_not_encode_back_is_not_exact() {
        let mut newline = None;
        assert!(decode("甲\r\n乙".as_bytes(), UTF_8, &mut newline).exact);
        assert_eq!(newline, Some(Newline::CrLf));
        for (bytes, text) in
            [(&b"\xD6"[..], "\u{FFFD}"), (b"a\nb", "a\nb"), (b"a\r\nb\rc", "a\nb\nc"), (b"a\x01b", "a\u{FFFD}b")]
        {
            let decoded = decode(bytes, GBK, &mut newline);
            assert_eq!((decoded.text.as_ref(), decoded.exact), (text, false));
        }
        assert!(decode(b"a\x7Fb", GBK, &mut newline).exact);
    }
}

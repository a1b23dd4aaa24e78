//! XML as other programs write it: tags, attributes and texts with their places, one after another.
//!
//! Unlike a strict XML reader this one goes on behind a stray ampersand and behind bytes of another encoding, which
//! real databases hold; it says where each was. A DOCTYPE is refused and no entity expands but the five of XML.

use crate::Error;
use crate::encoding::decode;
use encoding_rs::{Encoding, UTF_8};
use record::plain;
use std::borrow::Cow;

/// A piece of the file.
pub(crate) enum Token<'b> {
    /// `<name …>`; of `<name/>` the [`Token::Close`] follows.
    Open(Tag<'b>),
    /// `</name>`.
    Close,
    /// Text between tags, as it stands there.
    Text(Raw<'b>),
    /// The end of the file.
    End,
}

/// A start tag.
#[derive(Copy, Clone)]
pub(crate) struct Tag<'b> {
    pub name: &'b [u8],
    /// The byte of `<`.
    pub at: usize,
    /// What stands between the name and `>`.
    attributes: &'b [u8],
    attributes_at: usize,
}

/// A text as it stands in the file.
#[derive(Copy, Clone)]
pub(crate) struct Raw<'b> {
    pub bytes: &'b [u8],
    /// Its first byte.
    pub at: usize,
    /// From a CDATA section, in which `&` is an ampersand.
    verbatim: bool,
}

/// Why the file does not go on as XML.
pub(crate) struct Torn {
    pub at: usize,
    pub message: String,
    /// The file ends here.
    pub cut: bool,
}

/// Something in a text that was read in spite of it.
pub(crate) struct Flaw {
    pub kind: &'static str,
    pub at: usize,
    pub message: String,
}

/// The file and how far it is read.
pub(crate) struct Xml<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The names of the elements that are open.
    open: Vec<&'b [u8]>,
    /// The last tag was `<name/>`.
    empty: bool,
    /// The encoding of what is not UTF-8, from the declaration.
    pub encoding: Option<&'static Encoding>,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl<'b> Xml<'b> {
    pub fn new(bytes: &'b [u8]) -> Xml<'b> {
        let at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        Xml { bytes, at, open: Vec::new(), empty: false, encoding: None }
    }

    /// The byte behind the last token.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    pub fn next(&mut self) -> Result<Token<'b>, Torn> {
        if self.empty {
            self.empty = false;
            self.open.pop();
            return Ok(Token::Close);
        }
        loop {
            let rest = &self.bytes[self.at..];
            let at = self.at;
            match rest {
                [] => return if self.open.is_empty() { Ok(Token::End) } else { Err(self.cut()) },
                [b'<', b'!', b'-', b'-', ..] => self.pass(b"<!--", b"-->")?,
                [b'<', b'?', ..] => {
                    self.pass(b"<?", b"?>")?;
                    self.declaration(at);
                }
                [b'<', b'!', b'[', b'C', b'D', b'A', b'T', b'A', b'[', ..] => {
                    let start = at + b"<![CDATA[".len();
                    self.pass(b"<![CDATA[", b"]]>")?;
                    let bytes = &self.bytes[start..self.at - b"]]>".len()];
                    return Ok(Token::Text(Raw { bytes, at: start, verbatim: true }));
                }
                [b'<', b'!', ..] if [&b"<!--"[..], b"<![CDATA["].iter().any(|word| word.starts_with(rest)) => {
                    return Err(self.cut());
                }
                [b'<', b'!', ..] => {
                    let message = "there is a DOCTYPE or another declaration, which is not read: take it out";
                    return Err(self.torn(at, message));
                }
                [b'<', b'/', ..] => return self.close(),
                [b'<', ..] => return self.open().map(Token::Open),
                _ => {
                    let length = rest.iter().position(|byte| *byte == b'<').unwrap_or(rest.len());
                    self.at += length;
                    if self.at == self.bytes.len() && !self.open.is_empty() {
                        return Err(self.cut());
                    }
                    return Ok(Token::Text(Raw { bytes: &rest[..length], at, verbatim: false }));
                }
            }
        }
    }

    /// Passes over the rest of the element that was opened last.
    pub fn skip(&mut self) -> Result<(), Torn> {
        let depth = self.open.len();
        while self.open.len() >= depth {
            if let Token::End = self.next()? {
                break;
            }
        }
        Ok(())
    }

    /// Goes on at the first tag from `from` on that begins so, inside the elements `open`; whether there is one.
    pub fn resume(&mut self, from: usize, start: &[u8], open: &[&'b [u8]]) -> bool {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let is_tag = |at: &usize| {
            rest[*at..].starts_with(start)
                && rest.get(at + start.len()).is_some_and(|byte| byte.is_ascii_whitespace() || b">/".contains(byte))
        };
        let found = (0..rest.len()).filter(|at| rest[*at] == b'<').find(is_tag);
        self.at = found.map_or(self.bytes.len(), |at| from + at);
        self.open = open.to_vec();
        self.empty = false;
        found.is_some()
    }

    fn open(&mut self) -> Result<Tag<'b>, Torn> {
        let at = self.at;
        let rest = &self.bytes[at + 1..];
        let mut quote = None;
        let mut length = None;
        for (offset, byte) in rest.iter().enumerate() {
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(*byte),
                (Some(open), byte) if open == *byte => quote = None,
                (None, b'>') => {
                    length = Some(offset);
                    break;
                }
                // A value in which a tag begins has lost its quote.
                (_, b'<') => return Err(self.torn(at + 1 + offset, "`<` stands inside a tag: write `&lt;`")),
                _ => {}
            }
        }
        let Some(length) = length else { return Err(self.cut()) };
        let mut inside = &rest[..length];
        self.empty = inside.last() == Some(&b'/');
        if self.empty {
            inside = &inside[..inside.len() - 1];
        }
        let end = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(end);
        if !name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..)) {
            return Err(self.torn(at, "`<` begins no tag: write `&lt;`"));
        }
        self.at += length + 2;
        self.open.push(name);
        Ok(Tag { name, at, attributes, attributes_at: at + 1 + end })
    }

    fn close(&mut self) -> Result<Token<'b>, Torn> {
        let at = self.at;
        let rest = &self.bytes[at + 2..];
        let Some(length) = rest.iter().position(|byte| *byte == b'>') else { return Err(self.cut()) };
        let name = rest[..length].trim_ascii_end();
        match self.open.pop() {
            Some(open) if open == name => {
                self.at += length + 3;
                Ok(Token::Close)
            }
            Some(open) => Err(self.torn(at, format!("`</{}>` closes `<{}>`", short(name), short(open)))),
            None => Err(self.torn(at, format!("`</{}>` closes nothing", short(name)))),
        }
    }

    /// Passes over what stands between the two.
    fn pass(&mut self, open: &[u8], close: &[u8]) -> Result<(), Torn> {
        let start = self.at + open.len();
        let rest = &self.bytes[start..];
        let length = rest.windows(close.len()).position(|window| window == close);
        let Some(length) = length else { return Err(self.cut()) };
        self.at = start + length + close.len();
        Ok(())
    }

    /// Looks for the encoding in `<?xml … encoding="…"?>`, with or without its quotes.
    fn declaration(&mut self, start: usize) {
        let declaration = &self.bytes[start..self.at];
        let word = b"encoding=";
        let Some(at) = declaration.windows(word.len()).position(|window| window == word) else { return };
        let value = declaration[at + word.len()..].iter().filter(|byte| !matches!(byte, b'"' | b'\''));
        let value: Vec<u8> = value.take_while(|byte| !matches!(byte, b'?' | b' ')).take(40).copied().collect();
        let known = std::str::from_utf8(&value).ok().and_then(crate::label_to_encoding);
        self.encoding = known.filter(|encoding| *encoding != UTF_8);
    }

    fn torn(&self, at: usize, message: impl Into<String>) -> Torn {
        Torn { at, message: message.into(), cut: false }
    }

    fn cut(&self) -> Torn {
        let message = match self.open.last() {
            Some(name) => format!("the file ends before `</{}>`", short(name)),
            None => "the file ends inside a tag or a comment".into(),
        };
        Torn { at: self.bytes.len(), message, cut: true }
    }
}

impl<'b> Tag<'b> {
    /// The attributes in their order: name and value, or what stands in the place of one.
    pub fn attributes(&self) -> Attributes<'b> {
        Attributes { rest: self.attributes, at: self.attributes_at }
    }
}

/// The attributes of a tag.
pub(crate) struct Attributes<'b> {
    rest: &'b [u8],
    at: usize,
}

impl<'b> Iterator for Attributes<'b> {
    type Item = Result<(&'b [u8], Raw<'b>), Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let blanks = self.rest.len() - self.rest.trim_ascii_start().len();
        let rest = &self.rest[blanks..];
        let at = self.at + blanks;
        if rest.is_empty() {
            return None;
        }
        let parts = || {
            let name = rest.iter().position(|byte| *byte == b'=' || byte.is_ascii_whitespace())?;
            let behind = rest[name..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
            let quote = *behind.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
            let length = behind[1..].iter().position(|byte| *byte == quote)?;
            Some((name, rest.len() - behind.len() + 1, length))
        };
        let Some((name, start, length)) = parts() else {
            (self.rest, self.at) = (&[], at + rest.len());
            let message = format!("`{}` is not an attribute with its value in quotes; it is passed over", short(rest));
            return Some(Err(Flaw { kind: "bad-attribute", at, message }));
        };
        let value = Raw { bytes: &rest[start..start + length], at: at + start, verbatim: false };
        (self.rest, self.at) = (&rest[start + length + 1..], at + start + length + 1);
        Some(Ok((&rest[..name], value)))
    }
}

impl<'b> Raw<'b> {
    /// The text, with what its references stand for; what was odd in it goes to `flaw`.
    pub fn text(self, encoding: Option<&'static Encoding>, flaw: &mut Option<Flaw>) -> Cow<'b, str> {
        let simple = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'&';
        if self.bytes.iter().all(simple) {
            return Cow::Borrowed(std::str::from_utf8(self.bytes).expect("ASCII is UTF-8"));
        }
        let text = match std::str::from_utf8(self.bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                let encoding = encoding.unwrap_or(UTF_8);
                let decoded = decode(self.bytes, encoding, &mut None);
                if !decoded.exact {
                    let message = format!("the text is not in {}: what is not became U+FFFD", encoding.name());
                    *flaw = Some(Flaw { kind: "bad-text", at: self.at + error.valid_up_to(), message });
                }
                decoded.text
            }
        };
        let text = if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { text };
        let text = match text.contains('&') && !self.verbatim {
            true => Cow::Owned(self.resolved(&text, flaw)),
            false => text,
        };
        if !text.chars().all(record::is_plain) {
            let message = "the text holds characters that XML has not, which became U+FFFD".into();
            *flaw = Some(Flaw { kind: "bad-text", at: self.at, message });
            return Cow::Owned(plain(&text).into_owned());
        }
        text
    }

    /// The text with characters in the places of references; a stray ampersand stays.
    fn resolved(self, text: &str, flaw: &mut Option<Flaw>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('&') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            // No reference is longer than `&#1114111;`, and zeros before the number are rare.
            let end = rest.bytes().take(16).position(|byte| byte == b';');
            match end.and_then(|end| Some((reference(&rest[1..end])?, end + 1))) {
                Some((c, length)) => {
                    out.push(c);
                    rest = &rest[length..];
                }
                None => {
                    let name: String = rest.chars().take(12).take_while(|c| !c.is_whitespace()).collect();
                    let message = format!("`{name}` is no reference: an ampersand is written `&amp;`; it is kept");
                    let at = self.at + self.bytes.len() - rest.len().min(self.bytes.len());
                    *flaw = Some(Flaw { kind: "stray-ampersand", at, message });
                    out.push('&');
                    rest = &rest[1..];
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// The character that `&name;` stands for.
fn reference(name: &str) -> Option<char> {
    let (digits, radix) = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16))
        }
    };
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, radix).ok()?)
}

/// The tag that a file begins with, behind a byte order mark, declarations and comments, if it begins with one.
///
/// Of a DOCTYPE the name is taken, so that the reader can say why it refuses it.
pub(crate) fn first_tag(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    while let Some(end) = [(&b"<?"[..], &b"?>"[..]), (b"<!--", b"-->")].iter().find_map(|(open, close)| {
        let inside = rest.strip_prefix(*open)?;
        inside.windows(close.len()).position(|window| window == *close).map(|at| open.len() + at + close.len())
    }) {
        rest = rest[end..].trim_ascii_start();
    }
    let rest = rest.strip_prefix(b"<!DOCTYPE ").or(rest.strip_prefix(b"<"))?;
    let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || b">/[".contains(byte))?;
    Some(&rest[..end])
}

/// Why a step of the reading ended.
pub(crate) enum Stop {
    /// The file is no XML from there on.
    Torn(Torn),
    /// What the file says cannot be.
    Error(Error),
}

impl From<Torn> for Stop {
    fn from(torn: Torn) -> Stop {
        Stop::Torn(torn)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// Appends a text as it stands in an element, or between the quotes of an attribute, where blanks would become spaces.
pub(crate) fn escape(text: &str, in_quotes: bool, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escaped: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' if in_quotes => b"&quot;",
            b'\t' if in_quotes => b"&#9;",
            b'\n' if in_quotes => b"&#10;",
            _ => continue,
        };
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(escaped);
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

/// Appends ` name="value"`.
pub(crate) fn attribute(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    escape(value, true, out);
    out.push(b'"');
}

/// Text of the file as it is shown in a message.
pub(crate) fn short(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The pieces of a file in a line each, and why it ends before its end.
    fn told(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let mut xml = Xml::new(bytes);
        let mut lines = Vec::new();
        loop {
            match xml.next() {
                Ok(Token::End) => return (lines, None),
                Ok(Token::Close) => lines.push("/".into()),
                Ok(Token::Text(text)) => lines.push(format!("{:?}", text.text(xml.encoding, &mut None))),
                Ok(Token::Open(tag)) => {
                    lines.push(format!("<{}", String::from_utf8_lossy(tag.name)));
                    for attribute in tag.attributes() {
                        lines.push(match attribute {
                            Ok((name, value)) => {
                                let value = value.text(xml.encoding, &mut None).into_owned();
                                format!("@{}={value:?}", String::from_utf8_lossy(name))
                            }
                            Err(flaw) => format!("{} {}", flaw.kind, flaw.at),
                        });
                    }
                }
                Err(torn) => {
                    return (
                        lines,
                        Some(format!("{}{} {}", if torn.cut { "cut " } else { "" }, torn.at, torn.message)),
                    );
                }
            }
        }
    }

    #[test]
    fn pieces_come_one_after_another_whatever_stands_between_them() {
        let file = "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- <x> --><a b = '1>2' c=\"&quot;&#x68CB;\"><d/>t&amp;u<![CDATA[<&amp;>]]></a >";
        let (lines, torn) = told(file.as_bytes());
        assert_eq!(torn, None);
        let wanted = ["\"\\n\"", "<a", "@b=\"1>2\"", "@c=\"\\\"棋\"", "<d", "/", "\"t&u\"", "\"<&amp;>\"", "/"];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn a_file_that_is_torn_says_where_and_why() {
        for (file, wanted) in [
            ("<a><b></a>", "6 `</a>` closes `<b>`"),
            ("</a>", "0 `</a>` closes nothing"),
            ("<a", "cut 2 the file ends inside a tag or a comment"),
            ("<a>text", "cut 7 the file ends before `</a>`"),
            ("<a b='<c'/>", "6 `<` stands inside a tag: write `&lt;`"),
            ("<a>1 < 2</a>", "8 `<` stands inside a tag: write `&lt;`"),
            ("<a>1 <2></a>", "5 `<` begins no tag: write `&lt;`"),
            ("<a><!-- ", "cut 8 the file ends before `</a>`"),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "0 there is a DOCTYPE"),
        ] {
            let (_, torn) = told(file.as_bytes());
            assert!(torn.as_ref().is_some_and(|torn| torn.starts_with(wanted)), "{file}: {torn:?}");
        }
    }

    #[test]
    fn what_real_files_do_wrong_is_kept_and_told() {
        let flaw = |file: &str| {
            let mut xml = Xml::new(file.as_bytes());
            let Ok(Token::Open(_)) = xml.next() else { panic!("{file}") };
            let Ok(Token::Text(text)) = xml.next() else { panic!("{file}") };
            let mut flaw = None;
            let text = text.text(None, &mut flaw).into_owned();
            (text, flaw.map(|flaw| (flaw.kind, flaw.at)))
        };
        assert_eq!(flaw("<a>R & B</a>"), ("R & B".into(), Some(("stray-ampersand", 5))));
        assert_eq!(flaw("<a>&nbsp;&#9;</a>"), ("&nbsp;\t".into(), Some(("stray-ampersand", 3))));
        assert_eq!(flaw("<a>&#0;</a>"), ("\u{FFFD}".into(), Some(("bad-text", 3))));
        assert_eq!(flaw("<a>x\r\ny\rz</a>"), ("x\ny\nz".into(), None));
        assert_eq!(flaw("<a>\u{1}</a>"), ("\u{FFFD}".into(), Some(("bad-text", 3))));
        let (lines, torn) = told(b"<a b=1 c='2'/>");
        assert_eq!((lines, torn), (vec!["<a".to_owned(), "bad-attribute 3".into(), "/".into()], None));
        let (lines, _) = told(b"<?xml encoding=GBK?><a>\xC6\xE5</a>");
        assert_eq!(lines, ["<a", "\"棋\"", "/"]);
    }

    #[test]
    fn reading_goes_on_at_a_tag_that_begins_so() {
        let file = b"<l><g>1</x><gg/><g>2</g></l>";
        let mut xml = Xml::new(file);
        while xml.next().is_ok() {}
        assert!(xml.resume(xml.at(), b"<g", &[b"l"]));
        assert_eq!((xml.at(), xml.depth()), (16, 1));
        assert!(matches!(xml.next(), Ok(Token::Open(tag)) if tag.name == b"g"));
        assert!(xml.skip().is_ok() && xml.depth() == 1);
        assert!(!xml.resume(xml.at(), b"<g", &[b"l"]));
    }

    #[derive(Clone, Debug)]
    enum Part {
        Element(String, Vec<(String, String)>, Vec<Part>),
        Text(String),
        Verbatim(String),
        Comment,
    }

    fn part() -> impl Strategy<Value = Part> {
        let word = || "[a-z_][a-z0-9]{0,4}";
        let said = || "[ -~\n\t棋é]{0,9}";
        let leaf = prop_oneof![
            said().prop_filter("a text is there", |text| !text.is_empty()).prop_map(Part::Text),
            "[a-z<&\"]{0,5}".prop_map(Part::Verbatim),
            Just(Part::Comment),
        ];
        leaf.prop_recursive(4, 30, 4, move |inner| {
            let attributes = prop::collection::btree_map(word(), said(), 0..3);
            (word(), attributes, prop::collection::vec(inner, 0..4))
                .prop_map(|(name, attributes, parts)| Part::Element(name, attributes.into_iter().collect(), parts))
        })
    }

    fn write(part: &Part, out: &mut Vec<u8>, lines: &mut Vec<String>) {
        match part {
            Part::Element(name, attributes, parts) => {
                out.extend(format!("<{name}").bytes());
                lines.push(format!("<{name}"));
                for (name, value) in attributes {
                    attribute(name, value, out);
                    lines.push(format!("@{name}={value:?}"));
                }
                match parts.is_empty() {
                    true => out.extend(b"/>"),
                    false => {
                        out.push(b'>');
                        parts.iter().for_each(|part| write(part, out, lines));
                        out.extend(format!("</{name}>").bytes());
                    }
                }
                lines.push("/".into());
            }
            // Texts that meet are one.
            Part::Text(text) => {
                escape(text, false, out);
                out.extend(b"<!-- -->");
                lines.push(format!("{text:?}"));
            }
            Part::Verbatim(text) => {
                out.extend(format!("<![CDATA[{text}]]>").bytes());
                lines.push(format!("{text:?}"));
            }
            Part::Comment => out.extend(b"<!-- <&> -- -->"),
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(parts in prop::collection::vec(part(), 1..4)) {
            let (mut bytes, mut lines) = (b"<r>".to_vec(), vec!["<r".to_owned()]);
            parts.iter().for_each(|part| write(part, &mut bytes, &mut lines));
            bytes.extend(b"</r>");
            lines.push("/".into());
            prop_assert_eq!(told(&bytes), (lines, None));
        }

        #[test]
        fn no_bytes_make_it_panic_or_go_on_for_ever(bytes in prop::collection::vec(prop::sample::select(b"<>/!-[CDAT]?= '\"&;#x1a\xC6".to_vec()), 0..60)) {
            let (lines, _) = told(&bytes);
            prop_assert!(lines.len() <= 2 * bytes.len() + 1);
        }
    }
}

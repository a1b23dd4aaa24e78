//! The bytes of one node record.

use super::flag;

/// How texts are found in a node record.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TextMode {
    /// A board text where the extension says so; texts padded to an even length.
    Letter,
    /// A board text wherever there is an extension; texts padded.
    ByFlag,
    /// As the letter, but texts are not padded.
    Unpadded,
}

/// One node record, borrowed from the file.
#[derive(Copy, Clone, Debug)]
pub struct Node<'a> {
    /// Where the record begins.
    pub at: usize,
    pub pos: u8,
    pub flags: u8,
    /// The two extension bytes as a big-endian number; 0 without them.
    pub extension: u16,
    /// With [`flag::OLD_COMMENT`] still in 7 bits.
    pub comment: Option<&'a [u8]>,
    pub text: Option<&'a [u8]>,
    /// The file ends inside the record.
    pub cut: Option<Cut>,
}

/// How much of a record at the end of the file is missing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// The extension, or a text that should follow.
    Record,
    /// The end of a text.
    Text,
}

impl Node<'_> {
    /// Whether `pos` is a point of the board or no point.
    #[inline]
    pub fn is_on_board(&self) -> bool {
        self.pos == 0 || (self.pos & 0x0F != 0 && self.pos < 0xF0)
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The node records of a file in order. A single byte at the end is no record: an error with its place.
#[derive(Clone)]
pub struct Nodes<'a> {
    bytes: &'a [u8],
    at: usize,
    mode: TextMode,
}

/// Where a single byte stands at the end of the file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Single(pub usize);

impl<'a> Nodes<'a> {
    pub fn new(bytes: &'a [u8], at: usize, mode: TextMode) -> Nodes<'a> {
        Nodes { bytes, at, mode }
    }

    /// Where the next record begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    #[cold]
    fn single(&mut self) -> Option<Result<Node<'a>, Single>> {
        let at = self.at;
        self.at = self.bytes.len();
        (at < self.bytes.len()).then_some(Err(Single(at)))
    }

    /// Extension, comment and board text of a record whose flags ask for them.
    fn payload(&mut self, node: &mut Node<'a>) {
        if node.has(flag::EXTENSION) {
            match self.bytes.get(self.at..self.at + 2) {
                Some(pair) => {
                    node.extension = u16::from_be_bytes([pair[0], pair[1]]);
                    self.at += 2;
                }
                None => {
                    node.cut = Some(Cut::Record);
                    self.at = self.bytes.len();
                    return;
                }
            }
        }
        if node.has(flag::OLD_COMMENT) {
            node.comment = self.old_text(&mut node.cut);
        } else if node.has(flag::COMMENT) {
            node.comment = self.new_text(&mut node.cut);
        }
        let has_text = match self.mode {
            TextMode::ByFlag => node.has(flag::EXTENSION),
            TextMode::Letter | TextMode::Unpadded => node.extension & flag::BOARD_TEXT != 0,
        };
        if has_text && node.cut.is_none() {
            node.text = self.new_text(&mut node.cut);
        }
    }

    /// A text up to its NUL, which is passed over together with the padding.
    fn new_text(&mut self, cut: &mut Option<Cut>) -> Option<&'a [u8]> {
        let rest = self.rest();
        let Some(length) = rest.iter().position(|byte| *byte == 0) else {
            *cut = Some(if rest.is_empty() { Cut::Record } else { Cut::Text });
            self.at = self.bytes.len();
            return (!rest.is_empty()).then_some(rest);
        };
        let padded = if self.mode == TextMode::Unpadded { length + 1 } else { (length + 2) & !1 };
        if padded > rest.len() {
            *cut = Some(Cut::Record);
        }
        self.at += padded.min(rest.len());
        Some(&rest[..length])
    }

    /// An old comment up to the byte with bit 7 set, which belongs to it.
    fn old_text(&mut self, cut: &mut Option<Cut>) -> Option<&'a [u8]> {
        let rest = self.rest();
        let Some(last) = rest.iter().position(|byte| byte & 0x80 != 0) else {
            *cut = Some(if rest.is_empty() { Cut::Record } else { Cut::Text });
            self.at = self.bytes.len();
            return (!rest.is_empty()).then_some(rest);
        };
        self.at += ((last + 2) & !1).min(rest.len());
        Some(&rest[..=last])
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Result<Node<'a>, Single>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Some(&[pos, flags]) = self.bytes.get(self.at..self.at + 2) else { return self.single() };
        let mut node = Node { at: self.at, pos, flags, extension: 0, comment: None, text: None, cut: None };
        self.at += 2;
        if flags & (flag::EXTENSION | flag::OLD_COMMENT | flag::COMMENT) != 0 {
            self.payload(&mut node);
        }
        Some(Ok(node))
    }
}

use super::node::{Cut, Node, Nodes, Single, TextMode};
use super::{EXTENSION, HEADER, MAGIC, flag};
use crate::encoding::decode;
use crate::{Error, Guess, Place, Reading, Severity, Sure, guess};
use encoding_rs::UTF_8;
use games::{Move, Point, Side, Size};
use record::{Head, Newline, NodeId, Note, Part, Play, Record, TreeBuilder};

/// How many nodes are read between two looks at the progress.
const STRIDE: usize = 1 << 16;

pub fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let start = header(bytes, reading)?;
    let (mode, nodes) = text_mode(bytes, start, reading)?;
    let mut library = Library {
        bytes,
        start,
        mode,
        builder: TreeBuilder::new(),
        depth: 0,
        open: Vec::new(),
        siblings: vec![0],
        has_root: false,
        root_sibling: false,
        closed: false,
        encoding: None,
        newline: None,
        has_bytes: false,
    };
    library.builder.reserve(nodes);
    library.read(reading)?;
    reading.encoding = Some(library.encoding.unwrap_or(Guess { encoding: UTF_8, sure: Sure::Certain }));
    // Bytes need an encoding to be bytes of, and ASCII is UTF-8.
    let encoding = library.encoding.map(|guess| guess.encoding.name()).or(library.has_bytes.then_some("UTF-8"));
    let head = Head { encoding, newline: library.newline, ..Head::default() };
    reading.progress(bytes.len())?;
    reading.emit(Record { head, tree: library.builder.build() })
}

/// Checks the header and says where the nodes begin.
fn header(bytes: &[u8], reading: &mut Reading<'_>) -> Result<usize, Error> {
    if bytes.is_empty() {
        return Err(reading.error(Place::default(), "the file is empty"));
    }
    if bytes.starts_with(MAGIC) {
        let Some(header) = bytes.get(..HEADER) else {
            return Err(reading.error(Place::byte(bytes.len()), "the file ends inside the header of 20 bytes"));
        };
        let (major, minor) = (header[8], header[9]);
        reading.version = Some(format!("{major}.{minor}"));
        if (major, minor) > (3, 4) {
            reading.fault("newer-version", Severity::Quirk, || {
                (Place::byte(8), format!("version {major}.{minor} is newer than 3.4, the last one known"))
            })?;
        }
        if header[10..].iter().any(|byte| *byte != 0xFF) {
            reading.fault("reserved-bytes", Severity::Remark, || {
                (Place::byte(10), "the reserved bytes of the header are not all FF".into())
            })?;
        }
        return Ok(HEADER);
    }
    if bytes.len() >= HEADER && bytes[..HEADER].iter().all(|byte| *byte == 0) {
        reading.fault("zero-header", Severity::Quirk, || {
            (Place::byte(0), "the header is 20 zero bytes: Renjulibviewer writes it so".into())
        })?;
        return Ok(HEADER);
    }
    if bytes[0] == 0x78 {
        reading.fault("no-header", Severity::Quirk, || {
            (Place::byte(0), "there is no header: RenLib 1 and 2 wrote none".into())
        })?;
        return Ok(0);
    }
    Err(reading.error(Place::byte(0), "this is not a RenLib library: it does not begin with FF RenLib FF"))
}

/// Finds how texts are stored, and how many nodes that gives: the letter of the format, unless the tree
/// does not come out even by it and does in another way.
///
/// Nobody writes an extension that says nothing, and a short text may pass for a node: where all extensions
/// are empty by the letter, and the tree comes out even with texts in their place, these are texts.
fn text_mode(bytes: &[u8], start: usize, reading: &mut Reading<'_>) -> Result<(TextMode, usize), Error> {
    let zero_header = start == HEADER && !bytes.starts_with(MAGIC);
    let (first, others) = if zero_header {
        (TextMode::ByFlag, [TextMode::Letter, TextMode::Unpadded])
    } else {
        (TextMode::Letter, [TextMode::ByFlag, TextMode::Unpadded])
    };
    let found = survey(bytes, start, first);
    let even = |mode: TextMode| Some((mode, survey(bytes, start, mode))).filter(|(_, survey)| survey.even);
    let other = match found {
        Survey { even: true, empty: true, .. } => even(TextMode::ByFlag),
        Survey { even: true, .. } => None,
        _ => others.into_iter().find_map(even),
    };
    let (mode, Survey { nodes, .. }) = other.unwrap_or((first, found));
    match mode {
        TextMode::Letter => {}
        TextMode::ByFlag => reading.fault("text-by-flag", Severity::Quirk, || {
            (Place::byte(start), "board texts are marked by the extension flag alone, from the first node".into())
        })?,
        TextMode::Unpadded => reading.fault("unpadded-text", Severity::Quirk, || {
            (Place::byte(start), "texts are not padded to an even length, from the first node".into())
        })?,
    }
    Ok((mode, nodes))
}

/// What a way to store texts makes of a file.
struct Survey {
    nodes: usize,
    /// Every point is on the board, every sibling bit is answered by a leaf, no byte is left over.
    even: bool,
    /// There are extensions, and not one of them says anything.
    empty: bool,
}

fn survey(bytes: &[u8], start: usize, mode: TextMode) -> Survey {
    let mut nodes = Nodes::new(bytes, start, mode);
    let (mut count, mut open, mut leaf) = (0, 0_usize, true);
    let (mut extensions, mut empty) = (false, true);
    let even = loop {
        if leaf && count > 0 && open == 0 && is_trailing(nodes.rest()) {
            break true;
        }
        let node = match nodes.next() {
            None => break open == 0 && (leaf || count <= 1),
            Some(Err(_)) => break false,
            Some(Ok(node)) => node,
        };
        if !node.is_on_board() || node.cut.is_some() || (leaf && count > 0 && open == 0) {
            break false;
        }
        if node.has(flag::EXTENSION) {
            extensions = true;
            empty &= node.extension == 0;
        }
        let root = count == 0 && node.pos == 0;
        // A sibling bit left open by a leaf: the next node answers it.
        if leaf && count > 0 {
            open -= 1;
        }
        if node.has(flag::SIBLING) && !root {
            open += 1;
        }
        count += 1;
        leaf = node.has(flag::LEAF);
    };
    Survey { nodes: count, even, empty: extensions && empty }
}

/// Whether what follows the closed tree is what editors, transfers and disk blocks leave.
fn is_trailing(rest: &[u8]) -> bool {
    !rest.is_empty() && rest.iter().all(|byte| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b' ' | 0x1A))
}

/// A library while it is read.
struct Library<'a> {
    bytes: &'a [u8],
    start: usize,
    mode: TextMode,
    builder: TreeBuilder,
    /// Of the node read last; the root has depth 0.
    depth: usize,
    /// The depths of the nodes whose siblings are still to come.
    open: Vec<usize>,
    /// By depth, the `pos` of the node read last; 0 where none was.
    siblings: Vec<u8>,
    has_root: bool,
    root_sibling: bool,
    /// The last leaf closed the tree.
    closed: bool,
    encoding: Option<Guess>,
    newline: Option<Newline>,
    /// Some text is kept as bytes.
    has_bytes: bool,
}

impl<'a> Library<'a> {
    fn read(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let mut nodes = Nodes::new(self.bytes, self.start, self.mode);
        let mut until_progress = STRIDE;
        loop {
            if self.closed && is_trailing(nodes.rest()) {
                let at = nodes.at();
                return reading.fault("trailing-bytes", Severity::Quirk, || {
                    (
                        Place::byte(at),
                        format!("bytes stand behind the tree: {} in all, passed over", self.bytes.len() - at),
                    )
                });
            }
            match nodes.next() {
                None => break,
                Some(Err(Single(at))) => {
                    let place = self.place(at);
                    reading.fault("cut-record", Severity::Damage, || {
                        (place, "the file ends inside a node: the last byte is passed over".into())
                    })?;
                    break;
                }
                Some(Ok(node)) if !node.is_on_board() => return self.bad_point(&node, reading),
                Some(Ok(node)) => self.node(&node, reading)?,
            }
            until_progress -= 1;
            if until_progress == 0 {
                until_progress = STRIDE;
                reading.progress(nodes.at())?;
            }
        }
        self.end(reading)
    }

    #[inline]
    fn node(&mut self, node: &Node<'a>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let first = node.at == self.start;
        if first && node.pos == 0 {
            self.has_root = true;
            if node.has(flag::SIBLING) {
                self.root_sibling = true;
                reading.fault("root-sibling-bit", Severity::Quirk, || {
                    (Place::byte(node.at + 1), "the root record says it has a sibling: passed over".into())
                })?;
            }
        } else {
            if self.root_sibling && self.depth == 0 && node.pos == 0 {
                return self.second_root(node, reading);
            }
            if self.closed {
                self.second_tree(node, reading)?;
            }
            self.append(node, reading)?;
            if node.has(flag::SIBLING) {
                self.open.push(self.depth);
            }
        }
        if node.flags & !(flag::SIBLING | flag::LEAF) != 0 {
            self.notes(node, reading)?;
        }
        if node.has(flag::LEAF) {
            match self.open.pop() {
                Some(sibling) => self.depth = sibling - 1,
                None => {
                    self.depth = 0;
                    self.closed = true;
                }
            }
        }
        Ok(())
    }

    /// The book maker that sets the root's sibling bit also writes root records between subtrees.
    #[cold]
    fn second_root(&mut self, node: &Node<'a>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let bare = node.flags & !(flag::SIBLING | flag::LEAF) == 0;
        reading.fault("second-root", Severity::Quirk, || {
            let kept = if bare { "passed over" } else { "kept as a node without a move" };
            (Place::byte(node.at), format!("another root record: {kept}"))
        })?;
        if bare {
            return Ok(());
        }
        self.siblings.truncate(1);
        self.builder.append(1, Side::First, Play::Nothing)?;
        self.notes(node, reading)
    }

    #[cold]
    fn second_tree(&mut self, node: &Node<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        self.closed = false;
        reading.fault("second-tree", Severity::Damage, || {
            (Place::byte(node.at), "more nodes after the end of the tree: hung under the root".into())
        })
    }

    #[inline]
    fn append(&mut self, node: &Node<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        self.depth += 1;
        let depth = self.depth;
        if self.siblings.len() > depth && node.pos <= self.siblings[depth] {
            self.remark_order(node, reading)?;
        }
        self.siblings.truncate(depth);
        self.siblings.push(node.pos);
        let play = match Point::from_agi(node.pos) {
            Some(point) if !node.has(flag::NO_MOVE) => Play::Move(Move::Place(point)),
            Some(point) => Play::Label(point),
            None if !node.has(flag::NO_MOVE) => Play::Move(Move::Pass),
            None => Play::Nothing,
        };
        self.builder.append(depth, Side::of_ply(depth), play)?;
        if !matches!(play, Play::Move(Move::Place(_))) || (depth == 1 && node.pos != 0x78) {
            self.remark_play(play, node, reading)?;
        }
        Ok(())
    }

    #[cold]
    fn remark_order(&mut self, node: &Node<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let place = || self.place(node.at);
        if node.pos < self.siblings[self.depth] {
            reading.fault("unsorted-siblings", Severity::Remark, || {
                (place(), "a move stands behind a sibling that RenLib would put after it".into())
            })
        } else {
            reading.fault("duplicate-siblings", Severity::Remark, || (place(), "two siblings are the same move".into()))
        }
    }

    #[cold]
    fn remark_play(&mut self, play: Play, node: &Node<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let place = Place::byte(node.at);
        match play {
            Play::Move(Move::Pass) if !self.has_root => reading.fault("pass-without-root", Severity::Remark, || {
                (place, "a pass in a file without a root record: RenLib takes it for the root".into())
            }),
            Play::Move(Move::Place(_)) if !self.has_root => reading.fault("first-moves", Severity::Remark, || {
                (place, "no root record, and a first move other than h8".into())
            }),
            Play::Nothing => reading.fault("no-move-no-point", Severity::Quirk, || {
                (place, "a label-only node without a point: kept as a node without a move".into())
            }),
            Play::Label(_) if !node.has(flag::LEAF) => reading.fault("label-with-children", Severity::Remark, || {
                (place, "a label-only node with nodes below it".into())
            }),
            _ => Ok(()),
        }
    }

    fn notes(&mut self, node: &Node<'a>, reading: &mut Reading<'_>) -> Result<(), Error> {
        if node.has(flag::MARK) {
            self.builder.set_found();
        }
        if node.has(flag::START) {
            self.builder.set_start();
        }
        if let Some(comment) = node.comment {
            self.comment(node, comment, reading)?;
        }
        if let Some(text) = node.text {
            self.text(Part::Text, text, reading)?;
        }
        if node.has(flag::EXTENSION) && node.cut != Some(Cut::Record) {
            self.extension(node, reading)?;
        }
        match node.cut {
            Some(Cut::Text) => reading.fault("cut-text", Severity::Damage, || {
                (self.place(node.at), "the file ends inside a text of the node: what is there is kept".into())
            }),
            Some(Cut::Record) => reading
                .fault("cut-record", Severity::Damage, || (self.place(node.at), "the file ends inside a node".into())),
            None => Ok(()),
        }
    }

    fn extension(&mut self, node: &Node<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let unknown = node.extension & !flag::BOARD_TEXT;
        if unknown != 0 {
            self.builder.note(Note::Property(EXTENSION, &format!("{unknown:04X}")))?;
            reading.fault("unknown-extension", Severity::Remark, || {
                (Place::byte(node.at + 2), format!("extension bits {unknown:04X} that nobody knows: kept"))
            })
        } else if node.extension == 0 && node.text.is_none() {
            reading.fault("empty-extension", Severity::Remark, || {
                (Place::byte(node.at + 2), "an extension that says nothing".into())
            })
        } else {
            Ok(())
        }
    }

    fn comment(&mut self, node: &Node<'a>, comment: &'a [u8], reading: &mut Reading<'_>) -> Result<(), Error> {
        if comment.is_empty() {
            reading.fault("empty-comment", Severity::Remark, || (Place::byte(node.at), "an empty comment".into()))?;
        }
        if node.has(flag::OLD_COMMENT) {
            reading.fault("old-comment", Severity::Remark, || {
                (Place::byte(node.at), "a comment in the 7-bit form of RenLib 1".into())
            })?;
            let text = old_text(comment);
            let (line, body) = text.split_once('\u{8}').map_or((text.as_str(), None), |(l, b)| (l, Some(b)));
            if !line.is_empty() || body.is_none() {
                self.builder.note(Note::Line(line))?;
            }
            return Ok(body.map_or(Ok(()), |body| self.builder.note(Note::Body(body)))?);
        }
        let split = comment.iter().position(|byte| *byte == 0x08);
        let line = &comment[..split.unwrap_or(comment.len())];
        if !line.is_empty() || split.is_none() {
            self.text(Part::Line, line, reading)?;
        }
        match split {
            Some(split) => self.text(Part::Body, &comment[split + 1..], reading),
            None => Ok(()),
        }
    }

    /// Writes a text at the node read last, and its bytes beside it if they would not come back.
    fn text(&mut self, part: Part, bytes: &'a [u8], reading: &mut Reading<'_>) -> Result<(), Error> {
        let encoding = match self.encoding {
            None if bytes.is_ascii() => UTF_8,
            None => self.find_encoding(reading).encoding,
            Some(guess) => guess.encoding,
        };
        let decoded = decode(bytes, encoding, &mut self.newline);
        self.builder.note(match part {
            Part::Line => Note::Line(&decoded.text),
            Part::Body => Note::Body(&decoded.text),
            _ => Note::Text(&decoded.text),
        })?;
        if !decoded.exact {
            self.has_bytes = true;
            self.builder.note(Note::Bytes(part, bytes))?;
        }
        Ok(())
    }

    /// The encoding of all texts of the file; asked for at the first one beyond ASCII.
    #[cold]
    fn find_encoding(&mut self, reading: &Reading<'_>) -> Guess {
        let found = match reading.options.encoding {
            Some(encoding) => Guess { encoding, sure: Sure::Given },
            None => {
                let nodes = Nodes::new(self.bytes, self.start, self.mode).map_while(Result::ok);
                let nodes = nodes.take_while(Node::is_on_board).filter(|node| !node.has(flag::OLD_COMMENT));
                // A comment is two texts: `08` between them is in no letter's encoding.
                let comments =
                    |node: &Node<'a>| node.comment.into_iter().flat_map(|c| c.splitn(2, |byte| *byte == 0x08));
                guess(nodes.flat_map(|node| comments(&node).chain(node.text)))
            }
        };
        self.encoding = Some(found);
        found
    }

    /// A point off the board ends the reading: what follows cannot be trusted.
    #[cold]
    fn bad_point(&mut self, node: &Node<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let place = self.place(node.at);
        if node.at == self.start {
            let message = format!(
                "a RenLib header, but a board wider than 15, or no library at all: the first point is {:#04x}",
                node.pos
            );
            return Err(reading.error(place, message));
        }
        let message = format!("point {:#04x} is off the board", node.pos);
        if !reading.lenient() {
            return Err(reading.error(place, message + ": --lenient keeps what stands before it"));
        }
        reading.fault("bad-point", Severity::Damage, || (place, message + ": reading ended there"))
    }

    fn end(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let nodes = self.builder.tree().len();
        // RenLib gives no leaf bit to a root or an h8 that is alone.
        if self.closed || (nodes <= 2 && self.open.is_empty()) {
            return Ok(());
        }
        let open = self.open.len();
        let place = self.place(self.bytes.len());
        reading.fault("open-end", Severity::Damage, || {
            let message = "the tree is not closed: a position saved by RenLib, or a cut file";
            let siblings = if open == 1 { "sibling" } else { "siblings" };
            (place, if open == 0 { message.into() } else { format!("{message} ({open} {siblings} announced)") })
        })
    }

    /// A byte, and the moves to the node read last before it.
    fn place(&self, at: usize) -> Place {
        Place::byte(at).after(self.builder.tree(), self.last(), Size::default())
    }

    fn last(&self) -> NodeId {
        self.builder.last()
    }
}

/// An old comment as text: the highest bit ends it, and six signs stand for Swedish letters.
fn old_text(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .map(|byte| match byte & 0x7F {
            b'}' => 'å',
            b'{' => 'ä',
            b'|' => 'ö',
            b']' => 'Å',
            b'[' => 'Ä',
            b'\\' => 'Ö',
            ascii => char::from(ascii),
        })
        .collect();
    text.replace("\r\n", "\n").replace('\r', "\n")
}

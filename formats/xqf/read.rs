use super::header::{PIECES, RESULT, RESULTS, SLOTS, STAGE, STAGES, TO_MOVE, TYPE, point};
use super::key::Key;
use super::{HEADER, LAST, MAGIC, PLAIN, flag};
use crate::branches::Branches;
use crate::comment::split;
use crate::encoding::{Decoded, decode};
use crate::start::{self, Setup};
use crate::{Error, Guess, Place, Reading, Severity, Sure};
use encoding_rs::{Encoding, GB18030};
use games::xiangqi::Board;
use games::{Game, Move, Side, Size, Step};
use record::{Head, Newline, Note, Outcome, Part, Play, Record, TreeBuilder, WRITTEN, plain};
use std::borrow::Cow;

/// How many nodes are read between two looks at the progress.
const STRIDE: usize = 1 << 12;

pub fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    if !bytes.starts_with(MAGIC) {
        return Err(reading.error(Place::byte(0), "this is not an XQF record: it does not begin with XQ"));
    }
    if bytes.len() < HEADER {
        return Err(reading.error(Place::byte(bytes.len()), "the file ends inside the header of 1024 bytes"));
    }
    let version = bytes[2];
    reading.version = Some(version.to_string());
    if version > LAST {
        reading.fault("newer-version", Severity::Quirk, || {
            (Place::byte(2), format!("version {version} is newer than {LAST}, the last one known: read as that"))
        })?;
    }
    let key = Key::new(&bytes[..HEADER]);
    let moves: Cow<'_, [u8]> = match version {
        0..=PLAIN => Cow::Borrowed(&bytes[HEADER..]),
        _ => bytes[HEADER..].iter().enumerate().map(|(at, byte)| key.plain(*byte, at)).collect(),
    };
    let encoding = reading.options.encoding.unwrap_or(GB18030);
    let mut game = Moves {
        plain: version <= PLAIN,
        setup: Setup::new(board(bytes, &key, reading)?),
        key,
        encoding,
        newline: None,
        is_text: false,
        is_broken: false,
        builder: TreeBuilder::new(),
        branches: Branches::default(),
    };
    let mut head = game.head(bytes, reading)?;
    game.moves(&moves, reading)?;
    if game.builder.tree().len() > 1 && bytes[TO_MOVE] != u8::from(game.setup.board.to_move() == Side::Second) {
        reading.fault("other-side", Severity::Remark, || {
            (Place::byte(TO_MOVE), "the header says that the other side begins: the first move is believed".into())
        })?;
    }
    start::set(&mut head, &game.setup.board);
    // The format has one encoding, which is to be doubted where a text is not of it.
    reading.encoding = match reading.options.encoding {
        Some(encoding) => Some(Guess { encoding, sure: Sure::Given }),
        None => game.is_broken.then_some(Guess { encoding, sure: Sure::Unsure }),
    };
    head.encoding = game.is_text.then_some(encoding.name());
    head.newline = game.newline;
    reading.progress(bytes.len())?;
    reading.emit(Record { head, tree: game.builder.build() })
}

fn board(bytes: &[u8], key: &Key, reading: &mut Reading<'_>) -> Result<Board, Error> {
    let mut board = Board::empty();
    for at in 0..32 {
        let piece = start::in_slot(key.slot(at));
        let Some(point) = point(bytes[PIECES + at].wrapping_sub(key.points)) else { continue };
        if let Some(other) = board.piece(point) {
            reading.fault("two-on-a-point", Severity::Damage, || {
                let message = format!("a {} stands where a {} stands: left out", piece.name(), other.name());
                (Place::byte(PIECES + at), message)
            })?;
            continue;
        }
        board.put(point, Some(piece));
    }
    // Black begins where the header says so and no move tells it.
    if bytes[TO_MOVE] == 1 {
        board.set_to_move(Side::Second);
    }
    Ok(board)
}

/// The moves of a game while they are read.
struct Moves {
    /// Without keys.
    plain: bool,
    key: Key,
    setup: Setup,
    encoding: &'static Encoding,
    newline: Option<Newline>,
    /// Some text is not ASCII, or is kept as bytes.
    is_text: bool,
    /// Some text is not of the encoding.
    is_broken: bool,
    builder: TreeBuilder,
    branches: Branches,
}

impl Moves {
    fn head(&mut self, bytes: &[u8], reading: &mut Reading<'_>) -> Result<Head, Error> {
        let mut tags = Vec::new();
        for slot in &SLOTS {
            let length = usize::from(bytes[slot.at]);
            if length > slot.room {
                reading.fault("long-text", Severity::Quirk, || {
                    let message =
                        format!("{} is said to have {length} bytes, of {}: as many are read", slot.tag, slot.room);
                    (Place::byte(slot.at), message)
                })?;
            }
            let text = &bytes[slot.at + 1..][..length.min(slot.room)];
            let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let Decoded { text, exact } = decode(&text[..end], self.encoding, &mut None);
            self.is_text |= !text.is_ascii();
            if !exact && text.contains('\u{FFFD}') {
                self.is_broken = true;
                reading.fault("bad-text", Severity::Damage, || {
                    let message =
                        format!("{} is not {} throughout: read as far as it is", slot.tag, self.encoding.name());
                    (Place::byte(slot.at), message)
                })?;
            }
            if !text.is_empty() {
                tags.push((slot.tag.to_owned(), plain(&text).into_owned()));
            }
        }
        match STAGES.get(usize::from(bytes[STAGE])) {
            Some(&"") => {}
            Some(stage) => tags.push((TYPE.to_owned(), (*stage).to_owned())),
            None => reading.fault("bad-type", Severity::Remark, || {
                (Place::byte(STAGE), format!("the type {} is not known: passed over", bytes[STAGE]))
            })?,
        }
        let result = match bytes[RESULT] {
            4 => Some(Outcome::Draw),
            byte => RESULTS.get(usize::from(byte)).copied(),
        };
        if result.is_none() {
            reading.fault("bad-result", Severity::Quirk, || {
                (Place::byte(RESULT), format!("the result {} is not known: passed over", bytes[RESULT]))
            })?;
        }
        Ok(Head { game: Game::Xiangqi, size: Size::XIANGQI, result, tags, ..Head::default() })
    }

    fn moves(&mut self, bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
        let mut at = 0;
        let mut until_progress = STRIDE;
        while let Some(depth) = self.branches.depth() {
            let Some(&[from, to, flags, _]) = bytes[at..].first_chunk() else { return self.end(at, bytes, reading) };
            let is = |flag: u8, half: u8| flags & if self.plain { half } else { flag } != 0;
            let (child, sibling) = (is(flag::CHILD, 0xF0), is(flag::SIBLING, 0x0F));
            let has_comment = self.plain || flags & flag::COMMENT != 0;
            if depth > 0 {
                self.node(depth, from, to, at, reading)?;
            }
            at += 4;
            if has_comment {
                at = self.comment(bytes, at, reading)?;
            }
            self.branches.advance(child, sibling);
            until_progress -= 1;
            if until_progress == 0 {
                until_progress = STRIDE;
                reading.progress(HEADER + at)?;
            }
        }
        if at < bytes.len() {
            reading.fault("trailing-bytes", Severity::Quirk, || {
                let message = format!("bytes stand behind the tree: {} in all, passed over", bytes.len() - at);
                (Place::byte(HEADER + at), message)
            })?;
        }
        Ok(())
    }

    fn node(&mut self, depth: usize, from: u8, to: u8, at: usize, reading: &mut Reading<'_>) -> Result<(), Error> {
        let bytes = [from.wrapping_sub(24).wrapping_sub(self.key.from), to.wrapping_sub(32).wrapping_sub(self.key.to)];
        let step = point(bytes[0]).zip(point(bytes[1])).map(|(from, to)| Step { from, to });
        if let Some(step) = step.filter(|_| depth == 1) {
            self.setup.first_move(step.from);
        }
        let side = self.setup.side_of_ply(depth);
        match step {
            Some(step) => self.builder.append(depth, side, Play::Move(Move::Step(step)))?,
            None => self.builder.append(depth, side, Play::Nothing)?,
        };
        if step.is_none() {
            let written = format!("{:02}-{:02}", bytes[0], bytes[1]);
            self.builder.note(Note::Property(WRITTEN, &written))?;
            let place = self.place(at);
            reading.fault("bad-point", Severity::Damage, || {
                (place, format!("a move between points off the board ({written}): kept as it is written"))
            })?;
        }
        Ok(())
    }

    /// Reads the length of a comment and the comment, and says where the next record begins.
    fn comment(&mut self, bytes: &[u8], at: usize, reading: &mut Reading<'_>) -> Result<usize, Error> {
        let Some(length) = bytes[at..].first_chunk().map(|length| u32::from_le_bytes(*length)) else {
            let place = self.place(at);
            reading.fault("cut-record", Severity::Damage, || {
                (place, "the file ends inside the length of a comment".into())
            })?;
            return Ok(bytes.len());
        };
        let rest = &bytes[at + 4..];
        let length = length.wrapping_sub(self.key.length) as usize;
        if length > rest.len() {
            let place = self.place(at);
            reading.fault("cut-text", Severity::Damage, || {
                let message =
                    format!("a comment of {length} bytes, of which the file has {}: what is there is kept", rest.len());
                (place, message)
            })?;
        }
        let comment = &rest[..length.min(rest.len())];
        if !comment.is_empty() {
            self.text(comment)?;
        }
        Ok(at + 4 + comment.len())
    }

    /// Writes a comment at the last node, with its bytes where they would not come back.
    fn text(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Decoded { text, exact } = decode(bytes, self.encoding, &mut self.newline);
        self.is_text |= !text.is_ascii();
        if exact {
            let (line, body) = split(&text);
            line.map_or(Ok(()), |line| self.builder.note(Note::Line(line)))?;
            return Ok(body.map_or(Ok(()), |body| self.builder.note(Note::Body(body)))?);
        }
        self.is_text = true;
        // No sign of the code page has a line end for its second byte.
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let (line, body) = match end {
            None => (bytes, None),
            Some(end) => {
                let body = &bytes[end..];
                let style = if body.starts_with(b"\r\n") { Newline::CrLf } else { Newline::Lf };
                self.newline.get_or_insert(style);
                (&bytes[..end], Some(body.strip_prefix(b"\r\n").unwrap_or(&body[1..])))
            }
        };
        for (part, bytes) in [(Part::Line, Some(line)), (Part::Body, body)] {
            let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty() || (part == Part::Body)) else { continue };
            let Decoded { text, exact } = decode(bytes, self.encoding, &mut self.newline);
            self.is_broken |= text.contains('\u{FFFD}');
            self.builder.note(if part == Part::Line { Note::Line(&text) } else { Note::Body(&text) })?;
            if !exact {
                self.builder.note(Note::Bytes(part, bytes))?;
            }
        }
        Ok(())
    }

    /// The file ends where a record should begin.
    fn end(&self, at: usize, bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
        let place = self.place(bytes.len());
        let rest = bytes.len() - at;
        reading.fault("open-end", Severity::Damage, || {
            let message = match (self.branches.depth(), self.branches.open()) {
                _ if rest > 0 => "the file ends inside a record of a move".into(),
                (Some(0), _) => "the file ends before the first record".into(),
                (_, open) => format!("the file ends before the tree does (siblings announced: {open})"),
            };
            (place, message)
        })
    }

    /// A byte of the moves, and the moves to the node read last.
    fn place(&self, at: usize) -> Place {
        Place::byte(HEADER + at).after(self.builder.tree(), self.builder.last(), Size::XIANGQI)
    }
}

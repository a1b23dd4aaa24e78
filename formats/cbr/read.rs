use super::MAGIC;
use super::old::{self, Settled};
use crate::branches::Branches;
use crate::comment;
use crate::start::{self, Setup};
use crate::{Error, Place, Reading, Severity};
use encoding_rs::UTF_16LE;
use games::xiangqi::{Board, Kind, Piece};
use games::{Game, Move, Point, Side, Size, Step};
use record::{Head, Note, Outcome, Play, Record, TreeBuilder, WRITTEN, plain};

/// Texts of the header: where, how many bytes, and the tag.
const TEXTS: [(usize, usize, &str); 26] = [
    (180, 128, "Title"),
    (308, 256, "Category"),
    (564, 64, "Source"),
    (628, 64, "Class"),
    (692, 64, "Event"),
    (756, 64, "Round"),
    (820, 32, "Group"),
    (852, 32, "Table"),
    (884, 64, "Date"),
    (948, 64, "Site"),
    (1012, 64, "TimeControl"),
    (1076, 64, "Red"),
    (1140, 64, "RedTeam"),
    (1204, 64, "RedTime"),
    (1268, 32, "RedElo"),
    (1300, 64, "Black"),
    (1364, 64, "BlackTeam"),
    (1428, 64, "BlackTime"),
    (1492, 32, "BlackElo"),
    (1524, 64, "Referee"),
    (1588, 64, "Recorder"),
    (1652, 64, "Annotator"),
    (1780, 64, "Author"),
    (1908, 40, "Created"),
    (1972, 40, "Modified"),
    (1716, 64, "AnnotatorMail"),
];
const VERSION: usize = 19;
const RESULT: usize = 2076;
const TO_MOVE: usize = 2112;
const BOARD: usize = 2120;
const MOVES: usize = 2214;
/// The version that is known.
const KNOWN: u8 = 2;
/// By how much the header of version 1 is shorter, before the side to move.
const SHORTER: usize = 256;
/// What stands between the board and the moves.
const END_OF_BOARD: [u8; 4] = [0xFF; 4];

/// Bits of a record.
mod flag {
    pub const LEAF: u8 = 1;
    pub const SIBLING: u8 = 2;
    pub const COMMENT: u8 = 4;
}

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let record = record(bytes, Place::byte(0), false, reading)?;
    reading.progress(bytes.len())?;
    reading.emit(record)
}

/// Reads a record, which begins at the byte of `origin`; in a library, what follows its tree is not its own.
pub(crate) fn record(
    bytes: &[u8],
    origin: Place,
    in_library: bool,
    reading: &mut Reading<'_>,
) -> Result<Record, Error> {
    let at = |byte: usize| Place { byte: origin.byte.map(|start| start + byte as u64), ..origin.clone() };
    if !bytes.starts_with(MAGIC) {
        return Err(reading.error(at(0), "this is no record of CCBridge: it does not begin with `CCBridge Record`"));
    }
    let version = bytes.get(VERSION).copied().unwrap_or(KNOWN);
    let is_old = version == 1;
    let shorter = if is_old { SHORTER } else { 0 };
    let header = MOVES - shorter;
    if bytes.len() < header {
        return Err(reading.error(at(bytes.len()), format!("the file ends inside the header of {header} bytes")));
    }
    reading.version = Some(version.to_string());
    if version == 0 {
        let message = format!("version {version} of CCBridge is not known here: versions 1 and {KNOWN} are");
        return Err(reading.error(at(VERSION), message));
    }
    if version > KNOWN {
        reading.fault("newer-version", Severity::Quirk, || {
            (at(VERSION), format!("version {version} is newer than {KNOWN}, the last one known: read as that"))
        })?;
    }
    let mut head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
    if is_old {
        let end = header - END_OF_BOARD.len();
        if bytes[end..header] != END_OF_BOARD {
            return Err(reading.error(at(end), "the board of version 1 does not end where it should"));
        }
        reading.fault("old-header", Severity::Damage, || {
            (
                at(VERSION),
                "the file is of version 1: its texts and its result are left out, for nobody says where they are"
                    .into(),
            )
        })?;
    } else {
        texts(bytes, &mut head, &at, reading)?;
    }
    let board = board(bytes, shorter, &at, reading)?;
    let setup = Setup::new(board);
    let mut moves =
        Moves { bytes, origin: &origin, is_old, setup, builder: TreeBuilder::new(), branches: Branches::default() };
    moves.read(header, in_library, reading)?;
    start::set(&mut head, &moves.setup.board);
    let mut record = Record { head, tree: moves.builder.build() };
    if is_old {
        record.tree = match old::settle(&record.head, &record.tree)? {
            Settled::Sure(tree) => tree,
            Settled::Unsure(tree) => {
                reading.fault("unsure-points", Severity::Damage, || {
                    let message = "nothing tells from which side version 1 counts files or ranks here: \
                                   the moves may be mirrored";
                    (at(header), message.into())
                })?;
                tree
            }
            Settled::Never => {
                let message = "no move of version 1 can be played, from whichever side its files and ranks are counted";
                return Err(reading.error(at(header), message));
            }
        };
    }
    Ok(record)
}

/// Reads the texts and the result.
fn texts(bytes: &[u8], head: &mut Head, at: &impl Fn(usize) -> Place, reading: &mut Reading<'_>) -> Result<(), Error> {
    for (start, length, tag) in TEXTS {
        let (text, is_whole) = text(&bytes[start..start + length]);
        if !is_whole {
            bad_text(reading, at(start))?;
        }
        if !text.is_empty() {
            head.tags.push((tag.to_owned(), plain(&comment::lines(&text)).into_owned()));
        }
    }
    head.result = match bytes[RESULT] {
        0 => Some(Outcome::Unknown),
        1 => Some(Outcome::First),
        2 => Some(Outcome::Second),
        3 => Some(Outcome::Draw),
        other => {
            reading.fault("bad-result", Severity::Remark, || {
                (at(RESULT), format!("the result {other} is none of a game: passed over"))
            })?;
            None
        }
    };
    Ok(())
}

fn bad_text(reading: &mut Reading<'_>, place: Place) -> Result<(), Error> {
    reading
        .fault("bad-text", Severity::Damage, || (place, "a text is not UTF-16 throughout: read as far as it is".into()))
}

/// A text in UTF-16 up to the first zero, and whether all of it could be read.
fn text(bytes: &[u8]) -> (String, bool) {
    let end = bytes.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(bytes.len(), |units| 2 * units);
    let (text, malformed) = UTF_16LE.decode_without_bom_handling(&bytes[..end]);
    (text.into_owned(), !malformed)
}

fn board(
    bytes: &[u8],
    shorter: usize,
    at: &impl Fn(usize) -> Place,
    reading: &mut Reading<'_>,
) -> Result<Board, Error> {
    use Kind::{Advisor, Cannon, Elephant, Horse, King, Pawn, Rook};
    const KINDS: [Kind; 7] = [Rook, Horse, Elephant, Advisor, King, Cannon, Pawn];
    let mut board = Board::empty();
    let first = BOARD - shorter;
    for (square, code) in bytes[first..first + 90].iter().enumerate() {
        let side = match code >> 4 {
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => None,
        };
        let kind = KINDS.get(usize::from(code & 15).wrapping_sub(1));
        match side.zip(kind) {
            Some((side, kind)) => {
                let point = point(square as u8).expect("there are 90 points");
                board.put(point, Some(Piece { side, kind: *kind }));
            }
            None if *code == 0 => {}
            None => reading.fault("bad-piece", Severity::Damage, || {
                (at(first + square), format!("the code {code:#04x} is no piece: the point is left empty"))
            })?,
        }
    }
    if bytes[TO_MOVE - shorter] == 2 {
        board.set_to_move(Side::Second);
    }
    Ok(board)
}

/// The point of a number: nine a row, from the top left.
fn point(number: u8) -> Option<Point> {
    if number < Step::POINTS { Point::new(number % 9, number / 9) } else { None }
}

/// The moves of a game while they are read.
struct Moves<'a> {
    bytes: &'a [u8],
    origin: &'a Place,
    is_old: bool,
    setup: Setup,
    builder: TreeBuilder,
    branches: Branches,
}

impl Moves<'_> {
    fn read(&mut self, first: usize, in_library: bool, reading: &mut Reading<'_>) -> Result<(), Error> {
        let mut at = first;
        while let Some(depth) = self.branches.depth() {
            let Some(&[flags, _, from, to]) = self.bytes[at..].first_chunk() else {
                let place = self.place(self.bytes.len());
                return reading.fault("open-end", Severity::Damage, || {
                    (
                        place,
                        format!("the record ends before its tree does (siblings announced: {})", self.branches.open()),
                    )
                });
            };
            if flags > (flag::LEAF | flag::SIBLING | flag::COMMENT) {
                let place = self.place(at);
                return reading.fault("bad-record", Severity::Damage, || {
                    (place, format!("the flags {flags:#04x} are of no move: reading ended there"))
                });
            }
            if depth > 0 {
                self.node(depth, from, to, at, reading)?;
            }
            at += 4;
            if flags & flag::COMMENT != 0 {
                at = self.comment(at, reading)?;
            }
            self.branches.advance(flags & flag::LEAF == 0, flags & flag::SIBLING != 0);
        }
        if at < self.bytes.len() && !in_library {
            let place = self.place(at);
            reading.fault("trailing-bytes", Severity::Remark, || {
                (place, format!("bytes stand behind the tree: {} in all, passed over", self.bytes.len() - at))
            })?;
        }
        Ok(())
    }

    fn node(&mut self, depth: usize, from: u8, to: u8, at: usize, reading: &mut Reading<'_>) -> Result<(), Error> {
        let point = if self.is_old { old::point } else { point };
        let step = point(from).zip(point(to)).map(|(from, to)| Step { from, to });
        // Whose piece moves first is not known before it is known how points are counted.
        if let Some(step) = step.filter(|_| depth == 1 && !self.is_old) {
            self.setup.first_move(step.from);
        }
        let side = self.setup.side_of_ply(depth);
        let play = step.map_or(Play::Nothing, |step| Play::Move(Move::Step(step)));
        self.builder.append(depth, side, play)?;
        if step.is_none() {
            let written = format!("{from}-{to}");
            self.builder.note(Note::Property(WRITTEN, &written))?;
            let place = self.place(at);
            reading.fault("bad-point", Severity::Damage, || {
                (place, format!("a move between points off the board ({written}): kept as it is written"))
            })?;
        }
        Ok(())
    }

    /// Reads the length of a comment and the comment, and says where the next record begins.
    fn comment(&mut self, at: usize, reading: &mut Reading<'_>) -> Result<usize, Error> {
        let length = self.bytes[at..].first_chunk().map(|length| u32::from_le_bytes(*length) as usize);
        let rest = self.bytes.get(at + 4..).unwrap_or_default();
        if length.is_none_or(|length| length > rest.len()) {
            let place = self.place(at);
            reading.fault("cut-text", Severity::Damage, || {
                (place, "the record ends inside a comment: what is there is kept".into())
            })?;
        }
        let bytes = &rest[..length.unwrap_or(0).min(rest.len())];
        let (text, is_whole) = text(bytes);
        if !is_whole {
            let place = self.place(at);
            bad_text(reading, place)?;
        }
        if !text.is_empty() {
            comment::push(&mut self.builder, &comment::lines(&text))?;
        }
        Ok((at + 4 + bytes.len()).min(self.bytes.len()))
    }

    /// A byte of the record, and the moves to the node read last.
    fn place(&self, at: usize) -> Place {
        let place = Place { byte: self.origin.byte.map(|start| start + at as u64), ..self.origin.clone() };
        place.after(self.builder.tree(), self.builder.last(), Size::XIANGQI)
    }
}

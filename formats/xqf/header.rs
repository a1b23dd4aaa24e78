//! What stands where in the header.

use games::Point;
use games::xiangqi;
use record::Outcome;

/// A text: a byte that says how long it is, and room for it.
pub(super) struct Slot {
    /// The tag of a record.
    pub tag: &'static str,
    pub at: usize,
    /// Bytes, without the one before.
    pub room: usize,
}

pub(super) const SLOTS: [Slot; 11] = [
    Slot { tag: "Title", at: 0x50, room: 63 },
    Slot { tag: "Event", at: 0xD0, room: 63 },
    Slot { tag: "Date", at: 0x110, room: 15 },
    Slot { tag: "Site", at: 0x120, room: 15 },
    Slot { tag: "Red", at: 0x130, room: 15 },
    Slot { tag: "Black", at: 0x140, room: 15 },
    Slot { tag: "TimeControl", at: 0x150, room: 63 },
    Slot { tag: "RedTime", at: 0x190, room: 15 },
    Slot { tag: "BlackTime", at: 0x1A0, room: 15 },
    Slot { tag: "Annotator", at: 0x1D0, room: 15 },
    Slot { tag: "Author", at: 0x1E0, room: 15 },
];

pub(super) const PIECES: usize = 0x10;
pub(super) const TO_MOVE: usize = 0x32;
pub(super) const RESULT: usize = 0x33;
pub(super) const STAGE: usize = 0x40;

/// The tag that says which part of a game the record is, and its values by their bytes; none for a whole game.
pub(super) const TYPE: &str = "Type";
pub(super) const STAGES: [&str; 4] = ["", "opening", "middlegame", "endgame"];

/// Results by their bytes. Some files have a 4 for a draw.
pub(super) const RESULTS: [Outcome; 4] = [Outcome::Unknown, Outcome::First, Outcome::Second, Outcome::Draw];

/// The point of a byte: ten times the file from the left and the rank from Red; `None` off the board.
pub(super) fn point(byte: u8) -> Option<Point> {
    if byte / 10 >= xiangqi::WIDTH { None } else { Point::new(byte / 10, xiangqi::HEIGHT - 1 - byte % 10) }
}

/// The byte of a point of the board.
pub(super) fn byte(point: Point) -> u8 {
    point.x() * 10 + (xiangqi::HEIGHT - 1).saturating_sub(point.y())
}

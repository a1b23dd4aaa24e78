use crate::{Move, Point, Size};
use std::fmt;
use std::str::FromStr;

/// How a point is written.
///
/// Three of these look alike and differ in the row they count from; nothing in a text tells them
/// apart, so the reader of a text must be told.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Coords {
    /// `h8`: column letter with i, row 1 at the bottom. What people read and write.
    #[default]
    A1,
    /// `78`: two hexadecimal digits, `16 * row + column + 1`, row 0 at the top; boards up to 15x15.
    Agi,
    /// `7,7`: column and row from the top left, zero-based, as in Piskvork's protocol.
    Xy,
    /// `hh`: column and row letter from the top left.
    Sgf,
    /// `h8`: column letter with i, row 1 at the top, as c-gomoku-cli and Rapfi write.
    Rapfi,
    /// `h8`: as [`Coords::A1`], but the columns skip the letter i.
    NoI,
    /// `h7`: column letter, row 0 at the bottom, as ICCS names the points of xiangqi.
    Iccs,
}

impl Coords {
    /// All notations.
    pub const ALL: [Coords; 7] =
        [Coords::A1, Coords::Agi, Coords::Xy, Coords::Sgf, Coords::Rapfi, Coords::NoI, Coords::Iccs];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Coords::A1 => "a1",
            Coords::Agi => "agi",
            Coords::Xy => "xy",
            Coords::Sgf => "sgf",
            Coords::Rapfi => "rapfi",
            Coords::NoI => "no-i",
            Coords::Iccs => "iccs",
        }
    }

    /// Whether every point of a board of this size can be written.
    pub const fn fits(self, size: Size) -> bool {
        match self {
            Coords::Agi => size.width() <= 15 && size.height() <= 15,
            Coords::NoI => size.width() <= 25,
            _ => true,
        }
    }

    /// Appends the point, which lies on the board, in a notation that [`Coords::fits`] it.
    pub fn push(self, point: Point, size: Size, out: &mut Vec<u8>) {
        let (x, y) = (point.x(), point.y());
        match self {
            Coords::A1 => {
                out.push(b'a' + x);
                push_number(size.height().saturating_sub(y), out);
            }
            Coords::Iccs => {
                out.push(b'a' + x);
                push_number((size.height() - 1).saturating_sub(y), out);
            }
            Coords::Rapfi => {
                out.push(b'a' + x);
                push_number(y + 1, out);
            }
            Coords::NoI => {
                out.push(b'a' + x + u8::from(x >= 8));
                push_number(size.height().saturating_sub(y), out);
            }
            Coords::Agi => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                out.extend([HEX[usize::from(y & 15)], HEX[usize::from((x + 1) & 15)]]);
            }
            Coords::Xy => {
                push_number(x, out);
                out.push(b',');
                push_number(y, out);
            }
            Coords::Sgf => out.extend([b'a' + x, b'a' + y]),
        }
    }

    /// The point as text, under the conditions of [`Coords::push`].
    pub fn text(self, point: Point, size: Size) -> String {
        let mut out = Vec::with_capacity(5);
        self.push(point, size, &mut out);
        String::from_utf8(out).expect("points are written in ASCII")
    }

    /// Reads exactly one point, in either case of letters; `None` if the text is not one or lies off the board.
    pub fn parse(self, text: &str, size: Size) -> Option<Point> {
        let (point, length) = self.take(text.as_bytes())?;
        let point = point.locate(size)?;
        (length == text.len()).then_some(point)
    }

    /// The point at the start of `bytes` and its length, not yet placed on a board.
    fn take(self, bytes: &[u8]) -> Option<(Spot, usize)> {
        match self {
            Coords::A1 | Coords::Rapfi | Coords::NoI | Coords::Iccs => {
                let letter = bytes.first()?.to_ascii_lowercase();
                if !letter.is_ascii_lowercase() || (self == Coords::NoI && letter == b'i') {
                    return None;
                }
                let x = letter - b'a' - u8::from(self == Coords::NoI && letter > b'i');
                let (row, digits) = take_number(&bytes[1..])?;
                let row = if self == Coords::Iccs { row } else { row.checked_sub(1)? };
                let spot = if self == Coords::Rapfi { Spot::FromTop(x, row) } else { Spot::FromBottom(x, row) };
                Some((spot, 1 + digits))
            }
            Coords::Agi => {
                let digit = |at: usize| bytes.get(at).and_then(|&byte| (byte as char).to_digit(16));
                let (y, x) = (digit(0)?, digit(1)?);
                Some((Spot::FromTop((x as u8).checked_sub(1)?, y as u8), 2))
            }
            Coords::Xy => {
                let (x, digits) = take_number(bytes)?;
                let comma = bytes[digits..].iter().position(|byte| *byte != b' ')?;
                if bytes[digits + comma] != b',' {
                    return None;
                }
                let rest = digits + comma + 1;
                let blanks = bytes[rest..].iter().take_while(|byte| **byte == b' ').count();
                let (y, more) = take_number(&bytes[rest + blanks..])?;
                Some((Spot::FromTop(x, y), rest + blanks + more))
            }
            Coords::Sgf => {
                let letter = |at: usize| {
                    bytes.get(at).map(u8::to_ascii_lowercase).filter(u8::is_ascii_lowercase).map(|byte| byte - b'a')
                };
                Some((Spot::FromTop(letter(0)?, letter(1)?), 2))
            }
        }
    }
}

impl FromStr for Coords {
    type Err = String;

    fn from_str(text: &str) -> Result<Coords, String> {
        Coords::ALL
            .into_iter()
            .find(|coords| coords.name() == text)
            .ok_or_else(|| format!("`{text}` is not a notation: write a1, agi, xy, sgf, rapfi, no-i or iccs"))
    }
}

enum Spot {
    FromTop(u8, u8),
    FromBottom(u8, u8),
}

impl Spot {
    fn locate(self, size: Size) -> Option<Point> {
        let point = match self {
            Spot::FromTop(x, y) => Point::new(x, y)?,
            Spot::FromBottom(x, row) => Point::new(x, size.height().checked_sub(1)?.checked_sub(row)?)?,
        };
        size.contains(point).then_some(point)
    }
}

fn push_number(number: u8, out: &mut Vec<u8>) {
    if number >= 100 {
        out.push(b'0' + number / 100);
    }
    if number >= 10 {
        out.push(b'0' + number / 10 % 10);
    }
    out.push(b'0' + number % 10);
}

/// One or two decimal digits at the start, and how many they are.
fn take_number(bytes: &[u8]) -> Option<(u8, usize)> {
    let digits = bytes.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    Some((bytes[..digits].iter().fold(0, |number, byte| number * 10 + (byte - b'0')), digits))
}

/// A move string that does not read as moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// Byte offset of the fault in the text.
    pub at: usize,
    /// The text found there, shortened.
    pub found: String,
    /// The notation that was expected.
    pub coords: Coords,
    /// The board the points must lie on.
    pub size: Size,
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotationError { at, found, coords, size } = self;
        write!(f, "`{found}` at byte {at} is not a point of a {size} board in the notation {}", coords.name())
    }
}

impl std::error::Error for NotationError {}

/// Reads a string of moves: points with or without anything between them, `pass` or `--` for a pass.
///
/// Blanks, commas, semicolons, `+`, `_`, `|`, `-` between points and move numbers such as `12.` are passed over.
/// In [`Coords::Agi`] `00` is a pass, in [`Coords::Sgf`] `tt` is one on boards up to 19x19.
pub fn parse_moves(text: &str, coords: Coords, size: Size) -> Result<Vec<Move>, NotationError> {
    let bytes = text.as_bytes();
    let mut moves = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"--") {
            moves.push(Move::Pass);
            at += 2;
        } else if rest[0].is_ascii_whitespace() || b",;+_|-".contains(&rest[0]) {
            at += 1;
        } else if rest.len() >= 4 && rest[..4].eq_ignore_ascii_case(b"pass") {
            moves.push(Move::Pass);
            at += 4;
        } else if let Some(length) = move_number(rest) {
            at += length;
        } else if coords == Coords::Agi && rest.starts_with(b"00") {
            moves.push(Move::Pass);
            at += 2;
        } else if let Some((spot, length)) = coords.take(rest) {
            let point = spot.locate(size);
            let pass = coords == Coords::Sgf && rest[..2].eq_ignore_ascii_case(b"tt") && size.width() <= 19;
            match point {
                Some(point) => moves.push(Move::Place(point)),
                None if pass => moves.push(Move::Pass),
                None => return Err(not_a_point(text, at, coords, size)),
            }
            at += length;
            // `h123` is no point followed by a 3.
            if coords != Coords::Agi && bytes.get(at).is_some_and(u8::is_ascii_digit) {
                return Err(not_a_point(text, at - length, coords, size));
            }
        } else {
            return Err(not_a_point(text, at, coords, size));
        }
    }
    Ok(moves)
}

/// The length of a move number such as `12.` or `12...` at the start.
fn move_number(bytes: &[u8]) -> Option<usize> {
    // A long line of AGI points may be all digits, and this is asked at each of them.
    let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let dots = bytes[digits..].iter().take_while(|byte| **byte == b'.').count();
    (digits > 0 && dots > 0).then_some(digits + dots)
}

fn not_a_point(text: &str, at: usize, coords: Coords, size: Size) -> NotationError {
    let word = text[at..].split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    NotationError { at, found: word.chars().take(12).collect(), coords, size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a1(text: &str) -> Vec<String> {
        let size = Size::default();
        let moves = parse_moves(text, Coords::A1, size).unwrap();
        moves.iter().map(|m| m.point().map_or("--".into(), |point| Coords::A1.text(point, size))).collect()
    }

    #[test]
    fn one_line_reads_alike_however_it_is_separated() {
        for text in ["h8i9j10", "h8 i9 j10", "H8,I9;j10", "1. h8 2. i9 3. j10", "h8-i9-j10", "h8+i9|j10\r\n"] {
            assert_eq!(a1(text), ["h8", "i9", "j10"], "{text}");
        }
        assert_eq!(a1("h8 -- i9 pass j10"), ["h8", "--", "i9", "--", "j10"]);
        assert_eq!(a1(""), [""; 0]);
    }

    #[test]
    fn the_same_asymmetric_point_in_every_notation() {
        // Column c, second row from the top of a 15x15 board.
        let size = Size::default();
        let point = Point::new(2, 1).unwrap();
        for (coords, text) in [
            (Coords::A1, "c14"),
            (Coords::Agi, "13"),
            (Coords::Xy, "2,1"),
            (Coords::Sgf, "cb"),
            (Coords::Rapfi, "c2"),
            (Coords::NoI, "c14"),
        ] {
            assert_eq!(coords.text(point, size), text);
            assert_eq!(coords.parse(text, size), Some(point));
            assert_eq!(parse_moves(text, coords, size).unwrap(), [Move::Place(point)]);
        }
        assert_eq!(Coords::NoI.parse("j8", size), Coords::A1.parse("i8", size));
    }

    #[test]
    fn every_point_of_every_board_reads_back() {
        for side in [1, 5, 15, 20, 22, 25] {
            let size = Size::square(side).unwrap();
            for coords in Coords::ALL.into_iter().filter(|coords| coords.fits(size)) {
                for point in size.points() {
                    assert_eq!(coords.parse(&coords.text(point, size), size), Some(point));
                }
            }
        }
    }

    #[test]
    fn faults_are_placed() {
        let size = Size::default();
        let error = parse_moves("h8 i9 z3 j10", Coords::A1, size).unwrap_err();
        assert_eq!((error.at, error.found.as_str()), (6, "z3"));
        assert_eq!(parse_moves("h8 h16", Coords::A1, size).unwrap_err().at, 3);
        assert_eq!(parse_moves("h8 h123", Coords::A1, size).unwrap_err().at, 3);
        assert_eq!(parse_moves("黒h8", Coords::A1, size).unwrap_err().at, 0);
        assert_eq!(parse_moves("78F1", Coords::Agi, size).unwrap_err().at, 2);
        assert_eq!(parse_moves("7,7 15,3", Coords::Xy, size).unwrap_err().at, 4);
        assert_eq!(parse_moves("hhtt", Coords::Sgf, size).unwrap()[1], Move::Pass);
    }
}

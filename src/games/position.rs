use crate::gomoku::Opening;
use crate::{Coords, Move, Point, Side, Size, parse_moves};

/// Stones given without an order, and the moves played after them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The board.
    pub size: Size,
    /// Stones that stand at the start.
    pub setup: Vec<(Point, Side)>,
    /// Who makes the first of `moves`.
    pub to_move: Side,
    /// The moves after the set-up.
    pub moves: Vec<Move>,
}

impl Position {
    /// Reads a position as scripts write it.
    ///
    /// - `h8i9j10`: moves in the notation `coords`;
    /// - `agi:78685A69`, `agi:STATU 78695A MOVES 68`: stones of both sides in turn, then moves;
    /// - `board:` and the rows from the top joined by `/`, of `.`, `X` (first player) and `O`,
    ///   and `turn:X` or `turn:O` after a blank when it is not the parity's;
    /// - `opening:D4`, `opening:Kagetsu`, `opening:花月`: the three stones of a renju opening, by its code or name.
    ///
    /// The board is `size`, or what `board:` draws. The message names the fault and its byte.
    pub fn parse(text: &str, coords: Coords, size: Size) -> Result<Position, String> {
        let text = text.trim();
        if let Some(rows) = strip(text, "board:") {
            Self::parse_board(rows)
        } else if let Some(agi) = strip(text, "agi:") {
            Self::parse_agi(agi)
        } else if let Some(name) = strip(text, "opening:") {
            let opening = Opening::find(name)
                .ok_or_else(|| format!("`{name}` is not a renju opening: write D1 to D13, I1 to I13, or its name"))?;
            let stones = opening.stones(size).ok_or_else(|| format!("a {size} board has no room for an opening"))?;
            let moves = stones.map(Move::Place).to_vec();
            Ok(Position { size, setup: Vec::new(), to_move: Side::First, moves })
        } else {
            let moves = parse_moves(text, coords, size).map_err(|error| error.to_string())?;
            Ok(Position { size, setup: Vec::new(), to_move: Side::First, moves })
        }
    }

    fn parse_agi(text: &str) -> Result<Position, String> {
        let size = Size::default();
        let read = |text: &str| parse_moves(text, Coords::Agi, size).map_err(|error| format!("agi: {error}"));
        let find = |word: &str| text.to_ascii_uppercase().find(word);
        let (stones, moves) = match (find("STATU"), find("MOVES")) {
            (None, None) => ("", text),
            (Some(0), None) => (&text[5..], ""),
            (None, Some(0)) => ("", &text[5..]),
            (Some(0), Some(at)) => (&text[5..at], &text[at + 5..]),
            _ => return Err("agi: write `STATU stones MOVES moves`, either part may be missing".into()),
        };
        let mut setup = Vec::new();
        let mut side = Side::First;
        for stone in read(stones)? {
            match stone {
                Move::Place(point) if setup.iter().any(|(other, _)| *other == point) => {
                    return Err(format!("agi: STATU names {} twice", Coords::Agi.text(point, size)));
                }
                Move::Place(point) => setup.push((point, side)),
                Move::Pass | Move::Step(_) => {}
            }
            side = side.other();
        }
        Ok(Position { size, setup, to_move: side, moves: read(moves)? })
    }

    fn parse_board(text: &str) -> Result<Position, String> {
        let (rows, turn) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rows: Vec<&str> = rows.split('/').collect();
        let width = rows[0].len();
        let size = u8::try_from(width).ok().zip(u8::try_from(rows.len()).ok());
        let size = size
            .and_then(|(width, height)| Size::new(width, height))
            .ok_or_else(|| format!("board: a board of {width}x{} cannot be: at most {}", rows.len(), Size::LARGEST))?;
        let mut setup = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            if row.chars().count() != width {
                return Err(format!("board: row {} has {} cells, the first has {width}", y + 1, row.chars().count()));
            }
            for (x, cell) in row.chars().enumerate() {
                let side = match cell {
                    '.' => continue,
                    'X' | 'x' => Side::First,
                    'O' | 'o' => Side::Second,
                    other => {
                        return Err(format!("board: `{other}` in row {} is not one of . X O", y + 1));
                    }
                };
                let point = Point::new(x as u8, y as u8).expect("the size was checked");
                setup.push((point, side));
            }
        }
        let firsts = setup.iter().filter(|(_, side)| *side == Side::First).count();
        let parity = if firsts * 2 > setup.len() { Side::Second } else { Side::First };
        let to_move = match turn.trim() {
            "" => parity,
            "turn:X" | "turn:x" => Side::First,
            "turn:O" | "turn:o" => Side::Second,
            other => return Err(format!("board: `{other}` is not turn:X or turn:O")),
        };
        Ok(Position { size, setup, to_move, moves: Vec::new() })
    }
}

/// The rest after a prefix in any case.
fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| text[prefix.len()..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Position, String> {
        Position::parse(text, Coords::A1, Size::default())
    }

    #[test]
    fn agi_stones_take_turns_and_moves_follow() {
        let position = parse("agi:STATU 78695A MOVES 68").unwrap();
        let sides: Vec<Side> = position.setup.iter().map(|(_, side)| *side).collect();
        assert_eq!(sides, [Side::First, Side::Second, Side::First]);
        assert_eq!(position.to_move, Side::Second);
        assert_eq!(position.moves.len(), 1);
        assert_eq!(parse("agi:78685A69").unwrap().moves, parse("h8h9j10i9").unwrap().moves);
        assert!(parse("agi:STATU 7878").unwrap_err().contains("twice"));
    }

    #[test]
    fn openings_are_positions_by_their_names() {
        for name in ["D4", "4d", "Kagetsu", "花月", "flower moon"] {
            assert_eq!(parse(&format!("opening:{name}")), parse("h8h9i9"), "{name}");
        }
        assert!(parse("opening:D14").unwrap_err().contains("not a renju opening"));
        assert!(Position::parse("opening:D4", Coords::A1, Size::square(20).unwrap()).is_err());
    }

    #[test]
    fn a_drawn_board_is_read_row_by_row_from_the_top() {
        let position = parse("board:X..../...../..O../...../..... turn:X").unwrap();
        assert_eq!(position.size, Size::square(5).unwrap());
        assert_eq!(position.setup[0], (Point::new(0, 0).unwrap(), Side::First));
        assert_eq!(position.setup[1], (Point::new(2, 2).unwrap(), Side::Second));
        assert_eq!(position.to_move, Side::First);
        assert_eq!(parse("board:X..../...../...../...../.....").unwrap().to_move, Side::Second);
        assert!(parse("board:X../..").unwrap_err().contains("row 2"));
        assert!(parse("board:X.?").unwrap_err().contains('?'));
        assert!(parse("board:é../...").is_err());
    }
}

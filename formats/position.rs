//! Positions as moves that lead to them, in the text forms of books.

use games::{Coords, Move, Point, Position, Rule, Side, Size};
use record::Key;

/// What a text says of the stones.
pub(crate) struct Stones {
    pub size: Size,
    pub to_move: Side,
    /// In the order of [`Key::stones`].
    pub stones: Vec<(Point, Side)>,
}

/// A position as a line of moves that lead to it, `--` where a side passes so that the stones come out.
pub fn position_text(key: &Key) -> String {
    let mut text = Vec::new();
    push(key, b"--", &mut text);
    String::from_utf8(text).expect("names of points are ASCII")
}

/// The position that a text of [`position_text`], or any other that `kifu book query` takes, leads to, on a board of
/// this size unless it draws one; the message says what is wrong.
pub fn position_key(text: &str, rule: Rule, size: Size) -> Result<Key, String> {
    let Stones { size, to_move, stones } = parse(text, size)?;
    Ok(Key { rule, size, to_move, stones })
}

/// Appends moves that lead to the position: the stones of both sides in turn, and this word for a pass.
pub(crate) fn push(key: &Key, pass: &[u8], out: &mut Vec<u8>) {
    let of = |side: Side| key.stones.iter().filter(move |(_, of)| *of == side);
    let (mut black, mut white) = (of(Side::First), of(Side::Second));
    let (blacks, whites) = (black.clone().count(), white.clone().count());
    let (blacks, whites) = match key.to_move {
        Side::First => (blacks.max(whites), blacks.max(whites)),
        Side::Second => (blacks.max(whites + 1), blacks.max(whites + 1) - 1),
    };
    let mut put = |stone: Option<&(Point, Side)>| match stone {
        Some((point, _)) => Coords::A1.push(*point, key.size, out),
        None => out.extend_from_slice(pass),
    };
    for ply in 0..blacks {
        put(black.next());
        if ply < whites {
            put(white.next());
        }
    }
}

/// Reads a position as `kifu book query` takes it, on a board of this size unless it draws one.
pub(crate) fn parse(text: &str, size: Size) -> Result<Stones, String> {
    let Position { size, setup: mut stones, mut to_move, moves } = Position::parse(text, Coords::A1, size)?;
    stones.reserve_exact(moves.len());
    for each in moves {
        if let Move::Place(point) = each {
            stones.push((point, to_move));
        }
        to_move = to_move.other();
    }
    stones.sort_unstable_by_key(|(point, _)| *point);
    match stones.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(format!("two stones stand on {}", Coords::A1.text(pair[0].0, size))),
        None => Ok(Stones { size, to_move, stones }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_stones_and_either_side_to_move_read_back() {
        let size = Size::new(5, 4).unwrap();
        let mut seed = 7_u64;
        let mut below = |limit: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % limit
        };
        for _ in 0..2000 {
            let one_in = 1 + below(4);
            let mut side = || if below(2) == 0 { Side::First } else { Side::Second };
            let to_move = side();
            let stones: Vec<_> = size.points().map(|point| (point, side())).collect();
            let stones = stones.into_iter().filter(|_| below(one_in) == 0).collect();
            let key = Key { rule: Rule::Renju, size, to_move, stones };
            for pass in ["--", "pass"] {
                let mut text = Vec::new();
                push(&key, pass.as_bytes(), &mut text);
                let read = parse(std::str::from_utf8(&text).unwrap(), size).unwrap();
                assert_eq!((read.size, read.to_move, read.stones), (size, to_move, key.stones.clone()));
            }
        }
    }

    #[test]
    fn positions_are_read_as_queries_write_them() {
        let size = Size::default();
        let plain = parse("h8i9", size).unwrap();
        for text in ["H8, i9", "agi:7869", "agi:STATU 7869"] {
            assert_eq!(parse(text, size).unwrap().stones, plain.stones, "{text}");
        }
        let drawn = parse("board:X../.../... turn:X", size).unwrap();
        assert_eq!((drawn.size, drawn.to_move), (Size::square(3).unwrap(), Side::First));
        assert_eq!(parse("h8i9h8", size).err().unwrap(), "two stones stand on h8");
        assert!(parse("h8z99", size).is_err());
    }
}

//! Positions as moves that lead to them, in the text forms of books.

use games::gomoku::symmetries;
use games::xiangqi::{Board, Fen, FenOptions};
use games::{Coords, Game, Move, Point, Position, Rules, Side, Size, Step, Symmetry};
use record::{Key, StoneKey};

/// The board that points and moves are told on.
#[derive(Copy, Clone)]
pub(crate) struct Ground {
    pub game: Game,
    pub size: Size,
}

impl Ground {
    pub fn of(key: &Key) -> Ground {
        Ground { game: key.rules().game(), size: key.size() }
    }

    pub fn push_point(self, point: Point, out: &mut Vec<u8>) {
        self.game.coords().push(point, self.size, out);
    }

    /// Appends a move, or this word for a pass.
    pub fn push_play(self, play: Move, pass: &[u8], out: &mut Vec<u8>) {
        match play {
            Move::Pass => out.extend_from_slice(pass),
            Move::Place(point) => self.push_point(point, out),
            Move::Step(step) => out.extend(step.to_string().bytes()),
        }
    }

    /// The point of this name.
    pub fn point(self, text: &str) -> Option<Point> {
        self.game.coords().parse(text, self.size)
    }

    /// The move of this name; a pass is `--` or `pass`.
    pub fn play(self, text: &str) -> Option<Move> {
        match self.game {
            _ if matches!(text, "--" | "pass") => Some(Move::Pass),
            Game::Gomoku => self.point(text).map(Move::Place),
            Game::Xiangqi => Step::from_text(text).map(Move::Step),
        }
    }

    /// Whether a symmetry makes the same board of it.
    pub fn allows(self, symmetry: Symmetry) -> bool {
        match self.game {
            Game::Gomoku => symmetries(self.size).contains(&symmetry),
            Game::Xiangqi => matches!(symmetry, Symmetry::Identity | Symmetry::Mirror),
        }
    }
}

/// What a text says of the stones.
pub(crate) struct Stones {
    pub size: Size,
    pub to_move: Side,
    /// In the order of [`StoneKey::stones`].
    pub stones: Vec<(Point, Side)>,
}

/// A position as a line of moves that lead to it, `--` where a side passes so that the stones come out; one of xiangqi
/// as the first two fields of its FEN.
pub fn position_text(key: &Key) -> String {
    let mut text = Vec::new();
    push(key, b"--", &mut text);
    String::from_utf8(text).expect("names of points are ASCII")
}

/// The position that a text of [`position_text`], or any other that `kifu book query` takes, leads to, on a board of
/// this size unless it draws one; the message says what is wrong.
pub fn position_key(text: &str, rules: Rules, size: Size) -> Result<Key, String> {
    match rules {
        Rules::Gomoku(rule) => {
            let Stones { size, to_move, stones } = parse(text, size)?;
            Ok(StoneKey { rule, size, to_move, stones }.into())
        }
        Rules::Xiangqi => {
            let options = FenOptions { strict: true, other_letters: false };
            let (fen, _) = Fen::read(text, options).map_err(|remark| remark.to_string())?;
            Ok(fen.board.into())
        }
    }
}

/// The first two fields of the FEN: the board and the side to move.
pub(crate) fn board_text(board: &Board) -> String {
    let fen = Fen::from(board.clone()).to_string();
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// Appends moves that lead to the position: the stones of both sides in turn, and this word for a pass; or the FEN of
/// [`position_text`].
pub(crate) fn push(key: &Key, pass: &[u8], out: &mut Vec<u8>) {
    let key = match key {
        Key::Gomoku(stones) => stones,
        Key::Xiangqi(board) => return out.extend(board_text(board).bytes()),
    };
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
    use games::Rule;

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
            let key = StoneKey { rule: Rule::Renju, size, to_move, stones };
            for pass in ["--", "pass"] {
                let mut text = Vec::new();
                push(&Key::Gomoku(key.clone()), pass.as_bytes(), &mut text);
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

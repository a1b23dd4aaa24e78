//! What the tests share: drawings, random boards, and samples that are not in the repository.

use super::Board;
use crate::{Point, Side, Size};
use std::path::PathBuf;

/// A file of samples that are not in the repository (`KIFU_SAMPLES`, default `../shared` beside it);
/// where it is absent the caller skips its test, and this prints so.
pub fn shared(part: &str) -> Option<String> {
    let root = std::env::var_os("KIFU_SAMPLES").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")));
    let path = root.join(part);
    if !path.exists() {
        eprintln!("skipped: {} is absent (set KIFU_SAMPLES)", path.display());
        return None;
    }
    Some(std::fs::read_to_string(path).unwrap())
}

/// A drawing as `Board` reads it, and the points that hold another sign than `.`, `x` and `o`.
pub fn drawing(text: &str) -> (Board, Vec<(Point, char)>) {
    let bare = text.replace(|c: char| !c.is_whitespace() && !".xo".contains(c), ".");
    let board: Board = bare.parse().unwrap();
    let cells = text.chars().filter(|c| !c.is_whitespace());
    let marks = board.size().points().zip(cells).filter(|(_, sign)| !".xo".contains(*sign));
    (board, marks.collect())
}

/// A small generator of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A board of any size from 5x5 with up to half its points black, and fewer white.
    pub fn board(&mut self, largest: u64) -> Board {
        let mut side = || 5 + self.below(largest - 4) as u8;
        let size = Size::new(side(), side()).unwrap();
        let (black, white) = (10 + self.below(40), self.below(25));
        let mut board = Board::new(size);
        for point in size.points() {
            match self.below(100) {
                n if n < black => board.play_unchecked(point, Side::First),
                n if n < black + white => board.play_unchecked(point, Side::Second),
                _ => {}
            }
        }
        board
    }
}

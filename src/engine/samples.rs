//! What the tests share: random numbers and puzzles.

use games::gomoku::Board;
use games::{Coords, Point, Rule, Side, Size};
use serde_json::Value;
use std::path::PathBuf;

/// A small generator of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A board of a size from 5x5 to `largest`.
    pub fn size(&mut self, largest: u64) -> Size {
        let mut side = || 5 + self.below(largest - 4) as u8;
        Size::new(side(), side()).unwrap()
    }
}

/// A line of a file of puzzles.
#[derive(Clone)]
pub struct Puzzle {
    pub id: String,
    pub rule: Rule,
    pub stones: Board,
    pub side: Side,
    /// Whether there is a victory by fours, where the file says it.
    pub is_win: Option<bool>,
    pub fours: Option<u32>,
    /// A move that wins nothing, and the reply that shows it.
    pub refuted: Option<[Point; 2]>,
}

impl Puzzle {
    pub fn read(line: &str) -> Puzzle {
        let object: Value = serde_json::from_str(line).unwrap();
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let size = Size::square(object["size"].as_u64().unwrap() as u8).unwrap();
        let points = |field: &str, side| -> Vec<(Point, Side)> {
            let names = object[field].as_array().unwrap().iter();
            names.map(|name| (Coords::A1.parse(name.as_str().unwrap(), size).unwrap(), side)).collect()
        };
        let stones = [points("black", Side::First), points("white", Side::Second)].concat();
        let point = |field: &str| Coords::A1.parse(text(field), size);
        let is_vcf = text("kind") == "vcf";
        Puzzle {
            id: text("id").into(),
            rule: text("rule").parse().unwrap(),
            stones: Board::with_stones(size, stones).unwrap(),
            side: if text("side") == "black" { Side::First } else { Side::Second },
            is_win: is_vcf.then(|| text("result") == "win"),
            fours: object["min_fours"].as_u64().map(|fours| fours as u32),
            refuted: point("attack").zip(point("refutation")).map(|(attack, refutation)| [attack, refutation]),
        }
    }

    /// The puzzles of a file in the repository.
    pub fn own() -> Vec<Puzzle> {
        include_str!("../../testdata/engine/puzzles.jsonl").lines().map(Puzzle::read).collect()
    }

    /// The puzzles of a file of samples that is not in the repository (`KIFU_SAMPLES`); none if it is absent.
    pub fn shared(name: &str) -> Vec<Puzzle> {
        let root = std::env::var_os("KIFU_SAMPLES").map(PathBuf::from);
        let root = root.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")));
        let path = root.join("data/puzzles").join(name);
        if !path.exists() {
            eprintln!("skipped: {} is absent (set KIFU_SAMPLES)", path.display());
            return Vec::new();
        }
        std::fs::read_to_string(path).unwrap().lines().map(Puzzle::read).collect()
    }
}

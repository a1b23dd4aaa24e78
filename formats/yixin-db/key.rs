//! Keys: a position as bytes, in the form that all its images share.

use games::gomoku::symmetries;
use games::{Coords, Point, Rule, Side, Size, Symmetry};
use record::StoneKey;

const RULES: [Rule; 3] = [Rule::Freestyle, Rule::Standard, Rule::Renju];
const PASS: [u8; 2] = [0xFF, 0xFF];
/// Rule, width, height.
pub(super) const HEAD: usize = 3;

/// The position of a key, and how many passes stand in it; the message says what is wrong with one that has none.
pub(super) fn parse(bytes: &[u8]) -> Result<(StoneKey, usize), String> {
    if bytes.len() < HEAD || bytes.len().is_multiple_of(2) {
        return Err(format!("a key of {} bytes: it has 3, and 2 for each stone", bytes.len()));
    }
    let (head, stones) = bytes.split_at(HEAD);
    let rule = RULES.get(usize::from(head[0]));
    let rule = *rule.ok_or_else(|| format!("rule {} is not one: 0 freestyle, 1 standard, 2 renju", head[0]))?;
    let size = Size::new(head[1], head[2]);
    let size = size.ok_or_else(|| format!("a board of {}x{} is none", head[1], head[2]))?;
    let pairs = stones.len() / 2;
    let sides = |at: usize| if at < pairs.div_ceil(2) { Side::First } else { Side::Second };
    let mut key = StoneKey { rule, size, to_move: to_move(pairs), stones: Vec::with_capacity(pairs) };
    let mut passes = 0;
    for (at, pair) in stones.chunks_exact(2).enumerate() {
        if pair == PASS {
            passes += 1;
            continue;
        }
        let point = Point::new(pair[0], pair[1]).filter(|point| size.contains(*point));
        let point = point.ok_or_else(|| format!("column {}, row {} is off the {size} board", pair[0], pair[1]))?;
        key.stones.push((point, sides(at)));
    }
    key.stones.sort_unstable_by_key(|(point, _)| *point);
    match key.stones.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(format!("two stones stand on {}", Coords::Rapfi.text(pair[0].0, size))),
        None => Ok((key, passes)),
    }
}

/// What Rapfi sorts keys by.
pub(super) fn rank(bytes: &[u8]) -> (&[u8], usize, &[u8]) {
    let (head, stones) = bytes.split_at(HEAD.min(bytes.len()));
    (head, stones.len(), stones)
}

fn to_move(pairs: usize) -> Side {
    if pairs.is_multiple_of(2) { Side::First } else { Side::Second }
}

/// A position that has no key, as the plural of a loss.
pub(super) type Unsayable = &'static str;

/// Makes keys of positions, in memory that is used again.
#[derive(Default)]
pub(super) struct Canonical {
    /// The key of the last position.
    pub bytes: Vec<u8>,
    /// The symmetries that turn the last position into its key: several where it is its own image.
    pub symmetries: Vec<Symmetry>,
    /// Whether a pass stands in it.
    pub passed: bool,
    best: Vec<i16>,
    trial: Vec<i16>,
}

impl Canonical {
    /// Makes the key of a position.
    pub fn make(&mut self, key: &StoneKey) -> Result<(), Unsayable> {
        let rule = RULES.iter().position(|rule| *rule == key.rule);
        let rule = rule.ok_or("positions under the rule caro (left out)")?;
        let black = key.stones.iter().filter(|(_, side)| *side == Side::First).count();
        let white = key.stones.len() - black;
        let turn = usize::from(key.to_move == Side::Second);
        let (black_passes, white_passes) = ((white + turn).saturating_sub(black), black.saturating_sub(white + turn));
        if black_passes + white_passes > 1 {
            return Err("positions that take more than one pass (left out)");
        }
        self.passed = black_passes + white_passes > 0;
        self.turn(key);
        self.bytes.clear();
        self.bytes.extend([rule as u8, key.size.width(), key.size.height()]);
        let (black, white) = self.best.split_at(black);
        for (stones, passes) in [(black, black_passes), (white, white_passes)] {
            self.bytes.extend(stones.iter().flat_map(|stone| stone.to_be_bytes()));
            self.bytes.extend(std::iter::repeat_n(PASS, passes).flatten());
        }
        Ok(())
    }

    /// Whether the bytes are the key of the position that they say.
    pub fn is_key(&mut self, bytes: &[u8], key: &StoneKey) -> bool {
        let stones = &bytes[HEAD..];
        let sides = stones.split_at((stones.len() / 2).div_ceil(2) * 2);
        let sorted = |stones: &[u8]| stones.chunks_exact(2).is_sorted();
        let firsts = smallest_images(key, leading(key));
        let least = symmetries(key.size)[1..].iter().map(|symmetry| firsts[*symmetry as usize]).min();
        // Mostly no other image begins as small, and the numbers of stones are those of a game without passes.
        if least > Some(firsts[0]) && key.stones.len() == stones.len() / 2 {
            return sorted(sides.0) && sorted(sides.1);
        }
        self.make(key).is_ok() && self.bytes == bytes
    }

    /// Finds the smallest image of the stones.
    fn turn(&mut self, key: &StoneKey) {
        self.best.clear();
        self.symmetries.clear();
        let leading = leading(key);
        // Mostly the first stone of an image decides, and finding it takes no sorting.
        let firsts = smallest_images(key, leading);
        let all = symmetries(key.size);
        let first = all.iter().map(|symmetry| firsts[*symmetry as usize]).min().unwrap_or(i16::MAX);
        for &symmetry in all.iter().filter(|symmetry| firsts[**symmetry as usize] == first) {
            self.trial.clear();
            for side in [Side::First, Side::Second] {
                let from = self.trial.len();
                let stones = key.stones.iter().filter(|(_, of)| *of == side);
                self.trial.extend(stones.map(|(point, _)| images(*point, key.size)[symmetry as usize]));
                self.trial[from..].sort_unstable();
            }
            if self.symmetries.is_empty() || self.trial < self.best {
                self.symmetries.clear();
                std::mem::swap(&mut self.trial, &mut self.best);
            } else if self.trial > self.best {
                continue;
            }
            self.symmetries.push(symmetry);
        }
    }
}

/// The side whose stones stand first in a key.
fn leading(key: &StoneKey) -> Side {
    if key.stones.iter().any(|(_, side)| *side == Side::First) { Side::First } else { Side::Second }
}

/// A point's images, in the order of [`Symmetry::ALL`]: column, then row, which is the order of a key's bytes.
fn images(point: Point, size: Size) -> [i16; 8] {
    let [x, y, width, height] = [point.x(), point.y(), size.width(), size.height()].map(i16::from);
    let (right, bottom) = (width - 1 - x, height - 1 - y);
    let columns = [x, bottom, right, y, right, x, y, bottom];
    let rows = [y, x, bottom, right, y, bottom, x, right];
    std::array::from_fn(|at| columns[at] << 8 | rows[at])
}

/// The smallest stone of a side in each image.
fn smallest_images(key: &StoneKey, side: Side) -> [i16; 8] {
    let mut least = [i16::MAX; 8];
    for (point, _) in key.stones.iter().filter(|(_, of)| *of == side) {
        for (least, image) in least.iter_mut().zip(images(*point, key.size)) {
            *least = (*least).min(image);
        }
    }
    least
}

/// The key as Rapfi shows it: `r-15-15-h8h9-g8-b`, rows counted from the top.
pub(super) fn push_text(bytes: &[u8], out: &mut Vec<u8>) {
    let (head, stones) = bytes.split_at(HEAD);
    let size = Size::new(head[1], head[2]).expect("keys of positions have a board");
    out.push(b"fsr"[usize::from(head[0])]);
    out.extend(format!("-{}-{}", head[1], head[2]).bytes());
    let pairs = stones.len() / 2;
    let (black, white) = stones.split_at(pairs.div_ceil(2) * 2);
    for stones in [black, white] {
        out.push(b'-');
        for pair in stones.chunks_exact(2) {
            match Point::new(pair[0], pair[1]) {
                Some(point) => Coords::Rapfi.push(point, size, out),
                None => out.extend(b"pass"),
            }
        }
    }
    out.extend(if to_move(pairs) == Side::First { b"-b" } else { b"-w" });
}

/// Appends the key that a text of [`push_text`] shows.
pub(super) fn parse_text(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let parts: Vec<&str> = std::str::from_utf8(text).ok()?.split('-').collect();
    let &[rule, width, height, black, white, to_move] = &parts[..] else { return None };
    let rule = ["f", "s", "r"].iter().position(|letter| *letter == rule)?;
    let size = Size::new(width.parse().ok()?, height.parse().ok()?)?;
    out.extend([rule as u8, size.width(), size.height()]);
    let start = out.len();
    push_stones(black, size, out)?;
    let black = (out.len() - start) / 2;
    push_stones(white, size, out)?;
    let pairs = (out.len() - start) / 2;
    let side = if to_move == "b" { Side::First } else { Side::Second };
    (matches!(to_move, "b" | "w") && side == self::to_move(pairs) && black == pairs.div_ceil(2)).then_some(())
}

fn push_stones(text: &str, size: Size, out: &mut Vec<u8>) -> Option<()> {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("pass") {
            out.extend(PASS);
            rest = behind;
            continue;
        }
        let length = first.len_utf8();
        let digits = rest[length..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - length);
        let (stone, behind) = rest.split_at(length + digits);
        let point = Coords::Rapfi.parse(stone, size)?;
        out.extend([point.x(), point.y()]);
        rest = behind;
    }
    Some(())
}

//! What leads to what in a book.
//!
//! A position leads to another one of the same rule and board if a move that is stored with it does. Where no stored
//! move of the whole book leads to a position, every position leads to it that lacks one stone of the side that has
//! just moved: databases store no moves. All that is said up to symmetry, unless the book keeps mirrored positions
//! apart.
//!
//! In xiangqi a position leads to what its stored moves come to, and to nothing else.
//!
//! Each of these passes reads the levels a few times, from one end to the other, and holds the prints of two levels:
//! 17 bytes a position, twice that where the table has just grown; of xiangqi those of all positions that are kept.

use crate::bits::Bits;
use crate::frame::{Canonical, board, side};
use crate::images::Images;
use crate::levels::{Levels, Row};
use crate::stones::{Stone, set_of};
use crate::{Error, Frame, Frames};
use games::{Game, Move, Point, Rules, Side};
use record::{Continuation, Key};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// The key of a position after a move; `None` where it cannot be played, as [`Key::after`] says.
pub fn after(frame: &Frame, position: &Key, play: Move) -> Option<Vec<u8>> {
    position.after(play).map(|next| frame.canonical(&next).key)
}

/// The [`print`]s of what the moves of a position of these stones lead to, 0 where the point is taken.
pub(crate) fn led_to(
    frame: &Frame,
    stones: &[Stone],
    to_move: Side,
    rules: Rules,
    moves: &[Continuation],
    mut each: impl FnMut(u128),
) {
    if moves.is_empty() {
        return;
    }
    let (mut images, mut form) = (images_of(frame, stones), Canonical::EMPTY);
    for continuation in moves {
        let point = continuation.play.point();
        let is_taken = |point| stones.iter().any(|stone| stone >> 1 == frame.rank(point));
        if point.is_some_and(is_taken) {
            each(0);
            continue;
        }
        point.into_iter().for_each(|point| images.toggle(point, to_move as u16, frame));
        images.least(to_move.other(), rules, frame, &mut form);
        point.into_iter().for_each(|point| images.toggle(point, to_move as u16, frame));
        each(print(&form.key));
    }
}

/// A position of these stones under each symmetry of its board.
pub(crate) fn images_of(frame: &Frame, stones: &[Stone]) -> Images {
    let mut images = Images::new(frame);
    for stone in stones {
        let (point, kind) = frame.point_and_kind(*stone);
        images.toggle(point, kind, frame);
    }
    images
}

fn point(frame: &Frame, stone: Stone) -> Point {
    frame.point(u64::from(stone >> 1)).expect("a key that is read has points of its board")
}

/// What stands for a key: two keys of one print are not to be expected in a book of any size.
pub(crate) fn print(key: &[u8]) -> u128 {
    xxh3_128(key)
}

/// Prints are mixed already.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only prints are hashed");
    }

    fn write_u128(&mut self, print: u128) {
        self.0 = print as u64;
    }
}

type Mark = BuildHasherDefault<Mixed>;
type Marks = HashMap<u128, u8, Mark>;
type Prints = HashSet<u128, Mark>;

/// Something leads to the position.
const LED_TO: u8 = 1;
const BELOW: u8 = 2;

/// The positions that lack one stone of the side that has just moved.
fn one_less(frames: &mut Frames, key: &[u8], mut each: impl FnMut(u128)) -> Result<(), Error> {
    let ground = board(key).ok_or(Error::Order)?;
    let frame = frames.of_board(ground);
    let (stones, to_move) = frame.unpack(key).map_err(|_| Error::Order)?;
    let moved = to_move.other();
    let (mut images, mut form) = (images_of(frame, &stones), Canonical::EMPTY);
    for stone in stones.into_iter().filter(|stone| side(*stone) == moved) {
        let point = point(frame, stone);
        images.toggle(point, moved as u16, frame);
        images.least(moved, ground.0, frame, &mut form);
        each(print(&form.key));
        images.toggle(point, moved as u16, frame);
    }
    Ok(())
}

/// The positions that are flagged, and all that lead to them, to those that do, and so on; so, too, what leads to
/// `wanted`, a key, be it in the book or not.
pub(crate) fn ancestors(levels: &mut Levels<'_>, frames: &mut Frames, wanted: Option<&[u8]>) -> Result<Bits, Error> {
    let mut kept = ancestors_of_pieces(levels, wanted)?;
    let wanted = match wanted {
        Some(key) => {
            let ground = board(key).ok_or(Error::Order)?;
            let frame = frames.of_board(ground);
            let stones = frame.unpack(key).map_err(|_| Error::Order)?.0.len();
            Some((stones, key)).filter(|_| frame.game() == Game::Gomoku)
        }
        None => None,
    };
    let mut above = Marks::default();
    let highest = levels.len().max(wanted.map_or(0, |(stones, _)| stones + 1));
    for stones in (0..highest).rev() {
        levels.each(stones, |row| {
            for (_, led_to) in row.moves() {
                above.entry(led_to).and_modify(|marks| *marks |= LED_TO);
            }
        })?;
        let mut without_moves = Prints::default();
        let mut failed = None;
        let mut orphan = |key: &[u8]| {
            let parents = one_less(frames, key, |parent| {
                without_moves.insert(parent);
            });
            failed = failed.take().or(parents.err());
        };
        levels.each(stones + 1, |row| {
            if above.get(&print(row.key)).is_some_and(|marks| marks & LED_TO == 0) {
                orphan(row.key);
            }
        })?;
        if let Some((_, key)) = wanted.filter(|(at, key)| *at == stones + 1 && above.get(&print(key)) == Some(&0)) {
            orphan(key);
        }
        if let Some(error) = failed {
            return Err(error);
        }
        let wanted = wanted.filter(|(at, _)| *at == stones).map(|(_, key)| print(key));
        let mut here: Marks = wanted.into_iter().map(|print| (print, 0)).collect();
        levels.each(stones, |row| {
            let own = print(row.key);
            let leads_on = row.moves().any(|(_, led_to)| above.contains_key(&led_to));
            if row.is_flagged || leads_on || wanted == Some(own) || without_moves.contains(&own) {
                kept.set(row.number);
                here.insert(own, 0);
            }
        })?;
        if levels.has_passes(stones) {
            let mut passing = Vec::new();
            levels.each(stones, |row| {
                if row.pass().is_some_and(|(_, led_to)| here.contains_key(&led_to)) {
                    kept.set(row.number);
                    passing.push(print(row.key));
                }
            })?;
            passing.into_iter().for_each(|print| {
                here.entry(print).or_default();
            });
            levels.each(stones, |row| mark_pass(row, &mut here, LED_TO))?;
        }
        above = here;
    }
    Ok(kept)
}

/// As [`ancestors`], of xiangqi, where moves lead to as many pieces or fewer.
fn ancestors_of_pieces(levels: &mut Levels<'_>, wanted: Option<&[u8]>) -> Result<Bits, Error> {
    let mut kept = Bits::default();
    let mut prints: Prints = wanted.into_iter().map(print).collect();
    for pieces in levels.pieces() {
        // Lines without captures stay in a level, and may go in circles: a pass finds at least one move more of each.
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            levels.each_pieces(pieces, |row| {
                let is_kept =
                    || prints.contains(&print(row.key)) || row.all_moves().any(|(_, to)| prints.contains(&to));
                if !kept.has(row.number) && (row.is_flagged || is_kept()) {
                    kept.set(row.number);
                    prints.insert(print(row.key));
                    has_grown = true;
                }
            })?;
        }
    }
    Ok(kept)
}

fn mark_pass(row: &Row<'_>, marks: &mut Marks, mark: u8) {
    if let Some((_, led_to)) = row.pass() {
        marks.entry(led_to).and_modify(|marks| *marks |= mark);
    }
}

/// A position and all that it leads to, all that those do, and so on; it counts as if it were in the book. What
/// nothing leads to is below a position, too, if some image of that one's stones is among its own.
pub(crate) fn below(levels: &mut Levels<'_>, frames: &mut Frames, key: &[u8]) -> Result<Bits, Error> {
    let ground = board(key).ok_or(Error::Order)?;
    if ground.0.game() == Game::Xiangqi {
        return below_pieces(levels, frames.of_board(ground), key);
    }
    let within = Within::new(frames.of_board(ground), key).ok_or(Error::Order)?;
    let mut found = Bits::default();
    let mut here = Marks::default();
    levels.each(within.stones, |row| {
        here.insert(print(row.key), 0);
    })?;
    here.insert(print(key), BELOW);
    pass_down(levels, within.stones, &mut here, &mut found)?;
    for stones in within.stones..levels.len().saturating_sub(1) {
        let mut next = Marks::default();
        levels.each(stones + 1, |row| {
            next.insert(print(row.key), 0);
        })?;
        levels.each(stones, |row| {
            let marks = LED_TO | here.get(&print(row.key)).map_or(0, |marks| marks & BELOW);
            for (_, led_to) in row.moves() {
                next.entry(led_to).and_modify(|held| *held |= marks);
            }
        })?;
        if levels.has_passes(stones + 1) {
            levels.each(stones + 1, |row| mark_pass(row, &mut next, LED_TO))?;
        }
        let mut failed = None;
        levels.each(stones + 1, |row| {
            let marks = next.get_mut(&print(row.key)).expect("all of the level are there");
            if *marks & LED_TO != 0 {
                return;
            }
            let (mut has_parents, mut is_below) = (false, false);
            let parents = one_less(frames, row.key, |parent| {
                if let Some(marks) = here.get(&parent) {
                    has_parents = true;
                    is_below |= marks & BELOW != 0;
                }
            });
            failed = failed.take().or(parents.err());
            let ground = board(row.key).expect("its parents were found");
            if is_below || !has_parents && within.is_in(frames.of_board(ground), row.key) {
                *marks |= BELOW;
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        pass_down(levels, stones + 1, &mut next, &mut found)?;
        here = next;
    }
    Ok(found)
}

/// As [`below`], of xiangqi: all legal moves of a position that is not in the book count.
fn below_pieces(levels: &mut Levels<'_>, frame: &Frame, key: &[u8]) -> Result<Bits, Error> {
    let mut found = Bits::default();
    let mut prints = Prints::from_iter([print(key)]);
    let mut is_there = false;
    for pieces in levels.pieces() {
        levels.each_pieces(pieces, |row| is_there |= row.key == key)?;
    }
    if !is_there {
        let position = frame.key(key).ok_or(Error::Order)?;
        let board = position.pieces().ok_or(Error::Order)?;
        let next = board.moves().filter_map(|step| after(frame, &position, Move::Step(step)));
        prints.extend(next.map(|key| print(&key)));
    }
    for pieces in levels.pieces().rev() {
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            levels.each_pieces(pieces, |row| {
                if !found.has(row.number) && prints.contains(&print(row.key)) {
                    found.set(row.number);
                    prints.extend(row.all_moves().map(|(_, to)| to));
                    has_grown = true;
                }
            })?;
        }
    }
    Ok(found)
}

/// Marks what a pass leads to from a position below, and notes all of the level that are.
fn pass_down(levels: &mut Levels<'_>, stones: usize, marks: &mut Marks, found: &mut Bits) -> Result<(), Error> {
    if levels.has_passes(stones) {
        levels.each(stones, |row| {
            if marks[&print(row.key)] & BELOW != 0 {
                mark_pass(row, marks, BELOW);
            }
        })?;
    }
    levels.each(stones, |row| {
        if marks[&print(row.key)] & BELOW != 0 {
            found.set(row.number);
        }
    })
}

/// The numbers of the moves that lead to positions of a set.
pub(crate) fn leading(levels: &mut Levels<'_>, kept: &Bits) -> Result<Bits, Error> {
    let mut leading = Bits::default();
    let mut here = kept_of(levels, 0, kept)?;
    for stones in 0..levels.len() {
        let next = kept_of(levels, stones + 1, kept)?;
        levels.each(stones, |row| {
            row.moves().filter(|(_, led_to)| next.contains(led_to)).for_each(|(each, _)| leading.set(each));
            row.pass().filter(|(_, led_to)| here.contains(led_to)).into_iter().for_each(|(each, _)| leading.set(each));
        })?;
        here = next;
    }
    let mut pieces = Prints::default();
    for count in levels.pieces() {
        levels.each_pieces(count, |row| {
            pieces.extend(kept.has(row.number).then(|| print(row.key)));
        })?;
    }
    for count in levels.pieces() {
        levels.each_pieces(count, |row| {
            row.all_moves().filter(|(_, to)| pieces.contains(to)).for_each(|(each, _)| leading.set(each));
        })?;
    }
    Ok(leading)
}

fn kept_of(levels: &mut Levels<'_>, stones: usize, kept: &Bits) -> Result<Prints, Error> {
    let mut prints = Prints::default();
    levels.each(stones, |row| {
        if kept.has(row.number) {
            prints.insert(print(row.key));
        }
    })?;
    Ok(prints)
}

/// The images of a position's stones, to find them in others.
struct Within {
    board: [u8; 3],
    stones: usize,
    images: Vec<Vec<u64>>,
}

impl Within {
    fn new(frame: &Frame, key: &[u8]) -> Option<Within> {
        let position = frame.stone_key(key)?;
        let mut images: Vec<Vec<u64>> = Vec::new();
        for symmetry in &frame.symmetries {
            let turned = position.turned(*symmetry);
            let stone = |(point, side): &(_, Side)| 2 * frame.rank(*point) + *side as Stone;
            let stones: Vec<Stone> = turned.stones.iter().map(stone).collect();
            let image = set_of(&stones, frame.words());
            if !images.contains(&image) {
                images.push(image);
            }
        }
        Some(Within { board: *key.first_chunk()?, stones: position.stones.len(), images })
    }

    fn is_in(&self, frame: &Frame, key: &[u8]) -> bool {
        let Some((stones, _)) = frame.unpack(key).ok().filter(|_| key.starts_with(&self.board)) else { return false };

        let set = set_of(&stones, frame.words());
        self.images.iter().any(|image| image.iter().zip(&set).all(|(image, set)| image & !set == 0))
    }
}

use crate::levels::{Levels, Work};
use crate::links::{ancestors, leading};
use crate::{Bits, Book, Error, Frames, Part, Written, rewrite};
use games::{Game, Rules};
use record::{Entry, Tally};
use std::io::Write;
use std::ops::RangeInclusive;

/// Which positions stay in a book; whatever holds for a position that leads to one that stays, it stays itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Stones at most; what has more goes in any case. For books of gomoku alone.
    pub max_stones: usize,
    /// Games at least.
    pub min_games: u64,
    /// Depth of the [value to go by](Entry::value) at least; without a value the position goes.
    pub min_depth: Option<i16>,
    /// The value to go by, from the side to move; without one the position goes.
    pub value: Option<RangeInclusive<i32>>,
    /// A position that has any of these stays, whatever the games and values.
    pub keep: Vec<Part>,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { max_stones: usize::MAX, min_games: 0, min_depth: None, value: None, keep: Vec::new() }
    }
}

impl Filter {
    /// Positions that at least so many games reached, and those with a value, a label, a comment or a text.
    pub fn played(min_games: u64) -> Filter {
        Filter { min_games, keep: vec![Part::Value, Part::Label, Part::Comments, Part::Texts], ..Filter::default() }
    }

    /// Whether a position stays for its own sake.
    pub fn keeps(&self, entry: &Entry) -> bool {
        let judgement = entry.value();
        let judgement = judgement.as_deref();
        let deep = self.min_depth.is_none_or(|least| judgement.is_some_and(|judgement| judgement.depth >= least));
        let even = self.value.as_ref().is_none_or(|values| judgement.is_some_and(|held| values.contains(&held.value)));
        entry.tally.games >= self.min_games && deep && even || self.keep.iter().any(|part| part.is_in(entry))
    }
}

/// Writes the positions of a book that a filter keeps and all that lead to them.
///
/// A position leads to another one by a move that is stored with it; where no stored move of the book leads to a
/// position, all do that lack one stone of the side that has just moved. `drop` is left out of what stays, and `moves`
/// says whether a move that leads to no position that stays goes even where games played it.
///
/// What is known of how positions hang together waits in a file in the folder, about 30 bytes a position and 16 a
/// move; in memory are some megabytes, two bits a position and move, and about 34 bytes for each position of two
/// neighbouring numbers of stones, or for each of xiangqi.
pub fn prune<D: AsRef<[u8]>>(
    book: &Book<D>,
    filter: &Filter,
    drop: &[Part],
    moves: bool,
    work: Work<'_>,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let is_xiangqi = |(rules, _): &(Rules, _)| rules.game() == Game::Xiangqi;
    if filter.max_stones != usize::MAX && book.boards()?.iter().any(is_xiangqi) {
        return Err(Error::Gomoku);
    }
    let flag = |_: &[u8], stones, entry: &Entry| (stones <= filter.max_stones).then(|| filter.keeps(entry));
    let mut levels = Levels::read(book, work, flag)?;
    let kept = ancestors(&mut levels, &mut Frames::new(book.is_symmetric()), None)?;
    let leading = leading(&mut levels, &kept)?;
    write_kept(book, &kept, &leading, moves, drop, out, provenance)
}

/// Writes the positions of a set; of their moves that lead to none of them those that games played stay, unless
/// `moves`.
pub(crate) fn write_kept<D: AsRef<[u8]>>(
    book: &Book<D>,
    kept: &Bits,
    leading: &Bits,
    moves: bool,
    drop: &[Part],
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut next_move = 0;
    let each = |number, _: &[u8], entry: &mut Entry| {
        let first_move = next_move;
        next_move += entry.moves.len() as u64;
        if !kept.has(number) {
            return false;
        }
        let mut at = first_move..;
        entry.moves.retain(|each| {
            let leads = leading.has(at.next().expect("there is no last number"));
            leads || !moves && each.tally != Tally::default()
        });
        drop.iter().for_each(|part| part.clear(entry));
        true
    };
    rewrite(book, each, out, provenance)
}

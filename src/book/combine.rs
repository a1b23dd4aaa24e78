use crate::{Conflict, Frame};
use record::Entry;

/// Puts the lists of an entry into the order of books: moves of the same point added up, nothing twice.
pub fn in_order(entry: &mut Entry, frame: &Frame) {
    entry.moves.sort_by_key(|each| frame.place(each.play));
    entry.moves.dedup_by(|later, kept| {
        let same = later.play == kept.play;
        if same {
            kept.tally.add(later.tally);
        }
        same
    });
    entry.games.sort_unstable();
    entry.games.dedup();
    entry.comments.sort();
    entry.comments.dedup();
    entry.texts.sort();
    entry.texts.dedup();
}

/// Adds to an entry what another one says of the same position; whichever comes first, the result is the same.
///
/// Games add up; which value and which label stay says [`Conflict::BetterValueDepthBound`].
#[cfg(test)]
pub fn combine(entry: &mut Entry, other: Entry, frame: &Frame) {
    add_by(Conflict::default(), entry, other);
    in_order(entry, frame);
}

/// Adds to an entry what another one says of the same position, which comes later: games add up, and a rule says which
/// value and which label stay. The lists still have to be put in order.
pub(crate) fn add_by(rule: Conflict, entry: &mut Entry, mut other: Entry) {
    entry.tally.add(other.tally);
    entry.ratings.sum = entry.ratings.sum.saturating_add(other.ratings.sum);
    entry.ratings.count = entry.ratings.count.saturating_add(other.ratings.count);
    entry.last_year = entry.last_year.max(other.last_year);
    rule.settle(entry, &mut other);
    entry.moves.append(&mut other.moves);
    entry.games.append(&mut other.games);
    entry.comments.append(&mut other.comments);
    entry.texts.append(&mut other.texts);
}

/// Bytes of texts that a position keeps; a text of more than half of it goes first where they are more.
pub(crate) const TEXTS: usize = 1 << 25;

/// Leaves out of an entry that is in order what it has of texts beyond [`TEXTS`], and says how many texts that is.
///
/// The first ones stay, so that the same do in whatever order entries are put together.
pub(crate) fn cut_texts(entry: &mut Entry) -> u64 {
    let size = |text: &str, bytes: &[u8]| text.len() + bytes.len() + 16;
    let comments = entry.comments.iter().map(|comment| size(&comment.text, &comment.bytes));
    let texts = entry.texts.iter().map(|text| size(&text.text, &text.bytes));
    if comments.chain(texts).sum::<usize>() <= TEXTS {
        return 0;
    }
    let before = entry.comments.len() + entry.texts.len();
    let (mut left, mut is_full) = (TEXTS, false);
    let mut stays = |size: usize| {
        if size > TEXTS / 2 {
            return false;
        }
        is_full |= size > left;
        left -= if is_full { 0 } else { size };
        !is_full
    };
    entry.comments.retain(|comment| stays(size(&comment.text, &comment.bytes)));
    entry.texts.retain(|text| stays(size(&text.text, &text.bytes)));
    (before - entry.comments.len() - entry.texts.len()) as u64
}

/// How much is in the lists of an entry.
pub(crate) fn listed(entry: &Entry) -> usize {
    entry.moves.len() + entry.games.len() + entry.comments.len() + entry.texts.len()
}

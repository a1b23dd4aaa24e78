use crate::Frame;
use crate::row::place;
use record::{Entry, Judgement};

/// Puts the lists of an entry into the order of books: moves of the same point added up, nothing twice.
pub fn in_order(entry: &mut Entry, frame: &Frame) {
    entry.moves.sort_by_key(|each| place(each.play, frame));
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
/// Games add up. Of two judgements the deeper one stays, then the one with the better bound, more nodes, the greater
/// value; of two labels the one that stands later in [`record::Label`].
pub fn combine(entry: &mut Entry, other: Entry, frame: &Frame) {
    add(entry, other);
    in_order(entry, frame);
}

/// As [`combine`], but the lists still have to be put in order.
pub(crate) fn add(entry: &mut Entry, other: Entry) {
    entry.tally.add(other.tally);
    entry.ratings.sum = entry.ratings.sum.saturating_add(other.ratings.sum);
    entry.ratings.count = entry.ratings.count.saturating_add(other.ratings.count);
    entry.last_year = entry.last_year.max(other.last_year);
    entry.label = entry.label.max(other.label);
    if let Some(judgement) = other.judgement
        && entry.judgement.as_ref().is_none_or(|held| weight(held) < weight(&judgement))
    {
        entry.judgement = Some(judgement);
    }
    entry.moves.extend(other.moves);
    entry.games.extend(other.games);
    entry.comments.extend(other.comments);
    entry.texts.extend(other.texts);
}

/// How much is in the lists of an entry.
pub(crate) fn listed(entry: &Entry) -> usize {
    entry.moves.len() + entry.games.len() + entry.comments.len() + entry.texts.len()
}

fn weight(judgement: &Judgement) -> impl Ord + '_ {
    let Judgement { value, bound, depth, nodes, scale, source } = judgement;
    (*depth, *bound, *nodes, *value, *scale, source.as_str())
}

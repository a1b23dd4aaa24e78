use crate::frame::board;
use crate::played::{Row, games_of};
use crate::{Book, Error, Frame, Frames, Writer, Written};
use record::{Entry, Key, Label};
use std::collections::HashSet;
use std::io::Write;
use xxhash_rust::xxh3::xxh3_128;

/// What became of the positions of a book that was thinned.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Thinned {
    /// The book that is left.
    pub written: Written,
    /// Positions left out.
    pub left_out: u64,
    /// Positions of fewer games that stay because a kept one is reached through them alone.
    pub bridges: u64,
}

/// Writes the positions of a book that at least `min_games` games reached, and those with a value, a label, a comment
/// or a text, whatever games they have.
///
/// A position that games reach by several ways can have more of them than any position before it. So that none is cut
/// off from the beginning, one that no kept position leads to keeps the one before it from which most games came (of
/// equals that of the least key), and this one the same. What is kept keeps all its moves.
///
/// It takes some tens of bytes of memory for each position kept, each move from one, and each game that one refers to.
pub fn thin<D: AsRef<[u8]>>(
    book: &Book<D>,
    min_games: u64,
    out: impl Write,
    provenance: &str,
) -> Result<Thinned, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let mut kept: HashSet<u128> = HashSet::new();
    let mut reached: HashSet<u128> = HashSet::new();
    for each in book.entries() {
        let (key, entry) = each?;
        if is_kept(&entry, min_games) {
            kept.insert(xxh3_128(&key));
            let frame = frame(&mut frames, &key)?;
            mark_reached(&key, &entry, frame, &mut reached)?;
        }
    }
    let mut bridges = 0;
    for each in book.entries() {
        let (key, entry) = each?;
        if !is_kept(&entry, min_games) || reached.contains(&xxh3_128(&key)) {
            continue;
        }
        let frame = frame(&mut frames, &key)?;
        let mut at = key;
        while !reached.contains(&xxh3_128(&at))
            && let Some((before, entry)) = before(book, &at, frame)?
        {
            // What was kept is there already, and so is the way to it, now or when its turn comes.
            if !kept.insert(xxh3_128(&before)) {
                break;
            }
            mark_reached(&before, &entry, frame, &mut reached)?;
            bridges += 1;
            at = before;
        }
    }
    let mut writer = Writer::new(out, book.is_symmetric())?;
    writer.hold(book.holds());
    let mut left_out = 0;
    let mut named: HashSet<u64> = HashSet::new();
    for each in book.entries() {
        let (key, entry) = each?;
        if kept.contains(&xxh3_128(&key)) {
            named.extend(&entry.games);
            writer.push(key, entry)?;
        } else {
            left_out += 1;
        }
    }
    let games = games_of(std::slice::from_ref(book))?;
    let is_named = |game: &Row| game.as_ref().map_or(true, |(id, _)| named.contains(id));
    let games = games.map(|(refs, games)| (refs, games.filter(is_named)));
    Ok(Thinned { written: writer.finish_with(games, provenance)?, left_out, bridges })
}

fn is_kept(entry: &Entry, min_games: u64) -> bool {
    let Entry { judgement, label, tally, comments, texts, .. } = entry;
    let says_more = judgement.is_some() || *label != Label::None || !comments.is_empty() || !texts.is_empty();
    tally.games >= min_games || says_more
}

fn frame<'f>(frames: &'f mut Frames, key: &[u8]) -> Result<&'f Frame, Error> {
    let (_, size) = board(key).ok_or(Error::Order)?;
    Ok(frames.of(size))
}

fn mark_reached(key: &[u8], entry: &Entry, frame: &Frame, reached: &mut HashSet<u128>) -> Result<(), Error> {
    let from = frame.key(key).ok_or(Error::Order)?;
    for each in &entry.moves {
        let mut next = Key { to_move: from.to_move.other(), ..from.clone() };
        next.stones.extend(each.play.point().map(|point| (point, from.to_move)));
        reached.insert(xxh3_128(&frame.canonical(&next).key));
    }
    Ok(())
}

/// The position of the book from which most games came to this one.
fn before<D: AsRef<[u8]>>(book: &Book<D>, key: &[u8], frame: &Frame) -> Result<Option<(Vec<u8>, Entry)>, Error> {
    let after = frame.key(key).ok_or(Error::Order)?;
    let moved = after.to_move.other();
    let mut best: Option<(u64, Vec<u8>, Entry)> = None;
    let stones = after.stones.iter().enumerate().filter(|(_, (_, side))| *side == moved).map(|(at, _)| Some(at));
    // The last of them takes no stone back: a pass.
    for taken in stones.chain([None]) {
        let mut earlier = Key { to_move: moved, ..after.clone() };
        if let Some(at) = taken {
            earlier.stones.remove(at);
        }
        let form = frame.canonical(&earlier);
        let Some(entry) = book.get(&form.key, frame)? else { continue };
        let point = taken.map(|at| frame.place(&form, after.stones[at].0));
        let Some(played) = entry.moves.iter().find(|each| each.play.point() == point) else { continue };
        let games = played.tally.games;
        if best.as_ref().is_none_or(|(most, least, _)| (games, least) > (*most, &form.key)) {
            best = Some((games, form.key, entry));
        }
    }
    Ok(best.map(|(_, key, entry)| (key, entry)))
}

//! Values in books of xiangqi: each position by itself.
//!
//! Positions of xiangqi come again in a game, so that their values cannot be computed from one another as those of
//! gomoku are. Here [`Entry::rest`] is what a search of all moves found.

use crate::edit::renew;
use crate::study::{Absorbed, Found, Wanted};
use crate::{Book, Error, Frames, Written, board};
use games::Move;
use record::{Bound, Entry, Judgement, Key, Rest};
use std::collections::BTreeMap;
use std::io::Write;

/// The positions of xiangqi that are to be evaluated, in the order of their keys: those in which a game goes on. The
/// number of stones is not looked at.
pub fn unassessed<D: AsRef<[u8]>>(book: &Book<D>, wanted: &Wanted) -> Result<Vec<Key>, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let mut found = Vec::new();
    for each in book.entries() {
        let (key, entry) = each?;
        let lacks = entry.value().is_none_or(|value| value.depth < wanted.min_depth);
        let fits = entry.tally.games >= wanted.min_games && wanted.label.is_none_or(|label| entry.label == label);
        if !lacks || !fits {
            continue;
        }
        let ground = board(&key).ok_or(Error::Order)?;
        let position = frames.of_board(ground).key(&key).ok_or(Error::Order)?;
        if position.pieces().is_some_and(|board| board.has_moves() && board.faults().is_empty()) {
            found.push(position);
        }
    }
    Ok(found)
}

/// What answers say of positions of xiangqi that a book has, by their keys. Of several answers about a position, what
/// the book has among them, the deepest counts, in whatever order they come.
pub fn assessed<D: AsRef<[u8]>>(book: &Book<D>, found: &[Found]) -> Result<(BTreeMap<Vec<u8>, Rest>, Absorbed), Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let mut absorbed = Absorbed::default();
    let mut best: BTreeMap<Vec<u8>, Rest> = BTreeMap::new();
    for each in found {
        let Some(rest) = rest_of(each) else {
            absorbed.wrong += 1;
            continue;
        };
        let frame = frames.of_key(&each.position);
        let form = frame.canonical(&each.position);
        let rest = Rest { play: rest.play.map(|play| frame.stored(&form, play)), ..rest };
        let Some(entry) = book.get(&form.key, frame)? else {
            absorbed.strange += 1;
            continue;
        };
        let held = best.get(&form.key).or(entry.rest.as_ref());
        if held.is_some_and(|held| weight(held) >= weight(&rest)) {
            absorbed.known += 1;
            continue;
        }
        best.insert(form.key, rest);
    }
    absorbed.learned = best.len() as u64;
    Ok((best, absorbed))
}

/// Writes a book again with what is [`assessed`].
pub fn assess<D: AsRef<[u8]>>(
    book: &Book<D>,
    mut rests: BTreeMap<Vec<u8>, Rest>,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let each = |key: &[u8], entry: &mut Entry| {
        if let Some(rest) = rests.remove(key) {
            entry.rest = Some(rest);
        }
    };
    renew(book, BTreeMap::new(), each, out, provenance)
}

/// What an answer says; `None` if it cannot be right, or leaves out moves.
fn rest_of(found: &Found) -> Option<Rest> {
    let Found { position, except, finding, source } = found;
    let line = finding.lines.first().filter(|_| except.is_empty())?;
    let play = *line.moves.first()?;
    let Move::Step(step) = play else { return None };
    position.pieces()?.judge(step).ok()?;
    let judgement = line.value.map(|value| Judgement {
        value,
        bound: Bound::Exact,
        depth: finding.depth,
        nodes: finding.nodes,
        scale: finding.scale,
        source: source.clone(),
    });
    Some(Rest { play: Some(play), judgement, proven: false })
}

/// How much a rest says: the deeper says more; the rest of the order only makes it one.
fn weight(rest: &Rest) -> impl Ord + '_ {
    let judgement = rest.judgement.as_ref();
    (judgement.map(|by| (by.depth, by.nodes, by.value, &by.source)), rest.play)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, Builder};
    use games::xiangqi::{Board, Fen, FenOptions};
    use games::{Step, Symmetry};
    use record::{Finding, Line};

    fn step(name: &str) -> Move {
        Move::Step(Step::from_text(name).unwrap())
    }

    fn book(entries: &[(Key, Entry)]) -> Book<Vec<u8>> {
        let mut builder = Builder::new(BuildOptions::default());
        entries.iter().for_each(|(key, entry)| builder.add_entry(key, entry.clone()).unwrap());
        let mut bytes = Vec::new();
        builder.finish(&mut bytes, "").unwrap();
        Book::open(bytes).unwrap()
    }

    fn found(position: &Key, play: &str, value: i32, depth: i16) -> Found {
        let line = Line { moves: vec![step(play)], value: Some(value), grounds: None };
        let finding = Finding { lines: vec![line], depth, scale: 200, ..Finding::default() };
        Found { position: position.clone(), except: Vec::new(), finding, source: "it".into() }
    }

    fn learned(book: &Book<Vec<u8>>, found: &[Found]) -> (Book<Vec<u8>>, Absorbed) {
        let mut bytes = Vec::new();
        let (rests, absorbed) = assessed(book, found).unwrap();
        assess(book, rests, &mut bytes, "").unwrap();
        (Book::open(bytes).unwrap(), absorbed)
    }

    #[test]
    fn what_is_found_is_known_and_not_asked_again() {
        let start = Key::from(Board::start());
        let after = start.after(step("h2e2")).unwrap();
        let mated: Key = Fen::read("R3k4/R8/9/9/9/9/9/9/9/3K5 b", FenOptions::default()).unwrap().0.board.into();
        let all = [start.clone(), after.clone(), mated].map(|key| (key, Entry::default()));
        let book = book(&all);
        let asked = unassessed(&book, &Wanted::default()).unwrap();
        assert_eq!(asked.len(), 2);
        assert!(asked.contains(&start));
        let mirrored = after.turned(Symmetry::Mirror);
        let elsewhere = start.after(step("c3c4")).unwrap();
        let mut answers = vec![
            found(&start, "h2e2", 30, 9),
            found(&start, "b0c2", 20, 7),
            found(&mirrored, "b9c7", -25, 9),
            found(&mirrored, "b9c6", -25, 9),
            found(&elsewhere, "b9c7", 1, 9),
            Found { except: vec![step("h2e2")], ..found(&start, "b0c2", 20, 30) },
        ];
        let (first, absorbed) = learned(&book, &answers);
        assert_eq!((absorbed.learned, absorbed.known, absorbed.strange, absorbed.wrong), (2, 1, 1, 2));
        answers.reverse();
        let (second, other) = learned(&book, &answers);
        assert_eq!(first.content_hash(), second.content_hash());
        assert_eq!(other.learned, 2);
        let mut frames = Frames::new(true);
        let asked = |key: &Key, frames: &mut Frames| first.finding(key, &[], 1, frames).unwrap().unwrap();
        let line = |found: Finding| (found.lines[0].moves[0].text(games::Size::XIANGQI), found.lines[0].value);
        assert!(["h2e2", "b2e2"].contains(&line(asked(&start, &mut frames)).0.as_str()));
        assert_eq!(line(asked(&mirrored, &mut frames)), ("b9c7".to_owned(), Some(-25)));
        assert_eq!(line(asked(&after, &mut frames)), ("h9g7".to_owned(), Some(-25)));
        assert!(unassessed(&first, &Wanted::default()).unwrap().is_empty());
        assert_eq!(unassessed(&first, &Wanted { min_depth: 10, ..Wanted::default() }).unwrap().len(), 2);
        // What says less stays out, and what says more takes the place.
        assert_eq!(learned(&first, &[found(&start, "b0c2", 99, 8)]).1.known, 1);
        let (third, _) = learned(&first, &[found(&start, "b0c2", 99, 12)]);
        assert_eq!(third.finding(&start, &[], 1, &mut frames).unwrap().unwrap().lines[0].value, Some(99));
    }
}

//! What merging, comparing, pruning and cutting branches come to, by plain maps and by the letter of their
//! descriptions; and random books to hold them against.

use crate::samples::Random;
use crate::{Book, Frame, Frames, Writer, combine, in_order};
use games::gomoku::symmetries;
use games::{Game, Move, Rule, Side, Size, Symmetry};
use record::{Bound, Continuation, Entry, Judgement, Label, StoneKey, Tally};
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub type Positions = BTreeMap<Vec<u8>, Entry>;

/// A book of random games on small boards, with passes, values, labels, comments; some of the positions have lost
/// their moves, and some are missing.
pub fn random_games(random: &mut Random, games: usize, symmetric: bool) -> Positions {
    let mut frames = Frames::new(symmetric);
    let mut positions = Positions::new();
    let sizes = [Size::square(3), Size::square(4), Size::new(4, 3)].map(Option::unwrap);
    for _ in 0..games {
        let size = sizes[random.below(3) as usize];
        let frame = frames.of(Game::Gomoku, size);
        let rule = [Rule::Renju, Rule::Freestyle][random.below(2) as usize];
        let mut here = StoneKey { rule, size, to_move: Side::First, stones: Vec::new() };
        let tally = Tally { games: random.below(2), ..Tally::default() };
        for _ in 0..random.below(9) {
            let play = if random.below(9) == 0 { Move::Pass } else { Move::Place(random.point(size)) };
            let form = frame.canonical_stones(&here);
            let placed = play.point().map_or(Move::Pass, |point| Move::Place(frame.stored_point(&form, point)));
            let at = frame.stone_key(&form.key).unwrap();
            let Some(next) = after(frame, &at, placed) else { continue };
            let mut entry = Entry { tally, moves: vec![Continuation { play: placed, tally }], ..Entry::default() };
            match random.below(12) {
                0 => entry.judgement = Some(judgement(random)),
                1 => entry.label = [Label::Win, Label::Loss, Label::User(b'a')][random.below(3) as usize],
                2 => entry.comments = random.entry(frame).comments,
                _ => {}
            }
            in_order(&mut entry, frame);
            combine(positions.entry(form.key).or_default(), entry, frame);
            here = frame.stone_key(&next).unwrap();
        }
        let last = Entry { tally, ..Entry::default() };
        combine(positions.entry(frame.canonical_stones(&here).key).or_default(), last, frame);
    }
    let without_moves = [0, 3, 1][random.below(3) as usize];
    positions.retain(|_, entry| {
        if without_moves > 0 && random.below(without_moves) == 0 {
            entry.moves.clear();
        }
        random.below(12) > 0
    });
    positions
}

pub fn judgement(random: &mut Random) -> Judgement {
    Judgement {
        value: [random.below(400) as i32 - 200, 29_990, -29_990, 29_900][random.below(4) as usize],
        bound: Bound::ALL[random.below(4) as usize],
        depth: random.below(5) as i16,
        nodes: None,
        scale: Judgement::SCALE,
        source: String::new(),
    }
}

pub fn write(positions: &Positions, symmetric: bool) -> Book<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, symmetric).unwrap();
    for (key, entry) in positions {
        writer.push(key.clone(), entry.clone()).unwrap();
    }
    writer.finish("").unwrap();
    Book::open(bytes).unwrap()
}

pub fn read(bytes: Vec<u8>) -> Positions {
    let book = Book::open(bytes).unwrap();
    book.verify().unwrap();
    book.entries().collect::<Result<_, _>>().unwrap()
}

/// The key of the position after a move.
pub fn after(frame: &Frame, position: &StoneKey, play: Move) -> Option<Vec<u8>> {
    position.after(play).map(|next| frame.canonical_stones(&next).key)
}

pub fn keys(positions: &Positions, symmetric: bool) -> BTreeMap<Vec<u8>, StoneKey> {
    let mut frames = Frames::new(symmetric);
    let key = |bytes: &Vec<u8>| frames.of_board(crate::board(bytes).unwrap()).stone_key(bytes).unwrap();
    positions.keys().cloned().zip(positions.keys().map(key).collect::<Vec<_>>()).collect()
}

/// All pairs of a position and one that it leads to.
pub fn links(positions: &Positions, symmetric: bool) -> HashSet<(Vec<u8>, Vec<u8>)> {
    let mut frames = Frames::new(symmetric);
    let keys = keys(positions, symmetric);
    let mut links = HashSet::new();
    for (from, entry) in positions {
        let at = &keys[from];
        let nexts = entry.moves.iter().filter_map(|each| after(frames.of_stones(at), at, each.play));
        links.extend(nexts.map(|next| (from.clone(), next)));
    }
    let led_to: HashSet<Vec<u8>> = links.iter().map(|(_, next)| next.clone()).collect();
    for (from, at) in &keys {
        for (to, next) in keys.iter().filter(|(to, _)| !led_to.contains(*to)) {
            if contains(next, at, symmetric) && next.stones.len() == at.stones.len() + 1 && next.to_move != at.to_move {
                let firsts = |key: &StoneKey| key.stones.iter().filter(|(_, side)| *side == Side::First).count();
                let placed = if firsts(next) > firsts(at) { Side::First } else { Side::Second };
                if placed == at.to_move {
                    links.insert((from.clone(), to.clone()));
                }
            }
        }
    }
    links
}

/// Whether the stones of a position, in some orientation, are among those of another one.
pub fn contains(large: &StoneKey, small: &StoneKey, symmetric: bool) -> bool {
    let turns = if symmetric { symmetries(small.size) } else { &[Symmetry::Identity] };
    let same_board = (large.rule, large.size) == (small.rule, small.size);
    same_board && turns.iter().any(|turn| small.turned(*turn).stones.iter().all(|stone| large.stones.contains(stone)))
}

/// Some positions and all from which they can be reached.
pub fn ancestors(positions: &Positions, symmetric: bool, of: impl IntoIterator<Item = Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let links = links(positions, symmetric);
    let mut found: BTreeSet<Vec<u8>> = of.into_iter().collect();
    loop {
        let more: Vec<_> = links.iter().filter(|(_, to)| found.contains(to)).map(|(from, _)| from.clone()).collect();
        let before = found.len();
        found.extend(more);
        if found.len() == before {
            return found;
        }
    }
}

/// A position and what is below it, as if it were in the book.
pub fn below(positions: &Positions, symmetric: bool, root: &StoneKey) -> BTreeSet<Vec<u8>> {
    let mut frames = Frames::new(symmetric);
    let key = frames.of_stones(root).canonical_stones(root).key;
    let mut positions = positions.clone();
    positions.entry(key.clone()).or_default();
    let links = links(&positions, symmetric);
    let led_to: HashSet<&Vec<u8>> = links.iter().map(|(_, to)| to).collect();
    let is_root = |(to, next): &(Vec<u8>, StoneKey)| {
        !led_to.contains(to) && next.stones.len() > root.stones.len() && contains(next, root, symmetric)
    };
    let mut found: BTreeSet<Vec<u8>> =
        keys(&positions, symmetric).into_iter().filter(is_root).map(|(to, _)| to).chain([key]).collect();
    loop {
        let more: Vec<_> = links.iter().filter(|(from, _)| found.contains(from)).map(|(_, to)| to.clone()).collect();
        let before = found.len();
        found.extend(more.into_iter().filter(|to| positions.contains_key(to)));
        if found.len() == before {
            return found;
        }
    }
}

/// The positions of a set; of their moves to others those without games are gone, or all.
pub fn kept(positions: &Positions, symmetric: bool, set: &BTreeSet<Vec<u8>>, drop_moves: bool) -> Positions {
    let mut frames = Frames::new(symmetric);
    let keys = keys(positions, symmetric);
    let mut kept: Positions = positions.clone();
    kept.retain(|key, _| set.contains(key));
    let stays: HashSet<Vec<u8>> = kept.keys().cloned().collect();
    for (key, entry) in &mut kept {
        let (at, frame) = (&keys[key], frames.of_stones(&keys[key]));
        entry.moves.retain(|each| {
            let leads = after(frame, at, each.play).is_some_and(|next| stays.contains(&next));
            leads || !drop_moves && each.tally != Tally::default()
        });
    }
    kept
}

mod tests {
    static GO_ON: AtomicBool = AtomicBool::new(false);

    use super::*;
    use crate::merge::{Conflicts, merge_by};
    use crate::{Bits, Change, Conflict, Error, Filter, Kind, Part, Work, diff, prune, replace};
    use std::env::temp_dir;
    use std::sync::atomic::AtomicBool;

    /// What a map makes of books that are merged one after the other.
    fn slow_merge(books: &[Positions], rule: Conflict, symmetric: bool) -> (Positions, Conflicts) {
        let mut frames = Frames::new(symmetric);
        let mut merged: BTreeMap<Vec<u8>, Vec<Entry>> = BTreeMap::new();
        for (key, entry) in books.iter().flatten() {
            merged.entry(key.clone()).or_default().push(entry.clone());
        }
        let mut conflicts = Conflicts::default();
        let settle = |(key, entries): (Vec<u8>, Vec<Entry>)| {
            let all = entries.clone();
            let ground = crate::board(&key).unwrap();
            let mut entries = entries.into_iter();
            let mut sum = entries.next().unwrap();
            for entry in entries {
                crate::combine::add_by(rule, &mut sum, entry);
            }
            in_order(&mut sum, frames.of_board(ground));
            let lost = |has: fn(&Entry) -> Option<String>| {
                u64::from(all.iter().any(|entry| has(entry).is_some() && has(entry) != has(&sum)))
            };
            conflicts.values += lost(|entry| entry.judgement.as_ref().map(|held| format!("{held:?}")));
            conflicts.labels += lost(|entry| entry.label.name());
            (key, sum)
        };
        (merged.into_iter().map(settle).collect(), conflicts)
    }

    #[test]
    fn merged_books_equal_a_map_of_all_in_any_order_where_the_rule_promises_it() {
        let mut random = Random(11);
        for round in 0..3 {
            let symmetric = round % 3 > 0;
            let mut parts: Vec<Positions> = (0..4).map(|_| random_games(&mut random, 60, symmetric)).collect();
            // Entries with everything, so that all of it meets.
            for part in &mut parts {
                for (key, entry) in part.iter_mut() {
                    let ground = crate::board(key).unwrap();
                    let mut frames = Frames::new(symmetric);
                    let mut more = random.entry_of(key, frames.of_board(ground));
                    more.judgement = (random.below(2) == 0).then(|| judgement(&mut random));
                    combine(entry, more, frames.of_board(ground));
                }
            }
            let merged = |parts: &[Positions], rule| {
                let books: Vec<_> = parts.iter().map(|part| write(part, symmetric)).collect();
                let mut bytes = Vec::new();
                let (_, conflicts) = merge_by(&books, rule, &mut bytes, "").unwrap();
                (read(bytes), conflicts)
            };
            for rule in Conflict::ALL {
                let whole = merged(&parts, rule);
                assert!(whole == slow_merge(&parts, rule, symmetric), "{}", rule.name());
                assert!(whole.1.values > 0 && whole.1.labels > 0);
                // Two and two, as well as one after the other.
                let halves = [merged(&parts[..2], rule).0, merged(&parts[2..], rule).0];
                assert!(merged(&halves, rule).0 == whole.0, "{}", rule.name());
                for order in orders(4) {
                    let turned: Vec<_> = order.iter().map(|at| parts[*at].clone()).collect();
                    assert!(merged(&turned, rule) == whole || !rule.is_symmetric(), "{}", rule.name());
                }
                let turned: Vec<_> = parts.iter().rev().cloned().collect();
                assert_eq!(merged(&turned, rule).0 == whole.0, rule.is_symmetric(), "{}", rule.name());
            }
            let (newer, _) = merged(&parts, Conflict::Newer);
            let back: Vec<_> = parts.iter().rev().cloned().collect();
            assert!(merged(&back, Conflict::First).0 == newer);
        }
    }

    fn orders(length: usize) -> Vec<Vec<usize>> {
        if length == 0 {
            return vec![Vec::new()];
        }
        let with = |order: Vec<usize>| {
            (0..length).map(move |at| {
                let mut order = order.clone();
                order.insert(at, length - 1);
                order
            })
        };
        orders(length - 1).into_iter().flat_map(with).collect()
    }

    #[test]
    fn differences_of_books_are_those_of_maps() {
        let mut random = Random(12);
        for round in 0..30 {
            let symmetric = round % 3 > 0;
            let first = random_games(&mut random, 1 + 8 * round, symmetric);
            let mut second = random_games(&mut random, 8 * round, symmetric);
            second.extend(first.iter().step_by(3).map(|(key, entry)| (key.clone(), entry.clone())));
            let (one, other) = (write(&first, symmetric), write(&second, symmetric));
            let mut compared = diff(&one, &other).unwrap();
            let changes: Vec<Change> = compared.by_ref().collect::<Result<_, _>>().unwrap();
            let all: BTreeSet<&Vec<u8>> = first.keys().chain(second.keys()).collect();
            let wanted = all.iter().map(|key| {
                let (before, after) = (first.get(*key).cloned(), second.get(*key).cloned());
                Change { key: key.to_vec(), before, after }
            });
            let wanted: Vec<_> = wanted.filter(|change| change.before != change.after).collect();
            assert_eq!(changes, wanted);
            let of = |kind| changes.iter().filter(|change| change.kind() == kind).count();
            assert_eq!(of(Kind::Gone) + of(Kind::Changed) + compared.same() as usize, first.len());
            assert_eq!(all.len() - of(Kind::New), first.len());
            assert_eq!(changes.is_empty(), one.content_hash() == other.content_hash());
            // What a difference tells makes the second book of the first.
            let edits = changes.into_iter().map(|change| (change.key, change.after)).collect();
            let mut bytes = Vec::new();
            let written = replace(&one, edits, &mut bytes, "").unwrap();
            assert_eq!(written.content, other.content_hash());
            assert_eq!(read(bytes), second);
        }
        let empty = Positions::new();
        assert!(matches!(diff(&write(&empty, true), &write(&empty, false)), Err(Error::Symmetry)));
    }

    #[test]
    fn a_pruned_book_has_what_the_filter_keeps_and_all_that_leads_there() {
        let work = Work { folder: &temp_dir(), stop: &GO_ON };
        let mut random = Random(13);
        let mut for_others = 0;
        for round in 0..200 {
            let symmetric = round % 3 > 0;
            let positions = random_games(&mut random, 40, symmetric);
            let book = write(&positions, symmetric);
            let filter = Filter {
                max_stones: [3, 5, usize::MAX][random.below(3) as usize],
                min_games: random.below(4),
                min_depth: (random.below(3) == 0).then_some(2),
                value: (random.below(3) == 0).then_some(-100..=100),
                keep: [&[][..], &[Part::Label, Part::Comments]][random.below(2) as usize].to_vec(),
            };
            let drop_moves = random.below(2) == 0;
            let drop = [&[][..], &[Part::Games, Part::Texts]][random.below(2) as usize];
            let mut bytes = Vec::new();
            prune(&book, &filter, drop, drop_moves, work, &mut bytes, "").unwrap();

            let keys = keys(&positions, symmetric);
            let low: Positions = positions
                .iter()
                .filter(|(key, _)| keys[*key].stones.len() <= filter.max_stones)
                .map(|(key, entry)| (key.clone(), entry.clone()))
                .collect();
            let own: Vec<_> = low.iter().filter(|(_, entry)| filter.keeps(entry)).map(|(key, _)| key.clone()).collect();
            let own_count = own.len();
            let set = ancestors(&low, symmetric, own);
            for_others += set.len() - own_count;
            let mut wanted = kept(&positions, symmetric, &set, drop_moves);
            wanted.values_mut().for_each(|entry| drop.iter().for_each(|part| part.clear(entry)));
            assert_eq!(read(bytes), wanted, "round {round}");
        }
        assert!(for_others > 100);
    }

    #[test]
    fn branches_are_those_of_a_plain_search() {
        let work = Work { folder: &temp_dir(), stop: &GO_ON };
        let mut random = Random(14);
        let (mut absent, mut roots) = (0, 0);
        for round in 0..250 {
            let symmetric = round % 3 > 0;
            let positions = random_games(&mut random, 40, symmetric);
            let book = write(&positions, symmetric);
            let keys = keys(&positions, symmetric);
            // Any position, some of them in the book, in any orientation.
            let size = [Size::square(3), Size::square(4), Size::new(4, 3)][random.below(3) as usize].unwrap();
            let mut root = StoneKey { rule: Rule::Renju, size, to_move: Side::First, stones: Vec::new() };
            for _ in 0..random.below(5) {
                let point = random.point(size);
                if root.stones.iter().all(|(taken, _)| *taken != point) {
                    root.stones.push((point, root.to_move));
                    root.to_move = root.to_move.other();
                }
            }
            root.stones.sort_unstable_by_key(|(point, _)| *point);
            if let Some((_, key)) = keys.iter().nth(random.below(2 * keys.len() as u64) as usize) {
                root = key.turned(symmetries(key.size)[random.below(4) as usize]);
            }
            let mut frames = Frames::new(symmetric);
            let own = frames.of_stones(&root).canonical_stones(&root).key;
            absent += usize::from(!positions.contains_key(&own));
            let wanted = below(&positions, symmetric, &root);
            let links = links(&positions, symmetric);
            roots += wanted.iter().filter(|key| **key != own && links.iter().all(|(_, to)| to != *key)).count();

            let found: Bits = crate::below(&book, &root.clone().into(), work).unwrap();
            let found: BTreeSet<_> =
                (0..).zip(positions.keys()).filter(|(number, _)| found.has(*number)).map(|(_, key)| key).collect();
            assert!(found.into_iter().eq(wanted.iter().filter(|key| positions.contains_key(*key))), "round {round}");

            let mut with_root = positions.clone();
            with_root.entry(own.clone()).or_default();
            let mut path = ancestors(&with_root, symmetric, [own.clone()]);
            path.extend(wanted.clone());
            let mut bytes = Vec::new();
            match crate::extract(&book, &root.clone().into(), work, &mut bytes, "") {
                Err(Error::Nothing) => assert!(wanted.iter().all(|key| !positions.contains_key(key)), "round {round}"),
                written => {
                    written.unwrap();
                    assert!(wanted.iter().any(|key| positions.contains_key(key)), "round {round}");
                    assert_eq!(read(bytes), kept(&positions, symmetric, &path, false), "round {round}");
                }
            }

            let meant = |entry: &Entry| entry.label == Label::None;
            let mut stay: BTreeSet<Vec<u8>> = positions.keys().cloned().collect();
            stay.retain(|key| !wanted.contains(key) || !meant(&positions[key]));
            let mut bytes = Vec::new();
            crate::delete_below(&book, &root.clone().into(), meant, work, &mut bytes, "").unwrap();
            assert_eq!(read(bytes), kept(&positions, symmetric, &stay, false), "round {round}");
        }
        assert!(absent > 50 && roots > 50, "{absent} {roots}");
    }

    #[test]
    fn a_deleted_position_takes_the_moves_without_games_along_that_led_to_it() {
        let mut random = Random(15);
        let mut changed = 0;
        for round in 0..60 {
            let symmetric = round % 3 > 0;
            let positions = random_games(&mut random, 40, symmetric);
            let book = write(&positions, symmetric);
            let keys = keys(&positions, symmetric);
            for (key, place) in keys.iter().step_by(7) {
                let mut frames = Frames::new(symmetric);
                let mut wanted = positions.clone();
                wanted.remove(key);
                for (other, entry) in &mut wanted {
                    let (at, moves) = (&keys[other], entry.moves.len());
                    let frame = frames.of_stones(at);
                    let leads = |play| after(frame, at, play).as_ref() == Some(key);
                    entry.moves.retain(|each| each.tally != Tally::default() || !leads(each.play));
                    changed += moves - entry.moves.len();
                }
                let mut bytes = Vec::new();
                crate::delete(&book, &place.clone().into(), &mut bytes, "").unwrap();
                assert_eq!(read(bytes), wanted, "round {round}");
            }
        }
        assert!(changed > 20);
    }
}

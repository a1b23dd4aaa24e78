use super::write::{Row, tell_mistaken};
use super::zobrist::{Images, step, word};
use super::{FORMAT, Item, MANY, RECORD};
use crate::samples::{damage, lenient, read_entries, shared, strict, testdata};
use crate::{Likeness, Losses, ReadOptions, Severity, WriteOptions};
use games::xiangqi::Board;
use games::{Move, Size, Step, Symmetry};
use proptest::prelude::*;
use record::{Continuation, Entry, Judgement, Key, Label, Tally};
use std::collections::{BTreeMap, HashSet};

type Entries = Vec<(Key, Entry)>;

fn read(bytes: &[u8]) -> (Entries, crate::Faults) {
    read_entries(&FORMAT, bytes, &ReadOptions::default()).unwrap()
}

fn write(entries: &[(Key, Entry)]) -> (Vec<u8>, Losses) {
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let mut writer = FORMAT.start(&mut bytes, &WriteOptions::default());
    entries.iter().for_each(|(key, entry)| writer.entry(key, entry, &mut losses).unwrap());
    writer.finish(&mut losses).unwrap();
    drop(writer);
    (bytes, losses)
}

fn move_of(text: &str) -> Step {
    Step::from_text(text).unwrap()
}

fn after(moves: &str) -> Board {
    let mut board = Board::start();
    for text in moves.split_whitespace() {
        board.play(move_of(text)).unwrap();
    }
    board
}

fn games(games: u64) -> Tally {
    Tally { games, ..Tally::default() }
}

fn played(text: &str, tally: Tally) -> Continuation {
    Continuation { play: Move::Step(move_of(text)), tally }
}

fn entry(moves: Vec<Continuation>) -> Entry {
    Entry { moves, ..Entry::default() }
}

/// What ElephantEye finds: the records of the key that a binary search meets, else those of the mirror image.
fn look_up(bytes: &[u8], board: &Board) -> Weights {
    let items: Vec<Item> = bytes.as_chunks::<RECORD>().0.iter().map(Item::read).collect();
    for (board, symmetry) in [(board.clone(), Symmetry::Identity), (board.mirror(), Symmetry::Mirror)] {
        let key = Images::of(&board).own.key();
        let Ok(mut at) = items.binary_search_by_key(&key, |item| item.key) else { continue };
        while at > 0 && items[at - 1].key == key {
            at -= 1;
        }
        let found = items[at..].iter().take_while(|item| item.key == key);
        let found = found.filter_map(|item| Some((step(item.word)?, item.weight)));
        let found = found.filter(|(step, _)| board.is_legal(*step));
        let turned = |step| match symmetry.apply_to_move(Move::Step(step), Size::XIANGQI) {
            Move::Step(step) => step.to_string(),
            _ => unreachable!(),
        };
        return found.map(|(step, weight)| (turned(step), weight)).collect();
    }
    Weights::new()
}

type Weights = BTreeMap<String, u16>;

fn listed(moves: &[(&str, u16)]) -> Weights {
    moves.iter().map(|(text, weight)| ((*text).to_owned(), *weight)).collect()
}

fn weights(entry: &Entry) -> Weights {
    entry.moves.iter().map(|each| (text(each.play), each.tally.games.try_into().unwrap())).collect()
}

#[test]
fn lines_of_another_program_read_and_write_back() {
    let bytes = std::fs::read(testdata("eleeye-book/openings.dat")).unwrap();
    let (entries, faults) = read_entries(&FORMAT, &bytes, &strict()).unwrap();
    assert!(faults.is_empty());
    let start = &entries[0];
    assert_eq!(start.0.pieces(), Some(&Board::start()));
    let moves: BTreeMap<String, u64> = start.1.moves.iter().map(|each| (text(each.play), each.tally.games)).collect();
    let moves: Vec<_> = moves.iter().map(|(text, games)| (text.as_str(), *games)).collect();
    let pairs = [("b2e2", 27), ("c0e2", 3), ("c3c4", 6), ("e3e4", 1), ("g0e2", 3), ("g3g4", 6), ("h2e2", 27)];
    assert_eq!(moves, pairs);
    let (again, losses) = write(&entries);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(again, bytes);
    assert_eq!(look_up(&bytes, &after("h2e2 b9c7 h0g2 h9g7 i0h0 i9h9")), listed(&[("h0h6", 12), ("g3g4", 7)]));
    assert_eq!(look_up(&bytes, &after("b2e2 h9g7 b0c2 b9c7 a0b0 a9b9")), listed(&[("c3c4", 7), ("b0b6", 12)]));
}

fn text(play: Move) -> String {
    match play {
        Move::Step(step) => step.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_book_of_elephanteye_is_read_as_the_engine_reads_it() {
    let Some(path) = shared("data/xiangqi/book/BOOK.DAT") else { return };
    let bytes = std::fs::read(path).unwrap();
    assert_eq!((FORMAT.likeness)(&bytes[..crate::HEAD]), Likeness::Magic);
    let items: Vec<Item> = bytes.as_chunks::<RECORD>().0.iter().map(Item::read).collect();
    let keys: HashSet<u32> = items.iter().map(|item| item.key).collect();
    assert_eq!((items.len(), keys.len()), (12_081, 10_841));
    let (entries, faults) = read(&bytes);
    let first = &entries[0].1.moves;
    let weight = |text: &str| first.iter().find(|each| each.play == Move::Step(move_of(text))).unwrap().tally.games;
    assert_eq!(first.len(), 16);
    assert_eq!(["b2e2", "h2e2", "c3c4", "g3g4"].map(weight), [1473, 1473, 546, 546]);
    let read: usize = entries.iter().map(|(_, entry)| entry.moves.len()).sum();
    assert_eq!((entries.len(), read), (8805, 10_038));
    assert_eq!(
        faults.counts(),
        [
            ("aside", Severity::Remark, 5606),
            ("unreached", Severity::Damage, 2042),
            ("illegal-move", Severity::Damage, 1)
        ]
    );
    for (key, entry) in &entries {
        assert_eq!(look_up(&bytes, key.pieces().unwrap()), weights(entry));
    }
    let (again, losses) = write(&entries);
    assert!(losses.is_empty(), "{losses:?}");
    let written: HashSet<&[u8]> = again.chunks(RECORD).collect();
    let kept: Vec<u8> = bytes.chunks(RECORD).filter(|record| written.contains(record)).flatten().copied().collect();
    assert_eq!((kept.len(), &kept), (read * RECORD, &again));
    assert!(read_entries(&FORMAT, &bytes, &strict()).unwrap_err().to_string().contains("that was reached"));
}

/// A book of random games from the start, each position on either side of the mirror.
fn books() -> impl Strategy<Value = Entries> {
    let game = prop::collection::vec((any::<prop::sample::Index>(), 1..400_u64), 0..12);
    (prop::collection::vec(game, 1..6), any::<u64>()).prop_map(|(lines, seed)| {
        let mut boards: Vec<(Board, Vec<(Step, u64)>)> = Vec::new();
        for line in lines {
            let mut board = Board::start();
            for (at, weight) in line {
                let moves: Vec<Step> = board.moves().collect();
                let Some(step) = moves.get(at.index(moves.len().max(1))).copied() else { break };
                let mirrored = board.mirror();
                let known = boards.iter().position(|(known, _)| *known == board || *known == mirrored);
                let place = known.unwrap_or_else(|| {
                    boards.push((board.clone(), Vec::new()));
                    boards.len() - 1
                });
                let own = if boards[place].0 == board { step } else { mirror(step) };
                if boards[place].1.iter().all(|(step, _)| *step != own) {
                    boards[place].1.push((own, weight));
                }
                if board == mirrored
                    && own != mirror(own)
                    && boards[place].1.iter().all(|(step, _)| *step != mirror(own))
                {
                    boards[place].1.push((mirror(own), weight));
                }
                board.play_unchecked(step);
            }
        }
        let turned = |(at, (board, moves)): (usize, (Board, Vec<(Step, u64)>))| {
            let is_turned = seed >> (at % 64) & 1 == 1 && board != board.mirror();
            let play = |step| Move::Step(if is_turned { mirror(step) } else { step });
            let moves = moves.into_iter().map(|(step, weight)| Continuation { play: play(step), tally: games(weight) });
            (Key::from(if is_turned { board.mirror() } else { board }), entry(moves.collect()))
        };
        boards.into_iter().enumerate().map(turned).collect()
    })
}

fn mirror(step: Step) -> Step {
    match Symmetry::Mirror.apply_to_move(Move::Step(step), Size::XIANGQI) {
        Move::Step(step) => step,
        _ => unreachable!(),
    }
}

/// The positions with the lesser of both images, and the moves by their names.
fn sorted(entries: &[(Key, Entry)]) -> BTreeMap<String, BTreeMap<String, u64>> {
    let one = |(key, entry): &(Key, Entry)| {
        let texts = [key.clone(), key.turned(Symmetry::Mirror)].map(|key| crate::position_text(&key));
        let is_turned = texts[1] < texts[0];
        let name = |play| text(if is_turned { Symmetry::Mirror.apply_to_move(play, Size::XIANGQI) } else { play });
        let moves = entry.moves.iter().map(|each| (name(each.play), each.tally.games)).collect();
        (texts.into_iter().min().unwrap(), moves)
    };
    entries.iter().map(one).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_found_and_reads_back(entries in books()) {
        let (bytes, losses) = write(&entries);
        prop_assert!(losses.is_empty(), "{:?}", losses);
        for (key, entry) in &entries {
            let board = key.pieces().unwrap();
            prop_assert_eq!(look_up(&bytes, board), weights(entry));
            let turned = look_up(&bytes, &board.mirror()).into_iter();
            let turned = turned.map(|(text, weight)| (mirror(move_of(&text)).to_string(), weight));
            prop_assert_eq!(turned.collect::<Weights>(), weights(entry));
        }
        if !entries.is_empty() {
            let (again, faults) = read_entries(&FORMAT, &bytes, &strict()).unwrap();
            prop_assert!(faults.is_empty());
            prop_assert_eq!(sorted(&again), sorted(&entries));
            prop_assert_eq!(write(&again).0, bytes);
        }
    }
}

/// The bytes of records of the moves of a position.
fn records(board: &Board, moves: &[(&str, u16)]) -> Vec<u8> {
    let key = Images::of(board).own.key();
    moves.iter().flat_map(|(text, weight)| Item { key, word: word(move_of(text)), weight: *weight }.write()).collect()
}

#[test]
fn what_cannot_be_read_is_told_where_it_stands() {
    let start = Board::start();
    let whole = records(&start, &[("h2e2", 3)]);
    let told = |bytes: &[u8], kind: &str, message: &str| {
        let (entries, faults) = read(bytes);
        assert_eq!(faults.count(kind), 1, "{faults:?}");
        let fault = faults.list().iter().find(|fault| fault.kind == kind).unwrap().to_string();
        assert_eq!(fault, message);
        entries
    };
    let far = [&whole[..], &records(&after("g3g4 g6g5 g4g5 c9e7"), &[("g5g6", 1)])].concat();
    told(&far, "unreached", "the key eeb96854 is of no position that was reached from the start at byte 0x8: left out");
    let illegal = records(&start, &[("h2e2", 3), ("a0a5", 3)]);
    let message = "the move a0a5 is not legal in the position of its key at byte 0x8: left out";
    assert_eq!(told(&illegal, "illegal-move", message)[0].1.moves.len(), 1);
    let off = [&whole[..], &Item { key: 0, word: 0x0033, weight: 1 }.write()].concat();
    told(&off, "unsorted", "a key is less than the one before at byte 0x8: ElephantEye may not find it");
    told(&off, "bad-move", "the move 0033 is not on the board at byte 0x8: left out");
    let twice = records(&start, &[("h2e2", 3), ("h2e2", 4)]);
    let message = "the move h2e2 stands there twice at byte 0x8: weights added up";
    assert_eq!(told(&twice, "move-twice", message)[0].1.moves, [played("h2e2", games(7))]);
    let idle = records(&start, &[("h2e2", 0)]);
    let message = "the move h2e2 has no weight at byte 0x0: it is never played";
    assert_eq!(told(&idle, "no-weight", message)[0].1.moves, [played("h2e2", games(0))]);
    for (bytes, message) in [
        (&whole[..7], "eleeye-book: the file ends after 7 bytes of a record of 8 at byte 0x0"),
        (
            &[&whole[..], b"x"].concat(),
            "eleeye-book: the file ends after 1 bytes of a record of 8 at byte 0x8: --lenient keeps what stands before it",
        ),
        (&off[8..], "eleeye-book: none of its positions comes from the start of a game"),
    ] {
        assert_eq!(read_entries(&FORMAT, bytes, &ReadOptions::default()).unwrap_err().to_string(), message);
    }
    let (entries, faults) = read_entries(&FORMAT, &[&whole[..], b"x"].concat(), &lenient()).unwrap();
    assert_eq!((entries.len(), faults.count("cut-file")), (1, 1));
}

#[test]
fn positions_behind_two_moves_that_are_not_listed_are_found() {
    let far = after("h2e2 h9g7 h0g2 i9h9");
    let images = Images::of(&far);
    let far = if images.own <= images.mirror { far } else { far.mirror() };
    let step = far.moves().nth(5).unwrap().to_string();
    let bytes = [
        records(&after(""), &[("h2e2", 3)]),
        records(&after("h2e2 h9g7"), &[("h0g2", 3)]),
        records(&far, &[(&step, 2)]),
    ];
    let (entries, faults) = read(&bytes.concat());
    assert_eq!(entries.iter().map(|(key, _)| key.pieces().unwrap().clone()).collect::<Vec<_>>().len(), 3);
    assert_eq!((faults.count("aside"), faults.count("unreached")), (2, 0));
    let gone = [&bytes[0][..], &bytes[2]].concat();
    assert_eq!(read(&gone).1.count("unreached"), 1);
}

#[test]
fn games_become_weights() {
    let lost = |moves: Vec<Continuation>, board: &str, wanted: &[(&str, u16)], loss: &[&str]| {
        let board = after(board);
        let (bytes, losses) = write(&[(board.clone().into(), entry(moves))]);
        assert_eq!(look_up(&bytes, &board), listed(wanted));
        assert_eq!(losses.list().iter().map(|loss| loss.what).collect::<Vec<_>>(), loss);
    };
    let tally = Tally { games: 10, first: 5, draws: 2, second: 1 };
    lost(vec![played("h2e2", tally)], "e3e4 c9e7", &[("h2e2", 14)], &["results of moves (added up as weights)"]);
    lost(vec![played("h7e7", tally)], "e3e4", &[("h7e7", 3), ("b7e7", 3)], &["results of moves (added up as weights)"]);
    lost(vec![played("h2e2", games(5))], "", &[("h2e2", 3), ("b2e2", 3)], &[]);
    lost(vec![played("h2e2", games(5)), played("b2e2", games(9))], "", &[("h2e2", 5), ("b2e2", 9)], &[]);
    lost(vec![played("e3e4", games(5)), played("e3e4", games(2))], "", &[("e3e4", 7)], &[]);
    lost(vec![played("e3e4", games(65_536))], "", &[("e3e4", 65_535)], &["weights above 65535 (65535 is written)"]);
    lost(vec![played("e3e4", games(0))], "", &[("e3e4", 1)], &["moves without games (written with weight 1)"]);
    let beaten = Tally { games: 2, second: 2, ..Tally::default() };
    lost(vec![played("e3e4", beaten)], "", &[], &["moves without a point (left out)"]);
    let pass = Continuation { play: Move::Pass, tally: games(1) };
    lost(vec![played("e3e5", games(1)), pass], "", &[], &["moves that are not legal (left out)"]);
}

#[test]
fn what_has_no_place_is_told() {
    let judgement =
        Judgement { value: 3, bound: record::Bound::Exact, depth: 1, nodes: None, scale: 200, source: String::new() };
    let full = Entry {
        judgement: Some(judgement),
        label: Label::Win,
        tally: games(3),
        games: vec![1],
        last_year: Some(2001),
        comments: vec![record::Comment { text: "x".into(), bytes: Vec::new(), written: Symmetry::Identity }],
        ..Entry::default()
    };
    let (bytes, losses) = write(&[(Board::start().into(), full)]);
    let lost: Vec<_> = losses.list().iter().map(ToString::to_string).collect();
    let at = "at rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    let what = ["values", "labels", "games of positions", "years of games", "references to games", "comments"];
    assert_eq!(lost, what.map(|what| format!("1 {what} (left out), first {at}")));
    assert!(bytes.is_empty());
}

#[test]
fn its_shape_tells_it() {
    let bytes = std::fs::read(testdata("eleeye-book/openings.dat")).unwrap();
    assert_eq!((FORMAT.likeness)(&bytes), Likeness::Magic);
    assert_eq!((FORMAT.likeness)(&bytes[..MANY * RECORD - RECORD]), Likeness::Shape);
    let backwards: Vec<u8> = bytes.chunks(RECORD).rev().flatten().copied().collect();
    for other in [&b""[..], &bytes[..15], &[0; 64], b"a text of 16 byt", &backwards] {
        assert_eq!((FORMAT.likeness)(other), Likeness::No);
    }
}

#[test]
fn damage_ends_in_an_error_or_a_result() {
    let bytes = std::fs::read(testdata("eleeye-book/openings.dat")).unwrap();
    damage(&bytes, 150, |bytes| {
        for options in [strict(), ReadOptions::default(), lenient()] {
            let Ok((entries, faults)) = read_entries(&FORMAT, bytes, &options) else { continue };
            let moves = entries.iter().map(|(_, entry)| entry.moves.len()).sum::<usize>() as u64;
            let unread = ["unreached", "illegal-move", "bad-move", "move-twice"].map(|kind| faults.count(kind));
            assert_eq!(moves + unread.iter().sum::<u64>(), (bytes.len() / RECORD) as u64);
            let again = write(&entries).0;
            assert!(entries.is_empty() || sorted(&read(&again).0).len() <= entries.len());
        }
    });
}

#[test]
fn positions_that_share_a_key_are_told() {
    let locks = |board: &Board| Images::of(board).own;
    let (one, two) = (locks(&Board::start()), locks(&after("h2e2")));
    let row = |locks, other| Row { locks, word: 0, weight: 1, other };
    let told = |rows: &[Row]| {
        let mut losses = Losses::default();
        tell_mistaken(rows, &mut losses);
        losses.total()
    };
    assert!(one < two);
    assert_eq!(told(&[row(one, one.key()), row(one, one.key()), row(two, 7)]), 0);
    assert_eq!(told(&[row(one, one.key()), row(two, one.key())]), 1);
    assert_eq!(told(&[row(one, one.key()), row(one.twin(), 7), row(two, 7)]), 1);
}

use super::{COUNTS, FORMAT, SCALE, WIN, after, before, win_rate};
use crate::samples::{damage, lenient, read_entries, strict, testdata};
use crate::{Faults, Likeness, Losses, ReadOptions, Severity, WriteOptions};
use games::xiangqi::{Board, Fen, FenOptions};
use games::{Move, Side, Step, Symmetry};
use proptest::prelude::*;
use record::{Bound, Continuation, Entry, Judgement, Key, Label, Tally};
use std::collections::{BTreeMap, BTreeSet};

type Entries = Vec<(Key, Entry)>;

fn read(text: &str) -> (Entries, Faults) {
    read_entries(&FORMAT, text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    read_entries(&FORMAT, text.as_bytes(), &ReadOptions::default()).expect_err("the line is refused").to_string()
}

fn write(entries: &[(Key, Entry)]) -> (String, Losses) {
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let mut writer = FORMAT.start(&mut bytes, &WriteOptions::default());
    entries.iter().for_each(|(key, entry)| writer.entry(key, entry, &mut losses).unwrap());
    writer.finish(&mut losses).unwrap();
    drop(writer);
    (String::from_utf8(bytes).unwrap(), losses)
}

/// What a book knows of each position: its value and its moves. Of a position and its image the one with the lesser text
/// stands for both.
#[derive(PartialEq, Debug, Default)]
struct Known {
    value: Option<i32>,
    moves: BTreeSet<String>,
}

fn known(entries: &[(Key, Entry)]) -> BTreeMap<String, Known> {
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    for (key, entry) in entries {
        let texts = [key.clone(), key.turned(Symmetry::Mirror)].map(|key| crate::position_text(&key));
        let symmetry = if texts[1] < texts[0] { Symmetry::Mirror } else { Symmetry::Identity };
        let [own, turned] = texts;
        let is_own_image = own == turned;
        let place = known.entry(own.min(turned)).or_default();
        if let Some(judgement) = &entry.judgement {
            assert!(place.value.is_none_or(|value| value == judgement.value));
            place.value = Some(judgement.value);
        }
        for each in &entry.moves {
            let images = [symmetry, Symmetry::Mirror].map(|symmetry| symmetry.apply_to_move(each.play, key.size()));
            let names = images.map(|play| match play {
                Move::Step(step) => step.to_string(),
                other => format!("{other:?}"),
            });
            place.moves.extend(names.into_iter().take(1 + usize::from(is_own_image)));
        }
    }
    known
}

fn board(fen: &str) -> Board {
    Fen::read(fen, FenOptions { strict: true, other_letters: false }).unwrap().0.board
}

fn step(text: &str) -> Step {
    Step::from_text(text).unwrap()
}

fn judged(value: i32) -> Entry {
    let judgement =
        Judgement { value, bound: Bound::Exact, depth: 0, nodes: None, scale: SCALE, source: "chessdb".into() };
    Entry { judgement: Some(judgement), ..Entry::default() }
}

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

#[test]
fn every_answer_is_read() {
    let bytes = std::fs::read(testdata("chessdb/answers.cdb")).unwrap();
    let (entries, faults) = read_entries(&FORMAT, &bytes, &strict()).unwrap_or_else(|error| panic!("{error}"));
    let known = known(&entries);
    let of = |fen: &str| {
        let key = Key::from(board(fen));
        let texts = [key.clone(), key.turned(Symmetry::Mirror)].map(|key| crate::position_text(&key));
        &known[texts.iter().min().unwrap()]
    };
    let start = of(START);
    assert_eq!(start.value, None);
    let moves: Vec<&str> = start.moves.iter().map(String::as_str).collect();
    assert_eq!(moves, ["a0a1", "b2e2", "c3c4", "g3g4", "h2e2", "i0i1"]);
    let cannon = of("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b");
    assert_eq!((cannon.value, cannon.moves.len()), (Some(-1), 1));
    assert_eq!(of("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/R8/1NBAKABNR b").value, Some(24));
    assert_eq!(of("R2k5/7R1/9/9/9/9/9/9/9/4K4 b").value, Some(-30_000));
    assert_eq!(of("3k5/9/9/9/9/9/9/9/4r4/R3K4 w").value, Some(-412));
    assert_eq!(of("1R1k5/9/9/9/9/9/9/9/9/4K4 b").value, Some(-35));
    let line = entries.iter().filter(|(_, entry)| entry.judgement.as_ref().is_some_and(|said| said.depth == 3));
    assert_eq!(line.count(), 1);
    let counts: Vec<_> = faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect();
    assert_eq!(
        counts,
        [("ranks", 3), ("other-moves", 2), ("invalid-board", 1), ("unknown", 1)],
        "{:?}",
        faults.list().iter().map(ToString::to_string).collect::<Vec<_>>()
    );
}

#[test]
fn what_was_read_is_written_as_lists_of_moves() {
    let start = Key::from(Board::start());
    let after = |text: &str| start.after(Move::Step(step(text))).unwrap();
    let moves =
        [step("h2e2"), step("i0i1")].map(|step| Continuation { play: Move::Step(step), tally: Tally::default() });
    let entries = [
        (after("b2e2"), judged(-1)),
        (start.clone(), Entry { moves: moves.into(), ..Entry::default() }),
        (after("a0a1"), judged(24)),
        (Key::from(board("3k5/9/9/9/9/9/9/9/4r4/R3K4 w")), judged(-412)),
    ];
    let (text, losses) = write(&entries);
    assert!(losses.is_empty(), "{losses:?}");
    let list = "move:b2e2,score:1,winrate:50.08|move:h2e2,score:1,winrate:50.08\
        |move:a0a1,score:-24,winrate:48.18|move:i0i1,score:-24,winrate:48.18";
    assert_eq!(text, format!("{START}\t{list}\n3k5/9/9/9/9/9/9/9/4r4/R3K4 w\teval:-412\n"));
    assert_eq!(write(&read(&text).0).0, text);
}

#[test]
fn a_score_is_the_value_after_the_move_a_ply_nearer_to_the_end() {
    for (score, value) in
        [(0, 0), (35, -35), (29_499, -29_499), (29_500, -29_501), (29_999, -30_000), (-29_998, 29_999)]
    {
        assert_eq!((after(score), before(value)), (value, Some(score)));
    }
    assert!((1 - WIN..WIN).all(|score| before(after(score)) == Some(score)));
    let unsaid: Vec<i32> = (-WIN..=WIN).filter(|value| before(*value).is_none()).collect();
    assert_eq!(unsaid, [-COUNTS, COUNTS]);
    assert_eq!(format!("{:.2} {:.2}", win_rate(1), win_rate(-412)), "50.08 22.30");
}

#[test]
fn wrong_lines_are_refused_with_their_place_and_passed_over_leniently() {
    for (line, message) in [
        ("move:h2e2,score:x", "`x` is no score"),
        ("move:h2e2,score", "`score` has no name"),
        ("score:1,depth:3", "a score without a line"),
        ("score:1,depth:99999,pv:h2e2", "the depth is no number below 32768"),
        ("score:1,width:9,pv:h2e2", "`width` is not known of a line"),
        ("eval:", "`` is no value"),
        ("{\"status\":\"ok\"", "this is no JSON (EOF"),
        ("{\"state\":1}", "an answer has"),
        ("{\"moves\":[{\"score\":1}]}", "a move without `move`"),
        ("9/9 w", "this is no position and no answer"),
        ("what is this", "this is no position and no answer"),
    ] {
        let file = format!("{START}\n{line}\n{START}\tmove:h2e2,score:4\n");
        let said = refusal(&file);
        assert!(said.contains(message) && said.contains("at line 2"), "{said}");
        let (entries, faults) = read_entries(&FORMAT, file.as_bytes(), &lenient()).unwrap();
        assert_eq!((entries.len(), faults.count("bad-line")), (2, 1), "{line}");
    }
    assert!(refusal("eval:3").contains("an answer without a position before it"));
    assert!(read_entries(&FORMAT, b"\xFF", &ReadOptions::default()).is_err());
    let deep = format!("{START}\t{{\"moves\":{}", "[".repeat(1 << 20));
    assert!(refusal(&deep).contains("this is no JSON"));
}

#[test]
fn what_an_answer_says_beyond_an_entry_is_told() {
    for (answer, kind, severity) in [
        ("move:h2e2,score:1,rank:2", "ranks", Severity::Remark),
        ("move:h2e2,rule:ban", "rules", Severity::Remark),
        ("move:h2e2,score:1,winrate:51.00", "other-winrate", Severity::Remark),
        ("move:h2e2,score:1,colour:red", "unknown-field", Severity::Remark),
        ("egtb:h2e2", "other-moves", Severity::Remark),
        ("move:h2e2,score:40000", "far-value", Severity::Damage),
        ("eval:-30001", "far-value", Severity::Damage),
        ("move:h2e3|move:h2e2", "illegal-move", Severity::Damage),
        ("move:h2e2,score:1|move:h2e2,score:2", "move-twice", Severity::Damage),
        ("score:3,depth:2,pv:h2e2|h2e2", "illegal-move", Severity::Damage),
        ("stalemate", "not-lost", Severity::Damage),
        ("nobestmove", "unknown", Severity::Remark),
        ("", "no-answer", Severity::Quirk),
    ] {
        let (_, faults) = read(&format!("{START}\n{answer}"));
        assert_eq!(faults.counts(), [(kind, severity, 1)], "{answer}");
    }
    let (entries, faults) = read("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR\tmove:h2e2,rule:none");
    assert_eq!((entries.len(), faults.counts()), (1, &[("odd-fen", Severity::Remark, 1)][..]));
}

#[test]
fn what_has_no_place_is_told() {
    let entry = Entry {
        label: Label::Win,
        tally: Tally { games: 3, ..Tally::default() },
        moves: vec![Continuation { play: Move::Step(step("h2e2")), tally: Tally { games: 3, ..Tally::default() } }],
        judgement: Some(Judgement {
            value: 40_000,
            bound: Bound::Upper,
            depth: 7,
            nodes: Some(3),
            scale: 200,
            source: "an engine".into(),
        }),
        ..Entry::default()
    };
    let illegal = Entry { moves: vec![Continuation { play: Move::Pass, tally: Tally::default() }], ..judged(COUNTS) };
    let next = Key::from(Board::start()).after(Move::Step(step("h2e2"))).unwrap();
    let (text, losses) = write(&[(Board::start().into(), entry), (next.clone(), illegal), (next, judged(3))]);
    let lost: Vec<_> = losses.list().iter().map(|loss| loss.what.split(" (").next().unwrap()).collect();
    assert_eq!(
        lost,
        [
            "statistics of games",
            "statistics of moves",
            "labels",
            "depths of searches",
            "numbers of nodes searched",
            "bounds of values",
            "scales of values",
            "sources of values",
            "values beyond 30000",
            "moves that are not legal",
            "second values of a position",
        ]
    );
    // The one value that no score comes to stands by itself.
    let black = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";
    assert_eq!(text, format!("{START}\tmove:h2e2\n{START}\teval:30000\n{black}\teval:29500\n"));
}

proptest! {
    #[test]
    fn values_and_moves_read_back(
        lines in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), -WIN..=WIN, 0..3_u8), 0..10), 1..5)
    ) {
        let mut entries: Entries = Vec::new();
        for line in lines {
            let mut board = Board::start();
            for (at, value, what) in line {
                let moves: Vec<Step> = board.moves().collect();
                if moves.is_empty() {
                    break;
                }
                let step = *at.get(&moves);
                let key = Key::from(board.clone());
                let mirrored = key.turned(Symmetry::Mirror);
                if entries.iter().all(|(known, _)| *known != key && *known != mirrored) {
                    let mut entry = if what < 2 { judged(value) } else { Entry::default() };
                    if what > 0 {
                        entry.moves.push(Continuation { play: Move::Step(step), tally: Tally::default() });
                    }
                    entries.push((key, entry));
                }
                board.play_unchecked(step);
            }
        }
        let (text, losses) = write(&entries);
        prop_assert!(losses.is_empty(), "{:?}", losses);
        let (again, faults) = read_entries(&FORMAT, text.as_bytes(), &strict()).unwrap();
        prop_assert!(faults.is_empty(), "{:?}", faults);
        let (before, after) = (known(&entries), known(&again));
        for (position, known) in &before {
            let read = after.get(position);
            prop_assert_eq!(known.value, read.and_then(|read| read.value));
            // A move to a position with a value is known, too.
            prop_assert!(known.moves.iter().all(|play| read.is_some_and(|read| read.moves.contains(play))));
        }
        prop_assert!(after.keys().all(|position| before.contains_key(position)));
        prop_assert_eq!(self::known(&read(&write(&again).0).0), after);
    }
}

#[test]
fn boards_of_any_pieces_are_kept() {
    let crowded =
        board("kkkkkkkkk/RRRRRRRRR/ccccccccc/pPpPpPpPp/nnnnnnnnn/BBBBBBBBB/aaaaaaaaa/AAAAAAAAA/rrrrrrrrr/CNCNCNKNb b");
    assert_eq!(crowded.to_move(), Side::Second);
    let entries = [(Key::from(crowded), judged(7))];
    let (text, _) = write(&entries);
    assert_eq!(known(&read(&text).0), known(&entries));
}

#[test]
fn its_first_answer_tells_it_from_a_list_of_positions() {
    let bytes = std::fs::read(testdata("chessdb/answers.cdb")).unwrap();
    for (text, is_ours) in [
        (&bytes[..], true),
        (format!("\u{FEFF}{START}\r\n\r\n{{\"status\":\"unknown\"}}").as_bytes(), true),
        (format!("{START}\tunknown").as_bytes(), true),
        (format!("{START}\n{START}\n").as_bytes(), false),
        (START.as_bytes(), false),
        (b"move:h2e2,score:1", false),
        (b"", false),
    ] {
        assert_eq!((FORMAT.likeness)(text) == Likeness::Magic, is_ours, "{}", text.escape_ascii());
    }
}

#[test]
fn damage_ends_in_an_error_or_a_result() {
    let bytes = std::fs::read(testdata("chessdb/answers.cdb")).unwrap();
    damage(&bytes, 2000, |bytes| {
        for options in [strict(), ReadOptions::default(), lenient()] {
            if let Ok((entries, _)) = read_entries(&FORMAT, bytes, &options) {
                let (text, _) = write(&entries);
                read_entries(&FORMAT, text.as_bytes(), &strict()).unwrap();
            }
        }
    });
}

#[test]
fn the_example_of_the_specification_is_read() {
    let example = include_str!("SPEC.md").split("```\n").nth(2).unwrap();
    let (entries, faults) = read_entries(&FORMAT, example.as_bytes(), &strict()).unwrap();
    assert_eq!((entries.len(), faults.count("ranks")), (8, 1), "{example}");
}

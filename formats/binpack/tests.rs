use super::FORMAT;
use crate::samples::{damage, files, lenient, read, read_with, shared, strict, testdata, text_games, torture, write};
use crate::{Likeness, Losses, Severity, detect};
use games::{Coords, Move, Rule, Side, Size};
use lz4_flex::frame::FrameEncoder;
use record::{NodeId, Note, Outcome, Play, Record, Score, TreeBuilder, Value};
use std::io::Write;

/// The game c14 n2 e5 that White won, with one opening move, and d13 beside n2: columns from the left, rows from the
/// top.
const CORNERS: &[u8] = &[
    0x8F, 0x32, 0x40, 0x00, 0x05, 0xC0, 0x00,
    0x00, // 15x15, renju, 2: White won, 3 moves, 1 of them opening; tag 5.
    0x41, 0x00, // c14.
    0x41, 0x6B, 0x64, 0x00, // n2, played, 100 for White.
    0x82, 0x18, 0xCE, 0xFF, // d13, -50 for White.
    0x87, 0x22, 0x00, 0x00, // e5, the only one, without a value.
];

fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The nodes as `1 c14 = 20`, in the order of the tree.
fn drawn(record: &Record) -> Vec<String> {
    let tree = &record.tree;
    let node = |(depth, node)| {
        let point = tree.play(node).stone().map_or("--".into(), |point| Coords::A1.text(point, record.head.size));
        let value = tree.notes(node).find_map(|note| if let Note::Value(value) = note { Some(value) } else { None });
        let value: Option<Value> = value;
        format!("{depth} {point}{}", value.map_or(String::new(), |value| format!(" = {}", value.text())))
    };
    tree.walk().skip(1).map(node).collect()
}

fn lost(record: &Record) -> Vec<String> {
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(record)).unwrap();
    assert!(bytes.is_empty() || read_with(&FORMAT, &bytes, &strict()).is_ok());
    losses.list().iter().map(ToString::to_string).collect()
}

#[test]
fn rows_count_from_the_top_and_views_turn() {
    let record = read_with(&FORMAT, CORNERS, &strict()).unwrap().one();
    assert_eq!(drawn(&record), ["1 c14", "2 n2 = -100", "3 e5", "2 d13 = 50"]);
    assert_eq!((record.head.rule, record.head.result), (Some(Rule::Renju), Some(Outcome::Second)));
    assert_eq!((record.head.tag("OpeningPlies"), record.head.tag("GameTag")), (Some("1"), Some("5")));
    assert_eq!(write(&FORMAT, &[record]).unwrap(), (CORNERS.to_vec(), Losses::default()));
}

#[test]
fn the_sample_in_the_repository_is_three_of_the_games_beside_it() {
    let [path] = &files(&testdata("binpack"), "binpack")[..] else { panic!("one sample") };
    let bytes = std::fs::read(path).unwrap();
    let games = text_games(&testdata("moves/games.txt"));
    let read = read_with(&FORMAT, &bytes, &strict()).unwrap();
    for (record, wanted) in read.records.iter().zip([&games[0], &games[games.len() / 2], &games[games.len() - 1]]) {
        assert_eq!((record.head.rule, record.head.result), (wanted.head.rule, wanted.head.result));
        let line = |record: &Record| record.tree.main_line().map(|node| record.tree.play(node)).collect::<Vec<_>>();
        assert_eq!(line(record), line(wanted));
        let last = record.tree.main_line().last().unwrap();
        let winner =
            if wanted.head.result == Some(Outcome::First) { Score::FirstWins(0) } else { Score::SecondWins(0) };
        assert_eq!(record.tree.notes(last).next(), Some(Note::Value(Value { score: winner, depth: None })));
    }
    assert_eq!(read.records[2].head.tag("GameTag"), Some("14"));
    let passes =
        |record: &Record| record.tree.nodes().filter(|n| record.tree.play(*n) == Play::Move(Move::Pass)).count();
    assert_eq!(read.records.iter().map(passes).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(detect(&framed(&bytes), None).unwrap().name, "binpack");
    assert_eq!(read_with(&FORMAT, &framed(&bytes), &strict()).unwrap().records, read.records);
    assert_eq!(write(&FORMAT, &read.records).unwrap(), (bytes, Losses::default()));
}

#[test]
fn the_games_of_rapfi_are_read_and_written_back() {
    let Some(folder) = shared("data/records/rapfi_bin") else { return };
    let bytes = std::fs::read(folder.join("s_binpack.binpack")).unwrap();
    let plain = read_with(&FORMAT, &bytes, &strict()).unwrap();
    assert_eq!(plain.records.len(), 60);
    let packed = std::fs::read(folder.join("s_binpack.binpack.lz4")).unwrap();
    assert_eq!(detect(&packed, Some("lz4")).unwrap().name, "binpack");
    assert_eq!(read_with(&FORMAT, &packed, &strict()).unwrap().records.len(), 60);
    for record in &plain.records {
        let last = record.tree.main_line().count();
        // Whoever makes the last move has won: the result is of the side to move behind the opening.
        let wanted = if Side::of_ply(last) == Side::First { Outcome::First } else { Outcome::Second };
        let value = record.tree.notes(record.tree.main_line().last().unwrap()).next();
        let Some(Note::Value(Value { score, .. })) = value else { panic!("no value") };
        let won = match score {
            Score::FirstWins(_) => Outcome::First,
            Score::SecondWins(_) => Outcome::Second,
            Score::Points(_) => panic!("no win"),
        };
        assert_eq!((record.head.result, won), (Some(wanted), wanted));
    }
    let (again, losses) = write(&FORMAT, &plain.records).unwrap();
    assert!(again == bytes && losses.is_empty());
}

#[test]
fn what_is_odd_is_forgiven_and_told() {
    let odd = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = CORNERS.to_vec();
        change(&mut bytes);
        assert!(read_with(&FORMAT, &bytes, &strict()).is_err());
        let read = read(&FORMAT, &bytes).unwrap();
        let counts: Vec<_> = read.faults.counts().iter().map(|(kind, severity, _)| (*kind, *severity)).collect();
        (drawn(&read.one()), counts)
    };
    let whole = ["1 c14", "2 n2 = -100", "3 e5", "2 d13 = 50"].map(String::from).to_vec();
    assert_eq!(odd(&|bytes| bytes[1] = 0x42), (whole.clone(), vec![("wrong-count", Severity::Quirk)]));
    assert_eq!(odd(&|bytes| bytes[14] = 0x80), (whole.clone(), vec![("entry-flags", Severity::Quirk)]));
    assert_eq!(odd(&|bytes| bytes[18] |= 0x10), (whole.clone(), vec![("unused-bits", Severity::Quirk)]));
    assert_eq!(odd(&|bytes| bytes[20] = 1), (whole, vec![("unused-bits", Severity::Quirk)]));
}

#[test]
fn a_bad_game_costs_itself_only() {
    let mut bytes = [CORNERS, CORNERS].concat();
    bytes[22 + 10] = 0xC1; // Column 15 in place of 13 at the played move.
    bytes[22 + 11] = 0x7B;
    let normal = read(&FORMAT, &bytes).unwrap();
    assert_eq!(normal.records.len(), 1);
    assert_eq!(
        normal.faults.list()[0].to_string(),
        "column 15, row 15 is not a point of a 15x15 board at game 2, byte 0x20; the game was left out"
    );
    bytes[1] = 0x33; // Result 3.
    let error = read(&FORMAT, &bytes).unwrap_err().to_string();
    assert_eq!(error, "binpack: 3 is not a result at game 1, byte 0x0: they are 0, 1 and 2");
    let error = read(&FORMAT, &CORNERS[..20]).unwrap_err().to_string();
    assert_eq!(error, "binpack: the file ends inside a game, and no game stands before it at byte 0x14");
    assert_eq!(read_with(&FORMAT, &[CORNERS, CORNERS].concat()[..40], &lenient()).unwrap().records.len(), 1);
}

#[test]
fn what_a_game_cannot_say_is_counted() {
    let mut builder = TreeBuilder::new();
    let point = |text: &str| Play::Move(Move::Place(Coords::A1.parse(text, Size::default()).unwrap()));
    builder.append(1, Side::First, point("h8")).unwrap();
    builder.note(Note::Value(Value { score: Score::Points(29_700), depth: Some(3) })).unwrap();
    builder.append(2, Side::First, point("i9")).unwrap();
    builder.note(Note::Line("odd")).unwrap();
    builder.append(2, Side::Second, point("j9")).unwrap();
    builder.note(Note::Value(Value { score: Score::SecondWins(500), depth: None })).unwrap();
    builder.append(2, Side::Second, point("k9")).unwrap();
    builder.append(3, Side::First, point("k8")).unwrap();
    let mut record = Record { tree: builder.build(), ..Record::default() };
    assert_eq!(lost(&record), ["1 games without a result (left out), first *"]);
    record.head.result = Some(Outcome::Draw);
    record.head.tags = vec![("OpeningPlies".into(), "3".into()), ("GameTag".into(), "16384".into())];
    assert_eq!(
        lost(&record),
        [
            "2 nodes off the main line (left out), first after h8 k9",
            "2 tags (left out), first OpeningPlies",
            "1 depths of values (left out), first after h8",
            "1 values that read as forced wins (written all the same), first after h8",
            "1 moves out of turn (written as if sides alternated), first after h8 i9",
            "1 comments (left out), first after h8 i9",
            "1 forced wins in more than 499 plies (left out), first after h8 j9",
            "1 rules that the format lacks (written as freestyle), first not known",
        ]
    );
    assert!(record.tree.first_child(NodeId::ROOT).is_some());
}

#[test]
fn all_engine_games_return_whole() {
    for name in ["renju15", "free15", "std15", "free20"] {
        let Some(path) = shared(&format!("data/games/engine_{name}.txt")) else { return };
        let games = text_games(&path);
        let (bytes, losses) = write(&FORMAT, &games).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        assert_eq!(detect(&bytes, None).unwrap().name, FORMAT.name);
        assert!(read_with(&FORMAT, &bytes, &strict()).unwrap().records == games, "{name}");
    }
}

#[test]
fn strangers_are_not_taken_for_games() {
    let like = |bytes: &[u8]| (FORMAT.likeness)(bytes);
    assert_eq!(like(CORNERS), Likeness::Shape);
    assert_eq!(like(&CORNERS.repeat(3)), Likeness::Magic);
    for stranger in [&b""[..], &[0; 4096], b"h8 i9 j10", b"(;GM[4]SZ[15];B[hh])", &[0xFF; 64], b"PK\x03\x04\x14\0\0\0"]
    {
        assert_eq!(like(stranger), Likeness::No, "{stranger:?}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    let bytes = std::fs::read(testdata("binpack/three-games.binpack")).unwrap();
    torture(&FORMAT, &bytes, 1000);
    torture(&FORMAT, CORNERS, 1000);
    damage(&framed(&bytes), 500, |bytes| {
        let _ = read_with(&FORMAT, bytes, &lenient());
    });
}

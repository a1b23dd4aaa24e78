use super::FORMAT;
use crate::samples::{damage, files, lenient, read, read_with, shared, strict, testdata, text_games, torture, write};
use crate::{Likeness, Losses, detect};
use games::{Coords, Rule, Size};
use lz4_flex::frame::FrameEncoder;
use proptest::prelude::*;
use record::{Outcome, Record};
use std::io::Write;

/// Samples of the game c14 n2 e5 that White won, from its second move on: columns from the left, rows from the top.
const CORNERS: &[u8] = &[
    0x06, 0x78, 0x6C, 0x0D, 0x41, 0x00, // White, to move at ply 1, won; n2 is column 13, row 13.
    0x08, 0x78, 0x54, 0x04, 0x41, 0x00, 0xAD, 0x01, // Black, to move at ply 2, lost; e5 is column 4, row 10.
];

fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn moves(record: &Record) -> String {
    let (tree, size) = (&record.tree, record.head.size);
    let text = |node| tree.play(node).stone().map_or("--".into(), |point| Coords::A1.text(point, size));
    tree.main_line().map(text).collect::<Vec<_>>().join(" ")
}

fn game(line: &str) -> Record {
    read(&crate::moves::FORMAT, line.as_bytes()).unwrap().one()
}

fn lost(records: &[Record]) -> Vec<String> {
    let (bytes, losses) = write(&FORMAT, records).unwrap();
    assert!(bytes.is_empty() || read_with(&FORMAT, &bytes, &strict()).is_ok());
    losses.list().iter().map(ToString::to_string).collect()
}

#[test]
fn rows_count_from_the_top_and_results_are_of_the_side_to_move() {
    let record = read_with(&FORMAT, CORNERS, &strict()).unwrap().one();
    assert_eq!(moves(&record), "c14 n2 e5");
    assert_eq!((record.head.rule, record.head.result), (Some(Rule::Renju), Some(Outcome::Second)));
    assert_eq!(record.head.size, Size::default());
    assert_eq!(record.head.tag("OpeningPlies"), Some("1"));
    assert_eq!(write(&FORMAT, &[record]).unwrap(), (CORNERS.to_vec(), Losses::default()));
}

#[test]
fn samples_that_do_not_continue_each_other_are_games_of_their_own() {
    let count = |bytes: &[u8]| read(&FORMAT, bytes).unwrap().records.len();
    let doubled = [CORNERS, CORNERS].concat();
    assert_eq!(count(&doubled), 2);
    let mut other = CORNERS.to_vec();
    other[6] = 0x0A; // The side to move has won both.
    assert_eq!(count(&other), 2);
    other[6] = 0x08;
    other[8] = 0x51; // Another rule.
    assert_eq!(count(&other), 2);
    for bytes in [doubled, other] {
        assert_eq!(write(&FORMAT, &read(&FORMAT, &bytes).unwrap().records).unwrap().0, bytes);
    }
}

#[test]
fn the_sample_in_the_repository_is_three_of_the_games_beside_it() {
    let [path] = &files(&testdata("bin"), "bin")[..] else { panic!("one sample") };
    let bytes = std::fs::read(path).unwrap();
    let games = text_games(&testdata("moves/games.txt"));
    let wanted = [&games[0], &games[games.len() / 2], &games[games.len() - 1]].map(Clone::clone);
    for bytes in [bytes.clone(), framed(&bytes)] {
        assert_eq!(detect(&bytes, None).unwrap().name, "bin");
        let read = read_with(&FORMAT, &bytes, &strict()).unwrap();
        assert_eq!(read.records, wanted);
    }
    assert_eq!(write(&FORMAT, &wanted).unwrap(), (bytes, Losses::default()));
}

#[test]
fn the_samples_of_rapfi_are_sixty_games_and_written_back() {
    let Some(folder) = shared("data/records/rapfi_bin") else { return };
    let bytes = std::fs::read(folder.join("s_bin.bin")).unwrap();
    let plain = read_with(&FORMAT, &bytes, &strict()).unwrap();
    assert_eq!(plain.records.len(), 60);
    let packed = std::fs::read(folder.join("s_bin.bin.lz4")).unwrap();
    assert_eq!(detect(&packed, Some("lz4")).unwrap().name, "bin");
    assert_eq!(read_with(&FORMAT, &packed, &strict()).unwrap().records.len(), 60);
    let (again, losses) = write(&FORMAT, &plain.records).unwrap();
    assert!(again == bytes && losses.is_empty());
    let samples: usize = plain.records.iter().map(|record| record.tree.len() - 1).sum();
    let openings: usize =
        plain.records.iter().map(|r| r.head.tag("OpeningPlies").unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(samples - openings, 1709);
}

#[test]
fn a_bad_sample_costs_itself_only() {
    let mut bytes = [CORNERS, CORNERS, CORNERS].concat();
    bytes[16] = 0x6E; // Rule 6.
    bytes[40] = 0xEF; // Column 15, row 15.
    let normal = read(&FORMAT, &bytes).unwrap();
    assert_eq!(normal.records.iter().map(moves).collect::<Vec<_>>(), ["c14 n2 e5", "c14 n2 e5", "c14 n2"]);
    let bad: Vec<String> = normal.faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        bad,
        [
            "in sample 3, 6 is not a rule at byte 0xe: they are 0, 1 and 4; the game was left out",
            "in sample 6, column 15, row 15 is not a point of a 15x15 board at byte 0x22; the game was left out"
        ]
    );
    assert!(read_with(&FORMAT, &bytes, &strict()).is_err());
}

#[test]
fn a_cut_file_is_an_error_or_kept_as_far_as_it_goes() {
    let cut = &CORNERS[..CORNERS.len() - 1];
    let error = read(&FORMAT, cut).unwrap_err().to_string();
    assert_eq!(error, "bin: the file ends inside a game at byte 0xd: --lenient keeps what stands before it");
    assert_eq!(moves(&read_with(&FORMAT, cut, &lenient()).unwrap().one()), "c14 n2");
    let frame = framed(CORNERS);
    for end in 1..frame.len() {
        assert!(read(&FORMAT, &frame[..end]).is_err(), "{end}");
    }
    let (longer, mut normal) = ([&frame[..], b"x"].concat(), 0);
    normal += read(&FORMAT, &longer).unwrap().faults.count("trailing-bytes");
    assert_eq!(normal, 1);
}

#[test]
fn what_no_sample_can_say_is_counted() {
    assert_eq!(lost(&[game("h8 i9")]), ["1 games without a result (left out), first *"]);
    assert_eq!(lost(&[game("renju 15 1 2 h8 i9")]), ["1 games without a move behind the opening (left out), first 2"]);
    assert_eq!(lost(&[game("renju 15 1 0")]), ["1 games without a move behind the opening (left out), first 0"]);
    assert_eq!(
        lost(&[game("caro 15 1 0 h8 i9 -- j9 k10")]),
        [
            "3 moves from a pass on (left out), first after h8 i9 --",
            "1 rules that the format lacks (written as freestyle), first caro"
        ]
    );
    let mut wide = game("renju 15 1 0 h8");
    wide.head.size = Size::new(15, 12).unwrap();
    assert_eq!(lost(&[wide]), ["1 games on boards that are not square (left out), first 15x12"]);
    let long = format!("standard 26 0.5 3{}", " a1".repeat(514));
    assert_eq!(lost(&[game(&long)]).len(), 1);
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
fn strangers_are_not_taken_for_samples() {
    let like = |bytes: &[u8]| (FORMAT.likeness)(bytes);
    assert_eq!(like(CORNERS), Likeness::Shape);
    assert_eq!(like(&CORNERS.repeat(3)), Likeness::Magic);
    for stranger in [&b""[..], b"\0", &[0; 4096], b"h8 i9 j10", b"(;GM[4]SZ[15];B[hh])", &[0xFF; 64], b"PK\x03\x04"] {
        assert_eq!(like(stranger), Likeness::No, "{stranger:?}");
    }
    // A stone on a stone is no position that an engine was asked about.
    assert_eq!(like(&[0x06, 0x78, 0x0C, 0x02, 0x41, 0x00]), Likeness::No);
}

#[test]
fn damage_of_any_kind_is_survived() {
    let bytes = std::fs::read(testdata("bin/three-games.bin")).unwrap();
    torture(&FORMAT, &bytes[bytes.len() - 600..], 1000);
    torture(&FORMAT, CORNERS, 1000);
    damage(&framed(&bytes), 500, |bytes| {
        let _ = read_with(&FORMAT, bytes, &lenient());
    });
}

proptest! {
    #[test]
    fn games_return_whole(
        line in prop::collection::vec((0..20_u8, 0..20_u8), 1..60),
        result in prop::sample::select(vec!["1", "0.5", "0"]),
        rule in prop::sample::select(vec!["freestyle", "standard", "renju"]),
        opening in any::<prop::sample::Index>(),
    ) {
        let size = Size::square(20).unwrap();
        let mut text = format!("{rule} 20 {result} {}", opening.index(line.len()));
        for (x, y) in line {
            text += &format!(" {}", Coords::A1.text(games::Point::new(x, y).unwrap(), size));
        }
        let record = game(&text);
        let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        prop_assert!(losses.is_empty());
        prop_assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one(), record);
    }
}

use super::FORMAT;
use crate::samples::{
    files, lenient, line, line_game, read, read_with, records, strict, testdata, torture, write, write_with,
};
use crate::{Faults, Losses, ReadOptions, WriteOptions};
use games::{Coords, Size};
use proptest::prelude::*;
use record::Record;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("renlib-text/game.txt")).unwrap()
}

fn counts(faults: &Faults) -> Vec<(&str, u64)> {
    faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect()
}

fn board(lines: &str) -> String {
    format!("----- Text Board -----\n{lines}")
}

#[test]
fn rows_count_from_the_bottom_and_i_is_a_letter() {
    let text = board("Black White\n1 H8 2 I9\n3 A1 4 O14\n5 --");
    let record = read_with(&FORMAT, text.as_bytes(), &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 a1 o14 --");
    let text = board("1 H8 2 I9 3 A1 4 O14");
    let record = read_with(&FORMAT, text.as_bytes(), &strict()).unwrap().one();
    assert_eq!(record.tree, line_game("7,7 8,6 0,14 14,1").tree);
    let options = ReadOptions { coords: Coords::NoI, ..strict() };
    let skipped = read_with(&FORMAT, board("1 H8 2 J9 3 A1 4 P14").as_bytes(), &options).unwrap().one();
    assert_eq!(skipped.tree, record.tree);
    let options = WriteOptions { coords: Some(Coords::NoI), ..WriteOptions::default() };
    let (bytes, _) = write_with(&FORMAT, &[skipped], &options).unwrap();
    assert!(String::from_utf8(bytes).unwrap().ends_with("1 H8     2 J9\n      3 A1     4 P14\n"));
    let error = read(&FORMAT, board("1 H8 2 P9").as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "renlib-text: `P9` is not a point of a 15x15 board at game 1, line 2, byte 0x1e (after h8, ply 1): \
         where columns skip the letter i, say so with --coords no-i"
    );
}

#[test]
fn what_renlib_wrote_is_written_again() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 h9 j10 i9 i8 g9 j9 j8 f9 k10");
    assert_eq!(write(&FORMAT, &[record]).unwrap(), (sample(), Losses::default()));
}

#[test]
fn titles_drawings_and_several_boards_are_told_apart() {
    let drawn = "Final, game 2\n\n   Black White\n 1. h8 2. i9\n\n15 . . X O\n14 . . . .\n   a b c d\n";
    let text = format!("hello\n{}\n{}", board(drawn), board("1 A1"));
    let read = read(&FORMAT, text.as_bytes()).unwrap();
    assert_eq!(counts(&read.faults), [("stray-text", 1), ("drawing", 3)]);
    assert_eq!(read.records.iter().map(line).collect::<Vec<_>>(), ["h8 i9", "a1"]);
    assert_eq!(read.records[0].head.tag("Title"), Some("Final, game 2"));
    let (bytes, losses) = write(&FORMAT, &read.records).unwrap();
    assert!(losses.is_empty());
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().records, read.records);
}

#[test]
fn faults_are_named() {
    let text = format!("{}\n{}", board("1 H8 2 H16 3 H9"), board("1 A1 3 B1"));
    let whole = read(&FORMAT, text.as_bytes()).unwrap();
    assert_eq!(counts(&whole.faults), [("bad-game", 1), ("move-number", 1)]);
    assert_eq!(whole.records.iter().map(line).collect::<Vec<_>>(), ["a1 b1"]);
    assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    let kept = read_with(&FORMAT, text.as_bytes(), &lenient()).unwrap();
    assert_eq!(kept.records.iter().map(line).collect::<Vec<_>>(), ["h8", "a1 b1"]);
    let error = read(&FORMAT, b"1 H8").unwrap_err();
    assert_eq!(error.to_string(), "renlib-text: there is no line `----- Text Board -----` at line 1");
    let mut wide = line_game("7,7");
    wide.head.size = Size::square(20).unwrap();
    assert_eq!(write(&FORMAT, &[wide]).unwrap_err().message, "the board of this format is 15x15, not 20x20");
}

#[test]
fn a_title_that_reads_as_something_else_is_a_loss() {
    for title in ["1 H8", "Black White", "----- Text Board -----", " x", "a\nb"] {
        let mut record: Record = line_game("7,7 8,6");
        record.head.tags.push(("Title".into(), title.into()));
        let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
        assert_eq!(losses.total(), 1, "{title}");
        assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one(), line_game("7,7 8,6"));
    }
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("renlib-text"), "txt") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 2000);
    }
}

proptest! {
    #[test]
    fn any_record_is_written_as_it_is_read(record in records()) {
        let Ok((bytes, _)) = write(&FORMAT, std::slice::from_ref(&record)) else { return Ok(()) };
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap();
        prop_assert_eq!(write(&FORMAT, &again.records).unwrap(), (bytes, Losses::default()));
    }
}

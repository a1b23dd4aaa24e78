use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use record::{Note, Record};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("rec/game.rec")).unwrap()
}

fn times(record: &Record) -> Vec<u32> {
    let notes = record.tree.nodes().flat_map(|node| record.tree.notes(node));
    notes.filter_map(|note| if let Note::Time(time) = note { Some(time) } else { None }).collect()
}

#[test]
fn columns_and_rows_count_from_nought_at_the_top_left() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    assert_eq!(read.faults.counts().len(), 1);
    let record = read.one();
    assert_eq!(line(&record), "c19 a20 t1 n7");
    assert_eq!(times(&record), [0, 1500, 20]);
    let tags: Vec<_> = record.head.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(tags, [("Player1", "homo-1"), ("Player2", "pbrain x"), ("Termination", "timeout")]);
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "rec");
}

#[test]
fn the_game_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/rec/20240101_1.rec") else { return };
    let record = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
    assert_eq!(line(&record), "h13 i14 g11 g15 h11 e17 f11 e11 g13");
}

#[test]
fn what_does_not_read_is_placed() {
    let error = read(&FORMAT, b"a\nb\n1,2,3\n20,0,1\n").unwrap_err().to_string();
    assert_eq!(error, "rec: `20,0` is not a point of a 20x20 board, which counts from 0 at line 4 (after b18, ply 1)");
    assert_eq!(line(&read_with(&FORMAT, b"a\nb\n1,2,3\n20,0,1\n", &lenient()).unwrap().one()), "b18");
    assert!(read(&FORMAT, b"a\nb\n1,2,-3\n").is_err());
    assert!(read(&FORMAT, b"a\nb\n1,2\nend\n").is_err());
    let late = read(&FORMAT, b"1,2\n-1\n3,4\n").unwrap();
    assert_eq!((late.faults.count("trailing-lines"), line(&late.one())), (1, "b18".into()));
}

#[test]
fn other_texts_are_not_taken() {
    for text in [
        "Piskvorky 20x20, 11:11, 0\n8,8,0\n9,9,0\n1,1,0\n",
        "a\nb\n1,2,3\n",
        "a\nb\nc\n1,2,3\n1,2,3\n1,2,3\n",
        "",
        "h8 i9",
    ] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 1000);
}

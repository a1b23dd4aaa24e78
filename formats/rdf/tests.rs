use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use games::{Coords, Size};
use record::Record;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("rdf/game.rdf")).unwrap()
}

fn offered(record: &Record) -> String {
    let text = |point: &games::Point| Coords::A1.text(*point, Size::default());
    record.head.opening.offered.iter().map(text).collect::<Vec<_>>().join(" ")
}

#[test]
fn rows_count_from_the_top() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!((line(&record).as_str(), offered(&record).as_str()), ("h8 i9 g7 c14 e5 n2", "e5 d6"));
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "rdf");
}

#[test]
fn the_game_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/rdf/sample.rdf") else { return };
    let record = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
    assert_eq!((line(&record).as_str(), offered(&record).as_str()), ("h8 i9 g6 g10 h6 e12 f6 e6 g8", "h6 g7"));
}

#[test]
fn what_does_not_read_is_placed() {
    for (text, wanted) in [
        ("x:RDFA:01HH02PA!", "rdf: `02PA` is no turn at byte 0xb (after h8, ply 1)"),
        ("x:RDFA:01HH03AA!", "rdf: `03AA` is no turn at byte 0xb (after h8, ply 1)"),
        ("x:RDFA:01HH02A", "rdf: the file ends inside a turn at byte 0xe (after h8, ply 1)"),
        ("x:RDFA:!", "rdf: there is no move at byte 0x7 (at the root)"),
        ("01HH", "rdf: there is no `:RDFA` and no colon behind it at byte 0x0"),
    ] {
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap_err().to_string(), wanted);
    }
    assert_eq!(line(&read_with(&FORMAT, b":RDFA:01HH02PA!", &lenient()).unwrap().one()), "h8");
    assert_eq!(read(&FORMAT, b":RDFA:01HH").unwrap().faults.count("no-end"), 1);
    assert!(read_with(&FORMAT, b":RDFA:01HH", &strict()).is_err());
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "h8 i9", ":RDFA", ":RDFA:02HH", "01HH02IG"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

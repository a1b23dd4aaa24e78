use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use games::{Coords, Size};
use record::Record;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("wzq/game.wzq")).unwrap()
}

fn offered(record: &Record) -> Vec<String> {
    record.head.opening.offered.iter().map(|point| Coords::A1.text(*point, Size::default())).collect()
}

#[test]
fn bytes_go_down_the_columns_and_the_fifth_stands_three_times() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 g7 c14 e5 n2 o1");
    assert_eq!(offered(&record), ["d6", "e5"]);
    assert_eq!((record.head.tag("Black"), record.head.tag("White")), (Some("张三"), Some("pq")));
    assert_eq!(detect(&sample(), Some("lib")).unwrap().name, "wzq");
}

#[test]
fn the_game_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/wzq/sample.wzq") else { return };
    let record = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 g6 g10 h6 e12 f6 e6 g8");
    assert_eq!((offered(&record).join(" ").as_str(), record.head.tag("White")), ("h6 j9", Some("White")));
}

#[test]
fn what_does_not_read_is_placed() {
    let mut bytes = sample();
    let last = bytes.len() - 1;
    bytes[last] = 225;
    let error = read(&FORMAT, &bytes).unwrap_err().to_string();
    assert!(error.starts_with("wzq: 225 is not a point of a 15x15 board at byte 0x1e (after h8 i9 "), "{error}");
    assert_eq!(line(&read_with(&FORMAT, &bytes, &lenient()).unwrap().one()), "h8 i9 g7 c14 e5 n2");
    assert_eq!(read(&FORMAT, &[0; 40]).unwrap_err().message, "there is no first move in the centre");
    let mut unclear = sample();
    unclear[last - 2] = 1;
    let read = read(&FORMAT, &unclear).unwrap();
    assert_eq!((read.faults.count("fifth-unclear"), read.one().tree.len()), (1, 10));
}

#[test]
fn voids_and_libraries_are_not_taken() {
    for bytes in [&[0; 4096][..], b"", b"\x78\x00\x69\x40", &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x70, 0x70]] {
        assert_eq!((FORMAT.likeness)(bytes), Likeness::No);
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

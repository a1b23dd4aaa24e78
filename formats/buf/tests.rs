use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use games::{Coords, Size};
use record::{Outcome, Record};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("buf/games.buf")).unwrap()
}

fn offered(record: &Record) -> String {
    let text = |point: &games::Point| Coords::A1.text(*point, Size::default());
    record.head.opening.offered.iter().map(text).collect::<Vec<_>>().join(" ")
}

#[test]
fn rows_count_from_the_top_and_flags_hide_in_a_name() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [first, second] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(line(first), "h8 i9 g7 c14 e5 n2");
    assert_eq!((first.head.tag("Black"), first.head.tag("White")), (Some("A. Player"), Some("FifteenLetters.")));
    assert_eq!((first.head.result, first.head.opening.swaps.as_deref()), (Some(Outcome::Second), Some("R")));
    assert_eq!((offered(first).as_str(), first.head.tag("Termination")), ("", Some("timeout")));
    assert_eq!((line(second).as_str(), offered(second).as_str()), ("h8 i9 g7 c14 e5 o1 a15", "e5 d6"));
    assert_eq!((second.head.result, second.head.tag("White")), (Some(Outcome::Draw), Some("b")));
    assert_eq!(detect(&sample(), Some("lib")).unwrap().name, "buf");
}

#[test]
fn the_game_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/buf/sample.buf") else { return };
    let record = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
    assert_eq!((line(&record).as_str(), record.head.result), ("h8 i9 g6 g10 h6 e12 f6 e6 g8", Some(Outcome::First)));
    assert_eq!(record.head.tag("White"), Some("WHITE PLAYER"));
}

#[test]
fn a_bad_game_costs_itself_only() {
    let mut bytes = sample();
    bytes[32] = 226;
    bytes[256 + 26] += 100;
    bytes[256 + 27] += 100;
    bytes[511] = 1;
    let normal = read(&FORMAT, &bytes).unwrap();
    assert_eq!((normal.records.len(), normal.records[0].head.result), (1, None));
    let faults: Vec<String> = normal.faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "226 is not a point of a 15x15 board at game 1, byte 0x20 (after h8 i9, ply 2): they are 1 to 225; the game was left out",
            "the flag of byte 26 is set at game 2, byte 0x118: not kept",
            "more than one result is told at game 2, byte 0x118: none is taken",
            "bytes stand behind the end of the moves at game 2, byte 0x1ff: not kept",
        ]
    );
    assert!(read_with(&FORMAT, &bytes, &strict()).is_err());
    let cut = &sample()[..300];
    assert_eq!(read(&FORMAT, cut).unwrap().faults.count("bad-game"), 1);
    assert_eq!(read_with(&FORMAT, cut, &lenient()).unwrap().records.len(), 2);
}

#[test]
fn other_files_are_not_taken() {
    for bytes in [&[0; 4096][..], &[b' '; 256], &[b'a'; 256], b""] {
        assert_eq!((FORMAT.likeness)(bytes), Likeness::No);
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

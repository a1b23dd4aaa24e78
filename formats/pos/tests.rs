use super::FORMAT;
use crate::samples::{files, lenient, line, line_game, read, read_with, records, strict, testdata, torture, write};
use crate::{Blame, Losses, detect};
use games::Size;
use proptest::prelude::*;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("pos/meigetsu.pos")).unwrap()
}

#[test]
fn bytes_go_row_by_row_from_the_top() {
    let record = read_with(&FORMAT, &[6, 112, 98, 1, 14, 224, 210], &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 b15 o15 o1 a1");
    assert_eq!(record.tree, line_game("7,7 8,6 1,0 14,0 14,14 0,14").tree);
    assert_eq!(line(&read(&FORMAT, &sample()).unwrap().one()), "h8 i9 g6 g10 h6 e12 f6 e6 g8");
}

#[test]
fn what_renlib_wrote_is_written_again() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!(write(&FORMAT, std::slice::from_ref(&record)).unwrap(), (sample(), Losses::default()));
    assert_eq!(write(&FORMAT, &[record.clone(), record.clone()]).unwrap_err().blame, Blame::Target);
    let mut wide = record;
    wide.head.size = Size::square(20).unwrap();
    assert_eq!(write(&FORMAT, &[wide]).unwrap_err().message, "the board of this format is 15x15, not 20x20");
    let long = line_game(&vec!["7,7"; 256].join(" "));
    assert_eq!(write(&FORMAT, &[long]).unwrap_err().message, "there are 256 moves, and a file holds 255");
}

#[test]
fn faults_are_named_and_placed() {
    let told = |bytes: &[u8]| read(&FORMAT, bytes).unwrap().faults.list()[0].to_string();
    assert_eq!(told(&[3, 112, 98]), "the file ends behind 2 of 3 moves at byte 0x3; these are kept");
    assert_eq!(told(&[1, 112, 98]), "bytes follow the last move at byte 0x2; they are left out");
    let bad = [3, 112, 225, 98];
    let error = read(&FORMAT, &bad).unwrap_err();
    assert_eq!(error.to_string(), "pos: byte 0xe1 is no point at byte 0x2 (after h8, ply 1): points are 0 to 224");
    assert_eq!(line(&read_with(&FORMAT, &bad, &lenient()).unwrap().one()), "h8");
    for bytes in [&[3, 112, 98][..], &[1, 112, 98], &bad, &[]] {
        assert!(read_with(&FORMAT, bytes, &strict()).is_err());
    }
}

#[test]
fn a_file_is_told_by_its_length() {
    let found = |bytes: &[u8]| detect(bytes, None).map(|format| format.name).ok();
    assert_eq!(found(&sample()), Some("pos"));
    assert_eq!(found(&sample()[..9]), None);
    assert_eq!(found(&[2, 112, 98]), Some("pos"));
    assert_eq!(found(&[2, 112, 112]), None);
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("pos"), "pos") {
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

use super::FORMAT;
use crate::samples::{files, lenient, line, line_game, read, read_with, records, strict, testdata, torture, write};
use crate::{Blame, Losses};
use games::Size;
use proptest::prelude::*;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("yixin-sav/game.sav")).unwrap()
}

#[test]
fn the_row_stands_before_the_column_and_counts_from_the_top() {
    let record = read_with(&FORMAT, b"15\n15\n4\n7 7\n6 8\n14 0\n0 13\n", &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 a1 n15");
    assert_eq!(record.tree, line_game("7,7 8,6 0,14 13,0").tree);
    assert_eq!(line(&read(&FORMAT, &sample()).unwrap().one()), "h8 i9 g6 g10 h6 e12 f6 e6 g8");
    let wide = read(&FORMAT, b"12\n20\n1\n11 19\n").unwrap().one();
    assert_eq!((wide.head.size, line(&wide).as_str()), (Size::new(20, 12).unwrap(), "t1"));
}

#[test]
fn what_yixin_wrote_is_written_again() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!(write(&FORMAT, std::slice::from_ref(&record)).unwrap(), (sample(), Losses::default()));
    assert_eq!(write(&FORMAT, &[record.clone(), record]).unwrap_err().blame, Blame::Target);
}

#[test]
fn faults_are_named_and_placed() {
    for (text, kept, told) in [
        ("15\n15\n2\n7 7\n", "h8", "the file ends behind 1 of 2 moves at byte 0xc; the moves before are kept"),
        ("15\n15\n1\n7 7\n6", "h8", "there is more than the moves that were told at line 5, byte 0xc; it is left out"),
        (
            "15\n15\n2\n7 7\n6",
            "h8",
            "the file ends behind the row of move 2 of 2 at line 5, byte 0xc (after h8, ply 1); the moves before are kept",
        ),
    ] {
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        assert_eq!(read.faults.list()[0].to_string(), told);
        assert_eq!(line(&read.one()), kept);
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    }
    for (text, message) in [
        ("", "yixin-sav: the file ends before the height of the board at byte 0x0"),
        ("15 x", "yixin-sav: `x` is not a number, but the width of the board is due at line 1, byte 0x3"),
        ("30\n15\n0\n", "yixin-sav: the board is 15x30 at line 1, byte 0x0: I know boards from 1x1 to 26x26"),
        (
            "15\n15\n2\n7 7\n6 15\n",
            "yixin-sav: `6` and the number behind it are no row and column of a 15x15 board at line 5, byte 0xc (after h8, ply 1)",
        ),
    ] {
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap_err().to_string(), message);
    }
    let kept = read_with(&FORMAT, b"15\n15\n3\n7 7\n6 15\n0 0\n", &lenient()).unwrap().one();
    assert_eq!(line(&kept), "h8");
}

#[test]
fn a_count_alone_takes_no_memory() {
    assert_eq!(read(&FORMAT, b"15\n15\n4294967295\n7 7\n").unwrap().one().tree.len(), 2);
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("yixin-sav"), "sav") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 2000);
    }
}

proptest! {
    #[test]
    fn any_record_is_written_as_it_is_read(record in records()) {
        let (bytes, _) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap();
        prop_assert_eq!(again.records[0].head.size, record.head.size);
        prop_assert_eq!(write(&FORMAT, &again.records).unwrap(), (bytes, Losses::default()));
    }
}

use super::FORMAT;
use crate::samples::{files, line, line_game, read, read_with, records, shared, strict, testdata, torture, write};
use crate::{Blame, Losses, ReadOptions, detect};
use games::Size;
use proptest::prelude::*;

fn on(size: u8) -> ReadOptions {
    ReadOptions { size: Size::square(size), ..strict() }
}

/// Offsets go to the right and down; the centre is half of the size, rounded down.
#[test]
fn offsets_are_from_the_centre() {
    let text = b"0,0, 1,-1, -7,7, 6,-7\n";
    let record = read_with(&FORMAT, text, &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 a1 n15");
    assert_eq!(record.tree, line_game("7,7 8,6 0,14 13,0").tree);
    let wide = read_with(&FORMAT, text, &on(20)).unwrap().one();
    assert_eq!(wide.tree, line_game("10,10 11,9 3,17 16,3").tree);
}

#[test]
fn openings_of_gomocup_are_read_whole() {
    let Some(folder) = shared("data/records/gomocup_openings") else { return };
    for (name, count, last) in [
        ("offset_freestyle_20x20.txt", 4, "g9 g8 g11 g10 i10 h10 k10 j10 k8 k9 j12 k11 i13 h12 n12 n13 n10 n11 n9 n8"),
        ("piskvork_openings.txt", 41, "c16 d16 c15 e14 e15"),
    ] {
        let openings = read_with(&FORMAT, &std::fs::read(folder.join(name)).unwrap(), &on(20)).unwrap().records;
        assert_eq!((openings.len(), line(openings.last().unwrap()).as_str()), (count, last), "{name}");
    }
    let judge = std::fs::read(folder.join("gomocupjudge_openings_20.txt")).unwrap();
    let openings = read_with(&FORMAT, &judge, &on(20)).unwrap().records;
    assert_eq!(openings.iter().map(|opening| opening.tree.len() - 1).collect::<Vec<_>>(), [3, 7, 3, 3, 3, 41]);
}

#[test]
fn what_piskvork_wrote_is_written_again() {
    let bytes = std::fs::read(testdata("gomocup-openings/openings.txt")).unwrap();
    let openings = read_with(&FORMAT, &bytes, &strict()).unwrap();
    assert_eq!(write(&FORMAT, &openings.records).unwrap(), (bytes, Losses::default()));
    let empty = record::Record::default();
    assert_eq!(write(&FORMAT, &[empty]).unwrap_err().blame, Blame::Target);
}

#[test]
fn lines_that_are_none_are_left_out_and_told() {
    let text = "0,0, 1,1\n0,0, 1\n\n  0 , 0 ,1, -1  \n0,0, x\n0,0, 12,0\n0,50\n";
    let whole = read(&FORMAT, text.as_bytes()).unwrap();
    assert_eq!(whole.records.iter().map(line).collect::<Vec<_>>(), ["h8 i7", "h8 i9"]);
    let told: Vec<String> = whole.faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "there are 3 numbers at game 2, line 2, byte 0xf: each stone has two; the game was left out",
            "`x` is no offset from -50 to 49 at game 4, line 5, byte 0x27; the game was left out",
            "`12,0` lies off a board of 15x15 at game 5, line 6, byte 0x29: name its size with --size; the game was left out",
            "`50` is no offset from -50 to 49 at game 6, line 7, byte 0x35; the game was left out",
        ]
    );
    assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    assert!(read(&FORMAT, b"1,2,3\n").is_err());
}

#[test]
fn a_file_is_told_by_its_first_line() {
    let found = |text: &str| detect(text.as_bytes(), Some("txt")).map(|format| format.name).ok();
    assert_eq!(found("0,0, 1,0, 1,3\r\n"), Some("gomocup-openings"));
    assert_eq!(found(&"-1,2, ".repeat(2000)), Some("gomocup-openings"));
    for other in ["h8 i9", "0,0, 1", "7", "1,2,x", "a,b"] {
        assert_ne!(found(other), Some("gomocup-openings"), "{other}");
    }
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("gomocup-openings"), "txt") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 1000);
    }
}

proptest! {
    #[test]
    fn any_record_is_written_as_it_is_read(record in records()) {
        let Ok((bytes, _)) = write(&FORMAT, std::slice::from_ref(&record)) else { return Ok(()) };
        let options = ReadOptions { size: Some(record.head.size), ..strict() };
        let again = read_with(&FORMAT, &bytes, &options).unwrap();
        let (same, losses) = write(&FORMAT, &again.records).unwrap();
        prop_assert_eq!(same, bytes);
        prop_assert!(losses.list().iter().all(|loss| loss.what.starts_with("board sizes")));
    }
}

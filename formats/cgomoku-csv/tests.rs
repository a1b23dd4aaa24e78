use super::FORMAT;
use crate::samples::{line, read, read_with, shared, strict, testdata, text_games, torture, write};
use crate::{Likeness, Losses, ReadOptions, detect};
use games::Size;
use record::Outcome;

#[test]
fn rows_count_from_the_top_and_results_are_of_the_side_to_move() {
    let record = read_with(&FORMAT, b"c2,n14,2\nc2n14,e11,0\n", &strict()).unwrap().one();
    assert_eq!(line(&record), "c14 n2 e5");
    assert_eq!((record.head.result, record.head.tag("OpeningPlies")), (Some(Outcome::Second), Some("1")));
    assert_eq!(write(&FORMAT, &[record]).unwrap(), (b"c2,n14,2\nc2n14,e11,0\n".to_vec(), Losses::default()));
    let options = ReadOptions { size: Size::square(20), ..strict() };
    assert_eq!(line(&read_with(&FORMAT, b",t20,1\r\n", &options).unwrap().one()), "t1");
}

#[test]
fn the_sample_in_the_repository_is_the_game_beside_it() {
    let bytes = std::fs::read(testdata("cgomoku-csv/game.samples")).unwrap();
    let read = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
    let wanted = &text_games(&testdata("moves/games.txt"))[0];
    assert_eq!((line(&read), read.head.result), (line(wanted), wanted.head.result));
    let (again, losses) = write(&FORMAT, std::slice::from_ref(wanted)).unwrap();
    assert_eq!(again, bytes);
    assert_eq!(losses.list().iter().map(ToString::to_string).collect::<Vec<_>>(), ["1 rules (left out), first renju"]);
    for extension in ["txt", "csv"] {
        assert_eq!(detect(&bytes, Some(extension)).unwrap().name, "cgomoku-csv");
    }
    assert!(crate::detect_entries(&bytes, Some("csv")).is_none());
}

#[test]
fn what_the_program_itself_wrote_is_written_back() {
    let Some(path) = shared("data/records/pgn_cgomokucli/sample.csv") else { return };
    let bytes = std::fs::read(path).unwrap();
    let whole = &bytes[..=bytes.iter().rposition(|byte| *byte == b'\n').unwrap()];
    let read = read_with(&FORMAT, whole, &strict()).unwrap();
    assert!(read.records.len() > 5);
    assert!(write(&FORMAT, &read.records).unwrap().0 == whole);
}

#[test]
fn a_bad_line_costs_itself_only() {
    let read = read(&FORMAT, b"h8,i9,1\nh8,i9\nh8,z9,1\nh8,i9j9,1\nh8,i9,3\nh8-i9,j9,0\n").unwrap();
    assert_eq!((read.records.len(), read.faults.count("bad-line")), (1, 5));
    let first = read.faults.list()[0].to_string();
    assert_eq!(first, "`h8,i9` is not a position, a move and a result at line 2, byte 0x8; the game was left out");
}

#[test]
fn tables_and_moves_are_not_taken() {
    for text in ["", "h8,i9", "h8 i9 j10", "position,rule,size\n", "index,key,label\n", "h8,i9,1\nh8,i9,x\n"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
    assert_eq!((FORMAT.likeness)(b"h8,i9,1"), Likeness::Magic);
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &std::fs::read(testdata("cgomoku-csv/game.samples")).unwrap(), 1000);
}

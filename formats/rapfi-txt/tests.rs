use super::{FORMAT, eval_of, value_of};
use crate::samples::{files, line, line_game, read, read_with, records, shared, strict, testdata, torture, write};
use crate::{Blame, Losses, detect};
use games::{Coords, Rule, Side, Size};
use proptest::prelude::*;
use record::{NodeId, Note, Outcome, Record, Score, Value};

fn value(record: &Record, node: NodeId) -> Option<Value> {
    record.tree.notes(node).find_map(|note| if let Note::Value(value) = note { Some(value) } else { None })
}

/// The moves below the end of the position, with their values.
fn best(record: &Record, position: usize) -> Vec<(String, Option<Score>)> {
    let tree = &record.tree;
    let end = tree.main_line().take(position).last().unwrap_or(NodeId::ROOT);
    let name = |node| Coords::A1.text(tree.play(node).stone().unwrap(), record.head.size);
    tree.children(end).map(|node| (name(node), value(record, node).map(|value| value.score))).collect()
}

/// Rows count from the top; result and value are of the side to move, here White.
#[test]
fn points_and_sides_are_those_of_rapfi() {
    let text = b"15,Renju,H8I7G10A15O2,0,H9(-99)|J9(-120)\n";
    let record = read_with(&FORMAT, text, &strict()).unwrap().one();
    assert_eq!(line(&record), "h8 i9 g6 a1 o14 h7");
    assert_eq!((record.head.rule, record.head.result), (Some(Rule::Renju), Some(Outcome::First)));
    let points = |text: &str, points| (text.to_string(), Some(Score::Points(points)));
    assert_eq!(best(&record, 5), [points("h7", 99), points("j7", 120)]);
    assert_eq!(write(&FORMAT, &[record]).unwrap(), (text.to_vec(), Losses::default()));
    let text = b"15,Freestyle,H8I7,2,G10(55)\n";
    let record = read_with(&FORMAT, text, &strict()).unwrap().one();
    assert_eq!(record.tree.main_line().count(), line_game("7,7 8,6 6,9").tree.main_line().count());
    assert_eq!(line(&record), line(&line_game("7,7 8,6 6,9")));
    assert_eq!((record.head.result, best(&record, 2)), (Some(Outcome::First), vec![points("g6", 55)]));
}

#[test]
fn wins_count_from_the_move_on() {
    // A five wins in one ply; the position after it is won in none.
    assert_eq!(value_of(29_999, Side::First).score, Score::FirstWins(0));
    assert_eq!(value_of(29_969, Side::Second).score, Score::SecondWins(30));
    assert_eq!(value_of(-29_992, Side::First).score, Score::SecondWins(7));
    assert_eq!(value_of(-29_992, Side::Second).score, Score::FirstWins(7));
    assert_eq!(value_of(663, Side::Second).score, Score::Points(-663));
    for eval in [0, 1, -29_499, 29_499, 29_500, 29_999, 30_000, -30_000, 40_000, i32::MAX, -i32::MAX] {
        for mover in [Side::First, Side::Second] {
            assert_eq!(eval_of(value_of(eval, mover), mover), Some(eval), "{eval}");
        }
    }
}

#[test]
fn what_rapfi_wrote_is_written_again() {
    let mut paths = vec![testdata("rapfi-txt/positions.txt")];
    paths.extend(shared("data/records/rapfi_bin/sample.txt"));
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let positions = read_with(&FORMAT, &bytes, &strict()).unwrap();
        assert_eq!(positions.records.len(), bytes.split(|byte| *byte == b'\n').count() - 1);
        assert_eq!(write(&FORMAT, &positions.records).unwrap(), (bytes, Losses::default()), "{}", path.display());
    }
}

#[test]
fn a_game_without_values_is_a_position() {
    let mut game = line_game("7,7 8,6 6,9");
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&game)).unwrap();
    assert_eq!((String::from_utf8(bytes).unwrap().as_str(), losses.is_empty()), ("15,,H8I7G10,,\n", true));
    game.head.size = Size::new(15, 12).unwrap();
    assert_eq!(write(&FORMAT, &[game]).unwrap_err().blame, Blame::Target);
}

#[test]
fn lines_that_are_none_are_left_out_and_told() {
    for (bad, told) in [
        ("15,Renju,H8,0", "there are 4 fields at game 1, line 1, byte 0x0: size"),
        ("27,Renju,H8,0,", "`27` is not a board size from 1 to 26 at game 1, line 1, byte 0x0"),
        ("15,Caro,H8,0,", "`Caro` is none of Rapfi's rules at game 1, line 1, byte 0x3"),
        ("15,Renju,H8H16,0,", "`H16` is not a point of a 15x15 board at game 1, line 1, byte 0xb"),
        ("15,Renju,H8,3,", "`3` is not a result at game 1, line 1, byte 0xc: it is 0, 1 or 2"),
        ("15,Renju,H8,0,H9(x)", "`H9(x)` is not a move with its value at game 1, line 1, byte 0xe"),
        ("15,Renju,H8,0,H9(1)|P9(2)", "`P9` is not a point of a 15x15 board at game 1, line 1, byte 0x14"),
    ] {
        let text = format!("{bad}\n\n15,Renju,H8,0,H9(5)\n");
        let whole = read(&FORMAT, text.as_bytes()).unwrap();
        let fault = whole.faults.list()[0].to_string();
        assert!(fault.starts_with(told), "{fault}");
        assert_eq!(whole.records.iter().map(line).collect::<Vec<_>>(), ["h8 h7"]);
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    }
    let bare = read(&FORMAT, b"15,Renju,H8,0,H9").unwrap();
    assert_eq!(bare.faults.count("no-value"), 1);
}

#[test]
fn a_file_is_told_by_its_first_line() {
    let found = |text: &str| detect(text.as_bytes(), Some("txt")).map(|format| format.name).ok();
    assert_eq!(found("15,Renju,H8I7,0,H9(-99)"), Some("rapfi-txt"));
    assert_ne!(found("15,renju,h8"), Some("rapfi-txt"));
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("rapfi-txt"), "txt") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 1000);
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

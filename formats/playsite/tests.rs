use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use record::Outcome;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("playsite/games.playsite")).unwrap()
}

#[test]
fn the_left_one_begins_and_letters_have_an_i() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [first, second, third] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!((line(first).as_str(), first.head.result), ("h8 i9 j10 c14 n2", Some(Outcome::First)));
    assert_eq!((first.head.tag("Black"), first.head.tag("White")), (Some("Left One"), Some("right")));
    assert_eq!((line(second).as_str(), second.head.result), ("h8", Some(Outcome::First)));
    assert_eq!(second.head.tag("Termination"), Some("resign"));
    assert_eq!((line(third).as_str(), third.head.result), ("h8 o1", Some(Outcome::Draw)));
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "playsite");
}

#[test]
fn the_game_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/text_games/playsite.txt") else { return };
    let record = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
    assert!(line(&record).starts_with("h8 h9 j9 j8 i7 h7 g10 i10 "));
    assert_eq!((record.tree.len(), record.head.result), (22, Some(Outcome::Second)));
}

#[test]
fn what_does_not_read_is_placed() {
    let text = b"-- HISTORY --\nA B\n1. H8 Q9\n-- HISTORY --\nA B\n1. H8 H9\n3. A1\n\nC wins.\n";
    let error = read_with(&FORMAT, text, &strict()).unwrap_err().to_string();
    assert_eq!(error, "playsite: `Q9` is not a point of a 15x15 board at game 1, line 3 (after h8, ply 1)");
    let lenient = read_with(&FORMAT, text, &lenient()).unwrap();
    assert_eq!(lenient.records.iter().map(line).collect::<Vec<_>>(), ["h8", "h8 h9"]);
    let faults: Vec<String> = lenient.faults.list()[1..].iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "`C wins.` is no part of a game at line 9: not kept",
            "`3. A1` is not row 2 of the moves at game 2, line 7 (after h8 h9, ply 2); the game is kept up to there",
        ]
    );
    assert!(read(&FORMAT, b"-- HISTORY --\nA B\n1. resign H8\n").is_err());
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "h8 i9", "Eks Ohs", "1. Vit G9, Svart G8\n"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

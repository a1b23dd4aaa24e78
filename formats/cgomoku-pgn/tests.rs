use super::FORMAT;
use crate::samples::{read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use record::Outcome;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("cgomoku-pgn/results.pgn")).unwrap()
}

#[test]
fn the_first_number_is_whites() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let results: Vec<_> = read.records.iter().map(|record| record.head.result).collect();
    assert_eq!(results, [Some(Outcome::Second), Some(Outcome::First), Some(Outcome::Draw)]);
    let head = &read.records[0].head;
    assert_eq!((head.tag("Black"), head.tag("White"), head.tag("PlyCount")), (Some("one"), Some("two"), Some("73")));
    assert!(head.tag("Result").is_none() && read.records[0].tree.len() == 1);
    assert_eq!(detect(&sample(), Some("pgn")).unwrap().name, "cgomoku-pgn");
}

#[test]
fn a_match_of_the_program_itself_agrees_with_its_words() {
    let Some(path) = shared("data/records/pgn_cgomokucli/renju.pgn") else { return };
    let read = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap();
    let wins = |outcome| read.records.iter().filter(|record| record.head.result == Some(outcome)).count();
    assert_eq!(read.records.len(), 16);
    assert_eq!(wins(Outcome::First) + wins(Outcome::Second), 16);
    assert_eq!(read.records[0].head.result, Some(Outcome::Second));
}

#[test]
fn words_and_numbers_that_disagree_are_told() {
    let text = b"[Result \"1-0\"]\n[Termination \"Black win by five connection\"]\n[PlyCount \"9\"]\n1. e4 e5 1-0\n[Result \"won\"]\n[x\n";
    let read = read(&FORMAT, text).unwrap();
    assert_eq!(read.records[0].head.result, Some(Outcome::First));
    assert_eq!((read.records[1].head.result, read.records[1].head.tag("PgnResult")), (None, Some("won")));
    let kinds: Vec<_> = read.faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect();
    assert_eq!(kinds, [("dummy-moves", 3), ("result-view", 1), ("bad-tag", 1), ("bad-result", 1)]);
    assert!(read_with(&FORMAT, text, &strict()).is_err());
}

#[test]
fn other_pgn_is_not_taken() {
    for text in ["[Event \"x\"]\n1. e4", "[Termination \"normal\"]\n[PlyCount \"3\"]\n1. h2e2", ""] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No);
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 1000);
}

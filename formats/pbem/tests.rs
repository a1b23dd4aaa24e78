use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use games::{Coords, Size};
use record::{Outcome, Record};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("pbem/games.pbem")).unwrap()
}

fn offered(record: &Record) -> String {
    let text = |point: &games::Point| Coords::A1.text(*point, Size::default());
    record.head.opening.offered.iter().map(text).collect::<Vec<_>>().join(" ")
}

#[test]
fn points_have_no_i_and_both_forms_offer_a_fifth_stone() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [old, new, short] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(line(old), "h8 i9 g7 c14 e5 n2 -- o1");
    assert_eq!((offered(old).as_str(), old.head.result), ("d6 e5", Some(Outcome::Second)));
    assert_eq!(
        (old.head.tag("Event"), old.head.tag("Black"), old.head.tag("White")),
        (Some("Game 1"), Some("Jon A."), Some("Ida"))
    );
    assert_eq!(line(new), "h8 g8 i9 c14 e5 n2 o15");
    assert_eq!((offered(new).as_str(), new.head.result), ("e5 d6", None));
    assert_eq!((line(short).as_str(), short.head.result), ("h8 i9", Some(Outcome::Draw)));
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "pbem");
}

#[test]
fn the_games_in_the_shared_samples_read() {
    let Some(folder) = shared("data/records/text_games") else { return };
    let read = |name: &str| read_with(&FORMAT, &std::fs::read(folder.join(name)).unwrap(), &strict()).unwrap().one();
    let new = read("pbem_new.txt");
    assert_eq!((line(&new).as_str(), offered(&new).as_str()), ("h8 g8 h9 h7 f9 h10 g10 i8 g9 i9", "f9 i6"));
    let old = read("pbem_old.txt");
    assert_eq!(line(&old), "h8 i9 g7 h9 g9 i7 i10 g10 f8 i8");
    assert_eq!((offered(&old).as_str(), old.head.result), ("g9 j9", Some(Outcome::First)));
}

#[test]
fn what_does_not_read_is_placed() {
    let game = |turns: &str| format!("Eks Ohs\na b\n{turns}\n");
    for (turns, wanted) in [
        ("1 H8 2 I9", "pbem: `I9` is not a point of a 15x15 board at game 1, line 3 (after h8, ply 1)"),
        ("1 H8 3 J9", "pbem: `3` stands where turn 2 begins at game 1, line 3 (after h8, ply 1)"),
        ("1 H8 2", "pbem: there is no turn behind `2` at game 1, line 3 (after h8, ply 1)"),
        ("1 H8 2 A1,A2", "pbem: `A1,A2` is no turn 2 at game 1, line 3 (after h8, ply 1)"),
        ("1 A1,B1 2 C1 3 D1,E1 4 F1,G1", "pbem: `F1,G1` is no turn 4 at game 1, line 3 (after h8 a1 b1 c1, ply 4)"),
    ] {
        assert_eq!(read(&FORMAT, game(turns).as_bytes()).unwrap_err().to_string(), wanted);
        assert_eq!(read_with(&FORMAT, game(turns).as_bytes(), &lenient()).unwrap().records.len(), 1);
    }
    let other = read(&FORMAT, b"hello\nEks Ohs\na b\n1 H8\nbye\n").unwrap();
    assert_eq!((other.faults.count("other-lines"), line(&other.one())), (2, "h8".into()));
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "h8 i9", "-- HISTORY --\n", "1. Vit G9, Svart G8\n", "x\n\ny\nz\nw\nEks Ohs\n"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

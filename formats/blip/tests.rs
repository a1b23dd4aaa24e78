use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("blip/game.blip")).unwrap()
}

#[test]
fn white_begins_and_letters_have_an_i() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!((line(&record).as_str(), record.head.tag("Begins")), ("h8 i9 j10 c14 n2", Some("Vit")));
    assert_eq!((record.head.rule, record.head.result), (None, None));
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "blip");
    let other = read(&FORMAT, b"1. Svart H8, Vit O1\n2. Svart A1").unwrap().one();
    assert_eq!((line(&other).as_str(), other.head.tag("Begins")), ("h8 o1 a1", Some("Svart")));
}

#[test]
fn the_game_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/text_games/blip.txt") else { return };
    let record = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
    assert!(line(&record).starts_with("g9 g8 h8 i7 i9 h9 "));
    assert!(line(&record).ends_with(" h7 c7 f4 f10"));
}

#[test]
fn what_does_not_read_is_placed() {
    for (text, wanted) in [
        ("1. Vit H8, Svart Q1", "blip: `Q1` is not a point of a 15x15 board at line 1 (at the root)"),
        ("1. Vit H8, Svart I9\n2. Svart A1", "blip: `Svart` moves out of turn at line 2 (after h8 i9, ply 2)"),
        ("1. Vit H8\n2. Vit A1", "blip: `2. Vit A1` stands where turn 2 begins at line 2 (after h8, ply 1)"),
        (
            "1. Vit H8, Svart I9\n3. Vit A1",
            "blip: `3. Vit A1` stands where turn 2 begins at line 2 (after h8 i9, ply 2)",
        ),
        ("1. Vit H8, Vit I9", "blip: `Vit` moves out of turn at line 1 (after h8, ply 1)"),
        ("\n\n", "blip: there is no move at line 1 (at the root)"),
    ] {
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap_err().to_string(), wanted);
    }
    let kept = read_with(&FORMAT, b"1. Vit H8, Svart I9\nprose", &lenient()).unwrap();
    assert_eq!((kept.faults.count("cut-game"), line(&kept.one())), (1, "h8 i9".into()));
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "1. h8 2. i9", "2. Vit H8, Svart I9", "1. White H8, Black I9"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

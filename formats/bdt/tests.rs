use super::FORMAT;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, ReadOptions, detect};
use games::{Coords, Size};
use record::{NodeId, Outcome};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("bdt/games.bdt")).unwrap()
}

#[test]
fn rows_count_from_the_bottom_and_the_fifth_has_no_i() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [first, second, third] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(line(first), "h8 i9 g7 c14 e5 n2");
    let offered: Vec<_> = first.head.opening.offered.iter().map(|p| Coords::A1.text(*p, Size::default())).collect();
    assert_eq!(offered, ["e5", "i7"]);
    assert_eq!((first.head.tag("Event"), first.head.tag("White")), (Some("World Ch., Tokyo"), Some("B b")));
    assert_eq!((first.head.result, first.head.opening.swaps.as_deref()), (Some(Outcome::First), Some("R")));
    let last = first.tree.main_line().last().unwrap();
    assert_eq!(first.tree.line(last), Some("nice, long game]"));
    assert_eq!((line(second).as_str(), second.head.result), ("h8", Some(Outcome::Second)));
    assert_eq!((second.head.tags.len(), third.head.result), (0, Some(Outcome::Draw)));
    assert_eq!(third.tree.line(NodeId::ROOT), None);
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "bdt");
}

#[test]
fn a_file_that_renlib_wrote_counts_rows_from_the_top() {
    let Some(folder) = shared("data/renlib/emilgardis") else { return };
    let bytes = std::fs::read(folder.join("examplefiles_nocomments.bdt")).unwrap();
    let options = ReadOptions { coords: Coords::Rapfi, ..strict() };
    let games = read_with(&FORMAT, &bytes, &options).unwrap().records;
    let library = std::fs::read(folder.join("examplefiles_nocomments.lib")).unwrap();
    let library = read(&crate::renlib::FORMAT, &library).unwrap().one();
    // RenLib drops the last move.
    assert_eq!(format!("{} j10", line(&games[0])), line(&library));
}

#[test]
fn a_bad_line_costs_its_own_game_only() {
    let text = b"x=[,,+,8810,,,]\nprose\n,=[,,1,88,,,]\n,=[,,,88,I7,,]\n,=[,,,88,,?,]\n";
    let normal = read(&FORMAT, text).unwrap();
    assert_eq!(normal.records.len(), 1);
    let faults: Vec<String> = normal.faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "`10` is not a move at game 1, line 1 (after h8, ply 1); the game was left out",
            "`prose` is no game at game 2, line 2 (at the root): it has seven fields in `=[…]`; the game was left out",
            "`1` is not a result at game 3, line 3 (at the root): it is +, - or =; the game was left out",
            "`I7` is not a point of a 15x15 board at game 4, line 4 (after h8, ply 1); the game was left out",
        ]
    );
    assert_eq!(read_with(&FORMAT, text, &lenient()).unwrap().records.len(), 3);
    assert!(read_with(&FORMAT, text, &strict()).is_err());
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "h8 i9", "a=[1,2,3]", "x=[,,,h8,,,]", "(;GM[4];B[hh])"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 1000);
}

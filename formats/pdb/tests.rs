use super::FORMAT;
use crate::samples::{line, read, read_with, shared, strict, testdata, torture};
use crate::{Likeness, detect};
use games::Side;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("pdb/games.pdb")).unwrap()
}

#[test]
fn the_high_digit_is_the_column_and_rows_count_from_the_top() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [first, second] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(line(first), "h8 i9 g7 c14 n2");
    let tree = &first.tree;
    let sides: Vec<Side> = tree.main_line().map(|node| tree.side(node)).collect();
    assert_eq!(sides, [Side::First, Side::Second, Side::First, Side::Second, Side::Second]);
    let shown = tree.nodes().find(|node| tree.is_start(*node)).unwrap();
    assert_eq!(tree.path(shown).len(), 3);
    let tags: Vec<_> = first.head.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(tags, [("Event", "Cup"), ("Black", "Ann"), ("White", "黑"), ("Date", "2001"), ("FifthMove", "D6")]);
    assert_eq!(tree.line(tree.main_line().last().unwrap()), Some("why"));
    assert_eq!((line(second).as_str(), second.head.tags.len()), ("o1", 0));
    assert_eq!(detect(&sample(), Some("lib")).unwrap().name, "pdb");
}

#[test]
fn the_two_top_rows_are_those_of_the_library_beside_them() {
    let Some(folder) = shared("data/renlib/emilgardis") else { return };
    let game = std::fs::read(folder.join("examplefiles_lib_two_top_rows.pdb")).unwrap();
    let library = std::fs::read(folder.join("examplefiles_lib_two_top_rows.lib")).unwrap();
    let game = read_with(&FORMAT, &game, &strict()).unwrap().one();
    assert!(line(&game).starts_with("a15 b15 c15 "));
    assert_eq!(line(&game), line(&read(&crate::renlib::FORMAT, &library).unwrap().one()));
}

#[test]
fn what_does_not_read_is_placed() {
    let broken = |at: usize, byte: u8| {
        let mut bytes = sample();
        bytes[at] = byte;
        read(&FORMAT, &bytes).map(|read| read.faults.list()[0].to_string()).unwrap_or_else(|error| error.to_string())
    };
    let first = 78 + 16 + 2;
    assert_eq!(
        broken(first + 6, 0xF0),
        "column 15, row 0 is not a point of a 15x15 board at game 1, byte 0x66; the game was left out"
    );
    assert_eq!(
        broken(first + 7, 3),
        "3 is no kind of stone at game 1, byte 0x67: they are 1 and 2; the game was left out"
    );
    assert_eq!(broken(78, 0xFF), "the game does not lie in the file at game 1, byte 0xff000060; the game was left out");
    assert_eq!(broken(76, 0xFF), "pdb: the file ends inside the list of its 65282 games at byte 0x92");
    assert_eq!(broken(64, b'x'), "pdb: this is no database of the program GoRenjer at byte 0x3c");
    assert!(read_with(&FORMAT, &sample()[..sample().len() - 3], &strict()).is_err());
}

#[test]
fn other_databases_are_not_taken() {
    for bytes in [&b""[..], &[0; 4096], b"DATA5Ren"] {
        assert_eq!((FORMAT.likeness)(bytes), Likeness::No);
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 3000);
}

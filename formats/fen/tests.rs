use super::FORMAT;
use crate::samples::*;
use crate::{ReadOptions, Sure, by_name, detect};
use games::{Move, Side};
use record::{Note, Play, Record, WRITTEN, bind};

fn list(name: &str) -> Vec<u8> {
    std::fs::read(testdata("fen").join(name)).unwrap()
}

fn moves(record: &Record) -> String {
    let tree = &record.tree;
    let steps = tree.main_line().map(|node| match tree.play(node) {
        Play::Move(Move::Step(step)) => step.to_string(),
        play => format!("{play:?}"),
    });
    steps.collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_are_positions_with_names_and_solutions() {
    let found = read_with(&FORMAT, &list("list.fen"), &strict()).unwrap();
    let fens: Vec<_> = found.records.iter().map(|record| record.head.fen()).collect();
    assert_eq!(fens, [None, Some("4k4/9/9/9/9/9/9/9/4R4/3K5 b")]);
    let found = read(&FORMAT, &list("endgames.eglib")).unwrap();
    assert_eq!(found.encoding.unwrap().sure, Sure::Certain);
    let [one, two] = &found.records[..] else { panic!("{:?}", found.records.len()) };
    assert_eq!((one.head.tag("Title"), moves(one).as_str()), (Some("车杀"), "e9f9 e1f1 f9e9"));
    assert_eq!(one.tree.side(one.tree.main_line().next().unwrap()), Side::Second);
    assert_eq!(two.head.tag("Title"), Some("无着法"));
    let told: Vec<String> = found.faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("`4k4/9 w` is no position ("), "{told:?}");
    assert!(told[0].contains("game 3, line 3, byte 0x"), "{told:?}");
    assert!(read_with(&FORMAT, &list("endgames.eglib"), &strict()).is_err());
}

#[test]
fn what_is_written_reads_back() {
    for name in ["list.fen", "endgames.eglib"] {
        let records = read(&FORMAT, &list(name)).unwrap().records;
        let (bytes, losses) = write(&FORMAT, &records).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap().records;
        assert_eq!(again.len(), records.len());
        for (again, record) in again.iter().zip(&records) {
            assert_eq!(again.tree, record.tree);
            assert_eq!(again.head.tag("Title"), record.head.tag("Title"));
            // The counters are written out.
            assert_eq!(again.head.fen().is_some(), record.head.fen().is_some());
            assert!(again.head.fen().is_none_or(|fen| fen.starts_with(record.head.fen().unwrap())));
        }
        assert_eq!(write(&FORMAT, &again).unwrap().0, bytes);
    }
}

#[test]
fn what_a_line_has_no_room_for_is_told() {
    let xqf = by_name("xqf").unwrap();
    let record = read(xqf, &std::fs::read(testdata("xqf/variations.xqf")).unwrap()).unwrap().one();
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(
        text,
        "自编棋谱|rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1|h2e2 h9g7 h0g2 i9h9\n"
    );
    let told: Vec<(&str, u64)> = losses.list().iter().map(|loss| (loss.what, loss.count)).collect();
    assert_eq!(
        told,
        [
            ("tags (left out)", 10),
            ("results (left out)", 1),
            ("comments, values and other notes (left out)", 6),
            ("moves beside the main line (left out)", 6)
        ]
    );
}

#[test]
fn moves_of_other_notations_wait_for_the_board() {
    let text = "兵|4k4/9/9/9/9/9/9/9/4R4/3K5 w|车五平六 e9f9";
    let record = read(&FORMAT, text.as_bytes()).unwrap().one();
    let node = record.tree.main_line().next().unwrap();
    assert_eq!(record.tree.notes(node).next(), Some(Note::Property(WRITTEN, "车五平六")));
    assert_eq!(moves(&Record { tree: bind(&record, None).unwrap().tree, ..record }), "e1d1 e9f9");
}

#[test]
fn every_sample_reads() {
    let Some(folder) = shared("data/xiangqi/fen") else { return };
    let (mut positions, mut plies, mut unplayable, mut left) = (0, 0, 0, 0);
    for path in files(&folder, "eglib") {
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(detect(&bytes, None).unwrap().name, "fen", "{}", path.display());
        let found = read(&FORMAT, &bytes).unwrap();
        left += found.faults.count("bad-line");
        positions += found.records.len();
        for record in &found.records {
            plies += record.tree.len() - 1;
            unplayable += bind(record, None).unwrap().unplayable.len();
        }
    }
    // Eight solutions have a move that cannot be played.
    assert_eq!((positions, plies, unplayable, left), (11_262, 222_074, 8, 0));
    let found = |name: &str| detect(&std::fs::read(folder.join(name)).unwrap(), Some("FEN")).map(|format| format.name);
    assert_eq!(found("CCHESS.FEN").ok(), Some("fen"));
    assert_eq!(found("pikafish_bench.fen").ok(), Some("fen"));
    // A position of chess.
    assert!(found("CHESS.FEN").is_err());
}

#[test]
fn damaged_files_end_politely() {
    for name in ["list.fen", "endgames.eglib"] {
        torture(&FORMAT, &list(name), 500);
    }
    assert!(read_with(&FORMAT, b"", &ReadOptions::default()).is_err());
}

#[test]
fn only_lists_are_taken_for_one() {
    for other in ["h8 i9", "a/b/c/d/e/f/g/h/i/j", "9/9/9/9/9/9/9/9/9", "http://x/1/2/3/4/5/6/7/8/9"] {
        assert!(detect(other.as_bytes(), None).map_or(true, |format| format.name != "fen"), "{other}");
    }
    assert_eq!(detect(b"# x\n\nname|9/9/9/9/9/9/9/9/9/9 w", None).unwrap().name, "fen");
}

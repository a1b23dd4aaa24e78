use super::FORMAT;
use crate::WriteOptions;
use crate::samples::*;
use games::{Coords, Size};
use proptest::prelude::*;
use record::{NodeId, Outcome, Record};

const SPEC: &str = include_str!("SPEC.md");

/// The example of the specification.
fn example() -> &'static str {
    SPEC.split("```\n").nth(1).unwrap()
}

fn read_text(text: &str) -> Record {
    read(&FORMAT, text.as_bytes()).unwrap_or_else(|error| panic!("{error}")).one()
}

fn error(text: &str) -> String {
    read(&FORMAT, text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn the_example_of_the_specification_reads_as_it_says() {
    let record = read_text(example());
    let tree = &record.tree;
    assert_eq!(record.head.tag("Black"), Some("Nakamura"));
    assert_eq!(tree.line(NodeId::ROOT), Some("The root."));
    let plies: Vec<usize> = tree.walk().map(|(depth, _)| depth).collect();
    assert_eq!(plies, [0, 1, 2, 3, 4, 2, 3]);
    let i9 = tree.nodes().nth(6).unwrap();
    assert_eq!(tree.line(i9), Some("Indirect openings"));
    assert_eq!(tree.body(i9), Some("start with 69, direct ones with 68."));
}

#[test]
fn a_written_record_is_laid_out_for_people() {
    let record = read_text(example());
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    assert!(losses.is_empty());
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.ends_with("\n\n{[%label 88 A] The root.}\n1. 78 {[%val 35,18]} 2. 69 (2. 68 3. 59 {Indirect openings\nstart with 69, direct ones with 68.}) 3. 5A @4B {[%text W]} *\n"), "{text}");
}

#[test]
fn hand_written_text_is_understood() {
    for text in [
        "[Agr \"1\"]\n\n1. 78 2. 69 (2. 68) 3. 5A *",
        "\u{FEFF}[Agr \"1\"]\r\n\r\n1.78 2.69(2.68)3.5A\r\n*\r\n",
        "[Agr \"1\"] 78 69 ( 68 ) 5A *",
        "[Agr \"1\"][Coords \"a1\"] h8 1... i9 (h9) 3.j10 *",
    ] {
        let record = read_text(text);
        assert_eq!(record.tree, read_text("[Agr \"1\"] 78 69 (68) 5A *").tree, "{text}");
    }
    let record = read_text("[Agr \"1\"] 78 {[%val 3] [%clk 0:01] one} {two} {three} 1-0");
    let node = record.tree.main_line().next().unwrap();
    assert_eq!(record.tree.line(node), Some("one"));
    assert_eq!(record.tree.body(node), Some("two\nthree"));
    assert_eq!(record.head.result, Some(Outcome::First));
}

#[test]
fn faults_have_a_line_a_byte_and_a_path() {
    for (text, message) in [
        ("78", "agi-record: a record begins with the tag [Agr \"1\"], and this does not at game 1, line 1, byte 0x0"),
        ("[Agr \"2\"] *", "agi-record: the tag Agr cannot have the value `2` at game 1, line 1, byte 0x0"),
        (
            "[Agr \"1\"]\n[Size \"99\"] *",
            "agi-record: the tag Size cannot have the value `99` at game 1, line 2, byte 0xa",
        ),
        (
            "[Agr \"1\"\n78",
            "agi-record: a tag is [Name \"value\"] on one line, and this is none at game 1, line 1, byte 0x0",
        ),
        (
            "[Agr \"1\"]\n\n1. 78 69\n3. xx *",
            "agi-record: `xx` is not a move on a 15x15 board in the notation agi at game 1, line 4, byte 0x17 (after h8 i9, ply 2)",
        ),
        (
            "[Agr \"1\"] (78) *",
            "agi-record: a variation stands behind a move, and there is none at game 1, line 1, byte 0xa",
        ),
        (
            "[Agr \"1\"] 78 {[%val x]} *",
            "agi-record: `[%val x]` is not a command as the format knows it at game 1, line 1, byte 0xd",
        ),
        ("[Agr \"1\"] 78 {[%val 3} *", "agi-record: a command in a comment has no ] at game 1, line 1, byte 0xd"),
        ("", "agi-record: there is no record in the file"),
    ] {
        assert_eq!(error(text), message);
    }
    assert!(read(&FORMAT, b"[Agr \"1\"] \xFF *").unwrap_err().to_string().contains("byte 0xa"));
}

#[test]
fn cut_records_are_kept_and_told() {
    for (text, kind, nodes) in [
        ("[Agr \"1\"] 78 69", "no-end", 3),
        ("[Agr \"1\"] 78 69 (68 59", "open-variation", 5),
        ("[Agr \"1\"] 78 {half of a com", "open-comment", 2),
        ("[Agr \"1\"] 78 ) 69 *", "extra-close", 3),
        ("[Agr \"1\"][Result \"0-1\"] 78 1-0", "result-differs", 2),
    ] {
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        assert_eq!(read.faults.count(kind), 1, "{text}");
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err(), "{text}");
        assert_eq!(read.one().tree.len(), nodes, "{text}");
    }
    let two = b"[Agr \"1\"] 78 xx 69 *\n[Agr \"1\"] 78 *";
    let kept = read_with(&FORMAT, two, &lenient()).unwrap();
    assert_eq!(kept.records.iter().map(|record| record.tree.len()).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(kept.faults.count("bad-record"), 1);
}

#[test]
fn a_bad_record_costs_that_record() {
    let text = "[Agr \"1\"] 78 *\n[Agr \"1\"] 78 xx 69 *\n[Agr \"1\"]\n[Size \"x\"] 78 *\n[Agr \"1\"] 78 69 *";
    let read = read(&FORMAT, text.as_bytes()).unwrap();
    assert_eq!(read.records.iter().map(|record| record.tree.len()).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(read.faults.count("bad-record"), 2);
    assert!(read.faults.list()[0].to_string().contains("game 2, line 2"));
    assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    assert!(crate::samples::read(&FORMAT, b"[Agr \"1\"] xx *\n[Agr \"1\"] xx *").is_err());
}

#[test]
fn points_can_be_written_as_people_say_them() {
    let options = WriteOptions { coords: Some(Coords::A1), ..WriteOptions::default() };
    let record = read_text(example());
    let text = String::from_utf8(write_with(&FORMAT, std::slice::from_ref(&record), &options).unwrap().0).unwrap();
    assert!(text.contains("1. h8 {[%val 35,18]} 2. i9 (2. h9 3. i10"), "{text}");
    assert_eq!(read_text(&text), record);
    let wide =
        Record { head: record::Head { size: Size::square(20).unwrap(), ..Default::default() }, ..Default::default() };
    let agi = WriteOptions { coords: Some(Coords::Agi), ..WriteOptions::default() };
    assert!(write_with(&FORMAT, &[wide], &agi).is_err());
}

#[test]
fn every_library_survives_the_way_through_an_annotated_record() {
    let mut libraries = files(&testdata("renlib"), "lib");
    libraries.extend(shared("data/renlib").map(|folder| files(&folder, "lib")).unwrap_or_default());
    let mut survived = 0;
    for path in libraries {
        let Ok(library) = read(&crate::renlib::FORMAT, &std::fs::read(&path).unwrap()) else { continue };
        let record = library.one();
        let (text, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty());
        let again = read(&FORMAT, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).one();
        let straight = write(&crate::renlib::FORMAT, &[record]).unwrap().0;
        assert_eq!(write(&crate::renlib::FORMAT, &[again]).unwrap().0, straight, "{}", path.display());
        survived += 1;
    }
    assert!(survived >= 30, "{survived}");
}

#[test]
fn many_comments_at_a_move_are_joined_in_linear_time_and_memory() {
    let record = read_text(&format!("[Agr \"1\"] 78 {} *", "{[%label 69 x] a\nb}".repeat(200_000)));
    let node = record.tree.first_child(record::NodeId::ROOT).unwrap();
    assert_eq!((record.tree.line(node), record.tree.body(node).unwrap().len()), (Some("a"), 4 * 200_000 - 3));
    // Each bad record has a place, and a place has a line.
    let bad = "[Agr \"1\"] z\n".repeat(200_000);
    assert_eq!(read_with(&FORMAT, bad.as_bytes(), &lenient()).unwrap().faults.count("bad-record"), 200_000);
}

#[test]
fn what_stands_twice_is_refused_and_a_record_of_tags_alone_ends_before_the_next() {
    for (text, message) in [
        ("[Agr \"1\"] [Size \"15\"] [Size \"9\"] *", "the tag Size stands twice"),
        ("[Agr \"1\"] 78 {[%text A][%text B]} *", "a second `[%text B]` at one move"),
        ("[Agr \"1\"] 78 {[%val 1]} {[%val 2]} *", "a second `[%val 2]` at one move"),
    ] {
        assert!(error(text).contains(message), "{}", error(text));
    }
    assert!(error(&format!("[Agr \"1\"] {{[%prop {} x]}} *", "N".repeat(70_000))).contains("is not a command"));
    let two = read(&FORMAT, b"[Agr \"1\"]\n[Black \"A\"]\n[Agr \"1\"]\n[Black \"B\"]\n78 *").unwrap();
    assert_eq!(two.faults.count("no-end"), 1);
    let names: Vec<_> = two.records.iter().map(|record| record.head.tag("Black").unwrap()).collect();
    assert_eq!(names, ["A", "B"]);
}

#[test]
fn games_of_engines_read_back() {
    let Some(folder) = shared("data/games") else { return };
    let mut games = 0;
    for path in files(&folder, "txt") {
        let records = text_games(&path);
        let (text, losses) = write(&FORMAT, &records).unwrap();
        assert!(losses.is_empty());
        assert!(read_with(&FORMAT, &text, &strict()).unwrap().records == records, "{}", path.display());
        games += records.len();
    }
    assert_eq!(games, 6728);
}

#[test]
fn every_prefix_and_thousands_of_mutations_end_politely() {
    torture(&FORMAT, example().as_bytes(), 5000);
}

#[test]
fn deep_nesting_long_lines_and_large_comments_are_no_trouble() {
    let nested = format!("[Agr \"1\"] 78 {}{} *", "(69 78".repeat(100_000), ")".repeat(100_000));
    assert_eq!(read_text(&nested).tree.len(), 200_002);
    let long = format!("[Agr \"1\"] {}{{{}}} *", "78 69 ".repeat(500_000), "x".repeat(10_000_000));
    let record = read_text(&long);
    assert_eq!(record.tree.len(), 1_000_001);
    assert_eq!(read(&FORMAT, &write(&FORMAT, std::slice::from_ref(&record)).unwrap().0).unwrap().one(), record);
}

proptest! {
    #[test]
    fn all_that_a_record_holds_comes_back(records in prop::collection::vec(all_records(), 1..3)) {
        let (bytes, losses) = write(&FORMAT, &records).unwrap();
        prop_assert!(losses.is_empty());
        let again = read_with(&FORMAT, &bytes, &strict());
        prop_assert!(again.is_ok(), "{}\n{}", again.unwrap_err(), String::from_utf8_lossy(&bytes));
        let again = again.unwrap();
        prop_assert!(again.records == records, "{:#?}\n{:#?}\n{}", again.records, records, String::from_utf8_lossy(&bytes));
    }
}

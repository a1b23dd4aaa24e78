use super::FORMAT;
use crate::samples::*;
use crate::{Likeness, detect};
use games::{Coords, Move, Point, Rule, Side, Size};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use record::{NodeId, Note, Part, Play, Record, Tree, TreeBuilder};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn again(records: &[Record]) -> Vec<Record> {
    let (bytes, losses) = write(&FORMAT, records).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let read = read_with(&FORMAT, &bytes, &strict()).unwrap_or_else(|e| panic!("{e}\n{}", bytes.escape_ascii()));
    read.records
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("agi-game").join(name)).unwrap()
}

/// The moves of the main line.
fn main_line(record: &Record) -> String {
    let moves = record.tree.main_line().map(|node| match record.tree.play(node) {
        Play::Nothing => "·".into(),
        play => play.point().map_or("--".into(), |point| Coords::A1.text(point, record.head.size)),
    });
    moves.collect::<Vec<String>>().join(" ")
}

proptest! {
    #[test]
    fn every_record_reads_back(records in prop::collection::vec(all_records(), 0..4)) {
        prop_assert_eq!(again(&records), records);
    }
}

#[test]
fn flags_of_the_root_and_many_notes_of_a_kind_read_back() {
    let point = Point::new(3, 4).unwrap();
    let mut builder = TreeBuilder::new();
    builder.set_found();
    builder.set_start();
    for text in ["one", "", " \t\n ", "]]>", "a\u{1}b"] {
        builder.note(Note::Line(text)).unwrap();
        builder.note(Note::Label(point, text)).unwrap();
        builder.note(Note::Property(text, text)).unwrap();
        builder.note(Note::Bytes(Part::Body, text.as_bytes())).unwrap();
    }
    let mut record = Record { tree: builder.build(), ..Record::default() };
    record.head.tags = vec![("a\"<\n\t ".into(), " \r\n&\t ".into())];
    record.head.opening.swaps = Some(String::new());
    assert_eq!(again(std::slice::from_ref(&record)), [record]);
}

#[test]
fn what_xml_cannot_hold_is_a_loss() {
    let mut record = Record::default();
    record.head.tags.push(("Black".into(), "a\u{1}b".into()));
    let mut builder = TreeBuilder::new();
    builder.append(1, Side::First, Play::Move(Move::Pass)).unwrap();
    builder.note(Note::Time(5)).unwrap();
    builder.note(Note::Time(6)).unwrap();
    record.tree = builder.build();
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    let losses: Vec<String> = losses.list().iter().map(|loss| loss.to_string()).collect();
    assert_eq!(
        losses,
        [
            "1 tags with characters that XML cannot hold (written as U+FFFD), first Black",
            "1 second values, times or turns of a node (left out), first after --"
        ]
    );
    let read = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
    assert_eq!(read.head.tag("Black"), Some("a\u{FFFD}b"));
}

#[test]
fn samples_of_ours_are_written_byte_for_byte() {
    for name in ["two-games.agx", "annotated.agx"] {
        let bytes = sample(name);
        let read = read_with(&FORMAT, &bytes, &strict()).unwrap();
        let (written, losses) = write(&FORMAT, &read.records).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(bytes).unwrap());
        assert!(losses.is_empty());
        assert_eq!(read.faults.counts(), []);
    }
}

#[test]
fn plain_games_are_read() {
    let games = read(&FORMAT, &sample("two-games.agx")).unwrap().records;
    assert_eq!(games[0].head.tag("Event"), Some("R&D <cup>"));
    assert_eq!(games[0].head.tag("White"), Some("Ann \"Ace\" O'Neil"));
    assert_eq!((games[0].head.rule, games[0].tree.len()), (Some(Rule::Renju), 24));
    assert_eq!((games[0].head.opening.declared, games[0].head.opening.offered.len()), (Some(2), 2));
    assert_eq!(games[1].head.size, Size::new(20, 12).unwrap());
    assert_eq!(main_line(&games[1]), "a1 t12 -- --");
}

#[test]
fn a_tree_is_read_with_all_that_is_written_in_it() {
    let record = read(&FORMAT, &sample("annotated.agx")).unwrap().one();
    let tree = &record.tree;
    let depths: Vec<usize> = tree.walk().map(|(depth, _)| depth).collect();
    assert_eq!(depths, [0, 1, 2, 3, 3, 4, 5, 2, 1, 2]);
    assert_eq!(tree.body(NodeId::ROOT), Some("First line\n\tsecond, behind a tab\n"));
    assert!(tree.is_start(NodeId::ROOT));
    let node = tree.nodes().nth(3).unwrap();
    assert_eq!((tree.line(node), tree.text(node), tree.is_found(node)), (Some("good & quick"), Some("A"), true));
    assert_eq!(tree.notes(node).filter(|note| matches!(note, Note::Label(..))).count(), 2);
    let point = Coords::A1.parse("d4", record.head.size).unwrap();
    assert_eq!(tree.play(tree.nodes().nth(4).unwrap()), Play::Label(point));
    assert_eq!(tree.side(tree.nodes().nth(5).unwrap()), Side::First);
    assert_eq!(tree.bytes(tree.nodes().nth(7).unwrap(), Part::Line), Some(&[0xD0][..]));
}

#[test]
fn what_other_writers_do_is_read() {
    let read = read(&FORMAT, &sample("by-hand.agx")).unwrap();
    assert_eq!(read.faults.counts(), [("unknown-element", crate::Severity::Quirk, 1)]);
    let record = read.one();
    assert_eq!(main_line(&record), "h8 h9 j10 i9");
    assert_eq!(record.head.tags, [("a\"b\nc".into(), "A & B <c> &amp; 甲 B!".into())]);
    assert_eq!(record.tree.line(record.tree.main_line().last().unwrap()), Some("one\ntwo"));
}

#[test]
fn later_versions_are_read_and_what_is_new_is_counted() {
    let bytes = sample("later-version.agx");
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!((read.faults.count("unknown-element"), read.faults.count("unknown-attribute")), (3, 4));
    assert!(!read.faults.damage());
    let messages: Vec<String> = read.faults.list().iter().map(|fault| fault.to_string()).collect();
    assert_eq!(
        messages[5],
        "the element `sound` is not known and passed over at game 1, byte 0x109 (after h8 i9 j10, ply 3)"
    );
    assert_eq!(main_line(&read.one()), "h8 i9 j10 k11");
    let error = read_with(&FORMAT, &bytes, &strict()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agi-game: the attribute `curator` of `agx` is not known and passed over at byte 0x27"
    );
}

#[test]
fn the_example_of_the_specification_is_a_file() {
    let text = include_str!("SPEC.md");
    let example = text.split("```xml\n").nth(1).unwrap().split("```").next().unwrap();
    let record = read_with(&FORMAT, example.as_bytes(), &strict()).unwrap().one();
    assert_eq!(main_line(&record), "h8 h9 j10 i9 i10 k9");
    assert_eq!(write(&FORMAT, &[record]).unwrap().0, example.as_bytes());
}

#[test]
fn bad_files_fail_with_a_known_message() {
    let table = [
        (
            "bare-ampersand",
            "`&` is not a reference that agi-game allows at game 1, byte 0x51: an ampersand is written `&amp;`",
        ),
        (
            "bytes-of",
            "`bytes` are of line, body or text, or of label and have a `point` at game 1, byte 0x4d (after h8, ply 1)",
        ),
        ("control", "U+0001 is not a character of XML at game 1, byte 0x50"),
        (
            "control-reference",
            "`&#1;` is not a reference that agi-game allows at game 1, byte 0x50: an ampersand is written `&amp;`",
        ),
        ("crossed", "`</body>` closes `<line>` at game 1, byte 0x54 (after h8, ply 1)"),
        ("depth", "depth 4 does not continue the node before at game 1, byte 0x53 (after h8 i9, ply 2): 1 to 3 would"),
        ("depth-0", "depth 0 does not continue the node before at game 1, byte 0x3d: 1 to 1 would"),
        ("doctype", "there is a DOCTYPE, which agi-game does not allow at byte 0x16: take it out"),
        ("encoding", "the encoding is `GBK` at byte 0x0: agi-game is in UTF-8"),
        (
            "entity",
            "`&copy;` is not a reference that agi-game allows at game 1, byte 0x6c (after h8 i9 j10, ply 3): an ampersand is written `&amp;`",
        ),
        (
            "entity-in-attribute",
            "`&copy;` is not a reference that agi-game allows at game 1, byte 0x4a: an ampersand is written `&amp;`",
        ),
        ("external-entity", "there is a DOCTYPE, which agi-game does not allow at byte 0x16: take it out"),
        ("hex", "`bytes` holds something else than pairs of hexadecimal digits at game 1, byte 0x5b (after h8, ply 1)"),
        ("label", "a `label` needs `point` at game 1, byte 0x4d (after h8, ply 1)"),
        (
            "late-root",
            "`root` stands behind a move or another `root` at game 1, byte 0x50 (after h8, ply 1): it comes once, before all",
        ),
        ("less-than", "`<` stands in the value of an attribute at game 1, byte 0x49: write `&lt;`"),
        ("move-and-label", "a node has both `move` and `label` at game 1, byte 0x3d: it can have one"),
        ("namespace", "the namespace is `urn:agi:game:2` at byte 0x0: version 1 is `urn:agi:game:1`"),
        ("no-root", "there is no element `agx` at byte 0x11"),
        ("not-utf8", "the text is not UTF-8 at game 1, byte 0x66 (after h8 i9, ply 2)"),
        ("off-board", "`p3` is not a point of a 15x15 board at game 1, byte 0x4a (after h8 i9, ply 2)"),
        ("root", "the root element is `database`, not `agx` at byte 0x0"),
        ("second-document", "something stands behind `</agx>` at byte 0x1e: one file holds one document"),
        ("side", "`blue` is not a side at game 1, byte 0x3d: write black or white"),
        ("size", "`27` is not a board size at byte 0x1d: write 15 or 15x12, at most 26"),
        ("twice", "an attribute is given twice at game 1, byte 0x4d"),
        ("unquoted", "the value of an attribute is not in quotes at game 1, byte 0x48"),
        ("utf16", "this is UTF-16 at byte 0x0: agi-game is in UTF-8"),
        ("value", "`good` is not a value at game 1, byte 0x3d: write 120, -35,18 (points, depth), #+12 or #-7"),
        ("version", "this is version `2.0` at byte 0x0: I know version 1"),
    ];
    let folder = testdata("bad/agi-game");
    let mut names: Vec<PathBuf> = files(&folder, "agx").iter().map(|path| path.file_stem().unwrap().into()).collect();
    names.sort();
    assert_eq!(names, table.map(|(name, _)| PathBuf::from(name)));
    let mut wrong = Vec::new();
    for (name, message) in table {
        let bytes = std::fs::read(folder.join(name).with_extension("agx")).unwrap();
        let error = read(&FORMAT, &bytes).unwrap_err().to_string();
        if error != format!("agi-game: {message}") {
            wrong.push(format!("{name}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cut_file_keeps_what_stands() {
    let bytes = sample("annotated.agx");
    let cut = &bytes[..bytes.len() - 40];
    let read = read(&FORMAT, cut).unwrap();
    assert_eq!(read.faults.count("cut"), 1);
    assert_eq!(read.one().tree.len(), 8);
    assert!(read_with(&FORMAT, cut, &strict()).is_err());
}

#[test]
fn a_bad_game_costs_that_game() {
    let file = |games: &[&str]| format!("<agx xmlns=\"{}\" version=\"1.0\">{}</agx>", super::NAMESPACE, games.concat());
    let (good, off_board) =
        ("<game size='15'><moves>h8 i9</moves></game>", "<game size='15'><moves>h8 z9</moves></game>");
    let not_xml = "<game size='15'><node move='h8'></nod></game><!-- <gamer/> -->";
    for bad in [off_board, not_xml, "<game size='15'><tag/><moves>h8</moves><node/></game>", "<game size='x'/>"] {
        let text = file(&[good, bad, good, bad, good]);
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        assert_eq!((read.records.len(), read.faults.count("bad-record")), (3, 2), "{bad}");
        assert!(read.faults.list()[0].to_string().ends_with("; the game was left out"));
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
        assert!(crate::samples::read(&FORMAT, file(&[bad, bad]).as_bytes()).is_err(), "{bad}");
        assert_eq!(crate::samples::read(&FORMAT, file(&[good, bad]).as_bytes()).unwrap().records.len(), 1, "{bad}");
    }
    let kept = read_with(&FORMAT, file(&[off_board, good]).as_bytes(), &lenient()).unwrap();
    assert_eq!(kept.records.iter().map(main_line).collect::<Vec<_>>(), ["h8", "h8 i9"]);
}

#[test]
fn a_broken_file_keeps_what_stands_where_that_is_wanted() {
    let bytes = std::fs::read(testdata("bad/agi-game/off-board.agx")).unwrap();
    let read = read_with(&FORMAT, &bytes, &lenient()).unwrap();
    assert_eq!(read.faults.count("broken"), 1);
    assert_eq!(main_line(&read.one()), "h8 i9");
}

#[test]
fn the_root_element_is_the_magic() {
    for (head, likeness) in [
        ("<agx/>", Likeness::Magic),
        ("\u{FEFF}<?xml version=\"1.0\"?>\r\n<!-- <database> -->\n<agx xmlns='x'>", Likeness::Magic),
        ("<!DOCTYPE agx [", Likeness::Magic),
        ("<?xml version=\"1.0\"?><database>", Likeness::No),
        ("<agxy>", Likeness::No),
        ("<!-- <agx>", Likeness::No),
        ("agx", Likeness::No),
        ("", Likeness::No),
    ] {
        assert_eq!((FORMAT.likeness)(head.as_bytes()), likeness, "{head}");
    }
    assert_eq!(detect(&sample("by-hand.agx"), None).unwrap().name, "agi-game");
}

#[test]
fn known_attacks_on_xml_readers_fail_quickly() {
    let Some(folder) = shared("cases/XML-01") else { return };
    let start = Instant::now();
    for path in files(&folder, "xml") {
        let text = std::fs::read_to_string(path).unwrap().replace("database", "agx");
        let error = read(&FORMAT, text.as_bytes()).unwrap_err();
        assert!(error.message.contains("DOCTYPE"), "{error}");
    }
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn games_of_engines_read_back() {
    let Some(folder) = shared("data/games") else { return };
    for path in files(&folder, "txt") {
        let games = text_games(&path);
        assert!(again(&games) == games, "{}", path.display());
    }
}

#[test]
fn damaged_files_end_in_an_error_or_a_result() {
    for path in files(&testdata("agi-game"), "agx") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 1000);
    }
}

#[test]
fn deep_and_long_trees_take_linear_time_and_no_stack() {
    with_small_stack(|| {
        let start = Instant::now();
        for record in [
            tree_of(100_000, |at| at + 1),
            tree_of(200_000, |at| if at < 100_000 { at + 1 } else { 200_000 - at }),
            tree_of(1_000_000, |at| at % 100 % 40 + 1),
            tree_of(1_000_000, |_| 1),
        ] {
            assert!(again(std::slice::from_ref(&record)) == [record]);
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    });
}

#[test]
fn hostile_files_take_linear_time_and_no_stack() {
    with_small_stack(|| {
        let head = "<agx xmlns=\"urn:agi:game:1\"><game size=\"15\">";
        let start = Instant::now();
        let comment = format!("{head}<root><body>{}</body></root></game></agx>", "&amp;<!---->x".repeat(1 << 20));
        assert_eq!(read(&FORMAT, comment.as_bytes()).unwrap().one().tree.body(NodeId::ROOT).unwrap().len(), 2 << 20);
        let nested = format!("{head}{}{}</game></agx>", "<x>".repeat(200_000), "</x>".repeat(200_000));
        assert_eq!(read(&FORMAT, nested.as_bytes()).unwrap().faults.count("unknown-element"), 1);
        let unknown =
            format!("{head}<moves>{}</moves>{}</game></agx>", "h8 ".repeat(100_000), "<x a='1'/>".repeat(100_000));
        assert_eq!(read(&FORMAT, unknown.as_bytes()).unwrap().faults.count("unknown-element"), 100_000);
        let attributes: String = (0..100_000).map(|at| format!(" a{at}=''")).collect();
        let attributes = format!("{head}<node{attributes}/></game></agx>");
        assert_eq!(read(&FORMAT, attributes.as_bytes()).unwrap().faults.count("unknown-attribute"), 100_000);
        assert!(read(&FORMAT, "<".repeat(1 << 20).as_bytes()).is_err());
        assert!(read(&FORMAT, format!("{head}{}", "&".repeat(1 << 20)).as_bytes()).is_err());
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    });
}

#[test]
fn a_comment_of_ten_megabytes_reads_back() {
    let text = "黑 <棋> & \"so on\"\n".repeat(10 << 20 >> 4);
    let mut builder = TreeBuilder::new();
    builder.note(Note::Body(&text)).unwrap();
    let record = Record { tree: builder.build(), ..Record::default() };
    assert!(again(std::slice::from_ref(&record)) == [record]);
}

/// Feeds a file to `xmllint --schema`; the answer is what it complains of.
fn xmllint(bytes: &[u8]) -> Option<String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("agi-game/agx.xsd");
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--huge", "--nonet", "--schema"]).arg(schema).arg("-");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: xmllint is absent");
        return None;
    };
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { String::new() } else { complaints })
}

#[test]
fn the_schema_accepts_what_is_written() {
    let mut runner = TestRunner::deterministic();
    let mut random: Vec<Record> = (0..300).map(|_| all_records().new_tree(&mut runner).unwrap().current()).collect();
    random.push(tree_of(2000, |at| at + 1));
    random.push(Record { tree: Tree::default(), ..Record::default() });
    let mut written = vec![write(&FORMAT, &random).unwrap().0, write(&FORMAT, &[]).unwrap().0];
    written.extend(["two-games.agx", "annotated.agx"].map(sample));
    for bytes in written {
        let Some(complaints) = xmllint(&bytes) else { return };
        assert_eq!(complaints, "");
    }
    for name in ["off-board", "side", "value", "label", "size"] {
        // The pattern of a point knows the largest board only.
        let bytes = std::fs::read(testdata("bad/agi-game").join(name).with_extension("agx")).unwrap();
        let refused = xmllint(&bytes).is_none_or(|complaints| complaints.contains("fails to validate"));
        assert_eq!(refused, name != "off-board", "{name}");
    }
}

use super::FORMAT;
use crate::samples::*;
use crate::{Likeness, ReadOptions, Severity, detect};
use games::{Coords, Move, Point, Rule, Side, Size};
use proptest::prelude::*;
use record::{NodeId, Note, Part, Play, Record, TreeBuilder};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn again(records: &[Record]) -> Vec<Record> {
    let (bytes, losses) = write(&FORMAT, records).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let read = read_with(&FORMAT, &bytes, &strict()).unwrap_or_else(|e| panic!("{e}\n{}", bytes.escape_ascii()));
    read.records
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("json").join(name)).unwrap()
}

proptest! {
    #[test]
    fn every_record_reads_back(records in prop::collection::vec(all_records(), 0..4)) {
        prop_assert_eq!(again(&records), records);
    }

    #[test]
    fn the_order_of_members_does_not_matter(record in all_records()) {
        let (bytes, _) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        // A map of serde_json is sorted by name: the nodes come before the size.
        let sorted: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let text = serde_json::to_string_pretty(&sorted).unwrap();
        prop_assert!(text.find("\"nodes\"") < text.find("\"size\""));
        prop_assert_eq!(read_with(&FORMAT, text.as_bytes(), &strict()).unwrap().one(), record);
    }
}

#[test]
fn flags_of_the_root_and_many_notes_of_a_kind_read_back() {
    let point = Point::new(3, 4).unwrap();
    let mut builder = TreeBuilder::new();
    builder.set_found();
    builder.set_start();
    for text in ["one", "", " \t\n ", "\"\\/", "\u{2028}\u{7F}"] {
        builder.note(Note::Label(point, text)).unwrap();
        builder.note(Note::Property(text, text)).unwrap();
        builder.note(Note::Bytes(Part::Body, text.as_bytes())).unwrap();
    }
    let mut record = Record { tree: builder.build(), ..Record::default() };
    record.head.tags = vec![("a\"<\n\t ".into(), " \r\n\u{0}&\t ".into())];
    record.head.opening.swaps = Some(String::new());
    assert_eq!(again(std::slice::from_ref(&record)), [record]);
}

#[test]
fn what_a_node_has_once_is_written_once() {
    let mut builder = TreeBuilder::new();
    builder.append(1, Side::First, Play::Move(Move::Pass)).unwrap();
    for text in ["one", "two"] {
        builder.note(Note::Line(text)).unwrap();
    }
    let record = Record { tree: builder.build(), ..Record::default() };
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    let message = "1 second texts, values, times or turns of a node (left out), first after --";
    assert_eq!(losses.list()[0].to_string(), message);
    let read = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
    assert_eq!(read.tree.line(read.tree.main_line().last().unwrap()), Some("one"));
}

#[test]
fn samples_of_ours_are_written_byte_for_byte() {
    for name in ["two-games.json", "annotated.json"] {
        let bytes = sample(name);
        let read = read_with(&FORMAT, &bytes, &strict()).unwrap();
        let (written, losses) = write(&FORMAT, &read.records).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(bytes).unwrap());
        assert!(losses.is_empty());
    }
}

#[test]
fn the_example_of_the_specification_is_a_file() {
    let text = include_str!("SPEC.md");
    let example = text.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let record = read_with(&FORMAT, example.as_bytes(), &strict()).unwrap().one();
    assert_eq!(record, read(&FORMAT, &sample("annotated.json")).unwrap().one());
}

#[test]
fn plain_games_are_read() {
    let games = read(&FORMAT, &sample("two-games.json")).unwrap().records;
    assert_eq!(games[0].head.tag("White"), Some("Ann \"Ace\" O'Neil"));
    assert_eq!((games[0].head.rule, games[0].head.opening.declared), (Some(Rule::Renju), Some(2)));
    assert_eq!(games[1].head.size, Size::new(20, 12).unwrap());
    let tree = &games[1].tree;
    let corner = Point::new(19, 0).unwrap();
    assert_eq!(tree.play(tree.nodes().nth(2).unwrap()), Play::Move(Move::Place(corner)));
}

#[test]
fn a_tree_is_read_with_all_that_is_written_in_it() {
    let record = read(&FORMAT, &sample("annotated.json")).unwrap().one();
    let tree = &record.tree;
    let depths: Vec<usize> = tree.walk().map(|(depth, _)| depth).collect();
    assert_eq!(depths, [0, 1, 2, 3, 2, 3, 3]);
    let node = tree.nodes().nth(2).unwrap();
    assert_eq!((tree.line(node), tree.body(node)), (Some("the surest"), Some("Since 1990\nnobody has\tplayed h9.")));
    assert!(tree.is_found(node) && tree.is_start(tree.nodes().nth(4).unwrap()));
    let point = Coords::A1.parse("k7", record.head.size).unwrap();
    assert_eq!(tree.play(tree.nodes().nth(5).unwrap()), Play::Label(point));
    let last = tree.nodes().nth(6).unwrap();
    assert_eq!((tree.play(last), tree.side(last)), (Play::Nothing, Side::Second));
    assert_eq!(tree.bytes(last, Part::Line), Some(&[0xD0][..]));
    assert_eq!(tree.notes(NodeId::ROOT).count(), 3);
}

#[test]
fn what_jq_writes_is_read() {
    let sorted = read_with(&FORMAT, &sample("sorted.json"), &strict()).unwrap();
    assert_eq!(sorted.one(), read(&FORMAT, &sample("annotated.json")).unwrap().one());
}

#[test]
fn what_scripts_write_is_read() {
    let read = read(&FORMAT, &sample("by-hand.json")).unwrap();
    assert_eq!(read.faults.counts(), [("no-version", Severity::Quirk, 1), ("no-size", Severity::Quirk, 1)]);
    assert_eq!((read.records.len(), read.records[1].head.size), (2, Size::square(19).unwrap()));
    let tree = &read.records[0].tree;
    let walk: Vec<(usize, Side)> = tree.walk().skip(1).map(|(depth, node)| (depth, tree.side(node))).collect();
    assert_eq!(walk, [(1, Side::First), (2, Side::Second), (2, Side::First)]);
    let node = tree.nodes().nth(2).unwrap();
    assert_eq!(tree.line(node), Some("黑 🀄 a\u{FFFD}b\t\n\""));
    assert_eq!(tree.bytes(node, Part::Line), Some("黑 🀄 a\u{1}b\t\n\"".as_bytes()));

    let options = ReadOptions { size: Size::square(19), ..ReadOptions::default() };
    let read = read_with(&FORMAT, &sample("by-hand.json"), &options).unwrap();
    let point = Coords::A1.parse("h8", Size::square(19).unwrap());
    assert_eq!(read.records[0].tree.play(read.records[0].tree.main_line().next().unwrap()).point(), point);
}

#[test]
fn later_versions_are_read_and_what_is_new_is_counted() {
    let bytes = sample("later.json");
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.faults.counts(), [("unknown-member", Severity::Quirk, 5)]);
    let messages: Vec<String> = read.faults.list().iter().map(|fault| fault.to_string()).collect();
    assert_eq!(messages[1], "the member `name` is not known and passed over at game 1, line 1");
    assert_eq!(read.one().tree.len(), 2);
    let error = read_with(&FORMAT, &bytes, &strict()).unwrap_err();
    assert_eq!(error.to_string(), "json: the member `clock` is not known and passed over at game 1, line 1");
}

#[test]
fn bad_files_fail_with_a_known_message() {
    let table = [
        (
            "bytes",
            "bytes need `part` and `hex`, and those of a label, and no others, `point` at game 1, line 1, byte 0x6e (after h8 i9, ply 2)",
        ),
        (
            "contradiction",
            "`x` and `y` contradict j10, which is 9, 5 at game 1, line 1, byte 0x63 (after h8 i9, ply 2)",
        ),
        (
            "depth",
            "depth 4 does not continue the node before at game 1, line 1, byte 0x61 (after h8 i9, ply 2): 1 to 3 would",
        ),
        ("encoding", "`utf-17` is not an encoding that I know at game 1, line 1, byte 0x1c"),
        (
            "fraction",
            "invalid type at game 1, line 1, byte 0x57 (after h8 i9, ply 2): floating point `0.5`, expected u32",
        ),
        ("hex", "`hex` is not pairs of hexadecimal digits at game 1, line 1, byte 0x6b (after h8 i9, ply 2)"),
        ("label", "a label needs `point` and `text` at game 1, line 1, byte 0x60 (after h8 i9, ply 2)"),
        ("list", "`[` begins no record at line 1, byte 0x0: records are objects, one a line"),
        (
            "move-and-label",
            "a node has both `move` and `label_only` at game 1, line 1, byte 0x63 (after h8 i9, ply 2): it can have one",
        ),
        ("no-point", "`x` and `y` stand without a point at game 1, line 1, byte 0x50 (after h8 i9, ply 2)"),
        ("not-json", "expected `,` or `}` at game 2, line 2, byte 0x15"),
        ("not-utf8", "invalid unicode code point at game 2, line 2, byte 0x27"),
        ("null", "invalid type at game 1, line 1, byte 0x14: null, expected a string"),
        ("off-board", "`p3` is not a point of a 15x15 board at game 1, line 1, byte 0x55 (after h8 i9, ply 2)"),
        ("property", "invalid length 1, expected a tuple of size 2 at game 1, line 1, byte 0x5e (after h8 i9, ply 2)"),
        ("result", "`black` is not a result at game 1, line 1, byte 0x19: write 1-0, 0-1, 1/2-1/2, void or *"),
        ("root", "the first node is the root at game 1, line 1, byte 0x38: it has depth 0, no side and no move"),
        ("rule", "`go` is not a rule at game 1, line 1, byte 0x14: write freestyle, standard, renju or caro"),
        (
            "second-root",
            "depth 0 does not continue the node before at game 1, line 1, byte 0x54 (after h8 i9, ply 2): 1 to 3 would",
        ),
        ("side", "`red` is not a side at game 1, line 1, byte 0x56 (after h8 i9, ply 2): write black or white"),
        ("size", "a board of 15x27 cannot be at game 1, line 1, byte 0x18: 1 to 26"),
        ("size-of-one", "invalid length 1, expected a tuple of size 2 at game 1, line 1, byte 0x14"),
        ("surrogate", "unexpected end of hex escape at game 1, line 1, byte 0x22"),
        ("twice", "the member `line` is given twice at game 1, line 1, byte 0x68 (after h8 i9, ply 2)"),
        (
            "value",
            "a value needs either `points`, or `wins` and `plies` at game 1, line 1, byte 0x62 (after h8 i9, ply 2)",
        ),
        (
            "value-depth",
            "a depth of 65535 is more than a value can hold at game 1, line 1, byte 0x6c (after h8 i9, ply 2)",
        ),
        ("version", "this is version 2 at game 1, line 1, byte 0x9: I know version 1"),
    ];
    let folder = testdata("bad/json");
    let mut names: Vec<PathBuf> = files(&folder, "json").iter().map(|path| path.file_stem().unwrap().into()).collect();
    names.sort();
    assert_eq!(names, table.map(|(name, _)| PathBuf::from(name)));
    let mut wrong = Vec::new();
    for (name, message) in table {
        let bytes = std::fs::read(folder.join(name).with_extension("json")).unwrap();
        // Where a record was read before it, the bad one is a fault.
        let error = match read(&FORMAT, &bytes) {
            Err(error) => error.to_string(),
            Ok(read) => format!("json: {}", read.faults.list().last().unwrap()).replace("; the game was left out", ""),
        };
        if error != format!("json: {message}") {
            wrong.push(format!("{name}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bad_record_costs_that_record() {
    let line =
        |moves: &str| format!(r#"{{"kifu":1,"size":[15,15],"nodes":[{{"depth":0}},{{"depth":1,"move":"{moves}"}}]}}"#);
    let text = format!("{}\n{}\n{}\nprose\n{{\n{}\n", line("h8"), line("z9"), line("h9"), line("h10"));
    let read = read(&FORMAT, text.as_bytes()).unwrap();
    let moves: Vec<String> = read
        .records
        .iter()
        .map(|record| {
            Coords::A1
                .text(record.tree.play(record.tree.main_line().next().unwrap()).point().unwrap(), record.head.size)
        })
        .collect();
    assert_eq!(moves, ["h8", "h9", "h10"]);
    assert_eq!(read.faults.count("bad-record"), 3);
    let told: Vec<String> = read.faults.list().iter().map(ToString::to_string).collect();
    assert!(told[0].contains("game 2, line 2"), "{told:?}");
    assert!(told[0].ends_with("; the game was left out"), "{told:?}");
    assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    let kept = read_with(&FORMAT, text.as_bytes(), &lenient()).unwrap();
    assert_eq!((kept.records.len(), kept.faults.count("broken"), kept.faults.count("bad-record")), (5, 2, 1));
    assert!(crate::samples::read(&FORMAT, line("z9").as_bytes()).is_err());
}

#[test]
fn a_cut_file_keeps_what_stands() {
    let bytes = sample("two-games.json");
    let cut = &bytes[..bytes.len() - 40];
    let read = read(&FORMAT, cut).unwrap();
    assert_eq!(read.faults.count("cut"), 1);
    assert_eq!((read.records.len(), read.records[1].tree.len()), (2, 4));
    assert!(read_with(&FORMAT, cut, &strict()).is_err());
}

#[test]
fn a_broken_file_keeps_what_stands_where_that_is_wanted() {
    let bytes = std::fs::read(testdata("bad/json/off-board.json")).unwrap();
    let read = read_with(&FORMAT, &bytes, &lenient()).unwrap();
    assert_eq!(read.faults.count("broken"), 1);
    assert_eq!(read.one().tree.len(), 3);
}

#[test]
fn an_object_with_the_version_is_the_magic() {
    for (head, likeness) in [
        ("{\"kifu\":1", Likeness::Magic),
        ("\u{FEFF}\n{ \"game\": \"gomoku\",\n\"kifu\": 1", Likeness::Magic),
        ("{\"game\":\"gomoku\"}", Likeness::No),
        ("[{\"kifu\":1}]", Likeness::No),
        ("", Likeness::No),
    ] {
        assert_eq!((FORMAT.likeness)(head.as_bytes()), likeness, "{head}");
    }
    assert_eq!(detect(&sample("sorted.json"), None).unwrap().name, "json");
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
    for path in files(&testdata("json"), "json") {
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
        let start = Instant::now();
        let nested = format!("{{\"kifu\":1,\"size\":[15,15],\"x\":{}1{}}}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        assert_eq!(read(&FORMAT, nested.as_bytes()).unwrap().faults.count("unknown-member"), 1);
        let nested = format!("{{\"kifu\":1,\"nodes\":{}", "[".repeat(1 << 20));
        assert!(read_with(&FORMAT, nested.as_bytes(), &strict()).is_err());
        let nodes = "{\"move\":\"h8\"},".repeat(100_000) + &"{\"depth\":100000,\"a\":1},".repeat(100_000);
        let unknown = format!("{{\"kifu\":1,\"size\":[15,15],\"nodes\":[{{}},{nodes}{{}}]}}");
        assert_eq!(read(&FORMAT, unknown.as_bytes()).unwrap().faults.count("unknown-member"), 100_000);
        let many = "{\"kifu\":1}\n".repeat(100_000);
        assert_eq!(read(&FORMAT, many.as_bytes()).unwrap().records.len(), 100_000);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    });
}

#[test]
fn a_comment_of_ten_megabytes_reads_back() {
    let text = "黑 {棋} \\ \"so on\"\n".repeat(10 << 20 >> 4);
    let mut builder = TreeBuilder::new();
    builder.note(Note::Body(&text)).unwrap();
    let record = Record { tree: builder.build(), ..Record::default() };
    assert!(again(std::slice::from_ref(&record)) == [record]);
}

use super::FORMAT;
use crate::samples::{entries, lenient, read_entries, strict, torture_entries, write_entries};
use crate::{Likeness, ReadOptions, Severity, WriteOptions};
use games::{Coords, Rule, Rules, Side, Size, Symmetry};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use record::{Bound, Entry, Key, Label, Tally};

fn renju() -> ReadOptions {
    ReadOptions { rule: Some(Rule::Renju), ..ReadOptions::default() }
}

fn one(text: &str) -> (Key, Entry) {
    let (mut entries, _) = read_entries(&FORMAT, text.as_bytes(), &renju()).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(entries.len(), 1, "{text}");
    entries.remove(0)
}

fn refusal(text: &str) -> String {
    read_entries(&FORMAT, text.as_bytes(), &renju()).expect_err("the line is refused").to_string()
}

proptest! {
    #[test]
    fn everything_that_is_known_reads_back(entries in entries()) {
        let bytes = write_entries(&FORMAT, &entries, &WriteOptions::default());
        let (again, faults) = read_entries(&FORMAT, &bytes, &strict()).unwrap();
        prop_assert_eq!(again, entries);
        prop_assert!(faults.is_empty());
    }

    #[test]
    fn the_order_of_members_does_not_matter(entries in entries()) {
        let bytes = write_entries(&FORMAT, &entries, &WriteOptions::default());
        // A map of serde_json is sorted by name.
        let sorted = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap().to_string() + "\r\n";
        let sorted: String = std::str::from_utf8(&bytes).unwrap().lines().map(sorted).collect();
        prop_assert_eq!(read_entries(&FORMAT, sorted.as_bytes(), &strict()).unwrap().0, entries);
    }
}

#[test]
fn the_line_of_a_script_needs_only_a_position() {
    let (key, entry) = one(r#"{"position":"h8i9","value":12}"#);
    assert_eq!((key.size(), key.rules(), key.to_move()), (Size::default(), Rules::Gomoku(Rule::Renju), Side::First));
    assert_eq!(key.stones().unwrap().stones.len(), 2);
    let judgement = entry.judgement.unwrap();
    assert_eq!((judgement.value, judgement.depth, judgement.bound, judgement.scale), (12, 0, Bound::None, 200));
    let (key, _) = one(r#"{"position":"board:X../.O./... turn:O"}"#);
    assert_eq!((key.size(), key.to_move()), (Size::square(3).unwrap(), Side::Second));
    assert_eq!(one(r#"{"position":"t20","size":20}"#).0.size(), Size::square(20).unwrap());
    assert_eq!(one(r#"{"position":"","side":"white","rule":"CARO"}"#).0.to_move(), Side::Second);
    let (_, entry) = one(r#"{"position":"h8","black":2,"draws":1,"label":"W","comment":"a\r\nb","moves":["h9","--"]}"#);
    assert_eq!(entry.tally, Tally { games: 3, first: 2, draws: 1, second: 0 });
    assert_eq!((entry.label, entry.comments[0].text.as_str(), entry.moves.len()), (Label::Win, "a\nb", 2));
    assert!(entry.comments[0].bytes.is_empty());
}

#[test]
fn what_a_query_prints_is_understood_but_for_its_means() {
    let line = r#"{"position":"h8 h9","kifu":1,"rule":"renju","size":[15,15],"side":"black","games":3,"black":2,"draws":1,"white":0,
        "value":null,"depth":null,"bound":null,"label":null,"comment":null,"texts":[{"point":"j8","text":"A"}],"rating":null,
        "moves":[{"move":"j8","games":3,"black":2,"draws":1,"white":0,"score":0.8,"value":-5,"label":"win"}]}"#;
    let (entries, faults) = read_entries(&FORMAT, line.replace('\n', "").as_bytes(), &strict()).unwrap();
    assert_eq!(faults.counts(), [("unknown-member", Severity::Remark, 1)]);
    assert_eq!((entries[0].1.tally.games, entries[0].1.moves[0].tally.first), (3, 2));
    assert_eq!(Coords::A1.text(entries[0].1.texts[0].point, Size::default()), "j8");
}

#[test]
fn the_head_speaks_for_the_lines_after_it() {
    let text = "{\"kifu\":1,\"format\":\"book-jsonl\",\"rule\":\"caro\",\"size\":[5,5],\"symmetric\":false}\n\n{\"position\":\"e5\"}";
    assert!(super::stands_apart(text.as_bytes()));
    assert!(!super::stands_apart(b"{\"position\":\"h8\",\"symmetric\":false}") && !super::stands_apart(b""));
    let (entries, faults) = read_entries(&FORMAT, text.as_bytes(), &renju()).unwrap();
    assert_eq!((entries[0].0.rules(), entries[0].0.size()), (Rules::Gomoku(Rule::Caro), Size::square(5).unwrap()));
    assert_eq!(faults.counts(), [("mirrored-apart", Severity::Remark, 1)]);
}

#[test]
fn texts_with_controls_keep_their_bytes() {
    let (_, entry) = one(r#"{"position":"h8","comments":["a\u0007b",{"text":"c\rd","written":"r90"}]}"#);
    let said: Vec<_> = entry.comments.iter().map(|c| (c.text.as_str(), &c.bytes[..], c.written)).collect();
    assert_eq!(said[0], ("a\u{FFFD}b", &b"a\x07b"[..], Symmetry::Identity));
    assert_eq!(said[1], ("c\u{FFFD}d", &b"c\rd"[..], Symmetry::R90));
}

#[test]
fn wrong_lines_are_refused_with_their_place_and_passed_over_leniently() {
    for (line, message) in [
        (r#"{"position":"h8z9"}"#, "not a point of a 15x15 board"),
        (r#"{"position":"h8h8"}"#, "two stones stand on h8"),
        (r#"{"position":"h8","rule":"go"}"#, "`go` is not a rule"),
        (r#"{"position":"h8","size":27}"#, "a board size"),
        (r#"{"position":"board:X","size":3}"#, "the size is 3x3"),
        (r#"{"position":"h8","side":"red"}"#, "`red` is not a side"),
        (r#"{"position":"h8","games":-1}"#, "expected u64"),
        (r#"{"position":"h8","value":1e3}"#, "expected i32"),
        (r#"{"position":"h8","depth":3}"#, "speak of a `value`"),
        (r#"{"position":"h8","value":1,"bound":"about"}"#, "`about` is not a bound"),
        (r#"{"position":"h8","label":"good"}"#, "`good` is not a label"),
        (r#"{"position":"h8","rating_sum":3}"#, "rating_count"),
        (r#"{"position":"h8","moves":[{"games":3}]}"#, "a move without `move`"),
        (r#"{"position":"h8","texts":[{"text":"A"}]}"#, "a text without a point"),
        (r#"{"position":"h8","comments":[{"text":"A","hex":"F"}]}"#, "not hexadecimal"),
        (r#"{"position":"h8","comments":[{"text":"A","written":"r45"}]}"#, "`r45` is not a symmetry"),
        (r#"{"position":"h8","size":[15,12],"comments":[{"text":"A","written":"r90"}]}"#, "r90 makes another board"),
        (r#"{"position":"h8","position":"h9"}"#, "stands there twice"),
        (r#"{"value":3}"#, "the position is missing"),
        (r#"{"kifu":2,"position":"h8"}"#, "version 2"),
        (r#"{"format":"book-toml"}"#, "`book-toml`, not book-jsonl"),
        ("{", "each on one line"),
        ("[]", "an object with position"),
        (r#"{"position":"h8"} x"#, "trailing characters"),
    ] {
        let file = format!("{{\"position\":\"a1\"}}\n{line}\n{{\"position\":\"b2\"}}");
        let said = refusal(&file);
        assert!(said.contains(message) && said.contains("at line 2"), "{said}");
        let options = ReadOptions { rule: Some(Rule::Renju), ..lenient() };
        let (entries, faults) = read_entries(&FORMAT, file.as_bytes(), &options).unwrap();
        assert_eq!((entries.len(), faults.count("bad-line")), (2, 1), "{line}");
    }
    let (_, faults) = read_entries(&FORMAT, b"{\"position\":\"h8\"}", &renju()).unwrap();
    assert_eq!(faults.counts(), [("no-rule", Severity::Remark, 1)]);
    let said = read_entries(&FORMAT, b"{\"position\":\"h8\"}", &ReadOptions::default()).unwrap_err().to_string();
    assert!(said.contains("use --rule"), "{said}");
}

#[test]
fn its_first_line_tells_it_from_records() {
    let records =
        b"{\"kifu\":1,\"game\":\"gomoku\",\"size\":[15,15],\"nodes\":[{\"depth\":0,\"line\":\"\\\"position\\\"\"}]}";
    for (text, is_ours) in [
        (&b"{\"kifu\":1,\"format\":\"book-jsonl\",\"symmetric\":true}\n"[..], true),
        (b"{ \"position\" : \"h8\"}", true),
        (b"\xEF\xBB\xBF{\"value\":1,\"position\":\"h8\"}", true),
        (b"{\"position\":\"h8\",\"value\":1,\"nodes\" : 20}", true),
        (records, false),
        (b"{\"tags\":[[\"position\",\"x\"]]}", false),
        (b"", false),
    ] {
        assert_eq!((FORMAT.likeness)(text) == Likeness::Magic, is_ours, "{}", text.escape_ascii());
        assert!(!is_ours || (crate::json::FORMAT.likeness)(text) == Likeness::No);
    }
    assert_eq!((crate::json::FORMAT.likeness)(records), Likeness::Magic);
}

#[test]
fn damage_ends_in_an_error_or_a_result() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..3 {
        let entries = entries().new_tree(&mut runner).unwrap().current();
        torture_entries(&FORMAT, &write_entries(&FORMAT, &entries, &WriteOptions::default()), 1500);
    }
    // Deeper than any stack.
    let deep = format!("{{\"position\":\"h8\",\"x\":{}}}", "[".repeat(1 << 20));
    assert!(refusal(&deep).contains("line 1"));
}

#[test]
fn the_example_of_the_specification_is_a_file() {
    let text = include_str!("SPEC.md");
    let example = text.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let (entries, faults) = read_entries(&FORMAT, example.as_bytes(), &strict()).unwrap();
    assert!(faults.is_empty());
    assert_eq!(write_entries(&FORMAT, &entries, &WriteOptions::default()), example.as_bytes());
}

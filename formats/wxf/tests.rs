use super::*;
use crate::samples::*;
use crate::xiangqi_pgn::GLYPH;
use crate::{WriteOptions, detect};
use games::xiangqi::notation::Style;
use games::{Move, Side};
use proptest::prelude::*;
use record::{NodeId, Note, Outcome, Play, Record, TreeBuilder, bind};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata(NAME).join(name)).unwrap()
}

/// The record with its moves played; nothing is left out.
fn played(mut record: Record) -> Record {
    let played = bind(&record, None).unwrap();
    assert_eq!(played.unplayable, []);
    record.tree = played.tree;
    record
}

fn moves(record: &Record) -> String {
    let words = record.tree.main_line().map(|node| match record.tree.play(node) {
        Play::Move(Move::Step(step)) => step.to_string(),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn one(text: &str) -> Record {
    played(read(&FORMAT, text.as_bytes()).unwrap().one())
}

fn tags(record: &Record) -> Vec<(&str, &str)> {
    record.head.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn games_are_read_with_their_heads_and_texts() {
    let found = read_with(&FORMAT, &sample("two.wxf"), &strict()).unwrap();
    let [first, second] = &found.records[..] else { panic!("{}", found.records.len()) };
    let wanted = [
        ("Title", "五羊杯 \"A\""),
        ("Red", "红方甲"),
        ("RedTeam", "红队"),
        ("RedTitle", "GM"),
        ("RedElo", "2400"),
        ("Black", "黑方乙"),
        ("Event", "试验赛"),
        ("Date", "2026-11-30"),
    ];
    assert_eq!((tags(first), first.head.result), (wanted.to_vec(), Some(Outcome::First)));
    assert_eq!(moves(&played(first.clone())), "h2e2 h9g7 h0g2 i9h9 i0h0 c6c5");
    let tree = &first.tree;
    assert_eq!((tree.line(NodeId::ROOT), tree.body(NodeId::ROOT)), (Some("红方先手。"), Some("\n 第二行 FORMAT")));
    assert_eq!(second.head.fen(), Some("r3k4/9/5P3/5P3/5P3/9/9/9/9/3K5 b - - 0 1"));
    assert_eq!((second.head.tag("ECCO"), second.head.tag("Round"), second.head.result), (Some("A00"), Some("3"), None));
    let second = played(second.clone());
    assert_eq!(moves(&second), "a9a7 f6e6 a7a0 d0d1");
    let glyph = |ply: usize| {
        let node = second.tree.main_line().nth(ply - 1).unwrap();
        second.tree.notes(node).find_map(|note| if let Note::Property(GLYPH, text) = note { Some(text) } else { None })
    };
    assert_eq!([1, 2, 3].map(glyph), [None, Some("1"), Some("4")]);
    assert_eq!(second.tree.side(second.tree.main_line().next().unwrap()), Side::Second);
}

#[test]
fn what_playok_exports_is_read() {
    let found = read_with(&FORMAT, &sample("playok.wxf"), &strict()).unwrap();
    let record = played(found.one());
    let wanted = [("Title", "xq-12345"), ("Red", "anna"), ("RedElo", "1523"), ("Black", "bert"), ("BlackElo", "1498")];
    assert_eq!((tags(&record), record.head.result), (wanted.to_vec(), Some(Outcome::Second)));
    assert_eq!(moves(&record), "h2e2 h9g7 h0g2 i9h9 i0h0 b7b3");
}

#[test]
fn games_come_back_to_the_byte_and_as_records() {
    for name in ["two.wxf", "playok.wxf"] {
        let records = read(&FORMAT, &sample(name)).unwrap().records;
        let records: Vec<Record> = records.into_iter().map(played).collect();
        let (bytes, losses) = write(&FORMAT, &records).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        if name == "two.wxf" {
            assert!(bytes == sample(name), "{}", String::from_utf8_lossy(&bytes));
        }
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap().records;
        assert_eq!(again.into_iter().map(played).collect::<Vec<_>>(), records);
    }
}

/// A mirrored or turned reading would move other pieces, or none.
#[test]
fn files_count_from_the_right_of_the_mover() {
    assert_eq!(
        moves(&one("FORMAT WXF\nSTART{ 1. C8.5 C2.5 2. H8+7 H2+3 3. R9.8 R1+1 }END")),
        "b2e2 b7e7 b0c2 b9c7 a0b0 a9a8"
    );
    let doubled = "FORMAT WXF\nFEN 4k4/9/c8/9/c8/9/9/9/9/3K5 b\nSTART{\n1. ... c+.2 2. k6+1 c1.3\n}END";
    assert_eq!(moves(&one(doubled)), "a5b5 d0d1 a7c7");
    let rear = "FORMAT WXF\nFEN 4k4/9/c8/9/c8/9/9/9/9/3K5 b\nSTART{\n1. ... c-.2\n}END";
    assert_eq!(moves(&one(rear)), "a7b7");
}

#[test]
fn a_pawn_between_digits_is_no_number() {
    let fen = "4k4/9/9/5P3/5P3/9/9/9/9/3K5 r";
    for word in ["14.5", "1. 14.5", "1.14.5", "1. 14=5", "1...14.5", "P+.5"] {
        assert_eq!(moves(&one(&format!("FORMAT WXF\nFEN {fen}\nSTART{{ {word} }}END"))), "f6e6", "{word}");
    }
}

#[test]
fn what_is_odd_is_told() {
    let told = |text: &str| -> Vec<String> {
        let found = read(&FORMAT, text.as_bytes()).unwrap();
        found.faults.counts().iter().map(|(kind, _, count)| format!("{count} {kind}")).collect()
    };
    let odd = "odd\nFORMAT WXF\n:-)\nRESULT 1-0\nSTART{\n! 1. C2.5 {why} H8+7 0-1\n}\ntext";
    assert_eq!(told(odd), ["2 stray-line", "1 stray-glyph", "1 inner-comment", "1 result-differs", "1 no-end"]);
    let record = one(odd);
    assert_eq!((record.tree.line(NodeId::ROOT), record.head.result), (Some("text"), Some(Outcome::First)));
    assert_eq!(record.tree.line(record.tree.main_line().next().unwrap()), Some("why"));
    assert_eq!(told("FORMAT WXF\nRED x\nFORMAT WXF\nSTART{ C2.5"), ["1 no-moves", "1 open-moves"]);
    assert_eq!(told("RED x;;\nSTART\n1. C2.5\nEND\n"), ["1 no-end"]);
    assert_eq!(told("FORMAT WXF\nSTART{ C2.5 {"), ["1 inner-comment", "1 open-moves"]);
    let setups =
        "FORMAT WXF\nSETUP{ K5 }\nSTART{ }END\nFORMAT WXF\nSETUP{\n4k4/9/9/9/9/9/9/9/4R4/3K5 r\n}\nSTART{ R5+1 }END";
    assert_eq!(told(setups), ["1 bad-game"]);
    assert_eq!(moves(&one(setups)), "e1e2");
    let message = |text: &str| read(&FORMAT, text.as_bytes()).unwrap_err().to_string();
    assert!(message("FORMAT ICCS K(G)\nSTART{ }END").contains("pieces have other letters"));
    assert!(message("h2e2 h9g7").contains("there is no game in it"));
    assert!(message("").contains("there is no game in it"));
}

#[test]
fn what_a_file_has_no_room_for_is_told() {
    let pgn = crate::by_name("xiangqi-pgn").unwrap();
    let bytes = std::fs::read(testdata("xiangqi-pgn/variations.pgn")).unwrap();
    let mut record = played(read(pgn, &bytes).unwrap().records.swap_remove(0));
    record.head.tags = [("Red", "a;b"), ("Red", "c"), ("Event", " x\ny"), ("Red Team", "z"), ("ECCO", "")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("FORMAT\tWXF\nRED\ta,b;;;\nEVENT\tx y\nRESULT\t1-0\n\nSTART{\n1. C2.5 H8+7"), "{text}");
    let told: Vec<(&str, u64)> = losses.list().iter().map(|loss| (loss.what, loss.count)).collect();
    let wanted = [
        ("tags (left out)", 3),
        ("line breaks in tags and blanks around them (written as blanks, or left out)", 1),
        ("semicolons in tags of players (written as commas)", 1),
        ("comments of moves (left out)", 1),
        ("moves beside the main line (left out)", 6),
    ];
    assert_eq!(told, wanted);
    let mut builder = TreeBuilder::new();
    builder.note(Note::Line("")).unwrap();
    builder.note(Note::Body("FORMAT x\n FORMAT\n")).unwrap();
    let record = Record { tree: builder.build(), ..one("FORMAT WXF\nSTART{ }END") };
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
    assert_eq!(losses.list().len(), 3);
    assert!(String::from_utf8(bytes).unwrap().ends_with("}END\n FORMAT x\n FORMAT\n"));
    for style in [Style::Iccs, Style::Chinese] {
        let options = WriteOptions { style: Some(style), ..WriteOptions::default() };
        assert!(write_with(&FORMAT, std::slice::from_ref(&record), &options).is_err());
    }
}

/// The main line alone, without the comments of its moves.
fn main_line(record: &Record) -> Record {
    let tree = &record.tree;
    let mut builder = TreeBuilder::new();
    builder.copy_notes(tree, NodeId::ROOT).unwrap();
    for node in tree.main_line() {
        builder.append(builder.depth() + 1, tree.side(node), tree.play(node)).unwrap();
    }
    Record { head: record.head.clone(), tree: builder.build() }
}

proptest! {
    #[test]
    fn legal_games_come_back(record in legal_records()) {
        let record = main_line(&record);
        let (bytes, losses) = write(&FORMAT, &[record.clone(), record.clone()]).unwrap();
        prop_assert!(losses.is_empty(), "{:?}", losses);
        let records = read_with(&FORMAT, &bytes, &strict()).unwrap().records;
        prop_assert_eq!(records.len(), 2);
        for back in records {
            prop_assert!(same(&played(back), &record), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn whatever_a_record_holds_is_written_or_told(record in all_records()) {
        let asked = WriteOptions { encoding: crate::label_to_encoding("utf-8"), ..WriteOptions::default() };
        let options = crate::ReadOptions { encoding: asked.encoding, ..crate::ReadOptions::default() };
        let Ok((bytes, losses)) = write_with(&FORMAT, std::slice::from_ref(&record), &asked) else { return Ok(()) };
        let back = read_with(&FORMAT, &bytes, &options).unwrap().one();
        if losses.is_empty() {
            let texts = |record: &Record| {
                let tree = &record.tree;
                let text = [tree.line(NodeId::ROOT), tree.body(NodeId::ROOT)].into_iter().flatten().collect::<Vec<_>>().join("\n");
                let mut tags = record.head.tags.clone();
                tags.retain(|(name, _)| name != "FEN");
                tags.sort();
                (text, tags, record.head.result, tree.len())
            };
            prop_assert_eq!(texts(&back), texts(&record), "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn damaged_files_end_politely() {
    for name in ["two.wxf", "playok.wxf"] {
        torture(&FORMAT, &sample(name), 500);
    }
}

#[test]
fn only_games_are_taken_for_one() {
    for text in ["FORMAT WXF\n", "\u{FEFF}FORMAT\tICCS", "FORMAT\tX\nRED a\nSTART{", "GAME x\nSTART{\n1. C2.5"] {
        assert_eq!(detect(text.as_bytes(), Some("txt")).unwrap().name, NAME, "{text}");
    }
    for other in ["FORMATTED", "RED x", "h8 i9 START{", "[FORMAT \"WXF\"]", "1. C2.5 H8+7"] {
        assert!(detect(other.as_bytes(), None).map_or(true, |format| format.name != NAME), "{other}");
    }
}

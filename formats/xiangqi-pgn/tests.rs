use super::*;
use crate::samples::*;
use crate::{WriteOptions, detect};
use games::xiangqi::notation::Style;
use games::{Move, Side};
use proptest::prelude::*;
use record::{NodeId, Note, Outcome, Play, Record, TreeBuilder, WRITTEN, bind};

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

/// The moves of a tree, variations in parentheses behind the move they replace.
fn moves(record: &Record) -> String {
    let tree = &record.tree;
    let name = |node: NodeId| match tree.play(node) {
        Play::Move(Move::Step(step)) => step.to_string(),
        _ => tree
            .notes(node)
            .find_map(|note| if let Note::Property(WRITTEN, text) = note { Some(text.to_owned()) } else { None })
            .unwrap(),
    };
    fn line(tree: &record::Tree, first: NodeId, name: &dyn Fn(NodeId) -> String) -> String {
        let mut words = Vec::new();
        let mut at = Some(first);
        let mut is_head = true;
        while let Some(node) = at {
            words.push(name(node));
            let parent = tree.parent(node).unwrap();
            if !is_head || parent == NodeId::ROOT && tree.first_child(parent) == Some(node) {
                words.extend(tree.children(parent).skip(1).map(|other| format!("({})", line(tree, other, name))));
            }
            (at, is_head) = (tree.first_child(node), false);
        }
        words.join(" ")
    }
    tree.first_child(NodeId::ROOT).map(|first| line(tree, first, &name)).unwrap_or_default()
}

fn comment(record: &Record, path: &[usize]) -> Option<String> {
    let tree = &record.tree;
    let node = path.iter().fold(NodeId::ROOT, |node, child| tree.children(node).nth(*child).unwrap());
    let text: Vec<&str> = [tree.line(node), tree.body(node)].into_iter().flatten().collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

#[test]
fn variations_comments_and_glyphs_are_read() {
    let read = read(&FORMAT, &sample("variations.pgn")).unwrap();
    assert_eq!(read.faults.count("text-after-game"), 1);
    let [first, second] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(first.head.tag("Event"), Some("試合 \"A\""));
    assert_eq!(first.head.result, Some(Outcome::First));
    let first = played(first.clone());
    assert_eq!(moves(&first), "h2e2 h9g7 (h7e7 e2e6 d9e8) (g6g5) h0g2 i9h9 (b9c7 i0h0) i0h0");
    assert_eq!(comment(&first, &[]).as_deref(), Some("两种布局"));
    assert_eq!(comment(&first, &[0, 0]).as_deref(), Some("正着"));
    assert_eq!(comment(&first, &[0, 1, 0, 0]).as_deref(), Some("顺手炮"));
    let glyph = |child: usize| {
        let tree = &first.tree;
        let node = tree.children(tree.first_child(NodeId::ROOT).unwrap()).nth(child).unwrap();
        tree.notes(node).find_map(|note| if let Note::Property(GLYPH, text) = note { Some(text) } else { None })
    };
    assert_eq!([0, 1, 2].map(glyph), [None, Some("1"), Some("5")]);
    let second = played(second.clone());
    assert_eq!(moves(&second), "d9d8 e4e5 d8d9");
    assert_eq!(second.tree.side(second.tree.first_child(NodeId::ROOT).unwrap()), Side::Second);
}

#[test]
fn files_are_known_by_a_tag_or_by_their_first_move() {
    let tags = "[Red \"Ann\"]\n[Date \"2026\"]\n\n";
    for moves in ["1. h2e2", "{a 1. }\n; b\n% c\n1.炮二平五 馬８進７", "1. ... h8+7", "C2.5"] {
        assert_eq!(detect(format!("{tags}{moves}").as_bytes(), None).unwrap().name, NAME, "{moves}");
    }
    for other in ["1. e4 e5", "1. h8 -- 2. h9", "[[\"h2e2\"]]", "{open", "", "12."] {
        let found = detect(format!("{tags}{other}").as_bytes(), None);
        assert!(found.map_or("", |format| format.name) != NAME, "{other}");
    }
    assert!(likeness(b"[1]\nh2e2") == Likeness::No);
}

#[test]
fn code_pages_and_notations_are_told_by_sight() {
    let gbk = read(&FORMAT, &sample("gbk.pgn")).unwrap();
    assert_eq!(gbk.encoding.unwrap().encoding, encoding_rs::GBK);
    let gbk = gbk.one();
    assert_eq!((gbk.head.tag("Red"), gbk.head.result), (Some("王五"), Some(Outcome::Draw)));
    assert_eq!(moves(&played(gbk)), "h2e2 h9g7 h0g2 i9h9 i0h0 c6c5");
    let three = read(&FORMAT, &sample("three-notations.pgn")).unwrap();
    assert_eq!(three.records.len(), 3);
    for record in three.records {
        assert_eq!(moves(&played(record)), "h2e2 h9g7 h0g2 i9h9");
    }
}

#[test]
fn moves_of_winboard_are_read() {
    let record = read(&FORMAT, &sample("winboard.pgn")).unwrap().one();
    assert_eq!((record.head.tag("Red"), record.head.result), (Some("Anna"), Some(Outcome::Draw)));
    let wanted = "h2e2 h9g7 h0g2 i9h9 i0h0 c6c5 d0e1 c9e7 (f9e8 h0h6) h0h7 h9h7 b2d2";
    let ambiguous = bind(&record, None).unwrap();
    assert_eq!(ambiguous.unplayable[0].message, "`A9e8` may be d9e8 or f9e8");
    assert_eq!((ambiguous.unplayable.len(), ambiguous.unplayable[0].nodes), (1, 2));
    let text = String::from_utf8(sample("winboard.pgn")).unwrap().replace("A9e8", "Af9e8");
    assert_eq!(moves(&played(read(&FORMAT, text.as_bytes()).unwrap().one())), wanted);
    // What chess says, too, is not taken for xiangqi.
    assert!(detect(b"[Event \"x\"]\n\n1. Nf3 Nf6", None).map_or("", |format| format.name) != NAME);
}

#[test]
fn a_pawn_between_digits_is_no_number() {
    let fen = "[FEN \"4k4/9/9/5P3/5P3/9/9/9/9/3K5 w\"]\n\n";
    for word in ["14.5", "1. 14.5", "1.14.5", "1...14=5"] {
        let record = read(&FORMAT, format!("{fen}{word}").as_bytes()).unwrap().one();
        assert_eq!(moves(&played(record)), "f6e6", "{word}");
    }
}

#[test]
fn utf_16_is_read_by_its_mark_and_named_nowhere() {
    let text = "\u{FEFF}[Red \"甲\"]\n\n1. 炮二平五 *\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let record = read(&FORMAT, &bytes).unwrap().one();
    assert_eq!((record.head.tag("Red"), record.head.encoding), (Some("甲"), None));
    assert_eq!(moves(&played(record)), "h2e2");
}

#[test]
fn the_cases_of_others_read_as_they_say() {
    let Some(cases) = shared("cases") else { return };
    let read = |name: &str| read(&FORMAT, &std::fs::read(cases.join(name)).unwrap()).unwrap();
    let quotes = read("PGN-01/quotes.pgn").one();
    assert_eq!(quotes.head.tag("Event"), Some(r#"say "hi" and \ back"#));
    assert_eq!(quotes.head.tag("Red"), Some(r#"O'Neil, "Q""#));
    assert_eq!(quotes.head.tag("Black"), Some(r#"unescaped "nick" name"#));
    assert_eq!(moves(&played(quotes)), "h2e2 h9g7");
    let curly = read("PGN-01/curly.pgn");
    assert_eq!(curly.faults.count("curly-quotes"), 4);
    let curly = curly.one();
    assert_eq!((moves(&curly).as_str(), curly.head.result), ("h2e2 h9g7", Some(Outcome::Second)));
    let comments = played(read("PGN-03/comments.pgn").one());
    assert_eq!(moves(&comments), "h2e2 (b2e2 h9g7) h9g7 h0g2 i9h9 i0h0");
    assert_eq!(comment(&comments, &[]).as_deref(), Some("before all"));
    assert_eq!(comment(&comments, &[0]).as_deref(), Some("a\nb\nafter var"));
    assert_eq!(comment(&comments, &[1]).as_deref(), Some("pre\npost"));
    assert_eq!(comment(&comments, &[0, 0]).as_deref(), Some("rest of line } ( 2. xx"));
    let last = comment(&comments, &[0, 0, 0, 0]).unwrap();
    assert!(last.starts_with("multi\n[%cal x]\n1-0\n[Event \"not a tag\"]"), "{last}");
    assert_eq!(read("PGN-05/bom.pgn").one().head.tag("Event"), Some("bom h2e2"));
    let invisible = read("PGN-05/zwsp.pgn");
    assert_eq!(invisible.faults.count("invisible-characters"), 1);
    assert_eq!(invisible.one().head.tag("Event"), Some("z"));
    assert_eq!(moves(&played(read("XQ-NOT/chinese_pawns.pgn").one())), "c7d7");
}

#[test]
fn no_ply_is_lost_in_the_files_of_others() {
    let Some(folder) = shared("data/xiangqi/pgn") else { return };
    let (mut games, mut moves) = (0, 0);
    let parts = [("", "pgn"), ("ccgc", "PGN")];
    for path in parts.iter().flat_map(|(part, extension)| files(&folder.join(part), extension)) {
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(detect(&bytes, None).unwrap().name, NAME, "{}", path.display());
        let read = read(&FORMAT, &bytes).unwrap();
        games += read.records.len();
        moves += read.records.iter().map(|record| played(record.clone()).tree.len() - 1).sum::<usize>();
    }
    // Words that look like moves, counted by another program.
    assert_eq!((games, moves), (3_712, 329_414));
}

proptest! {
    #[test]
    fn legal_trees_come_back_in_every_notation(
        record in legal_records(),
        style in prop::sample::select(vec![Style::Chinese, Style::ChineseTraditional, Style::Wxf, Style::Iccs]),
    ) {
        let options = WriteOptions { style: Some(style), ..WriteOptions::default() };
        let (bytes, losses) = write_with(&FORMAT, &[record.clone(), record.clone()], &options).unwrap();
        prop_assert!(losses.is_empty());
        let read = read(&FORMAT, &bytes).unwrap();
        prop_assert_eq!(read.records.len(), 2);
        for back in read.records {
            prop_assert!(same(&played(back), &record), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn whatever_a_record_holds_is_written_or_told(record in all_records()) {
        if record.head.game == Game::Xiangqi {
            let (bytes, _) = write(&FORMAT, &[record]).unwrap();
            read(&FORMAT, &bytes).unwrap();
        }
    }
}

#[test]
fn prefixes_and_damage_end_politely() {
    for name in ["variations.pgn", "gbk.pgn", "three-notations.pgn", "winboard.pgn"] {
        torture(&FORMAT, &sample(name), 300);
    }
}

#[test]
fn what_is_lost_is_told() {
    let read = read(&FORMAT, &sample("variations.pgn")).unwrap();
    let mut builder = TreeBuilder::new();
    builder.append(1, Side::First, Play::Nothing).unwrap();
    builder.append(2, Side::Second, Play::Move(Move::Pass)).unwrap();
    builder.append(1, Side::First, Play::Move(Move::Pass)).unwrap();
    builder.note(Note::Line(" a} ")).unwrap();
    let record = Record { head: read.records[1].head.clone(), tree: builder.build() };
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.ends_with("\n1. ... -- {a｝}\n*\n"), "{text}");
    let lost: Vec<&str> = losses.list().iter().map(|loss| loss.what).collect();
    assert_eq!(lost.len(), 3, "{lost:?}");
    let big5 = WriteOptions { encoding: Some(encoding_rs::BIG5), ..WriteOptions::default() };
    let (bytes, losses) = write_with(&FORMAT, &read.records, &big5).unwrap();
    assert!(!losses.is_empty() && std::str::from_utf8(&bytes).is_err());
}

use super::FORMAT;
use crate::samples::*;
use crate::{ReadOptions, Severity, Sure, by_name, detect, label_to_encoding};
use games::{Move, Side, Size, Step};
use record::{Head, NodeId, Note, Outcome, Part, Play, Record, Tree, TreeBuilder, bind};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("xqf").join(name)).unwrap()
}

/// The tree as `h2e2 (c3c4) h9g7 …`: variations in parentheses behind the move they replace, comments in braces.
fn drawn(tree: &Tree) -> String {
    let mut words = Vec::new();
    let comment = |node| match (tree.line(node), tree.body(node)) {
        (None, None) => String::new(),
        (line, None) => format!("{{{}}}", line.unwrap_or_default()),
        (line, Some(body)) => format!("{{{}|{}}}", line.unwrap_or_default(), body.replace('\n', "|")),
    };
    for (depth, node) in tree.walk() {
        let text = match tree.play(node) {
            Play::Move(Move::Step(step)) => step.to_string(),
            Play::Nothing => "~".into(),
            play => format!("{play:?}"),
        };
        words.push(format!("{depth}{text}{}", comment(node)));
    }
    words.join(" ")
}

const GAME: &str = "0~{全局的说明|第二行} 1h2e2{中炮} 2h9g7 3h0g2 4i9h9{出车||稳健} 2h7e7{顺炮} 3h0g2 3e2e6{不好} 4e7e3 \
     2b9c7 1c3c4{仙人指路}";

#[test]
fn every_version_says_the_same() {
    let plain = read_with(&FORMAT, &sample("variations.xqf"), &strict()).unwrap();
    assert!(plain.encoding.is_none() && plain.faults.is_empty());
    let record = plain.one();
    assert_eq!(drawn(&record.tree), GAME);
    let tags = [
        ("Title", "自编棋谱"),
        ("Event", "测试赛"),
        ("Date", "2026.11.30"),
        ("Site", "书房"),
        ("Red", "红方甲"),
        ("Black", "黑方乙"),
        ("TimeControl", "30分加10秒"),
        ("RedTime", "12:05"),
        ("BlackTime", "11:40"),
        ("Annotator", "评注者"),
        ("Author", "作者"),
    ];
    assert_eq!(record.head.tags, tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!((record.head.result, record.head.encoding), (Some(Outcome::Draw), Some("gb18030")));
    for version in ["variations-11.xqf", "variations-12.xqf", "variations-18.xqf"] {
        assert_eq!(read_with(&FORMAT, &sample(version), &strict()).unwrap().one(), record, "{version}");
    }
    assert_eq!(write(&FORMAT, &[record]).unwrap().0, sample("variations.xqf"));
}

#[test]
fn the_first_piece_that_moves_says_who_begins() {
    let bytes = sample("endgame-16.xqf");
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.faults.count("other-side"), 1);
    let record = read.one();
    assert_eq!(record.head.fen(), Some("r3k4/9/9/9/2P6/9/9/9/9/3K5 b - - 0 1"));
    assert_eq!((record.head.tag("Type"), record.head.result), (Some("endgame"), Some(Outcome::Second)));
    assert_eq!(drawn(&record.tree), "0~{黑先} 1a9a0{将军} 2d0d1 1a9d9");
    assert!(record.tree.nodes().skip(1).all(|node| {
        let depth = record.tree.path(node).len();
        record.tree.side(node) == Side::of_ply(depth + 1)
    }));
    assert_eq!(bind(&record, None).unwrap().tree, record.tree);
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
    assert!(losses.is_empty());
    // The header that we write tells the side, so that nothing is left to remark.
    let again = read_with(&FORMAT, &bytes, &strict()).unwrap();
    assert!(again.faults.is_empty());
    assert_eq!(again.one(), record);
}

#[test]
fn moves_are_kept_whether_they_are_legal_or_not() {
    let bytes = sample("illegal.xqf");
    let record = read(&FORMAT, &bytes).unwrap().one();
    assert_eq!(drawn(&record.tree), "0~ 1h2e2 2h9g8{走不了} 3h0g2 2b9c7");
    let bound = bind(&record, None).unwrap();
    assert_eq!(drawn(&bound.tree), "0~ 1h2e2 2b9c7");
    assert_eq!((bound.unplayable.len(), bound.unplayable[0].nodes), (1, 2));
    // Of h9g8 the piece goes off the board: 90 is no point.
    let mut bytes = bytes;
    let at = bytes.windows(3).rposition(|bytes| bytes == [79 + 24, 68 + 32, 0xFF]).unwrap();
    bytes[at + 1] = 90 + 32;
    let read = read(&FORMAT, &bytes).unwrap();
    let fault = &read.faults.list()[0];
    assert_eq!(
        (fault.kind, fault.severity, fault.to_string().as_str()),
        (
            "bad-point",
            Severity::Damage,
            "a move between points off the board (79-90) at byte 0x410 (after h2e2 ·, ply 1): kept as it is written"
        )
    );
    let record = read.one();
    assert_eq!(drawn(&record.tree), "0~ 1h2e2 2~{走不了} 3h0g2 2b9c7");
    let bound = bind(&record, None).unwrap();
    assert_eq!(drawn(&bound.tree), "0~ 1h2e2 2b9c7");
    assert_eq!(bound.unplayable[0].message, "`79-90` is no move");
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    assert_eq!(losses.total(), 2);
    assert_eq!(drawn(&read_one(&bytes).tree), "0~ 1h2e2 2b9c7");
}

fn read_one(bytes: &[u8]) -> Record {
    read(&FORMAT, bytes).unwrap().one()
}

/// Name, version, result, nodes, comments, lines beside the main one, moves that cannot be played.
///
/// The nodes, comments and lines are what a reader of fifty lines in another language counts.
type Row = (&'static str, &'static str, usize, usize, usize, usize);

const SAMPLES: [Row; 20] = [
    ("BadMoveTest1.xqf", "1-0", 43, 3, 0, 0),
    ("BadMoveTest2.xqf", "1-0", 39, 3, 1, 0),
    ("BadMoveTest3.xqf", "1-0", 18, 4, 3, 1),
    ("BadMoveTest4.xqf", "1-0", 17, 4, 3, 0),
    ("EmptyTest.xqf", "0-1", 0, 0, 0, 0),
    ("FiveGoatsTest.xqf", "*", 32124, 51, 348, 0),
    ("NoMove.xqf", "*", 0, 0, 0, 0),
    ("UnitTest.xqf", "1/2-1/2", 19, 3, 2, 0),
    ("WildHouse.xqf", "1/2-1/2", 1679, 203, 138, 1),
    ("game_test.xqf", "*", 58, 1, 0, 0),
    ("game_varations.xqf", "*", 24, 0, 5, 0),
    ("pawn_move.xqf", "*", 14, 0, 0, 0),
    ("save.xqf", "*", 2, 2, 0, 0),
    ("test.xqf", "0-1", 110, 11, 0, 0),
    ("test1.xqf", "0-1", 110, 11, 0, 0),
    ("test2.xqf", "*", 12, 0, 0, 0),
    ("test_5_variations.xqf", "*", 24, 0, 4, 0),
    ("ucci_test1.xqf", "1-0", 43, 1, 0, 0),
    ("ucci_test2.xqf", "1-0", 33, 1, 4, 0),
    ("ucci_test3.xqf", "1-0", 5, 1, 1, 0),
];

#[test]
fn every_sample_reads_with_comments_and_variations() {
    let Some(folder) = shared("data/xiangqi/xqf") else { return };
    let agr = by_name("agi-record").unwrap();
    let mut wrong = Vec::new();
    for row in SAMPLES {
        let bytes = std::fs::read(folder.join(row.0)).unwrap();
        assert_eq!(detect(&bytes, None).unwrap().name, "xqf");
        let read = read_with(&FORMAT, &bytes, &strict()).unwrap_or_else(|error| panic!("{}: {error}", row.0));
        let record = read.one();
        let tree = &record.tree;
        let comments = tree.nodes().filter(|node| tree.line(*node).is_some() || tree.body(*node).is_some()).count();
        let beside = tree.nodes().filter(|node| tree.next_sibling(*node).is_some()).count();
        let played = bind(&record, None).unwrap_or_else(|error| panic!("{}: {error:?}", row.0));
        let result = record.head.result.unwrap().text();
        let found = (row.0, result, tree.len() - 1, comments, beside, played.unplayable.len());
        if found != row {
            let messages: Vec<_> = played.unplayable.iter().take(3).map(|gone| gone.message.as_str()).collect();
            wrong.push(format!("{found:?} {messages:?} {:?}", record.head.fen()));
        }
        // A comment of one of them is cut in the middle of a character.
        let broken = tree.nodes().flat_map(|node| tree.notes(node)).filter(|note| matches!(note, Note::Bytes(..)));
        assert_eq!(broken.count(), usize::from(row.0 == "game_test.xqf"), "{}", row.0);
        let (text, losses) = write(agr, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty(), "{}", row.0);
        let again = read_with(agr, &text, &strict()).unwrap().one();
        let (written, losses) = write(&FORMAT, &[again]).unwrap();
        assert!(losses.is_empty(), "{}: {losses:?}", row.0);
        assert_eq!(read_one(&written), record, "{}", row.0);
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn damaged_files_end_politely() {
    for name in ["variations.xqf", "variations-18.xqf", "endgame-16.xqf", "illegal.xqf", "no-moves.xqf"] {
        let bytes = sample(name);
        torture(&FORMAT, &bytes, 300);
        // What stands behind the header has few bytes: most damage should be there.
        damage(&bytes[super::HEADER..], 600, |moves| {
            let bytes = [&bytes[..super::HEADER], moves].concat();
            for options in [ReadOptions::default(), lenient()] {
                let read = read_with(&FORMAT, &bytes, &options).unwrap();
                let _ = write(&FORMAT, &read.records).unwrap();
            }
        });
    }
}

#[test]
fn a_hostile_length_takes_no_memory() {
    let mut bytes = sample("no-moves.xqf");
    let end = bytes.len();
    bytes[end - 4..].fill(0xFF);
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.faults.count("cut-text"), 1);
    assert!(read_with(&FORMAT, &bytes, &strict()).is_err());
    assert!(read.one().tree.is_empty());
}

/// A tree so deep and so wide that recursion would not survive it.
#[test]
fn deep_and_wide_trees_need_no_stack() {
    with_small_stack(|| {
        let steps = ["h2e2", "h9g7"].map(|text| Play::Move(Move::Step(Step::from_text(text).unwrap())));
        let mut builder = TreeBuilder::new();
        for depth in 1..=100_000 {
            builder.append(depth, Side::of_ply(depth), steps[(depth - 1) % 2]).unwrap();
        }
        for _ in 0..1000 {
            builder.append(50_000, Side::Second, steps[1]).unwrap();
        }
        let record = Record { head: head(), tree: builder.build() };
        let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty());
        assert!(read_one(&bytes).tree == record.tree);
    });
}

fn head() -> Head {
    Head { game: games::Game::Xiangqi, size: Size::XIANGQI, ..Head::default() }
}

#[test]
fn long_names_are_cut_behind_a_whole_character_and_told() {
    let mut head = head();
    head.tags.push(("Red".into(), "一二三四五六七八".into()));
    head.tags.push(("Round".into(), "7".into()));
    let (bytes, losses) = write(&FORMAT, &[Record { head, ..Record::default() }]).unwrap();
    let told: Vec<String> = losses.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["1 ends of tags that are longer than their place (left out), first Red", "1 tags (left out), first Round"]
    );
    assert_eq!(read_one(&bytes).head.tag("Red"), Some("一二三四五六七"));
}

#[test]
fn comments_of_other_encodings_come_back_byte_by_byte() {
    let mut bytes = sample("no-moves.xqf");
    let comment = b"a\xFF\r\nb\xD6\nc";
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&(comment.len() as u32).to_le_bytes());
    bytes.extend(comment);
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.encoding.unwrap().sure, Sure::Unsure);
    let record = read.one();
    assert_eq!(record.tree.bytes(NodeId::ROOT, Part::Body), Some(&b"b\xD6\nc"[..]));
    assert!(write(&FORMAT, std::slice::from_ref(&record)).unwrap().0 == bytes);
    // In the encoding that the user names.
    let big5 = label_to_encoding("big5");
    let options = ReadOptions { encoding: big5, ..ReadOptions::default() };
    let text = big5.unwrap().encode("許功蓋").0.into_owned();
    bytes.truncate(end);
    bytes[end - 4..].copy_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend(text);
    assert_eq!(read_with(&FORMAT, &bytes, &options).unwrap().one().tree.line(NodeId::ROOT), Some("許功蓋"));
}

#[test]
fn only_records_are_taken_for_one() {
    let bytes = sample("variations-12.xqf");
    for other in [&b"XQ\n[Event \"x\"]\n"[..], &[b"XQ\n".as_slice(), &[b'a'; 2000]].concat(), b"XQ\x0A", &bytes[1..]] {
        assert!(detect(other, Some("txt")).map_or(true, |format| format.name != "xqf"));
    }
    assert_eq!(detect(&bytes[..40], Some("xqf")).unwrap().name, "xqf");
    let error = read(&FORMAT, &bytes[..40]).unwrap_err();
    assert_eq!(error.to_string(), "xqf: the file ends inside the header of 1024 bytes at byte 0x28");
}

/// A measurement: cargo test --release -p kifu-formats -- --ignored --nocapture files_a_second
#[test]
#[ignore = "a measurement of some seconds"]
fn files_a_second() {
    let Some(folder) = shared("data/xiangqi/xqf") else { return };
    // A large library is not a file as people have them by thousands.
    let names = SAMPLES.iter().map(|row| row.0).filter(|name| *name != "FiveGoatsTest.xqf");
    let bytes: Vec<Vec<u8>> = names.map(|name| std::fs::read(folder.join(name)).unwrap()).collect();
    let start = std::time::Instant::now();
    let (mut files, mut nodes) = (0, 0);
    while start.elapsed().as_secs() < 3 {
        for bytes in &bytes {
            let played = bind(&read_one(bytes), None).unwrap();
            files += 1;
            nodes += played.tree.len() - 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    // All legal moves of all of them, each time.
    assert_eq!((nodes * bytes.len(), nodes > 0), (2238 * files as usize, true));
    eprintln!("{:.0} files/s, {:.0} moves/s", f64::from(files) / seconds, nodes as f64 / seconds);
}

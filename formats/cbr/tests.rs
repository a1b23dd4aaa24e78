use super::FORMAT;
use crate::samples::*;
use crate::{by_name, detect};
use games::{Move, Side};
use record::{Outcome, Play, Record, Tree, bind};

/// The tree as `1h2e2 2h9g7 …`, each move behind its depth, comments in braces.
fn drawn(tree: &Tree) -> String {
    let comment = |node| match (tree.line(node), tree.body(node)) {
        (None, None) => String::new(),
        (line, None) => format!("{{{}}}", line.unwrap_or_default()),
        (line, Some(body)) => format!("{{{}|{}}}", line.unwrap_or_default(), body.replace('\n', "|")),
    };
    let words = tree.walk().map(|(depth, node)| match tree.play(node) {
        Play::Move(Move::Step(step)) => format!("{depth}{step}{}", comment(node)),
        _ => format!("{depth}~{}", comment(node)),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("cbr").join(name)).unwrap()
}

/// Name, nodes, comments, lines beside the main one, moves that cannot be played.
pub(crate) fn counts(record: &Record) -> (usize, usize, usize, usize) {
    let tree = &record.tree;
    let comments = tree.nodes().filter(|node| tree.line(*node).is_some() || tree.body(*node).is_some()).count();
    let beside = tree.nodes().filter(|node| tree.next_sibling(*node).is_some()).count();
    (tree.len() - 1, comments, beside, bind(record, None).unwrap().unplayable.len())
}

#[test]
fn a_record_says_what_its_xqf_says() {
    let record = read_with(&FORMAT, &sample("variations.cbr"), &strict()).unwrap().one();
    let xqf = std::fs::read(testdata("xqf/variations.xqf")).unwrap();
    let other = read(by_name("xqf").unwrap(), &xqf).unwrap().one();
    assert_eq!(record.tree, other.tree);
    let tags = [
        ("Title", "自编棋谱"),
        ("Event", "测试赛"),
        ("Round", "3"),
        ("Date", "2026.11.30"),
        ("Site", "书房"),
        ("Red", "红方甲"),
        ("RedTeam", "红队"),
        ("RedElo", "2400"),
        ("Black", "黑方乙"),
        ("Annotator", "评注者"),
        ("Author", "作者"),
    ];
    assert_eq!(record.head.tags, tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(record.head.result, Some(Outcome::Draw));
}

#[test]
fn a_position_where_black_begins_is_read() {
    let read = read(&FORMAT, &sample("endgame.cbr")).unwrap();
    assert_eq!(read.faults.count("trailing-bytes"), 1);
    let record = read.one();
    assert_eq!(record.head.fen(), Some("r3k4/9/9/9/2P6/9/9/9/9/3K5 b - - 0 1"));
    assert_eq!(drawn(&record.tree), "0~{黑先} 1a9a0{将军} 2d0d1 1a9d9");
    assert_eq!(record.tree.side(record.tree.main_line().next().unwrap()), Side::Second);
    assert_eq!(counts(&record), (3, 2, 1, 0));
}

#[test]
fn every_sample_reads_with_comments_and_variations() {
    let Some(folder) = shared("data/xiangqi/cbr") else { return };
    let agr = by_name("agi-record").unwrap();
    for (name, wanted) in [("test.cbr", (102, 13, 11, 0)), ("test2.cbr", (2, 3, 0, 0))] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert_eq!(detect(&bytes, None).unwrap().name, "cbr");
        let record = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        assert_eq!(counts(&record), wanted, "{name}");
        let (text, losses) = write(agr, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty());
        assert_eq!(read_with(agr, &text, &strict()).unwrap().one(), record);
    }
}

#[test]
fn damaged_files_end_politely() {
    for name in ["variations.cbr", "endgame.cbr"] {
        let bytes = sample(name);
        torture(&FORMAT, &bytes, 200);
        damage(&bytes[2214..], 600, |moves| {
            let bytes = [&bytes[..2214], moves].concat();
            assert_eq!(read(&FORMAT, &bytes).unwrap().records.len(), 1);
        });
    }
}

#[test]
fn what_is_damaged_is_said_with_its_place() {
    let bytes = sample("endgame.cbr");
    let told = |bytes: &[u8]| match read_with(&FORMAT, bytes, &strict()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let mut flags = bytes.clone();
    flags[2214] = 8;
    assert_eq!(told(&flags), "cbr: the flags 0x08 are of no move at byte 0x8a6 (at the root): reading ended there");
    let mut old = bytes.clone();
    old[19] = 1;
    assert_eq!(told(&old), "cbr: version 1 of CCBridge is not known here at byte 0x13: version 2 is");
    let mut length = bytes.clone();
    length[2218..2222].fill(0xFF);
    assert_eq!(
        told(&length),
        "cbr: the record ends inside a comment at byte 0x8aa (at the root): what is there is kept"
    );
    assert_eq!(told(&bytes[..100]), "cbr: the file ends inside the header of 2214 bytes at byte 0x64");
}

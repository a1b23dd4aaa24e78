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

/// The bytes with the points of all moves counted from other sides.
fn turned(bytes: &[u8], is_right: bool, is_black: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // Of these records only the root has a comment, or each has its length behind it.
    let mut at = 1958;
    let mut is_root = true;
    while let Some(&[flags, _, from, to]) = bytes[at..].first_chunk() {
        if !std::mem::take(&mut is_root) {
            for (place, byte) in [(at + 2, from), (at + 3, to)] {
                let (x, y) = (byte >> 4, byte & 15);
                bytes[place] = (if is_right { 8 - x } else { x }) << 4 | if is_black { 9 - y } else { y };
            }
        }
        at += 4;
        if flags & 4 != 0 {
            at += 4 + u32::from_le_bytes(*bytes[at..].first_chunk().unwrap()) as usize;
        }
    }
    bytes
}

#[test]
fn version_1_says_what_version_2_says() {
    for (name, unsure) in [("variations.cbr", 1), ("endgame.cbr", 0)] {
        let new = read(&FORMAT, &sample(name)).unwrap().one();
        let old = sample(&format!("old-{name}"));
        assert!(read_with(&FORMAT, &old, &strict()).is_err());
        for (is_right, is_black) in [(false, false), (false, true), (true, false), (true, true)] {
            let found = read(&FORMAT, &turned(&old, is_right, is_black)).unwrap();
            assert_eq!((found.faults.count("old-header"), found.faults.count("unsure-points")), (1, unsure), "{name}");
            let record = found.one();
            assert_eq!((record.head.fen(), record.head.result), (new.head.fen(), None));
            // From the usual start a game and its mirror are alike.
            let is_mirrored = unsure == 1 && is_right;
            assert_eq!(record.tree == new.tree, !is_mirrored, "{name} {is_right} {is_black}");
            assert_eq!(counts(&record), counts(&new));
        }
    }
    let mut never = sample("old-endgame.cbr");
    let last = never.len() - 2;
    never[last..].fill(0x99);
    assert_eq!(read(&FORMAT, &never).unwrap().faults.count("bad-point"), 1);
    // The rook, the only piece that moves, is taken off the board.
    let mut empty = sample("old-endgame.cbr");
    empty[1864] = 0;
    assert!(read(&FORMAT, &empty).unwrap_err().to_string().contains("no move of version 1 can be played"));
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
    for name in ["old-variations.cbr", "old-endgame.cbr"] {
        torture(&FORMAT, &sample(name), 200);
    }
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
    old[19] = 0;
    assert_eq!(told(&old), "cbr: version 0 of CCBridge is not known here at byte 0x13: versions 1 and 2 are");
    old[19] = 1;
    assert_eq!(told(&old), "cbr: the board of version 1 does not end where it should at byte 0x7a2");
    let mut length = bytes.clone();
    length[2218..2222].fill(0xFF);
    assert_eq!(
        told(&length),
        "cbr: the record ends inside a comment at byte 0x8aa (at the root): what is there is kept"
    );
    assert_eq!(told(&bytes[..100]), "cbr: the file ends inside the header of 2214 bytes at byte 0x64");
}

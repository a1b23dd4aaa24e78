use super::FORMAT;
use crate::samples::*;
use crate::{by_name, detect};
use games::{Game, Move, Side, Size, Step};
use record::{Head, NodeId, Note, Outcome, Play, Record, Tree, TreeBuilder, bind};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("ubb").join(name)).unwrap()
}

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

fn counts(record: &Record) -> (usize, usize, usize, usize) {
    let tree = &record.tree;
    let comments = tree.nodes().filter(|node| tree.line(*node).is_some() || tree.body(*node).is_some()).count();
    let beside = tree.nodes().filter(|node| tree.next_sibling(*node).is_some()).count();
    (tree.len() - 1, comments, beside, bind(record, None).unwrap().unplayable.len())
}

#[test]
fn lines_hang_where_they_leave_others() {
    let found = read(&FORMAT, &sample("variations.ubb")).unwrap();
    assert_eq!(found.faults.counts().iter().map(|count| count.0).collect::<Vec<_>>(), ["other-closing"]);
    let record = found.one();
    // Line 1 plays for Black in the place of ply 2 and line 2 for Red in the place of its second ply.
    assert_eq!(
        drawn(&record.tree),
        "0~{全局的说明|第二行} 1h2e2{中炮} 2h9g7 3h0g2 4i9h9{出车||稳健} 2h2e2{顺炮} 3h0g2 3e3e6{不好} 4e2e6 2b9c7 \
         1c3c4{仙人指路}"
    );
    let tags = [("DhtmlXQ_ver", "www_dpxq_com"), ("Title", "自编棋谱"), ("Red", "红方甲")];
    assert_eq!(record.head.tags, tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(record.head.result, Some(Outcome::Draw));
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
    assert!(losses.is_empty());
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one(), record);
}

#[test]
fn a_page_holds_many_games() {
    let found = read(&FORMAT, &sample("page.html")).unwrap();
    let [one, two] = &found.records[..] else { panic!("{}", found.records.len()) };
    assert_eq!((one.head.tag("Title"), one.head.result), (Some("甲"), Some(Outcome::First)));
    assert_eq!(drawn(&one.tree), "0~ 1h2e2 2h9g7");
    assert_eq!(two.head.fen(), Some("r3k4/9/9/9/5P3/9/9/9/9/3K5 b - - 0 1"));
    assert_eq!(two.tree.side(NodeId::ROOT), Side::First);
    assert_eq!(drawn(&two.tree), "0~ 1a9a0");
    assert_eq!(bind(two, None).unwrap().tree, two.tree);
    let (bytes, losses) = write(&FORMAT, &found.records).unwrap();
    assert!(losses.is_empty());
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().records, found.records);
}

#[test]
fn texts_that_look_like_fields_come_back() {
    let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, encoding: Some("UTF-8"), ..Head::default() };
    for text in ["a||b|", "[DhtmlXQ_red]x[/DhtmlXQ_red]", "[/DhtmlXQ]", "<br>\\u4e00\\u", "棋|", "\\", "a[b]<c>"] {
        for body in [false, true] {
            let mut builder = TreeBuilder::new();
            builder.note(Note::Line("x|")).unwrap();
            builder.append(1, Side::First, Play::Move(Move::Step(Step::from_text("h2e2").unwrap()))).unwrap();
            builder.note(if body { Note::Body(text) } else { Note::Line(text) }).unwrap();
            let mut record = Record { head: head.clone(), tree: builder.build() };
            record.head.tags.push(("Event".into(), format!("{text}棋")));
            let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
            assert!(losses.is_empty());
            assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one(), record, "{text}");
        }
    }
}

#[test]
fn every_sample_reads_with_comments_and_variations() {
    let Some(folder) = shared("data/xiangqi/ubb") else { return };
    let mut moves = 0;
    for path in files(&folder, "html") {
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(detect(&bytes, Some("html")).unwrap().name, "ubb", "{}", path.display());
        let record = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        let found = counts(&record);
        assert_eq!((found.1, found.2, found.3), (0, 0, 0), "{}", path.display());
        assert!(record.head.result.is_some() && record.head.tag("Red").is_some());
        moves += found.0;
    }
    assert_eq!(moves, PLIES);
    let record = read(&FORMAT, &std::fs::read(folder.join("game.ubb")).unwrap()).unwrap().one();
    assert_eq!(counts(&record), (23, 9, 3, 0));
    let agr = by_name("agi-record").unwrap();
    let (text, losses) = write(agr, std::slice::from_ref(&record)).unwrap();
    assert!(losses.is_empty());
    let again = read_with(agr, &text, &strict()).unwrap().one();
    let (bytes, losses) = write(&FORMAT, &[again]).unwrap();
    assert!(losses.is_empty());
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one(), record);
}

/// Moves of the pages.
const PLIES: usize = 914;

#[test]
fn what_hangs_nowhere_is_told() {
    let text = "[DhtmlXQ][DhtmlXQ_movelist]7747x062[/DhtmlXQ_movelist][DhtmlXQ_move_7_2_1]7747[/DhtmlXQ_move_7_2_1]\
                [DhtmlXQ_move_0_9_2]7747[/DhtmlXQ_move_0_9_2][DhtmlXQ_comment9]?[/DhtmlXQ_comment9][/DhtmlXQ]";
    let found = read(&FORMAT, text.as_bytes()).unwrap();
    let told: Vec<(&str, u64)> = found.faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect();
    assert_eq!(told, [("bad-branch", 2), ("bad-comment", 1), ("bad-move", 1)]);
    let record = found.one();
    assert_eq!(record.tree.len(), 3);
    let bound = bind(&record, None).unwrap();
    assert_eq!((bound.tree.len(), bound.unplayable[0].message.as_str()), (2, "`x062` is no move"));
}

#[test]
fn long_lines_and_many_need_no_stack_and_no_square_time() {
    with_small_stack(|| {
        let mut text = String::from("[DhtmlXQ][DhtmlXQ_movelist]");
        text.push_str(&"7747".repeat(50_000));
        text.push_str("[/DhtmlXQ_movelist]");
        for line in 1..20_000 {
            text.push_str(&format!(
                "[DhtmlXQ_move_{}_{}_{line}]77477747[/DhtmlXQ_move_{}_{}_{line}]",
                line - 1,
                line + 1,
                line - 1,
                line + 1
            ));
            text.push_str(&format!("[DhtmlXQ_comment{line}_1]x[/DhtmlXQ_comment{line}_1]"));
        }
        text.push_str("[/DhtmlXQ]");
        let found = read_with(&FORMAT, text.as_bytes(), &lenient()).unwrap();
        assert_eq!(found.records[0].tree.len(), 1 + 50_000 + 2 * 19_999);
        let (bytes, _) = write(&FORMAT, &found.records).unwrap();
        assert!(read(&FORMAT, &bytes).unwrap().records[0].tree == found.records[0].tree);
    });
}

#[test]
fn damaged_files_end_politely() {
    for name in ["variations.ubb", "page.html"] {
        torture(&FORMAT, &sample(name), 600);
    }
}

#[test]
fn only_games_are_taken_for_one() {
    for other in ["[Event \"x\"]\n[DhtmlXQ_ver \"y\"]\n1. h2e2", "<html><body>DhtmlXQ</body></html>", "h8 i9"] {
        assert!(detect(other.as_bytes(), None).map_or(true, |format| format.name != "ubb"), "{other}");
    }
    let sgf = b"(;GM[4]SZ[15]C[see [DhtmlXQ\\]];B[hh])";
    assert_eq!(detect(sgf, None).unwrap().name, "sgf");
    let agr = by_name("agi-record").unwrap();
    let record = read(&FORMAT, &sample("variations.ubb")).unwrap().one();
    let (text, _) = write(agr, &[record]).unwrap();
    assert_eq!(detect(&text, Some("ubb")).unwrap().name, "agi-record");
}

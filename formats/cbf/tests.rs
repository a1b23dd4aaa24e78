use super::FORMAT;
use crate::samples::*;
use crate::{by_name, comment, detect};
use games::{Move, Side, Step};
use record::{NodeId, Outcome, Play, Tree, TreeBuilder, bind};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("cbf/game.cbf")).unwrap()
}

#[test]
fn a_game_is_read_with_its_comments() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    let tags =
        [("Title", "自编棋谱"), ("Red", "红方甲"), ("ECCO", "C00"), ("FEN", "4k4/9/9/9/9/9/9/9/4R4/3K5 b - - 0 1")];
    assert_eq!(record.head.tags, tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(record.head.result, Some(Outcome::First));
    let tree = &record.tree;
    assert_eq!((tree.line(NodeId::ROOT), tree.body(NodeId::ROOT)), (Some("说明 & <一>"), Some("第二行")));
    let moves: Vec<_> = tree.main_line().map(|node| format!("{:?}", tree.line(node))).collect();
    assert_eq!(moves, ["None", "Some(\"横将\")"]);
    assert_eq!(bind(&record, None).unwrap().tree, record.tree);
}

#[test]
fn every_sample_reads_with_comments() {
    let Some(folder) = shared("data/xiangqi/cbf") else { return };
    let agr = by_name("agi-record").unwrap();
    for (name, result, wanted) in [("test.cbf", Outcome::Unknown, (50, 8)), ("test2.cbf", Outcome::Draw, (75, 17))] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert_eq!(detect(&bytes, None).unwrap().name, "cbf");
        let record = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        let tree = &record.tree;
        let comments = tree.nodes().filter(|node| tree.line(*node).is_some() || tree.body(*node).is_some()).count();
        assert_eq!((tree.len() - 1, comments), wanted, "{name}");
        assert_eq!(record.head.result, Some(result));
        assert!(record.head.fen().is_none() && bind(&record, None).unwrap().unplayable.is_empty());
        let (text, losses) = write(agr, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty());
        assert_eq!(read_with(agr, &text, &strict()).unwrap().one(), record);
        let (again, losses) = write(&FORMAT, &[record]).unwrap();
        assert!(losses.is_empty());
        assert!(again == bytes, "{name}: {}", String::from_utf8_lossy(&again));
    }
}

#[test]
fn what_is_written_reads_back() {
    let record = read(&FORMAT, &sample()).unwrap().one();
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
    assert!(losses.is_empty());
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one(), record);
    let mut asymmetric = record;
    let step = |text| Play::Move(Move::Step(Step::from_text(text).unwrap()));
    let mut builder = TreeBuilder::new();
    builder.append(1, Side::First, step("b2b9")).unwrap();
    for text in ["a ]]> & <b>", "]]", " x\n\n y ", "&amp;<![CDATA[]]>]]"] {
        builder.append(builder.depth() + 1, Side::First, step("a9b9")).unwrap();
        comment::push(&mut builder, text).unwrap();
    }
    asymmetric.head.tags = vec![
        ("Title".into(), "<&> \"]]>\"".into()),
        ("Class".into(), "a\nb".into()),
        ("ResultType".into(), "7".into()),
        ("RecordResult".into(), "4".into()),
    ];
    asymmetric.head.result = None;
    asymmetric.tree = builder.build();
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&asymmetric)).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let back = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
    asymmetric.head.tags.sort();
    let mut tags = back.head.tags.clone();
    tags.sort();
    assert_eq!((tags, back.head.result), (asymmetric.head.tags, None));
    let nodes = |tree: &Tree| -> Vec<_> {
        tree.nodes().map(|node| format!("{:?} {:?}", tree.play(node), tree.notes(node).collect::<Vec<_>>())).collect()
    };
    assert_eq!(nodes(&back.tree), nodes(&asymmetric.tree));
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("<Move value=\"17-10\" />") && text.contains("<Move value=\"00-10\">"), "{text}");
}

#[test]
fn what_a_file_has_no_room_for_is_told() {
    let xqf = by_name("xqf").unwrap();
    let mut record = read(xqf, &std::fs::read(testdata("xqf/variations.xqf")).unwrap()).unwrap().one();
    record
        .head
        .tags
        .extend([("Red", "x"), ("Name", "y"), ("Group", " z "), ("Site2", "w")].map(|(n, v)| (n.into(), v.into())));
    record.head.result = Some(Outcome::Void);
    let (bytes, losses) = write(&FORMAT, &[record.clone()]).unwrap();
    let told: Vec<String> = losses.list().iter().map(ToString::to_string).collect();
    let wanted = [
        "3 tags (left out), first Red",
        "1 blanks around tags (left out), first Group",
        "1 results (left out), first void",
        "6 moves beside the main line (left out), first after h2e2 h7e7",
    ];
    assert_eq!(told, wanted);
    let back = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
    assert!(
        back.tree
            .main_line()
            .map(|node| back.tree.play(node))
            .eq(record.tree.main_line().map(|node| record.tree.play(node)))
    );
    assert!(write(&FORMAT, &[record.clone(), record]).is_err());
}

#[test]
fn what_is_odd_is_told() {
    let text = "<ChineseChessRecord><MoveList><Move value='00-00'/><Move value='77-47' end='1' var='1'/>\
                <Move value='7x-62'>&no;</Move>x</MoveList>";
    let found = read(&FORMAT, text.as_bytes()).unwrap();
    let told: Vec<&str> = found.faults.counts().iter().map(|count| count.0).collect();
    assert_eq!(told, ["unknown-attribute", "behind-the-end", "bad-move", "bad-reference", "stray-text", "broken"]);
    assert_eq!(found.one().tree.len(), 3);
    assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    for other in ["<agx/>", "<!DOCTYPE x><ChineseChessRecord/>", "<ChineseChessRecord", ""] {
        assert!(read(&FORMAT, other.as_bytes()).is_err(), "{other}");
    }
}

#[test]
fn damaged_files_end_politely() {
    torture(&FORMAT, &sample(), 600);
    let deep = "<ChineseChessRecord>".to_owned() + &"<a>".repeat(100_000);
    with_small_stack(move || assert_eq!(read(&FORMAT, deep.as_bytes()).unwrap().records.len(), 1));
}

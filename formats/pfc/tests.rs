use super::FORMAT;
use crate::samples::*;
use crate::{by_name, detect};
use games::{Move, Side};
use proptest::prelude::*;
use record::{Play, Record, bind};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("pfc").join(name)).unwrap()
}

/// The tree as `1h2e2 2h9g7 …`, each move behind its depth, comments in braces.
fn drawn(record: &Record) -> String {
    let tree = &record.tree;
    let comment = |node| match (tree.line(node), tree.body(node)) {
        (None, None) => String::new(),
        (line, body) => format!("{{{}|{}}}", line.unwrap_or_default(), body.unwrap_or_default()),
    };
    let words = tree.walk().map(|(depth, node)| match tree.play(node) {
        Play::Move(Move::Step(step)) => format!("{depth}{step}{}", comment(node)),
        _ => format!("{depth}~{}", comment(node)),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn variations_are_read_with_the_default_first() {
    let found = read_with(&FORMAT, &sample("variations.pfc"), &strict()).unwrap();
    let record = found.one();
    let wanted = "0~{自编 <棋谱>|第二行} 1h2e2{中炮|} 2h9g7 3h0g2 3b0c2 2h7e7{顺炮 \"&\"|} 3e2e6 1c3c4";
    assert_eq!(drawn(&record), wanted);
    assert_eq!(record.head.tags, []);
    assert_eq!(bind(&record, None).unwrap().tree, record.tree);
    let record = read_with(&FORMAT, &sample("endgame.pfc"), &strict()).unwrap().one();
    assert_eq!(record.head.fen(), Some("r3k4/9/9/9/2P6/9/9/9/9/3K5 b"));
    assert_eq!(drawn(&record), "0~ 1a9a0{将军|} 2d0d1");
    assert_eq!(record.tree.side(record.tree.main_line().next().unwrap()), Side::Second);
    assert_eq!(bind(&record, None).unwrap().tree, record.tree);
}

#[test]
fn what_is_written_reads_back() {
    for name in ["variations.pfc", "endgame.pfc"] {
        let record = read(&FORMAT, &sample(name)).unwrap().one();
        let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty());
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        assert_eq!(again, record, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(write(&FORMAT, &[again]).unwrap().0, bytes);
    }
    let xqf = by_name("xqf").unwrap();
    let record = read(xqf, &std::fs::read(testdata("xqf/variations.xqf")).unwrap()).unwrap().one();
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
    let told: Vec<&str> = losses.list().iter().map(|loss| loss.what).collect();
    assert_eq!(told, ["tags (left out)", "results (left out)"]);
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one().tree, record.tree);
    assert!(write(&FORMAT, &[record.clone(), record]).is_err());
}

proptest! {
    #[test]
    fn legal_trees_come_back(record in legal_records()) {
        let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        prop_assert!(losses.is_empty());
        let back = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        prop_assert!(same(&back, &record), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn what_is_odd_is_told() {
    let text = "<n x='1'>t<n m='h2e2' m='h2f2'/><n m='h2d2' default=''/><n default='false' m='j9a0'/><n c='?'/><b><n/></b>\
                <n m='c3c4' default='1'/><n m='g3g4' default='1'>&no;";
    let found = read(&FORMAT, text.as_bytes()).unwrap();
    let told: Vec<String> = found.faults.counts().iter().map(|(kind, _, count)| format!("{count} {kind}")).collect();
    let wanted = [
        "1 unknown-attribute",
        "1 stray-text",
        "1 attribute-again",
        "1 unknown-element",
        "1 broken",
        "1 no-position",
        "1 two-defaults",
        "2 bad-move",
    ];
    assert_eq!(told, wanted);
    assert_eq!(drawn(&found.one()), "0~ 1c3c4 1h2e2 1h2d2 1~ 1~{?|} 1g3g4");
    assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err());
    for (other, message) in [
        ("<agx/>", "the root element is `agx`"),
        ("<!DOCTYPE n><n m=''/>", "DOCTYPE"),
        ("<n", "the file ends"),
        ("", "there is no element"),
    ] {
        let error = read(&FORMAT, other.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert!(read(&FORMAT, b"<n m=''/><n m=''/>").is_err());
}

#[test]
fn damaged_files_end_politely() {
    for name in ["variations.pfc", "endgame.pfc"] {
        torture(&FORMAT, &sample(name), 600);
    }
}

#[test]
fn deep_and_wide_trees_need_no_stack_and_no_square_time() {
    with_small_stack(|| {
        let depth = 100_000;
        let deep = format!("<n m=''>{}{}</n>", "<n m='h2e2'>".repeat(depth), "</n>".repeat(depth));
        let wide = format!("<n m=''>{}</n>", "<n m='h2e2'/>".repeat(depth));
        for text in [deep, wide] {
            let record = read(&FORMAT, text.as_bytes()).unwrap().one();
            assert_eq!(record.tree.len(), depth + 1);
            let record = Record { head: record::Head { tags: Vec::new(), ..record.head }, ..record };
            let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
            assert!(losses.is_empty());
            assert_eq!(read(&FORMAT, &bytes).unwrap().one().tree, record.tree);
        }
        let open = format!("<n m=''>{}", "<n>".repeat(depth));
        assert_eq!(read(&FORMAT, open.as_bytes()).unwrap().one().tree.len(), depth + 1);
    });
}

#[test]
fn only_records_are_taken_for_one() {
    for text in ["<n m=\"\">", "<?xml version='1.0'?>\n<!-- x -->\n<n version='1' m='x'>"] {
        assert_eq!(detect(text.as_bytes(), Some("xml")).unwrap().name, "pfc");
    }
    assert_eq!(detect(b"<n>", Some("pfc")).unwrap().name, "pfc");
    for other in ["<name m=\"\">", "<agx><n m=\"\"/></agx>", "n m=\"", "<!DOCTYPE html><n m=\"\">"] {
        assert!(detect(other.as_bytes(), None).map_or(true, |format| format.name != "pfc"), "{other}");
    }
}

use super::FORMAT;
use crate::samples::{lenient, read, read_with, shared, strict, testdata, torture, with_small_stack};
use crate::{Likeness, detect};
use games::{Coords, Size};
use record::{NodeId, Note, Record};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("renjs/tree.renjs")).unwrap()
}

fn drawn(record: &Record) -> Vec<String> {
    let tree = &record.tree;
    let node = |(depth, node)| {
        let name = |point| Coords::A1.text(point, Size::default());
        let mut text = format!("{depth} {}", tree.play(node).stone().map_or("--".into(), name));
        for note in tree.notes(node) {
            match note {
                Note::Line(line) => text += &format!(" {line:?}"),
                Note::Body(body) => text += &format!(" {body:?} below"),
                Note::Text(label) => text += &format!(" [{label}]"),
                other => text += &format!(" {other:?}"),
            }
        }
        text
    };
    tree.walk().skip(1).map(node).collect()
}

#[test]
fn rows_count_from_the_bottom_and_nodes_stand_anywhere() {
    let record = read_with(&FORMAT, &sample(), &strict()).unwrap().one();
    assert_eq!(
        drawn(&record),
        ["1 h8 \"one; [line]\" \"more\\nlines\" below", "2 i9 [A]", "3 c14", "3 --", "2 n2 \"z\"", "1 a15"]
    );
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "renjs");
}

#[test]
fn the_tree_in_the_shared_samples_reads() {
    let Some(path) = shared("data/records/renjs/sample.renjs") else { return };
    let read = read(&FORMAT, &std::fs::read(path).unwrap()).unwrap();
    assert!(read.faults.is_empty(), "{:?}", read.faults);
    assert_eq!(drawn(&read.one()), ["1 h8 \"one line\" \"multi line\" below", "2 i9", "2 h9 [A]"]);
}

#[test]
fn what_does_not_read_is_placed() {
    for (text, wanted) in [
        ("[i=0;p=H8;f=-1;]\n[i=1;p=Q9;]", "renjs: `Q9` is not a point of a 15x15 board at line 2"),
        ("[i=0;p=H8;f=-1;]\n[i=x;p=H9;]", "renjs: `x` is no number at line 2"),
        ("[p=H8;]", "renjs: the node has no number or no point at line 1"),
        ("[i=0;p=H8;", "renjs: the file ends where `=` should stand at line 1"),
        ("prose", "renjs: there is no `[` at line 1"),
    ] {
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap_err().to_string(), wanted);
    }
    let kept = read_with(&FORMAT, b"[i=0;p=H8;f=-1;][i=1;p=Q9;]", &lenient()).unwrap();
    assert_eq!((kept.faults.count("cut-game"), drawn(&kept.one())), (1, vec!["1 h8".into()]));
}

#[test]
fn links_that_lead_nowhere_are_told() {
    let text = b"[i=0;p=H8;m=1;f=-1;c=1,9,1,0,;][i=1;p=I9;m=5;f=0;c=0,;x=1;][i=7;p=A1;f=8;]";
    let read = read(&FORMAT, text).unwrap();
    let kinds: Vec<_> = read.faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect();
    assert_eq!(kinds, [("no-child", 4), ("move-number", 1), ("unknown-key", 1), ("lost-nodes", 1)]);
    assert_eq!(drawn(&read.one()), ["1 h8", "2 i9"]);
    let roots =
        read_with(&FORMAT, b"[i=5;p=A1;m=1;f=-1;][i=0;p=H8;m=0;f=-1;co=\x01r\x02\x03;]", &strict()).unwrap().one();
    assert_eq!((drawn(&roots), roots.tree.line(NodeId::ROOT)), (vec!["1 a1".to_owned()], Some("r")));
    let two = crate::samples::read(
        &FORMAT,
        b"[i=0;p=H8;m=0;f=-1;c=1,;][i=1;p=I9;m=1;f=0;][i=2;p=H8;m=0;f=-1;c=3,;k=\x04x\x05;][i=3;p=A1;m=1;f=2;]",
    );
    let two = two.unwrap();
    assert_eq!((two.faults.count("second-root"), drawn(&two.one())), (1, vec!["1 i9".to_owned(), "1 a1".to_owned()]));
}

#[test]
fn a_long_line_takes_no_stack() {
    with_small_stack(|| {
        let mut text = String::from("[i=0;p=A1;m=0;f=-1;c=1,;]");
        for i in 1..20_000 {
            text += &format!("[i={i};p=A1;m={i};f={};c={},;]", i - 1, i + 1);
        }
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap().one().tree.len(), 20_000);
    });
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "h8 i9", "[Event \"x\"]", "[i=0;]", "[i=0;p=H8;"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

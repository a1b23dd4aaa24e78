use super::FORMAT;
use crate::samples::write_with;
use crate::samples::{
    lenient, line, read, read_with, records, strict, testdata, torture, tree_of, with_small_stack, write,
};
use crate::{Likeness, Losses, WriteOptions, detect, label_to_encoding};
use games::{Coords, Size};
use proptest::prelude::*;
use record::{NodeId, Note, Part, Record};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("rena/trees.rena")).unwrap()
}

/// The nodes as `1 h8 "comment" a1=x`, in the order of the tree.
fn drawn(record: &Record) -> Vec<String> {
    let tree = &record.tree;
    let node = |(depth, node)| {
        let name = |point| Coords::A1.text(point, Size::default());
        let mut text = format!("{depth} {}", tree.play(node).stone().map_or("--".into(), name));
        for note in tree.notes(node) {
            match note {
                Note::Line(line) | Note::Body(line) => text += &format!(" {line:?}"),
                Note::Label(point, label) => text += &format!(" {}={label}", name(point)),
                Note::Bytes(Part::Line, _) => text += " bytes",
                other => text += &format!(" {other:?}"),
            }
        }
        text
    };
    tree.walk().map(node).collect()
}

#[test]
fn rows_count_from_the_top_and_siblings_come_behind_what_is_below() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [first, second] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(
        drawn(first),
        ["0 --", "1 h8 \"黑先\" c14=A o1=12", "2 i9", "3 n2", "2 j10 \"so\\nwhat\"", "3 --", "4 a15"]
    );
    assert_eq!(drawn(second), ["0 -- \"root\"", "1 c3", "1 d4"]);
    assert_eq!(read.encoding.unwrap().encoding.name(), "GBK");
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "rena");
    let (bytes, losses) = write(&FORMAT, &read.records).unwrap();
    assert_eq!((read_with(&FORMAT, &bytes, &strict()).unwrap().records, losses), (read.records, Losses::default()));
    let digits =
        |bytes: &[u8]| bytes.iter().filter(|b| b.is_ascii_hexdigit()).map(u8::to_ascii_uppercase).collect::<Vec<_>>();
    assert_eq!(digits(&bytes), digits(&sample()));
}

#[test]
fn what_does_not_read_is_placed() {
    for (text, wanted) in [
        ("7800 F100", "rena: point F1 is off the board at game 1, byte 0x5 (after h8, ply 1)"),
        ("7800 69x0", "rena: `x` is no hexadecimal digit at game 1, byte 0x7 (after h8, ply 1)"),
        ("7800 694", "rena: the digits end before the last leaf at game 1, byte 0x7 (after h8, ply 1)"),
        ("7880 6940", "rena: the digits end before the last leaf at game 1, byte 0x9 (after h8 i9, ply 2)"),
        ("7848 41", "rena: the digits end before the last leaf at game 1, byte 0x7 (at the root)"),
        ("prose", "rena: `p` is no hexadecimal digit at game 1, byte 0x0 (at the root)"),
    ] {
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap_err().to_string(), wanted);
    }
    let kept = read_with(&FORMAT, b"7840 7800 69x0", &lenient()).unwrap();
    assert_eq!(kept.records.iter().map(line).collect::<Vec<_>>(), ["h8", "h8"]);
    assert_eq!(kept.faults.count("cut-game"), 1);
    assert_eq!(read(&FORMAT, b"7840 7800 69x0").unwrap().records.len(), 1);
}

#[test]
fn odd_flags_labels_and_texts_are_told() {
    let read = read(&FORMAT, b"7823 6944 F141 0004 0142 0001 78 40").unwrap();
    let kinds: Vec<_> = read.faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect();
    assert_eq!(kinds, [("unknown-flags", 1), ("bad-label", 2)]);
    assert_eq!(drawn(&read.records[0]), ["0 --", "1 h8", "2 i9 a15=B"]);
    assert_eq!(read.records.len(), 2);
    let options = crate::ReadOptions { encoding: label_to_encoding("gbk"), ..Default::default() };
    let cut = read_with(&FORMAT, b"7848 D600", &options).unwrap();
    assert_eq!(
        (cut.faults.count("bad-text"), drawn(&cut.one())),
        (1, vec!["0 --".into(), "1 h8 \"\u{FFFD}\" bytes".into()])
    );
}

#[test]
fn other_texts_are_not_taken() {
    for text in ["", "h8 i9", "78685A69", "6900", "78g0", "7800 F100"] {
        assert_eq!((FORMAT.likeness)(text.as_bytes()), Likeness::No, "{text}");
    }
    assert_eq!((FORMAT.likeness)(b"7800 6940"), Likeness::Shape);
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 3000);
}

#[test]
fn deep_and_wide_trees_take_no_stack() {
    with_small_stack(|| {
        for depth in [|at: usize| at + 1, |_| 1] {
            let record = tree_of(50_000, depth);
            let (bytes, _) = write(&FORMAT, &[record]).unwrap();
            assert_eq!(read(&FORMAT, &bytes).unwrap().one().tree.len(), 50_001);
        }
    });
}

proptest! {
    #[test]
    fn what_is_left_after_the_losses_returns(record in records()) {
        let options = WriteOptions { encoding: label_to_encoding("utf-8"), ..WriteOptions::default() };
        let Ok((bytes, losses)) = write_with(&FORMAT, std::slice::from_ref(&record), &options) else { return Ok(()) };
        let options = crate::ReadOptions { encoding: label_to_encoding("utf-8"), ..Default::default() };
        let read = read_with(&FORMAT, &bytes, &options).unwrap();
        if losses.list().iter().any(|loss| loss.what.starts_with("games without")) {
            return Ok(());
        }
        let again = read.one();
        let options = WriteOptions { encoding: label_to_encoding("utf-8"), ..WriteOptions::default() };
        let (same, more) = write_with(&FORMAT, std::slice::from_ref(&again), &options).unwrap();
        prop_assert_eq!(&bytes, &same);
        prop_assert!(more.list().iter().all(|loss| loss.what.starts_with("texts' own bytes")), "{more:?}");
        prop_assert!(again.tree.parent(NodeId::ROOT).is_none());
    }
}

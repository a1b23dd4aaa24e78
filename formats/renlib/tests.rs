use super::FORMAT;
use crate::samples::*;
use crate::{ReadOptions, Severity, WriteOptions, label_to_encoding};
use games::{Coords, Move, Side, Size};
use proptest::prelude::*;
use record::{NodeId, Note, Part, Play, Record, TreeBuilder, occupied};

const H8: Play = Play::Move(Move::Place(match games::Point::new(7, 7) {
    Some(point) => point,
    None => panic!(),
}));

/// The bytes of a RenLib 3.4 file with these node records.
fn library(nodes: &[u8]) -> Vec<u8> {
    [b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", nodes].concat()
}

fn point(text: &str) -> games::Point {
    Coords::A1.parse(text, Size::default()).unwrap()
}

/// The tree as people write it: `h8(h9 j9, i9)`, labels as `[h9]`, passes as `--`.
fn drawn(record: &Record) -> String {
    let tree = &record.tree;
    let mut text = String::new();
    for (depth, node) in tree.walk().skip(1) {
        let before = tree.parent(node).filter(|parent| tree.first_child(*parent) == Some(node));
        let siblings = |node: NodeId| tree.children(node).count() > 1;
        match before {
            Some(parent) if siblings(parent) => text.push('('),
            Some(_) if depth > 1 => text.push(' '),
            Some(_) => {}
            None => text.push_str(", "),
        }
        let name = |point| Coords::A1.text(point, Size::default());
        match tree.play(node) {
            Play::Move(Move::Place(point)) => text.push_str(&name(point)),
            Play::Move(Move::Step(step)) => text.push_str(&step.to_string()),
            Play::Move(Move::Pass) => text.push_str("--"),
            Play::Label(point) => text.push_str(&format!("[{}]", name(point))),
            Play::Nothing => text.push('.'),
        }
        let mut above = node;
        while tree.is_leaf(node) && above != NodeId::ROOT && (tree.next_sibling(above).is_none()) {
            let parent = tree.parent(above).unwrap();
            if siblings(parent) {
                text.push(')');
            }
            above = parent;
        }
    }
    text
}

/// The node at the end of a path of points.
fn at(record: &Record, path: &str) -> NodeId {
    path.split(' ').fold(NodeId::ROOT, |node, name| {
        let wanted = |child: &NodeId| record.tree.play(*child).point() == Some(point(name));
        record.tree.children(node).find(wanted).unwrap()
    })
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("renlib").join(name)).unwrap()
}

/// Each quirk file, what the reader makes of it, and the faults it names.
#[test]
fn quirk_files_are_read_as_the_specification_says() {
    for (file, tree, faults) in [
        ("01_renlib30_gbk.lib", "h8(h9 i8, i9, [g8])", ""),
        ("02_renlib34_root_gbk.lib", "h8(h9 i8, i9, [g8])", ""),
        ("03_zero_header_ext0000_utf8_rlv2style.lib", "h8(h9 i8, i9, [g8])", "zero-header text-by-flag"),
        ("04_rapfi_style_utf8_noroot.lib", "h8(f7 g7, f6)", ""),
        ("05_figrid_unpadded_even_comment.lib", "h8(h9 i8, i9)", "unpadded-text"),
        ("06_root_has_sibling_bit.lib", "h8(h9 i8, i9)", "root-sibling-bit"),
        ("07_save_position_dangling_sibling.lib", "h8 h9 i8 j9", "open-end"),
        ("08_headerless_v2.lib", "h8(h9 i8, i9 j8, h7 i7)", "no-header"),
        ("09_headerless_v1_oldcomment.lib", "h8(h9 i8, i9 j8, h7 i7)", "no-header old-comment"),
        ("10_pass_34.lib", "h8 i9 -- k8", ""),
        ("11_pass_in_v30_noroot.lib", "h8 i9 -- k8", "pass-without-root"),
        ("12_first_node_pass_noroot.lib", "-- h8", ""),
        ("13_empty_header_only.lib", "", ""),
        ("14_root_only.lib", "", ""),
        ("15_two_first_moves_noroot.lib", "(h8 h9, g7 i8)", "first-moves"),
        ("16_multi_root_34.lib", "(g8, h8 h9, h7)", ""),
        ("17_newer_version_3_5.lib", "h8 i8", "newer-version"),
        ("18_trailing_newline.lib", "h8 i8", "trailing-bytes"),
        ("20_occupied_point.lib", "h8 h9 h8 i9", ""),
        ("21_dup_sibling.lib", "h8(h9, h9 i8)", "duplicate-siblings"),
        ("22_truncated_in_comment.lib", "h8", "cut-text"),
        ("23_ext_other_bits.lib", "h8 i8", "unknown-extension"),
        ("24_empty_comment_flag.lib", "h8 i8", "empty-comment"),
        ("25_concat_second_root.lib", "(h8 h9, h8 i9)", "second-tree"),
    ] {
        let read = read(&FORMAT, &sample(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let named: Vec<&str> = read.faults.counts().iter().map(|count| count.0).collect();
        // Duplicates across concatenated trees are named as well.
        let named = named.join(" ").replace("second-tree duplicate-siblings", "second-tree");
        assert_eq!(named, faults, "{file}");
        let refused = read.faults.counts().iter().any(|count| count.1 > Severity::Remark);
        assert_eq!(read_with(&FORMAT, &sample(file), &strict()).is_err(), refused, "{file}");
        assert_eq!(drawn(&read.one()), tree, "{file}");
    }
}

#[test]
fn texts_of_the_quirk_files_are_kept() {
    for (file, body) in
        [("01_renlib30_gbk.lib", "第二行\n第三行"), ("03_zero_header_ext0000_utf8_rlv2style.lib", "第二行\n第三行")]
    {
        let record = read(&FORMAT, &sample(file)).unwrap().one();
        assert_eq!(record.tree.line(at(&record, "h8")), Some("首行"));
        assert_eq!(record.tree.body(at(&record, "h8")), Some(body));
        assert_eq!(record.tree.line(at(&record, "h8 h9")), Some("甲乙"));
        assert_eq!(record.tree.text(at(&record, "h8 h9")), Some("胜"));
        assert_eq!(record.tree.text(at(&record, "h8 g8")), Some("x"));
    }
    let old = read(&FORMAT, &sample("09_headerless_v1_oldcomment.lib")).unwrap().one();
    assert_eq!(old.tree.line(at(&old, "h8")), Some("Helloåäö"));
}

#[test]
fn a_point_off_the_board_is_an_error_with_its_place() {
    let error = read(&FORMAT, &sample("19_bad_pos_0x80.lib")).unwrap_err().to_string();
    assert_eq!(
        error,
        "renlib: point 0x80 is off the board at byte 0x16 (after h8, ply 1): --lenient keeps what stands before it"
    );
    let kept = read_with(&FORMAT, &sample("19_bad_pos_0x80.lib"), &lenient()).unwrap();
    assert_eq!(kept.faults.count("bad-point"), 1);
    assert_eq!(drawn(&kept.one()), "h8");
}

#[test]
fn cases_of_bug_reports() {
    let case = |file: &str| read(&FORMAT, &sample(&format!("cases/{file}"))).unwrap();
    let flags = case("LIB-01/flags.lib").one();
    assert_eq!(drawn(&flags), "h8(h9(i10, g10), i9 j10 k11)");
    let extension = case("LIB-03/extension.lib").one();
    assert_eq!(extension.tree.line(at(&extension, "h8 h9")), Some("no board text"));
    assert_eq!(extension.tree.text(at(&extension, "h8 h9")), None);
    assert_eq!(extension.tree.line(at(&extension, "h8 i9")), Some("has both"));
    assert_eq!(extension.tree.text(at(&extension, "h8 i9")), Some("A"));
    let padding = case("LIB-04/padding.lib").one();
    let texts = |path: &str| (padding.tree.line(at(&padding, path)), padding.tree.text(at(&padding, path)));
    assert_eq!(texts("h8 h9"), (Some("a"), None));
    assert_eq!(texts("h8 i9"), (Some("ab"), None));
    assert_eq!(texts("h8 i8"), (Some("abc"), Some("XY")));
    assert_eq!(texts("h8 g7"), (None, Some("Z")));
    let comments = case("LIB-05/comments.lib").one();
    let comment = |path: &str| (comments.tree.line(at(&comments, path)), comments.tree.body(at(&comments, path)));
    assert_eq!(comment("h8 h9"), (Some("head"), Some("l1\nl2")));
    assert_eq!(comment("h8 i9"), (None, Some("only body")));
    assert_eq!(comment("h8 i8"), (Some("only head"), None));
    let old = case("LIB-06/oldcomment.lib").one();
    assert_eq!(old.tree.line(at(&old, "h8 h9")), Some("Bra drag ä"));
    assert_eq!(drawn(&old), "h8(h9, i9)");
    let pass = case("LIB-10/pass.lib").one();
    assert_eq!(drawn(&pass), "h8(-- i9 -- j10, [h9])");
    let sides: Vec<Side> = pass.tree.main_line().map(|node| pass.tree.side(node)).collect();
    assert_eq!(sides, [Side::First, Side::Second, Side::First, Side::Second, Side::First]);
    let occupied_point = case("LIB-13/occupied.lib").one();
    assert_eq!(drawn(&occupied_point), "h8(h9(h8 i10, j9), i9)");
    assert_eq!(occupied(&occupied_point).count(), 1);
}

#[test]
fn comments_of_seven_encodings() {
    for (label, one) in [
        ("big5", "黑方勝，許功蓋"),
        ("cp1250", "Černý vyhrává"),
        ("euc_kr", "흑이 이긴다"),
        ("gb18030", "黑棋必胜，白５禁手"),
        ("shift_jis", "表示：十段戦、能力"),
        ("utf-8", "黑胜 — ход 9"),
        ("windows-1251", "Чёрные выигрывают"),
    ] {
        let bytes = sample(&format!("cases/LIB-09/comment_{label}.lib"));
        let encoding = label_to_encoding(label);
        assert!(encoding.is_some(), "{label}");
        let told = read_with(&FORMAT, &bytes, &ReadOptions { encoding, ..ReadOptions::default() }).unwrap();
        let guessed = read(&FORMAT, &bytes).unwrap();
        assert!(guessed.encoding.is_some());
        for read in [told, guessed] {
            let record = read.one();
            let node = at(&record, "h8 h9");
            assert_eq!(record.tree.line(node), Some(one));
            assert_eq!(record.tree.body(node), Some(format!("{one}\n{one}").as_str()));
            assert_eq!(write(&FORMAT, &[record]).unwrap().0[20..], bytes[22..], "{label}: no root record is needed");
        }
        // A wrong encoding garbles the text and keeps the bytes.
        for wrong in ["gbk", "shift_jis", "windows-1252", "utf-8"] {
            let options = ReadOptions { encoding: label_to_encoding(wrong), ..ReadOptions::default() };
            let record = read_with(&FORMAT, &bytes, &options).unwrap().one();
            assert_eq!(write(&FORMAT, &[record]).unwrap().0[20..], bytes[22..], "{label} as {wrong}");
        }
    }
}

#[test]
fn halves_of_characters_are_kept() {
    let bytes = library(b"\0\x08root\0\0\x78\x41\0\x01\xD6\0");
    let gbk = ReadOptions { encoding: label_to_encoding("gbk"), ..ReadOptions::default() };
    let record = read_with(&FORMAT, &bytes, &gbk).unwrap().one();
    let node = at(&record, "h8");
    assert_eq!(record.tree.text(node), Some("\u{FFFD}"));
    assert_eq!(record.tree.bytes(node, Part::Text), Some(&b"\xD6"[..]));
    assert_eq!(write(&FORMAT, &[record]).unwrap().0, bytes);
}

#[test]
fn strangers_are_refused_by_name() {
    for (bytes, extension, message) in [
        (&b"!<arch>\n/    "[..], "lib", "this is a static library of a compiler, not a RenLib library"),
        (
            b"\x04\x22\x4D\x18....",
            "lib",
            "this is an LZ4 frame, perhaps a Yixin or Rapfi database, which is not records",
        ),
    ] {
        assert_eq!(crate::detect(bytes, Some(extension)).map(|f| f.name).unwrap_err().to_string(), message);
    }
    let wide = b"\xFFRenLib\xFF\x03\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFB\x02\x0F\x00";
    let error = read(&FORMAT, wide).unwrap_err().to_string();
    assert!(error.starts_with("renlib: a RenLib header, but a board wider than 15"), "{error}");
}

/// Rows of counts.tsv: file, records, depth, comments, texts, label-only nodes, passes.
#[test]
fn real_libraries_have_the_counts_of_a_strict_reader() {
    let Some(folder) = shared("data/renlib") else { return };
    let rows = std::fs::read_to_string(folder.join("counts.tsv")).unwrap();
    let mut checked = 0;
    for row in rows.lines().skip(2) {
        let cells: Vec<&str> = row.split('\t').collect();
        let path = folder.join(cells[0]).join(cells[1]);
        // The quirk files the lenient reader reads otherwise have a test of their own.
        let other = ["03", "05", "09", "19", "22", "25"].contains(&&cells[1][..2]) && cells[0] == "synthetic";
        if other {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if cells[1] == "pu.lib" {
            assert!(read(&FORMAT, &bytes).unwrap_err().to_string().contains("wider than 15"));
            continue;
        }
        let read = read(&FORMAT, &bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let open = read.faults.count("open-end");
        let record = read.one();
        let tree = &record.tree;
        let count = |is: &dyn Fn(NodeId) -> bool| tree.nodes().filter(|node| is(*node)).count().to_string();
        let records = tree.len() - usize::from(cells[5] != "Y");
        assert_eq!(records.to_string(), cells[4], "{} records", cells[1]);
        let depth = tree.walk().map(|(depth, _)| depth).max().unwrap();
        assert_eq!(depth.to_string(), cells[6], "{} depth", cells[1]);
        assert_eq!(count(&|n| tree.line(n).is_some() || tree.body(n).is_some()), cells[7], "{} comments", cells[1]);
        assert_eq!(count(&|n| tree.text(n).is_some()), cells[8], "{} texts", cells[1]);
        assert_eq!(count(&|n| matches!(tree.play(n), Play::Label(_))), cells[9], "{} labels", cells[1]);
        let flags = format!("{}/{}", count(&|n| tree.is_found(n)), count(&|n| tree.is_start(n)));
        assert_eq!(flags, cells[10], "{} mark/start", cells[1]);
        assert_eq!(count(&|n| tree.play(n) == Play::Move(Move::Pass)), cells[11], "{} passes", cells[1]);
        assert!(open > 0 || cells[13] == "0", "{} dangling", cells[1]);
        checked += 1;
    }
    assert_eq!(checked, 34 + 26 - 6);
}

#[test]
fn real_libraries_come_back() {
    let Some(folder) = shared("data/renlib") else { return };
    let mut identical = Vec::new();
    let mut different = Vec::new();
    for path in files(&folder, "lib").into_iter().chain(files(&folder, "bak")) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.parent().unwrap().ends_with("synthetic") || name == "pu.lib" {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let record = read(&FORMAT, &bytes).unwrap().one();
        let (written, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty(), "{name}: {:?}", losses.list());
        assert_eq!(read(&FORMAT, &written).unwrap().one(), record, "{name}");
        if name.ends_with(".lib") {
            if written == bytes { identical.push(name) } else { different.push(name) }
        }
    }
    assert_eq!((identical.len(), different.len()), (24, 9), "different: {different:?}");
}

#[test]
fn every_prefix_and_thousands_of_mutations_end_politely() {
    for path in files(&testdata("renlib"), "lib") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 2000);
    }
}

#[test]
fn a_cut_file_says_that_something_is_missing() {
    for path in files(&testdata("renlib"), "lib") {
        let bytes = std::fs::read(&path).unwrap();
        let whole = read(&FORMAT, &bytes);
        for end in 21..bytes.len() {
            let (Ok(whole), Ok(cut)) = (&whole, read(&FORMAT, &bytes[..end])) else { continue };
            let fewer = cut.records[0].tree.len() < whole.records[0].tree.len();
            let alone = cut.records[0].tree.len() <= 2;
            let seen = !cut.faults.is_empty();
            // A lone h8 is a whole library; a cut where the tree is closed cannot be seen.
            assert!(!fewer || alone || seen || bytes[end - 1] & 0x40 != 0, "{} cut at {end}", path.display());
        }
    }
}

#[test]
fn long_lines_and_large_comments_are_no_trouble() {
    let mut nodes = vec![0, 0];
    for depth in 0..200_000_usize {
        let pos = 0x01 + (depth % 15) as u8 + (((depth / 15) % 15) as u8) * 16;
        nodes.extend([pos, 0]);
    }
    let last = nodes.len() - 1;
    nodes[last] = 0x48;
    nodes.extend(std::iter::repeat_n(b'x', 10_000_000));
    nodes.extend([0, 0]);
    let bytes = library(&nodes);
    let record = read(&FORMAT, &bytes).unwrap().one();
    assert_eq!(record.tree.len(), 200_001);
    let (written, losses) = write(&FORMAT, &[record]).unwrap();
    assert_eq!(losses.list()[0].count, 200_000 - 225);
    assert_eq!(written, bytes);
}

#[test]
fn what_a_library_cannot_say_is_made_to_fit_and_told() {
    let mut builder = TreeBuilder::new();
    for (name, side) in [("h8", Side::First), ("g7", Side::Second), ("i9", Side::First)] {
        builder.note(Note::Stone(point(name), Some(side))).unwrap();
    }
    builder.note(Note::Label(point("a1"), "far")).unwrap();
    builder.append(1, Side::Second, Play::Move(Move::Place(point("j10")))).unwrap();
    builder.note(Note::Label(point("k11"), "best")).unwrap();
    builder.append(2, Side::Second, Play::Nothing).unwrap();
    builder.note(Note::Line("in between")).unwrap();
    builder.append(3, Side::Second, Play::Move(Move::Place(point("k11")))).unwrap();
    let record = Record { tree: builder.build(), ..Record::default() };
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    let told: Vec<String> = losses.list().iter().map(|loss| format!("{} {}", loss.count, loss.what)).collect();
    assert_eq!(
        told,
        [
            "3 set-up stones (written as moves at the start)",
            "1 nodes without a move (joined to their parents)",
            "1 moves out of turn (a pass is put before each)",
        ]
    );
    let fitted = read(&FORMAT, &bytes).unwrap().one();
    assert_eq!(drawn(&fitted), "h8 g7 i9(j10 -- k11, [a1])");
    let j10 = at(&fitted, "h8 g7 i9 j10");
    assert_eq!(fitted.tree.line(j10), Some("in between"));
    let k11 = fitted.tree.path(NodeId::ROOT).len() + 6;
    let texts: Vec<&str> = fitted.tree.nodes().filter_map(|node| fitted.tree.text(node)).collect();
    assert_eq!(texts, ["best", "far"]);
    assert_eq!(fitted.tree.len(), k11 + 2);
}

#[test]
fn nothing_of_the_root_and_of_joined_nodes_is_lost_silently() {
    let told = |build: &dyn Fn(&mut TreeBuilder)| {
        let mut builder = TreeBuilder::new();
        build(&mut builder);
        let (bytes, losses) = write(&FORMAT, &[Record { tree: builder.build(), ..Record::default() }]).unwrap();
        (bytes[20..].to_vec(), losses.list().iter().map(|loss| loss.what).collect::<Vec<_>>())
    };
    // A root that needs no record is not written.
    let (bytes, losses) = told(&|builder| builder.note(Note::Time(7)).unwrap());
    assert_eq!((bytes, losses), (vec![], vec!["times (left out)"]));
    let (_, losses) = told(&|builder| builder.note(Note::Stone(point("h8"), None)).unwrap());
    assert_eq!(losses, ["set-up of points that is replaced or makes them empty (left out)"]);
    let (bytes, losses) = told(&|builder| {
        builder.append(1, Side::First, H8).unwrap();
        builder.append(2, Side::Second, Play::Nothing).unwrap();
        builder.set_found();
    });
    assert_eq!((bytes, losses.len()), (vec![0x78, 0x50], 1));
    let (_, losses) = told(&|builder| {
        builder.note(Note::Label(point("h8"), "?")).unwrap();
        builder.note(Note::Bytes(Part::Label(point("h8")), b"\xD6")).unwrap();
    });
    assert_eq!(losses, ["bytes of labels and of joined comments (the decoded text is written)"]);
    // The bytes of a text that was changed since.
    let (bytes, losses) = told(&|builder| {
        builder.append(1, Side::First, H8).unwrap();
        builder.note(Note::Text("new")).unwrap();
        builder.note(Note::Bytes(Part::Text, b"\xD6")).unwrap();
        builder.note(Note::Bytes(Part::Line, b"\xD6")).unwrap();
    });
    assert_eq!(bytes, b"\x78\x41\0\x01new\0");
    assert_eq!(losses.len(), 2);
    for bits in ["", "0001", "FFFF", "xyz", "12345"] {
        let (_, losses) = told(&|builder| builder.note(Note::Property("renlib:ext", bits)).unwrap());
        assert_eq!(losses, ["properties (left out)"], "{bits}");
    }
}

/// A letter as text is a node by the letter of the format.
#[test]
fn texts_by_flag_behind_a_good_header_are_texts() {
    let bytes = library(b"\0\0\x78\x01\0\0A\0\x69\x81\0\0B\0\x7A\x40\x88\x40");
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.faults.count("text-by-flag"), 1);
    let record = read.one();
    assert_eq!(drawn(&record), "h8(i9 j8, h7)");
    assert_eq!((record.tree.text(at(&record, "h8")), record.tree.text(at(&record, "h8 i9"))), (Some("A"), Some("B")));
    // An empty extension alone is none of it.
    let bytes = library(b"\0\0\x78\x01\0\0\x69\x40");
    assert_eq!(drawn(&crate::samples::read(&FORMAT, &bytes).unwrap().one()), "h8 i9");
}

#[test]
fn a_second_root_record_is_no_pass() {
    let bytes = library(b"\0\x80\x78\0\x79\x40\0\x88no\0\0\x69\0\x7A\x40\0\x80\x6A\x40");
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.faults.count("second-root"), 2);
    let record = read.one();
    assert_eq!(drawn(&record), "(h8 i8, ., i9 j8, j9)");
    assert_eq!(record.tree.line(NodeId::ROOT), None);
    let said: Vec<&str> = record.tree.children(NodeId::ROOT).filter_map(|node| record.tree.line(node)).collect();
    assert_eq!(said, ["no"]);
}

#[test]
fn a_disk_block_of_zeros_behind_the_tree_is_no_line_of_passes() {
    for unpadded in [false, true] {
        let comment: &[u8] = if unpadded { b"ab\0" } else { b"ab\0\0" };
        let bytes = library(&[b"\0\0\x78\x08", comment, b"\x69\x40", &[0; 512]].concat());
        let read = read(&FORMAT, &bytes).unwrap();
        let named: Vec<&str> = read.faults.counts().iter().map(|count| count.0).collect();
        assert_eq!(named.join(" "), if unpadded { "unpadded-text trailing-bytes" } else { "trailing-bytes" });
        assert_eq!(drawn(&read.one()), "h8 i9");
    }
}

#[test]
fn a_board_that_has_no_room_is_refused() {
    let mut wide = Record::default();
    wide.head.size = Size::square(20).unwrap();
    assert!(write(&FORMAT, &[wide]).unwrap_err().to_string().contains("20x20"));
}

#[test]
fn the_encoding_is_the_source_s_or_the_first_that_holds_all() {
    for (text, name) in [
        ("plain", "windows-1252"),
        ("Ångström", "windows-1252"),
        ("Černý", "windows-1250"),
        ("ход", "windows-1251"),
        ("黑棋必胜", "GBK"),
        ("黒の勝ちです", "Shift_JIS"),
        ("흑이 이긴다", "EUC-KR"),
        ("黑 흑 ходČ", "UTF-8"),
    ] {
        let mut builder = TreeBuilder::new();
        builder.append(1, Side::First, H8).unwrap();
        builder.note(Note::Line(text)).unwrap();
        let record = Record { tree: builder.build(), ..Record::default() };
        let (bytes, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        assert_eq!(losses.is_empty(), name != "UTF-8", "{text}");
        let options = ReadOptions { encoding: label_to_encoding(name), ..ReadOptions::default() };
        let again = read_with(&FORMAT, &bytes, &options).unwrap().one();
        assert_eq!(again.tree, record.tree, "{text}");
        let narrow = WriteOptions { encoding: label_to_encoding("cp1252"), ..WriteOptions::default() };
        let (bytes, losses) = write_with(&FORMAT, &[record], &narrow).unwrap();
        assert_eq!(losses.is_empty(), name == "windows-1252");
        assert_eq!(bytes.contains(&b'?'), name != "windows-1252");
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(record in records()) {
        let Ok((bytes, _)) = write(&FORMAT, &[record]) else { return Ok(()) };
        let first = read(&FORMAT, &bytes).unwrap();
        prop_assert!(first.faults.counts().iter().all(|count| count.1 == Severity::Remark), "{:?}", first.faults);
        let record = first.one();
        let (again, losses) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        prop_assert!(losses.is_empty(), "{:?}", losses);
        prop_assert_eq!(&again, &bytes);
        prop_assert_eq!(read(&FORMAT, &again).unwrap().one(), record);
    }
}

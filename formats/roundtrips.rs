//! What goes from one format to another and back, and what hostile bytes do to all of them.

use crate::samples::*;
use crate::{FORMATS, Format, Losses, ReadOptions, WriteOptions, label_to_encoding};
use games::Coords;
use proptest::prelude::*;
use record::{Head, NodeId, Note, Play, Record, Tree, TreeBuilder};

fn format(name: &str) -> &'static Format {
    crate::by_name(name).unwrap()
}

/// The formats of ours that keep all of a record.
fn lossless() -> [&'static Format; 3] {
    ["agi-record", "agi-game", "json"].map(format)
}

/// Numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A text as it may stand in a library: of one encoding, whole or cut, with anything between.
fn bytes_of_text(random: &mut Random, encoding: &str) -> Vec<u8> {
    let words: &[&str] = match encoding {
        "gbk" => &["黑棋必胜", "白５禁手", "。", "甲乙"],
        "shift_jis" => &["表示", "十段戦", "能力ソ", "ｶﾅ"],
        "big5" => &["黑方勝", "許功蓋", "黑"],
        "windows-1251" => &["Чёрные", "выигрывают", "ход"],
        _ => &["黑胜", "ход 9", "Černý", "\u{FFFD}", "\u{FEFF}", "\u{85}"],
    };
    let mut text = Vec::new();
    for _ in 0..random.below(5) {
        match random.below(12) {
            0 => text.extend(b"\r\n"),
            1 => text.extend(random.of(&[&b"\n"[..], b"\r", b"\n\r", b"\x08", b"\x01", b"\x7F", b"\t", b" "])),
            2 => text.push(1 + random.below(255) as u8),
            3 | 4 => {
                text.extend(random.of(&["a", "A5", "W41", "52%", "[%x]", "{", "]]>", "\\", "-- ", "\"&<"]).bytes())
            }
            broken => {
                let word = label_to_encoding(encoding).unwrap().encode(random.of(words)).0;
                let cut = if broken == 5 { random.below(word.len()) } else { word.len() };
                text.extend(&word[..cut]);
            }
        }
    }
    text
}

/// The bytes of a library: any tree, texts of one encoding, flags and extensions that programs write and others.
fn library(random: &mut Random) -> Vec<u8> {
    let encoding = random.of(&["gbk", "shift_jis", "big5", "windows-1251", "utf-8"]);
    let mut bytes = b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF".to_vec();
    let root = !random.one_in(3);
    let mut open = 0;
    for at in 0..1 + random.below(12) {
        let point = (random.below(15) << 4 | (1 + random.below(15))) as u8;
        let pos = if at == 0 && root || random.one_in(20) { 0 } else { point };
        let mut flags = 0;
        let leaf = random.one_in(3);
        if random.one_in(3) && (at > 0 || !root) {
            flags |= 0x80;
            open += 1;
        }
        // The last leaf of the tree comes at the end.
        if leaf && open > 0 {
            flags |= 0x40;
            open -= 1;
        }
        for (flag, rarity) in [(0x10, 9), (0x04, 20), (0x02, 12)] {
            flags |= if random.one_in(rarity) { flag } else { 0 };
        }
        node(random, encoding, pos, flags, &mut bytes);
    }
    for _ in 0..=open {
        let point = (random.below(15) << 4 | (1 + random.below(15))) as u8;
        node(random, encoding, point, 0x40, &mut bytes);
    }
    bytes
}

fn node(random: &mut Random, encoding: &str, pos: u8, mut flags: u8, bytes: &mut Vec<u8>) {
    let mut comment = random.one_in(3).then(|| bytes_of_text(random, encoding));
    if random.one_in(30) {
        comment = Some(bytes_of_text(random, "windows-1251").iter().map(|byte| byte & 0x7F).collect());
        flags |= 0x20;
    }
    let text = random.one_in(3).then(|| bytes_of_text(random, encoding));
    let unknown = if random.one_in(25) { 1 << random.below(16) } else { 0_u16 };
    let extension = unknown & !1 | u16::from(text.is_some());
    flags |= if comment.is_some() { 0x08 } else { 0 } | u8::from(extension != 0);
    bytes.extend([pos, flags]);
    if extension != 0 {
        bytes.extend(extension.to_be_bytes());
    }
    for (text, old) in [(comment, flags & 0x20 != 0), (text, false)] {
        let Some(mut text) = text else { continue };
        text.retain(|byte| *byte != 0);
        match old {
            true => {
                text.push(b'!' | 0x80);
                text.resize(text.len().next_multiple_of(2), 0);
            }
            false => {
                text.push(0);
                text.resize(text.len().next_multiple_of(2), 0);
            }
        }
        bytes.extend(text);
    }
}

/// All that a record says but its head, each with the moves that lead to it: what must not be lost silently.
///
/// A board text is a label of the position before it, and a node that is no more than one is not counted.
fn inventory(record: &Record) -> Vec<String> {
    let (tree, size) = (&record.tree, record.head.size);
    let mut paths: Vec<String> = Vec::with_capacity(tree.len());
    let mut items = Vec::new();
    for (_, node) in tree.walk() {
        let above = tree.parent(node).map_or("", |parent| &paths[parent.index()]).to_string();
        // Boards smaller than 15x15 are put in the corner of a1, so points are told from there.
        let name = |point| Coords::A1.text(point, size);
        let own = match tree.play(node) {
            Play::Nothing => above.clone(),
            Play::Label(point) => format!("{above} [{}]", name(point)),
            play => format!("{above} {}", play.stone().map_or("--".into(), name)),
        };
        if matches!(tree.play(node), Play::Move(_)) {
            items.push(format!("{own}: a move"));
        }
        if tree.is_found(node) {
            items.push(format!("{own}: found"));
        }
        if tree.is_start(node) {
            items.push(format!("{own}: start"));
        }
        if tree.line(node).is_some() || tree.body(node).is_some() {
            let parts = [tree.line(node), tree.body(node)];
            items.push(format!("{own}: {}", parts.map(Option::unwrap_or_default).join("\n").trim_matches('\n')));
        }
        for note in tree.notes(node) {
            match note {
                Note::Line(_) | Note::Body(_) | Note::Bytes(..) => {}
                Note::Text(text) => match tree.play(node).point() {
                    Some(point) => items.push(format!("{above}: label {} {text}", name(point))),
                    None => items.push(format!("{own}: text {text}")),
                },
                Note::Label(point, text) => items.push(format!("{own}: label {} {text}", name(point))),
                other => items.push(format!("{own}: {other:?}")),
            }
        }
        paths.push(own);
    }
    items.sort();
    items
}

/// What the first record says and the second does not.
fn missing(before: &Record, after: &Record) -> Vec<String> {
    let mut rest = inventory(after).into_iter().peekable();
    let mut gone = inventory(before);
    gone.retain(|item| {
        while rest.next_if(|other| other < item).is_some() {}
        rest.next_if(|other| other == item).is_none()
    });
    gone
}

/// The record with the notes that `keep` wants, and its head if that is wanted.
fn part(record: &Record, head: bool, keep: impl Fn(&Tree, NodeId, &Note<'_>) -> bool) -> Record {
    let tree = &record.tree;
    let mut builder = TreeBuilder::new();
    for (depth, node) in tree.walk() {
        if depth > 0 {
            builder.append(depth, tree.side(node), tree.play(node)).unwrap();
        }
        builder.copy_flags(tree, node);
        tree.notes(node).filter(|note| keep(tree, node, note)).for_each(|note| builder.note(note).unwrap());
    }
    let plain = Head { size: record.head.size, encoding: record.head.encoding, ..Head::default() };
    Record { head: if head { record.head.clone() } else { plain }, tree: builder.build() }
}

fn head_items(head: &Head) -> Vec<String> {
    let mut items: Vec<String> = head.tags.iter().map(|tag| format!("{tag:?}")).collect();
    items.push(format!("{:?} {:?} {:?}", head.rule, head.result, head.opening));
    items
}

/// Writes the record, reads it back, and demands a loss where something is gone.
fn nothing_is_lost_silently(format: &Format, record: &Record) {
    // A code page would have to be guessed from a word or two.
    let encoding = label_to_encoding("utf-8");
    let asked = WriteOptions { encoding, ..WriteOptions::default() };
    let Ok((bytes, losses)) = write_with(format, std::slice::from_ref(record), &asked) else { return };
    let options = ReadOptions { size: Some(record.head.size), encoding, ..ReadOptions::default() };
    let shown = || format!("{}\n{}", format.name, String::from_utf8_lossy(&bytes));
    let back = read_with(format, &bytes, &options).unwrap_or_else(|error| panic!("{error}: {}", shown())).records;
    assert!(back.len() < 2 && (back.len() == 1 || !losses.is_empty()), "{}", shown());
    if let (Some(back), true) = (back.first(), losses.is_empty()) {
        let mut gone = missing(record, back);
        // A line of moves says whose turn it is by its stones.
        gone.retain(|item| format.name != "moves" || !item.starts_with(": ToMove"));
        assert_eq!(gone, Vec::<String>::new(), "{}", shown());
        let (mut head, again) = (record.head.clone(), &back.head);
        // What a file without a rule means is for the program to say.
        head.rule = head.rule.filter(|rule| again.rule.is_some() || format.rule != Some(*rule));
        let mut known = head_items(again);
        // Its games have numbers.
        known.retain(|item| format.name != "rif" || head_items(&head).contains(item));
        assert_eq!(head_items(&head), known, "{}", shown());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn what_is_gone_is_a_loss(record in records()) {
        type Keep = fn(&Tree, NodeId, &Note<'_>) -> bool;
        let kinds: [Keep; 9] = [
            |_, _, _| false,
            |_, _, note| matches!(note, Note::Line(_) | Note::Body(_)),
            |_, _, note| matches!(note, Note::Text(_)),
            |_, _, note| matches!(note, Note::Label(..)),
            |_, _, note| matches!(note, Note::Stone(..) | Note::ToMove(_)),
            |_, _, note| matches!(note, Note::Value(_) | Note::Time(_)),
            |_, _, note| matches!(note, Note::Mark(..)),
            |_, _, note| matches!(note, Note::Property(..)),
            |_, _, note| matches!(note, Note::Line(_) | Note::Body(_) | Note::Text(_) | Note::Label(..) | Note::Bytes(..)),
        ];
        for format in FORMATS {
            // Of a library the bytes are the text.
            for keep in &kinds[..if format.name == "renlib" { 8 } else { 9 }] {
                nothing_is_lost_silently(format, &part(&record, false, keep));
            }
            nothing_is_lost_silently(format, &part(&record, true, |_, _, _| false));
        }
    }
}

/// Formats in which a note may come again lead to formats in which it cannot.
#[test]
fn second_notes_of_a_kind_are_lost_aloud() {
    let file = |notes: &str| {
        let text =
            format!(r#"<agx xmlns="urn:agi:game:1"><game size="15"><node move="h8">{notes}</node></game></agx>"#);
        read(format("agi-game"), text.as_bytes()).unwrap().one()
    };
    let twice = file("<line>a</line><line>b</line>");
    let empty = file("<line></line><body>b</body>");
    for name in ["renlib", "sgf", "agi-record", "json"] {
        let (bytes, losses) = write(format(name), std::slice::from_ref(&twice)).unwrap();
        assert_eq!(losses.list().len(), 1, "{name}");
        let again = read(format(name), &bytes).unwrap().one();
        assert_eq!(again.tree.line(again.tree.first_child(NodeId::ROOT).unwrap()), Some("a"), "{name}");
        let (_, losses) = write(format(name), std::slice::from_ref(&empty)).unwrap();
        assert_eq!(losses.is_empty(), name == "json", "{name}");
    }
}

/// A library through each format that keeps all, and through SGF.
fn a_library_survives(bytes: &[u8], options: &ReadOptions, name: &str) {
    let renlib = format("renlib");
    let Ok(read_before) = read_with(renlib, bytes, options) else { return };
    // An old comment may hold what the code page of the others lacks; a node without a move has no place.
    let lossy =
        ["old-comment", "no-move-no-point", "second-root"].iter().any(|kind| read_before.faults.count(kind) > 0);
    let record = read_before.one();
    let (straight, losses) = write(renlib, std::slice::from_ref(&record)).unwrap();
    let lost = losses.list().iter().any(|loss| !loss.what.starts_with("nodes beyond ply 225 (written"));
    assert!(!lost || lossy, "{name}: {losses:?}");
    for format in lossless() {
        let (text, losses) = write(format, std::slice::from_ref(&record)).unwrap();
        assert_eq!(losses, Losses::default(), "{name} as {}", format.name);
        let again = read_with(format, &text, &strict()).unwrap_or_else(|error| panic!("{name}: {error}")).one();
        assert_eq!(again, record, "{name} as {}", format.name);
        assert_eq!(write(renlib, &[again]).unwrap().0, straight, "{name} by {}", format.name);
    }
    let sgf = format("sgf");
    let (text, losses) = write(sgf, std::slice::from_ref(&record)).unwrap();
    let decoded = part(&record, true, |_, _, note| !matches!(note, Note::Bytes(..)));
    let back = read(sgf, &text).unwrap_or_else(|error| panic!("{name}: {error}")).one();
    // A code page would have to be guessed again.
    let encoding = label_to_encoding("utf-8");
    let (bytes, more) = write_with(renlib, &[back], &WriteOptions { encoding, ..WriteOptions::default() }).unwrap();
    let back = read_with(renlib, &bytes, &ReadOptions { encoding, ..ReadOptions::default() }).unwrap().one();
    let told: u64 =
        losses.list().iter().chain(more.list()).filter(|loss| !is_of_words(loss.what)).map(|l| l.count).sum();
    if told == 0 {
        assert_eq!(missing(&decoded, &back), Vec::<String>::new(), "{name} by SGF");
    }
}

/// Losses after which the moves, the comments and the labels are still there.
fn is_of_words(what: &str) -> bool {
    what.starts_with("board texts (written as labels") || what.starts_with("texts kept only as decoded")
}

fn libraries_survive(count: usize, seed: u64) {
    let mut random = Random(seed);
    for at in 0..count {
        let mut bytes = library(&mut random);
        if random.one_in(4) {
            bytes = damage(&mut random, &bytes);
        }
        let encoding = random.of(&["", "", "gbk", "utf-8", "windows-1252", "shift_jis", "big5", "gb18030", "euc-kr"]);
        let options = ReadOptions { encoding: label_to_encoding(encoding), ..lenient() };
        a_library_survives(&bytes, &options, &format!("library {at} as `{encoding}` {bytes:02X?}"));
    }
}

#[test]
fn libraries_with_any_text_survive_all_formats() {
    libraries_survive(3000, 7);
}

/// long run: just long
#[test]
#[ignore = "takes a minute"]
fn many_libraries_with_any_text_survive_all_formats() {
    libraries_survive(400_000, 0x9E37_79B9);
}

#[test]
fn sample_libraries_survive_all_formats() {
    let mut paths = files(&testdata("renlib"), "lib");
    paths.extend(shared("data/renlib").into_iter().flat_map(|folder| files(&folder, "lib")));
    let mut random = Random(11);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        a_library_survives(&bytes, &ReadOptions::default(), &path.display().to_string());
        if bytes.len() > 4096 {
            continue;
        }
        for at in 0..40 {
            let damaged = damage(&mut random, &bytes);
            a_library_survives(&damaged, &lenient(), &format!("{} {at} {damaged:02X?}", path.display()));
        }
    }
}

/// The bytes with up to three pieces changed, taken out, doubled or put in.
fn damage(random: &mut Random, sample: &[u8]) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(8)).min(bytes.len());
        match random.below(5) {
            0 if at < to => bytes[at] = random.below(256) as u8,
            1 if at < to => bytes[at] ^= 1 << random.below(8),
            2 if at < to => drop(bytes.drain(at..to)),
            3 => bytes.insert(at, random.below(256) as u8),
            _ => {
                let from = random.below(bytes.len());
                let piece = bytes[from..(from + random.below(64)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// Words of all formats, to be put where they hurt.
const WORDS: [&[u8]; 40] = [
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b"B[",
    b"LB[aa:",
    b"AB[aa:oo]",
    b"C[",
    b"KP[a:b]",
    b"SZ[26:1]",
    b"CA[gbk]",
    b"GM[4]",
    b"{",
    b"}",
    b"[%",
    b"[%label 78 ",
    b"[%bytes text ",
    b"[%prop ",
    b"~",
    b"@",
    b"b:",
    b"\"",
    b"[Agr \"1\"]",
    b"*",
    b"<",
    b"/>",
    b"<node depth=\"1\">",
    b"&#9;",
    b"]]>",
    b"<![CDATA[",
    b"{\"depth\":1}",
    b",",
    b":",
    b"\xD6",
    b"\0",
    b"\x08",
    b"\xFF\xFE",
    b"\r",
];

/// Damages the samples of all formats for so many rounds: what is read can be written in every format,
/// and what our formats write reads back the same.
fn fuzz(rounds: usize, seed: u64) {
    let mut random = Random(seed);
    let mut samples: Vec<(&Format, Vec<u8>)> = Vec::new();
    for format in FORMATS {
        for extension in format.extensions {
            for folder in [testdata(format.name), testdata("bad").join(format.name)] {
                let paths = if folder.exists() { files(&folder, extension) } else { Vec::new() };
                samples.extend(paths.iter().map(|path| (format, std::fs::read(path).unwrap())));
            }
        }
    }
    samples.retain(|(_, bytes)| bytes.len() < 8192);
    // What one format says, in the words of the others.
    for at in 0..samples.len() {
        let Ok(known) = read(samples[at].0, &samples[at].1) else { continue };
        samples.extend(FORMATS.iter().filter_map(|format| Some((format, write(format, &known.records).ok()?.0))));
    }
    for round in 0..rounds {
        let (format, sample) = &samples[random.below(samples.len())];
        let mut bytes = damage(&mut random, sample);
        for _ in 0..random.below(3) {
            let at = random.below(bytes.len() + 1);
            let word = random.of(&WORDS);
            bytes.splice(at..at, word.iter().copied().cycle().take(word.len() * (1 + random.below(3))));
        }
        for options in [strict(), ReadOptions::default(), lenient()] {
            let Ok(known) = read_with(format, &bytes, &options) else { continue };
            if known.records.is_empty() {
                continue;
            }
            for target in FORMATS {
                let Ok((text, losses)) = write(target, &known.records) else { continue };
                if !lossless().iter().any(|ours| ours.name == target.name) || !losses.is_empty() {
                    continue;
                }
                let shown = || format!("round {round}: {} {:?}", format.name, String::from_utf8_lossy(&bytes));
                let again = read_with(target, &text, &strict());
                let again = again.unwrap_or_else(|error| panic!("{error}\n{}", shown())).records;
                assert!(again == known.records, "{} is not the same\n{}", target.name, shown());
            }
        }
    }
}

#[test]
fn damaged_files_of_all_formats_end_politely() {
    with_small_stack(|| fuzz(2000, 3));
}

/// long run: just long
#[test]
#[ignore = "takes minutes"]
fn many_damaged_files_of_all_formats_end_politely() {
    with_small_stack(|| fuzz(3_000_000, 0x51F0_A7C3));
}

use super::{CSV, FORMAT, key};
use crate::frame;
use crate::samples::{lenient, shared, strict, testdata};
use crate::{
    EntryFormat, EntryReading, Error, Faults, Likeness, Losses, Place, Progress, ReadOptions, WriteOptions,
    label_to_encoding,
};
use games::{Coords, Point, Rule, Side, Size, Symmetry};
use proptest::prelude::*;
use record::{Backed, BoardText, Bound, Comment, Entry, Judgement, Key, Label, Rest, StoneKey};
use std::path::PathBuf;

type Entries = Vec<(Key, Entry)>;

struct Read {
    entries: Entries,
    faults: Faults,
    encoding: Option<crate::Guess>,
}

impl Read {
    fn kinds(&self) -> Vec<&'static str> {
        self.faults.counts().iter().map(|(kind, ..)| *kind).collect()
    }
}

/// Reads, and gives what was handed out before an error too.
fn try_read(format: &EntryFormat, bytes: &[u8], options: &ReadOptions) -> (Entries, Result<Read, Error>) {
    let progress = Progress::default();
    let mut entries = Vec::new();
    let mut each = |entry| {
        entries.push(entry);
        Ok(())
    };
    let mut reading = EntryReading::new(format.name, options, &progress, &mut each);
    let done = (format.read)(bytes, &mut reading);
    let (faults, encoding) = (reading.faults, reading.encoding);
    (entries.clone(), done.map(|()| Read { entries, faults, encoding }))
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Read, Error> {
    try_read(&FORMAT, bytes, options).1
}

fn read(bytes: &[u8]) -> Read {
    read_with(bytes, &ReadOptions::default()).unwrap()
}

fn refusal(bytes: &[u8]) -> (String, Place) {
    let error = read_with(bytes, &ReadOptions::default()).err().expect("the file is refused");
    (error.message.clone(), *error.place)
}

fn write_with(
    format: &EntryFormat,
    entries: &[(Key, Entry)],
    options: &WriteOptions,
) -> Result<(Vec<u8>, Losses), Error> {
    let mut bytes = Vec::new();
    let mut losses = Losses::default();
    let mut writer = (format.writer)(&mut bytes, options);
    for (key, entry) in entries {
        writer.entry(key, entry, &mut losses)?;
    }
    writer.finish(&mut losses)?;
    drop(writer);
    Ok((bytes, losses))
}

fn raw() -> WriteOptions {
    WriteOptions { raw: true, ..WriteOptions::default() }
}

fn write(entries: &[(Key, Entry)]) -> (Vec<u8>, Losses) {
    write_with(&FORMAT, entries, &raw()).unwrap()
}

/// An entry as bytes.
fn bytes(key: &[u8], record: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u16).to_le_bytes();
    [&length(key)[..], key, &length(record), record].concat()
}

fn metadata() -> Vec<u8> {
    bytes(&[0; 3], b"\0\0\0\0\0charset=\"UTF-8\"")
}

/// Where the first entry of [`database`] begins.
const FIRST: u64 = 31;

/// A database that declares UTF-8.
fn database(entries: &[Vec<u8>]) -> Vec<u8> {
    let count = (entries.len() as u32 + 1).to_le_bytes();
    [&count[..], &metadata(), &entries.concat()].concat()
}

const H8: &[u8] = &[0, 15, 15, 7, 7];

/// A record without a value.
fn record(label: u8, text: &[u8]) -> Vec<u8> {
    [&[label, 0, 0, 0, 0], text].concat()
}

fn position(black: &str, white: &str, to_move: Side) -> Key {
    stones(black, white, to_move).into()
}

fn stones(black: &str, white: &str, to_move: Side) -> StoneKey {
    let size = Size::default();
    let on = |text: &str, side| -> Vec<(Point, Side)> {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(|word| (Coords::A1.parse(word, size).unwrap(), side))
            .collect()
    };
    let mut stones = on(black, Side::First);
    stones.extend(on(white, Side::Second));
    stones.sort_unstable_by_key(|(point, _)| *point);
    StoneKey { rule: Rule::Renju, size, to_move, stones }
}

fn comment(text: &str) -> Comment {
    Comment { text: text.into(), bytes: Vec::new(), written: Symmetry::Identity }
}

fn board_text(point: &str, text: &str) -> BoardText {
    let point = Coords::A1.parse(point, Size::default()).unwrap();
    BoardText { point, text: text.into(), bytes: Vec::new(), written: Symmetry::Identity }
}

/// Rapfi's samples: the frame, its content, and Rapfi's table of it.
fn samples() -> Vec<[Vec<u8>; 3]> {
    let here = ["quirk01", "quirk04"].map(|name| (testdata("yixin-db"), name));
    let all = here.into_iter().chain(shared("data/yixin-db").map(|folder| (folder, "d4")));
    let load = |(folder, name): (PathBuf, &str)| {
        [".db", "-raw.db", ".csv"].map(|end| std::fs::read(folder.join(format!("{name}{end}"))).unwrap())
    };
    all.map(load).collect()
}

#[test]
fn the_databases_of_rapfi_are_read_and_written_as_rapfi_does() {
    for [packed, plain, table] in samples() {
        let entries = read(&packed).entries;
        assert_eq!(read(&plain).entries, entries);
        let (bytes, losses) = write(&entries);
        assert!(losses.is_empty(), "{:?}", losses.list());
        assert!(bytes == plain, "{} bytes, not {}", bytes.len(), plain.len());
        let (framed, _) = write_with(&FORMAT, &entries, &WriteOptions::default()).unwrap();
        // Flags, block size and the checksum of these are Rapfi's.
        assert_eq!(framed[..7], packed[..7]);
        assert_eq!(frame::length(&framed), Ok(framed.len()));
        assert_eq!(read(&framed).entries, entries);
        let (rows, _) = write_with(&CSV, &entries, &WriteOptions::default()).unwrap();
        assert!(rows == table, "{}", String::from_utf8_lossy(&rows));
        let (_, back) = try_read(&CSV, &table, &ReadOptions::default());
        assert!(back.unwrap().entries == entries);
    }
}

#[test]
fn texts_of_rapfi_keep_the_bytes_of_other_encodings() {
    let Read { entries, faults, encoding } = read(&own("quirk01.db"));
    assert_eq!(encoding.unwrap().encoding.name(), "GBK");
    assert_eq!(faults.count("not-utf-8"), 2);
    let (_, entry) = &entries[0];
    assert_eq!(entry.comments[0].text, "首行\n第二行\n第三行");
    assert_eq!(entry.texts[0], board_text("h9", "x"));
    assert_eq!(entries[2].1.comments[0].text, "甲乙");
    let given = ReadOptions { encoding: label_to_encoding("shift_jis"), ..ReadOptions::default() };
    let mojibake = read_with(&own("quirk01.db"), &given).unwrap();
    assert_ne!(mojibake.entries[2].1.comments[0].text, "甲乙");
    assert_eq!(write(&mojibake.entries).0, own("quirk01-raw.db"));

    let entries = read(&own("quirk04.db")).entries;
    assert_eq!(entries[0].1.comments[0].text, "\n黑必胜");
    assert_eq!(entries[0].1.comments[0].bytes, "\u{8}黑必胜".as_bytes());
    let win = &entries[2].1;
    assert_eq!(win.label, Label::Win);
    let judgement = win.judgement.as_ref().unwrap();
    assert_eq!((judgement.value, judgement.depth, judgement.bound), (-29961, 0, Bound::Exact));
}

#[test]
fn the_example_of_the_specification_is_read_as_it_says() {
    let entry = bytes(&[2, 15, 15, 2, 6, 7, 7, 8, 6], &[0xFF, 0x88, 0xFF, 3, 0]);
    let read = read(&database(&[entry]));
    let (key, entry) = &read.entries[0];
    assert_eq!(*key, position("c9 h8", "i9", Side::Second));
    let judgement = entry.judgement.as_ref().unwrap();
    assert_eq!((entry.label, judgement.value, judgement.depth, judgement.bound), (Label::None, -120, 0, Bound::Exact));
}

#[test]
fn null_none_and_the_bytes_of_users_are_told_apart() {
    let keys = [[7, 7], [7, 6], [7, 5], [7, 4], [7, 3]].map(|[x, y]| [0, 15, 15, y, x]);
    let records = [vec![], record(0xFF, b""), record(b'?', b""), record(0, b"text"), record(0x80, b"")];
    let mut entries: Vec<Vec<u8>> = keys.iter().zip(&records).map(|(key, record)| bytes(key, record)).collect();
    entries.reverse();
    let file = database(&entries);
    let read = read(&file);
    let labels: Vec<Label> = read.entries.iter().rev().map(|(_, entry)| entry.label).collect();
    assert_eq!(labels, [Label::Null, Label::None, Label::User(b'?'), Label::Null, Label::User(0x80)]);
    assert_eq!(write(&read.entries).0, file);
    let (table, _) = write_with(&CSV, &read.entries, &WriteOptions::default()).unwrap();
    let text = String::from_utf8(table.clone()).unwrap();
    assert!(text.contains(",0x80,") && text.contains(",(null),") && text.contains(",?,"), "{text}");
    assert!(try_read(&CSV, &table, &ReadOptions::default()).1.unwrap().entries == read.entries);
}

#[test]
fn a_legacy_database_becomes_one_in_utf_8_and_back() {
    let gbk = label_to_encoding("gbk").unwrap();
    let text = gbk.encode("@BTXT@76黑棋必胜\u{8}白５禁手\u{8}第二行").0;
    let file = [&1u32.to_le_bytes()[..], &bytes(H8, &record(b'W', &text))].concat();
    let read = read(&file);
    assert_eq!(read.kinds(), ["upper-case-label", "no-metadata"]);
    assert_eq!(read.encoding.unwrap().encoding, gbk);
    let (_, entry) = &read.entries[0];
    assert_eq!((entry.texts[0].text.as_str(), entry.comments[0].text.as_str()), ("黑棋必胜", "白５禁手\n第二行"));
    let (utf8, _) = write(&read.entries);
    let again = self::read(&utf8);
    assert!(again.kinds().is_empty() && again.entries == read.entries);
    let options = WriteOptions { encoding: Some(gbk), ..raw() };
    let (legacy, losses) = write_with(&FORMAT, &again.entries, &options).unwrap();
    assert!(losses.is_empty());
    assert_eq!(legacy, [&1u32.to_le_bytes()[..], &bytes(H8, &record(b'w', &text))].concat());
}

fn own(name: &str) -> Vec<u8> {
    std::fs::read(testdata("yixin-db").join(name)).unwrap()
}

#[test]
fn a_database_with_everything_is_written_as_it_was() {
    let file = own("every-label.db");
    let read = read_with(&file, &strict()).unwrap();
    assert!(read.faults.is_empty());
    let (bytes, losses) = write(&read.entries);
    assert!(bytes == file && losses.is_empty());
    let shown = |(key, entry): &(Key, Entry)| {
        let judgement = entry.judgement.as_ref().map(|j| format!("{} {} {}", j.value, j.depth, j.bound.name()));
        let text = |text: &BoardText| format!("{} {}", Coords::A1.text(text.point, key.size()), text.text);
        let texts: Vec<String> = entry.texts.iter().map(text).collect();
        let comments: Vec<&str> = entry.comments.iter().map(|comment| comment.text.as_str()).collect();
        (entry.label, judgement.unwrap_or_default(), texts.join(", "), comments.join("|"))
    };
    let said: Vec<_> = read.entries.iter().map(shown).collect();
    let expected = [
        (Label::None, "", "h9 直, g8 W12", "two ways to go\nthe first is straight"),
        (Label::Null, "", "", ""),
        (Label::Forced, "35 12 exact", "", ""),
        (Label::Null, "5 0 none", "", "a label of zero"),
        (Label::Win, "-29985 0 exact", "", ""),
        (Label::Loss, "29990 20 lower", "", ""),
        (Label::Draw, "0 9 upper", "", ""),
        (Label::Blocked, "", "", ""),
        (Label::User(b'?'), "-12 3 upper", "", "@BTXT@ is no board text here"),
    ];
    let expected = expected.map(|(label, a, b, c)| (label, a.to_string(), b.to_string(), c.to_string()));
    assert_eq!(said, expected);
}

/// Each of the other samples, and the faults it has.
#[test]
fn samples_are_read_with_the_faults_that_they_are_for() {
    for (name, kinds) in [
        ("yixin-gbk.db", "upper-case-label odd-board-texts unsorted no-metadata"),
        ("pass.db", "pass"),
        ("count-too-small.db", "wrong-count"),
    ] {
        let read = read(&own(name));
        assert_eq!(read.kinds().join(" "), kinds, "{name}");
        assert!(!read.entries.is_empty());
    }
}

#[test]
fn bad_files_are_refused_with_their_fault() {
    for (name, message) in [
        ("checksum.db", "the LZ4 frame is damaged, by its checksum"),
        ("count-too-large.db", "the file ends after 3 of the 7 entries that it says it has"),
        ("cut.db", "the file ends inside an entry"),
        ("cut-frame.db", "the file ends inside its LZ4 frame"),
        ("off-board.db", "this is no key: column 7, row 15 is off the 15x15 board"),
        ("rule-of-the-protocol.db", "this is no key: rule 4 is not one: 0 freestyle, 1 standard, 2 renju"),
        ("two-stones-on-a-point.db", "this is no key: two stones stand on h8"),
    ] {
        let bytes = std::fs::read(testdata("bad/yixin-db").join(name)).unwrap();
        let (told, place) = refusal(&bytes);
        assert!(told.starts_with(message), "{name}: {told}");
        assert!(place.byte.is_some());
    }
}

#[test]
fn a_cut_file_is_an_error_and_keeps_its_entries_when_lenient() {
    for [packed, plain, _] in samples() {
        let whole = read(&plain).entries;
        for file in [&packed, &plain] {
            for end in (1..file.len()).step_by(file.len() / 200 + 1).chain([file.len() - 1, file.len() - 4]) {
                let (message, place) = refusal(&file[..end]);
                assert!(message.starts_with("the file ends"), "{message}");
                assert!(place.byte.is_some());
                let (kept, read) = try_read(&FORMAT, &file[..end], &lenient());
                assert!(whole.starts_with(&kept));
                assert_eq!(read.is_ok_and(|read| read.faults.damage()), !kept.is_empty());
            }
        }
        let most = &packed[..packed.len() * 3 / 4];
        let kept = try_read(&FORMAT, most, &lenient()).0;
        assert!(packed.len() < 1000 || kept.len() > 1000, "{}", kept.len());
    }
    assert_eq!(refusal(b"").0, "the file is empty");
}

#[test]
#[ignore = "takes a minute"]
fn no_beginning_of_a_database_is_taken_for_all_of_it() {
    for [packed, plain, _] in samples() {
        for file in [&packed, &plain] {
            for end in 0..file.len() {
                assert!(read_with(&file[..end], &ReadOptions::default()).is_err(), "{end} of {}", file.len());
            }
        }
    }
}

#[test]
fn a_damaged_frame_is_an_error() {
    let [packed, ..] = &samples()[0];
    let mut file = packed.clone();
    *file.last_mut().unwrap() ^= 1;
    let (message, place) = refusal(&file);
    assert!(message.starts_with("the LZ4 frame is damaged"), "{message}");
    assert_eq!(place.byte, Some(127));
    assert_eq!(try_read(&FORMAT, &file, &lenient()).1.unwrap().kinds(), ["not-utf-8", "bad-frame"]);
    file = [packed, &b"more"[..]].concat();
    assert_eq!(read(&file).kinds(), ["trailing-bytes", "not-utf-8"]);
    file[4] |= 1;
    assert!(refusal(&file).0.contains("dictionary"));
}

#[test]
fn a_wrong_count_is_told() {
    let entries = [[6, 7], [7, 7]].map(|[x, y]| bytes(&[0, 15, 15, x, y], &record(0xFF, b"")));
    let mut file = database(&entries);
    file[0] = 1;
    let few = read(&file);
    assert_eq!((few.kinds(), few.entries.len()), (vec!["wrong-count"], 2));
    assert_eq!(few.faults.list()[0].place.byte, Some(FIRST));
    assert!(read_with(&file, &strict()).is_err());
    file[0] = 9;
    let (message, place) = refusal(&file);
    assert_eq!(
        message,
        "the file ends after 3 of the 9 entries that it says it has: --lenient keeps what stands before it"
    );
    assert_eq!(place.byte, Some(file.len() as u64));
    let many = try_read(&FORMAT, &file, &lenient()).1.unwrap();
    assert_eq!((many.kinds(), many.entries.len()), (vec!["cut-file"], 2));
    file[0] = 3;
    file.extend(b"some more bytes");
    let more = read(&file);
    assert_eq!((more.kinds(), more.entries.len()), (vec!["trailing-bytes"], 2));
    // A count that promises more than there can be takes no memory.
    file[..4].fill(0xFF);
    assert!(refusal(&file).0.starts_with("the file ends"));
}

#[test]
fn passes_are_read_and_told() {
    let file = database(&[bytes(&[2, 15, 15, 7, 7, 0xFF, 0xFF, 9, 8], &record(0xFF, b""))]);
    let read = read(&file);
    assert!(read.kinds().contains(&"pass"));
    let key = position("h8", "j7", Side::Second);
    assert_eq!(read.entries[0].0, key);
    let (bytes, losses) = write(&read.entries);
    assert_eq!(losses.list()[0].what, "positions after a pass (written; Rapfi takes the pass for a stone)");
    assert_eq!(losses.list()[0].first, "at h8 / j7, second to move");
    let again = self::read(&bytes).entries;
    assert!(Symmetry::ALL.iter().any(|symmetry| key.turned(*symmetry) == again[0].0));
    let mut table = Vec::new();
    key::push_text(&[2, 15, 15, 7, 7, 0xFF, 0xFF, 9, 8], &mut table);
    assert_eq!(table, b"r-15-15-h8pass-j9-w");
    let mut back = Vec::new();
    key::parse_text(&table, &mut back).unwrap();
    assert_eq!(back, [2, 15, 15, 7, 7, 0xFF, 0xFF, 9, 8]);

    for (key, what) in [
        (position("h8 h9 h10", "", Side::Second), "positions that take more than one pass (left out)"),
        (
            Key::from(StoneKey { rule: Rule::Caro, ..stones("h8", "", Side::Second) }),
            "positions under the rule caro (left out)",
        ),
    ] {
        let (bytes, losses) = write(&[(key, Entry::default())]);
        assert_eq!((losses.list()[0].what, losses.total()), (what, 1));
        assert!(self::read(&bytes).entries.is_empty());
    }
}

#[test]
fn a_text_that_is_too_long_is_refused_and_what_rapfi_makes_of_it_too() {
    let key = position("h8", "", Side::Second);
    let entry = |length: usize| Entry { comments: vec![comment(&"a".repeat(length))], ..Entry::default() };
    let (bytes, _) = write(&[(key.clone(), entry(65530))]);
    assert_eq!(read(&bytes).entries[0].1, entry(65530));
    let error = write_with(&FORMAT, &[(key, entry(70_000))], &raw()).unwrap_err();
    assert_eq!(error.blame, crate::Blame::Target);
    assert_eq!(
        error.message,
        "the texts at h8 /, second to move have 70000 bytes, and a .db holds at most 65530: shorten them, or see \
         --cut-texts of kifu book export"
    );

    let other = self::bytes(&[0, 15, 15, 6, 6], &record(0xFF, b""));
    let wrapped = self::bytes(H8, &record(0xFF, &[b'a'; 70_000]));
    let last = self::bytes(&[0, 15, 15, 5, 5], &record(0xFF, b""));
    let file = database(&[other, wrapped, last]);
    let (message, place) = refusal(&file);
    assert!(message.starts_with("this is no key") || message.starts_with("the file ends"), "{message}");
    assert_eq!(place.byte, Some(FIRST + 14 + 9 + 70_005 - 65_536));
    assert_eq!(try_read(&FORMAT, &file, &lenient()).0.len(), 2);
}

#[test]
fn texts_that_are_too_long_are_cut_where_that_is_asked_for() {
    let key = position("h8", "", Side::Second);
    let long = "棋".repeat(60_000);
    let point = |at: u8| format!("{}{}", (b'a' + at % 15) as char, 1 + at / 15);
    let texts: Vec<BoardText> = (0..200).map(|at| board_text(&point(at), &"b".repeat(400))).collect();
    for encoding in ["utf-8", "gbk"] {
        let encoding = crate::label_to_encoding(encoding);
        let written = |comments: Vec<Comment>, texts: &[BoardText]| {
            let entry = Entry { comments, texts: texts.to_vec(), ..Entry::default() };
            let options = WriteOptions { cut_texts: true, encoding, ..raw() };
            let (bytes, losses) = write_with(&FORMAT, &[(key.clone(), entry)], &options).unwrap();
            assert!(losses.list().iter().any(|loss| loss.what == "texts of more than 65530 bytes (cut at their end)"));
            let options = ReadOptions { encoding, ..ReadOptions::default() };
            try_read(&FORMAT, &bytes, &options).0.remove(0).1
        };
        let said = written(vec![comment(&long)], &[]);
        let each = if encoding == crate::label_to_encoding("gbk") { 2 } else { 3 };
        assert!(said.comments[0].text == "棋".repeat(65530 / each));
        let said = written(vec![comment(&long)], &texts);
        assert!(said.comments.iter().all(|comment| comment.text.is_empty()));
        assert!(said.texts.len() > 140 && said.texts.len() < 164, "{}", said.texts.len());
    }
}

#[test]
fn unusual_entries_are_told() {
    for (entry, kind) in [
        (vec![0, 0], "empty-key"),
        (bytes(H8, b"w"), "short-record"),
        (bytes(H8, &[0; 5]), "null-record"),
        (bytes(H8, &record(b'L', b"")), "upper-case-label"),
        (bytes(&[0, 15, 15, 8, 7], &record(0xFF, b"")), "not-canonical"),
        (bytes(H8, &record(0xFF, b"@BTXT@hi\n67A")), "bad-board-text"),
        (bytes(H8, &record(0xFF, b"@BTXT@67A\0\x08b")), "odd-board-texts"),
        (bytes(H8, &record(0xFF, b"@BTXT@67A\n\x08b")), "odd-board-texts"),
        (bytes(H8, &record(0xFF, b"@BTXT@67A\x08")), "odd-board-texts"),
        (bytes(H8, &record(0xFF, b"\xFF\xFE")), "not-utf-8"),
        (bytes(&[0; 3], b"\0\0\0\0\0charset=\"GBK\""), "unknown-metadata"),
        (metadata(), "late-metadata"),
    ] {
        let file = database(&[bytes(&[0, 15, 15, 6, 6], &record(0xFF, b"")), entry]);
        let read = read(&file);
        assert_eq!(read.kinds(), [kind]);
        assert_eq!(read.faults.list()[0].place.byte, Some(FIRST + 14), "{kind}");
    }
    let [one, other] = [[6, 6], [7, 7]].map(|[x, y]| bytes(&[0, 15, 15, x, y], &record(0xFF, b"")));
    assert_eq!(read(&database(&[other.clone(), one])).kinds(), ["unsorted"]);
    let again = read(&database(&[other.clone(), other]));
    assert_eq!((again.kinds(), again.entries.len()), (vec!["duplicate-position"], 2));
    assert_eq!(write(&again.entries).1.list()[0].what, "second entries of a position (left out)");

    let entries = read(&database(&[bytes(H8, &record(0xFF, b"@BTXT@hi\n67A\n\x08why"))])).entries;
    assert_eq!(entries[0].1.comments[0].text, "hi\nwhy");
    assert_eq!(entries[0].1.texts[0], board_text("g8", "A"));
}

#[test]
fn keys_that_are_none_are_errors_with_their_place() {
    for (key, message) in [
        (&[0, 15][..], "a key of 2 bytes"),
        (&[0, 15, 15, 7], "a key of 4 bytes"),
        (&[4, 15, 15, 7, 7], "rule 4 is not one"),
        (&[0, 40, 40, 7, 7], "a board of 40x40 is none"),
        (&[0, 15, 15, 15, 7], "column 15, row 7 is off the 15x15 board"),
        (&[0, 15, 15, 7, 7, 7, 7], "two stones stand on h8"),
    ] {
        let good = bytes(H8, &record(0xFF, b""));
        let file = database(&[bytes(key, b""), good]);
        let (told, place) = refusal(&file);
        assert!(told.starts_with(&format!("this is no key: {message}")), "{told}");
        assert_eq!(place.byte, Some(FIRST));
        let read = try_read(&FORMAT, &file, &lenient()).1.unwrap();
        assert_eq!((read.kinds(), read.entries.len()), (vec!["bad-key"], 1));
    }
}

#[test]
fn a_position_and_its_texts_turn_together() {
    let key = position("h8 i10", "h9 k3", Side::First);
    let entry = Entry { texts: vec![board_text("a1", "A"), board_text("c14", "B")], ..Entry::default() };
    let (expected, _) = write(&[(key.clone(), entry.clone())]);
    for symmetry in Symmetry::ALL {
        let mut turned = entry.clone();
        for text in &mut turned.texts {
            text.point = symmetry.apply(text.point, key.size());
        }
        assert_eq!(write(&[(key.turned(symmetry), turned)]).0, expected);
    }
    // The points left and right of a lone h8 are one; the smallest image is above it.
    let lone = |texts: &[&str]| {
        let texts = texts.iter().map(|point| board_text(point, point)).collect();
        let (bytes, _) = write(&[(position("h8", "", Side::Second), Entry { texts, ..Entry::default() })]);
        let texts = read(&bytes).entries.remove(0).1.texts;
        texts.iter().map(|text| Coords::A1.text(text.point, Size::default())).collect::<Vec<_>>()
    };
    assert_eq!(lone(&["i8"]), ["h9"]);
    assert_eq!(lone(&["i8", "h7", "g8"]), ["h9", "g8", "i8"]);
}

#[test]
fn keys_are_the_smallest_of_their_images() {
    let mut canonical = key::Canonical::default();
    let mut made = |key: &StoneKey| {
        canonical.make(key).unwrap();
        (canonical.bytes.clone(), canonical.symmetries.clone())
    };
    for size in [Size::default(), Size::square(20).unwrap(), Size::new(7, 5).unwrap()] {
        let points: Vec<Point> = size.points().collect();
        for number in 0..300 {
            let at = |stone: usize| points[(number * number + stone * (number + 1)) % points.len()];
            let mut stones: Vec<_> = (1..=number % 8).map(|stone| (at(stone), Side::of_ply(stone))).collect();
            stones.sort_unstable_by_key(|(point, _)| *point);
            stones.dedup_by_key(|(point, _)| *point);
            let count = |side| stones.iter().filter(|(_, of)| *of == side).count();
            let to_move = match count(Side::First).checked_sub(count(Side::Second)) {
                Some(0) => Side::First,
                Some(1) => Side::Second,
                _ => continue,
            };
            let key = StoneKey { rule: Rule::Freestyle, size, to_move, stones };
            let by_hand = |symmetry: &Symmetry| {
                let key = key.turned(*symmetry);
                let mut bytes = vec![0, size.width(), size.height()];
                for side in [Side::First, Side::Second] {
                    let stones = key.stones.iter().filter(|(_, of)| *of == side);
                    let mut stones: Vec<_> = stones.map(|(point, _)| [point.x(), point.y()]).collect();
                    stones.sort_unstable();
                    bytes.extend(stones.concat());
                }
                bytes
            };
            let all = games::gomoku::symmetries(size);
            let least = all.iter().map(by_hand).min().unwrap();
            let of_least = all.iter().copied().filter(|symmetry| by_hand(symmetry) == least).collect::<Vec<_>>();
            assert_eq!(made(&key), (least.clone(), of_least));
            for symmetry in all {
                let bytes = by_hand(symmetry);
                let (position, 0) = key::parse(&bytes).unwrap() else { panic!() };
                assert_eq!(position, key.turned(*symmetry));
                assert_eq!(key::Canonical::default().is_key(&bytes, &position), bytes == least);
            }
        }
    }
}

#[test]
fn a_frame_that_unpacks_to_much_takes_little_memory() {
    use std::io::Write as _;
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(&[0xFF; 4]).unwrap();
    for _ in 0..256 {
        encoder.write_all(&[0; 1 << 16]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let (message, place) = refusal(&bomb);
    assert!(message.contains("of the 4294967295 entries"), "{message}");
    assert_eq!(place.byte, Some(4 + (256 << 16)));
}

#[test]
fn databases_are_known_by_their_looks() {
    for [packed, plain, table] in samples() {
        assert_eq!((FORMAT.likeness)(&plain), Likeness::Magic);
        assert_eq!((FORMAT.likeness)(&packed), Likeness::Magic);
        assert_eq!((CSV.likeness)(&table), Likeness::Magic);
        assert_eq!((FORMAT.likeness)(&plain[..40]), Likeness::Magic);
        let (ours, _) = write_with(&FORMAT, &read(&plain).entries, &WriteOptions::default()).unwrap();
        assert_eq!((FORMAT.likeness)(&ours), Likeness::Magic);
    }
    let legacy = [&1u32.to_le_bytes()[..], &bytes(H8, &record(0xFF, b""))].concat();
    assert_eq!((FORMAT.likeness)(&legacy), Likeness::Shape);
    let frame = |block: &[u8]| [b"\x04\x22\x4D\x18\x44\x40\x5E", block].concat();
    let stored = |bytes: &[u8]| frame(&[&(bytes.len() as u32 | 1 << 31).to_le_bytes(), bytes].concat());
    assert_eq!((FORMAT.likeness)(&stored(&database(&[]))), Likeness::Magic);
    let literals = [&[0, 1, 0, 0, 0xF0, 20][..], &database(&[])].concat();
    assert_eq!((FORMAT.likeness)(&frame(&literals)), Likeness::Magic);
    for stranger in [&frame(b""), &frame(b"\x05\0\0\0\xF0"), &stored(b"another thing"), &frame::MAGIC.to_vec()] {
        assert_eq!((FORMAT.likeness)(stranger), Likeness::Shape);
    }
    for stranger in [&b""[..], b"abc", b"some text that is long enough", &[0; 100], b"SQLite format 3\0"] {
        assert_eq!((FORMAT.likeness)(stranger), Likeness::No);
    }
}

#[test]
fn losses_of_what_a_book_knows_are_told() {
    let key = position("h8", "", Side::Second);
    let judgement = Judgement {
        value: 70_000,
        bound: Bound::Exact,
        depth: 9000,
        nodes: Some(5),
        scale: 250,
        source: "somebody".into(),
    };
    let entry = Entry {
        judgement: Some(judgement),
        last_year: Some(1999),
        games: vec![1],
        comments: vec![comment("one"), comment("other")],
        ..Entry::default()
    };
    let (bytes, losses) = write(&[(key, entry)]);
    assert_eq!(losses.total(), 7);
    let (_, entry) = &read(&bytes).entries[0];
    let judgement = entry.judgement.as_ref().unwrap();
    assert_eq!((judgement.value, judgement.depth), (32767, 8191));
    assert_eq!(entry.comments, [comment("one\nother")]);
}

#[test]
fn where_a_position_has_no_value_of_its_own_the_one_to_go_by_is_written() {
    let found = |value| Judgement {
        value,
        bound: Bound::Lower,
        depth: 14,
        nodes: None,
        scale: Judgement::SCALE,
        source: String::new(),
    };
    let play = Coords::A1.parse("j9", Size::default()).map(games::Move::Place);
    let rest = |value| Some(Rest { play, judgement: Some(found(value)), proven: false });
    let backed = |value| Some(Backed { value, scale: Judgement::SCALE, proven: value > 29_500 });
    let move_lost = "best moves that the book does not follow (left out)";
    let rest_lost = "values of best moves beside others (left out)";
    let backed_lost = "values backed up beside own ones (left out)";
    let proof_lost = "proofs of values (left out)";
    for (own, rest, backed, (value, bound, depth), lost) in [
        (None, rest(35), None, (35, Bound::Lower, 14), &[move_lost][..]),
        (None, rest(35), backed(29_981), (29_981, Bound::Exact, 14), &[move_lost, rest_lost, proof_lost]),
        (None, None, backed(-40), (-40, Bound::Exact, 0), &[]),
        (Some(found(7)), rest(35), backed(50), (7, Bound::Lower, 14), &[move_lost, rest_lost, backed_lost]),
        (Some(found(7)), None, None, (7, Bound::Lower, 14), &[]),
    ] {
        let entry = Entry { judgement: own, rest, backed, ..Entry::default() };
        let (bytes, losses) = write(&[(position("h8", "", Side::Second), entry)]);
        let told: Vec<&str> = losses.list().iter().map(|loss| loss.what).collect();
        assert_eq!(told, lost);
        let judgement = read(&bytes).entries[0].1.judgement.clone().unwrap();
        assert_eq!((judgement.value, judgement.bound, judgement.depth), (value, bound, depth));
    }
}

#[test]
fn board_texts_that_cannot_stand_as_they_are_are_made_to() {
    let key = position("h8", "", Side::Second);
    let texts = ["a", "b\nc", "d"].map(|text| board_text("h9", text)).to_vec();
    let texts = [vec![board_text("a1", "e")], texts].concat();
    let written = Comment { written: Symmetry::R90, ..comment("@BTXT@") };
    let (bytes, losses) = write(&[(key, Entry { texts, comments: vec![written], ..Entry::default() })]);
    let told: Vec<_> = losses.list().iter().map(|loss| (loss.what, loss.count)).collect();
    let expected = [
        ("orientations that texts were written in (left out)", 1),
        ("line ends in board texts (written as blanks)", 1),
        ("several board texts on a point (joined by a blank)", 2),
    ];
    assert_eq!(told.len(), 3);
    assert!(expected.iter().all(|loss| told.contains(loss)), "{told:?}");
    let (_, entry) = &read(&bytes).entries[0];
    assert_eq!(entry.texts, [board_text("a15", "e"), board_text("h9", "a b c d")]);
    assert_eq!(entry.comments, [comment("@BTXT@")]);
}

#[test]
fn tables_with_bad_rows_are_errors_with_their_line() {
    let good = "index,key,label,value,depth,bound,text\n0,f-15-15-h8--w,w,-5,-3,lower,\"a \"\"b\\\\\"\r\n";
    let entries = try_read(&CSV, good.as_bytes(), &ReadOptions::default()).1.unwrap().entries;
    assert_eq!(entries[0].1.comments[0].text, "a \"b\\");
    for row in [
        "1,f-15-15-h8--w,(none),0,0,none",
        "1,f-15-15-h8--b,(none),0,0,none,\"\"",
        "1,f-15-15-é8--w,(none),0,0,none,\"\"",
        "1,f-15-15-h16--w,(none),0,0,none,\"\"",
        "1,f-15-15-h8--w,win,0,0,none,\"\"",
        "1,f-15-15-h8--w,w,99999,0,none,\"\"",
        "1,f-15-15-h8--w,w,0,9000,none,\"\"",
        "1,f-15-15-h8--w,w,0,0,some,\"\"",
    ] {
        let table = format!("{good}{row}\n");
        let error = try_read(&CSV, table.as_bytes(), &ReadOptions::default()).1.err().unwrap();
        assert_eq!(error.place.line, Some(3), "{row}");
        let read = try_read(&CSV, table.as_bytes(), &lenient()).1.unwrap();
        assert_eq!((read.kinds(), read.entries.len()), (vec!["bad-row"], 1), "{row}");
    }
}

/// Damaged copies end in an error or a result that can be written, in all strictnesses.
#[test]
fn damage_is_met_politely() {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.max(1) as u64) as usize
    };
    let check = |format: &EntryFormat, bytes: &[u8]| {
        for options in [strict(), ReadOptions::default(), lenient()] {
            let (entries, read) = try_read(format, bytes, &options);
            if read.is_ok() {
                let (bytes, _) = write(&entries);
                assert!(read_with(&bytes, &ReadOptions::default()).is_ok());
            }
        }
    };
    for sample in samples().iter().flatten() {
        let format = if sample.starts_with(b"index") { &CSV } else { &FORMAT };
        let rounds = if sample.len() > 1000 { 60 } else { 1500 };
        for _ in 0..rounds {
            let mut bytes = sample.clone();
            for _ in 0..=next(3) {
                let at = next(bytes.len());
                match next(5) {
                    0 => bytes[at] = next(256) as u8,
                    1 => bytes[at] ^= 1 << next(8),
                    2 => drop(bytes.drain(at..(at + 1 + next(8)).min(bytes.len()))),
                    3 => bytes.insert(at, next(256) as u8),
                    _ => {
                        let from = next(bytes.len());
                        let piece = bytes[from..(from + next(64)).min(bytes.len())].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
                if bytes.is_empty() {
                    break;
                }
            }
            check(format, &bytes);
        }
        for end in (0..sample.len()).step_by(sample.len() / 100 + 1) {
            check(format, &sample[..end]);
        }
    }
}

fn entries() -> impl Strategy<Value = Entries> {
    let size = prop_oneof![3 => Just((15, 15)), 1 => Just((20, 20)), 1 => (3..=22_u8, 3..=22_u8)];
    let entry = size.prop_flat_map(|(width, height)| {
        let size = Size::new(width, height).unwrap();
        let point = (0..width, 0..height).prop_map(|(x, y)| Point::new(x, y).unwrap());
        let points = prop::collection::btree_set(point.clone(), 0..9);
        let text = "[ -~]{0,8}|[a-z黑白棋ソж]{0,4}|a\nb|@BTXT@";
        let judgement = (any::<i16>(), -0x2000..0x2000_i16, prop::sample::select(Bound::ALL.to_vec()));
        (
            points.prop_shuffle_set(),
            prop::option::of(judgement),
            any::<u8>(),
            prop::option::of(text),
            prop::collection::btree_map(point, "[ -~]{0,6}|[黑白ソж]{1,3}", 0..5),
            prop::sample::select(Rule::ALL[..3].to_vec()),
        )
            .prop_map(move |(points, judgement, label, comment_text, texts, rule)| {
                let turns = points.len() % 2 == 1;
                let sides = |at: usize| Side::of_ply(at + 1);
                let mut stones: Vec<_> = points.iter().enumerate().map(|(at, point)| (*point, sides(at))).collect();
                stones.sort_unstable_by_key(|(point, _)| *point);
                let to_move = if turns { Side::Second } else { Side::First };
                let judgement = judgement.map(|(value, depth, bound)| Judgement {
                    value: value.into(),
                    bound,
                    depth,
                    nodes: None,
                    scale: Judgement::SCALE,
                    source: String::new(),
                });
                let entry = Entry {
                    judgement: judgement.filter(|j| (j.value, j.depth, j.bound) != (0, 0, Bound::None)),
                    label: super::entry::label(label),
                    comments: comment_text.filter(|text| !text.is_empty()).iter().map(|text| comment(text)).collect(),
                    texts: texts
                        .into_iter()
                        .map(|(point, text)| BoardText { point, text, bytes: Vec::new(), written: Symmetry::Identity })
                        .collect(),
                    ..Entry::default()
                };
                (StoneKey { rule, size, to_move, stones }.into(), entry)
            })
    });
    prop::collection::vec(entry, 0..8)
}

/// Sets come in their order; stones of both sides stand anywhere.
trait ShuffleSet {
    fn prop_shuffle_set(self) -> BoxedStrategy<Vec<Point>>;
}

impl<S: Strategy<Value = std::collections::BTreeSet<Point>> + 'static> ShuffleSet for S {
    fn prop_shuffle_set(self) -> BoxedStrategy<Vec<Point>> {
        self.prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle().boxed()
    }
}

proptest! {
    // Each case makes hundreds of files.
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn little_memory_changes_nothing(entries in prop::collection::vec(entries(), 1..40)) {
        let entries = entries.concat();
        let (whole, losses) = write(&entries);
        for memory in [1, 2_000, 20_000] {
            let options = WriteOptions { memory: Some(memory), ..raw() };
            let (bytes, lost) = write_with(&FORMAT, &entries, &options).unwrap();
            prop_assert!(bytes == whole, "{}", memory);
            prop_assert_eq!(lost.total(), losses.total());
            let (rows, _) = write_with(&CSV, &entries, &options).unwrap();
            prop_assert!(rows == write_with(&CSV, &entries, &WriteOptions::default()).unwrap().0);
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_written_the_same(entries in entries()) {
        let (bytes, losses) = write(&entries);
        prop_assert!(losses.list().iter().all(|loss| loss.what.starts_with("second entries")), "{:?}", losses.list());
        let again = read_with(&bytes, &strict()).unwrap();
        prop_assert_eq!(again.entries.len() as u64 + losses.total(), entries.len() as u64);
        // The first of those on one position stays; each is found turned.
        for (key, entry) in &again.entries {
            let symmetries = games::gomoku::symmetries(key.size());
            let found = entries.iter().any(|(other, known)| {
                symmetries.iter().any(|symmetry| other.turned(*symmetry) == *key)
                    && (known.label, &known.judgement, &known.comments) == (entry.label, &entry.judgement, &entry.comments)
                    && known.texts.len() == entry.texts.len()
            });
            prop_assert!(found);
        }
        prop_assert_eq!(&write(&again.entries).0, &bytes);
        let (framed, _) = write_with(&FORMAT, &again.entries, &WriteOptions::default()).unwrap();
        prop_assert_eq!(&read(&framed).entries, &again.entries);
        let (table, _) = write_with(&CSV, &again.entries, &WriteOptions::default()).unwrap();
        prop_assert_eq!(&try_read(&CSV, &table, &ReadOptions::default()).1.unwrap().entries, &again.entries);
    }
}

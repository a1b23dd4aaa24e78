use super::key::Keys;
use super::play::Order;
use super::{OBK, PFBOOK, Variant, YFK};
use crate::samples::{damage, lenient, read_entries, shared, strict, testdata, write_entries};
use crate::{EntryFormat, EntryReading, Error, Faults, Likeness, Losses, Progress, ReadOptions, WriteOptions};
use crate::{detect, detect_entries, position_key};
use games::xiangqi::{Board, Fen};
use games::{Move, Rules, Side, Size, Step, Symmetry};
use proptest::prelude::*;
use record::{Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Key, Label, Ratings, Rest, Tally};
use rusqlite::Connection;
use std::collections::BTreeMap;

const FORMATS: [(&EntryFormat, &str); 3] = [(&OBK, "obk"), (&YFK, "yfk"), (&PFBOOK, "pfBook")];

fn opening(extension: &str) -> Vec<u8> {
    std::fs::read(testdata(&format!("sqlite-book/opening.{extension}"))).unwrap()
}

fn read(format: &EntryFormat, bytes: &[u8]) -> (Vec<(Key, Entry)>, Faults) {
    read_entries(format, bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(format: &EntryFormat, bytes: &[u8]) -> String {
    let error = read_entries(format, bytes, &lenient()).unwrap_err();
    assert_eq!(read_entries(format, bytes, &strict()).unwrap_err().to_string(), error.to_string());
    error.to_string()
}

/// The book `opening.obk` or another after statements of SQL.
fn changed(extension: &str, sql: &str) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), opening(extension)).unwrap();
    let connection = Connection::open(file.path()).unwrap();
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
    connection.close().unwrap();
    std::fs::read(file.path()).unwrap()
}

/// A database as the file that it is.
fn opened(bytes: &[u8]) -> (tempfile::NamedTempFile, Connection) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let connection = Connection::open(file.path()).unwrap();
    (file, connection)
}

/// The position after moves from the start.
fn after(moves: &str) -> Board {
    let mut board = Board::start();
    for step in moves.split_ascii_whitespace() {
        board.play(Step::from_text(step).unwrap()).unwrap();
    }
    board
}

/// What is known of the position after moves, or of its mirror image.
fn at<'e>(entries: &'e [(Key, Entry)], moves: &str) -> &'e Entry {
    let board = after(moves);
    let images = [Key::from(board.mirror()), Key::from(board)];
    &entries.iter().find(|(key, _)| images.contains(key)).unwrap().1
}

fn kinds(faults: &Faults) -> Vec<(&'static str, u64)> {
    faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect()
}

fn played(moves: &[Continuation]) -> Vec<String> {
    moves
        .iter()
        .map(|Continuation { play, tally: Tally { games, first, draws, second } }| match play {
            Move::Step(step) => format!("{step} {games} {first} {draws} {second}"),
            play => panic!("{play:?}"),
        })
        .collect()
}

fn without_source(mut entries: Vec<(Key, Entry)>) -> Vec<(Key, Entry)> {
    entries.iter_mut().filter_map(|(_, entry)| entry.judgement.as_mut()).for_each(|judgement| judgement.source.clear());
    entries
}

#[test]
fn a_book_made_by_hand_is_read_in_all_three_formats() {
    for (format, extension) in FORMATS {
        let (entries, faults) = read(format, &opening(extension));
        assert_eq!(entries.len(), 10);
        assert_eq!(kinds(&faults), [("two-scores", 1)]);
        assert_eq!(entries[0].0, Key::from(Board::start()));
        assert_eq!(
            played(&at(&entries, "").moves),
            ["c3c4 18 10 5 3", "h2e2 220 120 60 40", "b2e2 37 20 9 8", "a3a4 8 0 1 7"]
        );
        // Black's wins are the second player's.
        let reply = &at(&entries, "c3c4").moves;
        assert_eq!(played(reply), ["g6g5 5 2 2 1"]);
        let value = |moves: &str| at(&entries, moves).judgement.as_ref().map(|judgement| judgement.value);
        assert_eq!(value(""), None);
        assert_eq!([value("c3c4"), value("h2e2"), value("a3a4"), value("h2e2 h9g7")], [-12, -35, 300, 20].map(Some));
        assert_eq!(at(&entries, "h2e2").judgement.as_ref().unwrap().source, format.name);
        assert_eq!([at(&entries, "a3a4").label, at(&entries, "c3c4").label], [Label::Blocked, Label::None]);
        let texts = |moves: &str| at(&entries, moves).comments.iter().map(|comment| &*comment.text).collect::<Vec<_>>();
        if *extension == *"yfk" {
            assert_eq!(texts(""), ["开局库", "made by hand"]);
        } else {
            assert_eq!(texts("h2e2"), ["炮二平五", "the same on the other side"]);
            assert_eq!((texts("c3c4 g6g5"), texts("")), (vec!["two\nlines"], vec![]));
        }
    }
}

#[test]
fn the_samples_read_alike_and_are_written_as_they_are() {
    let Some(folder) = shared("data/xiangqi/book") else { return };
    let mut first = Vec::new();
    for (format, extension) in FORMATS {
        let sample = std::fs::read(folder.join(format!("sample.{extension}"))).unwrap();
        let (entries, faults) = read(format, &sample);
        assert_eq!(kinds(&faults), [("two-scores", 132), ("not-reached", 1)]);
        assert!(faults.list().last().unwrap().message.starts_with("57 of 3655 rows"));
        assert_eq!((entries.len(), entries[0].1.moves.len()), (3476, 12));
        let bytes = write_entries(format, &entries, &WriteOptions::default());
        assert_eq!(bytes.len(), sample.len());
        let (again, faults) = read_entries(format, &bytes, &strict()).unwrap();
        assert!(again == entries && faults.is_empty());
        same_rows(format, &sample, &bytes);
        let entries = without_source(entries);
        assert!(first.is_empty() || first == entries, "{extension}");
        first = entries;
    }
}

/// Whether each row that was written is one of the sample's, but for scores that were two.
fn same_rows(format: &EntryFormat, sample: &[u8], written: &[u8]) {
    let rows = |bytes: &[u8]| {
        let (_file, connection) = opened(bytes);
        let table = if format.name == "pfbook" { "pfBook" } else { "bhobk" };
        let query = format!("SELECT vkey, vmove, vscore, vindex, vvalid FROM {table}");
        let mut statement = connection.prepare(&query).unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            let key: (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((key, (row.get::<_, i64>(2)?, row.get::<_, i64>(3)?, row.get::<_, i64>(4)?)))
        };
        statement.query_map([], row).unwrap().map(Result::unwrap).collect::<BTreeMap<_, _>>()
    };
    let (sample, written) = (rows(sample), rows(written));
    assert_eq!((sample.len(), written.len()), (3655, 3598));
    let mut raised = 0;
    for (key, (score, index, valid)) in written {
        let (before, index_before, valid_before) = sample[&key];
        assert_eq!((index, valid), (index_before, valid_before));
        assert!(score >= before);
        raised += u32::from(score > before);
    }
    assert_eq!(raised, 132);
}

/// The key by the words of `SPEC.md`.
fn slow_key(board: &Board) -> u64 {
    let numbers = include_bytes!("numbers.bin");
    let number = |at: usize| u64::from_le_bytes(numbers[at * 8..at * 8 + 8].try_into().unwrap());
    let fen = Fen::from(board.clone()).to_string();
    let (mut key, mut square) = (if board.to_move() == Side::First { number(1260) } else { 0 }, 0);
    for letter in fen.split(' ').next().unwrap().chars() {
        if let Some(piece) = "KABNRCPkabnrcp".find(letter) {
            key ^= number(piece * 90 + square);
        }
        square += match letter {
            '/' => 0,
            digit if digit.is_ascii_digit() => digit as usize - '0' as usize,
            _ => 1,
        };
    }
    key
}

/// A move as programs find it: rows of either key, and those of the second mirrored.
fn looked_up(connection: &Connection, table: &str, board: &Board) -> BTreeMap<String, (i64, [i64; 3])> {
    let keys = [slow_key(board), slow_key(&board.mirror())];
    let query = format!("SELECT vkey, vmove, vscore, vwin, vdraw, vlost FROM {table} WHERE vkey IN (?1, ?2)");
    let plan = format!("EXPLAIN QUERY PLAN {query}");
    let plan: String = connection.query_row(&plan, keys.map(|key| key as i64), |row| row.get(3)).unwrap();
    assert!(plan.contains("idx_vkey"), "{plan}");
    let mut statement = connection.prepare(&query).unwrap();
    let mut rows = statement.query(keys.map(|key| key as i64)).unwrap();
    let mut found = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let number = |at: usize| row.get::<_, i64>(at).unwrap();
        let squares = [number(1) >> 8, number(1) & 255].map(|square| square - 0x33);
        let name = |square: i64| {
            let file = if number(0) as u64 == keys[0] { square % 16 } else { 8 - square % 16 };
            format!("{}{}", char::from(b'a' + file as u8), 9 - square / 16)
        };
        let text = squares.map(name).concat();
        found.insert(text, (number(2), [number(3), number(4), number(5)]));
    }
    found
}

#[test]
fn what_is_written_is_found_by_the_look_ups_of_programs() {
    let (entries, _) = read(&OBK, &opening("obk"));
    for (format, table) in [(&OBK, "bhobk"), (&PFBOOK, "pfBook")] {
        let (bytes, losses) = written(format, &entries);
        assert_eq!(losses, ["1 positions with several comments (joined)"]);
        let (_file, connection) = opened(&bytes);
        let mut rows = 0;
        for (key, entry) in &entries {
            let board = key.pieces().unwrap();
            for (board, image) in [(board.clone(), false), (board.mirror(), true)] {
                if image && board == board.mirror() {
                    // Its moves stand as they are.
                    continue;
                }
                let found = looked_up(&connection, table, &board);
                assert_eq!(found.len(), entry.moves.len());
                for Continuation { play, tally } in &entry.moves {
                    let turn = if image { Symmetry::Mirror } else { Symmetry::Identity };
                    let Move::Step(step) = turn.apply_to_move(*play, Size::XIANGQI) else { panic!("{play:?}") };
                    let (score, counts) = &found[&step.to_string()];
                    let mut next = board.clone();
                    next.play(step).unwrap();
                    let next = [Key::from(next.mirror()), Key::from(next)];
                    let child = &entries.iter().find(|(key, _)| next.contains(key)).unwrap().1;
                    assert_eq!(*score, -i64::from(child.judgement.as_ref().unwrap().value));
                    let [wins, draws, losses] = counts.map(|count| count as u64);
                    let (first, second) = if board.to_move() == Side::First { (wins, losses) } else { (losses, wins) };
                    assert_eq!(*tally, Tally { games: first + draws + second, first, draws, second });
                }
            }
            rows += entry.moves.len();
        }
        let count: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(count, rows as i64);
    }
}

/// A file of these positions, and what is lost: how many of what.
fn written(format: &EntryFormat, entries: &[(Key, Entry)]) -> (Vec<u8>, Vec<String>) {
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let mut writer = format.start(&mut bytes, &WriteOptions::default());
    entries.iter().for_each(|(key, entry)| writer.entry(key, entry, &mut losses).unwrap());
    writer.finish(&mut losses).unwrap();
    drop(writer);
    (bytes, losses.list().iter().map(|loss| format!("{} {}", loss.count, loss.what)).collect())
}

#[test]
fn positions_are_stored_once_under_the_smaller_key() {
    let (entries, _) = read(&OBK, &opening("obk"));
    let mirrored: Vec<(Key, Entry)> = entries
        .iter()
        .map(|(key, entry)| {
            let mut entry = entry.clone();
            entry
                .moves
                .iter_mut()
                .for_each(|each| each.play = Symmetry::Mirror.apply_to_move(each.play, Size::XIANGQI));
            (key.turned(Symmetry::Mirror), entry)
        })
        .collect();
    // The start position is its own image, and its moves stand as they are.
    let both = [&entries[..1], &mirrored[1..]].concat();
    let plain = written(&OBK, &entries);
    assert_eq!(written(&OBK, &both), plain);
    let twice = written(&OBK, &[&entries[..], &mirrored[1..]].concat());
    assert_eq!(twice.0, plain.0);
    assert!(twice.1.contains(&"9 second entries of a position or its mirror image (left out)".into()));
}

#[test]
fn rows_of_the_larger_key_are_found_too() {
    let board = after("h2e2");
    let keys = Keys::of(&board);
    let larger = keys.own.max(keys.mirror);
    let turned = |play: &str| {
        let step = Step::from_text(play).unwrap();
        let step = if larger == keys.own { step } else { super::key::mirrored(step) };
        Order::FromFirst.write(step)
    };
    let sql: String = ["h9g7", "b9c7", "c6c5"]
        .map(|play| {
            format!("INSERT INTO bhobk VALUES (NULL, {}, {}, 7, 1, 1, 1, 1, '', 2);", larger as i64, turned(play))
        })
        .concat();
    let (entries, faults) = read(&OBK, &changed("obk", &sql));
    assert_eq!(kinds(&faults), [("two-scores", 1), ("second-row", 2)]);
    assert_eq!(played(&at(&entries, "h2e2").moves).len(), 3);
    assert_eq!(at(&entries, "h2e2 c6c5").judgement.as_ref().unwrap().value, -7);
}

#[test]
fn the_three_are_told_apart_by_their_bytes_and_from_other_databases() {
    for (format, extension) in FORMATS {
        let bytes = opening(extension);
        for called in [None, Some("db"), Some("obk"), Some("yfk"), Some("pfbook")] {
            let found = detect_entries(&bytes, called).map(|(format, likeness)| (format.name, likeness));
            assert_eq!(found, Some((format.name, Likeness::Magic)));
        }
    }
    let (file, connection) = opened(b"");
    connection.execute_batch("CREATE TABLE games(id INTEGER)").unwrap();
    connection.close().unwrap();
    let other = std::fs::read(file.path()).unwrap();
    assert!(detect_entries(&other, Some("obk")).is_none());
    assert_eq!(detect(&other, Some("obk")).err().unwrap().to_string(), "this is an SQLite database");
    let message = "this SQLite database has no table `bhobk` or `pfBook`, so it is no book of xiangqi";
    assert_eq!(refusal(&OBK, &other), format!("obk: {message}"));
    // The first page of 64 KB does not show what is in it.
    let large = changed("yfk", "PRAGMA page_size = 65536; VACUUM");
    let found = |called: &str| detect_entries(&large, Some(called)).map(|(format, likeness)| (format.name, likeness));
    assert_eq!(found("yfk"), Some(("yfk", Likeness::Shape)));
    assert_eq!(found("obk"), Some(("obk", Likeness::Shape)));
    let (entries, faults) = read(&OBK, &large);
    assert_eq!(kinds(&faults), [("other-format", 1), ("two-scores", 1)]);
    assert_eq!(entries, read(&YFK, &large).0);
}

#[test]
fn what_cannot_be_read_is_refused_with_a_reason() {
    let encrypted = "most moves of the start position cannot be played there: the book is encrypted, and such books are not \
                     read";
    for (sql, message) in [
        ("UPDATE pfBook SET vmove = (vmove * 31 + vscore * 7919 + 5) & 65535", encrypted),
        (
            "DELETE FROM pfBook WHERE vindex = 1",
            "none of the 7 rows is of the start position, from which positions are found: such books are not read",
        ),
        (
            "ALTER TABLE pfBook RENAME TO p; CREATE VIEW pfBook AS SELECT * FROM p",
            "`pfBook` is no plain table, and nothing else is read",
        ),
        (
            "DROP TABLE pfBook; CREATE VIRTUAL TABLE pfBook USING fts5(vkey, vmove)",
            "`pfBook` is no plain table, and nothing else is read",
        ),
        ("ALTER TABLE pfBook DROP COLUMN vwin", "the table `pfBook` has no column `vwin`: such books are not read"),
        (
            "ALTER TABLE pfBook DROP COLUMN vwin; ALTER TABLE pfBook ADD COLUMN vwin AS (vlost)",
            "the table `pfBook` computes its column `vwin`: such books are not read",
        ),
    ] {
        assert_eq!(refusal(&PFBOOK, &changed("pfBook", sql)), format!("pfbook: {message}"), "{sql}");
    }
    assert_eq!(refusal(&OBK, b""), "obk: the file is empty");
    let message = "obk: this is no SQLite database, or an encrypted one at byte 0x0: encrypted books are not read";
    assert_eq!(refusal(&OBK, &[7; 4096]), message);
    let mut bad = opening("obk");
    bad[100] = 0;
    assert!(refusal(&OBK, &bad).starts_with("obk: the database is damaged ("));
}

#[test]
fn an_empty_book_has_no_positions() {
    for (format, _) in FORMATS {
        let bytes = write_entries(format, &[], &WriteOptions::default());
        let (entries, faults) = read_entries(format, &bytes, &strict()).unwrap();
        assert!(entries.is_empty() && faults.is_empty());
    }
}

#[test]
fn what_is_odd_is_told() {
    for (sql, kind, message) in [
        (
            "UPDATE bhobk SET vkey = 'x' WHERE id = 4",
            "bad-row",
            "row 4 has a vkey that is text, not a number: passed over",
        ),
        (
            "UPDATE bhobk SET vmove = NULL WHERE id = 4",
            "bad-row",
            "row 4 has a vmove that is null, not a number: passed over",
        ),
        (
            "UPDATE bhobk SET vmove = 65536 WHERE id = 4",
            "bad-row",
            "row 4 has the move 65536, which is none: passed over",
        ),
        (
            "UPDATE bhobk SET vmove = 0x3434 WHERE id = 4",
            "bad-move",
            "the move b9b9 of row 4 cannot be played at rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w: \
             passed over",
        ),
        (
            "UPDATE bhobk SET vscore = 5000000000 WHERE id = 4",
            "big-number",
            "row 4 has the vscore 5000000000: the nearest is taken",
        ),
        ("UPDATE bhobk SET vlost = -1 WHERE id = 4", "big-number", "row 4 has the vlost -1: taken as 0"),
        ("UPDATE bhobk SET vwin = NULL WHERE id = 4", "no-number", "row 4 has no vwin: taken as 0"),
        ("UPDATE bhobk SET vvalid = 2 WHERE id = 4", "odd-valid", "row 4 has the vvalid 2: taken as 1"),
        (
            "UPDATE bhobk SET vindex = 2 WHERE id = 4",
            "odd-index",
            "row 4 has the vindex 2, and its move is that of ply 1: it is not kept",
        ),
        ("CREATE TABLE more(x)", "other-table", "a table `more`: passed over"),
        ("ALTER TABLE bhobk ADD COLUMN more", "other-column", "a column `more`: passed over"),
        (
            "UPDATE bhobk SET vkey = vkey + 1 WHERE id = 7",
            "not-reached",
            "1 of 11 rows are passed over: the moves of the book do not lead there from the start position, and a key does not say what it is of",
        ),
    ] {
        let (_, faults) = read(&OBK, &changed("obk", sql));
        let fault = faults.list().iter().find(|fault| fault.kind == kind);
        assert_eq!(fault.map(|fault| &*fault.message), Some(message), "{sql}");
    }
    // A row that was cut out does not hide what stands behind it.
    let (entries, faults) = read(&OBK, &changed("obk", "DELETE FROM bhobk WHERE id IN (2, 3)"));
    assert_eq!((entries.len(), faults.count("not-reached")), (10, 0));
}

#[test]
fn a_log_beside_the_file_is_told_and_memos_may_be_in_other_encodings() {
    let mut bytes = opening("obk");
    bytes[18..20].copy_from_slice(&[2, 2]);
    let (entries, faults) = read(&OBK, &bytes);
    assert_eq!((entries.len(), faults.count("log-beside")), (10, 1));
    let gbk =
        changed("obk", "UPDATE bhobk SET vmemo = x'C5DAB6FEC6BDCEE5A3ACB5B1CDB7C5DAA3ACC2EDB0CBBDF8C6DF' WHERE id = 2");
    let (entries, faults) = read(&OBK, &gbk);
    let comment = &at(&entries, "h2e2").comments[0];
    assert_eq!((&*comment.text, faults.count("not-utf-8")), ("炮二平五，当头炮，马八进七", 1));
    assert_eq!(comment.bytes[..4], [0xC5, 0xDA, 0xB6, 0xFE]);
    let (bytes, _) = written(&OBK, &entries.iter().map(one_comment).collect::<Vec<_>>());
    let (again, _) = read(&OBK, &bytes);
    assert_eq!(at(&again, "h2e2").comments[0], *comment);
}

fn one_comment((key, entry): &(Key, Entry)) -> (Key, Entry) {
    let mut entry = entry.clone();
    entry.comments.truncate(1);
    (key.clone(), entry)
}

#[test]
fn the_other_order_of_squares_is_noticed() {
    let swapped = changed("obk", "UPDATE bhobk SET vmove = ((vmove & 255) << 8) | (vmove >> 8)");
    let (entries, faults) = read(&OBK, &swapped);
    assert_eq!(kinds(&faults), [("other-order", 1), ("two-scores", 1)]);
    assert_eq!(entries, read(&OBK, &opening("obk")).0);
}

fn judged(value: i32) -> Option<Judgement> {
    Some(Judgement { value, bound: Bound::None, depth: 0, nodes: None, scale: Judgement::SCALE, source: String::new() })
}

fn said(text: &str) -> Comment {
    Comment { text: text.into(), bytes: Vec::new(), written: Symmetry::Identity }
}

#[test]
fn a_book_of_values_alone_becomes_one_with_moves() {
    let mut entries = vec![(Key::from(Board::start()), Entry::default())];
    for (moves, value) in [("h2e2", -20), ("h2e2 h9g7", 15), ("c3c4", 5)] {
        entries.push((after(moves).into(), Entry { judgement: judged(value), ..Entry::default() }));
    }
    let (bytes, losses) = written(&OBK, &entries);
    assert!(losses.is_empty(), "{losses:?}");
    let (again, faults) = read_entries(&OBK, &bytes, &strict()).unwrap();
    assert!(faults.is_empty());
    // Either cannon makes the same position, and either pawn.
    let mut moves = played(&again[0].1.moves);
    moves.sort();
    assert_eq!(moves, ["b2e2 0 0 0 0", "c3c4 0 0 0 0", "g3g4 0 0 0 0", "h2e2 0 0 0 0"]);
    assert_eq!(played(&at(&again, "h2e2").moves).len(), 1);
    assert_eq!(at(&again, "h2e2 h9g7").judgement.as_ref().unwrap().value, 15);
    assert_eq!(again.len(), 4);
}

#[test]
fn what_a_book_cannot_say_is_told() {
    let step = |text: &str| Move::Step(Step::from_text(text).unwrap());
    let counted = |play, games, first| Continuation { play, tally: Tally { games, first, draws: 0, second: 0 } };
    let start = Entry {
        judgement: judged(9),
        backed: Some(Backed { value: 3, scale: 200, proven: true }),
        rest: Some(Rest { play: Some(step("a0a1")), judgement: None, proven: false }),
        tally: Tally { games: 1, ..Tally::default() },
        ratings: Ratings { sum: 1, count: 1 },
        games: vec![4],
        moves: vec![
            counted(step("h2e2"), 5, 4),
            counted(step("h2e2"), 1, 1),
            counted(step("h2h9"), u64::MAX, u64::MAX),
            counted(step("a0a5"), 0, 0),
            counted(Move::Pass, 0, 0),
        ],
        ..Entry::default()
    };
    let child = Entry {
        judgement: judged(0).map(|judgement| Judgement { depth: 3, source: "engine".into(), ..judgement }),
        label: Label::Win,
        comments: vec![said("one"), Comment { written: Symmetry::Mirror, ..said("two") }],
        texts: vec![BoardText {
            point: Step::from_text("h2e2").unwrap().to,
            text: "A".into(),
            bytes: Vec::new(),
            written: Symmetry::Identity,
        }],
        ..Entry::default()
    };
    let lone = position_key("4k4/9/9/9/9/9/9/9/9/3K5 w", Rules::Xiangqi, Size::XIANGQI).unwrap();
    let lone_after = position_key("4k4/9/9/9/9/9/9/9/3K5/9 b", Rules::Xiangqi, Size::XIANGQI).unwrap();
    let entries = [
        (Key::from(Board::start()), start),
        (after("h2e2").into(), child),
        (lone.clone(), Entry { moves: vec![counted(step("d0d1"), 0, 0)], ..Entry::default() }),
        (lone_after, Entry { label: Label::Blocked, ..Entry::default() }),
        (lone.turned(Symmetry::Mirror), Entry::default()),
        (
            position_key("3k5/9/9/9/9/9/9/9/9/4K4 b", Rules::Xiangqi, Size::XIANGQI).unwrap(),
            Entry { judgement: judged(4), ..Entry::default() },
        ),
    ];
    let (bytes, losses) = written(&OBK, &entries);
    assert_eq!(
        losses,
        [
            "1 games without a result (left out)",
            "1 second counts of a move (left out)",
            "1 counts beyond 2147483647 (written as that)",
            "2 moves that are not legal (left out)",
            "1 counts of games that reached a position (left out; those of its moves are written)",
            "1 years and ratings (left out)",
            "1 references to games (left out)",
            "1 best moves that the book does not follow (left out)",
            "1 values of a position beside the one to go by (left out)",
            "1 proofs of values (left out)",
            "2 bounds, depths, nodes, scales and sources of values (left out)",
            "1 labels other than blocked (left out)",
            "1 texts on points (left out)",
            "1 orientations that comments were written in (left out)",
            "1 positions with several comments (joined)",
            "1 second entries of a position or its mirror image (left out)",
            "2 values, labels and comments of positions that no move of the book leads to (left out)",
            "2 moves without a value in a book with values (written as 0)",
            "1 positions that no moves lead to from the start position (written; what walks from there does not find them)",
        ]
    );
    let (again, faults) = read(&OBK, &bytes);
    assert_eq!((again.len(), faults.count("not-reached")), (3, 1));
    assert_eq!(played(&again[0].1.moves), ["h2e2 4 4 0 0", "h2h9 2147483647 2147483647 0 0", "b2e2 0 0 0 0"]);
    assert_eq!(at(&again, "h2e2").comments, [said("one\ntwo")]);
    // Without the others the value of 0 says nothing.
    let (_, losses) = written(&YFK, &entries[1..2]);
    assert_eq!(
        losses.last().unwrap(),
        "1 values, labels and comments of positions that no move of the book leads to (left out)"
    );
    assert!(losses.contains(&"1 comments on positions other than the start (left out)".into()), "{losses:?}");
    let zero = [
        (Key::from(Board::start()), Entry::default()),
        (after("h2e2").into(), Entry { judgement: judged(0), ..Entry::default() }),
    ];
    assert_eq!(written(&OBK, &zero).1, ["1 values of 0 in a book without others (taken as none)"]);
    let gomoku = position_key("h8", Rules::Gomoku(games::Rule::Renju), Size::default()).unwrap();
    assert_eq!(written(&OBK, &[(gomoku, Entry::default())]).1, ["1 positions of gomoku (left out)"]);
}

/// Books of lines from the start position: for each move of a line which of the legal ones it is, and what is said.
fn books() -> impl Strategy<Value = Vec<(Key, Entry)>> {
    let said = (-500..500_i32, 0..40_u32, 0..40_u32, 0..40_u32, prop::bool::weighted(0.1), "[a-z 炮马]{0,6}");
    let line = prop::collection::vec((any::<prop::sample::Index>(), said), 1..12);
    prop::collection::vec(line, 0..12).prop_map(|lines| {
        let mut entries: Vec<(Key, Entry)> = Vec::new();
        let place = |entries: &mut Vec<(Key, Entry)>, board: &Board| {
            let images = [Key::from(board.clone()), Key::from(board.mirror())];
            entries.iter().position(|(key, _)| images.contains(key)).unwrap_or_else(|| {
                entries.push((board.clone().into(), Entry::default()));
                entries.len() - 1
            })
        };
        for line in lines {
            let mut board = Board::start();
            for (index, (value, wins, draws, losses, is_blocked, text)) in line {
                // A few moves, so that lines meet.
                let legal: Vec<Step> = board.moves().collect();
                let step = legal[index.index(legal.len().min(5))];
                let from = place(&mut entries, &board);
                let own = entries[from].0.pieces().unwrap().clone();
                let step = if own == board { step } else { super::key::mirrored(step) };
                board = own;
                let play = Move::Step(step);
                let (first, draws, second) = (wins.into(), draws.into(), losses.into());
                let tally = Tally { games: first + draws + second, first, draws, second };
                let moves = &mut entries[from].1.moves;
                if !moves.iter().any(|each| each.play == play) {
                    moves.push(Continuation { play, tally });
                }
                board.play(step).unwrap();
                let to = place(&mut entries, &board);
                let entry = &mut entries[to].1;
                if entry.judgement.is_none() {
                    entry.judgement = judged(value).map(|judged| Judgement { source: "obk".into(), ..judged });
                    entry.label = if is_blocked { Label::Blocked } else { Label::None };
                    entry.comments.extend((!text.is_empty()).then(|| self::said(&text)));
                }
            }
        }
        // The start position has nothing that leads to it.
        if let Some((_, start)) = entries.first_mut() {
            (start.judgement, start.label) = (None, Label::None);
            start.comments.clear();
        }
        entries
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn what_such_a_book_can_say_reads_back(entries in books()) {
        for (format, _) in FORMATS {
            let mut entries = entries.clone();
            for (_, entry) in &mut entries {
                entry.judgement.iter_mut().for_each(|judgement| judgement.source = format.name.into());
                if format.name == "yfk" {
                    entry.comments.clear();
                }
            }
            if entries.iter().filter_map(|(_, entry)| entry.judgement.as_ref()).all(|judgement| judgement.value == 0) {
                entries.iter_mut().for_each(|(_, entry)| entry.judgement = None);
            }
            let (bytes, losses) = written(format, &entries);
            prop_assert!(losses.is_empty(), "{:?}", losses);
            let (again, faults) = read_entries(format, &bytes, &strict()).unwrap();
            prop_assert!(faults.is_empty(), "{:?}", faults.list());
            prop_assert_eq!(sorted(&again), sorted(&entries));
        }
    }
}

/// The entries in one order, each as the smaller of its two images.
fn sorted(entries: &[(Key, Entry)]) -> BTreeMap<String, Entry> {
    let turned = |(key, entry): &(Key, Entry)| {
        let board = key.pieces().unwrap();
        let (own, image) = (Fen::from(board.clone()).to_string(), Fen::from(board.mirror()).to_string());
        let mut entry = entry.clone();
        if image < own {
            entry
                .moves
                .iter_mut()
                .for_each(|each| each.play = Symmetry::Mirror.apply_to_move(each.play, Size::XIANGQI));
        }
        entry.moves.sort_by_key(|each| match each.play {
            Move::Step(step) => step.pack(),
            _ => 0,
        });
        (own.min(image), entry)
    };
    entries.iter().map(turned).collect()
}

#[test]
fn damaged_books_end_politely() {
    for (format, extension) in FORMATS {
        let mut read = 0;
        damage(&opening(extension), 3000, |bytes| {
            for options in [strict(), ReadOptions::default(), lenient()] {
                if let Ok((entries, _)) = read_entries(format, bytes, &options) {
                    read += 1;
                    if read % 50 == 0 {
                        let (bytes, _) = written(format, &entries);
                        let _ = read_entries(format, &bytes, &strict()).unwrap_or_else(|error| panic!("{error}"));
                    }
                }
            }
        });
        assert!(read > 100, "{read}");
    }
}

#[test]
fn the_user_can_stop_a_reading() {
    let (options, progress) = (ReadOptions::default(), Progress::new());
    progress.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut each = |_| Ok(());
    let mut reading = EntryReading::new(OBK.name, &options, &progress, &mut each);
    let error: Error = super::read::read(&opening("obk"), Variant::Obk, &mut reading).unwrap_err();
    assert_eq!(error.blame, crate::Blame::Stopped);
}

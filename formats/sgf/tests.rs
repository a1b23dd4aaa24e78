use super::{FORMAT, outcome};
use crate::samples::{
    self, Read, files, lenient, line, read, read_with, records, shared, strict, testdata, text_games, torture,
    write_with,
};
use crate::{Error, Guess, Likeness, Losses, ReadOptions, Severity, Sure, WriteOptions, label_to_encoding};
use games::{Coords, Move, Point, Rule, Side, Size};
use proptest::prelude::*;
use record::{NodeId, Note, Outcome, Part, Play, Record, Score, Shape, TreeBuilder, Value};
use serde_json::Value as Json;

fn one(text: &str) -> Record {
    read(&FORMAT, text.as_bytes()).unwrap().one()
}

fn written(record: &Record) -> String {
    let (bytes, losses) = samples::write(&FORMAT, std::slice::from_ref(record)).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    String::from_utf8(bytes).unwrap()
}

/// The moves of the main line as `h8` or `pass`.
fn moves(record: &Record) -> Vec<String> {
    let tree = &record.tree;
    let plays = tree.main_line().filter_map(|node| match tree.play(node) {
        Play::Move(Move::Place(point)) => Some(Coords::A1.text(point, record.head.size)),
        Play::Move(Move::Pass) => Some("pass".into()),
        _ => None,
    });
    plays.collect()
}

fn comment(record: &Record, node: NodeId) -> String {
    let texts = [record.tree.line(node), record.tree.body(node)];
    texts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn root_comment(record: &Record) -> String {
    comment(record, NodeId::ROOT)
}

/// The samples of a case with what is expected of each.
fn case(name: &str) -> Vec<(String, Vec<u8>, Json)> {
    let Some(folder) = shared(&format!("cases/{name}")) else { return Vec::new() };
    let each = |path: &std::path::PathBuf| {
        let expected = std::fs::read(format!("{}.expected.json", path.display())).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap(), serde_json::from_slice(&expected).unwrap())
    };
    samples::files(&folder, "sgf").iter().map(each).collect()
}

/// A text of the record by its name in the files of expected values.
fn field(record: &Record, name: &str) -> String {
    match name {
        "PB" => record.head.tag("Black").unwrap().into(),
        "PW" => record.head.tag("White").unwrap().into(),
        "EV" => record.head.tag("Event").unwrap().into(),
        "GN" => record.head.tag("Title").unwrap().into(),
        "root_C" => root_comment(record),
        "C" => record.tree.nodes().map(|node| comment(record, node)).find(|text| !text.is_empty()).unwrap(),
        other => panic!("{other}"),
    }
}

#[test]
fn sgf_02_escapes_and_brackets() {
    for (name, bytes, expected) in case("SGF-02") {
        let record = read(&FORMAT, &bytes).unwrap();
        let wanted = expected.get("lenient").unwrap_or(&expected).as_object().unwrap();
        if expected.get("strict").is_some() {
            assert_eq!(record.faults.count("unescaped-bracket"), 1);
            let error = read_with(&FORMAT, &bytes, &strict()).unwrap_err();
            let second = bytes.windows(2).position(|pair| pair == b"]]").unwrap() + 1;
            assert_eq!(error.place.byte, Some(second as u64), "{error}");
        }
        let record = record.one();
        for (key, value) in wanted {
            match key.as_str() {
                "moves" => assert_eq!(Json::from(moves(&record)), *value, "{name}"),
                "nodes" => assert_eq!(Json::from(record.tree.len()), *value, "{name}"),
                key => assert_eq!(field(&record, key), value.as_str().unwrap(), "{name} {key}"),
            }
        }
    }
}

#[test]
fn sgf_03_line_breaks_of_every_kind() {
    for (name, bytes, expected) in case("SGF-03") {
        let record = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(field(&record, key), value.as_str().unwrap(), "{name} {key}");
        }
    }
}

#[test]
fn sgf_05_letters_whose_second_byte_is_a_bracket() {
    for (name, bytes, expected) in case("SGF-05") {
        let read = read_with(&FORMAT, &bytes, &strict()).unwrap();
        assert_eq!(read.encoding.unwrap().sure, Sure::Declared);
        let record = read.one();
        assert!(record.head.encoding.is_some(), "{name}");
        for (key, value) in expected.as_object().unwrap() {
            match key.as_str() {
                "nodes" => assert_eq!(Json::from(record.tree.len()), *value, "{name}"),
                key => assert_eq!(field(&record, key), value.as_str().unwrap(), "{name} {key}"),
            }
        }
        // Written in the same encoding, it is the same.
        let (bytes, losses) = samples::write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        assert!(losses.is_empty());
        assert_eq!(samples::read(&FORMAT, &bytes).unwrap().one(), record, "{name}");
    }
}

#[test]
fn sgf_07_damaged_frames() {
    let sound = ["lead_nl", "setup_tail"];
    for (name, bytes, expected) in case("SGF-07") {
        let read = read(&FORMAT, &bytes).unwrap();
        let found: usize = read.records.iter().map(|record| moves(record).len()).sum();
        if let Some(wanted) = expected["moves"].as_u64() {
            assert_eq!(found as u64, wanted, "{name}");
        }
        assert_eq!(read.faults.is_empty(), sound.contains(&name.as_str()), "{name}");
        match read_with(&FORMAT, &bytes, &strict()) {
            Ok(_) => assert!(sound.contains(&name.as_str()), "{name}"),
            Err(error) => assert!(error.place.byte.is_some(), "{name}: {error}"),
        }
    }
}

#[test]
fn sgf_09_one_parenthesis_for_each_move() {
    for (_, bytes, expected) in case("SGF-09") {
        let record = read_with(&FORMAT, &bytes, &strict()).unwrap().one();
        assert_eq!(Json::from(moves(&record).len()), expected["moves"]);
    }
}

#[test]
fn sgf_13_passes() {
    for (name, bytes, expected) in case("SGF-13") {
        let read = read(&FORMAT, &bytes).unwrap();
        let off_board = read.faults.count("off-board") > 0;
        let wanted = expected["moves"].as_array().unwrap();
        let warns = wanted.iter().any(|text| text.as_str().unwrap().contains("warn"));
        assert_eq!(off_board, warns, "{name}");
        let wanted: Vec<&str> = wanted.iter().map(|text| text.as_str().unwrap().split(' ').next().unwrap()).collect();
        let record = read.one();
        assert_eq!(moves(&record), wanted, "{name}");
        assert!(written(&record).contains("W[") && !written(&record).contains("W[tt]") || name == "tt20");
    }
}

#[test]
fn sgf_18_results() {
    for (name, bytes, expected) in case("SGF-18") {
        let read = read(&FORMAT, &bytes).unwrap();
        let wanted = expected["result"].as_str().unwrap();
        let odd = wanted.contains("not standard") || wanted.contains("server spelling");
        assert_eq!(read.faults.count("result") > 0, odd, "{name}");
        let record = read.one();
        let outcome = match wanted.split(' ').next().unwrap() {
            "B" => Outcome::First,
            "W" => Outcome::Second,
            "draw" => Outcome::Draw,
            "void" => Outcome::Void,
            _ => Outcome::Unknown,
        };
        assert_eq!(record.head.result, Some(outcome), "{name}");
        let termination = expected["RE"].as_str().unwrap().split_once('+').map_or("", |(_, how)| how);
        let kept = if outcome == Outcome::Draw { "" } else { termination };
        assert_eq!(record.head.tag("Termination").unwrap_or_default(), kept, "{name}");
    }
}

#[test]
fn results_are_read_as_they_are_written() {
    for outcome in [Outcome::First, Outcome::Second, Outcome::Draw, Outcome::Void, Outcome::Unknown] {
        let spelling = outcome::parse(outcome::text(outcome));
        assert_eq!((spelling.outcome, spelling.termination, spelling.standard), (Some(outcome), None, true));
    }
    let record = one("(;GM[4]RE[Black won by five];B[hh])");
    assert_eq!((record.head.result, record.head.tag("Termination")), (None, Some("Black won by five")));
    assert_eq!(one(&written(&record)), record);
}

#[test]
fn real_files_survive_writing() {
    let Some(folder) = shared("data/records/sgf") else { return };
    for path in samples::files(&folder, "sgf") {
        let records = read(&FORMAT, &std::fs::read(&path).unwrap()).unwrap().records;
        let (bytes, losses) = samples::write(&FORMAT, &records).unwrap();
        assert!(losses.is_empty(), "{}: {losses:?}", path.display());
        assert_eq!(read_with(&FORMAT, &bytes, &ReadOptions::default()).unwrap().records, records, "{}", path.display());
    }
    let real = |name: &str| read(&FORMAT, &std::fs::read(folder.join(name)).unwrap()).unwrap();
    let arena = real("cgomokucli_renju.sgf").records;
    assert_eq!(arena.len(), 16);
    assert_eq!(arena[0].head.rule, Some(Rule::Renju));
    assert_eq!(arena[0].head.result, Some(Outcome::Second));
    assert!(arena[0].head.tags.contains(&("Termination".into(), "White win by five connection".into())));
    let setup = real("setup_puzzle.sgf").one();
    assert_eq!(setup.tree.notes(NodeId::ROOT).filter(|note| matches!(note, Note::Stone(..))).count(), 5);
    assert_eq!(moves(&real("pass_move.sgf").one()), ["h8", "pass", "h7", "pass", "i7"]);
    assert_eq!(moves(&real("gomokuquest.sgf").one()).len(), 24);
}

#[test]
fn six_thousand_games_read_as_their_move_lists_say() {
    let Some(folder) = shared("data/games") else { return };
    let mut games = 0;
    for path in samples::files(&folder, "sgf") {
        let records = read_with(&FORMAT, &std::fs::read(&path).unwrap(), &strict()).unwrap().records;
        let list = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(records.len(), lines.len(), "{}", path.display());
        for (record, line) in records.iter().zip(lines) {
            let words: Vec<&str> = line.split(' ').collect();
            let result = match words[2] {
                "1" => Outcome::First,
                "0" => Outcome::Second,
                _ => Outcome::Draw,
            };
            assert_eq!(record.head.rule, Some(words[0].parse().unwrap()));
            assert_eq!(record.head.size, words[1].parse().unwrap());
            assert_eq!(record.head.result, Some(result), "{line}");
            assert_eq!(moves(record), words[4..], "{line}");
            games += 1;
        }
        let (bytes, losses) = samples::write(&FORMAT, &records).unwrap();
        assert!(losses.is_empty() && read(&FORMAT, &bytes).unwrap().records == records);
    }
    assert_eq!(games, 6728);
}

#[test]
fn our_samples_survive_writing() {
    for path in samples::files(&testdata("sgf"), "sgf") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Read { records, faults, .. } = read(&FORMAT, &std::fs::read(&path).unwrap()).unwrap();
        // Of the cases of bug reports some are damaged on purpose.
        let case = path.components().any(|part| part.as_os_str() == "cases");
        assert!(!faults.damage() || case, "{name}: {:?}", faults.list());
        if records.is_empty() {
            continue;
        }
        let (bytes, losses) = samples::write(&FORMAT, &records).unwrap();
        assert!(losses.is_empty(), "{name}: {losses:?}");
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap().records;
        assert_eq!(again, records, "{name}");
        assert_eq!(samples::write(&FORMAT, &again).unwrap().0, bytes, "{name}");
    }
}

#[test]
fn a_tree_with_everything_is_read() {
    let record = read(&FORMAT, &std::fs::read(testdata("sgf/tree.sgf")).unwrap()).unwrap().one();
    let (head, tree) = (&record.head, &record.tree);
    assert_eq!((head.rule, head.result), (Some(Rule::Renju), Some(Outcome::First)));
    let tags: Vec<&str> = head.tags.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(tags, ["Application", "Title", "Black", "White", "BlackRank", "Termination", "Date", "GameComment"]);
    assert_eq!(head.tag("GameComment"), Some("Two lines\nof comment"));
    assert_eq!(root_comment(&record), "The root\nwith a body: [] and \\");
    let at = |text: &str| Coords::Sgf.parse(text, head.size).unwrap();
    let first = tree.main_line().next().unwrap();
    let notes: Vec<Note> = tree.notes(first).collect();
    assert_eq!(notes[..2], [Note::Label(at("gg"), "A"), Note::Label(at("ii"), "b:c")]);
    assert_eq!(notes[2], Note::Mark(at("hg"), Shape::Triangle));
    assert_eq!(notes.len(), 2 + 2 + 6, "a rectangle of marks is unfolded");
    let points = |score| Note::Value(Value { score, depth: None });
    let find = |text: &str| tree.nodes().find(|node| tree.play(*node).stone() == Some(at(text))).unwrap();
    assert!(tree.notes(find("ii")).eq([points(Score::Points(35)), Note::Property("GB", "1")]));
    let hf: Vec<Note> = tree.notes(find("hf")).collect();
    let value = Value { score: Score::Points(-20), depth: Some(14) };
    assert_eq!(hf, [Note::Value(value), Note::Time(1500), Note::Property("BM", "1")]);
    assert_eq!(tree.notes(find("jj")).next(), Some(points(Score::FirstWins(9))));
    let hg = find("hg");
    assert_eq!((tree.line(hg), tree.body(hg)), (None, Some("\na body alone")));
    assert!(tree.is_found(find("hi")) && tree.is_start(find("gj")));
    assert!(tree.notes(find("hi")).any(|note| note == Note::Property("V", "0.5")));
    assert_eq!(tree.children(find("hi")).map(|node| tree.play(node)).collect::<Vec<_>>(), [Play::Nothing; 3]);
    let pass = tree.nodes().find(|node| tree.play(*node) == Play::Move(Move::Pass)).unwrap();
    let names: Vec<&str> = tree
        .notes(pass)
        .filter_map(|note| if let Note::Property(name, _) = note { Some(name) } else { None })
        .collect();
    assert_eq!(names, ["AR", "AR", "LN", "DD", "DD", "FG", "5A", "a:b"]);
}

#[test]
fn names_of_older_versions_lose_their_small_letters() {
    let bytes = std::fs::read(testdata("sgf/long_names.sgf")).unwrap();
    let record = read(&FORMAT, &bytes).unwrap().one();
    assert_eq!(moves(&record), ["h8", "i7", "pass", "i6"]);
    assert_eq!((record.head.tag("Black"), record.tree.line(NodeId::ROOT)), (Some("Ann"), Some("Names of FF1")));
    assert_eq!(read(&FORMAT, b"(;FF[4]GM[4];Black[hh])").unwrap().faults.count("lower-case-name"), 1);
    assert_eq!(moves(&one("(;gm[4];b[hh])")), ["h8"]);
}

#[test]
fn the_charset_is_found_before_the_text_is_taken_apart() {
    let sample = |name: &str| std::fs::read(testdata(name)).unwrap();
    let gbk = label_to_encoding("gbk").unwrap();
    let declared = read(&FORMAT, &sample("sgf/gbk.sgf")).unwrap();
    assert_eq!(declared.encoding, Some(Guess { encoding: gbk, sure: Sure::Declared }));
    assert_eq!(declared.one().head.encoding, Some("GBK"));
    let guessed = read(&FORMAT, &sample("sgf/gbk_undeclared.sgf")).unwrap();
    assert_eq!(guessed.encoding.unwrap().encoding, gbk);
    assert_eq!(guessed.one().head.tag("Black"), Some("黑棋"));
    let given = ReadOptions { encoding: label_to_encoding("windows-1251"), ..ReadOptions::default() };
    let given = read_with(&FORMAT, &sample("sgf/gbk.sgf"), &given).unwrap();
    assert_eq!(given.encoding.unwrap().sure, Sure::Given);
    // UTF-8 and UTF-16 with their marks.
    assert_eq!(root_comment(&one("\u{FEFF}(;GM[4]C[黑];B[hh])")), "黑");
    let wide: Vec<u8> = "\u{FEFF}(;GM[4]C[黑];B[hh])".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(root_comment(&read(&FORMAT, &wide).unwrap().one()), "黑");
    // A name that nothing is called, and bytes that fit no letter.
    let unknown = read(&FORMAT, "(;GM[4]CA[Klingon]C[黑];B[hh])".as_bytes()).unwrap();
    assert_eq!((unknown.faults.count("unknown-charset"), root_comment(&unknown.one()).as_str()), (1, "黑"));
    let broken = read(&FORMAT, b"(;GM[4]CA[UTF-8]C[\xFF];B[hh])").unwrap();
    assert_eq!(broken.faults.list()[0].place.byte, Some(18));
    assert_eq!(root_comment(&broken.one()), "\u{FFFD}");
    let second = read(&FORMAT, "(;GM[4]CA[UTF-8]C[黑];B[hh])(;GM[4]CA[GBK];B[hh])".as_bytes()).unwrap();
    assert_eq!(second.faults.count("second-charset"), 1);
    // A comment that speaks of CA is no CA.
    let speaks = read(&FORMAT, "(;GM[4]C[写 CA[GBK\\]];B[hh])".as_bytes()).unwrap();
    assert_eq!(speaks.encoding.unwrap().sure, Sure::Certain);
}

#[test]
fn places_are_bytes_in_utf_8_and_lines_elsewhere() {
    let place = |text: &[u8]| read(&FORMAT, text).unwrap().faults.list()[0].place.clone();
    let utf8 = place("(;GM[4]C[黑棋]\n;B[hh];W[pp])".as_bytes());
    assert_eq!((utf8.byte, utf8.path.as_deref(), utf8.record), (Some(26), Some("h8 --"), Some(1)));
    let gbk = place(b"(;GM[4]CA[GBK]C[\xBA\xDA]\r\n;B[hh]\r;W[pp])");
    assert_eq!((gbk.byte, gbk.line), (None, Some(3)));
}

#[test]
fn what_is_damaged_is_recovered_and_reported() {
    for (text, kind, severity, wanted) in [
        ("(;GM[4];B[hh];W[ii]", "missing-close", Severity::Damage, "h8 i7"),
        ("(;GM[4];B[hh];W[ii]\n(;GM[4];B[aa];W[bb])", "missing-close", Severity::Damage, "h8 i7 / a15 b14"),
        ("(;GM[4];B[hh]);W[ii](;B[jj])", "missing-open", Severity::Damage, "h8 / i7 j6"),
        ("(;GM[4];B[hh]W[ii])", "several-moves", Severity::Damage, "h8 i7"),
        ("(;GM[4];B[hh][ii])", "several-moves", Severity::Damage, "h8 i7"),
        ("(;GM[4]B[hh]C[x];W[ii])", "root-move", Severity::Quirk, "h8 i7"),
        ("(;GM[4];B[hh]];W[ii])", "stray-characters", Severity::Damage, "h8 i7"),
        ("(;GM[4];B[hh] 12 ;W[ii])", "no-value", Severity::Damage, "h8 i7"),
        ("(;GM[4];[x]B[hh];W[ii])", "no-name", Severity::Damage, "h8 i7"),
        ("(;GM[4];B[hh](;W[ii]);W[jj])", "node-after-variation", Severity::Quirk, "h8 i7"),
        ("(;GM[4];;B[hh])", "empty-node", Severity::Quirk, "h8"),
        ("(;GM[1]SZ[15];B[hh])", "game-of-go", Severity::Quirk, "h8"),
        ("(;B[hh])", "game-missing", Severity::Quirk, "h8"),
        ("(;GM[4]FF[5];B[hh])", "version", Severity::Quirk, "h8"),
        ("(;GM[4]SZ[big];B[hh])", "bad-size", Severity::Damage, "h8"),
        ("(;GM[4];B[h8];W[ii])", "off-board", Severity::Damage, "pass i7"),
        ("(;GM[4]PB[a]PB[b];B[hh])", "repeated-property", Severity::Quirk, "h8"),
        ("(;GM[4];B[hh]C[a]C[b])", "repeated-property", Severity::Quirk, "h8"),
        ("(;GM[4]AB[pp];B[hh])", "bad-value", Severity::Damage, "h8"),
        ("(;GM[4];B[hh]C[a\u{1}b])", "control-characters", Severity::Damage, "h8"),
        ("From: me\n\n(;GM[4];B[hh])\n--\nme (;", "stray-text", Severity::Damage, "h8 / "),
        ("(\n)", "no-game", Severity::Damage, ""),
    ] {
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        let fault = read.faults.list().iter().find(|fault| fault.kind == kind);
        let fault = fault.unwrap_or_else(|| panic!("{text}: {:?}", read.faults.list()));
        assert_eq!(fault.severity, severity, "{text}");
        let found: Vec<String> = read.records.iter().map(|record| moves(record).join(" ")).collect();
        assert_eq!(found.join(" / "), wanted, "{text}");
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err(), "{text}");
        let (bytes, losses) = samples::write(&FORMAT, &read.records).unwrap();
        assert_eq!(losses.is_empty(), kind != "control-characters", "{text}: {losses:?}");
        let same = samples::read(&FORMAT, &bytes).unwrap().records == read.records;
        assert_eq!(same, losses.is_empty(), "{text}");
    }
}

#[test]
fn a_comment_goes_with_the_first_move_of_its_node() {
    let record = one("(;GM[4];C[x]W[hh]B[ii]N[y])");
    let line: Vec<_> = record.tree.main_line().collect();
    assert_eq!(record.tree.side(line[0]), Side::Second);
    assert_eq!((record.tree.line(line[0]), record.tree.notes(line[1]).count()), (Some("x"), 0));
    let record = one("(;GM[4]AB[aa]PB[Ann]B[hh]C[x])");
    let line: Vec<_> = record.tree.main_line().collect();
    assert_eq!(record.tree.line(line[0]), Some("x"));
    assert!(matches!(record.tree.notes(NodeId::ROOT).collect::<Vec<_>>()[..], [Note::Stone(..)]));
}

#[test]
fn other_games_and_large_boards_cost_only_themselves() {
    let text = b"(;FF[4]GM[4];B[hh])(;FF[4]GM[7];B[hh])(;FF[4]GM[4]SZ[27];B[hh])(;FF[4]GM[4];B[ii])";
    assert!(read_with(&FORMAT, text, &strict()).is_err());
    for options in [ReadOptions::default(), lenient()] {
        let read = read_with(&FORMAT, text, &options).unwrap();
        assert_eq!(read.records.iter().map(moves).collect::<Vec<_>>(), [["h8"], ["i7"]]);
        assert_eq!((read.faults.count("other-game"), read.faults.count("large-board")), (1, 1));
    }
}

#[test]
fn bad_files_are_refused_with_a_message_that_helps() {
    let wanted = [
        (
            "xiangqi",
            "sgf: GM[7] is xiangqi (Chinese chess), and only gomoku and renju (GM[4]) are read at game 1, byte 0xa (at the root)",
        ),
        (
            "unknown_game",
            "sgf: GM[99] is no game I know, and only gomoku and renju (GM[4]) are read at game 1, byte 0xa (at the root)",
        ),
        ("large_board", "sgf: SZ[37] at game 2, byte 0x29 (at the root): boards have at most 26x26 points here"),
        ("no_game", "sgf: no game begins in this file with `(;` at byte 0x0: it is not SGF"),
    ];
    let files = samples::files(&testdata("bad/sgf"), "sgf");
    assert_eq!(files.len(), wanted.len());
    for (name, message) in wanted {
        let bytes = std::fs::read(testdata(&format!("bad/sgf/{name}.sgf"))).unwrap();
        // Where a game was read before it, the bad one is a fault.
        let said = match read(&FORMAT, &bytes) {
            Err(error) => error.to_string(),
            Ok(read) => format!("sgf: {}", read.faults.list()[0]).replace("; the game was left out", ""),
        };
        assert_eq!(said, message);
    }
}

#[test]
fn a_node_has_only_so_many_values() {
    let file = |values: usize| format!("(;GM[4]LB{})", "[]".repeat(values));
    assert!(read(&FORMAT, file((1 << 20) - 1).as_bytes()).is_ok());
    assert!(read(&FORMAT, file(1 << 20).as_bytes()).unwrap_err().to_string().contains("more than 1048576 values"));
}

#[test]
fn rectangles_are_unfolded_only_so_far() {
    let text = format!("(;GM[4]SZ[26]AB{})", "[aa:zz]".repeat((4 << 20) / 676 + 20));
    let message = read(&FORMAT, text.as_bytes()).unwrap_err().message;
    assert_eq!(message, "the rectangles of this game stand for more than 4194304 points");
}

#[test]
fn sgf_is_known_by_its_first_letters() {
    for (head, likeness) in [
        (&b"(;GM[4]"[..], Likeness::Magic),
        (b"\xEF\xBB\xBF\r\n ( \n;GM[4]", Likeness::Magic),
        (b"(GM[4]", Likeness::Shape),
        (b";B[hh]", Likeness::Shape),
        (b"Subject: game (1)\n\n(;GM[4]", Likeness::Shape),
        (b"h8 i9 (j10)", Likeness::No),
        (b"", Likeness::No),
    ] {
        assert_eq!((FORMAT.likeness)(head), likeness, "{}", String::from_utf8_lossy(head));
    }
}

#[test]
fn a_board_without_size_is_the_users_or_the_games() {
    assert_eq!(one("(;GM[4];B[hh])").head.size, Size::default());
    assert_eq!(one("(;GM[1];B[ss])").head.size, Size::square(19).unwrap());
    let options = ReadOptions { size: Size::square(20), ..ReadOptions::default() };
    let record = read_with(&FORMAT, b"(;GM[4];B[tt])", &options).unwrap().one();
    assert_eq!(moves(&record), ["t1"]);
    assert_eq!(one("(;GM[4]SZ[20:3];B[tc])").head.size, Size::new(20, 3).unwrap());
}

#[test]
fn a_small_file_is_written_like_this() {
    let record = one("(;GM[4]PB[A\\]]C[x];B[hh](;W[ii]LB[aa:y];B[tt])(;W[ij]))");
    let version = env!("CARGO_PKG_VERSION");
    let wanted =
        format!("(;FF[4]GM[4]CA[UTF-8]AP[kifu:{version}]SZ[15]PB[A\\]]C[x]\n;B[hh]\n(;W[ii]LB[aa:y];B[])\n(;W[ij]))\n");
    assert_eq!(written(&record), wanted);
}

#[test]
fn properties_that_would_be_read_as_something_else_keep_apart() {
    let record = one("(;GM[4]KP[SZ:9]KP[SZ:7]TE[1];B[hh]KP[V:1]V[x]V[2]KP[B:aa]N[a]N[b]KP[a\\:b\\]:c]KP[:])");
    let node = record.tree.main_line().next().unwrap();
    let value = Value { score: Score::Points(2), depth: None };
    let properties = [("V", "1"), ("V", "x"), ("B", "aa"), ("N", "a"), ("N", "b"), ("a:b]", "c"), ("", "")];
    let wanted = properties.map(|(name, value)| Note::Property(name, value));
    assert!(record.tree.notes(node).eq([Note::Value(value)].into_iter().chain(wanted)));
    assert_eq!(one(&written(&record)), record);
    let long = "N".repeat(33);
    let record = one(&format!("(;GM[4];B[hh]KP[{long}:x])"));
    assert_eq!(one(&written(&record)), record);
    let left_out = read(&FORMAT, format!("(;GM[4];B[hh]{long}[x])").as_bytes()).unwrap();
    assert_eq!((left_out.faults.count("long-name"), left_out.faults.damage()), (1, true));
}

#[test]
fn board_texts_become_labels_of_the_position_before() {
    let point = |x| Point::new(x, 7).unwrap();
    let mut builder = TreeBuilder::new();
    builder.append(1, Side::First, Play::Move(Move::Place(point(7)))).unwrap();
    builder.note(Note::Text("a")).unwrap();
    builder.append(2, Side::Second, Play::Label(point(8))).unwrap();
    builder.note(Note::Text("b")).unwrap();
    builder.append(2, Side::Second, Play::Move(Move::Place(point(9)))).unwrap();
    let record = Record { tree: builder.build(), ..Record::default() };
    let (bytes, losses) = samples::write(&FORMAT, &[record]).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.ends_with("SZ[15]LB[hh:a]\n;B[hh]LB[ih:b];W[jh])\n"), "{text}");
    assert_eq!(losses.list().len(), 1);
    assert_eq!(losses.list()[0].to_string(), format!("2 {}, first after h8", losses.list()[0].what));
}

#[test]
fn a_text_the_encoding_lacks_is_a_loss_only_if_the_encoding_was_asked_for() {
    let mut record = one("(;GM[4]C[黑ñ];B[hh])");
    record.head.encoding = Some("GBK");
    assert_eq!(one(&written(&record)).head.encoding, None, "GBK lacks ñ");
    let options = WriteOptions { encoding: label_to_encoding("windows-1252"), ..WriteOptions::default() };
    let (bytes, losses) = write_with(&FORMAT, &[record], &options).unwrap();
    assert_eq!(losses.list().len(), 1);
    assert_eq!(root_comment(&read(&FORMAT, &bytes).unwrap().one()), "?ñ");
}

/// Runs on a stack so small that any recursion on the input overflows it.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_hundred_thousand_parentheses_nest() {
    on_a_small_stack(|| {
        let levels = 100_000;
        let deep: String = (0..levels).map(|_| "(;B[aa]").chain((0..levels).map(|_| ")")).collect();
        let record = one(&format!("(;GM[4]{deep})"));
        assert_eq!(moves(&record).len(), levels);
        assert_eq!(one(&written(&record)), record);
        // Real variations, each within the one before.
        let forks: String = (0..levels).map(|_| "(;B[aa])(;W[bb]").chain((0..levels).map(|_| ")")).collect();
        let record = one(&format!("(;GM[4]{forks})"));
        assert_eq!(record.tree.len(), 1 + 2 * levels);
        assert_eq!(one(&written(&record)), record);
        // Only opened, and only closed.
        assert!(read(&FORMAT, "(".repeat(levels).as_bytes()).is_err());
        assert!(read(&FORMAT, format!("(;{}", "(".repeat(levels)).as_bytes()).is_ok());
        assert!(read(&FORMAT, format!("(;{}", ")".repeat(levels)).as_bytes()).is_ok());
        assert!(read(&FORMAT, format!("(;C[{}{}", "[".repeat(levels), "]".repeat(levels)).as_bytes()).is_ok());
    });
}

#[test]
fn a_million_nodes_in_a_chain_and_a_long_comment() {
    on_a_small_stack(|| {
        let record = one(&format!("(;GM[4]{})", ";B[aa];W[]".repeat(500_000)));
        assert_eq!(record.tree.len(), 1_000_001);
        assert_eq!(one(&written(&record)), record);
        let comment = "A long story \\] and \\\\ more\n".repeat(10 << 20 >> 5);
        let record = one(&format!("(;GM[4];B[hh]C[{comment}])"));
        assert_eq!(one(&written(&record)), record);
        assert_eq!(read(&FORMAT, format!("(;GM[4]{})", ";".repeat(1 << 20)).as_bytes()).unwrap().one().tree.len(), 1);
    });
}

#[test]
fn damage_anywhere_is_borne() {
    for path in samples::files(&testdata("sgf"), "sgf") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 500);
    }
    for case in ["SGF-02", "SGF-05", "SGF-07", "SGF-13"] {
        case_torture(case);
    }
}

fn case_torture(name: &str) {
    for (_, bytes, _) in case(name) {
        torture(&FORMAT, &bytes, 60);
    }
}

/// The record as it is after it was written: what the losses say, and the orders SGF does not keep.
fn normalise(record: &Record) -> Record {
    let tree = &record.tree;
    let mut head = record.head.clone();
    let encoding = crate::encoding::charset(record);
    head.encoding = (encoding != encoding_rs::UTF_8).then(|| encoding.name());
    head.newline = None;
    let blanks = |text: &str| text.replace('\t', " ");
    head.tags.iter_mut().for_each(|(_, value)| *value = blanks(value));
    let mut builder = TreeBuilder::new();
    let vanishes = |node| {
        let text_only = tree.notes(node).all(|note| matches!(note, Note::Text(_) | Note::Bytes(..)));
        let plain = text_only && tree.text(node).is_some() && tree.is_leaf(node);
        plain && !tree.is_found(node) && !tree.is_start(node) && matches!(tree.play(node), Play::Label(_))
    };
    for (depth, node) in tree.walk() {
        if vanishes(node) {
            continue;
        }
        match tree.play(node) {
            _ if depth == 0 => {}
            play @ Play::Move(_) => drop(builder.append(depth, tree.side(node), play).unwrap()),
            _ => drop(builder.append(depth, Side::of_ply(depth), Play::Nothing).unwrap()),
        }
        builder.copy_flags(tree, node);
        for side in [Some(Side::First), Some(Side::Second), None] {
            let stones: Vec<Note> = tree.notes(node).filter(|note| matches!(note, Note::Stone(..))).collect();
            for (at, note) in stones.iter().enumerate() {
                let Note::Stone(point, of) = *note else { continue };
                let again = stones[at + 1..].iter().any(|later| matches!(later, Note::Stone(p, _) if *p == point));
                if of == side && !again {
                    builder.note(*note).unwrap();
                }
            }
        }
        for shape in Shape::ALL {
            tree.notes(node)
                .filter(|note| matches!(note, Note::Mark(_, of) if *of == shape))
                .for_each(|note| builder.note(note).unwrap());
        }
        if tree.line(node).is_some() || tree.body(node).is_some() {
            let body = tree.body(node).map(|body| format!("\n{body}")).unwrap_or_default();
            let comment = blanks(&format!("{}{body}", tree.line(node).unwrap_or_default()));
            match comment.split_once('\n') {
                Some(("", body)) => builder.note(Note::Body(body)).unwrap(),
                Some((line, body)) => {
                    builder.note(Note::Line(line)).unwrap();
                    builder.note(Note::Body(body)).unwrap();
                }
                None => builder.note(Note::Line(&comment)).unwrap(),
            }
        }
        for note in tree.notes(node) {
            match note {
                Note::ToMove(_) | Note::Value(_) | Note::Time(_) => builder.note(note).unwrap(),
                Note::Label(point, text) => {
                    builder.note(Note::Label(point, &blanks(text).replace('\n', " "))).unwrap();
                }
                Note::Property(name, value) => builder.note(Note::Property(name, &blanks(value))).unwrap(),
                _ => {}
            }
        }
        for child in tree.children(node) {
            if let (Some(text), Some(point)) = (tree.text(child), tree.play(child).point()) {
                builder.note(Note::Label(point, &blanks(text).replace('\n', " "))).unwrap();
            }
        }
    }
    Record { head, tree: builder.build() }
}

/// Whether nothing in the record is of the kinds that SGF loses.
fn is_sayable(record: &Record) -> bool {
    let tree = &record.tree;
    let text = |text: &str| !text.contains('\t');
    tree.nodes().all(|node| {
        !matches!(tree.play(node), Play::Label(_))
            && tree.notes(node).all(|note| match note {
                Note::Text(_) | Note::Bytes(..) | Note::Stone(..) => false,
                Note::Line(line) => text(line) && !line.contains('\n'),
                Note::Label(_, label) => text(label) && !label.contains('\n'),
                Note::Body(value) | Note::Property(_, value) => text(value),
                _ => true,
            })
    }) && record.head.tags.iter().all(|(_, value)| text(value))
}

fn write_all(records: &[Record]) -> Result<(Vec<u8>, Losses), Error> {
    samples::write(&FORMAT, records)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn records_survive_writing_but_for_the_losses(record in records()) {
        let (bytes, losses) = write_all(std::slice::from_ref(&record)).unwrap();
        let read = read(&FORMAT, &bytes).unwrap();
        prop_assert!(read.faults.is_empty(), "{:?}", read.faults.list());
        prop_assert_eq!(read.one(), normalise(&record), "{}", String::from_utf8_lossy(&bytes));
        if is_sayable(&record) {
            prop_assert!(losses.is_empty(), "{:?}", losses);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[();\\[\\]\\\\BWCAGMFSZ4a-c:\n ]{0,80}") {
        for options in [strict(), ReadOptions::default(), lenient()] {
            if let Ok(read) = read_with(&FORMAT, text.as_bytes(), &options) {
                let (bytes, _) = write_all(&read.records).unwrap();
                prop_assert_eq!(samples::read(&FORMAT, &bytes).unwrap().records.len(), read.records.len());
            }
        }
    }
}

#[test]
fn marks_of_bytes_are_counted_as_losses() {
    let record = one("(;GM[4];B[hh]C[a\u{1}b])");
    let node = record.tree.main_line().next().unwrap();
    assert_eq!(record.tree.bytes(node, Part::Line), Some(&b"a\x01b"[..]));
    let (_, losses) = write_all(&[record]).unwrap();
    assert_eq!(losses.list().len(), 1);
}

#[test]
fn a_game_is_handed_out_before_the_next_is_read() {
    let mut seen = 0;
    let (options, progress) = (ReadOptions::default(), crate::Progress::default());
    let mut each = |_| {
        seen += 1;
        if seen == 2 { Err(Error::new(crate::Blame::Stopped, "", "enough")) } else { Ok(()) }
    };
    let mut reading = crate::Reading::new("sgf", &options, &progress, &mut each);
    let text = b"(;GM[4];B[hh])(;GM[4];B[hh])(;GM[7])";
    assert_eq!((FORMAT.read)(text, &mut reading).unwrap_err().message, "enough");
}

#[test]
fn engine_games_read_alike_from_text() {
    let Some(folder) = shared("data/games") else { return };
    let mut count = 0;
    for path in files(&folder, "txt") {
        let games = read(&FORMAT, &std::fs::read(path.with_extension("sgf")).unwrap()).unwrap().records;
        let texts = text_games(&path);
        assert_eq!(games.len(), texts.len());
        count += games.len();
        for (game, text) in games.iter().zip(&texts) {
            let (head, other) = (&game.head, &text.head);
            assert_eq!((head.rule, head.size, head.result), (other.rule, other.size, other.result));
            assert_eq!(line(game), line(text));
        }
    }
    assert_eq!(count, 6_728);
}

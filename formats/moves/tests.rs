use super::FORMAT;
use crate::registry::HEAD;
use crate::samples::{files, lenient, read, read_with, records, shared, strict, testdata, torture, write, write_with};
use crate::{Blame, Likeness, Losses, ReadOptions, Severity, WriteOptions};
use games::{Coords, Game, Move, Point, Rule, Side, Size};
use proptest::prelude::*;
use record::{NodeId, Note, Outcome, Play, Record, TreeBuilder};

/// One line of each form.
const FORMS: &str = "# comment\r\n\nrenju 15 0.5 5 h8 i9 -- j10\nFreestyle 20 1 0 t20\n1. h8 2. i9 3. pass\nh8i9j10\r\n\
                     agi:STATU 78695A MOVES 68\nagi:78685A69\nboard:X.O/.../... turn:O\n";

fn point(text: &str) -> Point {
    Coords::A1.parse(text, Size::default()).unwrap()
}

/// The moves of a record as `h8 -- i9`.
fn moves(record: &Record) -> String {
    let (tree, size) = (&record.tree, record.head.size);
    let text = |node| match tree.play(node) {
        Play::Move(Move::Place(point)) => Coords::A1.text(point, size),
        Play::Move(Move::Pass) => "--".into(),
        other => format!("{other:?}"),
    };
    tree.main_line().map(text).collect::<Vec<_>>().join(" ")
}

fn game(text: &str) -> Record {
    read(&FORMAT, text.as_bytes()).unwrap().one()
}

fn written(record: &Record) -> (String, Losses) {
    let (bytes, losses) = write(&FORMAT, std::slice::from_ref(record)).unwrap();
    (String::from_utf8(bytes).unwrap(), losses)
}

fn whats(losses: &Losses) -> Vec<&str> {
    losses.list().iter().map(|loss| loss.what).collect()
}

#[test]
fn every_form_of_a_line_is_read() {
    let read = read(&FORMAT, FORMS.as_bytes()).unwrap();
    let lines: Vec<String> = read.records.iter().map(moves).collect();
    assert_eq!(lines, ["h8 i9 -- j10", "t20", "h8 i9 --", "h8 i9 j10", "h9", "h8 h9 j10 i9", ""]);
    assert_eq!(read.faults.counts(), [("comment-line", Severity::Remark, 1)]);

    let [first, second] = [&read.records[0], &read.records[1]];
    assert_eq!((first.head.rule, first.head.result), (Some(Rule::Renju), Some(Outcome::Draw)));
    assert_eq!(first.head.tag("OpeningPlies"), Some("5"));
    assert_eq!((second.head.rule, second.head.result), (Some(Rule::Freestyle), Some(Outcome::First)));
    assert_eq!((second.head.size, &second.head.tags[..]), (Size::square(20).unwrap(), &[][..]));

    let stones = &read.records[4].tree;
    let notes: Vec<Note> = stones.notes(NodeId::ROOT).collect();
    assert_eq!(notes[1], Note::Stone(point("i9"), Some(Side::Second)));
    assert_eq!(notes.len(), 3, "the second player is to move by parity: no note says so");
    assert_eq!(stones.side(stones.main_line().next().unwrap()), Side::Second);

    let drawn = &read.records[6];
    assert_eq!(drawn.head.size, Size::square(3).unwrap());
    assert_eq!(drawn.tree.notes(NodeId::ROOT).last(), Some(Note::ToMove(Side::Second)));
}

#[test]
fn sides_alternate_over_passes() {
    let record = game("h8 -- i9");
    let sides: Vec<Side> = record.tree.main_line().map(|node| record.tree.side(node)).collect();
    assert_eq!(sides, [Side::First, Side::Second, Side::First]);
}

#[test]
fn a_bad_line_costs_its_own_game_only() {
    let text = b"\xEF\xBB\xBFh8 i9\r\n# \xD6\r\nh8 i9 q8 j10\rrenju 99 1 0 h8\nrenju 15 2 0\nh8 \xD6\nj10";
    let normal = read(&FORMAT, text).unwrap();
    assert_eq!(normal.records.iter().map(moves).collect::<Vec<_>>(), ["h8 i9", "j10"]);
    let kinds: Vec<_> = normal.faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect();
    assert_eq!(kinds, [("byte-order-mark", 1), ("comment-line", 1), ("comment-encoding", 1), ("bad-line", 4)]);
    let bad: Vec<String> = normal.faults.list()[3..].iter().map(ToString::to_string).collect();
    assert_eq!(
        bad,
        [
            "`q8` is not a point of a 15x15 board in the notation a1 at game 2, line 3, byte 0x15; the game was left out",
            "`99` is not a board size from 1 to 26 at game 3, line 4, byte 0x22; the game was left out",
            "`2` is not a result at game 4, line 5, byte 0x35: it is 1, 0.5 or 0; the game was left out",
            "byte 0xd6 is not UTF-8 at game 5, line 6, byte 0x3c: save the file as UTF-8; the game was left out",
        ]
    );
    let lenient = read_with(&FORMAT, text, &lenient()).unwrap();
    assert_eq!(lenient.records.iter().map(moves).collect::<Vec<_>>(), ["h8 i9", "h8 i9", "h8", "j10"]);
    assert_eq!((lenient.faults.count("cut-line"), lenient.faults.count("bad-line")), (2, 2));
}

#[test]
fn strictly_nothing_is_forgiven() {
    let refuse = |text: &[u8]| read_with(&FORMAT, text, &strict()).unwrap_err().to_string();
    assert_eq!(read_with(&FORMAT, b"h8\n# x\n", &strict()).unwrap().faults.count("comment-line"), 1);
    assert_eq!(refuse(b"h8\n# \xFF\n"), "moves: the comment line is not UTF-8 at line 2, byte 0x5");
    assert_eq!(
        refuse(b"h8\n\nh8 h16"),
        "moves: `h16` is not a point of a 15x15 board in the notation a1 at game 2, line 3, byte 0x7"
    );
    assert!(read_with(&FORMAT, b"h8\n\nh8 h15\r\n", &strict()).unwrap().faults.is_empty());
}

#[test]
fn a_file_in_which_no_line_reads_is_something_else() {
    let error = read(&FORMAT, b"# prose\nThe quick brown fox\nand another\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "moves: `The` is not a point of a 15x15 board in the notation a1 at game 1, line 2, byte 0x8"
    );
    assert_eq!(read(&FORMAT, b"- 1. ;").unwrap_err().message, "the line holds no move");
    assert!(read(&FORMAT, b"# nothing\n\n").unwrap().records.is_empty());
}

#[test]
fn the_first_line_decides_the_likeness() {
    let like = |text: &[u8]| (FORMAT.likeness)(&text[..text.len().min(HEAD)]);
    for text in ["h8 i9", "\u{FEFF}# x\n\r\n  # y\nrenju 15 1 5 h8", "agi:7868", "board:X../.../...", "h8\n\0\0"] {
        assert_eq!(like(text.as_bytes()), Likeness::Shape, "{text}");
    }
    for text in ["", "# x", "prose", "(;GM[4]FF[4])", "[Game \"gomoku\"]", "{\"file\":1}", "<?xml?>", "- 1."] {
        assert_eq!(like(text.as_bytes()), Likeness::No, "{text}");
    }
    assert_eq!(like("h8 i10 ".repeat(2000).as_bytes()), Likeness::Shape);
    assert_eq!(like(format!(" {}", "h8i10".repeat(2000)).as_bytes()), Likeness::Shape);
    assert_eq!(like(format!("h8 {}", "prose ".repeat(2000)).as_bytes()), Likeness::No);
}

#[test]
fn engine_games_are_read_and_written_back() {
    for (name, games) in [("renju15", 4147), ("free15", 1490), ("std15", 793), ("free20", 298)] {
        let Some(path) = shared(&format!("data/games/engine_{name}.txt")) else { return };
        let bytes = std::fs::read(path).unwrap();
        let read = read(&FORMAT, &bytes).unwrap();
        assert_eq!(read.records.len(), games);
        assert_eq!(read.faults.counts(), [("comment-line", Severity::Remark, 1)]);
        let (again, losses) = write(&FORMAT, &read.records).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        assert!(bytes[first..] == again, "{name}");
    }
}

#[test]
fn the_sample_in_the_repository_reads() {
    let [path] = &files(&testdata("moves"), "txt")[..] else { panic!("one sample") };
    let read = read(&FORMAT, &std::fs::read(path).unwrap()).unwrap();
    assert_eq!(read.records.len(), 20);
    assert!(!read.faults.damage());
}

#[test]
fn a_line_returns_from_every_notation() {
    for (coords, text) in [
        (Coords::A1, "a15 o1 -- c14 j8\n"),
        (Coords::Agi, "01 EF -- 13 7A\n"),
        (Coords::Xy, "0,0 14,14 -- 2,1 9,7\n"),
        (Coords::Sgf, "aa oo -- cb jh\n"),
        (Coords::Rapfi, "a1 o15 -- c2 j8\n"),
        (Coords::NoI, "a15 p1 -- c14 k8\n"),
    ] {
        let record = game("a15 o1 -- c14 j8");
        let options = WriteOptions { coords: Some(coords), ..WriteOptions::default() };
        let (bytes, losses) = write_with(&FORMAT, std::slice::from_ref(&record), &options).unwrap();
        assert_eq!(std::str::from_utf8(&bytes), Ok(text));
        assert!(losses.is_empty());
        let options = ReadOptions { coords, ..strict() };
        assert_eq!(read_with(&FORMAT, &bytes, &options).unwrap().one(), record);
    }
}

#[test]
fn a_notation_that_lacks_points_is_refused() {
    let size = Some(Size::square(20).unwrap());
    let error = read_with(&FORMAT, b"78", &ReadOptions { coords: Coords::Agi, size, ..ReadOptions::default() });
    assert_eq!(error.unwrap_err().blame, Blame::Caller);
    let wide = read_with(&FORMAT, b"t20", &ReadOptions { size, ..ReadOptions::default() }).unwrap().records;
    let options = WriteOptions { coords: Some(Coords::Agi), ..WriteOptions::default() };
    let error = write_with(&FORMAT, &wide, &options).unwrap_err();
    assert_eq!(error.blame, Blame::Target);
    assert_eq!(error.message, "the notation agi has no names for the points of a 20x20 board: choose a1");
    assert_eq!(whats(&write(&FORMAT, &wide).unwrap().1), ["board sizes (left out: name it when reading)"]);
    let mut xiangqi = Record::default();
    xiangqi.head.game = Game::Xiangqi;
    assert_eq!(write(&FORMAT, &[xiangqi]).unwrap_err().blame, Blame::Target);
}

#[test]
fn positions_without_moves_are_drawn() {
    for text in ["board:X.O/.../...\n", "board:X../.../... turn:X\n", "board:.../.../... turn:O\n", "board:..\n"] {
        let (again, losses) = written(&game(text));
        assert_eq!(again, text);
        assert!(losses.is_empty());
    }
    let (text, losses) = written(&Record::default());
    let row = ".".repeat(15);
    assert_eq!(text, format!("board:{}\n", vec![row.as_str(); 15].join("/")));
    assert!(losses.is_empty());
    let (text, losses) = written(&game("agi:STATU 78695A MOVES 68"));
    assert_eq!(text, "h9\n");
    assert_eq!(whats(&losses), ["set-up stones (left out)", "moves out of turn (written as if sides alternated)"]);
}

#[test]
fn what_a_line_cannot_say_is_counted() {
    let play = |text: &str| Play::Move(Move::Place(point(text)));
    let mut builder = TreeBuilder::new();
    builder.note(Note::Line("root")).unwrap();
    builder.append(1, Side::First, Play::Label(point("a1"))).unwrap();
    builder.append(1, Side::First, play("h8")).unwrap();
    builder.set_found();
    builder.append(2, Side::Second, Play::Nothing).unwrap();
    builder.note(Note::Body("more\nthan a line")).unwrap();
    builder.append(3, Side::First, play("i9")).unwrap();
    builder.append(4, Side::First, play("j10")).unwrap();
    builder.append(4, Side::First, play("j9")).unwrap();
    builder.note(Note::Text("A")).unwrap();
    let mut record = Record { tree: builder.build(), ..Record::default() };
    record.head.rule = Some(Rule::Renju);
    record.head.tags = vec![("OpeningPlies".into(), "05".into()), ("Event".into(), "WC".into())];
    let (text, losses) = written(&record);
    assert_eq!(text, "h8 i9 j10\n");
    let lost: Vec<String> = losses.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        lost,
        [
            "1 rules (left out), first renju",
            "2 tags (left out), first OpeningPlies",
            "2 comments (left out), first at the root",
            "2 nodes off the main line (left out), first after a1",
            "1 nodes marked to be found (left out), first after h8",
            "1 nodes without a move (left out), first after h8 ·",
            "1 moves out of turn (written as if sides alternated), first after h8 · i9",
        ]
    );
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, FORMS.as_bytes(), 2000);
}

#[test]
fn a_line_of_a_million_moves_takes_linear_time() {
    let wide = ReadOptions { coords: Coords::Agi, ..ReadOptions::default() };
    // All digits: no look ahead for a move number may run to the end of the line.
    let line = "78".repeat(1_000_000);
    let record = read_with(&FORMAT, line.as_bytes(), &wide).unwrap().one();
    assert_eq!(record.tree.len(), 1_000_001);
    assert_eq!(written(&record).0.len(), 3_000_000);
    let lines = "x\n".repeat(300_000);
    assert!(read_with(&FORMAT, lines.as_bytes(), &lenient()).is_err());
}

/// The record with its set-up in the order of the board and no turn that goes without saying.
fn tidy(record: &Record) -> Record {
    let tree = &record.tree;
    let mut stones: Vec<(Point, Side)> = Vec::new();
    let mut turn = None;
    for note in tree.notes(NodeId::ROOT) {
        match note {
            Note::Stone(point, Some(side)) if !stones.contains(&(point, side)) => stones.push((point, side)),
            Note::ToMove(side) => turn = Some(side),
            _ => {}
        }
    }
    stones.sort_by_key(|(point, _)| *point);
    let parity = super::read::parity(stones.iter().map(|(_, side)| *side));
    let mut builder = TreeBuilder::new();
    stones.iter().for_each(|(point, side)| builder.note(Note::Stone(*point, Some(*side))).unwrap());
    if let Some(side) = turn.filter(|side| *side != parity) {
        builder.note(Note::ToMove(side)).unwrap();
    }
    for (depth, node) in tree.walk().skip(1) {
        builder.append(depth, tree.side(node), tree.play(node)).unwrap();
    }
    let mut head = record.head.clone();
    // These two are of the texts, and a record without a loss has none.
    (head.encoding, head.newline) = (None, None);
    Record { head, tree: builder.build() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_left_after_the_losses_returns(record in records(), coords in prop::sample::select(Coords::ALL.to_vec())) {
        let size = record.head.size;
        prop_assume!(coords.fits(size));
        let write = |record: &Record| {
            let options = WriteOptions { coords: Some(coords), ..WriteOptions::default() };
            write_with(&FORMAT, std::slice::from_ref(record), &options).unwrap()
        };
        let (bytes, losses) = write(&record);
        let options = ReadOptions { coords, size: Some(size), ..strict() };
        let again = read_with(&FORMAT, &bytes, &options).unwrap().one();
        prop_assert_eq!(again.head.size, size);
        let (same, more) = write(&again);
        prop_assert_eq!(bytes, same);
        let of_size = "board sizes (left out: name it when reading)";
        prop_assert!(more.list().iter().all(|loss| loss.what == of_size), "{more:?}");
        if losses.list().iter().all(|loss| loss.what == of_size) {
            prop_assert_eq!(tidy(&again), tidy(&record));
        }
    }

    #[test]
    fn games_return_whole(
        line in prop::collection::vec(prop::option::of((0..20_u8, 0..20_u8)), 0..40),
        result in prop::sample::select(vec!["1", "0.5", "0"]),
        plies in any::<u16>(),
    ) {
        let size = Size::square(20).unwrap();
        let mut text = format!("caro 20 {result} {plies}");
        for cell in line {
            text.push(' ');
            text += &cell.map_or("--".into(), |(x, y)| Coords::A1.text(Point::new(x, y).unwrap(), size));
        }
        text.push('\n');
        let (again, losses) = written(&game(&text));
        prop_assert_eq!(again, text);
        prop_assert!(losses.is_empty());
    }
}

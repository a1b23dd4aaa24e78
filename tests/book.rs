//! Books made of games and libraries, held against games that were counted by hand or by a slow map.

mod support;

use book::{Book, BuildOptions, Builder, Counts, Frames, Written, merge};
use formats::{Progress, ReadOptions, Reading, by_name};
use games::gomoku::{Board, canonical};
use games::{Coords, Game, Move, Position, Rule, Side, Size, Symmetry, parse_moves};
use record::{BoardText, Entry, NodeId, Note, Outcome, Play, Record, StoneKey, Tally, TreeBuilder, turn};
use std::collections::HashMap;
use std::path::Path;
use support::{Desk, shared, testdata};

fn read(format: &str, path: &Path) -> Vec<Record> {
    let bytes = std::fs::read(path).unwrap();
    let (options, progress) = (ReadOptions::default(), Progress::new());
    let mut records = Vec::new();
    let mut each = |record| {
        records.push(record);
        Ok(())
    };
    let format = by_name(format).unwrap();
    (format.read)(&bytes, &mut Reading::new(format.name, &options, &progress, &mut each)).unwrap();
    records
}

/// Options under which every game counts and comments are left out.
fn bare() -> BuildOptions {
    BuildOptions { min_plies: 0, texts: false, ..BuildOptions::default() }
}

fn build<'r>(records: impl IntoIterator<Item = &'r Record>, options: BuildOptions) -> (Vec<u8>, Written, Counts) {
    let mut builder = Builder::new(options);
    for record in records {
        builder.add(record, record.head.rule.unwrap_or(Rule::Renju)).unwrap();
    }
    let (counts, mut bytes) = (builder.counts(), Vec::new());
    let written = builder.finish(&mut bytes, "").unwrap();
    (bytes, written, counts)
}

fn key(moves: &str) -> StoneKey {
    let position = Position::parse(moves, Coords::A1, Size::default()).unwrap();
    let (board, to_move) = Board::after(&position).unwrap();
    StoneKey::new(&board, to_move, Rule::Renju)
}

fn get(bytes: &[u8], key: &StoneKey) -> Option<Entry> {
    let book = Book::open(bytes).unwrap();
    let mut frames = Frames::new(book.is_symmetric());
    let frame = frames.of_stones(key);
    book.get(&frame.canonical_stones(key).key, frame).unwrap()
}

fn tally(games: u64, first: u64, draws: u64, second: u64) -> Tally {
    Tally { games, first, draws, second }
}

#[test]
fn five_games_are_counted_as_by_hand() {
    let Some(path) = shared("cases/BK-01/five_games.sgf") else { return };
    let games = read("sgf", &path);
    let target = key("h8 h9 j8 g10");
    let (turned, written, counts) = build(&games, bare());
    assert_eq!((counts.games, written.positions), (5, 9));
    assert_eq!(get(&turned, &target).unwrap().tally, tally(5, 3, 1, 1));
    let (plain, written, _) = build(&games, BuildOptions { symmetric: false, ..bare() });
    assert_eq!(written.positions, 12);
    assert_eq!(get(&plain, &target).unwrap().tally, tally(4, 3, 0, 1));
    // g10 itself was played in three games; the other two came to the position by another order.
    let before = get(&plain, &key("h8 h9 j8")).unwrap();
    let g10 = Coords::A1.parse("g10", Size::default()).unwrap();
    let moves: Vec<_> = before.moves.iter().map(|each| (each.play, each.tally.games)).collect();
    assert_eq!(moves, [(Move::Place(g10), 3)]);
    // A game given twice is two games: the book does not know better.
    let once: Vec<&Record> = games.iter().take(4).collect();
    assert_eq!(get(&build(once, bare()).0, &target).unwrap().tally, tally(4, 2, 1, 1));
    let (_, written, counts) = build(&games, BuildOptions::default());
    assert_eq!((counts.short, counts.games, written.positions), (5, 0, 0));
}

#[test]
fn draws_are_half_and_games_without_a_result_stand_apart() {
    let line = |result| {
        let mut tree = TreeBuilder::new();
        for (ply, each) in parse_moves("h8 h9 j8", Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            tree.append(ply + 1, Side::of_ply(ply + 1), Play::Move(each)).unwrap();
        }
        let mut record = Record { tree: tree.build(), ..Record::default() };
        record.head.result = result;
        record
    };
    let results = [Some(Outcome::First), Some(Outcome::Draw), Some(Outcome::Unknown), None, Some(Outcome::Void)];
    let records = results.map(line);
    let (bytes, _, counts) = build(&records, bare());
    assert_eq!((counts.games, counts.trees), (4, 1));
    let entry = get(&bytes, &key("h8 h9 j8")).unwrap();
    assert_eq!(entry.tally, tally(4, 1, 1, 0));
    assert_eq!((entry.tally.score(Side::First), entry.tally.score(Side::Second)), (Some(0.75), Some(0.25)));
}

/// The position in the orientation that the rules crate calls canonical.
fn standard(board: &Board, to_move: Side, rule: Rule) -> StoneKey {
    StoneKey::new(&board.turned(canonical(board)), to_move, rule)
}

/// What a plain map counts: the tally of each position, and of each position that was reached from it by a move.
type Slow = HashMap<StoneKey, (Tally, HashMap<StoneKey, Tally>)>;

fn slow(games: &[Record]) -> Slow {
    let mut map = Slow::new();
    for game in games {
        let rule = game.head.rule.unwrap_or(Rule::Renju);
        let one = match game.head.result {
            Some(Outcome::First) => tally(1, 1, 0, 0),
            Some(Outcome::Draw) => tally(1, 0, 1, 0),
            Some(Outcome::Second) => tally(1, 0, 0, 1),
            _ => tally(1, 0, 0, 0),
        };
        let mut board = Board::new(game.head.size);
        let mut to_move = Side::First;
        let mut here = standard(&board, to_move, rule);
        map.entry(here.clone()).or_default().0.add(one);
        for node in game.tree.main_line() {
            board.play(game.tree.play(node).stone().unwrap(), to_move).unwrap();
            to_move = to_move.other();
            let next = standard(&board, to_move, rule);
            map.get_mut(&here).unwrap().1.entry(next.clone()).or_default().add(one);
            map.entry(next.clone()).or_default().0.add(one);
            here = next;
        }
    }
    map
}

/// Builds the book of the games and holds each position of it against the map.
fn compare_with_slow_map(games: &[Record]) {
    let (bytes, written, _) = build(games, bare());
    let map = slow(games);
    assert_eq!(written.positions, map.len() as u64);
    let book = Book::open(&bytes).unwrap();
    book.verify().unwrap();
    let mut frames = Frames::new(true);
    for (key, (tally, moves)) in &map {
        let frame = frames.of_stones(key);
        let form = frame.canonical_stones(key);
        let entry = book.get(&form.key, frame).unwrap().unwrap();
        assert_eq!(entry.tally, *tally);
        let at = frame.stone_key(&form.key).unwrap();
        let mut found: HashMap<StoneKey, Tally> = HashMap::new();
        for each in &entry.moves {
            let mut board = Board::with_stones(at.size, at.stones.iter().copied()).unwrap();
            board.play(each.play.point().unwrap(), at.to_move).unwrap();
            found.entry(standard(&board, at.to_move.other(), at.rule)).or_default().add(each.tally);
        }
        assert_eq!(&found, moves);
    }
}

#[test]
fn engine_games_are_counted_as_by_a_slow_map() {
    let Some(path) = shared("data/games/engine_free15.sgf") else { return };
    compare_with_slow_map(&read("sgf", &path));
}

#[test]
fn random_games_are_counted_as_by_a_slow_map() {
    let mut seed = 1_u64;
    let mut below = |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as usize % limit
    };
    let mut game = |_| {
        let size = [Size::square(3), Size::square(4), Size::new(4, 3)][below(3)].unwrap();
        let mut points: Vec<_> = size.points().collect();
        let mut tree = TreeBuilder::new();
        for ply in 1..=below(points.len()) {
            let point = points.swap_remove(below(points.len()));
            tree.append(ply, Side::of_ply(ply), Play::Move(Move::Place(point))).unwrap();
        }
        let mut record = Record { tree: tree.build(), ..Record::default() };
        record.head.size = size;
        record.head.rule = [Some(Rule::Renju), Some(Rule::Freestyle)][below(2)];
        record.head.result = [Some(Outcome::First), Some(Outcome::Draw), Some(Outcome::Second), None][below(4)];
        record
    };
    compare_with_slow_map(&(0..3000).map(&mut game).collect::<Vec<_>>());
}

#[test]
fn engine_games_have_the_known_positions_by_ply_in_few_bytes() {
    let Some(path) = shared("data/games/engine_renju15.sgf") else { return };
    let games = read("sgf", &path);
    let (bytes, written, _) = build(&games, bare());
    let book = Book::open(&bytes).unwrap();
    let mut by_ply = [0; 13];
    let mut frames = Frames::new(true);
    for each in book.entries() {
        let (key, _) = each.unwrap();
        let ply = frames.of(Game::Gomoku, Size::default()).stone_key(&key).unwrap().stones.len();
        by_ply.get_mut(ply).into_iter().for_each(|count| *count += 1);
    }
    assert_eq!(by_ply, [1, 1, 2, 26, 756, 2379, 2727, 3101, 3404, 3606, 3721, 3848, 3922]);
    assert!(written.length <= 7 * written.positions);
}

#[test]
fn order_symmetry_memory_and_merging_do_not_matter() {
    let Some(path) = shared("data/games/engine_std15.sgf") else { return };
    let games = read("sgf", &path);
    let (whole, wanted, _) = build(&games, bare());
    for symmetry in Symmetry::ALL {
        let turned: Vec<Record> = games.iter().map(|game| turn(game, symmetry).unwrap()).collect();
        assert_eq!(build(&turned, bare()).0, whole, "{symmetry:?}");
    }
    assert_eq!(build(games.iter().rev(), bare()).0, whole);
    // So little memory that runs are merged into runs.
    assert_eq!(build(&games, BuildOptions { memory: 20_000, ..bare() }).0, whole);
    let parts: Vec<Vec<u8>> = games.chunks(300).map(|part| build(part, bare()).0).collect();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let books: Vec<_> = order.iter().map(|at| Book::open(&parts[*at]).unwrap()).collect();
        let mut merged = Vec::new();
        assert_eq!(merge(&books, &mut merged, "").unwrap(), wanted);
        assert_eq!(merged, whole);
    }
}

/// The position of a node of a record without set-up and whose sides take turns.
fn position(record: &Record, node: NodeId) -> StoneKey {
    let mut board = Board::new(record.head.size);
    let mut to_move = Side::First;
    for node in record.tree.path(node) {
        if let Play::Move(play) = record.tree.play(node) {
            play.point().into_iter().for_each(|point| board.play(point, to_move).unwrap());
            to_move = to_move.other();
        }
    }
    StoneKey::new(&board, to_move, Rule::Renju)
}

#[test]
fn texts_come_back_where_they_were_written_under_all_symmetries() {
    let library = &read("renlib", &testdata("renlib/showcase.lib"))[0];
    for symmetry in Symmetry::ALL {
        let record = turn(library, symmetry).unwrap();
        let (tree, size) = (&record.tree, record.head.size);
        let (bytes, _, _) = build([&record], BuildOptions::default());
        let book = Book::open(&bytes).unwrap();
        let mut frames = Frames::new(true);
        let frame = frames.of(Game::Gomoku, size);
        let ask = |key: &StoneKey| {
            let form = frame.canonical_stones(key);
            (book.get(&form.key, frame).unwrap().unwrap(), frame.stone_key(&form.key).unwrap())
        };
        let (mut comments, mut texts) = (0, 0);
        for node in tree.nodes() {
            let key = position(&record, node);
            let (entry, form) = ask(&key);
            if let Some(line) = tree.line(node) {
                let comment = entry.comments.iter().find(|comment| comment.text.starts_with(line)).unwrap();
                assert_eq!(form.turned(comment.written), key);
                comments += 1;
            }
            let text = tree.notes(node).find_map(|note| if let Note::Text(text) = note { Some(text) } else { None });
            if let (Some(text), Some(point), Some(parent)) = (text, tree.play(node).point(), tree.parent(node)) {
                let key = position(&record, parent);
                let (entry, form) = ask(&key);
                let at_point = |each: &&BoardText| each.text == text && each.written.apply(each.point, size) == point;
                let text = entry.texts.iter().find(at_point).unwrap();
                assert_eq!(form.turned(text.written), key);
                texts += 1;
            }
        }
        assert!(comments > 20 && texts > 20, "{comments} {texts}");
    }
}

/// A folder with the book of the sample games.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.sample("book/games.sgf");
    let said = desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "games.agb"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    desk
}

#[test]
fn a_book_answers_for_a_position_however_it_is_turned() {
    let desk = desk();
    for (position, best) in [("h8 h9 j8 g10", "i10"), ("h8 h7 j8 g6", "i6"), ("agi:78697976", "")] {
        let said = desk.kifu(&["book", "query", "--json", "games.agb", position]);
        let object = &said.json()[0];
        assert_eq!(object["input"], position);
        assert_eq!(object["found"], !best.is_empty());
        assert_eq!(said.code, i32::from(best.is_empty()));
        if !best.is_empty() {
            let counts = ["games", "black", "draws", "white"].map(|name| object[name].as_u64().unwrap());
            assert_eq!(counts, [4, 2, 1, 1]);
            assert_eq!(object["moves"][0]["move"], best);
            assert_eq!(object["comment"], "White lets go of the middle.");
        }
    }
}

#[test]
fn the_book_in_the_samples_is_read_and_has_the_content_of_one_built_now() {
    let desk = desk();
    let sample = testdata("book/games.agb");
    let said = desk.kifu(&["book".as_ref(), "verify".as_ref(), sample.as_os_str()]);
    assert_eq!(said.code, 0, "{}", said.out);
    let told = |said: support::Said| said.json()[0]["content_hash"].clone();
    let sample = told(desk.kifu(&["book".as_ref(), "info".as_ref(), "--json".as_ref(), sample.as_os_str()]));
    assert_eq!(sample, told(desk.kifu(&["book", "info", "--json", "games.agb"])));
    assert_eq!(sample, "fb9070125322a3d62dac2e00db86e5da");
}

#[test]
fn positions_on_stdin_are_answered_line_by_line() {
    let said = desk().pipe(&["book", "query", "--json", "games.agb", "-"], b"h8\nz99\n\nh8 h9\n");
    let games: Vec<_> = said.json().iter().map(|object| object["games"].clone()).collect();
    assert_eq!(games, [4, 3]);
    assert_eq!(said.code, 2);
    assert!(said.err.starts_with("kifu: stdin: line 2: z99: "), "{}", said.err);
}

#[test]
fn info_tells_what_a_book_is_made_of() {
    let desk = desk();
    let said = desk.kifu(&["book", "info", "--json", "games.agb"]);
    let object = &said.json()[0];
    assert_eq!((&object["positions"], &object["rules"][0]["rule"]), (&9.into(), &"renju".into()));
    assert_eq!(object["content_hash"].as_str().unwrap().len(), 32);
    assert!(object["provenance"][1][1].as_str().unwrap().starts_with("games.sgf, "));
}

#[test]
fn merged_books_add_up_in_any_order() {
    let desk = desk();
    desk.kifu(&["book", "build", "games.sgf", "--short", "--max-ply", "2", "-o", "low.agb"]);
    for (output, inputs) in [("a.agb", ["low.agb", "games.agb"]), ("b.agb", ["games.agb", "low.agb"])] {
        assert_eq!(desk.kifu(&["book", "merge", "--twice", inputs[0], inputs[1], "-o", output]).code, 0);
    }
    let content = |book| desk.kifu(&["book", "info", "--json", book]).json()[0]["content_hash"].clone();
    assert_eq!(content("a.agb"), content("b.agb"));
    let said = desk.kifu(&["book", "query", "--json", "a.agb", "h8"]);
    assert_eq!(said.json()[0]["games"], 8);
    desk.kifu(&["book", "build", "games.sgf", "--short", "--no-symmetry", "-o", "apart.agb"]);
    let said = desk.kifu(&["book", "merge", "games.agb", "apart.agb", "-o", "c.agb"]);
    assert_eq!(said.code, 2);
    assert!(!desk.path("c.agb").exists());
}

#[test]
fn a_damaged_book_is_no_and_a_build_without_input_leaves_nothing() {
    let desk = desk();
    assert_eq!(desk.kifu(&["book", "verify", "games.agb"]).code, 0);
    let mut bytes = desk.read("games.agb");
    bytes[40] ^= 1;
    desk.put("games.agb", &bytes);
    let said = desk.kifu(&["book", "verify", "games.agb"]);
    assert_eq!((said.code, said.out.contains("block at byte 0x10 is damaged")), (1, true));
    assert_eq!(desk.kifu(&["book", "query", "games.agb", "h8"]).code, 2);
    desk.put("bare.sgf", "(;GM[4]FF[4]SZ[15];B[hh])");
    let said = desk.kifu(&["book", "build", "bare.sgf", "-o", "bare.agb"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("use --rule"), "{}", said.err);
    let said = desk.kifu(&["book", "build", "games.sgf", "-o", "games.agb"]);
    assert!(said.err.contains("--force"), "{}", said.err);
    assert_eq!(desk.files(""), ["bare.sgf", "games.agb", "games.sgf"]);
}

/// What stands in `.db` goes into a book and comes out again, byte for byte where Rapfi's own table can tell it.
fn databases_survive_a_book(folder: &Path, names: &[&str]) {
    let desk = Desk::new();
    for sample in names {
        let file = |end: &str| folder.join(format!("{sample}{end}"));
        for packed in [".db", "-raw.db"] {
            let said = desk.kifu(&["book", "import", file(packed).to_str().unwrap(), "-o", "x.agb", "--force"]);
            // quirk01 has texts in GBK in a file that says UTF-8; nothing else is to be told.
            let guessed = said.err.contains("the texts are taken for GBK") && said.err.lines().count() == 1;
            assert!(said.code == 0 && (said.err.is_empty() || guessed && *sample == "quirk01"), "{}", said.err);
            for (to, options) in
                [("-raw.db", &["--raw", "-o", "x.db"][..]), (".csv", &["-t", "rapfi-csv", "-o", "x.csv"])]
            {
                let said = desk.kifu(&[&["book", "export", "x.agb", "--force"], options].concat());
                assert_eq!(said.code, 0, "{}", said.err);
                assert!(desk.read(options[options.len() - 1]) == std::fs::read(file(to)).unwrap(), "{sample}{to}");
            }
            // A packed database holds the same as the raw one.
            assert_eq!(desk.kifu(&["book", "export", "x.agb", "-o", "y.db", "--force"]).code, 0);
            let again = desk.kifu(&["book", "import", "y.db", "-o", "y.agb", "--force"]);
            let content = |said: &support::Said| said.out.lines().next().unwrap().to_owned()[6..].to_owned();
            let raw = desk.kifu(&["book", "import", "x.db", "-o", "z.agb", "--force"]);
            assert_eq!(content(&again), content(&raw));
        }
    }
}

#[test]
fn databases_of_ours_survive_a_book() {
    databases_survive_a_book(&testdata("yixin-db"), &["quirk01", "quirk04"]);
}

#[test]
fn databases_of_rapfi_survive_a_book() {
    let Some(folder) = shared("data/yixin-db") else { return };
    databases_survive_a_book(&folder, &["d4", "quirk01", "quirk04"]);
}

#[test]
fn what_is_no_database_is_refused_in_one_sentence() {
    let desk = Desk::new();
    desk.put("prose.db", "this is prose");
    desk.put("empty.db", "");
    std::fs::copy(testdata("bad/yixin-db/cut.db"), desk.path("cut.db")).unwrap();
    for (arguments, sentence) in [
        (&["import", "prose.db", "-o", "x.agb"][..], "this is in no format I know"),
        (&["import", "empty.db", "-o", "x.agb"], "there is nothing in it"),
        (&["import", "nothere.db", "-o", "x.agb"], "there is no such file"),
        (&["import", "cut.db", "-o", "x.agb"], "byte"),
        (&["export", "prose.db", "-o", "x.db"], "prose.db"),
        (&["export", "prose.db"], "prose.db"),
    ] {
        let said = desk.kifu(&[&["book"], arguments].concat());
        assert_eq!((said.code, said.out.as_str(), said.err.lines().count()), (2, "", 1), "{said:?}");
        assert!(said.err.contains(sentence), "{}", said.err);
    }
    assert!(!desk.path("x.agb").exists());
}

#[test]
fn what_a_database_cannot_hold_is_told_and_a_comment_that_is_too_long_ends_the_export() {
    let desk = Desk::new();
    let game = |comment: &str| format!("(;GM[4]FF[4]SZ[15]RU[renju]RE[B+];B[hh]C[{comment}];W[hi];B[];W[ii])");
    for length in [65_530, 70_000] {
        desk.put("game.sgf", game(&"x".repeat(length)));
        assert_eq!(desk.kifu(&["book", "build", "game.sgf", "--short", "--force", "-o", "game.agb"]).code, 0);
        let said = desk.kifu(&["book", "export", "game.agb", "--force", "-o", "game.db"]);
        if length == 70_000 {
            let sentence = "kifu: game.agb: yixin-db: the texts at h8 /, second to move have 70000 bytes, and a .db \
                            holds at most 65530: shorten them, or see --cut-texts of kifu book export\n";
            assert_eq!((said.code, said.err.as_str()), (2, sentence));
            let said = desk.kifu(&["book", "export", "game.agb", "--cut-texts", "-o", "cut.db"]);
            assert!(said.code == 0 && said.err.contains("texts of more than 65530 bytes (cut"), "{}", said.err);
            assert_eq!(desk.kifu(&["book", "import", "cut.db", "-o", "cut.agb"]).code, 0);
            let object = &desk.kifu(&["book", "query", "--json", "cut.agb", "h8"]).json()[0];
            assert_eq!(object["comment"].as_str().unwrap().len(), 65_530);
            continue;
        }
        assert_eq!(said.code, 0);
        assert!(
            said.err.contains("positions after a pass (written; Rapfi takes the pass for a stone)"),
            "{}",
            said.err
        );
        // What stands there is not touched by the export that fails.
        assert_eq!(desk.kifu(&["book", "import", "game.db", "--force", "-o", "again.agb"]).code, 0);
        let object = &desk.kifu(&["book", "query", "--json", "again.agb", "h8"]).json()[0];
        assert_eq!(object["comment"].as_str().unwrap().len(), length);
        std::fs::remove_file(desk.path("game.db")).unwrap();
    }
    assert_eq!(desk.files(""), ["again.agb", "cut.agb", "cut.db", "game.agb", "game.sgf"]);
}

#[test]
fn what_a_book_is_made_of_in_spite_of_damage_is_told() {
    let desk = Desk::new();
    desk.put("games.txt", "renju 15 1 5 h8 g7 g8 k5 h9 h6 f8 i8 f7 e6 e8\nh8 z9\n");
    let said = desk.kifu(&["book", "build", "games.txt", "-o", "games.agb"]);
    assert_eq!(said.code, 0);
    assert!(said.err.contains("line 2") && said.err.contains("the game was left out"), "{}", said.err);
    desk.sample("renlib/01_renlib30_gbk.lib");
    let said = desk.kifu(&["book", "build", "01_renlib30_gbk.lib", "-o", "gbk.agb"]);
    assert!(said.err.contains("the texts are taken for GBK"), "{}", said.err);
    desk.sample("yixin-db/yixin-gbk.db");
    let said = desk.kifu(&["book", "import", "yixin-gbk.db", "-o", "yixin.agb"]);
    assert!(said.code == 0 && said.err.contains("the texts are taken for GBK"), "{}", said.err);
}

#[test]
fn a_position_with_its_games_takes_less_than_twelve_bytes() {
    let Some(folder) = shared("data/games") else { return };
    let games = read("moves", &folder.join("engine_renju15.txt"));
    let (bytes, written, _) = build(&games, bare());
    assert_eq!(written.positions, 104_468);
    assert!(bytes.len() as u64 <= 7 * written.positions, "{} bytes for {}", bytes.len(), written.positions);
}

#[test]
fn a_book_of_a_database_is_no_larger_than_the_packed_database() {
    let Some(folder) = shared("data/yixin-db") else { return };
    let desk = Desk::new();
    let database = folder.join("d4.db");
    let said = desk.kifu(&["book", "import", database.to_str().unwrap(), "-o", "d4.agb"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let (book, database) = (desk.read("d4.agb").len() as u64, database.metadata().unwrap().len());
    assert!(book <= database, "{book} bytes for {database}");
}

#[test]
fn a_question_without_moves_is_about_the_empty_board() {
    let desk = Desk::new();
    desk.sample("book/games.agb");
    let said = desk.kifu(&["book", "query", "games.agb", ""]);
    assert!(said.code == 0 && said.out.starts_with("the empty board: black to move, 4 games"), "{said:?}");
}

//! What `kifu book build` counts, leaves out and tells.

mod support;

use book::{Book, BuildOptions, Builder, Filter, Frames, Games, Work, merge, prune};
use games::{Game, Move, Point, Rule, Side, Size, Symmetry};
use record::{Entry, Outcome, Play, Record, StoneKey, TreeBuilder, turn};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use support::{Desk, Said, shared};

/// Builds a book that must come to be, and answers what was said.
fn build(desk: &Desk, arguments: &[&str]) -> Said {
    let said = desk.kifu(&[&["book", "build"], arguments].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    said
}

fn info(desk: &Desk, book: &str) -> Value {
    let said = desk.kifu(&["book", "info", "--json", book]);
    assert_eq!(said.code, 0, "{}", said.err);
    said.json()[0].clone()
}

fn content(desk: &Desk, book: &str) -> String {
    info(desk, book)["content_hash"].as_str().unwrap().into()
}

/// What is said of the book's making under a name.
fn origin(desk: &Desk, book: &str, what: &str) -> Vec<String> {
    let info = info(desk, book);
    let lines = info["provenance"].as_array().unwrap().iter();
    lines.filter(|line| line[0] == what).map(|line| line[1].as_str().unwrap().into()).collect()
}

/// Games, and those that black won, drew and lost, at a position; `None` if it is not in the book.
fn tally(desk: &Desk, book: &str, position: &str) -> Option<[u64; 4]> {
    let said = desk.kifu(&["book", "query", "--json", book, position]);
    let object = &said.json()[0];
    (said.code == 0).then(|| ["games", "black", "draws", "white"].map(|name| object[name].as_u64().unwrap()))
}

/// A game of twelve plies that begins with these points of SGF.
fn game(tags: &str, points: &str) -> String {
    let rest = ["aa", "ba", "ca", "da", "ea", "ab", "bb", "cb", "db", "eb", "ac", "bc"];
    let points = points.split_whitespace().chain(rest).take(12).enumerate();
    let moves: String = points.map(|(at, point)| format!(";{}[{point}]", ["B", "W"][at % 2])).collect();
    format!("(;GM[4]FF[4]SZ[15]RU[renju]{tags}{moves})\n")
}

#[test]
fn three_numbers_of_games_have_three_names() {
    let Some(path) = shared("cases/BK-01/five_games.sgf") else { return };
    let desk = Desk::new();
    std::fs::copy(path, desk.path("five.sgf")).unwrap();
    let target = "h8 h9 j8 g10";
    for (option, name, expected) in [
        (&["--no-symmetry"][..], "plain, turned positions apart; a game given twice as two", [4, 3, 0, 1]),
        (&[], "up to symmetry; a game given twice as two", [5, 3, 1, 1]),
        (&["--dedupe"], "up to symmetry; games of the same moves and result once", [4, 2, 1, 1]),
    ] {
        let arguments = [&["five.sgf", "--short", "--rule", "renju", "--force", "-o", "five.agb"], option].concat();
        let said = build(&desk, &arguments);
        assert!(said.out.contains(&format!("counted: {name}\n")), "{}", said.out);
        assert_eq!(origin(&desk, "five.agb", "counted"), [name]);
        assert_eq!(tally(&desk, "five.agb", target), Some(expected));
    }
    assert_eq!(origin(&desk, "five.agb", "games that were there before, not counted"), ["1"]);
}

#[test]
fn a_game_that_comes_again_adds_its_comments_only() {
    let desk = Desk::new();
    desk.put("one.sgf", game("RE[B+]PB[Ann]", "hh hg jh"));
    desk.kifu(&["convert", "one.sgf", "--turn", "r90", "-o", "turned.sgf"]);
    let turned = String::from_utf8(desk.read("turned.sgf")).unwrap();
    assert_eq!(turned.matches(";B[hj]").count(), 1, "{turned}");
    desk.put("again.sgf", turned.replace(";B[hj]", ";B[hj]C[A comment.]").replace("Ann", "ann"));
    desk.put("drawn.sgf", game("RE[0]PB[Ann]", "hh hg jh"));
    build(&desk, &["one.sgf", "again.sgf", "drawn.sgf", "--dedupe", "-o", "a.agb"]);
    build(&desk, &["drawn.sgf", "again.sgf", "one.sgf", "--dedupe", "-o", "b.agb"]);
    assert_eq!(content(&desk, "a.agb"), content(&desk, "b.agb"));
    assert_eq!(tally(&desk, "a.agb", "h8 h9 j8"), Some([2, 1, 1, 0]));
    let said = desk.kifu(&["book", "query", "--json", "a.agb", "h8 h9 j8"]);
    assert_eq!(said.json()[0]["comment"], "A comment.");
}

#[test]
fn records_are_left_out_by_what_they_say_and_counted_by_the_reason() {
    let desk = Desk::new();
    let games = [
        game("RE[B+]PB[Ann]PW[中村]DT[2003/5/1]BR[2100]WR[2000]", "hh hg"),
        game("RE[W+]PB[中村]PW[Bob]DT[1999.??.??]BR[2100]WR[9d]", "hh hg"),
        game("RE[0]PB[Bob]PW[Ann]BR[1900]WR[2000]", "hh hg"),
        game("PB[Cid]PW[ANNA]DT[2010-01-01]", "hh hg").replace("renju", "freestyle"),
    ];
    desk.put("games.sgf", games.concat());
    for (options, expected, reason) in [
        (&["--min-rating", "2000"][..], [1, 1, 0, 0], "a rating too low or not known: 3"),
        (&["--since", "1999-06"], [2, 1, 0, 1], "of another date or none: 1"),
        (&["--since", "2000", "--until", "2003-04"], [0, 0, 0, 0], "of another date or none: 4"),
        (&["--player", "ann"], [2, 1, 1, 0], "of other players: 1"),
        (&["--player", "ann", "--side", "black"], [1, 1, 0, 0], "of other players: 3"),
        (&["--player", "中村", "--player", "cid"], [2, 1, 0, 1], "of other players: 1"),
        (&["--result", "draw", "--result", "0-1"], [2, 0, 1, 1], "of another result: 2"),
        (&["--result", "unknown"], [0, 0, 0, 0], "of another result: 3"),
        (&["--only-rule", "renju"], [3, 1, 1, 1], "of another rule: 1"),
    ] {
        let said = build(&desk, &[&["games.sgf", "--force", "-o", "x.agb"], options].concat());
        assert!(said.out.contains(&format!("  left out, {reason}\n")), "{options:?}: {}", said.out);
        let query = ["book", "query", "--json", "--rule", "renju", "--size", "15", "x.agb", "h8 h9"];
        let object = &desk.kifu(&query).json()[0];
        let counts = ["games", "black", "draws", "white"].map(|name| object[name].as_u64().unwrap());
        assert_eq!(counts, expected, "{options:?}");
        let (what, number) = reason.split_once(": ").unwrap();
        assert_eq!(origin(&desk, "x.agb", &format!("left out, {what}")), [number]);
        assert!(origin(&desk, "x.agb", "options")[0].starts_with(options[0]));
    }
    for (options, message) in [
        (&["--since", "May"][..], "`May` is no date: write 2003"),
        (&["--result", "won"], "`won` is not a result"),
        (&["--side", "black"], "--player"),
        (&["--player", " "], "a name is empty"),
    ] {
        let said = desk.kifu(&[&["book", "build", "games.sgf", "-o", "y.agb"], options].concat());
        assert!(said.code == 2 && said.err.contains(message), "{}", said.err);
    }
}

/// Black makes five with the ninth ply.
const FIVE: &str = "hh aa hg ba hf ca he da hd";

#[test]
fn results_are_those_of_the_board_where_that_is_asked_for() {
    let desk = Desk::new();
    let five = |tags| game(tags, FIVE);
    let games = [five("RE[B+]"), five("RE[W+]"), five(""), five("RE[Void]"), game("RE[W+R]", "hh hg")];
    desk.put("games.sgf", games.concat());
    build(&desk, &["games.sgf", "-o", "file.agb"]);
    let said = build(&desk, &["games.sgf", "--result-by", "board", "-o", "board.agb"]);
    assert_eq!(tally(&desk, "file.agb", "h8"), Some([4, 1, 0, 2]));
    assert_eq!(tally(&desk, "board.agb", "h8"), Some([4, 3, 0, 0]));
    for told in [
        "results that the board contradicts: 1\n",
        "results that the board has and the file lacks: 1\n",
        "games without a result on the board: 1\n",
    ] {
        assert!(said.out.contains(told), "{}", said.out);
    }
}

#[test]
fn walkovers_and_short_games_are_counted_apart() {
    let desk = Desk::new();
    let short = "(;GM[4]SZ[15]RU[renju]RE[B+R];B[hh];W[hg];B[jh])\n";
    let forfeit = "(;GM[4]SZ[15]RU[renju]RE[B+F];B[hh];W[hg];B[jh])\n";
    let unplayed = "(;GM[4]SZ[15]RU[renju]RE[B+])\n";
    let long = game("RE[B+F]", "hh hg jh");
    desk.put("games.sgf", [short, forfeit, unplayed, &long].concat());
    let said = build(&desk, &["games.sgf", "-o", "long.agb"]);
    for told in ["games counted: 1\n", "games too short to count: 1\n", "walk-overs, not counted: 2\n"] {
        assert!(said.out.contains(told), "{}", said.out);
    }
    assert_eq!(tally(&desk, "long.agb", "h8"), Some([1, 1, 0, 0]));
    build(&desk, &["games.sgf", "--short", "-o", "all.agb"]);
    assert_eq!(tally(&desk, "all.agb", "h8"), Some([3, 3, 0, 0]));
}

#[test]
fn a_bad_game_costs_that_game() {
    let desk = Desk::new();
    let moves = |first: &str| format!("{first} i9 j10 k11 l12 a1 a2 a3 a4 b5 b6");
    desk.put("games.txt", format!("{}\n{}\n{}\n", moves("h8"), moves("z9"), moves("h9")));
    desk.kifu(&["convert", "games.txt", "-o", "good.jsonl"]);
    desk.kifu(&["convert", "games.txt", "-o", "good.agx"]);
    let jsonl = String::from_utf8(desk.read("good.jsonl")).unwrap();
    let lines: Vec<&str> = jsonl.lines().collect();
    desk.put("bad.jsonl", [lines[0], &lines[0].replace("\"h8\"", "\"z8\""), lines[1], ""].join("\n"));
    let agx = String::from_utf8(desk.read("good.agx")).unwrap();
    let (start, end) = (agx.find("<game").unwrap(), agx.find("</game>").unwrap() + "</game>".len());
    let bad = agx[start..end].replace("h8 ", "z8 ");
    desk.put("bad.agx", [&agx[..end], &bad, &agx[end..]].concat());
    desk.put("bad.sgf", game("", "hh hg") + &game("", "zz hg").replace("GM[4]", "GM[7]") + &game("", "jh hg"));
    for (file, games, place) in [
        ("games.txt", 2, "line 2"),
        ("bad.jsonl", 2, "game 2, line 2"),
        ("bad.agx", 2, "game 2"),
        ("bad.sgf", 2, "GM[7]"),
    ] {
        let said = desk.kifu(&["book", "build", file, "--rule", "renju", "--force", "-o", "x.agb"]);
        assert_eq!(said.code, 0, "{file}: {}", said.err);
        assert!(said.out.contains(&format!("games counted: {games}\n")), "{file}: {}", said.out);
        assert!(said.err.contains(place), "{file}: {}", said.err);
        if file != "bad.sgf" {
            assert!(said.out.contains("bad records, left out: 1\n"), "{file}: {}", said.out);
        }
    }
    // What comes before bytes that no text can have is in the book, which says so.
    let mut torn = agx.clone().into_bytes();
    let second = agx.rfind("<moves>").unwrap() + "<moves>".len();
    torn[second] = 0xFF;
    desk.put("torn.agx", torn);
    let said = desk.kifu(&["book", "build", "torn.agx", "--rule", "renju", "--force", "-o", "x.agb"]);
    assert!(said.code == 2 && said.err.contains("the 1 record before the fault are in the book"), "{}", said.err);
    assert_eq!(origin(&desk, "x.agb", "part of an input"), ["torn.agx, 1 records before a fault"]);
    // One game of which nothing says the rule leaves those that have one.
    desk.put("rules.sgf", game("", "hh hg") + &game("", "jh hg").replace("RU[renju]", ""));
    let said = desk.kifu(&["book", "build", "rules.sgf", "-o", "y.agb"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("rules.sgf: 1 record left out, of which nothing says the rule: use --rule"),
        "{}",
        said.err
    );
    assert!(said.out.contains("records without a rule, left out: 1\n"), "{}", said.out);
    assert_eq!(tally(&desk, "y.agb", "h8 h9"), Some([1, 0, 0, 0]));
}

#[test]
fn what_is_added_is_as_if_it_had_been_there_from_the_start() {
    let desk = Desk::new();
    desk.put("a.sgf", game("RE[B+]", "hh hg") + &game("RE[0]", "hh ig"));
    desk.put("b.sgf", game("RE[W+]", "hh hg").replace(";W[hg]", ";W[hg]C[From b.]"));
    desk.put("c, 1 bytes.sgf", game("", "jh hg"));
    build(&desk, &["a.sgf", "b.sgf", "c, 1 bytes.sgf", "-o", "all.agb"]);
    build(&desk, &["a.sgf", "-o", "grown.agb"]);
    let said = build(&desk, &["c, 1 bytes.sgf", "b.sgf", "--add", "-o", "grown.agb"]);
    assert_eq!(said.err, "");
    assert_eq!(content(&desk, "grown.agb"), content(&desk, "all.agb"));
    assert_eq!(origin(&desk, "grown.agb", "input").len(), 3);
    let before = desk.read("grown.agb");
    // The same bytes under another name are the same input; what is new goes in.
    std::fs::copy(desk.path("c, 1 bytes.sgf"), desk.path("copy.sgf")).unwrap();
    let said = desk.kifu(&["book", "build", "a.sgf", "copy.sgf", "--add", "-o", "grown.agb"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("a.sgf: it is counted in the book already, as a.sgf: it is passed over"), "{}", said.err);
    assert!(said.err.contains("copy.sgf: it is counted in the book already, as c, 1 bytes.sgf"), "{}", said.err);
    assert!(said.err.contains("grown.agb: there is nothing to add, and it stays as it was"), "{}", said.err);
    assert!(desk.read("grown.agb") == before);
    desk.put("d.sgf", game("RE[B+]", "hh gg"));
    let said = desk.kifu(&["book", "build", "a.sgf", "d.sgf", "--add", "-o", "grown.agb"]);
    assert_eq!((said.code, tally(&desk, "grown.agb", "h8")), (1, Some([4, 2, 1, 1])));
    // A merged book knows what its books were made of.
    build(&desk, &["d.sgf", "-o", "d.agb"]);
    desk.kifu(&["book", "merge", "all.agb", "d.agb", "-o", "merged.agb"]);
    assert_eq!(content(&desk, "merged.agb"), content(&desk, "grown.agb"));
    let said = desk.kifu(&["book", "build", "b.sgf", "--add", "-o", "merged.agb"]);
    assert_eq!(said.code, 1, "{}", said.err);
    for name in desk.files("") {
        assert!(!name.contains(".tmp"), "{name}");
    }
}

#[test]
fn what_cannot_be_added_to_is_told() {
    let desk = Desk::new();
    desk.put("a.sgf", game("RE[B+]", "hh hg"));
    desk.put("b.sgf", game("RE[B+]", "jh hg"));
    let said = desk.kifu(&["book", "build", "a.sgf", "--add", "-o", "x.agb"]);
    assert!(said.code == 2 && said.err.contains("x.agb: there is no such file"), "{}", said.err);
    let said = desk.kifu(&["book", "build", "b.sgf", "--add", "-o", "a.sgf"]);
    assert!(said.code == 2 && said.err.contains("a.sgf: this is no book"), "{}", said.err);
    build(&desk, &["a.sgf", "-o", "x.agb"]);
    let said = desk.kifu(&["book", "build", "b.sgf", "--add", "--no-symmetry", "-o", "x.agb"]);
    assert!(said.code == 2 && said.err.contains("without --no-symmetry"), "{}", said.err);
    let said = desk.kifu(&["book", "build", "b.sgf", "--add", "--dedupe", "-o", "x.agb"]);
    assert!(said.code == 2 && said.err.contains("--dedupe"), "{}", said.err);
    let said = desk.kifu(&["book", "build", "b.sgf", "--add", "--short", "-o", "x.agb"]);
    assert!(said.code == 0 && said.err.contains("built with other options"), "{}", said.err);
    build(&desk, &["a.sgf", "--no-symmetry", "-o", "apart.agb"]);
    assert_eq!(build(&desk, &["b.sgf", "--add", "-o", "apart.agb"]).err, "");
    assert_eq!(info(&desk, "apart.agb")["symmetric"], false);
}

#[test]
fn positions_of_few_games_are_left_out_where_that_is_asked_for() {
    let desk = Desk::new();
    let commented = game("", "aa ab").replace(";W[ab]", ";W[ab]C[A comment.]");
    desk.put("games.sgf", [game("", "hh hg jh"), game("", "hh hg hj"), commented].concat());
    let said = build(&desk, &["games.sgf", "--min-games", "2", "-o", "x.agb"]);
    assert!(said.out.contains("positions of fewer games, left out: "), "{}", said.out);
    assert_eq!(tally(&desk, "x.agb", "h8 h9"), Some([2, 0, 0, 0]));
    assert_eq!(tally(&desk, "x.agb", "h8 h9 j8"), None);
    assert_eq!(tally(&desk, "x.agb", "a15 a14"), Some([1, 0, 0, 0]));
    // The way to the comment.
    assert_eq!(tally(&desk, "x.agb", "a15"), Some([1, 0, 0, 0]));
    assert_eq!(info(&desk, "x.agb")["positions"], 5);
    assert_eq!(origin(&desk, "x.agb", "options"), ["--min-games 2"]);
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % limit
    }
}

/// Games on a board so small that they meet again by other ways.
fn random_games(seed: u64, number: usize) -> Vec<Record> {
    let mut random = Random(seed);
    let size = Size::square(4).unwrap();
    let mut game = |_| {
        let mut points: Vec<Point> = size.points().collect();
        let mut tree = TreeBuilder::new();
        for ply in 1..=random.below(9) {
            let point = points.swap_remove(random.below(points.len()));
            tree.append(ply, Side::of_ply(ply), Play::Move(Move::Place(point))).unwrap();
        }
        let mut record = Record { tree: tree.build(), ..Record::default() };
        record.head.size = size;
        record.head.result = [Some(Outcome::First), Some(Outcome::Draw), Some(Outcome::Second), None][random.below(4)];
        record
    };
    (0..number).map(&mut game).collect()
}

fn book_of(games: &[Record]) -> Vec<u8> {
    book_with(games, BuildOptions::default())
}

fn book_with(games: &[Record], options: BuildOptions) -> Vec<u8> {
    let mut builder = Builder::new(BuildOptions { min_plies: 0, ..options });
    builder.begin_file("games.sgf");
    games.iter().for_each(|game| builder.add(game, Rule::Renju).unwrap());
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    bytes
}

fn positions(bytes: &[u8]) -> BTreeMap<Vec<u8>, Entry> {
    Book::open(bytes).unwrap().entries().map(Result::unwrap).collect()
}

/// The keys of the positions that the moves of an entry lead to.
fn after(key: &[u8], entry: &Entry, frames: &mut Frames) -> Vec<Vec<u8>> {
    let (_, size) = book::board(key).unwrap();
    let frame = frames.of(Game::Gomoku, size);
    let from = frame.stone_key(key).unwrap();
    let next = |play: Move| {
        let mut next = StoneKey { to_move: from.to_move.other(), ..from.clone() };
        next.stones.extend(play.point().map(|point| (point, from.to_move)));
        frame.canonical_stones(&next).key
    };
    entry.moves.iter().map(|each| next(each.play)).collect()
}

/// The book without positions of fewer games.
fn thinned(book: &[u8], min_games: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let work = Work { folder: &std::env::temp_dir(), stop: &AtomicBool::new(false) };
    prune(&Book::open(book).unwrap(), &Filter::played(min_games), &[], false, work, &mut bytes, "").unwrap();
    Book::open(&bytes).unwrap().verify().unwrap();
    bytes
}

#[test]
fn positions_of_few_games_go_but_none_that_is_kept_is_cut_off() {
    let mut ways = 0;
    for (seed, min_games) in [(1, 2), (2, 3), (3, 5), (4, 1), (5, 1000)] {
        let whole = book_of(&random_games(seed, 600));
        let all = positions(&whole);
        let bytes = thinned(&whole, min_games);
        let kept = positions(&bytes);
        // What is kept is unchanged, and nothing with enough games is missing.
        assert!(kept.iter().all(|(key, entry)| all.get(key) == Some(entry)));
        let enough = all.iter().filter(|(_, entry)| entry.tally.games >= min_games);
        assert!(enough.clone().all(|(key, _)| kept.contains_key(key)));
        // The rest of what is there leads to something that is, and all that does is there.
        let mut frames = Frames::new(true);
        for (key, entry) in &all {
            let leads_on = after(key, entry, &mut frames).iter().any(|next| kept.contains_key(next));
            assert_eq!(kept.contains_key(key), entry.tally.games >= min_games || leads_on);
        }
        ways += kept.len() - enough.count();
        // From the empty board on, kept positions lead to each of them.
        let reached: BTreeSet<Vec<u8>> = kept.iter().flat_map(|(key, entry)| after(key, entry, &mut frames)).collect();
        let cut_off: Vec<_> = kept.keys().filter(|key| !reached.contains(*key)).collect();
        assert_eq!(cut_off.len(), usize::from(!kept.is_empty()), "{cut_off:?}");
    }
    // By several ways more games reach a position than any one before it.
    assert!(ways > 0);
}

/// Games by two players in many rounds, some given twice.
fn tagged_games(seed: u64, number: usize) -> Vec<Record> {
    let mut games = random_games(seed, number);
    for (at, game) in games.iter_mut().enumerate() {
        game.head.tags = vec![("Black".into(), "Ann".into()), ("Round".into(), (at / 2).to_string())];
    }
    games.extend_from_within(..number / 10);
    games
}

fn with_refs(game_refs: usize) -> BuildOptions {
    BuildOptions { game_refs, ..BuildOptions::default() }
}

#[test]
fn references_to_games_depend_on_nothing_but_the_games() {
    let games = tagged_games(7, 400);
    for refs in [1, 3, 1000] {
        let whole = book_with(&games, with_refs(refs));
        let book = Book::open(&whole).unwrap();
        book.verify().unwrap();
        let list = book.games().unwrap().unwrap();
        assert_eq!(list.refs(), refs as u64);
        let small = BuildOptions { memory: 20_000, ..with_refs(refs) };
        assert!(book_with(&games, small) == whole);
        for (key, entry) in positions(&whole) {
            let known = entry.tally.games.min(refs as u64);
            // A game that is given twice has one number.
            assert!(entry.games.len() as u64 <= known && !(known > 0 && entry.games.is_empty()), "{key:?}");
            assert!(entry.games.is_sorted());
            for id in &entry.games {
                let game = list.get(*id).unwrap().unwrap();
                assert_eq!((game.black.as_str(), game.file.as_str()), ("Ann", "games.sgf"));
                let record = &games[game.record as usize - 1];
                assert_eq!((record.head.tag("Round"), record.head.result), (Some(game.round.as_str()), game.result));
            }
        }
        assert_eq!(list.get(0).unwrap(), None);
        assert_eq!(list.get(u64::MAX).unwrap(), None);
    }
}

/// The numbers of the games at each position, whatever is said of them.
fn references(bytes: &[u8]) -> Vec<(Vec<u8>, Vec<u64>)> {
    positions(bytes).into_iter().map(|(key, entry)| (key, entry.games)).collect()
}

#[test]
fn references_are_merged_to_those_of_all_games_at_once() {
    let games = tagged_games(8, 300);
    let whole = book_with(&games, with_refs(2));
    let parts: Vec<Vec<u8>> = games.chunks(70).map(|part| book_with(part, with_refs(2))).collect();
    for turns in 0..2 {
        let mut books: Vec<_> = parts.iter().map(|part| Book::open(part).unwrap()).collect();
        books.rotate_left(turns);
        let mut merged = Vec::new();
        merge(&books, &mut merged, "").unwrap();
        Book::open(&merged).unwrap().verify().unwrap();
        assert_eq!(references(&merged), references(&whole));
        let counts = [&merged, &whole].map(|bytes| Book::open(bytes).unwrap().games().unwrap().unwrap().count());
        assert_eq!(counts[0], counts[1]);
    }
    for symmetry in Symmetry::ALL {
        let turned: Vec<Record> = games.iter().map(|game| turn(game, symmetry).unwrap()).collect();
        assert!(book_with(&turned, with_refs(2)) == whole, "{symmetry:?}");
    }
    // What is thinned keeps only the games that are still named.
    let bytes = thinned(&whole, 50);
    let book = Book::open(&bytes).unwrap();
    book.verify().unwrap();
    let named: BTreeSet<u64> = references(&bytes).into_iter().flat_map(|(_, games)| games).collect();
    assert_eq!(book.games().unwrap().unwrap().count(), named.len() as u64);
}

#[test]
fn every_flipped_bit_of_a_book_with_games_is_found() {
    let bytes = book_with(&tagged_games(9, 12), with_refs(3));
    let ids: BTreeSet<u64> = references(&bytes).into_iter().flat_map(|(_, games)| games).collect();
    let told = |list: &Games<'_>, id: u64| list.get(id).ok();
    let book = Book::open(&bytes).unwrap();
    let list = book.games().unwrap().unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(other) = Book::open(&flipped) else { continue };
        assert!(other.verify().is_err(), "bit {bit}");
        let Ok(Some(other)) = other.games() else { continue };
        for id in &ids {
            // An error, or the same answer.
            assert!(told(&other, *id).is_none_or(|answer| Some(answer) == told(&list, *id)), "bit {bit}");
        }
    }
    for length in 0..bytes.len() {
        assert!(Book::open(&bytes[..length]).is_err());
    }
}

#[test]
fn a_query_tells_of_some_of_the_games() {
    let desk = Desk::new();
    desk.put("a.sgf", game("RE[B+]PB[Ann]PW[Bob]EV[Cup]RO[2]DT[2023-05-01]", "hh hg"));
    desk.put("b.sgf", game("", "jh hg") + &game("RE[0]PB[Cid\u{1b}]", "hh hg"));
    build(&desk, &["a.sgf", "b.sgf", "--game-refs", "5", "-o", "all.agb"]);
    let said = desk.kifu(&["book", "query", "all.agb", "h8 h9"]);
    assert!(said.out.contains("  game Ann - Bob, Cup, round 2, 2023-05-01, 1-0 (a.sgf, record 1)\n"), "{}", said.out);
    assert!(said.out.contains(" - ?, 1/2-1/2 (b.sgf, record 2)\n") && !said.out.contains('\u{1b}'), "{}", said.out);
    let said = desk.kifu(&["book", "query", "--json", "all.agb", "j8"]);
    let references = said.json()[0]["references"].clone();
    assert_eq!((&references[0]["file"], &references[0]["record"]), (&"b.sgf".into(), &1.into()));
    assert_eq!((&references[0]["black"], &references[0]["result"]), (&Value::Null, &Value::Null));
    assert_eq!(references[0]["id"].as_str().unwrap().len(), 16);
    let object = info(&desk, "all.agb");
    assert_eq!((&object["referred_games"], &object["game_refs"]), (&3.into(), &5.into()));
    // Added and merged, they are those of a build of all at once.
    build(&desk, &["b.sgf", "--game-refs", "5", "-o", "grown.agb"]);
    build(&desk, &["a.sgf", "--game-refs", "5", "--add", "-o", "grown.agb"]);
    assert_eq!(content(&desk, "grown.agb"), content(&desk, "all.agb"));
    assert_eq!(desk.kifu(&["book", "verify", "grown.agb"]).code, 0);
}

#[test]
fn board_texts_are_labels_where_that_is_asked_for_and_stay_texts() {
    let desk = Desk::new();
    let texts = "LB[hg:v42][ig:52%][jh:a][kk:W41][aa:White wins here]";
    desk.put("tree.sgf", format!("(;GM[4]SZ[15]RU[renju]LB[hh:W];B[hh]{texts}(;W[hg])(;W[aa]))"));
    let said = build(&desk, &["tree.sgf", "-o", "none.agb"]);
    let told =
        "  board texts that look like labels: 4 (W and L 2, v and m 1, percentages 1): --labels rapfi reads them\n";
    assert!(said.out.contains(told), "{}", said.out);
    desk.put("mine.txt", "a blocked\nWhite wins here white\n");
    let ask = |book: &str, position: &str| {
        let said = desk.kifu(&["book", "query", "--json", book, position]);
        let object = &said.json()[0];
        (object["label"].as_str().map(str::to_owned), object["value"].as_i64())
    };
    let label = |name: &str| Some(name.to_owned());
    for (which, a_mark, prose) in
        [("none", None, None), ("rapfi", None, None), ("mover", label("win"), None), ("colour", label("loss"), None)]
            .into_iter()
            .chain([("mine.txt", label("blocked"), label("win"))])
    {
        let said = build(&desk, &["tree.sgf", "--labels", which, "--force", "-o", "x.agb"]);
        let reads = which != "none";
        assert_eq!(said.out.contains("board texts read as labels, and kept: "), reads);
        let told = |told: (Option<String>, Option<i64>)| if reads { told } else { (None, None) };
        assert_eq!(ask("x.agb", "h8"), told((label("win"), None)), "{which}");
        assert_eq!(ask("x.agb", "h8 h9"), told((None, Some(-42))), "{which}");
        assert_eq!(ask("x.agb", "h8 i9"), told((None, Some(-16))), "{which}");
        assert_eq!(ask("x.agb", "h8 k5"), told((label("win"), Some(-29_961))), "{which}");
        assert_eq!(ask("x.agb", "h8 j8"), (a_mark, None), "{which}");
        assert_eq!(ask("x.agb", "h8 a15"), (prose, None), "{which}");
        let said = desk.kifu(&["book", "query", "--json", "x.agb", "h8"]);
        assert_eq!(said.json()[0]["texts"].as_array().unwrap().len(), 5, "{which}");
        // What is said of a move makes it known, even if it is on no branch.
        let moves = said.json()[0]["moves"].as_array().unwrap().clone();
        assert_eq!(moves.iter().any(|each| each["move"] == "k11" && each["label"] == "win"), reads, "{which}");
    }
    build(&desk, &["tree.sgf", "--labels", "rapfi", "--max-ply", "1", "--force", "-o", "x.agb"]);
    assert_eq!(info(&desk, "x.agb")["positions"], 2);
    for (which, message) in [("nothere", "rapfi, mover, colour"), ("tree.sgf", "tree.sgf: line 1: ")] {
        let said = desk.kifu(&["book", "build", "tree.sgf", "--labels", which, "-o", "y.agb"]);
        assert!(said.code == 2 && said.err.contains(message), "{}", said.err);
    }
}

#[test]
fn labels_of_a_library_are_those_that_rapfi_reads() {
    let desk = Desk::new();
    desk.sample("renlib/04_rapfi_style_utf8_noroot.lib");
    let library = "04_rapfi_style_utf8_noroot.lib";
    build(&desk, &[library, "--rule", "freestyle", "--labels", "rapfi", "-o", "x.agb"]);
    // In Rapfi's own table of this library (testdata/yixin-db/quirk04.csv): label w, value -29961, exact.
    let said = desk.kifu(&["book", "query", "--json", "x.agb", "h8 f7"]);
    let object = &said.json()[0];
    assert_eq!((&object["label"], &object["value"]), (&"win".into(), &(-29_961).into()));
    assert_eq!(object["bound"], "exact");
}

#[test]
fn what_another_run_added_meanwhile_is_not_lost() {
    let desk = Desk::new();
    desk.put("first.sgf", game("", "hh hg"));
    desk.put("second.sgf", game("", "hh gg"));
    build(&desk, &["first.sgf", "-o", "x.agb"]);
    let mut run = desk
        .command(&["book", "build", "-", "-f", "sgf", "--add", "-o", "x.agb"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = run.stdin.take().unwrap();
    // More than a pipe holds: once it is taken the run has opened the book.
    input.write_all(" ".repeat(1 << 20).as_bytes()).unwrap();
    build(&desk, &["second.sgf", "--add", "-o", "x.agb"]);
    let other = desk.read("x.agb");
    input.write_all(game("", "hh gh").as_bytes()).unwrap();
    drop(input);
    let said = Said::of(run.wait_with_output().unwrap());
    assert_eq!(said.code, 2, "{}", said.out);
    let sentence = "x.agb: another program has changed this book meanwhile, and its book stays: do this again";
    assert!(said.err.contains(sentence), "{}", said.err);
    assert_eq!(desk.read("x.agb"), other);
    assert_eq!(desk.files(""), ["first.sgf", "second.sgf", "x.agb"]);
}

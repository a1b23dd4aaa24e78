//! Books as JSON lines, as tables and as databases, and back.

mod support;

use book::{Book, BuildOptions, Builder, Frames, board};
use formats::{ENTRY_FORMATS, EntryFormat, EntryReading, Losses, Progress, ReadOptions, WriteOptions};
use games::{Move, Point, Rule, Side, Size, Symmetry};
use record::{
    Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Key, Label, Ratings, Rest, StoneKey, Tally,
};
use std::collections::BTreeMap;
use std::path::Path;
use support::{Desk, Said, shared, testdata};

const TEXT_FORMS: [&str; 2] = ["book-jsonl", "book-csv"];
/// The books of `testdata/book/` with their content as JSON lines beside them.
const VECTORS: [&str; 3] = ["games", "everything", "apart"];

fn format(name: &str) -> &'static EntryFormat {
    ENTRY_FORMATS.iter().find(|format| format.name == name).unwrap()
}

fn read(format: &EntryFormat, bytes: &[u8]) -> Vec<(Key, Entry)> {
    let (options, progress) = (ReadOptions::default(), Progress::new());
    let mut entries = Vec::new();
    let mut each = |entry| {
        entries.push(entry);
        Ok(())
    };
    let mut reading = EntryReading::new(format.name, &options, &progress, &mut each);
    (format.read)(bytes, &mut reading).unwrap();
    entries
}

/// The positions of a book as the book has them.
fn positions(book: &Book<Vec<u8>>) -> Vec<(Key, Entry)> {
    let mut frames = Frames::new(book.is_symmetric());
    let each = book.entries().map(|position| {
        let (key, entry) = position.unwrap();
        (frames.of_board(board(&key).unwrap()).key(&key).unwrap(), entry)
    });
    each.collect()
}

fn build(entries: &[(Key, Entry)], symmetric: bool) -> Book<Vec<u8>> {
    let mut builder = Builder::new(BuildOptions { symmetric, ..BuildOptions::default() });
    entries.iter().for_each(|(key, entry)| builder.add_entry(key, entry.clone()).unwrap());
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    Book::open(bytes).unwrap()
}

#[test]
fn the_books_of_the_samples_hold_what_stands_beside_them() {
    for name in VECTORS {
        let book = Book::open(std::fs::read(testdata(&format!("book/{name}.agb"))).unwrap()).unwrap();
        book.verify().unwrap();
        let lines = read(format("book-jsonl"), &std::fs::read(testdata(&format!("book/{name}.jsonl"))).unwrap());
        assert_eq!(positions(&book), lines, "{name}");
        assert_eq!(build(&lines, book.is_symmetric()).content_hash(), book.content_hash(), "{name}");
        assert_eq!(book.is_symmetric(), name != "apart");
    }
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    fn some<T>(&mut self, what: impl Fn(&mut Random) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| what(self)).collect()
    }

    fn point(&mut self, size: Size) -> Point {
        Point::new(self.below(size.width().into()) as u8, self.below(size.height().into()) as u8).unwrap()
    }

    fn tally(&mut self) -> Tally {
        let scale = 1 << self.below(50);
        Tally { games: self.below(scale), first: self.below(scale), draws: self.below(scale), second: self.below(3) }
    }

    fn text(&mut self, size: Size) -> (String, Vec<u8>, Symmetry) {
        let words = [
            "",
            "=1+1",
            "'-x",
            "a \"quoted\", text",
            "two\nlines\n",
            "黑棋必胜",
            "ж\t;",
            " blanks ",
            "{}\\u0041",
            "\u{85}",
        ];
        let (text, symmetry) =
            (format!("{}{}", self.pick(&words), self.pick(&words)), self.pick(games::gomoku::symmetries(size)));
        let bytes = if self.below(4) == 0 { vec![0x08, self.below(256) as u8] } else { Vec::new() };
        (text, bytes, symmetry)
    }

    fn key(&mut self, sizes: &[Size]) -> Key {
        let size = self.pick(sizes);
        let sides = [Side::First, Side::Second];
        let stones: BTreeMap<Point, Side> = (0..self.below(9)).map(|_| (self.point(size), self.pick(&sides))).collect();
        let stones = stones.into_iter().collect();
        StoneKey { rule: self.pick(&Rule::ALL), size, to_move: self.pick(&sides), stones }.into()
    }

    fn entry(&mut self, size: Size) -> Entry {
        let byte = self.below(256) as u8;
        let labels = [Label::None, Label::Null, Label::Win, Label::Loss, Label::Draw, Label::Forced, Label::Blocked];
        let judgement = Judgement {
            value: self.below(60_000) as i32 - 30_000,
            bound: self.pick(&Bound::ALL),
            depth: self.below(300) as i16 - 100,
            nodes: (byte < 99).then_some(self.0 >> 3),
            scale: self.pick(&[200, 250]),
            source: self.pick(&["", "=engine", "Rapfi"]).into(),
        };
        let comment = |random: &mut Random| {
            let (text, bytes, written) = random.text(size);
            Comment { text, bytes, written }
        };
        let board_text = |random: &mut Random| {
            let ((text, bytes, written), point) = (random.text(size), random.point(size));
            BoardText { point, text, bytes, written }
        };
        let play = |random: &mut Random| match random.below(9) {
            0 => Continuation { play: Move::Pass, tally: random.tally() },
            _ => Continuation { play: Move::Place(random.point(size)), tally: random.tally() },
        };
        let rest = Rest {
            play: (self.below(9) > 0).then(|| play(self).play),
            judgement: (self.below(4) > 0).then(|| judgement.clone()),
            proven: false,
        };
        let rest = Rest { proven: rest.judgement.is_some() && self.below(2) == 0, ..rest };
        let backed = Backed {
            value: self.below(60_000) as i32 - 30_000,
            scale: self.pick(&[200, 250]),
            proven: self.below(3) == 0,
        };
        Entry {
            rest: (self.below(3) == 0).then_some(rest),
            backed: (self.below(3) == 0).then_some(backed),
            judgement: (byte.is_multiple_of(3)).then_some(judgement),
            label: if byte.is_multiple_of(5) { Label::User(byte) } else { self.pick(&labels) },
            tally: self.tally(),
            ratings: Ratings { sum: self.below(1 << 40), count: 1 + self.below(9) },
            last_year: (byte.is_multiple_of(2)).then_some(2024),
            moves: self.some(play),
            games: self.some(|random| random.0 >> 1),
            comments: self.some(comment),
            texts: self.some(board_text),
        }
    }
}

#[test]
fn random_books_survive_their_text_forms() {
    let mut random = Random(9);
    let sizes = [Size::square(3), Size::new(6, 4), Size::square(15)].map(Option::unwrap);
    for symmetric in [true, false] {
        let entries: Vec<(Key, Entry)> = (0..800)
            .map(|_| {
                let key = random.key(&sizes);
                let entry = random.entry(key.size());
                (key, entry)
            })
            .collect();
        let book = build(&entries, symmetric);
        let known = positions(&book);
        for form in TEXT_FORMS {
            let (mut bytes, mut losses) = (Vec::new(), Losses::default());
            let mut writer = (format(form).writer)(&mut bytes, &WriteOptions::default());
            known.iter().for_each(|(key, entry)| writer.entry(key, entry, &mut losses).unwrap());
            writer.finish(&mut losses).unwrap();
            drop(writer);
            assert!(losses.is_empty());
            let mut again = read(format(form), &bytes);
            assert!(again == known, "{form}");
            // The board of a line may be turned in any way, if all that stands on it is.
            for (key, entry) in &mut again {
                let symmetry = random.pick(games::gomoku::symmetries(key.size()));
                turn(key, entry, symmetry);
            }
            if symmetric {
                assert_eq!(positions(&build(&again, true)).len(), known.len());
            }
        }
    }
}

/// Turns a position and what stands with it.
fn turn(key: &mut Key, entry: &mut Entry, symmetry: Symmetry) {
    let size = key.size();
    *key = key.turned(symmetry);
    for text in &mut entry.texts {
        text.point = symmetry.apply(text.point, size);
        text.written = symmetry.inverse().then(text.written);
    }
    for comment in &mut entry.comments {
        comment.written = symmetry.inverse().then(comment.written);
    }
    for each in &mut entry.moves {
        if let Move::Place(point) = &mut each.play {
            *point = symmetry.apply(*point, size);
        }
    }
}

/// The content hash that a command tells of a book.
fn content(said: &Said) -> &str {
    assert_eq!(said.code, 0, "{}", said.err);
    said.out.lines().next().unwrap().rsplit(' ').next().unwrap()
}

fn put(desk: &Desk, path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    desk.put(&name, std::fs::read(path).unwrap());
    name
}

#[test]
fn exports_are_imported_with_the_same_content() {
    let desk = Desk::new();
    for vector in VECTORS {
        let book = put(&desk, &testdata(&format!("book/{vector}.agb")));
        let wanted = desk.kifu(&["book", "info", "--json", &book]).json()[0]["content_hash"].clone();
        let apart = if vector == "apart" { &["--no-symmetry"][..] } else { &[] };
        for file in ["x.jsonl", "x.csv"] {
            let said = desk.kifu(&["book", "export", &book, "--bom", "--force", "-o", file]);
            let told = if (vector, file) == ("apart", "x.csv") { "that mirrored positions stand apart" } else { "" };
            assert_eq!((said.code, said.err.is_empty()), (0, told.is_empty()), "{}", said.err);
            assert!(said.err.contains(told), "{}", said.err);
            if file == "x.jsonl" {
                assert!(desk.read(file) == std::fs::read(testdata(&format!("book/{vector}.jsonl"))).unwrap());
            }
            let said = desk.kifu(&[&["book", "import", file, "--force", "-o", "x.agb"], apart].concat());
            assert_eq!((content(&said), said.err.as_str()), (wanted.as_str().unwrap(), ""), "{vector} {file}");
            // `convert` goes the same ways, and its files say whether mirrored positions are one.
            let said = desk.kifu(&["convert", file, "--force", "-o", "y.jsonl"]);
            assert_eq!((said.code, said.err.as_str()), (0, ""));
            if file == "x.jsonl" {
                assert!(desk.read("y.jsonl") == desk.read("x.jsonl"));
                assert_eq!(desk.kifu(&["convert", "y.jsonl", "--force", "-o", "y.agb"]).code, 0);
                assert_eq!(desk.kifu(&["info", "--json", "y.agb"]).json()[0]["content_hash"], wanted);
                assert_eq!(desk.kifu(&["convert", "y.agb", "--force", "-o", "z.agb"]).code, 0);
                assert_eq!(desk.kifu(&["info", "--json", "z.agb"]).json()[0]["content_hash"], wanted);
            }
        }
    }
    let said = desk.kifu(&["book", "import", &put(&desk, &testdata("book/apart.jsonl")), "-o", "one.agb"]);
    assert!(said.out.starts_with("one.agb: 1 position,") && said.err.contains("become one here"), "{said:?}");
}

fn databases_survive(folder: &Path, names: &[&str]) {
    let desk = Desk::new();
    for name in names {
        let raw = std::fs::read(folder.join(format!("{name}-raw.db"))).unwrap();
        desk.put("a.db", &raw);
        let wanted = desk.kifu(&["book", "import", "a.db", "--force", "-o", "a.agb"]);
        for file in ["b.jsonl", "b.csv"] {
            for source in ["a.db", "a.agb"] {
                assert_eq!(desk.kifu(&["convert", source, "--force", "-o", file]).code, 0);
                let said = desk.kifu(&["book", "import", file, "--force", "-o", "b.agb"]);
                assert_eq!(content(&said), content(&wanted), "{name} {source} {file}");
                assert_eq!(desk.kifu(&["book", "export", "b.agb", "--raw", "--force", "-o", "b.db"]).code, 0);
                assert!(desk.read("b.db") == raw, "{name} {source} {file}");
            }
        }
    }
}

#[test]
fn databases_of_ours_survive_text_forms() {
    databases_survive(&testdata("yixin-db"), &["quirk01", "quirk04"]);
}

#[test]
fn databases_of_rapfi_survive_text_forms() {
    let Some(folder) = shared("data/yixin-db") else { return };
    databases_survive(&folder, &["d4", "quirk01", "quirk04"]);
}

#[test]
fn a_script_adds_its_values_to_a_database() {
    let desk = Desk::new();
    desk.sample("yixin-db/quirk04.db");
    desk.put(
        "values.jsonl",
        "{\"position\":\"h8g10\",\"value\":12,\"depth\":9}\n{\"position\":\"h8i9j10\",\"value\":-3}\n",
    );
    desk.put("notes.csv", "position;comment\r\n\"h8\";\"=so it \"\"is\"\"\"\r\n");
    desk.put("bad.jsonl", "{\"position\":\"h8\"}\n{\"position\":\"z99\"}\n");
    let arguments = ["book", "import", "quirk04.db", "bad.jsonl", "values.jsonl", "notes.csv", "-o", "x.agb"];
    let said = desk.kifu(&[&arguments[..], &["--rule", "freestyle"]].concat());
    // The other files are read all the same.
    assert_eq!((said.code, said.out.contains("positions read: 8")), (2, true), "{said:?}");
    assert!(said.err.contains("bad.jsonl: book-jsonl: `z99`") && said.err.contains("line 2"), "{}", said.err);
    let answer = desk.kifu(&["book", "query", "--json", "x.agb", "h8"]).json()[0].clone();
    assert!(answer["comment"].as_str().unwrap().contains("=so it \"is\""), "{answer}");
    let answer = desk.kifu(&["book", "query", "--json", "x.agb", "h8 g10"]).json()[0].clone();
    // The win that the database has proven is more than the guess of the script.
    assert_eq!((&answer["value"], &answer["depth"], &answer["label"]), (&(-29961).into(), &0.into(), &"win".into()));
    let answer = desk.kifu(&["book", "query", "--json", "x.agb", "h8 i9 j10"]).json()[0].clone();
    assert_eq!(answer["value"], -3);
    let said = desk.kifu(&["book", "import", "values.jsonl", "-o", "y.agb"]);
    assert!(said.err.contains("nothing says the rule") && said.err.contains("--rule"), "{}", said.err);
    desk.put("odd.jsonl", "{\"position\":\"h8\",\"rule\":\"renju\",\"opinion\":1}\n");
    let said = desk.kifu(&["book", "import", "odd.jsonl", "-o", "y.agb"]);
    assert!(said.code == 0 && said.err.contains("`opinion` is no member of this format"), "{}", said.err);
}

#[test]
fn convert_makes_books_and_names_its_defaults() {
    let desk = Desk::new();
    desk.sample("renlib/showcase.lib");
    desk.sample("yixin-db/quirk04.db");
    let said = desk.kifu(&["convert", "showcase.lib", "quirk04.db", "-o", "a.agb"]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    assert!(said.err.contains("made as by `kifu book build`") && said.err.contains("not kept: 3"), "{}", said.err);
    let built = desk.kifu(&["book", "build", "showcase.lib", "-o", "b.agb"]);
    let said = desk.kifu(&["convert", "showcase.lib", "-t", "agi-book", "-o", "c"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let object = desk.kifu(&["info", "--json", "c"]).json()[0].clone();
    assert_eq!(object["content_hash"], content(&built));
    assert_eq!((&object["format"], &object["comments"]), (&"agi-book".into(), &39.into()));
    let rules = desk.kifu(&["info", "--json", "a.agb"]).json()[0]["rules"].clone();
    assert_eq!(rules.as_array().unwrap().len(), 2);
    // Records to lines are records, unless positions are asked for.
    assert_eq!(desk.kifu(&["convert", "showcase.lib", "-o", "r.jsonl"]).err, "");
    assert_eq!(desk.kifu(&["info", "--json", "r.jsonl"]).json()[0]["format"], "json");
    assert_eq!(desk.kifu(&["convert", "showcase.lib", "-t", "book-jsonl", "-o", "p.jsonl"]).code, 0);
    assert_eq!(desk.kifu(&["info", "--json", "p.jsonl"]).json()[0]["content_hash"], content(&built));
    // All that a library has beside its positions is lost, and so are its marks.
    let said = desk.kifu(&["convert", "showcase.lib", "--fail-on-loss", "-o", "d.agb"]);
    assert_eq!((said.code, desk.path("d.agb").exists()), (3, false));
    let said = desk.kifu(&["convert", "showcase.lib", "--dry-run", "-o", "d.db"]);
    assert_eq!((said.code, said.out.as_str()), (0, "showcase.lib -> d.db: 63 positions\n"));
    assert_eq!(desk.files("").iter().filter(|name| name.starts_with('d')).count(), 0);
    let piped = desk.pipe(&["convert", "-", "-t", "book-csv"], &desk.read("quirk04.db"));
    assert!(piped.out.starts_with("position,rule,"), "{piped:?}");
}

#[test]
fn positions_are_converted_to_trees_and_back() {
    let desk = Desk::new();
    desk.sample("yixin-db/quirk04.db");
    desk.sample("book/games.agb");
    for source in ["quirk04.db", "games.agb"] {
        for tree in ["x.lib", "x.sgf", "x.agr", "x.agx", "x.json"] {
            let said = desk.kifu(&["convert", source, "--force", "-o", tree]);
            assert_eq!((said.code, said.out.as_str()), (0, ""), "{source} {tree}: {}", said.err);
            assert!(said.err.contains(&format!("{} cannot hold", by_extension(tree))), "{source} {tree}: {}", said.err);
            let said = desk.kifu(&["convert", tree, "--rule", "freestyle", "--force", "-o", "again.agb"]);
            assert_eq!(said.code, 0, "{source} {tree}: {}", said.err);
            let positions = |book: &str| desk.kifu(&["convert", book, "-t", "book-jsonl"]).json().len();
            // A tree begins at the empty board, which the database does not know.
            let root = usize::from(source == "quirk04.db");
            assert_eq!(positions("again.agb"), positions(source) + root, "{source} {tree}");
        }
    }
    let said = desk.kifu(&["convert", "games.agb", "--fail-on-loss", "-o", "y.lib"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(!desk.files("").contains(&"y.lib".to_owned()));
}

fn by_extension(file: &str) -> &'static str {
    match file.rsplit_once('.').map(|(_, extension)| extension) {
        Some("lib") => "renlib",
        Some("agr") => "agi-record",
        Some("agx") => "agi-game",
        Some("json") => "json",
        _ => "sgf",
    }
}

#[test]
fn each_command_says_in_a_sentence_what_else_to_do_with_positions() {
    let desk = Desk::new();
    desk.sample("yixin-db/quirk04.db");
    desk.sample("book/games.agb");
    desk.sample("book/games.sgf");
    for (arguments, sentence) in [
        (&["show", "quirk04.db"][..], "`kifu book import` makes a book of it"),
        (&["show", "games.agb"], "`kifu book query` asks it"),
        (&["convert", "quirk04.db", "--turn", "r90", "-o", "x.sgf"], "--turn changes records"),
        (&["convert", "games.agb", "--mainline", "-o", "x.db"], "--mainline changes records"),
        (&["convert", "games.agb", "games.sgf", "-t", "agi-book", "-o", "out/"], "name a file with -o"),
        (&["convert", "games.agb", "-o", "games.agb"], "--force"),
        (&["book", "build", "quirk04.db", "-o", "x.agb"], "use kifu book import"),
        (&["book", "build", "games.agb", "-o", "x.agb"], "use kifu book merge"),
        (&["book", "import", "games.sgf", "-o", "x.agb"], "use kifu book build"),
        (&["book", "import", "games.agb", "-o", "x.agb"], "use kifu book merge"),
    ] {
        let said = desk.kifu(arguments);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
        assert!(said.err.lines().next().unwrap().contains(sentence), "{arguments:?}: {}", said.err);
    }
    assert_eq!(desk.files(""), ["games.agb", "games.sgf", "quirk04.db"]);
}

#[test]
fn info_and_check_read_books_and_positions() {
    let desk = Desk::new();
    desk.sample("book/everything.agb");
    desk.sample("book/everything.jsonl");
    let said = desk.kifu(&["info", "--json", "everything.agb", "everything.jsonl"]);
    let [book, lines] = &said.json()[..] else { panic!("{said:?}") };
    for member in
        ["positions", "rules", "content_hash", "symmetric", "games", "moves", "values", "labels", "comments", "texts"]
    {
        assert!(!book[member].is_null() && book[member] == lines[member], "{member}");
    }
    assert_eq!(desk.kifu(&["check", "everything.agb", "everything.jsonl"]).code, 0);
    let mut bytes = desk.read("everything.agb");
    bytes[40] ^= 1;
    desk.put("everything.agb", &bytes);
    let said = desk.kifu(&["check", "--json", "everything.agb"]);
    assert_eq!((said.code, &said.json()[0]["kind"]), (1, &"damaged".into()));
    desk.put("bad.csv", "position,rule,more\nh8,renju,\nh8i99,renju,\n");
    let said = desk.kifu(&["check", "bad.csv", "--lenient"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("line 3") && said.out.contains("[bad-row]"), "{}", said.out);
    // In folders each command takes what it can read.
    desk.sample("book/games.sgf");
    let listed = desk.kifu(&["info", "--json", "-r", "."]);
    let formats: Vec<_> = listed.json().iter().map(|each| each["format"].as_str().unwrap().to_owned()).collect();
    assert!(formats.contains(&"sgf".into()) && formats.contains(&"book-jsonl".into()), "{listed:?}");
    let said = desk.kifu(&["book", "build", "-r", ".", "--short", "-o", "built.agb"]);
    assert_eq!((said.code, said.out.contains("records: 4")), (0, true), "{said:?}");
}

#[test]
fn formats_are_listed_with_what_they_hold() {
    let said = Desk::new().kifu(&["formats", "--json"]);
    let holds = |name: &str| said.json().iter().find(|row| row["name"] == name).unwrap()["holds"].clone();
    for name in ["agi-book", "yixin-db", "rapfi-csv", "book-jsonl", "book-csv"] {
        assert_eq!(holds(name), "positions");
    }
    assert_eq!(holds("json"), "records");
}

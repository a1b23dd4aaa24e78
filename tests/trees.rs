//! Books made trees again, held against what the libraries they came from say at each position.

mod support;

use book::{Book, BuildOptions, Builder, Frames, Grown, Orient, TreeOptions, Writer};
use encoding_rs::{Encoding, UTF_8};
use formats::{Losses, Progress, ReadOptions, Reading, WriteOptions, by_name, encoding_of};
use games::gomoku::{OPENINGS, Opening, symmetries};
use games::{Coords, Game, Move, Point, Position, Rule, Side, Size, Symmetry, parse_moves};
use record::{
    Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Note, Part, Play, Record, Rest, StoneKey, Tally,
    TreeBuilder, turn,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use support::{Desk, files, shared, testdata};

fn read_as(format: &str, bytes: &[u8], encoding: Option<&'static Encoding>) -> Option<Record> {
    let (options, progress) = (ReadOptions { encoding, ..ReadOptions::default() }, Progress::new());
    let mut records = Vec::new();
    let mut each = |record| {
        records.push(record);
        Ok(())
    };
    let format = by_name(format).unwrap();
    (format.read)(bytes, &mut Reading::new(format.name, &options, &progress, &mut each)).ok()?;
    Some(records.remove(0))
}

fn read(path: &Path) -> Option<Record> {
    read_as("renlib", &std::fs::read(path).unwrap(), None)
}

/// The record as it is when a file was made of it and read again.
fn written(format: &str, record: &Record) -> (Record, Losses) {
    let source = record.head.encoding.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = Some(source.unwrap_or(UTF_8));
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let options = WriteOptions { encoding, ..WriteOptions::default() };
    let mut writer = by_name(format).unwrap().start(&mut bytes, &options);
    writer.record(record, &mut losses).unwrap();
    writer.finish().unwrap();
    drop(writer);
    (read_as(format, &bytes, encoding).unwrap(), losses)
}

fn build<'r>(records: impl IntoIterator<Item = &'r Record>, symmetric: bool) -> Vec<u8> {
    let mut builder = Builder::new(BuildOptions { symmetric, min_plies: 0, ..BuildOptions::default() });
    for record in records {
        builder.add(record, record.head.rule.unwrap_or(Rule::Renju)).unwrap();
    }
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    bytes
}

/// The tree of a book of one board, with the encoding of its bytes.
fn grow(book: &[u8], options: &TreeOptions) -> Grown {
    let book = Book::open(book).unwrap();
    let stop = AtomicBool::new(false);
    let mut trees: Vec<Grown> = book.trees(options, &stop).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(trees.len(), 1);
    let mut grown = trees.remove(0);
    grown.record.head.encoding = encoding_of(&grown.record).map(|encoding| encoding.name());
    grown
}

/// A line of moves as a record.
fn line(moves: &str) -> Record {
    lines(&[moves])
}

/// Lines of moves as a record, each from the empty board; what follows a bar is a comment at the end.
fn lines(lines: &[&str]) -> Record {
    let mut tree = TreeBuilder::new();
    for line in lines {
        let (moves, comment) = line.split_once('|').unwrap_or((line, ""));
        for (ply, play) in parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().enumerate() {
            tree.append(ply + 1, Side::of_ply(ply + 1), Play::Move(play)).unwrap();
        }
        if !comment.is_empty() {
            tree.note(Note::Line(comment)).unwrap();
        }
    }
    Record { tree: tree.build(), ..Record::default() }
}

fn point(name: &str) -> Point {
    Coords::A1.parse(name, Size::default()).unwrap()
}

/// The name of a position, the same for all its images if `symmetric`; with a point that is marked on it.
fn place(key: &StoneKey, point: Option<Point>, symmetric: bool) -> String {
    let image = |symmetry: &Symmetry| {
        let stones = key.turned(*symmetry).stones.into_iter();
        let stones: Vec<_> = stones.map(|(point, side)| (point.x(), point.y(), side as u8)).collect();
        let point = point.map(|point| symmetry.apply(point, key.size));
        (stones, point.map(|point| (point.x(), point.y())))
    };
    let all = if symmetric { symmetries(key.size) } else { &[Symmetry::Identity] };
    format!("{:?} {:?}", key.to_move, all.iter().map(image).min().unwrap())
}

/// What is said at each position, by the simplest walk there is.
#[derive(Default, Debug, PartialEq)]
struct Sayings {
    /// Each position, and how many nodes are it; nodes that only hold a text are none.
    positions: BTreeMap<String, usize>,
    /// By position.
    comments: BTreeMap<String, BTreeSet<String>>,
    /// Position and point, text, bytes.
    texts: BTreeSet<(String, String, Vec<u8>)>,
    values: BTreeMap<String, String>,
    /// Moves from position to position.
    moves: BTreeSet<(String, String)>,
    /// Each position as it stands the first time.
    keys: BTreeMap<String, StoneKey>,
}

impl Sayings {
    fn of(record: &Record, symmetric: bool) -> Sayings {
        let mut sayings = Sayings::default();
        let (tree, size) = (&record.tree, record.head.size);
        let rule = record.head.rule.unwrap_or(Rule::Renju);
        let name = |key: &StoneKey, point| place(key, point, symmetric);
        // By depth: the position, or none below a stone on a stone.
        let mut path: Vec<Option<StoneKey>> = Vec::new();
        for (depth, node) in tree.walk() {
            path.truncate(depth);
            let above = path.last().cloned();
            let key = match (above.clone(), tree.play(node)) {
                (None, _) => Some(StoneKey { rule, size, to_move: Side::First, stones: Vec::new() }),
                (Some(None), _) => None,
                (Some(Some(key)), Play::Nothing | Play::Label(_)) => Some(key),
                (Some(Some(mut key)), Play::Move(play)) => {
                    let side = tree.side(node);
                    key.to_move = side.other();
                    match play.point() {
                        Some(point) if key.stones.iter().any(|(other, _)| *other == point) => None,
                        point => {
                            key.stones.extend(point.map(|point| (point, side)));
                            key.stones.sort_unstable_by_key(|(point, _)| *point);
                            Some(key)
                        }
                    }
                }
            };
            path.push(key.clone());
            // The text of a move is seen before it is made, on whatever stands there.
            if let (Some(Some(before)), Some(text), Some(point)) = (&above, tree.text(node), tree.play(node).point())
                && !text.is_empty()
            {
                let bytes = tree.bytes(node, Part::Text).filter(|_| text.contains('\u{FFFD}')).unwrap_or_default();
                sayings.texts.insert((name(before, Some(point)), text.into(), bytes.to_vec()));
            }
            let Some(key) = key else { continue };
            let here = name(&key, None);
            if !matches!(tree.play(node), Play::Label(_)) {
                *sayings.positions.entry(here.clone()).or_default() += 1;
                sayings.keys.entry(here.clone()).or_insert_with(|| key.clone());
                sayings.moves.extend(above.flatten().map(|above| (name(&above, None), here.clone())));
            }
            let parts = [tree.line(node), tree.body(node)];
            let comment: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            if !comment.is_empty() {
                sayings.comments.entry(here.clone()).or_default().insert(comment.join("\n"));
            }
            for note in tree.notes(node) {
                match note {
                    Note::Label(point, text) => {
                        sayings.texts.insert((name(&key, Some(point)), text.into(), Vec::new()));
                    }
                    Note::Value(value) => {
                        sayings.values.insert(here.clone(), value.text());
                    }
                    _ => {}
                }
            }
        }
        sayings
    }

    /// As it is when each position stands once, and the comments of one are one.
    fn joined(mut self) -> Sayings {
        for comments in self.comments.values_mut() {
            *comments = BTreeSet::from([comments.iter().cloned().collect::<Vec<_>>().join("\n\n")]);
        }
        self.positions.values_mut().for_each(|count| *count = 1);
        self
    }

    fn nodes(&self) -> usize {
        self.positions.values().sum()
    }
}

/// Makes a library a book and a library again, as files, and holds what they say against each other.
fn survives_a_book(library: &Record, symmetry: Symmetry, orient: Orient) {
    let turned = turn(library, symmetry).unwrap();
    let grown = grow(&build([&turned], true), &TreeOptions { orient, ..TreeOptions::default() });
    let (again, _) = written("renlib", &grown.record);
    let (before, after) = (Sayings::of(&turned, true).joined(), Sayings::of(&again, true));
    assert!(after.positions.values().all(|count| *count == 1), "{:?}", after.positions);
    assert!(before.positions.keys().eq(after.positions.keys()));
    assert_eq!(before.comments, after.comments);
    assert_eq!(before.texts, after.texts);
    assert!(after.moves.is_subset(&before.moves));
    assert_eq!(grown.counts.transposed as usize, before.moves.len() - after.moves.len());
    assert_eq!(grown.counts.positions as usize, after.nodes());
    assert_eq!(grown.record.tree.len() as u64, grown.counts.positions + grown.counts.labels);
    assert_eq!((grown.counts.orphans, grown.counts.own), (0, 0));
}

/// All libraries below a folder that can be read and have a node.
fn libraries(folder: &Path) -> Vec<(String, Record)> {
    let paths = files(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "lib"));
    let all = paths.filter_map(|path| Some((path.display().to_string(), read(&path)?)));
    all.filter(|(_, record)| record.tree.len() > 1).collect()
}

#[test]
fn libraries_of_ours_survive_a_book_under_all_symmetries() {
    let libraries = libraries(&testdata("renlib"));
    assert!(libraries.len() > 20);
    for (name, library) in &libraries {
        println!("{name}");
        for symmetry in Symmetry::ALL {
            for orient in [Orient::Written, Orient::Standard, Orient::Turned(Symmetry::R90)] {
                survives_a_book(library, symmetry, orient);
            }
        }
    }
}

#[test]
fn libraries_of_renlib_survive_a_book() {
    let Some(folder) = shared("data/renlib") else { return };
    let (mut comments, mut texts) = (0, 0);
    for (name, library) in &libraries(&folder) {
        println!("{name}");
        let all = if library.tree.len() < 5000 { 8 } else { 1 };
        for symmetry in Symmetry::ALL.into_iter().rev().take(all) {
            survives_a_book(library, symmetry, Orient::Written);
        }
        comments += library.tree.nodes().filter(|node| library.tree.line(*node).is_some()).count();
        texts += library.tree.nodes().filter(|node| library.tree.text(*node).is_some()).count();
    }
    assert!(comments > 900 && texts >= 9126, "{comments} {texts}");
}

/// A library whose texts stand at positions that are their own images, and at one that is not.
fn symmetric_library() -> Record {
    let mut tree = TreeBuilder::new();
    let mut add = |depth, name: &str, text: &str, comment: &str| {
        tree.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point(name)))).unwrap();
        if !text.is_empty() {
            tree.note(Note::Text(text)).unwrap();
        }
        if !comment.is_empty() {
            tree.note(Note::Line(comment)).unwrap();
        }
    };
    add(1, "h8", "", "the middle");
    add(2, "g8", "left", "");
    add(3, "g9", "above", "half of them");
    add(4, "k4", "", "far");
    add(3, "f8", "on the line", "");
    add(2, "i7", "down", "indirect");
    add(3, "h7", "beside", "");
    add(3, "j6", "on the diagonal", "");
    add(3, "g9", "opposite", "");
    let mut record = Record { tree: tree.build(), ..Record::default() };
    record.head.rule = Some(Rule::Renju);
    record
}

#[test]
fn a_tree_stands_as_its_texts_were_written() {
    for symmetry in Symmetry::ALL {
        let library = turn(&symmetric_library(), symmetry).unwrap();
        let grown = grow(&build([&library], true), &TreeOptions::default());
        // Not up to symmetry: each stone and text is where it was.
        assert_eq!(Sayings::of(&grown.record, false), Sayings::of(&library, false), "{symmetry:?}");
        survives_a_book(&library, Symmetry::Identity, Orient::Standard);
    }
}

#[test]
fn openings_stand_as_renlib_stands_them() {
    for opening in &OPENINGS {
        let stones = opening.stones(Size::default()).unwrap();
        for symmetry in Symmetry::ALL {
            let mut tree = TreeBuilder::new();
            for (ply, point) in stones.into_iter().enumerate() {
                let point = symmetry.apply(point, Size::default());
                tree.append(ply + 1, Side::of_ply(ply + 1), Play::Move(Move::Place(point))).unwrap();
            }
            let library = Record { tree: tree.build(), ..Record::default() };
            for (orient, turned) in [
                (Orient::Written, Symmetry::Identity),
                (Orient::Standard, Symmetry::Identity),
                (Orient::Turned(Symmetry::R270), Symmetry::R270),
            ] {
                let grown = grow(&build([&library], true), &TreeOptions { orient, ..TreeOptions::default() });
                let tree = &grown.record.tree;
                let line: Vec<Point> = tree.main_line().map(|node| tree.play(node).stone().unwrap()).collect();
                let stones = stones.map(|point| turned.apply(point, Size::default()));
                assert_eq!(line, stones, "{} {symmetry:?}", opening.code);
            }
        }
    }
    assert_eq!(Opening::find("D4").unwrap().stones(Size::default()), Some([point("h8"), point("h9"), point("i9")]));
}

#[test]
fn texts_written_in_several_ways_round_stand_in_the_standard_one() {
    let [one, other] = [Symmetry::R90, Symmetry::Flip].map(|symmetry| turn(&symmetric_library(), symmetry).unwrap());
    let grown = grow(&build([&one, &other], true), &TreeOptions::default());
    let tree = &grown.record.tree;
    let second = tree.main_line().nth(1).unwrap();
    assert!([point("h9"), point("i9")].contains(&tree.play(second).stone().unwrap()));
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

#[test]
fn random_books_come_back_whatever_their_positions_are() {
    let mut random = Random(7);
    let (mut orphans, mut passes, mut labels) = (0, 0, 0);
    for round in 0..400 {
        let symmetric = round % 4 != 0;
        let size = [Size::square(3), Size::square(4), Size::new(4, 3), Size::square(15)][random.below(4)].unwrap();
        let mut builder = Builder::new(BuildOptions { symmetric, ..BuildOptions::default() });
        let points: Vec<Point> = size.points().collect();
        for _ in 0..1 + random.below(30) {
            let mut free = points.clone();
            // Stones of both sides in any number, most of them near one another.
            let stones = random.below(8).min(size.points().count());
            let mut pick = || free.swap_remove(random.below(free.len().min(12)));
            let stones: Vec<Point> = (0..stones).map(|_| pick()).collect();
            let side = |random: &mut Random| [Side::First, Side::Second][random.below(2)];
            let mut stones: Vec<_> = stones.into_iter().map(|point| (point, side(&mut random))).collect();
            stones.sort_unstable_by_key(|(point, _)| *point);
            let key = StoneKey { rule: Rule::Freestyle, size, to_move: side(&mut random), stones };
            let mut entry = Entry::default();
            for _ in 0..random.below(3) {
                let written = Symmetry::ALL[random.below(8)];
                let text = ["one", "two\nlines", "\nbegins late", "ends\n", "a\n\nb"][random.below(5)].to_owned();
                entry.comments.push(Comment { text, bytes: Vec::new(), written });
                let (point, text) = (points[random.below(points.len())], ["A", "W12"][random.below(2)].to_owned());
                entry.texts.push(BoardText { point, text, bytes: Vec::new(), written });
            }
            if random.below(3) == 0 {
                let value = [0, -120, 29_990, -29_961][random.below(4)];
                let (bound, depth, nodes, scale) = (Bound::Exact, random.below(30) as i16, None, Judgement::SCALE);
                entry.judgement = Some(Judgement { value, bound, depth, nodes, scale, source: String::new() });
            }
            if random.below(4) == 0 {
                let found = |value| {
                    let (bound, nodes, scale) = (Bound::Exact, None, Judgement::SCALE);
                    Judgement { value, bound, depth: 7, nodes, scale, source: String::new() }
                };
                entry.rest = Some(Rest { play: None, judgement: Some(found(-77)), proven: false });
            }
            if random.below(4) == 0 {
                entry.backed = Some(Backed { value: 29_970, scale: Judgement::SCALE, proven: true });
            }
            builder.add_entry(&key.into(), entry).unwrap();
        }
        let mut bytes = Vec::new();
        builder.finish(&mut bytes, "").unwrap();
        let book = Book::open(&bytes).unwrap();
        let mut frames = Frames::new(symmetric);
        let mut before = Sayings::default();
        for position in book.entries() {
            let (key, entry) = position.unwrap();
            let key = frames.of(Game::Gomoku, size).stone_key(&key).unwrap();
            let here = place(&key, None, symmetric);
            before.positions.insert(here.clone(), 1);
            for comment in entry.comments {
                before.comments.entry(here.clone()).or_default().insert(comment.text);
            }
            for text in entry.texts {
                before.texts.insert((place(&key, Some(text.point), symmetric), text.text, Vec::new()));
            }
            // What is backed up goes before what was found, and that before what others say.
            let found = entry.rest.and_then(|rest| rest.judgement).or(entry.judgement);
            let value = entry.backed.map(|backed| backed.value).or(found.as_ref().map(|found| found.value));
            if let Some(value) = value {
                let depth = found.map_or(0, |found| found.depth);
                let sign = if key.to_move == Side::First { 1 } else { -1 };
                let score = match sign * value {
                    value if value > 29_500 => format!("#+{}", 30_000 - value),
                    value if value < -29_500 => format!("#-{}", 30_000 + value),
                    value => value.to_string(),
                };
                let depth = if depth > 0 { format!(",{depth}") } else { String::new() };
                before.values.insert(here, score + &depth);
            }
        }
        let before = before.joined();
        let orient = [Orient::Written, Orient::Standard, Orient::Turned(Symmetry::Flip)]
            [random.below(if symmetric { 3 } else { 2 })];
        let grown = grow(&bytes, &TreeOptions { orient, ..TreeOptions::default() });
        let after = Sayings::of(&grown.record, symmetric);
        assert!(after.positions.values().all(|count| *count == 1), "{:?}", after.positions);
        assert!(before.positions.keys().all(|name| after.positions.contains_key(name)));
        assert_eq!((before.comments, before.texts, before.values), (after.comments, after.texts, after.values));
        let root = usize::from(!before.positions.contains_key(&place(&empty(size), None, symmetric)));
        let Grown { counts, record, .. } = &grown;
        assert_eq!(counts.positions as usize, before.positions.len());
        assert_eq!(counts.own as usize + root, after.positions.len() - before.positions.len());
        assert_eq!(record.tree.len() as u64, counts.positions + counts.own + counts.labels + root as u64);
        // A file keeps all of it, and a book of the file is the same again.
        let (file, _) = written("agi-record", record);
        assert_eq!(file.tree, record.tree);
        let again = grow(&build([record], symmetric), &TreeOptions { orient, ..TreeOptions::default() });
        let again_said = Sayings::of(&again.record, symmetric);
        assert!(again_said.positions.keys().eq(after.positions.keys()));
        assert_eq!(again.counts.orphans, 0);
        orphans += counts.orphans;
        labels += counts.labels;
        passes += record.tree.nodes().filter(|node| record.tree.play(*node) == Play::Move(Move::Pass)).count();
    }
    assert!(orphans > 500 && passes > 100 && labels > 500, "{orphans} {passes} {labels}");
}

#[test]
fn books_whose_keys_are_not_the_least_images_become_trees_all_the_same() {
    let mut random = Random(11);
    let size = Size::square(5).unwrap();
    let mut plain = Frames::new(false);
    for round in 0..60 {
        let mut positions = BTreeMap::new();
        for _ in 0..40 {
            let mut points: Vec<Point> = size.points().collect();
            let stones = (0..random.below(6)).map(|ply| {
                (points.swap_remove(random.below(points.len().min(9))), Side::of_ply(ply + 1 + random.below(2)))
            });
            let mut stones: Vec<_> = stones.collect();
            stones.sort_unstable_by_key(|(point, _)| *point);
            let to_move = [Side::First, Side::Second][random.below(2)];
            let key = StoneKey { rule: Rule::Freestyle, size, to_move, stones };
            let mut entry = Entry::default();
            if round % 2 == 0 {
                let mut play = || [Move::Pass, Move::Place(points[random.below(points.len())])][random.below(2)];
                entry.moves = vec![Continuation { play: play(), tally: Tally::default() }];
            }
            positions.insert(plain.of(Game::Gomoku, size).canonical_stones(&key).key, entry);
        }
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, true).unwrap();
        let number = positions.len() as u64;
        for (key, entry) in positions {
            writer.push(key, entry).unwrap();
        }
        writer.finish("").unwrap();
        for (links, expand) in [(false, None), (true, None), (false, Some(3000))] {
            let grown = grow(&bytes, &TreeOptions { links, expand, ..TreeOptions::default() });
            assert_eq!(grown.counts.positions, number, "{round} {links} {expand:?}");
        }
    }
}

fn empty(size: Size) -> StoneKey {
    StoneKey { rule: Rule::Freestyle, size, to_move: Side::First, stones: Vec::new() }
}

#[test]
fn the_line_that_was_played_most_leads_to_a_position_and_comes_first() {
    let games: Vec<Record> = ["h8 h9 j8 g10 a1", "j8 g10 h8 h9 a1", "j8 g10 h8 h9 a3"].into_iter().map(line).collect();
    let grown = grow(&build(&games, true), &TreeOptions { stats: true, ..TreeOptions::default() });
    let (tree, size) = (&grown.record.tree, grown.record.head.size);
    let names: Vec<String> =
        tree.main_line().map(|node| Coords::A1.text(tree.play(node).stone().unwrap(), size).to_string()).collect();
    assert_eq!(names.len(), 5);
    let comment = tree.main_line().nth(3).and_then(|node| tree.line(node));
    assert_eq!(comment, Some("games 3: black 0, drawn 0, white 0"));
    assert_eq!(grown.counts.transposed, 1);
    // The line of two games, and not that of one.
    let third = tree.main_line().nth(2).and_then(|node| tree.line(node));
    assert_eq!(third, Some("games 2: black 0, drawn 0, white 0"));
}

#[test]
fn links_name_the_line_that_leads_to_the_position() {
    let library = lines(&["h8 i9 j10 k11|the end", "j10 i9 h8", "h8 i9 g7"]);
    let grown = grow(&build([&library], false), &TreeOptions { links: true, ..TreeOptions::default() });
    let (tree, size) = (&grown.record.tree, grown.record.head.size);
    let linked: Vec<_> = tree.nodes().filter(|node| tree.line(*node).is_some_and(|l| l.starts_with("= "))).collect();
    assert_eq!((linked.len(), grown.counts.transposed), (1, 1));
    let name = |node| Coords::A1.text(tree.play(node).stone().unwrap(), size).to_string();
    let path: Vec<String> = tree.path(linked[0]).into_iter().map(name).collect();
    let mut named: Vec<&str> = tree.line(linked[0]).unwrap()[2..].split(' ').collect();
    // One of the lines is the tree's, the other one names it.
    let [mut one, mut other] = [["h8", "i9", "j10"], ["j10", "i9", "h8"]];
    if path != one {
        std::mem::swap(&mut one, &mut other);
    }
    assert_eq!(path, one);
    assert_eq!(named, other);
    assert!(tree.is_leaf(linked[0]));
    // Up to symmetry the line names an image: the position is the same.
    let grown = grow(&build([&library], true), &TreeOptions { links: true, ..TreeOptions::default() });
    let tree = &grown.record.tree;
    for node in tree.nodes() {
        if let Some(text) = tree.line(node).and_then(|text| text.strip_prefix("= ")) {
            named = text.split(' ').collect();
            let key = |names: &[String]| {
                Sayings::of(&line(&names.join(" ")), true).positions.into_keys().collect::<BTreeSet<_>>()
            };
            let path: Vec<String> = tree.path(node).into_iter().map(name_of(tree)).collect();
            let named: Vec<String> = named.iter().map(|name| (*name).into()).collect();
            let [mut path, mut named] = [key(&path), key(&named)];
            let longest = |names: &mut BTreeSet<String>| names.iter().max_by_key(|name| name.len()).cloned();
            assert_eq!(longest(&mut path), longest(&mut named));
        }
    }
}

fn name_of(tree: &record::Tree) -> impl Fn(record::NodeId) -> String + '_ {
    |node| Coords::A1.text(tree.play(node).stone().unwrap(), Size::default()).to_string()
}

/// How many nodes there are when each move is followed to its end, however often that leads to a position.
fn paths(from: &str, moves: &BTreeSet<(String, String)>, known: &mut BTreeMap<String, usize>) -> usize {
    if let Some(number) = known.get(from) {
        return *number;
    }
    let next = moves.range((from.to_owned(), String::new())..).take_while(|(before, _)| before == from);
    let next: Vec<String> = next.map(|(_, after)| after.clone()).collect();
    let number = 1 + next.iter().map(|after| paths(after, moves, known)).sum::<usize>();
    known.insert(from.into(), number);
    number
}

#[test]
fn expanded_trees_repeat_each_position_below_each_move_that_leads_to_it() {
    let mut repeated = 0;
    let mut all = libraries(&testdata("renlib"));
    let many =
        lines(&["h8 i9 j10 k11 l12|end", "j10 k11 h8 i9 l12 a1", "l12 i9 h8 k11 j10 b1", "h8 k11 j10 i9", "h8 g7 j8"]);
    all.push(("many orders".into(), many));
    for (name, library) in all {
        let said = Sayings::of(&library, true);
        let passes = library.tree.nodes().any(|node| library.tree.play(node) == Play::Move(Move::Pass));
        if passes {
            continue;
        }
        let root = place(&empty(Size::default()), None, true);
        let wanted = paths(&root, &said.moves, &mut BTreeMap::new());
        let grown = grow(&build([&library], true), &TreeOptions { expand: Some(1 << 20), ..TreeOptions::default() });
        let after = Sayings::of(&grown.record, true);
        assert_eq!(after.nodes(), wanted, "{name}");
        assert_eq!(after.moves, said.moves);
        assert_eq!((after.comments, after.texts), (said.joined().comments, Sayings::of(&library, true).texts));
        assert!(!grown.counts.stopped);
        let few = grow(&build([&library], true), &TreeOptions { expand: Some(1), ..TreeOptions::default() });
        assert_eq!(Sayings::of(&few.record, true).positions.len(), after.positions.len());
        assert_eq!(few.counts.stopped, grown.counts.repeated > 0);
        repeated += grown.counts.repeated;
    }
    assert!(repeated > 10, "{repeated}");
}

#[test]
fn a_branch_is_what_comes_after_its_position_the_way_round_that_was_asked_for() {
    let library = read(&testdata("renlib/showcase.lib")).unwrap();
    let mut said = Sayings::of(&library, true);
    // A position comes after another one that lacks a stone of it, whether or not that was played there.
    for (here, key) in &said.keys {
        for at in (0..key.stones.len()).filter(|at| key.stones[*at].1 != key.to_move) {
            let mut before = key.clone();
            before.stones.remove(at);
            before.to_move = key.to_move.other();
            said.moves.insert((place(&before, None, true), here.clone()));
        }
    }
    let bytes = build([&library], true);
    let mut branches = 0;
    for node in library.tree.nodes().skip(1).step_by(3) {
        let moves: Vec<Move> = library
            .tree
            .path(node)
            .into_iter()
            .filter_map(|node| if let Play::Move(play) = library.tree.play(node) { Some(play) } else { None })
            .collect();
        for symmetry in [Symmetry::Identity, Symmetry::R90, Symmetry::Antidiagonal] {
            let size = Size::default();
            let turned =
                |play: &Move| play.point().map_or(Move::Pass, |point| Move::Place(symmetry.apply(point, size)));
            let moves: Vec<Move> = moves.iter().map(turned).collect();
            let position = Position { size, setup: Vec::new(), to_move: Side::First, moves: moves.clone() };
            let grown = grow(&bytes, &TreeOptions { position: Some(position), ..TreeOptions::default() });
            let tree = &grown.record.tree;
            let start = tree.nodes().find(|node| tree.is_start(*node)).unwrap();
            let path: Vec<Play> = tree.path(start).into_iter().map(|node| tree.play(node)).collect();
            assert_eq!(path, moves.into_iter().map(Play::Move).collect::<Vec<_>>());
            let after = Sayings::of(&grown.record, true);
            let mut here: Vec<String> = vec![after_all(&grown.record, start)];
            let mut reached = BTreeSet::from_iter(here.clone());
            while let Some(from) = here.pop() {
                for (_, to) in
                    said.moves.range((from.clone(), String::new())..).take_while(|(before, _)| *before == from)
                {
                    if reached.insert(to.clone()) {
                        here.push(to.clone());
                    }
                }
            }
            let above = tree.path(start).len();
            assert_eq!(after.nodes(), reached.len() + above);
            assert!(reached.iter().all(|name| after.positions.contains_key(name)));
            assert_eq!(grown.counts.positions as usize, reached.len());
            for (name, comments) in after.comments {
                assert_eq!(
                    BTreeSet::from([said.comments[&name].iter().cloned().collect::<Vec<_>>().join("\n\n")]),
                    comments
                );
            }
            branches += 1;
        }
    }
    assert!(branches > 30);
}

#[test]
fn what_is_deeper_is_left_out_and_no_loss() {
    let library = read(&testdata("renlib/showcase.lib")).unwrap();
    let said = Sayings::of(&library, true);
    let bytes = build([&library], true);
    for max_ply in 0..12 {
        let grown = grow(&bytes, &TreeOptions { max_ply, ..TreeOptions::default() });
        let after = Sayings::of(&grown.record, true);
        let shallow = said.keys.iter().filter(|(_, key)| key.stones.len() <= max_ply).map(|(name, _)| name);
        assert!(after.positions.keys().all(|name| said.keys[name].stones.len() <= max_ply));
        // A pass takes a ply as well.
        let kept = shallow.filter(|name| after.positions.contains_key(*name)).count();
        assert_eq!((grown.counts.positions as usize, grown.unsaid.len()), (kept, 0), "{:?}", grown.unsaid);
        assert!(grown.record.tree.walk().all(|(depth, _)| depth <= max_ply + 1));
    }
    let cut = BuildOptions { min_plies: 0, ..BuildOptions::default() };
    let mut builder = Builder::new(cut);
    builder
        .add_entry(
            &empty(Size::default()).into(),
            Entry {
                moves: vec![Continuation { play: Move::Place(point("h8")), tally: Tally::default() }],
                ..Entry::default()
            },
        )
        .unwrap();
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    let grown = grow(&bytes, &TreeOptions::default());
    assert_eq!((grown.unsaid.len(), grown.unsaid[0].count, grown.record.tree.len()), (1, 1, 1));
}

#[test]
fn a_branch_of_a_drawn_position_begins_with_its_stones() {
    let bytes = build([&lines(&["h8 h9 i9 k3", "h8 i9 a1"])], true);
    let size = Size::default();
    let setup = vec![(point("h8"), Side::First), (point("h7"), Side::Second), (point("i7"), Side::First)];
    let position = Position { size, setup, to_move: Side::Second, moves: Vec::new() };
    let grown = grow(&bytes, &TreeOptions { position: Some(position), ..TreeOptions::default() });
    let tree = &grown.record.tree;
    let notes: Vec<Note<'_>> = tree.notes(record::NodeId::ROOT).collect();
    assert_eq!((notes.len(), notes.last()), (4, Some(&Note::ToMove(Side::Second))));
    assert!(tree.is_start(record::NodeId::ROOT));
    let next: Vec<Play> = tree.main_line().map(|node| tree.play(node)).collect();
    assert_eq!(next, [Play::Move(Move::Place(point("k13")))]);
    // A book of the branch has its positions.
    let again = grow(&build([&grown.record], true), &TreeOptions::default());
    assert_eq!((grown.counts.positions, again.counts.positions), (2, 2));
}

/// The name of the position of a node.
fn after_all(record: &Record, node: record::NodeId) -> String {
    let names: Vec<String> = record
        .tree
        .path(node)
        .into_iter()
        .map(|node| match record.tree.play(node) {
            Play::Move(Move::Place(point)) => Coords::A1.text(point, Size::default()).to_string(),
            _ => "--".into(),
        })
        .collect();
    let mut board = StoneKey { rule: Rule::Renju, size: Size::default(), to_move: Side::First, stones: Vec::new() };
    for play in parse_moves(&names.join(" "), Coords::A1, Size::default()).unwrap() {
        board.stones.extend(play.point().map(|point| (point, board.to_move)));
        board.to_move = board.to_move.other();
    }
    place(&board, None, true)
}

/// `x.lib` as a book, a database, a book and a library again.
fn through_a_database(desk: &Desk) -> (Record, String) {
    let mut told = String::new();
    for arguments in [
        &["build", "x.lib", "--short", "-o", "x.agb"][..],
        &["export", "x.agb", "-o", "x.db"],
        &["import", "x.db", "-o", "y.agb"],
        &["export", "y.agb", "--output-encoding", "utf-8", "-o", "y.lib"],
    ] {
        let said = desk.kifu(&[&["book"][..], arguments, &["--force"]].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        told += &said.out;
        told += &said.err;
    }
    (read_as("renlib", &desk.read("y.lib"), Some(UTF_8)).unwrap(), told)
}

fn put_library(desk: &Desk, record: &Record) {
    let mut bytes = Vec::new();
    let options = WriteOptions { encoding: Some(UTF_8), ..WriteOptions::default() };
    let mut writer = by_name("renlib").unwrap().start(&mut bytes, &options);
    writer.record(record, &mut Losses::default()).unwrap();
    writer.finish().unwrap();
    drop(writer);
    desk.put("x.lib", bytes);
}

/// A database keeps what a library says at its positions.
fn survives_a_database(record: &Record) -> String {
    let desk = Desk::new();
    put_library(&desk, record);
    let (again, told) = through_a_database(&desk);
    let (before, after) = (Sayings::of(record, true).joined(), Sayings::of(&again, true));
    assert!(before.positions.keys().eq(after.positions.keys()));
    assert_eq!(before.nodes(), after.nodes());
    assert_eq!((before.comments, before.texts), (after.comments, after.texts));
    told
}

#[test]
fn loss_1_merged_lines_marks_and_starts_are_told() {
    let mut tree = TreeBuilder::new();
    for (depth, name) in
        [(1, "h8"), (2, "h9"), (3, "j8"), (4, "g10"), (2, "i8"), (1, "j8"), (2, "g10"), (3, "h8"), (4, "h9")]
    {
        tree.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point(name)))).unwrap();
        if depth == 4 {
            tree.set_found();
        }
    }
    tree.set_start();
    let told = survives_a_database(&Record { tree: tree.build(), ..Record::default() });
    assert!(told.contains("times, signs, marks and raw bytes, not kept: 3"), "{told}");
    let desk = Desk::new();
    put_library(&desk, &lines(&["h8 h9 j8 g10", "h8 i8", "j8 g10 h8 h9"]));
    desk.kifu(&["book", "build", "x.lib", "-o", "x.agb"]);
    let said = desk.kifu(&["book", "export", "x.agb", "-o", "y.lib"]);
    assert_eq!(
        said.err,
        "kifu: x.agb: 1 move leads to a position that stands elsewhere in the tree: left out (see --link-comments and --expand of kifu book export)\n"
    );
}

#[test]
fn loss_2_free_texts_stay_texts() {
    let mut tree = TreeBuilder::new();
    tree.append(1, Side::First, Play::Move(Move::Place(point("h8")))).unwrap();
    let words = ["White wins here", "Long line", "attack!", "check this", "main", "W12", "v42", "a"];
    for (text, name) in words.into_iter().zip(["h9", "i9", "j9", "k9", "h10", "l9", "m9", "n9"]) {
        tree.append(2, Side::Second, Play::Move(Move::Place(point(name)))).unwrap();
        tree.note(Note::Text(text)).unwrap();
    }
    survives_a_database(&Record { tree: tree.build(), ..Record::default() });
}

#[test]
fn loss_3_comments_met_again_through_a_transposition_are_kept() {
    let library = lines(&["h8 i9 j10 k11|by the one", "j10 k11 h8 i9|by the other", "h8 k11 j10 i9|by the one"]);
    let desk = Desk::new();
    put_library(&desk, &library);
    let comments = Sayings::of(&through_a_database(&desk).0, true).comments;
    assert_eq!(comments.into_values().collect::<Vec<_>>(), [BTreeSet::from(["by the one\nby the other".to_owned()])]);
    let grown = grow(&build([&library], true), &TreeOptions::default());
    let comments = Sayings::of(&grown.record, true).comments;
    assert_eq!(comments.into_values().collect::<Vec<_>>(), [BTreeSet::from(["by the one\n\nby the other".to_owned()])]);
}

#[test]
fn loss_4_old_comments_are_comments_and_no_moves() {
    let library = read(&testdata("renlib/09_headerless_v1_oldcomment.lib")).unwrap();
    let comments = Sayings::of(&library, true).comments;
    assert!(!comments.is_empty());
    survives_a_database(&library);
}

#[test]
fn loss_5_distances_to_a_win_stay_however_often_they_travel() {
    let mut library = line("h8 h9 i9");
    let desk = Desk::new();
    let mut tree = TreeBuilder::new();
    for (depth, name) in [(1, "h8"), (2, "h9"), (3, "i9")] {
        tree.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point(name)))).unwrap();
        tree.note(Note::Text("W21")).unwrap();
    }
    library.tree = tree.build();
    put_library(&desk, &library);
    for _ in 0..3 {
        let (again, _) = through_a_database(&desk);
        assert_eq!(Sayings::of(&again, true).texts, Sayings::of(&library, true).texts);
        put_library(&desk, &again);
    }
    // And as values, from a database through a tree that holds values.
    desk.sample("yixin-db/quirk04.db");
    desk.kifu(&["book", "import", "quirk04.db", "-o", "q.agb"]);
    let mut values = BTreeSet::new();
    for _ in 0..3 {
        assert_eq!(desk.kifu(&["book", "export", "q.agb", "-o", "q.agr", "--force"]).code, 0);
        let record = read_as("agi-record", &desk.read("q.agr"), None).unwrap();
        values.insert(Sayings::of(&record, true).values);
        assert_eq!(desk.kifu(&["book", "build", "q.agr", "--short", "-o", "q.agb", "--force"]).code, 0);
    }
    assert_eq!(values.len(), 1);
    assert!(values.first().unwrap().values().any(|value| value == "#-39"), "{values:?}");
}

#[test]
fn loss_6_values_are_told_and_labels_are_not_glued_to_texts() {
    let desk = Desk::new();
    desk.sample("yixin-db/quirk04.db");
    desk.kifu(&["book", "import", "quirk04.db", "-o", "q.agb"]);
    let said = desk.kifu(&["book", "export", "q.agb", "-o", "q.lib"]);
    for loss in [
        "renlib cannot hold labels of positions (left out): 1",
        "renlib cannot hold bounds, nodes, scales, sources and negative depths of values (left out): 1",
        "renlib cannot hold values (left out): 1",
    ] {
        assert!(said.err.contains(loss), "{}", said.err);
    }
    assert_eq!(desk.kifu(&["book", "export", "q.agb", "--fail-on-loss", "-o", "r.lib"]).code, 3);
    assert!(!desk.path("r.lib").exists());
    let texts = Sayings::of(&read(&desk.path("q.lib")).unwrap(), true).texts;
    assert_eq!(texts.into_iter().map(|(_, text, _)| text).collect::<Vec<_>>(), ["52%"]);
}

#[test]
fn loss_7_comments_do_not_grow() {
    let desk = Desk::new();
    let mut library = line("h8 h9 i9");
    let mut tree = TreeBuilder::new();
    for (depth, name) in [(1, "h8"), (2, "h9"), (3, "i9"), (4, "j9")] {
        tree.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point(name)))).unwrap();
        if depth != 2 {
            tree.note(Note::Line("in a line")).unwrap();
        }
        if depth > 1 {
            tree.note(Note::Body(if depth == 4 { "in\nmany\n\nlines\n" } else { "only below" })).unwrap();
        }
    }
    library.tree = tree.build();
    put_library(&desk, &library);
    let mut files = Vec::new();
    for _ in 0..3 {
        let (again, _) = through_a_database(&desk);
        assert_eq!(Sayings::of(&again, true).comments, Sayings::of(&library, true).comments);
        put_library(&desk, &again);
        files.push(desk.read("y.lib"));
    }
    assert!(files[0] == files[1] && files[1] == files[2]);
}

#[test]
fn loss_8_each_position_stands_once() {
    for (name, library) in libraries(&testdata("renlib")) {
        let desk = Desk::new();
        put_library(&desk, &library);
        if library.tree.nodes().any(|node| library.tree.play(node) == Play::Move(Move::Pass)) {
            continue;
        }
        let (again, _) = through_a_database(&desk);
        let labels = again.tree.nodes().filter(|node| matches!(again.tree.play(*node), Play::Label(_))).count();
        assert_eq!(again.tree.len() - labels, Sayings::of(&library, true).positions.len(), "{name}");
    }
}

#[test]
fn loss_9_moves_to_forbidden_points_are_moves() {
    // Black's last stone makes six in a row.
    survives_a_database(&lines(&["f8 a1 g8 a3 h8 a5 j8 a7 k8 a9 i8|overline"]));
}

#[test]
fn loss_10_passes_are_passes_and_what_rapfi_makes_of_them_is_told() {
    let library = lines(&["h8 j9 --|black passes", "h8 j9 -- c3 d4", "h8 -- i9"]);
    let told = survives_a_database(&library);
    assert!(told.contains("positions after a pass"), "{told}");
    survives_a_book(&library, Symmetry::R90, Orient::Written);
}

/// All positions, comments and texts of a database stand in the library made of it.
fn database_becomes_a_library(path: &Path) {
    let desk = Desk::new();
    desk.put("x.db", std::fs::read(path).unwrap());
    assert_eq!(desk.kifu(&["book", "import", "x.db", "-o", "x.agb"]).code, 0);
    let said = desk.kifu(&["book", "export", "x.agb", "--output-encoding", "utf-8", "-o", "x.lib"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let library = read_as("renlib", &desk.read("x.lib"), Some(UTF_8)).unwrap();
    let after = Sayings::of(&library, true);
    assert!(after.positions.values().all(|count| *count == 1));
    let bytes = desk.read("x.agb");
    let book = Book::open(&bytes).unwrap();
    let mut frames = Frames::new(true);
    let mut positions = 0;
    for position in book.entries() {
        let (key, entry) = position.unwrap();
        let key = frames.of(Game::Gomoku, Size::default()).stone_key(&key).unwrap();
        let here = place(&key, None, true);
        assert!(after.positions.contains_key(&here));
        for comment in entry.comments {
            assert!(after.comments[&here].iter().all(|said| said.contains(&comment.text)));
        }
        for text in entry.texts {
            assert!(
                after.texts.iter().any(|said| said.1 == text.text && said.0 == place(&key, Some(text.point), true))
            );
        }
        positions += 1;
    }
    // The empty board, and lines of our own to what no line of the database leads to.
    let own = said.err.split("no line of the book leads to ").nth(1).map_or(0, |told| {
        let own = told.split(": ").nth(1).unwrap().split(' ').next().unwrap();
        own.replace(',', "").parse::<usize>().unwrap()
    });
    assert!(after.nodes() <= positions + 1 + own && after.nodes() >= positions, "{} {positions} {own}", after.nodes());
}

#[test]
fn databases_of_ours_become_libraries() {
    for name in ["quirk01.db", "quirk04.db", "pass.db"] {
        database_becomes_a_library(&testdata("yixin-db").join(name));
    }
}

#[test]
fn databases_of_rapfi_become_libraries() {
    let Some(folder) = shared("data/yixin-db") else { return };
    for name in ["d4.db", "quirk01.db", "quirk04.db"] {
        database_becomes_a_library(&folder.join(name));
    }
}

#[test]
fn a_book_of_several_boards_is_several_records_or_one_that_is_named() {
    let desk = Desk::new();
    desk.put("x.txt", "renju 15 1 5 h8 g7 g8 k5 h9 h6 f8 i8 f7 e6 e8\n");
    desk.put("y.txt", "freestyle 20 1 5 j10 k11 l12 a1 a2 a3 a4 a5 a6 a7 a8\n");
    let said = desk.kifu(&["book", "build", "x.txt", "y.txt", "-o", "x.agb"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = desk.kifu(&["book", "export", "x.agb", "-o", "x.lib"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("name it with --rule and --size: freestyle 20x20, renju 15x15"), "{}", said.err);
    assert_eq!(desk.kifu(&["book", "export", "x.agb", "--rule", "renju", "-o", "x.lib"]).code, 0);
    assert_eq!(desk.kifu(&["book", "export", "x.agb", "-o", "x.sgf"]).code, 0);
    assert_eq!(desk.kifu(&["info", "--json", "x.sgf"]).json()[0]["records"], 2);
    let said = desk.kifu(&["book", "export", "x.agb", "--rule", "renju", "--position", "a1", "-o", "y.lib"]);
    assert!(said.code == 2 && said.err.contains("the position is not in the book"), "{}", said.err);
    let said = desk.kifu(&["book", "export", "x.agb", "--rule", "renju", "--position", "h8h8", "-o", "y.lib"]);
    assert!(said.code == 2 && said.err.contains("h8h8"), "{}", said.err);
    let said = desk.kifu(&["book", "export", "x.agb", "--stats", "-o", "y.db"]);
    assert!(said.code == 2 && said.err.contains("--stats is for trees of moves"), "{}", said.err);
    assert_eq!(desk.files(""), ["x.agb", "x.lib", "x.sgf", "x.txt", "y.txt"]);
}

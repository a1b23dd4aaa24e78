//! Books made trees again, held against what the libraries they came from say at each position.

mod support;

use book::{Book, BuildOptions, Builder, Grown, Orient, TreeOptions};
use formats::{Losses, Progress, ReadOptions, Reading, WriteOptions, by_name, encoding_of};
use games::gomoku::symmetries;
use games::{Coords, Move, Point, Position, Rule, Side, Size, Symmetry, parse_moves};
use record::{Key, Note, Part, Play, Record, Tree, TreeBuilder, turn};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use support::{Desk, files, shared, testdata};

fn read_bytes(format: &str, bytes: &[u8]) -> Option<Vec<Record>> {
    let (options, progress) = (ReadOptions::default(), Progress::new());
    let mut records = Vec::new();
    let mut each = |record| {
        records.push(record);
        Ok(())
    };
    let format = by_name(format).unwrap();
    (format.read)(bytes, &mut Reading::new(format.name, &options, &progress, &mut each)).ok()?;
    Some(records)
}

fn read(path: &Path) -> Option<Record> {
    read_bytes("renlib", &std::fs::read(path).unwrap()).map(|mut records| records.remove(0))
}

fn write(format: &str, record: &Record) -> (Vec<u8>, Losses) {
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let mut writer = (by_name(format).unwrap().writer)(&mut bytes, &WriteOptions::default());
    writer.record(record, &mut losses).unwrap();
    writer.finish().unwrap();
    drop(writer);
    (bytes, losses)
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

/// The trees of a book, each with the encoding of its bytes.
fn grow(book: &[u8], options: &TreeOptions) -> Vec<Grown> {
    let book = Book::open(book).unwrap();
    let stop = AtomicBool::new(false);
    let trees: Result<Vec<Grown>, _> = book.trees(options, &stop).unwrap().collect();
    let mut trees = trees.unwrap();
    for grown in &mut trees {
        grown.record.head.encoding = encoding_of(&grown.record).map(|encoding| encoding.name());
    }
    trees
}

fn one(book: &[u8], options: &TreeOptions) -> Grown {
    let mut trees = grow(book, options);
    assert_eq!(trees.len(), 1);
    trees.remove(0)
}

/// A position in its least image: the stones, the side to move, a point.
type Place = (Vec<(Point, Side)>, Side, Option<Point>);

fn place(key: &Key, point: Option<Point>) -> Place {
    let image = |symmetry: &Symmetry| {
        let turned = key.turned(*symmetry);
        (turned.stones, turned.to_move, point.map(|point| symmetry.apply(point, key.size)))
    };
    let order = |place: &Place| {
        let stones: Vec<_> = place.0.iter().map(|(point, side)| (*point, *side as u8)).collect();
        (stones, place.2)
    };
    symmetries(key.size).iter().map(image).min_by_key(order).unwrap()
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
}

impl Sayings {
    fn of(record: &Record) -> Sayings {
        let mut sayings = Sayings::default();
        let size = record.head.size;
        let tree = &record.tree;
        let rule = record.head.rule.unwrap_or(Rule::Renju);
        let name = |key: &Key, point| format!("{:?}", place(key, point));
        // By depth: the position, or none below a stone on a stone.
        let mut path: Vec<Option<Key>> = Vec::new();
        for (depth, node) in tree.walk() {
            path.truncate(depth);
            let above = path.last().cloned();
            let key = match (above, tree.play(node)) {
                (None, _) => Some(Key { rule, size, to_move: Side::First, stones: Vec::new() }),
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
            if let (Some(Some(before)), Some(text), Some(point)) =
                (depth.checked_sub(1).map(|above| path[above].clone()), tree.text(node), tree.play(node).point())
                && !text.is_empty()
            {
                let bytes = tree.bytes(node, Part::Text).filter(|_| text.contains('\u{FFFD}')).unwrap_or_default();
                sayings.texts.insert((name(&before, Some(point)), text.into(), bytes.to_vec()));
            }
            let Some(key) = key else { continue };
            if !matches!(tree.play(node), Play::Label(_)) {
                *sayings.positions.entry(name(&key, None)).or_default() += 1;
            }
            let parts = [tree.line(node), tree.body(node)];
            let comment: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            if !comment.is_empty() {
                sayings.comments.entry(name(&key, None)).or_default().insert(comment.join("\n"));
            }
            for note in tree.notes(node) {
                if let Note::Label(point, text) = note {
                    sayings.texts.insert((name(&key, Some(point)), text.into(), Vec::new()));
                }
            }
        }
        sayings
    }

    /// As it is when the comments of a position are one.
    fn joined(mut self) -> Sayings {
        for comments in self.comments.values_mut() {
            *comments = BTreeSet::from([comments.iter().cloned().collect::<Vec<_>>().join("\n\n")]);
        }
        self.positions.values_mut().for_each(|count| *count = 1);
        self
    }
}

/// Makes a library a book and a library again, as files, and holds what they say against each other.
fn survives_a_book(library: &Record, symmetry: Symmetry, orient: Orient) -> Grown {
    let turned = turn(library, symmetry).unwrap();
    let grown = one(&build([&turned], true), &TreeOptions { orient, ..TreeOptions::default() });
    let (bytes, _) = write("renlib", &grown.record);
    let again = read_bytes("renlib", &bytes).unwrap().remove(0);
    let (before, after) = (Sayings::of(&turned).joined(), Sayings::of(&again));
    assert!(after.positions.values().all(|count| *count == 1), "{:?}", after.positions);
    assert!(before.positions.keys().eq(after.positions.keys()));
    assert_eq!(before.comments, after.comments);
    assert_eq!(before.texts, after.texts);
    assert_eq!(grown.counts.positions, after.positions.len() as u64);
    assert_eq!(grown.record.tree.len() as u64, grown.counts.positions + grown.counts.labels);
    assert_eq!((grown.counts.orphans, grown.counts.own), (0, 0));
    grown
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
        let small = library.tree.len() < 5000;
        for symmetry in Symmetry::ALL.into_iter().take(if small { 8 } else { 1 }) {
            survives_a_book(library, symmetry, Orient::Written);
        }
        comments += library.tree.nodes().filter(|node| library.tree.line(*node).is_some()).count();
        texts += library.tree.nodes().filter(|node| library.tree.text(*node).is_some()).count();
    }
    assert!(comments > 900 && texts > 9126, "{comments} {texts}");
}

//! What the tests of all formats share: sample files, random records, and damage.

use crate::{
    EntryFormat, EntryReading, Error, Faults, Format, Losses, Progress, ReadOptions, Reading, Strictness, WriteOptions,
};
use games::gomoku::symmetries;
use games::xiangqi::{Board, Kind, Piece};
use games::{Game, Move, Point, Rule, Side, Size, Step, Symmetry};
use proptest::prelude::*;
use record::{
    Backed, BoardText, Bound, Comment, Continuation, Entry, Head, Judgement, Key, Label, Newline, Note, Opening,
    Outcome, Part, Pieces, Play, Ratings, Record, Rest, Score, Shape, StoneKey, Tally, TreeBuilder, Value,
};
use std::path::PathBuf;

/// The folder of samples that are not in the repository (`KIFU_SAMPLES`, default `../shared` beside it);
/// where it is absent the caller skips its test, and this prints so.
pub fn shared(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("KIFU_SAMPLES").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")));
    let path = root.join(part);
    if !path.exists() {
        eprintln!("skipped: {} is absent (set KIFU_SAMPLES)", path.display());
        return None;
    }
    Some(path)
}

/// A file of `testdata/`.
pub fn testdata(part: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata")).join(part)
}

/// All files below a folder with this extension, in a stable order.
pub fn files(folder: &std::path::Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What a reading gave.
#[derive(Debug)]
pub struct Read {
    pub records: Vec<Record>,
    pub faults: Faults,
    pub encoding: Option<crate::Guess>,
}

impl Read {
    /// The only record.
    pub fn one(mut self) -> Record {
        assert_eq!(self.records.len(), 1);
        self.records.remove(0)
    }
}

pub fn read_with(format: &Format, bytes: &[u8], options: &ReadOptions) -> Result<Read, Error> {
    let progress = Progress::default();
    let mut records = Vec::new();
    let mut each = |record| {
        records.push(record);
        Ok(())
    };
    let mut reading = Reading::new(format.name, options, &progress, &mut each);
    (format.read)(bytes, &mut reading)?;
    let (faults, encoding) = (reading.faults, reading.encoding);
    Ok(Read { records, faults, encoding })
}

pub fn read(format: &Format, bytes: &[u8]) -> Result<Read, Error> {
    read_with(format, bytes, &ReadOptions::default())
}

pub fn strict() -> ReadOptions {
    ReadOptions { strictness: Strictness::Strict, ..ReadOptions::default() }
}

pub fn lenient() -> ReadOptions {
    ReadOptions { strictness: Strictness::Lenient, ..ReadOptions::default() }
}

pub fn write_with(format: &Format, records: &[Record], options: &WriteOptions) -> Result<(Vec<u8>, Losses), Error> {
    let mut bytes = Vec::new();
    let mut losses = Losses::default();
    let mut writer = format.start(&mut bytes, options);
    for record in records {
        writer.record(record, &mut losses)?;
    }
    writer.finish()?;
    drop(writer);
    Ok((bytes, losses))
}

pub fn write(format: &Format, records: &[Record]) -> Result<(Vec<u8>, Losses), Error> {
    write_with(format, records, &WriteOptions::default())
}

/// Reads every prefix of the sample (of long ones, a thousand) and `mutations` damaged copies, in all three
/// strictnesses: each ends in an error or a result, and what was read can be written again.
pub fn torture(format: &Format, sample: &[u8], mutations: usize) {
    let try_read = |bytes: &[u8]| {
        for options in [strict(), ReadOptions::default(), lenient()] {
            if let Ok(read) = read_with(format, bytes, &options) {
                // A target may refuse (many records in a file for one); it must not panic.
                let _ = write(format, &read.records);
            }
        }
    };
    damage(sample, mutations, try_read);
}

/// Hands out every prefix of the sample (of long ones, a thousand) and `mutations` damaged copies.
pub fn damage(sample: &[u8], mutations: usize, mut try_read: impl FnMut(&[u8])) {
    let step = sample.len() / 1000 + 1;
    for end in (0..sample.len()).step_by(step) {
        try_read(&sample[..end]);
    }
    let mut random = 0x9E37_79B9_7F4A_7C15_u64 ^ sample.len() as u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.max(1) as u64) as usize
    };
    for _ in 0..mutations {
        let mut bytes = sample.to_vec();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            match next(5) {
                0 if at < bytes.len() => bytes[at] = next(256) as u8,
                1 if at < bytes.len() => bytes[at] ^= 1 << next(8),
                2 if at < bytes.len() => drop(bytes.drain(at..(at + 1 + next(8)).min(bytes.len()))),
                3 => bytes.insert(at, next(256) as u8),
                _ => {
                    let from = next(bytes.len());
                    let piece = bytes[from..(from + next(64)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        try_read(&bytes);
    }
}

type Entries = Vec<(Key, Entry)>;

/// The positions of a file and what was forgiven.
pub fn read_entries(format: &EntryFormat, bytes: &[u8], options: &ReadOptions) -> Result<(Entries, Faults), Error> {
    let progress = Progress::default();
    let mut entries = Vec::new();
    let mut each = |entry| {
        entries.push(entry);
        Ok(())
    };
    let mut reading = EntryReading::new(format.name, options, &progress, &mut each);
    (format.read)(bytes, &mut reading)?;
    let faults = reading.faults;
    Ok((entries, faults))
}

/// The bytes of a file of positions, of which nothing is lost.
pub fn write_entries(format: &EntryFormat, entries: &[(Key, Entry)], options: &WriteOptions) -> Vec<u8> {
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let mut writer = (format.writer)(&mut bytes, options);
    entries.iter().for_each(|(key, entry)| writer.entry(key, entry, &mut losses).unwrap());
    writer.finish(&mut losses).unwrap();
    drop(writer);
    assert!(losses.is_empty(), "{losses:?}");
    bytes
}

/// As [`torture`], for positions.
pub fn torture_entries(format: &EntryFormat, sample: &[u8], mutations: usize) {
    damage(sample, mutations, |bytes| {
        for options in [strict(), ReadOptions::default(), lenient()] {
            if let Ok((entries, _)) = read_entries(format, bytes, &options) {
                let again = write_entries(format, &entries, &WriteOptions::default());
                assert_eq!(read_entries(format, &again, &strict()).unwrap().0, entries);
            }
        }
    });
}

/// Positions with anything that can be known of them, also what no builder would put together.
pub fn entries() -> impl Strategy<Value = Entries> {
    let size = prop_oneof![3 => Just((15, 15)), 1 => (1..=26_u8, 1..=26_u8)];
    let gomoku = size.prop_flat_map(|(width, height)| {
        let size = Size::new(width, height).unwrap();
        let play = prop_oneof![6 => point(size).prop_map(Move::Place), 1 => Just(Move::Pass)];
        (key(size), entry(size, play, symmetries(size)))
    });
    let step = (0..90 * 90_u16).prop_map(|at| Move::Step(Step::unpack(((at / 90) << 7) | (at % 90)).unwrap()));
    let play = prop_oneof![6 => step, 1 => Just(Move::Pass)];
    let xiangqi = (pieces(), entry(Size::XIANGQI, play, &[Symmetry::Identity, Symmetry::Mirror]));
    prop::collection::vec(prop_oneof![3 => gomoku, 1 => xiangqi], 0..5)
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::First), Just(Side::Second)]
}

fn key(size: Size) -> impl Strategy<Value = Key> {
    let stones = prop::collection::btree_map(point(size), side(), 0..12);
    (prop::sample::select(Rule::ALL.to_vec()), side(), stones).prop_map(move |(rule, to_move, stones)| {
        StoneKey { rule, size, to_move, stones: stones.into_iter().collect() }.into()
    })
}

/// Any pieces anywhere.
fn pieces() -> impl Strategy<Value = Key> {
    let piece = (point(Size::XIANGQI), side(), prop::sample::select(Kind::ALL.to_vec()));
    (side(), prop::collection::vec(piece, 0..32)).prop_map(|(to_move, pieces)| {
        let mut board = Board::empty();
        board.set_to_move(to_move);
        for (point, side, kind) in pieces {
            board.put(point, Some(Piece { side, kind }));
        }
        board.into()
    })
}

fn tally() -> impl Strategy<Value = Tally> {
    let count = || prop_oneof![3 => 0..50_u64, 1 => any::<u64>()];
    let some = (count(), count(), count(), count());
    let some = some.prop_map(|(games, first, draws, second)| Tally { games, first, draws, second });
    prop_oneof![Just(Tally::default()), some]
}

fn entry(
    size: Size,
    play: impl Strategy<Value = Move> + 'static,
    symmetries: &'static [Symmetry],
) -> impl Strategy<Value = Entry> {
    let play = play.boxed();
    let moves = (play.clone(), tally()).prop_map(|(play, tally)| Continuation { play, tally });
    let symmetry = || prop::sample::select(symmetries.to_vec());
    let bytes = || prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(any::<u8>(), 1..4)];
    let comment = (said(), bytes(), symmetry()).prop_map(|(text, bytes, written)| Comment { text, bytes, written });
    let texts = (point(size), said(), bytes(), symmetry());
    let texts = texts.prop_map(|(point, text, bytes, written)| BoardText { point, text, bytes, written });
    let bound = prop::sample::select(Bound::ALL.to_vec());
    let searched =
        move || (any::<i32>(), bound.clone(), any::<i16>(), prop::option::of(any::<u64>()), any::<u16>(), said());
    let judgement = move || {
        searched().prop_map(|(value, bound, depth, nodes, scale, source)| Judgement {
            value,
            bound,
            depth,
            nodes,
            scale,
            source,
        })
    };
    let rest =
        (prop::option::of(play), prop::option::of(judgement()), any::<bool>()).prop_map(|(play, judgement, proven)| {
            let proven = proven && judgement.is_some();
            Rest { play, judgement, proven }
        });
    let backed = (any::<i32>(), any::<u16>(), any::<bool>());
    let backed = backed.prop_map(|(value, scale, proven)| Backed { value, scale, proven });
    let study = (prop::option::of(rest), prop::option::of(backed));
    let label = prop_oneof![
        2 => Just(Label::None),
        1 => prop::sample::select(vec![Label::Null, Label::Win, Label::Loss, Label::Draw, Label::Forced, Label::Blocked]),
        1 => any::<u8>().prop_map(Label::User),
    ];
    let ratings = prop_oneof![Just((0, 0)), (any::<u64>(), any::<u64>())];
    let counted = (tally(), ratings, prop::option::of(any::<u16>()));
    (
        (prop::option::of(judgement()), label, counted, study),
        prop::collection::vec(moves, 0..4),
        prop::collection::vec(any::<u64>(), 0..3),
        prop::collection::vec(comment, 0..3),
        prop::collection::vec(texts, 0..4),
    )
        .prop_map(
            |((judgement, label, (tally, (sum, count), last_year), (rest, backed)), moves, games, comments, texts)| {
                Entry {
                    rest,
                    backed,
                    judgement,
                    label,
                    tally,
                    ratings: Ratings { sum, count },
                    last_year,
                    moves,
                    games,
                    comments,
                    texts,
                }
            },
        )
}

/// A text of a book, and what tables and spreadsheets stumble over.
fn said() -> impl Strategy<Value = String> {
    prop_oneof![4 => text(), 1 => "[=+@'\t\"',;\n-]{1,4}[a-z ]{0,3}", 1 => "[\u{FFFD}\u{7F}\u{85}棋 ]{0,4}"]
}

/// The games of a file of lines `rule size result opening_plies moves…`, result Black's points, in `a1` notation.
pub fn text_games(path: &std::path::Path) -> Vec<Record> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split(' ');
            let mut word = || words.next().unwrap();
            let (rule, size, result, plies) = (word(), word(), word(), word());
            let mut record = Record::default();
            record.head.rule = Some(rule.parse().unwrap());
            record.head.size = size.parse().unwrap();
            record.head.result = Some(match result {
                "1" => Outcome::First,
                "0" => Outcome::Second,
                _ => Outcome::Draw,
            });
            record.head.tags.push(("OpeningPlies".into(), plies.into()));
            let mut builder = TreeBuilder::new();
            for (at, word) in words.enumerate() {
                let point = games::Coords::A1.parse(word, record.head.size).unwrap();
                builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(point))).unwrap();
            }
            record.tree = builder.build();
            record
        })
        .collect()
}

/// The moves of the main line as `h8 -- i9`.
pub fn line(record: &Record) -> String {
    let (tree, size) = (&record.tree, record.head.size);
    let text = |node| match tree.play(node) {
        Play::Move(Move::Place(point)) => games::Coords::A1.text(point, size),
        Play::Move(Move::Pass) => "--".into(),
        other => format!("{other:?}"),
    };
    tree.main_line().map(text).collect::<Vec<_>>().join(" ")
}

/// A game on a 15x15 board by its moves as `x,y`, columns from the left and rows from the top, zero-based.
pub fn line_game(moves: &str) -> Record {
    let mut builder = TreeBuilder::new();
    for (at, word) in moves.split(' ').enumerate() {
        let (x, y) = word.split_once(',').unwrap();
        let point = Point::new(x.parse().unwrap(), y.parse().unwrap()).unwrap();
        builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(point))).unwrap();
    }
    Record { tree: builder.build(), ..Record::default() }
}

/// A tree of so many nodes below the root: `depth` gives the depth of each, by its number from 0.
pub fn tree_of(nodes: usize, depth: impl Fn(usize) -> usize) -> Record {
    let mut builder = TreeBuilder::new();
    for at in 0..nodes {
        let point = Point::new((at % 15) as u8, (at / 15 % 15) as u8).unwrap();
        let depth = depth(at);
        builder.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point))).unwrap();
        if at % 100 == 99 {
            builder.note(Note::Line("why not <here>?")).unwrap();
            builder.note(Note::Value(Value { score: Score::Points(at as i32), depth: Some(8) })).unwrap();
        }
    }
    Record { tree: builder.build(), ..Record::default() }
}

/// Runs the test in a thread with a stack too small for recursion over a deep tree.
pub fn with_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).unwrap();
    thread.join().unwrap();
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~]{0,12}",
        2 => "[a-z黑白棋ソ表äöж{}()\\[\\]\\\\<>&\"'%;:#-]{0,8}",
        1 => "[a-z \t\n]{0,10}",
        1 => Just(String::new()),
        1 => Just("[%label 69 A] {x} -- ]]> &amp; \\".into()),
        1 => " ?[a-z]{1,3} ?\n ?[a-z]{1,3} ?",
    ]
}

fn point(size: Size) -> impl Strategy<Value = Point> {
    (0..size.width(), 0..size.height()).prop_map(|(x, y)| Point::new(x, y).unwrap())
}

#[derive(Clone, Debug)]
enum Written {
    Stone(Point, Option<Side>),
    ToMove(Side),
    Value(Value),
    Time(u32),
    Line(String),
    Body(String),
    Text(String),
    Label(Point, String),
    Mark(Point, Shape),
    Property(String, String),
    /// Bytes that are not UTF-8, beside a text.
    Bytes(u8, Point, Vec<u8>),
}

fn written(size: Size) -> impl Strategy<Value = Written> {
    let side = prop_oneof![Just(Side::First), Just(Side::Second)];
    let score = prop_oneof![
        any::<i32>().prop_map(Score::Points),
        any::<u16>().prop_map(Score::FirstWins),
        any::<u16>().prop_map(Score::SecondWins),
    ];
    prop_oneof![
        (point(size), prop::option::of(side.clone())).prop_map(|(p, s)| Written::Stone(p, s)),
        side.prop_map(Written::ToMove),
        (score, prop::option::of(0..u16::MAX)).prop_map(|(score, depth)| Written::Value(Value { score, depth })),
        any::<u32>().prop_map(Written::Time),
        text().prop_map(Written::Line),
        text().prop_map(Written::Body),
        text().prop_map(Written::Text),
        (point(size), text()).prop_map(|(p, t)| Written::Label(p, t)),
        (point(size), prop::sample::select(Shape::ALL.to_vec())).prop_map(|(p, s)| Written::Mark(p, s)),
        ("[A-Z]{2,3}|[a-z]{1,4}:[a-z]{1,4}", text()).prop_map(|(n, v)| Written::Property(n, v)),
        (0..4_u8, point(size), prop::collection::vec(any::<u8>(), 0..6))
            .prop_map(|(part, p, bytes)| Written::Bytes(part, p, bytes)),
    ]
}

/// Random records: any board, any tree, anything written anywhere.
///
/// As codecs do, each node has at most one of each text, an empty one-line part stands only without a body,
/// and bytes stand only beside their text.
pub fn records() -> impl Strategy<Value = Record> {
    records_of(Game::Gomoku, prop_oneof![3 => Just((15, 15)), 1 => Just((20, 20)), 1 => (1..=26_u8, 1..=26_u8)])
}

/// Random records of all games.
pub fn all_records() -> impl Strategy<Value = Record> {
    prop_oneof![2 => records(), 1 => xiangqi_records()]
}

/// Random records of xiangqi, legal or not: some begin with a position where Black is to move.
fn xiangqi_records() -> impl Strategy<Value = Record> {
    let fen = prop::option::of(prop::sample::select(vec!["4k4/9/9/9/9/9/9/9/9/3K5 b - - 0 1", "9/9 w", "x b"]));
    (records_of(Game::Xiangqi, Just((9, 10))), fen).prop_map(|(mut record, fen)| {
        record.head.tags.retain(|(name, _)| name != "FEN");
        record.head.tags.extend(fen.map(|fen| ("FEN".to_owned(), fen.to_owned())));
        record
    })
}

/// Random games of xiangqi with variations and comments, all moves legal.
pub fn legal_records() -> impl Strategy<Value = Record> {
    let text = prop::option::weighted(0.2, "[a-z炮(\\[;%.]{1,4}(\n[a-z馬]{1,3})?");
    prop::collection::vec((0..9_usize, any::<u16>(), text), 0..60).prop_map(|choices| legal_record(&choices))
}

/// A tree of legal moves: `choices` says which move, and how far up the next one hangs.
fn legal_record(choices: &[(usize, u16, Option<String>)]) -> Record {
    let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
    let mut builder = TreeBuilder::new();
    let mut pieces = Pieces::new(&head).unwrap();
    let mut depth = 0;
    let mut seen = std::collections::HashSet::new();
    for (up, which, text) in choices {
        depth = depth + 1 - (up % 5).min(depth);
        pieces.back_to(depth);
        let legal: Vec<Step> = pieces.board().moves().collect();
        if legal.is_empty() {
            break;
        }
        let step = legal[usize::from(*which) % legal.len()];
        let parent = builder.path().nth(depth - 1).unwrap();
        if !seen.insert((parent, step)) {
            depth -= 1;
            continue;
        }
        let play = Play::Move(Move::Step(step));
        builder.append(depth, pieces.board().to_move(), play).unwrap();
        if let Some(text) = text {
            let (line, body) = text.split_once('\n').map_or((&**text, None), |(line, body)| (line, Some(body)));
            builder.note(Note::Line(line)).unwrap();
            body.map_or(Ok(()), |body| builder.note(Note::Body(body))).unwrap();
        }
        pieces.enter(play);
    }
    Record { head, tree: builder.build() }
}

/// Whether both have the same tree; the written one's head has a tag more.
pub fn same(one: &Record, other: &Record) -> bool {
    let nodes = |record: &Record| {
        let tree = &record.tree;
        tree.walk()
            .map(|(depth, node)| {
                let notes: Vec<String> = tree.notes(node).map(|note| format!("{note:?}")).collect();
                (depth, tree.play(node), tree.side(node), notes)
            })
            .collect::<Vec<_>>()
    };
    nodes(one) == nodes(other)
}

fn records_of(game: Game, size: impl Strategy<Value = (u8, u8)>) -> impl Strategy<Value = Record> {
    size.prop_flat_map(move |(width, height)| {
        let size = Size::new(width, height).unwrap();
        let play = match game {
            Game::Gomoku => point(size).prop_map(Move::Place).boxed(),
            Game::Xiangqi => (0..1_u16 << 14).prop_filter_map("a step", Step::unpack).prop_map(Move::Step).boxed(),
        };
        let play = prop_oneof![
            8 => play.prop_map(Play::Move),
            1 => Just(Play::Move(Move::Pass)),
            1 => point(size).prop_map(Play::Label),
            1 => Just(Play::Nothing),
        ];
        let node = (
            any::<prop::sample::Index>(),
            play,
            prop::bool::weighted(0.1),
            prop::bool::weighted(0.05),
            prop::bool::weighted(0.05),
            prop::collection::vec(written(size), 0..3),
        );
        (head(size), prop::collection::vec(written(size), 0..3), prop::collection::vec(node, 0..24)).prop_map(
            move |(head, root, nodes)| {
                let head = Head { game, ..head };
                let mut builder = TreeBuilder::new();
                write_notes(&mut builder, &root);
                for (depth, play, swapped, found, start, notes) in nodes {
                    let depth = depth.index(builder.depth() + 1) + 1;
                    let side = Side::of_ply(depth);
                    builder.append(depth, if swapped { side.other() } else { side }, play).unwrap();
                    if found {
                        builder.set_found();
                    }
                    if start {
                        builder.set_start();
                    }
                    write_notes(&mut builder, &notes);
                }
                Record { head, tree: builder.build() }
            },
        )
    })
}

fn write_notes(builder: &mut TreeBuilder, notes: &[Written]) {
    let mut seen = Vec::new();
    let has_body = notes.iter().any(|note| matches!(note, Written::Body(_)));
    for note in notes {
        let once = match note {
            Written::Stone(..) | Written::Label(..) | Written::Mark(..) | Written::Property(..) => None,
            Written::Bytes(part, ..) => Some(10 + u32::from(*part)),
            Written::Line(text) if text.is_empty() && has_body => continue,
            Written::ToMove(_) => Some(0),
            Written::Value(_) => Some(1),
            Written::Time(_) => Some(2),
            Written::Line(_) => Some(3),
            Written::Body(_) => Some(4),
            Written::Text(_) => Some(5),
        };
        if let Some(once) = once {
            if seen.contains(&once) {
                continue;
            }
            seen.push(once);
        }
        let note = match note {
            Written::Stone(point, side) => Note::Stone(*point, *side),
            Written::ToMove(side) => Note::ToMove(*side),
            Written::Value(value) => Note::Value(*value),
            Written::Time(ms) => Note::Time(*ms),
            Written::Line(text) => Note::Line(text),
            Written::Body(text) => Note::Body(text),
            Written::Text(text) => Note::Text(text),
            Written::Label(point, text) => Note::Label(*point, text),
            Written::Mark(point, shape) => Note::Mark(*point, *shape),
            Written::Property(name, value) => Note::Property(name, value),
            Written::Bytes(part, point, bytes) => {
                let part = match part {
                    0 => Part::Line,
                    1 => Part::Body,
                    2 => Part::Text,
                    _ => Part::Label(*point),
                };
                let beside = notes.iter().any(|note| match (part, note) {
                    (Part::Line, Written::Line(text)) => !text.is_empty() || !has_body,
                    (Part::Body, Written::Body(_)) | (Part::Text, Written::Text(_)) => true,
                    (Part::Label(point), Written::Label(at, _)) => point == *at,
                    _ => false,
                });
                if !beside {
                    continue;
                }
                Note::Bytes(part, bytes)
            }
        };
        builder.note(note).unwrap();
    }
}

fn head(size: Size) -> impl Strategy<Value = Head> {
    let tag = ("[A-Z][A-Za-z]{2,8}", text());
    let outcomes = vec![Outcome::First, Outcome::Second, Outcome::Draw, Outcome::Void, Outcome::Unknown];
    let opening =
        (prop::collection::vec(point(size), 0..3), prop::option::of(any::<u8>()), prop::option::of("[R-]{1,5}"))
            .prop_map(|(offered, declared, swaps)| Opening { offered, declared, swaps });
    (
        prop::option::of(prop::sample::select(Rule::ALL.to_vec())),
        prop::collection::vec(tag, 0..3),
        prop::option::of(prop::sample::select(outcomes)),
        opening,
        prop::option::of(prop::sample::select(vec!["UTF-8", "GBK", "windows-1252"])),
        prop::option::of(prop::sample::select(vec![Newline::Lf, Newline::CrLf])),
    )
        .prop_map(move |(rule, mut tags, result, opening, encoding, newline)| {
            // Names that our text formats use for other fields of the head are not tags.
            tags.retain(|(name, _): &(String, String)| !RESERVED.contains(&name.as_str()));
            Head { size, rule, tags, result, opening, encoding, newline, ..Head::default() }
        })
}

/// Tag names that stand for a field of the head in text formats.
const RESERVED: [&str; 10] =
    ["Game", "Size", "Rule", "Result", "Coords", "Encoding", "Newline", "Offered", "Declared", "Swaps"];

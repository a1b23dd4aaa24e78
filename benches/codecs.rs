//! Nodes and positions a second of the codecs, on one core, and the memory they take: `cargo bench`.

mod generator;

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use formats::{ENTRY_FORMATS, EntryFormat, EntryReading, Format, Losses, Progress, ReadOptions, Reading, WriteOptions};
use games::{Move, Point, Rule, Side, Size};
use record::{Continuation, Entry, Key, Record, StoneKey, Tally};
use std::sync::LazyLock;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const NODES: usize = 1_000_000;
static LIBRARY: LazyLock<Vec<u8>> = LazyLock::new(|| generator::library(NODES));
static RECORD: LazyLock<Record> = LazyLock::new(|| read(format("renlib"), &LIBRARY));

fn main() {
    divan::main();
}

fn format(name: &str) -> &'static Format {
    formats::by_name(name).expect("a format of the registry")
}

fn read(format: &Format, bytes: &[u8]) -> Record {
    let (options, progress) = (ReadOptions::default(), Progress::default());
    let mut found = None;
    let mut each = |record| {
        found = Some(record);
        Ok(())
    };
    let mut reading = Reading::new(format.name, &options, &progress, &mut each);
    (format.read)(bytes, &mut reading).expect("our own bytes read");
    found.expect("there is a record")
}

fn write(format: &Format, record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = format.start(&mut bytes, &WriteOptions::default());
    writer.record(record, &mut Losses::default()).expect("the record can be written");
    writer.finish().expect("a vector takes all");
    drop(writer);
    bytes
}

/// Bytes into the record. The first figure of the issue: nodes a second, and peak bytes beside the file's 3.9 a node.
#[divan::bench(args = ["renlib", "sgf", "agi-record", "agi-game", "json"])]
fn read_million(bencher: Bencher<'_, '_>, name: &str) {
    let bytes = if name == "renlib" { LIBRARY.clone() } else { write(format(name), &RECORD) };
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| read(format(name), &bytes));
}

/// The record into bytes.
#[divan::bench(args = ["renlib", "sgf", "agi-record", "agi-game", "json"])]
fn write_million(bencher: Bencher<'_, '_>, name: &str) {
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| write(format(name), &RECORD));
}

const POSITIONS: usize = 100_000;
static BOOK: LazyLock<Vec<(Key, Entry)>> = LazyLock::new(|| (1..=POSITIONS).map(position).collect());

/// A position of ten stones with games and three moves.
fn position(number: usize) -> (Key, Entry) {
    let size = Size::default();
    let point = |at: usize| Point::new((at % 15) as u8, (at / 15 % 15) as u8).expect("it is on the board");
    let mut stones: Vec<_> =
        (0..10).map(|ply| (point(number * (ply + 1) % 22 + ply * 22), Side::of_ply(ply + 1))).collect();
    stones.sort_unstable_by_key(|(point, _)| *point);
    let tally = Tally { games: number as u64, first: number as u64 / 2, draws: 3, second: number as u64 / 3 };
    let moves = (220..223).map(|at| Continuation { play: Move::Place(point(at)), tally }).collect();
    let key = StoneKey { rule: Rule::Renju, size, to_move: Side::First, stones };
    (key.into(), Entry { tally, moves, last_year: Some(2024), ..Entry::default() })
}

fn positions(name: &str) -> &'static EntryFormat {
    ENTRY_FORMATS.iter().find(|format| format.name == name).expect("a format of the registry")
}

fn write_positions(format: &EntryFormat) -> Vec<u8> {
    let (mut bytes, mut losses) = (Vec::new(), Losses::default());
    let mut writer = format.start(&mut bytes, &WriteOptions::default());
    BOOK.iter().for_each(|(key, entry)| writer.entry(key, entry, &mut losses).expect("it can be written"));
    writer.finish(&mut losses).expect("a vector takes all");
    drop(writer);
    bytes
}

/// Bytes into positions.
#[divan::bench(args = ["book-jsonl", "book-csv", "yixin-db"])]
fn read_positions(bencher: Bencher<'_, '_>, name: &str) {
    let format = positions(name);
    let bytes = write_positions(format);
    let (options, progress) = (ReadOptions::default(), Progress::default());
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        let mut count = 0;
        let mut each = |_| {
            count += 1;
            Ok(())
        };
        let mut reading = EntryReading::new(format.name, &options, &progress, &mut each);
        (format.read)(&bytes, &mut reading).expect("our own bytes read");
        count
    });
}

/// Positions into bytes.
#[divan::bench(args = ["book-jsonl", "book-csv", "yixin-db"])]
fn write_each_position(bencher: Bencher<'_, '_>, name: &str) {
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| write_positions(positions(name)));
}

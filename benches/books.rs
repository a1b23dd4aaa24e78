//! Positions a second of the book, and the memory it takes: `cargo bench --bench books`.

mod generator;

use book::{Book, BuildOptions, Builder, Frames, merge};
use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher, black_box};
use formats::{Progress, ReadOptions, Reading};
use games::{Game, Rule, Size};
use record::{Entry, Key, Record};
use std::sync::LazyLock;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const NODES: usize = 1_000_000;
static RECORD: LazyLock<Record> = LazyLock::new(|| read(&generator::library(NODES)));
static BOOK: LazyLock<Vec<u8>> = LazyLock::new(|| build(&RECORD, 1 << 30));

fn main() {
    println!("a library of {NODES} nodes: {:.2} bytes a position", BOOK.len() as f64 / opened().positions() as f64);
    divan::main();
}

fn read(library: &[u8]) -> Record {
    let (options, progress) = (ReadOptions::default(), Progress::default());
    let mut found = None;
    let mut each = |record| {
        found = Some(record);
        Ok(())
    };
    let format = formats::by_name("renlib").expect("a format of the registry");
    (format.read)(library, &mut Reading::new(format.name, &options, &progress, &mut each)).expect("our own bytes read");
    found.expect("there is a record")
}

fn build(record: &Record, memory: usize) -> Vec<u8> {
    let mut builder = Builder::new(BuildOptions { memory, ..BuildOptions::default() });
    builder.add(record, Rule::Renju).expect("there is room");
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").expect("a vector takes all");
    bytes
}

fn opened() -> Book<&'static [u8]> {
    Book::open(&BOOK[..]).expect("our own bytes are a book")
}

/// A million nodes into a book, and the same with a 32nd of the memory, so that runs wait in files.
#[divan::bench(args = [1 << 30, 32 << 20], sample_count = 10)]
fn build_million(bencher: Bencher<'_, '_>, memory: usize) {
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| build(&RECORD, memory));
}

#[divan::bench(sample_count = 10)]
fn verify_million(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(opened().positions())).bench_local(|| opened().verify());
}

#[divan::bench(sample_count = 10)]
fn merge_two_millions(bencher: Bencher<'_, '_>) {
    let count = 2 * opened().positions();
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| merge(&[opened(), opened()], std::io::sink(), "").expect("our own bytes are books").positions);
}

/// One thread, the book in memory, positions in no order; the second finds none of them.
#[divan::bench(args = ["hit", "miss"])]
fn look_up(bencher: Bencher<'_, '_>, which: &str) {
    let mut frames = Frames::new(true);
    let frame = frames.of(Game::Gomoku, Size::default());
    let mut keys: Vec<Vec<u8>> = opened().entries().step_by(97).map(|each| each.expect("it is whole").0).collect();
    if which == "miss" {
        keys.iter_mut().for_each(|key| *key.last_mut().expect("no key is empty") ^= 1);
    }
    let (book, mut at) = (opened(), 0);
    bencher.bench_local(|| {
        at = (at + 7919) % keys.len();
        black_box::<Option<Entry>>(book.get(&keys[at], frame).expect("it is whole"))
    });
}

/// A whole answer: the key of the position made, its entry, and those of all moves from it.
#[divan::bench]
fn ask(bencher: Bencher<'_, '_>) {
    let mut frames = Frames::new(true);
    let frame = frames.of(Game::Gomoku, Size::default());
    let keys: Vec<Key> =
        opened().entries().step_by(97).filter_map(|each| frame.key(&each.expect("it is whole").0)).collect();
    let (book, mut at) = (opened(), 0);
    bencher.bench_local(|| {
        at = (at + 7919) % keys.len();
        book.ask(&keys[at], frame).expect("it is whole").map(|answer| answer.moves.len())
    });
}

/// Header and footer of a book, whatever its length.
#[divan::bench]
fn open() -> u64 {
    opened().positions()
}

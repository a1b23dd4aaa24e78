//! Nodes a second of the codecs, on one core, and the memory they take: `cargo bench`.

mod generator;

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use formats::{Format, Losses, Progress, ReadOptions, Reading, WriteOptions};
use record::Record;
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
    let mut writer = (format.writer)(&mut bytes, &WriteOptions::default());
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

//! A book that learns: reading it, its values, the choice of what to look at next: `cargo bench --bench study`.

mod generator;

use book::{
    Book, BuildOptions, Builder, Choices, Costs, Found, Frames, Graph, Scale, Study, board, fingerprint, rewrite,
};
use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use formats::{Progress, ReadOptions, Reading};
use games::{Move, Rule};
use record::{Bound, Effort, Finding, Judgement, Line, Rest};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const NODES: usize = 1_100_000;
const SCALE: Scale = Scale { k: Judgement::SCALE, converts: false };
static GO_ON: AtomicBool = AtomicBool::new(false);
static BOOK: LazyLock<Vec<u8>> = LazyLock::new(|| looked_at(&library()));

fn main() {
    println!("a book of {} positions, each with a rest", opened().positions());
    divan::main();
}

fn library() -> Vec<u8> {
    let (options, progress) = (ReadOptions::default(), Progress::default());
    let mut builder = Builder::new(BuildOptions { memory: 1 << 30, ..BuildOptions::default() });
    let mut each = |record| {
        builder.add(&record, Rule::Renju).expect("there is room");
        Ok(())
    };
    let library = generator::library(NODES);
    let format = formats::by_name("renlib").expect("a format of the registry");
    (format.read)(&library, &mut Reading::new(format.name, &options, &progress, &mut each)).expect("our own bytes");
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").expect("a vector takes all");
    bytes
}

/// The book, each of whose positions somebody has looked at.
fn looked_at(book: &[u8]) -> Vec<u8> {
    let book = Book::open(book).expect("our own bytes are a book");
    let mut frames = Frames::new(true);
    let mut bytes = Vec::new();
    let each = |_, key: &[u8], entry: &mut record::Entry| {
        let frame = frames.of_board(board(key).expect("it is a key"));
        let position = frame.key(key).expect("it is a key");
        let position = position.stones().expect("the book is one of gomoku");
        let free = position.size.points().find(|point| position.stones.iter().all(|(stone, _)| stone != point));
        let value = (fingerprint(key) % 400) as i32 - 200;
        entry.rest = Some(Rest { play: free.map(Move::Place), judgement: Some(judgement(value)), proven: false });
        true
    };
    rewrite(&book, each, &mut bytes, "").expect("a vector takes all");
    bytes
}

fn judgement(value: i32) -> Judgement {
    let (depth, nodes, scale, source) = (10, Some(10_000), Judgement::SCALE, "synthetic".into());
    Judgement { value, bound: Bound::Exact, depth, nodes, scale, source }
}

fn opened() -> Book<&'static [u8]> {
    Book::open(&BOOK[..]).expect("our own bytes are a book")
}

fn graph() -> Graph {
    Graph::read(&opened(), SCALE, &GO_ON).expect("it is whole")
}

fn study() -> Study {
    let mut study = Study::new(graph(), Choices::default());
    study.grow(Costs::BALANCED, &[]).expect("nothing is added");
    study
}

#[divan::bench(sample_count = 3)]
fn read_million(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(opened().positions())).bench_local(|| graph().len());
}

/// All values, and what is ahead of each position.
#[divan::bench(sample_count = 3)]
fn back_up_million(bencher: Bencher<'_, '_>) {
    let mut study = study();
    bencher
        .counter(ItemsCount::new(opened().positions()))
        .bench_local(|| study.grow(Costs::BALANCED, &[]).expect("nothing is added"));
}

#[divan::bench(args = [1, 100, 1_000], sample_count = 20)]
fn leaves(bencher: Bencher<'_, '_>, count: usize) {
    let study = study();
    bencher.counter(ItemsCount::new(count)).bench_local(|| study.leaves(count).len());
}

/// Rounds of a hundred leaves: choosing, asking, and taking the answers in.
#[divan::bench(sample_count = 5)]
fn rounds_of_hundred(bencher: Bencher<'_, '_>) {
    let mut study = study();
    bencher.counter(ItemsCount::new(100_u64)).bench_local(|| {
        let leaves = study.leaves(100);
        let questions = study.questions(&leaves, Effort::default());
        let answers: Vec<Found> = questions
            .into_iter()
            .map(|question| {
                let position = question.position.stones().expect("the book is one of gomoku");
                let is_free = |point: &games::Point| {
                    !question.except.contains(&Move::Place(*point))
                        && position.stones.iter().all(|(stone, _)| stone != point)
                };
                let point = position.size.points().find(is_free).expect("there is room");
                let value = Some(i32::from(point.code()) % 300 - 150);
                let lines = vec![Line::of_points([point], value, None)];
                let finding = Finding { lines, depth: 10, nodes: Some(10_000), scale: 200, remarks: Vec::new() };
                Found { position: question.position, except: question.except, finding, source: "synthetic".into() }
            })
            .collect();
        study.absorb(&answers).expect("the scales are the same")
    });
}

#[divan::bench(sample_count = 3)]
fn write_million(bencher: Bencher<'_, '_>) {
    let mut study = study();
    bencher
        .counter(ItemsCount::new(opened().positions()))
        .bench_local(|| study.write(&opened(), std::io::sink(), "").expect("a sink takes all").positions);
}

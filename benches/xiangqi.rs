//! Moves of xiangqi a second, on one core: `cargo bench --bench xiangqi`.

use divan::Bencher;
use divan::counter::ItemsCount;
use games::xiangqi::notation::{Style, read, write};
use games::xiangqi::{Board, Fen, FenOptions, History, Judging};
use std::sync::LazyLock;

/// A position of the middle game with all rooks, cannons and horses.
const MIDDLE: &str = "r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1CN3NC1/9/R1BAKAB1R w - - 0 1";

/// A game of 80 plies, and its moves in Chinese.
static GAME: LazyLock<(History, Vec<String>)> = LazyLock::new(|| {
    let (mut history, mut texts) = (History::from(Fen::start()), Vec::new());
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    while texts.len() < 80 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let board = &history.end().board;
        // Captures would soon leave too little.
        let quiet: Vec<_> = board.moves().filter(|step| board.piece(step.to).is_none()).collect();
        let step = quiet[(state >> 33) as usize % quiet.len()];
        texts.push(write(board, step, Style::Chinese));
        history.push(step).expect("a legal move");
    }
    (history, texts)
});

fn main() {
    divan::main();
}

/// Positions at depth 4, where the leaves are counted in bulk.
#[divan::bench(args = [Fen::start().to_string(), MIDDLE.to_owned()])]
fn perft(bencher: Bencher<'_, '_>, fen: &str) {
    let (fen, _) = Fen::read(fen, FenOptions::default()).expect("a FEN");
    let nodes = fen.board.perft(4);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| fen.board.perft(4));
}

/// Plies read, found legal and played.
#[divan::bench]
fn chinese(bencher: Bencher<'_, '_>) {
    let texts = &GAME.1;
    bencher.counter(ItemsCount::new(texts.len())).bench_local(|| {
        let mut board = Board::start();
        for text in texts {
            board.play_unchecked(read(&board, text, Some(Style::Chinese)).expect("a legal move"));
        }
        board
    });
}

/// Plies written.
#[divan::bench]
fn chinese_written(bencher: Bencher<'_, '_>) {
    let moves = &GAME.0.moves;
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        let mut board = Board::start();
        let mut length = 0;
        for step in moves {
            length += write(&board, *step, Style::Chinese).len();
            board.play_unchecked(*step);
        }
        length
    });
}

/// Plies judged, with what would lose after the last.
#[divan::bench]
fn judged(bencher: Bencher<'_, '_>) {
    let history = &GAME.0;
    bencher.counter(ItemsCount::new(history.moves.len())).bench_local(|| history.judge(&Judging::default()));
}

/// FENs read and written.
#[divan::bench]
fn fen(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let (fen, _) = Fen::read(MIDDLE, FenOptions::default()).expect("a FEN");
        fen.to_string()
    });
}

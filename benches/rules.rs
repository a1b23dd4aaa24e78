//! Point checks a second of the rules, on one core: `cargo bench --bench rules`.
//!
//! The boards are those of `forbidden/consensus.tsv` where the samples are found, else random ones of their kind.

use divan::Bencher;
use divan::counter::ItemsCount;
use games::gomoku::{Board, Keys, Three, canonical, forbidden, forbidden_slow};
use games::{Point, Side, Size};
use std::hint::black_box;
use std::sync::LazyLock;

const BOARDS: usize = 6440;

/// The stones of each board, in no order.
type Stones = Vec<(Point, Side)>;
static STONES: LazyLock<Vec<Stones>> = LazyLock::new(|| shared().unwrap_or_else(random));
static CHECKS: LazyLock<usize> = LazyLock::new(|| STONES.iter().map(|stones| 225 - stones.len()).sum());
static PLAYED: LazyLock<usize> = LazyLock::new(|| STONES.iter().map(Vec::len).sum());

fn main() {
    let text = if shared().is_some() { "of the samples" } else { "of the generator" };
    println!("{} boards {text}, {} empty points, {} stones", STONES.len(), *CHECKS, *PLAYED);
    divan::main();
}

fn shared() -> Option<Vec<Stones>> {
    let root =
        std::env::var("KIFU_SAMPLES").unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared").into());
    let text = std::fs::read_to_string(format!("{root}/data/forbidden/consensus.tsv")).ok()?;
    Some(text.lines().filter(|line| !line.starts_with('#')).map(stones).collect())
}

/// The first 225 signs of a line, from the top left.
fn stones(line: &str) -> Stones {
    let side = |sign| match sign {
        'X' => Some(Side::First),
        'O' => Some(Side::Second),
        _ => None,
    };
    let cells = Size::default().points().zip(line.chars());
    cells.filter_map(|(point, sign)| side(sign).map(|side| (point, side))).collect()
}

fn random() -> Vec<Stones> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let board = |_| {
        // Near the centre as in games, or all over the board.
        let (left, top, side) = if below(2) == 0 { (3 + below(3), 3 + below(3), 7) } else { (0, 0, 15) };
        let (black, white) = (15 + below(25), 5 + below(20));
        let mut stones = Stones::new();
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            let point = Point::new((left + x) as u8, (top + y) as u8).expect("a point of the board");
            match below(100) {
                n if n < black => stones.push((point, Side::First)),
                n if n < black + white => stones.push((point, Side::Second)),
                _ => {}
            }
        }
        stones
    };
    (0..BOARDS).map(board).collect()
}

fn set_up(stones: &Stones) -> Board {
    let mut board = Board::new(Size::default());
    stones.iter().for_each(|&(point, side)| board.play_unchecked(point, side));
    board
}

/// Boards set up from nothing and every empty point checked.
#[divan::bench(args = Three::ALL)]
fn forbidden_points(bencher: Bencher<'_, '_>, three: Three) {
    bencher
        .counter(ItemsCount::new(*CHECKS))
        .bench_local(|| -> usize { STONES.iter().map(|stones| forbidden::all(&set_up(stones), three).count()).sum() });
}

/// The same in the form of the rules' text.
#[divan::bench(sample_count = 3)]
fn forbidden_points_slow(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(*CHECKS)).bench_local(|| -> usize {
        STONES.iter().map(|stones| forbidden_slow::all(&set_up(stones), Three::Rif).count()).sum()
    });
}

/// Stones a second, of boards alone.
#[divan::bench]
fn set_up_boards(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(*PLAYED)).bench_local(|| {
        STONES.iter().for_each(|stones| {
            black_box(set_up(stones));
        })
    });
}

/// Stones a second into the keys of all eight images.
#[divan::bench]
fn eight_keys(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(*PLAYED)).bench_local(|| -> u128 {
        STONES.iter().fold(0, |sum, stones| {
            let mut keys = Keys::new(Size::default());
            stones.iter().for_each(|&(point, side)| keys.toggle(point, side));
            sum ^ keys.canonical()
        })
    });
}

/// Canonical forms a second, found but not built.
#[divan::bench]
fn canonical_forms(bencher: Bencher<'_, '_>) {
    let boards: Vec<Board> = STONES.iter().map(set_up).collect();
    bencher.counter(ItemsCount::new(boards.len())).bench_local(|| {
        boards.iter().for_each(|board| {
            black_box(canonical(board));
        })
    });
}

use super::Board;
use crate::{Side, Size, Symmetry};
use std::cmp::Ordering;

/// The symmetries that map a board of this size to itself: all eight, or four of a board that is not square.
pub const fn symmetries(size: Size) -> &'static [Symmetry] {
    const RECTANGLE: [Symmetry; 4] = [Symmetry::Identity, Symmetry::R180, Symmetry::Mirror, Symmetry::Flip];
    if size.width() == size.height() { &Symmetry::ALL } else { &RECTANGLE }
}

/// The symmetry that turns the stones into their canonical form, which all boards that are equal up to symmetry
/// share: among the images under [`symmetries`], the one whose rows are smallest.
///
/// Rows are compared from the top, in each the first player's stones before the second's, a stone further to the
/// right weighing more. If several symmetries give that image it is the first of them in the order of
/// [`Symmetry::ALL`].
pub fn canonical(board: &Board) -> Symmetry {
    let mut best = Symmetry::Identity;
    for &symmetry in &symmetries(board.size())[1..] {
        if compare(board, symmetry, best) == Ordering::Less {
            best = symmetry;
        }
    }
    best
}

/// The symmetries that leave the stones as they are, the identity first.
pub fn own_symmetries(board: &Board) -> impl Iterator<Item = Symmetry> {
    let all = symmetries(board.size()).iter().copied();
    all.filter(|symmetry| compare(board, *symmetry, Symmetry::Identity) == Ordering::Equal)
}

impl Board {
    /// The stones after a symmetry.
    pub fn turned(&self, symmetry: Symmetry) -> Board {
        let mut turned = Board::new(symmetry.turn_size(self.size()));
        for (point, side) in self.stones() {
            turned.play_unchecked(symmetry.apply(point, self.size()), side);
        }
        turned
    }
}

fn compare(board: &Board, one: Symmetry, other: Symmetry) -> Ordering {
    (0..board.size().height())
        .map(|y| image_row(board, one, y).cmp(&image_row(board, other, y)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Row `y` of the board after a symmetry of its size: a row or a column, from one end or the other.
fn image_row(board: &Board, symmetry: Symmetry, y: u8) -> [u32; 2] {
    let (width, height) = (board.size().width(), board.size().height());
    let sides = [Side::First, Side::Second];
    let row = |y| sides.map(|side| board.row(side, y));
    let column = |x| sides.map(|side| board.column(side, x));
    let back = |lines: [u32; 2], length: u8| lines.map(|line| line.reverse_bits() >> (u32::BITS - u32::from(length)));
    match symmetry {
        Symmetry::Identity => row(y),
        Symmetry::Flip => row(height - 1 - y),
        Symmetry::Mirror => back(row(y), width),
        Symmetry::R180 => back(row(height - 1 - y), width),
        Symmetry::Diagonal => column(y),
        Symmetry::R270 => column(width - 1 - y),
        Symmetry::R90 => back(column(y), height),
        Symmetry::Antidiagonal => back(column(width - 1 - y), height),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::Keys;
    use crate::gomoku::samples::{Random, shared};
    use crate::{Coords, Move, Point, parse_moves};
    use std::collections::HashSet;

    #[test]
    fn images_share_one_canonical_form() {
        let mut random = Random(5);
        for _ in 0..2000 {
            let board = random.board(22);
            let form = board.turned(canonical(&board));
            assert_eq!(canonical(&form), Symmetry::Identity);
            for &symmetry in symmetries(board.size()) {
                let image = board.turned(symmetry);
                assert_eq!(image.turned(canonical(&image)), form);
                for y in 0..board.size().height() {
                    assert_eq!(
                        image_row(&board, symmetry, y),
                        image_row(&image, Symmetry::Identity, y),
                        "{symmetry:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn symmetric_positions_know_their_symmetries() {
        let of = |drawing: &str| own_symmetries(&drawing.parse().unwrap()).collect::<Vec<_>>();
        assert_eq!(of(". . .\n. x .\n. . ."), Symmetry::ALL);
        assert_eq!(of("x . .\n. x .\n. . o"), [Symmetry::Identity, Symmetry::Diagonal]);
        assert_eq!(
            of("x . o\n. . .\no . x"),
            [Symmetry::Identity, Symmetry::R180, Symmetry::Diagonal, Symmetry::Antidiagonal]
        );
        assert_eq!(of("x . o\n. . .\n. . ."), [Symmetry::Identity]);
        assert_eq!(of(". x . x\n. o . o"), [Symmetry::Identity]);
        assert_eq!(of(". x x .\n. o o ."), [Symmetry::Identity, Symmetry::Mirror]);
    }

    /// How many positions of so many stones there are up to symmetry: those that are their own canonical form.
    fn by_hand(size: Size, black: usize, white: usize) -> u64 {
        fn place(board: &mut Board, from: usize, left: [usize; 2]) -> u64 {
            let Some(side) = [Side::First, Side::Second].into_iter().find(|side| left[*side as usize] > 0) else {
                return u64::from(canonical(board) == Symmetry::Identity);
            };
            let mut rest = left;
            rest[side as usize] -= 1;
            let points: Vec<Point> = board.size().points().collect();
            let mut found = 0;
            for (number, &point) in points.iter().enumerate().skip(from) {
                if board.play(point, side).is_ok() {
                    // Stones of a side are placed in the order of the points, those of the other start anew.
                    let next = if rest[side as usize] == 0 { 0 } else { number + 1 };
                    found += place(board, next, rest);
                    board.undo_unchecked(point, side);
                }
            }
            found
        }
        place(&mut Board::new(size), 0, [black, white])
    }

    /// The same by Burnside's lemma: the mean number of positions that each symmetry leaves as they are.
    fn by_burnside(size: Size, black: usize, white: usize) -> u64 {
        let fixed = |symmetry: &Symmetry| {
            // ways[b][w]: so many ways to give whole cycles of points b black and w white stones.
            let mut ways = vec![vec![0u64; white + 1]; black + 1];
            ways[0][0] = 1;
            let mut seen = HashSet::new();
            for start in size.points() {
                let mut cycle = 0;
                let mut point = start;
                while seen.insert(point) {
                    cycle += 1;
                    point = symmetry.apply(point, size);
                }
                if cycle == 0 {
                    continue;
                }
                for b in (0..=black).rev() {
                    for w in (0..=white).rev() {
                        let more_black = if b >= cycle { ways[b - cycle][w] } else { 0 };
                        let more_white = if w >= cycle { ways[b][w - cycle] } else { 0 };
                        ways[b][w] += more_black + more_white;
                    }
                }
            }
            ways[black][white]
        };
        let all = symmetries(size);
        all.iter().map(fixed).sum::<u64>() / all.len() as u64
    }

    const COUNTS: [(u8, usize, usize, u64); 6] = [
        (5, 2, 1, 904),
        (15, 1, 0, 36),
        (15, 1, 1, 6_405),
        (15, 2, 1, 703_934),
        (15, 2, 2, 77_994_084),
        (20, 2, 1, 3_971_855),
    ];

    #[test]
    fn openings_up_to_symmetry() {
        for (side, black, white, count) in COUNTS {
            let size = Size::square(side).unwrap();
            assert_eq!(by_burnside(size, black, white), count);
            if count < 1_000_000 {
                assert_eq!(by_hand(size, black, white), count);
            }
        }
        let size = Size::new(6, 4).unwrap();
        assert_eq!(by_hand(size, 2, 2), by_burnside(size, 2, 2));
    }

    #[test]
    #[ignore = "long run: just long"]
    fn many_openings_up_to_symmetry() {
        for (side, black, white, count) in COUNTS {
            assert_eq!(by_hand(Size::square(side).unwrap(), black, white), count);
        }
    }

    #[test]
    fn openings_are_counted_alike_by_their_keys() {
        let size = Size::square(5).unwrap();
        let mut keys = HashSet::new();
        let mut forms = HashSet::new();
        for one in size.points() {
            for other in size.points().filter(|other| *other != one) {
                for white in size.points().filter(|white| ![one, other].contains(white)) {
                    let stones = [(one, Side::First), (other, Side::First), (white, Side::Second)];
                    let board = Board::with_stones(size, stones).unwrap();
                    keys.insert(Keys::of(&board).canonical());
                    forms.insert(board.turned(canonical(&board)));
                }
            }
        }
        assert_eq!((keys.len(), forms.len()), (904, 904));
    }

    #[test]
    fn positions_of_a_collection_of_games() {
        let Some(text) = shared("data/games/engine_renju15.txt") else { return };
        let expected = [1, 2, 26, 756, 2379, 2727, 3101, 3404, 3606, 3721, 3848, 3922];
        let mut forms = vec![HashSet::new(); expected.len()];
        let mut keys = vec![HashSet::new(); expected.len()];
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let moves = line.splitn(5, ' ').nth(4).unwrap();
            let mut board = Board::new(Size::default());
            let mut key = Keys::new(board.size());
            let points = parse_moves(moves, Coords::A1, board.size()).unwrap().into_iter().filter_map(Move::point);
            for (ply, point) in points.take(expected.len()).enumerate() {
                let side = Side::of_ply(ply + 1);
                board.play(point, side).unwrap();
                key.toggle(point, side);
                forms[ply].insert(board.turned(canonical(&board)));
                keys[ply].insert(key.canonical());
            }
        }
        assert_eq!(forms.iter().map(HashSet::len).collect::<Vec<_>>(), expected);
        assert_eq!(keys.iter().map(HashSet::len).collect::<Vec<_>>(), expected);
    }
}

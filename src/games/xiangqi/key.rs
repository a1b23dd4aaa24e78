use super::Board;
use super::square::{SQUARES, each};
use crate::Side;
use crate::gomoku::turn_number;

/// The numbers of pieces: index `code`, `square`.
static PIECES: [[u128; SQUARES]; 15] = pieces();

const fn pieces() -> [[u128; SQUARES]; 15] {
    let mut table = [[0; SQUARES]; 15];
    let mut code = 1;
    while code < 15 {
        let mut square = 0;
        while square < SQUARES {
            table[code][square] = crate::gomoku::number(16384 + 128 * code as u64 + square as u64);
            square += 1;
        }
        code += 1;
    }
    table
}

impl Board {
    /// A key of the position: the exclusive or of a number for each piece, and of [`turn_number`] for Black's turn.
    ///
    /// The numbers are fixed for good, as files may hold keys: the number of a piece is that of index
    /// `16384 + 128 c + 9 y + x` in the series of [`Keys`](crate::gomoku::Keys), where `c` is 1 to 7 for Red's king,
    /// advisor, elephant, horse, rook, cannon and pawn, and 8 to 14 for Black's.
    pub fn key(&self) -> u128 {
        let pieces = each(self.occupied()).map(usize::from);
        let key = pieces.fold(0, |key, square| key ^ PIECES[usize::from(self.cells[square])][square]);
        key ^ turn_number(self.to_move)
    }

    /// The key after what stands at `from` has gone to `to`.
    pub(super) fn key_after(&self, key: u128, from: u8, to: u8) -> u128 {
        let (from, to) = (usize::from(from), usize::from(to));
        let (piece, taken) = (usize::from(self.cells[from]), usize::from(self.cells[to]));
        key ^ PIECES[piece][from] ^ PIECES[piece][to] ^ PIECES[taken][to] ^ turn_number(Side::Second)
    }
}

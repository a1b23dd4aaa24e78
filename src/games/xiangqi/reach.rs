//! Where pieces go from each square, as tables.

use super::square::{HEIGHT, SQUARES, Set, WIDTH};
use crate::Side;

/// A leg of a horse, and where it goes over it.
#[derive(Copy, Clone)]
pub struct Leap {
    /// The square that must be empty; the horse's own where nothing is reached, which never is.
    pub leg: u8,
    /// The squares behind it.
    pub to: Set,
}

/// The squares that a rook on file `x` reaches in a rank with these squares occupied, the first occupied ones included.
static RANK_SLIDE: [[u16; 512]; 9] = ranks(false);
/// The squares that a cannon there captures on: the first occupied ones behind a screen.
static RANK_JUMP: [[u16; 512]; 9] = ranks(true);
static FILE_SLIDE: [[u16; 1024]; 10] = files(false);
static FILE_JUMP: [[u16; 1024]; 10] = files(true);
/// The squares of file `a` whose rows are the bits of a number.
static SPREAD: [Set; 1024] = spread();

/// Where kings go, in either palace.
pub static KING: [Set; SQUARES] = palace(&[(0, 1), (1, 0), (0, -1), (-1, 0)]);
/// Where advisors go, in either palace.
pub static ADVISOR: [Set; SQUARES] = palace(&[(1, 1), (1, -1), (-1, 1), (-1, -1)]);
/// The eyes of elephants, and where they go over them on their side of the river.
pub static ELEPHANT: [[Leap; 4]; SQUARES] = elephants();
/// The legs of horses, and where they go over them.
pub static HORSE: [[Leap; 4]; SQUARES] = horses();
/// Where horses stand that reach a square if nothing is in their way.
pub static HORSES_AROUND: [Set; SQUARES] = horses_around();
/// Where pawns go, of Red and of Black.
pub static PAWN: [[Set; SQUARES]; 2] = [pawns(Side::First), pawns(Side::Second)];
/// Where pawns stand that reach a square, of Red and of Black.
pub static PAWNS_AROUND: [[Set; SQUARES]; 2] = [pawns_around(Side::First), pawns_around(Side::Second)];
/// All squares of a file.
pub static FILES: [Set; 9] = file_sets();

/// The squares of a rank: `row` counts from the top.
pub const fn rank(row: u8) -> Set {
    0x1FF << (WIDTH * row)
}

/// The squares that a rook reaches, the first occupied ones included: `occupied` are all pieces, `file` those of its
/// file by rows.
#[inline]
pub fn slide(square: u8, occupied: Set, file: u16) -> Set {
    let (x, y) = (square % WIDTH, square / WIDTH);
    let row = (occupied >> (WIDTH * y)) as usize & 0x1FF;
    let across = Set::from(RANK_SLIDE[usize::from(x)][row]) << (WIDTH * y);
    let along = SPREAD[usize::from(FILE_SLIDE[usize::from(y)][usize::from(file & 0x3FF)] & 0x3FF)] << x;
    across | along
}

/// The squares that a cannon captures on.
#[inline]
pub fn jump(square: u8, occupied: Set, file: u16) -> Set {
    let (x, y) = (square % WIDTH, square / WIDTH);
    let row = (occupied >> (WIDTH * y)) as usize & 0x1FF;
    let across = Set::from(RANK_JUMP[usize::from(x)][row]) << (WIDTH * y);
    let along = SPREAD[usize::from(FILE_JUMP[usize::from(y)][usize::from(file & 0x3FF)] & 0x3FF)] << x;
    across | along
}

/// The squares between two of one rank or file.
#[inline]
pub fn between(one: u8, other: u8) -> Set {
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    let inner = (1u128 << high) - (2u128 << low);
    if high - low < WIDTH && low / WIDTH == high / WIDTH { inner } else { inner & FILES[usize::from(low % WIDTH)] }
}

/// The leg of a horse that reaches `to`, which is among its leaps.
#[inline]
pub fn leg(horse: u8, to: u8) -> u8 {
    let leaps = &HORSE[usize::from(horse)];
    leaps.iter().find(|leap| leap.to >> to & 1 == 1).map_or(horse, |leap| leap.leg)
}

const fn line(at: u32, occupied: u32, length: u32, over: bool) -> u16 {
    let mut reached = 0;
    let mut way = 0;
    while way < 2 {
        let mut met = 0;
        let mut next = at;
        loop {
            if way == 0 {
                next += 1;
                if next == length {
                    break;
                }
            } else {
                if next == 0 {
                    break;
                }
                next -= 1;
            }
            let is_met = occupied >> next & 1 == 1;
            if over {
                if is_met && met == 1 {
                    reached |= 1 << next;
                    break;
                }
                met += is_met as u32;
            } else {
                reached |= 1 << next;
                if is_met {
                    break;
                }
            }
        }
        way += 1;
    }
    reached
}

const fn ranks(over: bool) -> [[u16; 512]; 9] {
    let mut table = [[0; 512]; 9];
    let mut at = 0;
    while at < 9 {
        let mut occupied = 0;
        while occupied < 512 {
            table[at][occupied] = line(at as u32, occupied as u32, 9, over);
            occupied += 1;
        }
        at += 1;
    }
    table
}

const fn files(over: bool) -> [[u16; 1024]; 10] {
    let mut table = [[0; 1024]; 10];
    let mut at = 0;
    while at < 10 {
        let mut occupied = 0;
        while occupied < 1024 {
            table[at][occupied] = line(at as u32, occupied as u32, 10, over);
            occupied += 1;
        }
        at += 1;
    }
    table
}

const fn spread() -> [Set; 1024] {
    let mut table = [0; 1024];
    let mut rows = 0;
    while rows < 1024 {
        let mut row = 0;
        while row < 10 {
            if rows >> row & 1 == 1 {
                table[rows] |= 1 << (9 * row);
            }
            row += 1;
        }
        rows += 1;
    }
    table
}

const fn file_sets() -> [Set; 9] {
    let mut table = [0; 9];
    let mut x = 0;
    while x < 9 {
        table[x] = spread()[1023] << x;
        x += 1;
    }
    table
}

/// The square so far from another; `None` off the board.
const fn beside(square: usize, dx: i32, dy: i32) -> Option<u8> {
    let (x, y) = (square as i32 % 9 + dx, square as i32 / 9 + dy);
    if x >= 0 && x < WIDTH as i32 && y >= 0 && y < HEIGHT as i32 { Some((9 * y + x) as u8) } else { None }
}

const fn is_palace(square: usize) -> bool {
    let (x, y) = (square % 9, square / 9);
    x >= 3 && x <= 5 && (y <= 2 || y >= 7)
}

/// Whether an advisor can stand there.
pub const fn is_advisors(square: usize) -> bool {
    let (x, y) = (square % 9, square / 9);
    let row = if y > 4 { 9 - y } else { y };
    is_palace(square) && (x + row) % 2 == 1
}

const fn palace(ways: &[(i32, i32); 4]) -> [Set; SQUARES] {
    let mut table = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let mut way = 0;
        while way < 4 {
            if let Some(to) = beside(square, ways[way].0, ways[way].1)
                && is_palace(square)
                && is_palace(to as usize)
            {
                table[square] |= 1 << to;
            }
            way += 1;
        }
        square += 1;
    }
    table
}

const fn elephants() -> [[Leap; 4]; SQUARES] {
    let mut table = [[Leap { leg: 0, to: 0 }; 4]; SQUARES];
    let ways = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    let mut square = 0;
    while square < SQUARES {
        let mut way = 0;
        while way < 4 {
            let (dx, dy) = ways[way];
            table[square][way].leg = square as u8;
            if let (Some(eye), Some(to)) = (beside(square, dx, dy), beside(square, 2 * dx, 2 * dy))
                && (square >= 45) == (to >= 45)
            {
                table[square][way] = Leap { leg: eye, to: 1 << to };
            }
            way += 1;
        }
        square += 1;
    }
    table
}

const fn horses() -> [[Leap; 4]; SQUARES] {
    let mut table = [[Leap { leg: 0, to: 0 }; 4]; SQUARES];
    let ways = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    let mut square = 0;
    while square < SQUARES {
        let mut way = 0;
        while way < 4 {
            let (dx, dy) = ways[way];
            table[square][way].leg = square as u8;
            if let Some(leg) = beside(square, dx, dy) {
                let mut to = 0;
                if let Some(square) = beside(square, 2 * dx + dy, 2 * dy + dx) {
                    to |= 1 << square;
                }
                if let Some(square) = beside(square, 2 * dx - dy, 2 * dy - dx) {
                    to |= 1 << square;
                }
                if to != 0 {
                    table[square][way] = Leap { leg, to };
                }
            }
            way += 1;
        }
        square += 1;
    }
    table
}

const fn horses_around() -> [Set; SQUARES] {
    let leaps = horses();
    let mut table = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let mut way = 0;
        while way < 4 {
            // A horse's leaps are the same there and back, but for the leg.
            table[square] |= leaps[square][way].to;
            way += 1;
        }
        square += 1;
    }
    table
}

const fn pawns(side: Side) -> [Set; SQUARES] {
    let mut table = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let (forward, has_crossed) = match side {
            Side::First => (-1, square < 45),
            Side::Second => (1, square >= 45),
        };
        if let Some(to) = beside(square, 0, forward) {
            table[square] |= 1 << to;
        }
        if has_crossed {
            if let Some(to) = beside(square, 1, 0) {
                table[square] |= 1 << to;
            }
            if let Some(to) = beside(square, -1, 0) {
                table[square] |= 1 << to;
            }
        }
        square += 1;
    }
    table
}

const fn pawns_around(side: Side) -> [Set; SQUARES] {
    let to = pawns(side);
    let mut table = [0; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut square = 0;
        while square < SQUARES {
            if to[from] >> square & 1 == 1 {
                table[square] |= 1 << from;
            }
            square += 1;
        }
        from += 1;
    }
    table
}

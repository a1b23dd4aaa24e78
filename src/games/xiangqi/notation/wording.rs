use crate::xiangqi::reach::FILES;
use crate::xiangqi::square::{HEIGHT, Set, WIDTH, bit, each, point};
use crate::xiangqi::{Board, Kind, PlayError};
use crate::{Side, Step};

/// The signs of a text without blanks, full-width ones as ASCII.
pub struct Signs {
    signs: [char; 16],
    len: usize,
}

impl Signs {
    /// `None` for an empty text, and for one that is longer than a move.
    pub fn of(text: &str) -> Option<Signs> {
        let mut signs = Signs { signs: ['\0'; 16], len: 0 };
        for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
            *signs.signs.get_mut(signs.len)? = match sign {
                '\u{FF01}'..='\u{FF5E}' => char::from((sign as u32 - 0xFEE0) as u8),
                '–' | '—' | '−' | '‐' => '-',
                _ => sign,
            };
            signs.len += 1;
        }
        (signs.len > 0).then_some(signs)
    }

    /// All of them.
    pub fn all(&self) -> &[char] {
        &self.signs[..self.len]
    }
}

/// Whether nothing follows a move but what somebody thinks of it.
pub fn is_over(rest: &[char]) -> bool {
    rest.iter().all(|sign| matches!(sign, '!' | '?' | '+' | '#'))
}

/// What a text is on a board.
pub enum Found {
    /// One legal move.
    One(Step),
    /// No move of this notation.
    Unread,
    /// No legal move.
    Illegal(Option<(Step, PlayError)>),
    /// More than one legal move.
    Two([Step; 2]),
}

/// Which of the pieces of a kind.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The one that is alone on its file, or any if the move tells.
    Any,
    /// The foremost of a file of two or more.
    Front,
    /// The middle one of three.
    Middle,
    /// The rearmost.
    Rear,
    /// The one of this number among those of its file, from the front and from 1.
    OfFile(u8),
    /// The one of this number among those of all files with two or more: files from the right, front first.
    OfAll(u8),
}

/// In which direction a piece goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// Towards the enemy.
    Forward,
    /// Towards its own back rank.
    Back,
    /// Along its rank.
    Across,
}

/// What a move says in WXF and in Chinese.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Wording {
    /// The kind of the piece.
    pub kind: Kind,
    /// Which of its kind.
    pub mark: Mark,
    /// The file where it begins, 1 to 9 from the mover's right.
    pub file: Option<u8>,
    /// The direction.
    pub way: Way,
    /// Steps, or the file where it ends.
    pub number: u8,
}

/// A file as its player counts it, from 1 at the right.
const fn file(side: Side, square: u8) -> u8 {
    match side {
        Side::First => WIDTH - square % WIDTH,
        Side::Second => square % WIDTH + 1,
    }
}

/// The column of a file, which counts from 1 to 9.
const fn column(side: Side, file: u8) -> u8 {
    match side {
        Side::First => WIDTH - file,
        Side::Second => file - 1,
    }
}

/// The pieces of a set that stand before a square.
const fn before(side: Side, set: Set, square: u8) -> Set {
    match side {
        Side::First => set & (bit(square) - 1),
        Side::Second => set & !(bit(square) | (bit(square) - 1)),
    }
}

impl Wording {
    /// The legal moves it may be.
    pub fn find(self, board: &Board) -> Found {
        let side = board.to_move();
        let those = board.those(side, self.kind);
        let safety = board.safety();
        let mut found = Found::Illegal(None);
        for from in each(self.choose(side, those)) {
            let Some(to) = self.target(side, from) else { continue };
            let step = Step { from: point(from), to: point(to) };
            let is_legal = board.targets(from, &safety) & bit(to) != 0;
            found = match found {
                Found::One(first) if is_legal => return Found::Two([first, step]),
                Found::One(_) => found,
                _ if is_legal => Found::One(step),
                Found::Illegal(None) => Found::Illegal(board.judge(step).err().map(|why| (step, why))),
                _ => found,
            };
        }
        found
    }

    /// The pieces it may speak of.
    fn choose(&self, side: Side, those: Set) -> Set {
        let on = match self.file {
            Some(file) => those & FILES[usize::from(column(side, file))],
            None => those,
        };
        if self.mark == Mark::Any {
            return on;
        }
        if let Mark::OfAll(number) = self.mark {
            let mut left = number;
            for file in 1..=WIDTH {
                let mut rank = those & FILES[usize::from(column(side, file))];
                let count = rank.count_ones() as u8;
                if count < 2 {
                    continue;
                }
                if left > count {
                    left -= count;
                    continue;
                }
                for _ in 1..left {
                    rank &= !front(side, rank);
                }
                return front(side, rank) & on;
            }
            return 0;
        }
        let fits = |square: &u8| {
            let same = those & FILES[usize::from(square % WIDTH)];
            let (count, index) = (same.count_ones() as u8, before(side, same, *square).count_ones() as u8);
            count > 1
                && match self.mark {
                    Mark::Front => index == 0,
                    Mark::Middle => count == 3 && index == 1,
                    Mark::Rear => index + 1 == count,
                    Mark::OfFile(number) => index + 1 == number,
                    Mark::Any | Mark::OfAll(_) => true,
                }
        };
        each(on).filter(fits).fold(0, |set, square| set | bit(square))
    }

    /// Where a piece goes from a square; `None` off the board.
    fn target(&self, side: Side, from: u8) -> Option<u8> {
        let (x, y) = (from % WIDTH, from / WIDTH);
        let (to_x, steps) = match self.kind {
            Kind::King | Kind::Rook | Kind::Cannon | Kind::Pawn => match self.way {
                Way::Across => (column(side, self.number), 0),
                _ => (x, self.number),
            },
            kind => {
                let to_x = column(side, self.number);
                let steps = match (kind, to_x.abs_diff(x)) {
                    (Kind::Advisor, 1) | (Kind::Horse, 2) => 1,
                    (Kind::Elephant, 2) | (Kind::Horse, 1) => 2,
                    _ => return None,
                };
                (to_x, steps)
            }
        };
        let is_up = match self.way {
            Way::Across => return (steps == 0 && to_x != x).then_some(y * WIDTH + to_x),
            Way::Forward => side == Side::First,
            Way::Back => side == Side::Second,
        };
        let to_y = if is_up { y.checked_sub(steps)? } else { y + steps };
        (to_y < HEIGHT).then_some(to_y * WIDTH + to_x)
    }

    /// What a step says; `None` where no such piece goes so.
    ///
    /// The mark is one of the file (front, middle, rear) while only one file has two or more pieces and no more than
    /// three, else [`Mark::OfAll`]; advisors and elephants have none.
    pub fn of(board: &Board, step: Step) -> Option<Wording> {
        use crate::xiangqi::square::square;
        let (from, to) = (square(step.from)?, square(step.to)?);
        let piece = board.piece(step.from)?;
        let (side, kind) = (piece.side, piece.kind);
        let dy = i32::from(step.to.y()) - i32::from(step.from.y());
        let forward = if side == Side::First { -dy } else { dy };
        let way = match forward {
            0 => Way::Across,
            1.. => Way::Forward,
            _ => Way::Back,
        };
        let is_line = matches!(kind, Kind::King | Kind::Rook | Kind::Cannon | Kind::Pawn);
        let number = if is_line && way != Way::Across { dy.unsigned_abs() as u8 } else { file(side, to) };
        let mut wording = Wording { kind, mark: Mark::Any, file: Some(file(side, from)), way, number };
        if wording.target(side, from) != Some(to) {
            return None;
        }
        let those = board.those(side, kind);
        let same = those & FILES[usize::from(from % WIDTH)];
        if same.count_ones() > 1 && !matches!(kind, Kind::Advisor | Kind::Elephant | Kind::King) {
            let crowded = || FILES.iter().filter(|file| (those & **file).count_ones() > 1);
            let index = before(side, same, from).count_ones() as u8;
            wording.mark = match (crowded().count(), same.count_ones(), index) {
                (1, 2 | 3, 0) => Mark::Front,
                (1, 2, 1) | (1, 3, 2) => Mark::Rear,
                (1, 3, 1) => Mark::Middle,
                _ => {
                    let right = crowded().filter(|set| {
                        let other = set.trailing_zeros() as u8;
                        file(side, other) < file(side, from)
                    });
                    Mark::OfAll(right.map(|set| (those & *set).count_ones() as u8).sum::<u8>() + index + 1)
                }
            };
        }
        Some(wording)
    }

    /// The number of a step's piece among those of its file, from the front and from 1.
    pub fn index(board: &Board, step: Step) -> Option<u8> {
        let from = crate::xiangqi::square::square(step.from)?;
        let piece = board.piece(step.from)?;
        let same = board.those(piece.side, piece.kind) & FILES[usize::from(from % WIDTH)];
        Some(before(piece.side, same, from).count_ones() as u8 + 1)
    }
}

/// The foremost piece of a set on one file.
fn front(side: Side, set: Set) -> Set {
    match side {
        Side::First => set & set.wrapping_neg(),
        Side::Second if set == 0 => 0,
        Side::Second => 1 << (Set::BITS - 1 - set.leading_zeros()),
    }
}

use super::reach::is_advisors;
use super::square::{HEIGHT, WIDTH, each, point, square};
use super::{Board, Kind, Piece, side_name};
use crate::{Point, Side};
use std::fmt;

/// How deep a check of a FEN goes; each level supposes those before it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The text is a FEN.
    Syntax,
    /// Each side has one king and no more of any kind than at the start.
    Counts,
    /// Every piece stands where it can get.
    Placement,
    /// The kings do not face each other, and the side that has moved has not left its king in check.
    Kings,
}

impl Level {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Syntax => "syntax",
            Level::Counts => "counts",
            Level::Placement => "placement",
            Level::Kings => "kings",
        }
    }
}

/// Why a board cannot be of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A side has no king.
    NoKing(Side),
    /// A side has too many pieces of a kind.
    TooMany {
        /// The piece.
        piece: Piece,
        /// How many there are.
        count: u32,
        /// The last of them.
        point: Point,
    },
    /// Both kings stand in the other's palace: the board is turned.
    TurnedRound,
    /// A piece stands where it cannot get.
    Misplaced {
        /// The piece.
        piece: Piece,
        /// Where it stands.
        point: Point,
    },
    /// The kings stand on one file with nothing between.
    KingsFace {
        /// Where the king of the side not to move stands.
        point: Point,
    },
    /// The side not to move is in check.
    OtherInCheck {
        /// That side.
        side: Side,
        /// Where its king stands.
        point: Point,
    },
}

impl Fault {
    /// The level that finds it.
    pub const fn level(&self) -> Level {
        match self {
            Fault::NoKing(_) | Fault::TooMany { .. } => Level::Counts,
            Fault::TurnedRound | Fault::Misplaced { .. } => Level::Placement,
            Fault::KingsFace { .. } | Fault::OtherInCheck { .. } => Level::Kings,
        }
    }

    /// The point it is about, if it is about one.
    pub const fn point(&self) -> Option<Point> {
        match self {
            Fault::NoKing(_) | Fault::TurnedRound => None,
            Fault::TooMany { point, .. }
            | Fault::Misplaced { point, .. }
            | Fault::KingsFace { point }
            | Fault::OtherInCheck { point, .. } => Some(*point),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::NoKing(side) => write!(f, "the {} king is missing", side_name(side)),
            Fault::TooMany { piece, count, .. } => {
                write!(f, "{count} {}s, at most {}", piece.name(), piece.kind.most())
            }
            Fault::TurnedRound => {
                f.write_str("the kings stand in each other's palaces: the board looks turned round (see rotate)")
            }
            Fault::Misplaced { piece, point } => {
                let why = match piece.kind {
                    Kind::King => "outside its palace",
                    Kind::Advisor => "outside the five points of advisors",
                    Kind::Elephant if is_home(piece.side, point) => "outside the seven points of elephants",
                    Kind::Elephant => "over the river",
                    _ if is_home(piece.side, point) => "where no pawn gets before it crosses the river",
                    _ => "where no pawn gets",
                };
                write!(f, "the {} on {} stands {why}", piece.name(), iccs(point))
            }
            Fault::KingsFace { .. } => f.write_str("the kings face each other with nothing between"),
            Fault::OtherInCheck { side, .. } => {
                let other = side_name(side.other());
                write!(f, "{} is in check but {other} is to move", side_name(side))
            }
        }
    }
}

impl Board {
    /// Why the board cannot be of a game, in the order of their levels; with none, it is valid.
    ///
    /// The levels after the first are judged where both sides have one king.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for side in [Side::First, Side::Second] {
            for kind in Kind::ALL {
                let (piece, those) = (Piece { side, kind }, self.those(side, kind));
                let count = those.count_ones();
                if kind == Kind::King && count == 0 {
                    faults.push(Fault::NoKing(side));
                }
                if count > kind.most() {
                    let point = point(each(those).last().unwrap_or_default());
                    faults.push(Fault::TooMany { piece, count, point });
                }
            }
        }
        let (Some(red), Some(black)) = (self.king(Side::First), self.king(Side::Second)) else { return faults };
        if is_home(Side::Second, red) && is_home(Side::First, black) {
            faults.push(Fault::TurnedRound);
            return faults;
        }
        let misplaced = self.pieces().filter(|(point, piece)| !stands_well(*piece, *point));
        faults.extend(misplaced.map(|(point, piece)| Fault::Misplaced { piece, point }));
        let waiting = self.to_move().other();
        let king = if waiting == Side::First { red } else { black };
        if self.kings_face() {
            faults.push(Fault::KingsFace { point: king });
        } else if self.in_check(waiting) {
            faults.push(Fault::OtherInCheck { side: waiting, point: king });
        }
        faults
    }

    fn kings_face(&self) -> bool {
        let [Some(one), Some(other)] = [Side::First, Side::Second].map(|side| self.king_square(side)) else {
            return false;
        };
        one % WIDTH == other % WIDTH && super::reach::between(one, other) & self.occupied() == 0
    }
}

/// Whether a point is on a side's own side of the river.
fn is_home(side: Side, point: Point) -> bool {
    (point.y() >= HEIGHT / 2) == (side == Side::First)
}

pub(super) fn stands_well(piece: Piece, point: Point) -> bool {
    let Some(square) = square(point) else { return false };
    // As Red stands, which is below.
    let (x, row) = (point.x(), if piece.side == Side::First { HEIGHT - 1 - point.y() } else { point.y() });
    match piece.kind {
        Kind::King => (3..=5).contains(&x) && row <= 2,
        Kind::Advisor => is_home(piece.side, point) && is_advisors(usize::from(square)),
        Kind::Elephant => matches!((x, row), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
        Kind::Pawn => row >= 5 || (row >= 3 && x % 2 == 0),
        Kind::Horse | Kind::Rook | Kind::Cannon => true,
    }
}

/// A point as ICCS writes it: `a0` is the left end of Red's back rank.
pub(super) fn iccs(point: Point) -> String {
    format!("{}{}", char::from(b'a' + point.x()), i32::from(HEIGHT) - 1 - i32::from(point.y()))
}

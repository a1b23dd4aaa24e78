use crate::Side;

/// What a piece of xiangqi is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The general, 帅 or 将: one step along a line, in its palace.
    King,
    /// The guard, 仕 or 士: one step aslant, in its palace.
    Advisor,
    /// The minister, 相 or 象: two steps aslant over an empty point, on its side of the river.
    Elephant,
    /// The knight, 马: a step along a line over an empty point, then a step aslant.
    Horse,
    /// The chariot, 车: any way along a line.
    Rook,
    /// 炮: as a rook, but captures over one piece between.
    Cannon,
    /// The soldier, 兵 or 卒: a step forward, across the river also sideways.
    Pawn,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 7] =
        [Kind::King, Kind::Advisor, Kind::Elephant, Kind::Horse, Kind::Rook, Kind::Cannon, Kind::Pawn];

    /// The letter of FEN, upper case: `K A B N R C P`.
    pub const fn letter(self) -> char {
        match self {
            Kind::King => 'K',
            Kind::Advisor => 'A',
            Kind::Elephant => 'B',
            Kind::Horse => 'N',
            Kind::Rook => 'R',
            Kind::Cannon => 'C',
            Kind::Pawn => 'P',
        }
    }

    /// The kind of a letter of FEN in any case, with `H` for a horse and `E` for an elephant.
    pub const fn from_letter(letter: char) -> Option<Kind> {
        Some(match letter.to_ascii_uppercase() {
            'K' => Kind::King,
            'A' => Kind::Advisor,
            'B' | 'E' => Kind::Elephant,
            'N' | 'H' => Kind::Horse,
            'R' => Kind::Rook,
            'C' => Kind::Cannon,
            'P' => Kind::Pawn,
            _ => return None,
        })
    }

    /// How many of the kind a side has at the start, which is the most it can have.
    pub const fn most(self) -> u32 {
        match self {
            Kind::King => 1,
            Kind::Pawn => 5,
            _ => 2,
        }
    }

    /// The English word.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::King => "king",
            Kind::Advisor => "advisor",
            Kind::Elephant => "elephant",
            Kind::Horse => "horse",
            Kind::Rook => "rook",
            Kind::Cannon => "cannon",
            Kind::Pawn => "pawn",
        }
    }
}

/// A piece of a side; [`Side::First`] is Red.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// What it is.
    pub kind: Kind,
}

impl Piece {
    /// The letter of FEN: upper case for Red, lower case for Black.
    pub const fn letter(self) -> char {
        match self.side {
            Side::First => self.kind.letter(),
            Side::Second => self.kind.letter().to_ascii_lowercase(),
        }
    }

    /// The piece of a letter of FEN, with `H` for a horse and `E` for an elephant.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
        match Kind::from_letter(letter) {
            Some(kind) => Some(Piece { side, kind }),
            None => None,
        }
    }

    /// `red` or `black`, and the kind.
    pub fn name(self) -> String {
        format!("{} {}", side_name(self.side), self.kind.name())
    }

    /// From 1 to 14, with 0 left for an empty point.
    pub(super) const fn code(self) -> u8 {
        1 + self.kind as u8 + 7 * self.side as u8
    }

    /// The piece of a code; `None` for 0.
    pub(super) const fn from_code(code: u8) -> Option<Piece> {
        if code == 0 {
            return None;
        }
        let side = if code > 7 { Side::Second } else { Side::First };
        Some(Piece { side, kind: Kind::ALL[(code as usize - 1) % 7] })
    }
}

/// `red` or `black`.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "black",
    }
}

use super::reach::{
    ADVISOR, ELEPHANT, FILES, HORSE, HORSES_AROUND, KING, PAWN, PAWNS_AROUND, between, jump, leg, rank, slide,
};
use super::square::{Each, Set, WIDTH, bit, each, point};
use super::{Board, Kind, Piece};
use crate::{Point, Side, Step};

/// What keeps the king of the side to move safe.
pub(super) struct Safety {
    /// Where a piece may go that is neither the king nor watched.
    allowed: Set,
    /// The pieces that stand in the way of a check, or are the screen of one.
    watched: Set,
}

/// The legal moves of a board, by where they begin from the top left.
pub struct Moves<'b> {
    board: &'b Board,
    safety: Safety,
    left: Each,
    from: u8,
    to: Each,
}

impl Iterator for Moves<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(to) = self.to.next() {
                return Some(Step { from: point(self.from), to: point(to) });
            }
            self.from = self.left.next()?;
            self.to = each(self.board.targets(self.from, &self.safety));
        }
    }
}

impl Board {
    /// The legal moves of the side to move.
    pub fn moves(&self) -> Moves<'_> {
        let left = each(self.sides[self.to_move as usize]);
        Moves { board: self, safety: self.safety(), left, from: 0, to: each(0) }
    }

    /// The legal moves of what stands on a point.
    pub fn moves_from(&self, point: Point) -> Moves<'_> {
        let own = super::square::square(point).map_or(0, bit) & self.sides[self.to_move as usize];
        Moves { board: self, safety: self.safety(), left: each(own), from: 0, to: each(0) }
    }

    /// Whether a step is a legal move.
    pub fn is_legal(&self, step: Step) -> bool {
        self.judge(step).is_ok()
    }

    /// Whether the side to move has a legal move. Who has none has lost, in check or not.
    pub fn has_moves(&self) -> bool {
        self.moves().next().is_some()
    }

    /// Whether the king of the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.in_check(self.to_move)
    }

    /// Whether the king of a side could be taken by the other, or faces the other king.
    pub fn in_check(&self, side: Side) -> bool {
        self.king_square(side).is_some_and(|king| self.is_attacked(king, side.other(), 0))
    }

    /// How many sequences of legal moves there are of so many plies.
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.clone().count(depth),
        }
    }

    fn count(&mut self, depth: u32) -> u64 {
        let safety = self.safety();
        let mut sum = 0;
        let own = each(self.sides[self.to_move as usize]);
        if depth == 1 {
            return own.map(|from| u64::from(self.targets(from, &safety).count_ones())).sum();
        }
        for from in own {
            for to in each(self.targets(from, &safety)) {
                let undo = self.shift(from, to);
                sum += self.count(depth - 1);
                self.unshift(undo);
            }
        }
        sum
    }

    pub(super) fn safety(&self) -> Safety {
        let mut watched = 0;
        let allowed = self.allowed(0, &mut watched);
        Safety { allowed, watched }
    }

    /// Where a piece of the side to move, which is not its king, may go so that the king is safe afterwards, if the
    /// squares `leaving` become empty by it.
    ///
    /// For each piece that has the king on a line, what counts is how many stand between: a rook and the other king
    /// must not have none, a cannon not one. A move takes one from between if it begins there, and adds one if it ends
    /// on an empty square there.
    fn allowed(&self, leaving: Set, watched: &mut Set) -> Set {
        let Some(king) = self.king_square(self.to_move) else { return Set::MAX };
        let (own, enemy) = (self.sides[self.to_move as usize], self.sides[self.to_move.other() as usize]);
        let occupied = own | enemy;
        let mut allowed = Set::MAX;
        let file = FILES[usize::from(king % WIDTH)];
        let lines = file | rank(king / WIDTH);
        let rooks = self.kinds[Kind::Rook as usize] & lines | self.kinds[Kind::King as usize] & file;
        for rook in each(enemy & rooks) {
            let between = between(king, rook);
            let screens = between & occupied;
            if screens & !leaving == 0 {
                allowed &= between & !occupied | bit(rook);
            } else if screens & (screens - 1) == 0 {
                *watched |= screens & own;
            }
        }
        for cannon in each(enemy & self.kinds[Kind::Cannon as usize] & lines) {
            let between = between(king, cannon);
            let screens = between & occupied;
            let left = screens & !leaving;
            if left == 0 {
                allowed &= !(between & !occupied);
            } else if left & (left - 1) == 0 {
                allowed &= between & !occupied | bit(cannon);
            }
            let rest = screens & screens.wrapping_sub(1);
            if rest & rest.wrapping_sub(1) == 0 {
                *watched |= screens & own;
            }
        }
        for horse in each(enemy & self.kinds[Kind::Horse as usize] & HORSES_AROUND[usize::from(king)]) {
            let leg = bit(leg(horse, king));
            if occupied & !leaving & leg == 0 {
                allowed &= leg & !leaving | bit(horse);
            } else {
                *watched |= leg & own;
            }
        }
        let pawns = &PAWNS_AROUND[self.to_move.other() as usize];
        for pawn in each(enemy & self.kinds[Kind::Pawn as usize] & pawns[usize::from(king)]) {
            allowed &= bit(pawn);
        }
        allowed
    }

    /// Where what stands on a square of the side to move may go.
    #[inline]
    pub(super) fn targets(&self, from: u8, safety: &Safety) -> Set {
        let Some(Piece { kind, side }) = Piece::from_code(self.cells[usize::from(from)]) else { return 0 };
        let reach = self.reach(from, kind) & !self.sides[side as usize];
        if kind == Kind::King && self.king_square(side) == Some(from) {
            let mut safe = reach;
            for to in each(reach) {
                if self.is_attacked(to, side.other(), bit(from)) {
                    safe ^= bit(to);
                }
            }
            return safe;
        }
        if safety.watched & bit(from) != 0 {
            return reach & self.allowed(bit(from), &mut 0);
        }
        reach & safety.allowed
    }

    /// Where a piece of a kind goes from a square, its own side's pieces included.
    #[inline]
    pub(super) fn reach(&self, from: u8, kind: Kind) -> Set {
        let file = self.files[usize::from(from % WIDTH)];
        match kind {
            Kind::King => KING[usize::from(from)],
            Kind::Advisor => ADVISOR[usize::from(from)],
            Kind::Elephant => self.leaps(&ELEPHANT[usize::from(from)]),
            Kind::Horse => self.leaps(&HORSE[usize::from(from)]),
            Kind::Rook => slide(from, self.occupied(), file),
            Kind::Cannon => {
                let occupied = self.occupied();
                slide(from, occupied, file) & !occupied | jump(from, occupied, file)
            }
            Kind::Pawn => {
                let is_black = self.sides[Side::Second as usize] & bit(from) != 0;
                PAWN[usize::from(is_black)][usize::from(from)]
            }
        }
    }

    #[inline]
    fn leaps(&self, leaps: &[super::reach::Leap; 4]) -> Set {
        leaps.iter().fold(0, |set, leap| if self.cells[usize::from(leap.leg)] == 0 { set | leap.to } else { set })
    }

    /// Whether a side's pieces could take what stands on a square, if the squares `gone` were empty.
    pub(super) fn is_attacked(&self, square: u8, by: Side, gone: Set) -> bool {
        let occupied = self.occupied() & !gone;
        let x = square % WIDTH;
        let enemy = self.sides[by as usize] & !gone;
        let lines = FILES[usize::from(x)] | rank(square / WIDTH);
        let [kings, rooks, cannons] =
            [Kind::King, Kind::Rook, Kind::Cannon].map(|kind| enemy & self.kinds[kind as usize]);
        if (kings | rooks | cannons) & lines != 0 {
            let mut file = self.files[usize::from(x)];
            for gone in each(gone & FILES[usize::from(x)]) {
                file &= !(1 << (gone / WIDTH));
            }
            let slide = slide(square, occupied, file);
            if slide & (rooks | kings & FILES[usize::from(x)]) != 0 || jump(square, occupied, file) & cannons != 0 {
                return true;
            }
        }
        if enemy & self.kinds[Kind::Pawn as usize] & PAWNS_AROUND[by as usize][usize::from(square)] != 0 {
            return true;
        }
        each(enemy & self.kinds[Kind::Horse as usize] & HORSES_AROUND[usize::from(square)])
            .any(|horse| occupied & bit(leg(horse, square)) == 0)
    }
}

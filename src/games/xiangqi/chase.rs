use super::reach::PAWN;
use super::square::{SQUARES, Set, bit, each, square};
use super::{Board, Kind, Piece};
use crate::{Side, Step};

/// What a side does with its moves since a position was there before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Chase {
    /// Every move attacks one and the same piece, by an attack that was not there before it.
    pub is_sure: bool,
    /// The same, where attacks count too that were there but won nothing until the move took a protection away.
    pub may_be: bool,
    /// Every move attacks something anew, be it another piece each time.
    pub is_busy: bool,
}

/// What Red and Black do with moves without a capture.
pub fn chases(start: &Board, steps: &[Step]) -> [Chase; 2] {
    let mut board = start.clone();
    // The square where each piece stood at the start, by the square where it stands.
    let mut names: [u8; SQUARES] = std::array::from_fn(|square| square as u8);
    let (mut sure, mut maybe, mut busy) = ([Set::MAX; 2], [Set::MAX; 2], [true; 2]);
    for step in steps {
        let (Some(from), Some(to)) = (square(step.from), square(step.to)) else { break };
        let side = board.to_move();
        let before = attacks(&board, side, &names);
        board.shift(from, to);
        names[usize::from(to)] = names[usize::from(from)];
        let after = attacks(&board, side, &names);
        let winning = || after.iter().filter(|attack| attack.wins);
        let is_same = |one: &Attack, other: &Attack| (one.attacker, one.victim) == (other.attacker, other.victim);
        let set = |attacks: &mut dyn Iterator<Item = &Attack>| attacks.fold(0, |set, attack| set | bit(attack.victim));
        let new = set(&mut winning().filter(|attack| !before.iter().any(|other| is_same(attack, other))));
        let won = set(&mut winning().filter(|attack| !before.contains(attack)));
        sure[side as usize] &= new;
        // A check takes away protections only until it is answered.
        maybe[side as usize] &= if board.is_check() { 0 } else { won };
        busy[side as usize] &= new != 0;
    }
    [0, 1].map(|side| Chase { is_sure: sure[side] != 0, may_be: maybe[side] != 0, is_busy: busy[side] })
}

/// A piece that could take another.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Attack {
    /// The name of the one.
    attacker: u8,
    /// The name of the other.
    victim: u8,
    /// Whether something would be won by it.
    wins: bool,
}

/// What a side's pieces could take if it were to move. Kings and pawns may attack as they like, so that theirs are
/// left out.
fn attacks(board: &Board, side: Side, names: &[u8; SQUARES]) -> Vec<Attack> {
    let mut board = board.clone();
    board.to_move = side;
    let safety = board.safety();
    let enemy = board.sides[side.other() as usize] & !board.kinds[Kind::King as usize];
    let attackers = board.sides[side as usize] & !board.kinds[Kind::King as usize] & !board.kinds[Kind::Pawn as usize];
    let mut attacks = Vec::new();
    for from in each(attackers) {
        for to in each(board.targets(from, &safety) & enemy) {
            let [attacker, victim] = [from, to].map(|square| names[usize::from(square)]);
            attacks.push(Attack { attacker, victim, wins: wins(&mut board, from, to) });
        }
    }
    attacks
}

/// Whether a capture would win something, as the Asian rules count it: not a pawn on its own side, nor what is protected
/// but for a rook, nor an exchange of two of a kind.
fn wins(board: &mut Board, from: u8, to: u8) -> bool {
    let kind = |square: u8| Piece::from_code(board.cells[usize::from(square)]).map(|piece| piece.kind);
    let (Some(attacker), Some(victim)) = (kind(from), kind(to)) else { return false };
    let side = board.to_move;
    if victim == Kind::Pawn && PAWN[side.other() as usize][usize::from(to)].count_ones() == 1 {
        return false;
    }
    if attacker == victim {
        board.to_move = side.other();
        let strikes_back = board.targets(to, &board.safety()) & bit(from) != 0;
        board.to_move = side;
        if strikes_back {
            return false;
        }
    }
    if victim == Kind::Rook && attacker != Kind::Rook {
        return true;
    }
    let undo = board.shift(from, to);
    let safety = board.safety();
    let is_protected =
        each(board.sides[board.to_move as usize]).any(|from| board.targets(from, &safety) & bit(to) != 0);
    board.unshift(undo);
    !is_protected
}

use crate::{NodeId, Note, Outcome, Pieces, Play, Record};
use games::gomoku::{Board, Made, Three, forbidden, made};
use games::{Move, Rule, Side, xiangqi};

/// How a game ended by what stands on the board, whatever its record says; `None` if that decides nothing.
///
/// A five wins, the first one if the game went on. A move forbidden to Black that is the last of the main line loses.
/// A full board is a draw. What follows a stone on a stone is not looked at, and stones that are set up make a new
/// position, in which nobody has won yet.
pub fn board_result(record: &Record, rule: Rule, three: Three) -> Option<Outcome> {
    let tree = &record.tree;
    let mut board = Board::new(record.head.size);
    let mut five = None;
    let mut last = None;
    for node in std::iter::once(NodeId::ROOT).chain(tree.main_line()) {
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, side) => {
                    board.undo(point);
                    if let Some(side) = side {
                        board.play_unchecked(point, side);
                    }
                    (five, last) = (None, None);
                }
                Note::ToMove(_) => {}
                // Set-up and the side to move come first in the order of notes.
                _ => break,
            }
        }
        match tree.play(node) {
            Play::Move(Move::Place(point)) => {
                let side = tree.side(node);
                if !board.size().contains(point) || board.stone(point).is_some() {
                    last = None;
                    break;
                }
                if five.is_none() && made(&board, point, side, rule) == Made::Five {
                    five = Some(side);
                }
                board.play_unchecked(point, side);
                last = Some((point, side));
            }
            Play::Move(Move::Pass) => last = None,
            _ => {}
        }
    }
    if let Some(side) = five {
        return Some(if side == Side::First { Outcome::First } else { Outcome::Second });
    }
    if rule == Rule::Renju
        && let Some((point, Side::First)) = last
    {
        board.undo(point);
        let is_forbidden = !forbidden::kinds(&board, point, three).is_empty();
        board.play_unchecked(point, Side::First);
        if is_forbidden {
            return Some(Outcome::Second);
        }
    }
    let points = usize::from(board.size().width()) * usize::from(board.size().height());
    (board.stones().count() == points).then_some(Outcome::Draw)
}

/// How a game of xiangqi ended by its last position: who is to move and has no move has lost; `None` if there is one, or
/// if the record begins with no position.
///
/// Repetition and the natural limit depend on rules that differ and are not looked at.
pub fn mate_result(record: &Record) -> Option<Outcome> {
    let mut pieces = Pieces::new(&record.head).ok()?;
    for node in record.tree.main_line() {
        pieces.enter(record.tree.play(node));
    }
    Some(if mated(pieces.board())? == Side::First { Outcome::Second } else { Outcome::First })
}

/// Who is to move, has a king and has no move.
pub(crate) fn mated(board: &xiangqi::Board) -> Option<Side> {
    let side = board.to_move();
    (board.king(side).is_some() && !board.has_moves()).then_some(side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;
    use games::{Coords, Size, parse_moves};

    fn result(moves: &str, size: Size, rule: Rule) -> Option<Outcome> {
        let mut builder = TreeBuilder::new();
        for (at, played) in parse_moves(moves, Coords::A1, size).unwrap().into_iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(played)).unwrap();
        }
        let mut record = Record { tree: builder.build(), ..Record::default() };
        record.head.size = size;
        board_result(&record, rule, Three::Rif)
    }

    const FIVE: &str = "h8 a1 h9 a2 h10 a3 h11 a4 h12";
    /// h8 is Black's third stone of two open threes.
    const DOUBLE_THREE: &str = "h9 a1 h10 a15 i8 o1 j8 o15 h8";

    #[test]
    fn fives_forbidden_moves_and_full_boards_decide() {
        let on = |moves: &str, rule| result(moves, Size::default(), rule);
        assert_eq!(on("", Rule::Renju), None);
        assert_eq!(on("h8 i9", Rule::Renju), None);
        assert_eq!(on(FIVE, Rule::Renju), Some(Outcome::First));
        assert_eq!(on(&format!("{FIVE} a5"), Rule::Renju), Some(Outcome::First));
        assert_eq!(on(&FIVE.replace("h12", "c3 a5"), Rule::Renju), Some(Outcome::Second));
        assert_eq!(on(DOUBLE_THREE, Rule::Renju), Some(Outcome::Second));
        assert_eq!(on(DOUBLE_THREE, Rule::Freestyle), None);
        assert_eq!(on(&format!("{DOUBLE_THREE} b1"), Rule::Renju), None);
        assert_eq!(on(&format!("{DOUBLE_THREE} --"), Rule::Renju), None);
        assert_eq!(on("h8 i9 h8 j10", Rule::Renju), None);
        assert_eq!(result("a1 a2 b1 b2", Size::square(2).unwrap(), Rule::Freestyle), Some(Outcome::Draw));
        assert_eq!(result("a1 a2 b1", Size::square(2).unwrap(), Rule::Freestyle), None);
    }

    #[test]
    fn six_is_five_under_some_rules() {
        let six = "h8 a1 h9 a2 h10 a3 h12 b5 h13 b6 h11";
        assert_eq!(result(six, Size::default(), Rule::Freestyle), Some(Outcome::First));
        assert_eq!(result(six, Size::default(), Rule::Standard), None);
        assert_eq!(result(six, Size::default(), Rule::Renju), Some(Outcome::Second));
    }

    #[test]
    fn who_cannot_move_has_lost_at_xiangqi() {
        let ended = |fen: &str, last: &str| {
            let mut builder = crate::TreeBuilder::new();
            let step = games::Step::from_text(last).unwrap();
            builder.append(1, Side::First, Play::Move(Move::Step(step))).unwrap();
            let tags = vec![(crate::FEN.into(), fen.into())];
            let head =
                crate::Head { game: games::Game::Xiangqi, size: games::Size::XIANGQI, tags, ..Default::default() };
            mate_result(&Record { head, tree: builder.build() })
        };
        // Two rooks: a mate, a check that can be answered, and a king without a move that is not in check.
        assert_eq!(ended("3k5/R8/1R7/9/9/9/9/9/9/4K4 w", "b7b9"), Some(Outcome::First));
        assert_eq!(ended("3k5/9/1R7/9/9/9/9/9/9/4K4 w", "b7b9"), None);
        assert_eq!(ended("3k5/9/4R4/9/9/9/9/9/R8/4K4 w", "a1a8"), Some(Outcome::First));
    }
}

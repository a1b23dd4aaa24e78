use crate::decide::mated;
use crate::{NodeId, Outcome, Pieces, Play, Record};
use games::xiangqi::{Fault, Fen, History, Judging, Loss, Verdict};
use games::{Move, Side};

/// What is wrong with the play of a record of xiangqi, or worth a note. Moves that cannot be played are left out, and
/// told, where they are bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PieceFlaw {
    /// The board that the record begins with cannot be of a game.
    Board(Fault),
    /// A side passes.
    Pass,
    /// The main line ends with a side that has no move, and the result says that nobody won.
    Unnoticed(Side, Loss),
    /// The main line ends with a side that has no move, and the result says that it won.
    Contradicted(Side, Loss),
    /// Not a fault: where the rules of repetition or the natural limit first end the game, and what they say.
    Ruled(Verdict),
}

impl PieceFlaw {
    /// A short name in words joined by hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            PieceFlaw::Board(_) => "bad-position",
            PieceFlaw::Pass => "pass",
            PieceFlaw::Unnoticed(..) => "mate-unnoticed",
            PieceFlaw::Contradicted(..) => "result-contradicted",
            PieceFlaw::Ruled(_) => "ended-by-rule",
        }
    }

    /// Whether something is wrong; else it is only worth a note.
    pub const fn is_fault(self) -> bool {
        !matches!(self, PieceFlaw::Ruled(_))
    }
}

/// Walks a record of xiangqi whose moves are bound, and hands each flaw to `found` with the node it is about.
///
/// The result and repetition are judged on the main line, repetition by [`Judging::default`]. A record without a
/// position to begin with has no flaw here: that was told when it was bound.
pub fn judge_pieces(record: &Record, found: &mut dyn FnMut(NodeId, PieceFlaw)) {
    let tree = &record.tree;
    let Ok(mut pieces) = Pieces::new(&record.head) else { return };
    for fault in pieces.board().faults() {
        found(NodeId::ROOT, PieceFlaw::Board(fault));
    }
    for node in tree.nodes().filter(|node| tree.play(*node) == Play::Move(Move::Pass)) {
        found(node, PieceFlaw::Pass);
    }
    let mut history = History::from(Fen::from(pieces.board().clone()));
    let mut line = vec![NodeId::ROOT];
    let mut is_whole = true;
    for node in tree.main_line() {
        let play = tree.play(node);
        match play {
            Play::Move(Move::Step(step)) if is_whole => {
                is_whole = history.push(step).is_ok();
                line.push(node);
            }
            // Repetition is not judged beyond a pass.
            Play::Move(_) => is_whole = false,
            _ => {}
        }
        pieces.enter(play);
    }
    let is_rule = |verdict| !matches!(verdict, Verdict::Loss(_, Loss::Mate | Loss::Stalemate));
    let ruled = history.judge(&Judging::default()).met.into_iter().find(|(_, verdict)| is_rule(*verdict));
    if let Some((ply, verdict)) = ruled {
        found(line[ply], PieceFlaw::Ruled(verdict));
    }
    let board = pieces.board();
    let Some(loser) = mated(board) else { return };
    let end = tree.main_line().last().unwrap_or(NodeId::ROOT);
    let how = if board.is_check() { Loss::Mate } else { Loss::Stalemate };
    let won = if loser == Side::First { Outcome::Second } else { Outcome::First };
    match record.head.result {
        Some(Outcome::First | Outcome::Second) if record.head.result != Some(won) => {
            found(end, PieceFlaw::Contradicted(loser, how));
        }
        Some(Outcome::Draw | Outcome::Void | Outcome::Unknown) => found(end, PieceFlaw::Unnoticed(loser, how)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FEN, Head, TreeBuilder};
    use games::{Game, Size, Step};

    fn flaws(fen: &str, moves: &str, result: Option<Outcome>) -> Vec<(usize, &'static str)> {
        let mut builder = TreeBuilder::new();
        for (at, text) in moves.split_whitespace().enumerate() {
            let play = Step::from_text(text).map_or(Move::Pass, Move::Step);
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(play)).unwrap();
        }
        let tags = vec![(FEN.into(), fen.into())];
        let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, tags, result, ..Head::default() };
        let mut flaws = Vec::new();
        let record = Record { head, tree: builder.build() };
        judge_pieces(&record, &mut |node, flaw| flaws.push((node.index(), flaw.name())));
        flaws
    }

    #[test]
    fn each_flaw_is_found_where_it_is() {
        // ....k....
        // R........   two rooks: b0b9 mates.
        const MATE: &str = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w";
        // The king on d0 keeps the black one from the file d; e9 has no other step once the rook holds the rank below.
        const STALEMATE: &str = "4k4/9/5R3/9/9/9/9/9/9/3K5 w";
        let (first, second) = (Some(Outcome::First), Some(Outcome::Second));
        for (fen, moves, result, expected) in [
            (MATE, "b0b9", first, vec![]),
            (MATE, "b0b9", None, vec![]),
            (MATE, "b0b9", second, vec![(1, "result-contradicted")]),
            (MATE, "b0b9", Some(Outcome::Draw), vec![(1, "mate-unnoticed")]),
            (MATE, "b0b8", second, vec![]),
            (STALEMATE, "f7f8", second, vec![(1, "result-contradicted")]),
            (STALEMATE, "f7f8", first, vec![]),
            (MATE, "b0b8 -- b8b9", first, vec![(2, "pass")]),
            ("4k4/9/9/9/9/9/9/9/9/4K4 w", "e0e1", None, vec![(0, "bad-position")]),
            ("4k4/9/9 w", "e0e1", None, vec![]),
            ("3k5/9/9/9/9/9/9/9/R8/4K4 w", "a1b1 d9d8 b1a1 d8d9 a1b1 d9d8 b1a1 d8d9", None, vec![(8, "ended-by-rule")]),
        ] {
            assert_eq!(flaws(fen, moves, result), expected, "{fen} {moves}");
        }
    }
}

use crate::{Book, Error, Frames};
use games::gomoku::{Board, Three, forbidden, own_symmetries};
use games::xiangqi;
use games::{Move, Rule, Side, Symmetry};
use record::{Abilities, Evaluate, Failure, Finding, Judgement, Key, Line, Question, Rest};
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A book as one that evaluates positions: it answers with what it holds, whatever the effort.
///
/// Of a position that it lacks, or of which it knows no move with a value, it says [`Failure::Unknown`]. What it calls
/// proven has no grounds here: it does not hold the proof.
pub struct Evaluator<D> {
    book: Arc<Book<D>>,
    frames: Frames,
    source: String,
}

impl<D: AsRef<[u8]>> Evaluator<D> {
    /// The book, named by its content, so that another one of the same file is another source.
    pub fn new(book: Arc<Book<D>>) -> Evaluator<D> {
        let source = format!("book {:016x}", (book.content_hash() >> 64) as u64);
        Evaluator { frames: Frames::new(book.is_symmetric()), book, source }
    }
}

impl<D: AsRef<[u8]>> Evaluate for Evaluator<D> {
    fn source(&self) -> &str {
        &self.source
    }

    fn abilities(&self) -> Abilities {
        Abilities::ALL
    }

    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let Question { position, except, lines, .. } = question;
        match self.book.finding(position, except, *lines, &mut self.frames) {
            Ok(Some(finding)) => Ok(finding),
            Ok(None) => Err(Failure::Unknown("the book has no move with a value here".into())),
            Err(error) => Err(Failure::Broken(format!("the book cannot be read: {error}"))),
        }
    }
}

impl<D: AsRef<[u8]>> Book<D> {
    /// The best moves that the book knows of a position, at most so many and none of some others; `None` where it has
    /// no move with a value.
    ///
    /// The first has the value of the position where the book has one and nothing is left out. Values of another scale
    /// than its are left out, as they cannot be compared.
    pub fn finding(
        &self,
        position: &Key,
        except: &[Move],
        lines: usize,
        frames: &mut Frames,
    ) -> Result<Option<Finding>, Error> {
        let Some(answer) = self.ask(position, frames.of_key(position))? else { return Ok(None) };
        let ground = Ground::new(position)?;
        // A book knows one of the moves that symmetry makes equal.
        let frame = frames.of_key(position);
        let turns: Vec<Symmetry> = ground.symmetries().into_iter().filter(|turn| frame.allows(*turn)).collect();
        let is_left_out =
            |play: Move| turns.iter().any(|turn| except.contains(&turn.apply_to_move(play, position.size())));
        let may = |play: Move| ground.can_play(play) && !is_left_out(play);
        let own = answer.entry.value();
        let rest = answer.entry.rest.as_ref().and_then(|Rest { play, judgement, .. }| {
            let judgement = judgement.as_ref()?;
            Some(((*play)?, judgement.value, judgement))
        });
        let followed = answer.moves.iter().filter_map(|each| {
            let judgement = each.judgement.as_ref()?;
            Some((each.play, to_chooser(judgement.value), judgement))
        });
        let mut known: Vec<(Move, i32, &Judgement)> = followed.chain(rest).filter(|(play, ..)| may(*play)).collect();
        known.sort_by_key(|(play, value, _)| (Reverse(*value), *play));
        // The best of all moves in xiangqi, where what is followed is of other searches.
        let best = answer.entry.rest.as_ref().and_then(|rest| rest.play).filter(|_| position.pieces().is_some());
        known.sort_by_key(|(play, ..)| Some(*play) != best);
        known.dedup_by_key(|(play, ..)| *play);
        let Some(scale) = own.as_deref().or(known.first().map(|(.., judgement)| *judgement)).map(|by| by.scale) else {
            return Ok(None);
        };
        known.retain(|(.., judgement)| judgement.scale == scale);
        let Some((_, _, best)) = known.first() else { return Ok(None) };
        let own = own.filter(|_| except.is_empty());
        let depth = own.as_ref().map_or(best.depth, |own| own.depth);
        let mut lines: Vec<Line> = known
            .iter()
            .take(lines.max(1))
            .map(|(play, value, _)| Line { moves: vec![*play], value: Some(*value), grounds: None })
            .collect();
        if let Some(own) = own {
            lines[0].value = Some(own.value);
        }
        Ok(Some(Finding { lines, depth, scale, ..Finding::default() }))
    }
}

/// The board of a position.
enum Ground<'k> {
    Gomoku { board: Box<Board>, is_blacks: bool },
    Xiangqi(&'k xiangqi::Board),
}

impl Ground<'_> {
    fn new(position: &Key) -> Result<Ground<'_>, Error> {
        match position {
            Key::Gomoku(position) => {
                let board = Board::with_stones(position.size, position.stones.iter().copied());
                let board = Box::new(board.map_err(|_| Error::Position)?);
                let is_blacks = position.rule == Rule::Renju && position.to_move == Side::First;
                Ok(Ground::Gomoku { board, is_blacks })
            }
            Key::Xiangqi(board) => Ok(Ground::Xiangqi(board)),
        }
    }

    /// Those that leave it as it is.
    fn symmetries(&self) -> Vec<Symmetry> {
        match self {
            Ground::Gomoku { board, .. } => own_symmetries(board).collect(),
            Ground::Xiangqi(board) if board.mirror() == **board => vec![Symmetry::Identity, Symmetry::Mirror],
            Ground::Xiangqi(_) => vec![Symmetry::Identity],
        }
    }

    fn can_play(&self, play: Move) -> bool {
        match (self, play) {
            (Ground::Gomoku { board, is_blacks }, Move::Place(point)) => {
                board.is_empty(point) && (!is_blacks || forbidden::kinds(board, point, Three::Rif).is_empty())
            }
            (Ground::Xiangqi(board), Move::Step(step)) => board.is_legal(step),
            _ => false,
        }
    }
}

/// What a position is worth to the side that moves to it, in whose position a win or a loss is one ply further away.
fn to_chooser(value: i32) -> i32 {
    match value {
        value if value > 29_500 => 1 - value,
        value if value < -29_500 => -value - 1,
        value => value.saturating_neg(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, Builder};
    use games::{Coords, Point, Size, Step};
    use record::{Backed, Bound, Continuation, Effort, Entry, StoneKey, Tally};

    fn point(name: &str) -> Point {
        Coords::A1.parse(name, Size::default()).unwrap()
    }

    fn key(rule: Rule, moves: &str) -> StoneKey {
        let mut board = Board::new(Size::default());
        let moves: Vec<Point> = moves.split_whitespace().map(point).collect();
        moves.iter().zip(1..).for_each(|(point, ply)| board.play(*point, Side::of_ply(ply)).unwrap());
        StoneKey::new(&board, Side::of_ply(moves.len() + 1), rule)
    }

    fn judged(value: i32, depth: i16) -> Judgement {
        Judgement { value, bound: Bound::Exact, depth, nodes: None, scale: 200, source: "somebody".into() }
    }

    fn moves(names: &str) -> Vec<Continuation> {
        let play = |name| Continuation { play: Move::Place(point(name)), tally: Tally::default() };
        names.split_whitespace().map(play).collect()
    }

    fn evaluator<K: Clone + Into<Key>>(entries: &[(K, Entry)]) -> Evaluator<Vec<u8>> {
        let mut builder = Builder::new(BuildOptions::default());
        entries.iter().for_each(|(key, entry)| builder.add_entry(&key.clone().into(), entry.clone()).unwrap());
        let mut bytes = Vec::new();
        builder.finish(&mut bytes, "").unwrap();
        Evaluator::new(Arc::new(Book::open(bytes).unwrap()))
    }

    fn ask(
        evaluator: &mut Evaluator<Vec<u8>>,
        position: impl Into<Key>,
        except: &str,
        lines: usize,
    ) -> Result<Vec<(String, i32)>, Failure> {
        let position: Key = position.into();
        let game = position.rules().game();
        let except = except.split_whitespace().map(|name| Move::from_text(name, game, position.size()).unwrap());
        let except = except.collect();
        let size = position.size();
        let question = Question { position, history: Vec::new(), except, lines, effort: Effort::default() };
        let found = evaluator.evaluate(&question, &AtomicBool::new(false))?;
        assert!(found.lines.iter().all(|line| line.grounds.is_none() && line.moves.len() == 1));
        Ok(found.lines.iter().map(|line| (line.moves[0].text(size), line.value.unwrap())).collect())
    }

    fn book() -> Vec<(StoneKey, Entry)> {
        let renju = |moves| key(Rule::Renju, moves);
        let rest = Rest { play: Some(Move::Place(point("f6"))), judgement: Some(judged(33, 8)), proven: false };
        let valued = |value| Entry { judgement: Some(judged(value, 9)), ..Entry::default() };
        vec![
            (renju("h8 i9 j11"), Entry { rest: Some(rest), moves: moves("g7 h9 a1"), ..Entry::default() }),
            (renju("h8 i9 j11 g7"), valued(-50)),
            (renju("h8 i9 j11 h9"), valued(29_990)),
            (renju("h8 i9 j11 a1"), Entry::default()),
            (renju("c3"), Entry { judgement: Some(judged(70, 3)), ..Entry::default() }),
        ]
    }

    #[test]
    fn a_book_answers_with_its_moves_and_its_rest_best_first() {
        let mut evaluator = evaluator(&book());
        let position = || key(Rule::Renju, "h8 i9 j11");
        let mut all = |except: &str, lines| ask(&mut evaluator, position(), except, lines);
        // Nobody says what the position itself is worth but the rest.
        let (g7, f6, h9) = (("g7".to_owned(), 50), ("f6".to_owned(), 33), ("h9".to_owned(), -29_989));
        assert_eq!(all("g7", 9), Ok(vec![f6.clone(), h9.clone()]));
        assert_eq!(all("f6", 1), Ok(vec![g7.clone()]));
        assert_eq!(all("f6 h9", 9), Ok(vec![g7]));
        assert!(matches!(all("f6 g7 h9", 9), Err(Failure::Unknown(_))));
    }

    #[test]
    fn the_first_move_has_the_value_of_the_position() {
        let mut entries = book();
        entries[0].1.backed = Some(Backed { value: 61, scale: 200, proven: false });
        let mut evaluator = evaluator(&entries);
        let position = key(Rule::Renju, "h8 i9 j11");
        assert_eq!(ask(&mut evaluator, position.clone(), "", 2), Ok(vec![("g7".into(), 61), ("f6".into(), 33)]));
        assert_eq!(ask(&mut evaluator, position, "a1", 1), Ok(vec![("g7".into(), 50)]));
    }

    #[test]
    fn what_a_book_lacks_is_unknown_and_never_worth_nothing() {
        let mut evaluator = evaluator(&book());
        for (rule, moves) in
            [(Rule::Renju, "h8 i9"), (Rule::Freestyle, "h8 i9 j11"), (Rule::Renju, "h8 i9 j11 a1"), (Rule::Renju, "c3")]
        {
            assert!(matches!(ask(&mut evaluator, key(rule, moves), "", 1), Err(Failure::Unknown(_))), "{moves}");
        }
    }

    #[test]
    fn moves_are_left_out_with_their_images() {
        let entries = [
            (key(Rule::Freestyle, "h8"), Entry { moves: moves("h9 i9"), ..Entry::default() }),
            (key(Rule::Freestyle, "h8 h9"), Entry { judgement: Some(judged(5, 1)), ..Entry::default() }),
            (key(Rule::Freestyle, "h8 i9"), Entry { judgement: Some(judged(7, 1)), ..Entry::default() }),
        ];
        let mut evaluator = evaluator(&entries);
        let first = key(Rule::Freestyle, "h8");
        assert_eq!(ask(&mut evaluator, first.clone(), "", 9).unwrap().len(), 2);
        for (side, corner) in [("h7", "g7"), ("g8", "i7"), ("i8", "g9")] {
            let values = |found: Vec<(String, i32)>| found.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
            assert_eq!(ask(&mut evaluator, first.clone(), side, 9).map(values), Ok(vec![-7]));
            assert_eq!(ask(&mut evaluator, first.clone(), corner, 9).map(values), Ok(vec![-5]));
        }
    }

    #[test]
    fn moves_that_renju_forbids_are_none() {
        // f6 makes two threes.
        let before = "d6 a1 e6 o1 f4 a15 f5 o15";
        let entries = |rule| {
            [
                (key(rule, before), Entry { moves: moves("f6"), ..Entry::default() }),
                (key(rule, &format!("{before} f6")), Entry { judgement: Some(judged(-400, 1)), ..Entry::default() }),
            ]
        };
        let ask = |rule| ask(&mut evaluator(&entries(rule)), key(rule, before), "", 1);
        assert_eq!(ask(Rule::Freestyle), Ok(vec![("f6".into(), 400)]));
        assert!(matches!(ask(Rule::Renju), Err(Failure::Unknown(_))));
    }

    #[test]
    fn a_book_of_xiangqi_answers_with_legal_moves_and_their_images() {
        let start = xiangqi::Board::start();
        let step = |name: &str| Move::Step(Step::from_text(name).unwrap());
        let after = |name: &str| Key::from(start.clone()).after(step(name)).unwrap();
        let plays = ["h2e2", "c3c4", "a0a9"].map(|name| Continuation { play: step(name), tally: Tally::default() });
        let rest = Rest { play: Some(step("b0c2")), judgement: Some(judged(12, 8)), proven: false };
        let valued = |value| Entry { judgement: Some(judged(value, 9)), ..Entry::default() };
        let mut evaluator = evaluator(&[
            (Key::from(start.clone()), Entry { rest: Some(rest), moves: plays.to_vec(), ..Entry::default() }),
            (after("h2e2"), valued(-30)),
            (after("c3c4"), valued(-20)),
        ]);
        let mut told = |except: &str| {
            let found = ask(&mut evaluator, start.clone(), except, 9).unwrap();
            found.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(told("h0g2"), [30, 20]);
        assert_eq!(told("b2e2 g3g4"), [12]);
        // The rest is the best of all moves, whatever is known of others.
        assert_eq!(told(""), [12, 30, 20]);
        let mirrored = after("c3c4").turned(Symmetry::Mirror);
        assert!(matches!(ask(&mut evaluator, mirrored, "", 1), Err(Failure::Unknown(_))));
    }
}

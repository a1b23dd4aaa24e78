use crate::frame::{Canonical, number_of};
use crate::{Book, Error, Frame};
use games::xiangqi::Board;
use games::{Move, Point, Size};
use record::{Entry, Judgement, Key, Label, Rest, Tally};
use std::borrow::Cow;
use std::cmp::Reverse;

/// What a book knows of a position, on the board of the one who asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What is known of the position itself; its moves are [`Answer::moves`].
    pub entry: Entry,
    /// The moves that the book knows, those of most games first, then those of the greatest value.
    pub moves: Vec<Candidate>,
}

/// A move from a position, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The move; of several that symmetry makes equal the topmost, then the one furthest to the right; of steps, by
    /// the point that they leave.
    pub play: Move,
    /// The games in which it was played in this position.
    pub tally: Tally,
    /// The judgement of the position after it, from the side to move there.
    pub judgement: Option<Judgement>,
    /// The verdict on the move.
    pub label: Label,
}

impl Candidate {
    /// The value for the side that chooses the move.
    pub fn value(&self) -> Option<i32> {
        self.judgement.as_ref().map(|judgement| judgement.value.saturating_neg())
    }
}

impl<D: AsRef<[u8]>> Book<D> {
    /// What the book knows of a position of the frame's board: one look-up, and one more for each move where positions
    /// have values or labels. Where moves are not listed, as in books of databases, all are tried.
    pub fn ask(&self, key: &Key, frame: &Frame) -> Result<Option<Answer>, Error> {
        let mut images = frame.images(key);
        let (to_move, rules) = (key.to_move(), key.rules());
        let mut form = Canonical::EMPTY;
        images.least(to_move, rules, frame, &mut form);
        let Some(mut entry) = self.get(&form.key, frame)? else { return Ok(None) };
        let (holds, size) = (self.holds(), frame.size());
        let mut child = Canonical::EMPTY;
        let mut after = |play: Move| -> Result<Option<Entry>, Error> {
            let changes = changes(key, play);
            changes.clone().for_each(|(point, kind)| images.toggle(point, kind, frame));
            images.least(to_move.other(), rules, frame, &mut child);
            changes.for_each(|(point, kind)| images.toggle(point, kind, frame));
            self.get(&child.key, frame)
        };
        let mut moves = Vec::with_capacity(entry.moves.len());
        for each in std::mem::take(&mut entry.moves) {
            let play = turned_back(&form, size, each.play);
            let known = if holds.judged { after(play)? } else { None }.unwrap_or_default();
            let judgement = known.value().map(Cow::into_owned);
            moves.push(Candidate { play, tally: each.tally, judgement, label: known.label });
        }
        if holds.unlisted {
            let listed: Vec<Move> = moves.iter().map(|each| each.play).collect();
            let is_first = |play: &Move| turned_back(&form, size, frame.stored(&form, *play)) == *play;
            for play in plays(key).filter(is_first).chain([Move::Pass]).filter(|play| !listed.contains(play)) {
                if let Some(known) = after(play)? {
                    let judgement = known.value().map(Cow::into_owned);
                    moves.push(Candidate { play, tally: Tally::default(), judgement, label: known.label });
                }
            }
        }
        moves.sort_by_key(|each| (Reverse(each.tally.games), Reverse(each.value())));
        let back = form.symmetry().inverse();
        if let Some(Rest { play: Some(play), .. }) = &mut entry.rest {
            *play = turned_back(&form, size, *play);
        }
        for text in &mut entry.texts {
            text.point = back.apply(text.point, size);
            text.written = form.symmetry().then(text.written);
        }
        for comment in &mut entry.comments {
            comment.written = form.symmetry().then(comment.written);
        }
        Ok(Some(Answer { entry, moves }))
    }
}

/// Where a move on the key's board lies in the position asked for.
fn turned_back(form: &Canonical, size: Size, play: Move) -> Move {
    let images = form.symmetries.iter().map(|symmetry| symmetry.inverse().apply_to_move(play, size));
    let place = |point: Point| (point.y(), Reverse(point.x()));
    let first = |play: &Move| match *play {
        Move::Pass => None,
        Move::Place(point) => Some((place(point), None)),
        Move::Step(step) => Some((place(step.from), Some(place(step.to)))),
    };
    images.min_by_key(first).expect("a canonical form has a symmetry")
}

/// What a move puts and takes away: points and kinds as [`Images::toggle`](crate::images::Images::toggle) takes them.
fn changes(key: &Key, play: Move) -> impl Iterator<Item = (Point, u16)> + Clone {
    let found = match (key, play) {
        (Key::Gomoku(stones), Move::Place(point)) => [Some((point, stones.to_move as u16)), None, None],
        (Key::Xiangqi(board), Move::Step(step)) => {
            let moved = board.piece(step.from).map(number_of);
            let taken = board.piece(step.to).map(|piece| (step.to, number_of(piece)));
            [moved.map(|moved| (step.from, moved)), moved.map(|moved| (step.to, moved)), taken]
        }
        _ => [None; 3],
    };
    found.into_iter().flatten()
}

/// All moves from a position but a pass, without a look at forbidden points.
fn plays(key: &Key) -> impl Iterator<Item = Move> + '_ {
    let points = key.stones().into_iter().flat_map(|position| {
        let stands = |point: &Point| position.stones.binary_search_by_key(point, |(other, _)| *other).is_ok();
        position.size.points().filter(move |point| !stands(point)).map(Move::Place)
    });
    points.chain(key.pieces().into_iter().flat_map(Board::moves).map(Move::Step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, Builder, Frames};
    use games::gomoku::{Board, symmetries};
    use games::{Game, Rule, Side};
    use record::{Play, Record, StoneKey, TreeBuilder};

    fn point(x: u8, y: u8) -> Point {
        Point::new(x, y).unwrap()
    }

    fn asked(book: &Book<Vec<u8>>, stones: &[(u8, u8)]) -> Option<Answer> {
        let size = Size::default();
        let side = |at| if at % 2 == 0 { Side::First } else { Side::Second };
        let stones = stones.iter().enumerate().map(|(at, (x, y))| (point(*x, *y), side(at)));
        let key = StoneKey::new(&Board::with_stones(size, stones.clone()).unwrap(), side(stones.count()), Rule::Renju);
        book.ask(&key.into(), Frames::new(book.is_symmetric()).of(Game::Gomoku, size)).unwrap()
    }

    /// The book of a line, or of its positions alone, without the moves between them.
    fn book(line: &[(u8, u8)], listed: bool) -> Book<Vec<u8>> {
        let options = || BuildOptions { min_plies: 0, ..BuildOptions::default() };
        let mut builder = Builder::new(options());
        let mut tree = TreeBuilder::new();
        for (at, (x, y)) in line.iter().enumerate() {
            let side = if at % 2 == 0 { Side::First } else { Side::Second };
            tree.append(at + 1, side, Play::Move(Move::Place(point(*x, *y)))).unwrap();
        }
        builder.add(&Record { tree: tree.build(), ..Record::default() }, Rule::Renju).unwrap();
        let mut bytes = Vec::new();
        builder.finish(&mut bytes, "").unwrap();
        let whole = Book::open(bytes).unwrap();
        if listed {
            return whole;
        }
        let mut builder = Builder::new(options());
        let mut frames = Frames::new(true);
        for (value, each) in whole.entries().enumerate() {
            let (key, entry) = each.unwrap();
            let frame = frames.of(Game::Gomoku, Size::default());
            let judgement = Judgement {
                value: value as i32,
                bound: Default::default(),
                depth: 1,
                nodes: None,
                scale: 200,
                source: String::new(),
            };
            let entry = Entry { moves: Vec::new(), tally: Tally::default(), judgement: Some(judgement), ..entry };
            builder.add_entry(&frame.key(&key).unwrap(), entry).unwrap();
        }
        let mut bytes = Vec::new();
        builder.finish(&mut bytes, "").unwrap();
        Book::open(bytes).unwrap()
    }

    #[test]
    fn the_moves_are_those_of_the_position_as_it_was_asked() {
        let line = [(7, 7), (8, 6), (9, 8), (6, 9)];
        for listed in [true, false] {
            let book = book(&line, listed);
            assert_eq!((book.holds().judged, book.holds().unlisted), (!listed, !listed));
            for &symmetry in symmetries(Size::default()) {
                let turned: Vec<(u8, u8)> = line
                    .iter()
                    .map(|(x, y)| symmetry.apply(point(*x, *y), Size::default()))
                    .map(|point| (point.x(), point.y()))
                    .collect();
                for plies in 2..line.len() {
                    let answer = asked(&book, &turned[..plies]).unwrap();
                    let (x, y) = turned[plies];
                    let plays: Vec<Move> = answer.moves.iter().map(|each| each.play).collect();
                    assert_eq!(plays.len(), 1);
                    // The second stone leaves one symmetry, under which this third one has an image.
                    let images = [point(x, y), point(14 - y, 14 - x), point(y, x)].map(Move::Place);
                    assert!(images.contains(&plays[0]), "{plays:?} {x} {y}");
                    assert_eq!(answer.moves[0].value().is_some(), !listed);
                }
                assert_eq!(asked(&book, &turned).unwrap().moves, []);
            }
            // All points beside the first stone are the same, and the topmost stands for them.
            let first = asked(&book, &line[..1]).unwrap();
            assert_eq!(first.moves.iter().map(|each| each.play).collect::<Vec<_>>(), [Move::Place(point(8, 6))]);
            assert_eq!(asked(&book, &[(0, 0)]), None);
        }
    }
}

use crate::frame::Canonical;
use crate::images::Images;
use crate::{Book, Error, Frame};
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
    /// The move; of several that symmetry makes equal the topmost, then the one furthest to the right.
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
    /// have values or labels. Where moves are not listed, as in books of databases, all points are tried.
    pub fn ask(&self, key: &Key, frame: &Frame) -> Result<Option<Answer>, Error> {
        let mut images = Images::new(frame);
        key.stones.iter().for_each(|(point, side)| images.toggle(*point, *side, frame));
        let mut form = Canonical::EMPTY;
        images.least(key.to_move, key.rule, frame, &mut form);
        let Some(mut entry) = self.get(&form.key, frame)? else { return Ok(None) };
        let (holds, size) = (self.holds(), frame.size());
        let mut child = Canonical::EMPTY;
        let mut after = |play: Move| -> Result<Option<Entry>, Error> {
            play.point().into_iter().for_each(|point| images.toggle(point, key.to_move, frame));
            images.least(key.to_move.other(), key.rule, frame, &mut child);
            play.point().into_iter().for_each(|point| images.toggle(point, key.to_move, frame));
            self.get(&child.key, frame)
        };
        let mut moves = Vec::with_capacity(entry.moves.len());
        for each in std::mem::take(&mut entry.moves) {
            let play = each.play.point().map_or(Move::Pass, |point| Move::Place(turned_back(&form, size, point)));
            let known = if holds.judged { after(play)? } else { None }.unwrap_or_default();
            let judgement = known.value().map(Cow::into_owned);
            moves.push(Candidate { play, tally: each.tally, judgement, label: known.label });
        }
        if holds.unlisted {
            let listed: Vec<Move> = moves.iter().map(|each| each.play).collect();
            let stands = |point: Point| key.stones.iter().any(|(other, _)| *other == point);
            let is_first = |point: &Point| turned_back(&form, size, frame.place(&form, *point)) == *point;
            let points = size.points().filter(|point| !stands(*point)).filter(is_first).map(Move::Place);
            for play in points.chain([Move::Pass]).filter(|play| !listed.contains(play)) {
                if let Some(known) = after(play)? {
                    let judgement = known.value().map(Cow::into_owned);
                    moves.push(Candidate { play, tally: Tally::default(), judgement, label: known.label });
                }
            }
        }
        moves.sort_by_key(|each| (Reverse(each.tally.games), Reverse(each.value())));
        let back = form.symmetry().inverse();
        if let Some(Rest { play: Some(Move::Place(point)), .. }) = &mut entry.rest {
            *point = turned_back(&form, size, *point);
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

/// Where a point of the key's board lies in the position asked for.
fn turned_back(form: &Canonical, size: Size, point: Point) -> Point {
    let images = form.symmetries.iter().map(|symmetry| symmetry.inverse().apply(point, size));
    images.min_by_key(|point| (point.y(), Reverse(point.x()))).expect("a canonical form has a symmetry")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, Builder, Frames};
    use games::gomoku::{Board, symmetries};
    use games::{Rule, Side};
    use record::{Play, Record, TreeBuilder};

    fn point(x: u8, y: u8) -> Point {
        Point::new(x, y).unwrap()
    }

    fn asked(book: &Book<Vec<u8>>, stones: &[(u8, u8)]) -> Option<Answer> {
        let size = Size::default();
        let side = |at| if at % 2 == 0 { Side::First } else { Side::Second };
        let stones = stones.iter().enumerate().map(|(at, (x, y))| (point(*x, *y), side(at)));
        let key = Key::new(&Board::with_stones(size, stones.clone()).unwrap(), side(stones.count()), Rule::Renju);
        book.ask(&key, Frames::new(book.is_symmetric()).of(size)).unwrap()
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
            let frame = frames.of(Size::default());
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

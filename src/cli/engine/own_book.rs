use super::super::input::{Input, name};
use super::super::terminal::complain;
use super::game::Game;
use ::book::{Answer, Book, Candidate, Frames};
use anyhow::{Context, Result};
use games::{Point, Side};
use record::{Bound, Judgement, Key, Label, Rest, StoneKey, Tally};
use std::path::{Path, PathBuf};

/// A book that the engine plays from.
///
/// It plays, of the moves that are legal: one that is labelled as forced, else as a win; else the one of the greatest
/// value, what is backed up before what others say, and the best move that the book does not follow among them; of
/// equal ones that of most games; else, where nothing has a value, the one of most games in which its side
/// scored [`DECENT`] or more. Moves that are labelled as losses or as blocked, or whose value is a loss, are never
/// played; nor are those of which nothing is known but that they stand in the book. The same book answers the same
/// position with the same move.
pub struct OwnBook {
    path: PathBuf,
    book: Book<Bytes>,
    frames: Frames,
}

struct Bytes(Input);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The share of points that a move scores that is played for its games.
const DECENT: f64 = 0.45;

/// Values from here on are wins.
const WIN: i32 = 29_500;

impl OwnBook {
    /// Opens a book.
    pub fn open(path: &Path) -> Result<OwnBook> {
        let book = Book::open(Bytes(Input::open(path)?)).with_context(|| name(path))?;
        let frames = Frames::new(book.is_symmetric());
        Ok(OwnBook { path: path.into(), book, frames })
    }

    /// The move of the book, if it has one that is to be played.
    pub fn choose(&mut self, game: &Game) -> Option<Point> {
        let key = Key::from(StoneKey::new(&game.stones, game.to_move, game.rule));
        match self.book.ask(&key, self.frames.of_key(&key)) {
            Ok(answer) => best(&candidates(answer?), game),
            Err(error) => {
                complain(&format!("{}: {error}", name(&self.path)));
                None
            }
        }
    }
}

/// The moves of the book, and the best of those that it does not follow, where its value is known.
fn candidates(Answer { entry, mut moves }: Answer) -> Vec<Candidate> {
    let Some(Rest { play: Some(play), judgement: Some(found), .. }) = entry.rest else { return moves };
    let value = found.value.saturating_neg();
    let bound = match found.bound {
        Bound::Upper => Bound::Lower,
        Bound::Lower => Bound::Upper,
        bound => bound,
    };
    let judgement = Some(Judgement { value, bound, ..found });
    match moves.iter_mut().find(|each| each.play == play) {
        Some(listed) if listed.judgement.is_none() => listed.judgement = judgement,
        Some(_) => {}
        None => moves.push(Candidate { play, tally: Tally::default(), judgement, label: Label::None }),
    }
    moves
}

fn best(moves: &[Candidate], game: &Game) -> Option<Point> {
    let is_bad = |each: &Candidate| {
        matches!(each.label, Label::Blocked | Label::Loss) || each.value().is_some_and(|value| value <= -WIN)
    };
    let can = moves.iter().filter_map(|each| each.play.point().map(|point| (each, point)));
    let can: Vec<(&Candidate, Point)> = can.filter(|(each, point)| game.is_legal(*point) && !is_bad(each)).collect();
    let labelled = |label| can.iter().find(|(each, _)| each.label == label);
    let valued = || {
        can.iter().filter(|(each, _)| each.value().is_some()).reduce(|best, each| {
            let worth = |each: &Candidate| (each.value(), each.tally.games);
            if worth(each.0) > worth(best.0) { each } else { best }
        })
    };
    let played = || {
        let scores = |each: &Candidate, side: Side| each.tally.score(side).is_none_or(|score| score >= DECENT);
        // Those of most games come first.
        can.iter().find(|(each, _)| each.tally.games > 0 && scores(each, game.to_move))
    };
    let found = labelled(Label::Forced).or_else(|| labelled(Label::Win)).or_else(valued).or_else(played);
    found.map(|(_, point)| *point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Move, Rule, Size};
    use record::{Backed, Entry};

    fn point(x: u8) -> Point {
        Point::new(x, 0).unwrap()
    }

    fn game() -> Game {
        Game::new(Size::default(), Rule::Renju)
    }

    /// A move at a column of the first row, and the games that Black won, drew and lost.
    fn played(x: u8, [first, draws, second]: [u64; 3]) -> Candidate {
        let tally = Tally { games: first + draws + second, first, draws, second };
        Candidate { play: Move::Place(point(x)), tally, judgement: None, label: Label::None }
    }

    /// A move and its value for the side that plays it.
    fn valued(x: u8, value: i32, label: Label) -> Candidate {
        let judgement = Judgement {
            value: -value,
            bound: Default::default(),
            depth: 0,
            nodes: None,
            scale: Judgement::SCALE,
            source: String::new(),
        };
        Candidate { judgement: Some(judgement), label, ..played(x, [0; 3]) }
    }

    #[test]
    fn values_decide_before_games() {
        let moves = [played(0, [90, 0, 0]), valued(1, 20, Label::None), valued(2, 60, Label::None)];
        assert_eq!(best(&moves, &game()), Some(point(2)));
        assert_eq!(best(&moves[..1], &game()), Some(point(0)));
    }

    #[test]
    fn the_best_move_that_the_book_does_not_follow_is_one_of_them() {
        let found = |value: i32| valued(0, -value, Label::None).judgement;
        let choice = |moves: &[Candidate], x, value| {
            let rest = Some(Rest { play: Some(Move::Place(point(x))), judgement: found(value), proven: false });
            // What is backed up says nothing of which move it is.
            let backed = Some(Backed { value: 500, scale: Judgement::SCALE, proven: false });
            let entry = Entry { rest, backed, ..Entry::default() };
            best(&candidates(Answer { entry, moves: moves.to_vec() }), &game())
        };
        let moves = [played(3, [0, 0, 9]), valued(1, 20, Label::None), valued(2, -40, Label::None)];
        assert_eq!(choice(&moves, 5, 30), Some(point(5)));
        assert_eq!(choice(&moves, 5, 10), Some(point(1)));
        assert_eq!(choice(&moves, 3, 30), Some(point(3)), "listed without a value");
        assert_eq!(choice(&moves, 2, 30), Some(point(1)), "the value of the position goes before");
        assert_eq!(choice(&moves[2..], 5, -29_990), Some(point(2)));
    }

    #[test]
    fn labels_decide_before_values() {
        let win = valued(1, -5, Label::Win);
        let moves = [valued(0, 500, Label::None), win.clone(), valued(2, 400, Label::Forced)];
        assert_eq!(best(&moves, &game()), Some(point(2)));
        assert_eq!(best(&moves[..2], &game()), Some(point(1)));
        for label in [Label::Loss, Label::Blocked] {
            assert_eq!(best(&[valued(0, 500, label)], &game()), None);
        }
        assert_eq!(best(&[valued(0, -29_990, Label::None)], &game()), None);
    }

    #[test]
    fn the_move_of_most_games_is_played_if_it_scored() {
        let moves = [played(0, [2, 1, 7]), played(1, [4, 1, 4]), played(2, [3, 0, 0])];
        assert_eq!(best(&moves, &game()), Some(point(1)));
        let mut white = game();
        white.play(point(14));
        assert_eq!(best(&moves, &white), Some(point(0)));
        assert_eq!(best(&[played(0, [0, 0, 9])], &game()), None);
        assert_eq!(best(&[played(0, [0, 0, 0])], &game()), None, "nothing is known of it");
        let without_result = Candidate { tally: Tally { games: 3, ..Tally::default() }, ..played(5, [0; 3]) };
        assert_eq!(best(&[without_result], &game()), Some(point(5)));
    }

    #[test]
    fn stones_and_forbidden_points_are_passed_over() {
        let mut game = game();
        for (x, y) in [(8, 7), (9, 7), (7, 8), (7, 9)] {
            game.stones.play_unchecked(Point::new(x, y).unwrap(), Side::First);
        }
        let middle = Candidate { play: Move::Place(Point::new(7, 7).unwrap()), ..valued(0, 300, Label::None) };
        let stone = Candidate { play: Move::Place(Point::new(8, 7).unwrap()), ..middle.clone() };
        let pass = Candidate { play: Move::Pass, ..middle.clone() };
        let moves = [middle, stone, pass, valued(3, -10, Label::None)];
        assert_eq!(best(&moves, &game), Some(point(3)));
        game.to_move = Side::Second;
        assert_eq!(best(&moves, &game), Point::new(7, 7));
    }
}

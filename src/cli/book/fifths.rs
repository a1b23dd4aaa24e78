use super::super::Exit;
use super::super::evaluations::{CrewArgs, EachArgs};
use super::super::input::{Input, name};
use super::super::progress::{Bar, PROGRESS};
use super::super::terminal::{JSON, complain, harmless};
use super::open;
use super::place::Which;
use ::book::Frames;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::gomoku::{Board, Three, forbidden, own_symmetries};
use games::{Coords, Move, Point, Rule, Side, Size, Symmetry};
use record::{Failure, Judgement, Question, StoneKey, evaluate_all, win_rate};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Rank the fifth moves that a side can offer, of which the other takes one
#[derive(Args)]
#[command(
    after_help = "Moves that are equal under the symmetries of the four stones count once, as the rules of renju want it. Each
move is evaluated apart; an offer of the N best is worth what the worst of them is, which White takes.

Examples:
  kifu book fifths h8i9j10k11 -n 2
  kifu book fifths h8i9j10k11 -n 5 --each-nodes 100000 --book openings.agb --json"
)]
pub struct Fifths {
    /// The position after four moves
    position: String,
    /// Moves to offer
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    number: u16,
    /// Take the values that this book has
    #[arg(long, value_name = "BOOK")]
    book: Option<PathBuf>,
    /// Print an object for each move
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    each: EachArgs,
    #[command(flatten)]
    crew: CrewArgs,
}

/// A move that can be offered, and its value for who offers it.
struct Offer {
    point: Point,
    value: i32,
    source: String,
}

impl Fifths {
    /// Evaluates and ranks.
    pub fn run(self) -> Result<Exit> {
        let input = self.book.as_deref().map(Input::open).transpose()?;
        let book = match (&input, &self.book) {
            (Some(input), Some(path)) => Some(open(input, path)?),
            _ => None,
        };
        let boards = match &book {
            Some(book) => book.boards()?,
            None => vec![(self.which.rule.unwrap_or(Rule::Renju.into()), self.which.size.unwrap_or_default())],
        };
        let path = self.book.as_deref().unwrap_or(Path::new("-"));
        let key = self.which.stones(path, &boards, &self.position)?;
        let known = match &book {
            Some(book) => {
                let mut frames = Frames::new(book.is_symmetric());
                book.ask(&key.clone().into(), frames.of_stones(&key)).with_context(|| name(path))?
            }
            None => None,
        };
        let points = distinct(&key)?;
        if points.len() < usize::from(self.number) {
            bail!("{}: there are only {} moves to offer", self.position, points.len());
        }
        let board = Board::with_stones(key.size, key.stones.iter().copied()).context("a stone stands on a stone")?;
        let images =
            |point: Point| own_symmetries(&board).map(move |symmetry: Symmetry| symmetry.apply(point, key.size));
        let mut offers: Vec<Offer> = Vec::new();
        let mut questions = Vec::new();
        for point in points {
            let of_book = known.iter().flat_map(|answer| &answer.moves).find_map(|candidate| {
                let is_same = candidate.play.point().is_some_and(|play| images(point).any(|image| image == play));
                candidate.value().filter(|_| is_same)
            });
            match of_book {
                Some(value) => offers.push(Offer { point, value, source: name(path) }),
                None => questions.push((point, self.question(&key, point))),
            }
        }
        let asked: Vec<Question> = questions.iter().map(|(_, question)| question.clone()).collect();
        let mut crew = self.crew.start()?;
        let source = crew.first().map(|first| first.source().to_owned()).unwrap_or_default();
        let mut failed = 0;
        {
            let _bar = Bar::evaluations(asked.len() as u64);
            evaluate_all(&mut crew, &asked, &PROGRESS.stop, |at, found| {
                PROGRESS.done.fetch_add(1, Ordering::Relaxed);
                let point = questions[at].0;
                match found.map(|finding| finding.lines.first().and_then(|line| line.value)) {
                    Ok(Some(value)) => offers.push(Offer { point, value: -value, source: source.clone() }),
                    Ok(None) => failed += 1,
                    Err(Failure::Stopped) => {}
                    Err(failure) => {
                        failed += 1;
                        let place = Coords::A1.text(point, key.size);
                        complain(&format!("{place}: {}", harmless(&failure.to_string())));
                    }
                }
            });
        }
        if PROGRESS.stop.load(Ordering::Relaxed) {
            bail!("stopped");
        }
        offers.sort_by_key(|offer| (std::cmp::Reverse(offer.value), offer.point));
        self.tell(&key, &offers)?;
        Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
    }

    fn question(&self, key: &StoneKey, point: Point) -> Question {
        let position = key.after(Move::Place(point)).expect("a free point").into();
        Question::of(position, self.each.effort())
    }

    fn tell(&self, key: &StoneKey, offers: &[Offer]) -> Result<()> {
        let number = usize::from(self.number);
        let mut out = anstream::stdout().lock();
        let rate = |value| win_rate(value, Judgement::SCALE);
        if self.json {
            for (rank, offer) in (1..).zip(offers) {
                let row = json!({
                    "kifu": JSON, "input": self.position, "rank": rank, "move": Coords::A1.text(offer.point, key.size),
                    "x": offer.point.x(), "y": offer.point.y(), "value": offer.value,
                    "win_rate": (rate(offer.value) * 1e4).round() / 1e4, "offered": rank <= number,
                    "source": offer.source,
                });
                writeln!(out, "{row}")?;
            }
            return Ok(());
        }
        let side = if key.to_move == Side::First { "Black" } else { "White" };
        for (rank, offer) in (1..=number).zip(offers) {
            let place = Coords::A1.text(offer.point, key.size);
            writeln!(out, "{rank:>3}  {place:<4} {:>7}  {:>5.1} %", offer.value, rate(offer.value) * 100.0)?;
        }
        if let Some(last) = offers.get(number - 1) {
            let rate = rate(last.value) * 100.0;
            writeln!(out, "an offer of these is worth {} for {side} ({rate:.1} %)", last.value)?;
        }
        Ok(())
    }
}

/// The points where the side to move may play, one of those that a symmetry of the stones makes equal.
fn distinct(key: &StoneKey) -> Result<Vec<Point>> {
    let board = Board::with_stones(key.size, key.stones.iter().copied()).context("a stone stands on a stone")?;
    let symmetries: Vec<Symmetry> = own_symmetries(&board).collect();
    let size: Size = key.size;
    let is_first = |point: &Point| symmetries.iter().all(|symmetry| symmetry.apply(*point, size) >= *point);
    let is_allowed = |point: &Point| {
        key.rule != Rule::Renju || key.to_move == Side::Second || !forbidden::is_forbidden(&board, *point, Three::Rif)
    };
    Ok(board.empty_points().filter(is_first).filter(is_allowed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(moves: &str) -> StoneKey {
        let which = Which { rule: None, size: None, coords: Coords::A1 };
        which.stones(Path::new("-"), &[(Rule::Renju.into(), Size::default())], moves).unwrap()
    }

    #[test]
    fn moves_that_symmetry_makes_equal_stand_once() {
        // The stones are their own mirror image in the long diagonal, and in no other way.
        assert_eq!(distinct(&key("h8i9j10k11")).unwrap().len(), (225 - 15) / 2 + 15 - 4);
        assert_eq!(distinct(&key("h8i9j11a1")).unwrap().len(), 221);
    }
}

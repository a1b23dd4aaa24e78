//! A position with the move chosen in it, and games as such samples, in the formats that engines learn from.

use crate::line::{opening_lost, plies, tags_lost};
use crate::{Error, Losses, Reading};
use games::{Move, Point, Rule, Side, Size};
use record::{Head, Outcome, Play, Record, TreeBuilder};

/// The tag that holds the number of moves before the first sample.
pub(crate) const OPENING_PLIES: &str = "OpeningPlies";

/// A position, the move chosen in it, and the end of the game.
pub(crate) struct Sample {
    pub size: Size,
    pub rule: Option<Rule>,
    pub result: Outcome,
    /// The moves of the position, then the one chosen in it.
    pub line: Vec<Point>,
}

impl Sample {
    /// Whether no point is named twice.
    pub fn is_distinct(&self) -> bool {
        let mut seen = [0_u32; 32];
        self.line.iter().all(|point| {
            let (row, bit) = (&mut seen[usize::from(point.y())], 1 << point.x());
            let free = *row & bit == 0;
            *row |= bit;
            free
        })
    }
}

/// The result of a number that tells what became of this side: 0 it lost, 1 a draw, 2 it won.
pub(crate) fn outcome(number: u8, side: Side) -> Option<Outcome> {
    let winner = match number {
        0 => side.other(),
        1 => return Some(Outcome::Draw),
        2 => side,
        _ => return None,
    };
    Some(if winner == Side::First { Outcome::First } else { Outcome::Second })
}

/// The number whose [`outcome`] this is, where there is one.
pub(crate) fn number(outcome: Outcome, side: Side) -> Option<u8> {
    (0..=2).find(|number| self::outcome(*number, side) == Some(outcome))
}

/// Samples on their way to games: those that continue each other are one.
#[derive(Default)]
pub(crate) struct Joined {
    game: Option<(Sample, usize)>,
}

impl Joined {
    /// Takes a sample; the game before it is handed out if the sample does not continue it.
    pub fn push(&mut self, sample: Sample, reading: &mut Reading<'_>) -> Result<(), Error> {
        let before = sample.line.len() - 1;
        if let Some((game, _)) = &mut self.game
            && (game.size, game.rule, game.result) == (sample.size, sample.rule, sample.result)
            && game.line == sample.line[..before]
        {
            game.line = sample.line;
            return Ok(());
        }
        self.finish(reading)?;
        self.game = Some((sample, before));
        Ok(())
    }

    /// Hands out the last game.
    pub fn finish(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let Some((game, opening)) = self.game.take() else { return Ok(()) };
        let mut builder = TreeBuilder::new();
        for (at, point) in game.line.iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(*point)))?;
        }
        let tags = if opening > 0 { vec![(OPENING_PLIES.into(), opening.to_string())] } else { Vec::new() };
        let head = Head { size: game.size, rule: game.rule, result: Some(game.result), tags, ..Head::default() };
        reading.emit(Record { head, tree: builder.build() })
    }
}

/// A game to be written as samples.
pub(crate) struct Game {
    pub result: Outcome,
    pub line: Vec<Point>,
    /// How many moves stand before the first sample.
    pub opening: usize,
}

impl Game {
    /// The game of a record, as far as samples can tell it; `None` if they cannot at all.
    pub fn of(record: &Record, most: usize, losses: &mut Losses) -> Option<Game> {
        let head = &record.head;
        let Some(result) = head.result.filter(|result| number(*result, Side::First).is_some()) else {
            losses.named("games without a result (left out)", head.result.map_or("*", Outcome::text));
            return None;
        };
        if head.size.width() != head.size.height() {
            losses.named("games on boards that are not square (left out)", &head.size.to_string());
            return None;
        }
        let mut line = Vec::new();
        let mut cut = false;
        for ply in plies(record, |_, _| false, losses) {
            let what = match ply.play {
                Move::Place(point) if !cut && line.len() < most => {
                    line.push(point);
                    continue;
                }
                Move::Place(_) if !cut => "moves beyond the longest game of the format (left out)",
                _ => "moves from a pass on (left out)",
            };
            cut |= ply.play == Move::Pass;
            losses.node(what, record, ply.node);
        }
        let stated = opening_plies(head);
        let opening = stated.unwrap_or(0);
        if opening >= line.len() {
            losses.named("games without a move behind the opening (left out)", &opening.to_string());
            return None;
        }
        tags_lost(head, if stated.is_some() { &[OPENING_PLIES] } else { &[] }, losses);
        opening_lost(head, losses);
        Some(Game { result, line, opening })
    }
}

/// The number of opening moves that the record states in the way it is read here.
pub(crate) fn opening_plies(head: &Head) -> Option<usize> {
    let text = head.tag(OPENING_PLIES)?;
    text.parse().ok().filter(|number: &usize| *number > 0 && number.to_string() == text)
}

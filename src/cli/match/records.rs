use super::sheet::Sheet;
use super::table::Entrant;
use engine::rival::{Duel, Ending};
use games::{Move, Point, Side};
use record::{Full, Head, Note, Outcome, Play, Record, TreeBuilder};
use std::collections::BTreeMap;

/// The games of a match as records.
pub struct Records<'a> {
    pub sheet: &'a Sheet,
    pub entrants: &'a [Entrant; 2],
    /// The terms of the games of each opening.
    pub duels: &'a [Duel],
}

impl Records<'_> {
    /// A game, with values, times and the reason of a loss.
    pub fn game(&self, at: usize) -> Result<Record, Full> {
        let mut builder = TreeBuilder::new();
        for (at, point) in self.duel(at).opening.iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(*point)))?;
        }
        for ply in &self.sheet.game(at).plies {
            builder.append(builder.depth() + 1, ply.side, Play::Move(Move::Place(ply.point)))?;
            if let Some(value) = ply.value() {
                builder.note(Note::Value(value))?;
            }
            builder.note(Note::Time(u32::try_from(ply.time.as_millis()).unwrap_or(u32::MAX)))?;
        }
        if let Some(loss) = self.loss(at) {
            builder.note(Note::Line(&loss))?;
        }
        let round = ("Round".to_owned(), (at + 1).to_string());
        let tags = [("Black", Side::First), ("White", Side::Second)];
        let tags = tags.map(|(tag, side)| (tag.to_owned(), self.name(at, side).to_owned()));
        let head =
            Head { tags: tags.into_iter().chain([round]).collect(), result: Some(self.outcome(at)), ..self.head() };
        Ok(Record { head, tree: builder.build() })
    }

    /// All games as one tree, for formats that hold no more: at the end of each line is told which games they were.
    pub fn tree(&self) -> Result<Record, Full> {
        let mut lines: BTreeMap<Vec<Point>, Vec<String>> = BTreeMap::new();
        for at in 0..self.sheet.games() {
            let opening = self.duel(at).opening.iter().copied();
            let moves = opening.chain(self.sheet.game(at).plies.iter().map(|ply| ply.point)).collect();
            let (black, white) = (self.name(at, Side::First), self.name(at, Side::Second));
            let loss = self.loss(at).map_or(String::new(), |loss| format!(" ({loss})"));
            let told = format!("game {}: {black} - {white} {}{loss}", at + 1, self.outcome(at).text());
            lines.entry(moves).or_default().push(told);
        }
        let mut builder = TreeBuilder::new();
        let mut before: &[Point] = &[];
        // In this order a line comes right after those that it begins with.
        for (moves, games) in &lines {
            let shared = moves.iter().zip(before).take_while(|(a, b)| a == b).count();
            for (at, point) in moves.iter().enumerate().skip(shared) {
                builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(*point)))?;
            }
            match &games[..] {
                [one] => builder.note(Note::Line(one))?,
                many => builder.note(Note::Body(&many.join("\n")))?,
            }
            before = moves;
        }
        Ok(Record { head: self.head(), tree: builder.build() })
    }

    fn duel(&self, at: usize) -> &Duel {
        &self.duels[at / 2 % self.duels.len()]
    }

    fn head(&self) -> Head {
        Head { size: self.duels[0].size, rule: Some(self.duels[0].rule), ..Head::default() }
    }

    fn name(&self, at: usize, side: Side) -> &str {
        &self.entrants[Sheet::engine(at, side)].name
    }

    fn outcome(&self, at: usize) -> Outcome {
        match self.sheet.game(at).ending.winner() {
            None => Outcome::Draw,
            Some(Side::First) => Outcome::First,
            Some(Side::Second) => Outcome::Second,
        }
    }

    /// Why a game was lost without being beaten.
    fn loss(&self, at: usize) -> Option<String> {
        let Ending::Failed(side, failure) = &self.sheet.game(at).ending else { return None };
        let side = if *side == Side::First { "Black" } else { "White" };
        Some(format!("{side} has lost: {failure}"))
    }
}

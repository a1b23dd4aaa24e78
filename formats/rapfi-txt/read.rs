//! From text to records.

use super::{RULES, value_of};
use crate::lines::{lines, pass_mark};
use crate::{Error, Place, Reading, Severity};
use games::{Coords, Move, Point, Side, Size, parse_moves};
use record::{Head, Note, Outcome, Play, Record, TreeBuilder};

/// Progress is told after so many bytes.
const STEP: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mark = pass_mark(bytes, reading)?;
    let (mut told, mut games) = (0, 0);
    for (number, start, line) in lines(&bytes[mark..]) {
        if start - told >= STEP {
            told = start;
            reading.progress(start)?;
        }
        games += 1;
        let place = |at: usize| {
            let byte = Some((mark + start + at) as u64);
            Place { record: Some(games), byte, ..Place::line(number) }
        };
        match Position::parse(line) {
            Ok(position) => {
                if position.best.iter().any(|best| best.eval.is_none()) {
                    reading.fault("no-value", Severity::Quirk, || {
                        (place(0), "a best move has no value behind it".into())
                    })?;
                }
                let record = position.record()?;
                reading.emit(record)?;
            }
            Err((at, message)) => {
                let error = reading.error(place(at), message);
                reading.leave_out("bad-line", error)?;
            }
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// What a line says.
struct Position {
    head: Head,
    moves: Vec<Move>,
    best: Vec<Best>,
}

/// A move and what it is worth to the side that makes it.
struct Best {
    point: Point,
    eval: Option<i32>,
}

impl Position {
    /// Reads a line; the error is the byte in it and what is wrong there.
    fn parse(line: &[u8]) -> Result<Position, (usize, String)> {
        let text =
            std::str::from_utf8(line).map_err(|error| (error.valid_up_to(), "this is no text in UTF-8".into()))?;
        let text = text.trim_end();
        let fields: Vec<&str> = text.split(',').collect();
        let [size, rule, moves, result, best] = fields[..] else {
            let message =
                format!("there are {} fields: size, rule, position, result and best moves are five", fields.len());
            return Err((0, message));
        };
        let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        let shown = |text: &str| text.chars().take(12).collect::<String>();
        let size = size
            .parse()
            .ok()
            .and_then(Size::square)
            .ok_or_else(|| (0, format!("`{}` is not a board size from 1 to {}", shown(size), Size::LARGEST)))?;
        let known = RULES.iter().find(|(name, _)| *name == rule).map(|(_, rule)| *rule);
        if known.is_none() && !rule.is_empty() {
            return Err((at(rule), format!("`{}` is none of Rapfi's rules", shown(rule))));
        }
        let moves = parse_moves(moves, Coords::Rapfi, size)
            .map_err(|error| (at(moves) + error.at, format!("`{}` is not a point of a {size} board", error.found)))?;
        let mover = Side::of_ply(moves.len() + 1);
        let won = |side: Side| if side == Side::First { Outcome::First } else { Outcome::Second };
        let result = match result {
            "0" => Some(won(mover.other())),
            "1" => Some(Outcome::Draw),
            "2" => Some(won(mover)),
            "" => None,
            _ => return Err((at(result), format!("`{}` is not a result: it is 0, 1 or 2", shown(result)))),
        };
        let mut all = Vec::new();
        for part in best.split('|').filter(|_| !best.is_empty()) {
            let (point, eval) = match part.split_once('(') {
                Some((point, rest)) => (point, Some(rest)),
                None => (part, None),
            };
            let point = Coords::Rapfi
                .parse(point, size)
                .ok_or_else(|| (at(part), format!("`{}` is not a point of a {size} board", shown(point))))?;
            let eval = match eval.map(|eval| eval.strip_suffix(')').and_then(|eval| eval.parse::<i32>().ok())) {
                Some(None) => return Err((at(part), format!("`{}` is not a move with its value", shown(part)))),
                Some(eval) => eval,
                None => None,
            };
            all.push(Best { point, eval });
        }
        let head = Head { size, rule: known, result, ..Head::default() };
        Ok(Position { head, moves, best: all })
    }

    /// The position as a line, and the best moves below it.
    fn record(self) -> Result<Record, record::Full> {
        let mut builder = TreeBuilder::new();
        for (at, play) in self.moves.iter().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(*play))?;
        }
        let depth = self.moves.len() + 1;
        let mover = Side::of_ply(depth);
        for best in self.best {
            builder.append(depth, mover, Play::Move(Move::Place(best.point)))?;
            if let Some(eval) = best.eval {
                builder.note(Note::Value(value_of(eval, mover)))?;
            }
        }
        Ok(Record { head: self.head, tree: builder.build() })
    }
}

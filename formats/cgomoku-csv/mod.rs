//! Training samples of c-gomoku-cli as lines; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::bin::sample::{Game, Joined, Sample, number, outcome};
use crate::line::{must_be_gomoku, rule_lost};
use crate::lines::{lines, pass_mark, without_bom};
use crate::played::shown;
use crate::{Error, Format, Likeness, Losses, Out, Place, Reading, WriteOptions, Writer};
use games::{Coords, Move, Side, Size, parse_moves};
use record::Record;
use std::io::Write;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "cgomoku-csv",
    title: "training samples of c-gomoku-cli as lines",
    extensions: &["samples"],
    many: true,
    games: &[games::Game::Gomoku],
    rule: None,
    likeness,
    read,
    writer: Some(writer),
};

const NAME: &str = FORMAT.name;

/// Progress is told after so many bytes.
const STEP: usize = 1 << 16;

/// All lines that are whole are samples.
fn likeness(head: &[u8]) -> Likeness {
    let head = without_bom(head);
    let whole = head.iter().rposition(|byte| *byte == b'\n').map_or(head, |end| &head[..end]);
    // On the largest board, since the size is not known.
    let size = Size::square(Size::LARGEST).expect("it is the largest");
    let mut samples = 0;
    for (.., line) in lines(whole) {
        if sample(line, size).is_err() {
            return Likeness::No;
        }
        samples += 1;
    }
    if samples > 0 { Likeness::Magic } else { Likeness::No }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let size = reading.options.size.unwrap_or_default();
    let skipped = pass_mark(bytes, reading)?;
    let mut joined = Joined::default();
    let mut told = 0;
    for (number, start, line) in lines(&bytes[skipped..]) {
        match sample(line, size) {
            Ok(sample) => joined.push(sample, reading)?,
            Err(message) => {
                let place = Place { byte: Some((skipped + start) as u64), ..Place::line(number) };
                let error = reading.error(place, message);
                reading.leave_out("bad-line", error)?;
            }
        }
        if start - told >= STEP {
            told = start;
            reading.progress(start)?;
        }
    }
    joined.finish(reading)?;
    reading.end()?;
    reading.progress(bytes.len())
}

fn sample(line: &[u8], size: Size) -> Result<Sample, String> {
    let text = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?;
    let mut fields = text.split(',');
    let (Some(position), Some(chosen), Some(result), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(format!("`{}` is not a position, a move and a result", shown(text)));
    };
    let mut points = Vec::new();
    for part in [position, chosen] {
        // Nothing else may stand there than letters and digits.
        let moves = parse_moves(part, Coords::Rapfi, size)
            .ok()
            .filter(|_| part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            .ok_or_else(|| format!("`{}` is no line of points of a {size} board", shown(part)))?;
        points.push(moves.into_iter().filter_map(Move::point).collect::<Vec<_>>());
    }
    let [chosen] = points[1][..] else { return Err(format!("`{}` is not one move", shown(chosen))) };
    let mut line = std::mem::take(&mut points[0]);
    line.push(chosen);
    let side = Side::of_ply(line.len());
    let result = result.trim().parse().ok().and_then(|number| outcome(number, side));
    let result = result.ok_or_else(|| "the result is none: they are 0, 1 and 2".to_owned())?;
    Ok(Sample { size, rule: None, result, line })
}

fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Samples { out: Out::new(target) })
}

struct Samples<'a> {
    out: Out<'a>,
}

impl Writer for Samples<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let Some(game) = Game::of(record, usize::MAX, losses) else { return Ok(()) };
        rule_lost(&record.head, losses);
        let size = record.head.size;
        if size != Size::default() {
            losses.named("board sizes (left out: name it when reading)", &size.to_string());
        }
        let mut position = Vec::new();
        for (ply, point) in game.line.iter().enumerate() {
            let start = position.len();
            Coords::Rapfi.push(*point, size, &mut position);
            if ply >= game.opening {
                let result = number(game.result, Side::of_ply(ply + 1)).expect("games have a result that has a number");
                self.out.push(&position[..start]);
                self.out.push(b",");
                self.out.push(&position[start..]);
                self.out.push(&[b',', b'0' + result, b'\n']);
                self.out.spill()?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

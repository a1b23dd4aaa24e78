//! From samples to games.

use super::RULES;
use super::sample::{Joined, Sample, outcome};
use crate::stream::Stream;
use crate::{Error, Reading};
use games::{Point, Side, Size};

/// How many samples are read between two looks at the progress.
const STRIDE: u64 = 1 << 12;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut stream = Stream::new(bytes, reading)?;
    let mut joined = Joined::default();
    let mut position = Vec::new();
    let mut number = 0;
    loop {
        let start = stream.at;
        let mut fields = [0; 4];
        let taken = match stream.fill(&mut fields) {
            Ok(false) => break,
            Ok(true) => {
                position.clear();
                stream.append(2 * Fields::parse(&fields).ply, &mut position)
            }
            Err(stop) => Err(stop),
        };
        if let Err(stop) = taken {
            joined.finish(reading)?;
            return stream.ended(&stop, reading);
        }
        number += 1;
        match Fields::parse(&fields).sample(&position) {
            Ok(sample) => joined.push(sample, reading)?,
            Err(message) => {
                let (place, message) = stream.told(start, format!("in sample {number}, {message}"));
                let error = reading.error(place, message);
                reading.leave_out("bad-sample", error)?;
            }
        }
        if number % STRIDE == 0 {
            stream.progress(reading)?;
        }
    }
    joined.finish(reading)?;
    reading.end()?;
    reading.progress(bytes.len())
}

/// The four bytes before the moves of a position.
pub(super) struct Fields {
    result: u8,
    /// How many moves follow.
    pub ply: usize,
    size: u8,
    rule: u8,
    play: u16,
}

impl Fields {
    pub fn parse(bytes: &[u8; 4]) -> Fields {
        let (low, high) = (u16::from_le_bytes([bytes[0], bytes[1]]), u16::from_le_bytes([bytes[2], bytes[3]]));
        Fields {
            result: (low & 3) as u8,
            ply: usize::from(low >> 2 & 511),
            size: (low >> 11) as u8,
            rule: (high & 7) as u8,
            play: high >> 3,
        }
    }

    /// The sample, with the position's moves: two bytes each.
    pub fn sample(&self, position: &[u8]) -> Result<Sample, String> {
        let size = Size::square(self.size)
            .ok_or_else(|| format!("{} is not a board size from 1 to {}", self.size, Size::LARGEST))?;
        let rule = RULES.iter().find(|(number, _)| *number == self.rule);
        let rule = rule.ok_or_else(|| format!("{} is not a rule: they are 0, 1 and 4", self.rule))?.1;
        let result = outcome(self.result, Side::of_ply(self.ply + 1))
            .ok_or_else(|| format!("{} is not a result: they are 0, 1 and 2", self.result))?;
        let moves = position.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let line = moves.chain([self.play]).map(|code| point(code, size)).collect::<Result<_, _>>()?;
        Ok(Sample { size, rule: Some(rule), result, line })
    }
}

/// The point of a move.
pub(crate) fn point(code: u16, size: Size) -> Result<Point, String> {
    let (x, y) = (code >> 5, code & 31);
    let point = u8::try_from(x).ok().and_then(|x| Point::new(x, y as u8)).filter(|point| size.contains(*point));
    point.ok_or_else(|| format!("column {x}, row {y} is not a point of a {size} board"))
}

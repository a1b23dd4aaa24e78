//! From games to samples.

use super::sample::{Game, number};
use super::{NAME, RULES};
use crate::line::must_be_gomoku;
use crate::{Error, Losses, Out, WriteOptions, Writer};
use games::{Point, Rule, Side};
use record::Record;
use std::io::Write;

/// The longest position that a sample can hold.
const LONGEST: usize = 511;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Samples { out: Out::new(target) })
}

struct Samples<'a> {
    out: Out<'a>,
}

impl Writer for Samples<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let Some(game) = Game::of(record, LONGEST + 1, losses) else { return Ok(()) };
        let rule = u16::from(rule_number(record.head.rule, losses));
        let size = u16::from(record.head.size.width());
        for ply in game.opening..game.line.len() {
            let result = number(game.result, Side::of_ply(ply + 1)).expect("games have a result that has a number");
            let low = u16::from(result) | (ply as u16) << 2 | size << 11;
            self.out.push(&low.to_le_bytes());
            self.out.push(&(rule | code(game.line[ply]) << 3).to_le_bytes());
            game.line[..ply].iter().for_each(|point| self.out.push(&code(*point).to_le_bytes()));
            self.out.spill()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

/// The move on a point.
pub(crate) fn code(point: Point) -> u16 {
    u16::from(point.x()) << 5 | u16::from(point.y())
}

/// The number of a rule.
pub(crate) fn rule_number(rule: Option<Rule>, losses: &mut Losses) -> u8 {
    let known = RULES.iter().find(|(_, known)| Some(*known) == rule);
    if known.is_none() {
        losses.named("rules that the format lacks (written as freestyle)", rule.map_or("not known", Rule::name));
    }
    known.map_or(0, |(number, _)| *number)
}

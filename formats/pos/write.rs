//! From a record to bytes.

use super::{NAME, WIDTH};
use crate::line::{must_be_gomoku, opening_lost, plies, result_lost, rule_lost, tags_lost};
use crate::{Blame, Error, Losses, WriteOptions, Writer};
use games::{Move, Rule, Size};
use record::Record;
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Line { target })
}

struct Line<'a> {
    target: &'a mut dyn Write,
}

impl Writer for Line<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let refused = |message: String| Err(Error::new(Blame::Target, NAME, message));
        let head = &record.head;
        if head.size != Size::default() {
            return refused(format!("the board of this format is {}, not {}", Size::default(), head.size));
        }
        let mut bytes = vec![0];
        for ply in plies(record, |_, _| false, losses) {
            match ply.play {
                Move::Place(point) => bytes.push(point.y() * WIDTH + point.x()),
                Move::Pass | Move::Step(_) => {
                    losses.node("passes (left out: who plays next changes)", record, ply.node)
                }
            }
        }
        let Ok(count) = u8::try_from(bytes.len() - 1) else {
            return refused(format!("there are {} moves, and a file holds 255", bytes.len() - 1));
        };
        bytes[0] = count;
        tags_lost(head, &[], losses);
        opening_lost(head, losses);
        result_lost(head.result, losses);
        if head.rule != Some(Rule::Renju) {
            rule_lost(head, losses);
        }
        Ok(self.target.write_all(&bytes)?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.target.flush()?)
    }
}

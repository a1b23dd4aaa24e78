//! From a record to text.

use super::NAME;
use crate::line::{must_be_gomoku, opening_lost, plies, result_lost, rule_lost, tags_lost};
use crate::{Error, Losses, Out, WriteOptions, Writer, decimal};
use games::Move;
use record::Record;
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Saved { out: Out::new(target) })
}

struct Saved<'a> {
    out: Out<'a>,
}

impl Writer for Saved<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let mut points = Vec::new();
        for ply in plies(record, |_, _| false, losses) {
            match ply.play {
                Move::Place(point) => points.push(point),
                Move::Pass | Move::Step(_) => {
                    losses.node("passes (left out: who plays next changes)", record, ply.node)
                }
            }
        }
        let out = self.out.buffer();
        for number in [head.size.height().into(), head.size.width().into(), points.len() as u64] {
            decimal::push(number, out);
            out.push(b'\n');
        }
        for point in points {
            decimal::push(point.y().into(), out);
            out.push(b' ');
            decimal::push(point.x().into(), out);
            out.push(b'\n');
        }
        tags_lost(head, &[], losses);
        opening_lost(head, losses);
        result_lost(head.result, losses);
        rule_lost(head, losses);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

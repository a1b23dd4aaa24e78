//! From records to text.

use super::NAME;
use crate::line::{must_be_gomoku, opening_lost, plies, result_lost, rule_lost, tags_lost};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, decimal};
use games::{Move, Size};
use record::Record;
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Openings { out: Out::new(target) })
}

struct Openings<'a> {
    out: Out<'a>,
}

impl Writer for Openings<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let plies = plies(record, |_, _| false, losses);
        if !plies.iter().any(|ply| matches!(ply.play, Move::Place(_))) {
            return Err(Error::new(Blame::Target, NAME, "an opening has a stone at least, and this record has none"));
        }
        let mut before: &[u8] = b"";
        for ply in plies {
            let Move::Place(point) = ply.play else {
                losses.node("passes (left out: who plays next changes)", record, ply.node);
                continue;
            };
            self.out.push(before);
            before = b", ";
            let out = self.out.buffer();
            decimal::push_signed(i64::from(point.x()) - i64::from(head.size.width() / 2), out);
            out.push(b',');
            decimal::push_signed(i64::from(point.y()) - i64::from(head.size.height() / 2), out);
            self.out.spill()?;
        }
        self.out.push(b"\r\n");
        if head.size != Size::default() {
            losses.named("board sizes (left out: name it when reading)", &head.size.to_string());
        }
        tags_lost(head, &[], losses);
        opening_lost(head, losses);
        result_lost(head.result, losses);
        rule_lost(head, losses);
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

//! From records to text.

use super::{NAME, START, TITLE, is_columns, is_start};
use crate::line::{must_be_gomoku, opening_lost, plies, result_lost, rule_lost, tags_lost};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer};
use games::{Coords, Move, Rule, Size};
use record::Record;
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    let coords = if options.coords == Some(Coords::NoI) { Coords::NoI } else { Coords::A1 };
    Box::new(Boards { out: Out::new(target), coords })
}

struct Boards<'a> {
    out: Out<'a>,
    coords: Coords,
}

impl Writer for Boards<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let size = Size::default();
        if head.size != size {
            let message = format!("the board of this format is {size}, not {}", head.size);
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let plies = plies(record, |_, _| false, losses);
        // A title must not read as anything else.
        let title = head.tag(TITLE).filter(|title| {
            let is_word = |c: char| !c.is_control() && c != '\u{FFFD}';
            !title.is_empty()
                && title.trim() == *title
                && title.chars().all(is_word)
                && !title.starts_with(|c: char| c.is_ascii_digit())
                && !is_columns(title)
                && !is_start(title.as_bytes())
        });
        self.out.push(START.as_bytes());
        self.out.push(b"\n\n");
        if let Some(title) = title {
            self.out.push(format!("{title}\n\n").as_bytes());
        }
        self.out.push(b"      Black    White\n");
        let text = |play: Move| match play {
            Move::Place(point) => self.coords.text(point, size).to_ascii_uppercase(),
            Move::Pass | Move::Step(_) => "--".into(),
        };
        for (at, pair) in plies.chunks(2).enumerate() {
            let number = 2 * at + 1;
            let line = match pair {
                [black, white] => {
                    format!("{number:>7} {:<3}{:>5} {}\n", text(black.play), number + 1, text(white.play))
                }
                [black, ..] => format!("{number:>7} {}\n", text(black.play)),
                [] => continue,
            };
            self.out.push(line.as_bytes());
            self.out.spill()?;
        }
        tags_lost(head, if title.is_some() { &[TITLE] } else { &[] }, losses);
        opening_lost(head, losses);
        result_lost(head.result, losses);
        if head.rule != Some(Rule::Renju) {
            rule_lost(head, losses);
        }
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

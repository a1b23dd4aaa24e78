//! From a record to text.

use super::{CODES, LEVELS, LEVELS_TAG, NAME, NO_CODE, OTHER_CODE, START, is_code, numbers, verdict};
use crate::line::{must_be_gomoku, opening_lost, plies, result_lost, rule_lost, tags_lost};
use crate::{Error, Losses, Out, WriteOptions, Writer, decimal};
use games::{Move, Rule};
use record::{Head, NodeId, Note, Outcome, Record};
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Game { out: Out::new(target) })
}

struct Game<'a> {
    out: Out<'a>,
}

impl Writer for Game<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let plies = plies(record, |node, note| node != NodeId::ROOT && matches!(note, Note::Time(_)), losses);
        let tail = Tail::of(head);
        let levels = tail.levels.unwrap_or(LEVELS);
        let header = format!("{START}{}x{}, {levels}, 0\r\n", head.size.width(), head.size.height());
        self.out.push(header.as_bytes());
        for ply in plies {
            let Move::Place(point) = ply.play else {
                losses.node("passes (left out: who plays next changes)", record, ply.node);
                continue;
            };
            let out = self.out.buffer();
            decimal::push(u64::from(point.x()) + 1, out);
            out.push(b',');
            decimal::push(u64::from(point.y()) + 1, out);
            let time = |note| if let Note::Time(time) = note { Some(time) } else { None };
            if let Some(time) = record.tree.notes(ply.node).find_map(time) {
                out.push(b',');
                decimal::push(time.into(), out);
            }
            out.extend_from_slice(b"\r\n");
            self.out.spill()?;
        }
        if tail.names.iter().any(Option::is_some) {
            for name in tail.names {
                self.out.push(name.unwrap_or("?").as_bytes());
                self.out.push(b"\r\n");
            }
        }
        self.out.push(tail.code.as_bytes());
        self.out.push(b"\r\n");
        if let Some((result, tournament)) = tail.verdict {
            self.out.push(format!("{result},{tournament}\r\n").as_bytes());
        } else {
            result_lost(head.result, losses);
        }
        tags_lost(head, &tail.written, losses);
        opening_lost(head, losses);
        if head.rule != Some(Rule::Freestyle) {
            rule_lost(head, losses);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

/// What stands beside the moves.
struct Tail<'h> {
    levels: Option<&'h str>,
    names: [Option<&'h str>; 2],
    code: &'h str,
    verdict: Option<(u8, &'h str)>,
    /// The tags that are said by it.
    written: Vec<&'static str>,
}

impl<'h> Tail<'h> {
    fn of(head: &'h Head) -> Tail<'h> {
        let mut written = Vec::new();
        let mut tag = |name: &'static str, holds: &dyn Fn(&str) -> bool| {
            let value = head.tag(name).filter(|value| holds(value))?;
            written.push(name);
            Some(value)
        };
        let is_level = |text: &str| text.parse::<u8>().is_ok_and(|level| level.to_string() == text);
        let levels = tag(LEVELS_TAG, &|levels| {
            levels != LEVELS
                && levels.split_once(':').is_some_and(|(first, second)| is_level(first) && is_level(second))
        });
        let is_line = |text: &str| {
            text.chars().all(|c| !c.is_control() && c != '\u{FFFD}')
                && text.trim_matches(' ') == text
                && !text.is_empty()
        };
        let is_name = |name: &str| {
            is_line(name) && name != "?" && numbers(name).is_none() && !is_code(name) && verdict(name).is_none()
        };
        let names = ["Black", "White"].map(|name| tag(name, &is_name));
        let code = tag("Termination", &|text| code(text).is_some()).and_then(code).unwrap_or(NO_CODE);
        let result = match head.result {
            Some(Outcome::Draw) => Some(0),
            Some(Outcome::First) => Some(1),
            Some(Outcome::Second) => Some(2),
            _ => None,
        };
        let verdict = result.map(|result| {
            let is_tournament = |text: &str| is_line(text) && verdict(&format!("0,{text}")).is_some();
            (result, tag("Event", &is_tournament).unwrap_or_default())
        });
        Tail { levels, names, code, verdict, written }
    }
}

/// The code of a termination.
fn code(termination: &str) -> Option<&str> {
    let known = CODES.iter().find(|(_, meaning)| *meaning == termination).map(|(code, _)| *code);
    let other = || {
        let code = termination.strip_prefix(OTHER_CODE)?;
        let is_canonical = code.parse::<i32>().is_ok_and(|number| number.to_string() == code);
        (is_canonical && code != NO_CODE && CODES.iter().all(|(known, _)| *known != code)).then_some(code)
    };
    known.or_else(other)
}

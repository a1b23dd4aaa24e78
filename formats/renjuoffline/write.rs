//! From records to XML.

use super::{DRAW, FINISHED, MOMENTS, NAME, RULE_NAME, STATUS, TAGS, TERMINATION, moment, moment_text};
use crate::line::{must_be_gomoku, plies, rule_lost, tags_lost};
use crate::xml::escape;
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer};
use games::{Coords, Move, Rule, Size};
use record::{Outcome, Record, is_plain};
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Games { out: Out::new(target), is_begun: false })
}

struct Games<'a> {
    out: Out<'a>,
    is_begun: bool,
}

impl Games<'_> {
    fn begin(&mut self) {
        if !self.is_begun {
            self.out.push(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<games>\n");
            self.is_begun = true;
        }
    }

    fn element(&mut self, name: &str, text: &str) {
        let out = self.out.buffer();
        out.push(b'<');
        out.extend_from_slice(name.as_bytes());
        out.push(b'>');
        escape(text, false, out);
        out.extend_from_slice(b"</");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b">\n");
    }
}

impl Writer for Games<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let size = Size::default();
        if head.size != size {
            let message = format!("the board of this format is {size}, not {}", head.size);
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let mut moves = Vec::new();
        for ply in plies(record, |_, _| false, losses) {
            if !moves.is_empty() {
                moves.push(b' ');
            }
            match ply.play {
                Move::Place(point) => Coords::A1.push(point, size, &mut moves),
                Move::Pass | Move::Step(_) => moves.extend_from_slice(b"--"),
            }
        }
        let moves = String::from_utf8(moves).expect("points are written in ASCII");
        self.begin();
        self.out.push(b"<game>\n");
        let mut written = Vec::new();
        // White space around a text is not the text's.
        let is_text = |text: &&str| !text.is_empty() && text.trim() == *text && text.chars().all(is_plain);
        for (name, tag) in MOMENTS {
            let is_number = |text: &str| text.parse::<i64>().is_ok_and(|seconds| moment_text(seconds).is_some());
            if let Some(text) = head.tag(tag).filter(is_text).filter(|text| !is_number(text) && *text != "0") {
                written.push(tag);
                self.element(name, &moment(text).map_or(text.to_owned(), |seconds| seconds.to_string()));
            }
        }
        let offered: Vec<String> = head.opening.offered.iter().map(|point| Coords::A1.text(*point, size)).collect();
        let termination = head.tag(TERMINATION);
        let drawn = head.result == Some(Outcome::Draw) && termination.is_none_or(|how| how == DRAW);
        for (name, tag) in TAGS {
            if drawn && tag == TERMINATION {
                self.element(name, DRAW);
            } else if let Some(text) = head.tag(tag).filter(is_text) {
                written.push(tag);
                self.element(name, text);
            }
        }
        self.element("moves", &moves);
        self.element("board", &moves);
        if !offered.is_empty() {
            self.element("alt5", &offered.join(" "));
        } else if let Some(alt) = head.tag("Alt").filter(is_text)
            && alt.split_whitespace().any(|word| Coords::A1.parse(word, size).is_none())
        {
            written.push("Alt");
            self.element("alt5", alt);
        }
        let status = head.tag(STATUS).filter(is_text).filter(|status| *status != FINISHED);
        written.extend(status.map(|_| STATUS));
        self.element("status", status.unwrap_or(FINISHED));
        match head.result {
            Some(Outcome::First) => self.element("winner", "black"),
            Some(Outcome::Second) => self.element("winner", "white"),
            Some(Outcome::Draw) if drawn => self.element("winner", "other"),
            Some(Outcome::Unknown) if termination != Some(DRAW) => self.element("winner", "other"),
            Some(other) => losses.named("results (left out)", other.text()),
            None => {}
        }
        self.out.push(b"</game>\n");
        let is_gomoku = head.tag(RULE_NAME).is_some_and(|name| name.to_lowercase().contains("gomoku"));
        match head.rule {
            Some(Rule::Renju) if !is_gomoku => {}
            Some(Rule::Standard) if is_gomoku => {}
            _ => rule_lost(head, losses),
        }
        for (there, name) in [
            (head.opening.declared.is_some(), "the declared number of fifth moves"),
            (head.opening.swaps.is_some(), "swaps"),
        ] {
            if there {
                losses.named("parts of the opening procedure (left out)", name);
            }
        }
        tags_lost(head, &written, losses);
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.begin();
        self.out.push(b"</games>\n");
        Ok(self.out.flush()?)
    }
}

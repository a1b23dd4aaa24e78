//! From XML to a record.

use super::ELEMENT;
use crate::xml::{Flaw, Raw, Stop, Tag, Token, Xml, short};
use crate::{Error, Place, Reading, Severity, comment};
use games::xiangqi::{Fen, FenOptions};
use games::{Game, Move, Size, Step};
use record::{Head, Note, Play, Record, TreeBuilder, WRITTEN};
use std::borrow::Cow;

/// Progress is told after so many elements.
const STEP: usize = 1 << 12;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut file = File { xml: Xml::new(bytes), nodes: Vec::new(), open: Vec::new(), reading };
    loop {
        let torn = match file.token() {
            Ok(true) => continue,
            Ok(false) => break,
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Torn(torn)) => torn,
        };
        let place = Place::byte(torn.at);
        if file.reading.strict() || file.nodes.is_empty() {
            return Err(file.reading.error(place, torn.message));
        }
        file.reading
            .fault("broken", Severity::Damage, || (place, format!("{}: what stands before is kept", torn.message)))?;
        break;
    }
    let record = file.record()?;
    file.reading.progress(bytes.len())?;
    file.reading.emit(record)
}

struct File<'b, 'r, 'o> {
    reading: &'r mut Reading<'o>,
    xml: Xml<'b>,
    /// The elements in the order of the file; the first one is the root.
    nodes: Vec<Node<'b>>,
    /// Those that the reader stands in.
    open: Vec<usize>,
}

struct Node<'b> {
    at: usize,
    /// The attribute `m`.
    text: Option<Cow<'b, str>>,
    comment: Cow<'b, str>,
    is_default: bool,
    children: Vec<usize>,
}

impl<'b> File<'b, '_, '_> {
    /// Reads a piece of the file; whether there is more.
    fn token(&mut self) -> Result<bool, Stop> {
        match self.xml.next()? {
            Token::Open(tag) if tag.name == ELEMENT => self.element(tag)?,
            Token::Open(tag) if self.nodes.is_empty() => {
                let message = format!("the root element is `{}`, not `n`", short(tag.name).escape_debug());
                return Err(self.reading.error(Place::byte(tag.at), message).into());
            }
            Token::Open(tag) => {
                self.reading.fault("unknown-element", Severity::Damage, || {
                    let message = format!("`{}` is not known: left out", short(tag.name).escape_debug());
                    (Place::byte(tag.at), message)
                })?;
                self.xml.skip()?;
            }
            Token::Close => drop(self.open.pop()),
            Token::Text(raw) if raw.bytes.trim_ascii().is_empty() => {}
            Token::Text(raw) => self.reading.fault("stray-text", Severity::Damage, || {
                let message = format!("the text `{}` stands where none is: left out", short(raw.bytes).escape_debug());
                (Place::byte(raw.at), message)
            })?,
            Token::End if self.nodes.is_empty() => {
                return Err(self.reading.error(Place::byte(self.xml.at()), "there is no element").into());
            }
            Token::End => return Ok(false),
        }
        Ok(true)
    }

    fn element(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        let is_root = self.nodes.is_empty();
        let mut node =
            Node { at: tag.at, text: None, comment: Cow::Borrowed(""), is_default: false, children: Vec::new() };
        let mut names: Vec<&[u8]> = Vec::new();
        for attribute in tag.attributes() {
            let (name, value) = match attribute {
                Ok(attribute) => attribute,
                Err(flaw) => {
                    self.flaw(flaw)?;
                    break;
                }
            };
            if names.contains(&name) {
                self.reading.fault("attribute-again", Severity::Damage, || {
                    let message = format!("the attribute `{}` stands again: passed over", short(name).escape_debug());
                    (Place::byte(value.at), message)
                })?;
                continue;
            }
            names.push(name);
            match name {
                b"m" => node.text = Some(self.text(value)?),
                b"c" => node.comment = self.text(value)?,
                b"default" => node.is_default = ![&b""[..], b"0", b"false"].contains(&value.bytes),
                b"version" if is_root => self.reading.version = Some(self.text(value)?.into_owned()),
                _ => self.reading.fault("unknown-attribute", Severity::Damage, || {
                    let message = format!("the attribute `{}` is not known: passed over", short(name).escape_debug());
                    (Place::byte(tag.at), message)
                })?,
            }
        }
        let number = self.nodes.len();
        // A second root can only stand behind the first one, and begins no game.
        match self.open.last() {
            Some(parent) => self.nodes[*parent].children.push(number),
            None if is_root => {}
            None => return Err(self.reading.error(Place::byte(tag.at), "a second root element begins here")),
        }
        self.nodes.push(node);
        self.open.push(number);
        if number.is_multiple_of(STEP) {
            self.reading.progress(self.xml.at())?;
        }
        Ok(())
    }

    fn text(&mut self, raw: Raw<'b>) -> Result<Cow<'b, str>, Error> {
        let mut flaw = None;
        let text = raw.text(self.xml.encoding, &mut flaw);
        flaw.map_or(Ok(()), |flaw| self.flaw(flaw))?;
        Ok(text)
    }

    fn flaw(&mut self, flaw: Flaw) -> Result<(), Error> {
        self.reading.fault(flaw.kind, Severity::Damage, || (Place::byte(flaw.at), flaw.message))
    }

    fn record(&mut self) -> Result<Record, Error> {
        let mut head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
        match self.nodes[0].text.take() {
            Some(text) => {
                let is_start = |(fen, _)| fen == Fen::start();
                if !Fen::read(&text, FenOptions { strict: false, other_letters: true }).is_ok_and(is_start) {
                    head.tags.push(("FEN".into(), text.into_owned()));
                }
            }
            None => self.reading.fault("no-position", Severity::Damage, || {
                (Place::byte(0), "the root has no `m`: the usual start is taken".into())
            })?,
        }
        let mut builder = TreeBuilder::new();
        let mut waiting = vec![(0, 0)];
        while let Some((depth, number)) = waiting.pop() {
            if depth > 0 {
                self.play(&mut builder, depth, number, &head)?;
            }
            let node = &mut self.nodes[number];
            if !node.comment.is_empty() {
                comment::push(&mut builder, &node.comment)?;
            }
            let mut children = std::mem::take(&mut node.children);
            let mut defaults = (0..children.len()).filter(|place| self.nodes[children[*place]].is_default);
            let (first, second) = (defaults.next(), defaults.next());
            if let Some(place) = second {
                let at = self.nodes[children[place]].at;
                self.reading.fault("two-defaults", Severity::Quirk, || {
                    (Place::byte(at), "another move of the position is the first, too: that one is taken".into())
                })?;
            }
            if let Some(place) = first {
                children[..=place].rotate_right(1);
            }
            waiting.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
        }
        Ok(Record { head, tree: builder.build() })
    }

    fn play(&mut self, builder: &mut TreeBuilder, depth: usize, number: usize, head: &Head) -> Result<(), Error> {
        let node = &self.nodes[number];
        let text = node.text.as_deref().unwrap_or_default();
        let step = Step::from_text(text);
        let play = step.map_or(Play::Nothing, |step| Play::Move(Move::Step(step)));
        builder.append(depth, head.side_of_ply(depth), play)?;
        if step.is_none() {
            builder.note(Note::Property(WRITTEN, text))?;
            let place = Place::byte(node.at).after(builder.tree(), builder.last(), Size::XIANGQI);
            self.reading.fault("bad-move", Severity::Damage, || {
                (place, format!("`{}` is no move: kept as it is written", short(text.as_bytes()).escape_debug()))
            })?;
        }
        Ok(())
    }
}

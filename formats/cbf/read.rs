use super::{RESULT, ROOT, result, tag_of};
use crate::{Error, Place, Reading, Severity, comment};
use games::{Game, Move, Point, Size, Step};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use record::{Head, Note, Play, Record, TreeBuilder, WRITTEN, plain};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            let at = bytes.len() - body.len() + error.valid_up_to();
            let message = "the text is not UTF-8";
            if reading.strict() {
                return Err(reading.error(Place::byte(at), message));
            }
            reading.fault("broken", Severity::Damage, || {
                (Place::byte(at), format!("{message}: what stands before is kept"))
            })?;
            std::str::from_utf8(&body[..error.valid_up_to()]).expect("so far it is valid")
        }
    };
    let mut xml = Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
    let mut game = Document {
        head,
        builder: TreeBuilder::new(),
        open: Vec::new(),
        text: String::new(),
        is_root: true,
        ended: false,
        at: 0,
    };
    let mut is_found = false;
    loop {
        game.at = bytes.len() - body.len() + usize::try_from(xml.buffer_position()).unwrap_or(text.len());
        let why = match xml.read_event() {
            Ok(Event::Eof) if game.open.is_empty() && is_found => break,
            Ok(Event::Eof) => "the file ends inside an element".to_owned(),
            Ok(Event::DocType(_)) => return Err(reading.error(game.place(), "there is a DOCTYPE: take it out")),
            Ok(event) => {
                game.event(event, reading)?;
                is_found |= !game.open.is_empty();
                continue;
            }
            Err(error) => format!("this is not XML, `{}`", error.to_string().escape_debug()),
        };
        if reading.strict() || !is_found {
            return Err(reading.error(game.place(), why));
        }
        reading.fault("broken", Severity::Damage, || (game.place(), format!("{why}: what stands before is kept")))?;
        break;
    }
    reading.progress(bytes.len())?;
    reading.emit(Record { head: game.head, tree: game.builder.build() })
}

/// A file while it is read.
struct Document {
    head: Head,
    builder: TreeBuilder,
    /// The names of the elements that the reader stands in.
    open: Vec<String>,
    /// The text of the innermost one.
    text: String,
    /// No move was read yet: the first one is the root.
    is_root: bool,
    /// The move that ends the line was read.
    ended: bool,
    at: usize,
}

impl Document {
    fn event(&mut self, event: Event<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        match event {
            Event::Start(element) => self.start(&element, reading),
            Event::End(_) => self.end(reading),
            Event::Text(text) => {
                self.text.push_str(&text.into_inner());
                Ok(())
            }
            Event::CData(text) => {
                self.text.push_str(&text.into_inner());
                Ok(())
            }
            Event::GeneralRef(name) => match reference(&name) {
                Some(c) => {
                    self.text.push(c);
                    Ok(())
                }
                None => {
                    let message = format!("`&{};` stands for no character: left out", short(&name));
                    reading.fault("bad-reference", Severity::Damage, || (self.place(), message))
                }
            },
            _ => Ok(()),
        }
    }

    fn start(&mut self, element: &BytesStart<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let name = element.name().into_inner().to_owned();
        if self.open.is_empty() && name != ROOT {
            let message = format!("the root element is `{}`, not `{ROOT}`", short(&name));
            return Err(reading.error(self.place(), message));
        }
        self.text.clear();
        if name == "Move" && self.open.last().is_some_and(|above| above == "MoveList") {
            self.a_move(element, reading)?;
        } else if name == ROOT {
            let version = element.attributes().flatten().find(|attribute| attribute.key.into_inner() == "Version");
            reading.version = version.map(|version| short(&version.value));
        }
        // What is deeper than a record ever is only counts.
        self.open.push(name);
        Ok(())
    }

    fn a_move(&mut self, element: &BytesStart<'_>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let (mut value, mut is_last) = (String::new(), false);
        for attribute in element.attributes() {
            let Ok(attribute) = attribute else {
                reading.fault("bad-attribute", Severity::Damage, || {
                    (self.place(), "a move has an attribute that is none: passed over".into())
                })?;
                break;
            };
            match attribute.key.into_inner() {
                "value" => value = attribute.value.into_owned(),
                "end" => is_last = &*attribute.value == "1",
                other => reading.fault("unknown-attribute", Severity::Damage, || {
                    (self.place(), format!("the attribute `{}` of a move is not known: passed over", short(other)))
                })?,
            }
        }
        if std::mem::take(&mut self.is_root) {
            self.ended = is_last;
            return Ok(());
        }
        if self.ended {
            reading.fault("behind-the-end", Severity::Damage, || {
                (self.place(), "a move stands behind the one that ends the line: it goes on from there".into())
            })?;
        }
        self.ended = is_last;
        let depth = self.builder.depth() + 1;
        let step = step(&value);
        let play = step.map_or(Play::Nothing, |step| Play::Move(Move::Step(step)));
        let side = self.head.side_of_ply(depth);
        self.builder.append(depth, side, play)?;
        if step.is_none() {
            self.builder.note(Note::Property(WRITTEN, &value))?;
            reading.fault("bad-move", Severity::Damage, || {
                (self.place(), format!("`{}` is no move: kept as it is written", short(&value)))
            })?;
        }
        Ok(())
    }

    fn end(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let Some(name) = self.open.pop() else { return Ok(()) };
        let text = std::mem::take(&mut self.text);
        match (self.open.last().map(String::as_str), self.open.len(), name.as_str()) {
            (Some("MoveList"), 2, "Move") if !text.trim().is_empty() => {
                Ok(comment::push(&mut self.builder, &comment::lines(&text))?)
            }
            (Some("Head"), 2, _) if !text.trim().is_empty() => {
                self.field(&name, text.trim());
                Ok(())
            }
            (_, _, _) if !text.trim().is_empty() => {
                let message = format!("the text `{}` stands where none is: left out", short(text.trim()));
                reading.fault("stray-text", Severity::Damage, || (self.place(), message))
            }
            _ => Ok(()),
        }
    }

    fn field(&mut self, name: &str, text: &str) {
        if let Some(result) = result(text).filter(|_| name == RESULT) {
            self.head.result = Some(result);
            return;
        }
        let is_start = |text: &str| {
            let options = games::xiangqi::FenOptions { strict: false, other_letters: true };
            games::xiangqi::Fen::read(text, options).is_ok_and(|(fen, _)| fen == games::xiangqi::Fen::start())
        };
        if name == "FEN" && is_start(text) {
            return;
        }
        self.head.tags.push((tag_of(name).to_owned(), plain(&comment::lines(text)).into_owned()));
    }

    fn place(&self) -> Place {
        let place = Place::byte(self.at);
        if self.is_root { place } else { place.after(self.builder.tree(), self.builder.last(), Size::XIANGQI) }
    }
}

/// A move as `77-47`: columns from the left and rows from the top.
fn step(text: &str) -> Option<Step> {
    let [x, y, b'-', to_x, to_y] = text.as_bytes() else { return None };
    let point = |x: u8, y: u8| Point::new(x.checked_sub(b'0')?, y.checked_sub(b'0')?);
    Step::new(point(*x, *y)?, point(*to_x, *to_y)?)
}

/// The character that `&name;` stands for.
fn reference(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            return char::from_u32(code.ok()?);
        }
    })
}

/// Text of the file as it is shown in a message.
fn short(text: &str) -> String {
    text.chars().take(24).collect::<String>().escape_debug().to_string()
}

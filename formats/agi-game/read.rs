use super::NAMESPACE;
use crate::{Blame, Error, Place, Reading, Severity, hex, label_to_encoding};
use games::{Game, Move, Point, Rule, Side, Size, Step};
use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, IllFormedError};
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesStart, Event};
use record::{Head, Newline, Note, Outcome, Part, Play, Record, Shape, TreeBuilder, Value, is_plain};
use std::borrow::Cow;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut file = File::new(bytes, reading);
    loop {
        match file.next_game() {
            Ok(Some(record)) => file.reading.emit(record)?,
            Ok(None) => return file.reading.end(),
            Err(error) if file.can_go_on(&error) => file.pass_over(error)?,
            Err(error) => return file.give_up(error),
        }
    }
}

/// A file being read; where an element is expected, the reader stands inside the one that holds it.
struct File<'b, 'r, 'o> {
    reading: &'r mut Reading<'o>,
    xml: Reader<&'b [u8]>,
    whole: &'b str,
    /// Where the XML begins, behind a byte order mark, and where what can be read of it ends.
    span: (usize, usize),
    /// Why nothing can be read from there on, if it is not the end of the file.
    unreadable: Option<String>,
    /// The byte of the last event.
    at: usize,
    events: u32,
    /// How many elements the reader stands in.
    open: usize,
    inside: bool,
    cut: bool,
    /// The XML reader met an error, after which it does not know which elements it stands in.
    torn: bool,
    /// There is no game any more behind what is no XML or no text.
    over: bool,
    game: Option<Record>,
    builder: TreeBuilder,
    /// The text of the last element read, and the byte it begins at.
    text: String,
    text_at: usize,
    bytes: Vec<u8>,
}

/// An event of the XML reader that means something here.
enum Piece<'b> {
    Start(BytesStart<'b>),
    End,
    Text(Cow<'b, str>),
    Char(char),
    Eof,
}

impl<'b, 'r, 'o> File<'b, 'r, 'o> {
    fn new(bytes: &'b [u8], reading: &'r mut Reading<'o>) -> Self {
        let (text, unreadable) = readable(bytes);
        let body = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        File {
            reading,
            xml: xml(body),
            whole: text,
            span: (text.len() - body.len(), text.len()),
            unreadable,
            at: 0,
            events: 0,
            open: 0,
            inside: false,
            cut: false,
            torn: false,
            over: false,
            game: None,
            builder: TreeBuilder::new(),
            text: String::new(),
            text_at: 0,
            bytes: Vec::new(),
        }
    }

    fn next_game(&mut self) -> Result<Option<Record>, Error> {
        if !self.inside {
            self.root_element()?;
            self.inside = true;
        }
        if self.over {
            return Ok(None);
        }
        while let Some(element) = self.child()? {
            match name(&element) {
                "game" => return self.game(element).map(Some),
                _ => self.unknown_element(&element)?,
            }
        }
        self.epilogue()?;
        Ok(None)
    }

    /// Whether games can follow the one that has this error.
    fn can_go_on(&self, error: &Error) -> bool {
        error.blame == Blame::File && self.inside && self.open > 1 && !self.cut && !self.over && !self.reading.strict()
    }

    /// Leaves out the game with the error, or what stands of it behind the error.
    fn pass_over(&mut self, error: Error) -> Result<(), Error> {
        let game = self.game.take();
        let tree = std::mem::take(&mut self.builder).build();
        match game.filter(|_| self.reading.lenient()) {
            Some(game) => {
                self.reading.fault("broken", Severity::Damage, || {
                    (*error.place, format!("{}; what stands before is kept", error.message))
                })?;
                self.reading.emit(Record { tree, ..game })?;
            }
            None => self.reading.leave_out("bad-record", error)?,
        }
        while self.open > 1 && !self.torn {
            match self.next() {
                Ok(Piece::Eof) => break,
                Err(error) if error.blame != Blame::File => return Err(error),
                _ => {}
            }
        }
        if self.torn {
            self.go_to_next();
        }
        Ok(())
    }

    /// Goes on behind what is no XML, at the next tag of a game or else at the end.
    fn go_to_next(&mut self) {
        let rest = &self.whole[self.at..self.span.1];
        let next = rest.match_indices("<game").map(|(at, _)| at).find(|at| {
            let after = rest.as_bytes().get(at + "<game".len());
            *at > 0 && after.is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
        });
        let Some(next) = next else {
            self.over = true;
            return;
        };
        self.span.0 = self.at + next;
        self.xml = xml(&self.whole[self.span.0..self.span.1]);
        // The root element was opened before this piece.
        self.xml.config_mut().allow_unmatched_ends = true;
        (self.open, self.torn) = (1, false);
    }

    /// Ends the reading, with what stands before the error where that is wanted.
    fn give_up(mut self, error: Error) -> Result<(), Error> {
        let forgiven = self.reading.lenient() || self.cut && !self.reading.strict();
        if error.blame != Blame::File || !forgiven || !self.inside {
            return Err(error);
        }
        let kind = if self.cut { "cut" } else { "broken" };
        self.reading.fault(kind, Severity::Damage, || {
            (*error.place, format!("{}; what stands before is kept", error.message))
        })?;
        match self.game.take() {
            Some(game) => self.reading.emit(Record { tree: self.builder.build(), ..game }),
            None => Ok(()),
        }
    }

    fn root_element(&mut self) -> Result<(), Error> {
        let element = loop {
            match self.next()? {
                Piece::Start(element) => break element,
                Piece::Eof => return Err(self.ended("there is no element `agx`")),
                Piece::End => {}
                Piece::Text(text) if is_blank(&text) => {}
                Piece::Text(_) | Piece::Char(_) => return Err(self.error("this is text before the first element")),
            }
        };
        if name(&element) != "agx" {
            return Err(self.error(format!("the root element is `{}`, not `agx`", short(name(&element)))));
        }
        let mut namespace = false;
        for attribute in element.attributes() {
            let (name, value) = self.attribute(&element, attribute)?;
            match name {
                "xmlns" if value == NAMESPACE => namespace = true,
                "xmlns" => {
                    let found = short(&value);
                    return Err(self.error(format!("the namespace is `{found}`: version 1 is `{NAMESPACE}`")));
                }
                "version" if value.split('.').next() == Some("1") => self.reading.version = Some(value.into_owned()),
                "version" => return Err(self.error(format!("this is version `{}`: I know version 1", short(&value)))),
                _ => self.unknown_attribute(&element, name)?,
            }
        }
        if !namespace {
            let place = self.place();
            self.reading.fault("no-namespace", Severity::Quirk, || {
                (place, format!("`agx` has no namespace: `{NAMESPACE}` is meant"))
            })?;
        }
        Ok(())
    }

    fn epilogue(&mut self) -> Result<(), Error> {
        loop {
            match self.next()? {
                Piece::Eof if self.unreadable.is_some() => return Err(self.ended("")),
                Piece::Eof => return self.reading.progress(self.span.1),
                Piece::End => {}
                Piece::Text(text) if is_blank(&text) => {}
                _ => return Err(self.error("something stands behind `</agx>`: one file holds one document")),
            }
        }
    }

    fn game(&mut self, element: BytesStart<'b>) -> Result<Record, Error> {
        self.builder = TreeBuilder::new();
        let head = self.head(&element)?;
        self.game = Some(Record { head, ..Record::default() });
        let (mut has_opening, mut has_root) = (false, false);
        while let Some(element) = self.child()? {
            let late = self.builder.tree().len() > 1;
            match name(&element) {
                "moves" => self.moves(&element)?,
                "node" => self.node(&element)?,
                "tag" => {
                    self.late_head(late, "tag")?;
                    self.tag(&element)?;
                }
                "opening" if has_opening => return Err(self.error("there are two `opening` in one game")),
                "opening" => {
                    self.late_head(late, "opening")?;
                    self.opening(&element)?;
                    has_opening = true;
                }
                "root" if late || has_root => {
                    return Err(self.error("`root` stands behind a move or another `root`: it comes once, before all"));
                }
                "root" => {
                    self.node(&element)?;
                    has_root = true;
                }
                _ => self.unknown_element(&element)?,
            }
        }
        let game = self.game.take().expect("the game was begun above");
        Ok(Record { tree: std::mem::take(&mut self.builder).build(), ..game })
    }

    fn head(&mut self, element: &BytesStart<'b>) -> Result<Head, Error> {
        let mut head = Head::default();
        let mut size = None;
        for attribute in element.attributes() {
            let (name, value) = self.attribute(element, attribute)?;
            match name {
                "size" => size = Some(value.parse::<Size>().map_err(|message| self.error(message))?),
                "game" => head.game = value.parse::<Game>().map_err(|message| self.error(message))?,
                "rule" => head.rule = Some(value.parse::<Rule>().map_err(|message| self.error(message))?),
                "result" => {
                    let what = "a result: write 1-0, 0-1, 1/2-1/2, void or *";
                    head.result = Some(self.known(&value, Outcome::from_text, what)?);
                }
                "encoding" => {
                    let encoding = self.known(&value, label_to_encoding, "an encoding that I know")?;
                    head.encoding = Some(encoding.name());
                }
                "newline" => {
                    head.newline = Some(self.known(&value, Newline::from_name, "a line end: write lf or crlf")?);
                }
                _ => self.unknown_attribute(element, name)?,
            }
        }
        if size.is_none() {
            let place = self.place();
            let size = self.reading.options.size.unwrap_or(head.game.board());
            self.reading
                .fault("no-size", Severity::Quirk, || (place, format!("the game has no size: {size} is taken")))?;
        }
        head.size = size.or(self.reading.options.size).unwrap_or_default();
        Ok(head)
    }

    fn tag(&mut self, element: &BytesStart<'b>) -> Result<(), Error> {
        let mut tag = None;
        for attribute in element.attributes() {
            match self.attribute(element, attribute)? {
                ("name", value) => tag = Some(value.into_owned()),
                (name, _) => self.unknown_attribute(element, name)?,
            }
        }
        let tag = tag.ok_or_else(|| self.error("a `tag` has no `name`"))?;
        self.content()?;
        let value = self.text.clone();
        self.head_mut().tags.push((tag, value));
        Ok(())
    }

    fn opening(&mut self, element: &BytesStart<'b>) -> Result<(), Error> {
        for attribute in element.attributes() {
            let (name, value) = self.attribute(element, attribute)?;
            match name {
                "offered" => {
                    let points = value.split_ascii_whitespace().map(|word| self.point(word));
                    let points = points.collect::<Result<Vec<_>, _>>()?;
                    self.head_mut().opening.offered = points;
                }
                "declared" => {
                    let number = self.known(&value, |text| text.parse().ok(), "a number from 0 to 255")?;
                    self.head_mut().opening.declared = Some(number);
                }
                "swaps" => self.head_mut().opening.swaps = Some(value.into_owned()),
                _ => self.unknown_attribute(element, name)?,
            }
        }
        self.no_content()
    }

    fn moves(&mut self, element: &BytesStart<'b>) -> Result<(), Error> {
        let mut depth = self.builder.depth() + 1;
        for attribute in element.attributes() {
            match self.attribute(element, attribute)? {
                ("depth", value) => depth = self.depth(&value)?,
                (name, _) => self.unknown_attribute(element, name)?,
            }
        }
        self.content()?;
        let text = std::mem::take(&mut self.text);
        for word in text.split_ascii_whitespace() {
            self.at = self.text_at + offset(&text, word);
            let play = Play::Move(self.a_move(word)?);
            self.builder.append(depth, self.head_ref().side_of_ply(depth), play)?;
            depth += 1;
        }
        self.text = text;
        Ok(())
    }

    /// A `node`, or the `root`, which is the node there already is.
    fn node(&mut self, element: &BytesStart<'b>) -> Result<(), Error> {
        let root = name(element) == "root";
        let mut depth = self.builder.depth() + 1;
        let (mut play, mut side, mut found, mut start) = (Play::Nothing, None, false, false);
        let (mut turn, mut value, mut time) = (None, None, None);
        for attribute in element.attributes() {
            let (name, text) = self.attribute(element, attribute)?;
            match name {
                "found" => found = self.flag(&text)?,
                "start" => start = self.flag(&text)?,
                "turn" => turn = Some(self.side(&text)?),
                "value" => {
                    let what = "a value: write 120, -35,18 (points, depth), #+12 or #-7";
                    value = Some(self.known(&text, Value::from_text, what)?);
                }
                "time" => time = Some(self.known(&text, |text| text.parse().ok(), "a time in milliseconds")?),
                "depth" if !root => depth = self.depth(&text)?,
                "side" if !root => side = Some(self.side(&text)?),
                "move" | "label" if !root && play != Play::Nothing => {
                    return Err(self.error("a node has both `move` and `label`: it can have one"));
                }
                "move" if !root => play = Play::Move(self.a_move(&text)?),
                "label" if !root => play = Play::Label(self.point(&text)?),
                _ => self.unknown_attribute(element, name)?,
            }
        }
        if !root {
            self.builder.append(depth, side.unwrap_or(self.head_ref().side_of_ply(depth)), play)?;
        }
        if found {
            self.builder.set_found();
        }
        if start {
            self.builder.set_start();
        }
        let notes = [turn.map(Note::ToMove), value.map(Note::Value), time.map(Note::Time)];
        notes.into_iter().flatten().try_for_each(|note| self.builder.note(note))?;
        while let Some(element) = self.child()? {
            self.note(&element)?;
        }
        Ok(())
    }

    fn note(&mut self, element: &BytesStart<'b>) -> Result<(), Error> {
        let kind = name(element);
        if !["stone", "line", "body", "text", "label", "mark", "property", "bytes"].contains(&kind) {
            return self.unknown_element(element);
        }
        let at = self.at;
        let (mut point, mut word) = (None, None);
        for attribute in element.attributes() {
            match (kind, self.attribute(element, attribute)?) {
                ("stone" | "label" | "mark" | "bytes", ("point", value)) => point = Some(self.point(&value)?),
                ("stone", ("side", value))
                | ("mark", ("shape", value))
                | ("property", ("name", value))
                | ("bytes", ("of", value)) => word = Some(value.into_owned()),
                (_, (name, _)) => self.unknown_attribute(element, name)?,
            }
        }
        match kind {
            "stone" | "mark" => self.no_content()?,
            _ => self.content()?,
        }
        // What is wrong from here on is wrong with the element, not with its end.
        self.at = at;
        let note = match (kind, point, word.as_deref()) {
            ("line", ..) => Note::Line(&self.text),
            ("body", ..) => Note::Body(&self.text),
            ("text", ..) => Note::Text(&self.text),
            ("label", Some(point), _) => Note::Label(point, &self.text),
            ("stone", Some(point), Some("none")) => Note::Stone(point, None),
            ("stone", Some(point), Some(side)) => Note::Stone(point, Some(self.side(side)?)),
            ("mark", Some(point), Some(shape)) => {
                let what = "a shape: write triangle, circle, square, cross or selected";
                Note::Mark(point, self.known(shape, Shape::from_name, what)?)
            }
            ("property", _, Some(name)) => {
                if name.len() > usize::from(u16::MAX) {
                    return Err(self.error("the name of a property is longer than 65535 bytes"));
                }
                Note::Property(name, &self.text)
            }
            ("bytes", point, Some(of)) => {
                let part = match (of, point) {
                    ("line", None) => Part::Line,
                    ("body", None) => Part::Body,
                    ("text", None) => Part::Text,
                    ("label", Some(point)) => Part::Label(point),
                    _ => return Err(self.error("`bytes` are of line, body or text, or of label and have a `point`")),
                };
                self.bytes.clear();
                if hex::parse(self.text.trim_ascii(), &mut self.bytes).is_none() {
                    return Err(self.error("`bytes` holds something else than pairs of hexadecimal digits"));
                }
                Note::Bytes(part, &self.bytes)
            }
            _ => {
                let needed = match kind {
                    "stone" => "`point` and `side`",
                    "mark" => "`point` and `shape`",
                    "label" => "`point`",
                    "property" => "`name`",
                    _ => "`of`",
                };
                return Err(self.error(format!("a `{kind}` needs {needed}")));
            }
        };
        Ok(self.builder.note(note)?)
    }

    fn head_ref(&self) -> &Head {
        &self.game.as_ref().expect("this element stands in a game").head
    }

    fn head_mut(&mut self) -> &mut Head {
        &mut self.game.as_mut().expect("this element stands in a game").head
    }

    // Words.

    fn depth(&self, text: &str) -> Result<usize, Error> {
        let depth: usize = self.known(text, |text| text.parse().ok(), "a depth")?;
        let most = self.builder.depth() + 1;
        if depth == 0 || depth > most {
            return Err(self.error(format!("depth {depth} does not continue the node before: 1 to {most} would")));
        }
        Ok(depth)
    }

    fn a_move(&self, text: &str) -> Result<Move, Error> {
        match self.head_ref().game {
            _ if text == "--" => Ok(Move::Pass),
            Game::Gomoku => self.point(text).map(Move::Place),
            Game::Xiangqi => {
                self.known(text, |text| Step::from_text(text).map(Move::Step), "a step as ICCS writes it, such as h2e2")
            }
        }
    }

    fn point(&self, text: &str) -> Result<Point, Error> {
        let Head { game, size, .. } = *self.head_ref();
        game.coords()
            .parse(text, size)
            .ok_or_else(|| self.error(format!("`{}` is not a point of a {size} board", short(text))))
    }

    fn side(&self, text: &str) -> Result<Side, Error> {
        let game = self.head_ref().game;
        Side::from_name(text, game).ok_or_else(|| {
            let (first, second) = (Side::First.name(game), Side::Second.name(game));
            self.error(format!("`{}` is not a side: write {first} or {second}", short(text)))
        })
    }

    fn flag(&self, text: &str) -> Result<bool, Error> {
        match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.error(format!("`{}` is not true or false", short(text)))),
        }
    }

    fn known<T>(&self, text: &str, of: impl FnOnce(&str) -> Option<T>, what: &str) -> Result<T, Error> {
        of(text).ok_or_else(|| self.error(format!("`{}` is not {what}", short(text))))
    }

    // Pieces.

    /// The next element inside the one the reader stands in, or `None` at its end.
    fn child(&mut self) -> Result<Option<BytesStart<'b>>, Error> {
        loop {
            match self.next()? {
                Piece::Start(element) => return Ok(Some(element)),
                Piece::End => return Ok(None),
                Piece::Text(text) if is_blank(&text) => {}
                Piece::Text(text) => self.stray_text(&text)?,
                Piece::Char(c) => self.stray_text(c.encode_utf8(&mut [0; 4]))?,
                Piece::Eof => return Err(self.ended("the file ends before `</agx>`")),
            }
        }
    }

    /// Reads the text up to the end of the element the reader stands in.
    fn content(&mut self) -> Result<(), Error> {
        self.text.clear();
        loop {
            let piece = self.next()?;
            if self.text.is_empty() {
                self.text_at = self.at;
            }
            match piece {
                Piece::Text(text) => self.text.push_str(&text),
                Piece::Char(c) => self.text.push(c),
                Piece::Start(element) => self.unknown_element(&element)?,
                Piece::End => return Ok(()),
                Piece::Eof => return Err(self.ended("the file ends before `</agx>`")),
            }
        }
    }

    fn no_content(&mut self) -> Result<(), Error> {
        while let Some(element) = self.child()? {
            self.unknown_element(&element)?;
        }
        Ok(())
    }

    /// Passes over an element with all that is in it.
    fn unknown_element(&mut self, element: &BytesStart<'b>) -> Result<(), Error> {
        let (at, records) = (self.at, self.reading.records());
        self.reading.fault("unknown-element", Severity::Quirk, || {
            let message = format!("the element `{}` is not known and passed over", short(name(element)));
            (place(at, records, &self.game, &self.builder), message)
        })?;
        let mut open = 1_usize;
        while open > 0 {
            match self.next()? {
                Piece::Start(_) => open += 1,
                Piece::End => open -= 1,
                Piece::Text(_) | Piece::Char(_) => {}
                Piece::Eof => return Err(self.ended("the file ends before `</agx>`")),
            }
        }
        Ok(())
    }

    fn unknown_attribute(&mut self, element: &BytesStart<'b>, attribute: &str) -> Result<(), Error> {
        if ["xmlns:", "xsi:", "xml:"].iter().any(|prefix| attribute.starts_with(prefix)) {
            return Ok(());
        }
        let (at, records) = (self.at, self.reading.records());
        self.reading.fault("unknown-attribute", Severity::Quirk, || {
            let message =
                format!("the attribute `{}` of `{}` is not known and passed over", short(attribute), name(element));
            (place(at, records, &self.game, &self.builder), message)
        })
    }

    fn stray_text(&mut self, text: &str) -> Result<(), Error> {
        let (at, records) = (self.at, self.reading.records());
        self.reading.fault("stray-text", Severity::Damage, || {
            let message = format!("the text `{}` stands between elements and is left out", short(text.trim()));
            (place(at, records, &self.game, &self.builder), message)
        })
    }

    fn late_head(&mut self, late: bool, element: &str) -> Result<(), Error> {
        if !late {
            return Ok(());
        }
        let (at, records) = (self.at, self.reading.records());
        self.reading.fault("late-head", Severity::Quirk, || {
            (place(at, records, &self.game, &self.builder), format!("a `{element}` stands behind a move"))
        })
    }

    /// The name of an attribute and what its value stands for.
    fn attribute<'e>(
        &self,
        element: &'e BytesStart<'b>,
        attribute: Result<Attribute<'e>, AttrError>,
    ) -> Result<(&'e str, Cow<'e, str>), Error> {
        let tag = self.at + 1;
        let attribute = attribute.map_err(|error| {
            let (at, what) = match error {
                AttrError::ExpectedEq(at) => (at, "an attribute has no `=`"),
                AttrError::ExpectedValue(at) => (at, "an attribute has no value"),
                AttrError::UnquotedValue(at) => (at, "the value of an attribute is not in quotes"),
                AttrError::ExpectedQuote(at, _) => (at, "the value of an attribute has no closing quote"),
                AttrError::Duplicated(at, _) => (at, "an attribute is given twice"),
            };
            self.error_at(tag + at, what)
        })?;
        let name = attribute.key.into_inner();
        let Cow::Borrowed(raw) = attribute.value else {
            return Ok((name, attribute.value));
        };
        if !raw.bytes().any(|byte| matches!(byte, b'&' | b'<' | b'\t' | b'\n' | b'\r')) {
            return Ok((name, Cow::Borrowed(raw)));
        }
        let value_at = tag + offset(element, raw);
        let mut value = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = rest.find(['&', '<', '\t', '\n', '\r']) {
            value.push_str(&rest[..at]);
            let here = value_at + raw.len() - rest.len() + at;
            rest = &rest[at..];
            let used = match rest.as_bytes()[0] {
                b'&' => {
                    let (c, length) = rest
                        .find(';')
                        .and_then(|end| Some((reference(&rest[1..end])?, end + 1)))
                        .ok_or_else(|| self.bad_reference(here, rest))?;
                    value.push(c);
                    length
                }
                b'<' => return Err(self.error_at(here, "`<` stands in the value of an attribute: write `&lt;`")),
                _ => {
                    value.push(' ');
                    if rest.starts_with("\r\n") { 2 } else { 1 }
                }
            };
            rest = &rest[used..];
        }
        value.push_str(rest);
        Ok((name, Cow::Owned(value)))
    }

    fn next(&mut self) -> Result<Piece<'b>, Error> {
        loop {
            self.events = self.events.wrapping_add(1);
            if self.events.is_multiple_of(4096) {
                self.reading.progress(self.at)?;
            }
            self.at = self.position(self.xml.buffer_position());
            let event = self.xml.read_event().map_err(|error| self.xml_error(error))?;
            return Ok(match event {
                Event::Start(element) => {
                    self.open += 1;
                    Piece::Start(element)
                }
                Event::End(_) => {
                    self.open = self.open.saturating_sub(1);
                    Piece::End
                }
                Event::Text(text) => Piece::Text(unify_newlines(text.into_inner())),
                Event::CData(text) => Piece::Text(unify_newlines(text.into_inner())),
                Event::GeneralRef(name) => match reference(&name) {
                    Some(c) => Piece::Char(c),
                    None => return Err(self.bad_reference(self.at, &format!("&{};", &*name))),
                },
                Event::Eof => Piece::Eof,
                Event::DocType(_) => {
                    return Err(self.error("there is a DOCTYPE, which agi-game does not allow: take it out"));
                }
                Event::Decl(declaration) => {
                    if let Some(Ok(encoding)) = declaration.encoding()
                        && !["utf-8", "us-ascii"].iter().any(|known| encoding.eq_ignore_ascii_case(known))
                    {
                        let message = format!("the encoding is `{}`: agi-game is in UTF-8", short(&encoding));
                        return Err(self.error(message));
                    }
                    continue;
                }
                Event::Comment(_) | Event::PI(_) => continue,
                Event::Empty(_) => unreachable!("empty elements are expanded"),
            });
        }
    }

    // Places.

    fn position(&self, in_xml: u64) -> usize {
        self.span.0 + usize::try_from(in_xml).expect("the file lies in memory")
    }

    fn place(&self) -> Place {
        place(self.at, self.reading.records(), &self.game, &self.builder)
    }

    fn error(&self, message: impl Into<String>) -> Error {
        self.reading.error(self.place(), message)
    }

    fn error_at(&self, at: usize, message: impl Into<String>) -> Error {
        let place = place(at, self.reading.records(), &self.game, &self.builder);
        self.reading.error(place, message)
    }

    fn bad_reference(&self, at: usize, text: &str) -> Error {
        let name: String = text.chars().take(16).take_while(|c| !c.is_whitespace()).collect();
        let name = name.split_inclusive(';').next().unwrap_or_default();
        self.error_at(at, format!("`{name}` is not a reference that agi-game allows: an ampersand is written `&amp;`"))
    }

    fn xml_error(&mut self, error: XmlError) -> Error {
        self.torn = true;
        let at = self.position(self.xml.error_position());
        match error {
            XmlError::Syntax(_) | XmlError::IllFormed(IllFormedError::UnclosedReference)
                if self.position(self.xml.buffer_position()) >= self.span.1 =>
            {
                self.ended("the file ends inside a tag, a comment or a reference")
            }
            XmlError::IllFormed(IllFormedError::UnclosedReference) => self.bad_reference(at, "&"),
            XmlError::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                self.error_at(at, format!("`</{}>` closes `<{}>`", short(&found), short(&expected)))
            }
            XmlError::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                self.error_at(at, format!("`</{}>` closes nothing", short(&found)))
            }
            error => self.error_at(at, format!("this is not XML: {error}")),
        }
    }

    /// The end of what can be read: of the file, or of what is text in it.
    fn ended(&mut self, message: &str) -> Error {
        match self.unreadable.take() {
            Some(why) => {
                self.over = true;
                self.error_at(self.span.1, why)
            }
            None => {
                self.cut = true;
                self.error_at(self.span.1, message)
            }
        }
    }
}

fn place(at: usize, records: u64, game: &Option<Record>, builder: &TreeBuilder) -> Place {
    let place = Place::byte(at);
    match game {
        Some(game) => {
            let place = Place { record: Some(records + 1), ..place };
            if builder.depth() == 0 { place } else { place.after(builder.tree(), builder.last(), game.head.size) }
        }
        None => place,
    }
}

fn xml(text: &str) -> Reader<&[u8]> {
    let mut xml = Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    xml
}

/// The text up to the first bytes that XML in UTF-8 cannot hold, and what these are.
fn readable(bytes: &[u8]) -> (&str, Option<String>) {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return ("", Some("this is UTF-16: agi-game is in UTF-8".into()));
    }
    let (text, mut why) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let text = std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("so far it is valid");
            // A character that only lacks its end is the end of a file that was cut.
            (text, error.error_len().map(|_| "the text is not UTF-8".into()))
        }
    };
    let mut end = text.len();
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    let found = [text.bytes().position(|byte| control(&byte)), text.find(['\u{FFFE}', '\u{FFFF}'])];
    if let Some(at) = found.into_iter().flatten().min() {
        end = at;
        let c = text[at..].chars().next().expect("a character was found here");
        why = Some(format!("U+{:04X} is not a character of XML", u32::from(c)));
    }
    (&text[..end], why)
}

/// The character that `&name;` stands for.
fn reference(name: &str) -> Option<char> {
    let (digits, radix) = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16))
        }
    };
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    (is_plain(c) || c == '\r').then_some(c)
}

fn unify_newlines(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('\r') {
        return text;
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

fn name<'e>(element: &'e BytesStart<'_>) -> &'e str {
    element.name().into_inner()
}

/// Where `part` begins in `whole`, of which it is a piece.
fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// Text of the file as it is shown in a message.
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(24) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

use super::{FIELDS, OPENING, VERSION, notations};
use crate::{Error, Place, Reading, Severity, hex, label_to_encoding};
use games::{Coords, Game, Move, Point, Side, Size, Step};
use record::{Full, Head, Newline, NodeId, Note, Once, Opening, Outcome, Part, Play, Record, Shape, Sketch, Value};
use std::borrow::Cow;
use std::cell::Cell;

/// How many moves are read between two looks at the progress.
const STRIDE: usize = 1 << 14;
/// What a record keeps of the name of a property.
const LONGEST_NAME: usize = u16::MAX as usize;

pub fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = utf8(bytes, reading)?;
    let mut parser = Parser { text: &text, at: 0, games: 0, counted: Cell::new((0, 1)) };
    if text.starts_with('\u{FEFF}') {
        parser.at = '\u{FEFF}'.len_utf8();
        reading.fault("byte-order-mark", Severity::Remark, || (Place::byte(0), "a byte order mark".into()))?;
    }
    parser.blanks();
    while parser.at < text.len() {
        parser.games += 1;
        parser.record(reading)?;
        reading.progress(parser.at)?;
        parser.blanks();
    }
    if parser.games == 0 {
        return Err(reading.error(Place::default(), "there is no record in the file"));
    }
    reading.end()
}

fn utf8<'a>(bytes: &'a [u8], reading: &mut Reading<'_>) -> Result<Cow<'a, str>, Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => {
            let place = Place::byte(error.valid_up_to());
            let message = "the file is not UTF-8";
            if !reading.lenient() {
                return Err(reading.error(place, format!("{message}: --lenient reads it as far as it can")));
            }
            reading.fault("not-utf-8", Severity::Damage, || (place, message.into()))?;
            Ok(String::from_utf8_lossy(bytes))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    games: u64,
    /// An offset and its line: lines are counted on from here, since most places are asked for in order.
    counted: Cell<(usize, usize)>,
}

/// A record whose move text is being read.
struct Draft {
    head: Head,
    coords: Coords,
    sketch: Sketch,
    /// The text of the comments at the move added last: they may be many, and are joined once.
    comment: Option<Comment>,
    /// Of the commands at the move added last.
    once: Once,
}

/// The two parts of a comment.
struct Comment {
    line: Option<String>,
    body: Option<String>,
}

impl Draft {
    fn new(head: Head, coords: Coords) -> Draft {
        Draft { head, coords, sketch: Sketch::new(), comment: None, once: Once::default() }
    }

    /// Adds a move behind `above`; what is written from here on is written at it.
    fn append(&mut self, above: NodeId, side: Side, play: Play) -> Result<NodeId, Full> {
        self.end_comment()?;
        self.once = Once::default();
        self.sketch.append(above, side, play)
    }

    /// Adds the text of a comment: its first line and the others, or more lines of the comment before.
    fn add_comment(&mut self, content: &str) {
        let content = if content.contains('\r') { Cow::Owned(content.replace("\r\n", "\n")) } else { content.into() };
        match &mut self.comment {
            Some(Comment { body: Some(body), .. }) => {
                body.push('\n');
                body.push_str(&unescape(&content));
            }
            Some(Comment { body, .. }) => *body = Some(unescape(&content).into_owned()),
            None => {
                let (line, body) =
                    content.split_once('\n').map_or((&*content, None), |(line, body)| (line, Some(body)));
                let line = (!line.is_empty() || body.is_none()).then(|| unescape(line).into_owned());
                self.comment = Some(Comment { line, body: body.map(|body| unescape(body).into_owned()) });
            }
        }
    }

    /// Writes the comment at the move added last.
    fn end_comment(&mut self) -> Result<(), Full> {
        let Some(Comment { line, body }) = self.comment.take() else { return Ok(()) };
        line.map_or(Ok(()), |line| self.sketch.note(Note::Line(&line)))?;
        body.map_or(Ok(()), |body| self.sketch.note(Note::Body(&body)))
    }

    /// Writes a note of a command; `None` if the move has one of the kind already and can have only one.
    fn note(&mut self, note: Note<'_>) -> Result<Option<()>, Full> {
        if self.once.is_again(&note) {
            return Ok(None);
        }
        self.sketch.note(note).map(Some)
    }
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn place(&self, at: usize) -> Place {
        let (from, line) = self.counted.get();
        let (from, line) = if at < from { (0, 1) } else { (from, line) };
        let line = line + self.text.as_bytes()[from..at].iter().filter(|byte| **byte == b'\n').count();
        self.counted.set((at, line));
        Place { record: Some(self.games), byte: Some(at as u64), line: Some(line as u64), ..Place::default() }
    }

    fn record(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let is_one = self.rest().starts_with(OPENING);
        let (head, coords) = match self.tags(reading) {
            // Where no record begins, the file may be something else.
            Err(error) if is_one => return self.pass_over(error, reading),
            tags => tags?,
        };
        let mut game = Draft::new(head, coords);
        let result = self.moves(&mut game, reading);
        if let Err(error) = result {
            if !reading.lenient() || error.blame != crate::Blame::File {
                return self.pass_over(error, reading);
            }
            self.go_to_next();
            reading
                .fault("bad-record", Severity::Damage, || (*error.place, error.message + ": the record ends there"))?;
        }
        game.end_comment()?;
        reading.emit(Record { head: game.head, tree: game.sketch.build() })
    }

    /// Leaves out the record with the error.
    fn pass_over(&mut self, error: Error, reading: &mut Reading<'_>) -> Result<(), Error> {
        self.go_to_next();
        reading.leave_out("bad-record", error)
    }

    fn go_to_next(&mut self) {
        self.at = find(self.rest(), b"\n[Agr ").map_or(self.text.len(), |next| self.at + next + 1);
    }

    fn tags(&mut self, reading: &mut Reading<'_>) -> Result<(Head, Coords), Error> {
        let start = self.at;
        if !self.rest().starts_with(OPENING) {
            return Err(reading.error(self.place(start), "a record begins with the tag [Agr \"1\"], and this does not"));
        }
        let mut head = Head::default();
        let mut fields: Vec<(usize, &str, String)> = Vec::new();
        while self.rest().starts_with(b"[") && (self.at == start || !self.rest().starts_with(OPENING)) {
            let at = self.at;
            let (name, value) = self.tag().ok_or_else(|| {
                reading.error(self.place(at), "a tag is [Name \"value\"] on one line, and this is none")
            })?;
            match name {
                Cow::Borrowed(name) if fields.iter().any(|(_, field, _)| *field == name) => {
                    let message = format!("the tag {name} stands twice, and a record has one");
                    return Err(reading.error(self.place(at), message));
                }
                Cow::Borrowed(name) if FIELDS.contains(&name) => fields.push((at, name, value)),
                name => head.tags.push((name.into_owned(), value)),
            }
            self.blanks();
        }
        let mut coords = None;
        let mut offered = None;
        let has_size = fields.iter().any(|(_, name, _)| *name == "Size");
        for (at, name, value) in fields {
            let known = match name {
                "Agr" => value == VERSION,
                "Game" => set(&mut head.game, value.parse::<Game>().ok()),
                "Size" => set(&mut head.size, value.parse::<Size>().ok()),
                "Rule" => set(&mut head.rule, value.parse().ok().map(Some)),
                "Result" => set(&mut head.result, Outcome::from_text(&value).map(Some)),
                "Encoding" => set(&mut head.encoding, label_to_encoding(&value).map(|e| Some(e.name()))),
                "Newline" => set(&mut head.newline, Newline::from_name(&value).map(Some)),
                "Declared" => set(&mut head.opening.declared, value.parse().ok().map(Some)),
                "Swaps" => set(&mut head.opening.swaps, Some(Some(value.clone()))),
                "Coords" => {
                    let wanted = value.parse().ok().filter(|c| matches!(c, Coords::Agi | Coords::A1 | Coords::Iccs));
                    set(&mut coords, wanted.map(Some))
                }
                "Offered" => {
                    offered = Some((at, value.clone()));
                    true
                }
                _ => false,
            };
            if !known {
                let message = format!("the tag {name} cannot have the value `{}`", shorten(&value));
                return Err(reading.error(self.place(at), message));
            }
        }
        if !has_size {
            head.size = head.game.board();
        }
        let notations = notations(head.game, head.size);
        let coords = coords.unwrap_or(notations[0]);
        if !notations.contains(&coords) {
            let (game, size, name) = (head.game, head.size, coords.name());
            let message = format!("points of {game} on a {size} board cannot be written in the notation {name}");
            return Err(reading.error(self.place(start), message));
        }
        if let Some((at, points)) = offered {
            let points: Option<Vec<Point>> =
                points.split_ascii_whitespace().map(|point| coords.parse(point, head.size)).collect();
            let points = points.ok_or_else(|| {
                let name = coords.name();
                let message =
                    format!("the tag Offered names no points of the board in the notation {name} (see the tag Coords)");
                reading.error(self.place(at), message)
            })?;
            head.opening = Opening { offered: points, ..head.opening };
        }
        Ok((head, coords))
    }

    /// A tag and the rest of its line; the name is borrowed unless it was given by `Tag`.
    fn tag(&mut self) -> Option<(Cow<'a, str>, String)> {
        let rest = &self.text[self.at + 1..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let name = &rest[..length];
        self.at += 1 + length;
        let mut first = self.string()?;
        let name = if name == "Tag" {
            Cow::Owned(std::mem::replace(&mut first, self.string()?))
        } else if name.is_empty() {
            return None;
        } else {
            Cow::Borrowed(name)
        };
        self.blanks();
        self.rest().starts_with(b"]").then(|| self.at += 1)?;
        Some((name, first))
    }

    fn string(&mut self) -> Option<String> {
        self.blanks();
        self.rest().starts_with(b"\"").then(|| self.at += 1)?;
        let text = self.until(b"\"")?;
        self.at += 1;
        Some(unescape(text).into_owned())
    }

    /// The text up to the first of `ends` that no backslash stands before; `None` if there is none.
    fn until(&mut self, ends: &[u8]) -> Option<&'a str> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if ends.contains(&byte) {
                return Some(&self.text[start..self.at]);
            }
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
        self.at = bytes.len();
        None
    }

    fn moves(&mut self, game: &mut Draft, reading: &mut Reading<'_>) -> Result<(), Error> {
        let mut node = NodeId::ROOT;
        let mut ply = 0;
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        // Comments go to the node added last, which after `)` is not the one the text stands behind.
        let mut behind = false;
        let mut until_progress = STRIDE;
        loop {
            self.blanks();
            let at = self.at;
            let Some(&byte) = self.rest().first() else { return self.end(None, &open, game, reading) };
            match byte {
                b'{' => {
                    if behind {
                        let place = self.place(at).after(game.sketch.tree(), node, game.head.size);
                        return Err(
                            reading.error(place, "a comment behind a variation belongs to no move: put it before")
                        );
                    }
                    self.comment(game, reading)?;
                }
                b'(' => {
                    self.at += 1;
                    let Some(parent) = game.sketch.parent(node) else {
                        return Err(
                            reading.error(self.place(at), "a variation stands behind a move, and there is none")
                        );
                    };
                    open.push((node, ply));
                    (node, ply, behind) = (parent, ply - 1, true);
                }
                b')' => {
                    self.at += 1;
                    match open.pop() {
                        Some(before) => {
                            (node, ply) = before;
                            behind = true;
                        }
                        None => reading.fault("extra-close", Severity::Damage, || {
                            (self.place(at), "a ) without a (: passed over".into())
                        })?,
                    }
                }
                b'[' if self.rest().starts_with(OPENING) => return self.end(None, &open, game, reading),
                _ => {
                    let word = self.word();
                    match end_mark(word) {
                        Some(end) => return self.end(Some((at, end)), &open, game, reading),
                        None if word.is_empty() => {}
                        None => {
                            let play = self.play(word, at, node, ply + 1, game, reading)?;
                            node = game.append(node, play.0, play.1)?;
                            ply += 1;
                            behind = false;
                        }
                    }
                }
            }
            until_progress -= 1;
            if until_progress == 0 {
                until_progress = STRIDE;
                reading.progress(self.at)?;
            }
        }
    }

    /// The next word without a move number before it.
    fn word(&mut self) -> &'a str {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"(){}[]".contains(byte);
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| !is_end(byte)).count().max(1);
        let digits = rest[..length].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let dots = rest[digits..length].iter().take_while(|byte| **byte == b'.').count();
        let start = self.at;
        // A word of one byte may be a bracket out of place; a longer one ends before a character begins.
        let end =
            (start + length..=self.text.len()).find(|end| self.text.is_char_boundary(*end)).unwrap_or(self.text.len());
        self.at = end;
        if digits > 0 && dots > 0 { &self.text[start + digits + dots..end] } else { &self.text[start..end] }
    }

    fn play(
        &self,
        word: &str,
        at: usize,
        above: NodeId,
        ply: usize,
        game: &Draft,
        reading: &Reading<'_>,
    ) -> Result<(Side, Play), Error> {
        let (side, name) = match word.split_once(':') {
            Some((side, name)) if side == &Side::First.name(game.head.game)[..1] => (Side::First, name),
            Some((side, name)) if side == &Side::Second.name(game.head.game)[..1] => (Side::Second, name),
            _ => (game.head.side_of_ply(ply), word),
        };
        let point = |name| game.coords.parse(name, game.head.size);
        let play = match name {
            "~" => Some(Play::Nothing),
            "--" => Some(Play::Move(Move::Pass)),
            "00" if game.coords == Coords::Agi => Some(Play::Move(Move::Pass)),
            name => match name.strip_prefix('@') {
                Some(label) => point(label).map(Play::Label),
                None if game.head.game == Game::Xiangqi => {
                    Step::from_text(name).map(|step| Play::Move(Move::Step(step)))
                }
                None => point(name).map(|point| Play::Move(Move::Place(point))),
            },
        };
        play.map(|play| (side, play)).ok_or_else(|| {
            let place = self.place(at).after(game.sketch.tree(), above, game.head.size);
            let (word, coords) = (shorten(word), game.coords.name());
            reading
                .error(place, format!("`{word}` is not a move on a {} board in the notation {coords}", game.head.size))
        })
    }

    fn end(
        &mut self,
        end: Option<(usize, Option<Outcome>)>,
        open: &[(NodeId, usize)],
        game: &mut Draft,
        reading: &mut Reading<'_>,
    ) -> Result<(), Error> {
        if !open.is_empty() {
            reading.fault("open-variation", Severity::Damage, || {
                (self.place(self.at), format!("the record ends inside {} variations", open.len()))
            })?;
        }
        let Some((at, outcome)) = end else {
            return reading.fault("no-end", Severity::Damage, || {
                (self.place(self.at), "the record has no end mark: it may be cut".into())
            });
        };
        match (game.head.result, outcome) {
            (None, outcome) => game.head.result = outcome,
            (Some(tag), Some(outcome)) if tag != outcome => reading.fault("result-differs", Severity::Quirk, || {
                let message = format!("the end says {} and the tag {}", outcome.text(), tag.text());
                (self.place(at), message + ": the tag is taken")
            })?,
            _ => {}
        }
        Ok(())
    }

    fn comment(&mut self, game: &mut Draft, reading: &mut Reading<'_>) -> Result<(), Error> {
        let start = self.at;
        self.at += 1;
        let closed = self.until(b"}").is_some();
        let mut content = &self.text[start + 1..self.at.min(self.text.len())];
        if closed {
            self.at += 1;
        } else {
            reading.fault("open-comment", Severity::Damage, || {
                (self.place(start), "the file ends inside a comment: its text is kept".into())
            })?;
        }
        let mut commands = false;
        while content.starts_with("[%") {
            let Some(end) = close_of(content) else {
                return Err(reading.error(self.place(start), "a command in a comment has no ]"));
            };
            self.command(&content[2..end], start, game, reading)?;
            commands = true;
            content = &content[end + 1..];
            // Blanks between commands do not count.
            let next = content.trim_start_matches([' ', '\n', '\r', '\t']);
            if next.starts_with("[%") {
                content = next;
            }
        }
        if commands {
            content = content.strip_prefix(' ').unwrap_or(content);
            if content.trim().is_empty() {
                return Ok(());
            }
        }
        game.add_comment(content);
        Ok(())
    }

    fn command(&self, text: &str, at: usize, game: &mut Draft, reading: &mut Reading<'_>) -> Result<(), Error> {
        let (name, argument) = text.split_once(' ').unwrap_or((text, ""));
        let (size, coords) = (game.head.size, game.coords);
        let point = |text: &str| coords.parse(text, size);
        let parts = argument.split_once(' ').unwrap_or((argument, ""));
        let argument_text = unescape(argument);
        let rest_text = unescape(parts.1);
        let (bytes, name_text);
        let note = match name {
            "found" => {
                game.sketch.last().set_found();
                return Ok(());
            }
            "start" => {
                game.sketch.last().set_start();
                return Ok(());
            }
            "val" => Value::from_text(argument).map(Note::Value),
            "time" => argument.parse().ok().map(Note::Time),
            "text" => Some(Note::Text(&argument_text)),
            "label" => point(parts.0).map(|point| Note::Label(point, &rest_text)),
            "mark" => point(parts.0).zip(Shape::from_name(parts.1)).map(|(point, shape)| Note::Mark(point, shape)),
            "stone" => point(parts.0).zip(stone(parts.1, game.head.game)).map(|(point, side)| Note::Stone(point, side)),
            "turn" => stone(argument, game.head.game).flatten().map(Note::ToMove),
            "prop" => {
                name_text = property_name(&unescape(parts.0));
                Some(Note::Property(&name_text, &rest_text)).filter(|_| name_text.len() <= LONGEST_NAME)
            }
            "bytes" => {
                let part = match parts.0 {
                    "line" => Some(Part::Line),
                    "body" => Some(Part::Body),
                    "text" => Some(Part::Text),
                    other => other.strip_prefix("label:").and_then(point).map(Part::Label),
                };
                let mut digits = Vec::new();
                bytes = hex::parse(parts.1, &mut digits).map(|()| digits);
                part.zip(bytes.as_deref()).map(|(part, bytes)| Note::Bytes(part, bytes))
            }
            other if other.len() < LONGEST_NAME => {
                game.sketch.note(Note::Property(&format!("%{other}"), &argument_text))?;
                return reading.fault("unknown-command", Severity::Remark, || {
                    (self.place(at), format!("the command %{} is not known: kept", shorten(other)))
                });
            }
            _ => None,
        };
        match note.map(|note| game.note(note)).transpose()? {
            Some(Some(())) => Ok(()),
            Some(None) => {
                let message = format!("a second `[%{}]` at one move, which can have one", shorten(text));
                Err(reading.error(self.place(at), message))
            }
            None => {
                let message = format!("`[%{}]` is not a command as the format knows it", shorten(text));
                Err(reading.error(self.place(at), message))
            }
        }
    }
}

fn set<T>(field: &mut T, value: Option<T>) -> bool {
    value.map(|value| *field = value).is_some()
}

fn stone(name: &str, game: Game) -> Option<Option<Side>> {
    if name == "none" { Some(None) } else { Side::from_name(name, game).map(Some) }
}

fn end_mark(word: &str) -> Option<Option<Outcome>> {
    match word {
        "*" => Some(None),
        "1-0" | "0-1" | "1/2-1/2" => Some(Outcome::from_text(word)),
        _ => None,
    }
}

/// Where the `]` of the command at the start is.
fn close_of(content: &str) -> Option<usize> {
    let mut escaped = false;
    content.bytes().position(|byte| {
        let close = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        close
    })
}

/// The text with `\n` as a line break and other characters after a backslash as themselves.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut clear = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => clear.extend(characters.next().map(|c| if c == 'n' { '\n' } else { c })),
            c => clear.push(c),
        }
    }
    Cow::Owned(clear)
}

/// A property's name with `__` as `_` and `_-` as a blank.
fn property_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '_' => name.extend(characters.next().map(|c| if c == '-' { ' ' } else { c })),
            c => name.push(c),
        }
    }
    name
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}

fn shorten(text: &str) -> String {
    text.chars().take(20).collect()
}

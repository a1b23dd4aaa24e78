use crate::{Blame, Error, Place, Reading, Severity, hex, label_to_encoding};
use games::{Game, Move, Point, Rule, Side, Size, Step};
use record::{Head, Newline, Note, Outcome, Part, Play, Record, Score, Shape, TreeBuilder, Value};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::ops::Range;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut file = File::new(bytes, reading);
    loop {
        match file.next_record() {
            Ok(Some(record)) => file.reading.emit(record)?,
            Ok(None) => return file.reading.end(),
            Err(error) if file.can_go_on(&error) => file.pass_over(error)?,
            Err(error) => return file.give_up(error),
        }
    }
}

/// A file being read, and of the record and the node being read what is known so far.
///
/// Members come in any order, so a node is put together in `node` and moves to the tree at its end.
struct File<'b, 'r, 'o> {
    reading: &'r mut Reading<'o>,
    bytes: &'b [u8],
    /// The byte and the line the record begins at.
    at: usize,
    line: usize,
    cut: bool,
    begun: bool,
    versioned: bool,
    head: Head,
    size: Option<Size>,
    /// `nodes` or `opening` came before `size`.
    again: bool,
    /// The record is read for these two.
    second: bool,
    nodes: usize,
    builder: TreeBuilder,
    node: Node,
    item: Item,
    /// An error of ours on its way through the JSON reader.
    stop: Option<Error>,
}

/// A node being read. Its memory is used again for the next one.
#[derive(Default)]
struct Node {
    depth: Option<usize>,
    side: Option<Side>,
    play: Option<Play>,
    x: Option<u8>,
    y: Option<u8>,
    found: bool,
    start: bool,
    notes: Vec<Kept>,
    text: String,
    bytes: Vec<u8>,
}

/// A note of the node being read; ranges are of its text or its bytes.
enum Kept {
    Stone(Point, Option<Side>),
    ToMove(Side),
    Value(Value),
    Time(u32),
    Line(Range<usize>),
    Body(Range<usize>),
    Text(Range<usize>),
    Label(Point, Range<usize>),
    Mark(Point, Shape),
    Property(Range<usize>, Range<usize>),
    Bytes(Part, Range<usize>),
}

/// What is known of a small object being read.
#[derive(Default)]
struct Item {
    point: Option<Point>,
    side: Option<Option<Side>>,
    shape: Option<Shape>,
    text: Option<Range<usize>>,
    part: Option<&'static str>,
    hex: Option<Range<usize>>,
    points: Option<i32>,
    wins: Option<Side>,
    plies: Option<u16>,
    depth: Option<u16>,
}

/// The objects of the format.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Level {
    Record,
    Opening,
    Node,
    Value,
    Stone,
    Label,
    Mark,
    Bytes,
}

impl Level {
    const fn members(self) -> &'static [&'static str] {
        match self {
            Level::Record => {
                &["kifu", "game", "size", "rule", "result", "tags", "opening", "encoding", "newline", "nodes"]
            }
            Level::Opening => &["offered", "declared", "swaps"],
            Level::Node => &[
                "depth",
                "side",
                "move",
                "x",
                "y",
                "label_only",
                "found",
                "start",
                "stones",
                "to_move",
                "value",
                "time_ms",
                "line",
                "body",
                "text",
                "labels",
                "marks",
                "properties",
                "bytes",
            ],
            Level::Value => &["points", "wins", "plies", "depth"],
            Level::Stone => &["point", "side"],
            Level::Label => &["point", "text"],
            Level::Mark => &["point", "shape"],
            Level::Bytes => &["part", "point", "hex"],
        }
    }
}

/// The lists of the format.
#[derive(Copy, Clone)]
enum List {
    Of(Level),
    Offered,
    Tags,
    Properties,
}

impl<'b, 'r, 'o> File<'b, 'r, 'o> {
    fn new(bytes: &'b [u8], reading: &'r mut Reading<'o>) -> Self {
        File {
            reading,
            bytes,
            at: if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 },
            line: 1,
            cut: false,
            begun: false,
            versioned: false,
            head: Head::default(),
            size: None,
            again: false,
            second: false,
            nodes: 0,
            builder: TreeBuilder::new(),
            node: Node::default(),
            item: Item::default(),
            stop: None,
        }
    }

    fn next_record(&mut self) -> Result<Option<Record>, Error> {
        let blanks = self.bytes[self.at..].iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        self.pass(blanks);
        self.reading.progress(self.at)?;
        let rest = &self.bytes[self.at..];
        match rest.first() {
            None => return Ok(None),
            Some(b'{') => {}
            Some(byte) => {
                let message = format!("`{}` begins no record: records are objects, one a line", byte.escape_ascii());
                let place = Place { line: Some(self.line as u64), ..Place::byte(self.at) };
                return Err(self.reading.error(place, message));
            }
        }
        self.begun = true;
        let used = self.read_object(rest)?;
        if !self.versioned {
            let place = self.place();
            self.reading
                .fault("no-version", Severity::Quirk, || (place, "the record has no `kifu`: 1 is taken".into()))?;
        }
        if self.size.is_none() {
            let place = self.place();
            let size = self.reading.options.size.unwrap_or(self.head.game.board());
            self.reading
                .fault("no-size", Severity::Quirk, || (place, format!("the record has no size: {size} is taken")))?;
            self.set_size(size);
        }
        if self.again {
            self.second = true;
            self.read_object(&rest[..used])?;
        }
        let record = self.take_record();
        self.pass(used);
        Ok(Some(record))
    }

    /// Whether records can follow the one that has this error.
    fn can_go_on(&self, error: &Error) -> bool {
        let nothing = !self.begun && self.reading.records() == 0;
        error.blame == Blame::File && !self.cut && !nothing && !self.reading.strict()
    }

    /// Leaves out the record with the error, or what stands of it behind the error, up to the next line that begins one.
    fn pass_over(&mut self, error: Error) -> Result<(), Error> {
        let begun = self.begun;
        let record = self.take_record();
        (self.node, self.item, self.stop) = (Node::default(), Item::default(), None);
        if begun && self.reading.lenient() {
            self.reading.fault("broken", Severity::Damage, || {
                (*error.place, format!("{}; what stands before is kept", error.message))
            })?;
            self.reading.emit(record)?;
        } else {
            self.reading.leave_out("bad-record", error)?;
        }
        let rest = &self.bytes[self.at..];
        let next = rest.windows(2).position(|pair| pair == b"\n{").map_or(rest.len(), |at| at + 1);
        self.pass(next);
        Ok(())
    }

    /// Ends the reading, with what stands before the error where that is wanted.
    fn give_up(mut self, error: Error) -> Result<(), Error> {
        let forgiven = self.reading.lenient() || self.cut && !self.reading.strict();
        let nothing = !self.begun && self.reading.records() == 0;
        if error.blame != Blame::File || !forgiven || nothing {
            return Err(error);
        }
        let kind = if self.cut { "cut" } else { "broken" };
        self.reading.fault(kind, Severity::Damage, || {
            (*error.place, format!("{}; what stands before is kept", error.message))
        })?;
        if !self.begun {
            return Ok(());
        }
        let record = self.take_record();
        self.reading.emit(record)
    }

    fn take_record(&mut self) -> Record {
        let head = std::mem::take(&mut self.head);
        let tree = std::mem::take(&mut self.builder).build();
        (self.begun, self.versioned, self.size) = (false, false, None);
        (self.again, self.second, self.nodes) = (false, false, 0);
        Record { head, tree }
    }

    fn set_size(&mut self, size: Size) {
        self.size = Some(size);
        self.head.size = size;
    }

    /// Goes on by so many bytes.
    fn pass(&mut self, bytes: usize) {
        let passed = &self.bytes[self.at..][..bytes];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at += bytes;
    }

    /// Reads the record at the start of `bytes`, and says how long it is.
    fn read_object(&mut self, bytes: &'b [u8]) -> Result<usize, Error> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        match (Object { file: self, level: Level::Record }).deserialize(&mut json) {
            Ok(()) => Ok(json.into_iter::<IgnoredAny>().byte_offset()),
            Err(error) => Err(self.stop.take().unwrap_or_else(|| self.json_error(&error, bytes))),
        }
    }

    fn json_error(&mut self, error: &serde_json::Error, bytes: &[u8]) -> Error {
        let above: usize =
            bytes.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
        let byte = self.at + above + error.column().saturating_sub(1);
        let line = self.line + error.line().saturating_sub(1);
        let place = Place { byte: Some(byte as u64), line: Some(line as u64), ..self.place() };
        self.cut = error.is_eof();
        if self.cut {
            return self.reading.error(place, "the file ends within a record");
        }
        let message = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        self.reading.error(place, message.strip_suffix(&position).unwrap_or(&message))
    }

    fn place(&self) -> Place {
        place(self.reading.records(), self.line, &self.builder, self.head.size)
    }

    /// Passes an error of ours through the JSON reader.
    fn stop<E: serde::de::Error>(&mut self, error: impl Into<Error>) -> E {
        self.stop = Some(error.into());
        E::custom("")
    }

    fn unknown<E: serde::de::Error>(&mut self, name: &str) -> Result<(), E> {
        let (records, size) = (self.reading.records(), self.head.size);
        let fault = self.reading.fault("unknown-member", Severity::Quirk, || {
            let name: String = name.chars().take(24).collect();
            let message = format!("the member `{name}` is not known and passed over");
            (place(records, self.line, &self.builder, size), message)
        });
        fault.map_err(|error| self.stop(error))
    }

    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        level: Level,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match level {
            Level::Record => self.record_member(name, map),
            Level::Opening => self.opening_member(name, map),
            Level::Node => self.node_member(name, map),
            _ => self.item_member(name, map),
        }
    }

    fn record_member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let on_board = ["opening", "nodes"].contains(&name);
        let wanted = if self.second { on_board } else { !on_board || self.size.is_some() };
        if !wanted {
            self.again = true;
            return map.next_value::<IgnoredAny>().map(drop);
        }
        match name {
            "kifu" => {
                let version: u64 = map.next_value()?;
                if version != 1 {
                    return Err(A::Error::custom(format_args!("this is version {version}: I know version 1")));
                }
                self.reading.version = Some(version.to_string());
                self.versioned = true;
            }
            "game" => self.head.game = map.next_value_seed(Text(str::parse::<Game>))?,
            "size" => {
                let (width, height): (u8, u8) = map.next_value()?;
                let size = Size::new(width, height).ok_or_else(|| {
                    A::Error::custom(format_args!("a board of {width}x{height} cannot be: 1 to {}", Size::LARGEST))
                })?;
                self.set_size(size);
            }
            "rule" => self.head.rule = Some(map.next_value_seed(Text(str::parse::<Rule>))?),
            "result" => {
                let what = "a result: write 1-0, 0-1, 1/2-1/2, void or *";
                self.head.result = Some(map.next_value_seed(known(Outcome::from_text, what))?);
            }
            "tags" => map.next_value_seed(Elements { file: self, list: List::Tags })?,
            "opening" => {
                self.head.opening = Default::default();
                map.next_value_seed(Object { file: self, level: Level::Opening })?;
            }
            "encoding" => {
                let encoding = map.next_value_seed(known(label_to_encoding, "an encoding that I know"))?;
                self.head.encoding = Some(encoding.name());
            }
            "newline" => {
                let what = "a line end: write lf or crlf";
                self.head.newline = Some(map.next_value_seed(known(Newline::from_name, what))?);
            }
            _ => {
                self.builder = TreeBuilder::new();
                self.nodes = 0;
                map.next_value_seed(Elements { file: self, list: List::Of(Level::Node) })?;
            }
        }
        Ok(())
    }

    fn opening_member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "offered" => map.next_value_seed(Elements { file: self, list: List::Offered })?,
            "declared" => self.head.opening.declared = Some(map.next_value()?),
            _ => self.head.opening.swaps = Some(map.next_value()?),
        }
        Ok(())
    }

    fn node_member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let (game, size) = (self.head.game, self.head.size);
        match name {
            "depth" => self.node.depth = Some(map.next_value()?),
            "side" => self.node.side = Some(map.next_value_seed(Text(|text: &str| side(text, game)))?),
            "move" | "label_only" if self.node.play.is_some() => {
                return Err(A::Error::custom("a node has both `move` and `label_only`: it can have one"));
            }
            "move" => {
                self.node.play = Some(Play::Move(map.next_value_seed(Text(|text: &str| a_move(text, game, size)))?))
            }
            "label_only" => {
                self.node.play = Some(Play::Label(map.next_value_seed(Text(|text: &str| point(text, game, size)))?));
            }
            "x" => self.node.x = Some(map.next_value()?),
            "y" => self.node.y = Some(map.next_value()?),
            "found" => self.node.found = map.next_value()?,
            "start" => self.node.start = map.next_value()?,
            "stones" => map.next_value_seed(Elements { file: self, list: List::Of(Level::Stone) })?,
            "to_move" => {
                let side = map.next_value_seed(Text(|text: &str| side(text, game)))?;
                self.node.notes.push(Kept::ToMove(side));
            }
            "time_ms" => self.node.notes.push(Kept::Time(map.next_value()?)),
            "line" => {
                let text = self.keep(map)?;
                self.node.notes.push(Kept::Line(text));
            }
            "body" => {
                let text = self.keep(map)?;
                self.node.notes.push(Kept::Body(text));
            }
            "text" => {
                let text = self.keep(map)?;
                self.node.notes.push(Kept::Text(text));
            }
            "value" => map.next_value_seed(Object { file: self, level: Level::Value })?,
            "labels" => map.next_value_seed(Elements { file: self, list: List::Of(Level::Label) })?,
            "marks" => map.next_value_seed(Elements { file: self, list: List::Of(Level::Mark) })?,
            "properties" => map.next_value_seed(Elements { file: self, list: List::Properties })?,
            _ => map.next_value_seed(Elements { file: self, list: List::Of(Level::Bytes) })?,
        }
        Ok(())
    }

    fn item_member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let (game, size) = (self.head.game, self.head.size);
        match name {
            "point" => self.item.point = Some(map.next_value_seed(Text(|text: &str| point(text, game, size)))?),
            "side" => self.item.side = Some(map.next_value_seed(Text(|text: &str| side_or_none(text, game)))?),
            "text" => self.item.text = Some(self.keep(map)?),
            "shape" => {
                let what = "a shape: write triangle, circle, square, cross or selected";
                self.item.shape = Some(map.next_value_seed(known(Shape::from_name, what))?);
            }
            "part" => {
                let part = |text: &str| ["line", "body", "text", "label"].into_iter().find(|part| *part == text);
                let what = "a text of a node: write line, body, text or label";
                self.item.part = Some(map.next_value_seed(known(part, what))?);
            }
            "hex" => {
                let bytes = &mut self.node.bytes;
                let start = bytes.len();
                map.next_value_seed(Text(|text: &str| {
                    hex::parse(text, bytes).ok_or_else(|| "`hex` is not pairs of hexadecimal digits".to_string())
                }))?;
                self.item.hex = Some(start..self.node.bytes.len());
            }
            "points" => self.item.points = Some(map.next_value()?),
            "wins" => self.item.wins = Some(map.next_value_seed(Text(|text: &str| side(text, game)))?),
            "plies" => self.item.plies = Some(map.next_value()?),
            _ => {
                let depth: u16 = map.next_value()?;
                if depth == u16::MAX {
                    return Err(A::Error::custom(format_args!("a depth of {depth} is more than a value can hold")));
                }
                self.item.depth = Some(depth);
            }
        }
        Ok(())
    }

    fn begin(&mut self, level: Level) {
        match level {
            Level::Record | Level::Opening => {}
            Level::Node => {
                let Node { mut notes, mut text, mut bytes, .. } = std::mem::take(&mut self.node);
                notes.clear();
                text.clear();
                bytes.clear();
                self.node = Node { notes, text, bytes, ..Node::default() };
            }
            _ => self.item = Item::default(),
        }
    }

    fn end<E: serde::de::Error>(&mut self, level: Level) -> Result<(), E> {
        let item = std::mem::take(&mut self.item);
        let note = match level {
            Level::Record | Level::Opening => return Ok(()),
            Level::Node => return self.end_node(),
            Level::Value => {
                let score = match (item.points, item.wins, item.plies) {
                    (Some(points), None, None) => Score::Points(points),
                    (None, Some(Side::First), Some(plies)) => Score::FirstWins(plies),
                    (None, Some(Side::Second), Some(plies)) => Score::SecondWins(plies),
                    _ => return Err(E::custom("a value needs either `points`, or `wins` and `plies`")),
                };
                Some(Kept::Value(Value { score, depth: item.depth }))
            }
            Level::Stone => item.point.zip(item.side).map(|(point, side)| Kept::Stone(point, side)),
            Level::Label => item.point.zip(item.text).map(|(point, text)| Kept::Label(point, text)),
            Level::Mark => item.point.zip(item.shape).map(|(point, shape)| Kept::Mark(point, shape)),
            Level::Bytes => {
                let part = match (item.part, item.point) {
                    (Some("line"), None) => Some(Part::Line),
                    (Some("body"), None) => Some(Part::Body),
                    (Some("text"), None) => Some(Part::Text),
                    (Some("label"), Some(point)) => Some(Part::Label(point)),
                    _ => None,
                };
                part.zip(item.hex).map(|(part, range)| Kept::Bytes(part, range))
            }
        };
        let Some(note) = note else {
            return Err(E::custom(match level {
                Level::Stone => "a stone needs `point` and `side`",
                Level::Label => "a label needs `point` and `text`",
                Level::Mark => "a mark needs `point` and `shape`",
                _ => "bytes need `part` and `hex`, and those of a label, and no others, `point`",
            }));
        };
        self.node.notes.push(note);
        Ok(())
    }

    /// Puts the node that was read into the tree.
    fn end_node<E: serde::de::Error>(&mut self) -> Result<(), E> {
        let (node, builder) = (&self.node, &mut self.builder);
        let most = if self.nodes == 0 { 0 } else { builder.depth() + 1 };
        let depth = node.depth.unwrap_or(most);
        if self.nodes == 0 && (depth != 0 || node.play.is_some() || node.side.is_some()) {
            return Err(E::custom("the first node is the root: it has depth 0, no side and no move"));
        }
        if depth > most || depth == 0 && self.nodes > 0 {
            return Err(E::custom(format_args!("depth {depth} does not continue the node before: 1 to {most} would")));
        }
        let play = node.play.unwrap_or(Play::Nothing);
        let differs = |given: Option<u8>, of: fn(Point) -> u8| given.is_some() && given != play.point().map(of);
        if differs(node.x, Point::x) || differs(node.y, Point::y) {
            return Err(E::custom(match play.point() {
                Some(point) => format!(
                    "`x` and `y` contradict {}, which is {}, {}",
                    self.head.game.coords().text(point, self.head.size),
                    point.x(),
                    point.y()
                ),
                None => "`x` and `y` stand without a point".into(),
            }));
        }
        let result = (depth > 0)
            .then(|| builder.append(depth, node.side.unwrap_or(self.head.side_of_ply(depth)), play))
            .map_or(Ok(()), |appended| appended.map(drop));
        if node.found {
            builder.set_found();
        }
        if node.start {
            builder.set_start();
        }
        let result = result.and_then(|()| node.notes.iter().try_for_each(|kept| builder.note(node.note(kept))));
        result.map_err(|full| self.stop(full))?;
        self.nodes += 1;
        if self.nodes.is_multiple_of(4096) {
            self.reading.progress(self.at).map_err(|error| self.stop(error))?;
        }
        Ok(())
    }

    /// Takes a string into the text of the node; the answer is its place there.
    fn keep<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<Range<usize>, A::Error> {
        map.next_value_seed(Text(|text: &str| Ok(self.node.push(text))))
    }
}

impl Node {
    fn push(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    fn note(&self, kept: &Kept) -> Note<'_> {
        let text = |range: &Range<usize>| &self.text[range.clone()];
        match kept {
            Kept::Stone(point, side) => Note::Stone(*point, *side),
            Kept::ToMove(side) => Note::ToMove(*side),
            Kept::Value(value) => Note::Value(*value),
            Kept::Time(ms) => Note::Time(*ms),
            Kept::Line(range) => Note::Line(text(range)),
            Kept::Body(range) => Note::Body(text(range)),
            Kept::Text(range) => Note::Text(text(range)),
            Kept::Label(point, range) => Note::Label(*point, text(range)),
            Kept::Mark(point, shape) => Note::Mark(*point, *shape),
            Kept::Property(name, value) => Note::Property(text(name), text(value)),
            Kept::Bytes(part, range) => Note::Bytes(*part, &self.bytes[range.clone()]),
        }
    }
}

fn place(records: u64, line: usize, builder: &TreeBuilder, size: Size) -> Place {
    let place = Place { record: Some(records + 1), ..Place::line(line) };
    if builder.depth() == 0 { place } else { place.after(builder.tree(), builder.last(), size) }
}

// Words.

fn a_move(text: &str, game: Game, size: Size) -> Result<Move, String> {
    match game {
        _ if text == "--" => Ok(Move::Pass),
        Game::Gomoku => point(text, game, size).map(Move::Place),
        Game::Xiangqi => {
            let step = Step::from_text(text).map(Move::Step);
            step.ok_or_else(|| format!("`{}` is not a step as ICCS writes it, such as h2e2", short(text)))
        }
    }
}

fn point(text: &str, game: Game, size: Size) -> Result<Point, String> {
    game.coords().parse(text, size).ok_or_else(|| format!("`{}` is not a point of a {size} board", short(text)))
}

fn side(text: &str, game: Game) -> Result<Side, String> {
    Side::from_name(text, game).ok_or_else(|| {
        let (first, second) = (Side::First.name(game), Side::Second.name(game));
        format!("`{}` is not a side: write {first} or {second}", short(text))
    })
}

fn side_or_none(text: &str, game: Game) -> Result<Option<Side>, String> {
    if text == "none" { Ok(None) } else { side(text, game).map(Some) }
}

fn known<'a, T: 'a>(of: fn(&str) -> Option<T>, what: &'a str) -> Text<impl FnOnce(&str) -> Result<T, String> + 'a> {
    Text(move |text: &str| of(text).ok_or_else(|| format!("`{}` is not {what}", short(text))))
}

/// Text of the file as it is shown in a message.
fn short(text: &str) -> String {
    text.chars().take(24).collect()
}

// What serde asks for: an object of a level, a list, a member's name, a string.

struct Object<'f, 'b, 'r, 'o> {
    file: &'f mut File<'b, 'r, 'o>,
    level: Level,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Object { file, level } = self;
        let members = level.members();
        let mut seen = 0_u32;
        file.begin(level);
        while let Some(key) = map.next_key_seed(Key(members))? {
            match key {
                Ok(at) if seen & 1 << at != 0 => {
                    return Err(A::Error::custom(format_args!("the member `{}` is given twice", members[at])));
                }
                Ok(at) => {
                    seen |= 1 << at;
                    file.member(level, members[at], &mut map)?;
                }
                Err(name) => {
                    if level != Level::Record || !file.second {
                        file.unknown(&name)?;
                    }
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        file.end(level)
    }
}

struct Elements<'f, 'b, 'r, 'o> {
    file: &'f mut File<'b, 'r, 'o>,
    list: List,
}

impl<'de> DeserializeSeed<'de> for Elements<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Elements { file, list } = self;
        match list {
            List::Of(level) => while seq.next_element_seed(Object { file: &mut *file, level })?.is_some() {},
            List::Offered => {
                let (game, size) = (file.head.game, file.head.size);
                while let Some(point) = seq.next_element_seed(Text(|text: &str| point(text, game, size)))? {
                    file.head.opening.offered.push(point);
                }
            }
            List::Tags => {
                while let Some(tag) = seq.next_element()? {
                    file.head.tags.push(tag);
                }
            }
            List::Properties => {
                while let Some((name, value)) = seq.next_element::<(String, String)>()? {
                    if name.len() > usize::from(u16::MAX) {
                        return Err(A::Error::custom("the name of a property is longer than 65535 bytes"));
                    }
                    let (name, value) = (file.node.push(&name), file.node.push(&value));
                    file.node.notes.push(Kept::Property(name, value));
                }
            }
        }
        Ok(())
    }
}

/// The name of a member: its place in the table, or the name itself if it is not there.
struct Key(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Result<usize, String>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Result<usize, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == text).ok_or_else(|| text.into()))
    }
}

/// A string, and what to make of it.
struct Text<F>(F);

impl<'de, T, F: FnOnce(&str) -> Result<T, String>> DeserializeSeed<'de> for Text<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<T, D::Error> {
        json.deserialize_str(self)
    }
}

impl<T, F: FnOnce(&str) -> Result<T, String>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}

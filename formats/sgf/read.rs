use super::charset::charset;
use super::names;
use super::outcome;
use super::value::{Lines, Spot, is_blank, pair, rectangle, spot, unescape};
use crate::encoding::encode;
use crate::source::Source;
use crate::{Error, Place, Reading, Severity};
use encoding_rs::UTF_8;
use games::{Move, Point, Side, Size};
use record::{Head, Newline, Note, Part, Play, Record, Score, TreeBuilder, Value, is_plain, plain};
use std::borrow::Cow;

/// Reads all games of a file.
pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let source = Source::decode(bytes, reading, charset)?;
    Reader { source: &source, text: &source.text, at: 0, properties: Vec::new(), game: GameTree::default() }
        .file(reading)
}

/// How many points the rectangles of one game may stand for: a few bytes name a whole board.
const MOST_UNFOLDED: usize = 1 << 22;

/// How many values a node may have: two bytes of a file make one.
const MOST_VALUES: usize = 1 << 20;

/// A value of a node with its name; a name with two values makes two of these.
struct Property<'t> {
    /// In capitals and digits; owned where the file has small letters between them.
    name: Cow<'t, str>,
    /// Between the brackets, escapes included.
    raw: &'t str,
    /// Where the value begins.
    at: usize,
}

/// The game that is being read.
#[derive(Default)]
struct GameTree {
    head: Head,
    tree: TreeBuilder,
    /// The depth of the node that the next one hangs on.
    depth: usize,
    /// Of each open parenthesis, the depth of the node before it.
    open: Vec<usize>,
    /// FF.
    version: Option<u8>,
    has_root: bool,
    /// Read on to its end, but not handed out.
    skipped: bool,
    unfolded: usize,
}

/// What a node says at most once.
#[derive(Default)]
struct Once<'t> {
    comment: Option<Cow<'t, str>>,
    to_move: bool,
    value: bool,
    time: bool,
}

struct Reader<'t> {
    source: &'t Source<'t>,
    text: &'t str,
    at: usize,
    /// The values of the node that is being read.
    properties: Vec<Property<'t>>,
    game: GameTree,
}

impl<'t> Reader<'t> {
    fn file(mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let mut found = false;
        loop {
            self.skip_blanks();
            match self.peek() {
                None => break,
                Some(b'(' | b';') if self.opens_game(self.at) => {
                    found = true;
                    self.game(reading)?;
                }
                Some(b')') => {
                    let at = self.at;
                    self.at += 1;
                    self.damage(reading, "extra-close", at, || "a `)` too many was passed over".into())?;
                }
                Some(b'(') if trim_blanks(&self.text.as_bytes()[self.at + 1..]).first() == Some(&b')') => {
                    found = true;
                    self.missing_node(reading, self.at)?;
                    self.at += 1;
                    self.skip_blanks();
                    self.at += 1;
                }
                Some(_) => self.stray_text(reading, found)?,
            }
        }
        if reading.records() == 0 && !self.game.skipped {
            self.damage(reading, "no-game", 0, || "there is no game in this file".into())?;
        }
        if !reading.lenient() {
            reading.end()?;
        }
        reading.progress(self.source.done(self.text.len()))
    }

    /// Passes over text before, between and after games.
    fn stray_text(&mut self, reading: &mut Reading<'_>, found: bool) -> Result<(), Error> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let next = (start + 1..bytes.len()).find(|at| bytes[*at] == b'(' && self.opens_game(*at));
        if next.is_none() && !found {
            return Err(reading.error(self.source.place(start), "no game begins in this file with `(;`: it is not SGF"));
        }
        self.at = next.unwrap_or(bytes.len());
        let length = self.at - start;
        self.damage(reading, "stray-text", start, || format!("{length} bytes outside of games were passed over"))
    }

    /// Whether a game begins here: `(` and `;`, or the `(` or the `;` is missing.
    fn opens_game(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        if bytes[at] == b';' {
            return true;
        }
        let rest = trim_blanks(&bytes[at + 1..]);
        rest.first() == Some(&b';') || is_property(rest)
    }

    /// Reads a game from its `(` to its `)` and hands it out.
    fn game(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        self.game = GameTree { open: vec![0], ..GameTree::default() };
        if self.peek() == Some(b'(') {
            self.at += 1;
        } else {
            self.damage(reading, "missing-open", self.at, || "a game without its `(` begins".into())?;
        }
        // Whether a parenthesis was opened and no node has followed; whether one was closed.
        let (mut opened, mut closed) = (true, false);
        let mut nodes = 0_u32;
        while !self.game.open.is_empty() {
            self.skip_blanks();
            let at = self.at;
            match self.peek() {
                None => {
                    let missing = self.game.open.len();
                    self.damage(reading, "missing-close", at, || {
                        format!("the file ends inside a game, {missing} `)` are missing: the game was kept as far as it goes")
                    })?;
                    break;
                }
                Some(b'(') => {
                    self.at += 1;
                    if opened {
                        self.missing_node(reading, at)?;
                    }
                    self.game.open.push(self.game.depth);
                    (opened, closed) = (true, false);
                }
                Some(b')') => {
                    self.at += 1;
                    if opened {
                        self.missing_node(reading, at)?;
                    }
                    self.game.depth = self.game.open.pop().expect("the loop runs while a parenthesis is open");
                    (opened, closed) = (false, true);
                }
                Some(byte) if byte == b';' || byte == b'[' || byte.is_ascii_alphanumeric() => {
                    if byte == b';' {
                        self.at += 1;
                    } else {
                        self.damage(reading, "missing-semicolon", at, || {
                            "properties without a `;` became a node".into()
                        })?;
                    }
                    if closed {
                        self.quirk(reading, "node-after-variation", at, || {
                            "a node after a variation became one more variation".into()
                        })?;
                    }
                    self.node(reading, at, opened)?;
                    (opened, closed) = (false, false);
                    nodes += 1;
                    if nodes.is_multiple_of(4096) {
                        reading.progress(self.source.done(self.at))?;
                    }
                }
                Some(_) => self.stray_characters(reading)?,
            }
        }
        self.emit(reading)
    }

    /// Hands the game out.
    fn emit(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let skipped = self.game.skipped;
        let game = std::mem::replace(&mut self.game, GameTree { skipped, ..GameTree::default() });
        if !game.skipped {
            reading.emit(Record { head: game.head, tree: game.tree.build() })?;
        }
        reading.progress(self.source.done(self.at))
    }

    /// Reads the properties of a node, then makes the node. `opened`: it is the first in its parenthesis.
    fn node(&mut self, reading: &mut Reading<'_>, at: usize, opened: bool) -> Result<(), Error> {
        self.properties.clear();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b';' | b'(' | b')') => break,
                Some(b'[') => {
                    let at = self.at;
                    self.value(reading)?;
                    self.damage(reading, "no-name", at, || "a value without a name was left out".into())?;
                }
                Some(byte) if byte.is_ascii_alphanumeric() => self.property(reading)?,
                Some(_) => self.stray_characters(reading)?,
            }
        }
        if !self.game.has_root {
            return self.root(reading, at);
        }
        if opened && self.properties.iter().any(|property| matches!(&*property.name, "FF" | "GM")) {
            self.damage(reading, "missing-close", at, || {
                "a game begins before the one before it ends with `)`".into()
            })?;
            self.emit(reading)?;
            self.game = GameTree { open: vec![0], ..GameTree::default() };
            return self.root(reading, at);
        }
        self.below_root(reading, at)
    }

    /// Reads a name and its values.
    fn property(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric());
        let written = &self.text[start..self.at];
        let name = match written {
            _ if !written.bytes().any(|byte| byte.is_ascii_lowercase()) => Cow::Borrowed(written),
            _ if written.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                Cow::Owned(written.chars().filter(|c| !c.is_ascii_lowercase()).collect())
            }
            _ => {
                let name = written.to_ascii_uppercase();
                self.quirk(reading, "lower-case-name", start, || {
                    format!("`{}` was read as {}", cut(written), cut(&name))
                })?;
                Cow::Owned(name)
            }
        };
        self.skip_blanks();
        if self.peek() != Some(b'[') {
            let message = || format!("`{}` has no value and was left out", cut(written));
            return self.damage(reading, "no-value", start, message);
        }
        let long = name.len() > names::LONGEST;
        if long {
            let message = || format!("`{}` is too long for a name: it was left out with its values", cut(written));
            self.damage(reading, "long-name", start, message)?;
        }
        while self.peek() == Some(b'[') {
            let at = self.at + 1;
            if self.properties.len() == MOST_VALUES {
                let message = format!("a node with more than {MOST_VALUES} values");
                return Err(reading.error(self.place(at, reading), message));
            }
            let (raw, whole) = self.value(reading)?;
            if !long && (whole || names::side(&name).is_none()) {
                self.properties.push(Property { name: name.clone(), raw, at });
            }
            self.skip_blanks();
        }
        Ok(())
    }

    /// Reads a value with its brackets: what is between them, and whether the second is there.
    fn value(&mut self, reading: &mut Reading<'_>) -> Result<(&'t str, bool), Error> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut inner = 0_usize;
        self.at = start;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'[' => inner += 1,
                b']' if inner > 0 && !self.can_follow_value(self.at + 1) => {
                    inner -= 1;
                    let second = bytes[self.at + 1..].iter().position(|byte| *byte == b']').map_or(0, |gap| gap + 1);
                    self.damage(reading, "unescaped-bracket", self.at + second, || {
                        "a `]` without a backslash before it in a text was taken for a part of the text".into()
                    })?;
                }
                b']' => {
                    self.at += 1;
                    return Ok((&self.text[start..self.at - 1], true));
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = bytes.len();
        self.damage(reading, "cut-value", start, || "the file ends inside a value".into())?;
        Ok((&self.text[start..], false))
    }

    /// Whether the text after a `]` goes on as it may after a value.
    fn can_follow_value(&self, at: usize) -> bool {
        let rest = trim_blanks(&self.text.as_bytes()[at..]);
        matches!(rest.first(), None | Some(b'[' | b';' | b'(' | b')')) || is_property(rest)
    }

    /// Passes over characters that have no place in a node.
    fn stray_characters(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let start = self.at;
        self.skip_while(|byte| !(byte.is_ascii_alphanumeric() || is_blank(byte) || b";()[".contains(&byte)));
        let found = &self.text[start..self.at];
        self.damage(reading, "stray-characters", start, || format!("`{}` was passed over", cut(found)))
    }

    /// Makes the root of the values read.
    fn root(&mut self, reading: &mut Reading<'_>, at: usize) -> Result<(), Error> {
        self.game.has_root = true;
        let properties = std::mem::take(&mut self.properties);
        self.frame(reading, at, &properties)?;
        if self.game.skipped {
            return Ok(());
        }
        for property in properties.iter().filter(|property| names::is_head(&property.name)) {
            self.head_property(reading, property)?;
        }
        let moves = properties.iter().any(|property| names::side(&property.name).is_some());
        let below = |name: &str| moves && !matches!(name, "AB" | "AW" | "AE" | "PL");
        let notes = properties.iter().filter(|property| !names::is_head(&property.name));
        self.notes(reading, notes.clone().filter(|property| !below(&property.name)))?;
        if moves {
            self.quirk(reading, "root-move", at, || "the move in the root was made the first node below it".into())?;
            self.moves(reading, &properties, notes.filter(|property| below(&property.name)))?;
        }
        self.check_long_names(reading, &properties)?;
        self.properties = properties;
        Ok(())
    }

    /// Makes a node below the root of the values read.
    fn below_root(&mut self, reading: &mut Reading<'_>, at: usize) -> Result<(), Error> {
        if self.game.skipped {
            return Ok(());
        }
        if self.properties.is_empty() {
            return self.quirk(reading, "empty-node", at, || "a node with nothing in it was dropped".into());
        }
        let properties = std::mem::take(&mut self.properties);
        if properties.iter().any(|property| names::side(&property.name).is_some()) {
            self.moves(reading, &properties, properties.iter())?;
        } else {
            self.append(Side::of_ply(self.game.depth + 1), Play::Nothing)?;
            self.notes(reading, properties.iter())?;
        }
        self.check_long_names(reading, &properties)?;
        self.properties = properties;
        Ok(())
    }

    /// What must be known before all else: the game, the version, the board.
    fn frame(&mut self, reading: &mut Reading<'_>, at: usize, properties: &[Property<'t>]) -> Result<(), Error> {
        let first = |name: &str| properties.iter().find(|property| property.name == name);
        let asked = reading.options.size;
        let mut default = asked.unwrap_or_default();
        match first("GM").map(|property| (property.at, property.raw.trim_ascii())) {
            Some((_, "4")) => {}
            Some((at, "1")) => {
                default = asked.or(Size::square(19)).unwrap_or_default();
                self.quirk(reading, "game-of-go", at, || "GM[1] is Go: it was read as gomoku".into())?;
            }
            None => self.quirk(reading, "game-missing", at, || "GM is missing: it was read as gomoku".into())?,
            Some((at, other)) => {
                let game = names::game(other).unwrap_or("no game I know");
                let message = format!("GM[{}] is {game}, and only gomoku and renju (GM[4]) are read", cut(other));
                self.refuse(reading, "other-game", at, message)?;
            }
        }
        if let Some(property) = first("FF") {
            match property.raw.trim_ascii().parse() {
                Ok(version @ 1..=4) => {
                    self.game.version = Some(version);
                    reading.version.get_or_insert_with(|| version.to_string());
                }
                _ => self.quirk(reading, "version", property.at, || {
                    format!("FF[{}] is not a version from 1 to 4: it was read as FF[4]", cut(property.raw))
                })?,
            }
        }
        self.game.head.size = default;
        if let Some(property) = first("SZ") {
            match board(property.raw) {
                Board::Size(size) => self.game.head.size = size,
                Board::TooLarge => {
                    let found = cut(property.raw);
                    let message = format!("SZ[{found}]: boards have at most {0}x{0} points here", Size::LARGEST);
                    self.refuse(reading, "large-board", property.at, message)?;
                }
                Board::Unclear => self.damage(reading, "bad-size", property.at, || {
                    format!("SZ[{}] is no board size: {default} was taken", cut(property.raw))
                })?,
            }
        }
        let encoding = self.source.encoding;
        if encoding != UTF_8 && encoding.is_ascii_compatible() {
            self.game.head.encoding = Some(encoding.name());
        }
        Ok(())
    }

    /// Takes a property that speaks of the game.
    fn head_property(&mut self, reading: &mut Reading<'_>, property: &Property<'t>) -> Result<(), Error> {
        let head = &self.game.head;
        let simple = || unescape(property.raw, Lines::Joined);
        let size = head.size;
        match &*property.name {
            "FF" | "GM" | "SZ" => {}
            "CA" => self.check_charset(reading, property)?,
            "AP" if property.raw.starts_with(names::OURS) => {}
            "AP" => self.tag(reading, property, "Application", simple())?,
            "RU" => match names::rule(simple().trim()) {
                Some(rule) if head.rule.is_none() => self.game.head.rule = Some(rule),
                _ => self.tag(reading, property, "Rules", simple())?,
            },
            "RE" => self.result(reading, property, &simple())?,
            "TE" if matches!(property.raw.trim_ascii(), "" | "1" | "2") => self.carry(reading, property)?,
            "TE" => self.tag(reading, property, "Termination", simple())?,
            "KX" => match pair(property.raw) {
                Some((name, value)) => {
                    let name = unescape(name, Lines::Joined);
                    self.tag(reading, property, &name, unescape(value, Lines::Kept))?;
                }
                None => self.bad_value(reading, property, "`name:value`")?,
            },
            "XO" => match spot(property.raw, size) {
                Spot::On(point) => self.game.head.opening.offered.push(point),
                _ => self.bad_value(reading, property, "a point of the board")?,
            },
            "XD" => match property.raw.trim_ascii().parse() {
                Ok(number) if head.opening.declared.is_none() => self.game.head.opening.declared = Some(number),
                _ => self.bad_value(reading, property, "one number up to 255")?,
            },
            "XR" if head.opening.swaps.is_none() => {
                let swaps = self.cleaned(reading, property.at, unescape(property.raw, Lines::Kept))?;
                self.game.head.opening.swaps = Some(swaps.into_owned());
            }
            "XR" => self.again(reading, property)?,
            name => {
                let (_, tag) =
                    names::TAGS.iter().find(|(known, _)| *known == name).expect("names::is_head knows these");
                let lines = if *tag == names::GAME_COMMENT { Lines::Kept } else { Lines::Joined };
                if head.tag(tag).is_some() {
                    self.repeated(reading, property)?;
                }
                self.tag(reading, property, tag, unescape(property.raw, lines))?;
            }
        }
        Ok(())
    }

    fn tag(
        &mut self,
        reading: &mut Reading<'_>,
        property: &Property<'t>,
        name: &str,
        value: Cow<'_, str>,
    ) -> Result<(), Error> {
        let name = self.cleaned(reading, property.at, Cow::Borrowed(name))?.into_owned();
        let value = self.cleaned(reading, property.at, value)?.into_owned();
        self.game.head.tags.push((name, value));
        Ok(())
    }

    fn result(&mut self, reading: &mut Reading<'_>, property: &Property<'t>, text: &str) -> Result<(), Error> {
        if self.game.head.result.is_some() {
            self.repeated(reading, property)?;
            return self.tag(reading, property, "Termination", text.into());
        }
        let spelling = outcome::parse(text);
        if !spelling.standard {
            self.quirk(reading, "result", property.at, || match spelling.outcome {
                Some(outcome) => format!("RE[{}] was read as {}", cut(text), outcome::text(outcome)),
                None => format!("RE[{}] says no result: it was kept as the tag Termination", cut(text)),
            })?;
        }
        self.game.head.result = spelling.outcome;
        match spelling.termination {
            Some(termination) => self.tag(reading, property, "Termination", termination.into()),
            None => Ok(()),
        }
    }

    /// A file has one charset: what a later game says cannot be heeded.
    fn check_charset(&mut self, reading: &mut Reading<'_>, property: &Property<'t>) -> Result<(), Error> {
        let used = self.source.encoding;
        let said = crate::label_to_encoding(property.raw);
        if reading.options.encoding.is_some() || said.is_none_or(|said| said == used) || self.text.is_ascii() {
            return Ok(());
        }
        self.damage(reading, "second-charset", property.at, || {
            format!(
                "CA[{}] differs from the charset of the file, {}: its texts may be garbled",
                cut(property.raw),
                used.name()
            )
        })
    }

    /// Appends the moves of a node, one node each, and writes the notes at the first.
    fn moves<'p>(
        &mut self,
        reading: &mut Reading<'_>,
        properties: &'p [Property<'t>],
        notes: impl Iterator<Item = &'p Property<'t>>,
    ) -> Result<(), Error>
    where
        't: 'p,
    {
        let mut moves = properties.iter().filter_map(|property| Some((names::side(&property.name)?, property)));
        let Some((side, property)) = moves.next() else { return Ok(()) };
        self.play(reading, side, property)?;
        self.notes(reading, notes)?;
        for (side, property) in moves {
            self.damage(reading, "several-moves", property.at, || {
                "a node with several moves: each was made a node of its own".into()
            })?;
            self.play(reading, side, property)?;
        }
        Ok(())
    }

    fn play(&mut self, reading: &mut Reading<'_>, side: Side, property: &Property<'t>) -> Result<(), Error> {
        let size = self.game.head.size;
        let raw = property.raw.trim_ascii();
        let small = size.width() <= 19 && size.height() <= 19;
        let place = match spot(raw, size) {
            Spot::On(point) => Move::Place(point),
            _ => Move::Pass,
        };
        self.append(side, Play::Move(place))?;
        if place != Move::Pass || raw.is_empty() || raw == "tt" && small {
            return Ok(());
        }
        self.damage(reading, "off-board", property.at, || {
            format!("`{}` is off the board of {size} points: the move was read as a pass", cut(raw))
        })?;
        self.carry(reading, property)
    }

    fn append(&mut self, side: Side, play: Play) -> Result<(), Error> {
        self.game.depth += 1;
        self.game.tree.append(self.game.depth, side, play)?;
        Ok(())
    }

    /// Writes what the properties say, but for moves, at the last node.
    fn notes<'p>(
        &mut self,
        reading: &mut Reading<'_>,
        properties: impl Iterator<Item = &'p Property<'t>>,
    ) -> Result<(), Error>
    where
        't: 'p,
    {
        let mut once = Once::default();
        for property in properties {
            self.note(reading, property, &mut once)?;
        }
        match once.comment {
            Some(comment) => self.comment(reading, &comment),
            None => Ok(()),
        }
    }

    fn note(&mut self, reading: &mut Reading<'_>, property: &Property<'t>, once: &mut Once<'t>) -> Result<(), Error> {
        let raw = property.raw;
        match &*property.name {
            "B" | "W" | "XE" => Ok(()),
            "C" => {
                let text = unescape(raw, Lines::Kept);
                once.comment = match once.comment.take() {
                    None => Some(text),
                    Some(before) => {
                        self.repeated(reading, property)?;
                        Some(Cow::Owned(before.into_owned() + "\n" + &text))
                    }
                };
                Ok(())
            }
            "LB" => self.label(reading, property),
            "PL" => match raw.trim_ascii().as_bytes().first() {
                _ if once.to_move => self.again(reading, property),
                Some(b'B' | b'b' | b'1') => self.once(&mut once.to_move, Note::ToMove(Side::First)),
                Some(b'W' | b'w' | b'2') => self.once(&mut once.to_move, Note::ToMove(Side::Second)),
                _ => self.bad_value(reading, property, "B or W"),
            },
            "V" => match raw.trim_ascii().parse() {
                Err(_) => self.carry(reading, property),
                Ok(_) if once.value => self.again(reading, property),
                Ok(points) => {
                    let value = Value { score: Score::Points(points), depth: None };
                    self.once(&mut once.value, Note::Value(value))
                }
            },
            "KV" => match Value::from_text(raw) {
                Some(_) if once.value => self.again(reading, property),
                Some(value) => self.once(&mut once.value, Note::Value(value)),
                None => self.bad_value(reading, property, "a value such as 120,18 or #+12"),
            },
            "KT" => match raw.trim_ascii().parse() {
                Ok(_) if once.time => self.again(reading, property),
                Ok(ms) => self.once(&mut once.time, Note::Time(ms)),
                Err(_) => self.bad_value(reading, property, "milliseconds"),
            },
            "KP" => match pair(raw) {
                Some((name, value)) => {
                    let name = self.cleaned(reading, property.at, unescape(name, Lines::Kept))?;
                    if name.len() > usize::from(u16::MAX) {
                        return self.bad_value(reading, property, "a short name and a value");
                    }
                    let value = self.cleaned(reading, property.at, unescape(value, Lines::Kept))?;
                    Ok(self.game.tree.note(Note::Property(&name, &value))?)
                }
                None => self.bad_value(reading, property, "`name:value`"),
            },
            "XF" => {
                self.game.tree.set_found();
                Ok(())
            }
            "XS" => {
                self.game.tree.set_start();
                Ok(())
            }
            name => {
                if let Some((_, side)) = names::SETUP.iter().find(|(known, _)| *known == name) {
                    return self.points(reading, property, |point| Note::Stone(point, *side));
                }
                match names::shape(name) {
                    Some(shape) => self.points(reading, property, |point| Note::Mark(point, shape)),
                    None => self.carry(reading, property),
                }
            }
        }
    }

    fn once(&mut self, given: &mut bool, note: Note<'_>) -> Result<(), Error> {
        *given = true;
        Ok(self.game.tree.note(note)?)
    }

    /// Writes a note on each point of a value such as `aa` or `aa:cc`.
    fn points(
        &mut self,
        reading: &mut Reading<'_>,
        property: &Property<'t>,
        note: impl Fn(Point) -> Note<'static>,
    ) -> Result<(), Error> {
        let Some((from, to)) = rectangle(property.raw, self.game.head.size) else {
            return self.bad_value(reading, property, "a point of the board");
        };
        let extra = usize::from(to.x() - from.x() + 1) * usize::from(to.y() - from.y() + 1) - 1;
        self.game.unfolded += extra;
        if self.game.unfolded > MOST_UNFOLDED {
            let message = format!("the rectangles of this game stand for more than {MOST_UNFOLDED} points");
            return Err(reading.error(self.place(property.at, reading), message));
        }
        for y in from.y()..=to.y() {
            for x in from.x()..=to.x() {
                let point = Point::new(x, y).expect("it lies between two points");
                self.game.tree.note(note(point))?;
            }
        }
        Ok(())
    }

    fn label(&mut self, reading: &mut Reading<'_>, property: &Property<'t>) -> Result<(), Error> {
        let found = pair(property.raw).map(|(point, text)| (spot(point, self.game.head.size), text));
        let Some((Spot::On(point), text)) = found else {
            return self.bad_value(reading, property, "`point:text` with a point of the board");
        };
        let text = unescape(text, Lines::Joined);
        self.text(reading, Part::Label(point), &text, |text| Note::Label(point, text))
    }

    /// Writes the comment: its first line, and what follows the first line break.
    fn comment(&mut self, reading: &mut Reading<'_>, comment: &str) -> Result<(), Error> {
        let (line, body) = match comment.split_once('\n') {
            Some((line, body)) => (line, Some(body)),
            None => (comment, None),
        };
        if body.is_none() || !line.is_empty() {
            self.text(reading, Part::Line, line, |text| Note::Line(text))?;
        }
        match body {
            Some(body) => self.text(reading, Part::Body, body, |text| Note::Body(text)),
            None => Ok(()),
        }
    }

    /// Writes a text; one with control characters keeps its bytes.
    fn text(
        &mut self,
        reading: &mut Reading<'_>,
        part: Part,
        text: &str,
        note: impl for<'a> Fn(&'a str) -> Note<'a>,
    ) -> Result<(), Error> {
        let clean = self.cleaned(reading, self.at, Cow::Borrowed(text))?;
        self.game.tree.note(note(&clean))?;
        if clean != text
            && let Some(bytes) = encode(text, self.source.encoding, Newline::Lf)
        {
            self.game.tree.note(Note::Bytes(part, &bytes))?;
        }
        Ok(())
    }

    /// The text without control characters.
    fn cleaned<'a>(&self, reading: &mut Reading<'_>, at: usize, text: Cow<'a, str>) -> Result<Cow<'a, str>, Error> {
        let clean = match plain(&text) {
            Cow::Borrowed(_) => return Ok(text),
            Cow::Owned(clean) => clean,
        };
        self.damage(reading, "control-characters", at, || {
            let found = text.chars().find(|c| !is_plain(*c)).unwrap_or_default();
            format!("characters such as {found:?} were read as U+FFFD")
        })?;
        Ok(Cow::Owned(clean))
    }

    /// Keeps a property as the file has it.
    fn carry(&mut self, reading: &mut Reading<'_>, property: &Property<'t>) -> Result<(), Error> {
        let value = self.cleaned(reading, property.at, unescape(property.raw, Lines::Kept))?;
        Ok(self.game.tree.note(Note::Property(&property.name, &value))?)
    }

    fn bad_value(&mut self, reading: &mut Reading<'_>, property: &Property<'t>, wanted: &str) -> Result<(), Error> {
        self.damage(reading, "bad-value", property.at, || {
            let found = cut(property.raw);
            format!("{}[{found}] is not {wanted}: it was only carried along", property.name)
        })?;
        self.carry(reading, property)
    }

    fn again(&mut self, reading: &mut Reading<'_>, property: &Property<'t>) -> Result<(), Error> {
        self.repeated(reading, property)?;
        self.carry(reading, property)
    }

    fn repeated(&self, reading: &mut Reading<'_>, property: &Property<'t>) -> Result<(), Error> {
        self.quirk(reading, "repeated-property", property.at, || {
            format!("{} stands twice in a node: both were kept", property.name)
        })
    }

    /// FF[4] has no small letters in names.
    fn check_long_names(&self, reading: &mut Reading<'_>, properties: &[Property<'t>]) -> Result<(), Error> {
        let long = properties.iter().find(|property| matches!(property.name, Cow::Owned(_)));
        match long {
            Some(property) if self.game.version == Some(4) => {
                self.quirk(reading, "lower-case-name", property.at, || {
                    format!("small letters in a name, of the days before FF[4], were dropped: {}", property.name)
                })
            }
            _ => Ok(()),
        }
    }

    fn missing_node(&self, reading: &mut Reading<'_>, at: usize) -> Result<(), Error> {
        self.quirk(reading, "missing-node", at, || "a parenthesis without a node was passed over".into())
    }

    /// Leaves the game out; an error when reading strictly.
    fn refuse(
        &mut self,
        reading: &mut Reading<'_>,
        kind: &'static str,
        at: usize,
        message: String,
    ) -> Result<(), Error> {
        let error = reading.error(self.place(at, reading), message);
        reading.leave_out(kind, error)?;
        self.game.skipped = true;
        Ok(())
    }

    fn quirk(
        &self,
        reading: &mut Reading<'_>,
        kind: &'static str,
        at: usize,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        self.fault(reading, kind, Severity::Quirk, at, message)
    }

    fn damage(
        &self,
        reading: &mut Reading<'_>,
        kind: &'static str,
        at: usize,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        self.fault(reading, kind, Severity::Damage, at, message)
    }

    fn fault(
        &self,
        reading: &mut Reading<'_>,
        kind: &'static str,
        severity: Severity,
        at: usize,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let games = reading.records();
        reading.fault(kind, severity, || (self.place_in(at, games), message()))
    }

    fn place(&self, at: usize, reading: &Reading<'_>) -> Place {
        self.place_in(at, reading.records())
    }

    /// The place, when so many games came before.
    fn place_in(&self, at: usize, games: u64) -> Place {
        let place = self.source.place(at);
        if !self.game.has_root {
            return place;
        }
        let tree = &self.game.tree;
        Place { record: Some(games + 1), ..place }.after(tree.tree(), tree.last(), self.game.head.size)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        self.skip_while(is_blank);
    }

    fn skip_while(&mut self, skip: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| skip(**byte)).count();
    }
}

/// The text without the blanks it begins with.
fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
    &text[blanks..]
}

/// Whether the text begins with a name and the bracket of its value.
fn is_property(text: &[u8]) -> bool {
    let name = text.iter().take(names::LONGEST).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    name > 0 && trim_blanks(&text[name..]).first() == Some(&b'[')
}

/// What SZ says.
enum Board {
    Size(Size),
    TooLarge,
    Unclear,
}

fn board(raw: &str) -> Board {
    let (width, height) = raw.split_once([':', 'x', 'X']).unwrap_or((raw, raw));
    let number = |text: &str| {
        let text = text.trim_ascii();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // A number too long for a byte is too large for a board.
        digits.then(|| text.parse::<u8>().unwrap_or(u8::MAX))
    };
    match (number(width), number(height)) {
        (Some(0), _) | (_, Some(0)) | (None, _) | (_, None) => Board::Unclear,
        (Some(width), Some(height)) => Size::new(width, height).map_or(Board::TooLarge, Board::Size),
    }
}

/// The beginning of a text, for messages.
fn cut(text: &str) -> String {
    const SHOWN: usize = 20;
    let shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}

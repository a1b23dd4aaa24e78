//! From text to records.

use super::{GLYPH, INVISIBLE, SIGNS};
use crate::source::Source;
use crate::{Error, Place, Reading, Severity, guess};
use encoding_rs::{Encoding, UTF_8};
use games::{Game, Move, Size};
use record::{Full, Head, Note, Outcome, Play, Record, TreeBuilder, WRITTEN};
use std::borrow::Cow;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    // No sign below the digits is the second byte of a letter in the encodings of Chinese.
    let source = Source::decode(bytes, reading, |bytes, _| Ok(guess(bytes.split(|byte| *byte < b'0'))))?;
    let text = &*source.text;
    let start = text.len() - text.trim_start_matches(INVISIBLE).len();
    if start > 0 {
        reading.fault("invisible-characters", Severity::Quirk, || {
            (source.place(0), "invisible characters before the first tag: passed over".into())
        })?;
    }
    // UTF-16 is no encoding that bytes of single texts could be in.
    let is_kept = |encoding: &&'static Encoding| *encoding != UTF_8 && encoding.is_ascii_compatible();
    let encoding = Some(source.encoding).filter(is_kept);
    let mut parser =
        Parser { text, at: start, source: &source, games: 0, encoding: encoding.map(|encoding| encoding.name()) };
    while parser.skip_to_game(reading)? {
        parser.games += 1;
        match parser.game(reading) {
            Ok(record) => reading.emit(record)?,
            Err(error) => reading.leave_out("bad-game", error)?,
        }
        reading.progress(source.done(parser.at))?;
    }
    if parser.games == 0 && !text.trim().is_empty() {
        return Err(reading.error(Place::default(), "there is no game in it: no tag and no move"));
    }
    reading.end()?;
    reading.progress(bytes.len())
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    source: &'t Source<'t>,
    games: u64,
    encoding: Option<&'static str>,
}

/// A game whose moves are being read. Node 0 is the root.
struct Draft<'t> {
    head: Head,
    nodes: Vec<Node<'t>>,
}

struct Node<'t> {
    parent: usize,
    first_child: usize,
    last_child: usize,
    next: usize,
    text: &'t str,
    glyphs: Vec<u16>,
    comment: String,
}

/// No node: the root is nobody's child.
const NONE: usize = 0;

impl<'t> Node<'t> {
    fn new(parent: usize, text: &'t str) -> Node<'t> {
        let comment = String::new();
        Node { parent, first_child: NONE, last_child: NONE, next: NONE, text, glyphs: Vec::new(), comment }
    }
}

/// Adds the text of a comment, on a line of its own where there is one already.
fn join(comment: &mut String, more: &str) {
    let more = more.trim();
    if !comment.is_empty() && !more.is_empty() {
        comment.push('\n');
    }
    comment.push_str(more);
}

impl<'t> Draft<'t> {
    fn add(&mut self, parent: usize, text: &'t str) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node::new(parent, text));
        let last = std::mem::replace(&mut self.nodes[parent].last_child, node);
        if last == NONE {
            self.nodes[parent].first_child = node;
        } else {
            self.nodes[last].next = node;
        }
        node
    }

    fn build(self) -> Result<Record, Full> {
        let Draft { head, nodes } = self;
        let mut builder = TreeBuilder::new();
        write(&mut builder, &nodes[0])?;
        let mut waiting = vec![(1, nodes[0].first_child)];
        while let Some((depth, at)) = waiting.pop() {
            if at == NONE {
                continue;
            }
            let node = &nodes[at];
            let play = if node.text == "--" { Play::Move(Move::Pass) } else { Play::Nothing };
            builder.append(depth, head.side_of_ply(depth), play)?;
            write(&mut builder, node)?;
            waiting.extend([(depth, node.next), (depth + 1, node.first_child)]);
        }
        Ok(Record { head, tree: builder.build() })
    }
}

fn write(builder: &mut TreeBuilder, node: &Node<'_>) -> Result<(), Full> {
    if !node.comment.is_empty() {
        let text = if node.comment.contains('\r') {
            Cow::Owned(node.comment.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(&*node.comment)
        };
        let (line, body) = text.split_once('\n').map_or((&*text, None), |(line, body)| (line, Some(body)));
        builder.note(Note::Line(line))?;
        body.map_or(Ok(()), |body| builder.note(Note::Body(body)))?;
    }
    if !node.text.is_empty() && node.text != "--" {
        builder.note(Note::Property(WRITTEN, node.text))?;
    }
    node.glyphs.iter().try_for_each(|glyph| builder.note(Note::Property(GLYPH, &glyph.to_string())))
}

/// The name and the raw value of a line that is a tag: the value is what stands between the first and the last quote.
pub(super) fn tag(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix('[')?.trim_start();
    let length = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = inside.split_at(length);
    let rest = rest.trim_start().trim_end().strip_suffix(']')?.trim_end();
    let is_quote = |c: char| matches!(c, '"' | '“' | '”');
    let value = rest.strip_prefix(is_quote)?.strip_suffix(is_quote)?;
    (!name.is_empty()).then_some((name, value))
}

/// The word without a move number before it, empty where nothing else is there: `15.6` is a move of a pawn.
pub(crate) fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = rest.starts_with(['.', '…']) || rest.len() == word.len();
    let behind = rest.trim_start_matches(['.', '…']);
    match is_number && (behind.len() > 3 || !behind.starts_with(|c: char| c.is_ascii_digit())) {
        true => behind,
        false => word,
    }
}

/// What a word at the end of a game says.
pub(crate) fn outcome(word: &str) -> Option<Outcome> {
    match word {
        "1/2" => Some(Outcome::Draw),
        word => Outcome::from_text(word).filter(|outcome| *outcome != Outcome::Void),
    }
}

/// The word without the glyphs of its end, and their number in PGN.
pub(crate) fn glyphs(word: &str) -> (&str, Option<u16>) {
    let bare = word.trim_end_matches(['!', '?']);
    match SIGNS.iter().zip(1..).find(|(signs, _)| word[bare.len()..] == ***signs) {
        Some((_, glyph)) => (bare, Some(glyph)),
        None => (word, None),
    }
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn place(&self, at: usize) -> Place {
        Place { record: Some(self.games), ..self.source.place(at) }
    }

    /// The line that begins here, without its end, and where the next one begins.
    fn line(&self) -> (&'t str, usize) {
        let rest = self.rest();
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end = match &rest.as_bytes()[length..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        (&rest[..length], self.at + length + end)
    }

    /// Goes to the next tag or, before the first game, move; whether there is one.
    fn skip_to_game(&mut self, reading: &mut Reading<'_>) -> Result<bool, Error> {
        let start = self.at;
        while self.at < self.text.len() {
            let (line, next) = self.line();
            let bare = line.trim();
            if tag(bare).is_some() || self.games == 0 && !bare.is_empty() {
                break;
            }
            self.at = next;
        }
        let passed = self.text[start..self.at].trim();
        if !passed.is_empty() {
            reading.fault("text-after-game", Severity::Remark, || {
                (
                    self.place(start),
                    format!("{} characters after the end of the game: left out", passed.chars().count()),
                )
            })?;
        }
        Ok(self.at < self.text.len())
    }

    fn game(&mut self, reading: &mut Reading<'_>) -> Result<Record, Error> {
        let head = self.head(reading)?;
        let mut game = Draft { head, nodes: vec![Node::new(NONE, "")] };
        self.moves(&mut game, reading)?;
        Ok(game.build()?)
    }

    fn head(&mut self, reading: &mut Reading<'_>) -> Result<Head, Error> {
        let mut head = Head { game: Game::Xiangqi, size: Size::XIANGQI, encoding: self.encoding, ..Head::default() };
        loop {
            let (line, next) = self.line();
            let Some((name, value)) = tag(line.trim()) else {
                if line.trim().is_empty() && next > self.at {
                    self.at = next;
                    continue;
                }
                return Ok(head);
            };
            let (at, quote) = (self.at, line.contains(['“', '”']));
            self.at = next;
            if quote && !line.contains('"') {
                reading.fault("curly-quotes", Severity::Quirk, || {
                    (self.place(at), format!("the value of {name} stands in curly quotes"))
                })?;
            }
            self.take(name, unescape(value), at, &mut head, reading)?;
        }
    }

    fn take(
        &self,
        name: &str,
        value: String,
        at: usize,
        head: &mut Head,
        reading: &mut Reading<'_>,
    ) -> Result<(), Error> {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        if is("Game") || is("Variant") {
            if !["chinese chess", "xiangqi"].contains(&value.to_ascii_lowercase().as_str()) {
                reading.fault("other-game", Severity::Quirk, || {
                    (self.place(at), format!("the tag {name} says `{}`: read as xiangqi", value.escape_debug()))
                })?;
                head.tags.push((name.into(), value));
            }
        } else if let Some(outcome) = Some(value.trim()).filter(|_| is("Result")).and_then(outcome) {
            head.result = Some(outcome);
        } else {
            // Chess programs call the side that begins White.
            let name = ["FEN", "Format"].into_iter().find(|known| is(known)).unwrap_or(name);
            let name = if name == "White" { "Red" } else { name };
            head.tags.push((name.into(), value));
        }
        Ok(())
    }

    fn moves(&mut self, game: &mut Draft<'t>, reading: &mut Reading<'_>) -> Result<(), Error> {
        // The move that the next one follows; of open variations, the one to go back to.
        let (mut last, mut open) = (0, Vec::new());
        // What stands before the first move of a variation.
        let mut before = String::new();
        let mut fresh = false;
        let mut newline = true;
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            newline |= rest[..blank].contains(['\n', '\r']);
            self.at += blank;
            let (at, rest) = (self.at, self.rest());
            let Some(sign) = rest.chars().next() else { break };
            if newline && sign == '%' {
                self.at = self.line().1;
                reading.fault("escaped-line", Severity::Remark, || {
                    (self.place(at), "a line that begins with % is for another program: left out".into())
                })?;
                continue;
            }
            if newline && sign == '[' && tag(self.line().0.trim()).is_some() {
                break;
            }
            newline = false;
            match sign {
                '{' | ';' => {
                    let text = if sign == '{' { self.comment(reading)? } else { self.line_comment() };
                    join(if fresh { &mut before } else { &mut game.nodes[last].comment }, text);
                    // The end of a line comment is the end of its line.
                    newline = sign == ';';
                }
                '(' => {
                    self.at += 1;
                    if last == 0 || fresh {
                        return Err(
                            reading.error(self.place(at), "a variation begins where there is no move to replace")
                        );
                    }
                    open.push(last);
                    last = game.nodes[last].parent;
                    fresh = true;
                }
                ')' => {
                    self.at += 1;
                    match open.pop() {
                        Some(replaced) => {
                            if fresh {
                                join(&mut game.nodes[replaced].comment, &std::mem::take(&mut before));
                            }
                            (last, fresh) = (replaced, false);
                        }
                        None => reading.fault("extra-close", Severity::Damage, || {
                            (self.place(at), "`)` without `(`: passed over".into())
                        })?,
                    }
                }
                '}' => {
                    self.at += 1;
                    reading.fault("extra-close", Severity::Damage, || {
                        (self.place(at), "`}` without `{`: passed over".into())
                    })?;
                }
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || "(){};".contains(c)).unwrap_or(rest.len());
                    self.at += end;
                    let word = &rest[..end];
                    if let Some(found) = outcome(word) {
                        if open.is_empty() {
                            self.end(found, at, game, reading)?;
                            return Ok(());
                        }
                        // Some programs write the result at the end of variations, too.
                        continue;
                    }
                    if let Some(number) = word.strip_prefix('$') {
                        match number.parse() {
                            Ok(glyph) if last > 0 && !fresh => game.nodes[last].glyphs.push(glyph),
                            _ => reading.fault("stray-glyph", Severity::Damage, || {
                                (self.place(at), format!("`{}` belongs to no move: left out", word.escape_debug()))
                            })?,
                        }
                        continue;
                    }
                    let word = without_number(word);
                    if word.is_empty() {
                        continue;
                    }
                    let (word, glyph) = glyphs(word);
                    if word.is_empty() {
                        game.nodes[last].glyphs.extend(glyph);
                        continue;
                    }
                    last = game.add(last, word);
                    game.nodes[last].glyphs.extend(glyph);
                    if fresh {
                        join(&mut game.nodes[last].comment, &std::mem::take(&mut before));
                        fresh = false;
                    }
                }
            }
        }
        if fresh {
            join(&mut game.nodes[last].comment, &before);
        }
        if !open.is_empty() {
            reading.fault("open-variation", Severity::Damage, || {
                (self.place(self.at), format!("the game ends inside {} variations", open.len()))
            })?;
        }
        Ok(())
    }

    fn end(&mut self, found: Outcome, at: usize, game: &mut Draft<'t>, reading: &mut Reading<'_>) -> Result<(), Error> {
        match game.head.result {
            None | Some(Outcome::Unknown) => {
                // `*` only ends the moves.
                if found != Outcome::Unknown {
                    game.head.result = Some(found);
                }
            }
            Some(said) if said != found && found != Outcome::Unknown => {
                reading.fault("result-differs", Severity::Quirk, || {
                    let (said, found) = (said.text(), found.text());
                    (self.place(at), format!("the moves end with {found}, the tag says {said}: the tag is taken"))
                })?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The text of a comment in braces.
    fn comment(&mut self, reading: &mut Reading<'_>) -> Result<&'t str, Error> {
        let at = self.at;
        let inside = &self.rest()[1..];
        let Some(length) = inside.find('}') else {
            reading.fault("open-comment", Severity::Damage, || {
                (self.place(at), "a comment has no end: all that follows is its text".into())
            })?;
            self.at = self.text.len();
            return Ok(inside);
        };
        self.at += length + 2;
        Ok(&inside[..length])
    }

    fn line_comment(&mut self) -> &'t str {
        let (line, next) = self.line();
        self.at = next;
        &line[1..]
    }
}

/// A value without the escapes of quotes and backslashes.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut signs = value.chars().peekable();
    while let Some(sign) = signs.next() {
        match signs.peek() {
            Some(&next @ ('"' | '\\')) if sign == '\\' => {
                text.push(next);
                signs.next();
            }
            _ => text.push(sign),
        }
    }
    text
}

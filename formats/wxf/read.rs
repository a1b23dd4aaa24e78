//! From text to records.

use super::{PLAYERS, RESULT, TAGS, is_known, key};
use crate::source::Source;
use crate::xiangqi_pgn::{GLYPH, glyphs, outcome, without_number};
use crate::{Error, Place, Reading, Severity, comment, guess};
use encoding_rs::UTF_8;
use games::xiangqi::{Fen, FenOptions};
use games::{Game, Size};
use record::{Head, Note, Outcome, Play, Record, TreeBuilder, WRITTEN, plain};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let source = Source::decode(bytes, reading, |bytes, _| Ok(guess(bytes.split(|byte| *byte < b'0'))))?;
    let text = &*source.text;
    let is_kept = source.encoding != UTF_8 && source.encoding.is_ascii_compatible();
    let encoding = is_kept.then(|| source.encoding.name());
    let starts = starts(text);
    if starts.is_empty() {
        return Err(reading.error(Place::default(), "there is no game in it: no line FORMAT and no START{"));
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    for (number, (start, end)) in (1..).zip(starts.iter().copied().zip(ends)) {
        let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, encoding, ..Head::default() };
        let text = &text[..end];
        let mut parser =
            Parser { text, at: start, source: &source, number, head, moves: Vec::new(), before: String::new() };
        match parser.game(reading) {
            Ok(record) => reading.emit(record)?,
            Err(error) => reading.leave_out("bad-game", error)?,
        }
        reading.progress(source.done(end))?;
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// Where games begin: at the lines `FORMAT`, or at the beginning if there is no more than moves.
fn starts(text: &str) -> Vec<usize> {
    let is_line = |at: &usize| {
        let begins = *at == 0 || text[..*at].ends_with(['\n', '\r', '\u{FEFF}']);
        begins && text[at + "FORMAT".len()..].starts_with([' ', '\t'])
    };
    let mut starts: Vec<usize> = text.match_indices("FORMAT").map(|(at, _)| at).filter(is_line).collect();
    let before = &text[..starts.first().copied().unwrap_or(text.len())];
    // What else stands before the first one belongs to it, so that it is told of.
    match starts.first_mut() {
        Some(first) if !before.contains("START") => *first = 0,
        None if !before.contains("START") && !before.contains("FORMAT") => {}
        _ => starts.insert(0, 0),
    }
    starts
}

struct Parser<'t> {
    /// The file up to the end of the game.
    text: &'t str,
    at: usize,
    source: &'t Source<'t>,
    number: u64,
    head: Head,
    moves: Vec<Written<'t>>,
    /// Comments before the first move.
    before: String,
}

/// A move as the file writes it.
struct Written<'t> {
    text: &'t str,
    glyph: Option<u16>,
    comment: String,
}

impl<'t> Parser<'t> {
    fn place(&self, at: usize) -> Place {
        Place { record: Some(self.number), ..self.source.place(at) }
    }

    fn game(&mut self, reading: &mut Reading<'_>) -> Result<Record, Error> {
        match self.lines(reading)? {
            true => self.line_of_moves(reading)?,
            false => reading.fault("no-moves", Severity::Damage, || {
                (self.place(self.at), "the game ends without START: it has no moves".into())
            })?,
        }
        let after = &self.text[self.at..];
        join(&mut self.before, after);
        let mut builder = TreeBuilder::new();
        let about = |builder: &mut TreeBuilder, text: &str| match text.is_empty() {
            true => Ok(()),
            false => comment::push(builder, &plain(&comment::lines(text))),
        };
        about(&mut builder, &self.before)?;
        for (depth, written) in (1..).zip(&self.moves) {
            builder.append(depth, self.head.side_of_ply(depth), Play::Nothing)?;
            about(&mut builder, &written.comment)?;
            builder.note(Note::Property(WRITTEN, &plain(written.text)))?;
            if let Some(glyph) = written.glyph {
                builder.note(Note::Property(GLYPH, &glyph.to_string()))?;
            }
        }
        Ok(Record { head: std::mem::take(&mut self.head), tree: builder.build() })
    }

    /// The line that begins here; goes to the next one.
    fn line(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.text.len());
        &rest[..length]
    }

    /// Reads the lines before the moves; whether moves follow.
    fn lines(&mut self, reading: &mut Reading<'_>) -> Result<bool, Error> {
        while self.at < self.text.len() {
            let start = self.at;
            let line = self.line().trim_matches(['\u{FEFF}', ' ', '\t']);
            let Some((key, rest)) = key(line).filter(|(key, _)| is_key(key)) else {
                if !line.is_empty() {
                    reading.fault("stray-line", Severity::Damage, || {
                        (self.place(start), format!("`{}` says nothing of a game: left out", short(line)))
                    })?;
                }
                continue;
            };
            let value = rest.trim();
            match key.to_ascii_uppercase().as_str() {
                "START" => {
                    self.at = start + self.text[start..].find(key).expect("it was found there") + key.len();
                    return Ok(true);
                }
                "SETUP" => self.setup(start, reading)?,
                "FORMAT" if value.contains('(') => {
                    let message = format!("pieces have other letters, which are not read (`{}`)", short(value));
                    return Err(reading.error(self.place(start), message));
                }
                "FORMAT" if value == "WXF" => {}
                _ if value.is_empty() => {}
                "FEN" => self.position(value),
                key => self.field(key, value),
            }
        }
        Ok(false)
    }

    fn field(&mut self, key: &str, value: &str) {
        let mut tag = |name: &str, value: &str| {
            if !value.is_empty() {
                self.head.tags.push((name.to_owned(), plain(value).into_owned()));
            }
        };
        if let Some((_, names)) = PLAYERS.iter().find(|(player, _)| *player == key) {
            return names.iter().zip(value.splitn(4, ';')).for_each(|(name, value)| tag(name, value.trim()));
        }
        match outcome(value).filter(|_| key == "RESULT") {
            Some(result) => self.head.result = Some(result),
            None if key == "RESULT" => tag(RESULT, value),
            None => tag(TAGS.iter().find(|(known, _)| *known == key).map_or(key, |(_, tag)| tag), value),
        }
    }

    fn position(&mut self, text: &str) {
        let text = match Fen::read(text, FenOptions { strict: false, other_letters: true }) {
            Ok((fen, _)) if fen == Fen::start() => return,
            Ok((fen, _)) => fen.to_string(),
            Err(_) => plain(text).into_owned(),
        };
        self.head.tags.push(("FEN".into(), text));
    }

    /// A position in braces, in lines or in one.
    fn setup(&mut self, start: usize, reading: &mut Reading<'_>) -> Result<(), Error> {
        let rest = &self.text[start..];
        let inside = rest.find('{').and_then(|open| Some((open, open + rest[open..].find('}')?)));
        let text = inside.map_or("", |(open, close)| rest[open + 1..close].trim());
        if Fen::read(text, FenOptions { strict: false, other_letters: true }).is_err() {
            let message = format!("the position is written in a way that is not known (`{}`)", short(text));
            return Err(reading.error(self.place(start), message));
        }
        self.position(text);
        self.at = start + inside.map_or(0, |(_, close)| close + 1);
        Ok(())
    }

    /// Reads the moves and their end; what follows is text.
    fn line_of_moves(&mut self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let start = self.at;
        let rest = self.text[self.at..].trim_start();
        let open = rest.starts_with('{');
        self.at = self.text.len() - rest.len() + usize::from(open);
        let mut ended = open;
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            let at = self.at;
            let end = rest.find(|c: char| c.is_whitespace() || "{}".contains(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            match rest.chars().next() {
                None => {
                    return reading.fault("open-moves", Severity::Damage, || {
                        (self.place(at), "the game ends inside its moves".into())
                    });
                }
                Some('{') => {
                    let inside = &rest[1..];
                    let length = inside.find('}');
                    let text = &inside[..length.unwrap_or(inside.len())];
                    self.at = length.map_or(self.text.len(), |length| at + length + 2);
                    join(self.moves.last_mut().map_or(&mut self.before, |last| &mut last.comment), text);
                    reading.fault("inner-comment", Severity::Quirk, || {
                        (self.place(at), "a comment stands between moves".into())
                    })?;
                }
                Some('}') => {
                    self.at += 1;
                    let behind = self.text[self.at..].trim_start_matches([' ', '\t']);
                    match behind.strip_prefix("END") {
                        Some(behind) => self.at = self.text.len() - behind.len(),
                        None => ended = false,
                    }
                    break;
                }
                Some(_) if word == "END" => {
                    self.at += end;
                    ended = false;
                    break;
                }
                Some(_) => {
                    self.at += end;
                    self.word(word, at, reading)?;
                }
            }
        }
        if !ended {
            reading.fault("no-end", Severity::Quirk, || {
                (self.place(start), "the moves do not stand between `START{` and `}END`".into())
            })?;
        }
        Ok(())
    }

    fn word(&mut self, word: &'t str, at: usize, reading: &mut Reading<'_>) -> Result<(), Error> {
        if let Some(found) = outcome(word) {
            return self.end(found, at, reading);
        }
        let (text, glyph) = glyphs(without_number(word));
        match (text, self.moves.last_mut()) {
            ("", None) if glyph.is_some() => reading.fault("stray-glyph", Severity::Damage, || {
                (self.place(at), format!("`{}` belongs to no move: left out", short(word)))
            })?,
            ("", Some(last)) if glyph.is_some() => last.glyph = glyph,
            ("", _) => {}
            (text, _) => self.moves.push(Written { text, glyph, comment: String::new() }),
        }
        Ok(())
    }

    fn end(&mut self, found: Outcome, at: usize, reading: &mut Reading<'_>) -> Result<(), Error> {
        match self.head.result {
            _ if found == Outcome::Unknown => {}
            None | Some(Outcome::Unknown) => self.head.result = Some(found),
            Some(said) if said != found => reading.fault("result-differs", Severity::Quirk, || {
                let (said, found) = (said.text(), found.text());
                (self.place(at), format!("the moves end with {found}, the key says {said}: the key is taken"))
            })?,
            Some(_) => {}
        }
        Ok(())
    }
}

/// Whether a key is one that is known, or in capitals as all should be.
fn is_key(key: &str) -> bool {
    let capitals = key.to_ascii_uppercase();
    capitals == key || is_known(&capitals)
}

/// Adds a comment, on a line of its own where there is one already.
fn join(comment: &mut String, more: &str) {
    let more = more.trim();
    if !comment.is_empty() && !more.is_empty() {
        comment.push('\n');
    }
    comment.push_str(more);
}

/// Text of the file as it is shown in a message.
fn short(text: &str) -> String {
    text.chars().take(40).collect::<String>().escape_debug().to_string()
}

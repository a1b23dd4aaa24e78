//! From XML to records.

use super::{DRAW, FINISHED, MOMENTS, RULE_NAME, STATUS, TAGS, TERMINATION, moment_text};
use crate::xml::{Flaw, Stop, Tag, Token, Xml, short};
use crate::{Error, Place, Reading, Severity};
use games::{Coords, Move, Point, Rule, Side, Size};
use record::{Head, Outcome, Play, Record, TreeBuilder};

/// Progress is told after so many bytes.
const STEP: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut file = File { reading, xml: Xml::new(bytes), games: 0, told: 0, root: None };
    file.games()?;
    file.reading.end()?;
    file.reading.progress(bytes.len())
}

struct File<'b, 'r, 'o> {
    reading: &'r mut Reading<'o>,
    xml: Xml<'b>,
    /// How many games were begun.
    games: u64,
    told: usize,
    /// The name of the first element.
    root: Option<&'b [u8]>,
}

/// The elements of a game as they stand: name and text.
type Fields<'b> = Vec<(&'b [u8], String, usize)>;

impl<'b> File<'b, '_, '_> {
    fn games(&mut self) -> Result<(), Error> {
        loop {
            let torn = match self.item() {
                Ok(true) => continue,
                Ok(false) => return Ok(()),
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Torn(torn)) => torn,
            };
            let in_game = self.xml.depth() > 1 && self.games > 0;
            let place = Place { record: in_game.then_some(self.games), ..Place::byte(torn.at) };
            let error = self.reading.error(place, torn.message);
            if torn.cut {
                if self.reading.strict() || self.reading.records() == 0 {
                    return Err(error);
                }
                return self.reading.fault("cut", Severity::Damage, || {
                    (*error.place, format!("{}; the games before are kept", error.message))
                });
            }
            let Some(root) = self.root else { return Err(error) };
            self.reading.leave_out("broken", error)?;
            if !self.xml.resume(torn.at + 1, b"<game", &[root]) {
                return Ok(());
            }
        }
    }

    /// Reads the root's tag or a game; whether there is more.
    fn item(&mut self) -> Result<bool, Stop> {
        if self.xml.at() - self.told >= STEP {
            self.told = self.xml.at();
            self.reading.progress(self.told)?;
        }
        let tag = match self.xml.next()? {
            Token::Open(tag) => tag,
            Token::Close => return Ok(true),
            Token::Text(raw) if raw.bytes.trim_ascii().is_empty() => return Ok(true),
            Token::Text(raw) => return Ok(self.stray_text(raw.bytes, raw.at).map(|()| true)?),
            Token::End if self.root.is_none() => {
                return Err(self.reading.error(Place::byte(self.xml.at()), "there is no element").into());
            }
            Token::End => return Ok(false),
        };
        let is_root = self.xml.depth() == 1 && tag.name != b"game";
        self.root.get_or_insert(tag.name);
        match tag.name {
            _ if is_root => {}
            b"game" => self.game(tag)?,
            _ => {
                self.unknown(tag)?;
                self.xml.skip()?;
            }
        }
        Ok(true)
    }

    fn game(&mut self, tag: Tag<'b>) -> Result<(), Stop> {
        self.games += 1;
        let depth = self.xml.depth();
        let mut fields: Fields<'b> = Vec::new();
        while self.xml.depth() >= depth {
            match self.xml.next()? {
                Token::Open(inner) => {
                    let text = self.content()?;
                    fields.push((inner.name, text.0, text.1));
                }
                Token::Text(raw) if !raw.bytes.trim_ascii().is_empty() => self.stray_text(raw.bytes, raw.at)?,
                Token::Text(_) | Token::Close | Token::End => {}
            }
        }
        Ok(self.record(tag, &fields)?)
    }

    /// Hands out the game that these fields tell of.
    fn record(&mut self, tag: Tag<'b>, fields: &Fields<'b>) -> Result<(), Error> {
        let field = |name: &str| fields.iter().find(|(known, ..)| *known == name.as_bytes());
        let value = |name: &str| field(name).map_or("", |(_, text, _)| text.as_str());
        let mut head = Head::default();
        let push = |head: &mut Head, tag: &str, value: &str| {
            if !value.is_empty() {
                head.tags.push((tag.to_owned(), value.to_owned()));
            }
        };
        for (name, tag) in MOMENTS {
            let text = value(name);
            // A moment that has not come is 0.
            let moment = text.parse().ok().filter(|seconds| *seconds != 0).and_then(moment_text);
            push(&mut head, tag, moment.as_deref().unwrap_or(if text == "0" { "" } else { text }));
        }
        TAGS.iter().for_each(|(name, tag)| push(&mut head, tag, value(name)));
        if value("status") != FINISHED {
            push(&mut head, STATUS, value("status"));
        }
        if head.tag(RULE_NAME).is_some_and(|name| name.to_lowercase().contains("gomoku")) {
            head.rule = Some(Rule::Standard);
        }
        head.result = match value("winner") {
            "black" => Some(Outcome::First),
            "white" => Some(Outcome::Second),
            "" => None,
            _ if value("winby") == DRAW => Some(Outcome::Draw),
            _ => Some(Outcome::Unknown),
        };
        if head.result == Some(Outcome::Draw) {
            // The result says it.
            head.tags.retain(|(name, _)| name != TERMINATION);
        }
        let size = Size::default();
        let alt = value("alt5");
        let points: Option<Vec<Point>> = alt.split_whitespace().map(|word| Coords::A1.parse(word, size)).collect();
        match points {
            Some(points) => head.opening.offered = points,
            None => push(&mut head, "Alt", alt),
        }
        let others = ["moves", "board", "alt5", "status", "winner", "turn_color"];
        let mut due: Vec<&str> = TAGS.iter().chain(&MOMENTS).map(|(name, _)| *name).chain(others).collect();
        for (name, _, byte) in fields {
            match due.iter().position(|known| known.as_bytes() == *name) {
                Some(at) => drop(due.swap_remove(at)),
                None => self.fault("unknown-element", Severity::Quirk, *byte, || {
                    format!("the element `{}` is not known or stands twice: it is passed over", short(name))
                })?,
            }
        }
        let Some((name, moves, at)) = field("moves").or(field("board")) else {
            self.fault("no-moves", Severity::Quirk, tag.at, || "the game has no element `moves`".into())?;
            return self.reading.emit(Record { head, tree: TreeBuilder::new().build() });
        };
        let same = |board: &str| board.split_whitespace().eq(moves.split_whitespace());
        if *name == b"moves" && field("board").is_some_and(|(_, board, _)| !same(board)) {
            self.fault("other-board", Severity::Damage, tag.at, || {
                "`board` and `moves` are not the same: `moves` is taken".into()
            })?;
        }
        let (builder, bad) = self.play(moves, *at)?;
        if let Some(error) = bad {
            if !self.reading.lenient() {
                return self.reading.leave_out("bad-game", error);
            }
            self.reading.fault("cut-game", Severity::Damage, || {
                (*error.place, format!("{}; the game is kept up to there", error.message))
            })?;
        }
        self.reading.emit(Record { head, tree: builder.build() })
    }

    /// The moves as a tree, up to the first that is none, which is the error.
    fn play(&self, moves: &str, at: usize) -> Result<(TreeBuilder, Option<Error>), Error> {
        let size = Size::default();
        let mut builder = TreeBuilder::new();
        for (ply, word) in moves.split_whitespace().enumerate() {
            let play = match Coords::A1.parse(word, size) {
                Some(point) => Move::Place(point),
                None if word == "--" => Move::Pass,
                None => {
                    let message = format!("`{}` is not a point of a {size} board", short(word.as_bytes()));
                    let byte = at + (word.as_ptr() as usize - moves.as_ptr() as usize);
                    let place = Place { record: Some(self.games), ..Place::byte(byte) };
                    let place = place.after(builder.tree(), builder.last(), size);
                    let error = self.reading.error(place, message);
                    return Ok((builder, Some(error)));
                }
            };
            builder.append(ply + 1, Side::of_ply(ply + 1), Play::Move(play))?;
        }
        Ok((builder, None))
    }

    /// The text up to the end of the element that was opened last, and the byte it begins at.
    fn content(&mut self) -> Result<(String, usize), Stop> {
        let depth = self.xml.depth();
        let (mut content, mut at) = (String::new(), self.xml.at());
        while self.xml.depth() >= depth {
            match self.xml.next()? {
                Token::Text(raw) => {
                    if content.is_empty() {
                        at = raw.at;
                    }
                    let mut flaw: Option<Flaw> = None;
                    let text = raw.text(self.reading.options.encoding.or(self.xml.encoding), &mut flaw);
                    content.push_str(&text);
                    if let Some(flaw) = flaw {
                        let severity = if flaw.kind == "stray-ampersand" { Severity::Quirk } else { Severity::Damage };
                        self.fault(flaw.kind, severity, flaw.at, || flaw.message)?;
                    }
                }
                Token::Open(inner) => {
                    self.unknown(inner)?;
                    self.xml.skip()?;
                }
                Token::Close | Token::End => {}
            }
        }
        let blanks = content.len() - content.trim_start().len();
        Ok((content.trim().to_owned(), at + blanks))
    }

    fn unknown(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        self.fault("unknown-element", Severity::Quirk, tag.at, || {
            format!("the element `{}` is not known here and is passed over", short(tag.name))
        })
    }

    fn stray_text(&mut self, bytes: &[u8], at: usize) -> Result<(), Error> {
        self.fault("stray-text", Severity::Damage, at, || {
            format!("the text `{}` stands between elements and is left out", short(bytes.trim_ascii()))
        })
    }

    fn fault(
        &mut self,
        kind: &'static str,
        severity: Severity,
        at: usize,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let place = Place { record: (self.games > 0).then_some(self.games), ..Place::byte(at) };
        self.reading.fault(kind, severity, || (place, message()))
    }
}

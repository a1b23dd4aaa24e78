//! From XML to records.

use super::{is_swaps, rule_name, rule_of, tag};
use crate::xml::{Flaw, Raw, Stop, Tag, Token, Xml, short};
use crate::{Error, Place, Reading, Severity};
use games::gomoku::OPENINGS;
use games::{Coords, Move, Point, Rule, Side, Size};
use record::{Head, Note, Outcome, Play, Record, TreeBuilder};
use std::borrow::Cow;
use std::collections::HashMap;

/// Progress is told after so many bytes.
const STEP: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut file = File {
        reading,
        xml: Xml::new(bytes),
        tables: Tables::default(),
        section: Section::Unknown,
        has_root: false,
        games: 0,
        told: 0,
        text: String::new(),
        text_at: 0,
        moves: String::new(),
        comment: String::new(),
    };
    file.database()?;
    file.reading.end()?;
    file.reading.progress(bytes.len())
}

struct File<'b, 'r, 'o> {
    reading: &'r mut Reading<'o>,
    xml: Xml<'b>,
    tables: Tables<'b>,
    /// What the reader stands in.
    section: Section,
    has_root: bool,
    /// How many games were begun.
    games: u64,
    told: usize,
    /// The text of an element, and the byte it begins at.
    text: String,
    text_at: usize,
    /// Of the game that is read.
    moves: String,
    comment: String,
}

/// A child of the root.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Section {
    Countries,
    Cities,
    Months,
    Rules,
    Openings,
    Players,
    Tournaments,
    Games,
    Unknown,
}

/// The names of the sections and of what they hold.
const SECTIONS: [(&[u8], &[u8], Section); 8] = [
    (b"countries", b"country", Section::Countries),
    (b"cities", b"city", Section::Cities),
    (b"months", b"month", Section::Months),
    (b"rules", b"rule", Section::Rules),
    (b"openings", b"opening", Section::Openings),
    (b"players", b"player", Section::Players),
    (b"tournaments", b"tournament", Section::Tournaments),
    (b"games", b"game", Section::Games),
];

/// What stands before the games, by its `id`.
#[derive(Default)]
struct Tables<'b> {
    countries: HashMap<Cow<'b, str>, Country<'b>>,
    cities: HashMap<Cow<'b, str>, City<'b>>,
    rules: HashMap<Cow<'b, str>, GameRule<'b>>,
    openings: HashMap<Cow<'b, str>, Cow<'b, str>>,
    players: HashMap<Cow<'b, str>, Player<'b>>,
    tournaments: HashMap<Cow<'b, str>, Tournament<'b>>,
}

struct Country<'b> {
    name: Cow<'b, str>,
    /// Family names stand first.
    reversed: bool,
}

struct City<'b> {
    name: Cow<'b, str>,
    /// Its `id`.
    country: Cow<'b, str>,
}

struct GameRule<'b> {
    rule: Option<Rule>,
    /// Nothing where the name says no more than the rule.
    name: Cow<'b, str>,
}

struct Player<'b> {
    name: Cow<'b, str>,
    native: Cow<'b, str>,
    country: Cow<'b, str>,
}

struct Tournament<'b> {
    name: Cow<'b, str>,
    site: Cow<'b, str>,
    start: Cow<'b, str>,
    end: Cow<'b, str>,
}

impl<'b> File<'b, '_, '_> {
    fn database(&mut self) -> Result<(), Error> {
        loop {
            let torn = match self.item() {
                Ok(true) => continue,
                Ok(false) => return Ok(()),
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Torn(torn)) => torn,
            };
            let in_game = self.section == Section::Games && self.xml.depth() > 2;
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
            if !self.has_root {
                return Err(error);
            }
            self.reading.leave_out("broken", error)?;
            if !self.xml.resume(torn.at + 1, b"<game", &[b"database", b"games"]) {
                return Ok(());
            }
            self.section = Section::Games;
        }
    }

    /// Reads a tag of the root or of a section, or an element of a section; whether there is more.
    fn item(&mut self) -> Result<bool, Stop> {
        if self.xml.at() - self.told >= STEP {
            self.told = self.xml.at();
            self.reading.progress(self.told)?;
        }
        let tag = match self.xml.next()? {
            Token::Open(tag) => tag,
            Token::Close => return Ok(true),
            Token::Text(raw) => return Ok(self.stray_text(raw).map(|()| true)?),
            Token::End if !self.has_root => {
                return Err(self.error(self.xml.at(), "there is no element `database`").into());
            }
            Token::End => return Ok(false),
        };
        match self.xml.depth() {
            1 => self.root(tag)?,
            2 => {
                let known = SECTIONS.iter().find(|(name, ..)| *name == tag.name);
                self.section = known.map_or(Section::Unknown, |(.., section)| *section);
                if known.is_none() {
                    self.unknown_element(tag)?;
                }
            }
            _ => self.element(tag)?,
        }
        Ok(true)
    }

    fn root(&mut self, tag: Tag<'b>) -> Result<(), Stop> {
        if tag.name != b"database" {
            let message = format!("the root element is `{}`, not `database`", short(tag.name));
            return Err(self.error(tag.at, message).into());
        }
        let [version, _] = self.fields(tag, ["version", "date"], &[])?;
        self.has_root = true;
        self.reading.version = Some(version.into_owned()).filter(|version| !version.is_empty());
        Ok(())
    }

    fn element(&mut self, tag: Tag<'b>) -> Result<(), Stop> {
        let wanted = SECTIONS.iter().find(|(.., section)| *section == self.section);
        if wanted.is_none_or(|(_, name, _)| *name != tag.name) {
            return self.unknown_element(tag);
        }
        match self.section {
            Section::Games => return self.game(tag),
            Section::Rules => return self.rule(tag),
            Section::Countries => self.country(tag)?,
            Section::Cities => self.city(tag)?,
            Section::Openings => self.opening(tag)?,
            Section::Players => self.player(tag)?,
            Section::Tournaments => self.tournament(tag)?,
            Section::Months | Section::Unknown => {}
        }
        Ok(self.xml.skip()?)
    }

    // Tables.

    fn country(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        let [id, name, abbr, reversed] = self.fields(tag, ["id", "name", "abbr", "reversed"], &[])?;
        let country = Country { name: or(name, abbr), reversed: reversed == "1" };
        let again = self.tables.countries.insert(id, country).is_some();
        self.second(again, tag)
    }

    fn city(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        let [id, name, country] = self.fields(tag, ["id", "name", "country"], &[])?;
        let again = self.tables.cities.insert(id, City { name, country }).is_some();
        self.second(again, tag)
    }

    fn rule(&mut self, tag: Tag<'b>) -> Result<(), Stop> {
        let [id, name, category] = self.fields(tag, ["id", "name", "category"], &[])?;
        let rule = rule_of(&category, &name);
        let name = if rule.is_some_and(|rule| rule_name(rule) == name) { Cow::Borrowed("") } else { name };
        let again = self.tables.rules.insert(id, GameRule { rule, name }).is_some();
        self.second(again, tag)?;
        let depth = self.xml.depth();
        while self.xml.depth() >= depth {
            match self.xml.next()? {
                Token::Open(inner) if inner.name == b"info" => {
                    self.content()?;
                    let at = self.text_at;
                    if !self.text.trim().is_empty() {
                        self.reading.fault("not-kept", Severity::Remark, || {
                            (Place::byte(at), "`info` of `rule` has no place in a record".into())
                        })?;
                    }
                }
                Token::Open(inner) => self.unknown_element(inner)?,
                Token::Text(raw) => self.stray_text(raw)?,
                Token::Close | Token::End => {}
            }
        }
        Ok(())
    }

    fn opening(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        let [id, abbr, name] = self.fields(tag, ["id", "abbr", "name"], &[])?;
        let again = self.tables.openings.insert(id, or(abbr, name)).is_some();
        self.second(again, tag)
    }

    fn player(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        // Some files say `native` for `native_name`.
        let names = ["id", "name", "surname", "native_name", "native", "country"];
        let others = ["disp_id", "city", "gender", "birth"];
        let [id, given, family, native, native_short, country] = self.fields(tag, names, &others)?;
        let country = self.tables.countries.get(&country);
        let reversed = country.is_some_and(|country| country.reversed);
        let (first, last) = if reversed { (family, given) } else { (given, family) };
        let name = match (&*first, &*last) {
            ("", _) => last,
            (_, "") => first,
            _ => Cow::Owned(format!("{first} {last}")),
        };
        let country = country.map_or(Cow::Borrowed(""), |country| country.name.clone());
        let player = Player { name, native: or(native, native_short), country };
        let again = self.tables.players.insert(id, player).is_some();
        self.second(again, tag)
    }

    fn tournament(&mut self, tag: Tag<'b>) -> Result<(), Error> {
        let names = ["id", "name", "country", "city", "year", "month", "start", "end"];
        let [id, name, country, city, year, month, start, end] = self.fields(tag, names, &["rule", "rated", "type"])?;
        let city = self.tables.cities.get(&city);
        let country = self.tables.countries.get(&country);
        let country = country.or(city.and_then(|city| self.tables.countries.get(&city.country)));
        let site = match (city, country) {
            (Some(city), Some(country)) if !city.name.is_empty() => {
                Cow::Owned(format!("{}, {}", city.name, country.name))
            }
            (Some(city), None) => city.name.clone(),
            (_, Some(country)) => country.name.clone(),
            (None, None) => Cow::Borrowed(""),
        };
        let start = match (&*start, month.parse::<u8>()) {
            ("", Ok(month)) if !year.is_empty() => Cow::Owned(format!("{year}-{month:02}")),
            ("", _) => year,
            _ => start,
        };
        let again = self.tables.tournaments.insert(id, Tournament { name, site, start, end }).is_some();
        self.second(again, tag)
    }

    fn second(&mut self, again: bool, tag: Tag<'b>) -> Result<(), Error> {
        if !again {
            return Ok(());
        }
        self.reading.fault("second-id", Severity::Damage, || {
            (
                Place::byte(tag.at),
                format!("a second `{}` has this `id`: it takes the place of the first", short(tag.name)),
            )
        })
    }

    // Games.

    fn game(&mut self, tag: Tag<'b>) -> Result<(), Stop> {
        self.games += 1;
        let names = [
            "id",
            "publisher",
            "tournament",
            "round",
            "rule",
            "black",
            "white",
            "bresult",
            "btime",
            "wtime",
            "opening",
            "alt",
            "swap",
        ];
        let [id, publisher, tournament, round, rule, black, white, result, btime, wtime, opening, alt, swap] =
            self.fields(tag, names, &[])?;
        let mut head = Head::default();
        head.tags.reserve_exact(10);
        match self.tables.tournaments.get(&tournament) {
            Some(of) => {
                push(&mut head, tag::EVENT, &of.name);
                push(&mut head, tag::SITE, &of.site);
                push(&mut head, tag::DATE, &of.start);
                push(&mut head, tag::END_DATE, &of.end);
            }
            None => self.missing(tag, "tournament", &tournament)?,
        }
        push(&mut head, tag::ROUND, &round);
        for (side, id, time) in [(tag::BLACK, black, btime), (tag::WHITE, white, wtime)] {
            match self.tables.players.get(&id) {
                Some(player) => {
                    push(&mut head, side.name, &player.name);
                    push(&mut head, side.native, &player.native);
                    push(&mut head, side.country, &player.country);
                }
                None => self.missing(tag, "player", &id)?,
            }
            push(&mut head, side.time, &time);
        }
        match self.tables.rules.get(&rule) {
            Some(of) => {
                head.rule = of.rule;
                push(&mut head, tag::RULE_NAME, &of.name);
            }
            None => self.missing(tag, "rule", &rule)?,
        }
        match self.tables.openings.get(&opening) {
            Some(name) => push(&mut head, tag::OPENING, name),
            None => match OPENINGS.iter().find(|known| opening.parse() == Ok(known.renjunet)) {
                Some(known) => push(&mut head, tag::OPENING, known.code),
                None => self.missing(tag, "opening", &opening)?,
            },
        }
        let size = Size::default();
        let points: Option<Vec<Point>> = alt.split_whitespace().map(|word| Coords::A1.parse(word, size)).collect();
        match points {
            Some(points) => head.opening.offered = points,
            None => push(&mut head, tag::ALT, &alt),
        }
        if is_swaps(&swap) {
            head.opening.swaps = Some(swap.into_owned());
        } else {
            push(&mut head, tag::SWAP, &swap);
        }
        match self.tables.players.get(&publisher) {
            Some(player) => push(&mut head, tag::PUBLISHER, &player.name),
            None => self.missing(tag, "player", &publisher)?,
        }
        push(&mut head, tag::GAME_ID, &id);
        head.result = match &*result {
            "1" => Some(Outcome::First),
            "0.5" => Some(Outcome::Draw),
            "0" => Some(Outcome::Second),
            "" => None,
            other => {
                let message = || format!("`{}` is not a result: it is 1, 0.5 or 0", short(other.as_bytes()));
                self.game_fault("bad-result", Severity::Damage, tag.at, message)?;
                None
            }
        };
        self.game_content(tag, head)
    }

    /// Reads what stands inside a game and hands the game out.
    fn game_content(&mut self, tag: Tag<'b>, head: Head) -> Result<(), Stop> {
        let depth = self.xml.depth();
        let mut has_moves = false;
        let mut moves_at = 0;
        self.moves.clear();
        self.comment.clear();
        while self.xml.depth() >= depth {
            match self.xml.next()? {
                Token::Open(inner) if inner.name == b"move" && !has_moves => {
                    has_moves = true;
                    self.content()?;
                    std::mem::swap(&mut self.moves, &mut self.text);
                    moves_at = self.text_at;
                }
                Token::Open(inner) if inner.name == b"info" && self.comment.is_empty() => {
                    self.content()?;
                    std::mem::swap(&mut self.comment, &mut self.text);
                }
                Token::Open(inner) => self.unknown_element(inner)?,
                Token::Text(raw) => self.stray_text(raw)?,
                Token::Close | Token::End => {}
            }
        }
        if !has_moves {
            self.game_fault("no-moves", Severity::Quirk, tag.at, || "the game has no element `move`".into())?;
        }
        let mut builder = TreeBuilder::new();
        builder.reserve(self.moves.len() / 3 + 2);
        // Blanks between tags are no comment.
        if !self.comment.trim().is_empty() {
            let (line, body) = self.comment.split_once('\n').map_or((&*self.comment, None), |(a, b)| (a, Some(b)));
            if !line.is_empty() || body.is_none() {
                builder.note(Note::Line(line)).map_err(Error::from)?;
            }
            body.map_or(Ok(()), |body| builder.note(Note::Body(body))).map_err(Error::from)?;
        }
        let bad = self.play(&mut builder, moves_at)?;
        if let Some(error) = bad {
            if !self.reading.lenient() {
                return Ok(self.reading.leave_out("bad-game", error)?);
            }
            self.reading.fault("cut-game", Severity::Damage, || {
                (*error.place, format!("{}; the game is kept up to there", error.message))
            })?;
        }
        Ok(self.reading.emit(Record { head, tree: builder.build() })?)
    }

    /// Adds the moves of the game to the tree, up to the first that is none, which it gives as an error.
    fn play(&mut self, builder: &mut TreeBuilder, moves_at: usize) -> Result<Option<Error>, Error> {
        let size = Size::default();
        let mut capital = None;
        let mut pass = None;
        for (ply, word) in self.moves.split_ascii_whitespace().enumerate() {
            let at = || moves_at + (word.as_ptr() as usize - self.moves.as_ptr() as usize);
            let play = match Coords::A1.parse(word, size) {
                Some(point) => {
                    if word.as_bytes()[0].is_ascii_uppercase() {
                        capital.get_or_insert_with(at);
                    }
                    Move::Place(point)
                }
                None if word == "--" => {
                    pass.get_or_insert_with(at);
                    Move::Pass
                }
                None => {
                    let message = format!("`{}` is not a point of a {size} board", short(word.as_bytes()));
                    let place = Place { record: Some(self.games), ..Place::byte(at()) };
                    let place = place.after(builder.tree(), builder.last(), size);
                    return Ok(Some(self.reading.error(place, message)));
                }
            };
            builder.append(ply + 1, Side::of_ply(ply + 1), Play::Move(play))?;
        }
        if let Some(at) = capital {
            self.game_fault("capital-letter", Severity::Quirk, at, || "moves are in capital letters".into())?;
        }
        if let Some(at) = pass {
            self.game_fault("pass", Severity::Quirk, at, || "a pass is written `--`, which RenjuNet has not".into())?;
        }
        Ok(None)
    }

    /// A reference to nothing; an empty one is none.
    fn missing(&mut self, tag: Tag<'b>, what: &str, id: &str) -> Result<(), Error> {
        if id.is_empty() {
            return Ok(());
        }
        self.game_fault("missing-entry", Severity::Damage, tag.at, || {
            format!("there is no {what} `{}`", short(id.as_bytes()))
        })
    }

    fn game_fault(
        &mut self,
        kind: &'static str,
        severity: Severity,
        at: usize,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let place = Place { record: Some(self.games), ..Place::byte(at) };
        self.reading.fault(kind, severity, || (place, message()))
    }

    // Pieces.

    /// The values of the attributes of these names, empty where there is none; `others` are known and have no place.
    fn fields<const N: usize>(
        &mut self,
        tag: Tag<'b>,
        names: [&str; N],
        others: &[&str],
    ) -> Result<[Cow<'b, str>; N], Error> {
        let mut fields = [const { Cow::Borrowed("") }; N];
        for attribute in tag.attributes() {
            let (name, raw) = match attribute {
                Ok(attribute) => attribute,
                Err(flaw) => {
                    self.flaw(flaw)?;
                    continue;
                }
            };
            if let Some(at) = names.iter().position(|known| known.as_bytes() == name) {
                fields[at] = self.value(raw)?;
            } else if !others.iter().any(|known| known.as_bytes() == name) {
                self.reading.fault("unknown-attribute", Severity::Quirk, || {
                    let message = format!("the attribute `{}` of `{}` is not known", short(name), short(tag.name));
                    (Place::byte(tag.at), format!("{message} and passed over"))
                })?;
            } else if !raw.bytes.is_empty() {
                self.reading.fault("not-kept", Severity::Remark, || {
                    let message = format!("`{}` of `{}` has no place in a record", short(name), short(tag.name));
                    (Place::byte(raw.at), message)
                })?;
            }
        }
        Ok(fields)
    }

    fn value(&mut self, raw: Raw<'b>) -> Result<Cow<'b, str>, Error> {
        let mut flaw = None;
        let text = raw.text(self.reading.options.encoding.or(self.xml.encoding), &mut flaw);
        flaw.map_or(Ok(()), |flaw| self.flaw(flaw))?;
        Ok(text)
    }

    fn flaw(&mut self, flaw: Flaw) -> Result<(), Error> {
        let record = (self.section == Section::Games).then_some(self.games);
        let severity = if flaw.kind == "stray-ampersand" { Severity::Quirk } else { Severity::Damage };
        self.reading.fault(flaw.kind, severity, || (Place { record, ..Place::byte(flaw.at) }, flaw.message))
    }

    /// Reads the text up to the end of the element that was opened last.
    fn content(&mut self) -> Result<(), Stop> {
        let depth = self.xml.depth();
        self.text.clear();
        while self.xml.depth() >= depth {
            match self.xml.next()? {
                Token::Text(raw) => {
                    if self.text.is_empty() {
                        self.text_at = raw.at;
                    }
                    let text = self.value(raw)?;
                    self.text.push_str(&text);
                }
                Token::Open(inner) => self.unknown_element(inner)?,
                Token::Close | Token::End => {}
            }
        }
        Ok(())
    }

    /// Passes over an element with all that is in it.
    fn unknown_element(&mut self, tag: Tag<'b>) -> Result<(), Stop> {
        self.reading.fault("unknown-element", Severity::Quirk, || {
            let message = format!("the element `{}` is not known here and passed over", short(tag.name));
            (Place::byte(tag.at), message)
        })?;
        Ok(self.xml.skip()?)
    }

    fn stray_text(&mut self, raw: Raw<'b>) -> Result<(), Error> {
        if raw.bytes.trim_ascii().is_empty() {
            return Ok(());
        }
        self.reading.fault("stray-text", Severity::Damage, || {
            let message =
                format!("the text `{}` stands between elements and is left out", short(raw.bytes.trim_ascii()));
            (Place::byte(raw.at), message)
        })
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        self.reading.error(Place::byte(at), message)
    }
}

/// The first text, or the second where the first is empty.
fn or<'t>(text: Cow<'t, str>, other: Cow<'t, str>) -> Cow<'t, str> {
    if text.is_empty() { other } else { text }
}

/// Adds a tag, unless its value is empty.
fn push(head: &mut Head, name: &str, value: &str) {
    if !value.is_empty() {
        head.tags.push((name.to_owned(), value.to_owned()));
    }
}

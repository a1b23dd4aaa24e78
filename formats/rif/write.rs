//! From records to XML.

use super::{NAME, is_swaps, rule_name, rule_of, tag};
use crate::line::{must_be_gomoku, plies, tags_lost};
use crate::loss::EMPTY_LINE;
use crate::xml::{attribute, escape};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer};
use games::gomoku::{OPENINGS, Opening};
use games::{Coords, Move, Rule, Size};
use record::{Date, NodeId, Note, Outcome, Record, is_plain, plain};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::Hash;
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;

pub(super) fn writer<'a>(target: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Database {
        out: Out::new(target),
        games: Games { buffer: Vec::new(), file: None, folder: options.folder.clone() },
        ids: HashSet::new(),
        last_id: 0,
        countries: Table::default(),
        cities: Table::default(),
        rules: Table::default(),
        openings: Table::default(),
        players: Table::default(),
        tournaments: Table::default(),
    })
}

/// The tables stand before the games and are known when all games are there, so these wait.
struct Database<'a> {
    out: Out<'a>,
    games: Games,
    /// Of the games.
    ids: HashSet<String>,
    last_id: u64,
    countries: Table<String>,
    /// Name, country.
    cities: Table<(String, String)>,
    /// Name, category.
    rules: Table<(String, &'static str)>,
    /// Those that are none of the 26.
    openings: Table<String>,
    /// Name, native name, country.
    players: Table<(String, String, String)>,
    /// Name, site, start, end.
    tournaments: Table<(String, String, String, String)>,
}

/// Things with a number each, from 1, in the order they were met.
struct Table<T> {
    numbers: HashMap<T, usize>,
    list: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { numbers: HashMap::new(), list: Vec::new() }
    }
}

impl<T: Hash + Eq + Clone> Table<T> {
    fn number(&mut self, thing: T) -> usize {
        if let Some(number) = self.numbers.get(&thing) {
            return *number;
        }
        self.list.push(thing.clone());
        self.numbers.insert(thing, self.list.len());
        self.list.len()
    }
}

/// The games as XML, in memory and behind that in a file without a name.
struct Games {
    buffer: Vec<u8>,
    file: Option<File>,
    folder: Option<PathBuf>,
}

/// How much of the games waits in memory.
const HELD: usize = 4 << 20;

impl Games {
    fn spill(&mut self) -> io::Result<()> {
        if self.buffer.len() < HELD {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            }),
        };
        file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn write(&mut self, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.rewind()?;
            let mut piece = vec![0; 64 << 10];
            loop {
                match file.read(&mut piece)? {
                    0 => break,
                    length => out.push(&piece[..length]),
                }
                out.spill()?;
            }
        }
        out.push(&self.buffer);
        out.spill()
    }
}

/// The tags that are written, where the conditions of their fields hold.
const WRITTEN: [&str; 17] = [
    tag::EVENT,
    tag::SITE,
    tag::DATE,
    tag::END_DATE,
    tag::ROUND,
    tag::BLACK.name,
    tag::BLACK.native,
    tag::BLACK.country,
    tag::BLACK.time,
    tag::WHITE.name,
    tag::WHITE.native,
    tag::WHITE.country,
    tag::WHITE.time,
    tag::OPENING,
    tag::PUBLISHER,
    tag::GAME_ID,
    tag::RULE_NAME,
];

impl Writer for Database<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let size = Size::default();
        if head.size != size {
            let message = format!("a game of RenjuNet is on a board of {size}, not of {}", head.size);
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let is_comment = |node, note: &Note<'_>| node == NodeId::ROOT && matches!(note, Note::Line(_) | Note::Body(_));
        let plies = plies(record, is_comment, losses);
        let mut written: Vec<&str> = WRITTEN.to_vec();
        let mut text = |name: &str| {
            let value = head.tag(name).unwrap_or_default();
            if !value.chars().all(is_plain) {
                losses.named("tags with characters that XML cannot hold (written as U+FFFD)", name);
            } else if value.is_empty() && head.tag(name).is_some() {
                losses.named("empty tags (left out)", name);
            }
            plain(value).into_owned()
        };
        let [event, site, start, end] = [tag::EVENT, tag::SITE, tag::DATE, tag::END_DATE].map(&mut text);
        let has_tournament = [&event, &site, &start, &end].iter().any(|part| !part.is_empty());
        let tournament = has_tournament.then(|| self.tournament(event, site, start, end));
        let mut player = |tags: &tag::Player| {
            let [name, native, country] = [tags.name, tags.native, tags.country].map(&mut text);
            let is_known = [&name, &native, &country].iter().any(|part| !part.is_empty());
            is_known.then(|| self.player(name, native, country))
        };
        let (black, white) = (player(&tag::BLACK), player(&tag::WHITE));
        let publisher = text(tag::PUBLISHER);
        let publisher = (!publisher.is_empty()).then(|| self.player(publisher, String::new(), String::new()));
        let opening = text(tag::OPENING);
        let opening = (!opening.is_empty()).then(|| self.opening(opening));
        let rule = self.rule(head.rule, &text(tag::RULE_NAME), &mut written);
        let id = self.id(&text(tag::GAME_ID), &mut written);
        let offered: Vec<String> = head.opening.offered.iter().map(|point| Coords::A1.text(*point, size)).collect();
        let (alt, alt_tag) = (offered.join(" "), text(tag::ALT));
        let opaque = |text: &str| text.split_whitespace().any(|word| Coords::A1.parse(word, size).is_none());
        let alt = if alt.is_empty() && opaque(&alt_tag) {
            written.push(tag::ALT);
            alt_tag
        } else {
            alt
        };
        let (swaps, swap_tag) = (head.opening.swaps.as_deref(), text(tag::SWAP));
        let swap = match swaps {
            Some(swaps) if is_swaps(swaps) => Cow::Borrowed(swaps),
            None if !swap_tag.is_empty() && !is_swaps(&swap_tag) => {
                written.push(tag::SWAP);
                Cow::Owned(swap_tag)
            }
            _ => Cow::Borrowed(""),
        };
        let [round, btime, wtime] = [tag::ROUND, tag::BLACK.time, tag::WHITE.time].map(&mut text);
        let result = match head.result {
            Some(Outcome::First) => "1",
            Some(Outcome::Draw) => "0.5",
            Some(Outcome::Second) => "0",
            Some(other) => {
                losses.named("results (left out)", other.text());
                ""
            }
            None => "",
        };
        if swaps.is_some_and(|swaps| !is_swaps(swaps)) {
            losses.named("parts of the opening procedure (left out)", "swaps");
        }
        if head.opening.declared.is_some() {
            losses.named("parts of the opening procedure (left out)", "the declared number of fifth moves");
        }
        tags_lost(head, &written, losses);

        let out = &mut self.games.buffer;
        out.extend_from_slice(b"<game");
        attribute("id", &id, out);
        let number = |number: Option<usize>| number.map_or(String::new(), |number| number.to_string());
        attribute("publisher", &number(publisher), out);
        attribute("tournament", &number(tournament), out);
        attribute("round", &round, out);
        attribute("rule", &number(rule), out);
        attribute("black", &number(black), out);
        attribute("white", &number(white), out);
        attribute("bresult", result, out);
        attribute("btime", &btime, out);
        attribute("wtime", &wtime, out);
        attribute("opening", &number(opening), out);
        attribute("alt", &alt, out);
        attribute("swap", &swap, out);
        out.extend_from_slice(b">\n<move>");
        for (at, ply) in plies.iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            match ply.play {
                Move::Place(point) => Coords::A1.push(point, size, out),
                Move::Pass | Move::Step(_) => {
                    losses.node("passes (written as `--`, which RenjuNet has not)", record, ply.node);
                    out.extend_from_slice(b"--");
                }
            }
        }
        out.extend_from_slice(b"</move>\n");
        comment(record, out, losses);
        out.extend_from_slice(b"</game>\n");
        Ok(self.games.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.out.push(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<database version=\"1.0\" date=\"\">\n");
        self.tables();
        self.out.push(b"<games>\n");
        self.games.write(&mut self.out)?;
        self.out.push(b"</games>\n</database>\n");
        Ok(self.out.flush()?)
    }
}

impl Database<'_> {
    fn tournament(&mut self, event: String, site: String, start: String, end: String) -> usize {
        let (city, country) = site.rsplit_once(", ").unwrap_or((&site, ""));
        if !site.is_empty() {
            self.cities.number((city.to_owned(), country.to_owned()));
        }
        if !country.is_empty() {
            self.countries.number(country.to_owned());
        }
        self.tournaments.number((event, site, start, end))
    }

    fn player(&mut self, name: String, native: String, country: String) -> usize {
        if !country.is_empty() {
            self.countries.number(country.clone());
        }
        self.players.number((name, native, country))
    }

    fn opening(&mut self, name: String) -> usize {
        match OPENINGS.iter().find(|opening| opening.code == name) {
            Some(opening) => opening.renjunet.into(),
            None => OPENINGS.len() + self.openings.number(name),
        }
    }

    /// The number of the rule with this name, or its usual name where this one would be read as another rule.
    fn rule(&mut self, rule: Option<Rule>, name: &str, written: &mut Vec<&str>) -> Option<usize> {
        let category = match rule {
            Some(Rule::Renju) => "1",
            Some(_) => "2",
            None => "",
        };
        let usual = rule.map_or("", rule_name);
        let name = match name {
            "" => usual,
            name if rule_of(category, name) == rule && name != usual => name,
            _ => {
                written.retain(|tag| *tag != tag::RULE_NAME);
                usual
            }
        };
        (!name.is_empty()).then(|| self.rules.number((name.to_owned(), category)))
    }

    /// The id asked for if no other game has it, or the next number that is free.
    fn id(&mut self, wanted: &str, written: &mut Vec<&str>) -> String {
        if !wanted.is_empty() && self.ids.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        written.retain(|tag| *tag != tag::GAME_ID);
        loop {
            self.last_id += 1;
            let id = self.last_id.to_string();
            if self.ids.insert(id.clone()) {
                return id;
            }
        }
    }

    fn tables(&mut self) {
        let out = self.out.buffer();
        let number_of = |country: &str| self.countries.numbers.get(country).map_or(String::new(), usize::to_string);
        table("countries", "country", self.countries.list.iter(), out, |name, out| attribute("name", name, out));
        table("cities", "city", self.cities.list.iter(), out, |(name, country), out| {
            attribute("country", &number_of(country), out);
            attribute("name", name, out);
        });
        let months = (1..=12).map(|month| {
            let names = "January February March April May June July August September October November December";
            names.split(' ').nth(month - 1).unwrap_or_default()
        });
        table("months", "month", months, out, |name, out| attribute("name", name, out));
        table("rules", "rule", self.rules.list.iter(), out, |(name, category), out| {
            attribute("name", name, out);
            attribute("category", category, out);
        });
        // The 26 have their numbers in RenjuNet's database.
        let mut openings: Vec<&Opening> = OPENINGS.iter().collect();
        openings.sort_by_key(|opening| opening.renjunet);
        let known = openings.iter().map(|opening| (opening.code, opening.romaji()));
        let all = known.chain(self.openings.list.iter().map(|name| (name.as_str(), "")));
        table("openings", "opening", all, out, |(abbr, name), out| {
            attribute("abbr", abbr, out);
            attribute("name", name, out);
        });
        table("players", "player", self.players.list.iter(), out, |(name, native, country), out| {
            // The family name is the last word, as far as a name alone can tell.
            let (given, family) = match name.rsplit_once(' ') {
                Some((given, family)) if !given.is_empty() && !family.is_empty() => (given, family),
                _ => ("", name.as_str()),
            };
            attribute("name", given, out);
            attribute("surname", family, out);
            attribute("native_name", native, out);
            attribute("country", &number_of(country), out);
            attribute("city", "", out);
        });
        table("tournaments", "tournament", self.tournaments.list.iter(), out, |(name, site, start, end), out| {
            let (city, country) = site.rsplit_once(", ").unwrap_or((site, ""));
            let place = (city.to_owned(), country.to_owned());
            let city = self.cities.numbers.get(&place).map_or(String::new(), usize::to_string);
            let date = Date::find(start);
            attribute("name", name, out);
            attribute("country", &number_of(country), out);
            attribute("city", &city, out);
            attribute("year", &date.map_or(String::new(), |date| date.year().to_string()), out);
            attribute("start", start, out);
            attribute("end", end, out);
        });
    }
}

/// Appends a table; `fields` writes the attributes behind the `id`.
fn table<T>(
    name: &str,
    element: &str,
    things: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    fields: impl Fn(T, &mut Vec<u8>),
) {
    out.extend_from_slice(format!("<{name}>\n").as_bytes());
    for (at, thing) in things.enumerate() {
        out.extend_from_slice(format!("<{element} id=\"{}\"", at + 1).as_bytes());
        fields(thing, out);
        out.extend_from_slice(b" />\n");
    }
    out.extend_from_slice(format!("</{name}>\n").as_bytes());
}

/// Appends the comment of the root, if it has one.
fn comment(record: &Record, out: &mut Vec<u8>, losses: &mut Losses) {
    let tree = &record.tree;
    let (line, body) = (tree.line(NodeId::ROOT), tree.body(NodeId::ROOT));
    if line.is_some_and(|line| line.contains('\n')) {
        losses.node("line breaks in the one-line part of comments (what follows joins the body)", record, NodeId::ROOT);
    }
    if line == Some("") && body.is_some() {
        losses.node(EMPTY_LINE, record, NodeId::ROOT);
    }
    let text = match (line, body) {
        (None, None) => return,
        (line, Some(body)) => Cow::Owned(format!("{}\n{body}", line.unwrap_or_default())),
        (Some(line), None) => Cow::Borrowed(line),
    };
    if text.trim().is_empty() {
        losses.node("empty comments (left out)", record, NodeId::ROOT);
        return;
    }
    out.extend_from_slice(b"<info>");
    escape(&text, false, out);
    out.extend_from_slice(b"</info>\n");
}

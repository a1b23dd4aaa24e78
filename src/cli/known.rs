use super::book::{each_position, hash, open};
use super::input::{Input, name};
use super::kind::Kind;
use super::progress::Bar;
use super::reading::{ReadArgs, Told};
use super::terminal::{JSON, count, thousands};
use ::book::{BuildOptions, Builder};
use ::formats::{Blame, EntryFormat, Error, Faults, Guess, ReadOptions};
use anyhow::{Context, Result, anyhow};
use games::{Coords, Rule, Rules, Size};
use record::{Entry, Key, Label};
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// What a book or a file of positions holds.
pub struct Known {
    kind: Kind,
    bytes: usize,
    counts: Counts,
    /// Of the book, or the one that `kifu book import` would make.
    content: u128,
    symmetric: bool,
    /// What was forgiven, and in which encoding the texts are, where it is no book.
    told: Option<(Faults, Option<Guess>)>,
}

/// Positions by what is known of them.
#[derive(Default)]
struct Counts {
    positions: u64,
    games: u64,
    moves: u64,
    values: u64,
    rests: u64,
    backed: u64,
    proven: u64,
    labels: u64,
    comments: u64,
    texts: u64,
    references: u64,
    boards: Vec<(Rules, Size, u64)>,
}

impl Counts {
    fn add(&mut self, key: &Key, entry: &Entry) {
        self.positions += 1;
        self.games += u64::from(entry.tally.games > 0);
        self.moves += u64::from(!entry.moves.is_empty());
        self.values += u64::from(entry.judgement.is_some());
        self.rests += u64::from(entry.rest.is_some());
        self.backed += u64::from(entry.backed.is_some());
        let is_proven = entry.rest.as_ref().is_some_and(|rest| rest.proven);
        self.proven += u64::from(is_proven || entry.backed.is_some_and(|backed| backed.proven));
        self.labels += u64::from(entry.label != Label::None && entry.label != Label::Null);
        self.comments += u64::from(!entry.comments.is_empty());
        self.texts += u64::from(!entry.texts.is_empty());
        self.references += u64::from(!entry.games.is_empty());
        match self.boards.iter_mut().find(|(rule, size, _)| (*rule, *size) == (key.rules(), key.size())) {
            Some((.., positions)) => *positions += 1,
            None => self.boards.push((key.rules(), key.size(), 1)),
        }
    }

    fn named(&self) -> [(&'static str, u64); 10] {
        [
            ("games", self.games),
            ("moves", self.moves),
            ("values", self.values),
            ("rests", self.rests),
            ("backed", self.backed),
            ("proven", self.proven),
            ("labels", self.labels),
            ("comments", self.comments),
            ("texts", self.texts),
            ("game_refs", self.references),
        ]
    }
}

impl Known {
    /// Reads a book.
    pub fn of_book(path: &Path, input: &Input) -> Result<Known> {
        let book = open(input, path)?;
        let _bar = Bar::watch(input.len() as u64);
        let mut counts = Counts::default();
        each_position(&book, path, |key, entry| {
            counts.add(&key, &entry);
            Ok(())
        })?;
        let (content, symmetric) = (book.content_hash(), book.is_symmetric());
        Ok(Known { kind: Kind::Book, bytes: input.len(), counts, content, symmetric, told: None })
    }

    /// Reads a file of positions.
    pub fn of_positions(path: &Path, input: &Input, format: &'static EntryFormat, read: &ReadArgs) -> Result<Known> {
        let mut counts = Counts::default();
        let options = read.options(Coords::A1, 1);
        // The rule is no part of the question what a file holds.
        let options = ReadOptions { rule: Some(Rule::Renju), ..options };
        let mut builder = Builder::new(BuildOptions::default());
        let mut each = |(key, entry): (Key, Entry)| {
            counts.add(&key, &entry);
            builder.add_entry(&key, entry).map_err(|error| Error::new(Blame::World, "", error.to_string()))
        };
        let told = read.watch_entries(input, format, &options, &mut each).whole();
        let Told { faults, encoding, .. } = told.with_context(|| name(path))?;
        let written = builder.finish(io::sink(), "").map_err(|error| anyhow!("{}: {error}", name(path)))?;
        let symmetric = faults.count("mirrored-apart") == 0;
        let (kind, told) = (Kind::Positions(format), Some((faults, encoding)));
        Ok(Known { kind, bytes: input.len(), counts, content: written.content, symmetric, told })
    }

    /// As scripts read it.
    pub fn object(&self, path: &Path) -> Value {
        let rules = self.counts.boards.iter().map(|(rule, size, positions)| {
            json!({"rule": rule.name(), "size": [size.width(), size.height()], "positions": positions})
        });
        let rules: Vec<Value> = rules.collect();
        let faults =
            self.told.as_ref().map(|(faults, _)| faults.counts().iter().map(|count| count.0).collect::<Vec<_>>());
        let encoding = self.told.as_ref().and_then(|(_, encoding)| *encoding);
        let mut object = json!({
            "kifu": JSON, "file": path.display().to_string(), "format": self.kind.name(), "bytes": self.bytes,
            "positions": self.counts.positions, "rules": rules, "symmetric": self.symmetric,
            "content_hash": hash(self.content), "quirks": faults.unwrap_or_default(),
            "encoding": encoding.map(|guess| json!({"name": guess.encoding.name(), "sure": guess.sure.name()})),
        });
        for (name, number) in self.counts.named() {
            object[name] = number.into();
        }
        object
    }

    /// As people read it.
    pub fn block(&self, path: &Path) -> String {
        let mut text = format!("{}: {}\n", name(path), self.kind.title());
        let mut row = |name: &str, value: String| text += &format!("  {name:<10} {value}\n");
        let positions = self.counts.positions;
        let each = self.bytes as f64 / positions.max(1) as f64;
        row("positions", format!("{}, {each:.1} bytes each", thousands(positions)));
        for (rule, size, positions) in &self.counts.boards {
            row("board", format!("{rule} {size}, {}", count(*positions, "position")));
        }
        for (name, number) in self.counts.named() {
            if number > 0 {
                row(if name == "game_refs" { "references" } else { name }, format!("at {}", thousands(number)));
            }
        }
        row("mirrored", if self.symmetric { "one position" } else { "apart" }.into());
        row("content", hash(self.content));
        if let Some((faults, encoding)) = &self.told {
            if let Some(guess) = encoding {
                row("encoding", format!("{} ({})", guess.encoding.name(), guess.sure.name()));
            }
            for fault in faults.list() {
                let more = faults.count(fault.kind);
                let more = if more > 1 { format!(" ({} in all)", thousands(more)) } else { String::new() };
                row(super::info::severity_name(fault.severity), format!("{}: {fault}{more}", fault.kind));
            }
        }
        text
    }
}

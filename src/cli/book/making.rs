use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::reading::{ReadArgs, Told, forgiven, passed_over};
use super::super::terminal::{complain, count};
use super::{each_position, finish, open, origin, program, unsorted};
use ::book::{BuildOptions, Builder, Counts, Written};
use ::formats::{Blame, EntryFormat, Error, Faults, Format, Guess, ReadOptions};
use anyhow::{Context, Result, bail};
use games::Game;
use record::{Entry, Key, Record};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A book while it is made of files of any kind.
pub struct Making {
    builder: Builder,
    /// Mirrored positions are one.
    symmetric: bool,
    /// Where it comes from.
    provenance: String,
    /// Positions taken from databases, tables and books.
    pub positions: u64,
    /// Records that could not be read.
    pub bad: u64,
    /// The folder of what waits to be sorted.
    folder: PathBuf,
    /// What ends all reading.
    broken: Option<anyhow::Error>,
    /// No book is written if a file fails: of it nothing is kept.
    pub is_whole: bool,
}

impl Making {
    /// A book without positions.
    pub fn new(options: BuildOptions) -> Making {
        let (symmetric, folder) = (options.symmetric, options.folder.clone());
        let (builder, provenance) = (Builder::new(options), program());
        Making { builder, symmetric, provenance, positions: 0, bad: 0, folder, broken: None, is_whole: false }
    }

    /// Adds a file; what could be read before a fault stays in the book, and that is said.
    pub fn add(
        &mut self,
        path: &Path,
        input: &Input,
        kind: Kind,
        read: &ReadArgs,
        options: &ReadOptions,
    ) -> Result<()> {
        if self.broken.is_some() {
            return Ok(());
        }
        let added = match kind {
            Kind::Records(format) => self.records(path, input, format, read, options),
            Kind::Positions(format) => self.entries(path, input, format, read, options),
            Kind::Book => self.book(path, input),
        };
        if self.broken.is_some() {
            return Ok(());
        }
        added?;
        self.provenance += &origin(path, input);
        Ok(())
    }

    /// An error if there was no room for what waits to be sorted.
    pub fn check(&mut self) -> Result<()> {
        self.broken.take().map_or(Ok(()), Err)
    }

    /// What became of the records.
    pub fn counts(&self) -> Counts {
        self.builder.counts()
    }

    /// Notes a number for those who ask where the book comes from.
    pub fn note(&mut self, what: &str, number: u64) {
        self.provenance += &format!("{what}\t{number}\n");
    }

    /// Writes the book into a file, whole or not at all.
    pub fn write(self, path: &Path, force: bool) -> Result<Written> {
        finish(path, force, self.builder, &self.provenance)
    }

    /// Writes the book.
    pub fn finish(self, out: impl Write) -> Result<Written, ::book::Error> {
        self.builder.finish(out, &self.provenance)
    }

    fn records(
        &mut self,
        path: &Path,
        input: &Input,
        format: &'static Format,
        read: &ReadArgs,
        options: &ReadOptions,
    ) -> Result<()> {
        let Making { builder, broken, folder, .. } = self;
        let before = builder.counts().records;
        let (mut strange, mut without_rule) = (0, 0);
        builder.begin_file(&path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
        let mut each = |record: Record| {
            let rule = record.head.rule.or(options.rule).or(format.rule);
            match rule.filter(|_| record.head.game == Game::Gomoku) {
                Some(rule) => builder.add(&record, rule).map_err(|error| failed(error, folder, broken)),
                None => {
                    *(if rule.is_none() { &mut without_rule } else { &mut strange }) += 1;
                    builder.pass_over();
                    Ok(())
                }
            }
        };
        let told = read.watch(input, options, &mut each).and_then(Told::whole);
        if self.broken.is_some() {
            return Ok(());
        }
        self.bad += told.as_ref().map_or(0, |told| told.left_out);
        let added = if self.is_whole { 0 } else { self.builder.counts().records - before };
        said(path, told.map(|told| (told.faults, told.encoding)), added, "record")?;
        let why = match (strange, without_rule) {
            (0, 0) => return Ok(()),
            (0, _) => "of which nothing says the rule: use --rule",
            _ => "of other games or without a rule: a book holds positions of gomoku",
        };
        bail!("{}: {} left out, {why}", name(path), count(strange + without_rule, "record"))
    }

    fn entries(
        &mut self,
        path: &Path,
        input: &Input,
        format: &'static EntryFormat,
        read: &ReadArgs,
        options: &ReadOptions,
    ) -> Result<()> {
        let Making { builder, broken, folder, .. } = self;
        let mut added = 0;
        let mut each = |(key, entry): (Key, Entry)| {
            added += 1;
            builder.add_entry(&key, entry).map_err(|error| failed(error, folder, broken))
        };
        let told = read.watch_entries(input, format, options, &mut each);
        self.positions += added;
        if self.broken.is_some() {
            return Ok(());
        }
        let kept = if self.is_whole { 0 } else { added };
        let faults = said(path, told.whole().map(|told| (told.faults, told.encoding)), kept, "position")?;
        for line in passed_over(&faults) {
            complain(&format!("{}: {line}", name(path)));
        }
        if self.symmetric && faults.count("mirrored-apart") > 0 {
            complain(&format!("{}: mirrored positions stand apart in it, and become one here", name(path)));
        }
        Ok(())
    }

    fn book(&mut self, path: &Path, input: &Input) -> Result<()> {
        let book = open(input, path)?;
        if self.symmetric && !book.is_symmetric() {
            complain(&format!("{}: mirrored positions stand apart in it, and become one here", name(path)));
        }
        let Making { builder, broken, folder, positions, .. } = self;
        each_position(&book, path, |key, entry| {
            *positions += 1;
            Ok(builder.add_entry(&key, entry).map_err(|error| failed(error, folder, broken))?)
        })
    }
}

/// That a position could not be added; where the disk is to blame no other can be, either.
fn failed(error: ::book::Error, folder: &Path, broken: &mut Option<anyhow::Error>) -> Error {
    if let ::book::Error::Io(error) = &error {
        *broken = Some(unsorted(folder, error));
    }
    Error::new(Blame::World, "", error.to_string())
}

/// Says what was forgiven, or what is in the book in spite of an error.
fn said(path: &Path, told: Result<(Faults, Option<Guess>), Error>, added: u64, noun: &str) -> Result<Faults> {
    match told {
        Ok((faults, encoding)) => {
            for line in forgiven(&faults, encoding) {
                complain(&format!("{}: {line}", name(path)));
            }
            Ok(faults)
        }
        Err(error) => {
            if added > 0 && error.blame != Blame::Stopped {
                let many = count(added, noun);
                complain(&format!("{}: the {many} before the fault are in the book", name(path)));
            }
            Err(error).with_context(|| name(path))
        }
    }
}

/// The kind of an input, if it is wanted; else a sentence that names the command for it.
pub fn wanted(path: &Path, kind: Kind, is_wanted: impl Fn(Kind) -> bool) -> Result<Kind> {
    if is_wanted(kind) {
        return Ok(kind);
    }
    let (what, command) = match kind {
        Kind::Records(_) => ("a file of games or a library", "build"),
        Kind::Positions(_) => ("a file of positions", "import"),
        Kind::Book => ("a book", "merge"),
    };
    bail!("{}: this is {what} ({}): use kifu book {command}", name(path), kind.title())
}

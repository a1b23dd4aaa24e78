use super::super::Exit;
use super::super::conditions::lacking;
use super::super::files::Files;
use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::progress::Bar;
use super::super::reading::{ReadArgs, Told, forgiven, passed_over};
use super::super::terminal::{complain, count};
use super::{each_position, open, origin, program, unsorted};
use ::book::{BuildOptions, Builder, Counts};
use ::formats::{Blame, EntryFormat, Error, Faults, Format, Guess, ReadOptions};
use anyhow::{Context, Result, bail};
use games::gomoku::Three;
use games::{Game, Rules};
use record::{Entry, Filter, Key, Lack, Outcome, Record, board_result, mate_result};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

/// A book while it is made of files of any kind.
pub struct Making {
    builder: Builder,
    /// Mirrored positions are one.
    symmetric: bool,
    /// Where what is sorted waits.
    folder: PathBuf,
    /// Where it comes from.
    provenance: String,
    /// Which records are wanted.
    pub filter: Filter,
    /// Games end as the board says, whatever the files say.
    pub by_board: bool,
    apart: Apart,
    /// Positions taken from databases, tables and books.
    pub positions: u64,
    /// No book is written if a file fails: of it nothing is kept.
    pub is_whole: bool,
    /// A file could not be read to its end.
    failed: bool,
    /// What ends all making.
    broken: Option<anyhow::Error>,
}

/// What is counted beside the builder.
#[derive(Default)]
struct Apart {
    /// In the order of [`Lack::ALL`].
    lacking: [u64; Lack::ALL.len()],
    /// Records that could not be read.
    bad: u64,
    without_rule: u64,
    /// Results of files that the board contradicts, that it lacks, and that it has and the files do not.
    contradicted: u64,
    undecided: u64,
    unstated: u64,
}

impl Making {
    /// A book without positions, of all records.
    pub fn new(options: BuildOptions) -> Making {
        Making {
            symmetric: options.symmetric,
            folder: options.folder.clone(),
            builder: Builder::new(options),
            provenance: program(),
            filter: Filter::default(),
            by_board: false,
            apart: Apart::default(),
            positions: 0,
            is_whole: false,
            failed: false,
            broken: None,
        }
    }

    /// Does something with each file as [`Files::each`] does; where what is sorted finds no room, that ends it.
    pub fn each(&mut self, files: &Files, mut what: impl FnMut(&mut Making, &Path) -> Result<Exit>) -> Result<Exit> {
        let exit = files.each(|path| {
            if self.broken.is_some() {
                return Ok(Exit::Done);
            }
            let exit = what(self, path);
            self.failed |= exit.is_err();
            exit
        })?;
        self.broken.take().map_or(Ok(exit), Err)
    }

    /// Adds a file; what could be read before a fault stays in the book, and that is said.
    pub fn add(
        &mut self,
        path: &Path,
        input: &Input,
        kind: Kind,
        read: &ReadArgs,
        options: &ReadOptions,
    ) -> Result<Exit> {
        let before = self.added();
        let exit = match kind {
            Kind::Records(format) => self.records(path, input, format, read, options),
            Kind::Positions(format) => self.entries(path, input, format, read, options),
            Kind::Book => self.book(path, input),
        };
        let added = self.added() - before;
        match &exit {
            Ok(_) => self.provenance += &origin(path, input),
            Err(_) if added > 0 => {
                let noun = if matches!(kind, Kind::Records(_)) { "records" } else { "positions" };
                let file = name(path).replace(['\t', '\n'], " ");
                self.note("part of an input", format!("{file}, {added} {noun} before a fault"));
            }
            Err(_) => {}
        }
        exit
    }

    /// What became of the records.
    pub fn counts(&self) -> Counts {
        self.builder.counts()
    }

    /// How many records and positions were added.
    fn added(&self) -> u64 {
        self.positions + self.counts().records
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.added() == 0
    }

    /// Whether the only file could not be read, or nothing of it, so that no book is to be written.
    pub fn is_lost(&self) -> bool {
        self.is_whole && (self.failed || self.is_empty())
    }

    /// Records that were left out because they are bad, or without a rule or a position to begin with.
    pub fn left_out(&self) -> u64 {
        self.apart.bad + self.apart.without_rule + self.counts().startless
    }

    /// What became of the records, in words.
    pub fn numbers(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        let (counts, apart) = (self.counts(), &self.apart);
        let mut all = vec![
            ("records", counts.records),
            ("games counted", counts.games),
            ("games too short to count", counts.short),
            ("walk-overs, not counted", counts.walkovers),
            ("games that were there before, not counted", counts.again),
            ("records without a game", counts.trees),
            ("bad records, left out", apart.bad),
            ("records of which the FEN cannot be read, left out", counts.startless),
            ("records without a rule, left out", apart.without_rule),
        ];
        all.extend(Lack::ALL.map(lacking).into_iter().zip(apart.lacking));
        all.extend([
            ("results that the board contradicts", apart.contradicted),
            ("results that the board has and the file lacks", apart.unstated),
            ("games without a result on the board", apart.undecided),
            ("branches with a stone on a stone, left out", counts.on_stones),
            ("times, signs, marks and raw bytes, not kept", counts.unkept),
        ]);
        all.into_iter().filter(|(_, number)| *number > 0)
    }

    /// Notes something for those who ask where the book comes from.
    pub fn note(&mut self, what: &str, told: impl Display) {
        self.provenance += &format!("{what}\t{told}\n");
    }

    /// What is to be sorted and written, and where it comes from.
    pub fn done(self) -> (Builder, String) {
        (self.builder, self.provenance)
    }

    fn records(
        &mut self,
        path: &Path,
        input: &Input,
        format: &'static Format,
        read: &ReadArgs,
        options: &ReadOptions,
    ) -> Result<Exit> {
        let Making { builder, folder, filter, by_board, apart, broken, .. } = self;
        let before = builder.counts().records;
        let mut without_rule = 0;
        builder.begin_file(&path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
        let (send, batches) = sync_channel::<Batch>(BATCHES);
        let (told, added) = thread::scope(|scope| {
            // One thread reads while another adds.
            let adding = scope.spawn(move || batches.into_iter().try_for_each(|batch| batch.add_to(builder)));
            let mut batch = Batch::default();
            let mut each = |mut record: Record| {
                let rules = match record.head.game {
                    Game::Gomoku => record.head.rule.or(options.rule).or(format.rule).map(Rules::Gomoku),
                    Game::Xiangqi => Some(Rules::Xiangqi),
                };
                let Some(rules) = rules else {
                    without_rule += 1;
                    batch.passed_over += 1;
                    return Ok(());
                };
                if *by_board {
                    decide(&mut record, rules, apart);
                }
                if let Some(lack) = filter.lacks(&record, rules.gomoku(), record.head.result) {
                    let at = Lack::ALL.iter().position(|known| *known == lack);
                    apart.lacking[at.expect("all of them are listed")] += 1;
                    batch.passed_over += 1;
                    return Ok(());
                }
                // Where nobody takes it any more, the other thread knows why.
                let ended = |_| Error::new(Blame::World, "", "the record could not be added");
                if batch.push(record, rules) { send.send(std::mem::take(&mut batch)).map_err(ended) } else { Ok(()) }
            };
            let told = read.watch(input, options, &mut each).and_then(Told::whole);
            let _ = send.send(batch);
            drop(send);
            (told, adding.join().expect("what adds records does not panic"))
        });
        let told = match added {
            Ok(()) => told,
            Err(error) => Err(refused(error, folder, broken)),
        };
        if self.broken.is_some() {
            return Ok(Exit::Done);
        }
        let mut exit = Exit::Done;
        if without_rule > 0 {
            let records = count(without_rule, "record");
            complain(&format!("{}: {records} left out, of which nothing says the rule: use --rule", name(path)));
            exit = Exit::Failed;
        }
        self.apart.without_rule += without_rule;
        self.apart.bad += told.as_ref().map_or(0, |told| told.left_out);
        let added = if self.is_whole { 0 } else { self.counts().records - before };
        said(path, told.map(|told| (told.faults, told.encoding)), added, "record")?;
        Ok(exit)
    }

    fn entries(
        &mut self,
        path: &Path,
        input: &Input,
        format: &'static EntryFormat,
        read: &ReadArgs,
        options: &ReadOptions,
    ) -> Result<Exit> {
        let Making { builder, folder, broken, .. } = self;
        let mut added = 0;
        let mut each = |(key, entry): (Key, Entry)| {
            added += 1;
            builder.add_entry(&key, entry).map_err(|error| refused(error, folder, broken))
        };
        let told = read.watch_entries(input, format, options, &mut each);
        if self.broken.is_some() {
            return Ok(Exit::Done);
        }
        self.positions += added;
        let kept = if self.is_whole { 0 } else { added };
        let faults = said(path, told.whole().map(|told| (told.faults, told.encoding)), kept, "position")?;
        for line in passed_over(&faults) {
            complain(&format!("{}: {line}", name(path)));
        }
        if self.symmetric && faults.count("mirrored-apart") > 0 {
            complain(&format!("{}: mirrored positions stand apart in it, and become one here", name(path)));
        }
        Ok(Exit::Done)
    }

    fn book(&mut self, path: &Path, input: &Input) -> Result<Exit> {
        let book = open(input, path)?;
        if self.symmetric && !book.is_symmetric() {
            complain(&format!("{}: mirrored positions stand apart in it, and become one here", name(path)));
        }
        let _bar = Bar::watch(input.len() as u64);
        let Making { builder, folder, broken, .. } = self;
        let mut added = 0;
        let read = each_position(&book, path, |key, entry| {
            added += 1;
            builder.add_entry(&key, entry).map_err(|error| refused(error, folder, broken)).with_context(|| name(path))
        });
        self.positions += added;
        // Where nothing more can be taken, that is said in the end.
        if self.broken.is_some() {
            return Ok(Exit::Done);
        }
        if let Err(error) = &read
            && !self.is_whole
            && Exit::early(error).is_none()
        {
            kept(path, added, "position");
        }
        read.map(|()| Exit::Done)
    }
}

/// Records on their way from the thread that reads to the one that adds.
#[derive(Default)]
struct Batch {
    /// Records that were passed over before each, and the record itself.
    records: Vec<(u64, Record, Rules)>,
    passed_over: u64,
    nodes: usize,
}

/// Nodes that are handed on together.
const TOGETHER: usize = 4096;
/// Batches that wait to be added.
const BATCHES: usize = 4;

impl Batch {
    /// Adds a record and says whether the batch is full.
    fn push(&mut self, record: Record, rules: Rules) -> bool {
        self.nodes += record.tree.len();
        self.records.push((std::mem::take(&mut self.passed_over), record, rules));
        self.nodes >= TOGETHER
    }

    fn add_to(self, builder: &mut Builder) -> Result<(), ::book::Error> {
        for (passed_over, record, rules) in self.records {
            (0..passed_over).for_each(|_| builder.pass_over());
            builder.add(&record, rules)?;
        }
        (0..self.passed_over).for_each(|_| builder.pass_over());
        Ok(())
    }
}

/// The error of a reading whose record or position cannot be taken; where what is sorted has no room, all ends.
fn refused(error: ::book::Error, folder: &Path, broken: &mut Option<anyhow::Error>) -> Error {
    if let ::book::Error::Io(error) = &error {
        *broken = Some(unsorted(folder, error));
    }
    Error::new(Blame::World, "", error.to_string())
}

/// Replaces the result of a game by that of the board.
fn decide(record: &mut Record, rules: Rules, apart: &mut Apart) {
    let said = record.head.result;
    let has_branches = || record.tree.nodes().any(|node| record.tree.next_sibling(node).is_some());
    // What is no game stays none.
    if said == Some(Outcome::Void) || said.is_none() && has_branches() {
        return;
    }
    let found = match rules {
        Rules::Gomoku(rule) => board_result(record, rule, Three::Rif),
        Rules::Xiangqi => mate_result(record),
    };
    match (said, found) {
        (None | Some(Outcome::Unknown), Some(_)) => apart.unstated += 1,
        (Some(said), Some(found)) if said != found => apart.contradicted += 1,
        (_, Some(_)) => {}
        (_, None) => apart.undecided += 1,
    }
    record.head.result = Some(found.unwrap_or(Outcome::Unknown));
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
            if error.blame != Blame::Stopped {
                kept(path, added, noun);
            }
            Err(error).with_context(|| name(path))
        }
    }
}

/// Says what is in the book in spite of an error.
fn kept(path: &Path, added: u64, noun: &str) {
    if added > 0 {
        let many = count(added, noun);
        complain(&format!("{}: the {many} before the fault are in the book", name(path)));
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

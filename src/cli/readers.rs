use super::Exit;
use super::files::{Files, Found, Wanted};
use super::input::{Input, name};
use super::progress::Bar;
use super::reading::{ReadArgs, Told, forgiven};
use super::terminal::{complain, count, thousands};
use ::formats::{Blame, Error, Format};
use anyhow::{Context, Result};
use clap::Args;
use games::{Coords, Rule};
use record::Record;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The inputs of commands that work on many records of many files.
#[derive(Args)]
pub struct InputArgs {
    /// Files, or folders with -r; - is stdin
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// Read the files in folders
    #[arg(short, long)]
    pub recurse: bool,
    /// Rule where the file says none: freestyle, standard, renju or caro
    #[arg(long)]
    pub rule: Option<Rule>,
    /// Notation of points where the file leaves it open, and in options
    #[arg(long, default_value = "a1")]
    pub coords: Coords,
    /// How many files to read at a time [default: one a processor]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// A record and where it stands.
pub struct Numbered {
    /// The record.
    pub record: Record,
    /// Which of its file it is, from 1.
    pub number: u64,
    /// The format of its file.
    pub format: &'static Format,
    /// The rule it was played under, whoever says it.
    pub rule: Option<Rule>,
}

/// What became of the files.
#[derive(Default)]
pub struct Tally {
    /// Files that were read to their end.
    pub read: u64,
    /// Files that failed, wholly or after some records.
    pub failed: u64,
    /// Records that were read.
    pub records: u64,
    /// Files of other kinds in folders.
    strangers: u64,
}

/// So many nodes are looked at before what was found in them is handed on.
const TOGETHER: usize = 4096;

/// So many parcels of a file may wait until it is its turn: what one reads ahead is bounded.
const WAITING: usize = 2;

/// What a file gave, as it is taken.
pub enum Heard<T> {
    /// Some findings.
    Found(Vec<T>),
    /// There is no more in this file.
    End,
}

/// What comes from the thread that reads a file: some findings, or its end.
enum Parcel<T> {
    Found(Vec<T>),
    End(Result<Told>, u64),
}

impl InputArgs {
    /// The files to read; never those in the folder `except`, where outputs go.
    pub fn files(&self, except: Option<&std::path::Path>) -> Result<Files> {
        Files::list(&self.inputs, self.recurse, Wanted::Records.unless(self.read.from.is_some()), except)
    }

    /// Reads all files, several at a time, each on a thread of its own with tools of its own.
    ///
    /// `look` is given each record there, and adds what it finds to a list; `take` is given these lists here, in the
    /// order of the files and of their records, and the end of each file. An error of `take` ends all; a file that fails
    /// is told, and the others are read. Of files that fail what was found before the fault is taken.
    pub fn each<T: Send, Tools>(
        &self,
        files: &Files,
        tools: impl Fn() -> Tools + Sync,
        look: impl Fn(&mut Tools, &Found, Numbered, &mut Vec<T>) -> Result<(), Error> + Sync,
        take: impl FnMut(&Found, Heard<T>) -> Result<()>,
    ) -> Result<(Tally, Exit)> {
        self.read_all(files, tools, look, take, &|sentence| complain(sentence))
    }

    /// As [`InputArgs::each`], but tells nothing: for files that are read once more.
    pub fn quietly<T: Send, Tools>(
        &self,
        files: &Files,
        tools: impl Fn() -> Tools + Sync,
        look: impl Fn(&mut Tools, &Found, Numbered, &mut Vec<T>) -> Result<(), Error> + Sync,
        take: impl FnMut(&Found, Heard<T>) -> Result<()>,
    ) -> Result<()> {
        self.read_all(files, tools, look, take, &|_| ()).map(drop)
    }

    fn read_all<T: Send, Tools>(
        &self,
        files: &Files,
        tools: impl Fn() -> Tools + Sync,
        look: impl Fn(&mut Tools, &Found, Numbered, &mut Vec<T>) -> Result<(), Error> + Sync,
        mut take: impl FnMut(&Found, Heard<T>) -> Result<()>,
        complain: &dyn Fn(&str),
    ) -> Result<(Tally, Exit)> {
        let total = files.found.iter().filter_map(|file| fs::metadata(&file.path).ok()).map(|meta| meta.len()).sum();
        let _bar = Bar::watch(total);
        let threads = self.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
        let threads = threads.min(files.found.len());
        let mut tally = Tally { strangers: files.strangers, ..Tally::default() };
        let mut exit = Exit::Done;
        let (send_turn, turns) = sync_channel::<(&Found, Receiver<Parcel<T>>)>(threads);
        // Whoever takes the next file queues for it while nobody else can: turns come in the order of the files.
        let next = Mutex::new((files.found.iter(), send_turn));
        let begin = || {
            let mut next = next.lock().ok()?;
            let file = next.0.next()?;
            let (send, parcels) = sync_channel(WAITING);
            next.1.send((file, parcels)).ok()?;
            Some((file, send))
        };
        thread::scope(|scope| {
            // Dropped when this ends early, so that nobody waits for it.
            let turns = turns;
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut tools = tools();
                    while let Some((file, send)) = begin() {
                        let (told, records) = self.read_one(file, &mut tools, &look, &send);
                        // Where nobody takes it any more, all has ended.
                        if send.send(Parcel::End(told, records)).is_err() {
                            break;
                        }
                    }
                });
            }
            for _ in 0..files.found.len() {
                let Ok((file, parcels)) = turns.recv() else { break };
                for parcel in parcels {
                    match parcel {
                        Parcel::Found(found) => take(file, Heard::Found(found))?,
                        Parcel::End(told, records) => {
                            take(file, Heard::End)?;
                            tally.records += records;
                            match told {
                                Ok(told) => {
                                    tally.read += 1;
                                    for line in forgiven(&told.faults, told.encoding) {
                                        complain(&format!("{}: {line}", name(&file.path)));
                                    }
                                }
                                Err(error) if Exit::early(&error).is_some() => return Err(error),
                                Err(error) => {
                                    tally.failed += 1;
                                    exit = Exit::Failed;
                                    complain(&format!("{error:#}"));
                                }
                            }
                        }
                    }
                }
            }
            Ok(())
        })?;
        for unread in &files.unread {
            complain(unread);
            exit = Exit::Failed;
        }
        Ok((tally, exit))
    }

    fn read_one<T, Tools>(
        &self,
        file: &Found,
        tools: &mut Tools,
        look: &(impl Fn(&mut Tools, &Found, Numbered, &mut Vec<T>) -> Result<(), Error> + Sync),
        send: &SyncSender<Parcel<T>>,
    ) -> (Result<Told>, u64) {
        let mut number = 0;
        let told = self.read_records(file, &mut number, tools, look, send);
        (told, number)
    }

    fn read_records<T, Tools>(
        &self,
        file: &Found,
        number: &mut u64,
        tools: &mut Tools,
        look: &(impl Fn(&mut Tools, &Found, Numbered, &mut Vec<T>) -> Result<(), Error> + Sync),
        send: &SyncSender<Parcel<T>>,
    ) -> Result<Told> {
        let input = Input::open(&file.path)?;
        #[cfg(unix)]
        let _light = input.lighten();
        let options = self.read.options(self.coords, 1);
        let format = self.read.format(&input).with_context(|| name(&file.path))?;
        let (mut found, mut nodes) = (Vec::new(), 0);
        let ended = |_| Error::new(Blame::Stopped, "", "stopped");
        let mut each = |record: Record| {
            *number += 1;
            nodes += record.tree.len();
            let rule = record.head.rule.or(self.rule).or(format.rule);
            look(tools, file, Numbered { record, number: *number, format, rule }, &mut found)?;
            if nodes < TOGETHER {
                return Ok(());
            }
            nodes = 0;
            match std::mem::take(&mut found) {
                found if found.is_empty() => Ok(()),
                found => send.send(Parcel::Found(found)).map_err(ended),
            }
        };
        let told = self.read.read(&input, &options, &mut each).and_then(Told::whole);
        if !found.is_empty() {
            // Where nobody takes it any more, all has ended.
            let _ = send.send(Parcel::Found(found));
        }
        told.with_context(|| name(&file.path))
    }
}

impl Tally {
    /// Says how many of several files were read, if not all were.
    pub fn tell(&self, files: &Files) {
        if files.found.len() > 1 && (self.failed > 0 || self.strangers > 0) {
            let failed = thousands(self.failed);
            complain(&format!("{} read, {failed} failed{}", count(self.read, "file"), files.passed_over()));
        }
    }
}

//! `kifu engine`: a thread that reads, one that searches, and this one, which obeys and answers.

mod agi;
mod clock;
mod game;
mod gomocup;
mod lines;
mod mind;
mod own_book;
mod voice;
mod words;

use super::Exit;
use super::afford::afford;
use super::book::memory;
use super::terminal::complain;
use ::engine::Report;
use agi::Agi;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use gomocup::Gomocup;
use lines::Line;
use mind::Mind;
use own_book::OwnBook;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufReader, stdin};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use std::{process, thread};
use voice::Voice;

/// Play over a protocol: AGI, or that of Gomocup and Piskvork
#[derive(Args)]
#[command(
    after_help = "Commands come on stdin, one a line. Without --protocol the first one decides: AGI, or anything else for Gomocup.
A program of the name pbrain-kifu that is started without arguments is `kifu engine --protocol gomocup`, with the
book pbrain-kifu.agb beside it, if there is one.

Examples:
  kifu engine
  kifu engine --protocol agi --threads 2 --memory 1G --book openings.agb
  printf 'START 15\\nBOARD\\n7,7,2\\nDONE\\nEND\\n' | kifu engine --protocol gomocup"
)]
pub struct Engine {
    /// Protocol to speak [default: told by the first line]
    #[arg(long)]
    protocol: Option<Protocol>,
    /// Threads that search; with one alone the same limit of nodes gives the same move
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N", default_value = "1")]
    threads: u16,
    /// Memory for what the search remembers, such as 1G; an interface may change it
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "128M")]
    memory: usize,
    /// Book of positions (.agb) to play from; of several the first that knows a move
    #[arg(long, value_name = "FILE")]
    book: Vec<PathBuf>,
}

/// What an interface speaks.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Protocol {
    /// The Amoyman Gobang Interface
    Agi,
    /// That of Gomocup and Piskvork, with the commands of Yixin
    Gomocup,
}

/// What happens.
pub enum Event {
    /// A line was read; `None` where the input has ended.
    Heard(Option<Line>),
    /// A search tells what it has found so far.
    Found { number: u64, report: Box<Report> },
    /// A search has ended; without a report if it failed.
    Ended { number: u64, report: Option<Box<Report>> },
}

/// What to do with a line that comes while an answer is owed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Hearing {
    /// To obey it at once, even before lines that wait.
    AtOnce,
    /// To obey it in its turn.
    Now,
    /// To obey it after the answer.
    Wait,
    /// To answer at once, and then to obey it.
    Stop,
    /// To answer at once all that is owed, and to leave.
    Leave,
}

/// Whether there is more to say.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Flow {
    GoOn,
    Leave,
}

/// A protocol: what to do at each line, and what to say when.
trait Speaker {
    /// What to do with a line while an answer is owed.
    fn hear(&self, line: &str) -> Hearing;
    /// Obeys a line.
    fn obey(&mut self, line: &str, mind: &mut Mind, voice: &mut Voice) -> io::Result<Flow>;
    /// Says that a line was too long to be read.
    fn refuse_long(&mut self, voice: &mut Voice) -> io::Result<()>;
    /// Says what a search has found so far.
    fn found(&mut self, report: &Report, is_owed: bool, voice: &mut Voice) -> io::Result<()>;
    /// Gives the answer that is owed; there is no report if the search has failed.
    fn answer(&mut self, report: Option<&Report>, mind: &mut Mind, voice: &mut Voice) -> io::Result<()>;
}

/// How many events may wait.
const EVENTS: usize = 1024;
/// How many lines may wait for an answer.
const WAITING: usize = 1 << 16;
/// Who was told to leave is gone after so much time, whatever is still to do.
const PATIENCE: Duration = Duration::from_millis(700);

impl Engine {
    /// The arguments that the program is to be run with, where its name makes it an engine.
    pub fn by_name(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = arguments.collect();
        let [program] = &arguments[..] else { return arguments };
        let program = PathBuf::from(program);
        let is_brain = program.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("pbrain-kifu"));
        if is_brain {
            arguments.extend(["engine", "--protocol", "gomocup"].map(OsString::from));
            let here = std::env::current_exe().unwrap_or(program);
            let book = here.with_extension("agb");
            if book.is_file() {
                arguments.extend(["--book".into(), book.into()]);
            }
        }
        arguments
    }

    /// Plays until it is told to end, or until nobody is there any more.
    pub fn run(self) -> Result<Exit> {
        afford(self.memory, 1)?;
        let books = self.book.iter().map(|path| OwnBook::open(path)).collect::<Result<Vec<_>>>()?;
        let (sender, events) = sync_channel(EVENTS);
        let reader = sender.clone();
        thread::spawn(move || read(&reader));
        let mut mind = Mind::new(self.memory, self.threads.into(), sender);
        let mut voice = Voice;
        let mut waiting: VecDeque<Line> = VecDeque::new();
        let protocol = match self.protocol {
            Some(protocol) => protocol,
            None => {
                // The first line that says something decides.
                let first = loop {
                    match events.recv().context("nobody reads")? {
                        Event::Heard(Some(Line::Text(line))) if line.is_empty() => {}
                        Event::Heard(line) => break line,
                        _ => {}
                    }
                };
                let Some(first) = first else { return Ok(Exit::Done) };
                let is_agi = matches!(&first, Line::Text(line) if line.eq_ignore_ascii_case("AGI"));
                waiting.push_back(first);
                if is_agi { Protocol::Agi } else { Protocol::Gomocup }
            }
        };
        let mut speaker: Box<dyn Speaker> = match protocol {
            Protocol::Agi => Box::new(Agi::new(books)),
            Protocol::Gomocup => Box::new(Gomocup::new(books, self.memory, self.threads.into())),
        };
        let mut is_closed = false;
        loop {
            let flow = match next(&mut *speaker, &mut waiting, &mut mind) {
                Some(line) => obey(&mut *speaker, &line, &mut mind, &mut voice),
                None if is_closed && waiting.is_empty() && !mind.owes() => return Ok(Exit::Done),
                None => match wait(&events, &mut mind)? {
                    Event::Heard(None) => {
                        is_closed = true;
                        leave_soon(&mut mind);
                        Ok(Flow::GoOn)
                    }
                    Event::Heard(Some(line)) => match hear(&*speaker, &line) {
                        // What ends already is not to be ended again: that is for what comes after it.
                        Hearing::AtOnce if mind.owes() && !mind.is_stopping() => {
                            obey(&mut *speaker, &line, &mut mind, &mut voice)
                        }
                        hearing => {
                            if hearing == Hearing::Leave {
                                leave_soon(&mut mind);
                            }
                            if waiting.len() < WAITING {
                                waiting.push_back(line);
                            }
                            Ok(Flow::GoOn)
                        }
                    },
                    Event::Found { number, report } => {
                        let is_owed = mind.owes();
                        let found = mind.found(number, report);
                        found.map_or(Ok(()), |report| speaker.found(report, is_owed, &mut voice)).map(|()| Flow::GoOn)
                    }
                    Event::Ended { number, report } if mind.is_last(number) && mind.owes() => {
                        mind.answered();
                        speaker.answer(report.as_deref(), &mut mind, &mut voice).map(|()| Flow::GoOn)
                    }
                    Event::Ended { .. } => Ok(Flow::GoOn),
                },
            };
            match flow {
                Ok(Flow::GoOn) => {}
                Ok(Flow::Leave) => return Ok(Exit::Done),
                // Who does not listen any more has gone.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Done),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The next event; the end of a search that is over time, if that is next.
///
/// A search that does not get the processor cannot look at its clock. This thread has slept and comes first.
fn wait(events: &Receiver<Event>, mind: &mut Mind) -> Result<Event> {
    let Some(deadline) = mind.deadline() else { return events.recv().context("nobody reads") };
    match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(event) => Ok(event),
        Err(RecvTimeoutError::Timeout) => Ok(mind.overdue()),
        Err(error) => Err(error.into()),
    }
}

/// The first of the lines that wait, if it can be obeyed; if it cannot wait, the search ends.
fn next(speaker: &mut dyn Speaker, waiting: &mut VecDeque<Line>, mind: &mut Mind) -> Option<Line> {
    if mind.owes() {
        match hear(speaker, waiting.front()?) {
            Hearing::AtOnce | Hearing::Now => {}
            Hearing::Stop | Hearing::Leave => {
                mind.stop();
                return None;
            }
            Hearing::Wait => return None,
        }
    }
    waiting.pop_front()
}

fn hear(speaker: &dyn Speaker, line: &Line) -> Hearing {
    match line {
        Line::Text(line) if !line.is_empty() => speaker.hear(line),
        _ => Hearing::Now,
    }
}

fn obey(speaker: &mut dyn Speaker, line: &Line, mind: &mut Mind, voice: &mut Voice) -> io::Result<Flow> {
    match line {
        Line::Text(line) if line.is_empty() => Ok(Flow::GoOn),
        Line::Text(line) => speaker.obey(line, mind, voice),
        Line::TooLong => speaker.refuse_long(voice).map(|()| Flow::GoOn),
    }
}

/// Answers at once what is owed, and leaves in any case.
fn leave_soon(mind: &mut Mind) {
    mind.hurry();
    thread::spawn(|| {
        thread::sleep(PATIENCE);
        process::exit(0);
    });
}

fn read(events: &SyncSender<Event>) {
    let mut input = BufReader::new(stdin().lock());
    loop {
        // What cannot be read has ended.
        let line = lines::next(&mut input).unwrap_or(None);
        let is_end = line.is_none();
        if events.send(Event::Heard(line)).is_err() || is_end {
            return;
        }
    }
}

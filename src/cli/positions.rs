use super::Exit;
use super::book::making::Making;
use super::book::{open, tell_losses, write_positions};
use super::files::Files;
use super::input::{Input, name};
use super::kind::Kind;
use super::output::{Output, folder_of, refuse_existing};
use super::progress::{Bar, Stoppable};
use super::reading::{ReadArgs, Told, forgiven, passed_over};
use super::terminal::{complain, count, harmless, thousands};
use ::book::{BuildOptions, Written};
use ::formats::{Blame, EntryFormat, Error, Losses, ReadOptions, WriteOptions, book_jsonl};
use anyhow::{Context, Result, anyhow, bail};
use record::{Entry, Key};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// A conversion that has positions on one side at least: all inputs become one output.
pub struct Transfer<'a> {
    /// The inputs.
    pub files: &'a Files,
    /// Where the output goes; stdout if nowhere.
    pub output: Option<&'a Path>,
    /// What the output is.
    pub to: Kind,
    /// How inputs are read.
    pub read: &'a ReadArgs,
    /// The same, in detail.
    pub options: ReadOptions,
    /// Leave out what is deeper, of records.
    pub max_ply: usize,
    /// How the output is written.
    pub write: WriteOptions,
    /// Write nothing if something would be lost.
    pub fail_on_loss: bool,
    /// Replace a file that exists.
    pub force: bool,
    /// Write nothing.
    pub dry_run: bool,
}

/// What was written, and whether it is to be kept.
struct Wrote {
    positions: u64,
    lost: bool,
}

impl Transfer<'_> {
    /// Converts.
    pub fn run(&self) -> Result<Exit> {
        if let Some(path) = self.output {
            refuse_existing(path, self.force)?;
        }
        match self.to {
            Kind::Records(format) => self.tree(format.name),
            Kind::Book => self.book(),
            Kind::Positions(format) => self.table(format),
        }
    }

    /// Positions as a tree of moves: this needs choices that `kifu book export` takes.
    fn tree(&self, format: &str) -> Result<Exit> {
        let source = &self.files.found[0].path;
        bail!("{}: a tree of moves is not made of positions here: use kifu book export -t {format}", name(source));
    }

    /// All inputs into a book.
    fn book(&self) -> Result<Exit> {
        let (making, exit) = self.make()?;
        if exit != Exit::Done && making.is_whole {
            return Ok(exit);
        }
        let made = Made::of(&making);
        let wrote = self.put(|out| {
            let written = finish(making, out)?;
            self.tell_defaults(&made, &written);
            Ok(Wrote { positions: written.positions, lost: made.lost() })
        })?;
        made.tell(&self.target());
        Ok(self.end(exit, &wrote))
    }

    /// One input as it is, or the book of several, in a format of positions.
    fn table(&self, format: &'static EntryFormat) -> Result<Exit> {
        let mut losses = Losses::default();
        if let [file] = &self.files.found[..] {
            let path = &file.path;
            let input = Input::open(path)?;
            let wrote = match self.read.kind(&input).with_context(|| name(path))? {
                Kind::Positions(from) => {
                    Some(self.put(|out| self.stream(path, &input, from, format, out, &mut losses))?)
                }
                Kind::Book => Some(self.put(|out| self.export(path, &input, format, out, &mut losses))?),
                Kind::Records(_) => None,
            };
            if let Some(wrote) = wrote {
                tell_losses(path, format.name, &losses);
                return Ok(self.end(Exit::Done, &wrote));
            }
        }
        let (making, exit) = self.make()?;
        if exit != Exit::Done && making.is_whole {
            return Ok(exit);
        }
        let made = Made::of(&making);
        let mut file = tempfile::tempfile_in(self.folder()).context("a temporary file")?;
        let mut buffer = BufWriter::with_capacity(1 << 16, &mut file);
        let written = finish(making, &mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        file.rewind()?;
        self.tell_defaults(&made, &written);
        let (input, path) = (Input::mapped(&file)?, PathBuf::from(self.target()));
        let mut wrote = self.put(|out| {
            let mut wrote = self.export(&path, &input, format, out, &mut losses)?;
            wrote.lost |= made.lost();
            Ok(wrote)
        })?;
        wrote.positions = written.positions;
        made.tell(&self.target());
        tell_losses(&path, format.name, &losses);
        Ok(self.end(exit, &wrote))
    }

    /// The book of all inputs.
    fn make(&self) -> Result<(Making, Exit)> {
        let symmetric = !self.files.found.iter().any(|file| stands_apart(&file.path));
        let mut making = Making::new(BuildOptions {
            symmetric,
            max_ply: self.max_ply,
            folder: self.folder(),
            ..BuildOptions::default()
        });
        making.is_whole = self.files.found.len() == 1;
        let exit = self.files.each(|path| {
            let input = Input::open(path)?;
            let kind = self.read.kind(&input).with_context(|| name(path))?;
            making.add(path, &input, kind, self.read, &self.options)?;
            Ok(Exit::Done)
        })?;
        making.check()?;
        if making.positions + making.counts().records == 0 && !(making.is_whole && exit != Exit::Done) {
            bail!("{}: nothing could be read, and nothing is written", self.target());
        }
        Ok((making, exit))
    }

    /// Positions as they come, in another format.
    fn stream(
        &self,
        path: &Path,
        input: &Input,
        from: &'static EntryFormat,
        to: &EntryFormat,
        out: &mut dyn Write,
        losses: &mut Losses,
    ) -> Result<Wrote> {
        let mut out = Stoppable(out);
        let apart = from.name == book_jsonl::FORMAT.name && book_jsonl::stands_apart(input);
        let mut writer = (to.writer)(&mut out, &WriteOptions { apart, ..self.write.clone() });
        let mut positions = 0;
        let mut each = |(key, entry): (Key, Entry)| {
            positions += 1;
            writer.entry(&key, &entry, losses)
        };
        let told = self.read.watch_entries(input, from, &self.options, &mut each).whole();
        let told = told.and_then(|told: Told<EntryFormat>| writer.finish(losses).map(|()| told));
        let told = told.map_err(|error| self.blame(path, error))?;
        for line in forgiven(&told.faults, told.encoding).into_iter().chain(passed_over(&told.faults)) {
            complain(&format!("{}: {line}", name(path)));
        }
        Ok(Wrote { positions, lost: !losses.is_empty() })
    }

    /// The positions of a book, in a format of positions.
    fn export(
        &self,
        path: &Path,
        input: &Input,
        format: &EntryFormat,
        out: &mut dyn Write,
        losses: &mut Losses,
    ) -> Result<Wrote> {
        let book = open(input, path)?;
        let _bar = Bar::watch(input.len() as u64);
        write_positions(&book, path, format, &self.write, self.output, out, losses)?;
        Ok(Wrote { positions: book.positions(), lost: !losses.is_empty() })
    }

    /// Writes the output, whole or not at all.
    fn put(&self, what: impl FnOnce(&mut dyn Write) -> Result<Wrote>) -> Result<Wrote> {
        if self.dry_run {
            return what(&mut io::sink());
        }
        let Some(path) = self.output else {
            if !self.fail_on_loss {
                return what(&mut io::stdout().lock());
            }
            let mut held = Vec::new();
            let wrote = what(&mut held)?;
            if !wrote.lost {
                io::stdout().lock().write_all(&held)?;
            }
            return Ok(wrote);
        };
        let mut output = Output::create(path, self.force)?;
        let mut buffer = BufWriter::with_capacity(1 << 16, &mut output);
        let wrote = what(&mut buffer)?;
        buffer.flush().with_context(|| name(path))?;
        drop(buffer);
        if !(self.fail_on_loss && wrote.lost) {
            output.commit()?;
        }
        Ok(wrote)
    }

    fn end(&self, exit: Exit, wrote: &Wrote) -> Exit {
        let target = self.target();
        if self.dry_run {
            let text =
                format!("{} -> {target}: {}", name(&self.files.found[0].path), count(wrote.positions, "position"));
            // Where stdout is closed nobody asked.
            let _ = writeln!(anstream::stdout().lock(), "{}", harmless(&text));
        }
        if self.fail_on_loss && wrote.lost {
            complain(&format!("{target}: what would lose something is not written"));
            return exit.max(Exit::Loss);
        }
        exit
    }

    fn tell_defaults(&self, made: &Made, written: &Written) {
        let (target, positions) = (self.target(), count(written.positions, "position"));
        let (command, rules) = match made.records {
            0 => ("import", ""),
            _ => ("build", ", games of fewer than ten plies are not counted"),
        };
        complain(&format!("{target}: made as by `kifu book {command}`{rules}: {positions}"));
    }

    /// An error with the name of the file whose it is.
    fn blame(&self, path: &Path, error: Error) -> anyhow::Error {
        match error.blame {
            Blame::World => anyhow!("{}: it cannot be written: {error}", self.target()),
            _ => anyhow::Error::new(error).context(name(path)),
        }
    }

    fn target(&self) -> String {
        self.output.map_or_else(|| "stdout".into(), name)
    }

    fn folder(&self) -> PathBuf {
        self.output.map_or_else(std::env::temp_dir, |path| folder_of(path).into())
    }
}

/// Whether a file is known to keep mirrored positions apart; what is none of ours is told when it is read.
fn stands_apart(path: &Path) -> bool {
    let input = || Input::open(path).ok();
    match Kind::peek(path) {
        Some(Kind::Book) => input().is_some_and(|input| open(&input, path).is_ok_and(|book| !book.is_symmetric())),
        Some(Kind::Positions(format)) if format.name == book_jsonl::FORMAT.name => {
            input().is_some_and(|input| book_jsonl::stands_apart(&input))
        }
        _ => false,
    }
}

/// Writes a book so that Ctrl-C can stop it.
fn finish(making: Making, out: &mut dyn Write) -> Result<Written> {
    Ok(making.finish(Stoppable(out))?)
}

const SHORT: &str = "games too short to count";

/// What became of the records that went into a book.
struct Made {
    records: u64,
    lost: Vec<(&'static str, u64)>,
}

impl Made {
    fn of(making: &Making) -> Made {
        let counts = making.counts();
        let lost = [
            (SHORT, counts.short),
            ("walk-overs, not counted", counts.walkovers),
            ("bad records, left out", making.bad),
            ("branches with a stone on a stone, left out", counts.on_stones),
            ("times, signs, marks and raw bytes, not kept", counts.unkept),
        ];
        let lost = lost.into_iter().filter(|(_, number)| *number > 0).collect();
        Made { records: counts.records, lost }
    }

    /// Games that are too short are no loss, since their positions would be told apart by nothing.
    fn lost(&self) -> bool {
        self.lost.iter().any(|(what, _)| *what != SHORT)
    }

    fn tell(&self, target: &str) {
        for (what, number) in &self.lost {
            complain(&format!("{target}: {what}: {}", thousands(*number)));
        }
    }
}

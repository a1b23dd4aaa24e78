use super::Exit;
use super::book::base::stage;
use super::book::making::Making;
use super::book::tree::{choose, tell_trees, write_trees};
use super::book::{blame, open, tell_cut, tell_losses, unwritten, write_positions};
use super::files::Files;
use super::input::{Input, name};
use super::kind::Kind;
use super::output::{Output, failed, folder_of, refuse_existing};
use super::progress::{Bar, Counted, Stoppable};
use super::reading::{ReadArgs, Told, forgiven, passed_over};
use super::terminal::{complain, count, harmless, thousands};
use ::book::{BuildOptions, Builder, TreeOptions, Written};
use ::formats::{EntryFormat, Losses, ReadOptions, WriteOptions, book_jsonl};
use anyhow::{Context, Result, bail};
use record::{Entry, Key};
use std::io::{self, BufWriter, Write};
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
            Kind::Book => self.book(),
            Kind::Records(_) | Kind::Positions(_) => self.table(),
        }
    }

    /// All inputs into a book.
    fn book(&self) -> Result<Exit> {
        let (making, exit) = self.make()?;
        if making.is_lost() {
            return Ok(exit);
        }
        let made = Made::of(&making);
        let (builder, provenance) = making.done();
        let (wrote, output) = self.put(|out| {
            let written = finish(builder, &provenance, out).map_err(|error| self.unwritten(error))?;
            self.tell_defaults(&made, written.positions);
            tell_cut(Path::new(&self.target()), &written);
            Ok(Wrote { positions: written.positions, lost: made.lost || written.texts_left_out > 0 })
        })?;
        made.tell(&self.target());
        self.end(exit, &wrote, output)
    }

    /// One input as it is, or the book of several, in a format of positions or as trees.
    fn table(&self) -> Result<Exit> {
        let mut losses = Losses::default();
        if let [file] = &self.files.found[..] {
            let path = &file.path;
            let input = Input::open(path)?;
            let put = match (self.read.kind(&input).with_context(|| name(path))?, self.to) {
                (Kind::Positions(from), Kind::Positions(to)) => {
                    Some(self.put(|out| self.stream(path, &input, from, to, out, &mut losses))?)
                }
                (Kind::Book, _) => Some(self.put(|out| self.export(path, &input, out, &mut losses))?),
                _ => None,
            };
            // Windows replaces no file that is still mapped.
            drop(input);
            if let Some((wrote, output)) = put {
                tell_losses(path, self.to.name(), &losses);
                return self.end(Exit::Done, &wrote, output);
            }
        }
        let (making, exit) = self.make()?;
        if making.is_lost() {
            return Ok(exit);
        }
        let made = Made::of(&making);
        let (builder, provenance) = making.done();
        let path = PathBuf::from(self.target());
        let input = stage(&self.folder(), &path, |out| finish(builder, &provenance, out))?;
        self.tell_defaults(&made, open(&input, &path)?.positions());
        let (wrote, output) = self.put(|out| {
            let mut wrote = self.export(&path, &input, out, &mut losses)?;
            wrote.lost |= made.lost;
            Ok(wrote)
        })?;
        made.tell(&self.target());
        tell_losses(&path, self.to.name(), &losses);
        self.end(exit, &wrote, output)
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
        let exit = making.each(self.files, |making, path| {
            let input = Input::open(path)?;
            #[cfg(unix)]
            let _light = input.lighten();
            let kind = self.read.kind(&input).with_context(|| name(path))?;
            making.add(path, &input, kind, self.read, &self.options)
        })?;
        if making.is_empty() && !(making.is_whole && exit != Exit::Done) {
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
        let mut writer = to.start(&mut out, &WriteOptions { apart, ..self.write.clone() });
        let mut positions = 0;
        let mut each = |(key, entry): (Key, Entry)| {
            positions += 1;
            writer.entry(&key, &entry, losses)
        };
        let told = self.read.watch_entries(input, from, &self.options, &mut each).whole();
        let told = told.and_then(|told: Told<EntryFormat>| writer.finish(losses).map(|()| told));
        let told = told.map_err(|error| blame(path, self.output, error))?;
        for line in forgiven(&told.faults, told.encoding).into_iter().chain(passed_over(&told.faults)) {
            complain(&format!("{}: {line}", name(path)));
        }
        Ok(Wrote { positions, lost: !losses.is_empty() })
    }

    /// The positions of a book.
    fn export(&self, path: &Path, input: &Input, out: &mut dyn Write, losses: &mut Losses) -> Result<Wrote> {
        let book = open(input, path)?;
        let _bar = Bar::watch(input.len() as u64);
        match self.to {
            Kind::Records(format) => {
                let only =
                    choose(&book, path, (self.options.rule.map(games::Rules::from), self.options.size), !format.many)?;
                let options = TreeOptions { only, max_ply: self.max_ply, ..TreeOptions::default() };
                let told = write_trees(&book, path, format, &options, &self.write, out, self.output, losses)?;
                tell_trees(path, &told, &options);
            }
            Kind::Positions(format) => {
                write_positions(&book, path, format, &self.write, out, self.output, losses)?;
            }
            Kind::Book => unreachable!("a book is made of all inputs"),
        }
        Ok(Wrote { positions: book.positions(), lost: !losses.is_empty() })
    }

    /// Writes the output; a file is put in its place at the end, when nothing is read any more.
    fn put(&self, what: impl FnOnce(&mut dyn Write) -> Result<Wrote>) -> Result<(Wrote, Option<Output>)> {
        if self.dry_run {
            return Ok((what(&mut io::sink())?, None));
        }
        let Some(path) = self.output else {
            if !self.fail_on_loss {
                return Ok((what(&mut io::stdout().lock())?, None));
            }
            let mut held = Vec::new();
            let wrote = what(&mut held)?;
            if !wrote.lost {
                io::stdout().lock().write_all(&held)?;
            }
            return Ok((wrote, None));
        };
        let mut output = Output::create(path, self.force)?;
        let mut buffer = BufWriter::with_capacity(1 << 16, &mut output);
        let wrote = what(&mut buffer)?;
        buffer.flush().map_err(|error| failed(path, &error))?;
        drop(buffer);
        Ok((wrote, Some(output)))
    }

    fn end(&self, exit: Exit, wrote: &Wrote, output: Option<Output>) -> Result<Exit> {
        let is_refused = self.fail_on_loss && wrote.lost;
        if let Some(output) = output.filter(|_| !is_refused) {
            output.commit()?;
        }
        let target = self.target();
        if self.dry_run {
            let text =
                format!("{} -> {target}: {}", name(&self.files.found[0].path), count(wrote.positions, "position"));
            // Where stdout is closed nobody asked.
            let _ = writeln!(anstream::stdout().lock(), "{}", harmless(&text));
        }
        if is_refused {
            complain(&format!("{target}: what would lose something is not written"));
            return Ok(exit.max(Exit::Loss));
        }
        Ok(exit)
    }

    fn tell_defaults(&self, made: &Made, positions: u64) {
        let (target, positions) = (self.target(), count(positions, "position"));
        let (command, rules) = match made.records {
            0 => ("import", ""),
            _ => ("build", ", games of fewer than ten plies are not counted"),
        };
        complain(&format!("{target}: made as by `kifu book {command}`{rules}: {positions}"));
    }

    fn unwritten(&self, error: ::book::Error) -> anyhow::Error {
        match (self.output, error) {
            (Some(path), error) => unwritten(path, error),
            (None, ::book::Error::Io(error)) => error.into(),
            (None, error) => anyhow::Error::new(error).context(self.target()),
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

/// Sorts and writes a book so that it is watched, and that Ctrl-C can stop it.
fn finish(builder: Builder, provenance: &str, out: &mut dyn Write) -> Result<Written, ::book::Error> {
    let _bar = Bar::writing();
    builder.finish(Counted(&mut Stoppable(out)), provenance)
}

/// What became of the records that went into a book.
struct Made {
    records: u64,
    /// Games that are not counted are no loss, since their positions would be told apart by nothing.
    lost: bool,
    told: Vec<(&'static str, u64)>,
}

impl Made {
    fn of(making: &Making) -> Made {
        let counts = making.counts();
        // They are kept, or were told when their file was read.
        let silent = [
            "records",
            "games counted",
            "records without a game",
            "bad records, left out",
            "records of other games, left out",
            "records without a rule, left out",
        ];
        let told = making.numbers().filter(|(what, _)| !silent.contains(what)).collect();
        let lost = counts.on_stones + counts.unkept + making.left_out() > 0;
        Made { records: counts.records, lost, told }
    }

    fn tell(&self, target: &str) {
        for (what, number) in &self.told {
            complain(&format!("{target}: {what}: {}", thousands(*number)));
        }
    }
}

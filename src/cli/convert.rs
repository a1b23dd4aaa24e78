use super::Exit;
use super::conditions::FilterArgs;
use super::files::{Files, Found, Wanted};
use super::gathering::OutputArgs;
use super::input::{Input, name, reason};
use super::kind::{self, Kind};
use super::output::{Output, folder_of, refuse_existing};
use super::positions::Transfer;
use super::progress::{Bar, Stoppable};
use super::readers::InputArgs;
use super::reading::{ReadArgs, Told, encoding, forgiven};
use super::terminal::{complain, count, harmless, thousands};
use ::formats::{Blame, Error, Format, Loss, Losses, ReadOptions, WriteOptions, book_jsonl, by_extension};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use encoding_rs::Encoding;
use games::xiangqi::notation::Style;
use games::{Coords, Rule, Symmetry};
use rayon::prelude::*;
use record::{Filter, Prune, Record, occupied, prune, turn};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Convert records, libraries and books from one format to another
#[derive(Args)]
#[command(after_help = "The target's format is told by the extension of -o, or named by -t. Several files, or folders
with -r, go into a folder, which is made where it is missing. What a format cannot say is told
on stderr, a line for each kind of loss.

A book (.agb), a database (.db) and a table of positions take all inputs: kifu book build, import and
export do the same, and know more options.

Examples:
  kifu convert openings.lib -o openings.sgf
  kifu convert openings.lib -t agi-record | less
  kifu convert games.sgf --turn r90 --max-ply 30 -o turned.agx
  kifu convert games.sgf --player Nakamura --opening D4 -o kagetsu.sgf
  kifu convert -r libraries -t sgf -o converted
  kifu convert old.lib --encoding gbk --output-encoding utf-8 -o new.lib
  kifu convert openings.lib games.sgf -o book.agb
  kifu convert rapfi.db -o rapfi.csv")]
pub struct Convert {
    /// Files, or folders with -r; - is stdin
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the output, by name or extension [default: told by the extension of -o]
    #[arg(short, long, value_parser = Kind::parse, value_name = "FORMAT")]
    to: Option<Kind>,
    /// Read the files in folders
    #[arg(short, long)]
    recurse: bool,
    /// Keep only the first move at each branch
    #[arg(long)]
    mainline: bool,
    /// Keep no move deeper than this
    #[arg(long, value_name = "N")]
    max_ply: Option<usize>,
    /// Turn the board: r90, r180, r270 (clockwise), mirror (left and right), flip, diagonal, antidiagonal
    #[arg(long, value_name = "SYMMETRY")]
    turn: Option<Symmetry>,
    /// Rule where the input does not say it, for books and other formats of positions
    #[arg(long)]
    rule: Option<Rule>,
    /// Notation of points in inputs that leave it open: a1, agi, xy, sgf, rapfi, no-i
    #[arg(long, default_value = "a1")]
    coords: Coords,
    /// Notation of points in outputs that leave it open
    #[arg(long)]
    output_coords: Option<Coords>,
    /// Encoding of the texts in .lib and SGF outputs [default: the source's, or one that holds them all]
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    output_encoding: Option<&'static Encoding>,
    /// Notation of the moves in xiangqi PGN [default: chinese], or traditional, wxf, iccs
    #[arg(long, value_name = "NAME")]
    notation: Option<Style>,
    /// Write no file that would lose something, and exit with 3
    #[arg(long)]
    fail_on_loss: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Read and convert, say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// How many files to convert at a time [default: two more than there are processors]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// What is to be converted, and into what.
struct Plan<'f> {
    format: &'static Format,
    /// Which records are.
    filter: Filter,
    jobs: Vec<Job<'f>>,
    taken: Taken<'f>,
}

/// A file to convert and where to.
struct Job<'f> {
    source: &'f Path,
    target: Target<'f>,
}

enum Target<'f> {
    Stdout,
    File(PathBuf),
    /// In a folder, where a format of one record a file may make many files of one.
    InFolder(PathBuf),
    /// To where another source goes.
    Clash(PathBuf, &'f Path),
}

/// The files in the output folder, and the sources that go there.
#[derive(Default)]
struct Taken<'f>(HashMap<PathBuf, &'f Path>);

/// What came of a job.
struct Report {
    result: Result<Wrote>,
    losses: Losses,
    told: Option<Told>,
    seen: Seen,
}

/// What was seen of the records of an input.
#[derive(Default)]
struct Seen {
    /// Stones on stones.
    occupied: u64,
    /// Records that were read, wanted or not.
    records: u64,
    /// Records that are not wanted.
    left_out: u64,
}

#[derive(Default)]
struct Wrote {
    records: u64,
    nodes: u64,
}

/// A kind of loss over all files.
struct Lost<'f> {
    loss: Loss,
    files: u64,
    source: &'f Path,
    /// Whether the first of these files holds several games.
    games: bool,
}

impl Convert {
    /// Records that meet conditions, each file of them into a file in this folder.
    pub fn into_folder(input: InputArgs, filter: FilterArgs, output: OutputArgs) -> Convert {
        let InputArgs { inputs, recurse, rule, coords, threads, read } = input;
        let OutputArgs { output, to, output_coords, output_encoding, notation, fail_on_loss, force } = output;
        Convert {
            inputs,
            output,
            to,
            recurse,
            mainline: false,
            max_ply: None,
            turn: None,
            rule,
            coords,
            output_coords,
            output_encoding,
            notation,
            fail_on_loss,
            force,
            dry_run: false,
            threads: threads.map(usize::from),
            filter,
            read,
        }
    }

    /// Converts all inputs.
    pub fn run(self) -> Result<Exit> {
        if let Some(to) = self.positions() {
            return self.transfer(to);
        }
        let wanted = Wanted::Records.unless(self.read.from.is_some());
        let files = Files::list(&self.inputs, self.recurse, wanted, self.output.as_deref())?;
        // An input that is not there is named before an option that is wrong.
        let plan = self.plan(&files).map_err(|error| missing(&files).unwrap_or(error))?;
        let total = files.found.iter().filter_map(|file| fs::metadata(&file.path).ok()).map(|meta| meta.len()).sum();
        let bar = Bar::watch(total);
        let reports: Vec<Report> = if let [job] = &plan.jobs[..] {
            vec![self.convert(&plan, job)]
        } else {
            // Each file waits for the disk once, when it is put in its place: two more files fill that time.
            let processors = || std::thread::available_parallelism().map_or(1, usize::from);
            let threads = self.threads.unwrap_or_else(|| processors() + 2);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
            pool.install(|| plan.jobs.par_iter().map(|job| self.convert(&plan, job)).collect())
        };
        drop(bar);
        self.tell(&files, &plan, reports)
    }

    /// What the output is, where it or an input is a book or has positions; records into records go another way.
    fn positions(&self) -> Option<Kind> {
        let file = self.file();
        let named = file.filter(|file| !file.is_dir()).and_then(kind::extension).and_then(Kind::by_extension);
        let to = self.to.or(named)?;
        let Kind::Records(format) = to else { return Some(to) };
        let has_positions = |input: &PathBuf| {
            let kind = self.read.from.or_else(|| Kind::peek(input));
            matches!(kind, Some(Kind::Positions(_) | Kind::Book))
        };
        if !self.inputs.iter().any(has_positions) {
            return None;
        }
        // Records and positions share an extension.
        let lines = Some(Kind::Positions(&book_jsonl::FORMAT));
        let is_lines = self.to.is_none() && format.name == "json" && file.and_then(kind::extension) == Some("jsonl");
        lines.filter(|_| is_lines).or((self.inputs.len() == 1).then_some(to))
    }

    /// The file or folder to write.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// All inputs into one output of positions, or positions into something else.
    fn transfer(&self, to: Kind) -> Result<Exit> {
        if let Some(folder) = self.file().filter(|path| path.is_dir() || ends_as_folder(path)) {
            bail!("{}: all inputs go into one {}: name a file with -o", folder.display(), to.name());
        }
        for (is_given, option) in [
            (self.mainline, "--mainline"),
            (self.turn.is_some(), "--turn"),
            (self.output_coords.is_some(), "--output-coords"),
        ] {
            if is_given {
                bail!("{option} changes records, and cannot be used with positions ({})", to.name());
            }
        }
        if !self.filter.is_empty() {
            bail!("a condition is for records, and cannot be used with positions ({})", to.name());
        }
        let wanted = Wanted::All.unless(self.read.from.is_some());
        let files = Files::list(&self.inputs, self.recurse, wanted, self.output.as_deref())?;
        let transfer = Transfer {
            files: &files,
            output: self.file(),
            to,
            read: &self.read,
            options: ReadOptions { rule: self.rule, ..self.read.options(self.coords, 1) },
            max_ply: self.max_ply.unwrap_or(usize::MAX),
            write: WriteOptions { folder: self.file().map(|file| folder_of(file).into()), ..self.write_options() },
            fail_on_loss: self.fail_on_loss,
            force: self.force,
            dry_run: self.dry_run,
        };
        transfer.run()
    }

    /// What goes where; faults that need no reading are found here, before any work is done.
    fn plan<'f>(&self, files: &'f Files) -> Result<Plan<'f>> {
        let to = match self.to {
            Some(Kind::Records(format)) => Some(format),
            _ => None,
        };
        let one = match &files.found[..] {
            [file] if !files.has_folder => Some(&file.path),
            _ => None,
        };
        let filter = self.filter.filter(self.coords, self.read.size)?;
        let single = |format: &'static Format, target| {
            let source = one.expect("there is one file");
            format.writable()?;
            let filter = filter.clone();
            Ok(Plan { format, filter, jobs: vec![Job { source, target }], taken: Taken::default() })
        };
        let Some(output) = self.file() else {
            if one.is_none() {
                bail!("several files cannot go to stdout: name a folder with -o");
            }
            let format = to.context("name the format to write with -t, or a file with -o")?;
            return single(format, Target::Stdout);
        };
        let extension = output.extension().and_then(|extension| extension.to_str());
        if one.is_some() && !output.is_dir() && !ends_as_folder(output) {
            let format = to
                .or_else(|| extension.and_then(by_extension))
                .with_context(|| format!("{}: its extension tells no format: name one with -t", output.display()))?;
            return single(format, Target::File(output.into()));
        }
        let named_as_file = extension.and_then(by_extension).is_some() && !ends_as_folder(output);
        if output.is_file() || (named_as_file && !output.is_dir()) {
            bail!("{}: several files cannot go into one: name a folder with -o", output.display());
        }
        let format =
            to.with_context(|| format!("{}: name the format to write into this folder with -t", output.display()))?;
        format.writable()?;
        let mut taken = Taken::default();
        let jobs = files.found.iter().map(|file| taken.job(file, output, format)).collect();
        Ok(Plan { format, filter, jobs, taken })
    }

    fn convert(&self, plan: &Plan, job: &Job) -> Report {
        let mut report =
            Report { result: Ok(Wrote::default()), losses: Losses::default(), told: None, seen: Seen::default() };
        report.result = self.write(plan, job, &mut report);
        report
    }

    fn write(&self, plan: &Plan, job: &Job, report: &mut Report) -> Result<Wrote> {
        // An input that cannot be opened names itself.
        let input = Input::open(job.source)?;
        match &job.target {
            Target::Clash(path, other) => bail!(
                "{}: it would go to {}, as {} does: convert it apart",
                name(job.source),
                path.display(),
                name(other)
            ),
            Target::InFolder(path) if !plan.format.many => self.write_each(plan, job, path, input, report),
            Target::InFolder(path) | Target::File(path) => {
                if self.dry_run {
                    refuse_existing(path, self.force)?;
                    return self.write_all(plan, job, &input, &mut io::sink(), report);
                }
                let mut output = self.create(job, path)?;
                let wrote = self.write_all(plan, job, &input, &mut output, report)?;
                // Windows replaces no file that is still mapped.
                drop(input);
                if wrote.records > 0 && !self.refuses(&report.losses) {
                    output.commit()?;
                }
                Ok(wrote)
            }
            Target::Stdout if self.dry_run => self.write_all(plan, job, &input, &mut io::sink(), report),
            Target::Stdout if self.fail_on_loss => {
                let mut held = Vec::new();
                let wrote = self.write_all(plan, job, &input, &mut held, report)?;
                if !self.refuses(&report.losses) {
                    io::stdout().lock().write_all(&held)?;
                }
                Ok(wrote)
            }
            Target::Stdout => self.write_all(plan, job, &input, &mut io::stdout().lock(), report),
        }
    }

    /// Whether losses forbid the output.
    fn refuses(&self, losses: &Losses) -> bool {
        self.fail_on_loss && !losses.is_empty()
    }

    /// Begins a file, and the folder it is in where that is part of the output.
    fn create(&self, job: &Job, path: &Path) -> Result<Output> {
        if let Target::InFolder(_) = &job.target {
            make_folder_of(path)?;
        }
        Output::create(path, self.force)
    }

    /// All records of an input into one output.
    fn write_all(
        &self,
        plan: &Plan,
        job: &Job,
        input: &Input,
        out: &mut dyn Write,
        report: &mut Report,
    ) -> Result<Wrote> {
        let mut out = Stoppable(out);
        let mut writer = plan.format.start(&mut out, &self.write_options());
        let mut wrote = Wrote::default();
        let losses = &mut report.losses;
        let read = self.read(plan, input, &mut report.seen, &mut |record| {
            wrote.add(&record);
            losses.next_record();
            writer.record(&record, losses)
        });
        let told = read.and_then(|told| writer.finish().map(|()| told)).map_err(|error| job.blame(error))?;
        report.told = Some(told);
        wrote.some(job, &report.seen)
    }

    /// Each record of an input into a file of its own, numbered if there are several.
    fn write_each(&self, plan: &Plan, job: &Job, path: &Path, input: Input, report: &mut Report) -> Result<Wrote> {
        let mut wrote = Wrote::default();
        let mut first: Option<Record> = None;
        let mut failed = None;
        let losses = &mut report.losses;
        let mut write = |record: &Record, number: Option<u64>| {
            losses.next_record();
            let path = number.map_or_else(|| path.to_path_buf(), |number| numbered(path, number));
            let wrote = match number {
                Some(_) => plan.taken.free(job.source, &path),
                None => Ok(()),
            };
            wrote.and_then(|()| self.write_one(plan, job, record, &path, losses)).map_err(|error| {
                failed = Some(error);
                Error::new(Blame::World, "", "the output failed")
            })
        };
        let read = self.read(plan, &input, &mut report.seen, &mut |record| {
            wrote.add(&record);
            if wrote.records == 1 {
                first = Some(record);
                return Ok(());
            }
            if let Some(first) = first.take() {
                write(&first, Some(1))?;
            }
            write(&record, Some(wrote.records))
        });
        drop(input);
        let read = read.and_then(|told| first.map_or(Ok(()), |first| write(&first, None)).map(|()| told));
        match (read, failed) {
            (Ok(told), _) => report.told = Some(told),
            (Err(_), Some(error)) => return Err(error),
            (Err(error), None) => return Err(job.blame(error)),
        }
        wrote.some(job, &report.seen)
    }

    fn write_one(&self, plan: &Plan, job: &Job, record: &Record, path: &Path, losses: &mut Losses) -> Result<()> {
        let before = losses.total();
        let mut write = |out: &mut dyn Write| {
            let mut out = Stoppable(out);
            let mut writer = plan.format.start(&mut out, &self.write_options());
            writer.record(record, losses).and_then(|()| writer.finish()).map_err(|error| job.blame(error))
        };
        if self.dry_run {
            refuse_existing(path, self.force)?;
            return write(&mut io::sink());
        }
        let mut output = self.create(job, path)?;
        write(&mut output)?;
        if self.fail_on_loss && losses.total() > before {
            return Ok(());
        }
        output.commit()
    }

    /// Reads the records of an input, cuts and turns each as asked, and hands it on.
    fn read(
        &self,
        plan: &Plan,
        input: &Input,
        seen: &mut Seen,
        next: &mut dyn FnMut(Record) -> Result<(), Error>,
    ) -> Result<Told, Error> {
        let options = self.read.options(self.coords, 1);
        let of_format = self.read.format(input)?.rule;
        let prune_to = Prune { main_line: self.mainline, max_ply: self.max_ply };
        let mut each = |mut record: Record| {
            seen.records += 1;
            let rule = record.head.rule.or(self.rule).or(of_format);
            if plan.filter.lacks(&record, rule, record.head.result).is_some() {
                seen.left_out += 1;
                return Ok(());
            }
            if prune_to != Prune::default() {
                record = prune(&record, prune_to)?.0;
            }
            if let Some(symmetry) = self.turn {
                record = turn(&record, symmetry)?;
            }
            seen.occupied += occupied(&record).count() as u64;
            next(record)
        };
        self.read.read(input, &options, &mut each).and_then(Told::whole)
    }

    fn write_options(&self) -> WriteOptions {
        WriteOptions {
            encoding: self.output_encoding,
            coords: self.output_coords,
            style: self.notation,
            ..WriteOptions::default()
        }
    }

    /// Says what was lost, forgiven and not done, and answers how it ended.
    fn tell(&self, files: &Files, plan: &Plan, reports: Vec<Report>) -> Result<Exit> {
        let mut exit = Exit::Done;
        let many = reports.len() > 1;
        let mut lost: Vec<Lost> = Vec::new();
        let mut failed = 0_u64;
        let (mut kept, mut left_out) = (0, 0);
        for (job, report) in plan.jobs.iter().zip(reports) {
            let source = name(job.source);
            let wrote = match report.result {
                Ok(wrote) => wrote,
                Err(error) => {
                    if let Some(early) = Exit::early(&error) {
                        return Ok(early);
                    }
                    complain(&format!("{error:#}"));
                    failed += 1;
                    continue;
                }
            };
            kept += wrote.records;
            left_out += report.seen.left_out;
            if self.dry_run {
                let (records, nodes) = (count(wrote.records, "record"), count(wrote.nodes, "node"));
                let target = job.destination(plan.format, wrote.records);
                writeln!(
                    anstream::stdout().lock(),
                    "{}",
                    harmless(&format!("{source} -> {target}: {records}, {nodes}"))
                )?;
            }
            for line in told_of(&report.told, report.seen.occupied) {
                complain(&format!("{source}: {line}"));
            }
            if self.refuses(&report.losses) {
                complain(&format!("{source}: what would lose something is not written"));
                exit = exit.max(Exit::Loss);
            }
            for loss in report.losses.list() {
                match lost.iter_mut().find(|other| other.loss.what == loss.what) {
                    Some(other) => {
                        other.loss.count += loss.count;
                        other.files += 1;
                    }
                    None => {
                        let games = wrote.records > 1;
                        lost.push(Lost { loss: loss.clone(), files: 1, source: job.source, games });
                    }
                }
            }
        }
        for lost in lost {
            complain(&lost.sentence(plan.format));
        }
        for unread in &files.unread {
            complain(unread);
        }
        if left_out > 0 {
            let nothing = if kept == 0 { ", and nothing is written" } else { "" };
            complain(&format!(
                "{} meet the conditions, {} left out{nothing}",
                count(kept, "record"),
                thousands(left_out)
            ));
        }
        if kept == 0 && failed == 0 {
            exit = exit.max(Exit::No);
        }
        if failed > 0 || !files.unread.is_empty() {
            exit = exit.max(Exit::Failed);
        }
        if many && (exit == Exit::Failed || files.strangers > 0) {
            let done = files.found.len() as u64 - failed;
            let passed = files.passed_over();
            complain(&format!("{} converted, {} failed{passed}", count(done, "file"), thousands(failed)));
        }
        Ok(exit)
    }
}

/// That an input is not there, if one is not.
fn missing(files: &Files) -> Option<anyhow::Error> {
    let paths = files.found.iter().map(|file| &file.path).filter(|path| path.as_os_str() != "-");
    paths
        .map(fs::metadata)
        .zip(&files.found)
        .find_map(|(meta, file)| meta.err().map(|error| anyhow!("{}: {}", file.path.display(), reason(&error))))
}

pub fn ends_as_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|byte| std::path::is_separator(char::from(*byte)))
}

impl Job<'_> {
    /// An error with the name of the file whose it is.
    fn blame(&self, error: Error) -> anyhow::Error {
        match (error.blame, &self.target) {
            (Blame::World, Target::File(path) | Target::InFolder(path)) => {
                anyhow!("{}: it cannot be written: {error}", path.display())
            }
            (Blame::World, _) => anyhow!("stdout cannot be written: {error}"),
            _ => anyhow::Error::new(error).context(name(self.source)),
        }
    }

    /// Where so many records go, for people.
    fn destination(&self, format: &Format, records: u64) -> String {
        match &self.target {
            Target::Stdout => "stdout".into(),
            Target::InFolder(path) if !format.many && records > 1 => {
                format!("{} ... {}", numbered(path, 1).display(), numbered(path, records).display())
            }
            Target::File(path) | Target::InFolder(path) | Target::Clash(path, _) => path.display().to_string(),
        }
    }
}

impl<'f> Taken<'f> {
    /// The file an input goes to: its path below the folder it was found in, with the new extension.
    fn job(&mut self, file: &'f Found, folder: &Path, format: &'static Format) -> Job<'f> {
        let source = file.path.as_path();
        let below = if source.as_os_str() == "-" { Path::new("stdin") } else { &file.below };
        let path = folder.join(below).with_extension(format.extensions[0]);
        let target = match self.0.entry(key(&path)) {
            Entry::Occupied(other) => Target::Clash(path, other.get()),
            Entry::Vacant(place) => {
                place.insert(source);
                Target::InFolder(path)
            }
        };
        Job { source, target }
    }

    /// An error if another source goes to the file.
    fn free(&self, source: &Path, path: &Path) -> Result<()> {
        let Some(other) = self.0.get(&key(path)) else { return Ok(()) };
        bail!("{}: a game of it would go to {}, as {} does", name(source), path.display(), name(other))
    }
}

/// Makes the folder that a file is to be in, where it is missing.
pub fn make_folder_of(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(|error| anyhow!("{}: it cannot be made: {}", folder.display(), reason(&error)))
}

/// The same for all names of a file.
pub fn key(path: &Path) -> PathBuf {
    let folds = cfg!(any(windows, target_os = "macos"));
    if folds { PathBuf::from(path.to_string_lossy().to_lowercase()) } else { path.to_path_buf() }
}

/// `a.lib` with a number: `a-0001.lib`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{number:04}."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

impl Lost<'_> {
    /// `a.lib: sgf cannot hold values (left out): 3 (first after h8 h9)`.
    fn sentence(&self, format: &Format) -> String {
        let Loss { what, count, first, record } = &self.loss;
        let source = name(self.source);
        let mut places = Vec::new();
        let (before, within) = match self.files {
            1 => (format!("{source}: "), String::new()),
            files => {
                places.push(format!("in {source}"));
                (String::new(), format!(" in {files} files"))
            }
        };
        if self.games {
            places.push(format!("in game {record}"));
        }
        places.push(first.clone());
        let one = if *count > 1 { "first " } else { "" };
        let (number, places) = (thousands(*count), places.join(", "));
        format!("{before}{} cannot hold {what}: {number}{within} ({one}{places})", format.name)
    }
}

impl Wrote {
    fn add(&mut self, record: &Record) {
        self.records += 1;
        self.nodes += record.tree.len() as u64 - 1;
    }

    /// Itself, if there was something to write, or nothing is wanted.
    fn some(self, job: &Job, seen: &Seen) -> Result<Wrote> {
        if seen.records == 0 {
            bail!("{}: there is no record in it", name(job.source));
        }
        Ok(self)
    }
}

/// What a user should know of the reading: damage, stones on stones, an encoding that is a guess.
fn told_of(told: &Option<Told>, stones: u64) -> Vec<String> {
    let Some(Told { faults, encoding, .. }) = told else { return Vec::new() };
    let mut lines = forgiven(faults, *encoding);
    if stones > 0 {
        let them = if stones == 1 { "it is" } else { "they are" };
        lines.push(format!("{} on an occupied point: {them} kept (see kifu check)", count(stones, "stone")));
    }
    lines
}

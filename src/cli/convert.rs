use super::Exit;
use super::files::{Files, Found, list};
use super::input::{Input, find_format};
use super::output::{Output, refuse_existing};
use super::progress::{Bar, PROGRESS};
use super::reading::{ReadArgs, Told, encoding};
use super::terminal::{complain, count, thousands};
use ::formats::{Blame, Error, Faults, Format, Guess, Loss, Losses, Severity, Sure, WriteOptions, by_extension};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use encoding_rs::Encoding;
use games::{Coords, Symmetry};
use rayon::prelude::*;
use record::{Prune, Record, occupied, prune, turn};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Convert records and libraries from one format to another
#[derive(Args)]
#[command(after_help = "The target's format is told by the extension of -o, or named by -t. Several files, or folders
with -r, go into a folder, which is made where it is missing. What a format cannot say is told
on stderr, a line for each kind of loss.

Examples:
  kifu convert openings.lib -o openings.sgf
  kifu convert openings.lib -t agi-record | less
  kifu convert games.sgf --turn r90 --max-ply 30 -o turned.agx
  kifu convert -r libraries -t sgf -o converted
  kifu convert old.lib --encoding gbk --output-encoding utf-8 -o new.lib")]
pub struct Convert {
    /// Files, or folders with -r; - is stdin
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the output, by name or extension [default: told by the extension of -o]
    #[arg(short, long, value_name = "FORMAT")]
    to: Option<String>,
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
    /// Notation of points in inputs that leave it open: a1, agi, xy, sgf, rapfi, no-i
    #[arg(long, default_value = "a1")]
    coords: Coords,
    /// Notation of points in outputs that leave it open
    #[arg(long)]
    output_coords: Option<Coords>,
    /// Encoding of the texts in .lib and SGF outputs [default: the source's, or one that holds them all]
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    output_encoding: Option<&'static Encoding>,
    /// Write nothing and exit with 3 if something would be lost
    #[arg(long)]
    fail_on_loss: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Read and convert, say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// How many files to convert at a time [default: as many as there are processors]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    read: ReadArgs,
}

/// A file to convert and where to.
struct Job<'a> {
    source: &'a Path,
    target: Target,
    format: &'static Format,
}

enum Target {
    Stdout,
    File(PathBuf),
    /// In a folder, where a format of one record a file may make many files of one.
    InFolder(PathBuf),
}

/// What came of a job.
struct Report {
    result: Result<Wrote>,
    losses: Losses,
    told: Option<(Faults, Option<Guess>)>,
    occupied: u64,
}

#[derive(Default)]
struct Wrote {
    records: u64,
    nodes: u64,
}

impl Convert {
    /// Converts all inputs.
    pub fn run(self) -> Result<Exit> {
        let files = list(&self.inputs, self.recurse, self.read.from.is_some(), self.output.as_deref())?;
        if files.found.is_empty() {
            bail!("no file to convert is in the folder{}", strangers(&files));
        }
        let jobs = self.jobs(&files)?;
        let total = files.found.iter().filter_map(|file| fs::metadata(&file.path).ok()).map(|meta| meta.len()).sum();
        let bar = Bar::watch(total);
        let reports: Vec<Report> = if jobs.len() == 1 {
            jobs.into_iter().map(|job| self.convert(job)).collect()
        } else {
            let threads = self.threads.unwrap_or(0);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
            pool.install(|| jobs.into_par_iter().map(|job| self.convert(job)).collect())
        };
        drop(bar);
        self.tell(&files, reports)
    }

    /// What goes where; faults that need no reading are found here, before any work is done.
    fn jobs<'f>(&self, files: &'f Files) -> Result<Vec<Result<Job<'f>>>> {
        let named = self.to.as_deref().map(find_format).transpose()?;
        let several = files.has_folder || files.found.len() > 1;
        let output = self.output.as_deref().filter(|path| path.as_os_str() != "-");
        let Some(output) = output else {
            if several {
                bail!("several files cannot go to stdout: name a folder with -o");
            }
            let format = named.context("name the format to write with -t, or a file with -o")?;
            return Ok(vec![Ok(Job { source: &files.found[0].path, target: Target::Stdout, format })]);
        };
        let ends_as_folder = output
            .as_os_str()
            .as_encoded_bytes()
            .last()
            .is_some_and(|&byte| byte == b'/' || (cfg!(windows) && byte == b'\\'));
        if !several && !output.is_dir() && !ends_as_folder {
            let extension = output.extension().and_then(|extension| extension.to_str());
            let format = named
                .or_else(|| extension.and_then(by_extension))
                .with_context(|| format!("{}: the extension tells no format: name it with -t", output.display()))?;
            if !self.dry_run {
                refuse_existing(output, self.force)?;
            }
            return Ok(vec![Ok(Job { source: &files.found[0].path, target: Target::File(output.into()), format })]);
        }
        if several && output.is_file() {
            bail!("{}: several files cannot go into one: name a folder with -o", output.display());
        }
        let format = named.context("name the format to write into the folder with -t")?;
        let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
        Ok(files.found.iter().map(|file| in_folder(file, output, format, &mut taken)).collect())
    }

    fn convert(&self, job: Result<Job<'_>>) -> Report {
        let mut report = Report { result: Ok(Wrote::default()), losses: Losses::default(), told: None, occupied: 0 };
        report.result = job.and_then(|job| {
            let place = |error: anyhow::Error| match error.downcast_ref::<Error>() {
                Some(stopped) if stopped.blame == Blame::Stopped => error,
                _ if job.source.as_os_str() == "-" => error.context("stdin"),
                _ => error.context(job.source.display().to_string()),
            };
            // An input that cannot be opened names itself.
            let input = Input::open(job.source)?;
            self.write(&job, input, &mut report).map_err(place)
        });
        report
    }

    fn write(&self, job: &Job<'_>, input: Input, report: &mut Report) -> Result<Wrote> {
        match &job.target {
            Target::InFolder(path) if !job.format.many => self.write_each(job, path, input, report),
            Target::InFolder(path) | Target::File(path) if !self.dry_run => {
                if let (Target::InFolder(_), Some(folder)) = (&job.target, path.parent()) {
                    fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
                }
                let mut output = Output::create(path, self.force)?;
                let wrote = self.write_all(job, &input, &mut output, report)?;
                // Windows replaces no file that is still mapped.
                drop(input);
                if !self.refuses(report) {
                    output.commit()?;
                }
                Ok(wrote)
            }
            Target::Stdout if !self.dry_run => self.write_all(job, &input, &mut io::stdout().lock(), report),
            _ => self.write_all(job, &input, &mut io::sink(), report),
        }
    }

    /// Whether losses forbid the output.
    fn refuses(&self, report: &Report) -> bool {
        self.fail_on_loss && !report.losses.is_empty()
    }

    /// All records of an input into one output.
    fn write_all(&self, job: &Job<'_>, input: &Input, out: &mut dyn Write, report: &mut Report) -> Result<Wrote> {
        let mut writer = (job.format.writer)(out, &self.write_options());
        let mut wrote = Wrote::default();
        let Report { losses, occupied, .. } = report;
        let told = self.each(input, occupied, &mut |record| {
            wrote.add(record);
            writer.record(record, losses)
        })?;
        writer.finish()?;
        report.told = Some((told.faults, told.encoding));
        if wrote.records == 0 {
            bail!("there is no record in it");
        }
        Ok(wrote)
    }

    /// Each record of an input into a file of its own, numbered if there are several.
    fn write_each(&self, job: &Job<'_>, path: &Path, input: Input, report: &mut Report) -> Result<Wrote> {
        let mut wrote = Wrote::default();
        let mut first: Option<Record> = None;
        let Report { losses, occupied, .. } = report;
        let mut write = |record: &Record, path: &Path| {
            self.write_one(job.format, record, path, losses).map_err(|error| match error.downcast::<Error>() {
                Ok(error) => error,
                Err(error) => Error::new(Blame::World, "", format!("{error:#}")),
            })
        };
        let told = self.each(&input, occupied, &mut |record| {
            wrote.add(record);
            if wrote.records == 1 {
                first = Some(record.clone());
                return Ok(());
            }
            if let Some(first) = first.take() {
                write(&first, &numbered(path, 1))?;
            }
            write(record, &numbered(path, wrote.records))
        })?;
        drop(input);
        if let Some(first) = first {
            write(&first, path)?;
        }
        report.told = Some((told.faults, told.encoding));
        if wrote.records == 0 {
            bail!("there is no record in it");
        }
        Ok(wrote)
    }

    fn write_one(&self, format: &Format, record: &Record, path: &Path, losses: &mut Losses) -> Result<()> {
        let before = losses.list().len();
        let mut write = |out: &mut dyn Write| {
            let mut writer = (format.writer)(out, &self.write_options());
            writer.record(record, losses)?;
            writer.finish()
        };
        if self.dry_run {
            return Ok(write(&mut io::sink())?);
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        }
        let mut output = Output::create(path, self.force)?;
        write(&mut output)?;
        if self.fail_on_loss && losses.list().len() > before {
            return Ok(());
        }
        output.commit()
    }

    /// Reads the records of an input, cuts and turns each as asked, and hands it on.
    fn each(
        &self,
        input: &Input,
        stones: &mut u64,
        next: &mut dyn FnMut(&Record) -> Result<(), Error>,
    ) -> Result<Told> {
        let options = self.read.options(self.coords, 1);
        let prune_to = Prune { main_line: self.mainline, max_ply: self.max_ply };
        let mut each = |mut record: Record| {
            if prune_to != Prune::default() {
                record = prune(&record, prune_to)?.0;
            }
            if let Some(symmetry) = self.turn {
                record = turn(&record, symmetry)?;
            }
            *stones += occupied(&record).count() as u64;
            next(&record)
        };
        let mut told = self.read.read(input, &options, &mut each)?;
        std::mem::replace(&mut told.result, Ok(()))?;
        Ok(told)
    }

    fn write_options(&self) -> WriteOptions {
        WriteOptions { encoding: self.output_encoding, coords: self.output_coords }
    }

    /// Says what was lost, forgiven and not done, and answers how it ended.
    fn tell(&self, files: &Files, reports: Vec<Report>) -> Result<Exit> {
        let mut exit = Exit::Done;
        let many = reports.len() > 1;
        let mut all_losses: Vec<(Loss, u64, &Path)> = Vec::new();
        let mut failed = 0_u64;
        for (file, report) in files.found.iter().zip(reports) {
            let name = file.path.display();
            match report.result {
                Err(error) => {
                    let stopped = error.downcast_ref::<Error>().is_some_and(|e| e.blame == Blame::Stopped);
                    let piped = error.chain().any(|c| c.downcast_ref::<Error>().is_some_and(is_broken_pipe));
                    if stopped || PROGRESS.stop.load(std::sync::atomic::Ordering::Relaxed) {
                        return Ok(Exit::Stopped);
                    }
                    if piped {
                        return Ok(Exit::Done);
                    }
                    complain(&format!("{error:#}"));
                    failed += 1;
                    exit = exit.max(Exit::Failed);
                    continue;
                }
                Ok(wrote) if self.dry_run => {
                    let nodes = count(wrote.nodes, "node");
                    writeln!(anstream::stdout().lock(), "{name}: {}, {nodes}", count(wrote.records, "record"))?;
                }
                Ok(_) => {}
            }
            for line in forgiven(&report.told, report.occupied) {
                complain(&format!("{name}: {line}"));
            }
            if self.fail_on_loss && !report.losses.is_empty() {
                exit = exit.max(Exit::Loss);
            }
            for loss in report.losses.list() {
                match all_losses.iter_mut().find(|(other, ..)| many && other.what == loss.what) {
                    Some((other, files, _)) => {
                        other.count += loss.count;
                        *files += 1;
                    }
                    None => all_losses.push((loss.clone(), 1, &file.path)),
                }
            }
        }
        for (loss, in_files, first) in all_losses {
            let whole = if in_files > 1 { format!(" in {in_files} files") } else { String::new() };
            complain(&format!("{}: not said{whole}: {loss}", first.display()));
        }
        if many && (failed > 0 || files.strangers > 0) {
            let done = files.found.len() as u64 - failed;
            complain(&format!("{} converted, {} failed{}", count(done, "file"), thousands(failed), strangers(files)));
        }
        Ok(exit)
    }
}

impl Wrote {
    fn add(&mut self, record: &Record) {
        self.records += 1;
        self.nodes += record.tree.len() as u64 - 1;
    }
}

fn is_broken_pipe(error: &Error) -> bool {
    error.blame == Blame::World && error.message.contains("Broken pipe")
}

fn strangers(files: &Files) -> String {
    match files.strangers {
        0 => String::new(),
        number => format!(" ({} of other kinds passed over)", count(number, "file")),
    }
}

/// The file an input goes to: its path below the folder it was found in, with the new extension.
fn in_folder<'f>(
    file: &'f Found,
    folder: &Path,
    format: &'static Format,
    taken: &mut HashMap<PathBuf, &'f Path>,
) -> Result<Job<'f>> {
    let below = if file.path.as_os_str() == "-" { Path::new("stdin") } else { &file.below };
    let path = folder.join(below).with_extension(format.extensions[0]);
    let key = if cfg!(windows) { PathBuf::from(path.to_string_lossy().to_lowercase()) } else { path.clone() };
    match taken.get(&key) {
        Some(other) => Err(anyhow!(
            "{}: it would go to {}, as {} does: convert it apart",
            file.path.display(),
            path.display(),
            other.display()
        )),
        None => {
            taken.insert(key, &file.path);
            Ok(Job { source: &file.path, target: Target::InFolder(path), format })
        }
    }
}

/// `a.lib` with a number: `a-0001.lib`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{number:04}."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

/// What a user should know of the reading: damage, stones on stones, an encoding that is a guess.
fn forgiven(told: &Option<(Faults, Option<Guess>)>, stones: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let Some((faults, guess)) = told else { return lines };
    for fault in faults.list().iter().filter(|fault| fault.severity == Severity::Damage) {
        let more = faults.count(fault.kind) - 1;
        lines.push(if more > 0 { format!("{fault}, and {} more like it", thousands(more)) } else { fault.to_string() });
    }
    if stones > 0 {
        lines.push(format!("{} on an occupied point: kept as they are (see kifu check)", count(stones, "stone")));
    }
    if let Some(guess) = guess.filter(|guess| matches!(guess.sure, Sure::Likely | Sure::Unsure)) {
        let (name, sure) = (guess.encoding.name(), guess.sure.name());
        lines.push(format!("the texts are taken for {name} ({sure}): --encoding names another"));
    }
    lines
}

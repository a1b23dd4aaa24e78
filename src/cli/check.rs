use super::Exit;
use super::files::list;
use super::input::Input;
use super::progress::{Bar, PROGRESS};
use super::reading::ReadArgs;
use super::terminal::{complain, harmless, thousands};
use ::formats::{Blame, Fault, Place, Severity};
use anyhow::{Result, bail};
use clap::Args;
use games::Coords;
use record::{Record, occupied};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Find what a strict reader would refuse, with its place
#[derive(Args)]
#[command(after_help = "Exit codes: 0 no fault, 1 faults found, 2 a file cannot be opened.

Examples:
  kifu check openings.lib
  kifu check --json -r libraries")]
pub struct Check {
    /// Files; - is stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read the files in folders
    #[arg(short, long)]
    recurse: bool,
    /// Print a JSON object a fault
    #[arg(long)]
    json: bool,
    /// Notation of points where the file leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    /// Show at most this many faults of a kind in a file
    #[arg(long, default_value_t = 1000, value_name = "N")]
    most: u64,
    #[command(flatten)]
    read: ReadArgs,
}

impl Check {
    /// Prints the faults of each file.
    pub fn run(self) -> Result<Exit> {
        let files = list(&self.files, self.recurse, self.read.from.is_some(), None)?;
        if files.found.is_empty() {
            bail!("no file to read is in the folder");
        }
        let mut exit = Exit::Done;
        for file in &files.found {
            match Input::open(&file.path) {
                Ok(input) => {
                    if self.file(&file.path, &input)? > 0 {
                        exit = exit.max(Exit::No);
                    }
                }
                Err(error) => {
                    complain(&format!("{error:#}"));
                    exit = Exit::Failed;
                }
            }
        }
        Ok(exit)
    }

    /// Prints the faults of a file and answers how many there are.
    fn file(&self, path: &Path, input: &Input) -> Result<u64> {
        PROGRESS.done.store(0, Ordering::Relaxed);
        let _bar = Bar::watch(input.len() as u64);
        let mut stones = Vec::new();
        let (mut records, mut occupied_count) = (0, 0);
        let options = self.read.options(self.coords, self.most);
        let mut each = |record: Record| {
            records += 1;
            for node in occupied(&record) {
                occupied_count += 1;
                if occupied_count <= self.most {
                    let place = Place { record: Some(records), ..Place::default() };
                    stones.push(Fault {
                        kind: "occupied-point",
                        severity: Severity::Damage,
                        message: "a stone on a stone: the branch is kept, and left out of what plays moves".into(),
                        place: place.after(&record.tree, node, record.head.size),
                    });
                }
            }
            Ok(())
        };
        let (faults, result, many) = match self.read.read(input, &options, &mut each) {
            Ok(told) => (Some(told.faults), told.result, told.format.many),
            Err(error) => (None, Err(::formats::Error::new(Blame::File, "", error.to_string())), true),
        };
        if let Err(error) = &result
            && error.blame == Blame::Stopped
        {
            return Err(result.expect_err("it is an error").into());
        }
        let mut out = anstream::stdout().lock();
        let mut total = occupied_count;
        let mut shown = 0;
        if let Some(faults) = &faults {
            total +=
                faults.counts().iter().filter(|count| count.1 > Severity::Remark).map(|count| count.2).sum::<u64>();
            for fault in faults.list().iter().filter(|fault| fault.severity > Severity::Remark) {
                self.print(path, fault, &mut out)?;
                shown += 1;
            }
        }
        for mut fault in stones {
            fault.place.record = fault.place.record.filter(|_| many);
            self.print(path, &fault, &mut out)?;
            shown += 1;
        }
        if let Err(error) = result {
            total += 1;
            shown += 1;
            let kind = if faults.is_some() { "refused" } else { "unknown-format" };
            let message =
                if error.format.is_empty() { error.message } else { format!("{}: {}", error.format, error.message) };
            self.print(path, &Fault { kind, severity: Severity::Damage, message, place: *error.place }, &mut out)?;
        }
        if shown < total && !self.json {
            writeln!(out, "{}: {} more faults", path.display(), thousands(total - shown))?;
        }
        Ok(total)
    }

    fn print(&self, path: &Path, fault: &Fault, out: &mut impl Write) -> Result<()> {
        let name = path.display();
        let Fault { kind, message, place, .. } = fault;
        if self.json {
            let severity = if fault.severity == Severity::Quirk { "quirk" } else { "damage" };
            let row = json!({
                "file": name.to_string(), "record": place.record, "ply": place.ply, "path": place.path,
                "byte": place.byte, "line": place.line, "kind": kind, "severity": severity, "message": message,
            });
            writeln!(out, "{row}")?;
        } else {
            writeln!(out, "{}", harmless(&format!("{name}: {fault} [{kind}]")))?;
        }
        Ok(())
    }
}

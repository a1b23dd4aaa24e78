use super::Exit;
use super::files::Files;
use super::input::{Input, name};
use super::reading::ReadArgs;
use super::terminal::{JSON, count, harmless};
use ::formats::{Blame, Fault, Place, Severity};
use anyhow::Result;
use clap::Args;
use games::Coords;
use record::{NodeId, Record, occupied};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

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
        Files::list(&self.files, self.recurse, self.read.from.is_some(), None)?.each(|path| self.file(path))
    }

    /// Prints the faults of a file and answers whether there are any.
    fn file(&self, path: &Path) -> Result<Exit> {
        let input = Input::open(path)?;
        let mut stones = Vec::new();
        let (mut records, mut occupied_count) = (0, 0);
        let mut each = |record: Record| {
            records += 1;
            for node in occupied(&record) {
                occupied_count += 1;
                if occupied_count <= self.most {
                    stones.push(on_a_stone(&record, records, node));
                }
            }
            Ok(())
        };
        let told = self.read.watch(&input, &self.read.options(self.coords, self.most), &mut each);
        let mut found = Vec::new();
        let mut total = occupied_count;
        let (kind, end) = match told {
            Err(error) => ("unknown-format", Err(error)),
            Ok(told) => {
                let to_tell = |severity| severity > Severity::Remark;
                total += told.faults.counts().iter().filter(|count| to_tell(count.1)).map(|count| count.2).sum::<u64>();
                found.extend(told.faults.list().iter().filter(|fault| to_tell(fault.severity)).cloned());
                if !told.format.many {
                    stones.iter_mut().for_each(|fault| fault.place.record = None);
                }
                ("refused", told.result)
            }
        };
        found.append(&mut stones);
        if let Err(error) = end {
            if error.blame == Blame::Stopped {
                return Err(error.into());
            }
            total += 1;
            found.push(Fault { kind, severity: Severity::Damage, message: error.message, place: *error.place });
        }
        let mut out = anstream::stdout().lock();
        for fault in &found {
            self.print(path, fault, &mut out)?;
        }
        let more = total - found.len() as u64;
        if more > 0 && !self.json {
            writeln!(out, "{}", harmless(&format!("{}: {} not shown", name(path), count(more, "more fault"))))?;
        }
        Ok(if total > 0 { Exit::No } else { Exit::Done })
    }

    fn print(&self, path: &Path, fault: &Fault, out: &mut impl Write) -> Result<()> {
        let Fault { kind, message, place, .. } = fault;
        if self.json {
            let severity = if fault.severity == Severity::Quirk { "quirk" } else { "damage" };
            let row = json!({
                "kifu": JSON, "file": path.display().to_string(), "record": place.record, "ply": place.ply, "path": place.path,
                "byte": place.byte, "line": place.line, "kind": kind, "severity": severity, "message": message,
            });
            writeln!(out, "{row}")?;
        } else {
            writeln!(out, "{}", harmless(&format!("{}: {fault} [{kind}]", name(path))))?;
        }
        Ok(())
    }
}

fn on_a_stone(record: &Record, number: u64, node: NodeId) -> Fault {
    Fault {
        kind: "occupied-point",
        severity: Severity::Damage,
        message: "a stone on a stone: the branch is kept, and left out of what plays moves".into(),
        place: Place { record: Some(number), ..Place::default() }.after(&record.tree, node, record.head.size),
    }
}

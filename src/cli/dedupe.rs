use super::Exit;
use super::files::{Files, Found};
use super::gathering::{Gathering, OutputArgs};
use super::input::name;
use super::readers::{Heard, InputArgs, Numbered};
use super::terminal::{JSON, complain, count, harmless, thousands};
use anyhow::{Result, bail};
use clap::Args;
use record::{NodeId, Note, Record, Tree, beginnings, same_moves};
use serde_json::json;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;

/// Leave out games that are there already
#[derive(Args)]
#[command(
    after_help = "Two records are the same if they have the same moves on the same board, under the same rule and after the same
set-up; of records with branches all branches count. The first of them is kept. Records without a move are all kept.

Without -o nothing is written, and only told.

Examples:
  kifu dedupe -r collection
  kifu dedupe -r collection --symmetry --prefix -o clean.sgf
  kifu dedupe a.sgf b.sgf --list"
)]
pub struct Dedupe {
    #[command(flatten)]
    input: InputArgs,
    /// Turned and mirrored games are the same, too
    #[arg(long)]
    symmetry: bool,
    /// Leave out also games that are a beginning of another
    #[arg(long)]
    prefix: bool,
    /// Print which is the double of which
    #[arg(long)]
    list: bool,
    /// Print the list as JSON objects
    #[arg(long, requires = "list")]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A record and what tells it from others.
struct Candidate {
    /// Kept only where it may be written.
    record: Option<Record>,
    number: u64,
    key: Option<u128>,
    /// Nothing branches off its line.
    is_line: bool,
    /// It has more than moves: branches, or something written.
    is_rich: bool,
}

/// Where a record stands: which file, from 0, and which record of it, from 1.
type Where = (u32, u64);

/// What was met so far.
struct Meeting<'f> {
    files: &'f Files,
    seen: HashMap<u128, Where>,
    /// Of lines that are the beginning of a longer one, where that stands.
    longer: HashMap<u128, Where>,
    kept: u64,
    doubles: u64,
    beginnings: u64,
    /// Of those that are left out, how many have more than moves.
    rich: u64,
}

impl Dedupe {
    /// Finds what is double, and writes the rest.
    pub fn run(self) -> Result<Exit> {
        let has_output = self.output.output.is_some() || self.output.to.is_some();
        if self.list && has_output && self.output.file().is_none() {
            bail!("--list prints to stdout: name a file with -o");
        }
        if self.output.is_folder() {
            bail!(
                "{}: all that is kept goes into one file",
                name(self.output.output.as_deref().unwrap_or(Path::new("-")))
            );
        }
        let files = self.input.files(None)?;
        if self.prefix && files.found.iter().any(|file| file.path.as_os_str() == "-") {
            bail!("stdin can be read only once, and --prefix reads twice: write it into a file first");
        }
        let longer = if self.prefix { self.longer(&files)? } else { HashMap::new() };
        let (seen, kept) = (HashMap::new(), 0);
        let mut meeting = Meeting { files: &files, seen, longer, kept, doubles: 0, beginnings: 0, rich: 0 };
        let exit = match has_output {
            true => self.output.gather(|out| self.meet(&mut meeting, Some(out)))?,
            false => self.meet(&mut meeting, None)?,
        };
        meeting.tell(has_output || self.list)?;
        Ok(exit)
    }

    /// The lines that are the beginning of a longer one, and where the first such stands.
    fn longer(&self, files: &Files) -> Result<HashMap<u128, Where>> {
        let mut whole: HashSet<u128> = HashSet::new();
        let look = |(): &mut (), _: &Found, Numbered { record, rule, .. }: Numbered, found: &mut Vec<u128>| {
            if is_line(&record.tree) {
                found.extend(beginnings(&record, rule, self.symmetry).last());
            }
            Ok(())
        };
        self.input.quietly(
            files,
            || (),
            look,
            |_, heard| {
                if let Heard::Found(found) = heard {
                    whole.extend(found);
                }
                Ok(())
            },
        )?;
        let mut longer = HashMap::new();
        let mut at = 0;
        let look = |(): &mut (), _: &Found, numbered: Numbered, found: &mut Vec<(u128, u64)>| {
            let Numbered { record, rule, number, .. } = numbered;
            if is_line(&record.tree) {
                let mut all = beginnings(&record, rule, self.symmetry);
                all.pop();
                found.extend(all.into_iter().filter(|beginning| whole.contains(beginning)).map(|all| (all, number)));
            }
            Ok(())
        };
        self.input.quietly(
            files,
            || (),
            look,
            |_, heard| {
                match heard {
                    Heard::Found(found) => {
                        for (beginning, number) in found {
                            longer.entry(beginning).or_insert((at, number));
                        }
                    }
                    Heard::End => at += 1,
                }
                Ok(())
            },
        )?;
        Ok(longer)
    }

    /// Reads all records and keeps those that are not there.
    fn meet(&self, meeting: &mut Meeting, mut out: Option<&mut Gathering>) -> Result<Exit> {
        let files = meeting.files;
        let is_written = out.is_some();
        let look = |(): &mut (), _: &Found, numbered: Numbered, found: &mut Vec<Candidate>| {
            let Numbered { record, number, rule, .. } = numbered;
            let is_line = is_line(&record.tree);
            let has_moves = record.tree.len() > 1;
            let key = match self.prefix && is_line {
                true => beginnings(&record, rule, self.symmetry).pop(),
                false => Some(same_moves(&record, rule, self.symmetry)),
            };
            let is_rich = !is_line || is_written_on(&record.tree);
            let record = is_written.then_some(record);
            found.push(Candidate { record, number, key: key.filter(|_| has_moves), is_line, is_rich });
            Ok(())
        };
        let mut at = 0;
        let (tally, exit) = self.input.each(
            files,
            || (),
            look,
            |file, heard| {
                let found = match heard {
                    Heard::Found(found) => found,
                    Heard::End => {
                        at += 1;
                        return Ok(());
                    }
                };
                for candidate in found {
                    match meeting.is_there(&candidate, at) {
                        Some((how, other)) => {
                            if self.list {
                                self.print(files, how, (at, candidate.number), other)?;
                            }
                        }
                        None => {
                            if let (Some(out), Some(record)) = (&mut out, &candidate.record) {
                                out.take(&file.path, record)?;
                            }
                        }
                    }
                }
                Ok(())
            },
        )?;
        tally.tell(files);
        Ok(exit)
    }

    fn print(&self, files: &Files, how: &str, this: Where, other: Where) -> Result<()> {
        let path = |at: Where| files.found[at.0 as usize].path.as_path();
        let mut out = anstream::stdout().lock();
        if self.json {
            let place = |at: Where| json!({"file": path(at).display().to_string(), "record": at.1});
            let mut row = place(this);
            row["kifu"] = JSON.into();
            row["is"] = how.into();
            row["of"] = place(other);
            writeln!(out, "{row}")?;
        } else {
            let place = |at: Where| format!("{}: game {}", name(path(at)), at.1);
            writeln!(out, "{}", harmless(&format!("{} is a {how} of {}", place(this), place(other))))?;
        }
        Ok(())
    }
}

impl Meeting<'_> {
    /// What a record is the double or the beginning of, if it is; else it is remembered.
    fn is_there(&mut self, candidate: &Candidate, at: u32) -> Option<(&'static str, Where)> {
        let found = candidate.key.and_then(|key| match self.seen.entry(key) {
            Entry::Occupied(other) => Some(("double", *other.get())),
            Entry::Vacant(place) => {
                let longer = self.longer.get(&key).filter(|_| candidate.is_line);
                place.insert((at, candidate.number));
                longer.map(|longer| ("beginning", *longer))
            }
        });
        match found {
            None => self.kept += 1,
            Some((how, _)) => {
                *(if how == "double" { &mut self.doubles } else { &mut self.beginnings }) += 1;
                self.rich += u64::from(candidate.is_rich);
            }
        }
        found
    }

    fn tell(&self, apart: bool) -> Result<()> {
        let mut parts = vec![count(self.kept, "record"), count(self.doubles, "double")];
        if self.beginnings > 0 {
            let games = if self.beginnings == 1 { "a longer game" } else { "longer games" };
            parts.push(format!("{} of {games}", count(self.beginnings, "beginning")));
        }
        let mut told = parts.join(", ");
        if self.rich > 0 {
            told += &format!("; {} of those left out have comments or variations", thousands(self.rich));
        }
        match apart {
            true => complain(&told),
            false => writeln!(anstream::stdout().lock(), "{told}")?,
        }
        Ok(())
    }
}

fn is_line(tree: &Tree) -> bool {
    tree.nodes().all(|node| tree.next_sibling(node).is_none())
}

/// Whether something is written in a tree, apart from its moves and set-up.
fn is_written_on(tree: &Tree) -> bool {
    let says = |note: Note| !matches!(note, Note::Stone(..) | Note::ToMove(_) | Note::Time(_));
    tree.nodes().any(|node: NodeId| tree.notes(node).any(says))
}

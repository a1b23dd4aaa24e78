use super::Exit;
use super::book::{blame, tell_losses};
use super::convert::{key, make_folder_of};
use super::files::Found;
use super::gathering::OutputArgs;
use super::input::name;
use super::output::{Output, failed};
use super::progress::Stoppable;
use super::readers::{Heard, InputArgs, Numbered};
use super::terminal::{complain, count, thousands};
use ::formats::{Error, Format, Losses};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use record::{Record, split};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Take trees apart into lines, and collections into files
#[derive(Args)]
#[command(
    after_help = "Where OUT is a folder, each record goes into a file of its own; -t names the format. The name is made from
--name, in which {file}, {number}, {black}, {white}, {date}, {event} and {round} stand for what they say; two
records whose names are the same are told, and the second is not written.

With --lines a tree is taken apart, each line from the root to its end a record with all that is written along it;
kifu merge makes them a tree again.

Examples:
  kifu split games.sgf -t sgf -o games/
  kifu split games.sgf -t lib --name '{date} {black}-{white}' -o games/
  kifu split openings.lib --lines -o lines.sgf"
)]
pub struct Split {
    #[command(flatten)]
    input: InputArgs,
    /// Take trees apart into their lines
    #[arg(long)]
    lines: bool,
    /// Names of the files in a folder
    #[arg(long, value_parser = template, default_value = "{file}-{number}", value_name = "TEMPLATE")]
    name: Template,
    #[command(flatten)]
    output: OutputArgs,
}

/// The parts of a template for names.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Template(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    /// What stands between braces.
    Field(&'static str),
}

/// What can stand between braces in a name, and the tag that says it.
const FIELDS: [(&str, &str); 8] = [
    ("file", ""),
    ("number", ""),
    ("black", "Black"),
    ("white", "White"),
    ("red", "Red"),
    ("date", "Date"),
    ("event", "Event"),
    ("round", "Round"),
];

/// Longer names are cut: many systems have no more than 255 bytes for one.
const LONGEST: usize = 120;

fn template(text: &str) -> Result<Template, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let wrong = || {
            let fields: Vec<String> = FIELDS.iter().map(|(field, _)| format!("{{{field}}}")).collect();
            format!("`{text}` is no template for names: between braces stands one of {}", fields.join(", "))
        };
        let (field, after) = after.split_once('}').ok_or_else(wrong)?;
        let (field, _) = FIELDS.iter().find(|(known, _)| *known == field).ok_or_else(wrong)?;
        parts.extend([Part::Text(before.into()), Part::Field(field)]);
        rest = after;
    }
    parts.push(Part::Text(rest.into()));
    if text.trim().is_empty() { Err("a name is empty".into()) } else { Ok(Template(parts)) }
}

impl Template {
    /// The name of a part, without an extension: one that all systems can have.
    fn name(&self, stem: &str, number: u64, record: &Record) -> String {
        let field = |field: &str| match field {
            "file" => stem.to_owned(),
            "number" => format!("{number:04}"),
            _ => {
                let tag = FIELDS.iter().find(|(known, _)| *known == field).map(|(_, tag)| record.head.tag(tag));
                tag.flatten().unwrap_or("unknown").trim().to_owned()
            }
        };
        let text: String = self
            .0
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Field(name) => field(name),
            })
            .collect();
        let is_safe = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
        let safe: String = text.chars().take(LONGEST).map(|c| if is_safe(c) { c } else { '_' }).collect();
        let safe = safe.trim().trim_end_matches('.');
        if safe.is_empty() || safe.starts_with('.') { format!("_{safe}") } else { safe.into() }
    }
}

/// What is done in a folder.
struct Folder<'a> {
    folder: &'a Path,
    format: &'static Format,
    /// The records that went to files, by what is the same for all names of a file.
    taken: HashMap<PathBuf, String>,
    losses: Losses,
    written: u64,
    failed: u64,
    refused: bool,
}

impl Split {
    /// Writes the parts.
    pub fn run(self) -> Result<Exit> {
        let Some(folder) = self.output.file().filter(|_| self.output.is_folder()) else {
            if !self.lines {
                bail!("records go into files of their own: name a folder with -o, as in -o games/");
            }
            return self.gather_lines();
        };
        let to = self
            .output
            .to
            .with_context(|| format!("{}: name the format to write into this folder with -t", folder.display()))?;
        let format = to.target().map_err(|message| anyhow!(message))?;
        let files = self.input.files(Some(folder))?;
        let mut into = Folder {
            folder,
            format,
            taken: HashMap::new(),
            losses: Losses::default(),
            written: 0,
            failed: 0,
            refused: false,
        };
        let mut number = 0;
        let (tally, mut exit) = self.input.each(
            &files,
            || (),
            hand_on,
            |file, heard| {
                let Heard::Found(records) = heard else {
                    number = 0;
                    return Ok(());
                };
                self.parts(&records, |record| {
                    number += 1;
                    self.put(&mut into, file, number, record)
                })
            },
        )?;
        tell_losses(folder, format.name, &into.losses);
        tally.tell(&files);
        if into.failed > 0 || into.refused || into.written == 0 {
            complain(&format!("{} written, {} not", count(into.written, "file"), thousands(into.failed)));
        }
        if into.written == 0 {
            exit = exit.max(Exit::No);
        }
        if into.refused {
            exit = exit.max(Exit::Loss);
        }
        if into.failed > 0 {
            exit = exit.max(Exit::Failed);
        }
        Ok(exit)
    }

    /// All lines into one output.
    fn gather_lines(&self) -> Result<Exit> {
        let files = self.input.files(None)?;
        self.output.gather(|out| {
            let (tally, exit) = self.input.each(
                &files,
                || (),
                hand_on,
                |file, heard| match heard {
                    Heard::Found(records) => self.parts(&records, |record| out.take(&file.path, record)),
                    Heard::End => Ok(()),
                },
            )?;
            tally.tell(&files);
            Ok(exit)
        })
    }

    /// Does something with each record, or with each of its lines.
    fn parts(&self, records: &[Record], mut what: impl FnMut(&Record) -> Result<()>) -> Result<()> {
        if !self.lines {
            return records.iter().try_for_each(what);
        }
        for line in records.iter().flat_map(split) {
            what(&line.map_err(|full| anyhow!("{full}"))?)?;
        }
        Ok(())
    }

    /// Writes a part into a file of the folder; what cannot be written is told.
    fn put(&self, into: &mut Folder, file: &Found, number: u64, record: &Record) -> Result<()> {
        let source = format!("{}: game {number}", name(&file.path));
        let stem = file.below.file_stem().unwrap_or_default().to_string_lossy();
        let folder = into.folder.join(file.below.parent().unwrap_or(Path::new("")));
        let path = folder.join(self.name.name(&stem, number, record) + "." + into.format.extensions[0]);
        let written = match into.taken.entry(key(&path)) {
            Entry::Occupied(other) => {
                Err(anyhow!("{source}: it would go to {}, as {} does", path.display(), other.get()))
            }
            Entry::Vacant(place) => {
                place.insert(source);
                into.losses.next_record();
                self.write(into.format, &file.path, &path, record, &mut into.losses)
            }
        };
        match written {
            Ok(true) => into.written += 1,
            Ok(false) => into.refused = true,
            Err(error) if Exit::early(&error).is_some() => return Err(error),
            Err(error) => {
                complain(&format!("{error:#}"));
                into.failed += 1;
            }
        }
        Ok(())
    }

    /// Writes a file, unless something would be lost that is not to be; whether it was written.
    fn write(&self, format: &Format, source: &Path, path: &Path, record: &Record, losses: &mut Losses) -> Result<bool> {
        make_folder_of(path)?;
        let before = losses.total();
        let mut output = Output::create(path, self.output.force)?;
        let mut buffer = BufWriter::new(&mut output);
        let mut target = Stoppable(&mut buffer);
        let mut writer = format.start(&mut target, &self.output.write_options());
        let written = writer.record(record, losses).and_then(|()| writer.finish());
        drop(writer);
        written.map_err(|error| blame(source, Some(path), error))?;
        buffer.flush().map_err(|error| failed(path, &error))?;
        drop(buffer);
        if self.output.fail_on_loss && losses.total() > before {
            return Ok(false);
        }
        output.commit()?;
        Ok(true)
    }
}

/// The records of a file as they come: they are taken apart where they are written, so that no more than a few wait.
fn hand_on(_: &mut (), _: &Found, numbered: Numbered, found: &mut Vec<Record>) -> Result<(), Error> {
    found.push(numbered.record);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str, tags: &[(&str, &str)]) -> String {
        let mut record = Record::default();
        record.head.tags = tags.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        template(text).unwrap().name("games", 7, &record)
    }

    #[test]
    fn names_are_made_of_what_the_record_says_and_are_safe() {
        assert_eq!(name("{file}-{number}", &[]), "games-0007");
        assert_eq!(name("{black} - {white}", &[("Black", "A/B"), ("White", "c:\\d")]), "A_B - c__d");
        assert_eq!(name("{date}", &[("Date", "2003.05.01")]), "2003.05.01");
        assert_eq!(name("{event}", &[]), "unknown");
        assert_eq!(name("{event}", &[("Event", "../..")]), "_.._");
        assert_eq!(name("{event}", &[("Event", " . ")]), "_");
        assert_eq!(name("{event}", &[("Event", &"x".repeat(500))]).len(), LONGEST);
        for wrong in ["", " ", "{", "{x}", "{black", "{{black}"] {
            assert!(template(wrong).is_err(), "{wrong}");
        }
    }
}

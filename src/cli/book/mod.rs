//! `kifu book`: one command a file.

mod base;
mod build;
mod export;
mod import;
mod info;
mod merge;
mod query;
mod tree;
mod verify;

use super::Exit;
use super::input::{Input, name, reason};
use super::output::{Output, failed};
use super::progress::{Bar, Counted, PROGRESS, Stoppable};
use super::terminal::count;
use ::book::{Builder, Error, Written};
use ::formats::{ENTRY_FORMATS, EntryFormat};
use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Make and ask books of positions (.agb)
#[derive(Args)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub struct Book {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(build::Build),
    Info(info::Info),
    Query(query::Query),
    Verify(verify::Verify),
    Merge(merge::Merge),
    Import(import::Import),
    Export(export::Export),
}

impl Book {
    /// Runs the command.
    pub fn run(self) -> Result<Exit> {
        match self.command {
            Command::Build(command) => command.run(),
            Command::Info(command) => command.run(),
            Command::Query(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Merge(command) => command.run(),
            Command::Import(command) => command.run(),
            Command::Export(command) => command.run(),
        }
    }
}

/// The book in a file.
fn open<'i>(input: &'i Input, path: &Path) -> Result<::book::Book<&'i [u8]>> {
    let book = ::book::Book::open(&input[..]).with_context(|| name(path))?;
    Ok(book.watched(&PROGRESS.done, &PROGRESS.stop))
}

/// Writes a book beside its place; to put it there is left to the caller, who has first to let go of what he read.
fn draft(
    path: &Path,
    force: bool,
    what: impl FnOnce(&mut dyn Write) -> Result<Written, Error>,
) -> Result<(Output, Written)> {
    let mut output = Output::create(path, force)?;
    let mut buffer = BufWriter::with_capacity(1 << 16, &mut output);
    let written = what(&mut Stoppable(&mut buffer)).and_then(|written| {
        buffer.flush()?;
        Ok(written)
    });
    drop(buffer);
    let written = written.map_err(|error| match error {
        Error::Io(error) => failed(path, &error),
        // It says itself which file it is about.
        Error::Input(..) => anyhow::Error::new(error),
        _ => anyhow::Error::new(error).context(name(path)),
    })?;
    Ok((output, written))
}

/// Writes a book into a file, whole or not at all.
fn write(path: &Path, force: bool, what: impl FnOnce(&mut dyn Write) -> Result<Written, Error>) -> Result<Written> {
    let (output, written) = draft(path, force, what)?;
    output.commit()?;
    Ok(written)
}

/// Sorts and writes the book that was built.
fn finish(path: &Path, force: bool, builder: Builder, provenance: &str) -> Result<Written> {
    let _bar = Bar::writing();
    let (output, written) = draft(path, force, |out| builder.finish(Counted(out), provenance))?;
    output.commit()?;
    Ok(written)
}

/// That a position cannot be taken into a book: what waits to be sorted has no room in the folder.
fn unsorted(folder: &Path, error: &std::io::Error) -> anyhow::Error {
    anyhow!("{}: what is sorted cannot be kept there: {}", folder.display(), reason(error))
}

/// The format of positions of a name or an extension on the command line.
fn entry_format(name: &str) -> Result<&'static EntryFormat, String> {
    let extension = name.trim_start_matches('.');
    let found = ENTRY_FORMATS.iter().find(|format| format.name == name);
    let found = found.or_else(|| ENTRY_FORMATS.iter().find(|format| format.extensions.contains(&extension)));
    found.ok_or_else(|| {
        let names: Vec<&str> = ENTRY_FORMATS.iter().map(|format| format.name).collect();
        format!("`{name}` is not a format of positions: write {}", names.join(" or "))
    })
}

/// The first line of where a book comes from: this program.
fn program() -> String {
    format!("program\tkifu {}\n", env!("CARGO_PKG_VERSION"))
}

/// Says what was written.
fn say(path: &Path, written: &::book::Written) -> Result<()> {
    let positions = count(written.positions, "position");
    let content = hash(written.content);
    Ok(writeln!(anstream::stdout().lock(), "{}: {positions}, content {content}", name(path))?)
}

/// The content hash as people compare it.
fn hash(content: u128) -> String {
    format!("{content:032x}")
}

/// A line of where a book comes from: the file, its length, and what it hashes to.
fn origin(path: &Path, bytes: &[u8]) -> String {
    let file = name(path).replace(['\t', '\n'], " ");
    format!("input\t{file}, {} bytes, XXH3 {:016x}\n", bytes.len(), ::book::fingerprint(bytes))
}

/// The name, the length and the hash of an [`origin`] line; `None` for other lines.
fn parse_origin(line: &str) -> Option<(&str, u64, u64)> {
    let (rest, hash) = line.strip_prefix("input\t")?.rsplit_once(", XXH3 ")?;
    let (name, length) = rest.strip_suffix(" bytes")?.rsplit_once(", ")?;
    Some((name, length.parse().ok()?, u64::from_str_radix(hash, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_as_they_are_written() {
        let line = origin(Path::new("a, 5 bytes, XXH3 0.sgf"), b"(;)");
        let hash = ::book::fingerprint(b"(;)");
        assert_eq!(parse_origin(line.trim_end()), Some(("a, 5 bytes, XXH3 0.sgf", 3, hash)));
        for line in ["input\tmine", "records\t4", "input\ta, x bytes, XXH3 0", "input\ta, 1 bytes, XXH3 z"] {
            assert_eq!(parse_origin(line), None);
        }
    }
}

//! `kifu book`: one command a file.

mod absorb;
mod audit;
pub mod base;
mod build;
mod change;
mod coverage;
mod delete;
mod diff;
mod eval;
mod eval_jobs;
mod expand;
mod export;
mod extract;
mod fifths;
mod growing;
mod import;
mod info;
mod labels;
mod learning;
mod leaves;
pub mod making;
mod merge;
mod origins;
pub mod place;
mod prune;
mod query;
mod set;
pub mod tree;
mod truth;
mod verify;

use super::Exit;
use super::input::{Input, name, reason};
use super::kind::{Kind, extension};
use super::output::{Output, failed};
use super::progress::{Bar, Counted, PROGRESS, Stoppable};
use super::terminal::{complain, count, thousands};
use ::book::{Builder, Error, Frames, Written};
use ::formats::{Blame, ENTRY_FORMATS, EntryFormat, Loss, Losses, WriteOptions};
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use record::{Entry, Key};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes at the end of a book.
const FOOTER: u64 = 128;

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
    Eval(eval::Eval),
    Expand(expand::Expand),
    Leaves(leaves::Leaves),
    EvalJobs(eval_jobs::EvalJobs),
    Absorb(absorb::Absorb),
    Fifths(fifths::Fifths),
    Audit(audit::Audit),
    Merge(merge::Merge),
    Diff(diff::Diff),
    Prune(prune::Prune),
    Set(set::Set),
    Delete(delete::Delete),
    Extract(extract::Extract),
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
            Command::Eval(command) => command.run(),
            Command::Expand(command) => command.run(),
            Command::Leaves(command) => command.run(),
            Command::EvalJobs(command) => command.run(),
            Command::Absorb(command) => command.run(),
            Command::Fifths(command) => command.run(),
            Command::Audit(command) => command.run(),
            Command::Merge(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Prune(command) => command.run(),
            Command::Set(command) => command.run(),
            Command::Delete(command) => command.run(),
            Command::Extract(command) => command.run(),
            Command::Import(command) => command.run(),
            Command::Export(command) => command.run(),
        }
    }
}

/// The book in a file.
pub fn open<'i>(input: &'i Input, path: &Path) -> Result<::book::Book<&'i [u8]>> {
    let book = ::book::Book::open(&input[..]).map_err(|error| no_book(error, input, path))?;
    Ok(book.watched(&PROGRESS.done, &PROGRESS.stop))
}

/// The book in a file, to be held by several.
pub fn open_shared(path: &Path) -> Result<::book::Book<Input>> {
    let input = Input::open(path)?;
    ::book::Book::open(&input[..]).map_err(|error| no_book(error, &input, path))?;
    ::book::Book::open(input).with_context(|| name(path))
}

/// Why a file holds no book.
fn no_book(error: Error, input: &Input, path: &Path) -> anyhow::Error {
    match (&error, Kind::of(input, extension(path))) {
        (Error::NoBook, Ok(kind)) if !input.is_empty() => {
            let (title, path) = (kind.title(), name(path));
            anyhow!(
                "{path}: this is no book (.agb), but a file of another kind ({title}): kifu convert makes a book of it"
            )
        }
        _ => anyhow::Error::new(error).context(name(path)),
    }
}

/// The book in a file, all of it read and held against its checksums.
pub fn verify(input: &Input) -> Result<::book::Book<&[u8]>, Error> {
    let _bar = Bar::watch(input.len() as u64);
    let book = ::book::Book::open(&input[..])?.watched(&PROGRESS.done, &PROGRESS.stop);
    book.verify().map(|()| book)
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
    let written = written.map_err(|error| unwritten(path, error))?;
    Ok((output, written))
}

/// Why a book was not written into a file.
pub fn unwritten(path: &Path, error: Error) -> anyhow::Error {
    match error {
        Error::Io(error) => failed(path, &error),
        // It says itself which file it is about.
        Error::Input(..) => anyhow::Error::new(error),
        _ => anyhow::Error::new(error).context(name(path)),
    }
}

/// Writes a book into a file, whole or not at all.
fn write(path: &Path, force: bool, what: impl FnOnce(&mut dyn Write) -> Result<Written, Error>) -> Result<Written> {
    let (output, written) = draft(path, force, what)?;
    output.commit()?;
    Ok(written)
}

/// An error if a file no longer holds the book of these bytes: what another run has put into it would be lost.
fn refuse_changed(path: &Path, book: &[u8]) -> Result<()> {
    let tail = || -> io::Result<(u64, Vec<u8>)> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(length.saturating_sub(FOOTER)))?;
        file.take(FOOTER).read_to_end(&mut tail)?;
        Ok((length, tail))
    };
    // The end of a book hashes all that it holds.
    if tail().is_ok_and(|(length, tail)| length == book.len() as u64 && book.ends_with(&tail)) {
        return Ok(());
    }
    bail!("{}: another program has changed this book meanwhile, and its book stays: do this again", name(path))
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
    let is_extension = |known: &&str| known.eq_ignore_ascii_case(extension);
    let found = found.or_else(|| ENTRY_FORMATS.iter().find(|format| format.extensions.iter().any(is_extension)));
    found.ok_or_else(|| {
        let names: Vec<&str> = ENTRY_FORMATS.iter().map(|format| format.name).collect();
        format!("`{name}` is not a format of positions: write {}", names.join(" or "))
    })
}

/// A number of bytes with K, M or G after it, or without; at least a mebibyte.
pub fn memory(text: &str) -> Result<usize, String> {
    let unit = text.chars().last().map(|last| last.to_ascii_uppercase());
    let shift = match unit {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        _ => 0,
    };
    let digits = if shift == 0 { text } else { &text[..text.len() - 1] };
    let bytes = digits.parse().ok().and_then(|number: usize| number.checked_mul(1 << shift));
    bytes
        .filter(|bytes| *bytes >= 1 << 20)
        .ok_or_else(|| format!("`{text}` is no amount of memory: write 256M or 1G, at least 1M"))
}

/// Hands out the positions of a book, each in the orientation of its key.
pub fn each_position(
    book: &::book::Book<&[u8]>,
    path: &Path,
    mut each: impl FnMut(Key, Entry) -> Result<()>,
) -> Result<()> {
    let mut frames = Frames::new(book.is_symmetric());
    for position in book.entries() {
        let (key, entry) = position.with_context(|| name(path))?;
        let ground = ::book::board(&key).expect("a block that is read names its board");
        each(frames.of_board(ground).key(&key).expect("a key that is read names a position"), entry)?;
    }
    Ok(())
}

/// Writes the positions of a book in a format of positions; `target` is stdout where it is none.
pub fn write_positions(
    book: &::book::Book<&[u8]>,
    path: &Path,
    format: &EntryFormat,
    options: &WriteOptions,
    out: &mut dyn Write,
    target: Option<&Path>,
    losses: &mut Losses,
) -> Result<()> {
    let mut out = Stoppable(out);
    let options = WriteOptions { apart: !book.is_symmetric(), ..options.clone() };
    let mut writer = format.start(&mut out, &options);
    if book.games().with_context(|| name(path))?.is_some() {
        losses.named("the list of the games that positions refer to (left out)", "of the book");
    }
    each_position(book, path, |key, entry| {
        writer.entry(&key, &entry, losses).map_err(|error| blame(path, target, error))
    })?;
    writer.finish(losses).map_err(|error| blame(path, target, error))
}

/// An error of what is read or written with the name of the file whose it is.
pub fn blame(source: &Path, target: Option<&Path>, error: ::formats::Error) -> anyhow::Error {
    match (error.blame, target) {
        (Blame::World, Some(path)) => anyhow!("{}: it cannot be written: {error}", path.display()),
        (Blame::World, None) => anyhow!("stdout cannot be written: {error}"),
        _ => anyhow::Error::new(error).context(name(source)),
    }
}

/// Says what a format of positions could not hold.
pub fn tell_losses(path: &Path, format: &str, losses: &Losses) {
    for Loss { what, count, first, .. } in losses.list() {
        let (number, one) = (thousands(*count), if *count > 1 { "first " } else { "" });
        complain(&format!("{}: {format} cannot hold {what}: {number} ({one}{first})", name(path)));
    }
}

/// The first line of where a book comes from: this program.
fn program() -> String {
    format!("program\tkifu {}\n", env!("CARGO_PKG_VERSION"))
}

/// Says what was written.
fn say(path: &Path, written: &::book::Written) -> Result<()> {
    let positions = count(written.positions, "position");
    let content = hash(written.content);
    writeln!(anstream::stdout().lock(), "{}: {positions}, content {content}", name(path))?;
    tell_cut(path, written);
    Ok(())
}

/// Says what was left out of positions that have more texts than a book can hold.
pub fn tell_cut(path: &Path, written: &Written) {
    if written.texts_left_out > 0 {
        let texts = count(written.texts_left_out, "text");
        complain(&format!("{}: left out, as a position keeps at most 32 MiB of them: {texts}", name(path)));
    }
}

/// The content hash as people compare it.
pub fn hash(content: u128) -> String {
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

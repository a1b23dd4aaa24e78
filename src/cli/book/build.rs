use super::super::Exit;
use super::super::files::Files;
use super::super::input::{Input, name};
use super::super::output::{folder_of, refuse_existing};
use super::super::reading::{ReadArgs, Told, forgiven};
use super::super::terminal::{complain, count, thousands};
use super::{finish, origin, program, say, unsorted};
use ::book::{BuildOptions, Builder, Counts};
use ::formats::{Blame, Error};
use anyhow::{Context, Result, bail};
use clap::Args;
use games::{Coords, Game, Rule};
use record::Record;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Make a book of games and libraries
#[derive(Args)]
#[command(
    after_help = "A record with a result, or without branches, is a game; it counts once for each position of its main line.

Examples:
  kifu book build games.sgf -o games.agb
  kifu book build -r collection --rule renju --memory 256M -o all.agb"
)]
pub struct Build {
    /// Files; - is stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read the files in folders
    #[arg(short, long)]
    recurse: bool,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// Rule where the input does not say it: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// Count games of fewer than ten plies, too
    #[arg(long)]
    short: bool,
    /// Leave out what is deeper than this
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_ply: usize,
    /// Keep turned and mirrored positions apart
    #[arg(long)]
    no_symmetry: bool,
    /// Leave out comments and texts on points
    #[arg(long)]
    no_texts: bool,
    /// Memory to sort in, such as 256M; what is beyond it waits in files beside the book
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "1G")]
    memory: usize,
    /// Notation of points where the file leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    #[command(flatten)]
    read: ReadArgs,
}

/// A number of bytes with K, M or G after it, or without; at least a mebibyte.
fn memory(text: &str) -> Result<usize, String> {
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

impl Build {
    /// Reads all inputs, sorts, and writes the book.
    pub fn run(self) -> Result<Exit> {
        refuse_existing(&self.output, self.force)?;
        let files = Files::list(&self.files, self.recurse, self.read.from.is_some(), None)?;
        let mut builder = Builder::new(BuildOptions {
            symmetric: !self.no_symmetry,
            min_plies: if self.short { 0 } else { BuildOptions::default().min_plies },
            max_ply: self.max_ply,
            texts: !self.no_texts,
            memory: self.memory,
            folder: folder_of(&self.output).into(),
        });
        let mut provenance = program();
        let mut broken = None;
        let exit = files.each(|path| {
            if broken.is_none() {
                provenance += &self.file(path, &mut builder, &mut broken)?;
            }
            Ok(Exit::Done)
        })?;
        if let Some(broken) = broken {
            return Err(broken);
        }
        let counts = builder.counts();
        if counts.records == 0 && exit != Exit::Done {
            bail!("{}: nothing could be read, and no book is written", name(&self.output));
        }
        for (what, number) in told(&counts).into_iter().filter(|(_, number)| *number > 0) {
            provenance += &format!("{what}\t{number}\n");
        }
        let written = finish(&self.output, self.force, builder, &provenance)?;
        say(&self.output, &written)?;
        let mut out = anstream::stdout().lock();
        for (what, number) in told(&counts).into_iter().filter(|(_, number)| *number > 0) {
            writeln!(out, "  {what}: {}", thousands(number))?;
        }
        Ok(exit)
    }

    /// Adds the records of a file and says where they came from; what ends all building goes to `broken`.
    fn file(&self, path: &Path, builder: &mut Builder, broken: &mut Option<anyhow::Error>) -> Result<String> {
        let input = Input::open(path)?;
        let format = self.read.from.map_or_else(|| input.format(), Ok).with_context(|| name(path))?;
        let before = builder.counts().records;
        let mut each = |record: Record| {
            if record.head.game != Game::Gomoku {
                return Err(Error::new(Blame::Policy, "", "a book holds positions of gomoku only"));
            }
            let rule = record.head.rule.or(self.rule).or(format.rule).ok_or_else(|| {
                Error::new(Blame::Policy, "", "nothing says under which rule this was played: use --rule")
            })?;
            builder.add(&record, rule).map_err(|error| {
                if let ::book::Error::Io(error) = &error {
                    *broken = Some(unsorted(folder_of(&self.output), error));
                }
                Error::new(Blame::World, "", error.to_string())
            })
        };
        let told = self.read.watch(&input, &self.read.options(self.coords, 1), &mut each);
        if broken.is_some() {
            return Ok(String::new());
        }
        match told.and_then(Told::whole) {
            Ok(told) => {
                for line in forgiven(&told.faults, told.encoding) {
                    complain(&format!("{}: {line}", name(path)));
                }
                Ok(origin(path, &input))
            }
            Err(error) => {
                let added = builder.counts().records - before;
                if added > 0 && error.blame != Blame::Stopped {
                    let records = count(added, "record");
                    complain(&format!("{}: the {records} before the fault are in the book", name(path)));
                }
                Err(error).with_context(|| name(path))
            }
        }
    }
}

/// What became of the records, in words.
fn told(counts: &Counts) -> [(&'static str, u64); 6] {
    [
        ("records", counts.records),
        ("games counted", counts.games),
        ("games too short to count", counts.short),
        ("records without a game", counts.trees),
        ("branches with a stone on a stone, left out", counts.on_stones),
        ("times, signs, marks and raw bytes, not kept", counts.unkept),
    ]
}

use super::super::Exit;
use super::super::conditions::FilterArgs;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::output::{folder_of, refuse_existing};
use super::super::progress::{Bar, PROGRESS};
use super::super::reading::ReadArgs;
use super::super::terminal::{complain, thousands};
use super::base::{Base, stage};
use super::making::{self, Making};
use super::{draft, finish, memory, say, write};
use ::book::{Book, BuildOptions, Counts, Filter as Kept, Work, prune};
use ::formats::ReadOptions;
use anyhow::{Context, Result, anyhow, bail};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use games::{Coords, Rule};
use record::Labels;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Make a book of games and libraries
#[derive(Args)]
#[command(
    after_help = "A record with a result, or without branches, is a game; it counts once for each position of its main line.

Examples:
  kifu book build games.sgf -o games.agb
  kifu book build games.sgf --since 2015 --min-rating 2000 --dedupe -o masters.agb
  kifu book build new.sgf --add -o games.agb
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
    /// Add to the book, which exists; files that are counted in it already are passed over
    #[arg(long, conflicts_with_all = ["force", "dedupe", "min_games"])]
    add: bool,
    /// Rule where the input does not say it: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Count games of fewer than ten plies and walk-overs, too
    #[arg(long)]
    short: bool,
    /// Count games of the same moves and result once, however they are turned
    #[arg(long)]
    dedupe: bool,
    /// Take the results from the files, or from the fives, forbidden moves and full boards of the games
    #[arg(long, value_enum, default_value = "file", value_name = "WHAT")]
    result_by: ResultBy,
    /// Leave out what is deeper than this
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_ply: usize,
    /// Leave out positions of fewer games, unless they have a value, a label or a text or lead to one that stays
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_games: u64,
    /// Keep turned and mirrored positions apart
    #[arg(long)]
    no_symmetry: bool,
    /// Leave out comments and texts on points
    #[arg(long)]
    no_texts: bool,
    /// Board texts to read as labels and values, such as W41, v42 and 52%: none, rapfi, mover or colour (whose win a
    /// mark a or c is), or a file of marks
    #[arg(long, default_value = "none", value_name = "WHICH")]
    labels: String,
    /// References to games that a position has at most; the book tells who played them, when and where
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = RangedU64ValueParser::<usize>::new().range(..=1000))]
    game_refs: usize,
    /// Memory to sort in, such as 256M; what is beyond it waits in files beside the book
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "1G")]
    memory: usize,
    /// Notation of points where the file leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    #[command(flatten)]
    read: ReadArgs,
}

/// What says how a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ResultBy {
    File,
    Board,
}

impl Build {
    /// Reads all inputs, sorts, and writes the book.
    pub fn run(mut self) -> Result<Exit> {
        let mut base = if self.add { Some(Base::open(&self.output)?) } else { None };
        match &base {
            Some(base) if self.no_symmetry && base.is_symmetric => {
                bail!("{}: turned positions are one in this book: add to it without --no-symmetry", name(&self.output));
            }
            Some(base) => self.no_symmetry = !base.is_symmetric,
            None => refuse_existing(&self.output, self.force)?,
        }
        let labels = labels(&self.labels)?;
        let reads_labels = !labels.is_none();
        let wanted = Wanted::Records.unless(self.read.from.is_some());
        let files = Files::list(&self.files, self.recurse, wanted, None)?;
        let mut making = Making::new(BuildOptions {
            symmetric: !self.no_symmetry,
            min_plies: if self.short { 0 } else { BuildOptions::default().min_plies },
            dedupe: self.dedupe,
            max_ply: self.max_ply,
            texts: !self.no_texts,
            labels,
            game_refs: self.game_refs,
            memory: self.memory,
            folder: folder_of(&self.output).into(),
        });
        making.filter = self.filter.filter(self.coords, self.read.size)?;
        making.by_board = self.result_by == ResultBy::Board;
        let options = self.options();
        let reading = ReadOptions { rule: self.rule, ..self.read.options(self.coords, 1) };
        let exit = making.each(&files, |making, path| {
            let input = Input::open(path)?;
            #[cfg(unix)]
            let _light = input.lighten();
            if let Some(before) = base.as_mut().and_then(|base| base.meet(path, &input)) {
                complain(&format!("{}: it is counted in the book already, as {before}: it is passed over", name(path)));
                return Ok(Exit::No);
            }
            let kind = self.read.kind(&input).with_context(|| name(path))?;
            let kind = making::wanted(path, kind, |kind| matches!(kind, Kind::Records(_)))?;
            making.add(path, &input, kind, &self.read, &reading)
        })?;
        if !options.is_empty() {
            making.note("options", &options);
        }
        if making.counts().records == 0 && exit != Exit::Done {
            match exit {
                Exit::No => {
                    complain(&format!("{}: there is nothing to add, and it stays as it was", name(&self.output)))
                }
                _ => bail!("{}: nothing could be read, and no book is written", name(&self.output)),
            }
            return Ok(exit);
        }
        let mut told = vec![("counted".to_owned(), self.counted())];
        told.extend(making.numbers().map(|(what, number)| (what.into(), thousands(number))));
        told.extend(told_labels(&making.counts(), reads_labels));
        for (what, number) in &told {
            making.note(what, number);
        }
        let (builder, provenance) = making.done();
        let written = if let Some(base) = base {
            if !base.has_options(&options) {
                complain(&format!("{}: what is in it was built with other options", name(base.path())));
            }
            let provenance = base.provenance.clone() + &provenance;
            let added = stage(folder_of(&self.output), &self.output, |out| builder.finish(out, ""))?;
            let (output, written) = draft(&self.output, true, |out| base.write_with(&added, out, &provenance))?;
            base.refuse_changed()?;
            // Windows replaces no file that is mapped.
            drop((base, added));
            output.commit()?;
            written
        } else if self.min_games > 0 {
            let whole = stage(folder_of(&self.output), &self.output, |out| builder.finish(out, ""))?;
            let whole = Book::open(&whole[..])?.watched(&PROGRESS.done, &PROGRESS.stop);
            let work = Work { folder: folder_of(&self.output), stop: &PROGRESS.stop };
            let written = write(&self.output, self.force, |out| {
                let _bar = Bar::watch(2 * whole.length());
                prune(&whole, &Kept::played(self.min_games), &[], false, work, out, &provenance)
            })?;
            let left_out = whole.positions() - written.positions;
            told.push(("positions of fewer games, left out".into(), thousands(left_out)));
            written
        } else {
            finish(&self.output, self.force, builder, &provenance)?
        };
        say(&self.output, &written)?;
        let mut out = anstream::stdout().lock();
        for (what, number) in told {
            writeln!(out, "  {what}: {number}")?;
        }
        Ok(exit)
    }

    /// How positions and games are told apart, which makes three different numbers of games of a position.
    fn counted(&self) -> String {
        let positions = if self.no_symmetry { "plain, turned positions apart" } else { "up to symmetry" };
        let games = if self.dedupe { "games of the same moves and result once" } else { "a game given twice as two" };
        format!("{positions}; {games}")
    }

    /// The options by which the content of the book is not that of a plain build.
    fn options(&self) -> String {
        let mut all = Vec::new();
        self.rule.into_iter().for_each(|rule| all.push(format!("--rule {}", rule.name())));
        all.extend(self.filter.options());
        let flags = [
            (self.short, "--short"),
            (self.dedupe, "--dedupe"),
            (self.result_by == ResultBy::Board, "--result-by board"),
            (self.no_symmetry, "--no-symmetry"),
            (self.no_texts, "--no-texts"),
        ];
        all.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name.into()));
        if self.max_ply < usize::MAX {
            all.push(format!("--max-ply {}", self.max_ply));
        }
        if self.min_games > 0 {
            all.push(format!("--min-games {}", self.min_games));
        }
        if self.labels != "none" {
            all.push(format!("--labels {}", self.labels));
        }
        if self.game_refs > 0 {
            all.push(format!("--game-refs {}", self.game_refs));
        }
        all.join(" ").replace(['\t', '\n'], " ")
    }
}

/// The labels of a word on the command line, or of a file.
fn labels(which: &str) -> Result<Labels> {
    match which {
        "none" => return Ok(Labels::none()),
        "rapfi" => return Ok(Labels::rapfi()),
        "mover" => return Ok(Labels::mover()),
        "colour" => return Ok(Labels::colour()),
        _ => {}
    }
    let path = Path::new(which);
    let input = Input::open(path).context("--labels: write none, rapfi, mover, colour, or the name of a file")?;
    let list = std::str::from_utf8(&input).map_err(|_| anyhow!("{}: the list is not UTF-8", name(path)))?;
    Labels::from_list(list).map_err(|error| anyhow!("{}: {error}", name(path)))
}

/// How many board texts are labels, by their kinds.
fn told_labels(counts: &Counts, were_read: bool) -> Option<(String, String)> {
    let all: u64 = counts.labels.iter().sum();
    if all == 0 {
        return None;
    }
    let kinds = ["W and L", "v and m", "percentages", "marks"].into_iter().zip(counts.labels);
    let kinds: Vec<String> =
        kinds.filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{kind} {}", thousands(n))).collect();
    let number = format!("{} ({})", thousands(all), kinds.join(", "));
    Some(match were_read {
        true => ("board texts read as labels, and kept".into(), number),
        false => ("board texts that look like labels".into(), format!("{number}: --labels rapfi reads them")),
    })
}

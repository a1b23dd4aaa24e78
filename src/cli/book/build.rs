use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::filter::{FilterArgs, lacking, options};
use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::output::{folder_of, refuse_existing};
use super::super::reading::{ReadArgs, Told, forgiven};
use super::super::terminal::{complain, count, thousands};
use super::base::{Base, stage};
use super::{finish, making, memory, origin, program, say, unsorted, write};
use ::book::{Book, BuildOptions, Builder, Counts, thin};
use ::formats::{Blame, Error};
use anyhow::{Context, Result, bail};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use games::gomoku::Three;
use games::{Coords, Game, Rule};
use record::{Filter, Lack, Outcome, Record, board_result};
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
    /// Leave out positions of fewer games, unless they have a value, a label or a text
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_games: u64,
    /// Keep turned and mirrored positions apart
    #[arg(long)]
    no_symmetry: bool,
    /// Leave out comments and texts on points
    #[arg(long)]
    no_texts: bool,
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

/// What the command counts beside the builder.
#[derive(Default)]
struct Apart {
    /// In the order of [`Lack::ALL`].
    lacking: [u64; Lack::ALL.len()],
    /// Records that could not be read.
    bad: u64,
    /// Records of other games than gomoku.
    strange: u64,
    without_rule: u64,
    /// Results of files that the board contradicts, that it lacks, and that it has and the files do not.
    contradicted: u64,
    undecided: u64,
    unstated: u64,
    /// What ends all building.
    broken: Option<anyhow::Error>,
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
        let wanted = Wanted::Records.unless(self.read.from.is_some());
        let files = Files::list(&self.files, self.recurse, wanted, None)?;
        let mut builder = Builder::new(BuildOptions {
            symmetric: !self.no_symmetry,
            min_plies: if self.short { 0 } else { BuildOptions::default().min_plies },
            dedupe: self.dedupe,
            max_ply: self.max_ply,
            texts: !self.no_texts,
            game_refs: self.game_refs,
            memory: self.memory,
            folder: folder_of(&self.output).into(),
        });
        let filter = self.filter.filter();
        let mut apart = Apart::default();
        let mut provenance = program();
        let options = self.options(&filter);
        let exit = files.each(|path| {
            if apart.broken.is_some() {
                return Ok(Exit::Done);
            }
            let (origin, exit) = self.file(path, &filter, &mut builder, &mut apart, base.as_mut())?;
            provenance += &origin;
            Ok(exit)
        })?;
        if let Some(broken) = apart.broken.take() {
            return Err(broken);
        }
        if !options.is_empty() {
            provenance += &format!("options\t{options}\n");
        }
        let counts = builder.counts();
        if counts.records == 0 && exit != Exit::Done {
            match exit {
                Exit::No => {
                    complain(&format!("{}: there is nothing to add, and it stays as it was", name(&self.output)))
                }
                _ => bail!("{}: nothing could be read, and no book is written", name(&self.output)),
            }
            return Ok(exit);
        }
        let mut told = vec![("counted".to_owned(), self.counted())];
        let numbers = numbers(&counts, &apart).into_iter().filter(|(_, number)| *number > 0);
        told.extend(numbers.map(|(what, number)| (what.into(), thousands(number))));
        for (what, number) in &told {
            provenance += &format!("{what}\t{number}\n");
        }
        let written = if let Some(base) = base {
            if !base.has_options(&options) {
                complain(&format!("{}: what is in it was built with other options", name(base.path())));
            }
            let provenance = base.provenance.clone() + &provenance;
            let added = stage(&self.output, |out| builder.finish(out, ""))?;
            write(&self.output, true, |out| base.write_with(added, out, &provenance))?
        } else if self.min_games > 0 {
            let whole = stage(&self.output, |out| builder.finish(out, ""))?;
            let mut bridges = 0;
            let mut left_out = 0;
            let written = write(&self.output, self.force, |out| {
                let thinned = thin(&Book::open(&whole[..])?, self.min_games, out, &provenance)?;
                (left_out, bridges) = (thinned.left_out, thinned.bridges);
                Ok(thinned.written)
            })?;
            told.push(("positions of fewer games, left out".into(), thousands(left_out)));
            told.push(("positions of fewer games, kept as ways to others".into(), thousands(bridges)));
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
    fn options(&self, filter: &Filter) -> String {
        let mut all = Vec::new();
        self.rule.into_iter().for_each(|rule| all.push(format!("--rule {}", rule.name())));
        all.extend(options(filter));
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
        if self.game_refs > 0 {
            all.push(format!("--game-refs {}", self.game_refs));
        }
        all.join(" ").replace(['\t', '\n'], " ")
    }

    /// Adds the records of a file and says where they came from.
    fn file(
        &self,
        path: &Path,
        filter: &Filter,
        builder: &mut Builder,
        apart: &mut Apart,
        base: Option<&mut Base>,
    ) -> Result<(String, Exit)> {
        let input = Input::open(path)?;
        #[cfg(unix)]
        let _light = input.lighten();
        if let Some(before) = base.and_then(|base| base.meet(path, &input)) {
            complain(&format!("{}: it is counted in the book already, as {before}: it is passed over", name(path)));
            return Ok((String::new(), Exit::No));
        }
        let kind = self.read.kind(&input).with_context(|| name(path))?;
        making::wanted(path, kind, |kind| matches!(kind, Kind::Records(_)))?;
        let format = self.read.format(&input).with_context(|| name(path))?;
        let before = builder.counts().records;
        let (mut strange, mut without_rule) = (0, 0);
        builder.begin_file(&path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
        let mut each = |mut record: Record| {
            if record.head.game != Game::Gomoku {
                strange += 1;
                builder.pass_over();
                return Ok(());
            }
            let Some(rule) = record.head.rule.or(self.rule).or(format.rule) else {
                without_rule += 1;
                builder.pass_over();
                return Ok(());
            };
            if self.result_by == ResultBy::Board {
                decide(&mut record, rule, apart);
            }
            if let Some(lack) = filter.lacks(&record.head, Some(rule), record.head.result) {
                let at = Lack::ALL.iter().position(|known| *known == lack);
                apart.lacking[at.expect("all of them are listed")] += 1;
                builder.pass_over();
                return Ok(());
            }
            builder.add(&record, rule).map_err(|error| {
                if let ::book::Error::Io(error) = &error {
                    apart.broken = Some(unsorted(folder_of(&self.output), error));
                }
                Error::new(Blame::World, "", error.to_string())
            })
        };
        let told = self.read.watch(&input, &self.read.options(self.coords, 1), &mut each);
        if apart.broken.is_some() {
            return Ok((String::new(), Exit::Done));
        }
        let mut exit = Exit::Done;
        if strange > 0 {
            let records = count(strange, "record");
            complain(&format!("{}: {records} of other games left out: a book holds positions of gomoku", name(path)));
            exit = Exit::Failed;
        }
        if without_rule > 0 {
            let records = count(without_rule, "record");
            complain(&format!("{}: {records} left out, of which nothing says the rule: use --rule", name(path)));
            exit = Exit::Failed;
        }
        apart.strange += strange;
        apart.without_rule += without_rule;
        match told.and_then(Told::whole) {
            Ok(told) => {
                apart.bad += told.left_out;
                for line in forgiven(&told.faults, told.encoding) {
                    complain(&format!("{}: {line}", name(path)));
                }
                Ok((origin(path, &input), exit))
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

/// Replaces the result of a game by that of the board.
fn decide(record: &mut Record, rule: Rule, apart: &mut Apart) {
    let said = record.head.result;
    let has_branches = || record.tree.nodes().any(|node| record.tree.next_sibling(node).is_some());
    // What is no game stays none.
    if said == Some(Outcome::Void) || said.is_none() && has_branches() {
        return;
    }
    let found = board_result(record, rule, Three::Rif);
    match (said, found) {
        (None | Some(Outcome::Unknown), Some(_)) => apart.unstated += 1,
        (Some(said), Some(found)) if said != found => apart.contradicted += 1,
        (_, Some(_)) => {}
        (_, None) => apart.undecided += 1,
    }
    record.head.result = Some(found.unwrap_or(Outcome::Unknown));
}

/// What became of the records, in words.
fn numbers(counts: &Counts, apart: &Apart) -> Vec<(&'static str, u64)> {
    let mut all = vec![
        ("records", counts.records),
        ("games counted", counts.games),
        ("games too short to count", counts.short),
        ("walk-overs, not counted", counts.walkovers),
        ("games that were there before, not counted", counts.again),
        ("records without a game", counts.trees),
        ("bad records, left out", apart.bad),
        ("records of other games, left out", apart.strange),
        ("records without a rule, left out", apart.without_rule),
    ];
    all.extend(Lack::ALL.map(lacking).into_iter().zip(apart.lacking));
    all.extend([
        ("results that the board contradicts", apart.contradicted),
        ("results that the board has and the file lacks", apart.unstated),
        ("games without a result on the board", apart.undecided),
        ("branches with a stone on a stone, left out", counts.on_stones),
        ("times, signs, marks and raw bytes, not kept", counts.unkept),
    ]);
    all
}

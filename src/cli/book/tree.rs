use super::super::Exit;
use super::super::input::name;
use super::super::output::{Output, refuse_existing};
use super::super::progress::{Bar, PROGRESS, Stoppable};
use super::super::reading::encoding;
use super::super::terminal::{complain, count, thousands};
use super::{blame, tell_losses};
use ::book::{Book, Grown, Orient, TreeCounts, TreeOptions};
use ::formats::{Format, Losses, WriteOptions, encoding_of};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use encoding_rs::Encoding;
use games::gomoku::Board;
use games::xiangqi::notation::Style;
use games::{Coords, Position, Rules, Size, Symmetry};
use std::io::Write;
use std::path::Path;

/// How a book becomes a tree of moves.
#[derive(Args)]
#[command(next_help_heading = "Trees of moves")]
pub struct TreeArgs {
    /// Take only what comes after this position, with the moves that lead to it
    #[arg(long)]
    position: Option<String>,
    /// Notation of the points in --position
    #[arg(long, default_value = "a1")]
    coords: Coords,
    /// Rule to take, where the book has several; xiangqi is one here
    #[arg(long)]
    rule: Option<Rules>,
    /// Board to take, where the book has several
    #[arg(long)]
    size: Option<Size>,
    /// Leave out what is deeper than this, counted from the empty board
    #[arg(long, value_name = "N")]
    max_ply: Option<usize>,
    /// Way round of the board: written (as most texts were), standard, or a symmetry such as r90 to turn that by
    #[arg(long, value_parser = orient, value_name = "HOW", default_value = "written")]
    orient: Orient,
    /// Name the line where a move leads to a position that stands elsewhere, in a comment such as = h8 i9
    #[arg(long)]
    link_comments: bool,
    /// Repeat a position with all below it after each move that leads to it
    #[arg(long, conflicts_with = "link_comments")]
    expand: bool,
    /// Nodes from which on --expand repeats no more
    #[arg(long, value_name = "N", default_value_t = 20_000_000, requires = "expand")]
    max_nodes: usize,
    /// Write the games that reached a position into its comment
    #[arg(long)]
    stats: bool,
    /// Notation of points in outputs that leave it open
    #[arg(long)]
    output_coords: Option<Coords>,
    /// Encoding of the texts in .lib and SGF outputs [default: one that holds them all]
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    output_encoding: Option<&'static Encoding>,
    /// Notation of the moves in xiangqi PGN [default: chinese], or traditional, wxf, iccs
    #[arg(long, value_name = "NAME")]
    notation: Option<Style>,
    /// Write nothing if something would be lost, and exit with 3
    #[arg(long)]
    fail_on_loss: bool,
}

/// The way round of a name on the command line.
fn orient(name: &str) -> Result<Orient, String> {
    match name {
        "written" => Ok(Orient::Written),
        "standard" => Ok(Orient::Standard),
        _ => name.parse().map(Orient::Turned).map_err(|_| {
            let names: Vec<&str> = Symmetry::ALL.iter().map(|symmetry| symmetry.name()).collect();
            format!("`{name}` is no way round: write written, standard, or one of {}", names.join(", "))
        }),
    }
}

impl TreeArgs {
    /// An error if one of these was given for a format that has no tree.
    pub fn refuse_for(&self, format: &str) -> Result<()> {
        let given = [
            ("--position", self.position.is_some()),
            ("--rule", self.rule.is_some()),
            ("--size", self.size.is_some()),
            ("--max-ply", self.max_ply.is_some()),
            ("--orient", self.orient != Orient::default()),
            ("--link-comments", self.link_comments),
            ("--expand", self.expand),
            ("--stats", self.stats),
            ("--output-coords", self.output_coords.is_some()),
            ("--output-encoding", self.output_encoding.is_some()),
            ("--notation", self.notation.is_some()),
            ("--fail-on-loss", self.fail_on_loss),
        ];
        match given.into_iter().find(|(_, is)| *is) {
            Some((option, _)) => bail!("{option} is for trees of moves, and {format} holds none"),
            None => Ok(()),
        }
    }

    /// Writes the trees of a book, and says what is not in them; a file is left to be put in its place.
    pub fn write(
        &self,
        book: &Book<&[u8]>,
        bytes: u64,
        path: &Path,
        format: &Format,
        file: Option<&Path>,
        force: bool,
    ) -> Result<(Exit, Option<Output>)> {
        let options = self.options(book, path, format)?;
        file.map_or(Ok(()), |file| refuse_existing(file, force))?;
        let mut losses = Losses::default();
        let write = WriteOptions {
            encoding: self.output_encoding,
            coords: self.output_coords,
            style: self.notation,
            ..WriteOptions::default()
        };
        let mut convert = |out: &mut dyn Write| -> Result<TreeCounts> {
            let _bar = Bar::watch(bytes);
            write_trees(book, path, format, &options, &write, out, file, &mut losses)
        };
        let mut output = None;
        let told = match file {
            Some(file) => {
                let mut begun = Output::create(file, force)?;
                let told = convert(&mut begun)?;
                output = Some(begun).filter(|_| !self.refuses(&losses));
                told
            }
            None if self.fail_on_loss => {
                let mut held = Vec::new();
                let told = convert(&mut held)?;
                if !self.refuses(&losses) {
                    std::io::stdout().lock().write_all(&held)?;
                }
                told
            }
            None => convert(&mut std::io::stdout().lock())?,
        };
        if self.refuses(&losses) {
            complain(&format!("{}: what would lose something is not written", name(path)));
        }
        tell_trees(path, &told, &options);
        tell_losses(path, format.name, &losses);
        Ok((if self.refuses(&losses) { Exit::Loss } else { Exit::Done }, output))
    }

    /// Whether losses forbid the output.
    fn refuses(&self, losses: &Losses) -> bool {
        self.fail_on_loss && !losses.is_empty()
    }

    fn options(&self, book: &Book<&[u8]>, path: &Path, format: &Format) -> Result<TreeOptions> {
        let only = choose(book, path, (self.rule, self.size), !format.many || self.position.is_some())?;
        let is_xiangqi = |(rules, _): (Rules, Size)| rules == Rules::Xiangqi;
        let given = [
            ("--position", self.position.is_some()),
            ("--orient", self.orient != Orient::default()),
            ("--expand", self.expand),
        ];
        if let (true, Some((option, _))) = (only.is_some_and(is_xiangqi), given.into_iter().find(|(_, is)| *is)) {
            bail!("{option} is for trees of gomoku, and this one is of xiangqi");
        }
        let position = self.position.as_deref().map(|text| {
            let size = only.map_or_else(Size::default, |(_, size)| size);
            let position = Position::parse(text, self.coords, size).map_err(|error| anyhow!("{text}: {error}"));
            let position = position?;
            Board::after(&position).with_context(|| text.to_string())?;
            if position.size != size {
                bail!("{text}: the board is {}, and that of the book {size}", position.size);
            }
            Ok(position)
        });
        Ok(TreeOptions {
            only,
            position: position.transpose()?,
            max_ply: self.max_ply.unwrap_or(usize::MAX),
            orient: self.orient,
            links: self.link_comments,
            expand: self.expand.then_some(self.max_nodes),
            stats: self.stats,
        })
    }
}

/// The rule and the board to take of a book that has several; none means all of them.
pub fn choose(
    book: &Book<&[u8]>,
    path: &Path,
    (rules, size): (Option<Rules>, Option<Size>),
    wants_one: bool,
) -> Result<Option<(Rules, Size)>> {
    let boards = book.boards().with_context(|| name(path))?;
    let fits =
        |each: &&(Rules, Size)| rules.is_none_or(|named| named == each.0) && size.is_none_or(|named| named == each.1);
    let fitting: Vec<(Rules, Size)> = boards.iter().filter(fits).copied().collect();
    let names = |boards: &[(Rules, Size)]| {
        boards.iter().map(|(rules, size)| format!("{rules} {size}")).collect::<Vec<_>>().join(", ")
    };
    match &fitting[..] {
        [] if boards.is_empty() => bail!("{}: this book is empty", name(path)),
        [] => bail!("{} holds other rules and boards: {}", name(path), names(&boards)),
        [only] => Ok(Some(*only)),
        _ if wants_one || fitting.len() < boards.len() => bail!(
            "{} has several rules or boards, and here is room for one: name it with --rule and --size: {}",
            name(path),
            names(&fitting)
        ),
        _ => Ok(None),
    }
}

/// Writes the trees of a book.
#[allow(clippy::too_many_arguments)]
pub fn write_trees(
    book: &Book<&[u8]>,
    path: &Path,
    format: &Format,
    options: &TreeOptions,
    write: &WriteOptions,
    out: &mut dyn Write,
    target: Option<&Path>,
    losses: &mut Losses,
) -> Result<TreeCounts> {
    let mut told = TreeCounts::default();
    let mut out = Stoppable(out);
    let mut writer = format.start(&mut out, write);
    for grown in book.trees(options, &PROGRESS.stop).with_context(|| name(path))? {
        let Grown { mut record, counts, unsaid } = grown.with_context(|| name(path))?;
        if counts.positions == 0 {
            bail!("{}: the position is not in the book, and nothing that comes after it", name(path));
        }
        record.head.encoding = encoding_of(&record).map(Encoding::name);
        losses.next_record();
        for each in unsaid {
            losses.positions(each.what, each.count, &each.first);
        }
        writer.record(&record, losses).map_err(|error| blame(path, target, error))?;
        told = sum(told, counts);
    }
    writer.finish().map_err(|error| blame(path, target, error))?;
    Ok(told)
}

/// Says in a line each what became of moves and positions.
pub fn tell_trees(path: &Path, told: &TreeCounts, options: &TreeOptions) {
    let say = |sentence: String| complain(&format!("{}: {sentence}", name(path)));
    if told.transposed > 0 {
        let moves = count(told.transposed, "move");
        let (lead, position) = match told.transposed {
            1 => ("leads", "a position that stands"),
            _ => ("lead", "positions that stand"),
        };
        let left = match (options.links, options.expand) {
            (true, _) => "named in comments",
            (_, Some(_)) => "repeated",
            _ if options.only.is_some_and(|(rules, _)| rules == Rules::Xiangqi) => {
                "left out (see --link-comments of kifu book export)"
            }
            _ => "left out (see --link-comments and --expand of kifu book export)",
        };
        say(format!("{moves} {lead} to {position} elsewhere in the tree: {left}"));
    }
    if let Some(nodes) = options.expand.filter(|_| told.stopped) {
        say(format!("not all was repeated: there are {} nodes (see --max-nodes)", thousands(nodes as u64)));
    }
    if told.orphans > 0 {
        let (positions, lead) = (count(told.orphans, "position"), if told.own == 1 { "leads" } else { "lead" });
        let own = count(told.own, "position");
        say(format!("no line of the book leads to {positions}: {own} of our own {lead} there"));
    }
}

fn sum(one: TreeCounts, other: TreeCounts) -> TreeCounts {
    TreeCounts {
        positions: one.positions + other.positions,
        transposed: one.transposed + other.transposed,
        orphans: one.orphans + other.orphans,
        own: one.own + other.own,
        labels: one.labels + other.labels,
        repeated: one.repeated + other.repeated,
        stopped: one.stopped || other.stopped,
    }
}

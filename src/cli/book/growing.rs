//! Which moves a book is to follow, as the command line says it.

use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::Input;
use super::super::reading::ReadArgs;
use super::each_position;
use super::making::Making;
use super::place::{Which, gomoku};
use ::book::{Book, BuildOptions, Costs, Study};
use ::formats::ReadOptions;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use games::{Rules, Side};
use record::StoneKey;
use std::path::{Path, PathBuf};

/// How lines are chosen.
#[derive(Args)]
#[command(next_help_heading = "Which lines")]
pub struct GrowArgs {
    /// Few lines far ahead, many near the beginning, or something between them
    #[arg(long, value_enum, default_value = "balanced", value_name = "HOW")]
    preset: Preset,
    /// Follow only the best moves of this side, and all that the other may play
    #[arg(long, value_enum, value_name = "SIDE")]
    side: Option<Colour>,
    /// Cost of a move that loses all win rate [default: that of the preset]
    #[arg(long, value_name = "COST")]
    alpha: Option<f32>,
    /// Cost of the logarithm of a move's rank [default: that of the preset]
    #[arg(long, value_name = "COST")]
    beta: Option<f32>,
    /// Follow no move that loses more win rate than this, such as 0.2
    #[arg(long, value_name = "RATE", value_parser = rate)]
    max_loss: Option<f32>,
    /// Follow no move from positions of so many stones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_ply: Option<u16>,
    /// Begin at this position; several may be named [default: wherever nothing leads to]
    #[arg(long)]
    position: Vec<String>,
    /// Follow the lines of these files, whatever they cost
    #[arg(long, value_name = "FILE")]
    cover: Vec<PathBuf>,
    #[command(flatten)]
    which: Which,
}

/// What moves cost.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Preset {
    Deep,
    Balanced,
    Wide,
    /// Of a side's own moves only the best
    Repertoire,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Colour {
    Black,
    White,
}

fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| format!("`{text}` is no win rate: write a number from 0 to 1"))
}

impl GrowArgs {
    /// An error where the options do not fit each other.
    pub fn check(&self) -> Result<()> {
        match (self.preset, self.side) {
            (Preset::Repertoire, None) => {
                bail!("--preset repertoire: say whose it is with --side black or --side white")
            }
            _ if [self.alpha, self.beta].into_iter().flatten().any(|cost| !(0.0..=1e6).contains(&cost)) => {
                bail!("--alpha and --beta are costs: write numbers from 0 on")
            }
            _ => Ok(()),
        }
    }

    /// An error where something is said that books of xiangqi, in which no line is followed, have no use for.
    pub fn refuse(&self) -> Result<()> {
        let GrowArgs { side, alpha, beta, max_loss, max_ply, position, cover, .. } = self;
        let costs = [alpha, beta, max_loss].into_iter().any(Option::is_some);
        if costs || side.is_some() || max_ply.is_some() || !position.is_empty() || !cover.is_empty() {
            bail!(
                "this is a book of xiangqi, in which no line is followed: leave out what moves cost and where to begin"
            );
        }
        Ok(())
    }

    fn costs(&self) -> Costs {
        let preset = match self.preset {
            Preset::Deep => Costs::DEEP,
            Preset::Balanced | Preset::Repertoire => Costs::BALANCED,
            Preset::Wide => Costs::WIDE,
        };
        Costs {
            loss: self.alpha.unwrap_or(preset.loss),
            rank: self.beta.unwrap_or(preset.rank),
            max_loss: self.max_loss.unwrap_or(preset.max_loss),
            max_stones: self.max_ply.unwrap_or(preset.max_stones),
            repertoire: self.side.map(|side| match side {
                Colour::Black => Side::First,
                Colour::White => Side::Second,
            }),
            ..preset
        }
    }

    /// Takes in the lines that are to be covered, and begins to choose.
    pub fn begin(&self, study: &mut Study, book: &Book<&[u8]>, path: &Path) -> Result<()> {
        self.cover(study, book.is_symmetric())?;
        let boards = book.boards()?;
        let from: Result<Vec<StoneKey>> =
            self.position.iter().map(|text| self.which.stones(path, &boards, text)).collect();
        Ok(study.grow(self.costs(), &from?)?)
    }

    /// Takes in the lines that are to be covered.
    fn cover(&self, study: &mut Study, symmetric: bool) -> Result<()> {
        for file in &self.cover {
            let mut positions = lines_of(file, symmetric, self.which.rule.and_then(Rules::gomoku))?;
            positions.sort_by_key(|position| position.stones.len());
            study.cover(&positions)?;
        }
        Ok(())
    }

    /// The options as a command line that repeats them.
    pub fn said(&self) -> String {
        let Costs { loss, rank, max_loss, max_stones, repertoire, .. } = self.costs();
        let mut said = format!(" --alpha {loss} --beta {rank}");
        if max_loss < 1.0 {
            said += &format!(" --max-loss {max_loss}");
        }
        if max_stones < u16::MAX {
            said += &format!(" --max-ply {max_stones}");
        }
        if let Some(side) = repertoire {
            said += if side == Side::First { " --side black" } else { " --side white" };
        }
        for position in &self.position {
            said += &format!(" --position {position}");
        }
        for file in &self.cover {
            said += &format!(" --cover {}", file.display());
        }
        said
    }
}

/// The positions of all lines of a file of records.
fn lines_of(path: &Path, symmetric: bool, rule: Option<games::Rule>) -> Result<Vec<StoneKey>> {
    let files = Files::list(&[path.to_path_buf()], false, Wanted::Records, None)?;
    let mut making = Making::new(BuildOptions { symmetric, min_plies: 0, texts: false, ..BuildOptions::default() });
    let read = ReadArgs::default();
    let exit = making.each(&files, |making, path| {
        let input = Input::open(path)?;
        let kind = read.kind(&input).with_context(|| path.display().to_string())?;
        making.add(path, &input, kind, &read, &ReadOptions { rule, ..ReadOptions::default() })
    })?;
    if exit == Exit::Failed || making.is_empty() {
        bail!("{}: no lines could be read from it", path.display());
    }
    let mut bytes = Vec::new();
    making.done().0.finish(&mut bytes, "")?;
    let book = Book::open(&bytes[..])?;
    let mut positions = Vec::new();
    each_position(&book, path, |key, _| {
        positions.push(gomoku(key)?);
        Ok(())
    })?;
    Ok(positions)
}

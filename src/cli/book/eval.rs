use super::super::Exit;
use super::super::duration::duration;
use super::super::evaluations::{CrewArgs, Work, effort};
use super::super::input::{Input, name};
use super::super::progress::Bar;
use super::super::terminal::{count, thousands};
use super::change::Target;
use super::learning::{ChoiceArgs, Place, is_of_xiangqi, journal, save, tell};
use super::set::label;
use super::{hash, open, origins};
use ::book::{Wanted, assess, assessed, unassessed};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::Game;
use record::{Label, Question};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Evaluate the positions of a book that have no value, and back the values up
#[derive(Args)]
#[command(
    after_help = "A position is evaluated if it has no value, or, with --min-depth, one of a search less deep. What is found
is the best of the moves that lead to no other position with a value; then the values of all positions
are computed from those that they lead to.

In a book of xiangqi, whose positions may come again in a game, each position is evaluated by itself: what is
found is the best of all its moves, and no value is computed from others. It takes an engine that speaks UCI or
UCCI, or another book.

What is evaluated is kept in BOOK.journal until the book is written: after Ctrl-C or a power cut the same
command goes on from there.

Examples:
  kifu book eval games.agb --nodes 20000
  kifu book eval games.agb --max-ply 8 --min-games 3 --min-depth 12 --depth 12 -o deep.agb
  kifu book eval games.agb --back-up --opening-rule rif
  kifu book eval xiangqi.agb --engine ./pikafish --protocol uci --nodes 100000"
)]
pub struct Eval {
    /// The book
    book: PathBuf,
    #[command(flatten)]
    target: Target,
    /// Search each position for so many nodes [default: 10000, unless a depth or a time is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search each position to this depth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Search each position for so long, such as 500ms; what is found then depends on the machine
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Evaluate also what has a value of a search less deep than this
    #[arg(long, value_name = "N", default_value_t = i16::MIN, hide_default_value = true, allow_negative_numbers = true)]
    min_depth: i16,
    /// Only positions of at least so many stones
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_ply: u16,
    /// Only positions of at most so many stones
    #[arg(long, value_name = "N", default_value_t = u16::MAX, hide_default_value = true)]
    max_ply: u16,
    /// Only positions that so many games reached
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_games: u64,
    /// Only positions with this label
    #[arg(long, value_name = "LABEL", value_parser = label)]
    label: Option<Label>,
    /// At most so many positions
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Evaluate nothing, only compute the values that follow from others
    #[arg(long)]
    back_up: bool,
    /// Only say how many positions are to be evaluated
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    choices: ChoiceArgs,
    #[command(flatten)]
    crew: CrewArgs,
}

impl Eval {
    /// Evaluates, absorbs and writes.
    pub fn run(self) -> Result<Exit> {
        let path = self.target.path(&self.book)?;
        let input = Input::open(&self.book)?;
        let opened = open(&input, &self.book)?;
        let content = hash(opened.content_hash());
        let wanted = Wanted {
            stones: (self.min_ply, self.max_ply),
            min_games: self.min_games,
            label: self.label,
            min_depth: self.min_depth,
        };
        let is_of_xiangqi = is_of_xiangqi(&opened).with_context(|| name(&self.book))?;
        let mut study = match is_of_xiangqi {
            true => self.choices.refuse().map(|()| None)?,
            false => Some(self.choices.study(&input, &self.book)?),
        };
        let most = self.positions.unwrap_or(usize::MAX);
        let effort = effort(self.nodes, self.depth, self.time);
        let questions = match &mut study {
            Some(study) => {
                let mut leaves = if self.back_up { Vec::new() } else { study.wanted(&wanted) };
                leaves.truncate(most);
                study.questions(&leaves, effort)
            }
            None => {
                if self.back_up || wanted.stones != (0, u16::MAX) {
                    bail!(
                        "this is a book of xiangqi, where no value follows from others: leave out --back-up, --min-ply and --max-ply"
                    );
                }
                let mut positions = unassessed(&opened, &wanted).with_context(|| name(&self.book))?;
                positions.truncate(most);
                positions.into_iter().map(|position| Question::of(position, effort)).collect()
            }
        };
        let mut out = anstream::stdout();
        if self.dry_run {
            let asked = count(questions.len() as u64, "position");
            let all = study.as_ref().map_or(opened.positions(), |study| study.graph().len() as u64);
            writeln!(out, "{}: to evaluate: {asked} of {}", name(&self.book), thousands(all))?;
            return Ok(Exit::Done);
        }
        let game = if is_of_xiangqi { Game::Xiangqi } else { Game::Gomoku };
        self.crew.fit(game).map_err(|message| anyhow!("{}: {message}", name(&self.book)))?;
        let Some(journal) = journal(&path, &content)? else {
            writeln!(out, "{}: this was done already", name(&path))?;
            return Ok(Exit::Done);
        };
        let mut work = Work::begin(&self.crew, journal)?;
        let answers = {
            let _bar = Bar::evaluations(questions.len() as u64);
            work.answer(&questions)?.0
        };
        writeln!(out, "{}", work.summary())?;
        let said = format!("eval{}", self.choices.said());
        let provenance = origins::after_command(&open(&input, &self.book)?, &self.book, &said)?;
        let failed = work.failed;
        let place = Place { book: &self.book, input, target: &self.target, path };
        match &mut study {
            Some(study) => {
                let absorbed = study.absorb(&answers).with_context(|| name(&self.book))?;
                writeln!(out, "{}", tell(absorbed))?;
                save(place, work.into_journal(), |book, out| study.write(book, out, &provenance))?;
            }
            None => {
                let (rests, absorbed) =
                    assessed(&open(&place.input, place.book)?, &answers).with_context(|| name(&self.book))?;
                writeln!(out, "{}", tell(absorbed))?;
                save(place, work.into_journal(), |book, out| assess(book, rests, out, &provenance))?;
            }
        }
        Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

use super::super::Exit;
use super::super::duration::duration;
use super::super::evaluations::{CrewArgs, EachArgs, Work};
use super::super::input::{Input, name};
use super::super::progress::Bar;
use super::super::terminal::{complain, count};
use super::change::Target;
use super::growing::GrowArgs;
use super::learning::{ChoiceArgs, Place, journal, save, tell};
use super::{hash, open, origins};
use ::book::{Absorbed, Found, Leaf, Study};
use ::formats::position_text;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// How many lines a dry run names.
const NAMED: usize = 20;

/// Grow a book: follow the moves at the ends of its cheapest lines, and evaluate what they lead to
#[derive(Args)]
#[command(
    after_help = "A line costs the sum over its moves of 1 + alpha x the win rate that the move loses + beta x the logarithm
of its rank, and less for moves to positions of games and of --cover. The moves that are followed
are the best that a search finds beside those in the book; branches that are proven won or lost are left.

The lines of a round (--batch) are chosen together, and evaluated by as many threads as there are: with a
limit of nodes or depth the book is the same however many work. What is evaluated is kept in BOOK.journal
until the book is written: after Ctrl-C or a power cut the same command goes on from there.

Examples:
  kifu book expand games.agb --positions 1000
  kifu book expand games.agb --time 8h --preset deep --each-nodes 100000 -j 8
  kifu book expand games.agb --positions 500 --preset repertoire --side black --position h8i9 -o black.agb
  kifu book expand games.agb --positions 200 --cover lines.sgf --dry-run"
)]
pub struct Expand {
    /// The book
    book: PathBuf,
    #[command(flatten)]
    target: Target,
    /// End after so many lines are followed
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// End after the round in which so many nodes were searched
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// End after the round in which so much time has gone, such as 8h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Lines that are chosen together
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    batch: u32,
    /// Evaluate nothing, only say what would be followed first
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    grow: GrowArgs,
    #[command(flatten)]
    each: EachArgs,
    #[command(flatten)]
    choices: ChoiceArgs,
    #[command(flatten)]
    crew: CrewArgs,
}

impl Expand {
    /// Chooses, evaluates and absorbs, round by round, and writes the book.
    pub fn run(self) -> Result<Exit> {
        if self.positions.is_none() && self.nodes.is_none() && self.time.is_none() {
            bail!("nothing says when to end: use --positions, --nodes or --time");
        }
        self.grow.check()?;
        let path = self.target.path(&self.book)?;
        let input = Input::open(&self.book)?;
        let content = hash(open(&input, &self.book)?.content_hash());
        let mut study = self.choices.study(&input, &self.book)?;
        self.grow.begin(&mut study, &open(&input, &self.book)?, &self.book).with_context(|| name(&self.book))?;
        if self.dry_run {
            return self.foretell(&mut study);
        }
        let mut out = anstream::stdout();
        let Some(journal) = journal(&path, &content)? else {
            writeln!(out, "{}: this was done already", name(&path))?;
            return Ok(Exit::Done);
        };
        let mut work = Work::begin(&self.crew, journal)?;
        let followed = self.rounds(&mut study, &mut work)?;
        writeln!(out, "  followed: {}\n{}\n{}", count(followed.0, "line"), work.summary(), tell(followed.1))?;
        let said = format!("expand{}{}", self.grow.said(), self.choices.said());
        let provenance = origins::after_command(&open(&input, &self.book)?, &self.book, &said)?;
        let failed = work.failed;
        let place = Place { book: &self.book, input, target: &self.target, path };
        save(place, work.into_journal(), |book, out| study.write(book, out, &provenance))?;
        Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
    }

    /// Follows lines until the budget is spent; how many, and what became of the answers.
    fn rounds(&self, study: &mut Study, work: &mut Work) -> Result<(u64, Absorbed)> {
        let mut absorbed = Absorbed::default();
        let mut followed = 0;
        // Of a line two positions are evaluated: what it leads to, and what is left where it begins.
        let _bar = match self.positions {
            Some(positions) => Bar::evaluations(2 * positions),
            None => Bar::evaluations_without_end(),
        };
        loop {
            let is_spent = self.nodes.is_some_and(|nodes| work.nodes >= nodes)
                || self.time.is_some_and(|time| work.elapsed() >= time);
            let left = self.positions.map_or(u64::MAX, |positions| positions - followed);
            let count = left.min(self.batch.into()) as usize;
            if is_spent || count == 0 {
                return Ok((followed, absorbed));
            }
            let leaves = study.leaves(count);
            if leaves.is_empty() {
                complain("there is no line left to follow");
                return Ok((followed, absorbed));
            }
            let questions = study.questions(&leaves, self.each.effort());
            let (answers, failed) = work.answer(&questions)?;
            // Without a value a position would be looked at for ever, and so would the rest that leads to it.
            let has_value = |found: &&Found| found.finding.lines.first().is_none_or(|line| line.value.is_some());
            let without: Vec<&Found> = answers.iter().filter(|found| !has_value(found)).collect();
            without.iter().for_each(|found| study.give_up(&found.position));
            absorbed.add(study.absorb(&answers)?);
            failed.iter().for_each(|question| study.give_up(&question.position));
            without.iter().for_each(|found| study.give_up(&found.position));
            followed += leaves.len() as u64;
        }
    }

    /// Says what the first round would follow.
    fn foretell(&self, study: &mut Study) -> Result<Exit> {
        let wanted = self.positions.unwrap_or(u64::MAX).min(self.batch.into()) as usize;
        let leaves = study.leaves(wanted);
        let rests = leaves.iter().filter(|leaf| matches!(leaf, Leaf::Rest(..))).count();
        let questions = study.questions(&leaves, self.each.effort()).len() as u64;
        let mut out = anstream::stdout().lock();
        writeln!(out, "{}: the first round:", name(&self.book))?;
        writeln!(out, "  moves to follow: {}", count(rests as u64, "move"))?;
        writeln!(out, "  positions to look at: {}", count((leaves.len() - rests) as u64, "position"))?;
        writeln!(out, "  evaluations: {}", count(questions, "position"))?;
        for leaf in leaves.iter().take(NAMED) {
            let (position, play) = study.leaf(leaf);
            let position = position.into();
            match play {
                Some(play) => writeln!(out, "  {} then {play}", position_text(&position))?,
                None => writeln!(out, "  {}", position_text(&position))?,
            }
        }
        Ok(Exit::Done)
    }
}

use super::super::Exit;
use super::super::evaluations::EachArgs;
use super::super::input::{Input, name};
use super::super::job::job_line;
use super::super::output::Output;
use super::super::terminal::count;
use super::growing::GrowArgs;
use super::learning::{ChoiceArgs, is_of_xiangqi};
use super::open;
use ::book::{Wanted, unassessed};
use anyhow::{Context, Result};
use clap::Args;
use record::Question;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write what a book would evaluate next into a file of jobs, for other machines
#[derive(Args)]
#[command(
    after_help = "A job is a line of JSON. kifu book eval-jobs answers them, on any machine, and kifu book absorb takes the
answers into the book: the same steps that kifu book expand takes in each round. In a book of xiangqi no line
is followed: the jobs are those of kifu book eval, at most so many.

Examples:
  kifu book leaves games.agb -n 1000 -o jobs.jsonl
  kifu book leaves games.agb -n 1000 --each-nodes 100000 --preset wide -o - | head"
)]
pub struct Leaves {
    /// The book
    book: PathBuf,
    /// Lines to follow
    #[arg(short = 'n', long = "lines", value_name = "N", default_value_t = 64)]
    lines: u32,
    /// File of jobs to write; - is stdout
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    grow: GrowArgs,
    #[command(flatten)]
    each: EachArgs,
    #[command(flatten)]
    choices: ChoiceArgs,
}

impl Leaves {
    /// Chooses the lines and writes the jobs.
    pub fn run(self) -> Result<Exit> {
        self.grow.check()?;
        let output = match self.output.as_os_str() == "-" {
            true => None,
            false => Some(Output::create(&self.output, self.force)?),
        };
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let (questions, lines) = if is_of_xiangqi(&book).with_context(|| name(&self.book))? {
            self.grow.refuse()?;
            self.choices.refuse()?;
            let mut positions = unassessed(&book, &Wanted::default()).with_context(|| name(&self.book))?;
            positions.truncate(self.lines as usize);
            let questions: Vec<_> =
                positions.into_iter().map(|position| Question::of(position, self.each.effort())).collect();
            let lines = questions.len();
            (questions, lines)
        } else {
            let mut study = self.choices.study(&input, &self.book)?;
            self.grow.begin(&mut study, &book, &self.book).with_context(|| name(&self.book))?;
            let leaves = study.leaves(self.lines as usize);
            (study.questions(&leaves, self.each.effort()), leaves.len())
        };
        let mut text = String::new();
        for question in &questions {
            text += &job_line(question);
            text.push('\n');
        }
        let Some(mut output) = output else {
            anstream::stdout().lock().write_all(text.as_bytes())?;
            return Ok(Exit::Done);
        };
        output.write_all(text.as_bytes()).with_context(|| name(&self.output))?;
        output.commit()?;
        let jobs = count(questions.len() as u64, "job");
        writeln!(anstream::stdout(), "{}: {jobs} for {}", name(Path::new(&self.output)), count(lines as u64, "line"))?;
        Ok(Exit::Done)
    }
}

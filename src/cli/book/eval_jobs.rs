use super::super::Exit;
use super::super::input::{Input, name};
use super::super::job::read_job;
use super::super::journal::Journal;
use super::super::progress::Bar;
use super::super::terminal::count;
use super::learning::{CrewArgs, Work};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use record::Question;
use std::io::Write;
use std::path::PathBuf;

/// Answer a file of jobs, or one of several shares of it
#[derive(Args)]
#[command(
    after_help = "The answers are appended to the file, a line each with a checksum, as they are found. A job that the file
answers already is not done again: after Ctrl-C, or when the machine has gone, the same command goes on.

Examples:
  kifu book eval-jobs jobs.jsonl -o results.jsonl
  kifu book eval-jobs jobs.jsonl --shard 2/3 -o results-2.jsonl
  parallel -j 3 kifu book eval-jobs jobs.jsonl --shard {}/3 -j 1 -o results-{}.jsonl ::: 1 2 3"
)]
pub struct EvalJobs {
    /// File of jobs, as kifu book leaves writes it; - is stdin
    jobs: PathBuf,
    /// File of answers, to which is added
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Answer only the i-th of n shares of the jobs
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1", hide_default_value = true)]
    shard: (usize, usize),
    #[command(flatten)]
    crew: CrewArgs,
}

/// `2/3` is the second of three.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
    parts.filter(|(at, of)| (1..=*of).contains(at)).ok_or_else(|| format!("`{text}` is no share: write 2/3"))
}

impl EvalJobs {
    /// Reads the jobs and answers them.
    pub fn run(self) -> Result<Exit> {
        let input = Input::open(&self.jobs)?;
        let text =
            std::str::from_utf8(&input).map_err(|_| anyhow!("{}: this is no text in UTF-8", name(&self.jobs)))?;
        let (at, of) = self.shard;
        let mut questions: Vec<Question> = Vec::new();
        for (number, line) in (1_usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let question = read_job(line).map_err(|why| anyhow!("{}: line {number}: {why}", name(&self.jobs)))?;
            if number % of == at % of {
                questions.push(question);
            }
        }
        if self.output.as_os_str() == "-" {
            bail!("answers are kept as they are found: name a file with -o");
        }
        let mut work = Work::begin(&self.crew, Journal::open(&self.output)?)?;
        {
            let _bar = Bar::evaluations(questions.len() as u64);
            work.answer(&questions)?;
        }
        let jobs = count(questions.len() as u64, "job");
        let mut out = anstream::stdout();
        writeln!(out, "{}: {jobs}\n{}", name(&self.output), work.summary()).context("stdout cannot be written")?;
        Ok(if work.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_from_one() {
        assert_eq!(shard("2/3"), Ok((2, 3)));
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", ""] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}

use super::super::Exit;
use super::super::evaluations::found;
use super::super::input::{Input, name};
use super::super::job::read_answer;
use super::super::terminal::{complain, count, harmless};
use super::change::Target;
use super::learning::{ChoiceArgs, is_of_xiangqi, tell};
use super::{open, origins};
use ::book::{assess, assessed};
use ::formats::position_text;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Take the answers of jobs into a book
#[derive(Args)]
#[command(
    after_help = "The order of the files and of their lines does not matter, nor does it if an answer comes twice. A line that
is cut or damaged is left out and told, and its job is asked for again by the next kifu book leaves.

Examples:
  kifu book absorb games.agb results.jsonl
  kifu book absorb games.agb results-*.jsonl -o grown.agb"
)]
pub struct Absorb {
    /// The book
    book: PathBuf,
    /// Files of answers, as kifu book eval-jobs writes them
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    choices: ChoiceArgs,
}

impl Absorb {
    /// Reads all answers, takes them in and writes the book.
    pub fn run(self) -> Result<Exit> {
        let path = self.target.path(&self.book)?;
        let input = Input::open(&self.book)?;
        let mut answers = Vec::new();
        let (mut failed, mut damaged) = (0, 0);
        for results in &self.results {
            let lines = Input::open(results)?;
            for (number, line) in (1_usize..).zip(lines.split(|byte| *byte == b'\n')) {
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let text = std::str::from_utf8(line).map_err(|_| "this is no text in UTF-8".to_owned());
                match text.and_then(read_answer) {
                    Ok(answered) => {
                        if let Err(why) = &answered.finding {
                            failed += 1;
                            complain(&format!("{}: {}", position_text(&answered.position), harmless(why)));
                        }
                        answers.extend(found(answered));
                    }
                    Err(why) => {
                        damaged += 1;
                        complain(&format!("{}: line {number}: {}", name(results), harmless(&why)));
                    }
                }
            }
        }
        if answers.is_empty() {
            return Err(anyhow!("there is no answer to take in"));
        }
        let opened = open(&input, &self.book)?;
        let provenance = origins::after_command(&opened, &self.book, "absorb")?;
        let absorbed = if is_of_xiangqi(&opened).with_context(|| name(&self.book))? {
            self.choices.refuse()?;
            let (rests, absorbed) = assessed(&opened, &answers).with_context(|| name(&self.book))?;
            self.target.write(&self.book, input, &path, 1, |book, _, out| assess(book, rests, out, &provenance))?;
            absorbed
        } else {
            let mut study = self.choices.study(&input, &self.book)?;
            let absorbed = study.absorb(&answers).with_context(|| name(&self.book))?;
            self.target.write(&self.book, input, &path, 1, |book, _, out| study.write(book, out, &provenance))?;
            absorbed
        };
        let mut out = anstream::stdout();
        writeln!(out, "{}", tell(absorbed))?;
        if failed > 0 {
            writeln!(out, "  evaluations that failed: {}", count(failed, "job"))?;
        }
        Ok(if damaged > 0 { Exit::Failed } else { Exit::Done })
    }
}

use super::afford::afford;
use super::book::memory;
use super::progress::PROGRESS;
use super::terminal::{complain, harmless};
use anyhow::{Result, anyhow};
use clap::Args;
use engine::rival::{CommandLine, Rival};
use record::{Abilities, Evaluate};

/// Who evaluates positions.
#[derive(Args)]
#[command(next_help_heading = "Who evaluates")]
pub struct Evaluator {
    /// An engine of yours that speaks the protocol of Gomocup, with its arguments in the same text [default: kifu's own]
    #[arg(long, value_name = "COMMAND")]
    engine: Option<CommandLine>,
    /// Memory for the table of each search, such as 64M
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "16M")]
    memory: usize,
}

impl Evaluator {
    /// So many that work side by side; what they cannot do is told.
    pub fn crew(&self, workers: usize) -> Result<Vec<Box<dyn Evaluate + Send>>> {
        let Some(line) = &self.engine else {
            afford(self.memory, workers)?;
            let own = |_| Box::new(engine::Evaluator::new(self.memory)) as Box<dyn Evaluate + Send>;
            return Ok((0..workers).map(own).collect());
        };
        let start = |_| Rival::start(line, self.memory as u64, &PROGRESS.stop);
        let crew: Vec<Rival> = (0..workers)
            .map(start)
            .collect::<Result<_, _>>()
            .map_err(|failure| anyhow!("{}: {}", harmless(&line.to_string()), harmless(&failure.to_string())))?;
        if let Some(rival) = crew.first() {
            tell(rival.source(), rival.abilities());
        }
        Ok(crew.into_iter().map(|rival| Box::new(rival) as Box<dyn Evaluate + Send>).collect())
    }
}

/// Says what the engine cannot do.
fn tell(name: &str, abilities: Abilities) {
    let name = harmless(name);
    if !abilities.values {
        complain(&format!("{name} tells no values: its moves are kept as suggestions, and nothing follows from them"));
    }
    if !abilities.except {
        complain(&format!(
            "{name} does not leave out the moves of the book: a position where it plays one is passed over"
        ));
    }
}

use super::afford::afford;
use super::book::memory;
use anyhow::Result;
use clap::Args;
use record::Evaluate;

/// Who evaluates positions.
#[derive(Args)]
pub struct Evaluator {
    /// Memory for the table of each search, such as 64M
    #[arg(long = "memory", value_parser = memory, value_name = "BYTES", default_value = "16M")]
    memory: usize,
}

impl Evaluator {
    /// So many that work side by side.
    pub fn crew(&self, workers: usize) -> Result<Vec<Box<dyn Evaluate + Send>>> {
        afford(self.memory, workers)?;
        Ok((0..workers).map(|_| Box::new(engine::Evaluator::new(self.memory)) as Box<dyn Evaluate + Send>).collect())
    }
}

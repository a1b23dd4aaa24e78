use super::{Cli, Exit};
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use std::io::Write;

/// Print the completions of a shell
#[derive(Args)]
#[command(after_help = "Example:
  kifu completions bash > ~/.local/share/bash-completion/completions/kifu")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints them.
    pub fn run(self) -> Result<Exit> {
        // The generator panics where it cannot write, as into a pipe that is closed.
        let mut text = Vec::new();
        generate(self.shell, &mut Cli::command(), "kifu", &mut text);
        std::io::stdout().lock().write_all(&text)?;
        Ok(Exit::Done)
    }
}

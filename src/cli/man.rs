use super::{Cli, Exit};
use anyhow::{Result, anyhow};
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

/// Print a manual page
#[derive(Args)]
#[command(after_help = "Examples:
  kifu man | man -l -
  kifu man convert > kifu-convert.1")]
pub struct Man {
    /// A command; the page of kifu itself without one
    command: Option<String>,
}

impl Man {
    /// Prints it.
    pub fn run(self) -> Result<Exit> {
        let mut cli = Cli::command();
        cli.build();
        let command = match &self.command {
            None => cli,
            Some(name) => {
                let found = cli.find_subcommand(name).ok_or_else(|| anyhow!("`{name}` is not a command of kifu"))?;
                found.clone().name(format!("kifu-{name}"))
            }
        };
        Page::new(command).render(&mut std::io::stdout().lock())?;
        Ok(Exit::Done)
    }
}

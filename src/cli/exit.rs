use super::terminal::complain;
use ::formats::{Blame, Error};
use std::io;
use std::process::ExitCode;

/// How a command ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// All was done.
    Done,
    /// The answer is no, or there are faults.
    No,
    /// Something was lost under `--fail-on-loss`.
    Loss,
    /// Something could not be done, and was said.
    Failed,
    /// The user stopped the work.
    Stopped,
}

impl Exit {
    const fn number(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Failed => 2,
            Exit::Loss => 3,
            Exit::Stopped => 130,
        }
    }
}

/// The exit code of a command, after saying what went wrong.
pub fn code(result: anyhow::Result<Exit>) -> ExitCode {
    let exit = match result {
        Ok(exit) => exit,
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) if is_stopped(&error) => Exit::Stopped,
        Err(error) => {
            complain(&format!("{error:#}"));
            Exit::Failed
        }
    };
    ExitCode::from(exit.number())
}

/// What clap has to say: help and version on stdout, a fault of usage in one sentence.
pub fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion) {
        // Nobody is left to tell if this fails.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(Exit::Failed.number());
    }
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let sentence: Vec<&str> = paragraph.split_whitespace().collect();
    complain(&format!("{} (see --help)", sentence.join(" ").trim_start_matches("error: ")));
    ExitCode::from(Exit::Failed.number())
}

/// Whether the reader of our output has gone, as in `kifu … | head`: no failure of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

fn is_stopped(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(|error| error.blame == Blame::Stopped)
}

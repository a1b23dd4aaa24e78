use super::progress::PROGRESS;
use super::terminal::complain;
use ::formats::{Blame, Error};
use clap::error::{ContextKind, ErrorKind};
use std::io::{self, Write};
use std::num::ParseIntError;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

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

    /// How the command ended if this error is no failure: the user stopped it, or whoever read its output has gone.
    pub fn early(error: &anyhow::Error) -> Option<Exit> {
        let blamed = |blame| error.chain().filter_map(|cause| cause.downcast_ref::<Error>()).any(|e| e.blame == blame);
        // What fails after Ctrl-C fails by it.
        if blamed(Blame::Stopped) || PROGRESS.stop.load(Ordering::Relaxed) {
            return Some(Exit::Stopped);
        }
        let system = |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref().map(io::Error::kind);
        let gone = blamed(Blame::Gone) || error.chain().any(|cause| system(cause) == Some(io::ErrorKind::BrokenPipe));
        gone.then_some(Exit::Done)
    }
}

/// The exit code of a command, after saying what went wrong.
pub fn code(result: anyhow::Result<Exit>) -> ExitCode {
    // What is still held when the program ends would be dropped without a word.
    let result = result.and_then(|exit| Ok(io::stdout().flush().map(|()| exit)?));
    let exit = result.unwrap_or_else(|error| {
        Exit::early(&error).unwrap_or_else(|| {
            // The commands name the files that fail; only stdout has no name.
            let subject = if error.is::<io::Error>() { "stdout cannot be written: " } else { "" };
            complain(&format!("{subject}{error:#}"));
            Exit::Failed
        })
    });
    ExitCode::from(exit.number())
}

/// What clap has to say: help and version on stdout, a fault of usage in one sentence.
pub fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nobody is left to tell if this fails.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
        }
        // The sentence itself says what can stand there.
        ErrorKind::ValueValidation => complain(&sentence(error)),
        _ => complain(&format!("{} (see --help)", sentence(error))),
    }
    ExitCode::from(Exit::Failed.number())
}

fn sentence(error: &clap::Error) -> String {
    // `--to <FORMAT>` is called `--to`.
    let said = |kind| {
        error.get(kind).map(ToString::to_string).map_or(String::new(), |said| match said.split_once(" <") {
            Some((option, _)) => option.into(),
            None => said,
        })
    };
    let argument = said(ContextKind::InvalidArg);
    let suggestion = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .map(said)
        .into_iter()
        .find(|suggestion| !suggestion.is_empty());
    let hint = suggestion.map(|suggestion| format!(", perhaps `{suggestion}` is meant")).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => format!("`{argument}` is not an option here{hint}"),
        ErrorKind::InvalidSubcommand => {
            let word = said(ContextKind::InvalidSubcommand);
            let file = Path::new(&word);
            if file.extension().is_some() || file.exists() {
                format!("`{word}` is not a command: write `kifu info {word}` to see what a file holds")
            } else {
                format!("`{word}` is not a command{hint}")
            }
        }
        ErrorKind::MissingRequiredArgument => format!("an argument is missing: {argument}"),
        ErrorKind::InvalidValue if said(ContextKind::InvalidValue).is_empty() => format!("{argument} has no value"),
        ErrorKind::InvalidValue => {
            let (value, known) = (said(ContextKind::InvalidValue), said(ContextKind::ValidValue));
            format!("{argument}: `{value}` is not one of {known}{hint}")
        }
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(source) if source.is::<ParseIntError>() => {
                format!("{argument}: `{}` is not a number that can stand here", said(ContextKind::InvalidValue))
            }
            Some(source) => format!("{argument}: {source}"),
            None => format!("{argument}: `{}` cannot stand here", said(ContextKind::InvalidValue)),
        },
        ErrorKind::ArgumentConflict if argument == said(ContextKind::PriorArg) => {
            format!("{argument} is given more than once")
        }
        ErrorKind::ArgumentConflict => format!("{argument} cannot be used with {}", said(ContextKind::PriorArg)),
        _ => {
            let text = error.to_string();
            let paragraph: Vec<&str> = text.split("\n\n").next().unwrap_or_default().split_whitespace().collect();
            paragraph.join(" ").trim_start_matches("error: ").into()
        }
    }
}

//! The command line: one command a file, and what they share.

mod afford;
mod analyze;
mod annotate;
mod bench;
mod binding;
mod book;
mod check;
mod completions;
mod conditions;
mod convert;
mod dedupe;
mod diagram;
mod duration;
mod engine;
mod evaluations;
mod evaluator;
mod exit;
mod files;
mod filter;
mod find;
mod formats;
mod gathering;
mod html;
mod info;
mod input;
mod job;
mod journal;
mod kind;
mod known;
mod lines;
mod man;
mod r#match;
mod merge;
mod openings;
mod output;
mod place;
#[cfg(feature = "png")]
mod png;
mod position;
mod positions;
mod progress;
mod question;
mod readers;
mod reading;
mod record_output;
mod show;
mod solve;
mod split;
mod stats;
mod svg;
mod terminal;
mod text_board;
mod xiangqi;

use clap::{Parser, Subcommand};
pub use exit::Exit;
use std::process::ExitCode;

/// Convert, check and show game records and libraries of gomoku and renju
#[derive(Parser)]
#[command(name = "kifu", version, arg_required_else_help = true, subcommand_required = true, max_term_width = 100)]
#[command(after_help = "Examples:
  kifu convert openings.lib -o openings.sgf
  kifu info openings.lib
  kifu show openings.lib --ply 3")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Convert(Box<convert::Convert>),
    Annotate(annotate::Annotate),
    Info(info::Info),
    Check(check::Check),
    Show(show::Show),
    Find(Box<find::Find>),
    Filter(Box<filter::Filter>),
    Stats(Box<stats::Stats>),
    Dedupe(Box<dedupe::Dedupe>),
    Merge(Box<merge::Merge>),
    Split(Box<split::Split>),
    Analyze(analyze::Analyze),
    Solve(solve::Solve),
    Match(Box<r#match::Match>),
    Book(book::Book),
    Engine(engine::Engine),
    Position(position::Position),
    Openings(openings::Openings),
    Bench(bench::Bench),
    Formats(formats::Formats),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Parses the command line, runs the command, says what went wrong, and gives the exit code.
pub fn run() -> ExitCode {
    // Windows shells leave wildcards to the program.
    let cli = match Cli::try_parse_from(engine::Engine::by_name(wild::args_os())) {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    progress::stop_on_ctrl_c();
    let result = match cli.command {
        Command::Convert(command) => command.run(),
        Command::Annotate(command) => command.run(),
        Command::Info(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Show(command) => command.run(),
        Command::Find(command) => command.run(),
        Command::Filter(command) => command.run(),
        Command::Stats(command) => command.run(),
        Command::Dedupe(command) => command.run(),
        Command::Merge(command) => command.run(),
        Command::Split(command) => command.run(),
        Command::Analyze(command) => command.run(),
        Command::Solve(command) => command.run(),
        Command::Match(command) => command.run(),
        Command::Book(command) => command.run(),
        Command::Engine(command) => command.run(),
        Command::Position(command) => command.run(),
        Command::Openings(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Formats(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    };
    exit::code(result)
}

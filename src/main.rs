//! `kifu`: opening books and game records of gomoku, renju and xiangqi.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}

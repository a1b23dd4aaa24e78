//! `kifu`: opening books and game records of gomoku, renju and xiangqi.

mod cli;

use std::process::ExitCode;
use std::thread;

/// A search goes down more than a hundred plies, and on Windows the first thread has a stack of one megabyte.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    let main = thread::Builder::new().stack_size(STACK).spawn(cli::run);
    // A panic has told of itself; 101 is the code of a program that ends by one.
    main.map_or_else(|_| cli::run(), |main| main.join().unwrap_or(ExitCode::from(101)))
}

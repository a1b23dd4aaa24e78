//! Writes libraries to measure with.
//!
//! `cargo run --release --example make-library -- 1000000 big.lib` writes one,
//! `… -- 20000 folder 600` a folder of 600.

#[path = "../benches/generator.rs"]
mod generator;

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (nodes, path, files) = match &arguments[..] {
        [nodes, path] => (nodes.parse()?, Path::new(path), None),
        [nodes, path, files] => (nodes.parse()?, Path::new(path), Some(files.parse::<usize>()?)),
        _ => return Err("say how many nodes, where to write them, and for a folder how many files".into()),
    };
    let Some(files) = files else { return Ok(fs::write(path, generator::library(nodes))?) };
    fs::create_dir_all(path)?;
    for file in 0..files {
        fs::write(path.join(format!("{file:04}.lib")), generator::library(nodes + file))?;
    }
    Ok(())
}

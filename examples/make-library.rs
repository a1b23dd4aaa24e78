//! Writes a library to measure with: `cargo run --release --example make-library -- 1000000 big.lib`.

#[path = "../benches/generator.rs"]
mod generator;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(nodes), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("say how many nodes, and where to write them".into());
    };
    std::fs::write(path, generator::library(nodes.parse()?))?;
    Ok(())
}

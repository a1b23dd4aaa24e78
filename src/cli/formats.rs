use super::Exit;
use super::terminal::JSON;
use ::formats::FORMATS;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::io::Write;

/// List the formats that can be read and written
#[derive(Args)]
pub struct Formats {
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

impl Formats {
    /// Prints the table.
    pub fn run(self) -> Result<Exit> {
        let mut out = anstream::stdout().lock();
        if !self.json {
            writeln!(out, "{:<12}{:<14}{:<9}what it is", "name", "extensions", "records")?;
        }
        for format in FORMATS {
            let many = if format.many { "many" } else { "one" };
            if self.json {
                let row = json!({
                    "kifu": JSON, "name": format.name, "extensions": format.extensions, "many": format.many,
                    "title": format.title, "read": true, "write": true,
                });
                writeln!(out, "{row}")?;
            } else {
                let extensions: Vec<String> = format.extensions.iter().map(|e| format!(".{e}")).collect();
                writeln!(out, "{:<12}{:<14}{:<9}{}", format.name, extensions.join(" "), many, format.title)?;
            }
        }
        Ok(Exit::Done)
    }
}

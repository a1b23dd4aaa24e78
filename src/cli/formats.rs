use super::Exit;
use super::kind::Kind;
use super::terminal::JSON;
use ::formats::{ENTRY_FORMATS, FORMATS};
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
            writeln!(out, "{:<18}{:<14}{:<11}what it is", "name", "extensions", "holds")?;
        }
        let records = FORMATS.iter().map(Kind::Records);
        let positions = ENTRY_FORMATS.iter().map(Kind::Positions);
        for kind in records.chain([Kind::Book]).chain(positions) {
            let (holds, many) = match kind {
                Kind::Records(format) if format.many => ("records", true),
                Kind::Records(_) => ("a record", false),
                Kind::Book | Kind::Positions(_) => ("positions", true),
            };
            if self.json {
                let row = json!({
                    "kifu": JSON, "name": kind.name(), "extensions": kind.extensions(), "many": many,
                    "holds": if holds == "positions" { holds } else { "records" },
                    "title": kind.title(), "read": true, "write": kind.is_written(),
                });
                writeln!(out, "{row}")?;
            } else {
                let extensions: Vec<String> = kind.extensions().iter().map(|e| format!(".{e}")).collect();
                let only = if kind.is_written() { "" } else { " (only read)" };
                writeln!(out, "{:<18}{:<14}{holds:<11}{}{only}", kind.name(), extensions.join(" "), kind.title())?;
            }
        }
        Ok(Exit::Done)
    }
}

use super::Exit;
use super::files::Found;
use super::gathering::OutputArgs;
use super::input::name;
use super::readers::{Heard, InputArgs, Numbered};
use super::terminal::{complain, count, thousands};
use ::formats::{Loss, Losses};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use record::{Dispute, Merger, Misfit, Record};
use std::path::Path;

/// Join games and libraries into one tree
#[derive(Args)]
#[command(
    after_help = "Nodes of the same moves become one. What is written at them is all kept, texts that are equal once. What their heads
disagree on is told: of players, dates and results nothing is kept then, of other tags what came first.

Of one file alone nothing is joined, unless --symmetry joins its mirrored lines: a file merged with itself is the same.

Examples:
  kifu merge mine.lib yours.lib -o ours.lib
  kifu merge games.sgf -t agi-record | less
  kifu merge -r libraries --symmetry -o all.lib"
)]
pub struct Merge {
    #[command(flatten)]
    input: InputArgs,
    /// Join turned and mirrored lines, too; what is written on points turns with them
    #[arg(long)]
    symmetry: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl Merge {
    /// Writes the tree.
    pub fn run(self) -> Result<Exit> {
        if self.output.is_folder() {
            bail!(
                "{}: all goes into one tree: name a file",
                name(self.output.output.as_deref().unwrap_or(Path::new("-")))
            );
        }
        let files = self.input.files(None)?;
        let mut merger = Merger::new(self.symmetry);
        let mut clashes = Losses::default();
        let (mut records, mut nodes, mut misfits) = (0, 0, 0);
        let look =
            |(): &mut (), _: &Found, Numbered { record, number, .. }: Numbered, found: &mut Vec<(u64, Record)>| {
                found.push((number, record));
                Ok(())
            };
        let exit = self.output.gather(|out| {
            let (tally, mut exit) = self.input.each(
                &files,
                || (),
                look,
                |file, heard| {
                    let Heard::Found(found) = heard else { return Ok(()) };
                    for (number, record) in found {
                        clashes.next_record();
                        match merger.add(&record, &mut |what, node| clashes.node(what, &record, node)) {
                            Ok(()) => {
                                records += 1;
                                nodes += record.tree.len() as u64 - 1;
                            }
                            Err(misfit) => {
                                misfits += 1;
                                complain(&format!(
                                    "{}: game {number} is left out: {}",
                                    name(&file.path),
                                    sentence(misfit)
                                ));
                            }
                        }
                    }
                    Ok(())
                },
            )?;
            tally.tell(&files);
            let joined = merger.nodes() as u64;
            if let Some((record, disputes)) = merger.finish().map_err(|full| anyhow!("{full}"))? {
                disputes.iter().for_each(tell);
                out.take(Path::new("the merged tree"), &record)?;
            }
            if misfits > 0 {
                exit = exit.max(Exit::Failed);
            }
            let (nodes, records) = (count(nodes, "node"), count(records, "record"));
            complain(&format!("{records} of {nodes} are a tree of {}", thousands(joined)));
            Ok(exit)
        })?;
        for Loss { what, count, first, .. } in clashes.list() {
            let one = if *count > 1 { "first " } else { "" };
            complain(&format!("{what}: {} ({one}{first})", thousands(*count)));
        }
        Ok(exit)
    }
}

fn sentence(misfit: Misfit) -> String {
    match misfit {
        Misfit::Game(game) => format!("it is a game of {game}, and the first was not"),
        Misfit::Size(size) => format!("its board is {size}, and that of the first is not"),
        Misfit::SetUp => "other stones stand there before the first move, or another side begins".into(),
        Misfit::Full => "the tree would be too large".into(),
    }
}

/// Says what heads disagree on.
fn tell(dispute: &Dispute) {
    let Dispute { name, kept, other, records } = dispute;
    let disagree = if *records == 1 { "disagrees" } else { "disagree" };
    let records = count(*records, "record");
    let kept = match kept {
        Some(kept) => format!("`{kept}` is kept"),
        None => "none is kept".into(),
    };
    complain(&format!("{name}: {records} {disagree} with what came before (as `{other}`), and {kept}"));
}

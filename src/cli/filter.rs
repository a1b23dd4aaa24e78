use super::Exit;
use super::conditions::FilterArgs;
use super::convert::Convert;
use super::gathering::OutputArgs;
use super::readers::{Heard, InputArgs, Numbered};
use super::terminal::{complain, count, thousands};
use anyhow::Result;
use clap::Args;
use record::Record;
use std::sync::atomic::{AtomicU64, Ordering};

/// Keep the records that meet all conditions
#[derive(Args)]
#[command(
    after_help = "All that is kept goes into one file, in the order of the inputs. Where OUT is a folder, which may be in one that is
read, what is kept of each file goes into a file of its own; -t names its format.

Exit codes: 0 some are kept, 1 none is, 2 a file could not be read.

Examples:
  kifu filter games.sgf --player Nakamura --side black --result 1-0 -o wins.sgf
  kifu filter -r collection --opening D4 --opening I1 --since 2015 -o recent.sgf
  kifu filter -r collection --length 20.. --position h8i9j10k11 -t agi-record -o found/"
)]
pub struct Filter {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Filter {
    /// Writes what is kept.
    pub fn run(self) -> Result<Exit> {
        if self.output.is_folder() {
            return Convert::into_folder(self.input, self.filter, self.output).run();
        }
        let filter = self.filter.filter(self.input.coords, self.input.read.size)?;
        let files = self.input.files(None)?;
        let left_out = AtomicU64::new(0);
        let look = |(): &mut (), _: &_, Numbered { record, rule, .. }: Numbered, kept: &mut Vec<Record>| {
            match filter.lacks(&record, rule, record.head.result) {
                None => kept.push(record),
                Some(_) => {
                    left_out.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        self.output.gather(|out| {
            let (tally, exit) = self.input.each(
                &files,
                || (),
                look,
                |file, heard| match heard {
                    Heard::Found(records) => records.iter().try_for_each(|record| out.take(&file.path, record)),
                    Heard::End => Ok(()),
                },
            )?;
            let left_out = left_out.load(Ordering::Relaxed);
            if left_out > 0 {
                let kept = count(out.records, "record");
                complain(&format!("{kept} meet the conditions, {} left out", thousands(left_out)));
            }
            tally.tell(&files);
            Ok(exit)
        })
    }
}

//! `kifu match`: games between two engines of the user, and what they say about which is stronger.

mod openings;
mod options;
mod records;
mod report;
mod sheet;
mod table;

use super::Exit;
use super::book::{blame, tell_losses};
use super::output::{Output, failed, refuse_existing};
use super::progress::PROGRESS;
use super::record_output::record_format;
use super::terminal::{complain, count, harmless};
use ::formats::{Losses, WriteOptions};
use anyhow::{Result, anyhow, bail};
use engine::rival::{CommandLine, Duel, Failure, Gomocup, Sprt, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
pub use options::{Match, pair};
use record::{Full, Record};
use records::Records;
use report::Report;
use sheet::{Played, Sheet};
use std::io::{BufWriter, Write, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;
use table::{Entrant, Table};

/// How often is looked whether the user wants to stop.
const BEAT: Duration = Duration::from_millis(50);

impl Match {
    /// Plays.
    pub fn run(self) -> Result<Exit> {
        let format = match &self.output {
            None => None,
            Some(path) if path.as_os_str() == "-" => {
                bail!("-o: what is told goes to stdout: name a file for the games")
            }
            Some(path) => Some(record_format(path, self.to)?),
        };
        if let Some(path) = &self.output {
            refuse_existing(path, self.force)?;
        }
        let duels = self.duels()?;
        let games = self.games.unwrap_or(2 * duels.len());
        if games > 2 * duels.len() && (0..2).all(|at| self.settings(at).nodes.is_some()) {
            let openings = count(duels.len() as u64, "opening");
            complain(&format!("{games} games of {openings}: engines that always answer alike will repeat themselves"));
        }
        let output = self.output.as_deref().map(|path| Output::create(path, self.force)).transpose()?;
        let halt = AtomicBool::new(false);
        let (entrants, first) = self.entrants(&duels[0], &halt)?;
        let mut sheet = Sheet::new(self.tolerance);
        let next = AtomicUsize::new(0);
        let stopped = thread::scope(|scope| -> Result<bool> {
            let (sender, results) = channel();
            let mut waiting = Some(first);
            for _ in 0..self.threads.min(games) {
                let table = Table::new(&entrants, waiting.take(), &halt);
                let (next, duels, sender) = (&next, &duels, sender.clone());
                scope.spawn(move || play(table, next, games, duels, &sender));
            }
            drop(sender);
            let bar = self.bar(games);
            let result = self.follow(&results, &entrants, &duels, &mut sheet, &bar, &halt);
            halt.store(true, Ordering::Relaxed);
            bar.finish_and_clear();
            result
        })?;
        let report = Report { options: &self, entrants: &entrants, sheet: &sheet };
        let mut out = stdout().lock();
        if self.json {
            writeln!(out, "{}", report.json())?;
        } else {
            write!(out, "{}", harmless(&report.text()))?;
        }
        out.flush()?;
        drop(out);
        if let (Some(output), Some(format), Some(path)) = (output, format, self.output.as_deref()) {
            self.write(output, format, path, &Records { sheet: &sheet, entrants: &entrants, duels: &duels })?;
        }
        Ok(match self.sprt().and_then(|test| test.verdict(&sheet.pairs)) {
            _ if stopped => Exit::Stopped,
            Some(Verdict::NotBetter) => Exit::No,
            _ => Exit::Done,
        })
    }

    /// The engines as they say who they are, running and ready; an error if one is none.
    fn entrants<'s>(&self, duel: &Duel, halt: &'s AtomicBool) -> Result<([Entrant; 2], [Gomocup<'s>; 2])> {
        let lines: [&CommandLine; 2] = [&self.engine1, &self.engine2];
        let mut entrants = Vec::new();
        let mut engines = Vec::new();
        for (at, line) in lines.into_iter().enumerate() {
            let settings = self.settings(at);
            let ready = || -> Result<Gomocup<'s>, Failure> {
                let mut engine = Gomocup::start(line, halt)?;
                engine.new_game(duel.size, &settings)?;
                Ok(engine)
            };
            let engine = ready().map_err(|failure| anyhow!("{line}: {failure}"))?;
            let name = self.name(at).unwrap_or(engine.name()).to_owned();
            entrants.push(Entrant { line: line.clone(), name, clock: self.clock(&settings), settings });
            engines.push(engine);
        }
        let mut entrants: [Entrant; 2] = entrants.try_into().ok().expect("there are two");
        if entrants[0].name == entrants[1].name {
            for (at, entrant) in entrants.iter_mut().enumerate() {
                entrant.name += &format!(" ({})", at + 1);
            }
        }
        Ok((entrants, engines.try_into().ok().expect("there are two")))
    }

    fn bar(&self, games: usize) -> ProgressBar {
        let bar = if self.verbose { ProgressBar::hidden() } else { ProgressBar::new(games as u64) };
        bar.set_style(ProgressStyle::with_template("{bar:20} {pos} of {len}  {msg}").expect("the template is fixed"));
        bar
    }

    /// Enters the games as they end, until the last one, a clear result, or Ctrl-C, which is answered `true`.
    fn follow(
        &self,
        results: &std::sync::mpsc::Receiver<Played>,
        entrants: &[Entrant; 2],
        duels: &[Duel],
        sheet: &mut Sheet,
        bar: &ProgressBar,
        halt: &AtomicBool,
    ) -> Result<bool> {
        loop {
            if PROGRESS.stop.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let played = match results.recv_timeout(BEAT) {
                Ok(played) => played,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            };
            sheet.enter(played);
            while let Some(pair) = sheet.next_pair() {
                for game in pair {
                    if self.verbose {
                        // Where stderr is closed there is nobody to tell.
                        let told = report::game(sheet, game, entrants);
                        let _ = writeln!(anstream::stderr().lock(), "{}", harmless(&told));
                    }
                    if self.json {
                        let opening = &duels[game / 2 % duels.len()].opening;
                        let mut out = stdout().lock();
                        writeln!(out, "{}", report::game_json(self, sheet, game, entrants, opening))?;
                        out.flush()?;
                    }
                }
                bar.set_position(sheet.games() as u64);
                bar.set_message(Report { options: self, entrants, sheet }.short());
                if self.sprt().is_some_and(|test| test.verdict(&sheet.pairs).is_some()) {
                    halt.store(true, Ordering::Relaxed);
                    return Ok(false);
                }
            }
        }
    }

    fn write(
        &self,
        mut output: Output,
        format: &'static ::formats::Format,
        path: &Path,
        records: &Records<'_>,
    ) -> Result<()> {
        let mut losses = Losses::default();
        let mut buffer = BufWriter::new(&mut output);
        let mut writer = format.start(&mut buffer, &WriteOptions::default());
        let mut put = |record: Result<Record, Full>| -> Result<()> {
            let record = record.map_err(|full| anyhow!("{full}"))?;
            writer.record(&record, &mut losses).map_err(|error| blame(path, Some(path), error))
        };
        if format.many {
            (0..records.sheet.games()).try_for_each(|at| put(records.game(at)))?;
        } else {
            put(records.tree())?;
        }
        writer.finish().map_err(|error| blame(path, Some(path), error))?;
        drop(writer);
        buffer.flush().map_err(|error| failed(path, &error))?;
        drop(buffer);
        output.commit()?;
        tell_losses(path, format.name, &losses);
        Ok(())
    }

    /// The test, if one is asked for.
    fn sprt(&self) -> Option<Sprt> {
        let [elo0, elo1] = self.sprt[..] else { return None };
        Some(Sprt { elo0, elo1 })
    }

    /// The games to be played, one an opening.
    fn duels(&self) -> Result<Vec<Duel>> {
        if let Some(test) = self.sprt()
            && !(test.elo0 < test.elo1 && test.elo0.abs() <= 1000.0 && test.elo1.abs() <= 1000.0)
        {
            bail!("--sprt: the second number has to be above the first, and both within 1000");
        }
        if self.games.is_some_and(|games| games == 0 || games % 2 == 1) {
            bail!("--games: each opening is played twice with colours swapped: name an even number");
        }
        if self.threads == 0 {
            bail!("--threads: at least one game has to be played at a time");
        }
        let openings = openings::read(self.openings.as_deref(), self.size)?;
        let mut duels = Vec::with_capacity(openings.len());
        for (line, opening) in openings {
            if self.draw_after.is_some_and(|most| most <= opening.len()) {
                let stones = count(opening.len() as u64, "stone");
                bail!("--draw-after: the opening of line {line} has {stones} already");
            }
            let duel =
                Duel { rule: self.rule, three: self.three, size: self.size, opening, draw_after: self.draw_after };
            if let Some(flaw) = duel.flaw() {
                let source = self.openings.as_deref().map_or("the built-in openings".into(), super::input::name);
                bail!("{source}: line {line}: this opening cannot be played: {flaw}");
            }
            duels.push(duel);
        }
        Ok(duels)
    }
}

/// Plays games until there are no more, or the match is over.
fn play(mut table: Table<'_>, next: &AtomicUsize, games: usize, duels: &[Duel], results: &Sender<Played>) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= games {
            break;
        }
        let Some(game) = table.play(&duels[at / 2 % duels.len()], at % 2 == 1) else { return };
        if results.send(Played { at, game }).is_err() {
            return;
        }
    }
    table.leave();
}

use super::afford::afford;
use super::book::{memory, open_shared};
use super::duration::duration;
use super::r#match::pair;
use super::progress::PROGRESS;
use super::terminal::complain;
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use engine::rival::{self, CommandLine, Dialect, Manner};
use games::Game;
use record::{Abilities, Evaluate, Failure};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Memory of each search where nothing is said: of ours, and what engines of others are told.
const OURS: usize = 16 << 20;
const THEIRS: usize = 350 << 20;

/// Who evaluates positions.
#[derive(Args)]
pub struct Evaluator {
    /// Command line of an engine of yours, in quotes [default: our own engine]
    #[arg(long, value_name = "COMMAND")]
    engine: Option<CommandLine>,
    /// Protocol that the --engine speaks
    #[arg(long, default_value = "gomocup", requires = "engine")]
    protocol: Protocol,
    /// Take values, moves and what is left from this book instead of an engine
    #[arg(long, value_name = "BOOK", conflicts_with_all = ["engine", "memory"])]
    from_book: Option<PathBuf>,
    /// Memory of each search, such as 64M [default: 16M; 350M is what an --engine of gomoku is told]
    #[arg(long, value_parser = memory, value_name = "BYTES")]
    memory: Option<usize>,
    /// How long an --engine may be silent beyond its time, or at all where no time is said
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1m", requires = "engine")]
    patience: Duration,
    /// How often an --engine that fails is asked
    #[arg(long, value_name = "N", default_value_t = 3, requires = "engine",
        value_parser = clap::value_parser!(u32).range(1..=100))]
    tries: u32,
    /// INFO to send to an --engine that speaks the protocol of Gomocup, such as hash_size=65536, or an option of one
    /// that speaks UCI or UCCI, such as EvalFile=pikafish.nnue
    #[arg(long, value_parser = pair, value_name = "KEY=VALUE", requires = "engine")]
    info: Vec<(String, String)>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Protocol {
    /// The Amoyman Gobang Interface
    Agi,
    /// That of Gomocup and Piskvork, with the commands of Yixin
    Gomocup,
    /// The Universal Chess Interface, of engines that play xiangqi
    Uci,
    /// The Universal Chinese Chess Interface
    Ucci,
}

impl Evaluator {
    /// An error where it does not play the game, which says what does.
    pub fn fit(&self, game: Game) -> Result<(), String> {
        let plays = match (&self.from_book, &self.engine, self.protocol) {
            (Some(_), ..) => return Ok(()),
            (None, Some(_), protocol) if protocol.is_xiangqi() => Game::Xiangqi,
            _ => Game::Gomoku,
        };
        match (game, plays) {
            (Game::Xiangqi, Game::Gomoku) => Err(
                "this is xiangqi, and the engine plays gomoku: name one with --engine and --protocol uci or ucci, or a book with --from-book"
                    .into(),
            ),
            (Game::Gomoku, Game::Xiangqi) => {
                Err("this is gomoku, and engines that speak UCI or UCCI are asked about xiangqi".into())
            }
            _ => Ok(()),
        }
    }

    /// So many that work side by side; says beforehand what they cannot do.
    pub fn crew(&self, workers: usize) -> Result<Vec<Box<dyn Evaluate + Send>>> {
        if let Some(path) = &self.from_book {
            let book = Arc::new(open_shared(path)?);
            return Ok((0..workers).map(|_| boxed(::book::Evaluator::new(book.clone()))).collect());
        }
        let Some(line) = &self.engine else {
            let memory = self.memory.unwrap_or(OURS);
            afford(memory, workers)?;
            return Ok((0..workers).map(|_| boxed(engine::Evaluator::new(memory))).collect());
        };
        let manner = Manner {
            line: line.clone(),
            memory: self.memory.unwrap_or(if self.protocol.is_xiangqi() { OURS } else { THEIRS }) as u64,
            patience: self.patience,
            tries: self.tries,
            more: self.info.clone(),
        };
        let unstarted = |failure: Failure| match failure {
            Failure::Stopped => anyhow!("stopped before anything was evaluated"),
            failure => anyhow!("--engine: {line}: {failure}"),
        };
        match self.protocol {
            Protocol::Gomocup => {
                let first = rival::Evaluator::start(manner, &PROGRESS.stop).map_err(unstarted)?;
                tell(&first);
                if !first.is_detailed() {
                    complain(&format!(
                        "{} may know no limits of nodes or depth: where no time is said it has a second for each position",
                        first.source()
                    ));
                }
                Ok(side_by_side(first, rival::Evaluator::twin, workers))
            }
            Protocol::Uci | Protocol::Ucci => {
                let dialect = if self.protocol == Protocol::Uci { Dialect::Uci } else { Dialect::Ucci };
                let first = rival::UciEvaluator::start(manner, dialect, &PROGRESS.stop).map_err(unstarted)?;
                tell(&first);
                Ok(side_by_side(first, rival::UciEvaluator::twin, workers))
            }
            Protocol::Agi => {
                if !self.info.is_empty() || self.memory.is_some() {
                    bail!(
                        "AGI has no words for --info and --memory: engines that speak it are told by their own options"
                    );
                }
                let first = rival::AgiEvaluator::start(manner, &PROGRESS.stop).map_err(unstarted)?;
                tell(&first);
                complain(&format!(
                    "{} cannot be told a number of nodes: where neither time nor depth is said it has a second for each position",
                    first.source()
                ));
                Ok(side_by_side(first, rival::AgiEvaluator::twin, workers))
            }
        }
    }
}

impl Protocol {
    const fn is_xiangqi(self) -> bool {
        matches!(self, Protocol::Uci | Protocol::Ucci)
    }
}

/// An evaluator and its twins.
fn side_by_side<E: Evaluate + Send + 'static>(
    first: E,
    twin: impl Fn(&E) -> E,
    workers: usize,
) -> Vec<Box<dyn Evaluate + Send>> {
    let others: Vec<_> = (1..workers).map(|_| boxed(twin(&first))).collect();
    [boxed(first)].into_iter().chain(others).collect()
}

fn boxed(evaluator: impl Evaluate + Send + 'static) -> Box<dyn Evaluate + Send> {
    Box::new(evaluator)
}

/// Says what an engine of others cannot do.
fn tell(engine: &impl Evaluate) {
    let name = engine.source();
    let Abilities { values, lines, except } = engine.abilities();
    if !values {
        complain(&format!("{name} names moves but no values: they are stored as suggestions"));
    }
    match (except, lines) {
        (true, _) => {}
        (false, true) => complain(&format!("{name} cannot leave out the moves that are known: it tells more instead")),
        (false, false) => complain(&format!(
            "{name} cannot leave out the moves that are known: where it prefers one of them, nothing is learned"
        )),
    }
}

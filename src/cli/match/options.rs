use crate::cli::book::memory;
use crate::cli::duration::duration;
use crate::cli::kind::Kind;
use clap::Args;
use engine::rival::{Clock, CommandLine, Settings};
use games::gomoku::Three;
use games::{Rule, Size};
use std::path::PathBuf;
use std::time::Duration;

/// Play two engines against each other, and say which is stronger
#[derive(Args)]
#[command(
    after_help = "An engine is a command line in quotes: a program that speaks the protocol of Gomocup (Piskvork), and its
arguments. It runs in its own folder. Each opening is played twice, with colours swapped.

An engine that crashes, gives no move in time, or plays what is not allowed has lost that game, and the match goes on.

The exit code is 0, and 1 if --sprt found that the first engine is not better.

Examples:
  kifu match --rule freestyle ./pbrain-new ./pbrain-old --turn 500 -j 2
  kifu match --rule renju './new --threads 1' ./old --nodes 10000 --sprt 0 20 --games 2000
  kifu match --rule standard new.exe old.exe --turn 1000 --turn2 2000 --openings openings.txt -o games.sgf"
)]
pub struct Match {
    /// Command line of the first engine
    #[arg(value_name = "ENGINE1")]
    pub engine1: CommandLine,
    /// Command line of the second engine
    #[arg(value_name = "ENGINE2")]
    pub engine2: CommandLine,
    /// Rule: freestyle, standard, renju or caro
    #[arg(long)]
    pub rule: Rule,
    /// Size of the board, 15 or 15x12
    #[arg(long, default_value = "15", value_name = "N")]
    pub size: Size,
    /// What a three is, for renju: rif or strict
    #[arg(long, default_value = "rif", value_name = "READING")]
    pub three: Three,
    /// File of openings, one a line: offsets from the centre (0,0, 1,1, 2,-1) or moves (h8i9) [default: built in]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Games to play, an even number; openings are taken in turn [default: two for each opening]
    #[arg(long, value_name = "N")]
    pub games: Option<usize>,
    /// Milliseconds for a move [default: 1000; 60000 with --nodes, as a limit to hanging]
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub turn: Option<u64>,
    /// The same for the first engine alone
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub turn1: Option<u64>,
    /// The same for the second engine alone
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub turn2: Option<u64>,
    /// Milliseconds for all moves of a game
    #[arg(long = "match", value_name = "MS", value_parser = milliseconds)]
    pub total: Option<u64>,
    /// Nodes for a move, for engines that know INFO max_node
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    pub nodes: Option<u64>,
    /// The same for the first engine alone
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    pub nodes1: Option<u64>,
    /// The same for the second engine alone
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    pub nodes2: Option<u64>,
    /// Memory that engines are told they may take, such as 256M
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "350M")]
    pub memory: usize,
    /// INFO to send to both engines, such as thread_num=1
    #[arg(long, value_parser = pair, value_name = "KEY=VALUE")]
    pub info: Vec<(String, String)>,
    /// INFO to send to the first engine
    #[arg(long, value_parser = pair, value_name = "KEY=VALUE")]
    pub info1: Vec<(String, String)>,
    /// INFO to send to the second engine
    #[arg(long, value_parser = pair, value_name = "KEY=VALUE")]
    pub info2: Vec<(String, String)>,
    /// Name of the first engine [default: what it says]
    #[arg(long, value_name = "NAME")]
    pub name1: Option<String>,
    /// Name of the second engine [default: what it says]
    #[arg(long, value_name = "NAME")]
    pub name2: Option<String>,
    /// Send the whole board for each move, for engines that are bad at TURN
    #[arg(long)]
    pub whole_board: bool,
    /// Games to play at a time
    #[arg(short = 'j', long, value_name = "N", default_value = "1")]
    pub threads: usize,
    /// Call a game of so many plies drawn
    #[arg(long, value_name = "PLIES")]
    pub draw_after: Option<usize>,
    /// Milliseconds over the limit that are not told
    #[arg(long, value_name = "MS", value_parser = milliseconds, default_value = "50")]
    pub tolerance: u64,
    /// Milliseconds over the limit after which the game is lost and the engine ended
    #[arg(long, value_name = "MS", value_parser = milliseconds, default_value = "3000")]
    pub forfeit: u64,
    /// End the match as soon as it is clear that the first engine is better by ELO1 and not by ELO0, or the reverse
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    pub sprt: Vec<f64>,
    /// Say how each game ended, on stderr
    #[arg(short, long)]
    pub verbose: bool,
    /// Print a JSON object a game, and one for the match
    #[arg(long)]
    pub json: bool,
    /// File to write the games to, as records
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Format of the games [default: told by the extension of -o]
    #[arg(short, long, value_parser = Kind::parse, value_name = "FORMAT", requires = "output")]
    pub to: Option<Kind>,
    /// Replace a file that exists
    #[arg(long)]
    pub force: bool,
}

/// Where engines are limited by nodes, time only keeps them from hanging.
const HANGS: u64 = 60_000;
const TURN: u64 = 1_000;

/// A year.
const LONGEST: u64 = 365 * 24 * 3_600_000;

impl Match {
    /// What an engine is told; the first is 0.
    pub fn settings(&self, at: usize) -> Settings {
        let (turn, nodes, info) = match at {
            0 => (self.turn1, self.nodes1, &self.info1),
            _ => (self.turn2, self.nodes2, &self.info2),
        };
        let nodes = nodes.or(self.nodes);
        let usual = match (nodes, self.total) {
            (Some(_), _) => HANGS,
            (None, Some(total)) => total,
            (None, None) => TURN,
        };
        let turn = turn.or(self.turn).unwrap_or(usual);
        let mut settings = Settings::new(self.rule);
        settings.turn = Duration::from_millis(turn);
        settings.total = self.total.map(Duration::from_millis);
        settings.memory = self.memory as u64;
        settings.nodes = nodes;
        settings.more = [&self.info[..], info].concat();
        settings.whole_board = self.whole_board;
        settings
    }

    /// The time of an engine with these settings.
    pub fn clock(&self, settings: &Settings) -> Clock {
        Clock { turn: settings.turn, total: settings.total, patience: Duration::from_millis(self.forfeit) }
    }

    /// The name that the user gave an engine.
    pub fn name(&self, at: usize) -> Option<&str> {
        if at == 0 { self.name1.as_deref() } else { self.name2.as_deref() }
    }
}

/// `500`, which are milliseconds, or a time with its unit.
fn milliseconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number <= LONGEST => Ok(number),
        Ok(_) => Err(format!("`{text}` milliseconds are more than a year")),
        Err(_) => duration(text).map(|time| time.as_millis() as u64),
    }
}

/// `key=value`, of one line.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not KEY=VALUE"))?;
    if key.is_empty() || key.contains(char::is_whitespace) || value.contains(char::is_control) {
        return Err(format!("`{text}` cannot be sent: the key is a word and the value a line"));
    }
    Ok((key.into(), value.into()))
}

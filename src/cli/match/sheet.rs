use engine::rival::{Ending, Failure, Game, Misplay, Pairs, Wanted};
use games::Side;
use std::collections::BTreeMap;
use std::time::Duration;

/// A game that has ended: the number of the game, from 0, and what was played.
pub struct Played {
    pub at: usize,
    pub game: Game,
}

/// The games of a match, two an opening, in their order.
///
/// Games that end before those in front of them wait: so the same games count wherever a match ends, however many are
/// played at a time.
pub struct Sheet {
    counted: Vec<Game>,
    waiting: BTreeMap<usize, Game>,
    tolerance: Duration,
    /// From the view of the first engine.
    pub pairs: Pairs,
    /// Won, drawn and lost by the first engine, as Black and as White.
    pub results: [[u64; 3]; 2],
    /// What is to be said of each engine.
    pub accounts: [Account; 2],
}

/// What an engine did in all its games.
#[derive(Default)]
pub struct Account {
    /// How many moves it made.
    pub moves: u64,
    /// The time for all of them.
    pub time: Duration,
    /// For the longest.
    pub longest: Duration,
    /// Moves that took longer than was tolerated.
    pub late: u64,
    /// By how much the worst of them.
    pub latest: Duration,
    /// The games that it lost without being beaten.
    pub faults: BTreeMap<Fault, (u64, usize, String)>,
}

/// How a game is lost without being beaten; for each, how many, the first one and its reason are counted.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    Time,
    Crash,
    Start,
    Illegal,
    Forbidden,
}

impl Fault {
    /// The fault of a failure.
    pub fn of(failure: &Failure) -> Fault {
        match failure {
            Failure::Silent { wanted: Wanted::Move, .. } | Failure::Stopped => Fault::Time,
            Failure::Gone { .. } => Fault::Crash,
            Failure::Unstarted(_) | Failure::Refused(_) | Failure::Unoffered(_) | Failure::Silent { .. } => {
                Fault::Start
            }
            Failure::Misplay(Misplay::Forbidden(..)) => Fault::Forbidden,
            Failure::Misplay(_) => Fault::Illegal,
        }
    }

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Time => "time",
            Fault::Crash => "crash",
            Fault::Start => "start",
            Fault::Illegal => "illegal",
            Fault::Forbidden => "forbidden",
        }
    }

    /// In a sentence: `lost 2 games …`.
    pub const fn phrase(self) -> &'static str {
        match self {
            Fault::Time => "without a move in time",
            Fault::Crash => "by ending itself",
            Fault::Start => "without starting",
            Fault::Illegal => "by a move that is none",
            Fault::Forbidden => "by a forbidden move",
        }
    }
}

impl Sheet {
    pub fn new(tolerance: u64) -> Sheet {
        Sheet {
            counted: Vec::new(),
            waiting: BTreeMap::new(),
            tolerance: Duration::from_millis(tolerance),
            pairs: Pairs::default(),
            results: [[0; 3]; 2],
            accounts: [Account::default(), Account::default()],
        }
    }

    /// How many games count.
    pub fn games(&self) -> usize {
        self.counted.len()
    }

    /// A game that counts.
    pub fn game(&self, at: usize) -> &Game {
        &self.counted[at]
    }

    /// The side of an engine in a game.
    pub fn side(at: usize, engine: usize) -> Side {
        if at % 2 == engine { Side::First } else { Side::Second }
    }

    /// The engine that has a side in a game.
    pub fn engine(at: usize, side: Side) -> usize {
        usize::from(Sheet::side(at, 0) != side)
    }

    /// What the first engine got in a game, in half points.
    pub fn half_points(&self, at: usize) -> usize {
        match self.counted[at].ending.winner() {
            None => 1,
            Some(side) if Sheet::engine(at, side) == 0 => 2,
            Some(_) => 0,
        }
    }

    /// Takes a game that has ended.
    pub fn enter(&mut self, played: Played) {
        self.waiting.insert(played.at, played.game);
    }

    /// Counts the two games of the next opening if both have ended, and gives their numbers.
    pub fn next_pair(&mut self) -> Option<[usize; 2]> {
        let at = self.counted.len();
        if !self.waiting.contains_key(&at) || !self.waiting.contains_key(&(at + 1)) {
            return None;
        }
        let mut half_points = 0;
        for at in [at, at + 1] {
            let game = self.waiting.remove(&at)?;
            self.account(at, &game);
            self.counted.push(game);
            let got = self.half_points(at);
            half_points += got;
            self.results[Sheet::side(at, 0) as usize][2 - got] += 1;
        }
        self.pairs.add(half_points);
        Some([at, at + 1])
    }

    fn account(&mut self, at: usize, game: &Game) {
        for ply in &game.plies {
            let account = &mut self.accounts[Sheet::engine(at, ply.side)];
            account.moves += 1;
            account.time += ply.time;
            account.longest = account.longest.max(ply.time);
            if ply.over > self.tolerance {
                account.late += 1;
                account.latest = account.latest.max(ply.over);
            }
        }
        if let Ending::Failed(side, failure) = &game.ending {
            let account = &mut self.accounts[Sheet::engine(at, *side)];
            let fault = account.faults.entry(Fault::of(failure)).or_insert_with(|| (0, at, failure.to_string()));
            fault.0 += 1;
        }
    }
}

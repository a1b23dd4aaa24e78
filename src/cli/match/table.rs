use engine::rival::{Clock, CommandLine, Duel, Ending, Failure, Game, Gomocup, Settings};
use games::Side;
use std::sync::atomic::AtomicBool;

/// An engine of the match.
pub struct Entrant {
    /// How it is started.
    pub line: CommandLine,
    /// How it is called.
    pub name: String,
    /// What it is told.
    pub settings: Settings,
    /// Its time.
    pub clock: Clock,
}

/// Where games are played one after another, by a process of each engine.
pub struct Table<'s> {
    entrants: &'s [Entrant; 2],
    engines: [Option<Gomocup<'s>>; 2],
    halt: &'s AtomicBool,
}

impl<'s> Table<'s> {
    /// A table, with engines that run already if there are any.
    pub fn new(entrants: &'s [Entrant; 2], engines: Option<[Gomocup<'s>; 2]>, halt: &'s AtomicBool) -> Table<'s> {
        Table { entrants, engines: engines.map_or([None, None], |engines| engines.map(Some)), halt }
    }

    /// Plays a game, in which the second engine is Black if they are `swapped`; `None` if the match is over.
    ///
    /// An engine that fails is ended, and started again for the next game.
    pub fn play(&mut self, duel: &Duel, swapped: bool) -> Option<Game> {
        let side = |at: usize| if (at == 0) == swapped { Side::Second } else { Side::First };
        for at in 0..2 {
            match self.begin(at, duel) {
                Ok(()) => {}
                Err(Failure::Stopped) => return None,
                Err(failure) => {
                    self.engines[at] = None;
                    return Some(Game { plies: Vec::new(), ending: Ending::Failed(side(at), failure) });
                }
            }
        }
        let [first, second] = &mut self.engines;
        let (first, second) = first.as_mut().zip(second.as_mut()).expect("both have begun a game");
        let clock = |at: usize| self.entrants[at].clock;
        let game = match swapped {
            false => duel.play([first, second], [clock(0), clock(1)]),
            true => duel.play([second, first], [clock(1), clock(0)]),
        };
        // The only failure that is not an ending is that the match is over.
        let game = game.ok()?;
        if let Ending::Failed(failed, _) = game.ending {
            let at = usize::from(side(0) != failed);
            self.engines[at] = None;
        }
        Some(game)
    }

    fn begin(&mut self, at: usize, duel: &Duel) -> Result<(), Failure> {
        let Entrant { line, settings, .. } = &self.entrants[at];
        let engine = match &mut self.engines[at] {
            Some(engine) => engine,
            none => none.insert(Gomocup::start(line, self.halt)?),
        };
        engine.new_game(duel.size, settings)
    }

    /// Lets the engines end.
    pub fn leave(self) {
        self.engines.into_iter().flatten().for_each(Gomocup::quit);
    }
}

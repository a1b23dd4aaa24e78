use super::clock::Clock;
use super::game::Game;
use super::mind::{Mind, Task};
use super::own_book::OwnBook;
use super::voice::Voice;
use super::words::{Words, hex, hex_all};
use super::{Flow, Hearing, Speaker, complain};
use engine::{Limits, Moves, Report, Request, Value, Variation};
use games::gomoku::own_symmetries;
use games::{Move, Point, Rule, Side, Size};
use std::io;
use std::time::Instant;

/// The Amoyman Gobang Interface.
pub struct Agi {
    /// Books of the command line.
    own: Vec<OwnBook>,
    /// The book that the interface has named.
    named: Option<OwnBook>,
    uses_books: bool,
    ponders: bool,
    /// Stones after which colours may be swapped.
    change: Option<usize>,
    /// How many fifth moves are offered, if they are.
    offers: Option<usize>,
    game: Game,
    /// What the search that is under way is for, and the moves to choose from if GO named them.
    wanted: Option<(Wanted, Option<Vec<Point>>)>,
    /// The position that is thought about in the background.
    pondered: Option<Game>,
    /// The moves that were told to win and to lose.
    told: [Vec<Point>; 2],
}

/// What a search is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Wanted {
    /// Nothing but to be ready.
    Ready,
    Move,
    /// A move, or to swap if that is better.
    MoveOrChange,
    /// So many fifth moves.
    Offers(usize),
    /// The fifth move that is worst for Black.
    Choice,
}

/// What GO asks.
#[derive(Default)]
struct Go {
    only: Option<Vec<Point>>,
    is_to_ponder: bool,
    time: Option<TimeOf>,
}

enum TimeOf {
    /// Milliseconds that are left of a game.
    Game(i64),
    Infinite,
}

/// Milliseconds for a move where nobody says any.
const TURN: i64 = 5000;
/// How many fifth moves FIVEMULITY is where nobody says it, and at most.
const OFFERS: i64 = 5;
const MOST_OFFERS: i64 = 12;
/// What is played where nothing can be.
const PASS: &str = "BESTMOVE 00";

impl Agi {
    /// A player with these books.
    pub fn new(books: Vec<OwnBook>) -> Agi {
        Agi {
            own: books,
            named: None,
            uses_books: true,
            ponders: true,
            change: None,
            offers: None,
            game: Game::new(Size::default(), Rule::Renju),
            wanted: None,
            pondered: None,
            told: [Vec::new(), Vec::new()],
        }
    }

    fn greet(&mut self, mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        voice.say(concat!("ID NAME kifu ", env!("CARGO_PKG_VERSION")))?;
        voice.say("ID AUTHOR the authors of kifu")?;
        let has_book = if self.own.is_empty() { "FALSE" } else { "TRUE" };
        voice.say(format!("OPTION OWNBOOK {has_book} PONDER TRUE"))?;
        if mind.owes() {
            return voice.say("AGIOK");
        }
        self.rest(mind);
        self.wanted = Some((Wanted::Ready, None));
        mind.ready();
        Ok(())
    }

    fn set_rule(&mut self, mut words: Words<'_>, mind: &mut Mind) -> Result<(), String> {
        let (mut rule, mut change, mut offers) = (Rule::Renju, None, None);
        let known = ["FORBIDDEN", "UNFORBIDDEN", "FIRSTCHANGE", "THIRDCHANGE", "FIVETWINE", "TIVETWINE", "FIVEMULITY"];
        while let Some(word) = words.keyword(&known) {
            match word {
                "FORBIDDEN" => rule = Rule::Renju,
                "UNFORBIDDEN" => rule = Rule::Freestyle,
                "FIRSTCHANGE" => change = Some(1),
                "THIRDCHANGE" => change = Some(3),
                "FIVEMULITY" => {
                    let number = words.number().unwrap_or(OFFERS);
                    if !(1..=MOST_OFFERS).contains(&number) {
                        return Err(format!("fifth moves are 1 to {MOST_OFFERS}, not {number}"));
                    }
                    offers = Some(number as usize);
                }
                _ => offers = Some(2),
            }
        }
        words.end()?;
        if self.game.rule != rule {
            mind.forget();
        }
        self.game.rule = rule;
        self.change = change;
        self.offers = offers;
        self.moved(mind);
        Ok(())
    }

    fn set_option(&mut self, mut words: Words<'_>, mind: &mut Mind) -> Result<(), String> {
        let (mut uses_books, mut ponders) = (self.uses_books, self.ponders);
        let mut path = None;
        if words.rest().is_empty() {
            return Err("there is no option".into());
        }
        while let Some(option) = words.keyword(&["OWNBOOK", "PONDER", "BOOKFILE"]) {
            if option == "BOOKFILE" {
                // Paths have blanks.
                path = Some(words.rest()).filter(|path| !path.is_empty());
                path.ok_or("BOOKFILE names no file")?;
                words = Words::new("");
                break;
            }
            let value = words.keyword(&["ON", "OFF"]).ok_or_else(|| format!("{option} is ON or OFF"))?;
            *(if option == "PONDER" { &mut ponders } else { &mut uses_books }) = value == "ON";
        }
        words.end()?;
        if let Some(path) = path {
            self.named = Some(OwnBook::open(path.as_ref()).map_err(|error| format!("{error:#}"))?);
        }
        self.uses_books = uses_books;
        self.ponders = ponders;
        if !ponders {
            self.rest(mind);
        }
        Ok(())
    }

    fn position(&mut self, mut words: Words<'_>, mind: &mut Mind) -> Result<(), String> {
        let mut game = Game::new(self.game.size(), self.game.rule);
        let mut played = Vec::new();
        if words.keyword(&["STATU"]).is_some() {
            played.extend(words.moves()?);
        }
        if words.keyword(&["MOVES"]).is_some() {
            played.extend(words.moves()?);
        }
        words.end()?;
        // Stones of a position take turns as moves do.
        played.into_iter().try_for_each(|each| play(&mut game, each))?;
        self.game = game;
        self.moved(mind);
        Ok(())
    }

    fn do_move(&mut self, mut words: Words<'_>, mind: &mut Mind) -> Result<(), String> {
        let moves = words.moves()?;
        words.end()?;
        let [played] = moves[..] else { return Err(format!("a move is asked for, not {}", moves.len())) };
        play(&mut self.game, played)?;
        self.moved(mind);
        Ok(())
    }

    /// Goes on to think in the background only if that is about the position on the board.
    fn moved(&mut self, mind: &mut Mind) {
        if self.pondered.as_ref() != Some(&self.game) {
            self.rest(mind);
        }
    }

    /// Ends what is thought in the background.
    fn rest(&mut self, mind: &mut Mind) {
        mind.relax();
        self.pondered = None;
    }

    fn go(&mut self, mut words: Words<'_>, mind: &mut Mind, voice: &mut Voice) -> io::Result<Result<(), String>> {
        let since = Instant::now();
        let go = match Go::read(&mut words) {
            Ok(go) => go,
            Err(message) => return Ok(Err(message)),
        };
        self.rest(mind);
        let count = self.game.count();
        let is_fifth = self.offers.filter(|_| count == 4 && self.game.to_move == Side::First);
        let wanted = match (is_fifth, &go.only) {
            (Some(_), Some(_)) => Wanted::Choice,
            (Some(offers), None) => Wanted::Offers(offers),
            (None, None) if self.change == Some(count) => Wanted::MoveOrChange,
            _ => Wanted::Move,
        };
        let mut only = go.only;
        if let Some(points) = &mut only {
            points.retain(|point| self.game.is_legal(*point));
        }
        let board = self.game.board();
        if board.is_err() || self.game.any_point().is_none() || only.as_ref().is_some_and(Vec::is_empty) {
            if let Err(over) = board {
                complain(&over.to_string());
            }
            return (if go.is_to_ponder { Ok(()) } else { voice.say(PASS) }).map(Ok);
        }
        let is_endless = matches!(go.time, Some(TimeOf::Infinite)) || go.is_to_ponder;
        if wanted == Wanted::Move && self.uses_books && !is_endless {
            let mut books = self.named.iter_mut().chain(&mut self.own);
            let known = books.find_map(|book| book.choose(&self.game));
            if let Some(point) = known.filter(|point| only.as_ref().is_none_or(|only| only.contains(point))) {
                voice.say(format!("BESTMOVE {}", hex(point)))?;
                self.think_on(Some(point), mind);
                return Ok(Ok(()));
            }
        }
        if let Some(points) = &only {
            voice.say(format!("INFO SEARCH {}", hex_all(points)))?;
        }
        let lines = match wanted {
            Wanted::Ready | Wanted::Move | Wanted::MoveOrChange => 1,
            Wanted::Offers(offers) => offers,
            Wanted::Choice => only.as_ref().map_or(1, Vec::len),
        };
        let time = match go.time {
            _ if is_endless => None,
            Some(TimeOf::Game(left)) => Clock { turn: None, left: Some(left) }.time(self.stones_played()),
            _ => Clock { turn: Some(TURN), left: None }.time(0),
        };
        let request = Request {
            limits: Limits { time, ..Limits::default() },
            lines,
            moves: only.clone().map_or(Moves::All, Moves::Only),
            distinct: matches!(wanted, Wanted::Offers(_)),
            ..Request::default()
        };
        self.told = Default::default();
        let board = board.expect("nobody has won");
        if go.is_to_ponder {
            self.pondered = Some(self.game.clone());
        } else {
            self.wanted = Some((wanted, only));
        }
        mind.search(Task { board, to_move: self.game.to_move, request, since }, !go.is_to_ponder);
        Ok(Ok(()))
    }

    /// How many stones the side to move has.
    fn stones_played(&self) -> usize {
        self.game.stones.count(self.game.to_move)
    }

    /// Thinks in the background about the position after a move of ours; without one, about this position.
    fn think_on(&mut self, played: Option<Point>, mind: &mut Mind) {
        if !self.ponders {
            return;
        }
        let mut game = self.game.clone();
        if let Some(point) = played {
            game.play(point);
        }
        if game.any_point().is_some()
            && let Ok(board) = game.board()
        {
            let task = Task { board, to_move: game.to_move, request: Request::default(), since: Instant::now() };
            self.told = Default::default();
            self.pondered = Some(game);
            mind.search(task, false);
        }
    }

    /// The best points for Black's fifth stone, as many as are offered, none equal to another up to symmetry.
    fn best_offers(&self, number: usize, report: Option<&Report>) -> Vec<Point> {
        let keeps: Vec<_> = own_symmetries(&self.game.stones).collect();
        let size = self.game.size();
        let found = report.into_iter().flat_map(|report| &report.lines).filter_map(|line| line.moves.first().copied());
        let mut offers: Vec<Point> = Vec::new();
        for point in found.chain(self.game.stones.empty_points()).filter(|point| self.game.is_legal(*point)) {
            if offers.len() == number {
                break;
            }
            if keeps.iter().all(|symmetry| !offers.contains(&symmetry.apply(point, size))) {
                offers.push(point);
            }
        }
        offers
    }
}

impl Go {
    fn read(words: &mut Words<'_>) -> Result<Go, String> {
        let mut go = Go::default();
        while let Some(word) = words.keyword(&["SEARCH", "PONDER", "TIME", "INFINITE"]) {
            match word {
                "SEARCH" => {
                    let moves = words.moves()?;
                    if moves.is_empty() {
                        return Err("SEARCH names no moves".into());
                    }
                    let mut only: Vec<Point> = Vec::new();
                    for point in moves.into_iter().filter_map(Move::point) {
                        if !only.contains(&point) {
                            only.push(point);
                        }
                    }
                    go.only = Some(only);
                }
                "PONDER" => go.is_to_ponder = true,
                "TIME" if words.keyword(&["INFINITE"]).is_none() => {
                    let left = words.number().ok_or("TIME is a number of milliseconds or INFINITE")?;
                    go.time = Some(TimeOf::Game(left));
                }
                _ => go.time = Some(TimeOf::Infinite),
            }
        }
        words.end().map(|()| go)
    }
}

/// Plays a move if its point is free.
fn play(game: &mut Game, played: Move) -> Result<(), String> {
    match played {
        Move::Place(point) if game.stones.is_empty(point) => game.play(point),
        Move::Place(point) => return Err(format!("a stone stands on {} already", hex(point))),
        Move::Pass => game.to_move = game.to_move.other(),
        Move::Step(step) => return Err(format!("{step} is no move of this game")),
    }
    Ok(())
}

impl Speaker for Agi {
    fn hear(&self, line: &str) -> Hearing {
        match first_word(line).0.as_str() {
            "QUIT" => Hearing::Leave,
            "ISREADY" => Hearing::AtOnce,
            "POSITION" | "DOMOVE" | "SETRULE" | "GO" => Hearing::Stop,
            _ => Hearing::Now,
        }
    }

    fn obey(&mut self, line: &str, mind: &mut Mind, voice: &mut Voice) -> io::Result<Flow> {
        let (command, rest) = first_word(line);
        let words = Words::new(rest);
        let obeyed = match command.as_str() {
            "AGI" => self.greet(mind, voice).map(Ok),
            "ISREADY" => voice.say("READYOK").map(Ok),
            "SETRULE" => Ok(self.set_rule(words, mind)),
            "SETOPTION" => Ok(self.set_option(words, mind)),
            "POSITION" => Ok(self.position(words, mind)),
            "DOMOVE" => Ok(self.do_move(words, mind)),
            "GO" => self.go(words, mind, voice),
            "STOP" => {
                mind.stop();
                self.pondered = None;
                Ok(Ok(()))
            }
            "QUIT" => {
                voice.say("BYE")?;
                return Ok(Flow::Leave);
            }
            // Later versions of the protocol may know it.
            _ => Ok(Ok(())),
        }?;
        if let Err(message) = obeyed {
            complain(&format!("{command}: {message}"));
        }
        Ok(Flow::GoOn)
    }

    fn refuse_long(&mut self, _: &mut Voice) -> io::Result<()> {
        complain("a line is too long and was passed over");
        Ok(())
    }

    fn found(&mut self, report: &Report, is_owed: bool, voice: &mut Voice) -> io::Result<()> {
        // Of a position that is not on the board nobody wants to hear.
        if !is_owed && self.pondered.as_ref() != Some(&self.game) {
            return Ok(());
        }
        if let Some(Variation { moves, value, depth, .. }) = report.lines.first() {
            voice.say(format!("INFO DEPTH {depth} SCORE {} PV {}", value.get(), hex_all(moves)))?;
        }
        if let Some(speed) = report.speed() {
            voice.say(format!("INFO NPS {speed}"))?;
        }
        for (name, points, told) in [("WIN", &report.wins, 0), ("LOSE", &report.losses, 1)] {
            let told = &mut self.told[told];
            if told != points {
                told.clone_from(points);
                voice.say(format!("INFO {name} {}", hex_all(points)))?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, report: Option<&Report>, mind: &mut Mind, voice: &mut Voice) -> io::Result<()> {
        let Some((wanted, only)) = self.wanted.take() else { return Ok(()) };
        if wanted == Wanted::Ready {
            return voice.say("AGIOK");
        }
        let may_play = |point: &Point| match &only {
            Some(only) => only.contains(point),
            None => self.game.is_legal(*point),
        };
        let lines = report.map_or(&[][..], |report| &report.lines[..]);
        let line = match wanted {
            // Black's values: the least is White's best.
            Wanted::Choice => lines.iter().min_by_key(|line| line.value),
            _ => lines.first(),
        };
        let line = line.filter(|line| line.moves.first().is_some_and(may_play));
        let expected = |at: usize| {
            let reply = line.and_then(|line| line.moves.get(at));
            reply.map_or(String::new(), |point| format!(" PONDER {}", hex(*point)))
        };
        if let Wanted::Offers(number) = wanted {
            let offers = self.best_offers(number, report);
            let Some(first) = offers.first() else { return voice.say(PASS) };
            voice.say(format!("INFO SEARCH {}", hex_all(&offers)))?;
            return voice.say(format!("BESTMOVE {}", hex(*first)));
        }
        if wanted == Wanted::MoveOrChange && line.is_some_and(|line| line.value < Value::DRAW) {
            voice.say(format!("BESTMOVE CHANGE{}", expected(0)))?;
            self.think_on(None, mind);
            return Ok(());
        }
        let found = line.and_then(|line| line.moves.first().copied());
        let any = || only.as_ref().map_or_else(|| self.game.any_point(), |only| only.first().copied());
        let Some(point) = found.or_else(any) else { return voice.say(PASS) };
        voice.say(format!("BESTMOVE {}{}", hex(point), expected(1)))?;
        self.think_on(Some(point), mind);
        Ok(())
    }
}

/// The keyword of a line in capitals, and what follows it.
fn first_word(line: &str) -> (String, &str) {
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (first.to_ascii_uppercase(), rest)
}

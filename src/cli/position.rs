use super::Exit;
use super::lines;
use super::progress::PROGRESS;
use super::question::of_text;
use super::terminal::{JSON, complain, harmless};
use anyhow::{Result, anyhow, bail};
use clap::{ArgAction, Args, ValueEnum};
use games::gomoku::{self, Made, made};
use games::xiangqi::notation::{Style, write};
use games::xiangqi::{
    Board, Checks, Draw, Fen, FenOptions, History, Judgement, Judging, Loss, Remark, Verdict, side_name,
};
use games::{Coords, Game, Position as Stones, Rule, Side, Size, Step};
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::sync::atomic::Ordering;

/// Convert, check, turn and judge positions
#[derive(Args)]
#[command(
    after_help = "A position of xiangqi is a FEN, or a line position [fen FEN|startpos] moves ... of UCCI or UCI; all else is
one of gomoku, as for kifu show. Without another option it is printed in its plain form: the FEN of the last position,
or the stones as board:.

A board that cannot be of a game is refused, with what is wrong and where; --lenient only says it.

Exit codes: 0 done, 1 --check or --json found a fault, 2 something is no position.

Examples:
  kifu position \"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\"
  kifu position --to ucci \"position startpos moves h3e3 h10g8\"
  kifu position --check - < positions.txt
  kifu position --judge \"position fen 9/9/3k5/9/9/9/4R4/3A5/4K4/8r b - - 0 1 moves i0i1 e1e0 i1i0 e0e1\"
  kifu position --mirror --json \"4k4/9/9/9/9/9/9/9/9/R3K4 w\"
  kifu position --perft 4 \"position startpos\"
  kifu position --json --rule renju h8i9j10"
)]
pub struct Position {
    /// Positions; - reads one a line from stdin
    #[arg(required = true, value_name = "POSITION")]
    positions: Vec<String>,
    /// Write as fen, or as a position line of ucci (ranks from 0) or uci (ranks from 1) from the last capture on
    #[arg(short, long, value_enum, conflicts_with_all = ["check", "judge", "json", "perft"])]
    to: Option<To>,
    /// With --to ucci, add a banmoves line of the moves that would lose by repetition
    #[arg(long, requires = "to")]
    banmoves: bool,
    /// Say what is wrong with the text, the counts, the places and the kings
    #[arg(long, conflicts_with_all = ["judge", "json", "perft"])]
    check: bool,
    /// Say what the rules say: mate, repetition, the natural limit, and which moves would lose
    #[arg(long, conflicts_with_all = ["json", "perft"])]
    judge: bool,
    /// Print a JSON object a position
    #[arg(long)]
    json: bool,
    /// Print how many sequences of legal moves there are of so many plies
    #[arg(long, value_name = "DEPTH", conflicts_with = "json")]
    perft: Option<u32>,
    /// Exchange left and right
    #[arg(long)]
    mirror: bool,
    /// Turn the board by half a turn, pieces keep their colours
    #[arg(long)]
    rotate: bool,
    /// Exchange the colours, pieces keep their places
    #[arg(long)]
    swap_colours: bool,
    /// The occurrence of a position that ends the game
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    fold: u32,
    /// Whether the position of the FEN is its own first occurrence: yes or no
    #[arg(long, default_value = "yes", value_name = "YES|NO", action = ArgAction::Set, value_parser = yes)]
    count_root: bool,
    /// Plies without a capture that end the game, or off
    #[arg(long, default_value = "120", value_name = "PLIES", value_parser = limit)]
    limit: Limit,
    /// Which checks count among them, with the answers to the others not counted: all, cap10 (ten a side) or none
    #[arg(long, default_value = "all", value_enum)]
    limit_checks: LimitChecks,
    /// The rank of Red's back rank in moves, 0 or 1 [default: told by the moves]
    #[arg(long, value_parser = ["0", "1"])]
    ranks: Option<String>,
    /// Refuse a FEN that is not to the letter
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Take boards that cannot be of a game, and the letters G, M and S for advisors, elephants and pawns
    #[arg(long)]
    lenient: bool,
    /// Rule: xiangqi, freestyle, standard, renju or caro [default: told by the text]
    #[arg(long, value_parser = rule)]
    rule: Option<(Game, Option<Rule>)>,
    /// Board of gomoku, such as 15 or 15x12
    #[arg(long, default_value = "15")]
    size: Size,
    /// Notation of the points of gomoku
    #[arg(long, default_value = "a1")]
    coords: Coords,
    /// Threads for positions on stdin [default: one a processor]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,
}

/// How a position of xiangqi is written.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum To {
    Fen,
    Ucci,
    Uci,
}

/// Which checks count towards the natural limit.
#[derive(Copy, Clone, ValueEnum)]
enum LimitChecks {
    All,
    Cap10,
    None,
}

/// The natural limit, where there is one.
#[derive(Copy, Clone)]
struct Limit(Option<u32>);

fn yes(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`{text}` is not yes or no")),
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(Limit(None)),
        (_, Ok(plies)) if plies > 0 => Ok(Limit(Some(plies))),
        _ => Err(format!("`{text}` is not a number of plies or off")),
    }
}

fn rule(text: &str) -> Result<(Game, Option<Rule>), String> {
    if text.eq_ignore_ascii_case("xiangqi") {
        return Ok((Game::Xiangqi, None));
    }
    let rule: Result<Rule, String> = text.parse();
    rule.map(|rule| (Game::Gomoku, Some(rule))).map_err(|error| error.replace("freestyle", "xiangqi, freestyle"))
}

impl Position {
    /// Reads the positions and prints what is asked for.
    pub fn run(self) -> Result<Exit> {
        let mut exit = Exit::Done;
        let texts = joined(&self.positions);
        let is_many = texts.len() > 1;
        for text in texts {
            if text == "-" {
                exit = exit.max(lines::each(self.threads, false, || (), |(), line| self.answer(line))?);
                continue;
            }
            match self.answer(&text) {
                Ok((answer, code)) => {
                    stdout().lock().write_all(answer.as_bytes())?;
                    exit = exit.max(code);
                }
                Err(error) if is_many => {
                    complain(&format!("{text}: {error:#}"));
                    exit = exit.max(Exit::Failed);
                }
                Err(error) => return Err(error),
            }
            if PROGRESS.stop.load(Ordering::Relaxed) {
                return Ok(Exit::Stopped);
            }
        }
        Ok(exit)
    }

    fn answer(&self, text: &str) -> Result<(String, Exit)> {
        let game = self.rule.map_or_else(|| game_of(text), |(game, _)| game);
        match game {
            Game::Xiangqi => self.xiangqi(text),
            Game::Gomoku => self.gomoku(text),
        }
    }

    fn xiangqi(&self, text: &str) -> Result<(String, Exit)> {
        let options = FenOptions { strict: self.strict, other_letters: self.lenient };
        let style = self.ranks.as_deref().map(|lowest| if lowest == "0" { Style::Iccs } else { Style::Uci10 });
        let (history, remarks) = match History::read(text, options, style) {
            Ok(read) => read,
            Err(error) if self.check => return Ok((format!("{}\n", harmless(&format!("syntax: {error}"))), Exit::No)),
            Err(error) => return Err(error.into()),
        };
        let history = self.turned(history)?;
        let is_turned = self.mirror || self.rotate || self.swap_colours;
        let faults = history.start.board.faults();
        let told: Vec<(&str, String)> = faults
            .iter()
            .map(|fault| {
                // Of a turned board no column of the text would be right.
                let column = fault.point().filter(|_| !is_turned).and_then(|point| column(text, point));
                let place = column.map(|column| format!(" at column {column}")).unwrap_or_default();
                (fault.level().name(), format!("{fault}{place}"))
            })
            .collect();
        if self.check {
            let notes = remarks.iter().map(|remark| format!("note: {remark}\n"));
            let faults = told.iter().map(|(level, fault)| format!("{level}: {fault}\n"));
            let lines: String = faults.chain(notes).collect();
            let lines = if told.is_empty() { lines + "valid\n" } else { lines };
            return Ok((harmless(&lines).into_owned(), if told.is_empty() { Exit::Done } else { Exit::No }));
        }
        if self.json {
            let object = self.object(text, &history, &told, &remarks);
            return Ok((format!("{object}\n"), if told.is_empty() { Exit::Done } else { Exit::No }));
        }
        match told.first() {
            Some((_, fault)) if !self.lenient => bail!("{fault} (--lenient takes it, --check tells all)"),
            Some((_, fault)) => complain(&format!("{text}: {fault}")),
            None => {}
        }
        remarks.iter().for_each(|remark| complain(&format!("{text}: {remark}")));
        let end = &history.end().board;
        let answer = if let Some(depth) = self.perft {
            let Some(count) = perft(end, depth) else { return Ok((String::new(), Exit::Stopped)) };
            count.to_string()
        } else if self.judge {
            self.judgement(&history)
        } else {
            match self.to.unwrap_or(To::Fen) {
                To::Fen if self.banmoves => bail!("--banmoves is for --to ucci"),
                To::Fen => history.end().to_string(),
                To::Ucci => history.line(Style::Iccs) + &self.banned(&history),
                To::Uci if self.banmoves => bail!("--banmoves is for --to ucci: UCI has no such line"),
                To::Uci => history.line(Style::Uci10),
            }
        };
        Ok((answer + "\n", Exit::Done))
    }

    /// The history after what was asked for; moves are kept where they stay moves.
    fn turned(&self, history: History) -> Result<History> {
        let (mirror, rotate, swap) = (self.mirror, self.rotate, self.swap_colours);
        if !(mirror || rotate || swap) {
            return Ok(history);
        }
        let turn = |fen: &Fen| {
            let mut board = fen.board.clone();
            for (operation, is_wanted) in
                [(Board::mirror as fn(&Board) -> Board, mirror), (Board::rotate, rotate), (Board::swap_colours, swap)]
            {
                board = if is_wanted { operation(&board) } else { board };
            }
            Fen { board, ..*fen }
        };
        // Pawns would go backwards.
        if rotate != swap && !history.moves.is_empty() {
            if self.judge || self.json || self.to.is_some_and(|to| to != To::Fen) {
                bail!("--rotate and --swap-colours keep the moves only together");
            }
            return Ok(turn(history.end()).into());
        }
        let mut turned = History::from(turn(&history.start));
        for step in &history.moves {
            let point = |point: games::Point| {
                let (x, y) = (point.x(), point.y());
                let (x, y) = (if mirror != rotate { 8 - x } else { x }, if rotate { 9 - y } else { y });
                games::Point::new(x, y).expect("the image of a point of the board")
            };
            turned.push(Step { from: point(step.from), to: point(step.to) }).map_err(|error| anyhow!(error))?;
        }
        Ok(turned)
    }

    fn judging(&self) -> Judging {
        let checks = match self.limit_checks {
            LimitChecks::All => Checks::All,
            LimitChecks::Cap10 => Checks::Ten,
            LimitChecks::None => Checks::None,
        };
        Judging { fold: self.fold, counts_start: self.count_root, limit: self.limit.0, checks }
    }

    fn judgement(&self, history: &History) -> String {
        let Judgement { occurrences, verdict, met, loses_now } = history.judge(&self.judging());
        let mut text = match verdict {
            Verdict::None => "the game goes on".into(),
            Verdict::ChaseNotJudged => "chase-not-judged".into(),
            Verdict::Draw(_) => format!("draw: {}", reason(verdict).unwrap_or_default()),
            verdict => word(verdict),
        };
        if occurrences > 1 {
            text += &format!("; occurrence {occurrences}");
        }
        let earlier = met.iter().filter(|(ply, _)| *ply < history.moves.len());
        let earlier: Vec<String> = earlier.map(|(ply, verdict)| format!("{} at ply {ply}", word(*verdict))).collect();
        if !earlier.is_empty() {
            text += &format!("; before: {}", earlier.join(", "));
        }
        if !loses_now.is_empty() {
            text += &format!("; would lose: {}", moves(&loses_now).join(" "));
        }
        text
    }

    fn banned(&self, history: &History) -> String {
        if !self.banmoves {
            return String::new();
        }
        match &history.judge(&self.judging()).loses_now[..] {
            [] => String::new(),
            losing => format!("\nbanmoves {}", moves(losing).join(" ")),
        }
    }

    fn object(&self, text: &str, history: &History, faults: &[(&str, String)], remarks: &[Remark]) -> Value {
        let judgement = history.judge(&self.judging());
        let end = history.end();
        let fault = |(level, message): &(&str, String)| json!({ "level": level, "message": message });
        let remark = |remark: &Remark| json!({ "column": remark.column, "message": remark.what.to_string() });
        let met = |(ply, verdict): &(usize, Verdict)| json!({ "ply": ply, "verdict": word(*verdict) });
        json!({
            "kifu": JSON, "input": text, "game": Game::Xiangqi.name(),
            "fen": end.to_string(), "ucci": history.line(Style::Iccs), "side": side_name(end.board.to_move()),
            "legal": faults.is_empty(), "faults": faults.iter().map(fault).collect::<Vec<_>>(),
            "remarks": remarks.iter().map(remark).collect::<Vec<_>>(),
            "moves": end.board.moves().count(), "check": end.board.is_check(),
            "ply": history.moves.len(), "occurrences": judgement.occurrences,
            "verdict": word(judgement.verdict), "reason": reason(judgement.verdict),
            "winner": winner(judgement.verdict),
            "met": judgement.met.iter().map(met).collect::<Vec<_>>(), "loses_now": moves(&judgement.loses_now),
        })
    }

    fn gomoku(&self, text: &str) -> Result<(String, Exit)> {
        let is_xiangqi =
            self.to.is_some() || self.judge || self.perft.is_some() || self.mirror || self.rotate || self.swap_colours;
        if is_xiangqi && (self.rule.is_some() || Stones::parse(text, self.coords, self.size).is_ok()) {
            bail!("this is a position of gomoku, and only --json and --check are for those");
        }
        let read = || -> Result<(Stones, gomoku::Board, Side)> {
            let stones = Stones::parse(text, self.coords, self.size)
                .map_err(|error| anyhow!("this is no FEN and no position of gomoku: {error}"))?;
            let (board, to_move) = gomoku::Board::after(&stones).map_err(|error| anyhow!("{error}"))?;
            Ok((stones, board, to_move))
        };
        let (stones, board, to_move) = match read() {
            Ok(read) => read,
            Err(error) if self.check => {
                return Ok((format!("{}\n", harmless(&format!("syntax: {error:#}"))), Exit::No));
            }
            Err(error) => return Err(error),
        };
        if self.check {
            return Ok(("valid\n".into(), Exit::Done));
        }
        let drawn = drawing(&board, to_move);
        if !self.json {
            return Ok((drawn + "\n", Exit::Done));
        }
        let rule = self.rule.and_then(|(_, rule)| rule).or_else(|| of_text(text));
        let canonical = board.turned(gomoku::canonical(&board));
        let side = |side| if side == Side::First { "black" } else { "white" };
        let winner = rule.and_then(|rule| {
            board.stones().find(|(point, side)| made(&board, *point, *side, rule) == Made::Five).map(|won| side(won.1))
        });
        let object = json!({
            "kifu": JSON, "input": text, "game": Game::Gomoku.name(), "rule": rule.map(Rule::name),
            "size": [board.size().width(), board.size().height()], "board": drawn, "side": side(to_move),
            "ply": stones.setup.len() + stones.moves.len(), "winner": winner, "canonical": drawing(&canonical, to_move),
        });
        Ok((format!("{object}\n"), Exit::Done))
    }
}

/// What a text is a position of.
fn game_of(text: &str) -> Game {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_word = ["position", "startpos", "fen"].contains(&first);
    let is_fen = first.contains('/') && !first.contains(':');
    if is_word || is_fen { Game::Xiangqi } else { Game::Gomoku }
}

/// The arguments as positions: those of one that was not quoted are put together.
fn joined(arguments: &[String]) -> Vec<String> {
    let is_unquoted = match arguments {
        [first, _, ..] if first == "position" => true,
        [first, second, ..] => {
            first.contains('/') && !first.contains(':') && second.chars().count() == 1 && second != "-"
        }
        _ => false,
    };
    if is_unquoted { vec![arguments.join(" ")] } else { arguments.to_vec() }
}

/// The column of a text that speaks of a point of its first position.
fn column(text: &str, point: games::Point) -> Option<usize> {
    let board = text.find('/')?;
    let start = text[..board].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    // A blank may be longer than a byte.
    let start = (start..board).find(|at| text.is_char_boundary(*at))?;
    Fen::column(&text[start..], point).map(|column| column + text[..start].chars().count())
}

/// The number of sequences of legal moves; `None` after Ctrl-C.
fn perft(board: &Board, depth: u32) -> Option<u64> {
    // Below this a moment is enough.
    if depth <= 4 {
        return (!PROGRESS.stop.load(Ordering::Relaxed)).then(|| board.perft(depth));
    }
    let mut sum = 0_u64;
    for step in board.moves() {
        let mut after = board.clone();
        after.play_unchecked(step);
        sum = sum.saturating_add(perft(&after, depth - 1)?);
    }
    Some(sum)
}

fn moves(steps: &[Step]) -> Vec<String> {
    // Points need no board.
    steps.iter().map(|step| write(&Board::empty(), *step, Style::Iccs)).collect()
}

/// `none`, `draw`, `red loses: perpetual check`, ...
pub fn word(verdict: Verdict) -> String {
    match verdict {
        Verdict::None => "none".into(),
        Verdict::Loss(side, _) => format!("{} loses: {}", side_name(side), reason(verdict).unwrap_or_default()),
        Verdict::Draw(_) => "draw".into(),
        Verdict::ChaseNotJudged => "chase-not-judged".into(),
    }
}

/// Why the game is over.
pub const fn reason(verdict: Verdict) -> Option<&'static str> {
    Some(match verdict {
        Verdict::Loss(_, Loss::Mate) => "mate",
        Verdict::Loss(_, Loss::Stalemate) => "stalemate",
        Verdict::Loss(_, Loss::PerpetualCheck) => "perpetual check",
        Verdict::Loss(_, Loss::PerpetualChase) => "perpetual chase",
        Verdict::Draw(Draw::Repetition) => "repetition",
        Verdict::Draw(Draw::Limit) => "natural limit",
        Verdict::None | Verdict::ChaseNotJudged => return None,
    })
}

/// Who has won, or `draw`.
fn winner(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Loss(side, _) => Some(side_name(side.other())),
        Verdict::Draw(_) => Some("draw"),
        Verdict::None | Verdict::ChaseNotJudged => None,
    }
}

/// The stones as `board:` writes them.
fn drawing(board: &gomoku::Board, to_move: Side) -> String {
    let size = board.size();
    let mut text = String::from("board:");
    for point in size.points() {
        if point.x() == 0 && point.y() > 0 {
            text.push('/');
        }
        text.push(match board.stone(point) {
            None => '.',
            Some(Side::First) => 'X',
            Some(Side::Second) => 'O',
        });
    }
    text + if to_move == Side::First { " turn:X" } else { " turn:O" }
}

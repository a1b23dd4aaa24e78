use super::super::Exit;
use super::super::diagram::{Diagram, Numbers, Stone};
use super::super::input::{Input, name};
use super::super::terminal::{JSON, complain, count, harmless};
use super::super::{progress, text_board, xiangqi};
use super::open;
use super::place::Which;
use ::book::{Answer, Book, Candidate, Frames, Played};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use games::{Game, Move, Point, Rules, Side, Size};
use rayon::prelude::*;
use record::{Backed, Entry, Judgement, Key, Label, NodeId, Outcome, Record, Rest, StoneKey, Tally};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write, stdin, stdout};
use std::path::PathBuf;

/// Positions of stdin that one thread answers at a time.
const PART: usize = 64;

/// Say what a book knows of a position
#[derive(Args)]
#[command(
    after_help = "A position is a move string in any notation (--coords), agi:78685A69, or board: and its rows of . X O;
of xiangqi a FEN, a line position startpos moves h2e2 ..., or moves from the start in any notation.
Exit codes: 0 known, 1 not in the book.

Examples:
  kifu book query games.agb h8i9
  kifu book query masters.agb 'h2e2 h9g7'
  kifu book query --json games.agb - < positions.txt"
)]
pub struct Query {
    /// The book
    book: PathBuf,
    /// The position, or - for positions on stdin, one a line
    position: String,
    /// Draw the board with the moves marked [default: for one position on a terminal]
    #[arg(long, conflicts_with = "json")]
    board: bool,
    /// Print a JSON object a position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// A book that is asked, and what it says where the question leaves something open.
#[derive(Clone)]
struct Asked<'b> {
    book: Book<&'b [u8]>,
    boards: Vec<(Rules, Size)>,
    frames: Frames,
}

/// The answers to some lines.
struct Part {
    lines: usize,
    text: String,
    exit: Exit,
    /// Lines that are no positions, counted from 1.
    errors: Vec<(usize, anyhow::Error)>,
}

impl Part {
    const EMPTY: Part = Part { lines: 0, text: String::new(), exit: Exit::Done, errors: Vec::new() };

    fn add(&mut self, answer: Result<(String, Exit)>) {
        self.lines += 1;
        match answer {
            Ok((text, exit)) => {
                self.text += &text;
                self.exit = self.exit.max(exit);
            }
            Err(error) => self.errors.push((self.lines, error)),
        }
    }
}

impl Query {
    /// Prints what is known, and goes on after a line that is no position.
    pub fn run(self) -> Result<Exit> {
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let boards = book.boards().with_context(|| name(&self.book))?;
        let frames = Frames::new(book.is_symmetric());
        let mut asked = Asked { book, boards, frames };
        let mut out: Box<dyn Write> =
            if self.json { Box::new(stdout().lock()) } else { Box::new(anstream::stdout().lock()) };
        if self.position == "-" {
            return self.all(&asked, &mut out);
        }
        let (answer, exit) = self.answer(&mut asked, &self.position)?;
        out.write_all(answer.as_bytes())?;
        out.flush()?;
        Ok(exit)
    }

    /// Answers the positions on stdin, as many at a time as are there.
    fn all(&self, asked: &Asked<'_>, out: &mut dyn Write) -> Result<Exit> {
        let mut exit = Exit::Done;
        let mut lines = BufReader::with_capacity(1 << 17, stdin().lock());
        let mut number = 0;
        loop {
            let batch = progress::idle(|| waiting(&mut lines)).context("stdin cannot be read")?;
            if batch.is_empty() {
                return Ok(exit);
            }
            let positions: Vec<&[u8]> = batch.split_inclusive(|byte| *byte == b'\n').collect();
            let part = |asked: &mut Asked<'_>, lines: &[&[u8]]| {
                let mut part = Part::EMPTY;
                lines.iter().for_each(|line| part.add(self.line(asked, line)));
                part
            };
            let parts: Vec<Part> = if positions.len() <= PART {
                vec![part(&mut asked.clone(), &positions)]
            } else {
                positions.par_chunks(PART).map_init(|| asked.clone(), part).collect()
            };
            for part in parts {
                out.write_all(part.text.as_bytes())?;
                exit = exit.max(part.exit);
                for (line, error) in part.errors {
                    complain(&format!("stdin: line {}: {error:#}", number + line));
                    exit = Exit::Failed;
                }
                number += part.lines;
            }
            out.flush()?;
        }
    }

    fn line(&self, asked: &mut Asked<'_>, line: &[u8]) -> Result<(String, Exit)> {
        let text = str::from_utf8(line).map_err(|_| anyhow!("this is not UTF-8"))?.trim();
        if text.is_empty() { Ok((String::new(), Exit::Done)) } else { self.answer(asked, text) }
    }

    fn answer(&self, asked: &mut Asked<'_>, text: &str) -> Result<(String, Exit)> {
        let key = self.which.key(&self.book, &asked.boards, text)?;
        let frame = asked.frames.of_key(&key);
        let answer = asked.book.ask(&key, frame).with_context(|| name(&self.book))?;
        let references = references(&asked.book, answer.as_ref()).with_context(|| name(&self.book))?;
        let exit = if answer.is_some() { Exit::Done } else { Exit::No };
        let said = if self.json {
            object(text, &key, answer.as_ref(), &references)
        } else {
            let board = self.board || (self.position != "-" && stdout().is_terminal());
            harmless(&block(text, &key, answer.as_ref(), &references, board)).into_owned()
        };
        Ok((said, exit))
    }
}

/// A game that a position refers to: its number, and what the book says of it.
type Reference = (u64, Option<Played>);

fn references(book: &Book<&[u8]>, answer: Option<&Answer>) -> Result<Vec<Reference>, ::book::Error> {
    let ids = answer.map_or(&[][..], |answer| &answer.entry.games);
    let list = if ids.is_empty() { None } else { book.games()? };
    ids.iter().map(|id| Ok((*id, list.as_ref().map_or(Ok(None), |list| list.get(*id))?))).collect()
}

/// `game Ann - Bob, Cup 2023, round 2, 2023-05-01, 1-0 (games.sgf, record 4)`; what is not known is left out.
fn game_line((id, game): &Reference) -> String {
    let Some(game) = game else { return format!("game {id:016x}, which the book does not tell of") };
    let known = |text: &str| if text.is_empty() { "?".to_owned() } else { text.replace('\n', " ") };
    let mut line = format!("game {} - {}", known(&game.black), known(&game.white));
    let round = if game.round.is_empty() { String::new() } else { format!("round {}", game.round) };
    let result = game.result.map_or("", Outcome::text);
    for part in [game.event.as_str(), &round, &game.date, result].into_iter().filter(|part| !part.is_empty()) {
        line += &format!(", {}", known(part));
    }
    line + &format!(" ({}, record {})", known(&game.file), game.record)
}

fn reference((id, played): &Reference, game: Game) -> Value {
    let [first, second] = [Side::First, Side::Second].map(|side| side.name(game));
    let game = played.clone().unwrap_or_default();
    let known = |text: String| (!text.is_empty()).then_some(text);
    json!({
        "id": format!("{id:016x}"), first: known(game.black), second: known(game.white),
        "event": known(game.event), "round": known(game.round), "date": known(game.date),
        "result": game.result.map(Outcome::text), "file": known(game.file),
        "record": (game.record > 0).then_some(game.record),
    })
}

/// The comments of an entry, one under the other.
fn comment(entry: &Entry) -> Option<String> {
    let texts: Vec<&str> = entry.comments.iter().map(|comment| comment.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// An answer as JSON.
#[derive(Serialize)]
struct Said<'a> {
    kifu: u32,
    input: &'a str,
    found: bool,
    rule: &'static str,
    size: [u8; 2],
    side: &'static str,
    games: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<u64>,
    black: u64,
    draws: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<u64>,
    score: Option<f64>,
    value: Option<i32>,
    depth: Option<i16>,
    bound: Option<&'static str>,
    own: Option<Value>,
    rest: Option<Value>,
    backed: Option<Value>,
    label: Option<String>,
    comment: Option<String>,
    texts: Vec<SaidText<'a>>,
    last_year: Option<u16>,
    rating: Option<f64>,
    moves: Vec<SaidMove>,
    references: Vec<Value>,
}

#[derive(Serialize)]
struct SaidText<'a> {
    #[serde(serialize_with = "as_point")]
    point: (Point, Game, Size),
    text: &'a str,
}

#[derive(Serialize)]
struct SaidMove {
    #[serde(rename = "move", serialize_with = "as_name")]
    play: (Move, Size),
    games: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<u64>,
    black: u64,
    draws: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<u64>,
    score: Option<f64>,
    value: Option<i32>,
    label: Option<String>,
}

/// The games that red, black and white won; no side of the other game.
fn won(Tally { first, second, .. }: Tally, game: Game) -> (Option<u64>, u64, Option<u64>) {
    match game {
        Game::Gomoku => (None, first, Some(second)),
        Game::Xiangqi => (Some(first), second, None),
    }
}

fn as_name<S: Serializer>((play, size): &(Move, Size), to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&play.text(*size))
}

fn as_point<S: Serializer>((point, game, size): &(Point, Game, Size), to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&game.coords().text(*point, *size))
}

fn object(text: &str, key: &Key, answer: Option<&Answer>, references: &[Reference]) -> String {
    let nothing = Answer { entry: Entry::default(), moves: Vec::new() };
    let Answer { entry, moves } = answer.unwrap_or(&nothing);
    let judgement = entry.value();
    let judgement = judgement.as_deref();
    let (game, size) = (key.rules().game(), key.size());
    let move_of = |each: &Candidate| {
        let (red, black, white) = won(each.tally, game);
        SaidMove {
            play: (each.play, size),
            games: each.tally.games,
            red,
            black,
            draws: each.tally.draws,
            white,
            score: each.tally.score(key.to_move()),
            value: each.value(),
            label: each.label.name(),
        }
    };
    let (red, black, white) = won(entry.tally, game);
    let said = Said {
        kifu: JSON,
        input: text,
        found: answer.is_some(),
        rule: key.rules().name(),
        size: [size.width(), size.height()],
        side: key.to_move().name(game),
        games: entry.tally.games,
        red,
        black,
        draws: entry.tally.draws,
        white,
        score: entry.tally.score(key.to_move()),
        value: judgement.map(|judgement| judgement.value),
        depth: judgement.map(|judgement| judgement.depth),
        bound: judgement.map(|judgement| judgement.bound.name()),
        own: entry.judgement.as_ref().map(searched),
        rest: entry.rest.as_ref().map(|rest| said_rest(rest, size)),
        backed: entry.backed.map(said_backed),
        label: entry.label.name(),
        comment: comment(entry),
        texts: entry.texts.iter().map(|each| SaidText { point: (each.point, game, size), text: &each.text }).collect(),
        last_year: entry.last_year,
        rating: (entry.ratings.count > 0).then(|| entry.ratings.sum as f64 / entry.ratings.count as f64),
        moves: moves.iter().map(move_of).collect(),
        references: references.iter().map(|each| reference(each, game)).collect(),
    };
    let mut line = serde_json::to_string(&said).expect("numbers and texts can be written");
    line.push('\n');
    line
}

/// The value of a search as JSON.
fn searched(judgement: &Judgement) -> Value {
    let Judgement { value, bound, depth, nodes, scale, source } = judgement;
    json!({
        "value": value, "depth": depth, "bound": bound.name(), "nodes": nodes, "scale": scale, "source": source,
    })
}

/// The best move that the book does not follow as JSON; what is not known is null.
pub fn said_rest(Rest { play, judgement, proven }: &Rest, size: Size) -> Value {
    let judgement = judgement.as_ref();
    json!({
        "move": play.map(|play| play.text(size)), "value": judgement.map(|judgement| judgement.value),
        "depth": judgement.map(|judgement| judgement.depth),
        "bound": judgement.map(|judgement| judgement.bound.name()), "proven": proven,
    })
}

/// A value that is backed up as JSON.
pub fn said_backed(Backed { value, proven, .. }: Backed) -> Value {
    json!({"value": value, "proven": proven})
}

fn words(Judgement { value, depth, bound, .. }: &Judgement) -> String {
    format!("{value}, depth {depth}, bound {}", bound.name())
}

fn block(text: &str, key: &Key, answer: Option<&Answer>, references: &[Reference], board: bool) -> String {
    let text = if text.is_empty() { "the empty board" } else { text };
    let (game, size) = (key.rules().game(), key.size());
    let side = key.to_move().name(game);
    let [first_name, second_name] = [Side::First, Side::Second].map(|side| side.name(game));
    let Some(Answer { entry, moves }) = answer else { return format!("{text}: not in the book\n") };
    let Tally { games, first, draws, second } = entry.tally;
    let mut out = match key {
        Key::Gomoku(stones) if board => text_board::board(&diagram(stones, moves), Numbers::Off),
        Key::Xiangqi(_) if board => xiangqi_board(key),
        _ => String::new(),
    };
    // Steps have no point to be marked on.
    let is_marked = board && game == Game::Gomoku;
    out += &format!("{text}: {side} to move, ");
    out += &match games {
        0 => "no games\n".into(),
        _ => format!("{}: {first_name} won {first}, drawn {draws}, {second_name} won {second}\n", count(games, "game")),
    };
    if let Some(judgement) = entry.value() {
        out += &format!("  value {}\n", words(&judgement));
    }
    if let Some(Rest { play, judgement, proven }) = &entry.rest {
        let play = play.map_or("none".into(), |play| play.text(size));
        let found = judgement.as_ref().map(|judgement| format!(", value {}", words(judgement))).unwrap_or_default();
        // In xiangqi all moves were looked at.
        let best = if game == Game::Gomoku { "best other move" } else { "best move" };
        out += &format!("  {best} {play}{found}{}\n", if *proven { ", proven" } else { "" });
    }
    if let Some(Backed { value, proven, .. }) = entry.backed {
        out += &format!("  backed up {value}{}\n", if proven { ", proven" } else { "" });
    }
    if let Some(own) = entry.judgement.as_ref().filter(|_| entry.rest.is_some() || entry.backed.is_some()) {
        let by = if own.source.is_empty() { String::new() } else { format!(" by {}", own.source.replace('\n', " ")) };
        out += &format!("  judged{by} {}\n", words(own));
    }
    if entry.label != Label::None {
        out += &format!("  label {}\n", entry.label.name().unwrap_or_default());
    }
    let has_games = moves.iter().any(|each| each.tally.games > 0);
    if has_games {
        let margin = if is_marked { "    " } else { "  " };
        out += &format!(
            "{margin}{:<6}{:>9}{first_name:>9}{:>9}{second_name:>9}{:>9}\n",
            "move", "games", "drawn", "score"
        );
    }
    for (at, each) in moves.iter().enumerate() {
        let Tally { games, first, draws, second } = each.tally;
        if is_marked {
            out += &format!("{} ", sign(at).unwrap_or("*"));
        }
        let play = each.play.text(size);
        let mut line = format!("  {play:<6}");
        if has_games {
            let score = each.tally.score(key.to_move()).map_or("-".into(), |score| format!("{:.1} %", 100.0 * score));
            line += &format!("{games:>9}{first:>9}{draws:>9}{second:>9}{score:>9}");
        }
        line += &each.value().map(|value| format!("  value {value}")).unwrap_or_default();
        line += &each.label.name().map(|label| format!("  {label}")).unwrap_or_default();
        out += line.trim_end();
        out.push('\n');
    }
    for game in references {
        out += &format!("  {}\n", game_line(game));
    }
    for text in &entry.texts {
        out += &format!("  text at {}: {}\n", game.coords().text(text.point, size), text.text);
    }
    for line in comment(entry).unwrap_or_default().lines() {
        out += &format!("  | {line}\n");
    }
    out
}

/// The letter that marks a move on the board; no letter is a stone's.
fn sign(at: usize) -> Option<&'static str> {
    const SIGNS: &str = "ABCDEFGHIJKLMNPQRSTUVWYZabcdefghijklmnpqrstuvwyz";
    SIGNS.get(at..=at)
}

/// The pieces of a position, and who is to move.
fn xiangqi_board(key: &Key) -> String {
    let tags = vec![(record::FEN.into(), formats::position_text(key))];
    let head = record::Head { game: Game::Xiangqi, size: key.size(), tags, ..record::Head::default() };
    let record = Record { head, ..Record::default() };
    let diagram = xiangqi::Diagram::new(&record, NodeId::ROOT);
    diagram.map_or_else(|remark| remark.to_string(), |diagram| xiangqi::board(&diagram, xiangqi::Pieces::Letters))
}

/// The position with the moves marked in the order in which they are listed.
fn diagram(key: &StoneKey, moves: &[Candidate]) -> Diagram {
    let stones = key.stones.iter().map(|(point, side)| Stone { point: *point, side: *side, ply: None });
    let mark = |(at, each): (usize, &Candidate)| Some((each.play.point()?, sign(at).unwrap_or("*").to_owned()));
    Diagram {
        size: key.size,
        stones: stones.collect(),
        labels: moves.iter().enumerate().filter_map(mark).collect(),
        signs: Vec::new(),
        forbidden: Vec::new(),
        last: None,
        ply: key.stones.len(),
        to_move: key.to_move,
        opening: None,
    }
}

/// The lines that are there, or, if there is none, the next one when it comes; empty at the end.
fn waiting(lines: &mut BufReader<impl Read>) -> io::Result<Vec<u8>> {
    let mut batch = Vec::new();
    lines.read_until(b'\n', &mut batch)?;
    // A line that is not whole waits for the rest: nobody is kept waiting for an answer.
    while batch.ends_with(b"\n") && batch.len() < 1 << 20 {
        let there = lines.buffer();
        let Some(end) = there.iter().rposition(|byte| *byte == b'\n') else { break };
        batch.extend(&there[..=end]);
        lines.consume(end + 1);
    }
    Ok(batch)
}

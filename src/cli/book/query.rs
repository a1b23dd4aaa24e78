use super::super::Exit;
use super::super::input::{Input, name};
use super::super::progress;
use super::super::terminal::{JSON, complain, count, harmless};
use super::open;
use ::book::{Book, Canonical, Frame, Frames, Played};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::gomoku::Board;
use games::{Coords, Move, Point, Position, Rule, Side, Size};
use record::{Entry, Key, Label, Outcome, Tally};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::io::{BufRead, Write, stdin};
use std::path::PathBuf;

/// Say what a book knows of a position
#[derive(Args)]
#[command(
    after_help = "A position is a move string in any notation (--coords), agi:78685A69, or board: and its rows of . X O.
Exit codes: 0 known, 1 not in the book.

Examples:
  kifu book query games.agb h8i9
  kifu book query --json games.agb - < positions.txt"
)]
pub struct Query {
    /// The book
    book: PathBuf,
    /// The position, or - for positions on stdin, one a line
    position: String,
    /// Print a JSON object a position
    #[arg(long)]
    json: bool,
    /// Rule, where the book has several
    #[arg(long)]
    rule: Option<Rule>,
    /// Board, where the book has several
    #[arg(long)]
    size: Option<Size>,
    /// Notation of the points in positions
    #[arg(long, default_value = "a1")]
    coords: Coords,
}

/// A book that is asked, and what it says where the question leaves something open.
struct Asked<'b> {
    book: Book<&'b [u8]>,
    boards: Vec<(Rule, Size)>,
    frames: Frames,
}

/// A move from a position: in the orientation of the question, with what is known of what comes of it.
struct Line {
    name: String,
    tally: Tally,
    /// For the side that chooses the move.
    value: Option<i32>,
    label: Option<String>,
}

impl Query {
    /// Prints what is known, and goes on after a line that is no position.
    pub fn run(self) -> Result<Exit> {
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let boards = book.boards().with_context(|| name(&self.book))?;
        let frames = Frames::new(book.is_symmetric());
        let mut asked = Asked { book, boards, frames };
        let mut out = std::io::BufWriter::new(anstream::stdout().lock());
        if self.position != "-" {
            let exit = self.answer(&mut asked, &self.position, &mut out)?;
            out.flush()?;
            return Ok(exit);
        }
        let mut exit = Exit::Done;
        let mut lines = stdin().lock().lines();
        for number in 1.. {
            let Some(line) = progress::idle(|| lines.next()) else { break };
            let line = line.map_err(|error| anyhow!("stdin cannot be read: {error}"))?;
            if line.trim().is_empty() {
                continue;
            }
            match self.answer(&mut asked, &line, &mut out) {
                Ok(end) => exit = exit.max(end),
                Err(error) if error.is::<std::io::Error>() => return Err(error),
                Err(error) => {
                    complain(&format!("stdin: line {number}: {error:#}"));
                    exit = Exit::Failed;
                }
            }
        }
        out.flush()?;
        Ok(exit)
    }

    fn answer(&self, asked: &mut Asked<'_>, text: &str, out: &mut dyn Write) -> Result<Exit> {
        let key = self.key(asked, text)?;
        let frame = asked.frames.of(key.size);
        let form = frame.canonical(&key);
        let entry = asked.book.get(&form.key, frame).with_context(|| name(&self.book))?;
        let lines = match &entry {
            Some(entry) => lines(&asked.book, frame, &key, &form, entry).with_context(|| name(&self.book))?,
            None => Vec::new(),
        };
        let references = references(&asked.book, entry.as_ref()).with_context(|| name(&self.book))?;
        if self.json {
            writeln!(out, "{}", object(text, &key, &form, entry.as_ref(), &lines, &references))?;
        } else {
            write!(out, "{}", harmless(&block(text, &key, &form, entry.as_ref(), &lines, &references)))?;
        }
        Ok(if entry.is_some() { Exit::Done } else { Exit::No })
    }

    /// The position of a text, under the rule and on the board that the book has where nothing else says.
    fn key(&self, asked: &Asked<'_>, text: &str) -> Result<Key> {
        let fits = |(rule, size): &&(Rule, Size)| {
            self.rule.is_none_or(|named| named == *rule) && self.size.is_none_or(|named| named == *size)
        };
        let mut boards = asked.boards.iter().filter(fits);
        let known = match (boards.next(), boards.next()) {
            (Some(only), None) => Some(*only),
            _ => None,
        };
        let size = self.size.or(known.map(|(_, size)| size)).unwrap_or_default();
        let position = Position::parse(text, self.coords, size).map_err(|error| anyhow!("{text}: {error}"))?;
        let (board, to_move) = Board::after(&position).with_context(|| text.to_string())?;
        let Some(rule) = self.rule.or(known.map(|(rule, _)| rule)) else {
            if asked.boards.is_empty() {
                bail!("{}: this book is empty", name(&self.book));
            }
            let boards: Vec<String> = asked.boards.iter().map(|(rule, size)| format!("{rule} {size}")).collect();
            bail!(
                "{} has several rules or boards: name one with --rule and --size: {}",
                name(&self.book),
                boards.join(", ")
            );
        };
        Ok(Key::new(&board, to_move, rule))
    }
}

/// A game that a position refers to: its number, and what the book says of it.
type Game = (u64, Option<Played>);

fn references(book: &Book<&[u8]>, entry: Option<&Entry>) -> Result<Vec<Game>, ::book::Error> {
    let ids = entry.map_or(&[][..], |entry| &entry.games);
    let list = if ids.is_empty() { None } else { book.games()? };
    ids.iter().map(|id| Ok((*id, list.as_ref().map_or(Ok(None), |list| list.get(*id))?))).collect()
}

/// `game Ann - Bob, Cup 2023, round 2, 2023-05-01, 1-0 (games.sgf, record 4)`; what is not known is left out.
fn game_line((id, game): &Game) -> String {
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

fn reference((id, game): &Game) -> Value {
    let game = game.clone().unwrap_or_default();
    let known = |text: String| (!text.is_empty()).then_some(text);
    json!({
        "id": format!("{id:016x}"), "black": known(game.black), "white": known(game.white),
        "event": known(game.event), "round": known(game.round), "date": known(game.date),
        "result": game.result.map(Outcome::text), "file": known(game.file),
        "record": (game.record > 0).then_some(game.record),
    })
}

/// The moves of an entry as they are in the position asked for, those of most games first.
fn lines(
    book: &Book<&[u8]>,
    frame: &Frame,
    key: &Key,
    form: &Canonical,
    entry: &Entry,
) -> Result<Vec<Line>, ::book::Error> {
    let mut lines = Vec::with_capacity(entry.moves.len());
    for each in &entry.moves {
        let point = each.play.point().map(|point| move_asked_for(form, key.size, point));
        let mut next = key.clone();
        next.to_move = key.to_move.other();
        next.stones.extend(point.map(|point| (point, key.to_move)));
        let after = book.get(&frame.canonical(&next).key, frame)?.unwrap_or_default();
        lines.push(Line {
            name: move_name(point.map_or(Move::Pass, Move::Place), key.size),
            tally: each.tally,
            value: after.judgement.map(|judgement| judgement.value.saturating_neg()),
            label: after.label.name(),
        });
    }
    lines.sort_by_key(|line| Reverse(line.tally.games));
    Ok(lines)
}

/// Where a point beside the position lies in the one asked for.
fn asked_for(form: &Canonical, size: Size, point: Point) -> Point {
    form.symmetry().inverse().apply(point, size)
}

/// Where a move lies in the position asked for; among equal moves of a symmetric one the topmost, then rightmost.
fn move_asked_for(form: &Canonical, size: Size, point: Point) -> Point {
    let images = form.symmetries.iter().map(|symmetry| symmetry.inverse().apply(point, size));
    images.min_by_key(|point| (point.y(), Reverse(point.x()))).expect("a canonical form has a symmetry")
}

fn move_name(play: Move, size: Size) -> String {
    play.point().map_or("--".into(), |point| Coords::A1.text(point, size).to_string())
}

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

/// The comments of an entry, one under the other.
fn comment(entry: &Entry) -> Option<String> {
    let texts: Vec<&str> = entry.comments.iter().map(|comment| comment.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn object(
    text: &str,
    key: &Key,
    form: &Canonical,
    entry: Option<&Entry>,
    lines: &[Line],
    references: &[Game],
) -> Value {
    let known = entry.cloned().unwrap_or_default();
    let Tally { games, first, draws, second } = known.tally;
    let judgement = known.judgement.as_ref();
    let texts: Vec<Value> = known
        .texts
        .iter()
        .map(|text| json!({"point": move_name(Move::Place(asked_for(form, key.size, text.point)), key.size), "text": text.text}))
        .collect();
    let moves: Vec<Value> = lines
        .iter()
        .map(|line| {
            let Tally { games, first, draws, second } = line.tally;
            json!({
                "move": line.name, "games": games, "black": first, "draws": draws, "white": second,
                "score": line.tally.score(key.to_move), "value": line.value, "label": line.label,
            })
        })
        .collect();
    json!({
        "kifu": JSON, "input": text, "found": entry.is_some(), "rule": key.rule.name(),
        "size": [key.size.width(), key.size.height()], "side": side_name(key.to_move),
        "games": games, "black": first, "draws": draws, "white": second, "score": known.tally.score(key.to_move),
        "value": judgement.map(|judgement| judgement.value), "depth": judgement.map(|judgement| judgement.depth),
        "bound": judgement.map(|judgement| judgement.bound.name()), "label": known.label.name(),
        "comment": comment(&known), "texts": texts, "last_year": known.last_year,
        "rating": (known.ratings.count > 0).then(|| known.ratings.sum as f64 / known.ratings.count as f64),
        "moves": moves, "references": references.iter().map(reference).collect::<Vec<_>>(),
    })
}

fn block(
    text: &str,
    key: &Key,
    form: &Canonical,
    entry: Option<&Entry>,
    lines: &[Line],
    references: &[Game],
) -> String {
    let side = side_name(key.to_move);
    let Some(entry) = entry else { return format!("{text}: not in the book\n") };
    let Tally { games, first, draws, second } = entry.tally;
    let mut out = format!(
        "{text}: {side} to move, {}: black won {first}, drawn {draws}, white won {second}\n",
        count(games, "game")
    );
    if let Some(judgement) = &entry.judgement {
        out += &format!("  value {}, depth {}, bound {}\n", judgement.value, judgement.depth, judgement.bound.name());
    }
    if entry.label != Label::None {
        out += &format!("  label {}\n", entry.label.name().unwrap_or_default());
    }
    if !lines.is_empty() {
        out += &format!("  {:<6}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "move", "games", "black", "drawn", "white", "score");
    }
    for line in lines {
        let Tally { games, first, draws, second } = line.tally;
        let score = line.tally.score(key.to_move).map_or("-".into(), |score| format!("{:.1} %", 100.0 * score));
        out += &format!("  {:<6}{games:>9}{first:>9}{draws:>9}{second:>9}{score:>9}", line.name);
        out += &line.value.map(|value| format!("  value {value}")).unwrap_or_default();
        out += &line.label.as_ref().map(|label| format!("  {label}")).unwrap_or_default();
        out.push('\n');
    }
    for game in references {
        out += &format!("  {}\n", game_line(game));
    }
    for text in &entry.texts {
        let point = asked_for(form, key.size, text.point);
        out += &format!("  text at {}: {}\n", move_name(Move::Place(point), key.size), text.text);
    }
    for line in comment(entry).unwrap_or_default().lines() {
        out += &format!("  | {line}\n");
    }
    out
}

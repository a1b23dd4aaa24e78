//! A position on the command line, or a place in a file.

use super::input::{Input, name};
use super::kind;
use super::reading::{ReadArgs, Told};
use super::terminal::{complain, count};
use ::formats::{Blame, Error, Strictness};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::gomoku::Board;
use games::xiangqi::notation::{self, Style};
use games::xiangqi::{Fen, FenOptions, History};
use games::{Coords, Game, Move, Position, Rule, Size, parse_moves};
use record::{NodeId, Note, Pieces, Play, Record, Tree, TreeBuilder};
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

/// Where to look; the same for all commands that look at a position.
#[derive(Args)]
pub struct Place {
    /// A file, a position, or - for positions on stdin, one a line
    #[arg(value_name = "FILE|POSITION")]
    what: OsString,
    /// Go to this ply of the main line [default: the library's start, else the end of the line]
    #[arg(long)]
    ply: Option<usize>,
    /// Go along these moves, such as h8,i9
    #[arg(long, conflicts_with = "ply", value_name = "MOVES")]
    path: Option<String>,
    /// The record, from 1, in a file of many
    #[arg(long, default_value_t = 1, value_name = "N")]
    game: u64,
    /// Notation of the points in positions and paths
    #[arg(long, default_value = "a1")]
    pub coords: Coords,
    #[command(flatten)]
    read: ReadArgs,
}

/// What the user named.
pub enum Asked {
    /// Positions on stdin, one a line.
    Lines,
    /// A file.
    File,
    /// A position.
    Position(Record),
}

impl Place {
    /// What was written for it.
    pub fn text(&self) -> Cow<'_, str> {
        self.what.to_string_lossy()
    }

    /// What it is; a file that is there is no position.
    pub fn asked(&self) -> Result<Asked> {
        if self.read.from.is_some() || self.file().exists() {
            return Ok(Asked::File);
        }
        let text = self.text();
        if text == "-" {
            return Ok(Asked::Lines);
        }
        if looks_like_a_file(self.file()) {
            bail!("{text}: there is no such file");
        }
        let record = self.position(&text).map_err(|error| anyhow!("this is no file and no position: {error}"))?;
        Ok(Asked::Position(record))
    }

    fn file(&self) -> &Path {
        Path::new(&self.what)
    }

    /// All records of the file.
    pub fn records(&self) -> Result<Vec<Record>> {
        let input = Input::open(self.file())?;
        let mut records = Vec::new();
        let mut each = |record: Record| {
            records.push(record);
            Ok(())
        };
        let told = self.read.watch(&input, &self.read.options(self.coords, 1), &mut each);
        told.and_then(Told::whole).with_context(|| name(self.file()))?;
        if records.is_empty() {
            bail!("{}: there is no record in it", name(self.file()));
        }
        Ok(records)
    }

    /// The record of a position as scripts write it.
    pub fn position(&self, text: &str) -> Result<Record, String> {
        if is_xiangqi(text) {
            return self.xiangqi(text);
        }
        let position = Position::parse(text, self.coords, self.read.size.unwrap_or_default())?;
        Board::after(&position).map_err(|error| error.to_string())?;
        let mut builder = TreeBuilder::new();
        let full = |full: record::Full| full.to_string();
        for (point, side) in &position.setup {
            builder.note(Note::Stone(*point, Some(*side))).map_err(full)?;
        }
        let mut side = position.to_move;
        if !position.setup.is_empty() {
            builder.note(Note::ToMove(side)).map_err(full)?;
        }
        for (at, m) in position.moves.iter().enumerate() {
            builder.append(at + 1, side, Play::Move(*m)).map_err(full)?;
            side = side.other();
        }
        let head = record::Head { size: position.size, ..record::Head::default() };
        Ok(Record { head, tree: builder.build() })
    }

    /// The record of a FEN or of a line `position …`; a board that cannot be of a game is told and taken.
    fn xiangqi(&self, text: &str) -> Result<Record, String> {
        let strict = self.read.options(self.coords, 1).strictness == Strictness::Strict;
        let options = FenOptions { strict, other_letters: !strict };
        let style = (self.coords == Coords::Iccs).then_some(Style::Iccs);
        let (history, remarks) = History::read(text.trim(), options, style).map_err(|error| error.to_string())?;
        for fault in history.start.board.faults() {
            if strict {
                return Err(fault.to_string());
            }
            complain(&format!("{text}: {fault}"));
        }
        remarks.iter().for_each(|remark| complain(&format!("{text}: {remark}")));
        let mut head = record::Head { game: Game::Xiangqi, size: Size::XIANGQI, ..record::Head::default() };
        if history.start != Fen::start() {
            head.tags.push((record::FEN.into(), history.start.to_string()));
        }
        let mut builder = TreeBuilder::new();
        let mut side = history.start.board.to_move();
        for (at, step) in history.moves.iter().enumerate() {
            builder.append(at + 1, side, Play::Move(Move::Step(*step))).map_err(|full| full.to_string())?;
            side = side.other();
        }
        Ok(Record { head, tree: builder.build() })
    }

    /// The record asked for, and the rule of its format where it says none; reading ends when it is there.
    pub fn record(&self) -> Result<(Record, Option<Rule>)> {
        let input = Input::open(self.file())?;
        let mut found = None;
        let mut records = 0;
        let mut each = |record: Record| {
            records += 1;
            if records == self.game {
                found = Some(record);
                return Err(Error::new(Blame::Stopped, "", "found"));
            }
            Ok(())
        };
        let told = self.read.watch(&input, &self.read.options(self.coords, 1), &mut each);
        let file = || name(self.file());
        match (found, told.and_then(Told::whole)) {
            (Some(record), _) => {
                let format = self.read.format(&input).ok().and_then(|format| format.rule);
                return Ok((record, format));
            }
            (None, Err(error)) => return Err(error).with_context(file),
            (None, Ok(_)) => {}
        }
        bail!("{}: there is no game {}: the file has {}", file(), self.game, count(records, "game"))
    }

    /// The node asked for: at the ply, at the end of the path, where the library opens, or at the end of the line.
    pub fn node(&self, record: &Record) -> Result<NodeId> {
        let tree = &record.tree;
        if let Some(path) = self.path.as_ref().filter(|_| record.head.game == Game::Xiangqi) {
            return along(record, path);
        }
        if let Some(path) = &self.path {
            let moves = parse_moves(path, self.coords, record.head.size).context("--path")?;
            let mut node = NodeId::ROOT;
            for (at, m) in moves.iter().enumerate() {
                let child = tree.children(node).find(|child| tree.play(*child) == Play::Move(*m));
                node = child.with_context(|| {
                    let name = m.point().map_or("--".into(), |point| Coords::A1.text(point, record.head.size));
                    format!("--path: {name}, its move {}, is not in the tree there", at + 1)
                })?;
            }
            return Ok(node);
        }
        match self.ply {
            Some(0) => Ok(NodeId::ROOT),
            Some(ply) => plies(tree).nth(ply - 1).with_context(|| {
                let plies = plies(tree).count();
                format!("--ply: the main line has {plies} {}, not {ply}", if plies == 1 { "ply" } else { "plies" })
            }),
            None => Ok(tree.nodes().find(|node| tree.is_start(*node)).unwrap_or_else(|| last(tree))),
        }
    }
}

/// The node at the end of moves of xiangqi in any notation, divided by commas or blanks.
fn along(record: &Record, path: &str) -> Result<NodeId> {
    let tree = &record.tree;
    let mut pieces = Pieces::new(&record.head).map_err(|remark| anyhow!("the tag FEN holds no position: {remark}"))?;
    let mut node = NodeId::ROOT;
    let words = path.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for (at, word) in words.enumerate() {
        let play = match word {
            "--" | "pass" => Play::Move(Move::Pass),
            _ => Play::Move(Move::Step(notation::read(pieces.board(), word, None).context("--path")?)),
        };
        let child = tree.children(node).find(|child| tree.play(*child) == play);
        node = child.with_context(|| format!("--path: {word}, its move {}, is not in the tree there", at + 1))?;
        pieces.enter(play);
    }
    Ok(node)
}

/// Whether a text is meant for a position of xiangqi: a FEN, or a line `position …`.
pub fn is_xiangqi(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let Some((rank, rest)) = first.split_once('/') else { return ["position", "startpos", "fen"].contains(&first) };
    // Names of files have slashes, too.
    let is_sign = |sign: char| sign.is_ascii_digit() || "ABCEGHKMNPRSX".contains(sign.to_ascii_uppercase());
    let files: u32 = rank.chars().map(|sign| sign.to_digit(10).unwrap_or(1)).sum();
    let has_side = matches!(text.split_whitespace().nth(1), Some("w" | "b" | "r"));
    rank.chars().all(is_sign) && files >= 5 && (rest.matches('/').count() >= 3 || has_side)
}

/// Whether a name that is no file's was meant as one.
fn looks_like_a_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| kind::Kind::by_extension(extension).is_some())
}

/// The moves of the main line: nodes without one are no plies.
pub fn plies(tree: &Tree) -> impl Iterator<Item = NodeId> {
    tree.main_line().filter(|node| matches!(tree.play(*node), Play::Move(_)))
}

fn last(tree: &Tree) -> NodeId {
    tree.main_line().last().unwrap_or(NodeId::ROOT)
}

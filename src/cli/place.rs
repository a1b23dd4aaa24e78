//! A position on the command line, or a place in a file.

use super::input::{Input, name};
use super::kind;
use super::reading::{ReadArgs, Told};
use super::terminal::count;
use ::formats::{Blame, Error};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::gomoku::Board;
use games::{Coords, Position, Rule, parse_moves};
use record::{NodeId, Note, Play, Record, Tree, TreeBuilder};
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

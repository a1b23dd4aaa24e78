use super::Exit;
use super::diagram::{Diagram, Numbers, move_name, opening_object};
use super::html::html;
use super::output::Output;
use super::place::{Asked, Place, plies};
use super::progress;
use super::svg::svg;
use super::terminal::{JSON, complain, harmless};
use super::text_board;
use super::xiangqi;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::gomoku::Three;
use games::xiangqi::notation::Style;
use games::{Game, Point, Side};
use record::{NodeId, Record};
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

/// Draw a position, or a place in a record, as a board
#[derive(Args)]
#[command(after_help = "A position is a move string in any notation (--coords), agi:78685A69, agi:STATU 7869 MOVES 68,
board: and its rows of . X O joined by /, or opening:D4. X is the first player, Black.
A position of xiangqi is a FEN, or a line position [fen FEN|startpos] moves ... of UCCI or UCI.

Examples:
  kifu show h8i9j10
  kifu show 'agi:STATU 78695A MOVES 68'
  kifu show openings.lib --path h8,h9
  kifu show games.sgf --game 3 --ply 20 --numbers
  kifu show h9a1h10a15i8o1j8o15 --foul
  kifu show openings.lib --html -o openings.html
  kifu show games.sgf --png --numbers -o game.png
  kifu show games.pgn --game 3 --pieces chinese
  kifu show 'position startpos moves h2e2 h9g7' --svg -o opening.svg")]
pub struct Show {
    #[command(flatten)]
    place: Place,
    /// Put the number of its move on each stone that was played
    #[arg(long)]
    numbers: bool,
    /// Count the numbers from this ply on, and leave the stones before it bare
    #[arg(long, value_name = "PLY", default_value_t = 1)]
    first: usize,
    /// Mark the points that renju forbids to Black
    #[arg(long)]
    foul: bool,
    /// What a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, default_value = "rif", value_name = "READING")]
    three: Three,
    /// Pieces of xiangqi [default: letters; in pictures and pages traditional]
    #[arg(long, value_enum, value_name = "SIGNS")]
    pieces: Option<xiangqi::Pieces>,
    /// Moves of xiangqi as iccs, uci10, wxf, chinese or traditional [default: as --pieces, with letters iccs]
    #[arg(long, value_name = "NOTATION")]
    notation: Option<Style>,
    #[command(flatten)]
    kind: Kind,
    /// Draw each ply of the main line; with pictures, one file each in the folder -o
    #[arg(long, conflicts_with_all = ["ply", "path", "html"])]
    each_ply: bool,
    /// File to write [default: stdout], or folder for several pictures
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// What is drawn; a board in letters where nothing is named.
#[derive(Args)]
#[group(multiple = false)]
struct Kind {
    /// Print a JSON object a position
    #[arg(long)]
    json: bool,
    /// Draw a picture as SVG
    #[arg(long)]
    svg: bool,
    /// Draw a picture as PNG
    #[cfg(feature = "png")]
    #[arg(long)]
    png: bool,
    /// Make a page to click through all records of the file
    #[arg(long)]
    html: bool,
}

impl Kind {
    /// The extension of a picture's file.
    fn picture(&self) -> Option<&'static str> {
        #[cfg(feature = "png")]
        if self.png {
            return Some("png");
        }
        self.svg.then_some("svg")
    }
}

/// Draws a node of a record, which the name tells from the others.
type Draw<'a> = dyn FnMut(&str, &Record, NodeId) -> Result<()> + 'a;

impl Show {
    /// Draws the board.
    pub fn run(self) -> Result<Exit> {
        let text = self.place.text();
        let records = match self.place.asked()? {
            Asked::Lines => return progress::idle(|| self.lines()),
            Asked::Position(record) => vec![record],
            Asked::File if self.kind.html => self.place.records()?,
            Asked::File => vec![self.place.record()?.0],
        };
        self.draw(&text, &records)
    }

    /// Draws what was asked for: all records as a page, or the first one's node or line.
    fn draw(&self, title: &str, records: &[Record]) -> Result<Exit> {
        if self.kind.html {
            let pieces = self.pieces.unwrap_or(xiangqi::Pieces::Traditional);
            let style = self.notation.unwrap_or(pieces.style());
            let title = Path::new(title).file_stem().map_or(title.into(), |stem| stem.to_string_lossy());
            self.write(self.output.as_deref(), |out| html(&title, records, pieces, style, out))?;
            return Ok(Exit::Done);
        }
        let record = &records[0];
        if !self.each_ply {
            let node = self.place.node(record)?;
            self.write(self.output.as_deref(), |out| self.one(title, record, node, out))?;
            return Ok(Exit::Done);
        }
        let nodes = std::iter::once(NodeId::ROOT).chain(plies(&record.tree));
        self.series(0, |draw| nodes.into_iter().try_for_each(|node| draw(title, record, node)))?;
        Ok(Exit::Done)
    }

    /// Draws several positions: pictures into a folder, numbered from `first`, all else in one stream.
    fn series(&self, first: usize, each: impl FnOnce(&mut Draw<'_>) -> Result<()>) -> Result<()> {
        let mut number = first;
        let Some(extension) = self.kind.picture() else {
            return self.write(self.output.as_deref(), |out| {
                each(&mut |name, record, node| {
                    if number > first && !self.kind.json {
                        writeln!(out)?;
                    }
                    number += 1;
                    self.one(name, record, node, out)
                })
            });
        };
        let folder = self.output.as_deref().context("several pictures need a folder: name it with -o")?;
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        each(&mut |name, record, node| {
            let file = folder.join(format!("{number:04}.{extension}"));
            number += 1;
            self.write(Some(&file), |out| self.one(name, record, node, out))
        })
    }

    /// Draws the positions on stdin, and goes on after a line that is none.
    fn lines(&self) -> Result<Exit> {
        if self.kind.html || self.each_ply {
            bail!("positions on stdin are drawn one by one: --html and --each-ply take a file or one position");
        }
        let mut exit = Exit::Done;
        self.series(1, |draw| {
            for (at, line) in stdin().lock().lines().enumerate() {
                let line = line.map_err(|error| anyhow!("stdin cannot be read: {error}"))?;
                if line.trim().is_empty() {
                    continue;
                }
                let position = self.place.position(&line).map_err(|error| anyhow!(error));
                match position.and_then(|record| self.place.node(&record).map(|node| (record, node))) {
                    Err(error) => {
                        complain(&format!("stdin: line {}: {error:#}", at + 1));
                        exit = Exit::Failed;
                    }
                    Ok((record, node)) => draw(&line, &record, node)?,
                }
            }
            Ok(())
        })?;
        Ok(exit)
    }

    /// Draws a node.
    fn one(&self, name: &str, record: &Record, node: NodeId, out: &mut dyn Write) -> Result<()> {
        if record.head.game == Game::Xiangqi {
            return self.xiangqi(name, record, node, out);
        }
        let mut diagram = Diagram::new(record, node);
        if self.foul {
            diagram.find_forbidden(self.three);
        }
        let numbers = if self.numbers { Numbers::From(self.first.max(1)) } else { Numbers::Off };
        if self.kind.json {
            return Ok(writeln!(out, "{}", object(name, record, node, &diagram, self.foul))?);
        }
        #[cfg(feature = "png")]
        if self.kind.png {
            return Ok(out.write_all(&super::png::png(&svg(&diagram, numbers))?)?);
        }
        let text = match self.kind.svg {
            true => svg(&diagram, numbers),
            false => harmless(&text_board::draw(record, node, &diagram, numbers)).into_owned(),
        };
        Ok(out.write_all(text.as_bytes())?)
    }

    /// Draws a node of a record of xiangqi.
    fn xiangqi(&self, name: &str, record: &Record, node: NodeId, out: &mut dyn Write) -> Result<()> {
        if self.numbers || self.foul {
            bail!("--numbers and --foul are for gomoku, and this is xiangqi");
        }
        let diagram = xiangqi::Diagram::new(record, node);
        let diagram = diagram.map_err(|remark| anyhow!("the tag FEN holds no position: {remark}"))?;
        let is_picture = self.kind.picture().is_some();
        let pieces = self.pieces.unwrap_or(match is_picture {
            true => xiangqi::Pieces::Traditional,
            false => xiangqi::Pieces::Letters,
        });
        if self.kind.json {
            let style = self.notation.unwrap_or(Style::Chinese);
            return Ok(writeln!(out, "{}", diagram.object(name, record, node, style))?);
        }
        #[cfg(feature = "png")]
        if self.kind.png {
            return Ok(out.write_all(&super::png::png(&xiangqi::svg(&diagram, pieces))?)?);
        }
        let text = match is_picture {
            true => xiangqi::svg(&diagram, pieces),
            false => {
                let style = self.notation.unwrap_or(pieces.style());
                let board = xiangqi::draw(record, node, &diagram, pieces, style, !self.each_ply);
                harmless(&board).into_owned()
            }
        };
        Ok(out.write_all(text.as_bytes())?)
    }

    /// Writes into a file, whole or not at all, or to stdout.
    fn write(&self, file: Option<&Path>, what: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        match file.filter(|file| file.as_os_str() != "-") {
            Some(file) => {
                let mut output = Output::create(file, self.force)?;
                what(&mut output)?;
                output.commit()
            }
            None if self.kind.picture() == Some("png") && stdout().is_terminal() => {
                bail!("a terminal cannot show a PNG: name a file with -o")
            }
            // As it is: what is drawn holds nothing that a terminal obeys, and a PNG bears no filter.
            None => what(&mut stdout().lock()),
        }
    }
}

fn object(input: &str, record: &Record, node: NodeId, diagram: &Diagram, foul: bool) -> Value {
    let size = diagram.size;
    let tree = &record.tree;
    let point = |point: Point| json!({"point": diagram.name(point), "x": point.x(), "y": point.y()});
    let last = diagram.last.map(|last| last.point().map_or(json!({"point": "--"}), point));
    let labels: Vec<Value> =
        diagram.labels.iter().map(|(at, text)| json!({"point": diagram.name(*at), "text": text})).collect();
    let signs: Vec<Value> =
        diagram.signs.iter().map(|(at, shape)| json!({"point": diagram.name(*at), "shape": shape.name()})).collect();
    let moves: Vec<String> = tree.path(node).iter().map(|node| move_name(tree, *node, size)).collect();
    let next: Vec<String> = tree.children(node).map(|child| move_name(tree, child, size)).collect();
    let head = &record.head;
    let mut object = json!({
        "kifu": JSON, "black": head.tag("Black"), "white": head.tag("White"),
        "result": head.result.map(|result| result.text()),
        "input": input, "size": [size.width(), size.height()], "ply": diagram.ply,
        "side": if diagram.to_move == Side::First { "black" } else { "white" },
        "board": diagram.rows(), "last": last, "moves": moves, "next": next,
        "opening": diagram.opening.map(opening_object), "labels": labels, "signs": signs, "line": tree.line(node), "body": tree.body(node),
    });
    if foul {
        let kinds = |kinds: games::gomoku::Kinds| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>();
        let foul = diagram
            .forbidden
            .iter()
            .map(|(at, why)| json!({"point": diagram.name(*at), "x": at.x(), "y": at.y(), "kinds": kinds(*why)}));
        object["foul"] = foul.collect();
    }
    object
}

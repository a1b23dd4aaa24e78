use super::Exit;
use super::input::{Input, name};
use super::progress;
use super::reading::{ReadArgs, Told};
use super::terminal::{JSON, complain, count, harmless};
use ::formats::{Blame, Error, by_extension};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::{Coords, Move, Point, Position, Side, Size, parse_moves};
use record::{NodeId, Note, Play, Record, Shape, Stones, Tree, TreeBuilder};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{BufRead, Write, stdin};
use std::path::Path;

/// Draw a position, or a place in a record, as a board
#[derive(Args)]
#[command(after_help = "A position is a move string in any notation (--coords), agi:78685A69, agi:STATU 7869 MOVES 68,
or board: and its rows of . X O joined by /. X is the first player, Black.

Examples:
  kifu show h8i9j10
  kifu show 'agi:STATU 78695A MOVES 68'
  kifu show openings.lib --path h8,h9
  kifu show games.sgf --game 3 --ply 20")]
pub struct Show {
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
    coords: Coords,
    /// Print a JSON object a position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl Show {
    /// Draws the board.
    pub fn run(self) -> Result<Exit> {
        let text = self.what.to_string_lossy();
        if self.read.from.is_some() || self.file().exists() {
            let record = self.record()?;
            self.print(&text, &record, self.node(&record)?)?;
        } else if text == "-" {
            return progress::idle(|| self.lines());
        } else if looks_like_a_file(self.file()) {
            bail!("{text}: there is no such file");
        } else {
            let record = self.position(&text).map_err(|error| anyhow!("this is no file and no position: {error}"))?;
            self.print(&text, &record, self.node(&record)?)?;
        }
        Ok(Exit::Done)
    }

    fn file(&self) -> &Path {
        Path::new(&self.what)
    }

    /// Draws the positions on stdin, and goes on after a line that is none.
    fn lines(&self) -> Result<Exit> {
        let mut exit = Exit::Done;
        let mut drawn = false;
        for (at, line) in stdin().lock().lines().enumerate() {
            let line = line.map_err(|error| anyhow!("stdin cannot be read: {error}"))?;
            if line.trim().is_empty() {
                continue;
            }
            let position = self.position(&line).map_err(|error| anyhow!(error));
            match position.and_then(|record| self.node(&record).map(|node| (record, node))) {
                Err(error) => {
                    complain(&format!("stdin: line {}: {error:#}", at + 1));
                    exit = Exit::Failed;
                }
                Ok((record, node)) => {
                    if drawn && !self.json {
                        writeln!(anstream::stdout().lock())?;
                    }
                    drawn = true;
                    self.print(&line, &record, node)?;
                }
            }
        }
        Ok(exit)
    }

    fn position(&self, text: &str) -> Result<Record, String> {
        let position = Position::parse(text, self.coords, self.read.size.unwrap_or_default())?;
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

    /// The record asked for; reading ends when it is there.
    fn record(&self) -> Result<Record> {
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
            (Some(record), _) => return Ok(record),
            (None, Err(error)) => return Err(error).with_context(file),
            (None, Ok(_)) => {}
        }
        bail!("{}: there is no game {}: the file has {}", file(), self.game, count(records, "game"))
    }

    /// The node asked for: at the ply, at the end of the path, where the library opens, or at the end of the line.
    fn node(&self, record: &Record) -> Result<NodeId> {
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
            Some(ply) => tree.main_line().nth(ply - 1).with_context(|| {
                let plies = tree.main_line().count();
                format!("--ply: the main line has {plies} {}, not {ply}", if plies == 1 { "ply" } else { "plies" })
            }),
            None => Ok(tree.nodes().find(|node| tree.is_start(*node)).unwrap_or_else(|| last(tree))),
        }
    }

    fn print(&self, name: &str, record: &Record, node: NodeId) -> Result<()> {
        let view = View::new(record, node);
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", view.object(name))?;
        } else {
            write!(out, "{}", harmless(&view.drawing()))?;
        }
        Ok(())
    }
}

/// Whether a name that is no file's was meant as one.
fn looks_like_a_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| by_extension(extension).is_some())
}

fn last(tree: &Tree) -> NodeId {
    tree.main_line().last().unwrap_or(NodeId::ROOT)
}

/// A node of a record, ready to be drawn.
struct View<'r> {
    record: &'r Record,
    node: NodeId,
    stones: Stones,
    ply: usize,
    to_move: Side,
    labels: Vec<(Point, &'r str)>,
    signs: Vec<(Point, Shape)>,
}

impl<'r> View<'r> {
    fn new(record: &'r Record, node: NodeId) -> View<'r> {
        let tree = &record.tree;
        let mut stones = Stones::new(record.head.size);
        stones.enter(tree, 0, NodeId::ROOT);
        let path = tree.path(node);
        for (depth, node) in path.iter().enumerate() {
            stones.enter(tree, depth + 1, *node);
        }
        let said =
            |node| tree.notes(node).find_map(|note| if let Note::ToMove(side) = note { Some(side) } else { None });
        let next = tree.first_child(node).filter(|child| matches!(tree.play(*child), Play::Move(_)));
        let to_move = said(node).or(next.map(|child| tree.side(child))).unwrap_or(match node {
            NodeId::ROOT => Side::First,
            node => tree.side(node).other(),
        });
        let mut labels = Vec::new();
        let mut signs = Vec::new();
        for note in tree.notes(node) {
            match note {
                Note::Label(point, text) => labels.push((point, text)),
                Note::Mark(point, shape) => signs.push((point, shape)),
                _ => {}
            }
        }
        // A board text stands on a move's point while the position before the move is shown.
        labels.extend(tree.children(node).filter_map(|child| Some((tree.play(child).point()?, tree.text(child)?))));
        View { record, node, stones, ply: path.len(), to_move, labels, signs }
    }

    fn last_move(&self) -> Option<Move> {
        match self.record.tree.play(self.node) {
            Play::Move(last) => Some(last),
            _ => None,
        }
    }

    fn name(&self, point: Point) -> String {
        Coords::A1.text(point, self.record.head.size)
    }

    /// Rows from the top, joined by `/`.
    fn rows(&self) -> String {
        let size = self.record.head.size;
        let mut rows = String::new();
        for point in size.points() {
            if point.x() == 0 && point.y() > 0 {
                rows.push('/');
            }
            rows.push(match self.stones.get(point) {
                Some(Side::First) => 'X',
                Some(Side::Second) => 'O',
                None => '.',
            });
        }
        rows
    }

    fn object(&self, input: &str) -> Value {
        let size = self.record.head.size;
        let tree = &self.record.tree;
        let point = |point: Point| json!({"point": self.name(point), "x": point.x(), "y": point.y()});
        let last = self.last_move().map(|last| last.point().map_or(json!({"point": "--"}), point));
        let labels: Vec<Value> =
            self.labels.iter().map(|(p, text)| json!({"point": self.name(*p), "text": text})).collect();
        let signs: Vec<Value> =
            self.signs.iter().map(|(p, s)| json!({"point": self.name(*p), "shape": s.name()})).collect();
        let moves: Vec<String> = tree.path(self.node).iter().map(|node| move_name(tree, *node, size)).collect();
        let next: Vec<String> = tree.children(self.node).map(|child| move_name(tree, child, size)).collect();
        let head = &self.record.head;
        json!({
            "kifu": JSON, "black": head.tag("Black"), "white": head.tag("White"),
            "result": head.result.map(|result| result.text()),
            "input": input, "size": [size.width(), size.height()], "ply": self.ply,
            "side": side_name(self.to_move), "board": self.rows(), "last": last, "moves": moves, "next": next,
            "labels": labels, "signs": signs, "line": tree.line(self.node), "body": tree.body(self.node),
        })
    }

    /// `Ann - Bob, 1-0`, as far as the record says it.
    fn title(&self) -> String {
        let head = &self.record.head;
        let name = |tag| head.tag(tag).unwrap_or("?").replace('\n', " ");
        let players = head.tag("Black").or(head.tag("White")).map(|_| format!("{} - {}", name("Black"), name("White")));
        let parts: Vec<String> = players.into_iter().chain(head.result.map(|result| result.text().into())).collect();
        if parts.is_empty() { String::new() } else { parts.join(", ") + "\n\n" }
    }

    fn drawing(&self) -> String {
        let size = self.record.head.size;
        let mut text = self.title();
        let last = self.last_move().and_then(Move::point);
        for y in 0..size.height() {
            let _ = write!(text, "{:>2}", size.height() - y);
            let mut after_last = false;
            for x in 0..size.width() {
                let point = Point::new(x, y).expect("a board fits the limit of points");
                let is_last = last == Some(point);
                text.push(if is_last {
                    '('
                } else if after_last {
                    ')'
                } else {
                    ' '
                });
                text.push(self.cell(point));
                after_last = is_last;
            }
            text.push_str(if after_last { ")\n" } else { "\n" });
        }
        text.push_str("  ");
        for x in 0..size.width() {
            text.push(' ');
            text.push(char::from(b'a' + x));
        }
        text.push_str("\n\n");
        self.captions(&mut text);
        text
    }

    /// A stone, or the first sign of a label, or the empty point.
    fn cell(&self, point: Point) -> char {
        match self.stones.get(point) {
            Some(Side::First) => return 'X',
            Some(Side::Second) => return 'O',
            None => {}
        }
        if let Some((_, label)) = self.labels.iter().find(|(at, _)| *at == point) {
            let mut signs = label.chars();
            return match (signs.next(), signs.next()) {
                (Some(sign), None) if sign.is_ascii_graphic() && !"XO.".contains(sign) => sign,
                _ => '*',
            };
        }
        if let Some((_, shape)) = self.signs.iter().find(|(at, _)| *at == point) {
            return match shape {
                Shape::Triangle => '^',
                Shape::Circle => '@',
                Shape::Square => '#',
                Shape::Cross => '%',
                Shape::Selected => '=',
            };
        }
        if is_star(point, self.record.head.size) { '+' } else { '.' }
    }

    fn captions(&self, text: &mut String) {
        let tree = &self.record.tree;
        let size = self.record.head.size;
        let turn = if self.to_move == Side::First { "X (Black)" } else { "O (White)" };
        let last = match self.last_move() {
            Some(last) => format!(", last {}", last.point().map_or("a pass".into(), |point| self.name(point))),
            None => String::new(),
        };
        let _ = writeln!(text, "ply {}{last}, {turn} to move", self.ply);
        let next: Vec<String> = tree.children(self.node).map(|child| move_name(tree, child, size)).collect();
        if !next.is_empty() {
            let _ = writeln!(text, "next {}", next.join(" "));
        }
        if !self.labels.is_empty() {
            let labels: Vec<String> =
                self.labels.iter().map(|(point, label)| format!("{} {label}", self.name(*point))).collect();
            let _ = writeln!(text, "labels {}", labels.join(", "));
        }
        if !self.signs.is_empty() {
            let signs: Vec<String> =
                self.signs.iter().map(|(point, shape)| format!("{} {}", self.name(*point), shape.name())).collect();
            let _ = writeln!(text, "signs {}", signs.join(", "));
        }
        for note in tree.notes(self.node) {
            match note {
                Note::Value(value) => {
                    let _ = writeln!(text, "value {}", value.text());
                }
                Note::Line(comment) | Note::Body(comment) => {
                    let _ = writeln!(text, "{comment}");
                }
                _ => {}
            }
        }
    }
}

fn side_name(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

/// `h8`, `--` for a pass, `[h8]` for a label-only node, `~` for a node without a move.
fn move_name(tree: &Tree, node: NodeId, size: Size) -> String {
    match tree.play(node) {
        Play::Move(Move::Place(point)) => Coords::A1.text(point, size),
        Play::Move(Move::Pass) => "--".into(),
        Play::Label(point) => format!("[{}]", Coords::A1.text(point, size)),
        Play::Nothing => "~".into(),
    }
}

/// The star points: the centre of a board with odd sides, and the fourth lines' crossings from 13x13 on.
fn is_star(point: Point, size: Size) -> bool {
    let on = |at: u8, side: u8| side >= 13 && (at == 3 || at + 4 == side);
    let middle = |at: u8, side: u8| side % 2 == 1 && at == side / 2;
    let (x, y) = (point.x(), point.y());
    (on(x, size.width()) && on(y, size.height())) || (middle(x, size.width()) && middle(y, size.height()))
}

use super::Exit;
use super::diagram::{Diagram, opening_name, opening_object};
use super::files::{Files, Wanted};
use super::input::{Input, name};
use super::kind::Kind;
use super::known::Known;
use super::reading::{ReadArgs, Told};
use super::terminal::{JSON, count, harmless, thousands};
use ::formats::{Severity, Sure};
use anyhow::{Context, Result};
use clap::Args;
use games::gomoku::Opening;
use games::{Coords, Game, Move};
use record::{NodeId, Note, Pieces, Play, Record, occupied};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Say what files hold: format, game or positions, counts, encoding, quirks
#[derive(Args)]
#[command(after_help = "Examples:
  kifu info openings.lib
  kifu info --json games/*.sgf
  kifu info -r libraries")]
pub struct Info {
    /// Files; - is stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read the files in folders
    #[arg(short, long)]
    recurse: bool,
    /// Print a JSON object a file
    #[arg(long)]
    json: bool,
    /// Notation of points where the file leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    #[command(flatten)]
    read: ReadArgs,
}

/// What is counted in a file.
#[derive(Default)]
struct Counts {
    records: u64,
    nodes: u64,
    leaves: u64,
    depth: usize,
    comments: u64,
    labels: u64,
    point_labels: u64,
    signs: u64,
    marks: u64,
    starts: u64,
    passes: u64,
    label_only: u64,
    values: u64,
    set_up: u64,
    occupied: u64,
    /// Moves of xiangqi that take a piece.
    captures: u64,
    /// The head of the first record.
    head: record::Head,
    /// The renju opening that all lines of the first record begin with.
    opening: Option<&'static Opening>,
    /// Whether all records have the board and the rule of the first.
    uniform: bool,
}

impl Info {
    /// Prints a block or a line a file.
    pub fn run(self) -> Result<Exit> {
        let wanted = Wanted::All.unless(self.read.from.is_some());
        Files::list(&self.files, self.recurse, wanted, None)?.each(|path| self.file(path))
    }

    fn file(&self, path: &Path) -> Result<Exit> {
        let input = Input::open(path)?;
        let known = match self.read.kind(&input) {
            Ok(Kind::Book) => Some(Known::of_book(path, &input)?),
            Ok(Kind::Positions(format)) => Some(Known::of_positions(path, &input, format, &self.read)?),
            _ => None,
        };
        if let Some(known) = known {
            let mut out = anstream::stdout().lock();
            match self.json {
                true => writeln!(out, "{}", known.object(path))?,
                false => write!(out, "{}", harmless(&known.block(path)))?,
            }
            return Ok(Exit::Done);
        }
        let mut counts = Counts { uniform: true, ..Counts::default() };
        let mut each = |record: Record| {
            counts.add(&record);
            Ok(())
        };
        let told = self.read.watch(&input, &self.read.options(self.coords, 1), &mut each);
        let told = told.and_then(Told::whole).with_context(|| name(path))?;
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", object(path, &told, &counts))?;
        } else {
            write!(out, "{}", harmless(&block(path, &told, &counts)))?;
        }
        Ok(Exit::Done)
    }
}

impl Counts {
    fn add(&mut self, record: &Record) {
        let head = &record.head;
        if self.records == 0 {
            self.head = head.clone();
            self.opening = common_opening(record);
        } else {
            self.uniform &= (head.game, head.rule, head.size) == (self.head.game, self.head.rule, self.head.size);
        }
        self.records += 1;
        let tree = &record.tree;
        for (depth, node) in tree.walk() {
            self.depth = self.depth.max(depth);
            if node != NodeId::ROOT {
                self.nodes += 1;
                self.leaves += u64::from(tree.is_leaf(node));
                self.passes += u64::from(tree.play(node) == Play::Move(Move::Pass));
                self.label_only += u64::from(matches!(tree.play(node), Play::Label(_)));
            }
            self.marks += u64::from(tree.is_found(node));
            self.starts += u64::from(tree.is_start(node));
            let mut commented = false;
            for note in tree.notes(node) {
                match note {
                    Note::Line(_) | Note::Body(_) => commented = true,
                    Note::Text(_) => self.labels += 1,
                    Note::Label(..) => self.point_labels += 1,
                    Note::Mark(..) => self.signs += 1,
                    Note::Value(_) => self.values += 1,
                    Note::Stone(..) => self.set_up += 1,
                    _ => {}
                }
            }
            self.comments += u64::from(commented);
        }
        match head.game {
            Game::Gomoku => self.occupied += occupied(record).count() as u64,
            Game::Xiangqi => self.captures += captures(record),
        }
    }
}

/// How many moves of xiangqi take a piece; none where the record has no position to begin with.
fn captures(record: &Record) -> u64 {
    let Ok(mut pieces) = Pieces::new(&record.head) else { return 0 };
    let mut captures = 0;
    for (depth, node) in record.tree.walk().skip(1) {
        let play = record.tree.play(node);
        pieces.back_to(depth);
        if let Play::Move(Move::Step(step)) = play {
            captures += u64::from(pieces.board().piece(step.to).is_some());
        }
        pieces.enter(play);
    }
    captures
}

/// The opening that all lines of a record begin with.
fn common_opening(record: &Record) -> Option<&'static Opening> {
    let tree = &record.tree;
    let only_child = |node: &NodeId| tree.first_child(*node).filter(|child| tree.next_sibling(*child).is_none());
    if record.head.game != Game::Gomoku {
        return None;
    }
    let third = std::iter::successors(Some(NodeId::ROOT), only_child).nth(3)?;
    Diagram::new(record, third).opening
}

fn object(path: &Path, told: &Told, counts: &Counts) -> Value {
    let head = &counts.head;
    let is_gomoku = head.game == Game::Gomoku;
    let (rule, stated) = (head.rule.or(told.format.rule).filter(|_| is_gomoku), head.rule.is_some());
    let quirks: Vec<&str> = told.faults.counts().iter().map(|count| count.0).collect();
    let faults: Vec<Value> = told
        .faults
        .counts()
        .iter()
        .map(|(kind, severity, count)| {
            let first = told.faults.list().iter().find(|fault| fault.kind == *kind);
            json!({
                "kind": kind, "severity": severity_name(*severity), "count": count,
                "message": first.map(|fault| &fault.message), "byte": first.and_then(|fault| fault.place.byte),
                "path": first.and_then(|fault| fault.place.path.as_ref()),
            })
        })
        .collect();
    let encoding = told.encoding.map(|guess| json!({"name": guess.encoding.name(), "sure": guess.sure.name()}));
    let mut object = json!({
        "kifu": JSON, "file": path.display().to_string(), "format": told.format.name, "version": told.version,
        "game": head.game.name(), "rule": rule.map(|rule| rule.name()), "rule_stated": stated,
        "size": [head.size.width(), head.size.height()], "uniform": counts.uniform,
        "records": counts.records, "nodes": counts.nodes, "leaves": counts.leaves, "depth": counts.depth,
        "comments": counts.comments, "labels": counts.labels, "point_labels": counts.point_labels,
        "signs": counts.signs, "marks": counts.marks, "starts": counts.starts, "passes": counts.passes,
        "label_only": counts.label_only, "values": counts.values, "set_up": counts.set_up,
        "occupied": counts.occupied, "opening": counts.opening.map(opening_object), "result": head.result.map(|result| result.text()),
        "tags": head.tags, "encoding": encoding, "quirks": quirks, "faults": faults,
    });
    if let Some(members) = object.as_object_mut().filter(|_| !is_gomoku) {
        for name in ["rule_stated", "label_only", "set_up", "occupied", "opening"] {
            members.remove(name);
        }
        members.insert("captures".into(), counts.captures.into());
    }
    object
}

pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Remark => "remark",
        Severity::Quirk => "quirk",
        Severity::Damage => "damage",
    }
}

fn block(path: &Path, told: &Told, counts: &Counts) -> String {
    let version = told.version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
    let rows = rows(told, counts);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}: {}{version}\n", name(path), told.format.title);
    for (name, value) in rows {
        text += &format!("  {name:<width$}  {value}\n");
    }
    text
}

/// What is said of a file, line by line: name, value.
fn rows(told: &Told, counts: &Counts) -> Vec<(String, String)> {
    let head = &counts.head;
    let rule = match (head.rule, told.format.rule) {
        (Some(rule), _) => rule.name().into(),
        (None, Some(rule)) => format!("{} (the format's, the file says none)", rule.name()),
        (None, None) => "rule not said".into(),
    };
    let first = if counts.uniform { "" } else { " in the first record; others differ" };
    let records = if counts.records == 1 { String::new() } else { format!(" in {}", count(counts.records, "record")) };
    let plies = if counts.depth == 1 { "ply" } else { "plies" };
    let mut rows = vec![
        (
            "game".into(),
            match head.game {
                Game::Gomoku => format!("gomoku, {rule}, {}{first}", head.size),
                Game::Xiangqi => format!("xiangqi{first}"),
            },
        ),
        (
            "tree".into(),
            format!(
                "{}{records}, {}, {} {plies} deep",
                count(counts.nodes, "node"),
                count(counts.leaves, "line"),
                counts.depth
            ),
        ),
    ];
    if counts.records == 1 {
        rows.extend(head.tags.iter().map(|(name, value)| (name.to_lowercase(), value.replace('\n', " "))));
        rows.extend(head.result.map(|result| ("result".into(), result.text().into())));
        rows.extend(counts.opening.map(|opening| ("opening".into(), opening_name(opening))));
    }
    for (name, number, always) in [
        ("comments", counts.comments, true),
        ("labels", counts.labels, true),
        ("on points", counts.point_labels, false),
        ("signs", counts.signs, false),
        ("marks", counts.marks, false),
        ("start", counts.starts, false),
        ("passes", counts.passes, false),
        ("label-only", counts.label_only, false),
        ("values", counts.values, false),
        ("set-up", counts.set_up, false),
        ("occupied", counts.occupied, false),
        ("captures", counts.captures, false),
    ] {
        if always || number > 0 {
            rows.push((name.into(), thousands(number)));
        }
    }
    if let Some(guess) = told.encoding {
        let all_ascii = guess.sure == Sure::Certain && head.encoding.is_none();
        let name = if all_ascii { "ASCII or UTF-8" } else { guess.encoding.name() };
        rows.push(("encoding".into(), format!("{name} ({})", guess.sure.name())));
    }
    for (kind, severity, number) in told.faults.counts() {
        let first = told.faults.list().iter().find(|fault| fault.kind == *kind);
        let message = first.map(|fault| fault.to_string()).unwrap_or_default();
        let more = if *number > 1 { format!(" ({} in all)", thousands(*number)) } else { String::new() };
        rows.push((severity_name(*severity).into(), format!("{kind}: {message}{more}")));
    }
    rows
}

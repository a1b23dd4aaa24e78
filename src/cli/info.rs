use super::Exit;
use super::files::list;
use super::input::Input;
use super::progress::{Bar, PROGRESS};
use super::reading::{ReadArgs, Told};
use super::terminal::{complain, count, harmless, thousands};
use ::formats::{Blame, Error, Severity, Sure};
use anyhow::{Result, bail};
use clap::Args;
use games::{Coords, Move};
use record::{NodeId, Note, Play, Record, occupied};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Say what files hold: format, game, counts, encoding, quirks
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
    /// The head of the first record.
    head: record::Head,
    /// Whether all records have the board and the rule of the first.
    uniform: bool,
}

impl Info {
    /// Prints a block or a line a file.
    pub fn run(self) -> Result<Exit> {
        let files = list(&self.files, self.recurse, self.read.from.is_some(), None)?;
        if files.found.is_empty() {
            bail!("no file to read is in the folder");
        }
        let mut exit = Exit::Done;
        for file in &files.found {
            match self.file(&file.path) {
                Ok(()) => {}
                Err(error) if error.downcast_ref::<Error>().is_some_and(|e| e.blame == Blame::Stopped) => {
                    return Err(error);
                }
                Err(error) => {
                    complain(&format!("{error:#}"));
                    exit = Exit::Failed;
                }
            }
        }
        Ok(exit)
    }

    fn file(&self, path: &Path) -> Result<()> {
        let input = Input::open(path)?;
        PROGRESS.done.store(0, Ordering::Relaxed);
        let _bar = Bar::watch(input.len() as u64);
        let mut counts = Counts { uniform: true, ..Counts::default() };
        let options = self.read.options(self.coords, 1);
        let mut each = |record: Record| {
            counts.add(&record);
            Ok(())
        };
        let name = path.display();
        let told = match self.read.read(&input, &options, &mut each) {
            Ok(told) => told,
            Err(error) => bail!("{name}: {error}"),
        };
        if let Err(error) = told.result {
            if error.blame == Blame::Stopped {
                return Err(error.into());
            }
            bail!("{name}: {error}");
        }
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", object(path, &told, &counts))?;
        } else {
            write!(out, "{}", harmless(&block(path, &told, &counts)))?;
        }
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, record: &Record) {
        let head = &record.head;
        if self.records == 0 {
            self.head = head.clone();
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
        self.occupied += occupied(record).count() as u64;
    }
}

fn object(path: &Path, told: &Told, counts: &Counts) -> Value {
    let head = &counts.head;
    let (rule, stated) = (head.rule.or(told.format.rule), head.rule.is_some());
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
    json!({
        "file": path.display().to_string(), "format": told.format.name, "version": told.version,
        "game": head.game.name(), "rule": rule.map(|rule| rule.name()), "rule_stated": stated,
        "size": [head.size.width(), head.size.height()], "uniform": counts.uniform,
        "records": counts.records, "nodes": counts.nodes, "leaves": counts.leaves, "depth": counts.depth,
        "comments": counts.comments, "labels": counts.labels, "point_labels": counts.point_labels,
        "signs": counts.signs, "marks": counts.marks, "starts": counts.starts, "passes": counts.passes,
        "label_only": counts.label_only, "values": counts.values, "set_up": counts.set_up,
        "occupied": counts.occupied, "result": head.result.map(|result| result.text()),
        "tags": head.tags, "encoding": encoding, "quirks": quirks, "faults": faults,
    })
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Remark => "remark",
        Severity::Quirk => "quirk",
        Severity::Damage => "damage",
    }
}

fn block(path: &Path, told: &Told, counts: &Counts) -> String {
    let mut text = format!("{}: {}", path.display(), told.format.title);
    if let Some(version) = &told.version {
        text += &format!(", version {version}");
    }
    text.push('\n');
    let mut row = |name: &str, value: String| text += &format!("  {name:<10}{value}\n");
    let head = &counts.head;
    let rule = match (head.rule, told.format.rule) {
        (Some(rule), _) => rule.name().into(),
        (None, Some(rule)) => format!("{} (the format's, the file says none)", rule.name()),
        (None, None) => "rule not said".into(),
    };
    let first = if counts.uniform { "" } else { " in the first record; others differ" };
    row("game", format!("{}, {rule}, {}{first}", head.game, head.size));
    let records = if counts.records == 1 { String::new() } else { format!(" in {}", count(counts.records, "record")) };
    row(
        "tree",
        format!(
            "{}{records}, {}, {} deep",
            count(counts.nodes, "node"),
            count(counts.leaves, "line"),
            count(counts.depth as u64, "ply").replace("plys", "plies")
        ),
    );
    if counts.records == 1 {
        for (name, value) in &head.tags {
            row(&name.to_lowercase(), value.replace('\n', " "));
        }
        if let Some(result) = head.result {
            row("result", result.text().into());
        }
    }
    row("comments", thousands(counts.comments));
    row("labels", thousands(counts.labels));
    for (name, number) in [
        ("on points", counts.point_labels),
        ("signs", counts.signs),
        ("marks", counts.marks),
        ("start", counts.starts),
        ("passes", counts.passes),
        ("label-only", counts.label_only),
        ("values", counts.values),
        ("set-up", counts.set_up),
        ("occupied", counts.occupied),
    ] {
        if number > 0 {
            row(name, thousands(number));
        }
    }
    if let Some(guess) = told.encoding {
        let all_ascii = guess.sure == Sure::Certain && head.encoding.is_none();
        let name = if all_ascii { "ASCII or UTF-8" } else { guess.encoding.name() };
        row("encoding", format!("{name} ({})", guess.sure.name()));
    }
    for (kind, severity, number) in told.faults.counts() {
        let first = told.faults.list().iter().find(|fault| fault.kind == *kind);
        let message = first.map(|fault| fault.to_string()).unwrap_or_default();
        let more = if *number > 1 { format!(" ({} in all)", thousands(*number)) } else { String::new() };
        row(severity_name(*severity), format!("{kind}: {message}{more}"));
    }
    text
}

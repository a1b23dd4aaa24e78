use super::Exit;
use super::book::verify;
use super::files::{Files, Wanted};
use super::input::{Input, name};
use super::kind::Kind;
use super::position::{reason, word};
use super::progress::PROGRESS;
use super::reading::ReadArgs;
use super::terminal::{JSON, count, harmless};
use ::formats::{Blame, Error, Fault, Faults, Place, ReadOptions, Severity};
use anyhow::Result;
use clap::Args;
use games::gomoku::{OpeningRule, Stated, Three};
use games::xiangqi::{Loss, Verdict, side_name};
use games::{Coords, Game, Move, Rule};
use record::{Flaw, NodeId, Note, Outcome, PieceFlaw, Play, Record, judge, judge_pieces};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Find what a strict reader would refuse, and what is wrong with the play, with its place
#[derive(Args)]
#[command(after_help = "Of the play it finds a stone on a stone, a side out of turn, moves after a five,
a forbidden move that nobody claimed, a five that nobody noticed, and a result
that contradicts the board. The rule is the one the file says, else --rule, else
the format's; without one, fives and forbidden moves are not judged. Of xiangqi
it finds boards that cannot be, moves that are not legal, passes, and mates that
the result does not know.

Exit codes: 0 no fault, 1 faults found, 2 a file cannot be opened.

Examples:
  kifu check openings.lib
  kifu check games.sgf --rule renju --opening-rule soosorv-8
  kifu check --json -r libraries")]
pub struct Check {
    /// Files; - is stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read the files in folders
    #[arg(short, long)]
    recurse: bool,
    /// Print a JSON object a fault
    #[arg(long)]
    json: bool,
    /// Rule where the file says none: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// What a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, default_value = "rif", value_name = "READING")]
    three: Three,
    /// Hold the openings against this rule: rif, yamaguchi, soosorv-8, taraguchi-10, swap2, ...
    #[arg(long, value_name = "RULE")]
    opening_rule: Option<OpeningRule>,
    /// Tell also what is no fault: games decided without a five, legal oddities of the format
    #[arg(long)]
    notes: bool,
    /// Notation of points where the file leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    /// Show at most this many faults of a kind in a file
    #[arg(long, default_value_t = 1000, value_name = "N")]
    most: u64,
    #[command(flatten)]
    read: ReadArgs,
}

/// What there is to tell of a file.
struct Findings {
    most: u64,
    /// How many faults there are, shown or not.
    faults: u64,
    counts: HashMap<&'static str, u64>,
    /// Records whose rule nothing says.
    without_rule: u64,
    list: Vec<Finding>,
}

/// A line to print.
struct Finding {
    kind: &'static str,
    /// `damage` and `quirk` of the file, `play`, or `note`.
    severity: &'static str,
    fault: Fault,
}

impl Check {
    /// Prints the faults of each file.
    pub fn run(self) -> Result<Exit> {
        let wanted = Wanted::All.unless(self.read.from.is_some());
        Files::list(&self.files, self.recurse, wanted, None)?.each(|path| self.file(path))
    }

    /// Prints the faults of a file and answers whether there are any.
    fn file(&self, path: &Path) -> Result<Exit> {
        let input = Input::open(path)?;
        let mut findings = Findings::new(self.most);
        let end = match self.read.kind(&input) {
            Err(error) => Err(("unknown-format", error)),
            Ok(Kind::Book) => verify(&input).map(drop).map_err(|error| {
                let is_stopped = PROGRESS.stop.load(Ordering::Relaxed);
                let blame = if is_stopped { Blame::Stopped } else { Blame::File };
                ("damaged", Error::new(blame, Kind::Book.name(), error.to_string()))
            }),
            Ok(Kind::Positions(format)) => {
                let options = ReadOptions { rule: self.rule, ..self.read.options(self.coords, self.most) };
                let told = self.read.watch_entries(&input, format, &options, &mut |_| Ok(()));
                findings.of_reading(&told.faults);
                told.result.map_err(|error| ("refused", error))
            }
            Ok(Kind::Records(format)) => {
                let mut records = 0;
                let mut play = Findings::new(self.most);
                let mut each = |record: Record| {
                    records += 1;
                    let number = format.many.then_some(records);
                    self.play(&record, self.rule_of(&record, format.rule), number, &mut play);
                    Ok(())
                };
                let told = self.read.watch(&input, &self.read.options(self.coords, self.most), &mut each)?;
                findings.of_reading(&told.faults);
                findings.faults += play.faults;
                findings.list.append(&mut play.list);
                if play.without_rule > 0 {
                    findings.push("rule-not-said", "note", || {
                        let records = count(play.without_rule, "record");
                        let message = format!("no rule is said for {records}: fives and forbidden moves are not judged, name it with --rule");
                        (Place::default(), message)
                    });
                }
                told.result.map_err(|error| ("refused", error))
            }
        };
        if let Err((kind, error)) = end {
            if error.blame == Blame::Stopped {
                return Err(error.into());
            }
            let fault = Fault { kind, severity: Severity::Damage, message: error.message, place: *error.place };
            findings.faults += 1;
            findings.list.push(Finding::of_file(fault));
        }
        self.print(path, &findings)?;
        Ok(if findings.faults > 0 { Exit::No } else { Exit::Done })
    }

    fn rule_of(&self, record: &Record, of_format: Option<Rule>) -> Option<Rule> {
        record.head.rule.or(self.rule).or(of_format)
    }

    /// Judges the moves, the result and the opening of a record.
    fn play(&self, record: &Record, rule: Option<Rule>, number: Option<u64>, findings: &mut Findings) {
        let place = |node| Place { record: number, ..Place::default() }.after(&record.tree, node, record.head.size);
        if record.head.game == Game::Xiangqi {
            return judge_pieces(record, &mut |node, flaw| {
                let severity = if flaw.is_fault() { "play" } else { "note" };
                findings.push(flaw.name(), severity, || (place(node), of_pieces(flaw)));
            });
        }
        judge(record, rule, self.three, &mut |node, flaw| {
            let severity = if flaw.is_fault() { "play" } else { "note" };
            findings.push(flaw.name(), severity, || (place(node), sentence(flaw)));
        });
        findings.without_rule += u64::from(rule.is_none());
        let Some(opening_rule) = self.opening_rule else { return };
        if record.tree.notes(NodeId::ROOT).any(|note| matches!(note, Note::Stone(..))) {
            let message = "not stated: the opening, for the game starts from stones that were set up";
            return findings.push("not-stated", "note", || (place(NodeId::ROOT), message.into()));
        }
        let played = |node| if let Play::Move(played) = record.tree.play(node) { Some((node, played)) } else { None };
        let (line, moves): (Vec<NodeId>, Vec<Move>) = record.tree.main_line().filter_map(played).unzip();
        let opening = &record.head.opening;
        let stated = Stated {
            size: record.head.size,
            moves: &moves,
            offered: &opening.offered,
            declared: opening.declared,
            swaps: opening.swaps.as_deref(),
        };
        for finding in opening_rule.judge(stated) {
            let (kind, severity) = if finding.is_fault { ("opening", "play") } else { ("not-stated", "note") };
            let node = line.get(finding.ply.wrapping_sub(1)).copied().unwrap_or(NodeId::ROOT);
            findings.push(kind, severity, || (place(node), finding.message));
        }
    }

    fn print(&self, path: &Path, findings: &Findings) -> Result<()> {
        let mut out = anstream::stdout().lock();
        let mut shown = 0;
        for finding in &findings.list {
            // What an opening rule asks for and the record does not say is asked for by naming the rule.
            if finding.severity == "note" && !self.notes && !matches!(finding.kind, "not-stated" | "rule-not-said") {
                continue;
            }
            shown += u64::from(finding.severity != "note");
            let Fault { kind, message, place, .. } = &finding.fault;
            if self.json {
                let row = json!({
                    "kifu": JSON, "file": path.display().to_string(), "record": place.record, "ply": place.ply,
                    "path": place.path, "byte": place.byte, "line": place.line, "kind": kind,
                    "severity": finding.severity, "message": message,
                });
                writeln!(out, "{row}")?;
            } else {
                writeln!(out, "{}", harmless(&format!("{}: {} [{kind}]", name(path), finding.fault)))?;
            }
        }
        let more = findings.faults - shown;
        if more > 0 && !self.json {
            writeln!(out, "{}", harmless(&format!("{}: {} not shown", name(path), count(more, "more fault"))))?;
        }
        Ok(())
    }
}

impl Findings {
    fn new(most: u64) -> Findings {
        Findings { most, faults: 0, counts: HashMap::new(), without_rule: 0, list: Vec::new() }
    }

    /// Takes over what a reading forgave.
    fn of_reading(&mut self, faults: &Faults) {
        self.list.extend(faults.list().iter().cloned().map(Finding::of_file));
        let is_fault = |severity| severity > Severity::Remark;
        self.faults += faults.counts().iter().filter(|count| is_fault(count.1)).map(|count| count.2).sum::<u64>();
    }

    /// Counts a finding, and keeps the first ones of its kind.
    fn push(&mut self, kind: &'static str, severity: &'static str, finding: impl FnOnce() -> (Place, String)) {
        self.faults += u64::from(severity != "note");
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= self.most {
            let (place, message) = finding();
            let fault = Fault { kind, severity: Severity::Damage, message, place };
            self.list.push(Finding { kind, severity, fault });
        }
    }
}

impl Finding {
    fn of_file(fault: Fault) -> Finding {
        let severity = match fault.severity {
            Severity::Remark => "note",
            Severity::Quirk => "quirk",
            Severity::Damage => "damage",
        };
        Finding { kind: fault.kind, severity, fault }
    }
}

fn sentence(flaw: Flaw) -> String {
    match flaw {
        Flaw::Occupied => "a stone on a stone: the branch is kept, and left out of what plays moves".into(),
        Flaw::OutOfTurn => "the other side was to move".into(),
        Flaw::AfterFive => "the game goes on, and there is a five".into(),
        Flaw::Unclaimed(kinds) => {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            format!("a move forbidden to Black that nobody claimed ({})", kinds.join(" and "))
        }
        Flaw::Unnoticed => "a five that nobody noticed: by the result nobody won".into(),
        Flaw::Contradicted(Outcome::First) => "Black has five, and by the result White won".into(),
        Flaw::Contradicted(_) => "White has five, and by the result Black won".into(),
        Flaw::Undecided => "won without a five".into(),
    }
}

fn of_pieces(flaw: PieceFlaw) -> String {
    let lost = |side, how| {
        let side = if side == games::Side::First { "Red" } else { "Black" };
        format!("{side} {}", if how == Loss::Mate { "is mated" } else { "has no move" })
    };
    match flaw {
        PieceFlaw::Board(fault) => format!("the game begins with a board that cannot be: {fault}"),
        PieceFlaw::Pass => "a pass, which xiangqi does not have".into(),
        PieceFlaw::Unnoticed(side, how) => format!("{}, and by the result nobody won", lost(side, how)),
        PieceFlaw::Contradicted(side, how) => format!("{}, and by the result {} won", lost(side, how), side_name(side)),
        PieceFlaw::Ruled(verdict) => match (verdict, reason(verdict)) {
            (Verdict::Loss(..), Some(_)) => format!("the rules end the game: {}", word(verdict)),
            (_, Some(reason)) => format!("the rules end the game: a draw by {reason}"),
            (_, None) => "the position is here too often, and a chase is not judged".into(),
        },
    }
}

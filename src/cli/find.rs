use super::Exit;
use super::conditions::FilterArgs;
use super::files::Found;
use super::input::name;
use super::readers::{Heard, InputArgs, Numbered};
use super::terminal::{JSON, count, harmless};
use ::formats::Place;
use anyhow::Result;
use clap::Args;
use games::{Coords, Move, Side, Symmetry};
use record::{Filter, NodeId, Note, Play, Record, Seeker, Shape, Sought, Tree};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Find positions, texts, labels and marks in games and libraries
#[derive(Args)]
#[command(
    after_help = "A position is found whatever the order of its moves, also turned and mirrored unless --exact says no; the
orientation is the turn that makes what was asked for into what the file has. Of several conditions all must hold: those
of a place at the same place, those of a game for its record. Without one of a place, the games themselves are listed.

Exit codes: 0 found, 1 nothing found, 2 a file could not be read.

Examples:
  kifu find games.sgf --position h8i9j10
  kifu find -r collection --position opening:D4 --player Nakamura --result 1-0
  kifu find openings.lib --text wins
  kifu find -r libraries --label W41 --json
  kifu find -r libraries --mark -l"
)]
pub struct Find {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    filter: FilterArgs,
    /// A place whose comment has this in it, in capitals or not
    #[arg(long, value_parser = super::conditions::name, value_name = "TEXT")]
    text: Option<String>,
    /// A place with this text on a point of its board
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// A place that was marked to be found again, as in RenLib
    #[arg(long)]
    mark: bool,
    /// A place with this sign on its board: triangle, circle, square, cross or selected
    #[arg(long, value_parser = sign, value_name = "SIGN")]
    sign: Option<Shape>,
    /// Print a JSON object for each place
    #[arg(long)]
    json: bool,
    /// Print how many places each file has
    #[arg(long, conflicts_with = "files_with_matches")]
    count: bool,
    /// Print only the names of the files that have one
    #[arg(short = 'l', long, conflicts_with = "json")]
    files_with_matches: bool,
}

fn sign(text: &str) -> Result<Shape, String> {
    let signs = || Shape::ALL.map(Shape::name).join(", ");
    Shape::from_name(text).ok_or_else(|| format!("`{text}` is not a sign: write {}", signs()))
}

/// What is looked for, ready for all threads.
struct Wanted {
    /// What a record must have.
    filter: Filter,
    position: Option<Sought>,
    /// In small letters.
    text: Option<String>,
}

/// A place that was found.
struct Hit<'a> {
    file: &'a Path,
    numbered: &'a Numbered,
    /// `None` where the game itself is what was found.
    node: Option<NodeId>,
    /// Of the position, where one was asked for.
    orientation: Option<Symmetry>,
    /// The comment that has the text.
    comment: Option<&'a str>,
}

impl Find {
    /// Prints what is found.
    pub fn run(self) -> Result<Exit> {
        let mut filter = self.filter.filter(self.input.coords, self.input.read.size)?;
        // What is looked for place by place need not be looked for twice.
        let position = filter.position.take();
        let wanted = Wanted { filter, position, text: self.text.as_ref().map(|text| text.to_lowercase()) };
        let files = self.input.files(None)?;
        let mut out = BufWriter::new(anstream::stdout().lock());
        let (mut all, mut here) = (0, 0);
        let look = |seeker: &mut Seeker, file: &Found, numbered: Numbered, news: &mut Vec<String>| {
            self.look(&wanted, seeker, &file.path, &numbered, news);
            Ok(())
        };
        let (tally, exit) = self.input.each(&files, Seeker::new, look, |file, heard| {
            let found = match heard {
                Heard::Found(found) => found,
                Heard::End => {
                    let places = std::mem::take(&mut here);
                    all += places;
                    return self.end(&mut out, &file.path, places);
                }
            };
            here += found.len() as u64;
            if !self.count && !self.files_with_matches {
                found.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            }
            Ok(())
        })?;
        out.flush()?;
        tally.tell(&files);
        Ok(if exit == Exit::Done && all == 0 { Exit::No } else { exit })
    }

    /// Tells of a file that was read, if what is asked for is told of files.
    fn end(&self, out: &mut dyn Write, file: &Path, places: u64) -> Result<()> {
        if places == 0 {
            return Ok(());
        }
        if self.count && self.json {
            let file = file.display().to_string();
            writeln!(out, "{}", json!({"kifu": JSON, "file": file, "places": places}))?;
        } else if self.count {
            writeln!(out, "{}", harmless(&format!("{}: {}", name(file), count(places, "place"))))?;
        } else if self.files_with_matches {
            writeln!(out, "{}", harmless(&name(file)))?;
        }
        Ok(())
    }

    /// Adds a line for each place of a record that meets all conditions.
    fn look(&self, wanted: &Wanted, seeker: &mut Seeker, file: &Path, numbered: &Numbered, news: &mut Vec<String>) {
        let record = &numbered.record;
        if wanted.filter.lacks(record, numbered.rule, record.head.result).is_some() {
            return;
        }
        let is_told = !self.count && !self.files_with_matches;
        let mut push = |node: Option<NodeId>, orientation: Option<Symmetry>, comment: Option<&str>| {
            let hit = Hit { file, numbered, node, orientation, comment };
            news.push(match is_told {
                false => String::new(),
                true if self.json => hit.object().to_string(),
                true => harmless(&hit.line()).into_owned(),
            });
        };
        let tree = &record.tree;
        let is_place = wanted.text.is_some() || self.label.is_some() || self.mark || self.sign.is_some();
        if let Some(position) = &wanted.position {
            seeker.seek(position, record, &mut |node, orientation| {
                if let Some(comment) = self.meets(wanted, tree, node) {
                    push(Some(node), Some(orientation), comment);
                }
            });
        } else if is_place {
            for node in tree.nodes() {
                if let Some(comment) = self.meets(wanted, tree, node) {
                    push(Some(node), None, comment);
                }
            }
        } else {
            push(None, None, None);
        }
    }

    /// Whether a place meets the conditions of places, and the comment that has the text, if one is asked for.
    fn meets<'t>(&self, wanted: &Wanted, tree: &'t Tree, node: NodeId) -> Option<Option<&'t str>> {
        if self.mark && !tree.is_found(node) {
            return None;
        }
        let (mut is_labelled, mut is_signed) = (self.label.is_none(), self.sign.is_none());
        let mut comment = None;
        for note in tree.notes(node) {
            match note {
                Note::Line(text) | Note::Body(text) if comment.is_none() => {
                    comment = Some(text).filter(|text| wanted.text.as_ref().is_some_and(|part| has(text, part)));
                }
                Note::Text(text) | Note::Label(_, text) => is_labelled |= self.label.as_deref() == Some(text),
                Note::Mark(_, shape) => is_signed |= self.sign == Some(shape),
                _ => {}
            }
        }
        (is_labelled && is_signed && comment.is_some() == wanted.text.is_some()).then_some(comment)
    }
}

/// Whether a text has a part that is in small letters.
fn has(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(part)
}

/// So much of a comment is shown in a line.
const SHOWN: usize = 80;

impl Hit<'_> {
    /// `games.sgf: game 3, ply 3, r90, after h8 h9 j10: the text`.
    fn line(&self) -> String {
        let record = &self.numbered.record;
        let mut line = name(self.file);
        let mut parts = Vec::new();
        if self.numbered.format.many {
            parts.push(format!("game {}", self.numbered.number));
        }
        let place = self.node.map(|node| Place::default().after(&record.tree, node, record.head.size));
        if let Some(Place { path: Some(path), ply: Some(ply), .. }) = place {
            parts.push(format!("ply {ply}"));
            parts.extend(self.orientation.map(|symmetry| match symmetry {
                Symmetry::Identity => "as asked".into(),
                turned => turned.name().into(),
            }));
            parts.push(if path.is_empty() { "at the root".into() } else { format!("after {path}") });
        }
        if !parts.is_empty() {
            line += &format!(": {}", parts.join(", "));
        }
        let told = self.comment.map(one_line).or_else(|| self.node.is_none().then(|| self.game()));
        if let Some(told) = told.filter(|told| !told.is_empty()) {
            line += &format!(": {told}");
        }
        line
    }

    /// Who played, when, and the result.
    fn game(&self) -> String {
        let head = &self.numbered.record.head;
        let said = |value: Option<&str>| value.map(one_line).filter(|value| !value.is_empty());
        let players = match [Side::First, Side::Second].map(|side| said(head.player(side))) {
            [None, None] => None,
            [first, second] => {
                let name = |player: Option<String>| player.unwrap_or("?".into());
                Some(format!("{} - {}", name(first), name(second)))
            }
        };
        let parts = [players, said(head.tag("Date")), head.result.map(|result| result.text().into())];
        parts.into_iter().flatten().collect::<Vec<String>>().join(", ")
    }

    fn object(&self) -> Value {
        let record = &self.numbered.record;
        let head = &record.head;
        let mut object = json!({
            "kifu": JSON, "file": self.file.display().to_string(), "record": self.numbered.number,
            "date": head.tag("Date"), "result": head.result.map(|result| result.text()),
        });
        for side in [Side::First, Side::Second] {
            object[side.name(head.game)] = json!(head.player(side));
        }
        if let Some(node) = self.node {
            let path = path(record, node);
            object["ply"] = path.len().into();
            object["path"] = path.join(" ").into();
            object["orientation"] = json!(self.orientation.map(Symmetry::name));
            object["comment"] = json!(self.comment);
        }
        object
    }
}

/// The moves to a node; nodes without one are left out.
fn path(record: &Record, node: NodeId) -> Vec<String> {
    let moves = record.tree.path(node).into_iter().filter_map(|node| match record.tree.play(node) {
        Play::Move(played) => Some(played),
        _ => None,
    });
    let name = |played: Move| played.point().map_or("--".into(), |point| Coords::A1.text(point, record.head.size));
    moves.map(name).collect()
}

/// A text in one line, cut where it is long.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

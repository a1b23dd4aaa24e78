use super::super::Exit;
use super::super::input::{Input, name};
use super::super::progress::PROGRESS;
use super::super::terminal::{JSON, count, harmless, thousands};
use super::open;
use super::place::spelled;
use super::query::{said_backed, said_rest};
use ::book::{Change, Error, Frames, Kind, diff};
use anyhow::{Context, Result, bail};
use clap::Args;
use games::{Side, Size};
use record::{Backed, Continuation, Entry, Judgement, Key, Label, Rest, Tally};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Say what is new, gone or changed from one book to another
#[derive(Args)]
#[command(after_help = "Positions are printed as query takes them, in the orientation of the book.
Exit codes: 0 the books hold the same, 1 they differ, 2 one cannot be read.

Examples:
  kifu book diff old.agb new.agb
  kifu book diff --only gone,changed old.agb new.agb
  kifu book diff -q old.agb new.agb")]
pub struct Diff {
    /// The book before
    first: PathBuf,
    /// The book after
    second: PathBuf,
    /// Print a JSON object a position, and a last one with the counts
    #[arg(long)]
    json: bool,
    /// Print nothing: the exit code says whether they differ
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// Show, count and answer for these only: new, gone, changed
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    only: Vec<Kind>,
}

const KINDS: [Kind; 3] = [Kind::New, Kind::Gone, Kind::Changed];

/// A kind of change by its name.
fn kind(text: &str) -> Result<Kind, String> {
    let found = KINDS.into_iter().find(|kind| kind.name() == text);
    found.ok_or_else(|| format!("`{text}` is no kind of change: write {}", KINDS.map(Kind::name).join(", ")))
}

/// Moves of a changed position that are told one by one.
const MOVES: usize = 6;

impl Diff {
    /// Reads both books side by side and prints where they differ.
    pub fn run(self) -> Result<Exit> {
        let inputs = [Input::open(&self.first)?, Input::open(&self.second)?];
        let books = [open(&inputs[0], &self.first)?, open(&inputs[1], &self.second)?];
        let both = || format!("{} and {}", name(&self.first), name(&self.second));
        if books[0].is_symmetric() != books[1].is_symmetric() {
            bail!("{}: {}", both(), Error::Symmetry);
        }
        let mut counts = [0_u64; 3];
        let is_same = books[0].content_hash() == books[1].content_hash();
        if self.quiet && (is_same || self.only.is_empty()) {
            return Ok(if is_same { Exit::Done } else { Exit::No });
        }
        let mut out = BufWriter::new(anstream::stdout().lock());
        let same = if is_same {
            books[0].positions()
        } else {
            let mut boards = Vec::new();
            for (book, path) in books.iter().zip([&self.first, &self.second]) {
                boards.extend(book.boards().with_context(|| name(path))?);
            }
            boards.sort_unstable_by_key(|(rules, size)| (rules.name(), size.width(), size.height()));
            boards.dedup();
            let mut frames = Frames::new(books[0].is_symmetric());
            let mut headed = None;
            let mut changes = match diff(&books[0], &books[1]) {
                Ok(changes) => changes,
                Err(error) => return Err(self.blame(error)),
            };
            for change in changes.by_ref() {
                let change = change.map_err(|error| self.blame(error))?;
                let kind = change.kind();
                counts[kind as usize] += 1;
                if PROGRESS.stop.load(Ordering::Relaxed) {
                    return Ok(Exit::Stopped);
                }
                if !self.only.is_empty() && !self.only.contains(&kind) {
                    continue;
                }
                if self.quiet {
                    return Ok(Exit::No);
                }
                let ground = ::book::board(&change.key).expect("a block that is read names its board");
                let (rules, size) = ground;
                let key = frames.of_board(ground).key(&change.key).expect("a key that is read names a position");
                if self.json {
                    writeln!(out, "{}", object(&key, &change))?;
                } else {
                    if boards.len() > 1 && headed != Some(ground) {
                        writeln!(out, "{rules} {size}:")?;
                        headed = Some(ground);
                    }
                    let told = match (&change.before, &change.after) {
                        (Some(before), Some(after)) => words(before, after, size).join("; "),
                        (Some(entry), None) | (None, Some(entry)) => facts(entry, size),
                        (None, None) => String::new(),
                    };
                    writeln!(out, "{:<8} {}: {}", kind.name(), spelled(&key), harmless(&told).replace('\n', " "))?;
                }
            }
            changes.same()
        };
        let counted = |kind: Kind| counts[kind as usize];
        let asked = |kind: &Kind| self.only.is_empty() || self.only.contains(kind);
        // Beside positions a book holds the list of the games that they refer to, and nothing else.
        let lists_differ = !is_same && self.only.is_empty() && counts == [0; 3];
        let differ = lists_differ || KINDS.iter().filter(|kind| asked(kind)).any(|kind| counted(*kind) > 0);
        if self.json {
            let row = json!({
                "kifu": JSON, "new": counted(Kind::New), "gone": counted(Kind::Gone),
                "changed": counted(Kind::Changed), "same": same, "games_differ": lists_differ,
            });
            writeln!(out, "{row}")?;
        } else if !self.quiet {
            if lists_differ {
                writeln!(out, "of the games that positions refer to, other things are told")?;
            }
            if is_same {
                writeln!(out, "{} hold the same {}", harmless(&both()), count(same, "position"))?;
            } else {
                let told = KINDS
                    .iter()
                    .filter(|kind| asked(kind))
                    .map(|kind| format!("{} {}", thousands(counted(*kind)), kind.name()));
                writeln!(out, "{}, {} the same", told.collect::<Vec<_>>().join(", "), thousands(same))?;
            }
        }
        out.flush()?;
        Ok(if differ { Exit::No } else { Exit::Done })
    }

    /// The error with the name of the book that it is of.
    fn blame(&self, error: Error) -> anyhow::Error {
        match error {
            Error::Input(number, error) => {
                anyhow::Error::new(*error).context(name([&self.first, &self.second][number]))
            }
            error => error.into(),
        }
    }
}

/// What an entry says, in few words.
fn facts(entry: &Entry, size: Size) -> String {
    let mut facts = vec![count(entry.tally.games, "game")];
    facts.extend(entry.judgement.as_ref().map(|judgement| format!("value {}", value(Some(judgement)))));
    facts.extend(entry.rest.as_ref().map(|rest| format!("rest {}", rest_words(rest, size))));
    facts.extend(entry.backed.map(|held| format!("backed {}", backed_words(held))));
    facts.extend(entry.label.name().map(|label| format!("label {label}")));
    let lists = [(entry.moves.len(), "move"), (entry.comments.len(), "comment"), (entry.texts.len(), "text")];
    facts.extend(lists.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number as u64, noun)));
    facts.join(", ")
}

fn value(judgement: Option<&Judgement>) -> String {
    let Some(Judgement { value, bound, depth, source, .. }) = judgement else { return "none".into() };
    let by = if source.is_empty() { String::new() } else { format!(" by {source}") };
    format!("{value} (depth {depth}, bound {}{by})", bound.name())
}

fn rest_words(Rest { play, judgement, proven }: &Rest, size: Size) -> String {
    let play = play.map_or("no move".into(), |play| play.text(size));
    let found = judgement.as_ref().map(|found| format!(" {}", value(Some(found)))).unwrap_or_default();
    format!("{play}{found}{}", if *proven { " proven" } else { "" })
}

fn backed_words(Backed { value, proven, .. }: Backed) -> String {
    format!("{value}{}", if proven { " proven" } else { "" })
}

fn label(label: Label) -> String {
    label.name().unwrap_or_else(|| "none".into())
}

fn games(tally: Tally) -> String {
    format!("{} ({}/{}/{})", tally.games, tally.first, tally.draws, tally.second)
}

/// The names of what differs, as JSON has them.
fn differing(before: &Entry, after: &Entry) -> Vec<&'static str> {
    let differs = [
        ("games", before.tally != after.tally),
        ("value", before.judgement != after.judgement),
        ("rest", before.rest != after.rest),
        ("backed", before.backed != after.backed),
        ("label", before.label != after.label),
        ("moves", before.moves != after.moves),
        ("comments", before.comments != after.comments),
        ("texts", before.texts != after.texts),
        ("ratings", before.ratings != after.ratings),
        ("last_year", before.last_year != after.last_year),
        ("references", before.games != after.games),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what).collect()
}

/// What changed, thing by thing.
fn words(before: &Entry, after: &Entry, size: Size) -> Vec<String> {
    let change = |what, from: String, to: String| {
        // Of a value its scale or its nodes may differ alone.
        if from == to { format!("{what} {from}, said otherwise") } else { format!("{what} {from} to {to}") }
    };
    let list = |what: &str, from: usize, to: usize| match (from, to) {
        (0, _) => format!("{what} new"),
        (_, 0) => format!("{what} gone"),
        _ => format!("{what} changed"),
    };
    let told_rest = |rest: &Option<Rest>| rest.as_ref().map_or("none".into(), |rest| rest_words(rest, size));
    let told_backed = |backed: Option<Backed>| backed.map_or("none".into(), backed_words);
    let year = |year: Option<u16>| year.map_or("none".into(), |year| year.to_string());
    let told = differing(before, after).into_iter().map(|what| match what {
        "games" => change(what, games(before.tally), games(after.tally)),
        "value" => change(what, value(before.judgement.as_ref()), value(after.judgement.as_ref())),
        "rest" => change(what, told_rest(&before.rest), told_rest(&after.rest)),
        "backed" => change(what, told_backed(before.backed), told_backed(after.backed)),
        "label" => change(what, label(before.label), label(after.label)),
        "moves" => moves(before, after, size),
        "comments" => list(what, before.comments.len(), after.comments.len()),
        "texts" => list(what, before.texts.len(), after.texts.len()),
        "last_year" => change("last year", year(before.last_year), year(after.last_year)),
        "references" => list(what, before.games.len(), after.games.len()),
        _ => list(what, before.ratings.count as usize, after.ratings.count as usize),
    });
    told.collect()
}

fn moves(before: &Entry, after: &Entry, size: Size) -> String {
    let find = |moves: &[Continuation], one: &Continuation| moves.iter().find(|other| other.play == one.play).copied();
    let named = |each: &Continuation| each.play.text(size);
    let kept = before.moves.iter().map(|each| (each, find(&after.moves, each)));
    let changed = kept.filter_map(|(each, other)| match other {
        None => Some(format!("{} gone", named(each))),
        Some(other) if other.tally != each.tally => {
            Some(format!("{} {} to {}", named(each), games(each.tally), games(other.tally)))
        }
        Some(_) => None,
    });
    let new = after.moves.iter().filter(|each| find(&before.moves, each).is_none());
    let all: Vec<String> = changed.chain(new.map(|each| format!("{} new", named(each)))).collect();
    let mut text = format!("moves {}", all[..all.len().min(MOVES)].join(", "));
    if all.len() > MOVES {
        text += &format!(" and {} more", all.len() - MOVES);
    }
    text
}

fn object(key: &Key, change: &Change) -> Value {
    let differs = match (&change.before, &change.after) {
        (Some(before), Some(after)) => differing(before, after),
        _ => Vec::new(),
    };
    let told = |entry: &Option<Entry>| entry.as_ref().map(|entry| known(entry, key));
    json!({
        "kifu": JSON, "change": change.kind().name(), "position": spelled(key), "rule": key.rules().name(),
        "size": [key.size().width(), key.size().height()], "side": key.to_move().name(key.rules().game()), "differs": differs,
        "before": told(&change.before), "after": told(&change.after),
    })
}

fn known(entry: &Entry, key: &Key) -> Value {
    let (game, size) = (key.rules().game(), key.size());
    let [first, second] = [Side::First, Side::Second].map(|side| side.name(game));
    let moves: Vec<Value> = entry
        .moves
        .iter()
        .map(|each| {
            let Tally { games, first: firsts, draws, second: seconds } = each.tally;
            let play = each.play.text(size);
            json!({"move": play, "games": games, first: firsts, "draws": draws, second: seconds})
        })
        .collect();
    let place = |point| game.coords().text(point, size);
    let texts: Vec<Value> =
        entry.texts.iter().map(|text| json!({"point": place(text.point), "text": text.text})).collect();
    let comments: Vec<&str> = entry.comments.iter().map(|comment| comment.text.as_str()).collect();
    let judgement = entry.judgement.as_ref();
    let Tally { games, first: firsts, draws, second: seconds } = entry.tally;
    json!({
        "games": games, first: firsts, "draws": draws, second: seconds,
        "value": judgement.map(|judgement| judgement.value), "depth": judgement.map(|judgement| judgement.depth),
        "bound": judgement.map(|judgement| judgement.bound.name()),
        "source": judgement.map(|judgement| judgement.source.as_str()), "label": entry.label.name(),
        "rest": entry.rest.as_ref().map(|rest| said_rest(rest, size)), "backed": entry.backed.map(said_backed),
        "comments": comments, "texts": texts, "last_year": entry.last_year,
        "rating": (entry.ratings.count > 0).then(|| entry.ratings.sum as f64 / entry.ratings.count as f64),
        "references": entry.games, "moves": moves,
    })
}

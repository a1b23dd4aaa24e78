//! The wins and losses that a book claims, proven again.

use super::super::progress::PROGRESS;
use super::super::terminal::{JSON, count, harmless};
use super::place::{gomoku, spelled_stones};
use super::truth::{Asked, Prover};
use ::book::{Book, Frames};
use anyhow::{Context, Result};
use games::gomoku::Three;
use games::{Game, Move, Point, Side};
use rayon::prelude::*;
use record::{Entry, Label, Rest, StoneKey};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Positions that are proven side by side.
const BATCH: usize = 512;

/// What a book claims of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Claim {
    /// A label, which speaks of the move that led there.
    Label,
    /// The value of the best move that the book does not follow.
    Rest,
    /// The value that is backed up.
    Backed,
}

impl Claim {
    const fn name(self) -> &'static str {
        match self {
            Claim::Label => "label",
            Claim::Rest => "rest",
            Claim::Backed => "backed",
        }
    }
}

/// What became of a claim.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Verdict {
    Proven,
    /// Neither proven nor refuted.
    Open,
    /// The other side wins.
    Refuted,
}

impl Verdict {
    const fn name(self) -> &'static str {
        match self {
            Verdict::Proven => "proven",
            Verdict::Open => "not proven",
            Verdict::Refuted => "refuted",
        }
    }
}

/// How claims are proven.
pub struct Proving {
    pub nodes: u64,
    pub three: Three,
    pub json: bool,
}

/// Proves all claims of a book, and prints those that fail; whether there were none of these.
///
/// A value that is backed up rests on those of the positions that its moves lead to; where one of these is proven by
/// the book it is taken as it stands, as it is proven in its turn.
pub fn prove(book: &Book<&[u8]>, path: &Path, proving: &Proving, out: &mut dyn Write) -> Result<bool> {
    let mut frames = Frames::new(book.is_symmetric());
    let mut counts = [0_u64; 3];
    let mut batch: Vec<(StoneKey, Entry)> = Vec::new();
    let mut entries = book.entries();
    loop {
        batch.clear();
        for position in entries.by_ref() {
            let (key, entry) = position.with_context(|| super::super::input::name(path))?;
            let ground = ::book::board(&key).expect("a block that is read names its board");
            if claims(&entry).is_empty() {
                continue;
            }
            let key = frames.of_board(ground).key(&key).expect("a key that is read names a position");
            batch.push((gomoku(key).with_context(|| super::super::input::name(path))?, entry));
            if batch.len() == BATCH {
                break;
            }
        }
        if batch.is_empty() {
            break;
        }
        let tool = || (Prover::new(proving.nodes, proving.three, &PROGRESS.stop), Frames::new(book.is_symmetric()));
        let each = |(prover, frames): &mut (Prover<'_>, Frames), (key, entry): &(StoneKey, Entry)| -> Result<Vec<_>> {
            let verdicts = claims(entry).into_iter().map(|(claim, wins)| {
                let verdict = verdict(book, key, entry, (claim, wins), prover, frames)?;
                Ok((claim, wins, verdict))
            });
            verdicts.collect()
        };
        let told: Vec<Result<Vec<_>>> = batch.par_iter().map_init(tool, each).collect();
        if PROGRESS.stop.load(Ordering::Relaxed) {
            anyhow::bail!("stopped");
        }
        for ((key, entry), verdicts) in batch.iter().zip(told) {
            for (claim, wins, verdict) in verdicts.with_context(|| super::super::input::name(path))? {
                counts[verdict as usize] += 1;
                if verdict != Verdict::Proven {
                    tell(path, key, entry, (claim, wins), verdict, proving.json, out)?;
                }
            }
        }
    }
    let [proven, open, refuted] = counts;
    let all = proven + open + refuted;
    if proving.json {
        let row = json!({
            "kifu": JSON, "file": path.display().to_string(), "claims": all, "proven": proven, "open": open,
            "refuted": refuted,
        });
        writeln!(out, "{row}")?;
    } else {
        let claims = count(all, "claim");
        writeln!(out, "  {claims} of a win or a loss: {proven} proven, {open} not proven, {refuted} refuted")?;
    }
    Ok(open + refuted == 0)
}

/// What is claimed, and whether it is that the side to move wins.
fn claims(entry: &Entry) -> Vec<(Claim, bool)> {
    let label = match entry.label {
        Label::Win => Some((Claim::Label, false)),
        Label::Loss => Some((Claim::Label, true)),
        _ => None,
    };
    let rest = entry.rest.as_ref().filter(|rest| rest.proven).and_then(|rest| rest.judgement.as_ref());
    let rest = rest.map(|found| (Claim::Rest, found.value > 0));
    let backed = entry.backed.filter(|backed| backed.proven).map(|backed| (Claim::Backed, backed.value > 0));
    label.into_iter().chain(rest).chain(backed).collect()
}

fn verdict(
    book: &Book<&[u8]>,
    key: &StoneKey,
    entry: &Entry,
    (claim, wins): (Claim, bool),
    prover: &mut Prover<'_>,
    frames: &mut Frames,
) -> Result<Verdict> {
    let side = key.to_move;
    let mut board = match prover.board(key) {
        Asked::Open(board) => board,
        Asked::Won(winner) if (winner == side) == wins => return Ok(Verdict::Proven),
        Asked::Won(_) => return Ok(Verdict::Refuted),
        Asked::Unfit => return Ok(Verdict::Open),
    };
    let known = |point: Point, frames: &mut Frames| -> Result<Option<Entry>, ::book::Error> {
        let frame = frames.of_stones(key);
        match key.after(Move::Place(point)) {
            Some(after) => book.get(&frame.canonical_stones(&after).key, frame),
            None => Ok(None),
        }
    };
    if wins {
        let play = entry.rest.as_ref().filter(|_| claim != Claim::Label).and_then(|rest| rest.play);
        let by_book = claim == Claim::Backed && {
            let mut found = false;
            for point in entry.moves.iter().filter_map(|each| each.play.point()) {
                found = found || known(point, frames)?.is_some_and(|entry| is_proven(&entry, false));
            }
            found
        };
        let proven = by_book
            || prover.wins(&mut board, side)
            || play.and_then(Move::point).is_some_and(|point| prover.wins_by(&mut board, side, point));
        return Ok(if proven { Verdict::Proven } else { Verdict::Open });
    }
    let mut passed = Vec::new();
    if claim != Claim::Label {
        for point in board.stones().empty_points() {
            let there = known(point, frames)?;
            let follows = there.as_ref().is_some_and(|entry| entry.value().is_some());
            let counts_as_lost = match claim {
                // The rest speaks of the other moves alone.
                Claim::Rest => follows,
                _ => there.is_some_and(|entry| is_proven(&entry, true)),
            };
            if counts_as_lost {
                passed.push(point);
            }
        }
    }
    Ok(if prover.loses(&mut board, side, |point| passed.contains(&point)) {
        Verdict::Proven
    } else if prover.wins(&mut board, side) {
        Verdict::Refuted
    } else {
        Verdict::Open
    })
}

/// Whether the book holds it for proven that the side to move wins, or loses.
fn is_proven(entry: &Entry, wins: bool) -> bool {
    let is_so = |value: i32, proven: bool| proven && (value > 0) == wins;
    match (&entry.backed, &entry.rest) {
        (Some(backed), _) => is_so(backed.value, backed.proven),
        (None, Some(Rest { judgement: Some(found), proven, .. })) => is_so(found.value, *proven),
        _ => false,
    }
}

fn tell(
    path: &Path,
    key: &StoneKey,
    entry: &Entry,
    (claim, wins): (Claim, bool),
    verdict: Verdict,
    json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let winner: Side = if wins { key.to_move } else { key.to_move.other() };
    if json {
        let row = json!({
            "kifu": JSON, "file": path.display().to_string(), "position": spelled_stones(key), "rule": key.rule.name(),
            "size": [key.size.width(), key.size.height()], "side": key.to_move.name(Game::Gomoku), "claim": claim.name(),
            "label": entry.label.name(), "winner": winner.name(Game::Gomoku), "refuted": verdict == Verdict::Refuted,
        });
        writeln!(out, "{row}")?;
    } else {
        let what = if claim == Claim::Label { entry.label.name().unwrap_or_default() } else { String::new() };
        let what = format!("{} {what}", claim.name());
        let text =
            format!("{}: {}, {} wins: {}", spelled_stones(key), what.trim(), winner.name(Game::Gomoku), verdict.name());
        writeln!(out, "  {}", harmless(&text))?;
    }
    Ok(())
}

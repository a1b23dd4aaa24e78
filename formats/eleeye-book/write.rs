use super::zobrist::{Images, Locks, word};
use super::{Item, NAME};
use crate::{Blame, EntryWriter, Error, Losses, Out, WriteOptions};
use games::xiangqi::Board;
use games::{Move, Side, Size, Step, Symmetry};
use record::{Continuation, Entry, Key, Label, Ratings, Tally};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
    Box::new(BookWriter { out: Out::new(out), rows: Vec::new() })
}

struct BookWriter<'a> {
    out: Out<'a>,
    rows: Vec<Row>,
}

/// A record to be, in the order of the file.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub locks: Locks,
    pub word: u16,
    pub weight: u16,
    /// The key that ElephantEye looks for where it does not find that of the locks.
    pub other: u32,
}

impl EntryWriter for BookWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        let board =
            key.pieces().ok_or_else(|| Error::new(Blame::Target, NAME, "a BOOK.DAT holds positions of xiangqi"))?;
        lose(key, entry, losses);
        let images = Images::of(board);
        let (symmetry, locks, other) = match images.own <= images.mirror {
            true => (Symmetry::Identity, images.own, images.mirror),
            false => (Symmetry::Mirror, images.mirror, images.own),
        };
        let is_mirrored = images.own == images.mirror;
        for (step, weight) in weights(board, is_mirrored, &entry.moves, key, losses) {
            let weight = u16::try_from(weight).unwrap_or_else(|_| {
                losses.position("weights above 65535 (65535 is written)", key);
                u16::MAX
            });
            self.rows.push(Row { locks, word: word(turned(step, symmetry)), weight, other: other.key() });
        }
        Ok(())
    }

    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error> {
        self.rows.sort_unstable_by_key(|row| (row.locks.key(), row.word, row.locks));
        // Of a position that came twice.
        self.rows.dedup_by(|later, kept| {
            let is_same = (later.locks, later.word) == (kept.locks, kept.word);
            if is_same {
                kept.weight = kept.weight.saturating_add(later.weight);
            }
            is_same
        });
        tell_mistaken(&self.rows, losses);
        for Row { locks, word, weight, .. } in &self.rows {
            self.out.push(&Item { key: locks.key(), word: *word, weight: *weight }.write());
            self.out.spill()?;
        }
        Ok(self.out.flush()?)
    }
}

/// The legal moves with their weights; of a position that is its own mirror image both of a pair.
fn weights(
    board: &Board,
    is_mirrored: bool,
    moves: &[Continuation],
    key: &Key,
    losses: &mut Losses,
) -> Vec<(Step, u64)> {
    let mut weights: Vec<(Step, u64)> = Vec::new();
    for Continuation { play, tally } in moves {
        let step = match play {
            Move::Step(step) if board.is_legal(*step) => *step,
            _ => {
                losses.position("moves that are not legal (left out)", key);
                continue;
            }
        };
        let points = if *tally == Tally::default() {
            losses.position("moves without games (written with weight 1)", key);
            1
        } else {
            points(*tally, board.to_move())
        };
        if points == 0 {
            losses.position("moves without a point (left out)", key);
            continue;
        }
        if tally.first != 0 || tally.draws != 0 || tally.second != 0 {
            losses.position("results of moves (added up as weights)", key);
        }
        match weights.iter_mut().find(|(known, _)| *known == step) {
            Some((_, weight)) => *weight = weight.saturating_add(points),
            None => weights.push((step, points)),
        }
    }
    if is_mirrored {
        for at in 0..weights.len() {
            let (step, weight) = weights[at];
            let image = turned(step, Symmetry::Mirror);
            if weights.iter().all(|(other, _)| *other != image) {
                let half = weight.div_ceil(2);
                weights[at].1 = half;
                weights.push((image, half));
            }
        }
    }
    weights
}

/// Two for a game won by the side, one for a drawn one and for one without a result.
fn points(tally: Tally, side: Side) -> u64 {
    let ended = tally.first.saturating_add(tally.draws).saturating_add(tally.second);
    let wins = if side == Side::First { tally.first } else { tally.second };
    let open = tally.games.saturating_sub(ended);
    wins.saturating_mul(2).saturating_add(tally.draws).saturating_add(open)
}

fn turned(step: Step, symmetry: Symmetry) -> Step {
    match symmetry.apply_to_move(Move::Step(step), Size::XIANGQI) {
        Move::Step(step) => step,
        _ => step,
    }
}

/// Tells of positions that ElephantEye takes for others, as 32 bits do not tell all apart.
pub(super) fn tell_mistaken(rows: &[Row], losses: &mut Losses) {
    let mut place = 0;
    let key = |row: &Row| row.locks.key();
    while place < rows.len() {
        let row = rows[place];
        let next = place + rows[place..].partition_point(|other| key(other) == key(&row));
        let group = &rows[place..next];
        let shared = group.iter().any(|other| other.locks != row.locks);
        let hidden = |row: &Row| row.other != key(row) && rows.binary_search_by_key(&row.other, key).is_ok();
        if shared || group.iter().any(hidden) {
            losses.named(
                "keys of several positions (written: ElephantEye mistakes one for another)",
                &format!("{:08x}", key(&row)),
            );
        }
        place = next;
    }
}

/// Tells what the file has no place for.
fn lose(key: &Key, entry: &Entry, losses: &mut Losses) {
    let mut lose = |what, lost: bool| {
        if lost {
            losses.position(what, key);
        }
    };
    lose("values (left out)", entry.value().is_some());
    lose(
        "best moves that the book does not follow (left out)",
        entry.rest.as_ref().is_some_and(|rest| rest.play.is_some()),
    );
    lose("labels (left out)", entry.label != Label::None);
    lose("games of positions (left out)", entry.tally != Tally::default());
    lose("ratings (left out)", entry.ratings != Ratings::default());
    lose("years of games (left out)", entry.last_year.is_some());
    lose("references to games (left out)", !entry.games.is_empty());
    lose("comments (left out)", !entry.comments.is_empty());
    lose("board texts (left out)", !entry.texts.is_empty());
}

use super::{BETWEEN, BOM, COLUMNS, GUARD, PASS, is_risky};
use crate::book_jsonl::write::{push_study, push_texts};
use crate::position::Ground;
use crate::{EntryWriter, Error, Losses, Out, WriteOptions, decimal, label, position};
use games::{Game, Symmetry};
use record::{BoardText, Comment, Entry, Judgement, Key, Ratings, Tally};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
    Box::new(TableWriter { out: Out::new(out), bom: options.bom, apart: options.apart, begun: false, cell: Vec::new() })
}

struct TableWriter<'a> {
    out: Out<'a>,
    bom: bool,
    apart: bool,
    begun: bool,
    /// A cell that may need quotation marks.
    cell: Vec<u8>,
}

impl TableWriter<'_> {
    fn begin(&mut self) {
        if !self.begun {
            self.out.push(if self.bom { BOM } else { b"" });
            self.out.push(COLUMNS.join(",").as_bytes());
            self.out.push(b"\n");
            self.begun = true;
        }
    }
}

impl EntryWriter for TableWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, _: &mut Losses) -> Result<(), Error> {
        self.begin();
        let (out, ground) = (self.out.buffer(), Ground::of(key));
        position::push(key, PASS.as_bytes(), out);
        word(key.rules().name(), out);
        out.push(b',');
        decimal::push(key.size().width().into(), out);
        out.push(b'x');
        decimal::push(key.size().height().into(), out);
        word(key.to_move().name(ground.game), out);
        let Tally { games, first, draws, second } = entry.tally;
        let (red, black, white) = match ground.game {
            Game::Gomoku => (None, Some(first), Some(second)),
            Game::Xiangqi => (Some(first), Some(second), None),
        };
        [Some(games), black, Some(draws), white].into_iter().for_each(|count| number(count, out));
        let judgement = entry.judgement.as_ref();
        push_judgement(judgement, out);
        out.push(b',');
        label::push(entry.label, out);
        push_moves(entry, ground, out);
        let cells = Cells::of(entry);
        push_comment(cells.comment, out);
        push_points(cells.texts, ground, &mut self.cell, out);
        let rated = entry.ratings != Ratings::default();
        number(entry.last_year.map(u64::from), out);
        number(rated.then_some(entry.ratings.sum), out);
        number(rated.then_some(entry.ratings.count), out);
        number(judgement.and_then(|judgement| judgement.nodes), out);
        let scale = judgement.map(|judgement| judgement.scale).filter(|scale| *scale != Judgement::SCALE);
        number(scale.map(u64::from), out);
        out.push(b',');
        if let Some(judgement) = judgement.filter(|judgement| !judgement.source.is_empty()) {
            text(&judgement.source, out);
        }
        out.push(b',');
        for (at, game) in entry.games.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"" } else { b" " });
            decimal::push(*game, out);
        }
        word(if cells.written == Symmetry::Identity { "" } else { cells.written.name() }, out);
        push_more(entry, &cells, ground, &mut self.cell, out);
        number(red, out);
        out.push(b'\n');
        Ok(self.out.spill()?)
    }

    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error> {
        if self.apart {
            losses.named(
                "that mirrored positions stand apart (kifu book import --no-symmetry keeps them so)",
                "of the book",
            );
        }
        self.begin();
        Ok(self.out.flush()?)
    }
}

fn push_judgement(judgement: Option<&Judgement>, out: &mut Vec<u8>) {
    let Some(judgement) = judgement else { return out.extend_from_slice(b",,,") };
    out.push(b',');
    decimal::push_signed(judgement.value.into(), out);
    out.push(b',');
    decimal::push_signed(judgement.depth.into(), out);
    word(judgement.bound.name(), out);
}

/// `h9 3 2 1 0 / g10`: each move with its games, if there are some.
fn push_moves(entry: &Entry, ground: Ground, out: &mut Vec<u8>) {
    out.push(b',');
    for (at, each) in entry.moves.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"" } else { BETWEEN.as_bytes() });
        ground.push_play(each.play, PASS.as_bytes(), out);
        let Tally { games, first, draws, second } = each.tally;
        if each.tally != Tally::default() {
            for count in [games, first, draws, second] {
                out.push(b' ');
                decimal::push(count, out);
            }
        }
    }
}

/// The comments and texts of an entry, parted into those that cells can hold as people read them, and the others.
struct Cells<'e> {
    comment: Option<&'e Comment>,
    texts: &'e [BoardText],
    /// The symmetry of both.
    written: Symmetry,
    more_comments: &'e [Comment],
    more_texts: &'e [BoardText],
}

impl<'e> Cells<'e> {
    fn of(entry: &'e Entry) -> Cells<'e> {
        let (comment, more_comments) = match entry.comments.split_first() {
            Some((first, others)) if first.bytes.is_empty() && !first.text.is_empty() => (Some(first), others),
            _ => (None, &entry.comments[..]),
        };
        let first = comment.map(|comment| comment.written).or(entry.texts.first().map(|text| text.written));
        let written = first.unwrap_or(Symmetry::Identity);
        let is_plain =
            |text: &&BoardText| text.written == written && text.bytes.is_empty() && !text.text.contains(['\n', '\r']);
        let plain = entry.texts.iter().take_while(is_plain).count();
        let (texts, more_texts) = entry.texts.split_at(plain);
        let written = if comment.is_none() && texts.is_empty() { Symmetry::Identity } else { written };
        Cells { comment, texts, written, more_comments, more_texts }
    }
}

fn push_comment(comment: Option<&Comment>, out: &mut Vec<u8>) {
    out.push(b',');
    if let Some(comment) = comment {
        text(&comment.text, out);
    }
}

/// A line a text: its point, a blank, the text.
fn push_points(texts: &[BoardText], ground: Ground, cell: &mut Vec<u8>, out: &mut Vec<u8>) {
    out.push(b',');
    cell.clear();
    for (at, text) in texts.iter().enumerate() {
        cell.extend_from_slice(if at == 0 { b"" } else { b"\n" });
        ground.push_point(text.point, cell);
        cell.push(b' ');
        cell.extend_from_slice(text.text.as_bytes());
    }
    quoted(cell, out);
}

/// What no other cell can hold, as the members of book-jsonl.
fn push_more(entry: &Entry, cells: &Cells<'_>, ground: Ground, cell: &mut Vec<u8>, out: &mut Vec<u8>) {
    out.push(b',');
    cell.clear();
    push_study(entry, ground, cell);
    push_texts(cells.more_comments, cells.more_texts, ground, cell);
    // Its first comma stands where the object begins.
    match cell.first_mut() {
        Some(comma) => *comma = b'{',
        None => return,
    }
    cell.push(b'}');
    quoted(cell, out);
}

fn number(number: Option<u64>, out: &mut Vec<u8>) {
    out.push(b',');
    if let Some(number) = number {
        decimal::push(number, out);
    }
}

/// A cell without anything to quote.
fn word(word: &str, out: &mut Vec<u8>) {
    out.push(b',');
    out.extend_from_slice(word.as_bytes());
}

/// A text that anybody may have written.
fn text(text: &str, out: &mut Vec<u8>) {
    if is_risky(text) {
        let guarded = format!("{GUARD}{text}");
        quoted(guarded.as_bytes(), out);
    } else {
        quoted(text.as_bytes(), out);
    }
}

/// A cell in quotation marks where it needs them.
fn quoted(cell: &[u8], out: &mut Vec<u8>) {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r' | b';' | b'\t');
    let padded = cell.first().is_some_and(|byte| *byte == b' ') || cell.last().is_some_and(|byte| *byte == b' ');
    if !padded && !cell.iter().any(special) {
        return out.extend_from_slice(cell);
    }
    out.push(b'"');
    for piece in cell.split_inclusive(|byte| *byte == b'"') {
        out.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
}

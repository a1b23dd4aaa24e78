use super::NAME;
use crate::position::Ground;
use crate::{EntryWriter, Error, Losses, Out, WriteOptions, decimal, hex, label, position};
use games::{Game, Move, Point, Side, Symmetry};
use record::{Backed, BoardText, Comment, Entry, Judgement, Key, Label, Ratings, Rest, Tally};
use std::io::Write;

/// What stands for a pass.
pub(crate) const PASS: &[u8] = b"--";

pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
    Box::new(LineWriter { out: Out::new(out), symmetric: !options.apart, begun: false })
}

struct LineWriter<'a> {
    out: Out<'a>,
    symmetric: bool,
    begun: bool,
}

impl LineWriter<'_> {
    fn begin(&mut self) {
        if !self.begun {
            let symmetric = self.symmetric;
            let head = format!("{{\"kifu\":1,\"format\":\"{NAME}\",\"symmetric\":{symmetric}}}\n");
            self.out.push(head.as_bytes());
            self.begun = true;
        }
    }
}

impl EntryWriter for LineWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, _: &mut Losses) -> Result<(), Error> {
        self.begin();
        let out = self.out.buffer();
        let ground = Ground::of(key);
        push_key(key, out);
        push_games(entry, ground, out);
        push_judgement(entry.judgement.as_ref(), out);
        push_study(entry, ground, out);
        push_label(entry.label, out);
        push_texts(&entry.comments, &entry.texts, ground, out);
        out.extend_from_slice(b"}\n");
        Ok(self.out.spill()?)
    }

    fn finish(&mut self, _: &mut Losses) -> Result<(), Error> {
        self.begin();
        Ok(self.out.flush()?)
    }
}

fn push_key(key: &Key, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"position\":\"");
    position::push(key, PASS, out);
    out.extend_from_slice(b"\",\"rule\":\"");
    out.extend_from_slice(key.rules().name().as_bytes());
    out.extend_from_slice(b"\",\"size\":[");
    decimal::push(key.size().width().into(), out);
    out.push(b',');
    decimal::push(key.size().height().into(), out);
    out.extend_from_slice(b"],\"side\":\"");
    out.extend_from_slice(key.to_move().name(key.rules().game()).as_bytes());
    out.push(b'"');
}

fn push_games(entry: &Entry, ground: Ground, out: &mut Vec<u8>) {
    push_tally(entry.tally, ground.game, out);
    if entry.ratings != Ratings::default() {
        number("rating_sum", entry.ratings.sum, out);
        number("rating_count", entry.ratings.count, out);
    }
    if let Some(year) = entry.last_year {
        number("last_year", year.into(), out);
    }
    if !entry.moves.is_empty() {
        member("moves", out);
        for (at, each) in entry.moves.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"[{\"move\":" } else { b",{\"move\":" });
            push_play(each.play, ground, out);
            push_tally(each.tally, ground.game, out);
            out.push(b'}');
        }
        out.push(b']');
    }
    if !entry.games.is_empty() {
        member("game_refs", out);
        for (at, game) in entry.games.iter().enumerate() {
            out.push(if at == 0 { b'[' } else { b',' });
            decimal::push(*game, out);
        }
        out.push(b']');
    }
}

fn push_tally(tally: Tally, game: Game, out: &mut Vec<u8>) {
    if tally != Tally::default() {
        number("games", tally.games, out);
        number(Side::First.name(game), tally.first, out);
        number("draws", tally.draws, out);
        number(Side::Second.name(game), tally.second, out);
    }
}

fn push_play(play: Move, ground: Ground, out: &mut Vec<u8>) {
    out.push(b'"');
    ground.push_play(play, PASS, out);
    out.push(b'"');
}

fn push_judgement(judgement: Option<&Judgement>, out: &mut Vec<u8>) {
    if let Some(Judgement { value, bound, depth, nodes, scale, source }) = judgement {
        member("value", out);
        decimal::push_signed((*value).into(), out);
        member("depth", out);
        decimal::push_signed((*depth).into(), out);
        member("bound", out);
        quoted(bound.name().as_bytes(), out);
        if let Some(nodes) = nodes {
            number("nodes", *nodes, out);
        }
        push_scale(*scale, out);
        if !source.is_empty() {
            member("source", out);
            string(source, out);
        }
    }
}

/// Appends the members `rest` and `backed`, each behind a comma, where they are there.
pub(crate) fn push_study(entry: &Entry, ground: Ground, out: &mut Vec<u8>) {
    if let Some(Rest { play, judgement, proven }) = &entry.rest {
        object("rest", out, |out| {
            if let Some(play) = play {
                member("move", out);
                push_play(*play, ground, out);
            }
            push_judgement(judgement.as_ref(), out);
            push_proven(*proven, out);
        });
    }
    if let Some(Backed { value, scale, proven }) = entry.backed {
        object("backed", out, |out| {
            member("value", out);
            decimal::push_signed(value.into(), out);
            push_scale(scale, out);
            push_proven(proven, out);
        });
    }
}

fn push_scale(scale: u16, out: &mut Vec<u8>) {
    if scale != Judgement::SCALE {
        number("scale", scale.into(), out);
    }
}

fn push_proven(proven: bool, out: &mut Vec<u8>) {
    if proven {
        member("proven", out);
        out.extend_from_slice(b"true");
    }
}

fn push_label(label: Label, out: &mut Vec<u8>) {
    if label != Label::None {
        member("label", out);
        out.push(b'"');
        label::push(label, out);
        out.push(b'"');
    }
}

/// Appends the members `comments` and `texts`, each behind a comma, where there are some.
pub(crate) fn push_texts(comments: &[Comment], texts: &[BoardText], ground: Ground, out: &mut Vec<u8>) {
    if !comments.is_empty() {
        member("comments", out);
        for (at, comment) in comments.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"[{" } else { b",{" });
            push_text(None, &comment.text, comment.written, &comment.bytes, ground, out);
        }
        out.push(b']');
    }
    if !texts.is_empty() {
        member("texts", out);
        for (at, text) in texts.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"[{" } else { b",{" });
            push_text(Some(text.point), &text.text, text.written, &text.bytes, ground, out);
        }
        out.push(b']');
    }
}

fn push_text(point: Option<Point>, text: &str, written: Symmetry, bytes: &[u8], ground: Ground, out: &mut Vec<u8>) {
    if let Some(point) = point {
        out.extend_from_slice(b"\"point\":\"");
        ground.push_point(point, out);
        out.extend_from_slice(b"\",");
    }
    out.extend_from_slice(b"\"text\":");
    string(text, out);
    if written != Symmetry::Identity {
        member("written", out);
        quoted(written.name().as_bytes(), out);
    }
    if !bytes.is_empty() {
        member("hex", out);
        out.push(b'"');
        hex::push(bytes, out);
        out.push(b'"');
    }
    out.push(b'}');
}

/// `,"name":`
fn member(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// A member that is an object; each of its own stands behind a comma.
fn object(name: &str, out: &mut Vec<u8>, members: impl FnOnce(&mut Vec<u8>)) {
    member(name, out);
    let start = out.len();
    members(out);
    match out.get_mut(start) {
        Some(comma) => *comma = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

fn number(name: &str, number: u64, out: &mut Vec<u8>) {
    member(name, out);
    decimal::push(number, out);
}

/// A string without anything to escape.
fn quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

fn string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("writing into memory does not fail");
}

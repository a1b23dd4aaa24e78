//! What a book says of a position as the notes of a node.

use crate::Error;
use games::Side;
use record::{Entry, Judgement, Label, Note, Part, Ratings, Score, TreeBuilder, Value};

/// Writes value and comment of the node added last, and tells `lose` what has no place, and whether it is there.
///
/// `games` is whether there are some, and how they are told in the comment, if they are.
pub(crate) fn note_entry(
    builder: &mut TreeBuilder,
    entry: &Entry,
    to_move: Side,
    (has_games, stats): (bool, Option<String>),
    lose: &mut dyn FnMut(&'static str, bool),
) -> Result<(), Error> {
    lose("labels of positions (left out)", entry.label != Label::None);
    lose("statistics of games (left out; --stats writes them into comments)", has_games && stats.is_none());
    let facts = entry.ratings != Ratings::default() || entry.last_year.is_some() || !entry.games.is_empty();
    lose("ratings, years and references to games (left out)", facts);
    let said = entry.value();
    let rest = entry.rest.as_ref();
    let found = rest.is_some_and(|rest| rest.judgement.is_some());
    let values = [entry.judgement.is_some(), found, entry.backed.is_some()];
    let beside = values.into_iter().filter(|is_there| *is_there).count() > 1;
    lose("values beside those to go by (left out)", beside);
    let proven = rest.is_some_and(|rest| rest.proven) || entry.backed.is_some_and(|backed| backed.proven);
    let has_move = rest.is_some_and(|rest| rest.play.is_some());
    lose("best moves that the book does not follow, and proofs of values (left out)", has_move || proven);
    if let Some(judgement) = said.as_deref() {
        lose("bounds, nodes, scales, sources and negative depths of values (left out)", !is_whole(judgement));
        builder.note(Note::Value(value(judgement, to_move)))?;
    }
    let mut texts: Vec<(&str, &[u8])> = Vec::with_capacity(entry.comments.len());
    for comment in &entry.comments {
        if !texts.iter().any(|(text, _)| *text == comment.text) {
            texts.push((&comment.text, &comment.bytes));
        }
    }
    if let ([(text, bytes)], None) = (&texts[..], &stats) {
        return note_comment(builder, text, bytes);
    }
    let lossy = texts.iter().any(|(text, bytes)| needs_bytes(text, bytes));
    lose("bytes of comments that are joined (the text is written)", lossy);
    let mut parts: Vec<&str> = texts.iter().map(|(text, _)| *text).collect();
    parts.extend(stats.as_deref());
    if parts.is_empty() { Ok(()) } else { note_comment(builder, &parts.join("\n\n"), &[]) }
}

/// Writes a comment: its first line as RenLib's one-line part, unless that would change the text.
fn note_comment(builder: &mut TreeBuilder, text: &str, bytes: &[u8]) -> Result<(), Error> {
    let bytes = if needs_bytes(text, bytes) { bytes } else { &[] };
    let cut = text.split_once('\n').filter(|(line, body)| !line.is_empty() && !body.is_empty());
    let cut_bytes = bytes.iter().position(|byte| *byte == 8).map(|at| (&bytes[..at], &bytes[at + 1..]));
    match (cut, cut_bytes) {
        (Some((line, body)), cut) if cut.is_some() || bytes.is_empty() => {
            note_part(builder, Part::Line, line, cut.map_or(&[], |(line, _)| line))?;
            note_part(builder, Part::Body, body, cut.map_or(&[], |(_, body)| body))
        }
        _ if text.contains('\n') => note_part(builder, Part::Body, text, bytes),
        _ => note_part(builder, Part::Line, text, bytes),
    }
}

fn note_part(builder: &mut TreeBuilder, part: Part, text: &str, bytes: &[u8]) -> Result<(), Error> {
    builder.note(if part == Part::Line { Note::Line(text) } else { Note::Body(text) })?;
    if needs_bytes(text, bytes) {
        builder.note(Note::Bytes(part, bytes))?;
    }
    Ok(())
}

/// Whether the text does not say all that the bytes do.
pub(crate) fn needs_bytes(text: &str, bytes: &[u8]) -> bool {
    !bytes.is_empty() && text.contains('\u{FFFD}')
}

/// Whether a record's value says all that the judgement does.
fn is_whole(judgement: &Judgement) -> bool {
    let Judgement { bound, depth, nodes, scale, source, .. } = judgement;
    *bound == record::Bound::None && *depth >= 0 && nodes.is_none() && *scale == Judgement::SCALE && source.is_empty()
}

/// The judgement from the first player's view.
fn value(judgement: &Judgement, to_move: Side) -> Value {
    let firsts = if to_move == Side::First { judgement.value } else { judgement.value.saturating_neg() };
    let plies = |value: i32| u16::try_from(30_000_i32.saturating_sub(value)).ok().filter(|plies| *plies < 500);
    let score = match (plies(firsts), plies(firsts.saturating_neg())) {
        (Some(plies), _) => Score::FirstWins(plies),
        (_, Some(plies)) => Score::SecondWins(plies),
        _ => Score::Points(firsts),
    };
    Value { score, depth: u16::try_from(judgement.depth).ok().filter(|depth| *depth > 0) }
}

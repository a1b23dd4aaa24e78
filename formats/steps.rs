use crate::{Blame, Error, Losses};
use games::Move;
use games::xiangqi::{Board, Fen};
use record::{NodeId, Note, Pieces, Play, Record, Tree, TreeBuilder, WRITTEN};
use std::borrow::Cow;

/// The tree of a xiangqi record as files can hold it that have nothing but moves of pieces.
///
/// A node without a move is left out and what is below it joined to its parent; a pass, and a move that was not read
/// on its board, is left out with all after it.
pub(crate) fn of<'a>(record: &'a Record, losses: &mut Losses) -> Result<Cow<'a, Tree>, Error> {
    let tree = &record.tree;
    let is_step = |node| matches!(tree.play(node), Play::Move(Move::Step(_)));
    if tree.nodes().skip(1).all(is_step) {
        return Ok(Cow::Borrowed(tree));
    }
    let mut builder = TreeBuilder::new();
    builder.copy_notes(tree, NodeId::ROOT)?;
    // Of the nodes from the root on, by depth: the depth that each has in the new tree.
    let mut depths = vec![0];
    let mut gone = usize::MAX;
    for (depth, node) in tree.walk().skip(1) {
        if depth > gone {
            losses.node("moves after a pass or after a move that no board was found for (left out)", record, node);
            continue;
        }
        gone = usize::MAX;
        depths.truncate(depth);
        let above = depths[depth - 1];
        if is_step(node) {
            builder.append(above + 1, tree.side(node), tree.play(node))?;
            builder.copy_notes(tree, node)?;
            depths.push(above + 1);
            continue;
        }
        let is_written = tree.notes(node).any(|note| matches!(note, Note::Property(WRITTEN, _)));
        match tree.play(node) {
            Play::Move(_) => losses.node("passes (left out with all after them)", record, node),
            Play::Nothing if is_written => {
                losses.node("moves that no board was found for (left out with all after them)", record, node);
            }
            _ => {
                losses.node("nodes without a move (joined to their parents)", record, node);
                if tree.notes(node).next().is_some() {
                    losses.node("notes of nodes without a move (left out)", record, node);
                }
                depths.push(above);
                continue;
            }
        }
        gone = depth;
    }
    Ok(Cow::Owned(builder.build()))
}

/// The position that the record begins with, for a file that has no counters beside it.
pub(crate) fn start(record: &Record, format: &'static str, losses: &mut Losses) -> Result<Board, Error> {
    let pieces = Pieces::new(&record.head).map_err(|remark| {
        let message = format!("the tag FEN holds no position ({remark}): {format} cannot hold a text in its place");
        Error::new(Blame::Target, format, message)
    })?;
    let options = games::xiangqi::FenOptions { strict: false, other_letters: true };
    if let Some(Ok((fen, _))) = record.head.fen().map(|text| Fen::read(text, options))
        && (fen.halfmove, fen.fullmove) != (0, 1)
    {
        losses.named("counters of moves of the position at the start (left out)", "FEN");
    }
    Ok(pieces.board().clone())
}

/// The loss of a line break that a comment in one piece has between its parts.
pub(crate) const LINE_BREAKS: &str = "line breaks in the one-line part of comments (what follows joins the body)";

/// The loss of a note that is no comment.
pub(crate) fn lost_note(note: &Note<'_>) -> &'static str {
    match note {
        Note::ToMove(_) => "sides to move (left out)",
        Note::Value(_) => "values (left out)",
        Note::Time(_) => "times (left out)",
        Note::Stone(..) => "set-up stones (left out)",
        Note::Text(_) => "board texts (left out)",
        Note::Label(..) => "labels on points (left out)",
        Note::Mark(..) => "signs on points (left out)",
        Note::Bytes(..) => "bytes without a text (left out)",
        _ => "properties (left out)",
    }
}

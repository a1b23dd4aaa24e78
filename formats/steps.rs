use crate::loss::{AGAIN, EMPTY_LINE};
use crate::{Blame, Error, Losses};
use games::Move;
use games::xiangqi::{Board, Fen};
use record::{Head, NodeId, Note, Once, Pieces, Play, Record, Tree, TreeBuilder, WRITTEN};
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

/// The loss of what a library marks.
pub(crate) const FLAGS: &str = "marks and starts (left out)";

/// The loss of a line break that a comment in one piece has between its parts.
pub(crate) const LINE_BREAKS: &str = "line breaks in the one-line part of comments (what follows joins the body)";

/// Tells of what no file of xiangqi says: rules and openings of other games.
pub(crate) fn lost_head(head: &Head, losses: &mut Losses) {
    if let Some(rule) = head.rule {
        losses.named("rules (left out)", rule.name());
    }
    if head.opening != record::Opening::default() {
        losses.named("openings (left out)", "the offered fifth moves, their number or the swaps");
    }
}

/// The comment of a node in one piece, for a file that has a place for no other note.
pub(crate) fn comment(record: &Record, node: NodeId, losses: &mut Losses) -> Option<String> {
    let (mut line, mut body) = (None, None);
    let mut once = Once::default();
    for note in record.tree.notes(node) {
        match note {
            note if once.is_again(&note) => losses.node(AGAIN, record, node),
            Note::Line(text) => line = Some(text),
            Note::Body(text) => body = Some(text),
            Note::Bytes(..) => losses.node("bytes of texts (the text is written)", record, node),
            lost => losses.node(lost_note(&lost), record, node),
        }
    }
    match (line, body) {
        (None, None) => None,
        (Some(""), None) => {
            losses.node("empty comments (left out)", record, node);
            None
        }
        (Some(line), None) => {
            if line.contains('\n') {
                losses.node(LINE_BREAKS, record, node);
            }
            Some(line.to_owned())
        }
        (line, Some(body)) => {
            match line {
                Some("") => losses.node(EMPTY_LINE, record, node),
                Some(line) if line.contains('\n') => losses.node(LINE_BREAKS, record, node),
                _ => {}
            }
            Some(format!("{}\n{body}", line.unwrap_or_default()))
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{all_records, read, read_with, write_with};
    use crate::{FORMATS, ReadOptions, WriteOptions, label_to_encoding};
    use games::Game;
    use proptest::prelude::*;

    /// What files of moves and comments can say of a tree.
    fn said(record: &Record) -> Vec<(usize, Play, String)> {
        let tree = &record.tree;
        let text = |node| match (tree.line(node), tree.body(node)) {
            (None | Some(""), None) => String::new(),
            (line, None) => line.unwrap_or_default().to_owned(),
            (line, Some(body)) => format!("{}\n{body}", line.unwrap_or_default()),
        };
        tree.walk().map(|(depth, node)| (depth, tree.play(node), text(node))).collect()
    }

    proptest! {
        #[test]
        fn what_is_gone_of_a_xiangqi_record_is_a_loss(record in all_records()) {
            let encoding = label_to_encoding("utf-8");
            for format in FORMATS.iter().filter(|format| ["xqf", "cbf", "ubb", "fen", "pfc"].contains(&format.name)) {
                // GB18030 has all characters, and no other encoding is known to the programs that read these.
                let encoding = encoding.filter(|_| format.name != "xqf");
                let asked = WriteOptions { encoding, ..WriteOptions::default() };
                let written = write_with(format, std::slice::from_ref(&record), &asked);
                prop_assert!(written.is_err() || record.head.game == Game::Xiangqi);
                let Ok((bytes, mut losses)) = written else { continue };
                let options = ReadOptions { encoding, ..ReadOptions::default() };
                let back = read_with(format, &bytes, &options);
                let back = back.unwrap_or_else(|error| panic!("{}: {error}", format.name)).one();
                if losses.is_empty() {
                    prop_assert_eq!(said(&back), said(&record), "{}", format.name);
                }
                let steps = of(&record, &mut losses).unwrap();
                let is_line = ["cbf", "fen"].contains(&format.name);
                prop_assert!(is_line || back.tree.len() == steps.len(), "{}", format.name);
            }
        }
    }

    #[test]
    fn nodes_without_a_move_are_joined_and_passes_end_their_line() {
        let agr = crate::by_name("agi-record").unwrap();
        let text = "[Agr \"1\"]\n[Game \"xiangqi\"]\n\n1. h2e2 2. ~ {x} (2. -- 3. h0g2) 3. h9g7 (3. b9c7) 4. h0g2 *\n";
        let record = read(agr, text.as_bytes()).unwrap().one();
        let mut losses = Losses::default();
        let tree = of(&record, &mut losses).unwrap();
        let steps: Vec<_> = tree.walk().skip(1).map(|(depth, node)| (depth, tree.play(node))).collect();
        let step = |text| Play::Move(Move::Step(games::Step::from_text(text).unwrap()));
        assert_eq!(steps, [(1, step("h2e2")), (2, step("h9g7")), (3, step("h0g2")), (2, step("b9c7"))]);
        assert_eq!(losses.total(), 4);
    }
}

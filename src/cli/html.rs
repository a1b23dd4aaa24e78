use super::svg::escape;
use super::xiangqi;
use anyhow::Result;
use games::xiangqi::notation::Style;
use games::{Coords, Game, Move, Side};
use record::{Note, Play, Record, WRITTEN};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The page without its records; it draws the board and walks the trees by itself.
const PAGE: &str = include_str!("viewer.html");

/// Writes one page that shows the records, with nothing to load from elsewhere.
///
/// Pieces of xiangqi are drawn as `pieces`, and their moves are named in `style`.
pub fn html(title: &str, records: &[Record], pieces: xiangqi::Pieces, style: Style, out: &mut dyn Write) -> Result<()> {
    let (head, rest) = PAGE.split_once("{{title}}").expect("the page has a place for the title");
    let (middle, tail) = rest.split_once("{{records}}").expect("the page has a place for the records");
    let (tail, end) = tail.split_once("{{more}}").expect("the page has a place for what draws other games");
    write!(out, "{head}{}{middle}[", escape(title))?;
    for (at, record) in records.iter().enumerate() {
        if at > 0 {
            out.write_all(b",\n")?;
        }
        // `</script>` in a comment must not end the script.
        let object = match record.head.game {
            Game::Gomoku => object(record),
            Game::Xiangqi => game_of_pieces(record, style),
        };
        out.write_all(object.to_string().replace('<', "\\u003c").as_bytes())?;
    }
    write!(out, "]{tail}")?;
    if records.iter().any(|record| record.head.game == Game::Xiangqi) {
        out.write_all(xiangqi::viewer(pieces).as_bytes())?;
    }
    write!(out, "{end}")?;
    Ok(())
}

/// A record as the page reads it: plies and points as text, one sign of 36 for each number, notes by node.
fn object(record: &Record) -> Value {
    let tree = &record.tree;
    let size = record.head.size;
    let mut plays = String::new();
    for (depth, node) in tree.walk() {
        // Two letters for a stone or a label, which is in capitals; `--` a pass, `..` nothing; `!` before White out of turn.
        let (mark, point) = match tree.play(node) {
            Play::Nothing | Play::Move(Move::Step(_)) => (' ', "..".to_owned()),
            Play::Move(Move::Pass) => (' ', "--".to_owned()),
            Play::Move(Move::Place(point)) => (' ', Coords::Sgf.text(point, size)),
            Play::Label(point) => (' ', Coords::Sgf.text(point, size).to_uppercase()),
        };
        let in_turn = depth == 0 || tree.side(node) == Side::of_ply(depth);
        plays.push(if in_turn { mark } else { '!' });
        plays.push_str(&point);
    }
    let head = &record.head;
    json!({
        "size": [size.width(), size.height()], "tags": head.tags,
        "result": head.result.map(|result| result.text()), "rule": head.rule.map(|rule| rule.name()),
        "plays": plays, "jumps": jumps(record), "notes": notes(record), "start": start(record),
    })
}

/// A record of xiangqi: for each node a blank and two signs for the points of its move, counted from `#` at the top
/// left; the pieces at the start; and how its move is written.
fn game_of_pieces(record: &Record, style: Style) -> Value {
    let (head, tree) = (&record.head, &record.tree);
    let sign = |point: games::Point| char::from(b'#' + point.y() * games::xiangqi::WIDTH + point.x());
    let mut plays = String::new();
    for node in tree.nodes() {
        plays.push(' ');
        match tree.play(node) {
            Play::Move(Move::Step(step)) => plays.extend([sign(step.from), sign(step.to)]),
            Play::Move(Move::Pass) => plays.push_str("--"),
            Play::Move(Move::Place(_)) | Play::Label(_) | Play::Nothing => plays.push_str(".."),
        }
    }
    let mut pieces = Map::new();
    let mut first = Side::First;
    // A record without a position to begin with shows no pieces, and its moves as the file writes them.
    if let Ok(start) = record::Pieces::new(head) {
        first = start.board().to_move();
        for (point, piece) in start.board().pieces() {
            let square = point.y() * games::xiangqi::WIDTH + point.x();
            pieces.insert(square.to_string(), json!(piece.letter().to_string()));
        }
    }
    let mut names = record::spell(head, tree, style).unwrap_or_else(|_| vec![String::new(); tree.len()]);
    for (node, name) in tree.nodes().zip(&mut names) {
        match tree.play(node) {
            Play::Move(Move::Pass) => *name = "--".into(),
            Play::Nothing => {
                let written = tree.notes(node).find_map(|note| match note {
                    Note::Property(WRITTEN, text) => Some(text),
                    _ => None,
                });
                *name = written.unwrap_or_default().into();
            }
            _ => {}
        }
    }
    json!({
        "game": Game::Xiangqi.name(), "size": [head.size.width(), head.size.height()], "tags": head.tags,
        "result": head.result.map(|result| result.text()), "pieces": pieces,
        "first": first.name(Game::Xiangqi), "names": names,
        "plays": plays, "jumps": jumps(record), "notes": notes(record), "start": start(record),
    })
}

/// The nodes that are not one deeper than the one before, with their depth: most are.
fn jumps(record: &Record) -> Vec<Value> {
    let mut before = 0;
    let mut jumps = Vec::new();
    for (depth, node) in record.tree.walk().skip(1) {
        if depth != before + 1 {
            jumps.push(json!([node.index(), depth]));
        }
        before = depth;
    }
    jumps
}

fn start(record: &Record) -> Option<usize> {
    let tree = &record.tree;
    tree.nodes().find(|node| tree.is_start(*node)).map(|node| node.index())
}

/// What is written at the nodes, by their number.
fn notes(record: &Record) -> Map<String, Value> {
    let written = record.tree.nodes().map(|node| (node.index().to_string(), written(record, node)));
    written.filter(|(_, written)| !written.is_empty()).map(|(node, written)| (node, Value::Object(written))).collect()
}

fn written(record: &Record, node: record::NodeId) -> Map<String, Value> {
    let size = record.head.size;
    let point = |point| Coords::Sgf.text(point, size);
    let mut written = Map::new();
    let mut push = |name: &str, value: Value| match written.get_mut(name).and_then(Value::as_array_mut) {
        Some(list) => list.push(value),
        None => drop(written.insert(name.into(), json!([value]))),
    };
    for note in record.tree.notes(node) {
        match note {
            Note::Line(text) | Note::Body(text) => push("comment", json!(text)),
            Note::Text(text) => push("text", json!(text)),
            Note::Label(at, text) => push("labels", json!([point(at), text])),
            Note::Mark(at, shape) => push("marks", json!([point(at), shape.name()])),
            Note::Stone(at, side) => {
                let side = side.map_or(0, |side| if side == Side::First { 1 } else { 2 });
                push("stones", json!([point(at), side]));
            }
            Note::Value(value) => push("value", json!(value.text())),
            _ => {}
        }
    }
    written
}

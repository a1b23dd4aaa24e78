use super::svg::escape;
use anyhow::Result;
use games::{Coords, Move, Side};
use record::{Note, Play, Record};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The page without its records; it draws the board and walks the trees by itself.
const PAGE: &str = include_str!("viewer.html");

/// Writes one page that shows the records, with nothing to load from elsewhere.
pub fn html(title: &str, records: &[Record], out: &mut dyn Write) -> Result<()> {
    let (head, rest) = PAGE.split_once("{{title}}").expect("the page has a place for the title");
    let (middle, tail) = rest.split_once("{{records}}").expect("the page has a place for the records");
    write!(out, "{head}{}{middle}[", escape(title))?;
    for (at, record) in records.iter().enumerate() {
        if at > 0 {
            out.write_all(b",\n")?;
        }
        // `</script>` in a comment must not end the script.
        out.write_all(object(record).to_string().replace('<', "\\u003c").as_bytes())?;
    }
    write!(out, "]{tail}")?;
    Ok(())
}

/// A record as the page reads it: plies and points as text, one sign of 36 for each number, notes by node.
fn object(record: &Record) -> Value {
    let tree = &record.tree;
    let size = record.head.size;
    let mut depths = Vec::new();
    let mut plays = String::new();
    let mut notes = Map::new();
    for (depth, node) in tree.walk() {
        depths.push(depth);
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
        let written = written(record, node);
        if !written.is_empty() {
            notes.insert(node.index().to_string(), Value::Object(written));
        }
    }
    // Most nodes continue the one before: depths are told where they do not.
    let mut jumps = Vec::new();
    for (at, pair) in depths.windows(2).enumerate() {
        if pair[1] != pair[0] + 1 {
            jumps.push(json!([at + 1, pair[1]]));
        }
    }
    let head = &record.head;
    json!({
        "size": [size.width(), size.height()], "tags": head.tags,
        "result": head.result.map(|result| result.text()), "rule": head.rule.map(|rule| rule.name()),
        "plays": plays, "jumps": jumps, "notes": notes,
        "start": tree.nodes().find(|node| tree.is_start(*node)).map(|node| node.index()),
    })
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

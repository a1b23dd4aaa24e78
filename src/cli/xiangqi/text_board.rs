use super::{Diagram, Pieces};
use games::xiangqi::notation::Style;
use games::xiangqi::{HEIGHT, WIDTH, side_name};
use games::{Coords, Point, Side, Size};
use record::{NodeId, Note, Record};
use std::fmt::Write;

/// Columns of the list of moves.
const COLUMNS: usize = 80;

/// The board in letters or characters, and below it what is written at the node.
///
/// `style` is how moves are spelled beside ICCS; the moves that lead here are listed where `lists_moves`.
pub fn draw(
    record: &Record,
    node: NodeId,
    diagram: &Diagram,
    pieces: Pieces,
    style: Style,
    lists_moves: bool,
) -> String {
    let mut text = title(record) + &board(diagram, pieces);
    captions(record, node, diagram, style, lists_moves, &mut text);
    text
}

/// `Ann - Bob, 1-0`, as far as the record says it; Red first.
fn title(record: &Record) -> String {
    let head = &record.head;
    let name = |tag| head.tag(tag).unwrap_or("?").replace('\n', " ");
    let players = head.tag("Red").or(head.tag("Black")).map(|_| format!("{} - {}", name("Red"), name("Black")));
    let parts: Vec<String> = players.into_iter().chain(head.result.map(|result| result.text().into())).collect();
    if parts.is_empty() { String::new() } else { parts.join(", ") + "\n\n" }
}

/// A point takes four columns, of which its sign has one or two; the last move's ends stand in parentheses.
pub fn board(diagram: &Diagram, pieces: Pieces) -> String {
    let mut text = String::new();
    const BLACK: &str = "１２３４５６７８９";
    const RED: &str = "九八七六五四三二一";
    let is_chinese = pieces != Pieces::Letters;
    let files = |signs: &str, gap: &str, text: &mut String| {
        let signs: Vec<String> = signs.chars().map(String::from).collect();
        let _ = writeln!(text, "   {}", signs.join(gap));
    };
    if is_chinese {
        files(BLACK, "  ", &mut text);
    }
    let last = diagram.last();
    let is_last = |point| last.is_some_and(|step| step.from == point || step.to == point);
    for y in 0..HEIGHT {
        let _ = write!(text, " {} ", HEIGHT - 1 - y);
        for x in 0..WIDTH {
            let point = Point::new(x, y).expect("a board fits the limit of points");
            if is_last(point) {
                // The bracket takes the place of what is before the sign.
                text.pop();
                text.push('(');
            }
            let piece = diagram.board().piece(point);
            text.push(piece.map_or('+', |piece| pieces.sign(piece)));
            let width = 1 + usize::from(piece.is_some() && is_chinese);
            let line = if x + 1 < WIDTH { "---" } else { "" };
            if is_last(point) {
                text.push(')');
                text.push_str(line.get(width..).unwrap_or_default());
            } else {
                text.push_str(line.get(width - 1..).unwrap_or_default());
            }
        }
        text.push('\n');
        match y {
            0 | 7 => text.push_str("   |   |   |   | \\ | / |   |   |   |\n"),
            1 | 8 => text.push_str("   |   |   |   | / | \\ |   |   |   |\n"),
            4 => {
                let [left, right] = pieces.river();
                match is_chinese {
                    true => {
                        let _ = writeln!(text, "   |      {left}           {right}      |");
                    }
                    false => text.push_str("   |                               |\n"),
                }
            }
            9 => {}
            _ => text.push_str("   |   |   |   |   |   |   |   |   |\n"),
        }
    }
    if is_chinese {
        files(RED, "  ", &mut text);
    }
    files("abcdefghi", "   ", &mut text);
    text + "\n"
}

fn captions(record: &Record, node: NodeId, diagram: &Diagram, style: Style, lists_moves: bool, text: &mut String) {
    let tree = &record.tree;
    let both = |iccs: Vec<String>, spelled: Vec<String>| -> Vec<String> {
        let one = |(iccs, spelled): (String, String)| if iccs == spelled { iccs } else { format!("{iccs} {spelled}") };
        iccs.into_iter().zip(spelled).map(one).collect()
    };
    let beside = if style == Style::Iccs { Style::Chinese } else { style };
    let last = both(diagram.spelled(Style::Iccs), diagram.spelled(beside)).pop();
    let last = last.map(|last| format!(", last {last}")).unwrap_or_default();
    let turn = if diagram.board().to_move() == Side::First { "Red" } else { "Black" };
    let turn = match diagram.peril() {
        Some("in check") => format!("{turn} to move, in check"),
        Some(peril) => format!("{turn} is {peril}"),
        None => format!("{turn} to move"),
    };
    let _ = writeln!(text, "ply {}{last}, {turn}", diagram.moves.len());
    let _ = writeln!(text, "fen {}", diagram.fen);
    if lists_moves {
        list(diagram, style, text);
    }
    let mut list = |name: &str, points: Vec<String>| {
        if !points.is_empty() {
            let _ = writeln!(text, "{name} {}", points.join(", "));
        }
    };
    list("next", both(diagram.spelled_next(Style::Iccs), diagram.spelled_next(beside)));
    let point = |point: Point, what: &str| format!("{} {what}", Coords::Iccs.text(point, Size::XIANGQI));
    list("labels", diagram.labels.iter().map(|(at, label)| point(*at, label)).collect());
    list("signs", diagram.signs.iter().map(|(at, shape)| point(*at, shape.name())).collect());
    for note in tree.notes(node) {
        match note {
            Note::Value(value) => {
                let _ = writeln!(text, "value {} for {}", value.text(), side_name(Side::First));
            }
            Note::Line(comment) | Note::Body(comment) => {
                let _ = writeln!(text, "{comment}");
            }
            _ => {}
        }
    }
}

/// The moves that lead here with their numbers, in lines of at most [`COLUMNS`].
fn list(diagram: &Diagram, style: Style, text: &mut String) {
    let mut line = String::from("moves");
    let mut width = line.len();
    let mut number = diagram.start.fullmove;
    for ((_, before), spelled) in diagram.moves.iter().zip(diagram.spelled(style)) {
        let side = before.to_move();
        let is_first = line == "moves";
        let word = match side {
            Side::First => format!(" {number}. {spelled}"),
            Side::Second if is_first => format!(" {number}. ... {spelled}"),
            Side::Second => format!(" {spelled}"),
        };
        number += u32::from(side == Side::Second);
        let wide: usize = word.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        // With Black's answer, which is as long.
        if width + 2 * wide > COLUMNS && side == Side::First {
            text.push_str(&line);
            text.push('\n');
            line = String::from("     ");
            width = line.len();
        }
        line.push_str(&word);
        width += wide;
    }
    if !diagram.moves.is_empty() {
        text.push_str(&line);
        text.push('\n');
    }
}

use super::diagram::{Diagram, Numbers, move_name, opening_name};
use games::{Move, Point, Side};
use record::{NodeId, Note, Record, Shape};
use std::borrow::Cow;
use std::fmt::Write;

/// The board in letters, and below it what is written at the node.
pub fn draw(record: &Record, node: NodeId, diagram: &Diagram, numbers: Numbers) -> String {
    let mut text = title(record);
    text += &board(diagram, numbers);
    captions(record, node, diagram, &mut text);
    text
}

/// `Ann - Bob, 1-0`, as far as the record says it.
fn title(record: &Record) -> String {
    let head = &record.head;
    let name = |tag| head.tag(tag).unwrap_or("?").replace('\n', " ");
    let players = head.tag("Black").or(head.tag("White")).map(|_| format!("{} - {}", name("Black"), name("White")));
    let parts: Vec<String> = players.into_iter().chain(head.result.map(|result| result.text().into())).collect();
    if parts.is_empty() { String::new() } else { parts.join(", ") + "\n\n" }
}

/// The board in letters alone.
pub fn board(diagram: &Diagram, numbers: Numbers) -> String {
    let mut text = String::new();
    let size = diagram.size;
    // A number needs its side before it: `X7`, `O12`.
    let width = match diagram.stones.iter().filter_map(|stone| Diagram::number(*stone, numbers)).max() {
        None => 1,
        Some(most) => 1 + most.to_string().len(),
    };
    let last = diagram.last.and_then(Move::point);
    let cells = cells(diagram, numbers);
    for y in 0..size.height() {
        let _ = write!(text, "{:>2}", size.height() - y);
        let mut gap = ' ';
        for x in 0..size.width() {
            let point = Point::new(x, y).expect("a board fits the limit of points");
            let is_last = last == Some(point);
            let cell = &cells[usize::from(point.code())];
            text.push(gap);
            let _ = write!(text, "{cell:>width$}");
            if is_last {
                // The bracket takes the place of the blank before the stone, which is the one of the gap at the least.
                let bracket = text.len() - cell.len() - 1;
                text.replace_range(bracket..=bracket, "(");
            }
            gap = if is_last { ')' } else { ' ' };
        }
        text.push_str(if gap == ')' { ")\n" } else { "\n" });
    }
    text.push_str("  ");
    for x in 0..size.width() {
        let _ = write!(text, " {:>width$}", char::from(b'a' + x));
    }
    text.push_str("\n\n");
    text
}

/// What stands on each point, by its code: later layers cover the ones before.
fn cells(diagram: &Diagram, numbers: Numbers) -> Vec<Cow<'static, str>> {
    let mut cells = vec![Cow::Borrowed("."); usize::from(Point::LIMIT).pow(2)];
    let mut put = |point: Point, cell| cells[usize::from(point.code())] = cell;
    for point in diagram.size.points().filter(|point| diagram.is_star(*point)) {
        put(point, "+".into());
    }
    for (point, _) in &diagram.forbidden {
        put(*point, "!".into());
    }
    for (point, shape) in diagram.signs.iter().rev() {
        let sign = match shape {
            Shape::Triangle => "^",
            Shape::Circle => "@",
            Shape::Square => "#",
            Shape::Cross => "%",
            Shape::Selected => "=",
        };
        put(*point, sign.into());
    }
    for (point, label) in diagram.texts() {
        let mut signs = label.chars();
        let cell = match (signs.next(), signs.next()) {
            (Some(sign), None) if sign.is_ascii_graphic() && !"XO.".contains(sign) => sign.to_string().into(),
            _ => "*".into(),
        };
        put(point, cell);
    }
    for stone in &diagram.stones {
        let side = if stone.side == Side::First { "X" } else { "O" };
        let cell = match Diagram::number(*stone, numbers) {
            Some(number) => format!("{side}{number}").into(),
            None => side.into(),
        };
        put(stone.point, cell);
    }
    cells
}

fn captions(record: &Record, node: NodeId, diagram: &Diagram, text: &mut String) {
    let tree = &record.tree;
    let turn = if diagram.to_move == Side::First { "X (Black)" } else { "O (White)" };
    let last = match diagram.last {
        Some(last) => format!(", last {}", last.point().map_or("a pass".into(), |point| diagram.name(point))),
        None => String::new(),
    };
    let _ = writeln!(text, "ply {}{last}, {turn} to move", diagram.ply);
    if let Some(opening) = diagram.opening {
        let _ = writeln!(text, "opening {}", opening_name(opening));
    }
    let next: Vec<String> = tree.children(node).map(|child| move_name(tree, child, diagram.size)).collect();
    if !next.is_empty() {
        let _ = writeln!(text, "next {}", next.join(" "));
    }
    let mut list = |name: &str, points: Vec<String>| {
        if !points.is_empty() {
            let _ = writeln!(text, "{name} {}", points.join(", "));
        }
    };
    let point = |point: Point, what: &str| format!("{} {what}", diagram.name(point));
    list("labels", diagram.labels.iter().map(|(at, label)| point(*at, label)).collect());
    list("signs", diagram.signs.iter().map(|(at, shape)| point(*at, shape.name())).collect());
    let kinds = |kinds: &games::gomoku::Kinds| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" and ");
    list("forbidden to X", diagram.forbidden.iter().map(|(at, why)| point(*at, &kinds(why))).collect());
    for note in tree.notes(node) {
        match note {
            Note::Value(value) => {
                let _ = writeln!(text, "value {}", value.text());
            }
            Note::Line(comment) | Note::Body(comment) => {
                let _ = writeln!(text, "{comment}");
            }
            _ => {}
        }
    }
}

use super::diagram::{Diagram, Numbers};
use super::terminal::harmless;
use games::{Move, Point, Side};
use record::Shape;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// The distance of two lines, in units of the picture.
const CELL: f32 = 40.0;
/// From the edge of the picture to the first line, with room for coordinates.
const LEFT: f32 = 54.0;
const TOP: f32 = 28.0;
const RIGHT: f32 = 28.0;
const BOTTOM: f32 = 46.0;
const STONE: f32 = 18.6;
/// The widest text on a point, in letters.
const WIDEST: f32 = 8.0;
const FONT: &str = "DejaVu Sans, Verdana, Noto Sans CJK SC, Microsoft YaHei, sans-serif";

/// A picture in the manner of printed diagrams of renju.
pub fn svg(diagram: &Diagram, numbers: Numbers) -> String {
    let (width, height) = (f32::from(diagram.size.width() - 1), f32::from(diagram.size.height() - 1));
    let (wide, high) = (LEFT + width * CELL + RIGHT, TOP + height * CELL + BOTTOM);
    let mut picture = Picture { text: String::new(), diagram, texts: diagram.texts(), numbers };
    picture.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"{FONT}\" text-anchor=\"middle\">\n<rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>\n"
    ));
    picture.lines();
    picture.coordinates();
    picture.stones();
    picture.clear_labels();
    picture.signs();
    picture.forbidden();
    picture.numbers();
    picture.labels();
    picture.text.push_str("</svg>\n");
    picture.text
}

struct Picture<'a> {
    text: String,
    diagram: &'a Diagram,
    /// What is drawn on points.
    texts: BTreeMap<Point, &'a str>,
    numbers: Numbers,
}

impl Picture<'_> {
    fn push(&mut self, piece: std::fmt::Arguments<'_>) {
        self.text.write_fmt(piece).expect("a string takes all");
    }

    fn lines(&mut self) {
        let size = self.diagram.size;
        let (right, bottom) = (LEFT + f32::from(size.width() - 1) * CELL, TOP + f32::from(size.height() - 1) * CELL);
        let mut path = String::new();
        for x in 0..size.width() {
            let _ = write!(path, "M{0} {TOP}V{bottom}", LEFT + f32::from(x) * CELL);
        }
        for y in 0..size.height() {
            let _ = write!(path, "M{LEFT} {0}H{right}", TOP + f32::from(y) * CELL);
        }
        self.push(format_args!("<path d=\"{path}\" stroke=\"#333\" stroke-width=\"1.2\" fill=\"none\"/>\n"));
        self.push(format_args!(
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" stroke=\"#111\" stroke-width=\"2.4\" fill=\"none\"/>\n",
            right - LEFT,
            bottom - TOP
        ));
        for point in size.points().filter(|point| self.diagram.is_star(*point)) {
            let (x, y) = place(point);
            self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"#111\"/>\n"));
        }
    }

    fn coordinates(&mut self) {
        let size = self.diagram.size;
        let below = TOP + f32::from(size.height() - 1) * CELL + 38.0;
        self.text.push_str("<g font-size=\"17\" fill=\"#333\">\n");
        for x in 0..size.width() {
            let letter = char::from(b'a' + x);
            self.push(format_args!("<text x=\"{}\" y=\"{below}\">{letter}</text>\n", LEFT + f32::from(x) * CELL));
        }
        for y in 0..size.height() {
            let number = size.height() - y;
            let middle = TOP + f32::from(y) * CELL + 6.0;
            self.push(format_args!("<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{number}</text>\n", LEFT - 24.0));
        }
        self.text.push_str("</g>\n");
    }

    fn stones(&mut self) {
        let last = self.diagram.last.and_then(Move::point);
        for stone in &self.diagram.stones {
            let (x, y) = place(stone.point);
            let fill = if stone.side == Side::First { "#111" } else { "#fff" };
            self.push(format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{STONE}\" fill=\"{fill}\" stroke=\"#111\" stroke-width=\"1.5\"/>\n"
            ));
            if last != Some(stone.point) {
                continue;
            }
            match self.is_written_on(stone.point) {
                true => self.push(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"#d22\" stroke-width=\"2.6\"/>\n",
                    STONE - 1.0
                )),
                false => self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#d22\"/>\n")),
            }
        }
    }

    /// Whether a number or a label stands on the point.
    fn is_written_on(&self, point: Point) -> bool {
        let stone = self.diagram.stone(point);
        stone.is_some_and(|stone| Diagram::number(stone, self.numbers).is_some()) || self.texts.contains_key(&point)
    }

    /// What is written on a point in: white on Black's stones.
    fn ink(&self, point: Point) -> &'static str {
        match self.diagram.stone(point).map(|stone| stone.side) {
            Some(Side::First) => "#fff",
            _ => "#111",
        }
    }

    fn numbers(&mut self) {
        for stone in &self.diagram.stones {
            let number = Diagram::number(*stone, self.numbers);
            if let Some(number) = number.filter(|_| !self.texts.contains_key(&stone.point)) {
                self.words(stone.point, &number.to_string());
            }
        }
    }

    /// Takes the lines away that would run through the letters.
    fn clear_labels(&mut self) {
        let texts = std::mem::take(&mut self.texts);
        for (point, label) in texts.iter().filter(|(point, _)| self.diagram.stone(**point).is_none()) {
            let (x, y) = place(*point);
            let (_, width, size) = fit(label);
            let half = (width * size * 0.36).clamp(10.0, CELL / 2.0 + 1.0);
            self.push(format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"24\" fill=\"#fff\"/>\n",
                x - half,
                y - 12.0,
                2.0 * half
            ));
        }
        self.texts = texts;
    }

    fn labels(&mut self) {
        let texts = std::mem::take(&mut self.texts);
        texts.iter().for_each(|(point, label)| self.words(*point, label));
        self.texts = texts;
    }

    /// A text centred on a point.
    fn words(&mut self, point: Point, words: &str) {
        let (x, y) = place(point);
        let (words, _, size) = fit(words);
        let (words, ink) = (escape(&words), self.ink(point));
        self.push(format_args!(
            "<text x=\"{x}\" y=\"{:.1}\" font-size=\"{size:.1}\" fill=\"{ink}\">{words}</text>\n",
            y + size * 0.36
        ));
    }

    fn signs(&mut self) {
        let mut drawn = HashSet::new();
        for (point, shape) in &self.diagram.signs {
            if !drawn.insert((*point, shape.name())) {
                continue;
            }
            let (x, y) = place(*point);
            // A sign behind a text is set apart from it by its colour.
            let ink = if self.is_written_on(*point) { "#e07b00" } else { self.ink(*point) };
            let style = format!("fill=\"none\" stroke=\"{ink}\" stroke-width=\"2.2\"");
            match shape {
                Shape::Triangle => {
                    self.push(format_args!("<path d=\"M{x} {}l9.5 16.5h-19z\" {style}/>\n", y - 11.0));
                }
                Shape::Circle => self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" {style}/>\n")),
                Shape::Square => {
                    self.push(format_args!(
                        "<rect x=\"{}\" y=\"{}\" width=\"16\" height=\"16\" {style}/>\n",
                        x - 8.0,
                        y - 8.0
                    ));
                }
                Shape::Cross => {
                    self.push(format_args!("<path d=\"M{} {}l16 16m0-16l-16 16\" {style}/>\n", x - 8.0, y - 8.0));
                }
                Shape::Selected => {
                    self.push(format_args!(
                        "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{ink}\"/>\n",
                        x - 6.0,
                        y - 6.0
                    ));
                }
            }
        }
    }

    fn forbidden(&mut self) {
        for (point, _) in &self.diagram.forbidden {
            let (x, y) = place(*point);
            self.push(format_args!(
                "<path d=\"M{} {}l16 16m0-16l-16 16\" fill=\"none\" stroke=\"#d22\" stroke-width=\"3\"/>\n",
                x - 8.0,
                y - 8.0
            ));
        }
    }
}

/// A text as it is drawn on a point, its width in letters, and the size of the letters: smaller the more there are.
///
/// What would run far over the next point is cut.
pub fn fit(text: &str) -> (String, f32, f32) {
    let wide = |c: char| if c.is_ascii() { 1.0 } else { 1.7 };
    let mut width = 0.0;
    let mut shown = String::new();
    for c in text.chars() {
        if width + wide(c) > WIDEST {
            shown.push_str("..");
            break;
        }
        width += wide(c);
        shown.push(c);
    }
    let letters = f32::max(width, 1.0);
    let size = if letters > 3.5 { 56.0 } else { 48.0 } / letters;
    (harmless(&shown).into_owned(), width, size.clamp(7.0, 19.0))
}

/// Where a point is in the picture.
fn place(point: Point) -> (f32, f32) {
    (LEFT + f32::from(point.x()) * CELL, TOP + f32::from(point.y()) * CELL)
}

/// A text of a file inside XML or HTML.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML has no way to say these.
            '\u{FFFE}' | '\u{FFFF}' => safe.push('\u{FFFD}'),
            c if c.is_control() && !matches!(c, '\t' | '\n') => safe.push('\u{FFFD}'),
            c => safe.push(c),
        }
    }
    safe
}

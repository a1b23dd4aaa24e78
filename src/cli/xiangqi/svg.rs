use super::{Diagram, Pieces, strokes};
use crate::cli::svg::{escape, fit};
use games::xiangqi::{HEIGHT, Piece, WIDTH};
use games::{Point, Side};
use record::Shape;
use std::collections::HashSet;
use std::fmt::Write;

/// The distance of two lines, in units of the picture.
const CELL: f32 = 50.0;
/// From the edge of the picture to the first line, with room for coordinates.
const LEFT: f32 = 62.0;
const TOP: f32 = 34.0;
const RIGHT: f32 = 36.0;
const BOTTOM: f32 = 62.0;
const DISC: f32 = 22.5;
const FONT: &str = "DejaVu Sans, Verdana, Noto Sans CJK SC, Microsoft YaHei, sans-serif";
const LAST: &str = "#0a6fc2";

/// A picture in the manner of printed diagrams of xiangqi.
pub fn svg(diagram: &Diagram, pieces: Pieces) -> String {
    let (wide, high) = (LEFT + 8.0 * CELL + RIGHT, TOP + 9.0 * CELL + BOTTOM);
    let mut picture = Picture { text: String::new(), diagram, pieces };
    picture.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"{FONT}\" text-anchor=\"middle\">\n<title>{}</title>\n\
         <rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>\n",
        diagram.fen
    ));
    picture.lines();
    picture.river();
    picture.coordinates();
    diagram.board().pieces().for_each(|(point, piece)| picture.piece(point, piece));
    picture.last();
    picture.signs();
    picture.labels();
    picture.text.push_str("</svg>\n");
    picture.text
}

struct Picture<'a> {
    text: String,
    diagram: &'a Diagram,
    pieces: Pieces,
}

impl Picture<'_> {
    fn push(&mut self, piece: std::fmt::Arguments<'_>) {
        self.text.write_fmt(piece).expect("a string takes all");
    }

    fn lines(&mut self) {
        let (right, bottom) = (LEFT + 8.0 * CELL, TOP + 9.0 * CELL);
        let at = |n: u8| f32::from(n) * CELL;
        let mut path = String::new();
        for y in 0..HEIGHT {
            let _ = write!(path, "M{LEFT} {0}H{right}", TOP + at(y));
        }
        for x in 1..WIDTH - 1 {
            let (x, north, south) = (LEFT + at(x), TOP + at(4), TOP + at(5));
            let _ = write!(path, "M{x} {TOP}V{north}M{x} {south}V{bottom}");
        }
        for top in [TOP, TOP + at(7)] {
            let (left, size) = (LEFT + at(3), at(2));
            let _ = write!(path, "M{left} {top}l{size} {size}M{} {top}l-{size} {size}", left + size);
        }
        self.push(format_args!("<path d=\"{path}\" stroke=\"#333\" stroke-width=\"1.2\" fill=\"none\"/>\n"));
        self.push(format_args!(
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{0}\" height=\"{1}\" stroke=\"#111\" stroke-width=\"1.6\" fill=\"none\"/>\n\
             <rect x=\"{2}\" y=\"{3}\" width=\"{4}\" height=\"{5}\" stroke=\"#111\" stroke-width=\"3\" fill=\"none\"/>\n",
            right - LEFT,
            bottom - TOP,
            LEFT - 5.0,
            TOP - 5.0,
            right - LEFT + 10.0,
            bottom - TOP + 10.0
        ));
        let mut corners = String::new();
        let cannons = [2, 7].into_iter().flat_map(|y| [1, 7].map(|x| (x, y)));
        let pawns = [3, 6].into_iter().flat_map(|y| [0, 2, 4, 6, 8].map(|x| (x, y)));
        for (x, y) in cannons.chain(pawns) {
            for (east, south) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
                let is_off = (x == 0 && east < 0.0) || (x == WIDTH - 1 && east > 0.0);
                if !is_off {
                    let (x, y) = (LEFT + at(x) + 4.0 * east, TOP + at(y) + 4.0 * south);
                    let _ = write!(corners, "M{} {y}H{x}V{}", x + 9.0 * east, y + 9.0 * south);
                }
            }
        }
        self.push(format_args!("<path d=\"{corners}\" stroke=\"#333\" stroke-width=\"1.2\" fill=\"none\"/>\n"));
    }

    fn river(&mut self) {
        for (half, text) in self.pieces.river().into_iter().enumerate() {
            for (n, character) in text.chars().enumerate() {
                let x = LEFT + CELL * (if half == 0 { 1.5 } else { 5.5 } + n as f32);
                self.character(character, x, TOP + 4.5 * CELL, 0.31, 7.0, "#555");
            }
        }
    }

    /// A character with its middle at a place, so much of its square of 100 by 100.
    fn character(&mut self, character: char, x: f32, y: f32, scale: f32, width: f32, ink: &str) {
        let Some(path) = strokes::path(character) else { return };
        let half = 50.0 * scale;
        self.push(format_args!(
            "<path transform=\"translate({} {}) scale({scale})\" d=\"{path}\" stroke=\"{ink}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\" fill=\"none\"/>\n",
            x - half,
            y - half
        ));
    }

    fn coordinates(&mut self) {
        let below = TOP + 9.0 * CELL + 46.0;
        self.text.push_str("<g font-size=\"17\" fill=\"#333\">\n");
        for x in 0..WIDTH {
            let letter = char::from(b'a' + x);
            self.push(format_args!("<text x=\"{}\" y=\"{below}\">{letter}</text>\n", LEFT + f32::from(x) * CELL));
        }
        for y in 0..HEIGHT {
            let (number, middle) = (HEIGHT - 1 - y, TOP + f32::from(y) * CELL + 6.0);
            self.push(format_args!("<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{number}</text>\n", LEFT - 32.0));
        }
        self.text.push_str("</g>\n");
    }

    fn piece(&mut self, point: Point, piece: Piece) {
        let (x, y) = place(point);
        let ink = ink(piece.side);
        self.push(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{DISC}\" fill=\"#fff\" stroke=\"{ink}\" stroke-width=\"1.8\"/>\n\
             <circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"0.9\"/>\n",
            DISC - 3.0
        ));
        match self.pieces {
            Pieces::Letters => self.push(format_args!(
                "<text x=\"{x}\" y=\"{}\" font-size=\"24\" fill=\"{ink}\">{}</text>\n",
                y + 8.7,
                piece.letter()
            )),
            pieces => self.character(pieces.sign(piece), x, y, 0.285, 8.4, ink),
        }
    }

    /// Corners around the two ends of the last move.
    fn last(&mut self) {
        let Some(step) = self.diagram.last() else { return };
        let mut path = String::new();
        for point in [step.from, step.to] {
            let (x, y) = place(point);
            for (east, south) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
                let (x, y) = (x + 23.0 * east, y + 23.0 * south);
                let _ = write!(path, "M{} {y}H{x}V{}", x - 9.0 * east, y - 9.0 * south);
            }
        }
        self.push(format_args!("<path d=\"{path}\" stroke=\"{LAST}\" stroke-width=\"2.6\" fill=\"none\"/>\n"));
    }

    fn labels(&mut self) {
        let mut drawn = HashSet::new();
        for (point, label) in &self.diagram.labels {
            if !drawn.insert(*point) {
                continue;
            }
            let (x, y) = place(*point);
            let (words, width, size) = fit(label);
            // On a piece a label stands in its lower right.
            let (x, y) = if self.diagram.board().piece(*point).is_some() { (x + 15.0, y + 15.0) } else { (x, y) };
            let half = (width * size * 0.36).clamp(9.0, CELL / 2.0 + 1.0);
            let words = escape(&words);
            self.push(format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"22\" rx=\"4\" fill=\"#fff\"/>\n\
                 <text x=\"{x}\" y=\"{:.1}\" font-size=\"{size:.1}\" fill=\"{LAST}\">{words}</text>\n",
                x - half,
                y - 11.0,
                2.0 * half,
                y + size * 0.36
            ));
        }
    }

    fn signs(&mut self) {
        let mut drawn = HashSet::new();
        for (point, shape) in &self.diagram.signs {
            if !drawn.insert((*point, shape.name())) {
                continue;
            }
            let (x, y) = place(*point);
            let path = match shape {
                Shape::Triangle => "M0-20l17 30h-34z",
                Shape::Circle => "M-17 0a17 17 0 1 0 34 0a17 17 0 1 0-34 0",
                Shape::Square => "M-15-15h30v30h-30z",
                Shape::Cross => "M-14-14l28 28m0-28l-28 28",
                Shape::Selected => "M-20-20h40v40h-40z",
            };
            let opacity =
                if *shape == Shape::Selected { "fill=\"#e07b00\" fill-opacity=\"0.25\"" } else { "fill=\"none\"" };
            self.push(format_args!(
                "<path transform=\"translate({x} {y})\" d=\"{path}\" stroke=\"#e07b00\" stroke-width=\"2.6\" {opacity}/>\n"
            ));
        }
    }
}

/// The colour of a side.
fn ink(side: Side) -> &'static str {
    if side == Side::First { "#c8102e" } else { "#111" }
}

/// Where a point is in the picture.
fn place(point: Point) -> (f32, f32) {
    (LEFT + f32::from(point.x()) * CELL, TOP + f32::from(point.y()) * CELL)
}

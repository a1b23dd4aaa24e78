use super::terminal::complain;
use anyhow::{Context, Result, anyhow};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Group, Node, Options, Tree};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Pixels for each unit of the SVG: sharp on paper, too.
const SCALE: f32 = 2.0;

/// The picture as PNG.
///
/// Digits and Latin letters are drawn in a font that is built in; other letters in the system's fonts.
pub fn png(svg: &str) -> Result<Vec<u8>> {
    let mut options = Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    if !svg.is_ascii() {
        fonts.load_system_fonts();
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).context("the picture cannot be drawn")?;
    let mut missing = BTreeSet::new();
    find_missing(tree.root(), &mut missing);
    if !missing.is_empty() {
        let letters: Vec<&str> = missing.iter().take(10).map(String::as_str).collect();
        let more = if missing.len() > letters.len() { " and more" } else { "" };
        complain(&format!("the picture leaves out what no font of this system has: {}{more}", letters.join(" ")));
    }
    let size = tree.size().to_int_size();
    let (width, height) = (size.width() as f32 * SCALE, size.height() as f32 * SCALE);
    let mut pixels = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| anyhow!("a picture of {width} x {height} pixels cannot be"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().context("the picture cannot be written as PNG")
}

/// The letters that no font has.
fn find_missing(group: &Group, missing: &mut BTreeSet<String>) {
    for node in group.children() {
        match node {
            Node::Group(group) => find_missing(group, missing),
            Node::Text(text) => {
                let glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
                missing.extend(glyphs.filter(|glyph| glyph.id.0 == 0).map(|glyph| glyph.text.clone()));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::diagram::{Diagram, Numbers, Stone};
    use crate::cli::svg::svg;
    use games::{Point, Side, Size};

    #[test]
    fn every_point_of_the_picture_is_as_on_the_board() {
        let size = Size::default();
        // A pattern without symmetry: every third point Black's, every third White's.
        let side = |point: Point| match (point.x() + point.x() * point.y()) % 3 {
            0 => Some(Side::First),
            1 => Some(Side::Second),
            _ => None,
        };
        let stones = size.points().filter_map(|point| Some(Stone { point, side: side(point)?, ply: None })).collect();
        let diagram = Diagram {
            size,
            stones,
            labels: Vec::new(),
            signs: Vec::new(),
            forbidden: Vec::new(),
            last: None,
            ply: 0,
            to_move: Side::First,
            opening: None,
        };
        let picture = Pixmap::decode_png(&png(&svg(&diagram, Numbers::Off)).unwrap()).unwrap();
        let dark = |x: f32, y: f32| {
            let pixel = picture.pixel((x * SCALE) as u32, (y * SCALE) as u32).unwrap();
            pixel.red() < 128
        };
        for point in size.points() {
            let (x, y) = (54.0 + 40.0 * f32::from(point.x()), 28.0 + 40.0 * f32::from(point.y()));
            // Inside a stone and off the lines, and on its edge.
            let seen = (dark(x + 7.0, y + 8.0), dark(x + 13.15, y + 13.15));
            let expected = match side(point) {
                Some(Side::First) => (true, true),
                Some(Side::Second) => (false, true),
                None => (false, false),
            };
            assert_eq!(seen, expected, "{}", diagram.name(point));
        }
    }
}

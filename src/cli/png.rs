use anyhow::{Context, Result, anyhow};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
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
    let size = tree.size().to_int_size();
    let (width, height) = (size.width() as f32 * SCALE, size.height() as f32 * SCALE);
    let mut pixels = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| anyhow!("a picture of {width} x {height} pixels cannot be"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().context("the picture cannot be written as PNG")
}

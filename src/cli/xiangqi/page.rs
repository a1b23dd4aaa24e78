use super::{Pieces, strokes};
use games::Side;
use games::xiangqi::{Kind, Piece};
use serde_json::{Map, Value, json};

/// The script that draws records of xiangqi in the page of `viewer.html`.
const SCRIPT: &str = include_str!("viewer.js");

/// The script with the signs of the pieces, by their letters of FEN, and of the river: strokes, or letters.
pub fn viewer(pieces: Pieces) -> String {
    let drawn = |sign: char| json!(strokes::path(sign).unwrap_or_else(|| sign.into()));
    let mut signs: Map<String, Value> = Map::new();
    for side in [Side::First, Side::Second] {
        for kind in Kind::ALL {
            let piece = Piece { side, kind };
            signs.insert(piece.letter().into(), drawn(pieces.sign(piece)));
        }
    }
    let river = pieces.river().concat();
    signs.extend(["<", "(", ")", ">"].into_iter().zip(river.chars()).map(|(at, sign)| (at.into(), drawn(sign))));
    format!("\nconst signs = {};\n{SCRIPT}\n", Value::Object(signs))
}

use crate::cli::input::{Input, name};
use anyhow::{Result, anyhow, bail};
use games::{Coords, Point, Size, parse_moves};
use std::path::Path;

/// The openings that are played where none are named; `testdata/README.md` says what they are.
const BUILT_IN: &str = include_str!("../../../testdata/engine/openings15.txt");

/// The openings of a file, or ours, each with its line.
///
/// A line is offsets from the centre, `0,0, 1,1, 2,-1`, columns to the right and rows downwards, as Gomocup writes them,
/// or moves, `h8i9`. Lines that are empty or begin with `#` are passed over.
pub fn read(file: Option<&Path>, size: Size) -> Result<Vec<(usize, Vec<Point>)>> {
    let Some(path) = file else { return parse(BUILT_IN, "the built-in openings", size) };
    let input = Input::open(path)?;
    let text = std::str::from_utf8(&input).map_err(|_| anyhow!("{}: this is not a text in UTF-8", name(path)))?;
    parse(text, &name(path), size)
}

fn parse(text: &str, source: &str, size: Size) -> Result<Vec<(usize, Vec<Point>)>> {
    let mut openings = Vec::new();
    for (at, line) in text.trim_start_matches('\u{FEFF}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = opening(line, size).map_err(|fault| anyhow!("{source}: line {}: {fault}", at + 1))?;
        openings.push((at + 1, opening));
    }
    if openings.is_empty() {
        bail!("{source}: there is no opening: write one a line");
    }
    Ok(openings)
}

fn opening(line: &str, size: Size) -> Result<Vec<Point>, String> {
    let is_offsets = line.chars().all(|c| c.is_ascii_digit() || c.is_ascii_whitespace() || "+-,".contains(c));
    if is_offsets {
        return offsets(line, size);
    }
    let moves = parse_moves(line, Coords::A1, size).map_err(|error| error.to_string())?;
    moves.into_iter().map(|each| each.point().ok_or_else(|| "an opening has no passes".into())).collect()
}

fn offsets(line: &str, size: Size) -> Result<Vec<Point>, String> {
    let numbers = line.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    let numbers: Vec<i32> = numbers
        .map(|word| word.parse().map_err(|_| format!("`{word}` is no offset from the centre")))
        .collect::<Result<_, String>>()?;
    if numbers.len() % 2 == 1 {
        return Err("offsets come in twos, column and row".into());
    }
    let (centre_x, centre_y) = (i32::from(size.width() / 2), i32::from(size.height() / 2));
    let place = |offset: &[i32]| {
        let x = centre_x.checked_add(offset[0]).and_then(|x| u8::try_from(x).ok());
        let y = centre_y.checked_add(offset[1]).and_then(|y| u8::try_from(y).ok());
        let point = x.zip(y).and_then(|(x, y)| Point::new(x, y)).filter(|point| size.contains(*point));
        point.ok_or_else(|| format!("{},{} from the centre is off the {size} board", offset[0], offset[1]))
    };
    numbers.chunks(2).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::rival::Duel;
    use games::Rule;
    use games::gomoku::Three;
    use std::collections::HashSet;

    #[test]
    fn offsets_and_moves_are_read() {
        let size = Size::default();
        let moves = |text: &str| opening(text, size).unwrap();
        assert_eq!(moves("0,0, 1,0, -1,3"), moves("h8 i8 g5"));
        assert_eq!(moves("0,0 1,1"), moves("h8i7"));
        let centre = offsets("0,0", Size::square(20).unwrap()).unwrap();
        assert_eq!((centre[0].x(), centre[0].y()), (10, 10));
        for (text, fault) in [
            ("0,0,1", "in twos"),
            ("0,0, 8,0", "off the 15x15 board"),
            ("99999999999,0", "no offset"),
            ("h8 pass", "no passes"),
            ("h99", "h99"),
        ] {
            let error = opening(text, size).unwrap_err();
            assert!(error.contains(fault), "{error}");
        }
    }

    #[test]
    fn lines_are_named_and_comments_passed_over() {
        let size = Size::default();
        let openings = parse("# ours\r\n\r\n0,0\r\nh8i9\r\n", "x", size).unwrap();
        assert_eq!(openings.iter().map(|(line, moves)| (*line, moves.len())).collect::<Vec<_>>(), [(3, 1), (4, 2)]);
        assert_eq!(
            parse("h8\n0,0,\n1,2,3", "x.txt", size).unwrap_err().to_string().split(": of").next(),
            Some("x.txt: line 3")
        );
        assert!(parse("#\n", "x", size).unwrap_err().to_string().contains("no opening"));
    }

    #[test]
    fn the_built_in_openings_can_be_played_under_every_rule_and_differ() {
        let size = Size::default();
        let mut seen = HashSet::new();
        for (line, opening) in read(None, size).unwrap() {
            let mut duel = Duel { rule: Rule::Freestyle, three: Three::Rif, size, opening, draw_after: None };
            for rule in Rule::ALL {
                duel.rule = rule;
                assert_eq!(duel.flaw(), None, "line {line}");
            }
            let stones = duel.opening.iter().enumerate().map(|(at, point)| (*point, games::Side::of_ply(at + 1)));
            let board = games::gomoku::Board::with_stones(size, stones).unwrap();
            let turned = games::gomoku::canonical(&board);
            let mut stones: Vec<_> = board.stones().map(|(point, side)| (turned.apply(point, size), side)).collect();
            stones.sort_by_key(|(point, _)| *point);
            assert!(seen.insert(format!("{stones:?}")), "line {line} is another one turned");
        }
        assert!(seen.len() >= 40);
    }
}

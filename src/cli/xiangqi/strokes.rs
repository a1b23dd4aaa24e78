//! The characters of a xiangqi board as strokes of a brush that is drawn for them here: pictures need no font.

/// A part of a character: its strokes, and the place of their square in the character's square of 100 by 100:
/// left, top, width, height.
type Part = (&'static str, f32, f32, f32, f32);

/// The whole square.
const fn whole(strokes: &'static str) -> [Part; 1] {
    [(strokes, 0.0, 0.0, 100.0, 100.0)]
}

// Strokes are paths of SVG with absolute commands, `M` move, `L` line, `Q` curve, in a square of 100 by 100.
const MAN: &str = "M66 4 Q50 34 8 58 M42 38 L42 98";
const SCHOLAR: &str = "M4 40 L96 40 M50 4 L50 90 M16 90 L84 90";
const TREE: &str = "M4 30 L96 30 M52 4 L52 98 M50 34 Q36 62 4 78 M56 38 Q72 50 94 62";
const EYE: &str = "M14 6 L14 97 M14 6 L86 6 L86 97 M14 35 L86 35 M14 62 L86 62 M14 90 L86 90";
const HORSE: &str = "M20 6 L20 61 M20 6 L84 6 M20 24 L80 24 M20 42 L80 42 M51 6 L51 61 \
    M20 61 L92 61 Q92 84 86 93 Q80 98 68 92 M14 72 Q14 84 5 93 M31 72 L35 87 M49 71 L54 85 M66 69 L72 82";
const ROOK: &str =
    "M10 15 L90 15 M50 3 L50 98 M20 30 L20 66 M20 30 L80 30 L80 66 M20 48 L80 48 M20 66 L80 66 M3 82 L97 82";
const FIRE: &str = "M18 32 Q20 46 12 58 M88 30 Q80 42 68 50 M50 6 Q54 60 4 96 M51 46 Q64 80 98 96";
const STONE: &str = "M4 12 L96 12 M46 12 Q36 44 4 64 M28 52 L28 96 M28 52 L86 52 L86 96 M28 88 L86 88";
const WRAP: &str = "M32 4 Q24 26 5 42 M24 22 L90 22 Q90 58 85 74 Q80 82 66 76 M20 42 L64 42 L64 62 L20 62 \
    M20 42 L20 84 Q20 94 32 94 L84 94 Q94 94 94 78";
const WATER: &str = "M22 8 Q48 16 72 28 M8 36 Q32 44 56 54 M12 96 Q44 82 84 54";
const TOWEL: &str = "M8 26 L8 80 M8 26 L92 26 L92 68 Q92 80 76 73 M50 3 L50 98";
const INCH: &str = "M4 28 L97 28 M68 4 L68 84 Q68 97 46 88 M22 46 L38 70";
const HEAP: &str =
    "M62 2 Q56 12 44 20 M24 20 L24 98 M24 20 L84 20 L84 48 M24 48 L84 48 M24 66 L86 66 L86 94 M24 94 L86 94";
const PLANK: &str = "M18 10 L18 44 M18 44 L70 44 M72 4 L72 98 M8 62 L72 62 M38 62 Q36 86 8 97";
const SPLIT: &str = "M14 22 L32 42 M4 76 L62 54 M66 4 L66 98";
const MEAT: &str = "M42 2 Q34 24 4 46 M36 20 L92 20 Q76 72 6 92 M44 34 L62 46 M34 52 L52 64";
const EVENING: &str = "M42 2 Q34 28 4 52 M38 24 L92 24 Q76 78 6 98 M36 46 L58 62";
const KINGLY: &str = "M20 20 L20 58 M66 4 L66 46 Q64 80 16 98";

const SOLDIER: &str = "M72 5 Q50 14 28 17 M28 17 L28 60 M28 37 L80 37 M60 37 L60 60 M4 60 L96 60 \
    M36 70 Q28 86 8 97 M64 70 Q80 80 93 95";
const PRIVATE: &str = "M50 2 L50 17 M8 17 L92 17 M34 24 Q28 44 8 58 M32 38 L44 52 M66 24 Q62 44 46 58 M66 38 Q76 46 90 56 \
    M4 70 L96 70 M50 58 L50 98";
const ELEPHANT: &str = "M38 2 Q30 16 10 27 M34 12 L68 12 Q62 20 54 27 M20 27 L20 46 M20 27 L80 27 L80 46 M20 46 L80 46 \
    M50 27 Q48 50 8 64 M36 54 Q58 64 56 86 Q54 98 36 92 M50 64 Q36 76 8 82 M55 74 Q40 90 10 98 M86 51 Q76 60 60 66 \
    M58 64 Q72 82 97 92";
const NEW_HORSE: &str = "M12 10 L76 10 L70 48 M30 24 L25 48 L90 48 Q90 80 83 92 Q76 98 60 90 M4 70 L70 70";
const NEW_ROOK: &str = "M10 17 L88 17 M44 2 Q36 26 16 48 L84 48 M3 71 L97 71 M54 32 L54 98";

const FOREST: &str = "M4 22 L96 22 M50 4 L50 94 M48 26 Q34 62 4 82 M56 30 Q72 50 94 66";
const FOOT: &str = "M10 8 L86 8 L74 26 M50 8 L50 76 M50 42 L80 42 M28 30 Q26 68 4 97 M22 62 Q46 92 98 93";
const CAN: &str = "M2 12 L98 12 M16 34 L16 68 M16 34 L58 34 L58 68 M16 62 L58 62 M80 12 L80 86 Q80 98 58 91";
const HAN: &str = "M2 14 L98 14 M30 2 L30 28 M70 2 L70 28 M18 36 L18 56 M18 36 L82 36 L82 56 M18 54 L82 54 M12 67 L88 67 \
    M3 80 L97 80 M50 28 L50 66 Q48 88 6 98 M53 80 Q68 93 97 98";
const AGAIN: &str = "M6 14 L88 14 Q76 68 4 96 M18 32 Q50 80 97 95";
const BORDER: &str = "M20 4 L20 45 M20 4 L80 4 L80 45 M20 24 L80 24 M20 45 L80 45 M50 4 L50 45 M50 46 Q36 66 4 75 \
    M50 46 Q66 66 96 75 M35 66 Q35 87 14 98 M66 66 L66 98";

/// The strokes of a character of the board as a path of SVG, in a square of 100 by 100; `None` for other characters.
pub fn path(character: char) -> Option<String> {
    let man = (MAN, 0.0, 0.0, 34.0, 100.0);
    let parts: &[Part] = match character {
        '帥' => &[(HEAP, -6.0, 0.0, 52.0, 100.0), (TOWEL, 48.0, 0.0, 52.0, 100.0)],
        '帅' => &[(KINGLY, 0.0, 0.0, 52.0, 100.0), (TOWEL, 42.0, 0.0, 56.0, 100.0)],
        '仕' => &[man, (SCHOLAR, 30.0, 0.0, 70.0, 100.0)],
        '相' => &[(TREE, 0.0, 0.0, 50.0, 100.0), (EYE, 48.0, 2.0, 52.0, 96.0)],
        '傌' => &[man, (HORSE, 28.0, 0.0, 72.0, 100.0)],
        '俥' => &[man, (ROOK, 29.0, 0.0, 71.0, 100.0)],
        '炮' => &[(FIRE, 0.0, 2.0, 44.0, 96.0), (WRAP, 40.0, 0.0, 60.0, 100.0)],
        '兵' => &whole(SOLDIER),
        '將' => &[(PLANK, 0.0, 0.0, 46.0, 100.0), (MEAT, 44.0, 0.0, 56.0, 58.0), (INCH, 42.0, 50.0, 58.0, 50.0)],
        '将' => &[(SPLIT, 0.0, 0.0, 46.0, 100.0), (EVENING, 38.0, 0.0, 60.0, 54.0), (INCH, 40.0, 48.0, 60.0, 52.0)],
        '士' => &whole(SCHOLAR),
        '象' => &whole(ELEPHANT),
        '馬' => &whole(HORSE),
        '马' => &whole(NEW_HORSE),
        '車' => &whole(ROOK),
        '车' => &whole(NEW_ROOK),
        '砲' => &[(STONE, 0.0, 2.0, 44.0, 96.0), (WRAP, 40.0, 0.0, 60.0, 100.0)],
        '卒' => &whole(PRIVATE),
        '楚' => &[(FOREST, 0.0, 0.0, 50.0, 50.0), (FOREST, 50.0, 0.0, 50.0, 50.0), (FOOT, 2.0, 48.0, 96.0, 52.0)],
        '河' => &[(WATER, 0.0, 0.0, 34.0, 100.0), (CAN, 32.0, 0.0, 68.0, 100.0)],
        '漢' => &[(WATER, 0.0, 0.0, 32.0, 100.0), (HAN, 32.0, 0.0, 68.0, 100.0)],
        '汉' => &[(WATER, 0.0, 0.0, 34.0, 100.0), (AGAIN, 34.0, 0.0, 66.0, 100.0)],
        '界' => &whole(BORDER),
        _ => return None,
    };
    let mut path = String::new();
    for (strokes, left, top, width, height) in parts {
        let mut is_x = true;
        for word in strokes.split_ascii_whitespace() {
            let (command, number) = match word.as_bytes()[0].is_ascii_uppercase() {
                true => word.split_at(1),
                false => ("", word),
            };
            if !path.is_empty() && command.is_empty() {
                path.push(' ');
            }
            path.push_str(command);
            let number: f32 = number.parse().expect("strokes are commands and numbers");
            let (from, length) = if is_x { (left, width) } else { (top, height) };
            path += &(from + number * length / 100.0).round().to_string();
            is_x = !is_x;
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_stay_in_their_square_and_are_pairs_of_numbers() {
        for character in "帥仕相傌俥炮兵將士象馬車砲卒帅将马车楚河漢汉界".chars() {
            let path = path(character).unwrap();
            let words: Vec<f32> = path.split([' ', 'M', 'L', 'Q']).filter_map(|word| word.parse().ok()).collect();
            assert!(words.len().is_multiple_of(2) && words.len() >= 8, "{character}: {path}");
            assert!(words.iter().all(|number| (0.0..=100.0).contains(number)), "{character}: {path}");
            assert!(path.starts_with('M') && path.chars().all(|c| " MLQ".contains(c) || c.is_ascii_digit()), "{path}");
        }
        assert_eq!(path('A'), None);
    }
}

use super::wording::{Found, Mark, Signs, Way, Wording, is_over};
use crate::Step;
use crate::xiangqi::{Board, Kind};

/// `C2=5`; a mark for a file after or before the letter, `C+-2`, `+C-2`, `fC-2`; pawns by number and file, `15=6`, or
/// by number over all files, `Pa=5`; digits 1 to 7 for the letters.
///
/// `15=6` is the first pawn of file 5 if that file has two or more, else the king of file 5.
pub fn read(board: &Board, signs: &Signs) -> Found {
    let [a, b, c, d, rest @ ..] = signs.all() else { return Found::Unread };
    let (Some(way), Some(number), true) = (way(*c), digit(*d), is_over(rest)) else { return Found::Unread };
    let wording = |kind, mark, file| Wording { kind, mark, file, way, number };
    if let (Some(index), Some(file)) = (digit(*a), digit(*b)) {
        let pawn = wording(Kind::Pawn, Mark::OfFile(index), Some(file)).find(board);
        return match (pawn, keypad(index)) {
            (Found::Illegal(None), Some(kind)) => wording(kind, Mark::Any, Some(file)).find(board),
            (pawn, _) => pawn,
        };
    }
    let wording = match (letter(*a), digit(*b), mark(*b)) {
        (Some(kind), Some(file), _) => wording(kind, Mark::Any, Some(file)),
        (Some(kind), _, Some(mark)) => wording(kind, mark, None),
        _ => match (a.to_ascii_lowercase(), b.to_ascii_lowercase(), mark(*a), letter(*b)) {
            ('p', index @ 'a'..='e', ..) => wording(Kind::Pawn, Mark::OfAll(index as u8 - b'a' + 1), None),
            ('f', _, _, Some(kind)) => wording(kind, Mark::Front, None),
            ('m', _, _, Some(kind)) => wording(kind, Mark::Middle, None),
            ('b', _, _, Some(kind)) => wording(kind, Mark::Rear, None),
            (_, _, Some(mark), Some(kind)) => wording(kind, mark, None),
            _ => match (digit(*a).and_then(keypad), mark(*b)) {
                (Some(kind), Some(mark)) => wording(kind, mark, None),
                _ => return Found::Unread,
            },
        },
    };
    wording.find(board)
}

/// With `H` for horses and `E` for elephants; pawns of crowded files by number and file.
pub fn write(board: &Board, step: Step) -> Option<String> {
    let wording = Wording::of(board, step)?;
    let letter = match wording.kind {
        Kind::Horse => 'H',
        Kind::Elephant => 'E',
        kind => kind.letter(),
    };
    let file = wording.file?;
    let piece = match wording.mark {
        Mark::Front if !is_crowded(board, step) => format!("{letter}+"),
        Mark::Rear if !is_crowded(board, step) => format!("{letter}-"),
        Mark::Any => format!("{letter}{file}"),
        _ => format!("{}{file}", Wording::index(board, step)?),
    };
    let way = match wording.way {
        Way::Forward => '+',
        Way::Back => '-',
        Way::Across => '=',
    };
    Some(format!("{piece}{way}{}", wording.number))
}

/// Whether three pieces of its kind stand on the file where a step begins.
fn is_crowded(board: &Board, step: Step) -> bool {
    let Some(piece) = board.piece(step.from) else { return false };
    board.pieces().filter(|(point, other)| *other == piece && point.x() == step.from.x()).count() > 2
}

fn digit(sign: char) -> Option<u8> {
    sign.to_digit(10).filter(|digit| *digit > 0).map(|digit| digit as u8)
}

/// The kind of a letter: those of other programs, too.
pub fn letter(sign: char) -> Option<Kind> {
    match sign.to_ascii_uppercase() {
        'G' => Some(Kind::Advisor),
        'M' => Some(Kind::Elephant),
        'S' => Some(Kind::Pawn),
        _ => Kind::from_letter(sign),
    }
}

fn keypad(digit: u8) -> Option<Kind> {
    // In the order K A B N R C P.
    Kind::ALL.get(usize::from(digit).checked_sub(1)?).copied()
}

fn mark(sign: char) -> Option<Mark> {
    Some(match sign {
        '+' => Mark::Front,
        '-' => Mark::Rear,
        '.' | '=' => Mark::Middle,
        _ => return None,
    })
}

fn way(sign: char) -> Option<Way> {
    Some(match sign {
        '+' => Way::Forward,
        '-' => Way::Back,
        '=' | '.' | ':' => Way::Across,
        _ => return None,
    })
}

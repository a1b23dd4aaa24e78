use super::wording::{Found, Signs, is_over};
use super::wxf::letter;
use crate::xiangqi::square::{Set, WIDTH, bit, each, point, square};
use crate::xiangqi::{Board, Kind};
use crate::{Point, Step};

/// What the text says: the piece, as much of the point it comes from as tells it from others, and where it goes.
#[derive(Debug)]
struct San {
    kind: Kind,
    file: Option<u8>,
    rank: Option<u8>,
    to: Point,
}

/// `Che2`, `A9e8`, `Hbd7`, `Rxa9`, `Ch2-e2`; of pawns the letter may be missing, `e5`, `de6`.
pub fn read(board: &Board, signs: &Signs) -> Found {
    let Some(san) = san(signs.all()) else { return Found::Unread };
    let Some(to) = square(san.to) else { return Found::Unread };
    let fits = |from: &u8| {
        san.file.is_none_or(|file| file == from % WIDTH) && san.rank.is_none_or(|rank| rank == from / WIDTH)
    };
    let those: Set = each(board.those(board.to_move(), san.kind)).filter(fits).fold(0, |set, from| set | bit(from));
    let safety = board.safety();
    let mut found = Found::Illegal(None);
    for from in each(those) {
        let step = Step { from: point(from), to: san.to };
        let is_legal = board.targets(from, &safety) & bit(to) != 0;
        found = match found {
            Found::One(first) if is_legal => return Found::Two([first, step]),
            Found::One(_) => found,
            _ if is_legal => Found::One(step),
            // Of one piece it can be said what is against it.
            _ if those.count_ones() == 1 => Found::Illegal(board.judge(step).err().map(|why| (step, why))),
            _ => found,
        };
    }
    found
}

/// Whether signs are a move with the letter of a piece: without it they may be of chess, or no move at all.
pub fn is_of_piece(signs: &[char]) -> bool {
    signs.first().is_some_and(char::is_ascii_uppercase) && san(signs).is_some()
}

fn san(signs: &[char]) -> Option<San> {
    let end = signs.iter().rposition(char::is_ascii_digit)? + 1;
    let (text, rest) = signs.split_at(end);
    if !is_over(rest) {
        return None;
    }
    let (text, to) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let to = Point::new(file(to[0])?, rank(to[1])?)?;
    let text = text.strip_suffix(&['x']).or(text.strip_suffix(&['-'])).unwrap_or(text);
    let (kind, text) = match text {
        [first, rest @ ..] if first.is_ascii_uppercase() => (letter(*first)?, rest),
        _ => (Kind::Pawn, text),
    };
    let (from_file, from_rank) = match text {
        [] => (None, None),
        [sign] => (file(*sign), rank(*sign)),
        [one, other] => (Some(file(*one)?), Some(rank(*other)?)),
        _ => return None,
    };
    let is_read = text.is_empty() || from_file.is_some() || from_rank.is_some();
    is_read.then_some(San { kind, file: from_file, rank: from_rank, to })
}

/// The column of a file: a capital is the letter of a piece.
fn file(sign: char) -> Option<u8> {
    matches!(sign, 'a'..='i').then(|| sign as u8 - b'a')
}

/// The row of a rank from 0 to 9.
fn rank(sign: char) -> Option<u8> {
    Some(9 - sign.to_digit(10)? as u8)
}

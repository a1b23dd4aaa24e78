use super::wording::{Found, Signs};
use crate::xiangqi::Board;
use crate::xiangqi::square::{HEIGHT, WIDTH};
use crate::{Point, Step};

/// Two points, `h2e2` or `H2-E2`, with `lowest` as the number of Red's back rank.
pub fn read(board: &Board, signs: &Signs, lowest: u32) -> Found {
    let Some(step) = step(signs.all(), lowest) else { return Found::Unread };
    match board.judge(step) {
        Ok(()) => Found::One(step),
        Err(why) => Found::Illegal(Some((step, why))),
    }
}

/// The step that signs name, wherever it leads.
pub fn step(signs: &[char], lowest: u32) -> Option<Step> {
    let (from, rest) = point(signs, lowest)?;
    let rest = rest.strip_prefix(&['-']).unwrap_or(rest);
    let (to, rest) = point(rest, lowest)?;
    super::wording::is_over(rest).then_some(Step { from, to })
}

fn point(signs: &[char], lowest: u32) -> Option<(Point, &[char])> {
    let [file, rest @ ..] = signs else { return None };
    let x = (file.to_ascii_lowercase() as u32).checked_sub('a' as u32)?;
    let (rank, rest) = rank(rest)?;
    let y = u32::from(HEIGHT - 1).checked_sub(rank.checked_sub(lowest)?)?;
    let (x, y) = (u8::try_from(x).ok()?, u8::try_from(y).ok()?);
    (x < WIDTH).then(|| Point::new(x, y)).flatten().map(|point| (point, rest))
}

/// A number of one digit, or 10.
pub fn rank(signs: &[char]) -> Option<(u32, &[char])> {
    match signs {
        ['1', '0', rest @ ..] => Some((10, rest)),
        [digit, rest @ ..] => Some((digit.to_digit(10)?, rest)),
        [] => None,
    }
}

/// A step with ranks from `lowest` on.
pub fn write(step: Step, lowest: u8) -> String {
    let point = |point: Point| {
        format!("{}{}", char::from(b'a' + point.x()), i32::from(HEIGHT - 1 + lowest) - i32::from(point.y()))
    };
    point(step.from) + &point(step.to)
}

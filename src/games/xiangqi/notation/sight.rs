use super::wording::Signs;
use super::{Style, points, san};
use std::fmt;

/// What is seen of the moves of a text, to tell how they are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Sight {
    chinese: bool,
    traditional: bool,
    wxf: bool,
    points: bool,
    /// `A9e8`, which may be points or a piece and where it goes.
    either: bool,
    san: bool,
    has_0: bool,
    has_10: bool,
}

/// A text has moves of two notations.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Mixed {
    /// Two that it has.
    pub styles: [Style; 2],
}

impl fmt::Display for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |style| match style {
            Style::Iccs => "ICCS (ranks from 0)",
            Style::Uci10 => "UCI (ranks to 10)",
            Style::Wxf => "WXF",
            Style::Chinese | Style::ChineseTraditional => "Chinese",
            Style::San => "SAN",
        };
        write!(f, "moves in two notations, {} and {}", name(self.styles[0]), name(self.styles[1]))
    }
}

impl std::error::Error for Mixed {}

impl Sight {
    /// Looks at a move.
    pub fn see(&mut self, text: &str) {
        let Some(signs) = Signs::of(text) else { return };
        match of(&signs) {
            Some(Style::Chinese) => self.chinese = true,
            Some(Style::ChineseTraditional) => (self.chinese, self.traditional) = (true, true),
            Some(Style::Wxf) => self.wxf = true,
            Some(Style::San) => self.san = true,
            Some(Style::Iccs | Style::Uci10) => {
                let either = san::is_of_piece(signs.all());
                self.either |= either;
                self.points |= !either;
                let (has_0, has_10) = ends(signs.all());
                self.has_0 |= has_0;
                self.has_10 |= has_10;
            }
            None => {}
        }
    }

    /// How all moves are written; `None` if no move was seen.
    ///
    /// Points without a rank 0 or 10 are taken for ICCS, see [`Sight::is_sure`].
    ///
    /// # Errors
    /// Some moves are written otherwise than others.
    pub fn style(&self) -> Result<Option<Style>, Mixed> {
        let chinese = if self.traditional { Style::ChineseTraditional } else { Style::Chinese };
        let points = if self.has_10 { Style::Uci10 } else { Style::Iccs };
        if self.is_points() && self.has_0 && self.has_10 {
            return Err(Mixed { styles: [Style::Iccs, Style::Uci10] });
        }
        let all = [(self.chinese, chinese), (self.wxf, Style::Wxf), (self.is_points(), points), (self.san, Style::San)];
        let mut seen = all.into_iter().filter(|(is_seen, _)| *is_seen).map(|(_, style)| style);
        match (seen.next(), seen.next()) {
            (Some(one), Some(other)) => Err(Mixed { styles: [one, other] }),
            (only, _) => Ok(only),
        }
    }

    /// Whether there are moves by points: what may be two points is taken for them unless other moves are SAN.
    const fn is_points(&self) -> bool {
        self.points || self.either && !self.san
    }

    /// Whether nothing else could be meant: points tell whether their ranks begin with 0 or 1 only by a 0 or a 10.
    pub const fn is_sure(&self) -> bool {
        !self.is_points() || self.has_0 || self.has_10
    }
}

/// How one move looks to be written; `None` if it is none.
pub fn of(signs: &Signs) -> Option<Style> {
    let all = signs.all();
    if all.iter().any(|sign| *sign >= '\u{3000}') {
        let traditional = |sign: &char| "帥將馬傌車俥硨砲進後".contains(*sign);
        let is_traditional = all.iter().any(traditional);
        return Some(if is_traditional { Style::ChineseTraditional } else { Style::Chinese });
    }
    let is_file = |sign: &char| matches!(sign.to_ascii_lowercase(), 'a'..='i');
    if let [_, _, '+' | '-' | '=' | '.' | ':', number, ..] = all
        && number.is_ascii_digit()
    {
        return Some(Style::Wxf);
    }
    let is_points = || {
        let [file, rest @ ..] = all else { return false };
        let Some((_, rest)) = points::rank(rest).filter(|_| is_file(file)) else { return false };
        let rest = rest.strip_prefix(&['-']).unwrap_or(rest);
        matches!(rest, [file, rank, ..] if is_file(file) && rank.is_ascii_digit())
    };
    match is_points() {
        true => Some(if ends(all).1 { Style::Uci10 } else { Style::Iccs }),
        false => san::is_of_piece(all).then_some(Style::San),
    }
}

/// Whether the ranks of two points have a 0, or a 10.
fn ends(signs: &[char]) -> (bool, bool) {
    let (mut has_0, mut has_10) = (false, false);
    let mut rest = signs;
    while let [_, tail @ ..] = rest {
        rest = match points::rank(tail) {
            Some((rank, tail)) => {
                has_0 |= rank == 0;
                has_10 |= rank == 10;
                tail
            }
            None => tail,
        };
    }
    (has_0, has_10)
}

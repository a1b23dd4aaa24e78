use super::board::Window;
use super::{Board, Direction};
use crate::{Point, Rule, Side};

/// What a stone makes on its board.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Made {
    /// Neither of the others.
    Nothing,
    /// A row that wins.
    Five,
    /// A row of six or more, and none that wins. For Black in renju this is forbidden, else it is nothing.
    Overline,
}

/// Which rows win; a [`Rule`] converts into it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wins {
    longer: [bool; 2],
    enclosed: bool,
}

impl Wins {
    /// Caro in which a row of six or more wins, whatever stands at its ends: Gomocup's rule 8.
    ///
    /// [`Rule::Caro`] itself wants exactly five, as Gomocup's rule 9.
    pub const CARO_LONGER: Wins = Wins { longer: [true; 2], enclosed: false };
}

impl From<Rule> for Wins {
    fn from(rule: Rule) -> Wins {
        match rule {
            Rule::Freestyle => Wins { longer: [true; 2], enclosed: true },
            Rule::Standard => Wins { longer: [false; 2], enclosed: true },
            Rule::Renju => Wins { longer: [false, true], enclosed: true },
            Rule::Caro => Wins { longer: [false; 2], enclosed: false },
        }
    }
}

/// What a stone of `side` makes on `point`, whether it stands there or is only thought of.
///
/// A five beats an overline. The edge of the board does not enclose a five.
pub fn made(board: &Board, point: Point, side: Side, wins: impl Into<Wins>) -> Made {
    if !board.size().contains(point) {
        return Made::Nothing;
    }
    let wins = wins.into();
    let mut made = Made::Nothing;
    for direction in Direction::ALL {
        let own = board.window(side, direction, point).own;
        let after = (own >> (Window::MIDDLE + 1)).trailing_ones();
        let before = (own << (u32::BITS - Window::MIDDLE)).leading_ones();
        match before + 1 + after {
            ..=4 => {}
            5 if wins.enclosed => return Made::Five,
            5 => {
                let other = board.window(side.other(), direction, point).own;
                let ends = 1 << (Window::MIDDLE + after + 1) | 1 << (Window::MIDDLE - before - 1);
                if other & ends != ends {
                    return Made::Five;
                }
            }
            _ if wins.longer[side as usize] => return Made::Five,
            _ => made = Made::Overline,
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::samples::drawing;

    /// What the first and the second player make on the point marked `*`, with `x` as the stones of the player asked.
    fn ask(text: &str, wins: impl Into<Wins> + Copy) -> [Made; 2] {
        let (board, marks) = drawing(text);
        let point = marks[0].0;
        let swapped = board.stones().map(|(point, side)| (point, side.other()));
        let swapped = Board::with_stones(board.size(), swapped).unwrap();
        [made(&board, point, Side::First, wins), made(&swapped, point, Side::Second, wins)]
    }

    #[test]
    fn five_wins_everywhere() {
        for text in ["x x x x * .", ". o x x * x x", "x x * x x\n. . . . .", "x . x x x x *"] {
            for rule in Rule::ALL {
                assert_eq!(ask(text, rule), [Made::Five; 2], "{rule} {text}");
            }
        }
        assert_eq!(ask(". x x x * .", Rule::Freestyle), [Made::Nothing; 2]);
    }

    #[test]
    fn six_wins_in_freestyle_and_for_white_in_renju() {
        for text in [". x x x * x x .", "x x x * x x x", "x x x x x *"] {
            assert_eq!(ask(text, Rule::Freestyle), [Made::Five; 2], "{text}");
            assert_eq!(ask(text, Rule::Standard), [Made::Overline; 2], "{text}");
            assert_eq!(ask(text, Rule::Renju), [Made::Overline, Made::Five], "{text}");
            assert_eq!(ask(text, Rule::Caro), [Made::Overline; 2], "{text}");
            assert_eq!(ask(text, Wins::CARO_LONGER), [Made::Five; 2], "{text}");
        }
    }

    #[test]
    fn five_beats_six() {
        let text = "
            . . . . . .
            x x x * x x
            . . . x . .
            . . . x . .
            . . . x . .
            . . . x . .";
        for rule in Rule::ALL {
            assert_eq!(ask(text, rule), [Made::Five; 2]);
        }
    }

    #[test]
    fn caro_counts_stones_at_the_ends_and_not_edges() {
        for (text, rows) in [
            ("o x x * x x o", Made::Nothing),
            ("o x x * x x .", Made::Five),
            (". x x * x x o", Made::Five),
            ("x x * x x o", Made::Five),
            ("o x x * x x x o", Made::Overline),
        ] {
            assert_eq!(ask(text, Rule::Caro), [rows; 2], "{text}");
            let longer = if rows == Made::Overline { Made::Five } else { rows };
            assert_eq!(ask(text, Wins::CARO_LONGER), [longer; 2], "{text}");
        }
    }
}

use crate::Point;
use std::fmt;

/// A piece that goes from one point to another (xiangqi).
///
/// Points are columns from the left and rows from the top with Red below: ICCS `h2e2` is `(7, 7)` to `(4, 7)`.
/// A step may leave the board of 9x10 only by mistake: [`Step::new`] is how files and people are read.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Where the piece stands.
    pub from: Point,
    /// Where it goes.
    pub to: Point,
}

impl Step {
    /// Points of a xiangqi board: nine columns, ten rows.
    pub const POINTS: u8 = 90;

    /// The step between two points; `None` where one is off the board.
    pub fn new(from: Point, to: Point) -> Option<Step> {
        let on_board = |point: Point| point.x() < 9 && point.y() < 10;
        (on_board(from) && on_board(to)).then_some(Step { from, to })
    }

    /// The step that ICCS writes so: `h2e2`, in any case, with or without a hyphen; ranks 0 to 9 count from Red.
    pub fn from_text(text: &str) -> Option<Step> {
        let [file, rank, rest @ ..] = text.as_bytes() else { return None };
        let [to_file, to_rank] = rest.strip_prefix(b"-").unwrap_or(rest) else { return None };
        let point = |file: u8, rank: u8| {
            let x = file.to_ascii_lowercase().checked_sub(b'a')?;
            let y = 9u8.checked_sub(rank.checked_sub(b'0')?)?;
            Point::new(x, y)
        };
        Step::new(point(*file, *rank)?, point(*to_file, *to_rank)?)
    }

    /// A number below 1 << 14 for the step, which [`Step::unpack`] reads.
    pub const fn pack(self) -> u16 {
        const fn place(point: Point) -> u16 {
            point.y() as u16 * 9 + point.x() as u16
        }
        place(self.from) << 7 | place(self.to)
    }

    /// The step of a number; `None` for a number that is no step's.
    pub const fn unpack(packed: u16) -> Option<Step> {
        let (from, to) = ((packed >> 7) as u8, packed as u8 & 127);
        if from >= Step::POINTS || to >= Step::POINTS {
            return None;
        }
        match (Point::new(from % 9, from / 9), Point::new(to % 9, to / 9)) {
            (Some(from), Some(to)) => Some(Step { from, to }),
            _ => None,
        }
    }
}

/// As ICCS writes it in lower case without a hyphen: `h2e2`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in [self.from, self.to] {
            let rank = 9u8.saturating_sub(point.y());
            write!(f, "{}{rank}", (b'a' + point.x()) as char)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iccs_counts_ranks_from_red() {
        let cannon = Step::from_text("h2e2").unwrap();
        assert_eq!(cannon.from, Point::new(7, 7).unwrap());
        assert_eq!(cannon.to, Point::new(4, 7).unwrap());
        assert_eq!(Step::from_text("H2-E2"), Some(cannon));
        assert_eq!(cannon.to_string(), "h2e2");
        for wrong in ["", "h2", "h2e", "h2e22", "j2e2", "h2-", "h2--e2", "h:e2", "炮二平五"] {
            assert_eq!(Step::from_text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_number_is_one_step_or_none() {
        let steps: Vec<Step> = (0..1 << 14).filter_map(Step::unpack).collect();
        assert_eq!(steps.len(), 90 * 90);
        assert!(steps.iter().all(|step| Step::unpack(step.pack()) == Some(*step)));
        assert!(steps.iter().all(|step| Step::from_text(&step.to_string()) == Some(*step)));
        assert_eq!(Step::unpack(0xFFFF), None);
    }
}

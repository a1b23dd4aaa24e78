//! Moves as the books number them: two squares, a byte each.

use super::Variant;
use games::{Point, Step};

/// The square of a point: `33` (hexadecimal) is the left end of Black's back rank, the next rank is 16 more.
const FIRST: u8 = 0x33;

/// Which byte of a move is the high one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Order {
    FromFirst,
    ToFirst,
}

impl Order {
    pub const BOTH: [Order; 2] = [Order::FromFirst, Order::ToFirst];

    pub const fn of(variant: Variant) -> Order {
        match variant {
            Variant::Obk | Variant::PfBook => Order::FromFirst,
            Variant::Yfk => Order::ToFirst,
        }
    }

    pub fn write(self, step: Step) -> u16 {
        let square = |point: Point| FIRST + 16 * point.y() + point.x();
        let (from, to) = (square(step.from), square(step.to));
        match self {
            Order::FromFirst => u16::from_be_bytes([from, to]),
            Order::ToFirst => u16::from_be_bytes([to, from]),
        }
    }

    /// The step of a number; `None` where one of its bytes is no square.
    pub fn read(self, play: u16) -> Option<Step> {
        let point = |square: u8| {
            let square = square.checked_sub(FIRST)?;
            Point::new(square & 15, square >> 4)
        };
        let [high, low] = play.to_be_bytes();
        let (from, to) = match self {
            Order::FromFirst => (high, low),
            Order::ToFirst => (low, high),
        };
        Step::new(point(from)?, point(to)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_step_or_none() {
        let cannon = Step::from_text("h2e2").unwrap();
        assert_eq!(Order::FromFirst.write(cannon), 43687);
        assert_eq!(Order::ToFirst.write(cannon), 42922);
        for order in Order::BOTH {
            let steps: Vec<Step> = (0..=u16::MAX).filter_map(|play| order.read(play)).collect();
            assert_eq!(steps.len(), 90 * 90);
            assert!(steps.iter().all(|step| order.read(order.write(*step)) == Some(*step)));
        }
    }
}

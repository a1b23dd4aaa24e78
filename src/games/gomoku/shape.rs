use super::board::Window;
use std::sync::LazyLock;

/// What a black stone in the middle of a window makes on that line.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Shape(u16);

const FOURS: u32 = Window::CELLS;
const FIVE: u16 = 1 << 13;
const OVERLINE: u16 = 1 << 14;

impl Shape {
    /// A row of exactly five.
    pub const fn is_five(self) -> bool {
        self.0 & FIVE != 0
    }

    /// A row of six or more.
    pub const fn is_overline(self) -> bool {
        self.0 & OVERLINE != 0
    }

    /// Fours that can become exactly five, at most two: both are in `x . x x x . x`, a straight four is one.
    pub const fn fours(self) -> u32 {
        self.0 as u32 >> FOURS & 3
    }

    /// Whether one more stone can make the stone in the middle part of a straight four.
    pub const fn is_growing(self) -> bool {
        self.0 & Window::ALL as u16 != 0
    }

    /// Where that stone goes, in steps from the middle.
    pub fn growing(self) -> impl Iterator<Item = i8> {
        let mut cells = u32::from(self.0) & Window::ALL;
        std::iter::from_fn(move || {
            let cell = (cells != 0).then(|| cells.trailing_zeros())?;
            cells &= cells - 1;
            Some(cell as i8 - Window::MIDDLE as i8)
        })
    }

    /// Works the shape out, from a window with Black in the middle.
    fn of(own: u32, empty: u32) -> Shape {
        if exactly(5, own).is_some() {
            return Shape(FIVE);
        }
        if (0..=5).any(|start| own >> start & 0b11_1111 == 0b11_1111) {
            return Shape(OVERLINE);
        }
        let cells = || (0..Window::CELLS).map(|cell| 1 << cell).filter(|cell| empty & cell != 0);
        // A four is four stones; those of a straight four are the same whichever end is filled.
        let mut fours = cells().filter_map(|cell| exactly(5, own | cell).map(|five| five & !cell));
        if let Some(four) = fours.next() {
            let fours = 1 + u16::from(fours.any(|other| other != four));
            return Shape(fours << FOURS);
        }
        let growing = cells().filter(|cell| is_straight_four(own | cell, empty));
        Shape(growing.sum::<u32>() as u16)
    }
}

/// The row through the middle if it has exactly so many stones, at most five.
fn exactly(stones: u32, own: u32) -> Option<u32> {
    let row = (1 << stones) - 1;
    let ends = 1 << (stones + 1) | 1;
    (Window::MIDDLE + 1 - stones..=Window::MIDDLE)
        .find(|start| own >> (start - 1) & (row << 1 | ends) == row << 1)
        .map(|start| row << start)
}

/// Whether an unbroken four through the middle becomes exactly five at either end.
fn is_straight_four(own: u32, empty: u32) -> bool {
    exactly(4, own).is_some_and(|four| {
        [four << 1 & !four, four >> 1 & !four].iter().all(|end| empty & end != 0 && exactly(5, own | end).is_some())
    })
}

/// The shapes of all windows.
pub(super) struct Shapes([Shape; WINDOWS]);

/// Ten cells in three states.
const WINDOWS: usize = 3usize.pow(Window::CELLS - 1);

/// The digits of a set of cells, base three, without the middle: one digit is 0, 1 (own) or 2 (shut).
const TERNARY: [u16; 1 << Window::CELLS] = {
    let mut table = [0; 1 << Window::CELLS];
    let mut cells = 0;
    while cells < table.len() {
        let (mut cell, mut power) = (0, 1);
        while cell < Window::CELLS {
            if cell != Window::MIDDLE {
                table[cells] += power * (cells as u16 >> cell & 1);
                power = power.wrapping_mul(3);
            }
            cell += 1;
        }
        cells += 1;
    }
    table
};

impl Shapes {
    /// The table, built when it is first asked for.
    pub fn table() -> &'static Shapes {
        static TABLE: LazyLock<Shapes> = LazyLock::new(Shapes::build);
        &TABLE
    }

    fn build() -> Shapes {
        const MIDDLE: u32 = 1 << Window::MIDDLE;
        let mut table = [Shape::default(); WINDOWS];
        for own in (0..=Window::ALL).filter(|own| own & MIDDLE != 0) {
            let mut shut = Window::ALL & !own;
            loop {
                table[Self::index(Window { own, shut })] = Shape::of(own, Window::ALL & !(own | shut));
                if shut == 0 {
                    break;
                }
                shut = (shut - 1) & !own;
            }
        }
        Shapes(table)
    }

    /// The shape on this line, whatever is in its middle.
    pub fn of(&self, window: Window) -> Shape {
        self.0[Self::index(window)]
    }

    fn index(window: Window) -> usize {
        usize::from(TERNARY[window.own as usize]) + 2 * usize::from(TERNARY[window.shut as usize])
    }
}

use games::{Coords, Move, Point, Size};

/// What is left of a line of AGI.
///
/// Blanks may be missing wherever it is clear without them what is meant: the published example has `6BINFINITE`.
#[derive(Copy, Clone, Debug)]
pub struct Words<'l>(&'l str);

impl<'l> Words<'l> {
    /// The words of a line.
    pub fn new(line: &'l str) -> Words<'l> {
        Words(line.trim())
    }

    /// The keyword at the beginning, if it is one of these; of two of which one begins with the other, the first named.
    pub fn keyword(&mut self, known: &[&'static str]) -> Option<&'static str> {
        let found = known.iter().find(|word| {
            self.0.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        })?;
        self.0 = self.0[found.len()..].trim_start();
        Some(found)
    }

    /// The moves at the beginning, as far as they go: two hexadecimal digits each, `00` is a pass.
    pub fn moves(&mut self) -> Result<Vec<Move>, String> {
        let mut moves = Vec::new();
        while self.0.starts_with(|c: char| c.is_ascii_hexdigit()) {
            let digits = self.0.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let wrong = || format!("`{}` is not a point from 01 to EF", self.0.chars().take(2).collect::<String>());
            let byte = digits.ok_or_else(wrong)?;
            let point = Point::from_agi(byte);
            if point.is_none() && byte != 0 {
                return Err(wrong());
            }
            moves.push(point.map_or(Move::Pass, Move::Place));
            self.0 = self.0[2..].trim_start();
        }
        Ok(moves)
    }

    /// The whole number at the beginning.
    pub fn number(&mut self) -> Option<i64> {
        let sign = usize::from(self.0.starts_with(['-', '+']));
        let digits = self.0[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at(sign + digits);
        let number = number.parse().ok()?;
        self.0 = rest.trim_start();
        Some(number)
    }

    /// All that is left.
    pub const fn rest(self) -> &'l str {
        self.0
    }

    /// Whether nothing is left; else what does not belong there.
    pub fn end(self) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(format!("`{}` does not belong there", self.0.chars().take(40).collect::<String>()))
    }
}

/// A point as AGI writes it.
pub fn hex(point: Point) -> String {
    Coords::Agi.text(point, Size::default())
}

/// Points one behind the other.
pub fn hex_all<'p>(points: impl IntoIterator<Item = &'p Point>) -> String {
    points.into_iter().map(|point| hex(*point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_may_be_missing() {
        for line in ["SEARCH 67596A6B INFINITE", "search67596a6binfinite", "Search 67 59 6A 6BINFINITE"] {
            let mut words = Words::new(line);
            assert_eq!(words.keyword(&["PONDER", "SEARCH"]), Some("SEARCH"), "{line}");
            let moves = words.moves().unwrap();
            assert_eq!(hex_all(&moves.iter().filter_map(|each| each.point()).collect::<Vec<_>>()), "67596A6B");
            assert_eq!(words.keyword(&["TIME", "INFINITE"]), Some("INFINITE"), "{line}");
            assert_eq!(words.end(), Ok(()));
        }
        let mut words = Words::new("TIME-5000 x");
        assert_eq!(words.keyword(&["TIME"]), Some("TIME"));
        assert_eq!(words.number(), Some(-5000));
        assert_eq!(words.number(), None);
        assert!(words.end().unwrap_err().contains("`x`"));
    }

    #[test]
    fn what_is_no_point_is_an_error() {
        assert_eq!(Words::new("00 78").moves().unwrap(), [Move::Pass, Move::Place(Point::new(7, 7).unwrap())]);
        for bad in ["7", "787", "F1", "10", "7é", "78 é6 7", "A"] {
            let mut words = Words::new(bad);
            assert!(words.moves().is_err() || words.end().is_err(), "{bad}");
        }
    }
}

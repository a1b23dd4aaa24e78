use crate::{Point, Side, Size, Symmetry};

/// One of the 26 openings of renju: the first three stones, up to symmetry.
///
/// Direct openings (D) have White's stone beside the centre, indirect ones (I) diagonal to it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// `D1` to `D13`, `I1` to `I13`.
    pub code: &'static str,
    /// The number in RenjuNet's database.
    pub renjunet: u8,
    /// White's stone, columns to the right and rows down from the centre.
    second: (i8, i8),
    /// Black's second stone.
    third: (i8, i8),
    names: [&'static str; 5],
}

impl Opening {
    const fn new(
        code: &'static str,
        renjunet: u8,
        second: (i8, i8),
        third: (i8, i8),
        names: [&'static str; 5],
    ) -> Opening {
        Opening { code, renjunet, second, third, names }
    }

    /// The Japanese name in Latin letters.
    pub const fn romaji(&self) -> &'static str {
        self.names[0]
    }

    /// What the name means, in English.
    pub const fn meaning(&self) -> &'static str {
        self.names[1]
    }

    /// The Japanese name.
    pub const fn japanese(&self) -> &'static str {
        self.names[2]
    }

    /// The Chinese name, in simplified characters.
    pub const fn chinese(&self) -> &'static str {
        self.names[3]
    }

    /// The Russian name.
    pub const fn russian(&self) -> &'static str {
        self.names[4]
    }

    /// The three stones in the usual orientation; `None` on a board that has no centre or no room.
    pub fn stones(&self, size: Size) -> Option<[Point; 3]> {
        let centre = centre(size)?;
        let at = |(dx, dy): (i8, i8)| {
            let point = Point::new(centre.x().checked_add_signed(dx)?, centre.y().checked_add_signed(dy)?)?;
            size.contains(point).then_some(point)
        };
        Some([centre, at(self.second)?, at(self.third)?])
    }

    /// The opening of this code (`D4`, `4D`) or name, in any language and case.
    pub fn find(name: &str) -> Option<&'static Opening> {
        let turned: String = name.chars().rev().collect();
        let numbered = match name.as_bytes() {
            [b'0'..=b'9', .., b'd' | b'D' | b'i' | b'I'] => {
                format!("{}{}", &turned[..1], &name[..name.len() - 1])
            }
            _ => name.to_owned(),
        };
        OPENINGS.iter().find(|opening| {
            opening.code.eq_ignore_ascii_case(&numbered)
                || opening.names.iter().any(|known| known.to_lowercase() == name.to_lowercase())
        })
    }

    /// The opening that three stones form and the symmetry that turns them to its usual orientation.
    ///
    /// Black's stones may have come in either order; one of them must be in the centre.
    pub fn of(stones: &[(Point, Side)], size: Size) -> Option<(&'static Opening, Symmetry)> {
        let centre = centre(size)?;
        let mut blacks = stones.iter().filter(|stone| stone.1 == Side::First).map(|stone| stone.0);
        let mut whites = stones.iter().filter(|stone| stone.1 == Side::Second).map(|stone| stone.0);
        let (first, other, white) = (blacks.next()?, blacks.next()?, whites.next()?);
        let third = match (first == centre, other == centre) {
            (true, false) => other,
            (false, true) => first,
            _ => return None,
        };
        if stones.len() != 3 || size.width() != size.height() {
            return None;
        }
        let offset = |point: Point| (point.x() as i8 - centre.x() as i8, point.y() as i8 - centre.y() as i8);
        Symmetry::ALL.into_iter().find_map(|symmetry| {
            let (second, third) = (offset(symmetry.apply(white, size)), offset(symmetry.apply(third, size)));
            let opening = OPENINGS.iter().find(|opening| opening.second == second && opening.third == third)?;
            Some((opening, symmetry))
        })
    }
}

/// The middle of a board with odd sides.
pub(super) fn centre(size: Size) -> Option<Point> {
    let odd = size.width() % 2 == 1 && size.height() % 2 == 1;
    if odd { Point::new(size.width() / 2, size.height() / 2) } else { None }
}

/// The 26 openings: direct ones, then indirect ones.
pub const OPENINGS: [Opening; 26] = [
    Opening::new("D1", 14, (0, -1), (0, -2), ["Kansei", "Cold star", "寒星", "寒星", "Кансей"]),
    Opening::new("D2", 15, (0, -1), (1, -2), ["Keigetsu", "Valley moon", "渓月", "溪月", "Кейгецу"]),
    Opening::new("D3", 16, (0, -1), (2, -2), ["Sosei", "Sparse star", "疎星", "疏星", "Сосей"]),
    Opening::new("D4", 17, (0, -1), (1, -1), ["Kagetsu", "Flower moon", "花月", "花月", "Кагецу"]),
    Opening::new("D5", 18, (0, -1), (2, -1), ["Zangetsu", "Lingering moon", "残月", "残月", "Дзангецу"]),
    Opening::new("D6", 19, (0, -1), (1, 0), ["Ugetsu", "Rain moon", "雨月", "雨月", "Угецу"]),
    Opening::new("D7", 20, (0, -1), (2, 0), ["Kinsei", "Gold star", "金星", "金星", "Кинсей"]),
    Opening::new("D8", 21, (0, -1), (0, 1), ["Shogetsu", "Pine moon", "松月", "松月", "Сёгецу"]),
    Opening::new("D9", 22, (0, -1), (1, 1), ["Kyugetsu", "Hill moon", "丘月", "丘月", "Кюгецу"]),
    Opening::new("D10", 23, (0, -1), (2, 1), ["Shingetsu", "New moon", "新月", "新月", "Сингецу"]),
    Opening::new("D11", 24, (0, -1), (0, 2), ["Zuisei", "Lucky star", "瑞星", "瑞星", "Дзуйсей"]),
    Opening::new("D12", 25, (0, -1), (1, 2), ["Sangetsu", "Mountain moon", "山月", "山月", "Сангецу"]),
    Opening::new("D13", 26, (0, -1), (2, 2), ["Yusei", "Wandering star", "遊星", "游星", "Юсей"]),
    Opening::new("I1", 1, (1, -1), (2, -2), ["Chosei", "Long star", "長星", "长星", "Тёсей"]),
    Opening::new("I2", 2, (1, -1), (2, -1), ["Kyogetsu", "Gorge moon", "峡月", "峡月", "Кёгецу"]),
    Opening::new("I3", 3, (1, -1), (2, 0), ["Kosei", "Fixed star", "恒星", "恒星", "Косей"]),
    Opening::new("I4", 4, (1, -1), (2, 1), ["Suigetsu", "Water moon", "水月", "水月", "Суйгецу"]),
    Opening::new("I5", 5, (1, -1), (2, 2), ["Ryusei", "Shooting star", "流星", "流星", "Рюсей"]),
    Opening::new("I6", 6, (1, -1), (1, 0), ["Ungetsu", "Cloud moon", "雲月", "云月", "Унгецу"]),
    Opening::new("I7", 7, (1, -1), (1, 1), ["Hogetsu", "Bay moon", "浦月", "浦月", "Хогецу"]),
    Opening::new("I8", 8, (1, -1), (1, 2), ["Rangetsu", "Storm moon", "嵐月", "岚月", "Рангецу"]),
    Opening::new("I9", 9, (1, -1), (0, 1), ["Gingetsu", "Silver moon", "銀月", "银月", "Гингецу"]),
    Opening::new("I10", 10, (1, -1), (0, 2), ["Myojo", "Bright star", "明星", "明星", "Мёдзё"]),
    Opening::new("I11", 11, (1, -1), (-1, 1), ["Shagetsu", "Slanting moon", "斜月", "斜月", "Сягецу"]),
    Opening::new("I12", 12, (1, -1), (-1, 2), ["Meigetsu", "Famous moon", "名月", "名月", "Мейгецу"]),
    Opening::new("I13", 13, (1, -1), (-2, 2), ["Suisei", "Comet", "彗星", "彗星", "Суйсей"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coords;

    fn stones(moves: &str, size: Size) -> Vec<(Point, Side)> {
        let points = moves.split(' ').map(|name| Coords::A1.parse(name, size).unwrap());
        points.zip([Side::First, Side::Second, Side::First]).collect()
    }

    #[test]
    fn each_opening_is_known_in_every_orientation_and_both_orders() {
        let size = Size::default();
        for opening in &OPENINGS {
            let [first, second, third] = opening.stones(size).unwrap();
            for symmetry in Symmetry::ALL {
                let turn = |point| symmetry.apply(point, size);
                for (a, b) in [(first, third), (third, first)] {
                    let turned = [(turn(a), Side::First), (turn(second), Side::Second), (turn(b), Side::First)];
                    let (found, back) = Opening::of(&turned, size).unwrap();
                    assert_eq!(found.code, opening.code);
                    assert_eq!(back.apply(turn(third), size), third);
                }
            }
        }
    }

    #[test]
    fn openings_are_all_three_stone_positions_near_the_centre_up_to_symmetry() {
        let size = Size::square(5).unwrap();
        let mut found = std::collections::BTreeSet::new();
        let centre = centre(size).unwrap();
        let near = |point: &Point| point.x().abs_diff(2) <= 1 && point.y().abs_diff(2) <= 1;
        for second in size.points().filter(|point| near(point) && *point != centre) {
            for third in size.points().filter(|point| *point != centre && *point != second) {
                let stones = [(centre, Side::First), (second, Side::Second), (third, Side::First)];
                found.insert(Opening::of(&stones, size).unwrap().0.code);
            }
        }
        assert_eq!(found.len(), 26);
    }

    #[test]
    fn names_in_four_languages_lead_to_the_opening() {
        for name in ["D4", "d4", "4D", "Kagetsu", "kagetsu", "花月", "Кагецу", "flower moon"] {
            assert_eq!(Opening::find(name).map(|opening| opening.code), Some("D4"), "{name}");
        }
        assert_eq!(Opening::find("11I").map(|opening| opening.code), Some("I11"));
        assert_eq!(Opening::find("溪月"), Opening::find("渓月"));
        assert_eq!(Opening::find("D14"), None);
        assert_eq!(Opening::find(""), None);
    }

    #[test]
    fn other_stones_are_no_opening() {
        let size = Size::default();
        let of = |moves: &str| Opening::of(&stones(moves, size), size).map(|(opening, _)| opening.code);
        assert_eq!(of("h8 h9 i9"), Some("D4"));
        assert_eq!(of("i9 h9 h8"), Some("D4"));
        assert_eq!(of("g8 h9 i9"), None);
        assert_eq!(of("h8 h10 i9"), None);
        assert_eq!(of("h8 h9 k8"), None);
        assert_eq!(Opening::of(&stones("h8 h9 i9", size)[..2], size), None);
        assert_eq!(Opening::of(&stones("h8 h9 i9", size), Size::square(20).unwrap()), None);
    }
}

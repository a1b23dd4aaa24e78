use super::opening::{Opening, centre};
use super::{Board, own_symmetries};
use crate::{Move, Point, Side, Size, Symmetry};
use std::str::FromStr;

/// How the first moves of a game are agreed: where stones may go, who may swap when, how many fifth moves are offered.
///
/// What the rules say is in the table [`OpeningRule::ALL`]; [`OpeningRule::judge`] holds a record against a row of it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OpeningRule {
    /// The name on the command line; rules with a number have it after a hyphen.
    pub name: &'static str,
    /// Where the stones of plies 1, 2, … may go; later plies are free.
    zones: &'static [Zone],
    /// Whether the first three stones are one of the 26 openings.
    named: bool,
    /// The plies after which somebody may swap colours.
    swaps: &'static [u8],
    /// How many fifth moves are offered.
    fifths: Fifths,
    /// The number of Soosorv-N and Taraguchi-N.
    most: u8,
}

/// Where a stone may go.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Zone {
    Anywhere,
    /// The square of so many points a side around the centre.
    Within(u8),
    /// All but that square.
    Outside(u8),
}

/// How many fifth moves are offered.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Fifths {
    /// None are offered: the move is played.
    Played,
    /// Exactly so many.
    Fixed(u8),
    /// As many as were declared, at least one and at most [`OpeningRule::most`].
    Declared,
    /// None after a swap decision at the fourth move, [`OpeningRule::most`] without one.
    PlayedOrMost,
}

/// The middle and the squares of 3, 5, 7 and 9 around it.
const GROWING: &[Zone] = &[Zone::Within(1), Zone::Within(3), Zone::Within(5), Zone::Within(7), Zone::Within(9)];

/// What a record says against an opening rule, or does not say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The ply it is about.
    pub ply: usize,
    /// Whether the record contradicts the rule; else it only does not say what the rule asks for.
    pub is_fault: bool,
    /// A sentence.
    pub message: String,
}

/// What a record states of its opening.
#[derive(Copy, Clone, Debug)]
pub struct Stated<'a> {
    /// The board.
    pub size: Size,
    /// The moves from the first on.
    pub moves: &'a [Move],
    /// The fifth moves offered, whether or not the chosen one is among them.
    pub offered: &'a [Point],
    /// How many fifth moves were declared.
    pub declared: Option<u8>,
    /// A sign for each decision to swap or not.
    pub swaps: Option<&'a str>,
}

impl OpeningRule {
    const fn new(name: &'static str, zones: &'static [Zone], swaps: &'static [u8], fifths: Fifths) -> OpeningRule {
        OpeningRule { name, zones, named: false, swaps, fifths, most: 0 }
    }

    const fn named(self) -> OpeningRule {
        OpeningRule { named: true, ..self }
    }

    const fn most(self, most: u8) -> OpeningRule {
        OpeningRule { most, ..self }
    }

    /// All rules; Soosorv and Taraguchi with their usual numbers.
    pub const ALL: [OpeningRule; 11] = [
        OpeningRule::new("rif", &[Zone::Within(1)], &[3], Fifths::Fixed(2)).named(),
        OpeningRule::new(
            "sakata",
            &[Zone::Anywhere, Zone::Anywhere, Zone::Anywhere, Zone::Within(7), Zone::Within(9)],
            &[5],
            Fifths::Played,
        ),
        OpeningRule::new("yamaguchi", &[Zone::Within(1)], &[3], Fifths::Declared).named().most(u8::MAX),
        OpeningRule::new("tarannikov", GROWING, &[1, 2, 3, 4, 5], Fifths::Played),
        OpeningRule::new("soosorv", &[Zone::Within(1)], &[3, 4], Fifths::Declared).named().most(8),
        OpeningRule::new("taraguchi", GROWING, &[1, 2, 3, 4, 5], Fifths::PlayedOrMost).most(10),
        OpeningRule::new("swap1", &[], &[1], Fifths::Played),
        OpeningRule::new("swap", &[], &[3], Fifths::Played),
        OpeningRule::new("swap2", &[], &[3, 5], Fifths::Played),
        OpeningRule::new("pro", &[Zone::Within(1), Zone::Anywhere, Zone::Outside(5)], &[], Fifths::Played),
        OpeningRule::new("long-pro", &[Zone::Within(1), Zone::Anywhere, Zone::Outside(7)], &[], Fifths::Played),
    ];

    /// The plies after which somebody may swap colours.
    pub const fn swaps(&self) -> &'static [u8] {
        self.swaps
    }

    /// How many of the first stones are put by one player, before the other may take either side.
    pub fn plies_alone(&self) -> u8 {
        // Where somebody may swap after each move, the players take turns; elsewhere the first stones are a proposal.
        match self.swaps {
            [1, ..] | [] | [5] => 0,
            [first, ..] => *first,
        }
    }

    /// How many fifth moves are offered, of which the other player takes one; `None` where the players declare it.
    pub const fn offers(&self) -> Option<u8> {
        match self.fifths {
            Fifths::Played => Some(1),
            Fifths::Fixed(number) => Some(number),
            Fifths::PlayedOrMost => Some(self.most),
            Fifths::Declared => None,
        }
    }

    /// What the record says against the rule, and what it does not say, by ply.
    pub fn judge(&self, stated: Stated<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.judge_zones(stated, &mut findings);
        self.judge_swaps(stated, &mut findings);
        self.judge_fifths(stated, &mut findings);
        findings.sort_by_key(|finding| finding.ply);
        findings
    }

    fn judge_zones(&self, stated: Stated<'_>, findings: &mut Vec<Finding>) {
        // With offers the fifth move is bound by them alone.
        if centre(stated.size).is_none() && self.zones.iter().any(|zone| *zone != Zone::Anywhere) {
            let message = format!("the rule counts from the centre, and a {} board has none", stated.size);
            findings.push(Finding::fault(1, &message));
            return;
        }
        let bound =
            if !stated.offered.is_empty() && self.fifths == Fifths::PlayedOrMost { 4 } else { self.zones.len() };
        for (at, (zone, played)) in self.zones.iter().take(bound).zip(stated.moves).enumerate() {
            let ply = at + 1;
            let Some(point) = played.point() else {
                findings.push(Finding::fault(ply, "a pass in the opening"));
                continue;
            };
            if !zone.holds(point, stated.size) {
                findings.push(Finding::fault(ply, &format!("move {ply} must be {}", zone.name())));
            }
        }
        if self.named && stated.moves.len() >= 3 {
            let sides = [Side::First, Side::Second, Side::First];
            let stones: Vec<(Point, Side)> = stated.moves[..3].iter().filter_map(|m| m.point()).zip(sides).collect();
            if Opening::of(&stones, stated.size).is_none() {
                findings.push(Finding::fault(3, "the first three stones are none of the 26 openings"));
            }
        }
    }

    fn judge_swaps(&self, stated: Stated<'_>, findings: &mut Vec<Finding>) {
        let due: Vec<u8> = self.swaps.iter().copied().filter(|ply| usize::from(*ply) <= stated.moves.len()).collect();
        let Some(last) = due.last() else { return };
        let ply = usize::from(*last);
        let Some(swaps) = stated.swaps else {
            findings.push(Finding::not_stated(ply, "whether colours were swapped"));
            return;
        };
        // Who offers fifth moves in Taraguchi has not swapped, and nobody swaps after them.
        let offers = self.fifths == Fifths::PlayedOrMost && !stated.offered.is_empty();
        let most = due.len() - usize::from(offers && due.len() == 5);
        let least = match self.name {
            "swap2" => 1,
            _ if offers => due.len().min(3),
            _ => due.len(),
        };
        let count = swaps.chars().count();
        if count > most {
            let message = format!("{count} decisions to swap are stated, and the rule has {most}");
            findings.push(Finding::fault(ply, &message));
        } else if count < least {
            findings.push(Finding::not_stated(ply, &format!("{} of {least} decisions to swap", least - count)));
        }
        if offers && swaps.chars().nth(3) == Some('R') {
            findings.push(Finding::fault(4, "colours are swapped after move 4, and fifth moves are offered"));
        }
    }

    fn judge_fifths(&self, stated: Stated<'_>, findings: &mut Vec<Finding>) {
        let Stated { size, moves, offered, declared, .. } = stated;
        if offered.is_empty() && moves.len() < 5 && declared.is_none() {
            return;
        }
        let wanted = match self.fifths {
            Fifths::Played => {
                if !offered.is_empty() {
                    findings.push(Finding::fault(5, "fifth moves are offered, and the rule has no offers"));
                }
                if declared.is_some() {
                    findings.push(Finding::fault(4, "a number of fifth moves is declared, and the rule has no offers"));
                }
                return;
            }
            Fifths::Fixed(number) => Some(number),
            Fifths::Declared => match declared {
                Some(number) if number == 0 || number > self.most => {
                    let message = format!("{number} fifth moves are declared, and the rule allows 1 to {}", self.most);
                    findings.push(Finding::fault(4, &message));
                    None
                }
                Some(number) => Some(number),
                None => {
                    findings.push(Finding::not_stated(4, "how many fifth moves were declared"));
                    None
                }
            },
            Fifths::PlayedOrMost if offered.is_empty() => return,
            Fifths::PlayedOrMost => Some(self.most),
        };
        if let (Some(wanted), Some(declared)) = (wanted, declared)
            && wanted != declared
        {
            let message = format!("{declared} fifth moves are declared, and the rule wants {wanted}");
            findings.push(Finding::fault(4, &message));
        }
        if offered.is_empty() {
            if wanted != Some(1) && moves.len() >= 5 {
                findings.push(Finding::not_stated(5, "which fifth moves were offered"));
            }
            return;
        }
        // Some files leave the chosen move out of the offers.
        let mut all = offered.to_vec();
        if let Some(chosen) = moves.get(4).and_then(|m| m.point())
            && !all.contains(&chosen)
        {
            all.push(chosen);
        }
        if let Some(wanted) = wanted
            && all.len() != usize::from(wanted)
        {
            let message = format!("{} fifth moves are offered, and the rule wants {wanted}", all.len());
            findings.push(Finding::fault(5, &message));
        }
        judge_offers(&all, &moves[..moves.len().min(4)], size, findings);
    }
}

/// Offers must be free, and none equal to another up to the symmetries of the four stones before them.
fn judge_offers(offers: &[Point], before: &[Move], size: Size, findings: &mut Vec<Finding>) {
    let mut board = Board::new(size);
    for (at, played) in before.iter().enumerate() {
        // A stone on a stone is another judge's business.
        let _ = played.point().map(|point| board.play(point, Side::of_ply(at + 1)));
    }
    // Before the fourth move it is not known what is the same.
    let keeps: Vec<Symmetry> = own_symmetries(&board).filter(|_| before.len() == 4).collect();
    for (at, offer) in offers.iter().enumerate() {
        if board.stone(*offer).is_some() {
            findings.push(Finding::fault(5, "a fifth move is offered on a stone"));
        }
        if offers[..at].contains(offer) {
            findings.push(Finding::fault(5, "the same fifth move is offered twice"));
        } else if keeps.iter().any(|symmetry| offers[..at].contains(&symmetry.apply(*offer, size))) {
            findings.push(Finding::fault(5, "two fifth moves offered are the same up to symmetry"));
        }
    }
}

impl Zone {
    fn holds(self, point: Point, size: Size) -> bool {
        let within = |side: u8| {
            centre(size).is_some_and(|centre| {
                point.x().abs_diff(centre.x()) <= side / 2 && point.y().abs_diff(centre.y()) <= side / 2
            })
        };
        match self {
            Zone::Anywhere => true,
            Zone::Within(side) => within(side),
            Zone::Outside(side) => !within(side),
        }
    }

    fn name(self) -> String {
        match self {
            Zone::Anywhere => "on the board".into(),
            Zone::Within(1) => "in the centre".into(),
            Zone::Within(side) => format!("within the middle {side}x{side}"),
            Zone::Outside(side) => format!("outside the middle {side}x{side}"),
        }
    }
}

impl Finding {
    fn fault(ply: usize, message: &str) -> Finding {
        Finding { ply, is_fault: true, message: message.into() }
    }

    fn not_stated(ply: usize, what: &str) -> Finding {
        Finding { ply, is_fault: false, message: format!("not stated: {what}") }
    }
}

impl FromStr for OpeningRule {
    type Err = String;

    /// A name of [`OpeningRule::ALL`]; `soosorv` and `taraguchi` may have a number, as `soosorv-6`.
    fn from_str(text: &str) -> Result<OpeningRule, String> {
        let lower = text.to_ascii_lowercase();
        let (name, number) = match lower.rsplit_once('-') {
            Some((name, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
                (name, number.parse::<u8>().ok())
            }
            _ => (lower.as_str(), None),
        };
        let rule = OpeningRule::ALL.into_iter().find(|rule| rule.name == name);
        match (rule, number) {
            (Some(rule), None) if lower == rule.name => Ok(rule),
            (Some(rule), Some(most)) if matches!(rule.name, "soosorv" | "taraguchi") && most > 0 => Ok(rule.most(most)),
            _ => {
                let names: Vec<&str> = OpeningRule::ALL.iter().map(|rule| rule.name).collect();
                Err(format!("`{text}` is not an opening rule: write {} (soosorv-N, taraguchi-N)", names.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coords, parse_moves};

    fn judge(rule: &str, moves: &str, offered: &str, declared: Option<u8>, swaps: Option<&str>) -> Vec<String> {
        let size = Size::default();
        let moves = parse_moves(moves, Coords::A1, size).unwrap();
        let offered: Vec<Point> =
            parse_moves(offered, Coords::A1, size).unwrap().iter().map(|m| m.point().unwrap()).collect();
        let stated = Stated { size, moves: &moves, offered: &offered, declared, swaps };
        let findings = rule.parse::<OpeningRule>().unwrap().judge(stated);
        findings.into_iter().map(|finding| format!("{} {}", finding.ply, finding.message)).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn what_follows_the_rule_has_no_finding() {
        assert_eq!(judge("rif", "h8 h9 i9 g7 f6", "f6 j10", None, Some("-")), NONE);
        assert_eq!(judge("rif", "h8 h9 i9 g7 f6", "j10", None, Some("R")), NONE);
        assert_eq!(judge("yamaguchi", "h8 i9 i7 g7 f6", "f6 k11 j9", Some(3), Some("-")), NONE);
        assert_eq!(judge("soosorv-8", "h8 i9 i7 g7 f6", "f6 k11", Some(2), Some("-R")), NONE);
        assert_eq!(judge("tarannikov", "h8 i9 j10 k11 l12", "", None, Some("R--R-")), NONE);
        assert_eq!(judge("taraguchi", "h8 i9 j10 k11 l12", "", None, Some("R--R-")), NONE);
        assert_eq!(judge("taraguchi-3", "h8 i9 j10 k11 a1", "a1 b1 c1", None, Some("R--")), NONE);
        assert_eq!(judge("taraguchi-3", "h8 i9 j10 k11 a1", "a1 b1 c1", Some(3), Some("R---")), NONE);
        assert_eq!(judge("swap2", "a1 b2 c3 d4 e5", "", None, Some("R")), NONE);
        assert_eq!(judge("pro", "h8 h9 k8", "", None, None), NONE);
        assert_eq!(judge("long-pro", "h8 h9 l8", "", None, None), NONE);
        assert_eq!(judge("swap1", "a1", "", None, Some("-")), NONE);
    }

    #[test]
    fn what_breaks_the_rule_is_found_at_its_ply() {
        for (rule, moves, offered, declared, swaps, finding) in [
            ("rif", "g8 h9 i9 g7", "", None, Some("-"), "1 move 1 must be in the centre"),
            ("rif", "h8 h10 i9", "", None, Some("-"), "3 the first three stones are none of the 26 openings"),
            (
                "rif",
                "h8 h9 i9 g7 f6",
                "f6 j10 k3",
                None,
                Some("-"),
                "5 3 fifth moves are offered, and the rule wants 2",
            ),
            ("tarannikov", "h8 j8 i9", "", None, Some("---"), "2 move 2 must be within the middle 3x3"),
            ("pro", "h8 h9 j8", "", None, None, "3 move 3 must be outside the middle 5x5"),
            ("long-pro", "h8 h9 k8", "", None, None, "3 move 3 must be outside the middle 7x7"),
            (
                "soosorv-8",
                "h8 i9 i7 g7 f6",
                "f6",
                Some(9),
                Some("--"),
                "4 9 fifth moves are declared, and the rule allows 1 to 8",
            ),
            ("swap", "a1 b2 c3", "", None, Some("RR"), "3 2 decisions to swap are stated, and the rule has 1"),
            (
                "swap2",
                "a1 b2 c3 d4 e5",
                "e5 f6",
                None,
                Some("-"),
                "5 fifth moves are offered, and the rule has no offers",
            ),
            ("sakata", "h8 h9 i9 a1 f6", "", None, Some("-"), "4 move 4 must be within the middle 7x7"),
            (
                "taraguchi-3",
                "h8 i9 j10 k11 a1",
                "a1 b1 c1",
                None,
                Some("R--R"),
                "4 colours are swapped after move 4, and fifth moves are offered",
            ),
            (
                "soosorv-8",
                "h8 i9 i7 g7",
                "",
                Some(9),
                Some("--"),
                "4 9 fifth moves are declared, and the rule allows 1 to 8",
            ),
            ("rif", "h8 h9 i9 g7", "", Some(3), Some("-"), "4 3 fifth moves are declared, and the rule wants 2"),
            (
                "swap",
                "h8 h9 i9 g7",
                "",
                Some(3),
                Some("-"),
                "4 a number of fifth moves is declared, and the rule has no offers",
            ),
            ("tarannikov", "h8 -- i9", "", None, Some("---"), "2 a pass in the opening"),
        ] {
            let findings = judge(rule, moves, offered, declared, swaps);
            assert!(findings.contains(&finding.to_owned()), "{rule} {moves}: {findings:?}");
        }
    }

    #[test]
    fn offers_equal_up_to_symmetry_are_a_fault() {
        // h8 h9 h7 h10 is its own mirror image: g6 and i6 are one offer.
        let same = judge("rif", "h8 h9 h7 h10 g6", "g6 i6", None, Some("-"));
        assert_eq!(same, ["5 two fifth moves offered are the same up to symmetry"]);
        assert_eq!(judge("rif", "h8 h9 i9 h10 g6", "g6 i6", None, Some("-")), NONE);
        let twice = judge("rif", "h8 h9 i9 h10 g6", "g6 g6", None, Some("-"));
        assert_eq!(twice, ["5 the same fifth move is offered twice"]);
        let stone = judge("rif", "h8 h9 i9 h10 g6", "g6 h9", None, Some("-"));
        assert_eq!(stone, ["5 a fifth move is offered on a stone"]);
    }

    #[test]
    fn what_a_record_does_not_say_is_not_held_against_it() {
        assert_eq!(
            judge("rif", "h8 h9 i9 g7 f6", "", None, None),
            ["3 not stated: whether colours were swapped", "5 not stated: which fifth moves were offered"]
        );
        assert_eq!(judge("yamaguchi", "h8 h9 i9 g7", "", None, Some("-")), NONE);
        assert_eq!(judge("yamaguchi", "h8 h9 i9 g7 f6", "", Some(1), Some("-")), NONE);
        assert_eq!(judge("yamaguchi", "h8", "", None, None), NONE);
        let some = judge("tarannikov", "h8 i9 j10 k11 l12", "", None, Some("R-"));
        assert_eq!(some, ["5 not stated: 3 of 5 decisions to swap"]);
        // Without the fourth move g6 and i6 may be two moves.
        assert_eq!(judge("rif", "h8 h9 h7", "g6 i6", None, Some("-")), NONE);
    }

    #[test]
    fn a_board_without_a_centre_is_told_once() {
        let size = Size::square(20).unwrap();
        let moves = parse_moves("a1 b2 c3 d4 e5", Coords::A1, size).unwrap();
        for (rule, count) in [("rif", 1), ("tarannikov", 1), ("pro", 1), ("swap", 0)] {
            let stated = Stated { size, moves: &moves, offered: &[], declared: None, swaps: None };
            let findings = rule.parse::<OpeningRule>().unwrap().judge(stated);
            assert_eq!(findings.iter().filter(|finding| finding.is_fault).count(), count, "{findings:?}");
        }
    }

    #[test]
    fn names_may_carry_their_number() {
        assert_eq!("Soosorv-6".parse::<OpeningRule>().unwrap().most, 6);
        assert_eq!("taraguchi".parse::<OpeningRule>().unwrap().most, 10);
        assert_eq!("long-pro".parse::<OpeningRule>().unwrap().name, "long-pro");
        for wrong in ["rif-3", "rif-", "swap2-", "soosorv-0", "soosorv-999", "chess", ""] {
            assert!(wrong.parse::<OpeningRule>().is_err(), "{wrong}");
        }
    }
}

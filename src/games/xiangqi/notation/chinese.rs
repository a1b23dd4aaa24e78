use super::wording::{Found, Mark, Signs, Way, Wording, is_over};
use crate::xiangqi::{Board, Kind};
use crate::{Side, Step};

/// `炮二平五`; `前炮平五`; pawns by number, `三兵平六`; old forms with the file, `前兵四平五` and `前四平五`.
pub fn read(board: &Board, signs: &Signs) -> Found {
    let wording = match signs.all() {
        [a, b, c, d, rest @ ..] if way(*c).is_some() && is_over(rest) => short(*a, *b, *c, *d),
        [a, b, file, c, d, rest @ ..] if is_over(rest) => {
            let wording = short(*a, *b, *c, *d).zip(number(*file));
            wording.filter(|(wording, _)| wording.file.is_none()).map(|(wording, file)| Wording {
                file: Some(file),
                // Of a number beside a file nobody tells whether it counts within the file.
                mark: if let Mark::OfAll(number) = wording.mark { Mark::OfFile(number) } else { wording.mark },
                ..wording
            })
        }
        _ => None,
    };
    wording.map_or(Found::Unread, |wording| wording.find(board))
}

/// Numbers of Red are Chinese, those of Black full-width.
pub fn write(board: &Board, step: Step, traditional: bool) -> Option<String> {
    const NUMBERS: [[char; 9]; 2] = [
        ['一', '二', '三', '四', '五', '六', '七', '八', '九'],
        ['１', '２', '３', '４', '５', '６', '７', '８', '９'],
    ];
    let wording = Wording::of(board, step)?;
    let side = board.piece(step.from)?.side;
    let number = |number: u8| NUMBERS[side as usize][usize::from(number) - 1];
    let letter = letter(side, wording.kind, traditional);
    let [first, second] = match wording.mark {
        Mark::Any => [letter, number(wording.file?)],
        Mark::Front => ['前', letter],
        Mark::Middle => ['中', letter],
        Mark::Rear if traditional => ['後', letter],
        Mark::Rear => ['后', letter],
        Mark::OfFile(index) | Mark::OfAll(index) => [NUMBERS[0][usize::from(index) - 1], letter],
    };
    let way = match wording.way {
        Way::Forward if traditional => '進',
        Way::Forward => '进',
        Way::Back => '退',
        Way::Across => '平',
    };
    Some([first, second, way, number(wording.number)].iter().collect())
}

/// Four signs; the file is missing where a mark tells the piece.
fn short(a: char, b: char, c: char, d: char) -> Option<Wording> {
    let (way, number_) = (way(c)?, number(d)?);
    let (kind, mark, file) = match (kind(a), kind(b)) {
        (Some(kind), _) => (kind, Mark::Any, Some(number(b)?)),
        (None, Some(kind)) => (kind, mark(a)?, None),
        (None, None) => (Kind::Pawn, place(a)?, Some(number(b)?)),
    };
    Some(Wording { kind, mark, file, way, number: number_ })
}

fn letter(side: Side, kind: Kind, traditional: bool) -> char {
    match (kind, side, traditional) {
        (Kind::King, Side::First, false) => '帅',
        (Kind::King, Side::First, true) => '帥',
        (Kind::King, Side::Second, false) => '将',
        (Kind::King, Side::Second, true) => '將',
        (Kind::Advisor, Side::First, _) => '仕',
        (Kind::Advisor, Side::Second, _) => '士',
        (Kind::Elephant, Side::First, _) => '相',
        (Kind::Elephant, Side::Second, _) => '象',
        (Kind::Horse, _, false) => '马',
        (Kind::Horse, _, true) => '馬',
        (Kind::Rook, _, false) => '车',
        (Kind::Rook, _, true) => '車',
        (Kind::Cannon, Side::Second, true) => '砲',
        (Kind::Cannon, ..) => '炮',
        (Kind::Pawn, Side::First, _) => '兵',
        (Kind::Pawn, Side::Second, _) => '卒',
    }
}

/// The kind of a sign of either side and either script.
fn kind(sign: char) -> Option<Kind> {
    Some(match sign {
        '帅' | '帥' | '将' | '將' => Kind::King,
        '仕' | '士' => Kind::Advisor,
        '相' | '象' => Kind::Elephant,
        '马' | '馬' | '傌' => Kind::Horse,
        '车' | '車' | '俥' | '硨' => Kind::Rook,
        '炮' | '砲' | '包' => Kind::Cannon,
        '兵' | '卒' => Kind::Pawn,
        _ => return None,
    })
}

fn number(sign: char) -> Option<u8> {
    Some(match sign {
        '1'..='9' => sign as u8 - b'0',
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

/// Front, middle or rear.
fn place(sign: char) -> Option<Mark> {
    Some(match sign {
        '前' => Mark::Front,
        '中' => Mark::Middle,
        '后' | '後' => Mark::Rear,
        _ => return None,
    })
}

/// The same, or a number from one to five.
fn mark(sign: char) -> Option<Mark> {
    place(sign).or_else(|| number(sign).filter(|number| *number <= 5).map(Mark::OfAll))
}

fn way(sign: char) -> Option<Way> {
    Some(match sign {
        '进' | '進' | '上' => Way::Forward,
        '退' | '下' => Way::Back,
        '平' => Way::Across,
        _ => return None,
    })
}

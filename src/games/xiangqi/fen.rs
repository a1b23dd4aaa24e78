use super::square::{HEIGHT, WIDTH};
use super::{Board, Piece};
use crate::{Point, Side, Step};
use std::fmt;

/// A position as FEN says it: the board, and how many moves were played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fen {
    /// The pieces and the side to move.
    pub board: Board,
    /// Plies since the last capture. Moves of pawns count, other than in chess.
    pub halfmove: u32,
    /// The number of the next move of both sides; the first is 1.
    pub fullmove: u32,
}

/// A remark on the text of a FEN, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The character of the text it is about, counted from 1.
    pub column: usize,
    /// What there is to say.
    pub what: What,
}

/// What [`Fen::read`] finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// There is no text.
    Empty,
    /// The text has no ranks.
    NoFen,
    /// So many ranks, not ten.
    Ranks(usize),
    /// A rank, counted from the top and from 1, with so many files, not nine.
    Files {
        /// The rank.
        rank: usize,
        /// Its width.
        files: usize,
    },
    /// A digit 0.
    Zero,
    /// A letter that is no piece.
    Letter(char),
    /// A hidden piece of jieqi.
    Hidden,
    /// Moves after the FEN, which only a line `position …` has.
    Moves,
    /// Nothing says whose turn it is: Red's.
    NoSide,
    /// Something else than `w`, `r` or `b` says whose turn it is: Red's.
    Side(String),
    /// A letter that other programs use for a piece.
    OtherLetter(char, Piece),
    /// Two numbers of empty points side by side.
    Digits,
    /// Something else than `-` in the third or fourth field.
    Unused(String),
    /// A counter that is no number: the default.
    Counter(String),
    /// Plies are counted, but not moves.
    NoMoveNumber,
    /// The move number is 0.
    MoveZero,
    /// More than six fields.
    Extra(String),
}

impl What {
    /// Whether there is no position.
    pub const fn is_error(&self) -> bool {
        use What::{Empty, Files, Hidden, Letter, Moves, NoFen, Ranks, Zero};
        matches!(self, Empty | NoFen | Ranks(_) | Files { .. } | Zero | Letter(_) | Hidden | Moves)
    }

    /// Whether a strict reader refuses it. It forgives only that something is missing.
    pub const fn is_strict_error(&self) -> bool {
        !matches!(self, What::NoSide | What::NoMoveNumber)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Empty => f.write_str("there is no FEN"),
            What::NoFen => f.write_str("this is no FEN: ten ranks are divided by `/`"),
            What::Ranks(ranks) => write!(f, "{ranks} ranks, ten are wanted"),
            What::Files { rank, files } => write!(f, "rank {rank} from the top has {files} files, nine are wanted"),
            What::Zero => f.write_str("`0` empty points"),
            What::Letter(letter) => write!(f, "`{}` is no piece: write K A B N R C P", letter.escape_default()),
            What::Hidden => f.write_str("`x` is a hidden piece of jieqi, another game"),
            What::Moves => f.write_str("moves follow only after `position fen …`"),
            What::NoSide => f.write_str("nothing says whose turn it is: taken for red's"),
            What::Side(text) => write!(f, "`{}` is no side: taken for red's turn", text.escape_default()),
            What::OtherLetter(letter, piece) => write!(f, "`{letter}` is taken for a {}", piece.name()),
            What::Digits => f.write_str("two numbers of empty points side by side: they are added"),
            What::Unused(text) => write!(f, "`{}` means nothing in xiangqi, where `-` stands", text.escape_default()),
            What::Counter(text) => write!(f, "`{}` is no number: taken for none", text.escape_default()),
            What::NoMoveNumber => f.write_str("no number of the move: taken for 1"),
            What::MoveZero => f.write_str("the first move has number 1, not 0"),
            What::Extra(text) => write!(f, "`{}` after the sixth field", text.escape_default()),
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at column {}", self.what, self.column)
    }
}

impl std::error::Error for Remark {}

/// How a FEN is read.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct FenOptions {
    /// Refuse what is not to the letter.
    pub strict: bool,
    /// Take the letters G, M and S of other programs for advisors, elephants and pawns.
    pub other_letters: bool,
}

impl From<Board> for Fen {
    /// A position with no move played.
    fn from(board: Board) -> Fen {
        Fen { board, halfmove: 0, fullmove: 1 }
    }
}

impl Fen {
    /// The start of a game.
    pub fn start() -> Fen {
        Board::start().into()
    }

    /// Reads a FEN and remarks on what is unusual in it.
    ///
    /// Fields are divided by blanks, `_` or `%20`; all but the board may be missing. `H` and `E` are `N` and `B`;
    /// `b` or `B` says that Black is to move, anything else that Red is, and whether that is `w` or `r` in any case is
    /// remarked. Whether the board can be of a game is not asked, see [`Board::faults`].
    ///
    /// # Errors
    /// The first remark that is an error, or with `strict` a [strict error](What::is_strict_error).
    pub fn read(text: &str, options: FenOptions) -> Result<(Fen, Vec<Remark>), Remark> {
        let mut reader = Reader { options, remarks: Vec::new() };
        let fields = fields(text);
        let Some((column, ranks)) = fields.first() else { return Err(Remark { column: 1, what: What::Empty }) };
        let mut board = reader.board(*column, ranks)?;
        let end = text.trim_end().chars().count() + 1;
        match fields.get(1) {
            None => reader.tell(end, What::NoSide)?,
            Some((_, "w" | "W" | "r" | "R")) => {}
            Some((_, "b" | "B")) => board.set_to_move(Side::Second),
            Some((column, side)) if side.eq_ignore_ascii_case("moves") => reader.tell(*column, What::Moves)?,
            Some((column, side)) => reader.tell(*column, What::Side((*side).into()))?,
        }
        for (column, field) in fields.iter().skip(2).take(2).filter(|(_, field)| *field != "-") {
            let is_moves = field.eq_ignore_ascii_case("moves");
            reader.tell(*column, if is_moves { What::Moves } else { What::Unused((*field).into()) })?;
        }
        let halfmove = reader.counter(fields.get(4))?;
        let fullmove = reader.counter(fields.get(5))?;
        match (fullmove, fields.get(5)) {
            (Some(0), Some((column, _))) => reader.tell(*column, What::MoveZero)?,
            (None, None) if halfmove.is_some() => reader.tell(end, What::NoMoveNumber)?,
            _ => {}
        }
        if let Some((column, field)) = fields.get(6) {
            let is_moves = field.eq_ignore_ascii_case("moves");
            reader.tell(*column, if is_moves { What::Moves } else { What::Extra((*field).into()) })?;
        }
        Ok((Fen { board, halfmove: halfmove.unwrap_or(0), fullmove: fullmove.unwrap_or(1) }, reader.remarks))
    }

    /// The column of a text of a FEN that speaks of a point of the board, counted from 1; `None` if none does.
    pub fn column(text: &str, point: Point) -> Option<usize> {
        let fields = fields(text);
        let (start, ranks) = fields.first()?;
        let (mut x, mut y) = (0, 0);
        for (column, sign) in (*start..).zip(ranks.chars()) {
            let width = match sign {
                '/' => {
                    (x, y) = (0, y + 1);
                    continue;
                }
                digit => digit.to_digit(10).unwrap_or(1),
            };
            if y == point.y() && (x..x + width).contains(&u32::from(point.x())) {
                return Some(column);
            }
            x += width;
        }
        None
    }

    /// Moves a piece, legal or not, and counts the ply.
    ///
    /// # Panics
    /// A point is off the board.
    pub fn play_unchecked(&mut self, step: Step) {
        let is_capture = self.board.piece(step.to).is_some();
        self.halfmove = if is_capture { 0 } else { self.halfmove.saturating_add(1) };
        if self.board.to_move() == Side::Second {
            self.fullmove = self.fullmove.saturating_add(1);
        }
        self.board.play_unchecked(step);
    }
}

impl fmt::Display for Fen {
    /// Six fields: `N` and `B` for horses and elephants, `w` or `b`, the counters as they are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(80);
        for y in 0..HEIGHT {
            let mut empty = 0;
            for x in 0..WIDTH {
                match Point::new(x, y).and_then(|point| self.board.piece(point)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            text.push(char::from(b'0' + empty));
                        }
                        empty = 0;
                        text.push(piece.letter());
                    }
                }
            }
            if empty > 0 {
                text.push(char::from(b'0' + empty));
            }
            if y + 1 < HEIGHT {
                text.push('/');
            }
        }
        let side = if self.board.to_move() == Side::First { 'w' } else { 'b' };
        write!(f, "{text} {side} - - {} {}", self.halfmove, self.fullmove)
    }
}

struct Reader {
    options: FenOptions,
    remarks: Vec<Remark>,
}

impl Reader {
    fn tell(&mut self, column: usize, what: What) -> Result<(), Remark> {
        let is_error = what.is_error() || self.options.strict && what.is_strict_error();
        let remark = Remark { column, what };
        if is_error {
            return Err(remark);
        }
        self.remarks.push(remark);
        Ok(())
    }

    fn board(&mut self, start: usize, text: &str) -> Result<Board, Remark> {
        if !text.contains('/') {
            self.tell(start, What::NoFen)?;
        }
        let mut board = Board::empty();
        let (mut x, mut y, mut is_after_digit) = (0_usize, 0_usize, false);
        let mut column = start;
        let end_of_rank = |reader: &mut Reader, column, rank, files| match files {
            9 => Ok(()),
            files => reader.tell(column, What::Files { rank, files }),
        };
        for sign in text.chars() {
            match sign {
                '/' => {
                    end_of_rank(self, column, y + 1, x)?;
                    (x, y) = (0, y + 1);
                }
                '0' => self.tell(column, What::Zero)?,
                '1'..='9' => {
                    if is_after_digit {
                        self.tell(column, What::Digits)?;
                    }
                    x += sign as usize - '0' as usize;
                }
                _ => {
                    let piece = self.piece(column, sign)?;
                    let point = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| Point::new(x, y));
                    if let Some(point) = point {
                        board.put(point, Some(piece));
                    }
                    x += 1;
                }
            }
            is_after_digit = sign.is_ascii_digit();
            column += 1;
        }
        end_of_rank(self, column, y + 1, x)?;
        if y + 1 != usize::from(HEIGHT) {
            self.tell(column, What::Ranks(y + 1))?;
        }
        Ok(board)
    }

    fn piece(&mut self, column: usize, letter: char) -> Result<Piece, Remark> {
        if let Some(piece) = Piece::from_letter(letter) {
            return Ok(piece);
        }
        let known = match letter.to_ascii_uppercase() {
            'G' => 'A',
            'M' => 'B',
            'S' => 'P',
            _ => letter,
        };
        let known = if letter.is_ascii_uppercase() { known } else { known.to_ascii_lowercase() };
        match Piece::from_letter(known) {
            Some(piece) if self.options.other_letters => {
                self.tell(column, What::OtherLetter(letter, piece))?;
                Ok(piece)
            }
            _ if matches!(letter, 'x' | 'X') => Err(Remark { column, what: What::Hidden }),
            _ => Err(Remark { column, what: What::Letter(letter) }),
        }
    }

    fn counter(&mut self, field: Option<&(usize, &str)>) -> Result<Option<u32>, Remark> {
        let Some((column, field)) = field else { return Ok(None) };
        match field.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) if field.eq_ignore_ascii_case("moves") => self.tell(*column, What::Moves).map(|()| None),
            Err(_) => self.tell(*column, What::Counter((*field).into())).map(|()| None),
        }
    }
}

/// The fields of a text with the column where each begins.
fn fields(text: &str) -> Vec<(usize, &str)> {
    let mut fields = Vec::new();
    let mut start: Option<(usize, usize)> = None;
    let mut skip = 0;
    for (column, (at, sign)) in (1..).zip(text.char_indices()) {
        let is_break = sign.is_whitespace() || sign == '_' || text[at..].starts_with("%20");
        if is_break {
            skip = if sign == '%' { 3 } else { 1 };
            fields.extend(start.take().map(|(column, from)| (column, &text[from..at])));
        }
        if skip > 0 {
            skip -= 1;
        } else if start.is_none() {
            start = Some((column, at));
        }
    }
    fields.extend(start.map(|(column, from)| (column, &text[from..])));
    fields
}

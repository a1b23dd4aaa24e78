//! How moves of xiangqi are written, in both directions.
//!
//! ICCS and UCI name the two points. SAN names the piece and where it goes. WXF and Chinese name the piece, its file as its player counts them from the right,
//! and how far or where it goes, so that a board is needed to read them.

mod chinese;
mod points;
mod san;
mod sight;
mod wording;
mod wxf;

use super::fault::iccs;
use super::{Board, PlayError};
use crate::Step;
pub use sight::{Mixed, Sight};
use std::fmt;
use std::str::FromStr;
use wording::{Found, Signs};

/// A way to write moves.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Style {
    /// Two points, files a to i from Red's left, ranks 0 to 9 from Red: `h2e2`. UCCI writes so.
    Iccs,
    /// The same with ranks 1 to 10: `h3e3`, `b10c8`.
    Uci10,
    /// `C2=5`, `P++1`, `15=6`.
    Wxf,
    /// `炮二平五`, `前兵进一`, `马８进７`.
    Chinese,
    /// The same in traditional characters: `馬８進７`.
    ChineseTraditional,
    /// WinBoard's, with ranks 0 to 9: `Che2`, `Hg7`, `A9e8`, `Rxa9`. It is only read.
    San,
}

impl Style {
    /// All ways that are written.
    pub const ALL: [Style; 5] = [Style::Iccs, Style::Uci10, Style::Wxf, Style::Chinese, Style::ChineseTraditional];

    /// The name used on the command line, where it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Style::Iccs => "iccs",
            Style::Uci10 => "uci10",
            Style::Wxf => "wxf",
            Style::Chinese => "chinese",
            Style::ChineseTraditional => "traditional",
            Style::San => "san",
        }
    }
}

impl FromStr for Style {
    type Err = String;

    fn from_str(text: &str) -> Result<Style, String> {
        let found = Style::ALL.into_iter().find(|style| style.name() == text);
        found.ok_or_else(|| format!("`{text}` is not a notation: write iccs, uci10, wxf, chinese or traditional"))
    }
}

/// Why a text is no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotationError {
    /// The text is not of the notation.
    Unread {
        /// The text, cut if it is long.
        text: String,
    },
    /// No piece can do it.
    Illegal {
        /// The text.
        text: String,
        /// The step it would be and what is against it, where the text leaves one.
        why: Option<(Step, PlayError)>,
    },
    /// Two legal moves fit the text.
    Ambiguous {
        /// The text.
        text: String,
        /// The first two of them.
        steps: [Step; 2],
    },
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write_step = |step: Step| format!("{}{}", iccs(step.from), iccs(step.to));
        match self {
            NotationError::Unread { text } => write!(f, "`{}` is no move", text.escape_debug()),
            NotationError::Illegal { text, why: None } => {
                write!(f, "`{}` cannot be played: no piece does that", text.escape_debug())
            }
            NotationError::Illegal { text, why: Some((step, why)) } => match why {
                PlayError::OffBoard => write!(f, "`{}` cannot be played: {why}", text.escape_debug()),
                _ => write!(f, "`{}` ({}) cannot be played: {why}", text.escape_debug(), write_step(*step)),
            },
            NotationError::Ambiguous { text, steps: [one, other] } => {
                let (one, other) = (write_step(*one), write_step(*other));
                write!(f, "`{}` may be {one} or {other}", text.escape_debug())
            }
        }
    }
}

impl std::error::Error for NotationError {}

/// Reads a move of the side to move; where no style is given, by sight of the text alone.
///
/// By sight `h2e2` is ICCS unless a rank is 10: for a text of many moves see [`Sight`]. Both Chinese styles read the
/// characters of both, full-width and other digits, and old forms of five characters. Blanks within the text do not
/// matter, nor do `!`, `?`, `+` and `#` after it.
///
/// # Errors
/// The text is no move, is of no legal move, or fits two.
pub fn read(board: &Board, text: &str, style: Option<Style>) -> Result<Step, NotationError> {
    let quoted = || {
        let text = text.trim();
        let cut = text.char_indices().nth(24).map_or(text.len(), |(at, _)| at);
        text[..cut].to_owned()
    };
    let Some(signs) = Signs::of(text) else { return Err(NotationError::Unread { text: quoted() }) };
    let style = style.or_else(|| sight::of(&signs));
    let found = match style {
        Some(Style::Iccs) => points::read(board, &signs, 0),
        Some(Style::Uci10) => points::read(board, &signs, 1),
        Some(Style::Wxf) => wxf::read(board, &signs),
        Some(Style::Chinese | Style::ChineseTraditional) => chinese::read(board, &signs),
        Some(Style::San) => san::read(board, &signs),
        None => Found::Unread,
    };
    match found {
        Found::One(step) => Ok(step),
        Found::Unread => Err(NotationError::Unread { text: quoted() }),
        Found::Illegal(why) => Err(NotationError::Illegal { text: quoted(), why }),
        Found::Two(steps) => Err(NotationError::Ambiguous { text: quoted(), steps }),
    }
}

/// Writes a move of a piece of the board, before it is played.
///
/// What WXF and Chinese cannot say, since nothing stands there or no such piece goes so, is written as ICCS, and all
/// that is asked for in SAN.
pub fn write(board: &Board, step: Step, style: Style) -> String {
    let words = match style {
        Style::Iccs | Style::San => None,
        Style::Uci10 => Some(points::write(step, 1)),
        Style::Wxf => wxf::write(board, step),
        Style::Chinese => chinese::write(board, step, false),
        Style::ChineseTraditional => chinese::write(board, step, true),
    };
    words.unwrap_or_else(|| points::write(step, 0))
}

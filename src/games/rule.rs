use crate::{Coords, Size};
use std::fmt;
use std::str::FromStr;

/// Which game a record or a position belongs to.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Game {
    /// Five in a row in all its rules; [`Rule`] says which.
    #[default]
    Gomoku,
    /// Chinese chess.
    Xiangqi,
}

impl Game {
    /// The name used on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Game::Gomoku => "gomoku",
            Game::Xiangqi => "xiangqi",
        }
    }

    /// How people write its points.
    pub const fn coords(self) -> Coords {
        match self {
            Game::Gomoku => Coords::A1,
            Game::Xiangqi => Coords::Iccs,
        }
    }

    /// The board where nothing says another: 15x15, or the nine files and ten ranks of xiangqi.
    pub fn board(self) -> Size {
        match self {
            Game::Gomoku => Size::default(),
            Game::Xiangqi => Size::XIANGQI,
        }
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Game {
    type Err = String;

    fn from_str(text: &str) -> Result<Game, String> {
        match text {
            "gomoku" => Ok(Game::Gomoku),
            "xiangqi" => Ok(Game::Xiangqi),
            _ => Err(format!("`{text}` is not a game: write gomoku or xiangqi")),
        }
    }
}

/// What wins a game of five in a row.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Five or more in a row.
    Freestyle,
    /// Exactly five in a row.
    Standard,
    /// Exactly five for Black, who has forbidden points; five or more for White.
    Renju,
    /// Five that is not blocked by stones at both ends.
    Caro,
}

impl Rule {
    /// Every rule, in the order of their names here.
    pub const ALL: [Rule; 4] = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro];

    /// The name used on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = String;

    /// The name in any case.
    fn from_str(text: &str) -> Result<Rule, String> {
        Rule::ALL
            .into_iter()
            .find(|rule| text.eq_ignore_ascii_case(rule.name()))
            .ok_or_else(|| format!("`{text}` is not a rule: write freestyle, standard, renju or caro"))
    }
}

/// The rules of a position: its game, and what wins it where that is open.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rules {
    /// Five in a row by a rule.
    Gomoku(Rule),
    /// Chinese chess.
    Xiangqi,
}

impl Rules {
    /// All of them, those of gomoku first.
    pub const ALL: [Rules; 5] = [
        Rules::Gomoku(Rule::Freestyle),
        Rules::Gomoku(Rule::Standard),
        Rules::Gomoku(Rule::Renju),
        Rules::Gomoku(Rule::Caro),
        Rules::Xiangqi,
    ];

    /// The name of the rule of gomoku, or `xiangqi`.
    pub const fn name(self) -> &'static str {
        match self {
            Rules::Gomoku(rule) => rule.name(),
            Rules::Xiangqi => Game::Xiangqi.name(),
        }
    }

    /// The game.
    pub const fn game(self) -> Game {
        match self {
            Rules::Gomoku(_) => Game::Gomoku,
            Rules::Xiangqi => Game::Xiangqi,
        }
    }

    /// The rule of gomoku.
    pub const fn gomoku(self) -> Option<Rule> {
        match self {
            Rules::Gomoku(rule) => Some(rule),
            Rules::Xiangqi => None,
        }
    }
}

impl From<Rule> for Rules {
    fn from(rule: Rule) -> Rules {
        Rules::Gomoku(rule)
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rules {
    type Err = String;

    /// The name in any case.
    fn from_str(text: &str) -> Result<Rules, String> {
        let found = Rules::ALL.into_iter().find(|rules| text.eq_ignore_ascii_case(rules.name()));
        found.ok_or_else(|| format!("`{text}` is not a rule: write freestyle, standard, renju, caro or xiangqi"))
    }
}

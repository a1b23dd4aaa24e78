use crate::Game;

/// The player who moves first (Black in gomoku, Red in xiangqi) or second.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// Black in gomoku and renju, Red in xiangqi.
    First,
    /// White in gomoku and renju, Black in xiangqi.
    Second,
}

impl Side {
    /// The opponent.
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// The side that makes the move of this ply, when sides alternate and ply 1 is the first move.
    pub const fn of_ply(ply: usize) -> Side {
        if ply % 2 == 1 { Side::First } else { Side::Second }
    }

    /// What the side is called in a game: `black`, `white`; `red`, `black` in xiangqi.
    pub const fn name(self, game: Game) -> &'static str {
        match (game, self) {
            (Game::Gomoku, Side::First) | (Game::Xiangqi, Side::Second) => "black",
            (Game::Gomoku, Side::Second) => "white",
            (Game::Xiangqi, Side::First) => "red",
        }
    }

    /// The side of this [`Side::name`].
    pub fn from_name(name: &str, game: Game) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|side| side.name(game) == name)
    }
}

use record::Outcome;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

/// The games that were counted: 20 to 40 bytes each.
#[derive(Default)]
pub(crate) struct Seen(HashSet<Game>);

/// The upper 120 bits of a number that tells the game from others, and its result in the lowest.
#[derive(Copy, Clone)]
struct Game(u128);

/// What is known of a game from before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    /// Nothing.
    New,
    /// It was counted.
    Again,
    /// It was counted with another result.
    Differing,
}

impl Game {
    fn number(self) -> u128 {
        self.0 >> 8
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.number() == other.number()
    }
}

impl Eq for Game {}

impl Hash for Game {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number().hash(state);
    }
}

impl Seen {
    /// Takes a game by its number; one that is there already stays as it was.
    pub fn meet(&mut self, number: u128, result: Option<Outcome>) -> Met {
        let game = Game(number & !0xFF | result.map_or(0, |result| 1 + result as u128));
        match self.0.get(&game) {
            Some(before) if before.0 == game.0 => Met::Again,
            Some(_) => Met::Differing,
            None => {
                self.0.insert(game);
                Met::New
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_met_once_whatever_its_result() {
        let mut seen = Seen::default();
        let game = 7 << 100;
        assert_eq!(seen.meet(game, Some(Outcome::First)), Met::New);
        assert_eq!(seen.meet(game, Some(Outcome::First)), Met::Again);
        assert_eq!(seen.meet(game, Some(Outcome::Draw)), Met::Differing);
        assert_eq!(seen.meet(game, None), Met::Differing);
        assert_eq!(seen.meet(8 << 100, None), Met::New);
    }
}

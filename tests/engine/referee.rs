use games::gomoku::{Board, Made, Three, forbidden, made};
use games::{Point, Rule, Side, Size};

/// A game and its rules, apart from the engine.
pub struct Referee {
    pub board: Board,
    pub rule: Rule,
    pub moves: Vec<(Point, Side)>,
    pub to_move: Side,
    /// Somebody has won, or nothing can be played.
    pub is_over: bool,
    pub winner: Option<Side>,
}

impl Referee {
    pub fn new(side: u8, rule: Rule) -> Referee {
        let board = Board::new(Size::square(side).unwrap());
        Referee { board, rule, moves: Vec::new(), to_move: Side::First, is_over: false, winner: None }
    }

    pub fn legal(&self) -> Vec<Point> {
        let is_black = self.rule == Rule::Renju && self.to_move == Side::First;
        let is_legal = |point: &Point| !(is_black && forbidden::is_forbidden(&self.board, *point, Three::Rif));
        self.board.empty_points().filter(is_legal).collect()
    }

    /// Plays a move, which has to be legal.
    pub fn play(&mut self, point: Point) {
        assert!(!self.is_over);
        assert!(self.legal().contains(&point), "{point:?} of {:?} in\n{}", self.to_move, self.board);
        self.board.play(point, self.to_move).unwrap();
        self.moves.push((point, self.to_move));
        if made(&self.board, point, self.to_move, self.rule) == Made::Five {
            self.winner = Some(self.to_move);
        }
        self.to_move = self.to_move.other();
        self.is_over = self.winner.is_some() || self.legal().is_empty();
    }

    pub fn take_back(&mut self) -> Point {
        let (point, side) = self.moves.pop().unwrap();
        self.board.undo(point);
        self.to_move = side;
        self.is_over = false;
        self.winner = None;
        point
    }
}

/// Numbers that are the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    pub fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at + 1));
        }
    }
}

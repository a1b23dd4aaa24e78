use crate::Frame;
use crate::bytes::{Bytes, put};
use crate::combine::{add, in_order, listed};
use crate::row::{self, Row, put_tally};
use record::{Entry, Tally};

/// So much in the lists of an entry waits to be put in order.
const FEW: usize = 1000;

/// What the rows of one position come to together.
pub(crate) struct Sum {
    /// References to games that are kept, those of the least numbers.
    refs: usize,
    tally: Tally,
    /// The games of each move, in the order in which they came.
    moves: Vec<(u64, Tally)>,
    /// By the place of a move: where it is in `moves`, and 1 more; 0 where it is not.
    slots: Vec<u16>,
    /// All but the games and the moves.
    rest: Entry,
    has_rest: bool,
    in_order_up_to: usize,
}

impl Sum {
    /// Keeps so many references to games; all if it is 0.
    pub fn new(refs: usize) -> Sum {
        Sum {
            refs: if refs == 0 { usize::MAX } else { refs },
            tally: Tally::default(),
            moves: Vec::new(),
            slots: Vec::new(),
            rest: Entry::default(),
            has_rest: false,
            in_order_up_to: FEW,
        }
    }

    /// Forgets what there was; the rows that follow are of this board.
    pub fn clear(&mut self, frame: &Frame) {
        self.tally = Tally::default();
        for (place, _) in self.moves.drain(..) {
            self.slots[place as usize] = 0;
        }
        self.slots.resize(frame.places() as usize + 1, 0);
        self.rest = Entry::default();
        self.has_rest = false;
        self.in_order_up_to = FEW;
    }

    /// Adds a row of our own.
    pub fn add(&mut self, row: &[u8], frame: &Frame) {
        const OURS: &str = "rows are read as they were written";
        let mut row = Row::read(row).expect(OURS);
        self.tally.add(row.tally);
        while let Some((place, tally)) = row.next_move().expect(OURS) {
            match &mut self.slots[place as usize] {
                0 => {
                    self.moves.push((place, tally));
                    self.slots[place as usize] = self.moves.len() as u16;
                }
                slot => self.moves[usize::from(*slot) - 1].1.add(tally),
            }
        }
        let rest = row.rest();
        if rest.is_empty() {
            return;
        }
        let mut entry = Entry::default();
        row::rest(Bytes(rest), &mut entry, frame).expect(OURS);
        if !self.has_rest {
            self.has_rest = true;
            self.rest = entry;
            return;
        }
        add(&mut self.rest, entry);
        if listed(&self.rest) > self.in_order_up_to {
            in_order(&mut self.rest, frame);
            self.rest.games.truncate(self.refs);
            self.in_order_up_to = FEW + 2 * listed(&self.rest);
        }
    }

    /// Writes the row of all of them.
    pub fn put(&mut self, out: &mut Vec<u8>, frame: &Frame) {
        out.clear();
        put_tally(out, self.tally);
        put(out, self.moves.len() as u64);
        self.moves.sort_unstable_by_key(|(place, _)| *place);
        for (place, tally) in &self.moves {
            put(out, *place);
            put_tally(out, *tally);
        }
        if self.has_rest {
            in_order(&mut self.rest, frame);
            self.rest.games.truncate(self.refs);
            row::put_rest(out, &self.rest, frame);
        }
    }
}

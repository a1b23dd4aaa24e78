use crate::error::path_text;
use crate::position::board_text;
use games::{Coords, Side};
use record::{Key, NodeId, Record, StoneKey};
use std::fmt;

/// The loss of what [`record::Once`] tells, in formats that have one place for it.
pub(crate) const AGAIN: &str = "second texts, values, times or turns of a node (left out)";

/// The loss of a part that formats which write a comment in one piece cannot tell from none.
pub(crate) const EMPTY_LINE: &str = "empty one-line parts of comments before a body (left out)";

/// Something a target format cannot say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// What was lost, in the plural and with what became of it: `board texts of passes (left out)`.
    pub what: &'static str,
    /// How many.
    pub count: u64,
    /// Where the first one is: `after h8 h9`, `at the root`, or the name of a tag.
    pub first: String,
    /// The record of the first one, from 1; 0 where they are not counted.
    pub record: u64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, first {}", self.count, self.what, self.first)
    }
}

/// The losses of a file, counted by what was lost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    list: Vec<Loss>,
    record: u64,
}

impl Losses {
    /// Counts a record: what is lost from here on is lost of it.
    pub fn next_record(&mut self) {
        self.record += 1;
    }

    /// Counts a loss at a node.
    pub fn node(&mut self, what: &'static str, record: &Record, node: NodeId) {
        self.push(what, || match node {
            NodeId::ROOT => "at the root".into(),
            _ => format!("after {}", path_text(&record.tree, &record.tree.path(node), record.head.size)),
        });
    }

    /// Counts a loss at a position of a book.
    pub fn position(&mut self, what: &'static str, key: &Key) {
        self.push(what, || format!("at {}", position_text(key)));
    }

    /// As [`Losses::position`], of a position of gomoku.
    pub(crate) fn stones(&mut self, what: &'static str, key: &StoneKey) {
        self.push(what, || format!("at {}", stones_text(key)));
    }

    /// Counts so many losses at positions of a book; `key` is the first.
    pub fn positions(&mut self, what: &'static str, count: u64, key: &Key) {
        self.position(what, key);
        let loss = self.list.iter_mut().find(|loss| loss.what == what).expect("one was just counted");
        loss.count += count - 1;
    }

    /// Counts the loss of a tag or another thing with a name.
    pub fn named(&mut self, what: &'static str, name: &str) {
        self.push(what, || name.into());
    }

    fn push(&mut self, what: &'static str, first: impl FnOnce() -> String) {
        match self.list.iter_mut().find(|loss| loss.what == what) {
            Some(loss) => loss.count += 1,
            None => self.list.push(Loss { what, count: 1, first: first(), record: self.record }),
        }
    }

    /// The losses in the order they were met.
    pub fn list(&self) -> &[Loss] {
        &self.list
    }

    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.list.iter().map(|loss| loss.count).sum()
    }

    /// Whether everything was said.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The stones of a position, or its pieces as a FEN.
pub(crate) fn position_text(key: &Key) -> String {
    match key {
        Key::Gomoku(stones) => stones_text(stones),
        Key::Xiangqi(board) => board_text(board),
    }
}

/// The stones of a position as `h8 j9 / i9, second to move`, the first player's before the bar.
pub(crate) fn stones_text(key: &StoneKey) -> String {
    let stones = |side: Side| {
        let stones = key.stones.iter().filter(|(_, of)| *of == side);
        stones.map(|(point, _)| Coords::A1.text(*point, key.size)).collect::<Vec<_>>().join(" ")
    };
    let to_move = if key.to_move == Side::First { "first" } else { "second" };
    if key.stones.is_empty() {
        return format!("the empty board, {to_move} to move");
    }
    let text = format!("{} / {}, {to_move} to move", stones(Side::First), stones(Side::Second));
    text.trim_start().replace("/ ,", "/,")
}

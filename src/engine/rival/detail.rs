use super::Eval;
use super::gomocup::pair;
use super::remark::number;
use games::{Coords, Point, Size};
use std::collections::BTreeMap;

/// More lines than these no engine is asked for.
const MOST: usize = 400;

/// What an engine of the family of Yixin and Rapfi says of the lines of a search after `INFO show_detail 2` or 3.
///
/// A block a line and a depth, the best line first; an engine says more keys than these, and leaves some out:
///
/// ```text
/// INFO PV 0
/// INFO NUMPV 2
/// INFO DEPTH 8
/// INFO NODES 1234
/// INFO TOTALNODES 4321
/// INFO EVAL -30              +M5 for a win in five plies, -M4 for a loss in four
/// INFO BESTLINE 7,6 8,8      or H9 I7, with row 1 at the top
/// INFO PV DONE
/// ```
#[derive(Default)]
pub(super) struct Detail {
    /// The latest whole block of each line.
    blocks: BTreeMap<usize, Block>,
    /// The block that is being said.
    open: Option<(usize, Block)>,
    said: usize,
    nodes: Option<u64>,
    /// It answered something with an error, or did not know it.
    pub refused: bool,
}

/// A block.
#[derive(Clone, Default)]
struct Block {
    depth: Option<u16>,
    eval: Option<Eval>,
    moves: String,
    /// Its number among all that were said.
    at: usize,
}

/// A line as an engine judges it, from the view of the side that plays its first move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Said {
    pub moves: Vec<Point>,
    pub eval: Option<Eval>,
    pub depth: Option<u16>,
}

impl Detail {
    /// Takes in what a line of output says.
    pub fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
        self.refused |= is(first, "unknown") || is(first, "error");
        if !is(first, "info") {
            return;
        }
        let (key, value) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if is(key, "pv") {
            if is(value, "done") {
                self.close();
            } else {
                let at = value.parse().ok().filter(|at| *at < MOST);
                self.open = at.map(|at| (at, Block::default()));
            }
            return;
        }
        let Some((_, block)) = &mut self.open else { return };
        if is(key, "depth") {
            block.depth = value.parse().ok();
        } else if is(key, "eval") {
            block.eval = Eval::read(value);
        } else if is(key, "nodes") || is(key, "totalnodes") {
            self.nodes = self.nodes.max(number(value));
        } else if is(key, "bestline") {
            let moves = [value].into_iter().chain(words);
            block.moves = moves.collect::<Vec<_>>().join(" ");
        }
    }

    fn close(&mut self) {
        if let Some((at, mut block)) = self.open.take()
            && !block.moves.is_empty()
        {
            self.said += 1;
            block.at = self.said;
            self.blocks.insert(at, block);
        }
    }

    /// Whether there was any block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The nodes of the search.
    pub const fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// The lines in the engine's order, of those with one first move the one that was said last.
    ///
    /// Letters are read so that a line begins with `played`, the move of the engine's answer; where none does, there
    /// are no lines.
    pub fn lines(&self, played: Point, size: Size) -> Vec<Said> {
        for reading in [as_numbers, from_the_top, from_the_bottom] {
            let read = |block: &Block| {
                let moves = block.moves.split(' ').map_while(|word| reading(word, size)).collect();
                (block.at, Said { moves, eval: block.eval, depth: block.depth })
            };
            let lines: Vec<(usize, Said)> =
                self.blocks.values().map(read).filter(|(_, said)| !said.moves.is_empty()).collect();
            if lines.iter().any(|(_, said)| said.moves[0] == played) {
                let is_last = |(at, said): &(usize, Said)| {
                    lines.iter().all(|(other, one)| one.moves[0] != said.moves[0] || other <= at)
                };
                return lines.iter().filter(|line| is_last(line)).map(|(_, said)| said.clone()).collect();
            }
        }
        Vec::new()
    }
}

fn as_numbers(word: &str, size: Size) -> Option<Point> {
    let (x, y) = pair(word)?;
    let point = Point::new(u8::try_from(x).ok()?, u8::try_from(y).ok()?)?;
    size.contains(point).then_some(point)
}

fn from_the_top(word: &str, size: Size) -> Option<Point> {
    Coords::Rapfi.parse(word, size)
}

fn from_the_bottom(word: &str, size: Size) -> Option<Point> {
    Coords::A1.parse(word, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail(text: &str) -> Detail {
        let mut detail = Detail::default();
        text.lines().for_each(|line| detail.read(line));
        detail
    }

    fn block(at: usize, depth: u16, eval: &str, moves: &str) -> String {
        format!("INFO PV {at}\nINFO DEPTH {depth}\nINFO EVAL {eval}\nINFO BESTLINE {moves}\nINFO PV DONE\n")
    }

    type Numbers = Vec<(u8, u8)>;

    fn lines(text: &str, played: (u8, u8)) -> Vec<(Numbers, Option<Eval>)> {
        let played = Point::new(played.0, played.1).unwrap();
        let lines = detail(text).lines(played, Size::default());
        let numbers = |said: Said| (said.moves.iter().map(|point| (point.x(), point.y())).collect(), said.eval);
        lines.into_iter().map(numbers).collect()
    }

    #[test]
    fn the_last_block_of_a_line_counts() {
        let text = block(0, 4, "12", "7,6 8,8") + &block(1, 4, "-M4", "6,6") + &block(0, 5, "+M3", "7,6 8,9 1,1");
        assert_eq!(
            lines(&text, (7, 6)),
            [(vec![(7, 6), (8, 9), (1, 1)], Some(Eval::Wins(3))), (vec![(6, 6)], Some(Eval::Loses(4)))]
        );
        // The second line has become the first, and the search ended before there was another second one.
        let text = block(0, 4, "12", "7,6") + &block(1, 4, "9", "6,6") + &block(0, 5, "20", "6,6 1,1");
        assert_eq!(lines(&text, (6, 6)), [(vec![(6, 6), (1, 1)], Some(Eval::Points(20)))]);
        assert_eq!(lines(&text, (3, 3)), []);
    }

    #[test]
    fn letters_are_read_so_that_they_fit_the_move() {
        let text = block(0, 4, "12", "H5 I4") + &block(1, 4, "3", "A1");
        let read = |played| lines(&text, played).into_iter().map(|(moves, _)| moves).collect::<Vec<_>>();
        assert_eq!(read((7, 4)), [vec![(7, 4), (8, 3)], vec![(0, 0)]]);
        assert_eq!(read((7, 10)), [vec![(7, 10), (8, 11)], vec![(0, 14)]]);
        assert!(read((7, 7)).is_empty());
    }

    #[test]
    fn what_is_no_block_is_passed_over() {
        let whole = block(0, 4, "12", "7,6");
        // Not ended, without a beginning, without moves, of a line that nobody asks for.
        for text in [
            &whole[..whole.len() - 13],
            "INFO BESTLINE 7,6\nINFO PV DONE",
            "INFO PV 0\nINFO EVAL 3\nINFO PV DONE",
            "INFO PV 99999999999\nINFO BESTLINE 7,6\nINFO PV DONE",
            "INFO PV -1\nINFO BESTLINE 7,6\nINFO PV DONE",
            "INFO PV",
            "INFO",
            "",
        ] {
            assert!(detail(text).is_empty(), "{text}");
        }
        assert_eq!(lines(&block(0, 4, "x", "7,6 99,99 1,1"), (7, 6)), [(vec![(7, 6)], None)]);
        assert!(detail("UNKNOWN command").refused && detail("ERROR what").refused && !detail(&whole).refused);
        let nodes = "INFO PV 0\nINFO NODES 12\nINFO TOTALNODES 3400\nINFO BESTLINE 7,6\nINFO PV DONE";
        assert_eq!(detail(nodes).nodes(), Some(3400));
    }
}

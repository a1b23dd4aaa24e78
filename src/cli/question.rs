use super::diagram::Diagram;
use anyhow::{Context, Result, anyhow, bail};
use games::{Game, Move, Point, Rule, Side, Size, gomoku};
use record::{Head, NodeId, Note, Play, Record, TreeBuilder};

/// A position that the engine is asked about.
pub struct Question {
    /// The rule.
    pub rule: Rule,
    /// The stones.
    pub stones: gomoku::Board,
    /// Whose turn it is.
    pub to_move: Side,
    /// The moves that led there, after the set-up.
    pub played: Vec<(Move, Side)>,
    setup: Vec<(Point, Side)>,
}

impl Question {
    /// The position at a node; `rule` is for where the record says none.
    pub fn new(record: &Record, node: NodeId, rule: Option<Rule>) -> Result<Question> {
        if record.head.game != Game::Gomoku {
            bail!("this is a position of {}: the engine plays gomoku", record.head.game);
        }
        let rule = record.head.rule.or(rule).context("nothing says the rule: name it with --rule")?;
        let diagram = Diagram::new(record, node);
        let tree = &record.tree;
        let played = tree.path(node).into_iter().filter_map(|node| match tree.play(node) {
            Play::Move(played) => Some((played, tree.side(node))),
            _ => None,
        });
        let played: Vec<(Move, Side)> = played.collect();
        let stones = || diagram.stones.iter().map(|stone| (stone.point, stone.side));
        let board = gomoku::Board::with_stones(diagram.size, stones()).expect("a point has one stone");
        // Moves that do not give these stones, such as one on a stone, are not told: the stones alone are.
        let setup: Vec<(Point, Side)> =
            diagram.stones.iter().filter(|stone| stone.ply.is_none()).map(|stone| (stone.point, stone.side)).collect();
        let places = played.iter().filter_map(|(played, side)| played.point().map(|point| (point, *side)));
        let replayed = gomoku::Board::with_stones(diagram.size, setup.iter().copied().chain(places));
        let (setup, played) = if replayed == Ok(board) { (setup, played) } else { (stones().collect(), Vec::new()) };
        Ok(Question { rule, stones: board, to_move: diagram.to_move, played, setup })
    }

    /// The board's size.
    pub fn size(&self) -> Size {
        self.stones.size()
    }

    /// The position as a record, with what comes after it.
    pub fn record(&self, after: impl FnOnce(&mut TreeBuilder, usize) -> Result<(), record::Full>) -> Result<Record> {
        let mut builder = TreeBuilder::new();
        let grow = || {
            for (point, side) in &self.setup {
                builder.note(Note::Stone(*point, Some(*side)))?;
            }
            let first = self.played.first().map_or(self.to_move, |(_, side)| *side);
            if !self.setup.is_empty() || first == Side::Second {
                builder.note(Note::ToMove(first))?;
            }
            for (at, (played, side)) in self.played.iter().enumerate() {
                builder.append(at + 1, *side, Play::Move(*played))?;
            }
            after(&mut builder, self.played.len())
        };
        grow().map_err(|full| anyhow!("{full}"))?;
        let head = Head { size: self.size(), rule: Some(self.rule), ..Head::default() };
        Ok(Record { head, tree: builder.build() })
    }
}

/// The rule of the notation, where it has one.
pub fn of_text(text: &str) -> Option<Rule> {
    let head = text.trim().split(':').next().unwrap_or_default();
    ["agi", "opening"].iter().any(|of| head.eq_ignore_ascii_case(of)).then_some(Rule::Renju)
}

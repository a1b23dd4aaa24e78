use games::gomoku::{Board, Kinds, Opening, Three, forbidden};
use games::{Coords, Move, Point, Side, Size};
use record::{NodeId, Note, Play, Record, Shape, Stones, Tree};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A position as it is drawn, whatever draws it.
pub struct Diagram {
    /// The board.
    pub size: Size,
    /// The stones, in the order of the board's points.
    pub stones: Vec<Stone>,
    /// Texts on points: the labels of the position, and the board texts of the moves that follow.
    pub labels: Vec<(Point, String)>,
    /// Signs on points.
    pub signs: Vec<(Point, Shape)>,
    /// Points forbidden to Black, and why; empty where nobody asked.
    pub forbidden: Vec<(Point, Kinds)>,
    /// The move that led here.
    pub last: Option<Move>,
    /// How many moves were played.
    pub ply: usize,
    /// Whose turn it is.
    pub to_move: Side,
    /// The renju opening of the first three stones.
    pub opening: Option<&'static Opening>,
}

/// A stone on the board.
#[derive(Copy, Clone)]
pub struct Stone {
    /// Where.
    pub point: Point,
    /// Whose.
    pub side: Side,
    /// The ply it was played at; none for set-up stones.
    pub ply: Option<usize>,
}

/// Which stones carry numbers.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub enum Numbers {
    /// None.
    #[default]
    Off,
    /// The stones that were played from this ply on, which is number 1.
    From(usize),
}

impl Diagram {
    /// The position at a node.
    pub fn new(record: &Record, node: NodeId) -> Diagram {
        let tree = &record.tree;
        let size = record.head.size;
        let path = tree.path(node);
        let mut stones = Stones::new(size);
        let mut plies = vec![None; usize::from(Point::LIMIT).pow(2)];
        let mut ply = 0;
        let mut after = Side::First;
        for (depth, step) in std::iter::once(&NodeId::ROOT).chain(&path).enumerate() {
            stones.enter(tree, depth, *step);
            for note in tree.notes(*step) {
                // Set-up comes first in the order of notes.
                let Note::Stone(point, _) = note else { break };
                plies[usize::from(point.code())] = None;
            }
            if let Play::Move(played) = tree.play(*step) {
                ply += 1;
                after = tree.side(*step).other();
                if let Move::Place(point) = played {
                    plies[usize::from(point.code())] = Some(ply);
                }
            }
            after = said(tree, *step).unwrap_or(after);
        }
        let stones = size.points().filter_map(|point| {
            let side = stones.get(point)?;
            Some(Stone { point, side, ply: plies[usize::from(point.code())] })
        });
        let stones: Vec<Stone> = stones.collect();
        let first = stones.iter().filter(|stone| stone.ply.is_none_or(|ply| ply <= 3));
        let first: Vec<(Point, Side)> = first.map(|stone| (stone.point, stone.side)).collect();
        let mut labels: Vec<(Point, String)> = Vec::new();
        let mut signs = Vec::new();
        for note in tree.notes(node) {
            match note {
                Note::Label(point, text) => labels.push((point, text.into())),
                Note::Mark(point, shape) => signs.push((point, shape)),
                _ => {}
            }
        }
        // A board text stands on a move's point while the position before the move is shown.
        let board_text = |child| Some((tree.play(child).point()?, tree.text(child)?.to_owned()));
        labels.extend(tree.children(node).filter_map(board_text));
        let next = tree.first_child(node).filter(|child| matches!(tree.play(*child), Play::Move(_)));
        let last = match tree.play(node) {
            Play::Move(last) => Some(last),
            _ => None,
        };
        Diagram {
            size,
            stones,
            labels,
            signs,
            forbidden: Vec::new(),
            last,
            ply,
            to_move: said(tree, node).or(next.map(|child| tree.side(child))).unwrap_or(after),
            opening: Opening::of(&first, size).map(|(opening, _)| opening),
        }
    }

    /// Finds the points that renju forbids to Black.
    pub fn find_forbidden(&mut self, three: Three) {
        let mut board = Board::new(self.size);
        for stone in &self.stones {
            board.play_unchecked(stone.point, stone.side);
        }
        self.forbidden = forbidden::all(&board, three).collect();
    }

    /// The stone on a point.
    pub fn stone(&self, point: Point) -> Option<Stone> {
        let at = self.stones.binary_search_by_key(&point, |stone| stone.point).ok()?;
        Some(self.stones[at])
    }

    /// The text to draw on each point that has any, in the order of the board's points: the first one.
    pub fn texts(&self) -> BTreeMap<Point, &str> {
        let mut texts = BTreeMap::new();
        for (point, text) in &self.labels {
            texts.entry(*point).or_insert(text.as_str());
        }
        texts
    }

    /// The number a stone carries.
    pub fn number(stone: Stone, numbers: Numbers) -> Option<usize> {
        match numbers {
            Numbers::Off => None,
            Numbers::From(first) => stone.ply.filter(|ply| *ply >= first).map(|ply| ply - first + 1),
        }
    }

    /// A point as people say it.
    pub fn name(&self, point: Point) -> String {
        Coords::A1.text(point, self.size)
    }

    /// Rows from the top joined by `/`, of `.`, `X` (first player) and `O`.
    pub fn rows(&self) -> String {
        let mut rows = vec![vec!['.'; usize::from(self.size.width())]; usize::from(self.size.height())];
        for stone in &self.stones {
            let sign = if stone.side == Side::First { 'X' } else { 'O' };
            rows[usize::from(stone.point.y())][usize::from(stone.point.x())] = sign;
        }
        let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
        rows.join("/")
    }

    /// The points with a dot: the centre of a board with odd sides, and the crossings of the fourth lines from
    /// 13x13 on.
    pub fn is_star(&self, point: Point) -> bool {
        let fourth = |at: u8, side: u8| side >= 13 && (at == 3 || at + 4 == side);
        let middle = |at: u8, side: u8| side % 2 == 1 && at == side / 2;
        let (x, y) = (point.x(), point.y());
        let (width, height) = (self.size.width(), self.size.height());
        (fourth(x, width) && fourth(y, height)) || (middle(x, width) && middle(y, height))
    }
}

/// Who moves next by what is written at the node.
fn said(tree: &Tree, node: NodeId) -> Option<Side> {
    tree.notes(node).take_while(|note| matches!(note, Note::Stone(..) | Note::ToMove(_))).find_map(|note| match note {
        Note::ToMove(side) => Some(side),
        _ => None,
    })
}

/// `h8`, `h2e2` in xiangqi, `--` for a pass, `[h8]` for a label-only node, `~` for a node without a move.
pub fn move_name(tree: &Tree, node: NodeId, size: Size) -> String {
    match tree.play(node) {
        Play::Move(Move::Place(point)) => Coords::A1.text(point, size),
        Play::Move(Move::Step(step)) => step.to_string(),
        Play::Move(Move::Pass) => "--".into(),
        Play::Label(point) => format!("[{}]", Coords::A1.text(point, size)),
        Play::Nothing => "~".into(),
    }
}

/// `D4 Kagetsu, flower moon, 花月`.
pub fn opening_name(opening: &Opening) -> String {
    format!("{} {}, {}, {}", opening.code, opening.romaji(), opening.meaning().to_lowercase(), opening.chinese())
}

/// An opening in JSON.
pub fn opening_object(opening: &Opening) -> Value {
    json!({
        "code": opening.code, "romaji": opening.romaji(), "meaning": opening.meaning(), "ja": opening.japanese(),
        "zh": opening.chinese(), "ru": opening.russian(), "renjunet": opening.renjunet,
    })
}

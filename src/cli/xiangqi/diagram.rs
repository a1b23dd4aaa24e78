use crate::cli::terminal::JSON;
use clap::ValueEnum;
use games::xiangqi::notation::{Style, write};
use games::xiangqi::{Board, Fen, FenOptions, Kind, Piece, Remark, side_name};
use games::{Coords, Move, Point, Side, Size, Step};
use record::{NodeId, Note, Play, Record, Shape};
use serde_json::{Value, json};

/// How pieces are drawn.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Pieces {
    /// Letters of FEN, Red in capitals
    Letters,
    /// Simplified characters
    Chinese,
    /// Traditional characters
    Traditional,
}

impl Pieces {
    /// The sign of a piece. No two pieces share one, so that a board is read without colours.
    pub const fn sign(self, piece: Piece) -> char {
        match (self, piece.side, piece.kind) {
            (Pieces::Letters, ..) => piece.letter(),
            (Pieces::Chinese, Side::First, Kind::King) => '帅',
            (Pieces::Chinese, Side::First, Kind::Horse) => '马',
            (Pieces::Chinese, Side::First, Kind::Rook) => '车',
            (Pieces::Chinese, Side::Second, Kind::King) => '将',
            (_, Side::First, Kind::King) => '帥',
            (_, Side::First, Kind::Advisor) => '仕',
            (_, Side::First, Kind::Elephant) => '相',
            (_, Side::First, Kind::Horse) => '傌',
            (_, Side::First, Kind::Rook) => '俥',
            (_, Side::First, Kind::Cannon) => '炮',
            (_, Side::First, Kind::Pawn) => '兵',
            (_, Side::Second, Kind::King) => '將',
            (_, Side::Second, Kind::Advisor) => '士',
            (_, Side::Second, Kind::Elephant) => '象',
            (_, Side::Second, Kind::Horse) => '馬',
            (_, Side::Second, Kind::Rook) => '車',
            (_, Side::Second, Kind::Cannon) => '砲',
            (_, Side::Second, Kind::Pawn) => '卒',
        }
    }

    /// What is written in the river, on its left and on its right half.
    pub const fn river(self) -> [&'static str; 2] {
        match self {
            Pieces::Letters => ["", ""],
            Pieces::Chinese => ["楚河", "汉界"],
            Pieces::Traditional => ["楚河", "漢界"],
        }
    }

    /// The notation that goes with them.
    pub const fn style(self) -> Style {
        match self {
            Pieces::Letters => Style::Iccs,
            Pieces::Chinese => Style::Chinese,
            Pieces::Traditional => Style::ChineseTraditional,
        }
    }
}

/// A position of xiangqi as it is drawn, whatever draws it.
pub struct Diagram {
    /// The pieces, and the counters of FEN.
    pub fen: Fen,
    /// Where the record begins.
    pub start: Fen,
    /// The moves that lead here, each with the board before it; `None` is a pass.
    pub moves: Vec<(Option<Step>, Board)>,
    /// The moves that follow in the record.
    pub next: Vec<Option<Step>>,
    /// Texts on points.
    pub labels: Vec<(Point, String)>,
    /// Signs on points.
    pub signs: Vec<(Point, Shape)>,
}

impl Diagram {
    /// The position at a node.
    ///
    /// # Errors
    /// What cannot be read in the tag `FEN`.
    pub fn new(record: &Record, node: NodeId) -> Result<Diagram, Remark> {
        let tree = &record.tree;
        let start = match record.head.fen() {
            None => Fen::start(),
            Some(text) => Fen::read(text, FenOptions { strict: false, other_letters: true })?.0,
        };
        let mut fen = start.clone();
        let mut moves = Vec::new();
        for step in tree.path(node) {
            let before = fen.board.clone();
            match tree.play(step) {
                Play::Move(Move::Step(step)) => {
                    fen.play_unchecked(step);
                    moves.push((Some(step), before));
                }
                Play::Move(Move::Pass) => {
                    fen.board.set_to_move(fen.board.to_move().other());
                    moves.push((None, before));
                }
                Play::Move(Move::Place(_)) | Play::Label(_) | Play::Nothing => {}
            }
        }
        let mut labels: Vec<(Point, String)> = Vec::new();
        let mut signs = Vec::new();
        for note in tree.notes(node) {
            match note {
                Note::Label(point, text) => labels.push((point, text.into())),
                Note::Mark(point, shape) => signs.push((point, shape)),
                _ => {}
            }
        }
        let mut next = Vec::new();
        for child in tree.children(node) {
            match tree.play(child) {
                Play::Move(Move::Step(step)) => {
                    // A board text stands where the move goes while the position before it is shown.
                    labels.extend(tree.text(child).map(|text| (step.to, text.into())));
                    next.push(Some(step));
                }
                Play::Move(Move::Pass) => next.push(None),
                _ => {}
            }
        }
        Ok(Diagram { fen, start, moves, next, labels, signs })
    }

    /// The board.
    pub const fn board(&self) -> &Board {
        &self.fen.board
    }

    /// The move that led here, if it is one of a piece.
    pub fn last(&self) -> Option<Step> {
        self.moves.last().and_then(|(step, _)| *step)
    }

    /// The moves that lead here, as people write them.
    pub fn spelled(&self, style: Style) -> Vec<String> {
        self.moves.iter().map(|(step, before)| spell(before, *step, style)).collect()
    }

    /// The moves that follow, as people write them.
    pub fn spelled_next(&self, style: Style) -> Vec<String> {
        self.next.iter().map(|step| spell(self.board(), *step, style)).collect()
    }

    /// What is to be said of the king of the side to move: `in check`, `checkmated`, `stalemated`.
    pub fn peril(&self) -> Option<&'static str> {
        let board = self.board();
        match (board.has_moves(), board.is_check()) {
            _ if board.king(board.to_move()).is_none() => None,
            (true, true) => Some("in check"),
            (false, true) => Some("checkmated"),
            (false, false) => Some("stalemated"),
            (true, false) => None,
        }
    }

    /// The position and its place in the record, in JSON; `style` is how moves are spelled beside ICCS.
    pub fn object(&self, input: &str, record: &Record, node: NodeId, style: Style) -> Value {
        let (head, tree) = (&record.head, &record.tree);
        let point = |at: &Point| Coords::Iccs.text(*at, Size::XIANGQI);
        let labels: Vec<Value> =
            self.labels.iter().map(|(at, text)| json!({"point": point(at), "text": text})).collect();
        let signs: Vec<Value> =
            self.signs.iter().map(|(at, shape)| json!({"point": point(at), "shape": shape.name()})).collect();
        let last = self.moves.last().map(|(step, before)| {
            let captured = step.and_then(|step| before.piece(step.to));
            json!({
                "move": spell(before, *step, Style::Iccs), "spelled": spell(before, *step, style),
                "from": step.map(|step| point(&step.from)), "to": step.map(|step| point(&step.to)),
                "captured": captured.map(|piece| piece.letter().to_string()),
            })
        });
        json!({
            "kifu": JSON, "input": input, "game": "xiangqi", "red": head.tag("Red"), "black": head.tag("Black"),
            "result": head.result.map(|result| result.text()), "start": self.start.to_string(),
            "fen": self.fen.to_string(), "side": side_name(self.board().to_move()), "ply": self.moves.len(),
            "check": self.board().is_check(), "state": self.peril(), "last": last,
            "moves": self.spelled(Style::Iccs), "spelled": self.spelled(style),
            "next": self.spelled_next(Style::Iccs), "next_spelled": self.spelled_next(style),
            "labels": labels, "signs": signs, "line": tree.line(node), "body": tree.body(node),
        })
    }
}

fn spell(before: &Board, step: Option<Step>, style: Style) -> String {
    step.map_or_else(|| "--".into(), |step| write(before, step, style))
}

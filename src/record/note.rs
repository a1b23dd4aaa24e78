use games::{Point, Side};

/// Something written at a node.
///
/// The notes of a node are kept in the order of the variants here, and in the order they were added
/// within a variant.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Note<'a> {
    /// A stone that stands without having been played, or `None`: a point made empty.
    Stone(Point, Option<Side>),
    /// Whose turn it is, where the file says it apart from the moves.
    ToMove(Side),
    /// A value of the position after the move, from the first player's view.
    Value(Value),
    /// Time used for the move, in milliseconds.
    Time(u32),
    /// The one-line part of the comment.
    Line(&'a str),
    /// The part of the comment that has many lines.
    Body(&'a str),
    /// RenLib's board text: shown at the node's own point while the position before the move is on the board.
    Text(&'a str),
    /// A text on a point of the position after the move.
    Label(Point, &'a str),
    /// A sign on a point of the position after the move.
    Mark(Point, Shape),
    /// What the format knows and the record does not, kept as the file has it: name, value.
    Property(&'a str, &'a str),
    /// The bytes of a text that does not encode back to them; see [`Part`].
    Bytes(Part, &'a [u8]),
}

/// Tells which notes of a node come again although most formats have one place for them.
#[derive(Clone, Default, Debug)]
pub struct Once {
    seen: u16,
}

impl Once {
    /// Whether a side to move, a value, a time, a text of a node, or the bytes of one, was there already.
    pub fn is_again(&mut self, note: &Note<'_>) -> bool {
        let kind = match note {
            Note::ToMove(_) => 1,
            Note::Value(_) => 1 << 1,
            Note::Time(_) => 1 << 2,
            Note::Line(_) => 1 << 3,
            Note::Body(_) => 1 << 4,
            Note::Text(_) => 1 << 5,
            Note::Bytes(Part::Line, _) => 1 << 6,
            Note::Bytes(Part::Body, _) => 1 << 7,
            Note::Bytes(Part::Text, _) => 1 << 8,
            Note::Stone(..) | Note::Label(..) | Note::Mark(..) | Note::Property(..) | Note::Bytes(..) => return false,
        };
        let again = self.seen & kind != 0;
        self.seen |= kind;
        again
    }
}

/// Which text of a node some bytes belong to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The one-line part of the comment.
    Line,
    /// The part of the comment that has many lines.
    Body,
    /// The board text.
    Text,
    /// The label on a point.
    Label(Point),
}

/// A sign drawn on a point.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// SGF's `TR`.
    Triangle,
    /// SGF's `CR`.
    Circle,
    /// SGF's `SQ`.
    Square,
    /// SGF's `MA`.
    Cross,
    /// SGF's `SL`.
    Selected,
}

impl Shape {
    /// All signs.
    pub const ALL: [Shape; 5] = [Shape::Triangle, Shape::Circle, Shape::Square, Shape::Cross, Shape::Selected];

    /// The name in files of ours.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Triangle => "triangle",
            Shape::Circle => "circle",
            Shape::Square => "square",
            Shape::Cross => "cross",
            Shape::Selected => "selected",
        }
    }

    /// The sign of this [`Shape::name`].
    pub fn from_name(name: &str) -> Option<Shape> {
        Shape::ALL.into_iter().find(|shape| shape.name() == name)
    }
}

/// How a position is judged, from the first player's view.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The judgement.
    pub score: Score,
    /// The depth of the search, in plies.
    pub depth: Option<u16>,
}

/// A judgement: points, or a forced win.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Score {
    /// Positive: the first player stands better. The scale is the source's.
    Points(i32),
    /// The first player wins in so many plies.
    FirstWins(u16),
    /// The second player wins in so many plies.
    SecondWins(u16),
}

impl Value {
    /// `120`, `-35,18` (points, depth), `#+12`, `#-7,20` (first or second player wins in 12 or 7 plies).
    pub fn text(self) -> String {
        let score = match self.score {
            Score::Points(points) => points.to_string(),
            Score::FirstWins(plies) => format!("#+{plies}"),
            Score::SecondWins(plies) => format!("#-{plies}"),
        };
        match self.depth {
            Some(depth) => format!("{score},{depth}"),
            None => score,
        }
    }

    /// The value whose [`Value::text`] this is.
    pub fn from_text(text: &str) -> Option<Value> {
        let (score, depth) = match text.split_once(',') {
            Some((score, depth)) => (score, Some(depth.trim().parse().ok()?)),
            None => (text, None),
        };
        let score = match score.trim() {
            win if win.starts_with("#+") => Score::FirstWins(win[2..].parse().ok()?),
            win if win.starts_with("#-") => Score::SecondWins(win[2..].parse().ok()?),
            points => Score::Points(points.parse().ok()?),
        };
        // The largest depth stands for "no depth" in the tree's columns.
        (depth != Some(u16::MAX)).then_some(Value { score, depth })
    }
}

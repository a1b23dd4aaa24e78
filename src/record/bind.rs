use crate::{Full, Head, NodeId, Note, Pieces, Play, Record, Tree, TreeBuilder};
use games::Move;
use games::xiangqi::Remark;
use games::xiangqi::notation::{self, Mixed, Sight, Style};

/// The property of a node without a move that holds the move as its file writes it, where a board is needed to read it.
pub const WRITTEN: &str = "Written";

/// A tree whose moves were read on its board.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The tree, with legal moves alone.
    pub tree: Tree,
    /// What was left out.
    pub unplayable: Vec<Unplayable>,
    /// That moves are written in two ways: each was read by sight.
    pub mixed: Option<Mixed>,
}

/// A move that cannot be played, and was left out with all after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unplayable {
    /// The node of [`Played::tree`] after which it stood.
    pub above: NodeId,
    /// What it is and why it cannot be played.
    pub message: String,
    /// How many nodes were left out, it included.
    pub nodes: usize,
}

/// Why no move of a record can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unbound {
    /// The tag `FEN` holds no position.
    Fen(Remark),
    /// The tree has no room.
    Full(Full),
}

/// Reads the moves of a xiangqi record on its board: written ones become steps, and what cannot be played is left out.
///
/// `style` is how its file says that moves are written; where it does not, the moves are looked at.
///
/// # Errors
/// The position that the record begins with cannot be read, or the tree is full.
pub fn bind(record: &Record, style: Option<Style>) -> Result<Played, Unbound> {
    let mut pieces = Pieces::new(&record.head).map_err(Unbound::Fen)?;
    let (style, mixed) = match style.map_or_else(|| sight(&record.tree).style(), |style| Ok(Some(style))) {
        Ok(style) => (style, None),
        Err(mixed) => (None, Some(mixed)),
    };
    let (tree, unplayable) = play(&record.tree, &mut pieces, style).map_err(Unbound::Full)?;
    Ok(Played { tree, unplayable, mixed })
}

/// The move of a node as its file writes it.
fn written(tree: &Tree, node: NodeId) -> Option<&str> {
    if tree.play(node) != Play::Nothing {
        return None;
    }
    tree.notes(node).find_map(|note| match note {
        Note::Property(WRITTEN, text) => Some(text),
        _ => None,
    })
}

fn sight(tree: &Tree) -> Sight {
    let mut sight = Sight::default();
    tree.nodes().filter_map(|node| written(tree, node)).for_each(|text| sight.see(text));
    sight
}

fn play(tree: &Tree, pieces: &mut Pieces, style: Option<Style>) -> Result<(Tree, Vec<Unplayable>), Full> {
    let mut builder = TreeBuilder::new();
    let mut unplayable: Vec<Unplayable> = Vec::new();
    // The depth of the move that cannot be played, while what is below it is passed over.
    let mut gone = usize::MAX;
    for (depth, node) in tree.walk() {
        if depth > gone {
            unplayable.last_mut().expect("something is gone").nodes += 1;
            continue;
        }
        gone = usize::MAX;
        if depth == 0 {
            builder.copy_notes(tree, node)?;
            continue;
        }
        pieces.back_to(depth);
        let board = pieces.board();
        let text = written(tree, node);
        let read = match (tree.play(node), text) {
            (_, Some(text)) => notation::read(board, text, style).map_err(|error| error.to_string()).map(Some),
            (Play::Move(Move::Step(step)), _) => {
                let illegal = |why| format!("{step} cannot be played: {why}");
                board.judge(step).map(|()| Some(step)).map_err(illegal)
            }
            _ => Ok(None),
        };
        match read {
            Err(message) => {
                gone = depth;
                unplayable.push(Unplayable {
                    above: builder.path().nth(depth - 1).expect("the node above was kept"),
                    message,
                    nodes: 1,
                });
            }
            Ok(step) => {
                let play = step.map_or(tree.play(node), |step| Play::Move(Move::Step(step)));
                let side = if step.is_some() { board.to_move() } else { tree.side(node) };
                builder.append(depth, side, play)?;
                builder.copy_flags(tree, node);
                let is_read = |note: &Note<'_>| text.is_some() && matches!(note, Note::Property(WRITTEN, _));
                tree.notes(node).filter(|note| !is_read(note)).try_for_each(|note| builder.note(note))?;
                pieces.enter(play);
            }
        }
    }
    Ok((builder.build(), unplayable))
}

/// The moves of a tree as people write them, a text for each node in pre-order; empty where a node has no step.
///
/// # Errors
/// The position that the record begins with cannot be read.
pub fn spell(head: &Head, tree: &Tree, style: Style) -> Result<Vec<String>, Remark> {
    let mut pieces = Pieces::new(head)?;
    let spelled = tree.walk().map(|(depth, node)| {
        pieces.back_to(depth);
        let play = tree.play(node);
        let text = match play {
            Play::Move(Move::Step(step)) => notation::write(pieces.board(), step, style),
            _ => String::new(),
        };
        if depth > 0 {
            pieces.enter(play);
        }
        text
    });
    Ok(spelled.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Game, Side, Size};

    /// A game of written moves, each with its depth.
    fn game(fen: Option<&str>, moves: &[(usize, &str)]) -> Record {
        let tags = fen.map(|fen| ("FEN".to_owned(), fen.to_owned())).into_iter().collect();
        let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, tags, ..Head::default() };
        let mut builder = TreeBuilder::new();
        for (depth, text) in moves {
            builder.append(*depth, Side::First, Play::Nothing).unwrap();
            builder.note(Note::Property(WRITTEN, text)).unwrap();
            builder.note(Note::Line(text)).unwrap();
        }
        Record { head, tree: builder.build() }
    }

    fn steps(tree: &Tree) -> Vec<(usize, Side, String)> {
        let text = |node| match tree.play(node) {
            Play::Move(Move::Step(step)) => step.to_string(),
            other => format!("{other:?}"),
        };
        tree.walk().skip(1).map(|(depth, node)| (depth, tree.side(node), text(node))).collect()
    }

    #[test]
    fn written_moves_are_read_on_the_board_of_their_variation() {
        let moves = [(1, "炮二平五"), (2, "馬８進７"), (3, "马二进三"), (2, "炮８平５"), (1, "兵七进一")];
        let mut record = game(None, &moves);
        let bound = bind(&record, None).unwrap();
        let [first, second] = [Side::First, Side::Second];
        let wanted =
            [(1, first, "h2e2"), (2, second, "h9g7"), (3, first, "h0g2"), (2, second, "h7e7"), (1, first, "c3c4")];
        assert_eq!(steps(&bound.tree), wanted.map(|(depth, side, text)| (depth, side, text.to_owned())));
        assert_eq!((bound.unplayable, bound.mixed), (Vec::new(), None));
        let tree = &bound.tree;
        assert!(tree.nodes().skip(1).all(|node| tree.notes(node).count() == 1 && tree.line(node).is_some()));
        let spelled = spell(&record.head, tree, Style::Chinese).unwrap();
        assert_eq!(spelled, ["", "炮二平五", "马８进７", "马二进三", "炮８平５", "兵七进一"]);
        record.tree = bound.tree.clone();
        assert_eq!(bind(&record, None).unwrap().tree, bound.tree);
    }

    #[test]
    fn what_cannot_be_played_is_left_out_with_all_after_it() {
        let moves = [(1, "h2e2"), (2, "h9g7"), (3, "a0a9"), (4, "a9a0"), (4, "b9c7"), (3, "h0g2"), (4, "nonsense")];
        let Played { tree, unplayable, .. } = bind(&game(None, &moves), None).unwrap();
        assert_eq!(steps(&tree).len(), 3);
        let told: Vec<(usize, usize)> = unplayable.iter().map(|gone| (gone.above.index(), gone.nodes)).collect();
        assert_eq!(told, [(2, 3), (3, 1)]);
        assert!(unplayable[0].message.contains("a0a9") && unplayable[1].message.contains("nonsense"));
    }

    #[test]
    fn black_begins_where_the_position_says_so_and_a_bad_one_binds_nothing() {
        let black = game(Some("4k4/9/9/9/9/9/9/9/9/3K5 b - - 0 1"), &[(1, "将５进１"), (2, "帅六平五")]);
        let Played { tree, unplayable, .. } = bind(&black, None).unwrap();
        assert_eq!(steps(&tree), [(1, Side::Second, "e9e8".to_owned())]);
        assert_eq!(black.head.side_of_ply(1), Side::Second);
        assert_eq!(unplayable[0].nodes, 1);
        let bad = game(Some("4k4/9 w"), &[(1, "h2e2")]);
        assert!(matches!(bind(&bad, None), Err(Unbound::Fen(_))));
    }

    #[test]
    fn two_notations_in_a_game_are_told() {
        let bound = bind(&game(None, &[(1, "炮二平五"), (2, "h9g7"), (3, "N2+3")]), None).unwrap();
        assert!(bound.mixed.is_some());
        assert_eq!(steps(&bound.tree).len(), 3);
    }
}

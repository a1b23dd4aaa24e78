//! Games with a judgement of each move, written beside what stands there already.
//!
//! A judgement is a line of a node's comment that begins with [`SIGN`] and a value, and the value of the node where it
//! has none of another hand. Both are known again: annotating a record once more replaces them and nothing else. The
//! value that the line begins with is the one of the node; in brackets it is ours beside a value of another hand, which
//! stays.
//!
//! A better move can be put into the tree beside the one that was played. The first node that this adds says so in such
//! a line, which names the moves of all that are added; so they are known again, too. Of them stay those at which
//! somebody else has written or played.

use crate::{
    Finding, Full, Grounds, Head, Key, Line, NodeId, Note, Outcome, Part, Pieces, Play, Record, Score, StoneKey, Tree,
    TreeBuilder, Value, WRITTEN, win_rate,
};
use games::gomoku::{Board, Made, made};
use games::xiangqi::Remark;
use games::{Move, Point, Rule, Side, Size, Step};
use std::collections::{HashMap, HashSet};

/// How a line of ours begins.
pub const SIGN: &str = "kifu: ";

/// What stands before the moves of a variation of ours.
const VARIATION: &str = "; variation ";

/// What is told of a move beside its judgement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Telling {
    /// How many of the best moves, with their lines; where it is 1, the best one if it is another than the one that was
    /// played.
    pub lines: usize,
    /// Whether a better move becomes a variation.
    pub variations: bool,
}

impl Default for Telling {
    fn default() -> Telling {
        Telling { lines: 1, variations: false }
    }
}

/// Losses of win rate, in hundredths, from which on a move is marked.
pub type Marks = [u8; 3];

/// The usual ones.
pub const MARKS: Marks = [10, 20, 30];

const SIGNS: [&str; 3] = ["?!", "?", "??"];

/// Moves of a line that are told.
const SHOWN: usize = 8;

/// Moves of xiangqi before a position that are told: at 120 without a capture a game is drawn.
const HISTORY: usize = 240;

/// A position of a record that is to be judged, or that a move to be judged begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The node that leads to it.
    pub node: NodeId,
    /// How many moves of the record lead to it.
    pub ply: usize,
    /// The position.
    pub key: Key,
    /// The moves of xiangqi that led to it since a piece was taken.
    pub history: Vec<Step>,
    /// How the game has ended here, for the side to move; nobody needs to look.
    pub ended: Option<i32>,
}

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// What an evaluator found.
    pub finding: Option<Finding>,
    /// A victory by continuous fours of the side to move that the rules confirm.
    pub fours: Option<Vec<Point>>,
    /// Whether somebody has looked for one, to the end.
    pub has_looked: bool,
    /// Where the side to move is lost: its moves, the one that holds longest first.
    pub defences: Vec<Line>,
}

/// A victory that is proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Win {
    /// By what.
    pub by: Grounds,
    /// Its moves against the longest defence.
    pub line: Vec<Move>,
}

/// A move of a record, judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The node of the move.
    pub node: NodeId,
    /// Its number in the record, from 1.
    pub ply: usize,
    /// Who played it.
    pub side: Side,
    /// The move.
    pub play: Move,
    /// What it is worth to who played it; a win in n plies, the move among them, is 30000 - n.
    pub value: i32,
    /// The depth of the search behind it.
    pub depth: i16,
    /// The best moves, of which the first stands for the played one, and what they are worth.
    pub best: Line,
    /// The best moves of the position before it as they were found, the best first.
    pub lines: Vec<Line>,
    /// The win rate that the move loses, from 0 to 1.
    pub loss: f64,
    /// Which of the marks it has: 0 the smallest; `None` where it loses less.
    pub mark: Option<usize>,
    /// A proven victory that was there and is not seen any more.
    pub missed: Option<Win>,
    /// A proven victory that the other side has now, where the move could have stopped it.
    pub allowed: Option<Win>,
    /// Where the position before the move was lost: its moves, the one that holds longest first.
    pub defences: Vec<Line>,
    /// From here on the side that lost was lost by fours at each of its moves.
    pub is_last_losing: bool,
}

/// From which ply on moves are judged where nothing is said: no stone before the last swap.
///
/// Under the opening rules of renju five stones are placed before the players are free; where a record does not say how
/// its opening was agreed, nobody can tell whose the stones were.
pub fn first_judged(record: &Record, rule: Rule) -> usize {
    let opening = &record.head.opening;
    let has_opening = opening.swaps.is_some() || opening.declared.is_some() || !opening.offered.is_empty();
    if rule == Rule::Renju && has_opening { 7 } else { 6 }
}

/// The positions of the main line that are needed to judge its moves from a ply on.
///
/// The line ends where somebody has won, or where a stone stands on a stone.
pub fn positions(record: &Record, rule: Rule, from: usize) -> Vec<Position> {
    let (tree, size) = (&record.tree, record.head.size);
    let mut board = Board::new(size);
    let mut to_move = Side::First;
    let (mut ply, mut found) = (0, Vec::new());
    for node in std::iter::once(NodeId::ROOT).chain(tree.main_line()) {
        let mut last = None;
        for note in tree.notes(node) {
            match note {
                Note::Stone(point, side) => {
                    board.undo(point);
                    if side.is_some_and(|side| board.play(point, side).is_err()) {
                        return found;
                    }
                }
                Note::ToMove(side) => to_move = side,
                _ => {}
            }
        }
        if let Play::Move(played) = tree.play(node) {
            let side = tree.side(node);
            ply += 1;
            if let Move::Place(point) = played {
                if board.play(point, side).is_err() {
                    return found;
                }
                last = Some((point, side));
            }
            to_move = side.other();
        }
        let has_won = last.is_some_and(|(point, side)| made(&board, point, side, rule) == Made::Five);
        let ended = if has_won { Some(-30_000) } else { board.empty_points().next().is_none().then_some(0) };
        if ply + 1 >= from {
            let key = StoneKey::new(&board, to_move, rule).into();
            found.push(Position { node, ply, key, history: Vec::new(), ended });
        }
        if ended.is_some() {
            break;
        }
    }
    found
}

/// The positions of the main line of a game of xiangqi that are needed to judge its moves from a ply on.
///
/// The line ends where a side has no move, and before a move that cannot be played.
///
/// # Errors
/// The position that the record begins with cannot be read.
pub fn piece_positions(record: &Record, from: usize) -> Result<Vec<Position>, Remark> {
    let tree = &record.tree;
    let mut pieces = Pieces::new(&record.head)?;
    let (mut ply, mut found, mut history) = (0, Vec::new(), Vec::new());
    for node in std::iter::once(NodeId::ROOT).chain(tree.main_line()) {
        let play = tree.play(node);
        match play {
            Play::Move(Move::Step(step)) => {
                if pieces.board().judge(step).is_err() {
                    break;
                }
                match pieces.board().piece(step.to) {
                    Some(_) => history.clear(),
                    None => {
                        history.push(step);
                        if history.len() > HISTORY {
                            history.remove(0);
                        }
                    }
                }
            }
            Play::Move(Move::Pass) => history.clear(),
            Play::Move(Move::Place(_)) => break,
            _ if tree.notes(node).any(|note| matches!(note, Note::Property(WRITTEN, _))) => break,
            _ => {}
        }
        pieces.enter(play);
        ply += usize::from(matches!(play, Play::Move(_)));
        let board = pieces.board();
        let ended = (!board.has_moves()).then_some(-30_000);
        if ply + 1 >= from {
            found.push(Position { node, ply, key: board.clone().into(), history: history.clone(), ended });
        }
        if ended.is_some() {
            break;
        }
    }
    Ok(found)
}

/// What a position is worth to the side that has just moved.
fn to_mover(value: i32) -> i32 {
    match value {
        value if value > 29_500 => 1 - value,
        value if value < -29_500 => -value - 1,
        value => -value,
    }
}

impl Known {
    /// The value and the line to go by: a victory that is proven, else what was found.
    fn best(&self) -> Option<Line> {
        if let Some(fours) = self.fours.as_ref().filter(|fours| !fours.is_empty()) {
            let value = 30_000 - i32::try_from(fours.len()).unwrap_or(400);
            return Some(Line::of_points(fours.iter().copied(), Some(value), Some(Grounds::Fours)));
        }
        let finding = self.finding.as_ref()?;
        finding.lines.first().cloned()
    }

    /// All lines to go by, the best first.
    fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = self.best().into_iter().collect();
        for line in self.finding.iter().flat_map(|finding| &finding.lines) {
            if lines.iter().all(|other| other.moves.first() != line.moves.first()) {
                lines.push(line.clone());
            }
        }
        lines
    }

    /// The victory of the side to move, if one is proven.
    fn win(&self) -> Option<Win> {
        let Line { moves, value, grounds } = self.best()?;
        value.filter(|value| *value > 29_500)?;
        // The grounds of a finding are about what follows its first move, which may be a quiet one.
        let by = grounds.map(|_| if self.fours.is_some() { Grounds::Fours } else { Grounds::Threats })?;
        Some(Win { by, line: moves })
    }

    /// Whether the side to move is lost, as far as is known.
    pub fn is_lost(&self) -> bool {
        self.best().and_then(|best| best.value).is_some_and(|value| value < -29_500)
    }

    fn scale(&self) -> u16 {
        self.finding.as_ref().map_or(crate::Judgement::SCALE, |finding| finding.scale)
    }
}

/// Judges the moves between some [`positions`] by what is known of them; moves of which too little is known are left
/// out.
pub fn judge(record: &Record, positions: &[Position], known: &[Known], marks: Marks) -> Vec<Judged> {
    let mut judged = Vec::new();
    for (at, pair) in positions.windows(2).enumerate() {
        let (before, after) = (&pair[0], &pair[1]);
        let Play::Move(play @ (Move::Place(_) | Move::Step(_))) = record.tree.play(after.node) else { continue };
        let side = record.tree.side(after.node);
        if side != before.key.to_move() {
            continue;
        }
        let (had, has) = (&known[at], &known[at + 1]);
        let after_it = after.ended.or_else(|| has.best()?.value);
        let (Some(mut best), Some(after_it)) = (had.best(), after_it) else { continue };
        let Some(best_value) = best.value else { continue };
        let mut value = to_mover(after_it);
        let is_proven = best.grounds.is_some() && best_value > 29_500;
        if best.moves.first() == Some(&play) && (is_proven || value.abs() <= 29_500) {
            // Two searches of one move: the one that says more of it. The start of a proof wins whatever a search sees.
            value = value.max(best_value);
        }
        if value >= best_value {
            best = Line { moves: vec![play], value: Some(value), grounds: None };
        }
        let scale = had.scale();
        let loss = (win_rate(best.value.unwrap_or(value), scale) - win_rate(value, scale)).max(0.0);
        let mark = marks.iter().rposition(|mark| loss * 100.0 >= f64::from(*mark) && *mark > 0);
        let missed = had.win().filter(|_| (has.has_looked || after.ended.is_some()) && value <= 29_500);
        let could_stop = best_value > -29_500;
        judged.push(Judged {
            node: after.node,
            ply: after.ply,
            side,
            play,
            value,
            depth: has.finding.as_ref().map_or(0, |finding| finding.depth),
            best,
            lines: had.lines(),
            loss,
            mark,
            missed,
            allowed: has.win().filter(|_| could_stop),
            defences: if could_stop { Vec::new() } else { had.defences.clone() },
            is_last_losing: false,
        });
    }
    if let Some(node) = last_losing(record, positions, known)
        && let Some(judged) = judged.iter_mut().find(|judged| judged.node == node)
    {
        judged.is_last_losing = true;
    }
    judged
}

/// The move of the loser from which on the winner could win by fours whenever it was to move, to the end.
fn last_losing(record: &Record, positions: &[Position], known: &[Known]) -> Option<NodeId> {
    let last = positions.last()?;
    let winner = match record.head.result {
        _ if last.ended == Some(-30_000) => last.key.to_move().other(),
        Some(Outcome::First) => Side::First,
        Some(Outcome::Second) => Side::Second,
        _ => return None,
    };
    let to_win = positions
        .iter()
        .zip(known)
        .filter(|(position, _)| position.key.to_move() == winner && position.ended.is_none());
    let tail = to_win.collect::<Vec<_>>().into_iter().rev().take_while(|(_, known)| known.fours.is_some());
    tail.last().map(|(position, _)| position.node)
}

/// A record with its moves' judgements in the place of those of an earlier time.
pub fn write(record: &Record, judged: &[Judged], telling: Telling) -> Result<Record, Full> {
    let by_node: HashMap<NodeId, &Judged> = judged.iter().map(|judged| (judged.node, judged)).collect();
    let (tree, size) = (&record.tree, record.head.size);
    let removed = own_nodes(tree, &record.head);
    let mut added = if telling.variations { branches(tree, judged, &removed) } else { HashMap::new() };
    let mut builder = TreeBuilder::new();
    // The nodes from the root to the one written last.
    let mut path: Vec<NodeId> = Vec::new();
    for (depth, node) in tree.walk().filter(|(_, node)| !removed.contains(node)) {
        while path.len() > depth {
            add(&mut builder, path.pop(), path.len(), &mut added, size)?;
        }
        path.push(node);
        if depth > 0 {
            builder.append(depth, tree.side(node), tree.play(node))?;
        }
        builder.copy_flags(tree, node);
        let judged = by_node.get(&node).copied();
        let ours = own_value(tree, node);
        let has_value = tree.notes(node).any(|note| matches!(note, Note::Value(value) if Some(value) != ours));
        let said = judged.map(|judged| sentence(judged, size, has_value, telling.lines));
        let mut is_said = said.is_none();
        if let Some(judged) = judged.filter(|_| !has_value) {
            builder.note(Note::Value(black_value(judged)))?;
        }
        for note in tree.notes(node) {
            match note {
                Note::Value(value) if Some(value) == ours => {}
                Note::Line(text) if is_ours(text.as_bytes()) => {}
                Note::Body(text) => {
                    is_said = true;
                    let text = renewed(text.as_bytes(), said.as_deref());
                    if !text.is_empty() {
                        builder.note(Note::Body(&String::from_utf8_lossy(&text)))?;
                    }
                }
                // All that we say is ASCII, which the encodings of such bytes have in common.
                Note::Bytes(Part::Body, bytes) => {
                    let bytes = renewed(bytes, said.as_deref());
                    if !bytes.is_empty() {
                        builder.note(Note::Bytes(Part::Body, &bytes))?;
                    }
                }
                other => builder.note(other)?,
            }
        }
        if let Some(said) = said.filter(|_| !is_said) {
            let has_line = tree.line(node).is_some_and(|line| !is_ours(line.as_bytes()));
            builder.note(if has_line { Note::Body(&said) } else { Note::Line(&said) })?;
        }
    }
    while let Some(node) = path.pop() {
        add(&mut builder, Some(node), path.len(), &mut added, size)?;
    }
    Ok(Record { head: record.head.clone(), tree: builder.build() })
}

/// A text with our line at its end in the place of those of an earlier time; all other bytes are kept.
fn renewed(text: &[u8], said: Option<&str>) -> Vec<u8> {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !is_ours(line));
    let kept = lines.collect::<Vec<_>>().join(&b'\n');
    match said {
        Some(said) if kept.is_empty() => said.into(),
        Some(said) => [&kept, said.as_bytes()].join(&b'\n'),
        None => kept,
    }
}

/// The value in a line of ours, which may be in brackets, and what follows it; `None` of a line of another hand, though
/// it may begin with the same word.
fn own_line(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix(SIGN)?.trim_end_matches('\r');
    let (value, rest) = line.split_at(line.find([';', ' ']).unwrap_or(line.len()));
    let bare = value.strip_prefix('(').and_then(|value| value.strip_suffix(')')).unwrap_or(value);
    Value::from_text(bare)?;
    let is_grammar = rest.is_empty() || rest.starts_with("; ") || SIGNS.iter().any(|sign| marks_with(rest, sign));
    is_grammar.then_some((value, rest))
}

/// ` ?! -12 %`.
fn marks_with(rest: &str, sign: &str) -> bool {
    rest.strip_prefix(' ').and_then(|rest| rest.strip_prefix(sign)).is_some_and(|rest| rest.starts_with(" -"))
}

fn is_ours(line: &[u8]) -> bool {
    // Bytes after ours are none of ours.
    line.starts_with(SIGN.as_bytes()) && std::str::from_utf8(line).is_ok_and(|line| own_line(line).is_some())
}

/// What follows the value in the line of ours at a node, and the value.
fn own_text(tree: &Tree, node: NodeId) -> Option<(&str, &str)> {
    let texts = [tree.line(node), tree.body(node)];
    texts.into_iter().flatten().flat_map(|text| text.split('\n')).find_map(own_line)
}

/// The value that an earlier time wrote, which its line repeats.
fn own_value(tree: &Tree, node: NodeId) -> Option<Value> {
    Value::from_text(own_text(tree, node)?.0)
}

/// The nodes that an earlier time added, but for those that carry something of another hand, and those that somebody has
/// made the main line.
fn own_nodes(tree: &Tree, head: &Head) -> HashSet<NodeId> {
    let mut removed = HashSet::new();
    let main: HashSet<NodeId> = tree.main_line().collect();
    // What was added below such a node by a later time goes first.
    for node in tree.nodes().rev() {
        let Some((_, moves)) = own_text(tree, node).and_then(|(_, rest)| rest.split_once(VARIATION)) else { continue };
        let mut chain: Vec<NodeId> = Vec::new();
        for play in moves.split(' ').map_while(|name| Move::from_text(name, head.game, head.size)) {
            let is_next = |node: &NodeId| tree.play(*node) == Play::Move(play);
            let next = match chain.last() {
                None => Some(node).filter(is_next),
                Some(last) => tree.children(*last).find(is_next),
            };
            let Some(next) = next else { break };
            chain.push(next);
        }
        for node in chain.into_iter().rev() {
            if main.contains(&node) || !is_own(tree, node) || tree.children(node).any(|child| !removed.contains(&child))
            {
                break;
            }
            removed.insert(node);
        }
    }
    removed
}

/// Whether nobody else has written anything at a node.
fn is_own(tree: &Tree, node: NodeId) -> bool {
    let ours = own_value(tree, node);
    let is_own = |note: Note<'_>| match note {
        Note::Value(value) => Some(value) == ours,
        Note::Line(text) => is_ours(text.as_bytes()),
        Note::Body(text) => renewed(text.as_bytes(), None).is_empty(),
        Note::Bytes(Part::Body, bytes) => renewed(bytes, None).is_empty(),
        _ => false,
    };
    !tree.is_found(node) && !tree.is_start(node) && tree.notes(node).all(is_own)
}

/// Moves that are added to a tree as a variation.
struct Branch {
    side: Side,
    moves: Vec<Move>,
    /// After the first of them.
    value: Value,
}

/// What better moves add to the tree, by the node that it comes below: as much of a line as is not there.
fn branches(tree: &Tree, judged: &[Judged], removed: &HashSet<NodeId>) -> HashMap<NodeId, Branch> {
    let mut found = HashMap::new();
    for judged in judged {
        let (Some(mut node), Some(value)) = (tree.parent(judged.node), judged.best.value) else { continue };
        let moves = &judged.best.moves[..judged.best.moves.len().min(SHOWN)];
        if moves.first() == Some(&judged.play) {
            continue;
        }
        let (mut side, mut known) = (judged.side, 0);
        for play in moves {
            let is_next = |child: &NodeId| {
                tree.play(*child) == Play::Move(*play) && tree.side(*child) == side && !removed.contains(child)
            };
            let Some(next) = tree.children(node).find(is_next) else { break };
            (node, side, known) = (next, side.other(), known + 1);
        }
        if known < moves.len() {
            let value = Value { score: score(value, judged.side, known + 1), depth: None };
            found.insert(node, Branch { side, moves: moves[known..].to_vec(), value });
        }
    }
    found
}

/// Adds a variation as the last one below a node of this depth, whose subtree is written.
fn add(
    builder: &mut TreeBuilder,
    node: Option<NodeId>,
    depth: usize,
    added: &mut HashMap<NodeId, Branch>,
    size: Size,
) -> Result<(), Full> {
    let Some(Branch { mut side, moves, value }) = node.and_then(|node| added.remove(&node)) else { return Ok(()) };
    for (at, play) in moves.iter().enumerate() {
        builder.append(depth + 1 + at, side, Play::Move(*play))?;
        if at == 0 {
            let names: Vec<String> = moves.iter().map(|play| play.text(size)).collect();
            builder.note(Note::Value(value))?;
            builder.note(Note::Line(&format!("{SIGN}{}{VARIATION}{}", value.text(), names.join(" "))))?;
        }
        side = side.other();
    }
    Ok(())
}

/// The value after the move as records have it: the first player's.
fn black_value(judged: &Judged) -> Value {
    let depth = u16::try_from(judged.depth).ok().filter(|depth| *depth > 0);
    Value { score: score(judged.value, judged.side, 1), depth }
}

/// A value for a side as the first player's, so many plies later.
fn score(own: i32, side: Side, plies: usize) -> Score {
    let first = side == Side::First;
    let plies = i32::try_from(plies).unwrap_or(i32::MAX);
    match (own > 29_500, own < -29_500) {
        (true, _) => wins(first, (30_000 - own).saturating_sub(plies)),
        (_, true) => wins(!first, (own + 30_000).saturating_sub(plies)),
        _ => Score::Points(if first { own } else { -own }),
    }
}

fn wins(first: bool, plies: i32) -> Score {
    let plies = u16::try_from(plies.max(0)).unwrap_or(u16::MAX);
    if first { Score::FirstWins(plies) } else { Score::SecondWins(plies) }
}

/// What is said of a move, in one line.
fn sentence(judged: &Judged, size: Size, has_value: bool, lines: usize) -> String {
    let moves = |line: &[Move]| {
        let names: Vec<String> = line.iter().take(SHOWN).map(|play| play.text(size)).collect();
        names.join(" ") + if line.len() > SHOWN { " ..." } else { "" }
    };
    let value = black_value(judged).text();
    let mut text = if has_value { format!("{SIGN}({value})") } else { format!("{SIGN}{value}") };
    if let Some(mark) = judged.mark {
        text += &format!(" {} -{:.0} %", SIGNS[mark], judged.loss * 100.0);
    }
    if lines > 1 {
        let told = |line: &Line| {
            let score = score(line.value?, judged.side, 1);
            Some(format!("{} ({})", moves(&line.moves), Value { score, depth: None }.text()))
        };
        let told: Vec<String> = judged.lines.iter().take(lines).filter_map(told).collect();
        text += &format!("; best {}", told.join(", "));
    } else if judged.best.moves.first() != Some(&judged.play) {
        text += &format!("; best {}", moves(&judged.best.moves));
    }
    if let Some(Win { by, line }) = &judged.missed {
        text += &format!("; missed a win by {}: {}", by.name(), moves(line));
    }
    if let Some(Win { by, line }) = &judged.allowed {
        text += &format!("; lets the other side win by {}: {}", by.name(), moves(line));
    }
    let held = |line: &Line| Some((line.moves.first()?.text(size), line.value? + 30_000));
    let held: Vec<String> =
        judged.defences.iter().filter_map(held).map(|(name, plies)| format!("{name} {plies}")).collect();
    if !held.is_empty() {
        text += &format!("; lost, plies held by {}", held.join(", "));
    }
    if judged.is_last_losing {
        text += "; the last losing move";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Coords, Game};

    fn point(name: &str) -> Point {
        Coords::A1.parse(name, Size::default()).unwrap()
    }

    fn game(moves: &str) -> Record {
        let mut builder = TreeBuilder::new();
        for (at, name) in moves.split_whitespace().enumerate() {
            builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(point(name)))).unwrap();
        }
        Record { tree: builder.build(), ..Record::default() }
    }

    fn known(value: i32, best: &str) -> Known {
        let line = Line::of_points(best.split_whitespace().map(point), Some(value), None);
        let finding = Finding { lines: vec![line], depth: 7, scale: 200, ..Finding::default() };
        Known { finding: Some(finding), has_looked: true, ..Known::default() }
    }

    const FIVE: &str = "h8 h9 i8 i9 j8 j9 k8 a1 l8 b2";

    #[test]
    fn the_line_ends_with_a_five() {
        let record = game(FIVE);
        let all = positions(&record, Rule::Renju, 1);
        assert_eq!(all.len(), 10, "the root and nine moves");
        assert_eq!(all.last().unwrap().ended, Some(-30_000));
        assert!(all[..9].iter().all(|position| position.ended.is_none()));
        let late = positions(&record, Rule::Renju, 6);
        assert_eq!(late.iter().map(|position| position.ply).collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
        assert_eq!(positions(&game("h8 h9 h8 i9"), Rule::Renju, 1).len(), 3);
    }

    #[test]
    fn a_move_is_judged_by_what_it_loses() {
        let record = game("h8 h9 i8");
        let all = positions(&record, Rule::Freestyle, 2);
        // Before and after h9, and after i8.
        let known = [known(40, "g7 g8"), known(400, "i8"), known(-390, "a1")];
        let judged = judge(&record, &all, &known, MARKS);
        let [bad, good] = &judged[..] else { panic!("two moves") };
        assert_eq!((bad.ply, bad.side, bad.value, bad.mark), (2, Side::Second, -400, Some(2)));
        assert!((bad.loss - (win_rate(40, 200) - win_rate(-400, 200))).abs() < 1e-9);
        assert_eq!(bad.best.points(), [point("g7"), point("g8")]);
        assert_eq!((good.value, good.mark), (400, None));
        let written = write(&record, &judged, Telling::default()).unwrap();
        let texts: Vec<Option<&str>> = written.tree.main_line().map(|node| written.tree.line(node)).collect();
        assert_eq!(texts[1], Some("kifu: 400,7 ?? -43 %; best g7 g8"));
        assert_eq!(texts[2], Some("kifu: 400,7"));
    }

    #[test]
    fn a_second_time_replaces_what_the_first_one_wrote_and_nothing_else() {
        let mut builder = TreeBuilder::new();
        builder.append(1, Side::First, Play::Move(Move::Place(point("h8")))).unwrap();
        builder.note(Note::Body("a text\nof two lines")).unwrap();
        builder.append(2, Side::Second, Play::Move(Move::Place(point("h9")))).unwrap();
        builder.note(Note::Value(Value { score: Score::Points(12), depth: None })).unwrap();
        builder.append(3, Side::First, Play::Move(Move::Place(point("i8")))).unwrap();
        builder.note(Note::Line("one line")).unwrap();
        builder.append(3, Side::First, Play::Move(Move::Place(point("i9")))).unwrap();
        let record = Record { tree: builder.build(), ..Record::default() };
        let all = positions(&record, Rule::Freestyle, 1);
        let first: Vec<Known> = all.iter().map(|_| known(10, "a1")).collect();
        let second: Vec<Known> = all.iter().map(|_| known(-90, "b2")).collect();
        let by = |record: &Record, known: &[Known]| {
            write(record, &judge(record, &positions(record, Rule::Freestyle, 1), known, MARKS), Telling::default())
                .unwrap()
        };
        let once = by(&record, &first);
        assert_ne!(once, record);
        assert_eq!(by(&once, &second), by(&record, &second));
        assert_eq!(write(&once, &[], Telling::default()).unwrap(), record, "nothing of ours is left");
        let value = |record: &Record, at| {
            record.tree.notes(record.tree.main_line().nth(at).unwrap()).find_map(|note| match note {
                Note::Value(value) => Some(value.score),
                _ => None,
            })
        };
        assert_eq!(value(&once, 1), Some(Score::Points(12)), "a value of another hand stays");
        assert_eq!(value(&once, 0), Some(Score::Points(-10)));
    }

    #[test]
    fn wins_are_counted_from_the_position() {
        let record = game(FIVE);
        let all = positions(&record, Rule::Freestyle, 8);
        let mut known: Vec<Known> = all.iter().map(|_| known(0, "a1")).collect();
        known[1].fours = Some(vec![point("l8")]);
        let judged = judge(&record, &all, &known, MARKS);
        assert_eq!(judged.iter().map(|judged| judged.ply).collect::<Vec<_>>(), [8, 9]);
        // White let Black make five; Black did.
        assert_eq!((judged[0].value, judged[0].allowed.is_some(), judged[0].is_last_losing), (-29_998, true, true));
        assert_eq!((judged[1].value, judged[1].loss, judged[1].missed.is_none()), (29_999, 0.0, true));
        assert_eq!(black_value(&judged[0]).score, Score::FirstWins(1));
        assert_eq!(black_value(&judged[1]).score, Score::FirstWins(0));
    }

    #[test]
    fn the_start_of_a_proof_is_no_mistake_whatever_a_search_says() {
        let record = game("h8 h9 i8");
        let all = positions(&record, Rule::Freestyle, 3);
        let fours = ["i8", "j8", "g8"].map(point).to_vec();
        let had = |fours| Known { fours: Some(fours), has_looked: true, ..Known::default() };
        let judged = judge(&record, &all, &[had(fours), known(50, "a1")], MARKS);
        assert_eq!((judged[0].value, judged[0].loss, &judged[0].missed), (29_997, 0.0, &None));
        let judged = judge(&record, &all, &[had(vec![point("g8")]), known(50, "a1")], MARKS);
        assert_eq!(judged[0].missed, Some(Win { by: Grounds::Fours, line: vec![Move::Place(point("g8"))] }));
        assert_eq!(judged[0].mark, Some(2));
    }

    #[test]
    fn wins_by_threats_count_only_where_they_are_proven() {
        let record = game("h8 h9 i8 i9");
        let all = positions(&record, Rule::Freestyle, 3);
        let mut had = known(29_990, "g7 g8");
        let holds = known(10, "a1");
        let missed = |had: &Known| judge(&record, &all, &[had.clone(), holds.clone(), holds.clone()], MARKS);
        assert_eq!(missed(&had)[0].missed, None);
        // Fours after a quiet move are no victory by fours.
        had.finding.as_mut().unwrap().lines[0].grounds = Some(Grounds::Fours);
        let judged = missed(&had);
        let line = vec![Move::Place(point("g7")), Move::Place(point("g8"))];
        assert_eq!(judged[0].missed, Some(Win { by: Grounds::Threats, line: line.clone() }));
        let allowed = judge(&record, &all, &[holds.clone(), had.clone(), holds.clone()], MARKS);
        assert_eq!(allowed[0].allowed, Some(Win { by: Grounds::Threats, line }));
        assert!(sentence(&judged[0], Size::default(), false, 1).contains("missed a win by threats: g7 g8"));
    }

    #[test]
    fn defences_of_lost_positions_are_told_with_what_they_hold() {
        let record = game("h8 h9 i8");
        let all = positions(&record, Rule::Freestyle, 3);
        let mut lost = known(-29_990, "g7");
        let line = |name: &str, value| Line::of_points([point(name)], Some(value), None);
        lost.defences = vec![line("g7", -29_990), line("g8", -29_994)];
        assert!(lost.is_lost() && !known(-29_000, "g7").is_lost());
        let judged = judge(&record, &all, &[lost, known(29_995, "a1")], MARKS);
        let said = sentence(&judged[0], Size::default(), false, 1);
        assert!(said.ends_with("; lost, plies held by g7 10, g8 6"), "{said}");
    }

    #[test]
    fn bytes_and_line_ends_of_others_stay_as_they_are() {
        let mut builder = TreeBuilder::new();
        builder.append(1, Side::First, Play::Move(Move::Place(point("h8")))).unwrap();
        builder.note(Note::Body("one\r\ntwo\r\n")).unwrap();
        builder.append(2, Side::Second, Play::Move(Move::Place(point("h9")))).unwrap();
        builder.note(Note::Body("\u{fffd}")).unwrap();
        builder.note(Note::Bytes(Part::Body, b"\xff")).unwrap();
        builder.append(3, Side::First, Play::Move(Move::Place(point("i8")))).unwrap();
        // Both searches find what is there already.
        builder.note(Note::Value(Value { score: Score::Points(10), depth: Some(7) })).unwrap();
        let record = Record { tree: builder.build(), ..Record::default() };
        let all = positions(&record, Rule::Freestyle, 1);
        let known: Vec<Known> = all.iter().map(|_| known(-10, "a1")).collect();
        let once = write(&record, &judge(&record, &all, &known, MARKS), Telling::default()).unwrap();
        let nodes: Vec<NodeId> = once.tree.main_line().collect();
        let bytes = once.tree.bytes(nodes[1], Part::Body).unwrap();
        assert!(bytes.starts_with(b"\xff\nkifu: "));
        assert_eq!(once.tree.line(nodes[2]).map(|text| text.starts_with("kifu: (10,7)")), Some(true));
        assert_eq!(write(&once, &judge(&once, &all, &known, MARKS), Telling::default()).unwrap(), once);
        assert_eq!(write(&once, &[], Telling::default()).unwrap(), record);
    }
    #[test]
    fn as_many_lines_are_told_as_are_wanted() {
        let record = game("h8 h9 i8");
        let all = positions(&record, Rule::Freestyle, 2);
        let mut several = known(40, "g7 g8");
        let line = |name: &str, value| Line::of_points([point(name)], Some(value), None);
        several.finding.as_mut().unwrap().lines.extend([line("h9", 12), line("a1", -29_996)]);
        let judged = judge(&record, &all, &[several, known(400, "i8"), known(-390, "a1")], MARKS);
        let said = |lines| sentence(&judged[0], Size::default(), false, lines);
        assert_eq!(said(1), "kifu: 400,7 ?? -43 %; best g7 g8");
        // White moves: what is good for it is below zero, and a loss in four plies is Black's win three plies later.
        assert_eq!(said(2), "kifu: 400,7 ?? -43 %; best g7 g8 (-40), h9 (-12)");
        assert_eq!(said(9), "kifu: 400,7 ?? -43 %; best g7 g8 (-40), h9 (-12), a1 (#+3)");
    }

    #[test]
    fn a_proven_win_stands_before_what_a_search_found() {
        let mut both = known(40, "g7 g8");
        both.fours = Some(vec![point("i8"), point("j8"), point("k8")]);
        let first: Vec<Point> = both.lines().iter().map(|line| line.points()[0]).collect();
        assert_eq!(first, [point("i8"), point("g7")]);
        both.finding.as_mut().unwrap().lines[0].moves = vec![Move::Place(point("i8"))];
        assert_eq!(both.lines().len(), 1);
    }

    const VARIATIONS: Telling = Telling { lines: 1, variations: true };

    /// The moves of every line of a tree, in order, with what is written at them.
    fn drawn(record: &Record) -> Vec<String> {
        let tree = &record.tree;
        let text = |(depth, node): (usize, NodeId)| {
            let name = tree.play(node).stone().map_or("-".into(), |point| Coords::A1.text(point, Size::default()));
            let texts = [tree.line(node), tree.body(node)].into_iter().flatten().collect::<Vec<_>>().join("|");
            format!("{}{name} {texts}", " ".repeat(depth)).trim_end().to_owned()
        };
        tree.walk().skip(1).map(text).collect()
    }

    fn annotated(record: &Record, best: &str) -> Record {
        let all = positions(record, Rule::Freestyle, 2);
        let known = [known(40, best), known(400, "i8"), known(-390, "a1")];
        write(record, &judge(record, &all, &known, MARKS), VARIATIONS).unwrap()
    }

    #[test]
    fn a_better_move_becomes_a_variation_and_the_next_one_takes_its_place() {
        let record = game("h8 h9 i8");
        let once = annotated(&record, "g7 g8 g9");
        assert_eq!(
            drawn(&once),
            [
                " h8",
                "  h9 kifu: 400,7 ?? -43 %; best g7 g8 g9",
                "   i8 kifu: 400,7",
                "  g7 kifu: -40; variation g7 g8 g9",
                "   g8",
                "    g9",
            ]
        );
        let variation = once.tree.children(once.tree.main_line().next().unwrap()).nth(1).unwrap();
        assert_eq!(once.tree.side(variation), Side::Second);
        let value = Value { score: Score::Points(-40), depth: None };
        assert_eq!(once.tree.notes(variation).next(), Some(Note::Value(value)));
        assert_eq!(annotated(&once, "g7 g8 g9"), once);
        assert_eq!(annotated(&once, "c3 d4"), annotated(&record, "c3 d4"));
        // Nothing of it is left where there is nothing to add.
        assert_eq!(annotated(&once, "h9"), annotated(&record, "h9"));
        assert_eq!(write(&once, &[], Telling::default()).unwrap(), record);
    }

    #[test]
    fn a_variation_that_is_there_is_not_doubled() {
        let mut builder = TreeBuilder::new();
        let mut add = |depth: usize, name: &str, note: Option<&str>| {
            builder.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point(name)))).unwrap();
            note.into_iter().for_each(|text| builder.note(Note::Line(text)).unwrap());
        };
        add(1, "h8", None);
        add(2, "h9", None);
        add(3, "i8", None);
        add(2, "g7", Some("kifu: better is this"));
        add(3, "g8", None);
        let record = Record { tree: builder.build(), ..Record::default() };
        let same = annotated(&record, "g7 g8");
        assert_eq!(
            (same.tree.len(), &drawn(&same)[3..]),
            (6, &["  g7 kifu: better is this".to_owned(), "   g8".into()][..])
        );
        // What goes on from it is ours alone.
        let longer = annotated(&record, "g7 g8 g9 g10");
        assert_eq!(drawn(&longer)[4..], ["   g8", "    g9 kifu: -40; variation g9 g10", "     g10"]);
        assert_eq!(write(&longer, &[], Telling::default()).unwrap(), record);
        let parting = annotated(&record, "g7 c3");
        assert_eq!(drawn(&parting)[4..], ["   g8", "   c3 kifu: -40; variation c3"]);
        assert_eq!(annotated(&parting, "g7 g8 g9 g10"), longer);
    }

    #[test]
    fn what_others_add_to_a_variation_of_ours_stays() {
        let once = annotated(&game("h8 h9 i8"), "g7 g8 g9 g10");
        let touched = |add: &dyn Fn(&mut TreeBuilder, &str)| {
            let tree = &once.tree;
            let mut builder = TreeBuilder::new();
            for (depth, node) in tree.walk().skip(1) {
                builder.append(depth, tree.side(node), tree.play(node)).unwrap();
                tree.notes(node).for_each(|note| builder.note(note).unwrap());
                add(&mut builder, &Coords::A1.text(tree.play(node).stone().unwrap(), Size::default()));
            }
            Record { tree: builder.build(), ..Record::default() }
        };
        let commented = touched(&|builder, name| {
            if name == "g8" {
                builder.note(Note::Line("mine")).unwrap();
            }
        });
        let bare = write(&commented, &[], Telling::default()).unwrap();
        assert_eq!(drawn(&bare), [" h8", "  h9", "   i8", "  g7", "   g8 mine"]);
        assert_eq!(
            drawn(&annotated(&commented, "g7 g8 g9"))[3..],
            ["  g7", "   g8 mine", "    g9 kifu: -40; variation g9"]
        );
        let found = touched(&|builder, name| {
            if name == "g10" {
                builder.append(6, Side::Second, Play::Move(Move::Place(point("a1")))).unwrap();
            }
        });
        let bare = write(&found, &[], Telling::default()).unwrap();
        assert_eq!(drawn(&bare).len(), 8);
        assert_eq!(drawn(&bare)[3..], ["  g7", "   g8", "    g9", "     g10", "      a1"]);
    }

    #[test]
    fn a_variation_of_ours_that_became_the_main_line_stays() {
        let mut builder = TreeBuilder::new();
        let mut add = |depth: usize, name: &str, note: Option<&str>| {
            builder.append(depth, Side::of_ply(depth), Play::Move(Move::Place(point(name)))).unwrap();
            note.into_iter().for_each(|text| builder.note(Note::Line(text)).unwrap());
        };
        add(1, "h8", None);
        add(2, "g7", Some("kifu: -40; variation g7 g8"));
        add(3, "g8", None);
        add(2, "h9", None);
        let record = Record { tree: builder.build(), ..Record::default() };
        let bare = write(&record, &[], Telling::default()).unwrap();
        assert_eq!(drawn(&bare), [" h8", "  g7", "   g8", "  h9"]);
        // The move that was played first is not doubled either.
        let wanted = [
            " h8",
            "  g7 kifu: 400,7 ?? -43 %; best h9",
            "   g8 kifu: 390,7; best i8",
            "   i8 kifu: 400; variation i8",
            "  h9",
        ];
        assert_eq!(drawn(&annotated(&record, "h9")), wanted);
    }

    #[test]
    fn a_line_of_another_hand_is_told_from_ours_by_what_follows_the_word() {
        for line in
            ["kifu: 12", "kifu: -350,4 ?? -58 %; best h6", "kifu: (10,7)", "kifu: #+5; best a1\r", "kifu: 0 ?! -10 %"]
        {
            assert!(is_ours(line.as_bytes()), "{line}");
        }
        for line in [
            "kifu: better is this",
            "kifu: ",
            "kifu:",
            "kifu: 12 stones are on the board",
            "kifu: 12;",
            "kifu: ?! -10 %",
            "kifu: (nice)",
            " kifu: 12",
            "kifu: 12 ?? really",
        ] {
            assert!(!is_ours(line.as_bytes()), "{line}");
        }
    }

    /// The moves of a game of xiangqi, in ICCS.
    fn pieces(fen: Option<&str>, moves: &str) -> Record {
        let mut builder = TreeBuilder::new();
        let first = if fen.is_some_and(|fen| fen.contains(" b")) { Side::Second } else { Side::First };
        let mut side = first;
        for (at, name) in moves.split_whitespace().enumerate() {
            let play = Move::from_text(name, Game::Xiangqi, Size::XIANGQI).unwrap();
            builder.append(at + 1, side, Play::Move(play)).unwrap();
            side = side.other();
        }
        let tags = fen.map(|fen| (crate::FEN.to_owned(), fen.to_owned())).into_iter().collect();
        let head = Head { game: Game::Xiangqi, size: Size::XIANGQI, tags, ..Head::default() };
        Record { head, tree: builder.build() }
    }

    fn found(value: i32, moves: &str) -> Known {
        let moves = moves.split_whitespace().map(|name| Move::from_text(name, Game::Xiangqi, Size::XIANGQI).unwrap());
        let line = Line { moves: moves.collect(), value: Some(value), grounds: None };
        let finding = Finding { lines: vec![line], depth: 5, scale: 200, ..Finding::default() };
        Known { finding: Some(finding), ..Known::default() }
    }

    #[test]
    fn the_history_of_a_piece_begins_after_a_capture() {
        let record = pieces(None, "h2e2 h9g7 e2e6 a9a8 h0g2");
        let all = piece_positions(&record, 1).unwrap();
        let told: Vec<usize> = all.iter().map(|position| position.history.len()).collect();
        assert_eq!(told, [0, 1, 2, 0, 1, 2]);
        assert!(all.iter().all(|position| position.ended.is_none()));
        assert_eq!(
            piece_positions(&record, 5).unwrap().iter().map(|position| position.ply).collect::<Vec<_>>(),
            [4, 5]
        );
        // A move that cannot be played ends the line.
        assert_eq!(piece_positions(&pieces(None, "h2e2 h2e2 h9g7"), 1).unwrap().len(), 2);
        let shuffled = "h0g2 h9g7 g2h0 g7h9 ".repeat(100);
        assert_eq!(piece_positions(&pieces(None, &shuffled), 1).unwrap().last().unwrap().history.len(), HISTORY);
        assert!(piece_positions(&pieces(Some("9/9 w"), "h2e2"), 1).is_err());
    }

    #[test]
    fn moves_of_pieces_are_judged_and_written_in_iccs() {
        // Mate in one with the rook; Red plays elsewhere first, then mates.
        let fen = "3k5/9/9/9/9/9/9/9/R8/R3K4 w - - 0 1";
        let record = pieces(Some(fen), "a0b0 d9d8 a1a8");
        let all = piece_positions(&record, 1).unwrap();
        assert_eq!(all.len(), 4);
        let known = [found(29_999, "a1a8"), found(-400, "d9e9 b0b8"), found(500, "b0b8"), found(-500, "d8d9")];
        let judged = judge(&record, &all, &known, MARKS);
        assert_eq!((judged[0].value, judged[0].mark), (400, Some(0)));
        let telling = Telling { lines: 1, variations: true };
        let once = write(&record, &judged, telling).unwrap();
        let texts: Vec<_> = once.tree.walk().skip(1).map(|(depth, node)| (depth, once.tree.line(node))).collect();
        assert_eq!(texts[0], (1, Some("kifu: 400,5 ?! -12 %; best a1a8")));
        assert!(texts.contains(&(1, Some("kifu: #+0; variation a1a8"))), "{texts:?}");
        assert_eq!(
            write(&once, &judge(&once, &piece_positions(&once, 1).unwrap(), &known, MARKS), telling).unwrap(),
            once
        );
        assert_eq!(write(&once, &[], Telling::default()).unwrap(), record);
    }

    #[test]
    fn who_cannot_move_has_lost() {
        // Rooks on two ranks: a mate.
        let record = pieces(Some("3k5/9/1R7/9/9/9/9/9/9/R3K4 w - - 0 1"), "b7b8 d9c9");
        assert_eq!(piece_positions(&record, 1).unwrap().len(), 2);
        let record = pieces(Some("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"), "b0b9");
        let all = piece_positions(&record, 1).unwrap();
        assert_eq!(all.last().unwrap().ended, Some(-30_000));
        let judged = judge(&record, &all, &[found(29_999, "b0b9"), Known::default()], MARKS);
        assert_eq!((judged[0].value, judged[0].loss), (29_999, 0.0));
        assert_eq!(black_value(&judged[0]).score, Score::FirstWins(0));
    }
}

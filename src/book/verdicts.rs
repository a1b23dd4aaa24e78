use crate::stance::Stance;
use games::{Point, Rules, Side};
use record::{Bound, Entry, Judgement, LabelKind, Labels, NodeId, Note, Play, Tree};

/// What the board texts of a node, and those that its children have on their own points of this board, say of the
/// positions that moves there lead to: the points, and the keys and entries of these positions.
///
/// Counts the texts that were read, or those that Rapfi would read if none are to be.
pub(crate) fn verdicts(
    tree: &Tree,
    node: NodeId,
    stance: &mut Stance,
    rules: Rules,
    labels: &Labels,
    counts: &mut [u64; LabelKind::ALL.len()],
) -> Vec<(Point, Vec<u8>, Entry)> {
    let mut found = Vec::new();
    let (ply, to_move) = (stance.stones() + 1, stance.to_move());
    let mut add = |point: Point, mover: Side, text: &str| {
        if !stance.is_free(point) {
            return;
        }
        let known = if labels.is_none() { Labels::RAPFI } else { labels };
        let Some((kind, verdict)) = known.read(text, mover, ply) else { return };
        counts[kind as usize] += 1;
        if labels.is_none() {
            return;
        }
        let judgement = verdict.value.map(|value| Judgement {
            value,
            bound: Bound::Exact,
            depth: 0,
            nodes: None,
            scale: Judgement::SCALE,
            source: String::new(),
        });
        let entry = Entry { label: verdict.label, judgement, ..Entry::default() };
        found.push((point, stance.key_after(point, mover, rules), entry));
    };
    for note in tree.notes(node) {
        if let Note::Label(point, text) = note {
            add(point, to_move, text);
        }
    }
    for child in tree.children(node) {
        for note in tree.notes(child) {
            let Note::Text(text) = note else { continue };
            match tree.play(child) {
                Play::Move(play) => play.point().into_iter().for_each(|point| add(point, tree.side(child), text)),
                Play::Label(point) => add(point, to_move, text),
                Play::Nothing => {}
            }
        }
    }
    found
}

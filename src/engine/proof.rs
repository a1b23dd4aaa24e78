use games::{Point, Side};
use record::{Full, Play, TreeBuilder};

/// A move of the attacker with what he plays against each reply that does not lose at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The attacker's move.
    pub attack: Point,
    /// The replies, and the step that answers each; where there are none the game is won.
    pub replies: Vec<(Point, StepId)>,
}

/// The place of a step in its [`Proof`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StepId(pub(crate) u32);

/// A tree that wins: a move wherever the attacker is to move, all replies wherever the other is.
///
/// A reply is left out where the attacker can make a five at once after it, or where it is forbidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    pub(crate) attacker: Side,
    /// A step comes after all that follow on it; the first move is the last step.
    pub(crate) steps: Vec<Step>,
    pub(crate) fours: u32,
    pub(crate) line: Vec<Point>,
}

impl Proof {
    /// The side that wins.
    pub const fn attacker(&self) -> Side {
        self.attacker
    }

    /// The first move.
    pub fn first(&self) -> StepId {
        StepId(self.steps.len() as u32 - 1)
    }

    /// A step.
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id.0 as usize]
    }

    /// How many fours the attacker plays at most; the five is not counted.
    pub const fn fours(&self) -> u32 {
        self.fours
    }

    /// The longest line, to the move that leaves no defence; a five alone if there is one at once.
    pub fn line(&self) -> &[Point] {
        &self.line
    }

    /// Adds the tree below the node that was added last, which stands at `depth`, the longest line first.
    pub fn grow(&self, builder: &mut TreeBuilder, depth: usize) -> Result<(), Full> {
        let place = |point| Play::Move(games::Move::Place(point));
        let mut waiting = vec![(self.first(), depth + 1, None)];
        while let Some((id, depth, reply)) = waiting.pop() {
            let mut depth = depth;
            if let Some(reply) = reply {
                builder.append(depth, self.attacker.other(), place(reply))?;
                depth += 1;
            }
            let step = self.step(id);
            builder.append(depth, self.attacker, place(step.attack))?;
            waiting.extend(step.replies.iter().rev().map(|&(reply, next)| (next, depth + 1, Some(reply))));
        }
        Ok(())
    }
}

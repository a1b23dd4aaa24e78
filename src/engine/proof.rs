use crate::Board;
use games::{Point, Side};
use record::{Full, Note, Play, TreeBuilder};

/// A move of the attacker with what he plays against each reply that does not lose at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The attacker's move.
    pub attack: Point,
    /// The replies, and the step that answers each; where there are none the game is won.
    pub replies: Vec<(Point, StepId)>,
    /// The step that answers every other reply, where the attack makes no four.
    pub otherwise: Option<StepId>,
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
    /// A proof that begins with the last step, on the board on which that is played.
    ///
    /// The first reply of each step has to be the one that holds out longest.
    pub(crate) fn new(attacker: Side, steps: Vec<Step>, board: &Board) -> Proof {
        let mut proof = Proof { attacker, steps, fours: 0, line: Vec::new() };
        let mut id = proof.first();
        loop {
            let step = proof.step(id);
            let (attack, next) = (step.attack, step.replies.first().copied());
            let is_five = board.fives(attacker).contains(attack);
            proof.line.push(attack);
            match next {
                Some((reply, next)) => {
                    proof.line.push(reply);
                    id = next;
                }
                None => {
                    proof.fours = proof.line.len().div_ceil(2) as u32 - u32::from(is_five);
                    return proof;
                }
            }
        }
    }

    /// The side that wins.
    pub const fn attacker(&self) -> Side {
        self.attacker
    }

    /// The first move.
    pub fn first(&self) -> StepId {
        StepId(self.steps.len() as u32 - 1)
    }

    /// All steps; each comes after those that follow on it.
    pub fn steps(&self) -> &[Step] {
        &self.steps
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
    ///
    /// What answers all other replies follows on a pass. A position that is reached again is not told again.
    pub fn grow(&self, builder: &mut TreeBuilder, depth: usize) -> Result<(), Full> {
        let place = |point| Play::Move(games::Move::Place(point));
        let defender = self.attacker.other();
        let mut told = vec![false; self.steps.len()];
        let mut waiting = vec![(self.first(), depth + 1, None)];
        while let Some((id, depth, reply)) = waiting.pop() {
            let mut depth = depth;
            if let Some(reply) = reply {
                builder.append(depth, defender, reply)?;
                depth += 1;
            }
            let step = self.step(id);
            builder.append(depth, self.attacker, place(step.attack))?;
            if std::mem::replace(&mut told[id.0 as usize], true) && !step.replies.is_empty() {
                builder.note(Note::Line("the same position is shown above"))?;
                continue;
            }
            let next = depth + 1;
            waiting.extend(step.otherwise.map(|id| (id, next, Some(Play::Move(games::Move::Pass)))));
            waiting.extend(step.replies.iter().rev().map(|&(reply, id)| (id, next, Some(place(reply)))));
        }
        Ok(())
    }
}

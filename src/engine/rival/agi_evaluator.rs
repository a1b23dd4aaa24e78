use super::agi::{Agi, SIZE, Thought, Until};
use super::detail::Said;
use super::evaluator::{Manner, TRIAL, TURN, line};
use super::insist::{Asked, Trouble, examine_again, insist, source};
use games::{Coords, Point, Rule, Size};
use record::{Abilities, Effort, Evaluate, Failure, Finding, Judgement, Question, StoneKey};
use std::sync::atomic::AtomicBool;

/// An engine that speaks the Amoyman Gobang Interface as one that evaluates positions.
///
/// Values come from those that say `INFO SCORE`; moves are left out by `GO SEARCH`, where that was heeded when it was
/// tried at the start. It tells one move. It is told to think without an end and stopped after the time, or when it has
/// told the depth; it knows no limit of nodes, and what it remembers from one question to the next nobody can forbid.
/// Nothing that it says is believed before it is seen to be a move, and none of its wins is proven.
///
/// An engine that fails is started anew and asked again, and each failure is a remark of the finding.
pub struct AgiEvaluator {
    manner: Manner,
    source: String,
    abilities: Abilities,
    running: Option<Agi<'static>>,
}

/// Nobody sets it: an engine that waits is stopped by nothing.
static NEVER: AtomicBool = AtomicBool::new(false);

impl AgiEvaluator {
    /// Starts a program, and sees by some small questions what it can do.
    pub fn start(manner: Manner, stop: &AtomicBool) -> Result<AgiEvaluator, Failure> {
        let nothing = Abilities { values: false, lines: false, except: false };
        let tries = manner.tries;
        let mut evaluator =
            AgiEvaluator { source: manner.line.name().to_owned(), manner, abilities: nothing, running: None };
        examine_again(tries, || {
            let examined = evaluator.examine(stop);
            evaluator.running = evaluator.running.take().filter(|_| examined.is_ok());
            examined
        })?;
        Ok(evaluator)
    }

    /// Another process of the same engine, which is started when it is asked for the first time.
    #[must_use]
    pub fn twin(&self) -> AgiEvaluator {
        let AgiEvaluator { manner, source, abilities, running: _ } = self;
        AgiEvaluator { manner: manner.clone(), source: source.clone(), abilities: *abilities, running: None }
    }

    fn examine(&mut self, stop: &AtomicBool) -> Result<(), Trouble> {
        let size = Size::square(SIZE).expect("15 is a size");
        let moves: Vec<Point> = [(7, 7), (7, 6)].into_iter().filter_map(|(x, y)| Point::new(x, y)).collect();
        let thought = self.think(Rule::Freestyle, &moves, None, TRIAL, stop)?;
        self.source = source(self.running.as_ref().map_or(self.manner.line.name(), Agi::name));
        self.abilities.values = thought.eval.is_some();
        self.abilities.except = true;
        let mut left: Vec<Point> = size.points().filter(|point| !moves.contains(point)).collect();
        let mut played = thought.point;
        for _ in 0..2 {
            left.retain(|point| *point != played);
            match self.think(Rule::Freestyle, &moves, Some(&left), TRIAL, stop) {
                Ok(thought) if left.contains(&thought.point) => played = thought.point,
                Err(Trouble::Stopped) => return Err(Trouble::Stopped),
                _ => {
                    self.abilities.except = false;
                    break;
                }
            }
        }
        Ok(())
    }

    fn think(
        &mut self,
        rule: Rule,
        moves: &[Point],
        only: Option<&[Point]>,
        effort: Effort,
        stop: &AtomicBool,
    ) -> Result<Thought, Trouble> {
        let mut engine = match self.running.take() {
            Some(engine) => engine.heeding(stop),
            None => Agi::start(&self.manner.line, stop)?,
        };
        let patience = self.manner.patience;
        let until = match effort {
            Effort { time: Some(time), depth, .. } => Until { time, depth, patience },
            // A part of its patience is left for the answer.
            Effort { depth: Some(depth), .. } => {
                let time = self.manner.thinking();
                Until { time, depth: Some(depth), patience: patience.saturating_sub(time) }
            }
            _ => Until { time: TURN, depth: None, patience },
        };
        let thought = engine.think(rule, moves, only, until)?;
        self.running = Some(engine.heeding(&NEVER));
        Ok(thought)
    }

    /// Asks once.
    fn ask(&mut self, asked: &Asked<'_>, stop: &AtomicBool) -> Result<Finding, Trouble> {
        let Asked { question: Question { effort, .. }, except, .. } = asked;
        let StoneKey { rule, size, .. } = asked.position;
        let only: Option<Vec<Point>> = (self.abilities.except && !except.is_empty()).then(|| asked.free().collect());
        let Thought { point, moves, eval, depth } = self.think(*rule, &asked.moves, only.as_deref(), *effort, stop)?;
        let name = Coords::A1.text(point, *size);
        asked.may(point).map_err(Trouble::Wrong)?;
        if except.contains(&point) {
            return Err(match only {
                Some(_) => Trouble::Wrong(format!("it played {name}, which it was told to leave out")),
                None => Trouble::Unfit(format!("it prefers {name}, and cannot leave out the moves that are known")),
            });
        }
        let mut remarks = Vec::new();
        let line = line(Said { moves, eval, depth }, asked.position, &mut remarks);
        if self.abilities.values && line.value.is_none() {
            remarks.push(format!("it said no value of {name}"));
        }
        Ok(Finding {
            lines: vec![line],
            depth: i16::try_from(depth.unwrap_or(0)).unwrap_or(i16::MAX),
            nodes: None,
            scale: Judgement::SCALE,
            remarks,
        })
    }
}

impl Evaluate for AgiEvaluator {
    fn source(&self) -> &str {
        &self.source
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// An engine that cannot leave out moves is asked all the same: what it finds counts unless it is one of those.
    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        let StoneKey { rule, size, .. } = *question.stones()?;
        if !matches!(rule, Rule::Freestyle | Rule::Renju) {
            return Err(Failure::Unfit(format!("AGI has no word for the rule {rule}: it knows freestyle and renju")));
        }
        if (size.width(), size.height()) != (SIZE, SIZE) {
            return Err(Failure::Unfit(format!("AGI has no word for a board of {size}: it knows 15x15")));
        }
        let tries = self.manner.tries;
        insist(question, tries, stop, |asked| {
            let found = self.ask(asked, stop);
            if matches!(found, Err(Trouble::Wrong(_))) {
                self.running = None;
            }
            found
        })
    }
}

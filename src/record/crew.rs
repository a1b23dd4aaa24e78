//! Several evaluators at work on one list of questions.

use crate::{Evaluate, Failure, Finding, Question};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The stack of an evaluator: a search goes down 128 plies and some more by fours.
const STACK: usize = 16 << 20;

/// Evaluates the questions, each by whichever evaluator is free, and hands out what is found with the number of the
/// question, as soon as it is found.
///
/// The questions are begun in their order; nothing is begun after `stop` is set, and what was begun then fails with
/// [`Failure::Stopped`]. What `each` hears does not depend on the number of evaluators, but for its order.
pub fn evaluate_all<E: Evaluate + Send>(
    evaluators: &mut [E],
    questions: &[Question],
    stop: &AtomicBool,
    mut each: impl FnMut(usize, Result<Finding, Failure>),
) {
    let next = AtomicUsize::new(0);
    let (sender, found) = mpsc::channel();
    thread::scope(|scope| {
        for evaluator in evaluators.iter_mut().take(questions.len()) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while !stop.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = questions.get(at) else { break };
                    if sender.send((at, evaluator.evaluate(question, stop))).is_err() {
                        break;
                    }
                }
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a system has room for threads");
        }
        drop(sender);
        found.into_iter().for_each(|(at, found)| each(at, found));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Abilities, Effort, Line, StoneKey};
    use games::{Point, Rule, Side, Size};

    /// One that finds the point whose code is the number of stones, and stops all at some number.
    struct Counter<'s> {
        stops_at: usize,
        stop: &'s AtomicBool,
    }

    impl Evaluate for Counter<'_> {
        fn source(&self) -> &str {
            "counter"
        }

        fn abilities(&self) -> Abilities {
            Abilities::ALL
        }

        fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
            let position = question.stones()?;
            let stones = position.stones.len();
            if stones == self.stops_at {
                self.stop.store(true, Ordering::Relaxed);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            let line = Line::of_points([position.stones[stones - 1].0], None, None);
            Ok(Finding { lines: vec![line], ..Finding::default() })
        }
    }

    fn questions(count: usize) -> Vec<Question> {
        let points: Vec<Point> = Size::default().points().collect();
        let key = |stones: usize| StoneKey {
            rule: Rule::Freestyle,
            size: Size::default(),
            to_move: Side::First,
            stones: points[..stones].iter().map(|point| (*point, Side::First)).collect(),
        };
        let question = |stones| Question {
            position: key(stones).into(),
            history: Vec::new(),
            except: Vec::new(),
            lines: 1,
            effort: Effort::default(),
        };
        (1..=count).map(question).collect()
    }

    #[test]
    fn every_question_is_answered_once_whatever_the_number_of_evaluators() {
        let questions = questions(100);
        for workers in [1, 2, 7, 200] {
            let stop = AtomicBool::new(false);
            let mut crew: Vec<_> = (0..workers).map(|_| Counter { stops_at: 0, stop: &stop }).collect();
            let mut seen = vec![0; questions.len()];
            evaluate_all(&mut crew, &questions, &stop, |at, found| {
                seen[at] += 1;
                assert_eq!(found.unwrap().lines[0].points()[0], questions[at].stones().unwrap().stones[at].0);
            });
            assert!(seen.iter().all(|times| *times == 1), "{workers}");
        }
    }

    #[test]
    fn nothing_is_begun_after_a_stop() {
        let questions = questions(50);
        let stop = AtomicBool::new(false);
        let mut crew: Vec<_> = (0..1).map(|_| Counter { stops_at: 20, stop: &stop }).collect();
        let mut answers = Vec::new();
        evaluate_all(&mut crew, &questions, &stop, |_, found| answers.push(found));
        assert_eq!(answers.len(), 20);
        assert!(answers[..19].iter().all(Result::is_ok) && answers[19] == Err(Failure::Stopped));
    }
}

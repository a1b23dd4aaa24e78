//! Many positions evaluated side by side, and kept as they are.

use super::duration::{duration, spoken};
use super::evaluator::Evaluator;
use super::job::{Answered, id};
use super::journal::Journal;
use super::lines::processors;
use super::progress::PROGRESS;
use super::terminal::{complain, count, harmless};
use ::book::Found;
use ::formats::position_text;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::Game;
use record::{Abilities, Effort, Evaluate, Failure, Finding, Question, evaluate_all};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Nodes of a position where nothing is said.
const NODES: u64 = 10_000;

/// How long each position is searched.
#[derive(Args)]
pub struct EachArgs {
    /// Search each position for so many nodes [default: 10000, unless a depth or a time is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    each_nodes: Option<u64>,
    /// Search each position to this depth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    each_depth: Option<u32>,
    /// Search each position for so long, such as 500ms; what is found then depends on the machine
    #[arg(long, value_name = "TIME", value_parser = duration)]
    each_time: Option<Duration>,
}

impl EachArgs {
    /// The effort for a position.
    pub fn effort(&self) -> Effort {
        effort(self.each_nodes, self.each_depth, self.each_time)
    }
}

/// The effort that is said, or the usual one.
pub fn effort(nodes: Option<u64>, depth: Option<u32>, time: Option<Duration>) -> Effort {
    let usual = depth.is_none() && time.is_none();
    Effort { nodes: nodes.or(usual.then_some(NODES)), depth, time }
}

/// Who works.
#[derive(Args)]
pub struct CrewArgs {
    #[command(flatten)]
    pub evaluator: Evaluator,
    /// Positions that are evaluated at once [default: the processors]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl CrewArgs {
    /// An error where they do not play the game.
    pub fn fit(&self, game: Game) -> Result<(), String> {
        self.evaluator.fit(game)
    }

    /// Starts the evaluators; what they cannot do is said.
    pub fn start(&self) -> Result<Vec<Box<dyn Evaluate + Send>>> {
        self.evaluator.crew(self.threads.map_or_else(processors, usize::from))
    }
}

/// What works, and what it has done.
pub struct Work {
    crew: Vec<Box<dyn Evaluate + Send>>,
    source: String,
    abilities: Abilities,
    journal: Journal,
    /// Evaluations of this run, those that the journal had, those that failed.
    pub evaluated: u64,
    pub resumed: u64,
    pub failed: u64,
    /// Of which the best move is one of the book's, which the evaluator cannot leave out.
    left: u64,
    /// Of which a book has nothing to say.
    unknown: u64,
    /// Nodes of all of them.
    pub nodes: u64,
    begun: Instant,
}

impl Work {
    /// Starts the evaluators; says beforehand what they cannot do.
    pub fn begin(args: &CrewArgs, journal: Journal) -> Result<Work> {
        let crew = args.start()?;
        let first = crew.first().context("there is nobody to evaluate")?;
        let (source, abilities) = (first.source().to_owned(), first.abilities());
        if journal.len() > 0 {
            complain(&format!("the journal has {} already", count(journal.len() as u64, "evaluation")));
        }
        let begun = Instant::now();
        Ok(Work {
            crew,
            source,
            abilities,
            journal,
            evaluated: 0,
            resumed: 0,
            failed: 0,
            left: 0,
            unknown: 0,
            nodes: 0,
            begun,
        })
    }

    /// How many work side by side.
    pub fn workers(&self) -> usize {
        self.crew.len()
    }

    /// Who works.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Positions of which a book that evaluates has nothing to say.
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// What they can do.
    pub const fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// How long it has gone on.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Answers some questions; in their order, without those that have no answer, which are told and returned apart.
    pub fn answer(&mut self, questions: &[Question]) -> Result<(Vec<Found>, Vec<Question>)> {
        let (findings, failed) = self.findings(questions)?;
        let found = |(question, finding): (&Question, Option<Finding>)| {
            let Question { position, except, .. } = question.clone();
            Some(Found { position, except, finding: finding?, source: self.source.clone() })
        };
        Ok((questions.iter().zip(findings).filter_map(found).collect(), failed))
    }

    /// What is found of each of some questions; those that have no answer are told, and returned apart, too.
    pub fn findings(&mut self, questions: &[Question]) -> Result<(Vec<Option<Finding>>, Vec<Question>)> {
        let mut answers: Vec<Option<Finding>> = Vec::with_capacity(questions.len());
        let mut missing = Vec::new();
        for question in questions {
            let known = self.journal.find(question, &self.source);
            // One that failed is tried again.
            let found = known.and_then(|answered| answered.finding.clone().ok());
            match &found {
                Some(_) => self.resumed += 1,
                None => missing.push((answers.len(), question.clone())),
            }
            answers.push(found);
        }
        PROGRESS.done.fetch_add((questions.len() - missing.len()) as u64, Ordering::Relaxed);
        let asked: Vec<Question> = missing.iter().map(|(_, question)| question.clone()).collect();
        let (mut failed, mut broken, mut left, mut unknown) = (Vec::new(), None, 0, 0);
        let Work { crew, source, abilities, journal, .. } = self;
        evaluate_all(crew, &asked, &PROGRESS.stop, |at, finding| {
            if finding == Err(Failure::Stopped) {
                return;
            }
            let (place, question) = &missing[at];
            broken = broken.take().or(journal.add(question, source, &finding).err());
            if broken.is_some() {
                PROGRESS.stop.store(true, Ordering::Relaxed);
            }
            PROGRESS.done.fetch_add(1, Ordering::Relaxed);
            match finding {
                Ok(finding) => {
                    tell_remarks(question, &finding.remarks);
                    answers[*place] = Some(finding);
                }
                // That it cannot do this was said at the beginning.
                Err(Failure::Unfit(_)) if !abilities.except && !question.except.is_empty() => {
                    left += 1;
                    failed.push(question.clone());
                }
                Err(Failure::Unknown(_)) => {
                    unknown += 1;
                    failed.push(question.clone());
                }
                Err(failure) => {
                    complain(&format!("{}: {}", position_text(&question.position), harmless(&failure.to_string())));
                    failed.push(question.clone());
                }
            }
        });
        if let Some(error) = broken {
            return Err(error);
        }
        self.journal.sync()?;
        if PROGRESS.stop.load(Ordering::Relaxed) {
            bail!("stopped: what was evaluated is kept, and the same command goes on from there");
        }
        failed.sort_by_key(id);
        self.left += left;
        self.unknown += unknown;
        self.failed += failed.len() as u64 - left - unknown;
        self.evaluated += (asked.len() - failed.len()) as u64;
        self.nodes += answers.iter().flatten().filter_map(|finding| finding.nodes).sum::<u64>();
        Ok((answers, failed))
    }

    /// The journal, to note what is written.
    pub fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// The journal, when all is done.
    pub fn into_journal(self) -> Journal {
        self.journal
    }

    /// Says in a sentence what was done.
    pub fn summary(&self) -> String {
        let mut text = format!("  evaluated: {} in {}", count(self.evaluated, "position"), spoken(self.elapsed()));
        if self.resumed > 0 {
            text += &format!(", and {} from the journal", count(self.resumed, "position"));
        }
        if self.left > 0 {
            text += &format!("\n  left, as the engine prefers moves of the book: {}", count(self.left, "position"));
        }
        if self.unknown > 0 {
            text += &format!("\n  not evaluated, as the other book has no value: {}", count(self.unknown, "position"));
        }
        if self.failed > 0 {
            text += &format!("\n  failed: {}", count(self.failed, "position"));
        }
        text
    }
}

/// What an answer that was written says; `None` if the evaluation failed, which is to be tried again.
pub fn found(answered: Answered) -> Option<Found> {
    let Answered { position, except, source, finding, .. } = answered;
    finding.ok().map(|finding| Found { position, except, finding, source })
}

fn tell_remarks(question: &Question, remarks: &[String]) {
    for remark in remarks {
        complain(&format!("{}: {}", position_text(&question.position), harmless(remark)));
    }
}

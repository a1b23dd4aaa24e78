//! What evaluating and expanding a book share: who evaluates and how long, rounds of questions, and the journal.

use super::super::duration::{duration, spoken};
use super::super::evaluator::Evaluator;
use super::super::input::{Input, name};
use super::super::job::{Answered, id};
use super::super::journal::{Journal, beside};
use super::super::progress::{Bar, PROGRESS};
use super::super::terminal::{complain, count, harmless};
use super::change::Target;
use super::{draft, hash, open, refuse_changed, say};
use ::book::{Absorbed, Choices, Found, Graph, Scale, Study};
use ::formats::position_text;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::gomoku::OpeningRule;
use record::{Abilities, Effort, Evaluate, Failure, Judgement, Question, evaluate_all};
use std::path::{Path, PathBuf};
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

/// How values of positions come to those of others.
#[derive(Args)]
pub struct ChoiceArgs {
    /// How the players choose while the opening lasts: rif, yamaguchi, soosorv, taraguchi, swap, swap2 and others
    #[arg(long, value_name = "RULE")]
    opening_rule: Option<OpeningRule>,
    /// Fifth moves that Black offers, where the rule leaves the number to the players
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    fifths: Option<u8>,
    /// Turn values of another scale than 200 into it, by their win rates
    #[arg(long)]
    convert_scales: bool,
}

impl ChoiceArgs {
    /// The choices of the players.
    pub fn choices(&self) -> Choices {
        self.opening_rule.as_ref().map_or_else(Choices::default, |rule| Choices::new(rule, self.fifths))
    }

    /// A book in memory, with the values of all positions.
    pub fn study(&self, input: &Input, path: &Path) -> Result<Study> {
        let _bar = Bar::watch(input.len() as u64);
        let scale = Scale { k: Judgement::SCALE, converts: self.convert_scales };
        let graph = Graph::read(&open(input, path)?, scale, &PROGRESS.stop).map_err(|error| match error {
            ::book::Error::Scale { found, wanted } => anyhow::anyhow!(
                "there are values of scale {found} beside those of {wanted}: use --convert-scales to turn them by their \
                 win rates"
            ),
            error => error.into(),
        });
        Ok(Study::new(graph.with_context(|| name(path))?, self.choices()))
    }

    /// What a command line that repeats these options says.
    pub fn said(&self) -> String {
        let rule = self.opening_rule.as_ref().map(|rule| format!(" --opening-rule {}", rule.name));
        let fifths = self.fifths.map(|fifths| format!(" --fifths {fifths}"));
        rule.into_iter().chain(fifths).collect()
    }
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

/// What works, and what it has done.
pub struct Work {
    crew: Vec<Box<dyn Evaluate + Send>>,
    source: String,
    abilities: Abilities,
    journal: Journal,
    /// Evaluations of this run, those that the journal had, those that failed, and those whose best move is one of the
    /// book's, which the evaluator cannot leave out.
    pub evaluated: u64,
    pub resumed: u64,
    pub failed: u64,
    left: u64,
    /// Nodes of all of them.
    pub nodes: u64,
    begun: Instant,
}

impl Work {
    /// Starts the evaluators; says beforehand what they cannot do.
    pub fn begin(args: &CrewArgs, journal: Journal) -> Result<Work> {
        let threads = args.threads.map_or_else(super::super::lines::processors, usize::from);
        let crew = args.evaluator.crew(threads)?;
        let first = crew.first().context("there is nobody to evaluate")?;
        let (source, abilities) = (first.source().to_owned(), first.abilities());
        if journal.len() > 0 {
            complain(&format!("the journal has {} already", count(journal.len() as u64, "evaluation")));
        }
        let begun = Instant::now();
        Ok(Work { crew, source, abilities, journal, evaluated: 0, resumed: 0, failed: 0, left: 0, nodes: 0, begun })
    }

    /// How long it has gone on.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Answers some questions; in their order, without those that have no answer, which are told and returned apart.
    pub fn answer(&mut self, questions: &[Question]) -> Result<(Vec<Found>, Vec<Question>)> {
        let mut answers: Vec<Option<Found>> = Vec::with_capacity(questions.len());
        let mut missing = Vec::new();
        for question in questions {
            let known = self.journal.find(question, &self.source);
            let found = known.and_then(|answered| found(answered.clone()));
            match &found {
                Some(_) => self.resumed += 1,
                None => missing.push((answers.len(), question.clone())),
            }
            answers.push(found);
        }
        PROGRESS.done.fetch_add((questions.len() - missing.len()) as u64, Ordering::Relaxed);
        let asked: Vec<Question> = missing.iter().map(|(_, question)| question.clone()).collect();
        let (mut failed, mut broken, mut left) = (Vec::new(), None, 0);
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
                    let Question { position, except, .. } = question.clone();
                    answers[*place] = Some(Found { position, except, finding, source: source.clone() });
                }
                // That it cannot do this was said at the beginning.
                Err(Failure::Unfit(_)) if !abilities.except && !question.except.is_empty() => {
                    left += 1;
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
        self.failed += failed.len() as u64 - left;
        self.evaluated += (asked.len() - failed.len()) as u64;
        let answers: Vec<Found> = answers.into_iter().flatten().collect();
        self.nodes += answers.iter().filter_map(|found| found.finding.nodes).sum::<u64>();
        Ok((answers, failed))
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

/// The journal beside a book that is to be written; `None` if the book, of this content hash, has all that it holds,
/// because a run ended just when it was done.
pub fn journal(target: &Path, content: &str) -> Result<Option<Journal>> {
    let journal = Journal::open(&beside(target))?;
    if journal.is_done(content) {
        journal.remove()?;
        return Ok(None);
    }
    Ok(Some(journal))
}

/// Where a book that learns is read and written.
pub struct Place<'a> {
    pub book: &'a Path,
    pub input: Input,
    pub target: &'a Target,
    pub path: PathBuf,
}

/// Writes the book with what it has learned in its place, and removes the journal.
pub fn save(place: Place<'_>, study: &mut Study, mut journal: Journal, provenance: &str) -> Result<()> {
    let Place { book, input, target, path } = place;
    let opened = open(&input, book)?;
    let (output, written) = {
        let _bar = Bar::watch(input.len() as u64);
        draft(&path, target.replaces(), |out| study.write(&opened, out, provenance))?
    };
    if target.is_in_place() {
        refuse_changed(book, &input)?;
    }
    // Windows replaces no file that is mapped.
    drop(input);
    journal.finish(&hash(written.content))?;
    output.commit()?;
    journal.remove()?;
    say(&path, &written)
}

/// What became of answers, in lines.
pub fn tell(absorbed: Absorbed) -> String {
    let Absorbed { added, learned, known, strange, loose } = absorbed;
    let mut text = format!("  new: {}\n  learned of: {}", count(added, "position"), count(learned, "position"));
    for (number, what) in [
        (known, "nothing new in"),
        (strange, "of positions that the book does not lead to"),
        (loose, "left out, as other answers are missing"),
    ] {
        if number > 0 {
            text += &format!("\n  {what}: {}", count(number, "answer"));
        }
    }
    text
}

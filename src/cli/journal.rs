//! Answers kept while work goes on, so that what was done is neither lost nor done twice, whatever ends the program.

use super::input::{name, reason};
use super::job::{Answered, answer_line, checked, id, read_answer, unchecked};
use super::output::failed;
use super::terminal::{complain, count};
use anyhow::{Result, anyhow, bail};
use record::{Failure, Finding, Question};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So long an answer may wait to be safe from a power cut; from the end of the program it is safe at once.
const PATIENCE: Duration = Duration::from_millis(200);

/// A longer line is no answer.
const LONGEST: u64 = 1 << 20;

/// A file of answers, a line each with a checksum, to which this run alone appends.
pub struct Journal {
    path: PathBuf,
    file: File,
    answers: HashMap<(u128, String), Answered>,
    synced: Instant,
    is_synced: bool,
    /// The content hash of the book that the answers went into, if they did.
    done: Option<String>,
    /// The files that this work has begun to write.
    targets: HashSet<String>,
}

impl Journal {
    /// Opens a journal, or begins one, and reads what it holds. A line that is cut is left out, and so is what is
    /// damaged, with a word.
    pub fn open(path: &Path) -> Result<Journal> {
        let options = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = options.map_err(|error| failed(path, &error))?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            bail!("{}: another run is at this work: wait for it, or stop it", path.display());
        }
        let mut journal = Journal {
            path: path.into(),
            file: file.try_clone().map_err(|error| failed(path, &error))?,
            answers: HashMap::new(),
            synced: Instant::now(),
            is_synced: true,
            done: None,
            targets: HashSet::new(),
        };
        let unread = |error| anyhow!("{}: {}", path.display(), reason(&error));
        let length = file.metadata().map_err(unread)?.len();
        let (mut reader, mut line, mut whole, mut damaged) = (BufReader::new(&mut file), Vec::new(), 0_u64, 0_u64);
        let mut at = 0_u64;
        loop {
            line.clear();
            let read = std::io::Read::take(&mut reader, LONGEST).read_until(b'\n', &mut line).map_err(unread)?;
            if read == 0 {
                break;
            }
            at += read as u64;
            let text = std::str::from_utf8(&line).unwrap_or_default();
            match read_answer(text) {
                Ok(answer) => {
                    journal.answers.insert((answer.job, answer.source.clone()), answer);
                    whole = at;
                }
                Err(_) => match read_step(text) {
                    Some(step) => {
                        match step {
                            Step::Done(content) => journal.done = Some(content),
                            Step::Target(path) => _ = journal.targets.insert(path),
                        }
                        whole = at;
                    }
                    // What a power cut left stands at the end.
                    None if at == length && !line.ends_with(b"\n") => {}
                    None => {
                        damaged += 1;
                        whole = at;
                    }
                },
            }
        }
        drop(reader);
        if whole < length {
            file.set_len(whole).map_err(|error| failed(path, &error))?;
            file.seek(SeekFrom::End(0)).map_err(|error| failed(path, &error))?;
        }
        if damaged > 0 {
            complain(&format!("{}: damaged, and to be done again: {}", name(path), count(damaged, "line")));
        }
        Ok(journal)
    }

    /// How many answers it holds.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// The answer of this source to a question.
    pub fn find(&self, question: &Question, source: &str) -> Option<&Answered> {
        self.answers.get(&(id(question), source.to_owned()))
    }

    /// Adds an answer.
    pub fn add(&mut self, question: &Question, source: &str, finding: &Result<Finding, Failure>) -> Result<()> {
        self.append(answer_line(question, source, finding))?;
        if self.synced.elapsed() >= PATIENCE {
            self.sync()?;
        }
        Ok(())
    }

    fn append(&mut self, mut line: String) -> Result<()> {
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|error| failed(&self.path, &error))?;
        self.is_synced = false;
        Ok(())
    }

    /// Makes all that was added safe from a power cut.
    pub fn sync(&mut self) -> Result<()> {
        if !self.is_synced {
            self.file.sync_data().map_err(|error| failed(&self.path, &error))?;
            self.is_synced = true;
        }
        self.synced = Instant::now();
        Ok(())
    }

    /// Whether its answers have gone into the book of this content hash already.
    pub fn is_done(&self, content: &str) -> bool {
        self.done.as_deref() == Some(content)
    }

    /// Notes that all answers are in a book of this content hash, which is about to take its place.
    pub fn finish(&mut self, content: &str) -> Result<()> {
        self.append(checked(format!("{{\"kifu\":1,\"done\":\"{content}\"}}")))?;
        self.sync()
    }

    /// Notes that this work is about to write a file, which a run that goes on may write again.
    pub fn begin(&mut self, target: &Path) -> Result<()> {
        let target = target.display().to_string();
        if self.targets.insert(target.clone()) {
            let object = serde_json::json!({ "kifu": 1, "target": target });
            self.append(checked(object.to_string()))?;
            self.sync()?;
        }
        Ok(())
    }

    /// Whether an earlier run of this work has begun to write a file.
    pub fn has_begun(&self, target: &Path) -> bool {
        self.targets.contains(&target.display().to_string())
    }

    /// Removes the file.
    pub fn remove(self) -> Result<()> {
        let gone = fs::remove_file(&self.path);
        gone.map_err(|error| anyhow!("{}: it cannot be removed: {}", self.path.display(), reason(&error)))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Work that failed before anything was done leaves nothing.
        if self.file.metadata().is_ok_and(|meta| meta.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What a line says that is no answer.
enum Step {
    Done(String),
    Target(String),
}

fn read_step(line: &str) -> Option<Step> {
    let object = unchecked(line)?;
    let object: serde_json::Value = serde_json::from_str(&object).ok()?;
    let text = |name: &str| object.get(name)?.as_str().map(str::to_owned);
    text("done").map(Step::Done).or_else(|| text("target").map(Step::Target))
}

/// The journal of what is written into a file.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

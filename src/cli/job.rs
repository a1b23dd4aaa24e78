//! Questions and their answers as lines of JSON, to be carried to other machines and kept through a power cut.

use formats::{position_key, position_text};
use games::{Game, Move, Rules, Size, Step};
use record::{Effort, Failure, Finding, Grounds, Key, Line, Question};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The version of the lines.
const VERSION: u32 = 1;

/// An answer as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// The [`id`] of the question.
    pub job: u128,
    /// The position of the question.
    pub position: Key,
    /// The moves that it left out.
    pub except: Vec<Move>,
    /// Who answered.
    pub source: String,
    /// What was found, or a sentence that says why nothing was.
    pub finding: Result<Finding, String>,
}

#[derive(Serialize, Deserialize)]
struct JobForm {
    kifu: u32,
    job: String,
    rule: String,
    size: String,
    position: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    history: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    except: Vec<String>,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    lines: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_ms: Option<u64>,
}

const fn one() -> usize {
    1
}

const fn is_one(lines: &usize) -> bool {
    *lines == 1
}

#[derive(Serialize, Deserialize)]
struct AnswerForm {
    kifu: u32,
    job: String,
    rule: String,
    size: String,
    position: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    except: Vec<String>,
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(default)]
    lines: Vec<LineForm>,
    #[serde(default)]
    depth: i16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(default = "scale")]
    scale: u16,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

const fn scale() -> u16 {
    record::Judgement::SCALE
}

#[derive(Serialize, Deserialize)]
struct LineForm {
    moves: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

/// What tells a question from all others: two of one id are the same, whoever asks.
pub fn id(question: &Question) -> u128 {
    xxh3_128(job_form(question, String::new()).as_bytes())
}

/// A question as a line, without its end.
pub fn job_line(question: &Question) -> String {
    job_form(question, hex(id(question)))
}

fn job_form(question: &Question, job: String) -> String {
    let Question { position, history, except, lines, effort } = question;
    let form = JobForm {
        kifu: VERSION,
        job,
        rule: position.rules().to_string(),
        size: position.size().to_string(),
        position: position_text(position),
        history: history.iter().map(Step::to_string).collect(),
        except: names(except, position.size()),
        lines: *lines,
        nodes: effort.nodes,
        depth: effort.depth,
        time_ms: effort.time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
    };
    serde_json::to_string(&form).expect("texts and numbers can be written")
}

/// The question of a line; the message says what is wrong with it.
pub fn read_job(line: &str) -> Result<Question, String> {
    let form: JobForm = serde_json::from_str(line).map_err(|error| format!("this is no job: {error}"))?;
    let position = position_of(form.kifu, &form.rule, &form.size, &form.position)?;
    let except = moves(&form.except, &position)?;
    let history: Option<Vec<Step>> = form.history.iter().map(|name| Step::from_text(name)).collect();
    let history = history.ok_or("a move of the history is none")?;
    let effort = Effort { nodes: form.nodes, depth: form.depth, time: form.time_ms.map(Duration::from_millis) };
    if effort == Effort::default() {
        return Err("nothing says when the evaluation ends: write nodes, depth or time_ms".into());
    }
    let question = Question { position, history, except, lines: form.lines.clamp(1, 225), effort };
    match form.job == hex(id(&question)) {
        true => Ok(question),
        false => Err("the job does not have the number of what it asks: it was changed by hand, or cut".into()),
    }
}

/// An answer as a line, without its end.
pub fn answer_line(question: &Question, source: &str, finding: &Result<Finding, Failure>) -> String {
    let Question { position, except, .. } = question;
    let (found, failed) = match finding {
        Ok(found) => (found.clone(), None),
        Err(failure) => (Finding::default(), Some(failure.to_string())),
    };
    let Finding { lines, depth, nodes, scale, remarks } = found;
    let line = |line: Line| LineForm {
        moves: names(&line.moves, position.size()),
        value: line.value,
        proof: line.grounds.map(|grounds| proof(grounds).into()),
    };
    let form = AnswerForm {
        kifu: VERSION,
        job: hex(id(question)),
        rule: position.rules().to_string(),
        size: position.size().to_string(),
        position: position_text(position),
        except: names(except, position.size()),
        source: source.into(),
        failed,
        lines: lines.into_iter().map(line).collect(),
        depth,
        nodes,
        scale,
        remarks,
    };
    checked(serde_json::to_string(&form).expect("texts and numbers can be written"))
}

/// The answer of a line; the message says what is wrong with it.
pub fn read_answer(line: &str) -> Result<Answered, String> {
    let text = unchecked(line).ok_or("the line is cut or damaged: its checksum is wrong")?;
    let form: AnswerForm = serde_json::from_str(&text).map_err(|error| format!("this is no answer: {error}"))?;
    let position = position_of(form.kifu, &form.rule, &form.size, &form.position)?;
    let job = u128::from_str_radix(&form.job, 16).map_err(|_| "the number of the job is none".to_owned())?;
    let line = |line: LineForm| -> Result<Line, String> {
        let moves = moves(&line.moves, &position)?;
        if moves.is_empty() {
            return Err("a line without moves".into());
        }
        let grounds = line.proof.as_deref().map(grounds).transpose()?;
        Ok(Line { moves, value: line.value, grounds })
    };
    let lines = form.lines.into_iter().map(line).collect::<Result<_, String>>()?;
    let finding = Finding { lines, depth: form.depth, nodes: form.nodes, scale: form.scale, remarks: form.remarks };
    Ok(Answered {
        job,
        except: moves(&form.except, &position)?,
        position,
        source: form.source,
        finding: form.failed.map_or(Ok(finding), Err),
    })
}

/// The line with a checksum as its last member.
pub fn checked(mut object: String) -> String {
    let check = xxh3_64(object.as_bytes());
    object.truncate(object.len() - 1);
    object += &format!(",\"check\":\"{check:016x}\"}}");
    object
}

/// The object without its checksum; `None` where that is wrong or missing.
pub fn unchecked(line: &str) -> Option<String> {
    let (object, rest) = line.trim_end().rsplit_once(",\"check\":\"")?;
    let check = u64::from_str_radix(rest.strip_suffix("\"}")?, 16).ok()?;
    let object = format!("{object}}}");
    (xxh3_64(object.as_bytes()) == check).then_some(object)
}

fn hex(id: u128) -> String {
    format!("{id:032x}")
}

fn proof(grounds: Grounds) -> &'static str {
    match grounds {
        Grounds::Fours => "fours",
        Grounds::Threats => "threats",
    }
}

fn grounds(text: &str) -> Result<Grounds, String> {
    match text {
        "fours" => Ok(Grounds::Fours),
        "threats" => Ok(Grounds::Threats),
        _ => Err("a proof is by fours or threats".into()),
    }
}

fn position_of(version: u32, rule: &str, size: &str, text: &str) -> Result<Key, String> {
    if version != VERSION {
        return Err(format!("the line is of version {version}, and only {VERSION} is known"));
    }
    let rules: Rules = rule.parse()?;
    let size: Size = size.parse().map_err(|_| "the size of the board is none".to_owned())?;
    let key = position_key(text, rules, size)?;
    if key.size() == size { Ok(key) } else { Err("the board is drawn in another size than the line says".into()) }
}

fn names(moves: &[Move], size: Size) -> Vec<String> {
    moves.iter().map(|play| play.text(size)).collect()
}

fn moves(names: &[String], position: &Key) -> Result<Vec<Move>, String> {
    let (game, size) = (position.rules().game(), position.size());
    let wrong = || match game {
        Game::Gomoku => format!("a move is no point of a board of {size}"),
        Game::Xiangqi => "a move is none of xiangqi: they are written as h2e2".to_owned(),
    };
    names.iter().map(|name| Move::from_text(name, game, size).ok_or_else(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::xiangqi::Board;
    use games::{Coords, Rule, Side};
    use record::StoneKey;

    fn question() -> Question {
        let point = |name: &str| Coords::A1.parse(name, Size::default()).unwrap();
        let position = StoneKey {
            rule: Rule::Renju,
            size: Size::default(),
            to_move: Side::First,
            stones: vec![(point("j9"), Side::Second), (point("h8"), Side::First)],
        };
        let effort = Effort { nodes: Some(1000), depth: None, time: Some(Duration::from_millis(1500)) };
        let except = ["i10", "h7"].map(|name| Move::Place(point(name))).into();
        Question { position: position.into(), history: Vec::new(), except, lines: 2, effort }
    }

    fn of_xiangqi() -> Question {
        let step = |name: &str| Step::from_text(name).unwrap();
        let mut board = Board::start();
        assert_eq!(board.play(step("h2e2")), Ok(None));
        let except = ["h9g7", "b9c7"].map(|name| Move::Step(step(name))).into();
        let effort = Effort { depth: Some(9), ..Effort::default() };
        Question { position: board.into(), history: vec![step("h2e2")], except, lines: 1, effort }
    }

    #[test]
    fn a_job_reads_back_and_one_that_was_changed_is_refused() {
        let line = job_line(&of_xiangqi());
        assert_eq!(read_job(&line), Ok(of_xiangqi()));
        assert!(read_job(&line.replace("[\"h2e2\"]", "[]")).unwrap_err().contains("changed by hand"));
        assert!(read_job(&line.replace("h9g7", "h9")).is_err());
        let question = question();
        let line = job_line(&question);
        assert_eq!(read_job(&line), Ok(question.clone()));
        assert!(read_job(&line.replace("1000", "1001")).unwrap_err().contains("changed by hand"));
        assert_ne!(id(&question), id(&Question { lines: 1, ..question.clone() }));
        for cut in 0..line.len() {
            assert!(read_job(&line[..cut]).is_err());
        }
    }

    #[test]
    fn an_answer_reads_back_and_any_other_byte_is_noticed() {
        [question(), of_xiangqi()].iter().for_each(reads_back);
    }

    fn reads_back(question: &Question) {
        let line = Line { moves: question.except.clone(), value: Some(-29_990), grounds: Some(Grounds::Threats) };
        let found = Finding {
            lines: vec![line],
            depth: 9,
            nodes: Some(7),
            scale: 200,
            remarks: vec!["it crashed \u{1b}[2J".into()],
        };
        let failure = Failure::Broken("it hung".into());
        for finding in [Ok(found), Err(failure)] {
            let line = answer_line(question, "kifu", &finding);
            let read = read_answer(&line).unwrap();
            assert_eq!(read.job, id(question));
            assert_eq!((&read.position, &read.except), (&question.position, &question.except));
            assert_eq!(read.finding, finding.map_err(|failure| failure.to_string()));
            for at in 0..line.len() {
                let mut other = line.clone().into_bytes();
                other[at] ^= 1;
                assert!(String::from_utf8(other).is_ok_and(|other| read_answer(&other).is_err()), "{at}");
                assert!(read_answer(&line[..at]).is_err());
            }
        }
    }
}

use super::answer::{Answer, Item, PLAYS, bare, is_answer, parse};
use super::{NAME, SCALE, WIN, after, win_rate};
use crate::book_jsonl::line::shown;
use crate::lines::{lines, without_bom};
use crate::{EntryReading, Error, Place, Severity};
use games::xiangqi::{Board, Fen, FenOptions};
use games::{Move, Step};
use record::{Bound, Continuation, Entry, Judgement, Tally};
use std::borrow::Cow;

/// How many lines are read between two looks at the progress.
const STRIDE: usize = 1 << 10;

pub(super) fn read(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let body = without_bom(bytes);
    let mut open: Option<Open> = None;
    for (count, (number, at, line)) in lines(body).enumerate() {
        if count % STRIDE == 0 {
            reading.progress(at)?;
        }
        if line.starts_with(b"#") {
            continue;
        }
        if let Err(message) = self::line(line, number, &mut open, reading)? {
            if !reading.lenient() {
                let message = format!("{message} (--lenient passes over such lines)");
                return Err(reading.error(Place::line(number), message));
            }
            reading.fault("bad-line", Severity::Damage, || {
                (Place::line(number), format!("{message}; the line is passed over"))
            })?;
        }
    }
    close(open.take(), reading)?;
    reading.progress(bytes.len())
}

/// The position that answers are of.
struct Open {
    board: Board,
    line: usize,
    is_answered: bool,
}

/// Tells of a position that is done with if nothing was said of it.
fn close(open: Option<Open>, reading: &mut EntryReading<'_>) -> Result<(), Error> {
    match open {
        Some(open) if !open.is_answered => reading.fault("no-answer", Severity::Quirk, || {
            (Place::line(open.line), "a position without an answer: passed over".into())
        }),
        _ => Ok(()),
    }
}

/// Reads a line: the inner error is the line's own.
fn line(
    line: &[u8],
    number: usize,
    open: &mut Option<Open>,
    reading: &mut EntryReading<'_>,
) -> Result<Result<(), String>, Error> {
    let Ok(text) = std::str::from_utf8(line) else { return Ok(Err("this is not UTF-8".into())) };
    let mut told = text;
    if !is_answer(text) {
        close(open.take(), reading)?;
        let (position, behind) = text.split_once('\t').unwrap_or((text, ""));
        let options = FenOptions { strict: reading.strict(), other_letters: reading.lenient() };
        let (fen, remarks) = match Fen::read(bare(position), options) {
            Ok(read) => read,
            Err(remark) => return Ok(Err(format!("this is no position and no answer ({remark})"))),
        };
        for remark in remarks {
            reading.fault("odd-fen", Severity::Remark, || {
                (Place::line(number), format!("the FEN is unusual ({remark})"))
            })?;
        }
        *open = Some(Open { board: fen.board, line: number, is_answered: false });
        told = behind;
    }
    if bare(told).is_empty() {
        return Ok(Ok(()));
    }
    let Some(open) = open else { return Ok(Err("an answer without a position before it".into())) };
    open.is_answered = true;
    match parse(told) {
        Ok(answer) => Speaker { board: &open.board, number, reading }.say(answer),
        Err(message) => Ok(Err(message)),
    }
}

/// Says what an answer says of a position.
struct Speaker<'r, 'a, 'b> {
    board: &'b Board,
    number: usize,
    reading: &'r mut EntryReading<'a>,
}

impl Speaker<'_, '_, '_> {
    fn say(&mut self, answer: Answer<'_>) -> Result<Result<(), String>, Error> {
        match answer {
            Answer::Moves(items) => self.moves(&items),
            Answer::Eval(text) => match text.parse() {
                Ok(value) => self.judged(self.board.clone(), value, 0).map(Ok),
                Err(_) => Ok(Err(format!("`{}` is no value", shown(&text)))),
            },
            Answer::Line { score, depth, moves } => {
                let Ok(value) = score.parse() else { return Ok(Err(format!("`{}` is no score", shown(&score)))) };
                let depth = if depth.is_empty() { Ok(0) } else { depth.parse() };
                let Ok(depth) = depth else { return Ok(Err("the depth is no number below 32768".into())) };
                self.judged(self.board.clone(), value, depth)?;
                self.line(&moves)?;
                Ok(Ok(()))
            }
            Answer::Lost if self.board.has_moves() => {
                self.fault("not-lost", Severity::Damage, || {
                    "the side to move is said to be mated, and has moves: passed over".into()
                })?;
                Ok(Ok(()))
            }
            Answer::Lost => self.judged(self.board.clone(), -WIN, 0).map(Ok),
            Answer::Invalid => {
                let message = || "chessdb.cn takes this for no position: nothing is known of it".into();
                self.fault("invalid-board", Severity::Remark, message).map(Ok)
            }
            Answer::Nothing => {
                let message = || "chessdb.cn knows nothing of this position".into();
                self.fault("unknown", Severity::Remark, message).map(Ok)
            }
        }
    }

    fn fault(&mut self, kind: &'static str, severity: Severity, message: impl FnOnce() -> String) -> Result<(), Error> {
        let number = self.number;
        self.reading.fault(kind, severity, || (Place::line(number), message()))
    }

    /// Hands out a value of a position.
    fn judged(&mut self, board: Board, value: i32, depth: i16) -> Result<(), Error> {
        let near = value.clamp(-WIN, WIN);
        if near != value {
            self.fault("far-value", Severity::Damage, || format!("a value of {value}: {near} is read"))?;
        }
        let judgement =
            Judgement { value: near, bound: Bound::Exact, depth, nodes: None, scale: SCALE, source: NAME.into() };
        self.reading.emit((board.into(), Entry { judgement: Some(judgement), ..Entry::default() }))
    }

    /// The legal step of a text.
    fn step(&mut self, board: &Board, text: &str) -> Result<Option<Step>, Error> {
        let step = Step::from_text(text).filter(|step| board.is_legal(*step));
        if step.is_none() {
            self.fault("illegal-move", Severity::Damage, || format!("`{}` is no legal move: left out", shown(text)))?;
        }
        Ok(step)
    }

    fn moves(&mut self, items: &[Item<'_>]) -> Result<Result<(), String>, Error> {
        let mut moves: Vec<Continuation> = Vec::new();
        let mut values = Vec::new();
        let mut passed = Passed::default();
        for item in items {
            let Some((kind, text)) = item.first().filter(|(name, _)| PLAYS.contains(&&**name)) else {
                return Ok(Err("a move without `move`".into()));
            };
            passed.suggestions |= kind != "move";
            let mut score = None;
            for (name, value) in &item[1..] {
                match &**name {
                    // A move that is not searched yet.
                    "score" if value == "??" => {}
                    "score" => match value.parse::<i32>() {
                        Ok(value) => score = Some(value),
                        Err(_) => return Ok(Err(format!("`{}` is no score", shown(value)))),
                    },
                    "rank" | "note" => passed.notes = true,
                    "winrate" | "san" => {}
                    "rule" => passed.rules |= value != "none",
                    _ => passed.unknown = Some(shown(name)),
                }
            }
            let said = item.iter().find(|(name, _)| name == "winrate");
            if let (Some(score), Some((_, said))) = (score, said) {
                let is_near = said.parse::<f64>().is_ok_and(|rate| (rate - win_rate(score)).abs() < 0.02);
                passed.rate = passed.rate.take().or((!is_near).then(|| shown(said)));
            }
            let Some(step) = self.step(self.board, text)? else { continue };
            let play = Move::Step(step);
            if moves.iter().any(|known| known.play == play) {
                self.fault("move-twice", Severity::Damage, || {
                    format!("the move {step} stands there twice: the first is read")
                })?;
                continue;
            }
            moves.push(Continuation { play, tally: Tally::default() });
            values.extend(score.map(|score| (step, score)));
        }
        passed.tell(self)?;
        if !moves.is_empty() {
            self.reading.emit((self.board.clone().into(), Entry { moves, ..Entry::default() }))?;
        }
        for (step, score) in values {
            let mut next = self.board.clone();
            next.play_unchecked(step);
            let near = score.clamp(1 - WIN, WIN - 1);
            if near != score {
                self.fault("far-value", Severity::Damage, || format!("a score of {score}: {near} is read"))?;
            }
            self.judged(next, after(near), 0)?;
        }
        Ok(Ok(()))
    }

    /// Hands out the moves of a line, each as one from its position.
    fn line(&mut self, moves: &[Cow<'_, str>]) -> Result<(), Error> {
        let mut board = self.board.clone();
        for text in moves {
            let Some(step) = self.step(&board, text)? else { break };
            let moves = vec![Continuation { play: Move::Step(step), tally: Tally::default() }];
            self.reading.emit((board.clone().into(), Entry { moves, ..Entry::default() }))?;
            board.play_unchecked(step);
        }
        Ok(())
    }
}

/// What an answer says of moves and an entry has no place for.
#[derive(Default)]
struct Passed {
    notes: bool,
    rules: bool,
    suggestions: bool,
    unknown: Option<String>,
    rate: Option<String>,
}

impl Passed {
    fn tell(self, speaker: &mut Speaker<'_, '_, '_>) -> Result<(), Error> {
        if self.notes {
            let message = || "ranks and notes of moves, which are passed over".into();
            speaker.fault("ranks", Severity::Remark, message)?;
        }
        if self.rules {
            let message = || "what repetition makes of moves, which is passed over".into();
            speaker.fault("rules", Severity::Remark, message)?;
        }
        if self.suggestions {
            let message = || "moves of tables of endings or to be searched: read as others".into();
            speaker.fault("other-moves", Severity::Remark, message)?;
        }
        if let Some(name) = self.unknown {
            let message = || format!("`{name}` is not known of moves: passed over");
            speaker.fault("unknown-field", Severity::Remark, message)?;
        }
        if let Some(rate) = self.rate {
            let message = || format!("`{rate}` is not the win rate of the score: passed over");
            speaker.fault("other-winrate", Severity::Remark, message)?;
        }
        Ok(())
    }
}

//! An answer by itself, before it is known what position it is of.

use serde_json::Value;
use std::borrow::Cow;

/// What chessdb.cn says of a position.
#[derive(PartialEq, Debug)]
pub(super) enum Answer<'t> {
    /// Moves, each with what is said of it.
    Moves(Vec<Item<'t>>),
    /// The value of the position.
    Eval(Cow<'t, str>),
    /// A line of the best moves.
    Line { score: Cow<'t, str>, depth: Cow<'t, str>, moves: Vec<Cow<'t, str>> },
    /// The side to move is mated or has no move.
    Lost,
    /// It is no position.
    Invalid,
    /// Nothing is known.
    Nothing,
}

/// A move and what is said of it, as names and values; the first is the move.
pub(super) type Item<'t> = Vec<(Cow<'t, str>, Cow<'t, str>)>;

/// Names of a move: one of the database, one of its tables of endings, one that it is about to search.
pub(super) const PLAYS: [&str; 3] = ["move", "egtb", "search"];

/// Answers of one word; [`word`] says what they mean.
const WORDS: [&str; 6] = ["checkmate", "stalemate", "invalid board", "unknown", "nobestmove", "ok"];

/// What the text of a line is when the zeros are taken away that some answers end in.
pub(super) fn bare(text: &str) -> &str {
    text.trim_matches(|sign: char| sign == '\0' || sign.is_whitespace())
}

/// Whether a text is an answer and no position.
pub(super) fn is_answer(text: &str) -> bool {
    let text = bare(text);
    let names = PLAYS.into_iter().chain(["eval", "score"]);
    let is_named = |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
    text.starts_with('{') || WORDS.contains(&text) || names.into_iter().any(is_named)
}

/// Reads an answer; the message says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Answer<'_>, String> {
    let text = bare(text);
    if text.starts_with('{') {
        return json(text);
    }
    if let Some(answer) = word(text) {
        return Ok(answer);
    }
    if let Some(value) = text.strip_prefix("eval:") {
        return Ok(Answer::Eval(value.into()));
    }
    if text.starts_with("score:") {
        let (head, line) = text.split_once(",pv:").ok_or("a score without a line: an answer to querypv has `pv`")?;
        let mut answer = (Cow::default(), Cow::default());
        for (name, value) in fields(head)? {
            match &*name {
                "score" => answer.0 = value,
                "depth" => answer.1 = value,
                _ => return Err(format!("`{name}` is not known of a line")),
            }
        }
        let moves = line.split('|').filter(|word| !word.is_empty()).map(Cow::from).collect();
        return Ok(Answer::Line { score: answer.0, depth: answer.1, moves });
    }
    let items: Result<Vec<_>, String> = text.split('|').filter(|item| !item.is_empty()).map(fields).collect();
    items.map(Answer::Moves)
}

fn word(text: &str) -> Option<Answer<'static>> {
    Some(match text {
        "checkmate" | "stalemate" => Answer::Lost,
        "invalid board" => Answer::Invalid,
        "unknown" | "nobestmove" | "ok" => Answer::Nothing,
        _ => return None,
    })
}

/// Names and values between commas: `move:h2e2,score:1`.
fn fields(text: &str) -> Result<Item<'_>, String> {
    let field = |field: &'_ str| match field.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(format!("`{}` has no name", crate::book_jsonl::line::shown(field))),
    };
    text.split(',').map(|each| field(each).map(|(name, value)| (name.into(), value.into()))).collect()
}

/// Reads an answer to `json=1`.
fn json(text: &str) -> Result<Answer<'static>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is no JSON ({error})"))?;
    let member = |name: &str| value.get(name).map(said);
    let list = |name: &str| value.get(name).and_then(Value::as_array);
    if let Some(moves) = list("moves") {
        return Ok(Answer::Moves(moves.iter().map(item).collect()));
    }
    if let (Some(score), Some(line)) = (member("score"), list("pv")) {
        let depth = member("depth").unwrap_or_default();
        return Ok(Answer::Line { score, depth, moves: line.iter().map(said).collect() });
    }
    if let Some(value) = member("eval") {
        return Ok(Answer::Eval(value));
    }
    if let Some((name, play)) = PLAYS.into_iter().find_map(|name| Some((name, member(name)?))) {
        return Ok(Answer::Moves(vec![vec![(name.into(), play)]]));
    }
    let word = member("status").and_then(|status| word(&status));
    word.ok_or_else(|| "this JSON has no member that an answer has".into())
}

/// A move of a list in JSON, its own name first.
fn item(value: &Value) -> Item<'static> {
    let Some(members) = value.as_object() else { return vec![("move".into(), said(value))] };
    let is_play = |name: &str| name == "uci" || PLAYS.contains(&name);
    let mut item: Item<'static> = Vec::new();
    for (name, value) in members {
        match is_play(name) {
            true => item.insert(0, (if name == "uci" { "move" } else { name }.to_owned().into(), said(value))),
            false => item.push((name.clone().into(), said(value))),
        }
    }
    item
}

/// A value without its quotation marks.
fn said(value: &Value) -> Cow<'static, str> {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned).into()
}

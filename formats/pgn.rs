//! The outside of PGN: tags, words and comments, whatever the words mean.

use crate::page::rows;
use crate::{Error, Place, Reading, Severity};

/// A game as PGN sees it.
#[derive(Debug, Default)]
pub(crate) struct Game<'a> {
    /// The line it begins at.
    pub line: usize,
    /// Names and values of the tags.
    pub tags: Vec<(&'a str, String)>,
    /// What stands behind the tags, each with its line.
    pub words: Vec<(usize, Word<'a>)>,
    /// A line that begins like a tag and is none.
    pub bad_tag: Option<usize>,
    /// A line that begins with `%`, which PGN passes over.
    pub escaped: Option<usize>,
}

/// A part of the text behind the tags.
#[derive(Debug, PartialEq)]
pub(crate) enum Word<'a> {
    /// A word between blanks.
    Plain(&'a str),
    /// A comment, without its braces or its semicolon.
    Comment(String),
}

impl Game<'_> {
    /// Tells of lines that are passed over.
    pub fn faults(&self, record: u64, reading: &mut Reading<'_>) -> Result<(), Error> {
        let place = |line| Place { record: Some(record), ..Place::line(line) };
        if let Some(line) = self.bad_tag {
            let message = "the line begins with `[` and is no tag: passed over";
            reading.fault("bad-tag", Severity::Damage, || (place(line), message.into()))?;
        }
        if let Some(line) = self.escaped {
            let message = "a line that begins with `%` was not kept";
            reading.fault("escaped-line", Severity::Remark, || (place(line), message.into()))?;
        }
        Ok(())
    }

    /// The value of the first tag of this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| value.as_str())
    }
}

/// The games of a text. A tag behind words begins the next one.
pub(crate) fn games(text: &str) -> impl Iterator<Item = Game<'_>> {
    let mut rows = rows(text).peekable();
    let mut comment: Option<(usize, String)> = None;
    std::iter::from_fn(move || {
        let mut game = Game::default();
        while let Some((line, row)) = rows.peek() {
            let (line, row) = (*line, row.trim_matches(is_blank));
            if comment.is_none() && row.starts_with('[') {
                if !game.words.is_empty() {
                    return Some(game);
                }
                match tag(row) {
                    Some(tag) => game.tags.push(tag),
                    None => game.bad_tag = game.bad_tag.or(Some(line)),
                }
                game.line = if game.line == 0 { line } else { game.line };
            } else if comment.is_none() && row.starts_with('%') {
                game.escaped = game.escaped.or(Some(line));
            } else {
                words(line, row, &mut comment, &mut game);
            }
            rows.next();
        }
        // A comment that is not closed goes to the end.
        if let Some((line, text)) = comment.take() {
            game.words.push((line, Word::Comment(text)));
        }
        (game.line > 0).then_some(game)
    })
}

fn is_blank(c: char) -> bool {
    // A byte order mark or a blank of no width may stand before the first tag.
    c.is_whitespace() || matches!(c, '\u{FEFF}' | '\u{200B}')
}

fn tag(row: &str) -> Option<(&str, String)> {
    let inside = row.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, value) = inside.split_at(inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?);
    // A quotation mark that nobody escaped is in the value.
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        text.push(if c == '\\' { chars.next_if(|next| matches!(next, '"' | '\\')).unwrap_or(c) } else { c });
    }
    (!name.is_empty()).then_some((name, text))
}

fn words<'a>(line: usize, row: &'a str, comment: &mut Option<(usize, String)>, game: &mut Game<'a>) {
    let mut rest = row;
    loop {
        if let Some((_, text)) = comment {
            let Some((inside, after)) = rest.split_once('}') else {
                text.push_str(rest);
                text.push('\n');
                return;
            };
            text.push_str(inside);
            rest = after;
            let (line, text) = comment.take().expect("it was there");
            game.words.push((line, Word::Comment(text)));
        }
        rest = rest.trim_start_matches(is_blank);
        if rest.is_empty() {
            return;
        }
        game.line = if game.line == 0 { line } else { game.line };
        if let Some(inside) = rest.strip_prefix('{') {
            *comment = Some((line, String::new()));
            rest = inside;
        } else if let Some(inside) = rest.strip_prefix(';') {
            game.words.push((line, Word::Comment(inside.trim().into())));
            return;
        } else {
            let end = rest.find(|c: char| is_blank(c) || c == '{').unwrap_or(rest.len());
            game.words.push((line, Word::Plain(&rest[..end])));
            rest = &rest[end..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(game: &Game<'_>) -> Vec<String> {
        let word = |(_, word): &(usize, Word<'_>)| match word {
            Word::Plain(word) => word.to_string(),
            Word::Comment(text) => format!("{{{text}}}"),
        };
        game.words.iter().map(word).collect()
    }

    #[test]
    fn tags_and_comments_are_told_from_words() {
        let text = "\u{200B}[A \"say \\\"hi\\\" \\\\ \\n\"]\n[B \"an \"odd\" one\"]\n\n{all} 1. x {a ; [b\n[Event \"no\"]} y ; z }\n\
                    % ignored\n1-0\n[A \"2\"]\n[broken]\nw{c}v";
        let games: Vec<Game> = games(text).collect();
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].tags, [("A", "say \"hi\" \\ \\n".into()), ("B", "an \"odd\" one".into())]);
        assert_eq!((games[0].escaped, games[1].escaped), (Some(6), None));
        assert_eq!(plain(&games[0]), ["{all}", "1.", "x", "{a ; [b\n[Event \"no\"]}", "y", "{z }}", "1-0"]);
        assert_eq!((games[1].line, games[1].bad_tag, games[1].words[0].0), (8, Some(9), 10));
        assert_eq!(plain(&games[1]), ["w", "{c}", "v"]);
        assert_eq!(super::games(" \n").count(), 0);
    }
}

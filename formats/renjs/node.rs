//! The nodes of a text, one behind the other.

use crate::played::{a_move, shown};
use games::{Coords, Move, Size};

/// A node as it is written.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Where it begins.
    pub at: usize,
    pub id: i64,
    pub play: Move,
    pub number: Option<i64>,
    pub above: Option<i64>,
    pub below: Vec<i64>,
    pub line: &'a str,
    pub body: &'a str,
    pub text: &'a str,
    /// The first key that is not known.
    pub unknown: Option<&'a str>,
}

/// What does not read: where, and what is found there.
#[derive(Debug)]
pub(super) struct Wrong {
    pub at: usize,
    pub message: String,
}

pub(super) struct Nodes<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Nodes<'a> {
    pub fn new(text: &'a str) -> Nodes<'a> {
        Nodes { text, at: 0 }
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong { at: self.at, message: message.into() }
    }

    /// Takes what stands before a sign, and the sign.
    fn until(&mut self, sign: char) -> Result<&'a str, Wrong> {
        let rest = &self.text[self.at..];
        let Some(end) = rest.find(sign) else {
            let sign = sign.escape_default();
            return Err(Wrong { at: self.text.len(), message: format!("the file ends where `{sign}` should stand") });
        };
        self.at += end + sign.len_utf8();
        Ok(&rest[..end])
    }

    fn take(&mut self, sign: char) -> Result<(), Wrong> {
        if !self.text[self.at..].starts_with(sign) {
            return Err(self.wrong(format!("there is no `{}`", sign.escape_default())));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    fn node(&mut self) -> Result<Node<'a>, Wrong> {
        let at = self.at;
        self.take('[')?;
        let (mut id, mut play) = (None, None);
        let mut node = Node {
            at,
            id: 0,
            play: Move::Pass,
            number: None,
            above: None,
            below: Vec::new(),
            line: "",
            body: "",
            text: "",
            unknown: None,
        };
        while !self.text[self.at..].starts_with(']') {
            let key_at = self.at;
            let key = self.until('=')?.trim();
            if key.len() > 8 {
                self.at = key_at;
                return Err(self.wrong(format!("`{}` is no key", shown(key))));
            }
            match key {
                "co" => {
                    self.take('\u{1}')?;
                    node.line = self.until('\u{2}')?;
                    node.body = self.until('\u{3}')?;
                    self.take(';')?;
                }
                "k" => {
                    self.take('\u{4}')?;
                    node.text = self.until('\u{5}')?;
                    self.take(';')?;
                }
                _ => {
                    let value_at = self.at;
                    let value = self.until(';')?.trim();
                    let number = |text: &str| {
                        let number = text.trim().parse::<i64>();
                        number.map_err(|_| Wrong { at: value_at, message: format!("`{}` is no number", shown(text)) })
                    };
                    match key {
                        "i" => id = Some(number(value)?),
                        "m" => node.number = Some(number(value)?),
                        "f" => node.above = Some(number(value)?),
                        "c" => {
                            let below = value.split(',').filter(|part| !part.trim().is_empty());
                            node.below = below.map(number).collect::<Result<_, _>>()?;
                        }
                        "p" => {
                            let word = if value.is_empty() { "--" } else { value };
                            let read = a_move(word, Coords::A1, Size::default());
                            play = Some(read.map_err(|message| Wrong { at: value_at, message })?);
                        }
                        _ => node.unknown = node.unknown.or(Some(key)),
                    }
                }
            }
        }
        self.take(']')?;
        let (Some(id), Some(play)) = (id, play) else {
            return Err(Wrong { at, message: "the node has no number or no point".into() });
        };
        Ok(Node { id, play, ..node })
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Result<Node<'a>, Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start().len();
        (self.at < self.text.len()).then(|| self.node())
    }
}

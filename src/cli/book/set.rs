use super::super::Exit;
use super::super::input::{Input, name};
use super::super::terminal::{count, harmless};
use super::change::Target;
use super::place::{Place, Which};
use super::{open, origins};
use ::book::{Book, Frame, Frames, Part, below, in_order, replace, rewrite};
use anyhow::{Context, Result, bail};
use clap::Args;
use games::{Coords, Game, Point};
use record::{BoardText, Bound, Comment, Continuation, Entry, Judgement, Key, Label, Tally};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Change what a book knows of a position
#[derive(Args)]
#[command(after_help = "The book is changed in its place unless -o names another. What is not named stays as it was; a
position that is not in the book is added. What a search has found for the book and what was backed up
goes before a value that is set, until --clear value takes it away. Labels speak of the move that led to the position: win,
loss, draw, forced, blocked, none, or a sign of your own. Parts are value, label, games, moves,
comments and texts.

Examples:
  kifu book set games.agb 'h8 h9 j8' --value 120 --depth 14 --bound exact
  kifu book set games.agb 'h8 h9' --comment 'Indirect opening' --text j8=A
  kifu book set games.agb h8 --below --clear comments,texts")]
pub struct Set {
    /// The book
    book: PathBuf,
    /// The position, as for query
    position: String,
    /// Value for the side to move; a win in n plies is 30000 - n
    #[arg(long, value_name = "V", allow_negative_numbers = true, conflicts_with = "below")]
    value: Option<i32>,
    /// Depth of the value
    #[arg(long, value_name = "D", allow_negative_numbers = true, conflicts_with = "below")]
    depth: Option<i16>,
    /// What the value is of the true one: none, upper, lower or exact
    #[arg(long, value_name = "B", value_parser = bound, conflicts_with = "below")]
    bound: Option<Bound>,
    /// Who says the value
    #[arg(long, value_name = "NAME", conflicts_with = "below")]
    source: Option<String>,
    /// Label
    #[arg(long, value_name = "L", value_parser = label)]
    label: Option<Label>,
    /// Comment, in the place of those that are there
    #[arg(long, value_name = "TEXT", conflicts_with = "below")]
    comment: Option<String>,
    /// Text on a point, in the place of those that are there; nothing after = takes them away
    #[arg(long, value_name = "POINT=TEXT", conflicts_with = "below")]
    text: Vec<String>,
    /// Parts to clear before anything is set
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    clear: Vec<Part>,
    /// Clear, or label, all below the position, too
    #[arg(long)]
    below: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    which: Which,
}

/// A bound of this name.
fn bound(text: &str) -> Result<Bound, String> {
    let found = Bound::ALL.into_iter().find(|bound| bound.name() == text.to_ascii_lowercase());
    found.ok_or_else(|| format!("`{text}` is no bound: write one of {}", Bound::ALL.map(Bound::name).join(", ")))
}

/// A label by its name, by the sign that databases have for it, or a sign of the user's own.
pub fn label(text: &str) -> Result<Label, String> {
    const NAMED: [(Label, &str); 5] =
        [(Label::Win, "w"), (Label::Loss, "l"), (Label::Draw, "d"), (Label::Forced, "!"), (Label::Blocked, "x")];
    let lower = text.to_ascii_lowercase();
    if let Some((label, _)) = NAMED.iter().find(|(label, sign)| lower == *sign || label.name().as_ref() == Some(&lower))
    {
        return Ok(*label);
    }
    let number = lower.strip_prefix("0x").and_then(|digits| u8::from_str_radix(digits, 16).ok());
    match (lower.as_str(), text.as_bytes(), number) {
        ("none", ..) => Ok(Label::None),
        ("null", ..) => Ok(Label::Null),
        (_, [sign], _) if sign.is_ascii_graphic() => Ok(Label::User(*sign)),
        (_, _, Some(byte)) if !matches!(byte, 0 | 0xFF) => Ok(Label::User(byte)),
        _ => Err(format!("`{text}` is no label: write win, loss, draw, forced, blocked, none, or one sign")),
    }
}

impl Set {
    /// Writes the book with what is new.
    pub fn run(self) -> Result<Exit> {
        let sets_value = self.value.is_some() || self.depth.is_some() || self.bound.is_some() || self.source.is_some();
        let sets_text = self.comment.is_some() || !self.text.is_empty();
        if !sets_value && !sets_text && self.label.is_none() && self.clear.is_empty() {
            bail!("nothing says what to set: use --value, --label, --comment, --text or --clear");
        }
        let target = self.target.path(&self.book)?;
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let boards = book.boards().with_context(|| name(&self.book))?;
        let place = self.which.place(&self.book, &boards, &self.position)?;
        if self.below {
            return self.all_below(input, &target, &place.key);
        }
        let entries = self.changed(&book, &place)?;
        if entries.is_empty() {
            writeln!(anstream::stdout().lock(), "{}: all as it was", harmless(&self.position))?;
            if self.target.is_in_place() {
                return Ok(Exit::Done);
            }
        }
        let provenance = origins::after_changes(&book, &self.book, 1)?;
        self.target.write(&self.book, input, &target, 1, |book, _, out| replace(book, entries, out, &provenance))?;
        Ok(Exit::Done)
    }

    fn all_below(&self, input: Input, target: &Path, key: &Key) -> Result<Exit> {
        let provenance = origins::after_changes(&open(&input, &self.book)?, &self.book, 1)?;
        let mut changed = 0;
        self.target.write(&self.book, input, target, 2, |book, work, out| {
            let below = below(book, key, work)?;
            let each = |number, _: &[u8], entry: &mut Entry| {
                if below.has(number) {
                    let before = entry.clone();
                    self.clear.iter().for_each(|part| part.clear(entry));
                    entry.label = self.label.unwrap_or(entry.label);
                    changed += u64::from(*entry != before);
                }
                true
            };
            rewrite(book, each, out, &provenance)
        })?;
        writeln!(anstream::stdout().lock(), "  changed: {}", count(changed, "position"))?;
        Ok(if changed > 0 { Exit::Done } else { Exit::No })
    }

    /// The entries that are other than before: that of the position, and that of the one before it, which leads to it.
    fn changed(&self, book: &Book<&[u8]>, place: &Place) -> Result<BTreeMap<Vec<u8>, Option<Entry>>> {
        let mut frames = Frames::new(book.is_symmetric());
        let frame = frames.of_key(&place.key);
        let form = frame.canonical(&place.key);
        let get = |key: &[u8]| book.get(key, frame).with_context(|| name(&self.book));
        let known = get(&form.key)?;
        let mut entry = known.clone().unwrap_or_default();
        self.clear.iter().for_each(|part| part.clear(&mut entry));
        self.judge(&mut entry)?;
        entry.label = self.label.unwrap_or(entry.label);
        let written = form.symmetry().inverse();
        if let Some(comment) = &self.comment {
            let text = comment.replace("\r\n", "\n");
            entry.comments = vec![Comment { text, bytes: Vec::new(), written }];
            entry.comments.retain(|comment| !comment.text.is_empty());
        }
        for text in &self.text {
            let (point, text) = self.point_text(text, frame)?;
            let point = form.symmetry().apply(point, place.key.size());
            entry.texts.retain(|held| held.point != point);
            if !text.is_empty() {
                entry.texts.push(BoardText { point, text: text.into(), bytes: Vec::new(), written });
            }
        }
        in_order(&mut entry, frame);
        let is_new = known.is_none();
        let mut changed = BTreeMap::new();
        if known.as_ref() != Some(&entry) {
            changed.insert(form.key, Some(entry));
        }
        if let Some((before, play)) = place.before.as_ref().filter(|_| is_new) {
            let form = frame.canonical(before);
            if let Some(mut entry) = get(&form.key)? {
                let play = frame.stored(&form, *play);
                entry.moves.push(Continuation { play, tally: Tally::default() });
                in_order(&mut entry, frame);
                changed.insert(form.key, Some(entry));
            }
        }
        Ok(changed)
    }

    /// Sets what is named of the value.
    fn judge(&self, entry: &mut Entry) -> Result<()> {
        let named = self.depth.is_some() || self.bound.is_some() || self.source.is_some();
        if self.value.is_none() && entry.judgement.is_none() && named {
            bail!("{}: the position has no value: name it with --value", self.position);
        }
        if self.value.is_none() && !named {
            return Ok(());
        }
        let judgement = entry.judgement.get_or_insert(Judgement {
            value: 0,
            bound: Bound::None,
            depth: 0,
            nodes: None,
            scale: Judgement::SCALE,
            source: String::new(),
        });
        judgement.value = self.value.unwrap_or(judgement.value);
        judgement.depth = self.depth.unwrap_or(judgement.depth);
        judgement.bound = self.bound.unwrap_or(judgement.bound);
        if let Some(source) = &self.source {
            judgement.source.clone_from(source);
        }
        // Those of another search.
        judgement.nodes = judgement.nodes.filter(|_| self.value.is_none() && self.depth.is_none());
        Ok(())
    }

    fn point_text<'t>(&self, text: &'t str, frame: &Frame) -> Result<(Point, &'t str)> {
        let parts = text.split_once('=').and_then(|(point, text)| {
            let coords = if frame.game() == Game::Gomoku { self.which.coords } else { Coords::Iccs };
            let point = coords.parse(point.trim(), frame.size())?;
            Some((point, text))
        });
        parts.with_context(|| format!("--text `{text}`: write a point of the board, = and the text, such as h9=A"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_by_name_and_by_sign() {
        for (text, wanted) in [
            ("win", Label::Win),
            ("W", Label::Win),
            ("blocked", Label::Blocked),
            ("!", Label::Forced),
            ("none", Label::None),
            ("null", Label::Null),
            ("a", Label::User(b'a')),
            ("?", Label::User(b'?')),
            ("0x9b", Label::User(0x9B)),
        ] {
            assert_eq!(label(text), Ok(wanted));
        }
        for text in ["", "won", "0x", "0xff", "0x123", "棋"] {
            assert!(label(text).is_err(), "{text}");
        }
    }
}

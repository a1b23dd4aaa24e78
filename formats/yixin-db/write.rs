use super::key::Canonical;
use super::raw::{FIELDS, Fields};
use super::sorter::{Sorted, Sorter};
use super::text::{Parts, encode};
use super::{CHARSET, LONGEST_TEXT, METADATA, NAME};
use crate::loss::stones_text;
use crate::{Blame, EntryWriter, Error, Losses, Out, WriteOptions};
use encoding_rs::{Encoding, UTF_8};
use games::{Point, Symmetry};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use record::{BoardText, Comment, Entry, Judgement, Key, Label, StoneKey};
use std::borrow::Cow;
use std::io::Write;

pub fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
    Box::new(DatabaseWriter { out, raw: options.raw, records: Records::new(options) })
}

struct DatabaseWriter<'a> {
    out: &'a mut dyn Write,
    raw: bool,
    records: Records,
}

/// The stones of a position of gomoku.
pub(super) fn stones(key: &Key) -> Result<&StoneKey, Error> {
    key.stones().ok_or_else(|| Error::new(Blame::Target, NAME, "a .db holds positions of gomoku alone"))
}

impl EntryWriter for DatabaseWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        self.records.add(stones(key)?, entry, losses)
    }

    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error> {
        let metadata = self.records.encoding == UTF_8;
        let sorted = self.records.sorted(losses)?;
        if self.raw {
            return payload(sorted, metadata, self.out);
        }
        // As Rapfi's: linked blocks of 64 KB and a checksum of the whole.
        let info = FrameInfo::new().block_mode(BlockMode::Linked).block_size(BlockSize::Max64KB).content_checksum(true);
        let mut frame = FrameEncoder::with_frame_info(info, &mut *self.out);
        payload(sorted, metadata, &mut frame)?;
        frame.finish().map_err(std::io::Error::from)?;
        Ok(())
    }
}

fn payload(sorted: Sorted, metadata: bool, out: &mut dyn Write) -> Result<(), Error> {
    let mut out = Out::new(out);
    let count = u32::try_from(sorted.count() + u64::from(metadata));
    let count = count.map_err(|_| Error::new(Blame::Target, NAME, "a .db holds at most 4294967295 entries"))?;
    out.push(&count.to_le_bytes());
    if metadata {
        out.push(&(METADATA.len() as u16).to_le_bytes());
        out.push(METADATA);
        out.push(&((FIELDS + CHARSET.len()) as u16).to_le_bytes());
        out.push(&[0; FIELDS]);
        out.push(CHARSET);
    }
    sorted.each(&mut |key, record| {
        out.push(&(key.len() as u16).to_le_bytes());
        out.push(key);
        out.push(&(record.len() as u16).to_le_bytes());
        out.push(record);
        Ok(out.spill()?)
    })?;
    Ok(out.flush()?)
}

/// What fourteen bits hold.
pub(super) const DEPTHS: std::ops::RangeInclusive<i16> = -0x2000..=0x1FFF;

/// Entries as the bytes of a database.
pub(super) struct Records {
    encoding: &'static Encoding,
    cut_texts: bool,
    sorter: Option<Sorter>,
    canonical: Canonical,
    text: Vec<u8>,
}

impl Records {
    pub fn new(options: &WriteOptions) -> Records {
        let encoding = options.encoding.unwrap_or(UTF_8);
        let sorter = Some(Sorter::new(options));
        Records { encoding, cut_texts: options.cut_texts, sorter, canonical: Canonical::default(), text: Vec::new() }
    }

    /// Adds an entry; a text that is too long is an error, what else cannot be said a loss.
    pub fn add(&mut self, key: &StoneKey, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        if let Err(what) = self.canonical.make(key) {
            losses.stones(what, key);
            return Ok(());
        }
        if self.canonical.passed {
            losses.stones("positions after a pass (written; Rapfi takes the pass for a stone)", key);
        }
        lose(key, entry, losses);
        self.text.clear();
        self.texts(key, entry, losses);
        if self.text.len() > LONGEST_TEXT && self.cut_texts {
            losses.stones("texts of more than 65530 bytes (cut at their end)", key);
            self.shorten(key, entry);
        }
        if self.text.len() > LONGEST_TEXT {
            let message = format!(
                "the texts at {} have {} bytes, and a .db holds at most {LONGEST_TEXT}: shorten them, or see --cut-texts \
                 of kifu book export",
                stones_text(key),
                self.text.len()
            );
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let fields = fields(key, entry, &self.text, losses);
        let sorter = self.sorter.as_mut().expect("no entry comes after the end");
        sorter.push(&self.canonical.bytes, |out| fields.push(out), losses)
    }

    /// Makes texts that are not too long: the comment loses its end, and then the last board texts go.
    fn shorten(&mut self, key: &StoneKey, entry: &Entry) {
        let comments: Vec<&str> = entry.comments.iter().map(|comment| &*comment.text).collect();
        let mut comment = comments.join("\n");
        let mut texts = entry.texts.clone();
        while self.text.len() > LONGEST_TEXT {
            let over = self.text.len() - LONGEST_TEXT;
            if comment.is_empty() {
                // A part of them at a time, as they may be many.
                texts.truncate(texts.len() - texts.len().div_ceil(16));
            } else {
                let end = (0..=comment.len().saturating_sub(over)).rev().find(|end| comment.is_char_boundary(*end));
                comment.truncate(end.expect("a text begins at a boundary"));
            }
            let said = Comment { text: comment.clone(), bytes: Vec::new(), written: Symmetry::Identity };
            let shorter = Entry { comments: vec![said], texts: texts.clone(), ..Entry::default() };
            self.text.clear();
            // What these texts cannot say was told when they were whole.
            self.texts(key, &shorter, &mut Losses::default());
        }
    }

    /// Board texts and comment, turned with the position.
    fn texts(&mut self, key: &StoneKey, entry: &Entry, losses: &mut Losses) {
        if entry.texts.is_empty() && entry.comments.is_empty() {
            return;
        }
        let encoding = self.encoding;
        let mut lacking = false;
        let mut encoded = |text, bytes| {
            let (bytes, all) = encode(text, bytes, encoding);
            lacking |= !all;
            bytes
        };
        let mut parts = Parts::default();
        for (at, text) in entry.texts.iter().enumerate() {
            let bytes = one_line(encoded(&text.text, &text.bytes), || {
                losses.stones("line ends in board texts (written as blanks)", key);
            });
            if let Some(before) = entry.texts[..at].iter().position(|other| other.point == text.point) {
                losses.stones("several board texts on a point (joined by a blank)", key);
                // The first one on the point was placed; those joined before took no place.
                let place = placed(&entry.texts, before);
                parts.texts[place].1.to_mut().extend([b" ", &*bytes].concat());
                continue;
            }
            let mut images: Vec<Point> =
                self.canonical.symmetries.iter().map(|symmetry| symmetry.apply(text.point, key.size)).collect();
            images.sort_unstable();
            // Points that are alike are as many as their texts, so that one is free.
            let free = |point: &Point| parts.texts.iter().all(|(other, _)| other != point);
            let point = images.into_iter().find(free).expect("each of the points that are alike has its image");
            parts.texts.push((point, bytes));
        }
        let comments: Vec<_> = match &entry.comments[..] {
            [Comment { text, bytes, .. }] => vec![encoded(text, bytes)],
            several => several.iter().map(|comment| encoded(&comment.text, &[])).collect(),
        };
        if let [one] = &comments[..] {
            parts.comment = Cow::Borrowed(one);
        } else {
            parts.comment = Cow::Owned(comments.join(&b'\n'));
        }
        parts.push(&mut self.text);
        if lacking {
            losses.stones("texts with characters the encoding lacks (written as ?)", key);
        }
    }

    /// All entries in Rapfi's order; of those on one position the first stays.
    pub fn sorted(&mut self, losses: &mut Losses) -> Result<Sorted, Error> {
        self.sorter.take().expect("there is one end").finish(losses)
    }
}

/// How many texts before this one are the first on their point.
fn placed(texts: &[BoardText], at: usize) -> usize {
    (0..at).filter(|at| texts[..*at].iter().all(|before| before.point != texts[*at].point)).count()
}

/// A board text without the bytes that end one; `lose` is called if it has some.
fn one_line(text: Cow<'_, [u8]>, lose: impl FnOnce()) -> Cow<'_, [u8]> {
    let ends = |byte: &u8| matches!(byte, b'\n' | 0x08 | 0);
    if !text.iter().any(ends) {
        return text;
    }
    lose();
    text.iter().map(|byte| if ends(byte) { b' ' } else { *byte }).collect()
}

/// The value of a record: the entry's own, else the one to go by.
fn said(entry: &Entry) -> Option<Cow<'_, Judgement>> {
    entry.judgement.as_ref().map(Cow::Borrowed).or_else(|| entry.value())
}

fn fields<'a>(key: &StoneKey, entry: &Entry, text: &'a [u8], losses: &mut Losses) -> Fields<'a> {
    let mut fields = Fields { label: byte(entry.label), value: 0, depth: 0, bound: record::Bound::None, text };
    if let Some(judgement) = said(entry).as_deref() {
        fields.value = judgement.value.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        fields.depth = judgement.depth.clamp(*DEPTHS.start(), *DEPTHS.end());
        fields.bound = judgement.bound;
        if i32::from(fields.value) != judgement.value || fields.depth != judgement.depth {
            losses.stones("values and depths beyond what a .db holds (the nearest is written)", key);
        }
    }
    fields
}

fn byte(label: Label) -> u8 {
    match label {
        Label::None => 0xFF,
        Label::Null => 0,
        Label::Win => b'w',
        Label::Loss => b'l',
        Label::Draw => b'd',
        Label::Forced => b'!',
        Label::Blocked => b'x',
        Label::User(byte) => byte,
    }
}

/// Tells what a database has no place for.
fn lose(key: &StoneKey, entry: &Entry, losses: &mut Losses) {
    let mut lose = |what, lost: bool| {
        if lost {
            losses.stones(what, key);
        }
    };
    let said = said(entry);
    let judgement = said.as_deref();
    lose("statistics of games (left out)", entry.tally != Default::default() || entry.last_year.is_some());
    lose("ratings (left out)", entry.ratings != Default::default());
    lose("moves played from positions (left out)", !entry.moves.is_empty());
    lose("references to games (left out)", !entry.games.is_empty());
    lose("numbers of nodes searched (left out)", judgement.is_some_and(|j| j.nodes.is_some()));
    lose("scales of values (left out)", judgement.is_some_and(|j| j.scale != Judgement::SCALE));
    lose("sources of values (left out)", judgement.is_some_and(|j| !j.source.is_empty()));
    let rest = entry.rest.as_ref();
    let is_own = entry.judgement.is_some();
    lose("best moves that the book does not follow (left out)", rest.is_some_and(|rest| rest.play.is_some()));
    let rest_is_beside = rest.is_some_and(|rest| rest.judgement.is_some()) && (is_own || entry.backed.is_some());
    lose("values of best moves beside others (left out)", rest_is_beside);
    lose("values backed up beside own ones (left out)", is_own && entry.backed.is_some());
    let proven = rest.is_some_and(|rest| rest.proven) || entry.backed.is_some_and(|backed| backed.proven);
    lose("proofs of values (left out)", proven);
    let turned = entry.texts.iter().map(|text| text.written).chain(entry.comments.iter().map(|text| text.written));
    lose("orientations that texts were written in (left out)", turned.into_iter().any(|s| s != Symmetry::Identity));
    lose("positions with several comments (joined)", entry.comments.len() > 1);
}

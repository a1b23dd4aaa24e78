//! An entry as one string of bytes, by which it is hashed and waits in runs; its *rest* stands in blocks, too.

use crate::bytes::{Broken, Bytes, put, put_bytes, put_signed};
use crate::frame::Frame;
use games::Symmetry;
use record::{Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Label, Ratings, Rest, Tally};

const JUDGEMENT: u8 = 1;
const LABEL: u8 = 2;
const RATINGS: u8 = 4;
const YEAR: u8 = 8;
const GAMES: u8 = 16;
const COMMENTS: u8 = 32;
const TEXTS: u8 = 64;
const STUDY: u8 = 128;

/// What the byte after the flag [`STUDY`] announces.
const REST: u8 = 1;
const REST_VALUE: u8 = 2;
const REST_PROVEN: u8 = 4;
const BACKED: u8 = 8;
const BACKED_PROVEN: u8 = 16;

/// Writes the row of an entry that is [in order](crate::in_order).
pub(crate) fn put_row(out: &mut Vec<u8>, entry: &Entry, frame: &Frame) {
    put_tally(out, entry.tally);
    put(out, entry.moves.len() as u64);
    for each in &entry.moves {
        put(out, frame.place(each.play));
        put_tally(out, each.tally);
    }
    put_rest(out, entry, frame);
}

/// Reads a row; the twin of [`put_row`].
pub(crate) fn entry(row: &[u8], frame: &Frame) -> Result<Entry, Broken> {
    let mut row = Row::read(row)?;
    let mut entry = Entry { tally: row.tally, ..Entry::default() };
    while let Some((place, tally)) = row.next_move()? {
        entry.moves.push(Continuation { play: frame.play(place)?, tally });
    }
    rest(Bytes(row.rest()), &mut entry, frame)?;
    Ok(entry)
}

/// Whether what comes after the moves of a row has a value or a label.
pub(crate) fn is_judged(rest: &[u8]) -> bool {
    rest.first().is_some_and(|flags| flags & (JUDGEMENT | LABEL | STUDY) != 0)
}

/// What comes after the moves of a row of our own.
pub(crate) fn rest_of(row: &[u8]) -> &[u8] {
    const OURS: &str = "rows are read as they were written";
    let mut row = Row::read(row).expect(OURS);
    while row.next_move().expect(OURS).is_some() {}
    row.rest()
}

/// A row as it is read: first its moves, then the rest.
pub(crate) struct Row<'a> {
    bytes: Bytes<'a>,
    pub tally: Tally,
    /// Moves that are still to be read.
    pub moves: usize,
}

impl<'a> Row<'a> {
    pub fn read(row: &'a [u8]) -> Result<Row<'a>, Broken> {
        let mut bytes = Bytes(row);
        let tally = tally(&mut bytes)?;
        let moves = bytes.count()?;
        Ok(Row { bytes, tally, moves })
    }

    /// The [`place`](Frame::place) and the games of the next move.
    pub fn next_move(&mut self) -> Result<Option<(u64, Tally)>, Broken> {
        if self.moves == 0 {
            return Ok(None);
        }
        self.moves -= 1;
        Ok(Some((self.bytes.number()?, tally(&mut self.bytes)?)))
    }

    /// What comes after the moves, when all are read.
    pub fn rest(self) -> &'a [u8] {
        debug_assert_eq!(self.moves, 0);
        self.bytes.0
    }
}

/// The value and the label of a row of our own, if it has one of them.
pub(crate) fn verdict(row: &[u8]) -> Option<(Option<Judgement>, Label)> {
    const OURS: &str = "rows are read as they were written";
    let mut bytes = Bytes(rest_of(row));
    let flags = bytes.byte().unwrap_or(0);
    let judgement = (flags & JUDGEMENT != 0).then(|| judgement(&mut bytes).expect(OURS));
    let label = if flags & LABEL != 0 { label(&mut bytes).expect(OURS) } else { Label::None };
    (flags & (JUDGEMENT | LABEL) != 0).then_some((judgement, label))
}

pub(crate) fn put_tally(out: &mut Vec<u8>, tally: Tally) {
    [tally.games, tally.first, tally.draws, tally.second].into_iter().for_each(|count| put(out, count));
}

pub(crate) fn tally(bytes: &mut Bytes<'_>) -> Result<Tally, Broken> {
    let mut next = || bytes.number();
    Ok(Tally { games: next()?, first: next()?, draws: next()?, second: next()? })
}

/// Writes what an entry has beside its games and moves; nothing where there is none.
pub(crate) fn put_rest(out: &mut Vec<u8>, entry: &Entry, frame: &Frame) {
    let flags = [
        (JUDGEMENT, entry.judgement.is_some()),
        (LABEL, entry.label != Label::None),
        (RATINGS, entry.ratings != Ratings::default()),
        (YEAR, entry.last_year.is_some()),
        (GAMES, !entry.games.is_empty()),
        (COMMENTS, !entry.comments.is_empty()),
        (TEXTS, !entry.texts.is_empty()),
        (STUDY, entry.rest.is_some() || entry.backed.is_some()),
    ];
    let flags = flags.into_iter().filter(|(_, is_there)| *is_there).fold(0, |flags, (flag, _)| flags | flag);
    if flags == 0 {
        return;
    }
    out.push(flags);
    if let Some(judgement) = &entry.judgement {
        put_judgement(out, judgement);
    }
    match entry.label {
        Label::None => {}
        Label::User(byte) => out.extend([6, byte]),
        label => out.push(NAMED.iter().position(|named| *named == label).expect("all others are listed") as u8),
    }
    if flags & RATINGS != 0 {
        put(out, entry.ratings.sum);
        put(out, entry.ratings.count);
    }
    if let Some(year) = entry.last_year {
        put(out, year.into());
    }
    if flags & GAMES != 0 {
        put(out, entry.games.len() as u64);
        let mut before = 0;
        for game in &entry.games {
            put(out, game - before);
            before = *game;
        }
    }
    if flags & COMMENTS != 0 {
        put(out, entry.comments.len() as u64);
        for comment in &entry.comments {
            put_written(out, comment.written, &comment.text, &comment.bytes);
        }
    }
    if flags & TEXTS != 0 {
        put(out, entry.texts.len() as u64);
        for text in &entry.texts {
            put(out, frame.rank(text.point).into());
            put_written(out, text.written, &text.text, &text.bytes);
        }
    }
    if flags & STUDY != 0 {
        put_study(out, entry, frame);
    }
}

fn put_judgement(out: &mut Vec<u8>, judgement: &Judgement) {
    put_signed(out, judgement.value.into());
    out.push(judgement.bound as u8);
    put_signed(out, judgement.depth.into());
    put(out, judgement.nodes.map_or(0, |nodes| nodes.saturating_add(1)));
    put(out, judgement.scale.into());
    put_bytes(out, judgement.source.as_bytes());
}

fn put_study(out: &mut Vec<u8>, entry: &Entry, frame: &Frame) {
    let Entry { rest, backed, .. } = entry;
    let flags = [
        (REST, rest.is_some()),
        (REST_VALUE, rest.as_ref().is_some_and(|rest| rest.judgement.is_some())),
        (REST_PROVEN, rest.as_ref().is_some_and(|rest| rest.proven)),
        (BACKED, backed.is_some()),
        (BACKED_PROVEN, backed.is_some_and(|backed| backed.proven)),
    ];
    out.push(flags.into_iter().filter(|(_, is_there)| *is_there).fold(0, |flags, (flag, _)| flags | flag));
    if let Some(rest) = rest {
        put(out, rest.play.map_or(0, |play| frame.place(play) + 1));
        if let Some(judgement) = &rest.judgement {
            put_judgement(out, judgement);
        }
    }
    if let Some(backed) = backed {
        put_signed(out, backed.value.into());
        put(out, backed.scale.into());
    }
}

/// The twin of [`put_study`].
fn study(bytes: &mut Bytes<'_>, entry: &mut Entry, frame: &Frame) -> Result<(), Broken> {
    let flags = bytes.byte()?;
    let has = |flag: u8| flags & flag != 0;
    let needs = |flag: u8, other: u8| !has(flag) || has(other);
    let is_sound = needs(REST_VALUE, REST) && needs(REST_PROVEN, REST_VALUE) && needs(BACKED_PROVEN, BACKED);
    if !has(REST | BACKED) || flags > BACKED_PROVEN | (BACKED_PROVEN - 1) || !is_sound {
        return Err(Broken);
    }
    if has(REST) {
        let play = bytes.number()?.checked_sub(1).map(|place| frame.play(place)).transpose()?;
        let judgement = if has(REST_VALUE) { Some(judgement(bytes)?) } else { None };
        entry.rest = Some(Rest { play, judgement, proven: has(REST_PROVEN) });
    }
    if has(BACKED) {
        let value = bytes.signed()?.try_into().map_err(|_| Broken)?;
        let scale = bytes.number()?.try_into().map_err(|_| Broken)?;
        entry.backed = Some(Backed { value, scale, proven: has(BACKED_PROVEN) });
    }
    Ok(())
}

const NAMED: [Label; 6] = [Label::Null, Label::Win, Label::Loss, Label::Draw, Label::Forced, Label::Blocked];

/// Reads what [`put_rest`] writes, to the end of the bytes.
pub(crate) fn rest(mut bytes: Bytes<'_>, entry: &mut Entry, frame: &Frame) -> Result<(), Broken> {
    if bytes.0.is_empty() {
        return Ok(());
    }
    let flags = bytes.byte()?;
    if flags == 0 {
        return Err(Broken);
    }
    if flags & JUDGEMENT != 0 {
        entry.judgement = Some(judgement(&mut bytes)?);
    }
    if flags & LABEL != 0 {
        entry.label = label(&mut bytes)?;
    }
    if flags & RATINGS != 0 {
        entry.ratings = Ratings { sum: bytes.number()?, count: bytes.number()? };
        if entry.ratings == Ratings::default() {
            return Err(Broken);
        }
    }
    if flags & YEAR != 0 {
        entry.last_year = Some(bytes.number()?.try_into().map_err(|_| Broken)?);
    }
    if flags & GAMES != 0 {
        let mut before = 0u64;
        for at in 0..some(&mut bytes)? {
            let step = bytes.number()?;
            before = before.checked_add(step).filter(|_| step > 0 || at == 0).ok_or(Broken)?;
            entry.games.push(before);
        }
    }
    if flags & COMMENTS != 0 {
        for _ in 0..some(&mut bytes)? {
            let (written, text, bytes) = written(&mut bytes, frame)?;
            push_ascending(&mut entry.comments, Comment { text, bytes, written })?;
        }
    }
    if flags & TEXTS != 0 {
        for _ in 0..some(&mut bytes)? {
            let point = frame.point(bytes.number()?)?;
            let (written, text, bytes) = written(&mut bytes, frame)?;
            push_ascending(&mut entry.texts, BoardText { point, text, bytes, written })?;
        }
    }
    if flags & STUDY != 0 {
        study(&mut bytes, entry, frame)?;
    }
    bytes.end()
}

/// How long a list is that is there.
fn some(bytes: &mut Bytes<'_>) -> Result<usize, Broken> {
    bytes.count().and_then(|count| if count > 0 { Ok(count) } else { Err(Broken) })
}

/// Adds to a list that is in order and has nothing twice: what repeats itself would unpack to much.
fn push_ascending<T: Ord>(list: &mut Vec<T>, next: T) -> Result<(), Broken> {
    if list.last().is_some_and(|last| *last >= next) {
        return Err(Broken);
    }
    list.push(next);
    Ok(())
}

fn label(bytes: &mut Bytes<'_>) -> Result<Label, Broken> {
    Ok(match bytes.byte()? {
        6 => Label::User(bytes.byte()?),
        number => *NAMED.get(usize::from(number)).ok_or(Broken)?,
    })
}

/// Of a rest, whether there are comments or texts on points, and the value to go by, as [`Entry::value`].
pub(crate) fn glance(rest: &[u8]) -> Result<(bool, Option<i32>), Broken> {
    let mut bytes = Bytes(rest);
    if rest.is_empty() {
        return Ok((false, None));
    }
    let flags = bytes.byte()?;
    let has_texts = flags & (COMMENTS | TEXTS) != 0;
    let value = |bytes: &mut Bytes<'_>| -> Result<i32, Broken> { bytes.signed()?.try_into().map_err(|_| Broken) };
    if flags & STUDY == 0 {
        let value = if flags & JUDGEMENT == 0 { None } else { Some(value(&mut bytes)?) };
        return Ok((has_texts, value));
    }
    let own = if flags & JUDGEMENT == 0 { None } else { Some(judgement(&mut bytes)?.value) };
    if flags & LABEL != 0 {
        label(&mut bytes)?;
    }
    let facts = 2 * usize::from(flags & RATINGS != 0) + usize::from(flags & YEAR != 0);
    for _ in 0..facts {
        bytes.number()?;
    }
    let games = if flags & GAMES != 0 { some(&mut bytes)? } else { 0 };
    for _ in 0..games {
        bytes.number()?;
    }
    for list in [COMMENTS, TEXTS].into_iter().filter(|list| flags & list != 0) {
        for _ in 0..some(&mut bytes)? {
            if list == TEXTS {
                bytes.number()?;
            }
            let has_bytes = bytes.byte()? & HAS_BYTES != 0;
            bytes.bytes()?;
            if has_bytes {
                bytes.bytes()?;
            }
        }
    }
    let study = bytes.byte()?;
    let mut found = None;
    if study & REST != 0 {
        bytes.number()?;
        found = if study & REST_VALUE != 0 { Some(judgement(&mut bytes)?.value) } else { None };
    }
    let backed = if study & BACKED != 0 { Some(value(&mut bytes)?) } else { None };
    Ok((has_texts, backed.or(found).or(own)))
}

fn judgement(bytes: &mut Bytes<'_>) -> Result<Judgement, Broken> {
    Ok(Judgement {
        value: bytes.signed()?.try_into().map_err(|_| Broken)?,
        bound: *Bound::ALL.get(usize::from(bytes.byte()?)).ok_or(Broken)?,
        depth: bytes.signed()?.try_into().map_err(|_| Broken)?,
        nodes: bytes.number()?.checked_sub(1),
        scale: bytes.number()?.try_into().map_err(|_| Broken)?,
        source: bytes.text()?.into(),
    })
}

/// Set in the byte of the symmetry where bytes follow the text.
const HAS_BYTES: u8 = 8;

fn put_written(out: &mut Vec<u8>, written: Symmetry, text: &str, bytes: &[u8]) {
    out.push(written as u8 | if bytes.is_empty() { 0 } else { HAS_BYTES });
    put_bytes(out, text.as_bytes());
    if !bytes.is_empty() {
        put_bytes(out, bytes);
    }
}

/// The twin of [`put_written`].
fn written(bytes: &mut Bytes<'_>, frame: &Frame) -> Result<(Symmetry, String, Vec<u8>), Broken> {
    let byte = bytes.byte()?;
    let symmetry = Symmetry::ALL.get(usize::from(byte & !HAS_BYTES)).copied();
    // A quarter turn would lead off a board that is no square.
    let symmetry = symmetry.filter(|symmetry| frame.allows(*symmetry)).ok_or(Broken)?;
    let text = bytes.text()?.to_owned();
    let kept = if byte & HAS_BYTES != 0 { bytes.bytes()? } else { &[] };
    if kept.is_empty() && byte & HAS_BYTES != 0 {
        return Err(Broken);
    }
    Ok((symmetry, text, kept.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;
    use games::Game;

    #[test]
    fn a_glance_sees_what_the_entry_says() {
        let mut random = Random(11);
        let mut studied = 0;
        for _ in 0..2000 {
            let size = random.size(15);
            let frame = Frame::new(Game::Gomoku, size, true);
            let mut entry = random.entry(&frame);
            crate::in_order(&mut entry, &frame);
            let mut bytes = Vec::new();
            put_rest(&mut bytes, &entry, &frame);
            let has_texts = !entry.comments.is_empty() || !entry.texts.is_empty();
            let value = entry.value().map(|judgement| judgement.value);
            assert_eq!(glance(&bytes).ok(), Some((has_texts, value)));
            studied += usize::from(entry.rest.is_some() && has_texts);
        }
        assert!(studied > 100, "{studied}");
    }
}

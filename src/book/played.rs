//! What a book says of the games that its positions refer to, and the section of the file that holds it.

use crate::bytes::{Broken, Bytes, put, put_bytes};
use crate::layout::{FULL, Section, number};
use crate::reader::content;
use crate::rows::{KeyAndRow, Rows};
use crate::runs::{Run, RunWriter};
use crate::source::{Merged, Source};
use crate::writer::{Content, pack_content};
use crate::{Book, Error};
use games::{Rules, Side};
use record::{Outcome, Record, same_game};
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A game that positions refer to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Played {
    /// Who had the first move; empty where it is not known, as all texts here.
    pub black: String,
    /// The opponent.
    pub white: String,
    /// The tournament or match.
    pub event: String,
    /// Its round.
    pub round: String,
    /// The date as the record has it.
    pub date: String,
    /// The result, where it is said.
    pub result: Option<Outcome>,
    /// The name of the file, without folders.
    pub file: String,
    /// The record within the file, from 1.
    pub record: u64,
}

/// A text of a game is cut behind so many bytes.
const LONGEST: usize = 1000;

const OUTCOMES: [Outcome; 5] = [Outcome::First, Outcome::Draw, Outcome::Second, Outcome::Unknown, Outcome::Void];

impl Played {
    /// What a record says of its game.
    pub(crate) fn of(record: &Record, file: &str, number: u64) -> Played {
        let tag = |name| shortened(record.head.tag(name).unwrap_or_default().trim());
        let player = |side| shortened(record.head.player(side).unwrap_or_default().trim());
        Played {
            black: player(Side::First),
            white: player(Side::Second),
            event: tag("Event"),
            round: tag("Round"),
            date: tag("Date"),
            result: record.head.result,
            file: shortened(file),
            record: number,
        }
    }

    /// The number by which positions refer to the game: its moves, and what is said of it but for the place it was
    /// found at, so that neither the order of files nor their names matter.
    pub(crate) fn id(&self, record: &Record, rules: Rules, symmetric: bool) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&same_game(record, rules.gomoku(), symmetric).to_le_bytes());
        let mut row = Vec::new();
        Played { file: String::new(), record: 0, ..self.clone() }.put(&mut row);
        hash.update(&row);
        hash.digest()
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let place = |outcome| 1 + OUTCOMES.iter().position(|known| *known == outcome).expect("all of them are listed");
        out.push(self.result.map_or(0, place) as u8);
        put(out, self.record);
        for text in [&self.black, &self.white, &self.event, &self.round, &self.date, &self.file] {
            put_bytes(out, text.as_bytes());
        }
    }

    /// The twin of [`Played::put`].
    fn read(row: &[u8]) -> Result<Played, Broken> {
        let mut bytes = Bytes(row);
        let result = match usize::from(bytes.byte()?) {
            0 => None,
            at => Some(*OUTCOMES.get(at - 1).ok_or(Broken)?),
        };
        let record = bytes.number()?;
        let mut text = || bytes.text().map(str::to_owned);
        let (black, white, event) = (text()?, text()?, text()?);
        let (round, date, file) = (text()?, text()?, text()?);
        bytes.end()?;
        Ok(Played { black, white, event, round, date, result, file, record })
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.into();
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// A game's number, and its row.
pub(crate) type Row = Result<(u64, Vec<u8>), Error>;

/// Games in any order, within bounded memory: what fills it is sorted and set aside in a file.
pub(crate) struct GameList {
    memory: usize,
    folder: PathBuf,
    rows: Vec<(u64, Vec<u8>)>,
    held: usize,
    runs: Vec<std::fs::File>,
}

/// Runs that are merged at once.
const RUNS: usize = 32;
/// What a row takes beside its bytes.
const OVERHEAD: usize = 64;

impl GameList {
    pub fn new(memory: usize, folder: &Path) -> GameList {
        GameList { memory, folder: folder.into(), rows: Vec::new(), held: 0, runs: Vec::new() }
    }

    pub fn push(&mut self, id: u64, row: Vec<u8>) -> Result<(), Error> {
        self.held += row.len() + OVERHEAD;
        self.rows.push((id, row));
        if self.held > self.memory { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.rows.sort_unstable();
        let rows = std::mem::take(&mut self.rows);
        self.held = 0;
        let run = self.write_run(rows.into_iter().map(Ok))?;
        self.runs.push(run);
        if self.runs.len() == RUNS {
            let merged = union(open(std::mem::take(&mut self.runs))?);
            let run = self.write_run(merged)?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn write_run(&self, rows: impl Iterator<Item = Row>) -> Result<std::fs::File, Error> {
        let mut run = RunWriter::new(&self.folder)?;
        for row in rows {
            let (id, row) = row?;
            run.push(&id.to_be_bytes(), &row)?;
        }
        run.finish()
    }

    /// All games in the order of their numbers, each once.
    pub fn finish(mut self) -> Result<Box<dyn Iterator<Item = Row>>, Error> {
        if self.runs.is_empty() {
            self.rows.sort_unstable();
            self.rows.dedup_by_key(|(id, _)| *id);
            return Ok(Box::new(self.rows.into_iter().map(Ok)));
        }
        self.spill()?;
        Ok(Box::new(union(open(self.runs)?)))
    }
}

fn open(runs: Vec<std::fs::File>) -> Result<Vec<Run>, Error> {
    runs.into_iter().map(Run::new).collect()
}

/// Sorted games as one list; of those with the same number the least row.
pub(crate) fn union<S: Source>(sources: Vec<S>) -> impl Iterator<Item = Row> + use<S> {
    let mut merged = Merged::new(sources);
    std::iter::from_fn(move || {
        let (key, row) = merged.head()?;
        let (key, mut row) = (key.to_vec(), row.to_vec());
        loop {
            if let Err(error) = merged.advance() {
                return Some(Err(error));
            }
            match merged.head() {
                Some((other, another)) if *other == *key => row = row.min(another.to_vec()),
                _ => break,
            }
        }
        Some(Ok((u64::from_be_bytes(key.try_into().expect("the key of a game has eight bytes")), row)))
    })
}

/// First number of a chunk and where it begins in the section.
const TABLE_ROW: usize = 16;
/// Number of games, of chunks, most references of a position, XXH3 of the table and of these.
const TAIL: usize = 32;

/// Writes the section, and adds it to the content.
pub(crate) fn write_games(
    out: &mut impl Write,
    offset: u64,
    refs: u64,
    games: impl Iterator<Item = Row>,
    content: &mut Content,
) -> Result<Section, Error> {
    let mut written = SectionHash { hash: Xxh3::new(), length: 0 };
    let mut table = Vec::new();
    let mut chunk = Vec::new();
    let mut last = 0;
    let mut count = 0u64;
    content.begin_games(refs);
    for game in games {
        let (id, row) = game?;
        if count > 0 && id <= last {
            return Err(Error::Order);
        }
        content.add_game(id, &row);
        if chunk.is_empty() {
            table.extend(id.to_le_bytes());
            table.extend(written.length.to_le_bytes());
            last = 0;
        }
        put(&mut chunk, id - last);
        put_bytes(&mut chunk, &row);
        (last, count) = (id, count + 1);
        if chunk.len() >= FULL {
            written.write(out, &pack_content(&chunk)?)?;
            chunk.clear();
        }
    }
    if !chunk.is_empty() {
        written.write(out, &pack_content(&chunk)?)?;
    }
    let chunks = (table.len() / TABLE_ROW) as u64;
    for number in [count, chunks, refs] {
        table.extend(number.to_le_bytes());
    }
    let hash = xxh3_64(&table);
    table.extend(hash.to_le_bytes());
    written.write(out, &table)?;
    Ok(Section { offset, length: written.length, hash: written.hash.digest() })
}

struct SectionHash {
    hash: Xxh3,
    length: u64,
}

impl SectionHash {
    fn write(&mut self, out: &mut impl Write, bytes: &[u8]) -> Result<(), Error> {
        out.write_all(bytes)?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// The games of a book.
pub struct Games<'a> {
    section: &'a [u8],
    /// Where the section begins in the file.
    offset: u64,
    table: &'a [u8],
    count: u64,
    refs: u64,
}

impl<'a> Games<'a> {
    pub(crate) fn open(section: &'a [u8], offset: u64) -> Result<Games<'a>, Error> {
        let damaged = || Error::Damaged { part: "list of games", byte: offset };
        let tail = section.len().checked_sub(TAIL).ok_or_else(damaged)?;
        let numbers = |at: usize| number(&section[tail + 8 * at..][..8]);
        let (count, chunks, refs, hash) = (numbers(0), numbers(1), numbers(2), numbers(3));
        let length = usize::try_from(chunks).ok().and_then(|chunks| chunks.checked_mul(TABLE_ROW));
        let start = length.and_then(|length| tail.checked_sub(length)).ok_or_else(damaged)?;
        if xxh3_64(&section[start..section.len() - 8]) != hash {
            return Err(damaged());
        }
        Ok(Games { section: &section[..start], offset, table: &section[start..tail], count, refs })
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many of them a position refers to at most.
    pub fn refs(&self) -> u64 {
        self.refs
    }

    /// The game of a number.
    pub fn get(&self, id: u64) -> Result<Option<Played>, Error> {
        let first = |row: &[u8]| number(&row[..8]);
        let (rows, _) = self.table.as_chunks::<TABLE_ROW>();
        let Some(at) = rows.partition_point(|row| first(row) <= id).checked_sub(1) else { return Ok(None) };
        let (chunk, _) = self.chunk(number(&rows[at][8..]))?;
        let found = rows_of(&chunk).find(|row| row.as_ref().map_or(true, |(other, _)| *other >= id));
        let damaged = |_| self.damaged(number(&rows[at][8..]));
        match found.transpose().map_err(damaged)? {
            Some((other, row)) if other == id => Played::read(row).map(Some).map_err(damaged),
            _ => Ok(None),
        }
    }

    /// All games with their numbers as keys, in order.
    pub(crate) fn in_order(&self) -> Result<GamesInOrder<'a>, Error> {
        let mut games = GamesInOrder { games: Games { ..*self }, next: 0, rows: Rows::default(), at: 0 };
        games.read()?;
        Ok(games)
    }

    /// Reads all games into the hash of the content, and holds the table against them.
    pub(crate) fn verify(&self, content: &mut Content) -> Result<(), Error> {
        content.begin_games(self.refs);
        let (rows, _) = self.table.as_chunks::<TABLE_ROW>();
        let (mut at, mut count, mut last) = (0, 0, None);
        for row in rows {
            if number(&row[8..]) != at {
                return Err(self.damaged(at));
            }
            let (chunk, after) = self.chunk(at)?;
            if chunk.is_empty() {
                return Err(self.damaged(at));
            }
            for (place, game) in rows_of(&chunk).enumerate() {
                let (id, game) = game.map_err(|_| self.damaged(at))?;
                let in_order = last.is_none_or(|last| last < id) && (place > 0 || id == number(&row[..8]));
                if !in_order || Played::read(game).is_err() {
                    return Err(self.damaged(at));
                }
                content.add_game(id, game);
                (last, count) = (Some(id), count + 1);
            }
            at = after;
        }
        if at != self.section.len() as u64 || count != self.count { Err(self.damaged(at)) } else { Ok(()) }
    }

    /// The content of the chunk that begins there in the section, and where the next one does.
    fn chunk(&self, at: u64) -> Result<(Vec<u8>, u64), Error> {
        content(self.section, at, self.section.len() as u64).map_err(|_| self.damaged(at))
    }

    fn damaged(&self, at: u64) -> Error {
        Error::Damaged { part: "list of games", byte: self.offset.saturating_add(at) }
    }
}

/// The games of a book as rows.
pub(crate) struct GamesInOrder<'a> {
    games: Games<'a>,
    /// Where the next chunk begins.
    next: u64,
    rows: Rows,
    at: usize,
}

impl GamesInOrder<'_> {
    fn read(&mut self) -> Result<(), Error> {
        self.at = 0;
        self.rows.clear();
        if self.next < self.games.section.len() as u64 {
            let at = std::mem::replace(&mut self.next, u64::MAX);
            let (chunk, after) = self.games.chunk(at)?;
            for game in rows_of(&chunk) {
                let (id, row) = game.map_err(|_| self.games.damaged(at))?;
                self.rows.push(&id.to_be_bytes(), row);
            }
            self.next = after;
        }
        Ok(())
    }
}

impl Source for GamesInOrder<'_> {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        self.rows.get(self.at)
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.at += 1;
        if self.at >= self.rows.len() { self.read() } else { Ok(()) }
    }
}

/// The games of a chunk.
fn rows_of(chunk: &[u8]) -> impl Iterator<Item = Result<(u64, &[u8]), Broken>> {
    let mut bytes = Bytes(chunk);
    let mut last = 0u64;
    std::iter::from_fn(move || {
        if bytes.0.is_empty() {
            return None;
        }
        let mut next = || -> Result<(u64, &[u8]), Broken> {
            last = last.checked_add(bytes.number()?).ok_or(Broken)?;
            Ok((last, bytes.bytes()?))
        };
        let row = next();
        if row.is_err() {
            bytes = Bytes(&[]);
        }
        Some(row)
    })
}

/// The games of some books as those of one; how many of them a position may refer to.
pub(crate) fn games_of<'b, D: AsRef<[u8]>>(
    books: &'b [Book<D>],
) -> Result<Option<(u64, impl Iterator<Item = Row> + use<'b, D>)>, Error> {
    let lists = books.iter().filter_map(|book| book.games().transpose()).collect::<Result<Vec<_>, _>>()?;
    let refs = lists.iter().map(Games::refs).max();
    let rows = union(lists.iter().map(Games::in_order).collect::<Result<_, _>>()?);
    Ok(refs.map(|refs| (refs, rows)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;
    use std::collections::BTreeMap;

    #[test]
    fn a_list_of_games_is_the_same_in_any_order_and_memory() {
        let mut random = Random(11);
        let mut games: Vec<(u64, Vec<u8>)> =
            (0..20_000).map(|at| (random.below(15_000), format!("{}", at * at).into_bytes())).collect();
        let mut wanted: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
        for (id, row) in &games {
            let least = wanted.entry(*id).or_insert_with(|| row.clone());
            *least = row.clone().min(least.clone());
        }
        for memory in [1 << 30, 40_000, 5_000] {
            games.reverse();
            let mut list = GameList::new(memory, &std::env::temp_dir());
            games.iter().for_each(|(id, row)| list.push(*id, row.clone()).unwrap());
            let all: Vec<_> = list.finish().unwrap().collect::<Result<_, _>>().unwrap();
            assert!(all.into_iter().eq(wanted.clone()), "{memory}");
        }
    }

    #[test]
    fn rows_come_back_and_long_texts_are_cut_between_characters() {
        let mut record = Record::default();
        record.head.tags.push(("Black".into(), format!("a{}", "棋".repeat(400))));
        record.head.tags.push(("Event".into(), " Cup ".into()));
        for result in OUTCOMES.into_iter().map(Some).chain([None]) {
            record.head.result = result;
            let played = Played::of(&record, "games.sgf", 300);
            assert_eq!((played.black.chars().count(), played.event.as_str()), (335, "Cup"));
            let mut row = Vec::new();
            played.put(&mut row);
            assert_eq!(Played::read(&row), Ok(played));
            for length in 0..row.len() {
                assert_eq!(Played::read(&row[..length]), Err(Broken));
            }
        }
    }

    /// A section with a chunk of each content, whose checksums hold.
    fn section(chunks: &[Vec<u8>], mut table: Vec<u8>, tail: [u64; 3]) -> Vec<u8> {
        let mut out: Vec<u8> = chunks.iter().flat_map(|chunk| pack_content(chunk).unwrap()).collect();
        tail.iter().for_each(|number| table.extend(number.to_le_bytes()));
        out.extend(&table);
        out.extend(xxh3_64(&table).to_le_bytes());
        out
    }

    /// Whether the section is what it says; it is read in all ways, and each of them ends.
    fn read_all(section: &[u8], ids: &[u64]) -> bool {
        let Ok(games) = Games::open(section, 0) else { return false };
        ids.iter().step_by(397).chain(&[0, 1, u64::MAX]).for_each(|id| drop(games.get(*id)));
        let whole = games.verify(&mut Content::new(true)).is_ok();
        let mut found = Vec::new();
        for game in union(games.in_order().into_iter().collect()) {
            match game {
                Ok((id, _)) => found.push(id),
                Err(_) => {
                    assert!(!whole);
                    return false;
                }
            }
        }
        if whole {
            assert!(found.len() as u64 == games.count() && found.is_sorted());
            assert!(found.into_iter().step_by(397).all(|id| games.get(id).unwrap().is_some()));
        }
        whole
    }

    #[test]
    fn forged_lists_of_games_are_read_without_harm() {
        let mut random = Random(12);
        let ids: Vec<u64> = (1..4000).map(|at| at * at * 1000).collect();
        let played = Played { black: "Ann".into(), event: "x".repeat(40), ..Played::default() };
        let rows = ids.iter().map(|id| {
            let mut row = Vec::new();
            Played { record: *id, ..played.clone() }.put(&mut row);
            Ok((*id, row))
        });
        let mut bytes = Vec::new();
        write_games(&mut bytes, 0, 3, rows, &mut Content::new(true)).unwrap();
        assert!(read_all(&bytes, &ids));
        let games = Games::open(&bytes, 0).unwrap();
        let (mut at, mut chunks) = (0, Vec::new());
        while at < games.section.len() as u64 {
            let (chunk, after) = games.chunk(at).unwrap();
            chunks.push(chunk);
            at = after;
        }
        assert!(chunks.len() > 2);
        let tail = [games.count, chunks.len() as u64, games.refs];
        assert_eq!(section(&chunks, games.table.to_vec(), tail), bytes);
        let mut passed = 0;
        for round in 0..300 {
            let (mut chunks, mut table, mut tail) = (chunks.clone(), games.table.to_vec(), tail);
            let at = random.below(chunks.len() as u64) as usize;
            let number = [0, 1, 16, u64::from(u32::MAX), u64::MAX - 1, u64::MAX][random.below(6) as usize];
            match round % 5 {
                0 => tail[random.below(3) as usize] = number,
                1 => {
                    let at = 8 * random.below(table.len() as u64 / 8) as usize;
                    table[at..at + 8].copy_from_slice(&number.to_le_bytes());
                }
                2 => chunks.swap(at, 0),
                3 => chunks[at].truncate(random.below(200) as usize),
                _ => {
                    let byte = random.below(chunks[at].len() as u64) as usize;
                    chunks[at][byte] ^= 1 << random.below(8);
                }
            }
            passed += u64::from(read_all(&section(&chunks, table, tail), &ids));
        }
        // Some changes make another list, of other texts.
        assert!(passed > 5 && passed < 200, "{passed}");
    }
}

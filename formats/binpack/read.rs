//! From packed games to records.

use super::GAME_TAG;
use super::entry::{ENTRY, Entry, Header};
use crate::bin::read::point;
use crate::bin::sample::OPENING_PLIES;
use crate::frame::Stop;
use crate::stream::Stream;
use crate::{Error, Reading, Severity};
use games::{Move, Side, Size};
use record::{Full, Head, Note, Play, Record, Tree, TreeBuilder, Value};

/// How many games are read between two looks at the progress.
const STRIDE: u64 = 1 << 7;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut stream = Stream::new(bytes, reading)?;
    let (mut opening, mut entries) = (Vec::new(), Vec::new());
    let mut number = 0;
    loop {
        let start = stream.at;
        let mut header = [0; 8];
        let taken = match stream.fill(&mut header) {
            Ok(false) => break,
            Ok(true) => whole(&mut stream, &Header::parse(&header), &mut opening, &mut entries),
            Err(stop) => Err(stop),
        };
        if let Err(stop) = taken {
            return stream.ended(&stop, reading);
        }
        number += 1;
        let mut game = Game::new(Header::parse(&header));
        match game.read(&opening, &entries) {
            Ok(()) => {
                game.faults(|kind, message| {
                    reading.fault(kind, Severity::Quirk, || {
                        let (mut place, message) = stream.told(start, message.into());
                        place.record = Some(number);
                        (place, message)
                    })
                })?;
                reading.emit(game.record()?)?;
            }
            Err((at, message)) => {
                let (mut place, message) = stream.told(start + at as u64, message);
                place.record = Some(number);
                let error = reading.error(place, message);
                reading.leave_out("bad-game", error)?;
            }
        }
        if number % STRIDE == 0 {
            stream.progress(reading)?;
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// Takes what follows the header.
fn whole(stream: &mut Stream<'_>, header: &Header, opening: &mut Vec<u8>, entries: &mut Vec<u8>) -> Result<(), Stop> {
    opening.clear();
    entries.clear();
    stream.append(2 * header.opening, opening)?;
    stream.append(ENTRY * header.count, entries)
}

/// A move and what was thought of it.
type Valued = (Move, Option<Value>);

/// A game on its way to a record.
struct Game {
    header: Header,
    head: Head,
    /// The moves that were played, each with the alternatives to it.
    plies: Vec<(Valued, Vec<Valued>)>,
    flags: bool,
    unused: bool,
}

impl Game {
    fn new(header: Header) -> Game {
        Game { header, head: Head::default(), plies: Vec::new(), flags: false, unused: false }
    }

    /// Reads the moves; an error has its byte within the game.
    fn read(&mut self, opening: &[u8], entries: &[u8]) -> Result<(), (usize, String)> {
        let meaning = self.header.game().map_err(|message| (0, message))?;
        let size = meaning.size;
        let mut tags = Vec::new();
        for (name, number) in [(OPENING_PLIES, self.header.opening), (GAME_TAG, usize::from(self.header.tag))] {
            if number > 0 {
                tags.push((name.to_owned(), number.to_string()));
            }
        }
        let (rule, result) = (Some(meaning.rule), Some(meaning.result));
        self.head = Head { size, rule, result, tags, ..Head::default() };
        for (at, code) in opening.chunks_exact(2).enumerate() {
            let point = point(u16::from_le_bytes([code[0], code[1]]), size);
            let point = point.map_err(|message| (8 + 2 * at, message))?;
            self.plies.push(((Move::Place(point), None), Vec::new()));
        }
        self.entries(entries, size).map_err(|(at, message)| (8 + opening.len() + at, message))
    }

    fn entries(&mut self, entries: &[u8], size: Size) -> Result<(), (usize, String)> {
        // Where the last position is open, its entries go on.
        let mut open = false;
        for (at, bytes) in entries.chunks_exact(ENTRY).enumerate() {
            let entry = Entry::parse(bytes.try_into().expect("chunks of four bytes"));
            let play = entry.play(size).map_err(|message| (ENTRY * at, message))?;
            self.flags |= entry.first == open;
            self.unused |= entry.has_unused_bits();
            let begins = entry.first || at == 0;
            let ply = self.plies.len() + usize::from(begins);
            let valued = (play, entry.value(Side::of_ply(ply)));
            match self.plies.last_mut().filter(|_| !begins) {
                Some((_, others)) => others.push(valued),
                None => self.plies.push((valued, Vec::new())),
            }
            open = !entry.last;
        }
        self.flags |= open;
        Ok(())
    }

    /// Tells what was forgiven.
    fn faults(&self, mut tell: impl FnMut(&'static str, &str) -> Result<(), Error>) -> Result<(), Error> {
        if self.header.total != self.plies.len() {
            let (said, moves) = (self.header.total, self.plies.len());
            tell("wrong-count", &format!("the game says it has {said} moves and has {moves}: these are read"))?;
        }
        if self.flags {
            tell("entry-flags", "the first and last entries of positions are not in turn: a first one begins one")?;
        }
        if self.unused {
            tell("unused-bits", "bits are set that say nothing: not kept")?;
        }
        Ok(())
    }

    fn record(self) -> Result<Record, Full> {
        let tree = tree(&self.plies)?;
        Ok(Record { head: self.head, tree })
    }
}

/// The game and, behind it, the alternatives to its moves from the last one on.
fn tree(plies: &[(Valued, Vec<Valued>)]) -> Result<Tree, Full> {
    let mut builder = TreeBuilder::new();
    let mut append = |depth: usize, (play, value): &Valued| {
        builder.append(depth, Side::of_ply(depth), Play::Move(*play))?;
        value.map_or(Ok(()), |value| builder.note(Note::Value(value)))
    };
    for (at, (played, _)) in plies.iter().enumerate() {
        append(at + 1, played)?;
    }
    for (at, (_, others)) in plies.iter().enumerate().rev() {
        others.iter().try_for_each(|other| append(at + 1, other))?;
    }
    Ok(builder.build())
}

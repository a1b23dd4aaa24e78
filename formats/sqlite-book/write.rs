use super::Variant;
use super::key::{Keys, Packed, Places, mirrored};
use super::play::Order;
use super::trail::{Memos, Played, Trail, folder};
use crate::yixin_db::text::encode;
use crate::{Blame, EntryWriter, Error, Losses, WriteOptions};
use encoding_rs::UTF_8;
use games::xiangqi::Board;
use games::{Move, Side, Step, Symmetry};
use record::{Bound, Comment, Continuation, Entry, Judgement, Key, Label, Ratings, Tally};
use rusqlite::{Connection, params};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// How many positions are looked at between two looks at whether to stop.
const STRIDE: usize = 1 << 12;
/// What programs can count to.
const MOST: u64 = i32::MAX as u64;
/// The depth of what no moves from the start position lead to.
const FAR: u32 = u32::MAX;

pub(super) fn writer<'a>(
    out: &'a mut dyn Write,
    options: &WriteOptions,
    variant: Variant,
) -> Box<dyn EntryWriter + 'a> {
    Box::new(BookWriter {
        out,
        variant,
        folder: folder(options),
        trail: Trail::new(options),
        memos: Memos::new(options),
        known: Vec::new(),
        places: Places::default(),
        notes: Vec::new(),
        has_values: false,
    })
}

struct BookWriter<'a> {
    out: &'a mut dyn Write,
    variant: Variant,
    folder: PathBuf,
    trail: Trail,
    memos: Memos,
    /// In the order they came.
    known: Vec<Known>,
    places: Places,
    /// What is said of the start position, in a book of 勇芳.
    notes: Vec<Vec<u8>>,
    /// Some value is not 0.
    has_values: bool,
}

/// What is known of a position, to be said of the moves that lead to it.
#[derive(Copy, Clone, Default)]
struct Known {
    memo: Option<std::num::NonZeroU64>,
    value: i32,
    /// Plies from the start position.
    depth: u32,
    has_value: bool,
    is_blocked: bool,
    /// Something other than such a book says the value.
    is_judged: bool,
    /// A move that was given leads here.
    is_listed: bool,
    /// A row leads here.
    is_told: bool,
}

impl Known {
    const fn says_something(&self) -> bool {
        self.has_value || self.is_blocked || self.memo.is_some()
    }

    /// Whether every move that leads here is written, and not only those that were given.
    const fn leads(&self) -> bool {
        self.says_something() && (self.is_judged || !self.is_listed)
    }
}

impl EntryWriter for BookWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        let Some(board) = key.pieces() else {
            return Err(Error::new(Blame::Target, self.variant.name(), "such books hold positions of xiangqi alone"));
        };
        let keys = Keys::of(board);
        let place = u32::try_from(self.known.len());
        let place =
            place.map_err(|_| Error::new(Blame::Us, self.variant.name(), "a book of more than 2^32 positions"))?;
        if self.places.contains_key(&keys.least()) {
            losses.position("second entries of a position or its mirror image (left out)", key);
            return Ok(());
        }
        self.places.insert(keys.least(), place);
        let moves = moves(key, board, entry, losses);
        let is_mirrored = keys.mirror < keys.own;
        let turned =
            |played: Played| Played { step: if is_mirrored { mirrored(played.step) } else { played.step }, ..played };
        let moves: Vec<Played> = moves.into_iter().map(turned).collect();
        let position = if is_mirrored { Packed::of(&board.mirror()) } else { Packed::of(board) };
        self.trail.push(&position, &moves)?;
        let known = self.known(key, board, entry, losses)?;
        self.known.push(known);
        Ok(())
    }

    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error> {
        self.mark_listed()?;
        self.measure()?;
        // SQLite writes to files with names.
        let path = tempfile::Builder::new().prefix(".kifu-").tempfile_in(&self.folder)?.into_temp_path();
        let written = Connection::open(&path).map_err(|error| unwritten(&error)).and_then(|mut connection| {
            self.rows(&mut connection, losses)?;
            connection.close().map_err(|(_, error)| unwritten(&error))
        });
        written?;
        std::io::copy(&mut std::fs::File::open(&path)?, self.out)?;
        Ok(self.out.flush()?)
    }
}

/// A row without what is known of the position that it leads to.
struct Link {
    played: Played,
    /// The place of that position.
    to: Option<u32>,
}

impl BookWriter<'_> {
    /// What is known of a position.
    fn known(&mut self, key: &Key, board: &Board, entry: &Entry, losses: &mut Losses) -> Result<Known, Error> {
        lose(key, entry, losses);
        let mut known = Known { depth: FAR, ..Known::default() };
        if let Some(judgement) = entry.value() {
            let own = [super::OBK.name, super::YFK.name, super::PFBOOK.name].contains(&&*judgement.source);
            let plain = Judgement {
                bound: Bound::None,
                depth: 0,
                nodes: None,
                scale: Judgement::SCALE,
                source: if own { judgement.source.clone() } else { String::new() },
                ..*judgement
            };
            if *judgement != plain {
                losses.position("bounds, depths, nodes, scales and sources of values (left out)", key);
            }
            (known.has_value, known.value, known.is_judged) = (true, judgement.value, !own);
            self.has_values |= judgement.value != 0;
        }
        known.is_blocked = entry.label == Label::Blocked;
        if *board == Board::start() && self.variant == Variant::Yfk {
            self.notes = entry.comments.iter().map(bytes).collect();
            return Ok(known);
        }
        if entry.comments.is_empty() {
            return Ok(known);
        }
        if self.variant == Variant::Yfk {
            losses.position("comments on positions other than the start (left out)", key);
            return Ok(known);
        }
        let memo = match &entry.comments[..] {
            [only] => bytes(only),
            several => {
                losses.position("positions with several comments (joined)", key);
                let texts: Vec<&str> = several.iter().map(|comment| &*comment.text).collect();
                texts.join("\n").into_bytes()
            }
        };
        if memo.len() > LONGEST_MEMO {
            losses.position("comments of more than 32 MB (left out)", key);
        } else if !memo.is_empty() {
            known.memo = std::num::NonZeroU64::new(self.memos.push(&memo)? + 1);
        }
        Ok(known)
    }

    /// Finds which positions are led to by moves that were given.
    fn mark_listed(&mut self) -> Result<(), Error> {
        let (known, places) = (&mut self.known, &self.places);
        self.trail.each(|_, position, moves| {
            let board = position.board();
            let keys = Keys::of(&board);
            for played in moves {
                if let Some(place) = places.get(&keys.after(&board, played.step).least()) {
                    known[*place as usize].is_listed = true;
                }
            }
            Ok(())
        })
    }

    /// Finds which positions rows lead to, and how many plies each is from the start by moves that lead to positions.
    fn measure(&mut self) -> Result<(), Error> {
        let mut targets: Vec<u32> = Vec::new();
        let mut starts = vec![0];
        let (known, places, out) = (&mut self.known, &self.places, &mut *self.out);
        self.trail.each(|at, position, moves| {
            stopped(at, out)?;
            let board = position.board();
            let keys = Keys::of(&board);
            for step in board.moves() {
                let Some(to) = places.get(&keys.after(&board, step).least()).copied() else { continue };
                targets.push(to);
                let after = &mut known[to as usize];
                after.is_told |= after.leads() || moves.iter().any(|played| played.step == step);
            }
            starts.push(targets.len());
            Ok(())
        })?;
        let start = self.places.get(&Keys::of(&Board::start()).least()).copied();
        let mut level: Vec<u32> = start.into_iter().collect();
        for depth in 0.. {
            level.retain(|place| std::mem::replace(&mut self.known[*place as usize].depth, depth) == FAR);
            let next = level.iter().flat_map(|place| &targets[starts[*place as usize]..starts[*place as usize + 1]]);
            let mut next: Vec<u32> = next.copied().filter(|place| self.known[*place as usize].depth == FAR).collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                break;
            }
            level = next;
        }
        Ok(())
    }

    fn rows(&mut self, connection: &mut Connection, losses: &mut Losses) -> Result<(), Error> {
        let variant = self.variant;
        let failed = |error| unwritten(&error);
        connection.execute_batch(PRAGMAS).map_err(failed)?;
        connection.execute_batch(schema(variant)).map_err(failed)?;
        let transaction = connection.transaction().map_err(failed)?;
        {
            let mut insert = transaction.prepare(insertion(variant)).map_err(failed)?;
            let order = Order::of(variant);
            let (known, places, memos, out) = (&self.known, &self.places, &mut self.memos, &mut *self.out);
            let has_values = self.has_values;
            let mut memo = Vec::new();
            self.trail.each(|at, position, moves| {
                stopped(at, out)?;
                let board = position.board();
                let key = Key::from(board.clone());
                let own = known[at];
                let links = links(&board, moves, known, places);
                if own.depth == FAR && !links.is_empty() {
                    let what = "positions that no moves lead to from the start position (written; what walks from there does not find them)";
                    losses.position(what, &key);
                }
                if own.says_something() && !own.is_told {
                    let what = "values, labels and comments of positions that no move of the book leads to (left out)";
                    losses.position(what, &key);
                } else if own.has_value && own.value == 0 && !has_values {
                    losses.position("values of 0 in a book without others (taken as none)", &key);
                }
                let index = if own.depth == FAR { 0 } else { own.depth + 1 };
                for Link { played, to } in links {
                    let after = to.map_or_else(Known::default, |to| known[to as usize]);
                    if has_values && !after.has_value {
                        losses.position("moves without a value in a book with values (written as 0)", &key);
                    }
                    memo.clear();
                    if let Some(at) = after.memo {
                        memos.read(at.get() - 1, &mut memo)?;
                    }
                    let key = Keys::of(&board).own as i64;
                    let (play, score, valid) = (order.write(played.step), -i64::from(after.value), !after.is_blocked);
                    let Played { wins, draws, losses, .. } = played;
                    let inserted = match (variant, std::str::from_utf8(&memo)) {
                        (Variant::Yfk, _) => insert.execute(params![key, play, score, wins, draws, losses, valid, index]),
                        (_, Ok(text)) => insert.execute(params![key, play, score, wins, draws, losses, valid, text, index]),
                        (_, Err(_)) => insert.execute(params![key, play, score, wins, draws, losses, valid, memo, index]),
                    };
                    inserted.map_err(failed)?;
                }
                Ok(())
            })?;
            if variant == Variant::Yfk {
                let mut insert = transaction.prepare("INSERT INTO ltext(lma) VALUES (?1)").map_err(failed)?;
                for note in &self.notes {
                    let inserted = match std::str::from_utf8(note) {
                        Ok(text) => insert.execute([text]),
                        Err(_) => insert.execute([note]),
                    };
                    inserted.map_err(failed)?;
                }
            }
        }
        transaction.execute_batch(index(variant)).map_err(failed)?;
        transaction.commit().map_err(failed)
    }
}

/// What a reader takes of a row.
const LONGEST_MEMO: usize = (1 << 25) - (1 << 10);

/// The bytes of a comment.
fn bytes(comment: &Comment) -> Vec<u8> {
    encode(&comment.text, &comment.bytes, UTF_8).0.into_owned()
}

/// The moves of an entry with their counts.
fn moves(key: &Key, board: &Board, entry: &Entry, losses: &mut Losses) -> Vec<Played> {
    let mut moves: Vec<Played> = Vec::with_capacity(entry.moves.len());
    for Continuation { play, tally } in &entry.moves {
        let Some(step) = step(*play).filter(|step| board.is_legal(*step)) else {
            losses.position("moves that are not legal (left out)", key);
            continue;
        };
        let Tally { games, first, draws, second } = *tally;
        let (wins, lost) = if board.to_move() == Side::First { (first, second) } else { (second, first) };
        if games != wins.saturating_add(draws).saturating_add(lost) {
            losses.position("games without a result (left out)", key);
        }
        if [wins, draws, lost].into_iter().any(|count| count > MOST) {
            losses.position("counts beyond 2147483647 (written as that)", key);
        }
        let [wins, draws, lost] = [wins, draws, lost].map(|count| count.min(MOST) as u32);
        match moves.iter_mut().find(|played| played.step == step) {
            Some(_) => losses.position("second counts of a move (left out)", key),
            None => moves.push(Played { step, wins, draws, losses: lost }),
        }
    }
    moves
}

fn step(play: Move) -> Option<Step> {
    match play {
        Move::Step(step) => Some(step),
        Move::Pass | Move::Place(_) => None,
    }
}

/// Tells what such a book has no place for.
fn lose(key: &Key, entry: &Entry, losses: &mut Losses) {
    let mut lose = |what, lost: bool| {
        if lost {
            losses.position(what, key);
        }
    };
    let rest = entry.rest.as_ref();
    lose(
        "counts of games that reached a position (left out; those of its moves are written)",
        entry.tally != Tally::default(),
    );
    lose("years and ratings (left out)", entry.last_year.is_some() || entry.ratings != Ratings::default());
    lose("references to games (left out)", !entry.games.is_empty());
    lose("labels other than blocked (left out)", !matches!(entry.label, Label::None | Label::Blocked));
    lose("texts on points (left out)", !entry.texts.is_empty());
    lose("best moves that the book does not follow (left out)", rest.is_some_and(|rest| rest.play.is_some()));
    let of_rest = rest.is_some_and(|rest| rest.judgement.is_some());
    let values = usize::from(entry.judgement.is_some()) + usize::from(of_rest) + usize::from(entry.backed.is_some());
    lose("values of a position beside the one to go by (left out)", values > 1);
    let proven = rest.is_some_and(|rest| rest.proven) || entry.backed.is_some_and(|backed| backed.proven);
    lose("proofs of values (left out)", proven);
    let turned = entry.comments.iter().any(|comment| comment.written != Symmetry::Identity);
    lose("orientations that comments were written in (left out)", turned);
}

/// The rows of a position: the moves that were given, and those that lead to what is to be told.
fn links(board: &Board, moves: &[Played], known: &[Known], places: &Places) -> Vec<Link> {
    let keys = Keys::of(board);
    let place = |step: Step| places.get(&keys.after(board, step).least()).copied();
    let mut links: Vec<Link> = moves.iter().map(|played| Link { played: *played, to: place(played.step) }).collect();
    for step in board.moves() {
        let Some(to) = place(step).filter(|to| known[*to as usize].leads()) else { continue };
        if !moves.iter().any(|played| played.step == step) {
            links.push(Link { played: Played { step, wins: 0, draws: 0, losses: 0 }, to: Some(to) });
        }
    }
    links
}

/// An error if the user wants to stop: what is written to then fails, if only nothing is.
fn stopped(at: usize, out: &mut dyn Write) -> Result<(), Error> {
    if at.is_multiple_of(STRIDE) {
        match out.write(&[]) {
            Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

fn unwritten(error: &rusqlite::Error) -> Error {
    Error::new(Blame::World, "", error.to_string())
}

/// The file is new, and nobody else has it.
const PRAGMAS: &str = "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;";

/// The tables as the programs make them.
const fn schema(variant: Variant) -> &'static str {
    match variant {
        Variant::Obk => {
            "CREATE TABLE bhobk([id] INTEGER PRIMARY KEY AUTOINCREMENT,[vkey] INTEGER,[vmove] INTEGER,[vscore] INTEGER,\
             [vwin] INTEGER,[vdraw] INTEGER,[vlost] INTEGER,[vvalid] INTEGER,[vmemo] BLOB,[vindex] INTEGER)"
        }
        Variant::Yfk => {
            "CREATE TABLE bhobk([id] INTEGER PRIMARY KEY AUTOINCREMENT,[vkey] INTEGER,[vmove] INTEGER,[vscore] INTEGER,\
             [vwin] INTEGER,[vdraw] INTEGER,[vlost] INTEGER,[vvalid] INTEGER,[vindex] INTEGER);\
             CREATE TABLE ltext(id INTEGER PRIMARY KEY, lma TEXT)"
        }
        Variant::PfBook => {
            "CREATE TABLE pfBook([id] INTEGER PRIMARY KEY AUTOINCREMENT,[vkey] INTEGER,[vmove] INTEGER,\
             [vscore] INTEGER,[vwin] INTEGER,[vdraw] INTEGER,[vlost] INTEGER,[vvalid] INTEGER,[vmemo] BLOB,\
             [vindex] INTEGER);\
             CREATE TABLE bookVersion(key TEXT, version TEXT);\
             INSERT INTO bookVersion VALUES ('version', '1.0.0.0')"
        }
    }
}

const fn insertion(variant: Variant) -> &'static str {
    match variant {
        Variant::Obk => {
            "INSERT INTO bhobk(vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vmemo, vindex) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        }
        Variant::Yfk => {
            "INSERT INTO bhobk(vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vindex) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        }
        Variant::PfBook => {
            "INSERT INTO pfBook(vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vmemo, vindex) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        }
    }
}

const fn index(variant: Variant) -> &'static str {
    match variant {
        Variant::Obk | Variant::Yfk => "CREATE INDEX idx_vkey ON bhobk(vkey)",
        Variant::PfBook => "CREATE INDEX idx_vkey ON pfBook(vkey)",
    }
}

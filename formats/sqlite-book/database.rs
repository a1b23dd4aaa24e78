//! The database of a book: opened in memory with nothing in it trusted, and its rows.

use super::play::Order;
use super::{MAGIC, Variant};
use crate::{EntryReading, Error, Place, Severity};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::io::Read;

/// How many rows are read between two looks at the progress.
const STRIDE: usize = 1 << 14;
/// No row of a book takes fewer bytes: its head, its key and its move.
const SHORTEST_ROW: usize = 16;
/// What a row may take, and so a memo.
const LONGEST_ROW: i32 = 1 << 25;
/// The columns that every book has.
const NUMBERS: [&str; 7] = ["vkey", "vmove", "vscore", "vwin", "vdraw", "vlost", "vvalid"];
/// Those that some have.
const OTHERS: [&str; 3] = ["id", "vmemo", "vindex"];

/// A row: a move of a position.
#[derive(Copy, Clone, Debug)]
pub(super) struct Row {
    pub key: u64,
    /// The `rowid`, which `id` is another name of.
    pub id: i64,
    /// What the position after the move is worth to the side that moves then.
    pub value: i32,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// The ply, from 1; 0 where it is not told.
    pub index: u16,
    pub play: u16,
    pub is_blocked: bool,
    pub has_memo: bool,
    pub state: State,
}

/// What the walk has made of a row.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// No position with this key was reached.
    Unseen,
    /// It says no move, or says it again.
    Bad,
    /// It is a move of its position.
    Good,
}

/// A book, opened.
pub(super) struct Database {
    connection: Connection,
    pub variant: Variant,
    table: String,
    has_memos: bool,
    has_index: bool,
    /// The bytes of the file: no more can be in it.
    length: usize,
}

impl Database {
    /// Opens what a file holds; `wanted` is what the user takes it for.
    pub fn open(bytes: &[u8], wanted: Variant, reading: &mut EntryReading<'_>) -> Result<Database, Error> {
        whole(bytes, reading)?;
        let connection = connect(bytes).map_err(|error| failed(&error, reading))?;
        let mut database = Database {
            connection,
            variant: wanted,
            table: String::new(),
            has_memos: false,
            has_index: false,
            length: bytes.len(),
        };
        database.look(wanted, reading)?;
        Ok(database)
    }

    /// Finds the table.
    fn look(&mut self, wanted: Variant, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let objects = self.objects().map_err(|error| failed(&error, reading))?;
        let is_of = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
        let found = objects.iter().find(|object| is_of(&object.name, "bhobk") || is_of(&object.name, "pfBook"));
        let Some(found) = found else {
            let message = "this SQLite database has no table `bhobk` or `pfBook`, so it is no book of xiangqi";
            return Err(reading.error(Place::default(), message));
        };
        // A view and a virtual table run what the file says.
        if found.kind != "table" || found.is_virtual {
            let message = format!("`{}` is no plain table, and nothing else is read", found.name);
            return Err(reading.error(Place::default(), message));
        }
        self.table = found.name.clone();
        self.columns(reading)?;
        let of_table = match is_of(&self.table, "pfBook") {
            true => Variant::PfBook,
            false if self.has_memos => Variant::Obk,
            false => Variant::Yfk,
        };
        if of_table != wanted {
            reading.fault("other-format", Severity::Quirk, || {
                let message = format!("by its table and columns this is {}: read as that", of_table.name());
                (Place::default(), message)
            })?;
        }
        self.variant = of_table;
        for object in objects.iter().filter(|object| object.kind == "table" && object.name != self.table) {
            let known = match of_table {
                Variant::Obk => &[][..],
                Variant::Yfk => &["ltext"],
                Variant::PfBook => &["bookVersion"],
            };
            if !object.name.starts_with("sqlite_") && !known.iter().any(|known| is_of(&object.name, known)) {
                reading.fault("other-table", Severity::Remark, || {
                    let name = crate::book_jsonl::line::shown(&object.name);
                    (Place::default(), format!("a table `{name}`: passed over"))
                })?;
            }
            if is_of(&object.name, "bookVersion") && !object.is_virtual {
                // Where it is something else, it is no version.
                let version = self.texts("SELECT version FROM main.bookVersion LIMIT 1").unwrap_or_default();
                reading.version = version.first().and_then(|version| {
                    let version = String::from_utf8_lossy(version).trim().to_owned();
                    (!version.is_empty()).then(|| crate::book_jsonl::line::shown(&record::plain(&version)))
                });
            }
        }
        Ok(())
    }

    /// Finds which columns the table has.
    fn columns(&mut self, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        let mut names = Vec::new();
        let each = self.connection.pragma(Some("main"), "table_xinfo", &self.table, |row| {
            names.push((row.get::<_, String>("name")?.to_ascii_lowercase(), row.get::<_, i64>("hidden")?));
            Ok(())
        });
        each.map_err(|error| failed(&error, reading))?;
        for wanted in NUMBERS {
            let column = names.iter().find(|(name, _)| name == wanted);
            let missing = match column {
                Some((_, 0)) => continue,
                Some(_) => "computes its column",
                None => "has no column",
            };
            let message = format!("the table `{}` {missing} `{wanted}`: such books are not read", self.table);
            return Err(reading.error(Place::default(), message));
        }
        let has = |wanted: &str| names.iter().any(|(name, hidden)| name == wanted && *hidden == 0);
        (self.has_memos, self.has_index) = (has("vmemo"), has("vindex"));
        for (name, _) in names.iter().filter(|(name, _)| !NUMBERS.iter().chain(&OTHERS).any(|known| known == name)) {
            reading.fault("other-column", Severity::Remark, || {
                let name = crate::book_jsonl::line::shown(name);
                (Place::default(), format!("a column `{name}`: passed over"))
            })?;
        }
        Ok(())
    }

    fn objects(&self) -> rusqlite::Result<Vec<Object>> {
        let mut statement = self.connection.prepare("SELECT type, name, sql FROM main.sqlite_schema")?;
        let objects = statement.query_map([], |row| {
            let sql: Option<String> = row.get(2)?;
            let mut words = sql.as_deref().unwrap_or_default().split_ascii_whitespace();
            let is_virtual = words.nth(1).is_some_and(|word| word.eq_ignore_ascii_case("virtual"));
            Ok(Object { kind: row.get(0)?, name: row.get(1)?, is_virtual })
        })?;
        objects.collect()
    }

    /// The texts of a query, as they stand there.
    fn texts(&self, query: &str) -> rusqlite::Result<Vec<Vec<u8>>> {
        let mut statement = self.connection.prepare(query)?;
        let mut rows = statement.query([])?;
        let mut texts = Vec::new();
        while let Some(row) = rows.next()? {
            if let ValueRef::Text(text) | ValueRef::Blob(text) = row.get_ref(0)? {
                texts.push(text.to_vec());
            }
        }
        Ok(texts)
    }

    /// The notes of a book of 勇芳.
    pub fn notes(&self, reading: &mut EntryReading<'_>) -> Result<Vec<Vec<u8>>, Error> {
        if self.variant != Variant::Yfk {
            return Ok(Vec::new());
        }
        let objects = self.objects().map_err(|error| failed(&error, reading))?;
        if !objects.iter().any(|object| object.name == "ltext" && object.kind == "table" && !object.is_virtual) {
            return Ok(Vec::new());
        }
        let notes = self.texts("SELECT lma FROM main.ltext NOT INDEXED ORDER BY rowid");
        notes.or_else(|error| {
            let message = error.to_string();
            reading.fault("bad-notes", Severity::Damage, || {
                (Place::default(), format!("the table `ltext` cannot be read ({message}): its notes are passed over"))
            })?;
            Ok(Vec::new())
        })
    }

    /// The memos of rows, one after another.
    pub fn memos(&self) -> rusqlite::Result<Memos<'_>> {
        let column = if self.has_memos { "vmemo" } else { "NULL" };
        // The table's name is one of two.
        let query = format!("SELECT {column} FROM main.\"{}\" WHERE rowid = ?1", self.table);
        Ok(Memos(self.connection.prepare(&query)?))
    }

    /// All rows, sorted by key; of a key in the order of their numbers.
    pub fn rows(&self, reading: &mut EntryReading<'_>) -> Result<Vec<Row>, Error> {
        let mut rows: Vec<Row> = Vec::new();
        let read = self.each_row(&mut rows, reading)?;
        if let Err(error) = read {
            let lenient = reading.lenient() && !rows.is_empty();
            let rest = match (rows.is_empty(), lenient) {
                (true, _) => ", and no row stands before it",
                (_, false) => ": --lenient keeps what stands before it",
                _ => ": what stands before it is kept",
            };
            let message = format!("{}{rest}", reason(&error));
            if !lenient {
                return Err(reading.error(Place::default(), message));
            }
            reading.fault("damaged", Severity::Damage, || (Place::default(), message))?;
        }
        rows.sort_unstable_by_key(|row| (row.key, row.id));
        Ok(rows)
    }

    /// Reads row after row; the inner error is the database's own.
    fn each_row(&self, rows: &mut Vec<Row>, reading: &mut EntryReading<'_>) -> Result<rusqlite::Result<()>, Error> {
        let memo = if self.has_memos { "octet_length(vmemo)" } else { "0" };
        let index = if self.has_index { "vindex" } else { "NULL" };
        let columns = NUMBERS.join(", ");
        let query = format!("SELECT {columns}, {index}, {memo}, rowid FROM main.\"{}\" NOT INDEXED", self.table);
        let mut statement = match self.connection.prepare(&query) {
            Ok(statement) => statement,
            Err(error) => return Ok(Err(error)),
        };
        let mut found = match statement.query([]) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        let most = self.length / SHORTEST_ROW;
        let (mut number, mut memos) = (0, 0_u64);
        loop {
            let row = match found.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(Ok(())),
                Err(error) => return Ok(Err(error)),
            };
            number += 1;
            // Pages that lead back to others would give the same rows for ever.
            if number > most || memos > self.length as u64 {
                let message = "the database is damaged: it has more rows than it has room for";
                return Err(reading.error(Place::default(), message));
            }
            if number % STRIDE == 0 {
                reading.progress(0)?;
            }
            let read = match row_of(row) {
                Ok(read) => read,
                Err(error) => return Ok(Err(error)),
            };
            match read {
                Ok((row, length)) => {
                    memos += length;
                    rows.push(row.told(reading)?);
                }
                Err((id, what)) => reading.fault("bad-row", Severity::Damage, || {
                    (Place::default(), format!("row {id} has {what}: passed over"))
                })?,
            }
        }
    }
}

struct Object {
    kind: String,
    name: String,
    is_virtual: bool,
}

/// The memos of a table.
pub(super) struct Memos<'d>(rusqlite::Statement<'d>);

impl Memos<'_> {
    /// The memo of a row.
    pub fn of(&mut self, id: i64) -> rusqlite::Result<Vec<u8>> {
        self.0.query_row([id], |row| {
            Ok(match row.get_ref(0)? {
                ValueRef::Text(text) | ValueRef::Blob(text) => text.to_vec(),
                ValueRef::Integer(number) => number.to_string().into_bytes(),
                ValueRef::Real(number) => number.to_string().into_bytes(),
                ValueRef::Null => Vec::new(),
            })
        })
    }
}

/// Numbers of a row as they stand in the table.
struct Raw {
    row: Row,
    /// What was made of those that do not fit, or are missing.
    odd: Vec<(&'static str, Severity, String)>,
}

impl Raw {
    /// The row, after what is odd about it is told.
    fn told(self, reading: &mut EntryReading<'_>) -> Result<Row, Error> {
        for (kind, severity, message) in self.odd {
            reading.fault(kind, severity, || (Place::default(), format!("row {} {message}", self.row.id)))?;
        }
        Ok(self.row)
    }
}

/// A row and the length of its memo, or its number and what it has that is no number of a book.
type Found = Result<(Raw, u64), (i64, String)>;

fn row_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
    let id = row.get(9)?;
    let mut numbers = [0_i64; 8];
    let mut odd = Vec::new();
    for (at, number) in numbers.iter_mut().enumerate() {
        let name = NUMBERS.get(at).copied().unwrap_or("vindex");
        *number = match row.get_ref(at)? {
            ValueRef::Integer(number) => number,
            ValueRef::Null if name == "vvalid" => 1,
            ValueRef::Null if name == "vindex" => 0,
            ValueRef::Null if at >= 2 => 0,
            other => {
                let what = other.data_type().to_string().to_ascii_lowercase();
                return Ok(Err((id, format!("a {name} that is {what}, not a number"))));
            }
        };
        if at < NUMBERS.len() && matches!(row.get_ref(at)?, ValueRef::Null) {
            odd.push(("no-number", Severity::Quirk, format!("has no {name}: taken as {number}")));
        }
    }
    let [key, play, score, wins, draws, losses, valid, index] = numbers;
    let Ok(play) = u16::try_from(play) else {
        return Ok(Err((id, format!("the move {play}, which is none"))));
    };
    let value = score.saturating_neg().clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    if i64::from(value) != score.saturating_neg() {
        odd.push(("big-number", Severity::Damage, format!("has the vscore {score}: the nearest is taken")));
    }
    let counts = [wins, draws, losses].map(|count| count.clamp(0, u32::MAX.into()) as u32);
    for ((count, kept), name) in [wins, draws, losses].into_iter().zip(counts).zip(&NUMBERS[3..6]) {
        if i64::from(kept) != count {
            odd.push(("big-number", Severity::Damage, format!("has the {name} {count}: taken as {kept}")));
        }
    }
    if !matches!(valid, 0 | 1) {
        odd.push(("odd-valid", Severity::Quirk, format!("has the vvalid {valid}: taken as 1")));
    }
    let length = match row.get_ref(8)? {
        ValueRef::Integer(length) => length.max(0) as u64,
        _ => 0,
    };
    let row = Row {
        // Keys are stored with a sign.
        key: key as u64,
        id,
        value,
        wins: counts[0],
        draws: counts[1],
        losses: counts[2],
        index: u16::try_from(index).unwrap_or(0),
        play,
        is_blocked: valid == 0,
        has_memo: length > 0,
        state: State::Unseen,
    };
    Ok(Ok((Raw { row, odd }, length)))
}

impl Row {
    /// Where in the rows, which are sorted, those of a key stand.
    pub fn range(rows: &[Row], key: u64) -> std::ops::Range<usize> {
        let start = rows.partition_point(|row| row.key < key);
        let count = rows[start..].iter().take_while(|row| row.key == key).count();
        start..start + count
    }

    /// The move in this order of its bytes.
    pub fn step(&self, order: Order) -> Option<games::Step> {
        order.read(self.play)
    }
}

/// Where SQLite says how it keeps its journal: 1 beside the file while it is written, 2 in a log that may go on beside it.
const JOURNAL: std::ops::Range<usize> = 18..20;

/// Refuses what is no database, and what is cut.
fn whole(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(reading.error(Place::default(), "the file is empty"));
    }
    if !bytes.starts_with(MAGIC) {
        let message = "this is no SQLite database, or an encrypted one: encrypted books are not read";
        return Err(reading.error(Place::byte(0), message));
    }
    let Some(head) = bytes.get(..100) else {
        return Err(reading.error(Place::byte(bytes.len()), "the file ends inside its head"));
    };
    let number = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().expect("four bytes were taken"));
    let size = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    // The number of pages holds where the file was last changed by what keeps it.
    let pages = if number(24) == number(92) { u64::from(number(28)) } else { 0 };
    if pages * size > bytes.len() as u64 {
        let message = format!("the file is cut: {} bytes of {} are there", bytes.len(), pages * size);
        if !reading.lenient() {
            return Err(reading.error(Place::default(), message + " (--lenient keeps what can be read)"));
        }
        reading.fault("cut-file", Severity::Damage, || (Place::default(), message))?;
    }
    if head[JOURNAL] != [1, 1] {
        reading.fault("log-beside", Severity::Quirk, || {
            let message = "the database may go on in a log beside it (-wal): only what stands in the file is read";
            (Place::byte(JOURNAL.start), message.into())
        })?;
    }
    Ok(())
}

/// A connection to a copy of the bytes in memory that nothing can write to, run or reach beyond.
fn connect(bytes: &[u8]) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 16),
        (Limit::SQLITE_LIMIT_COLUMN, 64),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 16),
        (Limit::SQLITE_LIMIT_VDBE_OP, 10_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // There is no log beside a copy in memory, and SQLite opens none that says it has one.
    let (before, rest) = bytes.split_at(JOURNAL.start);
    let copy = before.chain(&[1, 1][..]).chain(&rest[JOURNAL.len()..]);
    connection.deserialize_read_exact("main", copy, bytes.len(), true)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// An error of SQLite in our words.
pub(super) fn failed(error: &rusqlite::Error, reading: &EntryReading<'_>) -> Error {
    reading.error(Place::default(), reason(error))
}

fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseCorrupt) => format!("the database is damaged ({error})"),
        Some(rusqlite::ErrorCode::NotADatabase) => "this is no SQLite database, or an encrypted one".into(),
        _ => format!("the database cannot be read ({error})"),
    }
}

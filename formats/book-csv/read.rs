use super::{BETWEEN, BOM, COLUMNS, GUARD, is_risky};
use crate::book_jsonl::line::{Counts, Defaults, Line, More, Others, Played, Search, Stranger, Text, Written, shown};
use crate::book_jsonl::read::object;
use crate::{EntryReading, Error, Place, Severity};
use encoding_rs::{Encoding, UTF_8};
use games::Game;
use std::borrow::Cow;
use std::str::FromStr;

/// What may stand between cells; the header tells which one does.
pub(super) const SEPARATORS: [u8; 3] = *b",;\t";
/// How many rows are read between two looks at the progress.
const STRIDE: usize = 1 << 14;

pub(super) fn read(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let mut rows = Rows { bytes, at: 0, line: 1, separator: separator(bytes) };
    let mut cells = Vec::new();
    let Some(header) = rows.next(&mut cells) else {
        return Err(reading.error(Place::line(1), "the table is empty"));
    };
    header.map_err(|message| reading.error(Place::line(1), message))?;
    let columns = columns(&cells, reading)?;
    let defaults = Defaults::of(reading.options);
    let encoding = reading.options.encoding.unwrap_or(UTF_8);
    let mut number = 0;
    loop {
        let first = rows.line;
        let row = match rows.next(&mut cells) {
            None => break,
            Some(row) => row.and_then(|()| line(&cells, &columns, encoding)),
        };
        let entry = match row {
            Ok(None) => continue,
            Ok(Some((line, stranger))) => {
                if let Some(name) = stranger.0 {
                    reading.fault("unknown-member", Severity::Remark, || {
                        let name = shown(&name);
                        (Place::line(first), format!("`{name}` in the column more is no member: passed over"))
                    })?;
                }
                defaults.note(&line, first, reading)?;
                line.entry(defaults)
            }
            Err(message) => Err(message),
        };
        match entry {
            Ok(entry) => reading.emit(entry)?,
            Err(message) if reading.lenient() => {
                let kept = || (Place::line(first), format!("{message}; the row is passed over"));
                reading.fault("bad-row", Severity::Damage, kept)?;
            }
            Err(message) => {
                let message = format!("{message} (--lenient passes over such rows)");
                return Err(reading.error(Place::line(first), message));
            }
        }
        number += 1;
        if number % STRIDE == 0 {
            reading.progress(rows.at)?;
        }
    }
    reading.progress(bytes.len())
}

/// The separator of the first line: the one that stands there most.
fn separator(bytes: &[u8]) -> u8 {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator: u8| line.iter().filter(|byte| **byte == separator).count();
    // Of equals the last one is taken, and the comma is the first.
    SEPARATORS.into_iter().rev().max_by_key(|separator| count(*separator)).expect("there are several")
}

/// Which of [`COLUMNS`] each cell of a row stands in.
type Columns = Vec<Option<&'static str>>;

fn columns(cells: &[Cow<'_, [u8]>], reading: &mut EntryReading<'_>) -> Result<Columns, Error> {
    let mut columns = Columns::new();
    for cell in cells {
        let name = cell.trim_ascii();
        let known = COLUMNS.into_iter().find(|column| name.eq_ignore_ascii_case(column.as_bytes()));
        if let Some(known) = known.filter(|known| columns.contains(&Some(known))) {
            return Err(reading.error(Place::line(1), format!("two columns are named {known}")));
        }
        if known.is_none() && !name.is_empty() {
            let shown = shown(&String::from_utf8_lossy(name));
            reading.fault("unknown-column", Severity::Remark, || {
                (Place::line(1), format!("the column `{shown}` is none of this format: passed over"))
            })?;
        }
        columns.push(known);
    }
    if !columns.contains(&Some(COLUMNS[0])) {
        return Err(reading.error(Place::line(1), "no column is named position: the first line names the columns"));
    }
    Ok(columns)
}

/// The rows of a table, cell by cell.
struct Rows<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The line of the next row, from 1.
    line: usize,
    separator: u8,
}

impl<'a> Rows<'a> {
    /// Cuts the next row into cells; `None` at the end. After a fault the row after it comes next.
    fn next(&mut self, cells: &mut Vec<Cow<'a, [u8]>>) -> Option<Result<(), String>> {
        cells.clear();
        if self.at >= self.bytes.len() {
            return None;
        }
        loop {
            let cell = match self.cell() {
                Ok(cell) => cell,
                Err(message) => {
                    self.skip_line();
                    return Some(Err(message));
                }
            };
            cells.push(cell);
            match self.bytes.get(self.at) {
                Some(byte) if *byte == self.separator => self.at += 1,
                _ => break,
            }
        }
        self.skip_line();
        Some(Ok(()))
    }

    /// Takes a cell up to the separator or the end of the row.
    fn cell(&mut self) -> Result<Cow<'a, [u8]>, String> {
        let rest = &self.bytes[self.at..];
        if rest.first() != Some(&b'"') {
            let ends = |byte: &u8| *byte == self.separator || *byte == b'\n';
            let end = rest.iter().position(ends).unwrap_or(rest.len());
            self.at += end;
            let cell = &rest[..end];
            let cell =
                if rest.get(end) == Some(&self.separator) { cell } else { cell.strip_suffix(b"\r").unwrap_or(cell) };
            return Ok(Cow::Borrowed(cell));
        }
        let mut cell = Cow::Borrowed(&b""[..]);
        let mut from = 1;
        loop {
            let Some(length) = rest[from..].iter().position(|byte| *byte == b'"') else {
                return Err("a cell that begins with a quotation mark has no other at its end".into());
            };
            let end = from + length;
            let doubled = rest.get(end + 1) == Some(&b'"');
            let piece = &rest[from..end + usize::from(doubled)];
            match &mut cell {
                Cow::Borrowed(b"") if !doubled => cell = Cow::Borrowed(piece),
                held => held.to_mut().extend_from_slice(piece),
            }
            if !doubled {
                self.at += end + 1;
                self.line += rest[..end].iter().filter(|byte| **byte == b'\n').count();
                break;
            }
            from = end + 2;
        }
        let after = &self.bytes[self.at..];
        match after.first() {
            Some(b'\r') if matches!(after.get(1), Some(b'\n') | None) => Ok(cell),
            Some(byte) if *byte != self.separator && *byte != b'\n' => {
                Err("something stands behind the quotation mark that ends a cell".into())
            }
            _ => Ok(cell),
        }
    }

    /// Goes to the start of the next line.
    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        self.line += 1;
    }
}

/// What a row says; `None` where all its cells are empty.
fn line<'c>(
    cells: &'c [Cow<'_, [u8]>],
    columns: &[Option<&'static str>],
    encoding: &'static Encoding,
) -> Result<Option<(Line<'c>, Stranger)>, String> {
    if cells.iter().all(|cell| cell.is_empty()) {
        return Ok(None);
    }
    if cells[columns.len().min(cells.len())..].iter().any(|cell| !cell.is_empty()) {
        return Err(format!("a row of {} cells under {} columns", cells.len(), columns.len()));
    }
    let (mut line, mut stranger) = (Line::default(), Stranger::default());
    let mut more = None;
    let mut written = None;
    let mut texts = None;
    // An empty cell there is the empty board.
    line.position = Some(Text("".into()));
    for (cell, column) in cells.iter().zip(columns) {
        let Some(column) = column.filter(|_| !cell.is_empty()) else { continue };
        let cell = decoded(cell, encoding)?;
        let text = Text(cell);
        match column {
            "position" => line.position = Some(text),
            "rule" => line.rule = Some(text),
            "size" => line.size = Some(text.parse()?),
            "side" => line.side = Some(text),
            "games" => line.tally.games = Some(number(column, &text)?),
            "red" => line.tally.red = Some(number(column, &text)?),
            "black" => line.tally.black = Some(number(column, &text)?),
            "draws" => line.tally.draws = Some(number(column, &text)?),
            "white" => line.tally.white = Some(number(column, &text)?),
            "value" => line.search.value = Some(number(column, &text)?),
            "depth" => line.search.depth = Some(number(column, &text)?),
            "bound" => line.search.bound = Some(text),
            "label" => line.label = Some(text),
            "moves" => line.moves = moves(&text)?,
            "comment" => line.comment = Some(unguarded(text)),
            "texts" => texts = Some(text),
            "last_year" => line.last_year = Some(number(column, &text)?),
            "rating_sum" => line.rating_sum = Some(number(column, &text)?),
            "rating_count" => line.rating_count = Some(number(column, &text)?),
            "nodes" => line.search.nodes = Some(number(column, &text)?),
            "scale" => line.search.scale = Some(number(column, &text)?),
            "source" => line.search.source = Some(unguarded(text)),
            "game_refs" => {
                let words = text.split(' ').filter(|word| !word.is_empty());
                line.game_refs = words.map(|word| number(column, word)).collect::<Result<_, _>>()?;
            }
            "written" => written = Some(text),
            _ => more = Some(text),
        }
    }
    if let Some(text) = texts {
        line.texts = board_texts(&text, written.as_ref());
    }
    if let Some(text) = line.comment.take() {
        line.comments.push(Written { text: Some(text), written: written.clone(), ..Written::default() });
    }
    if line.rule.as_ref().is_some_and(|rule| rule.eq_ignore_ascii_case(Game::Xiangqi.name())) {
        // The games of a move stand in the order of the sides.
        for Counts { red, black, white, .. } in line.moves.iter_mut().map(|each| &mut each.tally) {
            (*red, *black, *white) = (*black, *white, None);
        }
    }
    if let Some(text) = more {
        add_more(&text, &mut line, &mut stranger)?;
    }
    Ok(Some((line, stranger)))
}

fn decoded<'c>(cell: &'c [u8], encoding: &'static Encoding) -> Result<Cow<'c, str>, String> {
    if encoding == UTF_8 {
        let text = std::str::from_utf8(cell);
        return text.map(Cow::Borrowed).map_err(|_| "a cell is not UTF-8: name its encoding with --encoding".into());
    }
    // No encoding of spreadsheets has a quotation mark or a separator within a letter.
    let (text, malformed) = encoding.decode_without_bom_handling(cell);
    if malformed { Err(format!("a cell is not in {}", encoding.name())) } else { Ok(text) }
}

fn number<T: FromStr>(column: &str, text: &str) -> Result<T, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("`{}` in the column {column} is not a number that can stand there", shown(text)))
}

fn unguarded(text: Text<'_>) -> Text<'_> {
    if !(text.starts_with(GUARD) && is_risky(&text)) {
        return text;
    }
    Text(match text.0 {
        Cow::Borrowed(text) => text[GUARD.len_utf8()..].into(),
        Cow::Owned(text) => text[GUARD.len_utf8()..].to_owned().into(),
    })
}

/// The moves of a cell: `h9 3 2 1 0 / g10`.
fn moves<'t>(text: &str) -> Result<Vec<Played<'t>>, String> {
    let each = |part: &str| {
        let mut words = part.split(' ').filter(|word| !word.is_empty());
        let play = words.next().ok_or("an empty move in the column moves")?;
        let mut count = || words.next().map(|word| number("moves", word)).transpose();
        let tally = Counts { games: count()?, black: count()?, draws: count()?, white: count()?, red: None };
        match words.next() {
            Some(word) => Err(format!("`{}` behind the games of a move", shown(word))),
            None => Ok(Played { play: Some(Text(play.to_owned().into())), tally }),
        }
    };
    text.split(BETWEEN.trim()).map(each).collect()
}

/// The texts of a cell: a line each, the point first.
fn board_texts<'t>(cell: &str, written: Option<&Text<'t>>) -> Vec<Written<'t>> {
    let owned = |text: &str| Some(Text(text.to_owned().into()));
    let each = |line: &str| {
        let (point, text) = line.split_once(' ').unwrap_or((line, ""));
        Written { point: owned(point), text: owned(text), written: written.cloned(), hex: None }
    };
    // Some programs end the lines of a cell as Windows does.
    let lines = cell.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.filter(|line| !line.trim().is_empty()).map(each).collect()
}

/// Adds the comments and texts of the column more, which is an object of book-jsonl.
fn add_more<'t>(text: &Text<'_>, line: &mut Line<'t>, stranger: &mut Stranger) -> Result<(), String> {
    let more: More<'_> =
        object(text.as_bytes(), stranger).map_err(|message| format!("{message} (in the column more)"))?;
    let own = |text: Option<Text<'_>>| text.map(|text| Text(text.0.into_owned().into()));
    let owned = |Written { point, text, written, hex }: Written<'_>| Written {
        point: own(point),
        text: own(text),
        written: own(written),
        hex: own(hex),
    };
    line.rest = more.rest.map(|Others { play, search, proven }| {
        let Search { value, depth, bound, nodes, scale, source } = search;
        let search = Search { value, depth, bound: own(bound), nodes, scale, source: own(source) };
        Others { play: own(play), search, proven }
    });
    line.backed = more.backed;
    line.comments.extend(more.comments.into_iter().map(owned));
    line.texts.extend(more.texts.into_iter().map(owned));
    Ok(())
}

//! From text to a record.

use super::{CODES, LEVELS, LEVELS_TAG, NAME, NO_CODE, OTHER_CODE, START, is_code, numbers, verdict};
use crate::lines::{find_encoding, lines, pass_mark, text};
use crate::{Blame, Error, Place, Reading, Severity};
use games::{Move, Point, Side, Size};
use record::{Head, Note, Play, Record, TreeBuilder};

/// A line that is not blank: number from 1, byte of the file, bytes.
type Line<'b> = (usize, usize, &'b [u8]);

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mark = pass_mark(bytes, reading)?;
    find_encoding(bytes, reading);
    let mut lines = lines(&bytes[mark..]).map(|(number, at, line)| (number, at + mark, line)).peekable();
    let first = lines.next().unwrap_or((1, mark, b""));
    let header = Header::parse(first, reading)?;
    let mut head = Head { size: header.size, ..Head::default() };
    if header.levels != LEVELS {
        head.tags.push((LEVELS_TAG.into(), header.levels));
    }
    let mut builder = TreeBuilder::new();
    let mut stones = [false; 1024];
    let mut is_cut = false;
    while let Some((line, (x, y, time))) = lines.peek().and_then(|line| Some((*line, numbers(ascii(line.2)?)?))) {
        lines.next();
        let place = |builder: &TreeBuilder| place(line).after(builder.tree(), builder.last(), header.size);
        let Some(point) = point(x, y, header.size) else {
            let message = format!("`{x},{y}` is not a point of a {} board, which counts from 1", header.size);
            if !reading.lenient() {
                return Err(reading.error(place(&builder), message));
            }
            reading.fault("cut-game", Severity::Damage, || {
                (place(&builder), format!("{message}; the game is kept up to there"))
            })?;
            is_cut = true;
            break;
        };
        if std::mem::replace(&mut stones[usize::from(point.code())], true) {
            let message = || (place(&builder), format!("there is a stone on `{x},{y}` already; the move is kept"));
            reading.fault("occupied-point", Severity::Quirk, message)?;
        }
        let ply = builder.depth() + 1;
        builder.append(ply, Side::of_ply(ply), Play::Move(Move::Place(point)))?;
        match time.map(u32::try_from) {
            Some(Ok(time)) => builder.note(Note::Time(time))?,
            Some(Err(_)) => reading.fault("bad-time", Severity::Quirk, || {
                (place(&builder), "the milliseconds are no number that a time can be; they are left out".into())
            })?,
            None => {}
        }
    }
    if !is_cut {
        tail(lines.collect(), header.second_began, &mut head, reading)?;
    }
    reading.progress(bytes.len())?;
    reading.emit(Record { head, tree: builder.build() })
}

/// The first line.
struct Header {
    size: Size,
    /// Of the one who began first.
    levels: String,
    /// The player who is named second began.
    second_began: bool,
}

impl Header {
    fn parse(line: Line<'_>, reading: &Reading<'_>) -> Result<Header, Error> {
        let text = ascii(line.2).unwrap_or_default();
        let bad = |message: &str| reading.error(place(line), message);
        let rest = text.strip_prefix(START).ok_or_else(|| bad("the first line does not begin with `Piskvorky`"))?;
        let mut parts = rest.split(',').map(str::trim);
        let (width, height) = parts
            .next()
            .and_then(|size| size.split_once('x'))
            .and_then(|(width, height)| Some((width.parse::<u16>().ok()?, height.parse::<u16>().ok()?)))
            .ok_or_else(|| bad("the first line names no size as `15x15`"))?;
        let side = |side: u16| u8::try_from(side).unwrap_or(u8::MAX);
        let size = Size::new(side(width), side(height)).ok_or_else(|| {
            let message = format!("the board is {width}x{height}: I know boards from 1x1 to {0}x{0}", Size::LARGEST);
            Error { blame: Blame::Us, ..Error::file(NAME, place(line), message) }
        })?;
        let number = |text: &str| text.trim().parse::<u8>().ok();
        let levels = parts.next().and_then(|levels| levels.split_once(':'));
        let (first, second) = levels
            .and_then(|(first, second)| Some((number(first)?, number(second)?)))
            .ok_or_else(|| bad("the first line names no levels as `11:11`"))?;
        let second_began = match parts.next() {
            Some("0") => false,
            Some("1") => true,
            _ => return Err(bad("the first line does not say who began, 0 or 1")),
        };
        if parts.next().is_some() {
            return Err(bad("the first line goes on behind who began"));
        }
        let levels = if second_began { format!("{second}:{first}") } else { format!("{first}:{second}") };
        Ok(Header { size, levels, second_began })
    }
}

/// Reads what stands behind the moves.
fn tail(mut lines: Vec<Line<'_>>, second_began: bool, head: &mut Head, reading: &mut Reading<'_>) -> Result<(), Error> {
    // From the end: a verdict, a code, and before them the names.
    if let Some(line) = lines.last().copied()
        && line.2.len() > 1
        && verdict(&String::from_utf8_lossy(line.2)).is_some()
    {
        lines.pop();
        let (result, _) = verdict(&String::from_utf8_lossy(line.2)).expect("the line is a verdict");
        head.result = Some(result);
        let tournament = text(line.2[2..].trim_ascii_end(), place(line), reading)?;
        if !tournament.is_empty() {
            head.tags.push(("Event".into(), tournament));
        }
    }
    let reads_as_code = |line: &Line<'_>| ascii(line.2).is_some_and(is_code);
    // A name may be a number; behind two names stands the code.
    let code = lines.get(2).is_some_and(reads_as_code).then_some(2).or(lines.iter().position(reads_as_code));
    match code {
        Some(at) => {
            let code = ascii(lines[at].2).unwrap_or_default().trim();
            if code != NO_CODE {
                let known = CODES.iter().find(|(known, _)| *known == code).map(|(_, meaning)| meaning.to_string());
                let meaning = known.unwrap_or_else(|| format!("{OTHER_CODE}{code}"));
                head.tags.push(("Termination".into(), meaning));
            }
        }
        None => reading.fault("no-code", Severity::Quirk, || {
            let at = lines.last().map_or(Place::default(), |line| place(*line));
            (at, "the line with the code at the end of the game is missing".into())
        })?,
    }
    let names = &lines[..code.unwrap_or(lines.len()).min(2)];
    if let [line] = names {
        reading.fault("one-name", Severity::Quirk, || {
            (place(*line), "one player is named and not the other: taken for Black's name".into())
        })?;
    }
    let mut tags = if second_began { ["White", "Black"] } else { ["Black", "White"] };
    if names.len() == 1 {
        tags = ["Black", "White"];
    }
    for (line, tag) in names.iter().zip(tags) {
        let name = text(line.2.trim_ascii(), place(*line), reading)?;
        if name != "?" {
            head.tags.push((tag.into(), name));
        }
    }
    // Black stands first, whoever is named first.
    head.tags.sort_by_key(|(tag, _)| ["Event", "Black", "White"].iter().position(|known| known == tag).unwrap_or(3));
    let rest = lines.iter().enumerate().skip(names.len()).find(|(at, _)| Some(*at) != code);
    if let Some((_, line)) = rest {
        reading.fault("rest", Severity::Damage, || {
            (place(*line), "there is more than two names, a code and a verdict; it is left out".into())
        })?;
    }
    Ok(())
}

fn point(x: i64, y: i64, size: Size) -> Option<Point> {
    let number = |from_one: i64| u8::try_from(from_one.checked_sub(1)?).ok();
    Point::new(number(x)?, number(y)?).filter(|point| size.contains(*point))
}

fn ascii(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok()
}

fn place(line: Line<'_>) -> Place {
    Place { byte: Some(line.1 as u64), ..Place::line(line.0) }
}

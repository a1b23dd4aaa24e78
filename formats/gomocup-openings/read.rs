//! From text to records.

use super::{offsets, point};
use crate::lines::{lines, pass_mark};
use crate::{Error, Place, Reading};
use games::{Move, Side, Size};
use record::{Head, Play, Record, TreeBuilder};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mark = pass_mark(bytes, reading)?;
    let size = reading.options.size.unwrap_or_default();
    let mut openings = 0;
    for (number, start, line) in lines(&bytes[mark..]) {
        openings += 1;
        if openings % 1024 == 0 {
            reading.progress(start)?;
        }
        let place = |at: usize| {
            let byte = Some((mark + start + at) as u64);
            Place { record: Some(openings), byte, ..Place::line(number) }
        };
        match opening(line, size) {
            Ok(record) => reading.emit(record?)?,
            Err((at, message)) => {
                let error = reading.error(place(at), message);
                reading.leave_out("bad-line", error)?;
            }
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// The opening of a line, or where and why it is none.
fn opening(line: &[u8], size: Size) -> Result<Result<Record, record::Full>, (usize, String)> {
    let text = std::str::from_utf8(line).map_err(|error| (error.valid_up_to(), "this is no text in UTF-8".into()))?;
    let numbers = offsets(text).map_err(|(at, word)| {
        let shown: String = word.chars().take(12).collect();
        (at, format!("`{shown}` is no offset from -50 to 49"))
    })?;
    if numbers.len() % 2 != 0 {
        return Err((line.len(), format!("there are {} numbers: each stone has two", numbers.len())));
    }
    let mut points = Vec::new();
    for pair in numbers.chunks(2) {
        let point = point(pair[0], pair[1], size).ok_or_else(|| {
            let message = format!("`{},{}` lies off a board of {size}: name its size with --size", pair[0], pair[1]);
            (0, message)
        })?;
        points.push(point);
    }
    let mut builder = TreeBuilder::new();
    for (at, point) in points.into_iter().enumerate() {
        if let Err(full) = builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(point))) {
            return Ok(Err(full));
        }
    }
    Ok(Ok(Record { head: Head { size, ..Head::default() }, tree: builder.build() }))
}

//! From text to a record.

use super::NAME;
use crate::lines::{lines, pass_mark};
use crate::{Blame, Error, Place, Reading, Severity};
use games::{Move, Point, Side, Size};
use record::{Head, Play, Record, TreeBuilder};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mark = pass_mark(bytes, reading)?;
    let mut words = lines(&bytes[mark..]).flat_map(|(number, start, line)| {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map(move |word| {
            let at = mark + start + (word.as_ptr() as usize - line.as_ptr() as usize);
            let place = Place { byte: Some(at as u64), ..Place::line(number) };
            let value = std::str::from_utf8(word).ok().and_then(|word| word.parse::<u32>().ok());
            (place, value, String::from_utf8_lossy(&word[..word.len().min(12)]).into_owned())
        })
    });
    let end = || Place::byte(bytes.len());
    let mut number = |what: &str| match words.next() {
        Some((place, Some(number), _)) => Ok((place, number)),
        Some((place, None, found)) => {
            Err(reading.error(place, format!("`{found}` is not a number, but {what} is due")))
        }
        None => Err(reading.error(end(), format!("the file ends before {what}"))),
    };
    let (place, height) = number("the height of the board")?;
    let (_, width) = number("the width of the board")?;
    let (_, count) = number("the number of moves")?;
    let side = |side: u32| u8::try_from(side).unwrap_or(u8::MAX);
    let size = Size::new(side(width), side(height)).ok_or_else(|| {
        let message = format!("the board is {width}x{height}: I know boards from 1x1 to {0}x{0}", Size::LARGEST);
        Error { blame: Blame::Us, ..Error::file(NAME, place, message) }
    })?;
    let mut builder = TreeBuilder::new();
    let mut bad = None;
    for ply in 1..=count as usize {
        let Some((place, row, found)) = words.next() else {
            let message = format!("the file ends behind {} of {count} moves", ply - 1);
            bad = Some(("cut", end(), message));
            break;
        };
        let column = words.next();
        let here = || place.clone().after(builder.tree(), builder.last(), size);
        let Some((_, column, _)) = column else {
            bad = Some(("cut", here(), format!("the file ends behind the row of move {ply} of {count}")));
            break;
        };
        let number = |number: Option<u32>| number.and_then(|number| u8::try_from(number).ok());
        let point = number(column).zip(number(row)).and_then(|(x, y)| Point::new(x, y));
        let Some(point) = point.filter(|point| size.contains(*point)) else {
            bad = Some((
                "cut-game",
                here(),
                format!("`{found}` and the number behind it are no row and column of a {size} board"),
            ));
            break;
        };
        builder.append(ply, Side::of_ply(ply), Play::Move(Move::Place(point)))?;
    }
    match bad {
        // A file that was cut between two moves is no less a game.
        Some((kind, place, message)) if reading.lenient() || kind == "cut" => {
            reading.fault(kind, Severity::Damage, || (place, format!("{message}; the moves before are kept")))?;
        }
        Some((_, place, message)) => return Err(reading.error(place, message)),
        None => {
            if let Some((place, ..)) = words.next() {
                reading.fault("rest", Severity::Damage, || {
                    (place, "there is more than the moves that were told; it is left out".into())
                })?;
            }
        }
    }
    reading.progress(bytes.len())?;
    reading.emit(Record { head: Head { size, ..Head::default() }, tree: builder.build() })
}

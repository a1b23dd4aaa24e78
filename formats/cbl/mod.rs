//! CCBridge's libraries of xiangqi (`.cbl`): many records. `SPEC.md` beside this file is the format.

use crate::{Error, Format, Likeness, Place, Reading, Severity, cbr};
use encoding_rs::UTF_16LE;
use games::Game;

#[cfg(test)]
mod tests;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "cbl",
    title: "CCBridge library of xiangqi",
    extensions: &["cbl"],
    many: true,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read,
    writer: None,
};

const MAGIC: &[u8; 16] = b"CCBridgeLibrary\0";
/// Texts of the library itself: where, how many bytes, what.
const TEXTS: [(usize, usize, &str); 4] =
    [(64, 512, "name"), (576, 256, "source"), (832, 64, "creator"), (1088, 65536, "remark")];
/// Behind the texts: the index, and the records.
const INDEX: usize = 66_624;

fn likeness(head: &[u8]) -> Likeness {
    if head.starts_with(MAGIC) { Likeness::Magic } else { Likeness::No }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    if !bytes.starts_with(MAGIC) {
        return Err(
            reading.error(Place::byte(0), "this is no library of CCBridge: it does not begin with `CCBridgeLibrary`")
        );
    }
    if bytes.len() < INDEX {
        return Err(
            reading.error(Place::byte(bytes.len()), format!("the file ends inside the header of {INDEX} bytes"))
        );
    }
    for (start, length, what) in TEXTS {
        let units = bytes[start..start + length].chunks_exact(2);
        let end = units.take_while(|unit| *unit != [0, 0]).count() * 2;
        let (text, _) = UTF_16LE.decode_without_bom_handling(&bytes[start..start + end]);
        if !text.trim().is_empty() {
            let shown: String = text.trim().chars().take(40).collect();
            reading.fault("library-text", Severity::Remark, || {
                (Place::byte(start), format!("the {what} of the library, `{}`: passed over", shown.escape_debug()))
            })?;
        }
    }
    // A place may be empty and a long record takes several: its first bytes tell where one begins.
    let mut starts = starts(bytes, INDEX);
    let mut number = 0;
    let mut next = starts.next();
    while let Some(start) = next {
        next = starts.next();
        number += 1;
        let place = Place { record: Some(number), ..Place::byte(start) };
        match cbr::record(&bytes[start..next.unwrap_or(bytes.len())], place, true, reading) {
            Ok(record) => reading.emit(record)?,
            Err(error) => reading.leave_out("bad-record", error)?,
        }
        reading.progress(start)?;
    }
    if number == 0 {
        return Err(reading.error(Place::byte(INDEX), "there is no record in the library"));
    }
    reading.progress(bytes.len())?;
    reading.end()
}

/// Where records begin, from this byte on.
fn starts(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> + '_ {
    let magic = cbr::MAGIC;
    let ends = bytes.len().saturating_sub(magic.len() - 1);
    (from..ends).filter(move |at| bytes[*at] == magic[0] && bytes[*at..].starts_with(magic))
}

//! From bytes to a record.

use super::point;
use crate::{Error, Place, Reading, Severity};
use games::{Move, Side, Size};
use record::{Head, Play, Record, TreeBuilder};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let Some((count, moves)) = bytes.split_first() else {
        return Err(reading.error(Place::byte(0), "there is nothing in it"));
    };
    let count = usize::from(*count);
    let mut builder = TreeBuilder::new();
    let mut is_whole = true;
    for (at, byte) in moves.iter().take(count).enumerate() {
        let Some(point) = point(*byte) else {
            let place = Place::byte(at + 1).after(builder.tree(), builder.last(), Size::default());
            let message = format!("byte {byte:#04x} is no point: points are 0 to 224");
            if !reading.lenient() {
                return Err(reading.error(place, message));
            }
            reading.fault("cut-game", Severity::Damage, || (place, format!("{message}; the moves before are kept")))?;
            is_whole = false;
            break;
        };
        builder.append(at + 1, Side::of_ply(at + 1), Play::Move(Move::Place(point)))?;
    }
    if is_whole && moves.len() < count {
        let message = || format!("the file ends behind {} of {count} moves; these are kept", moves.len());
        reading.fault("cut", Severity::Damage, || (Place::byte(bytes.len()), message()))?;
    }
    if moves.len() > count {
        reading.fault("rest", Severity::Damage, || {
            (Place::byte(count + 1), "bytes follow the last move; they are left out".into())
        })?;
    }
    reading.progress(bytes.len())?;
    reading.emit(Record { head: Head::default(), tree: builder.build() })
}

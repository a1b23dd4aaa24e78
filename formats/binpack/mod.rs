//! Packed training games of Rapfi; the format is written down in `SPEC.md`.

mod entry;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::bin::ENOUGH;
use crate::{Format, HEAD, Likeness, frame};
use entry::{ENTRY, Entry, Header};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "binpack",
    title: "packed training games of Rapfi",
    extensions: &["binpack"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;

/// The tag that holds the game's tag.
const GAME_TAG: &str = "GameTag";

fn likeness(head: &[u8]) -> Likeness {
    if head.starts_with(&frame::MAGIC) {
        return raw_likeness(&frame::start(head, HEAD));
    }
    raw_likeness(head)
}

/// The head may end inside a game; one that cannot be is what tells a stranger.
fn raw_likeness(mut head: &[u8]) -> Likeness {
    let mut moves = 0;
    while let Some((bytes, rest)) = head.split_first_chunk::<8>() {
        let header = Header::parse(bytes);
        let Ok(game) = header.game() else { return Likeness::No };
        if game.size.width() < 5 || header.total < header.opening || header.count < header.total - header.opening {
            return Likeness::No;
        }
        let (opening, rest) = rest.split_at(rest.len().min(2 * header.opening));
        let (entries, rest) = rest.split_at(rest.len().min(ENTRY * header.count));
        for code in opening.chunks_exact(2) {
            if crate::bin::read::point(u16::from_le_bytes([code[0], code[1]]), game.size).is_err() {
                return Likeness::No;
            }
            moves += 1;
        }
        for (at, entry) in entries.chunks_exact(ENTRY).enumerate() {
            let entry = Entry::parse(entry.try_into().expect("chunks of four bytes"));
            if entry.reserved || entry.play(game.size).is_err() || (at == 0 && !entry.first) {
                return Likeness::No;
            }
            moves += 1;
        }
        head = rest;
    }
    match moves {
        0 => Likeness::No,
        ENOUGH.. => Likeness::Magic,
        _ => Likeness::Shape,
    }
}

//! obk, yfk, pfbook: books of xiangqi as SQLite databases; `SPEC.md` beside this file is the format.

#[cfg(feature = "sqlite-books")]
mod database;
#[cfg(feature = "sqlite-books")]
mod key;
#[cfg(feature = "sqlite-books")]
mod play;
#[cfg(feature = "sqlite-books")]
mod read;
#[cfg(all(test, feature = "sqlite-books"))]
mod tests;
#[cfg(feature = "sqlite-books")]
mod trail;
#[cfg(feature = "sqlite-books")]
mod walk;
#[cfg(feature = "sqlite-books")]
mod write;

#[cfg(not(feature = "sqlite-books"))]
mod without;
#[cfg(not(feature = "sqlite-books"))]
use without as read;
#[cfg(not(feature = "sqlite-books"))]
use without as write;

use crate::{EntryFormat, HEAD, Likeness};
use games::Game;

/// The row of the registry for the books of 兵河五四.
pub const OBK: EntryFormat = EntryFormat {
    name: "obk",
    title: "xiangqi book of 兵河五四",
    extensions: &["obk"],
    games: &[Game::Xiangqi],
    likeness: |head| likeness(head, Variant::Obk),
    read: |bytes, reading| read::read(bytes, Variant::Obk, reading),
    writer: |out, options| write::writer(out, options, Variant::Obk),
};

/// The row of the registry for the books of 勇芳.
pub const YFK: EntryFormat = EntryFormat {
    name: "yfk",
    title: "xiangqi book of 勇芳",
    extensions: &["yfk"],
    likeness: |head| likeness(head, Variant::Yfk),
    read: |bytes, reading| read::read(bytes, Variant::Yfk, reading),
    writer: |out, options| write::writer(out, options, Variant::Yfk),
    ..OBK
};

/// The row of the registry for the books of 鹏飞.
pub const PFBOOK: EntryFormat = EntryFormat {
    name: "pfbook",
    title: "xiangqi book of 鹏飞",
    extensions: &["pfbook"],
    likeness: |head| likeness(head, Variant::PfBook),
    read: |bytes, reading| read::read(bytes, Variant::PfBook, reading),
    writer: |out, options| write::writer(out, options, Variant::PfBook),
    ..OBK
};

/// What the first bytes of a file are that SQLite writes.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whose book it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Variant {
    Obk,
    Yfk,
    PfBook,
}

impl Variant {
    const fn name(self) -> &'static str {
        match self {
            Variant::Obk => OBK.name,
            Variant::Yfk => YFK.name,
            Variant::PfBook => PFBOOK.name,
        }
    }
}

/// The names of tables and columns stand in the first page, unless there are very many or it is longer than what can be
/// looked at.
fn likeness(head: &[u8], wanted: Variant) -> Likeness {
    if !head.starts_with(MAGIC) {
        return Likeness::No;
    }
    let has = |name: &str| head.windows(name.len()).any(|window| window.eq_ignore_ascii_case(name.as_bytes()));
    let found = match () {
        () if has("pfBook") => Some(Variant::PfBook),
        () if !has("bhobk") => None,
        () if has("vmemo") => Some(Variant::Obk),
        () => Some(Variant::Yfk),
    };
    let is_hidden = head.get(KIND).is_some_and(|kind| {
        let size = u16::from_be_bytes([head[16], head[17]]);
        // 65536 is stored as 1.
        *kind == INTERIOR || size == 1 || usize::from(size) > HEAD
    });
    match found {
        Some(found) if found == wanted => Likeness::Magic,
        None if is_hidden => Likeness::Shape,
        _ => Likeness::No,
    }
}

/// Where the kind of the first page stands.
const KIND: usize = 100;
/// The kind of a page that leads to others.
const INTERIOR: u8 = 5;

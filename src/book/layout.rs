//! The fixed parts of a file: header, footer, and what blocks and the index are measured by.

use crate::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub(crate) const MAGIC: &[u8; 8] = b"KIFUBOOK";
const END: &[u8; 8] = b"KOOBUFIK";
const VERSION: u16 = 1;
const APART: u16 = 1;

pub(crate) const HEADER: usize = 16;
pub(crate) const FOOTER: usize = 128;
/// Checksum, length of the frame, length of the content.
pub(crate) const BLOCK_HEAD: usize = 16;
/// Offset of a block, offset of its first key.
pub(crate) const INDEX_ROW: usize = 16;
/// What zstd knows beforehand of what it packs: by it blocks are a twentieth to a tenth smaller.
pub(crate) const DICTIONARY: &[u8] = include_bytes!("dictionary.zdict");
/// Positions in a block.
pub(crate) const POSITIONS: usize = 128;
/// Bytes of rows from which on a block is full.
pub(crate) const FULL: usize = 1 << 16;
/// Bytes that the content of a block can have.
pub(crate) const LARGEST: usize = 1 << 26;

/// The header of a book.
pub(crate) fn header(symmetric: bool) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10..12].copy_from_slice(&flags(symmetric));
    bytes
}

pub(crate) const fn flags(symmetric: bool) -> [u8; 2] {
    (if symmetric { 0 } else { APART }).to_le_bytes()
}

/// Whether a header's keys are turned.
pub(crate) fn read_header(bytes: &[u8]) -> Result<bool, Error> {
    let header = bytes.first_chunk::<HEADER>().filter(|header| header.starts_with(MAGIC)).ok_or(Error::NoBook)?;
    let version = u16::from_le_bytes([header[8], header[9]]);
    if version != VERSION {
        return Err(Error::Version(version));
    }
    match u16::from_le_bytes([header[10], header[11]]) {
        0 => Ok(true),
        APART => Ok(false),
        _ => Err(Error::Damaged { part: "header", byte: 0 }),
    }
}

/// Where the parts of a book are, and what they hash to.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Footer {
    pub positions: u64,
    pub blocks: u64,
    pub index: Section,
    pub provenance: Section,
    pub content: u128,
    pub length: u64,
    /// Of length 0 where positions refer to no games.
    pub games: Section,
    pub holds: Holds,
}

/// What kinds of things a book knows: by them a reader knows which look-ups are needless.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Holds {
    /// Some positions have values or labels.
    pub judged: bool,
    /// Positions came without the moves that lead from one to another, as those of databases do.
    pub unlisted: bool,
}

impl Holds {
    /// What two books hold together.
    #[must_use]
    pub fn and(self, other: Holds) -> Holds {
        Holds { judged: self.judged || other.judged, unlisted: self.unlisted || other.unlisted }
    }

    fn bits(self) -> u64 {
        u64::from(self.judged) | u64::from(self.unlisted) << 1
    }

    fn read(bits: u64) -> Option<Holds> {
        (bits < 4).then_some(Holds { judged: bits & 1 != 0, unlisted: bits & 2 != 0 })
    }
}

/// A run of bytes with its checksum.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Section {
    pub offset: u64,
    pub length: u64,
    pub hash: u64,
}

impl Section {
    pub fn of(offset: u64, bytes: &[u8]) -> Section {
        Section { offset, length: bytes.len() as u64, hash: xxh3_64(bytes) }
    }

    /// The bytes of the section, not checked.
    pub fn slice<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        let start = usize::try_from(self.offset).ok()?;
        file.get(start..start.checked_add(usize::try_from(self.length).ok()?)?)
    }
}

impl Footer {
    pub fn write(&self, header: &[u8; HEADER]) -> [u8; FOOTER] {
        let numbers = [
            self.positions,
            self.blocks,
            self.index.offset,
            self.index.length,
            self.index.hash,
            self.provenance.offset,
            self.provenance.length,
            self.provenance.hash,
            self.content as u64,
            (self.content >> 64) as u64,
            self.length,
            self.games.length,
            self.games.hash,
            self.holds.bits(),
        ];
        let mut bytes = [0; FOOTER];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let hash = hash(header, &bytes);
        bytes[112..120].copy_from_slice(&hash.to_le_bytes());
        bytes[120..].copy_from_slice(END);
        bytes
    }

    /// Reads the footer of a whole file; the twin of [`Footer::write`].
    pub fn read(file: &[u8]) -> Result<Footer, Error> {
        let header = file.first_chunk::<HEADER>().ok_or(Error::NoBook)?;
        let at = file.len().saturating_sub(FOOTER);
        let damaged = Error::Damaged { part: "footer", byte: at as u64 };
        let Some(bytes) = file.last_chunk::<FOOTER>().filter(|bytes| at >= HEADER && bytes.ends_with(END)) else {
            return Err(Error::End(file.len() as u64));
        };
        if bytes[112..120] != hash(header, bytes).to_le_bytes() {
            return Err(damaged);
        }
        let mut numbers = bytes.chunks_exact(8).map(number);
        let mut next = || numbers.next().expect("a footer has sixteen numbers");
        let (positions, blocks) = (next(), next());
        let mut section = || Section { offset: next(), length: next(), hash: next() };
        let (index, provenance) = (section(), section());
        let content = u128::from(next()) | u128::from(next()) << 64;
        let length = next();
        let offset = index.offset.checked_add(index.length).ok_or(damaged)?;
        let games = Section { offset, length: next(), hash: next() };
        let damaged = Error::Damaged { part: "footer", byte: at as u64 };
        let holds = Holds::read(next()).ok_or(damaged)?;
        let footer = Footer { positions, blocks, index, provenance, content, length, games, holds };
        if footer.length != file.len() as u64 {
            return Err(Error::Length { found: file.len() as u64, said: footer.length });
        }
        Ok(footer)
    }
}

fn hash(header: &[u8; HEADER], footer: &[u8; FOOTER]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(&footer[..112]);
    hash.digest()
}

/// The number in eight bytes.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("the caller cuts eight bytes"))
}

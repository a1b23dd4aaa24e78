//! The LZ4 frame around a database: where it ends is known before a byte of it is unpacked.

use lz4_flex::frame::Error;
use std::io;

pub(super) const MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];

/// What is wrong with the outside of a frame: where, and what.
#[derive(Debug, PartialEq)]
pub(super) struct Broken {
    pub at: usize,
    pub message: &'static str,
}

/// The length of the frame at the start of `bytes`, found by going from block to block.
///
/// A decoder takes a file that ends between two blocks for a whole one: this does not.
pub(super) fn length(bytes: &[u8]) -> Result<usize, Broken> {
    let mut at = MAGIC.len();
    let descriptor = *bytes.get(at).ok_or(cut(bytes))?;
    let has = |bit: u8| descriptor & bit != 0;
    if descriptor >> 6 != 1 {
        return Err(Broken { at, message: "this is no version of LZ4 frames that I know" });
    }
    if has(0x01) {
        return Err(Broken { at, message: "the LZ4 frame needs a dictionary, which no database has" });
    }
    // The descriptor, the block size, the content's size if it is there, the checksum of these.
    at += 3 + if has(0x08) { 8 } else { 0 };
    loop {
        let size = bytes.get(at..at + 4).ok_or(cut(bytes))?;
        let size = u32::from_le_bytes(size.try_into().expect("four bytes were taken"));
        at += 4;
        if size == 0 {
            break;
        }
        // The highest bit says that the block is not compressed.
        at += (size & 0x7FFF_FFFF) as usize + if has(0x10) { 4 } else { 0 };
        if at > bytes.len() {
            return Err(cut(bytes));
        }
    }
    at += if has(0x04) { 4 } else { 0 };
    if at > bytes.len() { Err(cut(bytes)) } else { Ok(at) }
}

fn cut(bytes: &[u8]) -> Broken {
    Broken { at: bytes.len(), message: "the file ends inside its LZ4 frame" }
}

/// What the content begins with, as far as it stands in the frame as it is.
pub(super) fn start(bytes: &[u8]) -> &[u8] {
    let sized = bytes.get(MAGIC.len()).is_some_and(|descriptor| descriptor & 0x08 != 0);
    let block = bytes.get(if sized { 15 } else { 7 }..).unwrap_or(&[]);
    let Some((size, block)) = block.split_at_checked(4) else { return &[] };
    if size[3] & 0x80 != 0 {
        return block;
    }
    let Some((token, rest)) = block.split_first() else { return &[] };
    let literals = usize::from(token >> 4);
    if literals < 15 {
        return &rest[..literals.min(rest.len())];
    }
    // More than fifteen: bytes up to the first that is not 255 say how many.
    let more = rest.iter().take_while(|byte| **byte == 0xFF).count() + 1;
    rest.get(more..rest.len().min(more + literals)).unwrap_or(&[])
}

/// Why a frame could not be unpacked, to be put behind the words that it could not.
pub(super) fn reason(error: &io::Error) -> &'static str {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::HeaderChecksumError | Error::BlockChecksumError | Error::ContentChecksumError) => {
            ", by its checksum"
        }
        Some(Error::ContentLengthError { .. }) => ", by its length",
        _ => "",
    }
}

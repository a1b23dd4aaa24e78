//! LZ4 frames around files of other programs: where one ends is known before a byte of it is unpacked.

use crate::{Place, Reading, Severity};
use lz4_flex::frame::{Error, FrameDecoder};
use std::io::{self, Read};

pub(crate) const MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];

/// What is wrong with the outside of a frame: where, and what.
#[derive(Debug, PartialEq)]
pub(crate) struct Broken {
    pub at: usize,
    pub message: &'static str,
}

/// The length of the frame at the start of `bytes`, found by going from block to block.
///
/// A decoder takes a file that ends between two blocks for a whole one: this does not.
pub(crate) fn length(bytes: &[u8]) -> Result<usize, Broken> {
    let mut at = MAGIC.len();
    let descriptor = *bytes.get(at).ok_or(cut(bytes))?;
    let has = |bit: u8| descriptor & bit != 0;
    if descriptor >> 6 != 1 {
        return Err(Broken { at, message: "this is no version of LZ4 frames that I know" });
    }
    if has(0x01) {
        return Err(Broken { at, message: "the LZ4 frame needs a dictionary, which this program has not" });
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

/// What the content begins with, as far as it can be unpacked of its first block; no more than is asked for.
pub(crate) fn start(bytes: &[u8], most: usize) -> Vec<u8> {
    let sized = bytes.get(MAGIC.len()).is_some_and(|descriptor| descriptor & 0x08 != 0);
    let block = bytes.get(if sized { 15 } else { 7 }..).unwrap_or(&[]);
    let Some((size, block)) = block.split_at_checked(4) else { return Vec::new() };
    let size = u32::from_le_bytes(size.try_into().expect("four bytes were taken"));
    let block = &block[..block.len().min((size & 0x7FFF_FFFF) as usize)];
    let mut out = Vec::new();
    match size >> 31 {
        1 => out.extend_from_slice(block),
        _ => drop(unpack_start(block, most, &mut out)),
    }
    out.truncate(most);
    out
}

/// Unpacks a block up to `most` bytes or to its end, which it may lack; `None` at that end.
fn unpack_start(mut block: &[u8], most: usize, out: &mut Vec<u8>) -> Option<()> {
    let mut take = |count: usize| {
        let (taken, rest) = block.split_at(count.min(block.len()));
        block = rest;
        taken
    };
    // Fifteen and more: bytes up to the first that is not 255 say how many more.
    let length = |nibble: u8, take: &mut dyn FnMut() -> Option<u8>| -> Option<usize> {
        let mut length = usize::from(nibble);
        let mut more = nibble == 15;
        while more {
            let byte = take()?;
            length += usize::from(byte);
            more = byte == 255;
        }
        Some(length)
    };
    while out.len() < most {
        let token = *take(1).first()?;
        let literals = length(token >> 4, &mut || take(1).first().copied())?;
        out.extend_from_slice(take(literals));
        let &[low, high] = take(2) else { return None };
        let offset = usize::from(u16::from_le_bytes([low, high]));
        let copied = length(token & 15, &mut || take(1).first().copied())? + 4;
        let from = out.len().checked_sub(offset).filter(|_| offset > 0)?;
        for at in from..from + copied.min(most) {
            out.push(out[at]);
        }
    }
    Some(())
}

/// The bytes of a file, unpacked as they are asked for: memory does not grow with what a frame claims to hold.
pub(crate) enum Source<'a> {
    Plain(&'a [u8]),
    Frame(Box<FrameDecoder<&'a [u8]>>),
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Source<'a> {
        match bytes.starts_with(&MAGIC) {
            true => Source::Frame(Box::new(FrameDecoder::new(bytes))),
            false => Source::Plain(bytes),
        }
    }

    /// How many bytes of the file are not yet taken.
    pub fn left(&self) -> usize {
        match self {
            Source::Plain(rest) => rest.len(),
            Source::Frame(decoder) => decoder.get_ref().len(),
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Plain(rest) => rest.read(out),
            Source::Frame(decoder) => decoder.read(out),
        }
    }
}

/// The bytes that hold what the file is about: all of a plain file, and of others the frame, if it is whole.
pub(crate) fn content<'a, T>(bytes: &'a [u8], reading: &mut Reading<'_, T>) -> Result<&'a [u8], crate::Error> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(bytes);
    }
    match length(bytes) {
        Ok(length) if length == bytes.len() => Ok(bytes),
        Ok(length) => {
            reading.fault("trailing-bytes", Severity::Damage, || {
                let more = bytes.len() - length;
                (Place::byte(length), format!("{more} bytes stand behind the LZ4 frame: passed over"))
            })?;
            Ok(&bytes[..length])
        }
        Err(broken) if reading.lenient() => {
            reading.fault("cut-file", Severity::Damage, || {
                (Place::byte(broken.at), format!("{}: kept what can be unpacked", broken.message))
            })?;
            Ok(bytes)
        }
        Err(broken) => {
            let message = format!("{}: --lenient keeps what can be unpacked", broken.message);
            Err(reading.error(Place::byte(broken.at), message))
        }
    }
}

/// Why there is nothing further.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The bytes end inside something.
    Cut,
    /// The frame cannot be unpacked.
    Frame(io::Error),
}

/// Fills `out` as far as there are bytes, and counts them.
pub(crate) fn take(source: &mut impl Read, at: &mut u64, out: &mut [u8]) -> Result<usize, Stop> {
    let mut taken = 0;
    while taken < out.len() {
        match source.read(&mut out[taken..]) {
            Ok(0) => break,
            Ok(more) => taken += more,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                *at += taken as u64;
                return Err(Stop::Cut);
            }
            Err(error) => return Err(Stop::Frame(error)),
        }
    }
    *at += taken as u64;
    Ok(taken)
}

/// Why a frame could not be unpacked, to be put behind the words that it could not.
pub(crate) fn reason(error: &io::Error) -> &'static str {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::HeaderChecksumError | Error::BlockChecksumError | Error::ContentChecksumError) => {
            ", by its checksum"
        }
        Some(Error::ContentLengthError { .. }) => ", by its length",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lz4_flex::frame::FrameEncoder;
    use std::io::Write;

    #[test]
    fn the_start_of_a_frame_is_what_it_begins_with() {
        // Runs, repeats near and far, and bytes that repeat nothing.
        let mut random = 1_u32;
        let mut content = Vec::new();
        for at in 0..6000_usize {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            content.push(match at / 300 % 4 {
                0 => 7,
                1 => content[at % 290],
                2 => (random >> 24) as u8,
                _ => content[at - 300],
            });
        }
        let mut encoder = FrameEncoder::new(Vec::new());
        encoder.write_all(&content).unwrap();
        let frame = encoder.finish().unwrap();
        assert!(frame.len() < content.len());
        for most in [0, 1, 299, 301, 4096, 10_000] {
            assert!(start(&frame, most) == content[..most.min(content.len())], "{most}");
        }
        for end in 0..frame.len() {
            let start = start(&frame[..end], 4096);
            assert!(content.starts_with(&start) && start.len() * 6 >= end.saturating_sub(40).min(4096), "{end}");
        }
    }
}

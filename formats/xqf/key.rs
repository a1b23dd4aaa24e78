use super::PLAIN;

/// What the bytes of a file are shifted by; all zero in the plain version.
pub(super) struct Key {
    pub points: u8,
    pub from: u8,
    pub to: u8,
    pub length: u32,
    stream: [u8; 32],
    /// By how much the slots of the pieces are turned, from version 12 on.
    turned: Option<u8>,
}

const SEED: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

impl Key {
    /// Of a header.
    pub fn new(header: &[u8]) -> Key {
        let version = header[2];
        if version <= PLAIN {
            return Key { points: 0, from: 0, to: 0, length: 0, stream: [0; 32], turned: None };
        }
        let (mask, ors) = (header[3], &header[8..12]);
        let keys = &header[12..16];
        let (sum, xy, f, t) = (keys[0], keys[1], keys[2], keys[3]);
        let square = |k: u8| k.wrapping_mul(k).wrapping_mul(54).wrapping_add(221);
        let points = square(xy).wrapping_mul(xy);
        let from = square(f).wrapping_mul(points);
        let to = square(t).wrapping_mul(from);
        let length = (u32::from(sum) * 256 + u32::from(xy)) % 32000 + 767;
        let mut stream = *SEED;
        for (at, byte) in stream.iter_mut().enumerate() {
            *byte &= (keys[at % 4] & mask) | ors[at % 4];
        }
        Key { points, from, to, length, stream, turned: (version >= 12).then_some(points) }
    }

    /// The slot of the plain version for the point in a slot of this file.
    pub fn slot(&self, slot: usize) -> usize {
        self.turned.map_or(slot, |points| (usize::from(points) + 1 + slot) % 32)
    }

    /// A byte of the records, `at` bytes behind the header.
    pub fn plain(&self, byte: u8, at: usize) -> u8 {
        byte.wrapping_sub(self.stream[at % 32])
    }
}

use crate::bytes::{Bytes, put_bytes};

/// A position as bytes: its key, and what is known of it.
pub(crate) type KeyAndRow<'a> = (&'a [u8], &'a [u8]);

/// Positions one behind the other, each its key and its row after their lengths: as the content hash takes them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Rows {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Rows {
    /// Empty, with room for as much as others hold.
    pub fn like(others: &Rows) -> Rows {
        Rows { bytes: Vec::with_capacity(others.bytes.len() + 256), starts: Vec::with_capacity(others.starts.len()) }
    }

    pub fn push(&mut self, key: &[u8], row: &[u8]) {
        self.starts.push(self.bytes.len());
        put_bytes(&mut self.bytes, key);
        put_bytes(&mut self.bytes, row);
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The key and the row of a position.
    pub fn get(&self, at: usize) -> Option<KeyAndRow<'_>> {
        Some(split(&self.bytes[*self.starts.get(at)?..]))
    }

    /// The key of the last position.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.get(self.len().checked_sub(1)?).map(|(key, _)| key)
    }

    pub fn iter(&self) -> impl Iterator<Item = KeyAndRow<'_>> {
        self.starts.iter().map(|start| split(&self.bytes[*start..]))
    }

    /// All of it, as the content hash takes it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }
}

/// The key and the row that bytes begin with.
pub(crate) fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut bytes = Bytes(bytes);
    let mut next = || bytes.bytes().expect("keys and rows are written whole");
    (next(), next())
}

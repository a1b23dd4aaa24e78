use std::io::{self, Write};

/// Bytes on their way out: writers append to a buffer and spill it in large pieces.
pub struct Out<'a> {
    target: &'a mut dyn Write,
    buffer: Vec<u8>,
    begun: bool,
}

const PIECE: usize = 64 << 10;

impl<'a> Out<'a> {
    /// An empty buffer before the target.
    pub fn new(target: &'a mut dyn Write) -> Out<'a> {
        Out { target, buffer: Vec::with_capacity(PIECE + PIECE / 4), begun: false }
    }

    /// Where to append.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether anything was written.
    pub fn is_begun(&self) -> bool {
        self.begun || !self.buffer.is_empty()
    }

    /// Writes the buffer out if it has grown large; call it once a node.
    #[inline]
    pub fn spill(&mut self) -> io::Result<()> {
        if self.buffer.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    /// Writes the buffer out.
    pub fn flush(&mut self) -> io::Result<()> {
        self.begun |= !self.buffer.is_empty();
        self.target.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

//! Numbers and texts as the SPEC writes them: writing and reading side by side.

/// The bytes end too early, or a number is too large for what it counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Broken;

/// Writes a number in bytes of seven bits, the lowest first.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a number with a sign.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63) as u64);
}

/// Writes bytes after their length.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// What is left to read.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn byte(&mut self) -> Result<u8, Broken> {
        let (first, rest) = self.0.split_first().ok_or(Broken)?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Broken> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Broken)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<u64, Broken> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            // A number that ends in a byte of nothing could be shorter: each has one form.
            if bits << shift >> shift != bits || byte == 0 && shift > 0 {
                return Err(Broken);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Broken)
    }

    pub fn signed(&mut self) -> Result<i64, Broken> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Passes over so many numbers.
    pub fn skip_numbers(&mut self, count: u64) -> Result<(), Broken> {
        if count > 0 {
            let last = usize::try_from(count - 1).map_err(|_| Broken)?;
            let mut ends = self.0.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
            let (at, _) = ends.nth(last).ok_or(Broken)?;
            self.0 = &self.0[at + 1..];
        }
        Ok(())
    }

    /// A number of things that each take at least a byte of what is left.
    pub fn count(&mut self) -> Result<usize, Broken> {
        let count = usize::try_from(self.number()?).map_err(|_| Broken)?;
        if count > self.0.len() { Err(Broken) } else { Ok(count) }
    }

    /// Bytes after their length.
    pub fn bytes(&mut self) -> Result<&'a [u8], Broken> {
        let length = self.count()?;
        self.take(length)
    }

    pub fn text(&mut self) -> Result<&'a str, Broken> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Broken)
    }

    pub fn end(self) -> Result<(), Broken> {
        if self.0.is_empty() { Ok(()) } else { Err(Broken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(number: u64, signed: i64) {
            let mut out = Vec::new();
            put(&mut out, number);
            put_signed(&mut out, signed);
            let mut bytes = Bytes(&out);
            prop_assert_eq!(bytes.number(), Ok(number));
            prop_assert_eq!(bytes.signed(), Ok(signed));
            prop_assert_eq!(bytes.end(), Ok(()));
        }
    }

    #[test]
    fn numbers_of_more_than_64_bits_are_refused() {
        assert_eq!(Bytes(&[0xFF; 11]).number(), Err(Broken));
        assert_eq!(Bytes(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]).number(), Err(Broken));
        assert_eq!(Bytes(&[0x80]).number(), Err(Broken));
        assert_eq!(Bytes(&[0x80, 0]).number(), Err(Broken));
    }
}

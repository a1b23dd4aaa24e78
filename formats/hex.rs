//! Bytes as hexadecimal text, in the formats of ours that are text.

/// Appends two digits for each byte.
pub(crate) fn push(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend(bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]));
}

/// Appends the bytes that the digits stand for, in either case; `None` if the text is anything else.
pub(crate) fn parse(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    for pair in pairs {
        let &[high, low] = pair else { return None };
        out.push(digit(high)? << 4 | digit(low)?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn hexadecimal_reads_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (mut text, mut back) = (Vec::new(), Vec::new());
        super::push(&bytes, &mut text);
        super::parse(std::str::from_utf8(&text).unwrap(), &mut back).unwrap();
        assert_eq!(back, bytes);
        assert_eq!(super::parse("ABC", &mut back), None);
        assert_eq!(super::parse("0x", &mut back), None);
    }
}

use std::io::{self, BufRead};

/// Longer lines are no commands: that of the longest position of a 22x22 board has some four thousand bytes.
pub const LONGEST: usize = 1 << 16;

/// A line as it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// Its text without the end of the line; what is no UTF-8 is replaced.
    Text(String),
    /// It had more than [`LONGEST`] bytes and was passed over.
    TooLong,
}

/// The next line; `None` where the input ends. A last line needs no end.
///
/// No more than [`LONGEST`] bytes are held, however long the line is.
pub fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut held = Vec::new();
    let mut is_long = false;
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if bytes.is_empty() {
            return Ok((is_long || !held.is_empty()).then(|| line(&held, is_long)));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        is_long |= held.len() + part.len() > LONGEST;
        if !is_long {
            held.extend_from_slice(part);
        }
        let used = end.map_or(bytes.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(line(&held, is_long)));
        }
    }
}

fn line(held: &[u8], is_long: bool) -> Line {
    if is_long { Line::TooLong } else { Line::Text(String::from_utf8_lossy(held).trim().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn all(bytes: &[u8]) -> Vec<Line> {
        let mut input = BufReader::with_capacity(7, bytes);
        std::iter::from_fn(|| next(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_end_as_they_do_anywhere() {
        let text = |text: &str| Line::Text(text.into());
        assert_eq!(all(b"START 15\r\nBEGIN\n\nEND"), [text("START 15"), text("BEGIN"), text(""), text("END")]);
        assert_eq!(all(b"\xff\n"), [text("\u{FFFD}")]);
        assert_eq!(all(b""), []);
    }

    #[test]
    fn a_long_line_is_passed_over_and_the_next_one_is_read() {
        let longest = "x".repeat(LONGEST);
        let bytes = format!("{longest}\n{longest}x\r\nEND\n{longest}y");
        assert_eq!(
            all(bytes.as_bytes()),
            [Line::Text(longest), Line::TooLong, Line::Text("END".into()), Line::TooLong]
        );
    }
}

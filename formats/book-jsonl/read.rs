use super::line::{Defaults, Line, Object, One, Stranger};
use crate::{EntryReading, Error, Place, Severity};
use serde::de::DeserializeSeed;

/// How many lines are read between two looks at the progress.
const STRIDE: usize = 1 << 14;

pub(super) fn read(bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut defaults = Defaults::of(reading.options);
    let (mut at, mut number) = (start, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = line_end(rest);
        let text = rest[..end].trim_ascii();
        at += end + 1;
        number += 1;
        if number % STRIDE == 0 {
            reading.progress(at.min(bytes.len()))?;
        }
        if text.is_empty() {
            continue;
        }
        match line(text, number, &mut defaults, reading) {
            Ok(Ok(())) => {}
            Err(error) => return Err(error),
            Ok(Err(message)) if reading.lenient() => {
                let kept = || (Place::line(number), format!("{message}; the line is passed over"));
                reading.fault("bad-line", Severity::Damage, kept)?;
            }
            Ok(Err(message)) => {
                let message = format!("{message} (--lenient passes over such lines)");
                return Err(reading.error(Place::line(number), message));
            }
        }
    }
    reading.progress(bytes.len())
}

/// How long the line at the start is; eight bytes are looked at in one step.
fn line_end(bytes: &[u8]) -> usize {
    let whole = bytes.chunks_exact(8).take_while(|chunk| !chunk.contains(&b'\n')).count() * 8;
    whole + bytes[whole..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - whole)
}

/// Reads a line: the inner error is the line's own.
fn line(
    text: &[u8],
    number: usize,
    defaults: &mut Defaults,
    reading: &mut EntryReading<'_>,
) -> Result<Result<(), String>, Error> {
    let mut stranger = Stranger::default();
    let line: Line<'_> = match object(text, &mut stranger) {
        Ok(line) => line,
        Err(message) => return Ok(Err(message)),
    };
    if let Some(version) = line.kifu.filter(|version| *version != 1) {
        return Ok(Err(format!("this is of version {version}, and only 1 is known")));
    }
    if let Some(name) = stranger.0 {
        reading.fault("unknown-member", Severity::Remark, || {
            (Place::line(number), format!("`{}` is no member of this format: passed over", super::line::shown(&name)))
        })?;
    }
    if line.position.is_none() && line.format.is_some() {
        return head(line, number, defaults, reading);
    }
    defaults.note(&line, number, reading)?;
    match line.entry(*defaults) {
        Ok(entry) => reading.emit(entry).map(Ok),
        Err(message) => Ok(Err(message)),
    }
}

/// Reads the line that says what holds for those after it.
fn head(
    line: Line<'_>,
    number: usize,
    defaults: &mut Defaults,
    reading: &mut EntryReading<'_>,
) -> Result<Result<(), String>, Error> {
    let format = line.format.as_deref().unwrap_or_default();
    if format != super::NAME {
        return Ok(Err(format!("this is `{}`, not {}", super::line::shown(format), super::NAME)));
    }
    if let Some(rule) = &line.rule {
        match rule.parse() {
            Ok(rule) => (defaults.rule, defaults.is_said) = (Some(rule), true),
            Err(message) => return Ok(Err(message)),
        }
    }
    defaults.size = line.size.or(defaults.size);
    reading.version = Some("1".into());
    if line.symmetric == Some(false) {
        reading.fault("mirrored-apart", Severity::Remark, || {
            (Place::line(number), "mirrored and turned positions stand apart here".into())
        })?;
    }
    Ok(Ok(()))
}

/// The object of a text; the message says what is wrong with it.
pub(crate) fn object<'t, T: Object<'t>>(text: &'t [u8], stranger: &mut Stranger) -> Result<T, String> {
    let text = std::str::from_utf8(text).map_err(|_| "this is not UTF-8: save the file in it")?;
    let mut json = serde_json::Deserializer::from_str(text);
    let object = One::new(stranger).deserialize(&mut json).and_then(|object| json.end().map(|()| object));
    object.map_err(|error| {
        if error.is_eof() {
            return "the object does not end on its line: write each on one line, as `jq -c` does".into();
        }
        let (message, column) = (error.to_string(), error.column());
        let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        format!("{what} (column {column})")
    })
}

use crate::{Blame, Error, Reading, WriteOptions, Writer};
use games::Rule;
use std::io::Write;

/// How much the first bytes of a file look like a format.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Likeness {
    /// They cannot be it.
    No,
    /// They may be it, if the extension agrees.
    Shape,
    /// They have its magic, or a shape that nothing else has.
    Magic,
}

/// A row of the registry.
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Extensions in lower case without the dot; the first is given to new files.
    pub extensions: &'static [&'static str],
    /// Whether a file can hold many records.
    pub many: bool,
    /// The rule where a file says none.
    pub rule: Option<Rule>,
    /// Looks at the first bytes of a file, at most [`HEAD`] of them.
    pub likeness: fn(&[u8]) -> Likeness,
    /// Reads all records of a file.
    pub read: fn(&[u8], &mut Reading<'_>) -> Result<(), Error>,
    /// Starts a file.
    pub writer: for<'a> fn(&'a mut dyn Write, &WriteOptions) -> Box<dyn Writer + 'a>,
}

/// How many bytes [`Format::likeness`] gets to see.
pub const HEAD: usize = 4096;

/// All formats of records.
pub const FORMATS: &[Format] = &[
    crate::renlib::FORMAT,
    crate::sgf::FORMAT,
    crate::agi_record::FORMAT,
    crate::agi_game::FORMAT,
    crate::json::FORMAT,
    crate::moves::FORMAT,
];

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format of this extension, in any case and without the dot.
pub fn by_extension(extension: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Files that carry an extension of ours, or are mistaken for it, and are something else.
const STRANGERS: &[(&[u8], &str)] = &[
    (b"!<arch>\n", "a static library of a compiler, not a RenLib library"),
    (b"\x04\x22\x4D\x18", "an LZ4 frame, perhaps a Yixin or Rapfi database or a binpack: those are not records"),
    (b"\x1F\x8B", "compressed by gzip: unpack it first"),
    (b"\x28\xB5\x2F\xFD", "compressed by zstd: unpack it first"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"Rar!\x1A\x07", "a rar archive: unpack it first"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive: unpack it first"),
    (b"SQLite format 3\0", "an SQLite database"),
];

/// The format of a file by its magic, its shape and its extension, in this order.
///
/// Files of other kinds that carry one of our extensions are refused by name.
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Result<&'static Format, Error> {
    let head = &bytes[..bytes.len().min(HEAD)];
    if let Some((_, what)) = STRANGERS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(Error::new(Blame::File, "", format!("this is {what}")));
    }
    let likeness: Vec<Likeness> = FORMATS.iter().map(|format| (format.likeness)(head)).collect();
    let of = |wanted: Likeness| FORMATS.iter().zip(&likeness).filter(move |(_, l)| **l == wanted).map(|(f, _)| f);
    if let Some(format) = of(Likeness::Magic).next() {
        return Ok(format);
    }
    let named = extension.and_then(by_extension);
    if let Some(format) = named
        && (of(Likeness::Shape).any(|like| like.name == format.name) || bytes.is_empty())
    {
        return Ok(format);
    }
    let mut shaped = of(Likeness::Shape);
    match (shaped.next(), named) {
        (Some(format), _) => Ok(format),
        (None, Some(format)) => Err(Error::new(
            Blame::File,
            "",
            format!("this is named like {} and does not look like it: name its format with --from", format.title),
        )),
        (None, None) if bytes.is_empty() => Err(Error::new(Blame::File, "", "there is nothing in it")),
        (None, None) => Err(Error::new(
            Blame::File,
            "",
            "this is in no format I know: see `kifu formats`, or name its format with --from",
        )),
    }
}

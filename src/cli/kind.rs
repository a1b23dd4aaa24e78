use ::formats::{
    ENTRY_FORMATS, EntryFormat, Error, Format, HEAD, Likeness, by_extension, by_name, detect, detect_entries,
};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a file is: records, positions in a format for other programs, or a book.
#[derive(Copy, Clone)]
pub enum Kind {
    /// Games or libraries.
    Records(&'static Format),
    /// Positions and what is known of them.
    Positions(&'static EntryFormat),
    /// A book of ours.
    Book,
}

impl Kind {
    /// What the bytes and the extension tell.
    pub fn of(bytes: &[u8], extension: Option<&str>) -> Result<Kind, Error> {
        if ::book::is_book(bytes) {
            return Ok(Kind::Book);
        }
        let found = detect_entries(bytes, extension);
        let named = |format: &EntryFormat| extension.is_some_and(|extension| has(format.extensions, extension));
        match found {
            Some((format, likeness)) if likeness == Likeness::Magic || named(format) => Ok(Kind::Positions(format)),
            // A shape is little, and says least where the name says something else.
            Some((format, _)) if extension.is_none() => {
                detect(bytes, extension).map(Kind::Records).or(Ok(Kind::Positions(format)))
            }
            _ => detect(bytes, extension).map(Kind::Records),
        }
    }

    /// What the first bytes of a file and its extension tell; `None` where they cannot be read or tell nothing.
    pub fn peek(path: &Path) -> Option<Kind> {
        let mut head = Vec::new();
        let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
        file.take(HEAD as u64).read_to_end(&mut head).ok()?;
        Kind::of(&head, extension(path)).ok()
    }

    /// What a name or an extension on the command line stands for.
    pub fn parse(name: &str) -> Result<Kind, String> {
        let extension = name.trim_start_matches('.');
        let named = by_name(name).map(Kind::Records);
        let named = named.or_else(|| ENTRY_FORMATS.iter().find(|format| format.name == name).map(Kind::Positions));
        let named = named.or_else(|| (name == Kind::Book.name()).then_some(Kind::Book));
        named
            .or_else(|| Kind::by_extension(extension))
            .ok_or_else(|| format!("`{name}` is not a format: see `kifu formats`"))
    }

    /// What has this extension; of several, what comes first in the list of formats.
    pub fn by_extension(extension: &str) -> Option<Kind> {
        if has(Kind::Book.extensions(), extension) {
            return Some(Kind::Book);
        }
        let positions = || ENTRY_FORMATS.iter().find(|format| has(format.extensions, extension));
        by_extension(extension).map(Kind::Records).or_else(|| positions().map(Kind::Positions))
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Records(format) => format.name,
            Kind::Positions(format) => format.name,
            Kind::Book => "agi-book",
        }
    }

    /// What it is, in a few words.
    pub const fn title(self) -> &'static str {
        match self {
            Kind::Records(format) => format.title,
            Kind::Positions(format) => format.title,
            Kind::Book => "AGI opening book, positions packed and checked",
        }
    }

    /// Extensions in lower case without the dot.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Kind::Records(format) => format.extensions,
            Kind::Positions(format) => format.extensions,
            Kind::Book => &["agb"],
        }
    }

    /// Whether files of it can be written.
    pub const fn is_written(self) -> bool {
        match self {
            Kind::Records(format) => format.writer.is_some(),
            Kind::Positions(_) | Kind::Book => true,
        }
    }

    /// The format to write records in; an error that says what to do where there is none, or it is only read.
    pub fn target(self) -> Result<&'static Format, String> {
        let format = self.records()?;
        format.writable().map_err(|error| error.to_string())?;
        Ok(format)
    }

    /// That records are asked for and this is something else: what it is, and what to do with it.
    pub fn records(self) -> Result<&'static Format, String> {
        let title = self.title();
        match self {
            Kind::Records(format) => Ok(format),
            Kind::Positions(_) => Err(format!(
                "this is a {title}, which has no games: `kifu book import` makes a book of it, which `kifu book query` asks"
            )),
            Kind::Book => Err(format!(
                "this is a book ({title}): `kifu book query` asks it, `kifu book export` writes it otherwise"
            )),
        }
    }
}

/// The extension of a path, if it is text.
pub fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

fn has(extensions: &[&str], extension: &str) -> bool {
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

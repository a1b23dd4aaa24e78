use std::fmt;
use std::io;

/// Why a book cannot be read or written.
#[derive(Debug)]
pub enum Error {
    /// The bytes are no book.
    NoBook,
    /// The book is of a version that this reader does not know.
    Version(u16),
    /// The book is cut, or something follows it: its length, and the one that it says it has.
    Length {
        /// Bytes that are there.
        found: u64,
        /// Bytes that there should be.
        said: u64,
    },
    /// A book begins, but does not end where the file does, which has so many bytes.
    End(u64),
    /// One of several books, counted from 0, cannot be read.
    Input(usize, Box<Error>),
    /// Bytes are not what they were when they were written: what is damaged, and where it begins.
    Damaged {
        /// The part of the file.
        part: &'static str,
        /// The offset of its first byte.
        byte: u64,
    },
    /// Two books cannot be put together, one with mirrored positions apart and one without.
    Symmetry,
    /// Positions come in the wrong order, or one comes twice.
    Order,
    /// One position has more text than a block can hold.
    Large,
    /// A position is none of the board it is sought on.
    Position,
    /// A value is on another scale than the others.
    Scale {
        /// Its K in win rate = 1 / (1 + exp(-value / K)).
        found: u16,
        /// The K of the others.
        wanted: u16,
    },
    /// Positions of another game than gomoku, which this cannot be done with.
    Gomoku,
    /// Neither a position nor anything below it is in the book.
    Nothing,
    /// The positions of a board are more than one tree can hold.
    Full(record::Full),
    /// A file cannot be written or read.
    Io(io::Error),
}

impl Error {
    /// The fault as one of this book among several.
    pub(crate) fn of_book(self, number: usize) -> Error {
        Error::Input(number, Box::new(self))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoBook => f.write_str("this is no book (.agb)"),
            Error::Version(version) => write!(f, "this book has version {version}, and only 1 is known"),
            Error::Length { found, said } if found < said => {
                write!(f, "the book is cut: {found} of {said} bytes are there")
            }
            Error::Length { found, said } => write!(f, "the book has {said} bytes, but the file has {found}"),
            Error::End(bytes) => {
                write!(
                    f,
                    "the book does not end where the file does, at byte {bytes:#x}: it is cut, or something follows it"
                )
            }
            Error::Input(_, error) => error.fmt(f),
            Error::Damaged { part, byte } => write!(f, "the {part} at byte {byte:#x} is damaged: build the book anew"),
            Error::Gomoku => f.write_str("the book holds positions of xiangqi, and this is done with gomoku alone"),
            Error::Symmetry => f.write_str("one of the books keeps mirrored positions apart and another does not"),
            Error::Order => f.write_str("the positions are not in the order of their keys"),
            Error::Large => f.write_str("a position has more than 64 MiB of text"),
            Error::Position => f.write_str("the position is none of this board"),
            Error::Scale { found, wanted } => write!(
                f,
                "there are values of scale {found} beside those of {wanted}: say how they are to be turned into each other"
            ),
            Error::Nothing => f.write_str("neither the position nor anything below it is in the book"),
            Error::Full(full) => full.fmt(f),
            Error::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            Error::Input(_, error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

impl From<record::Full> for Error {
    fn from(full: record::Full) -> Error {
        Error::Full(full)
    }
}

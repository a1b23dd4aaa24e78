use crate::{Blame, EntryReading, EntryWriter, Error, Losses, Reading, WriteOptions, Writer};
use games::{Game, Rule};
use record::{Entry, Key, Record};
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

/// A row of the registry: a codec of records.
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Extensions in lower case without the dot; the first is given to new files.
    pub extensions: &'static [&'static str],
    /// Whether a file can hold many records.
    pub many: bool,
    /// The games that its files can hold; records of others are refused.
    pub games: &'static [Game],
    /// The rule where a file says none.
    pub rule: Option<Rule>,
    /// Looks at the first bytes of a file, at most [`HEAD`] of them.
    pub likeness: fn(&[u8]) -> Likeness,
    /// Reads all records of a file.
    pub read: fn(&[u8], &mut Reading<'_>) -> Result<(), Error>,
    /// Starts a file; `None` for a format that is only read. Call [`Format::start`].
    pub writer: Option<Start>,
}

/// Starts a file of records.
pub type Start = for<'a> fn(&'a mut dyn Write, &WriteOptions) -> Box<dyn Writer + 'a>;

impl Format {
    /// Starts a file. Records of games that the format does not hold are refused, a second one if it holds one, and all
    /// if it is only read.
    pub fn start<'a>(&self, out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
        match self.writer {
            None => Box::new(OnlyRead(self.name)),
            Some(start) => Box::new(Fitting {
                name: self.name,
                extension: self.extensions[0],
                games: self.games,
                room: if self.many { u64::MAX } else { 1 },
                writer: start(out, options),
            }),
        }
    }

    /// The format itself, or an error that says that it is only read.
    pub fn writable(&self) -> Result<&Format, Error> {
        self.writer.map(|_| self).ok_or_else(|| OnlyRead(self.name).error())
    }
}

/// The writer of a format that is only read.
struct OnlyRead(&'static str);

impl OnlyRead {
    fn error(&self) -> Error {
        Error::new(Blame::Target, "", format!("{} is only read here: write another format, see `kifu formats`", self.0))
    }
}

impl Writer for OnlyRead {
    fn record(&mut self, _: &Record, _: &mut Losses) -> Result<(), Error> {
        Err(self.error())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// The writer of a format, for records of its games and as many as it holds.
struct Fitting<'a> {
    name: &'static str,
    extension: &'static str,
    games: &'static [Game],
    /// How many records can follow.
    room: u64,
    writer: Box<dyn Writer + 'a>,
}

impl Writer for Fitting<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let (name, game) = (self.name, record.head.game);
        if !self.games.contains(&game) {
            let message = format!("{name} cannot hold {game}: write another format, see `kifu formats`");
            return Err(Error::new(Blame::Target, "", message));
        }
        let full = || {
            let extension = self.extension;
            let message =
                format!("a .{extension} holds one record, and there are more: name a folder to get a file for each");
            Error::new(Blame::Target, name, message)
        };
        self.room = self.room.checked_sub(1).ok_or_else(full)?;
        self.writer.record(record, losses)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.writer.finish()
    }
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
    crate::xiangqi_pgn::FORMAT,
    crate::bin::FORMAT,
    crate::binpack::FORMAT,
    crate::kurnik_pgn::FORMAT,
    crate::cgomoku_pgn::FORMAT,
    crate::cgomoku_csv::FORMAT,
    crate::rec::FORMAT,
    crate::bdt::FORMAT,
    crate::wzq::FORMAT,
    crate::rena::FORMAT,
    crate::pbem::FORMAT,
    crate::playsite::FORMAT,
    crate::blip::FORMAT,
    crate::buf::FORMAT,
    crate::rdf::FORMAT,
    crate::renjs::FORMAT,
    crate::pdb::FORMAT,
    crate::rif::FORMAT,
    crate::psq::FORMAT,
    crate::pos::FORMAT,
    crate::yixin_sav::FORMAT,
    crate::renlib_text::FORMAT,
    crate::gomocup_openings::FORMAT,
    crate::rapfi_txt::FORMAT,
    crate::renjuoffline::FORMAT,
    crate::xqf::FORMAT,
    crate::cbr::FORMAT,
    crate::cbl::FORMAT,
    crate::cbf::FORMAT,
    crate::ubb::FORMAT,
    crate::wxf::FORMAT,
    crate::pfc::FORMAT,
    crate::fen::FORMAT,
];

/// A row of the registry: a codec of positions and what is known of them.
pub struct EntryFormat {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Extensions in lower case without the dot; the first is given to new files.
    pub extensions: &'static [&'static str],
    /// The games whose positions its files can hold.
    pub games: &'static [Game],
    /// Looks at the first bytes of a file, at most [`HEAD`] of them.
    pub likeness: fn(&[u8]) -> Likeness,
    /// Reads all positions of a file.
    pub read: fn(&[u8], &mut EntryReading<'_>) -> Result<(), Error>,
    /// Starts a file. Call [`EntryFormat::start`].
    pub writer: for<'a> fn(&'a mut dyn Write, &WriteOptions) -> Box<dyn EntryWriter + 'a>,
}

impl EntryFormat {
    /// Starts a file. Positions of games that the format does not hold are left out and counted.
    pub fn start<'a>(&self, out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
        Box::new(EntriesOfGames { games: self.games, writer: (self.writer)(out, options) })
    }
}

/// The writer of a format, for positions of its games.
struct EntriesOfGames<'a> {
    games: &'static [Game],
    writer: Box<dyn EntryWriter + 'a>,
}

impl EntryWriter for EntriesOfGames<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        let game = key.rules().game();
        if self.games.contains(&game) {
            return self.writer.entry(key, entry, losses);
        }
        losses.position(
            match game {
                Game::Gomoku => "positions of gomoku (left out)",
                Game::Xiangqi => "positions of xiangqi (left out)",
            },
            key,
        );
        Ok(())
    }

    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error> {
        self.writer.finish(losses)
    }
}

/// All formats of positions.
pub const ENTRY_FORMATS: &[EntryFormat] = &[
    crate::yixin_db::FORMAT,
    crate::book_jsonl::FORMAT,
    crate::book_csv::FORMAT,
    crate::yixin_db::CSV,
    crate::sqlite_book::OBK,
    crate::sqlite_book::YFK,
    crate::sqlite_book::PFBOOK,
    crate::eleeye_book::FORMAT,
    crate::chessdb::FORMAT,
];

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format of this extension, in any case and without the dot.
pub fn by_extension(extension: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| has(format.extensions, extension))
}

/// Files that carry an extension of ours, or are mistaken for it, and are something else.
const STRANGERS: &[(&[u8], &str)] = &[
    (b"!<arch>\n", "a static library of a compiler, not a RenLib library"),
    (b"\x04\x22\x4D\x18", "an LZ4 frame, perhaps a Yixin or Rapfi database, which is not records"),
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
    let likeness: Vec<Likeness> = FORMATS.iter().map(|format| (format.likeness)(head)).collect();
    let of = |wanted: Likeness| FORMATS.iter().zip(&likeness).filter(move |(_, l)| **l == wanted).map(|(f, _)| f);
    if let Some(format) = of(Likeness::Magic).next() {
        return Ok(format);
    }
    if let Some((_, what)) = STRANGERS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(Error::new(Blame::File, "", format!("this is {what}")));
    }
    let named = extension.and_then(by_extension);
    if let Some(format) = named
        && (of(Likeness::Shape).any(|like| like.name == format.name) || bytes.is_empty())
    {
        return Ok(format);
    }
    let mut shaped = of(Likeness::Shape);
    let refused = |message: &str| Err(Error::new(Blame::File, "", message));
    match (shaped.next(), named) {
        (Some(format), _) => Ok(format),
        _ if bytes.is_empty() => refused("there is nothing in it"),
        _ if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") => {
            refused("this is text in UTF-16, which only SGF may be in here: save it as UTF-8")
        }
        (None, Some(format)) => Err(Error::new(
            Blame::File,
            "",
            format!(
                "by its name this is {} ({}), by its bytes it is not: name its format with --from",
                format.name, format.title
            ),
        )),
        (None, None) => refused("this is in no format I know: see `kifu formats`, or name its format with --from"),
    }
}

/// The format of positions that the first bytes are most like, of equals the one of this extension, and how much.
pub fn detect_entries(bytes: &[u8], extension: Option<&str>) -> Option<(&'static EntryFormat, Likeness)> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let named = |format: &EntryFormat| extension.is_some_and(|name| has(format.extensions, name));
    let like = |format: &'static EntryFormat| (format, (format.likeness)(head));
    let found = ENTRY_FORMATS.iter().rev().map(like).filter(|(_, likeness)| *likeness > Likeness::No);
    found.max_by_key(|(format, likeness)| (*likeness, named(format)))
}

fn has(extensions: &[&str], extension: &str) -> bool {
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{files, testdata};

    fn found(bytes: &[u8], extension: Option<&str>) -> String {
        detect(bytes, extension).map_or_else(|error| error.to_string(), |format| format.name.into())
    }

    /// The text in UTF-16 with its byte order mark.
    fn utf16(text: &str) -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn samples_are_known_whatever_they_are_called() {
        for format in FORMATS.iter().filter(|format| testdata(format.name).exists()) {
            for extension in format.extensions {
                for path in files(&testdata(format.name), extension) {
                    let bytes = std::fs::read(&path).unwrap();
                    for called in [None, Some("zzz"), Some("lib"), Some("sgf"), Some("txt")] {
                        assert!(bytes.is_empty() || found(&bytes, called) == format.name, "{}", path.display());
                    }
                }
            }
        }
    }

    #[test]
    fn a_format_that_is_only_read_refuses_the_first_record() {
        static FORMAT: Format = Format { writer: None, ..crate::moves::FORMAT };
        let format = &FORMAT;
        let message = "moves is only read here: write another format, see `kifu formats`";
        assert_eq!(format.writable().err().map(|error| error.to_string()).as_deref(), Some(message));
        let mut out = Vec::new();
        let mut writer = format.start(&mut out, &WriteOptions::default());
        assert_eq!(writer.record(&Record::default(), &mut Losses::default()).unwrap_err().to_string(), message);
    }

    #[test]
    fn a_game_that_a_format_cannot_hold_is_refused() {
        let head = record::Head { game: Game::Xiangqi, size: games::Size::XIANGQI, ..record::Head::default() };
        let record = Record { head, ..Record::default() };
        for format in FORMATS {
            let mut out = Vec::new();
            let written = format.start(&mut out, &WriteOptions::default()).record(&record, &mut Losses::default());
            let can = format.writer.is_some() && format.games.contains(&Game::Xiangqi);
            assert_eq!(written.is_ok(), can, "{}", format.name);
        }
    }

    #[test]
    fn texts_and_voids_are_no_libraries() {
        for bytes in ["x是一个很长的中文文本".as_bytes(), b"x\xBA\xDA\xC6\xE5\xB1\xD8\xCA\xA4", b"x marks", &[0; 4096]]
        {
            assert!(found(bytes, None).starts_with("this is in no format I know"));
            assert!(found(bytes, Some("txt")).starts_with("by its name this is moves (move strings"));
        }
        assert_eq!(found(&[0; 20], Some("lib")), "renlib");
        assert_eq!(found(b"\x78\x00\x69\x40", None), "renlib");
    }

    #[test]
    fn utf_16_is_sgf_or_refused_by_name() {
        let game = utf16("(;GM[4]SZ[15];B[hh]C[黑棋])");
        assert_eq!(found(&game, None), "sgf");
        let record = crate::samples::read(&crate::sgf::FORMAT, &game).unwrap().one();
        assert_eq!(record.tree.line(record.tree.main_line().next().unwrap()), Some("黑棋"));
        for text in ["[Agr \"1\"] 78 *", "<agx/>", "h8 i9", "{\"kifu\":1}"] {
            for extension in [None, Some("agr"), Some("txt")] {
                assert!(found(&utf16(text), extension).starts_with("this is text in UTF-16"));
            }
        }
        assert_eq!(found(b"", None), "there is nothing in it");
    }

    #[test]
    fn a_format_of_one_record_refuses_a_second_one() {
        let mut seen = 0;
        for format in FORMATS.iter().filter(|format| !format.many && format.writer.is_some()) {
            let game = format.games[0];
            let rule = format.rule.filter(|_| game == Game::Gomoku);
            let record = Record {
                head: record::Head { game, size: game.board(), rule, ..record::Head::default() },
                ..Record::default()
            };
            let (mut bytes, mut losses) = (Vec::new(), Losses::default());
            let mut writer = format.start(&mut bytes, &WriteOptions::default());
            writer.record(&record, &mut losses).unwrap();
            let error = writer.record(&record, &mut losses).unwrap_err().to_string();
            assert!(error.contains("holds one record, and there are more"), "{}: {error}", format.name);
            seen += 1;
        }
        assert!(seen >= 7, "{seen}");
    }
}

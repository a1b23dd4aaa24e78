//! Games of GoRenjer; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::played::Played;
use crate::{Error, Format, Guess, Likeness, Place, Reading, Severity, Sure, guess};
use encoding_rs::Encoding;
use games::{Game, Move, Point, Rule, Side};
use record::{Play, Record, TreeBuilder, plain};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "pdb",
    title: "games of GoRenjer (Palm database)",
    extensions: &["pdb"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read,
    writer: None,
};

const MAGIC_AT: usize = 60;
const MAGIC: &[u8] = b"DATA5Ren";
const COUNT_AT: usize = 76;
const LIST_AT: usize = 78;
/// Bytes of an item of the list, of what stands before the moves of a game, and of a move.
const ITEM: usize = 8;
const START: usize = 6;
const MOVE: usize = 2;
/// The tags of the texts; the fourth is the comment.
const TAGS: [&str; 6] = ["Event", "Black", "White", "", "Date", "FifthMove"];

fn likeness(head: &[u8]) -> Likeness {
    let found = head.get(MAGIC_AT..MAGIC_AT + MAGIC.len()) == Some(MAGIC);
    if found { Likeness::Magic } else { Likeness::No }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let Some(&[high, low]) = bytes.get(COUNT_AT..COUNT_AT + 2).filter(|_| likeness(bytes) == Likeness::Magic) else {
        return Err(reading.error(Place::byte(MAGIC_AT), "this is no database of the program GoRenjer"));
    };
    let count = usize::from(u16::from_be_bytes([high, low]));
    let Some(list) = bytes.get(LIST_AT..LIST_AT + ITEM * count) else {
        let message = format!("the file ends inside the list of its {count} games");
        return Err(reading.error(Place::byte(bytes.len()), message));
    };
    let starts = list.chunks_exact(ITEM).map(|item| u32::from_be_bytes([item[0], item[1], item[2], item[3]]) as usize);
    let mut ends = starts.clone().skip(1).chain([bytes.len()]);
    let games: Vec<(usize, usize)> = starts.map(|start| (start, ends.next().unwrap_or(start))).collect();
    let whole = |(start, end): (usize, usize)| bytes.get(start..end).filter(|_| start >= LIST_AT + list.len());
    reading.encoding = Some(match reading.options.encoding {
        Some(encoding) => Guess { encoding, sure: Sure::Given },
        None => guess(games.iter().filter_map(|game| texts(whole(*game)?))),
    });
    let encoding = reading.encoding.map_or(encoding_rs::UTF_8, |guess| guess.encoding);
    for (at, range) in games.into_iter().enumerate() {
        let place = |byte: usize| Place { record: Some(at as u64 + 1), ..Place::byte(range.0 + byte) };
        let game = whole(range).ok_or((0, "the game does not lie in the file".to_owned()));
        match game.and_then(moves) {
            Ok(line) => {
                let texts = game_texts(whole(range).and_then(texts).unwrap_or_default(), encoding);
                if texts.1 {
                    let name = encoding.name();
                    let message = format!("bytes that are no {name} were read as U+FFFD: name the encoding");
                    reading.fault("malformed-bytes", Severity::Damage, || (place(0), message))?;
                }
                reading.emit(record(&line, &texts.0)?)?;
            }
            Err((byte, message)) => {
                let error = reading.error(place(byte), message);
                reading.leave_out("bad-game", error)?;
            }
        }
        reading.progress(range.0.min(bytes.len()))?;
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// The moves of a game, and how many of them are shown.
struct Line {
    moves: Vec<(Point, Side)>,
    shown: usize,
}

/// Reads the moves; an error has its byte within the game.
fn moves(game: &[u8]) -> Result<Line, (usize, String)> {
    let cut = || (game.len(), "the file ends inside a game".to_owned());
    let [_, _, shown, count, first, _] = game.get(..START).ok_or_else(cut)? else { return Err(cut()) };
    let bytes = game.get(START..START + MOVE * usize::from(*count)).ok_or_else(cut)?;
    let mut moves = Vec::new();
    for (at, pair) in bytes.chunks_exact(MOVE).enumerate() {
        let byte = START + MOVE * at;
        let (x, y) = (pair[0] >> 4, pair[0] & 15);
        let point = Point::new(x, y).filter(|_| x < 15 && y < 15);
        let point = point.ok_or_else(|| (byte, format!("column {x}, row {y} is not a point of a 15x15 board")))?;
        if !matches!(pair[1], 1 | 2) {
            return Err((byte + 1, format!("{} is no kind of stone: they are 1 and 2", pair[1])));
        }
        moves.push((point, if pair[1] == *first { Side::First } else { Side::Second }));
    }
    Ok(Line { moves, shown: usize::from(*shown) })
}

/// Where the texts of a game stand.
fn texts(game: &[u8]) -> Option<&[u8]> {
    game.get(START + MOVE * usize::from(*game.get(3)?)..)
}

/// The texts, and whether bytes of them are not in the encoding.
fn game_texts(bytes: &[u8], encoding: &'static Encoding) -> (Vec<String>, bool) {
    let mut bad = false;
    let text = |bytes: &[u8]| {
        let (text, malformed) = encoding.decode_without_bom_handling(bytes);
        bad |= malformed;
        plain(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned()
    };
    let texts = bytes.split(|byte| *byte == 0).take(TAGS.len()).map(text).collect();
    (texts, bad)
}

fn record(line: &Line, texts: &[String]) -> Result<Record, Error> {
    let mut builder = TreeBuilder::new();
    for (at, (point, side)) in line.moves.iter().enumerate() {
        builder.append(at + 1, *side, Play::Move(Move::Place(*point)))?;
        if at + 1 == line.shown && line.shown < line.moves.len() {
            builder.set_start();
        }
    }
    let mut played = Played::default();
    for (name, text) in TAGS.iter().zip(texts).filter(|(_, text)| !text.is_empty()) {
        match *name {
            "" if text.contains('\n') => builder.note(record::Note::Body(text))?,
            "" => builder.note(record::Note::Line(text))?,
            name => played.tag(name, text),
        }
    }
    Ok(Record { head: played.head, tree: builder.build() })
}

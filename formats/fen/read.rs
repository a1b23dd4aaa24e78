use crate::encoding::decode;
use crate::{Error, Guess, Place, Reading, Severity, Sure, guess};
use games::xiangqi::{Fen, FenOptions};
use games::{Game, Move, Side, Size, Step};
use record::{Head, Note, Play, Record, TreeBuilder, WRITTEN, plain};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let found = match reading.options.encoding {
        Some(encoding) => Guess { encoding, sure: Sure::Given },
        None => guess([body].into_iter()),
    };
    reading.encoding = Some(found);
    let mut at = bytes.len() - body.len();
    let mut number = 0;
    for (line, raw) in (1..).zip(body.split_inclusive(|byte| *byte == b'\n')) {
        let start = at;
        at += raw.len();
        let raw = raw.trim_ascii();
        if raw.is_empty() || raw.starts_with(b"#") {
            continue;
        }
        number += 1;
        let decoded = decode(raw, found.encoding, &mut None);
        let place = Place { record: Some(number), line: Some(line), ..Place::byte(start) };
        if !decoded.exact {
            reading.fault("bad-text", Severity::Damage, || {
                (place.clone(), format!("the line is not {} throughout: read as far as it is", found.encoding.name()))
            })?;
        }
        match position(&decoded.text, place, reading) {
            Ok(mut record) => {
                record.head.encoding = (!raw.is_ascii()).then_some(found.encoding.name());
                reading.emit(record)?;
            }
            Err(error) => reading.leave_out("bad-line", error)?,
        }
        if line % 1024 == 0 {
            reading.progress(at)?;
        }
    }
    if number == 0 {
        return Err(reading.error(Place::default(), "there is no position in it"));
    }
    reading.progress(bytes.len())?;
    reading.end()
}

/// A line: a FEN, or a name, a FEN and moves, divided by bars.
fn position(text: &str, place: Place, reading: &mut Reading<'_>) -> Result<Record, Error> {
    let mut fields = text.splitn(3, '|').map(str::trim);
    let first = fields.next().unwrap_or_default();
    let (name, fen, moves) = match fields.next() {
        None => ("", first, ""),
        Some(fen) => (first, fen, fields.next().unwrap_or_default()),
    };
    let read = Fen::read(fen, FenOptions { strict: reading.strict(), other_letters: true });
    let (position, remarks) =
        read.map_err(|remark| reading.error(place.clone(), format!("`{}` is no position ({remark})", short(fen))))?;
    for remark in remarks {
        reading.fault("odd-fen", Severity::Remark, || (place.clone(), format!("the FEN is unusual ({remark})")))?;
    }
    let mut head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
    if !name.is_empty() {
        head.tags.push(("Title".into(), plain(name).into_owned()));
    }
    if position != Fen::start() {
        head.tags.push(("FEN".into(), plain(fen).into_owned()));
    }
    let mut builder = TreeBuilder::new();
    let black = usize::from(position.board.to_move() == Side::Second);
    let words = moves.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    for (depth, word) in (1..).zip(words) {
        let step = Step::from_text(word);
        let play = step.map_or(Play::Nothing, |step| Play::Move(Move::Step(step)));
        builder.append(depth, Side::of_ply(depth + black), play)?;
        if step.is_none() {
            builder.note(Note::Property(WRITTEN, word))?;
        }
    }
    Ok(Record { head, tree: builder.build() })
}

/// Text of the file as it is shown in a message.
fn short(text: &str) -> String {
    text.chars().take(40).collect::<String>().escape_debug().to_string()
}

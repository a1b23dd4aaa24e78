use super::{CLOSING, FIELD, KEPT, KEYS, OPENINGS};
use crate::encoding::decode;
use crate::start::{self, Setup};
use crate::{Error, Guess, Place, Reading, Severity, Sure, comment, guess};
use games::xiangqi::Board;
use games::{Game, Move, Point, Size, Step};
use record::{Head, Note, Outcome, Play, Record, TreeBuilder, WRITTEN, plain};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let found = match reading.options.encoding {
        Some(encoding) => Guess { encoding, sure: Sure::Given },
        None => guess([body].into_iter()),
    };
    reading.encoding = Some(found);
    let text = decode(body, found.encoding, &mut None).text;
    if text.contains('\u{FFFD}') {
        reading.fault("bad-text", Severity::Damage, || {
            (Place::default(), format!("the file is not {} throughout: read as far as it is", found.encoding.name()))
        })?;
    }
    let encoding = (!body.is_ascii()).then_some(found.encoding.name());
    let mut games = games(&text);
    if games.is_empty() && text.contains(FIELD) {
        reading.fault("no-wrapper", Severity::Quirk, || {
            (Place::default(), "there is no [DhtmlXQ] around the fields: they are read as one game".into())
        })?;
        games.push(&text);
    }
    if games.is_empty() {
        return Err(reading.error(Place::default(), "there is no game in it: [DhtmlXQ] is missing"));
    }
    let mut seen = (0, 1);
    for (number, game) in (1..).zip(games) {
        let start = offset(&text, game);
        seen = (start, seen.1 + text[seen.0..start].matches('\n').count());
        let place = Place { record: Some(number), ..Place::line(seen.1) };
        let mut record = Fields { text: game, place, lines: Vec::new(), comments: Vec::new() }.read(reading)?;
        record.head.encoding = encoding;
        reading.emit(record)?;
        reading.progress(start)?;
    }
    reading.progress(bytes.len())
}

/// Where `part` begins in `whole`, of which it is a piece.
fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// The texts between the beginning of a game and its end, or the beginning of the next.
fn games(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> =
        OPENINGS.iter().flat_map(|word| text.match_indices(word).map(|(at, word)| at + word.len())).collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let whole = starts.iter().zip(ends).map(|(start, end)| &text[*start..end]);
    // A field that closes with [/DhtmlXQ_ is no end.
    whole
        .map(|game| {
            let end = ["[/DhtmlXQ]", "[/DhtmlXQHTML]"].iter().filter_map(|word| game.find(word)).min();
            &game[..end.unwrap_or(game.len())]
        })
        .collect()
}

/// The fields of a game while they are read.
struct Fields<'t> {
    text: &'t str,
    place: Place,
    lines: Vec<Line<'t>>,
    comments: Vec<((u32, usize), String)>,
}

/// A line of moves: its number, the line that it leaves and the ply that it replaces there.
struct Line<'t> {
    number: u32,
    from: u32,
    ply: usize,
    moves: &'t str,
}

/// A move of the tree: the text of one that is none, and what comes below.
struct Node {
    step: Result<Step, String>,
    below: Vec<usize>,
    comment: Option<String>,
}

/// A line in the tree: the node before its first move, the ply of that move, its nodes, and the line it leaves.
struct Laid {
    above: usize,
    ply: usize,
    nodes: std::ops::Range<usize>,
    from: Option<u32>,
}

impl<'t> Fields<'t> {
    fn read(mut self, reading: &mut Reading<'_>) -> Result<Record, Error> {
        let mut head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
        let mut board = Board::start();
        let mut rest = self.text;
        while let Some(at) = rest.find(FIELD) {
            rest = &rest[at + FIELD.len()..];
            let Some((key, after)) = rest.split_once(']') else { break };
            if !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') || key.is_empty() {
                continue;
            }
            let end = [CLOSING, FIELD].iter().filter_map(|word| after.find(word)).min();
            // Behind a field that nothing closes the page goes on.
            let end = end.or_else(|| after.find('<'));
            let value = &after[..end.unwrap_or(after.len())];
            rest = &after[value.len()..];
            let closes =
                rest.strip_prefix(CLOSING).and_then(|rest| rest.strip_prefix('_')).and_then(|r| r.split(']').next());
            if closes != Some(key) {
                self.fault(reading, "other-closing", Severity::Quirk, || {
                    let what =
                        closes.map_or("nothing closes it".into(), |other| format!("`{}` closes it", short(other)));
                    format!("the field `{}` is not closed by its name ({what}): it is read as far as there", short(key))
                })?;
            }
            self.field(&key.to_ascii_lowercase(), value, &mut head, &mut board, reading)?;
        }
        let nodes = self.tree(reading)?;
        self.build(nodes, head, Setup::new(board), reading)
    }

    fn fault(
        &self,
        reading: &mut Reading<'_>,
        kind: &'static str,
        severity: Severity,
        message: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        reading.fault(kind, severity, || (self.place.clone(), message()))
    }

    fn field(
        &mut self,
        key: &str,
        value: &'t str,
        head: &mut Head,
        board: &mut Board,
        reading: &mut Reading<'_>,
    ) -> Result<(), Error> {
        let numbers = |text: &str| text.split('_').map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>();
        match key {
            "movelist" => {
                self.lines.push(Line { number: 0, from: 0, ply: 1, moves: value });
                return Ok(());
            }
            "binit" => {
                if !value.trim().is_empty() {
                    *board = self.board(value, reading)?;
                }
                return Ok(());
            }
            "result" if !value.trim().is_empty() => {
                if let Some(result) = result(value.trim()) {
                    head.result = Some(result);
                    return Ok(());
                }
            }
            _ => {}
        }
        if let Some([from, ply, number]) = key.strip_prefix("move_").and_then(numbers).as_deref()
            && *ply > 0
            && *number > 0
        {
            self.lines.push(Line { number: *number, from: *from, ply: *ply as usize, moves: value });
            return Ok(());
        }
        if let Some(place) = key.strip_prefix("comment").and_then(numbers) {
            let place = match place[..] {
                [ply] => Some((0, ply as usize)),
                [line, ply] => Some((line, ply as usize)),
                _ => None,
            };
            if let Some(place) = place {
                if !value.is_empty() {
                    let text = self.unescape(value, reading)?;
                    self.comments.push((place, text));
                }
                return Ok(());
            }
        }
        let value = self.unescape(value.trim(), reading)?;
        if !value.is_empty() {
            let known = KEYS.iter().find(|(known, _)| *known == key);
            let tag = known.map_or_else(|| format!("{KEPT}{key}"), |(_, tag)| (*tag).to_owned());
            head.tags.push((tag, value));
        }
        Ok(())
    }

    fn board(&self, text: &str, reading: &mut Reading<'_>) -> Result<Board, Error> {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let mut board = Board::empty();
        let is_whole = digits.len() == 64 && digits.iter().all(u8::is_ascii_digit);
        if !is_whole {
            self.fault(reading, "bad-setup", Severity::Damage, || {
                "the position is not 64 digits: what can be read of it is put up".into()
            })?;
        }
        for (slot, pair) in digits.chunks_exact(2).take(32).enumerate() {
            let point = Point::new(pair[0].wrapping_sub(b'0'), pair[1].wrapping_sub(b'0'));
            let Some(point) = point.filter(|point| point.x() < 9 && point.y() < 10) else { continue };
            if board.piece(point).is_some() {
                self.fault(reading, "two-on-a-point", Severity::Damage, || {
                    "a piece stands where another one stands: left out".into()
                })?;
                continue;
            }
            board.put(point, Some(start::in_slot(slot)));
        }
        Ok(board)
    }

    /// A text with its line breaks and its characters by number.
    fn unescape(&self, text: &str, reading: &mut Reading<'_>) -> Result<String, Error> {
        let mut text = comment::lines(&text.replace("||", "\n").replace("<br>", "\n"));
        if text.contains("\\u") {
            let mut pieces = text.split("\\u");
            let mut found = pieces.next().unwrap_or_default().to_owned();
            for piece in pieces {
                let c = piece.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
                match c {
                    Some(c) => {
                        found.push(c);
                        found.push_str(&piece[4..]);
                    }
                    None => found.extend(["\\u", piece]),
                }
            }
            text = found;
        }
        match plain(&text) {
            Cow::Borrowed(_) => Ok(text),
            Cow::Owned(clean) => {
                self.fault(reading, "control-characters", Severity::Damage, || {
                    "a text has control characters: read as U+FFFD".into()
                })?;
                Ok(clean)
            }
        }
    }

    /// Lays the lines one on the other; the first node is the root.
    fn tree(&mut self, reading: &mut Reading<'_>) -> Result<Vec<Node>, Error> {
        let node = |step| Node { step, below: Vec::new(), comment: None };
        let mut nodes = vec![node(Err(String::new()))];
        let mut laid: BTreeMap<u32, Laid> = BTreeMap::new();
        let mut lines = std::mem::take(&mut self.lines);
        lines.sort_by_key(|line| line.number);
        for line in &lines {
            let is_main = line.number == 0;
            let above = if is_main { Some(0) } else { find(&laid, line.from, line.ply - 1) };
            let Some(above) = above.filter(|_| !laid.contains_key(&line.number)) else {
                self.fault(reading, "bad-branch", Severity::Damage, || {
                    let Line { number, from, ply, .. } = line;
                    format!(
                        "line {number} leaves line {from} at ply {ply}, which is not there, or comes again: left out"
                    )
                })?;
                continue;
            };
            let start = nodes.len();
            let signs: Vec<char> = line.moves.chars().filter(|c| !c.is_whitespace()).collect();
            for signs in signs.chunks(4) {
                let at = nodes.len();
                nodes.push(node(step(signs).ok_or_else(|| signs.iter().collect())));
                nodes[if at == start { above } else { at - 1 }].below.push(at);
            }
            let from = (!is_main).then_some(line.from);
            laid.insert(line.number, Laid { above, ply: line.ply, nodes: start..nodes.len(), from });
        }
        for ((line, ply), text) in std::mem::take(&mut self.comments) {
            let Some(at) = find(&laid, line, ply) else {
                self.fault(reading, "bad-comment", Severity::Damage, || {
                    format!("a comment on ply {ply} of line {line}, which is not there: `{}` is left out", short(&text))
                })?;
                continue;
            };
            match &mut nodes[at].comment {
                Some(before) => *before = format!("{before}\n{text}"),
                none => *none = Some(text),
            }
        }
        Ok(nodes)
    }

    fn build(
        &self,
        nodes: Vec<Node>,
        mut head: Head,
        mut setup: Setup,
        reading: &mut Reading<'_>,
    ) -> Result<Record, Error> {
        nodes[0]
            .below
            .iter()
            .filter_map(|at| nodes[*at].step.as_ref().ok())
            .for_each(|step| setup.first_move(step.from));
        start::set(&mut head, &setup.board);
        let mut builder = TreeBuilder::new();
        let mut stack = vec![(0, 0)];
        while let Some((at, depth)) = stack.pop() {
            let node = &nodes[at];
            if depth > 0 {
                let play = node.step.as_ref().map_or(Play::Nothing, |step| Play::Move(Move::Step(*step)));
                builder.append(depth, setup.side_of_ply(depth), play)?;
            }
            if let Err(text) = &node.step
                && depth > 0
            {
                builder.note(Note::Property(WRITTEN, text))?;
                let place = self.place.clone().after(builder.tree(), builder.last(), Size::XIANGQI);
                reading.fault("bad-move", Severity::Damage, || {
                    (place, format!("`{}` is no move: kept as it is written", short(text)))
                })?;
            }
            if let Some(text) = &node.comment {
                comment::push(&mut builder, text)?;
            }
            stack.extend(node.below.iter().rev().map(|below| (*below, depth + 1)));
        }
        Ok(Record { head, tree: builder.build() })
    }
}

/// How far a ply is looked for in the lines that a line comes from; real ones go back one or two.
const BACK: usize = 100;

/// The node of a ply of a line; before the line begins, that of the line it leaves.
fn find(laid: &BTreeMap<u32, Laid>, line: u32, ply: usize) -> Option<usize> {
    if ply == 0 {
        return Some(0);
    }
    let mut line = laid.get(&line)?;
    for _ in 0..BACK {
        if ply >= line.ply {
            return line.nodes.clone().nth(ply - line.ply);
        }
        if ply + 1 == line.ply {
            return Some(line.above);
        }
        line = laid.get(&line.from?)?;
    }
    None
}

/// A move as four digits: columns from the left and rows from the top.
fn step(signs: &[char]) -> Option<Step> {
    let digit = |at: usize| signs.get(at)?.to_digit(10).map(|digit| digit as u8);
    Step::new(Point::new(digit(0)?, digit(1)?)?, Point::new(digit(2)?, digit(3)?)?)
}

fn result(text: &str) -> Option<Outcome> {
    Some(match text {
        "红胜" | "紅勝" | "红方胜" | "W" | "1-0" => Outcome::First,
        "黑胜" | "黑勝" | "黑方胜" | "L" | "0-1" => Outcome::Second,
        "和棋" | "和局" | "D" | "1/2-1/2" => Outcome::Draw,
        "未知" | "*" => Outcome::Unknown,
        _ => return None,
    })
}

/// Text of the file as it is shown in a message.
fn short(text: &str) -> String {
    text.chars().take(24).collect::<String>().escape_debug().to_string()
}

use super::{NAME, SCALE, WIN, before, win_rate};
use crate::position::board_text;
use crate::{Blame, EntryWriter, Error, Losses, Out, WriteOptions, decimal};
use games::xiangqi::{Board, Kind, Piece};
use games::{Move, Point, Side, Step};
use record::{Bound, Entry, Judgement, Key, Label, Ratings, Tally};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn EntryWriter + 'a> {
    Box::new(AnswerWriter { out: Out::new(out), rows: Vec::new(), moves: Vec::new(), places: HashMap::new() })
}

struct AnswerWriter<'a> {
    out: Out<'a>,
    rows: Vec<Row>,
    /// The moves of rows by the places of these.
    moves: Vec<(u32, u16)>,
    /// Rows by the keys of their boards.
    places: HashMap<u128, u32>,
}

/// A position that waits for those its moves lead to.
struct Row {
    board: Packed,
    value: Option<i32>,
    /// Whether the value is said as that of a move.
    is_said: bool,
}

impl EntryWriter for AnswerWriter<'_> {
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error> {
        let board =
            key.pieces().ok_or_else(|| Error::new(Blame::Target, NAME, "this is text of positions of xiangqi"))?;
        lose(key, entry, losses);
        let value = entry.value().map(|judgement| {
            let value = judgement.value.clamp(-WIN, WIN);
            if value != judgement.value {
                losses.position("values beyond 30000 (30000 is written)", key);
            }
            value
        });
        if value.is_none() && entry.moves.is_empty() {
            return Ok(());
        }
        let new = u32::try_from(self.rows.len());
        let new = new.map_err(|_| Error::new(Blame::Us, NAME, "more than 4294967295 positions"))?;
        let place = *self.places.entry(board.key()).or_insert(new);
        if place == new {
            self.rows.push(Row { board: Packed::of(board), value: None, is_said: false });
        }
        let row = &mut self.rows[place as usize];
        if value.is_some() && row.value.is_some_and(|known| Some(known) != value) {
            losses.position("second values of a position (left out)", key);
        }
        row.value = row.value.or(value);
        for continuation in &entry.moves {
            match continuation.play {
                Move::Step(step) if board.is_legal(step) => self.moves.push((place, step.pack())),
                _ => losses.position("moves that are not legal (left out)", key),
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Losses) -> Result<(), Error> {
        self.moves.sort_unstable();
        let mut moves = &self.moves[..];
        for at in 0..self.rows.len() {
            let count = moves.iter().take_while(|(place, _)| *place as usize == at).count();
            let (known, rest) = moves.split_at(count);
            moves = rest;
            let board = self.rows[at].board.board();
            let scored = scored(&board, known, &mut self.rows, &self.places);
            if !scored.is_empty() {
                self.out.push(board_text(&board).as_bytes());
                push_moves(&scored, self.out.buffer());
                self.out.spill()?;
            }
        }
        for row in &self.rows {
            if let (Some(value), false) = (row.value, row.is_said) {
                let out = self.out.buffer();
                out.extend(board_text(&row.board.board()).bytes());
                out.extend(b"\teval:");
                decimal::push_signed(value.into(), out);
                out.push(b'\n');
                self.out.spill()?;
            }
        }
        Ok(self.out.flush()?)
    }
}

/// The moves that are known and those that lead to a value, the best first.
fn scored(
    board: &Board,
    known: &[(u32, u16)],
    rows: &mut [Row],
    places: &HashMap<u128, u32>,
) -> Vec<(Step, Option<i32>)> {
    let mut moves = Vec::new();
    for step in board.moves() {
        let mut next = board.clone();
        next.play_unchecked(step);
        let place = places.get(&next.key()).or_else(|| places.get(&next.mirror().key()));
        let score = place.and_then(|place| {
            let row = &mut rows[*place as usize];
            let score = row.value.and_then(before);
            row.is_said |= score.is_some();
            score
        });
        if score.is_some() || known.iter().any(|(_, known)| *known == step.pack()) {
            moves.push((step, score));
        }
    }
    moves.sort_by_key(|(_, score)| Reverse(*score));
    moves
}

fn push_moves(moves: &[(Step, Option<i32>)], out: &mut Vec<u8>) {
    for (at, (step, score)) in moves.iter().enumerate() {
        out.extend(if at == 0 { b"\tmove:" } else { b"|move:" });
        out.extend(step.to_string().bytes());
        if let Some(score) = score {
            out.extend(b",score:");
            decimal::push_signed((*score).into(), out);
            out.extend(format!(",winrate:{:.2}", win_rate(*score)).bytes());
        }
    }
    out.push(b'\n');
}

/// A board in 46 bytes: half a byte a point, and the side to move.
struct Packed([u8; 46]);

impl Packed {
    fn of(board: &Board) -> Packed {
        let mut bytes = [0; 46];
        for (point, piece) in board.pieces() {
            let at = usize::from(point.y()) * 9 + usize::from(point.x());
            let code = 1 + piece.kind as u8 + 7 * piece.side as u8;
            bytes[at / 2] |= code << (at % 2 * 4);
        }
        bytes[45] = board.to_move() as u8;
        Packed(bytes)
    }

    fn board(&self) -> Board {
        let mut board = Board::empty();
        for at in 0..90_u8 {
            let code = self.0[usize::from(at / 2)] >> (at % 2 * 4) & 15;
            if let (Some(code), Some(point)) = (code.checked_sub(1), Point::new(at % 9, at / 9)) {
                let side = if code < 7 { Side::First } else { Side::Second };
                board.put(point, Some(Piece { side, kind: Kind::ALL[usize::from(code % 7)] }));
            }
        }
        board.set_to_move(if self.0[45] == 0 { Side::First } else { Side::Second });
        board
    }
}

/// Tells what the text has no place for.
fn lose(key: &Key, entry: &Entry, losses: &mut Losses) {
    let mut lose = |what, lost: bool| {
        if lost {
            losses.position(what, key);
        }
    };
    let said = entry.value();
    let of_search = |lost: fn(&Judgement) -> bool| said.as_deref().is_some_and(lost);
    lose("statistics of games (left out)", entry.tally != Tally::default() || entry.last_year.is_some());
    lose("statistics of moves (left out)", entry.moves.iter().any(|each| each.tally != Tally::default()));
    lose("ratings (left out)", entry.ratings != Ratings::default());
    lose("references to games (left out)", !entry.games.is_empty());
    lose("labels (left out)", entry.label != Label::None);
    lose("depths of searches (left out)", of_search(|said| said.depth != 0));
    lose("numbers of nodes searched (left out)", of_search(|said| said.nodes.is_some()));
    lose("bounds of values (left out)", of_search(|said| !matches!(said.bound, Bound::Exact | Bound::None)));
    lose("scales of values (left out)", of_search(|said| said.scale != SCALE));
    lose("sources of values (left out)", of_search(|said| !said.source.is_empty() && said.source != NAME));
    lose(
        "best moves that the book does not follow (left out)",
        entry.rest.as_ref().is_some_and(|rest| rest.play.is_some()),
    );
    let sources = [
        entry.judgement.is_some(),
        entry.rest.as_ref().is_some_and(|rest| rest.judgement.is_some()),
        entry.backed.is_some(),
    ];
    lose("values beside the one to go by (left out)", sources.into_iter().filter(|is_there| *is_there).count() > 1);
    lose("comments (left out)", !entry.comments.is_empty());
    lose("board texts (left out)", !entry.texts.is_empty());
}

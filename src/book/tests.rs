use crate::samples::Random;
use crate::{Book, BuildOptions, Builder, Error, Frame, Frames, Writer, combine, merge};
use games::{Coords, Game, Move, Rule, Side, Size, Symmetry};
use record::{Comment, Continuation, Entry, Key, StoneKey, Tally};
use std::collections::BTreeMap;

pub type Positions = BTreeMap<Vec<u8>, Entry>;

pub fn random_positions(seed: u64, number: usize, symmetric: bool) -> Positions {
    let mut random = Random(seed);
    let mut frames = Frames::new(symmetric);
    let mut positions = Positions::new();
    for _ in 0..number {
        let position: Key = if random.below(4) == 0 {
            random.pieces().into()
        } else {
            let board = random.board([6, 15, 26][random.0 as usize % 3]);
            let rule = Rule::ALL[random.below(4) as usize];
            let to_move = [Side::First, Side::Second][random.below(2) as usize];
            StoneKey::new(&board, to_move, rule).into()
        };
        let frame = frames.of_key(&position);
        let key = frame.canonical(&position).key;
        let entry = random.entry_of(&key, frame);
        match positions.entry(key) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(entry);
            }
            std::collections::btree_map::Entry::Occupied(mut place) => combine(place.get_mut(), entry, frame),
        }
    }
    positions
}

pub fn write(positions: &Positions, symmetric: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, symmetric).unwrap();
    for (key, entry) in positions {
        writer.push(key.clone(), entry.clone()).unwrap();
    }
    let written = writer.finish("from\ta test\n").unwrap();
    assert_eq!(written.length, bytes.len() as u64);
    assert_eq!(written.positions, positions.len() as u64);
    bytes
}

#[test]
fn a_book_holds_what_was_written_and_nothing_else() {
    for (seed, number, symmetric) in [(1, 3000, true), (2, 1000, false), (3, 1, true), (4, 0, true)] {
        let positions = random_positions(seed, number, symmetric);
        let book = Book::open(write(&positions, symmetric)).unwrap();
        book.verify().unwrap();
        assert_eq!(book.provenance().unwrap(), "from\ta test\n");
        assert_eq!(book.is_symmetric(), symmetric);
        let all: Vec<_> = book.entries().collect::<Result<_, _>>().unwrap();
        assert!(all.iter().map(|(key, entry)| (key, entry)).eq(&positions));
        let mut boards: Vec<_> = positions.keys().map(|key| crate::board(key).unwrap()).collect();
        boards.dedup();
        assert_eq!(book.boards().unwrap(), boards);
        let mut frames = Frames::new(symmetric);
        for (key, entry) in &positions {
            let ground = crate::board(key).unwrap();
            assert_eq!(book.get(key, frames.of_board(ground)).unwrap().as_ref(), Some(entry));
        }
        for key in random_positions(seed + 100, 300, symmetric).keys() {
            let ground = crate::board(key).unwrap();
            assert_eq!(book.get(key, frames.of_board(ground)).unwrap().as_ref(), positions.get(key));
        }
    }
}

#[test]
fn positions_out_of_order_are_refused() {
    let positions = random_positions(5, 20, true);
    let mut writer = Writer::new(Vec::new(), true).unwrap();
    let (key, entry) = positions.last_key_value().unwrap();
    writer.push(key.clone(), entry.clone()).unwrap();
    assert!(matches!(writer.push(key.clone(), entry.clone()), Err(Error::Order)));
    let (key, entry) = positions.first_key_value().unwrap();
    assert!(matches!(writer.push(key.clone(), entry.clone()), Err(Error::Order)));
}

#[test]
fn positions_and_moves_that_no_look_up_finds_are_found_by_verify() {
    let size = Size::new(15, 15).unwrap();
    let apart = Frame::new(Game::Gomoku, size, false);
    let is_whole = |text: &str, play: &str, symmetric| {
        let points = text.split(' ').map(|point| Coords::A1.parse(point, size).unwrap());
        let stones: Vec<_> = points.zip([Side::First, Side::Second].into_iter().cycle()).collect();
        let to_move = [Side::First, Side::Second][stones.len() % 2];
        let key = apart.canonical_stones(&StoneKey { rule: Rule::Renju, size, to_move, stones }).key;
        let play = Move::Place(Coords::A1.parse(play, size).unwrap());
        let entry = Entry { moves: vec![Continuation { play, tally: Tally::default() }], ..Entry::default() };
        Book::open(write(&Positions::from([(key, entry)]), symmetric)).unwrap().verify().is_ok()
    };
    let images = ["h8 h9", "h8 g8", "h8 i8", "h8 h7"].into_iter().filter(|text| is_whole(text, "h1", true));
    assert!(images.eq(["h8 h9"]));
    // Left and right of the column are the same there.
    assert!(is_whole("h8 h9", "g8", true) && !is_whole("h8 h9", "i8", true));
    assert!(is_whole("h8 i8", "i9", false));
}

#[test]
fn of_more_texts_than_a_block_can_hold_the_same_stay_in_any_order() {
    let key = StoneKey { rule: Rule::Renju, size: Size::default(), to_move: Side::First, stones: Vec::new() };
    let comment = |at: usize, length: usize| Comment {
        text: format!("{at}{}", "x".repeat(length)),
        bytes: Vec::new(),
        written: Symmetry::Identity,
    };
    // 77 MB in all, the last of them alone more than a half of what stays.
    let comments: Vec<Comment> = (0..10).map(|at| comment(at, 6_000_000)).chain([comment(10, 17_000_000)]).collect();
    let book = |comments: &[Comment]| {
        let mut builder = Builder::new(BuildOptions::default());
        for comment in comments {
            builder
                .add_entry(&key.clone().into(), Entry { comments: vec![comment.clone()], ..Entry::default() })
                .unwrap();
        }
        let mut bytes = Vec::new();
        let written = builder.finish(&mut bytes, "").unwrap();
        (Book::open(bytes).unwrap(), written.texts_left_out)
    };
    let (whole, left_out) = book(&comments);
    assert_eq!(left_out, 6);
    whole.verify().unwrap();
    let (_, entry) = whole.entries().next().unwrap().unwrap();
    assert!(entry.comments.iter().eq(&comments[..5]));
    // Nothing is left out of any of the parts.
    let mut parts: Vec<_> = comments.chunks(4).rev().map(|part| book(part).0).collect();
    let written = merge(&parts, std::io::sink(), "").unwrap();
    assert_eq!((written.content, written.texts_left_out), (whole.content_hash(), 6));
    let mut bytes = Vec::new();
    assert_eq!(merge(&parts[1..], &mut bytes, "").unwrap().texts_left_out, 3);
    parts.truncate(1);
    parts.push(Book::open(bytes).unwrap());
    assert_eq!(merge(&parts, std::io::sink(), "").unwrap().content, whole.content_hash());
}

#[test]
fn every_flipped_bit_is_found_and_no_answer_is_wrong() {
    let mut positions = random_positions(6, 400, true);
    // Frames of many boards take their time.
    let ground = crate::board(positions.keys().next().unwrap()).unwrap();
    positions.retain(|key, _| crate::board(key).unwrap().1 == ground.1);
    let positions: Positions = positions.into_iter().take(24).collect();
    assert!(positions.len() > 10);
    let bytes = write(&positions, true);
    let mut frames = Frames::new(true);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(book) = Book::open(flipped) else { continue };
        assert!(book.verify().is_err(), "bit {bit}");
        for (key, entry) in positions.iter().skip(bit % 7).step_by(7) {
            let ground = crate::board(key).unwrap();
            if let Ok(answer) = book.get(key, frames.of_board(ground)) {
                assert_eq!(answer.as_ref(), Some(entry), "bit {bit}");
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_found_where_boards_and_texts_are_several() {
    let mut random = Random(16);
    let mut positions = Positions::new();
    for (rule, width, height) in [(Rule::Freestyle, 20, 20), (Rule::Renju, 15, 15), (Rule::Caro, 9, 6)] {
        let size = Size::new(width, height).unwrap();
        let frame = Frames::new(true).of(Game::Gomoku, size).clone();
        while positions.keys().filter(|key| key[0] == rule as u8).count() < 2 {
            let stones = vec![(random.point(size), Side::First)];
            let key = frame.canonical_stones(&StoneKey { rule, size, to_move: Side::Second, stones }).key;
            let entry = random.entry_of(&key, &frame);
            if !entry.comments.is_empty() && !entry.moves.is_empty() {
                positions.insert(key, entry);
            }
        }
    }
    let bytes = write(&positions, true);
    Book::open(&bytes).unwrap().verify().unwrap();
    let mut frames = Frames::new(true);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(book) = Book::open(flipped) else { continue };
        assert!(book.verify().is_err(), "bit {bit}");
        for (key, entry) in &positions {
            let ground = crate::board(key).unwrap();
            if let Ok(answer) = book.get(key, frames.of_board(ground)) {
                assert_eq!(answer.as_ref(), Some(entry), "bit {bit}");
            }
        }
    }
}

#[test]
fn cut_longer_and_random_files_are_refused() {
    let bytes = write(&random_positions(7, 300, true), true);
    for length in 0..bytes.len() {
        assert!(Book::open(&bytes[..length]).is_err(), "{length}");
    }
    for more in 1..300 {
        assert!(Book::open([&bytes[..], &bytes[..more]].concat()).is_err());
        assert!(Book::open([&bytes[..], &vec![0; more]].concat()).is_err());
    }
    assert!(Book::open([&bytes[..], &bytes].concat()).is_err());
    let mut random = Random(8);
    for _ in 0..300 {
        let noise: Vec<u8> = (0..random.below(600)).map(|_| random.below(256) as u8).collect();
        assert!(Book::open(&noise).is_err());
        assert!(Book::open([&bytes[..16], &noise].concat()).is_err());
    }
}

#[test]
fn blocks_that_change_places_give_no_wrong_answer() {
    let positions = random_positions(9, 3000, true);
    let bytes = write(&positions, true);
    let index = u64::from_le_bytes(bytes[bytes.len() - 112..][..8].try_into().unwrap()) as usize;
    let mut frames = Frames::new(true);
    // Each row of the index in turn points to the block of the first.
    let blocks = u64::from_le_bytes(bytes[bytes.len() - 120..][..8].try_into().unwrap()) as usize;
    for row in (1..blocks).step_by(blocks / 10) {
        let mut led_astray = bytes.clone();
        led_astray.copy_within(index..index + 8, index + 16 * row);
        let book = Book::open(led_astray).unwrap();
        assert!(book.verify().is_err());
        for (key, entry) in positions.iter().step_by(97) {
            let ground = crate::board(key).unwrap();
            if let Ok(answer) = book.get(key, frames.of_board(ground)) {
                assert_eq!(answer.as_ref(), Some(entry));
            }
        }
    }
}

#[test]
fn boards_of_other_sizes_and_rules_do_not_mix() {
    let mut frames = Frames::new(true);
    let key = |side, rule| {
        let size = Size::square(side).unwrap();
        Frames::new(true)
            .of(Game::Gomoku, size)
            .canonical_stones(&StoneKey { rule, size, to_move: Side::First, stones: Vec::new() })
            .key
    };
    let mut positions = Positions::new();
    let keys = [key(15, Rule::Renju), key(15, Rule::Freestyle), key(20, Rule::Freestyle)];
    for (games, key) in keys.iter().enumerate() {
        let mut entry = Entry::default();
        entry.tally.games = games as u64;
        positions.insert(key.clone(), entry);
    }
    let book = Book::open(write(&positions, true)).unwrap();
    for (games, key) in keys.iter().enumerate() {
        let ground = crate::board(key).unwrap();
        assert_eq!(book.get(key, frames.of_board(ground)).unwrap().unwrap().tally.games, games as u64);
    }
    let (absent, size) = (key(19, Rule::Freestyle), Size::square(19).unwrap());
    assert_eq!(book.get(&absent, frames.of(Game::Gomoku, size)).unwrap(), None);
}

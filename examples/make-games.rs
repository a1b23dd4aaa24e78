//! Writes SGF games to measure with: `cargo run --release --example make-games -- 1000000 games.sgf`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [games, path] = &arguments[..] else { return Err("say how many games, and where to write them".into()) };
    let mut out = BufWriter::new(File::create(path)?);
    for number in 0..games.parse()? {
        out.write_all(game(number).as_bytes())?;
    }
    Ok(out.flush()?)
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// An SGF game with a number for its name: 24 to 60 plies, the openings of a few and the rest of nobody else.
///
/// Stones stand near those before them, so that most positions after some plies are new and those of openings are not.
fn game(number: u64) -> String {
    // Games of neighbouring numbers have nothing in common.
    let mut random = Random((number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..3 {
        random.below(2);
    }
    let result = ["B+", "B+", "W+", "Draw"][random.below(4) as usize];
    let mut sgf = format!("(;GM[4]FF[4]SZ[15]RU[renju]GN[{number}]DT[2024-05-01]RE[{result}]");
    let mut taken = [[false; 15]; 15];
    let mut last = (7, 7);
    for ply in 0..24 + random.below(37) {
        // Each choice is half as likely as the one before it; opening moves have fewer.
        let mut choice = (random.below(1 << 12) | 1 << 12).trailing_zeros() as usize;
        if ply > 8 {
            choice += random.below(4) as usize;
        }
        let spiral = (1..30).flat_map(|away: i32| {
            (-away..=away)
                .flat_map(move |x| (-away..=away).map(move |y| (x, y)))
                .filter(move |(x, y)| x.abs().max(y.abs()) == away)
        });
        let on_board =
            spiral.map(|(x, y)| (last.0 + x, last.1 + y)).filter(|(x, y)| (0..15).contains(x) && (0..15).contains(y));
        let mut free = on_board.filter(|(x, y)| !taken[*x as usize][*y as usize]);
        let next = if ply == 0 { Some((7, 7)) } else { free.nth(choice) };
        let Some((x, y)) = next else { break };
        taken[x as usize][y as usize] = true;
        let letter = |at: i32| char::from(b'a' + at as u8);
        sgf += [";B[", ";W["][(ply % 2) as usize];
        sgf.push(letter(x));
        sgf.push(letter(y));
        sgf.push(']');
        last = (x, y);
    }
    sgf += ")\n";
    sgf
}

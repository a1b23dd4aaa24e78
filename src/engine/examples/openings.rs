use engine::*;
use games::gomoku::{self, Three};
use games::{Coords, Point, Rule, Side, Size};
use std::sync::atomic::AtomicBool;
struct R(u64);
impl R {
    fn b(&mut self, l: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % l
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rule: Rule = a[1].parse().unwrap();
    let n: usize = a[2].parse().unwrap();
    let mut r = R(a[3].parse().unwrap());
    let size = Size::square(15).unwrap();
    let mut e = Engine::new(16 << 20, 1);
    let mut k = 0;
    while k < n {
        let mut board = Board::new(&gomoku::Board::new(size), rule, Three::Rif).unwrap();
        let mut side = Side::First;
        let c = 3 + r.b(4);
        let mut t = String::new();
        for _ in 0..c {
            loop {
                let p = Point::new(5 + r.b(5) as u8, 5 + r.b(5) as u8).unwrap();
                if board.stones().is_empty(p) && !board.is_forbidden(p, side) {
                    board.put(p, side);
                    t += &Coords::A1.text(p, size);
                    t += " ";
                    break;
                }
            }
            side = side.other();
        }
        e.forget();
        let req = Request { limits: Limits { nodes: Some(50000), ..Default::default() }, ..Default::default() };
        let rep = e.search(&board, side, &req, &AtomicBool::new(false), &mut |_| {});
        if rep.lines[0].value.get().abs() < 120 {
            println!("{}", t.trim());
            k += 1;
        }
    }
}

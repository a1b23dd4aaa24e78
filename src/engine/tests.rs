use crate::samples::{Puzzle, Random};
use crate::{Answer, Board, Flaw, Kind, Line, Proof, Scope, Vcf, VcfOptions, verify};
use games::gomoku::{self, Direction, Made, Three, forbidden_slow, made};
use games::{Coords, Point, Rule, Side, Size};

/// The sides of a point in one direction, as signs: `x` the side asked about, `o` the other, `.` empty.
///
/// Long enough that its ends are the edges of the board; `*` is the point.
fn signs(stones: &gomoku::Board, point: Point, direction: Direction, side: Side) -> (Vec<char>, usize) {
    let along = |sign: i8| {
        let cells = (1..30).map_while(move |steps| direction.step(point, sign * steps));
        cells.take_while(|cell| stones.size().contains(*cell))
    };
    let sign = |cell: Point| match stones.stone(cell) {
        None => '.',
        Some(of) if of == side => 'x',
        Some(_) => 'o',
    };
    let mut line: Vec<char> = along(-1).map(sign).collect();
    line.reverse();
    let at = line.len();
    line.push('x');
    line.extend(along(1).map(sign));
    (line, at)
}

/// What a row of `x` through a cell is worth: whether it wins, and how long it is.
fn row(line: &[char], at: usize, rule: Rule, side: Side) -> (bool, usize) {
    let first = (0..=at).rev().take_while(|cell| line[*cell] == 'x').last().unwrap();
    let end = (at..line.len()).find(|cell| line[*cell] != 'x').unwrap_or(line.len());
    let is_other = |cell: Option<&char>| cell == Some(&'o');
    let is_shut = first > 0 && is_other(line.get(first - 1)) && is_other(line.get(end));
    let length = end - first;
    let wins = match (rule, side) {
        (Rule::Freestyle, _) | (Rule::Renju, Side::Second) => length >= 5,
        (Rule::Standard, _) | (Rule::Renju, Side::First) => length == 5,
        (Rule::Caro, _) => length == 5 && !is_shut,
    };
    (wins, length)
}

/// The cells that make the row through `at` win, with one stone more.
fn fives(line: &[char], at: usize, rule: Rule, side: Side) -> Vec<usize> {
    let wins = |cell: &usize| {
        let mut line = line.to_vec();
        line[*cell] = 'x';
        let first = (0..=at).rev().take_while(|cell| line[*cell] == 'x').last().unwrap();
        let holds = (first..line.len()).take_while(|cell| line[*cell] == 'x').any(|own| own == *cell);
        holds && row(&line, at, rule, side).0
    };
    (0..line.len()).filter(|cell| line[*cell] == '.').filter(wins).collect()
}

/// A line in the words of the rules.
fn slow_line(line: &[char], at: usize, rule: Rule, side: Side) -> Line {
    let judge = |line: &[char]| {
        let (wins, length) = row(line, at, rule, side);
        match fives(line, at, rule, side)[..] {
            _ if wins => Line::Five,
            _ if length > 5 => Line::Overline,
            _ if length == 5 => Line::Nothing,
            [] => Line::Nothing,
            [_] => Line::Four,
            [a, b] if length == 4 && b - a == 5 => Line::OpenFour,
            _ => Line::DoubleFour,
        }
    };
    let now = judge(line);
    if now != Line::Nothing {
        return now;
    }
    let empty = (0..line.len()).filter(|cell| line[*cell] == '.');
    let next: Vec<Line> = empty
        .map(|cell| {
            let mut line = line.to_vec();
            line[cell] = 'x';
            judge(&line)
        })
        .collect();
    if next.contains(&Line::OpenFour) {
        Line::OpenThree
    } else if next.contains(&Line::Four) || next.contains(&Line::DoubleFour) {
        Line::Three
    } else {
        Line::Nothing
    }
}

fn check(board: &Board) {
    let rule = board.rule();
    for point in board.stones().size().points() {
        for side in [Side::First, Side::Second] {
            if !board.stones().is_empty(point) {
                assert_eq!(board.kind(point, side), Kind::NONE);
                assert!(!board.fives(side).contains(point) && !board.fours(side).contains(point));
                continue;
            }
            let place = || format!("{} for {side:?}\n{board:?}", Coords::A1.text(point, board.stones().size()));
            let wins = made(board.stones(), point, side, rule) == Made::Five;
            assert_eq!(board.fives(side).contains(point), wins, "{}", place());
            assert_eq!(board.kind(point, side).has(Kind::FIVE), wins, "{}", place());
            let lines = Direction::ALL.map(|direction| {
                let (line, at) = signs(board.stones(), point, direction, side);
                let fast = board.line(point, direction, side);
                let fast = match fast {
                    Line::NarrowThree => Line::OpenThree,
                    less if less < Line::Three => Line::Nothing,
                    line => line,
                };
                assert_eq!(fast, slow_line(&line, at, rule, side), "{direction:?} {}", place());
                fast
            });
            let is_four = |line: &Line| matches!(line, Line::Four | Line::OpenFour | Line::DoubleFour);
            let is_forbidden = rule == Rule::Renju
                && side == Side::First
                && !forbidden_slow::kinds(board.stones(), point, board.three()).is_empty();
            assert_eq!(board.is_forbidden(point, side), is_forbidden, "{}", place());
            if !wins && !is_forbidden {
                assert_eq!(board.fours(side).contains(point), lines.iter().any(is_four), "{}", place());
                if !board.fives(side).is_empty() {
                    continue;
                }
                let mut stones = *board.stones();
                stones.play_unchecked(point, side);
                let wins = |near: &Point| made(&stones, *near, side, rule) == Made::Five;
                let fives: Vec<Point> = stones.empty_points().filter(wins).collect();
                let aim = if let [only] = fives[..] { Some(only) } else { None };
                assert_eq!(board.aim(point, side), aim, "{}", place());
            }
        }
    }
}

/// A board of random stones on which nobody has won, and the stones in the order they were put.
pub(crate) fn random_board(random: &mut Random, rule: Rule, largest: u64) -> (Board, Vec<(Point, Side)>) {
    let size = random.size(largest);
    let three = if random.below(2) == 0 { Three::Rif } else { Three::Strict };
    let mut board = Board::without_stones(size, rule, three).unwrap();
    let mut played = Vec::new();
    // Many black stones near together make the fouls that few games have.
    let (black, share) = (40 + random.below(40), 20 + random.below(60));
    let points: Vec<Point> = size.points().collect();
    for _ in 0..points.len() as u64 * share / 100 {
        let point = points[random.below(points.len() as u64) as usize];
        let side = if random.below(100) < black { Side::First } else { Side::Second };
        if board.stones().is_empty(point) && !board.kind(point, side).has(Kind::FIVE) {
            board.put(point, side);
            played.push((point, side));
        }
    }
    (board, played)
}

#[test]
fn boards_know_what_the_slow_rules_say() {
    let mut random = Random(11);
    for rule in Rule::ALL {
        for round in 0..60 {
            let (board, _) = random_board(&mut random, rule, if round % 4 == 0 { 22 } else { 12 });
            check(&board);
        }
    }
}

#[test]
fn stones_that_come_and_go_leave_nothing_behind() {
    let mut random = Random(5);
    for rule in Rule::ALL {
        for _ in 0..30 {
            let (mut board, mut played) = random_board(&mut random, rule, 22);
            while !played.is_empty() {
                // In any order, not only backwards.
                let at = random.below(played.len() as u64) as usize;
                let (point, side) = played.swap_remove(at);
                board.take(point, side);
                let mut fresh = Board::without_stones(board.stones().size(), rule, board.three()).unwrap();
                played.iter().for_each(|(point, side)| fresh.put(*point, *side));
                assert!(board == fresh, "{board:?}");
            }
        }
    }
}

#[test]
fn sums_are_those_of_all_empty_points_whenever_they_are_asked_for() {
    let mut random = Random(23);
    for rule in Rule::ALL {
        for _ in 0..20 {
            let (mut board, mut played) = random_board(&mut random, rule, 22);
            let points: Vec<Point> = board.stones().size().points().collect();
            for _ in 0..200 {
                let point = points[random.below(points.len() as u64) as usize];
                match random.below(8) {
                    0..4 if board.stones().is_empty(point) => {
                        let side = if random.below(2) == 0 { Side::First } else { Side::Second };
                        if !board.kind(point, side).has(Kind::FIVE) {
                            board.put(point, side);
                            played.push((point, side));
                        }
                    }
                    4..7 => {
                        if let Some((point, side)) = played.pop() {
                            board.take(point, side);
                        }
                    }
                    7 if !played.is_empty() && random.below(8) == 0 => {
                        let (point, side) = played.swap_remove(random.below(played.len() as u64) as usize);
                        board.take(point, side);
                    }
                    _ => {
                        let afresh = board.sums_afresh();
                        assert_eq!(*board.sums(), afresh);
                        let mut fresh = Board::without_stones(board.stones().size(), rule, board.three()).unwrap();
                        played.iter().for_each(|(point, side)| fresh.put(*point, *side));
                        for side in [Side::First, Side::Second] {
                            assert_eq!(board.value(side), fresh.value(side));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn boards_that_do_not_fit_are_refused() {
    let fits = |width, height| {
        let size = Size::new(width, height).unwrap();
        Board::new(&gomoku::Board::new(size), Rule::Freestyle, Three::Rif).is_ok()
    };
    assert!(fits(5, 5) && fits(22, 22) && fits(5, 22) && fits(22, 6));
    assert!(!fits(4, 15) && !fits(15, 23) && !fits(26, 26));
    let over: gomoku::Board = "x x x x x .\n. . . . . .\n. . . . . .\n. . . . . .\n. . . . . .".parse().unwrap();
    let error = Board::new(&over, Rule::Renju, Three::Rif).unwrap_err();
    assert_eq!(error.to_string(), "the game is over: a5 stands in a row that wins");
}

/// Solves a puzzle in both ways, checks the answers, and gives the nodes of both.
fn solve(puzzle: &Puzzle, solver: &mut Vcf) -> [u64; 2] {
    let id = &puzzle.id;
    let mut board = Board::new(&puzzle.stones, puzzle.rule, Three::Rif).unwrap();
    let before = board.clone();
    [false, true].map(|shortest| {
        let answer = solver.solve(&mut board, puzzle.side, &VcfOptions { shortest, ..VcfOptions::default() });
        assert!(board == before, "{id}");
        match answer {
            Answer::Proven(proof) => {
                assert_ne!(puzzle.is_win, Some(false), "{id}");
                assert_eq!(verify(&puzzle.stones, puzzle.rule, Three::Rif, &proof), Ok(()), "{id}");
                if let Some(fours) = puzzle.fours {
                    assert!(proof.fours() >= fours, "{id}: {} fours", proof.fours());
                    assert!(!shortest || proof.fours() == fours, "{id}: {} fours", proof.fours());
                }
            }
            Answer::Disproven(_) => assert_ne!(puzzle.is_win, Some(true), "{id}"),
            Answer::Aborted(_) => panic!("{id}: there is no limit"),
        }
        solver.nodes()
    })
}

/// Solves all, and gives the nodes for any win and for the shortest.
fn solve_all(puzzles: &[Puzzle], name: &str) -> [u64; 2] {
    let mut solver = Vcf::new(1 << 20);
    let mut nodes = [0; 2];
    for puzzle in puzzles {
        let [any, shortest] = solve(puzzle, &mut solver);
        nodes[0] += any;
        nodes[1] += shortest;
    }
    println!("{name}: {} puzzles, {} nodes for any, {} for the shortest", puzzles.len(), nodes[0], nodes[1]);
    nodes
}

/// The nodes are the same on every machine and in every build; a change of the search may change them.
#[test]
fn puzzles_are_solved_in_so_many_nodes() {
    assert_eq!(solve_all(&Puzzle::own(), "puzzles"), [13_493, 58_135]);
}

/// A small table forgets what it knew, a small budget ends the search; neither makes another answer of it.
#[test]
fn small_tables_and_budgets_change_no_answer() {
    let (mut small, mut large) = (Vcf::new(0), Vcf::new(1 << 20));
    for puzzle in Puzzle::own() {
        let mut board = Board::new(&puzzle.stones, puzzle.rule, Three::Rif).unwrap();
        let mut ask = |solver: &mut Vcf, max_nodes| {
            let answer = solver.solve(&mut board, puzzle.side, &VcfOptions { max_nodes, ..VcfOptions::default() });
            (matches!(answer, Answer::Proven(_)), matches!(answer, Answer::Aborted(_)), solver.nodes())
        };
        let (wins, _, nodes) = ask(&mut large, u64::MAX);
        assert_eq!(ask(&mut large, nodes), (wins, false, nodes), "{}", puzzle.id);
        assert_eq!(ask(&mut large, nodes - 1), (false, true, nodes - 1), "{}", puzzle.id);
        let (again, aborted, _) = ask(&mut small, 100 * nodes);
        assert!(aborted || again == wins, "{}", puzzle.id);
    }
}

/// Positions in which a published solver saw a win by fours and threes that a broken four of the other side stops.
#[test]
fn refuted_attacks_of_the_samples_are_no_wins() {
    let mut refuted = 0;
    let puzzles = Puzzle::shared("core.jsonl");
    for puzzle in &puzzles {
        let Some([attack, refutation]) = puzzle.refuted else { continue };
        let mut stones = puzzle.stones;
        stones.play(attack, puzzle.side).unwrap();
        stones.play(refutation, puzzle.side.other()).unwrap();
        let mut board = Board::new(&stones, puzzle.rule, Three::Rif).unwrap();
        let answer = Vcf::new(1 << 16).solve(&mut board, puzzle.side, &VcfOptions::default());
        assert_eq!(answer, Answer::Disproven(Scope::Fours), "{}", puzzle.id);
        refuted += 1;
    }
    assert!(puzzles.is_empty() || refuted == 3);
}

#[test]
fn puzzles_of_the_samples_are_solved() {
    for name in ["mined_free15.jsonl", "mined_std15.jsonl", "mined_renju15.jsonl", "core.jsonl"] {
        solve_all(&Puzzle::shared(name), name);
    }
}

#[test]
fn proofs_that_leave_something_out_are_refused() {
    let mut solver = Vcf::new(1 << 16);
    let mut refused = 0;
    for puzzle in Puzzle::own().iter().filter(|puzzle| puzzle.is_win == Some(true)) {
        let mut board = Board::new(&puzzle.stones, puzzle.rule, Three::Rif).unwrap();
        let Answer::Proven(proof) = solver.solve(&mut board, puzzle.side, &VcfOptions::default()) else { panic!() };
        let verify = |proof: &Proof| verify(&puzzle.stones, puzzle.rule, Three::Rif, proof);
        for at in 0..proof.steps.len() {
            let replies = &proof.steps[at].replies;
            let mut unanswered = proof.clone();
            unanswered.steps[at].replies.clear();
            match (replies.first(), verify(&unanswered)) {
                (Some((reply, _)), said) => assert_eq!(said, Err(Flaw::Unanswered(*reply, puzzle.stones.size()))),
                (None, said) => assert_eq!(said, Ok(())),
            }
            for other in
                puzzle.stones.stones().map(|(point, _)| point).take(3).chain(puzzle.stones.empty_points().take(3))
            {
                let mut moved = proof.clone();
                moved.steps[at].attack = other;
                assert!(verify(&moved).is_err(), "{}: {other:?}", puzzle.id);
                refused += 1;
            }
        }
    }
    assert!(refused > 500);
}

#[test]
fn forbidden_points_win_for_white_and_not_for_black() {
    // White's four at b3 leaves Black the answer b4, which is an overline.
    let stones: gomoku::Board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . x . . . . . . . . .
        . o . . . . . . . . .
        . o . . . . . . . . .
        . o . . . . . . . . .
        x . x x x x o . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . ."
        .parse()
        .unwrap();
    let ask = |rule, side| {
        let mut board = Board::new(&stones, rule, Three::Rif).unwrap();
        match Vcf::new(1 << 10).solve(&mut board, side, &VcfOptions { shortest: true, ..VcfOptions::default() }) {
            Answer::Proven(proof) => {
                assert_eq!(verify(&stones, rule, Three::Rif, &proof), Ok(()));
                Some(proof.line().iter().map(|point| Coords::A1.text(*point, stones.size())).collect::<String>())
            }
            Answer::Disproven(_) => None,
            Answer::Aborted(_) => panic!("there is no limit"),
        }
    };
    assert_eq!(ask(Rule::Renju, Side::Second).as_deref(), Some("b3"));
    assert_eq!(ask(Rule::Renju, Side::First), None);
    assert_eq!(ask(Rule::Standard, Side::Second), None);
    assert_eq!(ask(Rule::Freestyle, Side::First).as_deref(), Some("b4"));
    assert_eq!(ask(Rule::Freestyle, Side::Second), None);
}

#[test]
fn in_caro_a_four_at_the_end_of_a_row_stops_a_five() {
    // Black would win at d3; White's four at d7 encloses that five, and leaves no defence.
    let stones: gomoku::Board = "
        . x o o . o .
        . . o . o o .
        x . o x x x x
        . x o x o . x
        . . . x x x .
        . . o . . o .
        . . . x . o o
        . . . o o o ."
        .parse()
        .unwrap();
    let mut board = Board::new(&stones, Rule::Caro, Three::Rif).unwrap();
    let options = VcfOptions { shortest: true, ..VcfOptions::default() };
    let Answer::Proven(proof) = Vcf::new(1 << 10).solve(&mut board, Side::Second, &options) else { panic!() };
    assert_eq!(verify(&stones, Rule::Caro, Three::Rif, &proof), Ok(()));
    assert_eq!(proof.line(), [Coords::A1.parse("d7", stones.size()).unwrap()]);
}

#[test]
fn a_reply_may_free_a_point_that_was_forbidden() {
    let stones: gomoku::Board = "
        o o . . x x
        . . . x o .
        x o . . x x
        . . x o x .
        . o x x . x
        x . . . x .
        . . x . . x
        o . . . o ."
        .parse()
        .unwrap();
    for three in Three::ALL {
        let mut board = Board::new(&stones, Rule::Renju, three).unwrap();
        let options = VcfOptions { shortest: true, ..VcfOptions::default() };
        let Answer::Proven(proof) = Vcf::new(1 << 10).solve(&mut board, Side::First, &options) else { panic!() };
        assert_eq!(verify(&stones, Rule::Renju, three, &proof), Ok(()));
        assert_eq!(Some(proof.fours()), slow_vcf(&mut stones.clone(), Rule::Renju, three, Side::First, 4), "{three}");
    }
}

/// The least number of fours that wins, at most `limit`, by trying every move with the slow rules.
pub(crate) fn slow_vcf(
    stones: &mut gomoku::Board,
    rule: Rule,
    three: Three,
    attacker: Side,
    limit: u32,
) -> Option<u32> {
    let fives = |stones: &gomoku::Board, side| -> Vec<Point> {
        stones.empty_points().filter(|point| made(stones, *point, side, rule) == Made::Five).collect()
    };
    let is_forbidden = |stones: &gomoku::Board, point, side| {
        rule == Rule::Renju && side == Side::First && !forbidden_slow::kinds(stones, point, three).is_empty()
    };
    if !fives(stones, attacker).is_empty() {
        return Some(0);
    }
    let defender = attacker.other();
    let mut least = None;
    for attack in stones.empty_points().collect::<Vec<_>>() {
        let limit = least.map_or(limit, |least: u32| least - 1);
        if limit == 0 || is_forbidden(stones, attack, attacker) {
            continue;
        }
        stones.play_unchecked(attack, attacker);
        if !fives(stones, attacker).is_empty() && fives(stones, defender).is_empty() {
            let mut most = Some(0);
            for reply in stones.empty_points().collect::<Vec<_>>() {
                if most.is_none() || is_forbidden(stones, reply, defender) {
                    continue;
                }
                stones.play_unchecked(reply, defender);
                let after = slow_vcf(stones, rule, three, attacker, limit - 1);
                most = most.zip(after).map(|(most, after)| most.max(after));
                stones.undo_unchecked(reply, defender);
            }
            least = most.map(|most| most + 1).or(least);
        }
        stones.undo_unchecked(attack, attacker);
    }
    least
}

#[test]
fn answers_are_those_of_a_search_that_tries_everything() {
    const LIMIT: u32 = 4;
    let mut random = Random(3);
    let mut solver = Vcf::new(1 << 12);
    let mut wins = [0; 4];
    for rule in Rule::ALL {
        for _ in 0..1500 {
            let (mut board, _) = random_board(&mut random, rule, 8);
            for side in [Side::First, Side::Second] {
                let mut stones = *board.stones();
                let slow = slow_vcf(&mut stones, rule, board.three(), side, LIMIT);
                let options = VcfOptions { shortest: true, ..VcfOptions::default() };
                let fast = match solver.solve(&mut board, side, &options) {
                    Answer::Proven(proof) => {
                        assert_eq!(verify(&stones, rule, board.three(), &proof), Ok(()), "{board:?}");
                        Some(proof.fours()).filter(|fours| *fours <= LIMIT)
                    }
                    Answer::Disproven(_) => None,
                    Answer::Aborted(_) => panic!("there is no limit"),
                };
                assert_eq!(fast, slow, "{side:?} in {board:?}");
                wins[rule as usize] += u32::from(fast.is_some_and(|fours| fours > 0));
            }
        }
    }
    assert!(wins.iter().all(|wins| *wins > 20), "{wins:?}");
}

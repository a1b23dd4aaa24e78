use super::table::Table;
use super::{Ends, Worker};
use crate::samples::Random;
use crate::{Board, Engine, Goal, Kind, Limits, Moves, Proof, Report, Request, Step, Time, Value, verify};
use games::gomoku::{self, Made, Three, forbidden_slow, made};
use games::{Coords, Point, Rule, Side, Size};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A board of rows of `.`, `x` (the first player) and `o`, from the top, and the side to move.
fn board(rows: &str, rule: Rule) -> (Board, Side) {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let size = Size::new(rows[0].len() as u8, rows.len() as u8).unwrap();
    let stones =
        size.points().filter_map(|point| match rows[usize::from(point.y())].as_bytes()[usize::from(point.x())] {
            b'x' => Some((point, Side::First)),
            b'o' => Some((point, Side::Second)),
            _ => None,
        });
    let stones = gomoku::Board::with_stones(size, stones).unwrap();
    let side = if stones.count(Side::First) > stones.count(Side::Second) { Side::Second } else { Side::First };
    (Board::new(&stones, rule, Three::Rif).unwrap(), side)
}

fn search(board: &Board, side: Side, request: &Request) -> Report {
    Engine::new(1 << 22, 1).search(board, side, request, &AtomicBool::new(false), &mut |_| {})
}

fn nodes(nodes: u64) -> Request {
    Request { limits: Limits { nodes: Some(nodes), ..Limits::default() }, ..Request::default() }
}

/// No limit but a flag.
fn endless(stop: &AtomicBool) -> Ends<'_> {
    let nodes = AtomicU64::new(0);
    Ends { stop, is_over: AtomicBool::new(false), nodes, max_nodes: u64::MAX, deadline: None }
}

fn name(board: &Board, point: Point) -> String {
    Coords::A1.text(point, board.stones().size())
}

/// Random moves from the empty board on, until a share of it is full; nobody has won.
fn played(random: &mut Random, size: Size, rule: Rule, share: u64) -> (Board, Side) {
    let mut board = Board::without_stones(size, rule, Three::Rif).unwrap();
    let points: Vec<Point> = size.points().collect();
    let mut side = Side::First;
    for _ in 0..points.len() as u64 * share / 100 {
        let point = points[random.below(points.len() as u64) as usize];
        let is_free = board.stones().is_empty(point) && !board.kind(point, side).has(Kind::FIVE);
        if is_free && !board.is_forbidden(point, side) {
            board.put(point, side);
            side = side.other();
        }
    }
    (board, side)
}

#[test]
fn a_five_is_played_and_a_four_is_stopped() {
    let rows = "
        .........
        .........
        .xxxx....
        .oooo....
        .........
        .........
        .........
        .........
        .........";
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
        let (board, side) = board(rows, rule);
        let report = search(&board, side, &nodes(1000));
        assert_eq!(report.lines[0].value, Value::win_in(1), "{rule}");
        assert!(["a7", "f7"].contains(&name(&board, report.lines[0].moves[0]).as_str()), "{rule}");
        let report = search(&board, side.other(), &nodes(1000));
        assert_eq!(report.lines[0].value, Value::win_in(1), "{rule}");
        let rest = Request {
            moves: Moves::Except(
                ["a6", "f6"].map(|name| Coords::A1.parse(name, board.stones().size()).unwrap()).into(),
            ),
            ..nodes(1000)
        };
        let report = search(&board, side.other(), &rest);
        assert_eq!(report.lines[0].value.loses_in(), Some(2), "{rule}: two fives cannot be stopped by one stone");
    }
}

#[test]
fn a_move_is_found_where_the_only_block_is_forbidden() {
    // Case PRO-11: g7 is a double-three.
    let size = Size::default();
    let point = |x, y| Point::new(x, y).unwrap();
    let black = [(7, 7), (5, 9), (5, 8), (7, 8), (6, 13)].map(|(x, y)| (point(x, y), Side::First));
    let white = [(6, 9), (6, 10), (6, 11), (6, 12), (0, 14)].map(|(x, y)| (point(x, y), Side::Second));
    let stones = gomoku::Board::with_stones(size, [black, white].concat()).unwrap();
    let board = Board::new(&stones, Rule::Renju, Three::Rif).unwrap();
    let report = search(&board, Side::First, &nodes(5000));
    assert_eq!(report.lines[0].value.loses_in(), Some(2));
    assert!(!board.is_forbidden(report.lines[0].moves[0], Side::First));
}

#[test]
fn the_same_question_has_the_same_answer() {
    let mut random = Random(5);
    let mut engine = Engine::new(1 << 20, 1);
    for rule in Rule::ALL {
        let (board, side) = played(&mut random, Size::default(), rule, 8);
        let request = Request { lines: 2, ..nodes(6000) };
        let ask = |engine: &mut Engine| {
            engine.forget();
            let mut reports = Vec::new();
            let last = engine
                .search(&board, side, &request, &AtomicBool::new(false), &mut |report| reports.push(report.clone()));
            reports.push(last);
            reports.iter_mut().for_each(|report| report.time = Duration::ZERO);
            reports
        };
        let first = ask(&mut engine);
        assert!(first.last().unwrap().nodes <= 6000 + 64, "{}", first.last().unwrap().nodes);
        assert_eq!(first, ask(&mut engine), "{rule}");
        assert_eq!(first, ask(&mut Engine::new(1 << 20, 1)), "{rule}");
    }
}

#[test]
fn lines_are_sorted_and_are_of_moves_of_their_own() {
    let mut random = Random(8);
    for _ in 0..6 {
        let (board, side) = played(&mut random, Size::default(), Rule::Freestyle, 8);
        let report = search(&board, side, &Request { lines: 5, ..nodes(30_000) });
        assert_eq!(report.lines.len(), 5);
        assert!(report.lines.is_sorted_by(|a, b| a.value >= b.value), "{:?}", report.lines);
        let mut firsts: Vec<Point> = report.lines.iter().map(|line| line.moves[0]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
        for line in &report.lines {
            let mut board = board.clone();
            let mut side = side;
            for point in &line.moves {
                assert!(board.stones().is_empty(*point) && !board.is_forbidden(*point, side));
                board.put(*point, side);
                side = side.other();
            }
        }
        let chosen = [report.lines[3].moves[0], report.lines[4].moves[0]];
        let only = search(&board, side, &Request { moves: Moves::Only(chosen.to_vec()), lines: 9, ..nodes(3000) });
        assert_eq!(only.lines.len(), 2);
        assert!(only.lines.iter().all(|line| chosen.contains(&line.moves[0])));
        let except = search(&board, side, &Request { moves: Moves::Except(firsts.clone()), ..nodes(3000) });
        assert!(!firsts.contains(&except.lines[0].moves[0]));
    }
}

#[test]
fn of_symmetrical_moves_one_is_told() {
    let rows = "
        .........
        .........
        .........
        .........
        ....x....
        .........
        .........
        .........
        .........";
    let (board, side) = board(rows, Rule::Renju);
    let report = search(&board, side, &Request { distinct: true, lines: 100, ..nodes(3000) });
    // Up to symmetry there are nine points at most three columns and rows away.
    assert_eq!(report.lines.len(), 9);
}

#[test]
fn what_stops_forks_is_all_that_stops_them() {
    let mut random = Random(21);
    let table = Table::new(0);
    let stop = AtomicBool::new(false);
    let ends = endless(&stop);
    let mut seen = 0;
    while seen < 600 {
        let rule = Rule::ALL[random.below(3) as usize];
        let size = random.size(12);
        let share = 20 + random.below(30);
        let (board, side) = played(&mut random, size, rule, share);
        let other = side.other();
        let mut worker = Worker::new(board, &table, &ends);
        if !worker.board.fives(side).is_empty() || !worker.board.fives(other).is_empty() || worker.fork(other).is_none()
        {
            continue;
        }
        seen += 1;
        let stops = worker.stops_of_forks(side);
        for point in worker.board.empty().iter().collect::<Vec<_>>() {
            let is_four = worker.board.fours(side).contains(point);
            let is_stop = stops.contains(point);
            worker.board.put(point, side);
            let holds = worker.fork(other).is_none();
            worker.board.take(point, side);
            let place = || format!("{} for {side:?}\n{:?}", name(&worker.board, point), worker.board);
            assert!(is_stop || !(is_four || holds), "{}", place());
            // A white stone may stop all forks and free a point that was forbidden to Black: that is searched.
            let may_free = rule == Rule::Renju && side == Side::Second;
            assert!(!is_stop || is_four || holds || may_free, "{}", place());
        }
    }
}

#[test]
fn a_fork_wins_by_the_slow_rules() {
    let mut random = Random(34);
    let table = Table::new(0);
    let stop = AtomicBool::new(false);
    let ends = endless(&stop);
    let mut seen = 0;
    while seen < 300 {
        let rule = Rule::ALL[random.below(3) as usize];
        let size = random.size(12);
        let share = 20 + random.below(40);
        let (board, side) = played(&mut random, size, rule, share);
        let worker = Worker::new(board, &table, &ends);
        if !worker.board.fives(side).is_empty() || !worker.board.fives(side.other()).is_empty() {
            continue;
        }
        let Some(fork) = worker.fork(side) else { continue };
        seen += 1;
        let proof = Proof {
            attacker: side,
            steps: vec![Step { attack: fork, replies: Vec::new(), otherwise: None }],
            fours: 1,
            line: vec![fork],
        };
        assert_eq!(verify(worker.board.stones(), rule, Three::Rif, &proof), Ok(()), "{:?}", worker.board);
    }
}

/// Who wins with best play, by trying everything with the rules alone: 1 the side to move, 0 nobody, -1 the other.
fn solve(stones: &mut gomoku::Board, rule: Rule, side: Side) -> i32 {
    let points: Vec<Point> = stones.empty_points().collect();
    let is_forbidden = |stones: &gomoku::Board, point: Point| {
        rule == Rule::Renju
            && side == Side::First
            && made(stones, point, side, rule) != Made::Five
            && !forbidden_slow::kinds(stones, point, Three::Rif).is_empty()
    };
    let legal: Vec<Point> = points.into_iter().filter(|point| !is_forbidden(stones, *point)).collect();
    if legal.iter().any(|point| made(stones, *point, side, rule) == Made::Five) {
        return 1;
    }
    let mut best = if legal.is_empty() { 0 } else { -1 };
    for point in legal {
        stones.play(point, side).unwrap();
        let value = -solve(stones, rule, side.other());
        stones.undo(point);
        best = best.max(value);
        if best == 1 {
            break;
        }
    }
    best
}

#[test]
fn what_is_called_a_win_is_one() {
    let mut random = Random(55);
    let mut decided = [0; 3];
    for round in 0..700 {
        let rule = Rule::ALL[round % 4];
        let size = Size::new(5 + random.below(3) as u8, 5 + random.below(2) as u8).unwrap();
        let cells = u64::from(size.width()) * u64::from(size.height());
        let share = 100 - 100 * (6 + random.below(3)) / cells;
        let (board, side) = played(&mut random, size, rule, share * 2);
        // `played` passes over taken points, so that it ends with more room at times.
        if board.empty().iter().count() > 8 {
            continue;
        }
        let truth = solve(&mut board.stones().clone(), rule, side);
        let report = search(
            &board,
            side,
            &Request { limits: Limits { depth: Some(10), ..Limits::default() }, ..Request::default() },
        );
        let Some(line) = report.lines.first() else { continue };
        let claim = i32::from(line.value.wins_in().is_some()) - i32::from(line.value.loses_in().is_some());
        assert!(claim == truth || claim == 0, "{claim} of {truth}: {:?}\n{board:?}", report.lines);
        assert!(report.wins.is_empty() || truth == 1);
        decided[(truth + 1) as usize] += i32::from(claim == truth);
    }
    assert!(decided.iter().all(|count| *count > 10), "{decided:?}");
}

#[test]
fn beside_a_win_not_all_moves_are_wins() {
    let rows = "
        .........
        .........
        .oxxxx...
        .........
        .o...o...
        .........
        .........
        .........
        ....o....";
    let (board, side) = board(rows, Rule::Freestyle);
    for depth in 1..4 {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let report = search(&board, side, &Request { limits, ..Request::default() });
        let wins: Vec<String> = report.wins.iter().map(|point| name(&board, *point)).collect();
        assert_eq!(wins, ["g7"]);
        assert!(report.losses.is_empty());
    }
}

#[test]
fn a_search_ends_when_it_is_told_to() {
    let mut random = Random(3);
    let (board, side) = played(&mut random, Size::default(), Rule::Freestyle, 6);
    for threads in [1, 2] {
        let mut engine = Engine::new(1 << 22, threads);
        let stop = AtomicBool::new(false);
        let (report, waited) = std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                let report = engine.search(&board, side, &Request::default(), &stop, &mut |_| {});
                (report, Instant::now())
            });
            std::thread::sleep(Duration::from_millis(100));
            let told = Instant::now();
            stop.store(true, Ordering::Relaxed);
            let (report, ended) = search.join().unwrap();
            (report, ended - told)
        });
        assert!(!report.lines.is_empty());
        assert!(waited < Duration::from_millis(200), "{waited:?}");
        let time = Duration::from_millis(150);
        let request =
            Request { limits: Limits { time: Some(Time::whole(time)), ..Limits::default() }, ..Request::default() };
        let report = engine.search(&board, side, &request, &AtomicBool::new(false), &mut |_| {});
        assert!(report.time < time + Duration::from_millis(150), "{:?}", report.time);
    }
}

#[test]
fn balanced_moves_are_near_to_what_is_asked_for() {
    let mut random = Random(13);
    for round in 0..4 {
        let (board, side) = played(&mut random, Size::default(), Rule::Renju, 2 + round);
        let depth = |depth| Limits { depth: Some(depth), ..Limits::default() };
        let all = search(&board, side, &Request { limits: depth(2), lines: 300, ..Request::default() });
        let nearest = all.lines.iter().map(|line| line.value.get().abs()).min().unwrap();
        let request = Request { limits: depth(2), goal: Goal::Balance(Value::DRAW), ..Request::default() };
        let balanced = &search(&board, side, &request).lines[0];
        assert!(balanced.value.get().abs() <= nearest + 20, "{balanced:?}, nearest {nearest}");
        let request = Request { limits: depth(1), goal: Goal::BalanceTwo(Value::points(50)), ..Request::default() };
        let pair = &search(&board, side, &request).lines[0];
        assert!(pair.moves.len() >= 2 && (pair.value.get() - 50).abs() <= 20, "{pair:?}");
    }
}

#[test]
fn a_full_board_has_no_move() {
    let mut board = Board::without_stones(Size::square(5).unwrap(), Rule::Freestyle, Three::Rif).unwrap();
    let rows = ["xoxox", "xoxox", "oxoxo", "oxoxo", "xoxox"];
    for point in board.stones().size().points() {
        let stone = rows[usize::from(point.y())].as_bytes()[usize::from(point.x())];
        board.put(point, if stone == b'x' { Side::First } else { Side::Second });
    }
    assert_eq!(search(&board, Side::Second, &nodes(100)).lines, []);
}

//! Engines of others: what they are told, and that nothing they do hangs or ends the one who drives them.

mod support;

use engine::rival::{CommandLine, Eval, Failure, Gomocup, Misplay, Reply, Settings, Wanted};
use games::{Coords, Move, Point, Rule, Size, parse_moves};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Desk, random_engine};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Longer than any answer of an engine that behaves, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a test takes that has to end early.
const SOON: Duration = Duration::from_secs(10);

fn start(switches: &str) -> Result<Gomocup<'static>, Failure> {
    let line: CommandLine = format!("'{}' {switches}", random_engine()).parse().unwrap();
    Gomocup::start(&line, &GO_ON)
}

/// An engine that has begun a game on a board of 15x15.
fn ready(switches: &str) -> Gomocup<'static> {
    let mut engine = start(switches).unwrap();
    engine.new_game(Size::default(), &Settings::new(Rule::Freestyle)).unwrap();
    engine
}

fn points(moves: &str) -> Vec<Point> {
    parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().filter_map(Move::point).collect()
}

/// The answer to the position after `moves`.
fn answer(switches: &str, moves: &str) -> Result<Reply, Failure> {
    ready(switches).think(&points(moves), None, PATIENCE)
}

#[test]
fn an_engine_is_told_what_the_protocol_wants() {
    let desk = Desk::new();
    let log = desk.path("log");
    let mut engine = ready(&format!("--log '{}'", log.display()));
    assert_eq!(engine.name(), "random 1");
    let mut settings = Settings::new(Rule::Renju);
    settings.total = Some(Duration::from_secs(60));
    settings.nodes = Some(5000);
    settings.threads = Some(2);
    settings.more = vec![("hash_size".into(), "1024".into())];
    let mut moves = points("h8i9h9");
    engine.new_game(Size::default(), &settings).unwrap();
    moves.push(engine.think(&moves, Some(59_000), PATIENCE).unwrap().point);
    moves.extend(points("a1"));
    engine.think(&moves, Some(-5), PATIENCE).unwrap();
    // Another position than the one it knows of.
    engine.think(&points("h8"), None, PATIENCE).unwrap();
    settings.rule = Rule::Caro;
    settings.whole_board = true;
    engine.new_game(Size::new(12, 9).unwrap(), &settings).unwrap();
    engine.think(&[], None, PATIENCE).unwrap();
    engine.think(&points("a1"), None, PATIENCE).unwrap();
    engine.quit();
    let told = fs::read_to_string(log).unwrap();
    let told: Vec<&str> = told.lines().filter(|line| !line.starts_with("INFO max_memory")).collect();
    let wanted = "ABOUT|START 15|INFO rule 0|INFO timeout_turn 1000|INFO timeout_match 0\
        |START 15|INFO rule 4|INFO timeout_turn 1000|INFO timeout_match 60000|INFO max_node 5000|INFO thread_num 2\
        |INFO hash_size 1024|INFO time_left 59000|BOARD|7,7,2|8,6,1|7,6,2|INFO time_left -5|TURN 0,14\
        |INFO time_left 2147483647|BOARD|7,7,2\
        |RECTSTART 12,9|INFO rule 9|INFO timeout_turn 1000|INFO timeout_match 60000|INFO max_node 5000|INFO thread_num 2\
        |INFO hash_size 1024|INFO time_left 2147483647|BEGIN|INFO time_left 2147483647|BOARD|0,14,2|END";
    assert_eq!(told, wanted.split('|').collect::<Vec<_>>());
}

#[test]
fn moves_are_understood_however_they_are_said() {
    let plain = answer("", "h8").unwrap().point;
    for switches in ["--crlf", "--chatter", "--suggest", "--crlf --chatter --suggest", "--no-about"] {
        assert_eq!(answer(switches, "h8").unwrap().point, plain, "{switches}");
    }
    let remark = answer("--eval --crlf", "h8").unwrap().remark;
    assert_eq!((remark.eval, remark.depth), (Some(Eval::Points(12)), Some(3)));
    assert_eq!(start("--no-about").unwrap().name(), "random-engine");
    assert!(answer("--late 300", "h8").unwrap().time >= Duration::from_millis(300));
}

#[test]
fn moves_that_are_none_are_told() {
    let misplay = |switches: &str| match answer(switches, "h8") {
        Err(Failure::Misplay(misplay)) => misplay,
        other => panic!("{switches}: {other:?}"),
    };
    assert_eq!(misplay("--occupied 1"), Misplay::Occupied(points("h8")[0], Size::default()));
    assert_eq!(misplay("--off-board 1"), Misplay::OffBoard("15,0".into()));
    assert_eq!(misplay("--nonsense 1"), Misplay::Nonsense("7,".into()));
    assert_eq!(misplay("--moves -1,-1"), Misplay::OffBoard("-1,-1".into()));
    assert_eq!(misplay("--moves 7,7,1"), Misplay::Nonsense("7,7,1".into()));
}

#[test]
fn an_engine_that_crashes_is_told_with_its_last_words() {
    match answer("--crash 1", "h8") {
        Err(Failure::Gone { status: Some(status), last: Some(last) }) => {
            assert!(status.contains('3'), "{status}");
            assert_eq!(last, "the board is on fire");
        }
        other => panic!("{other:?}"),
    }
    let line: CommandLine = "./nowhere/engine".parse().unwrap();
    match Gomocup::start(&line, &GO_ON) {
        Err(Failure::Unstarted(reason)) => assert!(reason.contains("there is no program"), "{reason}"),
        other => panic!("{:?}", other.err()),
    }
}

#[test]
fn an_engine_that_hangs_or_floods_is_ended() {
    for switches in ["--hang 1", "--flood 1", "--hang 1 --stay", "--flood 1 --chatter --eval"] {
        let begun = Instant::now();
        let mut engine = ready(switches);
        match engine.think(&points("h8"), None, Duration::from_millis(400)) {
            Err(Failure::Silent { wanted: Wanted::Move, waited, .. }) => assert_eq!(waited.as_millis(), 400),
            other => panic!("{switches}: {other:?}"),
        }
        drop(engine);
        assert!(begun.elapsed() < SOON, "{switches}");
    }
}

#[test]
fn an_engine_that_does_not_read_blocks_nobody() {
    let begun = Instant::now();
    let engine = start("--slow-about 600000").unwrap();
    assert_eq!(engine.name(), "random-engine");
    for _ in 0..1000 {
        engine.inform("more", "x".repeat(1000));
    }
    drop(engine);
    assert!(begun.elapsed() < SOON);
}

#[test]
fn an_engine_that_does_not_end_is_ended() {
    let begun = Instant::now();
    ready("--stay").quit();
    assert!(begun.elapsed() < SOON);
}

/// Linux lists what runs as folders.
#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_started_ends_with_it() {
    let runs = |number: &str| {
        let state = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // Somebody else may not have waited for it yet.
        !state.is_empty() && !state.contains(") Z ")
    };
    for quits in [true, false] {
        let desk = Desk::new();
        let file = desk.path("number");
        let mut engine = ready(&format!("--hang 2 --child '{}'", file.display()));
        let number = fs::read_to_string(file).unwrap();
        assert!(runs(&number));
        if quits {
            engine.quit();
        } else {
            engine.think(&[], None, PATIENCE).unwrap();
            engine.think(&points("h8"), None, Duration::from_millis(100)).unwrap_err();
            drop(engine);
        }
        let begun = Instant::now();
        while runs(&number) {
            assert!(begun.elapsed() < SOON, "process {number} lives on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn games_begin_again_with_engines_that_are_slow_untidy_or_know_no_restart() {
    let settings = Settings::new(Rule::Freestyle);
    let size = Size::default();
    for switches in ["--slow-start 1100", "--untidy 200", "--untidy 5", "--no-restart", ""] {
        let mut engine = ready(switches);
        let first = engine.think(&points("h8"), None, PATIENCE).unwrap().point;
        engine.new_game(size, &settings).unwrap();
        assert_eq!(engine.think(&points("h8"), None, PATIENCE).unwrap().point, first, "{switches}");
        engine.restart(&settings).unwrap();
        assert_eq!(engine.think(&points("h8"), None, PATIENCE).unwrap().point, first, "{switches}");
    }
    match start("--refuse").unwrap().new_game(size, &settings) {
        Err(Failure::Refused(text)) => assert_eq!(text, "ERROR no such board"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_waits_for_an_engine_can_be_stopped() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let line: CommandLine = format!("'{}' --hang 1", random_engine()).parse().unwrap();
    let mut engine = Gomocup::start(&line, &STOP).unwrap();
    engine.new_game(Size::default(), &Settings::new(Rule::Freestyle)).unwrap();
    let begun = Instant::now();
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            STOP.store(true, Ordering::Relaxed);
        });
        engine.think(&[], None, Duration::from_secs(60))
    });
    assert_eq!(answer, Err(Failure::Stopped));
    assert!(begun.elapsed() < SOON);
}

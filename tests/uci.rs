//! Engines of xiangqi over UCI and UCCI: what they are told, what is heard of them, and what they do wrong.

mod support;

use engine::rival::{Course, Dialect, Eval, Failure, Opinion, Task, Uci};
use games::{Point, Step};
use record::Effort;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Desk, uci_engine};

static GO_ON: AtomicBool = AtomicBool::new(false);

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
const BOTH: [Dialect; 2] = [Dialect::Uci, Dialect::Ucci];

/// A move as ICCS writes it: ranks from Red, from 0.
fn step(word: &str) -> Step {
    let bytes = word.as_bytes();
    let point = |at: usize| Point::new(bytes[at] - b'a', 9 - (bytes[at + 1] - b'0')).unwrap();
    Step { from: point(0), to: point(2) }
}

fn steps(words: &str) -> Vec<Step> {
    words.split_whitespace().map(step).collect()
}

fn start(switches: &str, dialect: Dialect) -> Uci<'static> {
    let line = format!("'{}' {switches}", uci_engine());
    Uci::start(&line.parse().unwrap(), dialect, 16 << 20, &GO_ON).unwrap()
}

/// What is asked of all: some moves of the start, of which three are known to the engine.
struct Asked {
    moves: Vec<Step>,
    legal: Vec<Step>,
    except: Vec<Step>,
    lines: usize,
    effort: Effort,
    patience: Duration,
}

const KNOWS: &str = "--knows h2e2,h2d2,b2e2";

fn asked() -> Asked {
    Asked {
        moves: Vec::new(),
        legal: steps("h2e2 h2d2 b2e2 c3c4"),
        except: Vec::new(),
        lines: 1,
        effort: Effort { nodes: Some(1000), ..Effort::default() },
        patience: Duration::from_secs(20),
    }
}

fn think(engine: &mut Uci<'_>, asked: &Asked) -> Result<Opinion, Failure> {
    let Asked { moves, legal, except, lines, effort, patience } = asked;
    engine.think(&Task { fen: START, moves, legal, except, lines: *lines, effort: *effort, patience: *patience })
}

fn course(words: &str, eval: i32) -> Course {
    Course { moves: steps(words), eval: Some(Eval::Points(eval)), depth: Some(6) }
}

#[test]
fn a_move_comes_with_its_value_in_both_dialects() {
    for dialect in BOTH {
        for switches in ["", "--bare", "--waits", "--late 200", "--deaf 6"] {
            let mut engine = start(&format!("{KNOWS} {switches}"), dialect);
            assert_eq!(engine.name(), "fake 1.0");
            let mut asked = asked();
            asked.effort = Effort { time: Some(Duration::from_millis(50)), ..Effort::default() };
            asked.patience = Duration::from_secs(2);
            let found = think(&mut engine, &asked).unwrap();
            let wanted = Opinion { best: Some(step("h2e2")), lines: vec![course("h2e2 a9a8", 30)], nodes: Some(1234) };
            assert_eq!(found, wanted, "{dialect:?} {switches}");
        }
    }
}

#[test]
fn moves_are_left_out_and_several_are_told_where_the_dialect_has_words_for_it() {
    for dialect in BOTH {
        let mut engine = start(KNOWS, dialect);
        let mut best = |except: &str| {
            let except = steps(except);
            think(&mut engine, &Asked { except, ..asked() }).unwrap().best
        };
        assert_eq!(best("h2e2"), Some(step("h2d2")));
        assert_eq!(best("h2e2 h2d2"), Some(step("b2e2")));
        // What was left out then is not left out for ever.
        assert_eq!(best(""), Some(step("h2e2")));
        assert_eq!(engine.tells_lines(), dialect == Dialect::Uci);
        let several = think(&mut engine, &Asked { lines: 3, ..asked() }).unwrap();
        let wanted = [("h2e2 a9a8", 30), ("h2d2 a9a8", 20), ("b2e2 a9a8", 10)].map(|(words, eval)| course(words, eval));
        let told = if dialect == Dialect::Uci { 3 } else { 1 };
        assert_eq!(several.lines, wanted[..told]);
        assert_eq!(think(&mut engine, &asked()).unwrap().lines.len(), 1, "one again");
    }
}

#[test]
fn mates_are_told_in_plies() {
    for (mate, eval) in [("3", Eval::Wins(5)), ("-2", Eval::Loses(4))] {
        let found = think(&mut start(&format!("--mate {mate}"), Dialect::Uci), &asked()).unwrap();
        assert_eq!(found.lines[0].eval, Some(eval));
    }
}

/// What an engine is told after its greeting, but for what comes before each question.
fn told(dialect: Dialect, switches: &str, asked: &Asked) -> Vec<String> {
    let desk = Desk::new();
    let log = desk.path("log");
    let mut engine = start(&format!("{KNOWS},h3e3 {switches} --log '{}'", log.display()), dialect);
    let _ = think(&mut engine, asked);
    engine.quit();
    String::from_utf8(desk.read("log")).unwrap().lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn engines_are_told_in_their_own_words() {
    let asked = Asked {
        moves: steps("h2e2 h9g7"),
        except: steps("h2e2"),
        effort: Effort { nodes: Some(1000), depth: Some(9), time: Some(Duration::from_millis(700)) },
        ..asked()
    };
    let uci = [
        "setoption name Threads value 1",
        "setoption name Hash value 16",
        "setoption name Ponder value false",
        "setoption name MultiPV value 1",
        "ucinewgame",
        "isready",
        &format!("position fen {START} moves h2e2 h9g7"),
        "go depth 9 nodes 1000 movetime 700 searchmoves h2d2 b2e2 c3c4",
        "quit",
    ];
    assert_eq!(told(Dialect::Uci, "", &asked), uci);
    let ucci = [
        "setoption hashsize 16",
        "setoption usebook false",
        "setoption usemillisec true",
        "setoption newgame",
        "isready",
        &format!("position fen {START} moves h2e2 h9g7"),
        "banmoves h2e2",
        "go nodes 1000",
        "quit",
    ];
    assert_eq!(told(Dialect::Ucci, "", &asked), ucci);
    // One that plays all kinds of chess counts ranks from 1.
    let fairy = told(Dialect::Uci, "--variant", &asked);
    assert_eq!(fairy[0], "setoption name UCI_Variant value xiangqi");
    assert!(fairy.contains(&format!("position fen {START} moves h3e3 h10g8")), "{fairy:?}");
    let goes = |dialect, effort| {
        let asked = Asked { effort, ..self::asked() };
        told(dialect, "", &asked).into_iter().find(|line| line.starts_with("go")).unwrap()
    };
    let depth = Effort { depth: Some(9), ..Effort::default() };
    assert_eq!((goes(Dialect::Uci, depth), goes(Dialect::Ucci, depth)), ("go depth 9".into(), "go depth 9".into()));
    let nothing = Effort::default();
    assert_eq!(
        (goes(Dialect::Uci, nothing), goes(Dialect::Ucci, nothing)),
        ("go movetime 1000".into(), "go infinite".into())
    );
}

#[test]
fn a_line_end_in_a_position_is_no_command() {
    let desk = Desk::new();
    let log = desk.path("log");
    let mut engine = start(&format!("--log '{}'", log.display()), Dialect::Uci);
    let legal = steps("h2e2");
    let effort = Effort { nodes: Some(1), ..Effort::default() };
    let patience = Duration::from_secs(5);
    let fen = "9/9/9 w\nquit\n- - 0 1";
    engine.think(&Task { fen, moves: &[], legal: &legal, except: &[], lines: 1, effort, patience }).unwrap();
    let log = String::from_utf8(desk.read("log")).unwrap();
    assert!(log.contains("position fen 9/9/9 w quit - - 0 1\n"), "{log}");
}

#[test]
fn what_they_do_wrong_is_told() {
    for dialect in BOTH {
        let failure = |switches: &str| {
            let asked = Asked { patience: Duration::from_millis(800), ..asked() };
            let begun = Instant::now();
            let found = think(&mut start(switches, dialect), &asked);
            assert!(begun.elapsed() < Duration::from_secs(10), "{switches}");
            found
        };
        assert_eq!(failure("--none"), Ok(Opinion::default()));
        let text = |switches: &str| failure(switches).unwrap_err().to_string();
        assert_eq!(text("--illegal"), "`bestmove a0a0` is no move");
        // It is none of those that are known to be legal here.
        assert_eq!(text("--knows a0a9"), "`bestmove a0a9 ponder a9a8` is no move");
        assert!(text("--hang").starts_with("no move within"));
        assert!(text("--flood").starts_with("no move within"));
        assert!(text("--crash").contains("the board is on fire"));
    }
    let other = Uci::start(&"./nowhere/engine".parse().unwrap(), Dialect::Uci, 1 << 20, &GO_ON).err().unwrap();
    assert!(matches!(other, Failure::Unstarted(_)));
}

#[test]
fn who_waits_can_be_stopped() {
    let stop = AtomicBool::new(false);
    let mut engine = start("--hang", Dialect::Ucci).heeding(&stop);
    let begun = Instant::now();
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        think(&mut engine, &asked())
    });
    assert_eq!(found, Err(Failure::Stopped));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

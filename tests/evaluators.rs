//! Engines of the user's as evaluators: what they say comes into books as they say it, what they do wrong is told, and
//! nothing is lost by it.

mod support;

use book::Book;
use engine::rival::{AgiEvaluator, Evaluator, Manner};
use games::{Coords, Move, Point, Rule, Side, Size, parse_moves};
use record::{Abilities, Effort, Evaluate, Failure, Finding, Question, StoneKey};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Desk, Said, command, random_engine};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// What a test takes that has to end early.
const SOON: Duration = Duration::from_secs(10);

fn manner(line: &str) -> Manner {
    let patience = Duration::from_secs(20);
    Manner { line: line.parse().unwrap(), memory: 64 << 20, patience, tries: 3, more: Vec::new() }
}

fn random(switches: &str) -> String {
    format!("'{}' {switches}", random_engine())
}

fn start(switches: &str) -> Evaluator {
    Evaluator::start(manner(&random(switches)), &GO_ON).unwrap()
}

fn ours() -> String {
    format!("'{}' engine --protocol gomocup", env!("CARGO_BIN_EXE_kifu"))
}

fn points(moves: &str) -> Vec<Point> {
    parse_moves(moves, Coords::A1, Size::default()).unwrap().into_iter().filter_map(Move::point).collect()
}

fn plays(moves: &str) -> Vec<Move> {
    points(moves).into_iter().map(Move::Place).collect()
}

fn name(play: Move) -> String {
    play.text(Size::default())
}

/// A question about the position after some moves, of 10 ms or so many nodes.
fn question(rule: Rule, moves: &str, except: &str, nodes: Option<u64>) -> Question {
    let mut stones: Vec<(Point, Side)> =
        points(moves).into_iter().zip(1..).map(|(point, ply)| (point, Side::of_ply(ply))).collect();
    let to_move = Side::of_ply(stones.len() + 1);
    stones.sort_by_key(|(point, _)| *point);
    let position = StoneKey { rule, size: Size::default(), to_move, stones };
    let mut except = plays(except);
    except.sort_unstable();
    let time = nodes.is_none().then_some(Duration::from_millis(10));
    let effort = Effort { nodes, depth: None, time };
    Question { position: position.into(), history: Vec::new(), except, lines: 1, effort }
}

fn change(question: &mut Question, how: impl FnOnce(&mut StoneKey)) {
    let mut stones = question.position.stones().unwrap().clone();
    how(&mut stones);
    question.position = stones.into();
}

fn evaluate(evaluator: &mut Evaluator, question: &Question) -> Result<Finding, Failure> {
    evaluator.evaluate(question, &GO_ON)
}

/// The answer of an engine that misbehaves to a board of three stones.
fn answer(switches: &str) -> Result<Finding, Failure> {
    evaluate(&mut start(switches), &question(Rule::Freestyle, "h8 h9 j10", "", None))
}

fn broken(switches: &str) -> String {
    match answer(switches) {
        Err(Failure::Broken(why)) => why,
        other => panic!("{switches}: {other:?}"),
    }
}

/// The same over AGI, of an engine that does not wait for STOP.
fn start_agi(switches: &str) -> AgiEvaluator {
    AgiEvaluator::start(manner(&random(&format!("--at-once {switches}"))), &GO_ON).unwrap()
}

fn answer_agi(switches: &str) -> Result<Finding, Failure> {
    start_agi(switches).evaluate(&question(Rule::Freestyle, "h8 h9 j10", "", None), &GO_ON)
}

fn broken_agi(switches: &str) -> String {
    match answer_agi(switches) {
        Err(Failure::Broken(why)) => why,
        other => panic!("{switches}: {other:?}"),
    }
}

/// What our engine says of its lines, best first, read from its output by hand.
fn heard(moves: &str, lines: usize, nodes: u64) -> Vec<(Vec<String>, String)> {
    let points = points(moves);
    let of = |side: Side| points.iter().zip(1..).filter(move |(_, ply)| Side::of_ply(*ply) == side);
    let mut sorted = [Side::First, Side::Second].map(|side| of(side).map(|(point, _)| *point).collect::<Vec<_>>());
    sorted.iter_mut().for_each(|points| points.sort_unstable());
    let mut board = String::new();
    for ply in 1..=points.len() {
        let point = sorted[usize::from(Side::of_ply(ply) == Side::Second)][(ply - 1) / 2];
        let who = if Side::of_ply(ply) == Side::of_ply(points.len() + 1) { 1 } else { 2 };
        board += &format!("{},{},{who}\n", point.x(), point.y());
    }
    let script = format!(
        "START 15\nINFO rule 0\nINFO timeout_turn 15000\nINFO max_node {nodes}\nINFO max_memory {}\nINFO thread_num 1\n\
         INFO show_detail 2\nYXBOARD\n{board}DONE\nYXNBEST {lines}\n",
        64 << 20
    );
    let mut engine = command();
    engine.args(["engine", "--protocol", "gomocup"]).stdin(std::process::Stdio::piped());
    let mut child = engine.spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), script.as_bytes()).unwrap();
    // The end of the input would cut the search short: it stays open until there is a move.
    let mut output = String::new();
    for line in std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap())) {
        let line = line.unwrap();
        output += &format!("{line}\n");
        if line.split_once(',').is_some_and(|(x, _)| x.parse::<u8>().is_ok()) {
            break;
        }
    }
    drop(child.stdin.take());
    child.wait().unwrap();
    let mut found = BTreeMap::new();
    for block in output.split("INFO PV ").filter(|block| block.contains("BESTLINE")) {
        let value = |key: &str| block.lines().find_map(|line| line.strip_prefix(&format!("INFO {key} "))).unwrap();
        let at: usize = block.lines().next().unwrap().trim().parse().unwrap();
        let moves = value("BESTLINE").split(' ').map(str::to_owned).collect();
        found.insert(at, (moves, value("EVAL").to_owned()));
    }
    found.into_values().collect()
}

#[test]
fn what_our_engine_says_to_others_is_what_they_hear() {
    let mut evaluator = Evaluator::start(manner(&ours()), &GO_ON).unwrap();
    assert_eq!(evaluator.abilities(), Abilities::ALL);
    // Our own evaluator has another name, as its values are others.
    assert_eq!(evaluator.source(), concat!("kifu engine ", env!("CARGO_PKG_VERSION")));
    for moves in ["h8 h9 j10", "h8 i9 i7 g9 h9", "h8 a1 i8 a3 j8 a5", "h8 a1 i8 a3 j8"] {
        let wanted = heard(moves, 3, 3000);
        assert!(!wanted.is_empty(), "{moves}");
        let asked = Question { lines: 3, ..question(Rule::Freestyle, moves, "", Some(3000)) };
        let found = evaluate(&mut evaluator, &asked).unwrap();
        let number = |point: &Point| format!("{},{}", point.x(), point.y());
        let words = |value: i32| match value {
            29_501.. => format!("+M{}", 30_000 - value),
            ..=-29_501 => format!("-M{}", 30_000 + value),
            _ => value.to_string(),
        };
        let lines: Vec<(Vec<String>, String)> = found
            .lines
            .iter()
            .map(|line| (line.points().iter().map(number).collect(), words(line.value.unwrap())))
            .collect();
        assert_eq!(lines, wanted, "{moves}");
        assert!(found.depth > 0 && found.nodes.is_some() && found.remarks.is_empty(), "{found:?}");
        assert!(found.lines.iter().all(|line| line.grounds.is_none()), "what others say is no proof");
        // The same whatever it was asked before.
        assert_eq!(evaluate(&mut evaluator.twin(), &asked), Ok(found));
    }
    let five = evaluate(&mut evaluator, &question(Rule::Renju, "h8 a1 i8 a3 j8 a5 k8 a7", "", Some(500))).unwrap();
    assert_eq!(five.lines[0].value, Some(29_999));
}

#[test]
fn moves_that_are_to_be_left_out_are_left_out() {
    let mut evaluator = Evaluator::start(manner(&ours()), &GO_ON).unwrap();
    let mut except = String::new();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let asked = question(Rule::Freestyle, "h8 a1 i8 a3", &except, Some(500));
        let best = evaluate(&mut evaluator, &asked).unwrap().lines[0].moves[0];
        assert!(!seen.contains(&best));
        seen.push(best);
        except += &format!(" {}", name(best));
    }
    // Of a board on which all that is free is left out there is no move.
    let mut asked = question(Rule::Freestyle, "h8", "", Some(500));
    asked.except = Size::default().points().map(Move::Place).filter(|play| *play != plays("h8")[0]).collect();
    assert_eq!(evaluate(&mut evaluator, &asked).unwrap().lines, []);
}

#[test]
fn an_engine_without_more_names_moves() {
    let mut evaluator = start("");
    let nothing = Abilities { values: false, lines: false, except: false };
    assert_eq!((evaluator.abilities(), evaluator.source()), (nothing, "random 1"));
    let mut asked = question(Rule::Renju, "h8 h9 j10", "", None);
    asked.lines = 5;
    let found = evaluate(&mut evaluator, &asked).unwrap();
    assert_eq!((found.lines.len(), found.lines[0].value, found.depth), (1, None, 0));
    assert_eq!((found.remarks.len(), found.nodes), (0, None));
    // It has done nothing wrong, and there is no answer.
    let best = found.lines[0].moves[0];
    let asked = question(Rule::Renju, "h8 h9 j10", &name(best), None);
    match evaluate(&mut evaluator, &asked) {
        Err(Failure::Unfit(why)) => assert!(why.contains(&format!("it prefers {}", name(best))), "{why}"),
        other => panic!("{other:?}"),
    }
    // What is left out and is not its choice disturbs nothing.
    let asked = question(Rule::Renju, "h8 h9 j10", "a1", None);
    assert_eq!(evaluate(&mut evaluator, &asked).unwrap().lines[0].moves[0], best);
}

#[test]
fn values_come_from_what_engines_say_of_their_moves() {
    let value = |switches: &str| {
        let mut evaluator = start(switches);
        assert!(evaluator.abilities().values, "{switches}");
        assert!(!evaluator.abilities().lines && !evaluator.abilities().except, "{switches}");
        let found = evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10", "", None)).unwrap();
        // It says that the other side plays on the same point.
        assert_eq!(found.lines[0].moves.len(), 1);
        (found.lines[0].value, found.depth, found.remarks.len())
    };
    assert_eq!(value("--eval"), (Some(12), 3, 0));
    assert_eq!(value("--detail -764"), (Some(-764), 7, 0));
    assert_eq!(value("--detail +M7 --crlf --chatter"), (Some(29_993), 7, 0));
    assert_eq!(value("--detail -M4"), (Some(-29_996), 7, 0));
    // A number that would be a win is none.
    assert_eq!(value("--detail 29999"), (Some(20_000), 7, 1));
    assert_eq!(value("--detail +M65535"), (Some(29_501), 7, 0));
}

#[test]
fn moves_that_are_none_are_asked_for_again_and_told() {
    assert_eq!(broken("--occupied 1 --when 3"), "asked 3 times: a stone stands on j10 already");
    assert_eq!(broken("--off-board 1 --when 3"), "asked 3 times: the move `15,0` is off the board");
    assert_eq!(broken("--nonsense 1 --when 3"), "asked 3 times: `7,` is no move");
    // f6 makes two threes.
    let threes = "d6 a1 e6 o1 f4 a15 f5 o15";
    let mut evaluator = start("--moves 5,9");
    match evaluate(&mut evaluator, &question(Rule::Renju, threes, "", None)) {
        Err(Failure::Broken(why)) => assert_eq!(why, "asked 3 times: f6 is forbidden to Black (double-three)"),
        other => panic!("{other:?}"),
    }
    let found = evaluate(&mut evaluator, &question(Rule::Freestyle, threes, "", None)).unwrap();
    assert_eq!(found.lines[0].moves, plays("f6"));
}

#[test]
fn what_goes_wrong_once_is_a_remark() {
    for (misdeed, told) in [
        ("--crash", "the board is on fire"),
        ("--occupied", "a stone stands on j10 already"),
        ("--off-board", "the move `15,0` is off the board"),
    ] {
        let desk = Desk::new();
        let plain = answer("").unwrap();
        let file = desk.path("once");
        let found = answer(&format!("{misdeed} 1 --when 3 --once '{}'", file.display())).unwrap();
        assert!(found.remarks.len() == 1 && found.remarks[0].contains(told), "{found:?}");
        assert_eq!(found.lines, plain.lines);
    }
}

#[test]
fn an_engine_that_hangs_floods_or_crashes_again_and_again_is_given_up() {
    for (switches, told) in [("--hang 1", "no move within"), ("--flood 1", "no move within"), ("--crash 1", "on fire")]
    {
        let begun = Instant::now();
        let manner = Manner {
            patience: Duration::from_millis(1500),
            tries: 2,
            ..manner(&random(&format!("{switches} --when 3")))
        };
        let mut evaluator = Evaluator::start(manner, &GO_ON).unwrap();
        match evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10", "", None)) {
            Err(Failure::Broken(why)) => assert!(why.contains("asked 2 times") && why.contains(told), "{why}"),
            other => panic!("{switches}: {other:?}"),
        }
        // What it is asked next it answers.
        evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10 a1", "", None)).unwrap();
        assert!(begun.elapsed() < SOON, "{switches}");
    }
}

#[test]
fn engines_that_are_late_slow_or_untidy_are_waited_for() {
    let plain = answer("").unwrap();
    for switches in
        ["--late 300", "--slow-start 1100", "--untidy 200", "--untidy 5", "--no-restart", "--crlf --chatter"]
    {
        assert_eq!(answer(switches), Ok(plain.clone()), "{switches}");
    }
}

#[test]
fn an_engine_that_cannot_begin_is_told_at_once() {
    let failure = |line: &str| Evaluator::start(manner(line), &GO_ON).err().unwrap();
    assert!(matches!(failure("./nowhere/engine"), Failure::Broken(why) if why.contains("there is no program")));
    assert!(matches!(failure(&random("--refuse")), Failure::Unfit(why) if why.contains("no such board")));
    assert!(matches!(failure(&random("--crash 1")), Failure::Broken(why) if why.contains("on fire")));
}

#[test]
fn names_are_harmless_and_short() {
    assert_eq!(start("--name 'a\u{1b}[0mb'").source(), "a\u{FFFD}[0mb 1");
    assert!(start(&format!("--name {}", "x".repeat(3000))).source().len() < 500);
    assert_eq!(start("--no-about").source(), "random-engine");
}

#[test]
fn who_evaluates_can_be_stopped() {
    let mut evaluator = start("--hang 1 --when 3");
    let stop = AtomicBool::new(false);
    let begun = Instant::now();
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10", "", None), &stop)
    });
    assert_eq!(found, Err(Failure::Stopped));
    assert!(begun.elapsed() < SOON);
    // Another question is answered.
    evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10 a1", "", None)).unwrap();
}

#[test]
fn positions_without_an_order_of_moves_are_none_for_this_protocol() {
    let mut asked = question(Rule::Freestyle, "h8 h9 j10", "", None);
    change(&mut asked, |position| position.to_move = Side::First);
    assert!(matches!(evaluate(&mut start(""), &asked), Err(Failure::Unfit(why)) if why.contains("passed")));
    let won = question(Rule::Freestyle, "h8 a1 i8 a3 j8 a5 k8 a7 l8", "", None);
    assert!(matches!(evaluate(&mut start(""), &won), Err(Failure::Unfit(_))));
}

#[test]
fn an_engine_that_cannot_forget_leaves_out_moves_all_the_same() {
    let mut evaluator = start("--detail 5 --block");
    assert_eq!(evaluator.abilities(), Abilities { values: true, lines: false, except: true });
    let first = evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10", "", None)).unwrap();
    let best = first.lines[0].moves[0];
    let asked = question(Rule::Freestyle, "h8 h9 j10", &name(best), None);
    let second = evaluate(&mut evaluator, &asked).unwrap();
    assert_ne!(second.lines[0].moves[0], best);
    // What was left out then is not left out for ever.
    let again = evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10", "", None)).unwrap();
    assert_eq!(again.lines, first.lines);
}

#[test]
fn a_board_that_an_engine_has_no_word_for_is_none_at_once() {
    let mut evaluator = start("--no-rectangles");
    let mut asked = question(Rule::Freestyle, "h8 h9 j10", "", None);
    change(&mut asked, |position| position.size = Size::new(15, 12).unwrap());
    let begun = Instant::now();
    match evaluate(&mut evaluator, &asked) {
        Err(Failure::Unfit(why)) => assert!(why.contains("UNKNOWN"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert!(evaluate(&mut start(""), &asked).is_ok());
}

#[test]
fn where_only_nodes_are_said_an_engine_has_time_to_answer() {
    let desk = Desk::new();
    let log = desk.path("log");
    let mut evaluator = start(&format!("--detail 5 --log '{}'", log.display()));
    evaluate(&mut evaluator, &question(Rule::Freestyle, "h8 h9 j10", "", Some(1000))).unwrap();
    let told = String::from_utf8(desk.read("log")).unwrap();
    let last = told.lines().filter_map(|line| line.strip_prefix("INFO timeout_turn ")).next_back();
    // Three quarters of its patience.
    assert_eq!(last, Some("15000"));
}

#[test]
fn our_engine_evaluates_over_agi() {
    let line = format!("'{}' engine --protocol agi --threads 1 --memory 16M", env!("CARGO_BIN_EXE_kifu"));
    let mut evaluator = AgiEvaluator::start(manner(&line), &GO_ON).unwrap();
    assert_eq!(evaluator.abilities(), Abilities { values: true, lines: false, except: true });
    assert_eq!(evaluator.source(), concat!("kifu engine ", env!("CARGO_PKG_VERSION")));
    let mut find = |rule, moves: &str, except: &str, effort| {
        let found = evaluator.evaluate(&Question { effort, ..question(rule, moves, except, None) }, &GO_ON).unwrap();
        assert!(found.remarks.is_empty() && found.lines.len() == 1 && found.lines[0].grounds.is_none(), "{found:?}");
        found
    };
    let time = Effort { time: Some(Duration::from_millis(100)), ..Effort::default() };
    // Where no line of five is seen at once, a depth must be finished by a machine that is busy.
    let long = Effort { time: Some(Duration::from_millis(700)), ..Effort::default() };
    for rule in [Rule::Freestyle, Rule::Renju] {
        let five = find(rule, "h8 a1 i8 a3 j8 a5 k8 a7", "", time);
        assert_eq!(five.lines[0].value, Some(29_999));
        assert!([plays("g8"), plays("l8")].contains(&five.lines[0].moves), "{five:?}");
        let lost = find(rule, "h8 a1 i8 a3 j8 a5 k8", "", time);
        assert_eq!(lost.lines[0].value, Some(-29_998), "{lost:?}");
    }
    let five = find(Rule::Freestyle, "h8 a1 i8 a3 j8 a5 k8 a7", "g8", time);
    assert_eq!((five.lines[0].value, five.lines[0].moves.clone()), (Some(29_999), plays("l8")));
    // To a depth, it is stopped when it has told of it.
    let begun = Instant::now();
    let deep = find(Rule::Renju, "h8 i9 i7 g9 h9", "", Effort { depth: Some(4), ..Effort::default() });
    assert!(deep.depth >= 4 && deep.lines[0].value.is_some() && begun.elapsed() < SOON, "{deep:?}");
    let mut except = String::new();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let best = find(Rule::Freestyle, "h8 a1 i8 a3", &except, long).lines[0].moves[0];
        assert!(!seen.contains(&best));
        seen.push(best);
        except += &format!(" {}", name(best));
    }
    find(Rule::Renju, "", "", long);
}

#[test]
fn an_engine_without_more_names_moves_over_agi() {
    let mut evaluator = start_agi("");
    let nothing = Abilities { values: false, lines: false, except: false };
    assert_eq!((evaluator.abilities(), evaluator.source()), (nothing, "random 1"));
    let mut asked = question(Rule::Renju, "h8 h9 j10", "", None);
    asked.lines = 5;
    let found = evaluator.evaluate(&asked, &GO_ON).unwrap();
    assert_eq!((found.lines.len(), found.lines[0].value, found.depth), (1, None, 0));
    assert_eq!((found.remarks.len(), found.nodes), (0, None));
    let best = found.lines[0].moves[0];
    match evaluator.evaluate(&question(Rule::Renju, "h8 h9 j10", &name(best), None), &GO_ON) {
        Err(Failure::Unfit(why)) => assert!(why.contains(&format!("it prefers {}", name(best))), "{why}"),
        other => panic!("{other:?}"),
    }
    let asked = question(Rule::Renju, "h8 h9 j10", "a1", None);
    assert_eq!(evaluator.evaluate(&asked, &GO_ON).unwrap().lines[0].moves[0], best);
}

#[test]
fn values_over_agi_come_from_scores_and_wins_from_what_is_called_so() {
    let value = |switches: &str| {
        let mut evaluator = start_agi(switches);
        assert_eq!(evaluator.abilities(), Abilities { values: true, lines: false, except: false }, "{switches}");
        let found = evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10", "", None), &GO_ON).unwrap();
        // It says that the other side plays on the same point.
        assert_eq!(found.lines[0].moves.len(), 1);
        (found.lines[0].value, found.depth, found.remarks.len())
    };
    assert_eq!(value("--eval"), (Some(12), 3, 0));
    assert_eq!(value("--detail -764 --crlf --chatter"), (Some(-764), 7, 0));
    assert_eq!(value("--detail 29993 --win"), (Some(29_993), 7, 0));
    assert_eq!(value("--detail 40 --win"), (Some(29_501), 7, 0));
    // A number that would be a win is none.
    assert_eq!(value("--detail 29993"), (Some(20_000), 7, 1));
}

#[test]
fn moves_are_left_out_over_agi_where_the_search_of_some_is_heeded() {
    let mut evaluator = start_agi("--search --eval");
    assert!(evaluator.abilities().except);
    let mut except = String::new();
    let mut seen = Vec::new();
    for _ in 0..6 {
        let found = evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10", &except, None), &GO_ON).unwrap();
        let best = found.lines[0].moves[0];
        assert!(!seen.contains(&best));
        seen.push(best);
        except += &format!(" {}", name(best));
    }
    let mut asked = question(Rule::Freestyle, "h8", "", None);
    asked.except = Size::default().points().map(Move::Place).filter(|play| *play != plays("h8")[0]).collect();
    assert_eq!(evaluator.evaluate(&asked, &GO_ON).unwrap().lines, []);
}

#[test]
fn moves_that_are_none_are_asked_for_again_over_agi() {
    assert_eq!(broken_agi("--occupied 1 --when 3"), "asked 3 times: a stone stands on j10 already");
    assert_eq!(broken_agi("--off-board 1 --when 3"), "asked 3 times: the move `BESTMOVE F1` is off the board");
    assert_eq!(broken_agi("--nonsense 1 --when 3"), "asked 3 times: `BESTMOVE 7` is no move");
    let plain = answer_agi("").unwrap();
    for (misdeed, told) in [
        ("--crash", "the board is on fire"),
        ("--occupied", "a stone stands on j10 already"),
        ("--off-board", "the move `BESTMOVE F1` is off the board"),
    ] {
        let desk = Desk::new();
        let file = desk.path("once");
        let found = answer_agi(&format!("{misdeed} 1 --when 3 --once '{}'", file.display())).unwrap();
        assert!(found.remarks.len() == 1 && found.remarks[0].contains(told), "{found:?}");
        assert_eq!(found.lines, plain.lines);
    }
    // f6 makes two threes.
    let threes = "d6 a1 e6 o1 f4 a15 f5 o15";
    let mut evaluator = start_agi("--moves 5,9;5,9;5,9;5,9;5,9;5,9;5,9");
    match evaluator.evaluate(&question(Rule::Renju, threes, "", None), &GO_ON) {
        Err(Failure::Broken(why)) => assert_eq!(why, "asked 3 times: f6 is forbidden to Black (double-three)"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_engine_that_hangs_floods_or_crashes_over_agi_is_given_up() {
    for (switches, told) in [("--hang 1", "no move within"), ("--flood 1", "no move within"), ("--crash 1", "on fire")]
    {
        let begun = Instant::now();
        let manner = Manner {
            patience: Duration::from_millis(1000),
            tries: 2,
            ..manner(&random(&format!("--at-once {switches} --when 3")))
        };
        let mut evaluator = AgiEvaluator::start(manner, &GO_ON).unwrap();
        match evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10", "", None), &GO_ON) {
            Err(Failure::Broken(why)) => assert!(why.contains("asked 2 times") && why.contains(told), "{why}"),
            other => panic!("{switches}: {other:?}"),
        }
        evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10 a1", "", None), &GO_ON).unwrap();
        assert!(begun.elapsed() < SOON, "{switches}");
    }
}

#[test]
fn engines_that_are_late_slow_or_untidy_over_agi_are_waited_for() {
    let plain = answer_agi("").unwrap();
    for switches in ["--late 300", "--slow-start 1100", "--untidy 200", "--untidy 5", "--crlf --chatter"] {
        assert_eq!(answer_agi(switches), Ok(plain.clone()), "{switches}");
    }
    let mut patient = AgiEvaluator::start(manner(&random("")), &GO_ON).unwrap();
    let begun = Instant::now();
    let mut asked = question(Rule::Freestyle, "h8 h9 j10", "", None);
    asked.effort.time = Some(Duration::from_millis(400));
    assert_eq!(patient.evaluate(&asked, &GO_ON), Ok(plain));
    assert!(begun.elapsed() >= Duration::from_millis(400), "it was stopped before its time");
}

#[test]
fn what_agi_has_no_word_for_is_told_at_once() {
    let failure = |line: &str| AgiEvaluator::start(manner(line), &GO_ON).err().unwrap();
    assert!(matches!(failure("./nowhere/engine"), Failure::Broken(why) if why.contains("there is no program")));
    assert!(matches!(failure(&random("--refuse")), Failure::Unfit(why) if why.contains("no such board")));
    assert!(matches!(failure(&random("--at-once --crash 1")), Failure::Broken(why) if why.contains("on fire")));
    let mut evaluator = start_agi("--no-about");
    assert_eq!(evaluator.source(), "random-engine");
    let mut unfit = |asked: &Question| match evaluator.evaluate(asked, &GO_ON) {
        Err(Failure::Unfit(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(unfit(&question(Rule::Standard, "h8 h9", "", None)).contains("no word for the rule standard"));
    let mut asked = question(Rule::Freestyle, "h8 h9 j10", "", None);
    change(&mut asked, |position| position.size = Size::square(20).unwrap());
    assert!(unfit(&asked).contains("no word for a board of 20x20"));
    let mut asked = question(Rule::Freestyle, "h8 h9 j10", "", None);
    change(&mut asked, |position| position.to_move = Side::First);
    assert!(unfit(&asked).contains("passed"));
    assert_eq!(start_agi("--name 'a\u{1b}[0mb'").source(), "a\u{FFFD}[0mb 1");
}

#[test]
fn who_evaluates_over_agi_can_be_stopped() {
    let mut evaluator = start_agi("--hang 1 --when 3");
    let stop = AtomicBool::new(false);
    let begun = Instant::now();
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10", "", None), &stop)
    });
    assert_eq!(found, Err(Failure::Stopped));
    assert!(begun.elapsed() < SOON);
    evaluator.evaluate(&question(Rule::Freestyle, "h8 h9 j10 a1", "", None), &GO_ON).unwrap();
}

/// A desk with a book of games, whose positions have up to six stones.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.sample("book/games.sgf");
    let said = desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "games.agb"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    desk
}

fn content(desk: &Desk, name: &str) -> u128 {
    let bytes = desk.read(name);
    let book = Book::open(&bytes[..]).unwrap();
    book.verify().unwrap();
    book.content_hash()
}

fn eval(desk: &Desk, engine: &str, out: &str, more: &[&str]) -> Said {
    let eval = ["book", "eval", "games.agb", "--time", "10ms", "--engine", engine, "-o", out, "-j", "2"];
    desk.kifu(&[&eval[..], more].concat())
}

#[test]
fn a_book_is_the_same_though_its_engine_crashes_on_the_way() {
    let desk = desk();
    let plain = eval(&desk, &random("--eval"), "plain.agb", &[]);
    assert_eq!(plain.code, 0, "{plain:?}");
    assert_ne!(content(&desk, "plain.agb"), content(&desk, "games.agb"));
    for misdeed in ["--crash", "--hang", "--occupied"] {
        let once = desk.path(misdeed);
        let engine = random(&format!("--eval {misdeed} 1 --when 3 --once '{}'", once.display()));
        let said = eval(&desk, &engine, "out.agb", &["--patience", "2s", "--force"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(once.exists(), "{misdeed} was not done");
        // It is told, and nothing else is other than it was.
        assert_eq!(said.err.lines().count(), plain.err.lines().count() + 1, "{said:?}");
        assert_eq!(content(&desk, "out.agb"), content(&desk, "plain.agb"), "{misdeed}");
    }
}

#[test]
fn a_book_learns_over_agi() {
    let desk = desk();
    let agi = |switches: &str, out: &str| {
        eval(
            &desk,
            &random(&format!("--at-once {switches}")),
            out,
            &["--protocol", "agi", "--patience", "2s", "--force"],
        )
    };
    let plain = agi("--eval --search", "plain.agb");
    assert_eq!(plain.code, 0, "{plain:?}");
    assert!(plain.err.contains("cannot be told a number of nodes") && !plain.err.contains("no values"), "{plain:?}");
    let once = desk.path("once");
    let said = agi(&format!("--eval --search --crash 1 --when 3 --once '{}'", once.display()), "out.agb");
    assert_eq!((said.code, once.exists()), (0, true), "{said:?}");
    assert_eq!(said.err.lines().count(), plain.err.lines().count() + 1, "{said:?}");
    assert_eq!(content(&desk, "out.agb"), content(&desk, "plain.agb"));
    // Without values its moves are suggestions, and that is said beforehand.
    let said = agi("", "out.agb");
    assert!(said.code == 0 && said.err.contains("names moves but no values"), "{said:?}");
    for more in [["--info", "a=1"], ["--memory", "64M"]] {
        let said = eval(&desk, &random("--at-once"), "none.agb", &[&["--protocol", "agi"][..], &more].concat());
        assert!(said.code == 2 && said.err.contains("AGI has no words for"), "{said:?}");
    }
    assert!(!desk.path("none.agb").exists());
}

#[test]
fn positions_that_an_engine_fails_at_are_told_and_the_others_are_kept() {
    let desk = desk();
    let plain = eval(&desk, &random("--eval"), "plain.agb", &[]);
    let said = eval(&desk, &random("--eval --crash 1 --when 3"), "out.agb", &[]);
    assert_eq!(said.code, 2, "{said:?}");
    let told = said.err.lines().filter(|line| line.contains("the board is on fire")).count();
    assert!(told > 0 && said.out.contains(&format!("failed: {told} position")), "{said:?}");
    let evaluated = |said: &Said| -> usize {
        let line = said.out.lines().find_map(|line| line.strip_prefix("  evaluated: ")).unwrap();
        line.split(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(evaluated(&said) + told, evaluated(&plain));
    content(&desk, "out.agb");
}

#[test]
fn a_book_grows_by_engines_of_every_kind() {
    let desk = desk();
    let expand = |engine: &str, more: &[&str]| {
        let expand = ["book", "expand", "games.agb", "--positions", "12", "--batch", "4", "-o", "out.agb", "--force"];
        desk.kifu(&[&expand[..], &["--engine", engine, "-j", "2"], more].concat())
    };
    let said = expand(&ours(), &["--each-nodes", "300"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    let whole = content(&desk, "out.agb");
    // Values, but nothing left out: what it prefers is known already where the book follows its advice.
    let said = expand(&random("--eval"), &["--each-time", "10ms"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.err.contains("cannot leave out the moves that are known") && !said.err.contains("no values"),
        "{said:?}"
    );
    assert_ne!(content(&desk, "out.agb"), whole);
    assert!(said.out.contains("new: ") && !said.out.contains("new: 0 positions"), "{said:?}");
    // Neither: it ends by itself.
    let said = expand(&random(""), &["--each-time", "10ms"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("names moves but no values") && said.err.contains("no line left"), "{said:?}");
}

#[test]
fn an_engine_that_is_none_leaves_nothing_behind() {
    let desk = desk();
    let said = eval(&desk, "./nowhere/engine", "out.agb", &[]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("--engine: ./nowhere/engine: it cannot be started: there is no program"), "{said:?}");
    let said = eval(&desk, &random("--refuse"), "out.agb", &[]);
    assert!(said.code == 2 && said.err.contains("no such board"), "{said:?}");
    assert!(!desk.path("out.agb").exists());
    // Options of engines are none of ours.
    let said = desk.kifu(&["book", "eval", "games.agb", "--tries", "2"]);
    assert!(said.code == 2 && said.err.contains("--engine"), "{said:?}");
}

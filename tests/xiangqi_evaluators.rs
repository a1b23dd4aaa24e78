//! Engines of xiangqi as evaluators: what they say comes into records and books as they say it, what they do wrong is
//! told, and nothing is lost by it.

mod support;

use engine::rival::{Dialect, Manner, UciEvaluator};
use games::gomoku::Board as Stones;
use games::xiangqi::{Board, Fen, FenOptions};
use games::{Move, Rule, Side, Size, Step};
use record::{Abilities, Effort, Evaluate, Failure, Finding, Question, StoneKey};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Desk, Said, uci_engine};

static GO_ON: AtomicBool = AtomicBool::new(false);

const BOTH: [Dialect; 2] = [Dialect::Uci, Dialect::Ucci];

fn manner(switches: &str, patience: Duration) -> Manner {
    let line = format!("'{}' {switches}", uci_engine()).parse().unwrap();
    Manner { line, memory: 16 << 20, patience, tries: 3, more: Vec::new() }
}

fn start(switches: &str, dialect: Dialect) -> UciEvaluator {
    UciEvaluator::start(manner(switches, Duration::from_secs(20)), dialect, &GO_ON).unwrap()
}

fn board(fen: &str) -> Board {
    Fen::read(fen, FenOptions::default()).unwrap().0.board
}

fn steps(words: &str) -> Vec<Step> {
    words.split_whitespace().map(|word| Step::from_text(word).unwrap()).collect()
}

fn plays(words: &str) -> Vec<Move> {
    let mut plays: Vec<Move> = steps(words).into_iter().map(Move::Step).collect();
    plays.sort_unstable();
    plays
}

fn question(board: Board, except: &str) -> Question {
    let effort = Effort { nodes: Some(100), ..Effort::default() };
    Question { position: board.into(), history: Vec::new(), except: plays(except), lines: 1, effort }
}

/// The first line of a finding: its moves and its value.
fn first(finding: &Finding) -> (String, Option<i32>) {
    let moves: Vec<String> = finding.lines[0].moves.iter().map(|play| play.text(Size::XIANGQI)).collect();
    (moves.join(" "), finding.lines[0].value)
}

/// A rook of each side can be taken; Red's loses nothing by it.
const HANGING: &str = "3k5/9/9/9/r3R4/9/9/9/9/4K4 w - - 0 1";

#[test]
fn an_engine_in_either_dialect_finds_what_hangs() {
    for dialect in BOTH {
        for switches in ["--plays", "--plays --bare", "--plays --variant", "--plays --from-1"] {
            let mut engine = start(switches, dialect);
            let lines = dialect == Dialect::Uci;
            assert_eq!(engine.abilities(), Abilities { values: true, lines, except: true }, "{switches}");
            assert_eq!(engine.source(), "fake 1.0");
            let found = engine.evaluate(&question(board(HANGING), ""), &GO_ON).unwrap();
            let (moves, value) = first(&found);
            assert!(moves.starts_with("e5a5"), "{moves}");
            assert_eq!((value, found.depth, found.nodes, found.scale), (Some(900), 6, Some(1234), 200), "{switches}");
            assert!(found.remarks.is_empty(), "{found:?}");
            let other = engine.evaluate(&question(board(HANGING), "e5a5"), &GO_ON).unwrap();
            assert!(!first(&other).0.starts_with("e5a5"));
            let several = engine.evaluate(&Question { lines: 3, ..question(board(HANGING), "") }, &GO_ON).unwrap();
            assert_eq!(several.lines.len(), if lines { 3 } else { 1 });
        }
    }
}

#[test]
fn mates_are_counted_in_plies_and_never_proven() {
    let mut engine = start("--plays", Dialect::Uci);
    let mate = board("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1");
    let found = engine.evaluate(&question(mate.clone(), ""), &GO_ON).unwrap();
    assert_eq!((first(&found).1, found.lines[0].grounds), (Some(29_999), None));
    let mated = engine.evaluate(&question(mate.swap_colours().rotate(), ""), &GO_ON).unwrap();
    assert_eq!(first(&mated).1, Some(29_999));
    // One of two rooks mates whatever Black plays.
    let lost = board("4k4/R8/9/9/9/9/9/9/9/1R1K5 b - - 0 1");
    assert_eq!(first(&engine.evaluate(&question(lost, ""), &GO_ON).unwrap()).1, Some(-29_998));
}

#[test]
fn what_no_engine_is_told_is_known_before() {
    let desk = Desk::new();
    let log = desk.path("log");
    let mut engine = start(&format!("--plays --log '{}'", log.display()), Dialect::Uci);
    let before = desk.read("log");
    let mut unfit = |question: &Question| match engine.evaluate(question, &GO_ON) {
        Err(Failure::Unfit(why)) => why,
        other => panic!("{other:?}"),
    };
    // The kings face each other; the side that has moved is in check; a king is missing; it is a mate.
    for fen in [
        "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
        "3k5/9/9/9/3R5/9/9/9/9/4K4 w - - 0 1",
        "9/9/9/9/3R5/9/9/9/9/4K4 w - - 0 1",
        "1R2k4/R8/9/9/9/9/9/9/9/3K5 b - - 0 1",
    ] {
        assert!(!unfit(&question(board(fen), "")).is_empty(), "{fen}");
    }
    let stones = StoneKey::new(&Stones::new(Size::default()), Side::First, Rule::Renju);
    let gomoku = Question { position: stones.into(), ..question(Board::start(), "") };
    assert_eq!(unfit(&gomoku), "it plays xiangqi, and this is renju");
    let strange = Question { history: steps("h2e2"), ..question(Board::start(), "") };
    assert!(unfit(&strange).contains("history"));
    let all: Vec<String> = Board::start().moves().map(|step| step.to_string()).collect();
    assert!(engine.evaluate(&question(Board::start(), &all.join(" ")), &GO_ON).unwrap().lines.is_empty());
    assert_eq!(desk.read("log"), before, "the engine was asked");
}

#[test]
fn the_moves_since_a_capture_are_told() {
    let desk = Desk::new();
    let log = desk.path("log");
    let mut engine = start(&format!("--plays --log '{}'", log.display()), Dialect::Uci);
    let mut after = Board::start();
    let history = steps("h2e2 h9g7 e2h2 g7h9");
    history.iter().for_each(|step| assert_eq!(after.play(*step), Ok(None)));
    engine.evaluate(&Question { history, ..question(after, "") }, &GO_ON).unwrap();
    let log = String::from_utf8(desk.read("log")).unwrap();
    assert!(log.contains(&format!("position fen {} moves h2e2 h9g7 e2h2 g7h9\n", Fen::start())), "{log}");
}

#[test]
fn the_twin_of_an_engine_counts_ranks_as_it_does() {
    for switches in ["--plays --from-1", "--plays --variant", "--plays"] {
        let mut twin = start(switches, Dialect::Uci).twin();
        let found = twin.evaluate(&question(board(HANGING), ""), &GO_ON).unwrap();
        assert!(first(&found).0.starts_with("e5a5"), "{switches}");
    }
}

#[test]
fn what_they_do_wrong_is_told_and_ends_soon() {
    for dialect in BOTH {
        let failure = |switches: &str| {
            let begun = Instant::now();
            let manner = Manner { tries: 2, ..manner(switches, Duration::from_millis(600)) };
            let failure = UciEvaluator::start(manner, dialect, &GO_ON).err().unwrap();
            assert!(begun.elapsed() < Duration::from_secs(20), "{switches}");
            match failure {
                Failure::Broken(why) | Failure::Unfit(why) => why,
                other => panic!("{switches}: {other:?}"),
            }
        };
        assert!(failure("--crash").contains("the board is on fire"));
        assert!(failure("--hang").starts_with("no move within"));
        assert!(failure("--flood").starts_with("no move within"));
        assert_eq!(failure("--illegal"), "`bestmove a0a0` is no move");
        assert_eq!(failure("--none"), "it says that there is no move, and there are 44");
    }
    // It knows moves of the start alone, and is asked as often as it may be.
    let mut engine = start("--knows h2e2,h0g2,b0c2", Dialect::Uci);
    let asked = question(board(HANGING), "");
    let Err(Failure::Broken(why)) = engine.evaluate(&asked, &GO_ON) else { panic!() };
    assert_eq!(why, "asked 3 times: `bestmove h2e2 ponder a9a8` is no move");
    let mut manner = manner("--plays", Duration::from_secs(20));
    manner.more = vec![("Contempt".into(), "12".into())];
    let unknown = UciEvaluator::start(manner, Dialect::Uci, &GO_ON).err();
    assert_eq!(unknown, Some(Failure::Unfit("it offers no option Contempt".into())));
}

#[test]
fn who_evaluates_can_be_stopped() {
    let mut engine = start("--plays", Dialect::Ucci);
    let stop = AtomicBool::new(true);
    assert_eq!(engine.evaluate(&question(Board::start(), ""), &stop), Err(Failure::Stopped));
    stop.store(false, Ordering::Relaxed);
    assert!(engine.evaluate(&question(Board::start(), ""), &stop).is_ok());
}

/// A game in which Black leaves a rook where it can be taken, and Red does not see it.
const GAME: &str = "\
[Game \"Chinese Chess\"]
[Red \"Ann\"]
[Black \"Bob\"]
[Result \"*\"]

1. C2=5 {a word} N8+7
2. N2+3 R9+1
3. R1=2 R9=4
4. R2+4 R4+4 {a blunder}
5. P7+1
*
";

fn done(said: &Said) {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
}

fn with(protocol: &str, switches: &str) -> [String; 4] {
    ["--engine".into(), format!("'{}' {switches}", uci_engine()), "--protocol".into(), protocol.into()]
}

fn run(desk: &Desk, words: &str, engine: &[String]) -> Said {
    desk.kifu(&words.split(' ').map(str::to_owned).chain(engine.iter().cloned()).collect::<Vec<_>>())
}

#[test]
fn games_of_xiangqi_are_annotated() {
    let desk = Desk::new();
    desk.put("game.pgn", GAME);
    for protocol in ["uci", "ucci"] {
        let said = run(&desk, "annotate game.pgn -o out.agr --force --json --variations", &with(protocol, "--plays"));
        done(&said);
        let rows = said.json();
        assert_eq!(rows.len(), 10, "{said:?}");
        let text = String::from_utf8(desk.read("out.agr")).unwrap();
        assert!(text.contains("a word") && text.contains("a blunder"), "{text}");
        let blunder = &rows[7];
        assert_eq!((blunder["side"].as_str(), blunder["move"].as_str()), (Some("black"), Some("d8d4")), "{blunder}");
        assert_eq!((blunder["mark"].as_u64(), rows[8]["mark"].as_u64()), (Some(30), Some(30)), "{said:?}");
        assert!(rows[8]["best"].to_string().contains("h4d4"), "{said:?}");
        let game = rows.last().unwrap();
        assert_eq!(
            (game["red"].as_str(), game["black"].as_str(), game["rule"].as_str()),
            (Some("Ann"), Some("Bob"), Some("xiangqi"))
        );
        // A second run finds its own words, and one from beyond the end leaves what was there.
        let again = run(&desk, "annotate out.agr -o again.agr --force --variations", &with(protocol, "--plays"));
        assert_eq!((again.code, desk.read("again.agr")), (0, desk.read("out.agr")), "{again:?}");
        let back = run(&desk, "annotate out.agr -o back.agr --force --from-ply 400", &with(protocol, "--plays"));
        assert_eq!(back.code, 0, "{back:?}");
        done(&desk.kifu(&["convert", "game.pgn", "-o", "plain.agr", "--force"]));
        assert_eq!(desk.read("back.agr"), desk.read("plain.agr"));
    }
}

#[test]
fn what_is_done_with_gomoku_alone_is_refused_in_a_sentence() {
    let desk = Desk::new();
    desk.put("game.pgn", GAME);
    desk.put("stones.sgf", "(;FF[4]GM[4]SZ[15]RU[freestyle];B[hh];W[ig];B[aa];W[oo];B[ao];W[oa];B[ge];W[kj])");
    let refused = |said: Said, words: &str| assert!(said.code == 2 && said.err.contains(words), "{said:?}");
    refused(desk.kifu(&["annotate", "game.pgn", "-o", "out.agr"]), "the engine plays gomoku");
    refused(run(&desk, "annotate stones.sgf -o out.agr", &with("uci", "--plays")), "are asked about xiangqi");
    refused(run(&desk, "annotate game.pgn -o out.agr --puzzles p.agr", &with("uci", "--plays")), "--puzzles");
    done(&desk.kifu(&["book", "build", "game.pgn", "--short", "-o", "xq.agb"]));
    refused(desk.kifu(&["book", "eval", "xq.agb"]), "the engine plays gomoku");
    refused(run(&desk, "book eval xq.agb --back-up", &with("uci", "--plays")), "no value follows from others");
    refused(run(&desk, "book eval xq.agb --opening-rule rif", &with("uci", "--plays")), "no value follows from others");
    refused(run(&desk, "book expand xq.agb --positions 2", &with("uci", "--plays")), "gomoku alone");
    refused(desk.kifu(&["book", "leaves", "xq.agb", "--max-ply", "9"]), "no line is followed");
}

#[test]
fn a_book_of_xiangqi_is_evaluated_once_and_answers_for_an_engine() {
    let desk = Desk::new();
    desk.put("game.pgn", GAME);
    done(&desk.kifu(&["book", "build", "game.pgn", "--short", "-o", "xq.agb"]));
    let said = run(&desk, "book eval xq.agb -o first.agb", &with("uci", "--plays"));
    done(&said);
    assert!(said.out.contains("evaluated: 10 positions") && said.out.contains("learned of: 10 positions"), "{said:?}");
    let again = run(&desk, "book eval first.agb --dry-run", &with("uci", "--plays"));
    assert!(again.out.contains("to evaluate: 0 positions of 10"), "{again:?}");
    // The same whoever works, and how many.
    let other = run(&desk, "book eval xq.agb -o other.agb -j 3", &with("uci", "--plays"));
    done(&other);
    done(&desk.kifu(&["book", "diff", "first.agb", "other.agb"]));
    // Nor does it matter on how many machines.
    done(&desk.kifu(&["book", "leaves", "xq.agb", "-n", "99", "--each-nodes", "10000", "-o", "jobs.jsonl"]));
    for share in ["1", "2"] {
        let jobs = format!("book eval-jobs jobs.jsonl --shard {share}/2 -o {share}.jsonl");
        done(&run(&desk, &jobs, &with("uci", "--plays")));
    }
    done(&desk.kifu(&["book", "absorb", "xq.agb", "2.jsonl", "1.jsonl", "2.jsonl", "-o", "absorbed.agb"]));
    done(&desk.kifu(&["book", "diff", "first.agb", "absorbed.agb"]));
    // What the book knows is what the engine said.
    done(&run(&desk, "annotate game.pgn -o engine.agr", &with("uci", "--plays")));
    done(&desk.kifu(&["annotate", "game.pgn", "-o", "book.agr", "--from-book", "first.agb"]));
    let values = |file: &str| -> Vec<String> {
        let text = String::from_utf8(desk.read(file)).unwrap();
        text.split("[%val ").skip(1).map(|rest| rest.split(']').next().unwrap().to_owned()).collect()
    };
    assert_eq!(values("book.agr"), values("engine.agr"));
    assert_eq!(values("book.agr").len(), 9);
}

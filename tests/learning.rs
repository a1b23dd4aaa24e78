//! `kifu book eval`, `expand`, `leaves`, `eval-jobs` and `absorb`: a book that learns is the same whoever works on it,
//! in whatever order, and whatever ends the program on the way.

mod support;

use book::Book;
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Desk, Said};

/// A desk with a book of games.
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

fn done(said: &Said) {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
}

const EXPAND: [&str; 11] =
    ["book", "expand", "games.agb", "--positions", "24", "--batch", "8", "--each-nodes", "1500", "-o", "out.agb"];

#[test]
fn an_expanded_book_is_the_same_however_many_work_on_it() {
    let desk = desk();
    let before = content(&desk, "games.agb");
    let mut hashes = Vec::new();
    for workers in ["1", "2", "4"] {
        done(&desk.kifu(&[&EXPAND[..], &["--force", "-j", workers]].concat()));
        hashes.push(content(&desk, "out.agb"));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0] && *hash != before), "{hashes:x?}");
    // In its place it is the same, too.
    desk.put("again.agb", desk.read("games.agb"));
    let mut in_place = EXPAND[..9].to_vec();
    in_place[2] = "again.agb";
    done(&desk.kifu(&in_place));
    assert_eq!(content(&desk, "again.agb"), hashes[0]);
    assert_eq!(desk.files(""), ["again.agb", "games.agb", "games.sgf", "out.agb"]);
}

#[test]
fn an_expansion_that_was_killed_goes_on_to_the_same_book() {
    let desk = desk();
    let begun = Instant::now();
    done(&desk.kifu(&EXPAND));
    let whole = begun.elapsed();
    let wanted = content(&desk, "out.agb");
    let (mut resumed, mut killed) = (0, 0);
    for round in 0..20_u32 {
        std::fs::remove_file(desk.path("out.agb")).unwrap();
        // Killed once or more often, until a run comes to its end.
        let mut kills = 1 + round % 3;
        loop {
            let mut child = desk.command(&EXPAND).spawn().unwrap();
            if kills > 0 {
                std::thread::sleep(whole.mul_f64(f64::from(1 + (round * 7 + kills * 3) % 20) / 22.0));
                kills -= 1;
                let _ = child.kill();
                killed += 1;
            }
            let said = Said { code: 0, ..said_of(child) };
            resumed += usize::from(said.out.contains("from the journal"));
            if desk.path("out.agb").exists() {
                break;
            }
        }
        assert_eq!(content(&desk, "out.agb"), wanted, "round {round}");
        // A run that was killed between the last two steps leaves its journal, which the next one clears.
        let _ = std::fs::remove_file(desk.path("out.agb.journal"));
    }
    assert!(resumed > 5, "{resumed} runs went on from a journal, {killed} were killed");
}

/// What a run said that may have been killed.
fn said_of(child: std::process::Child) -> Said {
    let output = child.wait_with_output().unwrap();
    Said {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap_or(-9),
    }
}

#[test]
fn a_run_that_ended_just_when_it_was_done_is_not_done_twice() {
    let desk = desk();
    let in_place = &EXPAND[..9];
    let hash = |desk: &Desk| content(desk, "games.agb");
    // The journal of a run that has put its book in place, and was killed before it removed the journal.
    let lock = desk.path("games.agb.journal");
    std::fs::create_dir(&lock).unwrap();
    let said = desk.kifu(in_place);
    assert_eq!(said.code, 2, "a journal that cannot be written is an error: {said:?}");
    std::fs::remove_dir(&lock).unwrap();
    done(&desk.kifu(in_place));
    let once = hash(&desk);
    desk.put("games.agb.journal", journal_done(once));
    let said = desk.kifu(in_place);
    done(&said);
    assert!(said.out.contains("this was done already"), "{said:?}");
    assert_eq!(hash(&desk), once);
    assert!(!lock.exists());
    // The next one goes on.
    done(&desk.kifu(in_place));
    assert_ne!(hash(&desk), once);
}

/// A journal without answers whose book is done.
fn journal_done(hash: u128) -> String {
    let object = format!("{{\"kifu\":1,\"done\":\"{hash:032x}\"}}");
    let check = book::fingerprint(object.as_bytes());
    format!("{},\"check\":\"{check:016x}\"}}\n", &object[..object.len() - 1])
}

const LEAVES: [&str; 9] = ["book", "leaves", "games.agb", "-n", "9", "--each-nodes", "1500", "-o", "jobs.jsonl"];

/// A book after one round, taken in one process.
fn one_round(desk: &Desk) -> u128 {
    let mut expand = EXPAND;
    (expand[4], expand[6]) = ("9", "9");
    done(&desk.kifu(&expand));
    content(desk, "out.agb")
}

#[test]
fn shares_of_the_jobs_come_to_the_same_book() {
    let desk = desk();
    let wanted = one_round(&desk);
    done(&desk.kifu(&LEAVES));
    for (shard, output) in [("1/3", "a.jsonl"), ("3/3", "c.jsonl"), ("2/3", "b.jsonl"), ("2/3", "twice.jsonl")] {
        done(&desk.kifu(&["book", "eval-jobs", "jobs.jsonl", "--shard", shard, "-o", output]));
    }
    let orders: [&[&str]; 3] = [
        &["a.jsonl", "b.jsonl", "c.jsonl"],
        &["c.jsonl", "twice.jsonl", "a.jsonl", "b.jsonl"],
        &["b.jsonl", "b.jsonl", "a.jsonl", "c.jsonl", "a.jsonl"],
    ];
    for order in orders {
        done(&desk.kifu(&[&["book", "absorb", "games.agb", "-o", "grown.agb", "--force"], order].concat()));
        assert_eq!(content(&desk, "grown.agb"), wanted, "{order:?}");
    }
    // Once more into the same book: nothing is new.
    let said = desk.kifu(&["book", "absorb", "grown.agb", "a.jsonl", "b.jsonl", "c.jsonl"]);
    done(&said);
    assert_eq!(content(&desk, "grown.agb"), wanted);
    assert!(said.out.contains("new: 0 positions") && said.out.contains("learned of: 0 positions"), "{said:?}");
    // Answers that were lost are asked for again, and then all is there.
    done(&desk.kifu(&["book", "absorb", "games.agb", "a.jsonl", "c.jsonl", "-o", "part.agb"]));
    assert_ne!(content(&desk, "part.agb"), wanted);
    done(&desk.kifu(&["book", "absorb", "part.agb", "b.jsonl", "a.jsonl", "c.jsonl"]));
    assert_eq!(content(&desk, "part.agb"), wanted);
}

#[test]
fn gnu_parallel_spreads_the_jobs() {
    if Command::new("parallel").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let desk = desk();
        let wanted = one_round(&desk);
        done(&desk.kifu(&LEAVES));
        let run = |shards: &[&str]| {
            let kifu = env!("CARGO_BIN_EXE_kifu");
            let job = format!("'{kifu}' book eval-jobs jobs.jsonl --shard {{}}/3 -j 1 -o results-{{}}.jsonl");
            let mut command = Command::new("parallel");
            command.current_dir(desk.path("")).env("HOME", desk.path("")).args(["-j", "3", &job, ":::"]).args(shards);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        run(&["1", "2", "3"]);
        run(&["2"]);
        let absorb = ["book", "absorb", "games.agb", "results-3.jsonl", "results-1.jsonl", "results-2.jsonl", "-o"];
        done(&desk.kifu(&[&absorb[..], &["grown.agb"]].concat()));
        assert_eq!(content(&desk, "grown.agb"), wanted);
    } else {
        eprintln!("skipped: GNU parallel is not here");
    }
}

#[test]
fn damaged_answers_are_told_and_left_out() {
    let desk = desk();
    done(&desk.kifu(&LEAVES));
    done(&desk.kifu(&["book", "eval-jobs", "jobs.jsonl", "-o", "all.jsonl"]));
    let text = String::from_utf8(desk.read("all.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let changed = lines[0].replace("\"value\":", "\"value\":1");
    assert_ne!(changed, lines[0]);
    let half = &lines[1][..lines[1].len() / 2];
    desk.put("bad.jsonl", format!("{changed}\n{half}\n\u{1b}[2J\n{}\n", lines[2]));
    let said = desk.kifu(&["book", "absorb", "games.agb", "bad.jsonl", "-o", "out.agb"]);
    assert_eq!(said.code, 2);
    for number in 1..=3 {
        assert!(said.err.contains(&format!("bad.jsonl: line {number}: ")), "{said:?}");
    }
    assert!(!said.err.contains('\u{1b}'));
    // A file of answers that is cut goes on where it was whole.
    desk.put("all.jsonl", &text[..text.len() - lines[lines.len() - 1].len() / 2]);
    let said = desk.kifu(&["book", "eval-jobs", "jobs.jsonl", "-o", "all.jsonl"]);
    assert_eq!(said.code, 0);
    let found = desk.read("all.jsonl");
    assert_eq!(String::from_utf8(found).unwrap(), text);
    // Jobs that somebody changed are refused, with their line.
    let jobs = String::from_utf8(desk.read("jobs.jsonl")).unwrap();
    desk.put("bad-jobs.jsonl", jobs.replacen("1500", "9", 1));
    let said = desk.kifu(&["book", "eval-jobs", "bad-jobs.jsonl", "-o", "none.jsonl"]);
    assert!(said.code == 2 && said.err.contains("line 1: the job does not have the number"), "{said:?}");
}

#[test]
fn two_runs_do_not_share_a_journal() {
    let desk = desk();
    let mut long = EXPAND.to_vec();
    (long[4], long[8]) = ("10000", "20000");
    let mut child = desk.command(&long).spawn().unwrap();
    while !desk.path("out.agb.journal").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    let said = desk.kifu(&EXPAND);
    let _ = child.kill();
    child.wait().unwrap();
    assert!(said.code == 2 && said.err.contains("another run is at this work"), "{said:?}");
}

#[test]
fn a_book_is_evaluated_by_what_is_asked_for() {
    let desk = desk();
    let dry = desk.kifu(&["book", "eval", "games.agb", "--max-ply", "3", "--dry-run"]);
    done(&dry);
    assert!(dry.out.contains("to evaluate:"), "{dry:?}");
    done(&desk.kifu(&["book", "eval", "games.agb", "--max-ply", "3", "--nodes", "800", "-o", "one.agb"]));
    let again = desk.kifu(&["book", "eval", "one.agb", "--max-ply", "3", "--dry-run"]);
    assert!(again.out.contains("to evaluate: 0 positions"), "{again:?}");
    let deeper = desk.kifu(&["book", "eval", "one.agb", "--max-ply", "3", "--min-depth", "30", "--dry-run"]);
    assert_eq!(deeper.out.replace("one.agb", "games.agb"), dry.out);
    // In its place, or twice: the same book.
    done(&desk.kifu(&["book", "eval", "games.agb", "--max-ply", "3", "--nodes", "800", "-j", "1"]));
    assert_eq!(content(&desk, "games.agb"), content(&desk, "one.agb"));
    done(&desk.kifu(&["book", "eval", "games.agb", "--back-up"]));
    assert_eq!(content(&desk, "games.agb"), content(&desk, "one.agb"));
}

#[test]
fn an_expansion_needs_an_end_and_options_that_fit() {
    let desk = desk();
    let said = desk.kifu(&["book", "expand", "games.agb"]);
    assert!(said.code == 2 && said.err.contains("--positions, --nodes or --time"), "{said:?}");
    let said = desk.kifu(&["book", "expand", "games.agb", "--positions", "1", "--preset", "repertoire"]);
    assert!(said.code == 2 && said.err.contains("--side black"), "{said:?}");
    let said = desk.kifu(&["book", "expand", "games.agb", "--positions", "1", "--max-loss", "20"]);
    assert!(said.code == 2 && said.err.contains("write a number from 0 to 1"), "{said:?}");
    let said = desk.kifu(&["book", "expand", "games.agb", "--positions", "1", "--alpha", "nan"]);
    assert_eq!(said.code, 2, "{said:?}");
    let said = desk.kifu(&["book", "expand", "games.agb", "--positions", "1", "--cover", "none.sgf"]);
    assert!(said.code == 2 && said.err.contains("none.sgf"), "{said:?}");
}

#[test]
fn work_that_cannot_begin_leaves_no_journal() {
    let desk = desk();
    let said = desk.kifu(&["book", "expand", "games.agb", "--positions", "1", "--engine", "./nobody", "-o", "out.agb"]);
    assert!(said.code == 2 && said.err.contains("./nobody"), "{said:?}");
    assert_eq!(desk.files(""), ["games.agb", "games.sgf"]);
}

#[test]
fn lines_that_are_covered_are_followed_first() {
    let desk = desk();
    desk.put("line.sgf", "(;GM[4]SZ[15];B[hh];W[hg];B[af];W[ba];B[ig])");
    let cover = ["book", "expand", "games.agb", "--positions", "6", "--each-nodes", "300", "--cover", "line.sgf"];
    done(&desk.kifu(&[&cover[..], &["--rule", "freestyle", "-o", "out.agb"]].concat()));
    let said = desk.kifu(&["book", "query", "out.agb", "h8h9a10b15", "--rule", "freestyle", "--json"]);
    assert_eq!(said.json()[0]["found"], true, "{said:?}");
}

#[test]
fn a_book_grows_from_all_the_positions_that_are_named() {
    let desk = desk();
    let grow = ["book", "expand", "games.agb", "--rule", "freestyle", "--positions", "6", "--dry-run", "-o", "out.agb"];
    let lines = |positions: &[&str]| {
        let named: Vec<&str> = positions.iter().flat_map(|position| ["--position", position]).collect();
        let said = desk.kifu(&[&grow[..], &named].concat());
        done(&said);
        said.out.lines().skip(4).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let [one, other] = [lines(&["h8h9"]), lines(&["h8i9"])];
    let both = lines(&["h8h9", "h8i9"]);
    assert_eq!(both, lines(&["h8i9", "h8h9"]));
    assert!(both.contains(&one[0]) && both.contains(&other[0]) && one[0] != other[0], "{both:?}");
}

#[test]
fn fifth_moves_are_ranked_and_those_of_the_book_come_from_it() {
    let desk = Desk::new();
    let run = |options: &[&str]| {
        let fifths = ["book", "fifths", "h8i9j10k11", "--each-nodes", "40", "--json"];
        let said = desk.kifu(&[&fifths[..], options].concat());
        done(&said);
        said.json()
    };
    let rows = run(&["-n", "3"]);
    // The stones stand on a diagonal: half of the points beside it are the images of the others.
    assert_eq!(rows.len(), 116);
    let values: Vec<i64> = rows.iter().map(|row| row["value"].as_i64().unwrap()).collect();
    assert!(values.is_sorted_by(|one, other| one >= other));
    assert_eq!(rows.iter().filter(|row| row["offered"] == true).count(), 3);
    assert_eq!(run(&["-n", "3", "-j", "1"]), rows);
    // The last of them is the best by a book, on whichever side of the diagonal it stands there.
    let last = rows[115]["move"].as_str().unwrap();
    desk.put("game.sgf", "(;GM[4]SZ[15]RU[renju];B[hh];W[ig];B[jf];W[ke])");
    done(&desk.kifu(&["book", "build", "game.sgf", "--short", "-o", "games.agb"]));
    let place = format!("h8i9j10k11{last}");
    done(&desk.kifu(&["book", "set", "games.agb", &place, "--value", "-900", "--depth", "9"]));
    let with_book = run(&["-n", "1", "--book", "games.agb"]);
    assert_eq!((with_book[0]["move"].as_str(), with_book[0]["value"].as_i64()), (Some(last), Some(900)));
    let said = desk.kifu(&["book", "fifths", "h8i9j10k11", "-n", "500"]);
    assert!(said.code == 2 && said.err.contains("only 116 moves"), "{said:?}");
}

#[test]
fn a_book_learns_from_another_one() {
    let desk = desk();
    done(&desk.kifu(&["book", "eval", "games.agb", "--nodes", "300", "-o", "teacher.agb"]));
    let values = |name: &str, position: &str| {
        let said = desk.kifu(&["book", "query", name, position, "--json"]);
        let row = said.json()[0].clone();
        assert!(row["value"].is_i64() && row["rest"]["move"].is_string(), "{row}");
        (row["value"].clone(), row["rest"]["move"].clone(), row["rest"]["value"].clone())
    };
    let eval = |more: &[&str]| {
        let eval = ["book", "eval", "games.agb", "--from-book", "teacher.agb", "-o", "out.agb", "--force"];
        desk.kifu(&[&eval[..], more].concat())
    };
    let said = eval(&[]);
    done(&said);
    assert!(said.out.contains("evaluated: 9 positions") && !said.out.contains("not evaluated"), "{said:?}");
    for position in ["h8", "h8h9", "h8h9j8"] {
        assert_eq!(values("out.agb", position), values("teacher.agb", position), "{position}");
    }
    let whole = content(&desk, "out.agb");
    done(&eval(&["-j", "3"]));
    assert_eq!(content(&desk, "out.agb"), whole);
    // What it lacks is told and has no value.
    done(&desk.kifu(&["book", "delete", "teacher.agb", "h8h9j8", "-o", "less.agb"]));
    let said = desk.kifu(&["book", "eval", "games.agb", "--from-book", "less.agb", "-o", "less-out.agb"]);
    done(&said);
    assert!(said.out.contains("not evaluated, as the other book has no value: 1 position\n"), "{said:?}");
    // Jobs are answered, and books grow, in the same way.
    done(&desk.kifu(&["book", "leaves", "out.agb", "-n", "4", "--each-nodes", "100", "-o", "jobs.jsonl"]));
    let said = desk.kifu(&["book", "eval-jobs", "jobs.jsonl", "--from-book", "teacher.agb", "-o", "answers.jsonl"]);
    assert_eq!(said.code, 0, "{said:?}");
    let expand = ["book", "expand", "games.agb", "--positions", "5", "--from-book", "teacher.agb", "-o", "grown.agb"];
    let said = desk.kifu(&expand);
    assert_eq!(said.code, 0, "{said:?}");
    let said = eval(&["--engine", "x"]);
    assert!(said.code == 2 && said.err.contains("--from-book"), "{said:?}");
}

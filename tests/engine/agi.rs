use crate::games_over_agi::{best, hex};
use crate::talk::Talk;
use std::time::Duration;

fn agi() -> Talk {
    let mut talk = Talk::new(&["--memory", "1M"]);
    talk.say("AGI");
    while talk.next() != "AGIOK" {}
    talk.say("SETOPTION PONDER OFF");
    talk
}

/// The lines up to BESTMOVE.
fn search(talk: &mut Talk, go: &str) -> Vec<String> {
    talk.say(go);
    let mut lines = Vec::new();
    loop {
        lines.push(talk.next());
        if lines[lines.len() - 1].starts_with("BESTMOVE") {
            return lines;
        }
    }
}

/// The last SCORE that was told.
fn score(lines: &[String]) -> i32 {
    let mut scores = lines.iter().filter_map(|line| line.split_once(" SCORE "));
    scores.next_back().expect("a score is told").1.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn colours_are_swapped_where_that_is_worth_more() {
    let mut talk = agi();
    let mut swaps = 0;
    for (rule, stones) in
        [("FIRSTCHANGE", "78"), ("FIRSTCHANGE", "01"), ("THIRDCHANGE", "786879"), ("THIRDCHANGE", "7801EF")]
    {
        talk.say(&format!("SETRULE {rule} UNFORBIDDEN"));
        talk.say(&format!("POSITION MOVES {stones}"));
        let lines = search(&mut talk, "GO TIME 2000");
        let answer = &lines[lines.len() - 1];
        let is_swap = answer.starts_with("BESTMOVE CHANGE");
        assert_eq!(is_swap, score(&lines) < 0, "{lines:?}");
        swaps += usize::from(is_swap);
        // Among moves that are named there is no swap; nor after another number of stones.
        best(&talk.ask("GO SEARCH 676A TIME 1000"));
        talk.say("DOMOVE 6B");
        best(&talk.ask("GO TIME 1000"));
    }
    assert!(swaps > 0);
}

#[test]
fn fifth_moves_are_offered_and_one_of_them_is_chosen() {
    let mut talk = agi();
    // The four stones have one symmetry, in the column of 78.
    for (rule, number) in [("FIVETWINE", 2), ("TIVETWINE", 2), ("FIVEMULITY", 5), ("FIVEMULITY 8", 8)] {
        talk.say(&format!("SETRULE {rule}"));
        talk.say("POSITION MOVES 78685848");
        let lines = search(&mut talk, "GO TIME 3000");
        let offered = lines[lines.len() - 2].strip_prefix("INFO SEARCH ").unwrap().to_string();
        let points: Vec<&str> = (0..offered.len() / 2).map(|at| &offered[2 * at..2 * at + 2]).collect();
        assert_eq!(points.len(), number, "{offered}");
        assert_eq!(lines[lines.len() - 1], format!("BESTMOVE {}", points[0]));
        let columns = points.iter().map(|point| {
            let column = u8::from_str_radix(&point[1..], 16).unwrap();
            (&point[..1], column.min(16 - column))
        });
        let columns: std::collections::BTreeSet<_> = columns.collect();
        assert_eq!(columns.len(), number, "{offered}: two are the same up to symmetry");
        // White chooses.
        let chosen = talk.ask(&format!("GO SEARCH {offered} TIME 2000"));
        assert!(points.contains(&hex(best(&chosen)).as_str()), "{chosen} of {offered}");
    }
    // A point that wins, and one that does not: White keeps the other.
    talk.say("SETRULE FIVETWINE");
    talk.say("POSITION STATU 7801790F");
    let chosen = talk.ask("GO SEARCH 77E1 TIME 20000");
    assert_eq!(hex(best(&chosen)), "E1");
    talk.say("SETRULE");
    assert_eq!(hex(best(&talk.ask("GO SEARCH 77E1 TIME 20000"))), "77");
}

#[test]
fn what_is_thought_in_the_background_is_no_answer() {
    let mut talk = agi();
    talk.say("POSITION MOVES 7868");
    talk.say("GO PONDER");
    talk.say("GO PONDER TIME 100");
    talk.say("STOP");
    talk.say("STOP");
    assert_eq!(talk.ask("ISREADY"), "READYOK");
    talk.say("GO PONDER INFINITE");
    // The move that was expected or another.
    talk.say("DOMOVE 6A");
    best(&talk.ask("GO TIME 500"));
    for pondering in ["ON", "OFF"] {
        talk.say(&format!("SETOPTION PONDER {pondering}"));
        let point = hex(best(&talk.ask("GO TIME 500")));
        talk.say(&format!("DOMOVE {point}"));
        assert_eq!(talk.ask("ISREADY"), "READYOK");
        talk.say("POSITION MOVES 7868");
        assert_eq!(talk.ask("ISREADY"), "READYOK");
    }
    talk.say("GO PONDER");
    assert_eq!(talk.ask("QUIT"), "BYE");
    assert_eq!(talk.end().0, 0);
}

#[test]
fn every_go_is_answered_once() {
    let mut talk = agi();
    talk.say("POSITION MOVES 7868");
    // Each of these ends the thinking before it, with its answer.
    for line in ["POSITION MOVES 7868", "DOMOVE 79", "SETRULE UNFORBIDDEN", "GO INFINITE", "SETRULE", "POSITION"] {
        talk.say("GO INFINITE");
        assert_eq!(talk.ask("ISREADY"), "READYOK");
        talk.say("SETOPTION OWNBOOK OFF");
        assert_eq!(talk.next_within(Duration::from_millis(20)).filter(|line| line.starts_with("BESTMOVE")), None);
        best(&talk.ask(line));
        if line.starts_with("GO") {
            best(&talk.ask("STOP"));
        }
    }
    talk.say("STOP");
    best(&talk.ask("GO INFINITE\nSTOP"));
    // A program that waits for nothing is answered all the same, in its order.
    talk.say("GO INFINITE\nDOMOVE 6A\nGO INFINITE\nSETRULE\nGO INFINITE\nISREADY\nSTOP\nGO INFINITE\nSTOP");
    for _ in 0..4 {
        let reply = talk.reply();
        best(&if reply == "READYOK" { talk.reply() } else { reply });
    }
    talk.say("GO INFINITE");
    best(&talk.ask("QUIT"));
    assert_eq!(talk.reply(), "BYE");
    let (code, left, stderr) = talk.end();
    assert_eq!((code, left, stderr.as_str()), (0, Vec::new(), ""));
}

#[test]
fn a_forbidden_point_is_never_played_while_another_is_free() {
    let mut talk = agi();
    // White's four can only be stopped at 87, where Black would make two threes.
    talk.say("POSITION MOVES 789796A786B788C7D7E1");
    assert_ne!(hex(best(&talk.ask("GO TIME 2000"))), "87");
    // With nothing but that point to choose from there is no move.
    assert_eq!(talk.ask("GO SEARCH 87 TIME 2000"), "BESTMOVE 00");
    talk.say("SETRULE UNFORBIDDEN");
    assert_eq!(talk.ask("GO SEARCH 87 TIME 2000").split(' ').nth(1), Some("87"));
    assert_eq!(talk.ask("GO TIME 2000").split(' ').nth(1), Some("87"), "it is the only block");
}

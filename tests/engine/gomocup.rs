use crate::games_over_gomocup::point;
use crate::support;
use crate::talk::Talk;
use std::collections::HashSet;
use std::time::Duration;

fn points(reply: &str) -> Vec<games::Point> {
    reply.split(' ').map(point).collect()
}

/// Says a block of lines.
fn block(talk: &mut Talk, command: &str, lines: &[&str]) {
    talk.say(command);
    lines.iter().for_each(|line| talk.say(line));
    talk.say("DONE");
}

#[test]
fn the_first_line_decides_and_the_name_of_the_program_does() {
    let mut talk = Talk::new(&[]);
    assert!(talk.ask("\r\nABOUT").starts_with("name=\"kifu\", version="));
    let desk = support::Desk::new();
    let name = if cfg!(windows) { "pbrain-kifu.exe" } else { "pbrain-kifu" };
    let program = desk.path(name);
    // A copy that another thread's child still holds open for writing cannot be started.
    let linked = std::fs::hard_link(env!("CARGO_BIN_EXE_kifu"), &program);
    if linked.is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_kifu"), &program).unwrap();
    }
    let mut talk = Talk::program(&program);
    assert_eq!(talk.ask("AGI"), "UNKNOWN command AGI");
    assert_eq!(talk.ask("START 20"), "OK");
    talk.say("END");
    assert_eq!(talk.end(), (0, Vec::new(), String::new()));
}

#[test]
fn no_info_is_answered() {
    let mut talk = Talk::gomocup(0, 15);
    for line in [
        "INFO",
        "INFO rule",
        "INFO rule x",
        "INFO nosuchkey 5",
        "INFO evaluate 3,4",
        "INFO folder C:\\My Games",
        "INFO time_left -99999999999999999999",
        "INFO max_memory 0",
        "INFO game_type 1",
        "info TIMEOUT_TURN 0",
        "INFO caution_factor 3",
        "INFO nbestsym 0",
        "INFO checkmate 1",
        "INFO book ",
        "INFO start_depth 2",
    ] {
        talk.say(line);
    }
    talk.is_silent_until("RESTART", "OK");
    talk.say("INFO show_detail 3");
    talk.say("INFO pondering 1");
    talk.say("INFO usedatabase 0");
    talk.is_silent_until("RESTART", "OK");
}

#[test]
fn sizes_that_no_board_has_are_errors() {
    let mut talk = Talk::new(&["--protocol", "gomocup"]);
    for line in ["BEGIN", "TURN 1,1", "TAKEBACK 1,1", "RESTART", "YXSHOWFORBID", "BOARD", "SWAP2BOARD", "PLAY 1,1"] {
        assert_eq!(talk.ask(line), "ERROR there is no board: send START first");
        if line.ends_with("BOARD") {
            talk.say("1,1,1\nDONE");
        }
    }
    for line in ["START", "START 4", "START 23", "START 100", "START -5", "START x", "RECTSTART 30,20", "RECTSTART 15"]
    {
        assert_eq!(talk.ask(line), "ERROR the size of the board must be from 5 to 22");
    }
    for line in ["START 5", "START 22", "RECTSTART 20,15", "START 20"] {
        assert_eq!(talk.ask(line), "OK");
    }
    assert!(talk.ask("RECTSTART 6,20").starts_with("OK"));
    talk.say("INFO max_node 100");
    assert!(points(&talk.ask("BEGIN"))[0].x() < 6);
}

#[test]
fn stones_that_cannot_be_are_errors_and_change_nothing() {
    let mut talk = Talk::gomocup(0, 15);
    points(&talk.ask("TURN 7,7"));
    assert_eq!(talk.ask("TURN 7,7"), "ERROR a stone stands on 7,7 already");
    assert_eq!(talk.ask("TURN 15,7"), "ERROR 15,7 is off the board");
    assert_eq!(talk.ask("TURN"), "ERROR a point is written as x,y");
    assert_eq!(talk.ask("TURN 7;7"), "ERROR a point is written as x,y");
    assert_eq!(talk.ask("TAKEBACK 0,0"), "ERROR there is no such stone");
    assert_eq!(talk.ask("TAKEBACK 40,40"), "ERROR there is no such stone");
    for (lines, error) in [
        (vec!["1,1,1", "1,1,2", "1,1,2"], "ERROR two stones are on one point"),
        (vec!["15,1,1"], "ERROR a stone is off the board"),
        (vec!["1,1"], "ERROR a stone is written as x,y,who, where who is 1 to 3"),
        (vec!["1,1,4", "2,2,1"], "ERROR a stone is written as x,y,who, where who is 1 to 3"),
    ] {
        block(&mut talk, "BOARD", &lines);
        assert_eq!(talk.reply(), error);
    }
    // The first stone still stands.
    assert_eq!(talk.ask("TAKEBACK 7,7"), "OK");
}

#[test]
fn info_of_the_rule_may_come_at_any_time() {
    // Black has two threes at 7,7, and White cannot win at once.
    let stones = ["8,7,1", "0,0,2", "9,7,1", "14,0,2", "7,8,1", "0,14,2", "7,9,1", "14,14,2"];
    let mut talk = Talk::gomocup(0, 15);
    block(&mut talk, "YXBOARD", &stones);
    assert_eq!(talk.ask("YXSHOWFORBID"), "FORBID .");
    talk.say("INFO rule 4");
    assert_eq!(talk.ask("YXSHOWFORBID"), "FORBID 0707.");
    // Yixin's number of renju is another's for games that go on.
    talk.say("INFO rule 2");
    assert_eq!(talk.ask("YXSHOWFORBID"), "FORBID .");
    talk.say("YXSHOWINFO");
    assert!(talk.next().starts_with("MESSAGE INFO MAX_THREAD_NUM "));
    assert!(talk.next().starts_with("MESSAGE INFO MAX_HASH_SIZE "));
    talk.say("INFO rule 2");
    assert_eq!(talk.ask("YXSHOWFORBID"), "FORBID 0707.");
}

#[test]
fn blocked_points_are_not_played() {
    let mut talk = Talk::gomocup(0, 15);
    let four = ["3,7,1", "0,0,2", "4,7,1", "0,2,2", "5,7,1", "0,4,2", "6,7,1", "0,6,2"];
    let answer = |talk: &mut Talk| {
        block(talk, "BOARD", &four);
        talk.reply()
    };
    assert!(["2,7", "7,7"].contains(&answer(&mut talk).as_str()));
    block(&mut talk, "YXBLOCK", &["2,7"]);
    assert_eq!(answer(&mut talk), "7,7");
    block(&mut talk, "YXBLOCK", &["7,7"]);
    block(&mut talk, "YXBLOCKUNDO", &["2,7"]);
    assert_eq!(answer(&mut talk), "2,7");
    block(&mut talk, "YXBLOCK", &["2,7"]);
    assert!(!["2,7", "7,7"].contains(&answer(&mut talk).as_str()));
    talk.say("YXBLOCKRESET");
    assert!(["2,7", "7,7"].contains(&answer(&mut talk).as_str()));
    // A stone of neither side is one that can be played by nobody.
    let mut shut = four.to_vec();
    shut.push("2,7,3");
    block(&mut talk, "BOARD", &shut);
    assert_eq!(talk.reply(), "7,7");
}

#[test]
fn a_five_that_is_there_does_not_end_the_talk() {
    let mut talk = Talk::gomocup(2, 15);
    block(&mut talk, "BOARD", &["3,7,2", "4,7,2", "5,7,2", "6,7,2", "7,7,2", "0,0,1", "0,2,1", "0,4,1", "0,6,1"]);
    points(&talk.reply());
    points(&talk.ask("TURN 14,14"));
}

#[test]
fn openings_of_swap2() {
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
    talk.say("INFO timeout_turn 500");
    for side in [5, 15, 20] {
        assert_eq!(talk.ask(&format!("START {side}")), "OK");
        block(&mut talk, "SWAP2BOARD", &[]);
        let three = talk.reply();
        let stones: HashSet<_> = points(&three).into_iter().collect();
        assert_eq!(stones.len(), 3, "{three}");
        assert!(stones.iter().all(|point| point.x() < side && point.y() < side), "{three}");
        let mut lines: Vec<&str> = three.split(' ').collect();
        for more in [&[][..], &["1,4", "4,1"]] {
            lines.extend(more);
            if lines.iter().collect::<HashSet<_>>().len() < lines.len() {
                continue;
            }
            block(&mut talk, "SWAP2BOARD", &lines);
            let mut value = String::new();
            let reply = loop {
                let line = talk.next();
                match line.split_once("| Eval ") {
                    Some((_, rest)) => value = rest.split(' ').next().unwrap().into(),
                    None => break line,
                }
            };
            assert_eq!(reply == "SWAP", value.starts_with('-'), "{value} {reply}");
            if reply != "SWAP" {
                assert_eq!(points(&reply).len(), 1);
            }
        }
    }
    block(&mut talk, "SWAP2BOARD", &["1,1", "2,2"]);
    assert!(talk.reply().starts_with("ERROR "));
}

#[test]
fn what_yixin_asks() {
    let mut talk = Talk::gomocup(0, 15);
    talk.say("INFO show_detail 2");
    block(&mut talk, "YXBOARD", &["7,7,2"]);
    talk.say("YXNBEST 3");
    let mut blocks = HashSet::new();
    let reply = loop {
        let line = talk.next();
        if let Some(number) = line.strip_prefix("INFO PV ").filter(|number| *number != "DONE") {
            blocks.insert(number.to_string());
            let heads: Vec<String> = (0..11).map(|_| talk.next()).collect();
            let heads: Vec<&str> = heads.iter().map(|line| line.split(' ').nth(1).unwrap()).collect();
            assert_eq!(
                heads,
                [
                    "NUMPV",
                    "DEPTH",
                    "SELDEPTH",
                    "NODES",
                    "TOTALNODES",
                    "TOTALTIME",
                    "SPEED",
                    "EVAL",
                    "WINRATE",
                    "BESTLINE",
                    "PV"
                ]
            );
        } else if !line.starts_with("MESSAGE ") {
            break line;
        }
    };
    assert_eq!(points(&reply).len(), 1);
    assert_eq!(blocks, ["0", "1", "2"].map(String::from).into());
    assert_eq!(points(&talk.ask("YXBALANCEONE 0")).len(), 1);
    let pair = points(&talk.ask("YXBALANCETWO 0"));
    assert!(pair.len() == 2 && pair[0] != pair[1], "{pair:?}");
    talk.say("INFO show_detail 1");
    talk.say("YXNBEST 1");
    assert_eq!(talk.next(), "MESSAGE REALTIME REFRESH");
    assert!(talk.next().starts_with("MESSAGE REALTIME BEST "));
    talk.reply();
    talk.say("YXHASHCLEAR");
    assert_eq!(talk.ask("YXHASHDUMP"), "UNKNOWN command YXHASHDUMP");
    talk.say("RESTART");
    assert_eq!(talk.reply(), "OK");
    // The board that comes with a query is no flood of unknown commands.
    block(&mut talk, "YXQUERYDATABASEALL", &["7,7,1", "8,8,2"]);
    assert_eq!(talk.next(), "UNKNOWN command YXQUERYDATABASEALL");
    talk.is_silent_until("RESTART", "OK");
}

#[test]
fn commands_are_heard_while_the_engine_thinks() {
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
    assert_eq!(talk.ask("START 15"), "OK");
    talk.say("INFO timeout_turn 2147483647");
    for stop in ["STOP", "YXSTOP", "stop"] {
        talk.say("TURN 3,3");
        talk.say("\r\nINFO time_left 5000");
        talk.say("INFO time_left 2147483647");
        assert!(talk.ask("ABOUT").starts_with("name="));
        assert!(talk.next_within(Duration::from_millis(30)).is_none_or(|line| line.starts_with("MESSAGE")));
        points(&talk.ask(stop));
        // What would wait for ever ends the search, and is obeyed after its answer; a limit that comes late is none.
        talk.say("TURN 0,0\nINFO timeout_turn 100");
        points(&talk.ask("RESTART"));
        assert_eq!(talk.reply(), "OK");
        talk.say("INFO timeout_turn 2147483647");
    }
    // What comes during a search that ends by itself waits.
    talk.say("INFO timeout_turn 200");
    talk.say("TURN 3,3\nTAKEBACK 3,3\nTURN 3,3\nTURN 9,9");
    points(&talk.reply());
    assert_eq!(talk.reply(), "OK");
    points(&talk.reply());
    points(&talk.reply());
}

#[test]
fn pondering_is_silent() {
    let mut talk = Talk::gomocup(0, 15);
    talk.say("INFO pondering 1");
    points(&talk.ask("BEGIN"));
    assert_eq!(talk.next_within(Duration::from_millis(100)), None);
    points(&talk.ask("TURN 0,0"));
    talk.is_silent_until("RESTART", "OK");
}

#[test]
fn memory_that_the_machine_has_not_is_not_taken() {
    let said = support::Desk::new().pipe(&["engine", "--memory", "900000G"], b"START 15\nEND\n");
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert_eq!(said.err, "kifu: --memory: this machine has not so much memory for each search\n");
    let mut talk = Talk::gomocup(0, 15);
    talk.say("INFO hash_size 1024");
    talk.say("INFO max_memory 83886080");
    talk.say("INFO hash_size 0");
    points(&talk.ask("BEGIN"));
}

//! Lines that no interface should send, and what the engine does after them.

use crate::games_over_agi::best;
use crate::games_over_gomocup::point;
use crate::referee::Random;
use crate::talk::Talk;

const GOMOCUP: &[&str] = &[
    "START 15",
    "START 20",
    "RESTART",
    "BEGIN",
    "TURN 7,7",
    "TURN 8,8",
    "TAKEBACK 7,7",
    "BOARD",
    "7,7,1",
    "8,8,2",
    "9,9,3",
    "DONE",
    "YXBOARD",
    "SWAP2BOARD",
    "7,7",
    "3,4",
    "INFO rule 4",
    "INFO timeout_turn 0",
    "INFO time_left 20",
    "INFO show_detail 3",
    "INFO pondering 1",
    "INFO max_depth 1",
    "INFO usedatabase 1",
    "YXNBEST 3",
    "YXBALANCEONE 10",
    "YXBALANCETWO 0",
    "YXBLOCK",
    "YXBLOCKUNDO",
    "YXBLOCKRESET",
    "YXSHOWFORBID",
    "YXHASHCLEAR",
    "YXSHOWINFO",
    "ABOUT",
    "PLAY 5,5",
    "YXSTOP",
    "RECTSTART 20,15",
    "YXQUERYDATABASEALL",
    "",
];

const AGI: &[&str] = &[
    "AGI",
    "SETRULE FORBIDDEN",
    "SETRULE UNFORBIDDEN FIRSTCHANGE",
    "SETRULE THIRDCHANGE FIVETWINE",
    "SETRULE FIVEMULITY 3",
    "SETOPTION OWNBOOK ON PONDER OFF",
    "SETOPTION BOOKFILE no such book",
    "ISREADY",
    "POSITION",
    "POSITION MOVES 7868",
    "POSITION STATU 78695A MOVES 68",
    "GO TIME 20",
    "GO SEARCH 67596A6BINFINITE",
    "GO PONDER",
    "STOP",
    "DOMOVE 68",
    "DOMOVE 00",
    "GO SEARCH 7868 TIME 10",
    "INFO",
    "POSITION MOVES 00007868796A",
    "",
];

/// A line that is like those of a list, but not quite.
fn mutated(lines: &[&str], random: &mut Random) -> Vec<u8> {
    let mut line = random.of(lines).as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(line.len() + 1);
        match random.below(6) {
            0 => line.truncate(at),
            1 => line.insert(at, random.below(256) as u8),
            2 if at < line.len() => line[at] = random.below(256) as u8,
            3 => line.extend_from_slice(random.of(lines).as_bytes()),
            4 => line.splice(at..at, *b"999999999999999999999").for_each(drop),
            _ => line.splice(at..at, *b" -1").for_each(drop),
        }
    }
    line.retain(|byte| *byte != b'\n');
    line.push(b'\n');
    line
}

/// Whether it is no line that makes the engine leave.
fn stays(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_ascii_uppercase();
    !text.trim().starts_with("END") && !text.trim().starts_with("QUIT")
}

#[test]
fn nonsense_over_gomocup_is_survived() {
    for seed in 1..=6 {
        let mut random = Random(seed * 1_000_003);
        let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
        talk.say("INFO timeout_turn 0\nINFO max_node 20");
        for _ in 0..400 {
            let line = mutated(GOMOCUP, &mut random);
            if stays(&line) {
                talk.write(&line);
            }
        }
        talk.say("YXSTOP\nINFO timeout_turn 100\nINFO rule 0\nDONE\nYXBLOCKRESET\nSTART 19");
        // Each command has been answered by then, and the game that begins is a game.
        talk.say("THE END OF NONSENSE");
        while talk.reply() != "UNKNOWN command THE" {}
        assert_eq!(talk.ask("START 19"), "OK");
        point(&talk.ask("BEGIN"));
        talk.say("END");
        assert_eq!(talk.end().0, 0, "seed {seed}");
    }
}

#[test]
fn nonsense_over_agi_is_survived() {
    for seed in 1..=6 {
        let mut random = Random(seed * 1_000_003);
        let mut talk = Talk::new(&["--protocol", "agi", "--memory", "1M"]);
        for _ in 0..400 {
            let line = mutated(AGI, &mut random);
            if stays(&line) {
                talk.write(&line);
            }
        }
        talk.say("STOP\nSETRULE\nPOSITION MOVES 7879");
        while talk.next_within(std::time::Duration::from_millis(500)).is_some() {}
        assert_eq!(talk.ask("ISREADY"), "READYOK");
        best(&talk.ask("GO TIME 100"));
        assert_eq!(talk.ask("QUIT"), "BYE");
        assert_eq!(talk.end().0, 0, "seed {seed}");
    }
}

#[test]
fn long_lines_are_passed_over() {
    let long = vec![b'7'; 3 << 20];
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
    talk.write(&long);
    assert_eq!(talk.ask(""), "ERROR the line is too long");
    assert_eq!(talk.ask("START 15"), "OK");
    let mut talk = Talk::new(&["--protocol", "agi", "--memory", "1M"]);
    talk.write(&long);
    talk.say("");
    assert_eq!(talk.ask("ISREADY"), "READYOK");
    talk.say("QUIT");
    assert_eq!(talk.reply(), "BYE");
    assert_eq!(talk.end().2, "kifu: a line is too long and was passed over\n");
}

#[test]
fn bytes_that_are_no_text_are_no_commands() {
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
    talk.write(b"\xff\xfe\x00\x1b[31m\x07\r\n");
    // Nothing of it is sent back that a terminal would obey.
    assert_eq!(talk.reply(), "UNKNOWN command 31M");
    assert_eq!(talk.ask("START 15"), "OK");
}

#[test]
fn a_flood_of_lines_is_no_end_of_memory() {
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
    assert_eq!(talk.ask("START 15"), "OK");
    talk.say("INFO timeout_turn 3000");
    talk.say("BEGIN");
    let lines = "TURN 7,7\n".repeat(200_000);
    talk.write(lines.as_bytes());
    talk.say("YXSTOP");
    point(&talk.reply());
    // None of them but the first can be played, and those that found no room are not answered.
    // The point was ours already, or it can be played once.
    let refused = (0..60_000).filter(|_| talk.reply() == "ERROR a stone stands on 7,7 already").count();
    assert!(refused >= 59_999, "{refused}");
}

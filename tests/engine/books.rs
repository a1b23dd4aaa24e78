use crate::games_over_agi::{best, hex};
use crate::support::{Desk, testdata};
use crate::talk::Talk;

/// A book of games in which the fourth move scored well, and one that was played more often did not.
fn book(desk: &Desk) -> String {
    let mut games = String::new();
    for (moves, result, times) in [("h8h9j10i9", "0-1", 3), ("h8h9j10g7", "1-0", 5), ("h8h9j10k9", "1/2-1/2", 1)] {
        for _ in 0..times {
            let sgf: Vec<String> = games::parse_moves(moves, games::Coords::A1, games::Size::default())
                .unwrap()
                .iter()
                .zip(["B", "W"].iter().cycle())
                .map(|(each, side)| {
                    format!(";{side}[{}]", games::Coords::Sgf.text(each.point().unwrap(), games::Size::default()))
                })
                .collect();
            let result = match result {
                "0-1" => "W+R",
                "1-0" => "B+R",
                _ => "Draw",
            };
            games += &format!("(;GM[4]FF[4]SZ[15]RE[{result}]{})\n", sgf.concat());
        }
    }
    desk.put("games.sgf", games);
    let said = desk.kifu(&["book", "build", "--rule", "renju", "--short", "games.sgf", "-o", "my book.agb"]);
    assert_eq!((said.code, said.err.contains("error")), (0, false), "{}", said.err);
    desk.path("my book.agb").display().to_string()
}

#[test]
fn the_engine_plays_from_its_book() {
    let desk = Desk::new();
    let book = book(&desk);
    let mut talk = Talk::new(&["--protocol", "agi", "--memory", "1M", "--book", &book]);
    talk.say("AGI");
    talk.next();
    talk.next();
    assert_eq!(talk.next(), "OPTION OWNBOOK TRUE PONDER TRUE");
    assert_eq!(talk.next(), "AGIOK");
    // h8h9j10, and its mirror image.
    for (moves, reply) in [("78685A", "69"), ("786856", "67")] {
        talk.say(&format!("POSITION MOVES {moves}"));
        talk.say("GO TIME 60000");
        assert_eq!(talk.next(), format!("BESTMOVE {reply}"), "{moves}");
    }
    talk.say("GO SEARCH 78016A TIME 100");
    assert!(talk.next().starts_with("INFO SEARCH 016A"));
    talk.reply();
    talk.say("SETOPTION OWNBOOK OFF");
    talk.say("GO TIME 1000");
    assert!(talk.next().starts_with("INFO "));
    assert!(talk.reply().starts_with("BESTMOVE "));
    // Of a position that it does not know it says nothing.
    talk.say("SETOPTION OWNBOOK ON");
    talk.say("POSITION MOVES 01");
    talk.say("GO TIME 1000");
    assert!(talk.next().starts_with("INFO "));
}

#[test]
fn an_interface_names_a_book() {
    let desk = Desk::new();
    let book = book(&desk);
    let mut talk = Talk::new(&["--memory", "1M"]);
    talk.say("AGI");
    talk.next();
    talk.next();
    assert_eq!(talk.next(), "OPTION OWNBOOK FALSE PONDER TRUE");
    talk.next();
    talk.say(&format!("SETOPTION PONDER OFF BOOKFILE {book}"));
    talk.say("POSITION MOVES 78685A");
    assert_eq!(talk.ask("GO TIME 60000"), "BESTMOVE 69");
    // A book that is not there leaves the one that is.
    talk.say("SETOPTION BOOKFILE nowhere.agb");
    talk.say(&format!("SETOPTION BOOKFILE {}", testdata("moves/games.txt").display()));
    talk.say("SETOPTION BOOKFILE");
    assert_eq!(hex(best(&talk.ask("GO TIME 60000"))), "69");
    talk.say("QUIT");
    talk.reply();
    let (_, _, stderr) = talk.end();
    assert_eq!(stderr.lines().count(), 3, "{stderr}");
    assert!(stderr.contains("nowhere.agb: there is no such file"), "{stderr}");
}

#[test]
fn a_gomocup_player_has_a_book_beside_it_or_is_told_of_one() {
    let desk = Desk::new();
    let book = book(&desk);
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "1M"]);
    let ask = |talk: &mut Talk| {
        assert_eq!(talk.ask("START 15"), "OK");
        talk.say("INFO rule 4\nINFO max_node 50");
        talk.say("BOARD\n7,7,2\n7,6,1\n9,5,2\nDONE");
        talk.next()
    };
    assert_ne!(ask(&mut talk), "MESSAGE the move is from the book");
    talk.reply();
    talk.say(&format!("INFO book {book}"));
    assert_eq!(ask(&mut talk), "MESSAGE the move is from the book");
    assert_eq!(talk.reply(), "8,6");
    talk.say("INFO usedatabase 0");
    assert_ne!(ask(&mut talk), "MESSAGE the move is from the book");

    let name = if cfg!(windows) { "pbrain-kifu.exe" } else { "pbrain-kifu" };
    if std::fs::hard_link(env!("CARGO_BIN_EXE_kifu"), desk.path(name)).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_kifu"), desk.path(name)).unwrap();
    }
    std::fs::rename(&book, desk.path("pbrain-kifu.agb")).unwrap();
    let mut talk = Talk::program(&desk.path(name));
    assert_eq!(ask(&mut talk), "MESSAGE the move is from the book");
}

#[test]
fn a_book_that_cannot_be_opened_is_told_before_the_first_word() {
    let said = Desk::new().pipe(&["engine", "--book", "nowhere.agb"], b"AGI\nQUIT\n");
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert_eq!(said.err, "kifu: nowhere.agb: there is no such file\n");
}

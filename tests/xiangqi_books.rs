//! Books of xiangqi on the command line.

mod support;

use serde_json::Value;
use support::{Desk, Said};

/// Games made for this: the second is the mirror image of the first, the third another order of its moves.
const GAMES: &str = include_str!("../testdata/book/xiangqi.pgn");

fn done(desk: &Desk, arguments: &[&str]) -> Said {
    let said = desk.kifu(arguments);
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    said
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("games.pgn", GAMES.as_bytes());
    done(&desk, &["book", "build", "games.pgn", "--game-refs", "3", "-o", "x.agb"]);
    desk
}

fn query(desk: &Desk, book: &str, position: &str) -> Value {
    let said = desk.kifu(&["book", "query", "--json", book, position]);
    assert!(said.code <= 1, "{}", said.err);
    said.json()[0].clone()
}

fn content(desk: &Desk, book: &str) -> String {
    done(desk, &["book", "info", "--json", book]).json()[0]["content_hash"].as_str().unwrap().into()
}

fn counts(object: &Value) -> [u64; 4] {
    ["games", "red", "draws", "black"].map(|name| object[name].as_u64().unwrap())
}

#[test]
fn a_position_is_found_by_a_fen_a_line_of_moves_and_any_notation_mirrored_or_not() {
    let desk = desk();
    let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";
    for text in [
        "h2e2",
        "b2e2",
        "H2-E2",
        "炮二平五",
        "C2.5",
        "position startpos moves h2e2",
        "startpos moves b2e2",
        board,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b - - 1 1",
    ] {
        let object = query(&desk, "x.agb", text);
        assert_eq!((object["found"].as_bool(), object["side"].as_str()), (Some(true), Some("black")), "{text}");
        assert_eq!(counts(&object), [4, 2, 1, 1], "{text}");
        assert_eq!(object.get("white"), None);
    }
    let third = query(&desk, "x.agb", "h2e2 b9c7 h0g2 h9g7 i0h0 i9h9");
    assert_eq!(counts(&third), [3, 1, 1, 1]);
    let red: Vec<&str> =
        third["references"].as_array().unwrap().iter().map(|game| game["red"].as_str().unwrap()).collect();
    assert_eq!(red.len(), 3);
    assert!(red.contains(&"Cai") && red.contains(&"Ann") && red.contains(&"Bob"));
    let other = query(&desk, "x.agb", "h2e2 a9a8");
    assert_eq!(other["found"], false);
    for wrong in ["h2e3", "炮三平五", "position startpos moves h2e2 h2e2", "9/9 w"] {
        assert_eq!(desk.kifu(&["book", "query", "x.agb", wrong]).code, 2, "{wrong}");
    }
}

#[test]
fn moves_are_those_of_the_board_that_was_asked_about() {
    let desk = desk();
    for (asked, wanted) in [("h2e2 h9g7", "h0g2"), ("b2e2 b9c7", "b0c2")] {
        let object = query(&desk, "x.agb", asked);
        let moves: Vec<&str> =
            object["moves"].as_array().unwrap().iter().map(|each| each["move"].as_str().unwrap()).collect();
        assert_eq!(moves, [wanted]);
        assert_eq!(counts(&object["moves"][0]), [2, 1, 0, 1]);
    }
    // The game of four plies is none, but what is written in games stays.
    assert_eq!(counts(&query(&desk, "x.agb", "startpos")), [5, 2, 2, 1]);
    assert_eq!(query(&desk, "x.agb", "h2e2 h9g7")["comment"], "Screen horses");
    let apart = done(&desk, &["book", "build", "games.pgn", "--no-symmetry", "--short", "-o", "apart.agb"]);
    assert!(apart.out.contains("games counted: 6"), "{}", apart.out);
    assert_eq!(counts(&query(&desk, "apart.agb", "b2e2")), [1, 0, 0, 1]);
}

#[test]
fn lines_and_tables_read_back_to_the_same_book() {
    let desk = desk();
    done(&desk, &["book", "build", "games.pgn", "-o", "plain.agb"]);
    done(&desk, &["book", "set", "plain.agb", "h2e2 h9g7", "--value", "12", "--depth", "9", "--label", "win"]);
    for form in ["x.jsonl", "x.csv"] {
        done(&desk, &["book", "export", "plain.agb", "-o", form]);
        done(&desk, &["book", "import", form, "-o", "again.agb", "--force"]);
        assert_eq!(content(&desk, "again.agb"), content(&desk, "plain.agb"), "{form}");
    }
    let lines = String::from_utf8(desk.read("x.jsonl")).unwrap();
    assert!(lines.contains(
        "\"rule\":\"xiangqi\",\"size\":[9,10],\"side\":\"red\",\"games\":5,\"red\":2,\"draws\":2,\"black\":1"
    ));
    let said = desk.kifu(&["book", "export", "plain.agb", "-o", "x.db"]);
    assert!(said.err.contains("positions of xiangqi (left out): 40"), "{}", said.err);
}

#[test]
fn books_are_merged_compared_pruned_and_changed() {
    let desk = desk();
    let (first, rest) = GAMES.split_at(GAMES[1..].find("[Game").unwrap() + 1);
    desk.put("first.pgn", first.as_bytes());
    desk.put("rest.pgn", rest.as_bytes());
    for name in ["first", "rest"] {
        done(&desk, &["book", "build", &format!("{name}.pgn"), "-o", &format!("{name}.agb")]);
    }
    done(&desk, &["book", "merge", "first.agb", "rest.agb", "-o", "both.agb"]);
    done(&desk, &["book", "build", "games.pgn", "-o", "whole.agb"]);
    assert_eq!(content(&desk, "both.agb"), content(&desk, "whole.agb"));
    let said = desk.kifu(&["book", "diff", "first.agb", "whole.agb"]);
    assert!(said.out.contains("b: games 1 (1/0/0) to 4 (2/1/1)"), "{}", said.out);

    done(&desk, &["book", "prune", "whole.agb", "--min-games", "2", "-o", "small.agb"]);
    assert_eq!(counts(&query(&desk, "small.agb", "startpos")), [5, 2, 2, 1]);
    assert_eq!(query(&desk, "small.agb", "c3c4")["found"], false);
    done(&desk, &["book", "build", "games.pgn", "--min-games", "2", "-o", "built.agb"]);
    assert!(query(&desk, "built.agb", "h2e2 h9g7")["found"].as_bool().unwrap());

    done(&desk, &["book", "set", "whole.agb", "b2e2", "--value", "-30", "--text", "e5=A"]);
    let object = query(&desk, "whole.agb", "startpos");
    assert_eq!((object["moves"][0]["move"].as_str(), object["moves"][0]["value"].as_i64()), (Some("h2e2"), Some(30)));
    assert_eq!(query(&desk, "whole.agb", "h2e2")["texts"][0]["point"], "e5");
    done(&desk, &["book", "delete", "whole.agb", "g3g4", "--below"]);
    assert_eq!(query(&desk, "whole.agb", "c3c4")["found"], false);
    done(&desk, &["book", "extract", "whole.agb", "h2e2 h7e7", "-o", "branch.agb"]);
    assert_eq!(query(&desk, "branch.agb", "h2e2 h9g7")["found"], false);
    done(&desk, &["book", "verify", "branch.agb"]);
}

#[test]
fn one_book_holds_both_games_and_a_text_is_read_as_the_one_it_is_of() {
    let desk = desk();
    let gomoku = r#"{"position":"h8i9","rule":"renju","games":7,"black":7}"#;
    desk.put("g.jsonl", gomoku.as_bytes());
    done(&desk, &["book", "import", "g.jsonl", "-o", "g.agb"]);
    done(&desk, &["book", "merge", "x.agb", "g.agb", "-o", "both.agb"]);
    assert_eq!(query(&desk, "both.agb", "startpos")["rule"], "xiangqi");
    let said = desk.kifu(&["book", "query", "both.agb", "h8i9"]);
    assert!(said.err.contains("several rules or boards") && said.err.contains("xiangqi 9x10"), "{}", said.err);
    let renju = done(&desk, &["book", "query", "--json", "both.agb", "h8i9", "--rule", "renju"]).json()[0].clone();
    assert_eq!((renju["games"].as_u64(), renju["black"].as_u64()), (Some(7), Some(7)));
    let said = done(&desk, &["book", "query", "--json", "both.agb", "h2e2", "--rule", "xiangqi"]);
    assert_eq!(counts(&said.json()[0]), [4, 2, 1, 1]);
}

#[test]
fn a_book_is_a_tree_of_moves_in_the_formats_of_records() {
    let desk = desk();
    for tree in ["x.agr", "x.xqf", "x.pgn", "x.ubb", "x.json"] {
        done(&desk, &["book", "export", "x.agb", "-o", tree]);
        let again = done(&desk, &["book", "build", tree, "-o", "again.agb", "--force"]);
        assert!(again.out.starts_with("again.agb: 40 positions"), "{tree}: {}", again.out);
        let object = query(&desk, "again.agb", "b2e2 b9c7");
        assert_eq!(
            (object["comment"].as_str(), object["moves"][0]["move"].as_str()),
            (Some("Screen horses"), Some("b0c2"))
        );
    }
    let said = done(&desk, &["book", "export", "x.agb", "-t", "agr", "--link-comments", "--stats"]);
    assert!(said.out.contains("= h2e2 h9g7 h0g2 i9h9 i0h0 b9c7"), "{}", said.out);
    assert!(said.out.contains("games 4: red 2, drawn 1, black 1"), "{}", said.out);
}

#[test]
fn results_of_the_board_are_mates() {
    let desk = Desk::new();
    let game = "[Game \"Chinese Chess\"]\n[FEN \"3k5/R8/1R7/9/9/9/9/9/9/4K4 w - - 0 1\"]\n[Format \"ICCS\"]\n[Result \"*\"]\n\n1. B7-B9 *\n";
    desk.put("mate.pgn", game.as_bytes());
    let build = ["book", "build", "mate.pgn", "--short", "--result-by", "board", "-o", "m.agb"];
    let said = done(&desk, &build);
    assert!(said.out.contains("results that the board has and the file lacks: 1"), "{}", said.out);
    let object = query(&desk, "m.agb", "3k5/R8/1R7/9/9/9/9/9/9/4K4 w");
    assert_eq!(counts(&object), [1, 1, 0, 0]);
}

#[test]
fn what_cannot_be_done_says_so_in_one_sentence() {
    let desk = desk();
    for arguments in [
        &["book", "expand", "x.agb", "--positions", "3"][..],
        &["book", "audit", "x.agb"],
        &["book", "export", "x.agb", "-o", "x.sgf"],
        &["book", "export", "x.agb", "-o", "x.xqf", "--expand"],
        &["book", "export", "x.agb", "-o", "x.xqf", "--position", "h2e2"],
        &["book", "prune", "x.agb", "--max-ply", "3", "-o", "y.agb"],
    ] {
        let said = desk.kifu(arguments);
        assert_eq!(said.code, 2, "{arguments:?}");
        assert!(said.err.contains("xiangqi") && said.err.lines().count() == 1, "{arguments:?}: {}", said.err);
    }
}

//! Books that are measured, and whose claims are proven again.

mod support;

use serde_json::{Value, json};
use support::{Desk, Said};

fn well(said: Said) -> String {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    said.out
}

/// A book of these lines of book-jsonl, under the rule freestyle.
fn book(desk: &Desk, name: &str, lines: &str) {
    desk.put("lines.jsonl", format!("{{\"kifu\":1,\"format\":\"book-jsonl\",\"rule\":\"freestyle\"}}\n{lines}"));
    well(desk.kifu(&["book", "import", "lines.jsonl", "-o", name]));
}

#[test]
fn claims_that_the_solvers_do_not_confirm_are_listed() {
    let desk = Desk::new();
    // Black has an open three and is to move; one that White can stop; two at once; and a claim out of the air.
    let lines = r#"{"position":"h8a1i8a3j8a5","label":"loss"}
{"position":"h9a1i9a3j9a5","label":"win"}
{"position":"h8a1i8e2j8","label":"win"}
{"position":"h8a1i8e2j9o14j10b12","moves":["j8"],"backed":{"value":29993,"proven":true}}
{"position":"h8a1i8e2j9o14j10b12j8","backed":{"value":-29994,"proven":true}}
{"position":"h8","rest":{"move":"i9","value":29980,"depth":3,"proven":true}}
{"position":"h8h9","label":"draw","backed":{"value":29980},"value":-29990}
"#;
    book(&desk, "claims.agb", lines);
    let said = |threads: &str| {
        let said =
            desk.kifu(&["book", "verify", "--labels", "--json", "--nodes", "20000", "-j", threads, "claims.agb"]);
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{}", said.out);
        said.json()
    };
    let rows = said("1");
    let (last, failed) = rows.split_last().unwrap();
    let counts = ["claims", "proven", "open", "refuted"].map(|name| last[name].as_u64().unwrap());
    assert_eq!(counts, [6, 3, 2, 1], "{rows:?}");
    let mut told: Vec<(String, String, bool)> = failed
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            (text("claim"), text("winner"), row["refuted"].as_bool().unwrap())
        })
        .collect();
    told.sort();
    let wanted = [("label", "black", false), ("label", "white", true), ("rest", "white", false)];
    assert_eq!(told, wanted.map(|(claim, winner, refuted)| (claim.to_owned(), winner.to_owned(), refuted)));
    assert_eq!(said("3"), rows);
    let prose = desk.kifu(&["book", "verify", "--labels", "--nodes", "20000", "claims.agb"]).out;
    assert!(prose.contains("6 claims of a win or a loss: 3 proven, 2 not proven, 1 refuted"), "{prose}");
}

#[test]
fn a_book_whose_claims_hold_verifies() {
    let desk = Desk::new();
    book(
        &desk,
        "good.agb",
        "{\"position\":\"h8a1i8a3j8a5\",\"label\":\"loss\"}\n{\"position\":\"h8a1i8a3j8a5k8a7l8\",\"label\":\"win\"}\n",
    );
    well(desk.kifu(&["book", "verify", "--labels", "good.agb"]));
    // The winner of a game that is over is not for the solvers to say.
    book(&desk, "bad.agb", "{\"position\":\"h8a1i8a3j8a5k8a7l8\",\"label\":\"loss\"}\n");
    let said = desk.kifu(&["book", "verify", "--labels", "bad.agb"]);
    assert!(said.code == 1 && said.out.contains("1 refuted"), "{}", said.out);
}

#[test]
fn a_choice_that_misses_a_win_is_told_with_its_regret() {
    let desk = Desk::new();
    let lines = r#"{"position":"h8a1i8a3j8a5","moves":["o15","k8"]}
{"position":"h8a1i8a3j8a5o15","value":-50}
{"position":"h8a1i8a3j8a5k8","value":-40}
{"position":"h8a1i8a3j8a5k8a7","moves":["l8"]}
{"position":"h8a1i8a3j8a5k8a7l8","value":-29999}
"#;
    book(&desk, "choices.agb", lines);
    let said = |threads: &str| {
        let said = desk.kifu(&["book", "audit", "--json", "--nodes", "20000", "-j", threads, "choices.agb"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        said.json()
    };
    let rows = said("1");
    let missed = rows.iter().find(|row| row["ply"] == 6).unwrap();
    assert_eq!((&missed["move"], &missed["value"], &missed["misses_win"]), (&json!("o15"), &json!(50), &json!(true)));
    let number = |name: &str| missed[name].as_i64().unwrap();
    assert!(number("best_value") > 29_900 && number("regret") == number("best_value") - number("searched"));
    let found = rows.iter().find(|row| row["ply"] == 8).unwrap();
    assert_eq!((&found["regret"], &found["misses_win"]), (&json!(0), &json!(false)));
    let last = rows.last().unwrap();
    assert_eq!((&last["choices"], &last["misses_wins"], &last["most"]), (&json!(2), &json!(1), &missed["regret"]));
    assert_eq!(last["coverage"], Value::Null);
    assert_eq!(said("2"), rows);
    assert_eq!(desk.kifu(&["book", "audit", "--json", "--positions", "1", "choices.agb"]).json().len(), 2);
}

#[test]
fn games_are_looked_up_and_what_is_missing_is_a_tree() {
    let desk = Desk::new();
    desk.sample("book/games.sgf");
    well(desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "games.agb"]));
    let audit = |book: &str| {
        let said = desk.kifu(&["book", "audit", "--json", "--positions", "0", "--games", "games.sgf", "--", book]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        said.json()[0]["coverage"].clone()
    };
    // A book of the games knows all of them.
    let all = audit("games.agb");
    assert_eq!((&all["games"], &all["missing"], &all["bad"]), (&json!(4), &json!(0), &json!(0)));
    assert!(all["moves"].as_u64() > Some(12) && all["moves"] == all["known"] && all["moves"] == all["positions"]);
    // One that ends with two stones misses the third moves, each once up to symmetry.
    well(desk.kifu(&["book", "prune", "games.agb", "--max-ply", "2", "--drop-loose-moves", "-o", "short.agb"]));
    let short = audit("short.agb");
    let rows = short["by_ply"].as_array().unwrap();
    let known: Vec<u64> = rows.iter().map(|row| row["known"].as_u64().unwrap()).collect();
    let positions: Vec<u64> = rows.iter().map(|row| row["positions"].as_u64().unwrap()).collect();
    assert_eq!((&known[..3], &positions[..3]), (&[4, 4, 0][..], &[4, 4, 4][..]), "{short}");
    assert_eq!((short["plies_in_book"].as_f64(), positions[3..].iter().sum::<u64>()), (Some(2.0), 0));
    let missing = short["missing"].as_u64().unwrap();
    assert!((1..=4).contains(&missing), "{short}");
    let write = ["book", "audit", "short.agb", "--positions", "0", "--games", "games.sgf", "--missing", "missing.lib"];
    well(desk.kifu(&write));
    let tree = &desk.kifu(&["info", "--json", "missing.lib"]).json()[0];
    assert_eq!((&tree["depth"], &tree["leaves"]), (&json!(3), &json!(missing)));
    // With it the book misses nothing of these lines.
    well(desk.kifu(&["book", "build", "missing.lib", "--add", "--short", "-o", "short.agb"]));
    assert_eq!(audit("short.agb")["by_ply"][2]["known"], 4);
    assert_eq!(desk.kifu(&write).code, 2, "no file is replaced");
}

#[test]
fn good_and_bad_moves_are_told_apart_by_the_threshold() {
    let desk = Desk::new();
    let lines = r#"{"position":"","moves":["h8"]}
{"position":"h8","moves":["h9","i9","o15"]}
{"position":"h8h9","value":-60}
{"position":"h8i9","value":-20}
{"position":"h8o15"}
"#;
    book(&desk, "book.agb", lines);
    desk.put("games.txt", "h8h9\nh8g7\nh8o15\nh8a15\nh8h9\nh8j8\n");
    let counts = |threshold: &str| {
        let said = desk.kifu(&[
            "book",
            "audit",
            "book.agb",
            "--positions",
            "0",
            "--threshold",
            threshold,
            "--json",
            "--rule",
            "freestyle",
            "--games",
            "games.txt",
        ]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        let row = said.json()[0]["coverage"].clone();
        ["games", "good", "bad", "unvalued", "missing"].map(|name| row[name].as_u64().unwrap())
    };
    // h8 has no value; g7 is i9, and a15 is o15.
    assert_eq!(counts("30"), [6, 1, 1, 2, 1]);
    assert_eq!(counts("40"), [6, 2, 0, 2, 1]);
}

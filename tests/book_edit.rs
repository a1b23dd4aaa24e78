//! The commands that change books and compare them.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use support::{Desk, Said, shared, testdata};

/// A folder with the book of the sample games: nine positions.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.sample("book/games.sgf");
    well(desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "games.agb"]));
    desk
}

/// What a command said that did its work without a complaint.
fn well(said: Said) -> String {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    said.out
}

fn content(desk: &Desk, book: &str) -> Value {
    desk.kifu(&["book", "info", "--json", book]).json()[0]["content_hash"].clone()
}

fn ask(desk: &Desk, book: &str, position: &str) -> Value {
    desk.kifu(&["book", "query", "--json", book, position]).json()[0].clone()
}

/// The provenance of a book.
fn origin(desk: &Desk, book: &str) -> Vec<(String, String)> {
    let told = desk.kifu(&["book", "info", "--json", book]).json()[0]["provenance"].clone();
    serde_json::from_value(told).unwrap()
}

#[test]
fn a_value_is_set_where_the_position_stands_and_nothing_else_changes() {
    let desk = desk();
    well(desk.kifu(&["book", "extract", "games.agb", "agi:STATU", "-o", "before.agb"]));
    assert_eq!(content(&desk, "games.agb"), content(&desk, "before.agb"));
    // Any orientation of the position is the position.
    let set = ["book", "set", "games.agb", "h8 h7 j8 g6", "--value", "-120", "--depth", "14", "--bound", "exact"];
    well(desk.kifu(&[&set[..], &["--label", "win", "--text", "i6=A", "--source", "me"]].concat()));
    let known = ask(&desk, "games.agb", "h8 h9 j8 g10");
    assert_eq!((&known["value"], &known["depth"], &known["bound"]), (&(-120).into(), &14.into(), &"exact".into()));
    assert_eq!((&known["label"], &known["games"]), (&"win".into(), &4.into()));
    assert_eq!(known["texts"][0]["point"], "i10");
    let said = desk.kifu(&["book", "diff", "--json", "before.agb", "games.agb"]);
    assert_eq!((said.code, said.json().len()), (1, 2));
    assert_eq!(said.json()[0]["differs"], serde_json::json!(["value", "label", "texts"]));
    assert_eq!(said.json()[0]["before"]["value"], Value::Null);
    assert_eq!(said.json()[0]["after"]["source"], "me");
    // What is not named stays.
    well(desk.kifu(&["book", "set", "games.agb", "h8 h9 j8 g10", "--value", "5", "--text", "i10="]));
    let known = ask(&desk, "games.agb", "h8 h9 j8 g10");
    assert_eq!((&known["value"], &known["depth"], &known["label"]), (&5.into(), &14.into(), &"win".into()));
    assert_eq!(known["texts"], serde_json::json!([]));
    well(desk.kifu(&["book", "set", "games.agb", "h8 h9 j8 g10", "--clear", "value,label"]));
    assert_eq!(content(&desk, "games.agb"), content(&desk, "before.agb"));
    assert!(origin(&desk, "games.agb").contains(&("positions set or deleted".into(), "3".into())));
    assert_eq!(desk.files(""), ["before.agb", "games.agb", "games.sgf"]);
}

#[test]
fn a_position_that_is_set_anew_is_led_to_by_the_one_before() {
    let desk = desk();
    let said = well(desk.kifu(&["book", "set", "games.agb", "h8 h10", "--comment", "far", "-o", "more.agb"]));
    assert!(said.starts_with("more.agb: 10 positions"), "{said}");
    let moves = ask(&desk, "more.agb", "h8")["moves"].clone();
    let new = moves.as_array().unwrap().iter().find(|each| each["games"] == 0).unwrap();
    assert_eq!(ask(&desk, "more.agb", &format!("h8 {}", new["move"].as_str().unwrap()))["comment"], "far");
    // It goes as it came.
    well(desk.kifu(&["book", "delete", "more.agb", "h8 f8"]));
    assert_eq!(content(&desk, "more.agb"), content(&desk, "games.agb"));
}

#[test]
fn deleting_leaves_the_counts_of_moves_and_extracting_is_its_other_half() {
    let desk = desk();
    let target = "h8 h9 j8";
    let said = well(desk.kifu(&["book", "delete", "games.agb", target, "--below", "-o", "rest.agb"]));
    assert!(said.contains("deleted: 4 positions"), "{said}");
    assert_eq!(ask(&desk, "rest.agb", target)["found"], false);
    let moves = ask(&desk, "rest.agb", "h8 h9")["moves"].clone();
    assert_eq!(moves, ask(&desk, "games.agb", "h8 h9")["moves"]);
    well(desk.kifu(&["book", "extract", "games.agb", target, "-o", "branch.agb"]));
    let said = desk.kifu(&["book", "diff", "rest.agb", "games.agb", "--only", "new"]);
    assert_eq!((said.code, said.out.lines().count()), (1, 5), "{}", said.out);
    let said = desk.kifu(&["book", "diff", "branch.agb", "games.agb", "--only", "changed,gone"]);
    assert_eq!(said.code, 0, "{}", said.out);
    // Nobody counts a game twice by accident.
    let merge = ["book", "merge", "rest.agb", "branch.agb", "-o", "all.agb"];
    let said = desk.kifu(&merge);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("rest.agb and branch.agb both count the games of games.sgf"), "{}", said.err);
    assert!(!desk.path("all.agb").exists());
    well(desk.kifu(&[&merge[..], &["--twice"]].concat()));
    let said = desk.kifu(&["book", "delete", "rest.agb", target]);
    assert_eq!((said.code, said.out.as_str()), (1, "h8 h9 j8: not in the book\n"));
}

#[test]
fn deleting_by_labels_leaves_the_others() {
    let desk = desk();
    well(desk.kifu(&["book", "set", "games.agb", "h8 h9 j8", "--label", "w", "--value", "-29990"]));
    well(desk.kifu(&["book", "set", "games.agb", "h8 h9 j8 g10", "--label", "loss", "--value", "12"]));
    let gone = |options: &[&str]| {
        let said =
            desk.kifu(&[&["book", "delete", "games.agb", "h8", "--below", "-o", "x.agb", "--force"], options].concat());
        assert_eq!(said.err, "");
        let number = said.out.rsplit("deleted: ").next().unwrap().split(' ').next().unwrap().parse::<u64>().unwrap();
        assert_eq!(said.code, i32::from(number == 0));
        number
    };
    assert_eq!(gone(&["--labels", "win"]), 1);
    assert_eq!(gone(&["--labels", "win,loss"]), 2);
    assert_eq!(gone(&["--labels", "draw"]), 0);
    assert_eq!(gone(&["--labels", "win,loss", "--within", "10"]), 1);
    assert_eq!(gone(&["--labels", "win,loss", "--within", "9"]), 0);
    assert_eq!(gone(&["--labels", "win,loss", "--no-distance"]), 1);
    let all = gone(&[]);
    assert_eq!(gone(&["--except", "win,loss"]), all - 2);
    assert_eq!(gone(&["--labels", "none"]), all - 2);
    assert_eq!(desk.kifu(&["book", "delete", "games.agb", "h8", "--labels", "win"]).code, 2);
}

#[test]
fn clearing_below_a_position_reaches_all_that_follow() {
    let desk = desk();
    let before = ask(&desk, "games.agb", "h8 h9 j8 g10");
    assert_ne!(before["comment"], Value::Null);
    let said = well(desk.kifu(&["book", "set", "games.agb", "h8 h9", "--below", "--clear", "comments,games"]));
    assert!(said.contains("changed: "), "{said}");
    let after = ask(&desk, "games.agb", "h8 h9 j8 g10");
    assert_eq!((&after["comment"], &after["games"]), (&Value::Null, &0.into()));
    assert_eq!(after["moves"].as_array().unwrap().len(), before["moves"].as_array().unwrap().len());
    assert_eq!(ask(&desk, "games.agb", "h8")["games"], 4);
    assert_eq!(desk.kifu(&["book", "set", "games.agb", "h8", "--below", "--value", "3"]).code, 2);
}

#[test]
fn pruning_to_a_ply_is_building_to_a_ply() {
    let Some(games) = shared("data/games/engine_std15.sgf") else { return };
    let desk = Desk::new();
    let games = games.to_str().unwrap();
    well(desk.kifu(&["book", "build", games, "-o", "all.agb"]));
    well(desk.kifu(&["book", "build", games, "--max-ply", "6", "-o", "low.agb"]));
    well(desk.kifu(&["book", "prune", "all.agb", "--max-ply", "6", "--drop-loose-moves", "-o", "pruned.agb"]));
    assert_eq!(content(&desk, "pruned.agb"), content(&desk, "low.agb"));
    well(desk.kifu(&["book", "prune", "all.agb", "--min-games", "3", "-o", "often.agb"]));
    let said = desk.kifu(&["book", "diff", "all.agb", "often.agb", "--only", "new,changed"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(origin(&desk, "often.agb").contains(&("then".into(), "prune --min-games 3".into())));
}

#[test]
fn a_pruned_book_keeps_the_way_to_what_stays() {
    let desk = desk();
    well(desk.kifu(&["book", "set", "games.agb", "h8 h9 j8 g10 i10", "--value", "20", "--depth", "9"]));
    let kept = |options: &[&str]| {
        well(desk.kifu(&[&["book", "prune", "games.agb", "-o", "x.agb", "--force"], options].concat()));
        let way = ["agi:STATU", "h8", "h8 h9", "h8 h9 j8", "h8 h9 j8 g10", "h8 h9 j8 g10 i10"];
        way.map(|position| desk.kifu(&["book", "query", "--rule", "renju", "x.agb", position]).code == 0)
    };
    assert_eq!(kept(&["--value", "-20..20", "--min-depth", "9"]), [true; 6]);
    assert_eq!(kept(&["--value", "..19"]), [false; 6]);
    assert_eq!(kept(&["--min-games", "5", "--keep", "value"]), [true; 6]);
    assert_eq!(kept(&["--max-ply", "3"]), [true, true, true, true, false, false]);
    assert_eq!(kept(&["--drop", "value,comment"]), [true; 6]);
    assert_eq!(ask(&desk, "x.agb", "h8 h9 j8 g10")["comment"], Value::Null);
    assert_eq!(desk.kifu(&["book", "prune", "games.agb", "-o", "y.agb"]).code, 2);
}

#[test]
fn databases_without_moves_are_pruned_and_cut_by_their_stones() {
    let desk = Desk::new();
    let database = testdata("yixin-db/quirk04.db");
    well(desk.kifu(&["book", "import", database.to_str().unwrap(), "-o", "rapfi.agb"]));
    // The value stands two stones in.
    well(desk.kifu(&["book", "prune", "rapfi.agb", "--value", "..-29000", "-o", "won.agb"]));
    assert_eq!(ask(&desk, "won.agb", "h8")["found"], true);
    assert_eq!(ask(&desk, "won.agb", "h8 f6")["found"], false);
    let said = well(desk.kifu(&["book", "delete", "rapfi.agb", "h8 f7", "--below", "-o", "rest.agb"]));
    assert!(said.contains("deleted: 2 positions"), "{said}");
    let said = well(desk.kifu(&["book", "extract", "rapfi.agb", "h8 f7", "-o", "branch.agb"]));
    assert!(said.starts_with("branch.agb: 3 positions"), "{said}");
    // No games are in them, so nothing is counted twice.
    well(desk.kifu(&["book", "merge", "rest.agb", "branch.agb", "rapfi.agb", "-o", "again.agb"]));
    assert_eq!(content(&desk, "again.agb"), content(&desk, "rapfi.agb"));
}

#[test]
fn books_that_disagree_are_merged_by_the_rule_that_is_named() {
    let desk = desk();
    let books = [("a", "40", "20", "exact", "x"), ("b", "-300", "6", "lower", "w"), ("c", "29990", "9", "lower", "?")];
    for (book, value, depth, bound, label) in books {
        let book = format!("{book}.agb");
        let set = ["book", "set", "games.agb", "h8 h9", "--value", value, "--depth", depth, "--bound", bound];
        well(desk.kifu(&[&set[..], &["--label", label, "-o", &book]].concat()));
    }
    let merged = |rule: &[&str], order: [&str; 3]| {
        let [a, b, c] = order.map(|book| format!("{book}.agb"));
        let said =
            well(desk.kifu(&[&["book", "merge", "--twice", &a, &b, &c, "-o", "x.agb", "--force"], rule].concat()));
        assert!(said.contains("different values, where one stayed: 1"), "{said}");
        let known = ask(&desk, "x.agb", "h8 h9");
        let label = known["label"].as_str().unwrap().to_owned();
        ((known["value"].as_i64().unwrap(), label), content(&desk, "x.agb"))
    };
    let wanted: BTreeMap<&str, (i64, &str)> = BTreeMap::from([
        ("better-value-depth-bound", (29_990, "win")),
        ("better_depth_bound", (40, "win")),
        ("better-value", (29_990, "win")),
        ("better-label", (-300, "win")),
        ("newer", (29_990, "?")),
        ("always", (29_990, "?")),
        ("first", (40, "blocked")),
        ("disabled", (40, "blocked")),
    ]);
    for (rule, (value, label)) in wanted {
        let (known, hash) = merged(&["--conflict", rule], ["a", "b", "c"]);
        assert_eq!(known, (value, label.to_owned()), "{rule}");
        for order in [["b", "c", "a"], ["c", "a", "b"], ["c", "b", "a"]] {
            let same = merged(&["--conflict", rule], order).1 == hash;
            let symmetric = rule.starts_with("better");
            assert!(same || !symmetric, "{rule}");
            assert!(!same || symmetric || order[0] == "a" || order[2] == "c", "{rule} {order:?}");
        }
    }
    assert_eq!(merged(&[], ["a", "b", "c"]).0, (29_990, "win".into()));
    let said = desk.kifu(&["book", "merge", "a.agb", "b.agb", "--conflict", "best", "-o", "y.agb"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("better-label"), "{}", said.err);
}

#[test]
fn a_merged_book_knows_its_inputs_by_what_they_hold() {
    let desk = desk();
    std::fs::copy(desk.path("games.sgf"), desk.path("copy.sgf")).unwrap();
    desk.put("other.sgf", "(;GM[4]FF[4]SZ[15]RU[renju]RE[B+];B[hh];W[ii];B[ij])");
    well(desk.kifu(&["book", "build", "other.sgf", "--short", "--rule", "renju", "-o", "other.agb"]));
    well(desk.kifu(&["book", "build", "copy.sgf", "--short", "-o", "copy.agb"]));
    well(desk.kifu(&["book", "merge", "games.agb", "other.agb", "-o", "both.agb"]));
    let told = origin(&desk, "both.agb");
    let lines =
        |name: &str| told.iter().filter(|(what, _)| what == name).map(|(_, told)| told.as_str()).collect::<Vec<_>>();
    assert_eq!((lines("book").len(), lines("input").len()), (2, 2));
    assert_eq!((lines("records"), lines("games counted")), (vec!["5"], vec!["5"]));
    // The copy has another name and the same bytes.
    let said = desk.kifu(&["book", "merge", "both.agb", "copy.agb", "-o", "x.agb"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("both.agb and copy.agb both count the games of copy.sgf"), "{}", said.err);
}

#[test]
fn references_to_games_stay_with_their_games_and_go_with_the_last_of_them() {
    let desk = Desk::new();
    desk.sample("book/games.sgf");
    well(desk.kifu(&["book", "build", "games.sgf", "--short", "--game-refs", "3", "-o", "games.agb"]));
    let black = |book: &str, position: &str| {
        let references = ask(&desk, book, position)["references"].clone();
        let black = |game: &Value| game["black"].as_str().unwrap().to_owned();
        references.as_array().unwrap().iter().map(black).collect::<Vec<_>>()
    };
    let last = black("games.agb", "h8 h9 j8 g10 i10");
    assert_eq!(last.len(), 1);
    well(desk.kifu(&["book", "extract", "games.agb", "h8 h9 j8 g10 i10", "-o", "branch.agb"]));
    well(desk.kifu(&["book", "verify", "branch.agb"]));
    assert_eq!(black("branch.agb", "h8 h9 j8 g10 i10"), last);
    assert_eq!(black("branch.agb", "h8"), black("games.agb", "h8"));
    well(desk.kifu(&["book", "set", "games.agb", "h8 h9", "--value", "1", "-o", "set.agb"]));
    assert_ne!(content(&desk, "set.agb"), content(&desk, "games.agb"));
    well(desk.kifu(&["book", "set", "set.agb", "h8 h9", "--clear", "value"]));
    assert_eq!(content(&desk, "set.agb"), content(&desk, "games.agb"));
    well(desk.kifu(&["book", "prune", "games.agb", "--drop", "games", "-o", "bare.agb"]));
    well(desk.kifu(&["book", "verify", "bare.agb"]));
    assert_eq!(black("bare.agb", "h8"), [""; 0]);
    // As if the games had never been named.
    well(desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "without.agb"]));
    well(desk.kifu(&["book", "prune", "without.agb", "--drop", "games", "-o", "also.agb"]));
    assert_eq!(content(&desk, "bare.agb"), content(&desk, "also.agb"));
    // Books that differ in nothing but what they say of games differ.
    std::fs::rename(desk.path("games.sgf"), desk.path("renamed.sgf")).unwrap();
    well(desk.kifu(&["book", "build", "renamed.sgf", "--short", "--game-refs", "3", "-o", "renamed.agb"]));
    let said = desk.kifu(&["book", "diff", "games.agb", "renamed.agb"]);
    assert_eq!(said.code, 1);
    assert!(said.out.starts_with("of the games that positions refer to"), "{}", said.out);
    assert_eq!(desk.kifu(&["book", "diff", "-q", "games.agb", "renamed.agb"]).code, 1);
}

#[test]
fn a_difference_tells_what_changed_in_words_and_positions_that_query_takes() {
    let desk = desk();
    well(desk.kifu(&[
        "book",
        "set",
        "games.agb",
        "h8 h9 j8 g10",
        "--label",
        "win",
        "--clear",
        "comments",
        "-o",
        "new.agb",
    ]));
    well(desk.kifu(&["book", "delete", "new.agb", "h8 h9 j8 g10 i10"]));
    well(desk.kifu(&["book", "set", "new.agb", "h8 h9 --", "--comment", "a pass"]));
    well(desk.kifu(&[
        "book",
        "set",
        "new.agb",
        "board:X.X/.../... turn:O",
        "--rule",
        "freestyle",
        "--size",
        "3",
        "--value",
        "1",
    ]));
    let said = desk.kifu(&["book", "diff", "games.agb", "new.agb"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 8, "{}", said.out);
    assert_eq!(
        (lines[0], lines[2], lines[7]),
        ("freestyle 3x3:", "renju 15x15:", "2 new, 1 gone, 2 changed, 6 the same")
    );
    assert!(lines.iter().any(|line| line.ends_with(": label none to win; comments gone")), "{}", said.out);
    assert!(lines.iter().any(|line| line.starts_with("gone ")), "{}", said.out);
    assert!(lines.iter().any(|line| line.contains("moves -- new")), "{}", said.out);
    for object in desk.kifu(&["book", "diff", "--json", "games.agb", "new.agb"]).json() {
        let Some(change) = object["change"].as_str() else {
            assert_eq!((&object["new"], &object["same"]), (&2.into(), &6.into()));
            continue;
        };
        let [rule, position] = ["rule", "position"].map(|name| object[name].as_str().unwrap());
        let size = object["size"][0].to_string();
        for (book, side) in [("games.agb", "before"), ("new.agb", "after")] {
            let ask = ["book", "query", "--json", "--rule", rule, "--size", &size, book, position];
            let said = desk.kifu(&ask);
            assert_eq!(said.code, i32::from(object[side].is_null()), "{change} {position}: {}", said.err);
            if said.code == 0 {
                let known = &said.json()[0];
                for name in ["games", "black", "value", "label"] {
                    assert_eq!(known[name], object[side][name]);
                }
            }
        }
    }
    let code = |options: &[&str]| {
        let said = desk.kifu(&[&["book", "diff", "games.agb", "new.agb"], options].concat());
        (said.code, said.out.lines().count())
    };
    assert_eq!(code(&["-q"]), (1, 0));
    // The board, the position, the counts.
    assert_eq!(code(&["--only", "gone"]), (1, 3));
    assert_eq!(code(&["-q", "--only", "gone"]), (1, 0));
    let same = desk.kifu(&["book", "diff", "games.agb", "games.agb"]);
    assert_eq!((same.code, same.out.as_str()), (0, "games.agb and games.agb hold the same 9 positions\n"));
}

#[test]
fn a_damaged_book_is_named_and_nothing_is_replaced() {
    let desk = desk();
    well(desk.kifu(&["book", "extract", "games.agb", "h8 h9 j8", "-o", "good.agb"]));
    let mut bytes = desk.read("games.agb");
    bytes[40] ^= 1;
    desk.put("games.agb", &bytes);
    for command in [
        &["merge", "--twice", "good.agb", "games.agb", "-o", "x.agb"][..],
        &["diff", "good.agb", "games.agb"],
        &["prune", "games.agb", "--min-games", "2", "-o", "x.agb"],
        &["extract", "games.agb", "h8", "-o", "x.agb"],
        &["delete", "games.agb", "h8", "--below"],
        &["set", "games.agb", "h8", "--below", "--clear", "games"],
        &["set", "games.agb", "h8", "--value", "1"],
    ] {
        let said = desk.kifu(&[&["book"], command].concat());
        assert_eq!(said.code, 2, "{command:?} {}", said.out);
        assert!(said.err.starts_with("kifu: games.agb: the block at byte 0x10 is damaged"), "{command:?} {}", said.err);
    }
    assert_eq!(desk.read("games.agb"), bytes);
    assert_eq!(desk.files(""), ["games.agb", "games.sgf", "good.agb"]);
    let said = desk.kifu(&["book", "extract", "good.agb", "a1", "-o", "x.agb"]);
    let sentence = "kifu: good.agb: neither the position nor anything below it is in the book\n";
    assert_eq!((said.code, said.err.as_str(), desk.path("x.agb").exists()), (2, sentence, false));
    let said = desk.kifu(&["book", "extract", "good.agb", "h8", "-o", "games.agb"]);
    assert!(said.err.contains("--force"), "{}", said.err);
}

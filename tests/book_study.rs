//! What books hold of their own search: the best other moves and values that are backed up.

mod support;

use serde_json::{Value, json};
use support::{Desk, Said};

/// The empty board is backed up, h8 has the best other move, and h8 h9 what a person said beside both.
const LINES: &str = r#"{"kifu":1,"format":"book-jsonl","rule":"freestyle"}
{"position":"","moves":["h8"],"backed":{"value":-40}}
{"position":"h8","moves":["h9"],"rest":{"move":"i9","value":40,"depth":12,"bound":"exact","source":"kifu"}}
{"position":"h8h9","value":5,"depth":30,"bound":"lower","source":"me","rest":{"move":"j10","value":29989,"depth":9,"bound":"lower","proven":true},"backed":{"value":29989,"proven":true}}
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("study.jsonl", LINES);
    well(desk.kifu(&["book", "import", "study.jsonl", "-o", "study.agb"]));
    desk
}

fn well(said: Said) -> String {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    said.out
}

fn ask(desk: &Desk, book: &str, position: &str) -> Value {
    desk.kifu(&["book", "query", "--json", book, position]).json()[0].clone()
}

#[test]
fn a_query_goes_by_what_is_backed_up_and_tells_the_rest() {
    let desk = desk();
    let empty = ask(&desk, "study.agb", "");
    assert_eq!((&empty["value"], &empty["bound"]), (&json!(-40), &json!("exact")));
    assert_eq!((&empty["own"], &empty["rest"]), (&Value::Null, &Value::Null));
    assert_eq!(empty["backed"], json!({"value": -40, "proven": false}));
    assert_eq!(empty["moves"][0]["value"], -40, "the value of h8 is that of its best other move");
    let known = ask(&desk, "study.agb", "h8 h9");
    assert_eq!((&known["value"], &known["depth"]), (&json!(29_989), &json!(9)));
    assert_eq!((&known["own"]["value"], &known["own"]["source"]), (&json!(5), &json!("me")));
    let rest = json!({"move": "j10", "value": 29_989, "depth": 9, "bound": "lower", "proven": true});
    assert_eq!(known["rest"], rest);
    // The move turns with the board.
    assert_eq!(ask(&desk, "study.agb", "h8 i8")["rest"]["move"], "j10");
    assert_eq!(ask(&desk, "study.agb", "h8 h7")["rest"]["move"], "j6");
    let prose = well(desk.kifu(&["book", "query", "study.agb", "h8 h9"]));
    let told = "  value 29989, depth 9, bound exact\n  best other move j10, value 29989, depth 9, bound lower, proven\n  \
                backed up 29989, proven\n  judged by me 5, depth 30, bound lower\n";
    assert!(prose.contains(told), "{prose}");
}

#[test]
fn books_are_compared_counted_and_made_smaller_by_these_values() {
    let desk = desk();
    let info = &desk.kifu(&["book", "info", "--json", "--values", "study.agb"]).json()[0];
    let counts = ["positions", "values", "rests", "backed", "proven"].map(|name| info[name].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 2, 2, 1]);
    let plain = &desk.kifu(&["info", "--json", "study.agb"]).json()[0];
    assert_eq!(["values", "rests", "backed", "proven"].map(|name| plain[name].as_u64().unwrap()), [1, 2, 2, 1]);
    // The filter takes 29989, not the 5 that somebody said.
    for (window, kept) in [("29000..", 3), ("0..10", 0), ("40..40", 2), ("..-40", 1)] {
        desk.kifu(&["book", "prune", "study.agb", "--value", window, "-o", "small.agb", "--force"]);
        let info = &desk.kifu(&["book", "info", "--json", "small.agb"]).json()[0];
        assert_eq!(info["positions"], kept, "{window}");
    }
    well(desk.kifu(&["book", "set", "study.agb", "h8 h9", "--clear", "value", "-o", "cleared.agb"]));
    let cleared = ask(&desk, "cleared.agb", "h8 h9");
    assert!(["value", "own", "rest", "backed"].iter().all(|part| cleared[part].is_null()), "{cleared}");
    let said = desk.kifu(&["book", "diff", "--json", "study.agb", "cleared.agb"]);
    assert_eq!(said.json()[0]["differs"], json!(["value", "rest", "backed"]));
    assert_eq!(said.json()[0]["before"]["backed"], json!({"value": 29_989, "proven": true}));
    let prose = desk.kifu(&["book", "diff", "study.agb", "cleared.agb"]).out;
    assert!(prose.contains("backed 29989 proven to none"), "{prose}");
    // A value that somebody sets stands beside what is backed up, and below it.
    well(desk.kifu(&["book", "set", "study.agb", "h8 h9", "--value", "-7", "-o", "set.agb"]));
    let set = ask(&desk, "set.agb", "h8 h9");
    assert_eq!((&set["value"], &set["own"]["value"]), (&json!(29_989), &json!(-7)));
}

#[test]
fn text_forms_and_databases_hold_what_they_can() {
    let desk = desk();
    for name in ["again.jsonl", "again.csv"] {
        well(desk.kifu(&["book", "export", "study.agb", "-o", name]));
        well(desk.kifu(&["book", "import", name, "-o", "again.agb", "--force"]));
        let content = |book: &str| desk.kifu(&["book", "info", "--json", book]).json()[0]["content_hash"].clone();
        assert_eq!(content("study.agb"), content("again.agb"), "{name}");
    }
    let said = desk.kifu(&["book", "export", "study.agb", "-o", "study.db"]);
    for lost in ["best moves that the book does not follow", "values backed up beside own ones", "proofs of values"] {
        assert!(said.err.contains(lost), "{}", said.err);
    }
    let said = desk.kifu(&["book", "export", "study.agb", "-t", "sgf", "--fail-on-loss", "-o", "study.sgf"]);
    assert_eq!(said.code, 3, "{}", said.err);
}

#[test]
fn what_a_line_says_wrongly_of_a_search_is_refused_with_its_place() {
    let desk = Desk::new();
    for (members, told) in [
        (r#""rest":{"move":"h8","proven":true}"#, "proven"),
        (r#""rest":{"move":"q99"}"#, "q99"),
        (r#""rest":{"depth":3}"#, "`value`"),
        (r#""rest":"h8""#, "an object"),
        (r#""backed":{"scale":200}"#, "`backed` has no `value`"),
        (r#""backed":[]"#, "an object"),
    ] {
        desk.put("bad.jsonl", format!("{{\"position\":\"\",\"rule\":\"renju\",{members}}}\n"));
        let said = desk.kifu(&["book", "import", "bad.jsonl", "-o", "bad.agb"]);
        assert!(said.code == 2 && said.err.contains(told) && said.err.contains("line 1"), "{members}: {}", said.err);
    }
    desk.put("none.jsonl", "{\"position\":\"\",\"rule\":\"renju\",\"rest\":null,\"backed\":null}\n");
    well(desk.kifu(&["book", "import", "none.jsonl", "-o", "none.agb"]));
    assert!(ask(&desk, "none.agb", "")["rest"].is_null());
}

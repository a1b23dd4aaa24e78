//! The engine against itself, led by `kifu match`.

use crate::support::Desk;
use serde_json::Value;

fn play(rule: &str) -> Vec<Value> {
    let engine = format!("'{}' engine --protocol gomocup --memory 1M", env!("CARGO_BIN_EXE_kifu"));
    let said = Desk::new()
        .kifu(&["match", &engine, &engine, "--rule", rule, "--games", "6", "--nodes", "300", "--json", "-j", "2"]);
    assert_eq!((said.err.as_str(), said.code), ("", 0), "{rule}");
    said.json()
}

#[test]
fn no_game_is_lost_without_being_beaten_and_each_is_the_same_again() {
    for rule in ["freestyle", "standard", "renju", "caro"] {
        let (mut lines, mut again) = (play(rule), play(rule));
        let last = lines.pop().unwrap();
        again.pop();
        for engine in last["engines"].as_array().unwrap() {
            assert!(engine["moves"].as_u64() > Some(20), "{last}");
        }
        assert_eq!(lines.len(), 6);
        for (game, other) in lines.iter().zip(&again) {
            assert!(game["ending"] == "five" || game["ending"] == "full", "{game}");
            assert_eq!(game["moves"], other["moves"], "{rule}");
        }
    }
}

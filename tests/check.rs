//! `kifu check` on the play of games: what it finds, and what it leaves alone.

mod support;

use support::{Desk, shared, testdata};

fn check(file: &std::path::Path, options: &[&str]) -> support::Said {
    let mut arguments = vec!["check", file.to_str().unwrap()];
    arguments.extend(options);
    Desk::new().kifu(&arguments)
}

fn games(folder: &str) -> Vec<std::path::PathBuf> {
    let mut games: Vec<_> = std::fs::read_dir(testdata(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    games.sort();
    games
}

#[test]
fn each_planted_fault_is_found_and_no_other() {
    let games = games("check/bad");
    assert_eq!(games.len(), 7);
    for game in games {
        let said = check(&game, &["--json"]);
        let kinds: Vec<String> = said.json().iter().map(|row| row["kind"].as_str().unwrap().to_owned()).collect();
        let [kind] = &kinds[..] else { panic!("{}: {kinds:?}", game.display()) };
        let name = game.file_stem().unwrap().to_str().unwrap();
        assert!(name.starts_with(kind.as_str()), "{name}: {kind}");
        assert_eq!(said.code, 1);
        let row = &said.json()[0];
        assert!(row["ply"].as_u64().unwrap() >= 3 && row["record"] == 1 && row["severity"] == "play", "{row}");
    }
}

#[test]
fn what_only_looks_like_a_fault_is_none() {
    for game in games("check/good") {
        let said = check(&game, &[]);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""), "{}", game.display());
    }
}

#[test]
fn the_rule_decides_what_is_wrong() {
    let desk = Desk::new();
    desk.put("six.txt", "c8 a1 d8 c1 e8 e1 g8 g1 h8 i1 f8 k1\n");
    let kinds = |rule: &str| -> Vec<String> {
        let said = desk.kifu(&["check", "six.txt", "--json", "--rule", rule]);
        said.json().iter().map(|row| row["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds("freestyle"), ["after-five"]);
    assert_eq!(kinds("renju"), ["forbidden-unclaimed"]);
    assert_eq!(kinds("standard"), [""; 0]);
    assert_eq!(kinds("caro"), [""; 0]);
    let said = desk.kifu(&["check", "six.txt"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("[rule-not-said]"), "{}", said.out);
}

#[test]
fn openings_are_held_against_their_rule() {
    let desk = Desk::new();
    desk.put("game.sgf", "(;FF[4]GM[4]SZ[15]RU[renju]XO[fi][jf]XR[-];B[hh];W[hg];B[ig];W[gi];B[fi])");
    let said = desk.kifu(&["check", "game.sgf", "--opening-rule", "rif"]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    let said = desk.kifu(&["check", "game.sgf", "--opening-rule", "yamaguchi"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("how many fifth moves were declared [not-stated]"), "{}", said.out);
    let said = desk.kifu(&["check", "game.sgf", "--opening-rule", "tarannikov"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("the rule has no offers"), "{}", said.out);
    desk.put("set-up.sgf", "(;FF[4]GM[4]SZ[15]RU[renju]AB[hh][ig]AW[hg];W[gi];B[fi])");
    let said = desk.kifu(&["check", "set-up.sgf", "--opening-rule", "rif"]);
    assert_eq!((said.code, said.out.lines().count()), (0, 1), "{}", said.out);
    // Comments between the moves are no plies.
    desk.put("comments.sgf", "(;FF[4]GM[4]SZ[15]RU[renju];B[hh];C[x];W[ig];C[y];B[hh])");
    assert_eq!(desk.kifu(&["check", "comments.sgf", "--json"]).json()[0]["ply"], 3);
    // h8 h9 h7 h10 is its own mirror image.
    desk.put("same.sgf", "(;FF[4]GM[4]SZ[15]RU[renju]XO[gj][ij]XR[-];B[hh];W[hg];B[hi];W[hf];B[gj])");
    let said = desk.kifu(&["check", "same.sgf", "--opening-rule", "rif"]);
    assert!(said.out.contains("the same up to symmetry"), "{}", said.out);
}

#[test]
fn the_games_of_engines_are_without_fault() {
    let Some(folder) = shared("data/games") else { return };
    let mut decided = 0;
    for name in ["engine_renju15", "engine_free15", "engine_std15", "engine_free20"] {
        for extension in ["sgf", "txt"] {
            let file = folder.join(format!("{name}.{extension}"));
            let said = check(&file, &["--notes"]);
            assert_eq!(said.code, 0, "{}: {}", file.display(), said.out);
            let notes = said.out.lines().filter(|line| line.ends_with("[decided-off-the-board]")).count();
            decided += if extension == "sgf" { notes } else { 0 };
        }
    }
    assert_eq!(decided, 415);
}

#[test]
fn an_opening_is_judged_past_nodes_without_moves() {
    let desk = Desk::new();
    desk.put("game.sgf", "(;FF[4]GM[4]SZ[15]RU[renju]XR[-];C[intro];B[gh];W[hg];C[why?];B[ig])");
    let said = desk.kifu(&["check", "game.sgf", "--opening-rule", "rif"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("move 1 must be in the centre"), "{}", said.out);
}

use super::FORMAT;
use crate::detect;
use crate::samples::{lenient, line, read, read_with, shared, strict, testdata, torture};
use games::{Coords, Rule, Size};
use record::{Outcome, Record};

fn sample() -> Vec<u8> {
    std::fs::read(testdata("kurnik-pgn/games.pgn")).unwrap()
}

fn tag<'a>(record: &'a Record, name: &str) -> &'a str {
    record.head.tag(name).unwrap_or_default()
}

fn offered(record: &Record) -> Vec<String> {
    record.head.opening.offered.iter().map(|point| Coords::A1.text(*point, Size::default())).collect()
}

#[test]
fn seats_colours_and_offers_are_read() {
    let read = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let [renju, changed, gomoku, short] = &read.records[..] else { panic!("{}", read.records.len()) };
    assert_eq!(line(renju), "h8 h9 h6 i8 i7 j7 k6 c14");
    assert_eq!((offered(renju), renju.head.opening.swaps.as_deref()), (vec!["j7".into(), "i7".into()], Some("-")));
    assert_eq!((renju.head.rule, renju.head.result), (Some(Rule::Renju), Some(Outcome::First)));
    assert_eq!((tag(renju, "Black"), tag(renju, "WhiteElo")), ("Ann", "1500"));

    // The second seat took Black: names, ratings and the result turn.
    assert_eq!(line(changed), "h8 i9 g7 b14 c3 n13");
    assert_eq!((tag(changed, "Black"), tag(changed, "White")), ("Bob", "Ann \"the\" Ox"));
    assert_eq!((tag(changed, "BlackElo"), tag(changed, "WhiteElo")), ("1500", "1600"));
    assert_eq!((changed.head.result, changed.head.opening.swaps.as_deref()), (Some(Outcome::Second), Some("R")));

    assert_eq!(line(gomoku), "g5 m8 h10 k9 j8");
    assert_eq!((gomoku.head.rule, gomoku.head.result), (None, Some(Outcome::Second)));
    assert_eq!(offered(gomoku), [""; 0]);
    assert_eq!((line(short).as_str(), short.head.result), ("h8", Some(Outcome::Draw)));
    assert_eq!(detect(&sample(), Some("txt")).unwrap().name, "kurnik-pgn");
}

#[test]
fn two_real_games_read_as_they_were_played() {
    let Some(folder) = shared("data/records/pgn_kurnik") else { return };
    let read = |name: &str| read_with(&FORMAT, &std::fs::read(folder.join(name)).unwrap(), &strict()).unwrap().one();
    let renju = read("kurnik_renju_2003.txt");
    assert!(line(&renju).starts_with("h8 h9 h6 i8 i7 j7 k6 j8 j9 g8 f7 "), "{}", line(&renju));
    assert_eq!((offered(&renju).join(" ").as_str(), renju.head.result), ("j7 i7", Some(Outcome::Second)));
    assert_eq!((tag(&renju, "Black"), renju.tree.len()), ("kungen", 45));
    let gomoku = read("kurnik_gomoku_2005.txt");
    assert_eq!(line(&gomoku), "g5 m8 h10 k9 j8 k10 k11 l9 j11 j9 m9 l11 i8 l10");
    assert_eq!((tag(&gomoku, "White"), gomoku.head.result), ("autickocz", Some(Outcome::Second)));
}

#[test]
fn a_bad_game_costs_itself_only() {
    let text = b"[Site \"kurnik\"]\n[Result \"1-0\"]\n1. h8 -- 2. h9 -- 3. z6 white\n\n[Site \"kurnik\"]\n[oops\n[Result \"?\"]\n1. h8 h9 2. h6 i7 3. c4 0-1";
    let normal = read(&FORMAT, text).unwrap();
    assert_eq!(normal.records.iter().map(line).collect::<Vec<_>>(), ["h8 h9 h6 i7 c4"]);
    let faults: Vec<String> = normal.faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "`z6` is not a point of a 15x15 board at game 1, line 3 (after h8 h9, ply 2); the game was left out",
            "the line begins with `[` and is no tag at game 2, line 6: passed over",
            "`i7` stands where a colour is chosen at game 2, line 8: read without a choice",
            "`?` is no result at game 2, line 5: kept as a tag",
        ]
    );
    assert_eq!(normal.records[0].head.result, Some(Outcome::Second));
    assert_eq!(read_with(&FORMAT, text, &lenient()).unwrap().records.len(), 2);
    assert!(read_with(&FORMAT, text, &strict()).is_err());
    let alien = b"[Site \"kurnik\"]\n1. h8 -- 2. h9 -- 3. h6 white 4. -- i8 5. j7 -- 6. i7 k7";
    assert!(read(&FORMAT, alien).unwrap_err().message.starts_with("`k7` was not offered"));
}

#[test]
fn damage_of_any_kind_is_survived() {
    torture(&FORMAT, &sample(), 2000);
}

use super::{FORMAT, moment, moment_text};
use crate::samples::{files, lenient, line, line_game, read, read_with, records, strict, testdata, torture, write};
use crate::{Blame, Faults, Losses, detect};
use games::{Rule, Size};
use proptest::prelude::*;
use record::Outcome;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("renjuoffline/games.xml")).unwrap()
}

fn counts(faults: &Faults) -> Vec<(&str, u64)> {
    faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect()
}

#[test]
fn all_parts_of_a_game_are_read() {
    let games = read_with(&FORMAT, &sample(), &strict()).unwrap().records;
    let [first, second] = &games[..] else { panic!() };
    let tags: Vec<String> = first.head.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        tags.join("; "),
        "Created=2017-03-01 12:30:05; Date=2017-03-01 12:31:40; EndDate=2017-03-20 08:53:20; GameId=0002; \
         Black=Anna & Tamm; White=鈴木; RuleName=classic; Time=30; TimePerMove=3; Termination=resign; \
         BlackTimeLeft=100; WhiteTimeLeft=2000; TournamentId=7"
    );
    assert_eq!((line(first).as_str(), first.head.result), ("h8 i9 f6 a1 o14 --", Some(Outcome::Second)));
    assert_eq!(first.head.opening.offered.len(), 1);
    assert_eq!((line(second).as_str(), second.head.result), ("h8", None));
    assert_eq!((second.head.rule, second.head.tag("Status")), (Some(Rule::Standard), Some("active")));
}

/// Row 1 is at the bottom, the letter i is a column, and the winner is named by colour.
#[test]
fn points_are_where_renju_players_see_them() {
    let text = "<games><game><moves>h8 i9 a1 o14</moves><winner>black</winner></game></games>";
    let record = read(&FORMAT, text.as_bytes()).unwrap().one();
    assert_eq!(record.tree, line_game("7,7 8,6 0,14 14,1").tree);
    assert_eq!(record.head.result, Some(Outcome::First));
}

#[test]
fn what_was_read_is_written_again() {
    let before = read(&FORMAT, &sample()).unwrap();
    let (bytes, losses) = write(&FORMAT, &before.records).unwrap();
    assert_eq!(losses, Losses::default());
    let after = read_with(&FORMAT, &bytes, &strict()).unwrap();
    assert_eq!(after.records, before.records);
    let mut drawn = line_game("7,7 8,6");
    drawn.head.result = Some(Outcome::Draw);
    let (bytes, losses) = write(&FORMAT, &[drawn]).unwrap();
    assert!(losses.is_empty());
    assert_eq!(read_with(&FORMAT, &bytes, &strict()).unwrap().one().head.result, Some(Outcome::Draw));
    let mut wide = line_game("7,7");
    wide.head.size = Size::square(20).unwrap();
    assert_eq!(write(&FORMAT, &[wide]).unwrap_err().blame, Blame::Target);
}

#[test]
fn moments_are_days_of_the_calendar() {
    for (seconds, text) in [
        (0, "1970-01-01 00:00:00"),
        (951_782_399, "2000-02-28 23:59:59"),
        (951_782_400, "2000-02-29 00:00:00"),
        (951_868_800, "2000-03-01 00:00:00"),
        (1_488_371_405, "2017-03-01 12:30:05"),
        (1_735_689_599, "2024-12-31 23:59:59"),
        (-1, "1969-12-31 23:59:59"),
    ] {
        assert_eq!(moment_text(seconds).as_deref(), Some(text));
        assert_eq!(moment(text), Some(seconds));
    }
    for text in ["2017-02-29 00:00:00", "2017-01-01", "2017-01-01 24:00:00", "yesterday", ""] {
        assert_eq!(moment(text), None, "{text}");
    }
    assert_eq!((moment_text(i64::MAX), moment_text(i64::MIN)), (None, None));
}

#[test]
fn faults_have_their_kind() {
    let good = "<game><moves>h8</moves></game>";
    for (game, kind, kept) in [
        ("<game><moves>h8 h16</moves></game>", "bad-game", 1),
        ("<game></game>", "no-moves", 2),
        ("<game><moves>h8</moves><colour/></game>", "unknown-element", 2),
        ("<game><moves>h8</moves><moves>h9</moves></game>", "unknown-element", 2),
        ("<game><moves>h8</moves><board>h9</board></game>", "other-board", 2),
        ("<game><moves>h8</moves>what</game>", "stray-text", 2),
        ("<game><moves>h8</moves><black>A & B</black></game>", "stray-ampersand", 2),
        ("<game><moves>h8</black></game>", "broken", 1),
    ] {
        let text = format!("<games>{game}{good}</games>");
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        assert_eq!((counts(&read.faults), read.records.len()), (vec![(kind, 1)], kept), "{game}");
        assert_eq!(line(read.records.last().unwrap()), "h8", "{game}");
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err(), "{game}");
    }
    let bad = "<games><game><moves>h8 h16</moves></game></games>";
    let error = read(&FORMAT, bad.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "renjuoffline: `h16` is not a point of a 15x15 board at game 1, byte 0x17 (after h8, ply 1)");
    assert_eq!(line(&read_with(&FORMAT, bad.as_bytes(), &lenient()).unwrap().one()), "h8");
    let cut = read(&FORMAT, format!("<games>{good}<game><moves>h").as_bytes()).unwrap();
    assert_eq!((counts(&cut.faults), cut.records.len()), (vec![("cut", 1)], 1));
    assert!(read(&FORMAT, b"<games><game><moves>h8").is_err());
    assert!(read(&FORMAT, b"<!DOCTYPE games []><games/>").is_err());
}

#[test]
fn a_file_is_told_by_its_elements() {
    let found = |text: &str| detect(text.as_bytes(), None).map(|format| format.name).ok();
    assert_eq!(found("<x><game><id>1</id></game></x>"), Some("renjuoffline"));
    assert_eq!(found("<game><moves>h8</moves></game>"), Some("renjuoffline"));
    assert_eq!(found("<database><games><game id=\"1\"/></games></database>"), Some("rif"));
    assert_eq!(found("<x><y/></x>"), None);
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("renjuoffline"), "xml") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 500);
    }
}

proptest! {
    #[test]
    fn any_record_is_written_as_it_is_read(record in records()) {
        let Ok((bytes, _)) = write(&FORMAT, std::slice::from_ref(&record)) else { return Ok(()) };
        let again = read_with(&FORMAT, &bytes, &strict()).unwrap();
        let (same, _) = write(&FORMAT, &again.records).unwrap();
        prop_assert_eq!(String::from_utf8(same).unwrap(), String::from_utf8(bytes).unwrap());
    }
}

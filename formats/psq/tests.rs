use super::FORMAT;
use crate::samples::{
    files, lenient, line, line_game, read, read_with, records, shared, strict, testdata, text_games, torture, write,
};
use crate::{Blame, Faults, Losses};
use games::{Rule, Size};
use proptest::prelude::*;
use record::{Note, Outcome, Record};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("psq").join(name)).unwrap()
}

fn game(text: &str) -> Record {
    read(&FORMAT, text.as_bytes()).unwrap().one()
}

fn counts(faults: &Faults) -> Vec<(&str, u64)> {
    faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect()
}

fn times(record: &Record) -> Vec<Option<u32>> {
    let time = |note| if let Note::Time(time) = note { Some(time) } else { None };
    record.tree.main_line().map(|node| record.tree.notes(node).find_map(time)).collect()
}

fn tags(record: &Record) -> String {
    record.head.tags.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

/// Columns and rows count from 1, from the top left; who wins is told by who is named first.
#[test]
fn points_are_where_piskvork_has_them() {
    let record = game("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,0\n1,15,5\n15,2,5\nann\nbob\n-1\n2,Cup\n");
    assert_eq!(line(&record), "h8 i9 a1 o14");
    assert_eq!(record.head.result, Some(Outcome::Second));
    assert_eq!(tags(&record), "Event=Cup; Black=ann; White=bob");
    let other = game("Piskvorky 15x15, 3:7, 1\n8,8,0\nann\nbob\n15\n");
    assert_eq!(tags(&other), "Black=bob; White=ann; Levels=7:3; Termination=timeout");
    assert_eq!(other.head.result, None);
}

#[test]
fn games_of_each_writer_are_read() {
    for (name, expected) in [
        ("piskvork_style", "Black=pbrain-a.zip; White=pbrain-b.zip; Termination=normal"),
        ("gomocup_online_style", "Event=Freestyle15_1; Black=RAPFI25.zip; White=JAX25.zip"),
        ("human_save", "Levels=0:3"),
    ] {
        let read = read_with(&FORMAT, &sample(&format!("{name}.psq")), &strict()).unwrap();
        let record = read.one();
        assert_eq!((tags(&record).as_str(), record.tree.len()), (expected, 10), "{name}");
        assert_eq!(line(&record), "h8 i9 g6 g10 h6 e12 f6 e6 g8", "{name}");
        let drawn = name.starts_with("gomocup").then_some(Outcome::Draw);
        assert_eq!(record.head.result, drawn, "{name}");
    }
}

#[test]
fn games_of_public_reports_read_as_they_should() {
    let case = |name: &str| read(&FORMAT, &sample(&format!("cases/PSQ-01/{name}.psq")));
    let plain = case("plain").unwrap().one();
    assert_eq!(plain.head.size, Size::square(20).unwrap());
    assert_eq!(line(&plain), "j11 k10 a1 t20");
    assert_eq!(times(&plain), [Some(0), Some(15), Some(1034), Some(7)]);
    assert_eq!(tags(&plain), "Black=pbrain-a.exe; White=pbrain-b.exe; Termination=normal");
    let short = case("short").unwrap().one();
    assert_eq!((line(&short).as_str(), times(&short)), ("h8 i7", vec![Some(0), None]));
    assert_eq!(case("freestyle_overline").unwrap().one().tree.len(), 12);

    let error = case("rect").unwrap_err();
    assert_eq!(
        (error.blame, error.message.as_str()),
        (Blame::Us, "the board is 30x20: I know boards from 1x1 to 26x26")
    );
    let error = case("bad").unwrap_err();
    assert_eq!(
        error.to_string(),
        "psq: `16,3` is not a point of a 15x15 board, which counts from 1 at line 4, byte 0x26 (after h8 h8, ply 2)"
    );
    let kept = read_with(&FORMAT, &sample("cases/PSQ-01/bad.psq"), &lenient()).unwrap();
    let told: Vec<String> = kept.faults.list().iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("there is a stone on `8,8` already at line 3, byte 0x20"), "{told:?}");
    assert!(told[1].starts_with("`16,3` is not a point of a 15x15 board, which counts from 1 at line 4"), "{told:?}");
    assert_eq!(line(&kept.one()), "h8 h8");
}

#[test]
fn faults_are_named() {
    let start = "Piskvorky 15x15, 0:0, 0\n1,1\n";
    for (rest, kind, expected) in [
        ("", "no-code", "Levels=0:0"),
        ("ann\n-1\n", "one-name", "Black=ann; Levels=0:0"),
        ("ann\nbob\n", "no-code", "Black=ann; White=bob; Levels=0:0"),
        ("ann\nbob\nsue\n-1\n", "rest", "Black=ann; White=bob; Levels=0:0"),
        ("ann\nbob\n-1\nsue\n", "rest", "Black=ann; White=bob; Levels=0:0"),
        ("2,2,-5\n-1\n", "bad-time", "Levels=0:0"),
        ("1,1\n-1\n", "occupied-point", "Levels=0:0"),
    ] {
        let text = format!("{start}{rest}");
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        assert_eq!((counts(&read.faults), tags(&read.records[0]).as_str()), (vec![(kind, 1)], expected), "{rest}");
        assert!(read_with(&FORMAT, text.as_bytes(), &strict()).is_err(), "{rest}");
    }
    for (text, message) in [
        ("", "the first line does not begin with `Piskvorky`"),
        ("Piskvorky 15, 0:0, 0", "the first line names no size as `15x15`"),
        ("Piskvorky 15x15, 0, 0", "the first line names no levels as `11:11`"),
        ("Piskvorky 15x15, 0:0", "the first line does not say who began, 0 or 1"),
        ("Piskvorky 0x15, 0:0, 0", "the board is 0x15: I know boards from 1x1 to 26x26"),
    ] {
        assert_eq!(read(&FORMAT, text.as_bytes()).unwrap_err().message, message);
    }
}

#[test]
fn what_piskvork_wrote_is_written_again() {
    let bytes = sample("piskvork_style.psq");
    assert_eq!(write(&FORMAT, &[read(&FORMAT, &bytes).unwrap().one()]).unwrap(), (bytes, Losses::default()));
    for path in files(&testdata("psq"), "psq") {
        let Ok(before) = read(&FORMAT, &std::fs::read(&path).unwrap()) else { continue };
        let (bytes, losses) = write(&FORMAT, &before.records).unwrap();
        assert!(losses.is_empty(), "{}", path.display());
        assert_eq!(read(&FORMAT, &bytes).unwrap().records, before.records, "{}", path.display());
    }
    let two = [line_game("7,7"), line_game("7,7")];
    assert_eq!(write(&FORMAT, &two).unwrap_err().blame, Blame::Target);
}

#[test]
fn what_has_no_place_is_a_loss() {
    let mut record = game("Piskvorky 15x15, 11:11, 0\n8,8\n-1\n");
    record.head.rule = Some(Rule::Renju);
    for (name, value) in [("Black", "3,4"), ("White", "-1"), ("Event", "no result"), ("Termination", "resigned")] {
        record.head.tags.push((name.into(), value.into()));
    }
    let (bytes, losses) = write(&FORMAT, &[record]).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), "Piskvorky 15x15, 11:11, 0\r\n8,8\r\n-1\r\n");
    let whats: Vec<(&str, u64)> = losses.list().iter().map(|loss| (loss.what, loss.count)).collect();
    assert_eq!(whats, [("tags (left out)", 4), ("rules (left out)", 1)]);
}

#[test]
fn engine_games_read_alike_from_text() {
    let Some(folder) = shared("data/games") else { return };
    for (path, expected) in files(&folder.join("psq"), "psq").iter().zip(games_of(&folder)) {
        let read = read_with(&FORMAT, &std::fs::read(path).unwrap(), &strict()).unwrap().one();
        assert_eq!(line(&read), line(&expected), "{}", path.display());
        assert_eq!(read.head.size, expected.head.size);
    }
    assert_eq!(games_of(&folder).count(), 600);
}

/// The games of the text files that the folder of 600 has, in its order.
fn games_of(folder: &std::path::Path) -> impl Iterator<Item = Record> {
    let names = files(&folder.join("psq"), "psq");
    let names: Vec<String> = names.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let mut texts = std::collections::HashMap::new();
    names.into_iter().map({
        let folder = folder.to_owned();
        move |name| {
            let (kind, number) = name.split_once('_').unwrap();
            let games =
                texts.entry(kind.to_owned()).or_insert_with(|| text_games(&folder.join(format!("engine_{kind}.txt"))));
            games[number.parse::<usize>().unwrap() - 1].clone()
        }
    })
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("psq"), "psq") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 500);
    }
}

proptest! {
    #[test]
    fn any_record_is_written_as_it_is_read(record in records()) {
        let (bytes, _) = write(&FORMAT, std::slice::from_ref(&record)).unwrap();
        let again = read(&FORMAT, &bytes).unwrap();
        prop_assert!(again.faults.counts().iter().all(|(kind, ..)| *kind == "occupied-point"));
        let (same, losses) = write(&FORMAT, &again.records).unwrap();
        prop_assert_eq!(String::from_utf8(same).unwrap(), String::from_utf8(bytes).unwrap());
        prop_assert!(losses.is_empty());
    }
}

use super::FORMAT;
use crate::samples::{
    files, lenient, line, line_game, read, read_with, records, shared, strict, testdata, text_games, torture, write,
};
use crate::{Error, Losses, Severity};
use games::Rule;
use proptest::prelude::*;
use record::{NodeId, Outcome, Record};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(testdata("rif").join(name)).unwrap()
}

fn everything() -> Vec<Record> {
    read(&FORMAT, &sample("everything.rif")).unwrap().records
}

fn counts(faults: &crate::Faults) -> Vec<(&str, u64)> {
    faults.counts().iter().map(|(kind, _, count)| (*kind, *count)).collect()
}

/// A file with these elements behind empty tables.
fn file(games: &str) -> String {
    format!("<?xml version=\"1.0\"?>\n<database version=\"1.0\" date=\"\">\n<games>\n{games}</games>\n</database>\n")
}

#[test]
fn all_parts_of_a_game_are_read() {
    let read = read(&FORMAT, &sample("everything.rif")).unwrap();
    assert_eq!(counts(&read.faults), [("not-kept", 9)]);
    let [first, second, third] = &read.records[..] else { panic!() };
    let head = &first.head;
    let tags: Vec<String> = head.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        tags.join("; "),
        "Event=Friendly & casual; Site=Tallinn, Estonia; Date=2019-08-01; EndDate=2019-08-02; Round=F2; \
         Black=Anna Tamm; BlackCountry=Estonia; BlackTime=12.5; \
         White=Suzuki Ichiro; WhiteNative=鈴木一郎; WhiteCountry=Japan; \
         RuleName=Classic; Opening=D8; Publisher=Anna Tamm; GameId=5"
    );
    assert_eq!((head.rule, head.result), (Some(Rule::Renju), Some(Outcome::Second)));
    assert_eq!(head.opening.offered.len(), 1);
    assert_eq!(head.opening.swaps.as_deref(), Some("R"));
    let tree = &first.tree;
    assert_eq!(tree.line(NodeId::ROOT), Some("Black lost on time."));
    assert_eq!(tree.body(NodeId::ROOT), Some("A second line."));

    let head = &second.head;
    assert_eq!((head.rule, head.result), (Some(Rule::Freestyle), Some(Outcome::Draw)));
    assert_eq!((head.tag("Date"), head.tag("RuleName")), (Some("2018-05"), None));
    assert_eq!((head.tag("Opening"), head.tag("Alt"), head.tag("White")), (Some("I7"), Some("51"), Some("Solo")));
    assert_eq!(head.opening.swaps.as_deref(), Some("R--R-"));
    assert_eq!((line(third), third.head.result), (String::new(), Some(Outcome::First)));
}

/// Row 1 is at the bottom, the letter i is a column, and the result is Black's.
#[test]
fn points_are_where_renju_players_see_them() {
    let [first, ..] = &everything()[..] else { panic!() };
    assert_eq!(first, &{
        let mut record = line_game("7,7 7,6 7,8 0,0 14,13 2,1");
        record.head = first.head.clone();
        let mut builder = record::TreeBuilder::new();
        builder.copy_notes(&first.tree, NodeId::ROOT).unwrap();
        for (at, node) in record.tree.main_line().enumerate() {
            builder.append(at + 1, record.tree.side(node), record.tree.play(node)).unwrap();
        }
        record.tree = builder.build();
        record
    });
    let text = file("<game id=\"1\" bresult=\"0\"><move>i1 o15 j2</move></game>\n");
    let record = read(&FORMAT, text.as_bytes()).unwrap().one();
    assert_eq!(record.tree, line_game("8,14 14,0 9,13").tree);
    assert_eq!(record.head.result, Some(Outcome::Second), "0 of Black's points");
}

#[test]
fn games_of_public_reports_read_as_they_should() {
    let read_case = |name: &str| read(&FORMAT, &sample(&format!("cases/{name}"))).unwrap();
    let entities = read_case("XML-04/entities.rif").one();
    assert_eq!(entities.head.tag("Black"), Some("A & B <c> 甲 \"q\" A"));
    assert_eq!(entities.head.tag("Event"), Some("R&D"));
    assert_eq!(entities.tree.line(NodeId::ROOT), Some("a < b & c Ж"));
    let bare = read_case("XML-04/bare_amp.rif");
    assert_eq!(counts(&bare.faults), [("stray-ampersand", 1), ("not-kept", 4)]);
    assert_eq!(bare.faults.list()[0].to_string().split(':').next(), Some("`&` is no reference at byte 0x190"));
    assert_eq!(bare.one().head.tag("Black"), Some("A & B A"));

    let odd = read_case("XML-06/odd.rif");
    let games: Vec<(String, Option<Outcome>)> = odd.records.iter().map(|game| (line(game), game.head.result)).collect();
    let game = |moves: &str, result| (moves.to_string(), result);
    assert_eq!(
        games,
        [
            game("h8 h9 i10", Some(Outcome::Draw)),
            game("", Some(Outcome::First)),
            game("", None),
            game("h8 h9 i10", None),
            game("h8 h9 h8", Some(Outcome::Second)),
            game("h8 h9", Some(Outcome::First)),
        ]
    );
    assert_eq!(odd.records[5].head.tag("RuleName"), Some("Gomoku swap2"));
    assert_eq!(odd.records[5].head.rule, Some(Rule::Standard));
    let told: Vec<String> = odd.faults.list().iter().map(ToString::to_string).collect();
    let about = |start: &str| told.iter().filter(|fault| fault.starts_with(start)).count();
    for start in [
        "the game has no element `move` at game 3",
        "there is no player `99` at game 4",
        "there is no rule `99` at game 5",
    ] {
        assert_eq!(about(start), 1, "{start}: {told:?}");
    }
}

#[test]
fn hostile_files_are_refused() {
    for name in ["laughs", "xxe"] {
        let bytes = std::fs::read(testdata("bad/rif").join(name).with_extension("rif")).unwrap();
        for options in [strict(), lenient()] {
            let error = read_with(&FORMAT, &bytes, &options).unwrap_err().to_string();
            assert!(
                error.starts_with("rif: there is a DOCTYPE or another declaration, which is not read at byte 0x16")
            );
        }
    }
}

fn refused(text: &str) -> Error {
    read_with(&FORMAT, text.as_bytes(), &strict()).unwrap_err()
}

#[test]
fn faults_have_their_kind_and_place() {
    let good = "<game id=\"1\" bresult=\"1\"><move>h8</move></game>\n";
    for (games, kind, kept, place) in [
        ("<game><move>h8 h16 i9</move></game>", "bad-game", 1, "at game 1, byte 0x4e (after h8, ply 1)"),
        ("<game><move>h8 --</move></game>", "pass", 2, "at game 1, byte 0x4e"),
        ("<game><move>H8</move></game>", "capital-letter", 2, "at game 1, byte 0x4b"),
        ("<game bresult=\"2\"><move/></game>", "bad-result", 2, "at game 1, byte 0x3f"),
        ("<game/>", "no-moves", 2, "at game 1, byte 0x3f"),
        ("<game black=\"5\"><move/></game>", "missing-entry", 2, "at game 1, byte 0x3f"),
        ("<game colour=\"5\"><move/></game>", "unknown-attribute", 2, "at byte 0x3f"),
        ("<game><move/><clock/></game>", "unknown-element", 2, "at byte 0x4c"),
        ("<player/>", "unknown-element", 1, "at byte 0x3f"),
        ("<game><move/>what</game>", "stray-text", 2, "at byte 0x4c"),
        ("<game id=7><move/></game>", "bad-attribute", 2, "at game 1, byte 0x45"),
        ("<game><move>h8</info></game>", "broken", 1, "at game 1, byte 0x4d"),
        ("<game id=\"<\"><move/></game>", "broken", 1, "at byte 0x49"),
        ("<game><move/><info>a\u{1}b</info></game>", "bad-text", 2, "at game 1, byte 0x52"),
    ] {
        let text = file(&format!("{games}{good}"));
        let read = read(&FORMAT, text.as_bytes()).unwrap();
        assert_eq!(counts(&read.faults), [(kind, 1)], "{games}");
        assert_eq!(read.records.len(), kept, "{games}");
        assert_eq!(line(read.records.last().unwrap()), "h8", "{games}");
        let fault = read.faults.list()[0].to_string();
        assert!(fault.contains(place), "{games}: {fault}");
        let error = refused(&text).to_string();
        assert!(error.contains(place), "{games}: {error}");
    }
    let text = file("<game><move>h8 h16 i9</move></game>");
    let kept = read_with(&FORMAT, text.as_bytes(), &lenient()).unwrap();
    assert_eq!((counts(&kept.faults), line(&kept.records[0])), (vec![("cut-game", 1)], "h8".into()));
    assert!(refused("<data/>").to_string().starts_with("rif: the root element is `data`, not `database` at byte 0x0"));
    assert!(refused("").to_string().starts_with("rif: there is no element `database`"));
}

#[test]
fn a_file_that_ends_too_early_is_told() {
    let whole = sample("games.rif");
    let last = whole.windows(7).rposition(|window| window == b"</move>").unwrap();
    let cut = &whole[..last - 1];
    assert_eq!(refused(&String::from_utf8_lossy(cut)).message, "the file ends before `</move>`");
    let read = read(&FORMAT, cut).unwrap();
    assert_eq!((read.records.len(), counts(&read.faults)), (19, vec![("not-kept", 10), ("cut", 1)]));
    let before = whole.windows(6).position(|window| window == b"<games").unwrap();
    let error = read_with(&FORMAT, &whole[..before], &lenient()).unwrap_err();
    assert_eq!(error.message, "the file ends before `</database>`");
}

#[test]
fn old_files_hold_bytes_of_other_encodings() {
    let text = |declaration: &str| {
        let tables = "<players><player id=\"1\" surname=\"M\u{FC}ller\"/></players>";
        let games = "<games><game black=\"1\"><move>h8</move></game></games>";
        let text = format!("<?xml version=\"1.0\" {declaration}?><database>{tables}{games}</database>");
        text.chars().map(|c| c as u8).collect::<Vec<u8>>()
    };
    let declared = read_with(&FORMAT, &text("encoding='iso-8859-1'"), &strict()).unwrap().one();
    assert_eq!(declared.head.tag("Black"), Some("Müller"));
    let unknown = read(&FORMAT, &text("")).unwrap();
    assert_eq!(counts(&unknown.faults), [("bad-text", 1)]);
    assert_eq!(unknown.one().head.tag("Black"), Some("M\u{FFFD}ller"));
}

#[test]
fn what_was_read_is_written_again() {
    for name in ["everything.rif", "games.rif"] {
        let before = read(&FORMAT, &sample(name)).unwrap();
        let (bytes, losses) = write(&FORMAT, &before.records).unwrap();
        assert_eq!(losses, Losses::default(), "{name}");
        let after = read_with(&FORMAT, &bytes, &strict()).unwrap();
        assert_eq!(after.records, before.records, "{name}");
        assert_eq!(write(&FORMAT, &after.records).unwrap().0, bytes, "{name}");
    }
}

#[test]
fn ids_are_used_once() {
    let mut games = everything();
    games.push(games[0].clone());
    games.push(line_game("7,7"));
    let (bytes, losses) = write(&FORMAT, &games).unwrap();
    let whats: Vec<(&str, u64)> = losses.list().iter().map(|loss| (loss.what, loss.count)).collect();
    assert_eq!(whats, [("tags (left out)", 1)]);
    let again = read(&FORMAT, &bytes).unwrap().records;
    let ids: Vec<&str> = again.iter().filter_map(|game| game.head.tag("GameId")).collect();
    assert_eq!(ids, ["5", "6", "9", "1", "2"]);
}

#[test]
fn many_games_wait_in_a_file() {
    let game = everything().remove(0);
    let mut bytes = Vec::new();
    let mut writer = FORMAT.start(&mut bytes, &crate::WriteOptions::default());
    let mut losses = Losses::default();
    for _ in 0..40_000 {
        writer.record(&game, &mut losses).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    let again = read(&FORMAT, &bytes).unwrap();
    assert!(bytes.len() > 2 * (4 << 20) && again.records.iter().all(|other| other.tree == game.tree));
    assert_eq!(again.records.len(), 40_000);
}

#[test]
fn engine_games_read_alike_from_text() {
    let Some(folder) = shared("data/games") else { return };
    let games = read(&FORMAT, &std::fs::read(folder.join("engine_renju15.rif")).unwrap()).unwrap();
    assert!(games.faults.counts().iter().all(|(_, severity, _)| *severity == Severity::Remark));
    let texts = text_games(&folder.join("engine_renju15.txt"));
    assert_eq!((games.records.len(), texts.len()), (4147, 4147));
    for (game, text) in games.records.iter().zip(&texts) {
        assert_eq!(game.tree, text.tree);
        assert_eq!(
            (game.head.rule, game.head.size, game.head.result),
            (text.head.rule, text.head.size, text.head.result)
        );
    }
}

/// The most memory that the program ever held, in bytes.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok()? << 10)
}

/// How long this thread ran, in seconds: what else the machine does is left out where the system tells.
fn seconds(start: std::time::Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// long run: 70 MB, alone in its process: `just rif`
#[test]
#[ignore = "measures memory and time"]
fn a_database_of_70_mb_is_a_stream() {
    let Some(folder) = shared("data/games") else { return };
    let file = std::fs::read_to_string(folder.join("engine_renju15.rif")).unwrap();
    let (tables, rest) = file.split_once("<games>").unwrap();
    let (games, end) = rest.split_once("</games>").unwrap();
    let mut bytes = String::with_capacity(71 << 20);
    bytes.push_str(tables);
    bytes.push_str("<games>");
    let mut repeated = 0;
    while bytes.len() < 70 << 20 {
        bytes.push_str(games);
        repeated += 4147;
    }
    bytes.push_str("</games>");
    bytes.push_str(end);
    let before = peak();
    let (options, progress) = (strict(), crate::Progress::default());
    let (mut count, mut nodes) = (0, 0);
    let mut each = |record: Record| {
        count += 1;
        nodes += record.tree.len();
        Ok(())
    };
    let start = std::time::Instant::now();
    let begun = seconds(start);
    let mut reading = crate::Reading::new(FORMAT.name, &options, &progress, &mut each);
    (FORMAT.read)(bytes.as_bytes(), &mut reading).unwrap();
    let speed = bytes.len() as f64 / 1e6 / (seconds(start) - begun);
    assert_eq!((count, nodes > count), (repeated, true));
    let grown = before.zip(peak()).map(|(before, after)| after - before);
    println!("{count} games, {speed:.0} MB/s, {grown:?} bytes more");
    assert!(grown.is_none_or(|grown| grown < 64 << 20) && speed >= 60.0);
}

#[test]
fn damaged_files_end_politely() {
    for path in files(&testdata("rif"), "rif") {
        torture(&FORMAT, &std::fs::read(path).unwrap(), 300);
    }
}

proptest! {
    #[test]
    fn any_record_is_written_as_it_is_read(record in records()) {
        let Ok((bytes, _)) = write(&FORMAT, std::slice::from_ref(&record)) else { return Ok(()) };
        let options = if bytes.windows(2).any(|window| window == b"--") { lenient() } else { strict() };
        let again = read_with(&FORMAT, &bytes, &options).unwrap();
        let (same, _) = write(&FORMAT, &again.records).unwrap();
        prop_assert_eq!(String::from_utf8(same).unwrap(), String::from_utf8(bytes).unwrap());
    }
}

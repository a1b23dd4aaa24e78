//! The command as users and scripts meet it: what it says, what it writes, how it ends.

#[path = "../benches/generator.rs"]
mod generator;
mod support;

use formats::{Progress, ReadOptions, Reading, by_name};
use games::{Coords, Size};
use record::{Note, Play, Record};
use std::fs;
use std::io::{BufRead, BufReader};
#[cfg(unix)]
use std::io::{Read, Write};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::time::Instant;
use support::{Desk, files, shared, testdata};

const SHOWCASE: &str = "renlib/showcase.lib";
const TWO_GAMES: &str = "(;GM[4]FF[4]SZ[15];B[hh];W[hg])(;GM[4]FF[4]SZ[15];B[hh];W[ig]V[1])";

// Wrong use

#[test]
fn wrong_use_ends_in_one_sentence_and_2() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    desk.sample("renlib/14_root_only.lib");
    fs::create_dir(desk.path("folder")).unwrap();
    fs::create_dir(desk.path("empty")).unwrap();
    desk.put("folder/a.sgf", TWO_GAMES);
    desk.put("there.sgf", "");
    for (arguments, sentence) in [
        ("nothere.lib", "`nothere.lib` is not a command: write `kifu info nothere.lib` to see what a file holds"),
        ("frob", "`frob` is not a command (see --help)"),
        ("convrt", "`convrt` is not a command, perhaps `convert` is meant (see --help)"),
        ("convert", "an argument is missing: <IN>... (see --help)"),
        ("convert nothere.lib", "nothere.lib: there is no such file"),
        ("convert nothere.lib -o a.foo", "nothere.lib: there is no such file"),
        ("convert nothere.lib -o a.sgf", "nothere.lib: there is no such file"),
        ("convert nothere.lib showcase.lib", "nothere.lib: there is no such file"),
        ("convert showcase.lib", "name the format to write with -t, or a file with -o"),
        ("convert showcase.lib -t", "--to has no value (see --help)"),
        ("convert showcase.lib -t foo", "--to: `foo` is not a format: see `kifu formats`"),
        ("convert showcase.lib -f foo -t sgf", "--from: `foo` is not a format: see `kifu formats`"),
        ("convert showcase.lib -o", "--output has no value (see --help)"),
        ("convert showcase.lib -o a.foo", "a.foo: its extension tells no format: name one with -t"),
        ("convert showcase.lib -o missing/a.sgf", "missing/a.sgf: there is no folder missing"),
        ("convert showcase.lib -o folder", "folder: name the format to write into this folder with -t"),
        ("convert showcase.lib -o there.sgf", "there.sgf: this file exists: use --force to replace it"),
        ("convert showcase.lib -o there.sgf --dry-run", "there.sgf: this file exists: use --force to replace it"),
        ("convert showcase.lib -o a.sgf -o b.sgf", "--output is given more than once (see --help)"),
        ("convert showcase.lib --bogus", "`--bogus` is not an option here (see --help)"),
        (
            "convert showcase.lib --mainlin",
            "`--mainlin` is not an option here, perhaps `--mainline` is meant (see --help)",
        ),
        ("convert showcase.lib -t sgf --encoding foo", "--encoding: `foo` is not an encoding I know"),
        ("convert showcase.lib -t sgf --output-encoding utf-16", "--output-encoding: `utf-16` is not an encoding"),
        ("convert showcase.lib -t sgf --turn left", "--turn: `left` is not a symmetry: write r90, r180, r270, mirror"),
        ("convert showcase.lib -t sgf --size 99", "--size: `99` is not a board size: write 15 or 15x12, at most 26"),
        ("convert showcase.lib -t sgf --coords foo", "--coords: `foo` is not a notation: write a1, agi, xy, sgf"),
        ("convert showcase.lib -t sgf --max-ply x", "--max-ply: `x` is not a number that can stand here"),
        ("convert showcase.lib -t sgf -j x", "--threads: `x` is not a number that can stand here"),
        ("convert showcase.lib -t sgf --strict --lenient", "--strict cannot be used with --lenient (see --help)"),
        ("convert showcase.lib 14_root_only.lib -t sgf", "several files cannot go to stdout: name a folder with -o"),
        ("convert showcase.lib 14_root_only.lib -o a.sgf", "a.sgf: several files cannot go into one: name a folder"),
        ("convert showcase.lib 14_root_only.lib -t sgf -o there.sgf", "there.sgf: several files cannot go into one"),
        ("convert folder -t sgf", "folder: this is a folder: use -r to read what is in it"),
        ("convert -r folder -t agr -o folder", "folder: this is the folder that is read: name another one with -o"),
        ("convert -r empty -t sgf -o x", "empty: there is no file to read in this folder"),
        ("convert - -t sgf", "stdin: there is nothing in it"),
        ("convert - -f lib -t sgf", "stdin: renlib: the file is empty"),
        ("convert there.sgf -t lib", "there.sgf: "),
        ("info", "an argument is missing: <FILES>... (see --help)"),
        ("info nothere.lib", "nothere.lib: there is no such file"),
        ("info folder", "folder: this is a folder: use -r to read what is in it"),
        ("info -", "stdin: there is nothing in it"),
        ("info -r empty", "empty: there is no file to read in this folder"),
        ("check nothere.lib", "nothere.lib: there is no such file"),
        ("show", "an argument is missing: <FILE|POSITION> (see --help)"),
        ("show nothere.lib", "nothere.lib: there is no such file"),
        ("show folder", "folder: this is a folder"),
        ("show h8h99", "this is no file and no position: `h99` at byte 2 is not a point of a 15x15 board"),
        ("show h8 --ply 2", "--ply: the main line has 1 ply, not 2"),
        ("show showcase.lib --ply 900", "--ply: the main line has 17 plies, not 900"),
        ("show showcase.lib --path z9", "--path: `z9` at byte 0 is not a point of a 15x15 board"),
        ("show showcase.lib --path h8,a1", "--path: a1, its move 2, is not in the tree there"),
        ("show showcase.lib --game 3", "showcase.lib: there is no game 3: the file has 1 game"),
        ("show showcase.lib --ply 1 --path h8", "--ply cannot be used with --path (see --help)"),
        ("man foo", "`foo` is not a command of kifu"),
        ("completions foo", "<SHELL>: `foo` is not one of bash, elvish, fish, powershell, zsh"),
        ("formats x", "`x` is not an option here (see --help)"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let said = desk.kifu(&arguments);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{arguments:?}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{arguments:?}: {said:?}");
        assert!(said.err.starts_with(&format!("kifu: {sentence}")), "{arguments:?}: {}", said.err);
    }
    assert_eq!(desk.files(""), ["14_root_only.lib", "folder/a.sgf", "showcase.lib", "there.sgf"]);
}

#[test]
fn without_arguments_the_help_is_on_stderr_and_asked_for_on_stdout() {
    let desk = Desk::new();
    let said = desk.kifu::<&str>(&[]);
    assert!(said.code == 2 && said.out.is_empty() && said.err.contains("Usage: kifu <COMMAND>"), "{said:?}");
    for arguments in [&["--help"][..], &["help", "convert"], &["show", "--help"], &["--version"]] {
        let said = desk.kifu(arguments);
        assert!(said.code == 0 && said.err.is_empty() && said.out.contains("kifu"), "{said:?}");
    }
}

#[test]
fn bad_files_are_refused_with_their_name_in_front() {
    for path in files(&testdata("bad")) {
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let name = path.to_str().unwrap();
        let desk = Desk::new();
        // A good game stands before the bad one.
        let is_read = ["not-json.json", "not-utf8.json", "large_board.sgf"].iter().any(|bad| name.ends_with(bad));
        for arguments in [&["info", name][..], &["convert", name, "-t", "json", "-o", "out.json"]] {
            let said = desk.kifu(arguments);
            if is_read {
                assert!(said.code == 0 && (said.out + &said.err).contains("the game was left out"), "{name}");
                continue;
            }
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{name}: {said:?}");
            assert_eq!(said.err.lines().count(), 1, "{name}: {said:?}");
            assert!(said.err.starts_with(&format!("kifu: {name}: ")), "{}", said.err);
            assert_eq!(desk.files(""), [""; 0]);
        }
        let said = desk.kifu(&["check", name]);
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{name}: {said:?}");
        assert!(said.out.starts_with(&format!("{name}: ")), "{}", said.out);
    }
}

// Reading

#[test]
fn info_aligns_its_columns_and_names_each_quirk() {
    let desk = Desk::new();
    let sample = |name: &str| testdata("renlib").join(name).to_str().unwrap().to_string();
    let said = desk.kifu(&["info", &sample("01_renlib30_gbk.lib")]);
    let rows: Vec<&str> = said.out.lines().skip(1).collect();
    assert!(rows.contains(&"  label-only  1") && rows.contains(&"  encoding    GBK (likely)"), "{}", said.out);
    assert!(rows.iter().all(|row| row.as_bytes()[13] == b' ' && row.as_bytes()[14] != b' '), "{}", said.out);
    let said = desk.kifu(&["info", &sample("22_truncated_in_comment.lib")]);
    let message =
        "cut-text: the file ends inside a text of the node at byte 0x14 (after h8, ply 1): what is there is kept";
    assert!(said.out.contains(message), "{}", said.out);
}

#[test]
fn info_json_has_the_fields_that_scripts_rely_on() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    desk.sample("renlib/03_zero_header_ext0000_utf8_rlv2style.lib");
    desk.put("二.sgf", TWO_GAMES);
    let said = desk.kifu(&[
        "info",
        "--json",
        "showcase.lib",
        "nothere.lib",
        "二.sgf",
        "03_zero_header_ext0000_utf8_rlv2style.lib",
    ]);
    assert_eq!((said.code, said.err.as_str()), (2, "kifu: nothere.lib: there is no such file\n"));
    let rows = said.json();
    assert_eq!(rows.len(), 3);
    let (library, games, quirky) = (&rows[0], &rows[1], &rows[2]);
    let expected = serde_json::json!({
        "kifu": 1, "file": "showcase.lib", "format": "renlib", "game": "gomoku", "rule": "renju", "size": [15, 15],
        "records": 1, "nodes": 63, "depth": 19, "comments": 39, "labels": 36, "marks": 2, "passes": 1,
        "encoding": {"name": "UTF-8", "sure": "certain"}, "quirks": [],
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&library[field], value, "{field}");
    }
    assert_eq!(
        (games["file"].as_str(), games["records"].as_u64(), games["nodes"].as_u64()),
        (Some("二.sgf"), Some(2), Some(4))
    );
    assert_eq!(quirky["quirks"], serde_json::json!(["zero-header", "text-by-flag"]));
}

#[test]
fn check_answers_with_its_exit_code_and_an_object_a_fault() {
    let desk = Desk::new();
    for name in ["renlib/20_occupied_point.lib", "renlib/19_bad_pos_0x80.lib", "renlib/14_root_only.lib"] {
        desk.sample(name);
    }
    let said = desk.kifu(&["check", "14_root_only.lib"]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    let said = desk.kifu(&["check", "--json", "20_occupied_point.lib", "19_bad_pos_0x80.lib"]);
    assert_eq!(said.code, 1);
    let rows = said.json();
    let row = |at: usize, field: &str| rows[at][field].clone();
    assert_eq!(rows.len(), 2);
    assert_eq!((row(0, "kind"), row(0, "path"), row(0, "ply")), ("occupied-point".into(), "h8 h9 h8".into(), 3.into()));
    assert_eq!(
        (row(1, "kind"), row(1, "byte"), row(1, "file")),
        ("refused".into(), 0x16.into(), "19_bad_pos_0x80.lib".into())
    );
    assert_eq!(desk.kifu(&["check", "20_occupied_point.lib", "nothere.lib"]).code, 2);
}

#[test]
fn show_draws_boards_of_files_and_positions() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    desk.put("game.sgf", "(;GM[4]FF[4]SZ[20]PB[Ann]PW[Bob]RE[B+];B[jj];W[tt];B[aa]LB[bb:必][cc:7])");
    let said = desk.kifu(&["show", "game.sgf"]);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines[0], "Ann - Bob, 1-0");
    assert_eq!(lines[2], "20(X). . . . . . . . . . . . . . . . . . .");
    assert_eq!(lines[3], "19 . * . . . . . . . . . . . . . . . . . .");
    assert_eq!(lines[21], " 1 . . . . . . . . . . . . . . . . . . . O");
    assert_eq!(lines[22], "   a b c d e f g h i j k l m n o p q r s t");
    assert!(said.out.ends_with("ply 3, last a20, O (White) to move\nlabels b19 必, c18 7\n"), "{}", said.out);
    let said = desk.kifu(&["show", "showcase.lib", "--path", "h8 h9"]);
    assert!(said.out.contains("ply 2, last h9") && said.out.contains("labels h10 1, "), "{}", said.out);
    let said = desk.kifu(&["show", "h8i9", "--ply", "1"]);
    assert!(said.out.contains("ply 1, last h8, O (White) to move\nnext i9"), "{}", said.out);
    let said = desk.kifu(&["show", ""]);
    assert!(said.code == 0 && said.out.contains("ply 0, X (Black) to move"));
}

#[test]
fn show_reads_positions_from_stdin_and_goes_on_after_a_bad_one() {
    let desk = Desk::new();
    let lines = "h8i9\r\nzz\n\nagi:STATU 7869 MOVES 68\nboard:X.O/.../... turn:O\n";
    let said = desk.pipe(&["show", "-", "--json"], lines.as_bytes());
    assert_eq!(said.code, 2);
    assert!(said.err.starts_with("kifu: stdin: line 2: `zz` at byte 0 is not a point"), "{}", said.err);
    let rows = said.json();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["kifu"] == 1));
    assert_eq!((&rows[0]["input"], &rows[0]["side"]), (&"h8i9".into(), &"black".into()));
    assert_eq!((&rows[2]["board"], &rows[2]["side"]), (&"X.O/.../...".into(), &"white".into()));
    let library = fs::read(testdata(SHOWCASE)).unwrap();
    assert!(desk.pipe(&["show", "-", "-f", "lib"], &library).out.contains("labels h9 A"));
}

#[test]
fn texts_of_files_cannot_command_the_terminal() {
    let desk = Desk::new();
    desk.put("evil.sgf", "(;GM[4]FF[4]SZ[15]PB[a\x1b[31mb\x07\\]];B[hh]C[\x1b\\]0;title\x07])");
    for command in ["info", "show"] {
        let said = desk.kifu(&[command, "evil.sgf"]);
        assert!(said.code == 0 && !said.out.contains(['\x1b', '\x07']), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn odd_names_are_names() {
    let desk = Desk::new();
    let library = fs::read(testdata(SHOWCASE)).unwrap();
    for name in ["-dash.lib", "two words.lib", "棋譜.lib", "line\nbreak.lib", "a.b.c.LIB"] {
        desk.put(name, &library);
        assert_eq!(desk.kifu(&["info", "--", name]).code, 0, "{name}");
        let said = desk.kifu(&["convert", "-t", "agr", "-o", "out/", "--", name]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{name}");
        assert!(desk.path("out").join(name).with_extension("agr").exists());
    }
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"\xB0\xD7.lib");
    if fs::write(desk.path(name), &library).is_ok() {
        assert_eq!(desk.kifu(&[std::ffi::OsStr::new("show"), name]).code, 0);
    }
}

// Converting

#[test]
fn losses_are_told_in_a_line_each_and_can_be_refused() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    desk.put("games.sgf", TWO_GAMES);
    let lost = "cannot hold board texts (written as labels of the position before): 36 (first after h8 h9)";
    let said = desk.kifu(&["convert", "showcase.lib", "-o", "a.sgf"]);
    assert_eq!((said.code, said.err), (0, format!("kifu: showcase.lib: sgf {lost}\n")));
    let refused =
        format!("kifu: showcase.lib: what would lose something is not written\nkifu: showcase.lib: sgf {lost}\n");
    for arguments in [&["-o", "b.sgf"][..], &["-t", "sgf"], &["-t", "sgf", "-o", "folder/"]] {
        let said = desk.kifu(&[&["convert", "showcase.lib", "--fail-on-loss"], arguments].concat());
        assert_eq!((said.code, said.out.as_str(), &said.err), (3, "", &refused));
    }
    assert_eq!(desk.files(""), ["a.sgf", "games.sgf", "showcase.lib"]);
    assert_eq!(desk.kifu(&["convert", "showcase.lib", "--fail-on-loss", "-o", "c.agr"]).code, 0);
    let said = desk.kifu(&["convert", "games.sgf", "-t", "lib", "-o", "games/"]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (0, "kifu: games.sgf: renlib cannot hold values (left out): 1 (in game 2, after h8 i9)\n")
    );
    let said = desk.kifu(&["convert", "games.sgf", "showcase.lib", "-t", "moves", "-o", "texts/"]);
    let sum = "kifu: moves cannot hold nodes off the main line (left out): ";
    assert!(said.err.contains(&format!("kifu: showcase.lib: {}", &sum[6..])), "{}", said.err);
    desk.put("more.lib", desk.read("showcase.lib"));
    let said = desk.kifu(&["convert", "showcase.lib", "more.lib", "-t", "sgf", "-o", "sgf/"]);
    assert_eq!(
        said.err,
        "kifu: sgf cannot hold board texts (written as labels of the position before): 72 in 2 files (first in showcase.lib, after h8 h9)\n"
    );
}

#[test]
fn a_dry_run_says_from_where_to_where_and_writes_nothing() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    desk.put("games.sgf", TWO_GAMES);
    let said = desk.kifu(&["convert", "showcase.lib", "games.sgf", "-t", "lib", "-o", "out/", "--dry-run"]);
    let (slash, one, many) = (std::path::MAIN_SEPARATOR, "1 record, 63 nodes", "2 records, 4 nodes");
    let lines = format!(
        "showcase.lib -> out/showcase.lib: {one}\ngames.sgf -> out/games-0001.lib ... out/games-0002.lib: {many}\n"
    );
    assert_eq!((said.code, said.out.replace(slash, "/")), (0, lines));
    let said = desk.kifu(&["convert", "showcase.lib", "-t", "agr", "--dry-run"]);
    assert_eq!((said.code, said.out), (0, format!("showcase.lib -> stdout: {one}\n")));
    assert_eq!(desk.files(""), ["games.sgf", "showcase.lib"]);
}

#[test]
fn what_was_forgiven_is_told_with_its_place_and_count() {
    let desk = Desk::new();
    let sample = |name: &str| testdata("renlib").join(name).to_str().unwrap().to_string();
    for (name, sentence) in [
        (
            "22_truncated_in_comment.lib",
            "the file ends inside a text of the node at byte 0x14 (after h8, ply 1): what is there is kept",
        ),
        ("20_occupied_point.lib", "1 stone on an occupied point: it is kept (see kifu check)"),
        ("01_renlib30_gbk.lib", "the texts are taken for GBK (likely): --encoding names another"),
    ] {
        let said = desk.kifu(&["convert", &sample(name), "-t", "agr"]);
        assert_eq!((said.code, said.err), (0, format!("kifu: {}: {sentence}\n", sample(name))));
    }
    let said = desk.kifu(&["convert", &sample("22_truncated_in_comment.lib"), "-t", "agr", "--strict"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
}

#[test]
fn stdin_to_stdout() {
    let desk = Desk::new();
    let library = fs::read(testdata(SHOWCASE)).unwrap();
    let said = desk.pipe(&["convert", "-", "-t", "agr", "-o", "-"], &library);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    desk.put("there.lib", &library);
    assert_eq!(desk.kifu(&["convert", "there.lib", "-t", "agr"]).out, said.out);
}

/// Converts a folder and gives the bytes of each file written, by name.
fn convert_folder(desk: &Desk, from: &str, to: &str, into: &str, more: &[&str]) -> Vec<(String, Vec<u8>)> {
    desk.kifu(&[&["convert", "-r", from, "-t", to, "-o", into], more].concat());
    desk.files(into).into_iter().map(|name| (name.clone(), desk.read(Path::new(into).join(name)))).collect()
}

#[test]
fn libraries_survive_the_formats_that_can_hold_all_of_them() {
    let folders = [Some(testdata("renlib")), shared("data/renlib")];
    for folder in folders.into_iter().flatten() {
        let desk = Desk::new();
        // Beside them lie games in other formats, some of which cannot go into one library.
        for path in files(&folder).iter().filter(|path| path.extension().is_some_and(|e| e == "lib")) {
            let name = path.strip_prefix(&folder).unwrap();
            desk.put(Path::new("libraries").join(name), fs::read(path).unwrap());
        }
        let folder = "libraries";
        let direct = convert_folder(&desk, folder, "lib", "direct", &[]);
        assert!(direct.len() >= 25, "{}", direct.len());
        for format in ["agi-record", "agi-game", "json"] {
            let there = convert_folder(&desk, folder, format, format, &[]);
            assert_eq!(there.len(), direct.len(), "{format}");
            let back = convert_folder(&desk, format, "lib", &format!("from-{format}"), &[]);
            for ((name, bytes), (_, again)) in direct.iter().zip(&back) {
                assert!(bytes == again, "{name} by way of {format}");
            }
            assert_eq!(back.len(), direct.len());
        }
    }
}

/// The nodes of a library, a line each: the moves that lead there, what the node is, its comment and its board text.
///
/// They are sorted, as label-only nodes have no order among their siblings in SGF.
fn content(bytes: &[u8]) -> Vec<String> {
    let mut records = Vec::new();
    let mut each = |record: Record| {
        records.push(record);
        Ok(())
    };
    let format = by_name("renlib").unwrap();
    let (options, progress) = (ReadOptions::default(), Progress::default());
    (format.read)(bytes, &mut Reading::new("renlib", &options, &progress, &mut each)).unwrap();
    let tree = &records[0].tree;
    let mut path: Vec<String> = Vec::new();
    let mut content = Vec::new();
    for (depth, node) in tree.walk() {
        path.truncate(depth.saturating_sub(1));
        path.push(match tree.play(node) {
            Play::Move(m) => m.point().map_or("--".into(), |point| Coords::A1.text(point, Size::default())),
            Play::Label(point) => format!("[{}]", Coords::A1.text(point, Size::default())),
            Play::Nothing => "root".into(),
        });
        let notes = tree.notes(node).filter_map(|note| match note {
            Note::Line(text) | Note::Body(text) => Some(text),
            _ => None,
        });
        let comment = notes.collect::<Vec<_>>().join("\n");
        content.push(format!("{}: {comment:?} {:?}", path.join(" "), tree.text(node)));
    }
    content.sort();
    content
}

#[test]
fn libraries_keep_moves_comments_and_labels_by_way_of_sgf() {
    let folders = [Some(testdata("renlib")), shared("data/renlib")];
    // So that no encoding has to be guessed.
    let utf_8 = ["--output-encoding", "utf-8"];
    for folder in folders.into_iter().flatten() {
        let desk = Desk::new();
        let direct = convert_folder(&desk, folder.to_str().unwrap(), "lib", "direct", &utf_8);
        let said = desk.kifu(&["convert", "-r", "direct", "-t", "sgf", "-o", "sgf"]);
        assert!(
            said.err.contains("sgf cannot hold board texts (written as labels of the position before): "),
            "{}",
            said.err
        );
        let back = convert_folder(&desk, "sgf", "lib", "back", &utf_8);
        assert_eq!(back.len(), direct.len());
        for ((name, bytes), (_, again)) in direct.iter().zip(&back) {
            // A label-only node has no point in SGF, and becomes none here.
            if !name.contains("LIB-10") {
                let (found, expected) = (content(again), content(bytes));
                let differ = found.iter().zip(&expected).find(|(found, expected)| found != expected);
                assert!(differ.is_none() && found.len() == expected.len(), "{name}: {differ:?}");
            }
        }
    }
}

// Folders

/// Three levels, 300 games, and among them a broken one, one with a name that is not ASCII, and strangers.
fn tall_folder(desk: &Desk) {
    for number in 0..300 {
        let folder = ["in", "in/b", "in/b/c"][number % 3];
        let point = char::from(b'a' + (number % 15) as u8);
        desk.put(format!("{folder}/game-{number:03}.sgf"), format!("(;GM[4]FF[4]SZ[15];B[h{point}])"));
    }
    desk.put("in/b/broken.sgf", "(;GM[4]FF[4]SZ[99];B[hh])");
    desk.put("in/b/c/棋譜.sgf", TWO_GAMES);
    desk.put("in/readme.txt", "Games of the club, collected by hand.");
    desk.put("in/package.json", "{\"name\": \"club\"}");
    desk.put("in/photo.jpg", [0xFF, 0xD8]);
}

#[test]
fn a_folder_is_converted_but_for_the_bad_files_in_the_same_way_on_any_number_of_threads() {
    let desk = Desk::new();
    tall_folder(&desk);
    let mut runs = Vec::new();
    for threads in ["1", "2"] {
        let said = desk.kifu(&["convert", "-r", "in", "-t", "agx", "-o", "out", "-j", threads]);
        assert_eq!((said.code, said.out.as_str()), (2, ""));
        let lines: Vec<&str> = said.err.lines().collect();
        assert_eq!(lines.len(), 2, "{}", said.err);
        let broken = Path::new("in").join("b").join("broken.sgf");
        assert!(lines[0].starts_with(&format!("kifu: {}: sgf: SZ[99]", broken.display())), "{}", said.err);
        assert_eq!(lines[1], "kifu: 301 files converted, 1 failed (3 files of other kinds passed over)");
        let written: Vec<Vec<u8>> =
            desk.files("out").iter().map(|name| desk.read(Path::new("out").join(name))).collect();
        assert_eq!(written.len(), 301);
        assert!(desk.path("out/b/c/棋譜.agx").exists());
        fs::remove_dir_all(desk.path("out")).unwrap();
        runs.push((said, written));
    }
    assert_eq!(runs[0], runs[1]);
    let said = desk.kifu(&["info", "--json", "-r", "in"]);
    let names: Vec<String> = said.json().iter().map(|row| row["file"].as_str().unwrap().to_string()).collect();
    assert_eq!((said.code, names.len()), (2, 301));
    assert!(names.is_sorted_by_key(|name| Path::new(name).to_path_buf()));
}

#[cfg(unix)]
#[test]
fn unreadable_files_and_folders_are_told_and_passed_over() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.put("in/a.sgf", TWO_GAMES);
    desk.put("in/b.sgf", TWO_GAMES);
    desk.put("in/shut/c.sgf", TWO_GAMES);
    for name in ["in/b.sgf", "in/shut"] {
        fs::set_permissions(desk.path(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    if fs::read(desk.path("in/b.sgf")).is_ok() {
        eprintln!("skipped: to this user nothing is unreadable");
    } else {
        let said = desk.kifu(&["convert", "-r", "in", "-t", "agr", "-o", "out"]);
        assert_eq!(said.code, 2);
        assert!(said.err.contains("kifu: in/b.sgf: permission is denied\n"), "{}", said.err);
        assert!(said.err.contains("kifu: in/shut: permission is denied\n"), "{}", said.err);
        assert_eq!(desk.files("out"), ["a.agr"]);
    }
    fs::set_permissions(desk.path("in/shut"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn outputs_inside_the_input_folder_are_not_read_again() {
    let desk = Desk::new();
    desk.put("in/a.sgf", TWO_GAMES);
    desk.put("in/b/c.sgf", TWO_GAMES);
    let run = ["convert", "-r", "in", "-t", "sgf", "-o", "in/out"];
    assert_eq!(desk.kifu(&run).code, 0);
    let files = ["a.sgf", "b/c.sgf", "out/a.sgf", "out/b/c.sgf"];
    assert_eq!(desk.files("in"), files);
    let said = desk.kifu(&run);
    assert!(said.code == 2 && said.err.contains("this file exists: use --force to replace it"), "{said:?}");
    let said = desk.kifu(&[&run[..], &["--force"]].concat());
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(desk.files("in"), files);
}

#[test]
fn names_that_collide_are_told_and_nothing_is_overwritten() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    let library = desk.read("showcase.lib");
    desk.put("in/a.lib", &library);
    desk.put("in/a.sgf", TWO_GAMES);
    desk.put("in/b-0002.lib", &library);
    desk.put("in/b.sgf", TWO_GAMES);
    let said = desk.kifu(&["convert", "-r", "in", "-t", "lib", "-o", "out", "--force"]);
    assert_eq!(said.code, 2);
    let err = said.err.replace('\\', "/");
    assert!(err.contains("kifu: in/a.sgf: it would go to out/a.lib, as in/a.lib does: convert it apart\n"), "{err}");
    assert!(err.contains("kifu: in/b.sgf: a game of it would go to out/b-0002.lib, as in/b-0002.lib does\n"), "{err}");
    assert_eq!(desk.read("out/a.lib"), library);
    assert_eq!(desk.read("out/b-0002.lib"), library);
}

#[test]
fn many_games_into_a_format_of_one_are_numbered() {
    let desk = Desk::new();
    desk.put("games.sgf", TWO_GAMES);
    let said = desk.kifu(&["convert", "games.sgf", "-o", "all.lib"]);
    assert!(
        said.code == 2 && said.err.contains("a .lib holds one record, and there are more: name a folder"),
        "{said:?}"
    );
    assert_eq!(desk.kifu(&["convert", "games.sgf", "-t", "lib", "-o", "out/"]).code, 0);
    assert_eq!(desk.files("out"), ["games-0001.lib", "games-0002.lib"]);
}

// Pipes, signals, disks

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let desk = Desk::new();
    desk.put("big.lib", generator::library(200_000));
    desk.put("positions.txt", "h8i9j10\n".repeat(5000));
    for arguments in [
        &["convert", "big.lib", "-t", "agr"][..],
        &["convert", "big.lib", "-t", "agx"],
        &["show", "-"],
        &["info", "big.lib"],
        &["check", "big.lib"],
        &["formats"],
        &["man", "convert"],
        &["completions", "bash"],
        &["help"],
    ] {
        let mut command = desk.command(arguments);
        command.stdin(fs::File::open(desk.path("positions.txt")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        if arguments[0] == "convert" || arguments[0] == "show" {
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        }
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        // The library is good, so `check` has nothing to say that could fail.
        assert_eq!((output.status.code(), err.as_ref()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    for arguments in [&["convert", "showcase.lib", "-t", "lib"][..], &["info", "showcase.lib"], &["man"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = desk.command(arguments).stdout(full).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err.starts_with("kifu: stdout cannot be written: No space left"), "{arguments:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn devices_are_not_replaced_and_modes_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.sample(SHOWCASE);
    let said = desk.kifu(&["convert", "showcase.lib", "-t", "agr", "-o", "/dev/null", "--force"]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (2, "kifu: /dev/null: this is a device or a pipe: write to stdout with -o -\n")
    );
    desk.put("old.agr", "old");
    fs::set_permissions(desk.path("old.agr"), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(desk.kifu(&["convert", "showcase.lib", "-o", "old.agr", "--force"]).code, 0);
    assert_eq!(fs::metadata(desk.path("old.agr")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn killed_at_any_moment_the_old_file_or_the_new_one_stands() {
    let desk = Desk::new();
    desk.put("big.lib", generator::library(100_000));
    let run = ["convert", "big.lib", "-o", "out.agr", "--force"];
    let start = Instant::now();
    assert_eq!(desk.kifu(&run).code, 0);
    let whole = start.elapsed();
    let new = desk.read("out.agr");
    let old = b"[Agr \"1\"] *\n".to_vec();
    let (mut olds, mut news) = (0, 0);
    for round in 0..40 {
        desk.put("out.agr", &old);
        let mut child = desk.command(&run).spawn().unwrap();
        // The last one may end by itself, and others may be faster than the first was.
        if round < 39 {
            std::thread::sleep(whole * round / 32);
            let _ = child.kill();
        }
        child.wait().unwrap();
        let found = desk.read("out.agr");
        assert!(found == old || found == new, "{} bytes stand there in round {round}", found.len());
        if found == old { olds += 1 } else { news += 1 }
    }
    assert!(olds > 0 && news > 0, "{olds} old and {news} new ones");
}

/// Sends what Ctrl-C sends, and gives the exit code.
#[cfg(unix)]
fn interrupt(mut child: std::process::Child) -> Option<i32> {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    // Waiting closes stdin, and its end would come before the signal.
    let open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(open);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    output.status.code()
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130_and_leaves_no_temporary_file() {
    let desk = Desk::new();
    let library = generator::library(2_000_000);
    desk.put("in/big.lib", &library);
    desk.put("in/other.lib", &library);
    desk.put("out.agr", "old");
    for arguments in
        [&["convert", "in/big.lib", "-o", "out.agr", "--force"][..], &["convert", "-r", "in", "-t", "agx", "-o", "out"]]
    {
        let mut child = desk.command(arguments).spawn().unwrap();
        let started = || desk.files("").iter().any(|name| name.contains(".kifu-"));
        while !started() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert_eq!(interrupt(child), Some(130), "{arguments:?}");
    }
    assert_eq!(desk.files(""), ["in/big.lib", "in/other.lib", "out.agr"]);
    assert_eq!(desk.read("out.agr"), b"old");

    let mut child = desk.command(&["convert", "in/big.lib", "-t", "json"]).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    let drain = std::thread::spawn(move || out.read_to_end(&mut Vec::new()));
    assert_eq!(interrupt(child), Some(130));
    drain.join().unwrap().unwrap();

    let mut child = desk.command(&["show", "-"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.as_ref().unwrap().write_all(b"h8\n").unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    assert_eq!(interrupt(child), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn a_bar_is_shown_on_a_terminal_and_none_in_a_pipe() {
    let desk = Desk::new();
    // Work of a second or more: nothing is shown for the first half of one.
    desk.put("big.lib", generator::library(8_000_000));
    let run = ["convert", "big.lib", "-t", "agx", "--max-ply", "99", "--dry-run"];
    let said = desk.kifu(&run);
    let done = "big.lib -> stdout: 1 record, 8,000,000 nodes";
    assert_eq!((said.code, said.out.trim_end(), said.err.as_str()), (0, done, ""));
    let line = format!("'{}' {}", env!("CARGO_BIN_EXE_kifu"), run.join(" "));
    match Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(desk.path("")).output() {
        Err(error) => eprintln!("skipped: script cannot be run: {error}"),
        Ok(output) => {
            let shown = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{shown:?}");
            assert!(shown.contains("MiB read") && shown.trim_end().ends_with(done), "{shown:?}");
        }
    }
}

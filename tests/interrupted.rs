//! What becomes of files when a run is killed, stopped or finds no room, and when several use one file.

mod support;

#[path = "../benches/generator.rs"]
#[allow(dead_code)]
mod generator;

use book::Book;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Desk, Said};

const BUILD: [&str; 8] = ["book", "build", "big.lib", "--memory", "1M", "--force", "-o", "out.agb"];
const MERGE: [&str; 7] = ["book", "merge", "one.agb", "two.agb", "--force", "-o", "out.agb"];
const EXPORT: [&str; 6] = ["book", "export", "one.agb", "--force", "-o", "out.db"];

/// A desk with a library and two books.
fn desk(nodes: usize) -> Desk {
    let desk = Desk::new();
    desk.put("big.lib", generator::library(nodes));
    for (book, options) in [("one.agb", &["--max-ply", "58"][..]), ("two.agb", &["--no-texts"])] {
        let said = desk.kifu(&[&["book", "build", "big.lib", "-o", book], options].concat());
        assert_eq!((said.code, said.err.as_str()), (0, ""));
    }
    desk
}

fn leftovers(desk: &Desk) -> usize {
    desk.files("").iter().filter(|name| name.starts_with(".kifu-")).count()
}

/// Waits until the run writes into its temporary file, or has ended.
fn wait_for_output(desk: &Desk, child: &mut Child) {
    while leftovers(desk) == 0 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_killed_run_leaves_the_old_book_and_nothing_that_the_next_does_not_clear() {
    let desk = desk(30_000);
    let old = desk.read("two.agb");
    for run in [&BUILD[..], &MERGE] {
        let start = Instant::now();
        assert_eq!(desk.kifu(run).code, 0);
        let whole = start.elapsed();
        let new = desk.read("out.agb");
        let (mut olds, mut left) = (0, 0);
        for round in 0..25 {
            desk.put("out.agb", &old);
            let mut child = desk.command(run).spawn().unwrap();
            if round % 5 == 0 {
                wait_for_output(&desk, &mut child);
            } else {
                std::thread::sleep(whole * round / 25);
            }
            let _ = child.kill();
            child.wait().unwrap();
            let found = desk.read("out.agb");
            Book::open(&found[..]).unwrap().verify().unwrap();
            assert!(found == old || found == new, "{} bytes stand there in round {round}", found.len());
            olds += usize::from(found == old);
            left += leftovers(&desk);
        }
        assert!(olds > 0 && left > 0, "{olds} old books, {left} leftovers");
        assert_eq!(desk.kifu(run).code, 0);
        assert_eq!(desk.files(""), ["big.lib", "one.agb", "out.agb", "two.agb"]);
        assert_eq!(desk.read("out.agb"), new);
    }
}

#[test]
fn what_another_run_is_writing_is_no_leftover() {
    let desk = Desk::new();
    desk.sample("book/games.sgf");
    for name in [".kifu-dead.tmp", ".kifu-alive.tmp", ".kifu-notes.txt", "kifu-mine.tmp"] {
        desk.put(name, "half a file");
    }
    std::fs::create_dir(desk.path(".kifu-folder.tmp")).unwrap();
    let alive = File::open(desk.path(".kifu-alive.tmp")).unwrap();
    alive.try_lock().unwrap();
    assert_eq!(desk.kifu(&["convert", "games.sgf", "-o", "games.json"]).code, 0);
    let names = [".kifu-alive.tmp", ".kifu-notes.txt", "games.json", "games.sgf", "kifu-mine.tmp"];
    assert_eq!(desk.files(""), names);
    assert!(desk.path(".kifu-folder.tmp").exists());
    drop(alive);
    assert_eq!(desk.kifu(&["convert", "games.sgf", "-o", "games.json", "--force"]).code, 0);
    assert_eq!(desk.files(""), &names[1..]);
}

#[test]
fn of_runs_that_write_the_same_book_one_wins_and_all_are_whole() {
    let desk = desk(10_000);
    let runs: Vec<Child> = (0..6).map(|at| desk.command([&BUILD[..], &MERGE][at % 2]).spawn().unwrap()).collect();
    for run in runs {
        let said = Said::of(run.wait_with_output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (0, ""));
    }
    Book::open(desk.read("out.agb")).unwrap().verify().unwrap();
    assert_eq!(leftovers(&desk), 0);
}

/// Runs a script of a shell; `None` if the shell says that it cannot.
fn shell(desk: &Desk, before: &[&str], script: &str) -> Option<Said> {
    let words = [before, &["sh", "-c", script]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(desk.path("")).env("KIFU", env!("CARGO_BIN_EXE_kifu"));
    let output = command.stdin(Stdio::null()).output().ok()?;
    Some(Said::of(output)).filter(|said| said.code != 77)
}

/// The runs that find no room, and the file or folder that each is to name.
const NO_ROOM: [(&str, &str); 4] = [
    ("$KIFU book build big.lib --force -o disk/out.agb", "disk/out.agb: it cannot be written: "),
    ("$KIFU book build big.lib --memory 1M --force -o disk/out.agb", "disk: what is sorted cannot be kept there: "),
    ("$KIFU book merge one.agb two.agb --force -o disk/out.agb", "disk/out.agb: it cannot be written: "),
    ("$KIFU book export one.agb --raw --force -o disk/out.db", "disk/out.db: it cannot be written: "),
];

#[cfg(unix)]
#[test]
fn where_a_file_may_not_grow_the_error_names_it_and_nothing_is_left() {
    let desk = desk(30_000);
    for (run, sentence) in NO_ROOM {
        desk.put("disk/out.agb", "old");
        // Blocks of 512 or 1024 bytes.
        let said = shell(&desk, &[], &format!("trap '' XFSZ; ulimit -f 64; {run}")).unwrap();
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{run}: {}", said.err);
        assert_eq!(said.err, format!("kifu: {sentence}a file may not be so large there\n"));
        assert_eq!(desk.files("disk"), ["out.agb"]);
        assert_eq!(desk.read("disk/out.agb"), b"old");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file_and_leaves_nothing() {
    let desk = desk(30_000);
    std::fs::create_dir(desk.path("disk")).unwrap();
    let mount = "mount -t tmpfs -o size=96k none disk 2>/dev/null || exit 77";
    let spaces: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-rm"]];
    let may = |space: &&&[&str]| shell(&desk, space, mount).is_some_and(|said| said.code == 0);
    let Some(space) = spaces.iter().find(may) else {
        eprintln!("skipped: no file system can be mounted here");
        return;
    };
    for (run, sentence) in NO_ROOM {
        let script = format!("{mount}; echo old > disk/out.agb; {run}; code=$?; ls -A disk; exit $code");
        let said = shell(&desk, space, &script).unwrap();
        assert_eq!((said.code, said.out.as_str()), (2, "out.agb\n"), "{run}: {}", said.err);
        assert_eq!(said.err, format!("kifu: {sentence}the disk is full\n"));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_work_on_books_at_any_moment() {
    let desk = desk(60_000);
    let names = desk.files("");
    for run in [&BUILD[..], &MERGE, &EXPORT, &["book", "verify", "one.agb", "two.agb"]] {
        let start = Instant::now();
        assert_eq!(desk.kifu(run).code, 0);
        let whole = start.elapsed();
        let clear = || ["out.agb", "out.db"].map(|out| std::fs::remove_file(desk.path(out)).is_ok());
        clear();
        let mut stopped = 0;
        for round in 1..8 {
            let child = desk.command(run).spawn().unwrap();
            std::thread::sleep(whole * round / 12);
            let said = Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap();
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(130) => {
                    stopped += 1;
                    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
                    assert_eq!(desk.files(""), names, "{run:?}");
                }
                // It came too early, before anybody listens, or too late.
                None if round < 3 => assert_eq!(desk.files(""), names),
                code => {
                    assert_eq!(
                        code,
                        Some(0),
                        "{run:?}: {}{}",
                        String::from_utf8_lossy(&said.stderr),
                        String::from_utf8_lossy(&output.stderr)
                    );
                    clear();
                }
            }
        }
        assert!(stopped > 0, "{run:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn who_reads_a_book_that_is_replaced_reads_the_old_one_on() {
    use std::io::Write;
    let desk = desk(30_000);
    std::fs::copy(desk.path("one.agb"), desk.path("out.agb")).unwrap();
    let ask = ["book", "query", "--json", "out.agb", "-"];
    let position = "h8\n";
    let old = desk.pipe(&ask, position.as_bytes());
    let mut reader = desk.command(&ask).stdin(Stdio::piped()).spawn().unwrap();
    let maps = format!("/proc/{}/maps", reader.id());
    while !std::fs::read_to_string(&maps).unwrap().contains("out.agb") {
        assert!(reader.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(1));
    }
    desk.sample("book/games.sgf");
    assert_eq!(desk.kifu(&["book", "build", "games.sgf", "--short", "--force", "-o", "out.agb"]).code, 0);
    reader.stdin.take().unwrap().write_all(position.as_bytes()).unwrap();
    assert_eq!(Said::of(reader.wait_with_output().unwrap()), old);
    assert_ne!(desk.pipe(&ask, position.as_bytes()), old);
}

#[cfg(unix)]
#[test]
fn a_link_stays_one_and_a_book_can_take_its_own_place() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = desk(1000);
    std::fs::create_dir(desk.path("there")).unwrap();
    std::fs::rename(desk.path("one.agb"), desk.path("there/one.agb")).unwrap();
    std::fs::set_permissions(desk.path("there/one.agb"), std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink("there/one.agb", desk.path("one.agb")).unwrap();
    let merge = ["book", "merge", "one.agb", "two.agb", "-o", "one.agb"];
    assert!(desk.kifu(&merge).err.contains("one.agb: this file exists"));
    let before = desk.read("there/one.agb");
    assert_eq!(desk.kifu(&[&merge[..], &["--force"]].concat()).code, 0);
    assert!(desk.path("one.agb").is_symlink());
    assert_ne!(desk.read("there/one.agb"), before);
    assert_eq!(desk.path("there/one.agb").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(desk.files("there"), ["one.agb"]);
}

#[test]
fn a_merge_names_the_book_that_is_damaged() {
    let desk = desk(3000);
    let mut bytes = desk.read("two.agb");
    bytes[100] ^= 1;
    desk.put("two.agb", &bytes);
    let said = desk.kifu(&MERGE);
    assert_eq!(
        (said.code, said.err.as_str()),
        (2, "kifu: two.agb: the block at byte 0x10 is damaged: build the book anew\n")
    );
    for (bytes, sentence) in [
        (&bytes[..bytes.len() - 1], "the book does not end where the file does"),
        (&b"KIFUBOOK\x02\0"[..], "this is no book"),
        (&[b"KIFUBOOK\x02\0", &bytes[10..]].concat(), "this book has version 2, and only 1 is known"),
        (&[&bytes[..], b"\0"].concat(), "the book does not end where the file does"),
        (&[&bytes[..], &bytes].concat(), "bytes, but the file has"),
        (b"", "this is no book"),
    ] {
        desk.put("two.agb", bytes);
        let said = desk.kifu(&MERGE);
        assert_eq!((said.code, said.err.lines().count()), (2, 1));
        assert!(said.err.starts_with("kifu: two.agb: ") && said.err.contains(sentence), "{}", said.err);
    }
    assert_eq!(desk.files(""), ["big.lib", "one.agb", "two.agb"]);
}

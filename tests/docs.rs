//! The manual and the READMEs: their examples are run, and their links followed.
//!
//! A line `$ command` in a block of `console` is run where `testdata` stands, and what follows it is what it prints
//! on stdout and stderr; a line `...` stands for any lines. `KIFU_DOCS=overwrite cargo test --test docs` puts what the
//! commands print now into the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const READMES: [&str; 2] = ["README.md", "README.zh.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Git gives them the line ends of Windows there.
    text.replace("\r\n", "\n")
}

/// The pages of the manual, all in `docs/src` and below it.
fn pages() -> BTreeSet<PathBuf> {
    let mut pages = BTreeSet::new();
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the manual can be listed") {
            let path = entry.expect("the manual can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.insert(path);
            }
        }
    }
    pages
}

fn readmes() -> impl Iterator<Item = PathBuf> {
    READMES.iter().map(|name| root().join(name))
}

/// The targets of a page's links and pictures, without those into the web and to headings of the page itself.
fn links(page: &str) -> Vec<&str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let pictures = page.split("<img src=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(target, _)| target);
    targets
        .chain(pictures)
        .map(|target| target.split_once('#').map_or(target, |(file, _)| file))
        .filter(|file| !file.is_empty() && !file.contains("://"))
        .collect()
}

// They make PNG pictures, too.
#[cfg(all(unix, feature = "png"))]
mod examples {
    use super::{pages, readmes, root, text};
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    /// What divides the outputs of a block's commands.
    const SEPARATOR: char = '\u{1E}';

    /// A command and the lines that it is said to print.
    struct Example<'p> {
        command: &'p str,
        prints: Vec<&'p str>,
    }

    /// A page: lines that are kept as they are, and blocks of examples.
    enum Part<'p> {
        Line(&'p str),
        Block(Vec<Example<'p>>),
    }

    fn parts<'p>(name: &str, page: &'p str) -> Vec<Part<'p>> {
        let mut parts = Vec::new();
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            parts.push(Part::Line(line));
            if line != "```console" {
                continue;
            }
            let mut block: Vec<Example<'_>> = Vec::new();
            for line in lines.by_ref().take_while(|line| *line != "```") {
                if let Some(command) = line.strip_prefix("$ ") {
                    block.push(Example { command, prints: Vec::new() });
                } else {
                    let example = block.last_mut().unwrap_or_else(|| panic!("{name}: `{line}` follows no command"));
                    example.prints.push(line);
                }
            }
            parts.push(Part::Block(block));
            parts.push(Part::Line("```"));
        }
        parts
    }

    /// Runs the commands of a block in one shell and gives what each of them prints.
    fn run(block: &[Example<'_>], folder: &Path) -> Vec<String> {
        let mut script = String::from("exec 2>&1\n");
        for example in block {
            script += &format!("{}\ncode=$?; printf '\\036'; (exit $code)\n", example.command);
        }
        let kifu = Path::new(env!("CARGO_BIN_EXE_kifu")).parent().expect("a program lies in a folder");
        let mut path = kifu.as_os_str().to_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder).env("PATH", path).env("NO_COLOR", "1").env_remove("COLUMNS");
        let output = shell.output().expect("there is a shell");
        let printed = String::from_utf8(output.stdout).expect("examples print UTF-8");
        let outputs: Vec<String> = printed.split_terminator(SEPARATOR).map(String::from).collect();
        assert_eq!(outputs.len(), block.len(), "a command ended the shell: {printed}");
        outputs
    }

    /// Whether the lines are those wanted, where `...` stands for any.
    fn fits(wanted: &[&str], lines: &[&str]) -> bool {
        match wanted.split_first() {
            None => lines.is_empty(),
            Some((&"...", [])) => true,
            Some((&"...", rest)) => (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..])),
            Some((first, rest)) => lines.split_first().is_some_and(|(line, lines)| line == first && fits(rest, lines)),
        }
    }

    #[test]
    fn the_examples_print_what_the_manual_says() {
        let overwrite = std::env::var_os("KIFU_DOCS").is_some_and(|value| value == "overwrite");
        let mut wrong = Vec::new();
        for path in pages().into_iter().chain(readmes()) {
            let page = text(&path);
            let name = path.strip_prefix(root()).expect("it lies below the root").display().to_string();
            let folder = tempfile::tempdir().expect("a folder for the examples can be made");
            std::os::unix::fs::symlink(root().join("testdata"), folder.path().join("testdata")).expect("a new link");
            let mut actual = String::new();
            for part in parts(&name, &page) {
                let block = match part {
                    Part::Line(line) => {
                        actual += &format!("{line}\n");
                        continue;
                    }
                    Part::Block(block) => block,
                };
                for (example, output) in block.iter().zip(run(&block, folder.path())) {
                    let mut lines: Vec<&str> = output.lines().collect();
                    if fits(&example.prints, &lines) {
                        lines.clone_from(&example.prints);
                    } else {
                        wrong.push(format!("{name}: `{}` prints\n{output}", example.command));
                    }
                    actual += &format!("$ {}\n", example.command);
                    lines.iter().for_each(|line| actual += &format!("{line}\n"));
                }
            }
            if overwrite && actual != page {
                fs::write(&path, actual).expect("the page can be written");
            }
        }
        assert!(
            overwrite || wrong.is_empty(),
            "{}\nIf that is right: KIFU_DOCS=overwrite cargo test --test docs",
            wrong.join("\n")
        );
    }

    #[test]
    fn dots_stand_for_any_lines() {
        assert!(fits(&["a", "...", "c"], &["a", "b", "b", "c"]));
        assert!(fits(&["a", "..."], &["a"]));
        assert!(!fits(&["a", "...", "c"], &["a", "b"]));
        assert!(!fits(&[], &["a"]));
    }
}

/// The pictures of the manual and the arguments that draw them.
const PICTURES: [(&str, &[&str]); 3] = [
    ("game.svg", &["show", "testdata/moves/games.txt", "--game", "1", "--numbers", "--svg"]),
    ("forbidden.svg", &["show", "h9a1h10a15i8o1j8o15", "--foul", "--svg"]),
    ("xiangqi.svg", &["show", "testdata/xiangqi-pgn/variations.pgn", "--ply", "4", "--svg"]),
];

#[test]
fn the_pictures_are_those_that_the_command_draws() {
    let overwrite = std::env::var_os("KIFU_DOCS").is_some_and(|value| value == "overwrite");
    for (name, arguments) in PICTURES {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_kifu")).args(arguments).current_dir(root()).output();
        let drawn = String::from_utf8(output.expect("kifu runs").stdout).expect("SVG is UTF-8");
        let path = root().join("docs/src/images").join(name);
        if overwrite {
            fs::write(&path, &drawn).expect("the picture can be written");
        }
        assert!(text(&path) == drawn, "{name} is another picture: KIFU_DOCS=overwrite cargo test --test docs");
    }
}

#[test]
fn the_manual_names_the_26_openings_as_the_command_does() {
    let page = text(&root().join("docs/src/rules.md"));
    for opening in &games::gomoku::OPENINGS {
        let size = games::Size::default();
        let stones = opening.stones(size).expect("a board of 15x15 has room for it");
        let moves = stones.map(|point| games::Coords::A1.text(point, size)).join(" ");
        let names = [opening.romaji(), opening.meaning(), opening.japanese(), opening.chinese(), opening.russian()];
        let row = format!("\n| {} | {moves} | {} |\n", opening.code, names.join(" | "));
        assert!(page.contains(&row), "rules.md has no row{row}");
    }
}

#[test]
fn the_manual_names_every_opening_rule() {
    let page = text(&root().join("docs/src/rules.md"));
    for rule in games::gomoku::OpeningRule::ALL {
        assert!(page.contains(&format!("\n| `{}` |", rule.name)), "rules.md does not tell of {}", rule.name);
    }
}

#[test]
fn every_page_is_a_chapter_and_every_chapter_a_page() {
    let summary = root().join("docs/src/SUMMARY.md");
    let page = text(&summary);
    let chapters: BTreeSet<PathBuf> = links(&page).iter().map(|link| root().join("docs/src").join(link)).collect();
    let mut pages = pages();
    assert!(pages.remove(&summary));
    assert_eq!(chapters, pages);
}

#[test]
fn links_lead_somewhere() {
    for path in pages().into_iter().chain(readmes()).chain([root().join("CHANGELOG.md")]) {
        let page = text(&path);
        let folder = path.parent().expect("a page lies in a folder");
        let included = page.split("{{#include ").skip(1).filter_map(|rest| rest.split([':', '}']).next());
        for target in links(&page).into_iter().chain(included) {
            assert!(folder.join(target).exists(), "{}: {target} is not there", path.display());
        }
    }
}

#[test]
fn the_readmes_hold_the_two_commands_and_all_formats_and_name_each_other() {
    for (name, other) in [("README.md", "README.zh.md"), ("README.zh.md", "README.md")] {
        let page = text(&root().join(name));
        for wanted in [
            "\ncargo run --release -- convert testdata/renlib/showcase.lib -t agi-record\n",
            "\ncargo test\n",
            "\ncargo install --path .\n",
            "\n<img src=\"docs/src/images/game.svg\"",
            &format!("]({other})"),
        ] {
            assert!(page.contains(wanted), "{name}: {wanted:?} is missing");
        }
        for format in formats::FORMATS {
            let (row, spec) = (format!("| `{}` |", format.name), format!("(formats/{}/SPEC.md)", format.name));
            assert!(page.contains(&row) && page.contains(&spec), "{name}: nothing is said of {}", format.name);
        }
        for format in formats::ENTRY_FORMATS.iter().map(|format| format.name).chain(["agi-book"]) {
            assert!(page.contains(&format!("| `{format}` |")), "{name}: nothing is said of {format}");
        }
    }
}

#[test]
fn the_manual_explains_every_option() {
    let manual: String = pages().iter().map(|path| text(path)).collect();
    let collections = ["merge", "split", "filter", "dedupe", "stats", "find"];
    for command in ["convert", "info", "show", "check", "position"].iter().chain(&collections) {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kifu")).args([*command, "--help"]).output();
        let help = String::from_utf8(output.expect("kifu runs").stdout).expect("help is UTF-8");
        let words = help.split(|c: char| c.is_whitespace() || ",;()".contains(c));
        for option in words.filter(|word| word.starts_with("--") && word.len() > 2) {
            assert!(manual.contains(option), "kifu {command}: the manual does not explain {option}");
        }
    }
}

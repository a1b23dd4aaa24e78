//! The conversations in `testdata/agi` and `testdata/gomocup`, which the manual shows.
//!
//! `>` is what the interface says, `<` what the engine says, where `*` stands for anything and a line `< ...` for any
//! lines, MESSAGE and INFO among them unless the next pattern begins so; `!` is what stands on stderr in the end; `#` is a remark.

use crate::support;
use crate::talk::Talk;
use std::fs;

/// Whether a text is what a pattern with `*` says.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| fits(rest, &text[at..]))
}

fn hold(name: &str, text: &str) {
    let mut talk = Talk::new(&["--memory", "1M"]);
    let mut complaints = Vec::new();
    let mut is_open = false;
    let mut has_left = false;
    for line in text.lines() {
        let Some((sign, said)) = line.split_once(' ') else { continue };
        match sign {
            ">" => {
                talk.say(&format!("{said}\r"));
                has_left = ["END", "QUIT"].contains(&said);
            }
            "<" if said == "..." => is_open = true,
            "<" => {
                let mut heard = talk.next();
                let is_other = |heard: &str| {
                    let passed_over =
                        ["MESSAGE ", "INFO "].iter().any(|word| heard.starts_with(word) && !said.starts_with(word));
                    passed_over || !fits(said, heard)
                };
                while is_open && is_other(&heard) {
                    heard = talk.next();
                }
                is_open = false;
                assert!(fits(said, &heard), "{name}: `{heard}` is not `{said}`");
            }
            "!" => complaints.push(format!("kifu: {said}")),
            _ => assert_eq!(sign, "#", "{name}: {line}"),
        }
    }
    assert!(has_left, "{name} does not say END or QUIT");
    let (code, left, stderr) = talk.end();
    assert_eq!((code, left), (0, Vec::new()), "{name}");
    assert_eq!(stderr.lines().collect::<Vec<_>>(), complaints, "{name}");
}

fn hold_all(folder: &str) {
    let files = support::files(&support::testdata(folder));
    assert!(files.len() > 3);
    for path in files {
        if path.extension().is_some_and(|extension| extension == "txt") {
            hold(&path.display().to_string(), &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn conversations_over_agi() {
    hold_all("agi");
}

#[test]
fn conversations_over_gomocup() {
    hold_all("gomocup");
}

#[test]
fn a_star_stands_for_anything() {
    assert!(fits("BESTMOVE *", "BESTMOVE 67 PONDER 89") && fits("*,*", "14,10") && fits("OK", "OK"));
    assert!(!fits("*,*", "14") && !fits("OK", "OKAY") && !fits("a*b", "abc"));
}

#[test]
#[should_panic(expected = "is not `READY`")]
fn a_conversation_that_goes_otherwise_is_noticed() {
    hold("this one", "> AGI\n< ...\n< AGIOK\n> ISREADY\n< READY\n> QUIT");
}

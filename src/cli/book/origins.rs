//! What a book says of where it comes from, when another one is made of it.

use super::super::input::name;
use super::{origin, parse_origin, program};
use ::book::Book;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The line that counts single changes.
const CHANGES: &str = "positions set or deleted";

/// The lines of a book but that of the program.
fn lines<'b>(book: &'b Book<&[u8]>, path: &Path) -> Result<Vec<(&'b str, &'b str)>> {
    let text = book.provenance().with_context(|| name(path))?;
    Ok(text.lines().filter_map(|line| line.split_once('\t')).filter(|(what, _)| *what != "program").collect())
}

fn put(out: &mut String, what: &str, told: &str) {
    *out += &format!("{what}\t{}\n", told.replace(['\t', '\n'], " "));
}

/// Where a book comes from that a command made of another one.
pub fn after_command(book: &Book<&[u8]>, path: &Path, command: &str) -> Result<String> {
    let mut out = program();
    for (what, told) in lines(book, path)? {
        put(&mut out, what, told);
    }
    put(&mut out, "then", command);
    Ok(out)
}

/// Where a book comes from after changes of single positions, which are only counted.
pub fn after_changes(book: &Book<&[u8]>, path: &Path, changes: u64) -> Result<String> {
    let (mut out, mut before) = (program(), 0);
    for (what, told) in lines(book, path)? {
        match told.parse::<u64>() {
            Ok(number) if what == CHANGES => before = number,
            _ => put(&mut out, what, told),
        }
    }
    put(&mut out, CHANGES, &before.saturating_add(changes).to_string());
    Ok(out)
}

/// Where a merged book comes from: the books, their inputs, and the sums of what they counted.
///
/// An error where books count the games of the same file, whatever its name, unless `twice`.
pub fn of_several(books: &[Book<&[u8]>], inputs: &[&[u8]], paths: &[PathBuf], twice: bool) -> Result<String> {
    let mut out = program();
    let mut counted: Vec<((u64, u64), &Path)> = Vec::new();
    let mut sums: Vec<(&str, u64)> = Vec::new();
    let mut chosen: Vec<Vec<&str>> = Vec::new();
    let (mut told_once, mut others) = (HashSet::new(), String::new());
    for ((book, bytes), path) in books.iter().zip(inputs).zip(paths) {
        let lines = lines(book, path)?;
        let games = lines.iter().any(|(what, told)| *what == "games counted" && *told != "0");
        let known = counted.len();
        let mut options =
            lines.iter().filter(|(what, _)| *what == "options").map(|(_, told)| *told).collect::<Vec<_>>();
        options.dedup();
        chosen.push(options);
        for (what, told) in lines {
            let file = parse_origin(&format!("{what}\t{told}")).map(|(_, length, hash)| (length, hash));
            if let Some(file) = file.filter(|_| games) {
                let same = |(other, _): &&((u64, u64), &Path)| *other == file;
                if let Some((_, before)) = counted[..known].iter().find(same).filter(|_| !twice) {
                    let (one, other) = (name(before), name(path));
                    if one == other {
                        bail!("{one} is named twice: use --twice to add its games twice all the same");
                    }
                    bail!("{one} and {other} both count the games of {told}: use --twice to add them all the same");
                }
                counted.push((file, path));
            }
            match told.parse::<u64>() {
                Ok(number) => match sums.iter_mut().find(|(counted, _)| *counted == what) {
                    Some((_, sum)) => *sum = sum.saturating_add(number),
                    None => sums.push((what, number)),
                },
                // The books of a book that was merged are named by their inputs.
                Err(_) if !matches!(what, "book" | "options") && told_once.insert((what, told)) => {
                    put(&mut others, what, told)
                }
                Err(_) => {}
            }
        }
        let line = origin(path, bytes);
        out += &format!("book\t{}", line.strip_prefix("input\t").unwrap_or(&line));
    }
    out += &others;
    // By these lines `build --add` knows whether all was chosen as it chooses.
    match chosen.iter().flatten().next() {
        Some(first) if chosen.iter().all(|options| options[..] == [*first]) => put(&mut out, "options", first),
        Some(_) => put(&mut out, "options", "not the same for all of the books"),
        None => {}
    }
    sums.into_iter().for_each(|(what, sum)| put(&mut out, what, &sum.to_string()));
    Ok(out)
}

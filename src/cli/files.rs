use super::Exit;
use super::input::reason;
use super::kind::{Kind, extension};
use super::terminal::complain;
use ::formats::HEAD;
use anyhow::{Result, bail};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file to read and what of its path lies below the folder the user named.
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// The path below the named folder; the file's name where a file was named.
    pub below: PathBuf,
}

/// Which files of a folder are read.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Games and libraries.
    Records,
    /// Formats of positions.
    Positions,
    /// Those and books.
    All,
    /// Whatever is there, since the user names its format.
    Anything,
}

/// The files the user named, and those in the folders he named.
#[derive(Default)]
pub struct Files {
    /// In the order of the command line; within a folder by name.
    pub found: Vec<Found>,
    /// Whether a folder was named.
    pub has_folder: bool,
    /// Files in folders that are none of ours.
    pub strangers: u64,
    /// Folders that could not be read, and why.
    pub unread: Vec<String>,
}

impl Files {
    /// Lists the inputs; folders only with `recurse`, and never what lies in `except`, where outputs go.
    ///
    /// Within folders links to folders are not followed, so that no loop is entered.
    pub fn list(inputs: &[PathBuf], recurse: bool, wanted: Wanted, except: Option<&Path>) -> Result<Files> {
        let mut files = Files::default();
        let except = except.and_then(|path| path.canonicalize().ok());
        for input in inputs {
            if !input.is_dir() {
                let below = input.file_name().map(PathBuf::from).unwrap_or_default();
                files.found.push(Found { path: input.clone(), below });
                continue;
            }
            if !recurse {
                bail!("{}: this is a folder: use -r to read what is in it", input.display());
            }
            if except.is_some() && input.canonicalize().ok() == except {
                bail!("{}: this is the folder that is read: name another one with -o", input.display());
            }
            files.has_folder = true;
            files.enter(input, wanted, except.as_deref());
        }
        if files.found.is_empty() && files.unread.is_empty() {
            bail!("{}: there is no file to read in this folder{}", inputs[0].display(), files.passed_over());
        }
        Ok(files)
    }

    fn enter(&mut self, root: &Path, wanted: Wanted, except: Option<&Path>) {
        let mut folders = vec![PathBuf::new()];
        let mut inside = Vec::new();
        while let Some(folder) = folders.pop() {
            let path = root.join(&folder);
            if except.is_some() && path.canonicalize().ok().as_deref() == except {
                continue;
            }
            match entries(&path) {
                Err(error) => self.unread.push(format!("{}: {}", path.display(), reason(&error))),
                Ok(entries) => {
                    for (name, is_folder) in entries {
                        let below = folder.join(name);
                        if is_folder {
                            folders.push(below);
                        } else if wanted.is(&root.join(&below)) {
                            inside.push(below);
                        } else {
                            self.strangers += 1;
                        }
                    }
                }
            }
        }
        inside.sort();
        self.found.extend(inside.into_iter().map(|below| Found { path: root.join(&below), below }));
    }

    /// Does something with each file, goes on after a failure, and answers with the worst end.
    pub fn each(&self, mut what: impl FnMut(&Path) -> Result<Exit>) -> Result<Exit> {
        let mut exit = Exit::Done;
        for file in &self.found {
            match what(&file.path) {
                Ok(end) => exit = exit.max(end),
                // Where stdout fails, all further files would fail.
                Err(error) if error.is::<io::Error>() || Exit::early(&error).is_some() => return Err(error),
                Err(error) => {
                    complain(&format!("{error:#}"));
                    exit = Exit::Failed;
                }
            }
        }
        for unread in &self.unread {
            complain(unread);
            exit = Exit::Failed;
        }
        Ok(exit)
    }

    /// ` (3 files of other kinds passed over)`, or nothing.
    pub fn passed_over(&self) -> String {
        match self.strangers {
            0 => String::new(),
            1 => " (1 file of another kind passed over)".into(),
            number => format!(" ({number} files of other kinds passed over)"),
        }
    }
}

/// The names in a folder, and which of them are folders.
fn entries(path: &Path) -> io::Result<Vec<(std::ffi::OsString, bool)>> {
    fs::read_dir(path)?
        .map(|entry| {
            let entry = entry?;
            Ok((entry.file_name(), entry.file_type()?.is_dir()))
        })
        .collect()
}

/// Extensions that files of other kinds have, too: in a folder, their first bytes must look like what is wanted.
const COMMON: [&str; 11] = ["json", "jsonl", "txt", "csv", "db", "bin", "pgn", "rec", "buf", "pdb", "ren"];

impl Wanted {
    /// Those, or anything where the user named a format.
    pub fn unless(self, is_named: bool) -> Wanted {
        if is_named { Wanted::Anything } else { self }
    }

    fn is(self, path: &Path) -> bool {
        if self == Wanted::Anything {
            return true;
        }
        let Some(extension) = extension(path) else { return false };
        let mut kind = Kind::by_extension(extension);
        if kind.is_some() && COMMON.iter().any(|common| extension.eq_ignore_ascii_case(common)) {
            let mut head = Vec::new();
            let read = fs::File::open(path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
            // What cannot be read is to be told.
            if read.is_ok() {
                kind = Kind::of(&head, Some(extension)).ok();
            }
        }
        match kind {
            None => false,
            Some(Kind::Records(_)) => matches!(self, Wanted::Records | Wanted::All),
            Some(Kind::Positions(_)) => matches!(self, Wanted::Positions | Wanted::All),
            Some(Kind::Book) => self == Wanted::All,
        }
    }
}

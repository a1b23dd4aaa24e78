use ::formats::by_extension;
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// A file to read and what of its path lies below the folder the user named.
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// The path below the named folder; the file's name where a file was named.
    pub below: PathBuf,
}

/// The files the user named, and those in the folders he named.
#[derive(Default)]
pub struct Files {
    /// In the order of the command line; within a folder by name.
    pub found: Vec<Found>,
    /// Whether a folder was named.
    pub has_folder: bool,
    /// Files in folders whose extension is none of ours.
    pub strangers: u64,
}

/// Lists the inputs; folders only with `recurse`, and never what lies in `except`, where outputs go.
///
/// Within folders links to folders are not followed, so that no loop is entered.
pub fn list(inputs: &[PathBuf], recurse: bool, any_extension: bool, except: Option<&Path>) -> Result<Files> {
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
        files.has_folder = true;
        let mut folders = vec![PathBuf::new()];
        let mut inside = Vec::new();
        while let Some(folder) = folders.pop() {
            let path = input.join(&folder);
            if except.is_some() && path.canonicalize().ok() == except {
                continue;
            }
            let entries = fs::read_dir(&path).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
            for entry in entries {
                let entry = entry?;
                let below = folder.join(entry.file_name());
                if entry.file_type()?.is_dir() {
                    folders.push(below);
                } else if any_extension || is_ours(&below) {
                    inside.push(below);
                } else {
                    files.strangers += 1;
                }
            }
        }
        inside.sort();
        files.found.extend(inside.into_iter().map(|below| Found { path: input.join(&below), below }));
    }
    Ok(files)
}

fn is_ours(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| by_extension(extension).is_some())
}

//! The command as the tests of the command line run it.

// Each test file uses a part of this.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The command, without arguments and with nothing on stdin.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifu"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a run said, and how it ended.
#[derive(Debug, PartialEq)]
pub struct Said {
    pub out: String,
    pub err: String,
    pub code: i32,
}

impl Said {
    pub fn of(output: Output) -> Said {
        Said {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().expect("nobody kills this run"),
        }
    }

    /// The JSON lines of stdout.
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A folder of a test's own, in which it runs the command.
pub struct Desk(TempDir);

impl Desk {
    pub fn new() -> Desk {
        Desk(TempDir::new().unwrap())
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Puts a file there, and the folders it is in.
    pub fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Puts a file of `testdata/` there under its own name.
    pub fn sample(&self, name: &str) {
        let path = testdata(name);
        self.put(path.file_name().unwrap(), fs::read(&path).unwrap());
    }

    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The command in this folder.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = command();
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub fn kifu<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Said {
        Said::of(self.command(arguments).output().unwrap())
    }

    /// The command with this on stdin.
    pub fn pipe(&self, arguments: &[&str], input: &[u8]) -> Said {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // What answers as it reads fills its own pipe; and who ends early reads no more.
            scope.spawn(move || stdin.write_all(input));
            Said::of(child.wait_with_output().unwrap())
        })
    }

    /// All files below a folder, named with `/`, in order.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let mut found: Vec<String> = files(&root)
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"))
            .collect();
        found.sort();
        found
    }
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// A file or folder of `testdata/`.
pub fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

/// A folder of the samples that are not in the repository (`KIFU_SAMPLES`), if they are here.
pub fn shared(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("KIFU_SAMPLES").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let path = root.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is absent (set KIFU_SAMPLES)", path.display());
        return None;
    }
    Some(path)
}

/// The engine of `examples/random-engine.rs`, whose head says what it can do.
pub fn random_engine() -> &'static str {
    static ENGINE: OnceLock<String> = OnceLock::new();
    ENGINE.get_or_init(|| example("random-engine"))
}

/// The engine of `examples/uci-engine.rs`, likewise.
pub fn uci_engine() -> &'static str {
    static ENGINE: OnceLock<String> = OnceLock::new();
    ENGINE.get_or_init(|| example("uci-engine"))
}

/// The program of an example.
fn example(name: &str) -> String {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).expect("tests lie in `deps`");
    let path = folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    // `cargo test` builds it, `cargo test --test …` does not.
    if !path.exists() {
        let profile = if folder.ends_with("release") { "release" } else { "test" };
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--example", name, "--profile", profile, "--target-dir"]);
        cargo.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(cargo.status().unwrap().success(), "the example {name} cannot be built");
    }
    path.to_str().expect("the target folder has a name in UTF-8").to_owned()
}

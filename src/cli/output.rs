use super::input::reason;
use anyhow::{Result, anyhow, bail};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use tempfile::NamedTempFile;

const PREFIX: &str = ".kifu-";
const SUFFIX: &str = ".tmp";

/// The temporary files of this run.
static LIVING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folders in which this run has looked for leftovers.
static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// A file that appears whole or not at all: written beside its place, then put there.
///
/// Its writer holds it locked, so that of two that write the same file the last one wins, and that what a killed one
/// left is told from what is being written.
pub struct Output {
    file: NamedTempFile,
    living: Living,
    path: PathBuf,
    /// Where a link leads.
    place: PathBuf,
    force: bool,
}

impl Output {
    /// Begins a file; one that exists already is replaced only with `force`.
    pub fn create(path: &Path, force: bool) -> Result<Output> {
        refuse_existing(path, force)?;
        let place = if path.is_symlink() { path.canonicalize().ok() } else { None };
        let place = place.unwrap_or_else(|| path.to_path_buf());
        let folder = folder_of(&place);
        sweep(folder);
        let file = begin(folder).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!("{}: there is no folder {}", path.display(), folder.display()),
            _ => failed(path, &error),
        })?;
        let living = Living::new(file.path());
        // As private as the file it replaces.
        #[cfg(unix)]
        if let Ok(meta) = path.metadata() {
            file.as_file().set_permissions(meta.permissions()).map_err(|error| failed(path, &error))?;
        }
        Ok(Output { file, living, path: path.to_path_buf(), place, force })
    }

    /// Puts the file in its place, safe on the disk.
    pub fn commit(self) -> Result<()> {
        let Output { file, living, path, place, force } = self;
        file.as_file().sync_all().map_err(|error| failed(&path, &error))?;
        let put: Result<File, _> = if force { file.persist(&place) } else { file.persist_noclobber(&place) };
        drop(living);
        put.map(drop).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists if !force => exists(&path),
            // What is mapped, by this program or another, stays in its place there.
            io::ErrorKind::PermissionDenied if cfg!(windows) && path.exists() => {
                anyhow!("{}: it cannot be replaced while a program has it open", path.display())
            }
            _ => failed(&path, &error.error),
        })
    }
}

/// A temporary file that is there until this is dropped.
struct Living(PathBuf);

impl Living {
    fn new(path: &Path) -> Living {
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).push(path.into());
        Living(path.into())
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of this run, which is about to end at once.
pub fn abandon() {
    for path in LIVING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // The next run removes what is still there.
        let _ = fs::remove_file(path);
    }
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new temporary file, locked.
fn begin(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Temporary files are private, and this one becomes a file like others.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = builder.tempfile_in(folder)?;
        match file.as_file().try_lock() {
            // Another run took it for a leftover before it was locked.
            Err(TryLockError::WouldBlock) => {}
            _ if !file.path().exists() => {}
            // Where there are no locks nothing is taken for a leftover.
            _ => return Ok(file),
        }
    }
}

/// Removes what writers that were killed left in a folder: temporary files that nobody holds locked.
fn sweep(folder: &Path) {
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.into()) {
        return;
    }
    // Whatever fails here is no reason not to write.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if is_ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = OpenOptions::new().read(true).write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // In our words, as the writers of formats hand on no more than the text.
        self.file.as_file_mut().write(bytes).map_err(|error| io::Error::new(error.kind(), reason(&error)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// An error if the file exists and is not to be replaced.
pub fn refuse_existing(path: &Path, force: bool) -> Result<()> {
    match path.metadata() {
        Ok(meta) if meta.is_dir() => bail!("{}: this is a folder", path.display()),
        Ok(meta) if !meta.is_file() => {
            bail!("{}: this is a device or a pipe: write to stdout with -o -", path.display())
        }
        // A link that leads nowhere is there, too.
        _ if !force && path.symlink_metadata().is_ok() => Err(exists(path)),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> anyhow::Error {
    anyhow!("{}: this file exists: use --force to replace it", path.display())
}

/// That the file cannot be written, and why.
pub fn failed(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{}: it cannot be written: {}", path.display(), reason(error))
}

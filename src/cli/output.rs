use super::input::reason;
use anyhow::{Result, anyhow, bail};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that appears whole or not at all: written beside its place, then put there.
pub struct Output {
    file: NamedTempFile,
    path: PathBuf,
    force: bool,
}

impl Output {
    /// Begins a file; one that exists already is replaced only with `force`.
    pub fn create(path: &Path, force: bool) -> Result<Output> {
        refuse_existing(path, force)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".kifu-").suffix(".tmp");
        // Temporary files are private, and this one becomes a file like others.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!("{}: there is no folder {}", path.display(), folder.display()),
            _ => failed(path, &error),
        })?;
        // As private as the file it replaces.
        #[cfg(unix)]
        if let Ok(meta) = path.metadata() {
            file.as_file().set_permissions(meta.permissions()).map_err(|error| failed(path, &error))?;
        }
        Ok(Output { file, path: path.to_path_buf(), force })
    }

    /// Puts the file in its place, safe on the disk.
    pub fn commit(self) -> Result<()> {
        let Output { file, path, force } = self;
        file.as_file().sync_all().map_err(|error| failed(&path, &error))?;
        let put: Result<File, _> = if force { file.persist(&path) } else { file.persist_noclobber(&path) };
        put.map(drop).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists if !force => exists(&path),
            _ => failed(&path, &error.error),
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
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

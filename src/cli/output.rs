use super::input::reason;
use anyhow::{Context, Result, anyhow, bail};
use std::fs;
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
        let file = tempfile::Builder::new().prefix(".kifu-").suffix(".tmp").tempfile_in(folder);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!("{}: there is no such folder", folder.display()),
            _ => anyhow!("{}: {}", path.display(), reason(&error)),
        })?;
        Ok(Output { file, path: path.to_path_buf(), force })
    }

    /// Puts the file in its place, safe on the disk.
    pub fn commit(self) -> Result<()> {
        let context = || format!("{}: cannot be written", self.path.display());
        // Temporary files are private; the finished one is as others in its folder.
        #[cfg(unix)]
        set_mode(self.file.as_file(), &self.path).with_context(context)?;
        self.file.as_file().sync_all().with_context(context)?;
        let context = format!("{}: cannot be written", self.path.display());
        if self.force {
            self.file.persist(&self.path).map_err(|error| error.error).context(context)?;
            return Ok(());
        }
        match self.file.persist_noclobber(&self.path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&self.path)),
            Err(error) => Err(error.error).context(context),
        }
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
    if path.is_dir() {
        bail!("{}: this is a folder", path.display());
    }
    if !force && path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    Ok(())
}

fn exists(path: &Path) -> anyhow::Error {
    anyhow!("{}: this file exists: use --force to replace it", path.display())
}

/// Gives the new file the mode of the one it replaces, or the usual one.
#[cfg(unix)]
fn set_mode(file: &fs::File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_or(0o644, |meta| meta.permissions().mode());
    file.set_permissions(fs::Permissions::from_mode(mode))
}

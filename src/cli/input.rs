use super::kind::{Kind, extension};
use super::progress;
use ::formats::Error;
use anyhow::{Context, Result, anyhow, bail};
use memmap2::Mmap;
use std::fs::File;
use std::io::{Read, stdin};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(unix)]
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
#[cfg(unix)]
use std::time::Duration;

/// The bytes of a file, or of stdin where the name is `-`.
pub struct Input {
    bytes: Bytes,
    path: Option<PathBuf>,
}

/// Smaller files are read rather than mapped: nobody can cut what was read.
const SMALL: u64 = 1 << 16;

enum Bytes {
    Mapped(Arc<Mmap>),
    Held(Vec<u8>),
}

impl Input {
    /// Opens a file, or reads stdin to its end.
    pub fn open(path: &Path) -> Result<Input> {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            progress::idle(|| stdin().lock().read_to_end(&mut bytes)).context("stdin cannot be read")?;
            return Ok(Input { bytes: Bytes::Held(bytes), path: None });
        }
        let file = File::open(path).map_err(|error| anyhow!("{}: {}", path.display(), reason(&error)))?;
        let name = || path.display().to_string();
        let meta = file.metadata().with_context(name)?;
        if meta.is_dir() {
            bail!("{}: this is a folder: use -r to read what is in it", path.display());
        }
        let bytes = if meta.is_file() && meta.len() >= SMALL {
            Bytes::Mapped(Arc::new(map(&file).with_context(name)?))
        } else {
            // Pipes and devices cannot be mapped.
            let mut bytes = Vec::new();
            (&file).read_to_end(&mut bytes).with_context(name)?;
            Bytes::Held(bytes)
        };
        Ok(Input { bytes, path: Some(path.to_path_buf()) })
    }

    /// A file that is open, and not empty.
    pub fn mapped(file: &File) -> std::io::Result<Input> {
        Ok(Input { bytes: Bytes::Mapped(Arc::new(map(file)?)), path: None })
    }

    /// What the bytes and the extension tell that it is.
    pub fn kind(&self) -> Result<Kind, Error> {
        Kind::of(self, self.path.as_deref().and_then(extension))
    }
}

/// While this is there, what was read of a large mapped file does not count as memory of the program for long.
#[cfg(unix)]
pub struct Light(#[allow(dead_code)] Sender<()>);

#[cfg(unix)]
impl Input {
    /// Gives back the pages of a large mapped file every now and then; what is read again comes from the system's cache.
    pub fn lighten(&self) -> Option<Light> {
        const LARGE: usize = 1 << 25;
        // A look through the bytes passes over a dozen megabytes in this time.
        const BEAT: Duration = Duration::from_millis(5);
        let Bytes::Mapped(map) = &self.bytes else { return None };
        let map = (map.len() >= LARGE).then(|| map.clone())?;
        let (light, ended) = channel();
        std::thread::spawn(move || {
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                forget_pages(&map);
            }
        });
        Some(Light(light))
    }
}

impl AsRef<[u8]> for Input {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Held(bytes) => bytes,
        }
    }
}

/// The path as it was named, `stdin` for `-`.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdin".into() } else { path.display().to_string() }
}

/// The system's reason in words that do not change with the system.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission is denied".into(),
        std::io::ErrorKind::StorageFull => "the disk is full".into(),
        std::io::ErrorKind::QuotaExceeded => "the quota of the disk is used up".into(),
        std::io::ErrorKind::FileTooLarge => "a file may not be so large there".into(),
        _ => error.to_string(),
    }
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn forget_pages(map: &Mmap) {
    // SAFETY: the map is of a file and nobody writes to it, so its pages are read from the file again.
    let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
}

#[allow(unsafe_code)]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: readers only look at the bytes and take none of them twice for granted: a file that another program
    // changes meanwhile gives a wrong record, one that it cuts ends this process, and neither writes any memory.
    unsafe { Mmap::map(file) }
}

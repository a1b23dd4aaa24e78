use ::formats::{Format, by_name, detect};
use anyhow::{Context, Result, anyhow, bail};
use memmap2::Mmap;
use std::fs::File;
use std::io::{Read, stdin};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The bytes of a file, or of stdin where the name is `-`.
pub struct Input {
    bytes: Bytes,
    path: Option<PathBuf>,
}

enum Bytes {
    Mapped(Mmap),
    Held(Vec<u8>),
}

impl Input {
    /// Opens a file, or reads stdin to its end.
    pub fn open(path: &Path) -> Result<Input> {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
            return Ok(Input { bytes: Bytes::Held(bytes), path: None });
        }
        let file = File::open(path).map_err(|error| anyhow!("{}: {}", path.display(), reason(&error)))?;
        let meta = file.metadata().with_context(|| format!("{}", path.display()))?;
        if meta.is_dir() {
            bail!("{}: this is a folder: use -r to read what is in it", path.display());
        }
        let bytes = if meta.is_file() && meta.len() > 0 {
            Bytes::Mapped(map(&file).with_context(|| format!("{}", path.display()))?)
        } else {
            // Pipes, devices and empty files cannot be mapped.
            let mut bytes = Vec::new();
            (&file).read_to_end(&mut bytes).with_context(|| format!("{}", path.display()))?;
            Bytes::Held(bytes)
        };
        Ok(Input { bytes, path: Some(path.to_path_buf()) })
    }

    /// The format the user named, else the one the bytes and the extension tell.
    pub fn format(&self, named: Option<&str>) -> Result<&'static Format> {
        if let Some(name) = named {
            return find_format(name);
        }
        let extension = self.path.as_deref().and_then(Path::extension).and_then(|extension| extension.to_str());
        Ok(detect(self, extension)?)
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

/// The format of this name or extension.
pub fn find_format(name: &str) -> Result<&'static Format> {
    by_name(name)
        .or_else(|| ::formats::by_extension(name))
        .with_context(|| format!("`{name}` is not a format: see `kifu formats`"))
}

/// The system's reason in words that do not change with the system.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "this may not be read".into(),
        _ => error.to_string(),
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: readers only look at the bytes and take none of them twice for granted: a file that another program
    // changes meanwhile gives a wrong record, one that it cuts ends this process, and neither writes any memory.
    unsafe { Mmap::map(file) }
}

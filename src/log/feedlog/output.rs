//! The file a capture goes into: under its own name only once it is whole.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::error::WriteError;

/// What becomes of a file that is dropped before it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It goes: whoever made it can make it again.
    Remove,
    /// It stays as `NAME.XXXXXX.part`: what was recorded can't be recorded again.
    Keep,
}

/// A file that is written beside its path, as `NAME.XXXXXX.part`, and takes its path's place at the end. So what was there stays
/// until then, a file under its own name is whole, and a killed process leaves a name that says it is not.
///
/// Standard output, pipes and devices are written to as they are.
pub struct OutputFile {
    name: String,
    place: Place,
}

enum Place {
    Straight(File),
    Beside { part: NamedTempFile, path: PathBuf },
}

impl OutputFile {
    /// Makes the file beside `path`; standard output for `-`.
    ///
    /// # Errors
    /// A directory is at the path, or the file can't be made.
    pub fn create(path: &Path, unfinished: Unfinished) -> Result<Self, WriteError> {
        if path.as_os_str() == "-" {
            let name = "standard output".to_owned();
            return match io::stdout().as_fd().try_clone_to_owned() {
                Ok(own) => Ok(Self { name, place: Place::Straight(File::from(own)) }),
                Err(source) => Err(WriteError::Create { name, source }),
            };
        }
        let name = path.display().to_string();
        // Through a link to what it leads to, as if the file were opened.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let place = match fs::metadata(&path) {
            Ok(there) if there.is_dir() => return Err(WriteError::Directory { name }),
            Ok(there) if there.is_file() => beside(&path, unfinished, there.permissions()),
            Ok(_) => File::options().write(true).open(&path).map(Place::Straight),
            // The umask takes away what new files are not to have.
            Err(_) => beside(&path, unfinished, Permissions::from_mode(0o666)),
        };
        match place {
            Ok(place) => Ok(Self { name, place }),
            Err(source) => Err(WriteError::Create { name, source }),
        }
    }

    /// What errors call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Brings everything to the disk and the file to its path.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.place {
            Place::Straight(_) => Ok(()),
            Place::Beside { part, path } => {
                part.as_file().sync_all()?;
                part.persist(&path).map_err(|error| error.error)?;
                // The name is on the disk when its directory is. Not every file system can, and the file is there.
                let _ = File::open(directory_of(&path)).and_then(|directory| directory.sync_all());
                Ok(())
            }
        }
    }
}

fn beside(path: &Path, unfinished: Unfinished, permissions: Permissions) -> io::Result<Place> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
    };
    let mut prefix = name.to_owned();
    prefix.push(".");
    let mut part = Builder::new()
        .prefix(&prefix)
        .suffix(".part")
        .permissions(permissions)
        .tempfile_in(directory_of(path))
        // The error quotes a name that nobody asked for.
        .map_err(|error| io::Error::from(error.kind()))?;
    part.disable_cleanup(unfinished == Unfinished::Keep);
    Ok(Place::Beside { part, path: path.to_owned() })
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Straight(file) => file.write(bytes),
            Place::Beside { part, .. } => part.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

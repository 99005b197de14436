//! The operator's kill switch: engaged while something exists at a path. Looked up afresh before every real fire.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Stands for a reason that isn't there or can't be read.
pub const NO_REASON: &str = "(no reason recorded)";

/// Longest reason file that is read, bytes.
const MAX_REASON_FILE_BYTES: u64 = 4_096;

/// What a look at the kill switch found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KillSwitchState {
    /// Real fires may go.
    Released,
    /// No real fire may go.
    Engaged {
        /// The file's text, or why it counts as engaged.
        reason: String,
    },
}

/// Why the kill switch could not be configured or moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KillSwitchError {
    /// An empty path would never be engaged.
    #[error("the kill switch's path is empty; name the file that engages it")]
    EmptyPath,
    /// The regular file at the path is nothing a kill switch ever wrote.
    #[error("{} holds more than a reason and is left alone; if it is the kill switch's path, it is engaged as it is until you remove it by hand", path.display())]
    NotAReason {
        /// Where.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("can't engage the kill switch at {}: {source}; create any file there by hand", path.display())]
    Engage {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be removed.
    #[error("can't release the kill switch at {}: {source}; remove what is there by hand", path.display())]
    Release {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A kill switch at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KillSwitch {
    path: PathBuf,
}

impl KillSwitch {
    /// The kill switch at `path`.
    ///
    /// # Errors
    /// [`KillSwitchError::EmptyPath`].
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, KillSwitchError> {
        let path = path.into();
        if path.as_os_str().is_empty() { Err(KillSwitchError::EmptyPath) } else { Ok(Self { path }) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// One look: engaged when anything exists at the path, symlinks followed. An error that leaves it open whether
    /// something exists counts as engaged.
    pub fn look(&self) -> KillSwitchState {
        match fs::metadata(&self.path) {
            Ok(found) => {
                let readable = found.is_file() && found.len() <= MAX_REASON_FILE_BYTES;
                let reason = if readable { self.read_reason() } else { None };
                KillSwitchState::Engaged { reason: reason.unwrap_or_else(|| NO_REASON.to_owned()) }
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                KillSwitchState::Released
            }
            Err(error) => KillSwitchState::Engaged {
                reason: format!("the kill switch at {} can't be looked up ({error})", self.path.display()),
            },
        }
    }

    /// The file's text, stripped at both ends.
    fn read_reason(&self) -> Option<String> {
        // Never blocks, should a FIFO have taken the file's place since it was looked at.
        let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&self.path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_REASON_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MAX_REASON_FILE_BYTES {
            return None;
        }
        let text = String::from_utf8(bytes).ok()?;
        let reason = text.trim_matches(is_python_space);
        (!reason.is_empty()).then(|| reason.to_owned())
    }

    /// A mistyped path must not cost anybody a file: only what could be a reason is replaced or removed.
    fn check_file(&self) -> Result<(), KillSwitchError> {
        let Ok(found) = fs::metadata(&self.path) else { return Ok(()) };
        let foreign = || fs::read(&self.path).is_ok_and(|bytes| bytes.contains(&0));
        if found.is_file() && (found.len() > MAX_REASON_FILE_BYTES || foreign()) {
            return Err(KillSwitchError::NotAReason { path: self.path.clone() });
        }
        Ok(())
    }

    /// Engages it, keeping the reason when one is given. The file appears whole or not at all.
    ///
    /// # Errors
    /// [`KillSwitchError::Engage`], or [`KillSwitchError::NotAReason`] for a file that isn't ours to replace.
    pub fn engage(&self, reason: &str) -> Result<(), KillSwitchError> {
        let failed = |source| KillSwitchError::Engage { path: self.path.clone(), source };
        let parent = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(failed)?;
        self.check_file()?;
        if fs::metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            // A directory or a socket engages it just as well, and isn't ours to replace.
            return Ok(());
        }
        let readable = Permissions::from_mode(0o644);
        let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(parent).map_err(failed)?;
        // With its newline it stays within what is read back.
        let end = reason.floor_char_boundary(MAX_REASON_FILE_BYTES as usize - 1);
        file.write_all(reason[..end].trim().as_bytes()).map_err(failed)?;
        file.write_all(b"\n").map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Releases it; one that is released already stays so.
    ///
    /// # Errors
    /// [`KillSwitchError::Release`], or [`KillSwitchError::NotAReason`] for a file that isn't ours to remove.
    pub fn release(&self) -> Result<(), KillSwitchError> {
        self.check_file()?;
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(())
            }
            Err(source) => Err(KillSwitchError::Release { path: self.path.clone(), source }),
        }
    }
}

/// What Python's `str.strip` strips.
fn is_python_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

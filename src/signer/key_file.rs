//! Reads key files, without leaving a copy of them in memory, without asking anybody, and without quoting a key that was
//! given where its file was to be named.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use zeroize::Zeroizing;

use super::key::KeyError;

/// Longest key file that is read, bytes: ten times the longest key.
const MAX_BYTES: usize = 64 * 1_024;

/// Permission bits that let others than the owner read or write.
const OPEN_TO_OTHERS: u32 = 0o066;

/// Why a key file isn't taken. Nothing of its content is quoted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The text of a key, or something as long, where a path is wanted. It isn't quoted.
    #[error(
        "what was given as the key file is no path but looks like the key itself; write it to a file of its own: (umask 077; printf %s \"$KEY\" > key.pem)"
    )]
    NotAPath,
    /// It can't be opened or read.
    #[error("can't read the key file {path:?}: {source}; check the path and its permissions")]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Neither a file nor a pipe.
    #[error("can't read the key file {path:?}: it is {what}; name the PEM file itself")]
    NotAFile {
        /// Where.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// Too long for a key.
    #[error(
        "can't use {path:?} as the key: it is longer than {MAX_BYTES} bytes, so it is no key file; name the PEM file itself"
    )]
    TooLong {
        /// Where.
        path: PathBuf,
    },
    /// Its content isn't a key that can be used.
    #[error("can't use {path:?} as the key: {source}")]
    Key {
        /// Where.
        path: PathBuf,
        /// Why.
        source: KeyError,
    },
}

/// What was in a key file.
pub(super) struct KeyFile {
    pub(super) text: Zeroizing<Vec<u8>>,
    /// The permission bits, if they let others than its owner read or write it.
    pub(super) open_to_others: Option<u32>,
}

/// Reads `path`, which may be a pipe such as a shell's `<(...)`.
pub(super) fn read(path: &Path) -> Result<KeyFile, KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    let not_a_file = |what| KeyFileError::NotAFile { path: path.to_owned(), what };
    // A FIFO that nobody writes to must not hold us up: it is opened without waiting, and is empty then.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path);
    let mut file = opened.map_err(|source| match looks_like_a_key(path) {
        true => KeyFileError::NotAPath,
        false => failed(source),
    })?;
    let found = file.metadata().map_err(failed)?;
    let kind = found.file_type();
    if kind.is_dir() {
        return Err(not_a_file("a directory"));
    }
    if kind.is_char_device() || kind.is_block_device() {
        return Err(not_a_file("a terminal or another device"));
    }
    rustix::fs::fcntl_setfl(&file, OFlags::empty()).map_err(|error| failed(error.into()))?;
    let text = read_up_to_limit(&mut file).map_err(failed)?;
    if text.len() > MAX_BYTES {
        return Err(KeyFileError::TooLong { path: path.to_owned() });
    }
    let open_to_others =
        Some(found.mode() & 0o7777).filter(|mode| kind.is_file() && mode & OPEN_TO_OTHERS != 0);
    Ok(KeyFile { text, open_to_others })
}

/// At most one byte more than [`MAX_BYTES`], into a buffer that never grows: growing would leave a copy behind.
fn read_up_to_limit(file: &mut File) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut text = Zeroizing::new(vec![0; MAX_BYTES + 1]);
    let mut length = 0;
    while length < text.len() {
        match file.read(&mut text[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    text.truncate(length);
    Ok(text)
}

/// Whether a path where nothing is could be the text of a key, so that it must not be quoted.
fn looks_like_a_key(path: &Path) -> bool {
    /// No name on Linux is longer, bytes.
    const MAX_NAME: usize = 255;
    let text = path.as_os_str().as_encoded_bytes();
    text.contains(&b'\n')
        || text.windows(5).any(|window| window == b"-----")
        || path.components().any(|name| name.as_os_str().len() > MAX_NAME)
        // Base64 has slashes too, but is one long text without a dot or another break.
        || text.len() > MAX_NAME && !text.iter().any(|byte| matches!(byte, b'.' | b'-' | b'_'))
}

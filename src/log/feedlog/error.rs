//! What can go wrong with a capture, in one sentence that says what to do.

use std::io;

use super::compression::Compression;

/// Why a capture can't be read, or no further. Every message names the file and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeedlogError {
    /// It can't be opened.
    #[error("can't open the capture {name}: {source}; check the path and its permissions")]
    Open {
        /// The file, or "standard input".
        name: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A directory.
    #[error("{name} is a directory; name the captures in it")]
    Directory {
        /// Its path.
        name: String,
    },
    /// Packed in a way that isn't known here.
    #[error("{name} is packed with {format}, which isn't read here; unpack it first ({unpack})")]
    Foreign {
        /// The file.
        name: String,
        /// What it is packed with.
        format: &'static str,
        /// The command that prints what it holds, without its name.
        unpack: &'static str,
    },
    /// The operating system can't read on.
    #[error(
        "can't read {name} beyond line {line} (byte {byte}): {source}; what came before was read, check the disk"
    )]
    Read {
        /// The file.
        name: String,
        /// The last line that was reached; 0 for none.
        line: u64,
        /// Bytes that were reached, unpacked.
        byte: u64,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The packed data ends too soon: a copy was cut off, or its writer was.
    #[error(
        "{name} ends in the middle of its {compression} data, after line {line} (byte {byte} unpacked); what came before was read, copy the file anew if there is more of it"
    )]
    EndsEarly {
        /// The file.
        name: String,
        /// What it is packed with.
        compression: Compression,
        /// The last line that was reached; 0 for none.
        line: u64,
        /// Bytes that were reached, unpacked.
        byte: u64,
    },
    /// The packed data is wrong.
    #[error(
        "{name} has damaged {compression} data after line {line} (byte {byte} unpacked): {reason}; what came before was read, copy the file anew from where it is whole"
    )]
    Corrupt {
        /// The file.
        name: String,
        /// What it is packed with.
        compression: Compression,
        /// The last line that was reached; 0 for none.
        line: u64,
        /// Bytes that were reached, unpacked.
        byte: u64,
        /// The unpacker's words.
        reason: String,
    },
}

/// Why a record is not written: a reader could not read it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A line end within the payload.
    #[error("its payload has a line end in it")]
    LineEnd,
    /// A second column that is empty or has a tab or a line end in it.
    #[error("its second column is no word")]
    Kind,
    /// A time before 1970.
    #[error("its receive time is before 1970")]
    Time,
    /// A line longer than readers take.
    #[error("it is longer than 64 MiB")]
    TooLong,
}

/// Why a capture, or one record of it, can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The record was left out, and counted; the capture goes on.
    #[error("a record of {name} was left out, because {why}; the others are not touched by it")]
    Refused {
        /// The file, or "standard output".
        name: String,
        /// Why.
        why: Refusal,
    },
    /// A directory is at the path.
    #[error("can't write {name}: it is a directory; name a file")]
    Directory {
        /// The path.
        name: String,
    },
    /// The file can't be made.
    #[error(
        "can't write {name}: {source}; check the path, its directory's permissions and the room on the disk"
    )]
    Create {
        /// The file.
        name: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// It can't be written on; it is not to be used.
    #[error("can't go on writing {name}: {source}; make room or choose another place, and start again")]
    Write {
        /// The file.
        name: String,
        /// The operating system's reason.
        source: io::Error,
    },
}

impl WriteError {
    /// Whether whoever was to read it went away (`| head`), which is no trouble to speak of.
    #[must_use]
    pub fn reader_went_away(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

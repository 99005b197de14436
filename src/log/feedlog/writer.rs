//! Writes a capture, record by record.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

use super::compression::Compression;
use super::error::{Refusal, WriteError};
use super::output::{OutputFile, Unfinished};
use super::reader::MAX_LINE_BYTES;

/// Bytes that are collected before they are packed and written.
const BUFFER_BYTES: usize = 256 * 1_024;

/// gzip's own default.
const GZIP_LEVEL: u32 = 6;
/// zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// Writes records as lines, packed or not. Nothing is on the disk for certain before [`Writer::finish`]; dropped before that, a file
/// is what its [`Unfinished`] says.
pub struct Writer<W: Write> {
    name: String,
    buffer: Vec<u8>,
    /// Gone only within [`Writer::finish`].
    packer: Option<Packer<W>>,
    written: Written,
}

/// What came of writing a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Records written.
    pub records: u64,
    /// Their bytes before packing.
    pub bytes: u64,
    /// Records refused; each was an error of [`Writer::record`].
    pub refused: u64,
}

enum Packer<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(ZstdEncoder<'static, W>),
}

impl Writer<OutputFile> {
    /// Writes a capture to `path`, or standard output for `-`; packed if the path ends in `.gz` or `.zst`. A file that is there is
    /// replaced at the end, see [`OutputFile`].
    ///
    /// # Errors
    /// As [`OutputFile::create`].
    pub fn create(path: &Path, unfinished: Unfinished) -> Result<Self, WriteError> {
        let output = OutputFile::create(path, unfinished)?;
        Self::new(output.name().to_owned(), output, Compression::of_name(path))
    }

    /// Writes what is left, brings it to the disk and the file to its path.
    ///
    /// # Errors
    /// Some of it could not be written; the file is what its [`Unfinished`] says.
    pub fn finish(mut self) -> Result<Written, WriteError> {
        let (output, written) = self.close()?;
        match output.finish() {
            Ok(()) => Ok(written),
            Err(source) => Err(WriteError::Write { name: std::mem::take(&mut self.name), source }),
        }
    }
}

impl<W: Write> Writer<W> {
    /// Writes a capture into `sink`; `name` is what errors call it.
    ///
    /// # Errors
    /// There is no memory for packing.
    pub fn new(name: impl Into<String>, sink: W, compression: Compression) -> Result<Self, WriteError> {
        let name = name.into();
        match Packer::new(sink, compression) {
            Ok(packer) => Ok(Self {
                name,
                buffer: Vec::with_capacity(BUFFER_BYTES),
                packer: Some(packer),
                written: Written::default(),
            }),
            Err(source) => Err(WriteError::Create { name, source }),
        }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// [`WriteError::Refused`] when a reader could not read it back, after which the capture can go on; else it can't be written.
    pub fn record(&mut self, recv_ns: i64, kind: &str, payload: &[u8]) -> Result<(), WriteError> {
        if let Some(why) = refusal(recv_ns, kind, payload) {
            self.written.refused += 1;
            return Err(WriteError::Refused { name: self.name.clone(), why });
        }
        let before = self.buffer.len();
        self.buffer.extend_from_slice(itoa::Buffer::new().format(recv_ns).as_bytes());
        self.buffer.push(b'\t');
        self.buffer.extend_from_slice(kind.as_bytes());
        self.buffer.push(b'\t');
        self.buffer.extend_from_slice(payload);
        self.buffer.push(b'\n');
        self.count(before)
    }

    /// Writes the line of a record that a reader handed out ([`Record::line`](super::Record::line)), byte for byte, and an LF.
    ///
    /// # Errors
    /// It can't be written.
    pub fn line(&mut self, line: &[u8]) -> Result<(), WriteError> {
        let before = self.buffer.len();
        self.buffer.extend_from_slice(line);
        self.buffer.push(b'\n');
        self.count(before)
    }

    /// What was written so far.
    #[must_use]
    pub const fn written(&self) -> &Written {
        &self.written
    }

    /// Ends the capture and hands back what it was written into.
    ///
    /// # Errors
    /// Some of it could not be written.
    pub fn into_inner(mut self) -> Result<(W, Written), WriteError> {
        self.close()
    }

    fn count(&mut self, before: usize) -> Result<(), WriteError> {
        self.written.records += 1;
        self.written.bytes += (self.buffer.len() - before) as u64;
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.pass_on() }
    }

    fn pass_on(&mut self) -> Result<(), WriteError> {
        let outcome = match &mut self.packer {
            Some(packer) => packer.write_all(&self.buffer),
            None => Ok(()),
        };
        // Also after a failure, so that one record too many can't grow the buffer for ever.
        self.buffer.clear();
        outcome.map_err(|source| WriteError::Write { name: self.name.clone(), source })
    }

    fn close(&mut self) -> Result<(W, Written), WriteError> {
        self.pass_on()?;
        let ended = match self.packer.take() {
            Some(packer) => packer.finish(),
            None => Err(io::ErrorKind::NotConnected.into()),
        };
        match ended {
            Ok(sink) => Ok((sink, self.written)),
            Err(source) => Err(WriteError::Write { name: self.name.clone(), source }),
        }
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        // Unfinished: what can still be saved is, and whether that succeeds can't be told to anybody.
        let _ = self.pass_on();
    }
}

impl<W: Write> Packer<W> {
    fn new(sink: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::Plain(sink),
            // No name and no time in the header: the same records make the same bytes.
            Compression::Gzip => Self::Gzip(GzEncoder::new(sink, flate2::Compression::new(GZIP_LEVEL))),
            Compression::Zstd => {
                let mut encoder = ZstdEncoder::new(sink, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<W> {
        let mut sink = match self {
            Self::Plain(sink) => sink,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        sink.flush()?;
        Ok(sink)
    }
}

/// Why a reader could not read the record back.
fn refusal(recv_ns: i64, kind: &str, payload: &[u8]) -> Option<Refusal> {
    // Digits of the longest time, two tabs and the LF.
    const AROUND: usize = 22;
    if recv_ns < 0 {
        Some(Refusal::Time)
    } else if kind.is_empty() || kind.contains(['\t', '\n']) {
        Some(Refusal::Kind)
    } else if kind.len().saturating_add(payload.len()) > MAX_LINE_BYTES - AROUND {
        Some(Refusal::TooLong)
    } else if memchr::memchr(b'\n', payload).is_some() {
        Some(Refusal::LineEnd)
    } else {
        None
    }
}

/// The payload with a blank for each CR and LF in it, as a recorder writes it: JSON has them only between its tokens.
#[must_use]
pub fn without_line_ends(payload: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'\r', b'\n', payload).is_none() {
        return Cow::Borrowed(payload);
    }
    let blank = |&byte: &u8| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte };
    Cow::Owned(payload.iter().map(blank).collect())
}

//! Reads a capture, record by record.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::Path;

use super::compression::Compression;
use super::counts::{BadLine, Counts};
use super::error::FeedlogError;
use super::line::{Columns, Record, columns};
use super::unpack::{Fault, Unpacker};
use crate::market::Venue;

/// Longest line that is read unless told otherwise, bytes, its LF included: 64 MiB.
pub const MAX_LINE_BYTES: usize = 64 << 20;
/// Longest line that the reference engine `basis` reads: 8 MiB.
pub const BASIS_LINE_BYTES: usize = 8 << 20;

/// Bytes that are read at once, and the size of the buffer while no line is longer: it stays in a processor's cache.
const CHUNK_BYTES: usize = 256 * 1_024;

/// The name of what `-` stands for.
const STANDARD_INPUT: &str = "standard input";

/// Lends the records of a capture one after another, and counts what is none.
///
/// Its buffer is used again and again, so nothing is allocated for a record; only a line longer than any before it makes the
/// buffer grow, up to the limit.
pub struct Reader<R> {
    name: String,
    unpacker: Unpacker<R>,
    buffer: Vec<u8>,
    /// What of the buffer was read and not yet handed out.
    held: Range<usize>,
    /// No LF stands in `held` before this place.
    searched: usize,
    limit: usize,
    /// The line in hand is over-long, and what comes up to its LF is thrown away.
    skipping: bool,
    current: Option<Current>,
    /// What follows the last record.
    end: End,
    counts: Counts,
    previous_ns: i64,
}

struct Current {
    line: Range<usize>,
    columns: Columns,
    ends_with_lf: bool,
}

enum End {
    NotSeen,
    Seen,
    Fault(Fault),
}

/// Opens a capture: a file, or standard input for `-`.
///
/// # Errors
/// It isn't there, isn't readable, or is a directory.
pub fn open(path: &Path) -> Result<File, FeedlogError> {
    if path.as_os_str() == "-" {
        let own = io::stdin().as_fd().try_clone_to_owned();
        return own
            .map(File::from)
            .map_err(|source| FeedlogError::Open { name: STANDARD_INPUT.to_owned(), source });
    }
    let failed = |source| FeedlogError::Open { name: path.display().to_string(), source };
    let file = File::open(path).map_err(failed)?;
    match file.metadata().map_err(failed)?.is_dir() {
        true => Err(FeedlogError::Directory { name: path.display().to_string() }),
        false => Ok(file),
    }
}

impl Reader<File> {
    /// Reads the capture at `path`, or standard input for `-`; packed or not.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, FeedlogError> {
        open(path).map(|file| Self::of_path(path, file))
    }
}

impl<R: Read> Reader<R> {
    /// Reads a capture from `source`; `name` is what errors call it.
    pub fn new(name: impl Into<String>, source: R) -> Self {
        Self {
            name: name.into(),
            unpacker: Unpacker::new(source),
            buffer: vec![0; CHUNK_BYTES],
            held: 0..0,
            searched: 0,
            limit: MAX_LINE_BYTES,
            skipping: false,
            current: None,
            end: End::NotSeen,
            counts: Counts::default(),
            previous_ns: 0,
        }
    }

    /// Reads what [`open`] made of `path`, through whatever was put around it.
    pub fn of_path(path: &Path, source: R) -> Self {
        let name =
            if path.as_os_str() == "-" { STANDARD_INPUT.to_owned() } else { path.display().to_string() };
        Self::new(name, source)
    }

    /// With another limit of a line's bytes, its LF included: a line of that many bytes without its LF, or more, is thrown away up
    /// to its LF and counts as [`BadLine::TooLong`]. [`MAX_LINE_BYTES`] unless told otherwise.
    #[must_use]
    pub fn with_line_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes.max(1);
        self
    }

    /// The next record whatever its second column says, or `None` at the end.
    ///
    /// # Errors
    /// The capture can't be read to its end. Every record in front of that place was handed out before; what follows is the end.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, FeedlogError> {
        self.advance(|_| Some(()))?;
        Ok(self.current())
    }

    /// The next record of a venue. Any other second column makes a line a bad one.
    ///
    /// # Errors
    /// As [`Self::next_record`].
    #[inline]
    pub fn next_of_venue(&mut self) -> Result<Option<(Venue, Record<'_>)>, FeedlogError> {
        let venue = self.advance(Venue::of_name)?;
        Ok(venue.zip(self.current()))
    }

    /// Goes on to the next record whose second column is `known`, and returns what it is known as; `None` at the end. A line
    /// whose second column isn't known is a bad line ([`BadLine::UnknownKind`]). The record is [`Self::current`] then.
    ///
    /// # Errors
    /// As [`Self::next_record`].
    #[inline]
    pub fn advance<K>(
        &mut self,
        mut known: impl FnMut(&[u8]) -> Option<K>,
    ) -> Result<Option<K>, FeedlogError> {
        self.current = None;
        loop {
            let Some((line, ends_with_lf)) = self.next_line()? else { return Ok(None) };
            let text = &self.buffer[line.clone()];
            let judged = match text.len() < self.limit {
                true => columns(text),
                false => Err(BadLine::TooLong),
            };
            let judged = judged.and_then(|columns| {
                known(&text[columns.kind.clone()]).map(|kind| (kind, columns)).ok_or(BadLine::UnknownKind)
            });
            match judged {
                Ok((kind, columns)) => {
                    self.count_record(columns.recv_ns);
                    self.current = Some(Current { line, columns, ends_with_lf });
                    return Ok(Some(kind));
                }
                Err(why) => self.counts.bad.count(why, self.counts.lines),
            }
        }
    }

    /// The record that was reached last, as long as no other was asked for.
    #[must_use]
    #[inline]
    pub fn current(&self) -> Option<Record<'_>> {
        let Current { line, columns, ends_with_lf } = self.current.as_ref()?;
        let line = &self.buffer[line.clone()];
        Some(Record {
            recv_ns: columns.recv_ns,
            kind: &line[columns.kind.clone()],
            payload: &line[columns.payload..],
            line,
            ends_with_lf: *ends_with_lf,
        })
    }

    /// What was seen so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Number of the line that was reached last, from 1; 0 for none.
    #[must_use]
    pub const fn line_number(&self) -> u64 {
        self.counts.lines
    }

    /// What the capture is packed with; `None` before the first record was asked for.
    #[must_use]
    pub const fn compression(&self) -> Option<Compression> {
        self.unpacker.compression()
    }

    /// Bytes that were read so far, as the file has them: to show how far a reader is.
    #[must_use]
    pub const fn packed_bytes(&self) -> u64 {
        self.unpacker.packed_bytes()
    }

    /// What errors call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes the next line out of what is held, without its LF; reads on where that is needed.
    #[inline]
    fn next_line(&mut self) -> Result<Option<(Range<usize>, bool)>, FeedlogError> {
        loop {
            match memchr::memchr(b'\n', &self.buffer[self.searched..self.held.end]) {
                Some(length) => {
                    let line = self.held.start..self.searched + length;
                    self.held.start = line.end + 1;
                    self.searched = self.held.start;
                    self.counts.lines += 1;
                    self.counts.bytes += line.len() as u64 + 1;
                    if !self.skipping {
                        return Ok(Some((line, true)));
                    }
                    self.skipping = false;
                    self.counts.bad.count(BadLine::TooLong, self.counts.lines);
                }
                None => {
                    self.searched = self.held.end;
                    if self.skipping || self.held.len() >= self.limit {
                        self.skipping = true;
                        self.counts.bytes += self.held.len() as u64;
                        self.held.start = self.held.end;
                    }
                    if !self.read_on() {
                        return self.last_line();
                    }
                }
            }
        }
    }

    /// Reads a chunk behind what is held; `false` when there is no more.
    #[cold]
    fn read_on(&mut self) -> bool {
        if !matches!(self.end, End::NotSeen) {
            return false;
        }
        // A line that isn't over is moved to the front: short as lines are, that is a few bytes for a whole chunk.
        if self.held.start > 0 {
            self.buffer.copy_within(self.held.clone(), 0);
            self.held = 0..self.held.len();
            self.searched = self.held.end;
        }
        if self.held.end == self.buffer.len() {
            let grown = self.buffer.len().saturating_mul(2).min(self.limit.max(CHUNK_BYTES));
            self.buffer.resize(grown, 0);
        }
        let room = (self.held.end + CHUNK_BYTES).min(self.buffer.len());
        match self.unpacker.read(&mut self.buffer[self.held.end..room]) {
            Ok(0) => self.end = End::Seen,
            Ok(count) => self.held.end += count,
            Err(fault) => self.end = End::Fault(fault),
        }
        matches!(self.end, End::NotSeen)
    }

    /// What is held has no LF and won't get one: a line of its own if it is anything, then a fault if there is one.
    #[cold]
    fn last_line(&mut self) -> Result<Option<(Range<usize>, bool)>, FeedlogError> {
        if self.skipping || !self.held.is_empty() {
            self.counts.lines += 1;
            self.counts.ends_without_lf = true;
            let line = self.held.clone();
            self.counts.bytes += line.len() as u64;
            self.held.start = self.held.end;
            if !std::mem::take(&mut self.skipping) {
                return Ok(Some((line, false)));
            }
            self.counts.bad.count(BadLine::TooLong, self.counts.lines);
        }
        match std::mem::replace(&mut self.end, End::Seen) {
            End::Fault(fault) => Err(self.error(fault)),
            End::NotSeen | End::Seen => Ok(None),
        }
    }

    #[inline]
    fn count_record(&mut self, recv_ns: i64) {
        let counts = &mut self.counts;
        counts.records += 1;
        // Before the first record the previous time is 0, and no time is less.
        if recv_ns < self.previous_ns {
            counts.backwards.count(counts.lines);
            counts.largest_step_back_ns = counts.largest_step_back_ns.max(self.previous_ns - recv_ns);
            counts.earliest_ns = counts.earliest_ns.min(Some(recv_ns));
        }
        self.previous_ns = recv_ns;
        counts.latest_ns = counts.latest_ns.max(Some(recv_ns));
        counts.earliest_ns.get_or_insert(recv_ns);
    }

    #[cold]
    fn error(&self, fault: Fault) -> FeedlogError {
        let (name, line, byte) = (self.name.clone(), self.counts.lines, self.counts.bytes);
        match fault {
            Fault::Read(source) => FeedlogError::Read { name, line, byte, source },
            Fault::Foreign(foreign) => {
                FeedlogError::Foreign { name, format: foreign.name, unpack: foreign.unpack }
            }
            Fault::EndsEarly(compression) => FeedlogError::EndsEarly { name, compression, line, byte },
            Fault::Corrupt(compression, reason) => {
                FeedlogError::Corrupt { name, compression, line, byte, reason }
            }
        }
    }
}

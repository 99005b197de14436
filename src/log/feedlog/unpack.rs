//! The bytes of a capture, unpacked on the way if its first bytes say so.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, Operation};

use super::compression::{Compression, Foreign, MAGIC_BYTES, of_beginning};

/// Bytes of packed data that are read at once.
const PACKED_BYTES: usize = 128 * 1_024;

/// Why there are no more bytes, other than that the file is over.
#[derive(Debug)]
pub(super) enum Fault {
    Read(io::Error),
    Foreign(Foreign),
    EndsEarly(Compression),
    Corrupt(Compression, String),
}

/// Hands out a source's bytes, unpacked. Whatever can be unpacked in front of a fault is handed out before it, wherever the
/// source cuts its reads.
pub(super) struct Unpacker<R> {
    packed: Packed<R>,
    form: Form,
    /// What the next read ends with.
    fault: Option<Fault>,
}

enum Form {
    /// Nothing was read yet.
    Unknown,
    Plain,
    Gzip(Gzip),
    Zstd(Zstd),
}

impl<R: Read> Unpacker<R> {
    pub(super) fn new(source: R) -> Self {
        Self { packed: Packed::new(source), form: Form::Unknown, fault: None }
    }

    /// What the source turned out to be packed with; `None` before the first read.
    pub(super) const fn compression(&self) -> Option<Compression> {
        match self.form {
            Form::Unknown => None,
            Form::Plain => Some(Compression::None),
            Form::Gzip(_) => Some(Compression::Gzip),
            Form::Zstd(_) => Some(Compression::Zstd),
        }
    }

    /// Bytes that were read from the source, as it has them.
    pub(super) const fn packed_bytes(&self) -> u64 {
        self.packed.taken
    }

    /// Fills a part of `out`, which isn't empty; 0 at the end.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if let Form::Unknown = self.form {
            self.form = self.recognise()?;
        }
        let (count, fault) = match &mut self.form {
            Form::Unknown | Form::Plain => return self.packed.read_plain(out).map_err(Fault::Read),
            Form::Gzip(gzip) => gzip.read(&mut self.packed, out),
            Form::Zstd(zstd) => zstd.read(&mut self.packed, out),
        };
        match fault {
            Some(fault) if count == 0 => Err(fault),
            fault => {
                self.fault = fault;
                Ok(count)
            }
        }
    }

    fn recognise(&mut self) -> Result<Form, Fault> {
        let first = self.packed.peek(MAGIC_BYTES).map_err(Fault::Read)?;
        match of_beginning(first) {
            Ok(Compression::None) => Ok(Form::Plain),
            Ok(Compression::Gzip) => Ok(Form::Gzip(Gzip::new())),
            Ok(Compression::Zstd) => Ok(Form::Zstd(Zstd::new().map_err(Fault::Read)?)),
            Err(foreign) => Err(Fault::Foreign(foreign)),
        }
    }
}

/// The source, and what was read of it and not yet taken.
struct Packed<R> {
    source: R,
    bytes: Box<[u8]>,
    held: Range<usize>,
    taken: u64,
}

impl<R: Read> Packed<R> {
    fn new(source: R) -> Self {
        Self { source, bytes: vec![0; PACKED_BYTES].into_boxed_slice(), held: 0..0, taken: 0 }
    }

    /// Straight from the source, after what [`Self::peek`] left behind.
    fn read_plain(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.held.is_empty() {
            let count = read(&mut self.source, out)?;
            self.taken += count as u64;
            return Ok(count);
        }
        let count = out.len().min(self.held.len());
        out[..count].copy_from_slice(&self.bytes[self.held.start..][..count]);
        self.consume(count);
        Ok(count)
    }

    /// So many bytes, or all there are if there are fewer.
    fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.held.len() < wanted && self.held.start > 0 {
            self.bytes.copy_within(self.held.clone(), 0);
            self.held = 0..self.held.len();
        }
        while self.held.len() < wanted {
            let count = read(&mut self.source, &mut self.bytes[self.held.end..])?;
            if count == 0 {
                break;
            }
            self.taken += count as u64;
            self.held.end += count;
        }
        Ok(&self.bytes[self.held.clone()])
    }

    fn consume(&mut self, count: usize) {
        self.held.start = (self.held.start + count).min(self.held.end);
    }
}

fn read(source: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(out) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// Window of deflate data as gzip has it, in powers of two.
const GZIP_WINDOW_BITS: u8 = 15;
/// First byte of a member.
const GZIP_FIRST: u8 = 0x1f;

/// One member after another.
struct Gzip {
    inflate: Decompress,
    /// The last member is over, and the next has not begun.
    between: bool,
}

impl Gzip {
    fn new() -> Self {
        Self { inflate: Decompress::new_gzip(GZIP_WINDOW_BITS), between: false }
    }

    fn read<R: Read>(&mut self, packed: &mut Packed<R>, out: &mut [u8]) -> (usize, Option<Fault>) {
        loop {
            if self.between {
                match next_member(packed) {
                    Ok(true) => *self = Self::new(),
                    Ok(false) => return (0, None),
                    Err(fault) => return (0, Some(fault)),
                }
            }
            let input = match packed.peek(1) {
                Ok(input) => input,
                Err(error) => return (0, Some(Fault::Read(error))),
            };
            let over = input.is_empty();
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let outcome = self.inflate.decompress(input, out, FlushDecompress::None);
            // Both count also what came before an error.
            packed.consume((self.inflate.total_in() - read) as usize);
            let written = (self.inflate.total_out() - written) as usize;
            match outcome {
                Ok(Status::StreamEnd) => self.between = true,
                Ok(_) if written == 0 && over => {
                    return (0, Some(Fault::EndsEarly(Compression::Gzip)));
                }
                Ok(_) => {}
                Err(error) => {
                    return (written, Some(Fault::Corrupt(Compression::Gzip, error.to_string())));
                }
            }
            if written > 0 {
                return (written, None);
            }
        }
    }
}

/// Whether another member follows. Zeros up to the end don't count, which tapes and block devices leave behind.
fn next_member<R: Read>(packed: &mut Packed<R>) -> Result<bool, Fault> {
    let mut padded = false;
    loop {
        let rest = packed.peek(1).map_err(Fault::Read)?;
        match rest.first() {
            None => return Ok(false),
            Some(&GZIP_FIRST) if !padded => return Ok(true),
            Some(0) => {
                let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
                packed.consume(zeros);
                padded = true;
            }
            Some(_) => {
                let reason = "something that isn't gzip follows it".to_owned();
                return Err(Fault::Corrupt(Compression::Gzip, reason));
            }
        }
    }
}

/// Bytes of a block's header, which the decoder wants together with the block before it.
const ZSTD_BLOCK_HEADER: usize = 3;

/// One frame after another.
struct Zstd {
    decoder: Decoder<'static>,
    /// Bytes that the decoder asks for; 0 when a frame is over.
    wanted: usize,
    /// The last call filled its output, so there may be more without any input.
    holds_back: bool,
}

impl Zstd {
    fn new() -> io::Result<Self> {
        Ok(Self { decoder: Decoder::new()?, wanted: 0, holds_back: false })
    }

    fn read<R: Read>(&mut self, packed: &mut Packed<R>, out: &mut [u8]) -> (usize, Option<Fault>) {
        loop {
            let input = match packed.peek(1) {
                Ok(input) => input,
                Err(error) => return (0, Some(Fault::Read(error))),
            };
            let over = input.is_empty();
            if over && self.wanted == 0 && !self.holds_back {
                return (0, None);
            }
            // A call that fails forgets what it wrote, so none may both finish a block and go on into the next one.
            let feed = match self.holds_back {
                true => 0,
                false => self.wanted.saturating_sub(ZSTD_BLOCK_HEADER).max(1).min(input.len()),
            };
            let status = match self.decoder.run_on_buffers(&input[..feed], out) {
                Ok(status) => status,
                Err(error) => return (0, Some(Fault::Corrupt(Compression::Zstd, error.to_string()))),
            };
            packed.consume(status.bytes_read);
            self.wanted = status.remaining;
            let held_back = self.holds_back;
            self.holds_back = status.bytes_written == out.len();
            if status.bytes_written > 0 {
                return (status.bytes_written, None);
            }
            if over && !held_back && self.wanted != 0 {
                return (0, Some(Fault::EndsEarly(Compression::Zstd)));
            }
        }
    }
}

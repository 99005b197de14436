//! Frames: a big-endian `u32` length, then that many bytes. The splitter works on any chunking of the stream.

use std::ops::Range;

/// Longest body a frame may carry, bytes. A longer length closes the connection: the stream can't be resynchronised.
pub const MAX_FRAME_BYTES: usize = 65_536;

/// Length of the prefix that says how long the body is, bytes.
pub const PREFIX_BYTES: usize = 4;

const MAX_BUFFER_BYTES: usize = PREFIX_BYTES + MAX_FRAME_BYTES;
const FIRST_BUFFER_BYTES: usize = 16 * 1024;

/// A frame announced a body above [`MAX_FRAME_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame announced {announced} bytes; the limit is {MAX_FRAME_BYTES}")]
pub struct OversizeFrame {
    /// Length the prefix announced, bytes.
    pub announced: u32,
}

/// Read buffer of one connection. It holds at most one frame of the largest size and allocates only when a frame is
/// longer than any before it.
#[derive(Debug)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    filled: Range<usize>,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self { bytes: vec![0; FIRST_BUFFER_BYTES], filled: 0..0 }
    }
}

impl FrameBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Room to read into; never empty once [`Self::next_frame`] has returned `Ok(None)`.
    pub fn spare(&mut self) -> &mut [u8] {
        if self.filled.is_empty() {
            self.filled = 0..0;
        } else if self.needed() > self.bytes.len() - self.filled.start {
            self.bytes.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
            let needed = self.needed();
            if needed > self.bytes.len() {
                self.bytes.resize(needed.next_power_of_two().min(MAX_BUFFER_BYTES), 0);
            }
        }
        &mut self.bytes[self.filled.end..]
    }

    /// Says that `count` bytes were read into [`Self::spare`].
    pub fn advance(&mut self, count: usize) {
        self.filled.end = (self.filled.end + count).min(self.bytes.len());
    }

    /// The next whole frame's body, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`OversizeFrame`] as soon as a prefix announces too much; the buffer is of no use afterwards.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, OversizeFrame> {
        let Some(announced) = self.announced() else { return Ok(None) };
        let length = announced as usize;
        if length > MAX_FRAME_BYTES {
            return Err(OversizeFrame { announced });
        }
        let start = self.filled.start + PREFIX_BYTES;
        let end = start + length;
        if end > self.filled.end {
            return Ok(None);
        }
        self.filled.start = end;
        Ok(Some(&self.bytes[start..end]))
    }

    /// Whether [`Self::next_frame`] has something to say without more bytes: a frame, or that it is too long.
    pub fn holds_whole_frame(&self) -> bool {
        self.announced().is_some_and(|length| {
            let length = length as usize;
            length > MAX_FRAME_BYTES || self.filled.len() >= PREFIX_BYTES + length
        })
    }

    /// Whether the stream ended inside a frame, if it ended now.
    pub fn holds_partial_frame(&self) -> bool {
        !self.filled.is_empty()
    }

    fn announced(&self) -> Option<u32> {
        self.bytes[self.filled.clone()].first_chunk().map(|prefix| u32::from_be_bytes(*prefix))
    }

    /// Bytes that must fit behind `filled.start` before the frame there can be whole.
    fn needed(&self) -> usize {
        match self.announced() {
            Some(length) => PREFIX_BYTES + (length as usize).min(MAX_FRAME_BYTES),
            None => PREFIX_BYTES,
        }
    }
}

/// Writes a frame into `out`: its prefix, then whatever `body` appends. Returns `false`, with `out` as it was, when the
/// body is above [`MAX_FRAME_BYTES`].
pub fn write_frame(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) -> bool {
    let start = out.len();
    out.extend_from_slice(&[0; PREFIX_BYTES]);
    body(out);
    let length = out.len() - start - PREFIX_BYTES;
    match u32::try_from(length) {
        Ok(prefix) if length <= MAX_FRAME_BYTES => {
            out[start..start + PREFIX_BYTES].copy_from_slice(&prefix.to_be_bytes());
            true
        }
        _ => {
            out.truncate(start);
            false
        }
    }
}

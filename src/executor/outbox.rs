//! Acks that the peer's socket had no room for yet.

use crate::wire::frame::PREFIX_BYTES;

/// Unsent bytes at which a peer is no longer read.
pub(super) const FULL_BYTES: usize = 64 * 1024;

/// Most bytes of one write. The socket frees its room write by write, so this is how much a peer must read before it is
/// seen to make progress.
const CHUNK_BYTES: usize = 4 * 1024;

/// A byte queue that knows where its frames begin.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
    /// Where the frame begins that `sent` points into.
    frame: usize,
}

impl Outbox {
    pub(super) fn is_empty(&self) -> bool {
        self.sent == self.bytes.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() - self.sent >= FULL_BYTES
    }

    pub(super) fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// The start of [`Self::unsent`] that one write should take.
    pub(super) fn chunk(&self) -> &[u8] {
        let unsent = self.unsent();
        &unsent[..unsent.len().min(CHUNK_BYTES)]
    }

    /// Queues one whole frame.
    pub(super) fn push(&mut self, frame: &[u8]) {
        self.bytes.extend_from_slice(frame);
    }

    /// Says that `count` bytes of [`Self::unsent`] were sent.
    pub(super) fn advance(&mut self, count: usize) {
        self.sent += count;
        while let Some(end) = self.frame_end().filter(|end| *end <= self.sent) {
            self.frame = end;
        }
        if self.is_empty() {
            *self = Self { bytes: std::mem::take(&mut self.bytes), ..Self::default() };
            self.bytes.clear();
        } else if self.frame >= FULL_BYTES {
            self.bytes.drain(..self.frame);
            self.sent -= self.frame;
            self.frame = 0;
        }
    }

    /// Drops what is unsent; returns how many frames the peer didn't get whole.
    pub(super) fn abandon(&mut self) -> u64 {
        let mut lost = 0;
        while let Some(end) = self.frame_end() {
            self.frame = end;
            lost += 1;
        }
        self.bytes.clear();
        self.sent = 0;
        self.frame = 0;
        lost
    }

    fn frame_end(&self) -> Option<usize> {
        let prefix: &[u8; PREFIX_BYTES] = self.bytes.get(self.frame..)?.first_chunk()?;
        Some(self.frame + PREFIX_BYTES + u32::from_be_bytes(*prefix) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: usize) -> Vec<u8> {
        let mut frame = Vec::new();
        crate::wire::frame::write_frame(&mut frame, |out| out.resize(out.len() + body, b'x'));
        frame
    }

    #[test]
    fn a_frame_sent_in_part_counts_as_lost_and_one_sent_whole_does_not() {
        let mut outbox = Outbox::default();
        for body in [10, 20, 30] {
            outbox.push(&frame(body));
        }
        outbox.advance(14 + 5);
        assert_eq!(outbox.unsent().len(), 19 + 34);
        assert_eq!(outbox.abandon(), 2);
        assert!(outbox.is_empty());
        assert_eq!(outbox.abandon(), 0);
    }

    #[test]
    fn sending_everything_empties_it_and_its_memory_stays_bounded() {
        let mut outbox = Outbox::default();
        for _ in 0..10_000 {
            outbox.push(&frame(100));
            outbox.push(&frame(100));
            outbox.advance(104);
            if outbox.is_full() {
                outbox.advance(outbox.unsent().len() - 50);
            }
        }
        assert!(outbox.bytes.capacity() < 8 * FULL_BYTES, "{}", outbox.bytes.capacity());
        outbox.advance(outbox.unsent().len());
        assert!(outbox.is_empty());
        assert_eq!(outbox.abandon(), 0);
    }
}

//! Several captures as one, by receive time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::Read;

use super::error::FeedlogError;
use super::line::Record;
use super::reader::Reader;

/// Lends the records of several captures in the order of their receive times; of equal times, those of the capture named first come
/// first, and those of one capture in its own order.
///
/// A capture whose time goes backwards keeps its own order too: its record comes as soon as it is reached, and the time of the merge
/// goes backwards there.
pub struct Merge<R> {
    inputs: Vec<Reader<R>>,
    /// The time each capture has come to, and its number.
    heads: BinaryHeap<Reverse<(i64, usize)>>,
    /// The heads were never looked at.
    fresh: bool,
    faults: Vec<FeedlogError>,
}

impl<R: Read> Merge<R> {
    /// Of these captures.
    #[must_use]
    pub fn new(inputs: Vec<Reader<R>>) -> Self {
        let heads = BinaryHeap::with_capacity(inputs.len());
        Self { inputs, heads, fresh: true, faults: Vec::new() }
    }

    /// The next record and the number of its capture, or `None` at the end of all. A capture that can't be read to its end gives what it
    /// has, see [`Self::faults`].
    pub fn next_record(&mut self) -> Option<(usize, Record<'_>)> {
        if std::mem::take(&mut self.fresh) {
            for index in 0..self.inputs.len() {
                if let Some(recv_ns) = self.advance(index) {
                    self.heads.push(Reverse((recv_ns, index)));
                }
            }
        } else if let Some(&Reverse((_, index))) = self.heads.peek() {
            let next = self.advance(index);
            if let Some(mut head) = self.heads.peek_mut() {
                match next {
                    Some(recv_ns) => *head = Reverse((recv_ns, index)),
                    None => drop(PeekMut::pop(head)),
                }
            }
        }
        let &Reverse((_, index)) = self.heads.peek()?;
        Some((index, self.inputs[index].current()?))
    }

    /// Where a capture goes on.
    fn advance(&mut self, index: usize) -> Option<i64> {
        match self.inputs[index].next_record() {
            Ok(record) => record.map(|record| record.recv_ns),
            Err(fault) => {
                self.faults.push(fault);
                None
            }
        }
    }

    /// The captures, in the order in which they were given.
    #[must_use]
    pub fn inputs(&self) -> &[Reader<R>] {
        &self.inputs
    }

    /// Why captures could not be read to their end, in the order in which that was found.
    #[must_use]
    pub fn faults(&self) -> &[FeedlogError] {
        &self.faults
    }
}

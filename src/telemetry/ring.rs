//! The bounded ring between the hot path and the writer.

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;

use super::counters::Counters;
use super::doze::Doze;
use super::error::TelemetryError;
use super::row::{LatencyRow, Stage};

/// The producer's end. Cheap to clone; every clone pushes into the same ring.
#[derive(Debug, Clone)]
pub struct Recorder {
    ring: Arc<ArrayQueue<LatencyRow>>,
    counters: Arc<Counters>,
    doze: Arc<Doze>,
}

impl Recorder {
    /// A recorder over a new ring of `capacity` rows and its counters. The writer drains [`Recorder::pop`].
    ///
    /// # Errors
    /// [`TelemetryError::RingCapacity`] unless `capacity` is a power of two.
    pub(super) fn new(capacity: usize) -> Result<Self, TelemetryError> {
        if !capacity.is_power_of_two() {
            return Err(TelemetryError::RingCapacity { capacity });
        }
        // The ring itself can only abort for want of memory; a trial allocation can be refused. Its slots are a word longer.
        let slots = capacity.saturating_mul(size_of::<LatencyRow>() + size_of::<usize>());
        if Vec::<u8>::new().try_reserve_exact(slots).is_err() {
            return Err(TelemetryError::RingMemory { capacity });
        }
        Ok(Self { ring: Arc::new(ArrayQueue::new(capacity)), counters: Arc::default(), doze: Arc::default() })
    }

    /// Copies one row into the ring and returns whether it was taken.
    ///
    /// No allocation, lock, system call or clock read. A full ring drops this (the newest) row, an id over 128 bytes
    /// drops its row whole; each is counted. Row ids in the table follow the order of the pushes.
    ///
    /// Times are wall-clock ms since the Unix epoch, the duration is monotonic ms.
    #[inline]
    pub fn push(
        &self,
        correlation_id: &str,
        stage: Stage,
        started_at_ms: i64,
        ended_at_ms: i64,
        duration_ms: f64,
        dry_run: bool,
    ) -> bool {
        let Some(row) =
            LatencyRow::new(correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, dry_run)
        else {
            self.counters.add_oversized_id();
            return false;
        };
        if self.ring.push(row).is_err() {
            self.counters.add_ring_full();
            return false;
        }
        self.counters.add_pushed();
        true
    }

    /// Wakes the writer should it have gone to sleep for want of rows. To be called when everything at hand has been
    /// pushed and nothing waits for the caller; without it a row after a second of silence is seen up to a second late.
    ///
    /// A fence and a read, or one system call after such a silence.
    #[inline]
    pub fn nudge(&self) {
        self.doze.wake();
    }

    pub(super) fn doze(&self) -> &Doze {
        &self.doze
    }

    /// The counters this recorder shares.
    #[must_use]
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Rows waiting to be written.
    #[must_use]
    pub fn backlog(&self) -> usize {
        self.ring.len()
    }

    pub(super) fn pop(&self) -> Option<LatencyRow> {
        self.ring.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(recorder: &Recorder, id: &str) -> bool {
        recorder.push(id, Stage::WakeRecv, 1, 2, 0.25, true)
    }

    #[test]
    fn the_capacity_is_a_power_of_two() {
        for capacity in [0, 3, 1000] {
            assert!(
                matches!(Recorder::new(capacity), Err(TelemetryError::RingCapacity { .. })),
                "{capacity}"
            );
        }
        assert!(Recorder::new(1).is_ok());
    }

    #[test]
    fn a_full_ring_drops_the_newest_and_counts_it() {
        let recorder = Recorder::new(4).unwrap();
        let taken: Vec<bool> = ["a", "b", "c", "d", "e", "f"].iter().map(|id| push(&recorder, id)).collect();
        assert_eq!(taken, [true, true, true, true, false, false]);
        assert!(!push(&recorder, &"x".repeat(129)), "an oversized id is dropped before the ring is asked");
        let ids: Vec<String> =
            std::iter::from_fn(|| recorder.pop()).map(|row| row.correlation_id().to_owned()).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
        let counts = recorder.counters().snapshot();
        assert_eq!((counts.pushed, counts.dropped_ring_full, counts.dropped_oversized_id), (4, 2, 1));
    }
}

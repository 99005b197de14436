//! The bounded ring between the hot path and the writer.

use std::sync::Arc;

use super::counters::Counters;
use super::doze::Doze;
use super::error::TelemetryError;
use super::row::{LatencyRow, MAX_CORRELATION_ID, Stage};
use crate::memory::spsc::{self, Consumer, Gauge, Producer};

/// The producer's end. There is one, and it goes with the thread that records.
#[derive(Debug)]
pub struct Recorder {
    ring: Producer<LatencyRow>,
    counters: Arc<Counters>,
    doze: Arc<Doze>,
}

/// The writer's end.
#[derive(Debug)]
pub(super) struct Drain {
    ring: Consumer<LatencyRow>,
    counters: Arc<Counters>,
    doze: Arc<Doze>,
}

/// What any thread may know of the ring and do to it.
#[derive(Debug)]
pub(super) struct Watch {
    ring: Gauge<LatencyRow>,
    counters: Arc<Counters>,
    doze: Arc<Doze>,
}

/// A new ring of `capacity` rows and its counters.
///
/// # Errors
/// [`TelemetryError::RingCapacity`] unless `capacity` is a power of two; [`TelemetryError::RingMemory`] when there is no
/// room for so many.
pub(super) fn ring(capacity: usize) -> Result<(Recorder, Drain, Watch), TelemetryError> {
    if !capacity.is_power_of_two() {
        return Err(TelemetryError::RingCapacity { capacity });
    }
    let mut slots = Vec::new();
    slots.try_reserve_exact(capacity).map_err(|_| TelemetryError::RingMemory { capacity })?;
    // Every slot is written here, so that no push is the first to touch a page.
    slots.resize(capacity, LatencyRow::EMPTY);
    let (producer, consumer) = spsc::ring(slots).ok_or(TelemetryError::RingCapacity { capacity })?;
    let (counters, doze) = (Arc::<Counters>::default(), Arc::<Doze>::default());
    let watch = Watch { ring: producer.gauge(), counters: Arc::clone(&counters), doze: Arc::clone(&doze) };
    let drain = Drain { ring: consumer, counters: Arc::clone(&counters), doze: Arc::clone(&doze) };
    Ok((Recorder { ring: producer, counters, doze }, drain, watch))
}

impl Recorder {
    /// Copies one row into the ring and returns whether it was taken.
    ///
    /// No allocation, lock, system call or clock read. A full ring drops this (the newest) row, an id over 128 bytes
    /// drops its row whole; each is counted. Row ids in the table follow the order of the pushes.
    ///
    /// Times are wall-clock ms since the Unix epoch, the duration is monotonic ms.
    #[inline]
    pub fn push(
        &mut self,
        correlation_id: &str,
        stage: Stage,
        started_at_ms: i64,
        ended_at_ms: i64,
        duration_ms: f64,
        dry_run: bool,
    ) -> bool {
        if correlation_id.len() > MAX_CORRELATION_ID {
            self.counters.add_oversized_id();
            return false;
        }
        let taken = self.ring.push_with(|row| {
            row.set_id(correlation_id);
            row.set(stage, started_at_ms, ended_at_ms, duration_ms, dry_run);
        });
        if taken {
            self.counters.add_pushed();
        } else {
            self.counters.add_ring_full();
        }
        taken
    }

    /// Wakes the writer should it have gone to sleep for want of rows. To be called when everything at hand has been
    /// pushed and nothing waits for the caller; without it a row after a second of silence is seen up to a second late.
    ///
    /// A fence and a read, or one system call after such a silence.
    #[inline]
    pub fn nudge(&self) {
        self.doze.wake();
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
}

impl Drain {
    pub(super) fn doze(&self) -> &Doze {
        &self.doze
    }

    pub(super) fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Rows in the ring now: the producer's position is read anew, as a writer about to sleep needs it.
    pub(super) fn backlog(&self) -> usize {
        self.ring.len()
    }

    pub(super) fn pop(&mut self) -> Option<LatencyRow> {
        self.ring.pop()
    }
}

impl Watch {
    pub(super) fn backlog(&self) -> usize {
        self.ring.level()
    }

    pub(super) fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    pub(super) fn nudge(&self) {
        self.doze.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(recorder: &mut Recorder, id: &str) -> bool {
        recorder.push(id, Stage::WakeRecv, 1, 2, 0.25, true)
    }

    #[test]
    fn the_capacity_is_a_power_of_two() {
        for capacity in [0, 3, 1000] {
            assert!(matches!(ring(capacity), Err(TelemetryError::RingCapacity { .. })), "{capacity}");
        }
        assert!(ring(1).is_ok());
        assert!(matches!(ring(1 << 62), Err(TelemetryError::RingMemory { .. })));
    }

    #[test]
    fn a_full_ring_drops_the_newest_and_counts_it() {
        let (mut recorder, mut drain, watch) = ring(4).unwrap();
        let taken: Vec<bool> =
            ["a", "b", "c", "d", "e", "f"].iter().map(|id| push(&mut recorder, id)).collect();
        assert_eq!(taken, [true, true, true, true, false, false]);
        assert!(
            !push(&mut recorder, &"x".repeat(129)),
            "an oversized id is dropped before the ring is asked"
        );
        assert!(!push(&mut recorder, &"ü".repeat(65)), "the limit is in bytes");
        assert_eq!([recorder.backlog(), drain.backlog(), watch.backlog()], [4; 3]);
        let ids: Vec<String> =
            std::iter::from_fn(|| drain.pop()).map(|row| row.correlation_id().to_owned()).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
        let counts = recorder.counters().snapshot();
        assert_eq!((counts.pushed, counts.dropped_ring_full, counts.dropped_oversized_id), (4, 2, 2));
    }
}

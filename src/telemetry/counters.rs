//! What happened to every row: nothing is dropped without a counter.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One counter on cache lines of its own (two, since the prefetcher of x86 fetches pairs), so that the writer's counts
/// don't take the line away from the producer.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Lone(AtomicU64);

/// Live counters, shared by the producer, the writer and whoever reports. Each only ever grows, but `wal_bytes`.
#[derive(Debug, Default)]
pub struct Counters {
    pushed: Lone,
    dropped_ring_full: Lone,
    dropped_oversized_id: Lone,
    rows_written: Lone,
    dropped_write_failed: AtomicU64,
    rows_orphaned: AtomicU64,
    wal_bytes: AtomicU64,
    wal_pinned: AtomicU64,
    busy_retries: AtomicU64,
    reopened: AtomicU64,
    checkpoints: AtomicU64,
}

impl Counters {
    /// A copy of all counters. Taken while rows flow, the figures are a few rows apart from one another.
    #[must_use]
    pub fn snapshot(&self) -> FinalCounts {
        // `rows_written` before `pushed`: rows in flight must not make the former the greater.
        let rows_written = self.rows_written.0.load(Relaxed);
        FinalCounts {
            rows_written,
            pushed: self.pushed.0.load(Relaxed),
            dropped_ring_full: self.dropped_ring_full.0.load(Relaxed),
            dropped_oversized_id: self.dropped_oversized_id.0.load(Relaxed),
            dropped_write_failed: self.dropped_write_failed.load(Relaxed),
            rows_orphaned: self.rows_orphaned.load(Relaxed),
            wal_bytes: self.wal_bytes.load(Relaxed),
            wal_pinned: self.wal_pinned.load(Relaxed),
            busy_retries: self.busy_retries.load(Relaxed),
            reopened: self.reopened.load(Relaxed),
            checkpoints: self.checkpoints.load(Relaxed),
        }
    }

    #[inline]
    pub(super) fn add_pushed(&self) {
        // There is one producer: nobody else writes it, so this needn't be one locked step.
        self.pushed.0.store(self.pushed.0.load(Relaxed) + 1, Relaxed);
    }

    #[inline]
    pub(super) fn add_ring_full(&self) {
        self.dropped_ring_full.0.fetch_add(1, Relaxed);
    }

    #[inline]
    pub(super) fn add_oversized_id(&self) {
        self.dropped_oversized_id.0.fetch_add(1, Relaxed);
    }

    pub(super) fn add_written(&self, rows: u64) {
        self.rows_written.0.fetch_add(rows, Relaxed);
    }

    pub(super) fn add_write_failed(&self, rows: u64) {
        self.dropped_write_failed.fetch_add(rows, Relaxed);
    }

    pub(super) fn add_orphaned(&self, rows: u64) {
        self.rows_orphaned.fetch_add(rows, Relaxed);
    }

    pub(super) fn set_wal_bytes(&self, bytes: u64) {
        self.wal_bytes.store(bytes, Relaxed);
    }

    pub(super) fn add_wal_pinned(&self) {
        self.wal_pinned.fetch_add(1, Relaxed);
    }

    pub(super) fn add_busy_retry(&self) {
        self.busy_retries.fetch_add(1, Relaxed);
    }

    pub(super) fn add_reopened(&self) {
        self.reopened.fetch_add(1, Relaxed);
    }

    pub(super) fn add_checkpoint(&self) {
        self.checkpoints.fetch_add(1, Relaxed);
    }
}

impl fmt::Display for Counters {
    /// The line of a [`Counters::snapshot`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}

/// The counters at one moment; what [`Telemetry::finish`](super::Telemetry::finish) returns.
///
/// After `finish`: `pushed == rows_written + dropped_write_failed`, and every row ever offered is in
/// `pushed + dropped_ring_full + dropped_oversized_id`.
///
/// Prints as the exit line, `telemetry rows_written=5 dropped_ring_full=0 ...`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinalCounts {
    /// Rows the ring took.
    pub pushed: u64,
    /// Rows committed.
    pub rows_written: u64,
    /// New rows dropped because the ring was full.
    pub dropped_ring_full: u64,
    /// Rows whose correlation id was over 128 bytes.
    pub dropped_oversized_id: u64,
    /// Rows SQLite refused one by one, or that were left at the deadline of the exit.
    pub dropped_write_failed: u64,
    /// Of the rows written, those that went into a file which was deleted or replaced meanwhile.
    pub rows_orphaned: u64,
    /// Size of the WAL file in bytes when last looked at.
    pub wal_bytes: u64,
    /// Forced checkpoints that a reader (or another checkpointer) kept from bringing the WAL under its limit.
    pub wal_pinned: u64,
    /// Transactions or openings that found the database locked.
    pub busy_retries: u64,
    /// Times the file was opened again after the start.
    pub reopened: u64,
    /// Checkpoints that moved something.
    pub checkpoints: u64,
}

impl FinalCounts {
    /// Books everything pushed and not written as failed: the invariant of the exit.
    pub(super) fn settled(mut self) -> Self {
        self.dropped_write_failed = self.pushed.saturating_sub(self.rows_written);
        self
    }
}

impl fmt::Display for FinalCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "telemetry rows_written={} dropped_ring_full={} dropped_oversized_id={} dropped_write_failed={} \
             rows_orphaned={} wal_bytes={} wal_pinned={} pushed={} busy_retries={} reopened={} checkpoints={}",
            self.rows_written,
            self.dropped_ring_full,
            self.dropped_oversized_id,
            self.dropped_write_failed,
            self.rows_orphaned,
            self.wal_bytes,
            self.wal_pinned,
            self.pushed,
            self.busy_retries,
            self.reopened,
            self.checkpoints,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_begins_with_the_four_keys_in_order() {
        let counts =
            FinalCounts { rows_written: 5, pushed: 7, rows_orphaned: 1, ..FinalCounts::default() }.settled();
        assert_eq!(
            counts.to_string(),
            "telemetry rows_written=5 dropped_ring_full=0 dropped_oversized_id=0 dropped_write_failed=2 \
             rows_orphaned=1 wal_bytes=0 wal_pinned=0 pushed=7 busy_retries=0 reopened=0 checkpoints=0"
        );
    }
}

//! When the WAL is moved into the file: at rest, or by size; never in the middle of a burst for its own sake.
//!
//! SQLite's automatic checkpoints are off: at every thousand pages they cost tens of milliseconds inside a burst. Here
//! - a WAL with anything in it is moved once no row came for a second,
//! - a WAL of a sixteenth of the limit is moved as soon as the ring is empty,
//! - a WAL near the limit is moved and started over between two batches.
//!
//! No attempt waits for a lock. A reader that pins the WAL makes it grow beyond the limit; then it is said and counted.

use std::time::{Duration, Instant};

use super::counters::Counters;
use super::store::Store;
use crate::measure::rate_limit::RateLimit;

static PINNED: RateLimit = RateLimit::new(RateLimit::WARNINGS);

/// A WAL with fewer rows coming than one in this time is at rest.
const REST: Duration = Duration::from_secs(1);
/// Time between two attempts that others hold back.
const RETRY: Duration = Duration::from_millis(250);
/// Largest WAL that is still moved into the file at exit, and the time that must be left for it.
const EXIT_BYTES: u64 = 16 << 20;
const EXIT_TIME: Duration = Duration::from_millis(1000);

/// How full the WAL is.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    /// Someone else's lock kept the checkpoint from doing all it was asked for.
    held_back: bool,
    /// Frames in use.
    frames: u64,
    /// Of them, those already in the database file.
    moved: u64,
}

#[derive(Debug)]
pub(super) struct Checkpointer {
    limit: u64,
    /// As after the last write or checkpoint.
    usage: Usage,
    /// There is something to move, or a file to shorten.
    dirty: bool,
    last_write: Instant,
    /// Earliest next attempt at rest.
    next_move: Instant,
    /// Earliest next attempt by size; apart, since a WAL can grow by hundreds of MiB while a resting one waits.
    next_start_over: Instant,
}

impl Checkpointer {
    pub(super) fn new(limit: u64) -> Self {
        let now = Instant::now();
        Self {
            limit,
            usage: Usage::default(),
            dirty: true,
            last_write: now,
            next_move: now,
            next_start_over: now,
        }
    }

    /// After each committed transaction.
    pub(super) fn wrote(&mut self, store: &Store, counters: &Counters) {
        self.dirty = true;
        self.last_write = Instant::now();
        self.usage = run(store, "NOOP").unwrap_or(self.usage);
        // One batch is a few MiB; leave room for it below the limit.
        let in_use = self.usage.frames * store.frame_bytes();
        if in_use >= self.limit - self.limit / 8 && self.last_write >= self.next_start_over {
            self.start_over(store, counters);
        }
    }

    /// Moves everything and makes the next write begin at the WAL's start, if nobody holds a lock.
    ///
    /// Also worth a try on a full disk: a WAL started over needs no new blocks.
    pub(super) fn start_over(&mut self, store: &Store, counters: &Counters) {
        let size = store.wal_bytes();
        // Starting over keeps the file's blocks; only a file beyond the limit is worth giving them back.
        let mode = if size > self.limit { "TRUNCATE" } else { "RESTART" };
        // The copying is done without the write lock, which the other modes hold throughout: other writers go on.
        self.checkpoint(store, counters, "PASSIVE");
        if self.checkpoint(store, counters, mode).is_some_and(|usage| !usage.held_back) {
            return;
        }
        self.next_start_over = Instant::now() + RETRY;
        counters.add_wal_pinned();
        if size > self.limit
            && let Some(suppressed) = PINNED.admit()
        {
            tracing::warn!(
                "{}: the WAL is {size} bytes, over its limit of {}: another connection keeps it from being started \
                 over; end long read transactions ({suppressed} such lines suppressed)",
                store.path().display(),
                self.limit
            );
        }
    }

    /// Whenever the ring is empty.
    pub(super) fn at_rest(&mut self, store: &Store, counters: &Counters) {
        let now = Instant::now();
        if !self.dirty || now < self.next_move {
            return;
        }
        let resting = now.duration_since(self.last_write) >= REST;
        if resting && store.wal_bytes() > self.limit {
            if now >= self.next_start_over {
                self.start_over(store, counters);
            }
            return;
        }
        let waiting = (self.usage.frames - self.usage.moved) * store.frame_bytes();
        if !resting && waiting < self.limit / 16 {
            return;
        }
        self.checkpoint(store, counters, "PASSIVE");
        if self.dirty {
            self.next_move = now + REST;
        }
    }

    /// Before the connection is closed for good; returns whether closing may tidy the WAL away.
    pub(super) fn at_exit(&mut self, store: &Store, counters: &Counters, time_left: Duration) -> bool {
        let Some(usage) = run(store, "NOOP") else { return false };
        let small = (usage.frames - usage.moved) * store.frame_bytes() <= EXIT_BYTES;
        let worth_it = small && time_left >= EXIT_TIME;
        if worth_it {
            self.checkpoint(store, counters, "PASSIVE");
        }
        counters.set_wal_bytes(store.wal_bytes());
        worth_it && !self.dirty
    }

    fn checkpoint(&mut self, store: &Store, counters: &Counters, mode: &str) -> Option<Usage> {
        let usage = run(store, mode)?;
        let size = store.wal_bytes();
        self.usage = usage;
        self.dirty = usage.moved < usage.frames || size > self.limit;
        counters.add_checkpoint();
        counters.set_wal_bytes(size);
        Some(usage)
    }
}

/// One checkpoint without waiting for anybody. `None` when it couldn't run; a partial one is a result like any other.
fn run(store: &Store, mode: &str) -> Option<Usage> {
    let mut statement = store.connection().prepare_cached(&format!("PRAGMA wal_checkpoint({mode})")).ok()?;
    let (held_back, frames, moved): (bool, i64, i64) =
        statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).ok()?;
    let frames = u64::try_from(frames).ok()?;
    Some(Usage { held_back, frames, moved: u64::try_from(moved).ok()?.min(frames) })
}

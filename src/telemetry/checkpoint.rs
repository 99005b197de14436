//! When the WAL is moved into the file: at rest, or by size; never in the middle of a burst for its own sake.
//!
//! SQLite's automatic checkpoints are off: at every thousand pages they cost tens of milliseconds inside a burst. Here
//! - a WAL worth moving is moved once no row came for a second,
//! - while rows come, each sixteenth of the limit is moved by another thread, so that no row waits for the disk,
//! - a WAL near the limit is moved (little is left to do then) and started over between two batches.
//!
//! No attempt waits for a lock. A reader that pins the WAL makes it grow beyond the limit; then it is said and counted.

use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::counters::Counters;
use super::identity::FileId;
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
    /// The thread that moves what has come so far, while it runs.
    aside: Option<JoinHandle<()>>,
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
            aside: None,
        }
    }

    /// After each committed transaction.
    pub(super) fn wrote(&mut self, store: &Store, counters: &Arc<Counters>) {
        self.dirty = true;
        self.last_write = Instant::now();
        self.usage = run(store.connection(), "NOOP").unwrap_or(self.usage);
        if self.waiting(store) >= self.limit / 16 {
            self.move_aside(store, counters);
        }
        // One batch is a few MiB; leave room for it below the limit.
        let in_use = self.usage.frames * store.frame_bytes();
        if in_use >= self.limit - self.limit / 8 && self.last_write >= self.next_start_over {
            self.start_over(store, counters);
        }
    }

    /// After a heartbeat, which by itself isn't worth the disk's time; only many of them are.
    pub(super) fn beat(&mut self, store: &Store) {
        self.usage = run(store.connection(), "NOOP").unwrap_or(self.usage);
        if self.waiting(store) >= self.limit / 256 {
            self.dirty = true;
        }
    }

    /// Moves everything and makes the next write begin at the WAL's start, if nobody holds a lock.
    ///
    /// Also worth a try on a full disk: a WAL started over needs no new blocks.
    pub(super) fn start_over(&mut self, store: &Store, counters: &Counters) {
        // Two checkpoints can't run at once; what the other moves needn't be moved again.
        self.settle();
        let size = store.wal_bytes();
        // Starting over keeps the file's blocks; only a file beyond the limit is worth giving them back.
        let mode = if size > self.limit { "TRUNCATE" } else { "RESTART" };
        // The copying is done without the write lock, which the other modes hold throughout: other writers go on.
        self.checkpoint(store, counters, "PASSIVE");
        let usage = self.checkpoint(store, counters, mode);
        if usage.is_some_and(|usage| !usage.held_back) {
            return;
        }
        self.next_start_over = Instant::now() + RETRY;
        if usage.is_none() {
            // The disk, not a reader, is in the way; the next write says so.
            return;
        }
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
        if !resting {
            return;
        }
        self.checkpoint(store, counters, "PASSIVE");
        if self.dirty {
            self.next_move = now + REST;
        }
    }

    /// Before the connection is closed for good; returns whether closing may tidy the WAL away.
    pub(super) fn at_exit(&mut self, store: &Store, counters: &Counters, time_left: Duration) -> bool {
        let Some(usage) = run(store.connection(), "NOOP") else { return false };
        let small = (usage.frames - usage.moved) * store.frame_bytes() <= EXIT_BYTES;
        let worth_it = small && time_left >= EXIT_TIME;
        if worth_it {
            self.checkpoint(store, counters, "PASSIVE");
        }
        counters.set_wal_bytes(store.wal_bytes());
        worth_it && !self.dirty
    }

    /// Bytes of the WAL that aren't in the file yet.
    fn waiting(&self, store: &Store) -> u64 {
        (self.usage.frames - self.usage.moved) * store.frame_bytes()
    }

    /// Has another thread move the WAL through a connection of its own, unless one is at it. Writers go on meanwhile;
    /// that this is sound is what [`super::sqlite_version_ok`] is for.
    fn move_aside(&mut self, store: &Store, counters: &Arc<Counters>) {
        if self.aside.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let (path, file, counters) = (store.path().to_owned(), store.file(), Arc::clone(counters));
        let moving = move || {
            if move_all(&path, file).is_some() {
                counters.add_checkpoint();
            }
        };
        // Without a thread the WAL grows to its limit and is moved between two batches.
        self.aside = thread::Builder::new().name("telemetry-wal".to_owned()).spawn(moving).ok();
    }

    /// Waits for the other thread, if it is at it: before anything that must be alone with the WAL.
    pub(super) fn settle(&mut self) {
        if let Some(aside) = self.aside.take() {
            // It has no result; a panic in it loses nothing but its checkpoint.
            let _ = aside.join();
        }
    }

    fn checkpoint(&mut self, store: &Store, counters: &Counters, mode: &str) -> Option<Usage> {
        let mut usage = run(store.connection(), mode)?;
        if usage.held_back && usage.frames == 0 {
            // Another checkpointer is at it; how far it got isn't told.
            usage = Usage { held_back: true, ..self.usage };
        }
        let size = store.wal_bytes();
        self.usage = usage;
        self.dirty = usage.moved < usage.frames || size > self.limit;
        counters.add_checkpoint();
        counters.set_wal_bytes(size);
        Some(usage)
    }
}

/// One checkpoint of the database `file`, which should be at `path`, through a connection that leaves no trace.
///
/// Another file at the path would be given the pages of the WAL that still lies beside it. The check after the opening is
/// the one that counts, as nothing has been read by then; the one before spares a stranger's file the opening.
fn move_all(path: &Path, file: FileId) -> Option<Usage> {
    let is_there = || FileId::at(path).is_ok_and(|found| found == Some(file));
    if !is_there() {
        return None;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).ok()?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok()?;
    connection.busy_timeout(Duration::ZERO).ok()?;
    if !is_there() {
        return None;
    }
    run(&connection, "PASSIVE")
}

/// One checkpoint without waiting for anybody. `None` when it couldn't run; a partial one is a result like any other.
fn run(connection: &Connection, mode: &str) -> Option<Usage> {
    let mut statement = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})")).ok()?;
    let (held_back, frames, moved): (bool, i64, i64) =
        statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).ok()?;
    if frames < 0 && !held_back {
        return None;
    }
    let (frames, moved) = (frames.max(0).unsigned_abs(), moved.max(0).unsigned_abs());
    Some(Usage { held_back, frames, moved: moved.min(frames) })
}

//! The one thread that owns the connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::batch::{Batch, Failure};
use super::checkpoint::Checkpointer;
use super::error::{Fault, TelemetryError};
use super::heartbeat::Heartbeat;
use super::identity::FileId;
use super::ring::Drain;
use super::shutdown::Shutdown;
use super::store::{Standing, Store};
use crate::measure::rate_limit::RateLimit;

/// Sleep between two looks at the ring while rows keep coming. With a batch of 500 rows after it (some 10 ms) a row is
/// visible within 50 ms of its push, and no producer pays for a wake.
const REST: Duration = Duration::from_millis(20);
/// Silence after which the writer sleeps until it is nudged: its looks would cost an idle daemon more than 0.1% of a core
/// on a machine where a wake-up is dear.
const SILENCE: Duration = Duration::from_secs(1);
/// How often the path is compared with the open file.
const LOOK: Duration = Duration::from_secs(1);

/// How long the database may stay locked before that is worth a line: two processes writing get in each other's way all
/// the time, for milliseconds.
const LOCKED_FOR_LONG: Duration = Duration::from_secs(1);

static BUSY: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static TROUBLE: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static REFUSED: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static MOVED: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static HELD: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static RING_FULL: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static REOPEN: RateLimit = RateLimit::new(RateLimit::WARNINGS);

/// Doubling pauses between attempts, back to the shortest after a success.
#[derive(Debug)]
struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first }
    }

    fn step(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }

    fn reset(&mut self) {
        self.next = self.first;
    }
}

pub(super) struct Writer {
    path: PathBuf,
    wal_limit: u64,
    drain: Drain,
    shutdown: Arc<Shutdown>,
    /// `None` while the file can't be opened again.
    store: Option<Store>,
    batch: Batch,
    checkpointer: Checkpointer,
    heartbeat: Option<Heartbeat>,
    /// Locks are held for moments.
    busy: Backoff,
    /// Since when no batch has got the lock.
    locked_since: Option<Instant>,
    /// Full disks and missing files last longer.
    trouble: Backoff,
    next_look: Instant,
    /// When there was something to write last.
    last_row: Instant,
    /// The file opened last.
    file: FileId,
    /// Of the rows that found the ring full, those a line has told of.
    drops_reported: u64,
    /// Rows written since the path last led to that file.
    unmatched: u64,
}

impl Writer {
    pub(super) fn new(
        store: Store,
        wal_limit: u64,
        drain: Drain,
        shutdown: Arc<Shutdown>,
        heartbeat: Option<Heartbeat>,
    ) -> Self {
        Self {
            path: store.path().to_owned(),
            file: store.file(),
            wal_limit,
            drain,
            shutdown,
            store: Some(store),
            batch: Batch::new(),
            checkpointer: Checkpointer::new(wal_limit),
            heartbeat,
            busy: Backoff::new(Duration::from_millis(1), Duration::from_millis(50)),
            locked_since: None,
            trouble: Backoff::new(Duration::from_millis(20), Duration::from_secs(1)),
            next_look: Instant::now() + LOOK,
            last_row: Instant::now(),
            drops_reported: 0,
            unmatched: 0,
        }
    }

    /// Writes until asked to end and nothing is left, or the deadline is past.
    pub(super) fn run(mut self) {
        let mut ending = false;
        loop {
            // Asked before the ring is drained: what was pushed before the request is seen by the drain after it.
            let asked = self.shutdown.asked();
            if asked && self.shutdown.time_left().is_zero() {
                break;
            }
            if asked && !ending {
                ending = true;
                self.next_look = Instant::now();
            }
            self.look();
            self.report_drops();
            self.batch.fill(&mut self.drain);
            if !self.batch.is_empty() {
                self.write();
            } else if asked {
                break;
            } else {
                self.rest();
            }
        }
        self.end();
    }

    fn rest(&mut self) {
        if let Some(store) = &self.store {
            self.checkpointer.at_rest(store, self.drain.counters());
            if self.last_row.elapsed() < SILENCE {
                self.pause(REST);
            } else {
                self.doze();
            }
        } else {
            self.reopen();
        }
    }

    /// Sleeps until a producer nudges, the end is asked for, or the path wants looking at.
    fn doze(&self) {
        let (drain, shutdown) = (&self.drain, &self.shutdown);
        drain.doze().sleep(LOOK, || drain.backlog() == 0 && !shutdown.asked());
    }

    fn write(&mut self) {
        self.last_row = Instant::now();
        let Some(store) = &self.store else {
            self.reopen();
            return;
        };
        let counters = self.drain.counters();
        match self.batch.write(store.connection()) {
            Ok(progress) => {
                self.busy.reset();
                self.trouble.reset();
                self.locked_since = None;
                if progress.written > 0 {
                    counters.add_written(progress.written);
                    self.unmatched += progress.written;
                    self.checkpointer.wrote(store, counters);
                }
                if let Some(error) = progress.refused {
                    counters.add_write_failed(1);
                    warn_limited(
                        &REFUSED,
                        &self.path,
                        &format!("SQLite refuses a row, which is dropped: {error}"),
                    );
                }
            }
            Err(failure) => self.fail(failure),
        }
    }

    fn fail(&mut self, Failure { fault, error }: Failure) {
        let counters = self.drain.counters();
        if fault == Fault::Busy {
            counters.add_busy_retry();
            let since = *self.locked_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= LOCKED_FOR_LONG {
                warn_limited(&BUSY, &self.path, "locked by another process; rows wait in memory");
            }
            let pause = self.busy.step();
            self.pause(pause);
            return;
        }
        warn_limited(&TROUBLE, &self.path, &format!("cannot be written, rows wait in memory: {error}"));
        if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull) {
            // What is left of the WAL may be had back, and a new connection would need room of its own.
            if let Some(store) = &self.store {
                self.checkpointer.start_over(store, counters);
            }
        } else {
            self.drop_store();
        }
        let pause = self.trouble.step();
        self.pause(pause);
    }

    /// Says so when the producers found the ring full: they themselves have no time to.
    fn report_drops(&mut self) {
        let dropped = self.drain.counters().snapshot().dropped_ring_full;
        if dropped > self.drops_reported
            && let Some(suppressed) = RING_FULL.admit()
        {
            self.drops_reported = dropped;
            tracing::warn!(
                "telemetry database {}: the ring was full, {dropped} rows are lost so far ({suppressed} such lines \
                 suppressed)",
                self.path.display()
            );
        }
    }

    /// Compares path and file when it is time, beats when it is time.
    fn look(&mut self) {
        let now = Instant::now();
        let Some(store) = &self.store else { return };
        if let Some(heartbeat) = &mut self.heartbeat
            && heartbeat.beat(store, &self.drain)
        {
            self.checkpointer.beat(store);
        }
        if now < self.next_look {
            return;
        }
        self.next_look = now + LOOK;
        self.drain.counters().set_wal_bytes(store.wal_bytes());
        let what = match store.standing() {
            Standing::Same => {
                self.unmatched = 0;
                return;
            }
            // Rows go on into the file that is open until the path can be read again.
            Standing::Unknown => return,
            Standing::Gone => "deleted",
            Standing::Replaced => "replaced",
        };
        warn_limited(
            &MOVED,
            &self.path,
            &format!("the file was {what}; {} rows went into the old one", self.unmatched),
        );
        if self.drop_store() {
            self.reopen();
        }
    }

    /// Closes the connection; rows it wrote into a file that is no longer at the path are orphans. `false` when it has to
    /// stay: its WAL can't be emptied yet and would harm the file that took the path.
    fn drop_store(&mut self) -> bool {
        self.checkpointer.settle();
        let Some(store) = self.store.take() else { return true };
        let standing = store.standing();
        // Also when the file is still there: it could be replaced beside its WAL before it is opened again.
        let emptied = standing == Standing::Gone || store.empty_wal();
        if standing == Standing::Replaced && !emptied {
            warn_limited(
                &HELD,
                &self.path,
                "another connection holds the replaced file's WAL; rows go on into the old file until it ends",
            );
            self.store = Some(store);
            return false;
        }
        if matches!(standing, Standing::Gone | Standing::Replaced) {
            self.drain.counters().add_orphaned(std::mem::take(&mut self.unmatched));
        }
        store.close(false);
        true
    }

    /// One attempt to open the file again. The old connection is closed by then: the new one may truncate the shared
    /// memory file under it.
    fn reopen(&mut self) {
        match Store::open(&self.path, self.wal_limit, Duration::ZERO) {
            Ok(store) => {
                let counters = self.drain.counters();
                counters.add_reopened();
                if store.file() != self.file {
                    counters.add_orphaned(self.unmatched);
                }
                self.file = store.file();
                self.store = Some(store);
                self.checkpointer = Checkpointer::new(self.wal_limit);
                self.unmatched = 0;
                self.next_look = Instant::now() + LOOK;
                self.busy.reset();
                if let Some(heartbeat) = &mut self.heartbeat {
                    heartbeat.restart();
                }
            }
            Err(error) => {
                let pause = if matches!(error, TelemetryError::Locked { .. }) {
                    self.drain.counters().add_busy_retry();
                    self.busy.step()
                } else {
                    self.trouble.step()
                };
                if let Some(suppressed) = REOPEN.admit() {
                    tracing::warn!("{error}; rows wait in memory ({suppressed} such lines suppressed)");
                }
                self.pause(pause);
            }
        }
    }

    /// Sleeps, but not past the deadline; a request to end cuts it short.
    fn pause(&self, time: Duration) {
        thread::park_timeout(time.min(self.shutdown.time_left()));
    }

    /// Counts what is left, and closes.
    fn end(mut self) {
        let counters = Arc::clone(self.drain.counters());
        let mut lost = 0;
        loop {
            lost += self.batch.clear();
            self.batch.fill(&mut self.drain);
            if self.batch.is_empty() {
                break;
            }
        }
        if lost > 0 {
            counters.add_write_failed(lost);
            tracing::warn!(
                "telemetry database {}: {lost} rows lost at the deadline of the exit",
                self.path.display()
            );
        }
        self.checkpointer.settle();
        let Some(store) = self.store.take() else { return };
        let standing = store.standing();
        if matches!(standing, Standing::Gone | Standing::Replaced) {
            counters.add_orphaned(self.unmatched);
            if standing == Standing::Replaced && !store.empty_wal() {
                tracing::error!(
                    "telemetry database {0}: the file was replaced and the old one's {0}-wal could not be emptied; \
                     delete it before anyone opens the new file",
                    self.path.display()
                );
            }
            store.close(false);
            return;
        }
        let tidy = self.checkpointer.at_exit(&store, &counters, self.shutdown.time_left());
        store.close(tidy);
    }
}

fn warn_limited(limit: &RateLimit, path: &std::path::Path, what: &str) {
    if let Some(suppressed) = limit.admit() {
        tracing::warn!("telemetry database {}: {what} ({suppressed} such lines suppressed)", path.display());
    }
}

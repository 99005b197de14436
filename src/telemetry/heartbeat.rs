//! The row by which others see that this process lives.

use std::time::{Duration, Instant};

use rusqlite::{Transaction, TransactionBehavior, params};

use super::ring::Drain;
use super::store::Store;
use crate::measure::clock::wall_ms;
use crate::measure::rate_limit::RateLimit;

/// Time between two beats.
const INTERVAL: Duration = Duration::from_secs(10);
/// Time until a beat that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Failures in a row that are nothing unusual: another process holds the lock for a moment.
const TOLERATED: u32 = 3;
static SILENT: RateLimit = RateLimit::new(RateLimit::WARNINGS);

const BEAT: &str = "INSERT OR REPLACE INTO heartbeats \
    (process, pid, started_at_ms, beat_at_ms, queue_depth, dropped_rows) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

#[derive(Debug)]
pub(super) struct Heartbeat {
    process: String,
    started_at_ms: i64,
    due: Instant,
    /// In a row.
    failures: u32,
}

impl Heartbeat {
    /// The first beat is due at once.
    pub(super) fn new(process: String) -> Self {
        Self { process, started_at_ms: wall_ms(), due: Instant::now(), failures: 0 }
    }

    /// Replaces the row when it is due; returns whether it did. A failure costs nothing but the beat.
    pub(super) fn beat(&mut self, store: &Store, drain: &Drain) -> bool {
        let now = Instant::now();
        if now < self.due {
            return false;
        }
        let written = self.write(store, drain);
        self.due = now + if written.is_ok() { INTERVAL } else { RETRY };
        match written {
            Ok(()) => self.failures = 0,
            Err(_) if self.failures < TOLERATED => self.failures += 1,
            Err(error) => {
                if let Some(suppressed) = SILENT.admit() {
                    let path = store.path().display();
                    tracing::warn!(
                        "telemetry database {path}: no heartbeat can be written: {error} ({suppressed} such lines \
                         suppressed)"
                    );
                }
                return false;
            }
        }
        self.failures == 0
    }

    /// Makes the next beat due at once: the file is another one.
    pub(super) fn restart(&mut self) {
        self.due = Instant::now();
    }

    fn write(&self, store: &Store, drain: &Drain) -> rusqlite::Result<()> {
        let counts = drain.counters().snapshot();
        let dropped = counts.dropped_ring_full + counts.dropped_oversized_id + counts.dropped_write_failed;
        let transaction = Transaction::new_unchecked(store.connection(), TransactionBehavior::Immediate)?;
        transaction.prepare_cached(BEAT)?.execute(params![
            self.process,
            std::process::id(),
            self.started_at_ms,
            wall_ms(),
            drain.backlog() as i64,
            i64::try_from(dropped).unwrap_or(i64::MAX)
        ])?;
        transaction.commit()
    }
}

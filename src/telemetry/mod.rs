//! The SQLite telemetry both processes write.
//!
//! The hot path copies rows into a bounded ring ([`Recorder::push`]); one thread writes them in batches. Nothing is
//! dropped without a counter ([`FinalCounts`]).
//!
//! - [`row`]: a row and the vocabulary of stages. [`ring`]: the ring and its ends. [`counters`]: the counters.
//! - `schema`: the tables. [`store`]: opening the file, and refusing those that aren't ours.
//! - `writer`: the thread's loop. `batch`: what one transaction takes and what a failure condemns. `checkpoint`: when
//!   the WAL is moved. `identity`: deleted and replaced files. `doze`: the writer's sleep. `heartbeat`: the sign of life. `shutdown`: the end.
//!
//! ```
//! use std::time::{Duration, Instant};
//! use wakeline::telemetry::{Options, Stage, Telemetry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let (telemetry, mut recorder) = Telemetry::start(&directory.path().join("telemetry.db"), Options::default())?;
//! recorder.push("9f2c", Stage::WakeRecv, 1_750_000_000_000, 1_750_000_000_000, 0.0021, false);
//! let counts = telemetry.finish(Instant::now() + Duration::from_secs(4));
//! assert!(counts.to_string().starts_with("telemetry rows_written=1 dropped_ring_full=0 "));
//! # Ok(())
//! # }
//! ```

use std::path::Path;
use std::sync::Arc;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

mod batch;
mod checkpoint;
pub mod counters;
mod doze;
pub mod error;
mod heartbeat;
mod identity;
pub mod ring;
pub mod row;
mod schema;
mod shutdown;
pub mod store;
mod writer;

pub use batch::BATCH_ROWS;
pub use counters::{Counters, FinalCounts};
pub use error::TelemetryError;
pub use ring::Recorder;
pub use row::{LatencyRow, MAX_CORRELATION_ID, Stage};
pub use schema::USER_VERSION;
pub use store::{OPEN_PATIENCE, Store, sqlite_version_ok};

use heartbeat::Heartbeat;
use ring::Watch;
use shutdown::{EndGuard, Shutdown};
use writer::Writer;

/// Rows the ring holds unless told otherwise: a burst of 8,192 wakes, 1.6 MB.
pub const DEFAULT_RING_CAPACITY: usize = 8_192;
/// Size under which the WAL is kept unless told otherwise: 64 MiB.
pub const DEFAULT_WAL_LIMIT: u64 = 64 << 20;

/// Called once, on the writer's thread, when it has ended.
pub type OnFinished = Box<dyn FnOnce() + Send>;

/// How the telemetry runs. [`Options::default`] is what the contract asks for.
pub struct Options {
    /// Rows the ring holds; a power of two.
    pub ring_capacity: usize,
    /// Bytes under which the WAL file is kept, as long as no reader pins it. One batch may go beyond it.
    pub wal_limit_bytes: u64,
    /// Name under which a row in `heartbeats` is replaced every 10 s; `None` for no heartbeat.
    pub heartbeat: Option<String>,
    /// Told when the writer has ended; for an asynchronous caller, which must not block in [`Telemetry::finish`].
    pub on_finished: Option<OnFinished>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ring_capacity: DEFAULT_RING_CAPACITY,
            wal_limit_bytes: DEFAULT_WAL_LIMIT,
            heartbeat: Some("executor".to_owned()),
            on_finished: None,
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("ring_capacity", &self.ring_capacity)
            .field("wal_limit_bytes", &self.wal_limit_bytes)
            .field("heartbeat", &self.heartbeat)
            .field("on_finished", &self.on_finished.is_some())
            .finish()
    }
}

/// A running telemetry writer.
///
/// Dropped without [`Telemetry::finish`] the writer is asked to end within 2 s and not waited for.
#[derive(Debug)]
pub struct Telemetry {
    watch: Watch,
    shutdown: Arc<Shutdown>,
    writer: Thread,
}

impl Telemetry {
    /// Opens or creates the database and starts the writer; returns it with the one end of the ring that rows go into.
    /// Blocks while opening, at most about 5 s.
    ///
    /// # Errors
    /// A file that isn't ours, can't be opened, or stays locked; a ring capacity that isn't a power of two.
    pub fn start(path: &Path, options: Options) -> Result<(Self, Recorder), TelemetryError> {
        let (recorder, drain, watch) = ring::ring(options.ring_capacity)?;
        let store = Store::open(path, options.wal_limit_bytes, OPEN_PATIENCE)?;
        store.warn_of_network();
        let shutdown = Arc::new(Shutdown::new());
        let writer = Writer::new(
            store,
            options.wal_limit_bytes,
            drain,
            Arc::clone(&shutdown),
            options.heartbeat.map(Heartbeat::new),
        );
        let guard = EndGuard { shutdown: Arc::clone(&shutdown), on_finished: options.on_finished };
        let thread = thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || {
                let _guard = guard;
                writer.run();
            })
            .map_err(TelemetryError::Thread)?;
        Ok((Self { watch, shutdown, writer: thread.thread().clone() }, recorder))
    }

    /// Rows waiting to be written.
    #[must_use]
    pub fn backlog(&self) -> usize {
        self.watch.backlog()
    }

    /// [`Recorder::nudge`], from any thread.
    pub fn nudge(&self) {
        self.watch.nudge();
    }

    /// The live counters.
    #[must_use]
    pub fn counters(&self) -> Arc<Counters> {
        Arc::clone(self.watch.counters())
    }

    /// Asks the writer to drain the ring and end, and to give up at `deadline`. Doesn't block.
    ///
    /// To be called after the last push: rows pushed later may be left in the ring (and are then counted as lost by
    /// [`Telemetry::finish`]). Of several deadlines the earliest counts.
    pub fn begin_shutdown(&self, deadline: Instant) {
        self.shutdown.ask(deadline);
        self.writer.unpark();
    }

    /// Whether the writer has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.shutdown.is_finished()
    }

    /// Waits for the writer, at most until `deadline`, and settles the account: everything pushed and not written by
    /// then is counted as `dropped_write_failed`, also when the writer is stuck inside SQLite. The caller then ends the
    /// process without waiting for the thread.
    ///
    /// Calls [`Telemetry::begin_shutdown`] with the same deadline.
    pub fn finish(&self, deadline: Instant) -> FinalCounts {
        self.begin_shutdown(deadline);
        self.shutdown.wait_until(deadline);
        self.watch.counters().snapshot().settled()
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        self.begin_shutdown(Instant::now() + Duration::from_secs(2));
    }
}

//! A telemetry writer with a database of its own, both gone before anything else happens.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::error::BenchError;
use super::plan::Plan;
use crate::cli::Failure;
use crate::telemetry::{FinalCounts, Options, Recorder, Telemetry};

/// How long the writer may take to write what it has, before rows are dropped and the run fails for it.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The same where its rows are of no interest any more.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Recording {
    telemetry: Telemetry,
    directory: TempDir,
}

impl Recording {
    /// With a ring of the daemon's size: a larger one would be colder.
    pub(super) fn start(plan: &Plan<'_>) -> Result<(Self, Recorder), Failure> {
        let directory = plan.directory()?;
        let (telemetry, recorder) = Telemetry::start(&database(&directory), Options::default())?;
        Ok((Self { telemetry, directory }, recorder))
    }

    /// Another connection to its database.
    pub(super) fn reader(&self) -> Result<rusqlite::Connection, BenchError> {
        Ok(rusqlite::Connection::open(database(&self.directory))?)
    }

    /// Waits until no more than so many rows are in the ring, or the writer has had every chance.
    pub(super) fn wait_for_room(&self, at_most: usize) {
        self.telemetry.nudge();
        let limit = Instant::now() + PATIENCE;
        while self.telemetry.backlog() > at_most && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn backlog(&self) -> usize {
        self.telemetry.backlog()
    }

    /// Has everything written that was pushed.
    pub(super) fn finish(&self) -> FinalCounts {
        self.telemetry.finish(Instant::now() + PATIENCE)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // A writer that still runs would make new files in a directory that is being removed.
        self.telemetry.finish(Instant::now() + LAST_PATIENCE);
    }
}

fn database(directory: &TempDir) -> PathBuf {
    directory.path().join("telemetry.db")
}

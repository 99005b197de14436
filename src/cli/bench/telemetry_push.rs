//! A latency row into the ring, while the writer empties it into a database.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::error::{BenchError, FEWER_ROWS};
use super::plan::Plan;
use super::report::{Section, Unit};
use super::turns::{self, BATCH, Kind};
use super::wake;
use crate::cli::Failure;
use crate::telemetry::{Options, Stage, Telemetry};

/// How long the writer may take to empty a ring before rows are dropped, and the run fails for it.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn measure(plan: &Plan<'_>) -> Result<Section, Failure> {
    let directory = plan.directory()?;
    // A ring of the daemon's size: a larger one would be colder.
    let options = Options::default();
    let capacity = options.ring_capacity;
    let (telemetry, mut recorder) = Telemetry::start(&directory.path().join("telemetry.db"), options)?;
    let push = move || {
        black_box(recorder.push(black_box(wake::ID), Stage::WakeRecv, 1, 2, 0.001, false));
    };
    let kind = Kind::small("wakeline", "kind=wakeline", push).after(|| make_room(&telemetry, capacity));
    let series = turns::take(plan, "telemetry_push", Unit::Ns, vec![kind], None)?;
    let counts = telemetry.finish(Instant::now() + PATIENCE);
    let pushed = u64::from(plan.turns()) * u64::from(BATCH);
    if counts.rows_written != pushed {
        let found = counts.rows_written.to_string();
        let (who, key) = ("telemetry", "rows_written");
        return Err(BenchError::Miscounted { who, key, found, wanted: pushed, advice: FEWER_ROWS }.into());
    }
    let title = "a row into the ring, while another thread writes those before it into SQLite".to_owned();
    Ok(plan.section("telemetry_push", title, Unit::Ns, series, vec![turns::batch_note()]))
}

/// Lets the writer empty a ring that is half full: then many batches follow without a pause, as in a burst.
fn make_room(telemetry: &Telemetry, capacity: usize) {
    if telemetry.backlog() >= capacity / 2 {
        wait_for_room(telemetry, 0);
    }
}

/// Waits until no more than so many rows are in the ring, or the writer has had every chance.
pub(super) fn wait_for_room(telemetry: &Telemetry, at_most: usize) {
    telemetry.nudge();
    let limit = Instant::now() + PATIENCE;
    while telemetry.backlog() > at_most && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(1));
    }
}

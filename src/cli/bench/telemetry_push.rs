//! A latency row into the ring, while the writer empties it into a database.

use std::hint::black_box;

use super::error::{BenchError, FEWER_ROWS};
use super::plan::Plan;
use super::recording::Recording;
use super::report::{Section, Unit};
use super::turns::{self, BATCH, Kind};
use super::wake;
use crate::cli::Failure;
use crate::telemetry::{DEFAULT_RING_CAPACITY, Stage};

pub(super) fn measure(plan: &Plan<'_>) -> Result<Section, Failure> {
    let (recording, mut recorder) = Recording::start(plan)?;
    let push = move || {
        black_box(recorder.push(black_box(wake::ID), Stage::WakeRecv, 1, 2, 0.001, false));
    };
    let kind = Kind::small("wakeline", "kind=wakeline", push).after(|| make_room(&recording));
    let series = turns::take(plan, "telemetry_push", Unit::Ns, vec![kind], None)?;
    let counts = recording.finish();
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
fn make_room(recording: &Recording) {
    if recording.backlog() >= DEFAULT_RING_CAPACITY / 2 {
        recording.wait_for_room(0);
    }
}

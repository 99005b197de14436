//! Rows a second that telemetry makes durable, beside inserts by the book.

use std::time::Instant;

use super::compare::Comparison;
use super::error::{BenchError, FEWER_ROWS};
use super::plan::Plan;
use super::recording::Recording;
use super::report::{Section, Series, Unit};
use crate::cli::Failure;
use crate::telemetry::{BATCH_ROWS, DEFAULT_RING_CAPACITY, Stage};

/// Rows in the ring above which the producer waits; some room is left for it to be late.
const FULL_ENOUGH: usize = DEFAULT_RING_CAPACITY * 7 / 8;

/// Ids as the bot has them, and ids that an index takes as they come.
pub(super) fn measure(plan: &Plan<'_>) -> Result<Vec<Section>, Failure> {
    let kinds = [
        ("UUID-like", "uuid-like", uuid_like as fn(u64) -> String),
        ("sequential", "sequential", sequential),
    ];
    plan.progress.begin("telemetry_rows", kinds.len() as u32 * 2 * plan.arguments.pairs);
    kinds.into_iter().map(|(name, config, id)| with_ids(plan, name, config, id)).collect()
}

fn with_ids(
    plan: &Plan<'_>,
    ids_name: &str,
    ids_config: &str,
    id: fn(u64) -> String,
) -> Result<Section, Failure> {
    let (rows, pairs) = (plan.arguments.rows, plan.arguments.pairs);
    let ids: Vec<String> = (0..u64::from(rows)).map(id).collect();
    let (mut ours, mut naive) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        // Who is first changes: the second finds the disk as the first one left it.
        for first in [pair % 2 == 0, pair % 2 != 0] {
            if first {
                ours.push(rows_per_second(plan, &ids)?);
            } else {
                naive.push(naive_rows_per_second(plan, &ids)?);
            }
            plan.progress.step()?;
        }
    }
    let series = |name: &str, kind: &str, run| Series {
        name: name.to_owned(),
        config: format!("kind={kind} ids={ids_config} rows={rows}"),
        runs: vec![run],
    };
    let series = vec![series("wakeline", "wakeline", ours), series("naive inserts", "naive", naive)];
    let comparisons = Comparison::of_first(&series);
    Ok(Section {
        benchmark: "telemetry_rows",
        title: format!("rows a second with {ids_name} ids; each sample is a database of {rows} rows"),
        unit: Unit::RowsPerSecond,
        samples: pairs,
        warm_up: 0,
        series,
        comparisons,
        notes: vec![format!(
            "more is better; naive: one connection with SQLite's defaults, both tables row by row in the same batches of \
             {BATCH_ROWS}; the databases are in the temporary directory, so TMPDIR decides on which disk"
        )],
    })
}

/// 36 characters that fall anywhere in an index, as version-4 UUIDs do; the same in each run.
pub(super) fn uuid_like(index: u64) -> String {
    let mut state = index.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let text = format!("{:016x}{:016x}", next(), next());
    format!("{}-{}-4{}-a{}-{}", &text[..8], &text[8..12], &text[12..15], &text[15..18], &text[18..30])
}

fn sequential(index: u64) -> String {
    format!("{index:036}")
}

fn rows_per_second(plan: &Plan<'_>, ids: &[String]) -> Result<f64, Failure> {
    let (recording, mut recorder) = Recording::start(plan)?;
    let started = Instant::now();
    for id in ids {
        if recorder.backlog() > FULL_ENOUGH {
            recording.wait_for_room(FULL_ENOUGH);
            plan.progress.go_on()?;
        }
        recorder.push(id, Stage::WakeRecv, 1_750_000_000_000, 1_750_000_000_000, 0.002, false);
    }
    let counts = recording.finish();
    let (seconds, wanted) = (started.elapsed().as_secs_f64(), ids.len() as u64);
    if counts.rows_written != wanted {
        let (who, key, found) = ("telemetry", "rows_written", counts.rows_written.to_string());
        return Err(BenchError::Miscounted { who, key, found, wanted, advice: FEWER_ROWS }.into());
    }
    Ok(ids.len() as f64 / seconds)
}

/// The same rows by the book: automatic checkpoints, and a statement for each table and row.
fn naive_rows_per_second(plan: &Plan<'_>, ids: &[String]) -> Result<f64, Failure> {
    // Makes the tables.
    let (recording, _) = Recording::start(plan)?;
    recording.finish();
    Ok(ids.len() as f64 / insert_naively(plan, &recording.reader()?, ids)?)
}

/// Inserts the rows; returns how many seconds that took. The last checkpoint, when the database is closed, isn't counted
/// against it, while ours is against us.
fn insert_naively(
    plan: &Plan<'_>,
    database: &rusqlite::Connection,
    ids: &[String],
) -> Result<f64, BenchError> {
    const PARENT: &str = "INSERT OR IGNORE INTO correlations VALUES (?1, 1)";
    const CHILD: &str = "INSERT INTO latency_events \
        (correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json) \
        VALUES (?1, 'wake_recv', 1750000000000, 1750000000000, 0.002, '{\"dry_run\": false}')";
    database.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")?;
    let started = Instant::now();
    for batch in ids.chunks(BATCH_ROWS) {
        plan.progress.go_on()?;
        database.execute_batch("BEGIN IMMEDIATE")?;
        for id in batch {
            database.prepare_cached(PARENT)?.execute([id])?;
            database.prepare_cached(CHILD)?.execute([id])?;
        }
        database.execute_batch("COMMIT")?;
    }
    Ok(started.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_look_like_uuids_and_differ() {
        let (first, second) = (uuid_like(0), uuid_like(1));
        assert_eq!(first.len(), 36);
        assert_ne!(first[..8], second[..8]);
        assert!(first.split('-').map(str::len).eq([8, 4, 4, 4, 12]), "{first}");
    }
}

//! How long after its push a row is seen by another connection.

use std::time::{Duration, Instant};

use super::error::BenchError;
use super::plan::Plan;
use super::recording::{PATIENCE, Recording};
use super::report::{Section, Series, Unit};
use super::telemetry_rows::uuid_like;
use crate::cli::Failure;
use crate::telemetry::Stage;

/// Wakes seldom come alone.
const BURST_ROWS: usize = 40;
const BURST_EVERY: Duration = Duration::from_millis(20);
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// What is promised of a row.
const PROMISED_MS: f64 = 50.0;

pub(super) fn measure(plan: &Plan<'_>) -> Result<Section, Failure> {
    let all_ms = seen_after_ms(plan)?;
    let counted = all_ms[plan.arguments.warm_up as usize..].to_vec();
    let late = counted.iter().filter(|ms| **ms > PROMISED_MS).count();
    let config =
        format!("kind=wakeline ids=uuid-like burst={BURST_ROWS} every_ms={}", BURST_EVERY.as_millis());
    let series = Series { name: "wakeline".to_owned(), config, runs: vec![counted] };
    let title = format!(
        "a row's push until another connection sees it; {BURST_ROWS} rows each {} ms, a look each ms",
        BURST_EVERY.as_millis()
    );
    let note = format!("{late} rows took more than {PROMISED_MS} ms");
    Ok(plan.section("telemetry_latency", title, Unit::Ms, vec![series], vec![note]))
}

fn seen_after_ms(plan: &Plan<'_>) -> Result<Vec<f64>, Failure> {
    let rows = plan.turns() as usize;
    plan.progress.begin("telemetry_latency", plan.turns());
    let (recording, mut recorder) = Recording::start(plan)?;
    let reader = recording.reader()?;
    let query = "SELECT ifnull(max(id), 0) FROM latency_events";
    let mut last_id = reader.prepare(query).map_err(BenchError::Sqlite)?;
    let (mut pushed, mut seen_after_ms) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let begun = Instant::now();
    let mut dropped = 0;
    let mut seen_at = begun;
    while seen_after_ms.len() < rows {
        let bursts = begun.elapsed().as_nanos() / BURST_EVERY.as_nanos() + 1;
        let due = usize::try_from(bursts).map_or(rows, |bursts| bursts.saturating_mul(BURST_ROWS).min(rows));
        while pushed.len() < due {
            let id = uuid_like(pushed.len() as u64);
            let at = Instant::now();
            let kept =
                recorder.push(&id, Stage::WakeRecv, 1_750_000_000_000, 1_750_000_000_000, 0.002, false);
            dropped += u64::from(!kept);
            pushed.push(at);
        }
        recorder.nudge();
        let last = last_id.query_row([], |row| row.get::<_, i64>(0)).map_err(BenchError::Sqlite)?;
        let now = Instant::now();
        for at in &pushed[seen_after_ms.len()..last as usize] {
            seen_after_ms.push(now.duration_since(*at).as_secs_f64() * 1e3);
            seen_at = now;
            plan.progress.step()?;
        }
        if dropped > 0 || now.duration_since(seen_at) > PATIENCE {
            return Err(BenchError::NotSeen { dropped }.into());
        }
        plan.progress.go_on()?;
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(seen_after_ms)
}

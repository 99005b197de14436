//! What the telemetry writer costs when there is nothing to write.

use std::path::Path;
use std::time::{Duration, Instant};

use super::error::BenchError;
use super::plan::Plan;
use super::recording::Recording;
use super::report::{Section, Series, Unit};
use crate::cli::Failure;

/// One sample; the writer looks about itself once in a second.
const WINDOW: Duration = Duration::from_secs(2);

/// Until it has done what is to be done at the begin, and has gone to sleep.
const SETTLED: Duration = Duration::from_secs(2);

pub(super) fn measure(plan: &Plan<'_>) -> Result<Section, Failure> {
    let pairs = plan.arguments.pairs;
    plan.progress.begin("telemetry_idle", pairs);
    let (_recording, _recorder) = Recording::start(plan)?;
    sleep(plan, SETTLED)?;
    let mut samples = Vec::new();
    for _ in 0..pairs {
        let (before, begun) = (writer_cpu_ns()?, Instant::now());
        sleep(plan, WINDOW)?;
        let spent = writer_cpu_ns()?.saturating_sub(before);
        samples.push(spent as f64 / begun.elapsed().as_nanos() as f64 * 100.0);
        plan.progress.step()?;
    }
    let config = format!("kind=wakeline window_s={}", WINDOW.as_secs());
    Ok(Section {
        benchmark: "telemetry_idle",
        title: format!("CPU time of a writer without rows; each sample is {} s of it", WINDOW.as_secs()),
        unit: Unit::PercentOfCore,
        samples: pairs,
        warm_up: 0,
        series: vec![Series { name: "wakeline".to_owned(), config, runs: vec![samples] }],
        comparisons: Vec::new(),
        notes: vec![
            "every 10 s it replaces its heartbeat's row, which only some samples have in them".to_owned(),
        ],
    })
}

/// In short parts, so that a signal is heeded meanwhile.
fn sleep(plan: &Plan<'_>, time: Duration) -> Result<(), BenchError> {
    let until = Instant::now() + time;
    loop {
        plan.progress.go_on()?;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(Duration::from_millis(100)));
    }
}

/// Time that the writer's thread has been on a CPU, ns.
fn writer_cpu_ns() -> Result<u64, BenchError> {
    let tasks = std::fs::read_dir("/proc/self/task").map_err(|_| BenchError::NoThreadTimes)?;
    tasks.flatten().find_map(|task| cpu_ns_of_writer(&task.path())).ok_or(BenchError::NoThreadTimes)
}

fn cpu_ns_of_writer(task: &Path) -> Option<u64> {
    let name = std::fs::read_to_string(task.join("comm")).ok()?;
    let times = std::fs::read_to_string(task.join("schedstat")).ok()?;
    (name.trim() == "telemetry").then(|| times.split(' ').next()?.parse().ok())?
}

//! What the telemetry writer holds, how soon its rows are seen, and what it costs at rest:
//! `cargo bench --bench telemetry_writer`.
#![allow(clippy::unwrap_used, reason = "a benchmark that can't go on has nobody to tell but its reader")]

use std::time::{Duration, Instant};

use wakeline::measure::percentiles::{Summary, percentile};
use wakeline::telemetry::{BATCH_ROWS, Options, Stage, Telemetry};

const ROWS: usize = 100_000;
const PAIRS: usize = 5;

fn main() {
    for (name, id) in [("UUID-like ids", uuid_like as fn(usize) -> String), ("sequential ids", sequential)] {
        let ids: Vec<String> = (0..ROWS).map(id).collect();
        let mut ratios = Vec::new();
        for _ in 0..PAIRS {
            let (ours, naive) = (rows_per_second(&ids), naive_rows_per_second(&ids));
            println!("{name}: {ours:>8.0} rows/s, naive {naive:>8.0}, ratio {:.2}", ours / naive);
            ratios.push(ours / naive);
        }
        ratios.sort_by(f64::total_cmp);
        let median = percentile(&ratios, 0.5).unwrap();
        println!("{name}: median ratio {median:.2} (from {:.2} to {:.2})\n", ratios[0], ratios[PAIRS - 1]);
    }
    visibility();
    println!("idle writer: {:.4}% of a core", idle_cpu_percent());
}

/// 36 characters that fall anywhere in an index, as version-4 UUIDs do.
fn uuid_like(index: usize) -> String {
    let mut state = (index as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let (high, low) = (next(), next());
    let text = format!("{high:016x}{low:016x}");
    format!("{}-{}-4{}-a{}-{}", &text[..8], &text[8..12], &text[12..15], &text[15..18], &text[18..30])
}

fn sequential(index: usize) -> String {
    format!("{index:036}")
}

fn rows_per_second(ids: &[String]) -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let (telemetry, mut recorder) =
        Telemetry::start(&directory.path().join("t.db"), Options::default()).unwrap();
    let started = Instant::now();
    for id in ids {
        while recorder.backlog() > 7_000 {
            std::thread::sleep(Duration::from_millis(1));
        }
        recorder.push(id, Stage::WakeRecv, 1_750_000_000_000, 1_750_000_000_000, 0.002, false);
    }
    let counts = telemetry.finish(Instant::now() + Duration::from_secs(60));
    assert_eq!(counts.rows_written, ids.len() as u64);
    ids.len() as f64 / started.elapsed().as_secs_f64()
}

/// The same rows by the book: one connection with SQLite's defaults, the same batches, automatic checkpoints.
fn naive_rows_per_second(ids: &[String]) -> f64 {
    const PARENT: &str = "INSERT OR IGNORE INTO correlations VALUES (?1, 1)";
    const CHILD: &str = "INSERT INTO latency_events \
        (correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json) \
        VALUES (?1, 'wake_recv', 1, 1, 0.002, '{\"dry_run\": false}')";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.db");
    Telemetry::start(&path, Options::default()).unwrap().0.finish(Instant::now() + Duration::from_secs(4));
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON").unwrap();
    let started = Instant::now();
    for batch in ids.chunks(BATCH_ROWS) {
        db.execute_batch("BEGIN IMMEDIATE").unwrap();
        for id in batch {
            db.prepare_cached(PARENT).unwrap().execute([id]).unwrap();
            db.prepare_cached(CHILD).unwrap().execute([id]).unwrap();
        }
        db.execute_batch("COMMIT").unwrap();
    }
    ids.len() as f64 / started.elapsed().as_secs_f64()
}

/// Bursts of 40 rows each 20 ms for ten seconds; how long after its push another connection, looking each ms, sees a row.
fn visibility() {
    const BURSTS: usize = 500;
    const BURST: usize = 40;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.db");
    let (telemetry, mut recorder) = Telemetry::start(&path, Options::default()).unwrap();
    let reader = rusqlite::Connection::open(&path).unwrap();
    let mut last_id = reader.prepare("SELECT ifnull(max(id), 0) FROM latency_events").unwrap();
    let (mut pushed, mut seen_after_ms) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while seen_after_ms.len() < BURSTS * BURST {
        let due = (begun.elapsed().as_millis() / 20) as usize + 1;
        while pushed.len() < due.min(BURSTS) * BURST {
            recorder.push(&uuid_like(pushed.len()), Stage::WakeRecv, 1, 1, 0.002, false);
            pushed.push(Instant::now());
        }
        recorder.nudge();
        let last = last_id.query_row([], |row| row.get::<_, i64>(0)).unwrap() as usize;
        let fresh = pushed[seen_after_ms.len()..last].iter().map(|at| at.elapsed().as_secs_f64() * 1e3);
        seen_after_ms.extend(fresh);
        std::thread::sleep(Duration::from_millis(1));
    }
    telemetry.finish(Instant::now() + Duration::from_secs(4));
    let late = seen_after_ms.iter().filter(|ms| **ms > 50.0).count();
    let Summary { count, p50, p99, max, .. } = Summary::of(&mut seen_after_ms).unwrap();
    println!(
        "seen by another connection: {count} rows, ms p50 {p50:.1}, p99 {p99:.1}, max {max:.1}, {late} over 50 ms"
    );
}

fn idle_cpu_percent() -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let (telemetry, _recorder) =
        Telemetry::start(&directory.path().join("t.db"), Options::default()).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let before = writer_cpu_ns();
    std::thread::sleep(Duration::from_secs(10));
    let spent = writer_cpu_ns() - before;
    telemetry.finish(Instant::now() + Duration::from_secs(4));
    spent as f64 / 1e10 * 100.0
}

/// Time the writer's thread has been on a CPU, ns.
fn writer_cpu_ns() -> u64 {
    let of_task = |task: std::path::PathBuf| {
        let is_writer = std::fs::read_to_string(task.join("comm")).ok()?.trim() == "telemetry";
        let times = std::fs::read_to_string(task.join("schedstat")).ok()?;
        is_writer.then(|| times.split(' ').next()?.parse::<u64>().ok())?
    };
    std::fs::read_dir("/proc/self/task").unwrap().filter_map(|task| of_task(task.unwrap().path())).sum()
}

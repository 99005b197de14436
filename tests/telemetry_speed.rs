//! Figures, not promises: run with `cargo test --release --test telemetry_speed -- --ignored --nocapture --test-threads=1`.

// Helpers outside of `#[test]` functions may fail as loudly as the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::{Duration, Instant};

use wakeline::telemetry::{Options, Stage, Telemetry};

const ROWS: usize = 200_000;

/// 36 characters that fall anywhere in an index, as version-4 UUIDs do.
fn uuid_like(i: usize) -> String {
    let mut x = (i as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let (a, b) = (next(), next());
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        a >> 32,
        a & 0xffff,
        (a >> 16) & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

/// The same rows by the book: one connection with SQLite's defaults, batches of 500, automatic checkpoints.
fn naive_rows_per_second(name: &str, id: impl Fn(usize) -> String) {
    let directory = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..ROWS).map(id).collect();
    let path = directory.path().join("t.db");
    drop(Telemetry::start(&path, Options::default()).unwrap());
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON").unwrap();
    let started = Instant::now();
    for batch in ids.chunks(500) {
        db.execute_batch("BEGIN IMMEDIATE").unwrap();
        for id in batch {
            db.prepare_cached("INSERT OR IGNORE INTO correlations VALUES (?1, 1)")
                .unwrap()
                .execute([id])
                .unwrap();
            db.prepare_cached(
                "INSERT INTO latency_events (correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json)
                 VALUES (?1, 'wake_recv', 1, 1, 0.002, '{\"dry_run\": false}')",
            )
            .unwrap()
            .execute([id])
            .unwrap();
        }
        db.execute_batch("COMMIT").unwrap();
    }
    let took = started.elapsed().as_secs_f64();
    println!("{name}, naive: {:.0} rows/s", ROWS as f64 / took);
}

fn rows_per_second(name: &str, id: impl Fn(usize) -> String) {
    let directory = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..ROWS).map(id).collect();
    let telemetry = Telemetry::start(&directory.path().join("t.db"), Options::default()).unwrap();
    let recorder = telemetry.recorder();
    let started = Instant::now();
    for id in &ids {
        while recorder.backlog() > 7_000 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(recorder.push(id, Stage::WakeRecv, 1_750_000_000_000, 1_750_000_000_000, 0.002, false));
    }
    let counts = telemetry.finish(Instant::now() + Duration::from_secs(60));
    let took = started.elapsed().as_secs_f64();
    println!("{name}: {:.0} rows/s over {ROWS} rows; {counts}", ROWS as f64 / took);
}

#[test]
#[ignore = "a measurement"]
fn writer_rows_per_second() {
    for _ in 0..3 {
        rows_per_second("UUID-like ids", uuid_like);
        naive_rows_per_second("UUID-like ids", uuid_like);
        rows_per_second("sequential ids", |i| format!("{i:036}"));
        naive_rows_per_second("sequential ids", |i| format!("{i:036}"));
    }
}

/// Nanoseconds on a CPU of this process's threads of that name.
fn cpu_of_threads(name: &str) -> u64 {
    let of_task = |task: std::path::PathBuf| {
        let is_it = std::fs::read_to_string(task.join("comm")).ok()?.trim() == name;
        let schedstat = std::fs::read_to_string(task.join("schedstat")).ok()?;
        if is_it { schedstat.split(' ').next()?.parse::<u64>().ok() } else { None }
    };
    std::fs::read_dir("/proc/self/task").unwrap().filter_map(|task| of_task(task.unwrap().path())).sum()
}

#[test]
#[ignore = "a measurement"]
fn idle_cpu() {
    let directory = tempfile::tempdir().unwrap();
    let telemetry = Telemetry::start(&directory.path().join("t.db"), Options::default()).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let before = cpu_of_threads("telemetry");
    std::thread::sleep(Duration::from_secs(10));
    let nanos = cpu_of_threads("telemetry") - before;
    println!("idle: {:.2} ms of CPU in 10 s = {:.4}% of a core", nanos as f64 / 1e6, nanos as f64 / 1e8);
    telemetry.finish(Instant::now() + Duration::from_secs(4));
}

#[test]
#[ignore = "a measurement"]
fn push_cost() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { ring_capacity: 1 << 17, ..Options::default() };
    let telemetry = Telemetry::start(&directory.path().join("t.db"), options).unwrap();
    let recorder = telemetry.recorder();
    let id = uuid_like(1);
    let mut rounds: Vec<f64> = (0..20)
        .map(|_| {
            while recorder.backlog() > 0 {
                std::thread::sleep(Duration::from_millis(5));
            }
            let started = Instant::now();
            for i in 0..1_000_i64 {
                std::hint::black_box(recorder.push(&id, Stage::WakeRecv, i, i, 0.002, false));
            }
            started.elapsed().as_nanos() as f64 / 1_000.0
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!(
        "push: {:.1} ns median of 20 rounds of 1,000 (least {:.1}, most {:.1})",
        rounds[10], rounds[0], rounds[19]
    );
    telemetry.finish(Instant::now() + Duration::from_secs(60));
}

#[test]
#[ignore = "a measurement"]
fn wait_of_another_writer_during_a_sustained_backlog() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.db");
    let telemetry = Telemetry::start(&path, Options::default()).unwrap();
    let recorder = telemetry.recorder();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0.. {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                if recorder.backlog() > 8_000 {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                recorder.push(&uuid_like(i), Stage::WakeRecv, 1, 1, 0.002, false);
            }
        });
        std::thread::sleep(Duration::from_millis(500));
        let other = rusqlite::Connection::open(&path).unwrap();
        other.busy_timeout(Duration::from_secs(5)).unwrap();
        let mut waits = Vec::new();
        let mut failed = 0;
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(15) {
            let asked = Instant::now();
            match other.execute_batch("BEGIN IMMEDIATE; COMMIT") {
                Ok(()) => waits.push(asked.elapsed().as_secs_f64() * 1e3),
                Err(_) => failed += 1,
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        other.busy_timeout(Duration::ZERO).unwrap();
        let poll = |ask: bool, times: u64| -> Vec<f64> {
            (0..times)
                .map(|i| {
                    // Well apart, and off the writer's beat.
                    std::thread::sleep(Duration::from_millis(130 + 7 * (i % 5)));
                    let begun = Instant::now();
                    let _asked = ask.then(|| telemetry.turn().ask());
                    while other.execute_batch("BEGIN IMMEDIATE; COMMIT").is_err()
                        && begun.elapsed().as_secs() < 5
                    {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    begun.elapsed().as_secs_f64() * 1e3
                })
                .collect()
        };
        let mut asked = poll(true, 50);
        let mut unasked = poll(false, 10);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for (name, waits) in [
            ("another writer", &mut waits),
            ("one that asks", &mut asked),
            ("the same without asking", &mut unasked),
        ] {
            waits.sort_by(f64::total_cmp);
            let (median, most) = (waits.get(waits.len() / 2), waits.last());
            println!("{name}: {} in, wait ms median {median:?}, most {most:?}", waits.len());
        }
        println!("{failed} timed out");
    });
    println!("{}", telemetry.finish(Instant::now() + Duration::from_secs(10)));
}

//! What the telemetry tests share.
#![allow(dead_code, unreachable_pub)]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use wakeline::telemetry::{FinalCounts, Options, Recorder, Stage, Telemetry};

/// A directory of its own and the database in it.
pub struct Place {
    pub directory: tempfile::TempDir,
    pub db: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let db = directory.path().join("telemetry.db");
        Self { directory, db }
    }

    pub fn start(&self) -> (Telemetry, Recorder) {
        Telemetry::start(&self.db, Options::default()).unwrap()
    }

    pub fn connect(&self) -> Connection {
        connect(&self.db)
    }
}

/// A connection as another process has it.
pub fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection
}

pub fn push(recorder: &mut Recorder, ids: impl IntoIterator<Item = impl ToString>) {
    for id in ids {
        assert!(recorder.push(
            &id.to_string(),
            Stage::WakeRecv,
            1_750_000_000_000,
            1_750_000_000_001,
            0.5,
            false
        ));
    }
}

/// Ids of the rows in the order of the table.
pub fn ids(connection: &Connection) -> Vec<String> {
    let mut statement = connection.prepare("SELECT correlation_id FROM latency_events ORDER BY id").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

pub fn strings(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|i| i.to_string()).collect()
}

/// Waits generously for something that takes moments on a quiet machine.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn written(telemetry: &Telemetry, rows: u64) {
    eventually(&format!("{rows} rows written"), || telemetry.counters().snapshot().rows_written >= rows);
}

/// Ends the writer and checks the account.
pub fn finish(telemetry: &Telemetry) -> FinalCounts {
    let counts = telemetry.finish(Instant::now() + Duration::from_secs(20));
    settled(&counts);
    counts
}

pub fn settled(counts: &FinalCounts) {
    assert_eq!(counts.pushed, counts.rows_written + counts.dropped_write_failed, "{counts}");
    assert!(counts.rows_orphaned <= counts.rows_written, "{counts}");
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Permissions don't bind root. Returns whether the caller is to run the test itself; as root it was run in a copy of
/// this binary under uid 65534 instead.
pub fn bound_by_permissions(test: &str) -> bool {
    if !is_root() {
        return true;
    }
    let directory = tempfile::tempdir().unwrap();
    let open = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    open(directory.path());
    let binary = directory.path().join("test");
    std::fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
    open(&binary);
    let output = Command::new(&binary)
        .args([test, "--exact", "--nocapture"])
        .env("TMPDIR", directory.path())
        .current_dir("/")
        .uid(65534)
        .gid(65534)
        .output();
    match output {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && text.contains("1 passed"),
                "as uid 65534: {text}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Err(error) => eprintln!("SKIPPED: {test}: cannot run as uid 65534: {error}"),
    }
    false
}

/// Sets the mode of a path.
pub fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

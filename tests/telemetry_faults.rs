//! What the database and its surroundings can do to the writer: no row is lost without being counted, nothing hangs.

// Helpers outside of `#[test]` functions may fail as loudly as the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod telemetry_support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use telemetry_support::{
    Place, bound_by_permissions, chmod, connect, eventually, finish, ids, is_root, push, settled, strings,
    written,
};
use wakeline::telemetry::{Options, Stage, Telemetry};

#[test]
fn a_locked_database_costs_no_row() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    push(&mut recorder, 0..2_000);
    std::thread::sleep(Duration::from_millis(1_500));
    let counts = telemetry.counters().snapshot();
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (0, 0));
    assert!(counts.busy_retries > 0);
    other.execute_batch("COMMIT").unwrap();
    written(&telemetry, 2_000);
    assert_eq!(finish(&telemetry).dropped_write_failed, 0);
    assert_eq!(ids(&place.connect()), strings(0..2_000));
}

#[test]
fn a_database_locked_for_good_does_not_hold_up_the_exit() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    push(&mut recorder, 0..10);
    written(&telemetry, 10);
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    push(&mut recorder, 10..1_210);
    let asked = Instant::now();
    let counts = telemetry.finish(asked + Duration::from_millis(500));
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    settled(&counts);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (10, 1_200), "{counts}");
    eventually("the writer's end", || telemetry.is_finished());
    assert_eq!(telemetry.counters().snapshot().dropped_write_failed, 1_200, "the live counter agrees");
}

#[test]
fn a_lock_that_ends_before_the_deadline_costs_no_row() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    push(&mut recorder, 0..1_200);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            other.execute_batch("ROLLBACK").unwrap();
        });
        assert_eq!(finish(&telemetry).dropped_write_failed, 0);
    });
    assert_eq!(ids(&place.connect()), strings(0..1_200));
}

#[test]
fn a_writer_stuck_inside_sqlite_does_not_hold_up_the_exit() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    place
        .connect()
        .execute_batch(
            "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000000)
                 SELECT max(i) AS i FROM n;
             CREATE TRIGGER stuck BEFORE INSERT ON latency_events BEGIN SELECT i FROM endless; END",
        )
        .unwrap();
    push(&mut recorder, 0..5);
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    let counts = telemetry.finish(asked + Duration::from_millis(300));
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert!(!telemetry.is_finished(), "the trigger takes seconds");
    settled(&counts);
    assert_eq!((counts.pushed, counts.rows_written, counts.dropped_write_failed), (5, 0, 5));
}

#[test]
fn an_earlier_deadline_overrules() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    push(&mut recorder, 0..5);
    telemetry.begin_shutdown(Instant::now() + Duration::from_secs(3_600));
    assert!(!telemetry.is_finished());
    telemetry.begin_shutdown(Instant::now());
    eventually("the writer's end", || telemetry.is_finished());
    assert_eq!(finish(&telemetry).dropped_write_failed, 5);
}

#[test]
fn a_row_the_table_refuses_is_dropped_alone() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    place
        .connect()
        .execute_batch(
            "CREATE TRIGGER no BEFORE INSERT ON latency_events WHEN NEW.correlation_id IN ('3', '600')
             BEGIN SELECT RAISE(ABORT, 'not this one'); END",
        )
        .unwrap();
    push(&mut recorder, 0..1_000);
    assert!(
        recorder.push("nan", Stage::WakeRecv, 0, 0, f64::NAN, false),
        "NOT NULL refuses it, not the ring"
    );
    push(&mut recorder, 1_000..1_010);
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (1_008, 3), "{counts}");
    let expected: Vec<String> = strings(0..1_010).into_iter().filter(|id| id != "3" && id != "600").collect();
    assert_eq!(ids(&place.connect()), expected);
}

#[test]
fn a_dropped_table_is_made_again() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    push(&mut recorder, 0..3);
    written(&telemetry, 3);
    place.connect().execute_batch("DROP TABLE latency_events").unwrap();
    push(&mut recorder, 3..6);
    assert_eq!(finish(&telemetry).dropped_write_failed, 0);
    assert_eq!(ids(&place.connect()), strings(3..6));
}

fn remove(db: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut path = db.as_os_str().to_owned();
        path.push(suffix);
        let _ = std::fs::remove_file(path);
    }
}

#[test]
fn a_deleted_file_is_made_again_and_its_rows_counted_as_orphans() {
    for leave_the_wal in [false, true] {
        let place = Place::new();
        let (telemetry, mut recorder) = place.start();
        push(&mut recorder, 0..4);
        written(&telemetry, 4);
        if leave_the_wal {
            std::fs::remove_file(&place.db).unwrap();
        } else {
            remove(&place.db);
        }
        // Goes into the orphan, unless the writer has looked in between.
        push(&mut recorder, 4..6);
        eventually("the file", || place.db.exists() && telemetry.counters().snapshot().reopened > 0);
        push(&mut recorder, 6..10);
        let counts = finish(&telemetry);
        assert_eq!((counts.rows_written, counts.dropped_write_failed), (10, 0), "{counts}");
        let rows = ids(&place.connect());
        assert!(rows.ends_with(&strings(6..10)), "{rows:?}");
        let kept = rows.len() as u64;
        assert!((4..=6).contains(&kept));
        assert!(counts.rows_orphaned >= 6 - kept, "{counts}");
        assert!(counts.rows_orphaned + kept <= 10, "{counts}");
    }
}

#[test]
fn a_file_deleted_just_before_the_exit_still_gets_what_waits() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    push(&mut recorder, 0..4);
    written(&telemetry, 4);
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    push(&mut recorder, 4..8);
    remove(&place.db);
    let counts = finish(&telemetry);
    drop(other);
    assert_eq!(counts.rows_written, 8, "{counts}");
    assert_eq!(ids(&place.connect()), strings(4..8));
}

/// A sound database of another process.
struct Theirs {
    place: Place,
    ids: Vec<String>,
}

impl Theirs {
    fn new() -> Self {
        let (place, ids) = (Place::new(), strings(0..2_000));
        let (telemetry, mut recorder) = place.start();
        push(&mut recorder, &ids);
        finish(&telemetry);
        Self { place, ids }
    }

    /// Puts it at a path; the old file's WAL stays beside it or goes.
    fn replace(&self, ours: &Place, wal_stays: bool) {
        let new = ours.directory.path().join("new.db");
        std::fs::copy(&self.place.db, &new).unwrap();
        if !wal_stays {
            remove(&ours.db);
        }
        std::fs::rename(new, &ours.db).unwrap();
    }
}

#[test]
fn a_file_replaced_by_a_current_one_is_taken_up() {
    for wal_stays in [false, true] {
        let (theirs, place) = (Theirs::new(), Place::new());
        let (telemetry, mut recorder) = place.start();
        push(&mut recorder, (0..300).map(|i| format!("old-{i}")));
        written(&telemetry, 300);
        theirs.replace(&place, wal_stays);
        eventually("the new file", || telemetry.counters().snapshot().reopened > 0);
        push(&mut recorder, ["new-1", "new-2"]);
        let counts = finish(&telemetry);
        // None, should the once-a-second look have come between the last row and the replacement.
        assert!([0, 300].contains(&counts.rows_orphaned), "{counts}");
        assert_eq!(counts.rows_written, 302, "{counts}");
        let mut expected = theirs.ids.clone();
        expected.extend(["new-1".to_owned(), "new-2".to_owned()]);
        assert_eq!(ids(&place.connect()), expected, "WAL stays: {wal_stays}");
        assert_sound(&place);
    }
}

#[test]
fn a_file_replaced_just_before_the_end_keeps_its_rows() {
    for wal_stays in [false, true] {
        let (theirs, place) = (Theirs::new(), Place::new());
        let (telemetry, mut recorder) = place.start();
        push(&mut recorder, (0..300).map(|i| format!("old-{i}")));
        written(&telemetry, 300);
        theirs.replace(&place, wal_stays);
        finish(&telemetry);
        assert_eq!(ids(&place.connect()), theirs.ids, "WAL stays: {wal_stays}");
        assert_sound(&place);
    }
}

#[test]
fn a_file_replaced_in_the_middle_of_a_burst_keeps_its_rows() {
    let (theirs, place) = (Theirs::new(), Place::new());
    // So small a limit that the WAL is being moved all the time.
    let options = Options { wal_limit_bytes: 1 << 20, ..Options::default() };
    let (telemetry, mut recorder) = Telemetry::start(&place.db, options).unwrap();
    let begun = Instant::now();
    let mut replaced = false;
    let mut pushed = 0_u64;
    // Goes on until well after the look that finds the other file.
    while begun.elapsed() < Duration::from_millis(2_500) {
        if recorder.backlog() < 4_000 {
            push(&mut recorder, [format!("ours-{:016x}", pushed.wrapping_mul(0x9e37_79b9_7f4a_7c15))]);
            pushed += 1;
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
        if !replaced && begun.elapsed() > Duration::from_millis(400) {
            theirs.replace(&place, true);
            replaced = true;
        }
    }
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (pushed, 0), "{counts}");
    assert!(counts.reopened > 0, "{counts}");
    assert_sound(&place);
    let found = ids(&place.connect());
    assert_eq!(found[..theirs.ids.len()], theirs.ids);
    assert!(found[theirs.ids.len()..].iter().all(|id| id.starts_with("ours-")));
}

fn assert_sound(place: &Place) {
    let check: String = place.connect().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn a_file_replaced_by_an_old_one_is_left_alone_and_the_rows_are_counted() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    push(&mut recorder, 0..4);
    written(&telemetry, 4);
    remove(&place.db);
    let new = place.directory.path().join("new.db");
    connect(&new).execute_batch("CREATE TABLE latency_events (id INTEGER); PRAGMA user_version = 3").unwrap();
    std::fs::rename(&new, &place.db).unwrap();
    let before = std::fs::read(&place.db).unwrap();
    std::thread::sleep(Duration::from_millis(1_300));
    push(&mut recorder, 4..9);
    let counts = telemetry.finish(Instant::now() + Duration::from_millis(700));
    settled(&counts);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (4, 5), "{counts}");
    assert_eq!(std::fs::read(&place.db).unwrap(), before);
}

#[test]
fn a_file_made_read_only_under_way_goes_on() {
    if !bound_by_permissions("a_file_made_read_only_under_way_goes_on") {
        return;
    }
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    push(&mut recorder, 0..4);
    written(&telemetry, 4);
    chmod(&place.db, 0o444);
    push(&mut recorder, 4..8);
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (8, 0), "{counts}");
    chmod(&place.db, 0o644);
    assert_eq!(ids(&place.connect()), strings(0..8));
}

#[test]
fn a_directory_made_read_only_holds_the_rows_until_it_is_writable() {
    if !bound_by_permissions("a_directory_made_read_only_holds_the_rows_until_it_is_writable") {
        return;
    }
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    push(&mut recorder, 0..4);
    written(&telemetry, 4);
    remove(&place.db);
    chmod(place.directory.path(), 0o555);
    std::thread::sleep(Duration::from_millis(1_300));
    push(&mut recorder, 4..8);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(telemetry.counters().snapshot().rows_written, 4);
    chmod(place.directory.path(), 0o755);
    written(&telemetry, 8);
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (8, 0), "{counts}");
    assert_eq!(ids(&place.connect()), strings(4..8));
}

/// A small file system of its own, unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mounted = is_root()
            && Command::new("mount")
                .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
                .arg(directory.path())
                .status()
                .is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("SKIPPED: a tmpfs cannot be mounted here");
            return None;
        }
        Some(Self(directory))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_holds_the_rows_until_there_is_room() {
    let Some(disk) = SmallDisk::mount("8m") else { return };
    let db = disk.0.path().join("t.db");
    let (telemetry, mut recorder) = Telemetry::start(&db, Options::default()).unwrap();
    push(&mut recorder, 0..100);
    written(&telemetry, 100);
    let ballast = disk.0.path().join("ballast");
    let mut filled = 0;
    // Blocks of a page until nothing fits.
    let mut file = std::fs::File::create(&ballast).unwrap();
    while std::io::Write::write(&mut file, &[1; 4096]).is_ok_and(|n| n > 0) {
        filled += 1;
    }
    assert!(filled > 100);
    push(&mut recorder, 100..5_000);
    std::thread::sleep(Duration::from_millis(1_500));
    let counts = telemetry.counters().snapshot();
    assert!(counts.rows_written < 5_000, "the disk wasn't full: {counts}");
    assert_eq!(counts.dropped_write_failed, 0);
    drop(file);
    std::fs::remove_file(&ballast).unwrap();
    written(&telemetry, 5_000);
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (5_000, 0), "{counts}");
    assert_eq!(ids(&connect(&db)), strings(0..5_000));
    let check: String = connect(&db).query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn a_disk_that_stays_full_does_not_hold_up_the_exit() {
    let Some(disk) = SmallDisk::mount("1m") else { return };
    let db = disk.0.path().join("t.db");
    let (telemetry, mut recorder) = Telemetry::start(&db, Options::default()).unwrap();
    push(&mut recorder, 0..8_000);
    let asked = Instant::now();
    let counts = telemetry.finish(asked + Duration::from_millis(1_500));
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    settled(&counts);
    assert!(counts.dropped_write_failed > 0, "{counts}");
    eventually("the writer's end", || telemetry.is_finished());
    let rows = ids(&connect(&db));
    assert_eq!(rows, strings(0..counts.rows_written as usize), "exactly the rows counted as written");
}

#[test]
fn a_reader_that_pins_the_wal_is_counted_and_survived() {
    let place = Place::new();
    let limit = 1 << 20;
    let options = Options { wal_limit_bytes: limit, heartbeat: None, ..Options::default() };
    let (telemetry, mut recorder) = Telemetry::start(&place.db, options).unwrap();
    push(&mut recorder, 0..10);
    written(&telemetry, 10);
    let reader = place.connect();
    reader.execute_batch("BEGIN; SELECT COUNT(*) FROM latency_events").unwrap();
    for round in 0..16 {
        push(&mut recorder, 10 + round * 500..10 + (round + 1) * 500);
        written(&telemetry, 10 + (round as u64 + 1) * 500);
    }
    let counts = telemetry.counters().snapshot();
    assert!(counts.wal_pinned > 0, "{counts}");
    eventually("the size is reported", || telemetry.counters().snapshot().wal_bytes > limit);
    let seen: i64 = reader.query_row("SELECT COUNT(*) FROM latency_events", [], |row| row.get(0)).unwrap();
    assert_eq!(seen, 10, "the reader keeps its snapshot");
    reader.execute_batch("COMMIT").unwrap();
    eventually("a WAL under its limit", || telemetry.counters().snapshot().wal_bytes <= limit);
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.dropped_write_failed), (8_010, 0), "{counts}");
}

#[test]
fn the_wal_stays_under_its_limit_in_a_long_burst() {
    let place = Place::new();
    let limit = 8 << 20;
    let options = Options { wal_limit_bytes: limit, ..Options::default() };
    let (telemetry, mut recorder) = Telemetry::start(&place.db, options).unwrap();
    let mut most = 0;
    for i in 0..40_000_u64 {
        while recorder.backlog() > 8_000 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Spread over the index, as random ids are.
        push(&mut recorder, [i.wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
        most = most.max(telemetry.counters().snapshot().wal_bytes);
    }
    let counts = finish(&telemetry);
    assert_eq!((counts.rows_written, counts.wal_pinned), (40_000, 0), "{counts}");
    assert!(counts.checkpoints > 2, "{counts}");
    assert!(most <= limit + (limit / 2), "{most}");
}

#[test]
fn a_wal_at_rest_is_moved_into_the_file() {
    let place = Place::new();
    let options = Options { heartbeat: None, ..Options::default() };
    let (telemetry, mut recorder) = Telemetry::start(&place.db, options).unwrap();
    push(&mut recorder, 0..200);
    written(&telemetry, 200);
    eventually("a checkpoint", || {
        let db = place.connect();
        let (frames, moved): (i64, i64) =
            db.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| Ok((row.get(1)?, row.get(2)?))).unwrap();
        frames > 0 && frames == moved
    });
    finish(&telemetry);
}

/// Pushes a row a millisecond and says so, until it is killed.
fn push_until_killed(db: &Path) -> ! {
    use std::io::Write;

    let (_telemetry, mut recorder) = Telemetry::start(db, Options::default()).unwrap();
    let mut out = std::io::stdout().lock();
    for i in recorder.counters().snapshot().pushed.. {
        push(&mut recorder, [i]);
        writeln!(out, "pushed {i}").unwrap();
        out.flush().unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    unreachable!("killed before")
}

#[test]
fn a_killed_process_leaves_a_sound_file_with_all_but_the_last_rows() {
    use std::io::{BufRead, BufReader};

    if let Some(db) = std::env::var_os("WAKELINE_TEST_KILLED_DB") {
        push_until_killed(Path::new(&db));
    }
    let place = Place::new();
    let mut expected = 0;
    for round in 0..5_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "a_killed_process_leaves_a_sound_file_with_all_but_the_last_rows",
                "--exact",
                "--nocapture",
            ])
            .env("WAKELINE_TEST_KILLED_DB", &place.db)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = Vec::new();
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(700 + 37 * round) {
            let line = lines.next().unwrap().unwrap();
            // The test harness puts its own words before the first line.
            if let Some(at) = line.find("pushed ") {
                said.push((Instant::now(), line[at + 7..].parse::<i64>().unwrap()));
            }
        }
        let killed = Instant::now();
        child.kill().unwrap();
        child.wait().unwrap();
        let db = place.connect();
        let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        let rows =
            db.query_row("SELECT COUNT(*) FROM latency_events", [], |row| row.get::<_, i64>(0)).unwrap()
                - expected;
        // Promised are all rows older than 100 ms; a loaded machine gets half a second.
        let old =
            said.iter().filter(|(at, _)| killed - *at > Duration::from_millis(500)).map(|(_, i)| i + 1).max();
        assert!(rows >= old.unwrap_or(0), "{rows} rows, {old:?} expected");
        let own: Vec<String> = ids(&db).split_off(expected as usize);
        assert_eq!(own, strings(0..rows as usize), "no gap, nothing twice");
        expected += rows;
    }
}

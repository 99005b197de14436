//! Which files are opened, which refused, and what is created in them.

// Helpers outside of `#[test]` functions may fail as loudly as the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod telemetry_support;

use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use rusqlite::Connection;
use telemetry_support::{Place, bound_by_permissions, chmod, connect};
use wakeline::telemetry::{OPEN_PATIENCE, Options, Store, Telemetry, TelemetryError, sqlite_version_ok};

fn open(path: &Path) -> Result<Store, TelemetryError> {
    Store::open(path, 64 << 20, OPEN_PATIENCE)
}

fn refusal(path: &Path) -> String {
    let text = open(path).expect_err("refused").to_string();
    assert!(!text.contains('\n'), "one line: {text}");
    text
}

fn refusal_naming(path: &Path) -> String {
    let text = refusal(path);
    assert!(text.contains(&path.display().to_string()), "names the path: {text}");
    text
}

fn version(connection: &Connection) -> i64 {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// `name type notnull default pk` of each column.
fn columns(connection: &Connection, table: &str) -> Vec<String> {
    let mut statement = connection
        .prepare("SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || ifnull(dflt_value, '-') || ' ' || pk FROM pragma_table_info(?1) ORDER BY cid")
        .unwrap();
    statement.query_map([table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// `name(column)` of each index that was created by name.
fn indices(connection: &Connection, table: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(
            "SELECT l.name || '(' || (SELECT group_concat(name) FROM pragma_index_info(l.name)) || ')'
             FROM pragma_index_list(?1) AS l WHERE l.origin = 'c' ORDER BY 1",
        )
        .unwrap();
    statement.query_map([table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_linked_sqlite_keeps_committed_pages() {
    assert!(sqlite_version_ok(), "SQLite {} < 3.51.3", rusqlite::version());
}

#[test]
fn a_fresh_file_is_the_contract() {
    let place = Place::new();
    drop(open(&place.db).unwrap());
    let db = place.connect();
    assert_eq!(version(&db), 6);
    assert_eq!(columns(&db, "correlations"), ["correlation_id TEXT 0 - 1", "created_at_ms INTEGER 1 - 0"]);
    let now = "CAST(strftime('%s','now') AS INTEGER) * 1000";
    assert_eq!(
        columns(&db, "latency_events"),
        [
            "id INTEGER 0 - 1",
            "correlation_id TEXT 1 - 0",
            "stage TEXT 1 - 0",
            "started_at_ms INTEGER 1 - 0",
            "ended_at_ms INTEGER 1 - 0",
            "duration_ms REAL 1 - 0",
            "metadata_json TEXT 0 - 0",
            &format!("created_at_ms INTEGER 1 {now} 0"),
        ]
    );
    assert_eq!(
        indices(&db, "latency_events"),
        [
            "idx_latency_events_correlation_id(correlation_id)",
            "idx_latency_events_stage(stage)",
            "idx_latency_events_started_at(started_at_ms)",
        ]
    );
    assert_eq!(
        columns(&db, "orders_fired"),
        [
            "id INTEGER 0 - 1",
            "correlation_id TEXT 1 - 0",
            "client_order_id TEXT 1 - 0",
            "kalshi_order_id TEXT 0 - 0",
            "ticker TEXT 1 - 0",
            "correlation_group TEXT 0 - 0",
            "outcome_side TEXT 1 - 0",
            "count TEXT 1 - 0",
            "price_dollars TEXT 1 - 0",
            "time_in_force TEXT 1 - 0",
            "self_trade_prevention_type TEXT 1 - 0",
            "post_only INTEGER 0 - 0",
            "status TEXT 1 - 0",
            "error_message TEXT 0 - 0",
            "fill_count TEXT 0 - 0",
            "remaining_count TEXT 0 - 0",
            "average_fill_price TEXT 0 - 0",
            "average_fee_paid TEXT 0 - 0",
            "requested_at_ms INTEGER 1 - 0",
            "submitted_at_ms INTEGER 0 - 0",
            "acknowledged_at_ms INTEGER 0 - 0",
            &format!("created_at_ms INTEGER 1 {now} 0"),
        ]
    );
    assert_eq!(
        indices(&db, "orders_fired"),
        [
            "idx_orders_fired_correlation_id(correlation_id)",
            "idx_orders_fired_requested_at(requested_at_ms)",
            "idx_orders_fired_status(status)",
            "idx_orders_fired_ticker(ticker)",
        ]
    );
    assert_eq!(
        columns(&db, "heartbeats"),
        [
            "process TEXT 0 - 1",
            "pid INTEGER 1 - 0",
            "started_at_ms INTEGER 1 - 0",
            "beat_at_ms INTEGER 1 - 0",
            "queue_depth INTEGER 1 - 0",
            "dropped_rows INTEGER 1 - 0",
        ]
    );
    for table in ["latency_events", "orders_fired"] {
        let parent: String = db
            .query_row(
                "SELECT \"from\" || '>' || \"table\" || '.' || \"to\" FROM pragma_foreign_key_list(?1)",
                [table],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(parent, "correlation_id>correlations.correlation_id");
        let sql: String =
            db.query_row("SELECT sql FROM sqlite_schema WHERE name = ?1", [table], |row| row.get(0)).unwrap();
        assert!(sql.contains("id INTEGER PRIMARY KEY AUTOINCREMENT"), "{sql}");
    }
}

#[test]
fn orders_fired_refuses_what_the_contract_refuses() {
    let place = Place::new();
    let store = open(&place.db).unwrap();
    let db = store.connection();
    db.execute("INSERT INTO correlations VALUES ('c', 1)", []).unwrap();
    let good = [
        ("correlation_id", "'c'"),
        ("client_order_id", "'o'"),
        ("ticker", "'T'"),
        ("outcome_side", "'yes'"),
        ("count", "'5.00'"),
        ("price_dollars", "'0.5600'"),
        ("time_in_force", "'fill_or_kill'"),
        ("self_trade_prevention_type", "'maker'"),
        ("post_only", "NULL"),
        ("status", "'pending'"),
        ("requested_at_ms", "1"),
    ];
    let insert = |changed: &str, value: &str| {
        let names: Vec<&str> = good.iter().map(|(name, _)| *name).collect();
        let values: Vec<&str> =
            good.iter().map(|(name, v)| if *name == changed { value } else { v }).collect();
        let sql = format!("INSERT INTO orders_fired ({}) VALUES ({})", names.join(","), values.join(","));
        db.execute(&sql, []).map(|_| db.execute("DELETE FROM orders_fired", []).unwrap())
    };
    for (name, value) in [
        ("", ""),
        ("outcome_side", "'no'"),
        ("time_in_force", "'good_till_canceled'"),
        ("time_in_force", "'immediate_or_cancel'"),
        ("self_trade_prevention_type", "'taker_at_cross'"),
        ("post_only", "0"),
        ("post_only", "1"),
        ("status", "'submitted'"),
        ("status", "'accepted'"),
        ("status", "'rejected'"),
        ("status", "'filled'"),
        ("status", "'canceled'"),
        ("status", "'error'"),
    ] {
        insert(name, value).unwrap_or_else(|error| panic!("{name} = {value}: {error}"));
    }
    for (name, value) in [
        ("correlation_id", "'nobody'"),
        ("client_order_id", "NULL"),
        ("outcome_side", "'maybe'"),
        ("count", "'0.00'"),
        ("count", "'-1'"),
        ("price_dollars", "'0.0000'"),
        ("price_dollars", "'1.0000'"),
        ("time_in_force", "'day'"),
        ("self_trade_prevention_type", "'none'"),
        ("post_only", "2"),
        ("status", "'lost'"),
        ("requested_at_ms", "NULL"),
    ] {
        assert!(insert(name, value).is_err(), "{name} = {value} was taken");
    }
}

#[test]
fn the_connection_is_set_up_as_stated() {
    let place = Place::new();
    let store = open(&place.db).unwrap();
    let pragma = |name: &str| -> i64 {
        store.connection().query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap()
    };
    let mode: String = store.connection().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    assert_eq!(pragma("foreign_keys"), 1);
    assert_eq!(pragma("synchronous"), 1);
    assert_eq!(pragma("wal_autocheckpoint"), 0);
    assert_eq!(pragma("journal_size_limit"), 64 << 20);
    // SQLite answers nothing at all when memory mapping is compiled out.
    let mapped: Option<i64> = store.connection().query_row("PRAGMA mmap_size", [], |row| row.get(0)).ok();
    assert_eq!(mapped.unwrap_or(0), 0);
}

#[test]
fn an_old_file_is_refused_and_left_alone() {
    for version in [0, 1, 5] {
        let place = Place::new();
        let db = place.connect();
        db.execute_batch(&format!(
            "CREATE TABLE latency_events (id INTEGER); PRAGMA user_version = {version}"
        ))
        .unwrap();
        drop(db);
        let before = std::fs::read(&place.db).unwrap();
        let text = refusal_naming(&place.db);
        assert!(text.contains("open it once with the Python side first"), "{text}");
        assert_eq!(std::fs::read(&place.db).unwrap(), before);
        assert_eq!(
            std::fs::read_dir(place.directory.path()).unwrap().count(),
            1,
            "nothing was put beside it"
        );
    }
}

#[test]
fn tables_stamped_a_moment_later_are_waited_for() {
    let place = Place::new();
    let python = place.connect();
    python.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE correlations (correlation_id TEXT PRIMARY KEY, created_at_ms INTEGER NOT NULL)").unwrap();
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| open(&place.db).map(drop));
        std::thread::sleep(Duration::from_millis(200));
        python.execute_batch("PRAGMA user_version = 6").unwrap();
        opening.join().unwrap().unwrap();
    });
}

#[test]
fn a_current_file_gets_only_what_is_missing() {
    let place = Place::new();
    let db = place.connect();
    let theirs =
        "CREATE TABLE correlations(correlation_id TEXT PRIMARY KEY,created_at_ms INTEGER NOT NULL,note TEXT)";
    db.execute_batch(&format!("{theirs}; INSERT INTO correlations VALUES ('kept', 1, 'x'); CREATE TABLE fills (id INTEGER); PRAGMA user_version = 6")).unwrap();
    drop(db);
    drop(open(&place.db).unwrap());
    let db = place.connect();
    assert_eq!(version(&db), 6);
    let sql: String = db
        .query_row("SELECT sql FROM sqlite_schema WHERE name = 'correlations'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sql, theirs);
    assert_eq!(db.query_row("SELECT COUNT(*) FROM correlations", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert_eq!(indices(&db, "latency_events").len(), 3);
    assert_eq!(indices(&db, "orders_fired").len(), 4);
}

/// A file as a later Python would have made it, changed by `sql`.
fn newer(place: &Place, sql: &str) {
    drop(open(&place.db).unwrap());
    place.connect().execute_batch(&format!("{sql}; PRAGMA user_version = 9")).unwrap();
}

#[test]
fn a_newer_file_is_opened_when_our_columns_are_there() {
    let place = Place::new();
    newer(
        &place,
        "ALTER TABLE latency_events ADD COLUMN host TEXT; ALTER TABLE latency_events ADD COLUMN n INTEGER NOT NULL DEFAULT 0",
    );
    drop(open(&place.db).unwrap());
    assert_eq!(version(&place.connect()), 9);
}

#[test]
fn a_file_that_does_not_fit_is_refused_with_the_reason() {
    for (sql, reason) in [
        ("ALTER TABLE latency_events RENAME COLUMN stage TO phase", "table latency_events: column stage is missing"),
        ("ALTER TABLE heartbeats DROP COLUMN pid", "table heartbeats: column pid is missing"),
        (
            "DROP TABLE latency_events; CREATE TABLE latency_events (id INTEGER PRIMARY KEY, correlation_id TEXT, stage TEXT,
             started_at_ms INTEGER, ended_at_ms INTEGER, duration_ms REAL, metadata_json TEXT, created_at_ms INTEGER DEFAULT 0, host TEXT NOT NULL)",
            "column host demands a value",
        ),
    ] {
        let place = Place::new();
        newer(&place, sql);
        let text = refusal_naming(&place.db);
        assert!(text.contains(reason) && text.contains("version 9"), "{text}");
        assert_eq!(version(&place.connect()), 9);
    }
}

#[test]
fn what_is_not_a_database_is_refused_and_left_alone() {
    for bytes in [&b"not a database, but some text that is longer than the header of one: 0123456789 0123456789 0123456789"[..], b"x"] {
        let place = Place::new();
        std::fs::write(&place.db, bytes).unwrap();
        let text = refusal_naming(&place.db);
        assert!(text.contains("not a readable SQLite database"), "{text}");
        assert_eq!(std::fs::read(&place.db).unwrap(), bytes);
    }
}

#[test]
fn what_is_not_a_file_is_refused() {
    let place = Place::new();
    std::fs::create_dir(&place.db).unwrap();
    assert!(refusal_naming(&place.db).contains("a directory is there"));
    assert!(refusal(Path::new("/dev/null")).contains("a device is there"));
    let socket = place.directory.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(refusal_naming(&socket).contains("a socket is there"));
    assert!(refusal(Path::new("")).contains("path is empty"));
}

#[test]
fn a_missing_parent_is_created() {
    let place = Place::new();
    let deep = place.directory.path().join("a/b/c.db");
    drop(open(&deep).unwrap());
    assert!(deep.is_file());
    let below_a_file = deep.join("d.db");
    assert!(refusal_naming(&below_a_file).contains("its directory cannot be created"));
}

#[test]
fn a_relative_path_is_made_absolute() {
    let place = Place::new();
    let up = std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect::<PathBuf>();
    let store = open(&up.join(place.db.strip_prefix("/").unwrap())).unwrap();
    assert!(store.path().is_absolute());
    assert!(place.db.is_file());
}

#[test]
fn a_symlink_is_followed() {
    let place = Place::new();
    let link = place.directory.path().join("link.db");
    std::os::unix::fs::symlink(&place.db, &link).unwrap();
    drop(open(&link).unwrap());
    assert_eq!(version(&place.connect()), 6);
}

#[test]
fn four_openers_of_a_fresh_file_all_get_in() {
    for round in 0..60 {
        let place = Place::new();
        let barrier = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    if let Err(error) = open(&place.db) {
                        panic!("round {round}: {error}");
                    }
                });
            }
        });
        assert_eq!(version(&place.connect()), 6);
    }
}

#[test]
fn a_file_locked_for_good_is_reported() {
    let place = Place::new();
    let other = place.connect();
    other.execute_batch("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE").unwrap();
    let error = Store::open(&place.db, 1 << 26, Duration::from_millis(200)).expect_err("locked");
    assert!(matches!(error, TelemetryError::Locked { .. }), "{error}");
}

#[test]
fn a_file_or_directory_without_permission_is_reported() {
    if !bound_by_permissions("a_file_or_directory_without_permission_is_reported") {
        return;
    }
    let place = Place::new();
    drop(open(&place.db).unwrap());
    chmod(&place.db, 0o444);
    assert!(refusal_naming(&place.db).contains("cannot be opened for writing"));
    chmod(&place.db, 0o000);
    assert!(refusal_naming(&place.db).contains("cannot be opened for writing"));

    let place = Place::new();
    chmod(place.directory.path(), 0o555);
    assert!(refusal_naming(&place.db).contains("cannot be opened for writing"));
    let text = refusal(&place.directory.path().join("sub/t.db"));
    assert!(text.contains("its directory cannot be created"), "{text}");
    chmod(place.directory.path(), 0o755);
}

#[test]
fn a_ring_that_is_no_power_of_two_is_refused() {
    let place = Place::new();
    let options = Options { ring_capacity: 1000, ..Options::default() };
    let error = Telemetry::start(&place.db, options).expect_err("refused");
    assert!(matches!(error, TelemetryError::RingCapacity { capacity: 1000 }), "{error}");
    assert!(!place.db.exists());
}

#[test]
fn a_later_python_pass_fills_in_and_leaves_our_rows() {
    let place = Place::new();
    let (telemetry, mut recorder) = place.start();
    telemetry_support::push(&mut recorder, 0..3);
    telemetry_support::finish(&telemetry);
    let script = "
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript('''CREATE TABLE IF NOT EXISTS correlations (correlation_id TEXT PRIMARY KEY, created_at_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS latency_events (id INTEGER PRIMARY KEY AUTOINCREMENT, correlation_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fills (id INTEGER PRIMARY KEY, correlation_id TEXT REFERENCES correlations(correlation_id));''')
print(db.execute('PRAGMA user_version').fetchone()[0], [r for r in db.execute('SELECT correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json FROM latency_events ORDER BY id')])
";
    let Ok(output) = std::process::Command::new("python3").args(["-c", script]).arg(&place.db).output()
    else {
        eprintln!("SKIPPED: no python3 here");
        return;
    };
    let row =
        |id| format!("('{id}', 'wake_recv', 1750000000000, 1750000000001, 0.5, '{{\"dry_run\": false}}')");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        format!("6 [{}, {}, {}]", row(0), row(1), row(2)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        connect(&place.db).query_row("SELECT COUNT(*) FROM fills", [], |row| row.get::<_, i64>(0)).unwrap(),
        0
    );
}

//! The tables this product writes, and which files it may touch.
//!
//! Names, types and constraints are the contract with the Python side: its `CREATE TABLE IF NOT EXISTS` pass finds ours
//! and leaves them, ours finds its. A file with tables of before version 6 is left alone: stamping it or adding tables
//! would make every later Python start fail on a duplicate column.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::TelemetryError;

/// `PRAGMA user_version` of a file this process created.
pub const USER_VERSION: i64 = 6;

/// One table: its name, the columns our statements name, and the statements that create it and its indices.
#[derive(Debug)]
struct Table {
    name: &'static str,
    columns: &'static [&'static str],
    create: &'static str,
    indices: &'static [(&'static str, &'static str)],
}

const TABLES: [Table; 4] = [
    Table {
        name: "correlations",
        columns: &["correlation_id", "created_at_ms"],
        create: "CREATE TABLE IF NOT EXISTS correlations (
    correlation_id TEXT PRIMARY KEY,
    created_at_ms INTEGER NOT NULL
)",
        indices: &[],
    },
    Table {
        name: "latency_events",
        columns: &[
            "id",
            "correlation_id",
            "stage",
            "started_at_ms",
            "ended_at_ms",
            "duration_ms",
            "metadata_json",
            "created_at_ms",
        ],
        create: "CREATE TABLE IF NOT EXISTS latency_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    correlation_id TEXT NOT NULL REFERENCES correlations(correlation_id),
    stage TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    metadata_json TEXT,
    created_at_ms INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER) * 1000)
)",
        indices: &[
            ("idx_latency_events_stage", "latency_events(stage)"),
            ("idx_latency_events_correlation_id", "latency_events(correlation_id)"),
            ("idx_latency_events_started_at", "latency_events(started_at_ms)"),
        ],
    },
    Table {
        name: "orders_fired",
        columns: &[
            "id",
            "correlation_id",
            "client_order_id",
            "kalshi_order_id",
            "ticker",
            "correlation_group",
            "outcome_side",
            "count",
            "price_dollars",
            "time_in_force",
            "self_trade_prevention_type",
            "post_only",
            "status",
            "error_message",
            "fill_count",
            "remaining_count",
            "average_fill_price",
            "average_fee_paid",
            "requested_at_ms",
            "submitted_at_ms",
            "acknowledged_at_ms",
            "created_at_ms",
        ],
        create: "CREATE TABLE IF NOT EXISTS orders_fired (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    correlation_id TEXT NOT NULL REFERENCES correlations(correlation_id),
    client_order_id TEXT NOT NULL UNIQUE,
    kalshi_order_id TEXT,
    ticker TEXT NOT NULL,
    correlation_group TEXT,
    outcome_side TEXT NOT NULL CHECK (outcome_side IN ('yes', 'no')),
    count TEXT NOT NULL CHECK (CAST(count AS REAL) > 0),
    price_dollars TEXT NOT NULL CHECK (CAST(price_dollars AS REAL) > 0 AND CAST(price_dollars AS REAL) < 1),
    time_in_force TEXT NOT NULL
        CHECK (time_in_force IN ('fill_or_kill', 'good_till_canceled', 'immediate_or_cancel')),
    self_trade_prevention_type TEXT NOT NULL CHECK (self_trade_prevention_type IN ('taker_at_cross', 'maker')),
    post_only INTEGER CHECK (post_only IS NULL OR post_only IN (0, 1)),
    status TEXT NOT NULL
        CHECK (status IN ('pending', 'submitted', 'accepted', 'rejected', 'filled', 'canceled', 'error')),
    error_message TEXT,
    fill_count TEXT,
    remaining_count TEXT,
    average_fill_price TEXT,
    average_fee_paid TEXT,
    requested_at_ms INTEGER NOT NULL,
    submitted_at_ms INTEGER,
    acknowledged_at_ms INTEGER,
    created_at_ms INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER) * 1000)
)",
        indices: &[
            ("idx_orders_fired_ticker", "orders_fired(ticker)"),
            ("idx_orders_fired_status", "orders_fired(status)"),
            ("idx_orders_fired_requested_at", "orders_fired(requested_at_ms)"),
            ("idx_orders_fired_correlation_id", "orders_fired(correlation_id)"),
        ],
    },
    Table {
        name: "heartbeats",
        columns: &["process", "pid", "started_at_ms", "beat_at_ms", "queue_depth", "dropped_rows"],
        create: "CREATE TABLE IF NOT EXISTS heartbeats (
    process TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    started_at_ms INTEGER NOT NULL,
    beat_at_ms INTEGER NOT NULL,
    queue_depth INTEGER NOT NULL,
    dropped_rows INTEGER NOT NULL
)",
        indices: &[],
    },
];

/// What was found in a file.
struct Found {
    version: i64,
    has_tables: bool,
    missing: bool,
}

/// A failure of SQLite, or a file that isn't ours to touch.
#[derive(Debug)]
pub(super) enum SchemaFault {
    Sqlite(rusqlite::Error),
    Refused(TelemetryError),
}

impl From<rusqlite::Error> for SchemaFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Refuses a file whose tables are older than version 6 or don't fit, reading only.
pub(super) fn admit(connection: &Connection, path: &Path) -> Result<(), SchemaFault> {
    let found = look(connection)?;
    refuse_old(&found, path)?;
    check_columns(connection, path, found.version)
}

/// Creates what is missing, in one transaction, and checks that every table has the columns we write.
///
/// A fresh file (no tables at all) gets every table and its version at once; the question is asked again inside the
/// transaction, since the Python side may be creating at the same time.
pub(super) fn ensure(connection: &Connection, path: &Path) -> Result<(), SchemaFault> {
    if !look(connection)?.missing {
        return Ok(());
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let found = look(&transaction)?;
    refuse_old(&found, path)?;
    for table in &TABLES {
        transaction.execute_batch(table.create)?;
    }
    check_columns(&transaction, path, found.version)?;
    for (name, columns) in TABLES.iter().flat_map(|table| table.indices) {
        transaction.execute_batch(&format!("CREATE INDEX IF NOT EXISTS {name} ON {columns}"))?;
    }
    if !found.has_tables && found.version < USER_VERSION {
        transaction.pragma_update(None, "user_version", USER_VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}

fn refuse_old(found: &Found, path: &Path) -> Result<(), SchemaFault> {
    if found.has_tables && found.version < USER_VERSION {
        return Err(SchemaFault::Refused(TelemetryError::SchemaTooOld {
            path: path.to_owned(),
            version: found.version,
        }));
    }
    Ok(())
}

fn user_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn look(connection: &Connection) -> rusqlite::Result<Found> {
    let mut statement = connection
        .prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?;
    let objects: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let exists = |wanted: &str| objects.iter().any(|(_, name)| name.eq_ignore_ascii_case(wanted));
    let missing =
        TABLES.iter().any(|table| !exists(table.name) || table.indices.iter().any(|(name, _)| !exists(name)));
    Ok(Found {
        version: user_version(connection)?,
        has_tables: objects.iter().any(|(kind, _)| kind == "table" || kind == "view"),
        missing,
    })
}

/// Our statements name their columns: where the table is, each must be there, and no other may demand a value.
fn check_columns(connection: &Connection, path: &Path, version: i64) -> Result<(), SchemaFault> {
    for table in &TABLES {
        let mut statement = connection.prepare(
            "SELECT name, \"notnull\" AND dflt_value IS NULL AND pk = 0 FROM pragma_table_info(?1)",
        )?;
        let present: Vec<(String, bool)> = statement
            .query_map([table.name], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        if present.is_empty() {
            continue;
        }
        let lacking = table
            .columns
            .iter()
            .find(|&&wanted| !present.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted)));
        let demanding = present.iter().find(|(name, demands)| {
            *demands && !table.columns.iter().any(|ours| name.eq_ignore_ascii_case(ours))
        });
        let problem = match (lacking, demanding) {
            (Some(column), _) => format!("column {column} is missing"),
            (None, Some((column, _))) => format!("column {column} demands a value this program doesn't know"),
            (None, None) => continue,
        };
        return Err(SchemaFault::Refused(TelemetryError::SchemaMismatch {
            path: path.to_owned(),
            version,
            table: table.name,
            problem,
        }));
    }
    Ok(())
}

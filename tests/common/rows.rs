//! The telemetry database, as its other readers see it.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

/// A `wake_recv` row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub correlation_id: String,
    pub started_at_ms: i64,
    pub ended_at_ms: i64,
    pub duration_ms: f64,
    pub metadata: Option<String>,
}

/// The `wake_recv` rows in the order of their ids.
pub fn wake_recv(database: &Path) -> Vec<Row> {
    let connection = open(database);
    let mut query = connection
        .prepare(
            "SELECT correlation_id, started_at_ms, ended_at_ms, duration_ms, metadata_json FROM latency_events \
             WHERE stage = 'wake_recv' ORDER BY id",
        )
        .unwrap();
    let rows = query.query_map([], |row| {
        Ok(Row {
            correlation_id: row.get(0)?,
            started_at_ms: row.get(1)?,
            ended_at_ms: row.get(2)?,
            duration_ms: row.get(3)?,
            metadata: row.get(4)?,
        })
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// The ids of [`wake_recv`].
pub fn ids(database: &Path) -> Vec<String> {
    wake_recv(database).into_iter().map(|row| row.correlation_id).collect()
}

/// A connection whose transaction keeps every writer out until it is dropped.
pub fn lock(database: &Path) -> Connection {
    let connection = open(database);
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

fn open(database: &Path) -> Connection {
    let connection = Connection::open(database).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection
}

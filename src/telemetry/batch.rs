//! Rows taken from the ring and not yet known to be committed.
//!
//! A batch is written in one transaction. When SQLite refuses something in it, the transaction shrinks by halves down
//! to the single row that is refused; only that row is dropped, the rest goes in, in order. When anything else fails,
//! the rows stay here.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::error::{Fault, classify};
use super::ring::Drain;
use super::row::LatencyRow;
use crate::measure::clock::wall_ms;

/// Most rows in one transaction.
pub const BATCH_ROWS: usize = 500;

const PARENT: &str = "INSERT OR IGNORE INTO correlations (correlation_id, created_at_ms) VALUES (?1, ?2)";
const CHILD: &str = "INSERT INTO latency_events \
    (correlation_id, stage, started_at_ms, ended_at_ms, duration_ms, metadata_json) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const FIND: &str = "SELECT correlation_id = ?2 AND stage = ?3 AND started_at_ms = ?4 AND ended_at_ms = ?5 \
    FROM latency_events WHERE id = ?1";

/// A failed write: what it means for the rows, and SQLite's error for the log.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) fault: Fault,
    pub(super) error: rusqlite::Error,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self { fault: classify(&error), error }
    }
}

/// What one call of [`Batch::write`] achieved.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Rows now committed.
    pub(super) written: u64,
    /// The error of the one row that SQLite refused and that was dropped.
    pub(super) refused: Option<rusqlite::Error>,
}

/// A COMMIT that reported an error and may have taken effect all the same.
#[derive(Debug)]
struct Doubt {
    rows: usize,
    last_id: i64,
}

#[derive(Debug)]
pub(super) struct Batch {
    rows: VecDeque<LatencyRow>,
    /// Rows the next transaction takes; below the maximum while a refused row is being isolated.
    span: usize,
    doubt: Option<Doubt>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self { rows: VecDeque::with_capacity(BATCH_ROWS), span: BATCH_ROWS, doubt: None }
    }

    /// Tops the batch up from the ring.
    pub(super) fn fill(&mut self, drain: &mut Drain) {
        while self.rows.len() < BATCH_ROWS {
            let Some(row) = drain.pop() else { return };
            self.rows.push_back(row);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Gives the rows up; returns how many there were.
    pub(super) fn clear(&mut self) -> u64 {
        let rows = self.rows.len() as u64;
        self.rows.clear();
        rows
    }

    /// Writes the head of the batch in one transaction.
    ///
    /// # Errors
    /// When the rows are to be kept: the database is busy, or its surroundings are broken.
    pub(super) fn write(&mut self, connection: &Connection) -> Result<Progress, Failure> {
        match self.attempt(connection) {
            Ok(written) => {
                self.span = (self.span * 2).min(BATCH_ROWS);
                Ok(Progress { written, refused: None })
            }
            Err(failure) => match failure.fault {
                Fault::Busy | Fault::Environment => Err(failure),
                // Only if the statements themselves still make sense can it be the rows.
                Fault::Unclear if !statements_fit(connection) => {
                    Err(Failure { fault: Fault::Environment, error: failure.error })
                }
                Fault::Rows | Fault::Unclear => Ok(self.shrink(failure.error)),
            },
        }
    }

    fn shrink(&mut self, error: rusqlite::Error) -> Progress {
        let span = self.span.min(self.rows.len());
        if span > 1 {
            self.span = span / 2;
            return Progress::default();
        }
        self.rows.pop_front();
        Progress { written: 0, refused: Some(error) }
    }

    fn attempt(&mut self, connection: &Connection) -> Result<u64, Failure> {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        if let Some(doubt) = &self.doubt {
            let rows = doubt.rows;
            let committed = match self.rows.get(rows.saturating_sub(1)) {
                Some(last) => is_there(&transaction, doubt.last_id, last)?,
                None => false,
            };
            self.doubt = None;
            if committed {
                self.rows.drain(..rows);
                return Ok(rows as u64);
            }
        }
        let span = self.span.min(self.rows.len());
        let last_id = insert(&transaction, self.rows.iter().take(span))?;
        if let Err(error) = transaction.commit() {
            self.doubt = Some(Doubt { rows: span, last_id });
            return Err(error.into());
        }
        self.rows.drain(..span);
        Ok(span as u64)
    }
}

/// Inserts the rows, each after its parent; returns the id of the last.
fn insert<'a>(
    transaction: &Transaction<'_>,
    rows: impl Iterator<Item = &'a LatencyRow>,
) -> rusqlite::Result<i64> {
    let now = wall_ms();
    let mut parent = transaction.prepare_cached(PARENT)?;
    let mut child = transaction.prepare_cached(CHILD)?;
    let mut previous = None;
    for row in rows {
        let id = row.correlation_id();
        // The stages of one fire follow one another; their parent needs to be asked for once.
        if previous != Some(id) {
            parent.execute(params![id, now])?;
            previous = Some(id);
        }
        child.execute(params![
            id,
            row.stage.as_str(),
            row.started_at_ms,
            row.ended_at_ms,
            row.duration_ms,
            row.metadata_json()
        ])?;
    }
    Ok(transaction.last_insert_rowid())
}

/// Whether `row` is in the table under `id`: whether the COMMIT in doubt took effect.
fn is_there(connection: &Connection, id: i64, row: &LatencyRow) -> rusqlite::Result<bool> {
    let found = connection
        .query_row(
            FIND,
            params![id, row.correlation_id(), row.stage.as_str(), row.started_at_ms, row.ended_at_ms],
            |row| row.get::<_, Option<bool>>(0),
        )
        .optional()?;
    Ok(found.flatten() == Some(true))
}

/// Whether both statements can be prepared against the schema as it is now.
fn statements_fit(connection: &Connection) -> bool {
    [PARENT, CHILD].into_iter().all(|sql| connection.prepare(sql).is_ok())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::ring::ring;
    use super::super::row::Stage;
    use super::super::store::Store;
    use super::*;

    fn store(directory: &tempfile::TempDir) -> Store {
        Store::open(&directory.path().join("t.db"), 1 << 26, Duration::from_secs(5)).unwrap()
    }

    fn batch(ids: std::ops::Range<usize>) -> Batch {
        let (mut recorder, mut drain, _) = ring(1024).unwrap();
        for id in ids {
            assert!(recorder.push(&format!("id-{id}"), Stage::WakeRecv, 1, 2, 0.5, false));
        }
        let mut batch = Batch::new();
        batch.fill(&mut drain);
        batch
    }

    fn drain(batch: &mut Batch, connection: &Connection) -> (u64, u64) {
        let (mut written, mut refused) = (0, 0);
        while !batch.is_empty() {
            let progress = batch.write(connection).unwrap();
            written += progress.written;
            refused += u64::from(progress.refused.is_some());
        }
        (written, refused)
    }

    fn ids(connection: &Connection) -> Vec<String> {
        let mut statement =
            connection.prepare("SELECT correlation_id FROM latency_events ORDER BY id").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn a_commit_that_took_effect_in_spite_of_its_error_is_not_repeated() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory);
        let mut batch = batch(0..10);
        let rows = batch.rows.clone();
        batch.write(store.connection()).unwrap();
        // As after an error reported by the COMMIT that nevertheless reached the disk.
        batch.rows = rows;
        batch.doubt = Some(Doubt { rows: 10, last_id: 10 });
        assert_eq!(drain(&mut batch, store.connection()), (10, 0));
        assert_eq!(ids(store.connection()).len(), 10);
    }

    #[test]
    fn a_commit_that_failed_is_repeated() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory);
        let mut batch = batch(0..10);
        batch.doubt = Some(Doubt { rows: 10, last_id: 10 });
        assert_eq!(drain(&mut batch, store.connection()), (10, 0));
        assert_eq!(ids(store.connection()).len(), 10);
    }

    #[test]
    fn refused_rows_are_isolated_and_the_order_is_kept() {
        for trigger in ["ABORT", "FAIL", "ROLLBACK"] {
            let directory = tempfile::tempdir().unwrap();
            let store = store(&directory);
            store
                .connection()
                .execute_batch(&format!(
                    "CREATE TRIGGER no BEFORE INSERT ON latency_events
                     WHEN NEW.correlation_id IN ('id-0', 'id-7', 'id-8', 'id-499')
                     BEGIN SELECT RAISE({trigger}, 'not this one'); END"
                ))
                .unwrap();
            assert_eq!(drain(&mut batch(0..500), store.connection()), (496, 4), "{trigger}");
            let expected: Vec<String> =
                (0..500).filter(|i| ![0, 7, 8, 499].contains(i)).map(|i| format!("id-{i}")).collect();
            assert_eq!(ids(store.connection()), expected, "{trigger}");
        }
    }

    #[test]
    fn a_row_on_which_a_trigger_chokes_is_dropped_alone() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory);
        // An integer overflow is a plain SQLITE_ERROR, as is a missing table.
        store
            .connection()
            .execute_batch(
                "CREATE TRIGGER choke BEFORE INSERT ON latency_events WHEN NEW.correlation_id = 'id-3'
                 BEGIN SELECT abs(-9223372036854775807 - NEW.started_at_ms); END",
            )
            .unwrap();
        assert_eq!(drain(&mut batch(0..6), store.connection()), (5, 1));
    }

    #[test]
    fn a_missing_table_condemns_no_row() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory);
        let mut batch = batch(0..3);
        store.connection().execute_batch("DROP TABLE latency_events").unwrap();
        for _ in 0..20 {
            assert_eq!(batch.write(store.connection()).unwrap_err().fault, Fault::Environment);
        }
        assert_eq!(batch.rows.len(), 3);
    }

    #[test]
    fn a_constraint_that_speaks_up_at_commit_drops_its_row_alone() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory);
        store
            .connection()
            .execute_batch(
                "CREATE TABLE other (id TEXT REFERENCES correlations(correlation_id) DEFERRABLE INITIALLY DEFERRED);
                 CREATE TRIGGER later AFTER INSERT ON latency_events WHEN NEW.correlation_id = 'id-5'
                 BEGIN INSERT INTO other VALUES ('nobody'); END",
            )
            .unwrap();
        assert_eq!(drain(&mut batch(0..12), store.connection()), (11, 1));
    }
}

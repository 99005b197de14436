//! What can go wrong with the file, in one sentence that says what to do; and which part of a write a failure condemns.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why the telemetry database couldn't be opened. Every message names the path and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The ring's capacity isn't a power of two.
    #[error("telemetry ring capacity {capacity} is not a power of two; use one, such as 8192")]
    RingCapacity {
        /// What was asked for.
        capacity: usize,
    },
    /// There is no memory for a ring of that size.
    #[error(
        "no memory for a telemetry ring of {capacity} rows; use a smaller one or raise the limit (ulimit -v)"
    )]
    RingMemory {
        /// Rows asked for.
        capacity: usize,
    },
    /// The linked SQLite can lose committed pages in WAL mode.
    #[error(
        "SQLite {found} can lose committed rows in WAL mode; build with SQLite 3.51.3 or newer (the bundled one is)"
    )]
    SqliteTooOld {
        /// Version of the library in use.
        found: &'static str,
    },
    /// The path is empty.
    #[error(
        "the telemetry database path is empty; give a file, or leave the option out to run without telemetry"
    )]
    EmptyPath,
    /// The parent directory is missing and can't be created.
    #[error("telemetry database {}: its directory cannot be created ({source}); create it or choose another path", path.display())]
    Parent {
        /// The database's path.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A directory, FIFO, socket or device is at the path.
    #[error("telemetry database {}: {what} is there; move it away or choose another path", path.display())]
    NotAFile {
        /// The database's path.
        path: PathBuf,
        /// What was found.
        what: &'static str,
    },
    /// The path can't even be looked at.
    #[error("telemetry database {}: cannot be looked up ({source}); check the path and its permissions", path.display())]
    LookUp {
        /// The database's path.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file holds something else, or is damaged.
    #[error("telemetry database {}: not a readable SQLite database ({reason}); move it away or choose another path", path.display())]
    NotADatabase {
        /// The database's path.
        path: PathBuf,
        /// SQLite's words.
        reason: String,
    },
    /// The file or its directory can't be written by this user.
    #[error(
        "telemetry database {}: cannot be opened for writing ({reason}); make the file and its directory writable for this user", path.display()
    )]
    NotWritable {
        /// The database's path.
        path: PathBuf,
        /// SQLite's words.
        reason: String,
    },
    /// Tables of before version 6: only the Python side knows how to migrate them.
    #[error(
        "telemetry database {}: holds tables of version {version}, this program needs 6; open it once with the Python side first", path.display()
    )]
    SchemaTooOld {
        /// The database's path.
        path: PathBuf,
        /// Its `user_version`.
        version: i64,
    },
    /// A table of ours lacks a column, or demands one we don't know.
    #[error(
        "telemetry database {}: version {version}, table {table}: {problem}; use a release made for this version, or another file", path.display()
    )]
    SchemaMismatch {
        /// The database's path.
        path: PathBuf,
        /// Its `user_version`.
        version: i64,
        /// The table that doesn't fit.
        table: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// WAL mode isn't to be had.
    #[error(
        "telemetry database {}: cannot be switched to WAL (journal mode stays {mode}); put it on a local file system", path.display()
    )]
    NoWal {
        /// The database's path.
        path: PathBuf,
        /// The mode SQLite kept.
        mode: String,
    },
    /// Locked for the whole time that opening is retried.
    #[error(
        "telemetry database {}: still locked by another process after {waited_s} s; end that transaction and start again", path.display()
    )]
    Locked {
        /// The database's path.
        path: PathBuf,
        /// How long opening was retried, in seconds.
        waited_s: u64,
    },
    /// The path was exchanged under us while we opened it.
    #[error("telemetry database {}: the file was replaced while it was opened; start again", path.display())]
    Replaced {
        /// The database's path.
        path: PathBuf,
    },
    /// Any other failure of SQLite.
    #[error("telemetry database {}: {source}; check the disk and the file", path.display())]
    Sqlite {
        /// The database's path.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The writer thread couldn't be started.
    #[error("the telemetry writer thread cannot be started ({0}); raise the limit on threads")]
    Thread(io::Error),
}

/// What a failed statement says about the rows it was to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Somebody else holds a lock: the same again in a moment.
    Busy,
    /// The disk, the file or the memory: the rows are fine and wait.
    Environment,
    /// SQLite refuses what the rows say.
    Rows,
    /// Plain SQLITE_ERROR: a changed schema under a prepared statement, or a row that a trigger's expression chokes on.
    Unclear,
}

/// Sorts an error by what is to be done about it.
pub(super) fn classify(error: &rusqlite::Error) -> Fault {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
                Fault::Busy
            }
            ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::TooBig
            | ErrorCode::ParameterOutOfRange => Fault::Rows,
            ErrorCode::Unknown | ErrorCode::SchemaChanged => Fault::Unclear,
            _ => Fault::Environment,
        },
        E::SqlInputError { .. } => Fault::Unclear,
        E::ToSqlConversionFailure(_) | E::IntegralValueOutOfRange(..) => Fault::Rows,
        _ => Fault::Environment,
    }
}

//! Opening the file: every check before the first byte is written, and the settings of the connection.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::TelemetryError;
use super::identity::{FileId, network_file_system_at};
use super::schema::{self, SchemaFault};

/// First SQLite without the WAL-reset bug, as `sqlite3_libversion_number` puts it.
const SQLITE_NEEDED: i32 = 3_051_003;

/// How long an opening is retried while others hold locks. Switching a fresh file to WAL fails at once, whatever the
/// busy timeout, while another connection is opening it too.
pub const OPEN_PATIENCE: Duration = Duration::from_secs(5);

/// How long a file of an old version is looked at again when it was changed just now: the Python side creates its
/// tables first and stamps the version last.
const STAMP_PATIENCE: Duration = Duration::from_secs(1);

/// One page of the smallest size there is, in bytes.
const SMALLEST_DATABASE: u64 = 512;

/// Page cache in KiB. A batch of 500 rows with random ids dirties some thousand pages; SQLite's default of 2 MiB would
/// spill them into the WAL in the middle of the transaction and read them back.
const CACHE_KIB: i64 = 16 * 1024;

/// Whether the SQLite linked in is 3.51.3 or newer. Older ones can lose committed pages in WAL mode when one connection
/// checkpoints while another writes.
#[must_use]
pub fn sqlite_version_ok() -> bool {
    rusqlite::version_number() >= SQLITE_NEEDED
}

/// An open telemetry database: WAL, foreign keys on, synchronous NORMAL, no mmap, no automatic checkpoints, no busy
/// handler (a caller with a deadline retries by itself).
///
/// WAL with synchronous NORMAL survives a crash of the process; a power cut may take the last commits with it.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    wal: PathBuf,
    file: FileId,
    page_size: u64,
}

/// What is at the path now, compared with what was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Same,
    Gone,
    Replaced,
    /// The look-up itself failed.
    Unknown,
}

impl Store {
    /// Opens or creates the database at `path`, retrying for `patience` while it is locked by others.
    ///
    /// `wal_limit_bytes` is the size to which SQLite trims the WAL file whenever it starts it over.
    ///
    /// # Errors
    /// Every [`TelemetryError`] but the ring's and the thread's. A refused file is left as it was.
    pub fn open(path: &Path, wal_limit_bytes: u64, patience: Duration) -> Result<Self, TelemetryError> {
        if !sqlite_version_ok() {
            return Err(TelemetryError::SqliteTooOld { found: rusqlite::version() });
        }
        let path = absolute(path)?;
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            let error = match Self::attempt(&path, wal_limit_bytes) {
                Ok(store) => return Ok(store),
                Err(error) => error,
            };
            let limit = match error {
                TelemetryError::Locked { .. } | TelemetryError::Replaced { .. } => patience,
                TelemetryError::SchemaTooOld { .. } if changed_just_now(&path) => {
                    patience.min(STAMP_PATIENCE)
                }
                _ => return Err(error),
            };
            let waited = started.elapsed();
            if waited >= limit {
                return Err(match error {
                    TelemetryError::Locked { path, .. } => {
                        TelemetryError::Locked { path, waited_s: waited.as_secs() }
                    }
                    other => other,
                });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    fn attempt(path: &Path, wal_limit_bytes: u64) -> Result<Self, TelemetryError> {
        let before = look_at(path)?;
        let explain = |error| explain(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(explain)?;
        // Closing must never touch a file that took our file's name: no checkpoint, no removal of `PATH-wal`.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(explain)?;
        connection.busy_timeout(Duration::ZERO).map_err(explain)?;
        connection.pragma_update(None, "mmap_size", 0).map_err(explain)?;
        let schema = |fault| match fault {
            SchemaFault::Sqlite(error) => explain(error),
            SchemaFault::Refused(error) => error,
        };
        schema::admit(&connection, path).map_err(schema)?;
        if connection.is_readonly("main").map_err(explain)? {
            return Err(TelemetryError::NotWritable {
                path: path.to_owned(),
                reason: "it is read-only".to_owned(),
            });
        }
        let mode: String =
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(explain)?;
        if !mode.eq_ignore_ascii_case("wal") {
            return Err(TelemetryError::NoWal { path: path.to_owned(), mode });
        }
        for (name, value) in [
            ("foreign_keys", 1),
            ("synchronous", 1),
            ("wal_autocheckpoint", 0),
            ("cache_size", -CACHE_KIB),
            ("journal_size_limit", i64::try_from(wal_limit_bytes).unwrap_or(i64::MAX)),
        ] {
            connection.pragma_update(None, name, value).map_err(explain)?;
        }
        schema::ensure(&connection, path).map_err(schema)?;
        let page_size: i64 =
            connection.query_row("PRAGMA page_size", [], |row| row.get(0)).map_err(explain)?;

        let replaced = || TelemetryError::Replaced { path: path.to_owned() };
        let file = look_at(path)?.ok_or_else(replaced)?;
        if before.is_some_and(|before| before != file) {
            return Err(replaced());
        }
        // SQLite puts the WAL beside the file itself, not beside a symlink to it.
        let mut wal = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
        wal.push("-wal");
        Ok(Self {
            connection,
            path: path.to_owned(),
            wal: wal.into(),
            file,
            page_size: page_size.unsigned_abs(),
        })
    }

    /// The connection. Its transactions must be `BEGIN IMMEDIATE`: a read that turns into a write can fail at once with
    /// SQLITE_BUSY_SNAPSHOT.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that is open.
    pub(super) fn file(&self) -> FileId {
        self.file
    }

    /// Bytes a page takes in the WAL, its frame header included.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.page_size + 24
    }

    /// Size of the WAL file in bytes; 0 when there is none.
    #[must_use]
    pub fn wal_bytes(&self) -> u64 {
        std::fs::metadata(&self.wal).map_or(0, |metadata| metadata.len())
    }

    /// Whether the path still leads to the file that is open.
    pub(super) fn standing(&self) -> Standing {
        match FileId::at(&self.path) {
            Ok(Some(file)) if file == self.file => Standing::Same,
            Ok(Some(_)) => Standing::Replaced,
            Ok(None) => Standing::Gone,
            Err(_) => Standing::Unknown,
        }
    }

    /// Warns when the file lies where WAL can't be trusted.
    pub(super) fn warn_of_network(&self) {
        if let Some(kind) = network_file_system_at(&self.path) {
            tracing::warn!(
                "telemetry database {} is on {kind}: SQLite's WAL is unsafe across hosts; use a local disk",
                self.path.display()
            );
        }
    }

    /// Moves the whole WAL into the file that is open, wherever that is now, and empties it; `false` when others hold it.
    ///
    /// For a file that was replaced: whoever opens the new one would take a WAL left beside it for its own and write
    /// strange pages over it.
    pub(super) fn empty_wal(&self) -> bool {
        let held_back: rusqlite::Result<bool> =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        held_back.is_ok_and(|held_back| !held_back)
    }

    /// Closes; with `tidy` the last connection of all moves the WAL into the file and removes it.
    pub(super) fn close(self, tidy: bool) {
        if tidy {
            // A refusal leaves the WAL where it is, for the next opener.
            let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        }
        drop(self.connection);
    }
}

/// A later change of directory must not change what the path means.
fn absolute(path: &Path) -> Result<PathBuf, TelemetryError> {
    if path.as_os_str().is_empty() {
        return Err(TelemetryError::EmptyPath);
    }
    std::path::absolute(path).map_err(|source| TelemetryError::LookUp { path: path.to_owned(), source })
}

/// Creates the parent, refuses what isn't a file.
fn look_at(path: &Path) -> Result<Option<FileId>, TelemetryError> {
    use std::os::unix::fs::FileTypeExt;

    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)
            .map_err(|source| TelemetryError::Parent { path: path.to_owned(), source })?;
    }
    let look_up = |source| TelemetryError::LookUp { path: path.to_owned(), source };
    let Some(file) = FileId::at(path).map_err(look_up)? else { return Ok(None) };
    let (kind, size) = match std::fs::metadata(path) {
        Ok(metadata) => (metadata.file_type(), metadata.len()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(look_up(error)),
    };
    let what = if kind.is_file() {
        // SQLite takes a file of one byte for an empty one and overwrites it.
        if (1..SMALLEST_DATABASE).contains(&size) {
            let reason = format!("it has {size} bytes");
            return Err(TelemetryError::NotADatabase { path: path.to_owned(), reason });
        }
        return Ok(Some(file));
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(TelemetryError::NotAFile { path: path.to_owned(), what })
}

fn changed_just_now(path: &Path) -> bool {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    [path, Path::new(&wal)].into_iter().any(|file| {
        let age = std::fs::metadata(file)
            .and_then(|metadata| metadata.modified())
            .map(|modified| SystemTime::now().duration_since(modified).unwrap_or_default());
        age.is_ok_and(|age| age < Duration::from_secs(2))
    })
}

fn explain(path: &Path, source: rusqlite::Error) -> TelemetryError {
    let path = path.to_owned();
    let reason = match &source {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            TelemetryError::Locked { path, waited_s: 0 }
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            TelemetryError::NotADatabase { path, reason }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            TelemetryError::NotWritable { path, reason }
        }
        _ => TelemetryError::Sqlite { path, source },
    }
}

//! Where log lines go: stderr, or a file that SIGHUP opens anew.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::level_filters::LevelFilter;

use super::stderr;

/// The log file could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("can't open the log file {}: {source}; check the path and its permissions", path.display())]
pub(super) struct LogFileError {
    path: PathBuf,
    source: io::Error,
}

/// The log of this process.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    file: Option<Arc<LogFile>>,
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    open: Mutex<File>,
}

/// Starts logging at `level`, to a file if one is named.
pub(super) fn start(level: LevelFilter, path: Option<PathBuf>) -> Result<Log, LogFileError> {
    let file = match path {
        None => None,
        Some(path) => match open(&path) {
            Ok(file) => Some(Arc::new(LogFile { path, open: Mutex::new(file) })),
            Err(source) => return Err(LogFileError { path, source }),
        },
    };
    let log = Log { file };
    let writer = log.clone();
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_target(false)
        // A line that can't be written would be reported on stderr, and panic where that is gone too.
        .log_internal_errors(false)
        .with_writer(move || writer.clone());
    // A second start in one process keeps the first log: nothing is lost by it.
    let _ = lines.try_init();
    Ok(log)
}

impl Log {
    /// Opens the file anew, after it was moved away by whoever rotates logs. A file that can't be opened leaves the old
    /// one in use.
    pub(super) fn reopen(&self) {
        let Some(file) = &self.file else { return };
        match open(&file.path) {
            Ok(opened) => *file.open.lock().unwrap_or_else(PoisonError::into_inner) = opened,
            Err(error) => tracing::error!("can't open the log file {} anew: {error}", file.path.display()),
        }
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match &self.file {
            Some(file) => file.open.lock().unwrap_or_else(PoisonError::into_inner).write(line),
            None => {
                if !stderr::write(line, Duration::ZERO) {
                    DROPPED.fetch_add(1, Ordering::Relaxed);
                }
                Ok(line.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lines that were dropped because stderr could not take them.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// How many log lines were dropped so far.
pub(super) fn dropped_lines() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}

fn open(path: &Path) -> io::Result<File> {
    // A FIFO without a reader is refused instead of waited for.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().append(true).create(true).custom_flags(flags).open(path)
}

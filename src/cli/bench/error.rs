//! Why a run came to nothing.

use std::io;

use super::recording::PATIENCE;
use crate::executor::client::ClientError;

/// A run that can't be believed or could not be made; its figures are neither printed nor recorded.
#[derive(Debug, thiserror::Error)]
pub(super) enum BenchError {
    #[error("interrupted; what was started is gone, and nothing was recorded")]
    Interrupted,
    #[error("{what} gave {found} samples where {wanted} were wanted, so nothing was recorded; run it again")]
    TooFew { what: String, found: usize, wanted: u32 },
    #[error("wake {index} was not accepted, so nothing was recorded: {reason}; please report it")]
    NotAccepted { index: usize, reason: String },
    #[error("the {who} counted {key}={found} where {wanted} is right, so nothing was recorded; {advice}")]
    Miscounted { who: &'static str, key: &'static str, found: String, wanted: u64, advice: &'static str },
    #[error("telemetry dropped {dropped} rows, or shows none for {} s, so nothing was recorded; {FEWER_ROWS}", PATIENCE.as_secs())]
    NotSeen { dropped: u64 },
    #[error(
        "this kernel doesn't say how long a thread was on a CPU (/proc/self/task/*/schedstat); leave telemetry-idle out"
    )]
    NoThreadTimes,
    #[error("golden/frames.tsv has something else than a frame in its line {line}; please report it")]
    NoFrame { line: usize },
    #[error("{frame} was decoded otherwise than it must be, so nothing was recorded; please report it")]
    WrongVerdict { frame: String },
    #[error(
        "{input} has no record of a venue, so there is nothing to measure; wakeline log check says what it has"
    )]
    NoRecords { input: String },
    #[error("the frame of every wake fits, and this one did not; please report it")]
    NoWake,
    #[error("can't make a temporary directory: {0}; is TMPDIR a short path you can write to?")]
    Directory(io::Error),
    #[error("SQLite can't do its part in the temporary directory: {0}; is there room in TMPDIR?")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the run against the {who} broke off, so nothing was recorded: {source}; run it again")]
    BrokeOff { who: &'static str, source: ClientError },
    #[error("can't write to stdout: {0}; nothing was recorded, is there room?")]
    Print(io::Error),
    #[error("the echo can't serve: {0}; it is started by wakeline bench roundtrip and of no use by itself")]
    Echo(io::Error),
}

/// What to do about rows that were lost.
pub(super) const FEWER_ROWS: &str = "try --pause-us 100 or fewer --samples";

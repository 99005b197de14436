//! What `wakeline bench` can be told.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::components::Component;
use super::pin::Pin;
use super::replay::ReplayBench;

/// Fewest samples of a kind: a 99th percentile of fewer is its maximum.
const FEWEST_SAMPLES: i64 = 100;

#[derive(Debug, Args)]
pub(in crate::cli) struct BenchArguments {
    #[command(subcommand)]
    pub(super) session: Option<Session>,
    /// What to measure; several may be named.
    #[arg(value_name = "COMPONENT", default_value = "all", value_enum)]
    pub(super) components: Vec<Component>,
    /// Samples of each kind that count; through a socket, of each run.
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(FEWEST_SAMPLES..=1_000_000))]
    pub(super) samples: u32,
    /// Samples of each kind before those, to warm up.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=40_000))]
    pub(super) warm_up: u32,
    /// Runs of each kind where whole runs are compared (roundtrip, wake-recv, telemetry-rows); samples
    /// of telemetry-idle.
    #[arg(long, global = true, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(super) pairs: u32,
    /// Rows of each run of telemetry-rows.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    pub(super) rows: u32,
    /// Pause of the client after each ack, spent spinning (roundtrip, wake-recv).
    #[arg(long, value_name = "US", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub(super) pause_us: u64,
    /// Compare a daemon that polls with an echo that polls (roundtrip, wake-recv).
    #[arg(long)]
    pub(super) spin: bool,
    /// Also measure a daemon with these flags of `wakeline serve`, such as "--mlock", beside the one without (roundtrip,
    /// wake-recv).
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub(super) beside: Option<String>,
    /// Keep the measuring thread, what it starts within this process and Python on the first CPU, daemon and echo with all
    /// their threads on the second.
    #[arg(long, global = true, value_name = "CPU[,CPU]")]
    pub(super) pin: Option<Pin>,
    /// Append a row for each run to this file once everything has succeeded.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Print one JSON document instead of tables.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// The Python that has `cryptography` (python/requirements.txt), for sign; by default python3, if it has.
    #[arg(long, value_name = "PROGRAM")]
    pub(super) python: Option<PathBuf>,
    /// Leave Python out.
    #[arg(long, conflicts_with = "python")]
    pub(super) no_python: bool,
}

/// What is measured on a file of the user's.
#[derive(Debug, Subcommand)]
pub(super) enum Session {
    /// A recorded session through the pipeline, stage by stage: records/s, allocations a message, peak memory
    Replay(ReplayBench),
}

//! `wakeline serve`, also without its name: the daemon.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tracing::level_filters::LevelFilter;

use super::{Outcome, logging, say};
use crate::executor::{self, Pin, ServeOptions};
use crate::fire::{DispatchNothing, Fire, KillSwitch, OrderPolicy};

#[derive(Debug, Args)]
pub(super) struct ServeArguments {
    /// Unix socket to listen on; it appears only when it is listening, with mode 0600.
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// SQLite file for latency rows, shared with the poller.
    #[arg(long, value_name = "FILE")]
    telemetry_db: Option<PathBuf>,
    /// Refuse real fires while anything exists at this path.
    #[arg(long, value_name = "FILE")]
    kill_switch: Option<PathBuf>,
    /// Poll instead of blocking: lower latency for one core at full load.
    #[arg(long)]
    spin: bool,
    /// Serve on the first CPU; the process's other threads run on the second or, if only one is named, on all but it.
    #[arg(long, value_name = "CPU[,CPU]")]
    pin: Option<Pin>,
    /// Lock the process's memory in RAM (needs an unlimited `ulimit -l`).
    #[arg(long)]
    mlock: bool,
    /// Rows held between the hot path and the telemetry writer; a power of two.
    #[arg(long, value_name = "ROWS", default_value_t = 8_192, value_parser = ring_rows)]
    telemetry_ring: usize,
    /// Close a peer that leaves 64 KiB of acks unread for this long without taking any.
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    stall_timeout_ms: u64,
    /// How much to log: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log: LevelFilter,
    /// Log here instead of to stderr; SIGHUP opens it anew.
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

/// Most rows a ring may be asked to hold; they take some 200 MB.
const MAX_RING_ROWS: usize = 1 << 20;

fn ring_rows(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(rows) if rows.is_power_of_two() && rows <= MAX_RING_ROWS => Ok(rows),
        _ => Err(format!("it must be a power of two, at most {MAX_RING_ROWS}, such as 8192")),
    }
}

/// Two things were given one path.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is named twice; socket, its .lock, telemetry database, kill switch and log need paths of their own",
    path.display()
)]
struct SharedPath {
    path: PathBuf,
}

fn check_apart<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<(), SharedPath> {
    let mut seen = Vec::new();
    for path in paths {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        if seen.contains(&absolute) {
            return Err(SharedPath { path: path.clone() });
        }
        seen.push(absolute);
    }
    Ok(())
}

pub(super) fn run(arguments: ServeArguments) -> Outcome {
    let ServeArguments {
        socket,
        telemetry_db,
        kill_switch,
        spin,
        pin,
        mlock,
        telemetry_ring,
        stall_timeout_ms,
        log,
        log_file,
    } = arguments;
    let lock = PathBuf::from([socket.as_os_str(), OsStr::new(".lock")].join(OsStr::new("")));
    let named = [Some(&socket), Some(&lock), telemetry_db.as_ref(), kill_switch.as_ref(), log_file.as_ref()];
    check_apart(named.into_iter().flatten())?;
    let kill_switch = kill_switch.map(KillSwitch::new).transpose()?;
    let log = logging::start(log, log_file)?;
    let options = ServeOptions {
        socket,
        telemetry_db,
        telemetry_ring_rows: telemetry_ring,
        spin,
        pin,
        mlock,
        stall: Duration::from_millis(stall_timeout_ms),
        on_hangup: Box::new(move || log.reopen()),
    };
    let fire = Fire::new(kill_switch, OrderPolicy::default(), Box::new(DispatchNothing));
    let report = executor::serve(options, fire)?;
    say(&format!("{} log_lines_dropped={}", report.frames, logging::dropped_lines()));
    say(&report.telemetry);
    Ok(ExitCode::SUCCESS)
}

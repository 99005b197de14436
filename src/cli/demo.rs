//! `wakeline demo`: the whole way of a wake on one machine, from a client's socket to the row in SQLite.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::interrupt::Interrupt;
use super::spawned::{Spawned, wake_recv_ms};
use super::{Failure, Outcome};
use crate::executor::client::Client;
use crate::measure::clock::{ClockDomain, monotonic_ns, wall_ms};
use crate::measure::percentiles::Summary;
use crate::wire::message::{DEFAULT_PRICE_RANGES, SCHEMA_VERSION};
use crate::wire::{Direction, Status, WakeMessage};

/// Frames left out of the percentiles while everything warms up.
const WARM_UP: usize = 400;

#[derive(Debug, Args)]
pub(super) struct DemoArguments {
    /// Wakes to send; the first 400 warm up and are left out of the percentiles.
    #[arg(long, default_value_t = 4_400, value_parser = clap::value_parser!(u32).range(401..=1_000_000))]
    frames: u32,
}

/// What went wrong in a demo.
#[derive(Debug, thiserror::Error)]
enum DemoError {
    #[error("wake {index} was not accepted: {reason}")]
    NotAccepted { index: u32, reason: String },
    #[error("{rows} rows of {frames} frames reached the database; the daemon said: {summary}")]
    RowsMissing { rows: usize, frames: u32, summary: String },
    #[error("interrupted; the daemon was stopped and its files were removed")]
    Interrupted,
    #[error("can't {step}: {source}; is TMPDIR a short path you can write to?")]
    Io { step: &'static str, source: std::io::Error },
}

pub(super) fn run(arguments: &DemoArguments) -> Outcome {
    let interrupt = Interrupt::watch()?;
    let directory = tempfile::Builder::new().prefix("wakeline-demo-").tempdir();
    let directory =
        directory.map_err(|source| DemoError::Io { step: "make a temporary directory", source })?;
    let socket = directory.path().join("wake.sock");
    let database = directory.path().join("telemetry.db");
    let mut out = std::io::stdout();
    writeln!(out, "daemon, socket and database in {} (removed at the end)", directory.path().display())?;

    let driven = drive(&socket, &database, arguments.frames, &interrupt);
    // A daemon of the same process group got the signal too, and went first.
    let (mut round_trips, summary) = match driven {
        Err(_) if interrupt.came() => return Err(DemoError::Interrupted.into()),
        driven => driven?,
    };
    let mut received = wake_recv_ms(&database)?;
    if received.len() != arguments.frames as usize {
        return Err(DemoError::RowsMissing { rows: received.len(), frames: arguments.frames, summary }.into());
    }

    write!(out, "{summary}")?;
    let measured = arguments.frames as usize - WARM_UP;
    writeln!(out, "\n{measured} wakes after {WARM_UP} to warm up, microseconds:")?;
    writeln!(out, "{:<32}{:>9}{:>9}{:>9}{:>9}{:>9}", "", "p50", "p90", "p99", "p99.9", "max")?;
    row(&mut out, "wake_recv (from SQLite)", 1e3, &mut received[WARM_UP..])?;
    row(&mut out, "round trip (client's clock)", 1e-3, &mut round_trips[WARM_UP..])?;
    Ok(ExitCode::SUCCESS)
}

fn row(out: &mut impl Write, name: &str, to_us: f64, sample: &mut [f64]) -> std::io::Result<()> {
    match Summary::of(sample) {
        None => writeln!(out, "{name:<32} nothing measured"),
        Some(Summary { p50, p90, p99, p999, max, .. }) => {
            write!(out, "{name:<32}")?;
            for figure in [p50, p90, p99, p999, max] {
                write!(out, "{:>9.2}", figure * to_us)?;
            }
            writeln!(out)
        }
    }
}

/// Runs a daemon and sends it the wakes; returns their round trips, ns, and what the daemon said at its end.
fn drive(
    socket: &Path,
    database: &Path,
    frames: u32,
    interrupt: &Interrupt,
) -> Result<(Vec<f64>, String), Failure> {
    // Closed loop on one machine: the wakes come faster than rows can be written, so the ring takes them all.
    let daemon = Spawned::daemon(socket, database, frames.next_power_of_two().max(8_192), &[])?;
    let round_trips = send(socket, frames, interrupt)?;
    Ok((round_trips, daemon.stop()?))
}

/// Sends the wakes one by one; returns their round trips, ns.
fn send(socket: &Path, frames: u32, interrupt: &Interrupt) -> Result<Vec<f64>, Failure> {
    let mut client = Client::connect(socket)?;
    let domain = ClockDomain::here();
    let mut round_trips = Vec::with_capacity(frames as usize);
    for index in 0..frames {
        if interrupt.came() {
            return Err(DemoError::Interrupted.into());
        }
        let correlation_id = format!("demo-{index}");
        let sent_at_ns = monotonic_ns();
        let sent_at_ms = wall_ms();
        let ack = client.round_trip(&WakeMessage {
            schema_version: SCHEMA_VERSION,
            correlation_id: &correlation_id,
            market_ticker: "KXBTCD-26NOV3017-T98249.99",
            asset: "BTC",
            direction: if index % 2 == 0 { Direction::Yes } else { Direction::No },
            kalshi_price: 0.42,
            model_probability: 0.515,
            fee: 0.0171,
            edge: 0.0779,
            decision_ts_ms: sent_at_ms,
            sent_at_ms,
            sent_at_ns: sent_at_ns as i64,
            recv_ns: sent_at_ns as i64,
            clock_domain: domain.as_str(),
            dry_run: true,
            wire_price_yes_dollars: 0.42,
            exchange_index: -1,
            available_size_contracts: 17.5,
            price_ranges: DEFAULT_PRICE_RANGES,
            correlation_group: "BTC",
        })?;
        if ack.status != Status::Accepted {
            let reason = ack.reason.unwrap_or_default().to_owned();
            return Err(DemoError::NotAccepted { index, reason }.into());
        }
        round_trips.push((monotonic_ns() - sent_at_ns) as f64);
    }
    Ok(round_trips)
}

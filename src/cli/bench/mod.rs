//! `wakeline bench`: what the parts cost, each beside what it is to be measured against.
//!
//! - `components`: the list of what can be measured. `arguments`: how.
//! - In this process: `decode`, `encode_ack`, `fire`, `telemetry_push`, `telemetry_rows`, `telemetry_latency`, `telemetry_idle`,
//!   `sign`; `turns` times those that are one call, `peers` has other libraries for the same work (`typed_wake` is what
//!   they decode into), `golden` and `wake` the
//!   frames, `recording` a database.
//! - Through a socket: `sockets` drives the real daemon and `echo`, its floor, in pairs of runs.
//! - `report`: what came out, `compare` its ratios; `table`, `json` and `history` write it down, `receipt` says where
//!   it was made.

mod arguments;
mod compare;
mod components;
mod decode;
mod echo;
mod encode_ack;
mod error;
mod fire;
mod golden;
mod history;
mod json;
#[cfg_attr(not(feature = "bench-peers"), path = "no_peers.rs")]
mod peers;
mod pin;
mod plan;
mod progress;
mod python;
mod receipt;
mod recording;
mod replay;
mod report;
mod sign;
mod sockets;
mod table;
mod telemetry_idle;
mod telemetry_latency;
mod telemetry_push;
mod telemetry_rows;
mod turns;
#[cfg(feature = "bench-peers")]
mod typed_wake;
mod wake;

use std::io::Write;
use std::process::ExitCode;

use arguments::Session;

pub(super) use arguments::BenchArguments;
pub(super) use echo::{EchoArguments, run as run_echo};

use super::interrupt::Interrupt;
use super::{Outcome, say};
use crate::wire;
use error::BenchError;
use history::History;
use pin::Placement;
use plan::Plan;
use progress::Progress;
use receipt::Receipt;
use table::Table;

pub(super) fn run(arguments: &BenchArguments) -> Outcome {
    let interrupt = Interrupt::watch()?;
    match measure(arguments, &interrupt) {
        // The signal went to what runs on our behalf too, and its end may be what was noticed first.
        Err(_) if interrupt.came() => Err(BenchError::Interrupted.into()),
        outcome => outcome,
    }
}

fn measure(arguments: &BenchArguments, interrupt: &Interrupt) -> Outcome {
    // What would be refused after a long run is refused before it.
    let history = arguments.csv.as_deref().map(History::open).transpose()?;
    // Before a pin takes processors away from this process.
    let receipt = Receipt::of(arguments)?;
    let placement = Placement::take(arguments.pin.as_ref())?;
    let plan = Plan { arguments, placement, progress: Progress::new(interrupt.clone()) };
    let sections = match &arguments.session {
        Some(Session::Replay(what)) => vec![replay::measure(&plan, what)?],
        None => components::measure(&plan)?,
    };
    plan.progress.clear();

    let printed = if arguments.json {
        format!("{:#}\n", json::document(&receipt, &sections))
    } else {
        let tables = sections.iter().map(|section| format!("\n{}", Table(section)));
        std::iter::once(receipt.to_string()).chain(tables).collect()
    };
    std::io::stdout().write_all(printed.as_bytes()).map_err(BenchError::Print)?;
    if let Some(history) = history {
        let rows = history.append(&receipt, &sections)?;
        say(&format!("{rows} rows were appended to {history}"));
    }
    Ok(ExitCode::SUCCESS)
}

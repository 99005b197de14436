//! `wakeline synth`: makes a synthetic session.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::interrupt::Interrupt;
use super::progress::Progress;
use super::{Outcome, stdout};
use crate::log::feedlog::{OutputFile, Unfinished, WriteError, Writer, Written};
use crate::replay::synth::{LEAD_MS, Plan, STEPS, Session};

#[derive(Debug, Args)]
pub(super) struct SynthArguments {
    /// The capture to make; packed if it ends in .gz or .zst, `-` for standard output.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Steps of the price, 100 ms each.
    #[arg(long, value_name = "N", default_value_t = Plan::default().steps, value_parser = clap::value_parser!(u32).range(i64::from(*STEPS.start())..=i64::from(*STEPS.end())))]
    steps: u32,
    /// How much later Polymarket moves than Kalshi; negative when it moves first.
    #[arg(long, value_name = "MS", default_value_t = Plan::default().lead_ms, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(LEAD_MS))]
    lead_ms: i64,
    /// What the random numbers begin with; the same arguments make the same bytes.
    #[arg(long, value_name = "N", default_value_t = Plan::default().seed)]
    seed: u32,
}

pub(super) const EXAMPLE: &str = "\
Example:
  wakeline synth session.feedlog.zst --steps 20000 --lead-ms 250
  wakeline log check session.feedlog.zst

The session has one event, SYN-DEMO at Kalshi and token 1000001 at Polymarket. Its file appears under its name when it is whole.";

pub(super) fn run(arguments: &SynthArguments) -> Outcome {
    let SynthArguments { out, steps, lead_ms, seed } = arguments;
    let plan = Plan { steps: *steps, lead_ms: *lead_ms, seed: *seed };
    let interrupt = Interrupt::watch()?;
    let writer = Writer::create(out, Unfinished::Remove)?;
    let to_stdout = out.as_os_str() == "-";
    let written = match make(&plan, writer, &interrupt, !to_stdout) {
        Ok(Some(written)) => written,
        Ok(None) => return Err(format!("interrupted; {} was not written", out.display()).into()),
        Err(error) if error.reader_went_away() => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(error.into()),
    };
    if !to_stdout {
        stdout::print(&format!("{}: {} records, {} bytes\n", out.display(), written.records, written.bytes))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the session; `None` when a signal came first.
fn make(
    plan: &Plan,
    mut writer: Writer<OutputFile>,
    interrupt: &Interrupt,
    show: bool,
) -> Result<Option<Written>, WriteError> {
    let mut progress = Progress::new("synthetic session".to_owned(), show.then(|| u64::from(plan.steps)));
    let mut session = Session::new(plan);
    while let Some(record) = session.next_record() {
        writer.record(record.recv_ns, record.venue.name(), record.payload.as_bytes())?;
        if interrupt.came() {
            return Ok(None);
        }
        progress.step(|| u64::from(session.steps_done()));
    }
    writer.finish().map(Some)
}

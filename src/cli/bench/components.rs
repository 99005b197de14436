//! The list of what can be measured.

use clap::ValueEnum;

use super::error::BenchError;
use super::plan::Plan;
use super::report::Section;
use super::{
    decode, encode_ack, fire, sign, sockets, telemetry_idle, telemetry_latency, telemetry_push,
    telemetry_rows,
};
use crate::cli::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Component {
    /// Everything below
    All,
    /// The benchmark's frame and every golden one, from a body's first byte to a checked message
    Decode,
    /// A decoded message in hand to the ack's bytes
    EncodeAck,
    /// A price onto the market's grid
    Snap,
    /// An order from its market's template
    Template,
    /// A row into the telemetry ring
    #[value(alias = "push")]
    TelemetryPush,
    /// Rows a second into SQLite, beside naive inserts
    #[value(alias = "telemetry")]
    TelemetryRows,
    /// How soon another connection sees a row
    TelemetryLatency,
    /// The CPU time of a writer that has nothing to write
    TelemetryIdle,
    /// A signature, beside the bare operation of the same OpenSSL and Python's `cryptography`
    Sign,
    /// A wake's write to its ack's read, beside an echo's
    Roundtrip,
    /// The daemon's own span, beside an echo's
    WakeRecv,
}

/// Measures what was named, each thing once, in the order of the list.
pub(super) fn measure(plan: &Plan<'_>) -> Result<Vec<Section>, Failure> {
    let named = &plan.arguments.components;
    let wanted = |component| named.contains(&component) || named.contains(&Component::All);
    let mut sections = Vec::new();
    if wanted(Component::Decode) {
        sections.extend(decode::measure(plan)?);
    }
    if wanted(Component::EncodeAck) {
        sections.push(encode_ack::measure(plan)?);
    }
    if wanted(Component::Snap) {
        sections.push(fire::snap(plan)?);
    }
    if wanted(Component::Template) {
        sections.push(fire::template(plan)?);
    }
    if wanted(Component::TelemetryPush) {
        sections.push(telemetry_push::measure(plan)?);
    }
    if wanted(Component::TelemetryRows) {
        sections.extend(telemetry_rows::measure(plan)?);
    }
    if wanted(Component::TelemetryLatency) {
        sections.push(telemetry_latency::measure(plan)?);
    }
    if wanted(Component::TelemetryIdle) {
        sections.push(telemetry_idle::measure(plan)?);
    }
    if wanted(Component::Sign) {
        sections.push(sign::measure(plan)?);
    }
    // The same runs have both.
    let (roundtrip, wake_recv) = (wanted(Component::Roundtrip), wanted(Component::WakeRecv));
    if roundtrip || wake_recv {
        let both = sockets::measure(plan)?;
        sections.extend(roundtrip.then_some(both.roundtrip));
        sections.extend(wake_recv.then_some(both.wake_recv));
    }
    sections.iter().try_for_each(all_there)?;
    Ok(sections)
}

fn all_there(section: &Section) -> Result<(), BenchError> {
    for (series, run) in
        section.series.iter().flat_map(|series| series.runs.iter().map(move |run| (series, run)))
    {
        if run.len() != section.samples as usize {
            let (what, found) = (format!("{} ({})", section.benchmark, series.name), run.len());
            return Err(BenchError::TooFew { what, found, wanted: section.samples });
        }
    }
    Ok(())
}

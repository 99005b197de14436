//! Decoding: the benchmark's frame beside other libraries, then every golden frame.

use std::hint::black_box;

use super::compare::Comparison;
use super::error::BenchError;
use super::golden::{self, Golden};
use super::plan::Plan;
use super::report::{Section, Series, Unit};
use super::turns::{self, Kind};
use super::{peers, wake};
use crate::cli::Failure;
use crate::wire::Decoder;

/// Bodies from this length on are timed one by one.
const LARGE_BYTES: usize = 16_384;

pub(super) fn measure(plan: &Plan<'_>) -> Result<Vec<Section>, Failure> {
    let (acks, wakes): (Vec<_>, Vec<_>) = golden::frames()?.into_iter().partition(Golden::is_ack);
    let acks_title = "golden acks, as a client decodes them".to_owned();
    Ok(vec![
        benchmark_frame(plan)?,
        section(plan, "golden wakes".to_owned(), golden_series(plan, wakes)?),
        section(plan, acks_title, golden_series(plan, acks)?),
    ])
}

fn benchmark_frame(plan: &Plan<'_>) -> Result<Section, Failure> {
    let body = wake::body();
    let bytes = body.len();
    let mut kinds =
        vec![wake_kind("wakeline", format!("frame=benchmark bytes={bytes} kind=wakeline"), body.clone())];
    kinds.extend(peers::decoders(&body)?);
    let series = turns::take(plan, "decode", Unit::Ns, kinds, None)?;
    let title = format!(
        "the benchmark's wake of {bytes} bytes, from its first byte to a message with every rule checked"
    );
    let mut section = section(plan, title, series);
    section.comparisons = Comparison::of_first(&section.series);
    section.notes.extend(peers::DECODERS_NOTE.map(str::to_owned));
    Ok(section)
}

fn section(plan: &Plan<'_>, title: String, series: Vec<Series>) -> Section {
    plan.section("decode", title, Unit::Ns, series, vec![turns::batch_note()])
}

fn golden_series(plan: &Plan<'_>, frames: Vec<Golden>) -> Result<Vec<Series>, Failure> {
    let kinds = frames.into_iter().map(golden_kind).collect::<Result<_, _>>()?;
    turns::take(plan, "decode, golden frames", Unit::Ns, kinds, None)
}

fn golden_kind(golden: Golden) -> Result<Kind<'static>, BenchError> {
    let mut decoder = Decoder::new();
    let refused = if golden.is_ack() {
        decoder.ack(&golden.body).is_err()
    } else {
        decoder.wake(&golden.body).is_err()
    };
    if refused != golden.is_refused() {
        return Err(BenchError::WrongVerdict { frame: golden.name.to_owned() });
    }
    let is_ack = golden.is_ack();
    let Golden { name, body } = golden;
    let config = format!("frame={name} bytes={} kind=wakeline", body.len());
    let verdict = if refused { ", refused" } else { "" };
    let name = format!("{name}, {} bytes{verdict}", body.len());
    Ok(if is_ack {
        Kind::small(name, config, move || {
            let _ = black_box(&decoder.ack(black_box(&body)));
        })
    } else {
        wake_kind(&name, config, body)
    })
}

fn wake_kind(name: &str, config: String, body: Vec<u8>) -> Kind<'static> {
    let mut decoder = Decoder::new();
    let large = body.len() >= LARGE_BYTES;
    let mut work = move || {
        // Every field, not only whether there are any: what nobody looks at need not be computed.
        let _ = black_box(&decoder.wake(black_box(&body)));
    };
    if large {
        let one = move || {
            work();
            Ok(())
        };
        Kind::large(format!("{name}, one by one"), config, one)
    } else {
        Kind::small(name, config, work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wake_has_the_size_it_is_quoted_with() {
        assert_eq!(wake::body().len(), 491);
    }
}

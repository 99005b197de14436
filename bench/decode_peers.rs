//! Other JSON libraries beside our decoder: `cargo bench --features bench-peers --bench decode_peers`.
//!
//! Each makes a typed wake of the same bodies: every field in its own type, strings borrowed where they have no escapes,
//! unknown keys refused, UTF-8 checked. Not quite the same work: theirs allocate the price ranges and don't say of a bad
//! body what orjson says; serde_json as it comes (without `float_roundtrip`) is a bit off for doubles of 17 digits.
//!
//! Built as everything here is, for the oldest processor of its kind, though sonic-rs is written for newer ones
//! (`-C target-cpu`).
#![allow(clippy::expect_used, reason = "a benchmark that can't start has nobody to tell but its reader")]

use std::hint::black_box;

use divan::Bencher;
use wakeline::wire::{self, Decoder, WakeMessage};

mod common;
#[path = "../src/cli/bench/typed_wake.rs"]
mod typed_wake;

use common::bodies;
use common::counting::{NamedPart, Part, counted_instead};
use typed_wake::{Direction, Wake};

const PARTS: [NamedPart; 4] = [
    ("decode_serde_json", || serde_json(bodies::predicted())),
    ("decode_serde_json_shuffled", || serde_json(bodies::shuffled())),
    ("decode_sonic_rs", || sonic_rs(bodies::predicted())),
    ("decode_sonic_rs_shuffled", || sonic_rs(bodies::shuffled())),
];

const BODIES: [&str; 5] = ["predicted", "shuffled", "smallest", "many_ranges", "longest"];

fn main() {
    if !counted_instead(&PARTS) {
        divan::main();
    }
}

#[divan::bench(name = "wakeline", args = BODIES, sample_count = 2_000, sample_size = 64)]
fn ours(bencher: Bencher<'_, '_>, body: &str) {
    let (body, mut decoder) = (named(body), Decoder::new());
    bencher.bench_local(|| black_box(&decoder.wake(black_box(&body))).is_ok());
}

#[divan::bench(name = "serde_json", args = BODIES, sample_count = 2_000, sample_size = 64)]
fn of_serde_json(bencher: Bencher<'_, '_>, body: &str) {
    bencher.bench_local(serde_json(named(body)));
}

#[divan::bench(name = "sonic_rs", args = BODIES, sample_count = 2_000, sample_size = 64)]
fn of_sonic_rs(bencher: Bencher<'_, '_>, body: &str) {
    bencher.bench_local(sonic_rs(named(body)));
}

fn named(body: &str) -> Vec<u8> {
    match body {
        "predicted" => bodies::predicted(),
        "shuffled" => bodies::shuffled(),
        "smallest" => bodies::smallest(),
        "many_ranges" => bodies::many_ranges(),
        _ => bodies::longest(),
    }
}

fn serde_json(body: Vec<u8>) -> Part {
    same_as_ours(&body, ::serde_json::from_slice(&body).expect("a wake"), 1);
    Box::new(move || {
        black_box(&::serde_json::from_slice::<Wake<'_>>(black_box(&body)));
    })
}

fn sonic_rs(body: Vec<u8>) -> Part {
    same_as_ours(&body, ::sonic_rs::from_slice(&body).expect("a wake"), 0);
    Box::new(move || {
        black_box(&::sonic_rs::from_slice::<Wake<'_>>(black_box(&body)));
    })
}

/// Nobody is quick by reading something else: the same wake, with doubles of price ranges at most so many steps apart.
fn same_as_ours(body: &[u8], theirs: Wake<'_>, steps: u64) {
    let (mut decoder, mut ranges) = (Decoder::new(), Vec::new());
    let (ours, theirs) = (decoder.wake(body).expect("a wake"), message(&theirs, &mut ranges));
    let doubles = |wake: &WakeMessage<'_>| -> Vec<u64> {
        let ranges = wake.price_ranges.iter();
        ranges.flat_map(|range| [range.start, range.end, range.step]).map(f64::to_bits).collect()
    };
    let (our_doubles, their_doubles) = (doubles(&ours), doubles(&theirs));
    assert_eq!(our_doubles.len(), their_doubles.len());
    assert!(our_doubles.iter().zip(&their_doubles).all(|(ours, theirs)| ours.abs_diff(*theirs) <= steps));
    assert_eq!(WakeMessage { price_ranges: &[], ..ours }, WakeMessage { price_ranges: &[], ..theirs });
}

/// The same wake as our decoder has it.
fn message<'b>(wake: &'b Wake<'_>, ranges: &'b mut Vec<wire::PriceRange>) -> WakeMessage<'b> {
    ranges.extend(wake.price_ranges.iter().map(|&[start, end, step]| wire::PriceRange { start, end, step }));
    WakeMessage {
        schema_version: wake.schema_version,
        correlation_id: &wake.correlation_id,
        market_ticker: &wake.market_ticker,
        asset: &wake.asset,
        direction: match wake.direction {
            Direction::Yes => wire::Direction::Yes,
            Direction::No => wire::Direction::No,
        },
        kalshi_price: wake.kalshi_price,
        model_probability: wake.model_probability,
        fee: wake.fee,
        edge: wake.edge,
        decision_ts_ms: wake.decision_ts_ms,
        sent_at_ms: wake.sent_at_ms,
        sent_at_ns: wake.sent_at_ns,
        recv_ns: wake.recv_ns,
        clock_domain: &wake.clock_domain,
        dry_run: wake.dry_run,
        wire_price_yes_dollars: wake.wire_price_yes_dollars,
        exchange_index: wake.exchange_index,
        available_size_contracts: wake.available_size_contracts,
        price_ranges: ranges,
        correlation_group: &wake.correlation_group,
    }
}

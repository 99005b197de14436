//! Other JSON libraries beside our decoder: `cargo bench --features bench-peers --bench decode_peers`.
//!
//! Each makes a typed wake of the same bodies: every field in its own type, strings borrowed where they have no escapes,
//! unknown keys refused, UTF-8 checked. Not quite the same work: theirs allocate the price ranges and don't say of a bad
//! body what orjson says; serde_json as it comes (without `float_roundtrip`) is a bit off for doubles of 17 digits.
//!
//! Built as everything here is, for the oldest processor of its kind, though sonic-rs is written for newer ones
//! (`-C target-cpu`).
#![allow(clippy::expect_used, reason = "a benchmark that can't start has nobody to tell but its reader")]

use std::borrow::Cow;
use std::hint::black_box;

use divan::Bencher;
use serde::Deserialize;
use wakeline::wire::{self, Decoder, WakeMessage};

mod common;

use common::bodies;
use common::counting::{NamedPart, Part, counted_instead};

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
    let (ours, theirs) = (decoder.wake(body).expect("a wake"), theirs.message(&mut ranges));
    let doubles = |wake: &WakeMessage<'_>| -> Vec<u64> {
        let ranges = wake.price_ranges.iter();
        ranges.flat_map(|range| [range.start, range.end, range.step]).map(f64::to_bits).collect()
    };
    let (our_doubles, their_doubles) = (doubles(&ours), doubles(&theirs));
    assert_eq!(our_doubles.len(), their_doubles.len());
    assert!(our_doubles.iter().zip(&their_doubles).all(|(ours, theirs)| ours.abs_diff(*theirs) <= steps));
    assert_eq!(WakeMessage { price_ranges: &[], ..ours }, WakeMessage { price_ranges: &[], ..theirs });
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Yes,
    No,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wake<'a> {
    schema_version: i64,
    #[serde(borrow)]
    correlation_id: Cow<'a, str>,
    #[serde(borrow)]
    market_ticker: Cow<'a, str>,
    #[serde(borrow)]
    asset: Cow<'a, str>,
    direction: Direction,
    kalshi_price: f64,
    model_probability: f64,
    fee: f64,
    edge: f64,
    decision_ts_ms: i64,
    sent_at_ms: i64,
    sent_at_ns: i64,
    #[serde(default)]
    recv_ns: i64,
    #[serde(borrow, default)]
    clock_domain: Cow<'a, str>,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    wire_price_yes_dollars: f64,
    #[serde(default = "no_index")]
    exchange_index: i64,
    #[serde(default)]
    available_size_contracts: f64,
    #[serde(default = "cent_grid")]
    price_ranges: Vec<[f64; 3]>,
    #[serde(borrow, default)]
    correlation_group: Cow<'a, str>,
}

fn no_index() -> i64 {
    -1
}

fn cent_grid() -> Vec<[f64; 3]> {
    vec![[0.0, 1.0, 0.01]]
}

impl Wake<'_> {
    fn message<'b>(&'b self, ranges: &'b mut Vec<wire::PriceRange>) -> WakeMessage<'b> {
        ranges.extend(self.price_ranges.iter().map(|&[start, end, step]| wire::PriceRange {
            start,
            end,
            step,
        }));
        WakeMessage {
            schema_version: self.schema_version,
            correlation_id: &self.correlation_id,
            market_ticker: &self.market_ticker,
            asset: &self.asset,
            direction: match self.direction {
                Direction::Yes => wire::Direction::Yes,
                Direction::No => wire::Direction::No,
            },
            kalshi_price: self.kalshi_price,
            model_probability: self.model_probability,
            fee: self.fee,
            edge: self.edge,
            decision_ts_ms: self.decision_ts_ms,
            sent_at_ms: self.sent_at_ms,
            sent_at_ns: self.sent_at_ns,
            recv_ns: self.recv_ns,
            clock_domain: &self.clock_domain,
            dry_run: self.dry_run,
            wire_price_yes_dollars: self.wire_price_yes_dollars,
            exchange_index: self.exchange_index,
            available_size_contracts: self.available_size_contracts,
            price_ranges: ranges,
            correlation_group: &self.correlation_group,
        }
    }
}

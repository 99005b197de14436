//! What one frame costs, part by part: `cargo bench --bench hot_path`.
//!
//! With `WAKELINE_BENCH_COUNT=PART:N` it runs one part N times and nothing else, for `bench/instructions.sh`.
#![allow(clippy::expect_used, reason = "a benchmark that can't start has nobody to tell but its reader")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use wakeline::fire::{DispatchNothing, Fire, OrderPolicy, snap_to_grid};
use wakeline::measure::percentiles::{Summary, percentile};
use wakeline::telemetry::{Options, Recorder, Stage, Telemetry};
use wakeline::wire::message::DEFAULT_PRICE_RANGES;
use wakeline::wire::{Decoder, Status, WakeAck, encode};

mod common;

use common::benchmark_wake;

const ID: &str = "0f2c6d0e9b8a4c7d8e1f23456789abcd";

const WARM_UP: usize = 200;
const ROUNDS: usize = 2_000;

/// A part of the hot path that can be run again and again.
type Part = Box<dyn FnMut()>;

fn parts(recorder: Recorder) -> Vec<(&'static str, Part)> {
    let mut body = Vec::new();
    encode::wake_body(&mut body, &benchmark_wake(ID));
    let (typed, tree_free) = (body.clone(), body.clone());
    let mut decoder = Decoder::new();
    let mut out = Vec::with_capacity(1024);
    let mut wake_out = Vec::with_capacity(1024);
    let mut fire = Fire::new(None, OrderPolicy::default(), Box::new(DispatchNothing));
    vec![
        (
            "decode",
            Box::new(move || {
                black_box(decoder.wake(black_box(&body)).is_ok());
            }),
        ),
        (
            "decode_serde_json",
            Box::new(move || {
                black_box(serde_json::from_slice::<typed::Wake<'_>>(black_box(&typed)).is_ok());
            }),
        ),
        (
            "decode_utf8_check_alone",
            Box::new(move || {
                black_box(std::str::from_utf8(black_box(&tree_free)).is_ok());
            }),
        ),
        (
            "encode_ack",
            Box::new(move || {
                out.clear();
                let ack = WakeAck {
                    schema_version: 4,
                    correlation_id: ID,
                    received_at_ms: 1_790_000_000_123,
                    status: Status::Accepted,
                    reason: None,
                };
                black_box(encode::ack_frame(&mut out, black_box(&ack)));
            }),
        ),
        (
            "encode_wake",
            Box::new(move || {
                wake_out.clear();
                black_box(encode::wake_frame(&mut wake_out, black_box(&benchmark_wake(ID))));
            }),
        ),
        (
            "snap",
            Box::new(|| {
                black_box(snap_to_grid(black_box(0.4237), DEFAULT_PRICE_RANGES));
            }),
        ),
        (
            "fire",
            Box::new(move || {
                black_box(fire.run(black_box(&benchmark_wake(ID))));
            }),
        ),
        (
            "push",
            Box::new(move || {
                black_box(recorder.push(black_box(ID), Stage::WakeRecv, 1, 2, 0.001, false));
            }),
        ),
    ]
}

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = Options { ring_capacity: 1 << 20, ..Options::default() };
    let telemetry = Telemetry::start(&directory.path().join("bench.db"), options).expect("a database");
    measure(telemetry.recorder());
    telemetry.finish(Instant::now() + Duration::from_secs(60));
}

fn measure(recorder: Recorder) {
    if let Ok(count) = std::env::var("WAKELINE_BENCH_COUNT") {
        let (name, times) = count.split_once(':').expect("PART:N");
        let times: u64 = times.parse().expect("a number of runs");
        let (_, mut part) =
            parts(recorder).into_iter().find(|(part, _)| *part == name).expect("a part's name");
        counted(&mut part, times);
        return;
    }
    // Part by part in each round, so that a machine that changes its speed changes it for all of them.
    let mut parts = parts(recorder);
    let mut samples = vec![Vec::with_capacity(ROUNDS); parts.len()];
    for round in 0..WARM_UP + ROUNDS {
        for ((_, part), sample) in parts.iter_mut().zip(&mut samples) {
            let ns = batch_ns(part);
            if round >= WARM_UP {
                sample.push(ns);
            }
        }
    }
    let of = |wanted: &str| parts.iter().position(|(name, _)| *name == wanted).expect("a part's name");
    let pairs = samples[of("decode")].iter().zip(&samples[of("decode_serde_json")]);
    let mut ratios: Vec<f64> = pairs.map(|(ours, theirs)| ours / theirs).collect();
    println!("ns a run, batches of 64, {ROUNDS} rounds after {WARM_UP}");
    println!("{:<26}{:>9}{:>9}{:>9}{:>9}", "", "min", "p50", "p90", "p99");
    for ((name, _), sample) in parts.iter().zip(&mut samples) {
        let min = sample.iter().copied().fold(f64::INFINITY, f64::min);
        if let Some(Summary { p50, p90, p99, .. }) = Summary::of(sample) {
            println!("{name:<26}{min:>9.1}{p50:>9.1}{p90:>9.1}{p99:>9.1}");
        }
    }
    ratios.sort_by(f64::total_cmp);
    let [low, median, high] = [0.05, 0.5, 0.95].map(|p| percentile(&ratios, p).unwrap_or(f64::NAN));
    println!("decode / decode_serde_json, by round: median {median:.3} (p5 {low:.3}, p95 {high:.3})");
}

/// What callgrind is told to count.
#[inline(never)]
fn counted(part: &mut Part, times: u64) {
    (0..times).for_each(|_| part());
}

fn batch_ns(part: &mut Part) -> f64 {
    const BATCH: u32 = 64;
    let start = Instant::now();
    (0..BATCH).for_each(|_| part());
    start.elapsed().as_nanos() as f64 / f64::from(BATCH)
}

/// The same message for a general-purpose decoder.
mod typed {
    #[derive(serde::Deserialize)]
    #[allow(dead_code, reason = "decoded, not read")]
    pub(super) struct Wake<'a> {
        schema_version: i64,
        correlation_id: &'a str,
        market_ticker: &'a str,
        asset: &'a str,
        direction: &'a str,
        kalshi_price: f64,
        model_probability: f64,
        fee: f64,
        edge: f64,
        decision_ts_ms: i64,
        sent_at_ms: i64,
        sent_at_ns: i64,
        recv_ns: i64,
        clock_domain: &'a str,
        dry_run: bool,
        wire_price_yes_dollars: f64,
        exchange_index: i64,
        available_size_contracts: f64,
        price_ranges: Vec<[f64; 3]>,
        correlation_group: &'a str,
    }
}

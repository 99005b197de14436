//! What one frame costs, part by part: `cargo bench --bench hot_path [NAME...]`, times by divan.
//!
//! Parts run one after the other, so a machine that changes its speed changes it between them, and batches keep caches
//! and branch predictors warm. `bench/instructions.sh` counts the same parts in instructions, which don't depend on that.
#![allow(clippy::expect_used, reason = "a benchmark that can't start has nobody to tell but its reader")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use divan::Bencher;
use openssl::rsa::Rsa;
use tempfile::TempDir;
use wakeline::fire::{
    DispatchNothing, FIXED_CONTRACTS, Fire, FireCounters, OrderPolicy, OrderTemplates, snap_to_grid,
};
use wakeline::signer::{Signer, Timestamp};
use wakeline::telemetry::{DEFAULT_RING_CAPACITY, Options, Recorder, Stage, Telemetry};
use wakeline::wire::message::DEFAULT_PRICE_RANGES;
use wakeline::wire::{Decoder, encode};

mod common;

use common::bodies;
use common::counting::{NamedPart, Part, counted_instead};
use common::wake::{self, ID};

const PARTS: [NamedPart; 12] = [
    ("nothing", || Box::new(|| ())),
    ("decode", || decode(bodies::predicted())),
    ("decode_shuffled", || decode(bodies::shuffled())),
    ("decode_smallest", || decode(bodies::smallest())),
    ("decode_many_ranges", || decode(bodies::many_ranges())),
    ("decode_longest", || decode(bodies::longest())),
    ("encode_ack", encode_ack),
    ("encode_wake", encode_wake),
    ("snap", snap),
    ("template", template),
    ("fire", fire),
    ("push", push),
];

/// All parts but the last: `push` takes a number of samples of its own.
const NAMES: [&str; PARTS.len() - 1] = {
    let mut names = [""; PARTS.len() - 1];
    let mut index = 0;
    while index < names.len() {
        names[index] = PARTS[index].0;
        index += 1;
    }
    names
};

const SAMPLES: u32 = 2_000;
const RUNS_A_SAMPLE: u32 = 64;

/// Their rows fit the daemon's own ring, should the writer not empty it meanwhile. A longer ring would be out of the caches.
const PUSH_SAMPLES: u32 = DEFAULT_RING_CAPACITY as u32 / RUNS_A_SAMPLE - 1;

fn main() {
    if !counted_instead(&PARTS) {
        divan::main();
    }
}

#[divan::bench(args = NAMES, sample_count = SAMPLES, sample_size = RUNS_A_SAMPLE)]
fn part(bencher: Bencher<'_, '_>, name: &str) {
    let (_, set_up) = PARTS.iter().find(|(part, _)| *part == name).expect("a part's name");
    bencher.bench_local(set_up());
}

#[divan::bench(name = "push", sample_count = PUSH_SAMPLES, sample_size = RUNS_A_SAMPLE)]
fn timed_push(bencher: Bencher<'_, '_>) {
    bencher.bench_local(push());
}

/// Not among the counted parts: its instructions are OpenSSL's.
#[divan::bench(sample_count = SAMPLES, sample_size = 1)]
fn sign(bencher: Bencher<'_, '_>) {
    let key = Rsa::generate(2_048).expect("a key").private_key_to_pem().expect("a key's PEM");
    let mut signer = Signer::from_pem(&key).expect("a signer");
    let timestamp = Timestamp::now().expect("the time");
    let mut signature = String::new();
    bencher.bench_local(|| {
        let signed = signer.sign(&timestamp, "GET", "/trade-api/v2/portfolio/balance", &mut signature);
        signed.expect("a signature");
    });
}

/// The whole message is in memory at the end, as it is for what comes next in the executor.
fn decode(body: Vec<u8>) -> Part {
    let mut decoder = Decoder::new();
    let mut run = move || black_box(&decoder.wake(black_box(&body))).is_ok();
    assert!(run(), "a refusal would be measured");
    Box::new(move || {
        run();
    })
}

fn encode_ack() -> Part {
    let mut out = Vec::with_capacity(1024);
    let ack = wake::ack(ID);
    Box::new(move || {
        out.clear();
        black_box(encode::ack_frame(&mut out, black_box(&ack)));
    })
}

fn encode_wake() -> Part {
    let mut out = Vec::with_capacity(1024);
    let wake = wake::wake(ID);
    Box::new(move || {
        out.clear();
        black_box(encode::wake_frame(&mut out, black_box(&wake)));
    })
}

fn snap() -> Part {
    Box::new(|| {
        black_box(snap_to_grid(black_box(0.4237), DEFAULT_PRICE_RANGES));
    })
}

/// The order's body from its template, found again.
fn template() -> Part {
    let mut templates = OrderTemplates::new(OrderPolicy::default());
    let wake = wake::wake(ID);
    let mut body = String::with_capacity(1024);
    Box::new(move || {
        body.clear();
        let wake = black_box(&wake);
        let order = templates.get(wake.market_ticker, wake.direction).fill(FIXED_CONTRACTS, 0.42, wake);
        black_box(order.write_body(wake.correlation_id, &mut body).is_ok());
    })
}

/// Every stage to the dispatch, for an id that isn't remembered, when as many are as ever will be.
fn fire() -> Part {
    let mut fire = Fire::new(None, OrderPolicy::default(), Box::new(DispatchNothing));
    let mut wake = wake::wake(ID);
    let ids = FreshIds::new();
    for index in 0..FreshIds::COUNT {
        wake.correlation_id = ids.get(index);
        fire.run(&wake);
    }
    let FireCounters { fired, duplicate_correlation_id, .. } = fire.counters();
    assert_eq!(
        (*fired, *duplicate_correlation_id),
        (FreshIds::COUNT as u64, 0),
        "another way would be measured"
    );
    let mut next = 0;
    Box::new(move || {
        wake.correlation_id = ids.get(next);
        next += 1;
        black_box(fire.run(black_box(&wake)));
    })
}

/// Ids that come again after twice as many as the executor remembers.
#[derive(Clone, Copy)]
struct FreshIds(&'static str);

impl FreshIds {
    const COUNT: usize = 8_192;

    fn new() -> Self {
        // An id at each place of one text: so many strings of their own would be memory that no real id comes from.
        let digits = (0_u64..).map(|index| format!("{:016x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let text: String = digits.take((Self::COUNT + ID.len()) / 16).collect();
        Self(text.leak())
    }

    fn get(self, index: usize) -> &'static str {
        let start = index % Self::COUNT;
        &self.0[start..start + ID.len()]
    }
}

fn push() -> Part {
    let mut pushing = Pushing::new();
    Box::new(move || {
        black_box(pushing.recorder.push(black_box(ID), Stage::WakeRecv, 1, 2, 0.001, false));
    })
}

/// A recorder and what stands behind it.
struct Pushing {
    recorder: Recorder,
    telemetry: Telemetry,
    _directory: TempDir,
}

impl Pushing {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let database = directory.path().join("bench.db");
        let (telemetry, recorder) = Telemetry::start(&database, Options::default()).expect("a database");
        Self { recorder, telemetry, _directory: directory }
    }
}

impl Drop for Pushing {
    fn drop(&mut self) {
        let counts = self.telemetry.finish(Instant::now() + Duration::from_secs(60));
        assert_eq!(counts.dropped_ring_full, 0, "pushes into a full ring were measured: take fewer samples");
    }
}

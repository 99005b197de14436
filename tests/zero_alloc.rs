//! The whole way of a frame through the daemon's thread (wait, read, decode, ack, telemetry push, fire with its look at the kill switch) allocates
//! nothing once it is warm.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use wakeline::executor::client::Client;
use wakeline::executor::{ServeOptions, serve};
use wakeline::fire::{Dispatch, Fire, KillSwitch, Order, OrderPolicy};
use wakeline::memory::counting::{CountingAllocator, allocations_on_this_thread};
use wakeline::wire::message::DEFAULT_PRICE_RANGES;
use wakeline::wire::{Direction, PriceRange, Status, WakeMessage};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const WARM_UP: u64 = 5_000;
const MEASURED: u64 = 5_000;
const END: u64 = WARM_UP + MEASURED;

/// Sits at the end of the path, on the daemon's thread, and reads its allocation count.
struct Witness {
    fired: u64,
    counts: Arc<[AtomicU64; 2]>,
}

impl Dispatch for Witness {
    fn dispatch(&mut self, _order: &Order<'_>) {
        self.fired += 1;
        match self.fired {
            WARM_UP => self.counts[0].store(allocations_on_this_thread(), Relaxed),
            END => self.counts[1].store(allocations_on_this_thread(), Relaxed),
            _ => {}
        }
    }
}

#[test]
fn a_warm_frame_allocates_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("wake.sock");
    let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let seen = Arc::clone(&counts);
    let (place, database) = (socket.clone(), directory.path().join("telemetry.db"));
    let kill_switch = KillSwitch::new(directory.path().join("STOP")).unwrap();
    let daemon = std::thread::spawn(move || {
        let options = ServeOptions {
            socket: place,
            telemetry_db: Some(database),
            telemetry_ring_rows: 16_384,
            spin: false,
            pin: None,
            mlock: false,
            stall: Duration::from_secs(30),
            on_hangup: Box::new(|| {}),
        };
        let fire =
            Fire::new(Some(kill_switch), OrderPolicy::default(), Box::new(Witness { fired: 0, counts }));
        serve(options, fire).unwrap()
    });
    drive(&socket);
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM).unwrap();
    let report = daemon.join().unwrap();
    let [before, after] = [0, 1].map(|index: usize| seen[index].load(Relaxed));
    assert!(before > 0, "the counting allocator is not installed");
    assert_eq!(after - before, 0, "allocations in {MEASURED} warm frames");
    assert!(report.frames.contains(&format!("accepted={END} ")), "{}", report.frames);
    assert!(report.telemetry.contains(&format!("rows_written={END} ")), "{}", report.telemetry);
}

fn drive(socket: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !socket.exists() {
        assert!(Instant::now() < deadline, "the daemon never listened");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut client = Client::connect(socket).unwrap();
    let tapered = [
        PriceRange { start: 0.0, end: 0.1, step: 0.001 },
        PriceRange { start: 0.1, end: 0.9, step: 0.01 },
        PriceRange { start: 0.9, end: 1.0, step: 0.001 },
    ];
    for index in 0..END {
        let correlation_id = format!("{index:032x}");
        let ack = client
            .round_trip(&WakeMessage {
                schema_version: 4,
                correlation_id: &correlation_id,
                market_ticker: if index % 3 == 0 {
                    "KXBTCD-26NOV3017-T98249.99"
                } else {
                    "KXETHD-26NOV3017-T3249.99"
                },
                // An escape sends every fifth wake down the general path.
                asset: if index % 5 == 0 { "B\"TC" } else { "BTC" },
                direction: if index % 2 == 0 { Direction::Yes } else { Direction::No },
                kalshi_price: 0.42,
                model_probability: 0.515_123_456_789_012_3,
                fee: 0.0171,
                edge: 1e-7,
                decision_ts_ms: 1_790_000_000_001,
                sent_at_ms: 1_790_000_000_002,
                sent_at_ns: 123_456_789_012_345,
                recv_ns: 123_456_789_012_345,
                clock_domain: "elsewhere:1787290000",
                dry_run: index % 7 == 0,
                wire_price_yes_dollars: 0.42,
                exchange_index: -1,
                available_size_contracts: 17.5,
                price_ranges: if index % 2 == 0 { DEFAULT_PRICE_RANGES } else { &tapered },
                correlation_group: "BTC",
            })
            .unwrap();
        assert_eq!(ack.status, Status::Accepted);
    }
}

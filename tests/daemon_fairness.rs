//! No peer takes the daemon's one thread away from the others.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::daemon::{LIMIT, Place, until};
use common::peer::{frame, wake};
use rustix::process::Signal;
use wakeline::executor::{ServeOptions, serve};
use wakeline::fire::{Dispatch, Fire, Order, OrderPolicy};

/// Notes whose wake each fire was.
struct Diary {
    turns: Arc<Mutex<Vec<u8>>>,
}

impl Dispatch for Diary {
    fn dispatch(&mut self, order: &Order<'_>) {
        self.turns.lock().unwrap().push(order.wake.correlation_id.as_bytes()[0]);
    }
}

#[test]
fn two_busy_peers_take_turns() {
    const WAKES: usize = 20_000;
    let place = Place::new();
    let turns = Arc::new(Mutex::new(Vec::new()));
    let (socket, diary) = (place.socket(), Diary { turns: Arc::clone(&turns) });
    let daemon = std::thread::spawn(move || {
        let options = ServeOptions {
            socket,
            telemetry_db: None,
            telemetry_ring_rows: 1,
            spin: false,
            pin: None,
            mlock: false,
            stall: Duration::from_secs(30),
            on_hangup: Box::new(|| {}),
        };
        serve(options, Fire::new(None, OrderPolicy::default(), Box::new(diary))).unwrap()
    });
    until("it listens", || place.socket().exists());
    std::thread::scope(|scope| {
        for name in ["a", "b"] {
            let mut stream = UnixStream::connect(place.socket()).unwrap();
            let mut acks = stream.try_clone().unwrap();
            scope.spawn(move || stream.write_all(&frame(&wake(name, "")).repeat(WAKES)).unwrap());
            scope.spawn(move || {
                let mut buffer = [0; 65_536];
                let mut left = ack_bytes(name) * WAKES;
                while left > 0 {
                    left -= acks.read(&mut buffer).unwrap();
                }
            });
        }
    });
    rustix::process::kill_process(rustix::process::getpid(), Signal::TERM).unwrap();
    daemon.join().unwrap();

    let turns = turns.lock().unwrap();
    assert_eq!(turns.len(), 2 * WAKES);
    let mut lengths: Vec<usize> = turns.chunk_by(|one, other| one == other).map(<[u8]>::len).collect();
    lengths.sort_unstable();
    // A turn is 64 wakes; of two tasks that yield the runtime wakes the later first, so that a peer has two in a row.
    // Longer ones are those of a peer that was alone.
    let median = lengths[lengths.len() / 2];
    assert!(median <= 128, "a turn takes {median} wakes, of {} turns", lengths.len());
}

fn ack_bytes(name: &str) -> usize {
    let ack = r#"{"schema_version":4,"correlation_id":"","received_at_ms":1790000000123,"status":"accepted","reason":null}"#;
    4 + ack.len() + name.len()
}

#[test]
fn connections_that_come_and_go_leave_the_others_their_turn_and_no_memory() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    peer.round_trip("before");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                drop(UnixStream::connect(place.socket()));
            }
        });
        let started = std::time::Instant::now();
        for _ in 0..300 {
            peer.round_trip("meanwhile");
            std::thread::sleep(Duration::from_millis(2));
        }
        done.store(true, Ordering::Relaxed);
        assert!(started.elapsed() < LIMIT, "{:?} for 300 round trips", started.elapsed());
    });
    let resident_kib = daemon.status_figure("VmRSS");
    assert!(resident_kib < 64 * 1024, "{resident_kib} KiB");
    let exit = daemon.stop();
    assert!(exit.count("connections") > 100, "{exit:?}");
}

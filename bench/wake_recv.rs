//! The daemon's own span beside its floor, in one run: `cargo bench --bench wake_recv`.
//!
//! The floor is a bare echo in a process of its own, on the same runtime with the same waiting, that reads a frame of the
//! same size and writes an ack of the same size without looking at either. Interleaved pairs, ratios of medians.
//! `WAKELINE_BENCH_PAUSE_US` sets a pause of the client between two wakes, 0 by default.
#![allow(clippy::unwrap_used, reason = "a benchmark that can't go on has nobody to tell but its reader")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, ReadBuf};
use wakeline::executor::client::Client;
use wakeline::measure::clock::monotonic_ns;
use wakeline::measure::percentiles::{Summary, percentile};
use wakeline::wire::encode;

mod common;

use common::benchmark_wake;

const PAIRS: usize = 7;
const WARM_UP: usize = 200;
const FRAMES: usize = 2_200;
const ACK_BYTES: usize = 141;
const ECHO: &str = "WAKELINE_BENCH_ECHO";

fn main() {
    if let Some(socket) = std::env::var_os(ECHO) {
        return echo(Path::new(&socket));
    }
    println!("{FRAMES} wakes a run, {WARM_UP} of them to warm up, {} us between two; us", pause_us());
    println!("{:<34}{:>9}{:>9}{:>9}", "", "p50", "p90", "p99");
    let mut ratios = [Vec::new(), Vec::new()];
    let mut above = Vec::new();
    for _ in 0..PAIRS {
        let (floor_span, floor_trip) = against_echo();
        let (span, trip) = against_daemon();
        show("echo: read to written", &floor_span);
        show("wakeline: wake_recv", &span);
        show("echo: round trip", &floor_trip);
        show("wakeline: round trip", &trip);
        ratios[0].push(span.p50 / floor_span.p50);
        above.push((span.p50 - floor_span.p50) / 1e3);
        ratios[1].push(trip.p50 / floor_trip.p50);
    }
    let [spans, trips] = ratios;
    spread("wake_recv / echo's read to written, p50", spans);
    spread("wake_recv above echo's read to written, p50, us", above);
    spread("round trip / echo's, p50", trips);
}

fn spread(name: &str, mut figures: Vec<f64>) {
    figures.sort_by(f64::total_cmp);
    let median = percentile(&figures, 0.5).unwrap();
    println!("{name}: median of {PAIRS} {median:.2} (from {:.2} to {:.2})", figures[0], figures[PAIRS - 1]);
}

fn show(name: &str, Summary { p50, p90, p99, .. }: &Summary) {
    println!("{name:<34}{:>9.2}{:>9.2}{:>9.2}", p50 / 1e3, p90 / 1e3, p99 / 1e3);
}

/// The client's pause after each ack, spent spinning. Back to back, wakes come faster than the telemetry writer can write
/// rows, and on two cores it then competes with the daemon and the client.
fn pause_us() -> u64 {
    std::env::var("WAKELINE_BENCH_PAUSE_US").map_or(0, |text| text.parse().unwrap())
}

fn correlation_id(index: usize) -> String {
    format!("{index:032x}")
}

/// The daemon's spans, from its own rows, and the client's round trips, ns.
fn against_daemon() -> (Summary, Summary) {
    let directory = tempfile::tempdir().unwrap();
    let (socket, database) = (directory.path().join("s"), directory.path().join("t.db"));
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_wakeline"));
    daemon.arg("--socket").arg(&socket).arg("--telemetry-db").arg(&database).stderr(Stdio::null());
    let mut daemon = listening(daemon, &socket);
    let mut client = Client::connect(&socket).unwrap();
    let mut trips = trips(|id| {
        client.round_trip(&benchmark_wake(id)).unwrap();
    });
    end(&mut daemon);
    let db = rusqlite::Connection::open(database).unwrap();
    let mut rows = db.prepare("SELECT duration_ms FROM latency_events ORDER BY id").unwrap();
    let spans = rows.query_map([], |row| row.get::<_, f64>(0)).unwrap();
    let mut spans: Vec<f64> = spans.map(|ms| ms.unwrap() * 1e6).collect();
    assert_eq!(spans.len(), FRAMES);
    (Summary::of(&mut spans[WARM_UP..]).unwrap(), Summary::of(&mut trips[WARM_UP..]).unwrap())
}

fn against_echo() -> (Summary, Summary) {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("s");
    let mut echo = Command::new(std::env::current_exe().unwrap());
    echo.env(ECHO, &socket).stdout(Stdio::piped());
    let mut echo = listening(echo, &socket);
    let mut stream = UnixStream::connect(&socket).unwrap();
    let (mut frame, mut ack) = (Vec::new(), [0; ACK_BYTES]);
    let mut trips = trips(|id| {
        frame.clear();
        encode::wake_frame(&mut frame, &benchmark_wake(id));
        stream.write_all(&frame).unwrap();
        stream.read_exact(&mut ack).unwrap();
    });
    drop(stream);
    let mut printed = String::new();
    echo.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    end(&mut echo);
    let mut spans: Vec<f64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(spans.len(), FRAMES);
    (Summary::of(&mut spans[WARM_UP..]).unwrap(), Summary::of(&mut trips[WARM_UP..]).unwrap())
}

fn trips(mut trip: impl FnMut(&str)) -> Vec<f64> {
    let pause_ns = pause_us() * 1_000;
    (0..FRAMES)
        .map(|index| {
            let id = correlation_id(index);
            let start = monotonic_ns();
            trip(&id);
            let end = monotonic_ns();
            while monotonic_ns() < end + pause_ns {
                std::hint::spin_loop();
            }
            (end - start) as f64
        })
        .collect()
}

fn listening(mut command: Command, socket: &Path) -> Child {
    let child = command.spawn().unwrap();
    let limit = Instant::now() + Duration::from_secs(10);
    while !socket.exists() {
        assert!(Instant::now() < limit, "nobody listens");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(20));
    child
}

fn end(child: &mut Child) {
    let pid = rustix::process::Pid::from_child(child);
    // The echo has ended by itself.
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    child.wait().unwrap();
}

/// The floor: reads whole frames, writes bytes; prints each span from read to written, ns.
fn echo(socket: &Path) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build_local(Default::default()).unwrap();
    let spans = runtime.block_on(async {
        let listener = tokio::net::UnixListener::bind(socket).unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut buffer, mut spans) = ([0; 16_384], Vec::with_capacity(FRAMES));
        loop {
            let mut room = ReadBuf::new(&mut buffer);
            std::future::poll_fn(|cx| std::pin::Pin::new(&mut stream).poll_read(cx, &mut room))
                .await
                .unwrap();
            if room.filled().is_empty() {
                return spans;
            }
            let start = monotonic_ns();
            assert_eq!(stream.try_write(&[b'x'; ACK_BYTES]).unwrap(), ACK_BYTES);
            spans.push(monotonic_ns() - start);
        }
    });
    spans.iter().for_each(|span| println!("{span}"));
}

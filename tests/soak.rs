//! Many wakes over one connection and over many: every ack, in order, and every row accounted for.
//!
//! `WAKELINE_SOAK_FRAMES` says how many wakes each part sends, 30,000 by default; in release mode a million takes a minute.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use common::daemon::Place;
use common::peer::{frame, wake};

/// Wakes on their way at once, a connection.
const WINDOW: usize = 100;

#[test]
fn nothing_is_lost_over_one_connection_and_over_many() {
    let wakes: usize = std::env::var("WAKELINE_SOAK_FRAMES").map_or(30_000, |text| text.parse().unwrap());
    for connections in [1, 64] {
        let place = Place::new();
        let daemon = place.start_recording(&["--telemetry-ring", "65536"]);
        let each = wakes / connections;
        drive(&place.socket(), connections, each / 10);
        let before_kib = daemon.status_figure("VmRSS");
        drive(&place.socket(), connections, each);
        let after_kib = daemon.status_figure("VmRSS");
        let exit = daemon.stop();
        let sent = (connections * (each + each / 10)) as u64;
        println!(
            "{connections} connections, {sent} wakes: {before_kib} KiB, then {after_kib} KiB\n{}",
            exit.stderr
        );
        assert_eq!((exit.count("accepted"), exit.count("fired")), (sent, sent), "{exit:?}");
        assert_eq!(exit.count("rows_written") + exit.count("dropped_ring_full"), sent, "{exit:?}");
        assert!(after_kib < before_kib + 16 * 1024, "{before_kib} KiB grew to {after_kib} KiB");
    }
}

fn drive(socket: &Path, connections: usize, each: usize) {
    std::thread::scope(|scope| {
        for connection in 0..connections {
            let stream = UnixStream::connect(socket).unwrap();
            scope.spawn(move || windows(stream, connection, each));
        }
    });
}

/// Sends `each` wakes, a window at a time, and checks every ack's bytes.
fn windows(mut stream: UnixStream, connection: usize, each: usize) {
    let id = |index: usize| format!("{connection:04}-{index:08}");
    let mut buffer = Vec::new();
    for start in (0..each).step_by(WINDOW) {
        let end = (start + WINDOW).min(each);
        let burst: Vec<u8> = (start..end).flat_map(|index| frame(&wake(&id(index), ""))).collect();
        stream.write_all(&burst).unwrap();
        for index in start..end {
            let mut prefix = [0; 4];
            stream.read_exact(&mut prefix).unwrap();
            buffer.resize(u32::from_be_bytes(prefix) as usize, 0);
            stream.read_exact(&mut buffer).unwrap();
            let ack = std::str::from_utf8(&buffer).unwrap();
            let (start, end) = ack.split_once(",\"received_at_ms\":").expect(ack);
            assert_eq!(start, format!("{{\"schema_version\":4,\"correlation_id\":\"{}\"", id(index)));
            assert_eq!(&end[13..], ",\"status\":\"accepted\",\"reason\":null}", "{ack}");
        }
    }
}

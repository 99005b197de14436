//! Peers that don't read their acks, or read them slowly: bounded memory, nobody else waits, nothing is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use common::daemon::{LIMIT, Place, until};
use common::peer::{Peer, frames, write_until_full};

/// Frames no set of buffers holds, about 9 MB.
const ENDLESS: usize = 25_000;

/// Writes until neither the socket nor the daemon takes more; returns how many bytes went in.
fn clog(peer: &mut Peer, bytes: &[u8]) -> usize {
    let (mut written, mut quiet) = (0, 0);
    while quiet < 50 {
        match write_until_full(&mut peer.stream, &bytes[written..]) {
            0 => quiet += 1,
            count => (written, quiet) = (written + count, 0),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    written
}

#[test]
fn a_peer_that_never_reads_is_no_longer_read_and_harms_nobody() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let bytes = frames("deaf", ENDLESS);
    let mut others = daemon.connect();
    others.round_trip("before");
    let before_kib = daemon.status_figure("VmRSS:");
    let mut deaf: Vec<Peer> = (0..8).map(|_| daemon.connect()).collect();
    for peer in &mut deaf {
        let taken = clog(peer, &bytes);
        assert!(taken < 3_000_000, "{taken} bytes of unanswered wakes went in");
        others.round_trip("meanwhile");
    }
    let grown_kib = daemon.status_figure("VmRSS:").saturating_sub(before_kib);
    assert!(grown_kib < 8 * 1_024, "{grown_kib} KiB more for eight peers");
    daemon.connect().round_trip("newcomer");
    drop(deaf);
    let exit = daemon.stop();
    assert_eq!(exit.count("stalled_peers"), 0);
    assert!(exit.count("ack_undelivered") > 0);
    assert_eq!(exit.count("frames"), exit.count("fired"));
}

#[test]
fn a_peer_without_progress_is_closed_and_counted() {
    let place = Place::new();
    let daemon = place.start(&["--stall-timeout-ms", "300"]);
    let mut peer = daemon.connect();
    let mut idle = daemon.connect();
    let bytes = frames("deaf", ENDLESS);
    let mut rest = &bytes[..];
    peer.stream.set_nonblocking(true).unwrap();
    until("the stalled peer is closed", || match peer.stream.write(rest) {
        Ok(count) => {
            rest = &rest[count..];
            false
        }
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    });
    peer.stream.set_nonblocking(false).unwrap();
    // What had been delivered is still there to be read, whole and in order, before the end.
    let mut acks = 0;
    while let Some(ack) = next_whole(&mut peer) {
        assert_eq!(ack, format!("deaf-{acks}"));
        acks += 1;
    }
    idle.round_trip("a peer that is only silent stays");
    let exit = daemon.stop();
    assert_eq!(exit.count("stalled_peers"), 1);
    assert!(acks > 0 && exit.count("ack_undelivered") == exit.count("frames") - 1 - acks, "{acks} {exit:?}");
}

/// The id of the next ack that came whole; the last one may have been cut off by the close.
fn next_whole(peer: &mut Peer) -> Option<String> {
    let mut prefix = [0; 4];
    peer.stream.read_exact(&mut prefix).ok()?;
    let mut body = vec![0; u32::from_be_bytes(prefix) as usize];
    peer.stream.read_exact(&mut body).ok()?;
    let ack: serde_json::Value = serde_json::from_slice(&body).unwrap();
    Some(ack["correlation_id"].as_str().unwrap().to_owned())
}

#[test]
fn a_little_progress_starts_the_time_anew() {
    let place = Place::new();
    let daemon = place.start(&["--stall-timeout-ms", "1500"]);
    let mut peer = daemon.connect();
    let bytes = frames("slow", ENDLESS);
    let written = clog(&mut peer, &bytes);
    let started = Instant::now();
    let mut read = 0;
    while started.elapsed() < Duration::from_secs(5) {
        peer.ack().assert_accepts(&format!("slow-{read}"));
        read += 1;
        std::thread::sleep(Duration::from_millis(15));
    }
    // Everything that went in whole is answered.
    let whole = whole_frames(&bytes[..written]);
    for index in read..whole {
        peer.ack().assert_accepts(&format!("slow-{index}"));
    }
    assert_eq!(daemon.stop().count("stalled_peers"), 0);
}

fn whole_frames(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some((prefix, rest)) = bytes.split_first_chunk() {
        let Some(rest) = rest.get(u32::from_be_bytes(*prefix) as usize..) else { break };
        bytes = rest;
        count += 1;
    }
    count
}

#[test]
fn a_slow_reader_gets_every_ack_in_order() {
    const FRAMES: usize = 12_000;
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let mut sender = Peer { stream: peer.stream.try_clone().unwrap() };
    std::thread::scope(|scope| {
        scope.spawn(move || sender.send(&frames("slow", FRAMES)));
        std::thread::sleep(Duration::from_millis(300));
        let started = Instant::now();
        for index in 0..FRAMES {
            peer.ack().assert_accepts(&format!("slow-{index}"));
            if index % 100 == 0 {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        assert!(started.elapsed() < LIMIT);
    });
    let exit = daemon.stop();
    assert_eq!((exit.count("fired"), exit.count("ack_undelivered")), (FRAMES as u64, 0));
}

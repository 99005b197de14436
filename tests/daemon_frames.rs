//! However the stream is cut into pieces, each frame gets its one ack, in order.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use common::daemon::Place;
use common::peer::{frame, frames, wake};
use proptest::collection::vec;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::TestRunner;

/// Test cases that don't write regression files: the daemon, not the seed, is what is new each time.
fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn one_byte_at_a_time() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    for byte in frames("slow", 3) {
        peer.send(&[byte]);
    }
    peer.assert_acks("slow", 3);
    let exit = daemon.stop();
    assert_eq!((exit.count("frames"), exit.count("truncated")), (3, 0));
}

#[test]
fn all_frames_in_one_write() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    peer.send(&frames("burst", 200));
    peer.assert_acks("burst", 200);
    assert_eq!(daemon.stop().count("frames"), 200);
}

#[test]
fn any_chunking_gives_the_same_acks() {
    const FRAMES: usize = 12;
    let place = Place::new();
    let daemon = place.start(&[]);
    let stream = frames("cut", FRAMES);
    let cases = 40;
    let strategy = vec(0..stream.len(), 0..30);
    let outcome = runner(cases).run(&strategy, |mut cuts| {
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let mut peer = daemon.connect();
        for pair in cuts.windows(2) {
            peer.send(&stream[pair[0]..pair[1]]);
        }
        peer.assert_acks("cut", FRAMES);
        peer.half_close();
        peer.assert_closed();
        Ok(())
    });
    outcome.unwrap();
    let exit = daemon.stop();
    assert_eq!(exit.count("frames"), u64::from(cases) * FRAMES as u64);
    assert_eq!(exit.count("truncated"), 0);
}

#[test]
fn an_empty_frame_is_rejected_and_the_connection_lives() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    peer.send(&frame(b""));
    peer.ack().assert_rejects("Input is a zero-length, empty document: line 1 column 1 (char 0)");
    peer.round_trip("after");
    let exit = daemon.stop();
    assert_eq!((exit.count("accepted"), exit.count("rejected")), (1, 1));
}

#[test]
fn thousands_of_empty_frames_get_thousands_of_acks() {
    const FRAMES: usize = 20_000;
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let mut sender = peer.stream.try_clone().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || std::io::Write::write_all(&mut sender, &[0; 4 * FRAMES]).unwrap());
        for _ in 0..FRAMES {
            peer.ack().assert_rejects("Input is a zero-length");
        }
    });
    assert_eq!(daemon.stop().count("rejected"), FRAMES as u64);
}

/// A wake whose body is exactly this long.
fn wake_of_length(length: usize) -> Vec<u8> {
    let group = |size: usize| wake("long", &format!(",\"correlation_group\":\"{}\"", "g".repeat(size)));
    let body = group(length - group(0).len());
    assert_eq!(body.len(), length);
    body
}

#[test]
fn the_longest_body_is_served_and_one_byte_more_ends_its_connection_alone() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let (mut bystander, mut peer) = (daemon.connect(), daemon.connect());
    peer.send(&frame(&wake_of_length(65_536)));
    peer.ack().assert_accepts("long");
    peer.send(&[&frame(&wake("before", ""))[..], &frame(&wake_of_length(65_537))].concat());
    peer.ack().assert_accepts("before");
    peer.assert_closed();
    bystander.round_trip("bystander");
    daemon.connect().round_trip("newcomer");
    let exit = daemon.stop();
    assert_eq!((exit.count("oversize"), exit.count("frames"), exit.count("truncated")), (1, 4, 0));
    assert!(exit.stderr.contains("65537"), "{}", exit.stderr);
}

#[test]
fn a_prefix_alone_is_enough_to_be_too_long() {
    let place = Place::new();
    let daemon = place.start(&[]);
    for prefix in [65_537_u32, u32::MAX, 0x7b22_7363] {
        let mut peer = daemon.connect();
        peer.send(&prefix.to_be_bytes());
        peer.assert_closed();
    }
    assert_eq!(daemon.stop().count("oversize"), 3);
}

#[test]
fn an_end_inside_a_frame_is_counted_and_one_between_frames_is_not() {
    let place = Place::new();
    let daemon = place.start(&["--log", "info"]);
    let whole = frame(&wake("whole", ""));
    for cut in [1, 3, 4, 5, whole.len() - 1] {
        let mut peer = daemon.connect();
        peer.round_trip("first");
        peer.send(&whole[..cut]);
        peer.half_close();
        peer.assert_closed();
    }
    let mut tidy = daemon.connect();
    tidy.round_trip("tidy");
    drop(tidy);
    drop(daemon.connect());
    let exit = daemon.stop();
    assert_eq!((exit.count("truncated"), exit.count("frames")), (5, 6));
    assert_eq!(exit.count("ack_undelivered"), 0);
}

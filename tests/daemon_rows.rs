//! The rows a daemon leaves behind: one for each accepted frame, there while it still runs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use common::daemon::{Place, until};
use common::peer::{frame, frames, wake};
use common::rows::{ids, lock, wake_recv};

#[test]
fn accepted_frames_alone_are_recorded_in_order_and_seen_before_the_end() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    let before = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis() as i64;
    for (body, accepted) in [
        (wake("real", ",\"dry_run\":false"), true),
        (b"garbage".to_vec(), false),
        (wake("shadow", ""), true),
        (wake("odd", ",\"unknown\":1"), false),
        (wake("", ""), true),
        (wake("refused", ",\"dry_run\":false,\"wire_price_yes_dollars\":0.0"), true),
    ] {
        peer.send(&frame(&body));
        assert_eq!(peer.ack().is_accepted(), accepted);
    }
    let all = ["real", "shadow", "", "refused"];
    until("the rows are there while the daemon runs", || ids(&place.database()).len() >= all.len());
    assert_eq!(ids(&place.database()), all);
    let rows = wake_recv(&place.database());
    let metadata: Vec<&str> = rows.iter().map(|row| row.metadata.as_deref().unwrap()).collect();
    let (real, shadow) = ("{\"dry_run\": false}", "{\"dry_run\": true}");
    assert_eq!(metadata, [real, shadow, shadow, real]);
    for row in &rows {
        assert!(row.started_at_ms >= before && row.ended_at_ms >= row.started_at_ms, "{row:?}");
        assert!(row.duration_ms > 0.0 && row.duration_ms < 60_000.0, "{row:?}");
    }
    assert_eq!(daemon.stop().count("rows_written"), 4);
    assert_eq!(ids(&place.database()), all);
}

#[test]
fn the_acks_stamp_is_the_rows_start() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    peer.send(&frames("stamp", 50));
    let stamps: Vec<i64> = (0..50).map(|_| peer.ack().received_at_ms()).collect();
    daemon.stop();
    let starts: Vec<i64> = wake_recv(&place.database()).iter().map(|row| row.started_at_ms).collect();
    assert_eq!(starts, stamps);
}

#[test]
fn a_restart_goes_on_in_the_same_file() {
    let place = Place::new();
    for name in ["one", "two"] {
        let daemon = place.start_recording(&[]);
        let mut peer = daemon.connect();
        peer.send(&frames(name, 3));
        peer.assert_acks(name, 3);
        daemon.stop();
    }
    assert_eq!(ids(&place.database()), ["one-0", "one-1", "one-2", "two-0", "two-1", "two-2"]);
}

#[test]
fn rows_outlive_a_crash() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    peer.send(&frames("kept", 200));
    peer.assert_acks("kept", 200);
    until("the rows are there", || ids(&place.database()).len() == 200);
    daemon.kill_hard();
    assert_eq!(ids(&place.database()).len(), 200);
    let connection = rusqlite::Connection::open(place.database()).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

#[test]
fn what_a_small_ring_cannot_hold_is_counted() {
    let place = Place::new();
    let daemon = place.start_recording(&["--telemetry-ring", "2"]);
    let lock = common::rows::lock(&place.database());
    let mut peer = daemon.connect();
    peer.send(&frames("many", 200));
    peer.assert_acks("many", 200);
    drop(lock);
    let exit = daemon.stop();
    assert!(exit.count("dropped_ring_full") > 0, "{exit:?}");
    assert_eq!(exit.count("rows_written") + exit.count("dropped_ring_full"), 200);
    assert_eq!((exit.count("fired"), exit.count("dropped_write_failed")), (200, 0));
}

#[test]
fn it_works_without_a_database() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    peer.send(&frames("unrecorded", 10));
    peer.assert_acks("unrecorded", 10);
    let exit = daemon.stop();
    assert!(exit.has_both_lines());
    assert_eq!((exit.count("fired"), exit.count("rows_written")), (10, 0));
    let left: Vec<_> =
        std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["wake.sock.lock"]);
}

#[test]
fn an_id_too_long_for_a_row_is_acked_and_fired_all_the_same() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    let (longest, too_long) = ("x".repeat(128), "y".repeat(129));
    peer.round_trip(&longest);
    peer.round_trip(&too_long);
    let exit = daemon.stop();
    assert_eq!((exit.count("accepted"), exit.count("fired")), (2, 2), "{exit:?}");
    assert_eq!((exit.count("rows_written"), exit.count("dropped_oversized_id")), (1, 1), "{exit:?}");
    assert_eq!(ids(&place.database()), [longest]);
}

#[test]
fn rows_lost_to_a_full_ring_are_said_while_it_runs() {
    const WAKES: usize = 200;
    let place = Place::new();
    let daemon = place.start_recording(&["--telemetry-ring", "16"]);
    let locked = lock(&place.database());
    let mut peer = daemon.connect();
    peer.send(&frames("lost", WAKES));
    peer.assert_acks("lost", WAKES);
    until("a line about the ring", || daemon.stderr().contains("the ring was full"));
    drop(locked);
    let exit = daemon.stop();
    assert!(exit.count("dropped_ring_full") > 0, "{exit:?}");
    assert_eq!(exit.count("rows_written") + exit.count("dropped_ring_full"), WAKES as u64, "{exit:?}");
}

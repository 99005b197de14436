//! What becomes of a wake after its ack, as the exit line counts it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use common::daemon::{Exit, Place};
use common::peer::{frame, wake};

/// Sends one wake with further keys for each of `wakes`, every one of which must be acked as accepted.
fn fire(wakes: &[&str]) -> Exit {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    for (index, more) in wakes.iter().enumerate() {
        let id = format!("fire-{index}");
        peer.send(&frame(&wake(&id, &format!(",{more}"))));
        peer.ack().assert_accepts(&id);
    }
    daemon.stop()
}

/// Asserts counters; `fired` and the refusals add up to the frames.
fn assert_counts(exit: &Exit, expected: &[(&str, u64)]) {
    for (key, count) in expected {
        assert_eq!(exit.count(key), *count, "{key}: {exit:?}");
    }
    let ends = ["fired", "refused_price", "refused_kill_switch", "refused_off_grid", "refused_suspect_grid"];
    assert_eq!(ends.iter().map(|key| exit.count(key)).sum::<u64>(), exit.count("accepted"), "{exit:?}");
}

const OUTSIDE: [&str; 8] = ["0", "0.0", "-0.0", "1", "1.0", "-0.42", "1.0000000000000002", "1e300"];

#[test]
fn a_real_fire_needs_a_price_inside_zero_and_one() {
    let wakes = OUTSIDE.map(|price| format!("\"dry_run\":false,\"wire_price_yes_dollars\":{price}"));
    let exit = fire(&wakes.each_ref().map(String::as_str));
    assert_counts(&exit, &[("refused_price", 8), ("fired", 0)]);
    assert!(exit.stderr.contains("real fire refused: wire price is not inside (0,1)"), "{exit:?}");
}

#[test]
fn a_shadow_fire_goes_on_at_any_price() {
    let wakes = OUTSIDE.map(|price| format!("\"dry_run\":true,\"wire_price_yes_dollars\":{price}"));
    let exit = fire(&wakes.each_ref().map(String::as_str));
    assert_counts(&exit, &[("refused_price", 0), ("fired", 8)]);
}

#[test]
fn a_wake_without_the_newer_keys_is_real_and_has_no_price() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let whole = String::from_utf8(wake("old", "")).unwrap();
    let old = whole.replace(",\"dry_run\":true,\"wire_price_yes_dollars\":0.42", "");
    assert_ne!(old, whole);
    peer.send(&frame(old.replace("\"schema_version\":4", "\"schema_version\":1").as_bytes()));
    peer.ack().assert_accepts("old");
    assert_counts(&daemon.stop(), &[("refused_price", 1), ("suspect_values", 0)]);
}

#[test]
fn good_real_fires_are_sent() {
    let exit = fire(&[
        "\"dry_run\":false",
        "\"dry_run\":false,\"direction\":\"no\"",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.01",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.99",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.006",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.001,\"price_ranges\":[[0.0,0.1,0.001],[0.1,1.0,0.01]]",
        "\"dry_run\":false,\"price_ranges\":[]",
    ]);
    assert_counts(&exit, &[("fired", 7), ("suspect_values", 0)]);
}

#[test]
fn a_price_that_snaps_onto_the_edge_is_refused_as_off_grid() {
    let exit = fire(&[
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.004",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.005",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.996",
        "\"dry_run\":false,\"wire_price_yes_dollars\":0.3,\"price_ranges\":[[0.0,1.0,0.7]]",
        "\"dry_run\":true,\"wire_price_yes_dollars\":0.004",
    ]);
    assert_counts(&exit, &[("refused_off_grid", 4), ("fired", 1), ("suspect_values", 0)]);
}

#[test]
fn a_real_fire_does_not_trust_a_range_that_cannot_be_meant() {
    let exit = fire(&[
        "\"dry_run\":false,\"price_ranges\":[[0.0,1.0,0.0]]",
        "\"dry_run\":false,\"price_ranges\":[[0.0,1.0,-0.01]]",
        "\"dry_run\":false,\"price_ranges\":[[1.0,0.0,0.01]]",
        "\"dry_run\":false,\"price_ranges\":[[0.9,0.1,0.01],[0.0,1.0,0.01]]",
        "\"dry_run\":true,\"price_ranges\":[[0.0,1.0,0.0]]",
        // The price depends on the sound range alone.
        "\"dry_run\":false,\"price_ranges\":[[0.0,1.0,0.01],[2.0,3.0,0.0]]",
    ]);
    assert_counts(&exit, &[("refused_suspect_grid", 4), ("fired", 2), ("suspect_values", 6)]);
}

#[test]
fn values_that_cannot_be_meant_are_counted() {
    let exit = fire(&[
        "\"schema_version\":99",
        "\"schema_version\":0",
        "\"model_probability\":1.5",
        "\"model_probability\":-0.1",
        "\"price_ranges\":[[0.0,1.0,0]]",
        "\"price_ranges\":[[0.5,0.4,0.01]]",
        "\"schema_version\":99,\"model_probability\":7",
        "\"schema_version\":3,\"model_probability\":1.0,\"available_size_contracts\":-5.0",
    ]);
    assert_counts(&exit, &[("suspect_values", 7), ("fired", 8)]);
}

#[test]
fn a_repeated_correlation_id_is_counted_and_fired_again() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let (mut peer, mut other) = (daemon.connect(), daemon.connect());
    peer.round_trip("twice");
    other.round_trip("once");
    peer.round_trip("");
    peer.round_trip("twice");
    other.round_trip("twice");
    other.round_trip("");
    let exit = daemon.stop();
    assert_counts(&exit, &[("duplicate_correlation_id", 3), ("fired", 6), ("rows_written", 6)]);
}

#[test]
fn a_receipt_stamp_of_another_clock_is_counted() {
    let exit = fire(&[
        "\"recv_ns\":5,\"clock_domain\":\"elsewhere:60\"",
        "\"recv_ns\":5,\"clock_domain\":\"\"",
        "\"recv_ns\":5",
        "\"recv_ns\":0,\"clock_domain\":\"elsewhere:60\"",
        "\"recv_ns\":-5",
    ]);
    assert_counts(&exit, &[("foreign_clock_domain", 3), ("fired", 5)]);
}

#[test]
fn one_kind_of_refusal_hides_no_other_in_the_log() {
    let place = Place::new();
    let switch = place.at("STOP");
    std::fs::write(&switch, "maintenance").unwrap();
    let daemon = place.start(&["--kill-switch", switch.to_str().unwrap()]);
    let mut peer = daemon.connect();
    for more in [",\"dry_run\":false,\"wire_price_yes_dollars\":0.0", ",\"dry_run\":false"] {
        peer.send(&frame(&wake("refused", more)));
        peer.ack().assert_accepts("refused");
    }
    let exit = daemon.stop();
    assert_eq!((exit.count("refused_price"), exit.count("refused_kill_switch")), (1, 1));
    assert!(exit.stderr.contains("wire price is not inside"), "{exit:?}");
    assert!(exit.stderr.contains("kill switch engaged: maintenance"), "{exit:?}");
}

//! What a frame costs in system calls: the wait, the read, the write.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use common::daemon::{Daemon, Place, skipped};
use common::peer::frames;

/// Has the daemon traced, and returns the calls of its serving thread from the first ack's write to the last one's, the
/// first not counted; `None` where nothing can be traced.
fn calls(flags: &[&str], drive: impl FnOnce(&Daemon)) -> Option<BTreeMap<String, usize>> {
    let place = Place::new();
    let trace = place.at("trace");
    if !Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success())
    {
        skipped("there is no strace, or it may not trace; the calls of a frame weren't counted");
        return None;
    }
    let mut command = Command::new("strace");
    // As a grandchild, so that the child is the daemon.
    command.args(["-D", "-f", "-qq", "-s", "256", "-o"]).arg(&trace).arg(common::wakeline());
    command.arg("--socket").arg(place.socket()).arg("--telemetry-db").arg(place.database()).args(flags);
    let daemon = Daemon::start(command, &place.socket());
    drive(&daemon);
    let serving = daemon.pid().to_string();
    daemon.stop();
    let text = fs::read_to_string(&trace).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(' ').filter(|(thread, _)| *thread == serving));
    let lines: Vec<&str> = lines.map(|(_, call)| call.trim_start()).collect();
    let acks: Vec<usize> = (0..lines.len()).filter(|index| is_ack(lines[*index])).collect();
    let between = &lines[acks.first().unwrap() + 1..=*acks.last().unwrap()];
    let mut counts = BTreeMap::new();
    for (name, _) in between.iter().filter_map(|line| line.split_once('(')) {
        *counts.entry(name.to_owned()).or_insert(0) += 1;
    }
    Some(counts)
}

fn is_ack(call: &str) -> bool {
    call.starts_with("sendto(") && call.contains("accepted")
}

fn one_by_one(daemon: &Daemon) {
    let mut peer = daemon.connect();
    for index in 0..=FRAMES {
        peer.round_trip(&format!("single-{index}"));
    }
}

const FRAMES: usize = 300;

#[test]
fn a_frame_on_its_own_costs_the_wait_the_read_and_the_write() {
    let Some(calls) = calls(&[], one_by_one) else { return };
    let total: usize = calls.values().sum();
    assert_eq!(calls["recvfrom"], FRAMES, "{calls:?}");
    assert_eq!(calls["sendto"], FRAMES, "{calls:?}");
    // Now and then the runtime looks for events without waiting, or the telemetry writer is woken for a batch: on a busy
    // machine more often.
    assert!(total <= 3 * FRAMES + FRAMES / 3, "{total} for {FRAMES} frames: {calls:?}");
}

#[test]
fn a_spinning_daemon_reads_without_asking_first() {
    let Some(calls) = calls(&["--spin"], one_by_one) else { return };
    assert_eq!(calls["sendto"], FRAMES, "{calls:?}");
    // It asks the runtime, for signals and newcomers, only now and then; what it does all the time is to read.
    assert!(calls["recvfrom"] >= FRAMES, "{calls:?}");
    assert!(calls["recvfrom"] > 10 * calls["epoll_wait"], "{calls:?}");
}

#[test]
fn a_burst_is_read_at_once() {
    const BURST: usize = 60;
    let Some(calls) = calls(&[], |daemon| {
        let mut peer = daemon.connect();
        peer.round_trip("first");
        peer.send(&frames("burst", BURST));
        peer.assert_acks("burst", BURST);
    }) else {
        return;
    };
    assert_eq!(calls["sendto"], BURST, "{calls:?}");
    assert!(calls["recvfrom"] <= 2, "{calls:?}");
}

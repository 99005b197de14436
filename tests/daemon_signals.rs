//! Signals: an orderly end within its time whatever the database does, and no end where none is meant.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};
use std::time::Duration;

use common::daemon::{Daemon, LIMIT, Place, STOP_LIMIT, until};
use common::peer::{Peer, frame, frames, wake, write_until_full};
use common::rows;
use rustix::process::Signal;

#[test]
fn both_stop_signals_end_it_well_and_it_says_what_it_did() {
    for signal in [Signal::TERM, Signal::INT] {
        for spin in [&[][..], &["--spin"][..]] {
            let place = Place::new();
            let daemon = place.start_recording(spin);
            let mut peer = daemon.connect();
            peer.send(&frames("five", 5));
            peer.assert_acks("five", 5);
            daemon.signal(signal);
            let exit = daemon.wait(STOP_LIMIT);
            assert_eq!(exit.code(), Some(0), "{exit:?}");
            let start = "frames=5 accepted=5 rejected=0 fired=5 refused_price=0 refused_kill_switch=0 ";
            assert!(exit.stderr.lines().any(|line| line.starts_with(start)), "{exit:?}");
            let start =
                "telemetry rows_written=5 dropped_ring_full=0 dropped_oversized_id=0 dropped_write_failed=0 ";
            assert!(exit.stderr.lines().any(|line| line.starts_with(start)), "{exit:?}");
            peer.assert_closed();
            assert_eq!(rows::wake_recv(&place.database()).len(), 5);
        }
    }
}

#[test]
fn frames_received_before_the_signal_are_acked_and_recorded() {
    const FRAMES: usize = 20;
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peers = [daemon.connect(), daemon.connect(), daemon.connect()];
    for peer in &mut peers {
        peer.round_trip("before");
    }
    daemon.signal(Signal::STOP);
    for peer in &mut peers {
        peer.send(&frames("late", FRAMES));
    }
    daemon.signal(Signal::TERM);
    daemon.signal(Signal::CONT);
    for peer in &mut peers {
        peer.assert_acks("late", FRAMES);
        peer.assert_closed();
    }
    let exit = daemon.wait(STOP_LIMIT);
    assert_eq!(exit.code(), Some(0));
    assert_eq!(exit.count("fired"), 3 * (FRAMES as u64 + 1));
    assert_eq!(rows::wake_recv(&place.database()).len(), 3 * (FRAMES + 1));
}

#[test]
fn a_peer_that_does_not_read_does_not_keep_it() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    let bytes = frames("deaf", 5_000);
    let mut written = 0;
    // Until it takes no more: it is full of acks then.
    for _ in 0..20 {
        written += write_until_full(&mut peer.stream, &bytes[written..]);
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(written < bytes.len());
    daemon.signal(Signal::TERM);
    let exit = daemon.wait(STOP_LIMIT);
    assert_eq!(exit.code(), Some(0));
    assert_eq!(exit.count("rows_written"), exit.count("frames"));
    assert_eq!(exit.count("fired"), exit.count("frames"));
    assert!(exit.count("ack_undelivered") > 0);
}

#[test]
fn a_database_locked_for_ever_does_not_keep_it() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    peer.round_trip("written");
    until("the first row is there", || rows::ids(&place.database()) == ["written"]);
    let _lock = rows::lock(&place.database());
    peer.send(&frames("stuck", 50));
    peer.assert_acks("stuck", 50);
    daemon.signal(Signal::TERM);
    let exit = daemon.wait(STOP_LIMIT);
    assert_eq!(exit.code(), Some(0));
    assert_eq!((exit.count("frames"), exit.count("rows_written")), (51, 1));
    assert_eq!(exit.count("dropped_write_failed"), 50);
}

#[test]
fn a_database_freed_in_time_gets_everything() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let lock = rows::lock(&place.database());
    let mut peer = daemon.connect();
    peer.send(&frames("late", 50));
    peer.assert_acks("late", 50);
    daemon.signal(Signal::TERM);
    until("it is stopping", || !place.socket().exists());
    drop(lock);
    let exit = daemon.wait(STOP_LIMIT);
    assert_eq!((exit.count("rows_written"), exit.count("dropped_write_failed")), (50, 0));
    assert_eq!(rows::wake_recv(&place.database()).len(), 50);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    for second in [Signal::TERM, Signal::INT] {
        let place = Place::new();
        let daemon = place.start_recording(&[]);
        let _lock = rows::lock(&place.database());
        let mut peer = daemon.connect();
        peer.send(&frames("lost", 10));
        peer.assert_acks("lost", 10);
        daemon.signal(Signal::TERM);
        until("it is stopping", || !place.socket().exists());
        daemon.signal(second);
        // Half of what the locked database alone would take it.
        let exit = daemon.wait(Duration::from_secs(2));
        assert_eq!((exit.code(), exit.count("dropped_write_failed")), (Some(0), 10));
    }
}

#[test]
fn a_hang_up_opens_the_log_anew() {
    let place = Place::new();
    let log = place.at("wakeline.log");
    let daemon = place.start(&["--log", "info", "--log-file", log.to_str().unwrap()]);
    until("something is logged", || fs::read_to_string(&log).is_ok_and(|text| text.contains("listening")));
    let rotated = place.at("wakeline.log.1");
    fs::rename(&log, &rotated).unwrap();
    let mut peer = daemon.connect();
    daemon.signal(Signal::HUP);
    until("the log is there again", || log.exists());
    peer.round_trip("alive");
    peer.send(&u32::MAX.to_be_bytes());
    peer.assert_closed();
    until("the new log is written", || fs::read_to_string(&log).unwrap().contains("4294967295"));
    assert!(!fs::read_to_string(&rotated).unwrap().contains("4294967295"));
    // Where no file can be opened the old one stays in use.
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    daemon.signal(Signal::HUP);
    daemon.connect().round_trip("still alive");
    assert!(!daemon.stop().stderr.contains("panicked"));
}

#[test]
fn a_hang_up_without_a_log_file_and_a_broken_pipe_are_ignored() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    for signal in [Signal::HUP, Signal::PIPE, Signal::HUP, Signal::PIPE] {
        daemon.signal(signal);
        peer.round_trip("alive");
    }
    assert_eq!(daemon.stop().count("frames"), 4);
}

#[test]
fn a_pause_in_the_middle_of_a_frame_changes_nothing() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let whole = frame(&wake("paused", ""));
    for cut in [2, 4, 100, whole.len() - 1] {
        peer.send(&whole[..cut]);
        daemon.signal(Signal::STOP);
        peer.send(&whole[cut..]);
        daemon.signal(Signal::CONT);
        peer.ack().assert_accepts("paused");
    }
    assert_eq!(daemon.stop().count("frames"), 4);
}

#[test]
fn signals_in_the_middle_of_a_stream_lose_nothing() {
    const FRAMES: usize = 5_000;
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let mut sender = common::peer::Peer { stream: peer.stream.try_clone().unwrap() };
    std::thread::scope(|scope| {
        scope.spawn(move || sender.send(&frames("steady", FRAMES)));
        let reader = scope.spawn(move || peer.assert_acks("steady", FRAMES));
        while !reader.is_finished() {
            for signal in [Signal::HUP, Signal::PIPE, Signal::STOP, Signal::CONT] {
                daemon.signal(signal);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.wait(LIMIT).count("fired"), FRAMES as u64);
}

#[test]
fn who_connected_before_the_signal_is_served_though_not_accepted_yet() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    daemon.signal(Signal::STOP);
    let mut peers: Vec<_> = (0..5).map(|_| daemon.connect()).collect();
    for peer in &mut peers {
        peer.send(&frames("waiting", 3));
    }
    daemon.signal(Signal::TERM);
    daemon.signal(Signal::CONT);
    for peer in &mut peers {
        peer.assert_acks("waiting", 3);
    }
    let exit = daemon.wait(STOP_LIMIT);
    assert_eq!(exit.code(), Some(0));
    assert_eq!((exit.count("fired"), exit.count("rows_written")), (15, 15));
}

#[test]
fn a_frame_cut_short_by_the_stop_is_counted() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    peer.round_trip("whole");
    let part = frame(&wake("part", ""));
    peer.send(&part[..part.len() / 2]);
    let exit = daemon.stop();
    assert_eq!((exit.count("accepted"), exit.count("truncated")), (1, 1), "{exit:?}");
}

#[test]
fn a_signal_during_a_start_that_waits_for_the_database_ends_it_well() {
    let place = Place::new();
    place.start_recording(&[]).stop();
    // Locked as only an old journal mode locks it: not even readers are let in.
    let locker = rusqlite::Connection::open(place.database()).unwrap();
    locker.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    let mut command = place.command();
    command.arg("--telemetry-db").arg(place.database());
    let daemon = Daemon::spawn(command, &place.socket());
    // The lock file has a pid only after the handlers are there.
    let pid = daemon.pid().to_string();
    until("it has the lock", || {
        fs::read_to_string(place.at("wake.sock.lock")).is_ok_and(|text| text.trim() == pid)
    });
    daemon.signal(Signal::TERM);
    let exit = daemon.wait(STOP_LIMIT);
    assert_eq!(exit.code(), Some(0), "{exit:?}");
    assert!(exit.has_both_lines(), "{exit:?}");
}

#[test]
fn a_reader_of_stderr_that_is_merely_late_gets_the_exit_lines() {
    let place = Place::new();
    let mut daemon = with_full_stderr(&place);
    let started = daemon.terminate();
    std::thread::sleep(Duration::from_millis(100));
    let mut said = String::new();
    daemon.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(daemon.0.wait().unwrap().success());
    assert!(started.elapsed() < STOP_LIMIT, "{:?}", started.elapsed());
    let end: Vec<&str> = said.lines().rev().take(2).collect();
    assert!(end[0].starts_with("telemetry ") && end[1].starts_with("frames=3000 "), "{end:?}");
    assert!(!end[1].contains("log_lines_dropped=0"), "{end:?}");
}

#[test]
fn a_stderr_that_nobody_ever_drains_does_not_keep_it_from_ending() {
    let place = Place::new();
    let mut daemon = with_full_stderr(&place);
    let started = daemon.terminate();
    while daemon.0.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < STOP_LIMIT, "it never ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(daemon.0.wait().unwrap().success());
}

/// A daemon that went on acking while the pipe it logs to, which nobody reads, filled up.
fn with_full_stderr(place: &Place) -> Killed {
    let mut command = place.command();
    command.args(["--log", "debug"]).stderr(Stdio::piped());
    let daemon = Killed(command.spawn().unwrap());
    until("it listens", || place.socket().exists());
    let mut peer = Peer::connect(&place.socket());
    // Each rejected wake is a line at this level; a pipe holds 64 KiB.
    for _ in 0..3_000 {
        peer.send(&frame(b"{}"));
        assert!(!peer.ack().is_accepted());
    }
    daemon
}

impl Killed {
    /// Asks it to end; returns when that was.
    fn terminate(&self) -> std::time::Instant {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, Signal::TERM).unwrap();
        std::time::Instant::now()
    }
}

/// A process that doesn't outlive its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

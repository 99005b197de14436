//! The command line: what is wrong is said in a sentence, with the exit code scripts rely on.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};

use common::daemon::{Daemon, Exit, LIMIT, Place, until};
use common::wakeline;
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn run(arguments: &[&str]) -> Output {
    Command::new(wakeline()).args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Asserts exit code 2 and words that name the trouble.
fn assert_usage(exit: &Exit, words: &[&str]) {
    assert_eq!(exit.code(), Some(2), "{exit:?}");
    for word in words {
        assert!(exit.stderr.contains(word), "no {word:?} in {}", exit.stderr);
    }
    assert!(!exit.stderr.contains("panicked"), "{}", exit.stderr);
}

#[test]
fn version_and_help_go_to_stdout_and_exit_with_zero() {
    let version = run(&["--version"]);
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        format!("wakeline {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert!(version.status.success() && version.stderr.is_empty());
    let helps: [(&[&str], &str); 6] = [
        (&["--help"], "--socket"),
        (&["serve", "--help"], "--telemetry-db"),
        (&["kill-switch", "--help"], "engage"),
        (&["demo", "--help"], "Usage"),
        (&["kalshi", "--help"], "verify"),
        (&["bench", "sign", "--help"], "--python"),
    ];
    for (arguments, word) in helps {
        let help = run(arguments);
        assert!(help.status.success() && help.stderr.is_empty(), "{help:?}");
        assert!(String::from_utf8(help.stdout).unwrap().contains(word));
    }
}

#[test]
fn serve_and_the_bare_form_are_the_same() {
    let place = Place::new();
    let mut command = Command::new(wakeline());
    command.arg("serve").arg("--telemetry-db").arg(place.database()).arg("--socket").arg(place.socket());
    let daemon = Daemon::start(command, &place.socket());
    daemon.connect().round_trip("served");
    assert_eq!(daemon.stop().count("rows_written"), 1);
    let daemon = place.start_recording(&["--spin"]);
    daemon.connect().round_trip("served");
    assert_eq!(daemon.stop().count("rows_written"), 1);
}

#[test]
fn a_wrong_use_exits_with_two() {
    let wrong: [&[&str]; 8] = [
        &[],
        &["serve"],
        &["--telemetry-db", "x.db"],
        &["--socket"],
        &["--socket", ""],
        &["--socket", "a.sock", "--unknown"],
        &["--socket", "a.sock", "surplus"],
        &["unknown"],
    ];
    for arguments in wrong {
        let output = run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains("--help"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_wrong_value_exits_with_two_and_makes_nothing() {
    let place = Place::new();
    assert_usage(&place.refused(&["--log", "loud"]), &["loud", "--log"]);
    for time in ["0", "-1", "soon", "1.5", ""] {
        let flag = format!("--stall-timeout-ms={time}");
        assert_usage(&place.refused(&[&flag]), &["--stall-timeout-ms"]);
    }
    for ring in ["-1", "many", "99999999999999999999"] {
        let flag = format!("--telemetry-ring={ring}");
        assert_usage(&place.refused(&[&flag]), &["--telemetry-ring"]);
    }
    assert_usage(&place.refused(&["--telemetry-db", ""]), &["--telemetry-db"]);
    assert_usage(&place.refused(&["--log-file", ""]), &["--log-file"]);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_ring_that_cannot_be_exits_with_two() {
    let place = Place::new();
    let database = place.database();
    for ring in ["0", "3", "8191", "2097152", "1152921504606846976", "9223372036854775808"] {
        let flags = ["--telemetry-db", database.to_str().unwrap(), "--telemetry-ring", ring];
        assert_usage(&place.refused(&flags), &[ring, "power of two"]);
        assert!(!database.exists());
    }
    for ring in ["1", "2", "65536"] {
        let daemon = place.start_recording(&["--telemetry-ring", ring]);
        daemon.connect().round_trip("fits");
        assert_eq!(daemon.stop().count("rows_written"), 1);
    }
}

#[test]
fn the_longest_times_are_taken() {
    let place = Place::new();
    let daemon = place.start(&["--stall-timeout-ms", "18446744073709551615"]);
    daemon.connect().round_trip("patient");
    daemon.stop();
}

#[test]
fn a_database_that_cannot_be_is_refused_in_one_sentence() {
    let place = Place::new();
    fs::create_dir(place.at("directory")).unwrap();
    fs::write(place.at("text"), "this is no database, and long enough to be one: ".repeat(50)).unwrap();
    mknodat(CWD, place.at("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    for (name, word) in [
        ("directory", "a directory"),
        ("text", "not a readable SQLite database"),
        ("fifo", "a FIFO"),
        ("text/telemetry.db", "text/telemetry.db"),
        ("wake.sock.lock", "is named twice"),
        ("wake.sock", "is named twice"),
        ("./wake.sock", "is named twice"),
    ] {
        let database = place.at(name);
        let exit = place.refused(&["--telemetry-db", database.to_str().unwrap()]);
        exit.assert_refused(&["telemetry database", word]);
        assert!(!place.socket().exists());
    }
    assert!(fs::read_to_string(place.at("text")).unwrap().starts_with("this is no database"));
    place.start(&[]).stop();
}

#[test]
fn a_log_file_that_cannot_be_is_refused_in_one_sentence() {
    let place = Place::new();
    for name in ["missing/wakeline.log", "."] {
        let log = place.at(name);
        place.refused(&["--log-file", log.to_str().unwrap()]).assert_refused(&["log file", "check"]);
        assert!(!place.socket().exists());
    }
}

#[test]
fn a_socket_path_that_names_no_file_is_refused_in_one_sentence() {
    for path in ["/", "..", "/tmp/..", "/tmp/", "/tmp/."] {
        let mut command = Command::new(wakeline());
        command.args(["--socket", path]);
        let exit = Daemon::spawn(command, path.as_ref()).wait(LIMIT);
        exit.assert_refused(&["names no file"]);
    }
    let place = Place::new();
    fs::write(place.at("file"), "").unwrap();
    let mut command = Command::new(wakeline());
    command.arg("--socket").arg(place.at("file/wake.sock"));
    Daemon::spawn(command, &place.socket()).wait(LIMIT).assert_refused(&["directory", "file"]);
}

#[test]
fn a_stderr_that_is_closed_harms_nothing() {
    let place = Place::new();
    let mut command = Command::new("sh");
    command.args(["-c", "exec 2>&- >&- <&-; exec \"$0\" \"$@\""]).arg(wakeline());
    command.arg("--log").arg("trace").arg("--socket").arg(place.socket());
    let daemon = Daemon::start(command, &place.socket());
    let mut peer = daemon.connect();
    peer.round_trip("alive");
    peer.send(&u32::MAX.to_be_bytes());
    peer.assert_closed();
    daemon.connect().round_trip("still alive");
    daemon.stop();
}

#[test]
fn a_stderr_whose_reader_is_gone_harms_nothing() {
    let place = Place::new();
    let mut command = place.command();
    command.args(["--log", "trace"]).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = Reaped(command.spawn().unwrap());
    let mut stderr = child.0.stderr.take().unwrap();
    until("the socket is there", || place.socket().exists());
    stderr.read_exact(&mut [0; 1]).unwrap();
    drop(stderr);
    let mut steady = common::peer::Peer::connect(&place.socket());
    for _ in 0..3 {
        let mut peer = common::peer::Peer::connect(&place.socket());
        peer.send(&common::peer::frame(b"garbage"));
        peer.ack().assert_rejects("");
        peer.send(&u32::MAX.to_be_bytes());
        peer.assert_closed();
        steady.round_trip("steady");
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child.0), rustix::process::Signal::TERM)
        .unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}

/// A child that doesn't outlive its test.
struct Reaped(std::process::Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_full_log_disk_harms_nothing() {
    let place = Place::new();
    if !std::path::Path::new("/dev/full").exists() {
        common::daemon::skipped("/dev/full is absent, so no full disk was tried");
        return;
    }
    let daemon = place.start(&["--log", "trace", "--log-file", "/dev/full"]);
    let mut peer = daemon.connect();
    peer.send(&u32::MAX.to_be_bytes());
    peer.assert_closed();
    daemon.connect().round_trip("alive");
    assert!(!daemon.stop().stderr.contains("panicked"));
}

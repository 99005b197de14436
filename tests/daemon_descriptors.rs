//! What the daemon takes of the machine: descriptors, also when there are none left, and next to nothing when idle.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use common::daemon::{Daemon, LIMIT, NOBODY, Place, is_root, runnable_by_all, set_mode, skipped, until};
use common::peer::{Peer, frame, wake};
use common::wakeline;

/// `O_CLOEXEC` as Linux prints it.
const CLOSE_ON_EXEC: u32 = 0o2_000_000;

#[test]
fn every_descriptor_is_close_on_exec() {
    let place = Place::new();
    let log = place.at("log");
    let daemon = place.start_recording(&["--log-file", log.to_str().unwrap()]);
    let mut peer = daemon.connect();
    peer.round_trip("open");
    let own = descriptors("/proc/self").into_iter();
    let inherited: Vec<u32> =
        own.filter(|(_, flags)| flags & CLOSE_ON_EXEC == 0).map(|(number, _)| number).collect();
    let mut looked_at = 0;
    for (number, flags) in descriptors(&format!("/proc/{}", daemon.pid())) {
        // What whoever started this test left open isn't the daemon's.
        if number <= 2 || inherited.contains(&number) {
            continue;
        }
        let target = std::fs::read_link(format!("/proc/{}/fd/{number}", daemon.pid())).unwrap();
        assert_ne!(flags & CLOSE_ON_EXEC, 0, "{number}: {}", target.display());
        looked_at += 1;
    }
    assert!(looked_at >= 6, "{looked_at}");
}

/// The open descriptors of a process, with their flags.
fn descriptors(process: &str) -> Vec<(u32, u32)> {
    let flags_of = |entry: std::fs::DirEntry| {
        let number: u32 = entry.file_name().to_str().unwrap().parse().unwrap();
        // One of this very process may be closed again by now.
        let info = std::fs::read_to_string(entry.path()).ok()?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
        Some((number, u32::from_str_radix(flags.trim(), 8).unwrap()))
    };
    std::fs::read_dir(format!("{process}/fdinfo"))
        .unwrap()
        .filter_map(|entry| flags_of(entry.unwrap()))
        .collect()
}

#[test]
fn without_descriptors_it_serves_on_and_recovers() {
    let place = Place::new();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 32; exec \"$0\" \"$@\""])
        .arg(wakeline())
        .arg("--socket")
        .arg(place.socket());
    let daemon = Daemon::start(command, &place.socket());
    let mut first = daemon.connect();
    first.round_trip("first");
    let mut crowd: Vec<Peer> = (0..50).map(|_| daemon.connect()).collect();
    for peer in &mut crowd {
        peer.send(&frame(&wake("crowd", "")));
    }
    let before = daemon.cpu();
    for _ in 0..20 {
        first.round_trip("meanwhile");
        std::thread::sleep(Duration::from_millis(50));
    }
    let burnt = daemon.cpu() - before;
    assert!(burnt < Duration::from_millis(300), "{burnt:?} of a second while no connection can be accepted");
    // Those that wait are served once others have gone.
    for mut peer in crowd {
        peer.ack().assert_accepts("crowd");
    }
    daemon.connect().round_trip("newcomer");
    let exit = daemon.stop();
    assert!(exit.count("accept_errors") > 0, "{exit:?}");
    assert_eq!((exit.count("connections"), exit.count("frames")), (52, 72));
    assert!(exit.stderr.contains("can't accept a connection"), "{exit:?}");
}

#[test]
fn a_signal_is_heard_while_no_connection_can_be_accepted() {
    let place = Place::new();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 20; exec \"$0\" \"$@\""])
        .arg(wakeline())
        .arg("--socket")
        .arg(place.socket());
    let daemon = Daemon::start(command, &place.socket());
    let _crowd: Vec<Peer> = (0..40).map(|_| daemon.connect()).collect();
    until("it is short of descriptors", || daemon.stderr().contains("can't accept"));
    assert!(daemon.stop().has_both_lines());
}

#[test]
fn too_few_descriptors_to_start_with_are_one_sentence() {
    let place = Place::new();
    for limit in 6..16 {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -n {limit}; exec \"$0\" \"$@\"")])
            .arg(wakeline())
            .arg("--socket")
            .arg(place.socket())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("the limit on open files is {limit}")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn too_few_threads_to_start_with_are_one_sentence() {
    if !is_root() {
        return skipped("only root can start it as a user whose threads are counted");
    }
    let place = Place::new();
    let binary = runnable_by_all(&wakeline(), &place);
    set_mode(place.path(), 0o777);
    // A shell's own word for this limit differs from shell to shell.
    let mut command = Command::new("bash");
    command
        .args(["-c", "ulimit -u 1 && exec \"$0\" \"$@\""])
        .arg(binary)
        .arg("--socket")
        .arg(place.socket())
        .arg("--telemetry-db")
        .arg(place.database())
        .uid(NOBODY);
    Daemon::spawn(command, &place.socket()).wait(LIMIT).assert_refused(&["thread"]);
}

#[test]
fn an_idle_daemon_uses_next_to_nothing() {
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    let mut peer = daemon.connect();
    peer.round_trip("busy for a moment");
    std::thread::sleep(Duration::from_millis(500));
    let (cpu, switches) = (daemon.cpu(), switches_of_all_threads(&daemon));
    let started = std::time::Instant::now();
    std::thread::sleep(Duration::from_secs(3));
    let (cpu, switches) = (daemon.cpu() - cpu, switches_of_all_threads(&daemon) - switches);
    assert!(cpu <= Duration::from_millis(30), "{cpu:?} in {:?}", started.elapsed());
    let a_second = switches as f64 / started.elapsed().as_secs_f64();
    assert!(a_second < 100.0, "{a_second} switches a second");
    peer.round_trip("awake again");
}

fn switches_of_all_threads(daemon: &Daemon) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", daemon.pid())).unwrap();
    tasks
        .map(|task| {
            let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
            line.trim().parse::<u64>().unwrap()
        })
        .sum()
}

//! The daemon's threads on the CPUs they were told, and its memory in RAM.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use common::daemon::{Daemon, LIMIT, NOBODY, Place, is_root, runnable_by_all, set_mode, skipped};
use rustix::thread::{CpuSet, sched_getaffinity};

/// The CPUs this process may use.
fn cpus() -> Vec<usize> {
    let allowed = sched_getaffinity(None).unwrap();
    (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect()
}

/// One line of a `status` file under /proc; `None` when whom it speaks of has ended.
fn status(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    Some(value.unwrap_or_else(|| panic!("{key} in {path}")).trim().to_owned())
}

/// Each thread's id and the CPUs it may use.
fn threads(pid: u32) -> Vec<(u32, String)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let ids = tasks.map(|task| task.unwrap().file_name().to_str().unwrap().parse().unwrap());
    ids.filter_map(|id| Some((id, status(&format!("/proc/{pid}/task/{id}/status"), "Cpus_allowed_list")?)))
        .collect()
}

#[test]
fn the_hot_thread_has_its_cpu_and_the_others_keep_off_it() {
    let cpus = cpus();
    let hot = *cpus.last().unwrap();
    let place = Place::new();
    let daemon = place.start_recording(&["--pin", &hot.to_string()]);
    daemon.connect().round_trip("pinned");
    let threads = threads(daemon.pid());
    assert!(threads.len() >= 2, "{threads:?}");
    for (id, allowed) in &threads {
        if *id == daemon.pid() {
            assert_eq!(allowed, &hot.to_string(), "{threads:?}");
        } else if cpus.len() > 1 {
            let others = allowed.split(['-', ',']).map(|cpu| cpu.parse::<usize>().unwrap());
            assert!(others.clone().all(|cpu| cpu != hot), "{threads:?}");
            assert!(others.count() >= 1, "{threads:?}");
        }
    }
    assert_eq!(daemon.stop().count("rows_written"), 1);
}

#[test]
fn all_threads_share_a_cpu_that_is_named_twice() {
    let cpu = *cpus().last().unwrap();
    let place = Place::new();
    let daemon = place.start_recording(&["--pin", &format!("{cpu},{cpu}")]);
    daemon.connect().round_trip("together");
    let threads = threads(daemon.pid());
    assert!(threads.len() >= 2, "{threads:?}");
    assert!(threads.iter().all(|(_, allowed)| *allowed == cpu.to_string()), "{threads:?}");
    daemon.stop();
}

#[test]
fn on_the_only_cpu_it_serves_as_well() {
    let cpu = cpus()[0].to_string();
    let place = Place::new();
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu]).arg(common::wakeline()).arg("--socket").arg(place.socket());
    command.args(["--pin", &cpu]).arg("--telemetry-db").arg(place.database());
    if Command::new("taskset").arg("--version").output().is_err() {
        return skipped("there is no taskset to leave it one CPU");
    }
    let daemon = Daemon::start(command, &place.socket());
    daemon.connect().round_trip("alone");
    assert!(threads(daemon.pid()).iter().all(|(_, allowed)| *allowed == cpu));
    assert_eq!(daemon.stop().count("rows_written"), 1);
}

#[test]
fn a_cpu_that_is_not_there_is_one_sentence() {
    let place = Place::new();
    for cpu in ["1023", "1024", "18446744073709551615"] {
        place.refused(&["--pin", cpu]).assert_refused(&[&format!("no CPU {cpu}"), "--pin"]);
    }
    place.refused(&["--pin", "0,1023"]).assert_refused(&["no CPU 1023", "--pin"]);
    for wrong in ["-1", "0,1,2", "0,", "first", ""] {
        assert_eq!(place.refused(&[&format!("--pin={wrong}")]).status.code(), Some(2), "{wrong}");
    }
    assert!(!place.socket().exists());
}

#[test]
fn its_memory_is_locked_also_what_comes_later() {
    if !is_root() {
        return skipped("only root may lock memory whatever the limit");
    }
    let place = Place::new();
    let daemon = place.start_recording(&["--mlock"]);
    let locked = || {
        let text = status(&format!("/proc/{}/status", daemon.pid()), "VmLck").unwrap();
        text.strip_suffix(" kB").unwrap().trim().parse::<u64>().unwrap()
    };
    let before = locked();
    assert!(before > 1_000, "{before} KiB");
    let mut peers: Vec<_> = (0..200).map(|_| daemon.connect()).collect();
    for peer in &mut peers {
        peer.round_trip("locked");
    }
    assert!(locked() > before, "{} KiB after {before}", locked());
    assert_eq!(daemon.stop().count("rows_written"), 200);
}

#[test]
fn under_a_limit_locking_is_refused_in_one_sentence() {
    if !is_root() {
        return skipped("only root can start it as a user whose limit holds");
    }
    let place = Place::new();
    let binary = runnable_by_all(&common::wakeline(), &place);
    set_mode(place.path(), 0o777);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -l 64; exec \"$0\" \"$@\""]).arg(binary).arg("--mlock");
    command.arg("--socket").arg(place.socket()).uid(NOBODY);
    let exit = Daemon::spawn(command, &place.socket()).wait(LIMIT);
    exit.assert_refused(&["65536 bytes", "ulimit -l unlimited"]);
    assert!(!place.socket().exists());
}

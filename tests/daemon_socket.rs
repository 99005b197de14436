//! The socket: there only when it listens, for its owner only, at any path that fits, gone when the daemon is.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::daemon::{Daemon, LIMIT, NOBODY, Place, is_root, runnable_by_all, set_mode, skipped, until};
use common::wakeline;
use rustix::fs::inotify;

fn at(socket: &Path) -> Command {
    let mut command = Command::new(wakeline());
    command.arg("--socket").arg(socket);
    command
}

/// Asserts that no socket in the directory can be opened by others; says whether `socket` is there.
fn seen_private(directory: &Path, socket: &Path) -> bool {
    for entry in fs::read_dir(directory).unwrap() {
        // It may be gone again, or have another name by now.
        let Ok(metadata) = fs::symlink_metadata(entry.unwrap().path()) else { continue };
        if metadata.file_type().is_socket() {
            assert_eq!(metadata.mode() & 0o7777, 0o600);
            assert_eq!(metadata.uid(), rustix::process::geteuid().as_raw());
        }
    }
    fs::symlink_metadata(socket).is_ok()
}

#[test]
fn whoever_sees_the_path_can_connect_and_never_finds_another_mode() {
    for _ in 0..30 {
        let place = Place::new();
        let mut command = Command::new("sh");
        command
            .args(["-c", "umask 0; exec \"$0\" \"$@\""])
            .arg(wakeline())
            .arg("--socket")
            .arg(place.socket());
        let daemon = Daemon::spawn(command, &place.socket());
        let started = std::time::Instant::now();
        while !seen_private(place.path(), &place.socket()) {
            assert!(started.elapsed() < LIMIT, "{}", daemon.stderr());
        }
        // Never refused: it listened before it had its name.
        drop(UnixStream::connect(place.socket()).unwrap());
        assert!(seen_private(place.path(), &place.socket()));
        daemon.connect().round_trip("first");
    }
}

#[test]
fn a_umask_that_takes_the_owners_rights_does_not_reach_the_socket() {
    let place = Place::new();
    let mut command = Command::new("sh");
    command
        .args(["-c", "umask 0777; exec \"$0\" \"$@\""])
        .arg(wakeline())
        .arg("--socket")
        .arg(place.socket());
    let daemon = Daemon::start(command, &place.socket());
    assert_eq!(fs::metadata(place.socket()).unwrap().mode() & 0o7777, 0o600);
    daemon.connect().round_trip("ours");
}

#[test]
fn parent_directories_are_made() {
    let place = Place::new();
    let socket = place.at("a/b/c/wake.sock");
    let daemon = Daemon::start(at(&socket), &socket);
    daemon.connect().round_trip("deep");
    assert_eq!(fs::metadata(place.at("a/b")).unwrap().mode() & 0o7777, 0o700);
    daemon.stop();
    assert!(!socket.exists());
}

/// A path of exactly `length` bytes in the place: in a deep directory, or with a long name.
fn path_of(place: &Place, length: usize, long_name: bool) -> PathBuf {
    let rest = length - place.path().as_os_str().len() - 1;
    let path = place.at(&if long_name { "n".repeat(rest) } else { format!("{}/s", "d".repeat(rest - 2)) });
    assert_eq!(path.as_os_str().len(), length);
    path
}

#[test]
fn a_path_of_107_bytes_works_also_after_a_crash() {
    for long_name in [false, true] {
        let place = Place::new();
        let socket = path_of(&place, 107, long_name);
        let daemon = Daemon::start(at(&socket), &socket);
        daemon.connect().round_trip("long");
        let second = Daemon::spawn(at(&socket), &socket).wait(LIMIT);
        second.assert_refused(&[&format!("(pid {})", daemon.pid())]);
        daemon.kill_hard();
        let mut daemon = Daemon::spawn(at(&socket), &socket);
        until("a new socket is there", || {
            assert!(daemon.is_running(), "{}", daemon.stderr());
            UnixStream::connect(&socket).is_ok()
        });
        daemon.connect().round_trip("again");
        daemon.stop();
    }
}

#[test]
fn a_name_of_107_bytes_works_also_after_a_crash() {
    let place = Place::new();
    let name = "n".repeat(107);
    let start = || {
        let mut command = at(Path::new(&name));
        command.current_dir(place.path());
        Daemon::spawn(command, &place.at(&name))
    };
    for _ in 0..3 {
        let mut daemon = start();
        let pid = daemon.pid();
        until("its lock names it", || {
            assert!(daemon.is_running(), "{}", daemon.stderr());
            let lock = fs::read_to_string(place.at(&format!("{name}.lock")));
            place.at(&name).exists() && lock.is_ok_and(|lock| lock.trim() == pid.to_string())
        });
        start().wait(LIMIT).assert_refused(&[&format!("(pid {pid})")]);
        daemon.kill_hard();
    }
}

#[test]
fn a_path_of_108_bytes_is_refused_before_anything_is_made() {
    for long_name in [false, true] {
        let place = Place::new();
        let socket = path_of(&place, 108, long_name);
        let mut command = at(&socket);
        command.arg("--telemetry-db").arg(place.database());
        Daemon::spawn(command, &socket).wait(LIMIT).assert_refused(&["108", "107", "shorter"]);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}

#[test]
fn relative_paths_work_with_and_without_a_directory() {
    for name in ["wake.sock", "./wake.sock", "run/wake.sock"] {
        let place = Place::new();
        let mut command = at(Path::new(name));
        command.current_dir(place.path());
        let daemon = Daemon::start(command, &place.at(name));
        daemon.connect().round_trip("relative");
        daemon.stop();
        assert!(!place.at(name).exists());
    }
}

#[test]
fn what_a_killed_start_left_under_its_temporary_name_is_cleared_away() {
    let place = Place::new();
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, place.path(), inotify::WatchFlags::MOVED_FROM).unwrap();
    place.start(&[]).stop();
    let mut buffer = [MaybeUninit::uninit(); 4_096];
    let mut events = inotify::Reader::new(&watch, &mut buffer);
    let temporary = events.next().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    drop(UnixListener::bind(place.at(&temporary)).unwrap());
    place.start(&[]).connect().round_trip("in spite of it");
    assert!(!place.at(&temporary).exists());
}

#[test]
fn the_path_is_unlinked_at_exit_only_while_it_is_ours() {
    let place = Place::new();
    place.start(&[]).stop();
    assert!(!place.socket().exists());

    let daemon = place.start(&[]);
    fs::remove_file(place.socket()).unwrap();
    fs::write(place.socket(), "a file").unwrap();
    daemon.stop();
    assert_eq!(fs::read_to_string(place.socket()).unwrap(), "a file");
    fs::remove_file(place.socket()).unwrap();

    let daemon = place.start(&[]);
    fs::rename(place.socket(), place.at("moved")).unwrap();
    let _foreign = UnixListener::bind(place.socket()).unwrap();
    daemon.stop();
    UnixStream::connect(place.socket()).unwrap();
    fs::remove_file(place.socket()).unwrap();

    let daemon = place.start(&[]);
    fs::remove_file(place.socket()).unwrap();
    daemon.stop();
    assert!(!place.socket().exists());
}

#[test]
fn a_directory_that_cannot_be_written_is_refused_in_one_sentence() {
    let place = Place::new();
    let program = if is_root() { runnable_by_all(&wakeline(), &place) } else { wakeline() };
    let directory = place.at("closed");
    fs::create_dir(&directory).unwrap();
    set_mode(&directory, 0o555);
    let run = |socket: &Path| {
        let mut command = Command::new(&program);
        command.arg("--socket").arg(socket);
        if is_root() {
            command.uid(NOBODY);
        }
        Daemon::spawn(command, socket).wait(LIMIT)
    };
    run(&directory.join("wake.sock")).assert_refused(&["closed/wake.sock", "ermission denied", "check"]);
    run(&directory.join("new/wake.sock")).assert_refused(&["closed/new", "ermission denied", "check"]);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    if !is_root() {
        skipped("a directory of another user needs root; a closed one of our own was tried instead");
    }
}

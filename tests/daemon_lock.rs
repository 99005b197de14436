//! One executor to a path: what is alive is never pushed aside, what is dead never stands in the way.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::PathBuf;

use common::daemon::{Place, until};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

fn lock_of(place: &Place) -> PathBuf {
    place.at("wake.sock.lock")
}

#[test]
fn a_second_daemon_is_told_the_pid_of_the_first() {
    let place = Place::new();
    let first = place.start(&[]);
    let mut peer = first.connect();
    let pid = format!("(pid {})", first.pid());
    place.refused(&[]).assert_refused(&["another wakeline", &pid, "stop it first"]);
    peer.round_trip("unharmed");
    first.connect().round_trip("newcomer");
    first.stop();
    place.start(&[]).stop();
}

#[test]
fn a_second_daemon_is_refused_also_when_the_socket_was_deleted() {
    let place = Place::new();
    let first = place.start(&[]);
    fs::remove_file(place.socket()).unwrap();
    place.refused(&[]).assert_refused(&[&format!("(pid {})", first.pid())]);
    assert!(!place.socket().exists());
}

#[test]
fn the_lock_file_is_private_holds_the_pid_and_stays() {
    let place = Place::new();
    fs::write(lock_of(&place), "1234567890123456789 left by somebody\n").unwrap();
    fs::remove_file(lock_of(&place)).unwrap();
    let daemon = place.start(&[]);
    let before = fs::metadata(lock_of(&place)).unwrap();
    assert_eq!(before.mode() & 0o7777, 0o600);
    assert_eq!(fs::read_to_string(lock_of(&place)).unwrap(), format!("{}\n", daemon.pid()));
    daemon.stop();
    let daemon = place.start(&[]);
    assert_eq!(fs::metadata(lock_of(&place)).unwrap().ino(), before.ino());
    assert_eq!(fs::read_to_string(lock_of(&place)).unwrap(), format!("{}\n", daemon.pid()));
}

#[test]
fn a_lock_file_with_odd_content_is_written_anew() {
    let place = Place::new();
    fs::write(lock_of(&place), "1234567890123456789 left by somebody\n").unwrap();
    let daemon = place.start(&[]);
    assert_eq!(fs::read_to_string(lock_of(&place)).unwrap(), format!("{}\n", daemon.pid()));
    fs::write(lock_of(&place), "scribbled over").unwrap();
    place.refused(&[]).assert_refused(&["another wakeline serves"]);
}

#[test]
fn a_lock_that_cannot_be_had_is_one_sentence() {
    let place = Place::new();
    fs::create_dir(lock_of(&place)).unwrap();
    place.refused(&[]).assert_refused(&["wake.sock.lock", "irectory"]);
    fs::remove_dir(lock_of(&place)).unwrap();

    fs::write(place.at("target"), "not ours").unwrap();
    symlink(place.at("target"), lock_of(&place)).unwrap();
    place.refused(&[]).assert_refused(&["wake.sock.lock"]);
    assert_eq!(fs::read_to_string(place.at("target")).unwrap(), "not ours");
    fs::remove_file(lock_of(&place)).unwrap();

    mknodat(CWD, lock_of(&place), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    place.refused(&[]).assert_refused(&["wake.sock.lock"]);
    assert!(!place.socket().exists());
}

#[test]
fn what_is_not_a_socket_is_never_touched() {
    let place = Place::new();
    let socket = place.socket();

    fs::write(&socket, "a file").unwrap();
    place.refused(&[]).assert_refused(&["a regular file", "left alone"]);
    assert_eq!(fs::read_to_string(&socket).unwrap(), "a file");
    fs::remove_file(&socket).unwrap();

    fs::create_dir(&socket).unwrap();
    place.refused(&[]).assert_refused(&["a directory", "left alone"]);
    fs::remove_dir(&socket).unwrap();

    mknodat(CWD, &socket, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    place.refused(&[]).assert_refused(&["a FIFO", "left alone"]);
    assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_fifo());
    fs::remove_file(&socket).unwrap();

    drop(UnixListener::bind(place.at("stale")).unwrap());
    fs::write(place.at("file"), "").unwrap();
    for target in ["nowhere", "file", "stale"] {
        symlink(place.at(target), &socket).unwrap();
        place.refused(&[]).assert_refused(&["a symbolic link", "left alone"]);
        assert_eq!(fs::read_link(&socket).unwrap(), place.at(target));
        fs::remove_file(&socket).unwrap();
    }
    assert!(place.at("stale").exists());
    place.start(&[]).connect().round_trip("free at last");
}

#[test]
fn a_stale_socket_is_replaced() {
    let place = Place::new();
    drop(UnixListener::bind(place.socket()).unwrap());
    let mut daemon = common::daemon::Daemon::spawn(place.command(), &place.socket());
    until("the stale socket is replaced", || {
        assert!(daemon.is_running(), "{}", daemon.stderr());
        UnixStream::connect(place.socket()).is_ok()
    });
    daemon.connect().round_trip("replaced");
}

#[test]
fn after_a_crash_the_next_start_works_at_once() {
    let place = Place::new();
    for round in 0..10 {
        let mut daemon = common::daemon::Daemon::spawn(place.command(), &place.socket());
        until("it serves", || {
            assert!(daemon.is_running(), "round {round}: {}", daemon.stderr());
            UnixStream::connect(place.socket()).is_ok()
        });
        daemon.connect().round_trip("served");
        daemon.kill_hard();
        assert!(place.socket().exists(), "killed: nobody unlinked it");
    }
}

#[test]
fn a_foreign_executor_is_not_pushed_aside() {
    let place = Place::new();
    let foreign = UnixListener::bind(place.socket()).unwrap();
    let pid = format!("(pid {})", std::process::id());
    place.refused(&[]).assert_refused(&["another executor", &pid, "stop it first"]);
    foreign.set_nonblocking(true).unwrap();
    foreign.accept().unwrap();
    let peer = UnixStream::connect(place.socket()).unwrap();
    drop(peer);
    foreign.accept().unwrap();
}

#[test]
fn a_foreign_executor_with_a_full_backlog_is_not_pushed_aside() {
    let place = Place::new();
    let foreign =
        rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            .unwrap();
    let address = SocketAddrUnix::new(place.socket()).unwrap();
    rustix::net::bind(&foreign, &address).unwrap();
    rustix::net::listen(&foreign, 0).unwrap();
    let before = fs::metadata(place.socket()).unwrap().ino();
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let mut waiting = Vec::new();
    loop {
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        match rustix::net::connect(&socket, &address) {
            Ok(()) => waiting.push(socket),
            Err(error) => {
                assert_eq!(error, rustix::io::Errno::AGAIN);
                break;
            }
        }
    }
    place.refused(&[]).assert_refused(&["another executor", "stop it first"]);
    assert_eq!(fs::metadata(place.socket()).unwrap().ino(), before);
}

#[test]
fn a_socket_of_another_kind_is_not_pushed_aside() {
    let place = Place::new();
    let _datagrams = UnixDatagram::bind(place.socket()).unwrap();
    place.refused(&[]).assert_refused(&["wake.sock"]);
    assert!(place.socket().exists());
}

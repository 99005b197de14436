//! Peers that leave early, close half of the connection, come in numbers, or belong to somebody else.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::daemon::{NOBODY, Place, is_root, runnable_by_all, set_mode, skipped, until};
use common::peer::{Peer, frame, frames, wake};

#[test]
fn a_half_closed_peer_still_gets_its_acks() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    peer.send(&frames("half", 100));
    peer.half_close();
    peer.assert_acks("half", 100);
    peer.assert_closed();
    assert_eq!(daemon.stop().count("ack_undelivered"), 0);
}

#[test]
fn a_half_closed_peer_gets_the_acks_of_a_large_burst() {
    const FRAMES: usize = 3_000;
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let mut sender = Peer { stream: peer.stream.try_clone().unwrap() };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            sender.send(&frames("burst", FRAMES));
            sender.half_close();
        });
        // More than the buffers hold waits by now, unread.
        std::thread::sleep(std::time::Duration::from_millis(300));
        peer.assert_acks("burst", FRAMES);
        peer.assert_closed();
    });
    let exit = daemon.stop();
    assert_eq!((exit.count("fired"), exit.count("ack_undelivered")), (FRAMES as u64, 0));
}

#[test]
fn every_wake_of_a_peer_that_leaves_without_its_acks_is_fired() {
    const FRAMES: usize = 100;
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    // Stopped, so that the peer is gone before the first ack is written.
    daemon.signal(rustix::process::Signal::STOP);
    let mut peer = daemon.connect();
    peer.send(&frames("gone", FRAMES));
    drop(peer);
    daemon.signal(rustix::process::Signal::CONT);
    let rows = || common::rows::wake_recv(&place.database()).len();
    until("every wake was handled", || rows() == FRAMES);
    daemon.connect().round_trip("next");
    let exit = daemon.stop();
    assert_eq!((exit.count("frames"), exit.count("fired")), (FRAMES as u64 + 1, FRAMES as u64 + 1));
    assert_eq!(exit.count("ack_undelivered"), FRAMES as u64);
}

#[test]
fn peers_that_vanish_at_any_moment_harm_nobody() {
    let place = Place::new();
    let daemon = place.start(&["--log", "error"]);
    let mut steady = daemon.connect();
    for round in 0..200 {
        let mut peer = daemon.connect();
        peer.send(&frames("brief", round % 7));
        peer.send(&frame(&wake("cut", ""))[..round % 11]);
        if round % 3 == 0 {
            peer.half_close();
        }
        drop(peer);
        steady.round_trip("steady");
    }
    let exit = daemon.stop();
    assert_eq!(exit.count("connections"), 201);
    assert_eq!(exit.count("oversize"), 0);
}

#[test]
fn sixty_four_connections_each_get_their_own_acks_in_order() {
    const PEERS: usize = 64;
    const FRAMES: usize = 100;
    let place = Place::new();
    let daemon = place.start_recording(&[]);
    std::thread::scope(|scope| {
        for index in 0..PEERS {
            let mut peer = daemon.connect();
            scope.spawn(move || {
                let name = format!("peer-{index}");
                for chunk in frames(&name, FRAMES).chunks(997 + index) {
                    peer.send(chunk);
                }
                peer.assert_acks(&name, FRAMES);
            });
        }
    });
    let exit = daemon.stop();
    let all = (PEERS * FRAMES) as u64;
    assert_eq!((exit.count("frames"), exit.count("fired"), exit.count("connections")), (all, all, 64));
    assert_eq!((exit.count("rows_written"), exit.count("duplicate_correlation_id")), (all, 0));
}

#[test]
fn a_connection_of_another_user_is_closed_and_counted() {
    if !is_root() {
        skipped("a connection of another user needs root");
        return;
    }
    let place = Place::new();
    let daemon = place.start(&[]);
    let test = runnable_by_all(&std::env::current_exe().unwrap(), &place);
    set_mode(&place.socket(), 0o666);
    let status = Command::new(test)
        .args(["--exact", "connects_for_another_test", "--ignored"])
        .env("WAKELINE_TEST_SOCKET", place.socket())
        .stdout(Stdio::null())
        .uid(NOBODY)
        .status();
    assert!(status.unwrap().success(), "the stranger was served");
    daemon.connect().round_trip("ours");
    let exit = daemon.stop();
    assert_eq!((exit.count("refused_peer"), exit.count("frames")), (1, 1));
}

#[test]
#[ignore = "run as another user by a_connection_of_another_user_is_closed_and_counted"]
fn connects_for_another_test() {
    let Some(socket) = std::env::var_os("WAKELINE_TEST_SOCKET").map(PathBuf::from) else { return };
    let mut peer = Peer::connect(&socket);
    // The daemon may have closed it already.
    let _ = std::io::Write::write_all(&mut peer.stream, &frames("stranger", 1));
    peer.assert_closed();
}

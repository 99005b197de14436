//! The kill switch: whatever stands at its path stops real fires from the next one on, and nothing else does.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use common::daemon::{
    Daemon, NOBODY, Place, assert_one_sentence, is_root, runnable_by_all, set_mode, skipped,
};
use common::peer::{Peer, frame, wake};
use common::wakeline;
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn start(place: &Place, switch: &Path) -> Daemon {
    place.start(&["--kill-switch", switch.to_str().unwrap()])
}

fn fire(peer: &mut Peer, real: bool) {
    peer.send(&frame(&wake("fire", &format!(",\"dry_run\":{}", !real))));
    peer.ack().assert_accepts("fire");
    // The fire comes after its ack; the next ack comes after that fire.
    peer.round_trip("barrier");
}

fn run(action: &[&str], switch: &Path) -> Output {
    Command::new(wakeline())
        .arg("kill-switch")
        .args(action)
        .arg("--kill-switch")
        .arg(switch)
        .output()
        .unwrap()
}

/// What `status` prints and exits with.
fn status(switch: &Path) -> (String, Option<i32>) {
    let output = run(&["status"], switch);
    assert!(output.stderr.is_empty(), "{output:?}");
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

const RELEASED: (&str, Option<i32>) = ("released\n", Some(0));

fn engaged(reason: &str) -> (String, Option<i32>) {
    (format!("engaged: {reason}\n"), Some(3))
}

/// Asserts that a fire of each kind is let through or refused, as `status` says too.
fn assert_refuses(place: &Place, switch: &Path, refuses: bool) {
    let daemon = start(place, switch);
    let mut peer = daemon.connect();
    fire(&mut peer, true);
    fire(&mut peer, false);
    let exit = daemon.stop();
    assert_eq!(exit.count("refused_kill_switch"), u64::from(refuses), "{exit:?}");
    assert_eq!(exit.count("fired"), 4 - u64::from(refuses));
    assert_eq!(exit.stderr.contains("kill switch engaged: "), refuses, "{exit:?}");
    assert_eq!(status(switch).1, Some(if refuses { 3 } else { 0 }));
}

#[test]
fn anything_at_the_path_engages_it() {
    let place = Place::new();
    let switch = place.at("switch");
    assert_refuses(&place, &switch, false);

    fs::write(&switch, "maintenance").unwrap();
    assert_refuses(&place, &switch, true);
    fs::write(&switch, "").unwrap();
    assert_refuses(&place, &switch, true);
    fs::remove_file(&switch).unwrap();

    fs::create_dir(&switch).unwrap();
    assert_refuses(&place, &switch, true);
    fs::remove_dir(&switch).unwrap();

    let listener = UnixListener::bind(&switch).unwrap();
    assert_refuses(&place, &switch, true);
    drop(listener);
    assert_refuses(&place, &switch, true);
    fs::remove_file(&switch).unwrap();

    fs::write(place.at("target"), "by symlink").unwrap();
    symlink(place.at("target"), &switch).unwrap();
    assert_refuses(&place, &switch, true);
    assert_eq!(status(&switch), engaged("by symlink"));
    fs::remove_file(&switch).unwrap();
    assert_refuses(&place, &switch, false);
}

#[test]
fn a_fifo_engages_it_and_nobody_waits_for_its_writer() {
    let place = Place::new();
    let switch = place.at("switch");
    mknodat(CWD, &switch, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert_refuses(&place, &switch, true);
    assert_eq!(status(&switch), engaged("(no reason recorded)"));
}

#[test]
fn nothing_at_the_path_leaves_it_released() {
    let place = Place::new();
    let dangling = place.at("dangling");
    symlink(place.at("nowhere"), &dangling).unwrap();
    fs::write(place.at("file"), "").unwrap();
    for switch in [place.at("missing"), dangling, place.at("no/parent/switch"), place.at("file/switch")] {
        assert_refuses(&place, &switch, false);
        assert_eq!((status(&switch).0.as_str(), status(&switch).1), RELEASED);
    }
}

#[test]
fn a_look_up_that_fails_in_any_other_way_counts_as_engaged() {
    let place = Place::new();
    let looping = place.at("looping");
    symlink(&looping, &looping).unwrap();
    for switch in [looping, place.at(&"n".repeat(300))] {
        assert_refuses(&place, &switch, true);
        assert!(status(&switch).0.contains("can't be looked up"), "{:?}", status(&switch));
    }
}

#[test]
fn a_closed_directory_counts_as_engaged() {
    if !is_root() {
        skipped("a directory of another user needs root");
        return;
    }
    let place = Place::new();
    let program = runnable_by_all(&wakeline(), &place);
    fs::create_dir(place.at("closed")).unwrap();
    let switch = place.at("closed/switch");
    set_mode(&place.at("closed"), 0o700);
    let run = |command: &mut Command| command.uid(NOBODY).output().unwrap();
    let output = run(Command::new(&program).args(["kill-switch", "status", "--kill-switch"]).arg(&switch));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("engaged: ") && said.contains("ermission denied"), "{said}");
    for action in ["engage", "release"] {
        let output = run(Command::new(&program).args(["kill-switch", action, "--kill-switch"]).arg(&switch));
        assert_eq!(output.status.code(), Some(1));
        assert_one_sentence(std::str::from_utf8(&output.stderr).unwrap(), &["ermission denied", "by hand"]);
    }

    // The daemon of that user: its directory is its own, the switch's isn't.
    fs::create_dir(place.at("own")).unwrap();
    set_mode(&place.at("own"), 0o777);
    let socket = place.at("own/wake.sock");
    let mut command = Command::new(&program);
    command.arg("--socket").arg(&socket).arg("--kill-switch").arg(&switch).uid(NOBODY);
    let daemon = Daemon::start(command, &socket);
    let mut peer = daemon.connect();
    fire(&mut peer, true);
    let exit = daemon.stop();
    assert_eq!((exit.count("refused_kill_switch"), exit.count("fired")), (1, 1));

    // A file that is there and can't be read: engaged, without its reason.
    set_mode(&place.at("closed"), 0o755);
    fs::write(&switch, "secret").unwrap();
    set_mode(&switch, 0o600);
    let output = run(Command::new(&program).args(["kill-switch", "status", "--kill-switch"]).arg(&switch));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "engaged: (no reason recorded)\n");
}

#[test]
fn it_takes_effect_between_two_frames_of_one_connection() {
    const ROUNDS: u64 = 50;
    let place = Place::new();
    let switch = place.at("switch");
    let daemon = start(&place, &switch);
    let mut peer = daemon.connect();
    for round in 0..ROUNDS {
        fire(&mut peer, true);
        if round % 2 == 0 {
            fs::write(&switch, format!("round {round}")).unwrap();
        } else {
            assert_eq!(run(&["engage", "round"], &switch).status.code(), Some(0));
        }
        fire(&mut peer, true);
        fs::remove_file(&switch).unwrap();
    }
    let exit = daemon.stop();
    assert_eq!(exit.count("refused_kill_switch"), ROUNDS);
    assert_eq!(exit.count("fired"), 3 * ROUNDS);
}

#[test]
fn a_reason_is_stripped_and_read_afresh() {
    let place = Place::new();
    let switch = place.at("switch");
    let long = "x".repeat(4_096);
    let none = "(no reason recorded)";
    let cases: [(&[u8], &str); 11] = [
        (b"maintenance\n", "maintenance"),
        (b"\n\t first line \n\n second line\r\n\n", "first line \n\n second line"),
        ("\u{a0}\u{2003}caf\u{e9} \u{1f980}\u{3000}\u{1c}\u{1f}\u{85}".as_bytes(), "caf\u{e9} \u{1f980}"),
        (b"", none),
        (b" \n\t\r\n", none),
        (b"\xff\xfe", none),
        (b"good start \xc3", none),
        (long.as_bytes(), &long),
        (&[long.as_bytes(), b"x"].concat(), none),
        (&vec![b' '; 5_000], none),
        (b"the last one", "the last one"),
    ];
    for (content, reason) in cases {
        fs::write(&switch, content).unwrap();
        assert_eq!(status(&switch), engaged(reason));
    }
    assert_refuses(&place, &switch, true);
}

#[test]
fn the_operators_commands_do_what_they_say() {
    let place = Place::new();
    let switch = place.at("new/directory/switch");
    let done = |action: &[&str], printed: &str| {
        let output = run(action, &switch);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
        assert!(output.stderr.is_empty());
    };
    done(&["release"], "released\n");
    done(&["release"], "released\n");
    done(&["engage", "exchange", "is down"], "engaged: exchange is down\n");
    assert_eq!(status(&switch), engaged("exchange is down"));
    done(&["engage", "still down"], "engaged: still down\n");
    assert_eq!(status(&switch), engaged("still down"));
    done(&["engage"], "engaged: (no reason recorded)\n");
    assert_eq!(status(&switch), engaged("(no reason recorded)"));
    done(&["engage", " \n "], "engaged: (no reason recorded)\n");
    done(&["release"], "released\n");
    assert!(!switch.exists());
    let left = fs::read_dir(place.at("new/directory")).unwrap().count();
    assert_eq!(left, 0, "a temporary file was left behind");
    assert_eq!((status(&switch).0.as_str(), status(&switch).1), RELEASED);
}

#[test]
fn a_switch_that_is_a_directory_is_said_to_need_a_hand() {
    let place = Place::new();
    let switch = place.at("switch");
    fs::create_dir(&switch).unwrap();
    assert_eq!(run(&["engage", "more"], &switch).status.code(), Some(0));
    let output = run(&["release"], &switch);
    assert_eq!(output.status.code(), Some(1));
    assert_one_sentence(std::str::from_utf8(&output.stderr).unwrap(), &["release", "switch", "by hand"]);
    assert!(switch.is_dir());
}

#[test]
fn a_file_that_is_no_reason_is_neither_replaced_nor_removed() {
    let place = Place::new();
    for content in [b"SQLite format 3\0".to_vec(), vec![b'x'; 4_097]] {
        let precious = place.at("bot.db");
        std::fs::write(&precious, &content).unwrap();
        for action in [&["engage", "oops"][..], &["release"][..]] {
            let output = run(action, &precious);
            assert_eq!(output.status.code(), Some(1), "{action:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("holds more than a reason and is left alone"), "{said}");
        }
        assert_eq!(std::fs::read(&precious).unwrap(), content);
        // It engages all the same: whatever exists there does.
        assert_eq!(status(&precious).1, Some(3));
    }
}

#[test]
fn a_wrong_use_exits_with_two() {
    for wrong in [
        &["kill-switch"][..],
        &["kill-switch", "status"],
        &["kill-switch", "toggle"],
        &["kill-switch", "release", "now", "--kill-switch", "x"],
        &["kill-switch", "status", "--kill-switch", ""],
    ] {
        let output = Command::new(wakeline()).args(wrong).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?} {output:?}");
        assert!(!output.stderr.is_empty());
    }
    let place = Place::new();
    let exit = place.refused(&["--kill-switch", ""]);
    assert_eq!(exit.code(), Some(2), "{exit:?}");
    assert!(!place.socket().exists());
}

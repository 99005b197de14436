//! What an ack says and how long it may get, whatever was sent.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::cell::RefCell;

use common::daemon::Place;
use common::peer::{frame, wake};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

#[test]
fn an_accepted_ack_has_exactly_five_keys_and_no_spaces() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let wall_ms = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis() as i64;
    let before = wall_ms();
    peer.send(&frame(&wake("bench-7", "")));
    let ack = peer.ack();
    assert!((before..=wall_ms()).contains(&ack.received_at_ms()), "{ack:?}");
    ack.assert_accepts("bench-7");
    for version in [1, 2, 3, 4] {
        peer.send(&frame(&wake("v", &format!(",\"schema_version\":{version}"))));
        peer.ack().assert_accepts("v");
    }
    peer.round_trip("");
    peer.round_trip("\u{e9}\u{1f980}/");
}

#[test]
fn every_kind_of_garbage_gets_one_rejected_ack() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    let deep = vec![b'['; 60_000];
    let garbage: [(&[u8], &str); 14] = [
        (b" ", ""),
        (b"null", "kalshi_bot.ipc.protocol.WakeMessage() argument after ** must be a mapping, not NoneType"),
        (b"[1,2]", "kalshi_bot.ipc.protocol.WakeMessage() argument after ** must be a mapping, not list"),
        (b"\"wake\"", "kalshi_bot.ipc.protocol.WakeMessage() argument after ** must be a mapping, not str"),
        (b"7", "kalshi_bot.ipc.protocol.WakeMessage() argument after ** must be a mapping, not int"),
        (b"{}", "WakeMessage.__init__() missing 12 required positional arguments: 'schema_version', "),
        (b"{\"x\":1}", "WakeMessage.__init__() got an unexpected keyword argument 'x'"),
        (b"{\"x\":", "unexpected end of data: line 1 column"),
        (b"\xff\xfe\x00", "str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)"),
        (b"\xef\xbb\xbf{}", "UTF-8 byte order mark (BOM) is not supported"),
        (b"{\"correlation_id\":\"\\ud800\"}", "no low surrogate in string"),
        (b"{} {}", "unexpected content after document"),
        (b"\0\0\0\0", ""),
        (&deep, "depth limit exceeded"),
    ];
    for (body, reason) in garbage {
        peer.send(&frame(body));
        peer.ack().assert_rejects(reason);
        peer.round_trip("alive");
    }
    let odd = ["direction\":\"up", "correlation_id\":7,\"asset\":\"", "price_ranges\":[[0,1]],\"asset\":\""];
    for more in odd {
        peer.send(&frame(&wake("odd", &format!(",\"{more}\""))));
        let field = more.split('"').next().unwrap();
        peer.ack().assert_rejects(&format!("field '{field}' must be "));
    }
    let exit = daemon.stop();
    assert_eq!(exit.count("rejected"), (garbage.len() + odd.len()) as u64);
    assert_eq!(exit.count("accepted"), garbage.len() as u64);
}

#[test]
fn a_long_reason_is_cut_and_marked() {
    let place = Place::new();
    let daemon = place.start(&[]);
    let mut peer = daemon.connect();
    for unit in ["k", "\\u0001", "\\n", "\u{e9}", "\u{20ac}", "\u{1f980}", "a\u{1f980}", "\\\""] {
        let key = unit.repeat(60_000 / unit.len());
        peer.send(&frame(&wake("x", &format!(",\"{key}\":1"))));
        let ack = peer.ack();
        ack.assert_rejects("WakeMessage.__init__() got an unexpected keyword argument '");
        let reason = ack.reason().unwrap();
        assert!(reason.ends_with("...") && reason.len() <= 4_096 && reason.len() > 4_090, "{}", reason.len());
        peer.round_trip("alive");
    }
    assert_eq!(daemon.stop().count("rejected"), 8);
}

#[test]
fn a_mutated_wake_gets_exactly_one_ack() {
    let place = Place::new();
    let mut daemon = place.start(&[]);
    let peer = RefCell::new(daemon.connect());
    let body = wake("mutated", ",\"price_ranges\":[[0.0,1.0,0.01]],\"clock_domain\":\"h:60\"");
    let edit = (any::<prop::sample::Index>(), 0..4_u8, any::<u8>());
    let outcome = runner(400).run(&prop::collection::vec(edit, 1..4), |edits| {
        let (mut body, mut peer) = (body.clone(), peer.borrow_mut());
        for (place, kind, byte) in edits {
            let at = place.index(body.len());
            match kind {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                2 => body.truncate(at.max(1)),
                _ => body[at] ^= 1 << (byte % 8),
            }
        }
        peer.send(&frame(&body));
        // Whatever the answer, there is one, and the next ack belongs to the next frame.
        peer.ack();
        peer.round_trip("next");
        Ok(())
    });
    outcome.unwrap();
    assert!(daemon.is_running());
    daemon.stop();
}

#[test]
fn a_mutated_stream_gets_acks_or_an_end() {
    let place = Place::new();
    let daemon = place.start(&["--log", "off"]);
    let stream = [frame(&wake("a", "")), frame(&wake("b", ""))].concat();
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5);
    let outcome = runner(100).run(&edits, |edits| {
        let mut stream = stream.clone();
        for (place, byte) in edits {
            // Half of them hit the two prefixes, where the stream is most fragile.
            let at = place.index(2 * stream.len());
            let at = if at < stream.len() { at } else { at % 4 };
            stream[at] = byte;
        }
        let mut peer = daemon.connect();
        peer.send(&stream);
        peer.half_close();
        let mut acks = 0;
        while peer.next_ack().is_some() {
            acks += 1;
        }
        // A short first frame leaves bytes that read as frames of their own; each takes four at least.
        prop_assert!(acks <= stream.len() / 4);
        daemon.connect().round_trip("alive");
        Ok(())
    });
    outcome.unwrap();
    daemon.stop();
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

//! Synthetic sessions, whose account the reference engine's is known.

use std::fs;

use serde_json::Value;

use super::{Place, assert_counts, common, market, run};

const REGISTRY: &str =
    "[[event]]\nid = \"synthetic-demo\"\nkalshi = \"SYN-DEMO\"\npolymarket_token = \"1000001\"\n";

fn synthetic(steps: &str) -> Place {
    let place = Place::new(b"");
    fs::write(place.at("registry.toml"), REGISTRY).unwrap();
    let output = std::process::Command::new(common::wakeline())
        .args(["synth", "session.feedlog", "--steps", steps])
        .current_dir(place.directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    place
}

#[test]
fn the_account_of_a_synthetic_session_is_the_references() {
    let place = synthetic("5000");
    for flags in [&[][..], &["--compat", "basis"]] {
        let report = place.report(flags);
        assert_counts(
            &report,
            &[
                ("records", 17_994),
                ("kalshi_messages", 8_997),
                ("polymarket_messages", 8_997),
                ("deltas", 17_998),
                ("unmapped_deltas", 0),
                ("ignored", 0),
                ("malformed", 0),
                ("malformed_lines", 0),
                ("gaps", 0),
                ("hashes.verified", 0),
                ("hashes.mismatched", 0),
                ("hashes.unverifiable", 1),
            ],
        );
        assert_eq!(report["session"]["span_seconds"], 500.383);
        assert_eq!(report["session"]["ingest_per_sec"], 36.0);
    }
}

#[test]
fn a_market_is_always_two_cents_wide_in_it() {
    let report = synthetic("5000").report(&[]);
    for venue in ["kalshi", "polymarket"] {
        let market = market(&report, "synthetic-demo", venue);
        assert_eq!(market["bid_levels"], 1);
        let spread = market["spread_mean_cents"].as_f64().unwrap();
        assert!((1.9..2.1).contains(&spread), "{spread}");
    }
}

#[test]
fn two_replays_say_the_same_to_the_byte() {
    let place = synthetic("500");
    let once = |name: &str| {
        let mut report = place.report(&["--csv", name, "--breakdown"]);
        let timing = report.as_object_mut().unwrap().remove("timing").unwrap();
        assert!(timing["breakdown"]["parse_share"].as_f64().unwrap() > 0.0);
        (serde_json::to_string(&report).unwrap(), fs::read(place.at(name)).unwrap())
    };
    let (first, second) = (once("a.csv"), once("b.csv"));
    assert_eq!(first, second);
    let csv = String::from_utf8(first.1).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("recv_ns,event_id,field,value"));
    assert_eq!(lines.next(), Some("1767225600000000000,synthetic-demo,kalshi_mid,50"));
    assert!(csv.contains(",synthetic-demo,poly_mid,50\n") && csv.contains(",synthetic-demo,basis,"));
}

#[test]
fn the_order_of_the_registry_changes_nothing_but_the_order_of_the_report() {
    let place = synthetic("200");
    let before = place.report(&[]);
    fs::write(
        place.at("registry.toml"),
        format!("[[event]]\nid = \"other\"\nkalshi = \"OTHER\"\n{REGISTRY}"),
    )
    .unwrap();
    let after = place.report(&[]);
    assert_eq!(before["markets"], after["markets"]);
}

#[test]
fn packed_and_plain_say_the_same() {
    let place = synthetic("200");
    for (name, packer) in [("session.feedlog.gz", "gz"), ("session.feedlog.zst", "zst")] {
        let output = std::process::Command::new(common::wakeline())
            .args(["synth", name, "--steps", "200"])
            .current_dir(place.directory.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{packer}: {output:?}");
        let output = run(place.directory.path(), &[name, "--registry", "registry.toml", "--json"]);
        let mut packed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut plain = place.report(&[]);
        for report in [&mut packed, &mut plain] {
            report.as_object_mut().unwrap().remove("timing");
        }
        assert_eq!(packed, plain);
    }
}

#[test]
fn the_stages_of_a_session_are_measured_and_none_allocates() {
    let place = synthetic("500");
    let bench = |flags: &[&str]| {
        let arguments = [&["bench", "replay", "session.feedlog", "--pairs", "2"], flags].concat();
        std::process::Command::new(common::wakeline())
            .args(arguments)
            .current_dir(place.directory.path())
            .output()
            .unwrap()
    };
    let output = bench(&["--registry", "registry.toml"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "read, parse, books, signals",
        "million records/s",
        "allocations in the second half of a pass: at most 0, 0.000000 a message",
        "peak resident memory",
        "p99",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    fs::write(place.at("session.feedlog"), "").unwrap();
    let output = bench(&["--registry", "registry.toml"]);
    assert_eq!(output.status.code(), Some(1));
    super::common::daemon::assert_one_sentence(
        &String::from_utf8(output.stderr).unwrap(),
        &["session.feedlog", "no record"],
    );
    assert_eq!(bench(&[]).status.code(), Some(2), "a registry must be named");
}

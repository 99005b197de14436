//! Real sessions, beside what the reference engine and the venue itself said of them. They aren't part of the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{assert_counts, common, run};

fn captures() -> Option<PathBuf> {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/captures");
    if captures.exists() {
        return Some(captures);
    }
    common::loudly_skipped(&captures);
    None
}

fn report(captures: &Path, name: &str, flags: &[&str]) -> Value {
    let arguments = [&[name, "--registry", "contracts.toml", "--json"], flags].concat();
    let output = run(captures, &arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What the reference's report and ours must have in common.
const ACCOUNT: [&str; 11] = [
    "records",
    "kalshi_messages",
    "polymarket_messages",
    "deltas",
    "unmapped_deltas",
    "ignored",
    "malformed",
    "malformed_lines",
    "gaps",
    "hashes",
    "session",
];

#[test]
fn read_as_the_reference_reads_the_account_is_the_references() {
    let Some(captures) = captures() else { return };
    let expected = std::fs::read(captures.join("expected/live-poly-30min.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let report = report(&captures, "live-poly-30min.feedlog.gz", &["--compat", "basis"]);
    for field in ACCOUNT {
        assert_eq!(report[field], expected[field], "{field}");
    }
}

#[test]
fn synthetic_sessions_of_the_expected_sizes_have_the_references_account() {
    let Some(captures) = captures() else { return };
    let place = super::Place::new(b"");
    for steps in ["5000", "20000"] {
        let synth = std::process::Command::new(common::wakeline())
            .args(["synth", "session.feedlog", "--steps", steps])
            .current_dir(place.directory.path())
            .status();
        assert!(synth.unwrap().success());
        std::fs::copy(captures.join("synthetic.toml"), place.at("registry.toml")).unwrap();
        let expected = std::fs::read(captures.join(format!("expected/synthetic-{steps}.json"))).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let report = place.report(&["--compat", "basis"]);
        for field in ACCOUNT {
            assert_eq!(report[field], expected[field], "{field} of {steps} steps");
        }
    }
}

#[test]
fn exact_books_agree_with_the_venue() {
    let Some(captures) = captures() else { return };
    let report = report(&captures, "live-poly-30min.feedlog.gz", &[]);
    assert_counts(
        &report,
        &[
            ("records", 34_731),
            ("ok", 34_731),
            ("deltas", 266_597),
            ("trades", 458),
            ("hashes.verified", 13),
            ("hashes.mismatched", 0),
            ("hashes.unverifiable", 526),
            ("left_out.finer_than_scale", 0),
            ("venue_best_checked", 33_746),
        ],
    );
    assert!(report["venue_best_agree"].as_u64() >= Some(33_674), "{report:#}");
    let spread = report["spread_mean_cents"].as_f64().unwrap();
    assert_eq!(format!("{spread:.2}"), "0.18");
    assert_eq!(report["markets"].as_array().unwrap().len(), 13);
    let fed = &report["baskets"][0];
    assert_eq!(fed["basket_id"], "fed-2026-07");
    for field in ["mid_sum_mean_dollars", "mid_sum_min_dollars", "mid_sum_max_dollars"] {
        assert_eq!(fed[field], 0.9015, "{field}");
    }
    assert_eq!(fed["bid_sum_max_dollars"], 0.896);
}

#[test]
fn every_record_of_binance_is_understood() {
    let Some(captures) = captures() else { return };
    let report = report(&captures, "binance-90s.feedlog.gz", &[]);
    assert_counts(
        &report,
        &[
            ("records", 24_048),
            ("binance_messages", 24_048),
            ("ok", 24_048),
            ("left_out.finer_than_scale", 0),
        ],
    );
    let by_ticker =
        report["markets"].as_array().unwrap().iter().filter(|market| market["top_of"] == "ticker");
    assert_eq!(by_ticker.count(), 82);
}

//! Sessions and registries that are damaged: what was readable is reported, and one sentence says what was wrong.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::common::daemon::assert_one_sentence;
use super::{Place, assert_counts, run};

const GOOD: &str = "1\tpolymarket\t{\"event_type\":\"book\",\"asset_id\":\"11\",\"bids\":[{\"price\":\"0.4\",\"size\":\"1\"}],\"asks\":[]}\n";

/// The report of a damaged session, and what was said of the damage.
fn damaged(place: &Place, name: &str) -> (Value, String) {
    let output = run(place.directory.path(), &[name, "--registry", "registry.toml", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

#[test]
fn junk_lines_are_counted_with_their_numbers() {
    let session = format!("{GOOD}junk\n2\tvenus\t{{}}\n\n-3\tkalshi\t{{}}\n{GOOD}");
    let (report, said) = damaged(&Place::new(session.as_bytes()), "session.feedlog");
    assert_counts(&report, &[("records", 2), ("lines", 6), ("malformed_lines", 4), ("backward_steps", 0)]);
    let kinds: Vec<_> =
        report["bad_lines"].as_array().unwrap().iter().map(|kind| kind["kind"].clone()).collect();
    assert_eq!(kinds, ["empty", "no_two_tabs", "bad_time", "unknown_venue"]);
    assert_eq!(report["bad_lines"][3]["first_lines"][0], 3);
    assert_one_sentence(&said, &["session.feedlog", "4 bad lines"]);
}

#[test]
fn a_file_cut_in_a_line_says_so() {
    let cut = format!("{GOOD}{}", &GOOD[..GOOD.len() - 9]);
    let (report, said) = damaged(&Place::new(cut.as_bytes()), "session.feedlog");
    assert_counts(&report, &[("records", 2), ("ok", 1), ("malformed", 1), ("faults.not_json", 1)]);
    assert_eq!(report["ends_without_lf"], true);
    assert_one_sentence(&said, &["last line has no end"]);
    // In the first columns it is no record at all.
    let (report, _) = damaged(&Place::new(format!("{GOOD}12").as_bytes()), "session.feedlog");
    assert_counts(&report, &[("records", 1), ("malformed_lines", 1)]);
}

#[test]
fn packed_data_that_ends_early_is_reported_as_far_as_it_goes() {
    let place = Place::new(b"");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut state = 1_u32;
    for _ in 0..2_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        encoder.write_all(GOOD.replace("0.4", &format!("0.{:03}", state % 900)).as_bytes()).unwrap();
    }
    let packed = encoder.finish().unwrap();
    fs::write(place.at("cut.gz"), &packed[..packed.len() / 2]).unwrap();
    let (report, said) = damaged(&place, "cut.gz");
    assert!(report["records"].as_u64() > Some(100), "{report:#}");
    assert_eq!(report["input_whole"], false);
    assert_one_sentence(&said, &["cut.gz"]);
}

#[test]
fn missing_and_wrong_files_are_one_sentence_and_no_report() {
    let place = Place::new(GOOD.as_bytes());
    fs::write(place.at("bad.toml"), "[[event]]\nid = \"a\"\nkalshi = \"\"\n").unwrap();
    let cases: [(&[&str], &[&str]); 4] = [
        (&["absent.feedlog", "--registry", "registry.toml"], &["absent.feedlog"]),
        (&["session.feedlog", "--registry", "absent.toml"], &["absent.toml"]),
        (&["session.feedlog", "--registry", "bad.toml"], &["bad.toml", "line 3"]),
        (
            &["session.feedlog", "--registry", "registry.toml", "--csv", "absent/x.csv"],
            &["absent/x.csv", "--csv"],
        ),
    ];
    for (arguments, words) in cases {
        let output = run(place.directory.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert_one_sentence(&String::from_utf8(output.stderr).unwrap(), words);
    }
    for usage in
        [&["session.feedlog"][..], &["session.feedlog", "--registry", "registry.toml", "--no-such-flag"]]
    {
        assert_eq!(run(place.directory.path(), usage).status.code(), Some(2));
    }
}

#[test]
fn an_empty_session_is_whole() {
    let report = Place::new(b"").report(&[]);
    assert_counts(&report, &[("records", 0), ("lines", 0)]);
    assert_eq!(report["input_whole"], true);
}

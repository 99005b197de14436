//! `wakeline replay` as people run it: sessions with everything that happens to sessions, and real ones.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod captures;
mod scenarios;
mod synthetic;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A registry with an event at both venues, another at Polymarket alone, and a basket of the two.
const REGISTRY: &str = r#"
[[event]]
id = "rain"
kalshi = "RAIN"
polymarket_token = "11"
polymarket_no_token = "12"
basket = "weather"

[[event]]
id = "snow"
kalshi = "SNOW"
polymarket_token = "21"
basket = "weather"
"#;

/// A directory with a registry and a session in it.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new(session: &[u8]) -> Self {
        let place = Self { directory: TempDir::new().unwrap() };
        fs::write(place.at("registry.toml"), REGISTRY).unwrap();
        fs::write(place.at("session.feedlog"), session).unwrap();
        place
    }

    /// Of lines of a venue and a message, a millisecond apart.
    fn of(records: &[(&str, String)]) -> Self {
        let lines: Vec<String> = records
            .iter()
            .enumerate()
            .map(|(index, (venue, payload))| format!("{}\t{venue}\t{payload}\n", at_ms(index as i64)))
            .collect();
        Self::new(lines.concat().as_bytes())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, flags: &[&str]) -> Output {
        run(self.directory.path(), &[&["session.feedlog", "--registry", "registry.toml"], flags].concat())
    }

    /// The report of a whole session.
    fn report(&self, flags: &[&str]) -> Value {
        let output = self.run(&[flags, &["--json"]].concat());
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

const START_NS: i64 = 1_790_000_000_000_000_000;

fn at_ms(ms: i64) -> i64 {
    START_NS + ms * 1_000_000
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(common::wakeline()).arg("replay").args(arguments).current_dir(directory).output().unwrap()
}

/// Asserts whole numbers of a report; a dot leads into an object.
fn assert_counts(report: &Value, counts: &[(&str, u64)]) {
    for (path, count) in counts {
        let found = path.split('.').fold(report, |value, key| &value[key]);
        assert_eq!(found.as_u64(), Some(*count), "{path} in {report:#}");
    }
}

/// A market of a report.
fn market<'a>(report: &'a Value, event: &str, venue: &str) -> &'a Value {
    let markets = report["markets"].as_array().unwrap();
    let found = markets.iter().find(|market| market["event_id"] == event && market["venue"] == venue);
    found.unwrap_or_else(|| panic!("{event} at {venue} in {report:#}"))
}

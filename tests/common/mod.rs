//! What several tests need: golden files, hexadecimal, JSON strings.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

pub mod daemon;
pub mod keys;
pub mod peer;
pub mod rows;

use std::io::Write;
use std::path::{Path, PathBuf};

/// Rows of a golden file, from `golden/`, where it must be, and, when it is there, from `../shared/golden`.
pub fn tsv(name: &str) -> impl Iterator<Item = Vec<String>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name);
    let text = std::fs::read_to_string(&own).unwrap_or_else(|error| panic!("{}: {error}", own.display()));
    let rows: Vec<_> = rows(&text).collect();
    assert!(!rows.is_empty(), "{} is empty", own.display());
    rows.into_iter().chain(judge_tsv(name))
}

/// Rows of a file the original's own functions made; none, with a loud word, where it is absent.
pub fn judge_tsv(name: &str) -> impl Iterator<Item = Vec<String>> {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden");
    let text = match std::fs::read_to_string(judge.join(name)) {
        Ok(text) => text,
        Err(_) => {
            if !judge.exists() {
                loudly_skipped(&judge);
            }
            String::new()
        }
    };
    rows(&text).collect::<Vec<_>>().into_iter()
}

fn rows(text: &str) -> impl Iterator<Item = Vec<String>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').map(str::to_owned).collect())
}

/// Says on stderr, past the test harness, that data which isn't part of the repository was absent.
pub fn loudly_skipped(path: &Path) {
    let _ =
        writeln!(std::io::stderr(), "SKIPPED: {} is absent, so nothing was compared with it", path.display());
}

/// Bytes of a hexadecimal text.
pub fn hex(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The double of sixteen hexadecimal digits, most significant first.
pub fn bits(text: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(text, 16).unwrap())
}

/// The text of a JSON string.
pub fn json_string(quoted: &str) -> String {
    serde_json::from_str(quoted).unwrap()
}

/// The binary under test.
pub fn wakeline() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_wakeline"))
}

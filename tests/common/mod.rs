//! What several tests need: golden files, hexadecimal, JSON strings.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

pub mod daemon;
pub mod peer;
pub mod rows;

use std::path::{Path, PathBuf};

/// Rows of a golden file, from `golden/` and, when it is there, from `../shared/golden`.
pub fn tsv(name: &str) -> impl Iterator<Item = Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("golden").join(name);
    let judge = root.join("../shared/golden").join(name);
    let mut text = String::new();
    for path in [own, judge] {
        match std::fs::read_to_string(&path) {
            Ok(content) => text += &content,
            Err(_) => loudly_skipped(&path),
        }
    }
    let rows: Vec<Vec<String>> = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect();
    rows.into_iter()
}

/// Says on stderr that data which isn't part of the repository was absent.
pub fn loudly_skipped(path: &Path) {
    eprintln!("SKIPPED: {} is absent, so nothing was compared with it", path.display());
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

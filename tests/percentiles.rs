//! Percentiles against CPython's own outputs, bit for bit.
// Helpers outside of `#[test]` functions may fail as loudly as the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

use wakeline::measure::percentiles::percentile;

/// Checks every row of one golden file; `None` when the file isn't there.
fn check(path: &Path) -> Option<usize> {
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("SKIPPED: no golden percentiles at {}", path.display());
        return None;
    };
    let mut rows = 0;
    for (line, row) in text.lines().enumerate().filter(|(_, row)| !row.starts_with('#') && !row.is_empty()) {
        let mut fields = row.split('\t');
        let mut field = || fields.next().unwrap_or_else(|| panic!("line {}: three fields", line + 1));
        let (p, result, values) = (double(field()), double(field()), field());
        let mut sample: Vec<f64> = values.split(',').filter(|v| !v.is_empty()).map(double).collect();
        sample.sort_unstable_by(f64::total_cmp);
        let got = percentile(&sample, p).unwrap_or(f64::NAN);
        assert_eq!(got.to_bits(), result.to_bits(), "line {}: p = {p}, n = {}", line + 1, sample.len());
        rows += 1;
    }
    assert!(rows > 0, "{} holds no rows", path.display());
    Some(rows)
}

fn double(hex: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(hex, 16).unwrap())
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn matches_the_reference_outputs() {
    check(&repository().join("../shared/golden/percentiles.tsv"));
}

#[test]
fn matches_the_golden_file_of_this_repository() {
    check(&repository().join("golden/percentiles.tsv"));
}

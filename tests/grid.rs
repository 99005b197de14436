//! The price grid, bit for bit as CPython's own `round` gives it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use common::{bits, tsv};
use wakeline::fire::snap_to_grid;
use wakeline::wire::PriceRange;

#[test]
fn prices_snap_to_the_reference_s_bits() {
    let mut compared = 0;
    for row in tsv("snap_to_grid.tsv") {
        let ranges: Vec<[f64; 3]> = serde_json::from_str(&row[1]).unwrap();
        let ranges: Vec<PriceRange> =
            ranges.iter().map(|&[start, end, step]| PriceRange { start, end, step }).collect();
        let snapped = snap_to_grid(bits(&row[0]), &ranges);
        assert_eq!(format!("{:016x}", snapped.to_bits()), row[2], "{} on {}", bits(&row[0]), row[1]);
        compared += 1;
    }
    assert!(compared >= 400, "only {compared} cases");
}

//! Percentiles against CPython's own outputs, bit for bit.

mod common;

use common::{bits, tsv};
use wakeline::measure::percentiles::percentile;

#[test]
fn percentiles_are_the_reference_s_bits() {
    for row in tsv("percentiles.tsv") {
        let (p, expected) = (bits(&row[0]), &row[1]);
        let mut sample: Vec<f64> = row[2].split(',').map(bits).collect();
        sample.sort_unstable_by(f64::total_cmp);
        let found = percentile(&sample, p).unwrap_or(f64::NAN);
        assert_eq!(format!("{:016x}", found.to_bits()), *expected, "p = {p}, n = {}", sample.len());
    }
}
